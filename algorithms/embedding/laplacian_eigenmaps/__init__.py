"""Laplacian eigenmaps: a map that keeps neighbours near each other, from the smoothest vectors of a graph.

Every point is joined to its neighbours, and to near ones more firmly than to far ones. A map is good when firmly joined
points lie near each other; so that it does not shrink to one place, its size is fixed:

    minimise 1/2 sum_ij A_ij |z_i - z_j|^2 = tr(Z' L Z),  L = D - A,     with Z'DZ = I (or Z'Z = I)

The answer are the eigenvectors of L v = l D v (or L v = l v) with the smallest eigenvalues. The first is constant, has
the eigenvalue 0 and is left out; the next ones change as slowly along the edges as they can. Where several coordinates
go along a long sheet, the second may only be the first one bent over: neighbours are kept, not distances. A new point
is joined by the same rule, and the equation of its row gives its place (Nystrom).

Methods for Data Science section 12.5.1 (whose L D^-1 means D^-1 L); Belkin and Niyogi 2003.
"""

from __future__ import annotations

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
from algorithms.data import Array, Item, Points
from algorithms.embedding.laplacian_eigenmaps import solver, words
from algorithms.embedding.laplacian_eigenmaps.views import views
from algorithms.maths import maps
from algorithms.maths import neighbourhoods as near
from algorithms.maths.cloud_stage import (
    FirstMap,
    Grown,
    Stage,
    coordinate_words,
    growing,
    joined_words,
    meant,
)
from algorithms.maths.graphs import NeighbourGraph
from algorithms.maths.verdicts import bent, fitted_by
from algorithms.params import Between, Doc, Log, Unit, When
from algorithms.played import Played

MOST_POINTS = 3000
"""Graphs of more points than this may fill the memory of a small computer when their Laplacian is factorised."""
EIGENVALUES = 10
"""How many eigenvalues are shown, and the 0."""
BEYOND = 2
"""Eigenvectors that are looked at although the map does not use them."""


@dataclass(frozen=True, slots=True)
class Params:
    """The knobs of Laplacian eigenmaps."""

    graph: near.GraphRule = "k nearest neighbours"
    neighbours: near.Neighbours = 10
    epsilon: near.Epsilon = 0.1
    kernel: Annotated[
        Literal["heat", "0 and 1"],
        Doc("What an edge weighs: less the longer it is (heat kernel), or always 1."),
    ] = "heat"
    width: Annotated[
        float,
        Between(0.1, 10.0),
        Log,
        Unit("of the mean edge"),
        When("kernel", "heat"),
        Doc("The width s of the heat kernel exp(-l²/2s²), in mean lengths of an edge."),
    ] = 1.0
    laplacian: Annotated[
        Literal["random walk", "unnormalised"],
        Doc(
            "What fixes the size of the map: each point by the weight of its edges (Z'DZ = I), or all alike (Z'Z = I)."
        ),
    ] = "random walk"
    dimensions: near.Dimensions = 2
    colour: Annotated[
        Literal["target", "coordinate 1", "coordinate 2"],
        Doc("What the colours of the finished map show."),
    ] = "target"


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """What is known so far. ``embedding`` is that of principal components until the method has found its own."""

    embedding: Array  # (m, dimensions) with Z'DZ = I, or Z'Z = I
    eigenvalues: Array  # (e,) rising, beginning with the 0; empty until known
    members: Array  # (m,) the points in the map: all, or the largest connected piece
    strengths: Array  # (m,) the diagonal of D; empty until known
    degrees: Array  # (n,) edges at each point
    pieces: Array  # (n,) the connected piece of each point, 0 for the largest
    placing: solver.Placing


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What stays the same during a run."""

    params: Params
    stage: Stage
    weights: Array  # (e,) of all edges of the graph
    s: float  # the width of the kernel, in the data; 0 where all edges weigh the same


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """How far the graph and the map are, and which point and which eigenvector are shown."""

    grown: Grown
    point: int = -1  # whose edges are shown with their weights
    which: int = -1  # the eigenvector that the colours show, 0 for the constant one
    vector: Array | None = None  # (m,) and this is it


Shot = Snapshot[Given, Model, Shown]


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run[Shot]:
    """Join neighbours, weigh the edges, and take the smoothest vectors of the graph as coordinates."""
    X, unit = near.prepared(data, ALGORITHM.title, MOST_POINTS)
    neighbourhood = near.joined(X, unit, params.graph, params.neighbours, params.epsilon)
    graph = neighbourhood.graph
    kernel = solver.Kernel.of(params.kernel, params.width, graph.lengths)
    first = FirstMap.of(X, data.X.mean(axis=0), unit, params.dimensions)
    stage = Stage.of(data, graph, first.components, X, unit)
    mapped = graph.among(stage.members)
    L = solver.Laplacian.of(mapped, kernel(mapped.lengths))
    given, weighted = Given(params, stage, kernel(graph.lengths), kernel.s * unit), params.laplacian == "random walk"
    model = _first_model(data, params, first, X, graph, kernel)
    tension = L.tension(model.embedding[stage.members], weighted)
    yield _shot(given, "start", model, tension, Shown(Grown()))
    for grown, degrees, pieces in growing(neighbourhood):
        model = replace(model, degrees=degrees, pieces=pieces)
        yield _shot(given, "connect", model, tension, Shown(grown))
    embedding = model.embedding[stage.members]
    model = replace(model, members=stage.members, embedding=embedding, strengths=L.strengths)
    middle = int(stage.members[np.argsort(embedding[:, 0], kind="stable")[len(embedding) // 2]])
    shown = Shown(Grown(len(graph), len(graph)), middle)
    yield _shot(given, "weigh", model, tension, shown)
    values, vectors = L.smoothest(EIGENVALUES, weighted, flat=data.d <= 3)
    model = replace(model, eigenvalues=np.append(0.0, values))
    yield _shot(given, "eigen", model, tension, shown)
    constant = np.full((len(vectors), 1), 1.0 / np.sqrt(len(vectors)))
    vectors = np.hstack([constant, vectors])
    for which in range(min(params.dimensions + BEYOND, len(values)) + 1):
        yield _shot(given, "vector", model, tension, replace(shown, which=which, vector=vectors[:, which]))
    places = maps.oriented(maps.first_columns(vectors[:, 1:], params.dimensions), embedding)
    first, placing = _unrolled(model, X, values, places)
    for grown, embedding in stage.unrolling(first.places(X[stage.members]), places):
        model = replace(model, embedding=embedding, placing=replace(placing, unrolled=grown.fraction))
        tension = L.tension(embedding, weighted)
        yield _shot(given, "unroll", model, tension, Shown(grown, middle))
    which = 0 if params.colour == "target" else int(params.colour[-1])
    if 0 < which < vectors.shape[1]:
        shown = replace(shown, which=which, vector=vectors[:, which])
    yield _shot(given, "result", model, tension, shown)
    return Stop.COMPLETE


def _first_model(
    data: Points, params: Params, first: FirstMap, X: Array, graph: NeighbourGraph, kernel: solver.Kernel
) -> Model:
    """Before anything is joined: every point a piece of its own, the map that of principal component analysis."""
    k = min(params.neighbours, data.n - 1) if params.graph == near.NEAREST else 0
    return Model(
        embedding=first.places(X),
        eigenvalues=np.empty(0),
        members=np.arange(data.n),
        strengths=np.empty(0),
        degrees=np.zeros(data.n, dtype=np.int64),
        pieces=np.arange(data.n),
        placing=solver.Placing(
            first=first,
            X=X,
            neighbours=k,
            radius=params.epsilon * near.diagonal(X),
            reaches=solver.reaches_of(graph, k),
            kernel=kernel,
            weighted=params.laplacian == "random walk",
            values=np.zeros(params.dimensions),
            places=np.empty((0, params.dimensions)),
        ),
    )


def _unrolled(model: Model, X: Array, values: Array, places: Array) -> tuple[FirstMap, solver.Placing]:
    """The first map in the size of the new one, and what it takes to find new points between the two."""
    dimensions = places.shape[1]
    first = model.placing.first.resized(float(np.linalg.norm(places)))
    placing = replace(
        model.placing,
        first=first,
        X=X[model.members],
        reaches=model.placing.reaches[model.members],
        values=np.pad(values[:dimensions], (0, max(dimensions - len(values), 0))),
        places=places,
    )
    return first, placing


def _shot(given: Given, phase: str, model: Model, tension: float, shown: Shown) -> Shot:
    values, unused = model.eigenvalues, given.params.dimensions + 1
    numbers = {
        "tension": tension,
        "gap": float(values[unused]) if len(values) > unused else np.nan,
        "edges": shown.grown.count,
        "components": int(model.pieces.max()) + 1,
    }
    return Snapshot(given, phase, model, numbers, shown)


def transform(model: Model, X: Array) -> Array:
    """Places of new points, joined to their neighbours by the same rule."""
    return model.placing.place(X)


def explain(model: Model, data: Points, item: Item) -> Explanation:
    """How a data point, or the one nearest to another place, is joined, and where it lies."""
    point, answer = meant(data, item), joined_words(model, data, item)
    row = np.flatnonzero(model.members == point)
    if len(row) and len(model.strengths):
        answer["weight of its edges together"] = float(model.strengths[row[0]])
    return answer | coordinate_words(model.embedding, model.members, point)


def counterpart(params: Params, case: Case | None) -> Counterpart | None:
    """``sklearn.manifold.SpectralEmbedding`` of the same weights; it knows the one Laplacian only."""
    if params.graph != near.NEAREST or params.laplacian != "random walk":
        return None
    if case is not None and case.data.n <= params.neighbours:
        return None
    weights = "(A + A.T > 0).astype(float)"
    if params.kernel == "heat":
        weights = f"np.where(A > 0, np.exp(-0.5 * (A / ({params.width!r} * A[np.triu(A) > 0].mean())) ** 2), 0.0)"
    imports = (
        "from sklearn.manifold import SpectralEmbedding\nfrom sklearn.neighbors import kneighbors_graph\n\n"
        f"A = kneighbors_graph(X, {params.neighbours}, mode='distance').toarray()\n"
        f"A = np.maximum(A, A.T)\nA = {weights}"
    )
    return same_map(imports, f"SpectralEmbedding({params.dimensions}, affinity='precomputed').fit(A)", estimator=False)


def _waves(played: Played) -> list[int]:
    """How often each coordinate changes its sign from one end of the helix to the other; -1 where points are "
    "missing.
    """
    if len(played.model.members) < played.data.n:
        return [-1]
    along = played.model.embedding[np.argsort(played.data.X[:, 2])]
    changes: list[int] = (np.diff(np.sign(along), axis=0) != 0).sum(axis=0).tolist()
    return changes


ALGORITHM = Algorithm(
    key="laplacian_eigenmaps",
    title="Laplacian eigenmaps",
    family="embedding",
    summary="Keeps neighbours near each other: the smoothest eigenvectors of the graph of neighbours are the map.",
    params=Params,
    run=run,
    views=views,
    captions=words.CAPTIONS,
    warning=words.warning,
    explain=explain,
    looks=True,
    transform=transform,
    counterpart=counterpart,
    panels=(
        Panel("cloud", "Cloud and graph", space="none"),
        Panel("embedding", "Map", x="coordinate 1", y="coordinate 2"),
        Panel("spectrum", "Eigenvalues", x="number, the smallest first", y="eigenvalue"),
        Panel("kernel", "Weights of the edges", x="length of an edge", y="weight"),
        Panel("plane", "Two features", space="data"),
    ),
    metrics=(
        Metric("tension", "weighted squares of the edges in the map", group="map", log=True),
        Metric("gap", "first eigenvalue that is not used", group="spectrum", better="neither"),
        Metric("edges", "edges", group="edges", better="neither"),
        Metric("components", "connected pieces", group="pieces", log=True, better="neither"),
    ),
    pseudocode=(
        Line("z ← principal components", "start"),
        Line("join neighbours: edges {edges}, pieces {components}", "connect"),
        Line("A_ij ← exp(-l²/2s²); D ← row sums; L ← D - A", "weigh"),
        Line("L v = l D v, the smallest l first", "eigen"),
        Line("v as colours: the constant one says nothing", "vector"),
        Line("z ← the next ones: tr Z'LZ / tr Z'DZ = {tension}", "unroll"),
        Line("return z", "result"),
    ),
    reference="Methods for Data Science §12.5.1 (with D⁻¹L); Belkin, Niyogi, Neural Computation 15, 2003; Murphy, "
    "Probabilistic Machine Learning: An Introduction §20.4.9",
    most=MOST_POINTS,
    example="swiss_roll(n=1000,noise=0,turns=1,width=30,seed=1)",
    synonyms=(
        "spectral embedding",
        "graph Laplacian",
        "Fiedler vector",
        "manifold learning",
        "heat kernel",
        "similarity graph",
    ),
    formulas=(
        r"A_{ij} = e^{-\|x_i - x_j\|^2 / 2s^2} \text{ for neighbours}, \qquad D_{ii} = \sum_j A_{ij}, \qquad L = D - A",
        r"\frac{1}{2} \sum_{i,j} A_{ij} \|z_i - z_j\|^2 = \operatorname{tr}(Z^{\top} L Z), \qquad Z^{\top} D Z = I",
        r"L v = \lambda D v, \qquad 0 = \lambda_0 \le \lambda_1 \le \lambda_2 \le \ldots",
    ),
    tries=(
        Try(
            "On a long narrow sheet the second coordinate is only the first one bent over.",
            "swiss_roll(n=1000,noise=0,seed=1)",
            shows=lambda played: bent(played.model.embedding) > 0.9,
        ),
        Try(
            "Along a wire the first eigenvector is half a wave, the second a whole one: the map is a parabola.",
            "helix(n=300,seed=1)",
            {"neighbours": 8},
            shows=lambda played: _waves(played) == [1, 2] and bent(played.model.embedding) > 0.95,
        ),
        Try(
            "With too many neighbours edges jump from layer to layer, and the map folds.",
            "swiss_roll(n=1000,noise=0,seed=1)",
            {"neighbours": 40, "kernel": "0 and 1"},
            shows=lambda played: (
                fitted_by(played.model.embedding, played.data.y) < 0.2
                and fitted_by(played.but(neighbours=10).model.embedding, played.data.y) > 0.9
            ),
        ),
    ),
    related=(
        Try(
            "A diffusion map: nearly the same first coordinate, from a random walk that takes many steps.",
            method="diffusion_map",
            shows=lambda played: (
                fitted_by(played.by("laplacian_eigenmaps").model.embedding[:, 0], played.model.embedding[:, 0]) > 0.95
            ),
        ),
    ),
    questions=(
        Question("How many pieces has the graph after the next step?", "connect", "metrics.components"),
        Question("How many edges has it then?", "connect", "metrics.edges"),
        Question("How large is tr Z'LZ by the size of the map in the next frame?", "unroll", "metrics.tension"),
    ),
)
