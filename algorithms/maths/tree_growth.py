"""Growing a tree level by level: the costs of every threshold of every region of a level, in a few array operations.

The points of a level are kept sorted by (region, value) once per feature, so that a running sum of the class counts
gives the left part of every possible cut at once, and no point is ever sorted a second time. All features are rows of
the same arrays. Points may have weights: a region then counts the weights of its points.

:class:`Growth` cuts one region after the other, for a tree that is watched; ``forest_growth`` cuts all regions of many
trees at once. Both find their cuts here.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from algorithms.data import Array
from algorithms.interrupt import checkpoint
from algorithms.maths.trees import Criterion, Tree, gathered_with, impurity_of, scatter_of

_CELLS = 2_000_000
TIE = 1e-12
"""Costs that differ by less than this fraction of the root's impurity are equal: the rest is rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """The data as a tree sees it, and the rules for a split."""

    X: Array  # (n, d)
    target: Array  # (n,) class numbers, or values
    classes: int  # how many there are; 0 when the target is a value
    criterion: Criterion
    min_leaf: int = 1
    min_gain: float = 0.0
    """The least fraction of the root's impurity that a split must take away."""
    weights: Array | None = None  # (n,) positive; without them every point counts as one

    @property
    def real(self) -> bool:
        """Whether the target is a value, so that leaves answer with a mean."""
        return self.classes == 0

    def rows(self, which: Array) -> Problem:
        """The same for some of the points."""
        weights = None if self.weights is None else self.weights[which]
        return replace(self, X=self.X[which], target=self.target[which], weights=weights)


@dataclass(frozen=True, slots=True, eq=False)
class Level:
    """Regions side by side: region r owns the places starts[r] ... starts[r] + sizes[r] - 1 of every order."""

    nodes: Array  # (r,)
    starts: Array  # (r,)
    sizes: Array  # (r,)
    orders: Array  # (d, m) for each feature the points, sorted by region and then by value
    region: Array  # (m,) the region of every place
    left: Array  # (m,) its points up to this place
    right: Array  # (m,) those behind it

    @classmethod
    def of(cls, nodes: Array, sizes: Array, orders: Array) -> Level:
        """The level with these regions, whose points are given in order."""
        starts = sizes.cumsum() - sizes
        region = np.arange(len(sizes)).repeat(sizes)
        left = np.arange(1, len(region) + 1) - starts.repeat(sizes)
        return cls(nodes, starts, sizes, orders, region, left, sizes.repeat(sizes) - left)

    def spread(self, numbers: Array) -> Array:
        """Numbers (d, r) of the regions at each of their places, (d, m)."""
        return numbers.repeat(self.sizes, axis=-1)

    def running(self, numbers: Array) -> Array:
        """The sums (d, m) of numbers from the first place of a region up to each of its places."""
        sums = numbers.cumsum(axis=1, dtype=np.float64)
        before = np.zeros((len(sums), len(self.starts)))
        before[:, 1:] = sums.take(self.starts[1:] - 1, axis=1)
        sums -= self.spread(before)
        return sums

    def totals(self, running: Array) -> Array:
        """What running sums have come to at the last place of every region, (d, r)."""
        return running.take(self.starts + (self.sizes - 1), axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class Sweep:
    """Every feature on one level: the cost of cutting behind every place, and the best cut of every region."""

    cost: Array  # (d, m), infinite where no cut is allowed
    place: tuple[tuple[int, ...], ...]  # [feature][region] the best place, -1 where there is none
    least: tuple[tuple[float, ...], ...]  # its cost, infinite where there is none
    balance: tuple[tuple[int, ...], ...]  # points in its smaller part
    threshold: tuple[tuple[float, ...], ...]

    def cut(self, feature: int, region: int) -> Cut | None:
        """The best cut of a region along one feature."""
        place = self.place[feature][region]
        return None if place < 0 else Cut(feature, self.threshold[feature][region], place, self.least[feature][region])


class Cut(NamedTuple):
    """The best cut of a region along one feature."""

    feature: int
    threshold: float
    place: int
    cost: float


class Growth:
    """A tree while it grows. The table is written into; :meth:`tree` gives out copies."""

    def __init__(self, problem: Problem, depth: int) -> None:
        n = len(problem.X)
        most = min(2 ** (depth + 1), 2 * n)  # a split makes two leaves of one, and no leaf is empty
        self.problem = problem
        self.node_of = np.zeros(n, dtype=np.int32)  # the leaf of every point
        self.feature = np.full(most, -1, dtype=np.int32)
        self.threshold = np.zeros(most)
        self.child = np.full(most, -1, dtype=np.int32)
        self.depth = np.zeros(most, dtype=np.int32)
        self.count = np.zeros(most, dtype=np.int32)
        self.weight = np.zeros(most)
        self.impurity = np.zeros(most)
        self.gain = np.zeros(most)
        self.value = np.zeros((most, max(problem.classes, 1)))
        self.nodes = 0
        self.deepest = 0
        self._columns = np.ascontiguousarray(problem.X.T)
        self._scatter: list[float] = []  # of every node: impurity times points, counted by their weights
        self._missed: list[float] = []  # its points of other classes than the one it answers
        self._add(np.arange(n), 0)
        self.root = float(self.impurity[0])
        self.scatter = self._scatter[0]
        """The impurity of the leaves times their points, summed."""
        self.wrong = self._missed[0]
        """The points that are not of the class that their leaf answers, counted by their weights."""
        orders = _joined(
            [np.argsort(self._columns[rows], axis=1, kind="stable") for rows in _features(*problem.X.T.shape)]
        )
        self.level = Level.of(np.array([0]), np.array([n]), orders)

    def tree(self) -> Tree:
        """The table as it stands now."""
        nodes, places = (self.feature, self.threshold, self.child, self.depth), (self.impurity, self.gain, self.value)
        table = (*nodes, self.count, self.weight, *places)
        return Tree.of((part[: self.nodes].copy() for part in table), self.problem.real)

    @property
    def leaves(self) -> int:
        """How many nodes have no children (yet): every cut makes two of one."""
        return (self.nodes + 1) // 2

    @property
    def error(self) -> float:
        """The fraction of wrong answers; of values, the part of the variance that is left."""
        if not self.problem.real:
            return max(self.wrong / float(self.weight[0]), 0.0)
        return self.mean_impurity / self.root if self.root > 0.0 else 0.0

    @property
    def mean_impurity(self) -> float:
        """The mean over the points of the impurity of their leaves."""
        return max(self.scatter / float(self.weight[0]), 0.0)

    def search(self) -> Sweep:
        """Sweep every feature over every region of the level."""
        parts = [self._swept(rows) for rows in _features(*self.level.orders.shape)]
        cost, *found = map(_joined, zip(*parts))
        return Sweep(cost, *(tuple(map(tuple, part.tolist())) for part in found))

    def _swept(self, rows: slice) -> tuple[Array, ...]:
        """The costs (d, m) of some of the features, and their best cuts."""
        problem, level = self.problem, replace(self.level, orders=self.level.orders[rows])
        columns = self._columns[rows]
        x = columns.take(level.orders + columns.shape[1] * np.arange(len(columns))[:, None])
        weights = None if problem.weights is None else problem.weights.take(level.orders)
        cost = costs(problem, level, weights, self.impurity.take(level.nodes))
        return cost, *best_cuts(x, cost, level, problem.min_leaf, TIE * self.root)

    def best_cut(self, sweep: Sweep, region: int, features: range | None = None) -> Cut | None:
        """The cut of least cost; of equal ones the most even one, then the first feature and least threshold."""
        features = features or range(len(sweep.place))
        least = [sweep.least[j][region] for j in features]
        enough = min(least) + TIE * self.root
        if enough == math.inf:
            return None
        good = [j for j, cost in zip(features, least) if cost <= enough]
        best = good[0] if len(good) == 1 else max(good, key=lambda j: sweep.balance[j][region])
        return sweep.cut(best, region)

    def refusal(self, region: int, cut: Cut | None) -> str:
        """Why the region is not to be cut: ``pure``, ``narrow``, ``plateau``; empty when it is to be."""
        node = int(self.level.nodes[region])
        if self.impurity[node] <= (0.0 if self.problem.weights is None else TIE * self.root):
            return "pure"
        if cut is None:
            return "narrow"
        least = (self.problem.min_gain - TIE) * self.root
        gained = (self.impurity[node] - cut.cost) * self.weight[node] / self.weight[0]
        return "plateau" if gained < least else ""

    def split(self, region: int, cut: Cut) -> None:
        """Cut a region of the level in two."""
        node, start = int(self.level.nodes[region]), int(self.level.starts[region])
        stop, order = start + int(self.level.sizes[region]), self.level.orders[cut.feature]
        self._divide(node, cut.feature, cut.threshold, order[start : cut.place + 1], order[cut.place + 1 : stop])
        self.gain[node] = max(self.impurity[node] - cut.cost, 0.0)

    def split_at(self, node: int, feature: int, threshold: float) -> Cut:
        """Cut any leaf at any threshold that has points on both sides, outside the order of the levels."""
        inside = np.flatnonzero(self.node_of == node)
        left, first = self._columns[feature, inside] < threshold, self.nodes
        self._divide(node, feature, threshold, inside[left], inside[~left])
        cost = (self._scatter[first] + self._scatter[first + 1]) / float(self.weight[node])
        self.gain[node] = max(self.impurity[node] - cost, 0.0)
        return Cut(feature, threshold, -1, cost)

    def _divide(self, node: int, feature: int, threshold: float, left: Array, right: Array) -> None:
        first, depth = self.nodes, int(self.depth[node]) + 1
        self.feature[node], self.threshold[node], self.child[node] = feature, threshold, first
        for points in (left, right):
            self.node_of[points] = self.nodes
            self._add(points, depth)
        self.scatter += self._scatter[first] + self._scatter[first + 1] - self._scatter[node]
        self.wrong += self._missed[first] + self._missed[first + 1] - self._missed[node]

    def go_down(self) -> bool:
        """Make the children the current level; whether there are any."""
        level, child = self.level, self.child[self.level.nodes]
        split = child >= 0
        if not split.any():
            return False
        first, inside = int(child[split].min()), level.spread(split)
        # every order has the points of a region in the same places
        blocks = (level.orders[rows].compress(inside, axis=1) for rows in _features(*level.orders.shape))
        orders = _joined([self._by_region(points, first) for points in blocks])
        sizes = np.bincount(self.node_of.take(orders[0]) - first)
        self.level = Level.of(np.arange(first, first + len(sizes)), sizes, orders)
        return True

    def _by_region(self, points: Array, first: int) -> Array:
        """The orders (d, m) of some features by the regions of the next level, whose nodes begin at ``first``."""
        region = self.node_of.take(points)
        region -= first
        # a stable sort by region keeps the order by value; 16-bit numbers are sorted in one pass each
        places = np.argsort(region.astype(np.uint16) if region.max() < 2**16 else region, axis=1, kind="stable")
        places += points.shape[1] * np.arange(len(points))[:, None]
        return points.take(places)

    def _add(self, points: Array, depth: int) -> None:
        node, n, target, missed = self.nodes, len(points), self.problem.target.take(points), 0.0
        weights = None if self.problem.weights is None else self.problem.weights.take(points)
        whole = float(n) if weights is None else float(weights.sum())
        if self.problem.real:
            mean = (np.add.reduce(target) if weights is None else weights @ target) / whole
            spread = np.square(target - mean)
            unlike = float(spread.mean() if weights is None else weights @ spread / whole) if np.ptp(target) else 0.0
            self.value[node, 0] = mean
        else:
            counts = np.bincount(target, weights, minlength=self.problem.classes)
            self.value[node] = counts / whole
            numbers = counts.tolist()
            unlike, missed = impurity_of(numbers, whole, self.problem.criterion), whole - max(numbers)
        self.depth[node], self.count[node], self.weight[node], self.impurity[node] = depth, n, whole, unlike
        self._scatter.append(unlike * whole)
        self._missed.append(missed)
        self.nodes, self.deepest = node + 1, max(self.deepest, depth)


def _features(d: int, m: int) -> Iterator[slice]:
    """All features, as many at a time as are soon done; between them the work may be called off."""
    size = max(_CELLS // max(m, 1), 1)
    for first in range(0, d, size):
        checkpoint()
        yield slice(first, first + size)


def _joined(parts: Sequence[Array]) -> Array:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _between(below: Array, above: Array) -> Array:
    """The middle of two values; never equal to the lower of the two."""
    middle = below / 2 + above / 2
    return np.where((middle > below) & (middle <= above), middle, above)


def curve(X: Array, level: Level, sweep: Sweep, feature: int, region: int) -> tuple[Array, Array]:
    """The allowed thresholds of a region along one feature, and their costs."""
    start, size = int(level.starts[region]), int(level.sizes[region])
    cost = sweep.cost[feature, start : start + size]
    inside = np.flatnonzero(np.isfinite(cost))
    order, column = level.orders[feature], X[:, feature]
    return _between(column[order[start + inside]], column[order[start + inside + 1]]), cost[inside]


class BestCuts(NamedTuple):
    """For every row of a level and each of its regions the best cut, (d, r) each."""

    place: Array  # -1 where there is none
    cost: Array  # infinite where there is none
    balance: Array  # points in its smaller part
    threshold: Array


def best_cuts(x: Array, cost: Array, level: Level, min_leaf: int, tolerance: float | Array) -> BestCuts:
    """The place of least cost of every region along every row of sorted values ``x`` (d, m).

    Of places that cost the same within the ``tolerance`` (of all regions, or (r,) of each), the one that halves the
    points best is taken, and then the first. ``cost`` is made infinite where no cut is allowed.
    """
    (d, m), regions = x.shape, len(level.starts)
    smaller = np.minimum(level.left, level.right)
    allowed = np.empty(x.shape, dtype=bool)
    np.greater(x[:, 1:], x[:, :-1], out=allowed[:, :-1])
    allowed[:, -1] = False
    allowed &= smaller >= min_leaf
    np.putmask(cost, ~allowed, np.inf)
    least = np.minimum.reduceat(cost, level.starts, axis=1)
    near = cost <= level.spread(least + tolerance)
    near &= np.isfinite(cost)
    hits = near.ravel().nonzero()[0]
    feature, place = np.divmod(hits, m)
    owner, balance = feature * regions + level.region.take(place), smaller.take(place)
    most = np.zeros(d * regions, dtype=np.intp)
    np.maximum.at(most, owner, balance)
    even = (balance == most.take(owner)).nonzero()[0][::-1]  # of several the first one is written last, and stays
    hits, owner = hits.take(even), owner.take(even)
    best, lowest, threshold = np.full(d * regions, -1), np.full(d * regions, np.inf), np.zeros(d * regions)
    best[owner] = place.take(even)
    lowest[owner] = cost.take(hits)
    threshold[owner] = _between(x.take(hits), x.take(hits + 1))
    return BestCuts(*(part.reshape(d, regions) for part in (best, lowest, most, threshold)))


def costs(problem: Problem, level: Level, weights: Array | None, impurities: Array) -> Array:
    """The impurity (d, m) of the two parts, weighted by their points, when cutting behind every place of a level.

    ``weights`` (d, m) are those of the points in their order, ``impurities`` (r,) those of the regions.
    """
    make = _value_costs if problem.real else _class_costs
    return make(problem, level, weights, impurities)


def _parts(level: Level, weights: Array | None) -> tuple[Array, Array]:
    """The points on both sides of every place, counted by their weights, no less than rounding leaves."""
    if weights is None:
        return level.left.astype(np.float64), np.maximum(level.right, 1.0)
    left = level.running(weights)
    whole = level.spread(level.totals(left))
    right = whole - left
    nothing = TIE * whole
    return np.maximum(left, nothing), np.maximum(right, nothing)


def _class_costs(problem: Problem, level: Level, weights: Array | None, _: Array) -> Array:
    labels, criterion = problem.target.take(level.orders), problem.criterion
    left, right = _parts(level, weights)
    here = there = np.zeros(labels.shape)
    rest_here, rest_there = left, right if weights is not None else level.right.astype(np.float64)
    for label in range(problem.classes - 1):
        of_class = labels == label
        sums = level.running(of_class if weights is None else of_class * weights)
        others = level.spread(level.totals(sums))
        others -= sums
        here, there = gathered_with(here, sums, criterion), gathered_with(there, others, criterion)
        rest_here, rest_there = rest_here - sums, rest_there - others  # of the last class is what the others leave
    here, there = gathered_with(here, rest_here, criterion), gathered_with(there, rest_there, criterion)
    scatter = scatter_of(here, left, criterion)
    scatter += scatter_of(there, right, criterion)
    scatter /= left + right
    return scatter


def _value_costs(problem: Problem, level: Level, weights: Array | None, impurities: Array) -> Array:
    """For values, measured from their mean: the squared sum of one part is what the cut explains."""
    values = problem.target.take(level.orders)
    left, right = _parts(level, weights)
    if weights is None:
        values -= level.spread(np.add.reduceat(values, level.starts, axis=1) / level.sizes)
        explained = np.square(level.running(values)) / (left * right)
    else:
        whole = level.totals(level.running(weights))
        values -= level.spread(np.add.reduceat(values * weights, level.starts, axis=1) / whole)
        explained = np.square(level.running(values * weights)) / (left * right)
    return np.maximum(level.spread(impurities) - explained, 0.0)
