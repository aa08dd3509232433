"""The mathematics of the singular value decomposition: layers, what they leave over, and a circle on its way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from algorithms.data import Array, DataError

MOST_WORK = 5e8
"""Rows times columns times the smaller of both: more would take over half a second in one piece, not to be ended."""
EQUAL = 1e-9
"""Singular values nearer than this beside the first are equal."""
NOTHING = 1e-12
"""A singular value below this fraction of the first is a zero with rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class Decomposition:
    """A = U S V', with all r = min(n, d) singular values."""

    A: Array  # (n, d)
    U: Array  # (n, r) columns of length 1 at right angles
    s: Array  # (r,) never rising, never negative
    Vt: Array  # (r, d) rows of length 1 at right angles; the largest number of each is positive
    squares: Array  # (r + 1,) what the squares of all numbers that k layers leave over add up to

    @classmethod
    def of(cls, A: Array) -> Decomposition:
        """The decomposition of a matrix (n, d) that is not all zeros."""
        n, d = A.shape
        if float(n) * d * min(n, d) > MOST_WORK:
            raise DataError(f"A matrix of {n:,} × {d:,} numbers is too large to be decomposed here; take a part of it.")
        if not A.any():
            raise DataError("All numbers of the matrix are 0, so there is nothing to be taken apart.")
        U, s, Vt = np.linalg.svd(A, full_matrices=False)
        signs = np.where(Vt[np.arange(len(s)), np.abs(Vt).argmax(axis=1)] < 0.0, -1.0, 1.0)
        squares = np.concatenate([np.cumsum(np.square(s)[::-1])[::-1], [0.0]])
        return cls(A, U * signs, s, Vt * signs[:, None], squares)

    def doubt(self, rank: int) -> Literal["", "equal", "rank"]:
        """Whether another matrix of this rank is just as near, or whether there are fewer layers."""
        s, k = self.s, min(rank, len(self.s))
        if k < len(s) and s[k] > EQUAL * s[0] and s[k - 1] - s[k] <= EQUAL * s[0]:
            return "equal"
        return "rank" if self.rank < k else ""

    @property
    def rank(self) -> int:
        """How many singular values are more than rounding."""
        return int(np.count_nonzero(self.s > NOTHING * self.s[0]))

    def sum_of(self, k: int) -> Array:
        """A_k, the first k layers together (n, d)."""
        return np.asarray((self.U[:, :k] * self.s[:k]) @ self.Vt[:k])

    def next_value(self, k: int) -> float:
        """The singular value after the k-th, which is the spectral norm of A - A_k (Eckart and Young)."""
        return float(self.s[k]) if k < len(self.s) else 0.0

    def frobenius(self, k: int) -> float:
        """The root of the sum of the squares of all numbers of A - A_k: those of the singular values after the k-th."""
        return float(np.sqrt(self.squares[k]))


def spectral_norm(R: Array) -> float:
    """How long a unit vector can become, from R'R or RR', whichever is smaller: measured, not looked up."""
    size = float(np.abs(R).max(initial=0.0))
    if size == 0.0:
        return 0.0
    R = R / size
    products = R @ R.T if R.shape[0] <= R.shape[1] else R.T @ R
    return size * float(np.sqrt(max(np.linalg.eigvalsh(products)[-1], 0.0)))


@dataclass(frozen=True, slots=True, eq=False)
class Circle:
    """What a matrix of two columns makes of the unit circle.

    Where it has not two rows as well, the ellipse is seen in the plane of u_1 and u_2.
    """

    map: Array  # (2, 2) from places of the circle to those of the ellipse
    v: Array  # (2, 2) rows: v_1 and v_2
    s: Array  # (2,) the half axes of the ellipse
    whole: bool  # there are two rows

    @classmethod
    def of(cls, found: Decomposition) -> Circle:
        """The circle of a matrix (n, 2)."""
        first = found.Vt[0]
        v = found.Vt if len(found.s) == 2 else np.stack([first, np.array([-first[1], first[0]])])
        s = np.append(found.s, 0.0)[:2]
        whole = len(found.A) == 2
        return cls(found.A if whole else s[:, None] * v, v, s, whole)

    @property
    def angle(self) -> float:
        """Of v_1, from 0 to less than pi."""
        return float(np.arctan2(self.v[0, 1], self.v[0, 0]) % np.pi)

    def image(self, at: Array) -> Array:
        """Where places (m, 2) go."""
        return np.asarray(at @ self.map.T)


def ladder(rank: int, each: int = 24) -> tuple[int, ...]:
    """1, 2, 3 ... and, after so many, in steps that grow; always the last."""
    steps, k = [], 0
    while k < rank:
        k = min(k + max(1, k // each), rank)
        steps.append(k)
    return tuple(steps)
