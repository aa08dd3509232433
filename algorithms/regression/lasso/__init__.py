"""Lasso: a penalty on the size of the coefficients that makes many of them exactly zero.

f(x) = b + Σ β_j h_j(x) with known functions h_j. Beside the squared residuals every coefficient has a price; that of
the lasso has a corner at 0, where coefficients stay that would explain too little. Minimised is the sum

    Σ_i (y_i - f(x_i))² + λ Σ_j |β_j|                               lasso
    Σ_i (y_i - f(x_i))² + λ [α Σ_j |β_j| + (1 - α) Σ_j β_j²]        elastic net; α = 0 is ridge
    Σ_i (y_i - f(x_i))² + λ Σ_j |β_j|^q                             any power q: from counting (0) to ridge (2) and on

with neither 1/n nor ½, so λ is 2n times the one of programs that divide; the intercept b is free. There is no closed
form, but one coefficient alone has one: β_j <- soft(h_j'r, λα/2) / (h_j'h_j + λ(1 - α)), in turn until the optimality
conditions |2 h_j'r| <= λ (= λ sign β_j where β_j is not 0) hold. Below q = 1 the sum has several valleys. Afterwards
the fit is repeated for all λ: the paths of the coefficients, and the error on k folds.

Methods for Data Science §2.6.2-2.6.3; Introduction to Machine Learning §2.3; Tibshirani, "Regression shrinkage and
selection via the lasso" (1996); Hastie, Tibshirani and Friedman, The Elements of Statistical Learning, §3.4.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace
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
from algorithms.maths.ball_marks import Ball
from algorithms.maths.linear_model import LinearModel, chosen_pair, explain, predict
from algorithms.maths.linear_problem import SQUARED, LinearProblem, linear_problem, usable
from algorithms.maths.regression_frames import MOST_FRAMES, Shown, after, first, lambda_frames, made_folds
from algorithms.maths.regression_knobs import (
    ColumnsKnob,
    DegreeKnob,
    DictionaryKnob,
    InterceptKnob,
    LamKnob,
    MixKnob,
    PairKnob,
    SweepKnob,
    WidthKnob,
)
from algorithms.maths.regression_marks import Picture
from algorithms.maths.suggestions import lasso_penalty, polynomial_degree
from algorithms.maths.words import counted
from algorithms.params import Advanced, Between, Doc, Live, Log, Suggest, When
from algorithms.regression.lasso import words
from algorithms.regression.lasso.solver import Step, descend, lowest_valley, penalty_of
from algorithms.regression.lasso.views import views

_TOL = 1e-8
"""Largest violation of an optimality condition that is called converged, by the size of what it compares."""


@dataclass(frozen=True, slots=True)
class Params:
    """The knobs of the lasso."""

    penalty: Annotated[
        Literal["lasso", "elastic net", "power"],
        Doc("The price of coefficients: λ Σ|β|, which leaves few functions; a mix with λ Σβ²; or λ Σ|β|^q."),
    ] = "lasso"
    lam: Annotated[LamKnob, Suggest(lasso_penalty, "from the least λ that makes every coefficient 0")] = 1.0
    mix: MixKnob = 0.5
    q: Annotated[
        float,
        Between(0, 4),
        Live,
        When("penalty", "power"),
        Doc(
            "The power q: 2 is ridge, 1 the lasso, 0 counts coefficients; below 1 sparser still, but no longer convex."
        ),
    ] = 0.5
    dictionary: DictionaryKnob = "polynomial"
    degree: Annotated[DegreeKnob, Suggest(polynomial_degree, "from the number of features")] = 4
    width: WidthKnob = 0.0
    columns: ColumnsKnob = "as they are"
    sweep: SweepKnob = True
    intercept: InterceptKnob = "free"
    pair: PairKnob = (1, 2)
    max_steps: Annotated[int, Between(1, 100_000), Log, Advanced, Doc("Most sweeps over the coefficients.")] = 10_000


@dataclass(frozen=True, slots=True, eq=False)
class Given(regression_frames.Given):
    """What stays the same during a run."""

    lam: float
    pair: tuple[int, int] | None  # the two coefficients in the picture of two
    ball: Ball | None


Shot = Snapshot[Given, LinearModel, Shown]


def run(data: Points, params: Params, rng: np.random.Generator, start: LinearModel | None = None) -> Run[Shot]:
    """Improve one coefficient after the other until the conditions hold, then do the same for every λ."""
    problem, start = linear_problem(data, params, ALGORITHM.title), usable(start, data)
    penalty = penalty_of(params, params.lam)
    pair = chosen_pair(params.pair, len(problem.names), params.intercept != "none")
    ball = None if pair is None else Ball(problem, pair, penalty)
    given = Given(Picture.of(problem), penalty, SQUARED, start is not None, params.lam, pair, ball)
    folds = made_folds(problem, rng, params.sweep)
    shot = first(given, problem.zero() if start is None else start)
    yield shot
    shot, stop = yield from _fit(shot, params, start)
    if params.sweep:
        shot = yield from lambda_frames(shot, partial(penalty_of, params), params.lam, folds)
    yield after(shot, "done")
    return stop


def _fit(shot: Shot, params: Params, start: LinearModel | None) -> Generator[Shot, None, tuple[Shot, Stop | Ended]]:
    """Coordinate descent: the first sweep coefficient by coefficient, then sweep by sweep."""
    problem, penalty = shot.given.problem, shot.given.penalty
    here, step = problem.scaled_start(start), Step()
    b, one_by_one = here, problem.p <= MOST_FRAMES and start is None
    for b, step in descend(problem.design, penalty, here, _TOL, params.max_steps, one_by_one):
        phase = "coordinate" if step.kind == "coordinate" else "sweep"
        model = problem.from_scaled(b)
        if phase == "coordinate":
            step = replace(step, old=coefficient(shot.model, problem, step.j), new=coefficient(model, problem, step.j))
        shot = after(shot, phase, model, fact=step)
        yield shot
    if step.violation > _TOL:
        return after(shot, shot.phase, doubt=step), Ended(Stop.LIMIT, f"stopped after {counted(step.sweeps, 'sweep')}")
    if not penalty.convex:
        valley = lowest_valley(problem.design, penalty, b)
        found = replace(valley, b=b[:0])
        doubt = found if valley.count > 1 else None
        shot = after(shot, "valley", problem.from_scaled(valley.b), fact=found, doubt=doubt)
        yield shot
    return shot, Stop.CONVERGED


def coefficient(model: LinearModel, problem: LinearProblem, j: int) -> float:
    """The coefficient of a fitted column, of which a penalised intercept is the first."""
    j -= problem.intercept == "penalised"
    return float(model.coefficients[j]) if j >= 0 else model.intercept


def counterpart(params: Params, case: Case | None) -> Counterpart | None:
    """Lasso or ElasticNet over the powers of the features, which divide the squares by 2n."""
    usual = params.columns == "as they are" and params.intercept != "penalised" and params.dictionary == "polynomial"
    if case is None or params.penalty == "power" or not usual or not params.degree:
        return None
    n = case.data.n
    exact = f"fit_intercept={params.intercept == 'free'}, tol=1e-10, max_iter=1_000_000"
    estimator = f"Lasso(alpha={params.lam / (2 * n)!r}, {exact})"
    if params.penalty == "elastic net":
        if not params.mix:
            return None
        l1, l2 = params.lam * params.mix / (2 * n), params.lam * (1.0 - params.mix) / n
        estimator = f"ElasticNet(alpha={l1 + l2!r}, l1_ratio={l1 / (l1 + l2)!r}, {exact})"
    return over_powers(params.degree, estimator)


ALGORITHM = Algorithm(
    key="lasso",
    title="Lasso",
    family="regression",
    summary="Few of many functions explain the target: soft thresholds, paths, and the corners of the lasso's ball.",
    params=Params,
    run=run,
    views=views,
    captions=words.CAPTIONS,
    warning=words.warning,
    questions=(
        Question("How large does the next coefficient become?", "coordinate", "shown.fact.new"),
        Question("How many coefficients are not 0 after the next sweep?", "sweep", "metrics.nonzero"),
        Question("How many coefficients are not 0 for the next λ?", "lambda", "shown.left"),
    ),
    predict=predict,
    field=predict,
    scores="value",
    explain=explain,
    counterpart=counterpart,
    target="values",
    resumes=True,
    example="polynomial(n=60,noise=0.25,degree=3,seed=1)",
    synonyms=(
        "l1",
        "shrinkage",
        "elastic net",
        "basis pursuit",
        "sparse regression",
        "coordinate descent",
        "feature selection",
        "sparse linear model",
    ),
    panels=(
        Panel("plane", "Data and fit", "data"),
        Panel("coefficients", "Coefficients", y="β"),
        Panel("path", "Path", x="λ", y="β", log_x=True),
        Panel("lambdas", "Error by λ", x="λ", y="mean loss", log_x=True, log_y=True),
        Panel("ball", "Two coefficients", "own", x="first coefficient", y="second coefficient", surface=True),
        Panel("balls", "Unit balls", "own", x="first coefficient", y="second coefficient", surface=True),
    ),
    metrics=(
        Metric("objective", "objective"),
        Metric("mse", "mean squared residual", better="neither"),
        Metric("norm", "length of β", better="neither"),
        Metric("nonzero", "coefficients that are not 0", better="neither"),
    ),
    pseudocode=(
        Line("Φ ← the functions h_j at every point, β ← 0", "design"),
        Line("until the conditions |2 h_j'r| <= λ hold, for each j:"),
        Line(
            "    β_j ← soft(h_j'r, λα/2) / (h_j'h_j + λ(1 - α)), or the least of (..)² + λ|β|^q", "coordinate", "sweep"
        ),
        Line("q < 1 is not convex: go down from other starts too, keep the lowest valley", "valley"),
        Line("for each λ: coefficients and error on the points that were held out", "lambda"),
        Line("the fit is ready        {nonzero} coefficients, mean squared residual = {mse}", "done"),
    ),
    reference="Methods for Data Science §2.6.2-2.6.3; Introduction to Machine Learning §2.3; "
    "Tibshirani, Regression shrinkage and selection via the lasso (1996); "
    "Hastie, Tibshirani, Friedman, The Elements of Statistical Learning, §3.4",
    formulas=(
        r"\text{lasso:}\quad \sum_i \left( y_i - f(x_i) \right)^2 + \lambda \sum_j |\beta_j| \;\to\; \min",
        r"\text{elastic net:}\quad \sum_i \left( y_i - f(x_i) \right)^2 + \lambda \Bigl( \alpha \sum_j |\beta_j| + "
        r"(1 - \alpha) \sum_j \beta_j^2 \Bigr) \;\to\; \min",
        r"\beta_j \leftarrow \frac{\operatorname{soft}\left( h_j^{\top} r,\ \lambda\alpha/2 \right)}{h_j^{\top} h_j "
        r"+ \lambda (1 - \alpha)}, \qquad \operatorname{soft}(z, t) = \operatorname{sign}(z)\, \max(|z| - t,\, 0)",
    ),
    tries=(
        Try(
            "Ten measurements of patients: as λ grows, one coefficient after the other becomes exactly zero.",
            "diabetes()",
            {"lam": 1000.0, "degree": 1, "columns": "standardised"},
            shows=lambda played: bool(
                (np.diff([played.but(lam=lam, sweep=False).final("nonzero") for lam in (1e2, 1e3, 1e4, 4e4)]) < 0).all()
            ),
        ),
        Try(
            "A polynomial of degree 10 for data of degree 3: most coefficients are exactly 0.",
            params={"degree": 10, "lam": 1.0},
            shows=lambda played: played.final("nonzero") < 5,
        ),
        Try(
            "The elastic net gives two nearly equal columns more nearly equal coefficients than the lasso does.",
            "collinear(n=60,correlation=0.98,seed=3)",
            {"penalty": "elastic net", "mix": 0.3, "degree": 1, "lam": 10.0},
            shows=lambda played: bool(
                abs(np.subtract(*played.model.coefficients))
                < 0.5 * abs(np.subtract(*played.but(penalty="lasso", sweep=False).model.coefficients))
            ),
        ),
    ),
)
