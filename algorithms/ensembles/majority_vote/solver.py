"""Condorcet's sums, correlated voters, and random lines that vote."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator

import numpy as np
from scipy.special import gammaln

from algorithms.data import Array

SINGLY, STRETCHES, BATCHES = 8, 32, 24
"""The first pairs of voters come one by one, the others in stretches; then the votes of all of them in batches."""
ANGLES, PLACES = 720, 90
"""Directions in which the vote of the lines is looked at, and where their average is worked out."""


def numbers(m: int) -> list[int]:
    """The numbers of voters on the way: odd ones, the first in pairs, then in stretches, and m itself."""
    odd = np.arange(1, m + 1, 2)
    kept = np.unique(np.concatenate([odd[:SINGLY], odd[np.linspace(0, len(odd) - 1, STRETCHES).astype(int)]]))
    return sorted({*kept.tolist(), m})


def batches(count: int) -> Iterator[int]:
    """How many votes come next: few at first, and ``count`` of them together."""
    ends = np.unique(np.rint(count * np.linspace(0.0, 1.0, BATCHES + 1) ** 2).astype(int))
    return (int(size) for size in np.diff(ends[ends >= 0])) if count > 0 else iter(())


def majority_curve(q: float, m: int) -> Array:
    """V_1 .. V_m (m,): how probably the majority of independent voters is right, each with the probability q."""
    pairs = (m + 1) // 2
    ratios = 4.0 * (2.0 * np.arange(1, pairs) + 1.0) / (2.0 * np.arange(1, pairs) + 2.0) * q * (1.0 - q)
    gains = (2.0 * q - 1.0) * q * (1.0 - q) * np.concatenate([[1.0], np.cumprod(ratios)])[: pairs - 1]
    odd = np.concatenate([[q], q + np.cumsum(gains)])
    return np.clip(np.repeat(odd, 2)[:m], 0.0, 1.0)


def leaders(p: float, correlation: float) -> tuple[tuple[float, float], tuple[float, float]]:
    """The two cases, the leader right or wrong: their probability, and that of a voter to be right then."""
    follows = math.sqrt(correlation)
    return (p, follows + (1.0 - follows) * p), (1.0 - p, (1.0 - follows) * p)


def right_curve(p: float, correlation: float, m: int) -> Array:
    """P_1 .. P_m (m,) for voters who follow a leader now and then."""
    return np.asarray(sum(weight * majority_curve(q, m) for weight, q in leaders(p, correlation)))


def limit_of(p: float, correlation: float) -> float:
    """P_m for more and more voters."""
    return sum(weight * (1.0 if q > 0.5 else 0.5 if q == 0.5 else 0.0) for weight, q in leaders(p, correlation))


def distribution(p: float, correlation: float, m: int) -> Array:
    """The probability that 0, 1 .. m voters are right, (m + 1,)."""
    right = np.arange(m + 1)
    choose = gammaln(m + 1) - gammaln(right + 1) - gammaln(m - right + 1)
    total = np.zeros(m + 1)
    for weight, q in leaders(p, correlation):
        if 0.0 < q < 1.0:
            total += weight * np.exp(choose + right * math.log(q) + (m - right) * math.log1p(-q))
        else:
            total[m if q == 1.0 else 0] += weight
    return total


def votes(rng: np.random.Generator, elections: int, voters: int, p: float, correlation: float) -> Array:
    """Who is right in each of some votes, (elections, voters) bool."""
    leader = rng.random((elections, 1)) < p
    alone = rng.random((elections, voters)) < p
    follows = rng.random((elections, voters)) < math.sqrt(correlation)
    return np.where(follows, leader, alone)


def turns(p: float, m: int, correlation: float, rng: np.random.Generator) -> Array:
    """How far each voter's line is turned from the true boundary, (m,): on average by (1 - p) π, to either side."""
    span = rng.random(m + 1) * 2.0 * math.pi * min(p, 1.0 - p)
    angles = np.where(p >= 0.5, span, math.pi - span) * np.where(rng.random(m + 1) < 0.5, -1.0, 1.0)
    return np.where(rng.random(m) < math.sqrt(correlation), angles[0], angles[1:])


@functools.lru_cache(maxsize=16)  # the same in every frame of a run
def lines_curve(p: float, correlation: float, m: int) -> Array:
    """The fraction of the disc where 1 .. m random lines vote rightly, (m,), on average over all such lines.

    A place whose direction is turned by φ from the boundary is seen rightly by a line that is turned by less than φ to
    one side, or less than π - φ to the other.
    """
    off = (np.arange(PLACES) + 0.5) * math.pi / (2 * PLACES)
    span = 2.0 * math.pi * min(p, 1.0 - p)
    right = (np.minimum(off, span) + np.minimum(math.pi - off, span)) / (2.0 * span) if span > 0.0 else np.ones(PLACES)
    right = right if p >= 0.5 else 1.0 - right
    curve = np.mean([right_curve(float(q), correlation, m) for q in right], axis=0)
    curve.flags.writeable = False
    return np.asarray(curve)


def vote_of_lines(angles: Array) -> float:
    """The fraction of a disc where lines, turned so from the true boundary, vote rightly; an even vote counts half."""
    around = (np.arange(ANGLES) + 0.5) * 2.0 * math.pi / ANGLES
    agree = (np.cos(around[None] - angles[:, None]) > 0) == (np.cos(around) > 0)[None]
    fraction = agree.mean(axis=0)
    return float(np.mean(np.where(fraction == 0.5, 0.5, fraction > 0.5)))


def rightly(counts: Array) -> float:
    """How many votes the majority decided rightly, when so many voters were right that often; even ones count half."""
    m = len(counts) - 1
    return float(counts[m // 2 + 1 :].sum() + (0.5 * counts[m // 2] if m % 2 == 0 else 0.0))
