"""Growing a tree level by level: the costs of every threshold of every region of a level, in a few array operations.

The points of a level are kept sorted by (region, value) once per feature, so that a running sum of the class counts
gives the left part of every possible cut at once, and no point is ever sorted a second time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from algorithms.dataset import Array
from algorithms.marks import OPEN

Criterion = Literal["gini", "cross-entropy", "misclassification", "squared error"]
CLASS_CRITERIA = ("gini", "cross-entropy", "misclassification")
TIE = 1e-12
"""Costs that differ by less than this share of the root's impurity are equal: the rest is rounding."""


def impurity(counts: Array, criterion: Criterion) -> Array:
    """The impurity (...) of regions with these class counts (..., c).

    Gini 1 - Σπ², cross-entropy -Σπ log π, misclassification 1 - max π. The squared error of the class indicators is
    Gini's index: the variance of an indicator is π(1 - π).
    """
    counts = np.asarray(counts, dtype=np.float64)
    total = counts.sum(axis=-1)
    return _scatter(counts, total, criterion) / np.maximum(total, 1.0)


def _scatter(counts: Array, total: Array, criterion: Criterion) -> Array:
    """The impurity times the number of points."""
    if criterion == "cross-entropy":
        return _times_log(total) - _times_log(counts).sum(axis=-1)
    if criterion == "misclassification":
        return total - counts.max(axis=-1)
    return total - np.einsum("...c,...c->...", counts, counts) / np.maximum(total, 1.0)


def _times_log(counts: Array) -> Array:
    return counts * np.log(np.where(counts > 0.0, counts, 1.0))


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """A tree as a table of nodes: 0 is the root, and the children of a node are ``child`` and ``child + 1``."""

    feature: Array  # (m,) int, -1 for a leaf
    threshold: Array  # (m,), points with x_feature < threshold go to the first child
    child: Array  # (m,) int, -1 for a leaf
    depth: Array  # (m,) int
    count: Array  # (m,) int
    impurity: Array  # (m,)
    gain: Array  # (m,) what the split of a node has gained, 0 for a leaf
    value: Array  # (m, c) the share of every class, or (m, 1) the mean
    real: bool = False
    """Whether it answers with values."""

    def leaf_of(self, X: Array) -> Array:
        """The leaf (n,) in which every point ends."""
        node = np.zeros(len(X), dtype=np.intp)
        rows = np.arange(len(X))
        for _ in range(int(self.depth.max())):
            node = self.step_down(X, node, rows)
        return node

    def step_down(self, X: Array, node: Array, rows: Array) -> Array:
        """One level down from these nodes; a point in a leaf stays."""
        feature = self.feature[node]
        right = X[rows, feature] >= self.threshold[node]
        return np.where(feature >= 0, self.child[node] + right, node)

    def path(self, x: Array) -> list[int]:
        """The nodes that one point passes, from the root to its leaf."""
        nodes = [0]
        while self.child[nodes[-1]] >= 0:
            node = nodes[-1]
            nodes.append(int(self.child[node]) + int(x[self.feature[node]] >= self.threshold[node]))
        return nodes


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """The data as a tree sees it, and the rules for a split."""

    X: Array  # (n, d)
    codes: Array  # (n, c) class indicators, or (n, 1) values
    criterion: Criterion
    real: bool
    """Whether the target is a value, so that leaves answer with a mean."""
    min_leaf: int = 1
    min_gain: float = 0.0
    """The least share of the root's impurity that a split must take away."""


@dataclass(frozen=True, slots=True, eq=False)
class Level:
    """Regions side by side: region r owns the places starts[r] ... starts[r] + sizes[r] - 1 of every order."""

    nodes: Array  # (r,)
    starts: Array  # (r,)
    sizes: Array  # (r,)
    orders: tuple[Array, ...]  # for each feature (m,) points, sorted by region and then by value


@dataclass(frozen=True, slots=True, eq=False)
class Sweep:
    """One feature on one level: the cost of cutting behind every place, and the best cut of every region."""

    cost: Array  # (m,), infinite where no cut is allowed
    place: Array  # (r,) the best place, -1 where there is none
    least: Array  # (r,) its cost
    balance: Array  # (r,) points in its smaller part


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """The best cut of a region along one feature."""

    feature: int
    threshold: float
    place: int
    cost: float


class Growth:
    """A tree while it grows. The table is written into; :meth:`tree` gives out copies."""

    def __init__(self, problem: Problem, depth: int) -> None:
        n, d = problem.X.shape
        most = min(2 ** (depth + 1), 2 * n)  # a split makes two leaves of one, and no leaf is empty
        self.problem = problem
        self.node_of = np.zeros(n, dtype=np.int32)  # the leaf of every point
        self.feature = np.full(most, -1, dtype=np.int32)
        self.threshold = np.zeros(most)
        self.child = np.full(most, -1, dtype=np.int32)
        self.depth = np.zeros(most, dtype=np.int32)
        self.count = np.zeros(most, dtype=np.int32)
        self.impurity = np.zeros(most)
        self.gain = np.zeros(most)
        self.value = np.zeros((most, problem.codes.shape[1]))
        self.low = np.full((most, d), -OPEN)
        self.high = np.full((most, d), OPEN)
        self.nodes = 0
        self._add(np.arange(n), 0)
        orders = tuple(np.argsort(problem.X[:, j], kind="stable") for j in range(d))
        self.level = Level(np.array([0]), np.array([0]), np.array([n]), orders)

    def tree(self) -> Tree:
        """The table as it stands now."""
        table = (self.feature, self.threshold, self.child, self.depth, self.count, self.impurity, self.gain, self.value)
        feature, threshold, child, depth, count, unlike, gain, value = (part[: self.nodes].copy() for part in table)
        return Tree(feature, threshold, child, depth, count, unlike, gain, value, self.problem.real)

    @property
    def leaves(self) -> Array:
        """The nodes that have no children (yet)."""
        return np.flatnonzero(self.child[: self.nodes] < 0)

    def search(self) -> tuple[Sweep, ...]:
        """Sweep every feature over every region of the level."""
        tolerance = TIE * float(self.impurity[0])
        return tuple(_sweep(self.problem, self.level, j, self.impurity, tolerance) for j in range(len(self.low[0])))

    def best_cut(self, sweeps: tuple[Sweep, ...], region: int, features: range | None = None) -> Cut | None:
        """The cut of least cost; of equal ones the most even one, then the first feature and least threshold."""
        allowed = [j for j in features or range(len(sweeps)) if sweeps[j].place[region] >= 0]
        if not allowed:
            return None
        least = min(sweeps[j].least[region] for j in allowed) + TIE * self.impurity[0]
        best = max((j for j in allowed if sweeps[j].least[region] <= least), key=lambda j: sweeps[j].balance[region])
        place = int(sweeps[best].place[region])
        return Cut(best, float(self.thresholds(best, np.array([place]))[0]), place, float(sweeps[best].least[region]))

    def thresholds(self, feature: int, places: Array) -> Array:
        """The middle between the value at each place and the next one; never equal to the lower of the two."""
        order, column = self.level.orders[feature], self.problem.X[:, feature]
        below, above = column[order[places]], column[order[places + 1]]
        middle = below / 2 + above / 2
        return np.where((middle > below) & (middle <= above), middle, above)

    def curve(self, sweep: Sweep, feature: int, region: int) -> tuple[Array, Array]:
        """The allowed thresholds of a region and their costs."""
        start, size = int(self.level.starts[region]), int(self.level.sizes[region])
        places = start + np.flatnonzero(np.isfinite(sweep.cost[start : start + size]))
        return self.thresholds(feature, places), sweep.cost[places]

    def refusal(self, region: int, cut: Cut | None) -> str:
        """Why the region is not to be cut: ``pure``, ``narrow``, ``plateau``; empty when it is to be."""
        node = int(self.level.nodes[region])
        if self.impurity[node] <= 0.0:
            return "pure"
        if cut is None:
            return "narrow"
        least = (self.problem.min_gain - TIE) * self.impurity[0]
        gained = (self.impurity[node] - cut.cost) * self.count[node] / self.count[0]
        return "plateau" if gained < least else ""

    def split(self, region: int, cut: Cut) -> None:
        """Cut a region of the level in two."""
        node, start = int(self.level.nodes[region]), int(self.level.starts[region])
        stop, order = start + int(self.level.sizes[region]), self.level.orders[cut.feature]
        first = self.nodes
        self.feature[node], self.threshold[node], self.child[node] = cut.feature, cut.threshold, first
        self.gain[node] = max(self.impurity[node] - cut.cost, 0.0)
        for points in (order[start : cut.place + 1], order[cut.place + 1 : stop]):
            self.low[self.nodes], self.high[self.nodes] = self.low[node], self.high[node]
            self.node_of[points] = self.nodes
            self._add(points, int(self.depth[node]) + 1)
        self.high[first, cut.feature] = self.low[first + 1, cut.feature] = cut.threshold

    def go_down(self) -> bool:
        """Make the children the current level; whether there are any."""
        level, child = self.level, self.child[self.level.nodes]
        first, split = int(child[child >= 0].min(initial=self.nodes)), child >= 0
        if not split.any():
            return False
        mine = np.zeros(len(self.node_of), dtype=bool)
        mine[level.orders[0][np.repeat(split, level.sizes)]] = True
        orders, sizes = [], np.empty(0, dtype=np.intp)
        for order in level.orders:
            points = order[mine[order]]
            region = self.node_of[points] - first
            sizes = np.bincount(region)
            # a stable sort by region keeps the order by value; 16-bit numbers are sorted in one pass each
            region = region.astype(np.uint16) if len(sizes) < 2**16 else region
            orders.append(points[np.argsort(region, kind="stable")])
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        self.level = Level(np.arange(first, first + len(sizes)), starts, sizes, tuple(orders))
        return True

    def _add(self, points: Array, depth: int) -> None:
        node, codes = self.nodes, self.problem.codes[points]
        self.depth[node], self.count[node] = depth, len(points)
        self.value[node] = codes.mean(axis=0)
        if self.problem.real:
            self.impurity[node] = np.square(codes - self.value[node]).mean() if np.ptp(codes) > 0.0 else 0.0
        else:
            self.impurity[node] = impurity(codes.sum(axis=0), self.problem.criterion)
        self.nodes = node + 1


def _sweep(problem: Problem, level: Level, feature: int, impurities: Array, tolerance: float) -> Sweep:
    """All cuts along one feature in all regions of a level."""
    order, starts, sizes = level.orders[feature], level.starts, level.sizes
    x = problem.X[order, feature]
    size = np.repeat(sizes, sizes)
    left = np.arange(1, len(order) + 1) - np.repeat(starts, sizes)  # points up to this place
    smaller = np.minimum(left, size - left)
    allowed = smaller >= problem.min_leaf
    allowed[:-1] &= x[1:] > x[:-1]
    cost = np.where(allowed, _costs(problem, level, order, left, size, impurities), np.inf)
    least = np.minimum.reduceat(cost, starts)
    near = allowed & (cost <= np.repeat(least + tolerance, sizes))
    balance = np.where(near, smaller, 0)
    most = np.maximum.reduceat(balance, starts)
    hits = np.flatnonzero(near & (balance == np.repeat(most, sizes)))
    regions, firsts = np.unique(np.searchsorted(starts, hits, side="right") - 1, return_index=True)
    place = np.full(len(starts), -1)
    place[regions] = hits[firsts]
    return Sweep(cost, place, np.where(place >= 0, cost[place], np.inf), most)


def _costs(problem: Problem, level: Level, order: Array, left: Array, size: Array, impurities: Array) -> Array:
    """The mean impurity of the two parts, weighted by their points, when cutting behind every place."""
    starts, sizes = level.starts, level.sizes
    right = np.maximum(size - left, 1)
    codes = problem.codes[order]
    if problem.real:
        codes = codes - np.repeat(np.add.reduceat(codes, starts) / sizes[:, None], sizes, axis=0)
    sums = np.cumsum(codes, axis=0)
    before = sums[starts] - codes[starts]
    sums -= np.repeat(before, sizes, axis=0)
    if problem.real:  # measured from the mean, so that the squared sum of one part is what the cut explains
        explained = np.square(sums[:, 0]) / (left.astype(np.float64) * right)
        return np.maximum(np.repeat(impurities[level.nodes], sizes) - explained, 0.0)
    others = np.repeat(np.add.reduceat(codes, starts), sizes, axis=0) - sums
    return (_scatter(sums, left, problem.criterion) + _scatter(others, right, problem.criterion)) / size


def grown(problem: Problem, depth: int) -> Tree:
    """The whole tree at once, for measuring it."""
    growth = Growth(problem, depth)
    for _ in range(depth):
        sweeps = growth.search()
        for region in range(len(growth.level.nodes)):
            cut = growth.best_cut(sweeps, region)
            if cut is not None and not growth.refusal(region, cut):
                growth.split(region, cut)
        if not growth.go_down():
            break
    return growth.tree()


def errors_by_depth(tree: Tree, X: Array, codes: Array, real: bool, depth: int) -> Array:
    """The error (depth + 1,) of a tree cut off at every depth: share of wrong answers, or mean squared error."""
    node, rows, errors = np.zeros(len(X), dtype=np.intp), np.arange(len(X)), []
    for _ in range(depth + 1):
        value = tree.value[node]
        if real:
            errors.append(float(np.square(codes - value).mean()))
        else:
            errors.append(float((codes.argmax(axis=1) != value.argmax(axis=1)).mean()))
        node = tree.step_down(X, node, rows)
    return np.array(errors)
