"""The whole figure without window chrome: title, plane, second views, curves and caption, for pictures and films."""

from __future__ import annotations

import shiboken6
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLayout, QVBoxLayout, QWidget

from algorithms.contract import Algorithm
from mlviz.session.document import Document
from mlviz.session.projection import Projection
from mlviz.views.canvas import Canvas, raster_needs
from mlviz.views.canvases import make_canvas
from mlviz.views.curves import MetricCurves
from mlviz.views.plane import PlaneView
from mlviz.views.scene import Scene
from mlviz.views.theme import SPACING, Theme
from mlviz.worker.raster import RasterRequest, evaluate
from mlviz.worker.timeline import Frame, Timeline

MOST_VIEWS = 3
"""The large view and at most two more beside the curves; the others have no room."""
CELL = 2
"""Logical pixels per cell of a field in a picture."""


class Figure(QWidget):
    """Draws frames of one recorded run at one size. It is never shown on a screen."""

    def __init__(self, document: Document, timeline: Timeline, size: tuple[int, int], theme: Theme) -> None:
        super().__init__()
        self._document, self._timeline, self._theme = document, timeline, theme
        self._method: Algorithm = document.method
        self.setObjectName("figure")
        self.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
        self._scene = Scene.of(document.data, document.projection, theme)
        self._views = self._make_views()
        self.large = self._views[0]
        self.title = QLabel(f"{self._method.title} · {document.data.name}", objectName="figure_title")
        self.caption = QLabel(objectName="figure_caption", wordWrap=True)
        self.curves = MetricCurves()
        self.curves.tabs.hide()
        self.curves.log_button.hide()
        self.curves.set_theme(theme)
        self.curves.set_run(self._method.metrics, timeline.metric)
        self._arrange()
        self.resize(QSize(*size))
        self.show()  # lays everything out; DontShowOnScreen keeps it off the display
        for view in self._views:
            if isinstance(view, PlaneView):
                view.fit_view()

    def draw(self, frame: Frame) -> QImage:
        """The picture of one frame."""
        snapshot = frame.snapshot
        self.caption.setText(f"Step {frame.step}: {snapshot.caption}")
        self._column.activate()
        for view in self._views:
            marks = snapshot.views.get(view.panel.key, ())
            view.show_marks(marks)
            self._fill_rasters(view, frame, raster_needs(marks))
        self.curves.refresh(len(self._timeline), frame.step)
        return self._grabbed()

    def dispose(self) -> None:
        """End the widgets now, from the top down; left to Python's collector they would end in any order and crash."""
        self.close()
        shiboken6.delete(self)

    def _grabbed(self) -> QImage:
        ratio = self.devicePixelRatioF()
        image = QImage(self.size() * ratio, QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(ratio)
        image.fill(QColor(self._theme.surface))
        self.render(image)
        return image

    def _fill_rasters(self, view: Canvas, frame: Frame, needs: tuple[str, ...]) -> None:
        size = (max(view.width() // CELL, 2), max(view.height() // CELL, 2))
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
        used = [first, *(panel for panel in others if last.views.get(panel.key))]
        views = []
        for panel in used[:MOST_VIEWS]:
            view = make_canvas(panel, self)  # a canvas without a parent would be left to Python's collector
            view.set_theme(self._theme)
            view.set_scene(self._scene)
            if panel is not first:
                view.setTitle(panel.title, color=self._theme.text, size=f"{self._theme.font:.0f}pt")
            views.append(view)
        return views

    def _arrange(self) -> None:
        theme = self._theme
        self.setStyleSheet(
            f"#figure {{ background: {theme.surface}; }}"
            f"#figure_title {{ color: {theme.text}; font-size: {theme.font * 1.4:.0f}pt; font-weight: 600; }}"
            f"#figure_caption {{ color: {theme.text}; font-size: {theme.font:.0f}pt; }}"
        )
        lower = QHBoxLayout()
        lower.setSpacing(SPACING)
        for view in self._views[1:]:
            lower.addWidget(view, stretch=1)
        lower.addWidget(self.curves, stretch=1)
        column = self._column = QVBoxLayout(self)
        column.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)  # the size is the caller's, however small
        column.setContentsMargins(2 * SPACING, SPACING, 2 * SPACING, SPACING)
        column.setSpacing(SPACING)
        column.addWidget(self.title)
        column.addWidget(self.large, stretch=7)
        column.addLayout(lower, stretch=3)
        column.addWidget(self.caption)
