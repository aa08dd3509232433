"""What the fits that are made together and those that are made one by one have in common."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from algorithms.data import Array, Points
from algorithms.evaluation.bias_variance.solver import Truth
from algorithms.maths.regression_marks import error_floor

MOST_NUMBERS = 4_000_000
"""Targets drawn in all: with very many points fewer redraws are made."""
FLAT = 1e-9
"""Where the sum of bias² and variance changes by less than this part of itself, it is the same everywhere."""


def count_of(redraws: int, data: Points) -> int:
    """How many redraws are made."""
    return min(redraws, max(MOST_NUMBERS // data.n, 2))


def floor_of(truth: Truth, y: Array, count: int) -> float:
    """The least that is drawn on a logarithmic axis: what the mean of the redraws is off by."""
    return max(0.1 * truth.sigma**2 / (len(y) * count), error_floor(y))


@dataclass(frozen=True, slots=True, eq=False)
class Cloud:
    """The estimates of two coefficients, and what a formula says of them."""

    at: Array  # (k, 2)
    ellipse: tuple[Array, Array] | None  # mean (2,) and covariance (2, 2)
    priced: bool  # by a penalty, which pulls towards the origin


@dataclass(frozen=True, slots=True, eq=False)
class TradeOff:
    """bias², variance and their sum with the noise over a number that is varied."""

    name: str  # of the number
    panel: str
    phase: str
    current: float | None
    noise: float  # σ²
    floor: float
    hypothetical: bool = False  # the method has no such number: ridge would have it
    pairs: tuple[tuple[float, tuple[float, float]], ...] = ()  # value, bias² and variance
    formula: tuple[tuple[float, float], ...] = ()

    def joined(self, value: float, model: Any, formula: tuple[float, float] | None) -> TradeOff:
        """With the parts at one more value, or from more redraws, and by the formula where there is one."""
        exact = self.formula if formula is None else (*self.formula, formula)
        parts = self.parts | {value: (model.bias2, model.variance)}
        return replace(self, pairs=tuple(parts.items()), formula=exact)

    @property
    def parts(self) -> dict[float, tuple[float, float]]:
        """bias² and variance by value."""
        return dict(self.pairs)

    @property
    def least(self) -> float | None:
        """Where bias² + variance is least; None where it is the same everywhere."""
        sums = {value: sum(both) for value, both in self.parts.items()}
        if len(sums) > 1 and max(sums.values()) - min(sums.values()) <= FLAT * max(sums.values()):
            return None
        return min(sums, key=lambda value: sums[value])


Drawn: TypeAlias = tuple[Any, Array, Cloud | None]
"""The model after some redraws, all targets so far (k, n), and the cloud."""
Steps: TypeAlias = Iterator[tuple[float, Any, tuple[float, float] | None, Cloud | None]]
"""For each value the model with it, its parts by the formula, and its cloud."""
