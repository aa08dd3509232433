"""Linear regression: a weighted sum of known functions, as near to the target as possible.

The functions h_j (powers of x, waves, bumps ...) may be as bent as one likes; f(x) = b + Σ β_j h_j(x) is linear in
its coefficients β, so that the best ones follow from linear equations. The ridge penalty keeps them small; the
intercept b is not penalised. Minimised is the sum

    Σ_i (y_i - f(x_i))² + λ Σ_j β_j²        with the solution        (Φ'Φ + λI) β = Φ'y

with neither 1/n nor ½, so λ is n times the one of programs that divide. The solution is built up column by column
(normal equation, QR) or direction by direction (pseudo-inverse): along an eigenvector of Φ'Φ with eigenvalue d it keeps
the fraction d / (d + λ). The targets are projected onto the span of the columns, and the residual stands on it at a
right angle. Afterwards the fit is repeated for all degrees and all λ on k folds.

Handbook §4.3.1 (Alg. 11); REGRESSION, SHRINKAGE (Statistical Machine Learning; the prediction needs x_new); Methods for
Data Science §2.2-2.6; Introduction to Machine Learning §2 (the ridge penalty is the *squared* norm); Hastie, Tibshirani
and Friedman, The Elements of Statistical Learning, §3.2 and §3.4.1.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from math import log, pi
from typing import Annotated, Any, Literal

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
from algorithms.foreign import Shape, steps_of
from algorithms.maths import regression_frames
from algorithms.maths.design import condition_number
from algorithms.maths.linear_fits import by_directions
from algorithms.maths.linear_model import Band, LinearModel, chosen_pair, explain, noise_band, predict
from algorithms.maths.linear_problem import FREE, SQUARED, LinearProblem, linear_problem, usable
from algorithms.maths.penalties import Penalty
from algorithms.maths.regression_frames import (
    Shown,
    after,
    degree_frames,
    first,
    frame_sizes,
    lambda_frames,
    made_folds,
)
from algorithms.maths.regression_knobs import (
    FUNCTIONS,
    ColumnsKnob,
    DegreeKnob,
    InterceptKnob,
    LamKnob,
    ResidualsKnob,
    SweepKnob,
)
from algorithms.maths.regression_marks import Picture
from algorithms.params import Between, Doc, Group, When, Zero
from algorithms.played import Played
from algorithms.regression.linear_regression import words
from algorithms.regression.linear_regression.solver import by_gram_schmidt, by_normal_equation, spectrum_of
from algorithms.regression.linear_regression.views import views

METRICS = ("objective", "mse", "log_likelihood", "norm", "nonzero")


@dataclass(frozen=True, slots=True)
class Params:
    """The knobs of linear regression."""

    dictionary: Annotated[
        Literal["polynomial", "sine and cosine", "gaussian bumps", "log", "wavelets"],
        FUNCTIONS,
        Doc("The functions that are added up: powers, waves, bells in a row, powers of the logarithm, steps (Haar)."),
    ] = "polynomial"
    degree: DegreeKnob = 1
    width: Annotated[
        float,
        Between(0, 1000),
        Zero("automatic"),
        When("dictionary", "sine and cosine", "gaussian bumps"),
        FUNCTIONS,
        Doc(
            "Length of the longest wave, or standard deviation of a bump in distances between neighbouring bumps; 0: as"
            " long as the data, or 1."
        ),
    ] = 0.0
    columns: ColumnsKnob = "as they are"
    penalty: Annotated[
        Literal["none", "ridge"],
        Group("fit"),
        Doc("The price of large coefficients: none, or λ Σβ², good with few points."),
    ] = "none"
    lam: Annotated[LamKnob, When("penalty", "ridge"), Group("fit")] = 1.0
    solver: Annotated[
        Literal["QR", "normal equation", "pseudo-inverse"],
        Group("fit"),
        Doc(
            "Gram-Schmidt column by column; the textbook formula (loses digits); or singular directions, longest first."
        ),
    ] = "QR"
    residuals: Annotated[ResidualsKnob, Group("pictures")] = "bars"
    band: Annotated[
        Literal["of the fit", "for new points", "of the noise", "none"],
        Group("pictures"),
        Doc("Where the true curve lies or new points fall with a confidence of 95 %; or how far the noise reaches."),
    ] = "of the fit"
    noise: Annotated[
        float,
        Between(0, 1000),
        Zero("estimated"),
        Group("pictures"),
        Doc("The σ of the noise in the likelihood; 0: estimated from the residuals."),
    ] = 0.0
    sweep: Annotated[SweepKnob, Group("pictures")] = True
    intercept: InterceptKnob = "free"


@dataclass(frozen=True, slots=True, eq=False)
class Given(regression_frames.Given):
    """What stays the same during a run."""

    sigma: float  # of the noise in the likelihood
    pair: tuple[int, int] | None  # the columns of the projection
    by_formula: bool  # the normal equation, which loses digits

    def measured(self, model: LinearModel) -> dict[str, float]:
        """The metrics of a model, with the log-likelihood."""
        found, n = self.problem.measured(model, self.penalty), self.problem.data.n
        likelihood = -0.5 * n * (log(2.0 * pi * self.sigma**2) + found["mse"] / self.sigma**2)
        return {name: likelihood if name == "log_likelihood" else found[name] for name in METRICS}


@dataclass(frozen=True, slots=True, eq=False)
class Joined:
    """What has joined in a step: columns, or singular directions."""

    count: int
    dependent: bool = False  # the last column is a combination of those before it
    eigenvalue: float = 0.0  # of the last direction, and the fraction of it that is kept
    fraction: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Condition:
    """The eigenvalues of Φ'Φ, and the condition number of Φ'Φ + λI."""

    eigenvalues: Array  # (r,)
    number: float


Shot = Snapshot[Given, LinearModel, Shown]
Shots = Generator[Shot, None, Shot]


def run(data: Points, params: Params, rng: np.random.Generator, start: LinearModel | None = None) -> Run[Shot]:
    """Let columns or directions join one by one, then draw the error curves."""
    problem, start = linear_problem(data, params, ALGORITHM.title), usable(start, data)
    given = given_of(problem, params, start is not None)
    folds = made_folds(problem, rng, params.sweep)
    shot = first(given, problem.zero() if start is None else start)
    yield shot
    shot = yield from (_by_directions if params.solver == "pseudo-inverse" else _by_columns)(shot)
    shot = _with_band(shot, params)
    if params.sweep:
        shot = yield from degree_frames(shot, folds)
        if params.penalty == "ridge":
            shot = yield from lambda_frames(shot, _penalty_at, params.lam, folds)
    yield after(shot, "done")
    return Stop.COMPLETE


def given_of(problem: LinearProblem, params: Params, goes_on: bool) -> Given:
    """What stays the same during a run."""
    ridge = params.penalty == "ridge"
    # what ridge fits is shorter than the projection
    pair = None if ridge else chosen_pair((1, 2), len(problem.names), params.intercept != "none")
    penalty, sigma = _penalty_at(params.lam) if ridge else FREE, params.noise or problem.pilot_noise()
    picture, by_formula = Picture.of(problem, params.residuals), params.solver == "normal equation"
    return Given(picture, penalty, SQUARED, goes_on, sigma, pair, by_formula)


def _penalty_at(lam: float) -> Penalty:
    return Penalty(l2=lam)


def _by_columns(shot: Shot) -> Shots:
    """Least squares over the first column, the first two, ...; going on from a model there is only the last step."""
    given, problem = shot.given, shot.given.problem
    shot = after(shot, "column", problem.mean(), fact=Joined(0))
    if problem.centred and not given.goes_on:
        yield shot
    sizes = frame_sizes(problem.p)[-1:] if given.goes_on else frame_sizes(problem.p)
    if given.by_formula:
        steps = by_normal_equation(*problem.raw(), given.penalty.l2, sizes)
    else:
        steps = by_gram_schmidt(problem.design, given.penalty, sizes)
    for k, (found, dependent) in zip(sizes, steps, strict=True):
        model = problem.from_raw(found) if given.by_formula else problem.from_scaled(found)
        shot = after(shot, "column", model, fact=Joined(k, dependent))
        yield shot
    return shot


def _by_directions(shot: Shot) -> Shots:
    """The pseudo-inverse, one singular direction per frame."""
    given, problem = shot.given, shot.given.problem
    raw, y = problem.raw()
    shot = after(shot, "direction", problem.mean(), fact=Joined(0))
    if problem.centred and not given.goes_on:
        yield shot
    count = min(raw.shape)
    sizes = [count] if given.goes_on else frame_sizes(count)
    steps = by_directions(raw, y, given.penalty.l2, sizes, problem.data.n)
    for k, (beta, eigenvalues, kept) in zip(sizes, steps, strict=True):
        fact = Joined(k, eigenvalue=float(eigenvalues[k - 1]), fraction=float(kept[k - 1]))
        shot = after(shot, "direction", problem.from_raw(beta), fact=fact)
        yield shot
    return shot


def _with_band(shot: Shot, params: Params) -> Shot:
    """The fit with its band, and the eigenvalues of Φ'Φ, which ridge lifts by λ."""
    given, problem, model = shot.given, shot.given.problem, shot.model
    if params.band == "of the noise":
        model = replace(model, spread=noise_band(problem.design, given.sigma))
    else:
        model = problem.with_band(model, Band.of(params.band), given.penalty)
    if not problem.p:
        return after(shot, "done", model)
    eigenvalues = spectrum_of(problem.raw()[0])
    return after(shot, "done", model, doubt=Condition(eigenvalues, condition_number(eigenvalues + given.penalty.l2)))


def adopt(data: Points, params: Params, foreign: Iterator[Any]) -> Iterator[Shot]:
    """Somebody else's run, which yields the intercept and the coefficients: ``b, (β_1, ..., β_p)`` of the functions."""
    problem = linear_problem(data, params, ALGORITHM.title)
    shot = first(given_of(problem, params, False), problem.zero())
    names: dict[str, Shape] = {"intercept": (), "coefficients": (len(problem.names),)}
    for intercept, beta in steps_of(foreign, names):
        model = LinearModel(problem.dictionary, float(intercept), beta, names=problem.names)
        shot = after(shot, "done", model)
        yield shot


def counterpart(params: Params, case: Case | None) -> Counterpart | None:
    """LinearRegression or Ridge over the powers of the features."""
    usual = params.columns == "as they are" and params.intercept != "penalised" and params.dictionary == "polynomial"
    if not usual or not params.degree:
        return None
    free = f"fit_intercept={params.intercept == 'free'}"
    estimator = f"LinearRegression({free})" if params.penalty == "none" else f"Ridge(alpha={params.lam!r}, {free})"
    return over_powers(params.degree, estimator)


def _same_side(played: Played) -> float:
    """The fraction of points whose residual has the sign of the next one's."""
    order = np.argsort(played.data.X[:, 0])
    signs = np.sign((played.data.y - played.predicted())[order])
    return float((signs[1:] == signs[:-1]).mean())


def _swing(played: Played) -> float:
    """The largest size of the fit between the points, by that of the targets."""
    X = np.linspace(played.data.X.min(), played.data.X.max(), 400)[:, None]
    return float(np.abs(played.predicted(X)).max() / np.abs(played.data.y).max())


ALGORITHM = Algorithm(
    key="linear_regression",
    title="Linear regression",
    family="regression",
    summary="A curve or surface that is a weighted sum of known functions, by least squares or with the ridge penalty.",
    params=Params,
    ignores_scale=True,
    run=run,
    views=views,
    captions=words.CAPTIONS,
    warning=words.warning,
    adopt=adopt,
    questions=(
        Question("How large is the mean squared residual when the next column has joined?", "column", "metrics.mse"),
        Question("How large is the error on held-out points with the next degree?", "degree", "shown.validation"),
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
        "least squares",
        "OLS",
        "ridge",
        "Tikhonov",
        "polynomial regression",
        "normal equation",
        "QR",
        "SVD",
        "linear model",
    ),
    panels=(
        Panel("plane", "Data and fit", "data"),
        Panel("coefficients", "Coefficients", y="β"),
        Panel("space", "Surface in space", "none"),
        Panel("degrees", "Error by degree", x="degree", y="mean loss", log_y=True, integer_x=True),
        Panel("lambdas", "Error by λ", x="λ", y="mean loss", log_x=True, log_y=True),
        Panel("projection", "Projection", "none"),
        Panel("eigenvalues", "Eigenvalues", x="direction", y="eigenvalue", log_y=True, integer_x=True),
    ),
    metrics=(
        Metric("objective", "objective"),
        Metric("mse", "mean squared residual", better="neither"),
        Metric("log_likelihood", "log-likelihood of Gaussian noise", better="higher"),
        Metric("norm", "length of β", better="neither"),
        Metric("nonzero", "coefficients that are not 0", better="neither"),
    ),
    pseudocode=(
        Line("Φ ← the functions h_j at every point, β ← 0", "design"),
        Line("closed form: (Φ'Φ + λI) β = Φ'y over the first 1, 2, ... columns", "column"),
        Line("    or: add the singular directions of Φ, longest first, each times d / (d + λ)", "direction"),
        Line("for each degree: error on the points that were held out", "degree"),
        Line("for each λ: coefficients and error on the points that were held out", "lambda"),
        Line("the fit is ready        mean squared residual = {mse}", "done"),
    ),
    reference="Handbook §4.3.1 (Alg. 11); Statistical Machine Learning (Orbanz), Regression, Shrinkage; "
    "Methods for Data Science §2.2-2.6; Introduction to Machine Learning §2; "
    "Hastie, Tibshirani, Friedman, The Elements of Statistical Learning, §3.2, §3.4.1",
    formulas=(
        r"f(x) = b + \sum_j \beta_j\, h_j(x)",
        r"\sum_i \left( y_i - f(x_i) \right)^2 + \lambda \sum_j \beta_j^2 \;\to\; \min",
        r"(\Phi^{\top}\Phi + \lambda I)\, \hat{\beta} = \Phi^{\top} y",
    ),
    tries=(
        Try(
            "Too simple: a straight line through a cubic leaves neighbouring residuals on the same side.",
            params={"degree": 1, "residuals": "squares"},
            shows=lambda played: _same_side(played) > 0.7 > _same_side(played.but(degree=3)),
        ),
        Try(
            "Too rich: a polynomial of degree 15 through 20 points swings far beyond all targets between them.",
            "polynomial(n=20,noise=0.25,degree=3,seed=1)",
            {"degree": 15},
            shows=lambda played: _swing(played) > 2.0,
        ),
        Try(
            "The ridge penalty keeps the same polynomial within the range of the targets.",
            "polynomial(n=20,noise=0.25,degree=3,seed=1)",
            {"degree": 15, "penalty": "ridge", "lam": 0.01},
            shows=lambda played: _swing(played) < 1.1,
        ),
    ),
)
