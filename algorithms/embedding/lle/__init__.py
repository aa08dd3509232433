"""Locally linear embedding: a map in which every point is rebuilt from its neighbours as it is in the data.

A small piece of a curved sheet is nearly flat. So every point is nearly a weighted sum of its neighbours, with weights
that add up to 1, and such weights do not change when the piece is turned, moved or stretched: the same weights hold in
the flat map. They are found from the data, one point after the other; then the map is found from them, all at once:

    w_i = (C + v I)^-1 1 / sum,   C_jl = (x_i - x_j)'(x_i - x_l),      M = (I - W)'(I - W),   M z = l z

The constant vector has the eigenvalue 0 and says nothing; the next ones are the coordinates, at right angles to each
other and of length one, so the map does not know how long the sheet is. With more neighbours than features C has no
inverse, which the ridge v mends; it is a fraction of the trace of C, so that the unit of the data does not matter. A
new point is rebuilt from its neighbours, too, and the same weights give its place.

Handbook section 3.1.3, Alg. 5; Roweis and Saul 2000; Saul and Roweis 2003.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

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
from algorithms.embedding.lle import solver, words
from algorithms.embedding.lle.views import views, weights_of
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
from algorithms.maths.verdicts import bent, fitted_by
from algorithms.params import Between, Doc, Log
from algorithms.played import Played

MOST_POINTS = 3000
"""The table of the weights of more points than this does not fit into the memory of a small computer."""
SHOWN = 10
"""Points whose weights are shown one after the other."""
EIGENVALUES = 7
"""How many eigenvalues are shown, and the 0."""


@dataclass(frozen=True, slots=True)
class Params:
    """The knobs of locally linear embedding."""

    graph: near.GraphRule = "k nearest neighbours"
    neighbours: near.Neighbours = 12
    epsilon: near.Epsilon = 0.1
    dimensions: near.Dimensions = 2
    ridge: Annotated[
        float,
        Between(1e-9, 1.0),
        Log,
        Doc("What is added to the diagonal of C, as a fraction of its trace: more makes the weights more equal."),
    ] = 1e-3


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """What is known so far. ``embedding`` is that of principal components until the method has found its own."""

    embedding: Array  # (m, dimensions) each column around 0, at right angles to the others and of length 1
    weights: Array  # (n, n) row i rebuilds point i from its neighbours and adds up to 1; empty until known
    members: Array  # (m,) the points in the map: all, or the largest connected piece
    eigenvalues: Array  # (e,) of M, rising, beginning with the 0; empty until known
    degrees: Array  # (n,) edges at each point
    pieces: Array  # (n,) the connected piece of each point, 0 for the largest
    placing: solver.Placing


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What stays the same during a run."""

    params: Params
    stage: Stage
    error: float  # what the weights leave over of the points
    groups: int  # of points that are rebuilt only from points of their own group
    flat: bool  # there are no more features than coordinates


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """How far the graph and the map are, and whose weights are shown."""

    grown: Grown
    point: int = -1


Shot = Snapshot[Given, Model, Shown]


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run[Shot]:
    """Find the weights that rebuild each point from its neighbours, and then the map that they rebuild best."""
    X, unit = near.prepared(data, ALGORITHM.title, MOST_POINTS)
    neighbourhood = near.joined(X, unit, params.graph, params.neighbours, params.epsilon)
    first = FirstMap.of(X, data.X.mean(axis=0), unit, params.dimensions)
    stage = Stage.of(data, neighbourhood.graph, first.components, X, unit)
    lists = _lists(X, neighbourhood, params)
    W = solver.all_weights(X, lists, params.ridge)
    A = solver.left_over(W, lists, stage.members)
    error = float(np.sqrt(np.square(X - W @ X).sum() / np.square(X).sum()))
    given = Given(params, stage, error, solver.closed_groups(A), data.d <= params.dimensions)
    model = _first_model(data, params, first, X)
    misfit = solver.misfit(A, model.embedding[stage.members])  # at once: the curve has a height to fall from
    yield _shot(given, "start", model, misfit, Shown(Grown()))
    for grown, degrees, pieces in growing(neighbourhood):
        model = replace(model, degrees=degrees, pieces=pieces)
        yield _shot(given, "connect", model, misfit, Shown(grown))
    model = replace(model, members=stage.members, embedding=model.embedding[stage.members], weights=W)
    whole = Grown(len(stage.graph), len(stage.graph))
    for point in _shown_points(model):
        yield _shot(given, "weights", model, misfit, Shown(whole, point))
    values, vectors = solver.bottom(A, EIGENVALUES, flat=data.d <= 3)
    model = replace(model, eigenvalues=np.append(0.0, values))
    yield _shot(given, "eigen", model, misfit, Shown(whole, point))
    places = maps.oriented(maps.first_columns(vectors, params.dimensions), model.embedding)
    placing = replace(model.placing, X=X[model.members], places=places)
    for grown, embedding in stage.unrolling(model.embedding, places):
        model = replace(model, embedding=embedding, placing=replace(placing, unrolled=grown.fraction))
        misfit = solver.misfit(A, embedding)
        yield _shot(given, "unroll", model, misfit, Shown(grown, point))
    yield _shot(given, "result", model, misfit, Shown(whole, point))
    return Stop.COMPLETE


def _first_model(data: Points, params: Params, first: FirstMap, X: Array) -> Model:
    """Before anything is joined: every point a piece of its own, the map that of principal component analysis."""
    return Model(
        embedding=first.places(X),
        weights=np.empty((0, 0)),
        members=np.arange(data.n),
        eigenvalues=np.empty(0),
        degrees=np.zeros(data.n, dtype=np.int64),
        pieces=np.arange(data.n),
        placing=solver.Placing(
            first=first,
            X=X,
            neighbours=min(params.neighbours, data.n - 1) if params.graph == near.NEAREST else 0,
            radius=params.epsilon * near.diagonal(X),
            ridge=params.ridge,
            places=np.empty((0, params.dimensions)),
        ),
    )


def _lists(X: Array, neighbourhood: near.Neighbourhood, params: Params) -> solver.Lists:
    if params.graph == near.NEAREST:
        return solver.Lists.nearest(X, params.neighbours)
    return solver.Lists.joined(neighbourhood.graph)


def _shown_points(model: Model) -> list[int]:
    """Some points along the first principal axis, whose weights are shown one after the other; the middle one stays."""
    order = model.members[np.argsort(model.embedding[:, 0], kind="stable")]
    return [*order[maps.evenly(len(order), SHOWN)].tolist(), int(order[len(order) // 2])]


def _shot(given: Given, phase: str, model: Model, misfit: float, shown: Shown) -> Shot:
    numbers = {
        "misfit": misfit,
        "error": given.error,
        "edges": shown.grown.count,
        "components": int(model.pieces.max()) + 1,
    }
    return Snapshot(given, phase, model, numbers, shown)


def transform(model: Model, X: Array) -> Array:
    """Places of new points: rebuilt from their neighbours in the data, with the same weights in the map."""
    return model.placing.place(X)


def explain(model: Model, data: Points, item: Item) -> Explanation:
    """What rebuilds a data point, or the one nearest to another place, and where it lies."""
    point, answer = meant(data, item), joined_words(model, data, item)
    by, weights = weights_of(model, point)
    for neighbour, weight in zip(by[:3].tolist(), weights[:3].tolist()):
        answer[f"weight of point {neighbour + 1}"] = weight
    if len(by):
        answer["smallest weight"] = float(weights[-1])
        answer["distance from what is rebuilt"] = words.distance_left(data.X, point, by, weights)
    return answer | coordinate_words(model.embedding, model.members, point)


def counterpart(params: Params, case: Case | None) -> Counterpart | None:
    """``sklearn.manifold.LocallyLinearEmbedding``, which knows nearest neighbours only."""
    if params.graph != near.NEAREST or (case is not None and case.data.n <= params.neighbours):
        return None  # they refuse as many neighbours as there are points
    make = (
        f"LocallyLinearEmbedding(n_neighbors={params.neighbours}, n_components={params.dimensions}, "
        f"reg={params.ridge!r}, eigen_solver='dense')"
    )
    return same_map("from sklearn.manifold import LocallyLinearEmbedding", make)


def _longer(played: Played) -> float:
    """How many times as large the first coordinate of a map is as the second."""
    along, across = played.model.embedding.std(axis=0)[:2]
    return float(along / across)


ALGORITHM = Algorithm(
    key="lle",
    title="Locally linear embedding",
    family="embedding",
    summary="Rebuilds every point from its neighbours, and finds the flat map that the same weights rebuild.",
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
        Panel("weights", "Weights", x="neighbour", y="weight"),
        Panel("spectrum", "Eigenvalues of M", x="number, the smallest first", y="eigenvalue"),
        Panel("plane", "Two features", space="data"),
    ),
    metrics=(
        Metric("misfit", "reconstruction error of the map", group="map", log=True),
        Metric("error", "reconstruction error of the points", group="points", better="neither"),
        Metric("edges", "edges", group="edges", better="neither"),
        Metric("components", "connected pieces", group="pieces", log=True, better="neither"),
    ),
    pseudocode=(
        Line("z ← principal components, of length 1", "start"),
        Line("join neighbours: edges {edges}, pieces {components}", "connect"),
        Line("w_i ← (C + v I)⁻¹ 1 / sum: error {error}", "weights"),
        Line("M ← (I - W)'(I - W); its smallest eigenvalues", "eigen"),
        Line("z ← their vectors, without the constant one", "unroll"),
        Line("return z: error {misfit}", "result"),
    ),
    reference="Handbook §3.1.3 (Alg. 5); Hastie, Tibshirani, Friedman, The Elements of Statistical Learning §14.9; "
    "Roweis, Saul, Science 290, 2000; Saul, Roweis, Journal of Machine Learning Research 4, 2003",
    most=MOST_POINTS,
    example="swiss_roll(n=1000,noise=0,turns=1,width=30,seed=1)",
    synonyms=("LLE", "barycentric weights", "manifold learning", "non-linear dimension reduction"),
    formulas=(
        r"C^{(i)}_{jl} = (x_i - x_{\eta_j})^{\top}(x_i - x_{\eta_l}), \qquad "
        r"w_i = \frac{(C^{(i)} + \nu I)^{-1} \mathbf{1}}{\mathbf{1}^{\top} (C^{(i)} + \nu I)^{-1} \mathbf{1}}",
        r"M = (I - W)^{\top}(I - W), \qquad M \mathbf{1} = 0",
        r"\min_{Z} \sum_i \Big\| z_i - \sum_j W_{ij} z_j \Big\|^2 = \operatorname{tr}(Z^{\top} M Z), \qquad "
        r"Z^{\top} Z = I, \quad Z^{\top} \mathbf{1} = 0",
    ),
    tries=(
        Try(
            "With few neighbours some groups are rebuilt only from themselves, and each shrinks nearly to a point.",
            params={"neighbours": 5},
            shows=lambda played: (
                "3 groups of points" in played.last.warning
                and fitted_by(played.model.embedding, played.data.y) < 0.3
                and fitted_by(played.but(neighbours=12).model.embedding, played.data.y) > 0.9
            ),
        ),
        Try(
            "On a long sheet a larger ridge spoils the map: the second coordinate is only the first one bent over.",
            "swiss_roll(n=1500,noise=0,seed=1)",
            {"ridge": 0.01},
            shows=lambda played: (
                bent(played.model.embedding) > 0.9 > 0.1 > bent(played.but(ridge=1e-3).model.embedding)
            ),
        ),
        Try(
            "A sheet bent into the letter S becomes flat: one direction of the map goes along the S, the other across "
            "it.",
            "s_curve(n=1000,width=5,seed=1)",
            {"neighbours": 12},
            shows=lambda played: (
                min(fitted_by(played.model.embedding, place) for place in (played.data.y, played.data.X[:, 1])) > 0.98
            ),
        ),
    ),
    related=(
        Try(
            "Isomap keeps the distances along the sheet, so its map is longer than wide, where that of LLE is square.",
            method="isomap",
            shows=lambda played: _longer(played) > 1.2 and abs(_longer(played.by("lle")) - 1.0) < 1e-6,
        ),
    ),
    questions=(
        Question("How many pieces has the graph after the next step?", "connect", "metrics.components"),
        Question("How many edges has it then?", "connect", "metrics.edges"),
        Question("How large is the reconstruction error of the map in the next frame?", "unroll", "metrics.misfit"),
    ),
)
