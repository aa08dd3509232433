"""A table of distances measured between points, by a metric of one's choice."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np

from algorithms.data import Array, DataError, Distances, Points
from algorithms.data.distances import MAX_ROWS
from algorithms.maths.distances import refuse_overflow
from algorithms.maths.graphs import components, dijkstra_rows, neighbour_graph

Metric = Literal[
    "euclidean", "standardised", "manhattan", "maximum", "cosine", "correlation", "hamming", "along the graph"
]
METRICS: tuple[Metric, ...] = get_args(Metric)
_SCIPY = {"manhattan": "cityblock", "maximum": "chebyshev"}


def distances_between(points: Points, metric: Metric = "euclidean", neighbours: int = 7) -> Distances:
    """How far apart every two points are.

    Parameters
    ----------
    points : Points
        At most 4,000.
    metric : Metric
        ``standardised`` is Euclidean with every feature divided by its standard deviation; ``along the graph`` is the
        length of the shortest path from neighbour to neighbour, as Isomap measures it.
    neighbours : int
        How many nearest points each is joined to for distances along the graph.

    Raises
    ------
    DataError
        When there are too many points, or when the metric has no answer for some of them.
    """
    if points.n > MAX_ROWS:
        raise DataError(f"A table of distances has at most {MAX_ROWS:,} rows; there are {points.n:,} points.")
    refuse_overflow(points.X)
    table = _along_graph(points.X, neighbours) if metric == "along the graph" else _table(points.X, metric)
    if not np.isfinite(table).all():
        row = int(np.argwhere(~np.isfinite(table))[0][0])
        raise DataError(f"The {metric} distance of point {row + 1} is not defined: its features are all equal.")
    return Distances(table, _names(points), points.name)


def _table(X: Array, metric: Metric) -> Array:
    from scipy.spatial.distance import pdist, squareform

    if metric == "standardised":
        spread = X.std(axis=0)
        X = X / np.where(spread > 0.0, spread, 1.0)
    name: Any = _SCIPY.get(metric, "euclidean" if metric == "standardised" else metric)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(squareform(np.maximum(pdist(X, name), 0.0)))  # rounding makes some a little negative


def _along_graph(X: Array, neighbours: int) -> Array:
    if len(X) < 2:
        return np.zeros((len(X), len(X)))
    graph, _ = neighbour_graph(X, min(neighbours, len(X) - 1))
    count, _ = components(graph)
    if count > 1:
        raise DataError(f"The graph of {neighbours} neighbours is in {count} pieces with no path between them.")
    table = dijkstra_rows(graph.matrix(), np.arange(len(X)))
    return np.asarray(np.minimum(table, table.T))


def _names(points: Points) -> tuple[str, ...]:
    """The points are called after their classes, as far as they have any."""
    if points.y is None or not points.classes:
        return ()
    seen = [0] * len(points.classes)
    names = []
    for group in points.y.tolist():
        seen[group] += 1
        names.append(f"{points.classes[group]} {seen[group]}")
    return tuple(names)
