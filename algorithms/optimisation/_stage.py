"""The stage of a descent: the walkers, the way behind them, and the frames in which they are seen."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from algorithms.contract import LazyViews, Snapshot, Stop
from algorithms.data import Array, DataError, Points
from algorithms.optimisation._losses import logistic_loss, squared_loss
from algorithms.optimisation._methods import METHODS, Plan, Settings, Walker, plan, slope_at
from algorithms.optimisation._model import EDGE, Model
from algorithms.optimisation._pictures import Scene, views
from algorithms.optimisation._record import MOST, Record, middle, shrink_of
from algorithms.optimisation._surfaces import Surface, analytic

FAR = 1000.0
"""A walker this many widths of the picture away has diverged; where the surface has no floor, a few are enough."""
FAR_DOWNHILL = 3.0
ROOM = 4.0
"""How far outside the picture, in pictures, a start may be before the picture grows."""

RUNNERS: dict[str, tuple[str, ...]] = {
    "one of each kind": ("fixed step", "exact line search", "Nesterov", "conjugate gradient", "damped Newton", "Adam"),
    "step lengths": ("fixed step", "exact line search", "Armijo backtracking", "conjugate gradient"),
    "momentum": ("fixed step", "momentum", "Nesterov", "conjugate gradient"),
    "adaptive rates": ("SGD", "Adagrad", "RMSprop", "Adam"),
    "second order": ("exact line search", "conjugate gradient", "Newton", "damped Newton"),
    "all twelve": METHODS,
}


class Stage:
    """What a run changes from step to step. Frames share one growing record of the way."""

    def __init__(self, data: Points, params: Any, start: Model | None) -> None:
        self.params = params
        self.surface = make_surface(data, params)
        self.start = starting_place(self.surface, params.start)
        self.surface = widened(self.surface, self.start)
        self.methods = RUNNERS[params.runners] if params.method == "race" else (params.method,)
        self.walkers = self._walkers(start)
        known = start is not None and tuple(w.method for w in start.walkers) == self.methods
        self.steps = start.steps if start is not None and known else 0
        plain = params.method == "fixed step" and params.decay == 0 and start is None
        self._record = Record(self.surface, len(self.methods))
        if start is not None and known:
            self._record.restore(start.trail, start.heights)
        self._note()
        self.plans: tuple[Plan | None, ...] = (None,) * len(self.methods)
        self.moved = 0.0
        self.rate = params.learning_rate
        self._small = params.tol * self.surface.scale
        self._judge()
        shrink = shrink_of(self.surface, params.learning_rate) if plain else None
        self._scene = Scene(data, self.surface, self.start, params.shade, shrink)

    def _walkers(self, start: Model | None) -> tuple[Walker, ...]:
        """Fresh walkers at the start; those of a model to go on from, except the ones that had flown away."""
        fresh = tuple(Walker.begin(method, self.start) for method in self.methods)
        if start is None:
            return fresh
        if tuple(walker.method for walker in start.walkers) != self.methods:
            return tuple(replace(walker, at=start.parameters) for walker in fresh)
        return tuple(
            new if old.status in ("diverged", "endless") else replace(old, status="walking", slope=None, height=None)
            for new, old in zip(fresh, start.walkers)
        )

    def settings(self) -> Settings:
        """The knobs for the next step: the learning rate falls as 1/(1 + decay t)."""
        params = self.params
        rate = params.learning_rate / (1.0 + params.decay * self.steps)
        return Settings(rate, params.momentum, params.rho, params.beta2, params.batch, params.armijo)

    def look(self, rng: np.random.Generator) -> None:
        """Everybody who is still on the way plans the next step."""
        settings = self.settings()
        self.plans = tuple(
            plan(self.surface, walker, settings, rng) if walker.status == "walking" else None for walker in self.walkers
        )

    def step(self) -> None:
        """Everybody makes the planned step."""
        leader = self.model().leader
        planned = self.plans[leader]
        if planned is not None:
            self.rate = planned.rate
        before = self.walkers[leader].at
        self.walkers = tuple(p.after if p is not None else w for p, w in zip(self.plans, self.walkers))
        self.moved = math.hypot(*(self.walkers[leader].at - before).tolist())
        self.steps += 1
        stuck = [p is not None and not p.move.any() for p in self.plans]
        self._judge(stuck)
        self._note()

    def _judge(self, stuck: list[bool] | None = None) -> None:
        """Say of everybody on the way whether they have arrived or flown away."""
        stuck = stuck or [False] * len(self.walkers)
        self.walkers = tuple(self._judged(w, s) if w.status == "walking" else w for w, s in zip(self.walkers, stuck))

    def _judged(self, walker: Walker, stuck: bool) -> Walker:
        surface = self.surface
        away = float(np.abs(walker.at - middle(surface)).max()) / surface.span
        if not away <= FAR:
            lost = np.clip(np.nan_to_num(walker.at, nan=EDGE, posinf=EDGE, neginf=-EDGE), -EDGE, EDGE)
            return replace(walker, at=lost, slope=None, height=None, status="diverged")
        if not surface.bounded and away > FAR_DOWNHILL:
            return replace(walker, status="endless")
        slope = slope_at(surface, walker)
        arrived = math.hypot(*slope.tolist()) <= self._small
        return replace(walker, slope=slope, status="converged" if arrived or stuck else "walking")

    def _note(self) -> None:
        at = np.stack([walker.at for walker in self.walkers])
        heights = [walker.height for walker in self.walkers]
        self._record.write(self.steps, at, self.surface.height(at) if None in heights else np.array(heights, float))

    @property
    def stop(self) -> Stop | None:
        """Why the run is over, when it is."""
        states = [walker.status for walker in self.walkers]
        if "walking" in states:
            return None
        return Stop.CONVERGED if "converged" in states else Stop.DIVERGED

    def model(self) -> Model:
        """The state as it is now."""
        way = slice(0, self.steps + 1)
        return Model(
            self.surface,
            self.walkers,
            self.steps,
            self._record.trail[way],
            self._record.heights[way],
            self.params.learning_rate,
            self.params.shade,
        )

    def frame(self, phase: str, caption: str, warning: str = "") -> Snapshot:
        """What is to be seen now."""
        model = self.model()
        leader = model.leader
        planned = self.plans[leader]
        slope = math.hypot(*slope_at(self.surface, self.walkers[leader]).tolist())
        return Snapshot(
            model=model,
            views=LazyViews(views, self._scene, model, self.plans, self.settings()),
            metrics={
                "height": float(model.heights[-1, leader]),
                "gradient": min(slope, MOST),
                "step": min(self.moved, MOST),
                "rate": min(self.rate if planned is None else planned.rate, MOST),
            },
            phase=phase,
            caption=caption,
            warning=warning,
        )


def make_surface(data: Points, params: Any) -> Surface:
    """The surface that the parameters ask for."""
    if params.surface == "squared loss of the data":
        return squared_loss(data, params.standardise)
    if params.surface == "logistic loss of the data":
        return logistic_loss(data, params.standardise)
    return analytic(params.surface, params.condition)


def starting_place(surface: Surface, wanted: tuple[tuple[float, ...], ...]) -> Array:
    """The place set by hand, or the surface's own."""
    if not wanted:
        return np.array(surface.start)
    if len(wanted) > 1 or len(wanted[0]) != 2:
        raise DataError("start must be one place with two coordinates, such as [[-1, 2]].")
    if np.abs(wanted[0]).max() > 1e9 * (1.0 + surface.span):
        raise DataError("start is too far away from the surface.")
    return np.array(wanted[0])


def widened(surface: Surface, start: Array) -> Surface:
    """The surface with a larger picture when the start is far outside of it.

    In leaps: a picture that grew with every move of the start would run away under the mouse that drags it.
    """
    left, right, bottom, top = surface.box
    (x, y), wide, high = middle(surface).tolist(), (right - left) / 2, (top - bottom) / 2
    away, scale = float(np.max(np.abs(start - (x, y)) / (wide, high))), 1.0
    while away > ROOM * scale:
        scale *= ROOM
    box = (x - scale * wide, x + scale * wide, y - scale * high, y + scale * high)
    return surface if scale == 1.0 else replace(surface, box=box)
