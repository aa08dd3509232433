"""The pictures of a Gaussian and its likelihood."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from algorithms.data import Array, Points
from algorithms.evaluation.gaussian_likelihood.solver import Sample, marginal
from algorithms.marks import Bars, Centres, Curve, Dots, Ellipses, Mark, ReferenceLine, Regions, Segments
from algorithms.maths.contours import zero_pieces
from algorithms.maths.maps import evenly
from algorithms.maths.words import number

if TYPE_CHECKING:
    from algorithms.evaluation.gaussian_likelihood import Model

PLACES, GRID, MOST = 241, 61, 300
BELOW = (0.5, 2.0, 4.5, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0)
"""Contours lie so much below the largest log-likelihood; the first ones are one, two and three standard errors away."""
PARTS = ("x", "x - μ", "-½ (x - μ)²", "-½ ((x - μ)/σ)²", "exp(-½ ((x - μ)/σ)²)")
"""What the bell is made of, one after the other."""


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """Everything that the frames are made of; a run goes from one to the next with ``dataclasses.replace``."""

    data: Points
    sample: Sample
    model: Model
    path: Array  # (steps, 2) of the first feature: the mean, and the deviation as a multiple of that of the points
    parts: int = 0  # of the bell
    counted: int = 0  # points whose heights are multiplied
    ended: bool = False


def views_of(picture: Picture) -> dict[str, tuple[Mark, ...]]:
    """The marks of a picture, made when somebody looks."""
    return {
        "plane": _plane(picture),
        "bell": _bell(picture),
        "surface": _surface(picture),
        "product": _product(picture),
        "argmax": _argmax(picture),
        "variance": _variances(picture),
    }


def _plane(picture: Picture) -> tuple[Mark, ...]:
    model = picture.model
    shade: tuple[Mark, ...] = (Regions("density"),) if picture.data.d > 1 else ()
    cloud = Ellipses(model.mean[None], model.covariance[None], np.ones(1))
    return (*shade, cloud, Centres(model.mean[None], handle="mean", name="mean"))


def _first(picture: Picture) -> tuple[float, float]:
    """The mean and the deviation of the first feature."""
    return float(picture.model.mean[0]), float(np.sqrt(picture.model.covariance[0, 0]))


def _bell(picture: Picture) -> tuple[Mark, ...]:
    """What the bell is made of; then the bell with the height of every point."""
    mean, deviation = _first(picture)
    column = picture.data.X[:, 0]
    low, high = min(float(column.min()), mean - 3.5 * deviation), max(float(column.max()), mean + 3.5 * deviation)
    x = np.linspace(low, high, PLACES)
    if picture.parts:
        unit = (x - mean) / deviation
        lines = (x, x - mean, -0.5 * np.square(x - mean), -0.5 * np.square(unit), np.exp(-0.5 * np.square(unit)))
        floor, top = -4.0 * max(deviation, 1.0), 4.0 * max(deviation, 1.0)
        marks = []
        for line, name in zip(lines[: picture.parts], PARTS):
            inside = (line >= floor) & (line <= top)
            marks.append(Curve(x[inside], line[inside], name))
        return tuple(marks)
    some = evenly(picture.data.n, MOST)
    heights = _heights(column[some], mean, deviation)
    feet = np.column_stack([column[some], np.zeros(len(some))])
    tips = np.column_stack([column[some], heights])
    return (
        Segments(feet, tips, "residual", some, "height of a point"),
        Curve(x, _heights(x, mean, deviation), f"μ = {number(mean)}, σ = {number(deviation)}"),
    )


def _heights(x: Array, mean: float, deviation: float) -> Array:
    return np.exp(-0.5 * np.square((x - mean) / deviation)) / (deviation * np.sqrt(2.0 * np.pi))


def _surface(picture: Picture) -> tuple[Mark, ...]:
    """The log-likelihood of the first feature over its mean and deviation, and the path that was gone."""
    sample, path = picture.sample, picture.path
    middle, unit = float(sample.mean[0]), float(sample.deviations[0])
    reach = max(1.2, 1.15 * float(np.abs(path[:, 0] - middle).max()) / unit)
    tall = max(2.2, 1.15 * float(path[:, 1].max()))
    low = min(0.4, 0.8 * float(path[:, 1].min()))
    means, deviations = np.linspace(-reach, reach, GRID), np.geomspace(low, tall, GRID)
    heights = marginal(sample, means, deviations)
    best = float(marginal(sample, np.zeros(1), np.ones(1))[0, 0])
    x = middle + unit * means
    pieces = [zero_pieces(heights - (best - below), x, deviations) for below in BELOW]
    lines = np.concatenate(pieces)
    return (
        Segments(lines[:, 0], lines[:, 1], "edge", name="equal"),
        Curve(path[:, 0], path[:, 1], "path", dots=True),
        Dots(np.array([[middle, 1.0]]), "maximum", known=True),
        ReferenceLine(float(path[0, 1]), "start", axis="y", handle="deviation"),
    )


def _product(picture: Picture) -> tuple[Mark, ...]:
    """The heights multiplied one after the other; numbers end near 5e-324."""
    mean, deviation = _first(picture)
    column = picture.data.X[: picture.counted or picture.data.n, 0]
    with np.errstate(over="ignore", under="ignore"):
        product = np.cumprod(_heights(column, mean, deviation))
    there = (product > 0.0) & np.isfinite(product)
    count = np.arange(1.0, len(product) + 1.0)
    if not there.any():
        return ()
    return (Curve(count[there], product[there], "product of the heights"),)


def _argmax(picture: Picture) -> tuple[Mark, ...]:
    """Likelihood and log-likelihood over the mean, each by its largest value: the same place is best."""
    sample, deviation = picture.sample, _first(picture)[1]
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


def _variances(picture: Picture) -> tuple[Mark, ...]:
    """The variance of the first feature now, and the two usual estimates."""
    biased = float(picture.sample.deviations[0]) ** 2
    n = picture.sample.n
    values = np.array([_first(picture)[1] ** 2, biased, biased * n / (n - 1)])
    return (Bars(values, ("now", "1/n", "1/(n-1)"), groups=np.array([0, 1, 2]), limit=biased, limit_name="maximum"),)
