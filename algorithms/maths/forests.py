"""Many trees: kept in common tables and asked all at once; ``forest_growth`` grows them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from algorithms.data import Array
from algorithms.interrupt import checkpoint
from algorithms.maths.trees import Tree

BLOCK = 2**16
"""How many numbers are worked on at once: they should stay near the processor."""


@dataclass(frozen=True, slots=True, eq=False)
class Grove:
    """Trees that were grown together: the nodes of tree i are those from ``start[i]`` to before ``start[i + 1]``."""

    start: Array  # (b + 1,) int
    table: Tree  # of all nodes; its ``child`` counts through all trees

    def __len__(self) -> int:
        return len(self.start) - 1

    def tree(self, number: int) -> Tree:
        """One of the trees."""
        first, end, table = int(self.start[number]), int(self.start[number + 1]), self.table
        here = slice(first, end)
        child = np.where(table.child[here] < 0, -1, table.child[here] - first)
        rest = (table.depth, table.count, table.weight, table.impurity, table.gain, table.value)
        parts = (part[here] for part in rest)
        return Tree.of((table.feature[here], table.threshold[here], child, *parts), table.real)

    def leaves(self, X: Array, trees: int) -> Array:
        """The leaf (trees, n) in which every point ends in each of the first trees, as a node of the table."""
        table, d = self.table, X.shape[1]
        leaf = table.child < 0
        # a leaf sends everybody to itself, so that nobody has to ask who has arrived
        child = np.where(leaf, np.arange(len(leaf)), table.child)
        threshold, feature = np.where(leaf, np.inf, table.threshold), np.where(leaf, 0, table.feature).astype(np.intp)
        deepest = int(table.depth[: self.start[trees]].max(initial=0))
        node = np.empty((trees, len(X)), dtype=np.intp)
        values = np.ascontiguousarray(X).ravel()
        rows = max(BLOCK // max(trees, 1), 1)
        for first in range(0, len(X), rows):
            checkpoint()
            at = np.arange(first, min(first + rows, len(X))) * d
            here = np.repeat(self.start[:trees, None], len(at), axis=1)
            for _ in range(deepest):
                right = values.take(feature.take(here) + at) >= threshold.take(here)
                here = child.take(here) + right
            node[:, first : first + rows] = here
        return node

    def each(self, X: Array) -> Iterator[Array]:
        """What one tree after the other answers: fractions (n, c) of the classes, or values (n, 1)."""
        leaves = self.leaves(X, len(self))
        return (self.table.value.take(row, axis=0) for row in leaves)


@dataclass(frozen=True, slots=True, eq=False)
class Forest:
    """The first ``size`` of the trees of some groves, in their order: the frames of a run share the groves.

    ``len`` and indices are those of the trees.
    """

    groves: tuple[Grove, ...]
    size: int

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, number: int) -> Tree:
        number = range(self.size)[number]
        for grove in self.groves:
            if number < len(grove):
                return grove.tree(number)
            number -= len(grove)
        raise IndexError(number)

    def __iter__(self) -> Iterator[Tree]:
        return (self[number] for number in range(self.size))

    @property
    def real(self) -> bool:
        """Whether the trees answer with values."""
        return self.groves[0].table.real

    def parts(self) -> Iterator[tuple[Grove, int]]:
        """The groves, each with how many of its trees belong to the forest."""
        left = self.size
        for grove in self.groves:
            if left > 0:
                yield grove, min(left, len(grove))
            left -= len(grove)

    def plus(self, grove: Grove) -> Forest:
        """The forest with all trees of one more grove."""
        return Forest((*self.groves, grove), self.size + len(grove))

    def with_next(self, grove: Grove) -> Forest:
        """The same for a forest that grows tree by tree: groves of like size are joined, so that there are few."""
        groves = [*self.groves, grove]
        while len(groves) > 1 and len(groves[-2]) <= len(groves[-1]):
            groves[-2:] = [joined(groves[-2], groves[-1])]
        return Forest(tuple(groves), self.size + len(grove))

    def first(self, size: int) -> Forest:
        """The first trees only."""
        return Forest(self.groves, size)

    def total(self, X: Array, votes: bool = False) -> Array:
        """What the trees answer, added up: fractions (n, c) of the classes (or one vote each), or values (n, 1).

        Where the points lie on a grid, as those of a picture do, the boxes of all leaves are laid upon it in one go.
        """
        grid = _grid(X)
        if grid is not None:
            return _total_on_grid(self, grid, votes)
        parts = [_added_up(_answers(grove.table, votes), grove.leaves(X, trees)) for grove, trees in self.parts()]
        return np.asarray(sum(parts[1:], start=parts[0]))

    def answers(self, number: int, X: Array) -> Array:
        """What one of the trees answers alone, (n,): the majority class, or the value."""
        tree = self[number]
        answers = tree.value[:, 0] if tree.real else tree.value.argmax(axis=1)
        return np.asarray(answers.take(tree.leaf_of(X)))

    def ballots(self, x: Array) -> Array:
        """What each of the trees answers for one point (d,), (trees,): the majority class, or the value."""
        found = []
        for grove, trees in self.parts():
            value = grove.table.value[grove.leaves(x[None], trees)[:, 0]]
            found.append(value[:, 0] if self.real else value.argmax(axis=1))
        return np.concatenate(found) if found else np.empty(0)

    def importances(self, d: int) -> Array:
        """What the cuts along each of d features have taken away of the impurity, (d,), the mean of all trees.

        In every tree they sum to 1, where anything was taken away.
        """
        found = np.zeros(d)
        for grove, trees in self.parts():
            found += tree_importances(grove, trees, d).sum(axis=0)
        return found / max(self.size, 1)


def joined(one: Grove, two: Grove) -> Grove:
    """The trees of two groves in one table."""
    nodes, (first, second) = int(one.start[-1]), (one.table, two.table)
    child = np.concatenate([first.child, np.where(second.child < 0, -1, second.child + nodes).astype(np.int32)])
    names = ("depth", "count", "weight", "impurity", "gain", "value")
    rest = (np.concatenate([getattr(first, name), getattr(second, name)]) for name in names)
    feature, threshold = (np.concatenate([getattr(first, n), getattr(second, n)]) for n in ("feature", "threshold"))
    table = Tree.of((feature, threshold, child, *rest), first.real)
    return Grove(np.concatenate([one.start, two.start[1:] + nodes]), table)


def tree_importances(grove: Grove, trees: int, d: int) -> Array:
    """For each of the first trees what the cuts along each feature have taken away, (trees, d); rows sum to 1 or 0."""
    table, end = grove.table, int(grove.start[trees])
    tree = np.repeat(np.arange(trees), np.diff(grove.start[: trees + 1]))
    inner = np.flatnonzero(table.child[:end] >= 0)
    gained = table.gain[inner] * table.weight[inner]
    found = np.bincount(tree[inner] * d + table.feature[inner], gained, minlength=trees * d).reshape(trees, d)
    whole = found.sum(axis=1, keepdims=True)
    return np.asarray(found / np.where(whole > 0.0, whole, 1.0))


def _answers(table: Tree, votes: bool) -> Array:
    """What every node answers, (m, c): its fractions, or 1 for the class of its majority; (m, 1) its value."""
    if table.real or not votes:
        return table.value
    return (np.arange(table.value.shape[1]) == table.value.argmax(axis=1)[:, None]).astype(np.float64)


def _added_up(answers: Array, leaves: Array) -> Array:
    """The answers (n, c) of the leaves (b, n), added up over the trees."""
    return np.stack([column.take(leaves).sum(axis=0) for column in answers.T], axis=1)


# --- on a grid ------------------------------------------------------------------------------------------------------


class _Grid(NamedTuple):
    """Points that are some of the crossings of a grid."""

    places: list[Array]  # for each feature the values it takes, in order
    cell: Array  # (n,) the crossing of every point


def _grid(X: Array) -> _Grid | None:
    """The grid of the points, unless it has many more crossings than there are points."""
    places: list[Array] = []
    cells = 1
    for column in X.T:
        places.append(np.unique(column))
        cells *= len(places[-1])
        if cells > len(X) + 16:
            return None
    cell = np.zeros(len(X), dtype=np.intp)
    for j, values in enumerate(places):
        if len(values) > 1:
            cell *= len(values)
            cell += values.searchsorted(X[:, j])
    return _Grid(places, cell)


def _total_on_grid(forest: Forest, grid: _Grid, votes: bool) -> Array:
    """Every leaf adds its answer to the crossings in its box: at the corners, and running sums fill what is inside."""
    axes = [j for j, values in enumerate(grid.places) if len(values) > 1]
    shape = tuple(len(grid.places[j]) + 1 for j in axes)
    cells: list[Array] = []
    added: list[Array] = []
    for grove, trees in forest.parts():
        checkpoint()
        low, high, leaves = _boxes_on_grid(grove, trees, grid, axes)
        answers = _answers(grove.table, votes)[leaves]
        for corner in np.ndindex(*(2,) * len(axes)):
            at = [np.where(side, high[:, a], low[:, a]) for a, side in enumerate(corner)]
            cells.append(np.ravel_multi_index(at, shape) if axes else np.zeros(len(leaves), dtype=np.intp))
            added.append(-answers if sum(corner) % 2 else answers)
    where, what = np.concatenate(cells), np.concatenate(added)
    columns = []
    for column in what.T:
        sums = np.bincount(where, column, minlength=math.prod(shape)).reshape(shape)
        for axis in range(len(axes)):
            sums = sums.cumsum(axis=axis)
        inside = sums[tuple(slice(-1) for _ in axes)]
        columns.append(inside.ravel().take(grid.cell))
    return np.stack(columns, axis=1)


def _boxes_on_grid(grove: Grove, trees: int, grid: _Grid, axes: list[int]) -> tuple[Array, Array, Array]:
    """The first crossing in the box of each leaf and the first behind it, (l, axes), and the leaves that have any."""
    table, end = grove.table, int(grove.start[trees])
    cut = np.zeros(end, dtype=np.intp)  # the first crossing that goes to the right
    axis_of = np.full(len(grid.places), -1)
    axis_of[axes] = np.arange(len(axes))
    for j, values in enumerate(grid.places):
        asked = np.flatnonzero(table.feature[:end] == j)
        cut[asked] = values.searchsorted(table.threshold[asked])
    low, high = np.zeros((end, len(axes)), dtype=np.intp), np.zeros((end, len(axes)), dtype=np.intp)
    high[:] = [len(grid.places[j]) for j in axes]
    met = np.ones(end, dtype=bool)  # whether the box holds the value of every feature that has only one
    by_depth = np.argsort(table.depth[:end], kind="stable")
    ends = np.bincount(table.depth[:end]).cumsum()
    for first, last in zip([0, *ends[:-1].tolist()], ends.tolist()):
        nodes = by_depth[first:last]
        inner = nodes[table.child[nodes] >= 0]
        left, axis, at = table.child[inner], axis_of[table.feature[inner]], cut[inner]
        for child in (left, left + 1):
            low[child], high[child] = low[inner], high[inner]
            met[child] = met[inner] & ((axis >= 0) | ((at > 0) == (child is left)))
        free = np.flatnonzero(axis >= 0)
        high[left[free], axis[free]] = low[left[free] + 1, axis[free]] = at[free]
    leaves = np.flatnonzero((table.child[:end] < 0) & met & (high > low).all(axis=1))
    return low[leaves], high[leaves], leaves
