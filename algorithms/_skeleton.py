"""The mean by gradient descent: the file to copy for a new algorithm.

Copy it to ``algorithms/<family>/<key>.py``, and the new file has a place in the gallery, a form, playback, curves,
saving, export, the command line and every check of :mod:`algorithms.checks`; nothing else is to be edited. (This file
itself is not found: its name begins with an underscore and it stands outside the families.)

The docstring comes first and gives the idea in three sentences. The centre m of a cloud of points is the place whose
mean squared distance to the points is least. Here m starts at a random point and walks downhill, a fraction ``rate``
of the distance at a time; it arrives at the mean.

Then the formula, in the letters of the textbook:

    J(m) = 1/n sum_i |x_i - m|^2,    grad J = -2 (mean(x) - m),    m <- m - rate/2 grad J(m)

and the reference, document and section, so that a reader can lay the book beside the code.

The help (F1) shows these paragraphs as the idea, without the reference and without what is indented: the formulae are
set from the LaTeX of the record below. It leaves out sentences that a formula completes.

Reference: Boyd and Vandenberghe, Convex Optimization, section 9.3 (gradient descent).
"""

from __future__ import annotations

from dataclasses import dataclass
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
    Views,
)
from algorithms.data import Array, Item, Points
from algorithms.marks import Centres, Regions
from algorithms.maths.words import number
from algorithms.params import Between, Doc, Live

TOLERANCE = 1e-6
"""Converged when a step is this small beside the spread of the points: a fraction of it, never a length."""
MOST_STEPS = 1000


# Each parameter is declared once, here: type, range, default, sentence. ``Live`` says that changing it in the middle
# of a run goes on from the current model; it needs ``resumes=True`` below.
@dataclass(frozen=True, slots=True)
class Params:
    """What the user can set."""

    rate: Annotated[
        float, Between(0.05, 1.0), Live, Doc("The fraction of the distance to the mean that one step goes.")
    ] = 0.5


# The model is a frozen value, complete enough for predict, field, explain and for going on from it. It holds arrays,
# numbers, texts and tuples only. Say the shape beside each array.
@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """The state after a step."""

    centre: Array  # (d,)
    radius: float  # root of the mean squared distance: points nearer than this count as typical


# What pictures and words need and the model does not hold: ``Given`` once per run, ``Shown`` per snapshot, small facts
# only. ``Shot`` names the kind of snapshot for the type checker.
@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What stays the same during a run."""

    rate: float


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """How the centre came to where it is."""

    step: int = 0
    move: float = 0.0  # the length of the last step


Shot = Snapshot[Given, Model, Shown]


# ``run`` is the mathematics, to be read aloud beside the book; it knows no word and no mark. It yields the initial
# state first, then a snapshot after each phase, and returns why it ended. Everything random comes from ``rng``. Data
# that cannot be used raise a DataError with a full sentence before the first yield. Never write into an array that has
# been yielded: it is locked, so make a new one.
def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run[Shot]:
    """Walk from a random point (or from the centre of ``start``) to the mean."""
    given = Given(params.rate)
    centre = data.X[rng.integers(data.n)] if start is None else start.centre
    yield shot(given, data, "start", centre, Shown())
    mean = data.X.mean(axis=0)
    spread = np.ptp(data.X, axis=0).max()
    for step in range(1, MOST_STEPS + 1):
        move = params.rate * (mean - centre)
        centre = centre + move
        yield shot(given, data, "step", centre, Shown(step, float(np.linalg.norm(move))))
        if np.abs(move).max() <= TOLERANCE * spread:
            return Stop.CONVERGED
    return Stop.LIMIT


# The pure helpers follow in the order in which run uses them.
def shot(given: Given, data: Points, phase: str, centre: Array, shown: Shown) -> Shot:
    """The snapshot of this centre, with the same metrics every time."""
    cost = float(squared_distances(data.X, centre).mean())
    return Snapshot(given, phase, Model(centre, radius=float(np.sqrt(cost))), {"J": cost}, shown)


# What is seen and said is made from a snapshot when somebody looks. ``views``, the captions and ``warning`` are pure:
# they read the snapshot and nothing else. In a package, views stand in views.py and captions in words.py.
def views(shot: Shot) -> Views:
    """The marks of every panel, bottom layer first."""
    return {"plane": (Regions("value"), Centres(shot.model.centre[None, :]))}


def start_words(shot: Shot) -> str:
    """Where the centre starts."""
    return f"The centre starts at {words(shot.model.centre)}."


def step_words(shot: Shot) -> str:
    """How far the last step went."""
    return f"Step {shot.shown.step} moves the centre by {number(shot.shown.move)}; J is {number(shot.metrics['J'])}."


CAPTIONS = {"start": start_words, "step": step_words}  # one for each phase of the pseudo-code


def words(place: Array) -> str:
    """A place as a caption writes it; only the first two numbers of a long one."""
    numbers = [number(value) for value in place[:2]]
    return "(" + ", ".join(numbers) + (", ...)" if len(place) > 2 else ")")


def squared_distances(X: Array, centre: Array) -> Array:
    """The squared distance of every row of ``X`` to the centre."""
    return np.square(X - centre).sum(axis=1)  # (n,)


# What the model says about points it has not seen. Each takes any number of rows, also none.
def predict(model: Model, X: Array) -> Array:
    """1 for a typical point, nearer to the centre than the root mean square; 0 for the others."""
    return (field(model, X) <= model.radius).astype(np.int64)  # (m,)


def field(model: Model, X: Array) -> Array:
    """The distance to the centre; shading, contours and the status bar read it."""
    return np.sqrt(squared_distances(X, model.centre))  # (m,)


def explain(model: Model, data: Points, item: Item) -> Explanation:
    """Why the point ``x`` counts as typical or not, as named numbers."""
    x = item.x
    distance = float(field(model, x[None, :])[0])
    nearer = float((field(model, data.X) < distance).mean())
    return {"distance to the centre": distance, "typical distance": model.radius, "fraction of points nearer": nearer}


# The record closes the file. The first line of pseudo-code with a phase is the initial state; ``{J}`` is filled in
# with the metric of the current frame. ``formulas`` and ``tries`` are for the help: LaTeX, one line each, and what to
# try, where a button sets data and parameters and plays; say what there is to be seen, and in ``shows`` how a test
# finds it in the played run. ``questions`` ask about the next step: a path into the next snapshot of the phase.
ALGORITHM = Algorithm(
    key="skeleton",
    title="Mean by gradient descent",
    family="clustering",
    summary="Walks downhill from a random point to the point with the least mean squared distance.",
    params=Params,
    run=run,
    views=views,
    captions=CAPTIONS,
    predict=predict,
    field=field,
    scores="value",
    explain=explain,
    panels=(Panel("plane", "Data", space="data"),),
    metrics=(Metric("J", "Mean squared distance J"),),
    pseudocode=(
        Line("choose a random point as the centre m", "start"),
        Line("repeat until m hardly moves:"),
        Line("    m ← m + rate (mean(x) - m)        J = {J}", "step"),
    ),
    reference="Boyd and Vandenberghe, Convex Optimization, section 9.3",
    resumes=True,
    example="blobs(n=200,noise=1,seed=1)",
    formulas=(
        r"J(m) = \frac{1}{n} \sum_{i=1}^{n} \|x_i - m\|^2",
        r"m \leftarrow m - \frac{\mathrm{rate}}{2} \nabla J(m) = m + \mathrm{rate}\,(\bar{x} - m)",
    ),
    tries=(
        Try(
            "With a small rate the steps shrink with the distance that is left: many of them.",
            params={"rate": 0.05},
            shows=lambda played: len(played.frames) > 5 * len(played.but(rate=0.5).frames),
        ),
        Try(
            "With the rate 1 the first step is the last that moves the centre, whatever the data are.",
            "moons(n=200,seed=1)",
            {"rate": 1.0},
            shows=lambda played: np.allclose(played.frames[1].model.centre, played.data.X.mean(axis=0)),
        ),
    ),
    questions=(
        Question("How far does the next step move the centre?", "step", "shown.move"),
        Question("How large is J after the next step?", "step", "metrics.J"),
    ),
)
