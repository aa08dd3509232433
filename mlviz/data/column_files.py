"""Tables from Parquet and JSON files, which DuckDB reads with their types."""

from __future__ import annotations

import codecs
import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from algorithms.data import DataError
from mlviz.data.reading import Reading
from mlviz.data.table import Column, ReadOptions, Table, check_size, distinct_names, number_column, row_limit
from mlviz.data.text_files import Cells, database, explained, quoted_path

if TYPE_CHECKING:
    import duckdb

_NUMBERS = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "FLOAT", "DOUBLE"}
_NUMBERS |= {"UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"}
_CASTS = {"JSON": "->>'$'"}
"""How a value becomes text where it is not simply said so: a word in a JSON of mixed values without its quotes."""
MOST_SEARCHED = 8_000_000
"""Bytes of a JSON file in which the damaged place is looked for."""


def read_column_table(path: Path, options: ReadOptions, reading: Reading) -> Table:
    """The table in a Parquet or JSON file (an array of objects, or one object per line)."""
    import duckdb

    function = "read_parquet" if path.suffix.lower() in (".parquet", ".pq") else "read_json_auto"
    try:
        with _without_mark(path) as place, database(path, reading) as connection:
            source = f"{function}({quoted_path(place)})"
            described = connection.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()
            kinds = [(str(row[0]), str(row[1])) for row in described]
            if kinds and all(kind.endswith("[]") for _, kind in kinds):  # {"a": [1, 2], "b": [3, 4]}
                unnested = ", ".join(f"unnest({_identifier(name)}) AS {_identifier(name)}" for name, _ in kinds)
                source, kinds = f"(SELECT {unnested} FROM {source})", [(name, kind[:-2]) for name, kind in kinds]
            rows = _load(connection, source, kinds, path.name, reading)
            columns = _columns(Cells(connection), kinds, reading)
    except duckdb.Error as error:
        parquet = function == "read_parquet"
        where = _damaged_column(path, reading) if parquet else _damaged_place(path)
        raise DataError(where or explained(error, path.name).replace(str(path), path.name)) from error
    return Table(columns, rows, path.stem, path.name, options)


@contextmanager
def _without_mark(path: Path) -> Iterator[Path]:
    """The file, or a copy without the mark of UTF-8 at its beginning, behind which DuckDB finds no objects."""
    with path.open("rb") as file:
        if file.read(len(codecs.BOM_UTF8)) != codecs.BOM_UTF8:
            yield path
            return
        with tempfile.TemporaryDirectory(prefix="mlviz-") as folder:
            place = Path(folder) / "plain.json"
            with place.open("wb") as plain:
                shutil.copyfileobj(file, plain)
            yield place


def _damaged_place(path: Path) -> str:
    """The line and column at which a file stops being JSON, which DuckDB counts in bytes of a record; or nothing."""
    try:
        if path.stat().st_size > MOST_SEARCHED:
            return ""
        text = path.read_text(encoding="utf-8-sig", errors="replace")
    except OSError:  # it has gone meanwhile
        return ""
    lines = text.splitlines()
    apart = len(lines) > 1 and lines[0].rstrip().endswith("}")  # one object per line
    for number, line in enumerate(lines if apart else [text], start=1):
        try:
            json.loads(line or "null")
        except RecursionError:
            return f"{path.name} is nested too deeply to hold a table."
        except json.JSONDecodeError as error:
            row = number if apart else error.lineno
            return f"{path.name} is not JSON from line {row}, column {error.colno} on ({error.msg.lower()})."
        except ValueError:  # a number of thousands of digits, which is JSON
            continue
    return ""


def _damaged_column(path: Path, reading: Reading) -> str:
    """Which column of a Parquet file cannot be read; nothing when there are none to be found."""
    import duckdb

    with database(path, reading) as connection:
        source = f"read_parquet({quoted_path(path)})"
        try:
            names = [str(row[0]) for row in connection.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()]
        except duckdb.Error:
            return f"{path.name} is not a Parquet file, or its end is missing."
        for name in names:
            try:
                connection.execute(f"SELECT max({_identifier(name)}::VARCHAR) FROM {source}").fetchone()
            except duckdb.Error:
                return f"The column {name!r} of {path.name} is damaged and cannot be read."
    return ""


def _load(
    connection: duckdb.DuckDBPyConnection, source: str, kinds: list[tuple[str, str]], file: str, reading: Reading
) -> int:
    width = len(kinds)
    check_size(1, width, file)
    chosen = ", ".join(
        f"{_identifier(name)}{_CASTS.get(kind, '::DOUBLE' if _is_number(kind) else '::VARCHAR')} AS c{j}"
        for j, (name, kind) in enumerate(kinds)
    )
    reading.step(0.0, "Reading the rows")

    def progress() -> float:
        return 0.6 * connection.query_progress() / 100.0

    with reading.query(connection.interrupt, progress):
        connection.execute(f"CREATE TEMP TABLE cells AS SELECT {chosen} FROM {source} LIMIT {row_limit(width) + 1}")
    (rows,) = Cells(connection).one("SELECT count(*) FROM cells")
    check_size(int(rows), width, file)
    return int(rows)


def _columns(cells: Cells, kinds: list[tuple[str, str]], reading: Reading) -> tuple[Column, ...]:
    made = []
    for number, (name, (_, kind)) in enumerate(zip(distinct_names([name for name, _ in kinds]), kinds)):
        reading.step(0.6 + 0.4 * number / len(kinds), f"Reading the column {name}")
        if _is_number(kind):
            found = cells.connection.execute(f"SELECT c{number} AS v FROM cells").fetchnumpy()["v"]
            made.append(number_column(name, np.ma.filled(np.ma.asarray(found, dtype=np.float64), np.nan)))
        else:
            made.append(cells.column(number, name, None)[0])
    return tuple(made)


def _is_number(kind: str) -> bool:
    return kind in _NUMBERS or kind.startswith("DECIMAL")


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
