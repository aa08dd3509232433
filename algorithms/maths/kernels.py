"""Kernels: inner products k(x, z) = φ(x)·φ(z) in a feature space that is never visited.

Each kernel is a frozen value with four views of itself: all pairs (``kernel(X, Z)``), one row of the Gram matrix
(``row``), its diagonal, and its slopes: the gradient of k(x, z) in z is slope · x, or slope · (x - z) where the kernel
is radial; it is what changes a decision value when a point moves. References: Handbook §4.4.1 (000), slides 222-227
(003), Methods for Data Science §7.3 (002).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from algorithms.dataset import Array, DataError
from algorithms.maths.distances import FEW_FEATURES, squared_distances, squared_norms

LARGEST = 1e100
"""Kernel values beyond this cannot be multiplied with each other any more; such data has to be scaled first."""
_LARGEST_FEATURE = 1e75


class Kernel(Protocol):
    """What a kernel can do. ``semidefinite`` says that every Gram matrix is positive semi-definite, by theorem."""

    @property
    def semidefinite(self) -> bool: ...

    @property
    def radial(self) -> bool: ...

    def __call__(self, X: Array, Z: Array) -> Array:
        """All values between the rows of ``X`` and of ``Z``, (n, m)."""

    def row(self, x: Array, Z: Array) -> Array:
        """The values between one point (d,) and the rows of ``Z``, (m,)."""

    def diagonal(self, X: Array) -> Array:
        """The value of every row with itself, (n,)."""

    def slopes(self, X: Array, Z: Array, values: Array) -> Array:
        """The slope of every pair, (n, m), or (m,) if X is one point; ``values`` are those of the kernel."""


@dataclass(frozen=True, slots=True)
class Linear:
    """k(x, z) = x·z: the data space itself."""

    semidefinite = True
    radial = False

    def __call__(self, X: Array, Z: Array) -> Array:
        return X @ Z.T

    def row(self, x: Array, Z: Array) -> Array:
        return Z @ x

    def diagonal(self, X: Array) -> Array:
        return squared_norms(X)

    def slopes(self, X: Array, Z: Array, values: Array) -> Array:
        return np.ones_like(values)


@dataclass(frozen=True, slots=True)
class Polynomial:
    """k(x, z) = (x·z + offset)^degree: all products of up to ``degree`` features (of exactly that many at 0)."""

    degree: int = 3
    offset: float = 1.0

    semidefinite = True  # a power series with coefficients >= 0 of a kernel, as long as offset >= 0
    radial = False

    def __post_init__(self) -> None:
        if self.offset < 0.0:
            raise ValueError("offset must not be negative; the polynomial would not be a kernel")

    def __call__(self, X: Array, Z: Array) -> Array:
        return _power(X @ Z.T + self.offset, self.degree)

    def row(self, x: Array, Z: Array) -> Array:
        return _power(Z @ x + self.offset, self.degree)

    def diagonal(self, X: Array) -> Array:
        return _power(squared_norms(X) + self.offset, self.degree)

    def slopes(self, X: Array, Z: Array, values: Array) -> Array:
        return self.degree * _power(X @ Z.T + self.offset, self.degree - 1)


@dataclass(frozen=True, slots=True)
class Gaussian:
    """k(x, z) = exp(-|x - z|² / (2 sigma²)), the radial basis function; elsewhere gamma = 1 / (2 sigma²)."""

    sigma: float = 1.0

    semidefinite = True
    radial = True

    def __call__(self, X: Array, Z: Array) -> Array:
        origin = Z.mean(axis=0) if len(Z) else 0.0  # distances are differences: amid the points they keep their digits
        values = squared_distances(X - origin, Z - origin)
        values *= -0.5 / self.sigma**2
        return np.exp(values, out=values)

    def row(self, x: Array, Z: Array) -> Array:
        if Z.shape[1] > FEW_FEATURES:
            values = squared_norms(Z - x)
        else:  # feature by feature: four times as fast
            values = np.square(Z[:, 0] - x[0])
            for j in range(1, Z.shape[1]):
                values += np.square(Z[:, j] - x[j])
        values *= -0.5 / self.sigma**2
        return np.exp(values, out=values)

    def diagonal(self, X: Array) -> Array:
        return np.ones(len(X))

    def slopes(self, X: Array, Z: Array, values: Array) -> Array:
        return values / self.sigma**2


@dataclass(frozen=True, slots=True)
class Sigmoid:
    """k(x, z) = tanh(slope x·z - shift). Listed as a Mercer kernel in 003, but in general it is *not* semi-definite."""

    slope: float = 1.0
    shift: float = 0.0

    semidefinite = False
    radial = False

    def __call__(self, X: Array, Z: Array) -> Array:
        values = X @ Z.T
        values *= self.slope
        values -= self.shift
        return np.tanh(values, out=values)

    def row(self, x: Array, Z: Array) -> Array:
        return np.tanh(self.slope * (Z @ x) - self.shift)

    def diagonal(self, X: Array) -> Array:
        return np.tanh(self.slope * squared_norms(X) - self.shift)

    def slopes(self, X: Array, Z: Array, values: Array) -> Array:
        return self.slope * (1.0 - values**2)


def gradients(kernel: Kernel, x: Array, Z: Array) -> Array:
    """The gradient of k(x, z) in z at every row of ``Z``, (m, d)."""
    slopes = kernel.slopes(x, Z, kernel.row(x, Z))
    answer: Array = slopes[:, None] * (x - Z if kernel.radial else x)
    return answer


def smallest_eigenvalue(kernel: Kernel, X: Array) -> float:
    """The smallest eigenvalue of the Gram matrix: below zero (beyond rounding) the kernel is not semi-definite."""
    return float(np.linalg.eigvalsh(kernel(X, X))[0])


def refuse_overflow(kernel: Kernel, X: Array) -> None:
    """Raise :class:`DataError` when kernel values on ``X`` leave the range in which one can calculate with them."""
    reach = float(np.abs(X).max())
    largest = float(np.abs(kernel.diagonal(X)).max()) if reach <= _LARGEST_FEATURE else np.inf
    if not largest <= LARGEST:
        raise DataError(
            f"The features reach {reach:.3g}, where the kernel is too large to calculate with; "
            "divide the features by a constant first."
        )


def _power(base: Array, exponent: int) -> Array:
    """``base ** exponent`` by repeated squaring: exact for small whole numbers and several times faster than pow."""
    with np.errstate(over="ignore", invalid="ignore"):
        result = np.ones_like(base)
        square = base
        while exponent:
            if exponent & 1:
                result = result * square
            exponent >>= 1
            if exponent:
                square = square * square
    return result
