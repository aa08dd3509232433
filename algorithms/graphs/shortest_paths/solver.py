"""The mathematics of shortest paths: a wave from one node, or all pairs at once. No marks, no captions."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from operator import itemgetter
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
    queue: Array | None  # (q,) those that wait, the oldest first; none where the nearest is the first
    waits: int  # q
    phase: Literal["start", "take", "relax"] = "start"
    total: int = 0  # how often a distance has been lowered
    looked_at: Array = field(default_factory=NONE.copy)  # (k,) the edges from the node that was taken last
    lowered: Array = field(default_factory=NONE.copy)  # (l,) nodes that they brought nearer
    old: Array = field(default_factory=NONE.copy)  # (l,) how far those were before

    @property
    def node(self) -> int:
        """The node that was taken last; -1 for none."""
        return int(self.taken[-1]) if len(self.taken) else -1

    @property
    def waiting(self) -> Array:
        """The queue, its head first, (q,)."""
        if self.queue is not None:
            return self.queue
        reached = np.isfinite(self.distances)
        reached[self.taken] = False
        nodes = reached.nonzero()[0]
        return nodes[np.argsort(self.distances[nodes], kind="stable")]

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
    search = _Search(adjacency, source, oldest_first)
    yield search.wave("start")
    while len(search.taken) < len(search.line):
        node = search.take()
        if both and len(search.taken) % every == 0:
            yield search.wave("take")
        latest = search.spread(node, 1 if both else every)
        if len(search.taken) % every == 0 or len(search.taken) == len(search.line):
            checkpoint()
            yield search.wave("relax", *latest)


def followed(before: Wave | None, adjacency: Adjacency, distances: Array, node: int | None) -> Wave:
    """The next wave of a search that somebody else makes, who gives the distances and the node that was taken.

    The edge that has brought a node nearer is the one along which its distance fits best.
    """
    n, reached = adjacency.n, np.isfinite(distances)
    if before is None:
        begun = np.where(distances == 0.0, 0.0, np.inf)
        before = Wave(begun, np.full(n, -1), np.full(n, -1), NONE, None, 0)
    taken = before.taken if node is None else np.append(before.taken, node)
    lowered = np.flatnonzero(distances < before.distances)
    best, via = before.before.copy(), before.via.copy()
    tails = adjacency.tails
    for head in lowered:
        steps = np.flatnonzero((adjacency.heads == head) & reached[tails])
        if len(steps):
            step = steps[np.abs(distances[tails[steps]] + adjacency.lengths[steps] - distances[head]).argmin()]
            best[head], via[head] = tails[step], adjacency.edges[step]
    looked_at = NONE if node is None else adjacency.edges[adjacency.steps(node)]
    waits = int(reached.sum()) - int(reached[taken].sum())
    phase: Literal["start", "relax"] = "start" if node is None else "relax"
    found = (distances, best, via, taken, None, waits)
    return Wave(*found, phase, before.total + len(lowered), looked_at, lowered, before.distances[lowered])


class _Search:
    """A search from one node while it goes on; :meth:`wave` gives out copies."""

    def __init__(self, adjacency: Adjacency, source: int, oldest_first: bool) -> None:
        n = adjacency.n
        self._steps = adjacency.as_lists()  # one number at a time lists are faster than arrays
        self._distances, self._before, self._via = [math.inf] * n, [-1] * n, [-1] * n
        self._distances[source] = 0.0
        self._oldest_first = oldest_first
        self._shown = np.full(n, np.inf), np.full(n, -1), np.full(n, -1)  # what these were in the last wave, and
        self._lowered, self._old = [source], [math.inf]  # which were lowered since, and how far they were before
        self._shown_taken, self._count_shown = np.empty(n, dtype=np.int64), 0
        self._heap = [(0.0, source)]  # those that wait, by distance; also by longer ways than were found later
        self._total = -1  # the source does not count
        self.line = [source]  # everybody in the order of being reached
        self.taken: list[int] = []

    def take(self) -> int:
        """The node that has waited longest, or the one that is nearest."""
        if self._oldest_first:
            node = self.line[len(self.taken)]
        else:
            distance, node = heappop(self._heap)
            while distance > self._distances[node]:
                distance, node = heappop(self._heap)
        self.taken.append(node)
        return node

    def spread(self, node: int, count: int) -> tuple[list[int], list[int], list[float]]:
        """Pass the wave on from a node that was taken, and from as many more as make ``count`` of them.

        Gives the edges that the last one has looked at, the nodes that they brought nearer, and how far those were.
        """
        starts, heads, lengths, edges = self._steps
        distances, before, via, lowered, old = self._distances, self._before, self._via, self._lowered, self._old
        line, heap, by_distance, infinite = self.line, self._heap, not self._oldest_first, math.inf
        while True:
            here, first, last, earlier = distances[node], starts[node], starts[node + 1], len(lowered)
            for head, length, edge in zip(heads[first:last], lengths[first:last], edges[first:last]):
                reached, was = here + length, distances[head]
                if reached < was:
                    lowered.append(head)
                    old.append(was)
                    if was == infinite:
                        line.append(head)
                    distances[head], before[head], via[head] = reached, node, edge
                    if by_distance:
                        heappush(heap, (reached, head))
            count -= 1
            if not count or len(self.taken) == len(line):
                return edges[first:last], lowered[earlier:], old[earlier:]
            node = self.take()

    def wave(self, phase: Literal["start", "take", "relax"], *latest: list[int] | list[float]) -> Wave:
        """How far it has come."""
        if self._lowered:
            nodes, pick = np.array(self._lowered), itemgetter(*self._lowered)
            self._shown[0][nodes] = pick(self._distances)
            self._shown[1][nodes] = pick(self._before)
            self._shown[2][nodes] = pick(self._via)
            self._total += len(nodes)
            self._lowered.clear()
            self._old.clear()
        count = len(self.taken)
        self._shown_taken[self._count_shown : count] = self.taken[self._count_shown :]
        self._count_shown = count
        queue = np.array(self.line[count:], dtype=np.int64) if self._oldest_first else None
        distances, before, via = self._shown
        found = distances.copy(), before.copy(), via.copy(), self._shown_taken[:count].copy()
        arrays = (np.array(part, dtype=kind) for part, kind in zip(latest, (np.int64, np.int64, np.float64)))
        return Wave(*found, queue, len(self.line) - count, phase, self._total, *arrays)


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
    """Weights below zero: Dijkstra takes none; all pairs are found unless a cycle has negative total weight."""
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
            f"The cycle {names} has negative total weight: every round makes a path shorter, so that none is the "
            "shortest."
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
