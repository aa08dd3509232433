"""Bootstrap: the data are drawn again from themselves, and what a number does then says how far it can be trusted.

A statistic of n points is one number, and nobody can draw new points to see how it would vary. But the points
themselves can be drawn again: n of them, with replacement, so that some come twice and others not at all. The statistic
of many such resamples scatters around the one of the data about as that scatters around the truth.

    T_b = statistic of n points drawn with replacement,  b = 1 .. B
    standard error = standard deviation of the T_b        bias = mean of the T_b - T
    interval: the T_b without the lowest and the highest ones (percentile), or T ± z · standard error (normal)
    P(a point is left out) = (1 - 1/n)^n -> 1/e = 0.368

The variance here is the mean squared distance from the mean; resamples have (n - 1)/n of it on average, so the
bootstrap finds its bias by itself. A resample of one point only has no slope and no correlation, and is not counted.

Reference: Statistical Machine Learning (Orbanz), The bootstrap; Efron, Tibshirani, "An Introduction to the Bootstrap"
(1993).
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
    Run,
    Snapshot,
    Stop,
    Try,
)
from algorithms.contract import (
    Question as Asked,
)
from algorithms.data import Array, Item, Points
from algorithms.ensembles.bootstrap import words
from algorithms.ensembles.bootstrap.solver import OF_TWO, Question, Resampling, Statistic, batches, left_out_exactly
from algorithms.ensembles.bootstrap.views import views
from algorithms.params import Between, Doc, Log, UpTo, When
from algorithms.played import Played

DRAWS = 8
"""Frames in which the first resample is drawn,"""
SINGLY = 12
"""resamples that are shown one by one after it,"""
BATCHES = 40
"""and frames for all the others."""


@dataclass(frozen=True, slots=True)
class Params:
    """The knobs of the bootstrap."""

    statistic: Annotated[Statistic, Doc("The number whose error is wanted.")] = "mean"
    resamples: Annotated[int, Between(1, 20_000), Log, Doc("How often the data are drawn again.")] = 1000
    column: Annotated[
        int,
        Between(1, 1000),
        UpTo("columns"),
        Doc("Which column: the features are counted from 1, then a target that is a value."),
    ] = 1
    other: Annotated[
        int,
        Between(1, 1000),
        UpTo("columns"),
        When("statistic", *OF_TWO),
        Doc("The second column, for a correlation or a slope."),
    ] = 2
    level: Annotated[float, Between(0.5, 0.999), Doc("How often an interval is to hold the truth.")] = 0.95


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """The statistic of the data, and of every resample so far."""

    statistic: str
    names: tuple[str, ...]  # of the columns
    estimate: float
    replicates: Array  # (b,)
    interval: Array  # (2,) by percentiles
    normal: Array  # (2,) by the standard error
    standard_error: float
    bias: float
    left_out: float  # fraction of the points that a resample leaves out, on average
    counts: Array  # (n,) how often each point is in the latest resample
    question: Question


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What stays the same during a run."""

    data: Points
    question: Question


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """The resamples so far, and what the latest frame has added to them."""

    state: Resampling
    more: int = 0  # resamples
    point: int = -1  # that was drawn last


Shot = Snapshot[Given, Model, Shown]


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run[Shot]:
    """Draw the first resample point by point; then resample after resample, and the interval at the end."""
    question = Question.of(data, params.statistic, params.column, params.other)
    given, state = Given(data, question), Resampling.none(question, params.level)
    yield _shot(given, "data", Shown(state))
    again = np.random.default_rng()
    again.bit_generator.state = rng.bit_generator.state  # the first resample is looked at before it is drawn
    first = again.integers(0, data.n, size=data.n)
    for count in sorted({*np.rint(np.geomspace(1, data.n, DRAWS)).astype(int).tolist()}):
        counts = np.bincount(first[:count], minlength=data.n)
        yield _shot(given, "draw", Shown(state, point=int(first[count - 1])), counts)
    for more in batches(params.resamples, SINGLY, BATCHES):
        state = state.more(more, rng)
        yield _shot(given, "resample", Shown(state, more))
    yield _shot(given, "interval", Shown(state))
    return Stop.COMPLETE


def _shot(given: Given, phase: str, shown: Shown, counts: Array | None = None) -> Shot:
    """What was drawn so far; with ``counts``, of a resample that is not complete."""
    question, state, unknown = given.question, shown.state, math.nan
    model = Model(
        question.statistic,
        question.names,
        question.estimate,
        state.replicates,
        state.interval,
        state.normal,
        state.standard_error,
        state.bias,
        state.left_out,
        state.counts if counts is None else counts,
        question,
    )
    known = len(state.replicates) > 1
    metrics = {
        "standard_error": model.standard_error if known else unknown,
        "low": model.interval[0] if known else unknown,
        "high": model.interval[1] if known else unknown,
        "left_out": model.left_out if len(state.track) else unknown,
    }
    return Snapshot(given, phase, model, metrics, shown)


def explain(model: Model, data: Points, item: Item) -> Explanation:
    """How often a point is in the latest resample, and what it means for the statistic."""
    answer: Explanation = {f"{model.statistic} of {' and '.join(model.names)}": model.estimate}
    if item.number < 0:
        return answer
    answer["times in this resample"] = int(model.counts[item.number])
    answer["probability to be left out"] = left_out_exactly(data.n)
    alone = model.question.without(item.number)
    if math.isfinite(alone):
        answer[f"{model.statistic} without this point"] = alone
    return answer


def _error_of_slope(played: Played) -> float:
    """The standard error of a slope by the formula of least squares."""
    x, y = played.data.X[:, 0], played.data.y
    centred = x - x.mean()
    residuals = y - y.mean() - played.model.estimate * centred
    return float(np.sqrt(np.square(residuals).sum() / (len(x) - 2) / np.square(centred).sum()))


STATISTICS = {
    "mean": "np.mean",
    "median": "np.median",
    "variance": "np.var",
    "correlation": "correlation",
    "slope": "slope",
}
_CENTRED = """

def {name}(x, y, axis):
    x, y = x - x.mean(axis=axis, keepdims=True), y - y.mean(axis=axis, keepdims=True)
    return {formula}"""
FORMULAS = {
    "slope": "(x * y).sum(axis=axis) / (x * x).sum(axis=axis)",
    "correlation": "(x * y).sum(axis=axis) / np.sqrt((x * x).sum(axis=axis) * (y * y).sum(axis=axis))",
}


def counterpart(params: Params, case: Case | None) -> Counterpart | None:
    """SciPy's bootstrap draws the same resamples from the same seed."""
    seed = 0 if case is None else case.seed
    two = params.statistic in OF_TWO
    columns = f"columns[{params.column - 1}], columns[{params.other - 1}]" if two else f"columns[{params.column - 1}],"
    extra = "paired=True, " if two else ""
    imports = (
        "from scipy.stats import bootstrap\n\ncolumns = np.vstack([data.X.T, data.y]) if data.is_valued else data.X.T"
    )
    if two:
        imports += _CENTRED.format(name=params.statistic, formula=FORMULAS[params.statistic])
    return Counterpart(
        imports=imports,
        make=f"bootstrap(({columns}), {STATISTICS[params.statistic]}, {extra}n_resamples={params.resamples}, "
        f"confidence_level={params.level!r}, method='percentile', vectorized=True, rng=np.random.default_rng({seed}))",
        difference="np.abs(np.subtract(theirs.confidence_interval, ours.model.interval)).max() "
        "/ max(ours.model.standard_error, 1e-12)",
        measure="largest difference of an end of the interval, in standard errors",
        package="scipy",
        estimator=False,
        caveat="Resamples that have no slope or correlation are left out here; there they spoil the interval."
        if two
        else "",
    )


ALGORITHM = Algorithm(
    key="bootstrap",
    title="Bootstrap",
    family="ensembles",
    summary="Draws the data again from themselves to see how far a mean, a median or a slope can be trusted.",
    params=Params,
    run=run,
    views=views,
    captions=words.CAPTIONS,
    warning=words.warning,
    explain=explain,
    counterpart=counterpart,
    example="line(n=40,noise=1,seed=2)",
    synonyms=("resampling", "standard error", "confidence interval", "percentile interval", "plug-in principle"),
    panels=(
        Panel("plane", "Resample", "data"),
        Panel("replicates", "Replicates", x="statistic", y="density", reserved=True),
        Panel("track", "Interval while drawing", x="resamples", y="statistic", log_x=True),
        Panel("times", "Times drawn", x="times", y="fraction of the points"),
        Panel("left_out", "Fraction left out", x="resamples", y="fraction left out", log_x=True),
    ),
    metrics=(
        Metric("standard_error", "standard error", better="neither"),
        Metric("low", "interval from", group="interval", better="neither"),
        Metric("high", "to", group="interval", better="neither"),
        Metric("left_out", "fraction left out", better="neither"),
    ),
    pseudocode=(
        Line("T ← the statistic of the n points", "data"),
        Line("for each resample b:"),
        Line("    draw n of the n points, with replacement", "draw"),
        Line("    T_b ← the statistic of what was drawn", "resample"),
        Line("standard error ← deviation of the T_b = {standard_error}"),
        Line("interval ← the middle of the T_b: {low} to {high}", "interval"),
    ),
    reference="Efron, Tibshirani, An Introduction to the Bootstrap (1993); Statistical Machine Learning (Orbanz), The "
    "Bootstrap",
    formulas=(
        r"\widehat{\mathrm{se}} = \sqrt{\frac{1}{B - 1} \sum_{b=1}^{B} (T_b - \bar{T})^2}",
        r"\text{percentile:}\ [T_{(\alpha/2)},\, T_{(1 - \alpha/2)}] \qquad \text{normal:}\ T \pm z_{1 - \alpha/2}\, "
        r"\widehat{\mathrm{se}}",
        r"P(\text{left out}) = \left( 1 - \frac{1}{n} \right)^n \to \frac{1}{e} \approx 0.368",
    ),
    tries=(
        Try(
            "A slope: every resample has a line of its own. Their standard deviation, 0.069, is within a tenth of the "
            "standard error by the formula of least squares.",
            "line(n=40,noise=1,seed=2)",
            {"statistic": "slope"},
            shows=lambda played: abs(played.final("standard_error") / _error_of_slope(played) - 1.0) < 0.1,
        ),
        Try(
            "The median of 15 points is always one of them: a thousand replicates take a dozen values, and the "
            "histogram is a comb.",
            "line(n=15,noise=1,seed=2)",
            {"statistic": "median", "column": 2},
            shows=lambda played: 10 <= len(np.unique(played.model.replicates)) <= 15,
        ),
        Try(
            "The variance of a small sample: the replicates are skewed, so the percentile interval begins and ends "
            "lower than the normal one.",
            "line(n=12,noise=1,seed=2)",
            {"statistic": "variance", "column": 2, "resamples": 5000},
            shows=lambda played: bool((played.model.interval < played.model.normal - 0.2).all()),
        ),
        Try(
            "A strong correlation: no replicate is above 1, so the percentile interval reaches further down than up.",
            "line(n=20,noise=0.7,seed=2)",
            {"statistic": "correlation", "resamples": 5000},
            shows=lambda played: bool(
                played.model.replicates.max() < 1.0
                and np.diff([played.model.interval[0], played.model.estimate, played.model.interval[1]])[0]
                > 1.5 * (played.model.interval[1] - played.model.estimate)
            ),
        ),
    ),
    questions=(
        Asked("Which point is drawn next?", "draw", "shown.point"),
        Asked("How large is the standard error after the next resample?", "resample", "metrics.standard_error"),
    ),
)
