"""What is drawn of a long curve: a screen has fewer columns than the curve has values."""

from __future__ import annotations

import numpy as np

from algorithms.data import Array

BUCKETS = 160
"""A longer curve is drawn by its least and greatest value in each of so many parts: nothing that shows is lost."""


def minmax_decimate(values: Array) -> tuple[Array, Array]:
    """The steps and values that a drawn curve needs: all, or the least and the greatest of each part of a long one."""
    count = len(values)
    if count <= 4 * BUCKETS:
        return np.arange(count), values
    size = -(-count // BUCKETS)
    whole = count // size * size
    parts = values[:whole].reshape(-1, size)
    starts = np.arange(len(parts)) * size
    low, high = np.nan_to_num(parts, nan=np.inf).argmin(axis=1), np.nan_to_num(parts, nan=-np.inf).argmax(axis=1)
    steps = np.unique(np.concatenate([[0], starts + low, starts + high, np.arange(whole, count), [count - 1]]))
    return steps, values[steps]
