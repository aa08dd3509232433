"""The pictures of several classifiers: their lines, regions with ties, the votes on a point, and all scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Views
from algorithms.data import Array, Points
from algorithms.marks import Bars, DividingLine, Highlight, Isolines, Mark, Matrix, Regions, Segments, Table
from algorithms.maths.neuron_maps import extent_around, lines_around

if TYPE_CHECKING:
    from algorithms.classification.multi_class import Model, Shot

MOST_LINES, MOST_ROWS, MOST_COLUMNS = 120, 14, 400


def views(shot: Shot) -> Views:
    """Every panel. The votes are those of the item that is looked at, or of the point that is decided most closely."""
    data, model, shown = shot.given.data, shot.model, shot.shown
    scores = np.ascontiguousarray(model.votes_and_scores(data.X)[1].T)  # (n, c)
    voting = model.scheme != "discriminant" and model.classes > 2
    plane: list[Mark] = [Regions("votes" if voting else "classes"), Isolines()]
    if data.d == 2 and len(model.weights):
        plane += _lines(model, data, shown.fresh)
    plane.append(Highlight(np.flatnonzero(shown.ties), "bound", "no clear winner"))
    place = None if shot.focus is None else shot.focus.x
    if place is None and len(model.weights) and model.classes > 1:
        point = _least_sure(scores)
        plane.append(Highlight(np.array([point]), "chosen", "point of the votes"))
        place = data.X[point]
    return {
        "plane": tuple(plane),
        "machines": _table(model, data, shown.mistakes, shown.fresh),
        "votes": () if place is None else _votes(model, data, place),
        "scores": _matrix(data, scores),
    }


def _lines(model: Model, data: Points, newest: int) -> list[Mark]:
    """The lines on which each classifier is 0: earlier ones thin, the newest with its arrow."""
    left, right, bottom, top = extent_around(data.X)
    marks: list[Mark] = []
    last = len(model.weights) - 1
    bias = model.levels - model.weights @ model.middle
    known = np.linalg.norm(model.weights, axis=1) > 0.0
    unit = np.where(known, np.linalg.norm(model.weights, axis=1), 1.0)
    earlier = np.flatnonzero(known)[-MOST_LINES:]
    ends = lines_around(
        model.weights[earlier] / unit[earlier, None],
        bias[earlier] / unit[earlier],
        np.array([left, bottom]),
        np.array([right, top]),
    )
    if len(ends):
        marks.append(Segments(ends[:, 0], ends[:, 1], "edge", name="a classifier's line"))
    if newest and known[last] and model.scheme != "discriminant":
        marks.append(DividingLine(model.weights[last], float(-bias[last]), name="newest classifier"))
    return marks


def _table(model: Model, data: Points, wrong: Array, newest: int) -> tuple[Mark, ...]:
    """The latest classifiers: who against whom, mistakes, and the length of the normal."""
    if not len(model.weights):
        return ()
    shown = np.arange(len(model.weights))[-MOST_ROWS:]
    lengths = np.linalg.norm(model.weights[shown], axis=1)
    lit = np.array([[row, 0] for row, k in enumerate(shown) if k >= len(model.weights) - newest]).reshape(-1, 2)
    return (
        Table(
            np.column_stack([wrong[shown], lengths]),
            rows=tuple(model.name_of(int(k), data.classes) for k in shown),
            columns=("wrong", "|w|"),
            texts=tuple((f"{int(count):,}", f"{length:.3g}") for count, length in zip(wrong[shown], lengths)),
            row_groups=model.positive[shown],
            lit=lit,
            shaded=False,
        ),
    )


def _least_sure(scores: Array) -> int:
    """The point whose two largest scores are nearest to each other."""
    top = np.partition(scores, -2, axis=1)[:, -2:]
    return int((top[:, 1] - top[:, 0]).argmin())


def _votes(model: Model, data: Points, place: Array) -> tuple[Mark, ...]:
    """How many pairs each class wins at a place; or the value of each class, which claims the point above zero."""
    votes, scores = (part[:, 0] for part in model.votes_and_scores(place[None]))
    heights = votes if model.scheme == "one-vs-one" else scores
    return (Bars(heights, names=data.classes, groups=np.arange(model.classes)),)


def _matrix(data: Points, scores: Array) -> tuple[Mark, ...]:
    """The scores of all classes (rows) for the points, class by class (columns): right where the diagonal is blue."""
    y = data.class_numbers("")
    order = np.argsort(y, kind="stable")
    if len(order) > MOST_COLUMNS:
        order = order[np.linspace(0, len(order) - 1, MOST_COLUMNS).astype(np.intp)]
    values = scores[order].T
    height = max(len(order) // (3 * len(values)), 1)
    return (Matrix(np.repeat(values, height, axis=0), signed=True, name="class by class of the points; score"),)
