"""Random forest: bagged trees that look, at every cut, at a few random features only.

Trees on bags of the same points are alike, because a strong feature is always cut first, and what is alike does not
average out. So every region draws m of the d features anew and takes the best cut along these: each tree is a
little worse, and together they are better.

    f(x) = 1/B Σ_b f_b(x),    m = √d for classes, d/3 for values;    m = d is bagging

The variance of the mean of B trees, each with variance σ² and correlated by ρ, is ρ σ² + (1 - ρ)/B σ²: more trees take
away the second part, random features the first. A feature is important when its cuts take away much impurity, or when
the trees err more often on points out of their bags once it is shuffled; the first favours features with many values.
Two points are alike when many trees put them into the same leaf: the map of proximities lays these near each other.

Reference: BAGGING AND RANDOM FORESTS (Statistical Machine Learning); §6.2.2 (Methods for Data Science); Breiman,
"Random forests" (2001).
"""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from algorithms.contract import (
    Algorithm,
    Case,
    Counterpart,
    DrawnRun,
    DrawnSnapshot,
    LazyViews,
    Line,
    Metric,
    Panel,
    Stop,
    Try,
    Views,
)
from algorithms.data import Array, Points
from algorithms.ensembles.random_forest.solver import Shuffling, proximity_map
from algorithms.marks import Bars, Mark, Scatter
from algorithms.maths import bagged_model as crowd
from algorithms.maths.bagged_model import Bagged, Stage, explain, field, predict, prior_of
from algorithms.maths.bags import Errors, Tally, Trees, batches, draw, problem_of, refuse_large_crowd
from algorithms.maths.forests import LIMIT, Forest, tree_importances
from algorithms.maths.trees import Criterion
from algorithms.maths.words import counted
from algorithms.params import Between, Doc, UpTo, Zero

WATCHED = 3
"""The bags of the first trees are shown before the trees."""
MOST_BARS, LETTERS = 13, 16
"""Features whose importances are drawn, the most important ones, and letters of their names."""
FEW_FEATURES = 20
"""Up to this many, each has a frame of its own when it is shuffled."""
AT_ONCE = 5_000_000
"""Answers of trees for shuffled points in one frame: half a second."""


@dataclass(frozen=True, slots=True)
class Params:
    """What the user can set."""

    trees: Annotated[int, Between(1, 1000), Doc(f"How many trees there are, each on a bag of its own. {LIMIT}")] = 100
    depth: Annotated[int, Between(1, 20), Doc("Most cuts between the root and a leaf.")] = 10
    features: Annotated[
        int,
        Between(0, 1000),
        UpTo("features"),
        Zero("automatic"),
        Doc("Random features that each cut can choose from; 0 takes √d for classes and d/3 for values."),
    ] = 0
    criterion: Annotated[Criterion, Doc("What a cut makes small. A real target always uses the squared error.")] = (
        "gini"
    )
    min_leaf: Annotated[int, Between(1, 1000), Doc("Least number of different points in a leaf.")] = 1
    size: Annotated[float, Between(0.05, 1.0), Doc("Draws for a bag, as a fraction of the points.")] = 1.0
    shuffle: Annotated[bool, Doc("Shuffle one feature after the other, to see how much worse trees become.")] = True
    map: Annotated[bool, Doc("Draw a map in which points are near that often end in the same leaf.")] = True


@dataclass(frozen=True, slots=True, eq=False)
class Model(Bagged):
    """The trees, and how important they find the features."""

    importances: Array  # (d,) of the impurity taken away, sums to 1
    shuffled: Array  # (d,) how much the error rises with a feature shuffled; 0 where it was not tried


@dataclass(frozen=True, slots=True, eq=False)
class Extras:
    """What is measured when all trees stand."""

    tried: int = 0  # features that have been shuffled
    points: Array | None = None  # (m,) in the map
    places: Array | None = None  # (m, 2)


def features_of(params: Params, data: Points) -> int:
    """How many features each cut can choose from."""
    usual = math.isqrt(data.d) if data.is_labelled else data.d // 3
    return min(params.features or max(usual, 1), data.d)


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> DrawnRun:
    """Draw a bag, grow a tree that sees few features at a time, and let all trees vote."""
    problem = problem_of(data, params.criterion, params.min_leaf, "A random forest")
    size = max(round(params.size * data.n), 1)
    refuse_large_crowd(problem, "tree", params.trees, size, params.depth)
    bag_rng, axes_rng, fold_rng = rng.spawn(3)
    base = Trees(problem, params.depth, features_of(params, data), axes_rng)
    stage = Stage.of(data, problem, Trees(problem, params.depth), "tree", False, fold_rng)
    tally, forest = Tally(problem, False), base.nobody()
    errors: tuple[Errors, ...] = ()
    nothing = importance = np.zeros(data.d)
    model = Model(forest, stage.nothing, (), prior_of(problem), False, problem.real, nothing, nothing)
    yield _frame(stage, model, errors, "start", crowd.opening(stage))
    for together in batches(params.trees, data.n):
        drawn = draw(bag_rng, together, data.n, size)
        grove = base.grown(drawn)
        forest, errors = forest.plus(grove), (*errors, tally.add(grove, drawn))
        bags = (*model.bags, drawn)
        found = importance + tree_importances(grove, together, data.d).cumsum(axis=0)
        importance = found[-1]
        for new in range(together):
            number = len(forest) - together + new + 1
            if number <= WATCHED:
                yield _frame(stage, model, errors, "bag", crowd.bag_words(number, drawn[new]), drawn[new])
            trees, out = forest.first(number), float(errors[-1].out[new])
            model = Model(trees, out, bags, model.prior, False, problem.real, found[new] / number, nothing)
            caption = crowd.joined_words(stage, number, float(errors[-1].single[new]), out)
            yield _frame(stage, model, errors, "vote", caption)
    extras = Extras()
    if params.shuffle:
        model, extras = yield from _shuffled(stage, model, errors, extras, fold_rng)
    if params.map:
        points, places = proximity_map(forest, data.X)
        extras = replace(extras, points=points, places=places)
        caption = "The map: points that end in the same leaf of many trees are near each other."
        yield _frame(stage, model, errors, "map", caption, extras=extras)
    closing = crowd.closing(stage, params.trees, float(errors[-1].mean[-1]), model.oob_error)
    yield _frame(stage, model, errors, "done", closing, extras=extras)
    return Stop.COMPLETE


def _shuffled(
    stage: Stage, model: Model, errors: tuple[Errors, ...], extras: Extras, rng: np.random.Generator
) -> Generator[DrawnSnapshot, None, tuple[Model, Extras]]:
    """Shuffle one feature after the other."""
    data = stage.data
    assert isinstance(model.trees, Forest)
    shuffling = Shuffling(model.trees, stage.problem, model.bags, rng)
    rises = np.zeros(data.d)
    together = min(math.ceil(data.d / FEW_FEATURES), max(AT_ONCE // shuffling.asked, 1))
    for j in range(data.d):
        rises[j] = shuffling.rise(j)
        model, extras = replace(model, shuffled=rises.copy()), Extras(j + 1)
        if (j + 1) % together == 0 or j == data.d - 1:
            name = data.features[j] if data.d <= FEW_FEATURES else counted(j + 1, "feature") + ", one at a time,"
            after = shuffling.before + (rises[j] if data.d <= FEW_FEATURES else rises.max())
            unit = "the variance left" if stage.problem.real else "wrong answers"
            caption = f"With {name} shuffled a tree has {after:.1%} {unit} out of its bag instead of "
            yield _frame(stage, model, errors, "shuffle", f"{caption}{shuffling.before:.1%}.", extras=extras)
    return model, extras


def _frame(
    stage: Stage,
    model: Model,
    errors: tuple[Errors, ...],
    phase: str,
    caption: str,
    bag: Array | None = None,
    extras: Extras | None = None,
) -> DrawnSnapshot:
    drawn = LazyViews(_views, stage, model, errors, bag, extras)
    return DrawnSnapshot(model, drawn, crowd.metrics(stage, len(model.trees), errors), phase, caption)


def _views(stage: Stage, model: Model, errors: tuple[Errors, ...], bag: Array | None, extras: Extras | None) -> Views:
    found = crowd.common_views(stage, model, errors, bag)
    if len(model.trees):
        found["importances"] = (_bars(stage.data, model, 0 if extras is None else extras.tried),)
    if extras is not None and extras.places is not None:
        found["map"] = (Scatter(extras.places, extras.points, equal=True),)
    return found


def _bars(data: Points, model: Model, tried: int) -> Mark:
    """Both importances side by side, each as a fraction of their sum; the largest first."""
    shown = np.argsort(-model.importances, kind="stable")[:MOST_BARS]
    both = [model.importances / (model.importances.sum() or 1.0)]
    if tried:
        rises = np.maximum(model.shuffled, 0.0)
        both.append(rises / (rises.sum() or 1.0))
    values = np.stack(both, axis=1)[shown]
    names = tuple(name for j in shown.tolist() for name in (_short(data.features[j]), *[""] * (len(both) - 1)))
    groups = np.tile(np.arange(len(both)), len(shown))
    return Bars(values.ravel(), names, groups=groups, group_names=("impurity taken away", "error after shuffling"))


def _short(name: str) -> str:
    return name if len(name) <= LETTERS else name[: LETTERS - 1] + "…"


def counterpart(params: Params, case: Case | None) -> Counterpart | None:
    """scikit-learn's forest with the same settings; its bags and features are others."""
    values = case is not None and not case.data.classes
    if params.criterion == "misclassification":
        return None
    name = "RandomForestRegressor" if values else "RandomForestClassifier"
    features = "1 / 3" if values else "'sqrt'"
    criterion = "" if values else f"criterion={'entropy' if params.criterion == 'cross-entropy' else 'gini'!r}, "
    size = "" if params.size == 1.0 else f", max_samples={params.size!r}"
    if params.features and case is not None and isinstance(case.data, Points):
        features = str(min(params.features, case.data.d))
    difference, measure = crowd.compared(values)
    return Counterpart(
        imports=f"from sklearn.ensemble import {name}",
        make=f"{name}({params.trees}, {criterion}max_depth={params.depth}, max_features={features}, "
        f"min_samples_leaf={params.min_leaf}{size}, random_state={0 if case is None else case.seed})",
        difference=difference,
        measure=measure,
        caveat="Bags and features are drawn by another generator, so the trees differ from ours.",
    )


ALGORITHM = Algorithm(
    key="random_forest",
    title="Random forest",
    family="ensembles",
    summary="Bagged trees that see a few random features at every cut; importances, and a map of what is alike.",
    params=Params,
    reads_categories=True,
    ignores_scale=True,
    run=run,
    predict=predict,
    field=field,
    scores="probability",
    explain=explain,
    counterpart=counterpart,
    target="any",
    example="wine()",
    synonyms=("forest", "decision forest", "feature importance", "permutation importance", "out-of-bag", "ensemble"),
    panels=(
        Panel("plane", "Vote", "data"),
        Panel("members", "Single trees", "none", reserved=True),
        Panel("errors", "Errors", "own", x="number of trees", y="error", beside=True, integer_x=True),
        Panel("importances", "Importances", "own", y="fraction"),
        Panel("map", "Proximities", "own"),
    ),
    metrics=(
        Metric("oob", "out-of-bag error", group="error"),
        Metric("crowd", "error on all points", group="error"),
        Metric("apart", "how far trees are apart", group="disagreement", better="neither"),
    ),
    pseudocode=(
        Line("one tree on all points, for comparison", "start"),
        Line("for b = 1 ... B:"),
        Line("    bag b: draw n of the n points with replacement", "bag"),
        Line("    grow tree b; each cut sees m random features"),
        Line("    let all trees vote     out of bag: {oob}", "vote"),
        Line("shuffle each feature, ask again out of bag", "shuffle"),
        Line("lay points near each other that share leaves", "map"),
        Line("f(x) = 1/B Σ f_b(x)", "done"),
    ),
    reference="Statistical Machine Learning (Orbanz), Random forests; Methods for Data Science §6.2.2",
    formulas=(
        r"f(x) = \frac{1}{B} \sum_{b=1}^{B} f_b(x), \qquad m = \sqrt{d}\ \text{or}\ d/3",
        r"\mathrm{Var}(f) = \rho\, \sigma^2 + \frac{1 - \rho}{B}\, \sigma^2",
        r"\mathrm{proximity}(i, j) = \frac{1}{B}\, \#\{b : \text{leaf}_b(x_i) = \text{leaf}_b(x_j)\}",
    ),
    tries=(
        Try("The wines: both ways to measure importance agree on the leaders; the map parts the kinds.", "wine()"),
        Try(
            "Trees of random axes are ragged; a hundred of them follow the moons.",
            "moons(n=300,noise=0.25,seed=1)",
            {"features": 1},
        ),
        Try(
            "With all features at every cut this is bagging: the trees are nearer to each other.",
            "wine()",
            {"features": 13},
        ),
        Try(
            "With values the forest is a smooth curve made of stairs.",
            "sine(n=120,noise=0.25,seed=1)",
            {"depth": 6},
        ),
    ),
    related=(Try("One of the trees, cut by cut.", method="decision_tree"),),
)
