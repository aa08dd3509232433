"""The editors: one for every kind of data that can be changed with the mouse."""

from mlviz.ui.editors.base import Editor, Tool
from mlviz.ui.editors.distances import DistancesEditor
from mlviz.ui.editors.graph import GraphEditor
from mlviz.ui.editors.points import PointsEditor
from mlviz.ui.editors.sequences import SequencesEditor

EDITORS: tuple[type[Editor], ...] = (PointsEditor, GraphEditor, SequencesEditor, DistancesEditor)
"""In the order of their tools in the menus."""

__all__ = ["EDITORS", "Editor", "PointsEditor", "Tool"]
