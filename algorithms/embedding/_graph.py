"""The neighbourhood graph as maps use it: how it grows, what it leaves out, and what is doubtful in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from algorithms.data import Array, DataError
from algorithms.maths.graphs import (
    Graph,
    ball_graph,
    components,
    dijkstra_rows,
    floyd_warshall_blocks,
    in_pieces,
    neighbour_graph,
    shortest_path,
)

BLOCKS = 12
"""Frames in which the shortest paths are shown to be found."""
GROWTH = 12
"""At most this many frames show the edges growing."""
SPARSE = 6
"""Neighbours in the sparse graph that edges are compared with when shortcuts are sought."""
DETOUR = 4.0
"""An edge is doubtful when the way between its ends in the sparse graph is this many times as long."""
LONG_WAY = 0.2
"""... and is more than this share of the longest way: a hole in the surface makes a detour, too, but a short one."""
CANDIDATES = 300
"""At most this many edges are examined: those that are longest beside their surroundings."""


@dataclass(frozen=True, slots=True, eq=False)
class Neighbourhood:
    """A neighbourhood graph with the steps in which it grows and the words for each step."""

    graph: Graph
    counts: tuple[int, ...]  # how many edges there are after each step
    words: tuple[str, ...]  # "3 nearest neighbours", "radius 0.25"
    sparse: Graph  # of the few nearest neighbours, as far as the graph itself has these edges
    joined: int | None = None  # edges in all where every pair is joined; then the graph lists only some to be drawn

    @property
    def complete(self) -> bool:
        """Whether every point is joined to every other, so that the straight way is the shortest."""
        return self.joined is not None


def by_neighbours(X: Array, k: int) -> Neighbourhood:
    """Join every point to its ``k`` nearest ones, the nearest first; there cannot be more than n - 1."""
    k = min(k, len(X) - 1)
    graph, ranks = neighbour_graph(X, k)
    steps = _steps(k)
    counts = tuple(int(np.searchsorted(ranks, step, side="right")) for step in steps)
    words = tuple("the nearest neighbour" if step == 1 else f"the {step} nearest neighbours" for step in steps)
    few = SPARSE if k > SPARSE else 0  # an even sparser graph is too full of holes to compare with
    return Neighbourhood(graph, counts, words, graph.first(int(np.searchsorted(ranks, few, side="right"))))


def by_radius(X: Array, radius: float, unit: float) -> Neighbourhood:
    """Join all points at most ``radius`` apart, the shortest edges first; ``unit`` is the length of 1 in the data."""
    graph = ball_graph(X, radius)
    if not len(graph):
        raise DataError(
            f"No two points are within epsilon = {radius * unit:.3g} of each other, so there is no edge; raise epsilon."
        )
    steps = radius * np.arange(1, GROWTH + 1) / GROWTH
    counts = tuple(int(np.searchsorted(graph.lengths, step, side="right")) for step in steps)
    words = tuple(f"all points within {step * unit:.3g}" for step in steps)
    near, _ = neighbour_graph(X, min(SPARSE, len(X) - 1))
    inside = near.lengths <= radius
    return Neighbourhood(graph, counts, words, Graph(near.n, near.edges[inside], near.lengths[inside]))


def complete(X: Array, most: int) -> Neighbourhood:
    """Join every point to every other one; at most ``most`` of these edges are listed, evenly chosen."""
    n = len(X)
    ends = np.cumsum(np.arange(n - 1, 0, -1))  # where the pairs (0, j), (1, j) ... end in the list of all pairs
    numbers = evenly(int(ends[-1]), most)
    i = np.searchsorted(ends, numbers, side="right")
    j = n - (ends[i] - numbers)
    edges = np.stack([i, j], axis=1)
    lengths = np.sqrt(np.square(X[i] - X[j]).sum(axis=1))
    nothing = Graph(n, edges[:0], lengths[:0])
    return Neighbourhood(Graph(n, edges, lengths), (len(edges),), ("every other point",), nothing, int(ends[-1]))


def _steps(k: int) -> list[int]:
    """1 .. k, or so many of them that the growth is not too long; always the last."""
    return sorted({int(step) for step in np.rint(np.linspace(1, k, min(k, GROWTH)))})


def evenly(count: int, most: int) -> Array:
    """At most ``most`` of the numbers 0 .. count - 1, evenly spread, both ends included."""
    return np.unique(np.rint(np.linspace(0, count - 1, min(count, most))).astype(np.int64))


def largest_component(graph: Graph) -> tuple[int, Array, Array]:
    """How many pieces the graph has, the piece of every point (n,), and the points of the largest one."""
    count, labels = components(graph)
    return count, labels, np.flatnonzero(labels == 0)


def shortcuts(neighbourhood: Neighbourhood) -> tuple[Array, float]:
    """Edges that seem to leave the surface on which the points lie, (s, 2), and by how much the worst one does.

    The sparse graph of a few nearest neighbours follows the surface closely. An edge of the full graph whose ends lie
    far apart along the sparse one jumps over a gap between two sheets. (Where the sparse graph is in pieces, nothing is
    known and nothing is said.)
    """
    graph, sparse = neighbourhood.graph, neighbourhood.sparse
    nothing = np.empty((0, 2), dtype=np.int64), 0.0
    if len(sparse) < graph.n or len(sparse) >= len(graph):
        return nothing
    scale = np.maximum(_typical_length(sparse), np.finfo(float).tiny)
    excess = graph.lengths / np.sqrt(scale[graph.edges[:, 0]] * scale[graph.edges[:, 1]])
    chosen = np.argsort(-excess, kind="stable")[:CANDIDATES]
    lengths = graph.lengths[chosen]
    sources, row = np.unique(graph.edges[chosen, 0], return_inverse=True)
    matrix = sparse.matrix()
    if not _any_far(matrix, sources, row, graph.edges[chosen, 1]):
        return nothing
    rows = dijkstra_rows(matrix, sources)
    ways = rows[row, graph.edges[chosen, 1]]
    known = np.isfinite(ways) & (lengths > 0.0)
    long_way = LONG_WAY * rows[np.isfinite(rows)].max()
    factor = np.divide(ways, lengths, out=np.zeros(len(lengths)), where=known & (ways > long_way))
    doubtful = factor > DETOUR
    return graph.edges[chosen[doubtful]], float(factor.max(initial=0.0))


def _any_far(matrix: Any, sources: Array, row: Array, ends: Array) -> bool:
    """Whether an edge may have a long way: one that is not found within a share of the longest way from one source.

    The searches end there, so that they cost little where nothing is suspicious.
    """
    lengths = dijkstra_rows(matrix, sources[:1])
    near = dijkstra_rows(matrix, sources, limit=LONG_WAY * float(lengths[np.isfinite(lengths)].max()))
    return not np.isfinite(near[row, ends]).all()


def _typical_length(graph: Graph) -> Array:
    """The mean length of the edges at each point, (n,)."""
    ends, lengths = graph.edges.ravel(), np.repeat(graph.lengths, 2)
    total = np.bincount(ends, weights=lengths, minlength=graph.n)
    mean: Array = total / np.maximum(np.bincount(ends, minlength=graph.n), 1)
    return np.where(mean > 0.0, mean, graph.lengths.mean())


class Ways:
    """Shortest ways in a neighbourhood: along its edges, or straight where every pair is joined."""

    def __init__(self, neighbourhood: Neighbourhood, X: Array) -> None:
        self._X = X
        self._matrix = None if neighbourhood.complete else neighbourhood.graph.matrix()

    def lengths(self, start: int) -> Array:
        """From one point to all, (n,); infinite where there is no way."""
        if self._matrix is None:
            straight: Array = np.sqrt(np.square(self._X - self._X[start]).sum(axis=1))
            return straight
        return dijkstra_rows(self._matrix, np.array([start]))[0]

    def path(self, start: int, end: int) -> Array:
        """The points on a shortest way, both ends included; empty when there is none."""
        if self._matrix is None:
            return np.array([start, end] if start != end else [start])
        return shortest_path(self._matrix, start, end)

    def farthest(self, start: int) -> int:
        """The point farthest away, of those that can be reached."""
        lengths = self.lengths(start)
        return int(np.where(np.isfinite(lengths), lengths, -1.0).argmax())

    def far_ends(self, members: Array) -> tuple[int, int]:
        """Two points of a piece that are far apart along it: go to the farthest point until it gets no farther."""
        start, end, best = int(members[0]), int(members[0]), -1.0
        for _ in range(6):
            lengths = self.lengths(start)[members]
            farthest = int(lengths.argmax())
            if lengths[farthest] <= best:
                break
            best, end, start = float(lengths[farthest]), start, int(members[farthest])
        return start, end


Progress = Iterator[tuple[int, Array, Array | None]]
"""How many points are done, the table of distances, and whose rows are missing, where rows are found one by one."""


def ways(graph: Graph, order: Array, method: str) -> Progress:
    """All shortest ways by Dijkstra's method or by Floyd and Warshall's."""
    return _dijkstra(graph, order) if method == "Dijkstra" else _floyd_warshall(graph)


def straight_rows(X: Array, order: Array) -> Progress:
    """All straight distances (n, n), found row by row as shortest ways are: how many, the table, whose are missing."""
    from scipy.spatial.distance import cdist

    n = len(X)
    distances = np.empty((n, n))
    for part in in_pieces(order, n):
        distances[part] = cdist(X[part], X)
    yield n, distances, np.zeros(n, dtype=bool)


def _dijkstra(graph: Graph, order: Array) -> Progress:
    """Dijkstra's paths from one block of points after the other: how many, the distances, and whose are missing.

    Every way begins with a step to a neighbour. So where the ways of all neighbours are known, no search is needed:
    d(s, t) = min over the neighbours v of w(s, v) + d(v, t). A fifth of the points can wait for this.
    """
    matrix, distances = graph.matrix(), np.zeros((graph.n, graph.n))
    waiting, searched = _apart(matrix), np.zeros(graph.n, dtype=bool)
    missing = np.ones(graph.n, dtype=bool)
    done = 0
    for sources in np.array_split(order, min(BLOCKS, graph.n)):
        late = sources[waiting[sources]]
        steps = [(point, *_edges_at(matrix, point)) for point in late.tolist()]
        needed = np.concatenate([sources[~waiting[sources]], *(neighbours for _, neighbours, _ in steps)])
        needed = np.unique(needed[~searched[needed]])
        for part in in_pieces(needed, graph.n):  # a new page of memory takes its time, too
            distances[part] = dijkstra_rows(matrix, part)
            searched[part] = True
        for point, neighbours, lengths in steps:
            (distances[neighbours] + lengths[:, None]).min(axis=0, out=distances[point])
            distances[point, point] = 0.0
        missing[sources] = False
        done += len(sources)
        yield done, distances, missing


def _apart(matrix: Any) -> Array:
    """Some points (n,), no two of them neighbours; those with the fewest neighbours are asked first."""
    degrees = np.diff(matrix.indptr)
    chosen, free = np.zeros(len(degrees), dtype=bool), degrees > 0
    for point in np.argsort(degrees, kind="stable").tolist():
        if free[point]:
            chosen[point] = True
            free[_edges_at(matrix, point)[0]] = False
    return chosen


def _edges_at(matrix: Any, point: int) -> tuple[Array, Array]:
    """The neighbours of a point, and how far they are."""
    edges = slice(matrix.indptr[point], matrix.indptr[point + 1])
    return matrix.indices[edges], matrix.data[edges]


def _floyd_warshall(graph: Graph) -> Progress:
    """Floyd and Warshall's relaxation, as many stops at a time as make the wanted number of frames."""
    shown = 0
    for known, distances in floyd_warshall_blocks(graph):
        if known == graph.n or known >= shown + graph.n / BLOCKS:
            shown = known
            yield known, distances, None
