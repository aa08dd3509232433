"""Tables from Parquet and JSON files, which DuckDB reads with their types."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from algorithms.dataset import DataError
from mlviz.data.reading import Cancelled, Reading
from mlviz.data.table import Column, ReadOptions, Table, check_size, distinct_names, number_column, row_limit
from mlviz.data.text_files import Cells, connect, explained, quoted_path

if TYPE_CHECKING:
    import duckdb

_NUMBERS = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "FLOAT", "DOUBLE"}
_NUMBERS |= {"UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"}


def read_column_table(path: Path, options: ReadOptions, reading: Reading) -> Table:
    """The table in a Parquet or JSON file (an array of objects, or one object per line)."""
    import duckdb

    function = "read_parquet" if path.suffix.lower() in (".parquet", ".pq") else "read_json_auto"
    try:
        with connect(reading) as connection:
            source = f"{function}({quoted_path(path)})"
            described = connection.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()
            kinds = [(str(row[0]), str(row[1])) for row in described]
            if kinds and all(kind.endswith("[]") for _, kind in kinds):  # {"a": [1, 2], "b": [3, 4]}
                unnested = ", ".join(f"unnest({_identifier(name)}) AS {_identifier(name)}" for name, _ in kinds)
                source, kinds = f"(SELECT {unnested} FROM {source})", [(name, kind[:-2]) for name, kind in kinds]
            rows = _load(connection, source, kinds, path.name, reading)
            columns = _columns(Cells(connection), kinds, reading)
    except duckdb.InterruptException as error:
        raise Cancelled from error
    except duckdb.IOException as error:
        raise DataError(f"{path.name} could not be read to its end; it may have been moved or changed.") from error
    except duckdb.Error as error:
        raise DataError(explained(error, path.name)) from error
    return Table(columns, rows, path.stem, path.name, options)


def _load(
    connection: duckdb.DuckDBPyConnection, source: str, kinds: list[tuple[str, str]], file: str, reading: Reading
) -> int:
    width = len(kinds)
    check_size(1, width, file)
    chosen = ", ".join(
        f"{_identifier(name)}{'::DOUBLE' if _is_number(kind) else '::VARCHAR'} AS c{j}"
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
