"""The way behind the walkers, written step by step into arrays that all frames share."""

from __future__ import annotations

import numpy as np

from algorithms.dataset import Array
from algorithms.optimisation._surfaces import Surface

RIM = 50.0
"""How many widths away a place is drawn at most: farther out there is nothing but rounding."""
MOST = 1e300


class Record:
    """Places, heights and gaps of every step. A frame takes the first rows; later rows are written behind them."""

    def __init__(self, surface: Surface, count: int, rate: float | None) -> None:
        self._surface = surface
        self.trail, self.heights = np.empty((64, count, 2)), np.empty((64, count))
        self.gaps, self.bound = np.empty((64, count)), np.empty(64)
        self.counts = np.arange(64.0)
        self.shrink = _shrink(surface, rate)
        lowest = surface.lowest
        self._lowest = 0.0 if lowest is None else lowest
        self._least = 1e-16 * max(abs(self._lowest), 1.0)

    def write(self, step: int, at: Array) -> None:
        """The places (k, 2) after a step."""
        if step >= len(self.counts):
            self._grow(step)
        heights = np.clip(self._surface.height(at), -MOST, MOST)
        self.fill(step, pulled_in(at, self._surface), heights)

    def fill(self, step: int | slice, trail: Array, heights: Array) -> None:
        """Rows as they are to be kept."""
        self.trail[step], self.heights[step] = trail, heights
        self.gaps[step] = np.maximum(heights - self._lowest, self._least)
        if self.shrink is not None:
            decay = np.clip(2.0 * self.counts[step] * np.log(max(self.shrink, 1e-12)), -600.0, 600.0)
            self.bound[step] = np.maximum(self.gaps[0, 0] * np.exp(decay), self._least)

    def restore(self, trail: Array, heights: Array) -> None:
        """Go on behind the way of an earlier run."""
        self._grow(len(trail))
        self.fill(slice(0, len(trail)), trail, heights)

    def _grow(self, step: int) -> None:
        size = 2 * (step + 1)
        self.trail, self.heights, self.gaps, self.bound = (
            _longer(rows, size) for rows in (self.trail, self.heights, self.gaps, self.bound)
        )
        self.counts = np.arange(float(size))


def _shrink(surface: Surface, rate: float | None) -> float | None:
    """The factor max|1 - ηλ| by which a fixed step shrinks the distance to the minimum of a quadratic, at worst."""
    if rate is None or not surface.quadratic or not len(surface.minima):
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
