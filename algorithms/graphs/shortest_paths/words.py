"""What shortest paths say, and what there is to try."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Explanation, Try
from algorithms.data import Array, Graph
from algorithms.graphs.shortest_paths.solver import follow
from algorithms.maths.words import are, counted, listed, number

if TYPE_CHECKING:
    from algorithms.graphs.shortest_paths import Shot
    from algorithms.played import Played

MOST_NAMES = 4
"""More nodes than this are counted, not named."""
MOST_ON_A_PATH = 8


def _start(shot: Shot) -> str:
    data = shot.given.data
    if shot.given.method == "Floyd-Warshall":
        return (
            f"A table of all pairs: so far only the {counted(data.m, 'edge')} themselves lead from one node to another."
        )
    name = data.node_name(shot.given.source)
    return f"Nothing is known yet: {name} is 0 away from itself and waits in the queue, all others are infinitely far."


def _take(shot: Shot) -> str:
    data, waits = shot.given.data, shot.shown.waiting
    name, away = _taken(shot)
    if shot.given.method == "breadth first":
        steps = counted(int(shot.model.distances[shot.model.taken[-1]]), "step")
        return f"Take {name}, which has waited longest: it is {steps} away, and no shorter path will be found."
    left = "no other node waits"
    if len(waits):
        left = f"{data.node_name(int(waits[0]))}, which waits, is not nearer"
    if len(waits) > 1:
        left = f"none of the {len(waits)} nodes that wait is nearer"
    return f"Take {name}, which is {away} away: {left}, so this distance is final."


def _taken(shot: Shot) -> tuple[str, str]:
    """The node that was taken last, and how far it is."""
    node = int(shot.model.taken[-1])
    return shot.given.data.node_name(node), number(float(shot.model.distances[node]))


def _relax(shot: Shot) -> str:
    """What the neighbours of the node have got from it."""
    shown, (name, away) = shot.shown, _taken(shot)
    if not len(shown.looked_at):
        return f"No edge leads on from {name}."
    kept = len(shown.looked_at) - len(shown.lowered)
    rest = f"{counted(kept, 'neighbour')} {are(kept)} no nearer through it" if kept else ""
    if not len(shown.lowered):
        return f"From {name}: {rest}."
    parts = [_lowered(shot), rest]
    return f"From {name}, which is {away} away: {'; '.join(part for part in parts if part)}."


def _lowered(shot: Shot) -> str:
    shown = shot.shown
    if len(shown.lowered) > MOST_NAMES:
        return f"{counted(len(shown.lowered), 'node')} got nearer"
    texts = []
    for node, old in zip(shown.lowered.tolist(), shown.old.tolist()):
        was = f" instead of {number(old)}" if np.isfinite(old) else ""
        now = number(float(shot.model.distances[node]))
        texts.append(f"{shot.given.data.node_name(node)} is now {now} away{was}")
    return listed(texts)


def _stop(shot: Shot) -> str:
    """What some more stops have done."""
    stops, pairs = len(shot.model.taken), shot.shown.pairs
    names = [shot.given.data.node_name(node) for node in range(max(stops - shot.given.every, 0), stops)]
    allowed = names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}"
    changed = f"{counted(pairs, 'pair')} got nearer" if pairs else "no pair got nearer"
    missing = int((~np.isfinite(shot.model.distances)).sum())
    left = f"; {counted(missing, 'pair')} have no path yet" if missing else ""
    return f"Paths may now pass through {allowed}: {changed}{left}."


def path_in_words(data: Graph, path: Array) -> str:
    """The names along a path; a long one is cut in the middle."""
    names = [data.node_name(int(node)) for node in path]
    if len(names) > MOST_ON_A_PATH:
        names = [*names[:4], "...", *names[-3:]]
    return (" → " if data.directed else " – ").join(names)


def _result(shot: Shot) -> str:
    """The path that was asked for, and how far apart two nodes can be."""
    data, path = shot.given.data, shot.model.path
    source, target = data.node_name(shot.given.source), data.node_name(shot.given.target)
    steps = counted(len(path) - 1, "edge")
    weighted = bool(data.weighted) and shot.given.method != "breadth first"
    long = f" and the length {number(_length(shot))}" if weighted else ""
    words = f"The shortest path from {source} to {target} has {steps}{long}: {path_in_words(data, path)}."
    if not len(path):
        words = f"There is no path from {source} to {target}."
    if len(path) == 1:
        words = f"The path from {source} to itself has no edges and the length 0."
    return f"{words} {_diameter(shot)}".strip()


def _length(shot: Shot) -> float:
    distances = shot.model.distances
    return float((distances if distances.ndim == 1 else distances[shot.given.source])[shot.given.target])


def _diameter(shot: Shot) -> str:
    if shot.shown.longest is None:
        return ""
    length, one, two = shot.shown.longest
    if length == 0.0 and not shot.shown.connected:
        return "No node can reach another one."
    apart = listed(shot.given.data.node_name(node) for node in (one, two))
    if one == two:
        return f"The diameter is {number(length)}."
    if shot.shown.connected:
        return f"The diameter is {number(length)}, between {apart}."
    return f"Not all nodes can reach each other; of those that can, {apart} are farthest apart, by {number(length)}."


CAPTIONS = {"start": _start, "take": _take, "relax": _relax, "stop": _stop, "result": _result}


def warning(shot: Shot) -> str:
    """Where weights have no part."""
    ignored = shot.given.method == "breadth first" and shot.given.data.weighted
    return "Breadth first counts edges: the weights of this graph are not looked at." if ignored else ""


def explain_wave(data: Graph, distances: Array, before: Array, taken: Array, source: int, node: int) -> Explanation:
    """How a node is reached from where the search began."""
    answer: Explanation = {"node": data.node_name(node), "from": data.node_name(source)}
    if not np.isfinite(distances[node]):
        return answer | {"distance": "not reached"}
    path = follow(before, node)
    final = np.flatnonzero(taken == node)
    answer |= {"distance": float(distances[node]), "edges on the path": len(path) - 1}
    answer["final"] = f"yes, taken as number {int(final[0]) + 1}" if len(final) else "not yet"
    if len(path) > 1:
        answer["path"] = path_in_words(data, path)
    return answer


def explain_table(data: Graph, distances: Array, before: Array, ends: tuple[int, int], node: int) -> Explanation:
    """Where a node stands among all others."""
    row = distances[node]
    reached = np.isfinite(row)
    far = int(np.where(reached, row, -np.inf).argmax())
    answer: Explanation = {
        "node": data.node_name(node),
        "reaches": counted(int(reached.sum()) - 1, "other node"),
        "farthest": f"{data.node_name(far)}, {number(float(row[far]))} away",
    }
    length = float(distances[ends[0], node])
    answer[f"distance from {data.node_name(ends[0])}"] = length if np.isfinite(length) else "no path yet"
    if np.isfinite(length) and node != ends[0]:
        answer["path"] = path_in_words(data, follow(before[ends[0]], node))
    return answer


def explain_edge(data: Graph, before: Array, path: Array, source: int, edge: int) -> Explanation:
    """Whether an edge is part of a shortest path from the source."""
    one, two = (int(node) for node in data.edges[edge])
    on_path = {(int(a), int(b)) for a, b in itertools.pairwise(path)}
    answer: Explanation = {"edge": f"{data.node_name(one)} {'→' if data.directed else '–'} {data.node_name(two)}"}
    if data.weighted:
        answer["weight"] = float(data.lengths[edge])
    both = [(one, two)] if data.directed else [(one, two), (two, one)]
    answer["on the path"] = "yes" if on_path & set(both) else "no"
    used = next(((a, b) for a, b in both if before[b] == a), None)
    if used is not None:
        answer["leads to"] = f"{data.node_name(used[1])}, by the best path from {data.node_name(source)} so far"
    return answer


FORMULAS = (
    r"\text{Dijkstra:}\quad d(v) \leftarrow \min\left( d(v),\ d(u) + w(u, v) \right) \quad \text{for every edge "
    "from the nearest node } u",
    r"\text{Floyd and Warshall:}\quad d(i, j) \leftarrow \min\left( d(i, j),\ d(i, k) + d(k, j) \right)",
)


def _detours(played: Played) -> int:
    """How many nodes of a grid are reached by more edges than rows and columns lie in between."""
    places, distances = played.data.positions, played.model.distances
    pitch = np.diff(np.unique(places[:, 0])).min()
    straight = np.abs(places - places[0]).sum(axis=1) / pitch
    return int((np.isfinite(distances) & (distances > straight + 0.5)).sum())


def _longest(played: Played) -> float:
    return float(played.last.shown.longest[0])


def _filled(played: Played) -> float:
    """The fraction of pairs with a path."""
    return float(np.isfinite(played.model.distances).mean())


TRIES = (
    Try(
        "A wave in a grid with walls: to many nodes the way around them is longer than across the open grid.",
        "grid(rows=8,columns=12,walls=0.25,seed=3)",
        {"method": "breadth first"},
        shows=lambda played: _detours(played) > 10,
    ),
    Try(
        "A ring with a few shortcuts: its diameter is about half that of the ring without them.",
        "small_world(n=60,rewiring=0.2,seed=1)",
        {"method": "Dijkstra"},
        shows=lambda played: _longest(played) < 0.6 * _longest(played.but("small_world(n=60,rewiring=0,seed=1)")),
    ),
    Try(
        "All pairs at once: the table fills as one node after the other is allowed as a stop.",
        "florentine()",
        {"method": "Floyd-Warshall"},
        shows=lambda played: np.isfinite(played.frames[1].model.distances).mean() < 0.5 < _filled(played),
    ),
)
