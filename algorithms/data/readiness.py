"""Points as a method wants them: categories as it can read them, features on a scale that it does not mind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from algorithms.data.coding import as_categories, as_indicators
from algorithms.data.kind import Array
from algorithms.data.points import Points, Scale
from algorithms.data.scaling import AS_GIVEN, Scaling, measured_columns, scaled
from algorithms.maths.words import number

if TYPE_CHECKING:
    from algorithms.contract import Algorithm

WantedScale = Literal["suggested", "none", "standardised", "0 to 1"]
UNLIKE = 3.0
"""Columns whose spreads differ by more than this factor are put on one scale."""


def coded_for(method: Algorithm, data: Points) -> Points:
    """The points with categories as the method reads them."""
    return as_categories(data) if method.reads_categories else as_indicators(data)


def suggested_scale(method: Algorithm, data: Points) -> tuple[Scale, str]:
    """The scale on which the method should meet these features, and why in a sentence, empty where they stay."""
    columns = measured_columns(data)
    if method.ignores_scale or data.image_shape is not None or len(columns) < 2 or data.n < 2:
        return "given", ""
    spreads = _spreads(data.X[:, columns])
    known = np.flatnonzero(spreads > 0.0)
    if len(known) < 2:
        return "given", ""
    least, most = known[spreads[known].argmin()], known[spreads[known].argmax()]
    if spreads[most] <= UNLIKE * spreads[least]:
        return "given", ""
    wide, narrow = (f"{data.features[columns[j]]!r} ({number(float(spreads[j]))})" for j in (most, least))
    return "standardised", f"The features are standardised: the standard deviations of {wide} and {narrow} are unlike."


def ready_for(method: Algorithm, data: Points, scale: WantedScale = "suggested") -> tuple[Points, Scaling, str]:
    """The points as the method wants them, how they were scaled, and a sentence about it."""
    data = coded_for(method, data)
    kind, words = suggested_scale(method, data) if scale == "suggested" else (_SCALES[scale], "")
    if kind == data.scale:
        return data, AS_GIVEN, ""
    return *scaled(data, kind), words


_SCALES: dict[WantedScale, Scale] = {"none": "given", "standardised": "standardised", "0 to 1": "0 to 1"}


def _spreads(X: Array) -> Array:
    """The standard deviation of every column; numbers that are too large for it count as spread without end."""
    with np.errstate(all="ignore"):
        spreads = X.std(axis=0)
    return np.where(np.isfinite(spreads), np.where(np.ptp(X, axis=0) > 0.0, spreads, 0.0), np.inf)
