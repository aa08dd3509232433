"""Maximum likelihood of a Gaussian: the bell under which the points are least surprising.

Each point has a height under the bell, and the likelihood is the product of all heights. A product of many numbers
below one is soon too small for a computer, so its logarithm is summed up instead, which is largest at the same place:

    log L = -n/2 (d log 2 pi + log det S) - 1/2 sum_i (x_i - m)' S^-1 (x_i - m)

Setting its slope to zero gives the mean of the points and their mean squared deviation, with 1/n. That is a little too
small on average, because the mean was fitted as well; 1/(n - 1) is right on average. Here a bell that somebody has put
down climbs the surface of the log-likelihood along the natural gradient, a part of the way at a time.

Handbook section 3.2.3; Orbanz slides (maximum likelihood; the density in d dimensions is printed there with the square
root of 2 pi det S, which is right for d = 1 only, and the slope of the log-likelihood with the wrong sign).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from algorithms.contract import (
    Algorithm,
    Case,
    Counterpart,
    DrawnRun,
    DrawnSnapshot,
    Explanation,
    LazyViews,
    Line,
    Metric,
    Panel,
    Stop,
    Try,
)
from algorithms.data import Array, DataError, Item, Points
from algorithms.evaluation.gaussian_likelihood import solver
from algorithms.evaluation.gaussian_likelihood.solver import Sample
from algorithms.evaluation.gaussian_likelihood.views import PARTS, Picture, views_of
from algorithms.maths.gaussians import bounded_exp, log_densities
from algorithms.maths.words import counted, number
from algorithms.params import Between, Doc, Handles, Log, PointList

HEIGHTS = 16
"""Frames in which the heights are multiplied."""
AWAY = -1.0
"""Where the mean starts unless it is put somewhere: so many deviations from that of the points, in every feature."""
TOLERANCE = 1e-9
"""Converged when a step gains less than this for each point."""


@dataclass(frozen=True, slots=True)
class Params:
    """The knobs."""

    mean: Annotated[PointList, Handles, Doc("Where the bell starts; drag it. Without one it starts aside.")] = ()
    deviation: Annotated[
        float, Between(0.1, 10.0), Log, Doc("How wide it starts, in standard deviations of the points.")
    ] = 2.0
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


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> DrawnRun:
    """Build the bell, multiply the heights, and climb."""
    sample = Sample.of(data.X)
    mean, covariance = _beginning(sample, params)
    picture = _moved(Picture(data, sample, None, np.empty((0, 2))), mean, covariance)  # type: ignore[arg-type]
    log_l = number(picture.model.log_likelihood)
    yield _frame(picture, "start", f"Under this bell {counted(data.n, 'point')} have the log-likelihood {log_l}.")
    for parts, name in enumerate(PARTS, start=1):
        yield _frame(replace(picture, parts=parts), "build", f"The bell is made of {name}{_at_mean(parts)}.")
    for count in np.unique(np.linspace(1, data.n, min(HEIGHTS, data.n)).astype(int)).tolist():
        yield _frame(replace(picture, counted=count), "heights", _words_of_product(picture, count))
    for number_of_step in range(1, params.steps + 1):
        before = picture.model.log_likelihood
        mean, covariance = solver.step(sample, mean, covariance, params.rate)
        picture = _moved(picture, mean, covariance)
        gain = picture.model.log_likelihood - before
        caption = f"Iteration {number_of_step}: the log-likelihood rises by {number(gain)} to "
        yield _frame(picture, "climb", f"{caption}{number(picture.model.log_likelihood)}.")
        if gain <= TOLERANCE * data.n:
            break
    picture = _moved(picture, np.zeros(data.d), sample.correlations)
    yield _frame(picture, "result", _words_of_result(sample, picture.model))
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
    return mean, params.deviation**2 * np.eye(d)


def _moved(picture: Picture, mean: Array, covariance: Array) -> Picture:
    """With another bell."""
    sample = picture.sample
    centre, spread = sample.in_units(mean, covariance)
    largest = sample.log_likelihood(np.zeros(len(mean)), sample.correlations)
    model = Model(centre, spread, sample.log_likelihood(mean, covariance), largest, sample.n)
    here = np.array([[centre[0], np.sqrt(covariance[0, 0])]])
    return replace(picture, model=model, path=np.concatenate([picture.path, here]))


def _frame(picture: Picture, phase: str, caption: str) -> DrawnSnapshot:
    model = picture.model
    metrics = {
        "log_likelihood": model.log_likelihood / model.n,
        "gap": max(model.largest - model.log_likelihood, 0.0) / model.n,
    }
    return DrawnSnapshot(model, LazyViews(views_of, picture), metrics, phase, caption)


def _at_mean(parts: int) -> str:
    return (
        ", the place",
        ", measured from the mean",
        ", falling to both sides",
        ", as wide as σ",
        ", which is a bell",
    )[parts - 1]


def _words_of_product(picture: Picture, count: int) -> str:
    mean, deviation = float(picture.model.mean[0]), float(np.sqrt(picture.model.covariance[0, 0]))
    unit = (picture.data.X[:count, 0] - mean) / deviation
    logs = -0.5 * np.square(unit) - np.log(deviation) - 0.5 * solver.LOG_2PI
    total = float(logs.sum())
    product = (
        "too small for a number" if total < -744.0 else "too large" if total > 709.0 else number(float(np.exp(total)))
    )
    of = f" of {picture.data.features[0]}" if picture.data.d > 1 else ""
    return (
        f"The product of {counted(count, 'height')}{of} is {product}; the sum of their logarithms is {number(total)}."
    )


def _words_of_result(sample: Sample, model: Model) -> str:
    biased = float(sample.deviations[0]) ** 2
    return (
        f"The maximum is at the mean {number(float(model.mean[0]))} and the variance {number(biased)} with 1/n; "
        f"{number(biased * sample.n / (sample.n - 1))} with 1/(n - 1) would be right on average."
    )


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
    field=field,
    scores="density",
    explain=explain,
    sample=sample,
    counterpart=counterpart,
    panels=(
        Panel("plane", "Data", space="data"),
        Panel("surface", "Log-likelihood", x="mean μ", y="σ, of the points' own"),
        Panel("bell", "The bell", x="x", y="height"),
        Panel("product", "Product of the heights", x="points", y="likelihood", log_y=True, integer_x=True),
        Panel("argmax", "The same maximum", x="mean μ", y=""),
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
    reference="Handbook §3.2.3; Statistical Machine Learning (Orbanz), maximum likelihood; Amari 1998",
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
        Try("With the rate 1 the first step arrives at the mean, and the second at the variance.", "", {"rate": 1.0}),
        Try(
            "Two features: the ellipse turns until it lies as the points do.",
            "blobs_anisotropic(n=100,centres=1,stretch=4,seed=2)",
        ),
        Try(
            "A thousand points: the product is too small for a number, the sum of logarithms is not.",
            "blobs(n=1000,centres=1,noise=1.5,features=1,seed=2)",
        ),
        Try("Five points: here 1/n and 1/(n - 1) differ by a quarter.", "blobs(n=5,centres=1,features=1,seed=1)"),
    ),
)
