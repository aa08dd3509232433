"""The merges of agglomerative clustering: who joins whom, at which height, and the tree that this makes.

Single linkage is a minimum spanning tree whose edges are taken by length. Complete, average and Ward linkage are
*reducible* (a merged cluster is never nearer to a third one than both its parts were), so every pair of mutual nearest
neighbours can be merged at once: a chain of nearest neighbours finds all merges in O(n²) instead of O(n³), in another
order, and sorting by height brings back the order of the textbook. The distances to a merged cluster follow from those
to its parts (Lance and Williams 1967); arithmetic and ties are those of SciPy, so the heights agree to the last bit.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from algorithms.data import Array, DataError, Points
from algorithms.interrupt import checkpoint
from algorithms.maths import seeding
from algorithms.maths.distances import Cloud
from algorithms.maths.lloyd import final_partition

DistanceName = Literal["euclidean", "manhattan", "cosine"]
Linkage = Literal["single", "complete", "average", "ward"]
Update = Callable[[Array, Array, float, float, float, Array], None]
"""Turns the distances to a cluster y, in place, into those to x and y together; it also gets d(x, y) and the sizes."""

MOST_CLUSTERS = 100
MOST_POINTS = 5_000
"""All distances between this many points take 200 MB."""
_KMEANS_STEPS = 300
BLOCK = 256
"""Rows of distances between two places where a run can be called off."""
SCIPY_NAMES: dict[DistanceName, Literal["euclidean", "cityblock", "cosine"]] = {
    "euclidean": "euclidean",
    "manhattan": "cityblock",
    "cosine": "cosine",
}


@dataclass(frozen=True, slots=True, eq=False)
class Merges:
    """Who joins whom. Leaves are the nodes 0 .. m; merge ``i`` makes node ``m + 1 + i`` (SciPy's numbering)."""

    children: Array  # (m, 2) the two nodes of each merge, the smaller number first
    heights: Array  # (m,) never falling

    @property
    def leaves(self) -> int:
        """How many clusters there were before the first merge."""
        return len(self.heights) + 1


def merges_of_points(X: Array, linkage: Linkage, metric: DistanceName) -> Merges:
    """All merges of single points, lowest first."""
    if len(X) == 1:
        return Merges(np.empty((0, 2), dtype=np.int32), np.empty(0))
    distances = distance_matrix(X, metric)
    pairs, heights = spanning_tree(distances) if linkage == "single" else neighbour_chain(distances, _UPDATES[linkage])
    return _in_order(pairs, heights)


def distance_matrix(X: Array, metric: DistanceName) -> Array:
    """All distances (n, n), infinite on the diagonal so that no point is its own neighbour."""
    from scipy.spatial.distance import cdist

    if len(X) > MOST_POINTS:
        raise DataError(f"Hierarchical clustering compares all pairs: at most {MOST_POINTS:,} points; got {len(X):,}.")
    if metric == "cosine":
        _refuse_origin(X)
        X = of_size_one(X)
    distances = np.empty((len(X), len(X)))
    for start in range(0, len(X), BLOCK):
        checkpoint()
        part = cdist(X[start : start + BLOCK], X, SCIPY_NAMES[metric], out=distances[start : start + BLOCK])
        if metric == "cosine":  # those of parallel points can round beyond 1
            np.maximum(part, 0.0, out=part)
    np.fill_diagonal(distances, np.inf)
    return distances


def of_size_one(X: Array) -> Array:
    """Every point divided by a power of two so that its largest coordinate is about 1.

    Directions stay exactly what they are, and the squares of tiny or huge coordinates remain numbers.
    """
    return np.ldexp(X, -np.frexp(np.abs(X).max(axis=1, keepdims=True))[1])


def _refuse_origin(X: Array) -> None:
    at_origin = np.flatnonzero(~X.any(axis=1))
    if len(at_origin):
        raise DataError(f"Point {at_origin[0] + 1} lies in the origin and has no direction; cosine distances need one.")


def spanning_tree(distances: Array) -> tuple[Array, Array]:
    """Prim: the edges (n - 1, 2) of a minimum spanning tree, in the order of growth, and their lengths."""
    n = len(distances)
    pairs, lengths = np.empty((n - 1, 2), dtype=np.intp), np.empty(n - 1)
    gaps, inner_end = np.full(n, np.inf), np.zeros(n, dtype=np.intp)  # to the tree, and from which of its points
    outside = np.ones(n, dtype=bool)
    newest = 0
    for i in range(n - 1):
        checkpoint()
        outside[newest] = False
        gaps[newest] = np.inf
        row = distances[newest]
        nearer = row < gaps
        nearer &= outside
        np.copyto(gaps, row, where=nearer)
        np.putmask(inner_end, nearer, newest)
        newest = int(gaps.argmin())
        pairs[i], lengths[i] = (inner_end[newest], newest), gaps[newest]
    return pairs, lengths


def _among(distances: Array, left: Array) -> Array:
    """The distances (m, m) among those that are left; of thousands they take long enough to be called off meanwhile."""
    among = np.empty((len(left), len(left)))
    for start in range(0, len(left), BLOCK):
        checkpoint()
        distances[left[start : start + BLOCK]].take(left, axis=1, out=among[start : start + BLOCK])
    return among


def neighbour_chain(distances: Array, update: Update) -> tuple[Array, Array]:
    """Follow nearest neighbours until two are each other's, merge them, go on from there; uses up ``distances``.

    A merged cluster lives on under the larger of its two numbers. Other rows still hold their distances to the smaller
    one until its column turns up as the nearest: writing a column costs as much as all the rest of a merge. When half
    of the clusters are gone, the table is copied without them, in the same order, so that ties fall as before.
    """
    names, sizes, gone = np.arange(len(distances)), np.ones(len(distances)), np.zeros(len(distances), dtype=bool)
    rows, columns = list(distances), list(distances.T)
    chain: list[int] = []
    gaps: list[float] = []  # from each cluster of the chain to the one before it
    pairs: list[tuple[int, int]] = []
    heights: list[float] = []
    for many in range(len(distances), 1, -1):
        checkpoint()
        if 2 * many <= len(rows) > _SMALL_TABLE:
            left = np.flatnonzero(~gone)
            chain = np.searchsorted(left, chain).tolist()
            distances = _among(distances, left)
            names, sizes, gone = names[left], sizes[left], gone[left]
            rows, columns = list(distances), list(distances.T)
        if not chain:
            chain, gaps = [int(gone.argmin())], [np.inf]
        while True:
            row = rows[chain[-1]]
            near = int(row.argmin())
            if gone[near]:
                np.putmask(row, gone, np.inf)
                near = int(row.argmin())
            gap = row.item(near)
            if gaps[-1] <= gap:
                break
            chain.append(near)
            gaps.append(gap)
        x, y = chain.pop(), chain.pop()
        if x > y:
            x, y = y, x
        pairs.append((names.item(x), names.item(y)))
        heights.append(gaps.pop())
        gaps.pop()
        joined, size_x, size_y = rows[y], sizes.item(x), sizes.item(y)
        update(rows[x], joined, heights[-1], size_x, size_y, sizes)
        sizes[y] = size_x + size_y
        columns[y][:] = joined
        gone[x] = True  # its row is never looked at again
    return np.array(pairs), np.array(heights)


_SMALL_TABLE = 128
"""Copying a table of fewer clusters costs more than it saves."""


def _complete(to_x: Array, to_y: Array, *_: object) -> None:
    np.maximum(to_x, to_y, out=to_y)


def _average(to_x: Array, to_y: Array, height: float, size_x: float, size_y: float, sizes: Array) -> None:
    if size_x != 1.0:
        to_x *= size_x
    if size_y != 1.0:
        to_y *= size_y
    to_y += to_x
    to_y /= size_x + size_y


def _ward(to_x: Array, to_y: Array, height: float, size_x: float, size_y: float, sizes: Array) -> None:
    """The heights are √(2Δ), where Δ is the rise of the squared distances to the cluster means."""
    part = 1.0 / (size_x + size_y + sizes)
    squared = (sizes + size_x) * part * to_x * to_x
    squared += (sizes + size_y) * part * to_y * to_y
    squared -= sizes * part * height * height
    np.sqrt(np.maximum(squared, 0.0, out=squared), out=to_y)


_UPDATES: dict[str, Update] = {"complete": _complete, "average": _average, "ward": _ward}


def _in_order(pairs: Array, heights: Array) -> Merges:
    """The merges sorted by height, with the number that each cluster has by then in place of one of its points."""
    n = len(heights) + 1
    by_height = np.argsort(heights, kind="stable")
    above = list(range(2 * n - 1))
    children: list[tuple[int, int]] = []
    for node, (x, y) in enumerate(pairs[by_height].tolist(), start=n):
        x, y = _cluster_of(above, x), _cluster_of(above, y)
        above[x] = above[y] = node
        children.append((x, y) if x < y else (y, x))
    return Merges(np.array(children, dtype=np.int32), heights[by_height])


def _cluster_of(above: list[int], node: int) -> int:
    """The newest cluster that contains a node; what was passed on the way is shortened."""
    top = node
    while above[top] != top:
        top = above[top]
    while above[node] != top:
        above[node], node = top, above[node]
    return top


def step_wise_optimal(means: Array, sizes: Array) -> Merges:
    """Merge, of all pairs of clusters, the one that raises the k-means loss least (Handbook, Algorithm 7).

    Merging clusters a and b raises the loss by n_a n_b / (n_a + n_b) |m_a - m_b|²; these rises are the heights.
    """
    m = len(sizes) - 1
    means, sizes, names = means.copy(), sizes.astype(np.float64), np.arange(m + 1)
    children, heights = np.empty((m, 2), dtype=np.int32), np.empty(m)
    for i in range(m):
        checkpoint()
        rises = loss_rise(means[:, None], means[None], sizes[:, None], sizes[None])
        np.fill_diagonal(rises, np.inf)
        a, b = divmod(int(rises.argmin()), len(sizes))
        children[i], heights[i] = sorted((names[a], names[b])), rises[a, b]
        total = sizes[a] + sizes[b]
        means[a] = (sizes[a] * means[a] + sizes[b] * means[b]) / total
        sizes[a], names[a] = total, m + 1 + i
        means, sizes, names = (np.delete(part, b, axis=0) for part in (means, sizes, names))
    return Merges(children, np.maximum.accumulate(heights))  # equal rises may differ by rounding


def loss_rise(mean_a: Array, mean_b: Array, size_a: Array, size_b: Array) -> Array:
    """By how much the sum of squared distances to the cluster means rises when two clusters become one."""
    rise: Array = size_a * size_b / (size_a + size_b) * np.square(mean_a - mean_b).sum(axis=-1)
    return rise


@dataclass(frozen=True, slots=True, eq=False)
class MergeTree:
    """All merges of a run, shared by all its frames. Node numbers are those of :class:`Merges`.

    The leaves stand in an order without crossings in which the part with the smaller mean of the first feature is on
    the left, as it is in the plane. The points below a node are then neighbours in ``points``.
    """

    children: Array  # (m, 2) int
    heights: Array  # (m,)
    order: Array  # (m + 1,) the leaves from left to right
    points: Array  # (n,) the points in the order of their leaves
    begin: Array  # (2m + 1,) where the points of a node begin in ``points``
    sizes: Array  # (2m + 1,) how many points a node has
    means: Array  # (2m + 1, d)

    @classmethod
    def of(cls, merges: Merges, X: Array, leaf_of: Array) -> MergeTree:
        """The tree of these merges; ``leaf_of`` (n,) says in which leaf each point begins."""
        m, leaves = len(merges.heights), merges.leaves
        sums = np.zeros((leaves + m, X.shape[1]))
        middle = X.mean(axis=0)
        counts: list[int] = np.bincount(leaf_of, minlength=leaves).tolist()
        np.add.at(sums, leaf_of, X - middle)
        rows = list(sums)
        for (a, b), row in zip(merges.children.tolist(), rows[leaves:]):
            counts.append(counts[a] + counts[b])
            np.add(rows[a], rows[b], out=row)
        sizes = np.array(counts)
        means = sums / sizes[:, None] + middle
        begin = _places(merges.children, sizes, means[:, 0])
        order = np.argsort(begin[:leaves], kind="stable").astype(np.int32)
        points = np.argsort(begin[leaf_of], kind="stable").astype(np.int32)
        return cls(merges.children, merges.heights, order, points, begin, sizes, means)

    @property
    def leaves(self) -> int:
        """How many clusters there were before the first merge."""
        return len(self.heights) + 1

    def members(self, node: int) -> Array:
        """The points below a node: a view, so that frames do not copy them."""
        return self.points[self.begin[node] : self.begin[node] + self.sizes[node]]

    def path(self, leaf: int) -> list[int]:
        """The merges that a leaf takes part in, lowest first."""
        inside = (self.begin[self.leaves :] <= self.begin[leaf]) & (
            self.begin[leaf] < self.begin[self.leaves :] + self.sizes[self.leaves :]
        )
        merges: list[int] = np.flatnonzero(inside).tolist()
        return merges

    def clusters(self, k: int) -> tuple[Array, Array]:
        """The nodes (k,) that a cut into ``k`` clusters leaves, and the cluster number (n,) of every point.

        Numbers are handed down from the root: where a cluster splits, the larger part keeps the number and the other
        gets the next one. So one cluster more changes the colours of one cluster only.
        """
        nodes = [2 * self.leaves - 2]
        for merge in range(len(self.heights) - 1, len(self.heights) - k, -1):
            larger, smaller = sorted(self.children[merge].tolist(), key=lambda node: -int(self.sizes[node]))
            nodes[nodes.index(self.leaves + merge)] = larger
            nodes.append(smaller)
        labels = np.empty(len(self.points), dtype=np.int8)
        for number, node in enumerate(nodes):
            labels[self.members(node)] = number
        return np.array(nodes), labels

    def cut_height(self, k: int) -> float:
        """The height in the middle between the last merge below the cut and the first one above it."""
        top = float(self.heights[-1]) if len(self.heights) else 0.0
        below = len(self.heights) - k
        low = float(self.heights[below]) if below >= 0 else 0.0
        high = float(self.heights[below + 1]) if below + 1 < len(self.heights) else 1.1 * top
        return low + (high - low) / 2

    def largest_jump(self) -> int:
        """The number of clusters just below the largest jump from one height to the next; 1 when there is no jump."""
        jumps = np.diff(self.heights)
        if not len(jumps) or jumps.max() == 0.0:
            return 1
        return len(self.heights) - int(jumps.argmax())

    def loss_rises(self) -> Array:
        """By how much each merge (m,) raises the sum of squared distances to the cluster means."""
        a, b = self.children.T
        return loss_rise(self.means[a], self.means[b], self.sizes[a], self.sizes[b])

    def links(self, X: Array, metric: DistanceName, farthest: bool = False) -> Array:
        """The two points (m, 2) of each merge, one on either side, that are nearest to (or farthest from) each other.

        Every pair of points is looked at once, in the merge that brings it together.
        """
        from scipy.spatial.distance import cdist

        ordered, name = (of_size_one(X) if metric == "cosine" else X)[self.points], SCIPY_NAMES[metric]
        begin, sizes = self.begin[self.children], self.sizes[self.children]
        pairs = sizes.prod(axis=1)
        found = begin.copy()  # right where both are single points
        if metric != "cosine":
            few = np.flatnonzero((pairs > 1) & (pairs <= _FEW_PAIRS))
            found[few] = _small_links(ordered, begin[few], sizes[few], metric, farthest)
            pairs[few] = 1
        left = np.flatnonzero(pairs > 1)
        for merge, (a, b), (many, more) in zip(left.tolist(), begin[left].tolist(), sizes[left].tolist()):
            checkpoint()
            between = cdist(ordered[a : a + many], ordered[b : b + more], name)
            row, column = divmod(int(between.argmax() if farthest else between.argmin()), more)
            found[merge] = a + row, b + column
        return self.points[found]


_FEW_PAIRS = 64
"""Merges with at most so many pairs of points are looked at all at once."""


def _small_links(ordered: Array, begin: Array, sizes: Array, metric: DistanceName, farthest: bool) -> Array:
    """The nearest (or farthest) pair (m, 2) of each of many small merges, as places in ``ordered``."""
    pairs = sizes.prod(axis=1)
    first = np.cumsum(pairs) - pairs  # where the pairs of a merge begin in the list of all pairs
    merge = np.repeat(np.arange(len(pairs)), pairs)
    places = np.stack(np.divmod(np.arange(len(merge)) - first[merge], sizes[merge, 1]), axis=1) + begin[merge]
    away = np.abs(ordered[places[:, 0]] - ordered[places[:, 1]])
    gaps = away.sum(axis=1) if metric == "manhattan" else np.einsum("ij,ij->i", away, away)
    if farthest:
        gaps = -gaps
    least = np.minimum.reduceat(gaps, first) if len(first) else gaps
    hits = np.flatnonzero(gaps == least[merge])
    return places[hits[np.searchsorted(merge[hits], np.arange(len(pairs)))]]


def _places(children: Array, sizes: Array, left_to_right: Array) -> Array:
    """Where the points of each node (2m + 1,) begin, from the root downwards."""
    leaves = len(children) + 1
    begin, many, place = [0] * (2 * leaves - 1), sizes.tolist(), left_to_right.tolist()
    for node, (left, right) in zip(range(2 * leaves - 2, leaves - 1, -1), reversed(children.tolist())):
        if place[right] < place[left]:
            left, right = right, left
        begin[left] = begin[node]
        begin[right] = begin[node] + many[left]
    return np.array(begin)


@dataclass(frozen=True, slots=True, eq=False)
class Grown:
    """A finished tree and the lines that show its merges in the plane; a cut changes nothing of it."""

    tree: MergeTree
    leaf_of: Array  # (n,)
    link: tuple[Array, Array]  # two (m, d): where the line that stays after each merge begins and ends
    measured: tuple[Array, Array]  # two (m, d): the distance that decided, as a line


@functools.lru_cache(maxsize=2)
def grown_from_points(data: Points, linkage: Linkage, metric: DistanceName) -> Grown:
    """The tree of single points. Another cut through the same tree finds it here: dragging the cut is quick."""
    X, leaf_of = data.X, np.arange(data.n, dtype=np.int32)
    tree = MergeTree.of(merges_of_points(X, linkage, metric), X, leaf_of)
    near = tree.links(X, metric)
    link = measured = X[near[:, 0]], X[near[:, 1]]
    if linkage == "complete":
        far = tree.links(X, metric, farthest=True)
        measured = X[far[:, 0]], X[far[:, 1]]
    elif linkage != "single":
        measured = _between_means(tree)
    return Grown(tree, leaf_of, link, measured)


def grown_from_clusters(X: Array, start_clusters: int, rng: np.random.Generator) -> Grown:
    """The tree of the clusters that k-means ends with, when it begins with k-means++."""
    seeding.need_distinct_points(X, start_clusters, "start clusters")
    cloud = Cloud.of(X)
    centres = cloud.columns[:, seeding.plus_plus(cloud, start_clusters, rng)].T
    labels = final_partition(cloud, np.ascontiguousarray(centres), _KMEANS_STEPS).labels
    leaf_of = np.unique(labels, return_inverse=True)[1].astype(np.int32)  # a cluster may have been left empty
    means, sizes = cloud.means(leaf_of, int(leaf_of.max()) + 1)
    tree = MergeTree.of(step_wise_optimal(means, sizes), X, leaf_of)
    return Grown(tree, leaf_of, _between_means(tree), _between_means(tree))


def _between_means(tree: MergeTree) -> tuple[Array, Array]:
    a, b = tree.children.T
    return tree.means[a], tree.means[b]
