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

from collections.abc import Generator
from typing import Annotated, Literal

import numpy as np

from algorithms.contract import (
    Algorithm,
    Case,
    Counterpart,
    Explanation,
    LazyViews,
    Line,
    Metric,
    Panel,
    Run,
    Snapshot,
    Stop,
    Try,
    Views,
)
from algorithms.counterpart import array_source
from algorithms.data import Array, DataError, Item, Points
from algorithms.marks import Assignment, Centres, Curve, Highlight, Mark, PointSizes, ReferenceLine, Regions, Trail
from algorithms.maths import seeding
from algorithms.maths.distances import Cloud, NearestCentre, nearest, refuse_overflow
from algorithms.maths.lloyd import EmptyRule, HalfStep, elbow_curve, half_steps
from algorithms.maths.restarts import Restarts, best_of
from algorithms.maths.words import counted, number
from algorithms.params import Advanced, Between, Doc, Handles, PointList, When, Zero
from algorithms.records import dataclass

TRAIL_LENGTH = 32
"""Positions kept in a trail: enough to be seen, and a long run does not grow with its square."""
_VORONOI = Regions("classes")
SAME = 1e-9
"""Losses that differ by less than this fraction are the same: the earlier restart stays, on whatever machine."""


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
class _End:
    """A finished run."""

    model: Model
    labels: Array  # (n,)
    trail: Array  # (steps, k, d)
    stop: Stop
    number: int

    @property
    def objective(self) -> float:
        """The loss J."""
        return self.model.loss

    def is_better(self, best: _End) -> bool:
        """Whether the loss is lower, by more than rounding."""
        return self.model.loss < best.model.loss * (1.0 - SAME)


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run:
    """Seed, assign and update until nothing changes; then the best restart and the elbow curve."""
    refuse_overflow(data.X)
    seeding.need_distinct_points(data.X, params.k, "clusters")
    cloud = Cloud.of(data.X)

    def attempt(restarts: Restarts) -> Generator[Snapshot, None, _End]:
        here = yield from _seed(cloud, params, rng, start, restarts)
        partition = start is None and params.init == "random partition"
        return (yield from _lloyd(here, partition, params, restarts))

    total = params.restarts if start is None else 1
    best, restarts = yield from best_of(total, attempt, _End.is_better)
    if total > 1:
        caption = f"Restart {best.number} of {total} is the best: J = {number(best.objective)}; "
        caption += f"the worst ended at {number(max(restarts.finals))}."
        yield _frame(best.model, _end_views(best, params, restarts), "best", caption)
    yield from _elbow(cloud, params, rng, best, restarts)
    return best.stop


def _seed(
    cloud: Cloud, params: Params, rng: np.random.Generator, start: Model | None, restarts: Restarts
) -> Generator[Snapshot, None, NearestCentre]:
    """Show the first centres as they are placed."""
    if start is not None:
        here = _going_on(cloud, start)
        words = f"Going on from {counted(len(start.centres), 'centre')}"
        yield _seed_frame(here, params, restarts, words)
        missing = params.k - len(start.centres) if params.empty != "drop" else 0
        return here if missing <= 0 else (yield from _plus_plus(cloud, params, rng, restarts, here))
    if params.init == "k-means++":
        return (yield from _plus_plus(cloud, params, rng, restarts))
    labels, verb = None, "is" if params.k == 1 else "are"
    if params.init == "random partition":
        labels = seeding.random_partition(cloud.n, params.k, rng)
        here = NearestCentre(cloud, cloud.means(labels, params.k)[0], labels)
        words = f"Every point gets one of {counted(params.k, 'group')} at random; each centre is the mean of its group"
    elif params.init == "random points":
        chosen = seeding.random_points(cloud, params.k, rng)
        here = NearestCentre(cloud, np.ascontiguousarray(cloud.columns[:, chosen].T))
        words = f"{counted(params.k, 'point')} drawn at random {verb} the first centres"
    else:
        here = NearestCentre(cloud, seeding.given_centres(cloud, params.centres, params.k, "k-means"))
        words = f"The first {counted(params.k, 'centre')} {verb} placed by hand"
    yield _seed_frame(here, params, restarts, words, labels)
    return here


def _going_on(cloud: Cloud, start: Model) -> NearestCentre:
    """The centres of a model, with their points among the present ones."""
    if start.centres.shape[1] != cloud.d:
        raise DataError(f"The model has centres with {start.centres.shape[1]} features; the data have {cloud.d}.")
    refuse_overflow(start.centres, "The centres to go on from")
    return NearestCentre(cloud, start.centres - cloud.origin)


def _plus_plus(
    cloud: Cloud, params: Params, rng: np.random.Generator, restarts: Restarts, here: NearestCentre | None = None
) -> Generator[Snapshot, None, NearestCentre]:
    """k-means++, one frame for each centre, with the probability of every point to be the next one."""
    centres = np.empty((0, cloud.d)) if here is None else here.centres
    squared = np.full(cloud.n, np.inf) if here is None else here.squared()
    while len(centres) < params.k:
        if len(centres) == 0:
            point = int(rng.integers(cloud.n))
            words = f"The first centre is point {point + 1}, drawn at random"
        else:
            probabilities = seeding.draw_probabilities(squared)
            point = seeding.draw(probabilities, rng)
            words = f"Centre {len(centres) + 1} is point {point + 1}, drawn with "
            words += f"probability D²/ΣD² = {number(probabilities[point])}"
        centres = np.vstack([centres, cloud.columns[:, point]])
        squared = np.minimum(squared, seeding.squared_to_point(cloud, point))
        model = Model(centres + cloud.origin, float(squared.sum()))
        marks: tuple[Mark, ...] = (_VORONOI, _unassigned(cloud.n), Centres(model.centres, handle="centres"))
        if len(centres) < params.k:
            marks = (PointSizes(seeding.draw_probabilities(squared), "probability to be the next centre"), *marks)
        caption = f"{words}; the squared distances D² add up to {number(model.loss)}."
        yield _frame(model, _views(marks, model.loss, params, restarts), "seed", restarts.caption(caption))
    return NearestCentre(cloud, centres)


def _seed_frame(
    here: NearestCentre, params: Params, restarts: Restarts, words: str, labels: Array | None = None
) -> Snapshot:
    model = Model(here.centres + here.cloud.origin, here.loss)
    assignment = _unassigned(here.cloud.n) if labels is None else Assignment(labels)
    marks = (_VORONOI, assignment, Centres(model.centres, handle="centres"))
    caption = restarts.caption(f"{words}; J = {number(here.loss)}.")
    return _frame(model, _views(marks, here.loss, params, restarts), "seed", caption)


def _unassigned(n: int) -> Assignment:
    return Assignment(np.full(n, -1, dtype=np.int32))


def _lloyd(here: NearestCentre, partition: bool, params: Params, restarts: Restarts) -> Generator[Snapshot, None, _End]:
    """Lloyd's half steps as frames."""
    origin, n = here.cloud.origin, here.cloud.n
    trail = (here.centres + origin)[None]
    model = Model(trail[0], here.loss)
    half = None
    for half in half_steps(here, params.empty, params.max_steps, params.tol, assigned=partition):
        if half.kept is not None:
            trail = trail[:, half.kept]
        if half.phase == "update":
            trail = np.concatenate([trail[1 - TRAIL_LENGTH :], (half.centres + origin)[None]])
        caption = restarts.caption(_caption(half, model.loss, n))
        model = Model(trail[-1], half.J)
        views = LazyViews(_step_views, trail, half.labels, half.changed, half.J, params, restarts)
        yield _frame(model, views, half.phase, caption, len(half.changed), half.shift)
    assert half is not None
    assert half.stop is not None
    return _End(model, half.labels, trail, half.stop, restarts.number)


def _elbow(
    cloud: Cloud, params: Params, rng: np.random.Generator, best: _End, restarts: Restarts
) -> Generator[Snapshot]:
    """One more point of W(k) per frame; the model stays the best one found."""
    losses: list[float] = []
    for k, loss in enumerate(elbow_curve(cloud, params.elbow, params.restarts, params.max_steps, rng), start=1):
        caption = f"With {counted(k, 'cluster')} the best loss found is W({k}) = {number(loss)}"
        if losses and losses[0] > 0.0:
            caption += f", {100 * loss / losses[0]:.1f} % of W(1)"
        losses.append(loss)
        curve = Curve(np.arange(1.0, k + 1.0), np.array(losses), "W(k)", dots=True)
        views = {**_end_views(best, params, restarts), "elbow": (_chosen(len(best.model.centres)), curve)}
        yield _frame(best.model, views, "elbow", caption + ".")


def _frame(model: Model, views: Views, phase: str, caption: str, changed: int = 0, shift: float = 0.0) -> Snapshot:
    return Snapshot(model, views, {"J": model.loss, "changed": changed, "shift": shift}, phase, caption)


def _views(plane: tuple[Mark, ...], loss: float, params: Params, restarts: Restarts) -> Views:
    """The plane and the second view that this run is going to have, so that nothing moves when it fills."""
    if params.elbow and restarts.total == 1:
        ends = ReferenceLine(1.0, f"from 1 to {params.elbow}"), ReferenceLine(float(params.elbow))
        return {"plane": plane, "elbow": (_chosen(params.k), *ends)}
    return {"plane": plane, **restarts.views(loss)}


def _chosen(k: int) -> ReferenceLine:
    return ReferenceLine(float(k), f"k = {k}", axis="x")


def _step_views(trail: Array, labels: Array, changed: Array, loss: float, params: Params, restarts: Restarts) -> Views:
    plane: tuple[Mark, ...] = _plane(trail, labels)
    if 0 < len(changed) < len(labels):
        plane += (Highlight(changed, "changed", "changed cluster"),)
    return _views(plane, loss, params, restarts)


def _end_views(best: _End, params: Params, restarts: Restarts) -> Views:
    return _views(_plane(best.trail, best.labels), best.objective, params, restarts)


def _plane(trail: Array, labels: Array) -> tuple[Mark, ...]:
    return (_VORONOI, Trail(trail), Assignment(labels), Centres(trail[-1], handle="centres"))


def _caption(half: HalfStep, before: float, n: int) -> str:
    change = f"J falls from {number(before)} to {number(half.J)}" if before > half.J else f"J stays {number(half.J)}"
    if half.phase == "update":
        moves = f"Centres move to the mean of their points, by at most {number(half.shift)}"
        return f"{moves}; {change}.{_empty_words(half)}"
    if len(half.changed) == 0:
        return f"No point changes its cluster: k-means has converged with J = {number(half.J)}."
    if len(half.changed) == n:
        return f"Each of the {counted(n, 'point')} joins its nearest centre; J = {number(half.J)}."
    verb = "changes" if len(half.changed) == 1 else "change"
    return f"{len(half.changed):,} of {counted(n, 'point')} {verb} to a nearer centre; {change}."


def _empty_words(half: HalfStep) -> str:
    """What has become of clusters without points."""
    if half.empty == 0:
        return ""
    if half.kept is not None:
        verb = "is" if half.empty == 1 else "are"
        return f" {counted(half.empty, 'empty cluster')} {verb} dropped; {len(half.kept)} remain."
    if len(half.changed):
        names = ", ".join(str(point + 1) for point in half.changed)
        return f" An empty cluster takes the point farthest from its centre (point {names})."
    return " An empty cluster keeps its centre."


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
    formulas=(
        r"J = \sum_{i=1}^{n} \|x_i - m_{r_i}\|^2",
        r"\text{assign:}\quad r_i = \operatorname{argmin}_{l} \|x_i - m_l\|^2",
        r"\text{update:}\quad m_l = \frac{1}{n_l} \sum_{i:\, r_i = l} x_i",
    ),
    tries=(
        Try(
            "First centres at random: this run ends in a poor local minimum; draw a new seed and compare J.",
            "blobs(n=300,centres=5,noise=0.7,spread=5,seed=4)",
            {"k": 5, "init": "random points"},
        ),
        Try(
            "Moons are cut straight through: clusters of k-means are always divided by straight lines.",
            "moons(n=300,noise=0.08,seed=1)",
            {"k": 2},
        ),
        Try(
            "The elbow: W(k) falls steeply up to the three clusters that are there, and slowly afterwards.",
            "blobs(n=300,noise=1,seed=1)",
            {"elbow": 8},
        ),
    ),
)
