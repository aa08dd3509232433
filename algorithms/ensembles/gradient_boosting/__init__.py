"""Gradient boosting: each tree is grown on the residuals of the sum of all trees before it.

The sum begins as a constant. At every point the residual says in which direction and how far the answer should move to
lower the loss: for the squared loss it is simply y - F(x), for others the slope of the loss with a minus. A small tree
is fitted to the residuals, each of its leaves takes the step that lowers the loss of its own points most, and a part
``rate`` of it is added to the sum. Then there are new residuals.

    r_i = -∂ℓ(y_i, F(x_i))/∂F        tree: regions R_j, for the r_i        γ_j = argmin Σ_{i in R_j} ℓ(y_i, F(x_i) + γ)
    F(x) ← F(x) + rate · γ_j   for x in R_j

    squared r = y - F, γ the mean;   absolute r = sgn(y - F), γ the median;   huber in between
    logistic r = y - p, p = 1/(1 + e^-F), γ = Σ r / Σ p (1 - p); more than two classes have a sum and a tree each

It is descent on the loss in the space of functions, one tree at a time. Small steps and many trees follow the data more
smoothly than few large ones; too many follow the noise, and the loss of points that were held out says when.

Reference: Friedman, "Greedy Function Approximation: A Gradient Boosting Machine" (2001) and "Stochastic Gradient
Boosting" (2002); Hastie, Tibshirani, Friedman, The Elements of Statistical Learning, chapter 10; Methods for Data
Science §6.2 (ensembles of trees).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np

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
    Stop,
    Try,
)
from algorithms.counterpart import SAME_VALUES
from algorithms.data import Array, DataError, Item, Points
from algorithms.ensembles.gradient_boosting import words
from algorithms.ensembles.gradient_boosting.solver import (
    Kind,
    Round,
    State,
    Task,
    added,
    answers,
    attempt,
    beginning,
    outputs_of,
    probabilities,
)
from algorithms.ensembles.gradient_boosting.views import views
from algorithms.maths.forest_growth import Presorted
from algorithms.maths.forests import LIMIT, Forest, forest_bytes, refuse_large
from algorithms.maths.words import counted
from algorithms.params import Advanced, Between, Doc, Log
from algorithms.played import Played

WATCHED = 20
"""Rounds with a frame for the residuals, one for the tree and one for the sum; after these there is one for all."""


@dataclass(frozen=True, slots=True)
class Params:
    """The knobs of gradient boosting."""

    rounds: Annotated[
        int, Between(1, 1000), Log, Doc(f"How many trees are added (of several classes: for each). {LIMIT}")
    ] = 100
    rate: Annotated[float, Between(0.01, 1.0), Log, Doc("The part of each tree's step that is taken.")] = 0.1
    depth: Annotated[int, Between(1, 8), Doc("Most cuts between the root and a leaf of a tree; 1 is a stump.")] = 2
    loss: Annotated[
        Kind, Doc("What a residual costs. Classes always use the logistic loss, and values never (but the squared).")
    ] = "squared"
    subsample: Annotated[
        float, Between(0.1, 1.0), Doc("The fraction of the points, drawn anew for each tree, that it is grown on.")
    ] = 1.0
    validation: Annotated[
        float, Between(0.0, 0.5), Advanced, Doc("Fraction of the points that are held out and only watched.")
    ] = 0.2


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """The sum F(x) = start + Σ of the trees."""

    start: Array  # (k,) one for a value or two classes, else one for each class
    trees: Forest  # a leaf holds what is added to each sum
    classes: int  # 0 where the target is a value

    def total(self, X: Array) -> Array:
        """F (n, k)."""
        if not len(self.trees):
            return np.tile(self.start, (len(X), 1))
        return np.asarray(self.start + self.trees.total(X))


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What stays the same during a run."""

    data: Points
    task: Task
    one_target: bool  # of all points to learn from

    @property
    def on_a_line(self) -> bool:
        """Whether a value stands over one feature, so that the sum is a curve."""
        return self.data.d == 1 and not self.task.classes


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """The sum so far, and the newest trees."""

    state: State
    found: Round | None = None


Shot = Snapshot[Given, Model, Shown]


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run[Shot]:
    """Residuals, a tree for them, a part of its step; and again."""
    task = _task(data, params, rng)
    learnt = task.target[task.training]
    given, state = Given(data, task, bool((learnt == learnt[0]).all())), beginning(task)
    yield _shot(given, "start", Shown(state))
    for number in range(1, params.rounds + 1):
        found = attempt(task, state, rng)
        if number <= WATCHED:
            yield _shot(given, "residuals", Shown(state))
            yield _shot(given, "tree", Shown(state, found))
        state = added(task, state, found)
        yield _shot(given, "add", Shown(state, found))
    yield _shot(given, "done", Shown(state))
    return Stop.COMPLETE


def _task(data: Points, params: Params, rng: np.random.Generator) -> Task:
    """The target as numbers, and a part of the points to watch."""
    if data.y is None:
        raise DataError("Gradient boosting needs a class or a value for every point; this data set has neither.")
    if data.is_labelled:
        data.several_classes("Gradient boosting")
    classes, sizes = len(data.classes), (params.depth, params.rate, params.subsample)
    outputs = outputs_of(classes)
    trees = params.rounds * outputs
    taken = forest_bytes(trees, data.n, outputs, params.depth)
    refuse_large(
        f"{counted(trees, 'tree')} on {counted(data.n, 'point')}", taken, "Use fewer rounds or a smaller depth."
    )
    training = np.ones(data.n, dtype=bool)
    training[rng.permutation(data.n)[: max(min(round(params.validation * data.n), data.n - 2), 0)]] = False
    kind = "logistic" if data.is_labelled else "squared" if params.loss == "logistic" else params.loss
    return Task(data.X, data.y, classes, kind, *sizes, training, Presorted.of(data.X))


def _shot(given: Given, phase: str, shown: Shown) -> Shot:
    state, task = shown.state, given.task
    loss, error, outside, _ = state.track[-1]
    metrics = {"loss": loss, "validation_loss": math.nan if task.training.all() else outside, "error": error}
    return Snapshot(given, phase, Model(state.start, state.trees, task.classes), metrics, shown)


def predict(model: Model, X: Array) -> Array:
    """The value (n,), or the number of the most probable class."""
    return answers(model.total(X), model.classes)


def field(model: Model, X: Array) -> Array:
    """The value (n,), the probability (n,) of the second of two classes, or those (n, c) of more."""
    F = model.total(X)
    if not model.classes:
        return F[:, 0]
    return probabilities(F)[:, 0] if model.classes == 2 else probabilities(F)


def explain(model: Model, data: Points, item: Item) -> Explanation:
    """The sum at a place, and what it makes of the target."""
    F = model.total(item.x[None])
    answer: Explanation = {"trees": len(model.trees)}
    if not model.classes:
        answer |= {"constant": float(model.start[0]), "sum of the trees": float(F[0, 0] - model.start[0])}
        answer["prediction"] = float(F[0, 0])
        if item.number >= 0 and data.y is not None:
            answer["residual"] = float(data.y[item.number] - F[0, 0])
        return answer
    found = probabilities(F)[0]
    found = np.array([1.0 - found[0], found[0]]) if model.classes == 2 else found
    for number in np.argsort(-found, kind="stable")[:6].tolist():
        answer[f"probability of {data.class_name(number)}"] = float(found[number])
    if item.number >= 0 and data.y is not None:
        answer["residual of its own class"] = float(1.0 - found[int(data.y[item.number])])
    return answer


def _median_off(played: Played) -> float:
    """The median distance of the training points from the sum."""
    return float(np.median(np.abs(played.data.y - played.predicted())[played.last.given.task.training]))


def counterpart(params: Params, case: Case | None) -> Counterpart | None:
    """scikit-learn's gradient boosting, which makes the same steps."""
    if params.validation > 0.0 or case is None:
        return None
    labelled = bool(case.data.facts().get("classes"))
    name = "GradientBoostingClassifier" if labelled else "GradientBoostingRegressor"
    losses = {"squared": "squared_error", "logistic": "squared_error", "absolute": "absolute_error", "huber": "huber"}
    loss = "log_loss" if labelled else losses[params.loss]
    make = f"{name}(loss={loss!r}, n_estimators={params.rounds}, learning_rate={params.rate!r}, "
    make += f"max_depth={params.depth}, subsample={params.subsample!r}, random_state={case.seed})"
    caveat = "Cuts that are equally good are broken differently, and later trees build on that."
    if params.subsample < 1.0:
        caveat = "Other points are drawn for each tree."
    return Counterpart(
        imports=f"from sklearn.ensemble import {name}",
        make=make,
        difference="theirs.score(X, y) - np.mean(ours.predict(X) == y)" if labelled else SAME_VALUES,
        measure="difference in accuracy" if labelled else "largest difference of a prediction, by the range of y",
        caveat=caveat,
    )


ALGORITHM = Algorithm(
    key="gradient_boosting",
    title="Gradient boosting",
    family="ensembles",
    summary="Adds small trees one after the other, each grown on the residuals of the sum before it.",
    params=Params,
    reads_categories=True,
    ignores_scale=True,
    run=run,
    views=views,
    captions=words.CAPTIONS,
    warning=words.warning,
    predict=predict,
    field=field,
    scores="probability",
    explain=explain,
    counterpart=counterpart,
    synonyms=("boosting", "GBM", "gradient boosted trees", "MART", "residuals", "functional gradient", "XGBoost"),
    target="any",
    example="sine(n=120,noise=0.2,periods=1.5,seed=1)",
    panels=(
        Panel("plane", "The sum", "data"),
        Panel("residuals", "Residuals, new tree", x="sum F", y="residual"),
        Panel("loss", "Loss", x="round", y="mean loss", beside=True, integer_x=True),
        Panel("tree", "The new tree", "none"),
        Panel("spread", "Size of the residuals", x="residual", y="density"),
        Panel("axes", "Gain by axis", y="fraction of all gain"),
    ),
    metrics=(
        Metric("loss", "training loss", group="loss"),
        Metric("validation_loss", "loss of the points held out", group="loss", better="neither"),
        Metric("error", "training error (0-1, squared)", group="error"),
    ),
    pseudocode=(
        Line("F ← the best constant", "start"),
        Line("for each round:"),
        Line("    r_i ← -∂ℓ/∂F at every point, the residuals", "residuals"),
        Line("    grow a tree on the r_i", "tree"),
        Line("    γ ← the best step of each of its leaves"),
        Line("    F ← F + rate · γ, loss {loss}", "add"),
        Line("the answer is F, held out {validation_loss}", "done"),
    ),
    reference="Friedman (2001, 2002); Hastie, Tibshirani, Friedman, The Elements of Statistical Learning, chapter 10; "
    "Methods for Data Science §6.2",
    formulas=(
        r"r_i = -\left. \frac{\partial\, \ell(y_i, F)}{\partial F} \right|_{F = F(x_i)}",
        r"\gamma_j = \arg\min_\gamma \sum_{x_i \in R_j} \ell\left( y_i,\, F(x_i) + \gamma \right) \qquad F(x) "
        r"\leftarrow F(x) + \nu \sum_j \gamma_j\, [x \in R_j]",
        r"\text{logistic:}\quad r_i = y_i - p_i \qquad \gamma_j = \frac{\sum_{R_j} r_i}{\sum_{R_j} p_i (1 - p_i)}",
    ),
    tries=(
        Try(
            "Whole steps with deep trees learn the noise: the training loss ends at 0, and the held-out loss is least "
            "after the first round.",
            "sine(n=120,noise=0.3,periods=1.5,seed=1)",
            {"rate": 1.0, "depth": 5},
            shows=lambda played: played.final("loss") < 1e-6 and played.last.shown.state.best == 1,
        ),
        Try(
            "Small steps of stumps: the held-out loss ends at 0.11, less than half of that of whole steps with deep "
            "trees.",
            "sine(n=120,noise=0.3,periods=1.5,seed=1)",
            {"rate": 0.05, "depth": 1, "rounds": 400},
            shows=lambda played: (
                round(played.final("validation_loss"), 2) == 0.11
                and played.final("validation_loss")
                < 0.5 * played.but(rate=1.0, depth=5, rounds=100).final("validation_loss")
            ),
        ),
        Try(
            "Outliers: with the absolute loss only their side counts, and the median distance of the points from the "
            "sum is smaller than with the squared loss.",
            "line(n=100,noise=0.5,outliers=0.15,seed=3)",
            {"loss": "absolute"},
            shows=lambda played: _median_off(played) < _median_off(played.but(loss="squared")),
        ),
        Try(
            "Two classes: the residuals are y - p, and the training error falls below a tenth of the error before the "
            "first tree.",
            "moons(n=200,noise=0.25,seed=1)",
            shows=lambda played: played.final("error") < 0.1 * played.curve("error")[0],
        ),
        Try(
            "Three classes have a tree each in every round: 300 trees after 100 rounds.",
            "rings(n=300,rings=2,noise=0.15,seed=1)",
            shows=lambda played: len(played.model.trees) == 300,
        ),
        Try(
            "Each tree is grown on half of the points, so the training loss rises in some rounds; with all points it "
            "falls in each.",
            "moons(n=300,noise=0.35,seed=1)",
            {"subsample": 0.5, "rate": 0.5},
            shows=lambda played: bool(
                np.diff(played.curve("loss")).max() > 0.0 >= np.diff(played.but(subsample=1.0).curve("loss")).max()
            ),
        ),
    ),
    questions=(
        Question("How large is the training loss after the next tree?", "add", "metrics.loss"),
        Question("How large is the held-out loss after the next tree?", "add", "metrics.validation_loss"),
    ),
)
