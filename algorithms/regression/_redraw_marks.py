"""The pictures of redrawn noise: the fan of curves, the cloud of estimates, and bias² and variance as curves."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from algorithms.data import Array
from algorithms.marks import Bundle, Curve, Dots, Extent, Mark, ReferenceLine
from algorithms.maths.linear_model import LinearModel as Model
from algorithms.maths.linear_model import predict

if TYPE_CHECKING:
    from algorithms.regression._regression_views import Picture

MOST_CURVES = 60
MOST_TARGETS = 300
_CIRCLE = np.linspace(0.0, 2.0 * np.pi, 121)
_MASS95 = 5.991464547107979  # of chi-squared with two degrees of freedom


@dataclass(frozen=True, slots=True, eq=False)
class Cloud:
    """The estimates of one frame and what they are to be compared with."""

    truth: Model
    intercepts: Array  # (k,)
    betas: Array  # (k, p)
    best: Array  # (p + 1,) the coefficients nearest to the truth, intercept first
    mean: Array | None  # (p + 1,) by the formula, where there is one
    covariance: Array | None  # (p + 1, p + 1) by the formula
    pads: Array  # (p + 1,) how far the picture reaches to either side
    targets: Array | None = None  # (n,) the latest ones drawn

    def estimates(self) -> Array:
        """(k, p + 1), the intercept first."""
        return np.column_stack([self.intercepts, self.betas])


def fan_marks(picture: Picture, cloud: Cloud) -> tuple[Mark, ...]:
    """The curves of all redraws over one feature, their mean and the truth."""
    plane = picture.plane
    if plane.data.d != 1:
        return ()
    grid = plane.grid[::3]
    values = cloud.intercepts[:, None] + cloud.betas @ picture.dictionary.columns(grid).T  # (k, m)
    x = grid[:, 0]
    marks: list[Mark] = [
        Bundle(x, values[-MOST_CURVES:], "fits to redrawn noise"),
        Curve(x, predict(cloud.truth, grid), "taken as the truth"),
        Curve(x, values.mean(axis=0), "mean of the fits"),
    ]
    if cloud.targets is not None and len(cloud.targets) <= MOST_TARGETS:
        marks.append(Dots(np.column_stack([plane.data.X[:, 0], cloud.targets]), "targets drawn anew"))
    return tuple(marks)


def cloud_marks(picture: Picture, cloud: Cloud) -> tuple[Mark, ...]:
    """The estimates of two coefficients, their mean, the ellipse that should hold 95 % of them, and the truth."""
    assert picture.pair is not None
    both = list(picture.pair)
    at, best = cloud.estimates()[:, both], cloud.best[both]
    marks: list[Mark] = [
        _extent(picture, cloud, best),
        ReferenceLine(0.0),
        ReferenceLine(0.0, axis="y"),
        Dots(at, "estimates", 0),
    ]
    middle = at.mean(axis=0)
    if cloud.mean is not None and cloud.covariance is not None:
        ring = ellipse(cloud.mean[both], cloud.covariance[np.ix_(both, both)])
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


def _extent(picture: Picture, cloud: Cloud, best: Array) -> Extent:
    """The truth, the estimates and, where a penalty pulls towards it, the origin; the same in all frames of a run."""
    assert picture.pair is not None
    both = list(picture.pair)
    pads = np.maximum(cloud.pads[both], 1e-9 * max(float(np.abs(best).max()), 1e-300))
    low, high = best - pads, best + pads
    if not picture.penalty.closed or picture.penalty.l2:
        low, high = np.minimum(low, -0.3 * pads), np.maximum(high, 0.3 * pads)
    names = tuple("intercept" if k == 0 else f"β of {picture.dictionary.names[k - 1]}" for k in both)
    (left, bottom), (right, top) = low.tolist(), high.tolist()
    return Extent(left, right, bottom, top, False, (names[0], names[1]))


@dataclass(slots=True)
class TradeOff:
    """bias², variance and their sum with the noise, growing from frame to frame. A working object of one run."""

    handle: str
    current: float | None
    noise: float  # σ²
    floor: float
    at: list[float] = field(default_factory=list)
    rows: list[tuple[float, float]] = field(default_factory=list)
    formula: list[tuple[float, float]] = field(default_factory=list)

    def add(self, at: float, parts: tuple[float, float], formula: tuple[float, float] | None) -> None:
        """One more place: bias² and variance as measured and, where there is one, by the formula."""
        self.at.append(at)
        self.rows.append(parts)
        self.formula += [formula] if formula is not None else []

    @property
    def best(self) -> float:
        """Where bias² + variance is least."""
        return self.at[int(np.argmin([sum(row) for row in self.rows]))]

    def marks(self) -> tuple[Mark, ...]:
        """The parts and the whole."""
        at, dots = np.array(self.at), self.handle == "degree"
        bias, variance = np.maximum(np.array(self.rows).T, self.floor)
        whole = np.array([sum(row) for row in self.rows]) + self.noise
        if self.formula:
            exact = np.maximum(np.array(self.formula).T, self.floor)
            quiet = [Curve(at, row, "both by the formula", quiet=True) for row in exact]
        else:
            quiet = []
        marks: list[Mark] = [
            *quiet,
            Curve(at, bias, "bias²", dots=dots),
            Curve(at, variance, "variance", dots=dots),
            Curve(at, np.maximum(whole, self.floor), "bias² + variance + σ²", dots=dots),
            ReferenceLine(max(self.noise, self.floor), "noise σ²", axis="y"),
        ]
        if self.current is not None:
            word = "λ" if self.handle == "lam" else self.handle
            marks.append(ReferenceLine(self.current, f"{word} = {self.current:.3g}", handle=self.handle))
        return tuple(marks)
