"""Finding the algorithms: every module of a family package that defines ``ALGORITHM``. There is no list to edit."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Iterable, Iterator
from types import ModuleType

import algorithms
from algorithms.contract import Algorithm
from algorithms.maths.words import readable
from algorithms.search import nearest

SHARED = ("data", "marks", "maths", "params")
"""Packages beside the families that hold no methods."""


class UnknownAlgorithm(KeyError):
    """No algorithm has this key; the message is a full sentence."""

    def __str__(self) -> str:
        return str(self.args[0])


@functools.cache
def all_algorithms() -> tuple[Algorithm, ...]:
    """All algorithms, by family and then in the order of their titles."""
    return methods_of(modules())


def methods_of(imported: Iterable[ModuleType]) -> tuple[Algorithm, ...]:
    """The algorithms of these modules, by family and then in the order of their titles."""
    found = (module.ALGORITHM for module in imported if hasattr(module, "ALGORITHM"))
    return tuple(sorted(found, key=lambda algorithm: (algorithm.family, algorithm.title.lower())))


@functools.cache
def families() -> tuple[str, ...]:
    """The families: every package of algorithms, in alphabetical order, except those that all methods share."""
    packages = (item.name for item in pkgutil.iter_modules(algorithms.__path__) if item.ispkg)
    return tuple(sorted(name for name in packages if name not in SHARED and not name.startswith("_")))


def find(key: str) -> Algorithm:
    """The algorithm with this key, or :class:`UnknownAlgorithm` with the nearest names as a suggestion.

    The others are not imported where the module has the name of the key: a start waits for one method, not for all.
    """
    named = _named(key)
    if named is not None:
        return named
    by_key = {algorithm.key: algorithm for algorithm in all_algorithms()}
    if key in by_key:
        return by_key[key]
    *others, last = map(repr, nearest(key[:80], all_algorithms()))
    names = f"{', '.join(others)} or {last}" if others else last
    raise UnknownAlgorithm(readable(f"There is no algorithm {key!r}; did you mean {names}?"))


@functools.cache
def _named(key: str) -> Algorithm | None:
    """The algorithm whose module is called like its key, if there is one."""
    if not key.isidentifier() or key.startswith("_"):
        return None
    for family in families():
        package = importlib.import_module(f"algorithms.{family}")
        if any(item.name == key for item in pkgutil.iter_modules(package.__path__)):
            found = getattr(importlib.import_module(f"algorithms.{family}.{key}"), "ALGORITHM", None)
            if found is not None and found.key == key:
                return found
    return None


def modules() -> Iterator[ModuleType]:
    """The modules two levels down: ``algorithms.<family>.<algorithm>``, except ``_helpers``; imported one by one."""
    for family in families():
        package = importlib.import_module(f"algorithms.{family}")
        for item in pkgutil.iter_modules(package.__path__, f"algorithms.{family}."):
            if not item.name.rpartition(".")[2].startswith("_"):
                yield importlib.import_module(item.name)
