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

from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np

from algorithms.contract import (
    Algorithm,
    Case,
    Counterpart,
    DrawnRun,
    DrawnSnapshot,
    Explanation,
    LazyViews,
    Line,
    Metric,
    Panel,
    Stop,
    Try,
)
from algorithms.counterpart import same_map
from algorithms.data import Array, Item, Points
from algorithms.embedding.lle import solver, words
from algorithms.embedding.lle.views import Picture, frame, views_of, weights_of
from algorithms.maths import maps
from algorithms.maths import neighbourhoods as near
from algorithms.maths.cloud_stage import FirstMap, Stage, connected, coordinate_words, joined_words, meant
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


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> DrawnRun:
    """Find the weights that rebuild each point from its neighbours, and then the map that they rebuild best."""
    X, unit = near.prepared(data, ALGORITHM.title, MOST_POINTS)
    neighbourhood = near.joined(X, unit, params.graph, params.neighbours, params.epsilon)
    lists = _lists(X, neighbourhood, params)
    W = solver.all_weights(X, lists, params.ridge)
    A = solver.left_over(W, lists, near.largest_component(neighbourhood.graph)[2])
    picture = _first_picture(data, params, neighbourhood, X, unit)
    picture = _measured(picture, A, W, X)  # from the first frame on, so that the curves have a height to fall from
    yield frame(picture, "start", words.opening(data, params.dimensions))
    picture = yield from connected(picture, neighbourhood, params.graph, frame)
    picture = yield from _weights(picture, W)
    picture = _warned(picture, A, params)
    values, vectors = solver.bottom(A, EIGENVALUES, flat=data.d <= 3)
    warning = picture.warning or maps.equal_eigenvalues(values, params.dimensions)
    picture = replace(picture, model=replace(picture.model, eigenvalues=np.append(0.0, values)), warning=warning)
    yield frame(picture, "eigen", words.spectrum(picture.model.eigenvalues, params.dimensions))
    places = maps.oriented(maps.first_columns(vectors, params.dimensions), picture.model.embedding)
    picture = yield from _unroll(picture, A, X, places)
    yield frame(picture, "result", words.closing(picture))
    return Stop.COMPLETE


def _first_picture(data: Points, params: Params, neighbourhood: near.Neighbourhood, X: Array, unit: float) -> Picture:
    """Before anything is joined: every point a piece of its own, the map that of principal component analysis."""
    first = FirstMap.of(X, data.X.mean(axis=0), unit, params.dimensions)
    stage = Stage.of(data, neighbourhood.graph, first.components, X, unit)
    model = Model(
        embedding=first.places(X),
        weights=np.empty((0, 0)),
        members=stage.members,
        eigenvalues=np.empty(0),
        degrees=np.zeros(data.n, dtype=np.int64),
        pieces=stage.pieces,
        placing=solver.Placing(
            first=first,
            X=X,
            neighbours=min(params.neighbours, data.n - 1) if params.graph == near.NEAREST else 0,
            radius=params.epsilon * near.diagonal(X),
            ridge=params.ridge,
            places=np.empty((0, params.dimensions)),
        ),
    )
    return Picture(stage, model, params.dimensions)


def _lists(X: Array, neighbourhood: near.Neighbourhood, params: Params) -> solver.Lists:
    if params.graph == near.NEAREST:
        return solver.Lists.nearest(X, params.neighbours)
    return solver.Lists.joined(neighbourhood.graph)


def _measured(picture: Picture, A: Any, W: Array, X: Array) -> Picture:
    """What the weights leave over of the points, and of the map of principal components."""
    error = float(np.sqrt(np.square(X - W @ X).sum() / np.square(X).sum()))
    _, _, members = near.largest_component(picture.stage.graph)
    return replace(picture, error=error, misfit=solver.misfit(A, picture.model.embedding[members]))


def _weights(picture: Picture, W: Array) -> Generator[DrawnSnapshot, None, Picture]:
    """The weights of some points along the first principal axis, one after the other; the middle one stays."""
    picture = replace(picture, model=replace(picture.model, weights=W))
    members = picture.stage.members
    order = members[np.argsort(picture.model.embedding[:, 0], kind="stable")]
    shown = order[maps.evenly(len(order), SHOWN)].tolist()
    for point in [*shown, int(order[len(order) // 2])]:
        picture = replace(picture, focus=point)
        yield frame(picture, "weights", words.rebuilt(picture))
    return picture


def _warned(picture: Picture, A: Any, params: Params) -> Picture:
    """What the neighbours say about the map to come."""
    data, nearest = picture.stage.data, params.graph == near.NEAREST
    warnings = [picture.warning]
    groups = solver.closed_groups(A)
    if groups > 1:
        warnings.append(words.closed_warning(groups, "neighbours" if nearest else "epsilon"))
    elif nearest and min(params.neighbours, data.n - 1) < params.dimensions:
        warnings.append(words.few_neighbours_warning(params.dimensions))
    if data.d <= params.dimensions:
        warnings.append(words.flat_warning(data.d))
    return replace(picture, warning=" ".join(filter(None, warnings)))


def _unroll(picture: Picture, A: Any, X: Array, places: Array) -> Generator[DrawnSnapshot, None, Picture]:
    """The map and the cloud going over from the data to the embedding."""
    model = picture.model
    placing = replace(model.placing, X=X[model.members], places=places)
    stage = picture.stage
    for fraction, embedding, moving in stage.unrolled(model.embedding, places):
        placing = replace(placing, unrolled=maps.eased(fraction))
        model = replace(model, embedding=embedding, placing=placing)
        picture = replace(picture, stage=moving, model=model, misfit=solver.misfit(A, embedding))
        yield frame(picture, "unroll", words.unrolling(fraction, picture.misfit))
    return replace(picture, stage=stage)


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


def look_at(shot: DrawnSnapshot, data: Points, item: Item) -> DrawnSnapshot:
    """The weights of the item in place of those of the chosen point."""
    assert isinstance(shot.views, LazyViews)
    picture = shot.views.arguments[-1]
    if picture.focus < 0 or not len(weights_of(picture.model, item.number)[0]):
        return shot
    return replace(shot, views=LazyViews(views_of, replace(picture, focus=item.number)))


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
    explain=explain,
    look_at=look_at,
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
)
