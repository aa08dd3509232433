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
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np

from algorithms.contract import (
    Algorithm,
    Case,
    Counterpart,
    Line,
    Metric,
    Panel,
    Question,
    Run,
    Snapshot,
    Stop,
    Try,
)
from algorithms.counterpart import over_powers
from algorithms.data import Array, Points
from algorithms.maths import regression_frames
from algorithms.maths.ball_marks import Ball
from algorithms.maths.cross_validation import Folds
from algorithms.maths.linear_model import Band, LinearModel, chosen_pair, explain, predict
from algorithms.maths.linear_problem import FREE, SQUARED, linear_problem, usable
from algorithms.maths.penalties import Penalty
from algorithms.maths.regression_frames import Shown, after, first, made_folds, own_folds
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
from algorithms.regression.component_regression.views import views


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
class Given(regression_frames.Given):
    """What stays the same during a run."""

    eigenvalues: Array  # (r,) of Φ'Φ, largest first
    used: int  # directions that the fit uses
    most: int  # directions of the largest fit
    ball: Ball | None


Shot = Snapshot[Given, LinearModel, Shown]
Shots = Generator[Shot, None, Shot]


def run(data: Points, params: Params, rng: np.random.Generator, start: LinearModel | None = None) -> Run[Shot]:
    """One direction after the other, as far as they are used; then what the others would bring.

    All fits are one decomposition at the head of the run; what follows is choreography.
    """
    problem, start = linear_problem(data, params, ALGORITHM.title), usable(start, data)
    found = directions_of(problem, params.components)
    pair = chosen_pair(params.pair, len(problem.names), params.intercept != "none")
    ball = None if pair is None else Ball(problem, pair, Penalty(directions=found.used), found.V)
    most = found.sizes[-1] if found.sizes else 0
    given = Given(Picture.of(problem), FREE, SQUARED, start is not None, found.eigenvalues, found.used, most, ball)
    folds = made_folds(problem, rng, params.sweep) if found.rank else None
    folds = own_folds(problem, folds, params.degree)
    shot = first(given, problem.zero() if start is None else start)
    yield shot
    shot = yield from _directions(shot, found, folds)
    penalty = Penalty(directions=found.used or None)
    shot = after(shot, "done", problem.with_band(shot.model, Band.of(params.band), penalty))
    if folds is not None:
        shot = yield from _beyond(shot, found, folds)
    yield after(shot, "done")
    return Stop.COMPLETE


def _directions(shot: Shot, found: Directions, folds: Folds | None) -> Shots:
    """The directions in use, one per frame; going on from a model there is only the last step."""
    given, problem = shot.given, shot.given.problem
    shot = after(shot, "direction", problem.mean(), fact=0)
    if problem.centred and not given.goes_on:
        yield shot
    if folds is not None:
        curve = ErrorCurve("components", float(found.used), error_floor(problem.y))
        errors = held_out_errors(problem.columns, problem.y, problem.centred, found.sizes, folds)
        shot = replace(shot, shown=replace(shot.shown, curves=(curve,)))
    sizes = [k for k in found.sizes if k <= found.used]
    for k in sizes[-1:] if given.goes_on else sizes:
        facts: dict[str, Any] = {}
        if folds is not None and not given.goes_on:
            error = next(errors)
            curve = curve.joined(float(k), error)
            facts = {"found": error, "curves": (curve,)}
        shot = after(shot, "direction", problem.from_raw(found.beta(k)), fact=k, **facts)
        yield shot
    return shot


def _beyond(shot: Shot, found: Directions, folds: Folds) -> Shots:
    """The error with the directions that are left out, were they used (or with all of them); then the least."""
    problem, (curve,) = shot.given.problem, shot.shown.curves

    def trial(k: int) -> Trial:
        return Trial(problem.from_raw(found.beta(k)), "with so many directions", Penalty(directions=k))

    missing = tuple(k for k in found.sizes if k not in curve.at)
    errors = held_out_errors(problem.columns, problem.y, problem.centred, missing, folds)
    for k, error in zip(missing, errors, strict=True):
        curve = curve.joined(float(k), error)
        shot = after(shot, "components", trial=trial(k), at=float(k), found=error, curves=(curve,))
        yield shot
    best = round(curve.best)
    shot = after(shot, "components", trial=trial(best), at=float(best))
    yield shot
    return shot


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
    views=views,
    captions=words.CAPTIONS,
    questions=(
        Question("How large is the sum of squares with one more direction?", "direction", "metrics.objective"),
        Question("How large is the error on held-out points with more directions?", "components", "shown.validation"),
    ),
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
