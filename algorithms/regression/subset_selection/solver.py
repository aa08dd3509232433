"""Which few of the columns explain most: greedily, by trying all subsets, or by leaps and bounds.

Least squares only; a free intercept is always in.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from math import comb
from typing import Literal

import numpy as np

from algorithms.data import Array, DataError
from algorithms.interrupt import checkpoint
from algorithms.maths.design import EPSILON, Design, least_squares

Rule = Literal["forward", "backward", "exhaustive", "leaps and bounds"]
MOST_SUBSETS = 20_000
"""Subsets of one size that are tried one by one; beyond it leaps and bounds and the greedy rules remain."""
MOST_LOOKS = 40_000
"""Subsets that leaps and bounds looks at before it gives up the proof."""
MOST_IMPROVEMENTS = 30
"""Improvements that are shown one by one; later ones are only counted."""
MOST_DRAWN = 1024
"""Subsets that are drawn one by one."""


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """The columns in use, what they leave unexplained, and how many candidates were compared."""

    columns: tuple[int, ...]
    rss: float
    tried: int
    search: Search | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Search:
    """How far leaps and bounds has come: what it has looked at of all subsets, and whether the choice is proven."""

    looked: Array  # (m, 2) size and sum of squares of the subsets it has looked at; none when too many to be drawn
    total: int  # subsets that there are, 2^p
    proven: bool
    given_up: bool = False


def choices(design: Design, rule: Rule, size: int) -> Iterator[Choice]:
    """The chosen columns, step by step, until ``size`` are in use."""
    small = design.reduced()
    p = small.Z.shape[1]
    size = min(size, p)
    if rule == "forward":
        return forward(small, size)
    if rule == "backward":
        return backward(small, size)
    if rule == "leaps and bounds":
        return leaps_and_bounds(small, size)
    if max(comb(p, k) for k in range(size + 1)) > MOST_SUBSETS:
        raise DataError(
            f"Of {p} columns there are too many subsets to try them all; choose leaps and bounds, forward or backward."
        )
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


def leaps_and_bounds(design: Design, size: int, most: int | None = None) -> Iterator[Choice]:
    """The best subset of each size up to ``size``, by branch and bound over at most so many subsets.

    First a guess of each size by dropping columns greedily, then every improvement of it, then what is proven.
    """
    if not size:
        return
    p = design.Z.shape[1]
    search = _Branches(design, size, MOST_LOOKS if most is None else most)
    kept = tuple(range(p))
    search.look(kept)
    while len(kept) > 1:
        kept = min((kept[:i] + kept[i + 1 :] for i in range(len(kept))), key=search.look)
    for k in range(size, 0, -1):
        yield search.chosen(k)
    for number, k in enumerate(search.take_apart(tuple(range(p)), 0) if p > 1 else ()):
        if number < MOST_IMPROVEMENTS:
            yield search.chosen(k)
    for k in range(1, size + 1):
        yield search.chosen(k, ended=True)


class _Branches:
    """What a search has looked at so far: every subset once, and the best of each size."""

    def __init__(self, design: Design, size: int, most: int) -> None:
        p = design.Z.shape[1]
        self._design, self._size, self._most, self._p = design, size, most, p
        self._looked: dict[tuple[int, ...], float] = {}
        self._least = np.full(p + 1, np.inf)  # by size
        self._best: list[tuple[int, ...]] = [()] * (p + 1)

    def look(self, columns: tuple[int, ...]) -> float:
        """The sum of squares of a subset, worked out once; it is kept where it is the best of its size."""
        columns = tuple(sorted(columns))
        if columns not in self._looked:
            rss = self._looked[columns] = unexplained(self._design, columns)
            if rss < self._least[len(columns)]:
                self._least[len(columns)], self._best[len(columns)] = rss, columns
        return self._looked[columns]

    def take_apart(self, columns: tuple[int, ...], fixed: int) -> Iterator[int]:
        """Yields the size of every subset that turns out to be the best so far.

        A node of the tree is a set of columns of which the first ``fixed`` stay; each child drops one of the others
        and keeps those before it, so that every subset is at one place only. What a node leaves unexplained is a bound
        from below for all subsets under it. The columns that are missed most come first: the largest branches are
        those without them, which have the highest bounds and are cut first.
        """
        if len(self._looked) >= self._most:
            return
        least, missed = self._least, []
        for column in columns[fixed:]:
            rest = tuple(other for other in columns if other != column)
            before = least[len(rest)]
            missed.append((self.look(rest), column))
            if least[len(rest)] < before and len(rest) <= self._size:
                yield len(rest)
        order = columns[:fixed] + tuple(column for _, column in sorted(missed, key=lambda one: (-one[0], one[1])))
        bounds = {column: bound for bound, column in missed}
        for place in range(len(order) - 1, fixed - 1, -1):  # small branches first: they may lower what large ones meet
            sizes = least[max(place, 1) : min(len(order) - 2, self._size) + 1]
            if len(sizes) and bounds[order[place]] < sizes.max():
                yield from self.take_apart(order[:place] + order[place + 1 :], place)

    def chosen(self, k: int, ended: bool = False) -> Choice:
        """The best subset of a size so far; at the end also whether that is proven."""
        drawn = self._looked if len(self._looked) <= MOST_DRAWN else {}
        seen = np.array([(float(len(columns)), rss) for columns, rss in drawn.items()]).reshape(-1, 2)
        given_up = len(self._looked) >= self._most
        search = Search(seen, 2**self._p, ended and not given_up, ended and given_up)
        return Choice(self._best[k], float(self._least[k]), len(self._looked), search)


def unexplained(design: Design, columns: tuple[int, ...]) -> float:
    """The sum of squared residuals of least squares with these columns."""
    return design.squares(coefficients(design, columns))


def coefficients(design: Design, columns: tuple[int, ...]) -> Array:
    """The scaled coefficients of least squares with these columns; 0 for the others."""
    checkpoint()
    b = np.zeros(design.Z.shape[1])
    if columns:
        part = design.Z[:, list(columns)]
        b[list(columns)] = least_squares(part, design.y, design.n)
    return b


def lattice(design: Design, most: int = MOST_DRAWN) -> Array:
    """(size, sum of squares) of every subset; nothing when there are more than ``most``."""
    p = design.Z.shape[1]
    if 2**p > most:
        return np.empty((0, 2))
    small = design.reduced()
    every = itertools.chain.from_iterable(itertools.combinations(range(p), k) for k in range(p + 1))
    return np.array([(float(len(columns)), unexplained(small, columns)) for columns in every])
