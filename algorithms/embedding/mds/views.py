"""What a frame of multidimensional scaling shows: the map, the table as it is worked on, eigenvalues, Shepard plot."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import DrawnSnapshot, LazyViews
from algorithms.data import Array, Data, Distances, Points
from algorithms.marks import Bars, Curve, Mark, Matrix, Segments
from algorithms.maths import maps

if TYPE_CHECKING:
    from algorithms.embedding.mds import Model

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


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """Everything that the frames are made of; a run goes from one to the next with ``dataclasses.replace``."""

    data: Data
    model: Model
    unit: float  # the largest distance, which is 1 in what is computed
    rows: Array  # (r,) the rows of the table that are shown, in this order
    table: Matrix
    sample: maps.SampledDistances | None = None
    negative: float = 0.0  # size of the most negative eigenvalue beside the largest
    spectrum: Bars | None = None
    laid: Array | None = None  # (n, 2) the map laid over the data in the plane
    warning: str = ""

    def warned(self, words: str) -> Picture:
        """The same with one more warning; nothing where there are no words."""
        return replace(self, warning=f"{self.warning} {words}".strip())


def first_picture(data: Data, model: Model, distances: Array, unit: float) -> Picture:
    """Before anything is done: the table, and all points in one place of the map."""
    rows = _in_order(data)[maps.evenly(data.n, maps.TABLE)]
    return Picture(data, model, unit, rows, _table(distances[np.ix_(rows, rows)], rows, unit, "distances"))


def _in_order(data: Data) -> Array:
    """The rows of a table as they are; points by their target, or along the feature that varies most."""
    if not isinstance(data, Points):
        return np.arange(data.n)
    along = data.X[:, int(np.ptp(data.X, axis=0).argmax())]
    return np.lexsort((along, along if data.y is None else data.y))


def with_table(picture: Picture, block: Array, what: str) -> Picture:
    """The picture with another table of the rows that are shown, in units of the largest distance."""
    return replace(picture, table=_table(block, picture.rows, picture.unit, what))


def _table(block: Array, rows: Array, unit: float, what: str) -> Matrix:
    name, power, signed = TABLES[what]
    return Matrix(block * unit**power, rows, signed, name=name)


def bars(values: Array, dimensions: int, n: int) -> Bars:
    """The first eigenvalues and the most negative ones."""
    few = min(FEW_BARS, len(values))
    return maps.spectrum_bars(np.concatenate([values[:few], values[max(few, len(values) - 6) :]]), dimensions, n, few)


def laid_over(picture: Picture) -> Picture:
    """With two features, the map of two dimensions is laid over the data in their plane (Procrustes)."""
    data, places = picture.data, picture.model.embedding
    if not isinstance(data, Points) or data.d != 2 or places.shape[1] != 2:
        return picture
    middle = data.X.mean(axis=0)
    return replace(picture, laid=maps.turned(places - places.mean(axis=0), data.X - middle) + middle)


def frame(picture: Picture, phase: str, caption: str) -> DrawnSnapshot:
    """The snapshot of a picture."""
    model = picture.model
    residual = np.nan
    if picture.sample is not None and model.embedding.any():
        residual, _, _ = picture.sample.quality(model.embedding / picture.unit)
    metrics = {
        "stress": model.stress,
        "squared_stress": model.squared_stress,
        "residual": residual,
        "negative": picture.negative if picture.spectrum is not None else np.nan,
    }
    return DrawnSnapshot(model, LazyViews(views_of, picture), metrics, phase, caption, picture.warning)


def views_of(picture: Picture) -> dict[str, tuple[Mark, ...]]:
    """The marks of a picture, made when somebody looks."""
    model, data = picture.model, picture.data
    views: dict[str, tuple[Mark, ...]] = {"embedding": (_map(picture),), "table": (picture.table,), "plane": ()}
    if isinstance(data, Points) and picture.laid is not None:
        views["plane"] = (Segments(data.X, picture.laid, "residual", name="to its position in the map"),)
    if picture.spectrum is not None:
        views["spectrum"] = (picture.spectrum,)
    if picture.sample is not None:
        pairs = picture.sample.pairs(picture.unit)
        dots, line = maps.shepard_marks(pairs, model.embedding, np.arange(data.n))
        if model.rising.size:
            line = Curve(model.rising[0], model.rising[1], "nearest increasing function")
        views["shepard"] = (dots, line)
    return views


def _map(picture: Picture) -> Mark:
    places, data = picture.model.embedding, picture.data
    heights = data.y if isinstance(data, Points) and data.is_valued else None
    target = data.target if isinstance(data, Points) else ""
    names = data.names if isinstance(data, Distances) and data.n <= MOST_NAMES and places.any() else ()
    return maps.map_mark(places, heights=heights, target=target, names=names)
