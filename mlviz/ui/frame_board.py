"""The part of a board that draws frames: pieces of work, in turns, and fields that come when they are ready."""

from __future__ import annotations

from functools import partial
from typing import Any

from PySide6.QtCore import QTimer, Signal, Slot
from PySide6.QtWidgets import QWidget

from algorithms.contract import AnySnapshot, Panel
from algorithms.marks import Mark
from mlviz.session.rasters import Size, grid
from mlviz.session.rasters import Slot as RasterSlot
from mlviz.session.scoring import Threshold
from mlviz.ui.board_views import BoardViews
from mlviz.ui.evaluation_controller import EvaluationController
from mlviz.ui.peek import Peek
from mlviz.ui.player import Player
from mlviz.ui.raster_queue import RasterQueue
from mlviz.ui.scheduler import Piece, Stage
from mlviz.views.canvas import Canvas
from mlviz.views.compositor import Compositor
from mlviz.views.deferred_repaint import DeferredRepaint
from mlviz.views.plane import PlaneView
from mlviz.worker.engine import Engine
from mlviz.worker.timeline import Frame

SIDES = (64, 256, 448)
"""Cells along a side of a field: quickly something, then sharp when the playhead rests; the last not in a hurry."""
PATIENCE = 0.12
"""How long, in seconds, the first frame of a run waits for its fields, so that a dragged slider does not flicker."""
PLANE = Panel("plane", "Data plane", space="data")


class FrameBoard(QWidget):
    """Draws the frames of one player in the views of a compositor.

    Its work comes in pieces (:attr:`stages`). Fields come from the rasteriser's thread and are polled, never waited
    for.
    """

    setting_seen = Signal(str)
    """A sentence about the setting under the mouse, whose model is seen among the data; empty when there is none."""

    def __init__(self, player: Player, parent: QWidget | None, name: str) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self._player = player
        self._clock = player.ticker.clock
        self.rasters, self.repaints = RasterQueue(), DeferredRepaint()
        self._engine: Engine | None = None
        self._frame: Frame | None = None
        self._waiting: tuple[Frame, float] | None = None
        self._item = -1
        """The item of the data that is looked at closely."""
        self._closer: tuple[AnySnapshot, AnySnapshot] | None = None
        self.peek = Peek()
        self._outdated: set[str] = set()
        self._hurried = False
        self._given_threshold: Threshold | None = None
        self.plane = PlaneView(PLANE)
        self.evaluation = EvaluationController(self, self._clock)
        self._settle = QTimer(self, objectName="board_settle", interval=40, singleShot=True)
        self._settle.timeout.connect(self._ask)
        self.compositor = Compositor(self, self.draws_line, self._listen, self.plane, self._clock)
        self.places = BoardViews(self.compositor, self.evaluation.view, self._clock)
        self.seconds, self.curves = self.places.seconds, self.places.curves

    def _listen(self, view: Canvas) -> None:
        """Hear of what happens on a new canvas."""
        view.range_changed.connect(self._settle.start)
        view.value_hovered.connect(self._point_at)

    @property
    def views(self) -> dict[str, Canvas]:
        """The canvases that have been made, by the keys of their panels."""
        return self.compositor.canvases

    @property
    def data_view(self) -> Canvas | None:
        """The canvas that shows the data themselves, if the method has such a panel."""
        return self.views.get(self.compositor.data_key or "")

    def view(self, key: str) -> Canvas | None:
        """The canvas of a panel, made when it is first asked for."""
        return self.places.view(key)

    def draws_line(self) -> bool:
        """Whether there is a threshold, its own or a given one, to be seen as a line among the data."""
        return self._given_threshold is not None or self.evaluation.draws_line()

    @property
    def up_to_date(self) -> bool:
        """Whether the last run has shown something, so that nothing is lost when it is replaced."""
        return self._frame is not None and self._waiting is None

    # -- the work of a frame, in pieces --------------------------------------------------------------------------

    @property
    def stages(self) -> tuple[Stage, ...]:
        """What is done of a frame, in this order. What is drawn in a hurry is painted at the end, view by view."""
        return (
            self._frame_pieces,
            self.view_pieces,
            self.field_pieces,
            self.view_pieces,  # of the first frame of a run, which has waited for its fields
            self._curve_pieces,
            self.paint_pieces,
            self._score_pieces,
        )

    def poll(self) -> None:
        """Take what the threads have finished, and see to the tabs; in a hurry an empty one may soon be needed."""
        self.rasters.poll(self._engine)
        if not self._hurried:
            self.seconds.remove_empty()
        self.evaluation.poll()
        if self.peek.poll():
            self._show_peeked()

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

        ``hurried`` leaves out every view until it is its turn, and holds its painting.
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

    def view_pieces(self, _: bool) -> list[Piece]:
        """The views that a hurried frame has left out and that can be seen."""
        if self._waiting is not None:
            return []
        seen = [key for key, view in self.views.items() if key in self._outdated and view.isVisible()]
        return [self._piece(f"view {key}", self._draw_outdated, key) for key in seen]

    def _draw_outdated(self, key: str) -> None:
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
        self.places.note_evaluation(self.evaluation.show_frame(frame))

    def _draw_view(self, frame: Frame, key: str, later: bool = False) -> None:
        """Draw a frame in one view, or ``later`` if it is a second view or there is a hurry."""
        marks, view = self._marks(frame, key), self.view(key)
        assert view is not None
        if self.places.note(view, self.compositor.has_something(self._seen(frame), key)) and self._hurried:
            self._hold_all()
        if later and (self._hurried or self.places.is_second(view)):
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
        peeked = self.peek.snapshot if key == self.compositor.data_key else None
        return self.compositor.marks(peeked or self._seen(frame), key)

    @Slot(object)
    def _point_at(self, meant: tuple[str, Any] | None) -> None:
        """The mouse is over something that stands for a value of a parameter, or has left it."""
        if self._engine is None or self._frame is None or not self.up_to_date:
            return
        if self.peek.point_at(self._engine, self._frame.snapshot, meant):
            self._show_peeked()

    def _show_peeked(self) -> None:
        """Show the model of the setting under the mouse among the data, or the frame as it is."""
        peeked, key = self.peek.snapshot, self.compositor.data_key
        self.setting_seen.emit("" if peeked is None else peeked.caption)
        if self._frame is not None and self.up_to_date and key in self.views:
            self._ask()
            self._draw_view(self._frame, key)

    def look_at(self, item: int) -> None:
        """Show what the frame says of this item of the data, under a method that can do that; -1 is no item."""
        if item == self._item:
            return
        self._item, self._closer = item, None
        method = self.compositor.method
        if self.up_to_date and self._frame is not None and method is not None and method.looks:
            self._ask()
            self._draw(self._frame)

    def _seen(self, frame: Frame) -> AnySnapshot:
        """The snapshot of a frame, as it is while an item is looked at."""
        method, shown = self.compositor.method, frame.snapshot
        if method is None or self._engine is None or not 0 <= self._item < self._engine.data.n:
            return shown
        if self._closer is None or self._closer[0] is not shown:
            self._closer = shown, method.focused(shown, self._engine.data.item(self._item))
        return self._closer[1]

    @Slot()
    def _ask(self) -> None:
        """Ask for the fields of the frame on show, over the visible part of each view."""
        if self._frame is None:
            return
        keys = [key for key, view in self.views.items() if view.isVisible() or key == self.compositor.data_key]
        shown = self.peek.snapshot or self._seen(self._frame)
        asked = self.compositor.requests(shown, keys, self._cells, self._engine)
        self.rasters.ask(asked, lambda slot: slot.what in self.views[slot.panel].rasters)

    def _cells(self, view: Canvas) -> tuple[Size, ...]:
        wide = max(view.width(), 1) / max(view.height(), 1)
        return tuple(grid(side, wide) for side in (SIDES[:-1] if self._hurried else SIDES))
