"""The graph of neighbours on which maps of curved surfaces are made, as it grows edge by edge.

Each point is joined to its k nearest ones, or to all within a radius. With too few edges the graph falls into pieces,
and only the largest can be mapped; with too many they jump from sheet to sheet.

Handbook section 3.1.2; Methods for Data Science section 12.5.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from algorithms.data import Array, DataError, Points, distinct_rows
from algorithms.maths.distances import refuse_overflow
from algorithms.maths.graphs import NeighbourGraph, ball_graph, components, neighbour_graph
from algorithms.maths.words import counted, number
from algorithms.params import Between, Doc, Log, Unit, When

GROWTH = 12
"""At most this many frames show the edges growing."""
SPARSE = 6
"""Neighbours in the sparse graph that edges are compared with when shortcuts are sought."""
NEAREST = "k nearest neighbours"

GraphRule = Annotated[
    Literal["k nearest neighbours", "epsilon ball"],
    Doc("Who is joined: each to its k nearest, or all within epsilon."),
]
Neighbours = Annotated[
    int,
    Between(1, 100),
    When("graph", "k nearest neighbours"),
    Doc("To how many of its nearest points each point is joined; too many make shortcuts, too few leave pieces."),
]
Epsilon = Annotated[
    float,
    Between(0.01, 1.0),
    Log,
    Unit("of the diagonal"),
    When("graph", "epsilon ball"),
    Doc("The radius within which points are joined, as a fraction of the diagonal of the box around all points."),
]
Dimensions = Annotated[int, Between(1, 3), Doc("How many coordinates the map has.")]


@dataclass(frozen=True, slots=True, eq=False)
class Neighbourhood:
    """A neighbourhood graph with the steps in which it grows and the words for each step."""

    graph: NeighbourGraph
    counts: tuple[int, ...]  # how many edges there are after each step
    words: tuple[str, ...]  # "its 3 nearest neighbours", "all points within 0.25"
    sparse: NeighbourGraph  # of the few nearest neighbours, as far as the graph itself has these edges


def prepared(data: Points, title: str, most: int, does: str = "keeps the table of all pairs") -> tuple[Array, float]:
    """The points centred and of size one, so that squares neither overflow nor vanish, and the unit they now have.

    Data that cannot be used are refused; ``does`` says why there may be no more than so many points.
    """
    refuse_overflow(data.X)
    if data.n > most:
        raise DataError(f"{title} {does}; {data.n:,} points are too many. Use at most {most:,}.")
    if distinct_rows(data.X) < 2:
        raise DataError(f"{title}: at least two different points are needed; here all are equal.")
    X = data.X - data.X.mean(axis=0)
    unit = float(np.abs(X).max())
    return X / unit, unit


def joined(X: Array, unit: float, rule: str, neighbours: int, epsilon: float) -> Neighbourhood:
    """The graph by one of the two rules; ``unit`` is the length of 1 in the data."""
    return by_neighbours(X, neighbours) if rule == NEAREST else by_radius(X, epsilon * diagonal(X), unit)


def diagonal(X: Array) -> float:
    """The length of the diagonal of the box around all points."""
    return float(np.linalg.norm(np.ptp(X, axis=0)))


def by_neighbours(X: Array, k: int) -> Neighbourhood:
    """Join every point to its ``k`` nearest ones, the nearest first; there cannot be more than n - 1."""
    k = min(k, len(X) - 1)
    graph, ranks = neighbour_graph(X, k)
    steps = _steps(k)
    counts = tuple(int(np.searchsorted(ranks, step, side="right")) for step in steps)
    words = tuple("its nearest neighbour" if step == 1 else f"its {step} nearest neighbours" for step in steps)
    few = SPARSE if k > SPARSE else 0  # an even sparser graph is too full of holes to compare with
    return Neighbourhood(graph, counts, words, graph.first(int(np.searchsorted(ranks, few, side="right"))))


def by_radius(X: Array, radius: float, unit: float) -> Neighbourhood:
    """Join all points at most ``radius`` apart, the shortest edges first; ``unit`` is the length of 1 in the data."""
    graph = ball_graph(X, radius)
    if not len(graph):
        raise DataError(
            f"No two points are within epsilon = {number(radius * unit)} of each other, so there is no edge; raise "
            "epsilon."
        )
    steps = radius * np.arange(1, GROWTH + 1) / GROWTH
    counts = tuple(int(np.searchsorted(graph.lengths, step, side="right")) for step in steps)
    words = tuple(f"all points within {number(step * unit)}" for step in steps)
    near, _ = neighbour_graph(X, min(SPARSE, len(X) - 1))
    inside = near.lengths <= radius
    return Neighbourhood(graph, counts, words, NeighbourGraph(near.n, near.edges[inside], near.lengths[inside]))


def _steps(k: int) -> list[int]:
    """1 .. k, or so many of them that the growth is not too long; always the last."""
    return sorted({int(step) for step in np.rint(np.linspace(1, k, min(k, GROWTH)))})


def largest_component(graph: NeighbourGraph) -> tuple[int, Array, Array]:
    """How many pieces the graph has, the piece of every point (n,), and the points of the largest one."""
    count, labels = components(graph)
    return count, labels, np.flatnonzero(labels == 0)


# --- in words ---------------------------------------------------------------------------------------------------------


def growth_words(rule: str, count: int, pieces: int) -> str:
    """The caption of a frame in which edges grow."""
    connected = "connected" if pieces == 1 else f"in {pieces:,} pieces"
    return f"Each point is joined to {rule}: {counted(count, 'edge')}; the graph is {connected}."


def pieces_warning(rule: str, pieces: int, members: int, n: int) -> str:
    """What a graph in pieces means for the map; nothing where it is in one."""
    if pieces == 1:
        return ""
    return (
        f"The graph is in {pieces:,} pieces with no path between them; only the largest, {members:,} of "
        f"{counted(n, 'point')}, is mapped. Raise {'neighbours' if rule == NEAREST else 'epsilon'} to join them."
    )
