"""What is meant by a place: the nearest of some places, as far as it is in reach."""

from __future__ import annotations

import math

import numpy as np

from algorithms.data import Array


def nearest(at: Array, x: float, y: float, unit: tuple[float, float], reach: float = math.inf) -> int | None:
    """The row of ``at`` (m, 2) nearest to (x, y); None where there is none within ``reach``.

    ``unit`` is the length of one in each direction: of a pixel, or of what the two directions are measured by.
    In a view without extent it is 0, and nothing is meant.
    """
    if not len(at) or not (unit[0] > 0.0 and unit[1] > 0.0):
        return None
    gaps = (at - (x, y)) / unit
    distances = np.einsum("ij,ij->i", gaps, gaps)
    found = int(distances.argmin())
    return found if distances[found] <= reach**2 else None
