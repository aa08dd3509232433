"""Captions of the lasso."""

from __future__ import annotations

import numpy as np

from algorithms.maths.linear_model import LinearModel, formula
from algorithms.maths.linear_problem import LinearProblem
from algorithms.maths.penalties import Penalty
from algorithms.maths.regression_frames import Shown, column_name, favoured
from algorithms.maths.regression_marks import ErrorCurve
from algorithms.maths.words import are, change, counted
from algorithms.regression.lasso.solver import Step, Valley

SEVERAL_VALLEYS = "A penalty with q < 1 has several valleys; there may be a lower one than was found."


def coordinate(problem: LinearProblem, step: Step, before: LinearModel, after: LinearModel) -> str:
    """One coefficient of the first sweep."""
    length = float(problem.design.lengths[step.j])
    shift = 1 if problem.intercept == "penalised" else 0
    old, new = (model.coefficients[step.j - shift] if step.j >= shift else model.intercept for model in (before, after))
    words = f"{column_name(problem, step.j)}: h'r = {step.correlation * length:.3g}"
    return f"{words}, threshold {step.threshold * length:.3g}; {change('β', old, new)}."


def sweep(step: Step, model: LinearModel, penalty: Penalty) -> str:
    """Whole sweeps, or the exact step that finishes a slow descent."""
    zeros = int(np.count_nonzero(model.coefficients == 0.0))
    words = f"Sweep {step.sweeps}: {zeros} of {counted(len(model.coefficients), 'coefficient')} {are(zeros)} 0"
    if step.kind == "finish" and penalty.closed:
        words = "Without corners the conditions are linear equations: solved exactly"
    elif step.kind == "finish":
        exact = "the signs are taken as known, which leaves linear equations: solved exactly"
        newton = "Newton's method takes over among the coefficients in use"
        words = f"After {step.sweeps} sweeps {newton if penalty.lq else exact}"
    return f"{words}; the optimality conditions are violated by {step.violation:.2g}."


def not_enough(step: Step) -> str:
    """The warning of a descent that was cut off."""
    sweeps = f"{counted(step.sweeps, 'sweep')} {are(step.sweeps, 'was', 'were')}"
    return f"{sweeps} not enough: the optimality conditions are violated by {step.violation:.2g}."


def valley(found: Valley) -> str:
    """Where descents from other starts end."""
    words = "Descents from zero, from least squares and down from the lasso end in the same valley"
    if found.count > 1:
        words = f"Descents from other starts end in {found.count} different valleys, because q < 1 is not convex"
    return words + ("; the lowest of them is kept." if found.moved else ".")


def done(shown: Shown, curve: ErrorCurve | None) -> str:
    """The fit with everything that is known about it."""
    words = f"f = {formula(shown.model)}; the mean squared residual is {shown.metrics['mse']:.4g}"
    return words + favoured(curve) + "."
