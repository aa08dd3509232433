"""Captions of principal component regression."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.maths.design import condition_number
from algorithms.maths.regression_frames import fit_words, opening
from algorithms.maths.words import change, counted, percent

if TYPE_CHECKING:
    from algorithms.regression.component_regression import Given, Shot


def direction(shot: Shot) -> str:
    """The intercept alone, or one more direction."""
    k, what = shot.shown.fact, change("the sum of squares", shot.shown.before, shot.metrics["objective"])
    if k == 0:
        return f"The intercept alone is the mean; {what}."
    d = shot.given.eigenvalues[k - 1]
    return f"Direction {k} of Φ, with the eigenvalue {d:.3g} of Φ'Φ: {_held(shot.given, k)}{_error(shot)}; {what}."


def components(shot: Shot) -> str:
    """Directions that are left out, and with how many the error is least."""
    k, given = int(shot.shown.at), shot.given
    if shot.shown.found is not None:
        return f"With {counted(k, 'direction')}: {_held(given, k)}{_error(shot)}."
    which = "direction 1 alone" if k == 1 else f"the first {k}"
    return f"The error on held-out points is least with {which} of {counted(given.most, 'direction')}."


def done(shot: Shot) -> str:
    """The fit with everything that is known about it."""
    given = shot.given
    condition = condition_number(given.eigenvalues[: given.used]) if given.used else 0.0
    what = f", the condition number of Φ'Φ along the directions in use is {condition:.2g}"
    return fit_words(shot, what if condition > 1.0 else "")


def _held(given: Given, k: int) -> str:
    """The fraction of the variance of the columns that the first directions hold."""
    held = float(given.eigenvalues[:k].sum()) / max(float(given.eigenvalues.sum()), np.finfo(float).tiny)
    text = percent(held, ".4g") if held < 0.9999 or k == given.most else "over 99.99 %"
    return f"{f'the first {k} hold' if k > 1 else 'it holds'} {text} of the variance"


def _error(shot: Shot) -> str:
    return f", {shot.shown.words}" if shot.shown.found is not None else ""


CAPTIONS = {"design": opening, "direction": direction, "components": components, "done": done}
