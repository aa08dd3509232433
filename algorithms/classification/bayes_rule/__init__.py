"""Bayes' rule for two known densities: where to put the threshold, and which error no rule can avoid.

When the densities p(x | k) of both classes and their priors P(k) are known, nothing has to be learned. The posterior
says how probable each class is at x, and the best decision is the one with the smaller expected cost:

    P(k | x) = p(x | k) P(k) / p(x)            p(x) = Σ_k p(x | k) P(k)
    decide 2 where  (L_21 - L_22) p(x | 2) P(2) > (L_12 - L_11) p(x | 1) P(1)        L_kj: the cost of deciding j at k
    R(t) = P(1) (L_11 F_1(t) + L_12 (1 - F_1(t))) + P(2) (L_21 F_2(t) + L_22 (1 - F_2(t)))

R(t) is the risk of the rule "class 2 above t". Its slope vanishes where the weighted densities cross, so a minimum lies
at a crossing. With costs of 0 and 1 the risk is the probability of an error, the two shaded areas together; for two
Gaussians of one deviation s, d apart and equally probable, it cannot be below Φ(-d / 2s). Densities of unequal width
cross twice, and then the best rule is no single threshold.

The true risk is not known in practice: the mean cost of n drawn points, the empirical risk, comes near it as 1/√n.

Reference: Bishop, Pattern Recognition and Machine Learning, section 1.5; Duda, Hart, Stork, Pattern Classification,
section 2.2; Statistical Machine Learning (Orbanz), Risk, Bayes equation, Bayes-optimal classifier (there the evidence
for densities is printed as the integral of p(x | y); it must be that of p(x | y) p(y)).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from algorithms.classification.bayes_rule import words
from algorithms.classification.bayes_rule.solver import SEEN, Problem, Shape
from algorithms.classification.bayes_rule.views import views
from algorithms.contract import Algorithm, Line, Metric, Panel, Question, Run, Snapshot, Stop
from algorithms.data import Array, Nothing
from algorithms.params import Between, Doc, Group, Log, MatrixOf, PointList

SWEEP, BATCHES = 24, 14
"""Frames in which the threshold goes over the axis, and in which points are drawn."""
_CLASS_1, _CLASS_2 = Group("Class 1"), Group("Class 2")


@dataclass(frozen=True, slots=True)
class Params:
    """The two densities, and what a decision costs."""

    density_1: Annotated[Shape, _CLASS_1, Doc("What class 1 looks like.")] = "Gaussian"
    mean_1: Annotated[float, Between(-10.0, 10.0), _CLASS_1, Doc("Where class 1 lies.")] = -1.0
    deviation_1: Annotated[float, Between(0.05, 10.0), _CLASS_1, Doc("How wide it is: the standard deviation.")] = 1.0
    density_2: Annotated[Shape, _CLASS_2, Doc("What class 2 looks like.")] = "Gaussian"
    mean_2: Annotated[float, Between(-10.0, 10.0), _CLASS_2, Doc("Where class 2 lies.")] = 1.0
    deviation_2: Annotated[float, Between(0.05, 10.0), _CLASS_2, Doc("How wide it is: the standard deviation.")] = 1.0
    prior: Annotated[float, Between(0.0, 1.0), Doc("The probability of class 1 before x is seen.")] = 0.5
    costs: Annotated[
        PointList,
        MatrixOf(2, 2),
        Between(0.0, 100.0),
        Doc("What a decision costs: the row is the true class, the column the one that is decided."),
    ] = ((0.0, 1.0), (1.0, 0.0))
    threshold: Annotated[
        float, Between(-30.0, 30.0), Doc("Where you would put it, with the class of the larger mean above; drag it.")
    ] = 1.0
    points: Annotated[int, Between(1, 100_000), Log, Doc("How many points are drawn to estimate the risk.")] = 1000


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A threshold with its risk, beside the best there is; in the end it is the best threshold."""

    threshold: float
    risk: float
    bayes_risk: float  # of the best rule, which may change its mind more than once
    crossings: Array  # (m,) where it does
    problem: Problem
    swept: float  # how far the risk has been worked out
    drawn: int  # points drawn so far
    empirical: Array  # (k, 2) numbers of points, and their mean cost with the threshold that was set


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What stays the same during a run."""

    threshold: float  # that was set
    risk: float  # of this threshold


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """How far the drawn points can be trusted."""

    standard_error: float  # of their mean cost; nan before there are two points


Shot = Snapshot[Given, Model, Shown]


def run(data: Nothing, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run[Shot]:
    """Show the densities, the posterior and the errors of a threshold; the risk of all of them, the best; estimate it.

    The problem is solved in the first lines, exactly: what follows shows the solution step by step.
    """
    problem = Problem.of(params)
    crossings, decided = problem.best_rule()
    low, high = problem.ends(SEEN)
    t = params.threshold
    given = Given(t, float(problem.risk(t)[0]))
    model = Model(t, given.risk, problem.bayes_risk(crossings, decided), crossings, problem, low, 0, np.empty((0, 2)))
    for phase in ("densities", "posterior", "errors"):
        yield _shot(given, phase, model)
    for place in np.linspace(low, high, SWEEP).tolist():
        now = replace(model, threshold=place, risk=float(problem.risk(place)[0]), swept=place)
        yield _shot(given, "sweep", now)
    best = problem.best(crossings)
    model = replace(model, threshold=best, risk=float(problem.risk(best)[0]), swept=high)
    yield _shot(given, "optimum", model)
    total, squares = 0.0, 0.0
    for more in _batches(params.points):
        costs = _costs_of_points(problem, t, more, rng)
        total, squares = total + float(costs.sum()), squares + float(np.square(costs).sum())
        n = model.drawn + more
        mean = total / n
        model = replace(model, drawn=n, empirical=np.concatenate([model.empirical, [[n, mean]]]))
        yield _shot(given, "sample", model, math.sqrt(max(squares / n - mean * mean, 0.0) / n))
    return Stop.COMPLETE


def _shot(given: Given, phase: str, model: Model, standard_error: float = math.nan) -> Shot:
    estimate = float(model.empirical[-1, 1]) if len(model.empirical) else math.nan
    metrics = {"risk": given.risk, "bayes": model.bayes_risk, "empirical": estimate}
    return Snapshot(given, phase, model, metrics, Shown(standard_error))


def _batches(n: int) -> list[int]:
    """How many points come next: one at first, then ever more."""
    return np.diff(np.unique(np.rint(np.geomspace(1, n, BATCHES))), prepend=0).astype(int).tolist()


def _costs_of_points(problem: Problem, t: float, n: int, rng: np.random.Generator) -> Array:
    """What the decisions about n drawn points cost, (n,)."""
    classes = (rng.random(n) >= problem.priors[0]).astype(np.intp)
    u = rng.random(n)
    x = np.where(classes == 0, problem.densities[0].quantile(u), problem.densities[1].quantile(u))
    decided = np.where(x <= t, problem.below, 1 - problem.below)
    return problem.costs[classes, decided]


ALGORITHM = Algorithm(
    key="bayes_rule",
    title="Bayes' rule",
    family="classification",
    summary="Two known densities, priors and costs: the threshold with the smallest risk lies where they cross.",
    params=Params,
    run=run,
    views=views,
    captions=words.CAPTIONS,
    accepts=(),
    lazy=True,
    synonyms=(
        "Bayes theorem",
        "Bayes-optimal classifier",
        "Bayes error",
        "posterior",
        "prior",
        "risk",
        "decision theory",
        "cost-sensitive",
    ),
    panels=(
        Panel("densities", "Two densities", x="x", y="prior × density"),
        Panel("posterior", "Posterior", y="P(k | x)", reserved=True),
        Panel("risk", "Risk over the threshold", x="threshold t", y="risk R(t)"),
        Panel("table", "What happens how often", "none"),
        Panel("empirical", "Estimated risk", x="points drawn", y="mean cost", log_x=True),
    ),
    metrics=(
        Metric("risk", "risk of your threshold", group="risk", better="neither"),
        Metric("bayes", "risk of the best rule", group="risk", better="neither"),
        Metric("empirical", "estimated risk of your threshold", group="risk", better="neither"),
    ),
    pseudocode=(
        Line("weigh the density of each class with its prior: p(x | k) P(k)", "densities"),
        Line("posterior: P(k | x) = p(x | k) P(k) / Σ_j p(x | j) P(j)", "posterior"),
        Line("a threshold t makes two kinds of errors   (the one you set: R = {risk})", "errors"),
        Line("for every t: R(t) = cost of both, weighed with how probable they are", "sweep"),
        Line("best: where the weighted densities cross   (no rule is below {bayes})", "optimum"),
        Line("estimate: the mean cost of drawn points   ({empirical})", "sample"),
    ),
    reference="Bishop, Pattern Recognition and Machine Learning, section 1.5; Duda, Hart, Stork, Pattern "
    "Classification, section 2.2; Statistical Machine Learning (Orbanz), Risk, Bayes-optimal classifier",
    example="blobs(n=300,noise=1,seed=1)",
    formulas=words.FORMULAS,
    tries=words.TRIES,
    questions=(
        Question("How large is the risk at the next threshold?", "sweep", "model.risk"),
        Question("How large is the estimated risk after the next points?", "sample", "metrics.empirical"),
    ),
)
