"""Where the canvases of a board stand: one is the large view, the others are tabs, or stand beside the curves."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtWidgets import QStackedWidget

from mlviz.ui.second_views import SecondViews
from mlviz.views.canvas import Canvas
from mlviz.views.curves import MetricCurves


class CanvasPlaces:
    """Puts canvases in their places, and lends a tab to the large view for a while."""

    def __init__(self, large: QStackedWidget, seconds: SecondViews, curves: MetricCurves) -> None:
        self._large, self._seconds, self._curves = large, seconds, curves
        self._lent_title: str | None = None

    def clear(self) -> None:
        """Take all canvases out."""
        self._lent_title = None
        self._seconds.forget()
        while (widget := self._large.widget(0)) is not None:
            self._large.removeWidget(widget)
        self._curves.set_aside(None)

    def put(self, canvas: Canvas, large: bool, after: Iterable[Canvas]) -> None:
        """Give a canvas its place; a tab stands behind those of the canvases ``after``."""
        if large:
            self._large.addWidget(canvas)
        elif canvas.panel.beside:
            self._curves.set_aside(canvas, canvas.panel.title)
        else:
            self._seconds.insert(canvas, canvas.panel.title, after)

    def bring_to_front(self, canvas: Canvas) -> None:
        """Show a canvas where it is behind another tab."""
        if self._seconds.indexOf(canvas) >= 0:
            self._seconds.reveal(canvas)
            self._seconds.setCurrentWidget(canvas)
        elif self._curves.holds(canvas):
            self._curves.choose(canvas.panel.title, {})

    def note(self, canvas: Canvas, filled: bool) -> bool:
        """Whether a canvas has something to show; says whether a tab came with that, so that all get other room."""
        if self._curves.holds(canvas):
            self._curves.note_aside(filled)
        return self._seconds.note(canvas, filled)

    def is_second(self, canvas: Canvas) -> bool:
        """Whether this is not the large view."""
        return self._curves.holds(canvas) or self._seconds.indexOf(canvas) >= 0

    def lend(self, canvas: Canvas) -> None:
        """Have a canvas that is a tab in the large view for a while."""
        index = self._seconds.indexOf(canvas)
        if index >= 0 and self._seconds.isTabVisible(index):
            self._lent_title = self._seconds.tabText(index)
            self._seconds.removeTab(index)
            self._large.addWidget(canvas)
            self._large.setCurrentWidget(canvas)

    def give_back(self, canvas: Canvas, after: Iterable[Canvas]) -> None:
        """Make a canvas that was lent a tab again."""
        if self._lent_title is not None:
            title, self._lent_title = self._lent_title, None
            self._large.removeWidget(canvas)
            self._seconds.insert(canvas, title, after, shown=True)
