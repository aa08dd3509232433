"""The merges of agglomerative clustering, without pictures: who joins whom, and at which height.

Single linkage is a minimum spanning tree whose edges are taken by length. Complete, average and Ward linkage are
*reducible* (a merged cluster is never nearer to a third one than both its parts were), so every pair of mutual nearest
neighbours can be merged at once: a chain of nearest neighbours finds all merges in O(n²) instead of O(n³), in another
order, and sorting by height brings back the order of the textbook. The distances to a merged cluster follow from those
to its parts (Lance and Williams 1967); arithmetic and ties are those of SciPy, so the heights agree to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from algorithms.data import Array, DataError
from algorithms.interrupt import checkpoint

Metric = Literal["euclidean", "manhattan", "cosine"]
Linkage = Literal["single", "complete", "average", "ward"]
Update = Callable[[Array, Array, float, float, float, Array], None]
"""Turns the distances to a cluster y, in place, into those to x and y together; it also gets d(x, y) and the sizes."""

MOST_POINTS = 5_000
"""All distances between this many points take 200 MB."""
BLOCK = 256
"""Rows of distances between two places where a run can be called off."""
SCIPY_NAMES: dict[Metric, Literal["euclidean", "cityblock", "cosine"]] = {
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


def merges_of_points(X: Array, linkage: Linkage, metric: Metric) -> Merges:
    """All merges of single points, lowest first."""
    if len(X) == 1:
        return Merges(np.empty((0, 2), dtype=np.int32), np.empty(0))
    distances = distance_matrix(X, metric)
    pairs, heights = spanning_tree(distances) if linkage == "single" else neighbour_chain(distances, _UPDATES[linkage])
    return _in_order(pairs, heights)


def distance_matrix(X: Array, metric: Metric) -> Array:
    """All distances (n, n), infinite on the diagonal so that no point is its own neighbour."""
    from scipy.spatial.distance import cdist

    if len(X) > MOST_POINTS:
        raise DataError(f"Hierarchical clustering compares all pairs: at most {MOST_POINTS:,} points; got {len(X):,}.")
    if metric == "cosine":
        _refuse_origin(X)
    distances = np.empty((len(X), len(X)))
    for start in range(0, len(X), BLOCK):
        checkpoint()
        part = cdist(X[start : start + BLOCK], X, SCIPY_NAMES[metric], out=distances[start : start + BLOCK])
        if metric == "cosine":  # those of parallel points can round beyond 1
            np.maximum(part, 0.0, out=part)
    np.fill_diagonal(distances, np.inf)
    return distances


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
