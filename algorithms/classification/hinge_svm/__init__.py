"""The soft margin walked down in the primal: a street that moves a little with every step.

The street between the two classes is to be wide, and every point that stands inside it or beyond pays for how far it
is from its own kerb. That payment, the hinge, is the price that replaces the 0-1 loss: it lies above it, is convex, and
has a slope wherever a point is wrong. The notes' λ is the C here.

    J(w, b) = ½|w|² + C Σ ξ_i  (or C/2 Σ ξ_i²),    ξ_i = max(0, 1 - y_i (w·x_i + b))
    a subgradient:  w - C Σ y_i x_i  and  -C Σ y_i  over the points that pay

The hinge has a corner, so a step against a subgradient may lead uphill: the objective is noisy and the best street so
far is kept. Pegasos asks a few points only in each step, with long steps at first, and is noisier and faster. The exact
optimum, from the dual problem, shows how much is left.

Methods for Data Science §7.2; Introduction to Machine Learning §5.2; Statistical Machine Learning (Orbanz), Soft-margin
classifiers; Shalev-Shwartz, Singer, Srebro, Pegasos (2007).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from algorithms.classification.hinge_svm.solver import Optimum, Primal, exact, pegasos_steps, subgradient_step
from algorithms.classification.hinge_svm.views import views
from algorithms.contract import (
    Algorithm,
    Case,
    Count,
    Counterpart,
    DataError,
    DrawnRun,
    DrawnSnapshot,
    Ended,
    Explanation,
    LazyViews,
    Line,
    Metric,
    Panel,
    Stop,
    Try,
)
from algorithms.counterpart import SAME_LABELS
from algorithms.data import Array, Item, Points
from algorithms.interrupt import checkpoint
from algorithms.maths.words import counted, number
from algorithms.params import Advanced, Between, Doc, Log, When

FRAMES, EARLY = 240, 40
"""About so many steps have a frame of their own, so many early ones all."""
BLOCK = 64
"""So many steps are made before anybody can call them off."""
CLOSE = 1e-3
"""Converged when the best street costs at most this fraction more than the optimum."""


@dataclass(frozen=True, slots=True)
class Params:
    """The knobs."""

    slack: Annotated[Literal["linear", "squared"], Doc("Pay C ξ, or C ξ²/2, which is smooth where ξ begins.")] = (
        "linear"
    )
    solver: Annotated[
        Literal["subgradient", "Pegasos"], Doc("Ask all points in each step, or a few random ones with longer steps.")
    ] = "Pegasos"
    C: Annotated[
        float, Between(1e-3, 1e4), Log, Doc("The price of slack: small is a wide street, large a hard one.")
    ] = 1.0
    rate: Annotated[
        float, Between(1e-3, 1e2), Log, Doc("How long steps are: times 1/√t (subgradient) or n C/t (Pegasos).")
    ] = 1.0
    batch: Annotated[
        int, Between(1, 1000), Log, When("solver", "Pegasos"), Doc("How many points Pegasos asks in each step.")
    ] = 4
    passes: Annotated[int, Between(1, 10_000), Log, Doc("How often all points are asked.")] = 100
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


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> DrawnRun:
    """Step against a subgradient, and keep the best street."""
    primal = Primal.of(data, params.C, params.slack)
    n, nobody = data.n, np.empty(0, dtype=np.int64)
    w, b = np.zeros(data.d), 0.0
    best = model = Model.of(primal, w, b, 0)
    goal: Optimum | None = None
    path: list[Array] = []

    def frame(shown: Model, asked: Array, phase: str, caption: str, warning: str = "") -> DrawnSnapshot:
        path.append(shown.weights[:2])
        star = None if goal is None else goal.w / primal.reach
        squared = params.slack == "squared"
        drawn = LazyViews(views, shown, data, primal.y, asked, squared, np.array(path[-FRAMES:]), star)
        values = primal.X @ (primal.reach * shown.weights) + shown.level
        bound = 0.0 if goal is None else goal.bound
        metrics = {
            "objective": shown.objective,
            "best": best.objective,
            "optimum": bound,
            "left": max(best.objective - bound, 0.0),
            "wrong": float(np.count_nonzero((values >= 0.0) != (primal.y > 0.0))),
            "paying": float(np.count_nonzero(primal.y * values < 1.0)),
        }
        return DrawnSnapshot(shown, drawn, metrics, phase, caption, warning)

    yield frame(model, nobody, "start", f"w = 0: every point pays ξ = 1, J = {number(model.objective)}.")
    if params.optimum:
        goal = exact(primal)
    batch = min(params.batch, n)
    steps = params.passes if params.solver == "subgradient" else max(params.passes * n // batch, 1)
    every = max(steps // FRAMES, 1)
    stop: Stop | Ended = Ended(Stop.LIMIT, f"stopped after {counted(params.passes, 'pass', 'passes')}")
    for first, last, is_shown in _blocks(steps, every):
        checkpoint()
        if params.solver == "subgradient":
            asked = nobody
            for t in range(first, last + 1):
                w, b = subgradient_step(primal, w, b, params.rate, t)
        else:
            drawn = rng.integers(n, size=(last - first + 1, batch))
            w, b = pegasos_steps(primal, w, b, params.rate, first, drawn)
            asked = drawn[-1]
        if not is_shown:
            continue
        model = Model.of(primal, w, b, last)
        if not np.isfinite(model.objective):
            raise DataError("The weights grew out of range; lower the rate, or divide the features by a constant.")
        best = model if model.objective < best.objective else best
        yield frame(model, np.unique(asked) if len(asked) else nobody, "step", _of_step(model, best, goal))
        if goal is not None and goal.exact and best.objective <= (1.0 + CLOSE) * goal.bound:
            stop = Stop.CONVERGED
            break
    warning = (
        "" if goal is None or goal.exact else "The exact optimum is not known: what is drawn bounds it from below."
    )
    yield frame(best, nobody, "done", _conclusion(best, data, primal, goal), warning)
    return stop


def _blocks(steps: int, every: int) -> Iterator[tuple[int, int, bool]]:
    """The steps in pieces: the first and the last of each, and whether the last is shown, as all early ones are."""
    t = 0
    while t < steps:
        due = t + 1 if t < EARLY else min((t // every + 1) * every, steps)
        last = min(due, t + BLOCK)
        yield t + 1, last, last == due
        t = last


def _of_step(model: Model, best: Model, goal: Optimum | None) -> str:
    length = float(np.sqrt(model.weights @ model.weights))
    street = f"the street is {number(2.0 / length)} wide" if length > 0.0 else "there is no street"
    left = "" if goal is None else f", the optimum {number(goal.bound)}"
    reached = f"J = {number(model.objective)}, the best so far {number(best.objective)}{left}"
    return f"Iteration {model.step:,}: {reached}; {street}."


def _conclusion(best: Model, data: Points, primal: Primal, goal: Optimum | None) -> str:
    paying = int(np.count_nonzero(primal.y * field(best, data.X) < 1.0))
    text = (
        f"The best street, of iteration {best.step:,}, costs {number(best.objective)}; {counted(paying, 'point')} pay"
    )
    if goal is None or goal.bound <= 0.0:
        return text + "."
    return f"{text}. The {'optimum' if goal.exact else 'bound'} is {number(goal.bound)}: {_more(best, goal)} is left."


def _more(best: Model, goal: Optimum) -> str:
    return f"{100.0 * max(best.objective / goal.bound - 1.0, 0.0):.2g} %"


def field(model: Model, X: Array) -> Array:
    """The decision value, ±1 at the kerbs."""
    return np.asarray((X - model.middle) @ model.weights + model.level)


def predict(model: Model, X: Array) -> Array:
    """1 where the decision value is not negative."""
    return (field(model, X) >= 0.0).astype(np.int64)


def explain(model: Model, data: Points, item: Item) -> Explanation:
    """The decision value, and what a point of the data pays."""
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
    summary="A street between two classes moves down the hinge loss, step by step, towards the exact optimum.",
    params=Params,
    run=run,
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
        Panel("plane", "Street and slack", "data"),
        Panel("loss", "Hinge and 0-1 loss", x="on its own side by y f(x)", y="loss"),
        Panel("path", "Path of the weights", x="first weight", y="second weight"),
    ),
    metrics=(
        Metric("objective", "objective J", group="objective", log=True),
        Metric("best", "best so far", group="objective", log=True),
        Metric("optimum", "exact optimum", group="objective", log=True, better="neither"),
        Metric("left", "left to gain", log=True),
        Metric("wrong", "points on the wrong side", group="points"),
        Metric("paying", "points that pay", group="points", better="neither"),
    ),
    pseudocode=(
        Line("w, b ← 0", "start"),
        Line("repeat:   J = {objective}"),
        Line("    ask all points (subgradient) or a few (Pegasos): who pays, y f(x) < 1?"),
        Line("    w ← w - η (w - C Σ y x),   b ← b + η C Σ y   over those who pay", "step"),
        Line("keep the best street:  J = {best},  optimum {optimum}", "done"),
    ),
    reference="Methods for Data Science §7.2; Introduction to Machine Learning §5.2; "
    "Statistical Machine Learning (Orbanz), Soft-margin classifiers; Shalev-Shwartz, Singer, Srebro 2007",
    formulas=(
        r"J(w, b) = \tfrac{1}{2} \|w\|^2 + C \sum_i \xi_i, \qquad \xi_i = \max(0,\, 1 - y_i (w^{\top} x_i + b))",
        r"\partial_w J \ni w - C \sum_{i:\, \xi_i > 0} y_i x_i, \qquad \partial_b J \ni -C \sum_{i:\, \xi_i > 0} y_i",
        r"\text{Pegasos:}\quad \lambda = \frac{1}{n C}, \qquad \eta_t = \frac{1}{\lambda t}",
    ),
    tries=(
        Try("All points in each step: a calm walk, and still not always downhill.", params={"solver": "subgradient"}),
        Try("One point in each step: the street jumps at first, and the objective is noise.", params={"batch": 1}),
        Try("A small C: the street is wide and nearly all points stand in it.", params={"C": 0.01}),
    ),
    related=(
        Try(
            "The machine trained in the dual, pair by pair, with a certificate: the optimum that is drawn here.",
            method="kernel_svm",
            params={"kernel": "linear", "C": 1.0},
        ),
    ),
)
