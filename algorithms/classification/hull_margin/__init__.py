"""The widest margin as geometry: the shortest segment between the convex hulls of two classes, and its bisector.

A line separates two classes exactly when it separates their convex hulls, and the line with the widest margin is the
perpendicular bisector of the shortest segment between them. Two points u and v move inside their hulls towards each
other; the few data points of which they are convex combinations at the end are the support vectors.

    minimise |u - v|,  u = Σ λ_i x_i (class 2),  v = Σ λ_i x_i (class 1),  λ >= 0 and Σ λ = 1 in each class

Gilbert steps towards the difference s of two corners with the least <z, s>, z = u - v; Mitchell, Demyanov and Malozemov
move weight from the worst point to the best one, which zigzags less. Hulls that overlap have distance 0 and no line
between them. A cap on the weights shrinks both hulls, away from single points, until a line fits: the soft margin.

This problem and the dual of the support vector machine have the same solution up to scaling, w = 2 (u - v) / |u - v|²
and α = 2 λ / |u - v|².

Reference: Statistical Machine Learning (Orbanz), Substituting convex sets to Dual optimization problem; Methods for
Data Science §7.1; Gilbert 1966; Mitchell, Demyanov, Malozemov 1974; Bennett, Bredensteiner 2000 for the reduced hulls.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from algorithms.classification.hull_margin import words
from algorithms.classification.hull_margin.solver import Hulls, Method, face, gilbert, mdm
from algorithms.classification.hull_margin.views import views
from algorithms.contract import (
    Algorithm,
    Case,
    Counterpart,
    Ended,
    Line,
    Metric,
    Panel,
    Question,
    Run,
    Snapshot,
    Stop,
)
from algorithms.counterpart import SAME_LABELS
from algorithms.data import Array, Points
from algorithms.maths.distances import refuse_extremes
from algorithms.params import Advanced, Between, Doc, Log

TOUCHING = 1e-6
"""Hulls that are nearer than this fraction of the data's reach are said to overlap."""
PATIENCE = 15
"""After so many steps from pair to pair MDM takes one over the whole face on which it stands."""
WATCHED = 400
"""Steps with a frame of their own; afterwards every tenth, then every hundredth has one."""


@dataclass(frozen=True, slots=True)
class Params:
    """How the pair walks, and in which hulls."""

    method: Annotated[Method, Doc("Step towards the best corner, or move weight from the worst to the best point.")] = (
        "MDM"
    )
    reduced: Annotated[
        float,
        Between(0.001, 1.0),
        Log,
        Doc("Cap on the weight of a point: 1 is the whole hull, 1 over the number of points of a class its mean."),
    ] = 1.0
    tol: Annotated[
        float,
        Between(1e-12, 0.1),
        Log,
        Advanced,
        Doc("Converged when the distance exceeds its lower bound by less than this fraction."),
    ] = 1e-4
    max_steps: Annotated[int, Between(1, 1_000_000), Log, Advanced, Doc("Most steps of the walk.")] = 20_000


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """The pair, the weights it is made of, and the line <normal, x> = offset on which f is 0; f(u) = 1, f(v) = -1."""

    normal: Array  # (d,) 2 (u - v) / |u - v|²; zeros where the hulls overlap
    offset: float
    weights: Array  # (n,) sum to 1 in each class
    u: Array  # (d,) of the second class
    v: Array  # (d,) of the first class
    middle: Array  # (d,)
    distance: float
    bound: float  # no u and v in the hulls are nearer than this
    steps: int


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What stays the same during a run."""

    data: Points
    signs: Array  # (n,) -1.0 or 1.0
    method: Method
    cap: float


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """Where the pair has been, and what moved it."""

    walk: Array  # (t, 2, d) v and u, the latest 200; fewer in many dimensions
    points: Array  # (m,) whose weight changed in this step
    taker: int = -1  # the point that got weight from another one
    overlap: bool = False
    proved: bool = True


Shot = Snapshot[Given, Model, Shown]


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run[Shot]:
    """Let the pair walk until its distance is proved, or the hulls are known to overlap."""
    signs = data.two_sides("The widest margin")
    refuse_extremes(data.X)
    middle = data.X.mean(axis=0)
    reach = float(np.sqrt(np.square(data.X - middle).sum(axis=1).max())) or 1.0
    given = Given(data, signs, params.method, params.reduced)
    hulls = Hulls.of((data.X - middle) / reach, signs, params.reduced)
    ahead = hulls.X[signs > 0.0].mean(axis=0) - hulls.X[signs < 0.0].mean(axis=0)
    weights, bound = hulls.deepest(ahead), 0.0
    z = hulls.difference(weights)
    none, walk = np.empty(0, dtype=np.int64), deque[Array](maxlen=max(min(200, 4000 // data.d), 2))

    def shot(steps: int, phase: str, points: Array, overlap: bool = False, proved: bool = True) -> Shot:
        model = _model(hulls, weights, z, middle, reach, bound, steps)
        walk.append(np.stack([model.v, model.u]))
        numbers = {
            "distance": model.distance,
            "bound": model.bound,
            "gap": model.distance - model.bound,
            "support": float(np.count_nonzero(weights)),
        }
        taker = int(points[-1]) if phase == "step" and len(points) == 2 else -1
        return Snapshot(given, phase, model, numbers, Shown(np.array(walk), points, taker, overlap, proved))

    yield shot(0, "start", none)
    stop: Stop | Ended = Ended(Stop.LIMIT, "stopped before the distance was proved")
    steps, overlap = 0, False
    for steps in range(1, params.max_steps + 1):
        length = float(np.sqrt(z @ z))
        corner = hulls.deepest(z)
        overlap = length <= TOUCHING
        if length > 0.0:
            bound = max(bound, float(z @ hulls.difference(corner)) / length)
        if overlap or length - bound <= params.tol * length:
            stop = Stop.CONVERGED
            break
        found = gilbert(hulls, weights, z, corner) if params.method == "Gilbert" else mdm(hulls, weights, z)
        if params.method == "MDM" and steps % PATIENCE == 0:
            whole = face(hulls, weights)
            if np.linalg.norm(hulls.difference(whole.weights)) < np.linalg.norm(hulls.difference(found.weights)):
                found = whole
        if np.array_equal(found.weights, weights):
            stop = Ended(Stop.CONVERGED, "as near as rounding allows")
            break
        weights = found.weights
        z = hulls.difference(weights)
        if steps <= WATCHED or steps % (10 if steps < 4000 else 100) == 0:
            yield shot(steps, "step", found.points)
    proved = stop is Stop.CONVERGED or (isinstance(stop, Ended) and stop.stop is Stop.CONVERGED)
    yield shot(steps, "done", none, overlap, proved)
    return stop


def _model(hulls: Hulls, weights: Array, z: Array, middle: Array, reach: float, bound: float, steps: int) -> Model:
    """The state in the units of the data."""
    u, v = (middle + reach * place for place in hulls.pair(weights))
    z = reach * z
    squared = float(z @ z)
    normal = 2.0 * z / squared if squared > (TOUCHING * reach) ** 2 else np.zeros_like(z)
    half = (u + v) / 2.0
    distance = float(np.sqrt(squared))
    return Model(normal, float(normal @ half), weights, u, v, half, distance, min(reach * bound, distance), steps)


def field(model: Model, X: Array) -> Array:
    """f(x) = <w, x - middle>: 1 at u, -1 at v; 0 everywhere where the hulls overlap."""
    return np.asarray((X - model.middle) @ model.normal)


def predict(model: Model, X: Array) -> Array:
    """1 on the side of u."""
    return (field(model, X) >= 0.0).astype(np.int64)


def counterpart(params: Params, case: Case | None) -> Counterpart | None:
    """scikit-learn's support vector machine with a large C, for whole hulls."""
    if params.reduced < 1.0:
        return None
    return Counterpart(
        imports="from sklearn.svm import SVC",
        make="SVC(kernel='linear', C=1e8, tol=1e-6)",
        difference=SAME_LABELS.format(ours="ours.predict(X)", theirs="theirs.predict(X)"),
        measure="fraction of points predicted differently",
        caveat="Where the hulls overlap there is no such line, and a large C gives a soft one.",
    )


ALGORITHM = Algorithm(
    key="hull_margin",
    title="Margin between hulls",
    family="classification",
    summary="Two points in the hulls of two classes approach each other; their bisector has the widest margin.",
    params=Params,
    run=run,
    views=views,
    captions=words.CAPTIONS,
    warning=words.warning,
    predict=predict,
    field=field,
    scores="decision",
    explain=words.explain,
    counterpart=counterpart,
    target="classes",
    synonyms=(
        "hard margin",
        "maximum margin",
        "convex hull",
        "Gilbert",
        "MDM",
        "reduced convex hull",
        "nearest points",
    ),
    example="separable(n=60,margin=0.6,seed=7)",
    panels=(
        Panel("plane", "Hulls, segment and margin", "data"),
        Panel("weights", "Weights of the points", x="point", y="weight"),
        Panel("difference", "All differences", x="first feature of u - v", y="second feature"),
    ),
    metrics=(
        Metric("distance", "distance of u and v", group="distance"),
        Metric("bound", "lower bound", group="distance", better="higher"),
        Metric("gap", "distance above its lower bound", log=True),
        Metric("support", "points with weight", better="neither"),
    ),
    pseudocode=(
        Line("u, v ← corners that face each other", "start"),
        Line("repeat:   z ← u - v,   |z| = {distance}"),
        Line("    s ← corner with the least <z, s> / |z| = {bound} ≤ |z*|"),
        Line("    Gilbert: z ← nearest to 0 between z and s", "step"),
        Line("    MDM: weight from worst to best point", "step"),
        Line("        at times the best for all with weight", "step"),
        Line("until |z| is proved;  w ← 2 z / |z|²", "done"),
    ),
    reference="Statistical Machine Learning (Orbanz), Substituting convex sets, Margin, Convex duality, "
    "Dual optimization problem; Methods for Data Science §7.1; Gilbert 1966; Mitchell, Demyanov, Malozemov 1974; "
    "Bennett, Bredensteiner 2000",
    formulas=words.FORMULAS,
    tries=words.TRIES,
    related=words.RELATED,
    questions=(
        Question("How far apart will u and v be after the next step?", "step", "metrics.distance"),
        Question("Which point will get weight from another one (-1: all at once)?", "step", "shown.taker"),
    ),
)
