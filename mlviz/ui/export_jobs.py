"""Long exports that leave the window alive: drawn in pieces, one a turn of the event loop, or written in a thread."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from algorithms.interrupt import Interrupted, interruptible
from mlviz.export.frames import Cancelled, Progress
from mlviz.export.pieces import AnyFigure, AnyRun, Pieces
from mlviz.worker.engine import Engine

POLL_MS = 15
WAIT = 0.02
PATIENCE = 2.0
"""Seconds that the window waits for an export before it goes; a thread that does not end by then is left behind."""


class Job(QObject):
    """Something that takes a while; :attr:`ended` comes exactly once, after success, failure or ``cancel``."""

    progressed = Signal(int, int)
    """How much is done, and of how much; 0 of how much is not known."""
    ended = Signal(object)
    """What went wrong (an exception, :class:`Cancelled` after ``cancel``), or None."""

    def __init__(self, path: Path, parent: QObject) -> None:
        super().__init__(parent)
        self.path = path
        self._timer = QTimer(self, objectName="export_job", interval=POLL_MS)
        self._timer.timeout.connect(self._turn)

    def start(self) -> None:
        """Begin."""
        self._timer.start()

    def cancel(self) -> None:
        """Stop soon and leave nothing behind."""
        raise NotImplementedError

    def close(self) -> None:
        """Stop now: the window is about to go."""
        if self._timer.isActive():
            self.cancel()
            self._wait()
            self._turn()

    def _wait(self) -> None:
        """Let what works elsewhere come to its end."""

    @Slot()
    def _turn(self) -> None:
        raise NotImplementedError

    def _end(self, error: BaseException | None) -> None:
        self._timer.stop()
        self.ended.emit(error)


class PiecesJob(Job):
    """Anything that is drawn in pieces, one at each turn; ``begin`` gives them."""

    def __init__(self, begin: Callable[[], Pieces[Any]], path: Path, parent: QObject) -> None:
        super().__init__(path, parent)
        self._begin = begin
        self._pieces: Pieces[Any] | None = None
        self.result: Any = None
        self.cancelled = False

    def cancel(self) -> None:
        """Stop at the next turn."""
        self.cancelled = True

    @Slot()
    def _turn(self) -> None:
        try:
            if self.cancelled:
                raise Cancelled
            if self._pieces is not None:
                self._proceed(self._pieces)
            elif self._ready():
                self._pieces = self._begin()
        except BaseException as error:  # said by whoever listens
            self._finish(error)

    def _ready(self) -> bool:
        return True

    def _proceed(self, pieces: Pieces[Any]) -> None:
        try:
            fraction = next(pieces)
        except StopIteration as end:
            self.result = end.value
            self._finish(None)
            return
        self._timer.setInterval(POLL_MS if fraction is None else 0)
        if fraction is not None and fraction[1]:
            self.progressed.emit(*fraction)

    def _finish(self, error: BaseException | None) -> None:
        if self._pieces is not None:
            self._pieces.close()
        self._end(error)


class DrawingJob(PiecesJob):
    """Pictures, films and sheets of a run, begun once that has gone as far as it must.

    Parameters
    ----------
    make : callable
        Makes the figure; called when the run is far enough.
    draw : callable
        Gives the pieces of the drawing of that figure.
    engine : Engine
        The run.
    last : int, optional
        The step that must be there before anything is drawn; None is the end of the run.
    """

    def __init__(
        self,
        make: Callable[[], AnyFigure],
        draw: Callable[[AnyFigure], Pieces[Any]],
        engine: AnyRun,
        path: Path,
        parent: QObject,
        *,
        last: int | None = None,
    ) -> None:
        super().__init__(self._make_figure, path, parent)
        self._make, self._draw, self._engine, self._last = make, draw, engine, last
        self._figure: AnyFigure | None = None

    def _make_figure(self) -> Pieces[Any]:
        self._figure = self._make()
        return self._draw(self._figure)

    def _ready(self) -> bool:
        engine = self._engine
        if engine.ended or (self._last is not None and len(engine.timeline) > self._last):
            return True
        self.progressed.emit(len(engine.timeline), 0)
        return False

    def _finish(self, error: BaseException | None) -> None:
        if self._pieces is not None:
            self._pieces.close()
        if self._figure is not None:
            self._figure.dispose()
            self._figure = None
        self._end(error)


class WriteJob(Job):
    """Anything without widgets: ``work`` runs in a thread, says how far it is, and writes the file itself.

    ``whole`` is a run that has to be over before the work begins.
    """

    def __init__(
        self, work: Callable[[Progress], None], path: Path, parent: QObject, whole: Engine | None = None
    ) -> None:
        super().__init__(path, parent)
        self._work, self._whole = work, whole
        self._cancelled = False
        self._fraction = (0, 0)
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="mlviz-export", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()
        super().start()

    def cancel(self) -> None:
        """Stop at the next report of progress or the next checkpoint of a method."""
        self._cancelled = True

    def _wait(self) -> None:
        self._thread.join(PATIENCE)

    def _run(self) -> None:
        try:
            while self._whole is not None and not self._whole.ended:
                self._progress(len(self._whole.timeline), 0)
                time.sleep(WAIT)
            with interruptible(lambda: self._cancelled):
                self._work(self._progress)
        except Interrupted:
            self._error = Cancelled()
        except BaseException as error:  # said by the window, which waits for the thread
            self._error = error

    def _progress(self, done: int, whole: int) -> None:
        if self._cancelled:
            raise Cancelled
        self._fraction = (done, whole)

    @Slot()
    def _turn(self) -> None:
        self.progressed.emit(*self._fraction)
        if not self._thread.is_alive():
            self._end(self._error)
