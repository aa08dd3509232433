"""Marks of many members that decide together."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol

from algorithms.data import Array
from algorithms.marks.base import Mark
from algorithms.records import dataclass


class Members(Protocol):
    """The members of an ensemble: a frozen value, so that the frames of a run can share what is in it."""

    def __len__(self) -> int:
        """How many there are."""
        ...

    def answers(self, number: int, X: Array, /) -> Array:
        """What one of them alone answers for every row (m, d): class numbers (m,), or values (m,)."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Multiples(Mark):
    """Small planes side by side, one for each member of an ensemble: what it alone answers all over the plane.

    They stand in the order of their numbers, as many as there are, and can be scrolled; the newest is also shown large,
    or the one that is clicked. A plane is made when it is seen. ``run`` is the same object in all frames of a run, in
    which a member with the same number is the same one: its plane is then kept.
    """

    spaces: ClassVar = ("none",)
    members: Members
    run: Any
    name: str = "tree"  # of one of them
    weights: tuple[Array, ...] = ()  # (b, n) each, member after member: how much each point counts there, 0 for not
    weights_note: str = ""  # what the size of a point means in the large plane, and that it is hollow
    numbers: Array | None = None  # (count,) one for each member, written below its plane
    numbers_name: str = ""
