"""The soft margin trained in the primal: a line with a margin that moves a little with every step.

The margin between the two classes is to be wide, and every point that is inside it or beyond has a slack ξ: how far it
is from its own side of the margin. That price, the hinge, replaces the 0-1 loss: it lies above it, is convex, and has a
slope wherever a point is wrong.

    J(w, b) = ½|w|² + C Σ ξ_i  (or C/2 Σ ξ_i²),    ξ_i = max(0, 1 - y_i (w·x_i + b))
    a subgradient:  w - C Σ y_i x_i  and  -C Σ y_i  over the points with slack

The hinge has a corner, so a step against a subgradient may lead uphill: the objective is noisy and the best line so far
is kept. Pegasos draws a few points only in each step, with long steps at first, and is noisier and faster. The exact
optimum, from the dual problem, shows how much is left.

Reference: Methods for Data Science §7.2 (λ there is the C here); Introduction to Machine Learning §5.2; Statistical
Machine Learning (Orbanz), Soft-margin classifiers; Shalev-Shwartz, Singer, Srebro, Pegasos (2007); Hastie, Tibshirani,
Friedman, The Elements of Statistical Learning, 12.3.2.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from algorithms.classification.hinge_svm import words
from algorithms.classification.hinge_svm.solver import Optimum, Primal, exact, pegasos_steps, subgradient_step
from algorithms.classification.hinge_svm.views import views
from algorithms.contract import (
    Algorithm,
    Case,
    Count,
    Counterpart,
    DataError,
    Ended,
    Explanation,
    Line,
    Metric,
    Panel,
    Question,
    Run,
    Snapshot,
    Stop,
)
from algorithms.counterpart import SAME_LABELS
from algorithms.data import Array, Item, Points
from algorithms.interrupt import checkpoint
from algorithms.maths.words import counted
from algorithms.params import Advanced, Between, Doc, Log, When

FRAMES, EARLY = 240, 40
"""About so many steps have a frame of their own, so many early ones all."""
BLOCK = 64
"""So many steps are made between two places where the run can be called off."""
CLOSE = 1e-3
"""Converged when the best line costs at most this fraction more than the optimum."""


@dataclass(frozen=True, slots=True)
class Params:
    """The knobs."""

    slack: Annotated[Literal["linear", "squared"], Doc("Pay C ξ, or C ξ²/2, which is smooth where ξ begins.")] = (
        "linear"
    )
    solver: Annotated[
        Literal["subgradient", "Pegasos"], Doc("Use all points in each step, or a few random ones with longer steps.")
    ] = "Pegasos"
    C: Annotated[
        float, Between(1e-3, 1e4), Log, Doc("The price of slack: small is a wide margin, large a hard one.")
    ] = 1.0
    rate: Annotated[
        float, Between(1e-3, 1e2), Log, Doc("How long steps are: times 1/√t (subgradient) or n C/t (Pegasos).")
    ] = 1.0
    batch: Annotated[
        int, Between(1, 1000), Log, When("solver", "Pegasos"), Doc("How many points Pegasos draws in each step.")
    ] = 4
    passes: Annotated[int, Between(1, 10_000), Log, Doc("How many passes over all points.")] = 100
    optimum: Annotated[bool, Advanced, Doc("Calculate the exact optimum first, to compare the objective with it.")] = (
        True
    )


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """f(x) = w·x + bias, calculated as w·(x - middle) + level so that no digit is lost far from zero."""

    weights: Array  # (d,)
    bias: float
    middle: Array  # (d,)
    level: float
    objective: float
    step: int

    @classmethod
    def of(cls, primal: Primal, w: Array, b: float, step: int) -> Model:
        """In the units of the data."""
        weights = w / primal.reach
        bias = float(b - weights @ primal.middle)
        return cls(weights, bias, primal.middle, float(b), primal.objective(w, b), step)


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What stays the same during a run."""

    data: Points
    signs: Array  # (n,) -1.0 or 1.0
    squared: bool
    reach: float  # the unit in which the weights of the optimum are given


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """What is seen beside the line."""

    drawn: Array  # (m,) points that Pegasos has drawn for this step
    path: Array  # (t, 2) the first two weights so far
    goal: Optimum | None = None


Shot = Snapshot[Given, Model, Shown]


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run[Shot]:
    """Step against a subgradient, and keep the best line."""
    primal = Primal.of(data, params.C, params.slack)
    given, nobody = Given(data, primal.y, params.slack == "squared", primal.reach), np.empty(0, dtype=np.int64)
    n, w, b = data.n, np.zeros(data.d), 0.0
    best = model = Model.of(primal, w, b, 0)
    path = [model.weights[:2]]
    goal: Optimum | None = None
    yield _shot(given, "start", model, best, Shown(nobody, np.array(path)))
    if params.optimum:
        goal = exact(primal)
    batch = min(params.batch, n)
    steps = params.passes if params.solver == "subgradient" else max(params.passes * n // batch, 1)
    stop: Stop | Ended = Ended(Stop.LIMIT, f"stopped after {counted(params.passes, 'pass', 'passes')}")
    for first, last, is_shown in _blocks(steps, max(steps // FRAMES, 1)):
        checkpoint()
        drawn = np.empty((0, 0), dtype=np.int64)
        if params.solver == "subgradient":
            for t in range(first, last + 1):
                w, b = subgradient_step(primal, w, b, params.rate, t)
        else:
            drawn = rng.integers(n, size=(last - first + 1, batch))
            w, b = pegasos_steps(primal, w, b, params.rate, first, drawn)
        if not is_shown:
            continue
        model = Model.of(primal, w, b, last)
        if not np.isfinite(model.objective):
            raise DataError("The weights grew out of range; lower the rate, or divide the features by a constant.")
        best = model if model.objective < best.objective else best
        path.append(model.weights[:2])
        shown = Shown(np.unique(drawn[-1:]), np.array(path[-FRAMES:]), goal)
        yield _shot(given, "step", model, best, shown)
        if goal is not None and goal.exact and best.objective <= (1.0 + CLOSE) * goal.bound:
            stop = Stop.CONVERGED
            break
    path.append(best.weights[:2])
    yield _shot(given, "done", best, best, Shown(nobody, np.array(path[-FRAMES:]), goal))
    return stop


def _shot(given: Given, phase: str, model: Model, best: Model, shown: Shown) -> Shot:
    """The line, with what it and the best one cost."""
    values = field(model, given.data.X)
    bound = np.nan if shown.goal is None else shown.goal.bound
    numbers = {
        "objective": model.objective,
        "best": best.objective,
        "optimum": bound,
        "left": np.maximum(best.objective - bound, 0.0),
        "wrong": float(np.count_nonzero((values >= 0.0) != (given.signs > 0.0))),
        "paying": float(np.count_nonzero(given.signs * values < 1.0)),
    }
    return Snapshot(given, phase, model, numbers, shown)


def _blocks(steps: int, every: int) -> Iterator[tuple[int, int, bool]]:
    """The steps in pieces: the first and the last of each, and whether the last is shown, as all early ones are."""
    t = 0
    while t < steps:
        due = t + 1 if t < EARLY else min((t // every + 1) * every, steps)
        last = min(due, t + BLOCK)
        yield t + 1, last, last == due
        t = last


def field(model: Model, X: Array) -> Array:
    """The decision value, ±1 at the edges of the margin."""
    return np.asarray((X - model.middle) @ model.weights + model.level)


def predict(model: Model, X: Array) -> Array:
    """1 where the decision value is not negative."""
    return (field(model, X) >= 0.0).astype(np.int64)


def explain(model: Model, data: Points, item: Item) -> Explanation:
    """The decision value, and the slack of a point of the data."""
    value = float(field(model, item.x[None])[0])
    answer: Explanation = {"class": data.classes[int(value >= 0.0)], "decision value": value}
    length = float(np.sqrt(model.weights @ model.weights))
    if length > 0.0:
        answer["distance from the line"] = value / length
    if item.number >= 0 and data.y is not None:
        side = 1.0 if data.y[item.number] == 1 else -1.0
        answer["slack ξ"] = max(1.0 - side * value, 0.0)
    return answer


def counterpart(params: Params, case: Case | None) -> Counterpart | None:
    """scikit-learn's stochastic descent on the hinge; its objective is J / (n C)."""
    loss = "hinge" if params.slack == "linear" else "squared_hinge"
    seed = 0 if case is None else case.seed
    return Counterpart(
        imports="from sklearn.linear_model import SGDClassifier",
        make=f"SGDClassifier(loss={loss!r}, alpha=1 / (len(X) * {params.C!r}), max_iter={params.passes}, tol=None, "
        f"random_state={seed})",
        difference=SAME_LABELS.format(ours="ours.predict(X)", theirs="theirs.predict(X)"),
        measure="fraction of points predicted differently",
        caveat="Both are noisy and stop near the optimum, not at it.",
    )


ALGORITHM = Algorithm(
    key="hinge_svm",
    title="Soft margin by subgradients",
    family="classification",
    summary="A line with a margin moves down the hinge loss, step by step, towards the exact optimum.",
    params=Params,
    run=run,
    views=views,
    captions=words.CAPTIONS,
    warning=words.warning,
    count=Count("iteration", "step"),
    predict=predict,
    field=field,
    scores="decision",
    explain=explain,
    counterpart=counterpart,
    target="classes",
    synonyms=("hinge loss", "Pegasos", "subgradient", "soft margin", "linear SVM", "primal SVM", "slack"),
    example="blobs(n=160,centres=2,noise=1.4,spread=3,seed=6)",
    panels=(
        Panel("plane", "Margin and slack", "data"),
        Panel("loss", "Hinge and 0-1 loss", x="on its own side by y f(x)", y="loss"),
        Panel("path", "Path of the weights", x="first weight", y="second weight"),
    ),
    metrics=(
        Metric("objective", "objective J", group="objective", log=True),
        Metric("best", "best so far", group="objective", log=True),
        Metric("optimum", "exact optimum", group="objective", log=True, better="neither"),
        Metric("left", "left to gain", log=True),
        Metric("wrong", "points on the wrong side", group="points"),
        Metric("paying", "points with slack", group="points", better="neither"),
    ),
    pseudocode=(
        Line("w, b ← 0", "start"),
        Line("repeat:   J = {objective}"),
        Line("    of all points (subgradient) or a few (Pegasos): which have slack, y f(x) < 1?"),
        Line("    w ← w - η (w - C Σ y x),   b ← b + η C Σ y   over those with slack", "step"),
        Line("keep the best line:  J = {best},  optimum {optimum}", "done"),
    ),
    reference="Methods for Data Science §7.2; Introduction to Machine Learning §5.2; "
    "Statistical Machine Learning (Orbanz), Soft-margin classifiers; Shalev-Shwartz, Singer, Srebro 2007; "
    "Hastie, Tibshirani, Friedman, The Elements of Statistical Learning, 12.3.2",
    formulas=(
        r"J(w, b) = \tfrac{1}{2} \|w\|^2 + C \sum_i \xi_i, \qquad \xi_i = \max(0,\, 1 - y_i (w^{\top} x_i + b))",
        r"\partial_w J \ni w - C \sum_{i:\, \xi_i > 0} y_i x_i, \qquad \partial_b J \ni -C \sum_{i:\, \xi_i > 0} y_i",
        r"\text{Pegasos:}\quad \lambda = \frac{1}{n C}, \qquad \eta_t = \frac{1}{\lambda t}",
    ),
    tries=words.TRIES,
    related=words.RELATED,
    questions=(
        Question("How large will J be after the next step?", "step", "metrics.objective"),
        Question("How many points will have slack after the next step?", "step", "metrics.paying"),
    ),
)
