"""The two halves of EM for Gaussian mixtures, without pictures.

Everything is seen from the origin of the :class:`~algorithms.maths.distances.Cloud`; responsibilities are (k, n).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from algorithms.contract import Stop
from algorithms.data import Array
from algorithms.maths import gaussians
from algorithms.maths.distances import Cloud, NearestCentre

CovarianceType = Literal["full", "diagonal", "spherical", "tied"]
SMALLEST_RATIO = 1e-12
"""A variance below this part of the data's is a collapse: the arithmetic cannot tell it from 0."""
_LEAST_MASS = 1e-10  # a component with fewer points than this keeps its place: there is nothing to fit it to
_LEAST_WEIGHT = 1e-300


@dataclass(frozen=True, slots=True, eq=False)
class Mixture:
    """The parameters θ: weights, means and covariances."""

    weights: Array  # (k,)
    means: Array  # (k, d)
    covariances: Array  # (k, d, d)

    def log_joint(self, columns: Array) -> Array:
        """The logarithms of π_k N(x_n | μ_k, Σ_k), (k, n)."""
        joint = gaussians.log_densities(columns, self.means, self.covariances)
        joint += np.log(self.weights)[:, None]
        return joint


@dataclass(frozen=True, slots=True)
class Rules:
    """What EM may do: the shape of the covariances, the least variance, the temperature and when to stop."""

    covariance: CovarianceType
    least: float  # no variance below this; 0 lets a component collapse
    collapsed: float  # a variance below this is a collapse
    temperature: float
    tol: float
    max_steps: int


@dataclass(slots=True, eq=False)
class HalfStep:
    """The state after a half step."""

    phase: Literal["E step", "M step"]
    mixture: Mixture
    responsibilities: Array  # (k, n)
    log_likelihood: float
    bound: float
    gain: float
    collapsed: Array | None = None  # the components that have collapsed
    stop: Stop | None = None


def half_steps(cloud: Cloud, mixture: Mixture, rules: Rules) -> Iterator[HalfStep]:
    """E and M steps in turn; the last half step says why it is the last.

    Both maximise F(r, θ) = Σ_ik r_ik log π_k N(x_i | μ_k, Σ_k) + T Σ_i H(r_i): the E step over r, the M step over θ. At
    T = 1 the maximum over r is the log-likelihood, so F is a lower bound that the E step makes tight.
    """
    joint = mixture.log_joint(cloud.columns)
    shares, tight, likelihood = expectation(joint, rules.temperature)
    before, bound = -math.inf, tight
    for step in range(rules.max_steps + 1):
        half = HalfStep("E step", mixture, shares, likelihood, tight, max(0.0, tight - bound))
        if tight - before < rules.tol * cloud.n:
            half.stop = Stop.CONVERGED
        elif step == rules.max_steps:
            half.stop = Stop.LIMIT
        yield half
        if half.stop is not None:
            return
        before = tight
        mixture, lost = _fitted(cloud, shares, rules, mixture)
        if lost is not None:
            yield HalfStep("M step", mixture, shares, likelihood, tight, 0.0, lost, Stop.DIVERGED)
            return
        earlier, joint = joint, mixture.log_joint(cloud.columns)
        np.subtract(joint, earlier, out=earlier)
        bound = tight + float(np.einsum("kn,kn->", shares, earlier))
        following = expectation(joint, rules.temperature)
        yield HalfStep("M step", mixture, shares, following[2], bound, bound - before)
        shares, tight, likelihood = following


def _fitted(cloud: Cloud, shares: Array, rules: Rules, before: Mixture) -> tuple[Mixture, Array | None]:
    """The M step within the rules; or the mixture as it was and the components (m,) that would have collapsed."""
    new = maximisation(cloud.columns, shares, rules.covariance, before)
    if rules.least > 0.0:
        return Mixture(new.weights, new.means, gaussians.floored(new.covariances, rules.least)), None
    lost = np.flatnonzero(gaussians.smallest_eigenvalues(new.covariances) <= rules.collapsed)
    return (before, lost) if len(lost) else (new, None)


def expectation(joint: Array, temperature: float) -> tuple[Array, float, float]:
    """Responsibilities r_ik ∝ exp(joint / T), the greatest F for these parameters, and the log-likelihood."""
    if temperature == 1.0:
        shares, logs = gaussians.softmax(joint)
        likelihood = float(logs.sum())
        return shares, likelihood, likelihood
    shares, logs = gaussians.softmax(joint / temperature)
    return shares, temperature * float(logs.sum()), float(gaussians.log_sum_exp(joint).sum())


def maximisation(columns: Array, shares: Array, covariance: CovarianceType, before: Mixture | None = None) -> Mixture:
    """The parameters with the greatest F for these responsibilities; a component without points stays as before."""
    masses = shares.sum(axis=1)
    safe = np.maximum(masses, _LEAST_MASS)
    means = (shares @ columns.T) / safe[:, None]
    covariances = np.stack([_scatter(columns, *pair, covariance) for pair in zip(shares, means)])
    covariances /= safe[:, None, None]
    lost = masses < _LEAST_MASS
    if lost.any() and before is not None:
        means[lost], covariances[lost] = before.means[lost], before.covariances[lost]
    if covariance == "tied":
        covariances[:] = np.tensordot(masses / masses.sum(), covariances, axes=1)
    return Mixture(np.maximum(masses / masses.sum(), _LEAST_WEIGHT), means, covariances)


def _scatter(columns: Array, shares: Array, mean: Array, covariance: CovarianceType) -> Array:
    """Σ_i r_i (x_i - μ)(x_i - μ)ᵀ in the shape asked for, always as a matrix (d, d)."""
    if covariance in ("full", "tied"):
        scatter = np.zeros((len(mean), len(mean)))
        for block in gaussians.blocks(*columns.shape):
            difference = columns[:, block] - mean[:, None]
            scatter += (difference * shares[block]) @ difference.T
        return (scatter + scatter.T) / 2.0
    difference = columns - mean[:, None]
    difference *= difference
    variances = difference @ shares
    if covariance == "spherical":
        variances = np.full_like(variances, variances.mean())
    return np.diag(variances)


def hard_half_steps(cloud: Cloud, mixture: Mixture, rules: Rules) -> Iterator[HalfStep]:
    """The limit T = 0: equal weights, one spherical covariance, every point wholly in its nearest component.

    The means go exactly the way of k-means (with the rule that an empty cluster keeps its centre).
    """
    here = NearestCentre(cloud, mixture.means)
    k = len(mixture.means)
    current = _spherical(here, rules, cloud.n * cloud.d)
    bound, changed = _classification(current, here), np.arange(cloud.n)
    for step in range(rules.max_steps + 1):
        shares = np.zeros((k, cloud.n))
        shares[here.labels, np.arange(cloud.n)] = 1.0
        gain = max(0.0, (tight := _classification(current, here)) - bound)
        half = HalfStep("E step", current, shares, _likelihood(cloud, current), tight, gain)
        half.stop = Stop.CONVERGED if len(changed) == 0 else Stop.LIMIT if step == rules.max_steps else None
        yield half
        if half.stop is not None:
            return
        here.update()
        current = _spherical(here, rules, cloud.n * cloud.d)
        bound = _classification(current, here)
        yield HalfStep("M step", current, shares, _likelihood(cloud, current), bound, bound - tight)
        changed = here.assign()


def _spherical(here: NearestCentre, rules: Rules, size: int) -> Mixture:
    """Equal weights and one variance for all: the mean squared distance per feature, but not below the least one."""
    k, d = here.centres.shape
    variance = max(here.loss / size, rules.least, rules.collapsed)
    return Mixture(np.full(k, 1.0 / k), here.centres, np.tile(variance * np.eye(d), (k, 1, 1)))


def _classification(mixture: Mixture, here: NearestCentre) -> float:
    """F at T = 0: the log-likelihood of the points together with their labels."""
    k, d = mixture.means.shape
    variance = float(mixture.covariances[0, 0, 0])
    per_point = -math.log(k) - d / 2.0 * math.log(2.0 * math.pi * variance)
    return here.cloud.n * per_point - here.loss / (2.0 * variance)


def _likelihood(cloud: Cloud, mixture: Mixture) -> float:
    return float(gaussians.log_sum_exp(mixture.log_joint(cloud.columns)).sum())
