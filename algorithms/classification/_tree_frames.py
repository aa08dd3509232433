"""The frames of a growing tree: rectangles in the plane, the diagram, the sweep of the criterion, and words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from algorithms.classification._tree import (
    Cut,
    Growth,
    Level,
    Problem,
    Sweep,
    Tree,
    curve,
    errors_by_depth,
    grown,
    rooms,
)
from algorithms.contract import FrozenDict, LazyViews, Snapshot, frozen
from algorithms.data import Array, Points
from algorithms.marks import Curve, Mark, Rectangles, ReferenceLine, Regions, TreeDiagram

MOST_CURVES = 6
"""Features whose sweeps are drawn together, those with the best cuts; more cannot be told apart."""
DOTTED = 60
"""A sweep over fewer thresholds than this is drawn with a dot for each."""
FOLDS = 5
ALIKE = 3.0
"""Features whose common range is at most this many times each of theirs share one axis of thresholds."""

_VALUES = Regions("value")


@dataclass(frozen=True, eq=False)
class Scene:
    """What the frames of one run have in common."""

    data: Points
    problem: Problem
    depth: int

    @cached_property
    def axes(self) -> tuple[Array | None, Array]:
        """Where each feature begins and how far it goes; no beginning is needed where all share one axis."""
        low, high = self.data.X.min(axis=0), self.data.X.max(axis=0)
        span = np.where(high > low, high - low, 1.0)
        common = high.max() / 2 - low.min() / 2
        return frozen((None if common <= ALIKE / 2 * span.min() else low, span))

    def scaled(self, feature: int, at: Array) -> Array:
        """Where thresholds stand on the common axis."""
        low, span = self.axes
        return at if low is None else at / span[feature] - low[feature] / span[feature]

    def question(self, cut: Cut) -> str:
        """A cut as it is read: ``x1 < 0.43``."""
        return f"{self.data.features[cut.feature]} < {cut.threshold:.4g}"

    def answer(self, value: Array) -> str:
        """What a leaf answers: the majority class, or the mean."""
        return f"{value[0]:.4g}" if self.problem.real else self.data.classes[int(value.argmax())]


class Search(NamedTuple):
    """A region whose thresholds are being swept: the first ``shown`` features, and the best cut of them."""

    level: Level
    sweep: Sweep
    region: int
    best: Cut
    shown: int


def views(
    scene: Scene, tree: Tree, search: Search | None, errors: Array, active: tuple[int, ...], cut: Cut | None
) -> dict[str, tuple[Mark, ...]]:
    """Every panel, with these nodes marked as the ones at work."""
    owner = tree.leaf_of(scene.data.X).astype(np.int32)
    boxes, diagram = _boxes(scene, tree, owner, active, cut), _diagram(scene, tree, owner, active)
    ground = _values(scene.data.X, tree) if scene.problem.real else ()
    found: dict[str, tuple[Mark, ...]] = {"plane": (*ground, boxes), "tree": (diagram,)}
    if search is not None:
        found["sweep"] = _sweep_marks(scene, search, tree)
    if errors.size:
        found["depth"] = _depth_marks(errors, scene.depth)
    return found


def _boxes(scene: Scene, tree: Tree, owner: Array, active: tuple[int, ...], cut: Cut | None) -> Rectangles:
    leaves, real = np.flatnonzero(tree.child < 0), scene.problem.real
    number = np.cumsum(tree.child < 0) - 1  # the rectangles are the leaves in the order of the nodes
    low, high = rooms(tree, scene.data.d)
    return Rectangles(
        low[leaves],
        high[leaves],
        None if real else tree.value.argmax(axis=1)[leaves],
        None if real else tree.value[leaves].max(axis=1),
        number[owner].astype(np.int32),
        active=tuple(int(number[node]) for node in active if tree.child[node] < 0),
        cut=None if cut is None else (cut.feature, cut.threshold),
    )


def _diagram(scene: Scene, tree: Tree, owner: Array, active: tuple[int, ...]) -> TreeDiagram:
    names, real = scene.data.features, scene.problem.real
    parent = np.full(len(tree.child), -1, dtype=np.int32)
    inner = np.flatnonzero(tree.child >= 0)
    parent[tree.child[inner]] = parent[tree.child[inner] + 1] = inner
    texts = tuple(
        scene.answer(tree.value[node]) if feature < 0 else f"{names[feature]} < {threshold:.3g}"
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
        active=active,
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


def _sweep_marks(scene: Scene, search: Search, tree: Tree) -> tuple[Mark, ...]:
    """The criterion over the thresholds, with the best cut so far."""
    sweep, region, best = search.sweep, search.region, search.best
    order = [j for j in range(search.shown) if sweep.place[j][region] >= 0]
    if len(order) > MOST_CURVES:
        order = sorted(sorted(order, key=lambda j: sweep.least[j][region])[:MOST_CURVES])
    marks: list[Mark] = [_curve(scene, search, j) for j in order]
    node = int(search.level.nodes[region])
    marks.append(ReferenceLine(float(tree.impurity[node]), "without a cut", axis="y"))
    at = float(scene.scaled(best.feature, np.array(best.threshold)))
    return (*marks, ReferenceLine(at, scene.question(best), axis="x"))


def _curve(scene: Scene, search: Search, feature: int) -> Curve:
    at, cost = curve(scene.data.X, search.level, search.sweep, feature, search.region)
    name = scene.data.features[feature] + ("" if scene.axes[0] is None else " (share of its range)")
    return Curve(scene.scaled(feature, at), cost, name, dots=len(at) < DOTTED)


def _depth_marks(errors: Array, depth: int) -> tuple[Mark, ...]:
    depths = np.arange(errors.shape[1], dtype=np.float64)
    return (
        Curve(depths, errors[0], "training", dots=True),
        Curve(depths, errors[1], f"{FOLDS}-fold cross-validation", dots=True),
        ReferenceLine(float(depth), f"depth = {depth}", handle="depth"),
    )


class Stage:
    """The tree as it grows, and its frames."""

    def __init__(self, data: Points, growth: Growth, depth: int) -> None:
        self.data, self.growth, self.problem = data, growth, growth.problem
        self.scene = Scene(data, growth.problem, depth)
        self.search: Search | None = None
        self._errors = np.empty((2, 0))
        self.refresh()

    def refresh(self) -> None:
        """The tree has changed."""
        growth = self.growth
        self.tree = growth.tree()
        spread = max(growth.scatter / self.data.n, 0.0)
        error = growth.wrong / self.data.n
        if self.problem.real:
            error = spread / growth.root if growth.root > 0.0 else 0.0
        numbers = {"error": error, "impurity": spread, "leaves": float(growth.leaves), "depth": float(growth.deepest)}
        self.metrics = FrozenDict(numbers)  # the frames between two cuts share it

    def frame(self, phase: str, caption: str, active: tuple[int, ...] = (), cut: Cut | None = None) -> Snapshot:
        """The frame of the tree as it stands, with these nodes marked as the ones at work."""
        drawn = LazyViews(views, self.scene, self.tree, self.search, self._errors, active, cut)
        return Snapshot(self.tree, drawn, self.metrics, phase, caption)

    def question(self, cut: Cut) -> str:
        """A cut as it is read."""
        return self.scene.question(cut)

    def answer(self, node: int) -> str:
        """What a leaf answers."""
        return self.scene.answer(self.tree.value[node])

    def cross_validate(self, depth: int, rng: np.random.Generator) -> float:
        """Training and cross-validated error of trees of every depth up to this one; gives the best depth."""
        folds = min(FOLDS, self.data.n)
        problem, fold = self.problem, rng.permutation(self.data.n) % folds
        whole = grown(problem, depth)
        unit = float(whole.impurity[0]) or 1.0 if problem.real else 1.0
        training = errors_by_depth(whole, problem.X, problem.target, depth) / unit
        errors = np.zeros(depth + 1)
        for number in range(folds):
            inside, outside = fold != number, fold == number
            tree = grown(_part(problem, inside), depth)
            share = errors_by_depth(tree, problem.X[outside], problem.target[outside], depth)
            errors += outside.mean() * share / unit
        self._errors = np.stack([training, errors])
        return float(errors.argmin())


def _part(problem: Problem, rows: Array) -> Problem:
    return replace(problem, X=problem.X[rows], target=problem.target[rows])
