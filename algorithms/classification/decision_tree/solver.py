"""What is done with a grown tree: its error at every depth, and pruning it link by link.

Pruning (Breiman et al. 1984): R(t) is the impurity of a node times its fraction of the points, and R(T_t) the sum over
the leaves below it. Folding the branch costs g(t) = (R(t) - R(T_t)) / (leaves - 1) for each leaf that is saved. The
weakest link, the one of least g, is folded first; the values of g never fall, and the tree that is left at α has the
least R + α · leaves of all that are folded from the whole tree.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np

from algorithms.data import Array, DataError
from algorithms.interrupt import checkpoint
from algorithms.maths.forest_growth import grown
from algorithms.maths.tree_growth import Cut, Growth, Problem
from algorithms.maths.trees import Tree

FOLDS = 5


def errors_by_depth(tree: Tree, X: Array, target: Array, depth: int) -> Array:
    """The error (depth + 1,) of a tree cut off at every depth: fraction of wrong answers, or mean squared error."""
    answers = tree.value[:, 0] if tree.real else tree.value.argmax(axis=1)
    by_depth = [answers[node] for node in tree.nodes_at(X, depth)]
    return np.array([(np.square(target - answer) if tree.real else target != answer).mean() for answer in by_depth])


def cross_validated(problem: Problem, depth: int, rng: np.random.Generator) -> Array:
    """The training and the cross-validated error (2, depth + 1) of trees of every depth up to this one.

    Of values they are mean squared errors, divided by the variance.
    """
    n = len(problem.X)
    folds = min(FOLDS, n)
    fold = rng.permutation(n) % folds
    whole = grown(problem, depth)
    unit = float(whole.impurity[0]) or 1.0 if problem.real else 1.0
    training = errors_by_depth(whole, problem.X, problem.target, depth) / unit
    errors = np.zeros(depth + 1)
    for number in range(folds):
        inside, outside = fold != number, fold == number
        tree = grown(problem.rows(inside), depth)
        errors += outside.mean() * errors_by_depth(tree, problem.X[outside], problem.target[outside], depth) / unit
    return np.stack([training, errors])


@dataclass(frozen=True, slots=True, eq=False)
class Pruning:
    """The path of a tree from all of its leaves to the root alone."""

    order: Array  # (k,) int: the inner nodes in the order in which they are folded
    alphas: Array  # (k,) the α at which each is folded, never falling
    folded_at: Array  # (m,) of every node: infinite where it is never folded itself, 0 for a leaf

    def count(self, alpha: float) -> int:
        """How many links are folded at this α."""
        return int(np.searchsorted(self.alphas, alpha, "right"))


def pruning_path(tree: Tree) -> Pruning:
    """Fold the weakest link again and again, until the root is alone."""
    m = len(tree.child)
    risk = tree.impurity * tree.weight / tree.weight[0]
    below, leaves, parent = risk.copy(), np.ones(m, dtype=np.int64), np.full(m, -1)
    inner = np.flatnonzero(tree.child >= 0)
    parent[tree.child[inner]] = parent[tree.child[inner] + 1] = inner
    for node in inner[::-1].tolist():  # children come after their parents
        first = int(tree.child[node])
        below[node], leaves[node] = below[first] + below[first + 1], leaves[first] + leaves[first + 1]
    folded_at = np.where(tree.child < 0, 0.0, np.inf)
    alive = tree.child >= 0
    heap = [(_link(risk, below, leaves, node), node) for node in inner.tolist()]
    heapq.heapify(heap)
    order: list[int] = []
    alphas: list[float] = []
    while heap:
        cost, node = heapq.heappop(heap)
        if not alive[node] or cost != _link(risk, below, leaves, node):
            continue  # folded with a node above it, or its cost has changed
        if len(order) % 256 == 0:
            checkpoint()
        order.append(node)
        alphas.append(max(cost, alphas[-1] if alphas else 0.0))
        folded_at[node] = alphas[-1]
        saved, risen = int(leaves[node]) - 1, float(risk[node] - below[node])
        _forget_below(tree, alive, node)
        above = node
        while above >= 0:
            below[above], leaves[above] = below[above] + risen, leaves[above] - saved
            if above != node:
                heapq.heappush(heap, (_link(risk, below, leaves, above), above))
            above = int(parent[above])
    return Pruning(np.array(order, dtype=np.intp), np.array(alphas), folded_at)


def _link(risk: Array, below: Array, leaves: Array, node: int) -> float:
    """What folding a node costs for each leaf that is saved; what rounding has made negative is nothing."""
    return max(float(risk[node] - below[node]), 0.0) / max(int(leaves[node]) - 1, 1)


def _forget_below(tree: Tree, alive: Array, node: int) -> None:
    waiting = [node]
    while waiting:
        at = waiting.pop()
        if alive[at]:
            alive[at] = False
            waiting += [int(tree.child[at]), int(tree.child[at]) + 1]


def folded(tree: Tree, nodes: Array) -> Tree:
    """The tree in which these nodes are leaves."""
    child = tree.child.copy()
    child[nodes] = -1
    kept = np.zeros(len(child), dtype=bool)
    kept[0] = True
    for depth in range(int(tree.depth.max())):
        inner = np.flatnonzero((tree.depth == depth) & kept & (child >= 0))
        kept[child[inner]] = kept[child[inner] + 1] = True
    number = np.cumsum(kept, dtype=np.int32) - 1
    leaf = child < 0
    child = np.where(leaf, -1, number[child]).astype(np.int32)
    feature, threshold = np.where(leaf, -1, tree.feature).astype(np.int32), np.where(leaf, 0.0, tree.threshold)
    rest = (tree.depth, tree.count, tree.weight, tree.impurity, np.where(leaf, 0.0, tree.gain), tree.value)
    return Tree.of((part[kept] for part in (feature, threshold, child, *rest)), tree.real)


def training_error(tree: Tree) -> float:
    """The fraction of wrong answers on the tree's own points, by weight; of values, the part of the variance left."""
    leaf = tree.child < 0
    wrong = tree.impurity if tree.real else 1.0 - tree.value.max(axis=1)
    error = float(wrong[leaf] @ tree.weight[leaf]) / float(tree.weight[0])
    return error / (float(tree.impurity[0]) or 1.0) if tree.real else error


@dataclass(frozen=True, slots=True, eq=False)
class PruningCurves:
    """Trees on the path of pruning, one between each two values of α at which a link is folded."""

    alphas: Array  # (k,) rising, the first is 0
    leaves: Array  # (k,)
    training: Array  # (k,) errors
    others: Array  # (k,) cross-validated errors

    @property
    def best(self) -> float:
        """The α with the least cross-validated error; the largest of equal ones, which has the smallest tree."""
        return float(self.alphas[len(self.others) - 1 - int(self.others[::-1].argmin())])


MOST_ALPHAS = 80


def pruning_curves(problem: Problem, tree: Tree, depth: int, rng: np.random.Generator) -> PruningCurves:
    """Leaves and errors over α: of the tree itself, and of trees that have not seen the points."""
    path = pruning_path(tree)
    alphas = np.unique(np.concatenate([[0.0], path.alphas]))
    if len(alphas) > MOST_ALPHAS:
        alphas = alphas[np.unique(np.linspace(0, len(alphas) - 1, MOST_ALPHAS).astype(np.intp))]
    trees = []
    for alpha in alphas.tolist():
        checkpoint()
        trees.append(folded(tree, path.order[: path.count(alpha)]))
    n = len(problem.X)
    folds = min(FOLDS, n)
    fold = rng.permutation(n) % folds
    # an α between two links, by which the trees of the folds are pruned alike
    between = np.sqrt(alphas * np.append(alphas[1:], alphas[-1] * 4.0 + 1e-12))
    errors = np.zeros(len(alphas))
    unit = (float(tree.impurity[0]) or 1.0) if problem.real else 1.0
    for number in range(folds):
        checkpoint()
        outside = np.flatnonzero(fold == number)
        other = grown(problem.rows(fold != number), depth)
        errors += len(outside) / n * _errors_over(other, problem.X[outside], problem.target[outside], between) / unit
    leaves = np.array([float((one.child < 0).sum()) for one in trees])
    return PruningCurves(alphas, leaves, np.array([training_error(one) for one in trees]), errors)


def _errors_over(tree: Tree, X: Array, target: Array, alphas: Array) -> Array:
    """The error (k,) of a tree pruned at each α: a point stops at the first node of its path that is folded."""
    folded_at = pruning_path(tree).folded_at
    answers = tree.value[:, 0] if tree.real else tree.value.argmax(axis=1)
    nodes = np.array(tree.nodes_at(X, int(tree.depth.max())))  # (depth + 1, n)
    stops, given = folded_at[nodes], answers[nodes]
    found = []
    for alpha in alphas.tolist():
        checkpoint()
        level = (stops <= alpha).argmax(axis=0)
        answer = given[level, np.arange(len(X))]
        found.append(float((np.square(answer - target) if tree.real else answer != target).mean()))
    return np.array(found)


def foreign_cut(growth: Growth, step: int, node: int, feature: int, threshold: float) -> Cut:
    """A cut of somebody else's tree, checked and made."""
    if not (0 <= node < growth.nodes and growth.child[node] < 0):
        raise DataError(f"Step {step} cuts node {node}, which is no leaf of the tree.")
    d = growth.problem.X.shape[1]
    if not 0 <= feature < d:
        raise DataError(f"Step {step} cuts along feature {feature}; there are {d}, counted from 0.")
    below = int(np.count_nonzero(growth.problem.X[growth.node_of == node, feature] < threshold))
    if not 0 < below < growth.count[node]:
        raise DataError(f"Step {step} cuts node {node} at {threshold:.4g}, where all its points are on one side.")
    return growth.split_at(node, feature, threshold)
