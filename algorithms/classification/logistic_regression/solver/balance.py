"""How often each training point counts when rare classes are to have the same say as common ones.

Re-weighting, under-sampling and over-sampling are one thing: a weight for every point, 1 for all of them in plain
training. Dropping a point is the weight 0, repeating it three times the weight 3 (Methods for Data Science §4.2.1,
imbalanced data).
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from algorithms.data import Array

Balance = Literal["none", "re-weight", "under-sample", "over-sample", "mix"]


def balance_weights(y: Array, how: Balance, rng: np.random.Generator) -> Array:
    """The weight of every point, (n,); ``y`` are class numbers from 0 and every class has points."""
    counts = np.bincount(y)
    if how == "none":
        return np.ones(len(y))
    if how == "re-weight":
        weights: Array = (len(y) / (len(counts) * counts))[y]
        return weights
    weights = np.empty(len(y))
    for group, count in enumerate(counts.tolist()):
        weights[y == group] = _drawn(count, size_for(counts, how), rng)
    return weights


def size_for(counts: Array, how: Balance) -> int:
    """How many points every class has after sampling: as the smallest, as the largest, or as they have on average."""
    if how == "under-sample":
        return int(counts.min())
    return int(counts.max()) if how == "over-sample" else max(round(float(counts.mean())), 1)


def _drawn(count: int, size: int, rng: np.random.Generator) -> Array:
    """How often each of ``count`` points is drawn: some once where they are too many, all and some again where few."""
    times = np.full(count, size // count, dtype=float)
    times[rng.choice(count, size % count, replace=False)] += 1.0
    return times
