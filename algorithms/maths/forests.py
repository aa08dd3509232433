"""Many trees: kept in common tables and asked all at once; ``forest_growth`` grows them."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from algorithms.data import Array, DataError
from algorithms.interrupt import checkpoint
from algorithms.maths.forest_pictures import grid_of, lines_of, total_along, total_on_grid
from algorithms.maths.trees import Tree

BLOCK = 2**16
"""How many numbers are worked on at once: they should stay near the processor."""
MOST_BYTES = 2_000_000_000
"""The memory of a forest whose trees are as large as they can be; trees on noise were seen to fill a quarter of it."""
NODE, ANSWER = 48, 8
"""Bytes of a node in the table, and of each number that it answers with: a value, or the fraction of a class."""
LIMIT = f"Together they may take at most {MOST_BYTES / 1e9:g} GB of memory."
"""The limit as a form states it."""


def forest_bytes(trees: int, points: int, answers: int, depth: int, min_leaf: int = 1) -> int:
    """What trees on so many different points take at most: with l leaves a tree has 2l - 1 nodes."""
    leaves = max(min(points // min_leaf, 2**depth), 1)
    return trees * (2 * leaves - 1) * (NODE + ANSWER * answers)


def refuse_large(what: str, taken: int, advice: str) -> None:
    """Raise :class:`DataError` where ``what`` could take more memory than there may be, before any of it is taken."""
    if taken > MOST_BYTES:
        raise DataError(
            f"{what} can take {taken / 1e9:,.1f} GB of memory; at most {MOST_BYTES / 1e9:g} GB may be taken. {advice}"
        )


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

        The points of a picture lie on a grid, or in lines: there the leaves are laid upon all of them in one go.
        """
        if (grid := grid_of(X)) is not None:
            return total_on_grid(_all_in_one(self.groves), self.size, grid, votes)
        if (lines := lines_of(X)) is not None:
            return total_along(_all_in_one(self.groves), self.size, lines, votes)
        parts = [_added_up(grove.table.answers(votes), grove.leaves(X, trees)) for grove, trees in self.parts()]
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


@functools.lru_cache(maxsize=4)
def _all_in_one(groves: tuple[Grove, ...]) -> Grove:
    """The trees of several groves in one table; a picture is made in pieces, and each asks for it."""
    return functools.reduce(joined, groves)


def tree_importances(grove: Grove, trees: int, d: int) -> Array:
    """For each of the first trees what the cuts along each feature have taken away, (trees, d); rows sum to 1 or 0."""
    table, end = grove.table, int(grove.start[trees])
    tree = np.repeat(np.arange(trees), np.diff(grove.start[: trees + 1]))
    inner = np.flatnonzero(table.child[:end] >= 0)
    gained = table.gain[inner] * table.weight[inner]
    found = np.bincount(tree[inner] * d + table.feature[inner], gained, minlength=trees * d).reshape(trees, d)
    whole = found.sum(axis=1, keepdims=True)
    return np.asarray(found / np.where(whole > 0.0, whole, 1.0))


def _added_up(answers: Array, leaves: Array) -> Array:
    """The answers (n, c) of the leaves (b, n), added up over the trees."""
    return np.stack([column.take(leaves).sum(axis=0) for column in answers.T], axis=1)
