"""Captions of Bayes' rule, its formulae and what to try."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Try
from algorithms.maths.words import counted, number

if TYPE_CHECKING:
    from algorithms.classification.bayes_rule import Shot
    from algorithms.played import Played


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
    return f"At x = {number(t)} class 1 has the posterior {evidence} = {number(found)}: its share of the evidence."


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
    return f"With the threshold at {number(model.threshold)} the risk is {number(model.risk)}."


def _optimum(shot: Shot) -> str:
    model = shot.model
    at_crossing = bool(np.isclose(model.crossings, model.threshold).any())
    where = f"at the crossing {number(model.threshold)}" if at_crossing else "where always the same class is decided"
    text = f"The risk is least {where}: {number(model.risk)}. Your threshold has the risk {number(shot.given.risk)}"
    if model.risk - model.bayes_risk > 1e-9:
        places = counted(len(model.crossings), "place")
        return f"{text}. The best rule changes its decision at {places} and has the risk {number(model.bayes_risk)}."
    return f"{text}. No rule of any kind has a smaller risk than the best threshold."


def _sample(shot: Shot) -> str:
    mean, error = number(shot.metrics["empirical"]), shot.shown.standard_error
    if shot.model.drawn == 1:
        text = f"1 point drawn: your threshold costs {mean} there"
    elif error == 0.0:
        text = f"{counted(shot.model.drawn, 'point')} drawn: your threshold costs {mean} at each of them"
    else:
        text = (
            f"{counted(shot.model.drawn, 'point')} drawn: the empirical risk of your threshold is {mean} with a "
            f"standard error of {number(error)}"
        )
    return f"{text}; its true risk is {number(shot.given.risk)}."


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


def _missed(played: Played) -> float:
    """How much of class 2 the best threshold calls 1."""
    joint = played.model.problem.table(played.model.threshold)[1]
    return float(joint[0] / joint.sum())


TRIES = (
    Try(
        "A rare class 2: the best threshold moves towards its mean, and more of its points are missed.",
        params={"prior": 0.9},
        shows=lambda played: (
            played.but(prior=0.5).model.threshold + 1.0 < played.model.threshold < played.params.mean_2 + 0.1
            and _missed(played) > 3.0 * _missed(played.but(prior=0.5))
        ),
    ),
    Try(
        "To miss class 2 costs ten times as much: the best threshold moves away from its mean, and fewer are missed.",
        params={"costs": ((0.0, 1.0), (10.0, 0.0))},
        shows=lambda played: (
            played.model.threshold < played.but(costs=((0.0, 1.0), (1.0, 0.0))).model.threshold - 1.0
            and _missed(played) < 0.02
        ),
    ),
    Try(
        "A wide class around a narrow one: the densities cross twice, and no single threshold has the least risk.",
        params={"mean_1": 0.0, "deviation_1": 0.7, "mean_2": 0.5, "deviation_2": 2.5},
        shows=lambda played: len(played.model.crossings) == 2 and played.model.risk > played.model.bayes_risk + 0.05,
    ),
)
