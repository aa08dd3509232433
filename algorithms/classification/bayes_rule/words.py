"""Captions of Bayes' rule, its formulae and what to try."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Try
from algorithms.maths.words import counted, number

if TYPE_CHECKING:
    from algorithms.classification.bayes_rule import Shot


def _densities(shot: Shot) -> str:
    problem = shot.model.problem
    one, two = problem.densities
    return (
        f"Class 1 has the prior {number(problem.priors[0])} and the mean {number(one.mean)}, class 2 the prior "
        f"{number(problem.priors[1])} and the mean {number(two.mean)}: each density is weighed with its prior."
    )


def _posterior(shot: Shot) -> str:
    problem, t = shot.model.problem, shot.given.threshold
    one, two = problem.weighted(np.array([t]))[:, 0]
    found = problem.posteriors(np.array([t]))[0, 0]
    evidence = f"{number(one)} / ({number(one)} + {number(two)})"
    return f"At x = {number(t)} class 1 has the posterior {evidence} = {number(found)}: its part of the evidence."


def _errors(shot: Shot) -> str:
    given = shot.given
    table = shot.model.problem.table(given.threshold)
    return (
        f"With the threshold {number(given.threshold)} a point is of class 1 and called 2 with probability "
        f"{number(table[0, 1])}, of class 2 and called 1 with {number(table[1, 0])}; with the costs the risk is "
        f"{number(given.risk)}."
    )


def _sweep(shot: Shot) -> str:
    model = shot.model
    return f"With the threshold at {number(model.threshold)} the risk is {number(model.risk)}; the curve grows."


def _optimum(shot: Shot) -> str:
    model = shot.model
    at_crossing = bool(np.isclose(model.crossings, model.threshold).any())
    where = f"the crossing {number(model.threshold)}" if at_crossing else "an end of the axis: always the same class"
    text = f"The risk is least at {where}, {number(model.risk)}; yours is {number(shot.given.risk)}"
    if model.risk - model.bayes_risk > 1e-9:
        count = counted(len(model.crossings), "point")
        return f"{text}. The best rule changes its mind at {count} and has the risk {number(model.bayes_risk)}."
    return f"{text}, and no rule of any kind is better."


def _sample(shot: Shot) -> str:
    return (
        f"{counted(shot.model.drawn, 'point')} drawn: the empirical risk of your threshold is "
        f"{number(shot.metrics['empirical'])} ± {number(shot.shown.standard_error)}, its true risk "
        f"{number(shot.given.risk)}."
    )


CAPTIONS = {
    "densities": _densities,
    "posterior": _posterior,
    "errors": _errors,
    "sweep": _sweep,
    "optimum": _optimum,
    "sample": _sample,
}
FORMULAS = (
    r"P(k \mid x) = \frac{p(x \mid k)\, P(k)}{\sum_j p(x \mid j)\, P(j)}",
    r"R(t) = \sum_k P(k) \left( L_{k1}\, F_k(t) + L_{k2}\, (1 - F_k(t)) \right)",
    r"(L_{21} - L_{22})\, p(x \mid 2)\, P(2) > (L_{12} - L_{11})\, p(x \mid 1)\, P(1) \;\Rightarrow\; "
    r"\text{decide } 2",
    r"\text{Bayes error} = \Phi\left( -\frac{d}{2s} \right)",
)
TRIES = (
    Try("A rare class 2: the best threshold moves towards it, and it is missed more often.", params={"prior": 0.9}),
    Try(
        "To miss class 2 costs ten times as much: the threshold moves away from it.",
        params={"costs": ((0.0, 1.0), (10.0, 0.0))},
    ),
    Try(
        "A wide class around a narrow one: the densities cross twice, and no single threshold is best.",
        params={"mean_1": 0.0, "deviation_1": 0.7, "mean_2": 0.5, "deviation_2": 2.5},
    ),
)
