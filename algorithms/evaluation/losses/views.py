"""The pictures of losses: risks over the constant, losses and slopes over the residual, margins, and convergence."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Views
from algorithms.data import Array
from algorithms.evaluation.losses import solver
from algorithms.marks import Bundle, Centres, Curve, Dots, Mark, ReferenceLine, Scatter
from algorithms.maths.maps import evenly
from algorithms.maths.words import number

if TYPE_CHECKING:
    from algorithms.evaluation.losses import Given, Model, Shot

MOST_DOTS = 300
REACH = 3.0
"""Margins from minus this to this are shown."""
MOST = 8.0
"""The exponential loss of a margin is shown up to this."""


def views(shot: Shot) -> Views:
    """The marks of every panel."""
    return {
        "constants": _constants(shot.given, shot.model),
        "losses": _over_residuals(shot.model, solver.cost),
        "slopes": _over_residuals(shot.model, solver.slope),
        "margins": _margins(),
        "convergence": _convergence(shot.given, shot.shown.draws, shot.metrics["risk"]),
    }


def _constants(given: Given, model: Model) -> tuple[Mark, ...]:
    """The risk of every constant, each loss by its largest value here, and where it is least."""
    at = given.at
    marks: list[Mark] = []
    for kind, risks in zip(solver.RESIDUAL, given.risks):
        top = float(risks.max()) or 1.0
        seen = at <= model.constant if not model.constants else np.ones(len(at), dtype=bool)
        line = seen & _on_line(kind, risks)
        marks.append(Curve(at[line], risks[line] / top, kind))
        if kind == "zero-one" and not line[seen].all():
            marks.append(Dots(np.column_stack([at, risks])[seen & ~line][:MOST_DOTS], "zero-one at a number"))
        best = model.constants.get(kind)
        if best is not None:
            least = solver.risk(kind, model.numbers, np.array([best]), model.delta, model.tau)[0]
            marks.append(Dots(np.array([[best, least / top]]), "least" if kind == model.loss else "", known=True))
    heights = np.zeros(len(model.numbers))
    on_axis = np.column_stack([model.numbers, heights])
    marks.append(ReferenceLine(model.constant, f"c = {number(model.constant)}"))
    marks.append(Scatter(on_axis) if given.from_points else Centres(on_axis, handle="numbers", name="number"))
    return tuple(marks)


def _on_line(kind: str, values: Array) -> Array:
    """Where a line is drawn: the zero-one loss is lower at single places, which a line would turn into notches."""
    return values == values.max() if kind == "zero-one" else np.ones(len(values), dtype=bool)


def _over_residuals(model: Model, function: Callable[[str, Array, float, float], Array]) -> tuple[Mark, ...]:
    """Every loss (or its slope) over the residual, and the residuals of all numbers on that which is chosen."""
    residuals = model.numbers - model.constant
    reach = 1.1 * max(float(np.ptp(model.numbers)), model.delta, 1.0)
    at = np.linspace(-reach, reach, solver.PLACES)
    top = max(float(np.abs(function(model.loss, at, model.delta, model.tau)).max()), 1.0)
    curves: list[Mark] = []
    for kind in solver.RESIDUAL:  # always in this order, so that each has one colour everywhere
        values = function(kind, at, model.delta, model.tau)
        inside = (np.abs(values) <= top) & _on_line(kind, values)
        curves.append(Curve(at[inside], values[inside], kind))
        if kind == "zero-one" and function is solver.cost:
            curves.append(Dots(np.zeros((1, 2)), "zero-one at 0"))
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
    jump = np.array([-REACH, 0.0, 0.0, REACH])
    marks: list[Mark] = [Curve(jump, np.array([1.0, 1.0, 0.0, 0.0]), solver.MARGIN[0])]
    for kind in solver.MARGIN[1:]:
        values = solver.margin_cost(kind, at)
        inside = values <= MOST
        marks.append(Curve(at[inside], values[inside], kind, quiet=kind == "linear"))
    return tuple(marks)


def _convergence(given: Given, count: int, risk: float) -> tuple[Mark, ...]:
    """The mean loss of the numbers drawn so far, path by path, within two standard errors of the risk."""
    if not count:
        return ()
    draws = np.arange(1.0, count + 1.0)
    some = np.unique(np.rint(np.geomspace(1, count, min(count, solver.PLACES))).astype(int)) - 1
    error, level = 2.0 * given.deviation / np.sqrt(draws[some]), np.full(len(some), risk)
    return (
        Bundle(draws[some], given.means[:, some], "empirical risk"),
        Curve(draws[some], level, "risk, ± 2 standard errors", low=level - error, high=level + error),
    )
