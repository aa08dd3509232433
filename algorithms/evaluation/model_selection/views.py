"""The pictures: the boundary of the best model so far, the map of errors or their curve, and who is held out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Views
from algorithms.data import Array
from algorithms.marks import CellMap, Curve, Highlight, Mark, ReferenceLine
from algorithms.maths.held_out_marks import boundary, place_on
from algorithms.maths.sweeps import Axis

if TYPE_CHECKING:
    from algorithms.evaluation.model_selection import Model, Shot


def views(shot: Shot) -> Views:
    """Every panel."""
    given, model = shot.given, shot.model
    plane: list[Mark] = [*boundary(model.method, model.fitted, given.data, model.answers)]
    if model.fitted is None:
        plane.append(Highlight(given.held_out_first, "changed", "held out first"))
    if len(given.kept):
        plane.append(Highlight(given.kept, "chosen", "kept aside"))
    name = "part wrong" if given.data.is_labelled else "mean square"
    panel = "map" if len(given.axes) == 2 else "curve"
    return {"plane": tuple(plane), panel: _errors(model, given.axes, name)}


def _errors(model: Model, axes: tuple[Axis, ...], name: str) -> tuple[Mark, ...]:
    known = np.isfinite(model.errors)
    if len(axes) == 1:
        return _curve(model, axes[0], known)
    first, second = axes
    best = None if model.best is None else (model.best[1], model.best[0])
    seen = None if model.look is None else (model.look[1], model.look[0])
    return (
        CellMap(
            np.where(known, model.errors, 0.0).T,
            _names(first),
            _names(second),
            first.name,
            second.name,
            None if known.all() else ~known.T,
            best,
            seen,
            name,
            "look",
        ),
    )


def _curve(model: Model, axis: Axis, known: Array) -> tuple[Mark, ...]:
    at = np.flatnonzero(known)
    if not len(at):
        ends = (0, len(axis.values) - 1)
        return tuple(ReferenceLine(place_on(axis, k), f"{axis.name} = {_names(axis)[k]}") for k in dict.fromkeys(ends))
    x = np.array([place_on(axis, int(position)) for position in at])
    y, error = model.errors[at], model.standard_errors[at]
    low, high = np.maximum(y - error, 0.0), y + error
    marks: list[Mark] = [Curve(x, y, "held-out error", low, high, dots=True, handle="look", numbers=at + 1)]
    if model.look is not None and model.look != model.best:
        marks.append(ReferenceLine(place_on(axis, model.look[0]), f"{axis.name} = {_names(axis)[model.look[0]]}"))
    if model.best is not None:
        marks.append(ReferenceLine(place_on(axis, model.best[0]), f"best: {axis.name} = {_names(axis)[model.best[0]]}"))
    return tuple(marks)


def _names(axis: Axis) -> tuple[str, ...]:
    return tuple(f"{value:.3g}" if isinstance(value, float) else str(value) for value in axis.values)
