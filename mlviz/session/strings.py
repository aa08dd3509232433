"""Edits of texts, as pure functions without a window."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from algorithms.data import MAX_CLASSES, DataError, Strings

MAX_TEXT = 5_000
"""Letters of one text that is typed in."""


def changed(data: Strings, row: int, column: int, value: str) -> Strings:
    """The texts with one cell changed: a text, its class (a new one where it is unknown), or a new row at the end."""
    if len(value) > MAX_TEXT:
        raise DataError(f"A text that is typed in may have {MAX_TEXT:,} letters.")
    if column == 0:
        return with_text(data, row, value)
    return with_class(data, row, value.strip())


def with_text(data: Strings, row: int, text: str) -> Strings:
    """Another text in a row; the row behind the last is a new one, of the class before it."""
    texts = (*data.texts[:row], text, *data.texts[row + 1 :])
    if row < data.n or data.y is None:
        return replace(data, texts=texts)
    return replace(data, texts=texts, y=np.append(data.y, data.y[-1] if data.n else 0))


def with_class(data: Strings, row: int, name: str) -> Strings:
    """Another class for a text."""
    if row >= data.n:
        raise DataError("Type the text first, then its class.")
    if not name:
        raise DataError("A class needs a name.")
    classes = data.classes if name in data.classes else (*data.classes, name)
    if len(classes) > MAX_CLASSES:
        raise DataError(f"At most {MAX_CLASSES} classes can be used.")
    y = np.zeros(data.n, dtype=np.int64) if data.y is None else np.array(data.y)
    y[row] = classes.index(name)
    return replace(data, y=y, classes=classes)
