"""Marks of ordinary plots: curves, bars and lines across."""

from __future__ import annotations

from typing import ClassVar, Literal

from algorithms.data import Array
from algorithms.marks.base import Mark
from algorithms.records import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Curve(Mark):
    """A line through given places in a plot, with an optional band around it; ``quiet`` for an aid to the eye.

    With ``handle`` a place can be clicked, and sets the parameter of that name to its number.
    """

    spaces: ClassVar = ("data", "own")
    x: Array  # (m,)
    y: Array  # (m,)
    name: str = ""
    low: Array | None = None  # (m,)
    high: Array | None = None  # (m,)
    dots: bool = False
    quiet: bool = False
    handle: str = ""
    numbers: Array | None = None  # (m,) int, for the handle


@dataclass(frozen=True, slots=True, eq=False)
class Bundle(Mark):
    """Many curves over the same places, none of them special: fits to data drawn again and again, for example."""

    spaces: ClassVar = ("data", "own")
    x: Array  # (m,)
    y: Array  # (k, m), one curve in each row
    name: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class ReferenceLine(Mark):
    """A straight line across a plot at one value. With ``handle`` it can be dragged and sets that parameter."""

    spaces: ClassVar = ("own",)
    at: float
    name: str = ""
    axis: Literal["x", "y"] = "x"
    handle: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Bars(Mark):
    """A bar chart. ``points`` links a bar to a data point (hovering one lights the other); ``groups`` colours it.

    The group -1 is grey; ``group_names`` say in the legend what the groups 0, 1 ... are.
    """

    spaces: ClassVar = ("own",)
    values: Array  # (m,)
    names: tuple[str, ...] = ()
    points: Array | None = None  # (m,) indices
    groups: Array | None = None  # (m,) int
    limit: float | None = None
    limit_name: str = ""
    group_names: tuple[str, ...] = ()
