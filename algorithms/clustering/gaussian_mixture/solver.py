"""EM for Gaussian mixtures: where it begins, its two half steps, and the hard limit that is k-means.

Everything is seen from the origin of the :class:`~algorithms.maths.distances.Cloud`; responsibilities are (k, n).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from algorithms.contract import Stop
from algorithms.data import Array, DataError
from algorithms.maths import gaussians, lloyd, seeding
from algorithms.maths.distances import Cloud, NearestCentre

if TYPE_CHECKING:
    from algorithms.clustering.gaussian_mixture import Params

CovarianceType = Literal["full", "diagonal", "spherical", "tied"]
Phase = Literal["E step", "M step"]
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


@dataclass(frozen=True, slots=True, eq=False)
class HalfStep:
    """The state after a half step."""

    phase: Phase
    mixture: Mixture
    responsibilities: Array  # (k, n)
    log_likelihood: float
    bound: float
    gain: float
    stop: Stop | None = None  # why this half step is the last
    collapsed: Array | None = None  # the components that have collapsed


def rules_for(cloud: Cloud, params: Params) -> Rules:
    """The floor in the units of the data, and what counts as a collapse there."""
    spread = _mean_variance(cloud)
    if spread == 0.0 and params.floor == 0.0:
        raise DataError("All points are the same, so that no Gaussian fits them; set floor above 0.")
    collapsed = SMALLEST_RATIO * spread
    least = max(params.floor, collapsed) if params.floor > 0.0 else 0.0
    return Rules(params.covariance, least, collapsed, params.temperature, params.tol, params.max_steps)


def _mean_variance(cloud: Cloud) -> float:
    return float(cloud.columns.var(axis=1).mean())


def beginning(cloud: Cloud, params: Params, rules: Rules, rng: np.random.Generator) -> tuple[Mixture, Array | None]:
    """The first parameters, and the responsibilities (k, n) that they come from, if they do.

    Without responsibilities the handbook begins with weights 1/k and Σ = I. The identity means little for data in other
    units, so that the mean variance of the features takes its place; on standardised data it *is* the identity.
    """
    k = params.k
    round_one = np.tile(max(_mean_variance(cloud), rules.least) * np.eye(cloud.d), (k, 1, 1))
    if params.init == "by hand":
        means = seeding.given_centres(cloud, params.centres, k, "the mixture")
        return Mixture(np.full(k, 1.0 / k), means, round_one), None
    if params.init == "random points":
        means = np.ascontiguousarray(cloud.columns[:, seeding.random_points(cloud, k, rng)].T)
        return Mixture(np.full(k, 1.0 / k), means, round_one), None
    if params.init == "k-means":
        seeds = cloud.columns[:, seeding.plus_plus(cloud, k, rng)].T
        responsibilities = hard(lloyd.final_partition(cloud, np.ascontiguousarray(seeds), params.max_steps).labels, k)
    else:
        responsibilities = np.ascontiguousarray(rng.dirichlet(np.ones(k), size=cloud.n).T)
    mixture = maximisation(cloud.columns, responsibilities, params.covariance)
    if rules.least > 0.0:
        covariances = gaussians.floored(mixture.covariances, rules.least)
    else:
        flat = gaussians.smallest_eigenvalues(mixture.covariances) <= rules.collapsed
        covariances = np.where(flat[:, None, None], round_one, mixture.covariances)
    return Mixture(mixture.weights, mixture.means, covariances), responsibilities


def at_first(cloud: Cloud, mixture: Mixture, responsibilities: Array | None, rules: Rules) -> HalfStep:
    """How the first parameters stand; without responsibilities no point is decided, and the weights are theirs."""
    joint = mixture.log_joint(cloud.columns)
    likelihood = float(gaussians.log_sum_exp(joint).sum())
    bound = expectation(joint, rules.temperature)[1] if rules.temperature > 0.0 else float(joint.max(axis=0).sum())
    if responsibilities is None:
        responsibilities = np.tile(mixture.weights[:, None] / mixture.weights.sum(), (1, cloud.n))
    return HalfStep("E step", mixture, responsibilities, likelihood, bound, 0.0)


def judged(cloud: Cloud, mixture: Mixture, responsibilities: Array, phase: Phase, before: float) -> HalfStep:
    """Log-likelihood and bound F (T = 1) of parameters and responsibilities that somebody else has found."""
    joint = mixture.log_joint(cloud.columns)
    positive = responsibilities > 0.0
    logs = np.log(responsibilities, where=positive, out=np.zeros_like(joint))
    bound = float((responsibilities * (joint - logs)).sum())
    return HalfStep(phase, mixture, responsibilities, float(gaussians.log_sum_exp(joint).sum()), bound, bound - before)


def half_steps(cloud: Cloud, mixture: Mixture, rules: Rules) -> Iterator[HalfStep]:
    """E and M steps in turn; the last half step says why it is the last.

    Both maximise F(r, θ) = Σ_ik r_ik log π_k N(x_i | μ_k, Σ_k) + T Σ_i H(r_i): the E step over r, the M step over θ. At
    T = 1 the maximum over r is the log-likelihood, so F is a lower bound that the E step makes tight.
    """
    if rules.temperature == 0.0:
        yield from _hard_half_steps(cloud, mixture, rules)
        return
    joint = mixture.log_joint(cloud.columns)
    responsibilities, tight, likelihood = expectation(joint, rules.temperature)
    before, bound = -math.inf, tight
    for step in range(rules.max_steps + 1):
        stop = Stop.CONVERGED if tight - before < rules.tol * cloud.n else _limit(step, rules)
        yield HalfStep("E step", mixture, responsibilities, likelihood, tight, max(0.0, tight - bound), stop)
        if stop is not None:
            return
        before = tight
        mixture, lost = _fitted(cloud, responsibilities, rules, mixture)
        if lost is not None:
            yield HalfStep("M step", mixture, responsibilities, likelihood, tight, 0.0, Stop.DIVERGED, lost)
            return
        earlier, joint = joint, mixture.log_joint(cloud.columns)
        np.subtract(joint, earlier, out=earlier)
        bound = tight + float(np.einsum("kn,kn->", responsibilities, earlier))
        following = expectation(joint, rules.temperature)
        yield HalfStep("M step", mixture, responsibilities, following[2], bound, bound - before)
        responsibilities, tight, likelihood = following


def _limit(step: int, rules: Rules) -> Stop | None:
    return Stop.LIMIT if step == rules.max_steps else None


def _fitted(cloud: Cloud, responsibilities: Array, rules: Rules, before: Mixture) -> tuple[Mixture, Array | None]:
    """The M step within the rules; or the mixture as it was and the components (m,) that would have collapsed."""
    new = maximisation(cloud.columns, responsibilities, rules.covariance, before)
    if rules.least > 0.0:
        return Mixture(new.weights, new.means, gaussians.floored(new.covariances, rules.least)), None
    lost = np.flatnonzero(gaussians.smallest_eigenvalues(new.covariances) <= rules.collapsed)
    return (before, lost) if len(lost) else (new, None)


def expectation(joint: Array, temperature: float) -> tuple[Array, float, float]:
    """Responsibilities r_ik ∝ exp(joint / T), the greatest F for these parameters, and the log-likelihood."""
    if temperature == 1.0:
        responsibilities, logs = gaussians.softmax(joint)
        likelihood = float(logs.sum())
        return responsibilities, likelihood, likelihood
    responsibilities, logs = gaussians.softmax(joint / temperature)
    return responsibilities, temperature * float(logs.sum()), float(gaussians.log_sum_exp(joint).sum())


def hard(labels: Array, k: int) -> Array:
    """Responsibilities (k, n) of points that belong to one component only."""
    responsibilities = np.zeros((k, len(labels)))
    responsibilities[labels, np.arange(len(labels))] = 1.0
    return responsibilities


def maximisation(
    columns: Array, responsibilities: Array, covariance: CovarianceType, before: Mixture | None = None
) -> Mixture:
    """The parameters with the greatest F for these responsibilities; a component without points stays as before."""
    masses = responsibilities.sum(axis=1)
    safe = np.maximum(masses, _LEAST_MASS)
    means = (responsibilities @ columns.T) / safe[:, None]
    covariances = np.stack([_scatter(columns, *pair, covariance) for pair in zip(responsibilities, means)])
    covariances /= safe[:, None, None]
    lost = masses < _LEAST_MASS
    if lost.any() and before is not None:
        means[lost], covariances[lost] = before.means[lost], before.covariances[lost]
    if covariance == "tied":
        covariances[:] = np.tensordot(masses / masses.sum(), covariances, axes=1)
    return Mixture(np.maximum(masses / masses.sum(), _LEAST_WEIGHT), means, covariances)


def _scatter(columns: Array, responsibilities: Array, mean: Array, covariance: CovarianceType) -> Array:
    """Σ_i r_i (x_i - μ)(x_i - μ)ᵀ in the shape asked for, always as a matrix (d, d)."""
    if covariance in ("full", "tied"):
        scatter = np.zeros((len(mean), len(mean)))
        for block in gaussians.blocks(*columns.shape):
            difference = columns[:, block] - mean[:, None]
            scatter += (difference * responsibilities[block]) @ difference.T
        return (scatter + scatter.T) / 2.0
    difference = columns - mean[:, None]
    difference *= difference
    variances = difference @ responsibilities
    if covariance == "spherical":
        variances = np.full_like(variances, variances.mean())
    return np.diag(variances)


def _hard_half_steps(cloud: Cloud, mixture: Mixture, rules: Rules) -> Iterator[HalfStep]:
    """The limit T = 0: equal weights, one spherical covariance, every point wholly in its nearest component.

    The means take exactly the path of k-means (with the rule that an empty cluster keeps its centre).
    """
    here = NearestCentre(cloud, mixture.means)
    k = len(mixture.means)
    current = _spherical(here, rules, cloud.n * cloud.d)
    bound, changed = _classification(current, here), np.arange(cloud.n)
    for step in range(rules.max_steps + 1):
        responsibilities = hard(here.labels, k)
        gain = max(0.0, (tight := _classification(current, here)) - bound)
        stop = Stop.CONVERGED if len(changed) == 0 else _limit(step, rules)
        yield HalfStep("E step", current, responsibilities, _likelihood(cloud, current), tight, gain, stop)
        if stop is not None:
            return
        here.update()
        current = _spherical(here, rules, cloud.n * cloud.d)
        bound = _classification(current, here)
        yield HalfStep("M step", current, responsibilities, _likelihood(cloud, current), bound, bound - tight)
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
