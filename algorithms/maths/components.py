"""Principal components: the directions along which points vary most.

Around their mean the points are a table X = U S V'. The rows of V' are the principal directions, the longest first;
along direction j the points vary by S_j^2 / (n - 1), a fraction S_j^2 / sum S^2 of the whole. Z = X V are their
scores, and mean + Z V' leads back: exactly with all directions, and with the first m as nearly as any m directions can.

Handbook section 3.1.1 (Alg. 1-3); Methods for Data Science section 11.1 (which divides by n where this has n - 1).
"""

from __future__ import annotations

import numpy as np

from algorithms.data import Array
from algorithms.interrupt import checkpoint
from algorithms.records import dataclass

MAX_DENSE = 1_000
"""Rows or columns, whichever are fewer, up to which all singular vectors are found to get a few of them."""
TALL = 2
"""A table with so many times more rows than columns is decomposed by the products of its columns."""
SAFE = 1e-6
"""... where the least of their eigenvalues is no smaller than this beside the largest: squares lose half the digits."""
ROWS = 4096
"""So many rows of a tall table are turned at a time, or as many as it has columns twice over."""
FEW = 10
"""So many directions of a larger table are found by themselves."""


@dataclass(frozen=True, slots=True, eq=False)
class Components:
    """The principal directions of some points."""

    mean: Array  # (d,)
    directions: Array  # (k, d) unit rows at right angles; the largest number of each is positive
    lengths: Array  # (k,) S, never rising
    fractions: Array  # (k,) of the whole variance, from 0 to 1

    def scores(self, X: Array) -> Array:
        """Z (n, k): where points lie along the directions."""
        return np.asarray((X - self.mean) @ self.directions.T)

    def restored(self, Z: Array) -> Array:
        """The points (n, d) with these scores; with fewer columns than directions only the first ones are used."""
        return np.asarray(self.mean + Z @ self.directions[: Z.shape[1]])

    def variances(self, n: int) -> Array:
        """S^2 / (n - 1) of ``n`` points, (k,)."""
        return np.asarray(np.square(self.lengths) / max(n - 1, 1))


def principal_components(X: Array, count: int | None = None) -> Components:
    """The first ``count`` principal directions of points (n, d); without a count as many as there can be, min(n, d)."""
    mean = X.mean(axis=0)
    return components_around(mean, X - mean, count)


def components_around(mean: Array, centred: Array, count: int | None = None) -> Components:
    """The same of points that have been centred already."""
    whole, scale = float(np.vdot(centred, centred)), 1.0
    if not 1e-150 < whole < 1e200:  # squares overflow or vanish
        largest = max(float(centred.max()), -float(centred.min()))
        scale = 1.0 if largest == 0.0 or 1e-100 < largest < 1e100 else largest
        centred = centred / scale
        whole = float(np.vdot(centred, centred))
    lengths, directions = longest_directions(centred, count)
    fractions = np.clip(lengths**2 / whole, 0.0, 1.0) if whole > 0.0 else np.zeros(len(lengths))
    return Components(mean, directions, lengths * scale, fractions)


def longest_directions(table: Array, count: int | None = None) -> tuple[Array, Array]:
    """The largest singular values (k,) of a table and its right singular vectors as rows (k, d).

    The largest number of each row is positive. There are always min(count, d) rows: the last ones may have length 0.
    """
    n, d = table.shape
    count = min(n, d) if count is None else min(count, d)
    if count == 0:
        return np.zeros(0), np.zeros((0, d))
    if min(n, d) > MAX_DENSE and count <= FEW:
        from scipy.sparse.linalg import svds  # slow to import, and seldom needed

        _, lengths, rows = svds(table, k=count, v0=np.ones(min(n, d)))
        order = np.argsort(-lengths)
        lengths, rows = lengths[order], rows[order]
    else:
        lengths, rows = _from_products(table) or _decomposed(table, count)
        lengths, rows = lengths[:count], rows[:count]
    largest = rows[np.arange(count), np.abs(rows).argmax(axis=1)]
    return lengths, rows * np.where(largest < 0.0, -1.0, 1.0)[:, None]


def _from_products(table: Array) -> tuple[Array, Array] | None:
    """Singular values and vectors from X'X = V S^2 V', or nothing where that would lose digits."""
    n, d = table.shape
    if n < TALL * d:
        return None
    values, vectors = np.linalg.eigh(table.T @ table)
    if not values[0] > SAFE * values[-1]:
        return None
    return np.sqrt(values[::-1]), vectors.T[::-1]


def _decomposed(table: Array, count: int) -> tuple[Array, Array]:
    """Singular values and vectors of the table itself."""
    n, d = table.shape
    if n < count:  # rows of zeros have directions as well
        table = np.vstack([table, np.zeros((count - n, d))])
    elif n > d:
        table = triangle(table)
    _, lengths, rows = np.linalg.svd(table, full_matrices=False)
    return lengths, rows


def triangle(table: Array) -> Array:
    """R (d, d) with R'R = X'X of a table X (n, d) with more rows than columns: a turn of the rows leaves fewer."""
    n, d = table.shape
    rows = max(ROWS, 2 * d)
    found = np.linalg.qr(table[:rows], mode="r")
    for start in range(rows, n, rows):
        checkpoint()
        found = np.linalg.qr(np.concatenate([found, table[start : start + rows]]), mode="r")
    return np.asarray(found)
