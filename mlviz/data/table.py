"""A table as it was read: named columns of numbers or of words, with the cells that are missing still missing.

Nothing is decided here about what a column is for; :mod:`mlviz.data.roles` does that, with the user.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Any, Literal

import numpy as np

from algorithms.data import Array, DataError
from algorithms.data.kind import MAX_NAME
from algorithms.records import dataclass

MAX_ROWS = 1_000_000
MAX_COLUMNS = 1_000
MAX_CELLS = 20_000_000
BINS = 16
MISSING = ("", "na", "n/a", "nan", "null", "?")
"""What stands for no value, in any case."""


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How a file is to be read. None means: find out."""

    separator: str | None = None
    decimal: Literal[".", ","] | None = None
    header: bool | None = None
    encoding: str | None = None
    sheet: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """Numbers, NaN where there is none; or words as numbers into ``levels``, -1 where there is none."""

    name: str
    values: Array  # (n,) float64 numbers, or int32 places in levels
    levels: tuple[str, ...] | None = None
    odd: tuple[int, str] | None = None
    """The first row, counted from 1, whose number is not finite, and how it was written."""
    hint: Literal["target", "category"] | None = None
    """What the file itself says of the column's use."""

    @property
    def is_text(self) -> bool:
        """Whether the column holds words."""
        return self.levels is not None

    @property
    def missing(self) -> Array:
        """Where there is no value, (n,) bool."""
        return self.values < 0 if self.is_text else np.isnan(self.values)

    def shown(self, row: int) -> str:
        """A cell as text; empty when it is missing."""
        value = self.values[row]
        if self.levels is not None:
            return self.levels[int(value)] if value >= 0 else ""
        return "" if np.isnan(value) else f"{value:.10g}"


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """What was read from a file. ``file`` is its name in messages, ``name`` that of the data set."""

    columns: tuple[Column, ...]
    rows: int
    name: str
    file: str
    options: ReadOptions = field(default_factory=ReadOptions)
    """How it was read in the end, the detected parts filled in."""
    notices: tuple[str, ...] = ()
    sheets: tuple[str, ...] = ()
    image_shape: tuple[int, int] | None = None
    """Where the file says that the features of a row are the pixels of a picture."""
    plain_text: bool = False
    """Whether separator, decimal mark, header and encoding mean anything for this kind of file."""


@dataclass(frozen=True, slots=True)
class Summary:
    """A column in a few numbers, for the eye."""

    kind: str
    missing: int
    range: str
    bars: tuple[float, ...]
    """Heights of a tiny histogram between 0 and 1: of the numbers, or of the most frequent words."""


def summarise(column: Column) -> Summary:
    """The type, the missing cells, the range and a histogram of a column."""
    missing = int(np.count_nonzero(column.missing))
    if column.levels is not None:
        counts = np.bincount(column.values[column.values >= 0], minlength=len(column.levels))
        bars = np.sort(counts)[::-1][:BINS]
        words = ", ".join(column.levels[:3]) + (" …" if len(column.levels) > 3 else "")
        count = len(column.levels)
        return Summary("text", missing, f"{count:,} different: {words}" if count else "", _heights(bars))
    finite = column.values[np.isfinite(column.values)]
    if not len(finite):
        return Summary("number", missing, "", ())
    low, high = float(finite.min()), float(finite.max())
    whole = bool(np.all(finite == np.rint(finite)))
    # one bar when all are equal; scaled, because the width of the widest range is no number
    bars = np.histogram(finite / power_of_two(finite), bins=BINS if high > low else 1)[0]
    return Summary("whole number" if whole else "number", missing, f"{low:.5g} … {high:.5g}", _heights(bars))


def power_of_two(values: Array) -> float:
    """A scale that makes these numbers at most 2, so that sums cannot overflow; dividing by it is exact."""
    largest = float(np.abs(values).max(initial=0.0))
    return float(np.ldexp(1.0, int(np.frexp(largest)[1]) - 1)) if largest >= 1e-300 else 1.0


def _heights(counts: Array) -> tuple[float, ...]:
    top = max(counts.max(initial=0), 1)
    return tuple((counts / top).tolist())


# -- columns from Python's and NumPy's values -------------------------------------------------------------------------


def number_column(name: str, values: Array, hint: Literal["target"] | None = None) -> Column:
    """A column of numbers; whatever is not finite is remembered for the message."""
    numbers = np.ascontiguousarray(values, dtype=np.float64)
    infinite = np.isinf(numbers)
    row = int(np.argmax(infinite)) if infinite.any() else -1
    return Column(name, numbers, odd=(row + 1, f"{numbers[row]:g}") if row >= 0 else None, hint=hint)


def text_column(name: str, texts: Sequence[Any], hint: Literal["target"] | None = None) -> Column:
    """A column of words; None and the usual marks are missing."""
    trimmed = ["" if text is None else str(text).strip() for text in texts]
    words = ["" if word.lower() in MISSING else word for word in trimmed]
    levels = sorted(set(words) - {""})
    place = {word: number for number, word in enumerate(levels)} | {"": -1}
    return Column(name, np.array([place[word] for word in words], dtype=np.int32), tuple(levels), hint=hint)


def object_column(name: str, cells: Sequence[Any], decimal: str | None = None) -> Column:
    """A column of whatever a spreadsheet holds: numbers when every cell is one or is missing, otherwise words."""
    numbers = np.full(len(cells), np.nan)
    for row, cell in enumerate(cells):
        if isinstance(cell, bool):
            return text_column(name, cells)
        if isinstance(cell, int | float):
            numbers[row] = _float(cell)
        elif cell is not None and str(cell).strip().lower() not in MISSING:
            number = parsed(str(cell), decimal)
            if number is None:
                return text_column(name, [_plain(cell) for cell in cells])
            numbers[row] = number
    return number_column(name, numbers)


def array_column(name: str, values: Array, hint: Literal["target"] | None = None) -> Column:
    """A column of a NumPy array of any simple type."""
    if values.dtype.kind in "iuf":
        return number_column(name, values, hint)
    if values.dtype.kind == "S":
        return text_column(name, [bytes(value).decode("utf-8", "replace") for value in values.tolist()], hint)
    if values.dtype.kind == "b":
        return text_column(name, np.where(values, "true", "false").tolist(), hint)
    return text_column(name, [None if value is None else str(value) for value in values.tolist()], hint)


def parsed(text: str, decimal: str | None = None) -> float | None:
    """The number a text stands for, or None. Python alone would read 1_0 as 10."""
    plain = text.strip()
    if decimal == "," or (decimal is None and plain.count(",") == 1 and "." not in plain):
        plain = plain.replace(",", ".")
    if "_" in plain:
        return None
    try:
        return float(plain)
    except ValueError:
        return None


def _float(cell: float) -> float:
    try:
        return float(cell)
    except OverflowError:  # a whole number with more than 308 digits
        return np.inf if cell > 0 else -np.inf


def _plain(cell: Any) -> Any:
    return int(cell) if isinstance(cell, float) and cell.is_integer() else cell


def check_size(rows: int, columns: int, file: str) -> None:
    """Refuse an empty table and one that is too large to be worked with."""
    if columns == 0:
        raise DataError(f"{file} has no columns.")
    if columns > MAX_COLUMNS:
        raise DataError(f"{file} has {columns} columns; at most {MAX_COLUMNS} can be used.")
    if rows == 0:
        raise DataError(f"{file} has no rows.")
    if rows > row_limit(columns):
        raise DataError(too_long(file, columns))


def row_limit(columns: int) -> int:
    """How many rows of so many columns can be read."""
    return min(MAX_ROWS, MAX_CELLS // max(columns, 1))


def too_long(file: str, columns: int) -> str:
    """The sentence for a table with too many rows."""
    return f"{file} has more than {row_limit(columns):,} rows, too many for {columns} columns; take a sample."


def distinct_names(names: Sequence[Any]) -> tuple[str, ...]:
    """Column names that are never empty and never the same."""
    made: list[str] = []
    seen: set[str] = set()
    for number, given in enumerate(names):
        called = "" if given is None else " ".join(str(given).split())[:MAX_NAME].strip("\0")
        name = wanted = called or f"x{number + 1}"
        again = 2
        while name in seen:
            name, again = f"{wanted} ({again})", again + 1
        seen.add(name)
        made.append(name)
    return tuple(made)
