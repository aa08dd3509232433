"""Iteratively reweighted least squares, as far as it is to be seen, and the corner at its end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from algorithms.data import Array
from algorithms.maths.linear_fits import reweighted, through_points
from algorithms.maths.linear_model import LinearModel
from algorithms.maths.linear_problem import LinearProblem
from algorithms.maths.losses import Loss
from algorithms.maths.penalties import Penalty

_FIRST = 15
"""Weighted fits are shown one by one only at the beginning."""


class Price(Protocol):
    """The parameters that say what coefficients cost."""

    @property
    def penalty(self) -> Literal["none", "ridge", "lasso"]: ...


def penalty_of(price: Price, lam: float) -> Penalty:
    """The penalty with the strength λ."""
    if price.penalty == "none":
        return Penalty()
    return Penalty.elastic(lam, 1.0 if price.penalty == "lasso" else 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """A weighted fit that is to be seen."""

    number: int
    model: LinearModel
    weights: Array  # (n,) those of its residuals, for the next fit
    moved: float  # the largest change of a fitted value since the fit before, by the size of the targets


def reweighting(
    problem: LinearProblem, penalty: Penalty, loss: Loss, start: LinearModel | None, tol: float, most: int
) -> Iterator[Step]:
    """Weighted fits until nothing moves by more than ``tol``; later ones are given in ever larger steps."""
    columns, y = problem.columns, problem.y
    before, scale = np.full(len(y), np.inf), max(float(np.abs(y).max()), np.finfo(float).tiny)
    steps = reweighted(columns, y, problem.centred, penalty, loss, problem.raw_start(start))
    next_shown = 1
    for number, (intercept, beta, weights) in enumerate(steps, start=1):
        fitted = intercept + columns @ beta
        moved = float(np.abs(fitted - before).max()) / scale
        before = fitted
        ended = moved <= tol or number >= most
        if ended or number >= next_shown:
            next_shown = number + _stride(number)
            yield Step(number, problem.model(intercept, beta), weights, moved)
        if ended:
            return


def _stride(number: int) -> int:
    return 1 if number <= _FIRST else 2 ** min((number - _FIRST) // 3 + 1, 10)


def corner_of(problem: LinearProblem, loss: Loss, model: LinearModel) -> LinearModel:
    """The curve through the points that are nearest to a fit, where that costs no more."""
    raw = problem.raw_start(model)
    assert raw is not None
    return problem.model(*through_points(problem.columns, problem.y, problem.centred, loss, *raw))
