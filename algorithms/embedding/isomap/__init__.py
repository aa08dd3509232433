"""Isomap: a flat map of a curved surface, from distances measured along it.

Straight lines leave a rolled-up sheet, but steps between near neighbours do not. So every point is joined to its
neighbours, shortest paths in that graph measure the distances along the sheet, and classical scaling finds the
coordinates whose straight distances come nearest to them:

    D_g(i, j) = length of the shortest path,   B = H (-1/2 D_g^2) H,   z_i = (sqrt(l_1) V_i1, ..., sqrt(l_m) V_im)

A new point is joined to its neighbours, which gives its paths d to all others and its place (Z'Z)^-1 Z' (b - d^2) / 2
with the diagonal b of B (de Silva and Tenenbaum 2004). Too few edges leave the graph in pieces or make detours; too
many jump from sheet to sheet. Distances that no flat space has (shortcuts, a closed loop) show as negative eigenvalues
of B. With all pairs joined D_g = D, which is multidimensional scaling of the data themselves and gives the map of
principal components.

Handbook section 3.1.2, Alg. 4 (whose line 10 means V_i1, not V_1i); Methods for Data Science section 12.5.2 (with the
factor 1/2); Tenenbaum, de Silva, Langford 2000.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import numpy as np

from algorithms.contract import (
    Algorithm,
    Case,
    Counterpart,
    Explanation,
    Line,
    Metric,
    Panel,
    Question,
    Run,
    Snapshot,
    Stop,
    Try,
)
from algorithms.counterpart import same_map
from algorithms.data import Array, DataError, Item, Points
from algorithms.embedding.isomap import solver, words
from algorithms.embedding.isomap.views import LARGEST, views
from algorithms.marks import Matrix
from algorithms.maths import maps
from algorithms.maths import neighbourhoods as near
from algorithms.maths.cloud_stage import Grown, Stage, coordinate_words, growing, joined_words, meant
from algorithms.maths.components import Components, principal_components
from algorithms.maths.distances import squared_distances
from algorithms.maths.graphs import shortest_path
from algorithms.maths.scaling import centred_products, coordinates, ends_of_spectrum
from algorithms.maths.verdicts import fitted_by
from algorithms.maths.words import counted
from algorithms.params import Advanced, Between, Doc, UpTo, Zero

MOST_POINTS = 5000
"""The table of all distances of more points than this does not fit into the memory of a small computer."""
TABLE = 84
"""Rows of the table of distances that are shown, evenly chosen: each frame has a table of its own."""
SMALLEST = 6
"""How many eigenvalues are found at the lower end of the spectrum."""
HARMLESS = 0.05
"""Below this size the distances are nearly those of a flat space, and edges that seemed to be shortcuts are none."""


@dataclass(frozen=True, slots=True)
class Params:
    """The knobs of Isomap."""

    graph: near.GraphRule = "k nearest neighbours"
    neighbours: near.Neighbours = 7
    epsilon: near.Epsilon = 0.1
    dimensions: near.Dimensions = 2
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
        UpTo("items"),
        Zero("far out"),
        Advanced,
        Doc("Where the path that is drawn begins: the number of a point, or 0 for an end that is far out."),
    ] = 0
    to_point: Annotated[
        int,
        Between(0, 100_000),
        UpTo("items"),
        Zero("farthest"),
        Advanced,
        Doc("Where the path that is drawn ends: the number of a point, or 0 for the one farthest away."),
    ] = 0


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """What is known so far. ``embedding`` is that of principal component analysis until Isomap has found its own."""

    embedding: Array  # (m, dimensions)
    members: Array  # (m,) the points in it: all, or the largest connected piece
    eigenvalues: Array  # (e,) of the centred matrix, falling: the largest and the smallest; empty until known
    degrees: Array  # (n,) edges at each point
    pieces: Array  # (n,) the connected piece of each point, 0 for the largest
    path: Array  # (p,) the points of the path shown
    reach: Array  # (n,) distances along the graph from its start; -1 where there is no path, empty until known
    residual: float  # 1 - r^2 of distances in the map and along the graph; 1 until known
    placing: solver.Placing


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What stays the same during a run."""

    params: Params
    stage: Stage
    ends: tuple[int, int]  # of the path that is drawn
    straight: float  # the straight-line distance between them
    suspects: Array | None  # (s, 2) edges that look like shortcuts
    factor: float  # how many times as long the path between the ends of the worst one is
    table: Matrix  # of the straight-line distances


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """How far the graph, the paths and the map are."""

    grown: Grown
    table: Matrix  # of distances, or of inner products
    known: int = 0  # points from which all shortest paths are known, or through which they may lead
    suspects: Array | None = None  # (s, 2) as long as the suspicion holds
    pairs: maps.Pairs | None = None  # of the Shepard plot
    residual_before: float = np.nan  # the residual variance of the map of principal components


Shot = Snapshot[Given, Model, Shown]


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run[Shot]:
    """Join neighbours, find all shortest paths, centre their squares, and turn eigenvectors into a map."""
    X, unit = near.prepared(data, ALGORITHM.title, MOST_POINTS)
    neighbourhood = _neighbours(X, unit, params)
    straight = principal_components(X, 3)
    stage = Stage.of(data, neighbourhood.graph, straight, X, unit)
    model = _first_model(data, params, stage, straight, X, unit)
    rows = _in_order(data, straight.scores(X)[:, 0], np.arange(data.n))[maps.evenly(data.n, TABLE)]
    table = maps.distance_table(np.sqrt(squared_distances(X[rows], X[rows])) * unit, rows)
    given, path, reach = _given(data, params, stage, neighbourhood, table)
    yield _shot(given, "start", model, Shown(Grown(), table))
    for grown, degrees, pieces in growing(neighbourhood):
        model = replace(model, degrees=degrees, pieces=pieces)
        suspects = given.suspects if grown.count == len(stage.graph) else None
        yield _shot(given, "connect", model, Shown(grown, table, suspects=suspects))
    pca = model.embedding[stage.members]
    model = replace(model, members=stage.members, embedding=pca, reach=np.where(np.isfinite(reach), reach * unit, -1.0))
    shown = Shown(Grown(len(stage.graph), len(stage.graph)), table, suspects=given.suspects)
    for known, found, part, along in _geodesics(given, model, path, unit):
        distances, model, shown = found, replace(model, path=along), replace(shown, known=known, table=part)
        yield _shot(given, "geodesics", model, shown)
    sample = maps.SampledDistances.of(distances)
    before = sample.quality(pca / unit)[0]
    model, shown = replace(model, residual=before), replace(shown, pairs=sample.pairs(unit), residual_before=before)
    products = centred_products(distances)
    norms = products.diagonal().copy()
    centred = _products_table(shown.table, products, stage, unit)
    yield _shot(given, "centre", model, replace(shown, table=centred))
    values, vectors = ends_of_spectrum(products, LARGEST, SMALLEST)
    del products, distances
    model = replace(model, eigenvalues=values * unit**2)
    if _negative(model) < HARMLESS:
        shown = replace(shown, suspects=None)
    yield _shot(given, "eigen", model, replace(shown, table=centred))
    places = maps.oriented(coordinates(values, vectors, params.dimensions), pca)
    placing = replace(model.placing, members=stage.members, places=places, norms=norms)
    for grown, embedding in stage.unrolling(pca, places * unit, sized=False):
        placing = replace(placing, unrolled=grown.fraction)
        residual = sample.quality(embedding / unit)[0]
        model = replace(model, embedding=embedding, placing=placing, residual=residual)
        yield _shot(given, "unroll", model, replace(shown, grown=grown))
    yield _shot(given, "result", model, shown)
    return Stop.COMPLETE


def _neighbours(X: Array, unit: float, params: Params) -> near.Neighbourhood:
    for name in ("from_point", "to_point"):
        if getattr(params, name) > len(X):
            raise DataError(f"{name} is {getattr(params, name)}, but there are only {counted(len(X), 'point')}.")
    return near.joined(X, unit, params.graph, params.neighbours, params.epsilon)


def _given(
    data: Points, params: Params, stage: Stage, neighbourhood: near.Neighbourhood, table: Matrix
) -> tuple[Given, Array, Array]:
    """The path that is drawn, between the points asked for or two that are far apart; and what is doubtful."""
    matrix = stage.graph.matrix()
    start, end = params.from_point - 1, params.to_point - 1
    if start < 0 and end < 0:
        start, end = solver.far_ends(matrix, stage.members)
    elif start < 0:
        start = solver.farthest_from(matrix, end)
    elif end < 0:
        end = solver.farthest_from(matrix, start)
    suspects, factor = solver.shortcuts(neighbourhood)
    straight = float(np.linalg.norm(data.X[start] - data.X[end]))
    given = Given(params, stage, (start, end), straight, suspects if len(suspects) else None, factor, table)
    return given, shortest_path(matrix, start, end), solver.lengths_from(matrix, start)


def _first_model(data: Points, params: Params, stage: Stage, straight: Components, X: Array, unit: float) -> Model:
    """Before anything is joined: every point a piece of its own, the map that of principal component analysis."""
    scores = straight.scores(X)[:, : params.dimensions]
    return Model(
        embedding=np.pad(scores, ((0, 0), (0, params.dimensions - scores.shape[1]))) * unit,
        members=np.arange(data.n),
        eigenvalues=np.empty(0),
        degrees=np.zeros(data.n, dtype=np.int64),
        pieces=np.arange(data.n),
        path=np.empty(0, dtype=np.int64),
        reach=np.empty(0),
        residual=1.0,
        placing=solver.Placing(
            centre=data.X.mean(axis=0),
            unit=unit,
            X=X,
            graph=stage.graph,
            neighbours=params.neighbours if params.graph == near.NEAREST else 0,
            radius=params.epsilon * near.diagonal(X),
            straight=straight,
            members=np.arange(data.n),
            places=np.empty((0, params.dimensions)),
            norms=np.empty(0),
        ),
    )


def _in_order(data: Points, otherwise: Array, points: Array) -> Array:
    """The points in the order in which the table shows them: by target, then by something else that orders them."""
    key = otherwise if data.y is None else data.y
    return points[np.lexsort((otherwise[points], key[points]))]


def _geodesics(given: Given, model: Model, path: Array, unit: float) -> Iterator[tuple[int, Array, Matrix, Array]]:
    """All shortest paths among the members (m, m), a block at a time, with a part of their table and of one path."""
    members, data = model.members, given.stage.data
    order = np.searchsorted(members, _in_order(data, given.stage.at[:, 0], members))
    m, rows = len(members), order[maps.evenly(len(members), TABLE)]
    for known, distances, missing in solver.all_paths(given.stage.graph.among(members), order, given.params.paths):
        part = distances[np.ix_(rows, rows)] * unit
        if missing is None:
            unknown = ~np.isfinite(part)
        else:  # a path is as long as the path back
            part = np.where(missing[rows][:, None], part.T, part)
            unknown = missing[rows][:, None] & missing[rows]
        table = maps.distance_table(part, members[rows], unknown)
        fraction = known / m if missing is not None else float(known == m)
        yield known, distances, table, solver.part_of_path(path, model.reach, fraction)


def _products_table(table: Matrix, products: Array, stage: Stage, unit: float) -> Matrix:
    """The same part of the inner products."""
    assert table.points is not None
    inside = np.searchsorted(stage.members, table.points)
    return Matrix(products[np.ix_(inside, inside)] * unit**2, table.points, signed=True, name="product")


def _negative(model: Model) -> float:
    """The size of the most negative eigenvalue beside the largest; NaN until they are known."""
    values = model.eigenvalues
    if not len(values):
        return np.nan
    return max(0.0, -float(values[-1])) / float(values[0]) if values[0] > 0.0 else 0.0


def _shot(given: Given, phase: str, model: Model, shown: Shown) -> Shot:
    numbers = {
        "residual": model.residual if shown.pairs is not None else np.nan,
        "negative": _negative(model),
        "edges": shown.grown.count,
        "components": int(model.pieces.max()) + 1,
    }
    return Snapshot(given, phase, model, numbers, shown)


def transform(model: Model, X: Array) -> Array:
    """Places of new points: by Gower's formula from the lengths of their paths, which begin at their neighbours."""
    return model.placing.place(X, model.embedding.shape[1])


def explain(model: Model, data: Points, item: Item) -> Explanation:
    """What the graph and the map say about a data point, or about the one nearest to another place."""
    point, answer = meant(data, item), joined_words(model, data, item)
    if len(model.reach):
        start = int(model.path[0]) if len(model.path) else int(np.flatnonzero(model.reach == 0.0)[0])
        answer["straight distance to the start of the path"] = float(np.linalg.norm(data.X[point] - data.X[start]))
        length = float(model.reach[point])
        answer["distance along the graph"] = length if length >= 0.0 else "there is no path"
    return answer | coordinate_words(model.embedding, model.members, point)


def counterpart(params: Params, case: Case | None) -> Counterpart | None:
    """``sklearn.manifold.Isomap``, which joins points in the same two ways."""
    if params.graph == near.NEAREST:
        joined = f"n_neighbors={params.neighbours}"
    elif case is not None and isinstance(case.data, Points):
        joined = f"n_neighbors=None, radius={params.epsilon * near.diagonal(case.data.X)!r}"
    else:
        return None
    return same_map("from sklearn.manifold import Isomap", f"Isomap({joined}, n_components={params.dimensions})")


ALGORITHM = Algorithm(
    key="isomap",
    title="Isomap",
    family="embedding",
    summary="Unrolls a curved surface into a flat map by keeping the distances along a graph of neighbours.",
    params=Params,
    run=run,
    views=views,
    captions=words.CAPTIONS,
    warning=words.warning,
    explain=explain,
    transform=transform,
    counterpart=counterpart,
    panels=(
        Panel("cloud", "Cloud and graph", space="none"),
        Panel("embedding", "Map", x="coordinate 1", y="coordinate 2"),
        Panel("distances", "Distances", x="point", y="point"),
        Panel("spectrum", "Eigenvalues", x="number", y="eigenvalue"),
        Panel("shepard", "Shepard plot", x="distance along the graph", y="distance in the map"),
        Panel("plane", "Two features", space="data"),
    ),
    metrics=(
        Metric("residual", "residual variance of the map", group="map", better="neither"),
        Metric("negative", "most negative eigenvalue / largest", group="negative", better="neither"),
        Metric("edges", "edges", group="edges", better="neither"),
        Metric("components", "connected pieces", group="pieces", log=True, better="neither"),
    ),
    pseudocode=(
        Line("D ← straight distances between all points", "start"),
        Line("join neighbours: edges {edges}, pieces {components}", "connect"),
        Line("D_g ← lengths of the shortest paths", "geodesics"),
        Line("B ← H (-D_g² / 2) H,  H = I - 1/n", "centre"),
        Line("l, V ← largest eigenvalues and vectors of B", "eigen"),
        Line("z_i ← (√l_1 V_i1, √l_2 V_i2, ...)", "unroll"),
        Line("return z: residual variance {residual}", "result"),
    ),
    reference="Handbook §3.1.2 (Alg. 4); Methods for Data Science §12.5.2; Hastie, Tibshirani, Friedman, The Elements "
    "of "
    "Statistical Learning §14.9; Tenenbaum, de Silva, Langford, Science 290, 2000",
    most=MOST_POINTS,
    example="swiss_roll(n=1000,noise=0,seed=1)",
    synonyms=("isometric mapping", "geodesic distances", "manifold learning", "non-linear dimension reduction"),
    formulas=(
        r"D_g(i, j) = \text{length of the shortest path from } i \text{ to } j \text{ in the graph of neighbours}",
        r"B = -\frac{1}{2} H D_g^{2} H, \qquad H = I - \frac{1}{n} \mathbf{1}\mathbf{1}^{\top}",
        r"z_i = \left( \sqrt{\lambda_1}\, V_{i1}, \ldots, \sqrt{\lambda_m}\, V_{im} \right)",
    ),
    tries=(
        Try(
            "Too many neighbours make shortcuts from one layer of the roll to the next, and the map folds.",
            params={"neighbours": 40},
            shows=lambda played: (
                fitted_by(played.model.embedding, played.data.y) < 0.2
                and fitted_by(played.but(neighbours=7).model.embedding, played.data.y) > 0.9
            ),
        ),
        Try(
            "A sheet bent into the letter S becomes flat: the first two coordinates have 99.8 % of the variance of the "
            "distances along it.",
            "s_curve(n=500,seed=1)",
            {"neighbours": 8},
            shows=lambda played: round(100.0 * (1.0 - played.final("residual")), 1) == 99.8,
        ),
        Try(
            "The side of a tin closes on itself: no flat map has its distances, which negative eigenvalues show.",
            "cylinder(n=400,seed=1)",
            {"neighbours": 8},
            shows=lambda played: played.final("negative") > 0.2 and played.final("residual") > 0.3,
        ),
    ),
    questions=(
        Question("How many pieces has the graph after the next step?", "connect", "metrics.components"),
        Question("How many edges has it then?", "connect", "metrics.edges"),
        Question("How large is the residual variance of the map in the next frame?", "unroll", "metrics.residual"),
    ),
)
