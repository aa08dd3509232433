"""One piece of work in a thread of its own: started, watched, called off, and asked for its result."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

from algorithms.interrupt import Interrupted, interruptible
from algorithms.records import dataclass
from mlviz.data.reading import Cancelled, Reading

Result = TypeVar("Result")
PATIENCE = 5.0
"""Seconds that the end of the program waits for threads; one that waits for a pipe itself is left behind."""


@dataclass(frozen=True, slots=True)
class Outcome(Generic[Result]):
    """What came of it: a value, or what went wrong. Both are None when the work was called off."""

    value: Result | None = None
    error: BaseException | None = None


class Task(Generic[Result]):
    """Runs ``work(reading)`` once. The thread is a daemon: whoever starts it polls, and closes it at the end.

    Called off, it ends at the next report to ``reading`` or the next checkpoint of a method.
    """

    def __init__(self, work: Callable[[Reading], Result], name: str = "mlviz-task") -> None:
        self.reading = Reading()
        self._work = work
        self._outcome: Outcome[Result] | None = None
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def poll(self) -> Outcome[Result] | None:
        """The outcome when there is one. Nothing is ever reported of a work that was called off."""
        return None if self.reading.cancelled else self._outcome

    def cancel(self) -> None:
        """Nobody wants the result any more."""
        self.reading.cancel()

    def finish(self, timeout: float | None = 30.0) -> bool:
        """Wait for the result; False when it does not come in time."""
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def close(self, timeout: float | None = 5.0) -> bool:
        """Call it off and wait for the thread; False when it does not end in time."""
        self.cancel()
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _run(self) -> None:
        try:
            with interruptible(lambda: self.reading.cancelled):
                self._outcome = Outcome(self._work(self.reading))
        except (Cancelled, Interrupted):
            self._outcome = Outcome()
        except Exception as error:  # whatever the work raises; the window says it
            self._outcome = Outcome(error=error)


def wait_for_threads() -> None:
    """At the end of the program: everything has been called off, and what is in the middle of a call may come back.

    A daemon thread that comes back after Python has ended is ended by force, and on its way out of a library in C++,
    such as DuckDB, it takes the process with it: the window is gone and the system says that the program has crashed.
    """
    until = time.monotonic() + PATIENCE
    for thread in threading.enumerate():
        if thread.name.startswith("mlviz-"):
            thread.join(max(until - time.monotonic(), 0.0))
