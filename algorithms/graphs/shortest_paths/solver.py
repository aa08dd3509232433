"""The mathematics of shortest paths: a wave from one node, or all pairs at once. No marks, no captions."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from algorithms.data import Array, DataError, Graph
from algorithms.interrupt import checkpoint
from algorithms.maths.adjacency import Adjacency

NONE: Array = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Wave:
    """How far a search from one node has come."""

    distances: Array  # (n,) the shortest found so far; infinite where nothing is found
    before: Array  # (n,) the node before each on its path, -1 for none
    via: Array  # (n,) the edge that leads there, -1 for none
    taken: Array  # (t,) the nodes whose distance is final, in the order in which they were taken
    waiting: Array  # (q,) the queue, its head first
    phase: Literal["start", "take", "relax"] = "start"
    looked_at: Array = field(default_factory=NONE.copy)  # (k,) the edges from the node that was taken last
    lowered: Array = field(default_factory=NONE.copy)  # (l,) nodes that they brought nearer
    old: Array = field(default_factory=NONE.copy)  # (l,) how far those were before
    total: int = 0  # how often a distance has been lowered

    @property
    def node(self) -> int:
        """The node that was taken last; -1 for none."""
        return int(self.taken[-1]) if len(self.taken) else -1

    def path_to(self, node: int) -> Array:
        """The nodes on the shortest path found so far; empty where there is none."""
        return follow(self.before, node) if np.isfinite(self.distances[node]) else NONE


def follow(before: Array, node: int) -> Array:
    """The path to a node, backwards along the nodes before."""
    path = [node]
    while before[path[-1]] >= 0:
        path.append(int(before[path[-1]]))
    return np.array(path[::-1], dtype=np.int64)


def waves(adjacency: Adjacency, source: int, oldest_first: bool, every: int = 1, both: bool = True) -> Iterator[Wave]:
    """Breadth-first search (``oldest_first``) or Dijkstra's algorithm, from the beginning to the end.

    Parameters
    ----------
    adjacency : Adjacency
        Where steps lead and how long they are; for Dijkstra's algorithm never negative, for breadth first all 1.
    source : int
        Where the wave begins.
    oldest_first : bool
        The queue gives the node that has waited longest; otherwise the one that is nearest.
    every : int
        A wave is given after so many nodes.
    both : bool
        A wave also when a node has been taken, before its neighbours are looked at.
    """
    n = adjacency.n
    distances, before, via = np.full(n, np.inf), np.full(n, -1), np.full(n, -1)
    distances[source] = 0.0
    queue = _Queue(oldest_first)
    queue.put(source, 0.0)
    taken: list[int] = []
    total = 0

    def wave(
        phase: Literal["start", "take", "relax"],
        looked_at: Array = NONE,
        lowered: Array = NONE,
        old: Array = NONE,
    ) -> Wave:
        order = np.array(taken, dtype=np.int64)
        found = distances.copy(), before.copy(), via.copy()
        return Wave(*found, order, queue.nodes(), phase, looked_at, lowered, old, total)

    yield wave("start")
    while queue:
        node = queue.take()
        taken.append(node)
        if both and len(taken) % every == 0:
            yield wave("take")
        steps = adjacency.steps(node)
        reached = distances[node] + adjacency.lengths[steps]
        heads, edges = adjacency.heads[steps], adjacency.edges[steps]
        nearer = reached < distances[heads]
        lowered, old = heads[nearer], distances[heads[nearer]]
        distances[lowered], before[lowered], via[lowered] = reached[nearer], node, edges[nearer]
        for head, distance in zip(lowered.tolist(), reached[nearer].tolist()):
            queue.put(head, distance)
        total += len(lowered)
        if len(taken) % every == 0 or not queue:
            checkpoint()
            yield wave("relax", edges, lowered, old)


class _Queue:
    """The nodes that wait: first in, first out, or the nearest first (an entry that has got nearer counts once)."""

    def __init__(self, oldest_first: bool) -> None:
        self._line: deque[int] = deque()
        self._heap: list[tuple[float, int]] = []
        self._best: dict[int, float] = {}
        self._oldest_first = oldest_first

    def __bool__(self) -> bool:
        return bool(self._line or self._best)

    def put(self, node: int, distance: float) -> None:
        if self._oldest_first:
            self._line.append(node)
        else:
            self._best[node] = distance
            heapq.heappush(self._heap, (distance, node))

    def take(self) -> int:
        if self._oldest_first:
            return self._line.popleft()
        while True:
            distance, node = heapq.heappop(self._heap)
            if self._best.get(node) == distance:  # otherwise a longer way, put there before a shorter one was found
                del self._best[node]
                return node

    def nodes(self) -> Array:
        """Everybody, the head of the queue first."""
        waiting = self._line if self._oldest_first else sorted(self._best, key=lambda node: (self._best[node], node))
        return np.array(list(waiting), dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Distances between all pairs along paths that pass only through the first ``stops`` nodes."""

    distances: Array  # (n, n), infinite where there is no such path
    before: Array  # (n, n) the node before j on the path from i to j, -1 for none
    stops: int
    lowered: int = 0  # pairs that the last stops have brought nearer
    total: int = 0

    def path(self, one: int, two: int) -> Array:
        """The nodes on the shortest path found so far; empty where there is none."""
        return follow(self.before[one], two) if np.isfinite(self.distances[one, two]) else NONE


def first_table(adjacency: Adjacency) -> Table:
    """No stops: only edges."""
    n = adjacency.n
    distances, before = np.full((n, n), np.inf), np.full((n, n), -1)
    tails = adjacency.tails
    distances[tails, adjacency.heads] = adjacency.lengths
    before[tails, adjacency.heads] = tails
    np.fill_diagonal(distances, 0.0)
    return Table(distances, before, 0)


def floyd_warshall(adjacency: Adjacency, every: int = 1) -> Iterator[Table]:
    """d_ij <- min(d_ij, d_ik + d_kj) for one k after the other; a table after so many of them."""
    table = first_table(adjacency)
    yield table
    distances, before, lowered, total = table.distances.copy(), table.before.copy(), 0, 0
    for k in range(adjacency.n):
        checkpoint()
        through = distances[:, k, None] + distances[k]
        nearer = through < distances
        np.fill_diagonal(nearer, False)  # there is no negative cycle, only sums that are not quite zero
        distances = np.where(nearer, through, distances)
        before = np.where(nearer, before[k], before)
        lowered += int(nearer.sum())
        if (k + 1) % every == 0 or k + 1 == adjacency.n:
            total += lowered
            yield Table(distances, before, k + 1, lowered, total)
            lowered = 0


def refuse_negative(graph: Graph, method: str) -> None:
    """Weights below zero: Dijkstra takes none; all pairs are found unless a cycle is shorter than nothing."""
    if method == "breadth first" or not (graph.lengths < 0).any():
        return
    edge = int(graph.lengths.argmin())
    one, two = (graph.node_name(int(node)) for node in graph.edges[edge])
    if method == "Dijkstra":
        raise DataError(
            f"Dijkstra's algorithm needs weights that are not negative; the edge between {one} and {two} has "
            f"{graph.lengths[edge]:.4g}. Floyd-Warshall takes such weights in a directed graph."
        )
    if not graph.directed:
        raise DataError(
            f"The edge between {one} and {two} has the weight {graph.lengths[edge]:.4g} and can be walked to and fro: "
            "every path gets shorter for ever, so there is no shortest one."
        )
    cycle = negative_cycle(graph)
    if len(cycle):
        names = " → ".join(graph.node_name(int(node)) for node in cycle[:8]) + (" ..." if len(cycle) > 8 else "")
        raise DataError(
            f"The cycle {names} is shorter than nothing: every round makes a path shorter, so there is no shortest one."
        )


def negative_cycle(graph: Graph) -> Array:
    """The nodes of a cycle of negative length, or none (Bellman and Ford: after n rounds nothing may fall any more)."""
    tails, heads, lengths, _ = graph.arcs()
    distances, before = np.zeros(graph.n), np.full(graph.n, -1)
    slack = 1e-12 * float(np.abs(lengths).max(initial=0.0))
    fallen = -1
    for _ in range(graph.n + 1):
        checkpoint()
        reached = distances[tails] + lengths
        best = distances.copy()
        np.minimum.at(best, heads, reached)
        falls = best < distances - slack
        if not falls.any():
            return NONE
        wins = falls[heads] & (reached == best[heads])
        before[heads[wins]] = tails[wins]
        distances = np.where(falls, best, distances)
        fallen = int(np.flatnonzero(falls)[0])
    for _ in range(graph.n):
        fallen = int(before[fallen])  # surely on the cycle after so many steps back
    cycle = [fallen]
    while not cycle[1:] or cycle[-1] != fallen:
        cycle.append(int(before[cycle[-1]]))
    return np.array(cycle[::-1], dtype=np.int64)
