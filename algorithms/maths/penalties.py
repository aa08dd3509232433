"""The price of coefficients in a penalised fit: ridge, lasso, elastic net, any power, or none along few directions."""

from __future__ import annotations

from dataclasses import dataclass

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

    @classmethod
    def elastic(cls, lam: float, mix: float) -> Penalty:
        """λ [α Σ|β_j| + (1 - α) Σ β_j²]; α = ``mix`` is 1 for the lasso and 0 for ridge."""
        return cls(lam * mix, lam * (1.0 - mix))

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
        price = self.l1 * float(np.abs(beta).sum()) if self.l1 else 0.0
        price += self.l2 * float(beta @ beta) if self.l2 else 0.0
        return min(price + self.lq * powers(beta, self.q), 1e300) if self.lq else price


def powers(beta: Array, q: float) -> float:
    """Σ|β_j|^q, where 0^0 is 0; never beyond the range of numbers."""
    size = np.abs(beta[beta != 0.0])
    with np.errstate(over="ignore"):
        return min(float((size**q).sum()), 1e300)
