"""Signals of the system close the window as its button does, so that the processes that work for it end with it."""

from __future__ import annotations

import signal
import socket

from PySide6.QtCore import QObject, QSocketNotifier, Slot
from PySide6.QtWidgets import QWidget

SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


class ClosedBySignal(QObject):
    """Closes the window when the program is asked to end; ``code`` is then its exit code.

    Python handles a signal between two of its own instructions, and Qt's loop may have none for long: the byte that
    Python writes at once wakes the loop.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window, self.code = window, 0
        self._read, self._written = socket.socketpair()
        for end in (self._read, self._written):
            end.setblocking(False)
        self._notifier = QSocketNotifier(self._read.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._woken)
        self._wakeup = signal.set_wakeup_fd(self._written.fileno())
        self._before = {number: signal.signal(number, self._asked) for number in SIGNALS}

    def end(self) -> None:
        """The loop has ended: signals mean again what they did."""
        for number, handler in self._before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._wakeup)
        self._notifier.setEnabled(False)
        self._read.close()
        self._written.close()

    def _asked(self, number: int, _: object) -> None:
        self.code = 128 + number

    @Slot()
    def _woken(self) -> None:
        self._read.recv(64)
        if self.code:
            self._window.close()
