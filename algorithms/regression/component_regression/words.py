"""Captions of principal component regression."""

from __future__ import annotations

from algorithms.maths.cross_validation import Errors
from algorithms.maths.linear_model import formula
from algorithms.maths.regression_frames import Shown
from algorithms.maths.regression_marks import ErrorCurve
from algorithms.maths.words import counted
from algorithms.regression.component_regression.solver import Directions


def mean(before: float, now: float) -> str:
    """The intercept alone."""
    return f"The intercept alone is the mean; the objective goes from {before:.4g} to {now:.4g}."


def direction(directions: Directions, k: int, errors: Errors | None, before: float, now: float) -> str:
    """One more direction."""
    words = f"Direction {k} of Φ has d = {directions.eigenvalues[k - 1]:.3g}: {_held(directions, k)}{_error(errors)}"
    return f"{words}; the objective goes from {before:.4g} to {now:.4g}."


def beyond(directions: Directions, k: int, errors: Errors) -> str:
    """Directions that are left out."""
    words = f"Were {k} directions used" if k > 1 else "Were only direction 1 used"
    return f"{words}: {_held(directions, k)}{_error(errors)}."


def least(directions: Directions, best: int) -> str:
    """How many directions held-out points favour."""
    words = f"Of {counted(directions.sizes[-1], 'direction')} the first "
    words += f"{best} together leave" if best > 1 else "alone leaves"
    return f"{words} the least error on points held out."


def done(shown: Shown, curve: ErrorCurve | None, condition: float) -> str:
    """The fit with everything that is known about it."""
    words = f"f = {formula(shown.model)}; the mean squared residual is {shown.metrics['mse']:.4g}"
    if shown.model.spread is not None:
        words += f", σ = {shown.model.spread.sigma:.3g}"
    if condition > 1.0:
        words += f", the condition number of Φ'Φ along the directions in use is {condition:.2g}"
    if curve is not None and curve.at:
        words += f". Held-out points favour components = {curve.best:.3g}"
    return words + "."


def _held(directions: Directions, k: int) -> str:
    percent = 100.0 * directions.held(k)
    text = f"{percent:.4g}" if percent < 99.99 or k == directions.sizes[-1] else "over 99.99"
    return f"{f'the first {k} hold' if k > 1 else 'it holds'} {text} % of the variance"


def _error(errors: Errors | None) -> str:
    return "" if errors is None else f", {errors.words}"
