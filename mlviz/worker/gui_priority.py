"""Letting the window go first.

Python runs one thread at a time and hands over only now and then: a window whose every call into Qt has to wait for the
turn of a thread that computes takes ten times as long to draw. So the window says when it has something to do, and
whoever computes waits meanwhile at the next step, piece or checkpoint. It never waits long, and afterwards it may work
for as long as it waited, so that a window that is always busy slows a run down but cannot stop it.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable

LONGEST = 0.08
"""Seconds that a thread waits at most before it goes on."""
BREATH = 0.004
"""Seconds of work after which a thread naps."""
NAP = 0.0005
"""Seconds of such a nap: Python hands over from one thread to another only now and then, and does it at a nap."""
NICENESS = 5
"""How much less important than the window a thread that computes is to the scheduler."""


def lower_priority() -> None:
    """Have the window preferred to this thread where both want a core, as far as the system tells threads apart."""
    if sys.platform == "linux" and threading.current_thread() is not threading.main_thread():
        thread = threading.get_native_id()
        os.setpriority(os.PRIO_PROCESS, thread, max(os.getpriority(os.PRIO_PROCESS, thread), NICENESS))


class GuiPriority:
    """Between :meth:`claim` and :meth:`release` the window works; :meth:`yield_to_gui` waits for its end."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._idle = threading.Event()
        self._idle.set()
        self._claimed = 0.0
        self._turn = threading.local()
        self.burst = 0.0
        """How long, in seconds, the window has worked without a rest the last time."""

    def claim(self) -> None:
        """The window begins to work."""
        if self._idle.is_set():
            self._claimed = self._clock()
            self._idle.clear()

    def release(self) -> None:
        """The window waits for events."""
        if not self._idle.is_set():
            self.burst = self._clock() - self._claimed
            self._idle.set()

    def yield_to_gui(self) -> None:
        """Wait while the window works, but not long and not twice in a row."""
        if self._idle.is_set():
            return
        now = self._clock()
        if now < getattr(self._turn, "until", 0.0):
            return
        if not self._idle.wait(LONGEST):
            self._turn.until = self._clock() + LONGEST


WINDOW = GuiPriority()
"""The one window of the process; without one nobody ever waits."""


class Breather:
    """Has a thread that computes nap now and then, so that others live; without a ``nap`` it never does."""

    def __init__(self, nap: float = NAP, clock: Callable[[], float] = time.perf_counter) -> None:
        self._nap, self._clock = nap, clock
        self._rested = clock()

    def breathe(self, now: bool = False) -> None:
        """Nap when it is time to, or ``now``."""
        if self._nap and (now or self._clock() - self._rested > BREATH):
            time.sleep(self._nap)
            self._rested = self._clock()
