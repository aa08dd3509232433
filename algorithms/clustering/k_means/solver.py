"""What is known between two frames of k-means: how it was seeded, a half step, the best run so far."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from algorithms.contract import Stop
from algorithms.data import Array
from algorithms.maths.lloyd import HalfStep
from algorithms.maths.restarts import Restarts
from algorithms.records import dataclass

if TYPE_CHECKING:
    from algorithms.clustering.k_means import Model

SAME = 1e-9
"""Losses that differ by less than this fraction are the same: the earlier restart stays, on whatever machine."""


@dataclass(frozen=True, slots=True, eq=False)
class Seed:
    """How the first centres were placed; by k-means++ the newest of them is a point, drawn with a chance."""

    how: Literal["going on", "k-means++", "random points", "random partition", "by hand"]
    restarts: Restarts
    labels: Array | None = None  # (n,) of a random partition
    point: int = -1
    chance: float | None = None
    following: Array | None = None  # (n,) the chances of the next one


@dataclass(frozen=True, slots=True, eq=False)
class Half:
    """A half step, the way of the centres up to it, and the loss before."""

    half: HalfStep
    trail: Array  # (steps, k, d)
    before: float
    restarts: Restarts


@dataclass(frozen=True, slots=True, eq=False)
class End:
    """A finished run, the best so far; with the points of the elbow curve."""

    model: Model
    labels: Array  # (n,)
    trail: Array  # (steps, k, d)
    stop: Stop
    restarts: Restarts
    number: int
    losses: tuple[float, ...] = ()  # W(1), W(2), ...

    @property
    def objective(self) -> float:
        """The loss J."""
        return self.model.loss

    def is_better(self, best: End) -> bool:
        """Whether the loss is lower, by more than rounding."""
        return self.model.loss < best.model.loss * (1.0 - SAME)
