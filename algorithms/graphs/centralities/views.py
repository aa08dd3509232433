"""Marks of centralities: sizes and colours on the graph, a ranking, and the values beside the degrees."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Views
from algorithms.graphs.centralities.solver import NONE
from algorithms.marks import Bars, Links, Mark, NodeLink, Rings, Scatter

if TYPE_CHECKING:
    from algorithms.graphs.centralities import Shot

NOTHING = 1e-9
"""Values below this fraction of the largest are shown as 0: power steps come nearer to it for ever."""
MOST_BARS = 30
"""Nodes in the ranking."""


def views(shot: Shot) -> Views:
    """Everything that is seen of some values."""
    data, kind, shown, done = shot.given.data, shot.given.kind, shot.shown, shot.phase == "result"
    values = np.where(shot.model.values < NOTHING * shot.metrics["largest"], 0.0, shot.model.values)
    order = np.argsort(-values, kind="stable")
    by_paths = kind in ("closeness", "betweenness")
    now = np.array([shown.node]) if shown.node >= 0 and by_paths and not done else NONE
    lit = shown.edges if not done else NONE
    graph = NodeLink(
        values=values,
        values_name=shot.given.title,
        sizes=values,
        links=(Links(lit, "considered" if kind == "degree" else "tree", _LIT.get(kind, "")),),
        rings=(
            Rings(now, "current", "worked on now" if by_paths else ""),
            Rings(order[:1] if done and values.any() else NONE, "chosen", "largest value"),
        ),
    )
    first = order[:MOST_BARS]
    ranking = Bars(values[first], tuple(data.node_name(int(node)) for node in first), first)
    found: dict[str, tuple[Mark, ...]] = {"graph": (graph,), "ranking": (ranking,)}
    if kind != "degree":
        places = np.column_stack([data.degrees(), values])
        names = tuple(data.node_name(node) for node in range(data.n)) if data.n <= MOST_BARS else ()
        found["compare"] = (Scatter(places, names=names),)
    return found


_LIT = {"degree": "counted now", "closeness": "shortest paths", "betweenness": "shortest paths"}
