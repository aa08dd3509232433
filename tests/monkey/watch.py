"""What goes wrong while a monkey plays: exceptions anywhere, messages, warnings, and what is not given back."""

from __future__ import annotations

import gc
import logging
import os
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PySide6.QtCore import qInstallMessageHandler
from PySide6.QtWidgets import QApplication

from mlviz.ui.problems import LOGGER

QUIET = ("This plugin does not support", "QPrintDialog: Cannot be used", "No printers found")
"""What the platform without a screen or a printer says."""
ROOM = {"threads": 2, "files": 8, "widgets": 60, "memory": 150}
"""How much more of each there may be at the end than after the first part, in the same state of the window."""


@contextmanager
def collected(problems: list[str]) -> Iterator[None]:
    """While this lasts exceptions in slots and threads, Qt's messages and Python's warnings are problems.

    So is what the window reports to its dialog, wherever it was caught: in a run of any board, or while data are made.
    """
    hooks = sys.excepthook, threading.excepthook, sys.unraisablehook

    def raised(kind: Any, error: Any, trace: Any) -> None:
        problems.append("".join(traceback.format_exception(kind, error, trace)))

    def said(_: Any, __: Any, text: str) -> None:
        if not any(word in text for word in QUIET):
            problems.append(f"Qt: {text}")

    reported = Reported(problems)
    LOGGER.addHandler(reported)
    sys.excepthook = raised
    threading.excepthook = sys.unraisablehook = lambda args: raised(args.exc_type, args.exc_value, args.exc_traceback)
    before = qInstallMessageHandler(said)
    try:
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            yield
        problems += [
            f"warning: {one.category.__name__}: {one.message} ({one.filename}:{one.lineno})"
            for one in found
            if "site-packages" not in one.filename or not issubclass(one.category, DeprecationWarning)
        ]  # what a library does with another one is not ours to mend
    finally:
        sys.excepthook, threading.excepthook, sys.unraisablehook = hooks
        qInstallMessageHandler(before)
        LOGGER.removeHandler(reported)


class Reported(logging.Handler):
    """Errors in the log are problems."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__(logging.ERROR)
        self._problems = problems

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the words, which end with those of the exception."""
        self._problems.append(record.getMessage())


class Delays:
    """How long the threads of this process were ready and had to wait for a processor, because others had it.

    A thread that has ended is remembered: the sum never falls. Where the system does not say, there is none.
    """

    def __init__(self, tasks: Path = Path("/proc/self/task")) -> None:
        self._tasks = tasks
        self._last: dict[str, int] = {}
        self._total = 0

    def seconds(self) -> float:
        """All of it since the first time this was asked."""
        seen = {}
        for task in self._tasks.iterdir() if self._tasks.exists() else ():
            try:
                seen[task.name] = int((task / "schedstat").read_text().split()[1])
            except (OSError, IndexError):  # it has just ended
                continue
        self._total += sum(max(now - self._last.get(name, 0), 0) for name, now in seen.items())
        self._last = seen
        return self._total * 1e-9


class Pulse:
    """How long the event loop stands still, by its own doing: what other programs do is not counted.

    It works, in the time of its own thread; or it waits, for a thread, a lock or a file, and then time goes by although
    every thread that wants to run does.

    Parameters
    ----------
    worked : callable
        What the thread of the window has worked, in seconds.
    passed : callable
        The time in seconds.
    delayed : callable
        How long the threads of this process have waited for a processor, in seconds.
    """

    def __init__(
        self,
        worked: Callable[[], float] = time.thread_time,
        passed: Callable[[], float] = time.monotonic,
        delayed: Callable[[], float] | None = None,
    ) -> None:
        self.longest = self.waited = 0.0
        """The longest time between two turns of the loop, and how much of it was spent waiting."""
        self._clocks = (worked, passed, delayed or Delays().seconds)
        self._before = self._now()

    def _now(self) -> list[float]:
        return [clock() for clock in self._clocks]

    def begin(self) -> None:
        """From now on."""
        self._before, self.longest, self.waited = self._now(), 0.0, 0.0

    def beat(self) -> None:
        """The loop has come round."""
        now = self._now()
        worked, passed, delayed = (after - before for before, after in zip(self._before, now))
        self._before = now
        waited = max(passed - delayed - worked, 0.0)
        if worked + waited > self.longest:
            self.longest, self.waited = worked + waited, waited


def resources(undo: int = 0) -> dict[str, int]:
    """What must not grow: threads, open files, widgets and memory in MB.

    Without the bytes of the undo history: those have a budget of their own, which the soak measures.
    """
    gc.collect()
    status = Path("/proc/self/status").read_text() if Path("/proc/self/status").exists() else "VmRSS: 0 kB"
    return {
        "threads": threading.active_count(),
        "files": len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").exists() else 0,
        "widgets": len(QApplication.allWidgets()),
        "memory": int(status.partition("VmRSS:")[2].split()[0]) // 1024 - undo // 2**20,
    }


def leaks(first: dict[str, int], last: dict[str, int]) -> list[str]:
    """What has grown from the first count to the last by more than there is room for, in words."""
    return [
        f"leak: {first[name]} {name} have become {last[name]}"
        for name, room in ROOM.items()
        if last[name] > first[name] + room
    ]
