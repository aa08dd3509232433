"""The pictures: the boundary of this split, the strip of all splits, the errors as dots, and the inner choice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Views
from algorithms.data import Array, Points
from algorithms.marks import Curve, Dots, Highlight, Mark, ReferenceLine, Strip
from algorithms.maths.held_out_marks import boundary, place_on
from algorithms.maths.sweeps import Axis, Cell

if TYPE_CHECKING:
    from algorithms.evaluation.cross_validation import Model, Shot

LEARNS, TESTS, ASIDE = 0, 1, 2
ROWS = 24


def views(shot: Shot) -> Views:
    """Every panel."""
    data, model, shown, axis = shot.given.data, shot.model, shot.shown, shot.given.axis
    found: dict[str, tuple[Mark, ...]] = {
        "plane": _plane(model, data, shown.tested),
        "folds": _folds(data, shown.roles, max(len(model.errors), len(shown.roles)) - len(shown.roles)),
        "errors": _errors(model),
    }
    if axis is not None and shown.inner:
        found["inner"] = _inner(axis, shown.inner)
    return found


def _plane(model: Model, data: Points, tested: Array) -> tuple[Mark, ...]:
    marks: list[Mark] = [*boundary(model.method, model.fitted, data, model.answers)]
    if len(tested):
        marks.append(Highlight(tested, "chosen", "held out"))
    return tuple(marks)


def _folds(data: Points, roles: Array, first: int) -> tuple[Mark, ...]:
    """The latest splits, the newest on top; points are put in the order of their classes."""
    if not len(roles):
        return ()
    order = np.argsort(data.y, kind="stable") if data.y is not None and data.is_labelled else np.arange(data.n)
    shown = roles[-ROWS:]
    used = max(int(shown.max()) + 1, 2)
    last = first + len(roles)
    roles_named = ("learns", "tests", "kept aside")[:used]
    bottom = last - len(shown) + 0.5
    return (Strip(shown[::-1, order], (), roles_named, first=1.0, low=bottom, high=last + 0.5),)


def _errors(model: Model) -> tuple[Mark, ...]:
    count = len(model.errors)
    if not count:
        return ()
    at = np.arange(1.0, count + 1.0)
    marks: list[Mark] = [Dots(np.column_stack([at, model.errors]), "error of a split")]
    if len(model.honest) and not np.array_equal(model.honest, model.errors):
        marks.append(Dots(np.column_stack([at, model.honest]), "the same without cheating", group=1))
    spread = model.spread if count > 1 else 0.0
    ends = np.array([0.5, count + 0.5])
    level = np.full(2, model.mean)
    marks.append(
        Curve(ends, level, "mean ± standard deviation", low=np.maximum(level - spread, 0.0), high=level + spread)
    )
    return tuple(marks)


def _inner(axis: Axis, inner: tuple[Cell, ...]) -> tuple[Mark, ...]:
    known = [cell for cell in inner if len(cell.errors)]
    x = np.array([place_on(axis, cell.place[0]) for cell in known])
    y, error = np.array([cell.mean for cell in known]), np.array([cell.standard_error for cell in known])
    best = int(y.argmin())
    return (
        Curve(x, y, "inner error", low=np.maximum(y - error, 0.0), high=y + error, dots=True),
        ReferenceLine(float(x[best]), f"chosen: {axis.name} = {axis.values[known[best].place[0]]}"),
    )
