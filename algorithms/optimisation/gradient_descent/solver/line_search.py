"""How far to go along a direction p of a surface: to the lowest place, or as far as f falls enough.

    exact search     the first η > 0 with (d/dη) f(θ + η p) = 0;  on a quadratic η = -gᵀp / pᵀHp
    backtracking     η, η/2, η/4 ... until f(θ + η p) ≤ f(θ) + c η gᵀp  (Armijo)

Reference: Methods for Data Science §2.4; Boyd and Vandenberghe, Convex Optimization, section 9.2.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from algorithms.data import Array
from algorithms.optimisation.gradient_descent.solver.surfaces import Surface

SMALLEST_LENGTH = 1e-20
"""Backtracking that has halved down to this has met rounding, not a slope."""


def exact_length(surface: Surface, at: Array, direction: Array) -> float:
    """The η with the least f(at + η direction), or the first such; very large where the way down has no end."""

    def slope(length: float) -> float:
        return float(surface.slope((at + length * direction)[None])[0] @ direction)

    def bend(length: float) -> float:
        return float(direction @ surface.curvature((at + length * direction)[None])[0] @ direction)

    size = float(np.linalg.norm(direction))
    if size == 0:
        return 0.0
    if surface.quadratic:
        return -slope(0.0) / bend(0.0) if bend(0.0) > 0 else 1e6 * surface.span / size
    low, high = 0.0, 1e-3 * surface.span / size
    while slope(high) < 0:
        low, high = high, 2.0 * high
        if high * size > 1e6 * surface.span:
            return high
    return _root(lambda length: (slope(length), bend(length)), low, high, 1e-13 * abs(slope(0.0)))


def _root(function: Callable[[float], tuple[float, float]], low: float, high: float, small: float) -> float:
    """Where an increasing function vanishes between two places: Newton's method for roots, with halving as a guard.

    ``function`` gives its value and its derivative; it is negative at ``low`` and positive at ``high``.
    """
    x = high
    for _ in range(100):
        value, derivative = function(x)
        if value < 0:
            low = x
        else:
            high = x
        if abs(value) <= small or high - low <= 1e-15 * high:
            break
        x = x - value / derivative if derivative > 0 else low
        if not low < x < high:
            x = 0.5 * (low + high)
    return x


def backtrack(
    surface: Surface,
    at: Array,
    direction: Array,
    gradient: Array,
    first: float,
    fraction: float,
    height: float | None = None,
) -> tuple[tuple[float, ...], float]:
    """The lengths first, first/2, first/4 ... down to the first that lowers f enough (Armijo), and f at the last.

    Enough is ``fraction`` of what the slope promises: f(at + η p) ≤ f(at) + fraction η gᵀp. ``height`` is f(at), where
    that is known. Where nothing is enough the last length is 0.
    """
    if height is None:
        height = float(surface.height(at[None])[0])
    promise = fraction * float(gradient @ direction)
    trials = [first]
    while trials[-1] > SMALLEST_LENGTH:
        length = trials[-1]
        there = float(surface.height((at + length * direction)[None])[0])
        if there <= height + length * promise:
            return tuple(trials), there
        trials.append(0.5 * length)
    return (*trials[:-1], 0.0), height
