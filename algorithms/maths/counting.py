"""Points counted in one after the other, for methods that only count: in which order, and after how many to look."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from algorithms.data import Array

FEW = 500
FRAMES, FRAMES_OF_FEW = 8, 20
"""Frames in which the points are counted in, and in which up to ``FEW`` are: singly at first, then ever more at a time.

Few points are watched; of many a fit is wanted, whose frames would cost more than the fit."""


def counting_order(y: Array, classes: int) -> Array:
    """The points (n,) in the order in which they are counted in: every class evenly spread over the whole time."""
    by_class = np.argsort(y, kind="stable")
    counts = np.bincount(y, minlength=classes)
    ranks = np.arange(len(y)) - np.repeat(np.cumsum(counts) - counts, counts)
    fraction = (ranks + 0.5) / np.repeat(counts, counts)
    order: Array = by_class[np.argsort(fraction, kind="stable")]
    return order


@functools.lru_cache(maxsize=8)
def counting_stops(n: int) -> tuple[int, ...]:
    """After how many points there is a frame, the last time after all of them."""
    frames = FRAMES_OF_FEW if n <= FEW else FRAMES
    return tuple(sorted({*np.rint(np.geomspace(1, n, frames)).astype(int).tolist(), n}))


def priors_of(counts: Array, rule: str, weights: tuple[float, ...] = ()) -> Array:
    """The prior probability (c,) of every class that has been seen; the others have none.

    They are class frequencies, ``equal``, or in proportion to the weights (``by hand``).
    """
    seen = counts > 0
    if rule == "class frequencies":
        given = counts.astype(np.float64)
    elif rule == "by hand":
        padded = (*weights, *[1.0] * len(counts))[: len(counts)]
        given = np.where(seen, np.maximum(padded, 0.0), 0.0)
    else:
        given = seen.astype(np.float64)
    total = given.sum()
    result: Array = given / total if total > 0.0 else np.full(len(counts), 1.0 / len(counts))
    return result


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
    """What has been counted: how many points of each class, their means and their scatter around them."""

    counts: Array  # (c,)
    means: Array  # (c, d)
    scatters: Array  # (c, d, d): sums of (x - μ)(x - μ)ᵀ

    @classmethod
    def none(cls, classes: int, mean: Array) -> Moments:
        """Before the first point; every class stands at the mean of all points."""
        d = len(mean)
        return cls(np.zeros(classes, dtype=np.int64), np.tile(mean, (classes, 1)), np.zeros((classes, d, d)))

    @property
    def counted(self) -> int:
        """How many points of all classes."""
        return int(self.counts.sum())


@dataclass(frozen=True, slots=True, eq=False)
class Queue:
    """The points in the order in which they are counted in, seen from the mean of all of them."""

    order: Array  # (n,)
    columns: Array  # (d, n)
    y: Array  # (n,) class numbers
    classes: int

    @classmethod
    def of(cls, columns: Array, y: Array, classes: int, mean: Array) -> Queue:
        """Every class evenly spread over the whole queue."""
        order = counting_order(y, classes)
        ordered = columns.take(order, axis=1)
        ordered -= mean[:, None]
        return cls(order, ordered, y[order], classes)

    def counted_in(self, mean: Array) -> Iterator[tuple[Moments, slice]]:
        """The moments of the first points, and which have just come, for ever more of them.

        Sums are taken from the mean that a class will have in the end, so that no digits are lost in them.
        """
        members = [np.flatnonzero(self.y == k) for k in range(self.classes)]
        parts = [np.vstack([np.ones(len(places)), self.columns.take(places, axis=1)]) for places in members]
        ends = np.array([part[1:].mean(axis=1) if part.size else np.zeros(len(mean)) for part in parts])
        for part, end in zip(parts, ends):
            part[1:] -= end[:, None]
        stops = counting_stops(len(self.y))
        until = np.array([places.searchsorted(stops) for places in members]).T  # (stops, c)
        divisors = np.maximum(until, 1)[:, :, None]
        anchors = mean + ends * (until > 0)[:, :, None]
        totals = np.zeros((self.classes, len(mean) + 1, len(mean) + 1))  # sums of (1, x)(1, x)ᵀ: all moments at once
        sums, squares, known = totals[:, 0, 1:], totals[:, 1:, 1:], [0] * self.classes
        for number, (stop, before, now) in enumerate(zip(stops, [0, *stops], until.tolist())):
            for part, total, first, last in zip(parts, totals, known, now):
                if last > first:
                    new = part[:, first:last]
                    total += new @ new.T
            known = now
            shift = sums / divisors[number]
            scatters = squares - shift[:, :, None] * sums[:, None, :]
            yield Moments(until[number], anchors[number] + shift, scatters), slice(before, stop)
