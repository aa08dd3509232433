"""The pictures of k nearest neighbours: the ball in the plane, votes, the neighbours themselves, and two curves."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import numpy as np
from scipy.spatial import Voronoi

from algorithms.classification.k_nearest.solver import Answer, Errors, contrast, contrast_by_chance
from algorithms.contract import Views
from algorithms.data import Array, Points
from algorithms.marks import (
    Bars,
    Centres,
    Curve,
    Dots,
    Highlight,
    Images,
    Isolines,
    Mark,
    Polygons,
    ReferenceLine,
    Regions,
    Segments,
    Table,
)
from algorithms.maths.nearest_points import MetricName
from algorithms.maths.words import number

if TYPE_CHECKING:
    from algorithms.classification.k_nearest import Model, Shot

MOST_CELLS = 400
"""Points whose cells are drawn one by one; more cannot be told apart."""
MOST_ROWS, MOST_COLUMNS, PICTURES_A_ROW = 15, 14, 6
MOST_FEATURES = 200
"""How many of the features the curve of the data has."""
_ROUND = np.linspace(0.0, 2.0 * np.pi, 73)[:-1]
_STEPS = 2000  # a curve with more steps than this is drawn on a grid


def views(shot: Shot) -> Views:
    """Every panel; the last two only when the run has come to them."""
    model, data, shown = shot.model, shot.given.data, shot.shown
    answer, pictures = shown.answer, data.image_shape is not None
    listed = _rows if model.metric == "hamming" else _list
    return {
        "plane": _plane(model, data, answer),
        "votes": (_votes(data, answer),),
        "pictures" if pictures else "neighbours": (_pictures(data, answer) if pictures else listed(data, answer),),
        "errors": _errors(shown.errors, model.k),
        "concentration": _concentration(model, data, answer.query, shown.seed),
    }


# --- the plane --------------------------------------------------------------------------------------------------------


def _plane(model: Model, data: Points, answer: Answer) -> tuple[Mark, ...]:
    marks: list[Mark] = []
    if data.is_valued and data.d == 1:
        marks.append(_steps(model, data))
    else:
        marks += [Regions("value")] if data.is_valued else [Regions("probability"), Isolines(strong=(0.5,))]
    if model.k == 1 and data.d == 2 and model.metric == "euclidean" and data.n <= MOST_CELLS:
        marks.append(Polygons(_cells(data), name="nearest to one point"))
    height = np.array([answer.value]) if data.is_valued and data.d == 1 else np.empty(0)
    query = np.concatenate([answer.query, height])
    marks += _ball(model.metric, data, answer, query)
    if len(answer.points):
        ends = data.X[answer.points]
        if len(height):
            assert data.y is not None
            ends = np.column_stack([ends, data.y[answer.points]])
        marks.append(Segments(np.broadcast_to(query, ends.shape), ends, "link", answer.points, name="to a neighbour"))
        marks.append(Highlight(answer.points, "chosen", "neighbour"))
    marks.append(Centres(query[None], handle="query", name="query"))
    return tuple(marks)


def _ball(metric: MetricName, data: Points, answer: Answer, query: Array) -> list[Mark]:
    """All places as near as the last neighbour: a circle, a diamond, a sector of directions, or a stretch of a line."""
    radius = answer.radius
    if metric == "hamming" or radius <= 0.0 or data.d > 2:
        return []
    name = "as near as the last neighbour"  # the same words while it is dragged: a new legend takes its time
    if metric == "cosine":
        return _sector(data, answer, name) if data.d == 2 else []
    if data.d == 1:
        reach = np.zeros(len(query))
        reach[0] = radius
        return [Segments((query - reach)[None], (query + reach)[None], "axis", name=name)]
    around = np.linspace(0.0, 2.0 * np.pi, 5)[:-1] if metric == "manhattan" else _ROUND
    return [_outline(query + radius * np.column_stack([np.cos(around), np.sin(around)]), answer, name)]


def _outline(corners: Array, answer: Answer, name: str) -> Polygons:
    """In the colour of the class that wins."""
    return Polygons((corners,), groups=np.array([answer.winner if answer.classes else -1]), filled=True, name=name)


def _sector(data: Points, answer: Answer, name: str) -> list[Mark]:
    """All directions within an angle, as far as the points reach."""
    reach = float(np.sqrt(np.square(data.X).sum(axis=1).max()))
    half, query = float(np.arccos(np.clip(1.0 - answer.radius, -1.0, 1.0))), answer.query
    if reach == 0.0 or not query.any():
        return []
    middle = float(np.arctan2(query[1], query[0]))
    angles = np.linspace(middle - half, middle + half, 40)
    arc = reach * np.column_stack([np.cos(angles), np.sin(angles)])
    return [_outline(np.concatenate([np.zeros((1, 2)), arc]), answer, name)]


@functools.lru_cache(maxsize=2)
def _cells(data: Points) -> tuple[Array, ...]:
    """The Voronoi cell of every point in the plane, cut off at a box around all of them.

    Mirrored at the four sides of the box the points have cells that end exactly there.
    """
    X = np.unique(data.X, axis=0)
    low = X.min(axis=0)
    scale = float(np.ptp(X, axis=0).max()) or 1.0
    unit = (X - low) / scale  # one scale for both features: what is nearest must stay so
    sides = np.maximum(unit.max(axis=0), 0.01)
    mirrored = [unit]
    for axis in range(2):
        for edge in (-0.15 * sides[axis], unit[:, axis].max() + 0.15 * sides[axis]):
            image = unit.copy()
            image[:, axis] = 2.0 * edge - image[:, axis]
            mirrored.append(image)
    diagram = Voronoi(np.concatenate(mirrored))
    regions = (diagram.regions[diagram.point_region[i]] for i in range(len(unit)))
    cells = tuple(low + scale * diagram.vertices[region] for region in regions if -1 not in region and len(region) > 2)
    for cell in cells:
        cell.flags.writeable = False
    return cells


def _steps(model: Model, data: Points) -> Curve:
    """The answer over one feature, with a step wherever a neighbour is exchanged for another."""
    from algorithms.classification.k_nearest import field

    x, k = np.sort(data.X[:, 0]), min(model.k, data.n)
    low, high = x[0], x[-1]
    margin = 0.05 * (high - low) or 1.0
    between = (x[: data.n - k] + x[k:]) / 2.0
    if model.weights == "uniform" and model.metric in ("euclidean", "manhattan") and len(between) <= _STEPS:
        edges = np.concatenate([[low - margin], np.unique(between), [high + margin]])
        heights = field(model, ((edges[1:] + edges[:-1]) / 2.0)[:, None])
        return Curve(np.repeat(edges, 2)[1:-1], np.repeat(heights, 2), f"mean of {k} neighbours")
    places = np.linspace(low - margin, high + margin, 800)
    return Curve(places, field(model, places[:, None]), f"mean of {k} neighbours")


# --- the other panels -------------------------------------------------------------------------------------------------


def _votes(data: Points, answer: Answer) -> Bars:
    if data.is_valued:
        assert data.y is not None
        return Bars(data.y[answer.points], points=answer.points, limit=answer.value, limit_name="mean")
    return Bars(answer.votes, names=data.classes, groups=np.arange(len(data.classes)))


def _pictures(data: Points, answer: Answer) -> Images:
    assert data.image_shape is not None
    points = answer.points[: 3 * PICTURES_A_ROW - 1]
    pixels = np.concatenate([answer.query[None], data.X[points]]).reshape(-1, *data.image_shape)
    places = np.arange(len(pixels))
    captions = [f"{_said(data, p)}: {d:.2g}" for p, d in zip(points, answer.distances)]
    return Images(
        pixels,
        np.column_stack(np.divmod(places, PICTURES_A_ROW)),
        ("query", *captions),
        levels=(float(data.X.min()), float(data.X.max())),
        points=np.concatenate([[-1], points]),
    )


def _list(data: Points, answer: Answer) -> Table:
    """The neighbours with their distances, and what each says and counts."""
    points, groups = answer.points[:MOST_ROWS], data.groups
    told = zip(points, answer.distances, answer.counts)
    texts = tuple((str(p + 1), f"{d:.3g}", _said(data, p), f"{w:.2g}") for p, d, w in told)
    shown = 3 if answer.is_uniform else 4
    return Table(
        np.zeros((len(points), shown)),
        rows=tuple(str(j) for j in range(1, len(points) + 1)),
        columns=("point", "at", "says", "counts")[:shown],
        texts=tuple(row[:shown] for row in texts),
        row_groups=None if groups is None else groups[points],
        shaded=False,
        points=points,
    )


def _rows(data: Points, answer: Answer) -> Table:
    """The values of the query and, below, of its neighbours; those that differ are lit, and counted."""
    points, columns = answer.points[:MOST_ROWS], slice(0, MOST_COLUMNS)
    rows = np.concatenate([answer.query[None], data.X[points]])[:, columns]
    differ = rows != rows[0]
    named = dict(data.categories)
    texts = tuple(
        tuple(named[j][int(value)] if j in named else f"{value:zg}" for j, value in enumerate(row)) + (text,)
        for row, text in zip(rows.tolist(), ("", *(f"{d:g}" for d in answer.distances)))
    )
    return Table(
        np.column_stack([rows, np.concatenate([[0.0], answer.distances[:MOST_ROWS]])]),
        rows=("query", *(f"point {p + 1} ({_said(data, p)})" for p in points)),
        columns=(*data.features[columns], "differ"),
        lit=np.argwhere(differ),
        texts=texts,
        shaded=False,
    )


def _said(data: Points, point: int) -> str:
    assert data.y is not None
    return number(float(data.y[point])) if data.is_valued else data.classes[int(data.y[point])]


def _errors(errors: Errors | None, k: int) -> tuple[Mark, ...]:
    if errors is None:
        return ()
    x = np.arange(1.0, len(errors.training) + 1.0)
    return (
        Curve(x, errors.training, "training: all points"),
        Curve(x, errors.left_out, "validation: the point left out"),
        Dots(np.array([[errors.best, errors.left_out[errors.best - 1]]]), "least", known=True),
        ReferenceLine(float(k), f"k = {k}", handle="k"),
    )


def _concentration(model: Model, data: Points, query: Array, seed: int | None) -> tuple[Mark, ...]:
    """Nearest beside farthest: of random points, and of the data with their first features only."""
    if seed is None:
        return ()
    features, ratios = contrast_by_chance(model.metric, seed)
    shown = np.unique(np.rint(np.geomspace(1, data.d, min(data.d, 24))).astype(int))[:MOST_FEATURES]
    own = [contrast(data.X[:, :d], query[:d], model.metric) for d in shown]
    return (
        Curve(features, ratios, "300 random points", dots=True),
        Curve(shown.astype(np.float64), np.array(own), "these data, their first features", dots=True),
    )
