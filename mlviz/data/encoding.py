"""Is it text at all, and in which encoding? The answer decides before a reader makes something strange of the file."""

from __future__ import annotations

import codecs
import re
from pathlib import Path
from typing import IO

from algorithms.data import DataError
from mlviz.data.reading import Reading

ENCODINGS = ("utf-8", "utf-16", "cp1252", "iso8859-15", "cp1250", "mac-roman", "shift_jis", "gb18030")
"""Those offered; any name that Python knows is accepted."""
TITLES = {"utf-8": "UTF-8", "utf-16": "UTF-16", "cp1252": "Windows-1252"}
_CHUNK = 1 << 20
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_BLANK = "\ufeff \t\r\n"


MAX_LINE = 1 << 20
"""Letters of a line of a table."""


def refuse_long_line(line: str, file: str) -> None:
    """Refuse a line that no table has, before it is cut into millions of cells."""
    if len(line) >= MAX_LINE:
        raise DataError(f"A line of {file} is longer than {MAX_LINE // 2**20} MB, so it is no table.")


def title(encoding: str) -> str:
    """How an encoding is called in a sentence."""
    return TITLES.get(encoding, encoding)


def as_utf8(path: Path, wanted: str | None, folder: Path, reading: Reading) -> tuple[Path, str, tuple[str, ...]]:
    """The file in UTF-8 (itself, or a copy in ``folder``), the encoding it has, and what is to be said about it.

    Without a wish it is UTF-8; or UTF-16 when it begins with that mark; or Windows-1252, and then that is said.
    """
    with path.open("rb") as file:
        start = file.read(_CHUNK)
    marked = start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    encoding = wanted or ("utf-16" if marked else "utf-8")
    if encoding != "utf-16" and b"\0" in start:
        raise DataError(_zero_byte(path, start, 1))
    if encoding == "utf-8":
        bad = _decode(path, "utf-8", None, reading)
        if bad is None:
            return path, "utf-8", ()
        if wanted is not None:
            raise DataError(_not_text(path, bad, "utf-8"))
        return _guessed(path, bad, folder, reading)
    copy = folder / "utf8.csv"
    codec = "utf-16-le" if encoding == "utf-16" and not marked else encoding
    bad = _copy(path, codec, copy, reading)
    if bad is not None:
        raise DataError(_not_text(path, bad, encoding))
    return copy, encoding, ()


def _guessed(path: Path, line: int, folder: Path, reading: Reading) -> tuple[Path, str, tuple[str, ...]]:
    """Not UTF-8: most such tables come from Windows."""
    copy = folder / "utf8.csv"
    worse = _copy(path, "cp1252", copy, reading)
    if worse is not None:
        raise DataError(f"Line {worse} of {path.name} is not text, neither in UTF-8 nor in Windows-1252.")
    notice = f"Line {line} of {path.name} is not UTF-8, so the file was read as Windows-1252."
    return copy, "cp1252", (notice,)


def _copy(path: Path, encoding: str, copy: Path, reading: Reading) -> int | None:
    try:
        with copy.open("w", encoding="utf-8", newline="") as sink:
            return _decode(path, encoding, sink, reading)
    except LookupError as error:
        raise DataError(f"There is no encoding {encoding!r}.") from error


def _decode(path: Path, encoding: str, sink: IO[str] | None, reading: Reading) -> int | None:
    """Decode the whole file into the sink; the line of the first byte that does not fit, or None."""
    decoder = codecs.getincrementaldecoder(encoding)()
    size = max(path.stat().st_size, 1)
    line, done, empty = 1, 0, True
    with path.open("rb") as file:
        while True:
            chunk = file.read(_CHUNK)
            reading.step(done / size, "Checking the text")
            if chunk and encoding == "utf-8" and b"\0" in chunk:
                raise DataError(_zero_byte(path, chunk, line))
            try:
                text = decoder.decode(chunk, final=not chunk)
            except UnicodeError as error:
                return line + _lines_before(error, encoding)
            rubbish = _CONTROL.search(text) if sink is not None else None
            if rubbish is not None:
                return line + text[: rubbish.start()].count("\n")
            if sink is not None:
                sink.write(text.encode("utf-8", "replace").decode("utf-8"))
            empty = empty and not text.strip(_BLANK)
            line += text.count("\n")
            done += len(chunk)
            if not chunk:
                break
    if empty:
        raise DataError(f"{path.name} is empty.")
    return None


def _lines_before(error: UnicodeError, encoding: str) -> int:
    if not isinstance(error, UnicodeDecodeError):
        return 0
    return bytes(error.object[: error.start]).decode(encoding, "ignore").count("\n")


def _zero_byte(path: Path, chunk: bytes, line: int) -> str:
    line += chunk[: chunk.index(b"\0")].count(b"\n")
    return f"{path.name} is not a text file (it contains zero bytes, the first in line {line})."


def _not_text(path: Path, line: int, encoding: str) -> str:
    return f"Line {line} of {path.name} is not {title(encoding)} text; choose another encoding."
