"""Counting memory, with everything that is shared counted once.

Two frames of a run usually share most of their arrays (the data, the labels that did not change), and two documents in
the undo stack share the whole data set. A plain sum of sizes would call that memory spent twice and throw frames
away for nothing; this meter counts references the way Python itself does.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from algorithms.structure import ByType, look_into

ENTRY_OVERHEAD = 200
"""What the meter itself spends on one counted object: a record, a list and a place in a dictionary."""

Children = Callable[[Any], tuple[Any, ...]]
"""What an object of some type refers to; ``None`` instead of it means that the type is not worth an entry."""
_FREE = (int, float, complex, type(None), type, np.generic)
"""Numbers and types: too small, or shared by the whole program."""


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
            children_of = _CHILDREN[type(item)]
            if children_of is None:
                continue
            entry = entries.get(id(item))
            if entry is not None:
                entry[1] += 1
                continue
            children = children_of(item)
            size = _size(item) + ENTRY_OVERHEAD
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
            if _CHILDREN[type(item)] is None:
                continue
            entry = entries[id(item)]
            entry[1] -= 1
            if entry[1] == 0:
                del entries[id(item)]
                self._nbytes -= entry[2]
                waiting.extend(entry[3])


def _size(item: Any) -> int:
    if isinstance(item, np.ndarray):
        return 0 if isinstance(item.base, np.ndarray) else item.nbytes
    return sys.getsizeof(item)


def _children_of(kind: Any) -> Children | None:
    if issubclass(kind, _FREE):
        return None
    if issubclass(kind, set | frozenset):
        return tuple
    look = look_into(kind, plain=True)
    return _owner if look is None else lambda item: tuple(look(item))


def _owner(array: np.ndarray[Any, Any]) -> tuple[Any, ...]:
    """The array that owns the memory, when this one only looks into it."""
    owner = array
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    return () if owner is array else (owner,)


_CHILDREN = ByType(_children_of)
"""Appending a frame must cost little."""
