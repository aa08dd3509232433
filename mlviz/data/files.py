"""Data from files of every kind we read, and tables from pasted text. The ending of the name decides who reads it."""

from __future__ import annotations

import csv
import logging
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from algorithms.data import Data, DataError, Points
from mlviz.data.array_files import read_arff, read_libsvm, read_mat, read_npy, read_npz
from mlviz.data.column_files import read_column_table
from mlviz.data.formats import DataFormat, all_formats, separated
from mlviz.data.gaps import Missing
from mlviz.data.picture_files import ReadPicture, is_picture, read_picture
from mlviz.data.reading import Reading
from mlviz.data.roles import Choices, Imported, to_points
from mlviz.data.spreadsheets import read_spreadsheet
from mlviz.data.table import ReadOptions, Table
from mlviz.data.text_files import read_text_table
from mlviz.data.tidying import tidied
from mlviz.data.understanding import OPEN, Wishes, understood

Made = TypeVar("Made")
Reader = Callable[[Path, ReadOptions, Reading], Table]
log = logging.getLogger("mlviz.data")
MAX_PASTED = 50_000_000
PASTED = "the pasted table"

KINDS: dict[str, tuple[Reader, tuple[str, ...]]] = {
    "Text tables": (read_text_table, (".csv", ".tsv", ".txt", ".tab", ".dat", ".data")),
    "Spreadsheets": (read_spreadsheet, (".xlsx", ".xls", ".xlsm", ".xlsb", ".ods")),
    "Parquet": (read_column_table, (".parquet", ".pq")),
    "JSON": (read_column_table, (".json", ".jsonl", ".ndjson")),
    "NumPy": (read_npy, (".npy",)),
    "NumPy archives": (read_npz, (".npz",)),
    "MATLAB": (read_mat, (".mat",)),
    "WEKA": (read_arff, (".arff",)),
    "libsvm": (read_libsvm, (".libsvm", ".svm", ".svmlight")),
}
SUFFIXES = tuple(suffix for _, suffixes in KINDS.values() for suffix in suffixes)


def read_table(path: Path, options: ReadOptions | None = None, reading: Reading | None = None) -> Table:
    """The table in a file, whatever its kind; a name with an unknown ending is tried as text.

    Raises
    ------
    DataError
        A sentence that says what is wrong with the file, and where.
    Cancelled
        When the reading was called off.
    """
    reader = next((reader for reader, suffixes in KINDS.values() if path.suffix.lower() in suffixes), read_text_table)
    return tidied(_opened(path, lambda path: reader(path, options or ReadOptions(), reading or Reading())))


def read_pasted(text: str, options: ReadOptions | None = None, reading: Reading | None = None) -> Table:
    """The table in a text from the clipboard, read like a CSV file."""
    if len(text) > MAX_PASTED:
        raise DataError("The pasted text is too long; save it as a file and open that.")
    with tempfile.TemporaryDirectory(prefix="mlviz-") as folder:
        path = Path(folder) / PASTED
        path.write_text(text, encoding="utf-8", errors="replace", newline="")
        wanted = replace(options or ReadOptions(), encoding="utf-8")
        return replace(read_table(path, wanted, reading), name="pasted", file=PASTED)


def read_pasted_data(text: str, kinds: Sequence[str]) -> Data:
    """The data of one of these kinds in a text from the clipboard, read like a CSV or a JSON file."""
    if len(text) > MAX_PASTED:
        raise DataError("The pasted text is too long; save it as a file and open that.")
    with tempfile.TemporaryDirectory(prefix="mlviz-") as folder:
        return read_data(_as_file(text, Path(folder), kinds), kinds=kinds)


def pasted_kind(text: str, kinds: Sequence[str]) -> str:
    """The kind of data in a text from the clipboard, where these kinds are welcome."""
    if list(kinds) == ["points"] and not text.lstrip().lower().startswith(("{", "#", "source")):
        return "points"
    try:
        with tempfile.TemporaryDirectory(prefix="mlviz-") as folder:
            return kind_of(_as_file(text, Path(folder), kinds), kinds)
    except DataError:
        return kinds[0]  # whoever reads it says what is wrong


def _as_file(text: str, folder: Path, kinds: Sequence[str]) -> Path:
    """A text from the clipboard in a file that is read like any other."""
    path = folder / ("pasted.json" if text.lstrip().startswith("{") else "pasted.csv")
    own_tabs = path.suffix == ".json" or "strings" in kinds
    plain = own_tabs or "\t" not in text
    try:
        table = text if plain else separated(text, "\t", ",")
    except csv.Error as error:
        raise DataError(f"The pasted text is not a table: {error}.") from error
    path.write_text(table, encoding="utf-8", errors="replace", newline="")
    return path


def kind_of(path: Path, kinds: Sequence[str] = ()) -> str:
    """The kind of data that :func:`read_data` would read from a file with this name."""
    form = _form(path, kinds)
    return "points" if form is None else form.kind


def _form(path: Path, kinds: Sequence[str]) -> DataFormat | None:
    """The format of another kind than points in which a file is to be read, or None for points."""
    able = [form for form in all_formats() if form.read is not None and path.suffix.lower() in form.suffixes]
    own = next((form for form in able if form.own), None)
    if own is not None:
        return own
    if "points" in kinds:  # a table of points is not taken for something else because that would do, too
        able = [form for form in able if form.looks is None or _looks(form, path)]
    for kind in kinds:
        found = next((form for form in able if form.kind == kind), None)
        if found is None and kind == "points":
            return next((form for form in able if form.sure and _looks(form, path)), None)
        if found is not None:
            return found
    return next((form for form in able if _looks(form, path)), None)


def read_data(path: Path, wishes: Wishes = OPEN, kinds: Sequence[str] = (), gaps: Missing = "suggested") -> Data:
    """The data in a file: of the first of these kinds that such a file can hold, else what its ending says."""
    found = _form(path, kinds)
    picture = is_picture(path)
    if (found is None or found.read is None) and not picture:
        return said_aloud(read_points(path, wishes, gaps))
    if wishes.asks or gaps != "suggested":
        raise DataError(f"{path.name} holds no table of points; it has no target column to choose and no gaps to fill.")
    if picture:
        made = open_picture(path)
        log.warning(made.notice)
        return made.points
    assert found is not None
    assert found.read is not None
    return _opened(path, found.read).renamed(path.stem)


def open_picture(path: Path, reading: Reading | None = None) -> ReadPicture:
    """The picture in a file, and what has become of it on the way."""
    return _opened(path, lambda path: read_picture(path, reading))


def _looks(form: DataFormat, path: Path) -> bool:
    try:
        return form.looks is not None and path.is_file() and path.stat().st_size > 0 and form.looks(path)
    except OSError:  # whoever reads it says what is wrong
        return False


def _shown(path: Path) -> str:
    """A path as a sentence quotes it: as it was given, or of a long one the name."""
    return str(path) if len(str(path)) <= 40 else path.name


def _opened(path: Path, read: Callable[[Path], Made]) -> Made:
    """What is read from a file that is there and not empty; everything that goes wrong becomes one sentence."""
    try:
        with _called_by_text(path) as named:
            return _checked(named, read)
    except FileNotFoundError as error:
        raise DataError(f"There is no file {_shown(path)!r}.") from error
    except (OSError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        reason = error.strerror if isinstance(error, OSError) else None
        raise DataError(f"{_shown(path)!r} cannot be opened: {reason or error}.") from error
    except MemoryError as error:
        raise DataError(f"{path.name} needs more memory than there is.") from error


@contextmanager
def _called_by_text(path: Path) -> Iterator[Path]:
    """The path; or, where its name is no text, which some systems allow and readers do not, a link that has one."""
    name = os.fsencode(path).decode("utf-8", "replace")
    if name == str(path):
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="mlviz-") as folder:
        link = Path(folder) / Path(name).name
        link.symlink_to(path.absolute())
        yield link


def _checked(path: Path, read: Callable[[Path], Made]) -> Made:
    """What is read from a file that is no folder, no device and not empty."""
    if path.is_dir():
        raise DataError(f"{path} is a folder, not a file.")
    if path.exists() and not path.is_file():
        raise DataError(f"{path} is a device or a pipe, not a file.")
    with path.open("rb") as file:  # what the system itself writes has no size, and reading it may wait for ever
        if not path.stat().st_size or not file.read(1):
            raise DataError(f"{path.name} is empty.")
    return read(path)


def read_points(path: Path, wishes: Wishes = OPEN, gaps: Missing = "suggested") -> Imported:
    """The points in a file and every decision about it, as the wishes say and otherwise as the file looks."""
    return points_of(read_table(path), wishes, gaps)


def points_of(table: Table, wishes: Wishes = OPEN, gaps: Missing = "suggested") -> Imported:
    """The points of a table, where nobody is there to be asked, with every decision in a sentence."""
    found = understood(table, wishes)
    made = to_points(table, Choices(found.roles, gaps))
    return replace(made, notices=(*found.notes, *made.notices))


def said_aloud(made: Imported) -> Points:
    """The points; what was decided is written where warnings go."""
    for notice in made.notices:
        log.warning(notice)
    return made.points
