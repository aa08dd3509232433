"""Views that were drawn into and are painted later, each at a time of its own."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import QCoreApplication, QEvent

HURRIED = "hurried"
"""The property of a viewport that is painted while steps pour in: what takes long may be left for later."""


class DeferredRepaint:
    """What is drawn into a view is painted at the next event, and what was drawn into five in one go with it.

    A view that is held is not: it stays as it was until :meth:`paint` comes to it. So several changes are painted once,
    and between two paintings there is time for mouse and keys.
    """

    def __init__(self) -> None:
        self._views: list[pg.PlotWidget] = []

    def hold(self, view: pg.PlotWidget) -> None:
        """Leave this view as it is on the screen, whatever is drawn into it."""
        if view not in self._views:
            self._views.append(view)
            view.viewport().setUpdatesEnabled(False)

    @property
    def held(self) -> tuple[pg.PlotWidget, ...]:
        """The views that are held, in the order in which they were."""
        return tuple(self._views)

    def paint(self, view: pg.PlotWidget) -> None:
        """Paint a view that is held."""
        if view in self._views:
            self._views.remove(view)
            QCoreApplication.sendPostedEvents(view.scene(), QEvent.Type.MetaCall.value)  # or it is painted twice
            view.viewport().setUpdatesEnabled(True)
            view.viewport().setProperty(HURRIED, True)
            view.viewport().repaint()
            view.viewport().setProperty(HURRIED, False)

    def release(self) -> None:
        """Hold none any more."""
        for view in self._views:
            view.viewport().setUpdatesEnabled(True)
        self._views.clear()
