"""Subset selection: which few of the columns explain most.

Trying every subset is certain and soon impossible (there are 2^p); adding the best column at a time, or dropping the
least missed one, is fast and not always right. Least squares only; the intercept is always in.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from math import comb
from typing import Literal

import numpy as np

from algorithms.dataset import Array, DataError
from algorithms.interrupt import checkpoint
from algorithms.regression._design import EPSILON, Design

Rule = Literal["all columns", "forward", "backward", "exhaustive"]
MOST_SUBSETS = 20_000
"""Subsets of one size that are tried one by one; beyond it the greedy ways remain."""


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """The columns in use, what they leave unexplained, and how many candidates were compared."""

    columns: tuple[int, ...]
    rss: float
    tried: int


def choices(design: Design, rule: Rule, size: int) -> Iterator[Choice]:
    """The chosen columns, step by step, until ``size`` are in use."""
    small = design.reduced()
    p = small.Z.shape[1]
    size = min(size, p)
    if rule == "forward":
        return forward(small, size)
    if rule == "backward":
        return backward(small, size)
    if max(comb(p, k) for k in range(size + 1)) > MOST_SUBSETS:
        raise DataError(f"Of {p} columns there are too many subsets to try them all; choose forward or backward.")
    return exhaustive(small, size)


def forward(design: Design, size: int) -> Iterator[Choice]:
    """Add the column that lowers the sum of squares most: of what is new in each, the one most like the residual."""
    Z, residual = design.Z.copy(), design.y.copy()
    floor = (4.0 * EPSILON * max(design.n, *Z.shape)) ** 2
    kept: tuple[int, ...] = ()
    for _ in range(size):
        lengths = np.einsum("ij,ij->j", Z, Z)
        gains = np.where(lengths > floor, (Z.T @ residual) ** 2 / np.where(lengths > floor, lengths, 1.0), -1.0)
        gains[list(kept)] = -1.0
        best = int(gains.argmax())
        if gains[best] < 0.0:  # nothing new is left in any column
            return
        direction = Z[:, best] / np.sqrt(lengths[best])
        residual = residual - direction * (direction @ residual)
        for _ in range(2):
            Z -= np.outer(direction, direction @ Z)
        tried = Z.shape[1] - len(kept)
        kept = tuple(sorted((*kept, best)))
        yield Choice(kept, float(residual @ residual), tried)


def backward(design: Design, size: int) -> Iterator[Choice]:
    """Begin with all columns and drop the one that is missed least."""
    kept = tuple(range(design.Z.shape[1]))
    yield Choice(kept, unexplained(design, kept), 1)
    while len(kept) > size:
        candidates = [kept[:i] + kept[i + 1 :] for i in range(len(kept))]
        costs = [unexplained(design, candidate) for candidate in candidates]
        best = int(np.argmin(costs))
        kept = candidates[best]
        yield Choice(kept, costs[best], len(candidates))


def exhaustive(design: Design, size: int) -> Iterator[Choice]:
    """The best subset of each size: every one is tried."""
    for k in range(1, size + 1):
        every = list(itertools.combinations(range(design.Z.shape[1]), k))
        costs = [unexplained(design, candidate) for candidate in every]
        best = int(np.argmin(costs))
        yield Choice(every[best], costs[best], len(every))


def unexplained(design: Design, columns: tuple[int, ...]) -> float:
    """The sum of squared residuals of least squares with these columns."""
    checkpoint()
    if not columns:
        return float(design.y @ design.y)
    part = design.Z[:, list(columns)]
    found = np.linalg.lstsq(part, design.y, rcond=EPSILON * max(design.n, *part.shape))[0]
    residual = design.y - part @ found
    return float(residual @ residual)


def coefficients(design: Design, columns: tuple[int, ...]) -> Array:
    """The scaled coefficients of least squares with these columns; 0 for the others."""
    b = np.zeros(design.Z.shape[1])
    if columns:
        part = design.Z[:, list(columns)]
        b[list(columns)] = np.linalg.lstsq(part, design.y, rcond=EPSILON * max(design.n, *part.shape))[0]
    return b


def lattice(design: Design, most: int = 1024) -> Array:
    """(size, sum of squares) of every subset; nothing when there are more than ``most``."""
    p = design.Z.shape[1]
    if 2**p > most:
        return np.empty((0, 2))
    small = design.reduced()
    every = itertools.chain.from_iterable(itertools.combinations(range(p), k) for k in range(p + 1))
    return np.array([(float(len(columns)), unexplained(small, columns)) for columns in every])
