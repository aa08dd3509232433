"""Bias and variance: the same fit to noise that is drawn again and again around a truth that is known.

Nobody knows the true curve behind loaded data, so one is chosen for the game: the least-squares curve of some degree
through the data, with Gaussian noise of the size of its residuals, or a formula. Around *that* truth f* both can be
measured: at every point the mean f̄ of all fits f_k is off by the bias, the single fits scatter around their mean by the
variance, and

    mean |f_k - f*|² = |f̄ - f*|² + mean |f_k - f̄|²        bias² + variance, exactly; plus σ² to a new target

Least squares that can express the truth has no bias, with E β = β* and Cov β = σ²(Φ'Φ)⁻¹, and of all linear rules
without bias the least variance (Gauss-Markov). A penalty, or fewer functions, gives up the first for less of the
second: ridge has the bias -λ/(d + λ) and the variance σ² d/(d + λ)² along an eigenvector of Φ'Φ with eigenvalue d.

Reference: Hastie, Tibshirani, Friedman, The Elements of Statistical Learning, section 7.3; Bishop, Pattern Recognition
and Machine Learning, section 3.2; Methods for Data Science §2.5, §2.6.2; Introduction to Machine Learning §4.3;
SHRINKAGE (Statistical Machine Learning).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from algorithms.contract import Algorithm, Explanation, Line, Metric, Panel, Question, Run, Snapshot, Stop, Try
from algorithms.data import Array, DataError, Item, Points
from algorithms.evaluation.bias_variance import words
from algorithms.evaluation.bias_variance.solver import (
    VARIABLES,
    Rule,
    Truth,
    formula_truth,
    least_squares_truth,
    powers_truth,
)
from algorithms.evaluation.bias_variance.solver.any_method import AnyGame, Repeated
from algorithms.evaluation.bias_variance.solver.game import Cloud, TradeOff
from algorithms.evaluation.bias_variance.solver.linear import LinearFits, LinearGame
from algorithms.evaluation.bias_variance.views import views
from algorithms.maths.linear_problem import linear_problem
from algorithms.maths.regression_knobs import PairKnob
from algorithms.method_choice import parse_method
from algorithms.params import Between, Doc, Expression, Group, Live, MethodOf, When, Zero
from algorithms.played import Played


@dataclass(frozen=True, slots=True)
class Params:
    """The knobs of bias and variance."""

    method: Annotated[
        str, MethodOf("regression"), Live, Doc("The fit that is repeated: any method that predicts a value.")
    ] = "linear_regression(degree=3)"
    over: Annotated[
        str,
        Doc("What is varied afterwards: degree=0..12, k=1..30, lam=0.01..100:log:9; empty: what suits the method."),
    ] = ""
    redraws: Annotated[int, Between(1, 300), Group("noise"), Doc("How often the noise is drawn anew.")] = 60
    noise: Annotated[
        float,
        Between(0, 1000),
        Zero("as the data"),
        Group("noise"),
        Doc("The σ of that noise; 0: as large as the distance of the data from the truth."),
    ] = 0.0
    source: Annotated[
        Literal["a curve through the data", "a formula"],
        Group("truth"),
        Doc("What is taken as the truth: the least-squares curve of some degree, or a formula of the features."),
    ] = "a curve through the data"
    truth: Annotated[
        int,
        Between(0, 20),
        When("source", "a curve through the data"),
        Group("truth"),
        Doc("Degree of the least-squares curve that is taken as the truth."),
    ] = 3
    formula: Annotated[
        str,
        Expression(*VARIABLES),
        When("source", "a formula"),
        Group("truth"),
        Doc("The true function of the first feature x and, where there is one, the second z."),
    ] = "sin(3*x)"
    pair: PairKnob = (1, 2)


Model = LinearFits | Repeated


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What stays the same during a run."""

    data: Points
    y: Array  # (n,)
    truth: Truth
    extent: tuple[tuple[str, str], Array, Array] | None  # of the cloud: names of the axes, truth, reach
    count: int  # redraws
    wanted: int  # redraws that were asked for


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """The redraws so far, and the number that is varied."""

    drawn: int = 0
    goes_on: bool = False
    target: Array | None = None  # (n,) the latest ones drawn
    cloud: Cloud | None = None
    trades: tuple[TradeOff, ...] = ()
    value: float = math.nan  # of the last of them, to which the model belongs


Shot = Snapshot[Given, Model, Shown]


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run[Shot]:
    """Draw the noise anew, fit, and again; then bias and variance for other degrees, other λ, or another number."""
    game = _game(data, params)
    given = Given(data, game.y, game.truth, game.cloud_extent(), game.count, params.redraws)
    goes_on = start is not None and game.suits(start)
    model = start if start is not None and goes_on else game.nothing()
    yield _shot(given, "truth", model, model, Shown(goes_on=goes_on))
    for model, targets, cloud in game.redraws(rng, goes_on):
        yield _shot(given, "redraw", model, model, Shown(len(targets), target=targets[-1], cloud=cloud))
    trades: tuple[TradeOff, ...] = ()
    for trade, steps in game.sweeps(targets):
        for value, swept, formula, moved in steps:
            trade = trade.joined(value, swept, formula)
            shown = Shown(len(targets), cloud=moved or cloud, trades=(*trades, trade), value=value)
            yield _shot(given, trade.phase, swept, model, shown)
        trades = (*trades, trade) if trade.parts else trades
    yield _shot(given, "done", model, model, Shown(len(targets), cloud=cloud, trades=trades))
    return Stop.COMPLETE


def _shot(given: Given, phase: str, model: Model, own: Model, shown: Shown) -> Shot:
    """The metrics are those of the method as it is: what is varied does not belong to their curves."""
    known = shown.drawn > 0 or shown.goes_on
    parts = {"bias2": own.bias2, "variance": own.variance} if known else dict.fromkeys(("bias2", "variance"), math.nan)
    parts["noise"] = own.noise
    return Snapshot(given, phase, model, {**parts, "error": sum(parts.values())}, shown)


def _game(data: Points, params: Params) -> LinearGame | AnyGame:
    """Fits that are made together where the method allows it and nothing else is to be varied."""
    if len(data.classes) > 2:
        raise DataError(
            f"The {len(data.classes)} classes of these points are no values; take data with a value for every point."
        )
    method = parse_method(params.method)
    rule = None if params.over.strip() else Rule.of(method)
    if rule is None:
        y = data.values(ALGORITHM.title)
        return AnyGame.of(data, y, _truth(data, y, params), method, params.over, params.redraws)
    problem = linear_problem(data, rule.functions, ALGORITHM.title)
    if params.source == "a formula":
        truth = formula_truth(data, problem.y, params.formula, params.noise)
    else:
        truth = least_squares_truth(problem, params.truth, params.noise, rule.loss)
    return LinearGame.of(problem, truth, rule, params.pair, params.redraws)


def _truth(data: Points, y: Array, params: Params) -> Truth:
    """What is taken as true where the method has no functions of its own."""
    if params.source == "a formula":
        return formula_truth(data, y, params.formula, params.noise)
    return powers_truth(data, params.truth, params.noise, ALGORITHM.title)


def predict(model: Model, X: Array) -> Array:
    """The mean of all fits."""
    return model.fits(X).mean(axis=0)


def explain(model: Model, data: Points, item: Item) -> Explanation:
    """The truth at this place, how far the mean of the fits is off, and how far the fits scatter."""
    fits = model.fits(item.x[None, :])[:, 0]
    true = float(model.truth.at(item.x[None, :])[0])
    answer: Explanation = {"mean of the fits": float(fits.mean())}
    if np.isfinite(true):
        answer |= {"truth": true, "bias": float(fits.mean()) - true, "bias²": (float(fits.mean()) - true) ** 2}
    answer |= {"variance": float(fits.var()), "noise σ²": model.noise, "fits": len(fits)}
    if item.number >= 0 and data.y is not None:
        answer["target in the data"] = float(data.y[item.number])
    return answer


def _less(played: Played, other: Played) -> bool:
    """Whether there is less variance, more bias, and less of both together."""
    sums = [run.final("bias2") + run.final("variance") for run in (played, other)]
    more_bias = played.final("bias2") > other.final("bias2")
    return more_bias and played.final("variance") < other.final("variance") and sums[0] < sums[1]


def _between(trade: TradeOff) -> bool:
    """Whether the first value has more variance, the last one more bias, and the least sum is between them."""
    values = list(trade.parts)
    (bias, variance), (last_bias, last_variance) = trade.parts[values[0]], trade.parts[values[-1]]
    return bias < variance and last_bias > last_variance and trade.least not in (values[0], values[-1])


ALGORITHM = Algorithm(
    key="bias_variance",
    title="Bias and variance",
    family="evaluation",
    summary="The same fit to noise drawn again and again around a known truth: what is off, and what scatters.",
    params=Params,
    run=run,
    views=views,
    captions=words.CAPTIONS,
    warning=words.warning,
    predict=predict,
    field=predict,
    scores="value",
    explain=explain,
    target="values",
    resumes=True,
    example="sine(n=40,noise=0.25,seed=2)",
    synonyms=("bias-variance trade-off", "overfitting", "underfitting", "Gauss-Markov", "Monte Carlo", "redraws"),
    panels=(
        Panel("plane", "Data and fits", "data"),
        Panel(
            *("bias_degrees", "Trade-off by degree or number"),
            x="degree or number",
            y="mean square",
            log_y=True,
            integer_x=True,
        ),
        Panel("bias_lambdas", "Trade-off by λ or factor", x="λ or factor", y="mean square", log_x=True, log_y=True),
        Panel(
            "cloud",
            "Cloud of estimates",
            x="first coefficient",
            y="second coefficient",
            surface=True,
            reserved=True,
        ),
    ),
    metrics=(
        Metric("bias2", "bias²", "parts", better="neither"),
        Metric("variance", "variance", "parts", better="neither"),
        Metric("noise", "noise σ²", "parts", better="neither"),
        Metric("error", "bias² + variance + σ²", "parts"),
    ),
    pseudocode=(
        Line("f* ← the truth: a curve through the data, or a formula", "truth"),
        Line(
            "repeat:  y ← f*(x) + σ · noise,  f_k ← the fit to y        bias² = {bias2}, variance = {variance}",
            "redraw",
        ),
        Line("for each degree, or another number: bias² = mean (f̄ - f*)², variance = mean (f_k - f̄)²", "degree"),
        Line("for each λ, or another factor: bias² and variance of the fits with it", "lambda"),
        Line("a new target is missed by bias² + variance + σ² = {error}", "done"),
    ),
    reference="Hastie, Tibshirani, Friedman, The Elements of Statistical Learning §7.3; Bishop, Pattern Recognition "
    "and Machine Learning §3.2; Methods for Data Science §2.5, §2.6.2; Introduction to Machine Learning §4.3; "
    "Statistical Machine Learning (Orbanz), Shrinkage",
    formulas=(
        r"\frac{1}{K} \sum_k \left( f_k - f^{*} \right)^2 = \left( \bar{f} - f^{*} \right)^2 + \frac{1}{K} \sum_k "
        r"\left( f_k - \bar{f} \right)^2",
        r"\text{expected error for a new target} = \text{bias}^2 + \text{variance} + \sigma^2",
        r"\text{ridge, along an eigenvector of } \Phi^{\top}\Phi\text{:}\quad \text{bias} = -\frac{\lambda}{d + "
        r"\lambda}\, \beta^{*}, \qquad \text{variance} = \frac{\sigma^2 d}{(d + \lambda)^2}",
    ),
    tries=(
        Try(
            "A straight line through a sine is nearly the same every time and wrong every time: bias² is more than "
            "thirty times the variance.",
            params={"method": "linear_regression(degree=1)"},
            shows=lambda played: played.final("bias2") > 30.0 * played.final("variance"),
        ),
        Try(
            "A polynomial of degree 12 is right on average and different every time: the variance is more than thirty "
            "times bias².",
            params={"method": "linear_regression(degree=12)"},
            shows=lambda played: played.final("variance") > 30.0 * played.final("bias2"),
        ),
        Try(
            "A ridge penalty on the degree 12 makes the variance smaller and the bias larger; the sum is smaller, too.",
            params={"method": "linear_regression(degree=12,penalty='ridge',lam=0.001)"},
            shows=lambda played: _less(played, played.but(method="linear_regression(degree=12)")),
        ),
        Try(
            "Nearest neighbours: with k = 1 the variance is the larger part, with k = 15 the bias; the sum is least "
            "between them.",
            params={"method": "k_nearest(k=3)", "over": "k=1..15", "redraws": 30},
            shows=lambda played: _between(played.last.shown.trades[0]),
        ),
    ),
    questions=(
        Question("How large is the variance with the next redraws?", "redraw", "metrics.variance"),
        Question("How large is bias² with the next degree?", "degree", "model.bias2"),
    ),
)
