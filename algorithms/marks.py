"""The drawing vocabulary: what is to be seen, in data coordinates, without colours, pixels or widgets.

An algorithm says *what* (an assignment, centres, a margin); ``mlviz/views/renderers`` decides how. Adding a kind of
picture means adding a mark here and one renderer there; a test asserts that every mark has one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from algorithms.data import Array

Space = Literal["data", "own", "none"]
"""Where marks stand: in the picture of the data, on axes of their own, or in a diagram without axes."""


@dataclass(frozen=True, slots=True, eq=False)
class Mark:
    """The base of all marks. Each says in the panels of which ``spaces`` it has a meaning."""

    spaces: ClassVar[tuple[Space, ...]] = ()


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
    """A non-negative weight of every point, shown as the size of a halo around it."""

    spaces: ClassVar = ("data",)
    weights: Array  # (n,)
    name: str = "weight"


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


@dataclass(frozen=True, slots=True, eq=False)
class Regions(Mark):
    """The plane shaded by this snapshot's model.

    ``classes`` colours by ``predict``; ``probability`` mixes the class colours by ``field`` (columns sum to 1, or one
    column for the second class); ``signed`` shades a decision value around zero; ``density`` shades a
    non-negative height; ``value`` a real one, by its logarithm above the lowest place where ``log`` is set, so that the
    floor of a steep valley is seen. ``votes`` colours by the largest column of ``field``, in which whole
    numbers are votes and what is less than a half breaks a tie: hatched where the first two columns have as many votes.
    """

    spaces: ClassVar = ("data", "own")
    kind: Literal["classes", "probability", "signed", "density", "value", "votes"] = "classes"
    log: bool = False
    names: tuple[str, ...] = ()  # of the classes, to be listed


@dataclass(frozen=True, slots=True, eq=False)
class Isolines(Mark):
    """Contours of ``field``: the strong one first in meaning (decision line), the weak ones dashed (``weak_name``).

    When ``field`` has several columns the strong line is where the best class changes. ``fine`` are the thin lines of a
    map, all of them called ``fine_name``.
    """

    spaces: ClassVar = ("data", "own")
    strong: tuple[float, ...] = (0.0,)
    weak: tuple[float, ...] = ()
    fine: tuple[float, ...] = ()
    fine_name: str = "equal height"
    weak_name: str = "margin"


@dataclass(frozen=True, slots=True, eq=False)
class Segments(Mark):
    """Straight pieces between two ends: residuals, slacks, edges, links, axes."""

    spaces: ClassVar = ("data", "own")
    start: Array  # (m, d)
    end: Array  # (m, d)
    role: Literal["slack", "residual", "edge", "link", "axis"] = "link"
    points: Array | None = None  # (m,) the data point each piece belongs to
    name: str = ""  # for the legend; the role where it is empty


@dataclass(frozen=True, slots=True, eq=False)
class Curve(Mark):
    """A line through given places in a plot, with an optional band around it; ``quiet`` for an aid to the eye."""

    spaces: ClassVar = ("data", "own")
    x: Array  # (m,)
    y: Array  # (m,)
    name: str = ""
    low: Array | None = None  # (m,)
    high: Array | None = None  # (m,)
    dots: bool = False
    quiet: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Bundle(Mark):
    """Many curves over the same places, none of them special: fits to data drawn again and again, for example."""

    spaces: ClassVar = ("data", "own")
    x: Array  # (m,)
    y: Array  # (k, m), one curve in each row
    name: str = ""


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
class ReferenceLine(Mark):
    """A straight line across a plot at one value. With ``handle`` it can be dragged and sets that parameter."""

    spaces: ClassVar = ("own",)
    at: float
    name: str = ""
    axis: Literal["x", "y"] = "x"
    handle: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Highlight(Mark):
    """Points that matter now, ringed according to their role."""

    spaces: ClassVar = ("data",)
    points: Array  # (m,) indices
    role: Literal["changed", "chosen", "free", "bound"] = "chosen"
    name: str = ""


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


@dataclass(frozen=True, slots=True, eq=False)
class Extent(Mark):
    """What part of a ``surface`` panel to show when it first appears; ``equal``: one scale on both axes.

    ``names`` are written on the axes instead of those of the panel, which do not know what is on them.
    """

    spaces: ClassVar = ("own",)
    left: float
    right: float
    bottom: float
    top: float
    equal: bool = False
    names: tuple[str, str] | None = None


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


@dataclass(frozen=True, slots=True, eq=False)
class Hulls(Mark):
    """An outline around each of some sets of data points."""

    spaces: ClassVar = ("data",)
    sets: tuple[Array, ...]  # each (m,) indices
    name: str = ""


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
class Dendrogram(Mark):
    """A tree of merges, grown as far as the first ``count`` of them, with a cut into ``k`` clusters.

    Leaves are the nodes 0 .. m and merge ``i`` makes node m + 1 + i. All arrays belong to the whole tree, so that the
    frames of a run share them. With ``handle`` the cut can be dragged and sets the parameter of that name to the number
    of clusters at the new height, at most ``most``.
    """

    spaces: ClassVar = ("own",)
    children: Array  # (m, 2) int
    heights: Array  # (m,) never falling
    order: Array  # (m + 1,) the leaves from left to right
    groups: Array  # (m + 1,) int, the cluster of each leaf at the cut
    leaf_of: Array  # (n,) the leaf in which each data point lies
    count: int
    k: int
    cut: float
    merging: bool = False  # the last of the ``count`` merges happens now
    handle: str = ""
    most: int = 100


@dataclass(frozen=True, slots=True, eq=False)
class NetworkDiagram(Mark):
    """A layered network: edges by sign and size of their weight, and what every unit says all over the plane.

    ``maps`` holds the units layer after layer, inputs first, each scaled by its own largest size. A unit whose
    ``groups`` is not -1 is the probability of that class. Layers may show only their first units; ``omitted`` counts
    the others.
    """

    spaces: ClassVar = ("none",)
    weights: tuple[Array, ...]  # for each pair of layers (shown units before, shown units)
    maps: Array  # (units, side, side) int8 from -127 to 127, row 0 at the lower edge
    extent: tuple[float, float, float, float]  # what the maps cover: left, right, bottom, top
    names: tuple[tuple[str, ...], ...]  # for each layer, the name of each shown unit or nothing
    titles: tuple[str, ...]  # for each layer
    groups: Array  # (units,) int
    omitted: tuple[int, ...]  # for each layer
    dropped: Array | None = None  # (units,) bool: switched off by dropout
    edges_name: str = "weight"  # what the edges show


OPEN = 1.7976931348623157e308
"""The bound of a rectangle that goes on for ever: the largest number, because marks hold finite ones only."""


@dataclass(frozen=True, slots=True, eq=False)
class Rectangles(Mark):
    """Boxes that part the space of the features, such as the leaves of a tree.

    ``owner`` links them to the data: hovering one lights its points, and a point its box. ``active`` are the boxes
    of this step; a ``cut`` (feature, value) runs across them, as a proposal when it is one box and settled when it is
    the two parts.
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
class TreeDiagram(Mark):
    """A tree of decisions. Node 0 is the root; children stand in the order of their numbers, left to right.

    ``owner`` is the node in which each data point ends: hovering a node lights the points below it; for a single
    point its whole path is lit, with its value of the feature that each node asks for.
    """

    spaces: ClassVar = ("none",)
    parent: Array  # (m,) int, -1 for the root
    texts: tuple[str, ...]  # (m,) the question of an inner node, the answer of a leaf
    counts: Array  # (m,) int
    shares: Array | None = None  # (m, c) the mix of classes in a node
    groups: Array | None = None  # (m,) int, colours a leaf
    values: Array | None = None  # (m,) the mean of a node, colours it where the target is a value
    features: Array | None = None  # (m,) int, the feature a node asks for, -1 for a leaf
    thresholds: Array | None = None  # (m,) smaller values go to the first child
    owner: Array | None = None  # (n,)
    active: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Squares(Mark):
    """The squares of residuals over one feature: each stands on the upright piece from ``start`` to ``end``."""

    spaces: ClassVar = ("data", "own")
    x: Array  # (m,)
    start: Array  # (m,) the targets
    end: Array  # (m,) the values of the fit
    points: Array | None = None  # (m,) the data point each square belongs to


@dataclass(frozen=True, slots=True, eq=False)
class Scatter(Mark):
    """Data points at other places than in the plane, such as in a map: in the looks that they have everywhere.

    With ``partners`` each dot is a pair of points, drawn small and round; either of them lights it.
    """

    spaces: ClassVar = ("own",)
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
class Cloud3D(Mark):
    """Points in space, seen from a side that the user turns to; optionally joined by edges, with one path among them.

    Edges, path and chord speak of rows of ``at``, and ``points`` says which data point a row is (without it, row i is
    point i). The last ``fresh`` edges are new in this frame; ``suspects`` are edges to be doubted; ``left_out`` are
    rows that take no part. The ``chord`` is the straight line that the path is drawn against; with ``handles`` its two
    ends can be dragged to other points and set the parameters of these names to the point's number, counted from 1.
    ``corners`` are further rows, after those of ``at``, that lines may end at; they are no points and have no dot.
    """

    spaces: ClassVar = ("own", "none")
    at: Array  # (m, 3)
    axes: tuple[str, ...] = ()  # the names of the three directions
    points: Array | None = None  # (m,) indices
    values: Array | None = None  # (m,) shown as colours; without it the points look as in the plane
    values_name: str = ""
    edges: Array | None = None  # (e, 2) int
    edges_name: str = "edge"
    fresh: int = 0
    suspects: Array | None = None  # (s, 2) int
    suspects_name: str = ""
    path: Array | None = None  # (p,) int
    path_name: str = ""
    chord: Array | None = None  # (2,) int
    chord_name: str = ""
    left_out: Array | None = None  # (l,) int
    left_out_name: str = ""
    handles: tuple[str, ...] = ()
    corners: Array | None = None  # (c, 3)


@dataclass(frozen=True, slots=True, eq=False)
class Matrix(Mark):
    """A table of numbers as an image, the first row on top; ``points`` says which data point each row and column is.

    ``signed`` tells numbers below zero from those above; ``unknown`` are cells that have no number yet.
    """

    spaces: ClassVar = ("own",)
    values: Array  # (r, c)
    points: Array | None = None  # (r,) indices, of the rows and, in the same order, of the columns
    signed: bool = False
    unknown: Array | None = None  # (r, c) bool
    name: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Strip(Mark):
    """Bands along a line of items, such as the moments of series or the points of a fold: each row gives them groups.

    In the picture of series the rows lie below every series, and row ``behind`` also colours what is seen there. On
    axes of its own item ``i`` is at ``i + first``, and the rows share the height from ``low`` to ``high``, the
    first on top.
    """

    spaces: ClassVar = ("data", "own")
    labels: Array  # (r, n) int, -1: none
    names: tuple[str, ...] = ()  # of the rows
    group_names: tuple[str, ...] = ()  # for the legend
    strengths: Array | None = None  # (r, n) from 0 to 1, how sure a group is
    behind: int = 0
    first: float = 0.0
    low: float = 0.0
    high: float = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Trellis(Mark):
    """States over time: a node for each state of some consecutive moments, and what leads from one to the next.

    ``back`` holds for every node the state that it points back to, -1 for none; ``path`` the state of the path at every
    moment, -1 where it is not known. The column ``active`` is worked on now.
    """

    spaces: ClassVar = ("none",)
    values: Array  # (c, k) from 0 to 1, how full each node is
    known: Array  # (c,) bool: the columns that have values
    times: tuple[str, ...]  # (c,) what is written below a column,
    seen: tuple[str, ...]  # (c,) and what is observed there
    names: tuple[str, ...]  # (k,) of the states
    flow: Array | None = None  # (c, k, k) from 0 to 1: how much goes from state i to state j of the next column
    back: Array | None = None  # (c, k) int
    path: Array | None = None  # (c,) int
    active: int = -1
    points: Array | None = None  # (c,) the moments, as items of the data
    values_name: str = ""
    flow_name: str = ""
    back_name: str = ""
    path_name: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Table(Mark):
    """Numbers in cells, the first row on top; larger ones in stronger cells, and those of this step ``lit``.

    ``texts`` are written in place of the numbers; ``unknown`` cells are empty. ``points`` says which item of the data
    each row is and, where there are as many columns, each column.
    """

    spaces: ClassVar = ("none",)
    values: Array  # (r, c)
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    lit: Array | None = None  # (m, 2) int, row and column
    unknown: Array | None = None  # (r, c) bool
    texts: tuple[tuple[str, ...], ...] = ()
    row_groups: Array | None = None  # (r,) int, colours the names of the rows
    column_groups: Array | None = None  # (c,) int
    rows_name: str = ""
    columns_name: str = ""
    shaded: bool = True
    points: Array | None = None  # (r,) indices


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """Some edges of a :class:`NodeLink` that matter now, by the reason for it."""

    edges: Array  # (k,) numbers of edges
    role: Literal["path", "tree", "frontier", "considered", "out"]
    name: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Rings:
    """Some nodes of a :class:`NodeLink` that matter now, by the reason for it."""

    nodes: Array  # (k,) numbers of nodes
    role: Literal["current", "frontier", "chosen"]
    name: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class NodeLink(Mark):
    """A graph as nodes and lines between them, or with arrows where it is ``directed``.

    In the picture of a graph everything that is left out is that of the data: places, edges, names and groups. In other
    panels the places are given, and ``points`` says which item of the data each node is (without it, node i is item i).
    A node has a colour for its value or its group, a size, a name, and a note beside it. The nodes at ``ends`` carry a
    flag with a name; with ``handles`` the flags can be dragged to other nodes and set the parameters of these names to
    the node's number, counted from 1.
    """

    spaces: ClassVar = ("data", "own", "none")
    at: Array | None = None  # (n, 2)
    edges: Array | None = None  # (m, 2) int
    directed: bool = False
    names: tuple[str, ...] = ()  # (n,)
    points: Array | None = None  # (n,) indices
    values: Array | None = None  # (n,) shown as colours
    values_name: str = ""
    unknown: Array | None = None  # (n,) bool: nodes that have no value yet
    groups: Array | None = None  # (n,) int, colours the nodes; -1 is grey
    sizes: Array | None = None  # (n,) not negative, shown as areas
    sizes_name: str = ""
    notes: tuple[str, ...] = ()  # (n,) a few letters beside each node
    widths: Array | None = None  # (m,) not negative
    widths_name: str = ""
    links: tuple[Links, ...] = ()  # bottom layer first
    rings: tuple[Rings, ...] = ()
    tokens: Array | None = None  # (k,) the nodes on which a token stands
    tokens_name: str = ""
    ends: Array | None = None  # (e,) int
    end_names: tuple[str, ...] = ()  # (e,)
    handles: tuple[str, ...] = ()  # (e,)


@dataclass(frozen=True, slots=True, eq=False)
class Images(Mark):
    """Small pictures in a grid, each with a caption below it, the first row on top.

    Grey pictures are shown between the two ``levels``, the lower one in the colour of the background; ``signed`` ones
    tell numbers below zero from those above, all by the same scale. ``points`` says which data point a picture shows.
    """

    spaces: ClassVar = ("own", "none")
    pixels: Array  # (m, height, width), row 0 on top
    at: Array  # (m, 2) int, the row and the column of each in the grid
    captions: tuple[str, ...] = ()  # (m,)
    signed: Array | None = None  # (m,) bool; without it all are grey
    levels: tuple[float, float] | None = None  # without it, the least and the largest number of the grey ones
    points: Array | None = None  # (m,) indices, -1 for none


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


def mark_types() -> tuple[type[Mark], ...]:
    """Every kind of mark there is."""
    # not Mark.__subclasses__(): a dataclass with slots is a second class, and the first lives on for a while
    return tuple(m for m in globals().values() if isinstance(m, type) and issubclass(m, Mark) and m is not Mark)
