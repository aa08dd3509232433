"""What the window draws of a run, as chores that the player has done: all at each tick, or one by one in a hurry.

Together they take longer than a tick. While steps pour in, each tick does the next chore that has something to do, so
that mouse and keys never wait for more than one of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Slot

from mlviz.worker.timeline import Frame

if TYPE_CHECKING:
    from mlviz.ui.window import MainWindow


class Showing(QObject):
    """Joins the player with the board, the words about the frame and the time line."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.told: Frame | None = None
        """The frame that the words are about."""
        self._known: tuple[object, ...] = ()
        player = window.player
        player.run_started.connect(self._run_started)
        player.frame_changed.connect(self._frame_changed)
        drawing = (player.show, self._draw_second, self._draw_fields, self._draw_curves, self._draw_words)
        player.chores = (*drawing, window.board.prepare)

    @Slot(object)
    def _run_started(self, engine: Any) -> None:
        window = self._window
        assert window.player.algorithm is not None
        window.board.begin_run(engine, window.player.algorithm)
        window.transport.set_events([])

    @Slot(object)
    def _frame_changed(self, frame: Frame) -> None:
        self._window.board.show_frame(frame, self._window.player.in_turns)
        if not self._window.player.in_turns:
            self._tell(frame)

    def _tell(self, frame: Frame) -> None:
        self._window.what_happens.show_frame(frame.snapshot)
        self._window.pointer.refresh()
        self.told = frame

    def _draw_second(self) -> bool:
        return self._window.board.draw_second(self._window.player.in_turns)

    def _draw_fields(self) -> bool:
        return self._window.board.draw_fields(self._window.player.in_turns)

    def _draw_curves(self) -> bool:
        player = self._window.player
        return self._window.board.curves.refresh(player.steps, player.position)

    def _draw_words(self) -> bool:
        """The caption, the time line, "why this point", the scores and the status bar; whether anything was new."""
        window, player = self._window, self._window.player
        window.board.poll()
        window.pointer.poll()
        news = player.shown if player.shown is not self.told else None
        if news is not None:
            self._tell(news)
        known = (player.steps, player.running, player.reason)
        if known != self._known:
            self._known = known
            window.transport.set_progress(*known)
            if player.timeline is not None and not player.running:
                window.transport.set_events(player.timeline.events)
        window.transport.set_position(player.position)
        if player.engine is not None:
            spent = player.engine.seconds * 1000.0
            window.facts_label.setText(f"{window.data_desk.counted()} · {spent:.{0 if spent >= 10 else 1}f} ms")
        return news is not None
