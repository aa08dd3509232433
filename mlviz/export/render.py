"""Pictures and films of a run, made without a window on the same engine and the same drawing code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from PIL import Image
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from algorithms.contract import Algorithm, DataError
from algorithms.dataset import Points
from algorithms.params import as_dict
from mlviz.export.figure import Figure, Look, views_of
from mlviz.export.films import Encoder, Timing, check_length, film_writer
from mlviz.export.frames import Progress, checked_step, evenly, exact_frame, film_steps, recorded
from mlviz.export.handout import MOST_STEPS, Sheet, save_handout
from mlviz.export.pictures import picture, save_picture
from mlviz.export.presets import HANDOUT, SCREEN, Preset
from mlviz.session.document import Document
from mlviz.views.theme import THEMES
from mlviz.worker.engine import Engine


@dataclass(frozen=True, slots=True)
class Style:
    """How pictures are wanted: a preset, and what of it is different."""

    preset: Preset = SCREEN
    theme: str = "light"
    size: tuple[int, int] | None = None
    zoom: float | None = None
    only: str = ""
    transparent: bool = False

    @property
    def scale(self) -> float:
        """Pixels of a PNG for each logical one."""
        return self.preset.scale if self.zoom is None else self.zoom

    @property
    def film_scale(self) -> float:
        """The same for a film, which is not enlarged unless that is asked for."""
        return self.zoom or 1.0

    def look(self, algorithm: Algorithm) -> Look:
        """The look of a figure of this algorithm, whose views are checked."""
        if self.only not in views_of(algorithm):
            known = ", ".join(key for key in views_of(algorithm) if key)
            raise DataError(f"{algorithm.title} has no view {self.only!r}; it has {known}.")
        theme = self.preset.styled(THEMES[self.theme])
        return Look(self.size or self.preset.size, theme, self.only, self.preset.words, self.transparent)


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
    data: Points,
    params: Any,
    seed: int,
    path: Path,
    *,
    step: int | None = None,
    style: Style = STANDARD,
    progress: Callable[[int], None] | None = None,
) -> None:
    """Draw one step (``None``: the last) as PNG, SVG or PDF."""
    engine = recorded(algorithm, data, params, seed, progress)
    frame = exact_frame(engine, checked_step(len(engine.timeline), step))
    application()
    figure = Figure(document_of(engine), engine.timeline, style.look(algorithm))
    try:
        save_picture(figure, frame, path, style.scale)
    finally:
        figure.dispose()


def render_film(
    algorithm: Algorithm,
    data: Points,
    params: Any,
    seed: int,
    path: Path,
    *,
    span: Span = WHOLE,
    timing: Timing = USUAL,
    style: Style = STANDARD,
    progress: Progress | None = None,
) -> None:
    """Draw a run, or part of it, as GIF, WebP, MP4, a replay page, or PNG files in a folder (a path without ending)."""
    engine = recorded(algorithm, data, params, seed)
    steps = film_steps(len(engine.timeline), span.first, span.last, span.every)
    check_length(len(steps), path)
    look = style.look(algorithm)
    application()
    figure = Figure(document_of(engine), engine.timeline, look)
    encoder = Encoder(film_writer(path, timing, figure.title.text()))
    try:
        for done, step in enumerate(steps):
            encoder.add(pillow(picture(figure, exact_frame(engine, step), style.film_scale)))
            if progress is not None:
                progress(done + 1, len(steps))
        encoder.finish()
    except BaseException:
        encoder.cancel()
        raise
    finally:
        figure.dispose()
        encoder.join()


def render_handout(
    algorithm: Algorithm, data: Points, params: Any, seed: int, path: Path, *, count: int = 6, style: Style = STANDARD
) -> None:
    """Draw evenly spaced steps of a run on one sheet, as PDF, SVG or PNG."""
    engine = recorded(algorithm, data, params, seed)
    steps = evenly(0, len(engine.timeline) - 1, min(count, MOST_STEPS))
    look = replace(style, preset=HANDOUT, size=Sheet(len(steps)).figure_size()).look(algorithm)
    application()
    figure = Figure(document_of(engine), engine.timeline, look)
    try:
        save_handout(figure, engine, steps, path)
    finally:
        figure.dispose()


def application() -> QApplication:
    """The Qt application, made when there is none yet."""
    found = QApplication.instance()
    return found if isinstance(found, QApplication) else QApplication(["mlviz"])


def document_of(engine: Engine) -> Document:
    """The document that the engine runs."""
    return Document(engine.data, engine.algorithm.key, as_dict(engine.params), engine.seed)


def pillow(image: QImage) -> Image.Image:
    """The picture in the hands of the library that packs films."""
    plain = image.convertToFormat(QImage.Format.Format_RGB888)
    size = (plain.width(), plain.height())
    return Image.frombytes("RGB", size, bytes(plain.constBits()), "raw", "RGB", plain.bytesPerLine(), 1)
