"""The pictures of AdaBoost: weights as sizes, the learner dashed, the vote, errors, margins, axes and the simplex."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Views
from algorithms.data import Array
from algorithms.ensembles.adaboost.solver import State, margins, points_apart
from algorithms.marks import (
    OPEN,
    Bars,
    Curve,
    Dots,
    Highlight,
    Isolines,
    Mark,
    Multiples,
    Paths,
    PointSizes,
    Polygons,
    Rectangles,
    ReferenceLine,
    Regions,
    Scatter,
)
from algorithms.maths.forests import tree_importances
from algorithms.maths.histograms import histogram_outline
from algorithms.maths.tree_marks import leaf_boxes

if TYPE_CHECKING:
    from algorithms.ensembles.adaboost import Given, Shot, Shown

MOST_CURVES = 6
"""Features whose sweeps are drawn together, those with the least errors."""
MOST_AXES = 24
"""Features whose votes are drawn, those with most."""
BINS = 30
"""Of the margins, from -1 to 1."""
FEW_WRONG = 3000
"""Points that a learner got wrong are ringed where there are no more points than this."""
LARGE = 6.0
"""A point that weighs so many times the mean has the largest halo; beyond that the others shrink."""
LARGEST = 10.0
"""The exponential loss is drawn up to here."""
DOTTED = 40
CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 0.75**0.5]])
GOLDEN = (5.0**0.5 - 1.0) / 2.0
"""The weights of the cycle of three: a half, half of this, and what is left."""


def by_axis(given: Given, state: State) -> Array:
    """The votes (d,) of those who cut along each feature; a tree divides its own by what its cuts have gained."""
    found = np.zeros(given.data.d)
    first = 0
    for grove, trees in state.stumps.parts():
        importances = tree_importances(grove, trees, given.data.d)
        found += state.alphas[first : first + trees] @ importances
        first += trees
    return found


def views(shot: Shot) -> Views:
    """The marks of a frame."""
    given, shown, state = shot.given, shot.shown, shot.shown.state
    found: dict[str, tuple[Mark, ...]] = {
        "plane": _plane(given, state, shown),
        "sweep": _sweep(given, state, shown),
        "losses": _losses(given, state),
        "simplex": _simplex(given, state),
    }
    if state.rounds:
        found["margins"] = _margins(given, state)
        found["axes"] = _axes(given, state)
        name = "stump" if given.task.stump else "tree"
        found["learners"] = (Multiples(state.stumps, given, name, numbers=state.alphas, numbers_name="α"),)
    return found


def _plane(given: Given, state: State, shown: Shown) -> tuple[Mark, ...]:
    usual = 1.0 / float(np.count_nonzero(given.task.training))
    marks: list[Mark] = [PointSizes(state.weights, "weight", largest=min(LARGE * usual, 0.5))]
    if state.rounds:
        marks = [Regions("signed"), *marks, Isolines((0.0,))]
    cut, tree = shown.cut_across, shown.learner
    if cut is not None:
        everywhere = np.full((1, given.data.d), OPEN)
        marks.append(Rectangles(-everywhere, everywhere, cut=cut))
    elif tree is not None and len(tree.child) > 3:
        marks.append(Rectangles(*leaf_boxes(tree, given.data.d)))
    if shown.wrong is not None and given.data.n <= FEW_WRONG:
        wrong = np.flatnonzero(shown.wrong & given.task.training)
        if len(wrong):
            marks.append(Highlight(wrong, "changed", "wrong by this learner"))
    if not given.task.training.all() and given.data.n <= FEW_WRONG:
        marks.append(Highlight(np.flatnonzero(~given.task.training), "free", "held out"))
    return tuple(marks)


def _sweep(given: Given, state: State, shown: Shown) -> tuple[Mark, ...]:
    """The weighted error over the thresholds; of the feature that is swept now only as far as the stump has come.

    When the weights have changed it is that of the next round: the stump of now stands at one half.
    """
    task, trying = given.task, shown.cut
    until = given.data.d if trying is None else trying[0] + 1
    curves = [(j, *task.errors_along(j, state.weights)) for j in range(until)]
    curves = [curve for curve in curves if len(curve[1])]
    if len(curves) > MOST_CURVES:
        curves = sorted(sorted(curves, key=lambda curve: float(curve[2].min()))[:MOST_CURVES])
    marks: list[Mark] = []
    for feature, at, errors in curves:
        far = len(at)
        if trying is not None and feature == trying[0]:
            far = int(np.searchsorted(at, trying[1], "right"))
        marks.append(
            Curve(given.axis.scaled(feature, at[:far]), errors[:far], given.axis.name(feature), dots=len(at) < DOTTED)
        )
    if task.stump:
        marks.append(ReferenceLine(task.without_a_cut(state.weights), "without a cut", axis="y"))
    cut = shown.cut_across
    if cut is not None and curves:
        place = float(given.axis.scaled(cut[0], np.array(cut[1])))
        marks.append(ReferenceLine(place, f"{given.data.features[cut[0]]} = {cut[1]:.3g}"))
    return tuple(marks)


def _losses(given: Given, state: State) -> tuple[Mark, ...]:
    rounds = np.arange(len(state.track), dtype=np.float64)
    dots = len(rounds) <= DOTTED
    marks: list[Mark] = [
        Curve(rounds, state.track[:, 0], "training error (0-1 loss)", dots=dots),
        Curve(rounds, np.minimum(state.track[:, 1], LARGEST), "exponential loss", dots=dots),
    ]
    if not given.task.training.all():
        marks.append(Curve(rounds, state.track[:, 2], "error of the points held out", dots=dots))
    return tuple(marks)


def _margins(given: Given, state: State) -> tuple[Mark, ...]:
    """The histogram of the margins: wrong points below 0, and the least margin."""
    training = given.task.training
    found = margins(state.votes[training], given.task.problem.target[training], float(state.alphas.sum()))
    edges = np.linspace(-1.0, 1.0, BINS + 1)
    heights = np.histogram(np.clip(found, -1.0, 1.0), edges)[0] * (BINS / 2.0 / len(found))
    half = BINS // 2
    sides = (histogram_outline(edges[: half + 1], heights[:half]), histogram_outline(edges[half:], heights[half:]))
    marks: list[Mark] = [
        Polygons(sides[1:], np.zeros(1, dtype=int), filled=True, name="right"),
        Polygons(sides[:1], np.ones(1, dtype=int), filled=True, name="wrong"),
    ]
    return (*marks, ReferenceLine(float(found.min()), "least margin"))


def _axes(given: Given, state: State) -> tuple[Mark, ...]:
    totals = by_axis(given, state)
    order = np.sort(np.argsort(-totals, kind="stable")[:MOST_AXES])
    return (Bars(totals[order], tuple(given.data.features[j] for j in order)),)


def _simplex(given: Given, state: State) -> tuple[Mark, ...]:
    """Where the weights of three points are between the corners of a triangle, as they change from round to round."""
    history = np.stack(state.past)
    points = points_apart(history)
    if len(points) < 3:
        return ()
    history = history[:, points]
    total = history.sum(axis=1, keepdims=True)
    relative = np.divide(history, total, out=np.full(history.shape, 1.0 / 3.0), where=total > 0.0)
    marks: list[Mark] = [
        Polygons((CORNERS,)),
        Scatter(CORNERS, points=points, equal=True, names=tuple(f"point {k + 1}" for k in points), x=" ", y=" "),
    ]
    if given.data.n == 3:
        golden = np.array([0.5, GOLDEN / 2.0, 0.5 - GOLDEN / 2.0])
        around = golden[[[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]]
        half = (CORNERS + np.roll(CORNERS, 1, axis=0)) / 2.0
        marks.append(Polygons((half,), dashed=True, name="one point weighs a half"))
        marks.append(Dots(around @ CORNERS, f"½, {golden[1]:.3f}, {golden[2]:.3f} in any order", known=True))
    return (*marks, Paths((relative @ CORNERS)[:, None], ("weights, round by round",)))
