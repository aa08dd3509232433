"""The mathematics of the cascade: stages of boosted stumps, who passes them, and what they learn from."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from algorithms.data import Array, Points
from algorithms.data.scaling import AS_GIVEN, Scaling, rescaled
from algorithms.ensembles.cascade.solver.integral_images import Windows
from algorithms.interrupt import checkpoint
from algorithms.maths.stumps import SortedColumns, reweighted, vote_of

CHANCE = 1e-9
"""A stump that is nearer to one half than this is no better than a coin."""
LEAST = 1e-6
"""What the decision of a cascade is at least where everything is passed: above zero, also by a hair."""
PART = 4096
"""Rows that are looked at at once."""
MOST_VALUES = 8_000_000
"""Numbers in the table of features that a stage learns from; of more pictures than fit in, some are drawn."""


class Source(Protocol):
    """Rows whose features are worked out when they are asked for."""

    def values(self, asks: Array, /) -> Array:
        """The features (f, m)."""

    def some(self, chosen: Array, /) -> Source:
        """Some of the rows."""


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Plain points: a feature is a column."""

    X: Array  # (m, d)

    def values(self, asks: Array) -> Array:
        """The columns (f, m) with these numbers."""
        return self.X[:, asks].T

    def some(self, chosen: Array) -> Columns:
        """Some of the rows."""
        return Columns(self.X[chosen])


@dataclass(frozen=True, slots=True, eq=False)
class Lens:
    """How pictures are seen: their shape, what is black and what is white, and the scale of each pixel.

    Where the document has scaled the pixels, those that are learned from do it anew. (A stump on a column of plain
    points asks for their order, which no scale changes.)
    """

    shape: tuple[int, int]
    low: float
    span: float
    normalised: bool  # differences of grey are divided by the contrast of the window
    scaling: Scaling = AS_GIVEN

    @classmethod
    def of(cls, data: Points, shape: tuple[int, int], normalised: bool, held: Array) -> Lens:
        """Black is the least and white the largest number of all pictures, or of those that have set a scale anew."""
        learned, scaling = rescaled(data.rows(np.flatnonzero(~held)))
        X = data.X if data.scale == "given" else learned.X
        low, high = np.inf, -np.inf
        for start in range(0, len(X), PART):
            checkpoint()
            part = X[start : start + PART]
            low, high = min(low, float(part.min())), max(high, float(part.max()))
        return cls(shape, low, high - low or 1.0, normalised, scaling)

    def pictures(self, X: Array) -> Array:
        """Rows as pictures (m, h, w), grey from 0 to 1."""
        return ((self.scaling.applied(X) - self.low) / self.span).reshape(-1, *self.shape)

    def windows(self, X: Array) -> Windows:
        """Rows as windows that features look into."""
        return Windows.of_pictures(self.pictures(X), self.normalised)


def source_of(X: Array, lens: Lens | None) -> Source:
    """Rows of numbers, or of pictures seen through a lens."""
    return Columns(X) if lens is None else lens.windows(X)


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """A sum of stumps, F(x) = sum_m alpha_m g_m(x), and the least F with which one passes."""

    asks: Array  # (r,) columns, or (r, 5) Haar features
    cuts: Array  # (r,) the threshold of each stump
    signs: Array  # (r,) what it says above it
    votes: Array  # (r,) alpha
    threshold: float = 0.0

    @property
    def reach(self) -> float:
        """The largest F there can be."""
        return float(self.votes.sum())

    def scores(self, source: Source) -> Array:
        """F (m,) of all rows."""
        values = source.values(self.asks)
        total = np.zeros(values.shape[1])
        for row, cut, sign, vote in zip(values, self.cuts, self.signs, self.votes):
            total += np.where(row > cut, sign * vote, -sign * vote)  # in turn, so that company changes no bit
        return total

    def passes(self, source: Source) -> Array:
        """Who passes, (m,) bool."""
        return np.asarray(self.scores(source) >= self.threshold)


NO_STUMPS = np.empty(0)


def in_parts(X: Array, lens: Lens | None) -> Iterator[tuple[slice, Source]]:
    """Some rows at a time, so that integral images of many pictures need little memory and a run can be called off."""
    for start in range(0, len(X), PART):
        checkpoint()
        rows = slice(start, start + PART)
        yield rows, source_of(X[rows], lens)


def passing(stages: tuple[Stage, ...], source: Source, m: int) -> tuple[Array, Array]:
    """By how many stages each of m rows is passed, and the decision that follows from it, both (m,).

    The decision of a row that stage j of k drops lies between (j - 1) / k - 1 and j / k - 1, the higher the nearer it
    came to passing; where all are passed it is the least part of a stage's scores above its threshold, up to 1.
    """
    passed, decision = np.zeros(m, dtype=np.int64), np.ones(m)
    inside = np.arange(m)
    for number, stage in enumerate(stages):
        scores = stage.scores(source.some(inside))
        good = scores >= stage.threshold
        above = max(stage.reach - stage.threshold, LEAST)
        kept, out = inside[good], inside[~good]
        decision[kept] = np.minimum(decision[kept], np.maximum((scores[good] - stage.threshold) / above, LEAST))
        nearness = (scores[~good] + stage.reach) / max(stage.reach + stage.threshold, LEAST)
        decision[out] = (number + np.clip(nearness, 0.0, 1.0 - LEAST)) / len(stages) - 1.0
        passed[kept] += 1
        inside = kept
    return passed, decision


def side_by_side(tables: list[Array]) -> Array:
    """Tables (f, m) with the same rows as one; it can be a large one, so a run can be called off in between."""
    if len(tables) == 1:
        return tables[0]
    whole, rows = np.empty((len(tables[0]), sum(table.shape[1] for table in tables))), max(PART // 64, 1)
    for start in range(0, len(whole), rows):
        checkpoint()
        np.concatenate([table[start : start + rows] for table in tables], axis=1, out=whole[start : start + rows])
    return whole


@dataclass(frozen=True, slots=True, eq=False)
class Round:
    """A stage with one stump more."""

    stage: Stage
    scores: Array  # (m,) F of the rows it learns from
    weights: Array  # (m,) before this round
    error: float


def balanced(y: Array, cost: float) -> Array:
    """Weights (m,): each class has half of all, or the targets ``cost`` times as much as the others."""
    targets = y > 0.0
    weights = np.where(targets, cost / max(int(targets.sum()), 1), 1.0 / max(int((~targets).sum()), 1))
    return np.asarray(weights / weights.sum())


def rounds(values: Array, asks: Array, y: Array, cost: float) -> Iterator[Round]:
    """AdaBoost on a table of features (f, m): one stump after another, for ever, or until none helps."""
    columns = SortedColumns.of(values)
    weights, scores = balanced(y, cost), np.zeros(len(y))
    stage = Stage(asks[:0], NO_STUMPS, NO_STUMPS, NO_STUMPS)
    while True:
        found = columns.best_stump(y, weights)
        if found is None:
            return
        stump, error = found
        if error >= 0.5 - CHANCE:
            return
        vote = vote_of(error)
        says = np.where(values[stump.feature] > stump.threshold, stump.sign, -stump.sign)
        scores = scores + vote * says
        stage = Stage(
            np.concatenate([stage.asks, asks[stump.feature : stump.feature + 1]]),
            np.append(stage.cuts, stump.threshold),
            np.append(stage.signs, stump.sign),
            np.append(stage.votes, vote),
        )
        yield Round(stage, scores, weights, error)
        weights = reweighted(weights, vote, says != y)


def lowered(scores: Array, y: Array, reach: float, detection: float) -> float:
    """The threshold, at most 0, at which at least this fraction of the targets passes.

    It lies halfway to the next lower score, so that rounding decides nothing.
    """
    targets = np.sort(scores[y > 0.0])
    lost = math.floor((1.0 - detection) * len(targets) + 1e-9)
    lowest = float(targets[min(lost, len(targets) - 1)])
    if lowest > 0.0:
        return 0.0
    below = scores[scores < lowest - 1e-9 * reach]
    return 0.5 * (lowest + float(below.max())) if len(below) else lowest - max(1e-6 * reach, LEAST)


def split(y: Array, fraction: float, rng: np.random.Generator) -> Array:
    """Who is held out, (n,) bool: this fraction of each class, rounded down."""
    out = np.zeros(len(y), dtype=bool)
    for side in (-1.0, 1.0):
        members = rng.permutation(np.flatnonzero(y == side))
        out[members[: math.floor(fraction * len(members))]] = True
    return out


def sampled(rows: Array, most: int, rng: np.random.Generator) -> Array:
    """All rows, or as many of them as can be worked on, drawn at random."""
    return rows if len(rows) <= most else np.sort(rng.choice(rows, most, replace=False))
