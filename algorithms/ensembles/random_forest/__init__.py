"""Random forest: bagged trees that look, at every cut, at a few random features only.

Trees on bags of the same points are alike, because a strong feature is always cut first, and what is alike does not
average out. So every region draws m of the d features anew and takes the best cut along these: each tree is a
little worse, and together they are better.

    f(x) = 1/B Σ_b f_b(x),    m = √d for classes, d/3 for values;    m = d is bagging

The variance of the mean of B trees, each with variance σ² and correlated by ρ, is ρ σ² + (1 - ρ)/B σ²: more trees take
away the second part, random features the first. A feature is important when its cuts take away much impurity, or when
the trees err more often on points out of their bags once it is shuffled; the first favours features with many values.
Two points are alike when many trees put them into the same leaf: in the map of proximities these are close.

Reference: Breiman, "Random forests" (2001); Hastie, Tibshirani, Friedman, The Elements of Statistical Learning, chapter
15; BAGGING AND RANDOM FORESTS (Statistical Machine Learning); §6.2.2 (Methods for Data Science).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated

import numpy as np

from algorithms.contract import (
    Algorithm,
    Case,
    Counterpart,
    Line,
    Metric,
    Panel,
    Question,
    Run,
    Snapshot,
    Stop,
    Try,
    Views,
)
from algorithms.data import Array, Points
from algorithms.ensembles.random_forest.solver import Shuffling, proximity_map
from algorithms.marks import Bars, Mark, Scatter
from algorithms.maths import bagged_model as crowd
from algorithms.maths.bagged_model import Bagged, error_words, explain, field, mean_of_members, predict
from algorithms.maths.bags import Tally, Trees, problem_of, refuse_large_crowd
from algorithms.maths.forests import LIMIT, Forest
from algorithms.maths.trees import Criterion
from algorithms.maths.words import change, counted
from algorithms.params import Between, Doc, UpTo, Zero

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
    map: Annotated[bool, Doc("Draw a map in which points are close that often end in the same leaf.")] = True


@dataclass(frozen=True, slots=True, eq=False)
class Model(Bagged):
    """The trees, and how important they find the features."""

    shuffled: Array  # (d,) how much the error rises with a feature shuffled; 0 where it was not tried

    @property
    def forest(self) -> Forest:
        """The trees."""
        assert isinstance(self.trees, Forest)
        return self.trees

    @property
    def importances(self) -> Array:
        """Of the impurity what the cuts along each feature take away, (d,); sums to 1."""
        return self.forest.importances(len(self.shuffled))


@dataclass(frozen=True, slots=True, eq=False)
class Shown(crowd.Shown):
    """Also what is measured when all trees are there."""

    tried: int = 0  # features that have been shuffled
    before: float = 0.0  # the error of a tree with none shuffled
    points: Array | None = None  # (m,) in the map
    places: Array | None = None  # (m, 2)


Shot = Snapshot[crowd.Given, Model, Shown]


def features_of(params: Params, data: Points) -> int:
    """How many features each cut can choose from."""
    usual = math.isqrt(data.d) if data.is_labelled else data.d // 3
    return min(params.features or max(usual, 1), data.d)


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run[Shot]:
    """Draw a bag, grow a tree that sees few features at a time, and let all trees vote: that is ``crowd.joined``."""
    problem = problem_of(data, params.criterion, params.min_leaf, "A random forest")
    size = max(round(params.size * data.n), 1)
    refuse_large_crowd(problem, "tree", params.trees, size, params.depth)
    bag_rng, axes_rng, fold_rng = rng.spawn(3)
    base = Trees(problem, params.depth, features_of(params, data), axes_rng)
    given = crowd.Given.of(data, problem, Trees(problem, params.depth), "tree", False, fold_rng)
    tally, nothing = Tally(problem, False), np.zeros(data.d)
    for shot in crowd.joined(given, base, tally, bag_rng, params.trees, size, data.n):
        model, shown = _with(shot.model, nothing), Shown(shot.shown.errors, shot.shown.bag)
        yield crowd.shot_of(given, shot.phase, model, shown)
    if params.shuffle:
        shuffling = Shuffling(model.forest, problem, model.bags, fold_rng)
        for rises, tried in _shuffled(data.d, shuffling):
            model, shown = replace(model, shuffled=rises), replace(shown, tried=tried, before=shuffling.before)
            yield crowd.shot_of(given, "shuffle", model, shown)
    if params.map:
        points, places = proximity_map(model.forest, data.X)
        shown = replace(shown, points=points, places=places)
        yield crowd.shot_of(given, "map", model, shown)
    yield crowd.shot_of(given, "done", model, shown)
    return Stop.COMPLETE


def _with(model: Bagged, shuffled: Array) -> Model:
    """The model with the rise of the error for each feature."""
    return Model(model.trees, model.oob_error, model.bags, model.prior, model.votes, model.real, shuffled)


def _shuffled(d: int, shuffling: Shuffling) -> Iterator[tuple[Array, int]]:
    """By how much the error rises (d,) with the first features shuffled, one at a time, and how many these are."""
    rises, together = np.zeros(d), min(math.ceil(d / FEW_FEATURES), max(AT_ONCE // shuffling.asked, 1))
    for j in range(d):
        rises[j] = shuffling.rise(j)
        if (j + 1) % together == 0 or j == d - 1:
            yield rises.copy(), j + 1


def views(shot: Shot) -> Views:
    """The marks of every panel."""
    found, shown = crowd.common_views(shot), shot.shown
    if len(shot.model.trees):
        found["importances"] = (_bars(shot.given.data, shot.model, shown.tried),)
    if shown.places is not None:
        found["map"] = (Scatter(shown.places, shown.points, equal=True),)
    return found


def _bars(data: Points, model: Model, tried: int) -> Mark:
    """Both importances side by side, each as a fraction of their sum; the largest first."""
    importances = model.importances
    shown = np.argsort(-importances, kind="stable")[:MOST_BARS]
    both = [importances / (importances.sum() or 1.0)]
    if tried:
        rises = np.maximum(model.shuffled, 0.0)
        both.append(rises / (rises.sum() or 1.0))
    values = np.stack(both, axis=1)[shown]
    names = tuple(name for j in shown.tolist() for name in (_short(data.features[j]), *[""] * (len(both) - 1)))
    groups = np.tile(np.arange(len(both)), len(shown))
    return Bars(values.ravel(), names, groups=groups, group_names=("impurity taken away", "error after shuffling"))


def _short(name: str) -> str:
    return name if len(name) <= LETTERS else name[: LETTERS - 1] + "…"


def _shuffle_words(shot: Shot) -> str:
    """How much worse a tree is with a feature shuffled, or with the worst of many."""
    given, tried, before = shot.given, shot.shown.tried, shot.shown.before
    rises = shot.model.shuffled[:tried]
    if given.data.d <= FEW_FEATURES:
        after, name = before + float(rises[-1]), given.data.features[tried - 1]
        what = f"With {name} shuffled"
    else:
        after, name = before + float(rises.max()), given.data.features[int(rises.argmax())]
        what = f"{tried:,} of {counted(given.data.d, 'feature')} shuffled, one at a time; most matters {name}: with it"
    return f"{what} {change('the error of a tree out of its bag', before, after, partial(error_words, given))}."


def _map_words(shot: Shot) -> str:
    """What a distance in the map means."""
    assert shot.shown.points is not None
    return (
        f"The map of {counted(len(shot.shown.points), 'point')}: two points are close if they end in the same leaf of "
        "many trees."
    )


def _leaves(model: Model) -> int:
    """The leaves of all trees together."""
    return sum((len(tree.child) + 1) // 2 for tree in model.forest)


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
    views=views,
    captions={**crowd.CAPTIONS, "shuffle": _shuffle_words, "map": _map_words},
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
        Line("map: points are close if they share leaves", "map"),
        Line("f(x) = 1/B Σ f_b(x)", "done"),
    ),
    reference="Breiman, Random forests (2001); Hastie, Tibshirani, Friedman, The Elements of Statistical Learning, "
    "chapter 15; Statistical Machine Learning (Orbanz), Random forests; Methods for Data Science §6.2.2",
    formulas=(
        r"f(x) = \frac{1}{B} \sum_{b=1}^{B} f_b(x), \qquad m = \sqrt{d}\ \text{or}\ d/3",
        r"\mathrm{Var}(f) = \rho\, \sigma^2 + \frac{1 - \rho}{B}\, \sigma^2",
        r"\mathrm{proximity}(i, j) = \frac{1}{B}\, \#\{b : \text{leaf}_b(x_i) = \text{leaf}_b(x_j)\}",
    ),
    tries=(
        Try(
            "The wines: by impurity and by shuffling the same five of 13 features are the most important; 3 % of the "
            "wines are wrong out of bag.",
            "wine()",
            shows=lambda played: (
                set(np.argsort(played.model.importances)[-5:]) == set(np.argsort(played.model.shuffled)[-5:])
                and round(played.final("oob"), 2) == 0.03
            ),
        ),
        Try(
            "Each cut sees one random feature: a single tree is wrong on 10 % out of its bag, a hundred together on "
            "7 %.",
            "moons(n=300,noise=0.25,seed=1)",
            {"features": 1},
            shows=lambda played: (round(mean_of_members(played.last), 2), round(played.final("oob"), 2)) == (0.1, 0.07),
        ),
        Try(
            "With all features at every cut this is bagging: the trees disagree less often than with three.",
            "wine()",
            {"features": 13},
            shows=lambda played: played.final("apart") < played.but(features=3).final("apart"),
        ),
        Try(
            "With values the mean of the stairs is smooth: its out-of-bag error is smaller than that of one tree.",
            "sine(n=120,noise=0.25,seed=1)",
            {"depth": 6},
            shows=lambda played: played.final("oob") < 0.8 * played.last.given.alone,
        ),
    ),
    related=(
        Try(
            "One tree on the same points, cut by cut: it has fewer than a tenth of the leaves of the forest.",
            method="decision_tree",
            shows=lambda played: played.final("leaves") < 0.1 * _leaves(played.by("random_forest").model),
        ),
    ),
    questions=(
        Question("How many points does the next bag leave out?", "bag", "shown.left_out"),
        Question("How large is the out-of-bag error with the next tree?", "vote", "metrics.oob"),
    ),
)
