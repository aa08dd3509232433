"""Reads a MATLAB or WEKA file, a spreadsheet or a picture in a process of its own, which may end or run out of memory.

SciPy's reader can end the whole process on a damaged file, and the reader of spreadsheets takes memory for every cell
up to the last one, which a stray cell in the far corner makes 512 GB; that of WEKA files takes in every row as much as
the longest word could; pictures are unpacked by libraries in C. Run as a script:
``reader_process.py {mat|arff|sheet|picture} FILE OUT [SHEET]``. It knows nothing of the rest of the program.
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
MAX_PIXELS, MOST_SIDE = 50_000_000, 256
"""Of a picture as it is in the file, and how many rows or columns are kept of it."""
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


def read_arff(source: str, target: str) -> int:
    """Write the rows of a WEKA file as one array with a field for every attribute."""
    import numpy as np
    from scipy.io import arff

    limit(os.path.getsize(source))
    warnings.simplefilter("ignore")
    try:
        with open(source, encoding="utf-8", errors="replace") as file:
            found, _ = arff.loadarff(file)
    except NotImplementedError:
        return TOO_NEW
    except (MemoryError, OSError):
        raise
    except Exception as error:  # whatever a damaged file makes it run into
        Path(target).write_text(str(error)[:2000], encoding="utf-8", errors="replace")
        return REFUSED
    with open(target, "wb") as rows:
        np.save(rows, found)
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


def read_picture(source: str, target: str) -> int:
    """Write the grey values of a PNG or JPEG picture from 0 to 255, made smaller, and how large it was, (h, w)."""
    import numpy as np
    from PIL import Image, ImageOps

    limit(os.path.getsize(source))
    warnings.simplefilter("ignore")
    Image.MAX_IMAGE_PIXELS = None  # looked at below, before a single pixel is unpacked
    try:
        with Image.open(source, formats=("PNG", "JPEG")) as image:
            width, height = image.size
            if width * height > MAX_PIXELS:
                Path(target).write_text(f"{width:,} × {height:,}", encoding="utf-8")
                return TOO_LARGE
            image.draft("L", (2 * MOST_SIDE, 2 * MOST_SIDE))  # of a JPEG only what is needed is unpacked
            small = ImageOps.exif_transpose(image)
            turned = small.size != image.size and small.size == image.size[::-1]
            small = small.convert(_mode(small))
            if max(small.size) > MOST_SIDE:
                shrink = MOST_SIDE / max(small.size)
                small = small.resize([max(round(side * shrink), 1) for side in small.size], Image.Resampling.LANCZOS)
            if small.mode != "L":
                paper = Image.new("RGBA", small.size, "white")
                small = Image.alpha_composite(paper, small.convert("RGBA")).convert("L")
            grey = np.asarray(small)
    except MemoryError:
        raise
    except Exception as error:  # its readers raise whatever a damaged file makes them run into
        Path(target).write_text(f"{type(error).__name__}: {error}"[:300], encoding="utf-8", errors="replace")
        return REFUSED
    with open(target, "wb") as file:
        np.savez(file, grey=grey, size=(width, height) if turned else (height, width))
    return 0


def _mode(image: Any) -> str:
    """The colours in which a picture is made smaller: grey, or all of them where something is transparent."""
    clear = "A" in image.getbands() or "transparency" in image.info
    return "RGBA" if clear else "L" if image.mode in ("L", "1", "I;16", "I", "F") else "RGB"


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
        return {"mat": read_mat, "arff": read_arff, "sheet": read_sheet, "picture": read_picture}[kind](*arguments)
    except MemoryError:
        return NO_MEMORY
    except BaseException as error:
        print(repr(error)[:300], file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
