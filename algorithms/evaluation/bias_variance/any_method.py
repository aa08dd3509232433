"""The same game with any method that predicts a value: it is run anew on every redraw, and asked at the points.

Methods that add up functions with a free intercept are not run here: all their fits are made at once (see ``solver``).
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from algorithms.contract import FrozenDict, LazyViews, Snapshot
from algorithms.data import Array, DataError, Points
from algorithms.evaluation.bias_variance import words
from algorithms.evaluation.bias_variance.solver import MOST_NUMBERS, Truth
from algorithms.evaluation.bias_variance.views import TradeOff, draw_any
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
    warning: str

    @classmethod
    def of(cls, data: Points, y: Array, truth: Truth, method: Method, over: str, redraws: int) -> Game:
        """The game of a run; ``over`` says what is varied afterwards, and is empty for what is usual."""
        names = {field.name for field in method.algorithm.fields}
        quick = method.with_values(**{name: False for name in _LONG if name in names})
        count = min(redraws, max(MOST_NUMBERS // data.n, 2))
        warning = words.fewer(count) if count < redraws else ""
        return cls(data, y, truth, quick, _axis(quick, over), grid_of(data)[::3], count, warning)

    def fit(self, method: Method, target: Array, seed: int) -> tuple[Any, Array]:
        """The model of a method on these targets, and its values at the points."""
        data = Points(self.data.X, target, features=self.data.features)
        model = method.fit(data, seed)
        with np.errstate(over="ignore", invalid="ignore"):
            return model, np.asarray(method.predict(model, data.X), dtype=np.float64)

    def frame(
        self, model: Repeated, curves: Array, target: Array | None, kept: FrozenDict, phase: str, caption: str
    ) -> Snapshot:
        """The snapshot of a state; ``curves`` are the fits along the grid, ``target`` what was drawn last."""
        views = LazyViews(draw_any, self.data, self.y, self.truth, self.grid, curves, target, kept)
        parts = {"bias2": model.bias2, "variance": model.variance, "noise": model.noise}
        return Snapshot(model, views, {**parts, "error": sum(parts.values())}, phase, caption, self.warning)


Frames = Generator[Snapshot, None, None]


def repeat(game: Game, rng: np.random.Generator, start: Any = None) -> Frames:
    """Draw the noise anew, run the method, and again; then the same for other values of one of its parameters."""
    truth, noise = game.truth, game.truth.sigma**2
    off = float(truth.values @ truth.values) / game.data.n
    model = Repeated(game.method.text, truth, (), game.data.d, off, 0.0, noise)
    goes_on = isinstance(start, Repeated) and start.features == game.data.d
    first, none = start if isinstance(start, Repeated) and goes_on else model, np.empty((0, len(game.grid)))
    kept = FrozenDict()
    yield game.frame(first, none, None, kept, "truth", words.opening(truth, game.data.n, goes_on))
    targets = truth.values + truth.sigma * rng.standard_normal((game.count, game.data.n))
    values, curves = np.empty((0, game.data.n)), none
    for number, target in enumerate(targets, start=1):
        found, at = game.fit(game.method, target, number)
        values = np.vstack([values, at])
        if len(game.grid):
            curves = np.vstack([curves, game.method.predict(found, game.grid)])
        bias, variance = parts_of(values, truth.values)
        model = replace(model, fitted=(*model.fitted, found), bias2=bias, variance=variance)
        yield game.frame(model, curves, target, kept, "redraw", words.redraw(number, model))
    least: tuple[str, ...] = ()
    if game.axis is not None:
        panel, phase = _place(game.axis)
        trade = bare = TradeOff(game.axis.name, _current(game), noise, _floor(game))
        for value, trade, parts in _swept(game, game.axis, bare, targets[:SWEPT]):
            kept = FrozenDict({panel: trade.marks()})
            caption = words.trade(f"{game.axis.name} = {value:.3g}", parts, truth)
            yield game.frame(model, curves, None, kept, phase, caption)
        least = (f"{game.axis.name} = {trade.best:.3g}",) if trade.at else ()
    yield game.frame(model, curves, None, kept, "done", words.done(model, least))


def parts_of(values: Array, truth: Array) -> tuple[float, float]:
    """bias² and variance of fits (k, n) at the points, on average."""
    mean = values.mean(axis=0)
    return float(np.square(mean - truth).mean()), float(values.var(axis=0).mean())


def _swept(
    game: Game, axis: Axis, bare: TradeOff, targets: Array
) -> Iterator[tuple[float, TradeOff, tuple[float, float]]]:
    """bias² and variance for every value: first from few redraws, so that the curve is soon seen, then from more.

    Yields the value, the curve as it is known now, and its two parts there.
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
            known = {place: parts_of(np.array(made), game.truth.values) for place, made in fits.items() if made}
            trade = bare
            for place, parts in known.items():
                trade = trade.joined(place, parts, None)
            yield at, trade, known[at]
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


def _place(axis: Axis) -> tuple[str, str]:
    """The panel and the phase of what is varied: whole numbers step by step, others by factors where they can be."""
    whole = all(isinstance(value, int) for value in axis.values)
    if axis.log or (not whole and min(axis.values) > 0.0):
        return "bias_lambdas", "lambda"
    return "bias_degrees", "degree"


def _current(game: Game) -> float | None:
    assert game.axis is not None
    field = next(field for field in game.method.algorithm.fields if field.name == game.axis.name)
    value = float(getattr(game.method.params, field.attribute))
    return value if math.isfinite(value) and (value > 0.0 or _place(game.axis)[0] == "bias_degrees") else None


def _floor(game: Game) -> float:
    """The least that is drawn on a logarithmic axis."""
    seen = 0.1 * game.truth.sigma**2 / (game.data.n * game.count)
    return max(seen, error_floor(game.y))
