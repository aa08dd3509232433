"""The mathematics of a descent: who walks where, and when a walker has arrived or is lost.

A run is a chain of frozen values: the :class:`Course` that all steps share, and a :class:`Descent` for each. How each
method plans its next step is in :mod:`algorithms.optimisation.gradient_descent.solver.plans`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Stop
from algorithms.data import Array, DataError, Points
from algorithms.optimisation.gradient_descent.solver.losses import logistic_loss, squared_loss
from algorithms.optimisation.gradient_descent.solver.plans import (
    BETA2,
    RHO,
    RUNNERS,
    Plan,
    Settings,
    Walker,
    plan,
    slope_at,
)
from algorithms.optimisation.gradient_descent.solver.surfaces import Surface, analytic

if TYPE_CHECKING:
    from algorithms.optimisation.gradient_descent import Model, Params

EDGE = 1e60
"""Places are looked up no farther out than this: fourth powers stay finite."""
MOST = 1e300
"""Heights beyond this are not told apart."""
RIM = 50.0
"""How many widths away a place is drawn at most: farther out there is nothing but rounding."""
FAR = 1000.0
"""A walker this many widths of the picture away has diverged; where the surface has no floor, a few are enough."""
FAR_DOWNHILL = 3.0
ROOM = 4.0
"""How far outside the picture, in pictures, a start may be before the picture grows."""


@dataclass(frozen=True, slots=True, eq=False)
class Course:
    """What does not change in a run: the surface, where to begin, who walks, and what counts as level."""

    params: Params
    surface: Surface
    start: Array  # (2,)
    methods: tuple[str, ...]
    level: float  # a gradient this small means that a walker has arrived

    @classmethod
    def of(cls, data: Points, params: Params) -> Course:
        """What the parameters ask for."""
        if params.surface == "squared loss of the data":
            surface: Surface = squared_loss(data)
        elif params.surface == "logistic loss of the data":
            surface = logistic_loss(data)
        else:
            surface = analytic(params.surface, params.condition)
        start = _starting_place(surface, params.start)
        surface = _widened(surface, start)
        methods = RUNNERS.get(params.method, (params.method,))
        return cls(params, surface, start, methods, params.tol * surface.scale)

    def settings(self, steps: int) -> Settings:
        """The knobs for the next step: the learning rate falls as 1/(1 + decay t)."""
        params = self.params
        rate = params.learning_rate / (1.0 + params.decay * steps)
        return Settings(rate, params.momentum, params.memory or RHO, params.memory or BETA2, params.batch)


def _starting_place(surface: Surface, wanted: tuple[tuple[float, ...], ...]) -> Array:
    """The place set by hand, or the surface's own."""
    if not wanted:
        return np.array(surface.start)
    if len(wanted) > 1 or len(wanted[0]) != 2:
        raise DataError("start must be one point with two coordinates, such as [[-1, 2]].")
    if np.abs(wanted[0]).max() > 1e9 * (1.0 + surface.span):
        raise DataError("start is too far away from the surface.")
    return np.array(wanted[0])


def _widened(surface: Surface, start: Array) -> Surface:
    """The surface with a larger picture when the start is far outside of it.

    In leaps: a picture that grew with every move of the start would run away under the mouse that drags it.
    """
    left, right, bottom, top = surface.box
    (x, y), wide, high = surface.middle.tolist(), (right - left) / 2, (top - bottom) / 2
    away, scale = float(np.max(np.abs(start - (x, y)) / (wide, high))), 1.0
    while away > ROOM * scale:
        scale *= ROOM
    box = (x - scale * wide, x + scale * wide, y - scale * high, y + scale * high)
    return surface if scale == 1.0 else replace(surface, box=box)


@dataclass(frozen=True, slots=True, eq=False)
class Trail:
    """The places and heights of every step so far.

    A longer trail writes its last row behind those of the shorter one into the same arrays, so a step costs one row,
    however many there have been. Only the longest trail may be prolonged.
    """

    places: Array  # (room, k, 2)
    heights: Array  # (room, k)
    rows: int = 0  # how many of them are written

    @classmethod
    def of(cls, places: Array, heights: Array) -> Trail:
        """A trail of its own with these rows."""
        room = max(64, 2 * len(places))
        return cls(_longer(places, room), _longer(heights, room), len(places))

    def then(self, at: Array, heights: Array) -> Trail:
        """The trail with one more row."""
        trail = self if self.rows < len(self.places) else Trail.of(self.places, self.heights)
        trail.places[self.rows] = at
        trail.heights[self.rows] = np.clip(heights, -MOST, MOST)
        return Trail(trail.places, trail.heights, self.rows + 1)


def _longer(rows: Array, size: int) -> Array:
    longer = np.empty((size, *rows.shape[1:]))
    longer[: len(rows)] = rows
    return longer


@dataclass(frozen=True, slots=True, eq=False)
class Descent:
    """Everybody after a step: where they are, how they came there, and what they plan."""

    walkers: tuple[Walker, ...]
    trail: Trail
    plans: tuple[Plan | None, ...]  # None of those who have arrived or are lost
    rate: float  # of the leader's last step
    moved: float = 0.0  # how far the leader went

    @property
    def steps(self) -> int:
        """How many steps have been made."""
        return self.trail.rows - 1

    @property
    def leader(self) -> int:
        """Who stands lowest."""
        return leader_of(self.walkers, self.trail.heights[self.steps])

    @property
    def stop(self) -> Stop | None:
        """Why the run is over, when it is."""
        states = [walker.status for walker in self.walkers]
        if "walking" in states:
            return None
        return Stop.CONVERGED if "converged" in states else Stop.DIVERGED


def leader_of(walkers: tuple[Walker, ...], heights: Array) -> int:
    """Who stands lowest; those who flew away do not count unless all did."""
    if len(walkers) == 1:
        return 0
    lost = np.array([walker.status in ("diverged", "endless") for walker in walkers])
    return int(np.where(lost & ~lost.all(), np.inf, heights).argmin())


def begin(course: Course, rng: np.random.Generator, start: Model | None) -> Descent:
    """Everybody at the start, or where a model says they were, with a plan for the first step."""
    walkers, trail = tuple(Walker.begin(method, course.start) for method in course.methods), None
    if start is not None and tuple(walker.method for walker in start.walkers) != course.methods:
        walkers = tuple(replace(walker, at=start.parameters) for walker in walkers)
    elif start is not None:
        trail = Trail.of(start.trail[:-1], start.heights[:-1])
        walkers = tuple(  # those who had flown away begin again
            new if old.status in ("diverged", "endless") else replace(old, status="walking", slope=None, height=None)
            for new, old in zip(walkers, start.walkers)
        )
    if trail is None:
        trail = Trail.of(np.empty((0, len(walkers), 2)), np.empty((0, len(walkers))))
    judged = tuple(_judged(course, walker, False) for walker in walkers)
    descent = Descent(judged, _longer_trail(course, trail, judged), (), course.params.learning_rate)
    return _planned(course, descent, rng)


def brought(course: Course, before: Descent | None, place: Array) -> Descent:
    """Somebody else's step to a place (2,)."""
    walkers = (Walker.begin(course.methods[0], place),)
    trail = Trail.of(np.empty((0, 1, 2)), np.empty((0, 1))) if before is None else before.trail
    moved = 0.0 if before is None else math.hypot(*(place - before.walkers[0].at).tolist())
    return Descent(walkers, _longer_trail(course, trail, walkers), (None,), course.params.learning_rate, moved)


def stepped(course: Course, descent: Descent, rng: np.random.Generator) -> Descent:
    """Everybody makes the planned step, and plans the next one."""
    leader, plans = descent.leader, descent.plans
    planned, before = plans[leader], descent.walkers[leader].at
    walkers = tuple(w if p is None else p.after for p, w in zip(plans, descent.walkers))
    moved = math.hypot(*(walkers[leader].at - before).tolist())
    walkers = tuple(
        _judged(course, w, p is not None and not p.move.any()) if w.status == "walking" else w
        for p, w in zip(plans, walkers)
    )
    rate = descent.rate if planned is None else planned.rate
    after = Descent(walkers, _longer_trail(course, descent.trail, walkers), plans, rate, moved)
    return _planned(course, after, rng)


def _planned(course: Course, descent: Descent, rng: np.random.Generator) -> Descent:
    """Everybody who is still on the way plans the next step."""
    settings = course.settings(descent.steps)
    plans = tuple(
        plan(course.surface, walker, settings, rng) if walker.status == "walking" else None
        for walker in descent.walkers
    )
    return Descent(descent.walkers, descent.trail, plans, descent.rate, descent.moved)


def _judged(course: Course, walker: Walker, stuck: bool) -> Walker:
    """The walker, told whether it has arrived or flown away."""
    surface = course.surface
    away = float(np.abs(walker.at - surface.middle).max()) / surface.span
    if not away <= FAR:
        lost = np.clip(np.nan_to_num(walker.at, nan=EDGE, posinf=EDGE, neginf=-EDGE), -EDGE, EDGE)
        return replace(walker, at=lost, slope=None, height=None, status="diverged")
    if not surface.bounded and away > FAR_DOWNHILL:
        return replace(walker, status="endless")
    slope = slope_at(surface, walker)
    arrived = math.hypot(*slope.tolist()) <= course.level
    return replace(walker, slope=slope, status="converged" if arrived or stuck else "walking")


def _longer_trail(course: Course, trail: Trail, walkers: tuple[Walker, ...]) -> Trail:
    at = np.stack([walker.at for walker in walkers])
    known = [walker.height for walker in walkers]
    heights = course.surface.height(at) if None in known else np.array(known, float)
    return trail.then(pulled_in(at, course.surface), heights)


def pulled_in(at: Array, surface: Surface) -> Array:
    """Places (k, 2), those far outside the picture pulled back to its rim along the ray from its middle."""
    centre, rim = surface.middle, RIM * surface.span
    if np.abs(at - centre).max(initial=0.0) < 0.7 * rim:
        return at
    away = np.linalg.norm(at - centre, axis=1, keepdims=True)
    return centre + (at - centre) * np.minimum(1.0, rim / np.maximum(away, 1e-300))


def places(X: Array) -> Array:
    """Rows as places of the plane: the first two columns (0 for one that is missing), within the finite."""
    at = np.zeros((len(X), 2))
    at[:, : X.shape[1]] = X[:, :2]
    return np.clip(at, -EDGE, EDGE)


# --- what theory says -----------------------------------------------------------------------------------------------


def largest_rate(method: str, curvature: float, momentum: float) -> float:
    """The learning rate from which the rule no longer converges on a quadratic with this largest curvature.

    The roots of its recursion leave the unit circle there: 2/λ for a fixed step, 2(1+β)/λ with momentum, and
    2(1+β)/((1+2β)λ) with Nesterov's look ahead. The other methods have no such limit.
    """
    factor = {"fixed step": 2.0, "momentum": 2 * (1 + momentum), "Nesterov": 2 * (1 + momentum) / (1 + 2 * momentum)}
    return factor[method] / curvature if method in factor and curvature > 0 else math.inf


def best_rate(curvatures: Array) -> tuple[float, float]:
    """The best fixed η = 2/(λmin+λmax) on a quadratic, and the factor ρ = (κ-1)/(κ+1) by which it shrinks the error."""
    low, high = float(curvatures.min()), float(curvatures.max())
    return 2.0 / (low + high), (high - low) / (high + low)


def worst_shrinking(surface: Surface, rate: float) -> float | None:
    """The factor max|1 - ηλ| by which a fixed step shrinks the distance to the minimum of a quadratic, at worst."""
    if not surface.quadratic or not len(surface.minima):
        return None
    bends = np.linalg.eigvalsh(surface.curvature(surface.minima[:1])[0])
    return float(np.abs(1.0 - rate * bends).max())
