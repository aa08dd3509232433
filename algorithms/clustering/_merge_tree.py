"""A finished hierarchy: where its leaves stand, which points lie below a branch, and what a cut leaves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from algorithms.clustering._linkage import SCIPY_NAMES, Merges, Metric, loss_rise
from algorithms.data import Array
from algorithms.interrupt import checkpoint


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

    def links(self, X: Array, metric: Metric, farthest: bool = False) -> Array:
        """The two points (m, 2) of each merge, one on either side, that are nearest to (or farthest from) each other.

        Every pair of points is looked at once, in the merge that brings it together.
        """
        from scipy.spatial.distance import cdist

        ordered, name = X[self.points], SCIPY_NAMES[metric]
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


def _small_links(ordered: Array, begin: Array, sizes: Array, metric: Metric, farthest: bool) -> Array:
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
