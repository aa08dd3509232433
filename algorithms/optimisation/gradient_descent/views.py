"""What a descent looks like: the map with the paths, the line in the data, the slice along the step."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Views, frozen
from algorithms.data import Array, Points
from algorithms.marks import (
    Arrows,
    Bars,
    Centres,
    Curve,
    Dots,
    Extent,
    Highlight,
    Isolines,
    Mark,
    Paths,
    ReferenceLine,
    Regions,
    Segments,
)
from algorithms.optimisation.gradient_descent.solver import pulled_in
from algorithms.optimisation.gradient_descent.solver.losses import LogisticLoss, Loss, SquaredLoss
from algorithms.optimisation.gradient_descent.solver.plans import ARMIJO, Plan, Settings, Walker
from algorithms.optimisation.gradient_descent.solver.surfaces import Surface

if TYPE_CHECKING:
    from algorithms.optimisation.gradient_descent import Given, Model, Shot

SQUARE = 4.0
"""Ranges that differ by less than this share one scale, so that gradients cross contours at right angles."""
LEVELS = np.linspace(0.0, 1.0, 18)[1:-1] ** 1.6
"""The fractions of the picture that lie below the contours: closer together towards the bottom."""
MOST_RESIDUALS = 300
SAMPLES = 121
_FRACTIONS = np.linspace(-0.25, 1.0, SAMPLES)
_ANGLES = np.linspace(0.0, 2.0 * np.pi, 91)
_CIRCLE = np.stack([np.cos(_ANGLES), np.sin(_ANGLES)])


@lru_cache(maxsize=2)
def ground(given: Given) -> tuple[Mark, ...]:
    """What never changes, made when it is first looked at: the ground under the paths."""
    surface = given.course.surface
    shaded = given.course.params.shade if not isinstance(surface, Loss) else "height"
    left, right, bottom, top = surface.box
    wide, high = right - left, top - bottom
    regions = Regions("value", log=True)
    if shaded != "height":
        regions = Regions("classes", names=_region_names(surface, shaded))
    groups = np.arange(len(surface.minima)) if shaded == "basins" else None
    return frozen(
        (
            Extent(left, right, bottom, top, equal=max(wide, high) < SQUARE * min(wide, high), names=surface.names),
            regions,
            Isolines(strong=(), fine=contour_levels(surface)),
            Dots(surface.minima, "minimum", groups=groups, known=True),
        )
    )


def views(shot: Shot) -> Views:
    """The marks of every panel that has something to show."""
    given, model, plans = shot.given, shot.model, shot.shown.plans
    surface = given.course.surface
    views = {"surface": _map(given, model, plans)}
    if len(surface.minima):
        views["gap"] = _gap(given, model)
    if isinstance(surface, Loss):
        views["plane"] = _data_plane(given.data, surface, model, plans)
    walking = [i for i, planned in enumerate(plans) if planned is not None and planned.move.any()]
    if walking:
        lowest = min(walking, key=lambda i: model.heights[-1, i])
        views["slice"] = _slice(surface, model.walkers[lowest], plans[lowest], given.course.settings(model.steps))
    planned = plans[0]
    if len(plans) == 1 and planned is not None and model.walkers[0].method in ("Adagrad", "RMSprop", "Adam"):
        views["rates"] = (Bars(np.minimum(planned.rates, 1e300), surface.names),)
    return views


# -- the map -------------------------------------------------------------------------------------------------


def _map(given: Given, model: Model, plans: tuple[Plan | None, ...]) -> tuple[Mark, ...]:
    names = tuple(_named(walker) for walker in model.walkers)
    marks: list[Mark] = [*ground(given), Paths(model.trail, names)]
    planned = plans[0] if len(plans) == 1 else None
    if planned is not None:
        walker = model.walkers[0]
        if "Newton" in walker.method:
            marks.extend(newton_ellipse(given.course.surface, walker.at))
        marks.append(_arrows(given.course.surface, walker, planned))
    return (*marks, Centres(given.course.start[None], handle="start", name="start"))


def _arrows(surface: Surface, walker: Walker, planned: Plan) -> Arrows:
    parts = planned.parts
    start = np.stack([walker.at if part.offset is None else walker.at + part.offset for part in parts])
    end = start + np.stack([part.vector for part in parts])
    return Arrows(
        pulled_in(start, surface),
        pulled_in(end, surface),
        tuple(part.role for part in parts),
        tuple(part.name for part in parts),
    )


# -- the plots -----------------------------------------------------------------------------------------------


def _gap(given: Given, model: Model) -> tuple[Mark, ...]:
    """How high everybody stands above the lowest minimum, and what theory promises a fixed step."""
    lowest = given.course.surface.lowest or 0.0
    least = 1e-16 * max(abs(lowest), 1.0)
    x, gaps = np.arange(model.steps + 1.0), np.maximum(model.heights - lowest, least)
    marks: list[Mark] = [Curve(x, gaps[:, i], walker.method) for i, walker in enumerate(model.walkers)]
    if given.shrink is not None:
        decay = np.clip(2.0 * x * np.log(max(given.shrink, 1e-12)), -600.0, 600.0)
        bound = np.maximum(gaps[0, 0] * np.exp(decay), least)
        marks.append(Curve(x, bound, f"bound for a fixed step, ρ = {given.shrink:.3g}", quiet=True))
    return tuple(marks)


def _slice(surface: Surface, walker: Walker, planned: Plan | None, settings: Settings) -> tuple[Mark, ...]:
    """The height along the next step, what the method believes about it, and the length it chose."""
    assert planned is not None
    at = walker.at
    direction, trials = planned.direction, planned.trials
    if direction is None:
        direction, trials = planned.move, (1.0,)
    chosen = trials[-1]
    reach = 2.2 * chosen if len(trials) == 1 else max(1.05 * trials[max(0, len(trials) - 4)], 2.2 * chosen)
    lengths = reach * _FRACTIONS
    heights = surface.height(pulled_in(at + lengths[:, None] * direction, surface))
    here = float(surface.height(at[None])[0])
    slope = float(surface.slope(at[None])[0] @ direction)
    bend = float(direction @ surface.curvature(at[None])[0] @ direction)
    marks: list[Mark] = [Curve(lengths, np.clip(heights, -1e300, 1e300), f"f along the step of {walker.method}")]
    low, high = float(heights.min()), float(heights.max())
    room = (low - 0.5 * (high - low), high + 0.2 * (high - low))
    if "Newton" in walker.method or "line search" in walker.method or walker.method == "conjugate gradient":
        model = here + slope * lengths + 0.5 * bend * lengths**2
        marks.append(_within(lengths, model, "quadratic model", room))
    if walker.method in ("Armijo backtracking", "damped Newton"):
        marks.append(_within(lengths, here + ARMIJO * slope * lengths, "low enough (Armijo)", room))
    elif len(marks) == 1:
        marks.append(_within(lengths, here + slope * lengths, "tangent", room))
        ends = np.array([0.0, chosen])
        marks.append(
            Curve(ends, np.clip(surface.height(at + ends[:, None] * direction), -1e300, 1e300), "chord", quiet=True)
        )
    shown = np.array([length for length in trials if length <= reach])
    tried = np.clip(surface.height(at + shown[:, None] * direction), -1e300, 1e300)
    marks.append(Curve(shown, tried, "tried" if len(shown) > 1 else "next point", dots=True))
    marks.append(ReferenceLine(chosen, "chosen"))
    return tuple(marks)


# -- the data ------------------------------------------------------------------------------------------------


def _data_plane(data: Points, surface: Loss, model: Model, plans: tuple[Plan | None, ...]) -> tuple[Mark, ...]:
    """The line of every walker, the residuals of the leader, and the batch."""
    marks: list[Mark] = []
    if isinstance(surface, SquaredLoss):
        marks.extend(_line(data, surface, walker) for walker in model.walkers)
        if len(model.walkers) == 1 and data.n <= MOST_RESIDUALS and data.d <= 2:
            marks.insert(0, _residuals(data, surface, model.parameters))
    elif isinstance(surface, LogisticLoss):
        marks.append(Regions("classes"))
        marks.extend(_boundary(data, surface, walker) for walker in model.walkers)
    batches = [planned.batch for planned in plans if planned is not None and planned.batch is not None]
    if batches:
        marks.append(Highlight(batches[0], "chosen", "next batch"))
    return tuple(marks)


def _line(data: Points, surface: SquaredLoss, walker: Walker) -> Curve:
    x = data.X[:, 0]
    left, right = float(x.min()), float(x.max())
    pad = 0.3 * (right - left) or 1.0
    ends = np.linspace(left - pad, right + pad, 31)
    heights = surface.line(walker.at, ends)
    reach = 20.0 * (float(np.ptp(surface.y)) or 1.0)
    inside = np.clip(heights, surface.y.min() - reach, surface.y.max() + reach)
    return Curve(ends, inside, f"line of {_named(walker)}")


def _residuals(data: Points, surface: SquaredLoss, weights: Array) -> Segments:
    """From each point straight to the line, as far as the picture reaches."""
    x = data.X[:, 0]
    reach = 20.0 * (float(np.ptp(surface.y)) or 1.0)
    heights = np.clip(surface.line(weights, x), surface.y.min() - reach, surface.y.max() + reach)
    ends = np.column_stack([x, heights])
    return Segments(np.column_stack([x, surface.y]), ends, "residual", np.arange(data.n))


def _boundary(data: Points, surface: LogisticLoss, walker: Walker) -> Curve:
    """Where both classes are equally likely; for one feature the probability itself."""
    name, X = f"line of {_named(walker)}", data.X
    if data.d == 1:
        x = np.linspace(X.min(), X.max(), SAMPLES)
        score = surface.scores(walker.at, x[:, None])
        return Curve(x, 0.5 * (1 + np.tanh(0.5 * np.clip(score, -700, 700))), name)
    normal = walker.at
    size = float(np.linalg.norm(normal))
    if size == 0:
        return Curve(np.empty(0), np.empty(0), name)
    reach = 2.0 * float(np.linalg.norm(np.ptp(X[:, :2], axis=0)))
    along = np.array([-normal[1], normal[0]]) / size * np.linspace(-reach, reach, 31)[:, None]
    return Curve(surface.shift[0] + along[:, 0], surface.shift[1] + along[:, 1], name)


def _region_names(surface: Surface, shaded: str) -> tuple[str, ...]:
    if shaded == "curvature":
        return ("bent upwards (convex)", "bent both ways", "bent downwards")
    return (*(f"leads to minimum {number + 1}" for number in range(len(surface.minima))), "leads nowhere")


def contour_levels(surface: Surface, side: int = 72) -> tuple[float, ...]:
    """Heights whose contours divide the picture into fixed fractions, so that no part of it is bare or black."""
    left, right, bottom, top = surface.box
    x, y = np.meshgrid(np.linspace(left, right, side), np.linspace(bottom, top, side))
    heights = surface.sketch(np.column_stack([x.ravel(), y.ravel()]))
    return tuple(sorted(set(np.quantile(heights, LEVELS).tolist())))


def newton_ellipse(surface: Surface, at: Array) -> tuple[Curve, ...]:
    """The contour through this place of the quadratic that Newton's method takes for the surface."""
    gradient, hessian = surface.slope(at[None])[0], surface.curvature(at[None])[0]
    values, axes = np.linalg.eigh(hessian)
    if values[0] <= 1e-9 * values[1]:
        return ()
    centre = at - axes @ (axes.T @ gradient / values)
    radius = np.sqrt(max(float((at - centre) @ hessian @ (at - centre)), 0.0))
    ring = centre + (axes @ (radius / np.sqrt(values)[:, None] * _CIRCLE)).T
    ring = pulled_in(ring, surface)
    return (Curve(ring[:, 0], ring[:, 1], "contour of the quadratic model", quiet=True),)


def _within(x: Array, y: Array, name: str, room: tuple[float, float]) -> Curve:
    """The part of a curve that lies in the picture, so that a steep parabola does not flatten everything else."""
    inside = (y >= room[0]) & (y <= room[1])
    return Curve(x[inside], y[inside], name, quiet=name != "quadratic model")


def _named(walker: Walker) -> str:
    lost = walker.status in ("diverged", "endless")
    return f"{walker.method} (flew away)" if lost else walker.method
