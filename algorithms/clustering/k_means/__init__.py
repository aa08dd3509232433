"""k-means: k centres, and every point belongs to the nearest one.

Lloyd's algorithm lowers J, the sum of all |x_i - m|² to the centre m of the point's own cluster, in two half steps that
are repeated until no point changes:

    assign   r_i = argmin_l |x_i - m_l|²        (the lowest number in a tie)
    update   m_l = mean of the points with r_i = l

Neither half step can raise J and there are finitely many assignments, so it ends, but only in a *local* minimum: which
one depends on the first centres. k-means++ draws them far apart: the next centre is a point drawn with a probability
proportional to D², its squared distance to the centres so far. Restarts keep the best of several runs, and the elbow
curve W(k) shows how many clusters are worth their while.

Handbook §3.2.1 (Alg. 6, loss with *squared* distances); Methods for Data Science §9.3-9.4; Buhmann slides 244-245 (the
argmin runs over all centres y_ν, not over y_{c_i}); Introduction to Machine Learning §10.1; Arthur, Vassilvitskii 2007.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import replace
from typing import Annotated, Any, Literal

import numpy as np

from algorithms.clustering.k_means import words
from algorithms.clustering.k_means.solver import End, Half, Seed
from algorithms.clustering.k_means.views import views
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
)
from algorithms.counterpart import array_source
from algorithms.data import Array, DataError, Item, Points
from algorithms.foreign import Shape, steps_of
from algorithms.maths import seeding
from algorithms.maths.distances import Cloud, NearestCentre, nearest, refuse_overflow
from algorithms.maths.lloyd import EmptyRule, HalfStep, elbow_curve, half_steps
from algorithms.maths.restarts import Restarts, best_of
from algorithms.params import Advanced, Between, Doc, Handles, PointList, When, Zero
from algorithms.records import dataclass

TRAIL_LENGTH = 32
"""Positions kept in a trail: enough to be seen, and a long run does not grow with its square."""


@dataclass(frozen=True, slots=True)
class Params:
    """The knobs of k-means."""

    k: Annotated[int, Between(1, 20), Doc("Number of clusters.")] = 3
    init: Annotated[
        Literal["k-means++", "random points", "random partition", "by hand"],
        Doc("Where the first centres come from: drawn far apart, on points, from random groups, or set by you."),
    ] = "k-means++"
    centres: Annotated[
        PointList,
        Handles,
        When("init", "by hand"),
        Doc("The first centres; drag them. Missing ones are put on the point farthest from all centres."),
    ] = ()
    empty: Annotated[
        EmptyRule,
        Doc("What happens to a centre that has lost all its points."),
    ] = "farthest point"
    restarts: Annotated[int, Between(1, 50), Doc("Runs from different first centres; the best is kept.")] = 1
    elbow: Annotated[
        int, Between(0, 20), Zero("none"), Doc("Draw the loss W(k) for k = 1 up to this number; 0 draws nothing.")
    ] = 0
    max_steps: Annotated[int, Between(1, 10_000), Advanced, Doc("The most steps (assign and update) of one run.")] = 300
    tol: Annotated[
        float,
        Between(0.0, 0.1),
        Advanced,
        Doc("Also stop when a step lowers J by no more than this part of it; 0 waits until no point changes."),
    ] = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """The centres, and the loss J of the data with them."""

    centres: Array  # (k, d)
    loss: float


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What stays the same during a run."""

    params: Params
    n: int


Shot = Snapshot[Given, Model, Seed | Half | End]


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run[Shot]:
    """Seed, assign and update until nothing changes; then the best restart and the elbow curve."""
    refuse_overflow(data.X)
    seeding.need_distinct_points(data.X, params.k, "clusters")
    cloud, given = Cloud.of(data.X), Given(params, data.n)

    def attempt(restarts: Restarts) -> Generator[Shot, None, End]:
        here = yield from _seed(given, cloud, rng, start, restarts)
        partition = start is None and params.init == "random partition"
        return (yield from _lloyd(given, here, partition, restarts))

    total = params.restarts if start is None else 1
    best, restarts = yield from best_of(total, attempt, End.is_better)
    best = replace(best, restarts=restarts)
    if total > 1:
        yield Snapshot(given, "best", best.model, _numbers(best.objective), best)
    for loss in elbow_curve(cloud, params.elbow, params.restarts, params.max_steps, rng):
        best = replace(best, losses=(*best.losses, loss))
        yield Snapshot(given, "elbow", best.model, _numbers(best.objective), best)
    return best.stop


def _numbers(loss: float, changed: int = 0, shift: float = 0.0) -> dict[str, float]:
    return {"J": loss, "changed": changed, "shift": shift}


def _seed(
    given: Given, cloud: Cloud, rng: np.random.Generator, start: Model | None, restarts: Restarts
) -> Generator[Shot, None, NearestCentre]:
    """Show the first centres as they are placed."""
    params, labels = given.params, None
    if start is None and params.init == "k-means++":
        return (yield from _plus_plus(given, cloud, rng, restarts))
    if start is not None:
        here = _going_on(cloud, start)
    elif params.init == "random partition":
        labels = seeding.random_partition(cloud.n, params.k, rng)
        here = NearestCentre(cloud, cloud.means(labels, params.k)[0], labels)
    elif params.init == "random points":
        chosen = seeding.random_points(cloud, params.k, rng)
        here = NearestCentre(cloud, np.ascontiguousarray(cloud.columns[:, chosen].T))
    else:
        here = NearestCentre(cloud, seeding.given_centres(cloud, params.centres, params.k, "k-means"))
    model = Model(here.centres + cloud.origin, here.loss)
    how = params.init if start is None else "going on"
    yield Snapshot(given, "seed", model, _numbers(model.loss), Seed(how, restarts, labels))
    if start is not None and params.empty != "drop" and params.k > len(start.centres):
        return (yield from _plus_plus(given, cloud, rng, restarts, here))
    return here


def _going_on(cloud: Cloud, start: Model) -> NearestCentre:
    """The centres of a model, with their points among the present ones."""
    if start.centres.shape[1] != cloud.d:
        raise DataError(f"The model has centres with {start.centres.shape[1]} features; the data have {cloud.d}.")
    refuse_overflow(start.centres, "The centres to go on from")
    return NearestCentre(cloud, start.centres - cloud.origin)


def _plus_plus(
    given: Given, cloud: Cloud, rng: np.random.Generator, restarts: Restarts, here: NearestCentre | None = None
) -> Generator[Shot, None, NearestCentre]:
    """k-means++, one frame for each centre, with the probability of every point to be the next one."""
    k = given.params.k
    centres = np.empty((0, cloud.d)) if here is None else here.centres
    squared = np.full(cloud.n, np.inf) if here is None else here.squared()
    chances = None if here is None else seeding.draw_probabilities(squared)
    while len(centres) < k:
        point = int(rng.integers(cloud.n)) if chances is None else seeding.draw(chances, rng)
        chance = None if chances is None else float(chances[point])
        centres = np.vstack([centres, cloud.columns[:, point]])
        squared = np.minimum(squared, seeding.squared_to_point(cloud, point))
        model = Model(centres + cloud.origin, float(squared.sum()))
        chances = seeding.draw_probabilities(squared) if len(centres) < k else None
        shown = Seed("k-means++", restarts, point=point, chance=chance, following=chances)
        yield Snapshot(given, "seed", model, _numbers(model.loss), shown)
    return NearestCentre(cloud, centres)


def _lloyd(given: Given, here: NearestCentre, partition: bool, restarts: Restarts) -> Generator[Shot, None, End]:
    """Lloyd's half steps as frames."""
    params, origin = given.params, here.cloud.origin
    trail = (here.centres + origin)[None]
    model, half = Model(trail[0], here.loss), None
    for half in half_steps(here, params.empty, params.max_steps, params.tol, assigned=partition):
        if half.kept is not None:
            trail = trail[:, half.kept]
        if half.phase == "update":
            trail = np.concatenate([trail[1 - TRAIL_LENGTH :], (half.centres + origin)[None]])
        shown = Half(half, trail, model.loss, restarts)
        model = Model(trail[-1], half.J)
        yield Snapshot(given, half.phase, model, _numbers(half.J, len(half.changed), half.shift), shown)
    assert half is not None
    assert half.stop is not None
    return End(model, half.labels, trail, half.stop, restarts, restarts.number)


def adopt(data: Points, params: Params, foreign: Iterator[Any]) -> Iterator[Shot]:
    """Somebody else's run, which yields ``centres, labels`` after every half step, or ``centres`` alone at first."""
    given, none, restarts = Given(params, data.n), np.full(data.n, -1, dtype=np.int32), Restarts()
    labels, trail, before = none, np.empty((0, 0, data.d)), float("nan")
    wanted: dict[str, Shape] = {"centres": ("k", data.d), "labels": (data.n,)}
    for step, (centres, said) in enumerate(steps_of(foreign, wanted, optional=1)):
        now = labels if said is None else said.astype(np.int32)
        if now.max() >= len(centres):
            raise DataError(f"Step {step} gives the label {now.max()}, but there are only {len(centres)} centres.")
        own = nearest(data.X, centres)[1] if (now < 0).any() else np.square(data.X - centres[now]).sum(axis=1)
        model = Model(centres, float(own.sum()))
        if step == 0:
            yield Snapshot(given, "seed", model, _numbers(model.loss), Seed("by hand", restarts))
        else:
            changed = np.flatnonzero(now != labels).astype(np.int32)
            moved = len(centres) != len(trail[-1]) or (centres != trail[-1]).any()
            shift = float(np.sqrt(np.square(centres - trail[-1]).sum(axis=1).max())) if moved else 0.0
            half = HalfStep("update" if moved else "assign", centres, now, changed, model.loss, shift)
            shown = Half(half, np.concatenate([trail, centres[None]]) if moved else trail, before, restarts)
            yield Snapshot(given, half.phase, model, _numbers(model.loss, len(changed), shift), shown)
        trail = centres[None] if step == 0 else shown.trail
        labels, before = now, model.loss


def predict(model: Model, X: Array) -> Array:
    """The number (n,) of the nearest centre; the lowest one in a tie."""
    return nearest(X, model.centres)[0].astype(np.intp)


def field(model: Model, X: Array) -> Array:
    """Minus the squared distance (n,) to the nearest centre: 0 on a centre, the kinks are the cluster borders."""
    return -nearest(X, model.centres)[1]


def explain(model: Model, data: Points, item: Item) -> Explanation:
    """The distance to every centre, the cluster that wins, and by how much. Clusters are counted from 1."""
    x = item.x
    distances = np.sqrt(((model.centres - x) ** 2).sum(axis=1))
    own = int(predict(model, x[None])[0])
    answer: Explanation = {"cluster": own + 1, "contribution to J": float(distances[own] ** 2)}
    for centre, distance in enumerate(distances, start=1):
        answer[f"distance to centre {centre}"] = float(distance)
    if len(distances) > 1:
        answer["lead over the next centre"] = float(np.delete(distances, own).min() - distances[own])
    return answer


def counterpart(params: Params, case: Case | None) -> Counterpart | None:
    """scikit-learn's ``KMeans``, from the same first centres where there is one run only."""
    make = f"KMeans(n_clusters={params.k}, n_init={params.restarts}, random_state={0 if case is None else case.seed})"
    caveat = "The first centres are drawn with other random numbers, so the best run may be another one."
    if case is not None and params.restarts == 1:
        start = case.first_model(lambda model: len(model.centres) == params.k)
        first = f"init={array_source(start.centres)}, n_init=1, tol=0, max_iter={params.max_steps}"
        make, caveat = f"KMeans(n_clusters={params.k}, {first})", ""
    return Counterpart(
        imports="from sklearn.cluster import KMeans",
        make=make,
        difference="abs(theirs.inertia_ - ours.model.loss) / max(ours.model.loss, 1e-12)",
        measure="relative difference in J",
        target=False,
        caveat=caveat,
    )


ALGORITHM = Algorithm(
    key="k_means",
    title="k-means",
    family="clustering",
    summary="Points join their nearest centre and centres move to the mean of their points until nothing changes.",
    params=Params,
    run=run,
    views=views,
    captions=words.CAPTIONS,
    adopt=adopt,
    questions=(
        Question("Which points change cluster next?", "assign", "shown.half.changed"),
        Question("How large is J when the centres have moved?", "update", "metrics.J"),
    ),
    predict=predict,
    field=field,
    explain=explain,
    counterpart=counterpart,
    synonyms=("Lloyd's algorithm", "k-means++", "vector quantisation", "KMeans", "kmeans", "elbow"),
    resumes=True,
    panels=(
        Panel("plane", "k-means", space="data"),
        Panel("elbow", "Elbow: loss by number of clusters", x="k", y="W(k)", integer_x=True),
        Panel("restarts", "Loss J of every restart", x="restart", y="J"),
    ),
    metrics=(
        Metric("J", "J, sum of squared distances", group="loss"),
        Metric("changed", "points that changed cluster", group="changed", better="neither"),
        Metric("shift", "largest move of a centre", group="shift", better="neither"),
    ),
    pseudocode=(
        Line("choose k first centres m_1 ... m_k", "seed"),
        Line("repeat"),
        Line("    assign: r_i = argmin_l |x_i - m_l|²   ({changed} changed)", "assign"),
        Line("    update: m_l = mean of the points with r_i = l", "update"),
        Line("until no r_i changes   (J = {J})"),
        Line("keep the restart with the smallest J", "best"),
        Line("elbow: draw the smallest W(k) for k = 1, 2, ...", "elbow"),
    ),
    reference="Handbook §3.2.1 Alg. 6; Methods for Data Science §9.3-9.4; "
    "Machine Learning (Buhmann), slides 244-245; Introduction to Machine Learning §10.1; "
    "Arthur and Vassilvitskii 2007",
    example="blobs(n=300,noise=2,seed=6)",
    formulas=words.FORMULAS,
    tries=words.TRIES,
)
