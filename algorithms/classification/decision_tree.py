"""Decision tree: the plane is cut along its axes until every rectangle holds (nearly) one class, or one value.

A cut (j, s) sends the points with x_j < s to the left and those with x_j >= s to the right. Each region is cut where
the impurity I of its two parts, weighted by their points, is least; there is no looking back and no looking ahead:

    Q(j, s) = n_left/n I(left) + n_right/n I(right)  ->  min over features j and thresholds s
    Gini I = 1 - Σ π²,   cross-entropy I = -Σ π log π,   misclassification I = 1 - max π     (π: shares of the classes)
    squared error I = 1/n Σ (y - mean)², when the target is a real value

A leaf answers with its majority class, or with its mean. A tree of depth 1 is a decision stump. A cut that gains
nothing is allowed while ``min_gain`` is 0, because the next one may gain (XOR); of equally good cuts the one that
halves the points best is taken, then the first feature and the least threshold.

Reference: TREE CLASSIFIERS (001; Q is the misclassified share); §6.1 (002); §8.2 (004); Breiman, Friedman, Olshen,
Stone, "Classification and Regression Trees" (1984).
"""

from __future__ import annotations

import itertools
from collections.abc import Generator
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from algorithms.classification._tree import CLASS_CRITERIA, Criterion, Cut, Growth, Problem, Sweep, Tree, impurity
from algorithms.classification._tree_frames import Search, Stage
from algorithms.contract import Algorithm, Explanation, Line, Metric, Panel, Run, Snapshot, Stop
from algorithms.data import Array, DataError, Item, Points
from algorithms.params import Between, Doc

__all__ = ["ALGORITHM", "Params", "Tree", "explain", "field", "impurity", "predict", "run"]

WATCHED = 127
"""Cuts that are shown one by one; after these a frame shows ``BATCH`` of them."""
BATCH = 64
FEW_FEATURES = 3
"""Up to this many features, each has a frame of its own in the sweep."""
LARGEST = 1e150
"""The square of a larger target is not a number any more."""


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
        Doc("Least share of the root's impurity a cut must take away; 0 also allows cuts that gain nothing yet."),
    ] = 0.0
    by_depth: Annotated[
        int, Between(0, 20), Doc("Draw the error against the depth up to this one, cross-validated; 0 draws nothing.")
    ] = 0


def run(data: Points, params: Params, rng: np.random.Generator, start: Tree | None = None) -> Run:
    """Cut level by level: sweep the thresholds of a region, choose the least Q, cut or leave it a leaf."""
    problem = make_problem(data, params)
    growth = Growth(problem, params.depth)
    stage = Stage(data, growth, params.depth)
    yield stage.frame("start", opening(stage, params), (0,))
    cuts = 0
    for _ in range(params.depth):
        sweep = growth.search()
        for region, node in enumerate(growth.level.nodes.tolist()):
            cut = growth.best_cut(sweep, region)
            refusal = growth.refusal(region, cut)
            watched = cuts < WATCHED
            if refusal or cut is None:
                if watched:
                    yield stage.frame("leaf", leaf_words(stage, node, refusal, params), (node,))
                continue
            if watched:
                yield from sweep_frames(stage, sweep, region, cut)
            growth.split(region, cut)
            cuts += 1
            if watched or cuts % BATCH == 0:
                stage.refresh()
                children = (growth.nodes - 2, growth.nodes - 1)
                yield stage.frame("split", split_words(stage, node, cut, cuts), children, cut)
        if not growth.go_down():
            break
    stage.refresh()
    yield from ending(stage, params, rng)
    return Stop.COMPLETE


def make_problem(data: Points, params: Params) -> Problem:
    """The target as numbers: indicators of the classes, or values."""
    if data.y is None:
        raise DataError("A decision tree needs a class or a value for every point; this data set has neither.")
    if data.is_labelled:
        return Problem(data.X, data.y, len(data.classes), params.criterion, params.min_leaf, params.min_gain)
    if np.abs(data.y).max() > LARGEST:
        raise DataError("The target is too large to be squared; divide it by a constant first.")
    return Problem(data.X, data.y, 0, "squared error", params.min_leaf, params.min_gain)


def sweep_frames(stage: Stage, sweep: Sweep, region: int, cut: Cut) -> Generator[Snapshot]:
    """The criterion over the thresholds: feature by feature when there are few, otherwise all at once."""
    growth, d = stage.growth, len(sweep.place)
    node = int(growth.level.nodes[region])
    if d > FEW_FEATURES:
        stage.search = Search(growth.level, sweep, region, cut, d)
        yield stage.frame("sweep", sweep_words(stage, node, cut, cut), (node,), cut)
        return
    for shown in range(1, d + 1):
        own = sweep.cut(shown - 1, region)
        if own is None:
            continue
        best = cut if shown == d else growth.best_cut(sweep, region, range(shown)) if shown > 1 else own
        assert best is not None
        stage.search = Search(growth.level, sweep, region, best, shown)
        yield stage.frame("sweep", sweep_words(stage, node, own, best), (node,), own)


def ending(stage: Stage, params: Params, rng: np.random.Generator) -> Generator[Snapshot]:
    """The finished tree, and how deep it should have been."""
    found = stage.metrics
    words = f"The tree is complete: {count(int(found['leaves']), 'leaf', 'leaves')}, {error_words(stage, found)}"
    if params.by_depth == 0 or stage.data.n < 2:
        yield stage.frame("done", words + ".")
        return
    best = stage.cross_validate(params.by_depth, rng)
    yield stage.frame("done", f"{words}; by cross-validation a depth of {best:.0f} is best.")


# --- words ----------------------------------------------------------------------------------------------------------


def opening(stage: Stage, params: Params) -> str:
    """The first sentence: one region, its answer, and which criterion counts."""
    region = f"One region holds all {count(stage.data.n, 'point')} and answers {stage.answer(0)}"
    words = f"{region}; {named(stage)} = {stage.tree.impurity[0]:.4g}."
    if not stage.problem.real and params.criterion == "squared error":
        return words + " For classes the squared error of the indicators is Gini's index."
    if stage.problem.real and params.criterion in CLASS_CRITERIA:
        return words + " The target is a real value, so the squared error decides."
    return words


def named(stage: Stage) -> str:
    """The criterion as a caption calls it."""
    return {"gini": "Gini", "squared error": "the mean squared error"}.get(
        stage.problem.criterion, f"the {stage.problem.criterion}"
    )


def sweep_words(stage: Stage, node: int, own: Cut, best: Cut) -> str:
    """What the sweep of one feature has found."""
    points = count(int(stage.tree.count[node]), "point")
    found = f"Sweeping {stage.data.features[own.feature]} over {points}: Q is least at {stage.question(own)}"
    numbers = f"{found}, Q = {own.cost:.4g} instead of {stage.tree.impurity[node]:.4g}"
    if best.feature == own.feature:
        return numbers + "."
    return f"{numbers}; {stage.question(best)} stays better with Q = {best.cost:.4g}."


def split_words(stage: Stage, node: int, cut: Cut, cuts: int) -> str:
    """What a cut has done."""
    tree = stage.tree
    left, right = (int(tree.count[tree.child[node] + side]) for side in (0, 1))
    words = f"{stage.question(cut)} cuts {tree.count[node]} points into {left} and {right}: {named(stage)} falls from "
    words += f"{tree.impurity[node]:.4g} to {cut.cost:.4g}, a gain of {tree.gain[node]:.4g}"
    if tree.gain[node] <= 1e-9 * tree.impurity[0]:
        words = f"{stage.question(cut)} cuts {tree.count[node]} points into {left} and {right} and gains nothing; "
        words += "only the next cuts can tell whether it was worth while"
    return f"{words} (cut {cuts})." if cuts > WATCHED else words + "."


def leaf_words(stage: Stage, node: int, refusal: str, params: Params) -> str:
    """Why a region stays a leaf."""
    points, answer = count(int(stage.tree.count[node]), "point"), stage.answer(node)
    if refusal == "pure":
        alike = "the same value" if stage.problem.real else "the same class"
        return f"A pure region is a leaf: {points} of {alike}, answer {answer}."
    if refusal == "plateau":
        need = params.min_gain * stage.tree.impurity[0]
        return f"No cut of these {points} takes away {need:.3g} of the tree's impurity (min gain); answer {answer}."
    return f"No cut leaves {params.min_leaf} or more of these {points} on both sides (min leaf); answer {answer}."


def error_words(stage: Stage, found: dict[str, float]) -> str:
    """The training error in words."""
    if stage.problem.real:
        return f"{found['error']:.1%} of the variance is left"
    return f"{found['error']:.1%} of the training points are wrong"


def count(number: int, one: str, many: str = "") -> str:
    """A number with its noun."""
    return f"{number} {one}" if number == 1 else f"{number} {many or one + 's'}"


# --- answers --------------------------------------------------------------------------------------------------------


def predict(model: Tree, X: Array) -> Array:
    """The majority class (n,) of the leaf of every point, or its mean."""
    answers = model.value[:, 0] if model.real else model.value.argmax(axis=1)
    return answers.take(model.leaf_of(X))


def field(model: Tree, X: Array) -> Array:
    """The share (n,) of the second of two classes, the shares (n, c) of more, or the mean (n,)."""
    leaf = model.leaf_of(X)
    if model.real:
        return model.value[:, 0].take(leaf)
    return model.value[:, 1].take(leaf) if model.value.shape[1] == 2 else model.value.take(leaf, axis=0)


def explain(model: Tree, data: Points, item: Item) -> Explanation:
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
        answer[f"share of {_class_name(data, number)}"] = float(model.value[leaf, number])
    answer["answer"] = _class_name(data, int(model.value[leaf].argmax()))
    return answer


def _class_name(data: Points, number: int) -> str:
    return data.classes[number] if number < len(data.classes) else f"class {number + 1}"


ALGORITHM = Algorithm(
    key="decision_tree",
    title="Decision tree",
    family="classification",
    summary="Cuts the plane along its axes, each time where the parts become purest; classes or values.",
    params=Params,
    run=run,
    predict=predict,
    field=field,
    scores="probability",
    explain=explain,
    target="any",
    example="moons(n=200,noise=0.2,seed=1)",
    panels=(
        Panel("plane", "Regions", "data"),
        Panel("tree", "Tree", "none"),
        Panel("sweep", "Sweep", "own", x="threshold", y="Q after the cut", beside=True),
        Panel("depth", "Error by depth", "own", x="depth", y="error"),
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
        Line("a leaf answers with its majority (its mean)       error = {error}", "done"),
    ),
    reference="001 TREE CLASSIFIERS, DECISION STUMPS; 002 §6.1.1-6.1.2; 004 §8.2",
)
