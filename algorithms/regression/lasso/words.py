"""Captions of the lasso."""

from __future__ import annotations

import numpy as np

from algorithms.maths.regression_frames import Shot, column_name, fit_words, lambda_words, opening
from algorithms.maths.words import are, change, counted
from algorithms.regression.lasso.solver import Step, Valley

SEVERAL_VALLEYS = "A penalty with q < 1 has several valleys; there may be a lower one than was found."


def coordinate(shot: Shot) -> str:
    """One coefficient of the first sweep."""
    problem, step = shot.given.problem, shot.shown.fact
    length = float(problem.design.lengths[step.j])
    words = f"{column_name(problem, step.j)}: h'r = {step.correlation * length:.3g}"
    return f"{words}, threshold {step.threshold * length:.3g}; {change('β', step.old, step.new)}."


def sweep(shot: Shot) -> str:
    """Whole sweeps, or the exact step that finishes a slow descent."""
    step, model, penalty = shot.shown.fact, shot.model, shot.given.penalty
    zeros = int(np.count_nonzero(model.coefficients == 0.0))
    words = f"Sweep {step.sweeps}: {zeros} of {counted(len(model.coefficients), 'coefficient')} {are(zeros)} 0"
    if step.kind == "finish" and penalty.closed:
        words = "Without corners the conditions are linear equations: solved exactly"
    elif step.kind == "finish":
        exact = "the signs are taken as known, which leaves linear equations: solved exactly"
        newton = "Newton's method takes over among the coefficients in use"
        words = f"After {step.sweeps} sweeps {newton if penalty.lq else exact}"
    return f"{words}; the optimality conditions are violated by {step.violation:.2g}."


def warning(shot: Shot) -> str:
    """A descent that was cut off, or whose end depends on where it began."""
    doubt = shot.shown.doubt
    if isinstance(doubt, Step):
        sweeps = f"{counted(doubt.sweeps, 'sweep')} {are(doubt.sweeps, 'was', 'were')}"
        return f"{sweeps} not enough: the optimality conditions are violated by {doubt.violation:.2g}."
    return SEVERAL_VALLEYS if isinstance(doubt, Valley) else ""


def valley(shot: Shot) -> str:
    """Where descents from other starts end."""
    found = shot.shown.fact
    words = "Descents from zero, from least squares and down from the lasso end in the same valley"
    if found.count > 1:
        words = f"Descents from other starts end in {found.count} different valleys, because q < 1 is not convex"
    return words + ("; the lowest of them is kept." if found.moved else ".")


CAPTIONS = {
    "design": opening,
    "coordinate": coordinate,
    "sweep": sweep,
    "valley": valley,
    "lambda": lambda_words,
    "done": fit_words,
}
