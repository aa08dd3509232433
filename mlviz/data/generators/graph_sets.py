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
