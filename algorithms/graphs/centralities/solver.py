"""The mathematics of centralities: each gives its values step by step. No marks, no captions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from algorithms.data import Array, DataError, Graph
from algorithms.interrupt import checkpoint
from algorithms.maths.adjacency import Adjacency
from algorithms.maths.graphs import dijkstra_rows

NONE: Array = np.empty(0, dtype=np.int64)
DENSE = 400
"""Nodes up to which all eigenvalues are found at once."""
_RESTARTS = 300
"""Of the search for an eigenvalue, some thousand products with the table."""
SAME = 1e-12
"""Two paths are equally long when their lengths differ by no more than this fraction."""


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """Values of all nodes so far."""

    values: Array  # (n,)
    done: int = 0  # how many edges, nodes or rounds have been gone through
    node: int = -1  # the node that was worked on last
    edges: Array = field(default_factory=NONE.copy)  # (k,) the edges that played a part in it
    other: Array = field(default_factory=lambda: np.empty(0))  # (n,) the hubs beside the authorities, or the reverse
    eigenvalue: float = 0.0


def refuse_bad_weights(graph: Graph, kind: str) -> None:
    """Weights that say nothing about this centrality."""
    if not graph.m:
        return
    edge = int(graph.lengths.argmin())
    least = float(graph.lengths[edge])
    one, two = (graph.node_name(int(node)) for node in graph.edges[edge])
    if least < 0:
        raise DataError(
            f"A centrality needs weights that are not negative; the edge between {one} and {two} has {least:.4g}."
        )
    if least == 0 and kind == "betweenness":
        raise DataError(
            f"The edge between {one} and {two} has the weight 0, so there are endless equally short paths; "
            "betweenness cannot count them."
        )


def degrees(graph: Graph, weighted: bool, every: int) -> Iterator[Step]:
    """Edge by edge: its weight is added at both ends."""
    weights = graph.lengths if weighted else np.ones(graph.m)
    values = np.zeros(graph.n)
    for first in range(0, graph.m, every):
        checkpoint()
        part = np.arange(first, min(first + every, graph.m))
        values = values + np.bincount(graph.edges[part].ravel(), np.repeat(weights[part], 2), graph.n)
        yield Step(values, int(part[-1]) + 1, int(graph.edges[part[-1], 1]), part)


def closeness(adjacency: Adjacency, every: int, reached_only: bool) -> Iterator[Step]:
    """Node by node: one over the sum of the distances from all others to it.

    With ``reached_only`` the distances from those that reach it, times the fraction of the nodes that do (Wasserman and
    Faust); otherwise a node that somebody cannot reach is infinitely far in the mean, and gets 0.
    """
    n, back = adjacency.n, adjacency.reversed()
    values = np.zeros(n)
    for first in range(0, n, every):
        checkpoint()
        nodes = np.arange(first, min(first + every, n))
        distances = back.distances(nodes)
        reach = np.isfinite(distances)
        others = reach.sum(axis=1) - 1
        sums = np.where(reach, distances, 0.0).sum(axis=1)
        found = np.divide(1.0, sums, out=np.zeros(len(nodes)), where=sums > 0)
        found *= np.square(others / max(n - 1, 1)) if reached_only else others == n - 1
        values = values.copy()
        values[nodes] = found
        last = int(nodes[-1])
        yield Step(values, last + 1, last, _path_edges(back, distances[-1]))


def betweenness(adjacency: Adjacency, every: int) -> Iterator[Step]:
    """Source by source, Brandes: the fraction of the shortest paths that pass through each node, summed over pairs.

    Counts of shortest paths grow outwards from the source, sigma_v = sum of sigma_u over the nodes u before v; what
    depends on a node comes back inwards, delta_u = sum of sigma_u / sigma_v (1 + delta_v).
    """
    n, tails, matrix = adjacency.n, adjacency.tails, adjacency.matrix()
    values = np.zeros(n)
    for source in range(n):
        distances = dijkstra_rows(matrix, np.array([source]))[0]
        steps = _shortest_steps(adjacency, tails, distances)
        one, two = tails[steps], adjacency.heads[steps]
        levels, level = np.unique(distances[two], return_inverse=True)
        order = np.argsort(level, kind="stable")
        parts = np.split(order, np.searchsorted(level[order], np.arange(1, len(levels)))) if len(order) else []
        sigma, delta = np.zeros(n), np.zeros(n)
        sigma[source] = 1.0
        for part in parts:  # outwards
            sigma += np.bincount(two[part], sigma[one[part]], n)
        for part in reversed(parts):  # and back
            ways = sigma[two[part]]  # none beyond a step that is too short to be told from its distance
            share = np.divide(sigma[one[part]], ways, out=np.zeros(len(part)), where=ways > 0.0)
            delta += np.bincount(one[part], share * (1.0 + delta[two[part]]), n)
        delta[source] = 0.0
        values = values + delta
        if (source + 1) % every == 0 or source + 1 == n:
            yield Step(values, source + 1, source, np.unique(adjacency.edges[steps]))


def _shortest_steps(adjacency: Adjacency, tails: Array, distances: Array) -> Array:
    """Which steps lie on a shortest path from the source of these distances, (k,)."""
    finite = np.where(np.isfinite(distances), distances, -1.0)
    before, after = finite[tails], finite[adjacency.heads]
    reached = (before >= 0.0) & (before < after)
    return np.flatnonzero(reached & (np.abs(before + adjacency.lengths - after) <= SAME * after))


def _path_edges(adjacency: Adjacency, distances: Array) -> Array:
    return np.unique(adjacency.edges[_shortest_steps(adjacency, adjacency.tails, distances)])


def eigenvector(table: Array, unit: float, most: int) -> Iterator[Step]:
    """Power steps c <- (A + I) c / |(A + I) c|; I keeps the eigenvectors and stops an even graph from swinging.

    ``table`` holds in row i the weights of the edges that lead to i, in this ``unit``.
    """
    values = np.full(len(table), 1.0 / np.sqrt(max(len(table), 1)))
    for step in range(1, most + 1):
        checkpoint()
        moved = table @ values + values
        length = float(np.linalg.norm(moved))
        values = moved / length
        yield Step(values, step, eigenvalue=(length - 1.0) * unit)


def katz(table: Array, alpha: float, most: int) -> Iterator[Step]:
    """C <- alpha A c + 1: everybody has 1 of their own and a part of what their neighbours have; scaled to length 1."""
    own = np.ones(len(table))
    values = own
    for step in range(1, most + 1):
        checkpoint()
        values = alpha * (table @ values) + own
        yield Step(values / np.linalg.norm(values), step)


def hits(table: Array, most: int, hubs: bool) -> Iterator[Step]:
    """Good authorities are named by good hubs, good hubs name good authorities: a <- A h, h <- A^T a, both of sum 1."""
    hub = np.full(len(table), 1.0 / max(len(table), 1))
    for step in range(1, most + 1):
        checkpoint()
        authority = table @ hub
        authority = authority / authority.sum()
        hub = table.T @ authority
        hub = hub / hub.sum()
        yield Step(hub if hubs else authority, step, other=authority if hubs else hub)


def influence(graph: Graph, weighted: bool) -> tuple[Array, float]:
    """The table whose row i holds the weights of the edges that lead to i, (n, n), and the unit they are given in."""
    table = np.zeros((graph.n, graph.n))
    tails, heads, lengths, _ = graph.arcs()
    unit = float(lengths.max(initial=0.0)) if weighted else 1.0
    table[heads, tails] = lengths / (unit or 1.0) if weighted else 1.0
    return table, unit or 1.0


def largest_eigenvalue(table: Array) -> float:
    """The largest eigenvalue in size of a table that has no negative numbers (it is real), or a little more.

    On a long path it has many neighbours, from which it can hardly be told: then it is its bound, the largest sum.
    """
    if len(table) <= DENSE:
        return float(np.abs(np.linalg.eigvals(table)).max(initial=0.0))
    from scipy.sparse import csr_array
    from scipy.sparse.linalg import ArpackError, LinearOperator, eigs

    sparse = csr_array(table)

    def times(vector: Array) -> Array:
        checkpoint()
        return np.asarray(sparse @ vector)

    operator, begin = LinearOperator(table.shape, matvec=times, dtype=table.dtype), np.ones(len(table))
    try:
        found = eigs(operator, 1, which="LM", v0=begin, maxiter=_RESTARTS, return_eigenvectors=False)
        return float(np.abs(found)[0])
    except ArpackError:
        return float(table.sum(axis=1).max())  # never too small


def has_cycle(graph: Graph) -> bool:
    """Whether some path leads back to where it began; without one there is no eigenvalue but 0."""
    from scipy.sparse.csgraph import connected_components

    if not graph.directed:
        return graph.m > 0
    loops = bool((graph.edges[:, 0] == graph.edges[:, 1]).any())
    count, _ = connected_components(Adjacency.of(graph, weighted=False).matrix(), directed=True, connection="strong")
    return loops or count < graph.n


def pieces(graph: Graph) -> int:
    """How many parts the graph has between which there is no path; in a directed one, no path there and back."""
    from scipy.sparse.csgraph import connected_components

    return int(connected_components(Adjacency.of(graph, weighted=False).matrix(), connection="strong")[0])
