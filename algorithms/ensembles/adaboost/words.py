"""The captions of AdaBoost."""

from __future__ import annotations

import numpy as np

from algorithms.ensembles.adaboost.solver import Round, State, cycle_of
from algorithms.ensembles.adaboost.views import Scene
from algorithms.maths.trees import Tree
from algorithms.maths.words import capital, counted, number


def opening(scene: Scene) -> str:
    """Everybody weighs the same."""
    count = int(np.count_nonzero(scene.task.training))
    words = f"Each of {counted(count, 'point')} weighs 1/{count}"
    held = scene.data.n - count
    if held:
        words += f", and {counted(held, 'point')} {'is' if held == 1 else 'are'} held out"
    return f"{words}; a weak learner has to be wrong on less than {number(scene.task.chance_level)} of the weight."


def swept(scene: Scene, cut: tuple[int, float], error: float, round_number: int, best: bool) -> str:
    """What the stump at one threshold would do."""
    name = scene.data.features[cut[0]]
    if best:
        return (
            f"Round {round_number}: along {name} the least {scene.criterion} is {number(error)}, at {number(cut[1])}."
        )
    return f"Round {round_number}: a cut at {name} = {number(cut[1])} has the {scene.criterion} {number(error)}."


def learner(scene: Scene, tree: Tree) -> str:
    """The weak learner as a caption calls it."""
    if len(tree.child) == 1 or (len(tree.child) == 3 and len(set(tree.value[1:].argmax(axis=1).tolist())) == 1):
        answer = scene.data.classes[int(tree.value[-1].argmax())]
        return f"a stump that says {answer} everywhere" if len(tree.child) <= 3 else f"a tree that says {answer}"
    if len(tree.child) == 3:
        first, last = (scene.data.classes[int(label)] for label in tree.value[1:].argmax(axis=1))
        name = scene.data.features[int(tree.feature[0])]
        return f"{name} < {number(tree.threshold[0])}: {first}, else {last}"
    return f"a tree of {counted((len(tree.child) + 1) // 2, 'leaf', 'leaves')}"


def learned(scene: Scene, found: Round, round_number: int) -> str:
    """The learner of a round, and its vote."""
    wrong = int(np.count_nonzero(found.wrong & scene.task.training))
    words = f"Round {round_number}: {learner(scene, found.learner)} is wrong at {counted(wrong, 'point')} that weigh "
    words += f"{number(found.error)} together"
    if found.outcome:
        return words + "."
    return f"{words}; its vote is α = {number(found.alpha)}."


def weighed(scene: Scene, state: State, found: Round) -> str:
    """What the weights have become."""
    factor = float(np.exp(found.alpha))
    heaviest = int(state.weights.argmax())
    times = number(float(state.weights[heaviest]) * np.count_nonzero(scene.task.training))
    error, loss, outside = state.track[-1]
    words = f"{counted(state.rounds, 'learner')}: wrong points grow by {number(factor)}, point {heaviest + 1} weighs "
    words += f"{times} times the mean; the vote is wrong on {error:.1%}, exponential loss {number(loss)}"
    if not scene.task.training.all():
        words += f", held out {outside:.1%}"
    return words + "."


def by_chance(scene: Scene, state: State, found: Round) -> str:
    """No learner is better than guessing."""
    reason = f"the best learner is wrong on {number(found.error)} of the weight, no better than guessing"
    next_ = "its vote would be log 1 = 0 and the weights would stay, so every later round would be the same"
    if scene.task.classes > 2:
        next_ = "its vote would be 0 and the weights would stay, so every later round would be the same"
    if state.rounds:
        return f"Boosting ends after {counted(state.rounds, 'round')}: {reason}; {next_}."
    return f"Boosting cannot begin: {reason}; {next_}."


def perfect(scene: Scene, state: State) -> str:
    """One learner is right everywhere."""
    who = "The first learner" if state.rounds == 1 else f"Learner {state.rounds}"
    words = f"{who} gets every point right: log((1 - 0)/0) is infinite, so it decides alone"
    return f"{words}, no point would gain weight, and boosting ends with the vote {number(state.alphas[-1])}."


def done(scene: Scene, state: State) -> str:
    """The end, and whether the weights run in a cycle."""
    error, loss, outside = state.track[-1]
    words = f"{counted(state.rounds, 'learner')} vote: wrong on {error:.1%} of the points"
    if not scene.task.training.all():
        words += f" and {outside:.1%} of those held out"
    words += f", exponential loss {number(loss)}"
    period = cycle_of(state)
    if period:
        errors = ", ".join(dict.fromkeys(number(error) for error in state.errors[-period:]))
        words += f"; the weights return every {counted(period, 'round')} with the weighted errors {errors}"
    else:
        totals = scene.by_axis(state)
        best = int(totals.argmax())
        fraction = totals[best] / max(totals.sum(), 1e-300)
        words += f"; {fraction:.0%} of the votes that cut do it along {scene.data.features[best]}"
    return capital(words) + "."
