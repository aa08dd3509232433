"""Tables from CSV and TSV files, read by DuckDB.

Everything is read as text first and turned into numbers column by column, so that a value that cannot be used is
named by its row and column instead of by whatever went wrong deep inside a reader.
"""

from __future__ import annotations

import glob
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from algorithms.data import DataError
from algorithms.maths.words import counted
from mlviz.data.encoding import as_utf8
from mlviz.data.reading import Cancelled, Reading
from mlviz.data.table import (
    MAX_COLUMNS,
    MISSING,
    Column,
    ReadOptions,
    Table,
    distinct_names,
    row_limit,
    too_long,
)

if TYPE_CHECKING:
    import duckdb

SEPARATORS = "\t;,|"
_COMMA_NUMBER = re.compile(r"\s*[+-]?\d+,\d+\s*")
_START = 1 << 20
MEMORY, MEMORY_PER_BYTE = 2**29, 20
"""What DuckDB may take for a small file, and in addition for every byte of a large one."""


@dataclass(frozen=True, slots=True)
class _Dialect:
    separator: str
    skip: int
    header: bool
    names: list[str]


@dataclass(frozen=True, slots=True)
class Cells:
    """The text of a file as a DuckDB table named ``cells`` with the columns c0, c1, ..."""

    connection: duckdb.DuckDBPyConnection

    def one(self, query: str) -> tuple[Any, ...]:
        """The only row of an aggregate."""
        found = self.connection.execute(query).fetchone()
        assert found is not None
        return tuple(found)

    def column(self, number: int, name: str, decimal: str | None) -> tuple[Column, bool]:
        """A column as numbers if every present cell is one, otherwise as words; and whether it has decimal commas."""
        text = _text(number)
        dot, comma = _number(text, False), _number(text, True)
        present, dots, commas = self.one(f"SELECT count({text}), count({dot}), count({comma}) FROM cells")
        uses_comma = decimal != "." and commas == present and (dots < present or decimal == ",")
        if not uses_comma and dots < present:
            return self._words(name, text), False
        expression = comma if uses_comma else dot
        found = self.connection.execute(f"SELECT {expression} AS v FROM cells").fetchnumpy()["v"]
        numbers = np.ma.filled(np.ma.asarray(found, dtype=np.float64), np.nan)
        odd = None
        if np.isinf(numbers).any():
            odd = self.one(f"SELECT rowid + 1, {text} FROM cells WHERE isinf({expression}) ORDER BY rowid LIMIT 1")
        return Column(name, numbers, odd=(int(odd[0]), str(odd[1])) if odd else None), uses_comma and dots < present

    def _words(self, name: str, text: str) -> Column:
        query = f"SELECT DISTINCT {text} AS t FROM cells WHERE {text} IS NOT NULL ORDER BY t"
        levels = tuple(row[0] for row in self.connection.execute(query).fetchall())
        rank = f"CASE WHEN {text} IS NULL THEN -1 ELSE dense_rank() OVER (ORDER BY {text} NULLS LAST) - 1 END"
        query = f"SELECT v FROM (SELECT rowid AS r, {rank} AS v FROM cells) ORDER BY r"
        places = np.asarray(self.connection.execute(query).fetchnumpy()["v"], dtype=np.int32)
        return Column(name, places, levels)


@contextmanager
def database(path: Path, reading: Reading) -> Iterator[duckdb.DuckDBPyConnection]:
    """A DuckDB for one file, whose ends that every file can come to are sentences.

    Raises
    ------
    Cancelled
        When the load was called off.
    DataError
        When the file cannot be read to its end, or takes more memory than one of its size needs.
    """
    import duckdb

    most = MEMORY + MEMORY_PER_BYTE * path.stat().st_size
    try:
        with _connect(reading, most) as connection:
            yield connection
    except duckdb.InterruptException as error:
        raise Cancelled from error
    except duckdb.IOException as error:
        raise DataError(f"{path.name} could not be read to its end; it may have been moved or changed.") from error
    except duckdb.OutOfMemoryException as error:
        raise DataError(f"{path.name} would take more than {most / 2**30:.2g} GB of memory to read.") from error


def _connect(reading: Reading, memory: int) -> duckdb.DuckDBPyConnection:
    """A private DuckDB that can say how far it is and reaches for nothing outside the file, nor onto the disk."""
    import duckdb

    reading.step(0.0, "Opening")
    connection = duckdb.connect(config={"threads": 2, "memory_limit": f"{memory // 2**20}MiB", "temp_directory": ""})
    for setting in ("enable_progress_bar = true", "enable_progress_bar_print = false", "progress_bar_time = 0"):
        connection.execute(f"SET {setting}")
    return connection


def read_text_table(path: Path, options: ReadOptions, reading: Reading) -> Table:
    """The table in a CSV or TSV file; separator, decimal mark, header and encoding are found out unless given."""
    import duckdb

    with tempfile.TemporaryDirectory(prefix="mlviz-") as folder:
        place, encoding, notices = as_utf8(path, options.encoding, Path(folder), reading)
        try:
            with database(path, reading) as connection:
                dialect, rows = _load(connection, place, path.name, options, reading)
                columns, decimal = _columns(Cells(connection), dialect, options, reading)
        except duckdb.Error as error:
            raise DataError(explained(error, path.name)) from error
    used = ReadOptions(dialect.separator, decimal, dialect.header, encoding)
    return Table(columns, rows, path.stem, path.name, used, notices, plain_text=True)


def _columns(
    cells: Cells, dialect: _Dialect, options: ReadOptions, reading: Reading
) -> tuple[tuple[Column, ...], Literal[".", ","]]:
    width = len(dialect.names)
    names = distinct_names(dialect.names if dialect.header else [None] * width)
    wanted = options.decimal or ("." if dialect.separator == "," else None)
    made, commas = [], False
    for number, name in enumerate(names):
        reading.step(0.6 + 0.4 * number / width, f"Reading the column {name}")
        column, comma = cells.column(number, name, wanted)
        made.append(column)
        commas = commas or comma
    return tuple(made), "," if commas or wanted == "," else "."


def _load(
    connection: duckdb.DuckDBPyConnection, place: Path, file: str, options: ReadOptions, reading: Reading
) -> tuple[_Dialect, int]:
    dialect = _dialect(connection, place, file, options)
    width = len(dialect.names)
    if width > MAX_COLUMNS:
        raise DataError(f"{file} has {width} columns; at most {MAX_COLUMNS} can be used.")
    limit = row_limit(width)
    reading.step(0.0, "Reading the rows")

    def progress() -> float:
        return 0.6 * connection.query_progress() / 100.0

    with reading.query(connection.interrupt, progress):
        _read_cells(connection, place, dialect.separator, width, dialect.skip + dialect.header, limit)
    (rows,) = Cells(connection).one("SELECT count(*) FROM cells")
    if rows == 0:
        raise DataError(f"{file} has a header but no rows.")
    if rows > limit:
        raise DataError(too_long(file, width))
    return dialect, int(rows)


def _dialect(connection: duckdb.DuckDBPyConnection, place: Path, file: str, options: ReadOptions) -> _Dialect:
    """The separator, the lines to skip, whether there is a header, and the column names."""
    import duckdb

    lines = _first_lines(place)
    if len(lines) == 1 and len(lines[0]) >= _START:  # DuckDB would take gigabytes to find that out
        raise DataError(f"The first line of {file} is longer than {_START // 2**20} MB, so it is no table.")
    guess = options.separator or _separator(lines)
    if guess is not None and _unquoted(lines[0]).count(guess) >= MAX_COLUMNS:
        raise DataError(f"{file} has more than {MAX_COLUMNS} columns; at most {MAX_COLUMNS} can be used.")
    given = "" if guess is None else f", delim={_quoted(guess)}"
    if options.header is not None:
        given += f", header={str(options.header).lower()}"
    query = f"SELECT Delimiter, SkipRows, HasHeader, Columns FROM sniff_csv({quoted_path(place)}{given})"
    try:
        found = connection.execute(query).fetchone()
    except duckdb.InvalidInputException:
        found = None
    if guess is not None and (found is None or any(guess in _unquoted(line) for line in lines[: found[1]])):
        # The rows do not fit together. Reading them as the first line says shows where.
        width = len(_unquoted(lines[0]).split(guess))
        _read_cells(connection, place, guess, width, 1, row_limit(width))
    if found is None:
        raise DataError(f"{file} is not a table: its lines have no common separator.")
    separator, skip, header, columns = found
    names = [column["name"] for column in columns]
    if options.header is None and separator != "," and all(_COMMA_NUMBER.fullmatch(name) for name in names):
        header = False  # DuckDB does not know decimal commas and takes a first row of such numbers for words
    return _Dialect(separator, int(skip), bool(header), names)


def _separator(lines: list[str]) -> str | None:
    """The first that is in the header and in the line below, or else in the header: a name may hold another one."""
    found = [mark for mark in SEPARATORS if mark in _unquoted(lines[0])]
    below = [mark for mark in found if mark in _unquoted("".join(lines[1:2]))]
    return next(iter(below + found), None)


def _read_cells(
    connection: duckdb.DuckDBPyConnection, place: Path, separator: str, width: int, skip: int, limit: int
) -> None:
    """Fill the table ``cells`` with the text of the file; its columns are c0, c1, ..."""
    columns = ", ".join(f"'c{column}': 'VARCHAR'" for column in range(width))
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE cells AS FROM read_csv({quoted_path(place)}, auto_detect=false, header=false, "
        f"delim={_quoted(separator)}, quote='\"', escape='\"', skip={skip}, columns={{{columns}}}) LIMIT {limit + 1}"
    )


def _text(number: int) -> str:
    """SQL for the trimmed text of a column, NULL where it is missing."""
    text = f"trim(c{number})"
    return f"(CASE WHEN lower({text}) IN {MISSING!r} THEN NULL ELSE {text} END)"


def _number(text: str, comma: bool) -> str:
    """SQL for the number in a text, NULL where there is none. DuckDB alone would read 1_0 as 10."""
    plain = f"replace({text}, ',', '.')" if comma else text
    return f"(CASE WHEN contains({text}, '_') THEN NULL ELSE try_cast({plain} AS DOUBLE) END)"


def _first_lines(place: Path) -> list[str]:
    with place.open(encoding="utf-8-sig", errors="replace") as file:
        return file.read(_START).splitlines() or [""]


def _unquoted(line: str) -> str:
    return re.sub(r'"[^"]*"', "", line)


def quoted_path(path: Path) -> str:
    """The path for DuckDB, which otherwise takes stars and brackets in a name as a pattern."""
    return _quoted(glob.escape(str(path.absolute())))


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def explained(error: Exception, file: str) -> str:
    """DuckDB's page of advice as one sentence."""
    message = str(error)
    line = re.search(r"Error on Line: (\d+)", message)
    width = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", message)
    if line and width:
        wanted, found = (counted(int(width[k]), "value") for k in (1, 2))
        return f"Line {line[1]} of {file} has {found}; {wanted} were expected."
    if line:
        reason = "a quotation mark is not closed" if "quote" in message.lower() else "it does not fit the others"
        return f"Line {line[1]} of {file} cannot be read: {reason}."
    first = message.partition("\n")[0].partition(": ")[2] or message.partition("\n")[0]
    return f"{file} cannot be read as a table: {first.strip().rstrip('.')}."
