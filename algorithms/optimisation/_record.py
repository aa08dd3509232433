"""The way behind the walkers, written step by step into arrays that all frames share."""

from __future__ import annotations

import numpy as np

from algorithms.data import Array
from algorithms.optimisation._surfaces import Surface

RIM = 50.0
"""How many widths away a place is drawn at most: farther out there is nothing but rounding."""
MOST = 1e300


class Record:
    """Places and heights of every step. A frame takes the first rows; later rows are written behind them."""

    def __init__(self, surface: Surface, count: int) -> None:
        self._surface = surface
        self.trail, self.heights = np.empty((64, count, 2)), np.empty((64, count))

    def write(self, step: int, at: Array, heights: Array) -> None:
        """The places (k, 2) after a step, and the heights (k,) there."""
        if step >= len(self.trail):
            self._grow(step)
        self.trail[step] = pulled_in(at, self._surface)
        self.heights[step] = np.clip(heights, -MOST, MOST)

    def restore(self, trail: Array, heights: Array) -> None:
        """Go on behind the way of an earlier run."""
        self._grow(len(trail))
        self.trail[: len(trail)], self.heights[: len(trail)] = trail, heights

    def _grow(self, step: int) -> None:
        self.trail, self.heights = (_longer(rows, 2 * (step + 1)) for rows in (self.trail, self.heights))


def shrink_of(surface: Surface, rate: float) -> float | None:
    """The factor max|1 - ηλ| by which a fixed step shrinks the distance to the minimum of a quadratic, at worst."""
    if not surface.quadratic or not len(surface.minima):
        return None
    bends = np.linalg.eigvalsh(surface.curvature(surface.minima[:1])[0])
    return float(np.abs(1.0 - rate * bends).max())


def _longer(rows: Array, size: int) -> Array:
    longer = np.empty((size, *rows.shape[1:]))
    longer[: len(rows)] = rows[:size]
    return longer


def middle(surface: Surface) -> Array:
    """The middle of the picture."""
    left, right, bottom, top = surface.box
    return np.array([(left + right) / 2, (bottom + top) / 2])


def pulled_in(at: Array, surface: Surface) -> Array:
    """Places (k, 2), those far outside the picture pulled back to its rim along the ray from its middle."""
    centre, rim = middle(surface), RIM * surface.span
    if np.abs(at - centre).max(initial=0.0) < 0.7 * rim:
        return at
    away = np.linalg.norm(at - centre, axis=1, keepdims=True)
    return centre + (at - centre) * np.minimum(1.0, rim / np.maximum(away, 1e-300))
