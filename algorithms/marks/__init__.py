"""The drawing vocabulary: what is to be seen, in data coordinates, without colours, pixels or widgets.

An algorithm says *what* (an assignment, centres, a margin); ``mlviz/views/renderers`` decides how. Adding a kind of
picture means adding a mark in one of these modules, its name below, and one renderer there; tests say what is missing.
"""

from algorithms.marks.base import Mark, Space
from algorithms.marks.diagrams import Dendrogram, NetworkDiagram, TreeDiagram, Trellis
from algorithms.marks.ensembles import Members, Multiples
from algorithms.marks.fields import Extent, Isolines, Regions
from algorithms.marks.graphs import Cloud3D, Links, NodeLink, Rings
from algorithms.marks.plots import Bars, Bundle, Curve, ReferenceLine
from algorithms.marks.points import Assignment, HeldOut, Highlight, Hulls, PointSizes, Scatter, SoftAssignment, Spans
from algorithms.marks.shapes import (
    OPEN,
    Arrows,
    Centres,
    DividingLine,
    Dots,
    Ellipses,
    Paths,
    Polygons,
    Rectangles,
    Segments,
    Squares,
    Trail,
    TurningAxis,
)
from algorithms.marks.tables import Boxes, CellMap, Images, Matrix, Strip, Table

__all__ = [
    "Arrows",
    "Assignment",
    "Bars",
    "Boxes",
    "Bundle",
    "CellMap",
    "Centres",
    "Cloud3D",
    "Curve",
    "Dendrogram",
    "DividingLine",
    "Dots",
    "Ellipses",
    "Extent",
    "HeldOut",
    "Highlight",
    "Hulls",
    "Images",
    "Isolines",
    "Links",
    "Mark",
    "Matrix",
    "Members",
    "Multiples",
    "NetworkDiagram",
    "NodeLink",
    "OPEN",
    "Paths",
    "PointSizes",
    "Polygons",
    "Rectangles",
    "ReferenceLine",
    "Regions",
    "Rings",
    "Scatter",
    "Segments",
    "SoftAssignment",
    "Space",
    "Spans",
    "Squares",
    "Strip",
    "Table",
    "Trail",
    "TreeDiagram",
    "Trellis",
    "TurningAxis",
    "mark_types",
]


def mark_types() -> tuple[type[Mark], ...]:
    """Every kind of mark there is."""
    # not Mark.__subclasses__(): a dataclass with slots is a second class, and the first lives on for a while
    return tuple(m for m in globals().values() if isinstance(m, type) and issubclass(m, Mark) and m is not Mark)
