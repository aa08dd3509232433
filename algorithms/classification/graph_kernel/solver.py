"""The mathematics of graph kernels: triples and walks, counted in all graphs at once.

The graphs lie side by side as one large graph, with the owner of every node. Only which nodes are joined counts:
directions, weights and loops do not.

Triples need not be looked at one by one. With m edges, degrees d and t triangles in a graph of n nodes,

    triangles t,    paths Σ C(d_i, 2) - 3t,    one edge m (n - 2) - 2 paths - 3t,    no edge the rest of C(n, 3).

A walk in the direct product of two graphs is a walk of the same length in each of them, so the number of walks of
length l in the product is w_l(G) w_l(H), with w_l(G) = 1ᵀ A^l 1, and no product has to be written down:

    k(G, H) = Σ_l λ^l 1ᵀ A×^l 1 = 1ᵀ (I - λ A×)⁻¹ 1 = Σ_l φ_l(G) φ_l(H),      φ_l(G) = λ^(l/2) w_l(G)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from algorithms.data import Array, DataError, Graph
from algorithms.interrupt import checkpoint
from algorithms.maths.words import number

Kind = Literal["subgraph size 3", "random walk"]
KINDS_OF_TRIPLES = ("no edge", "one edge", "path", "triangle")
MOST_EDGES = 300_000
ENUMERATED = 60
"""The triples of a graph with so many nodes can be shown one by one, or some at a time."""
ONE_BY_ONE = 84
"""Frames in which the triples of a graph are counted: the triples of nine nodes one by one, of more some at a time."""
PICTURED_NODES, PICTURED_EDGES = 300, 3_000
"""Larger graphs have no picture of their own: finding places for their nodes would take too long."""
EXACT = 1e-12
"""What is left out of the sum over walks, as a fraction of it."""
NEAREST = 0.999
"""How near λ may come to where the sum over walks has no limit, as a fraction."""
_WORK = 4_000_000  # paths of two edges that are looked at between two checkpoints
_DENSE = 300  # nodes up to which all eigenvalues are found at once


@dataclass(frozen=True, eq=False)
class Union:
    """Graphs side by side: every node has a number of its own, and its graph is its ``owner``."""

    sizes: Array  # (n,) nodes of each graph
    owner: Array  # (N,) which graph a node belongs to
    edges: Array  # (M, 2) without loops, each once, the smaller number first

    @classmethod
    def of(cls, graphs: Sequence[Graph]) -> Union:
        """The union of these graphs, without directions, weights and loops."""
        sizes = np.array([graph.n for graph in graphs], dtype=np.int64)
        first = np.cumsum(sizes) - sizes
        parts = [graph.edges + start for graph, start in zip(graphs, first.tolist(), strict=True)]
        edges = np.sort(np.concatenate([np.empty((0, 2), dtype=np.int64), *parts]), axis=1)
        total = max(int(sizes.sum()), 1)
        codes = np.unique((edges[:, 0] * total + edges[:, 1])[edges[:, 0] != edges[:, 1]])
        return cls(sizes, np.repeat(np.arange(len(graphs)), sizes), np.column_stack(np.divmod(codes, total)))

    @property
    def n(self) -> int:
        """How many graphs there are."""
        return len(self.sizes)

    def per_graph(self, values: Array) -> Array:
        """Numbers of the nodes, (N,), added up graph by graph, (n,)."""
        return np.bincount(self.owner, values, minlength=self.n)

    @cached_property
    def adjacency(self) -> Any:
        """The symmetric sparse table A, (N, N)."""
        from scipy.sparse import csr_array

        ends = np.concatenate([self.edges, self.edges[:, ::-1]])
        shape = (len(self.owner), len(self.owner))
        return csr_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=shape)

    def degrees(self) -> Array:
        """The neighbours of every node, (N,)."""
        return np.bincount(self.edges.ravel(), minlength=len(self.owner))

    def edge_counts(self) -> Array:
        """The edges of every graph, (n,)."""
        return np.bincount(self.owner[self.edges[:, 0]], minlength=self.n)


def refuse_too_much(graphs: Sequence[Graph]) -> None:
    """A sentence where counting would take minutes."""
    edges = sum(graph.m for graph in graphs)
    if edges > MOST_EDGES:
        raise DataError(f"The graphs have {edges:,} edges together; counting is possible in {MOST_EDGES:,}.")


def is_pictured(graph: Graph) -> bool:
    """Whether a graph is small enough to be drawn for itself."""
    return graph.n <= PICTURED_NODES and graph.m <= PICTURED_EDGES


def ignored(graphs: Sequence[Graph]) -> tuple[str, ...]:
    """What some of the edges have that does not count."""
    there = {
        "directions": any(graph.directed for graph in graphs),
        "weights": any(graph.weighted for graph in graphs),
        "loops": any((graph.edges[:, 0] == graph.edges[:, 1]).any() for graph in graphs),
    }
    return tuple(word for word, found in there.items() if found)


# --- triples ----------------------------------------------------------------------------------------------------------


def triple_counts(graphs: Sequence[Graph]) -> Array:
    """How many triples of nodes have no edge, one, two (a path) and three (a triangle), (n, 4)."""
    union = Union.of(graphs)
    n, m, degrees = union.sizes, union.edge_counts(), union.degrees()
    triangles = _triangles(union)
    paths = np.rint(union.per_graph(degrees * (degrees - 1) / 2)).astype(np.int64) - 3 * triangles
    single = m * (n - 2) - 2 * paths - 3 * triangles
    none = n * (n - 1) * (n - 2) // 6 - triangles - paths - single
    return np.column_stack([none, single, paths, triangles])


def _triangles(union: Union) -> Array:
    """The triangles of every graph, (n,): every edge leads to the end with more edges, so none is found twice."""
    from scipy.sparse import csr_array

    degrees = union.degrees()
    upwards = degrees[union.edges[:, 0]] <= degrees[union.edges[:, 1]]  # of equal ends the smaller number is first
    tails, heads = np.where(upwards[:, None], union.edges, union.edges[:, ::-1]).T
    size = len(union.owner)
    table = csr_array((np.ones(len(tails)), (tails, heads)), shape=(size, size))
    work = np.cumsum(table @ np.diff(table.indptr).astype(float)) if size else np.empty(0)
    found, start = np.zeros(size), 0
    while start < size:
        checkpoint()
        done = work[start - 1] if start else 0.0
        end = max(int(np.searchsorted(work, done + _WORK, side="right")), start + 1)
        rows = table[start:end]
        found[start:end] = (rows @ table).multiply(rows).sum(axis=1)
        start = end
    return np.rint(union.per_graph(found)).astype(np.int64)


def fractions(counts: Array) -> Array:
    """φ: the counts as fractions of all triples, (n, 4); zeros where there are fewer than three nodes."""
    total = counts.sum(axis=1, keepdims=True)
    return counts / np.maximum(total, 1)


def triples_of(graph: Graph) -> tuple[Array, Array]:
    """All triples of a small graph in their order, (t, 3), and how many edges each has, (t,)."""
    joined = joined_table(graph)
    one, two, three = np.indices((graph.n,) * 3).reshape(3, -1)
    rising = (one < two) & (two < three)
    one, two, three = one[rising], two[rising], three[rising]
    edges = joined[one, two].astype(np.int64) + joined[one, three] + joined[two, three]
    return np.column_stack([one, two, three]), edges


def joined_table(graph: Graph) -> Array:
    """Whether two different nodes are joined, (n, n) bool."""
    table = np.zeros((graph.n, graph.n), dtype=bool)
    table[graph.edges[:, 0], graph.edges[:, 1]] = True
    table |= table.T
    np.fill_diagonal(table, False)
    return table


# --- walks ------------------------------------------------------------------------------------------------------------


def largest_eigenvalues(graphs: Sequence[Graph]) -> Array:
    """ρ of the adjacency table of every graph, (n,); that of a product of two graphs is the product of theirs."""
    found = np.zeros(len(graphs))
    for k, graph in enumerate(graphs):
        checkpoint()
        if not graph.m:
            continue
        if graph.n <= _DENSE:
            found[k] = float(np.linalg.eigvalsh(joined_table(graph).astype(float))[-1])
        else:
            found[k] = _largest_of_many(Union.of([graph]))
    return np.maximum(found, 0.0)


def _largest_of_many(union: Union) -> float:
    from scipy.sparse.linalg import ArpackNoConvergence, eigsh

    if not len(union.edges):
        return 0.0
    try:
        values = eigsh(union.adjacency, k=1, which="LA", v0=np.ones(len(union.owner)), return_eigenvectors=False)
        return float(values[0])
    except ArpackNoConvergence:  # ρ is nowhere larger than this, and a smaller λ converges as well
        degrees = union.degrees()
        return float(np.sqrt((degrees[union.edges[:, 0]] * degrees[union.edges[:, 1]]).max()))


def lengths_needed(fraction: float) -> int:
    """So many lengths of walks leave out less than ``EXACT`` of the sum, where λ is this fraction of its bound."""
    return math.ceil(math.log(EXACT * (1.0 - fraction)) / math.log(fraction))


def walk_features(graphs: Sequence[Graph], attenuation: float, lengths: int) -> Array:
    """φ_l = λ^(l/2) w_l, (n, lengths): the walks of length 0, 1 ... of every graph, each step paid for."""
    union = Union.of(graphs)
    found = np.zeros((union.n, lengths))
    walks, step = np.ones(len(union.owner)), math.sqrt(attenuation)
    for length in range(lengths):
        checkpoint()
        found[:, length] = union.per_graph(walks)
        walks = step * (union.adjacency @ walks)
    return found


def walk_ends(graph: Graph, length: int) -> Array:
    """The fraction of all walks of this length that end at each node, (n,); zeros where there is no such walk."""
    joined = joined_table(graph).astype(float)
    ends = np.full(graph.n, 1.0 / max(graph.n, 1))
    for _ in range(length):
        ends = joined @ ends
        total = float(ends.sum())
        if total <= 0.0:
            break
        ends = ends / total
    return ends


def one_walk(graph: Graph, length: int, rng: np.random.Generator) -> Array:
    """The nodes of a random walk, (length + 1,) or fewer where it cannot go on; it begins where there is an edge."""
    joined = joined_table(graph)
    at = np.flatnonzero(joined.any(axis=1))
    if not graph.n:
        return np.empty(0, dtype=np.int64)
    nodes = [int(rng.choice(at)) if len(at) else int(rng.integers(graph.n))]
    while len(at) and len(nodes) <= length:
        nodes.append(int(rng.choice(np.flatnonzero(joined[nodes[-1]]))))
    return np.array(nodes, dtype=np.int64)


def refuse_divergence(new: float, known: float, attenuation: float) -> None:
    """A sentence where the sum over the walks of a new graph and a known one has no limit."""
    if attenuation * new * known >= NEAREST:
        raise DataError(
            f"The sum over walks has a limit only where λ = {number(attenuation)} is below 1 divided by the largest "
            f"eigenvalue of the product of the graphs, which is {number(new)} · {number(known)} for a new graph: "
            "there are too many walks in it. A smaller decay allows more."
        )
