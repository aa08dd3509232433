"""The captions of a growing tree."""

from __future__ import annotations

from algorithms.classification.decision_tree.solver import PruningCurves
from algorithms.classification.decision_tree.views import Scene
from algorithms.maths.tree_growth import Cut
from algorithms.maths.trees import CLASS_CRITERIA, Criterion, Tree
from algorithms.maths.words import counted, number


def opening(scene: Scene, tree: Tree, chosen: Criterion) -> str:
    """The first sentence: one region, its answer, and which criterion counts."""
    region = f"One region holds all {counted(scene.data.n, 'point')} and answers {scene.answer(tree.value[0])}"
    words = f"{region}; {_criterion(scene)} = {number(tree.impurity[0])}."
    if not scene.problem.real and chosen == "squared error":
        return words + " For classes the squared error of the indicators is Gini's index."
    if scene.problem.real and chosen in CLASS_CRITERIA:
        return words + " The target is a real value, so the squared error decides."
    return words


def _criterion(scene: Scene) -> str:
    """The criterion as a caption calls it."""
    name = scene.problem.criterion
    return {"gini": "Gini", "squared error": "the mean squared error"}.get(name, f"the {name}")


def sweep(scene: Scene, tree: Tree, node: int, own: Cut, best: Cut) -> str:
    """What the sweep of one feature has found."""
    points = counted(int(tree.count[node]), "point")
    found = f"Sweeping {scene.data.features[own.feature]} over {points}: Q is least at {scene.question(own)}"
    words = f"{found}, Q = {number(own.cost)} instead of {number(tree.impurity[node])}"
    if best.feature == own.feature:
        return words + "."
    return f"{words}; {scene.question(best)} stays better with Q = {number(best.cost)}."


def split(scene: Scene, tree: Tree, node: int, cut: Cut, numbered: int) -> str:
    """What a cut has done; it is ``numbered`` where not all of them are shown."""
    left, right = (int(tree.count[tree.child[node] + side]) for side in (0, 1))
    words = f"{scene.question(cut)} cuts {counted(int(tree.count[node]), 'point')} into {left:,} and {right:,}"
    if tree.gain[node] <= 1e-9 * tree.impurity[0]:
        words += " and gains nothing; only the next cuts can tell whether it was worth while"
    else:
        words += f": {_criterion(scene)} falls from {number(tree.impurity[node])} to {number(cut.cost)}, "
        words += f"a gain of {number(tree.gain[node])}"
    return f"{words} (cut {numbered})." if numbered else words + "."


def leaf(scene: Scene, tree: Tree, node: int, refusal: str) -> str:
    """Why a region stays a leaf."""
    points, answer = counted(int(tree.count[node]), "point"), scene.answer(tree.value[node])
    if refusal == "pure":
        alike = "the same value" if scene.problem.real else "the same class"
        return f"A pure region is a leaf: {points} of {alike}, answer {answer}."
    if refusal == "plateau":
        need = scene.problem.min_gain * tree.impurity[0]
        return f"No cut of these {points} takes away {need:.3g} of the tree's impurity (min gain); answer {answer}."
    least = scene.problem.min_leaf
    return f"No cut leaves {least} or more of these {points} on both sides (min leaf); answer {answer}."


def path(scene: Scene, pruning: PruningCurves | None) -> str:
    """Where the path of pruning leads."""
    if pruning is None or len(pruning.alphas) < 2:
        return "There is nothing to prune: the tree is a single leaf, or no link costs anything."
    first, last = float(pruning.alphas[1]), float(pruning.alphas[-1])
    return (
        f"Pruning folds {counted(int(pruning.leaves[0]), 'leaf', 'leaves')} into one while α goes from {first:.3g} to "
        f"{last:.3g}; by cross-validation {pruning.best:.3g} is best."
    )


def fold(scene: Scene, before: Tree, after: Tree, alpha: float) -> str:
    """What the weakest links have cost, and what they have saved."""
    leaves, left = int((before.child < 0).sum()), int((after.child < 0).sum())
    rise = float(_risk(after) - _risk(before))
    saved = counted(leaves - left, "leaf", "leaves")
    return (
        f"The weakest link is folded at α = {alpha:.3g}: {saved} less, {_criterion(scene)} of the tree rises by "
        f"{number(max(rise, 0.0))}; {counted(left, 'leaf', 'leaves')} left."
    )


def _risk(tree: Tree) -> float:
    leaf = tree.child < 0
    return float(tree.impurity[leaf] @ tree.weight[leaf]) / float(tree.weight[0])


def done(scene: Scene, leaves: int, error: float, best: int | None, pruning: PruningCurves | None) -> str:
    """The finished tree, and how deep it should have been."""
    weighed = ", by weight," if scene.problem.weights is not None else ""
    left = f"of the variance{weighed} is left" if scene.problem.real else f"of the training points{weighed} are wrong"
    words = f"The tree is complete: {counted(leaves, 'leaf', 'leaves')}, {error:.1%} {left}"
    if best is not None:
        words += f"; by cross-validation a depth of {best} is best"
    if pruning is not None:
        words += f"; by cross-validation α = {pruning.best:.3g} is best"
    return words + "."
