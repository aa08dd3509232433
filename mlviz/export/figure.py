"""The whole figure without window chrome: title, plane, second views, curves and caption, for pictures and films."""

from __future__ import annotations

from dataclasses import dataclass

import pyqtgraph as pg
import shiboken6
from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QRegion
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLayout, QVBoxLayout, QWidget

from algorithms.contract import Algorithm
from mlviz.session.document import Document
from mlviz.session.projection import Projection
from mlviz.views.canvas import Canvas, raster_needs
from mlviz.views.canvases import make_canvas
from mlviz.views.curves import MetricCurves
from mlviz.views.plane import PlaneView
from mlviz.views.scene import Scene
from mlviz.views.sprites import SpriteLayer
from mlviz.views.theme import SPACING, Theme
from mlviz.worker.raster import RasterRequest, evaluate
from mlviz.worker.timeline import Frame, Timeline

MOST_VIEWS = 3
"""The large view and at most two more beside the curves; the others have no room."""
CELL = 2
"""Logical pixels per cell of a field in a picture."""


@dataclass(frozen=True, slots=True)
class Look:
    """How a figure is drawn.

    Parameters
    ----------
    size : (int, int)
        Width and height in logical pixels (1/96 inch on paper).
    theme : Theme
        Colours, fonts and widths.
    only : str
        One view alone: the key of a panel, or ``curves``; empty for the whole figure.
    words : bool
        Whether the title and the caption are written; a figure in a paper has its own.
    transparent : bool
        No background.
    """

    size: tuple[int, int]
    theme: Theme
    only: str = ""
    words: bool = True
    transparent: bool = False


class Figure(QWidget):
    """Draws frames of one recorded run in one look. It is never shown on a screen."""

    def __init__(self, document: Document, timeline: Timeline, look: Look) -> None:
        super().__init__()
        self._document, self._timeline, self._look, self._theme = document, timeline, look, look.theme
        self._method: Algorithm = document.method
        self.setObjectName("figure")
        self.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
        self._scene = Scene.of(document.data, document.projection, look.theme)
        self._views = self._make_views()
        self.title = QLabel(f"{self._method.title} · {document.data.name}", objectName="figure_title")
        self.caption = QLabel(objectName="figure_caption", wordWrap=True)
        self.curves = MetricCurves()
        self.curves.tabs.hide()
        self.curves.log_button.hide()
        self.curves.set_theme(look.theme)
        self.curves.set_run(self._method.metrics, timeline.metric)
        self._arrange()
        if look.transparent:
            self._clear_backgrounds()
        self.resize(QSize(*look.size))
        self.show()  # lays everything out; DontShowOnScreen keeps it off the display
        for view in self._views:
            if isinstance(view, PlaneView):
                view.fit_view()
        self._shorten_titles()

    @property
    def background(self) -> QColor:
        """What is behind everything."""
        return QColor(0, 0, 0, 0) if self._look.transparent else QColor(self._theme.surface)

    def draw(self, frame: Frame) -> QImage:
        """The picture of one frame with one pixel for each logical one; quick, for films."""
        self.set_frame(frame)
        image = QImage(self.size(), QImage.Format.Format_ARGB32_Premultiplied)
        image.fill(self.background)
        self.render(image, QPoint(), QRegion(), self._flags())
        return image if self._look.transparent else image.convertToFormat(QImage.Format.Format_RGB32)

    def paint(self, frame: Frame, painter: QPainter) -> None:
        """Draw one frame as shapes and texts, for a page that can be enlarged at will."""
        self.set_frame(frame, CELL / 2)
        layers = [item for view in self.findChildren(pg.PlotWidget) for item in view.scene().items()]
        sprites = [item for item in layers if isinstance(item, SpriteLayer)]
        for layer in sprites:
            layer.vector = True
        try:
            self.render(painter, QPoint(), QRegion(), self._flags())
        finally:
            for layer in sprites:
                layer.vector = False

    def set_frame(self, frame: Frame, cell: float = CELL) -> None:
        """Bring every view to this frame, with its fields in cells of so many logical pixels."""
        snapshot = frame.snapshot
        self.caption.setText(f"Step {frame.step}: {snapshot.caption}")
        self._column.activate()
        for view in self._views:
            marks = snapshot.views.get(view.panel.key, ())
            view.show_marks(marks)
            self._fill_rasters(view, frame, raster_needs(marks), cell)
        self.curves.refresh(len(self._timeline), frame.step)

    def dispose(self) -> None:
        """End the widgets now, from the top down; left to Python's collector they would end in any order and crash."""
        self.close()
        shiboken6.delete(self)

    def _flags(self) -> QWidget.RenderFlag:
        children = QWidget.RenderFlag.DrawChildren
        return children if self._look.transparent else children | QWidget.RenderFlag.DrawWindowBackground

    def _shorten_titles(self) -> None:
        """A long title would make a small view wider than its place, and cut it off."""
        font = QFont()
        font.setPointSizeF(self._theme.font)
        for view in self._views[1:]:
            room = max(view.width() - 8 * self._theme.font, 40)
            title = QFontMetricsF(font).elidedText(view.panel.title, Qt.TextElideMode.ElideRight, room)
            view.setTitle(title, color=self._theme.text, size=f"{self._theme.font:.0f}pt")

    def _clear_backgrounds(self) -> None:
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
        for view in self.findChildren(pg.PlotWidget):
            view.setBackground(None)
            view.setStyleSheet("background: transparent; border: none;")

    def _fill_rasters(self, view: Canvas, frame: Frame, needs: tuple[str, ...], cell: float) -> None:
        size = (max(int(view.width() / cell), 2), max(int(view.height() / cell), 2))
        view.clear_rasters()
        for what in needs:
            request = RasterRequest(
                algorithm=self._method,
                model=frame.snapshot.model,
                what="predict" if what == "predict" else "field",
                projection=self._document.projection if isinstance(view, PlaneView) else Projection(),
                rect=view.view_rect(),
                sizes=(size,),
            )
            raster = evaluate(request)
            if raster.error is not None:
                raise raster.error
            view.set_raster(what, raster.values, raster.rect)

    def _make_views(self) -> list[Canvas]:
        """The large view, and a canvas for every further panel that has something to show at the end of the run."""
        last = self._timeline.frame(len(self._timeline) - 1).snapshot
        first, *others = self._method.panels
        used = [first, *(panel for panel in others if last.views.get(panel.key))][:MOST_VIEWS]
        if self._look.only:
            used = [panel for panel in self._method.panels if panel.key == self._look.only]
        views = []
        for panel in used:
            view = make_canvas(panel, self)  # a canvas without a parent would be left to Python's collector
            view.set_theme(self._theme)
            view.set_scene(self._scene)
            if panel is not first and not self._look.only:
                view.setTitle(" ", size=f"{self._theme.font:.0f}pt")  # keeps its room; written when that is known
            views.append(view)
        return views

    def _arrange(self) -> None:
        theme = self._theme
        self.setStyleSheet(
            f"#figure {{ background: {'transparent' if self._look.transparent else theme.surface}; }}"
            f"#figure_title {{ color: {theme.text}; font-size: {theme.font * 1.4:.0f}pt; font-weight: 600; }}"
            f"#figure_caption {{ color: {theme.text}; font-size: {theme.font:.0f}pt; }}"
        )
        column = self._column = QVBoxLayout(self)
        column.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)  # the size is the caller's, however small
        column.setContentsMargins(2 * SPACING, SPACING, 2 * SPACING, SPACING)
        column.setSpacing(SPACING)
        large, seconds = self._rows()
        column.addWidget(self.title)
        column.addWidget(large, stretch=7)
        if seconds:
            lower = QHBoxLayout()
            lower.setSpacing(SPACING)
            for view in seconds:
                lower.addWidget(view, stretch=1)
            column.addLayout(lower, stretch=3)
        column.addWidget(self.caption)
        self.title.setVisible(self._look.words)
        self.caption.setVisible(self._look.words)
        self.curves.setParent(self)
        self.curves.setVisible(self.curves in (large, *seconds))

    def _rows(self) -> tuple[QWidget, list[QWidget]]:
        """The large view, and those that stand below it side by side."""
        if self._look.only == "curves":
            return self.curves, []
        if self._look.only:
            return self._views[0], []
        return self._views[0], [*self._views[1:], self.curves]


def views_of(method: Algorithm) -> dict[str, str]:
    """What can be drawn: the whole figure (empty key), each panel, the curves; with titles."""
    panels = {panel.key: panel.title for panel in method.panels}
    return {"": "The whole figure", **panels, "curves": "Metric curves"}
