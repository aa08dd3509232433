"""Icons: our own line drawings, coloured by the theme.

The SVG files say ``currentColor``; it is replaced by the theme's colour before drawing. Each icon carries bitmaps of
all the sizes that occur, so it is sharp on a projector and on a 4K screen, and has a dimmed version for disabled
buttons and an accented one for checked ones.
"""

from __future__ import annotations

import functools
from pathlib import Path

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from mlviz.paths import assets
from mlviz.views.theme import Theme

SIZES = (16, 20, 24, 32, 40, 48, 64, 96)


def folder() -> Path:
    """Where the drawings lie."""
    return assets() / "icons"


def names() -> tuple[str, ...]:
    """Every drawing that follows the theme's colour."""
    return tuple(sorted(path.stem for path in folder().glob("*.svg") if "currentColor" in path.read_text("utf-8")))


def blend(first: str, second: str, amount: float) -> str:
    """The colour that lies ``amount`` of the way from ``first`` to ``second``; all are ``#rrggbb``."""
    pairs = ((int(first[at : at + 2], 16), int(second[at : at + 2], 16)) for at in (1, 3, 5))
    return "#" + "".join(f"{round(one + (other - one) * amount):02x}" for one, other in pairs)


def icon(name: str, theme: Theme, colour: str = "") -> QIcon:
    """The icon in the theme's text colour, or in ``colour``."""
    base = colour or theme.text
    checked = colour or theme.accent
    return _icon(name, base, checked, blend(base, theme.window, 0.65))


def pixmap(name: str, colour: str, size: int, ratio: float = 1.0) -> QPixmap:
    """One drawing as a bitmap of ``size`` logical pixels on a screen of this device pixel ratio."""
    result = _drawn(_renderer(name, colour), round(size * ratio))
    result.setDevicePixelRatio(ratio)
    return result


@functools.cache
def _icon(name: str, normal: str, checked: str, disabled: str) -> QIcon:
    result = QIcon()
    looks = [(normal, QIcon.Mode.Normal, QIcon.State.Off), (disabled, QIcon.Mode.Disabled, QIcon.State.Off)]
    if checked != normal:
        looks.append((checked, QIcon.Mode.Normal, QIcon.State.On))
    for colour, mode, state in looks:
        renderer = _renderer(name, colour)
        for size in SIZES:
            result.addPixmap(_drawn(renderer, size), mode, state)
    return result


@functools.cache
def _source(name: str) -> str:
    return (folder() / f"{name}.svg").read_text("utf-8")


def _renderer(name: str, colour: str) -> QSvgRenderer:
    return QSvgRenderer(QByteArray(_source(name).replace("currentColor", colour).encode()))


def _drawn(renderer: QSvgRenderer, size: int) -> QPixmap:
    result = QPixmap(size, size)
    result.fill(Qt.GlobalColor.transparent)
    painter = QPainter(result)
    renderer.render(painter, QRectF(0, 0, size, size))
    painter.end()
    return result
