"""Choosing a model: the held-out error of every setting on a grid, and the setting where it is least.

A parameter such as C or the width of a kernel cannot be learned from the points that learn, because the most flexible
model always fits those best. So every setting is cross-validated, over one parameter (a curve shaped like a U: too
stiff on one side, too flexible on the other) or over two (a map), and the best one is fitted again to all points. The
error that has chosen is too good, like that of every winner; only points that nothing was chosen by can say how good
the model is, and only once.

    (C*, σ*) = argmin 1/k Σ_j 1/|B_j| Σ_{i in B_j} L(y_i, f^(-j)_{C,σ}(x_i))

Reference: Handbook §4.2.2; CROSS VALIDATION and Model selection (Statistical Machine Learning); Methods for Data
Science §3.2; Hastie, Tibshirani, Friedman, The Elements of Statistical Learning, sections 7.2 and 7.10.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

import numpy as np

from algorithms.contract import Algorithm, Explanation, Line, Metric, Panel, Question, Run, Snapshot, Stop, Try
from algorithms.data import Array, DataError, Item, Points
from algorithms.data.scaling import AS_GIVEN, Scaling, rescaled
from algorithms.evaluation.model_selection import words
from algorithms.evaluation.model_selection.views import views
from algorithms.executor import current_executor
from algorithms.maths.sweeps import Axis, Cell, Sweep, SweepError, cells, parse_axis, usual_axis
from algorithms.maths.validation import LastWord, aside, losses, refuse_one_class, splits
from algorithms.method_choice import Method, parse_method
from algorithms.params import Between, Doc, Live, MethodOf, When
from algorithms.trials import Trials


@dataclass(frozen=True, slots=True)
class Params:
    """The knobs."""

    method: Annotated[str, MethodOf("predictor"), Doc("What is chosen: a setting of this method.")] = "kernel_svm"
    grid: Annotated[Literal["two parameters", "one parameter"], Doc("A map of errors, or a curve.")] = "two parameters"
    first: Annotated[
        str, Doc("The parameter across: C=0.01..100:log:7, k=1..15; empty: the first number of the method.")
    ] = "C=0.01..100:log:7"
    second: Annotated[str, When("grid", "two parameters"), Doc("The parameter upwards, in the same way.")] = (
        "sigma=0.05..5:log:7"
    )
    folds: Annotated[int, Between(2, 20), Doc("Parts of the points; each is held out once.")] = 5
    repeats: Annotated[int, Between(1, 20), Doc("How often the parts are drawn anew.")] = 1
    look: Annotated[
        tuple[int, ...],
        Between(1, 10_000),
        Live,
        Doc("The setting whose model is shown, column and row; click in the map. Empty: the best one."),
    ] = ()
    test: LastWord = "none"


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """The errors of all settings so far, and the model that is shown: that of the best one, or of the one looked at."""

    asked: str  # what the errors belong to
    grid: tuple[tuple[str, tuple[Any, ...]], ...]  # the names of the parameters and their values
    errors: Array  # (a,) or (a, b) means over the splits, NaN where not known or refused
    standard_errors: Array  # the same shape
    refusals: tuple[tuple[tuple[int, ...], str], ...]
    best: tuple[int, ...] | None
    look: tuple[int, ...] | None
    method: str  # of the fitted model
    fitted: Any  # or None
    test_error: float = float("nan")
    scaling: Scaling = AS_GIVEN  # of the points that learned: what is asked about is put on it, too

    @property
    def known(self) -> int:
        """How many settings have been worked out."""
        return int(np.isfinite(self.errors).sum()) + len(self.refusals)

    def answers(self, X: Array) -> Array:
        """What the fitted model says of rows."""
        return parse_method(self.method).predict(self.fitted, self.scaling.applied(X))


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What stays the same during a run."""

    data: Points  # all points
    kept: Array  # (t,) the numbers of those kept aside
    held_out_first: Array  # the numbers of those that are held out in the first split
    axes: tuple[Axis, ...]
    title: str  # of the method
    splits: int  # how often each setting is fitted

    def values(self, place: tuple[int, ...]) -> dict[str, Any]:
        """The values of a setting by name."""
        return {axis.name: axis.values[position] for axis, position in zip(self.axes, place, strict=True)}


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """A setting: the one that was just tried, the best one, or one that is looked at."""

    found: Cell | None = None
    better: bool = False  # than all before
    ties: int = 0  # other settings within one standard error of the best
    looked: Literal["", "chosen", "pointed at"] = ""


Shot = Snapshot[Given, Model, Shown]


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run[Shot]:
    """Cross-validate every setting, a coarse grid first; fit the best one again; open the lock at the very end."""
    given, sweep, model = _beginning(data, params, rng)
    if start is not None and start.asked == model.asked:
        model = replace(start, look=None)
    yield _shot(given, "grid", model, Shown())
    missing = [place for place in cells(sweep.axes) if not _is_known(model, place)]
    for found in sweep.run(current_executor(), missing):
        model, better = _with_cell(model, found)
        if better:
            model = _fitted(sweep, model, found.place)
        yield _shot(given, "cell", model, Shown(found, better))
    if model.best is None:
        raise DataError(model.refusals[0][1])
    best, model = _cell(sweep, model, model.best), _fitted(sweep, model, model.best)
    ties = int((model.errors <= best.mean + best.standard_error).sum()) - 1
    yield _shot(given, "choose", model, Shown(best, ties=ties))
    if params.test == "open":
        model = _opened(given, model)
        yield _shot(given, "open", model, Shown(best))
    place = _inside(params.look, model.errors.shape)
    if place is not None:
        found, model = _cell(sweep, model, place), replace(model, look=place)
        model = model if found.refusal else _fitted(sweep, model, place)
        yield _shot(given, "choose", model, Shown(found, looked="chosen"))
    return Stop.COMPLETE


def _shot(given: Given, phase: str, model: Model, shown: Shown) -> Shot:
    best = float("nan") if model.best is None else float(model.errors[model.best])
    return Snapshot(given, phase, model, {"best": best, "known": float(model.known)}, shown)


def _beginning(data: Points, params: Params, rng: np.random.Generator) -> tuple[Given, Sweep, Model]:
    """What is asked, and the model before the first setting."""
    method = parse_method(params.method, "predictor")
    if data.y is None:
        raise DataError("Choosing a model needs a target to be predicted; this data set has none.")
    if method.algorithm.target == "classes":
        data.several_classes(method.algorithm.title)
    seed = int(rng.integers(2**31))
    desk, kept = np.arange(data.n), np.empty(0, dtype=np.intp)
    if params.test != "none":
        desk, kept = aside(data, rng)
    left, scaling = rescaled(data.rows(desk))
    parts = splits(left, "repeated", rng, params.folds, params.repeats)
    refuse_one_class(left, parts, method)
    axes = _axes(method, params)
    asked = repr((method.text, axes, left.sha256, scaling, params.folds, params.repeats, seed))
    empty = np.full([len(axis.values) for axis in axes], np.nan)
    grid = tuple((axis.name, axis.values) for axis in axes)
    model = Model(asked, grid, empty, empty, (), None, None, method.text, None, scaling=scaling)
    given = Given(data, kept, desk[parts[0].test], axes, method.algorithm.title, len(parts))
    return given, Sweep(method, axes, left, parts, seed), model


def _fitted(sweep: Sweep, model: Model, place: tuple[int, ...]) -> Model:
    """With the model of a setting, fitted to all points that are not kept aside."""
    method = sweep.at(place)
    if method.text == model.method and model.fitted is not None:
        return model
    return replace(model, method=method.text, fitted=method.fit(sweep.data, sweep.seed))


def _axes(method: Method, params: Params) -> tuple[Axis, ...]:
    """What the texts say; where they speak of another method, which was just changed, the usual numbers of this one."""
    own = {field.name for field in method.algorithm.fields}
    texts = [text for text in (params.first, params.second)[: 1 + (params.grid == "two parameters")] if text.strip()]
    try:
        if not any(text.partition("=")[0].strip() in own for text in texts):
            return (usual_axis(method.algorithm),)
        axes = tuple(parse_axis(text, method.algorithm) for text in texts)
        if len({axis.name for axis in axes}) < len(axes):
            raise DataError(
                f"Both directions of the map vary {axes[0].name}; choose another parameter for one of them."
            )
        cells(axes)
    except SweepError as error:
        raise DataError(str(error)) from error
    return axes


def _with_cell(model: Model, found: Cell) -> tuple[Model, bool]:
    """With the errors of one more cell, and whether it is the best so far."""
    if found.refusal:
        return replace(model, refusals=(*model.refusals, (found.place, found.refusal))), False
    errors, deviations = model.errors.copy(), model.standard_errors.copy()
    errors[found.place], deviations[found.place] = found.mean, found.standard_error
    better = model.best is None or found.mean < model.errors[model.best]
    return replace(model, errors=errors, standard_errors=deviations, best=found.place if better else model.best), better


def _is_known(model: Model, place: tuple[int, ...]) -> bool:
    return bool(np.isfinite(model.errors[place])) or place in dict(model.refusals)


def _cell(sweep: Sweep, model: Model, place: tuple[int, ...]) -> Cell:
    """What is known about a setting: of the errors of its splits their mean and standard error are kept."""
    text, refusal = sweep.at(place).text, dict(model.refusals).get(place, "")
    mean, deviation = float(model.errors[place]), float(model.standard_errors[place])
    if refusal or np.isnan(mean):
        return Cell(place, text, np.empty(0), refusal)
    two = np.array([mean - deviation, mean + deviation])  # numbers with this mean and standard error
    return Cell(place, text, two)


def _inside(look: tuple[int, ...], shape: tuple[int, ...]) -> tuple[int, ...] | None:
    """The place of a setting, counted from 0; none where the map has no such place."""
    place = tuple(position - 1 for position in look[: len(shape)])
    fits = len(place) == len(shape) and all(p < n for p, n in zip(place, shape, strict=True))
    return place if fits else None


def _opened(given: Given, model: Model) -> Model:
    data, kept = given.data, given.kept
    assert data.y is not None
    error = float(losses(data, data.y[kept], model.answers(data.X[kept])).mean())
    return replace(model, test_error=error)


def setting(params: Params, model: Model | None) -> tuple[str, tuple[str, ...]] | None:
    """The method with the values of the cell that is looked at; where there is none, those of the model on show."""
    method = parse_method(params.method, "predictor")
    axes = _axes(method, params)
    names = tuple(axis.name for axis in axes)
    place = _inside(params.look, tuple(len(axis.values) for axis in axes))
    if place is None:
        return None if model is None or model.fitted is None else (model.method, names)
    values = {axis.name: axis.values[at] for axis, at in zip(axes, place, strict=True)}
    return method.with_values(**values).text, names


def peek(shot: Shot, data: Points, params: Params, seed: int) -> Shot:
    """The frame with the model of the setting that is looked at, whether its error is known yet or not."""
    _, sweep, nothing = _beginning(data, params, np.random.default_rng(seed))
    place = _inside(params.look, shot.model.errors.shape)
    if place is None or shot.model.asked != nothing.asked:
        return shot
    found, model = _cell(sweep, shot.model, place), replace(shot.model, look=place)
    if not found.refusal:
        try:
            model = _fitted(sweep, model, place)
        except DataError as refused:
            found = replace(found, refusal=str(refused))
    return replace(shot, model=model, shown=Shown(found, looked="pointed at"))


def _progress(model: Model) -> tuple[int, int]:
    return model.known, model.errors.size


def _has_opened(model: Model) -> bool:
    return bool(np.isfinite(model.test_error))


def predict(model: Model, X: Array) -> Array:
    """What the model on show says; before the first one, 0."""
    return np.zeros(len(X), dtype=np.int64) if model.fitted is None else model.answers(X)


def field(model: Model, X: Array) -> Array:
    """The field of that model, or its answers where it has none."""
    inner = parse_method(model.method).algorithm.field
    if model.fitted is None:
        return np.zeros(len(X))
    if inner is None:
        return np.asarray(model.answers(X), dtype=np.float64)
    return inner(model.fitted, model.scaling.applied(X))


def explain(model: Model, data: Points, item: Item) -> Explanation:
    """What the model on show says of a point."""
    answer: Explanation = {"model on show": model.method, "settings so far": model.known}
    if model.fitted is not None:
        said = model.answers(item.x[None, :])[0]
        answer["it says"] = data.classes[int(said)] if data.is_labelled else float(said)
    if model.best is not None:
        answer["least held-out error"] = float(model.errors[model.best])
    return answer


ALGORITHM = Algorithm(
    key="model_selection",
    title="Choosing a model",
    family="evaluation",
    summary="Cross-validates every setting of a method on a grid, and chooses the one with the least held-out error.",
    params=Params,
    run=run,
    views=views,
    captions=words.CAPTIONS,
    predict=predict,
    field=field,
    explain=explain,
    target="any",
    trials=Trials(_progress, _has_opened, "test", "look", setting, peek),
    resumes=True,
    example="moons(n=150,noise=0.3,seed=3)",
    synonyms=("grid search", "hyperparameters", "tuning", "model selection", "U-curve", "overfitting", "sweep"),
    panels=(
        Panel("plane", "Data and the best model", "data"),
        Panel("map", "Held-out errors", x="first parameter", y="second parameter"),
        Panel("curve", "Held-out errors", x="value", y="error", log_x=True),
    ),
    metrics=(
        Metric("best", "least held-out error"),
        Metric("known", "settings worked out", better="neither"),
    ),
    pseudocode=(
        Line("lay a grid over the parameters", "grid"),
        Line("for each setting, a coarse grid first:"),
        Line("    err ← cross-validation of the method with this setting        best so far {best}", "cell"),
        Line("choose the setting with the least err, and fit it to all points", "choose"),
        Line("once, at the very end: the error on the points kept aside", "open"),
    ),
    reference="Handbook §4.2.2; Statistical Machine Learning (Orbanz), Cross Validation; Methods for Data Science "
    "§3.2; Hastie, Tibshirani, Friedman, The Elements of Statistical Learning §7.2, §7.10",
    formulas=(
        r"(C^{*}, \sigma^{*}) = \operatorname{argmin}_{C, \sigma} \frac{1}{k} \sum_{j=1}^{k} \frac{1}{|B_j|} "
        r"\sum_{i \in B_j} L\left(y_i, f^{(-j)}_{C, \sigma}(x_i)\right)",
    ),
    tries=(
        Try(
            "Two parameters: with the narrowest kernel, σ = 0.05, at least 28 % are wrong whatever C is; with the best "
            "setting 6.7 % are.",
            shows=lambda played: bool(
                played.model.errors[:, 0].min() >= 0.2799 and round(played.final("best"), 3) == 0.067
            ),
        ),
        Try(
            "One parameter, the depth of a tree: the best depth is neither 1 nor 12.",
            "moons(n=200,noise=0.4,seed=2)",
            {"method": "decision_tree", "grid": "one parameter", "first": "depth=1..12"},
            shows=lambda played: 0 < played.model.best[0] < 11,
        ),
        Try(
            "The degree of a polynomial through a noisy sine: the error has the shape of a U, least between 3 and 5.",
            "sine(n=30,noise=0.3,seed=1)",
            {"method": "linear_regression", "grid": "one parameter", "first": "degree=0..8", "repeats": 3},
            shows=lambda played: (
                3 <= played.model.best[0] <= 5
                and min(played.model.errors[[0, -1]]) > 3.0 * played.model.errors[played.model.best]
            ),
        ),
        Try(
            "A third of the points is kept aside and asked once, at the end: the error there is larger than the one by "
            "which the setting was chosen.",
            params={"test": "open"},
            shows=lambda played: played.model.test_error > played.final("best"),
        ),
    ),
    questions=(
        Question("Which setting is tried next?", "cell", "shown.found.place"),
        Question("How large is its held-out error?", "cell", "shown.found.mean"),
    ),
)
