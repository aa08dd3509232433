"""The board: the large view, the second views and the metric curves - everything that shows the current frame."""

from __future__ import annotations

import dataclasses
import itertools
import time
from collections.abc import Iterator
from typing import Any

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QLabel, QStackedWidget, QVBoxLayout, QWidget

from algorithms.contract import Algorithm, Panel
from algorithms.data import Array, Points
from algorithms.marks import Mark
from mlviz.session.document import Document
from mlviz.session.projection import Projection
from mlviz.ui.board_layout import BoardLayout
from mlviz.ui.evaluation_controller import EvaluationController
from mlviz.ui.second_views import SecondViews
from mlviz.views.canvas import Canvas, raster_needs
from mlviz.views.canvases import make_canvas
from mlviz.views.curves import MetricCurves
from mlviz.views.deferred_repaint import DeferredRepaint
from mlviz.views.plane import PlaneView
from mlviz.views.scene import Scene
from mlviz.views.theme import LIGHT, Theme
from mlviz.worker.engine import Engine
from mlviz.worker.raster import Raster, Rasteriser, RasterRequest, grid
from mlviz.worker.timeline import Frame

SIDES = (64, 256, 448)
"""Cells along a side of a field: quickly something, then sharp when the playhead rests; the last not in a hurry."""
PATIENCE = 0.12
"""How long, in seconds, the first frame of a run waits for its fields, so that a dragged slider does not flicker."""
MOVED = 200
"""How many steps the playhead may go on between a change and the run that it starts."""
PLANE = Panel("plane", "Data plane", space="data")


class Board(QWidget):
    """Shows one frame in all views. Fields come from the rasteriser's thread and are polled, never waited for."""

    points_hovered = Signal(object)
    points_clicked = Signal(object)
    param_dragged = Signal(object)
    scrubbed = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("board")
        self._theme = LIGHT
        self._rasteriser = Rasteriser()
        self._document: Document | None = None
        self._scene: Scene | None = None
        self._algorithm: Algorithm | None = None
        self._engine: Engine | None = None
        self._frame: Frame | None = None
        self._waiting: tuple[Frame, float] | None = None
        self._arrived: dict[str, Raster] = {}
        self._panels: dict[str, Panel] = {}
        self.views: dict[str, Canvas] = {}
        self._outdated: set[str] = set()
        self._hurried = False
        self.repaints = DeferredRepaint()
        self._build()

    def _build(self) -> None:
        self.plane = PlaneView(PLANE)
        self.large = QStackedWidget(objectName="large_view")
        self.message = QLabel(self.large, objectName="board_message", wordWrap=True)
        self.message.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.message.hide()
        self.curves = MetricCurves()
        self.evaluation = EvaluationController(self)
        self.seconds = SecondViews(self.evaluation.view)
        self._evaluating = self._wanted = False
        self._plane_tab_title: str | None = None
        self.board_layout = BoardLayout(self.large, self.seconds, self.curves)
        self.splitter, self.below = self.board_layout.splitter, self.board_layout.below
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.splitter)
        self._settle = QTimer(self, objectName="board_settle", interval=40, singleShot=True)
        self._settle.timeout.connect(self._ask)
        self._listen(self.plane)
        self.large.addWidget(self.plane)
        self.curves.scrubbed.connect(self.scrubbed)
        self.seconds.currentChanged.connect(self._second_chosen)
        self.curves.tabs.currentChanged.connect(self._second_chosen)
        self.evaluation.points_hovered.connect(self.points_hovered)
        self.evaluation.points_clicked.connect(self.points_clicked)
        self.evaluation.pulsed.connect(self.plane.light_points)
        self.evaluation.threshold_changed.connect(self._threshold_moved)

    def _listen(self, view: Canvas) -> None:
        view.points_hovered.connect(self.points_hovered)
        view.points_clicked.connect(self.evaluation.view.release)
        view.points_clicked.connect(self.points_clicked)
        view.param_dragged.connect(self.param_dragged)
        view.range_changed.connect(self._settle.start)

    def close_threads(self) -> None:
        """End the rasteriser and the evaluator."""
        self._settle.stop()
        self.evaluation.close()
        self._rasteriser.close()

    # -- what is shown -------------------------------------------------------------------------------------------

    def set_theme(self, theme: Theme) -> None:
        """Colours and sizes from now on."""
        self._theme = theme
        if self._scene is not None:
            self._scene = dataclasses.replace(self._scene, theme=theme)
        self.plane.set_theme(theme)
        self.curves.set_theme(theme)
        self.evaluation.view.set_theme(theme)
        self.board_layout.set_font(theme.font)
        for view in self.views.values():
            view.set_theme(theme)
        self.message.setStyleSheet(
            f"QLabel {{ background: {theme.surface}; color: {theme.danger}; border: 1px solid {theme.border};"
            f" border-radius: 6px; padding: 12px; font-size: {theme.font * 1.1:.0f}pt; }}"
        )

    def set_document(self, document: Document, origin: Array | None = None, keep_view: bool = False) -> None:
        """Show this data.

        ``origin`` (n,) says which point was which before an edit: what is on show then stays until the next frame, so
        that drawing does not flicker. ``keep_view`` leaves the visible part alone, unless it is other data altogether.
        """
        before = self._document
        self._document = document
        if before is None or before.data is not document.data or before.axes != document.axes:
            self._engine = self._frame = self._waiting = None  # frames of other points cannot be drawn on these
            self._arrived = {}
            self._rasteriser.drop()
            self._scene = Scene.of(document.data, document.projection, self._theme)
            if before is not None and before.data.kind != document.data.kind:
                self._algorithm = document.method
                self._make_views(document.method)  # a canvas cannot show data of another kind
                keep_view = False
            for view in self._seen():
                view.set_scene(self._scene, origin)
            if not keep_view or before is None or not before.seen_like(document) or not self._shows_data():
                self.fit_view()

    @property
    def data_view(self) -> Canvas | None:
        """The canvas that shows the data themselves, if the method has such a panel."""
        panel = None if self._document is None else self._document.method.data_panel
        return None if panel is None else self.views.get(panel.key)

    def show_data_view(self) -> None:
        """Bring the data to the front where they are behind another tab."""
        view = self.data_view
        if view is not None and self.seconds.indexOf(view) >= 0:
            self.seconds.reveal(view)
            self.seconds.setCurrentWidget(view)

    def _shows_points(self) -> bool:
        return self._document is None or isinstance(self._document.data, Points)

    def _seen(self) -> set[Canvas]:
        """Every canvas there is; the plane also when it is hidden, so that it is ready when it comes back."""
        return {*self.views.values(), *((self.plane,) if self._shows_points() else ())}

    def _shows_data(self) -> bool:
        """Whether anything of the data lies in the visible part."""
        view = self.plane if self._shows_points() else self.data_view
        return view is None or view.shows_data()

    @property
    def up_to_date(self) -> bool:
        """Whether the last run has shown something, so that nothing is lost when it is replaced."""
        return self._frame is not None and self._waiting is None

    @Slot()
    def fit_view(self) -> None:
        """Show all of the data."""
        view = self.plane if self._shows_points() else self.data_view
        if view is not None:
            view.fit_view()

    def begin_run(self, engine: Engine, algorithm: Algorithm) -> None:
        """Frames from now on belong to this run; nothing of an older one is drawn any more."""
        since = self._resumption(engine)
        self._engine, self._frame, self._waiting = engine, None, None
        self._arrived = {}
        self._rasteriser.drop()
        self.show_message("")
        if algorithm is not self._algorithm:
            self._algorithm = algorithm
            self._make_views(algorithm)
        self.evaluation.begin_run(engine)
        self.repaints.hold(self.curves.plot)
        self.curves.set_run(algorithm.metrics, engine.timeline.metric, since)

    def _resumption(self, engine: Engine) -> int:
        """The step of the run on show from which another one goes on; the playhead may have moved a little since."""
        if not engine.resumed or self._frame is None or self._engine is None:
            return 0
        shown, timeline = self._frame.step, self._engine.timeline
        steps = range(shown, max(shown - MOVED, -1), -1)
        return next((step for step in steps if engine.goes_on_from(timeline.frame(step).snapshot.model)), shown)

    def show_frame(self, frame: Frame, hurried: bool = False) -> None:
        """Draw a frame of the current run in every view; the first one together with its fields.

        ``hurried`` leaves out the second views, until it is their turn, and holds the painting of the others.
        """
        if self._engine is None:
            return
        first = self._frame is None
        self._frame, self._hurried = frame, hurried
        self._ask()
        if first and self._slots(frame):
            self._waiting = (frame, time.perf_counter() + PATIENCE)
        elif self._waiting is not None:
            self._waiting = (frame, self._waiting[1])
        else:
            self._draw(frame, hurried)

    def draw_second(self) -> Iterator[str]:
        """Draw the second views that a hurried frame has left out and that can be seen; each is named before."""
        for key in tuple(self.views):
            if key in self._outdated and self.views[key].isVisible() and self._waiting is None:
                yield f"second {key}"
                if key in self._outdated and self._frame is not None and self._waiting is None:
                    self._draw_view(self._frame, key)

    def draw_fields(self, hurried: bool = False) -> Iterator[str]:
        """Draw what the rasteriser has finished; each field is named before."""
        if self._hurried and not hurried:
            self._hurried = False
            self._ask()
        for raster in self._rasteriser.poll():
            if raster.error is not None:
                raise raster.error
            if self._engine is not None and raster.key is self._engine:
                self._arrived[raster.slot] = raster
        if self._waiting is not None:
            if not self._waited_enough(*self._waiting):
                return
            yield "first frame"
            self._end_waiting(hurried)
        for slot in tuple(self._arrived):
            yield f"field {slot}"
            if slot in self._arrived and self._waiting is None:
                self._deliver(self._arrived.pop(slot))

    def prepare(self) -> Iterator[str]:
        """Make a canvas that may be needed later, once there is something to look at; it is named before.

        To make one takes longer than to draw a frame, so it is not left to the frame that first needs it.
        """
        missing = next((key for key in self._panels if key not in self.views), None)
        if missing is not None and self.up_to_date:
            yield f"make {missing}"
            if self.view(missing) is not None and self._frame is not None:
                self._draw_view(self._frame, missing, later=True)

    def poll(self) -> None:
        """See to the tabs and to the evaluation's worker; in a hurry an empty tab stays, it may soon be needed."""
        if not self._hurried:
            self.seconds.settle()
        self.evaluation.poll()

    def show_message(self, text: str) -> None:
        """A sentence over the large view, or nothing. It replaces what was seen of the run before."""
        if text:
            for view in self._seen():
                view.drop_stale()
        self.message.setText(text)
        self.message.setVisible(bool(text))
        self.message.raise_()
        self._place_message()

    def light_points(self, points: Array) -> None:
        """Show in all views which data points are meant."""
        for view in self._seen():
            view.light_points(points)
        self.evaluation.view.light_points(points)

    def resizeEvent(self, event: Any) -> None:
        """Keep the message in the middle."""
        super().resizeEvent(event)
        self.board_layout.suit()
        self._place_message()

    # -- inside --------------------------------------------------------------------------------------------------

    def _draw(self, frame: Frame, hurried: bool = False) -> None:
        for key in self._panels:
            if key in self.views or (not hurried and self._marks(frame, key)):
                self._draw_view(frame, key, later=hurried)
        index = self.seconds.indexOf(self.evaluation.view)
        evaluated, seen = self.evaluation.show_frame(frame), self.seconds.isTabVisible(index)
        if seen and not evaluated:
            self.seconds.setTabVisible(index, False)
        elif evaluated and not seen:
            self.seconds.insert(self.evaluation.view, "Evaluation", self.views.values())
            self.seconds.reveal(self.evaluation.view)
            if self._wanted:
                self.seconds.setCurrentWidget(self.evaluation.view)

    def _draw_view(self, frame: Frame, key: str, later: bool = False) -> None:
        """Draw a frame in one view, or ``later`` if it is a second view."""
        marks, view = self._marks(frame, key), self.view(key)
        assert view is not None
        if self.seconds.note(view, bool(marks)) and self._hurried:
            self._hold_all()
        aside = self.curves.holds(view)
        if aside:
            self.curves.note_aside(bool(marks))
        if later and (aside or self.seconds.indexOf(view) >= 0):
            self._outdated.add(key)
            return
        self._outdated.discard(key)
        if marks or view.marks:
            if self._hurried:
                self.repaints.hold(view)
            view.show_marks(marks)

    def _hold_all(self) -> None:
        """Everything gets other room: it is painted view by view."""
        for view in (*self.views.values(), self.curves.plot):
            self.repaints.hold(view)

    def _marks(self, frame: Frame, key: str) -> tuple[Mark, ...]:
        """What a view is to show of a frame."""
        marks = frame.snapshot.views.get(key, ())
        return self.evaluation.with_line(marks) if key == "plane" else marks

    @Slot()
    def _second_chosen(self) -> None:
        """The evaluation takes the room of the curves, and more of the height, while it is looked at."""
        if self._frame is not None and self._outdated and self._waiting is None:
            self._draw(self._frame)
        evaluating = self.seconds.currentWidget() is self.evaluation.view
        if evaluating == self._evaluating:
            return
        self._evaluating = evaluating
        self.curves.setVisible(not evaluating)
        self.board_layout.set_evaluating(evaluating)
        if evaluating:
            self._lend_plane()
        else:
            self._return_plane()
        self.evaluation.refresh()
        self._threshold_moved()

    def _lend_plane(self) -> None:
        """The threshold moves the line in the plane, so a plane that is a tab becomes the large view meanwhile."""
        index = self.seconds.indexOf(self.plane)
        if index >= 0 and self.seconds.isTabVisible(index):
            self._plane_tab_title = self.seconds.tabText(index)
            self.seconds.removeTab(index)
            self.large.addWidget(self.plane)
            self.large.setCurrentWidget(self.plane)

    def _return_plane(self) -> None:
        if self._plane_tab_title is not None:
            title, self._plane_tab_title = self._plane_tab_title, None
            self.large.removeWidget(self.plane)
            self.seconds.insert(self.plane, title, self._before("plane"), shown=True)

    @Slot()
    def _threshold_moved(self) -> None:
        self.plane.set_threshold(self.evaluation.threshold)
        if self._frame is not None and self._marks(self._frame, "plane") != self.plane.marks and self._waiting is None:
            self._ask()
            self.plane.show_marks(self._marks(self._frame, "plane"))

    def _deliver(self, raster: Raster) -> None:
        key, _, what = raster.slot.partition(":")
        if key in self.views:
            if self._hurried:
                self.repaints.hold(self.views[key])
            self.views[key].set_raster(what, raster.values, raster.rect)

    def _waited_enough(self, frame: Frame, deadline: float) -> bool:
        """Whether the fields of the first frame have come, or take too long."""
        return time.perf_counter() >= deadline or all(slot in self._arrived for slot in self._slots(frame))

    def _end_waiting(self, hurried: bool) -> None:
        """Show the first frame of a run; its fields, if they have come, are drawn next."""
        if self._waiting is not None:
            frame, self._waiting = self._waiting[0], None
            for view in self.views.values():
                view.clear_rasters()
            self._draw(frame, hurried)

    def _place_message(self) -> None:
        if self.message.text():
            width = min(420, max(self.large.width() - 40, 120))
            height = self.message.heightForWidth(width)
            left, top = (self.large.width() - width) // 2, (self.large.height() - height) // 3
            self.message.setGeometry(left, top, width, height)

    def _make_views(self, algorithm: Algorithm) -> None:
        """The large canvas of an algorithm, the plane, what stands beside the curves; the others when they are used."""
        self._wanted, self._plane_tab_title = self._evaluating, None
        for view in self.views.values():
            if view is not self.plane:
                view.deleteLater()
        self.seconds.forget()
        while (widget := self.large.widget(0)) is not None:
            self.large.removeWidget(widget)
        self.views, self._outdated = {}, set()
        self.repaints.release()
        self.curves.set_aside(None)
        self._panels = {panel.key: panel for panel in algorithm.panels}
        shown = (panel.key for panel in algorithm.panels if panel.space == "data" or panel.beside)
        for key in (algorithm.panels[0].key, *shown):
            self.view(key)
        self.seconds.hide()
        self.board_layout.set_plane_below(algorithm.panels[0].space != "data" and algorithm.data_panel is not None)
        if self.plane not in self.views.values():
            self.plane.setParent(self)
            self.plane.hide()

    def view(self, key: str) -> Canvas | None:
        """The canvas of a panel, made when it is first asked for: the first is the large one, the others are tabs."""
        if key in self.views or key not in self._panels:
            return self.views.get(key)
        is_plane = self._panels[key].space == "data" and self._shows_points()
        kind = "points" if self._document is None else self._document.data.kind
        view = self.views[key] = self.plane if is_plane else make_canvas(self._panels[key], kind, self)
        if view is not self.plane:
            assert self._scene is not None
            view.set_theme(self._theme)
            view.set_scene(self._scene)
            self._listen(view)
        if key == next(iter(self._panels)):
            self.large.addWidget(view)
        elif self._panels[key].beside:
            self.curves.set_aside(view, self._panels[key].title)
        else:
            self.seconds.insert(view, self._panels[key].title, self._before(key))
        return view

    def _before(self, key: str) -> list[Canvas]:
        """The canvases whose tabs stand before this one: they have the order of the panels."""
        earlier = itertools.takewhile(lambda other: other != key, self._panels)
        return [self.views[other] for other in earlier if other in self.views]

    def _slots(self, frame: Frame) -> tuple[str, ...]:
        """What the views need of the model for this frame: ``plane:predict``, ``plane:field`` ..."""
        return tuple(
            f"{key}:{what}"
            for key in self.views
            for what in raster_needs(self._marks(frame, key))
            if self.views[key].isVisible() or key == "plane"
        )

    @Slot()
    def _ask(self) -> None:
        """Ask for the fields of the frame on show, over the visible part of each view."""
        if self._frame is None or self._document is None or self._algorithm is None:
            return
        for slot in self._slots(self._frame):
            key, _, what = slot.partition(":")
            view = self.views[key]
            wide = max(view.width(), 1) / max(view.height(), 1)
            request = RasterRequest(
                algorithm=self._algorithm,
                model=self._frame.snapshot.model,
                what="predict" if what == "predict" else "field",
                projection=self._document.projection if view is self.plane else Projection(),
                rect=view.view_rect(),
                sizes=tuple(grid(side, wide) for side in (SIDES[:-1] if self._hurried else SIDES)),
                key=self._engine,
            )
            self._rasteriser.request(slot, request)
