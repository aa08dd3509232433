"""What is known about a large table that nobody can change: found out once, and forgotten when the table goes."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Generic, TypeVar

from algorithms.data.kind import Array

Known = TypeVar("Known")


class Remembered(Generic[Known]):
    """One fact about each table. A table into which somebody could still write is looked at anew every time."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[weakref.ref[Array], object, Known]] = {}

    def of(self, table: Array, find: Callable[[], Known], about: object = None) -> Known:
        """What ``find`` says about the table and ``about``, an equal value of which has the same answer."""
        number = id(table)
        known = self._known.get(number)
        if known is not None and known[0]() is table and known[1] == about:
            return known[2]
        found = find()
        if not table.flags.writeable and table.base is None:
            forget = self._known.pop  # before the number can be given to another table
            self._known[number] = weakref.ref(table, lambda _: forget(number, None)), about, found
        return found
