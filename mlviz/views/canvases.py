"""Which canvas a kind of panel is drawn on."""

from __future__ import annotations

import importlib

from PySide6.QtWidgets import QWidget

from algorithms.contract import Panel
from mlviz.views.canvas import Canvas
from mlviz.views.plots import DiagramView, PlotView, SurfaceView

SPACES: dict[str, type[Canvas]] = {"own": PlotView, "none": DiagramView}
DATA = {
    "points": ("plane", "PlaneView"),
    "graph": ("graph_view", "GraphView"),
    "sequences": ("strip", "StripView"),
    "distances": ("distances", "DistancesView"),
    "strings": ("strings_view", "StringsView"),
    "graph_set": ("graph_set_view", "GraphSetView"),
    "none": ("plots", "DiagramView"),
}
"""The module and the class of the canvas on which data of a kind are drawn and edited."""


def data_canvas(kind: str) -> type[Canvas]:
    """The canvas for data of a kind; its module is imported with the first such data, not with the program."""
    module, name = DATA[kind]
    found: type[Canvas] = getattr(importlib.import_module(f"mlviz.views.{module}"), name)
    return found


def make_canvas(panel: Panel, kind: str = "points", parent: QWidget | None = None) -> Canvas:
    """The canvas for a panel, over data of this kind."""
    if panel.space == "data":
        return data_canvas(kind)(panel, parent)
    return (SurfaceView if panel.surface else SPACES[panel.space])(panel, parent)
