"""Coordinate descent, step by step, and the comparison of valleys where there are several."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from algorithms.data import Array
from algorithms.interrupt import checkpoint
from algorithms.maths.coordinate_descent import CoordinateDescent
from algorithms.maths.design import Design
from algorithms.maths.penalties import Penalty
from algorithms.maths.power_penalty import PowerDescent, valleys

_FIRST_SWEEPS = 15
"""Sweeps are shown one by one only at the beginning."""
_SLOW = 100
"""A descent that needs more sweeps than this is finished by an exact step."""


class Price(Protocol):
    """The parameters that say what coefficients cost."""

    @property
    def penalty(self) -> Literal["lasso", "elastic net", "power"]: ...
    @property
    def mix(self) -> float: ...
    @property
    def q(self) -> float: ...


def penalty_of(price: Price, lam: float) -> Penalty:
    """The penalty with the strength λ."""
    if price.penalty == "power":
        return Penalty.power(lam, price.q)
    return Penalty.elastic(lam, price.mix if price.penalty == "elastic net" else 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """What a step has done to the scaled coefficients, and how far the optimality conditions are violated."""

    kind: Literal["coordinate", "sweep", "finish"] = "sweep"
    violation: float = 0.0
    sweeps: int = 0
    j: int = -1  # the coefficient that was improved
    correlation: float = 0.0  # of its column with the residual
    threshold: float = 0.0  # below which it stays 0
    old: float = 0.0  # the coefficient before and after
    new: float = 0.0


def descend(
    design: Design, penalty: Penalty, b: Array, tol: float, most: int, one_by_one: bool
) -> Iterator[tuple[Array, Step]]:
    """Improve one coefficient after the other until no condition is violated by more than ``tol``.

    The first sweep is given coefficient by coefficient if ``one_by_one``, later ones in ever larger steps. After a
    hundred of them, or after one where the penalty has no corners, an exact step follows; its violation, or that after
    ``most`` sweeps, is the last.
    """
    descent = PowerDescent.of(design, penalty) if penalty.lq else CoordinateDescent.of(design, penalty)
    scale = max(2.0 * float(np.sqrt(design.y @ design.y)), np.finfo(float).tiny)
    violation, sweeps, shown = np.inf, int(one_by_one), 1
    for j in range(len(b) if one_by_one else 0):
        b, correlation, threshold = descent.step(b, j)
        violation = descent.violation(b) / scale if j == len(b) - 1 else np.inf
        yield b, Step("coordinate", violation, 1, j, correlation, threshold)
    slow = 1 if penalty.closed else _SLOW
    while violation > tol and sweeps < most and len(b):
        if sweeps >= slow:
            b = descent.finish(b)
            yield b, Step("finish", descent.violation(b) / scale, sweeps)
            return
        for _ in range(min(_stride(shown), most - sweeps)):
            checkpoint()
            b = descent.sweep(b)
            sweeps += 1
        shown += 1
        violation = descent.violation(b) / scale
        yield b, Step("sweep", violation, sweeps)


def _stride(shown: int) -> int:
    """Sweeps until the next frame: slow descents are shown in ever larger steps."""
    return 1 if shown <= _FIRST_SWEEPS else 2 ** min((shown - _FIRST_SWEEPS) // 3 + 1, 10)


@dataclass(frozen=True, slots=True, eq=False)
class Valley:
    """The lowest place that was found, and among how many different ones."""

    b: Array
    count: int
    moved: bool  # it is another one than that in which the descent had ended


def lowest_valley(design: Design, penalty: Penalty, b: Array) -> Valley:
    """For q < 1: the lowest of the valleys that a few other starts end in."""
    descent = PowerDescent.of(design, penalty)
    here = descent.objective(b)
    found = valleys(descent.H, descent.c, descent.prices, descent.q)
    heights = {here, *(height for height, _ in found if abs(height - here) > 1e-6 * abs(here))}
    least, best = min(found, key=lambda one: one[0])
    moved = least < here - 1e-9 * abs(here)
    return Valley(best if moved else b, len(heights), moved)
