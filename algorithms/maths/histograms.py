"""Histograms on a numeric axis: outlines of steps that can be filled, and the number of bins that suits the values."""

from __future__ import annotations

import numpy as np

from algorithms.data import Array


def histogram_outline(edges: Array, heights: Array) -> Array:
    """The corners (p, 2) of a histogram, closed along the axis."""
    x = np.repeat(edges, 2)
    return np.column_stack([x, np.concatenate([[0.0], np.repeat(heights, 2), [0.0]])])


def bin_edges(values: Array, most: int = 40) -> Array:
    """Edges of about √m equal bins over m values, at most ``most``; one bin of some width where all are equal."""
    low, high = float(values.min()), float(values.max())
    if not high - low > 1e-12 * max(abs(low), abs(high)):
        half = 0.05 * max(abs(low), abs(high)) or 0.5
        return np.array([low - half, low + half])
    return np.linspace(low, high, int(np.clip(np.sqrt(len(values)), 5, most)) + 1)
