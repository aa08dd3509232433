"""Who can be reached from whom in one step: the edges of a graph sorted by where they begin, and all shortest paths.

Reference: Cormen, Leiserson, Rivest, Stein, Introduction to Algorithms, chapter 22 (adjacency lists).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from algorithms.data import Array, Graph
from algorithms.maths.graphs import dijkstra_rows


@dataclass(frozen=True, slots=True, eq=False)
class Adjacency:
    """The steps from every node, one node after the other; loops lead nowhere and are left out."""

    starts: Array  # (n + 1,) where the steps from each node begin and, after them, those of the next
    heads: Array  # (a,) where each step leads
    lengths: Array  # (a,)
    edges: Array  # (a,) the edge that it uses

    @classmethod
    def of(cls, graph: Graph, weighted: bool = True) -> Adjacency:
        """The steps in a graph; without ``weighted`` all have the length 1."""
        tails, heads, lengths, edges = graph.arcs()
        leads = tails != heads
        tails, heads, lengths, edges = tails[leads], heads[leads], lengths[leads], edges[leads]
        codes = tails * graph.n + heads  # one number for both ends is sorted in a fifth of the time
        order = codes.argsort(kind="stable")
        starts = codes[order].searchsorted(np.arange(graph.n + 1) * graph.n)
        return cls(starts, heads[order], lengths[order] if weighted else np.ones(len(order)), edges[order])

    @property
    def n(self) -> int:
        """How many nodes there are."""
        return len(self.starts) - 1

    @property
    def tails(self) -> Array:
        """Where each step begins, (a,)."""
        return np.repeat(np.arange(self.n), np.diff(self.starts))

    def steps(self, node: int) -> slice:
        """Which steps begin at a node."""
        return slice(int(self.starts[node]), int(self.starts[node + 1]))

    def as_lists(self) -> tuple[list[int], list[int], list[float], list[int]]:
        """Starts, heads, lengths and edges as plain numbers."""
        return self.starts.tolist(), self.heads.tolist(), self.lengths.tolist(), self.edges.tolist()

    def matrix(self) -> Any:
        """The lengths as a sparse matrix (n, n): row i, column j is the step from i to j."""
        from scipy.sparse import csr_array

        return csr_array((self.lengths, self.heads, self.starts), shape=(self.n, self.n))

    def reversed(self) -> Adjacency:
        """The same steps walked backwards."""
        order = np.lexsort((self.tails, self.heads))
        starts = np.searchsorted(self.heads[order], np.arange(self.n + 1))
        return Adjacency(starts, self.tails[order], self.lengths[order], self.edges[order])

    def distances(self, sources: Array | None = None) -> Array:
        """The lengths of shortest paths (s, n), infinite where there is none; no length may be negative."""
        return dijkstra_rows(self.matrix(), np.arange(self.n) if sources is None else sources)


def longest_distance(distances: Array) -> tuple[float, int, int]:
    """The largest finite distance of a table (n, n), and the two nodes that are so far apart."""
    finite = np.where(np.isfinite(distances), distances, -np.inf)
    one, two = divmod(int(finite.argmax()), len(finite))
    return float(finite[one, two]), one, two
