"""The board: the large view, the second views and the metric curves - everything that shows the frame of one player."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from algorithms.contract import Algorithm
from algorithms.data import Array, Data
from algorithms.marks import Cloud3D, Mark, Scatter
from mlviz.session.comparison import shares_threshold
from mlviz.session.document import Document
from mlviz.session.scoring import Threshold
from mlviz.ui.board_message import BoardMessage
from mlviz.ui.frame_board import FrameBoard
from mlviz.ui.player import Player
from mlviz.views.canvas import Canvas
from mlviz.views.composition import CURVES, EVALUATION, ViewOrder
from mlviz.views.theme import Theme
from mlviz.worker.engine import Engine

MOVED = 200
"""How many steps the playhead may go on between a change and the run that it starts."""


class Board(FrameBoard):
    """Shows the frames of one player in all views; any number of boards may stand in a window."""

    points_hovered = Signal(object)
    points_clicked = Signal(object)
    place_hovered = Signal(object)
    """The place (2,) of the picture of the data under the mouse, or None."""
    param_dragged = Signal(object)
    value_opened = Signal()
    """Something that stands for a value of a parameter was clicked twice."""
    scrubbed = Signal(int)
    pressed = Signal()
    """The mouse means this board."""
    threshold_moved = Signal()
    data_view_changed = Signal()
    """There are other canvases: that of the data may be another one, or none."""

    def __init__(self, player: Player, parent: QWidget | None = None, name: str = "board") -> None:
        super().__init__(player, parent, name)
        self._document: Document | None = None
        self._curves_of: Data | None = None
        self._alone, self._roomy, self._evaluating = False, True, False
        self.large, self.board_layout = self.places.large, self.places.layout
        self.splitter, self.below = self.board_layout.splitter, self.board_layout.below
        self.message = BoardMessage(self.large)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.splitter)
        self._listen(self.plane)
        self.large.addWidget(self.plane)
        self._connect()
        player.run_started.connect(self._begin_run)

    def _connect(self) -> None:
        self.large.addWidget(self.plane)
        self.curves.scrubbed.connect(self.scrubbed)
        self.seconds.tabBarClicked.connect(self.pressed)
        self.seconds.currentChanged.connect(self._second_chosen)
        self.seconds.enlarged.connect(self.enlarge)
        self.places.curves_button.clicked.connect(self._enlarge_curves)
        self.curves.tabs.tabBarDoubleClicked.connect(self._enlarge_curves)
        self.curves.tabs.currentChanged.connect(self._second_chosen)
        self.evaluation.points_hovered.connect(self._hover)
        self.evaluation.points_clicked.connect(self._click)
        self.evaluation.pulsed.connect(self._pulse)
        self.evaluation.held_out_changed.connect(self.plane.hold_out)
        self.evaluation.threshold_changed.connect(self._threshold_moved)

    def _listen(self, view: Canvas) -> None:
        super()._listen(view)
        view.pressed.connect(self.pressed)
        view.points_hovered.connect(self._hover)
        view.points_clicked.connect(self.evaluation.view.release)
        view.points_clicked.connect(self._click)
        view.param_dragged.connect(self.param_dragged)
        view.value_opened.connect(self.value_opened)
        if view.panel.space == "data":
            view.place_hovered.connect(self.place_hovered)

    @Slot(object)
    def _hover(self, points: Array) -> None:
        if self._has(points):
            self.points_hovered.emit(points)

    @Slot(object)
    def _click(self, points: Array) -> None:
        if self._has(points):
            self.points_clicked.emit(points)

    def _has(self, points: Array) -> bool:
        """Whether there are these points: for a moment a view may still speak of data that have gone."""
        return self._document is not None and bool((points < self._document.data.n).all())

    def close_threads(self) -> None:
        """End the rasteriser and the evaluator."""
        self._settle.stop()
        self.evaluation.close()
        self.rasters.close()
        self.peek.close()

    # -- what is shown -------------------------------------------------------------------------------------------

    def set_theme(self, theme: Theme) -> None:
        """Colours and sizes from now on."""
        self.compositor.set_theme(theme)
        self.evaluation.view.set_theme(theme)
        self.places.set_theme(theme)
        self.places.suit()
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
        if (
            view is not None
            and not view.mouse.down
            and not (keep_view and before and before.seen_like(document) and view.shows_data())
        ):
            view.fit_view()

    def set_compact(self, compact: bool, below: bool = True) -> None:
        """Stand beside other boards, where the curves are a tab among the second views, or ``below`` has no room."""
        self._roomy = below or not compact
        self.below.setVisible(self._roomy and not self._alone)
        self.board_layout.compact = compact
        self.board_layout.suit()
        if compact != self.places.compact:
            self.places.compact = compact
            if not self._arrange_again():
                self.places.place_curves()

    # -- which view is large -------------------------------------------------------------------------------------

    @property
    def large_key(self) -> str:
        """The key of the large view: a panel, the evaluation or the curves."""
        return self.places.order.large

    @property
    def large_choices(self) -> dict[str, str]:
        """The view that was chosen to be large under each method: alone, or beside other boards."""
        return self.places.choices

    def choose_large(self, choices: Mapping[str, str], compact: bool | None = None) -> None:
        """Have these views large under their methods, as the board stands now or alone or ``compact``."""
        self.places.choose(choices, self.places.compact if compact is None else compact)
        self._arrange_again()

    @Slot(object)
    def enlarge(self, view: QWidget) -> None:
        """Swap a view with the large one, now and whenever this method is shown."""
        self.enlarge_key(self.places.key_of(view))

    def enlarge_key(self, key: str) -> None:
        """The same by the key of the view."""
        method, before = self.compositor.method, self.large_key
        if method is None or key not in self.places.order.keys or key == before:
            return
        self.choose_large(self.places.chosen_with(method, key))
        data = self.compositor.data_key
        if EVALUATION in (key, before) and data not in (None, key):  # the threshold moves the line among the data
            self.show_data_view()
        else:
            self.places.bring_to_front(before)

    def swap_large(self) -> None:
        """Swap the second view in front with the large one; where there is none, the curves."""
        self.enlarge_key(self.places.front)

    @Slot()
    def _enlarge_curves(self) -> None:
        """What is in front among the curves, or they themselves; again, and what was large comes back."""
        aside = next((key for key, view in self.views.items() if self.curves.holds(view)), None)
        if aside is not None and self.curves.aside_in_front:
            self.enlarge_key(aside)
        else:
            self.enlarge_key(self.places.order.first if self.large_key == CURVES else CURVES)

    def _arrange_again(self) -> bool:
        """Give all views their places when another one is to be large; each is looked at from where it was."""
        method = self.compositor.method
        if method is None:
            return False
        wanted = self._wanted_order(method)
        if wanted.is_like(self.places.order):
            self.compositor.order = wanted
            return False
        viewports = {key: view.viewport_state() for key, view in self.views.items()}
        curve, scales = self.curves.group, self.curves.scales
        self._make_views(method)
        self.curves.choose(curve, scales)
        if self._frame is None or self._waiting is not None:
            return True
        self._draw(self._frame)
        for key, viewport in viewports.items():
            if key in self.views:
                self.views[key].restore_viewport(viewport)
        self._ask()
        self._threshold_moved()
        return True

    def _wanted_order(self, method: Algorithm) -> ViewOrder:
        return self.places.wanted(method, None if self._document is None else self._document.data)

    def take_threshold(self, threshold: Threshold | None) -> None:
        """Draw the decision line at this level, which another board's evaluation has."""
        if threshold != self._given_threshold:
            self._given_threshold = threshold
            self._threshold_moved()

    def scores_like(self, other: Board) -> bool:
        """Whether a threshold of another board means the same on this one."""
        mine, its = self.compositor.method, other.compositor.method
        return mine is not None and its is not None and shares_threshold(mine, its)

    def show_data_view(self) -> None:
        """Bring the data to the front where they are behind another tab."""
        if self.compositor.data_key is not None:
            self.places.bring_to_front(self.compositor.data_key)

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

    def rest(self) -> None:
        """Hold nothing of a run any more, which may be hundreds of megabytes."""
        self._engine = self._frame = self._waiting = self._closer = None
        self._curves_of = None
        self.forget_run()
        self.evaluation.rest()

    def show_newcomer(self, place: Array | None) -> bool:
        """Mark where a new point would stand in the map of the method, or nothing; whether there is such a map."""
        found = False
        for view in self.views.values():
            if view.panel.space == "own":
                seen = (_seen_in(mark, place) for mark in view.marks)
                at = next((at for at in seen if at is not None), None)
                view.show_newcomer(at)
                found = found or at is not None
        return found

    def light_points(self, points: Array) -> None:
        """Show in all views which data points are meant."""
        for view in self.compositor.everywhere():
            view.light_points(points)
        self.evaluation.view.light_points(points)

    def resizeEvent(self, event: Any) -> None:
        """Keep the message in the middle."""
        super().resizeEvent(event)
        self._suit()
        self.message.place()

    def _suit(self) -> None:
        """Share the room as the shape of the board wants it."""
        self.board_layout.suit()
        self.places.suit()

    @Slot(object)
    def _begin_run(self, engine: Engine) -> None:
        """Frames from now on belong to this run; nothing of an older one is drawn any more."""
        since = engine.since or self._resumption(engine)
        comparable, self._curves_of = self._curves_of is engine.data, engine.data
        self._engine, self._frame, self._waiting = engine, None, None
        self.peek.forget()
        self.rasters.forget()
        self.message.say("")
        wanted = self._wanted_order(engine.algorithm)
        if engine.algorithm is not self.compositor.method or not wanted.is_like(self.places.order):
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

    @Slot()
    def _second_chosen(self) -> None:
        """The evaluation takes the room of the curves while it is looked at."""
        if self._frame is not None and self._outdated and self._waiting is None:
            self._draw(self._frame)
        evaluating = self.places.evaluation_in_front
        if evaluating == self._evaluating:
            return
        self._evaluating = evaluating
        if self.below.indexOf(self.curves) >= 0:
            self.curves.setVisible(not evaluating)
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
        """Views for another algorithm, or in another order."""
        self.places.evaluation_wanted, self._outdated = self._evaluating, set()
        self.repaints.release()
        self.places.place_all(algorithm, self._wanted_order(algorithm), self)
        self.data_view_changed.emit()


def _seen_in(mark: Mark, place: Array | None) -> Array | None:
    """Where a mark shows something at this place (k,) of a map: in space, in the plane of the first two, or nowhere.

    A map may have no coordinate yet, while the first component is being looked for.
    """
    if place is None or not len(place):
        return None
    if isinstance(mark, Cloud3D):
        return place if len(place) == 3 else None
    is_map = isinstance(mark, Scatter) and mark.partners is None
    return np.append(place, 0.0)[:2] if is_map else None
