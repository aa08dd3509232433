"""The primal problem of the soft margin: its objective, its subgradient, two ways down, and the exact optimum.

Everything happens seen from the mean and in units of the data's reach s, in which the price is C s²: the line is the
same, the objective s² times as large, and one rate serves all data.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from operator import mul
from typing import Literal

import numpy as np

from algorithms.data import Array, DataError, Points
from algorithms.maths.distances import refuse_extremes
from algorithms.maths.kernels import Linear
from algorithms.maths.smo import Problem as Dual
from algorithms.maths.smo_rules import solve

Slack = Literal["linear", "squared"]
_LARGEST = 1e40
_WORK = 200_000_000
"""Kernel values that the exact optimum may take; beyond it is only bounded from below."""
_FEW = 64
"""Up to so many numbers in a step of Pegasos, plain ones are quicker than arrays: seven times with four points."""


@dataclass(frozen=True, slots=True, eq=False)
class Primal:
    """½|w|² + C Σ ξ (or C/2 Σ ξ²), ξ_i = max(0, 1 - y_i (w·x_i + b)), in the inner units."""

    X: Array  # (n, d)
    y: Array  # (n,) -1.0 or 1.0
    C: float
    slack: Slack
    middle: Array  # (d,)
    reach: float

    @classmethod
    def of(cls, data: Points, C: float, slack: Slack) -> Primal:
        y = data.two_sides("The soft margin")
        refuse_extremes(data.X)
        middle = data.X.mean(axis=0)
        centred = data.X - middle
        reach = float(np.sqrt(np.square(centred).sum(axis=1).mean())) or 1.0
        if not 1.0 / _LARGEST < reach < _LARGEST:
            raise DataError(f"The points spread over {reach:.3g}; multiply the features by a constant first.")
        return cls(centred / reach, y, C * reach * reach, slack, middle, reach)

    @property
    def shrink(self) -> float:
        """λ = 1 / (n C): J / (n C) = λ/2 |w|² + the mean loss."""
        return 1.0 / (len(self.y) * self.C)

    def slacks(self, w: Array, b: float) -> Array:
        """ξ of all points."""
        return np.asarray(np.maximum(1.0 - self.y * (self.X @ w + b), 0.0))

    def objective(self, w: Array, b: float) -> float:
        """J in the units of the data."""
        slacks = self.slacks(w, b)
        loss = self.C * float(slacks.sum()) if self.slack == "linear" else 0.5 * self.C * float(slacks @ slacks)
        return (0.5 * float(w @ w) + loss) / self.reach**2

    def pull(self, w: Array, b: float, some: Array | slice) -> tuple[Array, float]:
        """Minus the slopes of the mean loss: means of y x and of y over the points with slack (times ξ if squared)."""
        X, y = self.X[some], self.y[some]
        slacks = np.maximum(1.0 - y * (X @ w + b), 0.0)
        pays = y * (slacks if self.slack == "squared" else slacks > 0.0)
        return np.asarray(pays @ X / len(pays)), float(np.add.reduce(pays) / len(pays))


def subgradient_step(primal: Primal, w: Array, b: float, rate: float, t: int) -> tuple[Array, float]:
    """Against a slope of J / (n C) over all points, by rate / √t."""
    pull, pull_b = primal.pull(w, b, slice(None))
    eta = rate / np.sqrt(t)
    keep = 1.0 / (1.0 + eta * primal.shrink)  # the quadratic part is stepped implicitly: it cannot overshoot
    return keep * (w + eta * pull), b + eta * pull_b


def pegasos_step(primal: Primal, w: Array, b: float, rate: float, t: int, some: Array) -> tuple[Array, float]:
    """Against the slope of few points, by rate / (λ t), and back into the ball that must hold the optimum.

    The bias has no penalty that would keep it, so its steps are never longer than rate / √t.
    """
    pull, pull_b = primal.pull(w, b, some)
    eta = rate / (primal.shrink * t)
    shrunk = min(eta * primal.shrink, 1.0)
    w = (1.0 - shrunk) * w + eta * pull
    radius, length = 1.0 / math.sqrt(primal.shrink), math.sqrt(float(w @ w))
    return w * min(1.0, radius / length) if length > 0.0 else w, b + min(eta, rate / math.sqrt(t)) * pull_b


def pegasos_steps(primal: Primal, w: Array, b: float, rate: float, t: int, asked: Array) -> tuple[Array, float]:
    """As many steps as ``asked`` (steps, batch) has rows, the first of them number ``t``."""
    if asked.shape[1] * len(w) > _FEW:
        for number, some in enumerate(asked, t):
            w, b = pegasos_step(primal, w, b, rate, number, some)
        return w, b
    squared, shrink, weights = primal.slack == "squared", primal.shrink, w.tolist()
    for number, X, y in zip(range(t, t + len(asked)), primal.X[asked].tolist(), primal.y[asked].tolist(), strict=True):
        pull, pull_b = [0.0] * len(weights), 0.0
        for x, side in zip(X, y, strict=True):
            slack = 1.0 - side * (sum(map(mul, weights, x)) + b)
            if slack > 0.0:
                pays = side * slack if squared else side
                pull, pull_b = [p + pays * v for p, v in zip(pull, x, strict=True)], pull_b + pays
        eta = rate / (shrink * number)
        keep, step = 1.0 - min(eta * shrink, 1.0), eta / len(y)
        weights = [keep * v + step * p for v, p in zip(weights, pull, strict=True)]
        length = math.sqrt(sum(map(mul, weights, weights)))
        if length * math.sqrt(shrink) > 1.0:
            weights = [v / (length * math.sqrt(shrink)) for v in weights]
        b += min(eta, rate / math.sqrt(number)) * pull_b / len(y)
    return np.array(weights), b


@dataclass(frozen=True, slots=True, eq=False)
class Optimum:
    """The optimum in the inner units, and a lower bound of J."""

    w: Array
    b: float
    bound: float  # the dual objective, in the units of the data
    exact: bool


def exact(primal: Primal) -> Optimum:
    """By pairs of the dual problem; the dual value bounds the primal one from below."""
    n = len(primal.y)
    problem = Dual(primal.X, np.arange(n), primal.y, Linear(), primal.C, primal.slack)
    standing = solve(problem, 1e-5, min(20_000, max(_WORK // n, 200)))
    w = (problem.alpha * primal.y) @ primal.X
    return Optimum(w, standing.bias, standing.dual / primal.reach**2, standing.certified(1e-4))
