"""The pictures of Bayes' rule: densities with their errors, posteriors, the risk, and its estimate."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from algorithms.classification.bayes_rule.solver import SEEN, Problem
from algorithms.contract import Views
from algorithms.data import Array
from algorithms.marks import Curve, Dots, Mark, Polygons, ReferenceLine, Table

if TYPE_CHECKING:
    from algorithms.classification.bayes_rule import Shot

PLACES = 401


def views(shot: Shot) -> Views:
    """Every panel; what has not been spoken of yet is not drawn."""
    phase, problem = shot.phase, shot.model.problem
    low, high = problem.ends(SEEN)
    x = np.unique(np.concatenate([np.linspace(low, high, PLACES), _jumps(problem)]))
    return {
        "densities": _densities(shot, x),
        "posterior": () if phase == "densities" else _posterior(problem, shot.given.threshold, x),
        "risk": () if phase in ("densities", "posterior") else _risk(shot, x),
        "table": () if phase in ("densities", "posterior") else (_table(problem, shot.model.threshold),),
        "empirical": _empirical(shot) if phase == "sample" else (),
    }


def _jumps(problem: Problem) -> Array:
    """Just before and after the ends of uniform densities, which would be slopes otherwise."""
    edges = [one.mean + side * math.sqrt(3.0) * one.deviation for one in problem.densities for side in (-1.0, 1.0)]
    return np.array([np.nextafter(edge, edge + side) for edge in edges for side in (-1.0, 1.0)])


def _densities(shot: Shot, x: Array) -> tuple[Mark, ...]:
    phase, model, chosen = shot.phase, shot.model, shot.given.threshold
    problem = model.problem
    joint = problem.weighted(x)
    marks: list[Mark] = [Curve(x, joint[0], "p(x | 1) P(1)"), Curve(x, joint[1], "p(x | 2) P(2)")]
    if phase in ("densities", "posterior"):
        return (*marks, ReferenceLine(chosen, "threshold", handle="threshold"))  # short: the plot is small
    t = model.threshold if phase in ("sweep", "optimum") else chosen
    wrong = [_area(x, joint[k], t, above=k == problem.below) for k in range(2)]
    kept = [k for k in range(2) if len(wrong[k]) > 2]
    marks.append(Polygons(tuple(wrong[k] for k in kept), groups=np.array(kept), filled=True, name="errors"))
    marks.append(ReferenceLine(chosen, "your threshold", handle="threshold"))
    if phase in ("sweep", "optimum"):
        marks.append(ReferenceLine(t, "threshold" if phase == "sweep" else "best threshold"))
    if phase in ("optimum", "sample") and len(model.crossings):
        regret = np.abs(problem.costs[:, 0] - problem.costs[:, 1])
        seen = model.crossings[np.abs(problem.weighted(model.crossings)).max(axis=0) > 1e-4 * joint.max()]
        heights = problem.weighted(seen)[int(regret.argmax())]
        marks.append(Dots(np.column_stack([seen, heights]), "the best decision changes", known=True))
    return tuple(marks)


def _area(x: Array, y: Array, t: float, above: bool) -> Array:
    """The corners of what lies under a curve on one side of t."""
    inside = x > t if above else x < t
    if not inside.any():
        return np.empty((0, 2))
    edge = np.interp(t, x, y)
    x, y = np.append(t, x[inside]), np.append(edge, y[inside])
    if not above:
        x, y = np.roll(x, -1), np.roll(y, -1)
    return np.column_stack([np.concatenate([[x[0]], x, [x[-1]]]), np.concatenate([[0.0], y, [0.0]])])


def _posterior(problem: Problem, chosen: float, x: Array) -> tuple[Mark, ...]:
    posteriors = problem.posteriors(x)
    marks: list[Mark] = [Curve(x, posteriors[0], "P(1 | x)"), Curve(x, posteriors[1], "P(2 | x)")]
    first, second = abs(problem.costs[0, 1] - problem.costs[0, 0]), abs(problem.costs[1, 0] - problem.costs[1, 1])
    if first + second > 0.0:  # decide 2 where P(2 | x) is above this part
        marks.append(ReferenceLine(first / (first + second), "decide 2 above", axis="y"))
    return (*marks, ReferenceLine(chosen, "threshold", handle="threshold"))  # short: the plot is small


def _risk(shot: Shot, x: Array) -> tuple[Mark, ...]:
    phase, model, chosen = shot.phase, shot.model, shot.given.threshold
    problem = model.problem
    marks: list[Mark] = []
    if phase != "errors":
        seen = x[x <= model.swept]
        marks.append(Curve(seen, problem.risk(seen), "risk R(t)"))
    marks.append(Dots(np.array([[chosen, shot.given.risk]]), "your threshold", 1))
    marks.append(ReferenceLine(chosen, "your threshold", handle="threshold"))
    if phase in ("optimum", "sample"):
        low, high = problem.ends(SEEN)  # where one class is always decided, the best place is out of sight
        best = [[min(max(model.threshold, low), high), model.risk]]
        marks.append(Dots(np.array(best), "best threshold", known=True))
        marks.append(ReferenceLine(model.bayes_risk, "risk of the best rule", axis="y"))
    return tuple(marks)


def _table(problem: Problem, t: float) -> Table:
    """How probable each case is, and what it costs."""
    table = problem.table(t)
    texts = tuple(tuple(f"{table[k, j]:.4f} × {problem.costs[k, j]:g}" for j in range(2)) for k in range(2))
    return Table(
        table,
        rows=("is 1", "is 2"),
        columns=("called 1", "called 2"),
        texts=texts,
        row_groups=np.array([0, 1]),
        column_groups=np.array([0, 1]),
    )


def _empirical(shot: Shot) -> tuple[Mark, ...]:
    model, problem, risk = shot.model, shot.model.problem, shot.given.risk
    table = problem.table(shot.given.threshold)
    spread = math.sqrt(max(float((table * np.square(problem.costs)).sum()) - risk * risk, 0.0))
    n = np.geomspace(1.0, max(model.drawn, 2), 80)
    band = 2.0 * spread / np.sqrt(n)
    return (
        Curve(model.empirical[:, 0], model.empirical[:, 1], "empirical risk", dots=True),
        Curve(
            n,
            np.full(len(n), risk),
            "true risk, ± 2 standard errors",
            low=np.maximum(risk - band, 0.0),
            high=risk + band,
        ),
    )
