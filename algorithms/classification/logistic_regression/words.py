"""The captions and warnings of logistic regression."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.classification.logistic_regression.solver import Place, Problem, Step
from algorithms.classification.logistic_regression.solver.balance import Balance, size_for
from algorithms.contract import Ended, Stop
from algorithms.maths.words import counted, number

if TYPE_CHECKING:
    from algorithms.classification.logistic_regression import State

SEPARATED = (
    "The classes can be parted without error: every longer w is more likely, so |w| grows for ever; "
    "a ridge penalty gives it an end."
)
PARTED = "parted: |w| grows for ever"
RUNAWAY = (
    "Some points could be parted from the rest without any error, so a part of w grows for ever; "
    "a ridge penalty gives it an end."
)
PARTLY_PARTED = "partly parted: a part of w grows for ever"


def rising(before: float, after: float, rate: float, safe_rate: float) -> str:
    """The warning where a step of gradient descent has gone too far."""
    return (
        f"J rose from {number(before)} to {number(after)}: η = {rate:.3g} goes too far; "
        f"below {safe_rate:.3g} J falls at every step."
    )


def diverged(safe_rate: float) -> str:
    """The warning where gradient descent has left every bound."""
    return f"The coefficients have left every bound: η is far above the safe {safe_rate:.2g}."


def opening(problem: Problem, place: Place, balance: Balance) -> str:
    """The caption of the first frame."""
    if place.theta.any():
        return f"It goes on from a model with J = {number(place.loss)} and |w| = {_norm(problem, place):.3g}."
    equal = 1.0 / max(problem.likelihood.k, 2)
    words = f"All coefficients are 0, so every class has the probability {equal:.3g} everywhere."
    return words + _space(problem) + _balance(problem, balance)


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


def step(problem: Problem, count: int, taken: Step, newton: bool) -> str:
    """The caption of a step."""
    place = taken.to
    text = f"Step {count}: J = {number(place.loss)}, |w| = {_norm(problem, place):.3g}"
    if not newton:
        return f"{text}, and the largest part of the gradient is {problem.likelihood.residual(place):.2g}."
    halved = f" (halved {counted(taken.halvings, 'time')}, else J would rise)" if taken.halvings else ""
    return f"{text}; the weighted least squares moved the log-odds by up to {taken.swing:.2g}{halved}."


def conclusion(problem: Problem, state: State, steps: int, stop: Stop | Ended | None, name: str) -> str:
    """The caption of the last frame; ``name`` is the class of the last column of coefficients."""
    place, like = state.place, problem.likelihood
    right = f"{problem.accuracies(place)[0]:.1%} of the training points are right"
    if state.separated:
        norm = f"|w| = {_norm(problem, place):.3g} and still growing"
        return f"At step {steps} {norm}, because the classes are separable; {_turned(state)}{right}."
    if stop is Stop.CONVERGED:
        expected, count = like.weights @ place.probabilities[:, -1], like.weights @ like.targets[:, -1]
        return (
            f"Converged at step {steps} with J = {number(place.loss)}: the probabilities of {name} sum to "
            f"{expected:.4g} for {count:.6g} points; {right}."
        )
    return f"Stopped at step {steps} with J = {number(place.loss)}, before the gradient vanished; {right}."


def _turned(state: State) -> str:
    """How near gradient descent has come to the widest margin."""
    bias = state.bias
    if bias is None or bias.direction is None or not len(bias.path):
        return ""
    return f"its cosine to the direction of the widest margin is {bias.path[-1, 2]:.5f}; "


def _norm(problem: Problem, place: Place) -> float:
    return float(np.linalg.norm(problem.likelihood.coefficients(place.theta)[0]))
