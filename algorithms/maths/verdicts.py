"""Whether a map shows what is claimed of it: its groups, its tears, and how well a linear function fits; for tries."""

from __future__ import annotations

import numpy as np

from algorithms.data import Array
from algorithms.maths.design import least_squares
from algorithms.maths.graphs import ball_graph, components
from algorithms.maths.nearest_points import nearest_others
from algorithms.played import Played

REACH = 2.0
"""Points nearer than this belong together, in median distances to the fifth neighbour."""
FEW = 5
"""A group has at least so many points."""
FAR = 0.2
"""A neighbour that is farther away than this fraction of the map has been torn off."""


def groups(places: Array) -> Array:
    """The sizes of the groups of points (n, m) that chains of near points connect, the largest first."""
    radius = REACH * float(np.median(nearest_others(places, FEW).distances[:, -1]))
    sizes = np.bincount(components(ball_graph(places, radius))[1])
    return sizes[sizes >= FEW]


def more_and_smaller(places: Array, others: Array) -> bool:
    """Whether a map has more groups than another one, and a smaller largest group."""
    one, two = groups(places), groups(others)
    return bool(len(one) > len(two) and one[0] < two[0])


def torn(X: Array, places: Array) -> float:
    """The fraction of points of which one of the ten nearest in the data lies far away in a map."""
    away = np.linalg.norm(places[nearest_others(X, 10).points] - places[:, None], axis=2)
    return float((away.max(axis=1) > FAR * np.ptp(places, axis=0).max()).mean())


def agreeing(played: Played) -> float:
    """The fraction of points whose nearest neighbour in the map is of their class."""
    near = nearest_others(played.model.embedding, 1).points[:, 0]
    return float((played.data.y[near] == played.data.y).mean())


def fitted_by(columns: Array, values: Array) -> float:
    """R²: the fraction of the variance of values (n,) that a linear function of columns (n, k) fits, from 0 to 1."""
    table = np.column_stack([np.ones(len(values)), columns])
    left = values - table @ least_squares(table, values)
    return 1.0 - float(left.var() / values.var())


def bent(places: Array) -> float:
    """How far the second coordinate is a parabola over the first, from 0 to 1."""
    return fitted_by(np.column_stack([places[:, 0], places[:, 0] ** 2]), places[:, 1])
