"""A table as it is meant: gaps have no value, nearly all numbers are numbers, dates are what can be learned of them.

Every change is a sentence among the notices of the table.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

import numpy as np

from algorithms.data import Array
from algorithms.maths.words import counted
from mlviz.data.columns import numbers_in
from mlviz.data.table import Column, Table

SOFT_MARKS = frozenset(
    ("-", "--", ".", "..", "none", "inf", "-inf", "+inf", "infinity", "-infinity", "#n/a", "nil", "missing", "unknown")
)
"""What stands for no value among numbers; among words each may be a word like any other."""
MOST_WORDS_AMONG_NUMBERS = 0.05
"""So many of the cells of a column of numbers may be words; they then count as missing, which is said."""
FEWEST_NUMBERS = 10
"""Fewer different numbers beside words are levels of a category: 1, 2 and 3+."""
DATES = 0.95
"""So many of the words of a column must be dates."""
_FORMATS = (
    "%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%m/%d/%y", "%d/%m/%y", "%d-%m-%Y", "%Y-%m", "%Y.%m.%d",
    "%b %d %Y", "%d %b %Y", "%b %d, %Y", "%B %d, %Y", "%d-%b-%Y", "%d-%b-%y", "%d%b%Y", "%b %Y", "%Y%m%d",
)  # fmt: skip
_MOST_DATES = 20_000
"""So many different dates are read; a column with more of them is sorted by its text, if that is possible."""


def tidied(table: Table) -> Table:
    """The same table with numbers for columns that are nearly all numbers, and parts of dates in place of dates."""
    columns, notices = [], list(table.notices)
    for column in table.columns:
        made, said = _tidied(column, table.options.decimal)
        columns += made
        notices += said
    names = [column.name for column in columns]
    if len(set(names)) < len(names):  # a part of a date is called like another column
        return table
    return replace(table, columns=tuple(columns), notices=tuple(notices))


def _tidied(column: Column, decimal: str | None) -> tuple[list[Column], list[str]]:
    if column.levels is None:
        return [_without_infinities(column)], []
    if column.hint is not None or not column.levels:
        return [column], []
    found = _as_numbers(column, decimal)
    if found is not None:
        return [found[0]], found[1]
    dates = _dates(column)
    if dates is None:
        return [column], []
    parts = list(_parts_of_dates(column.name, dates))
    if not parts:
        return [column], []
    names = [part.name.rpartition(" ")[2] for part in parts]
    words = names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]
    return parts, [f"The dates of {column.name!r} are used as {words}."]


def _without_infinities(column: Column) -> Column:
    if not np.isinf(column.values).any():
        return column
    return replace(column, values=np.where(np.isinf(column.values), np.nan, column.values))


def _as_numbers(column: Column, decimal: str | None) -> tuple[Column, list[str]] | None:
    """The numbers of a column of words in which only marks of gaps, or very few other words, are no numbers."""
    assert column.levels is not None
    numbers = numbers_in(column.levels, decimal)
    soft = np.array([level.lower() in SOFT_MARKS for level in column.levels])
    value = np.array([np.nan if number is None or mark else number for number, mark in zip(numbers, soft)])
    value[np.isinf(value)] = np.nan
    counts = np.bincount(column.values[column.values >= 0], minlength=len(column.levels))
    words = np.isnan(value) & ~soft
    different = int((~np.isnan(value)).sum())
    if not different or (words.any() and different < FEWEST_NUMBERS):
        return None
    if counts[words].sum() > MOST_WORDS_AMONG_NUMBERS * counts.sum():
        return None
    values = np.append(value, np.nan)[column.values]  # -1, a gap, is the last
    made = Column(column.name, values, hint=column.hint)
    if not words.any():
        return made, []
    rows = np.flatnonzero(np.append(words, False)[column.values])
    first = column.levels[int(column.values[rows[0]])]
    verb = "is no number and counts" if len(rows) == 1 else "are no numbers and count"
    what = f"{counted(len(rows), 'cell')} of {column.name!r} {verb} as missing (row {rows[0] + 1} is {first!r})."
    return made, [what]


def _dates(column: Column) -> Array | None:
    """The days (n,) that a column of dates names, NaN for gaps; None where it holds none."""
    assert column.levels is not None
    levels = column.levels
    if len(levels) < 2 or len(levels) > _MOST_DATES or not any(letter.isdigit() for letter in levels[0]):
        return None
    for form in _FORMATS:
        sample = levels[:: max(len(levels) // 20, 1)]
        if sum(_day(level, form) is not None for level in sample) < DATES * len(sample):
            continue
        days = [_day(level, form) for level in levels]
        if sum(day is not None for day in days) >= DATES * len(levels):
            found = np.array([np.nan if day is None else day for day in days] + [np.nan])
            return found[column.values]
    return None


def _day(text: str, form: str) -> float | None:
    """The day since the year 1 that a text names, its time of day left out."""
    plain = text.strip()
    for mark in ("T", " "):
        head, found, tail = plain.partition(mark)
        if found and ":" in tail and head.count(":") == 0 and any(letter.isdigit() for letter in head):
            plain = head if mark == "T" or " " not in form else plain.rpartition(" ")[0]
            break
    try:
        return float(datetime.strptime(plain, form).toordinal())
    except ValueError:
        return None


def _parts_of_dates(name: str, days: Array) -> Iterator[Column]:
    """Year, month, weekday and days since the first, where they vary."""
    known = ~np.isnan(days)
    dates = [datetime.fromordinal(int(day)) for day in days[known]]
    parts = {
        "year": [date.year for date in dates],
        "month": [date.month for date in dates],
        "weekday": [date.isoweekday() for date in dates],
        "days": (days[known] - days[known].min()).tolist(),
    }
    for part, numbers in parts.items():
        values = np.full(len(days), np.nan)
        values[known] = numbers
        if len(np.unique(values[known])) > 1:
            yield Column(f"{name} {part}", values)
