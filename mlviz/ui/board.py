"""The board: the large view, the second views and the metric curves - everything that shows the frame of one player."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from PySide6.QtCore import QTimer, Signal, Slot
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from algorithms.contract import Algorithm, Panel, Snapshot
from algorithms.data import Array, Data
from algorithms.marks import Mark, Scatter
from mlviz.session.document import Document
from mlviz.session.rasters import Size, grid
from mlviz.session.rasters import Slot as RasterSlot
from mlviz.session.scoring import Threshold
from mlviz.ui.board_layout import BoardLayout
from mlviz.ui.board_message import BoardMessage
from mlviz.ui.canvas_places import CanvasPlaces
from mlviz.ui.evaluation_controller import EvaluationController
from mlviz.ui.player import Player
from mlviz.ui.raster_queue import RasterQueue
from mlviz.ui.scheduler import Piece, Stage
from mlviz.ui.second_views import SecondViews
from mlviz.views.canvas import Canvas
from mlviz.views.compositor import Compositor
from mlviz.views.deferred_repaint import DeferredRepaint
from mlviz.views.plane import PlaneView
from mlviz.views.theme import Theme
from mlviz.worker.engine import Engine
from mlviz.worker.timeline import Frame

SIDES = (64, 256, 448)
"""Cells along a side of a field: quickly something, then sharp when the playhead rests; the last not in a hurry."""
PATIENCE = 0.12
"""How long, in seconds, the first frame of a run waits for its fields, so that a dragged slider does not flicker."""
MOVED = 200
"""How many steps the playhead may go on between a change and the run that it starts."""
PLANE = Panel("plane", "Data plane", space="data")


class Board(QWidget):
    """Shows the frames of one player in all views; any number of boards may stand in a window.

    Its work comes in pieces (:attr:`stages`). Fields come from the rasteriser's thread and are polled, never waited
    for.
    """

    points_hovered = Signal(object)
    points_clicked = Signal(object)
    place_hovered = Signal(object)
    """The place (2,) of the picture of the data under the mouse, or None."""
    param_dragged = Signal(object)
    scrubbed = Signal(int)
    pressed = Signal()
    """The mouse means this board."""
    threshold_moved = Signal()
    data_view_changed = Signal()
    """There are other canvases: that of the data may be another one, or none."""

    def __init__(self, player: Player, parent: QWidget | None = None, name: str = "board") -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self._player = player
        self._clock = player.ticker.clock
        self.rasters = RasterQueue()
        self._document: Document | None = None
        self._engine: Engine | None = None
        self._frame: Frame | None = None
        self._waiting: tuple[Frame, float] | None = None
        self._item = -1
        """The item of the data that is looked at closely."""
        self._closer: tuple[Snapshot, Snapshot] | None = None
        self._outdated: set[str] = set()
        self._curves_of: Data | None = None
        self._hurried = self._compact = self._alone = False
        self._roomy = True
        self._large_choices: dict[bool, dict[str, str]] = {False: {}, True: {}}
        self._given_threshold: Threshold | None = None
        self.repaints = DeferredRepaint()
        self._build()
        player.run_started.connect(self._begin_run)

    def _build(self) -> None:
        self.large = QStackedWidget(objectName="large_view")
        self.message = BoardMessage(self.large)
        self.plane = PlaneView(PLANE)
        self.evaluation = EvaluationController(self, self._clock)
        self._settle = QTimer(self, objectName="board_settle", interval=40, singleShot=True)
        self._settle.timeout.connect(self._ask)
        self.compositor = Compositor(self, self.draws_line, self._listen, self.plane, self._clock)
        self.curves = self.compositor.curves
        self.seconds = SecondViews(self.evaluation.view, clock=self._clock)
        self._evaluating = self._wanted = False
        self._places = CanvasPlaces(self.large, self.seconds, self.curves)
        self.board_layout = BoardLayout(self.large, self.seconds, self.curves)
        self.splitter, self.below = self.board_layout.splitter, self.board_layout.below
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.splitter)
        self._listen(self.plane)
        self.large.addWidget(self.plane)
        self.curves.scrubbed.connect(self.scrubbed)
        self.seconds.tabBarClicked.connect(self.pressed)
        self.seconds.currentChanged.connect(self._second_chosen)
        self.seconds.enlarged.connect(self.enlarge)
        self.curves.tabs.tabBarDoubleClicked.connect(self._enlarge_aside)
        self.curves.tabs.currentChanged.connect(self._second_chosen)
        self.evaluation.points_hovered.connect(self.points_hovered)
        self.evaluation.points_clicked.connect(self.points_clicked)
        self.evaluation.pulsed.connect(self._pulse)
        self.evaluation.held_out_changed.connect(self.plane.hold_out)
        self.evaluation.threshold_changed.connect(self._threshold_moved)

    def _listen(self, view: Canvas) -> None:
        view.pressed.connect(self.pressed)
        view.points_hovered.connect(self.points_hovered)
        view.points_clicked.connect(self.evaluation.view.release)
        view.points_clicked.connect(self.points_clicked)
        view.param_dragged.connect(self.param_dragged)
        if view.panel.space == "data":
            view.place_hovered.connect(self.place_hovered)
        view.range_changed.connect(self._settle.start)

    def close_threads(self) -> None:
        """End the rasteriser and the evaluator."""
        self._settle.stop()
        self.evaluation.close()
        self.rasters.close()

    # -- what is shown -------------------------------------------------------------------------------------------

    @property
    def views(self) -> dict[str, Canvas]:
        """The canvases that have been made, by the keys of their panels."""
        return self.compositor.canvases

    @property
    def data_view(self) -> Canvas | None:
        """The canvas that shows the data themselves, if the method has such a panel."""
        return self.views.get(self.compositor.data_key or "")

    def set_theme(self, theme: Theme) -> None:
        """Colours and sizes from now on."""
        self.compositor.set_theme(theme)
        self.evaluation.view.set_theme(theme)
        self.seconds.set_theme(theme)
        self.board_layout.set_font(theme.font)
        self.message.set_theme(theme)

    def set_document(self, document: Document, origin: Array | None = None, keep_view: bool = False) -> None:
        """Show this data.

        ``origin`` (n,) says which point was which before an edit: what is on show then stays until the next frame, so
        that drawing does not flicker. ``keep_view`` leaves the visible part alone, unless it is other data altogether.
        """
        before = self._document
        self._document = document
        if before is not None and before.data is document.data and before.axes == document.axes:
            return
        self._engine = self._frame = self._waiting = None  # frames of other data cannot be drawn on these
        self.rasters.forget()
        self.compositor.set_data(document.data, document.projection, origin)
        if before is None or before.data.kind != document.data.kind or self.compositor.panels_changed:
            self._make_views(document.method)  # a canvas cannot show data of another kind, nor pictures where are none
        view = self.compositor.data_canvas
        if view is not None and not (keep_view and before and before.seen_like(document) and view.shows_data()):
            view.fit_view()

    def set_compact(self, compact: bool, below: bool = True) -> None:
        """Stand beside other boards, where the curves are a tab among the second views, or ``below`` has no room."""
        self._roomy = below or not compact
        self.below.setVisible(self._roomy and not self._alone)
        self.board_layout.compact = compact
        self.board_layout.suit()
        if compact == self._compact:
            return
        before, self._compact = self.large_key, compact
        self._make_again(before)
        self._place_curves()

    @property
    def large_key(self) -> str:
        """The panel with the large view: the chosen or first one, but beside other boards the data they share."""
        method = self.compositor.method
        chosen = "" if method is None else self.large_choices.get(method.key, "")
        return chosen if chosen in self.compositor.panels else self._first_key

    @property
    def _first_key(self) -> str:
        data = self.compositor.data_key if self._compact else None
        return data or next(iter(self.compositor.panels), "")

    @property
    def large_choices(self) -> dict[str, str]:
        """The panel that was chosen to be the large one under each method: alone, or beside other boards."""
        return self._large_choices[self._compact]

    def choose_large(self, choices: Mapping[str, str]) -> None:
        """Have these panels in the large view under their methods, and the first one under all others."""
        before = self.large_key
        self._large_choices[self._compact] = dict(choices)
        self._make_again(before)

    @Slot(object)
    def enlarge(self, view: Canvas) -> None:
        """Swap a second view with the large one, now and whenever this method is shown."""
        method, before = self.compositor.method, self.large_key
        if method is None or self.views.get(view.panel.key) is not view:
            return
        others = {key: panel for key, panel in self.large_choices.items() if key != method.key}
        self.choose_large(others if view.panel.key == self._first_key else others | {method.key: view.panel.key})
        if before in self.views:
            self._places.bring_to_front(self.views[before])

    @Slot(int)
    def _enlarge_aside(self, index: int) -> None:
        aside = next((view for view in self.views.values() if self.curves.holds(view)), None)
        if aside is not None and index == 0 and self.curves.aside_in_front:
            self.enlarge(aside)

    def _make_again(self, before: str) -> None:
        """Give all views their places when another one is large; each is looked at from where it was."""
        method = self.compositor.method
        if method is None or self.large_key == before:
            return
        eyes = {key: view.viewport_state() for key, view in self.views.items()}
        curve, scales = self.curves.group, self.curves.scales
        self._make_views(method)
        self.curves.choose(curve, scales)
        if self._frame is None or self._waiting is not None:
            return
        self._draw(self._frame)
        for key, eye in eyes.items():
            if key in self.views:
                self.views[key].restore_viewport(eye)
        self._ask()

    def _place_curves(self) -> None:
        """The curves stand beside the second views, or behind them as the last tab."""
        self.seconds.folds_bar = self._compact
        if self._compact:
            self.seconds.insert(self.curves, "Curves", [*self.views.values(), self.evaluation.view], shown=True)
            self.seconds.show()
        elif self.seconds.indexOf(self.curves) >= 0:
            self.seconds.removeTab(self.seconds.indexOf(self.curves))
            self.board_layout.below.addWidget(self.curves)
            self.curves.setVisible(not self._evaluating)
            self.seconds.hide_when_empty()
        self.seconds.show_bar()

    def take_threshold(self, threshold: Threshold | None) -> None:
        """Draw the decision line at this level, which another board's evaluation has."""
        if threshold != self._given_threshold:
            self._given_threshold = threshold
            self._threshold_moved()

    def scores_like(self, other: Board) -> bool:
        """Whether a threshold of another board means the same on this one."""
        mine, its = self.compositor.method, other.compositor.method
        return mine is not None and its is not None and mine.scores == its.scores

    def draws_line(self) -> bool:
        """Whether there is a threshold, its own or a given one, to be seen as a line among the data."""
        return self._given_threshold is not None or self.evaluation.draws_line()

    def show_data_view(self) -> None:
        """Bring the data to the front where they are behind another tab."""
        if self.data_view is not None:
            self._places.bring_to_front(self.data_view)

    @property
    def up_to_date(self) -> bool:
        """Whether the last run has shown something, so that nothing is lost when it is replaced."""
        return self._frame is not None and self._waiting is None

    def toggle_alone(self) -> None:
        """The large view alone, or together with the others."""
        self._alone = not self._alone
        self.below.setVisible(self._roomy and not self._alone)

    @Slot()
    def fit_view(self) -> None:
        """Show all of the data."""
        if self.compositor.data_canvas is not None:
            self.compositor.data_canvas.fit_view()

    def show_message(self, text: str) -> None:
        """A sentence in the place of what was seen of the run before, or nothing."""
        if text:
            self.forget_run()
        self.message.say(text)

    def forget_run(self) -> None:
        """The run has nothing to show: what was seen of the one before goes, the data and their classes stay."""
        self.rasters.forget()
        for view in self.compositor.everywhere():
            view.forget_frame()
        self.curves.forget()
        self.seconds.setTabVisible(self.seconds.indexOf(self.evaluation.view), False)

    def show_newcomer(self, place: Array | None) -> None:
        """Mark where a new point would stand in the map of the method, or nothing."""
        at = None if place is None else np.append(place, 0.0)[:2]
        for view in self.views.values():
            if any(isinstance(mark, Scatter) and mark.partners is None for mark in view.marks):
                view.show_newcomer(at)

    def light_points(self, points: Array) -> None:
        """Show in all views which data points are meant."""
        for view in self.compositor.everywhere():
            view.light_points(points)
        self.evaluation.view.light_points(points)

    def look_at(self, item: int) -> None:
        """Show what the frame says of this item of the data, under a method that can do that; -1 is no item."""
        if item == self._item:
            return
        self._item, self._closer = item, None
        method = self.compositor.method
        if self.up_to_date and self._frame is not None and method is not None and method.look_at is not None:
            self._ask()
            self._draw(self._frame)

    def _seen(self, frame: Frame) -> Snapshot:
        """The snapshot of a frame, as it is while an item is looked at."""
        look, shown = self.compositor.method and self.compositor.method.look_at, frame.snapshot
        if not look or self._engine is None or not 0 <= self._item < self._engine.data.n:
            return shown
        if self._closer is None or self._closer[0] is not shown:
            data = self._engine.data
            self._closer = shown, look(shown, data, data.item(self._item))
        return self._closer[1]

    def resizeEvent(self, event: Any) -> None:
        """Keep the message in the middle."""
        super().resizeEvent(event)
        self.board_layout.suit()
        self.message.place()

    @Slot(object)
    def _begin_run(self, engine: Engine) -> None:
        """Frames from now on belong to this run; nothing of an older one is drawn any more."""
        since = engine.since or self._resumption(engine)
        comparable, self._curves_of = self._curves_of is engine.data, engine.data
        self._engine, self._frame, self._waiting = engine, None, None
        self.rasters.forget()
        self.message.say("")
        if engine.algorithm is not self.compositor.method:
            self._make_views(engine.algorithm)
        self.evaluation.begin_run(engine)
        self.curves.set_run(engine.algorithm.metrics, engine.timeline.metric, since, engine.since, comparable)

    def _resumption(self, engine: Engine) -> int:
        """The step of the run on show from which another one goes on; the playhead may have moved a little since."""
        if not engine.resumed or self._frame is None or self._engine is None:
            return 0
        shown, timeline = self._frame.step, self._engine.timeline
        steps = range(shown, max(shown - MOVED, -1), -1)
        return next((step for step in steps if engine.goes_on_from(timeline.frame(step).snapshot.model)), shown)

    # -- the work of a frame, in pieces --------------------------------------------------------------------------

    @property
    def stages(self) -> tuple[Stage, ...]:
        """What is done of a frame, in this order. What is drawn in a hurry is painted at the end, view by view."""
        return (
            self._frame_pieces,
            self.second_pieces,
            self.field_pieces,
            self.second_pieces,  # of the first frame of a run, which has waited for its fields
            self._curve_pieces,
            self.paint_pieces,
            self._score_pieces,
        )

    def poll(self) -> None:
        """Take what the threads have finished, and see to the tabs; in a hurry an empty one may soon be needed."""
        self.rasters.poll(self._engine)
        if not self._hurried:
            self.seconds.settle()
        self.evaluation.poll()

    def _piece(self, name: str, run: Any, *arguments: Any) -> Piece:
        return Piece(f"{self.objectName()}: {name}", partial(run, *arguments))

    def _frame_pieces(self, hurried: bool) -> list[Piece]:
        return [] if self._player.frame_to_show() is None else [self._piece("frame", self._take_frame, hurried)]

    def _take_frame(self, hurried: bool) -> None:
        frame = self._player.take_frame()
        if frame is not None:
            self.show_frame(frame, hurried)

    def show_frame(self, frame: Frame, hurried: bool = False) -> None:
        """Draw a frame of the current run in every view; the first one together with its fields.

        ``hurried`` leaves out the second views, until it is their turn, and holds the painting of the others.
        """
        if self._engine is None:
            return
        first = self._frame is None
        self._frame, self._hurried = frame, hurried
        self._ask()
        if first and self.rasters.asked:
            self._waiting = (frame, self._clock() + PATIENCE)
        elif self._waiting is not None:
            self._waiting = (frame, self._waiting[1])
        else:
            self._draw(frame, hurried)

    def second_pieces(self, _: bool) -> list[Piece]:
        """The second views that a hurried frame has left out and that can be seen."""
        if self._waiting is not None:
            return []
        seen = [key for key, view in self.views.items() if key in self._outdated and view.isVisible()]
        return [self._piece(f"second {key}", self._draw_second, key) for key in seen]

    def _draw_second(self, key: str) -> None:
        if key in self._outdated and self._frame is not None and self._waiting is None:
            self._draw_view(self._frame, key)

    def field_pieces(self, hurried: bool) -> list[Piece]:
        """The first frame of a run when it has waited enough, and the fields that have come."""
        if self._hurried and not hurried:
            self._hurried = False
            self._ask()
        first = []
        if self._waiting is not None:
            if self._clock() < self._waiting[1] and not self.rasters.complete:
                return []
            first = [self._piece("first frame", self._end_waiting, hurried)]
        return first + [self._piece(f"field {'.'.join(slot)}", self._deliver, slot) for slot in self.rasters.arrived]

    def _end_waiting(self, hurried: bool) -> None:
        """Show the first frame of a run; its fields, if they have come, are drawn next."""
        if self._waiting is not None:
            frame, self._waiting = self._waiting[0], None
            for view in self.views.values():
                view.clear_rasters()
            self._draw(frame, hurried)

    def _deliver(self, slot: RasterSlot) -> None:
        raster = None if self._waiting is not None else self.rasters.take(slot)
        if raster is not None:
            if self._hurried and slot.panel in self.views:
                self.repaints.hold(self.views[slot.panel])
            self.compositor.deliver(slot, raster)

    def _curve_pieces(self, hurried: bool) -> list[Piece]:
        due = self.curves.due(self._player.steps, self._player.position)
        return [self._piece("curves", self._draw_curves, hurried)] if due else []

    def _draw_curves(self, hurried: bool) -> None:
        if hurried:
            self.repaints.hold(self.curves.plot)
        self.curves.refresh(self._player.steps, self._player.position)

    def paint_pieces(self, _: bool) -> list[Piece]:
        """The views that were drawn into and held."""
        return [self._piece(f"paint {view.objectName()}", self.repaints.paint, view) for view in self.repaints.held]

    def _score_pieces(self, _: bool) -> list[Piece]:
        return [self._piece("scores", self.evaluation.show_scores)] if self.evaluation.has_news else []

    def missing_canvas(self, _: bool) -> list[Piece]:
        """Make a canvas that may be needed later, once there is something to look at.

        To make one takes longer than to draw a frame, so it is not left to the frame that first needs it.
        """
        missing = next((key for key in self.compositor.panels if key not in self.views), None)
        due = missing is not None and self.up_to_date
        return [self._piece(f"make {missing}", self._prepare, missing)] if due else []

    def _prepare(self, key: str) -> None:
        if self.view(key) is not None and self._frame is not None:
            self._draw_view(self._frame, key, later=True)

    # -- inside --------------------------------------------------------------------------------------------------

    def _draw(self, frame: Frame, hurried: bool = False) -> None:
        for key in self.compositor.panels:
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
        bare = view is self.data_view and key in frame.snapshot.views  # the data as they are, without any marks
        if self._places.note(view, bool(marks) or bare) and self._hurried:
            self._hold_all()
        if later and self._places.is_second(view):
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
        return self.compositor.marks(self._seen(frame), key)

    @Slot()
    def _second_chosen(self) -> None:
        """The evaluation takes the room of the curves, and more of the height, while it is looked at."""
        if self._frame is not None and self._outdated and self._waiting is None:
            self._draw(self._frame)
        evaluating = self.seconds.currentWidget() is self.evaluation.view
        if evaluating == self._evaluating:
            return
        self._evaluating = evaluating
        if not self._compact:
            self.curves.setVisible(not evaluating)
        self.board_layout.set_evaluating(evaluating)
        view = self.data_view
        if view is not None and evaluating:  # the threshold moves the line among the data
            self._places.lend(view)
        elif view is not None:
            self._places.give_back(view, self._before(view.panel.key))
        self.evaluation.refresh()
        self._threshold_moved()

    @Slot()
    def _threshold_moved(self) -> None:
        self.compositor.set_threshold(self._given_threshold or self.evaluation.threshold)
        self.threshold_moved.emit()
        view = self.data_view
        if view is None or self._frame is None or self._waiting is not None:
            return
        marks = self._marks(self._frame, view.panel.key)
        if marks != view.marks:
            self._ask()
            view.show_marks(marks)

    @Slot(object)
    def _pulse(self, points: Array) -> None:
        if self.compositor.data_canvas is not None:
            self.compositor.data_canvas.light_points(points)

    def _make_views(self, algorithm: Algorithm) -> None:
        """The large canvas of an algorithm, that of the data, what stands beside the curves; the others when needed."""
        self._wanted, self._outdated = self._evaluating, set()
        self.repaints.release()
        self.compositor.set_method(algorithm)
        self._places.clear()
        shown = (panel.key for panel in self.compositor.panels.values() if panel.space == "data" or panel.beside)
        for key in (self.large_key, *shown):
            self.view(key)
        self.seconds.hide()
        self.board_layout.set_plane_below(self.compositor.data_key not in (None, self.large_key))
        self._place_curves()
        for canvas in self.compositor.out_of_sight():
            canvas.setParent(self)
            canvas.hide()
        self.data_view_changed.emit()

    def view(self, key: str) -> Canvas | None:
        """The canvas of a panel, made when it is first asked for: the first is the large one, the others are tabs."""
        panels = self.compositor.panels
        if key in self.views or key not in panels:
            return self.views.get(key)
        view = self.compositor.canvas(key)
        self._places.put(view, key == self.large_key, self._before(key))
        return view

    def _before(self, key: str) -> list[Canvas]:
        """The canvases whose tabs stand before this one: they have the order of the panels."""
        earlier = itertools.takewhile(lambda other: other != key, self.compositor.panels)
        return [self.views[other] for other in earlier if other in self.views]

    @Slot()
    def _ask(self) -> None:
        """Ask for the fields of the frame on show, over the visible part of each view."""
        if self._frame is None:
            return
        keys = [key for key, view in self.views.items() if view.isVisible() or key == self.compositor.data_key]
        asked = self.compositor.requests(self._seen(self._frame), keys, self._cells, self._engine)
        self.rasters.ask(asked, lambda slot: slot.what in self.views[slot.panel].rasters)

    def _cells(self, view: Canvas) -> tuple[Size, ...]:
        wide = max(view.width(), 1) / max(view.height(), 1)
        return tuple(grid(side, wide) for side in (SIDES[:-1] if self._hurried else SIDES))
