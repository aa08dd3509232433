"""Data as a file or as text, written whole or not at all, and read back the same.

Points are CSV, TSV, NPZ or Parquet; only NPZ has a place for the shape of pictures. The other kinds have the formats
that they declare (``formats.py``).
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from algorithms.data import Array, Data, DataError, Points
from mlviz.data.formats import all_formats, separated
from mlviz.data.table import distinct_names
from mlviz.data.text_files import SEPARATORS

_QUOTED = f'{SEPARATORS}"\r\n'


def as_text(data: Data, separator: str = "\t") -> str:
    """The data as a table with a header, or as JSON. Numbers are written so that they are read back exactly."""
    if isinstance(data, Points):
        return points_text(data, separator)
    form = next(form for form in all_formats() if form.kind == data.kind and form.write is not None)
    assert form.write is not None
    made = form.write(data)
    if separator == "," or form.suffixes[0] != ".csv":
        return made
    return separated(made, ",", separator)


def points_text(points: Points, separator: str = "\t") -> str:
    """The points as a table, the target last."""
    columns = _columns(points)
    lines = [map(_quoted, columns), *zip(*(_cells(values) for values in columns.values()))]
    return "".join(separator.join(line) + "\n" for line in lines)


def suffixes(kind: str) -> tuple[str, ...]:
    """The endings under which data of a kind can be saved."""
    forms = (form for form in all_formats() if form.kind == kind and form.write is not None)
    return tuple(WRITERS) if kind == "points" else tuple(dict.fromkeys(form.suffixes[0] for form in forms))


def _writer(kind: str, suffix: str) -> Callable[[Path, Any], None]:
    """Who writes data of a kind under an ending that is one of its own."""
    if kind == "points":
        return WRITERS[suffix]
    form = next(form for form in all_formats() if form.kind == kind and form.suffixes[0] == suffix and form.write)
    assert form.write is not None
    make = form.write
    return lambda path, data: _write_text(path, make(data))


def save_data(path: Path, data: Data) -> None:
    """Write the data in the form that the ending names.

    Raises
    ------
    DataError
        One sentence, when the ending is unknown or the file cannot be written; an old file is then untouched.
    """
    known = suffixes(data.kind)
    if path.suffix.lower() not in known:
        raise DataError(f"{path.name} must end with {', '.join(known)}.")
    writer = _writer(data.kind, path.suffix.lower())
    with placed(path) as temporary:
        writer(temporary, data)


@contextlib.contextmanager
def placed(path: Path) -> Iterator[Path]:
    """The name to write to; what is there becomes the file when it is whole. What the system refuses is a sentence."""
    with in_a_sentence(path):
        handle, name = tempfile.mkstemp(prefix=f".{path.name[:64]}.", suffix=".tmp", dir=path.parent)
        os.close(handle)
        temporary = Path(name)
        try:
            yield temporary
            os.chmod(temporary, 0o666 & ~_mask())
            os.replace(temporary, path)
        finally:
            with contextlib.suppress(FileNotFoundError):
                temporary.unlink()


@contextlib.contextmanager
def in_a_sentence(path: Path) -> Iterator[None]:
    """What the system says of a file that is being written is one sentence (DataError)."""
    try:
        yield
    except OSError as error:
        raise DataError(f"{path.name} cannot be written: {error.strerror or error}.") from error


def _mask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _columns(points: Points) -> dict[str, Array]:
    """The columns by name, categories and the class in words."""
    names = distinct_names([*points.features, *([points.target] if points.y is not None else [])])
    columns = {name: points.X[:, number] for number, name in enumerate(names[: points.d])}
    for number, levels in points.categories:
        columns[names[number]] = np.array(levels, dtype=object)[points.X[:, number].astype(np.intp)]
    if points.y is not None:
        words = np.array(points.classes, dtype=object)[points.y] if points.classes else points.y
        columns[names[-1]] = words
    return columns


def _cells(values: Array) -> list[str]:
    if values.dtype.kind == "O":
        return [_quoted(str(value)) for value in values]
    return [repr(value).removesuffix(".0") for value in values.tolist()]


def _quoted(text: str) -> str:
    """In quotation marks where it holds any separator, not only that of the file: whoever reads it guesses which."""
    if text and not any(mark in text for mark in _QUOTED):
        return text
    return '"' + text.replace('"', '""') + '"'


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="")


def _write_csv(path: Path, points: Points) -> None:
    _write_text(path, points_text(points, ","))


def _write_tsv(path: Path, points: Points) -> None:
    _write_text(path, points_text(points, "\t"))


def _write_npz(path: Path, points: Points) -> None:
    arrays: dict[str, Array] = {"X": points.X, "features": np.array(points.features)}
    if points.y is not None:
        arrays |= {"y": points.y, "target": np.array(points.target)}
    if points.classes:
        arrays["classes"] = np.array(points.classes)
    if points.image_shape is not None:
        arrays["image_shape"] = np.array(points.image_shape)
    arrays |= {f"categories_{number + 1}": np.array(words) for number, words in points.categories}
    with path.open("wb") as file:
        np.savez_compressed(file, **arrays)  # type: ignore[arg-type]


def _write_points_as_parquet(path: Path, points: Points) -> None:
    write_parquet(path, _columns(points))


def write_parquet(path: Path, columns: dict[str, Array]) -> None:
    """Columns of numbers or texts, as Parquet; what DuckDB cannot write is an OSError.

    It writes elsewhere first: it has no name for a file that is not UTF-8, and no short word for a full disk.
    """
    import duckdb

    try:
        with (
            tempfile.TemporaryDirectory(prefix="mlviz-") as folder,
            duckdb.connect(config={"threads": 2}) as connection,
        ):
            made_there = Path(folder) / "points.parquet"
            place = str(made_there).replace("'", "''")
            made = ", ".join(f'"{_escaped(name)}" {_kind(values)}' for name, values in columns.items())
            connection.execute(f"CREATE TABLE points ({made})")
            arrays = {f"c{number}": np.array(values) for number, values in enumerate(columns.values())}
            connection.register("given", arrays)
            connection.execute("INSERT INTO points SELECT * FROM given")
            connection.execute(f"COPY points TO '{place}' (FORMAT PARQUET)")
            shutil.copyfile(made_there, path)
    except duckdb.Error as error:
        raise OSError(str(error).partition("\n")[0].rstrip(".")) from error


def _kind(values: Array) -> str:
    return "VARCHAR" if values.dtype.kind == "O" else "DOUBLE"


def _escaped(name: str) -> str:
    return name.replace('"', '""')


WRITERS: dict[str, Callable[[Path, Any], None]] = {
    ".csv": _write_csv,
    ".tsv": _write_tsv,
    ".npz": _write_npz,
    ".parquet": _write_points_as_parquet,
}
"""How points are written."""
