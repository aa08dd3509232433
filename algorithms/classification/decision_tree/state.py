"""What the snapshots of a decision tree hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from algorithms.classification.decision_tree.solver import PruningCurves
from algorithms.contract import Snapshot
from algorithms.data import Array, Points
from algorithms.maths.threshold_axis import ThresholdAxis
from algorithms.maths.tree_growth import Cut, Growth, Level, Problem, Sweep
from algorithms.maths.trees import Tree

if TYPE_CHECKING:
    from algorithms.classification.decision_tree import Params


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What stays the same during a run."""

    data: Points
    params: Params
    problem: Problem
    axis: ThresholdAxis

    @classmethod
    def of(cls, data: Points, params: Params, growth: Growth) -> Given:
        """Before the first cut, while all points are sorted by each feature."""
        first, last = growth.level.orders[:, 0], growth.level.orders[:, -1]
        low, high = data.X[first, range(data.d)], data.X[last, range(data.d)]
        return cls(data, params, growth.problem, ThresholdAxis.of(data.features, low, high))


class Search(NamedTuple):
    """A region whose thresholds are being swept: the first ``shown`` features, and the best cut of them."""

    level: Level
    sweep: Sweep
    region: int
    best: Cut
    shown: int


class Fold(NamedTuple):
    """The links that are folded in one frame."""

    alpha: float
    saved: int  # leaves
    rise: float  # of the impurity


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """What a frame shows beside the tree."""

    active: tuple[int, ...] = ()  # the nodes at work
    cut: Cut | None = None
    search: Search | None = None  # the latest sweep
    refusal: str = ""  # why the node at work stays a leaf
    number: int = 0  # of the cut, where not every one has a frame
    fold: Fold | None = None
    errors: Array | None = None  # (2, depths) in training and in cross-validation
    pruning: PruningCurves | None = None


Shot = Snapshot[Given, Tree, Shown]
