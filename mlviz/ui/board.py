"""The board: the data plane, the second views and the metric curves - everything that shows the current frame."""

from __future__ import annotations

import time
from typing import Any

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QLabel, QSplitter, QTabWidget, QVBoxLayout, QWidget

from algorithms.contract import Algorithm, Panel
from mlviz.session.document import Document
from mlviz.views.canvas import PlotView, raster_needs
from mlviz.views.curves import MetricCurves
from mlviz.views.plane import PlaneView
from mlviz.views.scene import Scene
from mlviz.views.theme import LIGHT, Theme
from mlviz.worker.engine import Engine
from mlviz.worker.raster import Raster, Rasteriser, RasterRequest
from mlviz.worker.timeline import Frame

FINE = 256
FINEST = 448
COARSE = 64
PATIENCE = 0.12
"""How long, in seconds, the first frame of a run waits for its fields, so that a dragged slider does not flicker."""
PLANE = Panel("plane", "Data plane", kind="plane")


class Board(QWidget):
    """Shows one frame in all views. Fields come from the rasteriser's thread and are polled, never waited for."""

    point_hovered = Signal(int)
    point_clicked = Signal(int)
    handle_moved = Signal(object)
    scrubbed = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("board")
        self._theme = LIGHT
        self._rasteriser = Rasteriser()
        self._document: Document | None = None
        self._algorithm: Algorithm | None = None
        self._engine: Engine | None = None
        self._frame: Frame | None = None
        self._waiting: tuple[Frame, float] | None = None
        self._arrived: dict[str, Raster] = {}
        self._views: dict[str, PlotView] = {}
        self._build()

    def _build(self) -> None:
        self.plane = PlaneView(PLANE)
        self.message = QLabel(self.plane, objectName="board_message", wordWrap=True)
        self.message.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.message.hide()
        self.seconds = QTabWidget(objectName="second_views", documentMode=True)
        self.curves = MetricCurves()
        self.lower = QSplitter(Qt.Orientation.Horizontal, objectName="lower_splitter")
        self.lower.addWidget(self.seconds)
        self.lower.addWidget(self.curves)
        self.splitter = QSplitter(Qt.Orientation.Vertical, objectName="board_splitter")
        self.splitter.addWidget(self.plane)
        self.splitter.addWidget(self.lower)
        self.splitter.setStretchFactor(0, 3)
        self.splitter.setStretchFactor(1, 1)
        self.splitter.setSizes([460, 190])
        self.lower.setSizes([300, 300])
        for splitter in (self.splitter, self.lower):
            splitter.setChildrenCollapsible(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.splitter)
        self._settle = QTimer(self, objectName="board_settle", interval=40, singleShot=True)
        self._settle.timeout.connect(self._ask)
        self.plane.range_changed.connect(self._settle.start)
        self.plane.point_hovered.connect(self.point_hovered)
        self.plane.point_clicked.connect(self.point_clicked)
        self.plane.handle_moved.connect(self.handle_moved)
        self.curves.scrubbed.connect(self.scrubbed)

    def close_threads(self) -> None:
        """End the rasteriser."""
        self._settle.stop()
        self._rasteriser.close()

    def set_theme(self, theme: Theme) -> None:
        """Colours and sizes from now on."""
        self._theme = theme
        self.plane.set_theme(theme)
        self.curves.set_theme(theme)
        for view in self._views.values():
            view.set_theme(theme)
        self.message.setStyleSheet(
            f"QLabel {{ background: {theme.surface}; color: {theme.danger}; border: 1px solid {theme.border};"
            f" border-radius: 6px; padding: 12px; font-size: {theme.font * 1.1:.0f}pt; }}"
        )

    def set_document(self, document: Document) -> None:
        """Show this data; the view is fitted when the points have moved to other places."""
        before = self._document
        self._document = document
        if before is None or before.data is not document.data or before.axes != document.axes:
            scene = Scene.of(document.data, document.projection, self._theme)
            for view in (self.plane, *self._views.values()):
                view.set_scene(scene)
            self.fit_view()

    def fit_view(self) -> None:
        """Show all points."""
        self.plane.fit_view()

    def begin_run(self, engine: Engine, algorithm: Algorithm) -> None:
        """Frames from now on belong to this run; nothing of an older one stays on the screen."""
        assert self._document is not None
        self._engine, self._frame, self._waiting = engine, None, None
        self._rasteriser.drop()
        self.show_message("")
        if algorithm is not self._algorithm:
            self._algorithm = algorithm
            self._make_views(algorithm)
        self.curves.set_run(algorithm.metrics, engine.timeline.metric)

    def show_frame(self, frame: Frame) -> None:
        """Draw a frame of the current run in every view."""
        first = self._frame is None
        self._frame = frame
        self._ask()
        if first and raster_needs(frame.snapshot.views.get("plane", ())):
            self._waiting = (frame, time.perf_counter() + PATIENCE)
            self._arrived = {}
        elif self._waiting is not None:
            self._waiting = (frame, self._waiting[1])
        else:
            self._draw(frame)

    def _draw(self, frame: Frame) -> None:
        views = frame.snapshot.views
        self.plane.show_marks(views.get("plane", ()))
        for key, view in self._views.items():
            marks = views.get(key, ())
            index = self.seconds.indexOf(view)
            if marks and not self.seconds.isTabVisible(index):
                self._reveal(index)
            if view.isVisible() or marks:
                view.show_marks(marks)

    def poll(self, steps: int, position: int) -> None:
        """Take what the rasteriser has finished and bring the curves up to date."""
        for raster in self._rasteriser.poll():
            if raster.error is not None:
                raise raster.error
            if raster.key is not self._engine:
                continue
            if self._waiting is not None:
                self._arrived[raster.slot] = raster
            else:
                self.plane.set_raster(raster.slot, raster.values, raster.rect)
        self._end_waiting()
        self.curves.refresh(steps, position)

    def _end_waiting(self) -> None:
        """Show the first frame of a run together with its fields, or without them when they take too long."""
        if self._waiting is None:
            return
        frame, deadline = self._waiting
        needs = raster_needs(frame.snapshot.views.get("plane", ()))
        if time.perf_counter() < deadline and not all(what in self._arrived for what in needs):
            return
        self._waiting = None
        self.plane.clear_rasters()
        self._draw(frame)
        for raster in self._arrived.values():
            self.plane.set_raster(raster.slot, raster.values, raster.rect)
        self._arrived = {}

    def show_message(self, text: str) -> None:
        """A sentence over the plane, or nothing."""
        self.message.setText(text)
        self.message.setVisible(bool(text))
        self._place_message()

    def light_point(self, index: int) -> None:
        """Show in all views which data point is meant."""
        self.plane.light_point(index)
        for view in self._views.values():
            view.light_point(index)

    def resizeEvent(self, event: Any) -> None:
        """Keep the message in the middle."""
        super().resizeEvent(event)
        self._place_message()

    def _place_message(self) -> None:
        if self.message.text():
            width = min(420, max(self.plane.width() - 40, 120))
            height = self.message.heightForWidth(width)
            self.message.setGeometry(
                (self.plane.width() - width) // 2, (self.plane.height() - height) // 3, width, height
            )

    def _make_views(self, algorithm: Algorithm) -> None:
        while self.seconds.count():
            widget = self.seconds.widget(0)
            self.seconds.removeTab(0)
            widget.deleteLater()
        self._views = {}
        assert self._document is not None
        for panel in algorithm.panels:
            if panel.key == "plane":
                continue
            view = PlotView(panel)
            view.set_theme(self._theme)
            view.set_scene(Scene.of(self._document.data, self._document.projection, self._theme))
            view.point_hovered.connect(self.point_hovered)
            view.point_clicked.connect(self.point_clicked)
            self._views[panel.key] = view
            index = self.seconds.addTab(view, panel.title)
            self.seconds.setTabVisible(index, False)
        self.seconds.hide()

    def _reveal(self, index: int) -> None:
        self.seconds.setTabVisible(index, True)
        if self.seconds.isHidden():
            self.seconds.setCurrentIndex(index)
            self.seconds.show()

    @Slot()
    def _ask(self) -> None:
        """Ask for the fields of the frame on show, over the visible part of the plane."""
        if self._frame is None or self._document is None or self._algorithm is None:
            return
        rect = self.plane.view_rect()
        wide = max(self.plane.width(), 1) / max(self.plane.height(), 1)
        for what in raster_needs(self._frame.snapshot.views.get("plane", ())):
            self._rasteriser.request(
                what,
                RasterRequest(
                    algorithm=self._algorithm,
                    model=self._frame.snapshot.model,
                    what=what,
                    projection=self._document.projection,
                    rect=rect,
                    sizes=tuple(_grid(side, wide) for side in (COARSE, FINE, FINEST)),
                    key=self._engine,
                ),
            )


def _grid(side: int, wide: float) -> tuple[int, int]:
    """About side² cells, nearly square ones: (width, height)."""
    wide = min(max(wide, 0.25), 4.0)
    return max(round(side * wide**0.5), 2), max(round(side / wide**0.5), 2)
