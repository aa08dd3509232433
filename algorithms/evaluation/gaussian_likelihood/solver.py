"""The log-likelihood of a Gaussian from the mean and the scatter of the points, and the way up to its maximum.

Everything here speaks of standardised features: each is measured from its mean, by its standard deviation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from algorithms.data import Array, DataError
from algorithms.maths.distances import refuse_overflow

LOG_2PI = math.log(2.0 * math.pi)
SINGULAR = 1e-10
"""Where the least eigenvalue of the correlations is smaller, the points lie in a plane and no likelihood is largest."""


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """What a Gaussian needs to know of n points: their number, mean, deviations and correlations."""

    n: int
    mean: Array  # (d,)
    deviations: Array  # (d,) with 1/n
    correlations: Array  # (d, d)

    @classmethod
    def of(cls, X: Array) -> Sample:
        """Of some points, or a :class:`DataError` where the likelihood has no maximum."""
        refuse_overflow(X)
        mean = X.mean(axis=0)
        away = X - mean
        scale = np.abs(away).max(axis=0)
        if len(X) < 2 or not (scale > 1e-13 * np.abs(mean)).all() or not (scale > 0.0).all():
            raise DataError(
                "A feature without any spread lets the likelihood grow beyond all bounds; take other points."
            )
        deviations = scale * np.sqrt(np.square(away / scale).mean(axis=0))
        unit = away / deviations
        correlations = unit.T @ unit / len(X)
        if float(np.linalg.eigvalsh(correlations)[0]) < SINGULAR:
            raise DataError(
                "The points lie in a line or a plane, where a Gaussian gets as thin and as likely as one likes; take "
                "more points, or fewer features."
            )
        return cls(len(X), mean, deviations, correlations)

    def standardised(self, place: Array) -> Array:
        """A place of the data."""
        return np.asarray((place - self.mean) / self.deviations)

    def log_likelihood(self, mean: Array, covariance: Array) -> float:
        """Of all points: -n/2 (d log 2 pi + log det C + tr C^-1 (S + (m - mean)(m - mean)')), in units of the data."""
        sign, volume = np.linalg.slogdet(covariance)
        if sign <= 0.0:
            return -math.inf
        spread = self.correlations + np.outer(mean, mean)
        inside = float(np.trace(np.linalg.solve(covariance, spread)))
        return -0.5 * self.n * (len(mean) * LOG_2PI + float(volume) + inside) - self.n * self.units

    @property
    def units(self) -> float:
        """What the units of the data add to the logarithm of a volume."""
        return float(np.log(self.deviations).sum())

    def in_units(self, mean: Array, covariance: Array) -> tuple[Array, Array]:
        """A mean and a covariance in the units of the data."""
        return self.mean + self.deviations * mean, covariance * np.outer(self.deviations, self.deviations)


def step(sample: Sample, mean: Array, covariance: Array, rate: float) -> tuple[Array, Array]:
    """Up the natural gradient: a part of the way to the mean, and to the scatter around where the mean is now.

    The part is halved while that would lead down.
    """
    before = sample.log_likelihood(mean, covariance)
    while True:
        scatter = sample.correlations + np.outer(mean, mean)
        new = (1.0 - rate) * mean, covariance + rate * (scatter - covariance)
        if sample.log_likelihood(*new) >= before or rate < 1e-6:
            return new
        rate *= 0.5


def marginal(sample: Sample, means: Array, deviations: Array) -> Array:
    """The log-likelihood of the first feature alone, for means (a,) and deviations (b,) of it, (b, a)."""
    spread = 1.0 + np.square(means)[None, :]
    variance = np.square(deviations)[:, None]
    units = math.log(float(sample.deviations[0]))
    return np.asarray(-0.5 * sample.n * (LOG_2PI + np.log(variance) + spread / variance) - sample.n * units)
