"""Where marks are on axes: places that a legend keeps off, (m, 2) in the coordinates of the view."""

from __future__ import annotations

import functools

import numpy as np

from algorithms.contract import Panel
from algorithms.data import Array
from algorithms.marks import (
    Arrows,
    Bars,
    Bundle,
    Centres,
    Curve,
    Dots,
    Mark,
    Paths,
    Polygons,
    Scatter,
    Segments,
    Strip,
    Trail,
)

NOWHERE = np.empty((0, 2))
ALONG = 200
"""Places along a curve."""
MOST_CURVES = 20
"""Of a bundle of more curves, so many are kept off."""


def places_of(marks: tuple[Mark, ...], panel: Panel) -> Array:
    """Where these marks are on the axes of a panel."""
    at = np.concatenate([NOWHERE, *(occupied(mark) for mark in marks)])
    logarithmic = np.array([panel.log_x, panel.log_y])
    return np.where(logarithmic, np.log10(np.maximum(at, np.finfo(float).tiny)), at)


def is_kept_off(mark: Mark) -> bool:
    """Whether a legend keeps off such a mark."""
    return occupied.dispatch(type(mark)) is not occupied.dispatch(Mark)


@functools.singledispatch
def occupied(mark: Mark) -> Array:
    """Where a mark is; nowhere, when it may be covered."""
    return NOWHERE


@occupied.register
def _(mark: Curve) -> Array:
    parts = [_along(mark.x, mark.y)]
    if mark.low is not None and mark.high is not None:
        parts += [_along(mark.x, mark.low), _along(mark.x, mark.high)]
    return np.concatenate(parts)


@occupied.register
def _(mark: Bundle) -> Array:
    some = mark.y[:: len(mark.y) // MOST_CURVES + 1]
    return np.concatenate([NOWHERE, *(_along(mark.x, row) for row in some)])


def _along(x: Array, y: Array) -> Array:
    """Places at equal distances along a line, as it looks when it fills its plot: none of its spikes is missed."""
    if len(x) < 2:
        return np.column_stack([x, y])
    steps = np.hypot(np.diff(x) / (np.ptp(x) or 1.0), np.diff(y) / (np.ptp(y) or 1.0))
    length = np.concatenate([[0.0], np.cumsum(steps)])
    even = np.linspace(0.0, length[-1], ALONG)
    return np.column_stack([np.interp(even, length, x), np.interp(even, length, y)])


@occupied.register
def _(mark: Bars) -> Array:
    high, low = float(mark.values.max(initial=0.0)), float(mark.values.min(initial=0.0))
    heights = np.linspace(low, high, 25)
    bar, height, across = np.meshgrid(np.arange(len(mark.values)), heights, np.linspace(-0.4, 0.4, 5), indexing="ij")
    value = mark.values[bar]
    inside = (height <= np.maximum(value, 0.0)) & (height >= np.minimum(value, 0.0))
    return np.column_stack([(bar + across)[inside], height[inside]])


@occupied.register
def _(mark: Strip) -> Array:
    heights = np.linspace(mark.low, mark.high, 2 * len(mark.labels) + 1)
    x, y = np.meshgrid(mark.first + np.linspace(0, mark.labels.shape[1] - 1, 64), heights)
    return np.column_stack([x.ravel(), y.ravel()])


@occupied.register(Centres)
@occupied.register(Dots)
@occupied.register(Paths)
@occupied.register(Scatter)
@occupied.register(Trail)
def _(mark: Centres | Dots | Paths | Scatter | Trail) -> Array:
    return mark.at.reshape(-1, mark.at.shape[-1])[:, :2]


@occupied.register(Arrows)
@occupied.register(Segments)
def _(mark: Arrows | Segments) -> Array:
    along = np.linspace(0.0, 1.0, 9)[:, None, None]
    return np.asarray((mark.start + along * (mark.end - mark.start)).reshape(-1, mark.start.shape[1])[:, :2])


@occupied.register
def _(mark: Polygons) -> Array:
    closed = (np.vstack([corners, corners[:1]])[:, :2] for corners in mark.corners if len(corners))
    return np.concatenate([NOWHERE, *(_along(*corners.T) for corners in closed)])
