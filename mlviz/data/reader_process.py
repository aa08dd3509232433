"""Reads a MATLAB file or a spreadsheet in a process of its own, which may end or run out of memory without harm.

SciPy's reader can end the whole process on a damaged file, and the reader of spreadsheets takes memory for every cell
up to the last one, which a stray cell in the far corner makes 512 GB. Run as a script:
``reader_process.py {mat|sheet} FILE OUT [SHEET]``. It knows nothing of the rest of the program.
"""

from __future__ import annotations

import json
import os
import re
import sys
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

TOO_NEW, TOO_LARGE, REFUSED, NO_MEMORY = 3, 4, 5, 6
"""How it ends when there is no table; with ``REFUSED`` the reason is in OUT."""
MAX_CELLS = 20_000_000
MEMORY, MEMORY_PER_BYTE = 2**30, 40
"""What may be taken for a small file, and in addition for every byte of a large one."""
SECONDS, SECONDS_PER_MB = 6, 2
MOST_TEXT = 2**27
"""So much of the text of an OpenDocument sheet is searched for rows that are there many times."""
_REPEATED = re.compile(rb'<table:table-row\b[^>]*number-rows-repeated="(\d+)"[^>]*>(.*?)</table:table-row>', re.DOTALL)
_CELL = re.compile(rb"<table:table-cell\b[^>]*>")
_COLUMNS = re.compile(rb'number-columns-repeated="(\d+)"')


def limit(size: int) -> None:
    """From now on neither more memory nor more time than an honest file of this size needs."""
    if sys.platform == "win32":
        return  # there the process is still one that may die alone
    import resource

    memory = MEMORY + MEMORY_PER_BYTE * size
    for what, most in ((resource.RLIMIT_AS, memory), (resource.RLIMIT_CPU, SECONDS + SECONDS_PER_MB * size // 10**6)):
        hard = resource.getrlimit(what)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (most, most))


def read_mat(source: str, target: str) -> int:
    """Write every matrix of numbers or text into the archive."""
    import numpy as np
    import scipy.io

    limit(os.path.getsize(source))
    warnings.simplefilter("ignore")
    try:
        found = scipy.io.loadmat(source, verify_compressed_data_integrity=True)
    except NotImplementedError:
        return TOO_NEW
    arrays = {}
    for name, value in found.items():
        if hasattr(value, "toarray"):
            if value.shape[0] * value.shape[1] > MAX_CELLS:
                return TOO_LARGE
            arrays[name] = np.asarray(value.toarray())
        elif not name.startswith("__") and isinstance(value, np.ndarray) and value.dtype.kind in "biufU":
            # MATLAB has no vectors: one row or one column is meant as one
            arrays[name] = value.reshape(-1) if value.ndim == 2 and 1 in value.shape else value
    with open(target, "wb") as file:
        np.savez(file, **arrays)  # type: ignore[arg-type]
    return 0


def read_sheet(source: str, target: str, wanted: str | None = None) -> int:
    """Write the names of all sheets and of the one that was read, then a row of cells in each line."""
    import python_calamine

    limit(os.path.getsize(source))
    if repeated_cells(source) > MAX_CELLS:
        return TOO_LARGE
    try:
        with python_calamine.load_workbook(source) as book:
            names = list(book.sheet_names)
            for name in names if wanted is None else [wanted] if wanted in names else []:
                rows = book.get_sheet_by_name(name).to_python(skip_empty_area=True)
                if sum(map(len, rows)) > MAX_CELLS:
                    return TOO_LARGE
                if rows or name == wanted:
                    break
            else:
                name, rows = "", []
    except (python_calamine.CalamineError, OSError, ValueError) as error:
        Path(target).write_text(str(error), encoding="utf-8", errors="replace")
        return REFUSED
    with open(target, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(line, default=lambda cell: [str(cell)]) + "\n" for line in _lines(names, name, rows))
    return 0


def repeated_cells(source: str) -> int:
    """How many cells the rows of an OpenDocument sheet stand for that are written once and said to be there often.

    The reader would take memory for each of them. Empty rows, with which every sheet ends, are not counted.
    """
    try:
        with zipfile.ZipFile(source) as archive, archive.open("content.xml") as file:
            text = file.read(MOST_TEXT)
    except (OSError, KeyError, ValueError, NotImplementedError, EOFError, zipfile.BadZipFile, zlib.error):
        return 0
    total = 0
    for times, row in _REPEATED.findall(text):
        if b"office:value" in row or b"<text:p" in row:
            columns = (_COLUMNS.search(cell) for cell in _CELL.findall(row))
            total += int(times[:12]) * sum(int(found[1][:12]) if found else 1 for found in columns)
    return total


def _lines(names: list[str], name: str, rows: list[list[Any]]) -> Iterator[Any]:
    yield {"sheets": names, "sheet": name}
    yield from (row for row in rows if any(cell not in ("", None) for cell in row))


def main(kind: str, *arguments: str) -> int:
    """Read; what the readers do when memory ends or in panic passes every ``except Exception``."""
    try:
        return {"mat": read_mat, "sheet": read_sheet}[kind](*arguments)
    except MemoryError:
        return NO_MEMORY
    except BaseException as error:
        print(repr(error)[:300], file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
