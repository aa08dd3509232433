"""Marks about the data points themselves: their groups, weights, looks and neighbours, wherever they are drawn."""

from __future__ import annotations

from typing import ClassVar, Literal

from algorithms.data import Array
from algorithms.marks.base import Mark
from algorithms.records import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Assignment(Mark):
    """Each point belongs to one group (or to none: -1)."""

    spaces: ClassVar = ("data",)
    labels: Array  # (n,) int


@dataclass(frozen=True, slots=True, eq=False)
class SoftAssignment(Mark):
    """Each point belongs to several groups by degrees; drawn as a mix of the groups' colours."""

    spaces: ClassVar = ("data",)
    weights: Array  # (n, k), rows sum to 1


@dataclass(frozen=True, slots=True, eq=False)
class PointSizes(Mark):
    """A non-negative weight of every point, shown as the size of a halo around it.

    The largest weight has the largest halo, unless it is less than ``largest``: then sizes can be compared from frame
    to frame.
    """

    spaces: ClassVar = ("data",)
    weights: Array  # (n,)
    name: str = "weight"
    largest: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Highlight(Mark):
    """Points that matter now, ringed according to their role."""

    spaces: ClassVar = ("data",)
    points: Array  # (m,) indices
    role: Literal["changed", "chosen", "free", "bound"] = "chosen"
    name: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class HeldOut(Mark):
    """Points that nothing is learned from: they are drawn hollow."""

    spaces: ClassVar = ("data",)
    points: Array  # (m,) indices
    name: str = "held out"


@dataclass(frozen=True, slots=True, eq=False)
class Hulls(Mark):
    """An outline around each of some sets of data points."""

    spaces: ClassVar = ("data",)
    sets: tuple[Array, ...]  # each (m,) indices
    name: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Scatter(Mark):
    """Data points at other places than in the plane, such as in a map: in the looks that they have everywhere.

    With ``partners`` each dot is a pair of points, drawn small and round; either of them lights it.
    """

    spaces: ClassVar = ("own", "none")
    at: Array  # (m, 2)
    points: Array | None = None  # (m,) indices; without it, row i is point i
    groups: Array | None = None  # (m,) int, colours them in place of their class
    partners: Array | None = None  # (m,) indices of the second points
    values: Array | None = None  # (m,) shown as colours
    values_name: str = ""
    path: Array | None = None  # (p,) int, rows to be joined by a line
    equal: bool = False  # one scale on both axes, where distances are to be compared
    x: str = ""  # names of the axes, where the panel's own do not fit
    y: str = ""
    names: tuple[str, ...] = ()  # (m,) written beside the points


@dataclass(frozen=True, slots=True, eq=False)
class Spans(Mark):
    """Pieces of texts that are lit: the characters from ``start`` to before ``end``, in the colour of a group.

    Pieces may overlap. ``strengths`` between 0 and 1 say how strongly each is lit.
    """

    spaces: ClassVar = ("data",)
    texts: Array  # (m,) int, the text of each piece
    start: Array  # (m,) int
    end: Array  # (m,) int
    groups: Array | None = None  # (m,) int; without them, and for -1, all are lit alike
    strengths: Array | None = None  # (m,)
    name: str = ""  # for the legend, where there are no groups
    group_names: tuple[str, ...] = ()
