"""Edits of series, as pure functions without a window: each gives new series, or a :class:`DataError` in words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from algorithms.data import Array, DataError, Sequences
from algorithms.data.sequences import MAX_LENGTH

LONGEST_STROKE = 2_000
"""Moments that one stroke of the pen may add behind the end."""


def draw(data: Sequences, series: int, feature: int, start: tuple[float, float], end: tuple[float, float]) -> Sequences:
    """Values along a line from one (time, value) to another; times behind the end make the series longer.

    ``feature`` -1 means symbols, whose values are rounded to the nearest one.
    """
    column = data.series[series]
    (first, low), (last, high) = sorted((start, end))
    times = np.arange(max(int(np.floor(first + 0.5)), 0), int(np.floor(last + 0.5)) + 1)
    if not len(times):
        return data
    if times[-1] >= len(column) + LONGEST_STROKE or data.n + max(times[-1] + 1 - len(column), 0) > MAX_LENGTH:
        raise DataError("The series would become too long.")
    values = np.interp(times, (first, last), (low, high)) if last > first else np.full(len(times), end[1])
    beginning = column if len(column) else np.full((1, data.d), values[0])
    made = _lengthened(beginning, int(times[-1]) + 1)
    if feature < 0:
        made[times] = np.clip(np.floor(values + 0.5), 0, len(data.symbols) - 1).astype(np.int64)
    else:
        made[times, feature] = values
    return _with(data, series, made)


def origin(data: Sequences, before: Sequences) -> Array:
    """For every moment (n,) its number before series became longer at their ends, or -1 where it was not there."""
    found = []
    for start, old, new in zip(before.starts.tolist(), before.series, data.series, strict=True):
        number = start + np.arange(len(new))
        found.append(np.where(np.arange(len(new)) < len(old), number, -1))
    return np.concatenate(found)


def erase(data: Sequences, series: int, first: int, last: int) -> Sequences:
    """The moments from the first to the last taken out of a series; of several series, or of symbols, one must stay."""
    column = data.series[series]
    kept = np.setdiff1d(np.arange(len(column)), np.arange(max(first, 0), last + 1))
    if not len(kept) and (data.is_discrete or len(data.series) > 1):
        raise DataError("One moment of a series must stay.")
    if len(kept) == len(column):
        return data
    states = None if data.states is None else data.states[series][kept]
    return _with(data, series, column[kept], states)


def add_series(data: Sequences) -> Sequences:
    """One more series: a copy of the last, to be drawn over."""
    if data.n + len(data.series[-1]) > MAX_LENGTH:
        raise DataError("There is no room for another series.")
    states = None if data.states is None else (*data.states, data.states[-1])
    return replace(data, series=(*data.series, data.series[-1]), states=states)


def remove_series(data: Sequences, series: int) -> Sequences:
    """The others; one must stay."""
    if len(data.series) == 1:
        raise DataError("One series must stay.")
    kept = [k for k in range(len(data.series)) if k != series]
    states = None if data.states is None else tuple(data.states[k] for k in kept)
    return replace(data, series=tuple(data.series[k] for k in kept), states=states)


def _lengthened(column: Array, length: int) -> Array:
    """A copy that is at least so long; what is new repeats the last moment."""
    added = max(length - len(column), 0)
    return np.concatenate([column, np.repeat(column[-1:], added, axis=0)])


def _with(data: Sequences, series: int, column: Array, states: Array | None = None) -> Sequences:
    """The data with one series replaced, and its true states as long as it."""
    all_series = (*data.series[:series], column, *data.series[series + 1 :])
    if data.states is None:
        return replace(data, series=all_series)
    own = _lengthened(data.states[series], len(column)) if states is None else states
    return replace(data, series=all_series, states=(*data.states[:series], own, *data.states[series + 1 :]))
