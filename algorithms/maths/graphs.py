"""Neighbourhood graphs of points, and shortest paths in them.

A neighbourhood graph joins each point to its k nearest ones (either of the two may have chosen the other) or to all
within a radius; an edge is as long as the straight line. Shortest paths then measure distances *along* the data.

Handbook section 3.1.2 (Alg. 4); Methods for Data Science section 12.5.2.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from algorithms.data import Array
from algorithms.interrupt import checkpoint
from algorithms.records import dataclass

_SORTED = 1 << 19  # lengths sorted at once, about
_TILE = 32  # intermediate points relaxed together, so that the strip being relaxed stays in the cache


@dataclass(frozen=True, slots=True, eq=False)
class NeighbourGraph:
    """Points joined to their neighbours: undirected, with lengths; every edge is listed once, its lower end first.

    Not the kind of data of this name: it is made of points during a run, many times, and never checked.
    """

    n: int
    edges: Array  # (m, 2) int
    lengths: Array  # (m,)

    def __len__(self) -> int:
        return len(self.edges)

    def first(self, count: int) -> NeighbourGraph:
        """The graph of the first ``count`` edges only; it shares their memory."""
        return NeighbourGraph(self.n, self.edges[:count], self.lengths[:count])

    def among(self, points: Array) -> NeighbourGraph:
        """The graph of these points alone, numbered in their order."""
        if np.array_equal(points, np.arange(self.n)):
            return self
        number = np.full(self.n, -1, dtype=np.int64)
        number[points] = np.arange(len(points))
        kept = (number[self.edges] >= 0).all(axis=1)
        return NeighbourGraph(len(points), number[self.edges[kept]], self.lengths[kept])

    def matrix(self) -> Any:
        """The lengths as a symmetric sparse matrix; edges of length zero stay edges."""
        from scipy.sparse import csr_array

        i, j = self.edges.T
        where = (np.concatenate([i, j]), np.concatenate([j, i]))
        return csr_array((np.concatenate([self.lengths, self.lengths]), where), shape=(self.n, self.n))

    def degrees(self) -> Array:
        """How many edges each point has, (n,)."""
        return np.bincount(self.edges.ravel(), minlength=self.n)


def neighbour_graph(X: Array, k: int) -> tuple[NeighbourGraph, Array]:
    """The graph of the ``k`` nearest neighbours, and the rank of every edge.

    Two points are joined when either is among the k nearest of the other. The edges are in the order of their rank,
    the lower of the two places in the lists of neighbours: those up to rank r are the graph of the r nearest.
    """
    from algorithms.maths.nearest_points import nearest_others  # SciPy: not before it is needed

    n = len(X)
    pairs = np.stack([np.repeat(np.arange(n), k), nearest_others(X, k).points.ravel()], axis=1)
    ranks = np.tile(np.arange(1, k + 1), n)
    order = np.argsort(ranks, kind="stable")
    checkpoint()
    low, high = np.sort(pairs[order], axis=1).T
    checkpoint()
    _, first = np.unique(low * n + high, return_index=True)  # where an edge occurs with its lowest rank
    first.sort()
    checkpoint()
    edges = np.stack([low[first], high[first]], axis=1)
    return NeighbourGraph(n, edges, _lengths(X, edges)), ranks[order][first]


def ball_graph(X: Array, radius: float) -> NeighbourGraph:
    """The graph of all pairs at most ``radius`` apart, the shortest edges first."""
    from algorithms.maths.nearest_points import Search

    found = Search(X, "euclidean").within(X, radius)
    once = found.points > found.queries
    edges, together = np.stack([found.queries[once], found.points[once]], axis=1), found.distances[once]
    order = _rising(together)
    checkpoint()
    return NeighbourGraph(len(X), edges[order], together[order])


def _rising(lengths: Array) -> Array:
    """The order (m,) of lengths, equal ones as they come; a range of lengths at a time."""
    parts = []
    ends = np.linspace(0.0, lengths.max(initial=0.0), len(lengths) // _SORTED + 2)
    ends[0], ends[-1] = -np.inf, np.inf  # each length lies in one range, also where all are equal
    for low, high in itertools.pairwise(ends):
        checkpoint()
        inside = np.flatnonzero((lengths >= low) & (lengths < high))
        parts.append(inside[np.argsort(lengths[inside], kind="stable")])
    return np.concatenate(parts)


def _lengths(X: Array, edges: Array) -> Array:
    lengths: Array = np.sqrt(np.square(X[edges[:, 0]] - X[edges[:, 1]]).sum(axis=1))
    return lengths


def components(graph: NeighbourGraph) -> tuple[int, Array]:
    """How many pieces the graph has, and in which one each point lies, (n,); the largest is number 0."""
    from scipy.sparse.csgraph import connected_components

    count, labels = connected_components(graph.matrix(), directed=False)
    by_size = np.argsort(-np.bincount(labels, minlength=count), kind="stable")
    number = np.empty(count, dtype=np.int64)
    number[by_size] = np.arange(count)
    return int(count), number[labels]


def in_pieces(sources: Array, n: int) -> Iterator[Array]:
    """Sources in pieces whose paths in a graph of ``n`` points are found in a few milliseconds.

    SciPy holds Python's lock during one call, a window shares it, and a run can be called off only between calls.
    """
    piece = max(1, 20_000 // n)
    for start in range(0, len(sources), piece):
        checkpoint()
        yield sources[start : start + piece]


def dijkstra_rows(matrix: Any, sources: Array, limit: float = np.inf) -> Array:
    """The shortest distances from some points to all, (s, n); infinite where there is no path up to ``limit``."""
    from scipy.sparse.csgraph import dijkstra

    n = matrix.shape[0]
    parts = [dijkstra(matrix, directed=True, indices=part, limit=limit) for part in in_pieces(sources, n)]
    return np.concatenate(parts) if parts else np.empty((0, n))


def shortest_path(matrix: Any, start: int, end: int) -> Array:
    """The points on a shortest path, both ends included; empty when there is none."""
    from scipy.sparse.csgraph import dijkstra

    distances, before = dijkstra(matrix, directed=True, indices=[start], return_predecessors=True)
    if not np.isfinite(distances[0, end]):
        return np.empty(0, dtype=np.int64)
    path = [end]
    while path[-1] != start:
        path.append(int(before[0, path[-1]]))
    return np.array(path[::-1], dtype=np.int64)


def floyd_warshall_blocks(graph: NeighbourGraph) -> Iterator[tuple[int, Array]]:
    """The relaxation d_ij <- min(d_ij, d_ik + d_kj), a few k at a time.

    Yields how many points may by now lie inside a path, and the distances (n, n) along such paths, infinite where
    there is none. The array is *the same one* every time and goes on changing.
    """
    n = graph.n
    distances = np.full((n, n), np.inf)
    i, j = graph.edges.T
    distances[j, i] = distances[i, j] = graph.lengths
    np.fill_diagonal(distances, 0.0)
    spare = np.empty((_TILE, n))
    for low in range(0, n, _TILE):
        high = min(low + _TILE, n)
        panel = distances[low:high].copy()
        for k in range(high - low):  # the rows of these points themselves, one k after the other
            np.minimum(panel, panel[:, low + k, None] + panel[k], out=panel)
        for top in range(0, n, _TILE):  # all rows, in strips that stay in the cache
            checkpoint()
            strip = distances[top : top + _TILE]
            through = spare[: len(strip)]
            to_k = np.ascontiguousarray(panel[:, top : top + _TILE])
            for k in range(high - low):
                np.add(to_k[k, :, None], panel[k], out=through)
                np.minimum(strip, through, out=strip)
        yield high, distances
