"""Generators of sets of small graphs with classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import numpy as np

from algorithms.data import Array, Graph, GraphSet
from algorithms.maths.layouts import circle_layout, placed
from algorithms.params import Between, Doc, Log
from mlviz.data.generators.declare import even_labels, generator


@generator("Families of graphs", group="graph sets", kind="graph_set", quick=18)
def graph_families(
    rng: np.random.Generator,
    n: Annotated[int, Between(1, 300), Log, Doc("How many graphs, the families as equal as they can be.")] = 18,
    families: Annotated[int, Between(1, 4), Doc("How many of the families: rings, trees, random graphs, stars.")] = 3,
    smallest: Annotated[int, Between(3, 30), Doc("How many nodes a graph has at least.")] = 6,
    largest: Annotated[int, Between(3, 30), Doc("How many nodes a graph has at most.")] = 9,
    extra: Annotated[float, Between(0, 1), Doc("The probability that two nodes get an edge that does not belong.")] = 0,
) -> GraphSet:
    """Small graphs of several families: rings, trees, random graphs and stars, which differ in their structure only."""
    family = rng.permutation(even_labels(n, families))
    sizes = rng.integers(min(smallest, largest), max(smallest, largest) + 1, n)
    graphs = [_graph(rng, kind, size, extra) for kind, size in zip(family.tolist(), sizes.tolist())]
    levels, numbers = np.unique(family, return_inverse=True)
    return GraphSet(tuple(graphs), numbers, tuple(_FAMILIES[level][0] for level in levels.tolist()))


@generator("Friends and strangers", group="graph sets", kind="graph_set", quick=20)
def friend_graphs(
    rng: np.random.Generator,
    n: Annotated[int, Between(1, 300), Log, Doc("How many graphs, half of them of friends.")] = 20,
    smallest: Annotated[int, Between(3, 30), Doc("How many nodes a graph has at least.")] = 7,
    largest: Annotated[int, Between(3, 30), Doc("How many nodes a graph has at most.")] = 9,
    degree: Annotated[float, Between(2, 8), Doc("How many edges a node has on average, at least those of a tree.")] = 3,
    closure: Annotated[
        float, Between(0, 1), Doc("The probability that an edge cares whether its ends have a friend in common.")
    ] = 0.9,
) -> GraphSet:
    """Graphs with equally many edges: friends meet through friends in common, strangers where they have none."""
    kinds = rng.permutation(even_labels(n, 2))
    sizes = rng.integers(min(smallest, largest), max(smallest, largest) + 1, n)
    graphs = [_met(rng, size, degree, closure, kind == 0) for kind, size in zip(kinds.tolist(), sizes.tolist())]
    return GraphSet(tuple(graphs), kinds, ("friends", "strangers"))


def _met(rng: np.random.Generator, n: int, degree: float, closure: float, friends: bool) -> Graph:
    """A tree, so that nobody is alone, and more edges, of which a fraction makes triangles or avoids it."""
    joined, _ = _tree(rng, n)
    joined |= joined.T
    for _ in range(min(round(degree * n / 2), n * (n - 1) // 2) - (n - 1)):
        free = np.triu(~joined, 1)
        wanted = free & ((joined @ joined) == friends)
        pairs = np.argwhere(wanted if rng.random() < closure and wanted.any() else free)
        one, two = pairs[rng.integers(len(pairs))]
        joined[one, two] = joined[two, one] = True
    return placed(Graph(n, np.argwhere(np.triu(joined))))


def _graph(rng: np.random.Generator, family: int, n: int, extra: float) -> Graph:
    """One graph of a family, with some edges more."""
    joined, on_circle = _FAMILIES[family][1](rng, n)
    joined = joined | (rng.random((n, n)) < extra)
    edges = np.argwhere(np.triu(joined | joined.T, 1))
    return placed(Graph(n, edges, positions=circle_layout(n) if on_circle else None))


def _ring(_: np.random.Generator, n: int) -> tuple[Array, bool]:
    return np.roll(np.eye(n, dtype=bool), 1, axis=1), True


def _tree(rng: np.random.Generator, n: int) -> tuple[Array, bool]:
    """Each node hangs on a random one before it."""
    joined = np.zeros((n, n), dtype=bool)
    joined[[int(rng.integers(node)) for node in range(1, n)], np.arange(1, n)] = True
    return joined, False


def _random(rng: np.random.Generator, n: int) -> tuple[Array, bool]:
    return rng.random((n, n)) < 0.25, False


def _star(_: np.random.Generator, n: int) -> tuple[Array, bool]:
    joined = np.zeros((n, n), dtype=bool)
    joined[0, 1:] = True
    return joined, False


_FAMILIES: tuple[tuple[str, Callable[[np.random.Generator, int], tuple[Array, bool]]], ...] = (
    ("ring", _ring),
    ("tree", _tree),
    ("random", _random),
    ("star", _star),
)
