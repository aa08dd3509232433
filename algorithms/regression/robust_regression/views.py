"""The pictures of robust regression: the loss with the points on it, the residuals, and who counts less."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Views
from algorithms.data import Array
from algorithms.marks import Curve, Dots, Highlight, Mark, ReferenceLine, Scatter
from algorithms.maths.losses import Loss
from algorithms.maths.regression_frames import base_views
from algorithms.maths.regression_marks import MOST_RESIDUALS

if TYPE_CHECKING:
    from algorithms.regression.robust_regression import Shot

TOUCHED = 1e-9
"""A residual below this fraction of the largest target is none."""


def views(shot: Shot) -> Views:
    """All views of a frame; before the first fit no point is told apart."""
    given, problem = shot.given, shot.given.problem
    fitted = problem.fitted(shot.model)
    residuals = problem.y - fitted
    others: list[Mark] = [] if shot.phase == "design" else [ringed(given.loss, residuals, problem.y)]
    if problem.data.d == 1:
        others.append(given.picture.curve(given.least_squares, "least squares", quiet=True))
    return base_views(shot, *others) | {
        "losses": loss_marks(given.loss, residuals),
        "residuals": residual_plot(fitted, residuals),
    }


def touched(residuals: Array, y: Array) -> Array:
    """The points that the curve passes through."""
    return np.flatnonzero(np.abs(residuals) <= TOUCHED * max(float(np.abs(y).max()), np.finfo(float).tiny))


def ringed(loss: Loss, residuals: Array, y: Array) -> Mark:
    """The points beyond δ, which count less; those on the curve for a loss with a corner; or those of larger weight."""
    if loss.kind == "huber":
        return Highlight(np.flatnonzero(np.abs(residuals) > loss.delta), "bound", "counts less")
    if loss.cornered:
        return Highlight(touched(residuals, y), "bound", "on the curve")
    weights = loss.weights(residuals)
    return Highlight(np.flatnonzero(weights == weights.max()), "bound", "larger weight")


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
