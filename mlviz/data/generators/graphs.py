"""Generators of graphs, each with places for its nodes.

Reference: Newman, Networks, 2nd ed. 2018; Erdős and Rényi 1959; Watts and Strogatz 1998; Barabási and Albert 1999;
Holland, Laskey and Leinhardt 1983 (block models).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

import numpy as np

from algorithms.data import Array, Graph
from algorithms.maths.layouts import circle_layout, spring_layout
from algorithms.params import Between, Doc, Log
from mlviz.data.generators.declare import even_labels, generator

MAX_NODES = 1000
FEW = 200
"""Nodes that springs lay out in a moment."""

Nodes = Annotated[int, Between(1, MAX_NODES), Log, Doc("How many nodes.")]
Weights = Annotated[
    Literal["all 1", "random", "lengths"],
    Doc("What an edge weighs: 1, a random whole number from 1 to 9, or its length in the picture."),
]
Probability = Between(0, 1)


@generator("Random graph", group="graphs", kind="graph", quick=FEW)
def random_graph(
    rng: np.random.Generator,
    n: Nodes = 30,
    p: Annotated[float, Probability, Doc("The probability that two nodes are joined.")] = 0.12,
    directed: Annotated[bool, Doc("Whether edges have a direction; there and back are two edges then.")] = False,
    weights: Weights = "all 1",
) -> Graph:
    """Every pair of nodes is joined with the same probability, G(n, p): no structure but chance."""
    joined = rng.random((n, n)) < p
    np.fill_diagonal(joined, False)
    return _laid_out(rng, Graph(n, np.argwhere(joined if directed else np.triu(joined)), directed=directed), weights)


@generator("Small world", group="graphs", kind="graph", quick=FEW)
def small_world(
    rng: np.random.Generator,
    n: Nodes = 24,
    reach: Annotated[int, Between(1, 20), Doc("How many neighbours on either side a node is joined to at first.")] = 2,
    rewiring: Annotated[float, Probability, Doc("The probability that an edge is led to a random node instead.")] = 0.1,
    weights: Weights = "all 1",
) -> Graph:
    """A ring of neighbours with a few shortcuts across it, which bring everybody near everybody (Watts-Strogatz)."""
    neighbours = [set[int]() for _ in range(n)]
    for one, two in _ring_edges(n, reach).tolist():
        neighbours[one].add(two)
        neighbours[two].add(one)
    for one, two in _ring_edges(n, reach).tolist():
        if rng.random() < rewiring and len(neighbours[one]) < n - 1:
            free = np.setdiff1d(np.arange(n), [*neighbours[one], one])
            other = int(rng.choice(free))
            neighbours[one].remove(two)
            neighbours[two].remove(one)
            neighbours[one].add(other)
            neighbours[other].add(one)
    edges = [(one, two) for one in range(n) for two in sorted(neighbours[one]) if one < two]
    return _weighted(rng, Graph(n, np.array(edges).reshape(-1, 2), positions=circle_layout(n)), weights)


@generator("Scale-free graph", group="graphs", kind="graph", quick=FEW)
def scale_free(
    rng: np.random.Generator,
    n: Nodes = 60,
    links: Annotated[int, Between(1, 20), Doc("To how many earlier nodes each new one is joined.")] = 2,
    weights: Weights = "all 1",
) -> Graph:
    """New nodes prefer those that have many edges already, so a few hubs arise (Barabási-Albert)."""
    first = min(links, n - 1)
    edges = [(node, first) for node in range(first)]  # a star, so that everybody has an edge to be chosen by
    ends = [end for edge in edges for end in edge]
    for node in range(first + 1, n):
        chosen: set[int] = set()
        while len(chosen) < first:
            chosen.add(ends[int(rng.integers(len(ends)))])  # a node stands in the list once for each of its edges
        for other in sorted(chosen):
            edges.append((other, node))
            ends += [other, node]
    return _laid_out(rng, Graph(n, np.array(edges).reshape(-1, 2)), weights)


@generator("Block model", group="graphs", kind="graph", quick=FEW)
def block_model(
    rng: np.random.Generator,
    n: Nodes = 45,
    blocks: Annotated[int, Between(1, 8), Doc("How many groups there are, as equal as they can be.")] = 3,
    inside: Annotated[float, Probability, Doc("The probability of an edge within a group.")] = 0.35,
    between: Annotated[float, Probability, Doc("The probability of an edge from one group to another.")] = 0.02,
    weights: Weights = "all 1",
) -> Graph:
    """Groups that are joined densely within and sparsely between: what methods for communities should find."""
    group = even_labels(n, blocks)
    joined = np.triu(rng.random((n, n)) < np.where(group[:, None] == group, inside, between), 1)
    classes = tuple(f"group {number + 1}" for number in range(int(group.max()) + 1))
    return _laid_out(rng, Graph(n, np.argwhere(joined), groups=group, classes=classes), weights)


@generator("Grid", group="graphs", kind="graph")
def grid(
    rng: np.random.Generator,
    rows: Annotated[int, Between(1, 40), Doc("How many rows of nodes.")] = 6,
    columns: Annotated[int, Between(1, 40), Doc("How many nodes in a row.")] = 9,
    diagonals: Annotated[bool, Doc("Whether diagonal neighbours are joined, too.")] = False,
    walls: Annotated[float, Between(0, 0.9), Doc("The fraction of the edges that is left out at random.")] = 0.0,
    weights: Weights = "all 1",
) -> Graph:
    """Crossings of streets in rows and columns: the graph on which a wave front looks like one."""
    number = np.arange(rows * columns).reshape(rows, columns)
    pairs = [(number[:, :-1], number[:, 1:]), (number[:-1], number[1:])]
    if diagonals:
        pairs += [(number[:-1, :-1], number[1:, 1:]), (number[:-1, 1:], number[1:, :-1])]
    edges = np.concatenate([np.column_stack([one.ravel(), two.ravel()]) for one, two in pairs])
    kept = rng.random(len(edges)) >= walls
    row, column = np.divmod(np.arange(rows * columns), columns)
    at = np.column_stack([column - (columns - 1) / 2, (rows - 1) / 2 - row])
    return _weighted(rng, Graph(rows * columns, edges[kept], positions=at), weights)


@generator("Ring", group="graphs", kind="graph")
def ring(
    rng: np.random.Generator,
    n: Nodes = 20,
    reach: Annotated[int, Between(1, 20), Doc("How many neighbours on either side a node is joined to.")] = 1,
    weights: Weights = "all 1",
) -> Graph:
    """Nodes on a circle, each joined to its neighbours: the graph that looks the same from every node."""
    return _weighted(rng, Graph(n, _ring_edges(n, reach), positions=circle_layout(n)), weights)


@generator("Barbell", group="graphs", kind="graph")
def barbell(
    rng: np.random.Generator,
    size: Annotated[int, Between(3, 60), Doc("How many nodes each of the two ends has, all joined to each other.")] = 6,
    bridge: Annotated[int, Between(0, 40), Doc("How many nodes lie on the path between the ends.")] = 2,
    weights: Weights = "all 1",
) -> Graph:
    """Two complete graphs and a thin path between them: everything that goes across must use it."""
    n = 2 * size + bridge
    pairs = np.argwhere(np.triu(np.ones((size, size), dtype=bool), 1))
    middle = np.arange(size - 1, size + bridge + 1)
    edges = np.concatenate([pairs, np.column_stack([middle[:-1], middle[1:]]), pairs + size + bridge])
    group = np.where(np.arange(n) < size, 0, np.where(np.arange(n) < size + bridge, 1, 2))
    radius = max(size / 8, 0.8)
    at = np.zeros((n, 2))
    at[:size] = _towards(circle_layout(size)) * radius - (radius + (bridge + 1) / 2, 0)
    at[size : size + bridge, 0] = np.arange(bridge) - (bridge - 1) / 2
    at[size + bridge :] = -at[:size][::-1]  # the same seen from behind, so that the bridge ends at the nearest node
    classes = ("left", "bridge", "right") if bridge else ("left", "right")
    found = group if bridge else np.minimum(group, 1)
    return _weighted(rng, Graph(n, edges, positions=at, groups=found, classes=classes), weights)


def _towards(circle: Array) -> Array:
    """A circle turned so that its last node is the one on the right."""
    turn = -np.arctan2(circle[-1, 1], circle[-1, 0])
    return np.asarray(circle @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]]))


def _ring_edges(n: int, reach: int) -> Array:
    """Every node with the next ``reach`` nodes, no pair twice."""
    start = np.repeat(np.arange(n), reach)
    end = (start + np.tile(np.arange(1, reach + 1), n)) % n
    pairs = np.sort(np.column_stack([start, end]), axis=1)
    return np.unique(pairs[pairs[:, 0] != pairs[:, 1]], axis=0)


def _laid_out(rng: np.random.Generator, graph: Graph, weights: str) -> Graph:
    return _weighted(rng, replace(graph, positions=spring_layout(graph)), weights)


def _weighted(rng: np.random.Generator, graph: Graph, weights: str) -> Graph:
    """The graph with the weights that were asked for; its nodes have places."""
    if weights == "random":
        return replace(graph, weights=rng.integers(1, 10, graph.m).astype(float), weighted=True)
    if weights == "lengths":
        assert graph.positions is not None
        ends = graph.positions[graph.edges]
        return replace(graph, weights=np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1).round(2), weighted=True)
    return graph
