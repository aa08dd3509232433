"""The pictures of kernel ridge regression: the sum of bumps, the α of every point, and leave-one-out errors."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from algorithms.data import Array, Points
from algorithms.marks import Bars, Bundle, Curve, Mark, ReferenceLine, Table
from algorithms.maths.regression_marks import error_floor, grid_of, residual_marks, surface_shading, weight_bars

if TYPE_CHECKING:
    from algorithms.regression.kernel_ridge import Model

MOST_BARS = 60
"""Directions whose bars are drawn."""
MOST_BUMPS = 30
COLUMNS = 9
"""Values of λ in the table of errors."""


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """What the pictures of all frames of a run have in common."""

    data: Points
    y: Array  # (n,)
    grid: Array  # (m, 1), empty for more than one feature
    lam: float
    sigma: float | None  # None: the kernel has no width

    @classmethod
    def of(cls, data: Points, y: Array, lam: float, sigma: float | None) -> Picture:
        """The picture of a data set."""
        return cls(data, y, grid_of(data), lam, sigma)


@dataclass(frozen=True, slots=True, eq=False)
class LeftOut:
    """Leave-one-out errors that are known so far: a row of λ for each σ."""

    lambdas: Array  # (k,) largest first
    sigmas: Array  # (w,) all that will be tried; one where the kernel has no width
    errors: Array  # (w, k), not a number where it is not known yet
    current: int  # the row of the σ in use
    name: str  # of the errors

    def filled(self, row: int, errors: Array) -> LeftOut:
        """With one more row."""
        table = self.errors.copy()
        table[row] = errors
        return replace(self, errors=table)

    @property
    def known(self) -> Array:
        """The rows that are known."""
        return np.flatnonzero(np.isfinite(self.errors[:, 0]))

    @property
    def best(self) -> tuple[float, float, float]:
        """(σ, λ, error) where the error is least so far."""
        row, column = np.unravel_index(int(np.nanargmin(self.errors)), self.errors.shape)
        return float(self.sigmas[row]), float(self.lambdas[column]), float(self.errors[row, column])


def draw(picture: Picture, model: Model, kept: Array | None, left_out: LeftOut | None) -> dict[str, tuple[Mark, ...]]:
    """All views of a frame; ``kept`` is the fraction of each direction that is in the model so far."""
    views = {"plane": plane_marks(picture, model), "alpha": (weight_bars(model.alpha, model.members),)}
    if kept is not None:
        views["directions"] = (Bars(kept[:MOST_BARS], tuple(str(k + 1) for k in range(len(kept[:MOST_BARS])))),)
    if left_out is not None:
        views["loo"] = lambda_marks(picture, left_out)
        if picture.sigma is not None:
            views["widths"] = width_marks(picture, left_out, picture.sigma)
            views["map"] = (error_table(left_out),)
    return views


def plane_marks(picture: Picture, model: Model) -> tuple[Mark, ...]:
    """The fit in the data plane; over one feature with the bumps that add up to it."""
    data = picture.data
    if data.d != 1:
        return surface_shading(data, picture.y)
    rows = model.rows(picture.grid)  # (m, c) the kernel at the places of the curve
    values = model.intercept + rows @ model.alpha
    x = picture.grid[:, 0]
    curve = Curve(x, values, "fit")
    if model.spread is not None:
        half = model.spread.half_width(rows)
        curve = Curve(x, values, "fit, 95 % band", values - half, values + half)
    largest = np.sort(np.argsort(-np.abs(model.alpha), kind="stable")[:MOST_BUMPS])
    bumps = Bundle(x[::2], (rows[::2, largest] * model.alpha[largest]).T, "α_i k(x_i, x)")
    return (bumps, curve, *residual_marks(data, picture.y, model.values(data.X)))


def lambda_marks(picture: Picture, left_out: LeftOut) -> tuple[Mark, ...]:
    """The error over λ: of the σ in use strong, of others thin, and a dot where it is least of all."""
    floor = error_floor(picture.y)
    others = [row for row in left_out.known.tolist() if row != left_out.current]
    sigma, lam, error = left_out.best
    marks: list[Mark] = []
    if others:
        marks.append(Bundle(left_out.lambdas, np.maximum(left_out.errors[others], floor), "other σ"))
    name = left_out.name if picture.sigma is None else f"{left_out.name}, σ in use"
    marks.append(Curve(left_out.lambdas, np.maximum(left_out.errors[left_out.current], floor), name))
    least = f"least: λ = {lam:.2g}" + ("" if picture.sigma is None else f", σ = {sigma:.2g}")
    marks.append(Curve(np.array([lam]), np.array([max(error, floor)]), least, dots=True))
    return (*marks, ReferenceLine(picture.lam, f"λ = {picture.lam:.3g}", handle="lam"))


def width_marks(picture: Picture, left_out: LeftOut, sigma: float) -> tuple[Mark, ...]:
    """The error over σ, for the best λ of each and for the λ in use."""
    rows, floor = left_out.known, error_floor(picture.y)
    nearest = int(np.abs(np.log(left_out.lambdas / picture.lam)).argmin())
    at = left_out.sigmas[rows]
    best = np.maximum(left_out.errors[rows].min(axis=1), floor)
    now = np.maximum(left_out.errors[rows, nearest], floor)
    return (
        Curve(at, now, "λ in use", dots=True),
        Curve(at, best, "best λ of each", dots=True),
        ReferenceLine(sigma, f"σ = {sigma:.3g}", handle="sigma"),
    )


def error_table(left_out: LeftOut) -> Table:
    """The errors as a table, filled row by row; the least of all is lit, and small ones are strong."""
    columns = np.unique(np.linspace(0, len(left_out.lambdas) - 1, COLUMNS).astype(np.intp))[::-1]
    shown = left_out.errors[:, columns]
    unknown = ~np.isfinite(shown)
    known = np.maximum(np.where(unknown, np.nanmax(shown), shown), 1e-300)
    place = np.unravel_index(int(known.argmin()), known.shape)
    return Table(
        np.log(known.max() / known),
        tuple(f"{sigma:.2g}" for sigma in left_out.sigmas.tolist()),
        tuple(f"{value:.1f}" for value in np.log10(left_out.lambdas[columns]).tolist()),
        lit=np.array([place]),
        unknown=unknown,
        texts=tuple(tuple(f"{value:.2g}" for value in row) for row in known.tolist()),
        rows_name="σ",
        columns_name="log₁₀ λ",
    )
