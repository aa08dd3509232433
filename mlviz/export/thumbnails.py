"""Small pictures of what every method looks like, drawn by the program itself and kept in the cache.

They are made by a process of their own (``mlviz thumbnails``), started when the gallery is first opened: the window
never waits for them, and whatever goes wrong in one method costs one picture.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from pathlib import Path

from algorithms import Nothing, registry
from algorithms.contract import Algorithm
from mlviz import __version__, paths
from mlviz.data.spec import load_data
from mlviz.export.presets import THUMBNAIL
from mlviz.export.render import Style, render_picture

log = logging.getLogger("mlviz.thumbnails")


def folder() -> Path:
    """Where they lie; another version draws its own."""
    made = paths.cache_folder() / "thumbnails" / __version__
    made.mkdir(parents=True, exist_ok=True)
    return made


def path_of(key: str, theme: str = "light") -> Path:
    """The picture of a method, whether it has been made or not."""
    return folder() / f"{key}-{theme}.png"


def make(keys: Iterable[str] = (), theme: str = "light") -> list[Path]:
    """Draw those that are missing, of these methods or of all; what fails is logged and left out."""
    wanted = tuple(keys) or tuple(algorithm.key for algorithm in registry.all_algorithms())
    made = []
    for key in wanted:
        path = path_of(key, theme)
        if not path.exists():
            try:
                draw(registry.find(key), path, theme)
            except Exception:
                log.exception("no picture of %s", key)
                continue
        made.append(path)
    return made


def draw(algorithm: Algorithm, path: Path, theme: str = "light") -> None:
    """The large view of the example, at its end, without words; the file is complete or not there."""
    data = load_data(algorithm.example) if algorithm.accepts else Nothing()
    style = Style(THUMBNAIL, theme, only=algorithm.panels_on(data)[0].key)
    render_picture(algorithm, data, algorithm.make_params({}), 0, path, style=style)
