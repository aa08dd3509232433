"""Captions of linear regression."""

from __future__ import annotations

import numpy as np

from algorithms.data import Array
from algorithms.maths.linear_model import formula
from algorithms.maths.linear_problem import LinearProblem
from algorithms.maths.regression_frames import Shown, column_name, favoured
from algorithms.maths.regression_marks import ErrorCurve
from algorithms.maths.words import change, counted

DEPENDENT = "The columns depend on each other, so that many coefficients fit equally well; this is one of them."


def column(problem: LinearProblem, k: int, nothing_new: bool, before: float, now: float) -> str:
    """The fit with the first k columns."""
    what = "The intercept alone is the mean"
    if k > 0:
        name = column_name(problem, k - 1)
        what = f"{name} joins: the best fit with {counted(k, 'column')}"
        if nothing_new:
            what = f"{name} is a combination of the columns before it and gets the coefficient 0"
    return f"{what}; {change('the objective', before, now)}."


def direction(k: int, eigenvalues: Array, kept: Array, lam: float, before: float, now: float) -> str:
    """The fit with the k longest singular directions."""
    what = f"Direction {k} of Φ has the eigenvalue d = {eigenvalues[k - 1]:.3g}"
    if kept[k - 1] == 0.0:
        what += ", which is rounding: it is left out"
    elif lam:
        what += f" and keeps the fraction d / (d + λ) = {kept[k - 1]:.3g}"
    return f"{what}; {change('the objective', before, now)}."


def lost_digits(condition: float) -> str:
    """The warning of the normal equation."""
    digits = min(round(np.log10(condition)), 16)
    words = f"The condition number of Φ'Φ is {condition:.1g}"
    return f"{words}, so the normal equation loses about {digits} of 16 digits; QR loses half of that."


def done(shown: Shown, condition: float, penalised: bool, *curves: ErrorCurve | None) -> str:
    """The fit with everything that is known about it."""
    words = f"f = {formula(shown.model)}; the mean squared residual is {shown.metrics['mse']:.4g}"
    if shown.model.spread is not None:
        words += f", σ = {shown.model.spread.sigma:.3g}"
    if 1.0 < condition < 1e30:
        words += f", the condition number of Φ'Φ{' + λI' if penalised else ''} is {condition:.2g}"
    return words + favoured(*curves) + "."
