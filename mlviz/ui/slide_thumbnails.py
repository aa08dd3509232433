"""Small pictures of the slides of a lesson, drawn by the program one after the other when nothing else moves.

A run that has to be computed for it goes through a thread of its own, and the picture is drawn in pieces between the
turns of the event loop. Pictures are kept in memory as long as there are not too many; they are never stored.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtGui import QPixmap

from mlviz.session.document import Document
from mlviz.session.lesson import MAX_SLIDES, Slide
from mlviz.worker.engine import Engine

if TYPE_CHECKING:
    from mlviz.ui.export_jobs import PiecesJob

log = logging.getLogger("mlviz.lesson")
LOOK_MS = 60
MOST_KEPT = 2 * MAX_SLIDES


class SlideThumbnails(QObject):
    """Has :attr:`drawn` say that another picture is there."""

    drawn = Signal()

    def __init__(self, quiet: Callable[[], bool], parent: QObject) -> None:
        super().__init__(parent)
        self._quiet = quiet
        self._theme = "light"
        self._made: dict[tuple[int, str], tuple[Document, QPixmap]] = {}
        self._waiting: list[Slide] = []
        self._running: dict[int, Engine] = {}
        """Runs that are there anyway, by the identity of the slide's document."""
        self._drawing: tuple[Slide, str] | None = None
        self._job: PiecesJob | None = None
        self._timer = QTimer(self, objectName="slide_thumbnails", interval=LOOK_MS)
        self._timer.timeout.connect(self._look)

    def picture(self, slide: Slide) -> QPixmap | None:
        """What is there of a slide; an empty picture where it could not be drawn."""
        found = self._made.get((id(slide.document), self._theme))
        return None if found is None else found[1]

    def want(self, slides: Iterable[Slide]) -> None:
        """Draw those of these slides that are missing, in this order, and no others."""
        busy = self._drawing[0].document if self._drawing is not None else None
        self._waiting = [slide for slide in slides if self.picture(slide) is None and slide.document is not busy]
        if self._waiting:
            self._timer.start()

    def lend(self, slide: Slide, engine: Engine | None) -> None:
        """The run of a slide that has just been made is there already."""
        if engine is not None:
            self._running = {id(slide.document): engine}

    def set_theme(self, name: str) -> None:
        """Light or dark from now on."""
        self._theme = name

    def close(self) -> None:
        """Drop what is being drawn: the window is about to go."""
        self._timer.stop()
        self._waiting, self._running = [], {}
        if self._job is not None:
            self._job.close()

    @Slot()
    def _look(self) -> None:
        if not self._waiting:
            self._timer.stop()
        elif self._drawing is None and self._quiet():
            self._begin(self._waiting.pop(0))

    def _begin(self, slide: Slide) -> None:
        from mlviz.export.lesson import slide_image, thumbnail_style  # most windows never have a lesson
        from mlviz.ui.export_jobs import PiecesJob

        engine = self._running.pop(id(slide.document), None)
        pieces = slide_image(slide, thumbnail_style(self._theme), engine)
        self._job = PiecesJob(lambda: pieces, Path(), self)
        self._drawing = (slide, self._theme)
        self._job.ended.connect(self._ended)
        self._job.start()

    @Slot(object)
    def _ended(self, error: BaseException | None) -> None:
        from mlviz.export.frames import Cancelled

        assert self._job is not None
        assert self._drawing is not None
        (slide, theme), image = self._drawing, self._job.result
        self._job.deleteLater()
        self._job = self._drawing = None
        if isinstance(error, Cancelled):
            return
        if error is not None:  # whoever goes to the slide is told; a strip of pictures is not the place
            log.warning("no picture of the slide %r: %s", slide.title, error)
        while len(self._made) >= MOST_KEPT:
            self._made.pop(next(iter(self._made)))
        self._made[id(slide.document), theme] = (slide.document, QPixmap() if error else QPixmap.fromImage(image))
        self.drawn.emit()
