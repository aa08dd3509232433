"""What is to be made small: the price of the coefficients and the cost of the residuals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from algorithms.data import Array


@dataclass(frozen=True, slots=True)
class Penalty:
    """``l1`` Σ|β_j| + ``l2`` Σ β_j² + ``lq`` Σ|β_j|^q; for q = 0 the last sum is the number of coefficients in use.

    With ``directions`` = m (principal component regression) β has to lie along the m longest singular directions of
    the columns: those have no price, and all others may not be used; 0 leaves out what is redundant.
    """

    l1: float = 0.0
    l2: float = 0.0
    lq: float = 0.0
    q: float = 1.0
    directions: int | None = None

    @classmethod
    def power(cls, lam: float, q: float) -> Penalty:
        """λ Σ|β_j|^q; the two powers with names are the lasso and ridge, and are solved as such."""
        if q == 1.0:
            return cls(l1=lam)
        return cls(l2=lam) if q == 2.0 else cls(lq=lam, q=q)

    @property
    def closed(self) -> bool:
        """Whether the solution follows from linear equations."""
        return self.l1 == 0.0 and self.lq == 0.0

    @property
    def priced(self) -> bool:
        """Whether coefficients cost anything."""
        return bool(self.l1 or self.l2 or self.lq)

    @property
    def convex(self) -> bool:
        """Whether there is only one valley."""
        return self.lq == 0.0 or self.q >= 1.0

    def of(self, beta: Array) -> float:
        """The price of these coefficients."""
        price = float(self.l1 * np.abs(beta).sum() + self.l2 * (beta @ beta))
        return min(price + self.lq * powers(beta, self.q), 1e300) if self.lq else price


def powers(beta: Array, q: float) -> float:
    """Σ|β_j|^q, where 0^0 is 0; never beyond the range of numbers."""
    size = np.abs(beta[beta != 0.0])
    with np.errstate(over="ignore"):
        return min(float((size**q).sum()), 1e300)


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
