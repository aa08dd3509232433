"""What the window draws of a run, in pieces: the player does all of them at each tick, or in a hurry a few.

Together they take longer than a tick. While steps pour in, each tick does as many as fit into it, so that mouse and
keys never wait for long.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Slot

from mlviz.worker.timeline import Frame

if TYPE_CHECKING:
    from mlviz.ui.window import MainWindow


State = tuple[int, bool, str, int]
NOTHING: State = (-1, False, "", -1)


class FramePresenter(QObject):
    """Joins the player with the board, the words about the frame and the time line."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.described: Frame | None = None
        """The frame that the words are about."""
        self._known = NOTHING
        player = window.player
        player.run_started.connect(self._run_started)
        player.frame_changed.connect(self._frame_changed)
        player.pieces = self._pieces

    @Slot(object)
    def _run_started(self, engine: Any) -> None:
        window = self._window
        assert window.player.algorithm is not None
        window.board.begin_run(engine, window.player.algorithm)
        window.transport.set_events([])
        self._known = NOTHING

    @Slot(object)
    def _frame_changed(self, frame: Frame) -> None:
        self._window.board.show_frame(frame, self._window.player.spread_over_ticks)
        if not self._window.player.spread_over_ticks:
            self._tell(frame)

    def _tell(self, frame: Frame) -> None:
        self._window.what_happens.show_frame(frame.snapshot)
        self._window.pointer.refresh()
        self.described = frame

    def _pieces(self) -> Iterator[str]:
        """Everything that is new, painted at the end: a plane and its field come together."""
        player, board = self._window.player, self._window.board
        yield from player.show()
        yield from board.draw_second()
        yield from board.draw_fields(player.spread_over_ticks)
        yield from board.draw_second()  # of the first frame of a run, which has waited for its fields
        if board.curves.due(player.steps, player.position):
            yield "curves"
            if player.spread_over_ticks:
                board.repaints.hold(board.curves.plot)
            board.curves.refresh(player.steps, player.position)
        yield from board.repaints.paint()
        yield from self._draw_words()
        yield from board.prepare()

    def _draw_words(self) -> Iterator[str]:
        """The caption, the time line, "why this point", the scores and the status bar."""
        window, player = self._window, self._window.player
        window.board.poll()
        window.pointer.poll()
        if player.shown is self.described and self._state() == self._known:
            return
        yield "words"
        if player.shown is not None and player.shown is not self.described:
            self._tell(player.shown)
        before, self._known = self._known, self._state()
        steps, running, reason, position = self._known
        if before[:3] != self._known[:3]:
            window.transport.set_progress(steps, running, reason)
            if player.timeline is not None and not running:
                window.transport.set_events(player.timeline.events)
        window.transport.set_position(position)
        if player.engine is not None:
            spent = player.engine.seconds * 1000.0
            window.facts_label.setText(f"{window.data_controller.counted()} · {spent:.{0 if spent >= 10 else 1}f} ms")

    def _state(self) -> State:
        """What the time line says of the run."""
        player = self._window.player
        return player.steps, player.running, player.reason, player.position
