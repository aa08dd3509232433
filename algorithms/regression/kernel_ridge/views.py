"""The pictures of kernel ridge regression: the sum of bumps, the α of every point, and leave-one-out errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Views
from algorithms.marks import Bars, Bundle, Curve, Mark, ReferenceLine, Table
from algorithms.maths.regression_marks import error_floor, residual_marks, surface_shading, weight_bars
from algorithms.regression.kernel_ridge.solver import LeftOut

if TYPE_CHECKING:
    from algorithms.regression.kernel_ridge import Given, Model, Shot

MOST_BARS = 60
"""Directions whose bars are drawn."""
MOST_BUMPS = 30
COLUMNS = 9
"""Values of λ in the table of errors."""


def views(shot: Shot) -> Views:
    """All views of a frame."""
    given, model, shown = shot.given, shot.model, shot.shown
    views: dict[str, tuple[Mark, ...]] = {
        "plane": plane_marks(given, model),
        "alpha": (weight_bars(model.alpha, model.members),),
    }
    if shown.directions:
        so_far = np.where(np.arange(len(given.kept)) < shown.directions, given.kept, 0.0)[:MOST_BARS]
        views["directions"] = (Bars(so_far, tuple(str(k + 1) for k in range(len(so_far)))),)
    if shown.left_out is not None:
        views["loo"] = lambda_marks(given, shown.left_out)
        if given.sigma is not None:
            views["widths"] = width_marks(given, shown.left_out, given.sigma)
            views["map"] = (error_table(shown.left_out),)
    return views


def plane_marks(given: Given, model: Model) -> tuple[Mark, ...]:
    """The fit in the data plane; over one feature with the bumps that add up to it."""
    data = given.data
    if data.d != 1:
        return surface_shading(data, given.y)
    rows = model.rows(given.grid)  # (m, c) the kernel at the places of the curve
    values = model.intercept + rows @ model.alpha
    x = given.grid[:, 0]
    curve = Curve(x, values, "fit")
    if model.spread is not None:
        half = model.spread.half_width(rows)
        curve = Curve(x, values, "fit, 95 % band", values - half, values + half)
    largest = np.sort(np.argsort(-np.abs(model.alpha), kind="stable")[:MOST_BUMPS])
    bumps = Bundle(x[::2], (rows[::2, largest] * model.alpha[largest]).T, "α_i k(x_i, x)")
    return (bumps, curve, *residual_marks(data, given.y, model.values(data.X)))


def lambda_marks(given: Given, left_out: LeftOut) -> tuple[Mark, ...]:
    """The error over λ: of the σ in use strong, of others thin, and a dot where it is least of all."""
    floor = error_floor(given.y)
    others = [row for row in left_out.known.tolist() if row != left_out.current]
    sigma, lam, error = left_out.best
    marks: list[Mark] = []
    if others:
        marks.append(Bundle(left_out.lambdas, np.maximum(left_out.errors[others], floor), "other σ"))
    name = left_out.name if given.sigma is None else f"{left_out.name}, σ in use"
    marks.append(Curve(left_out.lambdas, np.maximum(left_out.errors[left_out.current], floor), name))
    least = f"least: λ = {lam:.2g}" + ("" if given.sigma is None else f", σ = {sigma:.2g}")
    marks.append(Curve(np.array([lam]), np.array([max(error, floor)]), least, dots=True))
    return (*marks, ReferenceLine(given.lam, f"λ = {given.lam:.3g}", handle="lam"))


def width_marks(given: Given, left_out: LeftOut, sigma: float) -> tuple[Mark, ...]:
    """The error over σ, for the best λ of each and for the λ in use."""
    rows, floor = left_out.known, error_floor(given.y)
    nearest = int(np.abs(np.log(left_out.lambdas / given.lam)).argmin())
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
