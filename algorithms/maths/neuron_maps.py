"""What a picture of neurons needs: the small map inside each one, and the line at which it changes sign.

A map says what a neuron answers over the plane of the first two features, in few cells, so that a whole network of
them can be drawn for every frame.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from algorithms.data import Array

SIDE: Final = 16
"""Cells along a side of the small map in a neuron."""
MOST_UNITS: Final = 16
"""How many units of a layer are drawn; more cannot be told apart."""
STRONG: Final = 3.0
"""A weight of this size makes a strong edge; where only proportions matter the largest is drawn so."""
BEYOND: Final = 2.0
"""How far a neuron's line goes beyond the data, in ranges of the data: the plane may be wide."""
_MARGIN = 0.08
"""What the maps show beyond the data, as a fraction of its range."""

Extent = tuple[float, float, float, float]
"""Left, right, bottom, top."""


def extent_around(X: Array) -> Extent:
    """The range of the first two features with a margin; of one feature from 0 to 1 upwards."""
    columns = np.ascontiguousarray(X[:, :2].T)  # ten times as fast as down the rows
    low, high = columns.min(axis=1), columns.max(axis=1)
    span = high - low
    span = np.where(span > 0.0, span, 1.0)
    low, high = low - _MARGIN * span, high + _MARGIN * span
    if X.shape[1] == 1:
        return float(low[0]), float(high[0]), 0.0, 1.0
    return float(low[0]), float(high[0]), float(low[1]), float(high[1])


def grid_over(X: Array, extent: Extent) -> Array:
    """The middles of the cells over the first two features, the others at their means, lowest row first."""
    left, right, bottom, top = extent
    x = left + (np.arange(SIDE) + 0.5) * ((right - left) / SIDE)
    if X.shape[1] == 1:
        return x[:, None]
    y = bottom + (np.arange(SIDE) + 0.5) * ((top - bottom) / SIDE)
    grid = np.empty((SIDE, SIDE, X.shape[1]))
    grid[...] = X.mean(axis=0)
    grid[..., 0], grid[..., 1] = x[None, :], y[:, None]
    return grid.reshape(SIDE * SIDE, X.shape[1])


def maps_of(table: Array) -> Array:
    """Numbers from -127 to 127 at the middles of the cells (cells, units) as maps of a diagram, (units, rows, SIDE)."""
    whole = np.rint(table).T.astype(np.int8)
    return np.ascontiguousarray(whole).reshape(-1, len(table) // SIDE, SIDE)


def lines_inside(normals: Array, offsets: Array, low: Array, high: Array) -> Array:
    """The pieces of the lines n·x + b = 0 inside the rectangle from ``low`` to ``high``, (m, 2, 2)."""
    length = np.hypot(normals[:, 0], normals[:, 1])
    known = length > 1e-12
    normals, offsets, length = normals[known], offsets[known], length[known]
    along = np.stack([-normals[:, 1], normals[:, 0]], axis=1) / length[:, None]
    foot = -normals * (offsets / length**2)[:, None]
    # t at which foot + t along enters and leaves each pair of sides; a line parallel to a side never crosses it
    safe = np.where(np.abs(along) > 1e-12, along, 1e-12)
    first, second = (low - foot) / safe, (high - foot) / safe
    enter = np.minimum(first, second).max(axis=1)
    leave = np.maximum(first, second).min(axis=1)
    seen = enter < leave
    return np.stack([foot + enter[:, None] * along, foot + leave[:, None] * along], axis=1)[seen]


def lines_around(normals: Array, offsets: Array, low: Array, high: Array) -> Array:
    """The same in a rectangle that goes far beyond this one, in which the data lie."""
    reach = BEYOND * (high - low)
    return lines_inside(normals, offsets, low - reach, high + reach)
