"""Nothing is lost: the session is kept every few seconds while it changes, and a crash is noticed at the next start.

The document is immutable, so a thread can write it while the window goes on. It goes to the same file that an orderly
end writes, hence there is one place to come back to, whatever ended the program.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from PySide6.QtCore import QLockFile, QObject, QTimer, Signal, Slot

from algorithms.records import dataclass
from mlviz import paths
from mlviz.session import files
from mlviz.session.document import Document
from mlviz.session.layout import UNCHANGED, Layout

INTERVAL_MS = 4000
log = logging.getLogger("mlviz.autosave")


@dataclass(frozen=True, slots=True)
class State:
    """What is kept: the document, how the window looks at it, and plain values (the playhead, the file it is from)."""

    document: Document
    extra: Mapping[str, Any]
    layout: Layout = UNCHANGED

    def same(self, other: State | None) -> bool:
        """Whether there is nothing new in it; documents are compared by identity, for they never change."""
        return other is not None and self.document is other.document and self._rest == other._rest

    @property
    def _rest(self) -> tuple[Any, ...]:
        return dict(self.extra), self.layout

    def save(self, path: Path) -> None:
        """Write it down."""
        files.save(path, self.document, self.extra, self.layout)


class Autosave(QObject):
    """Writes the state whenever it has changed since the last time; ``stop`` waits for a write that is under way."""

    refused = Signal(object)
    """Why the state is not kept, as soon as that is known, and not again for the same reason."""

    def __init__(self, path: Path, state: Callable[[], State], parent: QObject) -> None:
        super().__init__(parent)
        self._path, self._state = path, state
        self._kept: State | None = None
        self._why = self._said = ""
        self._thread: threading.Thread | None = None
        self._timer = QTimer(self, objectName="autosave", interval=INTERVAL_MS)
        self._timer.timeout.connect(self.keep)

    def start(self) -> None:
        """Begin; what is there now counts as kept. Half-written files of a killed program are swept away."""
        self._kept = self._state()
        for litter in self._path.parent.glob(f".{self._path.name}.*.tmp"):
            litter.unlink(missing_ok=True)
        self._timer.start()

    def stop(self) -> None:
        """End, and wait until nothing is being written."""
        self._timer.stop()
        if self._thread is not None:
            self._thread.join()

    @Slot()
    def keep(self) -> None:
        """Write the state if it is another one, unless the last write is still under way."""
        if self._thread is not None and self._thread.is_alive():
            return
        if self._why != self._said:
            self._said = self._why
            if self._why:
                self.refused.emit(self._why)
        state = self._state()
        if state.same(self._kept):
            return
        self._thread = threading.Thread(target=self._write, args=(state,), name="mlviz-autosave", daemon=True)
        self._thread.start()

    def _write(self, state: State) -> None:
        try:
            state.save(self._path)
            self._kept, self._why = state, ""  # not before: what could not be written is tried again
        except (files.SessionError, OSError) as error:  # a full disk must not stop the work
            if str(error) != self._why:
                log.warning("the session was not kept: %s", error)
            self._why = str(error)


class Running:
    """A mark on the disk while the program runs: found again without its program, that has crashed or was killed."""

    def __init__(self) -> None:
        self._path = paths.config_folder() / "running.lock"
        self._lock = QLockFile(str(self._path))
        self._lock.setStaleLockTime(0)

    def begin(self) -> bool:
        """Set the mark; whether the program before ended without taking its own away."""
        found = self._path.exists()
        mine = self._lock.tryLock(0)  # a mark of a program that is gone is taken over; one that runs keeps its own
        return found and mine

    def end(self) -> None:
        """An orderly end."""
        self._lock.unlock()
