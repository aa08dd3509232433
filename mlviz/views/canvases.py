"""Which canvas a kind of panel is drawn on."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from algorithms.contract import Panel
from mlviz.views.canvas import Canvas, DiagramView, PlotView, SurfaceView
from mlviz.views.distances import DistancesView
from mlviz.views.graph_view import GraphView
from mlviz.views.plane import PlaneView
from mlviz.views.strip import StripView

SPACES: dict[str, type[Canvas]] = {"own": PlotView, "none": DiagramView}
DATA: dict[str, type[Canvas]] = {
    "points": PlaneView,
    "graph": GraphView,
    "sequences": StripView,
    "distances": DistancesView,
    "none": DiagramView,
}
"""The canvas on which data of a kind are drawn and edited."""


def make_canvas(panel: Panel, kind: str = "points", parent: QWidget | None = None) -> Canvas:
    """The canvas for a panel, over data of this kind."""
    if panel.space == "data":
        return DATA[kind](panel, parent)
    return (SurfaceView if panel.surface else SPACES[panel.space])(panel, parent)
