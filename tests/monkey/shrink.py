"""From many actions at whose end something goes wrong to few: a tail, and of it only what is needed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Fails = Callable[[list[Any]], bool]
MOST_TRIES = 40


def shortest(actions: list[Any], fails: Fails) -> list[Any]:
    """Few of the actions that still fail: the shortest tail of lengths 1, 2, 4 ..., and of it what cannot be left out.

    All actions where no tail fails, which is so when the failure depends on the moment.
    """
    length = 1
    while length < len(actions) and not fails(actions[-length:]):
        length *= 2
    tail = actions[-length:]
    return tail if len(tail) == len(actions) and not fails(tail) else without_needless(tail, fails)


def without_needless(actions: list[Any], fails: Fails) -> list[Any]:
    """The actions without all pieces, from halves down to single ones, that can be left out; the last one stays."""
    size, tries = len(actions) // 2, 0
    while size and tries < MOST_TRIES:
        start = 0
        while start < len(actions) - 1 and tries < MOST_TRIES:
            rest = actions[:start] + actions[min(start + size, len(actions) - 1) :]
            tries += 1
            if fails(rest):
                actions = rest
            else:
                start += size
        size //= 2
    return actions
