"""The votes of the nearest points, and the errors over k: no marks, no captions."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Literal

import numpy as np

from algorithms.data import Array, Points
from algorithms.data.scaling import without_each
from algorithms.interrupt import checkpoint
from algorithms.maths.distances import squared_norms
from algorithms.maths.nearest_points import Found, MetricName, search_in

Weights = Literal["uniform", "distance"]
MOST_TESTED = 2000
"""The errors over k are those of so many points at most."""
MOST_NUMBERS = 150_000_000
"""Where every left-out point changes the scale, those tested are compared in so many numbers in all."""
TO_FIND = 5
"""To find the nearest of many distances takes as long as to compare in so many features."""
NUMBERS_AT_ONCE = 10**6


def weights_of(distances: Array, weights: Weights) -> Array:
    """What every neighbour's vote counts (m, k): the same, or in proportion to 1/distance, the nearest one 1.

    Where neighbours are at the place of the query itself, only those count.
    """
    if weights == "uniform":
        return np.ones_like(distances)
    nearest = distances[:, :1]
    here = distances == 0.0
    return np.where(nearest > 0.0, nearest / np.where(here, 1.0, distances), here)


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
class Answer:
    """The neighbours of one query, nearest first, and what they say."""

    query: Array  # (d,)
    points: Array  # (k,) int
    distances: Array  # (k,)
    counts: Array  # (k,) what the vote of each counts
    labels: Array  # (k,) their classes, or values
    classes: int

    @property
    def radius(self) -> float:
        """The distance of the last one."""
        return float(self.distances[-1]) if len(self.distances) else 0.0

    @property
    def votes(self) -> Array:
        """The votes (c,) of every class."""
        return votes_of(self.labels[None], self.counts[None], self.classes)[0]

    @property
    def winner(self) -> int:
        """The class that is chosen."""
        return int(winners(self.votes[None], self.labels[None])[0])

    @property
    def is_tied(self) -> bool:
        """Whether two classes have the most votes."""
        return bool((self.votes == self.votes.max()).sum() > 1)

    @property
    def is_uniform(self) -> bool:
        """Whether all votes count the same."""
        return bool((self.counts == self.counts[:1]).all())

    @property
    def value(self) -> float:
        """The mean of the values."""
        return float(self.counts @ self.labels / self.counts.sum())

    @property
    def score(self) -> float:
        """The fraction of the votes that the winner has, or the value."""
        return float(self.votes.max() / self.counts.sum()) if self.classes else self.value

    def first(self, j: int) -> Answer:
        """What only the first j neighbours say."""
        return Answer(self.query, self.points[:j], self.distances[:j], self.counts[:j], self.labels[:j], self.classes)


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


def errors_over_k(data: Points, metric: MetricName, weights: Weights, most: int) -> Errors | None:
    """Both errors for all k at once: the neighbours of a point serve every k. None where there is a single point."""
    X, y, n = data.X, data.y, data.n
    assert y is not None
    most = min(most, n - 1)
    if most < 1:
        return None
    fixed = data.scale == "given" or metric == "hamming"  # whether two values are equal is no matter of scale
    count = MOST_TESTED if fixed else min(MOST_TESTED, max(MOST_NUMBERS // (n * (data.d + TO_FIND)), 1))
    tested = np.arange(n) if n <= count else np.linspace(0, n - 1, count).astype(np.intp)
    distances, points = search_in(X, metric).nearest(X[tested], most + 1)
    if fixed:
        others = points != tested[:, None]
        others[others.all(axis=1), -1] = False  # one of many equal points, and not even among these
        without = Found(distances[others].reshape(-1, most), points[others].reshape(-1, most))
    else:
        without = _among_others(data, tested, metric, most)
    both = (Found(distances[:, :most], points[:, :most]), without)
    training, left_out = (_errors(found, y, y[tested], len(data.classes), weights) for found in both)
    return Errors(training, left_out, len(tested))


def _among_others(data: Points, tested: Array, metric: MetricName, most: int) -> Found:
    """The nearest of all other points of each tested one, in the scale that they set without it."""
    (shifts, factors), found = without_each(data), []
    for start in range(0, len(tested), max(NUMBERS_AT_ONCE // data.n, 1)):
        checkpoint()
        points = tested[start : start + max(NUMBERS_AT_ONCE // data.n, 1)]
        distances = _distances_apart(data.X, points, shifts[points], factors[points], metric)
        distances[np.arange(len(points)), points] = np.inf
        last = np.partition(distances, most - 1, axis=1)[:, most - 1]
        for row, reach in zip(distances, last):
            near = np.flatnonzero(row <= reach)
            near = near[np.argsort(row[near], kind="stable")[:most]]  # of equal ones the lower number is nearer
            found.append((row[near], near))
    return Found(*(np.array(rows) for rows in zip(*found, strict=True)))


def _distances_apart(X: Array, points: Array, shifts: Array, factors: Array, metric: MetricName) -> Array:
    """The distances (m, n) of m points to all, each in its own scale: shifts and factors are (m, d)."""
    total, lengths = np.zeros((len(points), len(X))), np.zeros((len(points), len(X)))
    for column, shift, factor in zip(X.T, shifts.T[:, :, None], factors.T[:, :, None]):
        if metric == "cosine":
            values = (column - shift) / factor
            total += values * np.take_along_axis(values, points[:, None], axis=1)
            lengths += np.square(values)
        else:
            offset = (column - column[points, None]) / factor
            total += np.abs(offset) if metric == "manhattan" else np.square(offset)
    if metric == "cosine":
        own = np.take_along_axis(lengths, points[:, None], axis=1)
        products = np.sqrt(lengths) * np.sqrt(own)
        alike = (lengths == 0.0) & (own == 0.0)  # without a direction, as in ``Search``
        return np.clip(1.0 - np.where(products > 0.0, total / np.where(products > 0.0, products, 1.0), alike), 0.0, 2.0)
    return total if metric == "manhattan" else np.sqrt(total)


def _errors(found: Found, y: Array, truth: Array, classes: int, weights: Weights) -> Array:
    """The error (K,) with the first k of the neighbours, for every k."""
    counts = weights_of(found.distances, weights)
    if classes == 0:
        means = np.cumsum(counts * y[found.points], axis=1) / np.cumsum(counts, axis=1)
        return np.square(means - truth[:, None]).mean(axis=0)
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
        lengths = np.sqrt(squared_norms(X)) * np.sqrt(float(query @ query))  # each alone: their product overflows
        cosines = X @ query / np.where(lengths > 0.0, lengths, 1.0)
        return np.clip(1.0 - cosines, 0.0, 2.0)
    offset = np.abs(X - query)
    return offset.sum(axis=1) if metric == "manhattan" else np.sqrt(squared_norms(offset))
