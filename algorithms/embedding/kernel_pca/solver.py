"""The mathematics of kernel principal components: centring, eigenvectors, and the way back to a point."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from algorithms.data import Array
from algorithms.interrupt import checkpoint
from algorithms.maths.distances import squared_distances
from algorithms.maths.feature_space import kernel_times
from algorithms.maths.kernels import Gaussian, Kernel
from algorithms.maths.maps import evenly, is_negative
from algorithms.maths.scaling import ends_of_spectrum

SHOWN, LOWEST = 12, 4
"""Eigenvalues that are found beside those that are kept: large ones, and the smallest where they may be negative."""
ALONE = 0.1
"""Beyond this fraction of n the variance is spread over so many components that nearly every point has its own."""
MEASURED = 300
"""Points whose distances say how wide a bell should be."""
ROUNDING = 1e-13
"""An eigenvalue below this fraction of the sizes of all kernel values is zero."""
_ROWS = 128  # of the matrix that are worked on, or pre-images that are looked for, at once
_LONGER = 1.3  # after a step that led down; twice as long would fail every other time
_WEIGHT = 0.7  # of each feature beside the one before, in what decides a sign


@dataclass(frozen=True, slots=True, eq=False)
class Gram:
    """All kernel values between the points, around their mean in the feature space."""

    kernel: Kernel
    X: Array  # (n, d)
    means: Array  # (n,) of the rows of the matrix before it was centred
    centred: Array  # (n, n)
    size: float  # of the largest value before

    @classmethod
    def of(cls, kernel: Kernel, X: Array) -> Gram:
        """K - 1K - K1 + 1K1, where 1 is a matrix of 1/n."""
        K = np.empty((len(X), len(X)))
        blocks = [slice(start, start + _ROWS) for start in range(0, len(X), _ROWS)]
        means, size = np.empty(len(X)), 0.0
        for rows in blocks:
            checkpoint()
            K[rows] = kernel(X[rows], X)
            means[rows] = K[rows].mean(axis=1)
            size = max(size, float(K[rows].max()), -float(K[rows].min()))
        level = means - means.mean()
        for rows in blocks:
            checkpoint()
            K[rows] -= means[rows, None]
            K[rows] -= level
        return cls(kernel, X, means, K, size)

    @property
    def total(self) -> float:
        """The sum of all eigenvalues."""
        return float(np.trace(self.centred))


@dataclass(frozen=True, slots=True, eq=False)
class Axes:
    """The principal axes of the feature space, as combinations of the points."""

    kernel: Kernel
    X: Array  # (n, d)
    alphas: Array  # (n, k) with α'K̃α = 1, or 0 where the eigenvalue is none
    eigenvalues: Array  # (k,) of K̃, falling, as far as they are kept
    levels: Array  # (k,) what the kernel with the mean adds to each score
    spectrum: Array  # (e,) the largest eigenvalues, and some of the smallest where they may be negative
    largest: int  # how many of them are the largest ones
    total: float  # the sum of all eigenvalues; of their squares where some are negative, so that there is no variance

    @property
    def indefinite(self) -> bool:
        """Whether an eigenvalue is negative, so that there is no feature space."""
        return bool(is_negative(self.spectrum)[-1])

    @property
    def fractions(self) -> Array:
        """Of the whole variance in the feature space, or of the sum of the squared eigenvalues, from 0 to 1, (k,)."""
        values = np.square(self.eigenvalues) if self.indefinite else self.eigenvalues
        return np.clip(values / self.total, 0.0, 1.0) if self.total > 0.0 else np.zeros(len(values))

    def scores(self, X: Array) -> Array:
        """z_k(x) = Σ_i α_ik k̃(x_i, x) for the rows of ``X``, (m, k); the α of an axis add up to 0."""
        return kernel_times(self.kernel, X, self.X, self.alphas) - self.levels


def principal_axes(gram: Gram, count: int, like: Array | None = None) -> Axes:
    """The first axes of the feature space: K̃ a = l a with a'a = 1/l, so that each axis has length 1.

    An eigenvector has no sign: each goes where that of the other scores ``like`` (n, count) does, or else where a fixed
    mixture of the features does, so that turning a knob a little does not mirror the map.
    """
    n = len(gram.X)
    count, largest = min(count, n), min(max(count, SHOWN), n)
    values, vectors = ends_of_spectrum(gram.centred, largest, 0 if gram.kernel.semidefinite else min(LOWEST, n))
    kept, vectors = values[:count], vectors[:, :count]
    there = kept > ROUNDING * n * gram.size
    kept = np.where(there, kept, 0.0)
    wanted = _mixture(gram.X)[:, None] if like is None else like[:, :count]
    signs = np.where(np.sum(vectors * wanted, axis=0) < 0.0, -1.0, 1.0)
    alphas = np.where(there, vectors * signs / np.sqrt(np.where(there, kept, 1.0)), 0.0)
    alphas -= alphas.mean(axis=0)  # which is 0 but for rounding
    total = float(np.vdot(gram.centred, gram.centred)) if is_negative(values)[-1] else gram.total
    return Axes(gram.kernel, gram.X, alphas, kept, gram.means @ alphas, values, largest, total)


def wider(axes: Axes, sigma: float, city_blocks: bool) -> float:
    """A larger width where this one is too narrow, at which the kernel of the median distance is exp(-1/2); else 0."""
    from scipy.spatial.distance import pdist

    X = axes.X
    if len(X) <= 10 or axes.total <= ALONE * len(X) * float(axes.spectrum[0]):
        return 0.0
    some = X[evenly(len(X), MEASURED)]
    middle = float(np.median(pdist(some, "cityblock" if city_blocks else "euclidean")))
    middle *= 2.0 if city_blocks else 1.0
    return middle if 1.1 * sigma < middle else 0.0


def spread(X: Array) -> float:
    """The root of the mean squared distance of points from their mean."""
    return float(np.linalg.norm(X.std(axis=0)))


def _mixture(X: Array) -> Array:
    """Something of all features and of the distance from the middle, for each point: what decides about signs."""
    away = X - X.mean(axis=0)
    away = away / max(float(np.abs(away).max()), 1e-300)
    squares = np.square(away).sum(axis=1)
    return np.asarray(away @ _WEIGHT ** np.arange(X.shape[1]) - 0.5 * (squares - squares.mean()))


# --- pre-images -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Search:
    """Looking for points whose images are nearest to given places of the feature space, Σ_i γ_i φ(x_i).

    What falls is |φ(z) - Σ γ_i φ(x_i)|² = k(z, z) - 2 Σ γ_i k(x_i, z) + constant. For the bell the step along its slope
    is the fixed point z <- Σ γ_i k(x_i, z) x_i / Σ γ_i k(x_i, z); a step that does not lead down is halved.
    """

    kernel: Kernel
    X: Array  # (n, d)
    gamma: Array  # (n, m)
    at: Array  # (m, d) where the search is
    value: Array  # (m,) what falls
    rates: Array  # (m,) how far to go along the slope
    wanted: float = np.inf  # the longest way that any of them wanted to go in the last step

    @classmethod
    def of(cls, axes: Axes, scores: Array, at: Array) -> Search:
        """Begin at these points; the places are those with the given scores (m, k): γ = 1/n + α z."""
        gamma = 1.0 / len(axes.X) + axes.alphas @ scores.T
        search = cls(axes.kernel, axes.X, gamma, at, np.zeros(len(at)), np.ones(len(at)))
        slopes = search._slopes()
        reach = 0.1 * max(float(np.ptp(axes.X, axis=0).max()), 1e-300)
        steep = np.abs(slopes).max(axis=1, initial=0.0)
        rates = np.ones(len(at)) if isinstance(axes.kernel, Gaussian) else reach / np.maximum(steep, 1e-200)
        return cls(axes.kernel, axes.X, gamma, at, search._heights(at), rates)

    def step(self) -> Search:
        """One step of every search that leads down, or none and half as far the next time."""
        checkpoint()
        with np.errstate(over="ignore", invalid="ignore"):  # what is beyond all numbers does not lead down
            move = self.rates[:, None] * self._slopes()
            new = self.at - move
            heights = self._heights(new)
            down = heights < self.value
        most = 1.0 if isinstance(self.kernel, Gaussian) else np.inf
        return Search(
            self.kernel,
            self.X,
            self.gamma,
            np.where(down[:, None], new, self.at),
            np.where(down, heights, self.value),
            np.where(down, np.minimum(_LONGER * self.rates, most), 0.5 * self.rates),
            float(np.abs(move).max(initial=0.0)),
        )

    def _slopes(self) -> Array:
        """The gradient of what falls; for the bell in units in which its negative leads to the fixed point."""
        if isinstance(self.kernel, Gaussian):
            weights = self.gamma * self.kernel(self.X, self.at)
            sums = weights.sum(axis=0)
            sums = np.where(np.abs(sums) > 1e-12, sums, 1.0)[:, None]
            return np.asarray(self.at - weights.T @ self.X / sums)
        own = 2.0 * self.kernel.gradient(self.at, self.at, np.eye(len(self.at)))
        return np.asarray(own - 2.0 * self.kernel.gradient(self.X, self.at, self.gamma))

    def _heights(self, at: Array) -> Array:
        products = np.einsum("ij,ij->j", self.gamma, self.kernel(self.X, at))
        return np.asarray(self.kernel.diagonal(at) - 2.0 * products)


def pre_images(axes: Axes, embedding: Array, Z: Array, steps: int) -> Array:
    """Points (m, d) whose scores come near to ``Z`` (m, k); each search begins at the point with the nearest scores."""
    found = np.empty((len(Z), axes.X.shape[1]))
    for first in range(0, len(Z), _ROWS):
        some = Z[first : first + _ROWS]
        search = Search.of(axes, some, axes.X[squared_distances(some, embedding).argmin(axis=1)])
        for _ in range(steps):
            search = search.step()
        found[first : first + _ROWS] = search.at
    return found
