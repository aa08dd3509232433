"""The captions of a growing tree, and what to try."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.classification.decision_tree.views import answer, question
from algorithms.contract import Try
from algorithms.maths.trees import CLASS_CRITERIA
from algorithms.maths.words import counted, number, percent

if TYPE_CHECKING:
    from algorithms.classification.decision_tree.state import Given, Shot
    from algorithms.played import Played


def _start(shot: Shot) -> str:
    """One region, its answer, and which criterion counts."""
    given, tree = shot.given, shot.model
    chosen, real = given.params.criterion, given.problem.real
    points = f"all {given.data.n:,} points" if given.data.n > 1 else "the only point"
    region = f"One region holds {points} and answers {answer(given, tree.value[0])}"
    words = f"{region}; {_criterion(given)} is {number(tree.impurity[0])}."
    if not real and chosen == "squared error":
        return words + " For classes the squared error of the indicators is Gini's index."
    if real and chosen in CLASS_CRITERIA:
        return words + " The target is a real value, so the squared error decides."
    return words


def _criterion(given: Given) -> str:
    """The criterion as a caption calls it."""
    name = given.problem.criterion
    return {"gini": "Gini's index", "squared error": "the mean squared error"}.get(name, f"the {name}")


def _sweep(shot: Shot) -> str:
    """What the sweep of one feature has found."""
    given, tree, own, search, node = shot.given, shot.model, shot.shown.cut, shot.shown.search, shot.shown.active[0]
    assert own is not None
    assert search is not None
    points = counted(int(tree.count[node]), "point")
    found = f"Sweeping {given.data.features[own.feature]} over {points}: Q is least at {question(given, own)}"
    cost, whole, least = number(own.cost), number(tree.impurity[node]), number(search.best.cost)
    words = f"{found}, Q = {cost}{', as' if cost == whole else ' instead of ' + whole} without a cut"
    if search.best.feature == own.feature:
        return words + "."
    if least == cost:
        return f"{words}; {question(given, search.best)} is as good and stays the best cut."
    return f"{words}; {question(given, search.best)} stays better with Q = {least}."


def _split(shot: Shot) -> str:
    """What a cut has done; it is numbered where not all of them are shown."""
    given, tree, cut = shot.given, shot.model, shot.shown.cut
    assert cut is not None
    node = int(np.flatnonzero(tree.child == shot.shown.active[0])[0])
    left, right = (int(tree.count[child]) for child in shot.shown.active)
    words = f"{question(given, cut)} cuts {counted(int(tree.count[node]), 'point')} into {left:,} and {right:,}"
    if tree.gain[node] <= 1e-9 * tree.impurity[0]:
        words += " and gains nothing; only the next cuts can show its use"
    else:
        words += f": {_criterion(given)} falls from {number(tree.impurity[node])} to {number(cut.cost)}, "
        words += f"a gain of {number(tree.gain[node])}"
    return f"{words} (cut {shot.shown.number})." if shot.shown.number else words + "."


def _leaf(shot: Shot) -> str:
    """Why a region stays a leaf."""
    problem, tree, node, refusal = shot.given.problem, shot.model, shot.shown.active[0], shot.shown.refusal
    points, said = counted(int(tree.count[node]), "point"), answer(shot.given, tree.value[node])
    if refusal == "pure":
        alike = "the same value" if problem.real else "the same class"
        return f"A pure region is a leaf: {points} of {alike}, answer {said}."
    if refusal == "plateau":
        need = problem.min_gain * tree.impurity[0]
        return f"No cut of these {points} takes away {need:.3g} of the impurity (min gain); answer {said}."
    if problem.min_leaf == 1:
        return f"These {points} are equal in all features, so that no cut divides them; answer {said}."
    return f"No cut of these {points} leaves at least {problem.min_leaf} on both sides (min leaf); answer {said}."


def _prune(shot: Shot) -> str:
    """Where the path of pruning leads, and then what the weakest links have cost and saved."""
    pruning, fold = shot.shown.pruning, shot.shown.fold
    if fold is not None:
        saved, left = counted(fold.saved, "leaf", "leaves"), counted(int(shot.metrics["leaves"]), "leaf", "leaves")
        return (
            f"The weakest link is folded at α = {fold.alpha:.3g}: {saved} fewer, and {_criterion(shot.given)} of the "
            f"tree rises by {number(fold.rise)}; {left} left."
        )
    if pruning is None or len(pruning.alphas) < 2:
        return "There is nothing to prune: the tree is a single leaf, or no link costs anything."
    first, last = float(pruning.alphas[1]), float(pruning.alphas[-1])
    where = f"at α = {first:.3g}" if first == last else f"while α grows from {first:.3g} to {last:.3g}"
    return (
        f"Pruning folds {counted(int(pruning.leaves[0]), 'leaf', 'leaves')} into one {where}; by cross-validation "
        f"{pruning.best:.3g} is best."
    )


def _done(shot: Shot) -> str:
    """The finished tree, and how deep it should have been."""
    given, shown, leaves, error = shot.given, shot.shown, int(shot.metrics["leaves"]), shot.metrics["error"]
    weighed = ", by weight," if given.problem.weights is not None else ""
    words = f"The tree is complete: {counted(leaves, 'leaf', 'leaves')}"
    if given.problem.real:
        words += f", {percent(error)} of the variance{weighed} is left"
    else:
        words += f", {percent(error) if error else 'none'} of the training points{weighed} misclassified"
    if shown.errors is not None:
        words += f"; by cross-validation a depth of {int(shown.errors[1].argmin())} is best"
    if shown.pruning is not None:
        words += f"; by cross-validation α = {shown.pruning.best:.3g} is best"
    return words + "."


CAPTIONS = {"start": _start, "sweep": _sweep, "split": _split, "leaf": _leaf, "prune": _prune, "done": _done}


def _leaves_of_one(played: Played) -> int:
    leaf = played.model.child < 0
    return int((played.model.count[leaf] == 1).sum())


def _misclassified(played: Played, label: int) -> int:
    of_class = played.data.y == label
    return int((played.predicted()[of_class] != label).sum())


TRIES = (
    Try(
        "The exclusive or: the first cut gains nothing, and only the next ones show what it was good for.",
        "gate(kind='XOR')",
        {"depth": 2},
        shows=lambda played: played.model.gain[0] == 0.0 and played.final("error") == 0.0,
    ),
    Try(
        "A slanted boundary, which one straight line could follow, becomes a staircase of six cuts along both axes.",
        "separable(n=200,margin=0.3,angle=45,seed=1)",
        {"depth": 6},
        shows=lambda played: np.bincount(played.model.feature + 1).tolist() == [7, 3, 3],
    ),
    Try(
        "Too deep: single noisy points get rectangles of their own; by cross-validation a depth of 2 is better.",
        "moons(n=200,noise=0.35,seed=1)",
        {"depth": 12, "by_depth": 12},
        shows=lambda played: (
            _leaves_of_one(played) >= 5
            and played.final("error") == 0.0
            and played.last.shown.errors[1].argmin() == 2
            and played.last.shown.errors[1, 12] > played.last.shown.errors[1, 2] + 0.02
        ),
    ),
    Try(
        "Pruning: branches fold from the weakest link on; drag α to where the cross-validated error is least.",
        "moons(n=200,noise=0.35,seed=1)",
        {"depth": 12, "alpha": 0.01, "path": True},
        shows=lambda played: (
            played.final("leaves") < 10
            and played.but(alpha=0.0).final("leaves") > 25
            and played.last.shown.pruning.best > 0.01
        ),
    ),
    Try(
        "A point of class 2 counts twenty times: none of them is misclassified any more, and more of class 1 are.",
        "moons(n=200,noise=0.35,seed=1)",
        {"depth": 3, "weights": "by class", "class_weights": (1.0, 20.0)},
        shows=lambda played: (
            _misclassified(played, 1) == 0 < _misclassified(played.but(weights="equal"), 1)
            and _misclassified(played, 0) > _misclassified(played.but(weights="equal"), 0)
        ),
    ),
    Try(
        "With values instead of classes the tree is a staircase of 16 means.",
        "sine(n=100,noise=0.2,seed=1)",
        {"criterion": "squared error", "depth": 4},
        shows=lambda played: len(np.unique(played.predicted(np.linspace(-1.0, 2.0, 5000)[:, None]))) == 16,
    ),
)
