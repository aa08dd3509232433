"""What goes wrong while a monkey plays: exceptions anywhere, messages, warnings, and what is not given back."""

from __future__ import annotations

import gc
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

QUIET = ("This plugin does not support", "QPrintDialog: Cannot be used", "No printers found")
"""What the platform without a screen or a printer says."""
ROOM = {"threads": 2, "files": 8, "widgets": 60, "memory": 150}
"""How much more of each there may be at the end than after the first part, in the same state of the window."""


@contextmanager
def collected(problems: list[str]) -> Iterator[None]:
    """While this lasts exceptions in slots and threads, Qt's messages and Python's warnings are problems."""
    hooks = sys.excepthook, threading.excepthook, sys.unraisablehook

    def raised(kind: Any, error: Any, trace: Any) -> None:
        problems.append("".join(traceback.format_exception(kind, error, trace)))

    def said(_: Any, __: Any, text: str) -> None:
        if not any(word in text for word in QUIET):
            problems.append(f"Qt: {text}")

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


class Pulse:
    """How long the event loop stands still, in work of its own thread: what other programs do is not counted."""

    def __init__(self, clock: Callable[[], float] = time.thread_time) -> None:
        self.longest = 0.0
        self._clock = clock
        self._before = clock()

    def begin(self) -> None:
        """From now on."""
        self._before, self.longest = self._clock(), 0.0

    def beat(self) -> None:
        """The loop has come round."""
        now = self._clock()
        self.longest = max(self.longest, now - self._before)
        self._before = now


def resources() -> dict[str, int]:
    """What must not grow: threads, open files, widgets and memory in MB."""
    gc.collect()
    status = Path("/proc/self/status").read_text() if Path("/proc/self/status").exists() else "VmRSS: 0 kB"
    return {
        "threads": threading.active_count(),
        "files": len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").exists() else 0,
        "widgets": len(QApplication.allWidgets()),
        "memory": int(status.partition("VmRSS:")[2].split()[0]) // 1024,
    }


def leaks(first: dict[str, int], last: dict[str, int]) -> list[str]:
    """What has grown from the first count to the last by more than there is room for, in words."""
    return [
        f"leak: {first[name]} {name} have become {last[name]}"
        for name, room in ROOM.items()
        if last[name] > first[name] + room
    ]
