"""What a perceptron says: captions with numbers, and why a point is where it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Explanation
from algorithms.data import Item, Points
from algorithms.maths.words import counted
from algorithms.neural.perceptron.solver import columns_of, margins

if TYPE_CHECKING:
    from algorithms.neural.perceptron import Model, Shot

NEVER_CONVERGES = "No line separates these classes, so the perceptron never converges; it ends with its passes."


def warning(shot: Shot) -> str:
    """Where no line is right about all points."""
    return NEVER_CONVERGES if shot.given.inseparable else ""


def _opening(shot: Shot) -> str:
    """What can be known beforehand."""
    model, problem = shot.model, shot.given
    if problem.by_hand:
        return "All weights are 0: every sum is 0, and the unit always fires."
    begin = "" if model.z.any() else "All weights are 0, so there is no line yet. "
    if len(model.z) > 1:
        return f"{begin}{len(model.z)} units, one for each class; the largest sum wins, and a tie is a mistake."
    if problem.inseparable:
        return f"{begin}No line separates these classes, so there will always be another mistake."
    if problem.margin == 0.0:
        return f"{begin}Some line separates the classes, but beside the size of the features its margin is nearly 0."
    most = f"at most (R/g)² = {problem.bound:,.4g} mistakes" if problem.bounded else "finitely many mistakes"
    margin = f"margin g = {problem.margin:.3g}, and R = {problem.radius:.3g}"
    return f"{begin}Some line separates the classes with {margin}: {most}."


def _turn(shot: Shot) -> str:
    """The mistake, and what it added to what."""
    model, problem, shown = shot.model, shot.given, shot.shown
    if shown.point < 0:  # in a run of somebody else
        now = f"{model.wrong:,} of {counted(problem.data.n, 'point')} not on their side"
        return f"The weights changed by more than one point, or not at all; {now}."
    label = int(problem.labels[shown.point])
    said = f"Mistake {model.mistakes:,}: point {shown.point + 1} ({problem.data.classes[label]})"
    if len(model.z) == 1:
        why = "is on the wrong side" if shown.kept < 0.0 else "has the sum 0, which decides nothing"
        return f"{said} {why}, so {'x' if label == 1 else '-x'} times the rate is added to the weights."
    own, other = problem.data.classes[label], problem.data.classes[shown.rival]
    why = "has a larger sum in another unit" if shown.kept < 0.0 else "has the same sum in another unit"
    return f"{said} {why}: x times the rate is added to the weights of {own} and taken from those of {other}."


def _pass(shot: Shot) -> str:
    """How a pass went."""
    model, problem = shot.model, shot.given
    passed, count = len(model.per_pass), int(model.per_pass[-1])
    if count == 0:
        bound = f"; the bound was {problem.bound:,.4g}" if problem.bounded else ""
        return f"Pass {passed} is without a mistake: converged after {counted(model.mistakes, 'mistake')}{bound}."
    now = f"{model.wrong:,} of {counted(problem.data.n, 'point')} not on their side"
    return f"Pass {passed}: {counted(count, 'mistake')}, {model.mistakes:,} so far; {now}."


def _result(shot: Shot) -> str:
    """How many inputs a unit set by hand has right."""
    n = shot.given.data.n
    return f"The unit is right about {n - shot.model.wrong:,} of {counted(n, 'input')}."


def _setting(shot: Shot) -> str:
    """What was set by hand."""
    given = "should for all classes but the first one"
    threshold = -shot.model.z[0, -1]
    return (
        f"Weights and threshold are set by hand: the unit fires where the sum is at least {threshold:zg}, and {given}."
    )


def _firing(shot: Shot) -> str:
    """The sum of one input, and whether the unit fires."""
    model, problem, point = shot.model, shot.given, shot.shown.point
    data, threshold = problem.data, -float(model.z[0, -1])
    x, w = data.X[point, :2], model.z[0, : min(data.d, 2)]
    terms = " + ".join(f"{weight:zg}·{value:z.3g}" for weight, value in zip(w, x))
    total = float(model.sums(data.X[[point]])[0, 0]) + threshold
    fires = total >= threshold
    sign, verb = ("≥", "fires") if fires else ("<", "does not fire")
    outcome = "right" if fires == bool(problem.labels[point] == 1) else "wrong"
    return f"Input {point + 1}: {terms} = {total:.3g} {sign} {threshold:zg}, so the unit {verb}, which is {outcome}."


def _orders(shot: Shot) -> str:
    """After another order of the points."""
    ends = shot.model.ends
    assert ends is not None
    lengths = np.linalg.norm(ends[:, :-1], axis=1)
    units = ends[:, :-1] / np.maximum(lengths, 1e-300)[:, None]
    spread = np.degrees(np.arccos(np.clip((units @ units.T).min(), -1.0, 1.0)))
    runs = counted(len(ends), "other order")
    return f"{runs} of the points: their lines are up to {spread:.1f}° apart, each the first one that was reached."


CAPTIONS = {
    "start": _opening,
    "set": _setting,
    "turn": _turn,
    "pass": _pass,
    "orders": _orders,
    "fire": _firing,
    "result": _result,
}


def explain(model: Model, data: Points, item: Item) -> Explanation:
    """What each feature adds to the sum, on which side a point lies, and of one of the data whether that is right."""
    x = item.x
    sums = model.sums(x[None])[0]
    unit = int(sums.argmax()) if len(sums) > 1 else 0
    answer = unit if len(sums) > 1 else int(sums[0] >= 0.0)
    found: Explanation = {"predicted class": data.classes[answer]}
    weights = model.z[unit]
    strongest = np.sort(np.argsort(-np.abs(weights[:-1] * x), kind="stable")[:4])
    found |= {f"weight times {data.features[j]}": float(weights[j] * x[j]) for j in strongest}
    found["bias"] = float(weights[-1])
    found["sum"] = float(sums[unit])
    length = float(np.linalg.norm(weights[:-1]))
    if len(sums) == 1 and length > 0.0:
        found["distance from the line"] = float(sums[0] / length)
    return found | _side(model, data, item)


def _side(model: Model, data: Points, item: Item) -> Explanation:
    """Of a point whose class is known, by how much it is on the side where it belongs."""
    if item.number < 0 or data.y is None:
        return {}
    label = int(data.y[item.number])
    signs = 1.0 if len(model.z) > 1 else 1.0 if label > 0 else -1.0
    kept = margins(model.z, columns_of(item.x[None], signs), np.array([label]))[0]
    return {"true class": data.classes[label], "on its own side by": float(kept)}
