"""Losses of a residual and of a margin, and the constants that cost least."""

from __future__ import annotations

import numpy as np

from algorithms.data import Array
from algorithms.interrupt import checkpoint
from algorithms.maths.losses import Loss, softplus

RESIDUAL = ("squared", "absolute", "huber", "pinball", "expectile", "zero-one")
"""Losses of a residual r = y - c."""
MARGIN = ("zero-one", "exponential", "logistic", "hinge", "linear")
"""Losses of a margin y f, with the class y = ±1: they fall, because a large margin is good."""
HALVINGS, PLACES = 200, 241


def cost(kind: str, residuals: Array, delta: float, tau: float) -> Array:
    """What each residual costs; Huber's loss is r² within delta, as in robust regression."""
    if kind == "zero-one":
        return (residuals != 0.0).astype(np.float64)
    return Loss(kind, delta, tau).each(residuals)  # type: ignore[arg-type]


def slope(kind: str, residuals: Array, delta: float, tau: float) -> Array:
    """The slope of what each residual costs; 0 at a corner, and nearly everywhere for zero-one."""
    if kind == "zero-one":
        return np.zeros(len(residuals))
    return Loss(kind, delta, tau).slope(residuals)  # type: ignore[arg-type]


def mean_pull(slopes: Array) -> float:
    """The mean of slopes; 0 where they cancel up to rounding."""
    mean = float(slopes.mean())
    return 0.0 if abs(mean) <= 1e-12 * float(np.abs(slopes).max(initial=0.0)) else mean


def risk(kind: str, numbers: Array, at: Array, delta: float, tau: float) -> Array:
    """The empirical risk (m,) of each constant (m,): the mean cost of all numbers."""
    return np.array([_risk(kind, numbers - c, delta, tau) for c in at])


def _risk(kind: str, residuals: Array, delta: float, tau: float) -> float:
    checkpoint()
    return float(cost(kind, residuals, delta, tau).mean())


def places(numbers: Array) -> Array:
    """Constants whose risks are drawn: evenly from end to end, and the numbers themselves where they are few."""
    low, high = float(numbers.min()), float(numbers.max())
    margin = 0.1 * (high - low) or 1.0
    even = np.linspace(low - margin, high + margin, PLACES)
    return np.unique(np.concatenate([even, numbers if len(numbers) <= PLACES else even]))


def margin_cost(kind: str, margins: Array) -> Array:
    """What each margin y f costs; the logistic loss to the base 2, so that it is 1 at 0 like the others."""
    if kind == "exponential":
        return np.exp(-margins)
    if kind == "logistic":
        return softplus(-margins) / np.log(2.0)
    if kind == "hinge":
        return np.maximum(1.0 - margins, 0.0)
    return -margins if kind == "linear" else (margins <= 0.0).astype(np.float64)


def best_constant(kind: str, numbers: Array, delta: float, tau: float) -> float:
    """The constant of least empirical risk; the middle of them where there are many, of several modes the least."""
    ordered = np.sort(numbers)
    if kind == "squared":
        return float(ordered.mean())
    if kind == "zero-one":
        values, counts = np.unique(ordered, return_counts=True)
        return float(values[int(counts.argmax())])
    if kind in ("absolute", "pinball"):
        return _quantile(ordered, 0.5 if kind == "absolute" else tau)
    return _where_slopes_cancel(kind, ordered, delta, tau)


def _quantile(ordered: Array, tau: float) -> float:
    """The middle of all places below which lies the fraction tau of the numbers."""
    place = tau * len(ordered)
    whole = round(place)
    if abs(place - whole) < 1e-9 * len(ordered) and 0 < whole < len(ordered):
        return float(0.5 * ordered[whole - 1] + 0.5 * ordered[whole])
    return float(ordered[min(int(place), len(ordered) - 1)])


def _where_slopes_cancel(kind: str, ordered: Array, delta: float, tau: float) -> float:
    """Halve an interval at whose ends the mean slope has different signs: the slope rises with the constant."""
    ends = []
    for side in (1.0, -1.0):  # the first and the last place where the slopes cancel, nearly always the same
        low, high = float(ordered[0]), float(ordered[-1])
        tiny = 1e-12 * float(np.abs(slope(kind, ordered - low, delta, tau)).mean())
        for _ in range(HALVINGS):
            checkpoint()
            middle = 0.5 * low + 0.5 * high
            if not low < middle < high:
                break
            pull = float(slope(kind, ordered - middle, delta, tau).mean())
            low, high = (middle, high) if pull > side * tiny else (low, middle)
        ends.append(0.5 * low + 0.5 * high)
    return 0.5 * ends[0] + 0.5 * ends[1]
