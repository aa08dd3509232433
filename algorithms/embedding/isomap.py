"""Isomap: a flat map of a curved surface, from distances measured along it.

Straight lines leave a rolled-up sheet, but steps between near neighbours do not. So every point is joined to its
neighbours, shortest paths in that graph measure the distances along the sheet, and classical scaling finds the
coordinates whose straight distances come nearest to them:

    D_g(i, j) = length of the shortest path,   B = H (-1/2 D_g^2) H,   z_i = (sqrt(l_1) V_i1, ..., sqrt(l_m) V_im)

With a complete graph D_g = D, which is multidimensional scaling of the data themselves, and the map is that of
principal component analysis. Instead of the closed form the map can be let down the stress, sum (|z_i - z_j| - D_ij)^2,
or the squared stress, sum (|z_i - z_j|^2 - D_ij^2)^2, step by step from random places; the Shepard plot shows each
distance in the map over the one asked for. Too few edges leave the graph in
pieces or make detours; too many jump from sheet to sheet. Distances that no flat space has (shortcuts, a closed loop)
show as negative eigenvalues of B.

Handbook section 3.1.2, Alg. 4 (whose line 10 means V_i1, not V_1i); Methods for Data Science section 12.5.2 (with the
factor 1/2); Tenenbaum, de Silva, Langford 2000.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import numpy as np

from algorithms.contract import Algorithm, Explanation, Line, Metric, Panel, Run, Snapshot, Stop
from algorithms.data import Array, DataError, Item, Points, distinct_rows
from algorithms.embedding import _graph, _maps, _pictures, _stress
from algorithms.embedding._pictures import Model, Stage, frame
from algorithms.maths.distances import refuse_overflow, squared_distances
from algorithms.maths.graphs import (
    centred_products,
    coordinates,
    ends_of_spectrum,
)
from algorithms.maths.stress import Wanted, centred
from algorithms.params import Advanced, Between, Doc, Log, Unit, When

MOST_POINTS = 5000
"""The table of all distances of more points than this does not fit into the memory of a small computer."""
UNROLL = 16
"""Frames in which the map unrolls."""
LARGEST, SMALLEST = 10, 6
"""How many eigenvalues are found at the two ends of the spectrum."""
DOUBT = 0.1
"""A negative eigenvalue of this size beside the largest one says that no flat map is true."""
HARMLESS = 0.05
"""Below this size the distances are nearly those of a flat space, and edges that seemed to be shortcuts are none."""


DESCENTS = ("stress by majorisation", "stress by gradient descent", "squared stress by gradient descent")


@dataclass(frozen=True, slots=True)
class Params:
    """The knobs of Isomap."""

    graph: Annotated[
        Literal["k nearest neighbours", "epsilon ball", "complete graph"],
        Doc("Who is joined: each to its k nearest, all within epsilon, or all pairs (plain multidimensional scaling)."),
    ] = "k nearest neighbours"
    neighbours: Annotated[
        int,
        Between(1, 100),
        When("graph", "k nearest neighbours"),
        Doc("To how many of its nearest points each point is joined; too many make shortcuts, too few leave pieces."),
    ] = 7
    epsilon: Annotated[
        float,
        Between(0.01, 1.0),
        Log,
        Unit("of the diagonal"),
        When("graph", "epsilon ball"),
        Doc("The radius within which points are joined, as a share of the diagonal of the box around all points."),
    ] = 0.1
    dimensions: Annotated[int, Between(1, 3), Doc("How many coordinates the map has.")] = 2
    scaling: Annotated[
        Literal[
            "classical",
            "stress by majorisation",
            "stress by gradient descent",
            "squared stress by gradient descent",
        ],
        Doc("How distances become a map: by eigenvectors at once, or by going down the stress step by step."),
    ] = "classical"
    begin: Annotated[
        Literal["random places", "principal components", "classical scaling"],
        When("scaling", *DESCENTS),
        Doc("The map before the first step down the stress."),
    ] = "random places"
    step: Annotated[
        float,
        Between(0.05, 3.0),
        When("scaling", "stress by gradient descent", "squared stress by gradient descent"),
        Doc("Length of a step: 1 is that of majorisation, or the best one for the squared stress; above 2 it swings."),
    ] = 1.0
    max_steps: Annotated[int, Between(1, 5000), Log, When("scaling", *DESCENTS), Doc("Most steps down the stress.")] = (
        300
    )
    tol: Annotated[
        float,
        Between(1e-9, 1e-1),
        Log,
        Advanced,
        When("scaling", *DESCENTS),
        Doc("Stop when a step lowers the stress by less than this share."),
    ] = 1e-4
    paths: Annotated[
        Literal["Dijkstra", "Floyd-Warshall"],
        Doc("How shortest paths are found: from one point after the other, or by allowing one stop after the other."),
    ] = "Dijkstra"
    colour: Annotated[
        Literal["target", "distance along the graph"],
        Doc("What the colours show; without a target it is the distance along the graph in any case."),
    ] = "target"
    from_point: Annotated[
        int,
        Between(0, 100_000),
        Advanced,
        Doc("Where the path that is drawn begins: the number of a point, or 0 for an end that is far out."),
    ] = 0
    to_point: Annotated[
        int,
        Between(0, 100_000),
        Advanced,
        Doc("Where the path that is drawn ends: the number of a point, or 0 for the one farthest away."),
    ] = 0


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run:
    """Join neighbours, find all shortest paths, centre their squares, and turn eigenvectors into a map."""
    X, unit = _prepared(data)
    neighbourhood = _neighbours(X, unit, params)
    stage = _first_stage(data, params, neighbourhood, X, unit)
    yield frame(stage, "start", _maps.opening(data, params.dimensions))
    stage = yield from _connect(stage, neighbourhood, params)
    distances, stage = yield from _geodesics(stage, neighbourhood, X, params, unit)
    known = _maps.Known.of(distances)
    pca = stage.model.embedding
    stage = _worth(stage, known, unit)
    explained = 1.0 - stage.model.residual
    products = centred_products(distances)
    table = stage.table
    stage = _centred(stage, products, unit)
    yield frame(stage, "centre", _maps.CENTRED)
    values, vectors = ends_of_spectrum(products, LARGEST, SMALLEST)
    del products
    doubted = stage.suspects is not None
    stage = _with_spectrum(stage, values * unit**2, params)
    cleared = doubted and stage.suspects is None
    yield frame(stage, "eigen", _maps.spectrum_words(stage.model.eigenvalues, params.dimensions, cleared))
    places = _maps.oriented(coordinates(values, vectors, params.dimensions), pca)
    stage = replace(stage, table=table)
    if params.scaling != "classical":
        return (yield from _down_the_stress(stage, Wanted.of(distances), known, places, params, rng, unit))
    del distances
    stage = yield from _unroll(stage, known, places, unit)
    yield frame(_laid(stage), "result", _maps.closing(stage, 1.0 - stage.model.residual, explained))
    return Stop.COMPLETE


def _prepared(data: Points) -> tuple[Array, float]:
    """The points centred and of size one, so that squares neither overflow nor vanish, and the unit they now have."""
    refuse_overflow(data.X)
    if distinct_rows(data.X) < 2:
        raise DataError("Isomap needs at least two different points; here all are equal.")
    if data.n > MOST_POINTS:
        raise DataError(
            f"Isomap keeps the distances of all pairs; {data.n:,} points have too many. Use at most {MOST_POINTS:,}."
        )
    X = data.X - data.X.mean(axis=0)
    unit = float(np.abs(X).max())
    return X / unit, unit


def _neighbours(X: Array, unit: float, params: Params) -> _graph.Neighbourhood:
    for name in ("from_point", "to_point"):
        if getattr(params, name) > len(X):
            raise DataError(f"{name} is {getattr(params, name)}, but there are only {len(X)} points.")
    if params.graph == "epsilon ball":
        diagonal = float(np.linalg.norm(np.ptp(X, axis=0)))
        return _graph.by_radius(X, params.epsilon * diagonal, unit)
    if params.graph == "complete graph":
        return _graph.complete(X, _pictures.MOST_EDGES)
    return _graph.by_neighbours(X, params.neighbours)


def _first_stage(data: Points, params: Params, neighbourhood: _graph.Neighbourhood, X: Array, unit: float) -> Stage:
    """Before anything is joined: every point a piece of its own, the map that of principal component analysis."""
    n, graph, nothing = data.n, neighbourhood.graph, np.empty(0, dtype=np.int64)
    scores = _maps.principal_scores(X, 3)
    drawn = _graph.evenly(len(graph), _pictures.MOST_EDGES)
    at, axes = _maps.in_space(data, scores * unit)
    rows = _in_order(data, scores[:, 0], np.arange(n))[_graph.evenly(n, _pictures.TABLE)]
    table = np.sqrt(squared_distances(X[rows], X[rows])) * unit
    return Stage(
        data=data,
        at=at,
        axes=axes,
        by_distance=data.y is None or params.colour == "distance along the graph",
        model=Model(
            embedding=scores[:, : params.dimensions] * unit,
            members=np.arange(n),
            eigenvalues=np.empty(0),
            degrees=np.zeros(n, dtype=np.int64),
            pieces=np.arange(n),
            path=nothing,
            reach=np.empty(0),
            residual=1.0,
        ),
        graph=graph,
        drawn=drawn,
        drawn_ends=graph.edges[drawn],
        table=_pictures.table_of(table, rows),
        joined=neighbourhood.joined,
    )


def _in_order(data: Points, otherwise: Array, points: Array) -> Array:
    """The points in the order in which the table shows them: by target, then by something else that orders them."""
    key = otherwise if data.y is None else data.y
    return points[np.lexsort((otherwise[points], key[points]))]


def _connect(stage: Stage, neighbourhood: _graph.Neighbourhood, params: Params) -> Generator[Snapshot, None, Stage]:
    """The edges growing; at the end, what is wrong with the graph."""
    steps = list(zip(neighbourhood.counts, neighbourhood.words))
    for number, (count, words) in enumerate(steps, start=1):
        part = stage.graph.first(count)
        degrees = part.degrees()
        if neighbourhood.complete:
            pieces, labels, members = 1, np.zeros(stage.data.n, dtype=np.int64), np.arange(stage.data.n)
            degrees = np.full(stage.data.n, stage.data.n - 1)
        else:
            pieces, labels, members = _graph.largest_component(part)
        model = replace(stage.model, degrees=degrees, pieces=labels)
        stage = replace(stage, model=model, count=count, before=stage.count)
        if number == len(steps):
            suspects, factor = _graph.shortcuts(neighbourhood)
            warning = _maps.graph_warning(params.graph, pieces, len(members), stage.data.n, len(suspects), factor)
            stage = replace(stage, suspects=suspects if len(suspects) else None, warning=warning)
        yield frame(stage, "connect", _maps.growth_words(words, neighbourhood.joined or count, pieces))
    embedding = stage.model.embedding[members]
    return replace(stage, before=stage.count, model=replace(stage.model, members=members, embedding=embedding))


def _geodesics(
    stage: Stage, neighbourhood: _graph.Neighbourhood, X: Array, params: Params, unit: float
) -> Generator[Snapshot, None, tuple[Array, Stage]]:
    """All shortest paths among the members (m, m), a block at a time, and one of them to be seen."""
    stage, path = _with_path(stage, _graph.Ways(neighbourhood, X), params, unit)
    members = stage.model.members
    graph = stage.graph.among(members)
    order = np.searchsorted(members, _in_order(stage.data, stage.at[:, 0], members))
    rows = order[_graph.evenly(len(members), _pictures.TABLE)]
    m, distances = len(members), np.empty(0)
    progress = _graph.straight_rows(X, order) if neighbourhood.complete else _graph.ways(graph, order, params.paths)
    for known, distances, missing in progress:
        part = distances[np.ix_(rows, rows)] * unit
        if missing is None:
            unknown = ~np.isfinite(part)
        else:  # a way is as long as the way back
            part = np.where(missing[rows][:, None], part.T, part)
            unknown = missing[rows][:, None] & missing[rows]
        table = _pictures.table_of(part, members[rows], unknown)
        shown = _maps.part_of_path(path, stage.model.reach, known / m if missing is not None else float(known == m))
        stage = replace(stage, table=table, model=replace(stage.model, path=shown))
        words = _maps.STRAIGHT if neighbourhood.complete else _maps.path_words(stage, params.paths, known, m)
        yield frame(stage, "geodesics", words)
    return distances, stage


def _with_path(stage: Stage, ways: _graph.Ways, params: Params, unit: float) -> tuple[Stage, Array]:
    """Choose the path that is drawn: between the points asked for, or two that are far apart."""
    start, end = params.from_point - 1, params.to_point - 1
    if start < 0 and end < 0:
        start, end = ways.far_ends(stage.model.members)
    elif start < 0:
        start = ways.farthest(end)
    elif end < 0:
        end = ways.farthest(start)
    reach = ways.lengths(start)
    reach = np.where(np.isfinite(reach), reach * unit, -1.0)
    return replace(stage, ends=(start, end), model=replace(stage.model, reach=reach)), ways.path(start, end)


def _centred(stage: Stage, products: Array, unit: float) -> Stage:
    """The table now shows inner products."""
    rows = stage.table.points
    assert rows is not None
    inside = np.searchsorted(stage.model.members, rows)
    return replace(stage, table=_pictures.table_of(products[np.ix_(inside, inside)] * unit**2, rows, signed=True))


def _with_spectrum(stage: Stage, values: Array, params: Params) -> Stage:
    """The eigenvalues, and what they say about the doubts: confirmed, or dropped."""
    m = len(stage.model.members)
    negative = max(0.0, -float(values[-1])) / float(values[0]) if values[0] > 0.0 else 0.0
    warning, suspects = stage.warning, stage.suspects
    if negative < HARMLESS and suspects is not None:
        pieces = int(stage.model.pieces.max()) + 1
        warning, suspects = _maps.graph_warning(params.graph, pieces, m, stage.data.n, 0, 0.0), None
    if negative > DOUBT:
        warning = f"{warning} {_maps.negative_warning(negative)}".strip()
    bars = _pictures.bars_of(values, params.dimensions, m, min(LARGEST, m))
    model = replace(stage.model, eigenvalues=values)
    return replace(stage, model=model, negative=negative, spectrum=bars, warning=warning, suspects=suspects)


def _worth(stage: Stage, known: _maps.Known, unit: float) -> Stage:
    """What the map shown is worth beside the distances, now that they are known."""
    residual, *stresses = known.judged(stage.model.embedding / unit)
    pairs = stage.pairs or known.pairs(unit)
    model = replace(stage.model, residual=residual)
    return replace(stage, model=model, pairs=pairs, stresses=(stresses[0], stresses[1]))


def _down_the_stress(
    stage: Stage,
    wanted: Wanted,
    known: _maps.Known,
    classical: Array,
    params: Params,
    rng: np.random.Generator,
    unit: float,
) -> Run:
    """The map by steps that lower the stress, compared with that of classical scaling."""
    pca = stage.model.embedding / unit
    first = _stress.beginning(params, rng, classical, pca, wanted)
    stage, stop = yield from _stress.descend(stage, wanted, known, first, centred(classical), params, unit)
    if stop is Stop.DIVERGED:
        return stop
    stage = _laid(stage)
    yield frame(stage, "result", _stress.closing(stage, stop, wanted.stresses(classical)))
    return stop


def _laid(stage: Stage) -> Stage:
    """With two features, the map of two dimensions is laid over the data in their plane (Procrustes)."""
    data, places = stage.data, stage.model.embedding
    if data.d != 2 or places.shape[1] != 2:
        return stage
    here = data.X[stage.model.members]
    middle = here.mean(axis=0)
    flat = places - places.mean(axis=0)
    return replace(stage, laid=_maps.aligned(flat, here - middle)[:, :2] + middle)


def _unroll(stage: Stage, known: _maps.Known, places: Array, unit: float) -> Generator[Snapshot, None, Stage]:
    """The map and the cloud on their way from the data to the embedding, turned to lie as near as may be."""
    first, last = stage.model.embedding, places * unit
    here = stage.at[stage.model.members]
    middle = here.mean(axis=0)
    there = _maps.aligned(last, here - middle) + middle
    for step in range(1, UNROLL + 1):
        share = _maps.eased(step / UNROLL)
        embedding = (1.0 - share) * first + share * last
        space = (1.0 - share) * here + share * there
        stage = replace(stage, model=replace(stage.model, embedding=embedding), space=space)
        stage = _worth(stage, known, unit)
        yield frame(stage, "unroll", _maps.unroll_words(step / UNROLL, stage.model.residual))
    return replace(stage, space=None)


def explain(model: Model, data: Points, item: Item) -> Explanation:
    """What the graph and the map say about a data point, or about the one nearest to another place."""
    point = item.number if item.number >= 0 else int(squared_distances(item.x[None], data.X)[0].argmin())
    answer: Explanation = {
        "point" if item.number >= 0 else "nearest point": point + 1,
        "edges": int(model.degrees[point]),
    }
    if model.degrees.any():
        answer["connected piece"] = int(model.pieces[point]) + 1
    if len(model.reach):
        start = int(model.path[0]) if len(model.path) else int(model.reach.argmin())
        answer["straight distance to the start of the path"] = float(np.linalg.norm(data.X[point] - data.X[start]))
        way = float(model.reach[point])
        answer["distance along the graph"] = way if way >= 0.0 else "there is no way"
    row = np.flatnonzero(model.members == point)
    for number, value in enumerate(model.embedding[row[0]] if len(row) else (), start=1):
        answer[f"coordinate {number}"] = float(value)
    return answer


ALGORITHM = Algorithm(
    key="isomap",
    title="Isomap",
    family="embedding",
    summary="Unrolls a curved surface into a flat map by keeping the distances along a graph of neighbours.",
    params=Params,
    run=run,
    explain=explain,
    panels=(
        Panel("cloud", "Cloud and graph", space="none"),
        Panel("embedding", "Map", x="coordinate 1", y="coordinate 2"),
        Panel("distances", "Distances", x="point", y="point"),
        Panel("spectrum", "Eigenvalues", x="number", y="eigenvalue"),
        Panel("shepard", "Shepard plot", x="distance along the graph", y="distance in the map"),
        Panel("plane", "Two features", space="data"),
    ),
    metrics=(
        Metric("stress", "stress", group="stress", better="neither"),
        Metric("squared_stress", "squared stress", group="stress", better="neither"),
        Metric("residual", "residual variance of the map", group="map", better="neither"),
        Metric("negative", "most negative eigenvalue / largest", group="negative", better="neither"),
        Metric("edges", "edges", group="edges", better="neither"),
        Metric("components", "connected pieces", group="pieces", log=True, better="neither"),
    ),
    pseudocode=(
        Line("D ← straight distances between all points", "start"),
        Line("join neighbours: {edges} edges, {components} pieces", "connect"),
        Line("D_g ← lengths of the shortest paths", "geodesics"),
        Line("B ← H (-D_g² / 2) H,  H = I - 1/n", "centre"),
        Line("l, V ← largest eigenvalues and vectors of B", "eigen"),
        Line("z_i ← (√l_1 V_i1, √l_2 V_i2, ...)", "unroll"),
        Line("or z ← random, then again and again:"),
        Line("    z ← lowest place of a bowl on the stress {stress}", "majorise"),
        Line("    z ← z - step · gradient of the stress {stress}", "descend"),
        Line("return z: residual variance {residual}", "result"),
    ),
    reference="Handbook §3.1.2 (Alg. 4); Methods for Data Science §12.5.2; Tenenbaum et al. 2000; de Leeuw 1977",
    example="swiss_roll(n=1000,noise=0,seed=1)",
)
