"""The search for the nearest points, their votes, and the errors over k: no marks, no captions.

In few dimensions a k-d tree finds the neighbours, in many all distances are worked out by one matrix product. Either
way ties are settled by one rule: of points at the same distance the one with the lower number is nearer.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist

from algorithms.data import Array
from algorithms.interrupt import checkpoint
from algorithms.maths.distances import squared_distances, squared_norms

MetricName = Literal["euclidean", "manhattan", "cosine", "hamming"]
Weights = Literal["uniform", "distance"]
FEW_FEATURES = 12
"""Up to here a tree is faster than looking at all points."""
_CELLS = 1 << 21  # distances worked out at a time
_SPARE = 8  # candidates beyond k, because the matrix product rounds
_QUERIES = 2000  # of the tree in one go, so that a run can be ended in between
MOST_TESTED = 2000
"""The errors over k are those of so many points at most."""


class Found(NamedTuple):
    """The nearest points of some queries, nearest first."""

    distances: Array  # (m, k)
    points: Array  # (m, k) int


class Search:
    """Points prepared for finding the nearest ones of any place."""

    def __init__(self, X: Array, metric: MetricName) -> None:
        self.metric = metric
        self.n = len(X)
        self._values = [np.unique(column) for column in X.T] if metric == "hamming" else []
        self._rows = self._mapped(X)
        self._exact: Literal["cityblock", "euclidean"] = "cityblock" if metric == "manhattan" else "euclidean"
        tree = metric != "hamming" and X.shape[1] <= FEW_FEATURES
        self._tree = cKDTree(self._rows, balanced_tree=False) if tree else None
        self._norms = squared_norms(self._rows) if metric in ("euclidean", "cosine") and not tree else None

    def nearest(self, Q: Array, k: int) -> Found:
        """The k nearest points of every row of ``Q``."""
        rows = self._mapped(Q)
        parts = [self._nearest(rows[part], min(k, self.n)) for part in self._parts(len(rows))]
        if not parts:
            return Found(np.empty((0, min(k, self.n))), np.empty((0, min(k, self.n)), dtype=np.intp))
        distances, points = (np.concatenate(arrays) if len(parts) > 1 else arrays[0] for arrays in zip(*parts))
        return Found(distances * distances / 2.0 if self.metric == "cosine" else distances, points)

    def _parts(self, m: int) -> Iterator[slice]:
        size = _QUERIES if self._tree is not None else max(_CELLS // self.n, 1)
        for start in range(0, m, size):
            checkpoint()
            yield slice(start, start + size)

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
            p = 1 if self.metric == "manhattan" else 2
            distances, points = self._tree.query(rows, k=np.arange(1, wanted + 1), p=p)
            return np.asarray(distances), np.asarray(points)
        if self._norms is None:
            distances = cdist(rows, self._rows, self._exact)
            points = np.argpartition(distances, wanted - 1, axis=1)[:, :wanted]
            return np.take_along_axis(distances, points, axis=1), points
        rough = squared_distances(rows, self._rows, Z_norms=self._norms)
        points = np.argpartition(rough, wanted - 1, axis=1)[:, :wanted]
        offset = self._rows[points] - rows[:, None]
        return np.sqrt(np.einsum("mkd,mkd->mk", offset, offset)), points

    def _by_counting(self, rows: Array, k: int) -> tuple[Array, Array]:
        """Hamming's distance: in how many features two rows differ. Number and distance are sorted as one number."""
        differ = np.zeros((len(rows), self.n), dtype=np.int64)
        for j in range(rows.shape[1]):
            differ += rows[:, j, None] != self._rows[:, j]
        differ *= self.n
        differ += np.arange(self.n)
        keys = np.sort(np.partition(differ, k - 1, axis=1)[:, :k], axis=1)
        return (keys // self.n).astype(np.float64), keys % self.n


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
    """The search among these points, made once: whoever drags a query asks the same tree again and again."""
    return _search_in(_Identical(X), metric)


@functools.lru_cache(maxsize=3)
def _search_in(points: _Identical, metric: MetricName) -> Search:
    return Search(points.table, metric)


def weights_of(distances: Array, weights: Weights) -> Array:
    """What every neighbour's vote counts (m, k): the same, or in proportion to 1/distance, the nearest one 1.

    Where neighbours are at the place of the query itself, only those count.
    """
    if weights == "uniform":
        return np.ones_like(distances)
    nearest = distances[:, :1]
    here = distances == 0.0
    result: Array = np.where(nearest > 0.0, nearest / np.where(here, 1.0, distances), here)
    return result


def votes_of(labels: Array, counts: Array, classes: int) -> Array:
    """The votes (m, c) for every class: ``labels`` (m, k) are those of the neighbours, ``counts`` what each counts."""
    m = len(labels)
    cells = (np.arange(m)[:, None] * classes + labels).ravel()
    return np.bincount(cells, weights=counts.ravel(), minlength=m * classes).reshape(m, classes)


def winners(votes: Array, labels: Array) -> Array:
    """The class (m,) with most votes; in a tie that of the nearest neighbour among the tied classes."""
    best: Array = votes.argmax(axis=1)
    top = votes.max(axis=1, initial=0.0)
    tied = np.flatnonzero((votes == top[:, None]).sum(axis=1) > 1)
    if len(tied):
        leads = np.take_along_axis(votes[tied], labels[tied], axis=1) == top[tied, None]
        best[tied] = labels[tied, leads.argmax(axis=1)]
    return best


@dataclass(frozen=True, slots=True, eq=False)
class Errors:
    """The error for k = 1, 2, ...: the fraction of wrong answers, or the mean squared error."""

    training: Array  # (K,) with the point itself among the neighbours
    left_out: Array  # (K,) without it
    tested: int

    @property
    def best(self) -> int:
        """The k with the smallest error on points that were left out; the smallest of equal ones."""
        return int(self.left_out.argmin()) + 1


def errors_over_k(X: Array, y: Array, classes: int, metric: MetricName, weights: Weights, most: int) -> Errors | None:
    """Both errors for all k at once: the neighbours of a point serve every k. None where there is a single point."""
    n = len(X)
    most = min(most, n - 1)
    if most < 1:
        return None
    tested = np.arange(n) if n <= MOST_TESTED else np.linspace(0, n - 1, MOST_TESTED).astype(np.intp)
    distances, points = search_in(X, metric).nearest(X[tested], most + 1)
    others = points != tested[:, None]
    others[others.all(axis=1), -1] = False  # one of many equal points, and not even among these
    without = Found(distances[others].reshape(-1, most), points[others].reshape(-1, most))
    both = (Found(distances[:, :most], points[:, :most]), without)
    training, left_out = (_errors(found, y, y[tested], classes, weights) for found in both)
    return Errors(training, left_out, len(tested))


def _errors(found: Found, y: Array, truth: Array, classes: int, weights: Weights) -> Array:
    """The error (K,) with the first k of the neighbours, for every k."""
    counts = weights_of(found.distances, weights)
    if classes == 0:
        means = np.cumsum(counts * y[found.points], axis=1) / np.cumsum(counts, axis=1)
        squares: Array = np.square(means - truth[:, None]).mean(axis=0)
        return squares
    labels, rows = y[found.points], np.arange(len(truth))
    votes, wrong = np.zeros((len(truth), classes)), np.empty(labels.shape[1])
    for k in range(labels.shape[1]):
        checkpoint()
        votes[rows, labels[:, k]] += counts[:, k]
        wrong[k] = (winners(votes, labels[:, : k + 1]) != truth).mean()
    return wrong


@functools.lru_cache(maxsize=8)
def contrast_by_chance(metric: MetricName, seed: int) -> tuple[Array, Array]:
    """How far the nearest of 300 random points is beside the farthest, (m,), for so many features, (m,).

    Points are uniform in a cube, of any direction for the cosine, and random bits for Hamming's distance.
    """
    rng = np.random.default_rng(seed)
    features = np.array([1, 2, 3, 5, 8, 12, 20, 32, 50, 80, 130, 200, 320, 500])
    ratios = []
    for d in features.tolist():
        if metric == "hamming":
            X = rng.integers(0, 2, size=(308, d)).astype(np.float64)
        else:
            X = rng.standard_normal((308, d)) if metric == "cosine" else rng.random((308, d))
        ratios.append(np.mean([contrast(X[8:], query, metric) for query in X[:8]]))
    found = features.astype(np.float64), np.array(ratios)
    for array in found:
        array.flags.writeable = False
    return found


def contrast(X: Array, query: Array, metric: MetricName) -> float:
    """The distance of the nearest point beside that of the farthest."""
    distances = all_distances(X, query, metric)
    farthest = float(distances.max())
    return float(distances.min()) / farthest if farthest > 0.0 else 1.0


def all_distances(X: Array, query: Array, metric: MetricName) -> Array:
    """The distance (n,) of every point to the query."""
    if metric == "hamming":
        return (query != X).sum(axis=1).astype(np.float64)
    if metric == "cosine":
        lengths = np.sqrt(squared_norms(X) * float(query @ query))
        cosines = X @ query / np.where(lengths > 0.0, lengths, 1.0)
        return np.clip(1.0 - cosines, 0.0, 2.0)
    offset = np.abs(X - query)
    result: Array = offset.sum(axis=1) if metric == "manhattan" else np.sqrt(squared_norms(offset))
    return result
