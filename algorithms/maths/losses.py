"""Losses: what a residual costs, and functions that losses are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from algorithms.data import Array


def expit(a: Array) -> Array:
    """The logistic function. SciPy is imported by the first call: the gallery lists all methods before any is run."""
    from scipy.special import expit as logistic

    value: Array = logistic(a)
    return value


def logistic_in_place(a: Array) -> Array:
    """:func:`expit`, written over its argument: for the many cells of a field, right but for the last binary digit.

    NumPy takes eight exponentials at once where the processor can, SciPy's function one after the other. A run keeps
    to that one, so that its frames do not depend on the processor.
    """
    np.negative(a, out=a)
    with np.errstate(over="ignore"):  # 1 / infinity is 0
        np.exp(a, out=a)
    a += 1.0
    return np.reciprocal(a, out=a)


def softplus(a: Array) -> Array:
    """log(1 + e^a), which never overflows; ``np.logaddexp(0, a)`` takes five times as long.

    The cross-entropy of a point that lies m on its own side of a sigmoid is softplus(-m).
    """
    answer = np.abs(a)
    np.negative(answer, out=answer)
    np.exp(answer, out=answer)
    np.log1p(answer, out=answer)
    answer += np.maximum(a, 0.0)
    return answer


LossKind = Literal["squared", "huber", "absolute", "pinball", "expectile"]


@dataclass(frozen=True, slots=True)
class Loss:
    """What a residual r costs, scaled so that the usual case of each kind is r² or |r|.

    Huber's ½a² for |a| <= δ and δ(|a| - δ/2) beyond is doubled, r² and δ(2|r| - δ): for δ → ∞ this *is* the squared
    loss, and λ keeps its meaning. Pinball and expectile have two prices, 2τ above the curve and 2(1 - τ) below, for |r|
    and for r²: with τ = ½ they are the absolute and the squared loss. The constant that costs least is the mean, the
    median (absolute), the τ-quantile (pinball) or the τ-expectile.
    """

    kind: LossKind = "squared"
    delta: float = 1.0
    tau: float = 0.5

    @property
    def cornered(self) -> bool:
        """Whether there is a corner at 0, so that the best curve passes through points."""
        return self.kind in ("absolute", "pinball")

    def each(self, residuals: Array) -> Array:
        """The cost of every residual."""
        if self.kind == "huber":
            size = np.abs(residuals)
            inside = np.minimum(size, self.delta)
            return inside * (2.0 * size - inside)
        return self._prices(residuals) * (np.abs(residuals) if self.cornered else residuals**2)

    def slope(self, residuals: Array) -> Array:
        """Of the cost; 0 at a corner."""
        if self.kind == "huber":
            return 2.0 * np.clip(residuals, -self.delta, self.delta)
        return self._prices(residuals) * (np.sign(residuals) if self.cornered else 2.0 * residuals)

    def weights(self, residuals: Array, edge: float = 0.0) -> Array:
        """Weights with which the squared loss has the same slope here; a corner is rounded by ``edge``."""
        if self.kind == "huber":
            return np.asarray(self.delta / np.maximum(np.abs(residuals), self.delta))
        prices = self._prices(residuals)
        if self.cornered:
            return np.asarray(0.5 * prices / np.maximum(np.abs(residuals), edge))
        return prices

    def _prices(self, residuals: Array) -> Array:
        if self.kind in ("pinball", "expectile"):
            return np.where(residuals > 0.0, 2.0 * self.tau, 2.0 * (1.0 - self.tau))
        return np.ones(len(residuals))
