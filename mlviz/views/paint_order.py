"""The scenes of a window say what has moved in them before any part of the window is painted.

Qt notes where an item was painted last, and paints that place anew once the scene gets round to its changes. But when
the scene of one view does so, the whole window is painted at once; and a view that is dirty for another reason, such as
a page that was in front of a corner of it, then paints its moved items in that corner before its own scene has looked
at them. Their old places are forgotten, and stay on the screen.
"""

from __future__ import annotations

import weakref

import pyqtgraph as pg
import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt
from PySide6.QtWidgets import QWidget

NAME = "paint_order"


class PaintOrder(QObject):
    """Belongs to a window, and to all plots in it."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setObjectName(NAME)
        self._plots: weakref.WeakSet[pg.PlotWidget] = weakref.WeakSet()
        window.installEventFilter(self)

    @classmethod
    def note(cls, plot: pg.PlotWidget) -> None:
        """From now on this plot is shown in its window."""
        window = plot.window()
        order = window.findChild(cls, NAME, Qt.FindChildOption.FindDirectChildrenOnly) or cls(window)
        order._plots.add(plot)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Have all scenes see to their changes, before the window is painted.

        One of them may have the window painted at once: then this is called again, and sees to the rest.
        """
        if event.type() == QEvent.Type.UpdateRequest:
            for plot in tuple(self._plots):
                if not shiboken6.isValid(plot) or plot.window() is not watched:
                    self._plots.discard(plot)
                elif plot.isVisible() and plot.viewport().updatesEnabled():
                    QCoreApplication.sendPostedEvents(plot.scene(), QEvent.Type.MetaCall.value)
        return False
