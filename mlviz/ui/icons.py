"""Icons: our own line drawings, coloured by the theme.

The SVG files say ``currentColor``; it is replaced by the theme's colour before drawing. An icon is drawn in the size in
which it is asked for, when it is asked for: so it is sharp on a projector and on a 4K screen, and a start does not wait
for the icons in closed menus. Disabled buttons have it dimmed and checked ones accented.
"""

from __future__ import annotations

import functools
from pathlib import Path

from PySide6.QtCore import QByteArray, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QIconEngine, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from mlviz.paths import assets
from mlviz.views.colours import blend
from mlviz.views.theme import Theme


def folder() -> Path:
    """Where the drawings lie."""
    return assets() / "icons"


def names() -> tuple[str, ...]:
    """Every drawing that follows the theme's colour."""
    return tuple(sorted(path.stem for path in folder().glob("*.svg") if "currentColor" in path.read_text("utf-8")))


def icon(name: str, theme: Theme, colour: str = "") -> QIcon:
    """The icon in the theme's text colour, or in ``colour``."""
    base = colour or theme.text
    return _icon(name, base, colour or theme.accent, blend(base, theme.window, 0.65))


def pixmap(name: str, colour: str, size: int, ratio: float = 1.0) -> QPixmap:
    """One drawing as a bitmap of ``size`` logical pixels on a screen of this device pixel ratio."""
    result = QPixmap(_drawn(name, colour, round(size * ratio)))
    result.setDevicePixelRatio(ratio)
    return result


class _Drawing(QIconEngine):
    """Draws one icon on demand; each size and colour once."""

    def __init__(self, name: str, normal: str, checked: str, disabled: str) -> None:
        super().__init__()
        self._name = name
        self._colours = normal, checked, disabled

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        """The bitmap in device pixels."""
        normal, checked, disabled = self._colours
        colour = disabled if mode == QIcon.Mode.Disabled else checked if state == QIcon.State.On else normal
        return _drawn(self._name, colour, max(min(size.width(), size.height()), 1))

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        """Draw it in the middle of a rectangle."""
        ratio = painter.device().devicePixelRatio()
        side = min(rect.width(), rect.height())
        area = QRect(rect.x() + (rect.width() - side) // 2, rect.y() + (rect.height() - side) // 2, side, side)
        painter.drawPixmap(area, self.pixmap(rect.size() * ratio, mode, state))

    def isNull(self) -> bool:
        """There is always something to see."""
        return False

    def clone(self) -> QIconEngine:
        """For an icon that goes its own way; Qt does not tell Python that it keeps the copy, so it is kept here."""
        _CLONES.append(_Drawing(self._name, *self._colours))
        return _CLONES[-1]


_CLONES: list[_Drawing] = []


@functools.cache
def _icon(name: str, normal: str, checked: str, disabled: str) -> QIcon:
    return QIcon(_Drawing(name, normal, checked, disabled))


@functools.cache
def _drawn(name: str, colour: str, size: int) -> QPixmap:
    """A square bitmap of this many pixels."""
    source = (folder() / f"{name}.svg").read_text("utf-8").replace("currentColor", colour)
    result = QPixmap(size, size)
    result.fill(Qt.GlobalColor.transparent)
    painter = QPainter(result)
    QSvgRenderer(QByteArray(source.encode())).render(painter, QRectF(0, 0, size, size))
    painter.end()
    return result
