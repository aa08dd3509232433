"""Robust regression: other prices of a residual than its square, found by weighting the points again and again.

f(x) = b + Σ β_j h_j(x). A square makes one far outlier cost more than many near points together; other losses do not:

    huber      r² up to δ, then straight on: δ(2|r| - δ)              the mean, without the outliers' pull
    absolute   |r|                                                    the median: outliers count by their side only
    pinball    2τ|r| above the curve, 2(1 - τ)|r| below               the τ-quantile
    expectile  2τ r² above the curve, 2(1 - τ) r² below               the τ-expectile

Minimised is Σ_i loss(y_i - f(x_i)), with a penalty λ Σ|β_j| or λ Σβ_j² where wanted, by iteratively
reweighted least squares: weights w_i with which w_i r_i² has the slope of the loss at the residuals of now, a weighted
fit, and again. The weighted squares touch the loss from above, so no step raises the objective; where the loss has a
corner (absolute, pinball) it is rounded a little less in each step, and the end is a curve through p + 1 points.

Introduction to Machine Learning §2.1.1; Huber, "Robust estimation of a location parameter" (1964).
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Literal

import numpy as np

from algorithms.contract import (
    Algorithm,
    Case,
    Counterpart,
    Ended,
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
from algorithms.data import Points
from algorithms.maths import regression_frames
from algorithms.maths.linear_fits import fitted
from algorithms.maths.linear_model import Band, LinearModel, explain, predict
from algorithms.maths.linear_problem import SQUARED, linear_problem, usable
from algorithms.maths.losses import Loss
from algorithms.maths.regression_frames import Shown, after, degree_frames, first, lambda_frames, made_folds
from algorithms.maths.regression_knobs import (
    BandKnob,
    ColumnsKnob,
    DegreeKnob,
    DeltaKnob,
    DictionaryKnob,
    InterceptKnob,
    LamKnob,
    SweepKnob,
    WidthKnob,
)
from algorithms.maths.regression_marks import Picture
from algorithms.maths.words import counted
from algorithms.params import Between, Doc, Live, When
from algorithms.played import Played
from algorithms.regression.robust_regression import words
from algorithms.regression.robust_regression.solver import Step, corner_of, penalty_of, reweighting
from algorithms.regression.robust_regression.views import views

_TOL = 1e-8
"""Largest change of a fitted value, by the size of the targets, that is called converged."""
_MOST = 10_000
"""Reweightings after which it is given up."""


@dataclass(frozen=True, slots=True)
class Params:
    """The knobs of robust regression."""

    loss: Annotated[
        Literal["huber", "absolute", "pinball", "expectile"],
        Doc("What a residual costs: no more than a straight line beyond delta; its size; or unlike above and below."),
    ] = "huber"
    delta: Annotated[DeltaKnob, When("loss", "huber")] = 1.0
    tau: Annotated[
        float,
        Between(0.01, 0.99),
        Live,
        When("loss", "pinball", "expectile"),
        Doc("The price of a point above the curve; with 0.9 nine of ten points end up below (pinball)."),
    ] = 0.9
    penalty: Annotated[Literal["none", "ridge", "lasso"], Doc("The price of large coefficients, beside the loss.")] = (
        "none"
    )
    lam: Annotated[LamKnob, When("penalty", "ridge", "lasso")] = 1.0
    dictionary: DictionaryKnob = "polynomial"
    degree: DegreeKnob = 1
    width: WidthKnob = 0.0
    columns: ColumnsKnob = "as they are"
    band: BandKnob = "of the fit"
    sweep: SweepKnob = True
    intercept: InterceptKnob = "free"


@dataclass(frozen=True, slots=True, eq=False)
class Given(regression_frames.Given):
    """What stays the same during a run."""

    least_squares: LinearModel  # what the squared loss would give, to be compared


@dataclass(frozen=True, slots=True)
class Weighted:
    """A weighted fit, and the weights of its residuals for the next one."""

    number: int
    lighter: int  # points that weigh less than 1
    heaviest: int  # points of the largest weight
    least: float
    most: float

    @classmethod
    def of(cls, step: Step) -> Weighted:
        """The facts of a step."""
        weights = step.weights
        lighter, heaviest = np.count_nonzero(weights < 1.0), np.count_nonzero(weights == weights.max())
        return cls(step.number, int(lighter), int(heaviest), float(weights.min()), float(weights.max()))


Shot = Snapshot[Given, LinearModel, Shown]


def run(data: Points, params: Params, rng: np.random.Generator, start: LinearModel | None = None) -> Run[Shot]:
    """Weight each point by its residual, fit, and again until nothing moves; then other degrees and other λ."""
    problem, start = linear_problem(data, params, ALGORITHM.title), usable(start, data)
    loss, penalty = Loss(params.loss, params.delta, params.tau), penalty_of(params, params.lam)
    squares = problem.model(*fitted(problem.columns, problem.y, problem.centred, penalty, SQUARED))
    given = Given(Picture.of(problem), penalty, loss, start is not None, squares)
    folds = made_folds(problem, rng, params.sweep)
    shot = first(given, problem.zero() if start is None else start)
    yield shot
    shot, stop = yield from _reweight(shot, start)
    shot = after(shot, "done", problem.with_band(shot.model, Band.of(params.band), penalty, loss))
    if params.sweep:
        shot = yield from degree_frames(shot, folds)
        if params.penalty != "none":
            shot = yield from lambda_frames(shot, partial(penalty_of, params), params.lam, folds)
    yield after(shot, "done")
    return stop


def _reweight(shot: Shot, start: LinearModel | None) -> Generator[Shot, None, tuple[Shot, Stop | Ended]]:
    """Weights from the residuals, then a weighted fit, until nothing moves; a corner is reached in a last step."""
    given, problem = shot.given, shot.given.problem
    for step in reweighting(problem, given.penalty, given.loss, start, _TOL, _MOST):
        shot = after(shot, "reweight", step.model, fact=Weighted.of(step))
        yield shot
    if step.moved > _TOL:
        return after(shot, "reweight", doubt=_MOST), Ended(Stop.LIMIT, f"stopped after {counted(_MOST, 'reweighting')}")
    if given.loss.cornered and not given.penalty.priced:
        shot = after(shot, "corner", corner_of(problem, given.loss, step.model))
        yield shot
    return shot, Stop.CONVERGED


def counterpart(params: Params, case: Case | None) -> Counterpart | None:
    """QuantileRegressor over the powers of the features; Huber's loss is another one there, with a scale of its own."""
    usual = params.columns == "as they are" and params.intercept != "penalised" and params.dictionary == "polynomial"
    plain = params.loss in ("absolute", "pinball") and params.penalty in ("none", "lasso")
    if case is None or not usual or not plain or not params.degree:
        return None
    quantile = 0.5 if params.loss == "absolute" else params.tau
    price = 0.0 if params.penalty == "none" else params.lam / (2 * case.data.n)  # it divides by n, and has no factor 2
    estimator = f"QuantileRegressor(quantile={quantile!r}, alpha={price!r}, fit_intercept={params.intercept == 'free'})"
    caveat = "Where several curves cost the same the two may choose different ones."
    return over_powers(params.degree, estimator, caveat=caveat)


def _typical(played: Played) -> float:
    """The median size of a residual."""
    return float(np.median(np.abs(played.data.y - played.predicted())))


ALGORITHM = Algorithm(
    key="robust_regression",
    title="Robust regression",
    family="regression",
    summary="Curves that outliers do not pull along: Huber's loss, medians, quantiles and expectiles by reweighting.",
    params=Params,
    ignores_scale=True,
    run=run,
    views=views,
    captions=words.CAPTIONS,
    warning=words.warning,
    questions=(
        Question("How many points weigh less than 1 after the next fit?", "reweight", "shown.fact.lighter"),
        Question("How large is the objective after the next fit?", "reweight", "metrics.objective"),
        Question("How large is the error on held-out points with the next degree?", "degree", "shown.validation"),
    ),
    predict=predict,
    field=predict,
    scores="value",
    explain=explain,
    counterpart=counterpart,
    target="values",
    resumes=True,
    example="line(n=60,noise=0.5,outliers=0.15,seed=3)",
    synonyms=(
        "Huber",
        "least absolute deviations",
        "LAD",
        "median",
        "quantile regression",
        "IRLS",
        "outliers",
        "robust linear model",
    ),
    panels=(
        Panel("plane", "Data and fit", "data"),
        Panel("losses", "Loss and slope", x="residual", y="loss"),
        Panel("residuals", "Residuals", x="prediction f(x)", y="y - f(x)"),
        Panel("coefficients", "Coefficients", y="β"),
        Panel("degrees", "Error by degree", x="degree", y="mean loss", log_y=True, integer_x=True),
        Panel("lambdas", "Error by λ", x="λ", y="mean loss", log_x=True, log_y=True),
    ),
    metrics=(
        Metric("objective", "objective"),
        Metric("mse", "mean squared residual", better="neither"),
        Metric("norm", "length of β", better="neither"),
        Metric("nonzero", "coefficients that are not 0", better="neither"),
    ),
    pseudocode=(
        Line("Φ ← the functions h_j at every point, β ← 0, all weights 1", "design"),
        Line("until nothing moves:  β ← the least Σ w_i r_i² + penalty,  w_i ← slope of the loss / 2r_i", "reweight"),
        Line("a loss with a corner: the curve through the nearest p + 1 points", "corner"),
        Line("for each degree: mean loss on the points that were held out", "degree"),
        Line("for each λ: coefficients and mean loss on the points that were held out", "lambda"),
        Line("the fit is ready        objective = {objective}", "done"),
    ),
    reference="Introduction to Machine Learning §2.1.1; Huber (1964); Koenker, Bassett, Regression quantiles (1978)",
    formulas=(
        r"\sum_i \ell\left( y_i - f(x_i) \right) \;\to\; \min",
        r"\text{Huber:}\quad \ell(r) = \begin{cases} r^2 & |r| \le \delta \\ \delta\,(2|r| - \delta) & |r| > \delta "
        r"\end{cases}",
        r"\text{pinball:}\quad \ell(r) = \begin{cases} 2\tau\, r & r \ge 0 \\ 2(1 - \tau)\, |r| & r < 0 \end{cases}",
        r"\text{weights:}\quad w_i = \frac{\ell'(r_i)}{2 r_i}",
    ),
    tries=(
        Try(
            "Outliers pull the line of least squares away; that of the absolute loss stays near most points.",
            params={"loss": "absolute"},
            shows=lambda played: _typical(played) < 0.6 * _typical(played.by("linear_regression", degree=1)),
        ),
        Try(
            "A quantile: nine of ten points lie below the curve, although the noise grows.",
            "heteroscedastic(n=200,growth=3,seed=1)",
            {"loss": "pinball", "tau": 0.9},
            shows=lambda played: 0.88 <= float((played.data.y <= played.predicted() + 1e-9).mean()) <= 0.92,
        ),
        Try(
            "A small δ makes the Huber loss nearly the absolute one: the two lines lie within 0.1 of each other.",
            params={"loss": "huber", "delta": 0.05},
            shows=lambda played: bool(
                np.abs(played.predicted() - played.but(loss="absolute", sweep=False).predicted()).max() < 0.1
            ),
        ),
    ),
)
