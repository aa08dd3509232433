"""Trees as tables of nodes, and the impurities by which they are grown; see ``tree_growth`` and ``forests``."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from algorithms.data import Array

Criterion = Literal["gini", "cross-entropy", "misclassification", "squared error"]
CLASS_CRITERIA = ("gini", "cross-entropy", "misclassification")


def impurity(counts: Array, criterion: Criterion) -> Array:
    """The impurity (...) of regions with these class counts (..., c).

    Gini 1 - Σπ², cross-entropy -Σπ log π, misclassification 1 - max π. The squared error of the class indicators is
    Gini's index: the variance of an indicator is π(1 - π).
    """
    counts = np.asarray(counts, dtype=np.float64)
    total = counts.sum(axis=-1)
    total = np.where(total > 0.0, total, 1.0)
    gathered = np.zeros(counts.shape[:-1])
    for label in range(counts.shape[-1]):
        gathered = gathered_with(gathered, counts[..., label], criterion)
    return scatter_of(gathered, total, criterion) / total


def impurity_of(counts: list[float], total: float, criterion: Criterion) -> float:
    """The same for one region, where arrays would take longer than the numbers."""
    if criterion == "cross-entropy":
        scatter = total * math.log(total) - sum(count * math.log(count) for count in counts if count)
    elif criterion == "misclassification":
        scatter = float(total - max(counts))
    else:
        scatter = total - sum(count * count for count in counts) / total
    return max(scatter, 0.0) / total


def _times_log(counts: Array) -> Array:
    return counts * np.log(np.where(counts > 0.0, counts, 1.0))


def gathered_with(so_far: Array, counts: Array, criterion: Criterion) -> Array:
    """What a criterion sums over the classes, with one class more."""
    if criterion == "cross-entropy":
        return so_far + _times_log(counts)
    if criterion == "misclassification":
        return np.maximum(so_far, counts)
    return so_far + counts * counts


def scatter_of(gathered: Array, total: Array, criterion: Criterion) -> Array:
    """The impurity times the number of points."""
    if criterion == "cross-entropy":
        return _times_log(total) - gathered
    return total - (gathered if criterion == "misclassification" else gathered / total)


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """A tree as a table of nodes: 0 is the root, and the children of a node are ``child`` and ``child + 1``."""

    feature: Array  # (m,) int, -1 for a leaf
    threshold: Array  # (m,), points with x_feature < threshold go to the first child
    child: Array  # (m,) int, -1 for a leaf
    depth: Array  # (m,) int
    count: Array  # (m,) int
    weight: Array  # (m,) the points counted by their weights
    impurity: Array  # (m,)
    gain: Array  # (m,) what the split of a node has gained, 0 for a leaf
    value: Array  # (m, c) the fraction of every class, or (m, 1) the mean
    real: bool = False
    """Whether it answers with values."""

    @classmethod
    def of(cls, columns: Iterable[Array], real: bool) -> Tree:
        """The tree with these columns, in the order in which they are declared."""
        feature, threshold, child, depth, count, weight, unlike, gain, value = columns
        return cls(feature, threshold, child, depth, count, weight, unlike, gain, value, real)

    def answers(self, votes: bool) -> Array:
        """What every node answers, (m, c): its fractions, or 1 for the class of its majority; (m, 1) its value."""
        if self.real or not votes:
            return self.value
        return (np.arange(self.value.shape[1]) == self.value.argmax(axis=1)[:, None]).astype(np.float64)

    def leaf_of(self, X: Array) -> Array:
        """The leaf (n,) in which every point ends.

        The thresholds of all nodes cut space into a grid. Where that has fewer cells than there are points, one point
        of every cell goes down the tree, and the others look up the leaf of their cell.
        """
        cells = self._cells(X.shape[1], len(X))
        if cells is None:
            return self.nodes_at(X, int(self.depth.max()))[-1]
        edges, leaf = cells
        cell = np.zeros(len(X), dtype=np.intp)
        for feature, values in edges:
            cell *= len(values) + 1
            cell += values.searchsorted(X[:, feature], "right")
        return leaf.take(cell)

    def _cells(self, d: int, most: int) -> tuple[list[tuple[int, Array]], Array] | None:
        """The features that are asked about, each with its thresholds, and the leaf of every cell between them.

        None where there are more cells than ``most``.
        """
        edges = [(j, np.unique(self.threshold[self.feature == j])) for j in range(d)]
        edges = [(j, values) for j, values in edges if len(values)]
        shape = [len(values) + 1 for _, values in edges]
        if math.prod(shape) > most:
            return None
        corners = np.zeros((*shape, d))  # the lower corner of a cell belongs to it
        for axis, (j, values) in enumerate(edges):
            corners[..., j] = np.concatenate([[-np.inf], values]).reshape((-1,) + (1,) * (len(edges) - axis - 1))
        return edges, self.nodes_at(corners.reshape(-1, d), int(self.depth.max()))[-1]

    def nodes_at(self, X: Array, depth: int) -> list[Array]:
        """The node (n,) of every point at depth 0, 1, ... ``depth``; a point that has come to a leaf stays there."""
        leaf, node = self.child < 0, np.zeros(len(X), dtype=np.intp)
        # a leaf is its own child, so points that have arrived need no test
        child = np.where(leaf, np.arange(len(leaf)), self.child)
        threshold, feature = np.where(leaf, np.inf, self.threshold), np.where(leaf, 0, self.feature).astype(np.intp)
        values, rows = X.ravel(), np.arange(0, X.size, X.shape[1])
        levels = [node]
        for _ in range(depth):
            right = values.take(rows + feature.take(node)) >= threshold.take(node)
            node = child.take(node) + right
            levels.append(node)
        return levels

    def path(self, x: Array) -> list[int]:
        """The nodes that one point passes, from the root to its leaf."""
        nodes = [0]
        while self.child[nodes[-1]] >= 0:
            node = nodes[-1]
            nodes.append(int(self.child[node]) + int(x[self.feature[node]] >= self.threshold[node]))
        return nodes
