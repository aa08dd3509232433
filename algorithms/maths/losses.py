"""Losses: what a residual costs, and functions that losses are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from algorithms.data import Array


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


@dataclass(frozen=True, slots=True)
class Loss:
    """What a residual costs: r²; Huber's, doubled so that it is r² near zero; or r² with two different prices.

    Huber's ½a² for |a| <= δ and δ(|a| - δ/2) beyond becomes r² and δ(2|r| - δ): for δ → ∞ this *is* the squared loss,
    and λ keeps its meaning. The asymmetric loss is 2τ r² above the curve and 2(1 - τ) r² below; with τ = ½ it is r².
    """

    kind: Literal["squared", "huber", "asymmetric"] = "squared"
    delta: float = 1.0
    tau: float = 0.5

    def each(self, residuals: Array) -> Array:
        """The cost of every residual."""
        if self.kind == "huber":
            size = np.abs(residuals)
            inside = np.minimum(size, self.delta)
            return inside * (2.0 * size - inside)
        return self.weights(residuals) * residuals**2

    def weights(self, residuals: Array) -> Array:
        """Weights with which the squared loss has the same slope at these residuals."""
        if self.kind == "huber":
            return np.asarray(self.delta / np.maximum(np.abs(residuals), self.delta))
        if self.kind == "asymmetric":
            return np.where(residuals > 0.0, 2.0 * self.tau, 2.0 * (1.0 - self.tau))
        return np.ones(len(residuals))
