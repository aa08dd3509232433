"""Bagging: many unsteady learners, each on a sample of its own, are steadier together.

A bag is drawn from the n points with replacement, so that a point may come several times or not at all: it stays out
with the probability (1 - 1/n)^n, about 1/e = 37 %. Each bag gets a learner, and new points are answered by the mean:

    f(x) = 1/B Σ_b f_b(x)        f_b: fractions of the classes (the largest mean wins), or a value

What varies from bag to bag averages out, what all learners get wrong stays; hence deep trees gain much, and stumps or
many neighbours, which hardly change with the bag, little. Of values this is exact: the mean squared error of the
learners is that of their mean plus their variance around it. A point is judged fairly by the learners whose bag it is
not in; their error, the out-of-bag error, is a test without test data.

Reference: Breiman, "Bagging predictors" (1996); Hastie, Tibshirani, Friedman, The Elements of Statistical Learning,
section 8.7; BAGGING AND RANDOM FORESTS (Statistical Machine Learning); §6.2.1 (Methods for Data Science).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from algorithms.contract import Algorithm, Case, Counterpart, Line, Metric, Panel, Question, Run, Stop, Try
from algorithms.data import Points
from algorithms.maths import bagged_model as crowd
from algorithms.maths.bagged_model import Bagged, explain, field, mean_of_members, predict
from algorithms.maths.bags import BATCH_POINTS, Base, Neighbours, Tally, Trees, problem_of, refuse_large_crowd
from algorithms.maths.forests import LIMIT
from algorithms.maths.tree_growth import Problem
from algorithms.maths.trees import Criterion
from algorithms.params import Between, Doc, When

NAMES = {"tree": "tree", "stump": "stump", "k nearest": "nearest-neighbour rule"}


@dataclass(frozen=True, slots=True)
class Params:
    """What the user can set."""

    trees: Annotated[int, Between(1, 1000), Doc(f"How many bags there are, each with a learner. {LIMIT}")] = 60
    base: Annotated[
        Literal["tree", "stump", "k nearest"], Doc("The learner of each bag: a tree, one cut, or the nearest points.")
    ] = "tree"
    depth: Annotated[int, Between(1, 20), When("base", "tree"), Doc("Most cuts between the root and a leaf.")] = 8
    k: Annotated[int, Between(1, 50), When("base", "k nearest"), Doc("How many nearest points of the bag vote.")] = 1
    size: Annotated[float, Between(0.05, 1.0), Doc("Draws for a bag, as a fraction of the points.")] = 1.0
    vote: Annotated[
        Literal["fractions", "one each"],
        Doc("Learners give the fractions of the classes that they see, or one vote each for the largest."),
    ] = "fractions"
    criterion: Annotated[
        Criterion,
        When("base", "tree", "stump"),
        Doc("What a cut makes small. A real target always uses the squared error."),
    ] = "gini"
    min_leaf: Annotated[
        int, Between(1, 1000), When("base", "tree", "stump"), Doc("Least number of different points in a leaf.")
    ] = 1


Model = Bagged


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run[crowd.Shot]:
    """Draw a bag, train a learner on it, and let all of them vote: the loop is ``crowd.joined``."""
    problem = problem_of(data, params.criterion, params.min_leaf, "Bagging")
    size, member = max(round(params.size * data.n), 1), NAMES[params.base]
    refuse_large_crowd(problem, member, params.trees, size, _depth(params))
    bag_rng, _, fold_rng = rng.spawn(3)
    base = _base(params, problem, data)
    given = crowd.Given.of(data, problem, base, member, params.vote == "one each", fold_rng)
    alone = isinstance(base, Neighbours) and base.scaled is not None  # each has a scale and a search of its own
    at_once = BATCH_POINTS if alone else data.n
    tally = Tally(problem, given.votes)
    for shot in crowd.joined(given, base, tally, bag_rng, params.trees, size, at_once):
        yield shot
    yield crowd.shot_of(given, "done", shot.model, shot.shown)
    return Stop.COMPLETE


def _depth(params: Params) -> int:
    """Most cuts above a leaf; none where there are no trees."""
    return {"tree": params.depth, "stump": 1, "k nearest": 0}[params.base]


def _base(params: Params, problem: Problem, data: Points) -> Base:
    if params.base == "k nearest":
        return Neighbours(problem, params.k, scaled=None if data.scale == "given" else data)
    return Trees(problem, _depth(params))


def counterpart(params: Params, case: Case | None) -> Counterpart | None:
    """scikit-learn's bagging of the same learner; its bags are others."""
    values = case is not None and not case.data.classes
    if params.vote != "fractions" or params.criterion == "misclassification":
        return None
    kind = "Regressor" if values else "Classifier"
    if params.base == "k nearest":
        learner, module = f"KNeighbors{kind}({params.k})", "neighbors"
    else:
        depth = 1 if params.base == "stump" else params.depth
        criterion = "" if values else f"criterion={'entropy' if params.criterion == 'cross-entropy' else 'gini'!r}, "
        learner = f"DecisionTree{kind}({criterion}max_depth={depth}, min_samples_leaf={params.min_leaf})"
        module = "tree"
    name, seed = f"Bagging{kind}", 0 if case is None else case.seed
    size = "" if params.size == 1.0 else f", max_samples={params.size!r}"
    difference, measure = crowd.compared(values)
    return Counterpart(
        imports=f"from sklearn.ensemble import {name}\nfrom sklearn.{module} import {learner.split('(')[0]}",
        make=f"{name}({learner}, n_estimators={params.trees}{size}, random_state={seed})",
        difference=difference,
        measure=measure,
        caveat="The bags are drawn by another generator, so the learners differ from ours.",
    )


ALGORITHM = Algorithm(
    key="bagging",
    title="Bagging",
    family="ensembles",
    summary="Many learners, each on a sample with replacement, answer together; classes or values.",
    params=Params,
    reads_categories=True,
    ignores_scale=True,
    run=run,
    views=crowd.common_views,
    captions=crowd.CAPTIONS,
    predict=predict,
    field=field,
    scores="probability",
    explain=explain,
    counterpart=counterpart,
    target="any",
    example="moons(n=300,noise=0.3,seed=1)",
    synonyms=("bootstrap aggregating", "ensemble", "out-of-bag error", "committee", "vote"),
    panels=(
        Panel("plane", "Vote", "data"),
        Panel("members", "Single learners", "none", reserved=True),
        Panel("errors", "Errors", "own", x="number of learners", y="error", beside=True, integer_x=True),
    ),
    metrics=(
        Metric("oob", "out-of-bag error", group="error"),
        Metric("crowd", "error on all points", group="error"),
        Metric("apart", "how far learners are apart", group="disagreement", better="neither"),
    ),
    pseudocode=(
        Line("one learner on all points, for comparison", "start"),
        Line("for b = 1 ... B:"),
        Line("    bag b: draw n of the n points with replacement", "bag"),
        Line("    train f_b on its bag, all vote     out of bag: {oob}", "vote"),
        Line("f(x) = 1/B Σ f_b(x)", "done"),
    ),
    reference="Breiman, Bagging predictors (1996); Hastie, Tibshirani, Friedman, The Elements of Statistical Learning "
    "§8.7; Statistical Machine Learning (Orbanz), Bagging; Methods for Data Science §6.2.1",
    formulas=(
        r"f(x) = \frac{1}{B} \sum_{b=1}^{B} f_b(x)",
        r"P(x_i \notin \text{bag}) = \left(1 - \frac{1}{n}\right)^n \to \frac{1}{e} \approx 0.368",
        r"\frac{1}{B} \sum_b (y - f_b)^2 = (y - f)^2 + \frac{1}{B} \sum_b (f_b - f)^2",
    ),
    tries=(
        Try(
            "The out-of-bag error falls from 14 % with one deep tree to 9 % with sixty, where a single tree has 12 %.",
            shows=lambda played: (
                round(played.curve("oob")[2], 2) == 0.14
                and round(played.final("oob"), 2) == 0.09
                and round(mean_of_members(played.last), 2) == 0.12
            ),
        ),
        Try(
            "Stumps hardly differ from bag to bag: the vote of sixty is as often wrong as one of them.",
            "moons(n=300,noise=0.3,seed=1)",
            {"base": "stump"},
            shows=lambda played: abs(played.final("oob") - mean_of_members(played.last)) < 0.005,
        ),
        Try(
            "The nearest neighbour has islands around noisy points. Most full bags hold such a point and keep the "
            "island; with bags of 15 % of the points it goes, and the out-of-bag error is smaller.",
            "moons(n=300,noise=0.35,seed=1)",
            {"base": "k nearest", "k": 1, "trees": 80, "size": 0.15},
            shows=lambda played: played.final("oob") < played.but(size=1.0).final("oob"),
        ),
        Try(
            "Two Gaussian classes in five dimensions: with a hundred trees 6 % are wrong out of bag, with one tree on "
            "all points 11.5 %.",
            "blobs(n=200,noise=4,centres=2,features=5,seed=1)",
            {"trees": 100},
            shows=lambda played: (round(played.final("oob"), 2), round(played.last.given.alone, 3)) == (0.06, 0.115),
        ),
        Try(
            "With values the staircases of single trees average to a smooth curve, whose out-of-bag error is smaller "
            "than that of one tree.",
            "sine(n=120,noise=0.25,seed=1)",
            {"depth": 6, "trees": 100},
            shows=lambda played: played.final("oob") < 0.8 * played.last.given.alone,
        ),
    ),
    related=(
        Try(
            "One tree on the same points, cut by cut: it has more than ten leaves.",
            method="decision_tree",
            shows=lambda played: played.final("leaves") > 10,
        ),
    ),
    questions=(
        Question("How many points does the next bag leave out?", "bag", "shown.left_out"),
        Question("How large is the out-of-bag error with the next learner?", "vote", "metrics.oob"),
    ),
)
