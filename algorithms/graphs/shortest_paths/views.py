"""Marks of shortest paths: the wave on the graph, the queue, and the table of all pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Views
from algorithms.data import Array, Graph
from algorithms.graphs.shortest_paths.solver import NONE
from algorithms.marks import Bars, Links, Matrix, NodeLink, Rings
from algorithms.maths.words import number

if TYPE_CHECKING:
    from algorithms.graphs.shortest_paths import Shot

MOST_BARS = 80
"""Nodes that are shown as bars, and whose distances are written beside them."""


def views(shot: Shot) -> Views:
    """The graph with the queue of a search, or with the table of all pairs."""
    return _table(shot) if shot.given.method == "Floyd-Warshall" else _wave(shot)


def _wave(shot: Shot) -> Views:
    given, model, shown = shot.given, shot.model, shot.shown
    path = model.path if shot.phase == "result" else NONE
    tree = shown.via[model.taken]
    open_edges = shown.via[shown.waiting]
    graph = NodeLink(
        values=np.where(np.isfinite(model.distances), model.distances, 0.0),
        values_name="distance",
        unknown=~np.isfinite(model.distances),
        notes=_notes(model.distances),
        links=(
            Links(tree[tree >= 0], "tree", "shortest path tree"),
            Links(open_edges[open_edges >= 0], "frontier", "best path so far"),
            Links(NONE if len(path) else shown.looked_at, "considered", "looked at now"),
            Links(edges_along(given.data, path), "path", "shortest path"),
        ),
        rings=(
            Rings(shown.waiting, "frontier", "in the queue"),
            Rings(NONE if len(path) else model.taken[-1:], "current", "taken now"),
        ),
        ends=np.array((given.source, given.target)),
        end_names=("from", "to"),
        handles=("from", "to"),
    )
    return {"graph": (graph,), "queue": (_queue(shot),)}


def _queue(shot: Shot) -> Bars:
    """The nodes whose distance is final as they were taken, then those that wait, the head of the queue first."""
    waiting, taken = shot.shown.waiting[:MOST_BARS], shot.model.taken
    final = taken[max(len(taken) + len(waiting) - MOST_BARS, 0) :]
    nodes = np.concatenate([final, waiting])
    return Bars(
        shot.model.distances[nodes],
        tuple(shot.given.data.node_name(int(node)) for node in nodes),
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


def _table(shot: Shot) -> Views:
    """All pairs: the table, and what it says about the two nodes that were asked for."""
    given, model, done = shot.given, shot.model, shot.phase == "result"
    row, stops = model.distances[given.source], len(model.taken)
    new = np.arange(max(stops - given.every, 0), stops)
    unknown = ~np.isfinite(model.distances)
    values = np.where(unknown, 0.0, model.distances)
    graph = NodeLink(
        values=np.where(np.isfinite(row), row, 0.0),
        values_name=f"distance from {given.data.node_name(given.source)}",
        unknown=~np.isfinite(row),
        notes=_notes(row),
        links=(Links(edges_along(given.data, model.path), "path", "shortest path" if done else "best path so far"),),
        rings=(
            Rings(np.arange(stops)[: -len(new) or None] if not done else NONE, "chosen", "may be passed"),
            Rings(new if not done else NONE, "current", "may be passed from now on"),
        ),
        ends=np.array((given.source, given.target)),
        end_names=("from", "to"),
        handles=("from", "to"),
    )
    signed = bool((values < 0).any())
    matrix = Matrix(values, np.arange(given.data.n), signed, unknown if unknown.any() else None, "distance")
    return {"graph": (graph,), "table": (matrix,)}
