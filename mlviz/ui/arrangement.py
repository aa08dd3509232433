"""From the window to a :class:`Layout` and back: what each canvas shows, which tabs are in front, how the docks stand.

A layout cannot be put back at once: canvases fit themselves to their first frame, a tab appears when a frame has
something for it, and a threshold needs scores. So it waits, and each part is put back as soon as it can be; the first
change of the document by the user ends the waiting.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtWidgets import QDockWidget

from mlviz.session.layout import AREAS, MAX_PIXELS, Area, BoardLook, Dock, Layout, Viewport
from mlviz.ui.board import Board
from mlviz.ui.pane import Pane

if TYPE_CHECKING:
    from mlviz.ui.window import MainWindow

_SIDES: dict[Area, Qt.DockWidgetArea] = {
    area: getattr(Qt.DockWidgetArea, f"{area.capitalize()}DockWidgetArea") for area in AREAS
}


class Arrangement(QObject):
    """Reads the layout off the window, and puts one back as frames and scores arrive."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._waiting: Layout | None = None
        self._engine: Any = None
        self._boards: list[_Restoring] = []
        window.ticker.ticked.connect(self._proceed)

    # -- reading -------------------------------------------------------------------------------------------------

    def layout(self) -> Layout:
        """How the window looks at the document now; while a layout is being put back, that one."""
        window, board = self._window, self._window.board
        if self._waiting is not None and self._engine is window.player.engine:
            return self._waiting
        look = _look_of(board)
        return Layout(
            viewports={key: view.viewport_state() for key, view in board.views.items()},
            large=dict(board.places.choices_alone),
            second=look.second,
            controls=window.knobs.tabText(window.knobs.currentIndex()),
            curve=board.curves.group,
            logarithmic=board.curves.scales,
            evaluation=look.evaluation,
            pinned=tuple(window.pointer.pinned.tolist()),
            large_height=board.board_layout.fraction,
            beside=board.below.fraction,
            docks=() if window.presenting else tuple(self._docks()),
            boards=tuple(_look_of(pane.board) for pane in window.boards.panes) if window.boards.comparing else (),
            speed=window.transport.chosen_speed(),
            by_phase=window.transport.by_phase(),
        )

    def _docks(self) -> list[Dock]:
        """The docks of each area in the order in which they stand; tabs over each other share a place."""
        window = self._window
        found: list[Dock] = []
        sides = {side: area for area, side in _SIDES.items()}
        for area in AREAS:
            docks = [dock for dock in window.docks if sides.get(window.dockWidgetArea(dock)) == area]
            across = area in ("top", "bottom")
            docks.sort(key=lambda dock: dock.x() if across else dock.y())
            places: dict[QDockWidget, int] = {}
            for dock in docks:
                with_it = [places[other] for other in window.tabifiedDockWidgets(dock) if other in places]
                places[dock] = with_it[0] if with_it else len(set(places.values()))
                size = (min(max(side, 0), MAX_PIXELS) for side in (dock.width(), dock.height()))
                found.append(Dock(dock.objectName(), area, places[dock], not dock.isHidden(), *size))
        return found

    # -- putting back --------------------------------------------------------------------------------------------

    def put_back(self, layout: Layout, docks: bool = True) -> None:
        """Bring the window to this layout, part by part; ``docks``: also the panels at its sides."""
        window = self._window
        self._waiting, self._engine = layout, window.player.engine
        titles = [window.knobs.tabText(number) for number in range(window.knobs.count())]
        if layout.controls in titles:
            window.knobs.setCurrentIndex(titles.index(layout.controls))
        window.transport.set_speed(layout.speed)
        window.player.set_speed(window.transport.speed())
        window.transport.set_by_phase(layout.by_phase)
        window.player.by_phase = layout.by_phase
        self._boards = []
        for place, pane in enumerate(window.boards.panes):
            look = layout.on_board(place, pane is window.boards.active)
            pane.board.choose_large(layout.large, compact=False)
            if window.boards.comparing:
                pane.board.choose_large(look.large)
            pane.board.curves.choose(look.curve, layout.logarithmic)
            self._boards.append(_Restoring(pane, look))
        if docks and layout.docks and not window.presenting:
            self._set_docks(layout.docks)

    @Slot()
    def _proceed(self) -> None:
        window = self._window
        if self._waiting is not None:
            if window.player.engine is not self._engine:
                self._waiting = self._engine = None
            elif window.isVisible() and window.board.up_to_date and window.player.arrived:
                layout, self._waiting, self._engine = self._waiting, None, None  # the engine has all frames of a run
                self._look(layout)
        elif self._boards:
            self._boards = [board for board in self._boards if not board.proceed()]

    def _look(self, layout: Layout) -> None:
        """The frame is on show: choose the tab and give every part its room, then look from the same places."""
        board = self._window.board
        for restoring in self._boards:
            restoring.proceed()
        if layout.large_height is not None:
            board.board_layout.share_height(layout.large_height)
        if layout.beside is not None:
            board.below.give(layout.beside)
        for key, viewport in layout.viewports.items():
            view = board.views.get(key) if viewport == Viewport() else board.view(key)
            if view is not None:
                view.restore_viewport(viewport)
        pinned = np.array(layout.pinned, dtype=np.intp)
        self._window.pointer.click(pinned[pinned < self._window.document.data.n])

    def _set_docks(self, docks: tuple[Dock, ...]) -> None:
        window = self._window
        known = {dock.objectName(): dock for dock in window.docks}
        pairs = [(known[dock.name], dock) for dock in docks if dock.name in known]
        if _order(self._docks()) != _order(docks):
            for widget, _ in pairs:
                window.removeDockWidget(widget)
            first: dict[tuple[Area, int], QDockWidget] = {}
            for widget, dock in pairs:
                widget.setFloating(False)
                window.addDockWidget(_SIDES[dock.area], widget)
                below = first.setdefault((dock.area, dock.place), widget)
                if below is not widget:
                    window.tabifyDockWidget(below, widget)
        for widget, dock in pairs:
            widget.setVisible(dock.shown)
        shown = [(widget, dock) for widget, dock in pairs if dock.shown and dock.width and dock.height]
        for orientation, side in ((Qt.Orientation.Horizontal, "width"), (Qt.Orientation.Vertical, "height")):
            window.side_panels.resize(
                [widget for widget, _ in shown], [getattr(dock, side) for _, dock in shown], orientation
            )


class _Restoring:
    """Puts back how one board was looked at: its tab with the first frame, then, with its scores, its threshold."""

    def __init__(self, pane: Pane, look: BoardLook) -> None:
        self._pane, self._look, self._engine = pane, look, pane.player.engine
        self._shown = False

    def proceed(self) -> bool:
        """Do what can be done now; whether that was all, or another run has made it void."""
        board, look, settings = self._pane.board, self._look, self._look.evaluation
        if self._pane.player.engine is not self._engine:
            return True
        if not self._shown:
            if not board.up_to_date:
                return False
            self._shown = True
            wanted = board.places.widget(look.second)
            index = -1 if wanted is None else board.seconds.indexOf(wanted)
            if index >= 0 and board.seconds.isTabVisible(index):
                board.seconds.setCurrentIndex(index)
            if settings is not None:
                board.evaluation.view.source.setCurrentText(settings.source)
        view = board.evaluation.view
        if settings is not None and view.scores is not None and view.scores.source == settings.source:
            view.apply(settings)
            return True
        return settings is None


def _look_of(board: Board) -> BoardLook:
    """How a board is looked at now."""
    evaluation, seconds = board.evaluation.view, board.seconds
    hidden = seconds.isHidden() or board.below.isHidden()
    evaluating = board.places.evaluation_in_front and not hidden
    settings = evaluation.settings()
    return BoardLook(
        large=dict(board.large_choices),
        second="" if hidden else board.places.key_of(seconds.currentWidget()),
        curve=board.curves.group,
        evaluation=settings if evaluation.scores is not None or evaluating else None,
    )


def _order(docks: Any) -> list[tuple[str, Area, int]]:
    return [(dock.name, dock.area, dock.place) for dock in docks]
