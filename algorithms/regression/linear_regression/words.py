"""Captions of linear regression."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.maths.regression_frames import (
    column_name,
    degree_words,
    fit_words,
    lambda_words,
    opening,
)
from algorithms.maths.words import change, counted

if TYPE_CHECKING:
    from algorithms.regression.linear_regression import Shot

_SINGULAR, _DOUBTFUL = 1e30, 1e12
"""Condition numbers beyond which columns depend on each other, and the normal equation has lost most digits."""


def column(shot: Shot) -> str:
    """The fit with the first columns."""
    fact, what = shot.shown.fact, "The intercept alone is the mean"
    if fact.count > 0:
        name = column_name(shot.given.problem, fact.count - 1)
        what = f"{name} joins: the best fit with {counted(fact.count, 'column')}"
        if fact.dependent:
            what = f"{name} is a combination of the columns before it and gets the coefficient 0"
    return f"{what}; {change('the objective', shot.shown.before, shot.metrics['objective'])}."


def direction(shot: Shot) -> str:
    """The fit with the longest singular directions."""
    fact = shot.shown.fact
    if fact.count == 0:
        return column(shot)
    what = f"Direction {fact.count} of Φ has the eigenvalue d = {fact.eigenvalue:.3g}"
    if fact.fraction == 0.0:
        what += ", which is rounding: it is left out"
    elif shot.given.penalty.l2:
        what += f" and keeps the fraction d / (d + λ) = {fact.fraction:.3g}"
    return f"{what}; {change('the objective', shot.shown.before, shot.metrics['objective'])}."


def done(shot: Shot) -> str:
    """The fit with everything that is known about it."""
    doubt, lifted = shot.shown.doubt, " + λI" if shot.given.penalty.l2 else ""
    known = doubt is not None and 1.0 < doubt.number < _SINGULAR
    return fit_words(shot, f", the condition number of Φ'Φ{lifted} is {doubt.number:.2g}" if known else "")


def warning(shot: Shot) -> str:
    """Columns that depend on each other, or a formula that loses digits."""
    condition = shot.shown.doubt
    if condition is None or condition.number <= _DOUBTFUL:
        return ""
    if condition.number > _SINGULAR:
        return "The columns depend on each other, so that many coefficients fit equally well; this is one of them."
    if not shot.given.by_formula:
        return ""
    digits = min(round(np.log10(condition.number)), 16)
    words = f"The condition number of Φ'Φ is {condition.number:.1g}"
    return f"{words}, so the normal equation loses about {digits} of 16 digits; QR loses half of that."


CAPTIONS = {
    "design": opening,
    "column": column,
    "direction": direction,
    "degree": degree_words,
    "lambda": lambda_words,
    "done": done,
}
