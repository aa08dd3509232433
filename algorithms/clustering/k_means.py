"""k-means: k centres, and every point belongs to the nearest one.

Lloyd's algorithm lowers J = Σ_i |x_i - m_{r_i}|² in two half steps that are repeated until no point changes:

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
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from algorithms.clustering import _seeding
from algorithms.clustering._lloyd import EmptyRule, HalfStep, elbow_curve, half_steps
from algorithms.contract import Algorithm, Explanation, LazyViews, Line, Metric, Panel, Run, Snapshot, Stop, Views
from algorithms.data import Array, DataError, Item, Points
from algorithms.marks import (
    Assignment,
    Bars,
    Centres,
    Curve,
    Highlight,
    Mark,
    PointSizes,
    ReferenceLine,
    Regions,
    Trail,
)
from algorithms.maths.distances import Cloud, NearestCentre, nearest, refuse_overflow
from algorithms.params import Advanced, Between, Doc, Handles, PointList, When

TRAIL_LENGTH = 32
"""Positions kept in a trail: enough to be seen, and a long run does not grow with its square."""
_VORONOI = Regions("classes")
SAME = 1e-9
"""Losses that differ by less than this share are the same: the earlier restart stays, on whatever machine."""


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
    elbow: Annotated[int, Between(0, 20), Doc("Draw the loss W(k) for k = 1 up to this number; 0 draws nothing.")] = 0
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
class _Scene:
    """What a frame shows of the restarts before it."""

    n: int
    finals: tuple[float, ...] = ()  # J of the finished restarts
    restarts: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class _Result:
    """A finished restart."""

    model: Model
    labels: Array
    trail: Array
    stop: Stop
    number: int


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run:
    """Seed, assign and update until nothing changes; then the best restart and the elbow curve."""
    refuse_overflow(data.X)
    _seeding.need_distinct_points(data.X, params.k, "clusters")
    cloud = Cloud.of(data.X)
    restarts = 1 if start is not None else params.restarts
    best: _Result | None = None
    finals: tuple[float, ...] = ()
    for number in range(1, restarts + 1):
        scene = _Scene(data.n, finals, restarts)
        here = yield from _seed(cloud, params, rng, start, scene)
        partition = start is None and params.init == "random partition"
        result = yield from _one_run(here, partition, params, scene, number)
        finals = (*finals, result.model.loss)
        if best is None or result.model.loss < best.model.loss * (1.0 - SAME):
            best = result
    assert best is not None
    scene = _Scene(data.n, finals, restarts)
    if restarts > 1:
        yield _best_frame(best, scene)
    if params.elbow > 0:
        yield from _elbow(cloud, params, rng, best, scene)
    return best.stop


def _seed(
    cloud: Cloud, params: Params, rng: np.random.Generator, start: Model | None, scene: _Scene
) -> Generator[Snapshot, None, NearestCentre]:
    """Show the first centres as they are placed."""
    if start is not None:
        _need_same_features(start.centres, cloud)
        refuse_overflow(start.centres, "The centres to go on from")
        here = NearestCentre(cloud, start.centres - cloud.origin)
        words = f"Going on from {_count(len(start.centres), 'centre')}"
        yield _seed_frame(here, scene, f"{words}; J = {_number(here.loss)}.")
        missing = params.k - len(start.centres) if params.empty != "drop" else 0
        return here if missing <= 0 else (yield from _plus_plus(cloud, params.k, rng, scene, here))
    if params.init == "k-means++":
        return (yield from _plus_plus(cloud, params.k, rng, scene))
    if params.init == "random partition":
        labels = _seeding.random_partition(cloud.n, params.k, rng)
        here = NearestCentre(cloud, cloud.means(labels, params.k)[0], labels)
        words = f"Every point gets one of {_count(params.k, 'group')} by chance; each centre is the mean of its group"
    elif params.init == "random points":
        chosen = _seeding.random_points(cloud, params.k, rng)
        here = NearestCentre(cloud, np.ascontiguousarray(cloud.columns[:, chosen].T))
        words = f"{_count(params.k, 'point')} drawn by chance {'is' if params.k == 1 else 'are'} the first centres"
    else:
        here = NearestCentre(cloud, _seeding.given_centres(cloud, params.centres, params.k, "k-means"))
        words = f"The first {_count(params.k, 'centre')} {'is' if params.k == 1 else 'are'} placed by hand"
    shown = here.labels if params.init == "random partition" else None
    yield _seed_frame(here, scene, f"{words}; J = {_number(here.loss)}.", shown)
    return here


def _plus_plus(
    cloud: Cloud, k: int, rng: np.random.Generator, scene: _Scene, here: NearestCentre | None = None
) -> Generator[Snapshot, None, NearestCentre]:
    """k-means++, one frame for each centre, with the chance of every point to be the next one."""
    centres = np.empty((0, cloud.d)) if here is None else here.centres
    squared = np.full(cloud.n, np.inf) if here is None else here.squared()
    while len(centres) < k:
        if len(centres) == 0:
            point, words = int(rng.integers(cloud.n)), "The first centre is point {} drawn by chance"
        else:
            chances = _seeding.draw_probabilities(squared)
            point = _seeding.draw(chances, rng)
            words = f"Centre {len(centres) + 1} is point {{}}, drawn with the chance D²/ΣD² = {_number(chances[point])}"
        centres = np.vstack([centres, cloud.columns[:, point]])
        squared = np.minimum(squared, _seeding.squared_to_point(cloud, point))
        model = Model(centres + cloud.origin, float(squared.sum()))
        marks: tuple[Mark, ...] = (_VORONOI, _unassigned(cloud.n), Centres(model.centres, handle="centres"))
        if len(centres) < k:
            marks = (PointSizes(_seeding.draw_probabilities(squared), "chance to be the next centre"), *marks)
        caption = f"{words.format(point + 1)}; the squared distances D² add up to {_number(model.loss)}."
        yield _frame(model, _views(marks, scene), scene, "seed", caption)
    return NearestCentre(cloud, centres)


def _seed_frame(here: NearestCentre, scene: _Scene, caption: str, labels: Array | None = None) -> Snapshot:
    model = Model(here.centres + here.cloud.origin, here.loss)
    assignment = _unassigned(scene.n) if labels is None else Assignment(labels)
    marks = (_VORONOI, assignment, Centres(model.centres, handle="centres"))
    return _frame(model, _views(marks, scene), scene, "seed", caption)


def _one_run(
    here: NearestCentre, partition: bool, params: Params, scene: _Scene, number: int
) -> Generator[Snapshot, None, _Result]:
    """Lloyd's half steps as frames."""
    origin = here.cloud.origin
    trail = (here.centres + origin)[None]
    model = Model(trail[0], here.loss)
    half = None
    for half in half_steps(here, params.empty, params.max_steps, params.tol, assigned=partition):
        if half.kept is not None:
            trail = trail[:, half.kept]
        if half.phase == "update":
            trail = np.concatenate([trail[1 - TRAIL_LENGTH :], (half.centres + origin)[None]])
        caption = _caption(half, model.loss, scene.n)
        model = Model(trail[-1], half.J)
        views = LazyViews(_step_views, trail, half.labels, half.changed, scene)
        yield _frame(model, views, scene, half.phase, caption, len(half.changed), half.shift)
    assert half is not None
    assert half.stop is not None
    return _Result(model, half.labels, trail, half.stop, number)


def _best_frame(best: _Result, scene: _Scene) -> Snapshot:
    caption = (
        f"Restart {best.number} of {scene.restarts} is the best: J = {_number(best.model.loss)}; "
        f"the worst ended at {_number(max(scene.finals))}."
    )
    return _frame(best.model, _views(_result_marks(best), scene), scene, "best", caption)


def _elbow(cloud: Cloud, params: Params, rng: np.random.Generator, best: _Result, scene: _Scene) -> Generator[Snapshot]:
    """One more point of W(k) per frame; the model stays the best one found."""
    losses: list[float] = []
    for k, loss in enumerate(elbow_curve(cloud, params.elbow, params.restarts, params.max_steps, rng), start=1):
        caption = f"With {_count(k, 'cluster')} the best loss found is W({k}) = {_number(loss)}"
        if losses and losses[0] > 0.0:
            caption += f", {100 * loss / losses[0]:.1f} % of W(1)"
        losses.append(loss)
        curve = Curve(np.arange(1.0, k + 1.0), np.array(losses), "W(k)", dots=True)
        chosen = ReferenceLine(float(len(best.model.centres)), f"k = {len(best.model.centres)}", axis="x")
        views = {**_views(_result_marks(best), scene), "elbow": (chosen, curve)}
        yield _frame(best.model, views, scene, "elbow", caption + ".")


def _step_views(trail: Array, labels: Array, changed: Array, scene: _Scene) -> Views:
    marks = (_VORONOI, Trail(trail), Assignment(labels), Centres(trail[-1], handle="centres"))
    if 0 < len(changed) < scene.n:
        return _views((*marks, Highlight(changed, "changed", "changed cluster")), scene)
    return _views(marks, scene)


def _result_marks(best: _Result) -> tuple[Mark, ...]:
    centres = Centres(best.model.centres, handle="centres")
    return (_VORONOI, Trail(best.trail), Assignment(best.labels), centres)


def _views(plane: tuple[Mark, ...], scene: _Scene) -> Views:
    if scene.restarts == 1 or not scene.finals:
        return {"plane": plane}
    names = tuple(str(i + 1) for i in range(len(scene.finals)))
    return {"plane": plane, "restarts": (Bars(np.array(scene.finals), names),)}


def _frame(
    model: Model, views: Views, scene: _Scene, phase: str, caption: str, changed: int = 0, shift: float = 0.0
) -> Snapshot:
    if scene.restarts > 1 and phase not in ("best", "elbow"):
        caption = f"Restart {len(scene.finals) + 1}: {caption}"
    return Snapshot(model, views, {"J": model.loss, "changed": changed, "shift": shift}, phase, caption)


def _caption(half: HalfStep, before: float, n: int) -> str:
    change = f"J falls from {_number(before)} to {_number(half.J)}" if before > half.J else f"J stays {_number(half.J)}"
    if half.phase == "update":
        way = f"Centres move to the mean of their points, by at most {_number(half.shift)}"
        return f"{way}; {change}.{half.note}"
    if len(half.changed) == 0:
        return f"No point changes its cluster: k-means has converged with J = {_number(half.J)}."
    if len(half.changed) == n:
        return f"Each of the {_count(n, 'point')} joins its nearest centre; J = {_number(half.J)}."
    verb = "changes" if len(half.changed) == 1 else "change"
    return f"{len(half.changed)} of {_count(n, 'point')} {verb} to a nearer centre; {change}.{half.note}"


def _unassigned(n: int) -> Assignment:
    return Assignment(np.full(n, -1, dtype=np.int32))


def _need_same_features(centres: Array, cloud: Cloud) -> None:
    if centres.shape[1] != cloud.d:
        raise DataError(f"The model has centres with {centres.shape[1]} features; the data have {cloud.d}.")


def _number(value: float) -> str:
    return f"{value:.4g}"


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


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
    answer: Explanation = {"cluster": own + 1, "share of J": float(distances[own] ** 2)}
    for number, distance in enumerate(distances, start=1):
        answer[f"distance to centre {number}"] = float(distance)
    if len(distances) > 1:
        answer["lead over the next centre"] = float(np.delete(distances, own).min() - distances[own])
    return answer


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
    resumes=True,
    panels=(
        Panel("plane", "k-means", space="data"),
        Panel("elbow", "Elbow: loss by number of clusters", x="k", y="W(k)"),
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
    reference="000 §3.2.1 Alg. 6; 002 §9.3-9.4; 003 slides 244-245; 004 §10.1; Arthur and Vassilvitskii 2007",
    example="blobs(n=300,noise=2,seed=6)",
)
