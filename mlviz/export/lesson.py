"""A lesson on paper and as a page: a sheet for every slide, and a replay of all their runs with a chapter for each."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter

from algorithms.data import DataError
from mlviz.export.atomic_file import placed, write
from mlviz.export.figure import CELL
from mlviz.export.frames import evenly
from mlviz.export.handout import A4, MARGIN, facts, frame_of, white_sheet
from mlviz.export.pictures import pdf_pages, pillow
from mlviz.export.pieces import AnyFigure, AnyRun, Pieces, as_part, exact, image_of, in_thread, inside, shown
from mlviz.export.presets import HANDOUT, SCREEN, THUMBNAIL
from mlviz.export.render import Style
from mlviz.export.replay_page import ReplayPage
from mlviz.session.lesson import Lesson, Slide
from mlviz.views.composition import ViewOrder, is_drawn
from mlviz.worker.engine import Engine
from mlviz.worker.evaluation import can_evaluate
from mlviz.worker.shared_run import SharedRun, new_run

MOST_FRAMES, MOST_OF_A_SLIDE = 160, 20
"""Pictures of a replay: of all chapters together, and of one of them."""
REPLAY = (960, 640)
INK, MUTED = QColor("#1c2126"), QColor("#5b6570")


def thumbnail_style(theme: str) -> Style:
    """How the small picture of a slide looks: the large view without words."""
    return Style(THUMBNAIL, theme)


def slide_image(slide: Slide, style: Style, engine: Engine | None = None) -> Pieces[QImage]:
    """The large view of a slide; ``engine`` is its run where that is there already."""
    with _running(slide, engine) as run:
        yield from _computed(run, slide.step)
        only = "" if isinstance(run, SharedRun) else _large_key(slide)
        with _drawing(slide, replace(style, only=only), run) as figure:
            figure.become_thumbnail()
            frame = yield from exact(run, min(slide.step, len(run.timeline) - 1))
            return (yield from image_of(figure, frame))


def _large_key(slide: Slide) -> str:
    method, data = slide.document.method, slide.document.data
    chosen = slide.layout.large.get(method.key, "")
    return ViewOrder(method.panels_on(data), can_evaluate(method, data), chosen, drawn=is_drawn(data)).large


def lesson_handout(lesson: Lesson, path: Path) -> Pieces[None]:
    """A PDF with a page for every slide: its title, its question, the picture, and what was run."""
    title = lesson.title or "Lesson"
    with placed(path) as part:
        with pdf_pages(part, QSizeF(*A4), title) as (write_pdf, new_page, painter):
            for number, slide in enumerate(lesson.slides):
                if number:
                    new_page()
                sheet = slide_sheet(slide, painter, f"{title}   {number + 1} / {len(lesson)}")
                yield from as_part(sheet, number, len(lesson))
            yield (len(lesson), len(lesson))
        yield from in_thread(write_pdf)


def lesson_page(lesson: Lesson, path: Path, theme: str = "light") -> Pieces[None]:
    """One HTML file that replays the run of every slide as a chapter, which opens at the step of the slide."""
    page = ReplayPage(lesson.title or "Lesson", fps=6.0, hold=1.5)
    most = max(min(MOST_FRAMES // len(lesson), MOST_OF_A_SLIDE), 2)
    for number, slide in enumerate(lesson.slides):
        yield from as_part(_chapter(page, slide, theme, most), number, len(lesson))
    yield (len(lesson), len(lesson))
    yield from in_thread(lambda: write(path, page.text().encode()))


def _chapter(page: ReplayPage, slide: Slide, theme: str, most: int) -> Pieces[None]:
    """The run of a slide from its start to its end, with the step of the slide among the frames."""
    with _running(slide) as run:
        run.hurry()
        yield from _computed(run, None)
        last = len(run.timeline) - 1
        steps = sorted({*evenly(0, last, most), min(slide.step, last)})
        page.chapter(slide.title, slide.question, steps.index(min(slide.step, last)))
        with _drawing(slide, Style(SCREEN, theme, REPLAY), run) as figure:
            figure.steady(steps)
            for step in steps:
                frame = yield from exact(run, step)
                image = yield from image_of(figure, frame)
                yield from in_thread(partial(page.add, pillow(image)))


@contextmanager
def _running(slide: Slide, engine: Engine | None = None) -> Iterator[AnyRun]:
    """The run of a slide as far as its step, ended afterwards; or the one that is there already."""
    if engine is not None and not slide.document.comparison.others:
        yield engine
        return
    run = new_run(slide.document)
    run.watch(slide.step)
    run.begin()
    try:
        yield run
    finally:
        run.cancel()


def _computed(run: AnyRun, step: int | None) -> Pieces[None]:
    """Wait until the run has come to a step, or to its end; a run without a single frame is refused."""
    while not run.reached(step):
        yield None
    if run.error is not None and not len(run.timeline):
        raise run.error
    if not len(run.timeline):
        raise DataError("The run was stopped before its first step.")


@contextmanager
def _drawing(slide: Slide, style: Style, run: AnyRun) -> Iterator[AnyFigure]:
    figure = replace(style, layout=slide.layout).figure(slide.document, run)
    try:
        yield figure
    finally:
        figure.dispose()


def slide_sheet(slide: Slide, painter: QPainter, foot: str) -> Pieces[None]:
    """One slide on a sheet of paper."""
    white_sheet(painter)
    wide, top = A4[0] - 2 * MARGIN, MARGIN
    for text, size, weight, colour in (
        (slide.title, 18.0, QFont.Weight.DemiBold, INK),
        (slide.question, 12.0, QFont.Weight.Normal, INK),
    ):
        if text:
            top += _words(painter, text, QRectF(MARGIN, top, wide, 110.0), size, weight, colour) + 8.0
    bottom = A4[1] - MARGIN + 6.0
    place = QRectF(MARGIN, top + 4.0, wide, bottom - 30.0 - top)
    style = Style(HANDOUT, size=(round(place.width() * 1.2), round(place.height() * 1.2)))
    with _running(slide) as run:
        yield from _computed(run, slide.step)
        with _drawing(slide, style, run) as figure:
            figure.title.hide()
            yield from shown(figure, (yield from exact(run, min(slide.step, len(run.timeline) - 1))), CELL / 2)
            yield from inside(place, figure, painter)
        frame_of(place, painter)
        named = f"{run.algorithm.title} · {run.data.name} · {facts(run)}"
        half = QRectF(MARGIN, bottom - 18.0, wide * 0.7, 16.0)
        _words(painter, named, half, 8.0, QFont.Weight.Normal, MUTED)
        rest = QRectF(half.right(), half.top(), wide * 0.3, 16.0)
        _words(painter, foot, rest, 8.0, QFont.Weight.Normal, MUTED, Qt.AlignmentFlag.AlignRight)


def _words(
    painter: QPainter,
    text: str,
    place: QRectF,
    size: float,
    weight: QFont.Weight,
    colour: QColor,
    align: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft,
) -> float:
    """Write a text in lines as wide as its place; the height that it has taken."""
    font = QFont()
    font.setPointSizeF(size)
    font.setWeight(weight)
    painter.setFont(font)
    painter.setPen(colour)
    flags = int(Qt.TextFlag.TextWordWrap | align)
    height = min(QFontMetricsF(font, painter.device()).boundingRect(place, flags, text).height(), place.height())
    painter.drawText(QRectF(place.left(), place.top(), place.width(), height + 1.0), flags, text)
    return height
