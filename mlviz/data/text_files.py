"""Tables from CSV and TSV files, read by DuckDB.

Everything is read as text first and turned into numbers column by column, so that a value that cannot be used is
named by its row and column instead of by whatever went wrong deep inside a reader.
"""

from __future__ import annotations

import csv
import glob
import mmap
import re
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
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
    parsed,
    row_limit,
    text_column,
    too_long,
)

if TYPE_CHECKING:
    import duckdb

SEPARATORS = "\t;,|"
_COMMA_NUMBER = re.compile(r"\s*[+-]?\d+,\d+\s*")
_UNDERSCORE = re.compile(rb"\d_\d")
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
        place, options = _without_runs_of_blanks(place, options, Path(folder))
        try:
            with database(path, reading) as connection:
                dialect = _dialect(connection, place, path.name, options)
                width = len(dialect.names)
                if width > MAX_COLUMNS:
                    raise DataError(f"{path.name} has {width} columns; at most {MAX_COLUMNS} can be used.")
                decimal: Literal[".", ","] = "."
                plain = _plain(connection, place, dialect, options, reading)
                if plain is not None and 0 < len(plain[0].values) <= row_limit(width):
                    columns, rows = plain, len(plain[0].values)
                else:  # slower, and says what is wrong
                    rows = _load(connection, place, path.name, dialect, reading)
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


def _without_runs_of_blanks(place: Path, options: ReadOptions, folder: Path) -> tuple[Path, ReadOptions]:
    """The file, or a copy with one tab between the cells where several blanks stand between them.

    A header that is one name short, as R writes it, has no name for the names of the rows.
    """
    lines = [line for line in _first_lines(place) if line.strip() and not line.lstrip().startswith(("#", "%"))][:20]
    if (
        options.separator not in (None, " ")
        or len(lines) < 2
        or any(mark in _unquoted(lines[1]) for mark in SEPARATORS)
    ):
        return place, options
    widths = [len(row) for row in _cells_between_blanks(lines)]
    if min(widths[1:]) != max(widths[1:]) or widths[1] < 2 or widths[0] not in (widths[1], widths[1] - 1):
        return place, options
    copy = folder / f"tabs-{place.name}"
    with place.open(encoding="utf-8-sig", errors="replace") as old, copy.open("w", encoding="utf-8", newline="") as new:
        rows = (row for row in _cells_between_blanks(old) if row and not row[0].startswith(("#", "%")))
        first = next(rows)
        table = csv.writer(new, delimiter="\t")
        table.writerow(["rownames", *first] if widths[0] < widths[1] else first)
        table.writerows(rows)
    return copy, replace(options, separator="\t")


def _cells_between_blanks(lines: Iterable[str]) -> Iterator[list[str]]:
    for row in csv.reader(lines, delimiter=" ", skipinitialspace=True):
        yield [cell for cell in row if cell] if row and not row[-1] else row


def _plain(
    connection: duckdb.DuckDBPyConnection, place: Path, dialect: _Dialect, options: ReadOptions, reading: Reading
) -> tuple[Column, ...] | None:
    """The columns of an ordinary file in one go; None where anything about it is out of the ordinary."""
    import duckdb

    width = len(dialect.names)
    if options.decimal == "," or _has_underscores(place):  # DuckDB would read 1_0 as 10
        return None
    reading.step(0.0, "Reading the rows")
    query = (
        f"SELECT * FROM read_csv({quoted_path(place)}, header=false, delim={_quoted(dialect.separator)}, quote='\"', "
        f"escape='\"', skip={dialect.skip + dialect.header}, auto_type_candidates=['DOUBLE', 'VARCHAR'], "
        f"nullstr={[*MISSING, *map(str.upper, MISSING), 'NaN', 'None']!r}) LIMIT {row_limit(width) + 1}"
    )
    try:
        with reading.query(connection.interrupt, connection.query_progress):
            found = list(connection.execute(query).fetchnumpy().values())
    except duckdb.InterruptException:
        raise
    except duckdb.Error:
        return None
    if len(found) != width or any(values.dtype.kind not in "fO" for values in found):
        return None
    names = distinct_names(dialect.names if dialect.header else [None] * width)
    made = tuple(_plain_column(name, values) for name, values in zip(names, found))
    return None if any(column is None for column in made) else made  # type: ignore[return-value]


def _has_underscores(place: Path) -> bool:
    """Whether an underscore stands between two digits, without a copy of the file in memory."""
    with place.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return _UNDERSCORE.search(content) is not None


def _plain_column(name: str, values: Any) -> Column | None:
    """A column of finite numbers or of words; None where there are infinities or decimal commas."""
    gaps = np.ma.getmaskarray(np.ma.asarray(values))
    if values.dtype.kind == "f":
        numbers = np.where(gaps, np.nan, np.ma.getdata(values))
        return None if np.isinf(numbers).any() else Column(name, numbers)
    texts = ["" if gap else text.strip() for text, gap in zip(np.ma.getdata(values).tolist(), gaps.tolist())]
    column = text_column(name, texts)
    if not column.levels or any(_COMMA_NUMBER.fullmatch(level) for level in column.levels[:20]):
        return None
    return None if all(parsed(level) is not None for level in column.levels) else column


def _load(connection: duckdb.DuckDBPyConnection, place: Path, file: str, dialect: _Dialect, reading: Reading) -> int:
    width = len(dialect.names)
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
    return int(rows)


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
