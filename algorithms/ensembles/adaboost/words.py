"""The captions and the warning of AdaBoost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.ensembles.adaboost.solver import cycle_of
from algorithms.ensembles.adaboost.views import by_axis
from algorithms.maths.trees import Tree
from algorithms.maths.words import capital, counted, number, percent

if TYPE_CHECKING:
    from algorithms.ensembles.adaboost import Given, Shot


def warning(shot: Shot) -> str | None:
    """Where there is nothing to be told apart."""
    return "All points to learn from are of one class." if shot.given.one_class else None


def _opening(shot: Shot) -> str:
    given = shot.given
    words = f"Each of {counted(given.training, 'point')} weighs 1/{given.training}"
    held = given.data.n - given.training
    if held:
        words += f", and {counted(held, 'point')} {'is' if held == 1 else 'are'} held out"
    return f"{words}; a weak learner has to be wrong on less than {number(given.task.chance_level)} of the weight."


def _swept(shot: Shot) -> str:
    shown, criterion = shot.shown, "weighted error" if shot.given.task.stump else "Gini index"
    assert shown.cut is not None
    name, place, error = shot.given.data.features[shown.cut[0]], number(shown.cut[1]), number(shown.error)
    if shown.best:
        return f"Round {shown.state.rounds + 1}: along {name} the least {criterion} is {error}, at {place}."
    return f"Round {shown.state.rounds + 1}: a cut at {name} = {place} has the {criterion} {error}."


def _learner(given: Given, tree: Tree) -> str:
    """The weak learner as a caption calls it."""
    data = given.data
    if len(tree.child) == 1 or (len(tree.child) == 3 and len(set(tree.value[1:].argmax(axis=1).tolist())) == 1):
        answer = data.classes[int(tree.value[-1].argmax())]
        return f"a stump that says {answer} everywhere" if len(tree.child) <= 3 else f"a tree that says {answer}"
    if len(tree.child) == 3:
        first, last = (data.classes[int(label)] for label in tree.value[1:].argmax(axis=1))
        return f"{data.features[int(tree.feature[0])]} < {number(tree.threshold[0])}: {first}, else {last}"
    return f"a tree of {counted((len(tree.child) + 1) // 2, 'leaf', 'leaves')}"


def _learned(shot: Shot) -> str:
    given, shown = shot.given, shot.shown
    assert shown.learner is not None
    assert shown.wrong is not None
    wrong = int(np.count_nonzero(shown.wrong & given.task.training))
    words = f"Round {shown.state.rounds + 1}: {_learner(given, shown.learner)} is "
    weight = number(shot.metrics["error"])
    words += f"wrong on {counted(wrong, 'point')} with {weight} of the weight" if wrong else "right on every point"
    if shown.outcome:
        return words + "."
    return f"{words}; its vote is α = {number(shot.metrics['alpha'])}."


def _weighed(shot: Shot) -> str:
    given, state = shot.given, shot.shown.state
    factor = float(np.exp(shot.metrics["alpha"]))
    heaviest = int(state.weights.argmax())
    times = number(float(state.weights[heaviest]) * given.training)
    error, loss, outside = state.track[-1]
    words = f"{counted(state.rounds, 'learner')}: the weights of the wrong points are multiplied by {number(factor)}; "
    words += f"point {heaviest + 1} weighs {times} times the mean. The vote is wrong on {percent(error)} of the points"
    if not given.task.training.all():
        words += f" and {percent(outside)} of those held out"
    words += f", exponential loss {number(loss)}"
    return words + "."


def _by_chance(shot: Shot) -> str:
    error, rounds = number(shot.metrics["error"]), shot.shown.state.rounds
    reason = f"the best learner is wrong on {error} of the weight, no better than guessing"
    zero = "log 1 = 0" if shot.given.task.classes == 2 else "0"
    next_ = f"its vote would be {zero} and the weights would stay, so every later round would be the same"
    if rounds:
        return f"Boosting ends after {counted(rounds, 'round')}: {reason}; {next_}."
    return f"Boosting cannot begin: {reason}; {next_}."


def _perfect(shot: Shot) -> str:
    rounds, vote = shot.shown.state.rounds, number(shot.metrics["alpha"])
    who = "The first learner" if rounds == 1 else f"Learner {rounds}"
    words = f"{who} gets every point right: log((1 - 0)/0) is infinite, so it decides alone"
    return f"{words}, no point would gain weight, and boosting ends with the vote {vote}."


def _done(shot: Shot) -> str:
    """The end, and whether the weights run in a cycle."""
    if shot.shown.outcome:
        return _by_chance(shot) if shot.shown.outcome == "chance" else _perfect(shot)
    given, state = shot.given, shot.shown.state
    error, loss, outside = state.track[-1]
    words = f"{counted(state.rounds, 'learner')} together are wrong on {percent(error)} of the points"
    if not given.task.training.all():
        words += f" and {percent(outside)} of those held out"
    words += f", exponential loss {number(loss)}"
    period = cycle_of(state)
    if period:
        errors = ", ".join(dict.fromkeys(number(error) for error in state.errors[-period:]))
        words += f"; the weights return every {counted(period, 'round')} with the weighted errors {errors}"
    else:
        totals = by_axis(given, state)
        best = int(totals.argmax())
        fraction = totals[best] / max(totals.sum(), 1e-300)
        words += f"; {percent(float(fraction))} of the votes are for cuts along {given.data.features[best]}"
    return capital(words) + "."


CAPTIONS = {"start": _opening, "sweep": _swept, "learn": _learned, "weigh": _weighed, "end": _done}
