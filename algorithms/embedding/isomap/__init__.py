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

from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import numpy as np

from algorithms.contract import (
    Algorithm,
    Case,
    Counterpart,
    DrawnRun,
    DrawnSnapshot,
    Explanation,
    Line,
    Metric,
    Panel,
    Stop,
    Try,
)
from algorithms.counterpart import same_map
from algorithms.data import Array, DataError, Item, Points
from algorithms.embedding.isomap import solver, words
from algorithms.embedding.isomap.views import Picture, frame
from algorithms.marks import Matrix
from algorithms.maths import maps
from algorithms.maths import neighbourhoods as near
from algorithms.maths.cloud_stage import MOST_EDGES, in_space
from algorithms.maths.components import principal_components
from algorithms.maths.distances import squared_distances
from algorithms.maths.graphs import shortest_path
from algorithms.maths.scaling import centred_products, coordinates, ends_of_spectrum
from algorithms.maths.verdicts import fitted_by
from algorithms.params import Advanced, Between, Doc, UpTo, Zero

MOST_POINTS = 5000
"""The table of all distances of more points than this does not fit into the memory of a small computer."""
UNROLL = 16
"""Frames in which the map unrolls."""
LARGEST, SMALLEST = 10, 6
"""How many eigenvalues are found at the two ends of the spectrum."""
MOST_NEGATIVE = 0.1
"""A negative eigenvalue of this size beside the largest one says that no flat map is true."""
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


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> DrawnRun:
    """Join neighbours, find all shortest paths, centre their squares, and turn eigenvectors into a map."""
    X, unit = near.prepared(data, ALGORITHM.title, MOST_POINTS)
    neighbourhood = _neighbours(X, unit, params)
    picture = _first_picture(data, params, neighbourhood, X, unit)
    yield frame(picture, "start", words.opening(data, params.dimensions))
    picture = yield from _connect(picture, neighbourhood, params)
    distances, picture = yield from _geodesics(picture, params, unit)
    sample = maps.SampledDistances.of(distances)
    pca = picture.model.embedding
    picture = _judged(picture, sample, unit)
    explained = 1.0 - picture.model.residual
    products = centred_products(distances)
    norms = products.diagonal().copy()
    table = picture.table
    picture = _centred(picture, products, unit)
    yield frame(picture, "centre", words.CENTRED)
    values, vectors = ends_of_spectrum(products, LARGEST, SMALLEST)
    del products, distances
    suspected = picture.suspects is not None
    picture = _with_spectrum(picture, values * unit**2, params)
    cleared = suspected and picture.suspects is None
    yield frame(picture, "eigen", words.spectrum(picture.model.eigenvalues, params.dimensions, cleared))
    places = maps.oriented(coordinates(values, vectors, params.dimensions), pca)
    placing = replace(picture.model.placing, members=picture.model.members, places=places, norms=norms)
    model = replace(picture.model, placing=placing)
    picture = yield from _unroll(replace(picture, table=table, model=model), sample, places, unit)
    yield frame(_laid(picture), "result", words.closing(picture, 1.0 - picture.model.residual, explained))
    return Stop.COMPLETE


def _neighbours(X: Array, unit: float, params: Params) -> near.Neighbourhood:
    for name in ("from_point", "to_point"):
        if getattr(params, name) > len(X):
            raise DataError(f"{name} is {getattr(params, name)}, but there are only {len(X)} points.")
    return near.joined(X, unit, params.graph, params.neighbours, params.epsilon)


def _first_picture(data: Points, params: Params, neighbourhood: near.Neighbourhood, X: Array, unit: float) -> Picture:
    """Before anything is joined: every point a piece of its own, the map that of principal component analysis."""
    n, graph, nothing = data.n, neighbourhood.graph, np.empty(0, dtype=np.int64)
    straight = principal_components(X, 3)
    scores = straight.scores(X)
    scores = np.pad(scores, ((0, 0), (0, 3 - scores.shape[1])))
    drawn = maps.evenly(len(graph), MOST_EDGES)
    at, axes = in_space(data, scores * unit)
    rows = _in_order(data, scores[:, 0], np.arange(n))[maps.evenly(n, maps.TABLE)]
    table = np.sqrt(squared_distances(X[rows], X[rows])) * unit
    return Picture(
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
            placing=solver.Placing(
                centre=data.X.mean(axis=0),
                unit=unit,
                X=X,
                graph=graph,
                neighbours=params.neighbours if params.graph == near.NEAREST else 0,
                radius=params.epsilon * near.diagonal(X),
                straight=straight,
                members=np.arange(n),
                places=np.empty((0, params.dimensions)),
                norms=np.empty(0),
            ),
        ),
        graph=graph,
        drawn=drawn,
        drawn_ends=graph.edges[drawn],
        table=maps.distance_table(table, rows),
    )


def _in_order(data: Points, otherwise: Array, points: Array) -> Array:
    """The points in the order in which the table shows them: by target, then by something else that orders them."""
    key = otherwise if data.y is None else data.y
    return points[np.lexsort((otherwise[points], key[points]))]


def _connect(
    picture: Picture, neighbourhood: near.Neighbourhood, params: Params
) -> Generator[DrawnSnapshot, None, Picture]:
    """The edges growing; at the end, what is wrong with the graph."""
    steps = list(zip(neighbourhood.counts, neighbourhood.words))
    for number, (count, rule) in enumerate(steps, start=1):
        part = picture.graph.first(count)
        pieces, labels, members = near.largest_component(part)
        model = replace(picture.model, degrees=part.degrees(), pieces=labels)
        picture = replace(picture, model=model, count=count, before=picture.count)
        if number == len(steps):
            suspects, factor = solver.shortcuts(neighbourhood)
            warning = words.graph_warning(params.graph, pieces, len(members), picture.data.n, len(suspects), factor)
            picture = replace(picture, suspects=suspects if len(suspects) else None, warning=warning)
        yield frame(picture, "connect", near.growth_words(rule, count, pieces))
    embedding = picture.model.embedding[members]
    return replace(picture, before=picture.count, model=replace(picture.model, members=members, embedding=embedding))


def _geodesics(picture: Picture, params: Params, unit: float) -> Generator[DrawnSnapshot, None, tuple[Array, Picture]]:
    """All shortest paths among the members (m, m), a block at a time, and one of them to be seen."""
    picture, path = _with_path(picture, params, unit)
    members = picture.model.members
    graph = picture.graph.among(members)
    order = np.searchsorted(members, _in_order(picture.data, picture.at[:, 0], members))
    rows = order[maps.evenly(len(members), maps.TABLE)]
    m, distances = len(members), np.empty(0)
    for known, distances, missing in solver.all_paths(graph, order, params.paths):
        part = distances[np.ix_(rows, rows)] * unit
        if missing is None:
            unknown = ~np.isfinite(part)
        else:  # a path is as long as the path back
            part = np.where(missing[rows][:, None], part.T, part)
            unknown = missing[rows][:, None] & missing[rows]
        table = maps.distance_table(part, members[rows], unknown)
        shown = solver.part_of_path(path, picture.model.reach, known / m if missing is not None else float(known == m))
        picture = replace(picture, table=table, model=replace(picture.model, path=shown))
        yield frame(picture, "geodesics", words.paths(picture, params.paths, known, m))
    return distances, picture


def _with_path(picture: Picture, params: Params, unit: float) -> tuple[Picture, Array]:
    """Choose the path that is drawn: between the points asked for, or two that are far apart."""
    matrix = picture.graph.matrix()
    start, end = params.from_point - 1, params.to_point - 1
    if start < 0 and end < 0:
        start, end = solver.far_ends(matrix, picture.model.members)
    elif start < 0:
        start = solver.farthest_from(matrix, end)
    elif end < 0:
        end = solver.farthest_from(matrix, start)
    reach = solver.lengths_from(matrix, start)
    reach = np.where(np.isfinite(reach), reach * unit, -1.0)
    model = replace(picture.model, reach=reach)
    return replace(picture, ends=(start, end), model=model), shortest_path(matrix, start, end)


def _centred(picture: Picture, products: Array, unit: float) -> Picture:
    """The table now shows inner products."""
    rows = picture.table.points
    assert rows is not None
    inside = np.searchsorted(picture.model.members, rows)
    return replace(picture, table=Matrix(products[np.ix_(inside, inside)] * unit**2, rows, signed=True, name="product"))


def _with_spectrum(picture: Picture, values: Array, params: Params) -> Picture:
    """The eigenvalues, and what they say about the suspected edges: confirmed, or dropped."""
    m = len(picture.model.members)
    negative = max(0.0, -float(values[-1])) / float(values[0]) if values[0] > 0.0 else 0.0
    warning, suspects = picture.warning, picture.suspects
    if negative < HARMLESS and suspects is not None:
        pieces = int(picture.model.pieces.max()) + 1
        warning, suspects = words.graph_warning(params.graph, pieces, m, picture.data.n, 0, 0.0), None
    if negative > MOST_NEGATIVE:
        warning = f"{warning} {words.negative_warning(negative)}".strip()
    if m > params.dimensions and values[params.dimensions - 1] > maps.EQUAL * abs(values[0]):
        unsure = maps.equal_eigenvalues(values[: min(LARGEST, m)], params.dimensions)
        warning = f"{warning} {unsure}".strip()
    bars = maps.spectrum_bars(values, params.dimensions, m, min(LARGEST, m))
    model = replace(picture.model, eigenvalues=values)
    return replace(picture, model=model, negative=negative, spectrum=bars, warning=warning, suspects=suspects)


def _judged(picture: Picture, sample: maps.SampledDistances, unit: float) -> Picture:
    """How well the map shown fits the distances, now that they are known."""
    residual, _, _ = sample.quality(picture.model.embedding / unit)
    return replace(picture, model=replace(picture.model, residual=residual), pairs=picture.pairs or sample.pairs(unit))


def _laid(picture: Picture) -> Picture:
    """With two features, the map of two dimensions is laid over the data in their plane (Procrustes)."""
    data, places = picture.data, picture.model.embedding
    if data.d != 2 or places.shape[1] != 2:
        return picture
    here = data.X[picture.model.members]
    middle = here.mean(axis=0)
    flat = places - places.mean(axis=0)
    return replace(picture, laid=maps.laid_flat(flat, here - middle)[:, :2] + middle)


def _unroll(
    picture: Picture, sample: maps.SampledDistances, places: Array, unit: float
) -> Generator[DrawnSnapshot, None, Picture]:
    """The map and the cloud going over from the data to the embedding, turned to lie as near as may be."""
    first, last = picture.model.embedding, places * unit
    here = picture.at[picture.model.members]
    middle = here.mean(axis=0)
    there = maps.laid_flat(last, here - middle) + middle
    for step in range(1, UNROLL + 1):
        fraction = maps.eased(step / UNROLL)
        embedding = (1.0 - fraction) * first + fraction * last
        space = (1.0 - fraction) * here + fraction * there
        placing = replace(picture.model.placing, unrolled=fraction)
        picture = replace(picture, model=replace(picture.model, embedding=embedding, placing=placing), space=space)
        picture = _judged(picture, sample, unit)
        yield frame(picture, "unroll", words.unrolling(step / UNROLL, picture.model.residual))
    return replace(picture, space=None)


def transform(model: Model, X: Array) -> Array:
    """Places of new points: by Gower's formula from the lengths of their paths, which begin at their neighbours."""
    return model.placing.place(X, model.embedding.shape[1])


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
        start = int(model.path[0]) if len(model.path) else int(np.flatnonzero(model.reach == 0.0)[0])
        answer["straight distance to the start of the path"] = float(np.linalg.norm(data.X[point] - data.X[start]))
        length = float(model.reach[point])
        answer["distance along the graph"] = length if length >= 0.0 else "there is no path"
    row = np.flatnonzero(model.members == point)
    for number, value in enumerate(model.embedding[row[0]] if len(row) else (), start=1):
        answer[f"coordinate {number}"] = float(value)
    return answer


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
)
