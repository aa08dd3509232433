"""Tables from CSV and TSV files, read by DuckDB.

Everything is read as text first and turned into numbers column by column, so that a value that cannot be used is
named by its row and column instead of by whatever went wrong deep inside a reader.
"""

from __future__ import annotations

import codecs
import difflib
import glob
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from algorithms.dataset import MAX_CLASSES, Array, DataError, Points

if TYPE_CHECKING:
    import duckdb

MAX_ROWS = 1_000_000
MAX_COLUMNS = 1_000
MAX_CELLS = 20_000_000
MAX_NUMBERED_CLASSES = 20
"""A target of whole numbers with more levels than this is a value: a count or a year, not a class."""

_MISSING = ("", "na", "n/a", "nan", "null", "?")
_SEPARATORS = "\t;,|"
_COMMA_NUMBER = re.compile(r"\s*[+-]?\d+,\d+\s*")
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class _Table:
    """The text of the file as a DuckDB table named ``cells``."""

    connection: duckdb.DuckDBPyConnection
    file: str
    columns: tuple[str, ...]
    rows: int
    decimal_comma: bool

    def one(self, query: str) -> tuple[Any, ...] | None:
        return self.connection.execute(query).fetchone()

    def text(self, column: int) -> str:
        """SQL for the trimmed text of a column, NULL where it is missing."""
        text = f"trim(c{column})"
        return f"(CASE WHEN lower({text}) IN {_MISSING!r} THEN NULL ELSE {text} END)"

    def number(self, column: int, comma: bool) -> str:
        """SQL for the number in a column, NULL where there is none. DuckDB alone would read 1_0 as 10."""
        text = self.text(column)
        plain = f"replace({text}, ',', '.')" if comma else text
        return f"(CASE WHEN contains({text}, '_') THEN NULL ELSE try_cast({plain} AS DOUBLE) END)"


def read_points(path: Path, target: str | None = None) -> Points:
    """The points in a CSV or TSV file.

    Parameters
    ----------
    path : Path
        Separator, header and decimal comma are found out.
    target : str, optional
        The name of the target column, or its number counted from 1. Text and whole numbers with few levels become
        classes, other numbers values. Without it every column is a feature.

    Raises
    ------
    DataError
        A sentence that says what is wrong with the file, and where.
    """
    import duckdb

    _check_text(path)
    try:
        with duckdb.connect(config={"threads": 2}) as connection:
            return _points(_load(connection, path), path, target)
    except duckdb.Error as error:
        raise DataError(_explained(error, path)) from error


def _points(table: _Table, path: Path, target: str | None) -> Points:
    chosen = None if target is None else _target_column(table, target)
    kept = [column for column in range(len(table.columns)) if column != chosen and not _is_padding(table, column)]
    if not kept:
        raise DataError(f"{table.file} has no column left for the features beside the target.")
    commas = {column: _uses_comma(table, column) for column in kept}
    for column in kept:
        _check_numbers(table, column, commas[column])
    X = _fetch_numbers(table, [table.number(column, commas[column]) for column in kept])
    names = {"features": tuple(table.columns[column] for column in kept), "name": path.stem}
    if chosen is None:
        return Points(X, **names)  # type: ignore[arg-type]
    y, kind = _target(table, chosen)
    return Points.of(X, y, kind, target=table.columns[chosen], **names)  # type: ignore[arg-type]


# -- is it a text at all? ---------------------------------------------------------------------------------------------


def _check_text(path: Path) -> None:
    """Refuse what is no UTF-8 text, before a reader makes something strange of it."""
    try:
        if path.is_dir():
            raise DataError(f"{path} is a folder, not a file.")
        with path.open("rb") as file:
            _check_bytes(path, iter(lambda: file.read(_CHUNK), b""))
    except FileNotFoundError as error:
        raise DataError(f"There is no file {str(path)!r}.") from error
    except (OSError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        reason = error.strerror if isinstance(error, OSError) else None
        raise DataError(f"{str(path)!r} cannot be opened: {reason or error}.") from error


def _check_bytes(path: Path, chunks: Any) -> None:
    decoder = codecs.getincrementaldecoder("utf-8")()
    line, empty = 1, True
    for chunk in chunks:
        if chunk.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) and line == 1:
            raise DataError(f"{path.name} is written in UTF-16; save it as UTF-8 and load it again.")
        if b"\0" in chunk:
            raise DataError(f"{path.name} is not a text file (it contains zero bytes).")
        try:
            empty = not decoder.decode(chunk).strip("\ufeff \t\r\n") and empty
        except UnicodeDecodeError as error:
            line += bytes(error.object[: error.start]).count(b"\n")
            raise DataError(_not_utf8(path, line)) from error
        line += chunk.count(b"\n")
    try:
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        raise DataError(_not_utf8(path, line)) from error
    if empty:
        raise DataError(f"{path.name} is empty.")


def _not_utf8(path: Path, line: int) -> str:
    return f"Line {line} of {path.name} is not UTF-8 text; save the file with the encoding UTF-8 and load it again."


# -- the cells --------------------------------------------------------------------------------------------------------


def _load(connection: duckdb.DuckDBPyConnection, path: Path) -> _Table:
    separator, skip, header, names = _dialect(connection, path)
    if len(names) > MAX_COLUMNS:
        raise DataError(f"{path.name} has {len(names)} columns; at most {MAX_COLUMNS} can be used.")
    limit = min(MAX_ROWS, MAX_CELLS // len(names))
    _read_cells(connection, path, separator, len(names), skip + header, limit)
    (rows,) = connection.execute("SELECT count(*) FROM cells").fetchone() or (0,)
    if rows == 0:
        raise DataError(f"{path.name} has a header but no rows.")
    if rows > limit:
        raise DataError(f"{path.name} has more than {limit:,} rows, too many for {len(names)} columns; take a sample.")
    columns = tuple(names) if header else tuple(f"x{column + 1}" for column in range(len(names)))
    return _Table(connection, path.name, columns, int(rows), separator != ",")


def _dialect(connection: duckdb.DuckDBPyConnection, path: Path) -> tuple[str, int, bool, list[str]]:
    """The separator, the lines to skip, whether there is a header, and the column names."""
    import duckdb

    lines = _first_lines(path)
    guess = next((mark for mark in _SEPARATORS if mark in _unquoted(lines[0])), None)
    option = "" if guess is None else f", delim={_quoted(guess)}"
    query = f"SELECT Delimiter, SkipRows, HasHeader, Columns FROM sniff_csv({_place(path)}{option})"
    try:
        found = connection.execute(query).fetchone()
    except duckdb.InvalidInputException:
        found = None
    if guess is not None and (found is None or any(guess in _unquoted(line) for line in lines[: found[1]])):
        # The rows do not fit together. Reading them as the first line says shows where.
        width = len(_unquoted(lines[0]).split(guess))
        _read_cells(connection, path, guess, width, 1, MAX_ROWS)
    if found is None:
        raise DataError(f"{path.name} is not a table: its lines have no common separator.")
    separator, skip, header, columns = found
    names = [column["name"] for column in columns]
    if separator != "," and all(_COMMA_NUMBER.fullmatch(name) for name in names):
        header = False  # DuckDB does not know decimal commas and takes a first row of such numbers for words
    return separator, int(skip), bool(header), names


def _read_cells(
    connection: duckdb.DuckDBPyConnection, path: Path, separator: str, width: int, skip: int, limit: int
) -> None:
    """Fill the table ``cells`` with the text of the file; its columns are c0, c1, ..."""
    columns = ", ".join(f"'c{column}': 'VARCHAR'" for column in range(width))
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE cells AS FROM read_csv({_place(path)}, auto_detect=false, header=false, "
        f"delim={_quoted(separator)}, quote='\"', escape='\"', skip={skip}, columns={{{columns}}}) LIMIT {limit + 1}"
    )


def _first_lines(path: Path) -> list[str]:
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        return file.read(_CHUNK).splitlines() or [""]


def _unquoted(line: str) -> str:
    return re.sub(r'"[^"]*"', "", line)


def _place(path: Path) -> str:
    """The path for DuckDB, which otherwise takes stars and brackets in a name as a pattern."""
    return _quoted(glob.escape(str(path.absolute())))


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _explained(error: Exception, path: Path) -> str:
    """DuckDB's page of advice as one sentence."""
    message = str(error)
    line = re.search(r"Error on Line: (\d+)", message)
    width = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", message)
    if line and width:
        return f"Line {line[1]} of {path.name} has {_count(width[2])}; {_count(width[1])} were expected."
    if line:
        reason = "a quotation mark is not closed" if "quote" in message.lower() else "it does not fit the others"
        return f"Line {line[1]} of {path.name} cannot be read: {reason}."
    first = message.partition("\n")[0].partition(": ")[2] or message
    return f"{path.name} cannot be read as a table: {first.rstrip('.')}."


def _count(number: str) -> str:
    return f"{number} value" + ("" if number == "1" else "s")


# -- the columns ------------------------------------------------------------------------------------------------------


def _target_column(table: _Table, target: str) -> int:
    """By name, or by number counted from 1."""
    if target in table.columns:
        return table.columns.index(target)
    if target.isascii() and target.isdigit() and 1 <= int(target[:9]) <= len(table.columns):
        return int(target[:9]) - 1
    near = difflib.get_close_matches(target, table.columns, n=1)
    some = ", ".join(table.columns[:12]) + (" ..." if len(table.columns) > 12 else "")
    hint = f"did you mean {near[0]!r}?" if near else f"it has {some}."
    raise DataError(f"{table.file} has no column {target!r}; {hint}")


def _is_padding(table: _Table, column: int) -> bool:
    """Whether the column only exists because every line ends with a separator."""
    if table.columns[column] not in (f"column{column}", f"x{column + 1}"):
        return False
    return table.one(f"SELECT count({table.text(column)}) FROM cells") == (0,)


def _uses_comma(table: _Table, column: int) -> bool:
    """Whether the column makes sense only with decimal commas."""
    if not table.decimal_comma:
        return False
    text, dot, comma = table.text(column), table.number(column, False), table.number(column, True)
    return table.one(f"SELECT count({text}) > count({dot}) AND count({text}) = count({comma}) FROM cells") == (True,)


def _check_numbers(table: _Table, column: int, comma: bool) -> None:
    """Refuse the first value that is missing, no number, or not finite, by row and column."""
    text, number = table.text(column), table.number(column, comma)
    bad = table.one(
        f"SELECT rowid + 1, {text}, {number} FROM cells WHERE {number} IS NULL OR NOT isfinite({number}) "
        "ORDER BY rowid LIMIT 1"
    )
    if bad is None:
        return
    row, value, parsed = bad
    if value is None:
        raise DataError(_missing(table, row, column))
    shown = repr(value if len(value) <= 40 else value[:37] + "...")
    if parsed is not None:
        raise DataError(f"Row {row} of the column {table.columns[column]!r} is {shown}, which is not a finite number.")
    raise DataError(
        f"The column {table.columns[column]!r} is not numeric (row {row} is {shown}); "
        "choose it as the target or leave it out."
    )


def _missing(table: _Table, row: int, column: int) -> str:
    name = table.columns[column]
    return f"Row {row} of the column {name!r} has no value; fill it in or remove the row."


def _fetch_numbers(table: _Table, expressions: list[str]) -> Array:
    chosen = ", ".join(f"{expression} AS v{j}" for j, expression in enumerate(expressions))
    found = table.connection.execute(f"SELECT {chosen} FROM cells ORDER BY rowid").fetchnumpy()
    return np.column_stack([np.asarray(found[f"v{j}"], dtype=np.float64) for j in range(len(expressions))])


def _target(table: _Table, column: int) -> tuple[Array, str]:
    """The target and whether it is to be read as classes or as values."""
    text = table.text(column)
    missing = table.one(f"SELECT rowid + 1 FROM cells WHERE {text} IS NULL ORDER BY rowid LIMIT 1")
    if missing is not None:
        raise DataError(_missing(table, missing[0], column))
    comma = _uses_comma(table, column)
    number = table.number(column, comma)
    found = table.one(
        f"SELECT count({number}), count(DISTINCT {text}), bool_and(regexp_full_match({text}, '[+-]?[0-9]{{1,15}}')) "
        "FROM cells"
    )
    assert found is not None
    numeric, levels, whole = found
    if numeric < table.rows:
        return _classes(table, column, levels), "classes"
    few = levels <= MAX_NUMBERED_CLASSES and (levels <= 2 or 2 * levels <= table.rows)
    _check_numbers(table, column, comma)
    values = _fetch_numbers(table, [number])[:, 0]
    return (values.astype(np.int64), "classes") if whole and few else (values, "values")


def _classes(table: _Table, column: int, levels: int) -> Array:
    """A target in words."""
    if levels > MAX_CLASSES:
        raise DataError(
            f"The target {table.columns[column]!r} has {levels} different texts; "
            f"at most {MAX_CLASSES} classes can be shown."
        )
    found = table.connection.execute(f"SELECT {table.text(column)} FROM cells ORDER BY rowid").fetchall()
    return np.array([row[0] for row in found], dtype=np.str_)
