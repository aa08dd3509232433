"""What can wait until the first picture is on the screen: done in small pieces, so that no click has to wait for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from PySide6.QtCore import QObject, QTimer, Slot

PAUSE_MS = 5
"""Between two pieces: mouse, keys and frames have their turn."""
REST_MS = 100
"""Before the first piece: the picture is painted, and whoever clicks at once is served."""
PATIENCE = 200
"""After this many pauses (a second) it begins even when nothing is shown, as with data that a method refuses."""


class DeferredStartup(QObject):
    """Goes through the steps one by one, each in a turn of the event loop of its own, once ``ready`` says so.

    Whoever needs what a step makes before its turn makes it at once: a step only does early what would be done later.
    """

    def __init__(self, steps: Iterator[object], ready: Callable[[], bool], parent: QObject) -> None:
        super().__init__(parent)
        self._steps = steps
        self._ready = ready
        self._waited = 0
        self._timer = QTimer(self, objectName="afterwards", interval=PAUSE_MS)
        self._timer.timeout.connect(self._wait)
        self._timer.start()

    @property
    def done(self) -> bool:
        """Whether nothing is left to do."""
        return not self._timer.isActive()

    @Slot()
    def _wait(self) -> None:
        self._waited += 1
        if self._ready() or self._waited > PATIENCE:
            self._timer.timeout.disconnect(self._wait)
            self._timer.timeout.connect(self._go_on)
            self._timer.start(REST_MS)

    @Slot()
    def _go_on(self) -> None:
        self._timer.setInterval(PAUSE_MS)
        try:
            next(self._steps)
        except StopIteration:
            self._timer.stop()
