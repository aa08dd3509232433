"""The mathematics of Isomap: the graph of neighbours as it grows, what is doubtful in it, and the paths along it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from algorithms.data import Array
from algorithms.maths.components import Components
from algorithms.maths.distances import squared_distances
from algorithms.maths.graphs import NeighbourGraph, dijkstra_rows, floyd_warshall_blocks, in_pieces
from algorithms.maths.neighbourhoods import Neighbourhood
from algorithms.maths.scaling import gower

BLOCKS = 12
"""Frames in which the shortest paths are shown to be found."""
DETOUR = 4.0
"""An edge is doubtful when the path between its ends in the sparse graph is this many times as long."""
LONG_PATH = 0.2
"""... and more than this fraction of the longest path: a hole in the surface makes a detour, too, but a short one."""
CANDIDATES = 300
"""At most this many edges are examined: those that are longest beside their surroundings."""
LEAST = 1e-100
"""The shortest length that others are compared with, beside coordinates of about 1."""


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
    scale = np.maximum(_typical_length(sparse), LEAST)  # equal points have neighbours at no distance
    excess = graph.lengths / np.sqrt(scale[graph.edges[:, 0]] * scale[graph.edges[:, 1]])
    chosen = np.argsort(-excess, kind="stable")[:CANDIDATES]
    lengths = graph.lengths[chosen]
    sources, row = np.unique(graph.edges[chosen, 0], return_inverse=True)
    matrix = sparse.matrix()
    if not _any_far(matrix, sources, row, graph.edges[chosen, 1]):
        return nothing
    rows = dijkstra_rows(matrix, sources)
    paths = rows[row, graph.edges[chosen, 1]]
    known = np.isfinite(paths) & (lengths > 0.0)
    long_path = LONG_PATH * rows[np.isfinite(rows)].max()
    factor = np.divide(paths, lengths, out=np.zeros(len(lengths)), where=known & (paths > long_path))
    doubtful = factor > DETOUR
    return graph.edges[chosen[doubtful]], float(factor.max(initial=0.0))


def _any_far(matrix: Any, sources: Array, row: Array, ends: Array) -> bool:
    """Whether an edge may have a long path: one that is not found within a fraction of the longest from one source.

    The searches end there, so that they cost little where nothing is suspicious.
    """
    lengths = dijkstra_rows(matrix, sources[:1])
    near = dijkstra_rows(matrix, sources, limit=LONG_PATH * float(lengths[np.isfinite(lengths)].max()))
    return not np.isfinite(near[row, ends]).all()


def _typical_length(graph: NeighbourGraph) -> Array:
    """The mean length of the edges at each point, (n,)."""
    ends, lengths = graph.edges.ravel(), np.repeat(graph.lengths, 2)
    total = np.bincount(ends, weights=lengths, minlength=graph.n)
    mean: Array = total / np.maximum(np.bincount(ends, minlength=graph.n), 1)
    return np.where(mean > 0.0, mean, graph.lengths.mean())


@dataclass(frozen=True, slots=True, eq=False)
class Placing:
    """What it takes to find the place of a new point in the map; lengths are those of a cloud of size one.

    Until the map unrolls it is that of principal components, and along the way it is between the two.
    """

    centre: Array  # (d,)
    unit: float
    X: Array  # (n, d)
    graph: NeighbourGraph
    neighbours: int  # to which a point is joined, or 0 where there is
    radius: float
    straight: Components
    members: Array  # (m,)
    places: Array  # (m, k) in the map along the graph; empty until known
    norms: Array  # (m,) the squared lengths from the centre: the diagonal of B
    unrolled: float = 0.0  # from 0 to 1

    def place(self, X: Array, dimensions: int) -> Array:
        """Places (q, dimensions) of new points."""
        X = (X - self.centre) / self.unit
        scores = self.straight.scores(X)[:, :dimensions]
        found = (1.0 - self.unrolled) * np.pad(scores, ((0, 0), (0, dimensions - scores.shape[1])))
        if self.unrolled:
            found = found + self.unrolled * gower(self.places, self.norms, self.lengths(X))
        return np.asarray(found * self.unit)

    def lengths(self, X: Array) -> Array:
        """Along the graph from new points to all members (q, m): straight to a neighbour, and on by a shortest path."""
        straight = np.sqrt(squared_distances(X, self.X[self.members]))
        if self.neighbours:
            k = min(self.neighbours, len(self.members))
            joined = straight <= np.partition(straight, k - 1, axis=1)[:, k - 1, None]
        else:
            joined = straight <= self.radius
        joined |= straight == straight.min(axis=1, keepdims=True)  # whoever is alone goes to the nearest
        entries = np.flatnonzero(joined.any(axis=0))
        onward = dijkstra_rows(self.graph.among(self.members).matrix(), entries)
        first = np.where(joined, straight, np.inf)[:, entries]
        return np.array([(one[:, None] + onward).min(axis=0) for one in first])


def far_ends(matrix: Any, members: Array) -> tuple[int, int]:
    """Two points of a piece that are far apart along it: go to the farthest point until it gets no farther."""
    start, end, best = int(members[0]), int(members[0]), -1.0
    for _ in range(6):
        lengths = lengths_from(matrix, start)[members]
        farthest = int(lengths.argmax())
        if lengths[farthest] <= best:
            break
        best, end, start = float(lengths[farthest]), start, int(members[farthest])
    return start, end


def farthest_from(matrix: Any, start: int) -> int:
    """The point farthest away along the graph, of those that can be reached."""
    lengths = lengths_from(matrix, start)
    return int(np.where(np.isfinite(lengths), lengths, -1.0).argmax())


def lengths_from(matrix: Any, start: int) -> Array:
    """How far it is from one point to all, (n,); infinite where there is no path."""
    return dijkstra_rows(matrix, np.array([start]))[0]


def part_of_path(path: Array, reach: Array, fraction: float) -> Array:
    """The first part of a path, up to a fraction of its length; ``reach`` says how far from its start a point is."""
    if not len(path):
        return path
    return path[reach[path] <= fraction * reach[path[-1]] * (1.0 + 1e-12)]


Progress = Iterator[tuple[int, Array, Array | None]]
"""How many points are done, the table of distances, and whose rows are missing, where rows are found one by one."""


def all_paths(graph: NeighbourGraph, order: Array, method: str) -> Progress:
    """The lengths of all shortest paths by Dijkstra's method or by Floyd and Warshall's."""
    return _dijkstra(graph, order) if method == "Dijkstra" else _floyd_warshall(graph)


def _dijkstra(graph: NeighbourGraph, order: Array) -> Progress:
    """Dijkstra's paths from one block of points after the other: how many, the distances, and whose are missing.

    Every path begins with a step to a neighbour. So where the paths of all neighbours are known, no search is needed:
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


def _floyd_warshall(graph: NeighbourGraph) -> Progress:
    """Floyd and Warshall's relaxation, as many stops at a time as make the wanted number of frames."""
    shown = 0
    for known, distances in floyd_warshall_blocks(graph):
        if known == graph.n or known >= shown + graph.n / BLOCKS:
            shown = known
            yield known, distances, None
