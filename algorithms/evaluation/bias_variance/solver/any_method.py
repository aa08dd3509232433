"""The same game with any method that predicts a value: it is run anew on every redraw, and asked at the points.

Methods that add up functions with a free intercept are not run here: all their fits are made at once (see ``solver``).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from algorithms.data import Array, DataError, Points
from algorithms.evaluation.bias_variance.solver import MOST_NUMBERS, Truth
from algorithms.maths.regression_marks import error_floor, grid_of
from algorithms.maths.sweeps import Axis, SweepError, parse_axis, usual_axis
from algorithms.method_choice import Method, parse_method

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
class Game:
    """What stays the same during a run."""

    data: Points
    y: Array  # (n,)
    truth: Truth
    method: Method
    axis: Axis | None
    grid: Array  # (m, 1), empty for more than one feature
    count: int  # redraws in all

    @classmethod
    def of(cls, data: Points, y: Array, truth: Truth, method: Method, over: str, redraws: int) -> Game:
        """The game of a run; ``over`` says what is varied afterwards, and is empty for what is usual."""
        names = {field.name for field in method.algorithm.fields}
        quick = method.with_values(**{name: False for name in _LONG if name in names})
        count = min(redraws, max(MOST_NUMBERS // data.n, 2))
        return cls(data, y, truth, quick, _axis(quick, over), grid_of(data)[::3], count)

    def fit(self, method: Method, target: Array, seed: int) -> tuple[Any, Array]:
        """The model of a method on these targets, and its values at the points."""
        data = Points(self.data.X, target, features=self.data.features)
        model = method.fit(data, seed)
        with np.errstate(over="ignore", invalid="ignore"):
            return model, np.asarray(method.predict(model, data.X), dtype=np.float64)


def parts_of(values: Array, truth: Array) -> tuple[float, float]:
    """bias² and variance of fits (k, n) at the points, on average."""
    mean = values.mean(axis=0)
    return float(np.square(mean - truth).mean()), float(values.var(axis=0).mean())


def swept(game: Game, axis: Axis, targets: Array) -> Iterator[tuple[float, dict[float, tuple[float, float]]]]:
    """bias² and variance for every value: first from few redraws, so that the curve is soon seen, then from more.

    Yields the value, and the two parts at every value of which they are known by now.
    """
    fits: dict[float, list[Array]] = {float(value): [] for value in axis.values}
    first = 1
    for some in np.array_split(targets, ROUNDS):
        for value in axis.values if len(some) else ():
            method, at = game.method.with_values(**{axis.name: value}), float(value)
            if at not in fits:
                continue
            try:
                fits[at] += [game.fit(method, target, first + k)[1] for k, target in enumerate(some)]
            except DataError:  # the method refuses this value on these points
                del fits[at]
                continue
            yield at, {place: parts_of(np.array(made), game.truth.values) for place, made in fits.items() if made}
        first += len(some)


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
    if not all(isinstance(value, int | float) and not isinstance(value, bool) for value in axis.values):
        raise DataError(f"To draw bias and variance as curves {axis.name} must be a number; it is a choice.")
    return axis


def panel_and_phase(axis: Axis) -> tuple[str, str]:
    """The panel and the phase of what is varied: whole numbers step by step, others by factors where they can be."""
    whole = all(isinstance(value, int) for value in axis.values)
    if axis.log or (not whole and min(axis.values) > 0.0):
        return "bias_lambdas", "lambda"
    return "bias_degrees", "degree"


def current_value(game: Game) -> float | None:
    """What the parameter that is varied is now; None where the axis of its panel has no place for it."""
    assert game.axis is not None
    field = next(field for field in game.method.algorithm.fields if field.name == game.axis.name)
    value = float(getattr(game.method.params, field.attribute))
    return value if math.isfinite(value) and (value > 0.0 or panel_and_phase(game.axis)[0] == "bias_degrees") else None


def least_drawn(game: Game) -> float:
    """The least that is drawn on a logarithmic axis."""
    seen = 0.1 * game.truth.sigma**2 / (game.data.n * game.count)
    return max(seen, error_floor(game.y))
