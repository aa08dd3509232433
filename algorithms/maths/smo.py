"""Sequential minimal optimisation of one two-class problem: the working state and the update of one pair.

    maximise  W(α) = Σ α_i - ½ Σ α_i α_j y_i y_j k_ij    subject to  0 <= α_i <= C,  Σ α_i y_i = 0

Everything is written in the residuals r_i = y_i - Σ_j α_j y_j k_ij, kept up to date in O(n) per pair. A multiplier that
may move "up" along its label (y α can grow) wants bias >= r_i, one that may move "down" wants bias <= r_i. So the
KKT conditions hold for some bias exactly when max r over "up" <= min r over "down"; the excess is the *violation*.
With squared slack the kernel gets 1/C on its diagonal and the box loses its lid (Statistical Machine Learning,
SOFT-MARGIN SVM).

Which pairs are made, and what is done where they converge slowly, is in :mod:`algorithms.maths.smo_rules`.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np

from algorithms.data import Array
from algorithms.interrupt import checkpoint
from algorithms.maths.kernels import Kernel, row_maker

ROUNDING = 1e-15
_CACHE_BYTES = 200 * 2**20  # what scikit-learn gives to libsvm
_FLAT = 1e-12  # curvature below this fraction of k_ii + k_jj is rounding
_BALANCED = 1e-13
_TINY = 1e-290  # never divide by less


class Rows:
    """Rows of the Gram matrix, made when first asked for; the longest unused are dropped when memory is spent."""

    def __init__(self, kernel: Kernel, X: Array, ridge: float) -> None:
        self._row, self._ridge = row_maker(kernel, X), ridge
        self._most = max(2, _CACHE_BYTES // (8 * len(X)))
        self._rows: dict[int, Array] = {}  # the latest used last, once memory is short
        self.diagonal = kernel.diagonal(X) + ridge
        self.flat = max(_FLAT * float(np.abs(self.diagonal).max()), _TINY)
        half = 0.5 * self.diagonal
        self._half: Array | float = float(half[0]) if np.ptp(half) == 0.0 else half

    def __getitem__(self, i: int) -> Array:
        row = self._rows.get(i)
        if row is None:
            row = self._made(i)
            if len(self._rows) >= self._most:
                del self._rows[next(iter(self._rows))]
            self._rows[i] = row
        elif len(self._rows) >= self._most:
            self._rows[i] = self._rows.pop(i)
        return row

    def once(self, i: int) -> Array:
        """A row that is not asked for again soon: it pushes out no other."""
        row = self._rows.get(i)
        return self._made(i) if row is None else row

    def _made(self, i: int) -> Array:
        row = self._row(i)
        if self._ridge:
            row[i] += self._ridge
        return row

    def half_curvatures(self, i: int, out: Array) -> Array:
        """½ (k_ii + k_jj) - k_ij for all j, and a little: not 0 where the points are equal."""
        level = self._half + (0.5 * self.diagonal.item(i) + self.flat)
        return np.subtract(level, self[i], out=out)


class KktStatus(NamedTuple):
    """How far a problem has come: the certificate and what the next choice of a pair needs."""

    first: int  # the multiplier that most wants to move up
    top: float  # its residual
    bottom: float  # the smallest residual that may move down
    bias: float
    margins: Array  # (n,) 1 - y f: positive inside the margin
    dual: float
    gap: float

    @property
    def primal(self) -> float:
        """The primal objective; by weak duality no solution is below ``dual``."""
        return self.dual + self.gap

    @property
    def violation(self) -> float:
        """By how much the KKT conditions fail."""
        return max(self.top - self.bottom, 0.0)

    def certified(self, tol: float) -> bool:
        """Whether this is the optimum up to ``tol``: the KKT conditions, and the gap relative to the objective."""
        return self.top - self.bottom <= tol and self.gap <= tol * max(abs(self.primal), ROUNDING)


class Pair(NamedTuple):
    """One update, in the terms of Algorithm 13 (Handbook): where the two multipliers were, and how far they went."""

    i: int
    j: int
    old: tuple[float, float]
    new: tuple[float, float]
    wanted: float  # the unclipped move along y_i
    moved: float
    lowest: float  # the feasible moves
    highest: float
    curvature: float


class Problem:
    """The working memory of one two-class problem. It changes; frames get copies.

    ``other`` is a problem with the same kernel and slack; rows over the same points serve both.
    """

    def __init__(
        self,
        X: Array,
        members: Array,
        signs: Array,
        kernel: Kernel,
        C: float,
        slack: Literal["linear", "squared"],
        other: Problem | None = None,
    ) -> None:
        self.members = members  # (n,) which points of the data set
        self.X = X if len(members) == len(X) else X[members]
        self.y = signs  # (n,) -1.0 or 1.0
        self.kernel, self.C, self.squared = kernel, C, slack == "squared"
        self.limit = np.inf if self.squared else C
        if other is not None and other.members is members:
            self.rows: Rows = other.rows
        else:
            self.rows = Rows(kernel, self.X, 1.0 / C if self.squared else 0.0)
        self.bias: float | None = None  # only the simplified rule keeps one of its own
        self.negative_curvature = False
        self._both = np.empty((2, len(signs)))
        self._scratch, self._lower = self._both
        self._sides: list[float] = signs.tolist()
        self.restart(np.zeros(len(signs)))

    def restart(self, alpha: Array) -> None:
        """Go on from these feasible multipliers; everything else is calculated afresh."""
        self._place(alpha)
        self.refresh()

    def move(self, alpha: Array) -> None:
        """Go on to these feasible multipliers, of which few are new; the residuals follow."""
        before = self.signed
        self._place(alpha)
        steps = self.signed - before
        change = np.zeros(len(alpha))
        for k in steps.nonzero()[0].tolist():
            checkpoint()
            change += np.multiply(self.rows[k], steps[k], out=self._scratch)
        self.residual -= change

    def _place(self, alpha: Array) -> None:
        self.alpha = alpha
        self.signed = alpha * self.y
        self.support = int(np.count_nonzero(alpha))
        rising, falling = alpha < self.limit, alpha > 0.0
        positive = self.y > 0.0
        up = np.where(np.where(positive, rising, falling), 0.0, -np.inf)
        self._edges = np.array([up, np.where(np.where(positive, falling, rising), 0.0, np.inf)])
        self._up, self._down = self._edges

    def refresh(self) -> None:
        """Calculate the residuals afresh, so that the certificate does not rest on thousands of rounded updates."""
        self.residual = self.y.copy()
        for k in self.alpha.nonzero()[0].tolist():
            checkpoint()
            np.multiply(self.rows.once(k), self.signed[k], out=self._scratch)
            self.residual -= self._scratch

    def extremes(self) -> tuple[int, float, float]:
        """The multiplier that most wants to move up, its residual, and the smallest residual that may move down."""
        np.add(self.residual, self._edges, out=self._both)
        wish, lower = self._scratch, self._lower
        first = int(wish.argmax())
        return first, wish.item(first), lower.item(lower.argmin())

    def standing(self) -> KktStatus:
        """Measure the certificate."""
        extremes = self.extremes()
        bias = 0.5 * (extremes[1] + extremes[2]) if self.bias is None else self.bias
        total, product = self.sums()
        margins = self.residual - bias
        gap = self.gaps(margins, self.alpha, product)
        return KktStatus(*extremes, bias, margins, 0.5 * (total + product), float(gap))

    def sums(self) -> tuple[float, float]:
        """Σ α and Σ α - αᵀQα; the dual value is their mean."""
        return float(self.signed.dot(self.y)), self.product()

    def product(self) -> float:
        """Σ α - αᵀQα."""
        return float(self.signed.dot(self.residual))

    def gaps(self, offsets: Array, alpha: Array, products: Array | float, work: Array | None = None) -> Array:
        """The gap of one state, or of each of several (k, n): Σ [α_i (y_i f_i - 1) + C ξ_i], primal minus dual.

        The ``offsets`` of the residuals from the bias become the margins 1 - y f; ``work`` is memory of their size.
        """
        margins = np.multiply(offsets, self.y, out=offsets)
        if self.squared:  # the residuals hold the ridge: y r = 1 - y f - α/C, and C ξ = α is what is wanted
            margins += alpha / self.C
            slack = np.maximum(margins, 0.0)
            gap = 0.5 * self.C * _squares(slack) + 0.5 / self.C * _squares(alpha) - (alpha * margins).sum(axis=-1)
        else:
            gap = self.C * np.add.reduce(np.maximum(margins, 0.0, out=work), axis=-1) - products
        return np.maximum(gap, 0.0)  # by weak duality it is never negative

    def second(self, first: int, top: float) -> int:
        """The partner that gains most by a quadratic model (second order: Fan, Chen, Lin 2005; libsvm's WSS 2).

        To be asked right after the extremes were found.
        """
        gains = np.subtract(top, self._lower, out=self._lower)
        np.maximum(gains, 0.0, out=gains)
        gains *= gains
        curvature = self.rows.half_curvatures(first, out=self._scratch)  # half of it does as well
        if not self.kernel.semidefinite:
            np.maximum(curvature, self.rows.flat, out=curvature)
        gains /= curvature
        return int(gains.argmax())

    def best_pair(self, first: int, top: float) -> Pair:
        """The multiplier that violates most, and the partner with which it gains most."""
        return self.pair(first, self.second(first, top))

    def pair(self, i: int, j: int) -> Pair:
        """The best feasible move α_i += y_i t, α_j -= y_j t, without making it.

        The gain is (r_i - r_j) t - ½ η t². Where the curvature η is not positive (equal points, or a kernel that is
        not semi-definite) the gain grows without end and the move goes on to the edge of the box.
        """
        diagonal = self.rows.diagonal
        level = diagonal.item(i) + diagonal.item(j)
        curvature = level - 2.0 * self.rows[i].item(j)
        slope = self.residual.item(i) - self.residual.item(j)
        old = a, b = self.alpha.item(i), self.alpha.item(j)
        # L and H of Algorithm 13: the moves along y_i that keep both in the box
        limit = self.limit
        lowest, highest = (-a, limit - a) if self._sides[i] > 0.0 else (a - limit, a)
        if self._sides[j] > 0.0:
            lowest, highest = max(lowest, b - limit), min(highest, b)
        else:
            lowest, highest = max(lowest, -b), min(highest, limit - b)
        if curvature > _FLAT * abs(level):
            wanted = slope / curvature
        else:
            self.negative_curvature |= curvature < -_FLAT * abs(level)
            wanted = math.inf if slope > 0.0 else -math.inf
        moved = min(max(wanted, lowest), highest)
        new = self._moved(i, a, moved), self._moved(j, b, -moved)
        return Pair(i, j, old, new, wanted, moved, lowest, highest, curvature)

    def _moved(self, k: int, old: float, move: float) -> float:
        """The new α_k, set exactly on 0 or C when it gets there up to rounding."""
        step = move if self._sides[k] > 0.0 else -move
        new = old + step
        dust = 4.0 * ROUNDING * max(old, abs(step))
        if new <= dust:
            return 0.0
        return self.C if new >= self.limit * (1.0 - 4.0 * ROUNDING) else new

    def apply(self, pair: Pair, residual: Array | None = None) -> None:
        """Make the move, and let it reach the residuals: where they are, or in another array."""
        first = self._set(pair.i, pair.old[0], pair.new[0])
        second = self._set(pair.j, pair.old[1], pair.new[1])
        # the two changes are large and of opposite signs: first their sum, then the residuals
        if abs(first + second) <= ROUNDING * abs(first):
            change = np.subtract(self.rows[pair.i], self.rows[pair.j], out=self._scratch)
            change *= first
        else:  # one of them was set on its bound
            change = np.multiply(self.rows[pair.i], first, out=self._scratch)
            change += np.multiply(self.rows[pair.j], second, out=self._lower)
        self.residual = np.subtract(self.residual, change, out=self.residual if residual is None else residual)

    def _set(self, k: int, old: float, new: float) -> float:
        """Write a multiplier; gives the change of y α."""
        sign = self._sides[k]
        self.alpha[k], self.signed[k] = new, new * sign
        self.support += (new > 0.0) - (old > 0.0)
        up, down = (new < self.limit, new > 0.0) if sign > 0.0 else (new > 0.0, new < self.limit)
        self._up[k], self._down[k] = 0.0 if up else -math.inf, 0.0 if down else math.inf
        return (new - old) * sign


def _squares(rows: Array) -> Array:
    """The sum of the squares of each row."""
    return np.square(rows).sum(axis=-1)


def feasible(alpha: Array, signs: Array, limit: float) -> Array:
    """Multipliers near the given ones that lie in the box and balance: the heavier side is scaled down."""
    clipped = np.clip(np.nan_to_num(alpha), 0.0, limit)
    positive = signs > 0.0
    up, down = float(clipped[positive].sum()), float(clipped[~positive].sum())
    if min(up, down) <= 0.0:
        return np.zeros_like(clipped)
    if abs(up - down) <= _BALANCED * max(up, down):
        return clipped
    heavier = positive if up > down else ~positive
    clipped[heavier] *= min(up, down) / max(up, down)
    largest = int(np.where(heavier, clipped, -1.0).argmax())  # it takes what rounding leaves over
    clipped[largest] = min(clipped[largest] - signs[largest] * float(clipped @ signs), limit)
    return clipped
