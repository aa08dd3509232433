"""Kernels: inner products k(x, z) = φ(x)·φ(z) in a feature space that is never visited.

Each kernel is a frozen value with four views of itself: all pairs (``kernel(X, Z)``), one row of the Gram matrix
(``row``), its diagonal, and its gradient: what changes a decision value Σ a_i k(x_i, z) when z moves. Sums, products
and positive multiples of kernels are kernels again; a convex function of a kernel need not be one (Introduction to
Machine Learning §7.2 says so, but neither -k nor |k| is semi-definite): it takes a power series with coefficients >= 0.
References: Handbook §4.4.1, slides 222-227 (Machine Learning (Buhmann)), Methods for Data Science §7.3,
Introduction to Machine Learning §7 (the Gaussian needs the *squared* norm).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from algorithms.data import Array, DataError
from algorithms.maths.distances import FEW_FEATURES, squared_distances, squared_norms

LARGEST = 1e100
"""Kernel values beyond this cannot be multiplied with each other any more; such data has to be scaled first."""
_LARGEST_FEATURE = 1e75
_FEW_WIDTHS = 30.0


class Kernel(Protocol):
    """What a kernel can do. ``semidefinite`` says that every Gram matrix is positive semi-definite, by theorem."""

    @property
    def semidefinite(self) -> bool: ...

    def __call__(self, X: Array, Z: Array) -> Array:
        """All values between the rows of ``X`` and of ``Z``, (n, m)."""

    def row(self, x: Array, Z: Array) -> Array:
        """The values between one point (d,) and the rows of ``Z``, (m,)."""

    def diagonal(self, X: Array) -> Array:
        """The value of every row with itself, (n,)."""

    def gradient(self, X: Array, Z: Array, weights: Array) -> Array:
        """The gradient of Σ_i weights_ij k(x_i, z_j) in z_j at every row of ``Z``, (m, d); weights are (n, m)."""


@dataclass(frozen=True, slots=True)
class Linear:
    """k(x, z) = x·z: the data space itself."""

    semidefinite = True

    def __call__(self, X: Array, Z: Array) -> Array:
        return X @ Z.T

    def row(self, x: Array, Z: Array) -> Array:
        return Z @ x

    def diagonal(self, X: Array) -> Array:
        return squared_norms(X)

    def gradient(self, X: Array, Z: Array, weights: Array) -> Array:
        return weights.T @ X


@dataclass(frozen=True, slots=True)
class Polynomial:
    """k(x, z) = (x·z + offset)^degree: all products of up to ``degree`` features (of exactly that many at 0)."""

    degree: int = 3
    offset: float = 1.0

    semidefinite = True  # a power series with coefficients >= 0 of a kernel, as long as offset >= 0

    def __post_init__(self) -> None:
        if self.offset < 0.0:
            raise ValueError("offset must not be negative; the polynomial would not be a kernel")

    def __call__(self, X: Array, Z: Array) -> Array:
        return _power(X @ Z.T + self.offset, self.degree)

    def row(self, x: Array, Z: Array) -> Array:
        return _power(Z @ x + self.offset, self.degree)

    def diagonal(self, X: Array) -> Array:
        return _power(squared_norms(X) + self.offset, self.degree)

    def gradient(self, X: Array, Z: Array, weights: Array) -> Array:
        slopes = self.degree * _power(X @ Z.T + self.offset, self.degree - 1)
        return (weights * slopes).T @ X


@dataclass(frozen=True, slots=True)
class Gaussian:
    """k(x, z) = exp(-|x - z|² / (2 sigma²)), the radial basis function; elsewhere gamma = 1 / (2 sigma²)."""

    sigma: float = 1.0

    semidefinite = True

    def __call__(self, X: Array, Z: Array) -> Array:
        origin = Z.mean(axis=0) if len(Z) else 0.0  # distances are differences: amid the points they keep their digits
        values = squared_distances(X - origin, Z - origin)
        values *= -0.5 / self.sigma**2
        return np.exp(values, out=values)

    def row(self, x: Array, Z: Array) -> Array:
        if Z.shape[1] > FEW_FEATURES:
            values = squared_norms(Z - x)
        else:  # feature by feature: four times as fast
            first, *others = x.tolist()
            values = Z[:, 0] - first
            values *= values
            for j, value in enumerate(others, start=1):
                offset = Z[:, j] - value
                offset *= offset
                values += offset
        values *= -0.5 / self.sigma**2
        return np.exp(values, out=values)

    def diagonal(self, X: Array) -> Array:
        return np.ones(len(X))

    def gradient(self, X: Array, Z: Array, weights: Array) -> Array:
        slopes = weights * self(X, Z)
        gradient: Array = slopes.T @ X - slopes.sum(axis=0)[:, None] * Z
        gradient /= self.sigma**2
        return gradient


@dataclass(frozen=True, slots=True)
class Laplacian:
    """k(x, z) = exp(-|x - z|₁ / tau), with the sum of the absolute differences: a bell with a crease at every point."""

    tau: float = 1.0

    semidefinite = True

    def __call__(self, X: Array, Z: Array) -> Array:
        if X.shape[1] <= FEW_FEATURES:  # feature by feature; SciPy is loaded only where it pays
            values = np.abs(X[:, :1] - Z[:, 0])
            for j in range(1, X.shape[1]):
                values += np.abs(X[:, j : j + 1] - Z[:, j])
        else:
            from scipy.spatial.distance import cdist

            values = cdist(X, Z, "cityblock")
        values *= -1.0 / self.tau
        return np.exp(values, out=values)

    def row(self, x: Array, Z: Array) -> Array:
        return np.exp(np.abs(Z - x).sum(axis=1) * (-1.0 / self.tau))

    def diagonal(self, X: Array) -> Array:
        return np.ones(len(X))

    def gradient(self, X: Array, Z: Array, weights: Array) -> Array:
        slopes = weights * self(X, Z) / self.tau
        sides = [np.einsum("ij,ij->j", slopes, np.sign(x[:, None] - z)) for x, z in zip(X.T, Z.T, strict=True)]
        return np.stack(sides, axis=1)


@dataclass(frozen=True, slots=True)
class Matern:
    """Matérn's kernel of the distance r = |x - z|: how often functions that are drawn with it can be differentiated.

    With s = √(2ν) r / length it is exp(-s) for ν = 1/2 (rough), (1 + s) exp(-s) for 3/2 (once) and
    (1 + s + s²/3) exp(-s) for 5/2 (twice); the Gaussian is the limit.
    """

    smoothness: float = 1.5  # ν: 0.5, 1.5 or 2.5
    length: float = 1.0

    semidefinite = True

    def __post_init__(self) -> None:
        if self.smoothness not in (0.5, 1.5, 2.5):
            raise ValueError("smoothness must be 0.5, 1.5 or 2.5; other values need Bessel functions")

    def _steps(self, X: Array, Z: Array) -> Array:
        """The distances s; the root of a rounding error is none, so many features are not done by scalar products."""
        if X.shape[1] <= FEW_FEATURES:
            distances = np.sqrt(squared_distances(X, Z))
        else:
            from scipy.spatial.distance import cdist  # loaded only where it pays

            distances = cdist(X, Z)
        return distances * (np.sqrt(2.0 * self.smoothness) / self.length)

    def __call__(self, X: Array, Z: Array) -> Array:
        s = self._steps(X, Z)
        if self.smoothness == 0.5:
            return np.exp(-s)
        rise = 1.0 + s if self.smoothness == 1.5 else 1.0 + s + s * s / 3.0
        return rise * np.exp(-s)

    def row(self, x: Array, Z: Array) -> Array:
        return self(x[None], Z)[0]

    def diagonal(self, X: Array) -> Array:
        return np.ones(len(X))

    def gradient(self, X: Array, Z: Array, weights: Array) -> Array:
        s = self._steps(X, Z)
        bell = np.exp(-s)
        if self.smoothness == 0.5:  # not differentiable at the point itself; 0 is a subgradient
            fall = np.where(s > 0.0, bell / np.where(s > 0.0, s, 1.0), 0.0)
        else:
            fall = bell if self.smoothness == 1.5 else (1.0 + s) * bell / 3.0
        slopes = weights * fall * (2.0 * self.smoothness / self.length**2)
        return slopes.T @ X - slopes.sum(axis=0)[:, None] * Z


@dataclass(frozen=True, slots=True)
class Periodic:
    """k(x, z) = exp(-2 Σ_j sin²(π (x_j - z_j) / period) / length²): whatever happens comes again."""

    period: float = 1.0
    length: float = 1.0

    semidefinite = True

    def __call__(self, X: Array, Z: Array) -> Array:
        values = np.zeros((len(X), len(Z)))
        for j in range(X.shape[1]):
            values += np.square(np.sin((X[:, j : j + 1] - Z[:, j]) * (np.pi / self.period)))
        values *= -2.0 / self.length**2
        return np.exp(values, out=values)

    def row(self, x: Array, Z: Array) -> Array:
        return self(x[None], Z)[0]

    def diagonal(self, X: Array) -> Array:
        return np.ones(len(X))

    def gradient(self, X: Array, Z: Array, weights: Array) -> Array:
        slopes = weights * self(X, Z) * (2.0 * np.pi / (self.period * self.length**2))
        turn = 2.0 * np.pi / self.period
        sides = [np.einsum("ij,ij->j", slopes, np.sin(turn * (x[:, None] - z))) for x, z in zip(X.T, Z.T, strict=True)]
        return np.stack(sides, axis=1)


@dataclass(frozen=True, slots=True)
class Sigmoid:
    """k(x, z) = tanh(slope x·z - shift). Often listed as a Mercer kernel, but in general *not* semi-definite."""

    slope: float = 1.0
    shift: float = 0.0

    semidefinite = False

    def __call__(self, X: Array, Z: Array) -> Array:
        values = X @ Z.T
        values *= self.slope
        values -= self.shift
        return np.tanh(values, out=values)

    def row(self, x: Array, Z: Array) -> Array:
        return np.tanh(self.slope * (Z @ x) - self.shift)

    def diagonal(self, X: Array) -> Array:
        return np.tanh(self.slope * squared_norms(X) - self.shift)

    def gradient(self, X: Array, Z: Array, weights: Array) -> Array:
        slopes = self.slope * (1.0 - self(X, Z) ** 2)
        return (weights * slopes).T @ X


@dataclass(frozen=True, slots=True, eq=False)
class Precomputed:
    """A kernel of things that have no features: a Gram matrix, asked by the numbers of its rows, (n, 1)."""

    gram: Array  # (n, n)

    semidefinite = True

    def __call__(self, X: Array, Z: Array) -> Array:
        return self.gram[np.ix_(X[:, 0], Z[:, 0])]

    def row(self, x: Array, Z: Array) -> Array:
        return self.gram[x[0]].take(Z[:, 0])

    def diagonal(self, X: Array) -> Array:
        return np.diagonal(self.gram).take(X[:, 0])

    def gradient(self, X: Array, Z: Array, weights: Array) -> Array:
        raise TypeError("numbers of rows have no neighbourhood in which a gradient could be taken")


# --- kernels made of kernels -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Pair:
    first: Kernel
    second: Kernel

    @property
    def semidefinite(self) -> bool:
        return self.first.semidefinite and self.second.semidefinite


@dataclass(frozen=True, slots=True)
class Sum(_Pair):
    """k1(x, z) + k2(x, z): the features of both, side by side."""

    def __call__(self, X: Array, Z: Array) -> Array:
        return self.first(X, Z) + self.second(X, Z)

    def row(self, x: Array, Z: Array) -> Array:
        return self.first.row(x, Z) + self.second.row(x, Z)

    def diagonal(self, X: Array) -> Array:
        return self.first.diagonal(X) + self.second.diagonal(X)

    def gradient(self, X: Array, Z: Array, weights: Array) -> Array:
        return self.first.gradient(X, Z, weights) + self.second.gradient(X, Z, weights)


@dataclass(frozen=True, slots=True)
class Product(_Pair):
    """k1(x, z) · k2(x, z): every feature of the one times every feature of the other (Schur)."""

    def __call__(self, X: Array, Z: Array) -> Array:
        return self.first(X, Z) * self.second(X, Z)

    def row(self, x: Array, Z: Array) -> Array:
        return self.first.row(x, Z) * self.second.row(x, Z)

    def diagonal(self, X: Array) -> Array:
        return self.first.diagonal(X) * self.second.diagonal(X)

    def gradient(self, X: Array, Z: Array, weights: Array) -> Array:
        by_first = self.first.gradient(X, Z, weights * self.second(X, Z))
        return by_first + self.second.gradient(X, Z, weights * self.first(X, Z))


@dataclass(frozen=True, slots=True)
class Scaled:
    """factor · k(x, z) with a factor above 0: longer features."""

    kernel: Kernel
    factor: float

    def __post_init__(self) -> None:
        if not self.factor > 0.0:
            raise ValueError("factor must be positive; a negative multiple is not a kernel")

    @property
    def semidefinite(self) -> bool:
        return self.kernel.semidefinite

    def __call__(self, X: Array, Z: Array) -> Array:
        return self.factor * self.kernel(X, Z)

    def row(self, x: Array, Z: Array) -> Array:
        return self.factor * self.kernel.row(x, Z)

    def diagonal(self, X: Array) -> Array:
        return self.factor * self.kernel.diagonal(X)

    def gradient(self, X: Array, Z: Array, weights: Array) -> Array:
        return self.factor * self.kernel.gradient(X, Z, weights)


KernelName = Literal["linear", "polynomial", "rbf", "sigmoid", "laplacian", "linear + rbf", "polynomial × rbf"]


def named_kernel(name: KernelName, sigma: float, degree: int, offset: float) -> Kernel:
    """The kernel of this name; the width ``sigma`` is that of a bell, or of tanh(x·z / (2 sigma²) - offset)."""
    makers: dict[str, Callable[[], Kernel]] = {
        "linear": Linear,
        "polynomial": lambda: Polynomial(degree, offset),
        "rbf": lambda: Gaussian(sigma),
        "laplacian": lambda: Laplacian(sigma),
        "linear + rbf": lambda: Sum(Linear(), Gaussian(sigma)),
        "polynomial × rbf": lambda: Product(Polynomial(degree, offset), Gaussian(sigma)),
        "sigmoid": lambda: Sigmoid(0.5 / sigma**2, offset),
    }
    return makers[name]()


# --- questions to any kernel -----------------------------------------------------------------------------------------


def smallest_eigenvalue(kernel: Kernel, X: Array) -> float:
    """The smallest eigenvalue of the Gram matrix: below zero (beyond rounding) the kernel is not semi-definite."""
    return float(np.linalg.eigvalsh(kernel(X, X))[0])


def row_maker(kernel: Kernel, X: Array) -> Callable[[int], Array]:
    """A function that gives the row of the Gram matrix of ``X`` with a number, for many rows.

    Of the Gaussian the exponents of a row are one product with the table of all points, as long as the points do not
    lie so many widths apart that differences of squares would lose their digits.
    """
    if isinstance(kernel, Gaussian):
        places = (X - X.mean(axis=0)) * (1.0 / kernel.sigma)
        lengths = squared_norms(places)
        if float(lengths.max()) <= _FEW_WIDTHS**2:
            half, one = -0.5 * lengths[:, None], np.ones((len(X), 1))
            left, right = np.asfortranarray(np.hstack([places, half, one])), np.hstack([places, one, half])

            def row(i: int) -> Array:
                exponents: Array = left.dot(right[i])
                exponents[i] = 0.0
                return np.exp(exponents, out=exponents)

            return row
    table = np.asfortranarray(X)
    return lambda i: kernel.row(table[i], table)


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
