"""The pictures of the soft margin: the margin, the two losses, and the path of the weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Views
from algorithms.data import Array, Points
from algorithms.marks import Curve, DividingLine, Dots, Highlight, Isolines, Mark, Regions, Scatter, Segments

if TYPE_CHECKING:
    from algorithms.classification.hinge_svm import Model, Shot

MOST_WHISKERS = 300
MOST_DOTS = 1500


def views(shot: Shot) -> Views:
    """Every panel."""
    given, model, shown = shot.given, shot.model, shot.shown
    data, signs = given.data, given.signs
    margins = signs * ((data.X - model.middle) @ model.weights + model.level)
    return {
        "plane": _plane(model, data, signs, margins, shown.drawn),
        "loss": _losses(margins, given.squared),
        "path": _path(shown.path, None if shown.goal is None else shown.goal.w / given.reach) if data.d > 1 else (),
    }


def _plane(model: Model, data: Points, signs: Array, margins: Array, drawn: Array) -> tuple[Mark, ...]:
    """The margin with the points inside, and a whisker from each to its own side."""
    marks: list[Mark] = [Regions("signed")]
    length = float(np.sqrt(model.weights @ model.weights))
    if data.d == 2 and length > 0.0:
        marks.append(DividingLine(model.weights, -model.bias, (-1.0 / length, 1.0 / length)))
    else:
        marks.append(Isolines(weak=(-1.0, 1.0)))
    inside = np.flatnonzero(margins < 1.0)
    if data.d <= 3 and length > 0.0:
        extent = float(np.sqrt(np.square(np.ptp(data.X, axis=0)).sum()))
        far = inside[np.argsort(margins[inside], kind="stable")[:MOST_WHISKERS]]
        offsets = np.minimum((1.0 - margins[far]) / length, extent) * signs[far]
        ends = data.X[far] + offsets[:, None] * (model.weights / length)
        marks.append(Segments(data.X[far], ends, "slack", far))
    marks.append(Highlight(inside, "bound", "has slack"))
    if 0 < len(drawn) <= 12:
        marks.append(Highlight(drawn, "chosen", "drawn in this step"))
    return tuple(marks)


def _losses(margins: Array, squared: bool) -> tuple[Mark, ...]:
    """What a point costs over how far it is on its own side: the hinge above the 0-1 loss."""
    shown = np.arange(len(margins))
    if len(shown) > MOST_DOTS:
        shown = np.linspace(0, len(margins) - 1, MOST_DOTS).astype(np.intp)
    low = float(np.clip(np.percentile(margins, 2), -8.0, -1.0))
    high = float(np.clip(np.percentile(margins, 98), 2.0, 8.0))
    shown = shown[(margins[shown] >= low) & (margins[shown] <= high)]
    x = np.linspace(low, high, 200)
    hinge, at = np.maximum(1.0 - x, 0.0), np.maximum(1.0 - margins[shown], 0.0)
    if squared:
        hinge, at = 0.5 * hinge**2, 0.5 * at**2
    return (
        Curve(x, hinge, "squared hinge ξ²/2" if squared else "hinge ξ"),
        Curve(np.array([low, 0.0, 0.0, high]), np.array([1.0, 1.0, 0.0, 0.0]), "0-1 loss", quiet=True),
        Scatter(np.column_stack([margins[shown], at]), points=shown),
    )


def _path(path: Array, best: Array | None) -> tuple[Mark, ...]:
    """Where the first two weights have been, and where the exact optimum is."""
    marks: tuple[Mark, ...] = (Curve(path[:, 0], path[:, 1], "weights", dots=len(path) <= 150),)
    return marks if best is None else (*marks, Dots(best[None, :2], "exact optimum", known=True))
