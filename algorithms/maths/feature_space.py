"""The part of a kernel's feature space that some points span, with coordinates in which it is an ordinary space.

By the representer theorem the best w of a penalised fit is a combination w = Φᵀα of the φ(x_i): nothing outside their
span is ever needed. The Gram matrix of the points, K = V L Vᵀ, gives it axes of length 1: φ(x) has the coordinates
k(x, centres) V L^-½, whose scalar products are the kernel. A method for weights w with the price |w|² works in these
coordinates as it is, and α = V L^-½ w gives its answer back as a sum over the points, f(x) = Σ α_i k(x_i, x), with the
same price: |w|² = αᵀKα. Reference: section 7 (Introduction to Machine Learning); slides 222-225 (Machine Learning
(Buhmann)).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from algorithms.data import Array
from algorithms.interrupt import checkpoint
from algorithms.maths.kernels import Kernel, refuse_overflow
from algorithms.maths.landmarks import MOST_SPECTRAL, landmarks

_FLAT = 1e-12
"""Axes whose eigenvalue is below this fraction of the largest one are rounding."""
_NARROW = 1e-6
"""The same where a radial kernel leaves points out: along such axes the others would pull against each other wildly."""
_NOTICED = 1e-6
"""A change of f that can be seen."""
_BLOCK = 1 << 20
"""Kernel values that are calculated at a time."""


@dataclass(frozen=True, slots=True, eq=False)
class Span:
    """The combinations of φ at some of the points: all that a fitted sum needs."""

    kernel: Kernel
    members: Array  # (m,) which points of the data are the centres
    centres: Array  # (m, d)

    @property
    def span(self) -> Span:
        """The same without axes."""
        return Span(self.kernel, self.members, self.centres)

    def values(self, X: Array, alpha: Array) -> Array:
        """Σ_i α_i k(x_i, x) at the rows of ``X``, (n, k), for coefficients α (k, m)."""
        return kernel_times(self.kernel, X, self.centres, alpha.T)

    def same_as(self, other: Span | None) -> bool:
        """Whether coefficients mean the same in the other one."""
        return other is not None and self.kernel == other.kernel and np.array_equal(self.centres, other.centres)


@dataclass(frozen=True, slots=True, eq=False)
class FeatureSpace(Span):
    """The span of φ at some of the points; made by :meth:`of`."""

    basis: Array  # (m, r) = V L^-½
    eigenvalues: Array  # (r,) of the Gram matrix of the centres, largest first
    dropped: float  # the largest eigenvalue whose axis was left out

    @classmethod
    def of(cls, kernel: Kernel, X: Array, most: int) -> FeatureSpace:
        """The span of all points, or of ``most`` of them at equal distances in the table."""
        refuse_overflow(kernel, X)
        members = landmarks(len(X), most)
        centres = X[members]
        checkpoint()
        values, vectors = np.linalg.eigh(kernel(centres, centres))
        checkpoint()
        values, vectors = values[::-1], vectors[:, ::-1]
        true = values > _flat(kernel, centres, len(X)) * max(float(values[0]), 0.0)
        dropped = float(np.abs(values[~true]).max(initial=0.0))
        values = values[true].copy()
        return cls(kernel, members, centres, vectors[:, true] / np.sqrt(values), values, dropped)

    def features(self, X: Array) -> Array:
        """The coordinates of φ at the rows of ``X``, (n, r)."""
        return kernel_times(self.kernel, X, self.centres, self.basis)

    def alpha(self, weights: Array, wanted: Array | None = None) -> Array:
        """The coefficients of the centres, (k, m), of weights (k, r).

        Where the kernel has fewer dimensions than there are centres many coefficients mean the same: these are the ones
        nearest to those ``wanted`` (k, m), or to 0; also to 0 where rounding would turn the others into another f.
        """
        shortest: Array = weights @ self.basis.T
        if wanted is None:
            return shortest
        axes = self.basis * np.sqrt(self.eigenvalues)
        unseen: Array = wanted - (wanted @ axes) @ axes.T
        error = self.dropped * float(np.linalg.norm(unseen))
        return shortest + unseen if error < _NOTICED else shortest

    def weights(self, alpha: Array) -> Array:
        """The weights (k, r) of coefficients of the centres (k, m)."""
        return np.asarray(alpha @ (self.basis * self.eigenvalues))

    @property
    def rank(self) -> int:
        """How many axes there are."""
        return len(self.eigenvalues)


def _flat(kernel: Kernel, centres: Array, n: int) -> float:
    """Below this fraction of the largest one an axis is rounding."""
    radial = bool(np.ptp(kernel.diagonal(centres)) == 0.0)
    return _NARROW if radial and len(centres) < n else _FLAT


@dataclass(frozen=True, slots=True, eq=False)
class PivotedSpace(Span):
    """The same span with other axes, for thousands of centres: from the pivoted Cholesky factor K = L Lᵀ.

    Eigenvectors of 4,000 points take half a minute, the factor a second. Row i of L holds the coordinates of φ(x_i);
    those of a new point solve a triangular system with the pivots, the few points that span all others.
    """

    factor: Array  # (m, r) the rows of L, the pivots first: a lower triangle
    order: Array  # (m,) the centre of each row
    dropped: float  # no eigenvalue that was left out is larger

    @classmethod
    def of(cls, kernel: Kernel, X: Array, most: int) -> PivotedSpace:
        """The span of all points, or of ``most`` of them at equal distances in the table."""
        from scipy.linalg.lapack import dpstrf

        refuse_overflow(kernel, X)
        members = landmarks(len(X), most)
        centres = X[members]
        checkpoint()
        gram = np.empty((len(centres), len(centres)), order="F")
        for start in range(0, len(centres), 256):
            checkpoint()
            gram[:, start : start + 256] = kernel(centres, centres[start : start + 256])
        least = _flat(kernel, centres, len(X)) * float(np.diag(gram).max())
        found, order, rank, _ = dpstrf(gram, tol=least, lower=1, overwrite_a=1)
        checkpoint()
        return cls(kernel, members, centres, np.tril(found)[:, :rank], order - 1, (len(centres) - rank) * least)

    @property
    def rank(self) -> int:
        """How many axes there are."""
        return self.factor.shape[1]

    def features(self, X: Array) -> Array:
        """The coordinates of φ at the rows of ``X``, (n, r)."""
        if X.shape == self.centres.shape and np.array_equal(X, self.centres):
            answer = np.empty_like(self.factor)
            answer[self.order] = self.factor
            return answer
        from scipy.linalg import solve_triangular

        answer = np.empty((len(X), self.rank))
        pivots, corner = self.centres[self.order[: self.rank]], self.factor[: self.rank]
        rows = max(_BLOCK // max(self.rank, 1), 1)
        for start in range(0, len(X), rows):
            checkpoint()
            values = self.kernel(X[start : start + rows], pivots)
            answer[start : start + rows] = solve_triangular(corner, values.T, lower=True).T
        return answer

    def alpha(self, weights: Array, wanted: Array | None = None) -> Array:
        """The coefficients of the centres, (k, m), of weights (k, r): those ``wanted``, or 0, but for the pivots."""
        from scipy.linalg import solve_triangular

        answer = np.zeros((len(weights), len(self.members)))
        if wanted is not None and self.dropped * float(np.linalg.norm(wanted)) < _NOTICED:
            answer += wanted
        left = weights - self.weights(answer)
        corner, pivots = self.factor[: self.rank], self.order[: self.rank]
        answer[:, pivots] += solve_triangular(corner, left.T, lower=True, trans="T").T
        return answer

    def weights(self, alpha: Array) -> Array:
        """The weights (k, r) of coefficients of the centres (k, m)."""
        return np.asarray(alpha[:, self.order] @ self.factor)


def spanned(kernel: Kernel, X: Array, most: int) -> FeatureSpace | PivotedSpace:
    """The span of at most so many of the points, with the axes that take least time."""
    few = min(len(X), most) <= MOST_SPECTRAL
    return FeatureSpace.of(kernel, X, most) if few else PivotedSpace.of(kernel, X, most)


def kernel_times(kernel: Kernel, X: Array, centres: Array, factor: Array) -> Array:
    """k(X, centres) times a matrix (m, k); some rows at a time, so that it can be called off and memory is small."""
    answer = np.empty((len(X), factor.shape[1]))
    rows = max(_BLOCK // max(len(centres), 1), 1)
    for start in range(0, len(X), rows):
        checkpoint()
        answer[start : start + rows] = kernel(X[start : start + rows], centres) @ factor
    return answer
