"""Counting memory, with everything that is shared counted once.

Two frames of a run usually share most of their arrays (the data, the labels that did not change), and two documents in
the undo stack share the whole data set. A plain sum of sizes would call that memory spent twice and throw frames
away for nothing; this meter counts references the way Python itself does.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

ENTRY_OVERHEAD = 200
"""What the meter itself spends on one counted object: a record, a list and a place in a dictionary."""

_FIELDS: dict[type, tuple[str, ...]] = {}
_FREE = (int, float, bool, type(None), type, np.generic)
"""Numbers and types: too small, or shared by the whole program, to be worth an entry."""


class MemoryMeter:
    """Counts the bytes held by values: dataclasses, containers, texts and the arrays inside them.

    An object that is already counted is not looked into again, so adding a frame costs time only for what is new in it.
    A view counts its whole base, because that is what it keeps alive.
    """

    def __init__(self) -> None:
        self._entries: dict[int, list[Any]] = {}  # id -> [object, references, bytes, children]
        self._nbytes = 0

    @property
    def nbytes(self) -> int:
        """The bytes held by everything that was added and not removed."""
        return self._nbytes

    def add(self, value: Any) -> None:
        """Count one more reference to the value."""
        entries = self._entries
        waiting = [value]
        while waiting:
            item = waiting.pop()
            if isinstance(item, _FREE):
                continue
            entry = entries.get(id(item))
            if entry is not None:
                entry[1] += 1
                continue
            size, children = _size_and_children(item)
            # The entry holds the object, so that its id cannot be given to another one while it is counted, and the
            # children as they were, so that removing takes away exactly what adding has counted.
            entries[id(item)] = [item, 1, size, children]
            self._nbytes += size
            waiting.extend(children)

    def remove(self, value: Any) -> None:
        """Count one reference less; what nobody refers to any more is no longer counted."""
        entries = self._entries
        waiting = [value]
        while waiting:
            item = waiting.pop()
            if isinstance(item, _FREE):
                continue
            entry = entries[id(item)]
            entry[1] -= 1
            if entry[1] == 0:
                del entries[id(item)]
                self._nbytes -= entry[2]
                waiting.extend(entry[3])


def _size_and_children(item: Any) -> tuple[int, tuple[Any, ...]]:
    if isinstance(item, np.ndarray):
        owner = _owner(item)
        if owner is item:
            return item.nbytes + ENTRY_OVERHEAD, ()
        return ENTRY_OVERHEAD, (owner,)
    size = sys.getsizeof(item) + ENTRY_OVERHEAD
    if isinstance(item, str | bytes):
        return size, ()
    if isinstance(item, tuple | list | set | frozenset):
        return size, tuple(item)
    if isinstance(item, Mapping):
        return size, tuple(item.values())
    if dataclasses.is_dataclass(item):
        return size, tuple(getattr(item, name) for name in _field_names(type(item)))
    return size, ()


def _owner(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The array that owns the memory this one looks into."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _field_names(kind: type) -> tuple[str, ...]:
    names = _FIELDS.get(kind)
    if names is None:
        names = _FIELDS[kind] = tuple(field.name for field in dataclasses.fields(kind))
    return names
