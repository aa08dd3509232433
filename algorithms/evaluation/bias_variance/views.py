"""The pictures of redrawn noise: the fan of curves, the cloud of estimates, and bias² and variance as curves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Views
from algorithms.data import Array
from algorithms.evaluation.bias_variance.solver.game import Cloud, TradeOff
from algorithms.marks import Bundle, Curve, Dots, Extent, Mark, ReferenceLine
from algorithms.maths.regression_marks import grid_of, surface_shading
from algorithms.maths.words import number

if TYPE_CHECKING:
    from algorithms.evaluation.bias_variance import Shot

MOST_CURVES = 60
MOST_TARGETS = 300
_CIRCLE = np.linspace(0.0, 2.0 * np.pi, 121)
_MASS95 = 5.991464547107979  # of chi-squared with two degrees of freedom


def views(shot: Shot) -> Views:
    """All views of a frame; the plane has the fits of the degree, or of the number, that the caption is about."""
    given, shown = shot.given, shot.shown
    plane = _fan(shot) if given.data.d == 1 else surface_shading(given.data, given.y)
    found = {trade.panel: _trade_off(trade) for trade in shown.trades} | {"plane": plane}
    if shown.cloud is not None and given.extent is not None:
        found["cloud"] = _cloud(given.extent, shown.cloud)
    return found


def _fan(shot: Shot) -> tuple[Mark, ...]:
    """The curves of all redraws over one feature, their mean and the truth."""
    data, truth, target = shot.given.data, shot.given.truth, shot.shown.target
    grid = grid_of(data)[::3]
    x, true = grid[:, 0], truth.at(grid)
    known = np.isfinite(true) & (np.abs(true) < 1e100)  # a formula need not be a number beyond the points
    curve = Curve(x[known], true[known], "the truth")
    if shot.phase == "truth":
        return (curve,)
    values = shot.model.fits(grid)  # (k, m)
    fan = Bundle(x, values[-MOST_CURVES:], "fits to redrawn noise")
    marks: tuple[Mark, ...] = (fan, curve, Curve(x, values.mean(axis=0), "mean of the fits"))
    if target is None or len(target) > MOST_TARGETS:
        return marks
    return (*marks, Dots(np.column_stack([data.X[:, 0], target]), "targets drawn anew"))


def _cloud(where: tuple[tuple[str, str], Array, Array], cloud: Cloud) -> tuple[Mark, ...]:
    """The estimates of two coefficients, their mean, the ellipse that should hold 95 % of them, and the truth."""
    names, truth, reach = where
    middle = cloud.at.mean(axis=0)
    marks: list[Mark] = [
        _extent(names, truth, reach, cloud.priced),
        ReferenceLine(0.0),
        ReferenceLine(0.0, axis="y"),
        Dots(cloud.at, "estimates", 0),
    ]
    if cloud.ellipse is not None:
        ring = ellipse(*cloud.ellipse)
        marks.append(Curve(ring[:, 0], ring[:, 1], "95 % by the formula"))
    elif len(cloud.at) >= 10:
        ring = ellipse(middle, np.cov(cloud.at.T))
        marks.append(Curve(ring[:, 0], ring[:, 1], "95 % of a Gaussian like the cloud"))
    marks.append(Dots(truth[None, :], "truth", known=True))
    marks.append(Curve(middle[:1], middle[1:], "mean of the estimates", dots=True))
    return tuple(marks)


def ellipse(mean: Array, covariance: Array) -> Array:
    """Where a Gaussian has 95 % inside: (m, 2)."""
    values, axes = np.linalg.eigh(covariance)
    radii = np.sqrt(np.maximum(values, 0.0) * _MASS95)
    return np.asarray(mean + np.column_stack([np.cos(_CIRCLE), np.sin(_CIRCLE)]) * radii @ axes.T)


def _extent(names: tuple[str, str], truth: Array, reach: Array, priced: bool) -> Extent:
    """The truth, the estimates and, where a penalty pulls towards it, the origin; the same in all frames of a run."""
    reach = np.maximum(reach, 1e-9 * max(float(np.abs(truth).max()), 1e-300))
    low, high = truth - reach, truth + reach
    if priced:
        low, high = np.minimum(low, -0.3 * reach), np.maximum(high, 0.3 * reach)
    (left, bottom), (right, top) = low.tolist(), high.tolist()
    return Extent(left, right, bottom, top, False, names)


def _trade_off(trade: TradeOff) -> tuple[Mark, ...]:
    """bias², variance and the whole over the number that is varied."""
    at, dots, floor = np.array(list(trade.parts)), trade.name != "lam", trade.floor
    both = np.array(list(trade.parts.values()))
    bias, variance = np.maximum(both.T, floor)
    exact = np.maximum(np.array(trade.formula).T, floor) if trade.formula else ()
    marks: list[Mark] = [
        *(Curve(at, row, "both by the formula", quiet=True) for row in exact),
        Curve(at, bias, "bias²", dots=dots),
        Curve(at, variance, "variance", dots=dots),
        Curve(at, np.maximum(both.sum(axis=1) + trade.noise, floor), "bias² + variance + σ²", dots=dots),
        ReferenceLine(max(trade.noise, floor), "noise σ²", axis="y"),
    ]
    if trade.current is not None:
        name = f"{'λ' if trade.name == 'lam' else trade.name} = {number(trade.current)}"
        marks.append(ReferenceLine(trade.current, name, handle=f"method.{trade.name}"))
    return tuple(marks)
