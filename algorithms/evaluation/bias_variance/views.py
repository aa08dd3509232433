"""The pictures of redrawn noise: the fan of curves, the cloud of estimates, and bias² and variance as curves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from algorithms.data import Array, Points
from algorithms.evaluation.bias_variance.solver import Truth
from algorithms.marks import Bundle, Curve, Dots, Extent, Mark, ReferenceLine
from algorithms.maths.ball_marks import pair_names
from algorithms.maths.linear_problem import LinearProblem
from algorithms.maths.penalties import Penalty
from algorithms.maths.regression_marks import surface_shading

if TYPE_CHECKING:
    from algorithms.evaluation.bias_variance import Model

MOST_CURVES = 60
MOST_TARGETS = 300
_CIRCLE = np.linspace(0.0, 2.0 * np.pi, 121)
_MASS95 = 5.991464547107979  # of chi-squared with two degrees of freedom


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """What the pictures of all frames of a run have in common."""

    problem: LinearProblem
    truth: Truth
    grid: Array  # (m, 1), empty for more than one feature
    pair: tuple[int, int] | None  # the two coefficients of the cloud
    nearest: Array  # (p + 1,) the coefficients nearest to the truth, intercept first
    reach: Array  # (p + 1,) how far the cloud's picture goes to either side


@dataclass(frozen=True, slots=True, eq=False)
class Cloud:
    """The estimates of one frame, and what a formula says of them."""

    intercepts: Array  # (k,)
    betas: Array  # (k, p)
    penalty: Penalty
    formula: tuple[Array, Array] | None  # mean (p + 1,) and covariance
    targets: Array | None = None  # (n,) the latest ones drawn

    def estimates(self) -> Array:
        """(k, p + 1), the intercept first."""
        return np.column_stack([self.intercepts, self.betas])


def draw(
    picture: Picture, model: Model, kept: Mapping[str, tuple[Mark, ...]], cloud: Cloud | None
) -> dict[str, tuple[Mark, ...]]:
    """All views of a frame."""
    data = picture.problem.data
    plane = fan_marks(picture, cloud) if data.d == 1 else surface_shading(data, picture.problem.y)
    views = {**kept, "plane": plane}
    if cloud is not None and picture.pair is not None:
        views["cloud"] = cloud_marks(picture, picture.pair, cloud)
    return views


def fan_marks(picture: Picture, cloud: Cloud | None) -> tuple[Mark, ...]:
    """The curves of all redraws over one feature, their mean and the truth."""
    grid = picture.grid[::3]
    x, true = grid[:, 0], picture.truth.at(grid)
    known = np.isfinite(true) & (np.abs(true) < 1e100)  # a formula need not be a number beyond the points
    truth = Curve(x[known], true[known], "the truth")
    if cloud is None:
        return (truth,)
    values = cloud.intercepts[:, None] + cloud.betas @ picture.problem.dictionary.columns(grid).T  # (k, m)
    marks: list[Mark] = [
        Bundle(x, values[-MOST_CURVES:], "fits to redrawn noise"),
        truth,
        Curve(x, values.mean(axis=0), "mean of the fits"),
    ]
    if cloud.targets is not None and len(cloud.targets) <= MOST_TARGETS:
        at = np.column_stack([picture.problem.data.X[:, 0], cloud.targets])
        marks.append(Dots(at, "targets drawn anew"))
    return tuple(marks)


def draw_any(
    data: Points,
    y: Array,
    truth: Truth,
    grid: Array,
    curves: Array,
    target: Array | None,
    kept: Mapping[str, tuple[Mark, ...]],
) -> dict[str, tuple[Mark, ...]]:
    """All views of a frame of a method that is run anew each time: ``curves`` (k, m) are its fits along the grid."""
    if data.d != 1:
        return {**kept, "plane": surface_shading(data, y)}
    x, true = grid[:, 0], truth.at(grid)
    known = np.isfinite(true) & (np.abs(true) < 1e100)
    marks: list[Mark] = [Curve(x[known], true[known], "the truth")]
    if len(curves):
        fan = Bundle(x, curves[-MOST_CURVES:], "fits to redrawn noise")
        marks = [fan, *marks, Curve(x, curves.mean(axis=0), "mean of the fits")]
    if target is not None and len(target) <= MOST_TARGETS:
        marks.append(Dots(np.column_stack([data.X[:, 0], target]), "targets drawn anew"))
    return {**kept, "plane": tuple(marks)}


def cloud_marks(picture: Picture, pair: tuple[int, int], cloud: Cloud) -> tuple[Mark, ...]:
    """The estimates of two coefficients, their mean, the ellipse that should hold 95 % of them, and the truth."""
    both = list(pair)
    at, best = cloud.estimates()[:, both], picture.nearest[both]
    marks: list[Mark] = [
        _extent(picture, pair, cloud, best),
        ReferenceLine(0.0),
        ReferenceLine(0.0, axis="y"),
        Dots(at, "estimates", 0),
    ]
    middle = at.mean(axis=0)
    if cloud.formula is not None:
        mean, covariance = cloud.formula
        ring = ellipse(mean[both], covariance[np.ix_(both, both)])
        marks.append(Curve(ring[:, 0], ring[:, 1], "95 % by the formula"))
    elif len(at) >= 10:
        ring = ellipse(middle, np.cov(at.T))
        marks.append(Curve(ring[:, 0], ring[:, 1], "95 % of a Gaussian like the cloud"))
    marks.append(Dots(best[None, :], "truth", known=True))
    marks.append(Curve(middle[:1], middle[1:], "mean of the estimates", dots=True))
    return tuple(marks)


def ellipse(mean: Array, covariance: Array) -> Array:
    """Where a Gaussian has 95 % inside: (m, 2)."""
    values, axes = np.linalg.eigh(covariance)
    radii = np.sqrt(np.maximum(values, 0.0) * _MASS95)
    return np.asarray(mean + np.column_stack([np.cos(_CIRCLE), np.sin(_CIRCLE)]) * radii @ axes.T)


def _extent(picture: Picture, pair: tuple[int, int], cloud: Cloud, best: Array) -> Extent:
    """The truth, the estimates and, where a penalty pulls towards it, the origin; the same in all frames of a run."""
    reach = np.maximum(picture.reach[list(pair)], 1e-9 * max(float(np.abs(best).max()), 1e-300))
    low, high = best - reach, best + reach
    if cloud.penalty.priced:
        low, high = np.minimum(low, -0.3 * reach), np.maximum(high, 0.3 * reach)
    (left, bottom), (right, top) = low.tolist(), high.tolist()
    return Extent(left, right, bottom, top, False, pair_names(picture.problem, pair))


@dataclass(frozen=True, slots=True, eq=False)
class TradeOff:
    """bias², variance and their sum with the noise; a new one for every place that is added."""

    handle: str
    current: float | None
    noise: float  # σ²
    floor: float
    at: tuple[float, ...] = ()
    parts: tuple[tuple[float, float], ...] = ()
    formula: tuple[tuple[float, float], ...] = ()

    def joined(self, at: float, parts: tuple[float, float], formula: tuple[float, float] | None) -> TradeOff:
        """With one more place: bias² and variance as measured and, where there is one, by the formula."""
        exact = self.formula if formula is None else (*self.formula, formula)
        return replace(self, at=(*self.at, at), parts=(*self.parts, parts), formula=exact)

    @property
    def best(self) -> float:
        """Where bias² + variance is least."""
        return self.at[int(np.argmin([sum(both) for both in self.parts]))]

    def marks(self) -> tuple[Mark, ...]:
        """The parts and the whole."""
        at, dots = np.array(self.at), self.handle != "lam"
        bias, variance = np.maximum(np.array(self.parts).T, self.floor)
        whole = np.array([sum(both) for both in self.parts]) + self.noise
        exact = np.maximum(np.array(self.formula).T, self.floor) if self.formula else ()
        marks: list[Mark] = [
            *(Curve(at, row, "both by the formula", quiet=True) for row in exact),
            Curve(at, bias, "bias²", dots=dots),
            Curve(at, variance, "variance", dots=dots),
            Curve(at, np.maximum(whole, self.floor), "bias² + variance + σ²", dots=dots),
            ReferenceLine(max(self.noise, self.floor), "noise σ²", axis="y"),
        ]
        if self.current is not None:
            word = "λ" if self.handle == "lam" else self.handle
            name = f"{word} = {self.current:.3g}"
            marks.append(ReferenceLine(self.current, name, handle=f"method.{self.handle}"))
        return tuple(marks)
