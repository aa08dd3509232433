"""UMAP: a map of a fuzzy graph of neighbours, whose edges pull while strangers drawn at random push.

Every point is joined to its nearest neighbours by edges with strengths between 0 and 1: the nearest one fully, the
others the less the farther they are beyond it. The scale is each point's own, so that in thin regions a neighbour may
be far away. The two directions of an edge are united as fuzzy sets. In the map, two points are similar by a
smooth curve that is nearly 1 up to a least distance and then falls.

    a_ij = exp(-max(|x_i - x_j| - r_i, 0) / s_i),   sum_j a_ij = log2 k,   w = a + a' - a a'
    v(d) = 1 / (1 + a d^2b),   C = -sum w_ij log v_ij - sum (1 - w_ij) log(1 - v_ij)

The cross-entropy C between the two is gone down at random: in every epoch an edge pulls its ends together as often as
its weight says, and after each pull a few points drawn from all push one of the ends away, with a rate that falls to
zero. The time of an epoch grows with the number of edges only. Drawing few strangers makes repulsion weaker than C
says, and the loss shown is the one that is really gone down (Damrich and Hamprecht 2021).

A new point is joined to its neighbours among the data, begins in their middle and moves to where pulls and pushes
balance, while the others stay.

Reference: McInnes, Healy and Melville 2018; Damrich and Hamprecht 2021.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

import numpy as np

from algorithms.contract import (
    Algorithm,
    Count,
    Ended,
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
from algorithms.data import Array, Item, Points
from algorithms.embedding.umap import solver, words
from algorithms.embedding.umap.views import views
from algorithms.maths.cloud_stage import meant
from algorithms.maths.maps import equal_distances
from algorithms.maths.moving_maps import Cloud, adopted_places
from algorithms.maths.nearest_points import nearest_others
from algorithms.maths.neighbourhoods import prepared
from algorithms.maths.trustworthiness import KnownNeighbours
from algorithms.maths.verdicts import agreeing, fitted_by, more_and_smaller, torn
from algorithms.params import Between, Doc, Log
from algorithms.played import Played

MOST_POINTS = 10_000
"""More points than this have too many edges for a step that can be called off at once."""
MOST_NEIGHBOURS = 750_000
"""Of all points together: an epoch with more of them would take too long to be called off at once."""
FRAMES = 300
"""About so many frames show the epochs."""


@dataclass(frozen=True, slots=True)
class Params:
    """The knobs of UMAP."""

    neighbours: Annotated[
        int,
        Between(2, 200),
        Log,
        Doc("To how many of its nearest points each point is joined: few show fine structure, many the whole."),
    ] = 15
    min_dist: Annotated[
        float,
        Between(0.0, 1.0),
        Doc("How near points may come to each other in the map: less packs groups more tightly."),
    ] = 0.1
    epochs: Annotated[int, Between(5, 2000), Log, Doc("How often all edges pull, according to their weights.")] = 200
    rate: Annotated[
        float,
        Between(0.01, 1.0),
        Log,
        Doc("How far pulls and pushes go in the first epoch: 1 is usual, but the map boils; less moves it smoothly."),
    ] = 0.2
    dimensions: Annotated[int, Between(1, 3), Doc("How many coordinates the map has.")] = 2
    negatives: Annotated[
        int,
        Between(1, 30),
        Doc("How many strangers push after each pull; more of them spread the groups."),
    ] = 5
    begin: Annotated[
        Literal["spectral", "principal components", "random"],
        Doc("The map before the first epoch: eigenvectors of the graph, those of the data, or random numbers."),
    ] = "spectral"


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """The map, and what is needed to move it and to find the place of a new point."""

    embedding: Array  # (n, dimensions)
    loss: float  # until the graph is known, by the neighbours of the points that are asked
    epoch: int
    rate: float  # of the epoch
    graph: solver.FuzzyGraph | None  # None until known
    rho: Array  # (n,) the distance to the nearest neighbour, in the data; empty until known
    sigma: Array  # (n,)
    similarity: solver.Similarity
    neighbours: int  # as many as there are used
    negatives: int
    X: Array  # (n, d) the points centred and of size one
    centre: Array  # (d,)
    unit: float


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What stays the same during a run."""

    data: Points
    params: Params
    cloud: Cloud
    judged: int  # neighbours in the map that the trustworthiness looks at; 0 where there are too few points


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """How the map begins, and what deserves doubt."""

    joined: Array | None = None  # (n, k) the neighbours, until there is a graph of them
    alike: bool = False  # all points are equally far from each other
    begun: str = ""  # where the map really began
    pieces: int = 1  # of the graph, where the map was to begin with its eigenvectors


Shot = Snapshot[Given, Model, Shown]


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run[Shot]:
    """Join neighbours into a fuzzy graph, lay it out, and let edges pull and strangers push, epoch after epoch."""
    X, unit = prepared(data, "UMAP", MOST_POINTS, "moves every point at every step")
    known, shown = KnownNeighbours.of(X), Shown()
    given = Given(data, params, Cloud.of(data), known.k)
    model = _first(data, params, X, unit)
    yield _shot(given, "start", model, known, shown)
    near = nearest_others(X, model.neighbours)
    strengths, rho, sigma = solver.memberships(near.distances)
    model, alike = replace(model, rho=rho * unit, sigma=sigma * unit), bool(equal_distances(near.distances, data.n))
    yield _shot(given, "join", model, known, Shown(joined=near.points, alike=alike))
    graph = solver.union(near.points, strengths)
    model = _judged(replace(model, graph=graph), graph)
    yield _shot(given, "union", model, known, Shown(alike=alike))
    places, begun, pieces = _begin(model.embedding, graph, params, rng)
    model, shown = _judged(replace(model, embedding=places), graph), Shown(None, alike, begun, pieces)
    yield _shot(given, "begin", model, known, shown)
    motion = solver.Motion(graph, model.similarity, model.negatives, rng)
    every = max(1, params.epochs // FRAMES)
    for epoch in range(1, params.epochs + 1):
        rate = params.rate * (1.0 - (epoch - 1) / params.epochs)
        places = solver.rounded(motion.epoch(places, epoch, rate))
        if epoch % every == 0 or epoch == params.epochs:
            model = _judged(replace(model, embedding=places, epoch=epoch, rate=rate), graph)
            yield _shot(given, "epoch", model, known, shown)
    yield _shot(given, "result", model, known, shown)
    return Ended(Stop.COMPLETE, f"after {model.epoch:,} epochs")


def _first(data: Points, params: Params, X: Array, unit: float) -> Model:
    """Before the graph is known: the map of principal components, judged by the neighbours of some points."""
    k = min(params.neighbours, data.n - 1, MOST_NEIGHBOURS // data.n)
    places, similarity = solver.first_map(X, params.dimensions), solver.fitted_similarity(params.min_dist)
    return Model(
        embedding=places,
        loss=solver.loss_before(X, places, k, similarity, params.negatives),
        epoch=0,
        rate=params.rate,
        graph=None,
        rho=np.empty(0),
        sigma=np.empty(0),
        similarity=similarity,
        neighbours=k,
        negatives=params.negatives,
        X=X,
        centre=data.X.mean(axis=0),
        unit=unit,
    )


def _shot(given: Given, phase: str, model: Model, known: KnownNeighbours, shown: Shown) -> Shot:
    numbers = {
        "loss": model.loss,
        "trustworthiness": known.trustworthiness(model.embedding),
        "epoch": model.epoch,
        "rate": model.rate,
    }
    return Snapshot(given, phase, model, numbers, shown)


def _judged(model: Model, graph: solver.FuzzyGraph) -> Model:
    return replace(model, loss=solver.loss(model.embedding, graph, model.similarity, model.negatives))


def _begin(places: Array, graph: solver.FuzzyGraph, params: Params, rng: np.random.Generator) -> tuple[Array, str, int]:
    """The map before the first epoch, where it really begins, and the pieces that have no eigenvectors of their own."""
    begun, pieces = str(params.begin), 1
    if begun == "random":
        places = solver.random_map(len(places), params.dimensions, rng)
    elif begun == "spectral":
        found = solver.spectral_map(graph, places, rng)
        if found is None:
            begun, pieces = "too few", solver.pieces(graph)
        else:
            places = found
    return solver.rounded(places + solver.JITTER * rng.standard_normal(places.shape)), begun, pieces


def adopt(data: Points, params: Params, foreign: Iterator[Any]) -> Iterator[Shot]:
    """Somebody else's run, which yields the places (n, 1 to 3) of the points; the loss is that of our graph."""
    X, unit = prepared(data, "UMAP", MOST_POINTS, "moves every point at every step")
    known, model = KnownNeighbours.of(X), _first(data, params, X, unit)
    given = Given(data, params, Cloud.of(data), known.k)
    near = nearest_others(X, model.neighbours)
    strengths, rho, sigma = solver.memberships(near.distances)
    graph = solver.union(near.points, strengths)
    model = replace(model, graph=graph, rho=rho * unit, sigma=sigma * unit, rate=0.0)
    for step, said in enumerate(foreign):
        model = _judged(replace(model, embedding=adopted_places(said, data.n, step), epoch=step), graph)
        yield _shot(given, "epoch" if step else "begin", model, known, Shown(begun="foreign"))


def transform(model: Model, X: Array) -> Array:
    """Places of new points: in the middle of their neighbours, then where pulls and pushes balance."""
    new = (X - model.centre) / model.unit
    return solver.placed_beside(model.embedding, model.X, new, model.neighbours, model.similarity, model.negatives)


def explain(model: Model, data: Points, item: Item) -> Explanation:
    """What moves a data point, or the one nearest to another place."""
    return words.about(model, data, meant(data, item), nearest=item.number < 0)


def _spacing(played: Played) -> float:
    """The median distance to the nearest neighbour in the map, beside the size of the map."""
    places = played.model.embedding
    return float(np.median(nearest_others(places, 1).distances) / np.ptp(places, axis=0).mean())


ALGORITHM = Algorithm(
    key="umap",
    title="UMAP",
    family="embedding",
    summary="Lays out a fuzzy graph of neighbours: edges pull, points drawn at random push.",
    params=Params,
    run=run,
    views=views,
    captions=words.CAPTIONS,
    warning=words.warning,
    count=Count("epoch", "epoch"),
    explain=explain,
    looks=True,
    adopt=adopt,
    transform=transform,
    panels=(
        Panel("embedding", "Map", x="coordinate 1", y="coordinate 2"),
        Panel("cloud", "Cloud and graph", space="none"),
        Panel("pictures", "Neighbours as pictures", space="none", pictures=True),
        Panel("plane", "Two features", space="data"),
        Panel("member", "Edges of a point", x="pair", y="strength"),
        Panel("similarity", "Similarity in the map", x="distance in the map", y="similarity"),
    ),
    metrics=(
        Metric("loss", "loss per point", group="loss", better="neither"),
        Metric("trustworthiness", "trustworthiness", group="trustworthiness", better="neither"),
        Metric("epoch", "epochs", group="epochs", better="neither"),
        Metric("rate", "rate", group="rate", better="neither"),
    ),
    pseudocode=(
        Line("fit a, b to the wanted similarity", "start"),
        Line("a_ij ← exp(-max(|x_i - x_j| - r_i, 0) / s_i),  Σ_j a_ij = log₂ k", "join"),
        Line("w_ij ← a_ij + a_ji - a_ij a_ji", "union"),
        Line("z ← eigenvectors of the Laplacian of w", "begin"),
        Line("for each epoch, with a falling rate:   {epoch}, rate {rate}"),
        Line("    for each edge ij, as often as w_ij says:", "epoch"),
        Line("        pull z_i and z_j together"),
        Line("        push z_i away from points drawn at random"),
        Line("return z: loss {loss}", "result"),
    ),
    reference="McInnes, Healy, Melville, UMAP: Uniform Manifold Approximation and Projection, arXiv 1802.03426; "
    "Damrich, "
    "Hamprecht, On UMAP's True Loss Function, NeurIPS 2021",
    most=MOST_POINTS,
    example="some_digits(n=600,seed=1)",
    synonyms=(
        "uniform manifold approximation and projection",
        "fuzzy simplicial set",
        "negative sampling",
        "manifold learning",
        "non-linear dimension reduction",
    ),
    formulas=(
        r"a_{ij} = \exp\left( -\frac{\max(\|x_i - x_j\| - \rho_i,\, 0)}{\sigma_i} \right), \qquad "
        r"\sum_{j=1}^{k} a_{ij} = \log_2 k",
        r"w_{ij} = a_{ij} + a_{ji} - a_{ij}\, a_{ji}",
        r"v_{ij} = \frac{1}{1 + a\, \|z_i - z_j\|^{2b}}",
        r"C = -\sum_{i < j} \left( w_{ij} \log v_{ij} + (1 - w_{ij}) \log(1 - v_{ij}) \right)",
    ),
    tries=(
        Try(
            "With 4 neighbours instead of 15 the map falls into more and smaller groups.",
            params={"neighbours": 4},
            shows=lambda played: more_and_smaller(played.model.embedding, played.but(neighbours=15).model.embedding),
        ),
        Try(
            "With a min_dist of 0.8 neighbours in the map are more than twice as far apart, beside the size of the "
            "map.",
            params={"min_dist": 0.8},
            shows=lambda played: _spacing(played) > 2.0 * _spacing(played.but(min_dist=0.1)),
        ),
        Try(
            "A rolled-up sheet: the graph runs along it, and the map unrolls it with a few tears.",
            "swiss_roll(n=1000,noise=0,seed=1)",
            shows=lambda played: (
                fitted_by(played.model.embedding, played.data.y) > 0.9
                and 0.01 < torn(played.data.X, played.model.embedding) < 0.1
            ),
        ),
        Try(
            "From random positions instead of eigenvectors the loss ends higher.",
            params={"begin": "random"},
            shows=lambda played: played.final("loss") > 1.02 * played.but(begin="spectral").final("loss"),
        ),
    ),
    related=(
        Try(
            "t-SNE on the same data: repulsion from all points instead of a few, and groups that lie closer together.",
            method="t_sne",
            shows=lambda played: _spacing(played) > 1.5 * _spacing(played.by("umap")),
        ),
        Try(
            "Principal components of the same data: a linear map, in which the groups overlap.",
            method="pca",
            shows=lambda played: agreeing(played) < 0.6 < 0.9 < agreeing(played.by("umap")),
        ),
    ),
    questions=(
        Question("How large is the loss in the next frame?", "epoch", "metrics.loss"),
        Question("How trustworthy is the map then?", "epoch", "metrics.trustworthiness"),
    ),
)
