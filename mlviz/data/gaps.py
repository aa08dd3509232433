"""What becomes of rows and columns in which values are missing, and what is said of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np

from algorithms.data import Array, DataError
from algorithms.maths.words import number
from algorithms.records import dataclass
from mlviz.data.table import Column, Table, power_of_two

Missing = Literal["suggested", "refuse", "drop", "mean", "median", "mode"]
FEW_GAPS = 0.05
"""So many of the rows may be left out because a value is missing; beyond that, columns are filled."""
_MOST_NAMED = 6
"""Columns that are named one by one."""


@dataclass(frozen=True, slots=True)
class Feature:
    """A column of numbers, or of codes with their names."""

    column: Column
    words: tuple[str, ...] | None = None

    @property
    def gaps(self) -> Array:
        """Where there is no number to compute with, (n,) bool."""
        return ~np.isfinite(self.column.values)


@dataclass(frozen=True, slots=True, eq=False)
class Filled:
    """The rows that stay, the numbers (n, d) of all rows with their gaps filled, and the decisions in sentences."""

    keep: Array
    X: Array
    notices: tuple[str, ...]


def filled(table: Table, features: Sequence[Feature], target: Column | None, missing: Missing) -> Filled:
    """The features without gaps: rows are left out, or columns filled in.

    Where it is ``suggested``, the rows go whose gaps are in columns that have few of them, and the other columns are
    filled: numbers with their median, categories with their commonest word.
    """
    n = table.rows
    if missing == "refuse":
        return Filled(np.arange(n), np.column_stack([feature.column.values for feature in features]), ())
    notices: list[str] = []
    keep = _with_target(table, target, notices)
    counts = [int((feature.gaps & keep).sum()) for feature in features]
    going = np.zeros(n, dtype=bool)
    without = []
    for j in sorted(range(len(features)), key=counts.__getitem__):
        also = going | (features[j].gaps & keep)
        few = missing == "suggested" and also.sum() <= FEW_GAPS * keep.sum()
        if counts[j] and (few or missing == "drop"):
            going = also
            without.append(j)
    if going.any():
        keep &= ~going
        notices.append(_said_of_rows(int(going.sum()), n, [features[j].column for j in sorted(without)]))
    if not keep.any():
        raise DataError(f"No row of {table.file} is complete, so none is left; leave a column out or fill it in.")
    X = np.empty((n, len(features)))
    fills: list[tuple[str, int, str]] = []
    for j, feature in enumerate(features):
        gaps = feature.gaps
        X[:, j] = feature.column.values
        if j in without or not counts[j] or missing == "drop":
            continue
        rule: Missing = "mode" if feature.words is not None else "median" if missing == "suggested" else missing
        fill = _fill(feature.column.values, rule)
        X[gaps, j] = fill
        what = f"the {_NAMES[rule]} ({number(fill)})" if feature.words is None else _commonest(feature.words, fill)
        fills.append((feature.column.name, counts[j], what))
    return Filled(np.flatnonzero(keep), X, (*notices, *_said_of_fills(fills, n)))


def _with_target(table: Table, target: Column | None, notices: list[str]) -> Array:
    """The rows that have a target (n,) bool."""
    if target is None:
        return np.ones(table.rows, dtype=bool)
    empty = target.missing if target.is_text else ~np.isfinite(target.values)
    if empty.any():
        notices.append(_said_of_rows(int(empty.sum()), table.rows, [target]))
    return ~empty


def _said_of_rows(count: int, of: int, columns: Sequence[Column]) -> str:
    has, verb = ("has", "is") if count == 1 else ("have", "are")
    names = [repr(column.name) for column in columns[:_MOST_NAMED]]
    which = " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    more = len(columns) - len(names)
    which += f" or one of {more} other columns" if more else ""
    odd = next((column for column in columns if column.odd is not None), None)
    why = "" if odd is None or odd.odd is None else f" (row {odd.odd[0]} of {odd.name!r} is {odd.odd[1]!r})"
    return f"{count:,} of {of:,} rows {has} no {which}{why} and {verb} left out."


def _said_of_fills(fills: Sequence[tuple[str, int, str]], n: int) -> list[str]:
    if len(fills) <= _MOST_NAMED:
        return [
            f"{count:,} of {n:,} values of {name!r} {'is' if count == 1 else 'are'} missing and filled with {what}."
            for name, count, what in fills
        ]
    cells = sum(count for _, count, _ in fills)
    rules = "the median of a column of numbers, the commonest word of a category"
    names = ", ".join(repr(name) for name, _, _ in fills[:_MOST_NAMED])
    return [f"{cells:,} missing values in {len(fills)} columns ({names}, ...) are filled with {rules}."]


def _commonest(words: Sequence[str], code: float) -> str:
    return f"the commonest word ({words[int(code)]!r})"


def _fill(values: Array, rule: Missing) -> float:
    finite = values[np.isfinite(values)]
    scale = power_of_two(finite)  # a mean of the largest numbers must not overflow
    return float(_RULES[rule](finite / scale) * scale)


def _mode(values: Array) -> float:
    """The most frequent value, the least of several."""
    levels, counts = np.unique(values, return_counts=True)
    return float(levels[counts.argmax()])


_RULES: dict[Missing, Callable[[Array], Any]] = {"mean": np.mean, "median": np.median, "mode": _mode}
_NAMES: dict[Missing, str] = {"mean": "mean", "median": "median", "mode": "commonest value"}
