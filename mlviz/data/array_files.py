"""Tables from the files of numerical programs: NumPy, MATLAB, WEKA and libsvm.

NumPy's and SciPy's readers raise whatever a damaged file makes them run into, so here, and only here, any exception
of a reader becomes a sentence.
"""

from __future__ import annotations

import math
import re
import tempfile
import zipfile
from array import array as number_list
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from algorithms.data import Array, DataError
from mlviz.data import reader_process
from mlviz.data.encoding import refuse_long_line
from mlviz.data.process import read_in_process
from mlviz.data.reading import Reading
from mlviz.data.table import (
    MAX_CELLS,
    Column,
    ReadOptions,
    Table,
    array_column,
    check_size,
    distinct_names,
    number_column,
)

MAX_BYTES = 400 * 2**20
"""Of all arrays of an archive: twice the largest table of numbers that is taken, and its words."""
_PAIR = re.compile(r"\d+:[^\s:]+")
_BESIDE = ("features", "classes", "image_shape")
"""Arrays that speak of the columns and are none."""
_TARGETS = ("y", "target", "label", "labels", "t")


def read_npy(path: Path, options: ReadOptions, reading: Reading) -> Table:
    """A NumPy array: rows and columns, or a record array with its field names. Pickled objects are never loaded."""
    reading.step(0.0, "Reading the array")
    try:
        array = np.lib.format.open_memmap(path, mode="r")  # checks the size and knows no pickles
    except FileNotFoundError:
        raise
    except Exception as error:
        raise DataError(_numpy_reason(path, error)) from error
    return _table(path, _array_columns("x", array, path.name), options)


def read_npz(path: Path, options: ReadOptions, reading: Reading) -> Table:
    """An archive of NumPy arrays: X with an optional y, or arrays of equal length."""
    reading.step(0.0, "Reading the arrays")
    try:
        with zipfile.ZipFile(path) as archive:
            if sum(item.file_size for item in archive.infolist()) > MAX_BYTES:
                raise DataError(f"{path.name} unpacks to more than {MAX_BYTES // 2**20} MB, too much to be read.")
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: np.asarray(archive[name]) for name in archive.files}
    except DataError:
        raise
    except Exception as error:
        raise DataError(_numpy_reason(path, error)) from error
    table = _table(path, _columns_of_arrays(arrays, path.name), options)
    return replace(table, image_shape=_shape_in(arrays))


def read_mat(path: Path, options: ReadOptions, reading: Reading) -> Table:
    """A MATLAB file up to version 7: X with an optional y, or the matrices that have as many rows as the largest."""
    with tempfile.TemporaryDirectory(prefix="mlviz-") as folder:
        copy = Path(folder) / "variables.npz"
        code = read_in_process("mat", path, copy, reading)
        if code == reader_process.TOO_NEW:
            raise DataError(f"{path.name} is a MATLAB 7.3 file; save it in MATLAB with the option -v7.")
        if code == reader_process.TOO_LARGE:
            raise DataError(f"{path.name} holds a sparse matrix of more than {MAX_CELLS:,} cells.")
        if code != 0 or not copy.exists():
            raise DataError(f"{path.name} cannot be read as a MATLAB file; it is damaged or of another kind.")
        with np.load(copy, allow_pickle=False) as archive:
            arrays = {name: np.asarray(archive[name]) for name in archive.files}
    return _table(path, _columns_of_arrays(arrays, path.name), options)


def read_arff(path: Path, options: ReadOptions, reading: Reading) -> Table:
    """A WEKA file; its nominal attributes are words, and the last of them is usually the class."""
    with tempfile.TemporaryDirectory(prefix="mlviz-") as folder:
        copy = Path(folder) / "rows.npy"
        code = read_in_process("arff", path, copy, reading)
        if code == reader_process.TOO_NEW:
            raise DataError(f"{path.name} has text or relational attributes, which cannot be read.")
        if code != 0 or not copy.exists():
            said = copy.read_text(encoding="utf-8") if code == reader_process.REFUSED else ""
            reason = (said.strip().splitlines() or ["it is damaged"])[0].rstrip(".")
            where = _line_of(path, reason)
            raise DataError(f"{path.name} cannot be read as an ARFF file{where}: {reason}.")
        found = np.load(copy, allow_pickle=False)
    names = found.dtype.names or ()
    columns = [array_column(name, found[name]) for name in names]
    return _table(path, columns, options)


def _line_of(path: Path, reason: str) -> str:
    """The reader of ARFF quotes what it does not understand but not where that stands: find the line of the data."""
    quoted = re.search(r"'([^']{1,80})'|\"([^\"]{1,80})\"", reason)
    if quoted is None:
        return ""
    word, inside = quoted[1] or quoted[2], False
    with path.open(encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, start=1):
            if inside and word in line:
                return f", line {number}"
            inside = inside or line.strip().lower().startswith("@data")
    return ""


def read_libsvm(path: Path, options: ReadOptions, reading: Reading) -> Table:
    """Sparse rows ``label index:value ...`` of libsvm and svmlight; what is not written is 0."""
    reading.step(0.0, "Reading the rows")
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise DataError(f"{path.name} is not a text file.") from error
    labels, counts, pairs = number_list("d"), number_list("q"), number_list("d")  # index, value, index, value ...
    for number, line in enumerate(lines, 1):
        refuse_long_line(line, path.name)
        parts = line.partition("#")[0].split()
        if parts:
            _check_libsvm(path.name, number, parts)
            labels.append(float(parts[0]))
            counts.append(len(parts) - 1)
            pairs.extend(map(float, " ".join(parts[1:]).replace(":", " ").split()))
    if not labels:
        raise DataError(f"{path.name} has no rows.")
    reading.step(0.6, "Reading the numbers")
    owners = np.repeat(np.arange(len(labels)), counts)
    places, values = np.array(pairs[0::2]), np.array(pairs[1::2])
    lowest = 0 if len(places) and places.min() == 0 else 1  # some programs count from 0
    width = int(places.max()) - lowest + 1 if len(places) else 0
    check_size(len(labels), max(width, 1), path.name)
    X = np.zeros((len(labels), max(width, 1)))
    X[owners, places.astype(np.int64) - lowest] = values
    columns = [number_column(f"x{j + lowest}", X[:, j]) for j in range(X.shape[1])]
    return _table(path, [*columns, number_column("label", np.array(labels), "target")], options)


def _check_libsvm(file: str, number: int, parts: list[str]) -> None:
    """Refuse the first word of a line that is no label and no pair."""
    for place, part in enumerate(parts):
        head, _, tail = part.rpartition(":") if place else ("0", "", part)
        if place and not _PAIR.fullmatch(part):
            raise DataError(f"Line {number} of {file} has {part[:40]!r} where index:value was expected.")
        try:
            float(tail)
        except ValueError as error:
            raise DataError(f"Line {number} of {file} has {part[:40]!r}, which is not a number.") from error
        if "_" in part or len(head) > 9:
            raise DataError(f"Line {number} of {file} has {part[:40]!r}, which is not a number.")


# -- arrays as columns ------------------------------------------------------------------------------------------------


def _columns_of_arrays(arrays: Mapping[str, Array], file: str) -> list[Column]:
    """X and y by name, or every array that has as many rows as the largest table."""
    usable = {name: array for name, array in arrays.items() if 1 <= array.ndim <= 2 and array.dtype.kind in "biufSU"}
    if not usable:
        raise DataError(f"{file} holds no table: {_contents(arrays)}.")
    largest = max(usable, key=lambda name: (usable[name].ndim, usable[name].size))
    main = next((name for name in usable if name in ("X", "x", "data")), largest)
    n = len(usable[main])
    beside = {
        name: array
        for name, array in usable.items()
        if name != main and name not in _BESIDE and not name.startswith("categories_") and len(array) == n
    }
    # before any becomes a column, which takes up to forty times the memory of an array of small numbers
    check_size(n, sum(math.prod(array.shape[1:]) for array in (usable[main], *beside.values())), file)
    named = _names(arrays.get("features"), usable[main])
    columns = _array_columns(main if main not in ("X", "data") else "x", usable[main], file, named)
    columns = [_with_words(column, arrays.get(f"categories_{j}")) for j, column in enumerate(columns, start=1)]
    levels = arrays.get("classes")
    for name, array in beside.items():
        if array.ndim == 1 or array.shape[1] == 1:
            wanted, values = name.lower() in _TARGETS, array.reshape(-1)
            title = str(arrays["target"]) if name == "y" and "target" in arrays and not arrays["target"].ndim else name
            values = _named_classes(values, levels) if wanted else values
            columns.append(array_column(title, values, "target" if wanted else None))
        else:
            columns.extend(_array_columns(name, array, file))
    return columns


def _named_classes(values: Array, levels: Any) -> Array:
    """Class numbers as words, when the file brings a list of words for them."""
    if not isinstance(levels, np.ndarray) or levels.dtype.kind != "U" or levels.ndim != 1 or not len(levels):
        return values
    if values.dtype.kind not in "iu" or values.min(initial=0) < 0 or values.max(initial=0) >= len(levels):
        return values
    return np.asarray(levels[values])


def _with_words(column: Column, words: Any) -> Column:
    """A column of codes as a category, when the file brings the words for them."""
    if not isinstance(words, np.ndarray) or words.dtype.kind != "U" or words.ndim != 1 or column.is_text:
        return column
    codes = column.values
    if not len(words) or not np.isin(codes, np.arange(len(words))).all():
        return column
    return Column(column.name, codes.astype(np.int32), tuple(words.tolist()), hint="category")


def _shape_in(arrays: Mapping[str, Array]) -> tuple[int, int] | None:
    """Height and width of pictures, when the file brings them."""
    given = arrays.get("image_shape")
    if given is None or given.shape != (2,) or given.dtype.kind not in "iu" or not (given > 0).all():
        return None
    return int(given[0]), int(given[1])


def _names(names: Any, array: Array) -> list[str] | None:
    fits = isinstance(names, np.ndarray) and array.ndim == 2 and names.shape == (array.shape[1],)
    return [str(name) for name in names] if fits else None


def _array_columns(name: str, array: Array, file: str, names: list[str] | None = None) -> list[Column]:
    if array.dtype.names is not None:
        check_size(len(array) if array.ndim else 0, len(array.dtype.names), file)
        return [array_column(field, np.asarray(array[field]).reshape(-1)) for field in array.dtype.names]
    if array.dtype.kind not in "biufSU":
        raise DataError(f"{file} holds values of the type {array.dtype}; only numbers and text can be used.")
    if array.ndim == 1:
        check_size(len(array), 1, file)
        return [array_column(name, array)]
    if array.ndim != 2:
        raise DataError(f"{file} holds an array of {array.ndim} dimensions; a table has rows and columns.")
    check_size(array.shape[0], array.shape[1], file)
    names = names or [f"{name}{column + 1}" for column in range(array.shape[1])]
    return [array_column(title, array[:, column]) for column, title in enumerate(names)]


def _contents(arrays: Mapping[str, Array]) -> str:
    if not arrays:
        return "it is empty"
    some = ", ".join(f"{name} {'×'.join(map(str, array.shape)) or 'a single value'}" for name, array in arrays.items())
    return f"it has {some[:120]}"


def _table(path: Path, columns: list[Column], options: ReadOptions) -> Table:
    check_size(len(columns[0].values) if columns else 0, len(columns), path.name)
    if len({len(column.values) for column in columns}) > 1:
        raise DataError(f"The columns of {path.name} have different lengths.")
    names = distinct_names([column.name for column in columns])
    renamed = tuple(Column(name, c.values, c.levels, c.odd, c.hint) for name, c in zip(names, columns))
    return Table(renamed, len(columns[0].values), path.stem, path.name, options)


def _numpy_reason(path: Path, error: Exception) -> str:
    if "pickle" in str(error).lower() or "objects" in str(error).lower():
        return f"{path.name} holds Python objects, which are not loaded because they could run programs."
    return f"{path.name} cannot be read as a NumPy file; it is damaged or of another kind."
