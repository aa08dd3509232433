"""Generators of graphs, each with places for its nodes. Reference: Newman, Networks, 2nd ed. 2018."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from algorithms.data import Array, Graph
from algorithms.params import Between, Doc
from mlviz.data.generators.declare import generator

Nodes = Annotated[int, Between(1, 2000), Doc("How many nodes.")]


@generator("Ring", group="graphs", kind="graph")
def ring(
    rng: np.random.Generator,
    n: Nodes = 20,
    reach: Annotated[int, Between(1, 20), Doc("How many neighbours on either side a node is joined to.")] = 1,
) -> Graph:
    """Nodes on a circle, each joined to its neighbours: the graph that looks the same from every node."""
    return Graph(n, _ring_edges(n, reach), positions=_circle(n))


def _circle(n: int) -> Array:
    angle = np.pi / 2 - 2 * np.pi * np.arange(n) / n
    return np.column_stack([np.cos(angle), np.sin(angle)])


def _ring_edges(n: int, reach: int) -> Array:
    """Every node with the next ``reach`` nodes, no pair twice."""
    start = np.repeat(np.arange(n), reach)
    end = (start + np.tile(np.arange(1, reach + 1), n)) % n
    pairs = np.sort(np.column_stack([start, end]), axis=1)
    return np.unique(pairs[pairs[:, 0] != pairs[:, 1]], axis=0)
