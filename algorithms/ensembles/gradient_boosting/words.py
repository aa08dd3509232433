"""The captions and the warning of gradient boosting."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.maths.words import between, counted, number, percent

if TYPE_CHECKING:
    from algorithms.ensembles.gradient_boosting import Shot


def warning(shot: Shot) -> str | None:
    """Where there is nothing to learn."""
    return "All points to learn from have the same target." if shot.given.one_target else None


def _opening(shot: Shot) -> str:
    """The constant."""
    task, loss = shot.given.task, number(shot.metrics["loss"])
    if task.classes > 2:
        return f"Each of {task.classes} sums begins with the logarithm of the fraction of its class; mean loss {loss}."
    what = "log-odds of the second class" if task.classes else "mean" if task.kind == "squared" else "median"
    return f"The sum begins with the {what}, {number(shot.model.start[0])}; mean loss {loss}."


def _residuals(shot: Shot) -> str:
    """How large they are."""
    task, state = shot.given.task, shot.shown.state
    inside = task.residuals(state.F)[task.training]
    largest, size = number(float(np.abs(inside).max())), number(float(np.sqrt(np.square(inside).mean())))
    what = {"absolute": "the signs of y - F", "huber": "y - F, bounded by a quantile", "logistic": "y - p"}
    words = what.get(task.kind, "y - F")
    return f"Round {state.rounds + 1}: the residuals are {words}; root mean square {size}, largest {largest}."


def _grown(shot: Shot) -> str:
    """The new tree."""
    task, found = shot.given.task, shot.shown.found
    assert found is not None
    leaves = (len(found.tree.child) + 1) // 2
    steps = found.steps[task.training]
    words = f"Round {shot.shown.state.rounds + 1}: "
    what = f"a tree of {counted(leaves, 'leaf', 'leaves')} is"
    words += f"{task.outputs} trees, one for each class, are" if task.outputs > 1 else what
    words += " grown on the residuals"
    if not found.drawn[task.training].all():
        words += f" of {counted(int(np.count_nonzero(found.drawn)), 'point')}"
    return f"{words}; the best steps in the leaves are {between(steps.min(), steps.max())}."


def _summed(shot: Shot) -> str:
    """What the sum has become."""
    task, (before, after) = shot.given.task, shot.shown.state.track[-2:, 0].tolist()
    part = "the whole step" if task.rate == 1.0 else f"{number(task.rate)} of the step"
    if number(before) == number(after):
        change = f"stays at {number(after)}"
    else:
        change = f"{'falls' if after < before else 'rises'} from {number(before)} to {number(after)}"
    return f"{counted(len(shot.model.trees), 'tree')}: {part} is added; the training loss {change}{_outside(shot)}."


def _done(shot: Shot) -> str:
    """The end, and after how many rounds it would have been best to stop."""
    state = shot.shown.state
    words = f"{counted(len(shot.model.trees), 'tree')}: the training loss is {number(shot.metrics['loss'])}"
    words += _outside(shot)
    if not shot.given.task.training.all():
        best = state.best
        words += f"; it was least after {counted(best, 'round')} ({number(state.track[best, 2])})"
    if shot.given.task.classes:
        return f"{words}; {percent(shot.metrics['error'])} of the training points are wrong."
    return words + "."


def _outside(shot: Shot) -> str:
    if shot.given.task.training.all():
        return ""
    return f", the loss of the points held out is {number(shot.metrics['validation_loss'])}"


CAPTIONS = {"start": _opening, "residuals": _residuals, "tree": _grown, "add": _summed, "done": _done}
