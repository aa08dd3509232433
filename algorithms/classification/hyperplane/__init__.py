"""A line that divides the plane, set by hand: on which side a point lies, how far away, and how many are wrong.

A line is given by its unit normal v and its offset c from the mean m of the points, which is the origin of everything
here. The product of x - m with the normal says how far the point lies along it; less c it is the signed distance to the
line, and its sign is the predicted class: that is the whole linear classifier. With a constant 1 as one more feature
the line becomes a plane through the origin, and one vector z = (v, -c) holds everything.

    <v, x - m> - c = |x - m| cos(angle between v and x - m) - c,     f(x) = sgn <(v, -c), (x - m, 1)>

The number of mistakes as a function of the line, the empirical risk with the 0-1 loss, is piecewise constant: its slope
is 0 nearly everywhere and leads nowhere, which is why perceptron and support vector machine minimise another loss. The
vectors z without a mistake form a cone: positive multiples and sums of solutions are solutions.

The points alone do not say which solution is best. With a Gaussian fitted to each class, the tails on the wrong side of
the line say how often a new point would be wrong: the line of the widest margin has small tails, but not the smallest.

Reference: Statistical Machine Learning (Orbanz), Hyperplanes to Fitting a linear classifier (the cosine is positive for
angles within ±90°, a slide prints ±180°), Maximum margin idea (in the plane the ellipses at 1 and 2 standard deviations
hold 39 % and 86 %, a slide prints the 65 % and 95 % of a line); Bishop, Pattern Recognition and Machine Learning,
4.1.1; Hastie, Tibshirani, Friedman, The Elements of Statistical Learning, 4.5.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from algorithms.classification.hyperplane import words
from algorithms.classification.hyperplane.solver import (
    CELLS,
    Bells,
    Staircase,
    cone_of_solutions,
    standard,
    unit_normal,
    widest_line,
)
from algorithms.classification.hyperplane.views import views
from algorithms.contract import Algorithm, DrawnRun, DrawnSnapshot, LazyViews, Line, Metric, Panel, Stop
from algorithms.data import Array, Points
from algorithms.maths.distances import refuse_extremes
from algorithms.params import Between, Doc, Unit

BATCHES, SWEEPS = 40, 15
"""In how many frames the points are asked, and the angles counted."""
NOBODY = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Params:
    """The line; both can be dragged in the plane."""

    angle: Annotated[
        float, Between(-180.0, 180.0), Unit("°"), Doc("Direction of the normal, which points to the second class.")
    ] = 0.0
    offset: Annotated[
        float,
        Between(-1000.0, 1000.0),
        Doc("The offset c: signed distance of the line from the mean m of the points, along the normal v."),
    ] = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """The line <normal, x - origin> = offset, and how many points have been classified."""

    normal: Array  # (d,) of length 1
    offset: float
    angle: float  # of the normal, in degrees
    origin: Array  # (d,) the mean of the points, about which the line turns
    counted: int
    wrong: int  # of those
    swept: int  # angles of the map that are known


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> DrawnRun:
    """Ask point after point on which side it is; then count the mistakes of all other lines."""
    signs = data.two_sides("A line")
    refuse_extremes(data.X)
    origin, normal = data.X.mean(axis=0), unit_normal(params.angle, data.d)
    centred = data.X - origin
    distances = centred @ normal - params.offset
    missed = (distances >= 0.0) != (signs > 0.0)
    stairs = Staircase.none(float(np.sqrt(np.square(centred[:, :2]).sum(axis=1).max())))
    bells, cone, widest = Bells.of(centred, signs), None, None
    warning = words.features_used(data)
    beyond = bells.beyond(normal, np.array([params.offset]))[:, 0]

    def frame(count: int, asked: Array, phase: str, caption: str = "") -> DrawnSnapshot:
        wrong = int(np.count_nonzero(missed[:count]))
        model = Model(normal, params.offset, params.angle, origin, count, wrong, stairs.known)
        kept = (signs * distances)[:count]
        metrics = {
            "wrong": wrong,
            "error": wrong / max(count, 1),
            "expected": float(beyond @ bells.counts) / data.n,
            "least": float(kept.min()) if count else 0.0,
        }
        if phase == "start":
            caption = words.opening(model, data)
        elif phase == "count":
            caption = words.side(model, data, count - 1, float(distances[count - 1]))
        elif phase == "done":
            caption = words.conclusion(model, data, stairs, cone is not None)
        elif phase == "tails":
            rival = None if widest is None else bells.beyond(widest[0], np.array([widest[1]]))[:, 0]
            caption = words.tails(model, data, beyond, rival)
        drawn = LazyViews(views, model, data, signs, asked, stairs, cone, bells, widest, phase == "tails")
        return DrawnSnapshot(model, drawn, metrics, phase, caption, warning)

    yield frame(0, NOBODY, "start")
    size = -(-data.n // BATCHES)
    for first in range(0, data.n, size):
        last = min(first + size, data.n)
        yield frame(last, np.arange(first, last), "count")
    for until in np.linspace(0, CELLS, SWEEPS + 1).astype(int)[1:].tolist():
        stairs = stairs.counted(centred[:, :2], signs, until)
        yield frame(data.n, NOBODY, "sweep", words.sweep(stairs))
    if data.d == 2:
        at, unit = standard(data.X, origin)
        cone = cone_of_solutions(at, signs)
        if cone is not None:
            direction, offset_at = widest_line(at, signs)
            widest = direction, unit * offset_at
    yield frame(data.n, NOBODY, "tails")
    yield frame(data.n, NOBODY, "done")
    return Stop.COMPLETE


def field(model: Model, X: Array) -> Array:
    """The signed distance <v, x - m> - c."""
    return np.asarray((X - model.origin) @ model.normal - model.offset)


def predict(model: Model, X: Array) -> Array:
    """The side: 1 where the signed distance is not negative."""
    return (field(model, X) >= 0.0).astype(np.int64)


ALGORITHM = Algorithm(
    key="hyperplane",
    title="A dividing line",
    family="classification",
    summary="Turn and shift a line by hand; signed distances, the mistakes of all lines, and the lift into space.",
    params=Params,
    run=run,
    predict=predict,
    field=field,
    scores="decision",
    explain=words.explain,
    target="classes",
    synonyms=("linear classifier", "half-space", "homogeneous coordinates", "0-1 loss", "empirical risk", "side test"),
    example="separable(n=80,margin=0.3,seed=4)",
    panels=(
        Panel("plane", "Line and signed distances", "data"),
        Panel("map", "Map of mistakes", y="offset"),
        Panel("offsets", "Mistakes over the offset", x="offset c", y="mistakes"),
        Panel("angles", "Mistakes over the angle", x="angle in degrees", y="mistakes"),
        Panel("lift", "Lifted into space", "none"),
    ),
    metrics=(
        Metric("wrong", "points on the wrong side", group="wrong", better="neither"),
        Metric("error", "fraction of the points so far", group="error", better="neither"),
        Metric("expected", "of new points, as Gaussians", group="error", better="neither"),
        Metric("least", "least signed distance, own side positive", group="distance", better="neither"),
    ),
    pseudocode=(
        Line("normal v = (cos angle, sin angle), offset c from the mean m", "start"),
        Line("for each point x:   {wrong} wrong"),
        Line("    side ← sgn(<v, x - m> - c)", "count"),
        Line("for each other angle: count the mistakes at all offsets", "sweep"),
        Line("a Gaussian for each class: how much of it is on the wrong side?", "tails"),
        Line("solutions: the cone of all z = (v, -c) without a mistake", "done"),
    ),
    reference="Statistical Machine Learning (Orbanz), Hyperplanes, Linear classifiers, Homogeneous coordinates, "
    "Fitting a linear classifier, Maximum margin idea; Bishop, Pattern Recognition and Machine Learning, 4.1.1; "
    "Hastie, Tibshirani, Friedman, The Elements of Statistical Learning, 4.5",
    formulas=words.FORMULAS,
    tries=words.TRIES,
)
