"""Marks of nodes joined by edges, in the plane and in space."""

from __future__ import annotations

from typing import ClassVar, Literal

from algorithms.data import Array
from algorithms.marks.base import Mark
from algorithms.records import dataclass


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
class Cloud3D(Mark):
    """Points in space, seen from a side that the user turns to; optionally joined by edges, with one path among them.

    Edges, path and chord speak of rows of ``at``, and ``points`` says which data point a row is (without it, row i is
    point i). The last ``fresh`` edges are new in this frame; ``suspects`` are edges to be doubted; ``left_out`` are
    rows that take no part. ``spokes`` are edges with weights: larger ones are thicker, and those below zero have
    another colour. The ``chord`` is the straight line that the path is drawn against; with ``handles`` its two ends
    can be dragged to other points and set the parameters of these names to the point's number, counted from 1.
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
    spokes: Array | None = None  # (s, 2) int
    spoke_weights: Array | None = None  # (s,)
    spokes_name: str = ""
    path: Array | None = None  # (p,) int
    path_name: str = ""
    chord: Array | None = None  # (2,) int
    chord_name: str = ""
    left_out: Array | None = None  # (l,) int
    left_out_name: str = ""
    handles: tuple[str, ...] = ()
    corners: Array | None = None  # (c, 3)
