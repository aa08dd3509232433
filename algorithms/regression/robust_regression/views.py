"""The pictures of robust regression: the loss with the points on it, the residuals, and who counts less."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from algorithms.data import Array
from algorithms.marks import Curve, Dots, Highlight, Mark, ReferenceLine, Scatter
from algorithms.maths.linear_model import LinearModel
from algorithms.maths.losses import Loss
from algorithms.maths.regression_marks import MOST_RESIDUALS, Picture, Trial, coefficient_bars

TOUCHED = 1e-9
"""A residual below this fraction of the largest target is none."""


def draw(
    picture: Picture,
    loss: Loss,
    by_squares: LinearModel,
    model: LinearModel,
    kept: Mapping[str, tuple[Mark, ...]],
    trial: Trial | None,
    begun: bool,
) -> dict[str, tuple[Mark, ...]]:
    """All views of a frame; before the first fit has ``begun`` no point is told apart."""
    problem = picture.problem
    fitted = problem.fitted(model)
    residuals = problem.y - fitted
    others: list[Mark] = [ringed(loss, residuals, problem.y)] if begun else []
    if problem.data.d == 1:
        others.append(picture.curve(by_squares, "least squares", quiet=True))
    return {
        **kept,
        "plane": picture.plane(model, fitted, *others, trial=trial),
        "losses": loss_marks(loss, residuals),
        "residuals": residual_plot(fitted, residuals),
        "coefficients": coefficient_bars(model),
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
