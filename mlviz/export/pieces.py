"""Long drawing in pieces, so that a window can live between them, and the same pieces one after the other without one.

A piece of work is a generator. It yields after a while, with how far it is; or with None when it waits for a
thread and there is no hurry to come back. Closing it calls the work off and leaves nothing behind.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QPointF, QRectF, QSizeF
from PySide6.QtGui import QImage, QPainter

from mlviz.export.atomic_file import placed
from mlviz.export.compared import ComparedFigure
from mlviz.export.figure import CELL, Figure
from mlviz.export.films import Encoder
from mlviz.export.frames import Progress
from mlviz.export.handout import A4, PNG_SCALE, WHITE, Sheet, frame_of, head
from mlviz.export.pictures import image_page, page, pillow, save_image
from mlviz.worker.engine import Engine
from mlviz.worker.shared_run import SharedRun
from mlviz.worker.task import Task
from mlviz.worker.timeline import Frame

Done = tuple[int, int] | None
Result = TypeVar("Result")
Pieces = Generator[Done, None, Result]
WAIT = 0.002
AnyFigure = Figure | ComparedFigure
AnyRun = Engine | SharedRun
"""One run, or several that are compared."""


def finished(pieces: Pieces[Result], progress: Progress | None = None) -> Result:
    """Do it all at once; ``progress`` hears how far it is whenever that has changed."""
    heard = (0, 0)
    while True:
        try:
            done = next(pieces)
        except StopIteration as end:
            result: Result = end.value
            return result
        if done is None:
            time.sleep(WAIT)
        elif done != heard and progress is not None:
            heard = done
            progress(*done)


def as_part(pieces: Pieces[None], number: int, whole: int) -> Pieces[None]:
    """The same pieces, which say how far the whole is; closed, they are closed before the page that they paint on."""
    with closing(pieces):
        for fraction in pieces:
            yield None if fraction is None else (number, whole)


def in_thread(work: Callable[[], Result]) -> Pieces[Result]:
    """Something that needs no window, done in a thread while the window lives; closed, it ends at a checkpoint."""
    task = Task(lambda _: work(), "mlviz-export")
    try:
        while (outcome := task.poll()) is None:
            yield None
    finally:
        task.cancel()
    if outcome.error is not None:
        raise outcome.error
    return outcome.value  # type: ignore[return-value]


def exact(engine: AnyRun, step: int) -> Pieces[Frame]:
    """The frame of this very step, replayed when the time line had to thin it out."""
    frame = engine.timeline.frame(step)
    while not frame.exact and engine.state != "cancelled":
        engine.rebuild(step)
        yield None
        frame = engine.timeline.frame(step)
        if engine.rebuild_error is not None:
            raise engine.rebuild_error
    return frame


def shown(figure: AnyFigure, frame: Frame, cell: float = CELL) -> Pieces[None]:
    """Bring the figure to a frame; its fields and scores are worked out in a thread."""
    needs = figure.begin(frame, cell)
    if needs.rasters or needs.scores is not None:
        figure.complete((yield from in_thread(needs.answered)))
    else:
        figure.complete(needs.answered())


def image_of(figure: AnyFigure, frame: Frame, scale: float = 1.0) -> Pieces[QImage]:
    """One frame in pixels; enlarged, lines and letters grow with everything else."""
    if scale == 1.0:
        yield from shown(figure, frame)
        return figure.draw()
    yield from shown(figure, frame, CELL / 2)
    with image_page(QSizeF(figure.size()), scale, figure.background) as (image, painter):
        yield from figure.paint(painter)
    return image()


def picture_file(figure: AnyFigure, frame: Frame, path: Path, scale: float = 1.0) -> Pieces[None]:
    """One frame as PNG, SVG or PDF, as the name of the file says; ``scale`` is for PNG only."""
    with placed(path) as part:
        if path.suffix.lower() == ".png":
            image = yield from image_of(figure, frame, scale)
            yield from in_thread(lambda: save_image(image, part))
            return
        yield from shown(figure, frame, CELL / 2)
        with page(part, QSizeF(figure.size()), figure.title.text()) as (written, painter):
            yield from figure.paint(painter)
        yield from in_thread(written)


def handout_file(figure: AnyFigure, engine: AnyRun, steps: Sequence[int], path: Path) -> Pieces[None]:
    """A sheet with these steps; the figure must have been made in :meth:`Sheet.figure_size`."""
    sheet = Sheet(len(steps))
    figure.title.hide()  # it stands above all of them
    figure.steady(steps)

    def drawn(painter: QPainter) -> Pieces[None]:
        head(painter, figure.title.text(), engine)
        for number, step in enumerate(steps):
            frame = yield from exact(engine, step)
            yield from shown(figure, frame, CELL / 2)
            place = sheet.place(number)
            yield from as_part(inside(place, figure, painter), number, len(steps))
            frame_of(place, painter)
        yield (len(steps), len(steps))

    with placed(path) as part:
        if path.suffix.lower() != ".png":
            with page(part, QSizeF(*A4), figure.title.text()) as (written, painter):
                yield from drawn(painter)
            yield from in_thread(written)
            return
        with image_page(QSizeF(*A4), PNG_SCALE, WHITE) as (image, painter):
            yield from drawn(painter)
        sheet_image = image()
        yield from in_thread(lambda: save_image(sheet_image, part))


def inside(place: QRectF, figure: AnyFigure, painter: QPainter) -> Pieces[None]:
    """Paint the figure in a place of the page, view by view."""
    painter.save()
    painter.translate(place.topLeft())
    painter.scale(place.width() / figure.width(), place.height() / figure.height())
    try:
        yield from figure.paint(painter)
    finally:
        painter.restore()


def film_file(figure: AnyFigure, engine: AnyRun, steps: Sequence[int], encoder: Encoder, scale: float) -> Pieces[None]:
    """The frames of a film for an encoder, which packs them in a thread of its own."""
    figure.steady(steps)
    try:
        for number, step in enumerate(steps):
            frame = yield from exact(engine, step)
            image = yield from image_of(figure, frame, scale)
            while encoder.busy and not encoder.done:
                yield None
            encoder.add(pillow(image))
            yield (number + 1, len(steps))
        encoder.finish()
        while not encoder.done:
            yield None
    except BaseException:
        encoder.cancel()  # a film that is being packed is dropped afterwards
        raise
    encoder.join()


def page_of(figure: AnyFigure, frame: Frame, painter: QPainter, place: QRectF) -> Pieces[None]:
    """One frame on the page of a printer, as large as it fits, in the middle."""
    yield from shown(figure, frame, CELL / 2)
    scale = min(place.width() / figure.width(), place.height() / figure.height())
    size = QSizeF(figure.width() * scale, figure.height() * scale)
    corner = place.center() - QPointF(size.width() / 2, size.height() / 2)
    yield from inside(QRectF(corner, size), figure, painter)
