"""The canvases of panels that do not show the data: plots with axes, diagrams without, and surfaces."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from algorithms.contract import Panel
from mlviz.views.canvas import Canvas


class PlotView(Canvas):
    """A panel with two free axes that always shows everything in it."""


class DiagramView(Canvas):
    """A panel without axes in one scale, for trees and networks; can be panned and zoomed."""

    PANS = True

    def __init__(self, panel: Panel, parent: QWidget | None = None) -> None:
        super().__init__(panel, parent)
        self._label_axes()

    def _label_axes(self) -> None:
        self.hideAxis("left")
        self.hideAxis("bottom")


class SurfaceView(Canvas):
    """A plane of its own in which the algorithm's ``field`` is evaluated; an ``Extent`` says what to show first."""

    PANS = True
    SEES_ALL = False
