"""Maximum likelihood of a Gaussian: the bell under which the points are least surprising.

Each point has a height under the bell, and the likelihood is the product of all heights. A product of many numbers
below one is soon too small for a computer, so its logarithm is summed up instead, which is largest at the same place:

    log L = -n/2 (d log 2 pi + log det S) - 1/2 sum_i (x_i - m)' S^-1 (x_i - m)

Setting its slope to zero gives the mean of the points and their mean squared deviation, with 1/n. That is a little too
small on average, because the mean was fitted as well; 1/(n - 1) is right on average. Here a bell that somebody has put
down climbs the surface of the log-likelihood along the natural gradient, a part of the way at a time.

Reference: Bishop, Pattern Recognition and Machine Learning, section 2.3.4; Amari, "Natural gradient works efficiently
in learning" (1998); Handbook section 3.2.3; Orbanz slides (maximum likelihood; the density in d dimensions is printed
there with the square root of 2 pi det S, which is right for d = 1 only, and the slope of the log-likelihood with the
wrong sign).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
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
from algorithms.data import Array, DataError, Item, Points
from algorithms.evaluation.gaussian_likelihood import solver, words
from algorithms.evaluation.gaussian_likelihood.solver import Sample
from algorithms.evaluation.gaussian_likelihood.views import views
from algorithms.maths.gaussians import bounded_exp, log_densities
from algorithms.maths.words import counted
from algorithms.params import Between, Doc, Handles, PointList, Zero
from algorithms.played import Played

PARTS = 5
"""Steps in which the formula of the bell is built."""
HEIGHTS = 16
"""Frames in which the heights are multiplied."""
WIDE = 2.0
"""How wide it starts unless sigma says so: so many standard deviations of the points."""
AWAY = -1.0
"""Where the mean starts unless it is put somewhere: so many deviations from that of the points, in every feature."""
TOLERANCE = 1e-9
"""Converged when a step gains less than this for each point."""


@dataclass(frozen=True, slots=True)
class Params:
    """The knobs."""

    mean: Annotated[PointList, Handles, Doc("Where the bell starts; drag it. Without one it starts aside.")] = ()
    sigma: Annotated[
        float,
        Between(0.0, 1000.0),
        Zero("twice that of the points"),
        Doc("The standard deviation with which it starts, in the units of the data; 0: twice that of the points."),
    ] = 0.0
    rate: Annotated[float, Between(0.01, 1.0), Doc("The part of the way that a step goes; with 1 it arrives.")] = 0.3
    steps: Annotated[int, Between(1, 500), Doc("How many steps are made at most.")] = 100


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """The Gaussian of now."""

    mean: Array  # (d,)
    covariance: Array  # (d, d)
    log_likelihood: float  # of all points
    largest: float  # what it can be at most
    n: int


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What stays the same during a run."""

    data: Points
    sample: Sample


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """What has been built, multiplied and climbed so far."""

    path: Array  # (steps, 2) of the first feature: mean and standard deviation
    parts: int = 0  # of the formula of the bell
    counted: int = 0  # points whose heights are multiplied
    gain: float = 0.0  # of the log-likelihood by the latest step


Shot = Snapshot[Given, Model, Shown]


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run[Shot]:
    """Build the bell, multiply the heights, and climb."""
    sample = Sample.of(data.X)
    mean, covariance = _beginning(sample, params)
    given, model = Given(data, sample), _model(sample, mean, covariance)
    shown = Shown(_place(model))
    yield _shot(given, "start", model, shown)
    for parts in range(1, PARTS + 1):
        yield _shot(given, "build", model, replace(shown, parts=parts))
    for count in np.unique(np.linspace(1, data.n, min(HEIGHTS, data.n)).astype(int)).tolist():
        yield _shot(given, "heights", model, replace(shown, counted=count))
    for _ in range(params.steps):
        before = model.log_likelihood
        mean, covariance = solver.step(sample, mean, covariance, params.rate)
        model = _model(sample, mean, covariance)
        gain = model.log_likelihood - before
        shown = Shown(np.concatenate([shown.path, _place(model)]), gain=gain)
        yield _shot(given, "climb", model, shown)
        if gain <= TOLERANCE * data.n:
            break
    model = _model(sample, np.zeros(data.d), sample.correlations)
    yield _shot(given, "result", model, Shown(np.concatenate([shown.path, _place(model)])))
    return Stop.COMPLETE


def _beginning(sample: Sample, params: Params) -> tuple[Array, Array]:
    """The first mean and covariance, standardised."""
    d = len(sample.mean)
    mean = np.full(d, AWAY)
    if params.mean:
        if len(params.mean[0]) != d:
            raise DataError(
                f"The mean has {counted(len(params.mean[0]), 'number')}; these points have {counted(d, 'feature')}."
            )
        mean = sample.standardised(np.array(params.mean[0]))
        if np.abs(mean).max() > 1e6:
            raise DataError("The mean is far from all points; drag it nearer, or empty its field.")
    if params.sigma == 0.0:
        return mean, WIDE**2 * np.eye(d)
    deviations = params.sigma / sample.deviations
    if not (deviations.max() < 1e6 and deviations.min() > 1e-6):
        raise DataError("This sigma is far from the spread of the points; choose one of their size, or 0.")
    return mean, np.diag(np.square(deviations))


def _model(sample: Sample, mean: Array, covariance: Array) -> Model:
    """The Gaussian with this standardised mean and covariance, in the units of the data."""
    largest = sample.log_likelihood(np.zeros(len(mean)), sample.correlations)
    log_likelihood = sample.log_likelihood(mean, covariance)
    return Model(*sample.in_units(mean, covariance), log_likelihood, largest, sample.n)


def _place(model: Model) -> Array:
    """Mean and standard deviation of the first feature, (1, 2)."""
    return np.array([[model.mean[0], np.sqrt(model.covariance[0, 0])]])


def _shot(given: Given, phase: str, model: Model, shown: Shown) -> Shot:
    numbers = {
        "log_likelihood": model.log_likelihood / model.n,
        "gap": max(model.largest - model.log_likelihood, 0.0) / model.n,
    }
    return Snapshot(given, phase, model, numbers, shown)


def field(model: Model, X: Array) -> Array:
    """The density."""
    logs = log_densities(np.ascontiguousarray(X.T), model.mean[None], model.covariance[None])[0]
    return bounded_exp(logs)


def explain(model: Model, data: Points, item: Item) -> Explanation:
    """The height of a point, and what it adds to the log-likelihood."""
    x = data.X[item.number] if item.number >= 0 else item.x
    log_height = float(log_densities(np.ascontiguousarray(x[:, None]), model.mean[None], model.covariance[None])[0, 0])
    away = x - model.mean
    distance = float(np.sqrt(max(float(away @ np.linalg.solve(model.covariance, away)), 0.0)))
    return {
        "log of the height": log_height,
        "mean log of the height": model.log_likelihood / model.n,
        "standard deviations away": distance,
    }


def sample(model: Model, n: int, rng: np.random.Generator) -> Points:
    """New points from the Gaussian."""
    factor = np.linalg.cholesky(model.covariance)
    return Points(model.mean + rng.standard_normal((n, len(model.mean))) @ factor.T)


def _climbed(played: Played) -> list[Model]:
    return [frame.model for frame in played.frames if frame.phase == "climb"]


def _correlation(model: Model) -> float:
    covariance = model.covariance
    return float(covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1]))


def counterpart(params: Params, case: Case | None) -> Counterpart:
    """``sklearn.covariance.EmpiricalCovariance``, the estimate of maximum likelihood."""
    return Counterpart(
        imports="from sklearn.covariance import EmpiricalCovariance",
        make="EmpiricalCovariance()",
        difference="np.abs(theirs.covariance_ - ours.model.covariance).max() / np.abs(ours.model.covariance).max()",
        measure="largest difference of a covariance, by the largest of them",
        target=False,
    )


ALGORITHM = Algorithm(
    key="gaussian_likelihood",
    title="Likelihood of a Gaussian",
    family="evaluation",
    summary="A bell climbs to where the product of the heights of all points is largest.",
    params=Params,
    run=run,
    views=views,
    captions=words.CAPTIONS,
    field=field,
    scores="density",
    explain=explain,
    sample=sample,
    counterpart=counterpart,
    panels=(
        Panel("plane", "Data", space="data"),
        Panel("surface", "Log-likelihood, first feature", x="mean μ", y="standard deviation σ"),
        Panel("bell", "The bell, first feature", x="first feature", y="density"),
        Panel("product", "Product of the heights", x="points", y="likelihood", log_y=True, integer_x=True),
        Panel("argmax", "The same maximum, first feature", x="mean μ", y=""),
        Panel("variance", "Variances", y="variance"),
    ),
    metrics=(
        Metric("log_likelihood", "log-likelihood of a point", group="likelihood", better="higher"),
        Metric("gap", "below the maximum", group="gap", log=True),
    ),
    pseudocode=(
        Line("put a bell with mean m and covariance S somewhere", "start"),
        Line("its height: exp(-½ (x - m)' S⁻¹ (x - m)) / sqrt((2π)^d det S)", "build"),
        Line("likelihood: the product of all heights; better: sum the logs", "heights"),
        Line("climb: m ← m + rate (mean - m), S ← S + rate (scatter - S)   ({log_likelihood})", "climb"),
        Line("maximum: m = mean, S = 1/n Σ (x - m)(x - m)'   ({gap} below)", "result"),
    ),
    reference="Bishop, Pattern Recognition and Machine Learning §2.3.4; Amari, Natural gradient works efficiently in "
    "learning (1998); Handbook §3.2.3; Statistical Machine Learning (Orbanz), Tools: Maximum Likelihood",
    example="blobs(n=60,centres=1,noise=1.5,features=1,seed=2)",
    synonyms=("maximum likelihood", "MLE", "normal distribution", "log-likelihood", "biased variance", "bell curve"),
    formulas=(
        r"g(x; \mu, \Sigma) = \frac{1}{\sqrt{(2\pi)^d \det \Sigma}} \exp\left( -\frac{1}{2} (x-\mu)^{\top} "
        r"\Sigma^{-1} (x-\mu) \right)",
        r"\log L = \sum_{i=1}^{n} \log g(x_i; \mu, \Sigma)",
        r"\hat\mu = \frac{1}{n} \sum_i x_i, \qquad \hat\Sigma = \frac{1}{n} \sum_i (x_i - \hat\mu)(x_i - "
        r"\hat\mu)^{\top}",
    ),
    tries=(
        Try(
            "With the rate 1 the first step arrives at the mean, and the second at the variance.",
            "",
            {"rate": 1.0},
            shows=lambda played: (
                np.allclose((climbed := _climbed(played))[0].mean, played.data.X.mean(axis=0))
                and not np.isclose(climbed[0].covariance[0, 0], played.data.X.var())
                and np.isclose(climbed[1].covariance[0, 0], played.data.X.var())
            ),
        ),
        Try(
            "Two features: the circle at the start becomes an ellipse that lies along the points, with the correlation "
            "-0.88.",
            "blobs_anisotropic(n=100,centres=1,stretch=4,seed=2)",
            shows=lambda played: (
                _correlation(played.frames[0].model) == 0.0 and round(_correlation(played.model), 2) == -0.88
            ),
        ),
        Try(
            "A thousand points: the product of their heights is too small for a number, the sum of the logarithms is "
            "not.",
            "blobs(n=1000,centres=1,noise=1.5,features=1,seed=2)",
            shows=lambda played: bool(-1e4 < played.model.log_likelihood < np.log(5e-324)),
        ),
        Try(
            "Five points: the variance with 1/(n - 1) is a quarter larger than the one with 1/n.",
            "blobs(n=5,centres=1,features=1,seed=1)",
            shows=lambda played: bool(np.isclose(played.data.X.var(ddof=1), 1.25 * played.model.covariance[0, 0])),
        ),
    ),
    questions=(
        Question("By how much does the next step raise the log-likelihood?", "climb", "shown.gain"),
        Question("How large is the log-likelihood of a point after the next step?", "climb", "metrics.log_likelihood"),
    ),
)
