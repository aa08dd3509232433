"""Growing a tree level by level: the costs of every threshold of every region of a level, in a few array operations.

The points of a level are kept sorted by (region, value) once per feature, so that a running sum of the class counts
gives the left part of every possible cut at once, and no point is ever sorted a second time. All features are rows of
the same arrays.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from algorithms.data import Array
from algorithms.interrupt import checkpoint

Criterion = Literal["gini", "cross-entropy", "misclassification", "squared error"]
CLASS_CRITERIA = ("gini", "cross-entropy", "misclassification")
TIE = 1e-12
"""Costs that differ by less than this fraction of the root's impurity are equal: the rest is rounding."""
FOLDS = 5


def impurity(counts: Array, criterion: Criterion) -> Array:
    """The impurity (...) of regions with these class counts (..., c).

    Gini 1 - Σπ², cross-entropy -Σπ log π, misclassification 1 - max π. The squared error of the class indicators is
    Gini's index: the variance of an indicator is π(1 - π).
    """
    counts = np.asarray(counts, dtype=np.float64)
    total = np.maximum(counts.sum(axis=-1), 1.0)
    gathered = np.zeros(counts.shape[:-1])
    for label in range(counts.shape[-1]):
        gathered = _gathered(gathered, counts[..., label], criterion)
    return _spread(gathered, total, criterion) / total


def _impurity_of(counts: list[int], total: int, criterion: Criterion) -> float:
    """The same for one region, where arrays would take longer than the numbers."""
    if criterion == "cross-entropy":
        scatter = total * math.log(total) - sum(count * math.log(count) for count in counts if count)
    elif criterion == "misclassification":
        scatter = float(total - max(counts))
    else:
        scatter = total - sum(count * count for count in counts) / total
    return max(scatter, 0.0) / total


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
    value: Array  # (m, c) the fraction of every class, or (m, 1) the mean
    real: bool = False
    """Whether it answers with values."""

    def leaf_of(self, X: Array) -> Array:
        """The leaf (n,) in which every point ends.

        The thresholds of all nodes cut space into a grid. Where that has fewer cells than there are points, one point
        of every cell goes down the tree, and the others look up the leaf of their cell.
        """
        cells = self._cells(X.shape[1], len(X))
        if cells is None:
            return self.nodes_at(X, int(self.depth.max()))[-1]
        edges, leaf = cells
        cell = np.zeros(len(X), dtype=np.intp)
        for feature, values in edges:
            cell *= len(values) + 1
            cell += values.searchsorted(X[:, feature], "right")
        return leaf.take(cell)

    def _cells(self, d: int, most: int) -> tuple[list[tuple[int, Array]], Array] | None:
        """The features that are asked about, each with its thresholds, and the leaf of every cell between them.

        None where there are more cells than ``most``.
        """
        edges = [(j, np.unique(self.threshold[self.feature == j])) for j in range(d)]
        edges = [(j, values) for j, values in edges if len(values)]
        shape = [len(values) + 1 for _, values in edges]
        if math.prod(shape) > most:
            return None
        corners = np.zeros((*shape, d))  # the lower corner of a cell belongs to it
        for axis, (j, values) in enumerate(edges):
            corners[..., j] = np.concatenate([[-np.inf], values]).reshape((-1,) + (1,) * (len(edges) - axis - 1))
        return edges, self.nodes_at(corners.reshape(-1, d), int(self.depth.max()))[-1]

    def nodes_at(self, X: Array, depth: int) -> list[Array]:
        """The node (n,) of every point at depth 0, 1, ... ``depth``; a point that has come to a leaf stays there."""
        leaf, node = self.child < 0, np.zeros(len(X), dtype=np.intp)
        # a leaf sends everybody to itself, so that nobody has to ask who has arrived
        child = np.where(leaf, np.arange(len(leaf)), self.child)
        threshold, feature = np.where(leaf, np.inf, self.threshold), np.where(leaf, 0, self.feature).astype(np.intp)
        values, rows = X.ravel(), np.arange(0, X.size, X.shape[1])
        levels = [node]
        for _ in range(depth):
            right = values.take(rows + feature.take(node)) >= threshold.take(node)
            node = child.take(node) + right
            levels.append(node)
        return levels

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
    target: Array  # (n,) class numbers, or values
    classes: int  # how many there are; 0 when the target is a value
    criterion: Criterion
    min_leaf: int = 1
    min_gain: float = 0.0
    """The least fraction of the root's impurity that a split must take away."""

    @property
    def real(self) -> bool:
        """Whether the target is a value, so that leaves answer with a mean."""
        return self.classes == 0


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
        self.impurity = np.zeros(most)
        self.gain = np.zeros(most)
        self.value = np.zeros((most, max(problem.classes, 1)))
        self.nodes = 0
        self.deepest = 0
        self._columns = np.ascontiguousarray(problem.X.T)
        self._scatter: list[float] = []  # of every node: impurity times points
        self._missed: list[int] = []  # its points of other classes than the one it answers
        self._add(problem.target, 0)
        self.root = float(self.impurity[0])
        self.scatter = self._scatter[0]
        """The impurity of the leaves times their points, summed."""
        self.wrong = self._missed[0]
        """How many points are not of the class that their leaf answers."""
        orders = np.argsort(self._columns, axis=1, kind="stable")
        self.level = Level.of(np.array([0]), np.array([n]), orders)

    def tree(self) -> Tree:
        """The table as it stands now."""
        table = (self.feature, self.threshold, self.child, self.depth, self.count, self.impurity, self.gain, self.value)
        feature, threshold, child, depth, count, unlike, gain, value = (part[: self.nodes].copy() for part in table)
        return Tree(feature, threshold, child, depth, count, unlike, gain, value, self.problem.real)

    @property
    def leaves(self) -> int:
        """How many nodes have no children (yet): every cut makes two of one."""
        return (self.nodes + 1) // 2

    @property
    def error(self) -> float:
        """The fraction of wrong answers; of values, the part of the variance that is left."""
        if not self.problem.real:
            return self.wrong / len(self.problem.X)
        return self.mean_impurity / self.root if self.root > 0.0 else 0.0

    @property
    def mean_impurity(self) -> float:
        """The mean over the points of the impurity of their leaves."""
        return max(self.scatter / len(self.problem.X), 0.0)

    def search(self) -> Sweep:
        """Sweep every feature over every region of the level."""
        return _sweep(self.problem, self._columns, self.level, self.impurity, TIE * self.root)

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
        if self.impurity[node] <= 0.0:
            return "pure"
        if cut is None:
            return "narrow"
        least = (self.problem.min_gain - TIE) * self.root
        gained = (self.impurity[node] - cut.cost) * self.count[node] / self.count[0]
        return "plateau" if gained < least else ""

    def split(self, region: int, cut: Cut) -> None:
        """Cut a region of the level in two."""
        node, start = int(self.level.nodes[region]), int(self.level.starts[region])
        stop, order = start + int(self.level.sizes[region]), self.level.orders[cut.feature]
        first, depth = self.nodes, int(self.depth[node]) + 1
        self.feature[node], self.threshold[node], self.child[node] = cut.feature, cut.threshold, first
        self.gain[node] = max(self.impurity[node] - cut.cost, 0.0)
        for points in (order[start : cut.place + 1], order[cut.place + 1 : stop]):
            self.node_of[points] = self.nodes
            self._add(self.problem.target.take(points), depth)
        self.scatter += self._scatter[first] + self._scatter[first + 1] - self._scatter[node]
        self.wrong += self._missed[first] + self._missed[first + 1] - self._missed[node]

    def go_down(self) -> bool:
        """Make the children the current level; whether there are any."""
        level, child = self.level, self.child[self.level.nodes]
        split = child >= 0
        if not split.any():
            return False
        first = int(child[split].min())
        # every order has the points of a region in the same places
        points = level.orders.compress(level.spread(split), axis=1)
        region = self.node_of.take(points)
        region -= first
        sizes = np.bincount(region[0])
        # a stable sort by region keeps the order by value; 16-bit numbers are sorted in one pass each
        places = np.argsort(region.astype(np.uint16) if len(sizes) < 2**16 else region, axis=1, kind="stable")
        places += points.shape[1] * np.arange(len(points))[:, None]
        orders = points.take(places)
        self.level = Level.of(np.arange(first, first + len(sizes)), sizes, orders)
        return True

    def _add(self, target: Array, depth: int) -> None:
        node, n, missed = self.nodes, len(target), 0
        if self.problem.real:
            mean = self.value[node, 0] = np.add.reduce(target) / n
            unlike = float(np.square(target - mean).mean()) if np.ptp(target) > 0.0 else 0.0
        else:
            counts = np.bincount(target, minlength=self.problem.classes)
            self.value[node] = counts / n
            numbers = counts.tolist()
            unlike, missed = _impurity_of(numbers, n, self.problem.criterion), n - max(numbers)
        self.depth[node], self.count[node], self.impurity[node] = depth, n, unlike
        self._scatter.append(unlike * n)
        self._missed.append(missed)
        self.nodes, self.deepest = node + 1, max(self.deepest, depth)


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


def _sweep(problem: Problem, columns: Array, level: Level, impurities: Array, tolerance: float) -> Sweep:
    """All cuts along all features in all regions of a level."""
    d, m, regions = *level.orders.shape, len(level.starts)
    x = columns.take(level.orders + columns.shape[1] * np.arange(d)[:, None])
    smaller = np.minimum(level.left, level.right)
    allowed = np.empty(x.shape, dtype=bool)
    np.greater(x[:, 1:], x[:, :-1], out=allowed[:, :-1])
    allowed[:, -1] = False
    allowed &= smaller >= problem.min_leaf
    cost = _value_costs(problem, level, impurities) if problem.real else _class_costs(problem, level)
    np.putmask(cost, ~allowed, np.inf)
    least = np.minimum.reduceat(cost, level.starts, axis=1)
    near = cost <= level.spread(least + tolerance)
    near &= allowed
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
    tables = (part.reshape(d, regions).tolist() for part in (best, lowest, most, threshold))
    return Sweep(cost, *(tuple(map(tuple, table)) for table in tables))


def _class_costs(problem: Problem, level: Level) -> Array:
    """The mean impurity (d, m) of the two parts, weighted by their points, when cutting behind every place."""
    labels, criterion = problem.target.take(level.orders), problem.criterion
    left, right = level.left.astype(np.float64), level.right.astype(np.float64)
    here = there = np.zeros(labels.shape)
    rest_here, rest_there = left, right  # of the last class is what the others leave
    for label in range(problem.classes - 1):
        sums = (labels == label).cumsum(axis=1, dtype=np.float64)
        after = sums.take(level.starts + (level.sizes - 1), axis=1)
        before = np.zeros(after.shape)
        before[:, 1:] = after[:, :-1]
        others = level.spread(after)
        others -= sums
        sums -= level.spread(before)
        here, there = _gathered(here, sums, criterion), _gathered(there, others, criterion)
        rest_here, rest_there = rest_here - sums, rest_there - others
    here, there = _gathered(here, rest_here, criterion), _gathered(there, rest_there, criterion)
    scatter = _spread(here, left, criterion)
    scatter += _spread(there, np.maximum(right, 1.0), criterion)
    scatter /= left + right
    return scatter


def _gathered(so_far: Array, counts: Array, criterion: Criterion) -> Array:
    """What a criterion sums over the classes, with one class more."""
    if criterion == "cross-entropy":
        return so_far + _times_log(counts)
    if criterion == "misclassification":
        return np.maximum(so_far, counts)
    return so_far + counts * counts


def _spread(gathered: Array, total: Array, criterion: Criterion) -> Array:
    """The impurity times the number of points."""
    if criterion == "cross-entropy":
        return _times_log(total) - gathered
    return total - (gathered if criterion == "misclassification" else gathered / total)


def _value_costs(problem: Problem, level: Level, impurities: Array) -> Array:
    """The same for values, measured from their mean: the squared sum of one part is what the cut explains."""
    values = problem.target.take(level.orders)
    values -= level.spread(np.add.reduceat(values, level.starts, axis=1) / level.sizes)
    sums = values.cumsum(axis=1)
    sums -= level.spread(sums.take(level.starts, axis=1) - values.take(level.starts, axis=1))
    explained = np.square(sums) / (level.left.astype(np.float64) * np.maximum(level.right, 1))
    cost: Array = np.maximum(level.spread(impurities.take(level.nodes)) - explained, 0.0)
    return cost


def grown(problem: Problem, depth: int) -> Tree:
    """The whole tree at once, for measuring it."""
    growth = Growth(problem, depth)
    for _ in range(depth):
        checkpoint()
        sweep = growth.search()
        for region in range(len(growth.level.nodes)):
            cut = growth.best_cut(sweep, region)
            if cut is not None and not growth.refusal(region, cut):
                growth.split(region, cut)
        if not growth.go_down():
            break
    return growth.tree()


def errors_by_depth(tree: Tree, X: Array, target: Array, depth: int) -> Array:
    """The error (depth + 1,) of a tree cut off at every depth: fraction of wrong answers, or mean squared error."""
    answers = tree.value[:, 0] if tree.real else tree.value.argmax(axis=1)
    by_depth = [answers[node] for node in tree.nodes_at(X, depth)]
    return np.array([(np.square(target - answer) if tree.real else target != answer).mean() for answer in by_depth])


def cross_validated(problem: Problem, depth: int, rng: np.random.Generator) -> Array:
    """The training and the cross-validated error (2, depth + 1) of trees of every depth up to this one.

    Of values they are mean squared errors, divided by the variance.
    """
    n = len(problem.X)
    folds = min(FOLDS, n)
    fold = rng.permutation(n) % folds
    whole = grown(problem, depth)
    unit = float(whole.impurity[0]) or 1.0 if problem.real else 1.0
    training = errors_by_depth(whole, problem.X, problem.target, depth) / unit
    errors = np.zeros(depth + 1)
    for number in range(folds):
        inside, outside = fold != number, fold == number
        tree = grown(replace(problem, X=problem.X[inside], target=problem.target[inside]), depth)
        errors += outside.mean() * errors_by_depth(tree, problem.X[outside], problem.target[outside], depth) / unit
    return np.stack([training, errors])
