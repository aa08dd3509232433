"""The pictures of a regression: the curve with its band and residuals, bars of coefficients, paths and error curves."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from algorithms.data import Array, Points
from algorithms.marks import Bars, Curve, Dots, Isolines, Mark, ReferenceLine, Regions, Scatter, Segments, Squares
from algorithms.maths.cross_validation import Errors
from algorithms.maths.linear_model import LinearModel as Model
from algorithms.maths.losses import Loss

GRID = 301
"""Places along a curve."""
REACH = 0.6
"""How far a curve goes beyond the points, as a share of their range: one can pan a little and still see it."""
MOST_RESIDUALS = 400
MOST_BARS = 40
MOST_PATHS = 8
MOST_NAMES = 4
"""Paths that are named in the legend, which would hide the others."""
_LEVELS = 7

Residuals = Literal["bars", "squares", "none"]


@dataclass(frozen=True, slots=True, eq=False)
class Plane:
    """What the pictures in the data plane need: places along the curve, and the target."""

    data: Points
    y: Array  # (n,)
    grid: Array  # (m, 1), empty for more than one feature

    @classmethod
    def of(cls, data: Points, y: Array) -> Plane:
        """The plane of a data set: over one feature a curve, over more a shaded surface."""
        if data.d != 1:
            return cls(data, y, np.empty((0, 1)))
        low, high = float(data.X.min()), float(data.X.max())
        margin = REACH * (high - low) if high > low else 1.0
        return cls(data, y, np.linspace(low - margin, high + margin, GRID)[:, None])

    def curve(self, model: Model, name: str, quiet: bool = False) -> Curve:
        """The fit over one feature, with its band where there is one."""
        columns = model.dictionary.columns(self.grid)
        values = model.intercept + columns @ model.coefficients
        if model.spread is None:
            return Curve(self.grid[:, 0], values, name, quiet=quiet)
        half = model.spread.half_width(columns)
        return Curve(self.grid[:, 0], values, name, values - half, values + half)

    def marks(self, model: Model, fitted: Array, style: Residuals, name: str) -> tuple[Mark, ...]:
        """The fit in the data plane."""
        if self.data.d == 1:
            return (self.curve(model, name), *self._residuals(fitted, style))
        if self.data.is_labelled and len(self.data.classes) == 2:  # least squares as a classifier
            return (Regions("value"), Isolines(strong=(0.5,)))
        levels = np.linspace(float(self.y.min()), float(self.y.max()), _LEVELS + 2)[1:-1]
        return (Regions("value"), Isolines(strong=(), fine=tuple(levels.tolist()), fine_name="equal prediction"))

    def _residuals(self, fitted: Array, style: Residuals) -> tuple[Mark, ...]:
        if style == "none":
            return ()
        points = np.arange(self.data.n)
        if self.data.n > MOST_RESIDUALS:
            points = np.sort(np.argpartition(-np.abs(self.y - fitted), MOST_RESIDUALS)[:MOST_RESIDUALS])
        x, y, f = self.data.X[points, 0], self.y[points], fitted[points]
        if style == "squares":
            return (Squares(x, y, f, points),)
        return (Segments(np.column_stack([x, y]), np.column_stack([x, f]), "residual", points),)


def residual_plot(fitted: Array, residuals: Array) -> tuple[Mark, ...]:
    """Residuals against predictions: a fit that has missed nothing leaves a cloud without a pattern."""
    n = len(residuals)
    return (ReferenceLine(0.0, axis="y"), Scatter(np.column_stack([fitted, residuals]), np.arange(n), np.full(n, -1)))


def loss_marks(loss: Loss, residuals: Array) -> tuple[Mark, ...]:
    """The loss and its slope over the residual, beside the square; the points sit on the loss where they are now."""
    reach = max(1.2 * float(np.abs(residuals).max(initial=0.0)), 1e-12)
    at = np.linspace(-reach, reach, 201)
    shown = residuals if len(residuals) <= MOST_RESIDUALS else np.sort(residuals)[:: len(residuals) // MOST_RESIDUALS]
    return (
        Curve(at, at**2, "square", quiet=True),
        Curve(at, loss.each(at), "loss"),
        Curve(at, loss.slope(at), "its slope"),
        Dots(np.column_stack([shown, loss.each(shown)]), "points"),
    )


def condition_number(eigenvalues: Array) -> float:
    """The largest by the least; the inverse is the spectral condition of the slides."""
    largest = float(eigenvalues.max())
    return largest / max(float(eigenvalues.min()), 1e-60 * largest, np.finfo(float).tiny)


def eigenvalue_marks(eigenvalues: Array, lam: float, used: int | None = None) -> tuple[Mark, ...]:
    """The eigenvalues of Φ'Φ from the largest on, and how ridge lifts them: the small ones most, for their size.

    ``used`` says how many directions principal component regression uses.
    """
    at = np.arange(1.0, len(eigenvalues) + 1.0)
    floor = max(1e-16 * float(eigenvalues.max()), 1e-300)
    given = Curve(at, np.maximum(eigenvalues, floor), "d of Φ'Φ", dots=True, quiet=lam > 0.0 or used is not None)
    if used is not None:
        return given, Curve(at[:used], np.maximum(eigenvalues[:used], floor), "directions in use", dots=True)
    if not lam:
        return (given,)
    return given, Curve(at, eigenvalues + lam, "d + λ", dots=True)


def coefficient_bars(model: Model, coloured: bool) -> Bars:
    """The coefficients, at most the largest; the intercept is not among them: it only lifts the curve.

    ``coloured`` gives each bar the colour of its path against λ, as long as there are colours enough.
    """
    chosen = np.arange(len(model.coefficients))
    if len(chosen) > MOST_BARS:
        chosen = np.sort(np.argsort(-np.abs(model.coefficients), kind="stable")[:MOST_BARS])
    groups = chosen if coloured and len(chosen) <= MOST_PATHS else None
    return Bars(model.coefficients[chosen], tuple(model.names[j] for j in chosen.tolist()), groups=groups)


@dataclass(slots=True)
class ErrorCurve:
    """Training and validation error, growing from frame to frame. A working object of one run."""

    handle: str
    current: float
    floor: float
    at: list[float] = field(default_factory=list)
    errors: list[Errors] = field(default_factory=list)

    def add(self, at: float, errors: Errors) -> None:
        """One more place."""
        self.at.append(at)
        self.errors.append(errors)

    @property
    def best(self) -> float:
        """Where the validation error is least."""
        return self.at[int(np.argmin([error.validation for error in self.errors]))]

    def marks(self) -> tuple[Mark, ...]:
        """Both curves, a dot at the least validation error, and a handle at the current value."""
        at = np.array(self.at)
        table = np.array([(error.training, error.validation, error.doubt) for error in self.errors])
        training, validation = np.maximum(table[:, :2], self.floor).T
        low, high = np.maximum(table[:, 1] - table[:, 2], 0.2 * validation), validation + table[:, 2]
        dots = self.handle != "lam"
        least = int(table[:, 1].argmin())
        word = "λ" if self.handle == "lam" else self.handle
        return (
            Curve(at, training, "training", dots=dots),
            Curve(at, validation, "validation", low, high, dots=dots),
            Curve(at[least : least + 1], validation[least : least + 1], dots=True),
            ReferenceLine(self.current, f"{word} = {self.current:.3g}", handle=self.handle),
        )


@dataclass(slots=True)
class Path:
    """The coefficients against λ. A working object of one run."""

    names: tuple[str, ...]
    current: float
    lambdas: list[float] = field(default_factory=list)
    coefficients: list[Array] = field(default_factory=list)

    def add(self, lam: float, beta: Array) -> None:
        """One more λ."""
        self.lambdas.append(lam)
        self.coefficients.append(beta)

    def marks(self) -> tuple[Mark, ...]:
        """A curve for each of the largest coefficients and a handle at the current λ."""
        table = np.array(self.coefficients)  # (steps, p)
        order = np.argsort(-np.abs(table).max(axis=0, initial=0.0), kind="stable")[:MOST_PATHS]
        at = np.array(self.lambdas)
        named = set(order[:MOST_NAMES].tolist())
        curves = tuple(
            Curve(at, table[:, j].copy(), self.names[j] if j in named else "") for j in sorted(order.tolist())
        )
        return (*curves, ReferenceLine(self.current, f"λ = {self.current:.3g}", handle="lam"))
