"""The covariance that an assumption allows, and Fisher's direction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from algorithms.data import Array
from algorithms.maths.counting import Moments
from algorithms.maths.gaussians import floored

Assumption = Literal["own", "shared", "diagonal", "spherical", "nearest mean"]
FLOOR = 1e-9
"""No variance is below this part of that of all points, in any direction: a flat Gaussian has no density."""


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """Mean, scales and covariance of all points: used for a class with too few points, and as the scale of rounding."""

    mean: Array  # (d,)
    scales: Array  # (d,) deviation of every feature, 1 or more where it is constant up to rounding
    covariance: Array  # (d, d)
    units: Array  # (d, d) products of the scales
    log_volume: float  # twice the sum of the logarithms of the scales

    @classmethod
    def of(cls, columns: Array) -> Spread:
        """Of all points, given feature by feature, (d, n)."""
        n, mean = columns.shape[1], columns.mean(axis=1)
        offset = columns - mean[:, None]
        covariance = offset @ offset.T / n
        deviations = np.sqrt(np.diagonal(covariance))
        floor = FLOOR * np.abs(mean)  # rounding gives a constant column a small deviation
        scales = np.where(deviations > floor, deviations, np.maximum(deviations, 1.0))
        return cls(mean, scales, covariance, scales[:, None] * scales, 2.0 * float(np.log(scales).sum()))


class Whitened(NamedTuple):
    """Covariances that can be inverted: A with |A(x - μ)|² = (x - μ)ᵀ Σ⁻¹ (x - μ), and log det Σ."""

    covariances: Array  # (c, d, d)
    factors: Array  # (c, d, d)
    log_determinants: Array  # (c,)
    flat: Array  # (c,) bool: the points lie in a line or a plane, so the variance was raised


def whitened(covariances: Array, spread: Spread) -> Whitened:
    """The covariances with no variance below the floor, measured in the scales of the features."""
    scales, units = spread.scales, spread.units
    values, vectors = np.linalg.eigh(covariances / units)
    flat = values[:, 0] < FLOOR
    if flat.any():
        values = np.maximum(values, FLOOR)
        covariances = units * ((vectors * values[:, None, :]) @ vectors.transpose(0, 2, 1))
    factors = np.ascontiguousarray((vectors / np.sqrt(values)[:, None, :]).transpose(0, 2, 1)) / scales
    return Whitened(covariances, factors, np.log(values).sum(axis=1) + spread.log_volume, flat)


def assumed(
    moments: Moments, spread: Spread, assumption: Assumption, shrinkage: float, unbiased: bool
) -> tuple[Array, Array]:
    """The covariances (c, d, d) of the classes, under an assumption, and which classes borrow theirs.

    A class (c,) that has too few points for an ellipse of its own borrows that of all points.
    """
    counts, d = moments.counts, len(spread.mean)
    needed = d if assumption in ("own", "shared") and shrinkage == 0.0 else 1  # degrees of freedom, to be inverted
    if assumption in ("shared", "nearest mean"):
        freedom = moments.counted - np.count_nonzero(counts)
        enough = np.full(len(counts), freedom >= needed)
        pooled = moments.scatters.sum(axis=0) / max(freedom if unbiased else moments.counted, 1)
        covariances = np.broadcast_to(pooled, moments.scatters.shape)
    else:
        enough = counts > needed
        covariances = moments.scatters / np.maximum(counts - 1 if unbiased else counts, 1)[:, None, None]
    if not enough.all():
        covariances = np.where(enough[:, None, None], covariances, spread.covariance)
    if assumption == "diagonal":
        covariances = covariances * np.eye(d)
    elif assumption in ("spherical", "nearest mean"):
        covariances = _spherical(covariances)
    if shrinkage > 0.0:
        covariances = (1.0 - shrinkage) * covariances + shrinkage * _spherical(covariances)
    return covariances, ~enough


def _spherical(covariances: Array) -> Array:
    """Circles with the mean variance of each covariance."""
    d = covariances.shape[-1]
    variances = np.trace(covariances, axis1=1, axis2=2) / d
    return variances[:, None, None] * np.eye(d)


def fisher(moments: Moments, spread: Spread) -> tuple[Array, float]:
    """The direction w (d,) along which the classes are farthest apart beside their spread, and wᵀBw / wᵀWw.

    W and B are the scatters within and between the classes; wᵀWw = n, so that the spread along w is 1. Nothing (zeros)
    while there are fewer than two classes.
    """
    counts = moments.counts
    if np.count_nonzero(counts) < 2 or moments.counted < 3:
        return np.zeros(len(spread.mean)), 0.0
    n = moments.counted
    within = floored((moments.scatters.sum(axis=0) / n / spread.units)[None], FLOOR)[0]
    offset = (moments.means - counts @ moments.means / n) / spread.scales
    between = (offset.T * counts) @ offset / n
    lower = np.linalg.inv(np.linalg.cholesky(within))
    values, vectors = np.linalg.eigh(lower @ between @ lower.T)
    direction = lower.T @ vectors[:, -1] / spread.scales
    seen = np.flatnonzero(counts)
    along = (moments.means[seen[-1]] - moments.means[seen[0]]) @ direction
    return direction * (1.0 if along >= 0.0 else -1.0), max(float(values[-1]), 0.0)
