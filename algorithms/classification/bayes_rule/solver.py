"""Densities, posteriors, and the risk of rules: exact, by distribution functions."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from algorithms.data import Array

if TYPE_CHECKING:
    from algorithms.classification.bayes_rule import Params

Shape = Literal["Gaussian", "Laplace", "uniform"]
SEEN, _REACH = 4.0, 30.0  # deviations to both sides that are drawn, and that are searched for crossings
_SEARCH = 3001  # places around each density between which they cross once at most


@dataclass(frozen=True, slots=True)
class Density:
    """A density by its shape, mean and standard deviation."""

    shape: Shape
    mean: float
    deviation: float

    def pdf(self, x: Array) -> Array:
        """The density at x."""
        z = (x - self.mean) / self.deviation
        if self.shape == "Gaussian":
            return np.exp(-0.5 * z * z) / (math.sqrt(2.0 * math.pi) * self.deviation)
        if self.shape == "Laplace":
            return np.exp(-math.sqrt(2.0) * np.abs(z)) / (math.sqrt(2.0) * self.deviation)
        return np.where(np.abs(z) <= math.sqrt(3.0), 1.0 / (2.0 * math.sqrt(3.0) * self.deviation), 0.0)

    def cdf(self, x: Array) -> Array:
        """The probability of a value up to x."""
        z = (np.asarray(x, dtype=np.float64) - self.mean) / self.deviation
        if self.shape == "Gaussian":
            return ndtr(z)
        if self.shape == "Laplace":
            tail = 0.5 * np.exp(-math.sqrt(2.0) * np.abs(z))
            return np.where(z < 0.0, tail, 1.0 - tail)
        return np.clip(0.5 + z / (2.0 * math.sqrt(3.0)), 0.0, 1.0)

    def quantile(self, u: Array) -> Array:
        """The x up to which there is the probability u, for drawing."""
        if self.shape == "Gaussian":
            z = ndtri(u)
        elif self.shape == "Laplace":
            z = np.sign(u - 0.5) * -np.log1p(-np.minimum(2.0 * np.abs(u - 0.5), 1.0 - 1e-16)) / math.sqrt(2.0)
        else:
            z = (2.0 * u - 1.0) * math.sqrt(3.0)
        return self.mean + self.deviation * z


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """Both densities with what weighs them; ``below`` is the class (0 or 1) that is decided below a threshold."""

    densities: tuple[Density, Density]
    priors: Array  # (2,)
    costs: Array  # (2, 2) the true class and the decided one
    below: int

    @classmethod
    def of(cls, params: Params) -> Problem:
        """The problem that is set."""
        one = Density(params.density_1, params.mean_1, params.deviation_1)
        two = Density(params.density_2, params.mean_2, params.deviation_2)
        priors = np.array([params.prior, 1.0 - params.prior])
        return cls((one, two), priors, np.array(params.costs), 0 if one.mean <= two.mean else 1)

    def ends(self, deviations: float) -> tuple[float, float]:
        """The part of the axis within so many standard deviations of either class."""
        low = min(one.mean - deviations * one.deviation for one in self.densities)
        high = max(one.mean + deviations * one.deviation for one in self.densities)
        return low, high

    def weighted(self, x: Array) -> Array:
        """p(x | k) P(k) of both classes, (2, m)."""
        return np.stack([prior * one.pdf(x) for prior, one in zip(self.priors, self.densities)])

    def posteriors(self, x: Array) -> Array:
        """P(k | x), (2, m): where neither class has any density, the priors."""
        joint = self.weighted(x)
        evidence = joint.sum(axis=0)
        known = evidence > 0.0
        return np.where(known, joint / np.where(known, evidence, 1.0), self.priors[:, None])

    def excess(self, x: Array) -> Array:
        """How much more deciding 1 is expected to cost at x than deciding 2, (m,): its sign is the best rule."""
        regret = self.costs[:, 0] - self.costs[:, 1]
        return regret @ self.weighted(np.asarray(x, dtype=np.float64))

    def risk(self, t: Array | float) -> Array:
        """R(t), (m,): the expected cost of the rule that changes its mind at t."""
        places = np.atleast_1d(np.asarray(t, dtype=np.float64))
        total = np.zeros(len(places))
        for prior, one, costs in zip(self.priors, self.densities, self.costs):
            below = one.cdf(places)
            total += prior * (costs[self.below] * below + costs[1 - self.below] * (1.0 - below))
        return total

    def table(self, t: float) -> Array:
        """P(the true class is k and j is decided), (2, 2)."""
        below = np.array([float(prior * one.cdf(np.array(t))) for prior, one in zip(self.priors, self.densities)])
        columns = [below, self.priors - below]
        return np.column_stack(columns if self.below == 0 else columns[::-1])

    def best_rule(self) -> tuple[Array, list[int]]:
        """Where the expected costs of both decisions are equal, (m,), and what to decide (0, 1) before, between, after.

        Where neither class has any density it does not matter what is decided.
        """
        around = np.linspace(-_REACH, _REACH, _SEARCH)
        x = np.unique(np.concatenate([one.mean + one.deviation * around for one in self.densities]))
        signs = np.sign(self.excess(x))
        kept = np.flatnonzero(signs)
        changes = [(x[i], x[j]) for i, j in itertools.pairwise(kept) if signs[i] != signs[j]]
        places = [brentq(lambda place: float(self.excess(np.array([place]))[0]), a, b) for a, b in changes]
        first = int(len(kept) > 0 and signs[kept[0]] > 0.0)
        return np.array(places), [(first + number) % 2 for number in range(len(places) + 1)]

    def bayes_risk(self, crossings: Array, decided: list[int]) -> float:
        """The expected cost of the best rule, which no other one can be below."""
        edges = np.concatenate([[-np.inf], crossings, [np.inf]])
        total = 0.0
        for prior, one, costs in zip(self.priors, self.densities, self.costs):
            total += float(prior * (np.diff(one.cdf(edges)) @ costs[decided]))
        return total

    def best(self, crossings: Array) -> float:
        """The threshold with the smallest risk: a crossing, or an end of the axis where all are of one class."""
        candidates = np.concatenate([crossings, self.ends(_REACH)])
        return float(candidates[self.risk(candidates).argmin()])
