"""Captions of robust regression."""

from __future__ import annotations

import numpy as np

from algorithms.maths.linear_model import LinearModel, formula
from algorithms.maths.linear_problem import LinearProblem
from algorithms.maths.losses import Loss
from algorithms.maths.regression_frames import Shown, favoured
from algorithms.maths.regression_marks import ErrorCurve
from algorithms.maths.words import are, counted
from algorithms.regression.robust_regression.solver import Step
from algorithms.regression.robust_regression.views import touched


def reweighted(step: Step, loss: Loss) -> str:
    """One weighted fit, and what its residuals say about the weights of the next one."""
    weights = step.weights
    if loss.kind == "huber":
        far = int(np.count_nonzero(weights < 1.0))
        which = f"{counted(far, 'point')} {are(far)}" if far else "no point is"
        words = f"{which} further than δ = {loss.delta:.3g} away"
        words += f" and {are(far, 'counts', 'count')} less, down to the weight {weights.min():.2g}" if far else ""
    elif loss.kind == "expectile":
        heavy = int(np.count_nonzero(weights == weights.max()))
        words = f"{counted(heavy, 'point')} {are(heavy, 'lies', 'lie')} on the side with the larger weight"
    else:
        words = f"the nearest point will count {weights.max() / weights.min():.3g} times as much as the furthest"
    return f"Weighted fit {step.number}: {words}."


def corner(problem: LinearProblem, model: LinearModel) -> str:
    """The end of a descent on a loss with a corner."""
    residuals = problem.y - problem.fitted(model)
    on = touched(residuals, problem.y)
    others = np.delete(residuals, on)
    above, below = int(np.count_nonzero(others > 0.0)), int(np.count_nonzero(others < 0.0))
    words = f"The best curve passes through {counted(len(on), 'point')}"
    return f"{words}; of the others {above:,} {are(above, 'lies', 'lie')} above it and {below:,} below."


def done(shown: Shown, *curves: ErrorCurve | None) -> str:
    """The fit with everything that is known about it."""
    words = f"f = {formula(shown.model)}; the mean squared residual is {shown.metrics['mse']:.4g}"
    if shown.model.spread is not None:
        words += f", σ = {shown.model.spread.sigma:.3g}"
    return words + favoured(*curves) + "."
