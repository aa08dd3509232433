"""The search for the nearest points of any place.

In few dimensions a k-d tree finds the neighbours, in many all distances are worked out by one matrix product. Either
way ties are settled by one rule: of points at the same distance the one with the lower number is nearer.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Literal, NamedTuple

import numpy as np
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist

from algorithms.data import Array
from algorithms.interrupt import checkpoint
from algorithms.maths.distances import squared_distances, squared_norms

MetricName = Literal["euclidean", "manhattan", "cosine", "hamming"]
FEW_FEATURES = 12
"""Up to here a tree is faster than looking at all points."""
_CELLS = 1 << 21  # distances worked out at a time
_SPARE = 8  # candidates beyond k, because the matrix product rounds
_QUERIES = 32_000  # neighbours that the tree is asked for in one go, so that a run can be ended in between


class Found(NamedTuple):
    """The nearest points of some queries, nearest first."""

    distances: Array  # (m, k)
    points: Array  # (m, k) int


class Ball(NamedTuple):
    """The points within a radius of some queries: one entry a pair, in the order of the queries, then of the points."""

    queries: Array  # (r,) int
    points: Array  # (r,) int
    distances: Array  # (r,)


class Search:
    """Points prepared for finding the nearest ones of any place."""

    def __init__(self, X: Array, metric: MetricName) -> None:
        self.metric = metric
        self.n = len(X)
        self._values = [np.unique(column) for column in X.T] if metric == "hamming" else []
        self._rows = self._mapped(X)
        self._exact: Literal["cityblock", "euclidean"] = "cityblock" if metric == "manhattan" else "euclidean"
        self._p = 1 if metric == "manhattan" else 2
        tree = metric != "hamming" and X.shape[1] <= FEW_FEATURES
        self._tree = cKDTree(self._rows, balanced_tree=False) if tree else None
        self._norms = squared_norms(self._rows) if metric in ("euclidean", "cosine") and not tree else None

    def nearest(self, Q: Array, k: int) -> Found:
        """The k nearest points of every row of ``Q``."""
        rows = self._mapped(Q)
        k = min(k, self.n)
        parts = [self._nearest(rows[part], k) for part in self._parts(len(rows), k)]
        distances = np.concatenate([np.empty((0, k)), *(part[0] for part in parts)])
        points = np.concatenate([np.empty((0, k), dtype=np.intp), *(part[1] for part in parts)])
        return Found(distances * distances / 2.0 if self.metric == "cosine" else distances, points)

    def within(self, Q: Array, radius: float) -> Ball:
        """All points at most ``radius`` from each row of ``Q``."""
        rows = self._mapped(Q)
        reach = np.sqrt(2.0 * radius) if self.metric == "cosine" else radius
        found = [(np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp), np.empty(0))]
        for part in self._parts(len(rows), self.n):
            queries, points, distances = self._within(rows[part], reach)
            found.append((queries + part.start, points, distances))
        queries, points, distances = (np.concatenate(arrays) for arrays in zip(*found))
        return Ball(queries, points, distances * distances / 2.0 if self.metric == "cosine" else distances)

    def _within(self, rows: Array, reach: float) -> tuple[Array, Array, Array]:
        if self._tree is not None:
            pairs = cKDTree(rows).sparse_distance_matrix(self._tree, reach, p=self._p, output_type="ndarray")
            pairs = pairs[np.lexsort((pairs["j"], pairs["i"]))]
            return pairs["i"], pairs["j"], pairs["v"]
        counted = self.metric == "hamming"
        distances = self._differences(rows).astype(float) if counted else cdist(rows, self._rows, self._exact)
        queries, points = np.nonzero(distances <= reach)
        return queries, points, distances[queries, points]

    def _parts(self, m: int, k: int) -> Iterator[slice]:
        size = max(_QUERIES // max(k, 16) if self._tree is not None else _CELLS // self._cells(k), 1)
        for start in range(0, m, size):
            checkpoint()
            yield slice(start, start + size)

    def _cells(self, k: int) -> int:
        """How many distances one query is worth, those of many features more."""
        d = self._rows.shape[1]
        return self.n * (1 + d // 64) + k * d

    def _mapped(self, X: Array) -> Array:
        """The rows as they are compared: directions for the cosine, numbers of values for Hamming's distance.

        A row of zeros has no direction: it gets one of its own, at a right angle to all others. A value that does not
        occur counts as the nearest one that does.
        """
        if self.metric == "cosine":
            largest = np.abs(X).max(axis=1, initial=0.0, keepdims=True)
            scaled = X / np.where(largest > 0.0, largest, 1.0)
            lengths = np.sqrt(squared_norms(scaled))[:, None]
            return np.column_stack([scaled / np.maximum(lengths, 1.0), lengths[:, 0] == 0.0])
        if self.metric == "hamming":
            return np.column_stack([_nearest_code(values, column) for values, column in zip(self._values, X.T)])
        return X

    def _nearest(self, rows: Array, k: int) -> tuple[Array, Array]:
        if self.metric == "hamming":
            return self._by_counting(rows, k)
        wanted = min(k + (1 if self._tree is not None else _SPARE), self.n)
        while True:
            distances, points = self._candidates(rows, wanted)
            distances, points = _in_order(distances, points)
            if wanted == self.n:
                return distances[:, :k], points[:, :k]
            unsure = np.flatnonzero(distances[:, k - 1] == distances[:, -1])
            if len(unsure) == 0:
                return distances[:, :k], points[:, :k]
            if len(unsure) < len(rows):
                distances, points = distances[:, :k].copy(), points[:, :k].copy()
                distances[unsure], points[unsure] = self._all_looked_at(rows[unsure], k)
                return distances, points
            wanted = min(2 * wanted + _SPARE, self.n)

    def _all_looked_at(self, rows: Array, k: int) -> tuple[Array, Array]:
        """By all distances: where the k-th and further ones are equal."""
        found = []
        for start in range(0, len(rows), max(_CELLS // self.n, 1)):
            checkpoint()
            distances = cdist(rows[start : start + max(_CELLS // self.n, 1)], self._rows, self._exact)
            order = np.argsort(distances, axis=1, kind="stable")[:, :k]
            found.append((np.take_along_axis(distances, order, axis=1), order))
        distances, points = (np.concatenate(parts) for parts in zip(*found))
        return distances, points

    def _candidates(self, rows: Array, wanted: int) -> tuple[Array, Array]:
        """So many near points of every row, with their distances, in any order."""
        if self._tree is not None:
            distances, points = self._tree.query(rows, k=np.arange(1, wanted + 1), p=self._p)
            return np.asarray(distances), np.asarray(points)
        if self._norms is None:
            distances = cdist(rows, self._rows, self._exact)
            points = _least(distances, wanted)
            return np.take_along_axis(distances, points, axis=1), points
        rough = squared_distances(rows, self._rows, Z_norms=self._norms)
        points = _least(rough, wanted)
        offset = self._rows[points] - rows[:, None]
        return np.sqrt(np.einsum("mkd,mkd->mk", offset, offset)), points

    def _by_counting(self, rows: Array, k: int) -> tuple[Array, Array]:
        """Hamming's distance. Number and distance are sorted as one number."""
        differ = self._differences(rows) * self.n + np.arange(self.n)
        keys = np.sort(np.partition(differ, k - 1, axis=1)[:, :k], axis=1)
        return (keys // self.n).astype(np.float64), keys % self.n

    def _differences(self, rows: Array) -> Array:
        """In how many features two rows differ, (m, n)."""
        differ = np.zeros((len(rows), self.n), dtype=np.int64)
        for j in range(rows.shape[1]):
            differ += rows[:, j, None] != self._rows[:, j]
        return differ


def _least(table: Array, count: int) -> Array:
    """Where the least numbers of every row are, (m, count); a copy, since a view keeps the whole (m, n) alive."""
    return np.argpartition(table, count - 1, axis=1)[:, :count].copy()


def nearest_others(X: Array, k: int) -> Found:
    """The ``k`` nearest other points of every point, nearest first; k must be less than n."""
    found = search_in(X, "euclidean").nearest(X, k + 1)
    checkpoint()
    others = others_in(found.points, np.arange(len(X)))
    checkpoint()
    return Found(found.distances[others].reshape(-1, k), found.points[others].reshape(-1, k))


def others_in(points: Array, rows: Array) -> Array:
    """Which of the points found for each row are not the row itself, all but one in each row.

    A point is usually its own first neighbour, but among equal points it need not be in the list at all.
    """
    itself = points == rows[:, None]
    itself[~itself.any(axis=1), -1] = True
    return ~itself


def _nearest_code(values: Array, column: Array) -> Array:
    """The numbers (m,) of the values (sorted) that are nearest to those of a column."""
    above = np.clip(np.searchsorted(values, column), 1, max(len(values) - 1, 1)) if len(values) > 1 else None
    if above is None:
        return np.zeros(len(column), dtype=np.int64)
    below = above - 1
    return np.where(column - values[below] <= values[above] - column, below, above)


def _in_order(distances: Array, points: Array) -> tuple[Array, Array]:
    """Rows sorted by distance, and by number where distances are equal."""
    sure = (distances[:, 1:] > distances[:, :-1]).all(axis=1)
    if sure.all():
        return distances, points
    rows = np.flatnonzero(~sure)
    order = np.lexsort((points[rows], distances[rows]))
    distances, points = distances.copy(), points.copy()
    distances[rows] = np.take_along_axis(distances[rows], order, axis=1)
    points[rows] = np.take_along_axis(points[rows], order, axis=1)
    return distances, points


class _Identical:
    """A key by which a table is known again: the very same one, not an equal one."""

    __slots__ = ("table",)

    def __init__(self, table: Array) -> None:
        self.table = table

    def __hash__(self) -> int:
        return id(self.table)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Identical) and other.table is self.table


def search_in(X: Array, metric: MetricName) -> Search:
    """The search among these points, made once, since a dragged query asks for it many times."""
    return _search_in(_Identical(X), metric)


@functools.lru_cache(maxsize=3)
def _search_in(points: _Identical, metric: MetricName) -> Search:
    return Search(points.table, metric)


def nearest_in(X: Array, Q: Array, metric: MetricName, k: int) -> Found:
    """The k nearest of these points for every row of ``Q``, found once for the very same tables."""
    return _nearest_in(_Identical(X), _Identical(Q), metric, k)


@functools.lru_cache(maxsize=4)
def _nearest_in(points: _Identical, queries: _Identical, metric: MetricName, k: int) -> Found:
    return _search_in(points, metric).nearest(queries.table, k)
