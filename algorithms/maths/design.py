"""The columns of a fit, brought into a shape in which every solver is short and keeps its digits."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from algorithms.data import Array, DataError
from algorithms.interrupt import checkpoint
from algorithms.maths.penalties import Penalty

EPSILON = float(np.finfo(float).eps)
REDUNDANT = 30.0
"""A direction so many times shorter than the longest says next to nothing of its own (Belsley's condition index)."""


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """Columns of length 1 and a target, both centred when the intercept is free."""

    Z: Array  # (n, p), or fewer rows after reduced()
    y: Array  # (n,)
    means: Array  # (p,) of the raw columns; 0 without a free intercept
    lengths: Array  # (p,) of the centred raw columns; 1 for a column that vanishes
    y_mean: float
    n: int  # points, also after reduced()

    @classmethod
    def of(cls, columns: Array, y: Array, centred: bool, weights: Array | None = None) -> Design:
        """The design of raw columns (n, p); ``weights`` (n,) count some points more than others."""
        checkpoint()
        n, p = columns.shape
        means, y_mean = np.zeros(p), 0.0
        if centred:
            fractions = np.full(n, 1.0 / n) if weights is None else weights / weights.sum()
            means, y_mean = fractions @ columns, float(fractions @ y)
        Z, target = columns - means, y - y_mean
        if weights is not None:
            root = np.sqrt(weights)
            Z, target = Z * root[:, None], target * root
        lengths = np.sqrt(np.einsum("ij,ij->j", Z, Z))
        # what centring leaves of a constant column is rounding, and must not be blown up to length 1
        empty = lengths <= 8.0 * EPSILON * np.sqrt(n) * np.abs(means)
        Z[:, empty] = 0.0
        lengths = np.where(empty | (lengths == 0.0), 1.0, lengths)
        Z /= lengths
        return cls(Z, target, means, lengths, y_mean, n)

    def reduced(self) -> Design:
        """The same problem in p + 1 rows, by an orthogonal transformation: every penalty can then be tried cheaply."""
        rows, p = self.Z.shape
        if rows <= p + 1:
            return self
        checkpoint()
        R = triangle(np.column_stack([self.Z, self.y]))
        return replace(self, Z=np.ascontiguousarray(R[:, :p]), y=R[:, p].copy())

    def only(self, chosen: tuple[int, ...]) -> Design:
        """The same design with all other columns empty."""
        keep = np.zeros(self.Z.shape[1], dtype=bool)
        keep[list(chosen)] = True
        return replace(self, Z=self.Z * keep)

    def coefficients(self, b: Array) -> tuple[float, Array]:
        """The intercept and the raw coefficients of scaled ones."""
        beta = b / self.lengths
        return self.y_mean - float(self.means @ beta), beta

    def scaled(self, penalty: Penalty) -> tuple[Array, Array]:
        """The penalty in the scaled coefficients: (root of the l2 price, l1 price), each (p,)."""
        return np.sqrt(penalty.l2) / self.lengths, penalty.l1 / self.lengths

    def power_prices(self, penalty: Penalty) -> Array:
        """The price of |b_j|^q for each scaled coefficient."""
        with np.errstate(over="ignore", divide="ignore"):
            prices = penalty.lq / self.lengths**penalty.q
        return np.minimum(prices, 1e200)

    def squares(self, b: Array) -> float:
        """The sum of the squared residuals that scaled coefficients leave."""
        residual = self.y - self.Z @ b
        return float(residual @ residual)


def count_directions(s: Array, rows: int, wanted: int) -> int:
    """How many of the singular directions, longest first, to use: never those that are rounding of so many ``rows``.

    ``wanted`` is 0 for all but the redundant ones.
    """
    longest = float(s.max(initial=0.0))
    true = int(np.count_nonzero(s > EPSILON * rows * longest))
    return min(wanted, true) if wanted else int(np.count_nonzero(s[:true] * REDUNDANT >= longest))


def condition_number(eigenvalues: Array) -> float:
    """The largest by the least; the inverse is the spectral condition of the slides."""
    largest = float(eigenvalues.max())
    return largest / max(float(eigenvalues.min()), 1e-60 * largest, np.finfo(float).tiny)


def triangle(A: Array) -> Array:
    """R of A = QR, (p, p) or fewer rows: all that least squares has to know of the rows of A."""
    block = max(_ROWS, 2 * A.shape[1])
    if len(A) <= 2 * block:
        return _triangle(A)
    R = _triangle(A[:block])  # many rows one part after the other, so that the work can be called off
    for start in range(block, len(A), block):
        checkpoint()
        R = _triangle(np.vstack([R, A[start : start + block]]))
    return R


def _triangle(A: Array) -> Array:
    from scipy.linalg import lapack

    packed, *_ = lapack.dgeqrf(np.array(A, order="F"), overwrite_a=1)
    return np.triu(packed[: min(A.shape)])


_ROWS = 2000
"""Rows whose triangle is made in one call."""


def least_squares(A: Array, y: Array, n: int = 0, dropped: float | None = None) -> Array:
    """The shortest solution; directions are dropped that are rounding errors of ``n`` rows, from which A was made.

    Or those that are shorter than the fraction ``dropped`` of the longest one. Infinity is refused: LAPACK might look
    for a solution for ever, and could not be called off.
    """
    if A.shape[1] == 0:
        return np.zeros((0, *y.shape[1:]))
    if not (np.isfinite(A).all() and np.isfinite(y).all()):
        raise DataError("Least squares cannot be computed: its numbers leave the range of numbers.")
    return np.asarray(np.linalg.lstsq(A, y, rcond=EPSILON * max(n, *A.shape) if dropped is None else dropped)[0])
