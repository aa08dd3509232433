"""Graphs: nodes with names, groups and places; edges with weights, directed or not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from algorithms.data.kind import (
    Array,
    Data,
    DataError,
    Item,
    array_in,
    label,
    labels,
    levels_of,
    locked,
    names_of,
    numbers,
    text_in,
    texts_in,
    whole_numbers,
)
from algorithms.maths.words import counted
from algorithms.records import dataclass

MAX_NODES = 20_000
MAX_EDGES = 500_000


@dataclass(frozen=True, slots=True, eq=False)
class Graph(Data):
    """Nodes 0 .. n-1 and edges between them.

    Parameters
    ----------
    nodes : int
        How many nodes there are.
    edges : array-like of shape (m, 2)
        The two ends of every edge; the first is where a directed one begins. No edge stands twice.
    weights : array-like of shape (m,), optional
        A finite weight of every edge; without it all are 1.
    directed : bool
        Whether an edge leads only from its first end to its second.
    names, positions, groups : optional
        A name, a place (n, 2) and a class label for each node. With ``classes``, groups hold class numbers.
    """

    kind: ClassVar[str] = "graph"
    item_name: ClassVar[str] = "node"
    invitation: ClassVar[str] = "Draw nodes and join them"

    nodes: int
    edges: Array  # (m, 2) int64
    weights: Array | None = None  # (m,) float64, never None afterwards
    directed: bool = False
    names: tuple[str, ...] = ()
    positions: Array | None = None  # (n, 2) float64 or None
    groups: Array | None = None  # (n,) int64 or None
    classes: tuple[str, ...] = ()
    name: str = "graph"
    weighted: bool | None = None
    """Whether the weights mean something; without being told, whether they are not all 1."""

    def __post_init__(self) -> None:
        n = _node_count(self.nodes)
        edges = whole_numbers(self.edges, "ends of the edges", (-1, 2), 0, max(n, 1))
        if len(edges) > MAX_EDGES:
            raise DataError(f"The graph has {len(edges):,} edges; at most {MAX_EDGES:,} can be used.")
        if n == 0 and len(edges):
            raise DataError("A graph without nodes has no edges.")
        _refuse_repeated(edges, n, bool(self.directed))
        plain = self.weights is None
        weights = locked(np.ones(len(edges))) if plain else numbers(self.weights, "weights", 1)  # type: ignore[arg-type]
        if len(weights) != len(edges):
            raise DataError(f"There are {counted(len(edges), 'edge')} but {len(weights)} weights.")
        groups, classes = _node_groups(self.groups, labels(self.classes), n)
        weighted = bool((weights != 1.0).any()) if self.weighted is None else bool(self.weighted)
        values = {
            "nodes": n,
            "edges": edges,
            "weights": weights,
            "directed": bool(self.directed),
            "names": names_of(self.names, n, "node"),
            "positions": _places(self.positions, n),
            "groups": groups,
            "classes": classes,
            "name": label(self.name),
            "weighted": weighted,
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __reduce__(self) -> tuple[Any, ...]:
        # NumPy forgets the lock of an array in a pickle; building the graph anew locks it again.
        own = (self.nodes, self.edges, self.weights, self.directed, self.names, self.positions, self.groups)
        return Graph, (*own, self.classes, self.name, self.weighted)

    @classmethod
    def blank(cls, target: str = "none") -> Graph:
        """No nodes yet."""
        return cls(0, np.empty((0, 2), dtype=np.int64), name="blank graph")

    @property
    def n(self) -> int:
        """How many nodes there are."""
        return self.nodes

    @property
    def m(self) -> int:
        """How many edges there are."""
        return len(self.edges)

    @property
    def lengths(self) -> Array:
        """The weights of the edges (m,), never None."""
        assert self.weights is not None
        return self.weights

    def node_name(self, node: int) -> str:
        """The name of a node, or its number counted from 1."""
        return self.names[node] if self.names else str(node + 1)

    def adjacency(self) -> Array:
        """The table of weights (n, n): row i, column j is the edge from i to j; symmetric when undirected."""
        table = np.zeros((self.n, self.n))
        table[self.edges[:, 0], self.edges[:, 1]] = self.lengths
        if not self.directed:
            table[self.edges[:, 1], self.edges[:, 0]] = self.lengths
        return table

    def arcs(self) -> tuple[Array, Array, Array, Array]:
        """Every step one can take: tails, heads, weights and edge numbers, each (a,); undirected edges in both ways."""
        tails, heads = self.edges.T
        number = np.arange(self.m)
        if self.directed:
            return tails, heads, self.lengths, number
        back = tails != heads  # a loop is one step, not two
        return (
            np.concatenate([tails, heads[back]]),
            np.concatenate([heads, tails[back]]),
            np.concatenate([self.lengths, self.lengths[back]]),
            np.concatenate([number, number[back]]),
        )

    def degrees(self) -> Array:
        """How many edges end at each node (n,); a loop counts twice."""
        return np.bincount(self.edges.ravel(), minlength=self.n)

    def edge_text(self, edge: int) -> str:
        """One edge in words."""
        first, second = (self.node_name(int(node)) for node in self.edges[edge])
        return f"edge {first} {'→' if self.directed else '–'} {second}, weight {self.lengths[edge]:.4g}"

    def item_text(self, number: int) -> str:
        """A node with its group and degree."""
        text = f"node {self.node_name(number)}"
        if self.groups is not None:
            text += f"   group: {self.classes[int(self.groups[number])]}"
        return text + f"   degree {int((self.edges == number).sum())}"

    def item(self, number: int, what: str = "") -> Item:
        """A node (or, with ``what="edge"``, an edge); ``x`` is the place of a node."""
        at = np.empty(0) if self.positions is None or what == "edge" else self.positions[number]
        return Item(number, at, what)

    def columns(self) -> dict[str, list[Any]]:
        """The nodes with name, group, place and degree."""
        columns: dict[str, list[Any]] = {"node": [self.node_name(k) for k in range(self.n)]}
        if self.groups is not None:
            columns["group"] = [self.classes[k] for k in self.groups.tolist()]
        if self.positions is not None:
            columns |= {"x": self.positions[:, 0].tolist(), "y": self.positions[:, 1].tolist()}
        return columns | {"degree": self.degrees().tolist()}

    def about(self) -> dict[str, Any]:
        """How many nodes and edges, and of what sort."""
        return {
            "kind": self.kind,
            "nodes": self.n,
            "edges": self.m,
            "directed": self.directed,
            "weighted": bool(self.weighted),
            "classes": list(self.classes),
        }

    def counted(self) -> str:
        """Nodes and edges, in words."""
        return f"{counted(self.n, 'node')}, {counted(self.m, 'edge')}"

    def arrays(self) -> dict[str, Array]:
        """Edges, weights and, where given, positions and groups."""
        found = {"edges": self.edges, "weights": self.lengths}
        if self.positions is not None:
            found["positions"] = self.positions
        if self.groups is not None:
            found["groups"] = self.groups
        return found

    def facts(self) -> dict[str, Any]:
        """The number of nodes, the names, and whether it is directed and weighted."""
        return {
            "name": self.name,
            "nodes": self.nodes,
            "directed": self.directed,
            "weighted": bool(self.weighted),
            "names": list(self.names),
            "classes": list(self.classes),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], facts: Mapping[str, Any]) -> Graph:
        """The graph of a file."""
        nodes = facts.get("nodes")
        if type(nodes) is not int:
            raise DataError("The number of nodes is missing.")
        return cls(
            nodes,
            array_in(arrays, "edges"),
            array_in(arrays, "weights"),
            facts.get("directed") is True,
            texts_in(facts, "names"),
            arrays.get("positions"),
            arrays.get("groups"),
            texts_in(facts, "classes"),
            text_in(facts, "name", "graph"),
            facts.get("weighted") is True,
        )


def graph_of(table: ArrayLike, **names: Any) -> Graph:
    """The graph whose table of weights (n, n) this is; 0 means no edge. Directed unless it is symmetric."""
    square = numbers(table, "weights", 2)
    if square.shape[0] != square.shape[1]:
        raise DataError(f"A table of weights must be square; got {square.shape[0]} x {square.shape[1]}.")
    directed = not np.array_equal(square, square.T)
    found = np.argwhere(square if directed else np.triu(square))
    return Graph(len(square), found, square[found[:, 0], found[:, 1]], directed, **names)


def _node_count(nodes: Any) -> int:
    if isinstance(nodes, bool) or not isinstance(nodes, int | np.integer) or nodes < 0:
        raise DataError("The number of nodes must be a whole number that is not negative.")
    if nodes > MAX_NODES:
        raise DataError(f"The graph has {int(nodes):,} nodes; at most {MAX_NODES:,} can be used.")
    return int(nodes)


def _refuse_repeated(edges: Array, n: int, directed: bool) -> None:
    ends = edges if directed else np.sort(edges, axis=1)
    codes = ends[:, 0] * n + ends[:, 1]
    distinct, first, times = np.unique(codes, return_index=True, return_counts=True)
    if len(distinct) < len(codes):
        one, two = edges[first[int(times.argmax())]] + 1
        raise DataError(f"The edge between node {one} and node {two} is there more than once; add up its weights.")


def _places(positions: ArrayLike | None, n: int) -> Array | None:
    if positions is None:
        return None
    at = numbers(positions, "positions", 2)
    if at.shape != (n, 2):
        raise DataError(f"The positions have the shape {at.shape}; {counted(n, 'node')} need ({n}, 2).")
    return at


def _node_groups(groups: Any, classes: tuple[str, ...], n: int) -> tuple[Array | None, tuple[str, ...]]:
    if groups is None:
        return None, ()
    if classes:
        return whole_numbers(groups, "groups of the nodes", (n,), 0, len(classes)), classes
    classes, codes = levels_of(groups, n, "node")
    return locked(codes), classes
