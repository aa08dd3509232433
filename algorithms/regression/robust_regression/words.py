"""Captions of robust regression."""

from __future__ import annotations

import numpy as np

from algorithms.maths.linear_model import LinearModel, formula
from algorithms.maths.linear_problem import LinearProblem
from algorithms.maths.losses import Loss
from algorithms.maths.regression_frames import Shown
from algorithms.maths.regression_marks import ErrorCurve
from algorithms.maths.words import counted
from algorithms.regression.robust_regression.solver import Step
from algorithms.regression.robust_regression.views import touched


def reweighted(step: Step, loss: Loss) -> str:
    """One weighted fit, and what its residuals say about the weights of the next one."""
    weights = step.weights
    if loss.kind == "huber":
        far = int(np.count_nonzero(weights < 1.0))
        words = f"{far} points are further than δ = {loss.delta:.3g} away"
        words += f" and count less, down to {weights.min():.2g}" if far else ""
    elif loss.kind == "expectile":
        words = f"{np.count_nonzero(weights == weights.max())} points lie on the dearer side"
    else:
        words = f"the nearest point will count {weights.max() / weights.min():.3g} times as much as the furthest"
    return f"Weighted fit {step.number}: {words}."


def corner(problem: LinearProblem, model: LinearModel) -> str:
    """The end of a descent on a loss with a corner."""
    residuals = problem.y - problem.fitted(model)
    on = touched(residuals, problem.y)
    others = np.delete(residuals, on)
    above, below = np.count_nonzero(others > 0.0), np.count_nonzero(others < 0.0)
    words = f"The best curve passes through {counted(len(on), 'point')}"
    return f"{words}; of the others {above} lie above it and {below} below."


def done(shown: Shown, *curves: ErrorCurve | None) -> str:
    """The fit with everything that is known about it."""
    words = f"f = {formula(shown.model)}; the mean squared residual is {shown.metrics['mse']:.4g}"
    if shown.model.spread is not None:
        words += f", σ = {shown.model.spread.sigma:.3g}"
    known = [curve for curve in curves if curve is not None and curve.at]
    if known:
        name = "λ" if known[-1].handle == "lam" else known[-1].handle
        words += f". Held-out points favour {name} = {known[-1].best:.3g}"
    return words + "."
