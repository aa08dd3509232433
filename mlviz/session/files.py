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
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from algorithms import registry
from algorithms.contract import Algorithm
from algorithms.data import KINDS, MAX_CLASSES, Array, Data, DataError, Points
from algorithms.moved import moved
from algorithms.params import ParamError
from mlviz.session.archive import SessionError, read_arrays, read_members
from mlviz.session.comparison import ALONE, CLOCKS, MOST_BOARDS, Comparison, Setting, checked_seed
from mlviz.session.document import Document, checked_colours
from mlviz.session.layout import UNCHANGED, Layout, as_plain, checked
from mlviz.session.projection import Axes, PrincipalPlane, checked_plane, valid_axes
from mlviz.session.scaling import AS_GIVEN, Scaling, checked_scaling

__all__ = ["FORMAT", "MIGRATIONS", "Loaded", "SessionError", "load", "save"]

FORMAT = 3
MAX_JSON = 4 * 2**20
MAX_DATA = 256 * 2**20
SHELF = "shelf"
MAX_METHODS = 500
MAX_SOURCE = 2_000
"""Bytes of the two members when unpacked; what would be refused on opening is refused on saving."""

Raw = dict[str, Any]
MIGRATIONS: dict[int, Callable[[Raw], Raw]] = {
    1: lambda raw: {**raw, "format": 2, "layout": {}},
    2: lambda raw: {**raw, "format": 3, "data": {"kind": "points", **raw["data"]}, "shelf": []},
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
    raw = _as_raw(document, extra or {}) | {"layout": as_plain(layout)}
    text = json.dumps(raw, indent=1, allow_nan=False, ensure_ascii=False).encode()
    arrays = dict(document.data.arrays())
    for number, kept in enumerate(document.shelf):
        arrays |= {f"{SHELF}{number}.{key}": array for key, array in kept.arrays().items()}
    if len(text) > MAX_JSON or sum(array.nbytes for array in arrays.values()) > MAX_DATA - 2**16:
        raise SessionError(f"The session is too large to be saved; the limit is {MAX_DATA // 2**20} MB of data.")
    table = io.BytesIO()
    np.savez(table, **arrays)  # type: ignore[arg-type]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("session.json", text)
        archive.writestr("data.npz", table.getvalue())
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
    data = _data(raw.get("data"), arrays, name)
    raw = _in_its_place(raw, notices)
    algorithm = _algorithm(raw, name)
    if not algorithm.takes(data):
        raise SessionError(f"{name} is damaged: {algorithm.title} does not work on data of the kind {data.kind!r}.")
    if any(key not in data.arrays() and not key.startswith(SHELF) for key in arrays):
        raise SessionError(f"{name} is not a session of this program: it contains numbers that do not belong there.")
    d = data.d if isinstance(data, Points) else 1
    document = Document(
        data,
        algorithm.key,
        _params(algorithm, raw.get("params"), name, notices),
        _seed(raw.get("seed"), notices),
        _axes(raw.get("axes"), d, notices),
        _colours(raw.get("colours", []), notices),
        _scaling(raw.get("scaling"), d, notices) if isinstance(data, Points) else AS_GIVEN,
        _shelf(raw.get("shelf"), arrays, data, name, notices),
        _memory(raw.get("memory", {}), name, notices),
        _sources(raw.get("sources")),
        _comparison(raw.get("comparison"), name, notices),
    )
    extra = raw.get("extra", {})
    if not isinstance(extra, dict):
        notices.append("The state of the window in this session could not be read and was ignored.")
        extra = {}
    layout = checked(raw.get("layout", {}), data.n, notices)
    if "sources" not in raw and layout.recipe.partition("(")[0] == data.name:
        document = document.with_source(layout.recipe)
    return Loaded(document, extra, notices, layout)


def _as_raw(document: Document, extra: Mapping[str, Any]) -> Raw:
    data = document.data
    return {
        "format": FORMAT,
        "algorithm": document.algorithm,
        "params": dict(document.params),
        "memory": {key: dict(kept) for key, kept in document.memory.items()},
        "seed": document.seed,
        "axes": _raw_axes(document.axes),
        "colours": list(document.colours),
        "scaling": {
            "kind": document.scaling.kind,
            "shift": list(document.scaling.shift),
            "factor": list(document.scaling.factor),
        },
        "data": {"kind": data.kind, **data.facts()},
        "sources": dict(document.sources),
        "shelf": [{"kind": kept.kind, **kept.facts()} for kept in document.shelf],
        "comparison": {
            "others": [
                {"algorithm": other.algorithm, "params": dict(other.params), "seed": other.seed}
                for other in document.comparison.others
            ],
            "place": document.comparison.place,
            "clock": document.comparison.clock,
            "difference": document.comparison.difference,
        },
        "extra": dict(extra),
    }


def _raw_axes(axes: Axes) -> Any:
    """Two numbers, or the plane itself, of which older programs say that they do not know it."""
    return {"kind": "pca", **dataclasses.asdict(axes)} if isinstance(axes, PrincipalPlane) else list(axes)


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


def _data(described: Any, arrays: dict[str, Array], name: str) -> Data:
    if not isinstance(described, dict):
        raise SessionError(f"{name} is damaged: the data set is not described.")
    kind = KINDS.get(str(described.get("kind", "points")))
    if kind is None:
        raise SessionError(f"{name} holds data of the kind {str(described.get('kind'))[:40]!r}, which is unknown here.")
    classes = described.get("classes", [])
    if isinstance(classes, list) and len(classes) > MAX_CLASSES:
        raise SessionError(f"{name} has {len(classes)} classes; at most {MAX_CLASSES} can be shown.")
    try:
        return kind.from_arrays(arrays, described)
    except DataError as error:
        raise SessionError(f"{name} is damaged: {error}") from error
    except (TypeError, ValueError, OverflowError, MemoryError) as error:
        raise SessionError(f"{name} is damaged: its data cannot be used.") from error


def _shelf(described: Any, arrays: dict[str, Array], data: Data, name: str, notices: list[str]) -> tuple[Data, ...]:
    """The other data sets, of which each that is damaged leaves a notice."""
    found: list[Data] = []
    for number, one in enumerate(described[: len(KINDS)] if isinstance(described, list) else []):
        start = f"{SHELF}{number}."
        own = {key.removeprefix(start): array for key, array in arrays.items() if key.startswith(start)}
        try:
            found.append(_data(one, own, name))
        except SessionError as error:
            notices.append(f"A data set that was put aside could not be read: {error}")
    kinds = [one.kind for one in found]
    return tuple(one for k, one in enumerate(found) if one.kind not in {data.kind, "none", *kinds[:k]})


def _in_its_place(raw: Raw, notices: list[str]) -> Raw:
    """The description with the method and the parameters as they are called today."""
    key, values = raw.get("algorithm"), raw.get("params")
    if not (isinstance(key, str) and isinstance(values, dict)):
        return raw
    key, values, words = moved(key, values)
    notices += [words] if words else []
    return {**raw, "algorithm": key, "params": values}


def _algorithm(raw: Raw, name: str) -> Algorithm:
    key = raw.get("algorithm")
    if not isinstance(key, str):
        raise SessionError(f"{name} is damaged: it names no algorithm.")
    try:
        return registry.find(key)
    except registry.UnknownAlgorithm as error:
        raise SessionError(f"{name} cannot be opened. {error}") from error


def _params(algorithm: Algorithm, values: Any, name: str, notices: list[str]) -> Raw:
    """The values that are known and allowed; each other one leaves a notice and becomes the default."""
    if not isinstance(values, dict):
        raise SessionError(f"{name} is damaged: the parameters are not listed by name.")
    fields = {field.name: field for field in algorithm.fields}
    kept: Raw = {}
    for key, value in values.items():
        if key not in fields:
            notices.append(f"{algorithm.title} has no parameter {key[:40]!r} any more; it was ignored.")
            continue
        try:
            kept[key] = fields[key].check(value)
        except ParamError as error:
            notices.append(f"{error} The default {fields[key].default!r} is used instead.")
    return kept


def _memory(described: Any, name: str, notices: list[str]) -> dict[str, Raw]:
    """The parameters that other methods were left with; what is not known any more is forgotten."""
    found: dict[str, Raw] = {}
    for key, values in list(described.items())[:MAX_METHODS] if isinstance(described, dict) else []:
        with contextlib.suppress(registry.UnknownAlgorithm):
            key, values, _ = moved(str(key), values if isinstance(values, dict) else {})
            found[key] = _params(registry.find(key), values, name, notices)
    return found


def _comparison(described: Any, name: str, notices: list[str]) -> Comparison:
    """What stands beside the setting; one that cannot be used leaves a notice, older files have none."""
    if not isinstance(described, dict):
        return ALONE
    listed, found = described.get("others"), []
    for one in listed[: MOST_BOARDS - 1] if isinstance(listed, list) else []:
        try:
            raw = _in_its_place(one if isinstance(one, dict) else {}, notices)
            algorithm = _algorithm(raw, name)
            values = _params(algorithm, raw.get("params"), name, notices)
            found.append(Setting(algorithm.key, values, _seed(raw.get("seed"), notices)))
        except (SessionError, ParamError) as error:
            notices.append(f"A setting to compare with could not be read: {error}")
    place, clock = described.get("place"), described.get("clock")
    inside = isinstance(place, int) and 0 <= place <= len(found)
    known = clock if isinstance(clock, str) and clock in CLOCKS else ALONE.clock
    return Comparison(tuple(found), int(place) if inside else 0, known, described.get("difference") is True)  # type: ignore[arg-type]


def _sources(described: Any) -> dict[str, str]:
    """Where the data came from, by their kind; what is no short text is forgotten."""
    pairs = described.items() if isinstance(described, dict) else ()
    return {kind: text for kind, text in pairs if kind in KINDS and isinstance(text, str) and len(text) <= MAX_SOURCE}


def _seed(value: Any, notices: list[str]) -> int:
    try:
        return checked_seed(value)
    except ValueError as error:
        notices.append(f"{error} The seed 0 is used instead.")
        return 0


def _scaling(value: Any, d: int, notices: list[str]) -> Scaling:
    try:
        return checked_scaling(value, d)
    except ValueError as error:
        notices.append(f"{error} The data is taken as it is.")
        return Scaling()


def _axes(value: Any, d: int, notices: list[str]) -> Axes:
    if isinstance(value, dict) and value.get("kind") == "pca":
        try:
            return checked_plane(value, d)
        except ValueError as error:
            notices.append(f"{error} The first two features are shown.")
            return (0, 1)
    whole = isinstance(value, list) and all(isinstance(item, int) and not isinstance(item, bool) for item in value)
    if whole and len(value) == 2 and valid_axes((value[0], value[1]), d):
        return value[0], value[1]
    notices.append("The axes in this session do not exist; the first two features are shown.")
    return (0, 1)


def _colours(value: Any, notices: list[str]) -> tuple[str, ...]:
    """The colours given to classes; older files have none, and then the theme's are used."""
    with contextlib.suppress(ValueError):
        if isinstance(value, list) and len(value) <= MAX_CLASSES:
            return checked_colours(value)
    notices.append("The colours of the classes in this session could not be read; those of the theme are used.")
    return ()
