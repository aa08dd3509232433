"""The ticker: one clock for everything that moves. It looks at the runs, moves the playheads and has the frames drawn.

Three rates are kept apart: an engine computes as fast as it may, a playhead moves as the user chose, and the screen
shows one frame per tick. Any number of players and boards may share a ticker.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, QTimer, Signal, Slot

from mlviz.ui.scheduler import Scheduler
from mlviz.worker.gui_priority import WINDOW

if TYPE_CHECKING:
    from mlviz.ui.player import Player

TICK_MS, IDLE_MS, SLOWEST_MS = 16, 80, 100
SOON_MS = 2
"""Milliseconds between two looks at a run that answers at once: its answer is not to wait for the next tick."""
LONGEST = 0.25
"""Seconds that a playhead moves at most in one tick, however long the last one is ago."""

_DRAWN = QEvent.Type(QEvent.registerEventType())


class Ticker(QObject):
    """Ticks while anything moves, and a few times a second otherwise.

    ``polls`` ask the threads for their answers at every tick; the ``scheduler`` draws what is new.
    """

    ticked = Signal()

    def __init__(self, parent: QObject | None = None, clock: Callable[[], float] = time.perf_counter) -> None:
        super().__init__(parent)
        self.clock = clock
        self.scheduler = Scheduler(clock)
        self.polls: tuple[Callable[[], None], ...] = ()
        self.players: list[Player] = []
        self.crowded = False
        """Whether the frames of several boards would not fit into a tick while they play."""
        self._last = clock()
        self._has_turn = False
        self._timer = QTimer(self, objectName="ticker", interval=TICK_MS)
        self._timer.timeout.connect(self.tick)

    def start(self) -> None:
        """Tick at full pace from now on."""
        self._timer.start(SOON_MS if any(player.answers_soon for player in self.players) else TICK_MS)

    def leave(self, player: Player) -> None:
        """Move this player no more; without any, tick no more and keep no thread waiting."""
        if player in self.players:
            self.players.remove(player)
        if not self.players:
            self._timer.stop()
            WINDOW.release()

    def restart_time(self) -> None:
        """The time until now moves no playhead."""
        self._last = self.clock()
        self.start()

    def wake(self) -> None:
        """Show at once what a user has asked for."""
        self.restart_time()
        self.scheduler.spreading = False
        self.tick()

    @Slot()
    def tick(self) -> None:
        """Look at the runs once, move the playheads and draw what is new."""
        self.take_turn()
        now = self.clock()
        elapsed, self._last = min(now - self._last, LONGEST), now
        if all(player.engine is None for player in self.players):
            return
        hurrying = any(player.hurrying for player in self.players)  # a run that has ended meanwhile plays no more
        for player in self.players:
            player.advance(elapsed)
        for poll in self.polls:
            poll()
        moving = self.crowded and any(player.playing for player in self.players)
        self.scheduler.turn(moving or hurrying)
        for player in self.players:
            player.report_failure()
        self.ticked.emit()
        self._timer.setInterval(self._pause())

    def _pause(self) -> int:
        """Milliseconds to the next tick: whatever the window does, a run has at least as much time as the window."""
        if self.scheduler.spreading:
            return int(min(max(TICK_MS, 2000.0 * WINDOW.burst), SLOWEST_MS))
        if any(player.answers_soon for player in self.players):
            return SOON_MS
        return TICK_MS if any(player.busy for player in self.players) else IDLE_MS

    def take_turn(self) -> None:
        """Let the threads that compute wait until the window has drawn what it is about to change."""
        if not self._has_turn:
            self._has_turn = True
            WINDOW.claim()
            QCoreApplication.postEvent(self, QEvent(_DRAWN), Qt.EventPriority.LowEventPriority.value - 1)

    def event(self, event: QEvent) -> bool:
        """Everything that was to be painted has been painted: that is posted before this event is served."""
        if event.type() == _DRAWN:
            self._has_turn = False
            WINDOW.release()
            return True
        return super().event(event)
