"""Captions of principal component regression."""

from __future__ import annotations

from algorithms.maths.cross_validation import Errors
from algorithms.maths.linear_model import formula
from algorithms.maths.regression_frames import Shown, favoured
from algorithms.maths.regression_marks import ErrorCurve
from algorithms.maths.words import change, counted, percent
from algorithms.regression.component_regression.solver import Directions


def mean(before: float, now: float) -> str:
    """The intercept alone."""
    return f"The intercept alone is the mean; {change('the sum of squares', before, now)}."


def direction(directions: Directions, k: int, errors: Errors | None, before: float, now: float) -> str:
    """One more direction."""
    words = (
        f"Direction {k} of Φ, with the eigenvalue {directions.eigenvalues[k - 1]:.3g} of Φ'Φ: {_held(directions, k)}"
    )
    return f"{words}{_error(errors)}; {change('the sum of squares', before, now)}."


def beyond(directions: Directions, k: int, errors: Errors) -> str:
    """Directions that are left out."""
    return f"With {counted(k, 'direction')}: {_held(directions, k)}{_error(errors)}."


def least(directions: Directions, best: int) -> str:
    """How many directions held-out points favour."""
    total = counted(directions.sizes[-1], "direction")
    which = "direction 1 alone" if best == 1 else f"the first {best}"
    return f"The error on held-out points is least with {which} of {total}."


def done(shown: Shown, curve: ErrorCurve | None, condition: float) -> str:
    """The fit with everything that is known about it."""
    words = f"f = {formula(shown.model)}; the mean squared residual is {shown.metrics['mse']:.4g}"
    if shown.model.spread is not None:
        words += f", σ = {shown.model.spread.sigma:.3g}"
    if condition > 1.0:
        words += f", the condition number of Φ'Φ along the directions in use is {condition:.2g}"
    return words + favoured(curve) + "."


def _held(directions: Directions, k: int) -> str:
    held = directions.held(k)
    text = percent(held, ".4g") if held < 0.9999 or k == directions.sizes[-1] else "over 99.99 %"
    return f"{f'the first {k} hold' if k > 1 else 'it holds'} {text} of the variance"


def _error(errors: Errors | None) -> str:
    return "" if errors is None else f", {errors.words}"
