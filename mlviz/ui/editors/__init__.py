"""The editors: one for every kind of data that can be changed with the mouse."""

from mlviz.ui.editors.base import Editor, Tool
from mlviz.ui.editors.points import PointsEditor

EDITORS: tuple[type[Editor], ...] = (PointsEditor,)
"""In the order of their tools in the menus."""

__all__ = ["EDITORS", "Editor", "PointsEditor", "Tool"]
