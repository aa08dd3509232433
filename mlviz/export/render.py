"""Pictures and films of a run, made without a window on the same engine and the same drawing code."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PIL import Image
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from algorithms.contract import Algorithm
from algorithms.dataset import Points
from algorithms.params import as_dict
from mlviz.export.figure import Figure
from mlviz.export.frames import checked_step, exact_frame, film_steps, recorded
from mlviz.session.document import Document
from mlviz.views.theme import THEMES

HOLD_SECONDS = 2.0
"""How long a film rests on its last frame."""


def render_picture(
    algorithm: Algorithm,
    data: Points,
    params: Any,
    seed: int,
    path: Path,
    *,
    step: int | None = None,
    size: tuple[int, int] = (1200, 800),
    theme: str = "light",
) -> None:
    """Draw one step (``None``: the last) as a picture."""
    engine = recorded(algorithm, data, params, seed)
    shown = checked_step(len(engine.timeline), step)
    application()
    figure = Figure(_document(algorithm, data, params, seed), engine.timeline, size, THEMES[theme])
    try:
        image = figure.draw(exact_frame(engine, shown))
    finally:
        figure.dispose()
    if not image.save(str(path)):
        raise OSError(f"the picture could not be written to {path}")


def render_film(
    algorithm: Algorithm,
    data: Points,
    params: Any,
    seed: int,
    path: Path,
    *,
    size: tuple[int, int] = (1200, 800),
    theme: str = "light",
    fps: float = 8.0,
) -> None:
    """Draw the whole run as an animated GIF that rests on its last frame."""
    engine = recorded(algorithm, data, params, seed)
    application()
    figure = Figure(_document(algorithm, data, params, seed), engine.timeline, size, THEMES[theme])
    try:
        pictures = [_pillow(figure.draw(exact_frame(engine, step))) for step in film_steps(len(engine.timeline))]
    finally:
        figure.dispose()
    pause = round(1000 / fps)
    durations = [pause] * (len(pictures) - 1) + [round(HOLD_SECONDS * 1000)]
    pictures[0].save(path, save_all=True, append_images=pictures[1:], duration=durations, loop=0, optimize=False)


def application() -> QApplication:
    """The Qt application, made when there is none yet."""
    found = QApplication.instance()
    return found if isinstance(found, QApplication) else QApplication(["mlviz"])


def _document(algorithm: Algorithm, data: Points, params: Any, seed: int) -> Document:
    return Document(data, algorithm.key, as_dict(params), seed)


def _pillow(image: QImage) -> Image.Image:
    plain = image.convertToFormat(QImage.Format.Format_RGB888)
    picture = Image.frombuffer(
        "RGB", (plain.width(), plain.height()), bytes(plain.constBits()), "raw", "RGB", plain.bytesPerLine(), 1
    )
    return picture.quantize(colors=128, dither=Image.Dither.NONE)
