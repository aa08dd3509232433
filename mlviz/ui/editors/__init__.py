"""The editors: one for every kind of data that can be changed with the mouse, imported with the first such data."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from mlviz.ui.editors import toolbox
from mlviz.ui.editors.base import Editor
from mlviz.ui.editors.labelled import LabelledEditor
from mlviz.ui.editors.point_tools import TOOLS
from mlviz.ui.editors.points import PointsEditor
from mlviz.ui.editors.toolbox import Tool

if TYPE_CHECKING:
    from mlviz.ui.window import MainWindow

EDITORS = {
    "points": ("points", "PointsEditor"),
    "graph": ("graph", "GraphEditor"),
    "sequences": ("sequences", "SequencesEditor"),
    "distances": ("distances", "DistancesEditor"),
    "strings": ("strings", "StringsEditor"),
    "graph_set": ("graph_set", "GraphSetEditor"),
}
"""The module and the class of every editor."""
TOOLBOX: dict[str, tuple[Tool, ...]] = {
    "points": TOOLS,
    "graph": toolbox.GRAPH,
    "sequences": toolbox.SEQUENCES,
    "distances": toolbox.DISTANCES,
    "strings": toolbox.STRINGS,
    "graph_set": toolbox.GRAPH_SET,
}
"""The tools of every kind of data."""


def make_editor(kind: str, window: MainWindow) -> Editor:
    """The editor of a kind of data."""
    module, name = EDITORS[kind]
    made: Editor = getattr(importlib.import_module(f"mlviz.ui.editors.{module}"), name)(window)
    return made


__all__ = ["EDITORS", "TOOLBOX", "Editor", "LabelledEditor", "PointsEditor", "Tool", "make_editor"]
