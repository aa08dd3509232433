"""Long exports that leave the window alive: frames drawn one a turn and packed in a thread, and writing in a thread."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from mlviz.export.figure import Figure
from mlviz.export.films import Encoder
from mlviz.export.frames import Cancelled, Progress
from mlviz.export.pictures import picture
from mlviz.export.render import pillow
from mlviz.worker.engine import Engine

POLL_MS = 15


class Job(QObject):
    """Something that takes a while; :attr:`ended` comes exactly once, after success, failure or ``cancel``."""

    progressed = Signal(int, int)
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

    @Slot()
    def _turn(self) -> None:
        raise NotImplementedError

    def _end(self, error: BaseException | None) -> None:
        self._timer.stop()
        self.ended.emit(error)


class FilmJob(Job):
    """A film: one frame is drawn at each turn of the event loop, and packed in a thread."""

    def __init__(
        self, figure: Figure, engine: Engine, steps: list[int], encoder: Encoder, path: Path, parent: QObject
    ) -> None:
        super().__init__(path, parent)
        self._figure, self._engine, self._steps, self._encoder = figure, engine, steps, encoder
        self._drawn = 0
        self._cancelled = False
        self._timer.setInterval(0)

    def cancel(self) -> None:
        """Stop soon and leave nothing behind."""
        self._cancelled = True
        self._encoder.cancel()

    @Slot()
    def _turn(self) -> None:
        if self._encoder.done:
            self._figure.dispose()
            self._end(Cancelled() if self._cancelled else self._encoder.error)
        elif self._cancelled or self._drawn == len(self._steps) or self._encoder.busy:
            self._timer.setInterval(POLL_MS)
        else:
            self._timer.setInterval(0)
            self._draw_next()

    def _draw_next(self) -> None:
        step = self._steps[self._drawn]
        frame = self._engine.timeline.frame(step)
        if not frame.exact:
            self._engine.rebuild(step)
            if self._engine.rebuild_error is None and self._engine.state != "cancelled":
                return
        self._encoder.add(pillow(picture(self._figure, frame)))
        self._drawn += 1
        self.progressed.emit(self._drawn, len(self._steps))
        if self._drawn == len(self._steps):
            self._encoder.finish()


class WriteJob(Job):
    """Anything without widgets: ``work`` runs in a thread, says how far it is, and writes the file itself."""

    def __init__(self, work: Callable[[Progress], None], path: Path, parent: QObject) -> None:
        super().__init__(path, parent)
        self._work = work
        self._cancelled = False
        self._share = (0, 0)
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="mlviz-export", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()
        super().start()

    def cancel(self) -> None:
        """Stop at the next report of progress."""
        self._cancelled = True

    def _run(self) -> None:
        try:
            self._work(self._progress)
        except BaseException as error:  # said by the window, which waits for the thread
            self._error = error

    def _progress(self, done: int, whole: int) -> None:
        if self._cancelled:
            raise Cancelled
        self._share = (done, whole)

    @Slot()
    def _turn(self) -> None:
        self.progressed.emit(*self._share)
        if not self._thread.is_alive():
            self._end(self._error)
