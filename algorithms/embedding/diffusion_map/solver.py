"""The mathematics of diffusion maps: a walk from point to point, its eigenvectors, and heat that spreads with it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from algorithms.data import Array
from algorithms.interrupt import checkpoint
from algorithms.maths.cloud_stage import FirstMap
from algorithms.maths.distances import squared_distances
from algorithms.maths.nearest_points import nearest_others
from algorithms.maths.spectra import largest, smallest_above_zero

TYPICAL = 7
"""The width is measured in mean distances to this nearest neighbour."""
SPREAD = 20.0
"""A walk whose eigenvalues add up to less than this has few that matter, and they lie far apart."""
_CHUNK = 256  # rows of a table at a time


def typical_distance(X: Array) -> float:
    """The mean distance to the seventh neighbour; where points coincide, the mean of all distances."""
    from scipy.spatial.distance import cdist

    k = min(TYPICAL, len(X) - 1)
    found = float(np.linalg.norm(X - X[nearest_others(X, k).points[:, -1]], axis=1).mean())
    return found if found > 0.0 else float(cdist(X[:500], X).mean())


def affinities(X: Array, s: float) -> Array:
    """K = exp(-|x_i - x_j|^2 / (2 s^2)) between all rows."""
    from scipy.spatial.distance import cdist

    K = np.empty((len(X), len(X)))
    for start in range(0, len(X), _CHUNK):
        checkpoint()
        part = K[start : start + _CHUNK]
        cdist(X[start : start + _CHUNK], X, "sqeuclidean", out=part)
        part *= -0.5 / s**2
        np.exp(part, out=part)
    return K


@dataclass(frozen=True, slots=True, eq=False)
class Walk:
    """A walk that goes from a point to others with probabilities P, (n, n)."""

    P: Array  # (n, n) rows that add up to 1
    densities: Array  # (n,) q: how many points are near, each by its affinity
    strengths: Array  # (n,) d: the sums of the rows before they were divided by them

    @classmethod
    def of(cls, K: Array, alpha: float) -> Walk:
        """K_ij / (q_i q_j)^alpha, and then every row divided by its sum; K is used up."""
        densities = K.sum(axis=1)
        shrink = densities**-alpha
        K *= shrink
        K *= shrink[:, None]
        strengths = K.sum(axis=1)
        K /= strengths[:, None]
        return cls(K, densities, strengths)

    @property
    def stationary(self) -> Array:
        """Where the walk is after a very long time, (n,), adding up to 1."""
        return np.asarray(self.strengths / self.strengths.sum())

    def spectrum(self, count: int) -> tuple[Array, Array]:
        """The largest eigenvalues of P after the 1 of the constant vector, falling, and their right vectors (n, count).

        S = D^1/2 P D^-1/2 is symmetric and has the same eigenvalues; its vectors divided by D^1/2 are those of P. They
        are scaled so that their squares, weighted by the stationary distribution, add up to 1.
        """
        root = np.sqrt(self.stationary)
        checkpoint()
        S = self.P * root[:, None]
        checkpoint()
        S /= root
        if np.trace(S) < SPREAD:
            S -= np.outer(root, root)  # without the eigenvalue 1
            values, vectors = largest(S, min(count, len(S) - 1))
        else:
            S *= -1.0
            S[np.diag_indices_from(S)] += 1.0
            values, vectors = smallest_above_zero(S, root, count, flat=False)
            values = 1.0 - values
        return np.clip(values, -1.0, 1.0), vectors / root[:, None]

    def spreading(self, source: int, times: list[int]) -> Iterator[tuple[int, Array]]:
        """The probabilities (n,) of where a walker from the source is at each of these rising times."""
        heat = np.zeros(len(self.P))
        heat[source] = 1.0
        now = 0
        for time in times:
            for _ in range(now, time):
                checkpoint()
                heat = heat @ self.P
            now = time
            yield time, heat.copy()


def times_up_to(last: int) -> list[int]:
    """0, 1, 2, 3, 4, 6, 8, 12, 16 ... and the last one."""
    steps = {0, 1, 2, 3, last}
    power = 4
    while power < last:
        steps |= {power, power + power // 2}
        power *= 2
    return sorted(step for step in steps if step <= last)


@dataclass(frozen=True, slots=True, eq=False)
class Placing:
    """What it takes to find the place of a new point: until the map unrolls it is that of principal components."""

    first: FirstMap
    X: Array  # (n, d) around 0 and of size one
    s: float
    alpha: float
    densities: Array  # (n,)
    values: Array  # (k,) the eigenvalues of the coordinates
    vectors: Array  # (n, k) the right eigenvectors; empty until known
    time: int = 1
    unrolled: float = 0.0  # from 0 to 1

    def place(self, X: Array) -> Array:
        """Places (q, k) of new points, by the formula of Nystrom: one step of the walk leads to known vectors.

        l psi(x) = sum_j p(x, x_j) psi(x_j), so l^t psi(x) is that sum times l^(t - 1).
        """
        return self.first.unrolled(X, self.unrolled, self._one_step)

    def _one_step(self, X: Array) -> Array:
        squares = squared_distances(X, self.X)
        squares -= squares.min(axis=1, keepdims=True)  # so that the nearest one counts, however far it is
        K = np.exp(-0.5 / self.s**2 * squares) / self.densities**self.alpha
        K /= K.sum(axis=1, keepdims=True)
        return np.asarray((K @ self.vectors) * self.values ** (self.time - 1))
