"""The neighbourhood graph as maps use it: how it grows, what it leaves out, and what is doubtful in it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from algorithms.dataset import Array, DataError
from algorithms.maths.graphs import Graph, ball_graph, components, dijkstra_rows, neighbour_graph

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


def _steps(k: int) -> list[int]:
    """1 .. k, or so many of them that the growth is not too long; always the last."""
    return sorted({int(step) for step in np.rint(np.linspace(1, k, min(k, GROWTH)))})


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
    rows = dijkstra_rows(sparse.matrix(), sources)
    ways = rows[row, graph.edges[chosen, 1]]
    known = np.isfinite(ways) & (lengths > 0.0)
    long_way = LONG_WAY * rows[np.isfinite(rows)].max()
    factor = np.divide(ways, lengths, out=np.zeros(len(lengths)), where=known & (ways > long_way))
    doubtful = factor > DETOUR
    return graph.edges[chosen[doubtful]], float(factor.max(initial=0.0))


def _typical_length(graph: Graph) -> Array:
    """The mean length of the edges at each point, (n,)."""
    ends, lengths = graph.edges.ravel(), np.repeat(graph.lengths, 2)
    total = np.bincount(ends, weights=lengths, minlength=graph.n)
    mean: Array = total / np.maximum(np.bincount(ends, minlength=graph.n), 1)
    return np.where(mean > 0.0, mean, graph.lengths.mean())


def far_ends(graph: Graph, members: Array) -> tuple[int, int]:
    """Two points of a piece that are far apart along it: go to the farthest point until it gets no farther."""
    matrix = graph.matrix()
    start, best = int(members[0]), -1.0
    for _ in range(6):
        distances = dijkstra_rows(matrix, np.array([start]))[0, members]
        farthest = int(distances.argmax())
        if distances[farthest] <= best:
            break
        best, end, start = float(distances[farthest]), start, int(members[farthest])
    return start, end
