"""The captions and warnings of logistic regression."""

from __future__ import annotations

from typing import TYPE_CHECKING

from algorithms.classification.logistic_regression.solver import Problem
from algorithms.classification.logistic_regression.solver.balance import Balance, size_for
from algorithms.contract import Ended, Stop
from algorithms.maths.words import counted, number

if TYPE_CHECKING:
    from algorithms.classification.logistic_regression import Shot

PARTED = Ended(Stop.LIMIT, "parted: |w| grows for ever")
PARTLY_PARTED = Ended(Stop.LIMIT, "partly parted: a part of w grows for ever")


def warning(shot: Shot) -> str | None:
    """What deserves doubt."""
    given, shown = shot.given, shot.shown
    if not shown.doubt:
        return None
    if shown.doubt == "separated":
        return (
            "The classes can be parted without error: every longer w is more likely, so |w| grows for ever; "
            "a ridge penalty gives it an end."
        )
    if shown.doubt == "runaway":
        return (
            "Some points could be parted from the rest without any error, so a part of w grows for ever; "
            "a ridge penalty gives it an end."
        )
    if shown.doubt == "diverged":
        return f"The coefficients have left every bound: η is far above the safe {given.safe_rate:.2g}."
    return (
        f"J rose from {number(shown.before)} to {number(shot.metrics['J'])}: η = {given.params.learning_rate:.3g} goes "
        f"too far; below {given.safe_rate:.3g} J falls at every step."
    )


def _opening(shot: Shot) -> str:
    problem, norm = shot.given.problem, shot.metrics["norm"]
    if norm or shot.model.intercepts.any():
        return f"It goes on from a model with J = {number(shot.metrics['J'])} and |w| = {norm:.3g}."
    equal = 1.0 / max(problem.likelihood.k, 2)
    words = f"All coefficients are 0, so every class has the probability {equal:.3g} everywhere."
    return words + _space(problem) + _balance(problem, shot.given.params.balance)


def _space(problem: Problem) -> str:
    """Which points f is a sum over, with a kernel."""
    space, n = problem.space, len(problem.likelihood.y)
    if space is None:
        return ""
    count, rank = len(space.members), len(space.eigenvalues)
    points = f"all {n:,} points" if count == n else f"{count:,} of the {n:,} points, evenly chosen from the table"
    axes = "the longest axis" if rank == 1 else f"the {rank} longest axes"
    return f" With the kernel f is a sum over {points}, along {axes} of the feature space that they span."


def _balance(problem: Problem, how: Balance) -> str:
    """What is done about classes of different sizes."""
    weights = problem.likelihood.weights
    if how == "none":
        return ""
    if how == "re-weight":
        light, heavy = weights.min(), weights.max()
        return f" A point of the largest class counts {light:.3g} times, one of the smallest {heavy:.3g} times."
    size = counted(size_for(problem.counts, how), "point")
    left, repeated = counted(int((weights == 0.0).sum()), "point"), int((weights > 1.0).sum())
    return f" Every class is brought to {size}: {left} are dropped, {repeated:,} are repeated."


def _step(shot: Shot) -> str:
    shown, numbers = shot.shown, shot.metrics
    text = f"Step {shown.number}: J = {number(numbers['J'])}, |w| = {numbers['norm']:.3g}"
    if shot.phase != "newton":
        return f"{text}, and the largest part of the gradient is {numbers['gradient']:.2g}."
    halved = f" (halved {counted(shown.halvings, 'time')}, else J would rise)" if shown.halvings else ""
    return f"{text}; the weighted least squares moved the log-odds by up to {shown.swing:.2g}{halved}."


def _conclusion(shot: Shot) -> str:
    problem, shown, loss = shot.given.problem, shot.shown, number(shot.metrics["J"])
    right = f"{shot.metrics['accuracy']:.1%} of the training points are right"
    if shown.doubt == "diverged":
        return f"After {counted(shown.number, 'step')} gradient descent diverges."
    if shown.doubt == "separated":
        norm = f"|w| = {shot.metrics['norm']:.3g} and still growing"
        return f"At step {shown.number} {norm}, because the classes are separable; {_turned(shot)}{right}."
    if shown.stop is Stop.CONVERGED:
        count = problem.likelihood.weights @ problem.likelihood.targets[:, -1]
        name = shot.given.data.classes[int(problem.present[-1])]
        return (
            f"Converged at step {shown.number} with J = {loss}: the probabilities of {name} sum to "
            f"{shown.expected:.4g} for {count:.6g} points; {right}."
        )
    return f"Stopped at step {shown.number} with J = {loss}, before the gradient vanished; {right}."


def _turned(shot: Shot) -> str:
    """How near gradient descent has come to the widest margin."""
    path = shot.model.turning
    if path is None or not len(path) or path.shape[1] == 2:
        return ""
    return f"its cosine to the direction of the widest margin is {path[-1, 2]:.5f}; "


CAPTIONS = {"start": _opening, "newton": _step, "gradient descent": _step, "done": _conclusion}
