"""Tables from Excel and OpenDocument spreadsheets, read by calamine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from algorithms.data import DataError
from mlviz.data.reading import Reading
from mlviz.data.table import ReadOptions, Table, check_size, distinct_names, object_column


def read_spreadsheet(path: Path, options: ReadOptions, reading: Reading) -> Table:
    """The table on one sheet: the one asked for, or the first that has any cells."""
    reading.step(0.0, "Opening the spreadsheet")
    sheet, cells, sheets = _sheet(path, options.sheet)
    reading.step(0.5, "Reading the cells")
    cells = _trimmed(cells)
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


def _sheet(path: Path, wanted: str | None) -> tuple[str, list[list[Any]], tuple[str, ...]]:
    import python_calamine

    try:
        with python_calamine.load_workbook(str(path)) as book:
            names = tuple(book.sheet_names)
            if wanted is not None and wanted not in names:
                raise DataError(f"{path.name} has no sheet {wanted!r}; it has {', '.join(names)}.")
            for name in (wanted,) if wanted is not None else names:
                rows = book.get_sheet_by_name(name).to_python(skip_empty_area=True)
                if rows or name == wanted:
                    return name, rows, names
    except (python_calamine.CalamineError, OSError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"{path.name} cannot be read as a spreadsheet: {_reason(error)}.") from error
    raise DataError(f"{path.name} has no cells.")


def _reason(error: Exception) -> str:
    if "zip" in str(error).lower():
        return "it is no Excel or OpenDocument file, or its end is missing"
    return (str(error).strip().splitlines() or ["it is damaged"])[0].rstrip(".")


def _trimmed(cells: list[list[Any]]) -> list[list[Any]]:
    """Without rows that hold nothing; a sheet often has some between a title and the table."""
    return [row for row in cells if any(cell not in ("", None) for cell in row)]


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
