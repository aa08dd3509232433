"""The pictures of a Gaussian and its likelihood."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Views
from algorithms.data import Array, Points
from algorithms.evaluation.gaussian_likelihood.solver import Sample, marginal
from algorithms.marks import Bars, Centres, Curve, Dots, Ellipses, Mark, ReferenceLine, Regions, Segments
from algorithms.maths.contours import zero_pieces
from algorithms.maths.gaussians import log_densities
from algorithms.maths.maps import evenly
from algorithms.maths.words import number

if TYPE_CHECKING:
    from algorithms.evaluation.gaussian_likelihood import Model, Shot

PLACES, GRID, MOST = 241, 61, 300
BELOW = (0.5, 2.0, 4.5, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0)
"""Contours lie so much below the largest log-likelihood; the first ones are one, two and three standard errors away."""
MOST_BARS = 4
"""Features whose variances are drawn."""
NAMES = ("x", "x - μ", "-½ (x - μ)²", "-½ ((x - μ)/σ)²", "exp(-½ ((x - μ)/σ)²)")
"""What the bell is made of, one after the other."""


def views(shot: Shot) -> Views:
    """The marks of every panel."""
    data, sample, model = shot.given.data, shot.given.sample, shot.model
    return {
        "plane": _plane(data, model),
        "bell": _formula(shot) if shot.shown.parts else _bell(shot),
        "surface": _surface(sample, shot.shown.path),
        "product": _product(model, data.X[: shot.shown.counted or data.n]),
        "argmax": _argmax(sample, _first(model)[1]),
        "variance": _variances(data, sample, model),
    }


def _plane(data: Points, model: Model) -> tuple[Mark, ...]:
    shade: tuple[Mark, ...] = (Regions("density"),) if data.d > 1 else ()
    cloud = Ellipses(model.mean[None], model.covariance[None], np.ones(1))
    return (*shade, cloud, Centres(model.mean[None], handle="mean", name="mean"))


def _first(model: Model) -> tuple[float, float]:
    """The mean and the deviation of the first feature."""
    return float(model.mean[0]), float(np.sqrt(model.covariance[0, 0]))


def _places(shot: Shot) -> Array:
    """Places of the first feature, the same in every frame: all points, and the bell of the start."""
    column, (mean, deviation) = shot.given.data.X[:, 0], shot.shown.path[0].tolist()
    reach = 3.5 * deviation
    return np.linspace(min(float(column.min()), mean - reach), max(float(column.max()), mean + reach), PLACES)


def _formula(shot: Shot) -> tuple[Mark, ...]:
    """What the bell is made of."""
    (mean, deviation), x = _first(shot.model), _places(shot)
    unit = (x - mean) / deviation
    lines = (x, x - mean, -0.5 * np.square(x - mean), -0.5 * np.square(unit), np.exp(-0.5 * np.square(unit)))
    floor, top = -4.0 * max(deviation, 1.0), 4.0 * max(deviation, 1.0)
    marks = []
    for line, name in zip(lines[: shot.shown.parts], NAMES):
        inside = (line >= floor) & (line <= top)
        marks.append(Curve(x[inside], line[inside], name))
    return tuple(marks)


def _bell(shot: Shot) -> tuple[Mark, ...]:
    """The bell with the height of every point; those of the start and of the maximum keep the scale of the axes."""
    data, sample, x = shot.given.data, shot.given.sample, _places(shot)
    mean, deviation = _first(shot.model)
    some = evenly(data.n, MOST)
    column = data.X[some, 0]
    feet, tips = (
        np.column_stack([column, np.zeros(len(some))]),
        np.column_stack([column, _heights(column, mean, deviation)]),
    )
    return (
        Segments(feet, tips, "residual", some, "height of a point"),
        Curve(x, _heights(x, *shot.shown.path[0].tolist()), "at the start", quiet=True),
        Curve(x, _heights(x, float(sample.mean[0]), float(sample.deviations[0])), "at the maximum", quiet=True),
        Curve(x, _heights(x, mean, deviation), f"μ = {number(mean)}, σ = {number(deviation)}"),
    )


def _heights(x: Array, mean: float, deviation: float) -> Array:
    return np.exp(-0.5 * np.square((x - mean) / deviation)) / (deviation * np.sqrt(2.0 * np.pi))


def _surface(sample: Sample, path: Array) -> tuple[Mark, ...]:
    """The log-likelihood of the first feature over its mean and deviation, and the path that was gone."""
    middle, unit = float(sample.mean[0]), float(sample.deviations[0])
    gone = path[:, 1] / unit
    reach = max(1.2, 1.15 * float(np.abs(path[:, 0] - middle).max()) / unit)
    tall, low = max(2.2, 1.15 * float(gone.max())), min(0.4, 0.8 * float(gone.min()))
    means, deviations = np.linspace(-reach, reach, GRID), np.geomspace(low, tall, GRID)
    heights = marginal(sample, means, deviations)
    best = float(marginal(sample, np.zeros(1), np.ones(1))[0, 0])
    x, y = middle + unit * means, unit * deviations
    lines = np.concatenate([zero_pieces(heights - (best - below), x, y) for below in BELOW])
    return (
        Segments(lines[:, 0], lines[:, 1], "edge", name="equal"),
        Curve(path[:, 0], path[:, 1], "path", dots=True),
        Dots(np.array([[middle, unit]]), "maximum", known=True),
        ReferenceLine(float(path[0, 1]), "start", axis="y", handle="sigma"),
    )


def _product(model: Model, X: Array) -> tuple[Mark, ...]:
    """The heights multiplied one after the other; numbers end near 5e-324."""
    logs = log_densities(np.ascontiguousarray(X.T), model.mean[None], model.covariance[None])[0]
    with np.errstate(over="ignore", under="ignore"):
        product = np.exp(np.cumsum(logs))
    there = (product > 0.0) & np.isfinite(product)
    count = np.arange(1.0, len(product) + 1.0)
    return (Curve(count[there], product[there], "product of the heights"),) if there.any() else ()


def _argmax(sample: Sample, deviation: float) -> tuple[Mark, ...]:
    """Likelihood and log-likelihood over the mean, each by its largest value: the same place is best."""
    middle, unit = float(sample.mean[0]), float(sample.deviations[0])
    reach = 4.0 * deviation / unit / np.sqrt(sample.n)
    means = np.linspace(-reach, reach, PLACES)
    logs = marginal(sample, means, np.array([deviation / unit]))[0]
    gaps = logs - logs.max()
    x = middle + unit * means
    return (
        Curve(x, np.exp(gaps), "likelihood, of its largest"),
        Curve(x, 1.0 + gaps / 8.0, "1 + (log-likelihood - largest) / 8"),
        ReferenceLine(middle, "mean of the points"),
    )


def _variances(data: Points, sample: Sample, model: Model) -> tuple[Mark, ...]:
    """The variances of the first features now, and their two usual estimates."""
    some, n = min(data.d, MOST_BARS), sample.n
    biased = np.square(sample.deviations[:some])
    values = np.column_stack([np.diag(model.covariance)[:some], biased, biased * n / (n - 1)]).ravel()
    words = ("now", "1/n", "1/(n-1)")
    if data.d == 1:
        return (Bars(values, words, groups=np.arange(3), limit=float(biased[0]), limit_name="maximum"),)
    names = tuple(f"{name}: {word}" for name in data.features[:some] for word in words)
    return (Bars(values, names, groups=np.tile(np.arange(3), some)),)
