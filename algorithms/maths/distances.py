"""Squared Euclidean distances, shaped for the BLAS, and the search for the nearest centre.

Two facts carry the file. Expanding the square, |x - z|² = |x|² - 2 x·z + |z|², turns all pairs into one matrix product
(Handbook §2.2.2); rounding can make the result slightly negative, so it is clipped at 0. And by the triangle
inequality a point whose own centre is nearer than the second centre can have become need not be searched again
(Hamerly 2010): Lloyd's half steps stay exact and become several times faster.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from algorithms.data import Array, DataError
from algorithms.data.magnitude import column_ranges
from algorithms.records import dataclass

FEW_FEATURES = 3
"""Up to here differences are formed one by one: as fast as the matrix product, and ties and zeros stay exact."""
_CHUNK = 4096  # columns per block, so that a block of distances to 20 centres stays in the processor's cache
_WIDE = 64  # columns for each row from which on a table is wide
_LARGEST_SQUARE = 1e306
_CERTAIN = 1.0 - 1e-9
_LONGEST_CARRY = 64  # sums are added up anew after this many carried steps, so that rounding cannot pile up
_CANCELLED = 1e-4  # a loss that has fallen to this part of the last full sum is added up anew


def squared_distances(X: Array, Z: Array, X_norms: Array | None = None, Z_norms: Array | None = None) -> Array:
    """All squared distances between the rows of ``X`` and of ``Z``, by one matrix product.

    Parameters
    ----------
    X, Z : arrays of shape (n, d) and (m, d)
        With ``Z is X`` the diagonal is exactly 0.
    X_norms, Z_norms : arrays of shape (n,) and (m,), optional
        Squared norms of the rows (:func:`squared_norms`), when the caller has them already.

    Returns
    -------
    array of shape (n, m), never negative
    """
    same = Z is X
    X_norms = squared_norms(X) if X_norms is None else X_norms
    Z_norms = X_norms if same else squared_norms(Z) if Z_norms is None else Z_norms
    squared = X @ Z.T
    squared *= -2.0
    squared += X_norms[:, None]
    squared += Z_norms
    np.maximum(squared, 0.0, out=squared)
    if same:
        np.fill_diagonal(squared, 0.0)
    return squared


def squared_norms(X: Array) -> Array:
    """|x|² of every row."""
    norms: Array = np.einsum("ij,ij->i", X, X)
    return norms


SMALLEST_SPREAD = 1e-150


def refuse_overflow(X: Array, what: str = "The values") -> None:
    """Raise :class:`DataError` when the sum of all squared distances would leave the range of the numbers."""
    _refuse_overflow(max(float(X.max()), -float(X.min())), X.size, what)


def _refuse_overflow(largest: float, size: int, what: str) -> None:
    if largest > 1e153 or (2.0 * largest) ** 2 * size > _LARGEST_SQUARE:
        raise DataError(
            f"{what} reach {largest:.3g}, and their squares are too large to be added; divide them by a constant first."
        )


def refuse_extremes(X: Array) -> None:
    """Raise :class:`DataError` when squares of the values, or of how far they differ, are infinite or nothing."""
    low, high = column_ranges(X)
    _refuse_overflow(max(float(high.max()), -float(low.min())), X.size, "The values")
    spread = high - low
    tiny = float(np.where(spread > 0.0, spread, 1.0).min(initial=1.0))
    if tiny < SMALLEST_SPREAD:
        raise DataError(
            f"The values of a feature differ by {tiny:.3g} at most, and the square of that is too small to calculate "
            "with; multiply it by a constant first."
        )


def round_origin(columns: Array) -> Array:
    """A round place (d,) near the mean of points that are given feature by feature, (d, n).

    Distances are differences, so an origin amid the points keeps their digits. A *round* one (a multiple of a power
    of two as large as the spread) makes the subtraction itself exact: whole numbers stay whole and ties stay ties.
    """
    mean = columns.mean(axis=1)
    spread = np.maximum(columns.max(axis=1) - mean, mean - columns.min(axis=1))
    grid = np.ldexp(1.0, np.frexp(spread)[1] - 1)
    origin: Array = np.where(spread > 0.0, np.rint(mean / grid) * grid, columns[:, 0])
    return origin


@dataclass(frozen=True, slots=True, eq=False)
class Cloud:
    """Points prepared once for many searches: moved to a round origin and stored feature by feature."""

    origin: Array  # (d,)
    columns: Array  # (d, n)
    norms: Array  # (n,) squared norms; empty when there are few features

    @classmethod
    def of(cls, X: Array, origin: Array | None = None) -> Cloud:
        """The rows of ``X``, seen from a round origin amid them or from the given one."""
        columns = np.array(X.T, order="C")
        place = round_origin(columns) if origin is None else origin
        columns -= place[:, None]
        few = columns.shape[0] <= FEW_FEATURES
        return cls(place, columns, np.empty(0) if few else np.einsum("ji,ji->i", columns, columns))

    @property
    def n(self) -> int:
        """How many points there are."""
        return int(self.columns.shape[1])

    @property
    def d(self) -> int:
        """How many features a point has."""
        return int(self.columns.shape[0])

    def squared_to(self, centres: Array, chosen: Array | slice = slice(None)) -> Array:
        """Squared distances (k, m) from every centre (k, d), given from the origin, to the chosen points."""
        columns = self.columns[:, chosen] if isinstance(chosen, slice) else self.columns.take(chosen, axis=1)
        if self.d <= FEW_FEATURES:
            squared = columns[0] - centres[:, :1]
            squared *= squared
            for j in range(1, self.d):
                difference = columns[j] - centres[:, j : j + 1]
                difference *= difference
                squared += difference
            return squared
        squared = centres @ columns
        squared *= -2.0
        squared += self.norms[chosen]
        squared += squared_norms(centres)[:, None]
        np.maximum(squared, 0.0, out=squared)
        return squared

    def squared_to_own(self, centres: Array, labels: Array, chosen: Array | slice = slice(None)) -> Array:
        """Squared distance (m,) of each chosen point to the centre that its label names, by differences."""
        columns = self.columns[:, chosen] if isinstance(chosen, slice) else self.columns.take(chosen, axis=1)
        difference = columns - centres.T.take(labels, axis=1)
        squared: Array = np.einsum("ji,ji->i", difference, difference)
        return squared

    def sums(self, labels: Array, k: int) -> tuple[Array, Array]:
        """The sum (k, d) and the number (k,) of the points of every label."""
        index = labels.astype(np.intp)
        sums = np.array([np.bincount(index, weights=column, minlength=k) for column in self.columns])
        return np.ascontiguousarray(sums.T), np.bincount(index, minlength=k).astype(np.float64)

    def means(self, labels: Array, k: int) -> tuple[Array, Array]:
        """The mean (k, d) and the number (k,) of the points of every label; an empty group has the mean 0."""
        sums, counts = self.sums(labels, k)
        return sums / np.maximum(counts, 1.0)[:, None], counts

    def blocks(self) -> Iterator[slice]:
        """The points in pieces whose distances fit into the cache."""
        for start in range(0, self.n, _CHUNK):
            yield slice(start, start + _CHUNK)


def nearest(X: Array, centres: Array) -> tuple[Array, Array]:
    """The nearest centre of every row, (n,) int32, the lowest number in a tie, and the squared distance to it, (n,)."""
    origin = round_origin(centres.T)
    cloud = Cloud.of(X, origin)
    labels = np.empty(cloud.n, dtype=np.int32)
    squared = np.empty(cloud.n)
    for block in cloud.blocks():
        distances = cloud.squared_to(centres - origin, block)
        squared[block] = distances.min(axis=0)
        labels[block] = (distances == squared[block]).argmax(axis=0)
    return labels, squared


class NearestCentre:
    """The nearest centre of every point, and the k-means loss, kept up to date while the centres move.

    Per point only the *gap* is stored: by how much the second centre is farther than the own one, at least. A moving
    centre narrows the gap by at most the length of its move, and only points whose gap may have closed are searched
    again. The loss follows by exact differences, each of which lowers it: a point that changes brings old minus new
    squared distance, a centre that moves to the mean of its n points brings n times the square of that length.
    """

    def __init__(self, cloud: Cloud, centres: Array, labels: Array | None = None) -> None:
        self.cloud = cloud
        self._gap = np.full(cloud.n, -1.0)  # (n,)
        if labels is None:
            labels = np.empty(cloud.n, dtype=np.int32)
            for block in cloud.blocks():
                nearest_one, best, second = _two_nearest(cloud.squared_to(centres, block))
                labels[block] = nearest_one
                self._gap[block] = _gap(best, second)
        self.labels = labels
        self.centres = centres
        self._refresh()

    def _refresh(self) -> None:
        """Everything that is otherwise carried along by differences, from the points themselves."""
        self.loss = self._reference = float(self.squared().sum())
        self._sums: Array | None = None

    def squared(self) -> Array:
        """Squared distance (n,) of every point to the centre of its label."""
        return self.cloud.squared_to_own(self.centres, self.labels)

    def counts(self) -> Array:
        """How many points (k,) every centre has."""
        if self._sums is None:
            self._sums, self._counts = self.cloud.sums(self.labels, len(self.centres))
            self._age = 0
        return self._counts

    def reset(self, centres: Array, labels: Array) -> None:
        """Replace centres and labels, whatever they have been."""
        self._gap[:] = -1.0
        self.centres, self.labels = centres, labels
        self._refresh()

    def update(self) -> float:
        """Move every centre to the mean of its points (if it has any); give back the longest move."""
        counts = self.counts()
        assert self._sums is not None
        if all(counts.tolist()):
            means = self._sums / counts[:, None]
        else:
            means = np.where(counts[:, None] > 0, self._sums / np.maximum(counts, 1)[:, None], self.centres)
        moves = means - self.centres
        squares = np.einsum("ij,ij->i", moves, moves)
        lengths = np.sqrt(squares)
        longest: float = max(lengths.tolist())
        lengths += longest
        self._gap -= lengths.take(self.labels)
        self.centres = means
        self._lower(float(counts @ squares))
        return longest

    def assign(self) -> Array:
        """Give every point to its nearest centre; give back the numbers (m,) int32 of the points that changed."""
        unsure = (self._gap <= 0.0).nonzero()[0]
        pieces = [self._search(unsure[i : i + _CHUNK]) for i in range(0, max(len(unsure), 1), _CHUNK)]
        changed, labels, gains = pieces[0] if len(pieces) == 1 else map(np.concatenate, zip(*pieces))
        if len(changed):
            self._carry_sums(changed, labels)
            self.labels = self.labels.copy()
            self.labels[changed] = labels
            self._lower(float(gains.sum()))
        return changed.astype(np.int32)

    def _search(self, chosen: Array) -> tuple[Array, Array, Array]:
        """Search all centres for these points: the points that change, their new labels, and what each gains."""
        distances = self.cloud.squared_to(self.centres, chosen)
        own = self.labels.take(chosen)
        labels, best, second = _two_nearest(distances)
        self._gap[chosen] = _gap(best, second)
        moved = (labels != own).nonzero()[0]
        points, labels = chosen.take(moved), labels.take(moved)
        if self.cloud.d <= FEW_FEATURES:
            return points, labels, distances[own.take(moved), moved] - best.take(moved)
        return self._confirmed(points, labels)

    def _confirmed(self, points: Array, labels: Array) -> tuple[Array, Array, Array]:
        """Only those changes that lower the loss by differences too: the matrix product may have rounded them wrong.

        Without this, two centres at almost the same distance could exchange a point for ever.
        """
        own = self.labels.take(points)
        gains = self.cloud.squared_to_own(self.centres, own, points)
        gains -= self.cloud.squared_to_own(self.centres, labels, points)
        better = (gains > 0.0) | ((gains == 0.0) & (labels < own))
        self._gap[points[~better]] = -1.0
        return points[better], labels[better], gains[better]

    def _carry_sums(self, changed: Array, labels: Array) -> None:
        """Take the changed points out of their old sums and into the new ones, before the labels are replaced."""
        if self._sums is None:
            return
        self._age += 1
        if 4 * len(changed) > self.cloud.n or self._age > _LONGEST_CARRY:
            self._sums = None
            return
        centre = np.arange(len(self.centres))[:, None]
        entries = (labels == centre).astype(np.float64)
        entries -= self.labels.take(changed) == centre
        self._sums = self._sums + entries @ self.cloud.columns.take(changed, axis=1).T
        self._counts = self._counts + entries.sum(axis=1)

    def _lower(self, amount: float) -> None:
        self.loss -= amount
        if self.loss < _CANCELLED * self._reference:
            self.loss = self._reference = float(self.squared().sum())


def _two_nearest(distances: Array) -> tuple[Array, Array, Array]:
    """The row of the smallest entry of each column (the first in a tie), that entry, and the second smallest."""
    rows, columns = distances.shape
    if not 2 <= rows < 128 or columns < _WIDE * rows:
        labels = distances.argmin(axis=0)
        places = labels * columns
        places += np.arange(columns)
        rest = distances.flatten()
        best = rest.take(places)
        rest[places] = np.inf
        return labels, best, rest.reshape(rows, columns).min(axis=0)
    # NumPy's own search goes through one column after the other; row by row is several times faster.
    first, row = distances[0], distances[1]
    labels, best, second = (row < first).view(np.int8), np.minimum(first, row), np.maximum(first, row)
    for number in range(2, rows):
        row = distances[number]
        np.putmask(labels, row < best, number)
        np.minimum(second, np.maximum(best, row), out=second)
        np.minimum(best, row, out=best)
    return labels, best, second


def _gap(best: Array, second: Array) -> Array:
    """How much farther the second centre is, taken a little lower so that rounding cannot hide a tie."""
    gap: Array = np.sqrt(second) * _CERTAIN - np.sqrt(best)
    return gap
