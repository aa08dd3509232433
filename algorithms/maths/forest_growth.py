"""Growing many trees side by side.

The regions of a level of *all* trees lie side by side in the same arrays, so that a hundred small trees cost as few
array operations as one large tree. Points that a bootstrap sample has left out weigh nothing and take no part.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from algorithms.data import Array
from algorithms.interrupt import checkpoint
from algorithms.maths.forests import Grove
from algorithms.maths.tree_growth import TIE, BestCuts, Level, Problem, best_cuts, costs
from algorithms.maths.trees import Tree, impurity

CELLS = 2**17
"""How many numbers are worked on at once."""


@dataclass(frozen=True, slots=True, eq=False)
class Presorted:
    """The points sorted by each feature: done once for all trees on the same points."""

    order: Array  # (d, n) the points by rising value
    rank: Array  # (d, n) where each point stands in that order
    values: Array  # (d, n) in that order
    columns: Array  # (d, n) the features of the points as they come

    @classmethod
    def of(cls, X: Array) -> Presorted:
        """The order of these points."""
        columns = np.ascontiguousarray(X.T)
        order, rank = np.empty(columns.shape, dtype=np.intp), np.empty(columns.shape, dtype=np.intp)
        for j, column in enumerate(columns):
            checkpoint()
            order[j] = np.argsort(column, kind="stable")
            rank[j, order[j]] = np.arange(len(X))
        return cls(order, rank, np.take_along_axis(columns, order, axis=1), columns)


def grown(problem: Problem, depth: int) -> Tree:
    """One tree, whole at once: the same as the one that grows cut by cut."""
    weights = None if problem.weights is None else problem.weights[None]
    return grow(problem, depth, weights).tree(0)


def grow(
    problem: Problem,
    depth: int,
    weights: Array | None = None,
    features: int | None = None,
    rng: np.random.Generator | None = None,
    presorted: Presorted | None = None,
) -> Grove:
    """Trees on the same points, one for each row of weights (b, n); a point of weight 0 takes no part in a tree.

    Parameters
    ----------
    problem : Problem
        The points, the target and the rules for a cut; its own weights are not used.
    depth : int
        Most cuts between the root and a leaf; 1 makes decision stumps.
    weights : array (b, n), optional
        Not negative; without them there is one tree, in which every point counts as one.
    features : int, optional
        So many features, drawn anew from ``rng`` for every region, are looked at for a cut; without it, all. A region
        that none of them can cut looks at all features.
    rng : Generator, optional
        Draws the features.
    presorted : Presorted, optional
        The order of the points, where it is known.
    """
    growing = _Growing(problem, Presorted.of(problem.X) if presorted is None else presorted, weights)
    d = problem.X.shape[1]
    for level in range(depth + 1):
        checkpoint()
        growing.measure(level)
        if level == depth or not growing.cut(d if features is None else min(features, d), rng):
            break
    return growing.grove()


class _Growing:
    """Many trees while they grow: the regions of one level of all of them."""

    def __init__(self, problem: Problem, presorted: Presorted, weights: Array | None) -> None:
        n = len(problem.X)
        self.problem, self.presorted, self.n = problem, presorted, n
        self.weights = None if weights is None else np.ascontiguousarray(weights, dtype=np.float64).ravel()
        taken = np.arange(n) if self.weights is None else self.weights.nonzero()[0]
        self.tree = np.arange(1 if weights is None else len(weights))  # (r,) of every region
        self.trees = len(self.tree)
        self.points = taken % n  # (m,) region after region
        self.sizes = np.bincount(taken // n, minlength=self.trees)
        self.starts = self.sizes.cumsum() - self.sizes
        self.nodes = 0  # how many there are on the levels above
        self.levels: list[tuple[Array, ...]] = []
        self.roots = np.zeros(self.trees)  # the impurity of each root
        self.whole = np.zeros(self.trees)  # the weight of all points of a tree

    def measure(self, depth: int) -> None:
        """The size, the impurity and the answer of every region."""
        problem, regions = self.problem, len(self.sizes)
        region = np.arange(regions).repeat(self.sizes)
        weight = None
        if self.weights is not None:
            weight = self.weights.take(self.tree.repeat(self.sizes) * self.n + self.points)
        target = problem.target.take(self.points)
        whole: Array = np.bincount(region, weight, minlength=regions).astype(np.float64)
        if problem.real:
            mean: Array = np.bincount(region, target if weight is None else target * weight, minlength=regions) / whole
            spread = np.square(target - mean.take(region))
            unlike: Array = (
                np.bincount(region, spread if weight is None else spread * weight, minlength=regions) / whole
            )
            unlike[np.maximum.reduceat(target, self.starts) == np.minimum.reduceat(target, self.starts)] = 0.0
            value: Array = mean[:, None]
        else:
            c = problem.classes
            counts = np.bincount(region * c + target, weight, minlength=regions * c).reshape(regions, c)
            value, unlike = counts / whole[:, None], np.maximum(impurity(counts, problem.criterion), 0.0)
        if depth == 0:
            self.roots, self.whole = unlike, whole
        self.region, self.unlike, self.weight = region, unlike, whole
        feature, child = np.full(regions, -1, dtype=np.int32), np.full(regions, -1, dtype=np.int32)
        depths, count = np.full(regions, depth, dtype=np.int32), self.sizes.astype(np.int32)
        zeros = np.zeros(regions)
        self.levels.append(
            (self.tree, feature, np.zeros(regions), child, depths, count, whole, unlike, zeros, np.asarray(value))
        )

    def cut(self, features: int, rng: np.random.Generator | None) -> bool:
        """Cut every region that is to be cut, and go down to the parts; whether there are any."""
        problem, d = self.problem, len(self.presorted.order)
        pure = self.unlike <= (0.0 if self.weights is None else TIE * self.roots.take(self.tree))
        whole = np.flatnonzero(~pure & (self.sizes >= 2 * problem.min_leaf))
        if not len(whole):
            return False
        asked = np.broadcast_to(np.arange(d)[:, None], (d, len(whole)))
        if features < d:
            assert rng is not None
            asked = np.sort(rng.random((d, len(whole))).argsort(axis=0)[:features], axis=0)
        feature, threshold, cost = self._best(whole, asked)
        stuck = np.flatnonzero(~np.isfinite(cost))
        if features < d and len(stuck):
            every = np.broadcast_to(np.arange(d)[:, None], (d, len(stuck)))
            feature[stuck], threshold[stuck], cost[stuck] = self._best(whole[stuck], every)
        gain = self.unlike.take(whole) - cost
        tree = self.tree.take(whole)
        needed = (problem.min_gain - TIE) * self.roots.take(tree)
        good = np.flatnonzero(gain * self.weight.take(whole) / self.whole.take(tree) >= needed)
        if not len(good):
            return False
        self._go_down(whole[good], feature[good], threshold[good], np.maximum(gain[good], 0.0))
        return True

    def _best(self, which: Array, asked: Array) -> tuple[Array, Array, Array]:
        """For each region the feature, the threshold and the cost of the best cut along those asked, (k, r)."""
        sizes = self.sizes.take(which)
        # so many regions at once that the numbers stay near the processor, and a run can be called off in between
        part = (sizes.cumsum() - sizes) * len(asked) // CELLS
        ends = np.append(np.flatnonzero(np.diff(part)) + 1, len(which))
        found = [
            self._best_of(which[first:end], asked[:, first:end]) for first, end in zip([0, *ends[:-1].tolist()], ends)
        ]
        feature, threshold, cost = (np.concatenate(parts) for parts in zip(*found))
        return feature, threshold, cost

    def _best_of(self, which: Array, asked: Array) -> tuple[Array, Array, Array]:
        sizes, root = self.sizes.take(which), self.roots.take(self.tree.take(which))
        starts = self.starts.take(which)
        places: Array = np.arange(int(sizes.sum())) + (starts - (sizes.cumsum() - sizes)).repeat(sizes)
        points = self.points.take(places)
        rows = max(CELLS // max(len(points), 1), 1)
        parts = [self._cuts(which, asked[row : row + rows], sizes, points) for row in range(0, len(asked), rows)]
        _, cost, balance, threshold = (np.concatenate(part) for part in zip(*parts))
        good = cost <= cost.min(axis=0) + TIE * root
        row, every = np.where(good, balance, -1).argmax(axis=0), np.arange(len(which))
        return asked[row, every], threshold[row, every], cost[row, every]

    def _cuts(self, which: Array, asked: Array, sizes: Array, points: Array) -> BestCuts:
        """The best cuts of some regions along some of the features that they ask for."""
        checkpoint()
        n, presorted = self.n, self.presorted
        region = np.arange(len(which)).repeat(sizes)
        # sorting (region, rank) as one number sorts the points of every region by value
        beginning, column = region * n, asked.repeat(sizes, axis=1) * n
        at = presorted.rank.take(column + points)
        at += beginning
        at.sort(axis=1)
        at -= beginning
        at += column
        level = Level.of(which, sizes, presorted.order.take(at))
        weights, tree = None, self.tree.take(which)
        if self.weights is not None:
            weights = self.weights.take(tree.repeat(sizes) * n + level.orders)
        cost = costs(self.problem, level, weights, self.unlike.take(which))
        tolerance = TIE * self.roots.take(tree)
        return best_cuts(presorted.values.take(at), cost, level, self.problem.min_leaf, tolerance)

    def _go_down(self, which: Array, feature: Array, threshold: Array, gain: Array) -> None:
        _, features, thresholds, child, *_, gains, _ = self.levels[-1]
        below = self.nodes + len(self.sizes)  # the number of the first node of the next level
        features[which], thresholds[which], gains[which] = feature, threshold, gain
        child[which] = below + 2 * np.arange(len(which))
        chosen = np.zeros(len(self.sizes), dtype=bool)
        chosen[which] = True
        points, sizes = self.points.compress(chosen.repeat(self.sizes)), self.sizes.take(which)
        part = 2 * np.arange(len(which)).repeat(sizes)
        part += self.presorted.columns.take((feature * self.n).repeat(sizes) + points) >= threshold.repeat(sizes)
        # 16-bit numbers are sorted in one pass each
        order = np.argsort(part.astype(np.uint16) if 2 * len(which) < 2**16 else part, kind="stable")
        self.points, self.sizes = points.take(order), np.bincount(part, minlength=2 * len(which))
        self.starts = self.sizes.cumsum() - self.sizes
        self.tree = self.tree.take(which).repeat(2)
        self.nodes = below

    def grove(self) -> Grove:
        """The trees one after the other, each level by level."""
        tree, feature, threshold, child, *rest = (np.concatenate(parts) for parts in zip(*self.levels))
        order = np.argsort(tree, kind="stable")
        number = np.empty(len(order), dtype=np.int32)
        number[order] = np.arange(len(order), dtype=np.int32)
        child = np.where(child < 0, -1, number.take(child)).astype(np.int32)
        columns = (part.take(order, axis=0) for part in (feature, threshold, child, *rest))
        table = Tree.of(columns, self.problem.real)
        start = np.concatenate([[0], np.bincount(tree, minlength=self.trees).cumsum()])
        return Grove(start, table)
