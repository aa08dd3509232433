"""The pictures of the sparse SVM: both boundaries, the weights, and how many points are needed over C."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Views
from algorithms.marks import Bars, Curve, Highlight, Isolines, Mark, ReferenceLine, Regions, Segments
from algorithms.maths.contours import zero_pieces
from algorithms.maths.neuron_maps import extent_around

if TYPE_CHECKING:
    from algorithms.classification.lp_svm import Shot

MOST_BARS = 60
GRID = 96


def views(shot: Shot) -> Views:
    """Both boundaries and who has weight; the weights; and how many there are over C."""
    model, data, fresh = shot.model, shot.given.data, shot.shown.fresh
    plane: list[Mark] = [Regions("signed"), Isolines(weak=(-1.0, 1.0))]
    if data.d == 2 and model.quadratic.any():
        left, right, bottom, top = extent_around(data.X)  # and half of that to every side: the plane may be wide
        x = np.linspace(1.5 * left - 0.5 * right, 1.5 * right - 0.5 * left, GRID)
        y = np.linspace(1.5 * bottom - 0.5 * top, 1.5 * top - 0.5 * bottom, GRID)
        grid = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
        pieces = zero_pieces(model.values(grid, svm=True).reshape(GRID, GRID), x, y)
        if len(pieces):
            plane.append(Segments(pieces[:, 0], pieces[:, 1], "residual", name="boundary of the SVM"))
    plane.append(Highlight(np.flatnonzero(model.quadratic), "bound", "support vector of the SVM"))
    plane.append(Highlight(np.flatnonzero(model.alpha), "free", "weight in the sparse SVM"))
    if len(fresh) > 0:
        plane.append(Highlight(fresh, "chosen", "taken in next"))
    heavy = np.flatnonzero(model.alpha)
    if len(heavy) > MOST_BARS:
        heavy = np.sort(heavy[np.argsort(-model.alpha[heavy], kind="stable")[:MOST_BARS]])
    bars = Bars(model.alpha[heavy], points=heavy, groups=data.class_numbers("")[heavy])
    return {"plane": tuple(plane), "weights": (bars,), "path": _path(shot.shown.compared, shot.given.C)}


def _path(compared: tuple[tuple[float, int, int], ...], C: float) -> tuple[Mark, ...]:
    if not compared:
        return ()
    at, few, many = np.array(compared).T
    return (
        Curve(at, few, "sparse SVM", dots=True),
        Curve(at, many, "support vector machine", dots=True),
        ReferenceLine(C, "C", handle="C"),
    )
