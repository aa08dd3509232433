"""Marks with a place and a form: centres, lines, boxes, outlines and the paths of things."""

from __future__ import annotations

from typing import ClassVar, Literal

from algorithms.data import Array
from algorithms.marks.base import Mark
from algorithms.records import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Centres(Mark):
    """A representative of each group. With ``handle`` they can be dragged and set the parameter of that name."""

    spaces: ClassVar = ("data", "own")
    at: Array  # (k, d)
    handle: str = ""
    name: str = "centre"


@dataclass(frozen=True, slots=True, eq=False)
class Trail(Mark):
    """Where things have been: one path per thing, oldest position first."""

    spaces: ClassVar = ("data", "own")
    at: Array  # (steps, k, d)


@dataclass(frozen=True, slots=True, eq=False)
class Ellipses(Mark):
    """Gaussian components, each with an outline at so many standard deviations; over one feature they are bells."""

    spaces: ClassVar = ("data", "own")
    means: Array  # (k, d)
    covariances: Array  # (k, d, d)
    weights: Array  # (k,), sum to 1
    deviations: tuple[float, ...] = (1.0, 2.0)
    whole: str = "component"  # what an outline holds a part of, for the legend


@dataclass(frozen=True, slots=True, eq=False)
class Segments(Mark):
    """Straight pieces between two ends: residuals, slacks, edges, links, axes.

    With ``weights`` the larger ones are thicker, and those below zero have another colour; without a name they are then
    not in the legend.
    """

    spaces: ClassVar = ("data", "own", "none")
    start: Array  # (m, d)
    end: Array  # (m, d)
    role: Literal["slack", "residual", "edge", "link", "axis"] = "link"
    points: Array | None = None  # (m,) the data point each piece belongs to
    name: str = ""  # for the legend; the role where it is empty
    weights: Array | None = None  # (m,)


@dataclass(frozen=True, slots=True, eq=False)
class Dots(Mark):
    """Places that are no data points: estimates, or targets drawn anew. Grey, or in the colours of their groups.

    Places that are ``known`` beforehand, such as a minimum or the truth, are stars.
    """

    spaces: ClassVar = ("data", "own")
    at: Array  # (k, 2)
    name: str = ""
    group: int = -1  # of all of them
    groups: Array | None = None  # (k,) int, of each
    known: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Polygons(Mark):
    """Closed outlines through given corners: a circle around a query, a hull, a cell. Grey, or coloured by group."""

    spaces: ClassVar = ("data", "own")
    corners: tuple[Array, ...]  # each (p, d), in order around the outline
    groups: Array | None = None  # (k,) int, -1 is grey
    filled: bool = False
    dashed: bool = False
    name: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class DividingLine(Mark):
    """The line of all x with <normal, x> = offset, drawn across the whole plane of two features.

    An arrow along the normal shows the positive side. ``margins`` are parallel dashed lines at these signed distances.
    With ``handles`` (angle, offset) the tip of the arrow can be dragged and sets the first parameter to the angle of
    the normal in degrees, and the line can be dragged and sets the second one to its signed distance from ``origin``,
    the place about which it turns.
    """

    spaces: ClassVar = ("data",)
    normal: Array  # (2,) of any length but zero
    offset: float
    margins: tuple[float, ...] = ()
    handles: tuple[str, ...] = ()
    origin: Array | None = None  # (2,), zero without it
    name: str = "decision line"


@dataclass(frozen=True, slots=True, eq=False)
class TurningAxis(Mark):
    """A piece of a line through ``origin`` in the plane of two features, whose ends can be dragged.

    That sets the parameter ``handle`` to its angle in degrees, from 0 to 180, where each feature is measured in its
    own unit ``scale``. The line goes on beyond its ends, up to ``stretch`` times as far.
    """

    spaces: ClassVar = ("data",)
    at: Array  # (2, 2) the ends
    origin: Array  # (2,)
    scale: Array  # (2,) positive
    handle: str = ""
    name: str = "axis"
    stretch: float = 1.0


OPEN = 1.7976931348623157e308
"""The bound of a rectangle that goes on for ever: the largest number, because marks hold finite ones only."""


@dataclass(frozen=True, slots=True, eq=False)
class Rectangles(Mark):
    """Boxes that part the space of the features, such as the leaves of a tree.

    ``owner`` links them to the data: hovering one lights its points, and a point its box. ``active`` are the boxes
    of this step; a ``cut`` (feature, value) runs across them, as a proposal when it is one box and settled when it is
    the two parts; without an active box it runs across all of them.
    """

    spaces: ClassVar = ("data",)
    low: Array  # (m, d), -OPEN for no bound
    high: Array  # (m, d), OPEN for no bound
    groups: Array | None = None  # (m,) int, colours the box
    strengths: Array | None = None  # (m,) from 0 to 1, how sure the colour is
    owner: Array | None = None  # (n,) the box each data point lies in
    active: tuple[int, ...] = ()
    cut: tuple[int, float] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Squares(Mark):
    """The squares of residuals over one feature: each stands on the upright piece from ``start`` to ``end``."""

    spaces: ClassVar = ("data", "own")
    x: Array  # (m,)
    start: Array  # (m,) the targets
    end: Array  # (m,) the values of the fit
    points: Array | None = None  # (m,) the data point each square belongs to


@dataclass(frozen=True, slots=True, eq=False)
class Paths(Mark):
    """Ways of several walkers over a surface, each place a dot and the last one a disc; the names are listed."""

    spaces: ClassVar = ("own",)
    at: Array  # (steps, k, 2), oldest place first
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Arrows(Mark):
    """Ingredients of a step: what pulls (``force``), what is remembered (``memory``), and the ``step`` that results."""

    spaces: ClassVar = ("data", "own")
    start: Array  # (m, 2)
    end: Array  # (m, 2)
    roles: tuple[Literal["force", "memory", "step"], ...]
    names: tuple[str, ...]
