"""A widget that is painted once, when everything inside it has found its place."""

from __future__ import annotations

import shiboken6
from PySide6.QtCore import QObject, QTimer, Slot
from PySide6.QtWidgets import QGraphicsView, QWidget

from mlviz.views.legend import Legend

ALIKE = 3
"""For so many turns all sizes are the same: a row of controls that goes away is known to its window a turn later."""
MOST_TURNS = 12
"""Turns of the event loop after which it is painted whatever still moves."""


class SettledRepaint(QObject):
    """Holds the painting of a widget for some turns of the event loop, until the views in it keep their size.

    Docks that go and letters that grow change the sizes again and again before the layouts are done; painted each time,
    a plane of 100,000 points would take most of a second.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._widget: QWidget | None = None
        self._sizes: list[object] = []
        self._legends: list[Legend] = []
        self._turns = self._alike = 0
        self._timer = QTimer(self, objectName="settled_repaint", interval=0)
        self._timer.timeout.connect(self._look)

    @property
    def holding(self) -> bool:
        """Whether the widget still waits to be painted."""
        return self._widget is not None

    def hold(self, widget: QWidget) -> None:
        """Paint this widget only when it has settled."""
        self.release()
        self._widget, self._turns, self._alike, self._sizes = widget, 0, 0, []
        widget.setUpdatesEnabled(False)
        scenes = [view.scene() for view in widget.findChildren(QGraphicsView)]
        items = [item for scene in scenes if scene is not None for item in scene.items()]
        self._legends = [item for item in items if isinstance(item, Legend)]
        for legend in self._legends:
            legend.settle(done=False)
        layout = widget.layout()
        if layout is not None:
            layout.setEnabled(False)
        self._timer.start()

    def release(self) -> None:
        """Paint it now."""
        self._timer.stop()
        if self._widget is not None:
            self.lay_out()
            for legend in self._legends:
                if shiboken6.isValid(legend):
                    legend.settle(done=True)
            self._legends = []
            self._widget.setUpdatesEnabled(True)
            self._widget = None

    def lay_out(self) -> None:
        """Give everything in it its place: until now it has kept the one it had, however often the widget changed."""
        layout = self._widget.layout() if self._widget is not None else None
        if layout is not None and not layout.isEnabled():
            layout.setEnabled(True)
            layout.invalidate()
            layout.activate()

    @Slot()
    def _look(self) -> None:
        assert self._widget is not None
        views = [self._widget, *self._widget.findChildren(QGraphicsView)]
        sizes: list[object] = [view.size().toTuple() for view in views if view.isVisible()]
        self._turns += 1
        self._alike = self._alike + 1 if sizes == self._sizes else 0
        if self._alike >= ALIKE or self._turns > MOST_TURNS:
            self.release()
        self._sizes = sizes
