"""A Gram matrix in its eigenvectors: every penalty, and every point left out, in closed form.

K = U L U' once, and then for all λ:  α = U (L + λ)⁻¹ U'y,  the fitted values S y with S = U L (L + λ)⁻¹ U', and the
error at point i of the fit without point i is (y_i - [Sy]_i) / (1 - S_ii). A free intercept centres K and y. Of very
many points only some are centres; the fit is then ridge regression in the space that they span.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from algorithms.data import Array
from algorithms.interrupt import checkpoint
from algorithms.maths.feature_space import FeatureSpace
from algorithms.maths.kernels import Kernel, refuse_overflow
from algorithms.maths.linear_model import Band, Spread, band_quantile

MOST_CENTRES = 400
"""Up to here every point has its own α; of more points evenly chosen ones span nearly the same functions."""
_MOST_ENTRIES = 1_000_000
"""Of very many points fewer are chosen, so that the table of their kernel values stays within this."""
WIDTHS = 11
"""Widths of a kernel in the curves of an error."""
_ROWS = 4000
"""Points that are left out at a time, so that the work can be called off."""
_FLAT = 1e-12
"""Eigenvalues below this fraction of the largest one are rounding."""


def centre_count(n: int) -> int:
    """Over how many of n points the sum goes."""
    return min(n, MOST_CENTRES, max(_MOST_ENTRIES // n, 12))


@dataclass(frozen=True, slots=True, eq=False)
class Spectrum:
    """The Gram matrix of some points in its eigenvectors, longest first; made by :func:`spectrum_of`."""

    kernel: Kernel
    members: Array  # (m,) which points are the centres
    centres: Array  # (m, d)
    U: Array  # (n, r) orthonormal columns
    L: Array  # (r,) eigenvalues
    back: Array  # (m, r): α is back times the coordinates of y by L + λ
    means: Array  # (m,) of the kernel values of all points, subtracted where the intercept is free
    mean: float  # of the target, likewise
    target: Array  # (n,) less its mean
    coordinates: Array  # (r,) U'y
    complete: bool  # U spans everything: every point is a centre
    free: bool  # the intercept

    def alpha(self, lam: float, directions: int | None = None) -> Array:
        """(K + λI)⁻¹ y, or its part along the first directions: (m,)."""
        k = slice(directions)
        return np.asarray(self.back[:, k] @ (self.coordinates[k] / (self.L[k] + lam)))

    def intercept(self, alpha: Array) -> float:
        """What is added to Σ α_i k(x_i, x)."""
        return self.mean - float(self.means @ alpha)

    def fitted(self, lam: float, directions: int | None = None) -> Array:
        """The values at the points, (n,)."""
        k = slice(directions)
        return np.asarray(self.mean + self.U[:, k] @ (self.kept(lam)[k] * self.coordinates[k]))

    def kept(self, lam: float) -> Array:
        """The fraction L / (L + λ) of the target that is kept along each eigenvector; their sum counts coefficients."""
        return np.asarray(self.L / (self.L + lam))

    def left_out(self, lambdas: Array, rows: slice = slice(None)) -> Array:
        """The error at each point of the fit to all others, (n, k) for k values of λ; or at some of the points."""
        lost = lambdas / (self.L[:, None] + lambdas)  # (r, k)
        U, squares = self.U[rows], self.U[rows] ** 2
        if self.complete:  # nothing is subtracted from 1, so that no digits are lost where λ is small
            residuals, room = U @ (lost * self.coordinates[:, None]), squares @ lost
        else:
            residuals = self.target[rows, None] - U @ ((1.0 - lost) * self.coordinates[:, None])
            room = 1.0 - squares @ (1.0 - lost)
        room = room - (1.0 / len(self.target) if self.free else 0.0)
        return np.asarray(residuals / np.maximum(room, 1e-14))

    def errors(self, lambdas: Array) -> Array:
        """The mean squared leave-one-out error, (k,)."""
        total = np.zeros(len(lambdas))
        for start in range(0, len(self.target), _ROWS):
            checkpoint()
            errors = self.left_out(lambdas, slice(start, start + _ROWS))
            total += np.einsum("ij,ij->j", errors, errors)
        return total / len(self.target)

    def spread(self, lam: float, band: Band | None) -> Spread | None:
        """The uncertainty by the formulas of a linear smoother: σ² = RSS / (n - tr S), Var f(x) = σ² |h(x)|².

        Seen as columns k(x_i, ·) the factor of the variance is back (L + λ)⁻¹; the bias is not in it.
        """
        if band is None:
            return None
        degrees = len(self.target) - float(self.kept(lam).sum()) - (1.0 if self.free else 0.0)
        if degrees < 1e-6:
            return None
        rest = self.target + self.mean - self.fitted(lam)
        sigma = float(np.sqrt(rest @ rest / degrees))
        true = _FLAT * float(self.L.max(initial=0.0)) < self.L
        factor = self.back[:, true] / (self.L[true] + lam) * sigma
        base = sigma**2 / len(self.target) if self.free else 0.0
        return Spread(self.means, factor, base, sigma, degrees, band_quantile(degrees, band), band.new_points)


def spectrum_of(kernel: Kernel, X: Array, y: Array, free: bool) -> Spectrum:
    """The spectrum of the points in the rows of ``X``, with the target as it is seen there."""
    n = len(X)
    mean = float(y.mean()) if free else 0.0
    target = y - mean
    if centre_count(n) < n:
        return _of_some(kernel, X, target, mean, free)
    refuse_overflow(kernel, X)
    checkpoint()
    K = kernel(X, X)
    means = K.mean(axis=0) if free else np.zeros(n)
    if free:
        K = K - means - means[:, None] + means.mean()
    values, vectors = np.linalg.eigh(K)
    checkpoint()
    L, U = np.maximum(values[::-1], 0.0), vectors[:, ::-1].copy()
    return Spectrum(kernel, np.arange(n), X, U, L, U, means, mean, target, U.T @ target, True, free)


def _of_some(kernel: Kernel, X: Array, target: Array, mean: float, free: bool) -> Spectrum:
    """The same where only some points are centres: ridge regression in the space that they span."""
    space = FeatureSpace.of(kernel, X, centre_count(len(X)))
    features = space.features(X)  # (n, r)
    middle = features.mean(axis=0) if free else np.zeros(features.shape[1])
    features -= middle
    values, V = np.linalg.eigh(features.T @ features)
    true = values > _FLAT * float(values.max(initial=0.0))
    L, V = values[true][::-1].copy(), V[:, true][:, ::-1]
    U = features @ (V / np.sqrt(L))
    means = space.weights(np.eye(len(space.centres))) @ middle  # k(x_i, ·) at the middle of the features
    back = space.basis @ (V * np.sqrt(L))
    coordinates = U.T @ target
    return Spectrum(kernel, space.members, space.centres, U, L, back, means, mean, target, coordinates, False, free)


def width_grid(X: Array, current: float, count: int = WIDTHS) -> Array:
    """Values of σ, smallest first: from a hundredth of the extent of the points to all of it, the current one among."""
    reach = float(np.sqrt((np.ptp(X, axis=0) ** 2).sum())) or 1.0
    grid = np.geomspace(0.01 * reach, reach, count)
    near = int(np.abs(np.log(grid / current)).argmin())
    inside = grid[0] <= current <= grid[-1]
    return np.unique(np.append(np.delete(grid, near) if inside else grid, current))
