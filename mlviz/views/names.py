"""Names beside points: each where it hides neither a point nor another name, or not at all."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter

from algorithms.data import Array
from mlviz.views.sprites import EMPTY
from mlviz.views.theme import LIGHT, Theme

_SIDES = ((1.0, 0.0), (-1.0, 0.0), (0.0, -1.0), (0.0, 1.0), (1.0, -1.0), (-1.0, -1.0), (1.0, 1.0), (-1.0, 1.0))
"""Where a name may stand beside its point, the best place first: across and down."""


class NamesItem(pg.GraphicsObject):
    """Names in letters of one size on the screen, whatever the scale of the plot."""

    def __init__(self) -> None:
        super().__init__()
        self._at, self._theme = EMPTY, LIGHT
        self._names: tuple[str, ...] = ()

    def set(self, at: Array, names: tuple[str, ...], theme: Theme) -> None:
        """Write these beside the places (m, 2)."""
        self.prepareGeometryChange()
        self._at, self._names, self._theme = at, names, theme
        self.update()

    def boundingRect(self) -> QRectF:
        """All that is in view: a name may reach far from its point."""
        view = self.getViewBox()
        return QRectF() if view is None else view.viewRect()

    def dataBounds(self, ax: int, frac: float = 1.0, orthoRange: object = None) -> None:
        """Nothing: the points say how much of the view is needed."""
        return

    def viewTransformChanged(self) -> None:
        """The view is what is painted in."""
        self.prepareGeometryChange()

    def paint(self, painter: QPainter, *_: object) -> None:
        """Write each name at the first place beside its point that is free."""
        if not self._names:
            return
        to_screen = painter.transform()
        room = to_screen.mapRect(self.boundingRect())
        painter.resetTransform()
        font = QFont()
        font.setPointSizeF(self._theme.letters(0.9))
        painter.setFont(font)
        painter.setPen(QColor(self._theme.text))
        metrics = QFontMetricsF(font)
        radius = self._theme.point * 0.45
        places = [to_screen.map(QPointF(x, y)) for x, y in self._at.tolist()]
        taken = [QRectF(place.x() - radius, place.y() - radius, 2 * radius, 2 * radius) for place in places]
        for place, name in zip(places, self._names):
            spot = self._free_spot(place, metrics.horizontalAdvance(name), metrics.capHeight(), taken, room)
            if spot is not None:
                taken.append(spot)
                painter.drawText(spot.bottomLeft(), name)

    def _free_spot(
        self, place: QPointF, width: float, height: float, taken: list[QRectF], room: QRectF
    ) -> QRectF | None:
        gap = self._theme.point * 0.8
        for across, down in _SIDES:
            left = place.x() + across * gap - (width if across < 0 else width / 2 if across == 0 else 0.0)
            middle = place.y() + down * (gap + height / 2)
            spot = QRectF(left, middle - height / 2, width, height)
            grown = spot.adjusted(-2.0, -2.0, 2.0, 2.0)
            if room.contains(spot) and not any(grown.intersects(other) for other in taken):
                return spot
        return None
