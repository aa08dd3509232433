"""The pictures of gradient boosting: the sum, the residuals and the new tree, the loss, and what the axes gained."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Views
from algorithms.data import Array
from algorithms.ensembles.gradient_boosting.solver import Round, State, beginning
from algorithms.marks import (
    Bars,
    Curve,
    Highlight,
    Isolines,
    Mark,
    PointSizes,
    Polygons,
    Rectangles,
    ReferenceLine,
    Regions,
    Scatter,
    Segments,
    TreeDiagram,
)
from algorithms.maths.forests import Forest
from algorithms.maths.histograms import bin_edges, histogram_outline
from algorithms.maths.tree_marks import leaf_boxes
from algorithms.maths.trees import Tree
from algorithms.maths.words import counted

if TYPE_CHECKING:
    from algorithms.ensembles.gradient_boosting import Given, Shot

MOST_AXES = 24
"""Features whose gains are drawn, those with most."""
FEW = 3000
"""Residuals and points held out are drawn one by one where there are no more points than this."""
DOTTED = 40


def views(shot: Shot) -> Views:
    """The marks of a frame."""
    given, state, found, phase = shot.given, shot.shown.state, shot.shown.found, shot.phase
    residuals = given.task.residuals(state.F) if found is None or phase == "add" else found.residuals
    drawn: dict[str, tuple[Mark, ...]] = {
        "plane": _plane(given, state, found, phase),
        "residuals": _residuals(given, state, found, residuals),
        "loss": _loss(given, state),
        "spread": _spread(given, residuals),
    }
    if found is not None:
        drawn["tree"] = (_diagram(given, found.tree),)
    if len(state.trees) and given.data.d > 1:
        drawn["axes"] = _axes(given, state)
    return drawn


def _plane(given: Given, state: State, found: Round | None, phase: str) -> tuple[Mark, ...]:
    data, task = given.data, given.task
    marks: list[Mark] = []
    if given.on_a_line:
        marks = [*_curves(given, state, found, phase)]
        if data.n <= FEW:
            x, inside = data.X[:, 0], task.rows
            above, below = (np.column_stack([x, height])[inside] for height in (task.target, state.F[:, 0]))
            marks.append(Segments(above, below, role="residual", points=inside, name="residual"))
    elif task.classes:
        size = np.abs(task.residuals(state.F)).max(axis=1)
        marks = [
            Regions("probability"),
            Isolines((0.5,)),
            PointSizes(np.where(task.training, size, 0.0), "residual", 1.0),
        ]
    else:
        marks = [Regions("value")]
    if found is not None and not given.on_a_line and len(found.tree.child) > 1:
        marks.append(Rectangles(*leaf_boxes(found.tree, data.d)))
    if not task.training.all() and data.n <= FEW:
        marks.append(Highlight(np.flatnonzero(~task.training), "free", "held out"))
    return tuple(marks)


def _curves(given: Given, state: State, found: Round | None, phase: str) -> list[Mark]:
    """The sum over one feature, and where it was before the last tree or would be with all of the new one."""
    trees, start = state.trees, float(state.start[0])
    now = _staircase(given, trees, start)
    marks: list[Mark] = [Curve(*now, f"sum of {counted(len(trees), 'tree')}")]
    if found is None:
        return marks
    if phase == "add":
        marks.append(
            Curve(*_staircase(given, trees.first(len(trees) - 1), float(state.start[0])), "before", quiet=True)
        )
    else:
        whole = trees.plus(found.groves[0])
        marks.append(Curve(*_staircase(given, whole, start), "with the whole new tree", quiet=True))
    return marks


def _staircase(given: Given, trees: Forest, start: float) -> tuple[Array, Array]:
    """The corners of a sum of trees over one feature."""
    x = given.data.X[:, 0]
    low, high = float(x.min()), float(x.max())
    margin = 0.04 * (high - low) or 1.0
    cuts = [grove.table.threshold[: grove.start[count]] for grove, count in trees.parts()]
    asked = [grove.table.feature[: grove.start[count]] >= 0 for grove, count in trees.parts()]
    inner = np.unique(np.concatenate([cut[ask] for cut, ask in zip(cuts, asked)])) if cuts else np.empty(0)
    places = np.concatenate([[low - margin], inner])
    height = start + (trees.total(places[:, None])[:, 0] if len(trees) else np.zeros(len(places)))
    ends = np.concatenate([places, [high + margin]])
    return np.repeat(ends, 2)[1:-1], np.repeat(height, 2)


def _residuals(given: Given, state: State, found: Round | None, residuals: Array) -> tuple[Mark, ...]:
    """The residuals over the feature with the new tree, or over the sum where there are several features."""
    task, inside = given.task, given.task.rows
    inside = inside if len(inside) <= FEW else inside[np.linspace(0, len(inside) - 1, FEW).astype(np.intp)]
    column = task.target if task.outputs > 1 else np.zeros(len(task.target), dtype=np.intp)
    own = residuals[np.arange(len(residuals)), column]
    if not given.on_a_line:
        at = state.F[np.arange(len(residuals)), column]
        name = "sum F of the right class" if task.outputs > 1 else "sum F"
        dots = Scatter(np.column_stack([at, own])[inside], points=inside, x=name)
        return dots, ReferenceLine(0.0, "residual 0", axis="y")
    dots = Scatter(np.column_stack([given.data.X[:, 0], own])[inside], points=inside, x=given.data.features[0])
    marks: list[Mark] = [dots, ReferenceLine(0.0, "residual 0", axis="y")]
    if found is not None:
        marks.append(Curve(*_staircase(given, Forest(found.groves, 1), 0.0), "new tree"))
    return tuple(marks)


def _loss(given: Given, state: State) -> tuple[Mark, ...]:
    rounds, dots = np.arange(len(state.track), dtype=np.float64), len(state.track) <= DOTTED
    marks: list[Mark] = [Curve(rounds, state.track[:, 0], "training", dots=dots)]
    if not given.task.training.all():
        marks.append(Curve(rounds, state.track[:, 2], "held out", dots=dots))
        marks.append(ReferenceLine(float(state.best), f"least held out: {state.best}"))
    return tuple(marks)


def _spread(given: Given, residuals: Array) -> tuple[Mark, ...]:
    """The residuals of the training points, at first and now, over the same bins."""
    task = given.task
    first = task.residuals(beginning(task).F)[task.training].ravel()
    now = residuals[task.training].ravel()
    edges = bin_edges(np.concatenate([first, now]))
    heights = [np.histogram(values, edges, density=True)[0] for values in (first, now)]
    return (
        Polygons((histogram_outline(edges, heights[0]),), dashed=True, name="at first"),
        Polygons((histogram_outline(edges, heights[1]),), np.zeros(1, dtype=int), filled=True, name="now"),
    )


def _diagram(given: Given, tree: Tree) -> TreeDiagram:
    parent = np.full(len(tree.child), -1, dtype=np.int32)
    inner = np.flatnonzero(tree.child >= 0)
    parent[tree.child[inner]] = parent[tree.child[inner] + 1] = inner
    names = given.data.features
    texts = tuple(
        f"{value:+.3g}" if feature < 0 else f"{names[feature]} < {threshold:.3g}"
        for feature, threshold, value in zip(tree.feature.tolist(), tree.threshold.tolist(), tree.value[:, 0].tolist())
    )
    owner = tree.leaf_of(given.data.X).astype(np.int32)
    return TreeDiagram(
        parent,
        texts,
        tree.count,
        values=tree.value[:, 0],
        features=tree.feature,
        thresholds=tree.threshold,
        owner=owner,
    )


def _axes(given: Given, state: State) -> tuple[Mark, ...]:
    """What the cuts along each feature have taken away of the squared residuals, over all trees."""
    gained = np.zeros(given.data.d)
    for grove, count in state.trees.parts():
        table, end = grove.table, int(grove.start[count])
        inner = np.flatnonzero(table.child[:end] >= 0)
        gains = table.gain[inner] * table.weight[inner]
        gained += np.bincount(table.feature[inner], gains, minlength=given.data.d)
    whole = float(gained.sum()) or 1.0
    order = np.sort(np.argsort(-gained, kind="stable")[:MOST_AXES])
    return (Bars(gained[order] / whole, tuple(given.data.features[j] for j in order)),)
