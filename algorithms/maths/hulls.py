"""Convex hulls of points in the plane."""

from __future__ import annotations

import numpy as np

from algorithms.data import Array
from algorithms.interrupt import checkpoint

_MANY = 1000
_DIRECTIONS = 16


def hull_of(at: Array) -> Array:
    """The numbers (h,) of the corners of the hull of (n, 2), anticlockwise; one for equal points, two for a line.

    Andrew's monotone chain: from left to right along the lower side, from right to left along the upper one, and a
    corner that turns to the right is dropped.
    """
    if len(at) > _MANY:
        outer = _outer(at)
        return outer[_hull(at[outer])]
    return _hull(at)


def _hull(at: Array) -> Array:
    order = np.lexsort((at[:, 1], at[:, 0]))
    distinct = np.ones(len(order), dtype=bool)
    distinct[1:] = (np.diff(at[order], axis=0) != 0.0).any(axis=1)
    order = order[distinct]
    if len(order) < 3:
        return order
    places = [(float(x), float(y)) for x, y in at[order]]
    lower = _chain(places, range(len(places)))
    upper = _chain(places, range(len(places) - 1, -1, -1))
    return order[lower[:-1] + upper[:-1]]


def _chain(places: list[tuple[float, float]], numbers: range) -> list[int]:
    chain: list[int] = []
    for k in numbers:
        if k % 4096 == 0:
            checkpoint()
        x, y = places[k]
        while len(chain) >= 2:
            (ax, ay), (bx, by) = places[chain[-2]], places[chain[-1]]
            if (bx - ax) * (y - ay) > (by - ay) * (x - ax):
                break
            chain.pop()
        chain.append(k)
    return chain


def _outer(at: Array) -> Array:
    """The numbers (m,) of the points that are not surely inside: within the hull of the farthest in some directions."""
    angles = 2.0 * np.pi * np.arange(_DIRECTIONS) / _DIRECTIONS
    span = np.ptp(at, axis=0)
    scaled = (at - at.mean(axis=0)) / np.where(span > 0.0, span, 1.0)
    farthest = np.unique((np.column_stack([np.cos(angles), np.sin(angles)]) @ scaled.T).argmax(axis=1))
    corners = scaled[farthest[_hull(scaled[farthest])]]
    if len(corners) < 3:
        return np.arange(len(at))
    inside = np.ones(len(at), dtype=bool)
    for (ax, ay), (bx, by) in zip(corners.tolist(), np.roll(corners, -1, axis=0).tolist()):
        checkpoint()
        inside &= (bx - ax) * (scaled[:, 1] - ay) - (by - ay) * (scaled[:, 0] - ax) > 1e-9
    return np.flatnonzero(~inside)
