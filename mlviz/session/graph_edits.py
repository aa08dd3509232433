"""Edits of a graph, as pure functions without a window: each gives a new graph, or a :class:`DataError` in words."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from algorithms.data import Array, DataError, Graph
from algorithms.data.graph import MAX_NODES
from algorithms.maths.layouts import circle_layout, placed, spectral_layout, spring_layout
from mlviz.session.nearest import nearest

Layout = Literal["spring", "spectral", "circle"]
HEAVIEST = 1e6


def add_node(graph: Graph, at: Array) -> Graph:
    """One more node at this place (2,), in the group of the last one where there are groups."""
    if graph.n >= MAX_NODES:
        raise DataError(f"A graph can have at most {MAX_NODES:,} nodes.")
    graph = placed(graph)
    assert graph.positions is not None
    names = (*graph.names, _free_name(graph.names)) if graph.names else ()
    groups = None if graph.groups is None else np.append(graph.groups, graph.groups[-1])
    return replace(graph, nodes=graph.n + 1, positions=np.vstack([graph.positions, at]), names=names, groups=groups)


def move(graph: Graph, nodes: Array, by: Array) -> Graph:
    """Nodes carried by a vector (2,)."""
    graph = placed(graph)
    assert graph.positions is not None
    at = graph.positions.copy()
    at[nodes] += by
    return replace(graph, positions=at)


def connect(graph: Graph, tail: int, head: int, weight: float = 1.0) -> Graph:
    """An edge between two nodes that have none yet."""
    if tail == head:
        raise DataError("Drag from one node to another one to join them.")
    if edge_between(graph, tail, head) is not None:
        one, two = graph.node_name(tail), graph.node_name(head)
        raise DataError(f"{one} and {two} are joined already; the weight tool changes the weight.")
    edges = np.vstack([graph.edges, [[tail, head]]])
    return replace(graph, edges=edges, weights=np.append(graph.lengths, weight), weighted=graph.weighted or weight != 1)


def edge_between(graph: Graph, tail: int, head: int) -> int | None:
    """The number of the edge from one node to another (in either direction when undirected), or None."""
    same = (graph.edges == (tail, head)).all(axis=1)
    if not graph.directed:
        same |= (graph.edges == (head, tail)).all(axis=1)
    found = np.flatnonzero(same)
    return int(found[0]) if len(found) else None


def weigh(graph: Graph, edge: int, weight: float) -> Graph:
    """Another weight for an edge."""
    if not np.isfinite(weight) or abs(weight) > HEAVIEST:
        raise DataError(f"A weight must be a number from -{HEAVIEST:g} to {HEAVIEST:g}.")
    weights = graph.lengths.copy()
    weights[edge] = weight
    return replace(graph, weights=weights, weighted=True)


def reverse(graph: Graph, edge: int) -> Graph:
    """A directed edge turned around."""
    if not graph.directed:
        raise DataError("The edges of this graph have no direction; Draw > Directed edges gives them one.")
    tail, head = graph.edges[edge].tolist()
    if tail != head and edge_between(graph, head, tail) is not None:
        raise DataError(f"There is an edge from {graph.node_name(head)} to {graph.node_name(tail)} already.")
    edges = graph.edges.copy()
    edges[edge] = (head, tail)
    return replace(graph, edges=edges)


def delete_nodes(graph: Graph, nodes: Array) -> tuple[Graph, Array]:
    """The graph without some nodes and their edges, and which node each of the others was before."""
    kept = np.setdiff1d(np.arange(graph.n), nodes)
    place = np.full(graph.n, -1)
    place[kept] = np.arange(len(kept))
    stays = (place[graph.edges] >= 0).all(axis=1)
    made = replace(
        graph,
        nodes=len(kept),
        edges=place[graph.edges[stays]],
        weights=graph.lengths[stays],
        names=tuple(graph.names[k] for k in kept.tolist()) if graph.names else (),
        positions=None if graph.positions is None else graph.positions[kept],
        groups=None if graph.groups is None else graph.groups[kept],
    )
    return made, kept


def delete_edge(graph: Graph, edge: int) -> Graph:
    """The graph without one edge."""
    kept = np.arange(graph.m) != edge
    return replace(graph, edges=graph.edges[kept], weights=graph.lengths[kept])


def rename(graph: Graph, node: int, name: str) -> Graph:
    """Another name for a node."""
    if not name.strip():
        raise DataError("A node needs a name.")
    names = list(graph.names or (str(k + 1) for k in range(graph.n)))
    names[node] = name.strip()
    return replace(graph, names=tuple(names))


def with_direction(graph: Graph, directed: bool) -> Graph:
    """The same edges with or without a direction; two that run both ways become one with the sum of their weights."""
    if directed == graph.directed:
        return graph
    if directed:
        return replace(graph, directed=True)
    ends, which = np.unique(np.sort(graph.edges, axis=1), axis=0, return_inverse=True)
    weights = np.bincount(which.reshape(-1), weights=graph.lengths, minlength=len(ends))
    return replace(graph, edges=ends, weights=weights, directed=False)


def laid_out(graph: Graph, layout: Layout, seed: int = 0) -> Graph:
    """The same graph with its nodes at other places."""
    if layout == "circle":
        return replace(graph, positions=circle_layout(graph.n))
    return replace(graph, positions=(spring_layout if layout == "spring" else spectral_layout)(graph, seed))


def nearest_node(graph: Graph, at: Array, pixel: tuple[float, float], reach: float) -> int | None:
    """The node within so many pixels of a place, or None."""
    if graph.positions is None:
        return None
    return nearest(graph.positions, float(at[0]), float(at[1]), pixel, reach)


def nearest_edge(graph: Graph, at: Array, pixel: tuple[float, float], reach: float) -> int | None:
    """The edge whose line passes within so many pixels of a place, or None."""
    if graph.positions is None or not graph.m:
        return None
    start, end = ((graph.positions[graph.edges[:, side]] - at) / pixel for side in (0, 1))
    along = end - start
    length = (along**2).sum(axis=1)
    fraction = np.clip(-(start * along).sum(axis=1) / np.where(length > 0, length, 1.0), 0.0, 1.0)
    gaps = ((start + fraction[:, None] * along) ** 2).sum(axis=1)
    found = int(gaps.argmin())
    return found if gaps[found] <= reach**2 else None


def _free_name(names: tuple[str, ...]) -> str:
    number = len(names) + 1
    while str(number) in names:
        number += 1
    return str(number)
