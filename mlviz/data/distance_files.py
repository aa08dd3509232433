"""Tables of distances in text files: names in the first row and the same names in the first column.

    km,Athens,Berlin,Cairo
    Athens,0,1803,1119
    Berlin,1803,0,2892
    Cairo,1119,2892,0

The corner may hold anything. That the first column repeats the first row is what tells such a file from a table of
points. A mileage chart that is filled on one side of its diagonal only is completed from there.
"""

from __future__ import annotations

import csv
import io
import itertools
import re
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from algorithms.data import DataError, Distances
from algorithms.data.distances import MAX_ROWS
from mlviz.data.encoding import as_utf8, refuse_long_line
from mlviz.data.formats import DataFormat
from mlviz.data.reading import Reading

MAX_BYTES = 400_000_000
_SEPARATORS = (",", ";", "\t")


def distances_from_text(lines: Iterable[str], file: str = "The text") -> Distances:
    """The table in the lines of a text, or a :class:`DataError` that says what is wrong with it, and where."""
    names, rows = _opened_table(lines, file)
    n = len(names)
    table = np.full((n, n), np.nan)
    count = 0
    for count, row in enumerate(rows, start=1):
        if count > n:
            raise DataError(f"{file} has {n} columns of distances but more rows; a table of distances is square.")
        called = row[0].strip() if row else ""
        if called != names[count - 1]:
            raise DataError(
                f"Row {count} of {file} is called {called[:40]!r}, but column {count} is called "
                f"{names[count - 1][:40]!r}: a table of distances has the same names in its first row and column."
            )
        if len(row) > n + 1:
            raise DataError(f"Row {called[:40]!r} of {file} has {len(row) - 1} distances; there are {n} columns.")
        for column, cell in enumerate(row[1:]):
            if cell.strip():
                table[count - 1, column] = _number(cell, called, names[column], file)
    if count < n:
        raise DataError(f"{file} has {n} columns of distances but only {count} rows; a table of distances is square.")
    numbered = names == [str(number) for number in range(1, n + 1)]
    return Distances(_completed(table, names, file), () if numbered else tuple(names))


def _opened_table(lines: Iterable[str], file: str) -> tuple[list[str], Iterator[list[str]]]:
    """The names in the first row, and the rows below it that are not empty."""
    lines = iter(lines)
    first = next((line for line in lines if line.strip(" \ufeff\r\n")), "")
    refuse_long_line(first, file)
    separator = max(_SEPARATORS, key=re.sub(r'"[^"]*"', "", first).count)  # those in a name do not count
    read = csv.reader(itertools.chain([first.lstrip("\ufeff")], lines), delimiter=separator)
    rows = (row for row in _readable(read, file) if any(cell.strip() for cell in row))
    names = [name.strip() for name in next(rows, [])[1:]]
    if not names:
        raise DataError(f"{file} holds no table of distances: its first row has no names.")
    if len(names) > MAX_ROWS:
        raise DataError(f"{file} has {len(names):,} columns; at most {MAX_ROWS:,} can be used.")
    return names, rows


def _readable(read: Iterator[list[str]], file: str) -> Iterator[list[str]]:
    try:
        yield from read
    except csv.Error as error:
        raise DataError(f"{file} is no table of distances: {error}.") from error


def _number(cell: str, row: str, column: str, file: str) -> float:
    try:
        return float(cell)
    except ValueError as error:
        where = f"between {row[:40]!r} and {column[:40]!r} in {file}"
        raise DataError(f"The distance {where} is {cell.strip()[:40]!r}, which is no number.") from error


def _completed(table: np.ndarray, names: list[str], file: str) -> np.ndarray:
    """Empty cells filled from the other side of the diagonal, which is 0 where nothing is written on it."""
    table = np.where(np.isnan(table), table.T, table)
    empty = np.isnan(np.diagonal(table))
    table[np.diag_indices(len(table))] = np.where(empty, 0.0, np.diagonal(table))
    if np.isnan(table).any():
        row, column = np.argwhere(np.isnan(table))[0]
        raise DataError(f"The distance between {names[row][:40]!r} and {names[column][:40]!r} is missing in {file}.")
    return table


def read_distances(path: Path) -> Distances:
    """The table of distances in a file."""
    if path.stat().st_size > MAX_BYTES:
        raise DataError(f"{path.name} is too large for a table of distances.")
    with tempfile.TemporaryDirectory(prefix="mlviz-") as folder:
        readable, _, _ = as_utf8(path, None, Path(folder), Reading())
        with readable.open(encoding="utf-8", newline="") as lines:
            return distances_from_text(lines, path.name)


def is_distance_table(path: Path) -> bool:
    """Whether the first column of a file repeats the names in its first row."""
    try:
        with path.open(encoding="utf-8", errors="replace", newline="") as lines:
            names, rows = _opened_table(lines, path.name)
            below = [row[0].strip() for row in itertools.islice(rows, len(names) + 1)]
    except (OSError, DataError):
        return False
    return below == names


def distances_text(distances: Distances) -> str:
    """The table as CSV; rows without names are numbered. Numbers are written so that they are read back exactly."""
    names = [distances.row_name(row) for row in range(distances.n)]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["", *names])
    for name, row in zip(names, distances.table.tolist()):
        writer.writerow([name, *(repr(value).removesuffix(".0") for value in row)])
    return text.getvalue()


FORMATS = (
    DataFormat(
        "distances",
        "Table of distances",
        (".csv", ".tsv", ".txt"),
        read_distances,
        distances_text,
        own=False,
        looks=is_distance_table,
    ),
)
