"""A penalised fit in a kernel's feature space: for one λ by a Cholesky factor, for every λ by eigenvectors.

K = U L U' once, and then for all λ:  α = U (L + λ)⁻¹ U'y,  the fitted values S y with S = U L (L + λ)⁻¹ U', and the
error at point i of the fit without point i is (y_i - [Sy]_i) / (1 - S_ii). A free intercept centres K and y. The
eigenvectors of 2,000 points take a second, so the fit to more than :data:`MOST_SPECTRAL` points is solved for its own λ
only: with A = K + λI the same error is α_i / [A⁻¹]_ii. Where landmarks carry the sum (see ``landmarks.py``) it is ridge
regression in the space that they span, worked on in blocks of rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from algorithms.data import Array
from algorithms.interrupt import checkpoint
from algorithms.maths.cholesky import Cholesky, squared
from algorithms.maths.feature_space import FeatureSpace
from algorithms.maths.kernels import Kernel, refuse_overflow
from algorithms.maths.landmarks import MOST_SPECTRAL
from algorithms.maths.linear_model import Band, Spread, band_quantile

WIDTHS = 11
"""Widths of a kernel in the curves of an error."""
_ROWS = 512
"""Rows that are worked on at a time, so that the work can be called off and memory is small."""
_ROUNDING = 2.0**-52
"""Of the trace of K: a smaller λ is lost in the rounding of K."""
_FLAT = 1e-12
"""Eigenvalues below this fraction of the largest one are rounding."""


def blocks(n: int) -> list[slice]:
    """The rows of a table, some at a time; between two of them the run may be called off."""
    return [slice(start, start + _ROWS) for start in range(0, n, _ROWS)]


def gram(kernel: Kernel, X: Array) -> Array:
    """The kernel between all points, (n, n)."""
    refuse_overflow(kernel, X)
    K = np.empty((len(X), len(X)))
    for rows in blocks(len(X)):
        checkpoint()
        K[rows] = kernel(X[rows], X)
    return K


@dataclass(frozen=True, slots=True, eq=False)
class Spectrum:
    """The Gram matrix of some points in its eigenvectors, longest first; made by :func:`spectrum_of`."""

    kernel: Kernel
    X: Array  # (n, d) the points
    members: Array  # (m,) which points are the centres
    centres: Array  # (m, d)
    U: Array  # (n, r) orthonormal columns; where landmarks carry the sum no rows are kept, see :meth:`rows`
    L: Array  # (r,) eigenvalues
    back: Array  # (m, r): α is back times the coordinates of y by L + λ
    shift: Array  # (r,) subtracted from the rows of k(x, centres) back / L where landmarks carry the sum
    means: Array  # (m,) of the kernel values of all points, subtracted where the intercept is free
    mean: float  # of the target, likewise
    target: Array  # (n,) less its mean
    coordinates: Array  # (r,) U'y
    free: bool  # the intercept

    @property
    def complete(self) -> bool:
        """Whether U spans everything: every point is a centre."""
        return len(self.U) > 0

    @property
    def rest(self) -> float:
        """What of |y|² lies along none of the eigenvectors."""
        if self.complete:
            return 0.0
        return max(float(self.target @ self.target - self.coordinates @ self.coordinates), 0.0)

    def rows(self, rows: slice) -> Array:
        """Some rows of U."""
        if self.complete:
            return self.U[rows]
        return self.kernel(self.X[rows], self.centres) @ (self.back / self.L) - self.shift

    def alpha(self, lam: float, directions: int | None = None) -> Array:
        """(K + λI)⁻¹ y, or its part along the first directions: (m,)."""
        k = slice(directions)
        return np.asarray(self.back[:, k] @ (self.coordinates[k] / (self.L[k] + lam)))

    def intercept(self, alpha: Array) -> float:
        """What is added to Σ α_i k(x_i, x)."""
        return self.mean - float(self.means @ alpha)

    def square(self, lam: float, directions: int | None = None) -> float:
        """α'Kα, the squared length of the weights in the feature space."""
        k = slice(directions)
        return float(self.L[k] @ np.square(self.coordinates[k] / (self.L[k] + lam)))

    def kept(self, lam: float) -> Array:
        """The fraction L / (L + λ) of the target that is kept along each eigenvector; their sum is tr S."""
        return np.asarray(self.L / (self.L + lam))

    def left_out(self, lambdas: Array) -> Array:
        """The error at each point of the fit to all others, (n, k) for k values of λ."""
        return np.concatenate([self._left_out(lambdas, rows) for rows in blocks(len(self.target))])

    def errors(self, lambdas: Array) -> Array:
        """The mean squared leave-one-out error, (k,)."""
        total = np.zeros(len(lambdas))
        for rows in blocks(len(self.target)):
            errors = self._left_out(lambdas, rows)
            total += np.einsum("ij,ij->j", errors, errors)
        return total / len(self.target)

    def _left_out(self, lambdas: Array, rows: slice) -> Array:
        checkpoint()
        lost = lambdas / (self.L[:, None] + lambdas)  # (r, k)
        U = self.rows(rows)
        squares = U**2
        if self.complete:  # nothing is subtracted from 1, so that no digits are lost where λ is small
            residuals, room = U @ (lost * self.coordinates[:, None]), squares @ lost
        else:
            residuals = self.target[rows, None] - U @ ((1.0 - lost) * self.coordinates[:, None])
            room = 1.0 - squares @ (1.0 - lost)
        room = room - (1.0 / len(self.target) if self.free else 0.0)
        return np.asarray(residuals / np.maximum(room, 1e-14))

    def spread(self, lam: float, band: Band | None) -> Spread | None:
        """The uncertainty by the formulas of a linear smoother: σ² = RSS / (n - tr S), Var f(x) = σ² |h(x)|².

        Seen as columns k(x_i, ·) the factor of the variance is back (L + λ)⁻¹; the bias is not in it.
        """
        lost = (1.0 - self.kept(lam)) * self.coordinates
        true = _FLAT * float(self.L.max(initial=0.0)) < self.L
        factor = self.back[:, true] / (self.L[true] + lam)
        squares = float(lost @ lost) + self.rest
        return _spread(self.means, factor, squares, float(self.kept(lam).sum()), len(self.target), self.free, band)


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """The fit for one λ; made by :func:`solution_of`."""

    members: Array  # (m,) which points are the centres
    centres: Array  # (m, d)
    alpha: Array  # (m,)
    intercept: float
    left_out: Array  # (n,) the error at each point of the fit to all others
    degrees: float  # tr S, the effective degrees of freedom
    square: float  # α'Kα, the squared length of the weights in the feature space
    spread: Spread | None

    @classmethod
    def of(cls, spectrum: Spectrum, lam: float, band: Band | None) -> Solution:
        """The solution for one of the λ of a spectrum."""
        alpha = spectrum.alpha(lam)
        left_out = spectrum.left_out(np.array([lam]))[:, 0]
        degrees, spread = float(spectrum.kept(lam).sum()), spectrum.spread(lam, band)
        intercept, square = spectrum.intercept(alpha), spectrum.square(lam)
        return cls(spectrum.members, spectrum.centres, alpha, intercept, left_out, degrees, square, spread)


def solution_of(
    kernel: Kernel, X: Array, y: Array, free: bool, lam: float, count: int, band: Band | None = None
) -> Solution:
    """The fit for one λ, which ``count`` of the points carry."""
    n = len(X)
    if count < n or n <= MOST_SPECTRAL:
        return Solution.of(spectrum_of(kernel, X, y, free, count), lam, band)
    mean = float(y.mean()) if free else 0.0
    factor, means, lam = _factor(kernel, X, free, lam)
    target = y - mean
    alpha = factor.solve(target)
    W = factor.inverted()
    diagonal = np.concatenate([np.einsum("ij,ij->j", W[:, columns], W[:, columns]) for columns in blocks(n)])
    left_out = lam * alpha / np.maximum(lam * diagonal - (1.0 / n if free else 0.0), 1e-14)
    degrees = n - lam * float(diagonal.sum())
    squares = lam**2 * float(alpha @ alpha)
    spread = None
    if band is not None:
        inverse = squared(W)
        inverse -= 1.0 / (n * lam) if free else 0.0  # the constant, of which k(x, ·) less its means has still a part
        spread = _spread(means, inverse, squares, degrees, n, free, band)
    square = float(alpha @ (target - lam * alpha))
    return Solution(np.arange(n), X, alpha, mean - float(means @ alpha), left_out, degrees, square, spread)


def weights_of(
    kernel: Kernel, X: Array, y: Array, free: bool, lambdas: Array, count: int
) -> tuple[Array, Array, Array]:
    """The centres, α (m, k) and the intercepts (k,) for k values of λ, without what else there is to know."""
    if count < len(X) or len(X) <= MOST_SPECTRAL:
        spectrum = spectrum_of(kernel, X, y, free, count)
        alphas = spectrum.back @ (spectrum.coordinates[:, None] / (spectrum.L[:, None] + lambdas))
        return spectrum.centres, alphas, spectrum.mean - spectrum.means @ alphas
    mean = float(y.mean()) if free else 0.0
    alphas, intercepts = np.empty((len(X), len(lambdas))), np.empty(len(lambdas))
    for k, lam in enumerate(lambdas.tolist()):
        factor, means, _ = _factor(kernel, X, free, lam)
        alphas[:, k] = factor.solve(y - mean)
        intercepts[k] = mean - means @ alphas[:, k]
    return X, alphas, intercepts


def _factor(kernel: Kernel, X: Array, free: bool, lam: float) -> tuple[Cholesky, Array, float]:
    """The factor of K + λI, the means, and λ: raised where it is lost in the rounding of K."""
    K, means = _centred(gram(kernel, X), free)
    lam = max(lam, _ROUNDING * float(np.trace(K)))
    try:
        return Cholesky.of(K, lam), means, lam
    except np.linalg.LinAlgError:
        return _factor(kernel, X, free, 10.0 * lam)


def _centred(K: Array, free: bool) -> tuple[Array, Array]:
    """The Gram matrix, in its place, with the mean function taken from each where the intercept is free; the means."""
    if not free:
        return K, np.zeros(len(K))
    means = K.mean(axis=0)
    K -= means
    K -= means[:, None] - means.mean()
    return K, means


def _spread(
    means: Array, factor: Array, squares: float, degrees: float, n: int, free: bool, band: Band | None
) -> Spread | None:
    """The band of a linear smoother; ``factor`` for σ = 1 is used up."""
    left = n - degrees - (1.0 if free else 0.0)
    if band is None or left < 1e-6:
        return None
    sigma = (squares / left) ** 0.5
    factor *= sigma
    base = sigma**2 / n if free else 0.0
    return Spread(means, factor, base, sigma, left, band_quantile(left, band), band.new_points)


def spectrum_of(kernel: Kernel, X: Array, y: Array, free: bool, count: int) -> Spectrum:
    """The spectrum of the points in the rows of ``X``, with the target as it is seen there; ``count`` carry the sum."""
    n = len(X)
    mean = float(y.mean()) if free else 0.0
    target = y - mean
    if count < n:
        return _of_some(kernel, X, target, mean, free, count)
    K, means = _centred(gram(kernel, X), free)
    checkpoint()
    values, vectors = np.linalg.eigh(K)
    checkpoint()
    L, U = np.maximum(values[::-1], 0.0), vectors[:, ::-1].copy()
    shift = np.zeros(n)
    return Spectrum(kernel, X, np.arange(n), X, U, L, U, shift, means, mean, target, U.T @ target, free)


def _of_some(kernel: Kernel, X: Array, target: Array, mean: float, free: bool, count: int) -> Spectrum:
    """The same where landmarks carry the sum: ridge regression in the space that they span."""
    space = FeatureSpace.of(kernel, X, count)
    r = space.basis.shape[1]
    near = space.features(space.centres).mean(axis=0) if free else np.zeros(r)  # the middle, nearly
    squares, sums, with_target = np.zeros((r, r)), np.zeros(r), np.zeros(r)
    for rows in blocks(len(X)):
        features = space.features(X[rows]) - near
        squares += features.T @ features
        sums += features.sum(axis=0)
        with_target += features.T @ target[rows]
    if free:
        squares -= np.outer(sums, sums) / len(X)
    middle = near + sums / len(X) if free else near
    values, V = np.linalg.eigh(squares)
    true = values > _FLAT * float(values.max(initial=0.0))
    L, V = values[true][::-1].copy(), V[:, true][:, ::-1]
    axes = V / np.sqrt(L)
    means = (space.basis * space.eigenvalues) @ middle  # k(x_i, ·) at the middle of the features
    coordinates, back = with_target @ axes, space.basis @ (axes * L)
    none = np.empty((0, len(L)))
    return Spectrum(
        kernel, X, space.members, space.centres, none, L, back, middle @ axes, means, mean, target, coordinates, free
    )


def width_grid(X: Array, current: float, count: int = WIDTHS) -> Array:
    """Values of σ, smallest first: from a hundredth of the extent of the points to all of it, the current one among."""
    reach = float(np.sqrt((np.ptp(X, axis=0) ** 2).sum())) or 1.0
    grid = np.geomspace(0.01 * reach, reach, count)
    near = int(np.abs(np.log(grid / current)).argmin())
    inside = grid[0] <= current <= grid[-1]
    return np.unique(np.append(np.delete(grid, near) if inside else grid, current))
