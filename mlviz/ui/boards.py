"""The boards of the window: one, or up to four settings side by side on the same data and one clock.

One of them is the active one: the form, the words, the transport bar and the tools are about it, and its player leads
the others. A board that is closed rests until another one is needed; to make one takes longer than to draw on it.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QGridLayout, QVBoxLayout, QWidget

from algorithms.data import Array
from mlviz.session.comparison import MOST_BOARDS, Setting, columns_for
from mlviz.session.document import Document
from mlviz.ui import style
from mlviz.ui.board import Board
from mlviz.ui.difference_pane import DifferencePane
from mlviz.ui.pane import Pane, name_panes
from mlviz.ui.player import Player
from mlviz.ui.scheduler import Piece, Stage
from mlviz.ui.settled_repaint import SettledRepaint
from mlviz.ui.ticker import Ticker
from mlviz.views.plane import PlaneView
from mlviz.views.theme import LIGHT, Theme
from mlviz.worker.timeline import Frame

WORDS = 4.0
"""Font sizes of the height that the line above a board and its axis take."""
HIGH = 42.0
"""A board lower than so many font sizes has no room for views below the large one."""

PASSED_ON = (
    "points_hovered",
    "points_clicked",
    "place_hovered",
    "param_dragged",
    "value_opened",
    "setting_seen",
    "data_view_changed",
)
"""What a board says that the window hears from any of them."""


class Boards(QWidget):
    """All boards, and whichever is active."""

    points_hovered = Signal(object)
    points_clicked = Signal(object)
    place_hovered = Signal(object)
    param_dragged = Signal(object)
    value_opened = Signal()
    setting_seen = Signal(str)
    data_view_changed = Signal()
    playing_changed = Signal(bool)
    run_started = Signal()
    """The run of the active board is another one, or another board is active."""
    chosen = Signal(int)
    """The user means the board at this place."""
    close_requested = Signal(int)
    run_refused = Signal(object, str)
    """The method on this pane cannot use the data; the sentence says why."""
    run_failed = Signal(object, object)
    """Something unexpected went wrong in the run of this pane; the exception."""
    difference_closed = Signal()

    def __init__(self, ticker: Ticker, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("boards")
        self._ticker = ticker
        self._theme, self._legends = LIGHT, True
        self._spare: list[Pane] = []
        self._made = 0
        self._large_alone: dict[str, str] = {}
        self._settings: tuple[Setting, ...] = ()
        self._also: tuple[tuple[Any, ...], tuple[Stage, ...]] = ((), ())
        self.difference: DifferencePane | None = None
        """The map of where they differ, made when it is first looked at."""
        self._grid, self._column = QGridLayout(spacing=2), QVBoxLayout(self, spacing=0)
        for layout in (self._grid, self._column):
            layout.setContentsMargins(0, 0, 0, 0)
        self._column.addLayout(self._grid, 1)
        self._repaint = SettledRepaint(self)
        self.panes = [self._pane()]
        self._active = self._led = self.panes[0]
        self.setFocusProxy(self._active)
        self._arranged: tuple[int, ...] = ()
        self._arrange()

    # -- which is which ------------------------------------------------------------------------------------------

    @property
    def active(self) -> Pane:
        """The pane that the controls are about."""
        return self._active

    @property
    def board(self) -> Board:
        """The active board."""
        return self._active.board

    @property
    def player(self) -> Player:
        """The player of the active board, which leads the others."""
        return self._active.player

    @property
    def comparing(self) -> bool:
        """Whether there is more than one."""
        return len(self.panes) > 1

    @property
    def resting(self) -> tuple[Pane, ...]:
        """Panes out of sight that are kept for the next comparison."""
        return tuple(self._spare)

    def join(self, polls: tuple[Any, ...], stages: tuple[Stage, ...]) -> None:
        """What is asked at every tick besides the boards, and drawn after them."""
        self._also = (polls, stages)
        self._wire()

    def _pane(self, setting: Setting | None = None) -> Pane:
        """A pane for this setting: one that was closed with it, one that rests, or a new one."""
        if self._spare:
            known = (pane for pane in self._spare if pane.rested is not None and pane.rested.setting == setting)
            pane = next(known, None) or self._spare[-1]
            self._spare.remove(pane)
            style.dress(pane)
            if pane.board.compositor.theme != self._theme:
                pane.set_theme(self._theme)
            if pane.rested is None or pane.rested.setting != setting:
                pane.board.choose_large({}, compact=True)
            return pane
        self._made += 1
        pane = Pane(self._ticker, "board" if self._made == 1 else f"board {self._made}", self)
        pane.pressed.connect(partial(self._pressed, pane))
        pane.close_requested.connect(partial(self._close, pane))
        pane.player.playing_changed.connect(self.playing_changed)
        pane.player.data_refused.connect(partial(self.run_refused.emit, pane))
        pane.player.run_failed.connect(partial(self.run_failed.emit, pane))
        pane.player.run_started.connect(partial(self._began, pane))
        board = pane.board
        board.places.share_choices(self._large_alone)
        for signal in PASSED_ON:
            getattr(board, signal).connect(getattr(self, signal))
        board.scrubbed.connect(partial(self._scrubbed, pane))
        board.threshold_moved.connect(self._share_threshold)
        board.plane.box.sigRangeChangedManually.connect(partial(self._link, board.plane))
        board.set_theme(self._theme)
        board.compositor.show_legends(self._legends)
        pane.header.set_theme(self._theme)
        return pane

    def _pressed(self, pane: Pane) -> None:
        if pane is not self._active and pane in self.panes:
            self.chosen.emit(self.panes.index(pane))

    def _close(self, pane: Pane) -> None:
        self.close_requested.emit(self.panes.index(pane))

    def _began(self, pane: Pane, _: object) -> None:
        if pane is self._active:
            self.run_started.emit()

    def _scrubbed(self, pane: Pane, step: int) -> None:
        self._pressed(pane)
        self.player.seek(step)

    # -- the document --------------------------------------------------------------------------------------------

    def show_document(self, document: Document, origin: Array | None = None, keep_view: bool = False) -> None:
        """Have a board for every setting of the document, and show its data on each."""
        self._match(document.settings)
        for place, pane in enumerate(self.panes):
            pane.board.set_document(document.at(place), origin, keep_view)
        name_panes(self.panes, self._settings)
        self._show_difference(document)
        self._lead(self.panes[document.comparison.place], document)

    def _show_difference(self, document: Document) -> None:
        """The map stands behind the boards, while it is wanted and there are any to compare."""
        wanted = document.comparison.difference and self.comparing
        if wanted and self.difference is None:
            self.difference = DifferencePane(self.panes, self)
            self.difference.set_theme(self._theme)
            self._show_legends()
            self.difference.header.close_button.clicked.connect(self.difference_closed)
            for view in self.difference.views:
                for signal in ("points_hovered", "points_clicked"):
                    getattr(view, signal).connect(getattr(self, signal))
            self.difference.view.box.sigRangeChangedManually.connect(partial(self._link, self.difference.view))
        if self.difference is not None and wanted == self.difference.isHidden():
            if wanted:
                self.difference.set_theme(self._theme)
            self.difference.setVisible(wanted)
            self._arrange()
        if self.difference is not None and wanted:
            self.difference.set_document(document)

    def _link(self, view: PlaneView, *_: object) -> None:
        """Who pans or zooms one plane sees the same part of all."""
        viewport = view.viewport_state()
        for other in self._planes():
            if other is not view and other.isVisible():
                other.restore_viewport(viewport)

    def _planes(self) -> list[PlaneView]:
        found: list[PlaneView] = [pane.board.plane for pane in self.panes]
        return [*found, self.difference.view] if self.difference is not None else found

    def _match(self, wanted: tuple[Setting, ...]) -> None:
        """As many panes as settings; those whose setting is still there stay where it is."""
        before, had = len(self.panes), list(self._settings)
        if before != len(wanted) and self.isVisible():  # else all would be painted at each size on the way
            self._repaint.hold(self)
        while len(self.panes) > len(wanted):
            self._put_away(_first_difference(had, wanted), had)
        while len(self.panes) < len(wanted):
            place = _first_difference(had, wanted)
            self.panes.insert(place, self._pane(wanted[place]))
            had.insert(place, wanted[place])
        self._settings = wanted
        self._show_legends()
        if len(self.panes) != before:
            self._arrange()
            self._repaint.lay_out()

    def _put_away(self, place: int, had: list[Setting]) -> None:
        pane = self.panes.pop(place)
        if had:
            del had[place]
        if pane is self._active:
            self._active = self.panes[0]
            self._active.player.lead((), "step", pane.player)
        focus = QApplication.focusWidget()
        if focus is not None and pane.isAncestorOf(focus):
            self._active.board.setFocus()  # else it would go to whatever comes next, a button perhaps
        pane.rest()
        self._spare.append(pane)

    def _lead(self, pane: Pane, document: Document) -> None:
        others = tuple(other.player for other in self.panes if other is not pane)
        pane.player.lead(others, document.comparison.clock, self._active.player)
        self._active = pane
        self.setFocusProxy(pane.board)
        for other in self.panes:
            other.header.set_active(other is pane)
        for one in self.panes:
            one.board.curves.set_beside(tuple(other.board.curves for other in self.panes if other is not one))
        self._wire()
        if pane is not self._led:
            self._led = pane
            self.run_started.emit()
            self.data_view_changed.emit()
        self._share_threshold()

    def _wire(self) -> None:
        """The active board is moved and drawn first."""
        first = [self._active, *(pane for pane in self.panes if pane is not self._active)]
        polls, stages = self._also
        self._ticker.players = [pane.player for pane in first]
        self._ticker.crowded = self.comparing
        self._ticker.polls = (*(pane.board.poll for pane in first), *polls, self._poll_difference, self._poll_resting)
        drawing = [stage for pane in first for stage in pane.board.stages]
        making = [pane.board.missing_canvas for pane in first]
        self._ticker.scheduler.stages = (*drawing, *stages, self._fact_pieces, self._difference_pieces, *making)

    def _poll_resting(self) -> None:
        for pane in self._spare:
            pane.player.forget_ended()

    def _poll_difference(self) -> None:
        if self.difference is not None:
            self.difference.poll()

    def _difference_pieces(self, hurried: bool) -> list[Piece]:
        return [] if self.difference is None else self.difference.pieces(hurried)

    def _fact_pieces(self, _: bool) -> list[Piece]:
        return [Piece("facts", self._show_facts)] if self.comparing else []

    def _show_facts(self) -> None:
        for pane in self.panes:
            pane.show_facts()
        if self.difference is not None and self.difference.isVisible():
            self.difference.show_results()
        name_panes(self.panes, self._settings)

    def run_soon(self, document: Document, start: Frame | None = None) -> None:
        """Run every setting that has changed as soon as changes rest; the active one may go on from a model."""
        for place, pane in enumerate(self.panes):
            pane.run_soon(document.at(place), start if pane is self._active else None)

    def run(self, document: Document, at: int | None = None) -> None:
        """Run every setting now; ``at`` is the step to show."""
        for place, pane in enumerate(self.panes):
            pane.run(document.at(place), at=at if pane is self._active else None)

    # -- what is common to all -----------------------------------------------------------------------------------

    def light_points(self, points: Array) -> None:
        """Show on every board which points are meant."""
        for pane in self.panes:
            pane.board.light_points(points)
        for view in () if self.difference is None else self.difference.views:
            if view.scene_info is not None:
                view.light_points(points)

    def look_at(self, item: int) -> None:
        """Have every board show what it says of this item; -1 is none."""
        for pane in self.panes:
            pane.board.look_at(item)

    @Slot()
    def _share_threshold(self) -> None:
        """Where one board has its evaluation in view, the others of its sort decide at the same threshold."""
        boards = [self.board, *(pane.board for pane in self.panes if pane is not self._active)]
        source = next((board for board in boards if board.evaluation.draws_line()), None)
        for board in boards:
            shared = source is not None and board is not source and board.scores_like(source)
            board.take_threshold(source.evaluation.threshold if shared and source is not None else None)

    @Slot()
    def fit_view(self) -> None:
        """Show all of the data on every board."""
        for pane in self.panes:
            pane.board.fit_view()
        if self.difference is not None and self.difference.isVisible():
            self.difference.view.fit_view()

    def set_theme(self, theme: Theme) -> None:
        """Colours and sizes from now on."""
        self._theme = theme
        for pane in self.panes:  # those that rest are dressed when they come back
            pane.set_theme(theme)
        if self.difference is not None and not self.difference.isHidden():
            self.difference.set_theme(theme)
        self._arrange()

    def toggle_legends(self) -> None:
        """Hide the legends of all boards and their curves, or bring them back."""
        self._legends = not self._legends
        self._show_legends()

    def _show_legends(self) -> None:
        methods = [setting.algorithm for setting in self._settings] or [""]  # boards of one have one legend
        for place, pane in enumerate(self.panes):
            shown = self._legends and methods[place] not in methods[:place]
            pane.board.compositor.show_legends(shown, len(methods) > 1)
        for view in () if self.difference is None else self.difference.views:
            view.legend.hide_for(not self._legends)

    def drop_unused(self) -> None:
        """Let go of what is not on show and can be made again; not of what somebody holds with the mouse."""
        if QApplication.mouseButtons() == Qt.MouseButton.NoButton:
            for pane in (*self.panes, *self._spare):
                pane.board.compositor.drop_unused()

    def close_threads(self) -> None:
        """Stop everything and wait for the threads."""
        for pane in (*self.panes, *self._spare):
            pane.player.close()
        for pane in (*self.panes, *self._spare):
            pane.board.close_threads()
        if self.difference is not None:
            self.difference.close_threads()

    # -- time ----------------------------------------------------------------------------------------------------

    @Slot(bool)
    def set_playing(self, playing: bool) -> None:
        """Play or pause."""
        self.player.set_playing(playing)

    @Slot(int)
    def step(self, count: int) -> None:
        """Move by frames."""
        self.player.step(count)

    @Slot(int)
    def step_phase(self, direction: int) -> None:
        """Move to where the phase of the active run changes."""
        self.player.step_phase(direction)

    @Slot(str)
    def jump(self, where: str) -> None:
        """Go to the start or the end."""
        self.player.jump(where)

    @Slot(int)
    def seek(self, step: int) -> None:
        """Put the playhead on a step."""
        self.player.seek(step)

    @Slot(float)
    def set_speed(self, speed: float) -> None:
        """How fast to play."""
        self.player.set_speed(speed)

    # -- room ----------------------------------------------------------------------------------------------------

    def minimumSizeHint(self) -> QSize:
        """Never a reason for the window to grow: what has no room on a board is left out there."""
        return QSize(280, 240)

    def hasHeightForWidth(self) -> bool:
        """The same for the sentences beside the map of differences, which are higher in a narrow place."""
        return False

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Other room may need another order."""
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        """Put the panes in rows and columns; with little height nothing stands below the large views."""
        cells: list[QWidget] = [*self.panes]
        if self.difference is not None and not self.difference.isHidden():
            cells.append(self.difference)
        count = len(cells)
        columns = columns_for(count, self.width(), self.height(), WORDS * self._theme.font)
        rows = math.ceil(count / columns)
        roomy = self.height() / rows >= HIGH * self._theme.font
        for pane in self.panes:
            pane.header.setVisible(self.comparing)
            pane.board.set_compact(self.comparing, roomy)
        before, self._arranged = self._arranged, (columns, *map(id, cells))
        if before == self._arranged:
            return
        while self._grid.count():
            self._grid.takeAt(0)
        for number, cell in enumerate(cells):
            row, column = divmod(number, columns)
            last = number == count - 1
            self._grid.addWidget(cell, row, column, 1, columns - column if last else 1)
            cell.show()
        for number in range(MOST_BOARDS + 1):
            self._grid.setRowStretch(number, int(number < rows))
            self._grid.setColumnStretch(number, int(number < columns))


def _first_difference(one: list[Setting], other: tuple[Setting, ...]) -> int:
    """The first place at which two lists are not alike."""
    alike = (number for number, (a, b) in enumerate(zip(one, other)) if a != b)
    return next(alike, min(len(one), len(other)))
