"""Convex hulls of points in the plane."""

from __future__ import annotations

import numpy as np

from algorithms.data import Array


def hull_of(at: Array) -> Array:
    """The numbers (h,) of the corners of the hull of (n, 2), anticlockwise; one for equal points, two for a line.

    Andrew's monotone chain: from left to right along the lower side, from right to left along the upper one, and a
    corner that turns to the right is dropped.
    """
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
        x, y = places[k]
        while len(chain) >= 2:
            (ax, ay), (bx, by) = places[chain[-2]], places[chain[-1]]
            if (bx - ax) * (y - ay) > (by - ay) * (x - ax):
                break
            chain.pop()
        chain.append(k)
    return chain
