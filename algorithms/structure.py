"""What is inside a value: one way through dataclasses, named tuples, tuples, lists and mappings.

Every snapshot is walked through when it is made, to lock its arrays, and again when it is stored, to count its bytes.
So how to look into a type is found out once, and fields that are declared to hold plain numbers and texts are passed
over where only arrays are looked for. A dataclass says in ``__aside__`` which fields only point at something that is
there anyway.
"""

from __future__ import annotations

import dataclasses
import functools
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

_Array = np.ndarray
Known = TypeVar("Known")
Look = Callable[[Any], Iterable[Any]]
"""What is directly inside values of a type."""


def look_into(kind: Any, plain: bool = False) -> Look | None:
    """How to look into values of a type; None for an array. ``plain``: also at fields of plain numbers and texts."""
    if issubclass(kind, np.ndarray):
        return None
    names = _field_names(kind, plain)
    if names:
        return operator.attrgetter(*names, *["__class__"] * (2 - len(names)))  # of one name it would not give a tuple
    if names is not None:
        return _nothing_in
    if issubclass(kind, tuple | list):
        return iter
    return operator.methodcaller("values") if issubclass(kind, Mapping) else _nothing_in


def parts_of(value: Any) -> dict[Any, Any]:
    """What is directly inside a value by the words for where it is."""
    kind: Any = type(value)
    names = _field_names(kind, True)
    if names is not None:
        return {name: getattr(value, name) for name in names}
    if isinstance(value, tuple | list):
        return dict(enumerate(value))
    return dict(value) if isinstance(value, Mapping) else {}


def inside(value: Any) -> Iterable[Any]:
    """The same without the words, and quickly."""
    return _EVERYTHING[type(value)](value)


def _look_at_everything(kind: Any) -> Look:
    names = _field_names(kind, True)
    if names is not None and len(names) > 1:
        return operator.attrgetter(*names)
    if names is None and issubclass(kind, tuple | list):
        return iter
    if names is None and not issubclass(kind, Mapping):
        return _nothing_in
    return lambda value: parts_of(value).values()


@functools.cache
def _field_names(kind: Any, plain: bool) -> tuple[str, ...] | None:
    """The fields of a dataclass or a named tuple, or those that are not plain; None for anything else."""
    if dataclasses.is_dataclass(kind):
        aside = getattr(kind, "__aside__", ())
        declared = {field.name: field.type for field in dataclasses.fields(kind) if field.name not in aside}
    elif hasattr(kind, "_fields"):
        declared = {name: getattr(kind, "__annotations__", {}).get(name, Any) for name in kind._fields}
    else:
        return None
    return tuple(name for name, annotation in declared.items() if plain or not _is_plain(annotation))


def _is_plain(annotation: Any) -> bool:
    """Whether a field so annotated holds numbers and texts only, in which nothing has to be looked for."""
    text = str(getattr(annotation, "__forward_arg__", annotation))
    return text.startswith("Literal[") or set(re.findall(r"\w+", text)) <= _PLAIN


_PLAIN = {"class", "float", "int", "str", "bool", "None", "tuple"}


def _nothing_in(_: Any) -> tuple[()]:
    return ()


def arrays_in(value: Any) -> Iterator[NDArray[Any]]:
    """Every array inside a value, each as often as it occurs."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        look = _LOOKS[type(item)]
        if look is None:
            yield item
        else:
            waiting += reversed(tuple(look(item)))


def frozen(value: Any) -> Any:
    """Lock every array inside, in place, so that an algorithm that later writes into one fails at that line."""
    lock([value])
    return value


def lock(waiting: list[Any]) -> None:
    """The same for several values; what is found inside is added to the list."""
    # This must not cost more than a step; nearly all arrays of a frame have been locked in an earlier one.
    leaves, fixed, locked = _LEAVES, _FIXED, _locked
    for item in waiting:  # it grows on the way
        kind = type(item)
        if kind is _Array:
            item.setflags(False)  # by name it would take four times as long, and to ask first as long
        elif kind not in leaves:
            look = _LOOKS[kind]
            if getattr(kind, "__locked__", False):  # a set of a thousand graphs is not looked through in every frame
                leaves.add(kind)
                continue
            if kind in fixed:
                if id(item) in locked:
                    continue
                locked[id(item)] = item
            if look is None:
                item.setflags(False)
            elif look is _nothing_in:
                leaves.add(kind)
            else:
                waiting += look(item)
    if len(locked) > _MOST_LOCKED:
        locked.clear()


class ByType(dict[type, Known]):
    """Facts about types, each found out once; as quick to look up as a dictionary."""

    def __init__(self, find: Callable[[Any], Known]) -> None:
        self._find = find

    def __missing__(self, kind: type) -> Known:
        return self.setdefault(kind, self._find(kind))


def _look_for_arrays(kind: Any) -> Look | None:
    declaration = getattr(kind, "__dataclass_params__", None)
    if declaration is not None and declaration.frozen:
        _FIXED.add(kind)
    return look_into(kind)


_LOOKS = ByType(_look_for_arrays)
_EVERYTHING = ByType(_look_at_everything)
_FIXED: set[type] = set()
"""Frozen dataclasses: what has been looked into once need not be looked into again."""
_LEAVES: set[type] = {float, int, str, bool, type(None)}
"""Types in which no array can be."""
_MOST_LOCKED = 64
_locked: dict[int, Any] = {}
"""Frozen dataclasses whose arrays were locked lately, so that their numbers are not given to others."""
