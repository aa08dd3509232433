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

from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from algorithms.classification.hyperplane import words
from algorithms.classification.hyperplane.solver import (
    CELLS,
    Bells,
    Solutions,
    Staircase,
    unit_normal,
)
from algorithms.classification.hyperplane.views import views
from algorithms.contract import Algorithm, Line, Metric, Panel, Question, Run, Snapshot, Stop
from algorithms.data import Array, Points
from algorithms.maths.distances import refuse_extremes
from algorithms.params import Between, Doc, Unit

BATCHES, SWEEPS = 40, 15
"""In how many frames the points are classified, and the angles counted."""
NOBODY = np.empty(0, dtype=np.intp)


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


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What stays the same during a run."""

    data: Points
    signs: Array  # (n,) -1.0 or 1.0
    bells: Bells
    beyond: Array  # (2,) the fraction of each Gaussian on the wrong side of the line


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """What is known beside the line itself."""

    now: Array  # (m,) the points that are classified in this step
    stairs: Staircase
    solutions: Solutions | None = None  # once they are looked for; None where no line separates the classes
    fewest: int = -1  # mistakes of the lines counted so far


Shot = Snapshot[Given, Model, Shown]


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run[Shot]:
    """Classify point after point; then count the mistakes of all other lines, and look for those without any."""
    signs = data.two_sides("A line")
    refuse_extremes(data.X)
    origin, normal = data.X.mean(axis=0), unit_normal(params.angle, data.d)
    centred = data.X - origin
    distances = centred @ normal - params.offset  # <v, x - m> - c
    wrong = np.cumsum((distances >= 0.0) != (signs > 0.0))
    least = np.minimum.accumulate(signs * distances)
    bells = Bells.of(centred, signs)
    given = Given(data, signs, bells, bells.beyond(normal, np.array([params.offset]))[:, 0])
    expected = float(given.beyond @ bells.counts) / data.n

    def shot(count: int, phase: str, shown: Shown) -> Shot:
        mistakes = int(wrong[count - 1]) if count else 0
        model = Model(normal, params.offset, params.angle, origin, count, mistakes, shown.stairs.known)
        error, nearest = (mistakes / count, float(least[count - 1])) if count else (np.nan, np.nan)
        numbers = {"wrong": mistakes, "error": error, "expected": expected, "least": nearest}
        return Snapshot(given, phase, model, numbers, shown)

    shown = Shown(NOBODY, Staircase.none(float(np.sqrt(np.square(centred[:, :2]).sum(axis=1).max()))))
    yield shot(0, "start", shown)
    size = -(-data.n // BATCHES)
    for first in range(0, data.n, size):
        last = min(first + size, data.n)
        yield shot(last, "count", replace(shown, now=np.arange(first, last)))
    for until in np.linspace(0, CELLS, SWEEPS + 1).astype(int)[1:].tolist():
        stairs = shown.stairs.counted(centred[:, :2], signs, until)
        shown = replace(shown, stairs=stairs, fewest=stairs.best[0])
        yield shot(data.n, "sweep", shown)
    if data.d == 2:
        shown = replace(shown, solutions=Solutions.of(data.X, origin, signs))
    yield shot(data.n, "tails", shown)
    yield shot(data.n, "done", shown)
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
    views=views,
    captions=words.CAPTIONS,
    warning=words.warning,
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
    questions=(
        Question("How many points will be on the wrong side?", "count", "metrics.wrong"),
        Question("What will be the fewest mistakes of the lines counted so far?", "sweep", "shown.fewest"),
    ),
)
