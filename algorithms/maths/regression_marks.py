"""Pictures that regression methods share: the curve with its band and residuals, bars of coefficients, error curves."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from algorithms.data import Array, Points
from algorithms.marks import Bars, Curve, Isolines, Mark, ReferenceLine, Regions, Segments, Squares
from algorithms.maths.cross_validation import Errors
from algorithms.maths.linear_model import CONFIDENCE, LinearModel
from algorithms.maths.linear_problem import LinearProblem
from algorithms.maths.penalties import Penalty

GRID = 301
"""Places along a curve."""
REACH = 0.6
"""How far a curve goes beyond the points, as a fraction of their range: one can pan a little and still see it."""
MOST_RESIDUALS = 400
MOST_BARS, MOST_WEIGHTS = 40, 60
MOST_PATHS = 8
"""Coefficients that are told apart by colours."""
_LEVELS = 7

Residuals = Literal["bars", "squares", "none"]


def grid_of(data: Points) -> Array:
    """Places along the curve over one feature, (m, 1); none over more features, where there is a surface."""
    if data.d != 1:
        return np.empty((0, 1))
    low, high = float(data.X.min()), float(data.X.max())
    margin = REACH * (high - low) if high > low else 1.0
    return np.linspace(low - margin, high + margin, GRID)[:, None]


def surface_shading(data: Points, y: Array) -> tuple[Mark, ...]:
    """A model over two features: shaded, with lines of equal prediction or, for two classes, the border."""
    if data.is_labelled and len(data.classes) == 2:  # least squares as a classifier
        return (Regions("value"), Isolines(strong=(0.5,)))
    levels = np.linspace(float(y.min()), float(y.max()), _LEVELS + 2)[1:-1]
    return (Regions("value"), Isolines(strong=(), fine=tuple(levels.tolist()), fine_name="equal prediction"))


def residual_marks(data: Points, y: Array, fitted: Array, style: Residuals = "bars") -> tuple[Mark, ...]:
    """The residuals over one feature, the largest ones when there are very many."""
    if style == "none" or data.d != 1:
        return ()
    points = np.arange(data.n)
    if data.n > MOST_RESIDUALS:
        points = np.sort(np.argpartition(-np.abs(y - fitted), MOST_RESIDUALS)[:MOST_RESIDUALS])
    x, targets, f = data.X[points, 0], y[points], fitted[points]
    if style == "squares":
        return (Squares(x, targets, f, points),)
    return (Segments(np.column_stack([x, targets]), np.column_stack([x, f]), "residual", points),)


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """A model that is being tried beside the fit; its name has no number, or the legend would flicker."""

    model: LinearModel
    name: str
    penalty: Penalty | None = None  # where it is another one than that of the run


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """What the pictures of all frames of a run have in common."""

    problem: LinearProblem
    grid: Array  # (m, 1), empty for more than one feature
    style: Residuals = "bars"

    @classmethod
    def of(cls, problem: LinearProblem, style: Residuals = "bars") -> Picture:
        """The picture of a problem."""
        return cls(problem, grid_of(problem.data), style)

    def curve(self, model: LinearModel, name: str, quiet: bool = False) -> Curve:
        """A model over one feature, with its band where there is one."""
        columns = model.dictionary.columns(self.grid)
        values = model.intercept + columns @ model.coefficients
        if model.spread is None:
            return Curve(self.grid[:, 0], values, name, quiet=quiet)
        half = model.spread.half_width(columns)
        return Curve(self.grid[:, 0], values, name, values - half, values + half)

    def plane(self, model: LinearModel, fitted: Array, *others: Mark, trial: Trial | None = None) -> tuple[Mark, ...]:
        """The fit in the data plane, with other marks and a model on trial above it."""
        problem = self.problem
        if problem.data.d != 1:
            return (*surface_shading(problem.data, problem.y), *others)
        name = "fit" if model.spread is None else f"fit, {100 * CONFIDENCE:.3g} % band"
        marks = (self.curve(model, name), *residual_marks(problem.data, problem.y, fitted, self.style), *others)
        return marks if trial is None else (*marks, self.curve(trial.model, trial.name))


def coefficient_bars(model: LinearModel, coloured: bool = False) -> tuple[Mark, ...]:
    """The coefficients, at most the largest; the intercept is not among them: it only lifts the curve.

    ``coloured`` gives each bar the colour of its path against λ, as long as there are colours enough.
    """
    if not len(model.coefficients):
        return ()
    chosen = _largest(model.coefficients, MOST_BARS)
    groups = chosen if coloured and len(chosen) <= MOST_PATHS else None
    return (Bars(model.coefficients[chosen], tuple(model.names[j] for j in chosen.tolist()), groups=groups),)


def eigenvalue_marks(eigenvalues: Array, lam: float, used: int | None = None) -> tuple[Mark, ...]:
    """Eigenvalues from the largest on, and how ridge lifts them: the small ones most, for their size.

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


def error_floor(y: Array) -> float:
    """The least error that is drawn: on a logarithmic axis there is no zero."""
    return max(1e-12 * float(np.var(y)), 1e-300)


@dataclass(frozen=True, slots=True, eq=False)
class ErrorCurve:
    """Training and validation error; a new curve for every place that is added."""

    handle: str
    current: float
    floor: float
    at: tuple[float, ...] = ()
    errors: tuple[Errors, ...] = ()

    def joined(self, at: float, errors: Errors) -> ErrorCurve:
        """With one more place."""
        return replace(self, at=(*self.at, at), errors=(*self.errors, errors))

    @property
    def best(self) -> float:
        """Where the validation error is least."""
        return self.at[int(np.argmin([error.validation for error in self.errors]))]

    def marks(self) -> tuple[Mark, ...]:
        """Both curves, a dot at the least validation error, and a handle at the current value."""
        at = np.array(self.at)
        table = np.array([(error.training, error.validation, error.standard_error) for error in self.errors])
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


def weight_bars(alpha: Array, members: Array) -> Bars:
    """The weights α of points with these numbers, at most the largest."""
    chosen = _largest(alpha, MOST_WEIGHTS)
    return Bars(alpha[chosen], points=members[chosen])


def _largest(values: Array, most: int) -> Array:
    """Which are the largest in size, in their order."""
    return np.sort(np.argsort(-np.abs(values), kind="stable")[:most])
