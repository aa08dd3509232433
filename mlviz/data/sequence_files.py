"""Series in text files: one row for each moment.

    # kind: sequences
    series,x1,x2,state
    1,0.3,-1.2,1
    1,0.5,-1.0,2

The first line tells such a file from a table of points; it may be missing where the kind is known otherwise. The
columns ``series`` (rows of one series, in their order) and ``state`` (the true state, counted from 1) may be left out,
a column ``time`` is not read, and all others are what is seen. A single column with words, or one that is called
``symbol``, holds symbols; a line ``# symbols: ["a", "b"]`` gives their order, and those that do not occur.
"""

from __future__ import annotations

import csv
import io
import itertools
import json
import re
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from algorithms.data import Array, DataError, Sequences
from algorithms.data.sequences import MAX_LENGTH, MAX_SYMBOLS
from mlviz.data.encoding import as_utf8, refuse_long_line
from mlviz.data.formats import DataFormat
from mlviz.data.reading import Reading

MAX_BYTES = 400_000_000
MAX_COLUMNS = 64
KIND = "# kind: sequences"
_SEPARATORS = (",", ";", "\t")
_SYMBOLS = re.compile(r"#\s*symbols\s*:\s*(\[.*\])\s*$", re.IGNORECASE)
_OWN = {"series": "series", "state": "state", "states": "state", "time": "time", "t": "time"}
"""Columns that mean something else than what is seen."""


def sequences_from_text(lines: Iterable[str], file: str = "The text") -> Sequences:
    """The series in the lines of a text, or a :class:`DataError` that says what is wrong with it, and where."""
    symbols, header, rows = _opened_table(lines, file)
    columns: list[list[str]] = [[] for _ in header]
    for number, row in enumerate(rows, start=1):
        if number > MAX_LENGTH:
            raise DataError(f"{file} has more than {MAX_LENGTH:,} moments, which is the most that can be used.")
        if len(row) != len(header):
            raise DataError(f"Moment {number} of {file} has {len(row)} cells; there are {len(header)} columns.")
        for name, column, cell in zip(header, columns, row):
            if not cell.strip():
                raise DataError(f"Moment {number} of {file} has nothing in the column {name[:40]!r}.")
            column.append(cell.strip())
    if not columns[0]:
        raise DataError(f"{file} has no moments below its header.")
    return _made(dict(zip(header, columns)), symbols, file)


def _opened_table(lines: Iterable[str], file: str) -> tuple[tuple[str, ...], list[str], Iterator[list[str]]]:
    """The symbols where a line lists them, the header, and the rows below it that are not empty."""
    symbols: tuple[str, ...] = ()
    lines = iter(lines)
    for line in lines:
        refuse_long_line(line, file)
        text = line.strip(" \ufeff\r\n\t")
        if text and not text.startswith("#"):
            break
        symbols = _listed(text, file) or symbols
    else:
        raise DataError(f"{file} holds no series: it has no header.")
    separator = max(_SEPARATORS, key=line.count)
    read = csv.reader(itertools.chain([line.lstrip("\ufeff")], lines), delimiter=separator)
    rows: Iterator[list[str]] = (row for row in _readable(read, file) if any(cell.strip() for cell in row))
    header = [name.strip() for name in next(rows)]
    if all(_is_number(cell) for cell in header):
        rows = itertools.chain([header], rows)
        header = ["value"] if len(header) == 1 else [f"x{number}" for number in range(1, len(header) + 1)]
    if len(header) > MAX_COLUMNS:
        raise DataError(f"{file} has {len(header)} columns; series can have {MAX_COLUMNS}.")
    if "" in header or len({name.lower() for name in header}) < len(header):
        raise DataError(f"The columns of {file} must all have names, each another one.")
    return symbols, header, rows


def _readable(read: Iterator[list[str]], file: str) -> Iterator[list[str]]:
    try:
        yield from read
    except csv.Error as error:
        raise DataError(f"{file} holds no series: {error}.") from error


def _listed(text: str, file: str) -> tuple[str, ...]:
    """The symbols of a line such as ``# symbols: ["a", "b"]``; none for other lines."""
    match = _SYMBOLS.match(text)
    if match is None:
        return ()
    try:
        names = json.loads(match[1])
    except (ValueError, RecursionError) as error:
        raise DataError(
            f'The list of symbols in {file} cannot be read; write it like # symbols: ["a", "b"].'
        ) from error
    if not all(isinstance(name, str) for name in names) or len(set(names)) < len(names) or len(names) > MAX_SYMBOLS:
        raise DataError(f"The list of symbols in {file} must hold at most {MAX_SYMBOLS} different texts.")
    return tuple(names)


def _made(columns: dict[str, list[str]], symbols: tuple[str, ...], file: str) -> Sequences:
    """The series of the columns of a file, whose cells are not empty."""
    own = {_OWN[name.lower()]: cells for name, cells in columns.items() if name.lower() in _OWN}
    seen = {name: cells for name, cells in columns.items() if name.lower() not in _OWN}
    if not seen:
        raise DataError(
            f"{file} has no column for what is seen; those called series, state and time mean other things."
        )
    n = len(next(iter(seen.values())))
    orders = _orders(own.get("series", ["1"] * n))
    states = None if "state" not in own else _states(own["state"])
    parts = None if states is None else tuple(states[order] for order in orders)
    first, cells = next(iter(seen.items()))
    if len(seen) == 1 and (symbols or first.lower() == "symbol" or not all(map(_is_number, cells))):
        names = symbols or tuple(dict.fromkeys(sorted(cells)))
        codes = _codes(cells, names, file)
        return Sequences(tuple(codes[order] for order in orders), parts, names)
    table = np.column_stack([_numbers(name, cells, file) for name, cells in seen.items()])
    return Sequences(tuple(table[order] for order in orders), parts, features=tuple(seen))


def _orders(series: list[str]) -> list[Array]:
    """The rows of every series, the series in the order of their first rows."""
    rows: dict[str, list[int]] = {}
    for number, name in enumerate(series):
        rows.setdefault(name, []).append(number)
    return [np.array(order) for order in rows.values()]


def _states(cells: list[str]) -> Array:
    """States from 0. Whole numbers are counted from 1, or from 0 where there is a 0; other names in their order."""
    if all(cell.isascii() and cell.isdigit() and len(cell) < 9 for cell in cells):
        numbers = np.array([int(cell) for cell in cells])
        return numbers - (numbers.min() > 0)
    return np.asarray(np.unique(np.array(cells), return_inverse=True)[1]).reshape(-1)


def _codes(cells: list[str], names: tuple[str, ...], file: str) -> Array:
    if len(names) > MAX_SYMBOLS:
        raise DataError(f"{file} has more than {MAX_SYMBOLS} symbols.")
    numbers = {name: number for number, name in enumerate(names)}
    unknown = next((cell for cell in cells if cell not in numbers), None)
    if unknown is not None:
        raise DataError(f"The symbol {unknown[:40]!r} in {file} is not one of those that are listed.")
    return np.array([numbers[cell] for cell in cells])


def _numbers(name: str, cells: list[str], file: str) -> Array:
    try:
        return np.array([float(cell) for cell in cells])
    except ValueError as error:
        row, cell = next((row, cell) for row, cell in enumerate(cells, start=1) if not _is_number(cell))
        where = f"Moment {row} of {file}"
        raise DataError(f"{where} has {cell[:40]!r} in the column {name[:40]!r}, which is no number.") from error


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def read_sequences(path: Path) -> Sequences:
    """The series in a file."""
    if path.stat().st_size > MAX_BYTES:
        raise DataError(f"{path.name} is too large for series.")
    with tempfile.TemporaryDirectory(prefix="mlviz-") as folder:
        readable, _, _ = as_utf8(path, None, Path(folder), Reading())
        with readable.open(encoding="utf-8", newline="") as lines:
            return sequences_from_text(lines, path.name)


def says_sequences(path: Path) -> bool:
    """Whether the first line of a file says that it holds series."""
    try:
        with path.open(encoding="utf-8", errors="replace") as lines:
            first = lines.readline(200)
    except OSError:
        return False
    return re.fullmatch(r"\ufeff?#\s*kind\s*:\s*sequences\s*,*\s*", first, re.IGNORECASE) is not None


def sequences_text(data: Sequences) -> str:
    """The series as CSV. Numbers are written so that they are read back exactly."""
    text = io.StringIO()
    text.write(KIND + "\n")
    if data.is_discrete:
        text.write(f"# symbols: {json.dumps(list(data.symbols), ensure_ascii=False)}\n")
    seen = ["symbol"] if data.is_discrete else [_written(name) for name in data.features]
    several, known = len(data.series) > 1, data.states is not None
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*(["series"] if several else []), *seen, *(["state"] if known else [])])
    for number, one in enumerate(data.series):
        for time, value in enumerate(one.tolist()):
            cells: list[Any] = [data.symbols[value]] if data.is_discrete else [repr(part) for part in value]
            state = [int(data.states[number][time]) + 1] if data.states is not None else []
            writer.writerow([*([number + 1] if several else []), *cells, *state])
    return text.getvalue()


def _written(feature: str) -> str:
    """The name of a column; one that would mean something else gets another."""
    return f"seen {feature}" if feature.lower() in _OWN or not feature.strip() else feature


FORMATS = (
    DataFormat(
        "sequences",
        "Series",
        (".csv", ".tsv", ".txt"),
        read_sequences,
        sequences_text,
        own=False,
        looks=says_sequences,
        sure=True,
    ),
)
