"""The frames of a growing tree: rectangles in the plane, the diagram, the sweep of the criterion, and words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from algorithms.classification._tree import Cut, Growth, Problem, Sweep, errors_by_depth, grown
from algorithms.contract import Snapshot
from algorithms.dataset import Array, Points
from algorithms.marks import Curve, Mark, Rectangles, Regions, Rule, TreeDiagram

MOST_CURVES = 6
"""Features whose sweeps are drawn together, those with the best cuts; more cannot be told apart."""
DOTTED = 60
"""A sweep over fewer thresholds than this is drawn with a dot for each."""
FOLDS = 5
ALIKE = 3.0
"""Features whose common range is at most this many times each of theirs share one axis of thresholds."""

_VALUES = Regions("value")


class Stage:
    """What the frames of one run have in common. Pictures are made anew only when the tree has changed."""

    def __init__(self, data: Points, growth: Growth, depth: int) -> None:
        self.data, self.growth, self.problem = data, growth, growth.problem
        self.depth = depth
        self.sweep: tuple[Mark, ...] = ()
        self._low, self._span = _axes(data.X)
        self._errors = np.empty((2, 0))
        self.refresh()

    def refresh(self) -> None:
        """The tree has changed: draw it again."""
        growth = self.growth
        self.tree = tree = growth.tree()
        leaves = growth.leaves
        leaf_number = np.cumsum(tree.child < 0) - 1  # the rectangles are the leaves in the order of the nodes
        owner = growth.node_of.copy()
        groups = tree.value.argmax(axis=1)
        sure = None if self.problem.real else tree.value[leaves].max(axis=1)
        self._boxes = Rectangles(
            growth.low[leaves],
            growth.high[leaves],
            None if self.problem.real else groups[leaves],
            sure,
            leaf_number[owner].astype(np.int32),
        )
        self._leaf_number = leaf_number
        parent = np.full(len(tree.child), -1, dtype=np.int32)
        inner = np.flatnonzero(tree.child >= 0)
        parent[tree.child[inner]] = parent[tree.child[inner] + 1] = inner
        self._diagram = TreeDiagram(
            parent,
            self._all_texts(),
            tree.count,
            None if self.problem.real else tree.value,
            None if self.problem.real else groups,
            tree.value[:, 0] if self.problem.real else None,
            tree.feature,
            tree.threshold,
            owner,
        )
        self._ground = self._values() if self.problem.real else ()
        self.metrics = self._measure()

    def frame(self, phase: str, caption: str, active: Iterable[int] = (), cut: Cut | None = None) -> Snapshot:
        """The frame of the tree as it stands, with these nodes marked as the ones at work."""
        nodes = tuple(active)
        boxes = tuple(int(self._leaf_number[node]) for node in nodes if self.tree.child[node] < 0)
        across = None if cut is None else (cut.feature, cut.threshold)
        views: dict[str, tuple[Mark, ...]] = {
            "plane": (*self._ground, replace(self._boxes, active=boxes, cut=across)),
            "tree": (replace(self._diagram, active=nodes),),
        }
        if self.sweep:
            views["sweep"] = self.sweep
        if self._errors.size:
            views["depth"] = self._depth_marks()
        return Snapshot(self.tree, views, self.metrics, phase, caption)

    def _measure(self) -> dict[str, float]:
        """How good and how large the tree is."""
        tree, leaves = self.tree, self.tree.child < 0
        weights = tree.count[leaves] / tree.count[0]
        mean = float(weights @ tree.impurity[leaves])
        if self.problem.real:
            error = mean / float(tree.impurity[0]) if tree.impurity[0] > 0.0 else 0.0
        else:
            error = float(weights @ (1.0 - tree.value[leaves].max(axis=1)))
        return {"error": error, "impurity": mean, "leaves": int(leaves.sum()), "depth": int(tree.depth.max())}

    # -- the sweep -------------------------------------------------------------------------------------------------

    def show_sweep(self, sweeps: tuple[Sweep, ...], region: int, cut: Cut, shown: int) -> None:
        """The criterion over the thresholds of the first ``shown`` features, with the best cut so far."""
        node = int(self.growth.level.nodes[region])
        order = [j for j in range(shown) if sweeps[j].place[region] >= 0]
        if len(order) > MOST_CURVES:
            order = sorted(sorted(order, key=lambda j: sweeps[j].least[region])[:MOST_CURVES])
        marks: list[Mark] = [self._curve(sweeps[j], j, region) for j in order]
        marks.append(Rule(float(self.tree.impurity[node]), "without a cut", axis="y"))
        marks.append(Rule(float(self._scaled(cut.feature, np.array(cut.threshold))), self.question(cut), axis="x"))
        self.sweep = tuple(marks)

    def _curve(self, sweep: Sweep, feature: int, region: int) -> Curve:
        at, cost = self.growth.curve(sweep, feature, region)
        name = self.data.features[feature] + ("" if self._low is None else " (share of its range)")
        return Curve(self._scaled(feature, at), cost, name, dots=len(at) < DOTTED)

    def _scaled(self, feature: int, at: Array) -> Array:
        """Where thresholds stand on the common axis."""
        return at if self._low is None else at / self._span[feature] - self._low[feature] / self._span[feature]

    # -- error by depth --------------------------------------------------------------------------------------------

    def cross_validate(self, depth: int, rng: np.random.Generator) -> float:
        """Training and cross-validated error of trees of every depth up to this one; gives the best depth."""
        folds = min(FOLDS, self.data.n)
        problem, fold = self.problem, rng.permutation(self.data.n) % folds
        whole = grown(problem, depth)
        unit = float(whole.impurity[0]) or 1.0 if problem.real else 1.0
        self._errors = np.empty((2, depth + 1))
        self._errors[0] = errors_by_depth(whole, problem.X, problem.codes, problem.real, depth) / unit
        errors = np.zeros(depth + 1)
        for number in range(folds):
            inside, outside = fold != number, fold == number
            tree = grown(_part(problem, inside), depth)
            share = errors_by_depth(tree, problem.X[outside], problem.codes[outside], problem.real, depth)
            errors += outside.mean() * share / unit
        self._errors[1] = errors
        return float(errors.argmin())

    def _depth_marks(self) -> tuple[Mark, ...]:
        depths = np.arange(self._errors.shape[1], dtype=np.float64)
        return (
            Curve(depths, self._errors[0], "training", dots=True),
            Curve(depths, self._errors[1], f"{FOLDS}-fold cross-validation", dots=True),
            Rule(float(self.depth), "depth (drag to change)", handle="depth"),
        )

    # -- words -----------------------------------------------------------------------------------------------------

    def question(self, cut: Cut) -> str:
        """A cut as it is read: ``x1 < 0.43``."""
        return f"{self.data.features[cut.feature]} < {cut.threshold:.4g}"

    def answer(self, node: int) -> str:
        """What a leaf answers: the majority class, or the mean."""
        value = self.tree.value[node]
        return f"{value[0]:.4g}" if self.problem.real else self.data.classes[int(value.argmax())]

    def _all_texts(self) -> tuple[str, ...]:
        names, tree = self.data.features, self.tree
        return tuple(
            self.answer(node) if feature < 0 else f"{names[feature]} < {threshold:.3g}"
            for node, (feature, threshold) in enumerate(zip(tree.feature.tolist(), tree.threshold.tolist()))
        )

    def _values(self) -> tuple[Mark, ...]:
        """The fitted values of a real target: shading, or over one feature a curve of steps."""
        X = self.data.X
        if X.shape[1] > 1:
            return (_VALUES,)
        thresholds = np.sort(self.tree.threshold[self.tree.feature >= 0])
        low, high = float(X.min()), float(X.max())
        margin = 0.05 * (high - low) or 1.0
        ends = np.concatenate([[low - margin], thresholds, [high + margin]])
        height = self.tree.value[self.tree.leaf_of(np.concatenate([[low], thresholds])[:, None]), 0]
        return (Curve(np.repeat(ends, 2)[1:-1], np.repeat(height, 2), "mean of the region"),)


def _axes(X: Array) -> tuple[Array | None, Array]:
    """Where each feature begins and how far it goes; no beginning is needed where all share one axis."""
    low, high = X.min(axis=0), X.max(axis=0)
    span = np.where(high > low, high - low, 1.0)
    common = high.max() / 2 - low.min() / 2
    return (None if common <= ALIKE / 2 * span.min() else low), span


def _part(problem: Problem, rows: Array) -> Problem:
    return replace(problem, X=problem.X[rows], codes=problem.codes[rows])
