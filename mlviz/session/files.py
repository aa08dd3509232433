"""Session files: a zip with ``session.json`` (what) and ``data.npz`` (the points).

A file may come from anyone. Nothing in it is executed or unpacked to disk, every size is bounded before memory is
spent on it, and whatever is wrong becomes one sentence. Writing is atomic: until the new file is complete on
the disk, the old one stays what it was.
"""

from __future__ import annotations

import contextlib
import dataclasses
import io
import json
import os
import re
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from algorithms.data import KINDS, Array, Data
from algorithms.records import dataclass
from mlviz.session.archive import SessionError, read_arrays, read_members
from mlviz.session.description import Raw, describe, describe_data, numbered, read_data, read_document, with_number
from mlviz.session.document import Document
from mlviz.session.layout import UNCHANGED, Layout, as_plain, checked
from mlviz.session.lesson_file import LESSON, describe_lesson, lesson_arrays, read_lesson

__all__ = ["FORMAT", "MIGRATIONS", "Loaded", "SessionError", "load", "save"]

FORMAT = 4
MAX_JSON = 4 * 2**20
MAX_DATA = 256 * 2**20
"""Bytes of the two members when unpacked; what would be refused on opening is refused on saving."""
SHELF = "shelf"
_HALF_LETTER = re.compile(rb"\\u[dD][89a-fA-F]")
_HALF = re.compile("[\ud800-\udfff]")
"""Half of a letter: what a name of a file has for a byte that is none, or a text that was cut in the middle."""

MIGRATIONS: dict[int, Callable[[Raw], Raw]] = {
    1: lambda raw: {**raw, "format": 2, "layout": {}},
    2: lambda raw: {**raw, "format": 3, "data": {"kind": "points", **raw["data"]}, "shelf": []},
    3: lambda raw: {**raw, "format": 4, "lesson": {}},
}
"""From each old format to the next one. Kept for ever, with a sample file of each format in the tests."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """An opened session: the document, whatever the window had put beside it, and what had to be repaired."""

    document: Document
    extra: Raw
    notices: list[str]
    layout: Layout = UNCHANGED


def save(
    path: str | os.PathLike[str],
    document: Document,
    extra: Mapping[str, Any] | None = None,
    layout: Layout = UNCHANGED,
) -> None:
    """Write the session, all or nothing.

    Parameters
    ----------
    path : path
        Where to; an existing file is replaced only when the new one is complete.
    document : Document
        What to write.
    extra : mapping
        Plain JSON values kept for the caller (the playhead).
    layout : Layout
        How the window looks at it.
    """
    raw = {
        "format": FORMAT,
        **describe(document),
        "data": describe_data(document.data),
        "shelf": [describe_data(kept) for kept in document.shelf],
        "extra": dict(extra or {}),
        "layout": as_plain(layout),
        "lesson": describe_lesson(document),
    }
    text = _HALF.sub("\ufffd", json.dumps(raw, indent=1, allow_nan=False, ensure_ascii=False)).encode()
    arrays = dict(document.data.arrays())
    for number, kept in enumerate(document.shelf):
        arrays |= with_number(kept, SHELF, number)
    arrays |= lesson_arrays(document)
    if len(text) > MAX_JSON or sum(array.nbytes for array in arrays.values()) > MAX_DATA - 2**16:
        raise SessionError(f"The session is too large to be saved; the limit is {MAX_DATA // 2**20} MB of data.")
    table = io.BytesIO()
    np.savez(table, **arrays)  # type: ignore[arg-type]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in (("session.json", text), ("data.npz", table.getvalue())):
            member = zipfile.ZipInfo(name)  # without the time of day: the same session is the same file
            member.external_attr = 0o600 << 16
            archive.writestr(member, content, zipfile.ZIP_DEFLATED)
    target = Path(path)
    try:
        _write_atomically(Path(os.path.realpath(target)), packed.getbuffer())
    except OSError as error:
        raise SessionError(f"The session could not be saved to {target}: {error.strerror or error}.") from error


def load(path: str | os.PathLike[str]) -> Loaded:
    """Read a session, or raise :class:`SessionError` with the reason in one sentence."""
    name = Path(path).name
    members = read_members(Path(path), {"session.json": MAX_JSON, "data.npz": MAX_DATA})
    raw = _migrated(_parsed(members["session.json"], name), name)
    notices: list[str] = []
    arrays = read_arrays(members["data.npz"], name)
    data = read_data(raw.get("data"), arrays, name)
    document = read_document(raw, data, name, notices)
    if any(key not in data.arrays() and not key.startswith((SHELF, LESSON)) for key in arrays):
        raise SessionError(f"{name} is not a session of this program: it contains numbers that do not belong there.")
    document = dataclasses.replace(
        document,
        shelf=_shelf(raw.get("shelf"), arrays, data, name, notices),
        lesson=read_lesson(raw.get("lesson"), arrays, data, name, notices),
    )
    extra = raw.get("extra", {})
    if not isinstance(extra, dict):
        notices.append("The state of the window in this session could not be read and was ignored.")
        extra = {}
    layout = checked(raw.get("layout", {}), data.n, notices)
    if "sources" not in raw and layout.recipe.partition("(")[0] == data.name:
        document = document.with_source(layout.recipe)
    return Loaded(document, extra, notices, layout)


def _write_atomically(path: Path, content: memoryview) -> None:
    """Write beside the target, force it to the disk, and only then put it in the target's place."""
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name[:64]}.", suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, permissions(path))
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise
    _sync_folder(path.parent)


def permissions(path: Path) -> int:
    """The permissions the file has, or those a new file gets (a temporary file is private by default)."""
    if path.exists():
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _sync_folder(folder: Path) -> None:
    """Make the rename itself survive a power cut, where the system can (Windows cannot open a folder)."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _parsed(text: bytes, name: str) -> Raw:
    def refuse(constant: str) -> Any:
        raise ValueError(constant)

    try:
        raw = json.loads(text.decode("utf-8"), parse_constant=refuse)
        if _HALF_LETTER.search(text):
            json.dumps(raw, ensure_ascii=False).encode()  # or it could be opened, but not saved again
    except (ValueError, RecursionError) as error:
        raise SessionError(f"{name} is damaged: its description cannot be read.") from error
    if not isinstance(raw, dict):
        raise SessionError(f"{name} is not a session of this program.")
    return raw


def _migrated(raw: Raw, name: str) -> Raw:
    """The description in the present format, brought there step by step."""
    number = raw.get("format")
    if isinstance(number, bool) or not isinstance(number, int) or number < 1:
        raise SessionError(f"{name} is not a session of this program: it names no format.")
    if number > FORMAT:
        raise SessionError(
            f"{name} was written by a newer version (format {number}); this one reads formats up to {FORMAT}."
        )
    for old in range(number, FORMAT):
        try:
            raw = MIGRATIONS[old](raw)
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            raise SessionError(f"{name} is damaged: its format {number} cannot be brought up to date.") from error
    return raw


def _shelf(described: Any, arrays: dict[str, Array], data: Data, name: str, notices: list[str]) -> tuple[Data, ...]:
    """The other data sets, of which each that is damaged leaves a notice."""
    found: list[Data] = []
    for number, one in enumerate(described[: len(KINDS)] if isinstance(described, list) else []):
        try:
            found.append(read_data(one, numbered(arrays, SHELF, number), name))
        except SessionError as error:
            notices.append(f"A data set that was put aside could not be read: {error}")
    kinds = [one.kind for one in found]
    return tuple(one for k, one in enumerate(found) if one.kind not in {data.kind, "none", *kinds[:k]})
