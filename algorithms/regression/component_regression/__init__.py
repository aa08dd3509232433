"""Principal component regression: least squares along the longest directions of the columns, one after the other.

f(x) = b + Σ β_j h_j(x). With Φ = U S V' (centred, so that the intercept stays free) the first m directions are used:

    β = V_m S_m⁻¹ U_m'y

Where ridge keeps the fraction d / (d + λ) of each direction, d = s², this keeps all of the first m and nothing of the
others: short directions, in which columns that say nearly the same differ, are left out, and the coefficients stay
small. How many directions are worth it say points that are held out.

Methods for Data Science §2.6; Hastie, Tibshirani and Friedman, The Elements of Statistical Learning, §3.5.1.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from algorithms.contract import (
    Algorithm,
    Case,
    Counterpart,
    DrawnRun,
    DrawnSnapshot,
    LazyViews,
    Line,
    Metric,
    Panel,
    Stop,
    Try,
)
from algorithms.counterpart import over_powers
from algorithms.data import Points
from algorithms.maths.ball_marks import Ball
from algorithms.maths.cross_validation import Folds
from algorithms.maths.design import condition_number
from algorithms.maths.linear_model import Band, LinearModel, chosen_pair, explain, predict
from algorithms.maths.linear_problem import LinearProblem, linear_problem, usable
from algorithms.maths.penalties import Penalty
from algorithms.maths.regression_frames import Shown, made_folds, opening, own_folds
from algorithms.maths.regression_knobs import (
    BandKnob,
    ColumnsKnob,
    ComponentsKnob,
    DegreeKnob,
    DictionaryKnob,
    InterceptKnob,
    PairKnob,
    SweepKnob,
    WidthKnob,
)
from algorithms.maths.regression_marks import ErrorCurve, Picture, Trial, error_floor
from algorithms.maths.suggestions import polynomial_degree
from algorithms.params import Suggest
from algorithms.regression.component_regression import words
from algorithms.regression.component_regression.solver import Directions, directions_of, held_out_errors
from algorithms.regression.component_regression.views import direction_views, draw


@dataclass(frozen=True, slots=True)
class Params:
    """The knobs of principal component regression."""

    components: ComponentsKnob = 0
    dictionary: DictionaryKnob = "polynomial"
    degree: Annotated[DegreeKnob, Suggest(polynomial_degree, "from the number of features")] = 3
    width: WidthKnob = 0.0
    columns: ColumnsKnob = "as they are"
    band: BandKnob = "of the fit"
    sweep: SweepKnob = True
    intercept: InterceptKnob = "free"
    pair: PairKnob = (1, 2)


@dataclass(frozen=True, slots=True, eq=False)
class Context:
    """What stays the same during a run."""

    problem: LinearProblem
    directions: Directions
    picture: Picture
    ball: Ball | None
    folds: Folds | None

    def now(self, shown: Shown | None, model: LinearModel) -> Shown:
        """The state with another model."""
        metrics = self.problem.measured(model, Penalty())
        return Shown(model, metrics) if shown is None else shown.now(model, metrics)

    def frame(self, shown: Shown, phase: str, caption: str, trial: Trial | None = None) -> DrawnSnapshot:
        """The snapshot of a state."""
        views = LazyViews(draw, self.picture, self.ball, shown.model, shown.kept, trial)
        return DrawnSnapshot(shown.model, views, shown.metrics, phase, caption, shown.warning)


Drawn = Generator[DrawnSnapshot, None, tuple[Shown, ErrorCurve | None]]


def run(data: Points, params: Params, rng: np.random.Generator, start: LinearModel | None = None) -> DrawnRun:
    """One direction after the other, as far as they are used; then what the others would bring."""
    problem, start = linear_problem(data, params, ALGORITHM.title), usable(start, data)
    directions = directions_of(problem, params.components)
    pair = chosen_pair(params.pair, len(problem.names), params.intercept != "none")
    ball = None if pair is None else Ball(problem, pair, Penalty(directions=directions.used), directions.V)
    folds = made_folds(problem, rng, params.sweep) if directions.rank else None
    folds = own_folds(problem, folds, params.degree)
    context = Context(problem, directions, Picture.of(problem), ball, folds)
    shown = context.now(None, problem.zero() if start is None else start)
    yield context.frame(shown, "design", opening(problem, start is not None))
    shown, curve = yield from _directions(context, shown, start is not None)
    band = Band.of(params.band)
    fit = problem.with_band(shown.model, band, Penalty(directions=directions.used or None))
    shown = context.now(shown, fit)
    if curve is not None:
        shown, curve = yield from _beyond(context, shown, curve)
    used = directions.eigenvalues[: directions.used]
    condition = condition_number(used) if directions.used else 0.0
    yield context.frame(shown, "done", words.done(shown, curve, condition))
    return Stop.COMPLETE


def _directions(context: Context, shown: Shown, hurry: bool) -> Drawn:
    """The directions in use, one per frame; going on from a model there is only the last step."""
    problem, directions = context.problem, context.directions
    before, shown = shown.metrics["objective"], context.now(shown, problem.mean())
    if problem.centred and not hurry:
        yield context.frame(shown, "direction", words.mean(before, shown.metrics["objective"]))
    curve = None
    if context.folds is not None:
        curve = ErrorCurve("components", float(directions.used), error_floor(problem.y))
        errors = held_out_errors(problem.columns, problem.y, problem.centred, directions.sizes, context.folds)
    sizes = [k for k in directions.sizes if k <= directions.used]
    for k in sizes[-1:] if hurry else sizes:
        found = None
        if curve is not None and not hurry:
            found = next(errors)
            curve = curve.joined(float(k), found)
            shown = shown.keeping(components=curve.marks())
        shown = shown.keeping(**direction_views(directions.eigenvalues, k))
        before, shown = shown.metrics["objective"], context.now(shown, problem.from_raw(directions.beta(k)))
        caption = words.direction(directions, k, found, before, shown.metrics["objective"])
        yield context.frame(shown, "direction", caption)
    return shown, curve


def _beyond(context: Context, shown: Shown, curve: ErrorCurve) -> Drawn:
    """The error with the directions that are left out, were they used (after a hurry of all); then the least."""
    problem, directions, folds = context.problem, context.directions, context.folds
    assert folds is not None

    def trial(k: int) -> Trial:
        return Trial(problem.from_raw(directions.beta(k)), "with so many directions", Penalty(directions=k))

    missing = tuple(k for k in directions.sizes if k not in curve.at)
    errors = held_out_errors(problem.columns, problem.y, problem.centred, missing, folds)
    for k, found in zip(missing, errors, strict=True):
        curve = curve.joined(float(k), found)
        shown = shown.keeping(components=curve.marks())
        yield context.frame(shown, "components", words.beyond(directions, k, found), trial(k))
    best = round(curve.best)
    yield context.frame(shown, "components", words.least(directions, best), trial(best))
    return shown, curve


def counterpart(params: Params, case: Case | None) -> Counterpart | None:
    """A pipeline of powers, PCA and least squares."""
    usual = params.columns == "as they are" and params.intercept == "free" and params.dictionary == "polynomial"
    if case is None or not isinstance(case.data, Points) or not usual or not params.degree:
        return None
    directions = directions_of(linear_problem(case.data, params, ALGORITHM.title), params.components)
    return over_powers(params.degree, f"PCA({directions.used})", "LinearRegression()")


ALGORITHM = Algorithm(
    key="component_regression",
    title="Component regression",
    family="regression",
    summary="Least squares along the longest directions of the columns, which leaves out what they say twice.",
    params=Params,
    run=run,
    predict=predict,
    field=predict,
    scores="value",
    explain=explain,
    counterpart=counterpart,
    target="values",
    resumes=True,
    example="collinear(n=60,correlation=0.98,seed=3)",
    synonyms=("PCR", "principal components", "multicollinearity", "SVD"),
    panels=(
        Panel("plane", "Data and fit", "data"),
        Panel("components", "Error by directions", x="directions in use", y="mean loss", log_y=True, integer_x=True),
        Panel("eigenvalues", "Eigenvalues", x="direction", y="eigenvalue", log_y=True, integer_x=True),
        Panel("ball", "Two coefficients", "own", x="first coefficient", y="second coefficient", surface=True),
        Panel("directions", "Directions", x="direction", y="fraction kept"),
        Panel("coefficients", "Coefficients", y="β"),
    ),
    metrics=(
        Metric("objective", "sum of squares"),
        Metric("mse", "mean squared residual", better="neither"),
        Metric("norm", "length of β", better="neither"),
        Metric("nonzero", "coefficients that are not 0", better="neither"),
    ),
    pseudocode=(
        Line("Φ ← the functions h_j at every point, centred; β ← 0", "design"),
        Line("Φ = U S V'; for each direction in use, longest first:  β ← β + v (u'y) / s", "direction"),
        Line("for each m: error on the points that were held out, with m directions", "components"),
        Line("the fit is ready        mean squared residual = {mse}", "done"),
    ),
    reference="Methods for Data Science §2.6; "
    "Hastie, Tibshirani, Friedman, The Elements of Statistical Learning, §3.5.1",
    formulas=(
        r"\Phi = U S V^{\top}, \qquad \hat{\beta} = V_m S_m^{-1} U_m^{\top} y",
        r"\text{ridge keeps}\ \frac{s_j^2}{s_j^2 + \lambda}\ \text{of each direction, components keep all of the "
        r"first}\ m\ \text{and nothing of the others}",
    ),
    tries=(
        Try(
            "Two nearly equal columns: one direction fits almost as well as both, and shares the weight between them.",
            params={"components": 1, "degree": 1},
            shows=lambda played: bool(
                abs(np.subtract(*played.model.coefficients)) < 0.05
                and played.final("mse") < 1.05 * played.but(components=2).final("mse")
            ),
        ),
        Try(
            "Both directions are least squares: the two columns are nearly equal, their coefficients are not.",
            params={"components": 2, "degree": 1},
            shows=lambda played: bool(
                np.allclose(played.predicted(), played.by("linear_regression", degree=1).predicted())
                and abs(np.subtract(*played.model.coefficients)) > 0.4
            ),
        ),
    ),
)
