"""What a Gaussian process knows of its function, and data that are drawn from it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from algorithms.data import Array, Points
from algorithms.maths.kernels import Kernel
from algorithms.regression.gaussian_process.solver import root_of

MOST_JOINT = 500
"""Values that are drawn together; more are drawn beside them, each by itself."""
QUANTILE = 1.959963984540054
"""The band of 95 %, in standard deviations."""


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """What is known of the function: level + scale · (a process with these hyper-parameters that knows the points)."""

    kernel: Kernel  # with amplitude 1
    shift: Array  # (d,) subtracted from a feature,
    unit: Array  # (d,) before it is divided by this
    level: float
    scale: float
    members: Array  # (m,) the points that carry the functions
    centres: Array  # (m, d)
    alpha: Array  # (m,)
    factor: Array  # (m, r): Var f(x) = a² (k(x, x) - |k(x) factor|²)
    length: float
    amplitude: float
    noise: float
    log_marginal: float  # of the points observed so far
    observed: int
    band: str
    extent: Array  # (2, d) of the points

    def inside(self, X: Array) -> Array:
        """The rows as the kernel sees them."""
        return (X - self.shift) / self.unit

    def rows(self, X: Array, Z: Array | None = None) -> Array:
        """The kernel between the rows of ``X`` and the centres, or those of ``Z``."""
        return self.kernel(self.inside(X), self.centres if Z is None else self.inside(Z))

    def diagonal(self, X: Array) -> Array:
        """The kernel of each row with itself."""
        return self.kernel.diagonal(self.inside(X))

    def values(self, X: Array, rows: Array | None = None) -> Array:
        """The mean, (n,); ``rows`` is :meth:`rows` of these places, where it is at hand."""
        rows = self.rows(X) if rows is None else rows
        return np.asarray(self.level + self.scale * self.amplitude**2 * (rows @ self.alpha))

    def known(self, X: Array, rows: Array | None = None) -> Array:
        """What the observed points say about the rows of ``X``: its squares add up to the variance that is gone."""
        return np.asarray((self.rows(X) if rows is None else rows) @ self.factor)

    def deviation(self, X: Array, known: Array | None = None) -> Array:
        """The standard deviation of the function, (n,); ``known`` is :meth:`known` of these rows."""
        known = self.known(X) if known is None else known
        left = self.diagonal(X) - np.einsum("ij,ij->i", known, known)
        return np.asarray(self.scale * self.amplitude * np.sqrt(np.maximum(left, 0.0)))

    def half_width(self, X: Array, known: Array | None = None) -> Array:
        """Half the width of the band, of the function or for new points."""
        noise = self.scale * self.noise if self.band == "for new points" else 0.0
        return np.asarray(QUANTILE * np.sqrt(np.square(self.deviation(X, known)) + noise**2))

    def covariance(self, X: Array, known: Array | None = None) -> Array:
        """Of the function between the rows, (n, n)."""
        known = self.known(X) if known is None else known
        return np.asarray((self.scale * self.amplitude) ** 2 * (self.rows(X, X) - known @ known.T))


def sample(model: Model, n: int, rng: np.random.Generator) -> Points:
    """Points on one function that is drawn from the process, at random places, with noise.

    The values at the first places are drawn together; those at more places are drawn given these, each by itself.
    """
    low, high = model.extent
    X = rng.uniform(low, np.where(high > low, high, low + 1.0), size=(n, len(low)))
    first = X[:MOST_JOINT]
    f = model.values(first) + root_of(model.covariance(first)) @ rng.standard_normal(len(first))
    if n > MOST_JOINT:
        f = np.append(f, _beside(model, first, f, X[MOST_JOINT:], rng))
    return Points(X, f + model.scale * model.noise * rng.standard_normal(n), name="drawn from the process")


def _beside(model: Model, first: Array, f: Array, X: Array, rng: np.random.Generator) -> Array:
    """Values at further places, given those at the first ones."""
    own = model.covariance(first)
    jitter = 1e-9 * float(np.trace(own)) / len(own) + 1e-300
    known, seen = model.rows(first) @ model.factor, model.rows(X) @ model.factor
    between = (model.scale * model.amplitude) ** 2 * (model.rows(X, first) - seen @ known.T)  # (m, k)
    weights = np.linalg.solve(own + jitter * np.eye(len(own)), between.T)  # (k, m)
    left = np.square(model.deviation(X)) - np.einsum("ij,ji->i", between, weights)
    mean = model.values(X) + weights.T @ (f - model.values(first))
    return np.asarray(mean + np.sqrt(np.maximum(left, 0.0)) * rng.standard_normal(len(X)))
