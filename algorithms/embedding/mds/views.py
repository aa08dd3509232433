"""What a frame of multidimensional scaling shows: the map, the table as it is worked on, eigenvalues, Shepard plot."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.data import Array, Data, Distances, Points
from algorithms.marks import Bars, Curve, Mark, Matrix, Segments
from algorithms.maths import maps

if TYPE_CHECKING:
    from algorithms.embedding.mds import Shot

FEW_BARS = 12
"""Eigenvalues that are shown at the upper end."""
MOST_NAMES = 80
"""Names of more things than this would hide the map."""
TABLES = {
    "distances": ("distance", 1, False),
    "square": ("squared distance", 2, False),
    "rows": ("-d²/2 less the mean of the row", 2, True),
    "products": ("product", 2, True),
}
"""The names of the tables, in which power of the unit they are, and whether numbers below 0 are told apart."""


def shown_rows(data: Data) -> Array:
    """The rows of the table that are shown, in this order."""
    return _in_order(data)[maps.evenly(data.n, maps.TABLE)]


def _in_order(data: Data) -> Array:
    """The rows of a table as they are; points by their target, or along the feature that varies most."""
    if not isinstance(data, Points):
        return np.arange(data.n)
    along = data.X[:, int(np.ptp(data.X, axis=0).argmax())]
    return np.lexsort((along, along if data.y is None else data.y))


def _table(block: Array, rows: Array, unit: float, what: str) -> Matrix:
    """A table of the rows that are shown, whose numbers are in units of the largest distance."""
    name, power, signed = TABLES[what]
    return Matrix(block * unit**power, rows, signed, name=name)


def views(shot: Shot) -> dict[str, tuple[Mark, ...]]:
    """The marks of a frame."""
    given, model = shot.given, shot.model
    data = given.data
    found: dict[str, tuple[Mark, ...]] = {
        "embedding": (_map(shot),),
        "table": (_table(given.tables[shot.shown.table], given.rows, given.unit, shot.shown.table),),
        "plane": (),
    }
    if shot.phase == "result" and isinstance(data, Points) and data.d == 2 and model.embedding.shape[1] == 2:
        laid = _laid_over(data.X, model.embedding)
        found["plane"] = (Segments(data.X, laid, "residual", name="to its position in the map"),)
    if len(model.eigenvalues):
        found["spectrum"] = (bars(model.eigenvalues, model.embedding.shape[1], data.n),)
    if shot.phase != "start":
        dots, line = maps.shepard_marks(given.pairs, model.embedding, np.arange(data.n))
        if model.rising.size:
            line = Curve(model.rising[0], model.rising[1], "nearest increasing function")
        found["shepard"] = (dots, line)
    return found


def _laid_over(X: Array, places: Array) -> Array:
    """The map laid over the data in their plane (Procrustes)."""
    middle = X.mean(axis=0)
    return maps.turned(places - places.mean(axis=0), X - middle) + middle


def bars(values: Array, dimensions: int, n: int) -> Bars:
    """The first eigenvalues and the most negative ones."""
    few = min(FEW_BARS, len(values))
    return maps.spectrum_bars(np.concatenate([values[:few], values[max(few, len(values) - 6) :]]), dimensions, n, few)


def _map(shot: Shot) -> Mark:
    places, data = shot.model.embedding, shot.given.data
    heights = data.y if isinstance(data, Points) and data.is_valued else None
    target = data.target if isinstance(data, Points) else ""
    names = data.names if isinstance(data, Distances) and data.n <= MOST_NAMES and places.any() else ()
    return maps.map_mark(places, heights=heights, target=target, names=names)
