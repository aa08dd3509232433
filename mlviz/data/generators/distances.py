"""Tables of distances that are measured between points."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from algorithms.data import DataError, Distances, Points
from algorithms.params import Between, Doc, When
from mlviz.data.generators.declare import generator
from mlviz.data.measuring import Metric, distances_between


@generator("Distances between points", group="distances", kind="distances")
def distance_table(
    rng: np.random.Generator,
    data: Annotated[
        str, Doc("The points between which it is measured: a built-in set, or a generator with its values in brackets.")
    ] = "blobs(n=30,seed=1)",
    metric: Annotated[Metric, Doc("How distances are measured.")] = "euclidean",
    neighbours: Annotated[
        int,
        Between(1, 100),
        When("metric", "along the graph"),
        Doc("To how many of its nearest points each point is joined."),
    ] = 7,
) -> Distances:
    """How far apart points are, by any metric: what remains of them when their places are forgotten."""
    from mlviz.data.spec import parse_spec

    recipe = parse_spec(data)
    if recipe.name == distance_table.__name__:
        raise DataError("Distances are measured between points, not between distances.")
    points = recipe.make()
    if not isinstance(points, Points):
        raise DataError(f"Distances are measured between points; {recipe.name} gives data of the kind {points.kind!r}.")
    return distances_between(points, metric, neighbours)
