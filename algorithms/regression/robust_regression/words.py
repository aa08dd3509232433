"""Captions of robust regression."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.maths.regression_frames import degree_words, fit_words, lambda_words, opening
from algorithms.maths.words import are, counted
from algorithms.regression.robust_regression.views import touched

if TYPE_CHECKING:
    from algorithms.regression.robust_regression import Shot


def reweighted(shot: Shot) -> str:
    """One weighted fit, and what its residuals say about the weights of the next one."""
    fact, loss = shot.shown.fact, shot.given.loss
    if loss.kind == "huber":
        far = fact.lighter
        which = f"{counted(far, 'point')} {are(far)}" if far else "no point is"
        words = f"{which} further than δ = {loss.delta:.3g} away"
        words += f" and {are(far, 'counts', 'count')} less, down to the weight {fact.least:.2g}" if far else ""
    elif loss.kind == "expectile":
        words = (
            f"{counted(fact.heaviest, 'point')} {are(fact.heaviest, 'lies', 'lie')} on the side with the larger weight"
        )
    else:
        words = f"the nearest point will count {fact.most / fact.least:.3g} times as much as the furthest"
    return f"Weighted fit {fact.number}: {words}."


def corner(shot: Shot) -> str:
    """The end of a descent on a loss with a corner."""
    problem = shot.given.problem
    residuals = problem.y - problem.fitted(shot.model)
    on = touched(residuals, problem.y)
    others = np.delete(residuals, on)
    above, below = int(np.count_nonzero(others > 0.0)), int(np.count_nonzero(others < 0.0))
    words = f"The best curve passes through {counted(len(on), 'point')}"
    return f"{words}; of the others {above:,} {are(above, 'lies', 'lie')} above it and {below:,} below."


def warning(shot: Shot) -> str:
    """A descent that was cut off."""
    most = shot.shown.doubt
    return f"{counted(most, 'reweighting')} were not enough; the fit still moves." if most else ""


CAPTIONS = {
    "design": opening,
    "reweight": reweighted,
    "corner": corner,
    "degree": degree_words,
    "lambda": lambda_words,
    "done": fit_words,
}
