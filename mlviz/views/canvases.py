"""Which canvas a kind of panel is drawn on."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from algorithms.contract import Panel
from mlviz.views.canvas import Canvas, DiagramView, PlotView, SurfaceView
from mlviz.views.plane import PlaneView

CANVASES: dict[str, type[Canvas]] = {
    "plane": PlaneView,
    "plot": PlotView,
    "surface": SurfaceView,
    "diagram": DiagramView,
}


def make_canvas(panel: Panel, parent: QWidget | None = None) -> Canvas:
    """The canvas for a panel."""
    return CANVASES[panel.kind](panel, parent)
