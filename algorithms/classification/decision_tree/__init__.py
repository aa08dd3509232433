"""Decision tree: the plane is cut along its axes until every rectangle holds (nearly) one class, or one value.

A cut (j, s) sends the points with x_j < s to the left and those with x_j >= s to the right. Each region is cut where
the impurity I of its two parts, weighted by their points, is least; there is no looking back and no looking ahead:

    Q(j, s) = n_left/n I(left) + n_right/n I(right)  ->  min over features j and thresholds s
    Gini I = 1 - Σ π²,   cross-entropy I = -Σ π log π,   misclassification I = 1 - max π     (π: class fractions)
    squared error I = 1/n Σ (y - mean)², when the target is a real value

A leaf answers with its majority class, or with its mean. Points may have weights: a point of weight 2 counts as two. A
tree of depth 1 is a decision stump. A cut that gains nothing is allowed while ``min_gain`` is 0, because the next one
may gain (XOR); of equally good cuts the one that halves the points best is taken, then the first feature and the least
threshold. A tree that has grown too far is pruned: the link that costs least impurity for each leaf it saves is folded
first, as long as that is at most ``alpha``.

Reference: Breiman, Friedman, Olshen and Stone, Classification and Regression Trees (1984); Hastie, Tibshirani and
Friedman, The Elements of Statistical Learning, section 9.2; Statistical Machine Learning (Orbanz), Tree classifiers
(there Q is the misclassified fraction); Methods for Data Science, section 6.1; Introduction to Machine Learning,
section 8.2.
"""

from __future__ import annotations

import itertools
from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

import numpy as np

from algorithms.classification.decision_tree import words
from algorithms.classification.decision_tree.solver import (
    cross_validated,
    folded,
    foreign_cut,
    pruning_curves,
    pruning_path,
    training_error,
)
from algorithms.classification.decision_tree.state import Fold, Given, Search, Shot, Shown
from algorithms.classification.decision_tree.views import views
from algorithms.contract import (
    Algorithm,
    Case,
    Counterpart,
    Explanation,
    Line,
    Metric,
    Panel,
    Question,
    Run,
    Snapshot,
    Stop,
)
from algorithms.data import Array, DataError, Item, Points
from algorithms.foreign import steps_of
from algorithms.maths.tree_growth import Cut, Growth, Problem, Sweep
from algorithms.maths.trees import Criterion, Tree
from algorithms.params import Between, Doc, Log, When, Zero

WATCHED = 127
"""Cuts that are shown one by one; after these a frame shows ``BATCH`` of them."""
BATCH = 64
WATCHED_FOLDS = 40
"""Links that are folded one by one; of more, as many steps show some of them each."""
FEW_FEATURES = 3
"""Up to this many features, each has a frame of its own in the sweep."""


@dataclass(frozen=True, slots=True)
class Params:
    """What the user can set."""

    criterion: Annotated[
        Criterion,
        Doc("What a cut makes small. A real target always uses the squared error, which for classes is Gini's index."),
    ] = "gini"
    depth: Annotated[int, Between(0, 20), Doc("Most cuts between the root and a leaf; 1 is a decision stump.")] = 4
    min_leaf: Annotated[int, Between(1, 1000), Doc("Least number of points in a leaf.")] = 1
    min_gain: Annotated[
        float,
        Between(0.0, 1.0),
        Doc("Least fraction of the root's impurity a cut must take away; 0 also allows cuts that gain nothing yet."),
    ] = 0.0
    by_depth: Annotated[
        int,
        Between(0, 20),
        Zero("none"),
        Doc("Draw the error against the depth up to this one, cross-validated; 0 draws nothing."),
    ] = 0
    alpha: Annotated[
        float, Between(0.0, 1.0), Doc("Prune: fold links that take away less impurity than this for each leaf.")
    ] = 0.0
    path: Annotated[bool, Doc("Draw leaves and errors over alpha, cross-validated; alpha can then be dragged.")] = False
    weights: Annotated[
        Literal["equal", "balanced", "by class", "single points"],
        Doc("How much points count: alike, every class alike, as given for each class, or some points more."),
    ] = "equal"
    class_weights: Annotated[
        tuple[float, ...],
        Between(0.001, 1000.0),
        When("weights", "by class"),
        Doc("How much a point of the first class, the second class ... counts; 1 for the others."),
    ] = (1.0, 5.0)
    points: Annotated[
        tuple[int, ...],
        Between(1, 1_000_000),
        When("weights", "single points"),
        Doc("The numbers of the points that count more, as the status bar gives them."),
    ] = (1,)
    point_weight: Annotated[
        float, Between(0.001, 1000.0), Log, When("weights", "single points"), Doc("How much each of these counts.")
    ] = 10.0


Model = Tree
"""The model is the tree itself, as a table of nodes."""


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run[Shot]:
    """Cut level by level: sweep the thresholds of a region, choose the least Q, cut or leave it a leaf."""
    growth = Growth(make_problem(data, params), params.depth)
    here = _grown(Given.of(data, params, growth), "start", growth, Shown((0,)))
    yield here
    cuts = 0
    for _ in range(params.depth):
        sweep = growth.search()
        for region, node in enumerate(growth.level.nodes.tolist()):
            cut = growth.best_cut(sweep, region)
            refusal = growth.refusal(region, cut)
            watched = cuts < WATCHED
            if refusal or cut is None:
                if watched:
                    yield replace(here, phase="leaf", shown=Shown((node,), search=here.shown.search, refusal=refusal))
                continue
            if watched:
                here = yield from _sweep(here, growth, sweep, region, cut)
            growth.split(region, cut)
            cuts += 1
            if watched or cuts % BATCH == 0:
                shown = Shown(
                    (growth.nodes - 2, growth.nodes - 1), cut, here.shown.search, number=0 if watched else cuts
                )
                here = _grown(here.given, "split", growth, shown)
                yield here
        if not growth.go_down():
            break
    here = _grown(here.given, "done", growth, Shown(search=here.shown.search))
    if params.by_depth > 0 and data.n > 1:
        here = _showing(here, errors=cross_validated(growth.problem, params.by_depth, rng))
    if (params.path or params.alpha > 0.0) and data.n > 1:
        here = _showing(here, pruning=pruning_curves(growth.problem, here.model, params.depth, rng))
        yield replace(here, phase="prune")
        here = yield from _pruned(here, params.alpha)
    yield replace(here, phase="done")
    return Stop.COMPLETE


def _grown(given: Given, phase: str, growth: Growth, shown: Shown) -> Shot:
    numbers = {
        "error": growth.error,
        "impurity": growth.mean_impurity,
        "leaves": growth.leaves,
        "depth": growth.deepest,
    }
    return Snapshot(given, phase, growth.tree(), numbers, shown)


def _showing(here: Shot, **facts: Any) -> Shot:
    return replace(here, shown=replace(here.shown, **facts))


def _pruned(here: Shot, alpha: float) -> Generator[Shot, None, Shot]:
    """Fold the weakest links up to this α."""
    whole, path = here.model, pruning_path(here.model)
    count = path.count(alpha)
    for end in np.unique(np.linspace(1, count, min(count, WATCHED_FOLDS)).astype(int)).tolist() if count else ():
        tree, before = folded(whole, path.order[:end]), here.metrics
        numbers = _numbers_of(tree)
        saved, rise = int(before["leaves"] - numbers["leaves"]), numbers["impurity"] - before["impurity"]
        fold = Fold(float(path.alphas[end - 1]), saved, max(rise, 0.0))
        shown = replace(here.shown, search=None, fold=fold)
        here = Snapshot(here.given, "prune", tree, numbers, shown)
        yield here
    return here


def _numbers_of(tree: Tree) -> dict[str, float]:
    leaf = tree.child < 0
    mean = float(tree.impurity[leaf] @ tree.weight[leaf]) / float(tree.weight[0])
    return {"error": training_error(tree), "impurity": mean, "leaves": leaf.sum(), "depth": tree.depth.max()}


def _sweep(here: Shot, growth: Growth, sweep: Sweep, region: int, cut: Cut) -> Generator[Shot, None, Shot]:
    """The criterion over the thresholds: feature by feature when there are few, otherwise all at once."""
    level, d = growth.level, len(sweep.place)
    node = int(level.nodes[region])
    for count in (d,) if d > FEW_FEATURES else range(1, d + 1):
        own = cut if d > FEW_FEATURES else sweep.cut(count - 1, region)
        if own is None:
            continue
        best = cut if count == d else growth.best_cut(sweep, region, range(count)) if count > 1 else own
        assert best is not None
        here = replace(here, phase="sweep", shown=Shown((node,), own, Search(level, sweep, region, best, count)))
        yield here
    return here


def adopt(data: Points, params: Params, foreign: Iterator[Any]) -> Iterator[Shot]:
    """Somebody else's tree, which yields ``node, feature, threshold`` for each cut.

    The root is node 0; each cut makes two nodes more, the first with the points whose feature is below the threshold.
    """
    growth = Growth(make_problem(data, params), data.n)
    here = _grown(Given.of(data, params, growth), "start", growth, Shown((0,)))
    yield here
    steps = steps_of(foreign, {"node": (), "feature": (), "threshold": ()})
    for step, (node, feature, threshold) in enumerate(steps):
        cut = foreign_cut(growth, step, int(node), int(feature), float(threshold))
        here = _grown(here.given, "split", growth, Shown((growth.nodes - 2, growth.nodes - 1), cut))
        yield here
    yield replace(here, phase="done", shown=Shown())


def make_problem(data: Points, params: Params) -> Problem:
    """The target as numbers: indicators of the classes, or values."""
    if data.y is None:
        raise DataError("A decision tree needs a class or a value for every point; this data set has neither.")
    classes, weights = len(data.classes), point_weights(data, params)
    criterion = params.criterion if classes else "squared error"
    return Problem(data.X, data.y, classes, criterion, params.min_leaf, params.min_gain, weights)


def point_weights(data: Points, params: Params) -> Array | None:
    """How much every point counts, (n,); None where all count as one."""
    weights = np.ones(data.n)
    if params.weights == "single points":
        weights[[number - 1 for number in params.points if number <= data.n]] = params.point_weight
    elif data.is_labelled and data.y is not None and params.weights == "balanced":
        counts = np.bincount(data.y, minlength=len(data.classes))
        weights = (data.n / (np.count_nonzero(counts) * np.maximum(counts, 1)))[data.y]
    elif data.is_labelled and data.y is not None and params.weights == "by class":
        each = np.ones(max(len(data.classes), len(params.class_weights)))
        each[: len(params.class_weights)] = params.class_weights
        weights = each[data.y]
    return None if (weights == 1.0).all() else weights


def predict(model: Model, X: Array) -> Array:
    """The majority class (n,) of the leaf of every point, or its mean."""
    answers = model.value[:, 0] if model.real else model.value.argmax(axis=1)
    return answers.take(model.leaf_of(X))


def field(model: Model, X: Array) -> Array:
    """The fraction (n,) of the second of two classes, the fractions (n, c) of more, or the mean (n,)."""
    leaf = model.leaf_of(X)
    if model.real:
        return model.value[:, 0].take(leaf)
    return model.value[:, 1].take(leaf) if model.value.shape[1] == 2 else model.value.take(leaf, axis=0)


def explain(model: Model, data: Points, item: Item) -> Explanation:
    """The path of a point from the root to its leaf, with its numbers, and what the leaf answers."""
    x = item.x
    path = model.path(x)
    answer: Explanation = {}
    for step, (node, after) in enumerate(itertools.pairwise(path), start=1):
        feature, threshold = int(model.feature[node]), float(model.threshold[node])
        name, sign = data.features[feature], "<" if after == model.child[node] else "≥"
        went = "left" if sign == "<" else "right"
        answer[f"{step}. {name} = {x[feature]:.4g} {sign} {threshold:.4g}"] = f"{went}, {model.count[after]} points"
    leaf = path[-1]
    answer["points in the leaf"] = int(model.count[leaf])
    answer["impurity of the leaf"] = float(model.impurity[leaf])
    if model.real:
        answer["answer"] = float(model.value[leaf, 0])
        return answer
    for number in np.argsort(-model.value[leaf], kind="stable")[:6].tolist():
        answer[f"fraction of {data.class_name(number)}"] = float(model.value[leaf, number])
    answer["answer"] = data.class_name(int(model.value[leaf].argmax()))
    return answer


def counterpart(params: Params, case: Case | None) -> Counterpart | None:
    """scikit-learn's tree for classes or for values; it grows all levels down to the depth, as we do."""
    criteria = {"gini": "gini", "squared error": "gini", "cross-entropy": "entropy"}
    if params.criterion not in criteria or params.depth == 0 or params.min_gain > 0:
        return None
    if params.weights not in ("equal", "balanced") or (params.alpha > 0 and params.criterion == "cross-entropy"):
        return None
    limits = f"max_depth={params.depth}, min_samples_leaf={params.min_leaf}, "
    limits += f"random_state={0 if case is None else case.seed}"
    if params.alpha > 0:
        limits += f", ccp_alpha={params.alpha!r}"
    if case is None or case.data.classes:
        if params.weights == "balanced":
            limits += ", class_weight='balanced'"
        name, make = "DecisionTreeClassifier", f"criterion={criteria[params.criterion]!r}, {limits}"
        difference, measure = "theirs.score(X, y) - np.mean(ours.predict(X) == y)", "difference in accuracy"
    else:
        name, make = "DecisionTreeRegressor", limits
        difference = "np.abs(theirs.predict(X) - ours.predict(X)).max()"
        measure = "largest difference of a prediction"
    return Counterpart(
        imports=f"from sklearn.tree import {name}",
        make=f"{name}({make})",
        difference=difference,
        measure=measure,
        caveat="Cuts that are equally good are broken differently, and may then grow into different trees.",
    )


ALGORITHM = Algorithm(
    key="decision_tree",
    title="Decision tree",
    family="classification",
    summary="Cuts the plane along its axes, each time where the parts become purest; classes or values.",
    params=Params,
    reads_categories=True,
    ignores_scale=True,
    run=run,
    views=views,
    captions=words.CAPTIONS,
    adopt=adopt,
    predict=predict,
    field=field,
    scores="probability",
    explain=explain,
    counterpart=counterpart,
    synonyms=("CART", "classification tree", "regression tree", "decision stump", "Gini", "recursive partitioning"),
    target="any",
    example="moons(n=200,noise=0.2,seed=1)",
    panels=(
        Panel("plane", "Regions", "data"),
        Panel("tree", "Tree", "none"),
        Panel("sweep", "Sweep", "own", x="threshold", y="Q after the cut", beside=True),
        Panel("depth", "Error by depth", "own", x="depth", y="error"),
        Panel("pruning", "Pruning", "own", x="α", y="error, leaves", log_x=True),
        Panel("importances", "Importances", "own", y="impurity taken away"),
        Panel("criteria", "Criteria", "own", x="fraction of class 2", y="impurity"),
    ),
    metrics=(
        Metric("error", "training error", group="error"),
        Metric("impurity", "mean impurity of the leaves", group="impurity"),
        Metric("leaves", "leaves", group="size", better="neither"),
        Metric("depth", "depth", group="size", better="neither"),
    ),
    pseudocode=(
        Line("all points are one region, the root", "start"),
        Line("for every region, level by level down to the depth:"),
        Line("    for each feature j: sweep s, Q(j, s) = Σ n_part/n · impurity(part)", "sweep"),
        Line("    cut at the least Q into x_j < s and x_j ≥ s", "split"),
        Line("    or leave it: pure, too few points, too little gain", "leaf"),
        Line("fold the weakest links: ΔR per leaf at most α", "prune"),
        Line("a leaf answers with its majority (its mean)       error = {error}", "done"),
    ),
    reference="Breiman, Friedman, Olshen and Stone, Classification and Regression Trees, 1984; Hastie, Tibshirani and "
    "Friedman, The Elements of Statistical Learning, section 9.2; Statistical Machine Learning (Orbanz), Tree "
    "classifiers, Decision stumps; Methods for Data Science §6.1.1-6.1.2; Introduction to Machine Learning §8.2",
    formulas=(
        r"Q(j, s) = \frac{n_L}{n} I(L) + \frac{n_R}{n} I(R) \;\to\; \min_{j,\, s}",
        r"\text{Gini:}\ I = 1 - \sum_c \pi_c^2 \qquad \text{cross-entropy:}\ I = -\sum_c \pi_c \log \pi_c",
        r"\text{misclassification:}\ I = 1 - \max_c \pi_c \qquad \text{squared error:}\ I = \frac{1}{n} \sum_i (y_i "
        r"- \bar{y})^2",
        r"g(t) = \frac{R(t) - R(T_t)}{|T_t| - 1}, \qquad R(T) + \alpha\, |T| \;\to\; \min",
    ),
    tries=words.TRIES,
    questions=(
        Question("At which threshold is Q least along the next feature?", "sweep", "shown.cut.threshold"),
        Question("How large is the training error after the next cut?", "split", "metrics.error"),
    ),
)
