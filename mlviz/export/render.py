"""Pictures and films of a run, made without a window on the same engine and the same drawing code."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QApplication

from algorithms.contract import Algorithm, DataError
from algorithms.data import Data
from algorithms.params import as_dict
from mlviz.export.compared import ComparedFigure
from mlviz.export.figure import Figure, Look
from mlviz.export.films import Encoder, Timing, check_length, film_writer
from mlviz.export.frames import Progress, change_by_step, checked_step, exact_frame, film_steps, recorded, sheet_steps
from mlviz.export.handout import Sheet
from mlviz.export.model_queries import ALL_EVALUATIONS, EVALUATIONS, views_of
from mlviz.export.pictures import check_pixels
from mlviz.export.pieces import AnyFigure, AnyRun, film_file, finished, handout_file, picture_file
from mlviz.export.presets import HANDOUT, SCREEN, THUMBNAIL, Preset
from mlviz.session.document import Document
from mlviz.session.layout import UNCHANGED, Layout
from mlviz.session.projection import Axes
from mlviz.session.scoring import Scores
from mlviz.session.value_scoring import ValueScores
from mlviz.views.theme import THEMES
from mlviz.worker.engine import Engine
from mlviz.worker.shared_run import SharedRun


@dataclass(frozen=True, slots=True)
class Style:
    """How pictures are wanted: a preset, and what of it is different."""

    preset: Preset = SCREEN
    theme: str = "light"
    size: tuple[int, int] | None = None
    zoom: float | None = None
    only: str = ""
    transparent: bool = False
    axes: Axes | None = None
    """What the plane shows of more than two features; None: the first two."""
    layout: Layout = UNCHANGED
    scores: Scores | ValueScores | None = None

    @property
    def scale(self) -> float:
        """Pixels of a PNG for each logical one."""
        return self.preset.scale if self.zoom is None else self.zoom

    @property
    def film_scale(self) -> float:
        """The same for a film, which is not enlarged unless that is asked for."""
        return self.zoom or 1.0

    @property
    def film_pixels(self) -> tuple[float, float]:
        """Width and height of a film in pixels."""
        wide, high = self.size or self.preset.size
        return wide * self.film_scale, high * self.film_scale

    def look(self, algorithm: Algorithm, data: Data | None = None) -> Look:
        """The look of a figure of this run, whose views are checked; without data no evaluation is offered."""
        known = views_of(algorithm, data)
        if self.only in ALL_EVALUATIONS and self.only not in known:
            what = "is no classifier" if self.only in EVALUATIONS else "predicts no values"
            raise DataError(f"{algorithm.title} on this data {what}, so there is no {self.only} to draw.")
        if self.only not in known:
            offered = ", ".join(key for key in known if key)
            raise DataError(f"{algorithm.title} has no view {self.only!r}; it has {offered}.")
        theme = self.preset.styled(THEMES[self.theme])
        size = self.size or self.preset.size
        return Look(size, theme, self.only, self.preset.words, self.transparent, self.layout, self.scores)

    def figure(self, document: Document, run: AnyRun) -> AnyFigure:
        """The figure of a run, to be disposed of; several runs stand side by side, unless one view alone is wanted."""
        engine = run.active if isinstance(run, SharedRun) else run
        look = self.look(engine.algorithm, engine.data)
        if isinstance(run, SharedRun) and not self.only:
            return ComparedFigure(run, look)
        return Figure(document, engine.timeline, look)


STANDARD = Style()


@dataclass(frozen=True, slots=True)
class Span:
    """Which steps of a run: from the first to the last (None: the end), every so many (None: as fits)."""

    first: int = 0
    last: int | None = None
    every: int | None = None


WHOLE = Span()
USUAL = Timing()


def render_picture(
    algorithm: Algorithm,
    data: Data,
    params: Any,
    seed: int,
    path: Path,
    *,
    step: int | None = None,
    style: Style = STANDARD,
    progress: Callable[[int], None] | None = None,
) -> None:
    """Draw one step (``None``: the last) as PNG, SVG or PDF."""
    check_picture(path, style)  # before the run, and before fields are evaluated for so many pixels
    engine = recorded(algorithm, data, params, seed, progress)
    draw_picture(document_of(engine, style.axes), engine, path, step=step, style=style)


def check_picture(path: Path, style: Style) -> None:
    """Refuse a picture that would be too large."""
    if path.suffix.lower() == ".png":
        wide, high = style.size or style.preset.size
        check_pixels(round(wide * style.scale), round(high * style.scale))


def draw_picture(
    document: Document, run: AnyRun, path: Path, *, step: int | None = None, style: Style = STANDARD
) -> None:
    """The same of runs that are there."""
    check_picture(path, style)
    frame = exact_frame(run, checked_step(len(run.timeline), step))
    with _drawing(style, document, run) as figure:
        if style.preset is THUMBNAIL:
            figure.become_thumbnail()
        finished(picture_file(figure, frame, path, style.scale))


def render_film(
    algorithm: Algorithm,
    data: Data,
    params: Any,
    seed: int,
    path: Path,
    *,
    span: Span = WHOLE,
    timing: Timing = USUAL,
    style: Style = STANDARD,
    counted: Callable[[int], None] | None = None,
    progress: Progress | None = None,
) -> None:
    """Draw a run, or part of it, as GIF, WebP, MP4, a replay page, or PNG files in a folder (a path without ending)."""
    engine = recorded(algorithm, data, params, seed, counted)
    document = document_of(engine, style.axes)
    draw_film(document, engine, path, span=span, timing=timing, style=style, progress=progress)


def draw_film(
    document: Document,
    run: AnyRun,
    path: Path,
    *,
    span: Span = WHOLE,
    timing: Timing = USUAL,
    style: Style = STANDARD,
    progress: Progress | None = None,
) -> list[int]:
    """The same of runs that are there; the steps that are shown."""
    steps = film_steps(len(run.timeline), span.first, span.last, span.every)
    check_length(len(steps), path, style.film_pixels)
    with _drawing(style, document, run) as figure:
        encoder = Encoder(film_writer(path, timing, figure.title.text()))
        try:
            finished(film_file(figure, run, steps, encoder, style.film_scale), progress)
        finally:
            encoder.cancel()  # means nothing to a film that is complete; an interrupted one leaves nothing behind
            encoder.wait()
    return steps


def draw_handout(
    document: Document,
    run: AnyRun,
    path: Path,
    *,
    count: int = 6,
    steps: Sequence[int] | None = None,
    style: Style = STANDARD,
    progress: Progress | None = None,
) -> list[int]:
    """Draw chosen steps of runs, or the ``count`` where most changes, on one sheet; the steps that are shown."""
    chosen = sheet_steps(len(run.timeline), count, steps, change_by_step(run))
    style = replace(style, preset=HANDOUT, size=Sheet(len(chosen)).figure_size())
    with _drawing(style, document, run) as figure:
        finished(handout_file(figure, run, chosen, path), progress)
    return chosen


@contextlib.contextmanager
def _drawing(style: Style, document: Document, run: AnyRun) -> Iterator[AnyFigure]:
    application()
    figure = style.figure(document, run)
    try:
        yield figure
    finally:
        figure.dispose()


def application() -> QApplication:
    """The Qt application, made when there is none yet."""
    found = QApplication.instance()
    return found if isinstance(found, QApplication) else QApplication(["mlviz"])


def document_of(engine: Engine, axes: Axes | None = None) -> Document:
    """The document that the engine runs, seen along these axes."""
    run = (engine.data, engine.algorithm.key, as_dict(engine.params), engine.seed)
    return Document(*run, axes or (0, 1), scaling=engine.scaling)
