"""The drawing vocabulary: what is to be seen, in data coordinates, without colours, pixels or widgets.

An algorithm says *what* (an assignment, centres, a margin); ``mlviz/views/renderers`` decides how. Adding a kind of
picture means adding a mark here and one renderer there; a test asserts that every mark has one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from algorithms.dataset import Array


@dataclass(frozen=True, slots=True, eq=False)
class Mark:
    """The base of all marks; it only serves to find them."""


@dataclass(frozen=True, slots=True, eq=False)
class Assignment(Mark):
    """Each point belongs to one group (or to none: -1). ``changed`` are the points that have just moved over."""

    labels: Array  # (n,) int
    changed: Array | None = None  # (m,) indices


@dataclass(frozen=True, slots=True, eq=False)
class SoftAssignment(Mark):
    """Each point belongs to several groups by degrees; drawn as a mix of the groups' colours."""

    weights: Array  # (n, k), rows sum to 1


@dataclass(frozen=True, slots=True, eq=False)
class PointSizes(Mark):
    """A non-negative weight of every point, shown as the size of a halo around it."""

    weights: Array  # (n,)
    name: str = "weight"


@dataclass(frozen=True, slots=True, eq=False)
class Centres(Mark):
    """A representative of each group. With ``handle`` they can be dragged and set the parameter of that name."""

    at: Array  # (k, d)
    handle: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Trail(Mark):
    """Where things have been: one path per thing, oldest position first."""

    at: Array  # (steps, k, d)


@dataclass(frozen=True, slots=True, eq=False)
class Ellipses(Mark):
    """Gaussian ellipses, one for each mean and each probability mass in ``masses``."""

    means: Array  # (k, d)
    covariances: Array  # (k, d, d)
    weights: Array  # (k,), sum to 1
    masses: tuple[float, ...] = (0.3935, 0.8647)


@dataclass(frozen=True, slots=True, eq=False)
class Regions(Mark):
    """The plane shaded by this snapshot's model.

    ``classes`` colours by ``predict``; ``probability`` mixes the class colours by ``field`` (columns sum to 1, or one
    column for the second class); ``signed`` shades a decision value around zero; ``density`` shades a
    non-negative height; ``value`` a real one.
    """

    kind: Literal["classes", "probability", "signed", "density", "value"] = "classes"


@dataclass(frozen=True, slots=True, eq=False)
class Isolines(Mark):
    """Contours of ``field``: the strong one first in meaning (decision line), the weak ones dashed (margins).

    When ``field`` has several columns the strong line is where the best class changes.
    """

    strong: tuple[float, ...] = (0.0,)
    weak: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Segments(Mark):
    """Straight pieces between two ends: residuals, slacks, edges, links."""

    start: Array  # (m, d)
    end: Array  # (m, d)
    role: Literal["slack", "residual", "edge", "link"] = "link"
    points: Array | None = None  # (m,) the data point each piece belongs to


@dataclass(frozen=True, slots=True, eq=False)
class Curve(Mark):
    """A line through given places in a plot, with an optional band around it."""

    x: Array  # (m,)
    y: Array  # (m,)
    name: str = ""
    low: Array | None = None  # (m,)
    high: Array | None = None  # (m,)
    dots: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Rule(Mark):
    """A straight line across a plot at one value. With ``handle`` it can be dragged and sets that parameter."""

    at: float
    name: str = ""
    axis: Literal["x", "y"] = "x"
    handle: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Highlight(Mark):
    """Points that matter now, ringed according to their role."""

    points: Array  # (m,) indices
    role: Literal["changed", "chosen", "free", "bound"] = "chosen"
    name: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Bars(Mark):
    """A bar chart. ``points`` links a bar to a data point (hovering one lights the other); ``groups`` colours it."""

    values: Array  # (m,)
    names: tuple[str, ...] = ()
    points: Array | None = None  # (m,) indices
    groups: Array | None = None  # (m,) int
    limit: float | None = None
    limit_name: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Extent(Mark):
    """What part of a ``surface`` panel to show when it first appears."""

    left: float
    right: float
    bottom: float
    top: float


def mark_types() -> tuple[type[Mark], ...]:
    """Every kind of mark there is."""
    # not Mark.__subclasses__(): a dataclass with slots is a second class, and the first lives on for a while
    return tuple(m for m in globals().values() if isinstance(m, type) and issubclass(m, Mark) and m is not Mark)
