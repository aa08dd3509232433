"""The pictures of two hulls: the segment between them, its bisector, the weights, and the hull of all differences."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.classification.hull_margin.solver import reduced_outline
from algorithms.contract import Views
from algorithms.data import Array, Points
from algorithms.marks import (
    Bars,
    Curve,
    DividingLine,
    Dots,
    Highlight,
    Isolines,
    Mark,
    Polygons,
    Regions,
    Segments,
    Trail,
)
from algorithms.maths.hulls import hull_of

if TYPE_CHECKING:
    from algorithms.classification.hull_margin import Given, Model, Shot, Shown

MOST_BARS = 60
MOST_CORNERS = 400
"""Of a hull in the picture of all differences."""


def views(shot: Shot) -> Views:
    """Every panel."""
    given, model = shot.given, shot.model
    return {
        "plane": _plane(given, model, shot.shown),
        "weights": (_bars(model, given.data, given.cap),),
        "difference": _difference(given, shot.shown.walk) if given.data.d == 2 else (),
    }


def _plane(given: Given, model: Model, shown: Shown) -> tuple[Mark, ...]:
    data, signs, cap, walk, points = given.data, given.signs, given.cap, shown.walk, shown.points
    marks: list[Mark] = [Regions("classes")] if model.normal.any() else []  # no line, no sides
    if data.d == 2:
        sides = [data.X[signs < 0.0], data.X[signs > 0.0]]
        whole = tuple(X[hull_of(X)] for X in sides)
        groups = np.array([0, 1])
        if cap < 1.0:
            marks.append(Polygons(whole, groups, dashed=True, name="convex hull"))
            small = tuple(reduced_outline(X, cap) for X in sides)
            marks.append(Polygons(small, groups, filled=True, name="reduced hull"))
        else:
            marks.append(Polygons(whole, groups, filled=True, name="convex hull"))
    if model.normal.any():
        half = model.distance / 2.0
        marks.append(DividingLine(model.normal, model.offset, (-half, half)) if data.d == 2 else Isolines(weak=(-1, 1)))
    if len(walk) > 1:
        marks.append(Trail(walk))
    marks.append(Segments(model.v[None], model.u[None], "link", name="shortest so far"))
    if data.d == 2:
        marks.append(Dots(np.stack([model.v, model.u]), "u and v", groups=np.array([0, 1])))
    marks.append(Highlight(np.flatnonzero(model.weights), "free", "has weight"))
    if 0 < len(points) <= 12:
        marks.append(Highlight(points, "chosen", "this step"))
    return tuple(marks)


def _bars(model: Model, data: Points, cap: float) -> Bars:
    """The weights, at most the largest, in the order of the points."""
    heavy = np.flatnonzero(model.weights)
    if len(heavy) > MOST_BARS:
        heavy = np.sort(heavy[np.argsort(-model.weights[heavy], kind="stable")[:MOST_BARS]])
    groups = data.class_numbers("")[heavy]
    return Bars(model.weights[heavy], points=heavy, groups=groups, limit=cap, limit_name="cap")


def _difference(given: Given, walk: Array) -> tuple[Mark, ...]:
    """All differences u - v form one convex set; the margin is its distance from the origin, and z walks to it."""
    one, two = (reduced_outline(given.data.X[given.signs == side], given.cap)[:MOST_CORNERS] for side in (1.0, -1.0))
    all_pairs = (one[:, None] - two[None]).reshape(-1, 2)
    z = walk[:, 1] - walk[:, 0]
    return (
        Polygons((all_pairs[hull_of(all_pairs)],), filled=True, name="all differences u - v"),
        Curve(z[:, 0], z[:, 1], "z = u - v", dots=len(z) <= 100),
        Dots(np.zeros((1, 2)), "origin", known=True),
    )
