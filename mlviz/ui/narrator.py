"""The words about the frame on show: the caption, the time line, "why this point", and the status bar."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from mlviz.ui.scheduler import Piece
from mlviz.worker.timeline import Frame

if TYPE_CHECKING:
    from mlviz.ui.player import Player
    from mlviz.ui.window import MainWindow


State = tuple[int, bool, str, int]
NOTHING: State = (-1, False, "", -1)


class Narrator(QObject):
    """Tells what the player shows, all of it in one piece."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.described: Frame | None = None
        """The frame that the words are about."""
        self._known = NOTHING
        self._warned: tuple[object, ...] = ()
        window.boards.run_started.connect(self._run_started)
        window.transport.time_bar.counted = self.counted_at

    @Slot()
    def _run_started(self) -> None:
        timeline = self._window.player.timeline
        self._window.transport.set_events([], [] if timeline is None else timeline.changes)
        self._known = NOTHING

    def pieces(self, _: bool) -> list[Piece]:
        """The words, when there is something new to be said."""
        news = self._window.player.shown is not self.described or self._state() != self._known
        doubts = self._doubted() != self._warned
        return ([Piece("words", self._tell)] if news else []) + ([Piece("warnings", self._warn)] if doubts else [])

    def _doubted(self) -> tuple[object, ...]:
        """What is on show on every board, and whether the words beside it have room for a warning."""
        window = self._window
        said = not window.boards.comparing and (window.presenting or window.what_happens.shows_warning)
        return (said, *((pane, pane.player.shown) for pane in window.boards.panes))

    def _warn(self) -> None:
        """A warning is always seen: above its board where several are compared, or where no panel shows it."""
        self._warned = self._doubted()
        window = self._window
        for pane in window.boards.panes:
            shown = pane.player.shown
            text = "" if shown is None else shown.snapshot.warning
            if shown is not None and pane is window.boards.active:
                text = " ".join(filter(None, (text, window.trials.further_warning(shown.snapshot))))
            pane.show_warning("" if self._warned[0] else text)

    def _tell(self) -> None:
        window, player = self._window, self._window.player
        if player.shown is not None and player.shown is not self.described:
            self.described = player.shown
            snapshot = player.shown.snapshot
            further_warning = window.trials.further_warning(snapshot)
            window.what_happens.show_frame(snapshot, further_warning)
            window.what_happens.set_offers(window.trials.offers(snapshot))
            window.presenter.show_frame(snapshot, further_warning)
            window.pointer.refresh()
        before, self._known = self._known, self._state()
        steps, running, reason, position = self._known
        if before[:3] != self._known[:3]:
            window.transport.set_progress(steps, running, reason)
            if not running:
                window.say_seed()
                window.comparing.note_seeds()
            if player.timeline is not None and not running:
                window.transport.set_events(player.timeline.events, player.timeline.changes)
        window.transport.set_position(position, self._counted(player))
        if player.engine is not None:
            spent = player.engine.seconds * 1000.0
            window.facts_label.setText(f"{window.data_controller.counted()} · {spent:.{0 if spent >= 10 else 1}f} ms")

    def _counted(self, player: Player) -> str:
        """What the method has counted up to the frame on show, as its caption does."""
        if player.shown is None or player.algorithm is None:
            return ""
        return player.algorithm.counted_at(player.shown.snapshot.model)

    def counted_at(self, step: int) -> str:
        """The same for any step that is kept; beyond the end of the run for its last, which is then on show."""
        player = self._window.player
        if player.timeline is None or player.algorithm is None or not player.steps:
            return ""
        frame = player.timeline.frame(step)
        return player.algorithm.counted_at(frame.snapshot.model) if frame.exact else ""

    def _state(self) -> State:
        """What the time line says of the run."""
        player = self._window.player
        return player.clock_steps, player.clock_running, player.reason, player.clock_position
