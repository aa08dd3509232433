"""Resampling: draw n points with replacement, work the statistic out again, and again."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from scipy.special import gammaln, ndtri

from algorithms.data import Array, DataError, Points
from algorithms.interrupt import checkpoint
from algorithms.maths.scales import deviation

Statistic = Literal["mean", "median", "variance", "correlation", "slope"]
OF_TWO = ("correlation", "slope")
"""Statistics that look at two columns."""
AT_ONCE = 200_000
"""Numbers that are drawn in one go."""
SEEN = 40
"""The latest resamples whose means are kept, so that their lines can be drawn where they run."""
COUNTED = 5000
"""Draws of a batch that are counted point by point, for the fraction that is left out; one resample at least."""
TIMES = 7
"""How often a point is drawn: 0, 1, ... and at last this often or more."""
FLAT = 1e-14
"""A spread below this fraction of the values themselves is rounding: the resample is one point, again and again."""


def columns_of(data: Points) -> tuple[tuple[str, ...], Array]:
    """The names and the columns (m, n) that can be asked about: the features, and the target where it is a value."""
    if data.is_valued:
        assert data.y is not None
        return (*data.features, data.target), np.vstack([data.X.T, data.y])
    return data.features, np.ascontiguousarray(data.X.T)


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """Which statistic of which columns."""

    statistic: Statistic
    x: Array  # (n,)
    y: Array  # (n,) the same column where there is only one
    names: tuple[str, ...]  # of the columns it looks at
    numbers: tuple[int, ...]  # their numbers among the columns
    estimate: float = 0.0  # the statistic of the data themselves

    @classmethod
    def of(cls, data: Points, statistic: Statistic, column: int, other: int) -> Question:
        """The question about these columns, counted from 1; or a sentence that says why there is no answer."""
        names, columns = columns_of(data)
        asked = (column, other) if statistic in OF_TWO else (column,)
        for number in asked:
            if number > len(names):
                found = "there is 1" if len(names) == 1 else f"there are {len(names)}"
                wanted = f"The {statistic} looks at column {number}, and {found}"
                raise DataError(f"{wanted}; choose another statistic or another column.")
        numbers = tuple(number - 1 for number in asked)
        question = cls(statistic, columns[numbers[0]], columns[numbers[-1]], tuple(names[k] for k in numbers), numbers)
        estimate = float(question.at(np.arange(data.n)[None])[0])
        if not math.isfinite(estimate):
            flat = question.names[0] if statistic == "slope" or np.ptp(question.x) == 0.0 else question.names[-1]
            raise DataError(
                f"The {statistic} needs points with different values of {flat}; here all of them are equal."
            )
        return replace(question, estimate=estimate)

    @property
    def n(self) -> int:
        """How many points there are."""
        return len(self.x)

    def at(self, drawn: Array) -> Array:
        """The statistic (r,) of some resamples, given as numbers of points (r, n); not a number where it has none."""
        x = self.x.take(drawn)
        if self.statistic == "mean":
            return np.asarray(x.mean(axis=1))
        if self.statistic == "median":
            return _medians(x)
        x -= x.mean(axis=1, keepdims=True)
        squares = np.einsum("ij,ij->i", x, x)
        if self.statistic == "variance":
            return np.asarray(squares / drawn.shape[1])
        y = self.y.take(drawn)
        y -= y.mean(axis=1, keepdims=True)
        products = np.einsum("ij,ij->i", x, y)
        known = squares > drawn.shape[1] * (FLAT * np.abs(self.x).max()) ** 2
        if self.statistic == "slope":
            return np.divide(products, squares, out=np.full(len(drawn), np.nan), where=known)
        others = np.einsum("ij,ij->i", y, y)
        known &= others > drawn.shape[1] * (FLAT * np.abs(self.y).max()) ** 2
        length = np.sqrt(squares) * np.sqrt(others)
        found = np.divide(products, length, out=np.full(len(drawn), np.nan), where=known)
        return np.clip(found, -1.0, 1.0)

    def means(self, drawn: Array) -> Array:
        """The means (r, 2) of both columns of some resamples: every fitted line runs through them."""
        return np.column_stack([self.x.take(drawn).mean(axis=1), self.y.take(drawn).mean(axis=1)])

    def without(self, point: int) -> float:
        """The statistic of all points but one; not a number where it has none."""
        if self.n < 2:
            return math.nan
        return float(self.at(np.delete(np.arange(self.n), point)[None])[0])


def _medians(rows: Array) -> Array:
    """The middle value of every row, or the mean of the two in the middle; the rows are changed."""
    n = rows.shape[1]
    middle = [n // 2] if n % 2 else [n // 2 - 1, n // 2]
    rows.partition(middle, axis=1)
    return np.asarray(rows[:, middle].mean(axis=1))


@dataclass(frozen=True, slots=True, eq=False)
class Resampling:
    """All resamples so far."""

    question: Question
    level: float
    replicates: Array  # (b,) the statistic of every resample that has one
    means: Array  # (<= SEEN, 2) of the latest of them, in both columns
    undefined: int  # resamples that have none
    counts: Array  # (n,) how often each point is in the latest resample
    times: Array  # (TIMES,) how often a point was drawn 0, 1, ... times, over all resamples that were counted
    track: Array  # (k, 5) resamples so far, standard error, interval from and to, fraction left out
    standard_error: float = 0.0  # the standard deviation of the replicates
    bias: float = 0.0  # by how much they lie above the estimate on average

    @classmethod
    def none(cls, question: Question, level: float) -> Resampling:
        """Before the first resample: the data themselves, each point once."""
        once, never = np.ones(question.n, dtype=np.int64), np.zeros(TIMES, dtype=np.int64)
        return cls(question, level, np.empty(0), np.empty((0, 2)), 0, once, never, np.empty((0, 5)))

    def more(self, count: int, rng: np.random.Generator) -> Resampling:
        """After so many resamples more, drawn a few at a time so that they can be called off."""
        n, found, means, times = self.question.n, [self.replicates], self.means, self.times
        drawn = np.empty((0, n), dtype=np.int64)
        for first in range(0, count, rows := max(AT_ONCE // n, 1)):
            checkpoint()
            drawn = rng.integers(0, n, size=(min(rows, count - first), n))
            found.append(self.question.at(drawn))
            if first == 0:
                times = times + _times_drawn(drawn[-max(COUNTED // n, 1) :])
            if self.question.statistic == "slope" and first + len(drawn) > count - SEEN:
                defined = np.isfinite(found[-1][-SEEN:])
                means = np.concatenate([means, self.question.means(drawn[-SEEN:][defined])])[-SEEN:]
        values = np.concatenate(found)
        known = values[np.isfinite(values)]
        grown = replace(
            self,
            replicates=known,
            means=means,
            undefined=self.undefined + len(values) - len(known),
            counts=np.bincount(drawn[-1], minlength=n),
            times=times,
            standard_error=deviation(known, ddof=1),
            bias=float(known.mean()) - self.question.estimate if len(known) else 0.0,
        )
        latest = (float(grown.resamples), grown.standard_error, *grown._percentiles(), grown.left_out)
        return replace(grown, track=np.vstack([self.track, latest]))

    def _percentiles(self) -> Array:
        """What is left (2,) when as many replicates are cut off on both sides."""
        if not len(self.replicates):
            return np.full(2, self.question.estimate)
        tail, last = (1.0 - self.level) / 2.0, len(self.replicates) - 1
        places = np.array([tail, 1.0 - tail]) * last  # between two replicates, as np.quantile does it, but sooner
        below = np.minimum(places.astype(np.intp), max(last - 1, 0))
        ordered = np.partition(self.replicates, (*below, *np.minimum(below + 1, last)))
        low, high = ordered[below], ordered[np.minimum(below + 1, last)]
        return np.asarray(low + (places - below) * (high - low))

    @property
    def resamples(self) -> int:
        """How many there were, with those that have no statistic."""
        return len(self.replicates) + self.undefined

    @property
    def interval(self) -> Array:
        """The percentile interval (2,)."""
        return self.track[-1, 2:4] if len(self.track) else np.full(2, self.question.estimate)

    @property
    def normal(self) -> Array:
        """The normal interval (2,): some standard errors to both sides of the estimate."""
        reach = float(ndtri((1.0 + self.level) / 2.0)) * self.standard_error
        return np.array([self.question.estimate - reach, self.question.estimate + reach])

    @property
    def left_out(self) -> float:
        """The fraction of the points that a resample leaves out, on average."""
        total = int(self.times.sum())
        return float(self.times[0] / total) if total else 0.0


def _times_drawn(drawn: Array) -> Array:
    """How many points were drawn 0, 1, ... times in each of some resamples, all together (TIMES,)."""
    rows, n = drawn.shape
    often = np.bincount((drawn + n * np.arange(rows)[:, None]).ravel(), minlength=n * rows)
    return np.bincount(np.minimum(often, TIMES - 1), minlength=TIMES)


def left_out_exactly(n: int) -> float:
    """The probability (1 - 1/n)^n that n draws leave a point out."""
    return (1.0 - 1.0 / n) ** n


def times_exactly(n: int) -> Array:
    """The probability (TIMES,) that n draws hit a point 0, 1, ... and at last TIMES - 1 or more times."""
    if n == 1:
        return np.eye(TIMES)[1]
    k = np.arange(min(TIMES - 1, n + 1))
    choose = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    exact = np.zeros(TIMES)
    exact[: len(k)] = np.exp(choose - k * math.log(n) + (n - k) * math.log1p(-1.0 / n))
    exact[-1] = max(1.0 - exact[:-1].sum(), 0.0)
    return exact


def batches(count: int, singly: int, frames: int) -> Iterator[int]:
    """How many resamples come next: one by one at first, then ever more, and ``count`` of them together."""
    first = min(singly, count)
    yield from (1 for _ in range(first))
    rest = count - first
    ends = np.unique(np.rint(rest * np.linspace(0.0, 1.0, frames + 1) ** 2).astype(int))
    yield from (int(size) for size in np.diff(ends))
