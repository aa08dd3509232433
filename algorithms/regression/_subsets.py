"""Subset selection: which few of the columns explain most.

Trying every subset is certain and soon impossible (there are 2^p); adding the best column at a time, or dropping the
least missed one, is fast and not always right. Leaps and bounds (Furnival and Wilson, 1974) is certain and looks at
few: fewer columns never explain more, so that a set of columns that is already worse than the best known subset of each
smaller size need not be taken apart any further. Least squares only; the intercept is always in.
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
from algorithms.maths.design import EPSILON, Design

SelectionRule = Literal["all columns", "forward", "backward", "exhaustive", "leaps and bounds", "principal components"]
MOST_SUBSETS = 20_000
"""Subsets of one size that are tried one by one; beyond it leaps and bounds and the greedy ways remain."""
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

    @property
    def words(self) -> str:
        """How sure the choice is."""
        if self.search is None:
            return f"the best of {self.tried} tried"
        looked = f"{self.tried:,} of {self.search.total:,} subsets"
        if self.search.proven:
            return f"the best of its size, proven by a look at {looked}"
        if self.search.given_up:
            return f"the best of its size that was found among {looked}"
        return f"the best of its size so far, after a look at {looked}"


@dataclass(frozen=True, slots=True, eq=False)
class Search:
    """How far leaps and bounds has come: what it has looked at of all subsets, and whether the choice is proven."""

    looked: Array  # (m, 2) size and sum of squares of the subsets it has looked at; none when too many to be drawn
    total: int  # subsets that there are, 2^p
    proven: bool
    given_up: bool = False


def choices(design: Design, rule: SelectionRule, size: int) -> Iterator[Choice]:
    """The chosen columns, step by step, until ``size`` are in use."""
    small = design.reduced()
    p = small.Z.shape[1]
    size = min(size, p)
    if rule == "forward":
        return forward(small, size)
    if rule == "backward":
        return backward(small, size)
    if rule == "leaps and bounds":
        return LeapsAndBounds(small, size).choices()
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


class LeapsAndBounds:
    """The best subset of each size up to ``size``, by branch and bound. A working object of one run.

    A node is a set of columns of which the first ``fixed`` stay; each child drops one of the others and keeps those
    before it, so that every subset is at one place of the tree only. What a node leaves unexplained is a bound from
    below for all subsets under it. The columns that are missed most come first: the largest branches are those
    without them, which have the highest bounds and are cut first.
    """

    def __init__(self, design: Design, size: int, most: int = MOST_LOOKS) -> None:
        self.design, self.size, self.most = design, size, most
        self.looked: dict[tuple[int, ...], float] = {}
        self.best = np.full(design.Z.shape[1] + 1, np.inf)  # by size
        self.columns: list[tuple[int, ...]] = [()] * len(self.best)
        self.given_up = False

    def choices(self) -> Iterator[Choice]:
        """A first guess of each size by dropping columns greedily, every improvement of it, then what is proven."""
        if not self.size:
            return
        everything = tuple(range(self.design.Z.shape[1]))
        self._look(everything)
        kept = everything
        while len(kept) > 1:
            kept = min((kept[:i] + kept[i + 1 :] for i in range(len(kept))), key=self._look)
        for k in range(self.size, 0, -1):
            yield self._choice(k)
        for number, k in enumerate(self._descend(everything, 0) if len(everything) > 1 else ()):
            if number < MOST_IMPROVEMENTS:
                yield self._choice(k)
        for k in range(1, self.size + 1):
            yield self._choice(k, ended=True)

    def _descend(self, columns: tuple[int, ...], fixed: int) -> Iterator[int]:
        """Take a node apart; yields the size of every subset that turns out to be the best so far."""
        if len(self.looked) >= self.most:
            self.given_up = True
            return
        missed = []
        for column in columns[fixed:]:
            rest = tuple(other for other in columns if other != column)
            before = self.best[len(rest)]
            missed.append((self._look(rest), column))
            if self.best[len(rest)] < before and len(rest) <= self.size:
                yield len(rest)
        order = columns[:fixed] + tuple(column for _, column in sorted(missed, key=lambda one: (-one[0], one[1])))
        bounds = {column: bound for bound, column in missed}
        for place in range(len(order) - 1, fixed - 1, -1):  # small branches first: they may lower what large ones meet
            sizes = self.best[max(place, 1) : min(len(order) - 2, self.size) + 1]
            if len(sizes) and bounds[order[place]] < sizes.max():
                yield from self._descend(order[:place] + order[place + 1 :], place)

    def _look(self, columns: tuple[int, ...]) -> float:
        """The sum of squares of a subset, worked out once; it is kept where it is the best of its size."""
        columns = tuple(sorted(columns))
        if columns not in self.looked:
            rss = self.looked[columns] = unexplained(self.design, columns)
            if rss < self.best[len(columns)]:
                self.best[len(columns)], self.columns[len(columns)] = rss, columns
        return self.looked[columns]

    def _choice(self, k: int, ended: bool = False) -> Choice:
        total, drawn = 2 ** (len(self.best) - 1), self.looked if len(self.looked) <= MOST_DRAWN else {}
        seen = np.array([(float(len(columns)), rss) for columns, rss in drawn.items()]).reshape(-1, 2)
        search = Search(seen, total, ended and not self.given_up, ended and self.given_up)
        return Choice(self.columns[k], float(self.best[k]), len(self.looked), search)


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


def lattice(design: Design, most: int = MOST_DRAWN) -> Array:
    """(size, sum of squares) of every subset; nothing when there are more than ``most``."""
    p = design.Z.shape[1]
    if 2**p > most:
        return np.empty((0, 2))
    small = design.reduced()
    every = itertools.chain.from_iterable(itertools.combinations(range(p), k) for k in range(p + 1))
    return np.array([(float(len(columns)), unexplained(small, columns)) for columns in every])
