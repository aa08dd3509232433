"""What every kind of data has in common: an immutable value, checked, copied and locked at the door."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from algorithms.maths.words import SentenceError, counted
from algorithms.records import dataclass

Array = NDArray[Any]

MAX_CLASSES = 64
"""More classes than this cannot be told apart on a screen; such a column is a value, not a class."""
MAX_NAME = 200
"""Longer names are cut: they are labels, not texts."""
_NO_LETTER = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
"""Control characters, and halves of letters, which no file can hold."""


class DataError(SentenceError):
    """Data that cannot be used as asked; the message is a full sentence for the user."""


def _nowhere() -> Array:
    return np.empty(0)


@dataclass(frozen=True, slots=True, eq=False)
class Item:
    """One thing that can be pointed at: a point, a node, an edge, a moment of a series, a cell.

    ``number`` says which one it is (two equal rows are two items); -1 is a place that is none of the data. ``x`` is its
    place in the space of the features, where there is one; ``what`` names the sort where a kind has several.
    """

    number: int = -1
    x: Array = field(default_factory=_nowhere)  # (d,)
    what: str = ""


class Data:
    """The protocol of a kind. ``n`` counts its items: points, nodes, moments, rows, texts, graphs."""

    __slots__ = ()
    __locked__: ClassVar[bool] = True  # its arrays are locked when it is made
    kind: ClassVar[str] = ""
    """The name of the kind, in session files and on the command line."""
    item_name: ClassVar[str] = "item"
    """What one of its items is called."""
    invitation: ClassVar[str] = "Open data"
    """What is to be done on a blank board, as the beginning of a sentence."""
    name: str

    @property
    def n(self) -> int:
        """How many items there are."""
        raise NotImplementedError

    @property
    def classes(self) -> tuple[str, ...]:
        """The names of the classes of the items; empty where they have none."""
        return ()

    @property
    def groups(self) -> Array | None:
        """The class of every item (n,), or None."""
        return None

    @property
    def extents(self) -> dict[str, int]:
        """How many there are of what a knob may be a number of (``UpTo``)."""
        return {"items": self.n}

    def arrays(self) -> dict[str, Array]:
        """The numbers, by name: what a file stores. Every array has plain numbers, no objects."""
        raise NotImplementedError

    def facts(self) -> dict[str, Any]:
        """Everything that is not an array, as plain JSON values; with :meth:`arrays` it gives the value again."""
        raise NotImplementedError

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], facts: Mapping[str, Any]) -> Self:
        """The value that :meth:`arrays` and :meth:`facts` describe, checked like any other; or :class:`DataError`."""
        raise NotImplementedError

    @classmethod
    def blank(cls, target: str = "none") -> Self:
        """Nothing yet, to be drawn on; ``target`` is what the method wants of points."""
        raise NotImplementedError

    def item(self, number: int, what: str = "") -> Item:
        """One of the items, by its number."""
        return Item(number, what=what)

    def item_text(self, number: int) -> str:
        """One item in a line of words and numbers, for hovering."""
        return f"{self.item_name} {number + 1}"

    def query(self) -> Any:
        """What ``predict`` is asked about to have an answer for every item: the rows of points, else the data."""
        return self

    def columns(self) -> dict[str, list[Any]]:
        """The items as a table, column by column: plain numbers and texts."""
        return {self.item_name: list(range(1, self.n + 1))}

    def about(self) -> dict[str, Any]:
        """What kind of data these are and how many, as plain values, for files that describe a run."""
        return {"kind": self.kind, self.item_name + "s": self.n, "classes": list(self.classes)}

    def counted(self) -> str:
        """How much there is, in words: ``300 points``."""
        return counted(self.n, self.item_name)

    @property
    def sha256(self) -> str:
        """A fingerprint of everything but the name of the data set."""
        facts = {key: value for key, value in self.facts().items() if key != "name"}
        digest = hashlib.sha256(json.dumps([self.kind, facts], sort_keys=True).encode())
        for key, array in sorted(self.arrays().items()):
            digest.update(f"{key} {array.dtype.str} {array.shape}".encode())
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()

    def renamed(self, name: str) -> Self:
        """The same data under another name."""
        return replace(self, name=name)  # type: ignore[type-var]


def locked(array: Array) -> Array:
    """The array, which nobody may write into any more."""
    array.flags.writeable = False
    return array


def column_of(values: ArrayLike, what: str) -> Array:
    """The values as an array of whatever type they have, or a :class:`DataError`; texts are texts, also as objects."""
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise DataError(f"The {what} must be a list, or rows of equal length.") from error
    is_text = array.dtype.kind == "O" and array.size > 0 and all(isinstance(value, str) for value in array.flat)
    return array.astype(str) if is_text else array


def listed(values: Any, what: str) -> tuple[Any, ...]:
    """The things in a list, or a :class:`DataError` where it is none."""
    try:
        return tuple(values)
    except TypeError as error:
        raise DataError(f"The {what} must be a list.") from error


def numbers(values: ArrayLike, what: str, ndim: int) -> Array:
    """A locked copy of finite numbers with so many dimensions, or a :class:`DataError` that says what is wrong."""
    try:
        array = np.array(values, dtype=np.float64, copy=True, order="C")
    except (TypeError, ValueError) as error:
        raise DataError(f"The {what} must all be numbers.") from error
    if array.ndim != ndim:
        raise DataError(f"The {what} must have {ndim} dimensions; got {array.ndim}.")
    if not np.isfinite(array).all():
        raise DataError(f"The {what} must be finite numbers.")
    return locked(array)


def whole_numbers(values: ArrayLike, what: str, shape: tuple[int, ...], low: int, high: int) -> Array:
    """A locked copy of whole numbers from ``low`` to below ``high``; -1 in ``shape`` stands for any length."""
    array = column_of(values, what)
    if array.size == 0:
        array = array.reshape([0 if side < 0 else side for side in shape]).astype(np.int64)
    fits = array.ndim == len(shape) and all(want in (-1, got) for want, got in zip(shape, array.shape))
    if not fits:
        raise DataError(f"The {what} have the shape {array.shape}.")
    whole = array.dtype.kind == "f" and np.isfinite(array).all() and (array == np.rint(array)).all()
    if not whole and array.dtype.kind not in "iu":
        raise DataError(f"The {what} must be whole numbers.")
    if array.size and (array.min() < low or array.max() >= high):
        raise DataError(f"The {what} must lie between {low} and {high - 1}.")
    return locked(np.array(array, dtype=np.int64, copy=True))


def label(name: Any) -> str:
    """A name as it can be shown in a line and written to a file, whoever has thought of it."""
    text = str(name)[:MAX_NAME]
    return text if text.isprintable() else _NO_LETTER.sub(" ", text)


def labels(names: Iterable[Any]) -> tuple[str, ...]:
    """The same of several, or a :class:`DataError` where they are no list."""
    return tuple(label(name) for name in listed(names, "names"))


def names_of(given: Any, count: int, noun: str) -> tuple[str, ...]:
    """The names of ``count`` things: those given, or none at all."""
    found = labels(given)
    if found and len(found) != count:
        raise DataError(f"There are {counted(count, noun)} but {len(found)} names.")
    return found


def levels_of(y: ArrayLike, n: int, noun: str) -> tuple[tuple[str, ...], Array]:
    """Class labels of any sort as names and numbers (n,)."""
    column = column_of(y, "classes")
    if column.shape != (n,):
        raise DataError(f"The classes have the shape {column.shape}; {counted(n, noun)} need ({n},).")
    if column.dtype.kind == "f" and not np.isfinite(column).all():
        raise DataError(f"The class of row {int(np.argmin(np.isfinite(column))) + 1} is missing.")
    try:
        levels, places = np.unique(column, return_inverse=True)
    except TypeError as error:
        raise DataError("The classes mix text and numbers; make them one or the other.") from error
    if len(levels) > MAX_CLASSES:
        raise DataError(f"The target has {len(levels)} different values; at most {MAX_CLASSES} classes can be shown.")
    return labels(map(_level_text, levels)), np.asarray(places, dtype=np.int64).reshape(-1)


def _level_text(level: Any) -> str:
    if isinstance(level, float | np.floating) and float(level).is_integer():
        return str(int(level))
    return str(level)


def texts_in(facts: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """A list of texts from a file, or :class:`DataError`."""
    found = facts.get(key, [])
    if not isinstance(found, list) or not all(isinstance(text, str) for text in found):
        raise DataError(f"The {key} are not a list of texts.")
    return tuple(found)


def text_in(facts: Mapping[str, Any], key: str, default: str = "") -> str:
    """A text from a file, or :class:`DataError`."""
    found = facts.get(key, default)
    if not isinstance(found, str):
        raise DataError(f"The {key} is not a text.")
    return found


def array_in(arrays: Mapping[str, Array], key: str) -> Array:
    """An array from a file, or :class:`DataError`."""
    if key not in arrays:
        raise DataError(f"The numbers {key!r} are missing.")
    return arrays[key]
