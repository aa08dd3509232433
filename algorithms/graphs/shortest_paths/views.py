"""Marks of shortest paths: the wave on the graph, the queue, and the table of all pairs."""

from __future__ import annotations

import numpy as np

from algorithms.contract import Views
from algorithms.data import Array, Graph
from algorithms.graphs.shortest_paths import solver
from algorithms.graphs.shortest_paths.solver import NONE, Wave
from algorithms.marks import Bars, Links, Matrix, NodeLink, Rings
from algorithms.maths.words import number

MOST_BARS = 80
"""Nodes that are shown as bars, and whose distances are written beside them."""


def wave_views(data: Graph, wave: Wave, ends: tuple[int, int], path: Array) -> Views:
    """A search from one node."""
    tree = wave.via[wave.taken]
    open_edges = wave.via[wave.waiting]
    graph = NodeLink(
        values=np.where(np.isfinite(wave.distances), wave.distances, 0.0),
        values_name="distance",
        unknown=~np.isfinite(wave.distances),
        notes=_notes(wave.distances),
        links=(
            Links(tree[tree >= 0], "tree", "shortest path tree"),
            Links(open_edges[open_edges >= 0], "frontier", "best path so far"),
            Links(wave.looked_at if wave.phase == "relax" and not len(path) else NONE, "considered", "looked at now"),
            Links(edges_along(data, path), "path", "shortest path"),
        ),
        rings=(
            Rings(wave.waiting, "frontier", "in the queue"),
            Rings(wave.taken[-1:] if not len(path) else NONE, "current", "taken now"),
        ),
        ends=np.array(ends),
        end_names=("from", "to"),
        handles=("from", "to"),
    )
    return {"graph": (graph,), "queue": (_queue(data, wave),)}


def _queue(data: Graph, wave: Wave) -> Bars:
    """The nodes whose distance is final as they were taken, then those that wait, the head of the queue first."""
    waiting = wave.waiting[:MOST_BARS]
    final = wave.taken[max(len(wave.taken) + len(waiting) - MOST_BARS, 0) :]
    nodes = np.concatenate([final, waiting])
    return Bars(
        wave.distances[nodes],
        tuple(data.node_name(int(node)) for node in nodes),
        nodes,
        np.repeat([0, 1], [len(final), len(waiting)]),
        group_names=("final distance", "in the queue"),
    )


def _notes(distances: Array) -> tuple[str, ...]:
    if len(distances) > MOST_BARS:
        return ()
    return tuple(number(distance) if np.isfinite(distance) else "∞" for distance in distances.tolist())


def edges_along(data: Graph, path: Array) -> Array:
    """The numbers of the edges from node to node of a path."""
    if len(path) < 2:
        return NONE
    pairs = {(int(one), int(two)): edge for edge, (one, two) in enumerate(data.edges.tolist())}
    if not data.directed:
        pairs |= {(two, one): edge for (one, two), edge in pairs.items()}
    return np.array([pairs[one, two] for one, two in zip(path[:-1].tolist(), path[1:].tolist())], dtype=np.int64)


def table_views(data: Graph, table: solver.Table, ends: tuple[int, int], every: int, done: bool) -> Views:
    """All pairs: the table, and what it says about the two nodes that were asked for."""
    row = table.distances[ends[0]]
    path = table.path(*ends)
    new = np.arange(max(table.stops - every, 0), table.stops)
    unknown = ~np.isfinite(table.distances)
    values = np.where(unknown, 0.0, table.distances)
    graph = NodeLink(
        values=np.where(np.isfinite(row), row, 0.0),
        values_name=f"distance from {data.node_name(ends[0])}",
        unknown=~np.isfinite(row),
        notes=_notes(row),
        links=(Links(edges_along(data, path), "path", "shortest path" if done else "best path so far"),),
        rings=(
            Rings(np.arange(table.stops)[: -len(new) or None] if not done else NONE, "chosen", "may be passed"),
            Rings(new if not done else NONE, "current", "may be passed from now on"),
        ),
        ends=np.array(ends),
        end_names=("from", "to"),
        handles=("from", "to"),
    )
    signed = bool((values < 0).any())
    matrix = Matrix(values, np.arange(data.n), signed, unknown if unknown.any() else None, "distance")
    return {"graph": (graph,), "table": (matrix,)}
