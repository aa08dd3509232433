"""Captions and explanations of shortest paths."""

from __future__ import annotations

import itertools

import numpy as np

from algorithms.contract import Explanation
from algorithms.data import Array, Graph
from algorithms.graphs.shortest_paths.solver import Table, Wave, follow
from algorithms.maths.words import counted, number

MOST_NAMES = 4
"""More nodes than this are counted, not named."""
MOST_ON_A_PATH = 8


def opening(data: Graph, source: int, method: str) -> str:
    """Before the first step."""
    name = data.node_name(source)
    if method == "Floyd-Warshall":
        return (
            f"A table of all pairs: so far only the {counted(data.m, 'edge')} themselves lead from one node to another."
        )
    return f"Nothing is known yet: {name} is 0 away from itself and waits in the queue, all others are infinitely far."


def wave_words(data: Graph, wave: Wave, method: str) -> str:
    """What one step of a search has done."""
    name, away = data.node_name(wave.node), number(float(wave.distances[wave.node]))
    if wave.phase == "take":
        if method == "breadth first":
            return f"Take {name}, which has waited longest: it is {away} steps away, and no shorter path will be found."
        others = [data.node_name(int(node)) for node in wave.waiting[:1]]
        left = f"none of the {wave.waits} nodes that wait is nearer" if wave.waits > 1 else ""
        left = left or (f"{others[0]}, which waits, is not nearer" if others else "nobody else waits")
        return f"Take {name}, which is {away} away: {left}, so this distance is final."
    if not len(wave.looked_at):
        return f"No edge leads on from {name}."
    kept = len(wave.looked_at) - len(wave.lowered)
    rest = f"{counted(kept, 'neighbour')} {'is' if kept == 1 else 'are'} no nearer through it" if kept else ""
    if not len(wave.lowered):
        return f"From {name}: {rest}."
    parts = [_lowered(data, wave), rest]
    return f"From {name}, which is {away} away: {'; '.join(part for part in parts if part)}."


def _lowered(data: Graph, wave: Wave) -> str:
    if len(wave.lowered) > MOST_NAMES:
        return f"{counted(len(wave.lowered), 'node')} got nearer"
    texts = []
    for node, old in zip(wave.lowered.tolist(), wave.old.tolist()):
        was = f" instead of {number(old)}" if np.isfinite(old) else ""
        texts.append(f"{data.node_name(node)} is now {number(float(wave.distances[node]))} away{was}")
    return ", ".join(texts)


def table_words(data: Graph, table: Table, every: int) -> str:
    """What some more stops have done."""
    names = [data.node_name(node) for node in range(max(table.stops - every, 0), table.stops)]
    allowed = names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}"
    changed = f"{counted(table.lowered, 'pair')} got nearer" if table.lowered else "no pair got nearer"
    missing = int((~np.isfinite(table.distances)).sum())
    left = f"; {counted(missing, 'pair')} have no path yet" if missing else ""
    return f"Paths may now pass through {allowed}: {changed}{left}."


def path_in_words(data: Graph, path: Array) -> str:
    """The names along a path; a long one is cut in the middle."""
    names = [data.node_name(int(node)) for node in path]
    if len(names) > MOST_ON_A_PATH:
        names = [*names[:4], "...", *names[-3:]]
    return (" → " if data.directed else " – ").join(names)


def closing(data: Graph, path: Array, length: float, ends: tuple[int, int], weighted: bool) -> str:
    """The path that was asked for."""
    source, target = (data.node_name(node) for node in ends)
    if not len(path):
        return f"There is no path from {source} to {target}."
    if len(path) == 1:
        return f"The path from {source} to itself has no edges and the length 0."
    steps = counted(len(path) - 1, "edge")
    long = f" and the length {number(length)}" if weighted else ""
    return f"The shortest path from {source} to {target} has {steps}{long}: {path_in_words(data, path)}."


def diameter(data: Graph, longest: tuple[float, int, int], connected: bool) -> str:
    """How far apart two nodes can be."""
    length, one, two = longest
    apart = f"{data.node_name(one)} and {data.node_name(two)}"
    if connected:
        return f"The diameter is {number(length)}, between {apart}."
    return f"Not all nodes can reach each other; of those that can, {apart} are farthest apart, by {number(length)}."


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
