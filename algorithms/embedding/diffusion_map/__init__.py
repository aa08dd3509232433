"""Diffusion maps: two points are near when heat from both spreads in the same way.

A walker goes from point to point, to near ones more often than to far ones. The probabilities of a step are a matrix P
with rows that add up to 1; those of t steps are P^t. Two points from which the walk leads to the same places after t
steps are near each other. This diffusion distance is the straight one in the map of eigenvectors:

    K_ij = exp(-|x_i - x_j|^2 / 2s^2),   q = K 1,   P = D^-1 (K_ij / (q_i q_j)^alpha),   P psi_l = l_l psi_l
    z_i(t) = (l_1^t psi_1(i), l_2^t psi_2(i), ...)

Powers of eigenvalues below 1 vanish: with time fewer coordinates are left, and fine detail is forgotten. With alpha = 0
dense places attract the walk; with alpha = 1 only the form of the data counts. A new point takes one step to the known
ones, which gives its place exactly for points of the data (Nystrom).

Coifman and Lafon 2006; Nadler, Lafon, Coifman, Kevrekidis 2006.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from algorithms.contract import (
    Algorithm,
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
from algorithms.data import Array, DataError, Item, Points
from algorithms.embedding.diffusion_map import solver, words
from algorithms.embedding.diffusion_map.views import views
from algorithms.maths import maps
from algorithms.maths import neighbourhoods as near
from algorithms.maths.cloud_stage import FirstMap, Grown, Stage, coordinate_words, meant
from algorithms.maths.graphs import NeighbourGraph
from algorithms.maths.verdicts import fitted_by
from algorithms.params import Advanced, Between, Doc, Log, Unit, UpTo, Zero
from algorithms.played import Played

MOST_POINTS = 2500
"""The table of the affinities of more points than this does not fit into the memory of a small computer."""
EIGENVALUES = 12
"""How many eigenvalues are shown, and the 1."""


@dataclass(frozen=True, slots=True)
class Params:
    """The knobs of diffusion maps."""

    width: Annotated[
        float,
        Between(0.1, 30.0),
        Log,
        Unit("spacings"),
        Doc("The width s of the affinities exp(-l²/2s²), in mean distances to the seventh neighbour (spacings)."),
    ] = 0.7
    alpha: Annotated[
        float,
        Between(0.0, 1.0),
        Doc("How far the density of the points is divided out: 0 not at all, 1 so that only their form counts."),
    ] = 1.0
    time: Annotated[int, Between(1, 500), Log, Doc("How many steps the walk makes.")] = 100
    dimensions: near.Dimensions = 2
    from_point: Annotated[
        int,
        Between(0, 100_000),
        UpTo("items"),
        Zero("far out"),
        Advanced,
        Doc("Where the heat begins: the number of a point, or 0 for the one farthest from the middle."),
    ] = 0


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """What is known so far. ``embedding`` is that of principal components until the method has found its own."""

    embedding: Array  # (n, dimensions)
    eigenvalues: Array  # (e,) of P, falling, beginning with the 1; empty until known
    stationary: Array  # (n,) where the walk is after a very long time; empty until known
    heat: Array  # (n,) where a walker from the source is now
    placing: solver.Placing

    @property
    def members(self) -> Array:
        """All points are mapped."""
        return np.arange(len(self.embedding))

    @property
    def pieces(self) -> Array:
        """In one piece."""
        return np.zeros(len(self.embedding), dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What stays the same during a run."""

    params: Params
    stage: Stage
    source: int  # where the heat begins
    s: float  # the width of the affinities, in the data


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """How far the map is, and what the colours of the cloud show."""

    grown: Grown
    heat: Array | None = None  # (n,)
    name: str = ""


Shot = Snapshot[Given, Model, Shown]


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run[Shot]:
    """Make a walk of affinities, take its slowest vectors as coordinates, and let time pass."""
    X, unit = near.prepared(data, ALGORITHM.title, MOST_POINTS)
    source = _source(data, X, params)
    s = params.width * solver.typical_distance(X)
    first = FirstMap.of(X, data.X.mean(axis=0), unit, params.dimensions)
    no_edges = NeighbourGraph(data.n, np.empty((0, 2), dtype=np.int64), np.empty(0))
    stage = Stage.of(data, no_edges, first.components, X, unit)
    given, still = Given(params, stage, source, s * unit), Grown()
    model = _first_model(data, params, first, X, s, source)
    yield _shot(given, "start", model, Shown(still))
    K = solver.affinities(X, s)
    yield _shot(given, "affinity", model, Shown(still, K[source].copy(), "affinity"))
    walk = solver.Walk.of(K, params.alpha)
    yield _shot(given, "density", model, Shown(still, walk.densities, "q"))
    placing = replace(model.placing, densities=walk.densities)
    model = replace(model, stationary=walk.stationary, heat=walk.P[source].copy(), placing=placing)
    yield _shot(given, "walk", model, Shown(still, model.heat, "probability"))
    values, vectors = walk.spectrum(EIGENVALUES)
    model = replace(model, eigenvalues=np.append(1.0, values))
    yield _shot(given, "eigen", model, Shown(still))
    vectors = maps.oriented(maps.first_columns(vectors, params.dimensions), model.embedding)
    kept = maps.first_columns(values[None], params.dimensions)[0]
    first = first.resized(float(np.linalg.norm(vectors * kept)))
    placing = replace(placing, first=first, values=kept, vectors=vectors)
    for grown, embedding in stage.unrolling(first.places(X), vectors * kept):
        placing = replace(placing, unrolled=grown.fraction)
        model = replace(model, embedding=embedding, placing=placing)
        yield _shot(given, "unroll", model, Shown(grown))
    for time, heat in walk.spreading(source, solver.times_up_to(params.time)):
        if time:
            places = vectors * kept**time
            model = replace(model, embedding=places, heat=heat, placing=replace(placing, time=time))
            yield _shot(given, "spread", model, Shown(still, heat, "probability"), time)
    yield _shot(given, "result", model, Shown(still, heat, "probability"), time)
    return Stop.COMPLETE


def _source(data: Points, X: Array, params: Params) -> int:
    """The point where the heat begins: the one that was asked for, or the one farthest from the middle."""
    if params.from_point > data.n:
        raise DataError(f"from_point is {params.from_point}, but there are only {data.n} points.")
    return params.from_point - 1 if params.from_point else int(np.square(X).sum(axis=1).argmax())


def _first_model(data: Points, params: Params, first: FirstMap, X: Array, s: float, source: int) -> Model:
    """Before the first step: all heat at the source, the map that of principal component analysis."""
    return Model(
        embedding=first.places(X),
        eigenvalues=np.empty(0),
        stationary=np.empty(0),
        heat=np.where(np.arange(data.n) == source, 1.0, 0.0),
        placing=solver.Placing(
            first=first,
            X=X,
            s=s,
            alpha=params.alpha,
            densities=np.ones(data.n),
            values=np.zeros(params.dimensions),
            vectors=np.empty((0, params.dimensions)),
        ),
    )


def _shot(given: Given, phase: str, model: Model, shown: Shown, time: int = 0) -> Shot:
    """With over how many points the heat has spread, 1 / sum p², and which part of the distances the map shows."""
    kept = np.nan
    if len(model.eigenvalues):
        values = np.abs(model.eigenvalues[1:]) ** max(time, 1)
        whole = float(np.square(values).sum())
        kept = float(np.square(values[: given.params.dimensions]).sum()) / whole if whole > 0.0 else 0.0
    numbers = {"reached": 1.0 / float(np.square(model.heat).sum()), "kept": kept, "time": time}
    return Snapshot(given, phase, model, numbers, shown)


def transform(model: Model, X: Array) -> Array:
    """Places of new points, from where one step of the walk leads them."""
    return model.placing.place(X)


def explain(model: Model, data: Points, item: Item) -> Explanation:
    """Where the heat is at a data point, or the one nearest to another place, and where it lies in the map."""
    point = meant(data, item)
    answer: Explanation = {"point" if item.number >= 0 else "nearest point": point + 1}
    answer["probability of the walker"] = float(model.heat[point])
    if len(model.stationary):
        answer["after a very long time"] = float(model.stationary[point])
    return answer | coordinate_words(model.embedding, np.arange(data.n), point)


def _crossed(played: Played) -> float:
    """The fraction of the heat that is not in the class where it began."""
    y = played.data.y
    return float(played.model.heat[y != y[played.frames[0].model.heat.argmax()]].sum())


ALGORITHM = Algorithm(
    key="diffusion_map",
    title="Diffusion map",
    family="embedding",
    summary="Lets heat spread from point to point: where it spreads in the same way, points are near in the map.",
    params=Params,
    run=run,
    views=views,
    captions=words.CAPTIONS,
    warning=words.warning,
    explain=explain,
    transform=transform,
    panels=(
        Panel("cloud", "Cloud and heat", space="none"),
        Panel("embedding", "Map", x="coordinate 1", y="coordinate 2"),
        Panel("spectrum", "Eigenvalues^t", x="number", y="eigenvalue^t"),
        Panel("decay", "Eigenvalues over time", x="time t", y="eigenvalue^t", log_x=True),
        Panel("plane", "Two features", space="data"),
    ),
    metrics=(
        Metric("reached", "points reached by the heat", group="heat", log=True, better="neither"),
        Metric("kept", "fraction of squared distances shown", group="map", better="higher"),
        Metric("time", "steps of the walk", group="time", better="neither"),
    ),
    pseudocode=(
        Line("z ← principal components", "start"),
        Line("K_ij ← exp(-|x_i - x_j|² / 2s²)", "affinity"),
        Line("q ← K 1; K_ij ← K_ij / (q_i q_j)^α", "density"),
        Line("P ← K with rows that add up to 1: a walk", "walk"),
        Line("P ψ = l ψ, the largest l first", "eigen"),
        Line("z ← (l_1 ψ_1, l_2 ψ_2, ...)", "unroll"),
        Line("t = {time}: z ← l^t ψ; heat at {reached} points", "spread"),
        Line("return z: {kept} of the squared distances", "result"),
    ),
    reference="Coifman, Lafon, Diffusion maps, Applied and Computational Harmonic Analysis 21, 2006; Nadler, Lafon, "
    "Coifman, Kevrekidis, same volume",
    most=MOST_POINTS,
    example="swiss_roll(n=1000,noise=0,turns=1,width=30,seed=1)",
    synonyms=("diffusion distance", "random walk", "heat kernel", "Markov chain", "manifold learning"),
    formulas=(
        r"K_{ij} = e^{-\|x_i - x_j\|^2 / 2s^2}, \qquad q_i = \sum_j K_{ij}, \qquad "
        r"P_{ij} = \frac{K_{ij} / (q_i q_j)^{\alpha}}{\sum_l K_{il} / (q_i q_l)^{\alpha}}",
        r"P \psi_l = \lambda_l \psi_l, \qquad z_i(t) = \left( \lambda_1^t \psi_1(i), \lambda_2^t \psi_2(i), \ldots "
        r"\right)",
        r"\|z_i(t) - z_j(t)\|^2 = \sum_k \frac{\left( P^t_{ik} - P^t_{jk} \right)^2}{\pi_k}",
    ),
    tries=(
        Try(
            "After a single step two coordinates show 17 % of the squared diffusion distances, after 100 steps 72 %.",
            params={"time": 1},
            shows=lambda played: [round(100 * run.final("kept")) for run in (played, played.but(time=100))] == [17, 72],
        ),
        Try(
            "Two moons: after 128 steps heat has filled most of its own moon, but only 3 % of it has crossed the gap.",
            "moons(n=300,noise=0.05,seed=1)",
            {"time": 128, "dimensions": 1, "width": 1.5},
            shows=lambda played: played.final("reached") > 120 and 0.02 < _crossed(played) < 0.04,
        ),
        Try(
            "With a large width the walk jumps from layer to layer, and the roll stays rolled up.",
            "swiss_roll(n=1000,noise=0,seed=1)",
            {"width": 2.0},
            shows=lambda played: (
                fitted_by(played.model.embedding, played.data.y) < 0.2
                and fitted_by(played.but(width=0.7).model.embedding, played.data.y) > 0.9
            ),
        ),
    ),
    related=(
        Try(
            "Laplacian eigenmaps: nearly the same first coordinate, from a graph of neighbours and without a time.",
            method="laplacian_eigenmaps",
            shows=lambda played: (
                fitted_by(played.by("diffusion_map").model.embedding[:, 0], played.model.embedding[:, 0]) > 0.95
            ),
        ),
    ),
    questions=(
        Question("Over how many points has the heat spread in the next frame?", "spread", "metrics.reached"),
        Question("Which fraction of the squared distances does the map show then?", "spread", "metrics.kept"),
    ),
)
