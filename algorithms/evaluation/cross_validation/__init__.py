"""Cross-validation: how good a method is on points that it has not seen.

The points are divided into parts, and every part is held out once: the method learns from the others and is tested on
it. The mean of the errors estimates what a new point will cost, and their scatter says how sure that is. Whatever is
estimated from data belongs inside: a scale, a choice of features or of a parameter that has seen the held-out points
makes the error too good, and the switch *cheat* shows by how much. Choosing a parameter needs two levels: an inner
cross-validation of the points that learn chooses, and the outer one judges the choice (nested). The last word has a
third of the points that nothing was chosen by; it is said once.

    err = 1/k Σ_j 1/|B_j| Σ_{i in B_j} L(y_i, f^(-j)(x_i))        f^(-j) has learned without the block B_j

Reference: Handbook §2.1.4 and §4.2.2; CROSS VALIDATION (Statistical Machine Learning); Methods for Data Science §2.0
and §3.2; Hastie, Tibshirani, Friedman, The Elements of Statistical Learning, section 7.10.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

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
)
from algorithms.data import Array, DataError, Item, Points
from algorithms.evaluation.cross_validation import words
from algorithms.evaluation.cross_validation.solver import Experiment, Kind, Preparation, Trial, tried
from algorithms.evaluation.cross_validation.views import ASIDE, LEARNS, TESTS, views
from algorithms.executor import current_executor
from algorithms.maths.scales import deviation
from algorithms.maths.sweeps import Axis, Cell, SweepError, parse_axis, usual_axis
from algorithms.maths.validation import LastWord, Split, aside, losses, refuse_one_class, splits
from algorithms.method_choice import Method, parse_method
from algorithms.params import Between, Doc, Group, MethodOf, UpTo, When
from algorithms.trials import Trials

KEPT_ROWS = 200
"""Splits whose roles a frame remembers for the strip."""


@dataclass(frozen=True, slots=True)
class Params:
    """The knobs."""

    method: Annotated[str, MethodOf("predictor"), Doc("What is judged: any method that predicts.")] = "kernel_svm"
    scheme: Annotated[
        Literal["hold-out", "k-fold", "stratified", "repeated", "leave-one-out", "nested"],
        Doc("How points are held out: once, in k parts, in parts with all classes, again and again, one by one, ..."),
    ] = "stratified"
    folds: Annotated[
        int,
        Between(2, 50),
        When("scheme", "k-fold", "stratified", "repeated", "nested"),
        Doc("The number of parts; each is held out once."),
    ] = 5
    repeats: Annotated[
        int, Between(1, 50), When("scheme", "hold-out", "repeated"), Doc("How often the parts are drawn anew.")
    ] = 3
    fraction: Annotated[
        float, Between(0.05, 0.9), When("scheme", "hold-out"), Doc("The part of the points that is held out.")
    ] = 0.3
    over: Annotated[
        str,
        When("scheme", "nested"),
        Doc("What the inner level chooses: C=0.01..100:log:7, k=1..15; empty: the first number of the method."),
    ] = ""
    preparation: Annotated[
        Kind,
        Group("preparation"),
        Doc("What is done to the features first: nothing, one scale for all, the best ones."),
    ] = "none"
    features: Annotated[
        int,
        Between(1, 50),
        UpTo("features"),
        Group("preparation"),
        When("preparation", "best features"),
        Doc("How many features stay: those whose variance the target explains best."),
    ] = 2
    cheat: Annotated[
        bool,
        Group("preparation"),
        When("preparation", "standardise", "best features"),
        Doc("Prepare with all points, also those that are held out, and see what that buys."),
    ] = False
    test: LastWord = "none"


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """The errors so far, and what was learned in the latest split."""

    method: str  # with its parameters, as the latest split used it
    preparation: Preparation | None
    fitted: Any  # the model of the method, or None before the first split
    errors: Array  # (s,) of the splits so far
    honest: Array  # (s,) the same where nothing was looked at before; equal unless the user cheats
    held_out: Array  # (n,) the latest answer for each point while it was held out, NaN before
    fold_of: Array  # (n,) the split in which that was, -1 before
    inner: Array  # (s,) the errors by which a nested choice was made, or empty
    splits: int  # how many there will be
    test_error: float = float("nan")

    @property
    def mean(self) -> float:
        """The estimate: the mean of the errors; NaN before the first split."""
        return float(self.errors.mean()) if len(self.errors) else math.nan

    @property
    def spread(self) -> float:
        """The standard deviation of the errors; NaN before there are two."""
        return deviation(self.errors) if len(self.errors) > 1 else math.nan

    def answers(self, X: Array) -> Array:
        """What the latest fit says of rows."""
        assert self.preparation is not None
        return parse_method(self.method).predict(self.fitted, self.preparation.rows(X))


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What stays the same during a run."""

    data: Points  # all points
    desk: Array  # (m,) the numbers of those that are not kept aside
    kept: Array  # (t,) the numbers of those that are
    title: str  # of the method
    cheats: bool
    axis: Axis | None  # what an inner cross-validation chooses

    def roles(self, part: Split) -> Array:
        """What each of all points does in a split, (n,) int8."""
        found = np.full(self.data.n, ASIDE, dtype=np.int8)
        found[self.desk[part.learn]] = LEARNS
        found[self.desk[part.test]] = TESTS
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """Who learns and who is tested, and what a nested choice was made from."""

    roles: Array  # (r, n) of the splits so far
    tested: Array  # the points of the present one
    inner: tuple[Cell, ...] = ()
    chosen: str = ""  # the method


Shot = Snapshot[Given, Model, Shown]


def run(data: Points, params: Params, rng: np.random.Generator, start: Any = None) -> Run[Shot]:
    """Hold every part out once: learn without it, test on it; at the end, the last word of the test points."""
    given, experiment = _given(data, params, rng)
    parts, model = experiment.parts, _untried(experiment, data.n)
    shown = Shown(np.empty((0, data.n), dtype=np.int8), given.desk[parts[0].test])
    yield Snapshot(given, "split", model, _numbers(model), shown)
    trials = current_executor().map(tried, range(len(parts)), experiment)
    for number, (part, trial) in enumerate(zip(parts, trials, strict=True)):
        roles = np.concatenate([shown.roles, given.roles(part)[None]])[-KEPT_ROWS:]
        shown = Shown(roles, given.desk[part.test], trial.inner, trial.method.text)
        if trial.inner:
            yield Snapshot(given, "choose", model, _numbers(model), shown)
        model = _joined(model, trial, shown.tested, number)
        yield Snapshot(given, "test", model, _numbers(model), shown)
    yield Snapshot(given, "mean", model, _numbers(model), Shown(shown.roles, np.empty(0, dtype=np.intp)))
    if params.test == "open":
        model = _opened(given, experiment, model)
        yield Snapshot(given, "open", model, _numbers(model), Shown(shown.roles, given.kept))
    return Stop.COMPLETE


def _numbers(model: Model) -> dict[str, float]:
    last = float(model.errors[-1]) if len(model.errors) else math.nan
    return {"error": last, "mean": model.mean, "spread": model.spread}


def _given(data: Points, params: Params, rng: np.random.Generator) -> tuple[Given, Experiment]:
    method = parse_method(params.method, "predictor")
    _refuse_wrong_targets(data, method)
    desk, kept = np.arange(data.n), np.empty(0, dtype=np.intp)
    seed = int(rng.integers(2**31))
    if params.test != "none":
        desk, kept = aside(data, rng)
    left = data.rows(desk)
    scheme = "stratified" if params.scheme == "nested" else params.scheme
    parts = splits(left, scheme, rng, params.folds, params.repeats, params.fraction)
    refuse_one_class(left, parts, method)
    axis = _axis(method, params) if params.scheme == "nested" else None
    cheats = params.cheat and params.preparation != "none"
    experiment = Experiment(method, left, parts, seed, params.preparation, params.features, cheats, axis, params.folds)
    return Given(data, desk, kept, method.algorithm.title, cheats, axis), experiment


def _refuse_wrong_targets(data: Points, method: Method) -> None:
    """The inner method would refuse as well, but only in the first split."""
    algorithm = method.algorithm
    if data.y is None:
        raise DataError("Cross-validation needs a target to be predicted; this data set has none.")
    if algorithm.target == "classes":
        data.several_classes(algorithm.title)


def _axis(method: Method, params: Params) -> Axis:
    try:
        if not params.over.strip():
            return usual_axis(method.algorithm)
        return parse_axis(params.over, method.algorithm)
    except SweepError as error:
        raise DataError(str(error)) from error


def _untried(experiment: Experiment, n: int) -> Model:
    method, none = experiment.method.text, np.empty(0)
    return Model(method, None, None, none, none, np.full(n, np.nan), np.full(n, -1), none, len(experiment.parts))


def _joined(model: Model, trial: Trial, tested: Array, number: int) -> Model:
    """The model with one more split."""
    held_out, fold_of = model.held_out.copy(), model.fold_of.copy()
    held_out[tested], fold_of[tested] = trial.answers, number
    inner = model.inner
    if trial.inner:
        best = min(cell.mean for cell in trial.inner if len(cell.errors))
        inner = np.append(inner, best)
    errors, honest = np.append(model.errors, trial.error), np.append(model.honest, trial.honest)
    fit = (trial.method.text, trial.preparation, trial.model)
    return Model(*fit, errors, honest, held_out, fold_of, inner, model.splits)


def _opened(given: Given, experiment: Experiment, model: Model) -> Model:
    """Learn from all points that were not kept aside, and ask about those that were."""
    data = given.data
    assert data.y is not None
    preparation = experiment.preparation(np.arange(experiment.data.n), False)
    method = parse_method(model.method)
    fitted = method.fit(preparation.applied(experiment.data), experiment.seed)
    answers = method.predict(fitted, preparation.rows(data.X[given.kept]))
    error = float(losses(data, data.y[given.kept], answers).mean())
    held_out = model.held_out.copy()
    held_out[given.kept] = answers
    return replace(model, preparation=preparation, fitted=fitted, held_out=held_out, test_error=error)


def _progress(model: Model) -> tuple[int, int]:
    return len(model.errors), model.splits


def _has_opened(model: Model) -> bool:
    return bool(np.isfinite(model.test_error))


def predict(model: Model, X: Array) -> Array:
    """What the fit of the latest split says; before the first one, 0."""
    return np.zeros(len(X), dtype=np.int64) if model.fitted is None else model.answers(X)


def field(model: Model, X: Array) -> Array:
    """The field of that fit, or its answers where it has none."""
    if model.fitted is None or model.preparation is None:
        return np.zeros(len(X))
    inner = parse_method(model.method).algorithm.field
    if inner is None:
        return np.asarray(model.answers(X), dtype=np.float64)
    return inner(model.fitted, model.preparation.rows(X))


def explain(model: Model, data: Points, item: Item) -> Explanation:
    """What was said of a point while it was held out."""
    answer: Explanation = {"splits so far": len(model.errors)}
    if len(model.errors):
        answer["mean error so far"] = model.mean
    number = item.number
    if number >= 0 and model.fold_of[number] >= 0 and data.y is not None:
        said = model.held_out[number]
        answer["held out in split"] = int(model.fold_of[number]) + 1
        if data.is_labelled:
            answer["said then"] = data.classes[int(said)]
            answer["class"] = data.classes[int(data.y[number])]
        else:
            answer["said then"], answer["value"] = float(said), float(data.y[number])
    elif number >= 0:
        answer["held out"] = "not yet"
    return answer


ALGORITHM = Algorithm(
    key="cross_validation",
    title="Cross-validation",
    family="evaluation",
    summary="Holds every part of the points out once, learns from the rest and tests: the error of what was not seen.",
    params=Params,
    run=run,
    views=views,
    captions=words.CAPTIONS,
    warning=words.warning,
    predict=predict,
    field=field,
    explain=explain,
    target="any",
    trials=Trials(_progress, _has_opened),
    example="moons(n=150,noise=0.3,seed=3)",
    synonyms=("k-fold", "leave-one-out", "hold-out", "nested", "test error", "data leakage", "generalisation"),
    panels=(
        Panel("plane", "Data and this split", "data"),
        Panel("folds", "Who learns, who tests", x="point, class by class", y="split", integer_x=True, reserved=True),
        Panel("errors", "Errors of the splits", x="split", y="error", integer_x=True),
        Panel("inner", "Inner choice", x="value", y="inner error", log_x=True),
    ),
    metrics=(
        Metric("error", "error of this split", "error"),
        Metric("mean", "mean of the splits", "error"),
        Metric("spread", "standard deviation of the splits"),
    ),
    pseudocode=(
        Line("divide the points into blocks B_1, ..., B_k", "split"),
        Line("for each block:"),
        Line("    choose the parameter by cross-validation of the other blocks", "choose"),
        Line("    f ← learn from the other blocks;  err_j ← mean loss of f on B_j        {error}", "test"),
        Line("err ← mean of err_1, ..., err_k        {mean} ± {spread}", "mean"),
        Line("once, at the very end: the error on the points kept aside", "open"),
    ),
    reference="Handbook §2.1.4 and §4.2.2; Statistical Machine Learning (Orbanz), Cross Validation; Methods for Data "
    "Science §2.0 and §3.2; Hastie, Tibshirani, Friedman, The Elements of Statistical Learning §7.10",
    formulas=(
        r"\mathrm{err} = \frac{1}{k} \sum_{j=1}^{k} \frac{1}{|B_j|} \sum_{i \in B_j} L\left(y_i, f^{(-j)}(x_i)\right)",
    ),
    tries=(
        Try(
            "Pure noise: with the ten best of fifty features chosen by all points the error is 27.5 %; chosen inside "
            "each split it is 60 %.",
            "uniform(n=40,classes=2,features=50,seed=4)",
            {
                "method": "gaussian_classifier(covariance='nearest mean')",
                "preparation": "best features",
                "features": 10,
                "cheat": True,
            },
            shows=lambda played: bool(
                np.isclose(played.model.mean, 0.275) and np.isclose(played.model.honest.mean(), 0.6)
            ),
        ),
        Try(
            "Nested: the inner level chooses C and the outer one judges the choice; the inner error, 5.8 %, is lower "
            "than the outer one, 8.0 %.",
            params={"scheme": "nested", "over": "C=0.01..100:log:7"},
            shows=lambda played: (round(played.model.inner.mean(), 3), round(played.model.mean, 3)) == (0.058, 0.08),
        ),
        Try(
            "One point at a time: 150 fits for 150 points, and 6 % of the points are wrong while they are held out.",
            params={"scheme": "leave-one-out"},
            shows=lambda played: (len(played.model.errors), round(played.model.mean, 3)) == (150, 0.06),
        ),
        Try(
            "A third of the points is kept aside and asked once, at the end: 10 % wrong, where cross-validation had "
            "said 7 %.",
            params={"test": "open"},
            shows=lambda played: (round(played.model.test_error, 3), round(played.model.mean, 3)) == (0.1, 0.07),
        ),
    ),
    questions=(
        Question("How large is the error of the next split?", "test", "metrics.error"),
        Question("What does the inner level choose?", "choose", "shown.chosen"),
    ),
)
