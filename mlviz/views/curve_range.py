"""The range of values that a plot of curves shows. No Qt."""

from __future__ import annotations

import math

MARGIN, SPARE, FILLED = 0.04, 0.25, 0.6
"""Room beside the curves; where they grow; and what they fill at least of a scale that stays. Shares of their span."""
FLAT = 1e-6
"""A curve that changes by less than this share of its size is drawn as flat."""
FLAT_RANGE = 0.2
"""The range around a flat curve, as a share of its size: its numbers are short, not 1.0000004."""
Extent = tuple[float, float]
NOTHING: Extent = (math.inf, -math.inf)
"""The least and the greatest of no values."""


def with_size(low: float, high: float) -> Extent:
    """A range around these values, also where they hardly differ."""
    size = max(abs(low), abs(high))
    if high - low >= FLAT * size and size > 0.0:
        return low, high
    middle, least = (low + high) / 2, FLAT_RANGE * size or 1.0
    return middle - least / 2, middle + least / 2


def with_room(shown: list[float], low: float, high: float) -> list[float]:
    """The range on show if it holds these values and they fill most of it; else a range with room to grow into."""
    span = high - low
    if shown[0] <= low and high <= shown[1] and span >= FILLED * (shown[1] - shown[0]):
        return shown
    below = SPARE if low < shown[0] else MARGIN
    above = SPARE if high > shown[1] else MARGIN
    return [low - below * span, high + above * span]
