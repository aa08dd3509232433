"""Where centres begin: the initialisations that k-means and Gaussian mixtures share.

All places are given and returned from the origin of the :class:`~algorithms.maths.distances.Cloud`.
"""

from __future__ import annotations

import numpy as np

from algorithms.data import Array, DataError, distinct_rows
from algorithms.maths.distances import Cloud, refuse_overflow
from algorithms.maths.words import counted
from algorithms.params import PointList


def need_distinct_points(X: Array, k: int, what: str) -> None:
    """Raise :class:`DataError` unless there are at least ``k`` different points; cheap on ordinary data."""
    if len(set(map(tuple, X[: 4 * k].tolist()))) >= k:
        return
    distinct = distinct_rows(X)
    if distinct < k:
        verb = "is" if distinct == 1 else "are"
        raise DataError(f"{k} {what} need at least {k} distinct points; there {verb} {distinct}.")


def draw_probabilities(squared: Array) -> Array:
    """The k-means++ probability (n,) of every point to be the next centre: its fraction of the squared distances."""
    largest = float(squared.max())
    if largest == 0.0:
        return np.full(len(squared), 1.0 / len(squared))
    scaled = squared / largest
    probabilities: Array = scaled / scaled.sum()
    return probabilities


def draw(probabilities: Array, rng: np.random.Generator) -> int:
    """One point drawn with these probabilities; a point with the probability 0 is never drawn."""
    steps = np.cumsum(probabilities)
    place = int(np.searchsorted(steps, rng.random() * steps[-1], side="right"))
    return min(place, int(np.flatnonzero(probabilities)[-1]))


def plus_plus(cloud: Cloud, k: int, rng: np.random.Generator) -> Array:
    """The points (k,) that k-means++ chooses."""
    chosen = [int(rng.integers(cloud.n))]
    squared = squared_to_point(cloud, chosen[0])
    while len(chosen) < k:
        chosen.append(draw(draw_probabilities(squared), rng))
        squared = np.minimum(squared, squared_to_point(cloud, chosen[-1]))
    return np.array(chosen)


def squared_to_point(cloud: Cloud, point: int) -> Array:
    """Squared distances (n,) of all points to one of them, by differences."""
    difference = cloud.columns - cloud.columns[:, point : point + 1]
    squared: Array = np.einsum("ji,ji->i", difference, difference)
    return squared


def random_points(cloud: Cloud, k: int, rng: np.random.Generator) -> Array:
    """``k`` points (k,) drawn without replacement, no two of them at the same place (Forgy)."""
    order = rng.permutation(cloud.n)
    for sample in (order[: 4 * k], order):
        _, first = np.unique(cloud.columns[:, sample], axis=1, return_index=True)
        if len(first) >= k:
            break
    chosen: Array = sample[np.sort(first)[:k]]
    return chosen


def random_partition(n: int, k: int, rng: np.random.Generator) -> Array:
    """A random label (n,) for every point; no group is empty."""
    labels = rng.integers(k, size=n, dtype=np.int32)
    labels[rng.permutation(n)[:k]] = np.arange(k, dtype=np.int32)
    return labels


def given_centres(cloud: Cloud, centres: PointList | Array, k: int, owner: str) -> Array:
    """Centres (k, d) set by hand.

    The given ones come first, in their order, and those beyond ``k`` are ignored. Missing ones are put on the point
    farthest from all centres so far. With none given at all, they are spread along the diagonal of the data's box.
    """
    if len(centres) == 0:
        low, high = cloud.columns.min(axis=1), cloud.columns.max(axis=1)
        parts = (np.arange(k) + 0.5)[:, None] / k
        return np.asarray(low + parts * (high - low))
    for number, centre in enumerate(centres, start=1):
        if len(centre) != cloud.d:
            raise DataError(
                f"Centre {number} of {owner} has {counted(len(centre), 'coordinate')}; "
                f"the data have {counted(cloud.d, 'feature')}."
            )
    places = np.array([list(map(float, centre)) for centre in centres[:k]])
    refuse_overflow(places, "The given centres")
    places = places - cloud.origin
    while len(places) < k:
        farthest = int(cloud.squared_to(places).min(axis=0).argmax())
        places = np.vstack([places, cloud.columns[:, farthest]])
    return places
