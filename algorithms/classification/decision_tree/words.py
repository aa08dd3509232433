"""The captions of a growing tree, and what to try."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.classification.decision_tree.views import answer, question
from algorithms.contract import Try
from algorithms.maths.trees import CLASS_CRITERIA
from algorithms.maths.words import counted, number

if TYPE_CHECKING:
    from algorithms.classification.decision_tree.state import Given, Shot


def _start(shot: Shot) -> str:
    """One region, its answer, and which criterion counts."""
    given, tree = shot.given, shot.model
    chosen, real = given.params.criterion, given.problem.real
    region = f"One region holds all {counted(given.data.n, 'point')} and answers {answer(given, tree.value[0])}"
    words = f"{region}; {_criterion(given)} = {number(tree.impurity[0])}."
    if not real and chosen == "squared error":
        return words + " For classes the squared error of the indicators is Gini's index."
    if real and chosen in CLASS_CRITERIA:
        return words + " The target is a real value, so the squared error decides."
    return words


def _criterion(given: Given) -> str:
    """The criterion as a caption calls it."""
    name = given.problem.criterion
    return {"gini": "Gini", "squared error": "the mean squared error"}.get(name, f"the {name}")


def _sweep(shot: Shot) -> str:
    """What the sweep of one feature has found."""
    given, tree, own, search, node = shot.given, shot.model, shot.shown.cut, shot.shown.search, shot.shown.active[0]
    assert own is not None
    assert search is not None
    points = counted(int(tree.count[node]), "point")
    found = f"Sweeping {given.data.features[own.feature]} over {points}: Q is least at {question(given, own)}"
    words = f"{found}, Q = {number(own.cost)} instead of {number(tree.impurity[node])}"
    if search.best.feature == own.feature:
        return words + "."
    return f"{words}; {question(given, search.best)} stays better with Q = {number(search.best.cost)}."


def _split(shot: Shot) -> str:
    """What a cut has done; it is numbered where not all of them are shown."""
    given, tree, cut = shot.given, shot.model, shot.shown.cut
    assert cut is not None
    node = int(np.flatnonzero(tree.child == shot.shown.active[0])[0])
    left, right = (int(tree.count[child]) for child in shot.shown.active)
    words = f"{question(given, cut)} cuts {counted(int(tree.count[node]), 'point')} into {left:,} and {right:,}"
    if tree.gain[node] <= 1e-9 * tree.impurity[0]:
        words += " and gains nothing; only the next cuts can tell whether it was worth while"
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
        return f"No cut of these {points} takes away {need:.3g} of the tree's impurity (min gain); answer {said}."
    return f"No cut leaves {problem.min_leaf} or more of these {points} on both sides (min leaf); answer {said}."


def _prune(shot: Shot) -> str:
    """Where the path of pruning leads, and then what the weakest links have cost and saved."""
    pruning, fold = shot.shown.pruning, shot.shown.fold
    if fold is not None:
        saved, left = counted(fold.saved, "leaf", "leaves"), counted(int(shot.metrics["leaves"]), "leaf", "leaves")
        return (
            f"The weakest link is folded at α = {fold.alpha:.3g}: {saved} less, {_criterion(shot.given)} of the tree "
            f"rises by {number(fold.rise)}; {left} left."
        )
    if pruning is None or len(pruning.alphas) < 2:
        return "There is nothing to prune: the tree is a single leaf, or no link costs anything."
    first, last = float(pruning.alphas[1]), float(pruning.alphas[-1])
    return (
        f"Pruning folds {counted(int(pruning.leaves[0]), 'leaf', 'leaves')} into one while α goes from {first:.3g} to "
        f"{last:.3g}; by cross-validation {pruning.best:.3g} is best."
    )


def _done(shot: Shot) -> str:
    """The finished tree, and how deep it should have been."""
    given, shown, leaves, error = shot.given, shot.shown, int(shot.metrics["leaves"]), shot.metrics["error"]
    weighed = ", by weight," if given.problem.weights is not None else ""
    left = f"of the variance{weighed} is left" if given.problem.real else f"of the training points{weighed} are wrong"
    words = f"The tree is complete: {counted(leaves, 'leaf', 'leaves')}, {error:.1%} {left}"
    if shown.errors is not None:
        words += f"; by cross-validation a depth of {int(shown.errors[1].argmin())} is best"
    if shown.pruning is not None:
        words += f"; by cross-validation α = {shown.pruning.best:.3g} is best"
    return words + "."


CAPTIONS = {"start": _start, "sweep": _sweep, "split": _split, "leaf": _leaf, "prune": _prune, "done": _done}

TRIES = (
    Try(
        "The exclusive or: the first cut gains nothing, and only the next ones show what it was good for.",
        "gate(kind='XOR')",
        {"depth": 2},
    ),
    Try(
        "A slanted boundary becomes a staircase, since cuts run along the axes.",
        "separable(n=200,margin=0.3,angle=45,seed=1)",
        {"depth": 6},
    ),
    Try(
        "Too deep: single noisy points get rectangles of their own; compare the errors by depth.",
        "moons(n=200,noise=0.35,seed=1)",
        {"depth": 12, "by_depth": 12},
    ),
    Try(
        "Pruning: branches fold from the weakest link on; drag α to where the cross-validated error is least.",
        "moons(n=200,noise=0.35,seed=1)",
        {"depth": 12, "alpha": 0.01, "path": True},
    ),
    Try(
        "The second class counts five times: the tree gives it more of the plane.",
        "moons(n=200,noise=0.35,seed=1)",
        {"weights": "by class", "class_weights": (1.0, 5.0)},
    ),
    Try(
        "With values instead of classes the tree is a staircase of means.",
        "sine(n=100,noise=0.2,seed=1)",
        {"criterion": "squared error", "depth": 4},
    ),
)
