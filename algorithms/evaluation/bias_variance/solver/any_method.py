"""The same game with any method that predicts a value: it is run anew on every redraw, and asked at the points.

Methods that add up functions with a free intercept are not run here: all their fits are made at once (see ``linear``).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from algorithms.data import Array, DataError, Points
from algorithms.evaluation.bias_variance.solver import Truth
from algorithms.evaluation.bias_variance.solver.game import Drawn, Steps, TradeOff, count_of, floor_of
from algorithms.maths.regression_marks import grid_of
from algorithms.maths.sweeps import Axis, SweepError, parse_axis, usual_axis
from algorithms.method_choice import Method, parse_method
from algorithms.params import as_dict

SWEPT, ROUNDS = 10, 3
"""Redraws for each value of a parameter, and in how many rounds they are made."""
_LONG = ("sweep", "map")
"""Parameters that only add pictures of other settings to a run; nobody looks at them here."""


@dataclass(frozen=True, slots=True, eq=False)
class Repeated:
    """All fits so far, and how far they are from the truth."""

    method: str
    truth: Truth
    fitted: tuple[Any, ...]  # a model of the method for each redraw
    features: int
    bias2: float  # at the points, on average
    variance: float
    noise: float  # σ²

    def fits(self, X: Array) -> Array:
        """Every fit at the rows of ``X``, (k, m); the function 0 before there is one."""
        if not self.fitted:
            return np.zeros((1, len(X)))
        method = parse_method(self.method)
        return np.array([method.predict(model, X) for model in self.fitted], dtype=np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class AnyGame:
    """One truth, and a method that is run anew on every redraw."""

    data: Points
    y: Array  # (n,)
    truth: Truth
    method: Method
    axis: Axis | None
    count: int  # redraws in all

    @classmethod
    def of(cls, data: Points, y: Array, truth: Truth, method: Method, over: str, redraws: int) -> AnyGame:
        """The game of a run; ``over`` says what is varied afterwards, and is empty for what is usual."""
        names = {field.name for field in method.algorithm.fields}
        quick = method.with_values(**{name: False for name in _LONG if name in names})
        return cls(data, y, truth, quick, _axis(quick, over), count_of(redraws, data))

    def cloud_extent(self) -> None:
        """There are no coefficients."""
        return

    def suits(self, start: object) -> bool:
        """Whether a model is one of these fits."""
        return isinstance(start, Repeated) and start.features == self.data.d

    def nothing(self) -> Repeated:
        """No fit yet: the function 0."""
        off = float(self.truth.values @ self.truth.values) / self.data.n
        return Repeated(self.method.text, self.truth, (), self.data.d, off, 0.0, self.truth.sigma**2)

    def redraws(self, rng: np.random.Generator, hurry: bool) -> Iterator[Drawn]:
        """One fit after the other."""
        truth, fits = self.truth, _Fits(self, self.method)
        targets = truth.values + truth.sigma * rng.standard_normal((self.count, self.data.n))
        for number in range(1, self.count + 1):
            yield fits.with_more(targets[number - 1 : number]), targets[:number], None

    def sweeps(self, targets: Array) -> Iterator[tuple[TradeOff, Steps]]:
        """The one number that is varied: first with few redraws, so that the curve is soon seen, then with more."""
        if self.axis is None:
            return
        panel, phase = panel_and_phase(self.axis)
        field = next(field for field in self.method.algorithm.fields if field.name == self.axis.name)
        now = float(getattr(self.method.params, field.attribute))
        current = now if math.isfinite(now) and (now > 0.0 or phase == "degree") else None
        floor = floor_of(self.truth, self.y, self.count)
        trade = TradeOff(self.axis.name, panel, phase, current, self.truth.sigma**2, floor)
        yield trade, self._swept(self.axis, targets[:SWEPT])

    def _swept(self, axis: Axis, targets: Array) -> Steps:
        fits = {value: _Fits(self, self.method.with_values(**{axis.name: value})) for value in axis.values}
        for some in np.array_split(targets, ROUNDS):
            for value in list(fits) if len(some) else ():
                try:
                    yield float(value), fits[value].with_more(some), None, None
                except DataError:  # the method refuses this value on these points
                    del fits[value]


class _Fits:
    """The fits of one method to more and more redraws; the first redraw has the seed 1."""

    def __init__(self, game: AnyGame, method: Method) -> None:
        self.game, self.method = game, method
        self.models: tuple[Any, ...] = ()
        self.values = np.empty((0, game.data.n))
        grid = grid_of(game.data)[::3] if game.data.d == 1 else game.data.X[:0]
        self.places = np.concatenate([game.data.X, grid])  # where no answer may be infinite

    def with_more(self, targets: Array) -> Repeated:
        """With the fits to these targets (k, n)."""
        game, n = self.game, self.game.data.n
        for target in targets:
            data = Points(game.data.X, target, features=game.data.features)
            model = self.method.fit(data, len(self.models) + 1)
            with np.errstate(over="ignore", invalid="ignore"):
                answers = np.asarray(self.method.predict(model, self.places), dtype=np.float64)
            self.models, self.values = (*self.models, model), np.vstack([self.values, answers[:n]])
        parts = parts_of(self.values, game.truth.values)
        return Repeated(self.method.text, game.truth, self.models, game.data.d, *parts, game.truth.sigma**2)


def parts_of(values: Array, truth: Array) -> tuple[float, float]:
    """bias² and variance of fits (k, n) at the points, on average."""
    mean = values.mean(axis=0)
    return float(np.square(mean - truth).mean()), float(values.var(axis=0).mean())


def _axis(method: Method, over: str) -> Axis | None:
    """What is varied: what the user says, or the first number of the method; None where it has none."""
    if not over.strip():
        try:
            return usual_axis(method.algorithm)
        except SweepError:
            return None
    try:
        axis = parse_axis(over, method.algorithm)
    except SweepError as error:
        raise DataError(str(error)) from error
    field = next(field for field in method.algorithm.fields if field.name == axis.name)
    if field.when is not None and not field.relevant(as_dict(method.params)):
        wanted = " or ".join(str(value) for value in field.when.values)
        raise DataError(f"{axis.name} has no effect here: it counts only where {field.when.name} is {wanted}.")
    if not all(isinstance(value, int | float) and not isinstance(value, bool) for value in axis.values):
        raise DataError(f"To draw bias and variance as curves {axis.name} must be a number; it is a choice.")
    return axis


def panel_and_phase(axis: Axis) -> tuple[str, str]:
    """The panel and the phase of what is varied: whole numbers step by step, others by factors where they can be."""
    whole = all(isinstance(value, int) for value in axis.values)
    if axis.log or (not whole and min(axis.values) > 0.0):
        return "bias_lambdas", "lambda"
    return "bias_degrees", "degree"
