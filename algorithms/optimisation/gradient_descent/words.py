"""What a descent says: sentences with its numbers, and what a point or a place does to it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Explanation, Stop
from algorithms.data import Array, Item, Points
from algorithms.maths.words import are, capital, change, counted, listed
from algorithms.optimisation.gradient_descent.solver import best_rate, largest_rate, places
from algorithms.optimisation.gradient_descent.solver.losses import LogisticLoss, Loss, SquaredLoss
from algorithms.optimisation.gradient_descent.solver.plans import Settings, Walker, slope_at

if TYPE_CHECKING:
    from algorithms.optimisation.gradient_descent import Model, Shot


def opening(shot: Shot) -> str:
    """Where it begins, and what can be known beforehand."""
    model = shot.model
    surface, walker = model.surface, model.walkers[0]
    who = walker.method if len(model.walkers) == 1 else f"{len(model.walkers)} methods"
    verb = "starts" if len(model.walkers) == 1 else "start"
    slope = float(np.linalg.norm(slope_at(surface, walker)))
    text = f"{capital(who)} {verb} at {place(walker.at)} on f = {surface.formula}: f = {number(model.heights[-1, 0])}"
    text += f", |∇f| = {number(slope)}."
    if surface.quadratic and walker.method == "fixed step" and (bends := _bends(model)).min() > 0:
        rate, shrink = best_rate(bends)
        text += f" The best fixed rate is η = {number(rate)}: each step multiplies the error by {shrink:.3g} or less."
    return text


def too_fast(model: Model, settings: Settings) -> str:
    """A warning when the learning rate is too large for the curvature at the start."""
    walker = model.walkers[0]
    if not math.isfinite(largest_rate(walker.method, 1.0, settings.momentum)):
        return ""
    bend = float(_bends(model).max())
    limit = largest_rate(walker.method, bend, settings.momentum)
    if settings.rate < limit or not math.isfinite(limit):
        return ""
    what = "on this quadratic" if model.surface.quadratic else "at this point"
    return (
        f"η = {number(settings.rate)} is not below {number(limit)}, the limit of {walker.method} for the curvature "
        f"λ = {number(bend)} {what}: the steps overshoot and grow."
    )


def step(shot: Shot) -> str:
    """What the last step did."""
    model, plan = shot.model, shot.shown.plans[0]
    leader = model.leader
    if len(model.walkers) > 1:
        return _race(model)
    before, now = model.heights[-2:, leader].tolist()
    slope = number(shot.metrics["gradient"])
    text = f"A step of {number(shot.shown.moved)}: {change('f', before, now, number)}, |∇f| = {slope}."
    if plan is not None and plan.remark:
        text += f" {plan.remark}."
    return text


def _race(model: Model) -> str:
    states = [walker.status for walker in model.walkers]
    leader = model.walkers[model.leader].method
    text = f"{capital(leader)} is lowest with f = {number(model.heights[-1, model.leader])}"
    arrived, lost = states.count("converged"), states.count("diverged") + states.count("endless")
    text += f"; {arrived} of {len(states)} {are(arrived, 'has', 'have')} arrived"
    return text + (f" and {lost} flew away." if lost else ".")


def reason(model: Model, stop: Stop) -> str:
    """Why the run ended, where the usual words would mislead."""
    states = [walker.status for walker in model.walkers]
    if len(states) > 1 and stop is not Stop.LIMIT:
        arrived = states.count("converged")
        return f"{arrived} of {len(states)} {are(arrived, 'has', 'have')} arrived"
    return "f falls for ever: it has no minimum" if stop is Stop.DIVERGED and "endless" in states else ""


def closing(shot: Shot) -> str:
    """How it ended."""
    model, stop = shot.model, shot.shown.stop
    walker = model.walkers[model.leader]
    if stop is Stop.LIMIT:
        height = number(model.heights[-1, model.leader])
        return f"The limit is reached after {counted(model.steps, 'step')}, at {place(walker.at)}: f = {height}."
    if stop is Stop.DIVERGED:
        return _lost(model, walker)
    low, high = np.linalg.eigvalsh(model.surface.curvature(walker.at[None])[0])
    kind = "a minimum" if low > 0 else shape_words(low, high)
    several = len(model.walkers) > 1
    who = f"{capital(walker.method)} is lowest since step {_arrival(model)}," if several else "Converged"
    return (
        f"{who} at {place(walker.at)}: f = {number(model.heights[-1, model.leader])}; "
        f"with the curvatures {number(low)} and {number(high)} this is {kind}."
    )


def _arrival(model: Model) -> int:
    """After how many steps the leader came to rest."""
    trail = model.trail[:, model.leader]
    moved = np.flatnonzero((trail[1:] != trail[:-1]).any(axis=1))
    return int(moved[-1]) + 1 if len(moved) else 0


def _lost(model: Model, walker: Walker) -> str:
    first, last = model.heights[0, model.leader], model.heights[-1, model.leader]
    if walker.status == "endless":
        return f"At step {model.steps} f = {number(last)} and still falls: this surface has no minimum to arrive at."
    went = f"f went from {number(first)} to {number(last)} and the path left the picture"
    return f"Diverged in {counted(model.steps, 'step')}: {went}."


def warning(shot: Shot) -> str:
    """Steps that are too long, at the start; what the end should not be taken for."""
    if shot.phase == "start":
        return too_fast(shot.model, shot.given.course.settings(shot.model.steps))
    stop = shot.shown.stop
    return "" if stop is None else last_warning(shot.model, stop, shot.given.course.settings(shot.model.steps))


def last_warning(model: Model, stop: Stop, settings: Settings) -> str:
    """What the end should not be taken for."""
    walker = model.walkers[model.leader]
    if stop is Stop.DIVERGED and walker.status == "diverged":
        if settings.rate and math.isfinite(largest_rate(walker.method, 1.0, settings.momentum)):
            return "The step was too long for the curvature met on the way: choose a smaller learning rate."
        return f"{capital(walker.method)} was thrown out of the picture: try the damped method or another start."
    lost = [w.method for w in model.walkers if w.status == "diverged"]
    if lost:
        return f"{capital(listed(lost))} diverged."
    if stop is Stop.CONVERGED:
        return _not_lowest(model, walker)
    if isinstance(model.surface, LogisticLoss) and not len(model.surface.minima):
        return "A line separates the classes, so the weights grow for ever and f only approaches 0."
    if walker.method == "SGD":
        return "With a constant rate the noise of the batches never lets SGD rest; let the rate decay."
    return ""


def _not_lowest(model: Model, walker: Walker) -> str:
    if isinstance(model.surface, Loss):  # convex
        return ""
    if np.linalg.eigvalsh(model.surface.curvature(walker.at[None])[0])[0] < 0:
        return "The slope vanishes here, but this is no minimum: a small push aside leads further down."
    lowest, height = model.surface.lowest, float(model.heights[-1, model.leader])
    if lowest is not None and height > lowest + 0.01 * (1 + abs(lowest)):
        return f"This minimum is only a local one: the lowest point has f = {number(lowest)}."
    return ""


def _bends(model: Model) -> Array:
    values: Array = np.linalg.eigvalsh(model.surface.curvature(model.walkers[0].at[None])[0])
    return values


def place(at: Array) -> str:
    """A place as a sentence writes it."""
    return "(" + ", ".join(number(value) for value in at) + ")"


def number(value: float) -> str:
    """Four digits; what is only rounding is 0."""
    return f"{float(value):.4g}" if abs(value) >= 1e-12 else "0"


def explain(model: Model, data: Points, item: Item) -> Explanation:
    """What a data point does to the descent; without data, what the surface is like at the place x."""
    x = item.x
    surface = model.surface
    if isinstance(surface, Loss):
        return _of_point(surface, model, data, item)
    at = places(np.asarray(x, dtype=float)[None])
    slope, (low, high) = surface.slope(at)[0], np.linalg.eigvalsh(surface.curvature(at)[0])
    return {
        "height f": float(surface.height(at)[0]),
        f"slope along {surface.names[0]}": float(slope[0]),
        f"slope along {surface.names[1]}": float(slope[1]),
        "curvatures": f"{low:z.3g} and {high:z.3g}",
        "the surface here": shape_words(low, high),
    }


def _of_point(surface: Loss, model: Model, data: Points, item: Item) -> Explanation:
    weights, x = model.parameters, item.x
    row = np.array([item.number] if item.number >= 0 and data.n == surface.samples else [], dtype=np.intp)
    if isinstance(surface, SquaredLoss):
        answer: Explanation = {"the line there": float(surface.line(weights, x[:1])[0])}
        if len(row):
            answer["residual"] = float(surface.y[row[0]]) - answer["the line there"]
    else:
        assert isinstance(surface, LogisticLoss)
        score = float(surface.scores(weights, x[None])[0])
        answer = {"score w·z": score, "probability of the second class": float(0.5 * (1 + np.tanh(0.5 * score)))}
    if len(row):
        pull = -surface.slopes(weights, row)[0]
        answer[f"pull on {surface.names[0]}"] = float(pull[0])
        answer[f"pull on {surface.names[1]}"] = float(pull[1])
    return answer


def shape_words(low: float, high: float) -> str:
    """What the two curvatures of a place mean (Hessian criteria)."""
    flat = 1e-9 * max(abs(low), abs(high))
    if low > flat:
        return "bent upwards: convex"
    if high < -flat:
        return "bent downwards: concave"
    return "a saddle" if low < -flat and high > flat else "flat in one direction"


CAPTIONS = {
    "start": opening,
    **dict.fromkeys(("fixed", "search", "momentum", "adaptive", "conjugate", "newton", "race"), step),
    "done": closing,
    "diverged": closing,
}
