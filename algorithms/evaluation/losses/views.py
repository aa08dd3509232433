"""The pictures of losses: risks over the constant, losses and slopes over the residual, margins, and convergence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from algorithms.data import Array
from algorithms.evaluation.losses import solver
from algorithms.marks import Bundle, Centres, Curve, Dots, Mark, ReferenceLine, Scatter
from algorithms.maths.maps import evenly
from algorithms.maths.words import number

if TYPE_CHECKING:
    from algorithms.evaluation.losses import Model

MOST_DOTS = 300
REACH = 3.0
"""Margins from minus this to this are shown."""
MOST = 8.0
"""The exponential loss of a margin is shown up to this."""


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """Everything that the frames are made of; a run goes from one to the next with ``dataclasses.replace``."""

    model: Model
    is_of_points: bool
    at: Array  # (m,) constants
    risks: Array  # (losses, m) their risks
    means: Array | None = None  # (paths, draws) the mean loss of the numbers drawn so far
    spread: float = 0.0  # standard deviation of the loss of a number


def views_of(picture: Picture) -> dict[str, tuple[Mark, ...]]:
    """The marks of a picture, made when somebody looks."""
    return {
        "constants": _constants(picture),
        "losses": _over_residuals(picture.model, solver.cost),
        "slopes": _over_residuals(picture.model, solver.slope),
        "margins": _margins(),
        "convergence": _convergence(picture),
    }


def _constants(picture: Picture) -> tuple[Mark, ...]:
    """The risk of every constant, each loss by its largest value here, and where it is least."""
    model = picture.model
    at = picture.at
    marks: list[Mark] = []
    for kind, risks in zip(solver.RESIDUAL, picture.risks):
        top = float(risks.max()) or 1.0
        seen = at <= model.constant if not model.constants else np.ones(len(at), dtype=bool)
        marks.append(Curve(at[seen], risks[seen] / top, kind))
        best = model.constants.get(kind)
        if best is not None:
            least = solver.risk(kind, model.numbers, np.array([best]), model.delta, model.tau)[0]
            marks.append(Dots(np.array([[best, least / top]]), "least" if kind == model.loss else "", known=True))
    heights = np.zeros(len(model.numbers))
    on_axis = np.column_stack([model.numbers, heights])
    marks.append(ReferenceLine(model.constant, f"c = {number(model.constant)}"))
    marks.append(Scatter(on_axis) if picture.is_of_points else Centres(on_axis, handle="numbers", name="number"))
    return tuple(marks)


def _over_residuals(model: Model, function: Callable[[str, Array, float, float], Array]) -> tuple[Mark, ...]:
    """Every loss (or its slope) over the residual, and the residuals of all numbers on that which is chosen."""
    residuals = model.numbers - model.constant
    reach = 1.1 * max(float(np.ptp(model.numbers)), model.delta, 1.0)
    at = np.linspace(-reach, reach, solver.PLACES)
    top = max(float(np.abs(function(model.loss, at, model.delta, model.tau)).max()), 1.0)
    curves: list[Mark] = []
    for kind in solver.RESIDUAL:  # always in this order, so that each has one colour everywhere
        values = function(kind, at, model.delta, model.tau)
        inside = np.abs(values) <= top
        curves.append(Curve(at[inside], values[inside], kind))
    values = function(model.loss, residuals, model.delta, model.tau)
    mean = solver.mean_pull(values)
    word = "risk" if function is solver.cost else "mean pull"
    return (
        *curves,
        Dots(np.column_stack([residuals, values])[evenly(len(values), MOST_DOTS)], "the numbers"),
        ReferenceLine(mean, f"{word} {number(mean)}", axis="y"),
    )


def _margins() -> tuple[Mark, ...]:
    """Losses that fall with the margin of a class."""
    at = np.linspace(-REACH, REACH, solver.PLACES)
    marks: list[Mark] = []
    for kind in solver.MARGIN:
        values = solver.margin_cost(kind, at)
        inside = values <= MOST
        marks.append(Curve(at[inside], values[inside], kind, quiet=kind == "linear"))
    return tuple(marks)


def _convergence(picture: Picture) -> tuple[Mark, ...]:
    """The mean loss of the numbers drawn so far, path by path, within two standard errors of the risk."""
    if picture.means is None:
        return ()
    draws = np.arange(1.0, picture.means.shape[1] + 1.0)
    some = np.unique(np.rint(np.geomspace(1, len(draws), min(len(draws), solver.PLACES))).astype(int)) - 1
    error = 2.0 * picture.spread / np.sqrt(draws[some])
    risk = np.full(len(some), picture.model.risk)
    return (
        Bundle(draws[some], picture.means[:, some], "empirical risk"),
        Curve(draws[some], risk, "risk, ± 2 standard errors", low=risk - error, high=risk + error),
    )
