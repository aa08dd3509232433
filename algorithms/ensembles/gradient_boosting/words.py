"""The captions of gradient boosting."""

from __future__ import annotations

import numpy as np

from algorithms.ensembles.gradient_boosting.solver import Round, State
from algorithms.ensembles.gradient_boosting.views import Scene
from algorithms.maths.words import counted, number


def opening(scene: Scene, state: State) -> str:
    """The constant."""
    task = scene.task
    loss = number(state.track[0, 0])
    if task.classes > 2:
        return f"Each of {task.classes} sums begins with the logarithm of how frequent its class is; mean loss {loss}."
    what = "log-odds of the second class" if task.classes else "mean" if task.kind == "squared" else "median"
    return f"The sum begins with the {what}, {number(state.start[0])}; mean loss {loss}."


def residuals(scene: Scene, found: Round, round_number: int) -> str:
    """How large they are."""
    inside = found.residuals[scene.task.training]
    largest = number(float(np.abs(inside).max()))
    size = number(float(np.sqrt(np.square(inside).mean())))
    what = {"absolute": "signs of y - F", "huber": "y - F, cut off at a quantile", "logistic": "y - p"}
    words = what.get(scene.task.kind, "y - F")
    return f"Round {round_number}: the residuals are {words}, {size} on average (root mean square), at most {largest}."


def grown(scene: Scene, found: Round, round_number: int) -> str:
    """The new tree."""
    leaves = (len(found.tree.child) + 1) // 2
    steps = found.steps[scene.task.training]
    words = f"Round {round_number}: a tree of {counted(leaves, 'leaf', 'leaves')} is grown on the residuals"
    if scene.task.outputs > 1:
        words = f"Round {round_number}: {scene.task.outputs} trees, one for each class, are grown on the residuals"
    if not found.drawn[scene.task.training].all():
        words += f" of {counted(int(np.count_nonzero(found.drawn)), 'point')}"
    return f"{words}; the best steps of the leaves go from {number(steps.min())} to {number(steps.max())}."


def summed(scene: Scene, state: State) -> str:
    """What the sum has become."""
    before, after = state.track[-2:, 0]
    words = f"{counted(len(state.trees), 'tree')}: {number(scene.task.rate)} times the step is added, "
    words += f"and the loss goes from {number(before)} to {number(after)}"
    return words + _outside(scene, state) + "."


def done(scene: Scene, state: State) -> str:
    """The end, and after how many rounds it would have been best to stop."""
    words = f"{counted(len(state.trees), 'tree')}: training loss {number(state.track[-1, 0])}"
    words += _outside(scene, state)
    if not scene.task.training.all():
        best = state.best
        words += f", least after {counted(best, 'round')} ({number(state.track[best, 2])})"
    if scene.task.classes:
        return f"{words}; {state.track[-1, 1]:.1%} of the training points are wrong."
    return words + "."


def _outside(scene: Scene, state: State) -> str:
    return "" if scene.task.training.all() else f", held out {number(state.track[-1, 2])}"
