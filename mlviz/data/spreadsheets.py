"""Tables from Excel and OpenDocument spreadsheets, read by calamine in a process of its own."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from algorithms.data import DataError
from mlviz.data import reader_process
from mlviz.data.process import read_in_process
from mlviz.data.reading import Reading
from mlviz.data.table import ReadOptions, Table, check_size, distinct_names, object_column


def read_spreadsheet(path: Path, options: ReadOptions, reading: Reading) -> Table:
    """The table on one sheet: the one asked for, or the first that has any cells."""
    reading.step(0.0, "Opening the spreadsheet")
    sheet, cells, sheets = _sheet(path, options.sheet, reading)
    reading.step(0.5, "Reading the cells")
    if not cells:
        raise DataError(f"The sheet {sheet!r} of {path.name} is empty.")
    header = _has_header(cells) if options.header is None else options.header
    width = max(len(row) for row in cells)
    names = distinct_names(_padded(cells[0], width) if header else [None] * width)
    body = [_padded(row, width) for row in (cells[1:] if header else cells)]
    check_size(len(body), width, path.name)
    columns = []
    for number, name in enumerate(names):
        reading.step(0.5 + 0.5 * number / width, f"Reading the column {name}")
        columns.append(object_column(name, [row[number] for row in body], options.decimal))
    used = ReadOptions(header=header, sheet=sheet, decimal=options.decimal)
    notices = (f"The sheet {sheet!r} of {len(sheets)} was read.",) if len(sheets) > 1 else ()
    return Table(tuple(columns), len(body), path.stem, path.name, used, notices, sheets)


@dataclass(frozen=True, slots=True)
class _Written:
    """A cell that is neither a number nor a word, such as a date."""

    text: str

    def __str__(self) -> str:
        return self.text


def _sheet(path: Path, wanted: str | None, reading: Reading) -> tuple[str, list[list[Any]], tuple[str, ...]]:
    """The name of the sheet, its rows that hold anything, and the names of all sheets."""
    with tempfile.TemporaryDirectory(prefix="mlviz-") as folder:
        copy = Path(folder) / "cells.json"
        code = read_in_process("sheet", path, copy, reading, *(() if wanted is None else (wanted,)))
        if code == reader_process.TOO_LARGE:
            raise DataError(f"{path.name} has more than {reader_process.MAX_CELLS:,} cells; take a part of it.")
        if code == reader_process.REFUSED:
            said = copy.read_text(encoding="utf-8")
            raise DataError(f"{path.name} cannot be read as a spreadsheet: {_reason(said)}.")
        if code != 0 or not copy.exists():
            raise DataError(f"{path.name} cannot be read as a spreadsheet: it is damaged.")
        with copy.open(encoding="utf-8") as lines:
            head = json.loads(next(lines))
            rows = [[_Written(*cell) if isinstance(cell, list) else cell for cell in json.loads(row)] for row in lines]
    if wanted is not None and wanted not in head["sheets"]:
        raise DataError(f"{path.name} has no sheet {wanted!r}; it has {', '.join(head['sheets'])}.")
    if not head["sheet"]:
        raise DataError(f"{path.name} has no cells.")
    return head["sheet"], rows, tuple(head["sheets"])


def _reason(said: str) -> str:
    if "zip" in said.lower():
        return "it is no Excel or OpenDocument file, or its end is missing"
    return (said.strip().splitlines() or ["it is damaged"])[0].rstrip(".")


def _padded(row: Sequence[Any], width: int) -> list[Any]:
    return [*row, *[None] * (width - len(row))]


def _has_header(cells: list[list[Any]]) -> bool:
    """Whether the first row is made of words while something below it is not."""
    first = [cell for cell in cells[0] if cell not in ("", None)]
    if len(cells) < 2 or not all(isinstance(cell, str) for cell in first):
        return False
    return any(not isinstance(cell, str) for row in cells[1:50] for cell in row if cell not in ("", None)) or (
        not set(first) & {cell for row in cells[1:50] for cell in row if isinstance(cell, str)}
    )
