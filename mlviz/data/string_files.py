"""Texts in files: a table with a header, or one text in each line.

    text,class
    Lunch on Friday?,ham
    Claim your prize now,spam

The column of the texts is called ``text`` (or ``message``, ``subject``, ``word`` ...), that of the classes ``class``
(or ``label`` ...); others are not read. Without such a header every line is a text; where each line is parted by one
tab, the part with fewer different entries is the class.
"""

from __future__ import annotations

import csv
import io
import tempfile
from collections.abc import Iterable
from pathlib import Path

from algorithms.data import DataError, Strings
from algorithms.data.strings import MAX_LETTERS, MAX_TEXTS
from mlviz.data.encoding import as_utf8
from mlviz.data.formats import DataFormat
from mlviz.data.reading import Reading

MAX_BYTES = 40_000_000
_TEXTS = ("text", "texts", "string", "message", "subject", "sentence", "word", "sequence")
_CLASSES = ("class", "label", "target", "category", "kind", "language")
_SEPARATORS = (",", ";", "\t")


def strings_from_text(lines: Iterable[str], file: str = "The text") -> Strings:
    """The texts in the lines of a file, or a :class:`DataError` that says what is wrong with it, and where."""
    lines = list(lines)
    if lines:
        lines[0] = lines[0].lstrip("\ufeff")
    columns = _header(lines[0]) if lines else None
    if columns is None:
        return _from_lines([line.rstrip("\r\n") for line in lines], file)
    texts: list[str] = []
    labels: list[str] = []
    separator, text, label = columns
    try:
        rows = csv.reader(lines, delimiter=separator)
        width = len(next(rows))
        for number, row in enumerate((row for row in rows if row), start=1):
            if len(row) != width:
                raise DataError(f"Text {number} of {file} has {len(row)} cells; there are {width} columns.")
            if label is not None and not row[label].strip():
                raise DataError(f"Text {number} of {file} has no class.")
            texts.append(row[text])
            labels.append("" if label is None else row[label].strip())
            _check_count(len(texts), file)
    except csv.Error as error:
        raise DataError(f"{file} holds no table of texts: {error}.") from error
    if not texts:
        raise DataError(f"{file} has no texts below its header.")
    return Strings(tuple(texts), labels if label is not None else None)  # type: ignore[arg-type]


def _header(line: str) -> tuple[str, int, int | None] | None:
    """The separator and the columns of the texts and of the classes, where a line names them."""
    separator = max(_SEPARATORS, key=line.count)
    try:
        names = [cell.strip().lower() for cell in next(csv.reader([line], delimiter=separator), [])]
    except csv.Error:
        return None
    text = next((names.index(name) for name in _TEXTS if name in names), None)
    label = next((names.index(name) for name in _CLASSES if name in names), None)
    return None if text is None else (separator, text, label)


def _from_lines(lines: list[str], file: str) -> Strings:
    """One text in each line that is not empty."""
    lines = [line for line in lines if line.strip()]
    if not lines:
        raise DataError(f"{file} holds no text.")
    _check_count(len(lines), file)
    if any(line.count("\t") != 1 for line in lines):
        return Strings(tuple(lines))
    parts = list(zip(*(line.split("\t") for line in lines)))
    labels, texts = sorted(parts, key=lambda part: len(set(part)))
    return Strings(texts, labels)  # type: ignore[arg-type]


def _check_count(count: int, file: str) -> None:
    if count > MAX_TEXTS:
        raise DataError(f"{file} has more than {MAX_TEXTS:,} texts, which is the most that can be used.")


def read_strings(path: Path) -> Strings:
    """The texts in a file."""
    if path.stat().st_size > MAX_BYTES:
        raise DataError(f"{path.name} is too large for texts; {MAX_LETTERS:,} letters can be used.")
    with tempfile.TemporaryDirectory(prefix="mlviz-") as folder:
        readable, _, _ = as_utf8(path, None, Path(folder), Reading())
        with readable.open(encoding="utf-8", newline="") as lines:
            return strings_from_text(lines, path.name)


def names_texts(path: Path) -> bool:
    """Whether the header of a file names nothing but texts and their classes."""
    try:
        with path.open(encoding="utf-8", errors="replace") as lines:
            first = lines.readline(200).lstrip("\ufeff")
    except OSError:
        return False
    names = [name.strip(' "\n').lower() for name in first.split(max(_SEPARATORS, key=first.count))]
    known = [name in _CLASSES for name in names if name in (*_TEXTS, *_CLASSES)]
    return len(known) == len(names) <= 2 and known.count(False) == 1


def strings_text(data: Strings) -> str:
    """The texts as CSV, with their classes where they have some."""
    made = io.StringIO()
    returns = any("\r" in text for text in data.texts)  # which older versions of Python would not put into quotes
    writer = csv.writer(made, lineterminator="\n", quoting=csv.QUOTE_ALL if returns else csv.QUOTE_MINIMAL)
    columns = data.columns()
    writer.writerow(columns)
    writer.writerows(zip(*columns.values()))
    return made.getvalue()


FORMATS = (
    DataFormat("strings", "Texts", (".csv", ".tsv", ".txt"), read_strings, strings_text, own=False, looks=names_texts),
)
