"""The pictures of a growing tree: rectangles in the plane, the diagram, and the sweep of the criterion."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.classification.decision_tree.solver import FOLDS, PruningCurves
from algorithms.contract import Views
from algorithms.data import Array, Points
from algorithms.marks import (
    Bars,
    Curve,
    Dots,
    Mark,
    PointSizes,
    Rectangles,
    ReferenceLine,
    Regions,
    Segments,
    TreeDiagram,
)
from algorithms.maths.tree_growth import Cut, curve
from algorithms.maths.tree_marks import node_boxes
from algorithms.maths.trees import Criterion, Tree, impurity

if TYPE_CHECKING:
    from algorithms.classification.decision_tree.state import Given, Search, Shot

MOST_CURVES = 6
"""Features whose sweeps are drawn together, those with the best cuts; more cannot be told apart."""
DOTTED = 60
"""A sweep over fewer thresholds than this is drawn with a dot for each."""
MOST_BARS = 20
"""Features whose importances are drawn."""

_VALUES = Regions("value")


def question(given: Given, cut: Cut) -> str:
    """A cut as it is read: ``x1 < 0.43``."""
    return f"{given.data.features[cut.feature]} < {cut.threshold:.4g}"


def answer(given: Given, value: Array) -> str:
    """What a leaf answers: the majority class, or the mean."""
    return f"{value[0]:.4g}" if given.problem.real else given.data.classes[int(value.argmax())]


def views(shot: Shot) -> Views:
    """Every panel, with the nodes at work marked."""
    given, tree, shown = shot.given, shot.model, shot.shown
    problem, pruning = given.problem, shown.pruning
    owner = tree.leaf_of(given.data.X).astype(np.int32)
    ground = _values(given.data.X, tree) if problem.real else ()
    weighed = () if problem.weights is None else (PointSizes(problem.weights),)
    found: dict[str, tuple[Mark, ...]] = {
        "plane": (*ground, _boxes(shot, owner), *weighed),
        "tree": (_diagram(shot, owner),),
        "importances": (_importances(given.data, tree),),
    }
    if problem.classes == 2:
        found["criteria"] = _criteria(problem.criterion, tree, shown.active)
    if shown.search is not None:
        found["sweep"] = _sweep_marks(given, shown.search, tree)
    if shown.errors is not None:
        found["depth"] = _depth_marks(shown.errors, given.params.depth)
    if pruning is not None and pruning.alphas[-1] > 0.0:
        found["pruning"] = _pruning_marks(pruning, given.params.alpha)
    return found


def _boxes(shot: Shot, owner: Array) -> Rectangles:
    tree, cut, real = shot.model, shot.shown.cut, shot.given.problem.real
    leaves = np.flatnonzero(tree.child < 0)
    number = np.cumsum(tree.child < 0) - 1  # the rectangles are the leaves in the order of the nodes
    low, high = node_boxes(tree, shot.given.data.d)
    return Rectangles(
        low[leaves],
        high[leaves],
        None if real else tree.value.argmax(axis=1)[leaves],
        None if real else tree.value[leaves].max(axis=1),
        number[owner].astype(np.int32),
        active=tuple(int(number[node]) for node in shot.shown.active if tree.child[node] < 0),
        cut=None if cut is None else (cut.feature, cut.threshold),
    )


def _diagram(shot: Shot, owner: Array) -> TreeDiagram:
    given, tree = shot.given, shot.model
    names, real = given.data.features, given.problem.real
    parent = np.full(len(tree.child), -1, dtype=np.int32)
    inner = np.flatnonzero(tree.child >= 0)
    parent[tree.child[inner]] = parent[tree.child[inner] + 1] = inner
    texts = tuple(
        answer(given, tree.value[node]) if feature < 0 else f"{names[feature]} < {threshold:.3g}"
        for node, (feature, threshold) in enumerate(zip(tree.feature.tolist(), tree.threshold.tolist()))
    )
    return TreeDiagram(
        parent,
        texts,
        tree.count,
        None if real else tree.value,
        None if real else tree.value.argmax(axis=1),
        tree.value[:, 0] if real else None,
        tree.feature,
        tree.threshold,
        owner,
        active=shot.shown.active,
    )


def _values(X: Array, tree: Tree) -> tuple[Mark, ...]:
    """The fitted values of a real target: shading, or over one feature a curve of steps."""
    if X.shape[1] > 1:
        return (_VALUES,)
    thresholds = np.sort(tree.threshold[tree.feature >= 0])
    low, high = float(X.min()), float(X.max())
    margin = 0.05 * (high - low) or 1.0
    ends = np.concatenate([[low - margin], thresholds, [high + margin]])
    height = tree.value[tree.leaf_of(np.concatenate([[low], thresholds])[:, None]), 0]
    return (Curve(np.repeat(ends, 2)[1:-1], np.repeat(height, 2), "mean of the region"),)


def _sweep_marks(given: Given, search: Search, tree: Tree) -> tuple[Mark, ...]:
    """The criterion over the thresholds, with the best cut so far."""
    sweep, region, best = search.sweep, search.region, search.best
    order = [j for j in range(search.shown) if sweep.place[j][region] >= 0]
    if len(order) > MOST_CURVES:
        order = sorted(sorted(order, key=lambda j: sweep.least[j][region])[:MOST_CURVES])
    marks: list[Mark] = [_curve(given, search, j) for j in order]
    node = int(search.level.nodes[region])
    marks.append(ReferenceLine(float(tree.impurity[node]), "without a cut", axis="y"))
    at = float(given.axis.scaled(best.feature, np.array(best.threshold)))
    return (*marks, ReferenceLine(at, question(given, best), axis="x"))


def _curve(given: Given, search: Search, feature: int) -> Curve:
    at, cost = curve(given.data.X, search.level, search.sweep, feature, search.region)
    return Curve(given.axis.scaled(feature, at), cost, given.axis.name(feature), dots=len(at) < DOTTED)


def _depth_marks(errors: Array, depth: int) -> tuple[Mark, ...]:
    depths = np.arange(errors.shape[1], dtype=np.float64)
    return (
        Curve(depths, errors[0], "training", dots=True),
        Curve(depths, errors[1], f"{FOLDS}-fold cross-validation", dots=True),
        ReferenceLine(float(depth), f"depth = {depth}", handle="depth"),
    )


def _pruning_marks(pruning: PruningCurves, alpha: float) -> tuple[Mark, ...]:
    """Both errors over α, and the leaves beside those of the whole tree: the same between two links."""
    least = float(pruning.alphas[pruning.alphas > 0.0][0]) / 3.0  # where 0 stands on a logarithmic axis
    starts = np.maximum(pruning.alphas, least)
    at = np.column_stack([starts, np.append(starts[1:], 2.0 * starts[-1])]).ravel()
    curves = (
        (pruning.training, "training error"),
        (pruning.others, f"{FOLDS}-fold cross-validation"),
        (pruning.leaves / pruning.leaves[0], f"leaves, of {pruning.leaves[0]:.0f}"),
    )
    stairs = tuple(Curve(at, np.repeat(values, 2), name) for values, name in curves)
    return (*stairs, ReferenceLine(min(max(alpha, least), float(at[-1])), f"α = {alpha:.3g}", handle="alpha"))


def _importances(data: Points, tree: Tree) -> Bars:
    """What the cuts along each feature have taken away of the impurity, the largest first."""
    inner = np.flatnonzero(tree.child >= 0)
    gained = tree.gain[inner] * tree.weight[inner] / tree.weight[0]
    found = np.bincount(tree.feature[inner], gained, minlength=data.d)
    shown = np.argsort(-found, kind="stable")[:MOST_BARS] if data.d > MOST_BARS else np.arange(data.d)
    return Bars(found[shown], tuple(data.features[j] for j in shown.tolist()))


def _criteria(criterion: Criterion, tree: Tree, active: tuple[int, ...]) -> tuple[Mark, ...]:
    """The impurities over the fraction of one of two classes, and where the latest cut has brought its region.

    The gain of a cut is the height of its region above the chord between the two parts: it is largest for a criterion
    that is strongly curved.
    """
    p = np.linspace(0.0, 1.0, 201)
    counts = np.column_stack([1.0 - p, p])
    names: tuple[tuple[Criterion, str], ...] = (
        ("gini", "Gini"),
        ("cross-entropy", "cross-entropy"),
        ("misclassification", "misclassification"),
    )
    marks: list[Mark] = [Curve(p, impurity(counts, which), name) for which, name in names]
    parts = tree.value[list(active), 1] if active else np.empty(0)
    if len(parts) == 2 and tree.child[active[0]] < 0:
        parent = int(np.flatnonzero(tree.child == active[0])[0])
        at = np.append(parts, tree.value[parent, 1])
        heights = impurity(np.column_stack([1.0 - at, at]), criterion)
        marks.append(Segments(np.array([[at[0], heights[0]]]), np.array([[at[1], heights[1]]]), "link", name="chord"))
        marks.append(Dots(np.column_stack([at[:2], heights[:2]]), "parts"))
        marks.append(Dots(np.array([[at[2], heights[2]]]), "region before the cut", known=True))
    return tuple(marks)
