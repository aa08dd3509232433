"""t-SNE: a map in which neighbours stay neighbours, pulled together and pushed apart until it rests.

Every point has a Gaussian bell that is as wide as it takes to reach a given number of neighbours, the perplexity; how
much of it falls on another point says how similar the two are. In the map, similarity falls with the distance more
slowly, like Student's distribution with one degree of freedom, so that groups have room to part. The points then move
down the Kullback-Leibler divergence between the two: similar points attract each other, and all repel all.

    p_j|i = exp(-|x_i - x_j|^2 / 2 s_i^2) / sum_k exp(-|x_i - x_k|^2 / 2 s_i^2),   p_ij = (p_j|i + p_i|j) / 2n
    w_ij = 1 / (1 + |z_i - z_j|^2),   q_ij = w_ij / sum w,   C = sum p_ij log(p_ij / q_ij)
    dC/dz_i = 4 sum_j (p_ij - q_ij) w_ij (z_i - z_j)

In the first steps all attraction is exaggerated, so that groups find together before they settle. Attraction is summed
over neighbours only, three times the perplexity of them. Repulsion is summed over all pairs where there are few points;
otherwise on a grid with the fast Fourier transform (FIt-SNE), because its time grows with n alone and its forces are
right to about one part in a hundred; a tree of cells (Barnes and Hut) is no better and would have to be walked point by
point. The map keeps neighbours, not distances: how large a group is and how far it lies from another says little.

A new point gets a bell of its own, begins among its neighbours and goes down its own divergence while the others stay.

Reference: van der Maaten and Hinton 2008; Linderman et al. 2019 (FIt-SNE); Belkina et al. 2019 (rate).
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np

from algorithms.contract import (
    Algorithm,
    Case,
    Count,
    Counterpart,
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
from algorithms.embedding.t_sne import solver, words
from algorithms.embedding.t_sne.views import views
from algorithms.maths.cloud_stage import meant
from algorithms.maths.maps import equal_distances
from algorithms.maths.moving_maps import Cloud, adopted_places
from algorithms.maths.neighbourhoods import prepared
from algorithms.maths.trustworthiness import KnownNeighbours
from algorithms.maths.verdicts import agreeing, groups, more_and_smaller, torn
from algorithms.params import Between, Doc, Log

MOST_POINTS = 10_000
"""More points than this have too many neighbours for a step that can be called off at once."""
EARLY = 250
"""Steps with exaggeration, or a third of all steps where those are fewer."""
FRAMES = 250
"""About so many frames show the steps."""
SLOWEST = 50.0
"""The least rate: few points would not get anywhere with less."""
MOMENTUM = (0.5, 0.8)
"""How much of the last step goes on, with exaggeration and after it."""
TOO_LARGE = 1e6
"""A map of this size has flown apart."""
AT_REST = 1e-5
"""The map rests when no point moves by more than this fraction of its size in a step."""


@dataclass(frozen=True, slots=True)
class Params:
    """The knobs of t-SNE."""

    perplexity: Annotated[
        float,
        Between(1.0, 200.0),
        Log,
        Doc("About how many neighbours each point has; small values show fine structure, large ones the whole."),
    ] = 30.0
    rate: Annotated[
        float,
        Between(0.05, 20.0),
        Log,
        Doc("Length of the steps: 1 is the usual rate, n / 4 by the exaggeration and at least 50."),
    ] = 1.0
    exaggeration: Annotated[
        float,
        Between(1.0, 50.0),
        Log,
        Doc("How many times as strong all attraction is in the first steps; 1 for none."),
    ] = 12.0
    dimensions: Annotated[int, Between(1, 3), Doc("How many coordinates the map has.")] = 2
    iterations: Annotated[int, Between(10, 5000), Log, Doc("Steps down the divergence.")] = 750
    begin: Annotated[
        Literal["principal components", "random"],
        Doc("The map before the first step."),
    ] = "principal components"


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """The map, and what is needed to move it and to find the place of a new point."""

    embedding: Array  # (n, dimensions)
    kl: float  # the divergence; until similarities are known, that of a map in one place
    total: float  # the sum of all w_ij
    iteration: int  # steps so far
    exaggeration: float  # of the attraction, now
    similar: solver.Similarities | None  # None until known
    widths: Array  # (n,) of the bells, in the data; empty until known
    perplexity: float  # as it is used
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

    @property
    def early(self) -> int:
        """Steps with exaggeration."""
        return min(EARLY, self.params.iterations // 3) if self.params.exaggeration > 1.0 else 0


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """The way so far, and what deserves doubt."""

    steps: Array  # (f,) of the frames so far
    divergences: Array  # (f,) in them
    alike: bool = False  # all points are equally far from each other
    flew: bool = False  # the map has flown apart


Shot = Snapshot[Given, Model, Shown]


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run[Shot]:
    """Find how similar the points are, then move them down the divergence, at first with exaggerated attraction."""
    X, unit = prepared(data, "t-SNE", MOST_POINTS, "moves every point at every step")
    known = KnownNeighbours.of(X)
    given = Given(data, params, Cloud.of(data), known.k)
    model = _first(given, X, unit, solver.first_map(X, params.dimensions, params.begin, rng))
    shown = Shown(np.empty(0), np.empty(0))
    yield Snapshot(given, "start", model, _numbers(known, model), shown)
    model, forces, alike = _similar(model)
    descent, shown = Descent(forces, known), replace(shown, alike=alike)
    shot = _at(given, "similar", model, shown, descent, forces.slope(model.embedding))
    yield shot
    stages = [_Stage(given.early, params.exaggeration, MOMENTUM[0]), _Stage(params.iterations, 1.0, MOMENTUM[1])]
    stop = Stop.COMPLETE
    for stage in stages:
        shot, stop = yield from _descend(given, shot, descent, stage)
    if stop is Stop.DIVERGED:
        return stop
    yield Snapshot(given, "result", shot.model, shot.metrics, shot.shown)
    return stop if stop is Stop.CONVERGED else Ended(Stop.COMPLETE, f"after {shot.model.iteration:,} iterations")


class Descent(NamedTuple):
    """What moves the points, and what their map is judged by."""

    forces: solver.Forces
    known: KnownNeighbours


def _similar(model: Model) -> tuple[Model, solver.Forces, bool]:
    """The similarities, what they move, and whether all points are equally far from each other."""
    neighbours = solver.neighbours_of(model.X, model.perplexity)
    p, widths = solver.conditional(neighbours.distances, model.perplexity)
    similar = solver.symmetric(neighbours.points, p)
    alike = bool(equal_distances(neighbours.distances, len(model.X)))
    return replace(model, similar=similar, widths=widths * model.unit), solver.Forces(similar), alike


@dataclass(frozen=True, slots=True)
class _Stage:
    """A part of the descent, up to the step ``last``."""

    last: int
    exaggeration: float
    momentum: float


def _first(given: Given, X: Array, unit: float, places: Array) -> Model:
    """Before anything is known: where all points are in one place, every pair has the same q, and C = log(n / u)."""
    data, params = given.data, given.params
    perplexity = solver.possible_perplexity(params.perplexity, data.n)
    return Model(
        embedding=places,
        kl=float(np.log(max((data.n - 1) / perplexity, 1.0))),
        total=float(data.n) * (data.n - 1),
        iteration=0,
        exaggeration=params.exaggeration if given.early else 1.0,
        similar=None,
        widths=np.empty(0),
        perplexity=perplexity,
        X=X,
        centre=data.X.mean(axis=0),
        unit=unit,
    )


def _numbers(known: KnownNeighbours, model: Model) -> dict[str, float]:
    return {
        "kl": model.kl,
        "trustworthiness": known.trustworthiness(model.embedding),
        "exaggeration": model.exaggeration,
        "iteration": model.iteration,
    }


def _descend(given: Given, shot: Shot, descent: Descent, stage: _Stage) -> Generator[Shot, None, tuple[Shot, Stop]]:
    """Steps with momentum; each coordinate has a rate of its own, which grows while it keeps its direction."""
    forces, params, places, first = descent.forces, given.params, shot.model.embedding, shot.model.iteration
    model = replace(shot.model, exaggeration=stage.exaggeration)
    rate = params.rate * max(len(places) / (4.0 * params.exaggeration), SLOWEST)
    phase = "descend" if stage.exaggeration == 1.0 else "exaggerate"
    every = max(1, params.iterations // FRAMES)
    step, gains = np.zeros_like(places), np.ones_like(places)
    slope = forces.slope(places, stage.exaggeration)
    for iteration in range(first + 1, stage.last + 1):
        gains = np.where(step * slope.gradient < 0.0, gains + 0.2, np.maximum(0.8 * gains, 0.01))
        step = stage.momentum * step - rate * gains * slope.gradient
        places = places + step
        places -= places.mean(axis=0)
        size, moved = float(np.abs(places).max()), float(np.abs(step).max())
        if not size < TOO_LARGE:
            numbers = {**shot.metrics, "exaggeration": model.exaggeration}
            yield Snapshot(given, phase, model, numbers, replace(shot.shown, flew=True))
            return shot, Stop.DIVERGED
        slope = forces.slope(places, stage.exaggeration)
        at_rest = stage.exaggeration == 1.0 and moved <= AT_REST * size
        if iteration % every == 0 or iteration == stage.last or at_rest:
            model = replace(model, embedding=places, iteration=iteration)
            shot = _at(given, phase, model, shot.shown, descent, slope)
            model = shot.model
            yield shot
        if at_rest:
            return shot, Stop.CONVERGED
    return shot if shot.model is model else replace(shot, model=model), Stop.COMPLETE


def _at(given: Given, phase: str, model: Model, shown: Shown, descent: Descent, slope: solver.Slope) -> Shot:
    """How good the map is at its places."""
    kl = descent.forces.divergence(slope)
    model = replace(model, kl=kl, total=slope.total)
    steps, divergences = np.append(shown.steps, float(model.iteration)), np.append(shown.divergences, kl)
    shown = replace(shown, steps=steps, divergences=divergences)
    return Snapshot(given, phase, model, _numbers(descent.known, model), shown)


def adopt(data: Points, params: Params, foreign: Iterator[Any]) -> Iterator[Shot]:
    """Somebody else's run, which yields the places (n, 1 to 3) of the points; the divergence is from our "
    "similarities.
    """
    X, unit = prepared(data, "t-SNE", MOST_POINTS, "moves every point at every step")
    known = KnownNeighbours.of(X)
    given = Given(data, params, Cloud.of(data), known.k)
    model, forces, alike = _similar(_first(given, X, unit, np.zeros((data.n, params.dimensions))))
    shown = Shown(np.empty(0), np.empty(0), alike)
    for step, said in enumerate(foreign):
        model = replace(model, embedding=adopted_places(said, data.n, step), iteration=step, exaggeration=1.0)
        phase, slope = "descend" if step else "similar", forces.slope(model.embedding)
        shot = _at(given, phase, model, shown, Descent(forces, known), slope)
        yield shot
        shown = shot.shown


def transform(model: Model, X: Array) -> Array:
    """Places of new points: among their neighbours, then down their own divergence while all others stay."""
    return solver.placed_beside(model.embedding, model.X, (X - model.centre) / model.unit, model.perplexity)


def explain(model: Model, data: Points, item: Item) -> Explanation:
    """What moves a data point, or the one nearest to another place."""
    return words.about(model, data, meant(data, item), nearest=item.number < 0)


def counterpart(params: Params, case: Case | None) -> Counterpart | None:
    """``sklearn.manifold.TSNE`` with the same rate and as many steps; it has no fewer than 250."""
    if case is None or not isinstance(case.data, Points) or params.iterations < EARLY or case.data.n < 4:
        return None
    perplexity = solver.possible_perplexity(params.perplexity, case.data.n)
    rate = params.rate * max(case.data.n / (4.0 * params.exaggeration), SLOWEST)
    begin = "pca" if params.begin == "principal components" else "random"
    return Counterpart(
        imports="from sklearn.manifold import TSNE",
        make=f"TSNE({params.dimensions}, perplexity={perplexity!r}, early_exaggeration={params.exaggeration!r}, "
        f"learning_rate={rate!r}, max_iter={params.iterations}, init={begin!r}, random_state=0)",
        difference="theirs.kl_divergence_ - ours.model.kl",
        measure="difference of the KL divergences",
        target=False,
        caveat="It sums repulsion with a tree, and neither of the two finds the best of all maps.",
    )


ALGORITHM = Algorithm(
    key="t_sne",
    title="t-SNE",
    family="embedding",
    summary="Moves points about a map until neighbours attract and strangers repel in balance.",
    params=Params,
    run=run,
    views=views,
    captions=words.CAPTIONS,
    warning=words.warning,
    count=Count("iteration", "iteration"),
    explain=explain,
    looks=True,
    adopt=adopt,
    transform=transform,
    counterpart=counterpart,
    panels=(
        Panel("embedding", "Map", x="coordinate 1", y="coordinate 2"),
        Panel("cloud", "Cloud", space="none"),
        Panel("pictures", "Neighbours as pictures", space="none", pictures=True),
        Panel("plane", "Two features", space="data"),
        Panel("similar", "Similarities of a point", x="pair", y="similarity"),
        Panel("progress", "Early exaggeration", x="iteration", y="KL divergence", beside=True),
    ),
    metrics=(
        Metric("kl", "KL divergence", group="divergence", better="neither"),
        Metric("trustworthiness", "trustworthiness", group="trustworthiness", better="neither"),
        Metric("exaggeration", "exaggeration of the attraction", group="exaggeration", better="neither"),
        Metric("iteration", "iterations", group="iterations", better="neither"),
    ),
    pseudocode=(
        Line("z ← a very small map", "start"),
        Line("s_i ← width of a bell that reaches u neighbours"),
        Line("p_ij ← (p_j|i + p_i|j) / 2n", "similar"),
        Line("again and again:   iteration {iteration}"),
        Line("    q_ij ← w_ij / Σ w,  w_ij = 1 / (1 + |z_i - z_j|²)"),
        Line("    z_i ← z_i - rate · 4 Σ_j ({exaggeration} p_ij - q_ij) w_ij (z_i - z_j)", "exaggerate", "descend"),
        Line("return z: KL divergence {kl}", "result"),
    ),
    reference="van der Maaten, Hinton, Journal of Machine Learning Research 9, 2008; Linderman et al., Nature Methods "
    "16, 2019 (FIt-SNE); Belkina et al., Nature Communications 10, 2019 (rate); Murphy, Probabilistic Machine "
    "Learning: An "
    "Introduction §20.4.10",
    most=MOST_POINTS,
    example="some_digits(n=600,seed=1)",
    synonyms=(
        "tSNE",
        "stochastic neighbour embedding",
        "perplexity",
        "FIt-SNE",
        "Barnes-Hut",
        "manifold learning",
        "non-linear dimension reduction",
    ),
    formulas=(
        r"p_{j|i} = \frac{\exp(-\|x_i - x_j\|^2 / 2\sigma_i^2)}{\sum_{k \neq i} \exp(-\|x_i - x_k\|^2 / 2\sigma_i^2)}, "
        r"\qquad p_{ij} = \frac{p_{j|i} + p_{i|j}}{2n}",
        r"2^{-\sum_j p_{j|i} \log_2 p_{j|i}} = \text{perplexity}",
        r"w_{ij} = \frac{1}{1 + \|z_i - z_j\|^2}, \qquad q_{ij} = \frac{w_{ij}}{\sum_{k \neq l} w_{kl}}",
        r"C = \sum_{i \neq j} p_{ij} \log \frac{p_{ij}}{q_{ij}}, \qquad \frac{\partial C}{\partial z_i} = "
        r"4 \sum_j (p_{ij} - q_{ij})\, w_{ij}\, (z_i - z_j)",
    ),
    tries=(
        Try(
            "With a perplexity of 3 each point has only a few neighbours: the map falls into more and smaller groups.",
            params={"perplexity": 3.0},
            shows=lambda played: more_and_smaller(played.model.embedding, played.but(perplexity=30.0).model.embedding),
        ),
        Try(
            "Without exaggeration, from random positions, the descent ends with a higher KL divergence: parts of a "
            "group "
            "do not get past others to find each other.",
            params={"exaggeration": 1.0, "begin": "random"},
            shows=lambda played: played.final("kl") > 1.02 * played.but(exaggeration=12.0).final("kl"),
        ),
        Try(
            "A rolled-up sheet is torn in some places: who is near in the map is near on the sheet, but some "
            "neighbours "
            "on the sheet end far apart; Isomap tears nothing.",
            "swiss_roll(n=1000,noise=0,seed=1)",
            shows=lambda played: (
                played.final("trustworthiness") > 0.99
                and torn(played.data.X, played.model.embedding) > 0.01
                and torn(played.data.X, played.by("isomap").model.embedding) == 0.0
            ),
        ),
        Try(
            "Points of a single cloud, and yet with a perplexity of 2 the map seems to have several groups.",
            "blobs(n=300,centres=1,features=20,seed=1)",
            {"perplexity": 2.0},
            shows=lambda played: (
                (groups(played.model.embedding) >= 10).sum() >= 4 and (groups(played.data.X) >= 10).sum() == 1
            ),
        ),
    ),
    related=(
        Try(
            "Principal components of the same data: a linear map, in which the groups overlap.",
            method="pca",
            shows=lambda played: agreeing(played) < 0.6 < 0.95 < agreeing(played.by("t_sne")),
        ),
        Try(
            "Isomap keeps distances along the data instead of neighbours: more digits lie beside another digit.",
            method="isomap",
            shows=lambda played: agreeing(played) < 0.8 < 0.95 < agreeing(played.by("t_sne")),
        ),
    ),
    questions=(
        Question("How large is the KL divergence in the next frame?", "descend", "metrics.kl"),
        Question("How trustworthy is the map then?", "exaggerate", "metrics.trustworthiness"),
    ),
)
