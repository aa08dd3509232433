"""Reading a zip that may have been made to do harm: bounded, without pickle, without touching the disk."""

from __future__ import annotations

import io
import math
import re
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from algorithms.data import Array
from algorithms.maths.words import SentenceError

MAX_HEADER = 10_000
MAX_ARRAYS = 8_192
_ARRAY_NAME = re.compile(r"[A-Za-z0-9_.]{1,64}\.npy")
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError, ValueError, KeyError)
"""What Python's zip reader raises on damaged, encrypted or nonsensical archives."""


class SessionError(SentenceError):
    """A session that cannot be opened or saved; the message is a full sentence for the user."""


def read_members(path: Path, limits: Mapping[str, int]) -> dict[str, bytes]:
    """The named members of the zip at ``path``, all of which must be there, and nothing else."""
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            raise SessionError(f"{path} is a device or a pipe, not a file.")
        if path.stat().st_size > sum(limits.values()):
            raise SessionError(f"{path.name} is too large to be a session.")
        with path.open("rb") as file:
            members = _members(file, limits, path.name)
    except OSError as error:
        raise SessionError(f"{path} could not be opened: {error.strerror or error}.") from error
    for name in limits:
        if name not in members:
            raise SessionError(f"{path.name} is not a session of this program: {name} is missing.")
    return members


def read_arrays(content: bytes, owner: str) -> dict[str, Array]:
    """The arrays in an ``.npz``. Like ``numpy.load`` without pickle, but no header is believed before it is checked."""
    # An array needs no more than the container that holds it when nothing is compressed, as numpy.savez writes it.
    members = _members(io.BytesIO(content), None, owner, len(content))
    return {name.removesuffix(".npy"): _array(member, owner) for name, member in members.items()}


def _members(
    file: io.BufferedReader | io.BytesIO, limits: Mapping[str, int] | None, owner: str, most: int = 0
) -> dict[str, bytes]:
    """The members of a zip: those of ``limits``, or any arrays with at most ``most`` bytes each and together."""
    try:
        with zipfile.ZipFile(file) as archive:
            if limits is None:
                limits = _array_limits(archive, most, owner)
            return {info.filename: _member(archive, info, limits, owner) for info in _listed(archive, limits, owner)}
    except SessionError:
        raise
    except _BROKEN as error:
        raise SessionError(f"{owner} is damaged or not a session of this program.") from error


def _array_limits(archive: zipfile.ZipFile, most: int, owner: str) -> dict[str, int]:
    listed = archive.infolist()
    fits = len(listed) <= MAX_ARRAYS and sum(info.file_size for info in listed) <= most
    if not fits or not all(_ARRAY_NAME.fullmatch(info.filename) for info in listed):
        raise SessionError(f"{owner} is not a session of this program: it contains files that do not belong there.")
    return {info.filename: most for info in listed}


def _listed(archive: zipfile.ZipFile, limits: Mapping[str, int], owner: str) -> list[zipfile.ZipInfo]:
    listed = archive.infolist()
    names = [info.filename for info in listed]
    if len(set(names)) != len(names) or not set(names) <= set(limits):
        raise SessionError(f"{owner} is not a session of this program: it contains files that do not belong there.")
    return listed


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, limits: Mapping[str, int], owner: str) -> bytes:
    limit = limits[info.filename]
    # Other methods can ask for gigabytes just to begin; this program never writes them.
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise SessionError(f"{owner} is packed in a way this program does not read.")
    if info.file_size > limit:
        raise SessionError(f"{owner} is too large: {info.filename} would take {info.file_size / 2**20:.0f} MB.")
    with archive.open(info) as member:
        content = member.read(limit + 1)
    if len(content) > limit:
        raise SessionError(f"{owner} is too large: {info.filename} does not keep to its stated size.")
    return content


def _array(content: bytes, owner: str) -> Array:
    """One ``.npy``, whose header must describe exactly the bytes that follow it."""
    stream = io.BytesIO(content)
    try:
        version = np.lib.format.read_magic(stream)
        readers = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
        shape, _, dtype = readers[version](stream, max_header_size=MAX_HEADER)
    except (ValueError, KeyError, TypeError, SyntaxError, EOFError, RecursionError, MemoryError) as error:
        raise SessionError(f"{owner} is damaged: its data cannot be read.") from error
    if dtype.kind not in "fiu" or len(shape) not in (1, 2) or any(length < 0 for length in shape):
        raise SessionError(f"{owner} is damaged: its data is not a table of numbers.")
    if math.prod(shape) * dtype.itemsize != len(content) - stream.tell():
        raise SessionError(f"{owner} is damaged: its data is not as long as it says.")
    stream.seek(0)
    return np.lib.format.read_array(stream, allow_pickle=False, max_header_size=MAX_HEADER)
