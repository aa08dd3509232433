"""Bags: members of an ensemble, each on its own sample with replacement, and what they say together.

A point that a member has not drawn is out of its bag, and the member can be tested on it. All such tests together give
the out-of-bag error: every point is judged by those members only that have not seen it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, Self

import numpy as np

from algorithms.data import Array, DataError, Points
from algorithms.data.scaling import rescaled
from algorithms.interrupt import checkpoint
from algorithms.maths.forest_growth import Presorted, grow
from algorithms.maths.forests import Forest, Grove, forest_bytes, refuse_large
from algorithms.maths.nearest_points import Search, nearest_in, search_in
from algorithms.maths.tree_growth import Problem
from algorithms.maths.trees import Criterion
from algorithms.maths.words import counted

FOLDS = 5
MANY_NUMBERS = 200_000
"""In a larger table halves take the place of folds: nobody waits for the first frame."""
BATCH, BATCH_POINTS = 16, 50_000
"""So many members are made together, of so many points in all: then the numbers stay near the processor."""
FEW_PLACES = 40_000
"""Up to so many places, their nearest points are remembered."""
ROWS = 20_000
"""Places that a bag is asked about in one go."""
SPARE = 12
"""Neighbours that are looked for beyond twice k, because a bag does not hold all of them."""


class Part(Protocol):
    """Members that were made together."""

    def __len__(self) -> int: ...

    def each(self, X: Array) -> Iterator[Array]:
        """What one member after the other answers: fractions (n, c) of the classes, or values (n, 1)."""
        ...


class Crowd(Protocol):
    """All members so far: a frozen value."""

    def __len__(self) -> int: ...

    def plus(self, part: Any, /) -> Self:
        """With more members."""
        ...

    def first(self, size: int, /) -> Self:
        """The first of them only."""
        ...

    def total(self, X: Array, votes: bool = False) -> Array:
        """What they answer, added up: (n, c) or (n, 1)."""
        ...

    def answers(self, number: int, X: Array, /) -> Array:
        """What one of them answers alone, (n,)."""
        ...

    def ballots(self, x: Array) -> Array:
        """What each of them answers for one point (d,), (b,)."""
        ...


class Base(Protocol):
    """What the members are."""

    def grown(self, bags: Array) -> Part:
        """A member for each row of counts (b, n)."""
        ...

    def nobody(self) -> Crowd:
        """A crowd without members."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Trees:
    """Members that are trees; with ``features``, each cut looks at so many random ones."""

    problem: Problem
    depth: int
    features: int | None = None
    rng: np.random.Generator | None = None
    presorted: Presorted = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "presorted", Presorted.of(self.problem.X))

    def grown(self, bags: Array) -> Grove:
        """A tree for each row of counts (b, n)."""
        return grow(self.problem, self.depth, bags, self.features, self.rng, self.presorted)

    def nobody(self) -> Forest:
        """A forest without trees."""
        return Forest((), 0)


@dataclass(frozen=True, slots=True, eq=False)
class Neighbours:
    """Members that ask the k nearest points of their bag; drawn twice, a point counts twice.

    Where the document has scaled the features, each bag sets the scale anew: those that are out of it have no say.
    """

    problem: Problem
    k: int
    bags: tuple[Array, ...] = ()  # (b, n) each
    size: int = 0
    scaled: Points | None = None  # the points, where the document has scaled their features

    def grown(self, bags: Array) -> Neighbours:
        """A member for each row of counts (b, n)."""
        return replace(self, bags=(bags,), size=len(bags))

    def nobody(self) -> Neighbours:
        """Nobody yet."""
        return replace(self, bags=(), size=0)

    def plus(self, part: Part) -> Neighbours:
        """With more members."""
        assert isinstance(part, Neighbours)
        return replace(self, bags=(*self.bags, *part.bags), size=self.size + part.size)

    def first(self, size: int) -> Neighbours:
        """The first of them only."""
        return replace(self, size=size)

    def __len__(self) -> int:
        return self.size

    def _rows(self) -> Iterator[Array]:
        left = self.size
        for part in self.bags:
            yield from part[: max(left, 0)]
            left -= len(part)

    def each(self, X: Array) -> Iterator[Array]:
        """What one member after the other answers."""
        points = self._nearest(X) if self.scaled is None else None
        for bag in self._rows():
            parts = []
            for first in range(0, max(len(X), 1), ROWS):
                checkpoint()
                rows = slice(first, first + ROWS)
                near = self._nearest_drawn(X[rows], bag) if points is None else points[rows]
                parts.append(self._answer(X[rows], near, bag))
            yield np.concatenate(parts)

    def total(self, X: Array, votes: bool = False) -> Array:
        """What they answer, added up."""
        total = np.zeros((len(X), max(self.problem.classes, 1)))
        for answer in self.each(X):
            checkpoint()
            total += one_vote(answer) if votes and not self.problem.real else answer
        return total

    def answers(self, number: int, X: Array) -> Array:
        """What one of them answers alone, (n,)."""
        bag = next(row for at, row in enumerate(self._rows()) if at == number)
        points = self._nearest(X) if self.scaled is None else self._nearest_drawn(X, bag)
        return answers_of(self._answer(X, points, bag), self.problem.real)

    def ballots(self, x: Array) -> Array:
        """What each of them answers for one point (d,), (b,)."""
        found = [answers_of(answer, self.problem.real) for answer in self.each(x[None])]
        return np.concatenate(found) if found else np.empty(0)

    def _nearest(self, X: Array, most: int | None = None) -> Array:
        """Enough of the nearest points of every place for nearly every bag, (m, l)."""
        most = 2 * self.k + SPARE if most is None else most
        most = min(most, len(self.problem.X))
        if len(X) > FEW_PLACES:
            return search_in(self.problem.X, "euclidean").nearest(X, most).points
        return nearest_in(self.problem.X, X, "euclidean", most).points  # all bags ask about the same places

    def _nearest_drawn(self, X: Array, bag: Array) -> Array:
        """The nearest points of a bag, (m, k), in the scale that it sets; who was drawn twice counts twice."""
        assert self.scaled is not None
        inside = np.flatnonzero(bag)
        _, own = rescaled(self.scaled.rows(np.repeat(inside, bag[inside])))
        search = Search(own.applied(self.problem.X[inside]), "euclidean")
        return inside[search.nearest(own.applied(X), self.k).points]

    def _answer(self, X: Array, points: Array, bag: Array) -> Array:
        drawn = bag.take(points).astype(np.float64)
        before = drawn.cumsum(axis=1) - drawn
        k = min(self.k, int(bag.sum()))
        taken = np.clip(k - before, 0.0, drawn)
        short = np.flatnonzero(taken.sum(axis=1) < k)
        if len(short) and points.shape[1] < len(self.problem.X):
            answer = self._of_taken(points, taken, k)
            answer[short] = self._answer(X[short], self._nearest(X[short], len(self.problem.X)), bag)
            return answer
        return self._of_taken(points, taken, k)

    def _of_taken(self, points: Array, taken: Array, k: int) -> Array:
        target = self.problem.target.take(points)
        if self.problem.real:
            return np.asarray((taken * target).sum(axis=1, keepdims=True) / k)
        return np.stack([(taken * (target == c)).sum(axis=1) for c in range(self.problem.classes)], axis=1) / k


def one_vote(answer: Array) -> Array:
    """1 for the class of the largest fraction and 0 for the others, (n, c)."""
    return (np.arange(answer.shape[1]) == answer.argmax(axis=1)[:, None]).astype(np.float64)


def answers_of(total: Array, real: bool) -> Array:
    """The class (n,) with most, or the value; what differs by rounding only is equal, and the first one wins."""
    return total[:, 0] if real else np.round(total, 9).argmax(axis=1)


def problem_of(data: Points, criterion: Criterion, min_leaf: int, owner: str) -> Problem:
    """The target as numbers: classes, or values."""
    if data.y is None:
        raise DataError(f"{owner} needs a class or a value for every point; this data set has neither.")
    classes = len(data.classes)
    return Problem(data.X, data.y, classes, criterion if classes else "squared error", min_leaf)


def refuse_large_crowd(problem: Problem, member: str, members: int, draws: int, depth: int = 0) -> None:
    """Raise :class:`DataError` where bags and trees of this depth (0: no trees) could take too much memory.

    Of every bag it is kept how often it holds each point, and which points the members so far miss.
    """
    n = len(problem.X)
    taken = members * n * (2 if problem.real else 3)
    if depth:
        different = math.ceil(n * (1.0 - (1.0 - 1.0 / n) ** draws))  # points in a bag, as a rule
        taken += forest_bytes(members, different, max(problem.classes, 1), depth, problem.min_leaf)
    smaller = ", a smaller depth or larger leaves" if depth > 1 else ""
    refuse_large(f"{counted(members, member)} on {counted(n, 'point')}", taken, f"Use fewer {member}s{smaller}.")


def draw(rng: np.random.Generator, members: int, n: int, size: int) -> Array:
    """How often each of n points is drawn into each bag of ``size`` draws, (members, n)."""
    return rng.multinomial(size, np.full(n, 1.0 / n), size=members).astype(np.uint16)


def batches(members: int, n: int) -> Iterator[int]:
    """How many members are made together: few at first, so that there is soon something to be seen."""
    made, most = 0, max(min(BATCH, BATCH_POINTS // max(n, 1)), 1)
    while made < members:
        now = min(max(made, 1), most, members - made)
        yield now
        made += now


@dataclass(frozen=True, slots=True, eq=False)
class Errors:
    """What is known about the first members, a row for each number of them."""

    single: Array  # (b,) the error of each member alone on the points out of its bag
    mean: Array  # (b,) the mean of those so far
    crowd: Array  # (b,) the error of all so far on all points
    out: Array  # (b,) the out-of-bag error of all so far
    apart: Array  # (b,) how much the members differ from each other
    missed: Array  # (b, n) bool, classes only: the points on which those who have not seen them are wrong together


class Tally:
    """The answers of the members for the points themselves, added up one after the other."""

    def __init__(self, problem: Problem, votes: bool) -> None:
        self.problem, self.votes = problem, votes and not problem.real
        n, c = len(problem.X), max(problem.classes, 1)
        self.total, self.out, self.ballots = np.zeros((n, c)), np.zeros((n, c)), np.zeros((n, c))
        self.asked = np.zeros(n)  # how many have judged a point that they have not seen
        self.members, self.sum_single, self.squares = 0, 0.0, np.zeros(n)
        self.unit = (float(np.var(problem.target)) or 1.0) if problem.real else 1.0

    def add(self, part: Part, bags: Array) -> Errors:
        """The errors while the members of a part join."""
        rows = [self._join(answer, bag) for answer, bag in zip(part.each(self.problem.X), bags)]
        single, mean, crowd, out, apart = np.array([row[:5] for row in rows]).T.copy()
        return Errors(single, mean, crowd, out, apart, np.array([row[5] for row in rows]))

    def _join(self, answer: Array, bag: Array) -> tuple[float, float, float, float, float, Array]:
        checkpoint()
        unseen = np.flatnonzero(bag == 0)
        own = self.wrong(answer)
        if self.votes:
            answer = one_vote(answer)
        self.total += answer
        self.out[unseen] += answer[unseen]
        self.asked[unseen] += 1
        self.members += 1
        single = float((own[unseen] if len(unseen) else own).mean()) / self.unit
        self.sum_single += single
        crowd = self.wrong(self.total / self.members)
        judged = np.flatnonzero(self.asked)
        if len(judged):
            out = self.wrong(self.out[judged] / self.asked[judged, None], judged)
            outside = float(out.mean()) / self.unit
        else:
            out, outside = crowd[:0], float(crowd.mean()) / self.unit
        missed = np.zeros(0 if self.problem.real else len(bag), dtype=bool)
        if not self.problem.real:
            missed[judged] = out > 0
        mean = self.sum_single / self.members
        return single, mean, float(crowd.mean()) / self.unit, outside, self._apart(answer), missed

    def wrong(self, answer: Array, which: Array | None = None) -> Array:
        """How wrong answers (m, c) are for these points (all without them): 0 or 1, or the squared error."""
        target = self.problem.target if which is None else self.problem.target[which]
        given = answers_of(answer, self.problem.real)
        return np.square(given - target) if self.problem.real else (given != target).astype(np.float64)

    def _apart(self, answer: Array) -> float:
        """The fraction of pairs of members that disagree about a point; their variance beside that of the target."""
        if self.problem.real:
            self.squares += np.square(answer[:, 0])
            spread = self.squares / self.members - np.square(self.total[:, 0] / self.members)
            return float(np.maximum(spread, 0.0).mean()) / self.unit
        self.ballots += answer if self.votes else one_vote(answer)
        pairs = self.members * (self.members - 1)
        alike = np.einsum("nc,nc->", self.ballots, self.ballots) - self.members * len(answer)
        return 1.0 - float(alike) / (pairs * len(answer)) if pairs else 0.0


def cross_validated(base: Base, problem: Problem, rng: np.random.Generator) -> float:
    """The error of one member on points that it has not seen: it is made on all points but a fold, in turn."""
    n = len(problem.X)
    folds = min(FOLDS if problem.X.size <= MANY_NUMBERS else 2, n)
    if folds < 2:
        return 0.0
    fold = rng.permutation(n) % folds
    bags = (np.arange(folds)[:, None] != fold).astype(np.uint16)
    tally = Tally(problem, False)
    wrong = [tally.wrong(answer)[bag == 0].sum() for answer, bag in zip(base.grown(bags).each(problem.X), bags)]
    return float(np.sum(wrong)) / n / tally.unit
