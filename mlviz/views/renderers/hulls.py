"""Outlines around sets of points."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPainterPathStroker, QPen, QPolygonF

from algorithms.data import Array
from algorithms.marks import Hulls
from mlviz.views.legend_rows import Row
from mlviz.views.pens import make_pen, set_pen
from mlviz.views.renderers.base import Renderer, renders
from mlviz.views.sprites import Sprite

_TURN = np.linspace(0.0, 2.0 * np.pi, 97)[:-1]
_LIMIT = 2.0**20  # device coordinates beyond this crash the raster engine
_DIRECTIONS = np.stack([np.cos(_TURN), np.sin(_TURN)])


class HullItem(pg.GraphicsObject):
    """Rounded outlines, painted in pixels so that they keep the same distance from the points at every zoom."""

    def __init__(self) -> None:
        super().__init__()
        self._sets: tuple[Array, ...] = ()
        self._pen = make_pen("#000000")
        self._fill = QColor()
        self._margin = 8.0
        self._bounds = QRectF()

    def set(self, sets: tuple[Array, ...], pen: QPen, fill: QColor, margin: float) -> None:
        """Show an outline around each set of places, each (m, 2), at a distance of ``margin`` pixels."""
        self._sets = tuple(places for places in sets if len(places))
        self._pen, self._fill, self._margin = pen, fill, margin
        self.prepareGeometryChange()
        if self._sets:
            low = np.min([places.min(axis=0) for places in self._sets], axis=0)
            high = np.max([places.max(axis=0) for places in self._sets], axis=0)
            self._bounds = QRectF(QPointF(*low), QPointF(*high))
        self.update()

    def boundingRect(self) -> QRectF:
        """The extent in the plane, with the margin."""
        if not self._sets:
            return QRectF()
        across, up = (abs(v.x()) + abs(v.y()) if v is not None else 0.0 for v in self.pixelVectors())
        more = self._margin + 2.0 + self._pen.widthF()
        return self._bounds.adjusted(-more * across, -more * up, more * across, more * up)

    def viewTransformChanged(self) -> None:
        """The margin keeps its size on the screen, so the extent in the plane has changed."""
        self.prepareGeometryChange()

    def paint(self, painter: QPainter, *_: object) -> None:
        """Draw the outlines."""
        transform = painter.transform()
        painter.resetTransform()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        set_pen(painter, self._pen)
        painter.setBrush(self._fill)
        for places in self._sets:
            at = pg.functions.transformCoordinates(transform, np.ascontiguousarray(places.T)).T
            painter.drawPath(rounded(hull(np.clip(at, -_LIMIT, _LIMIT)), self._margin))


def hull(at: Array) -> Array:
    """The places (m, 2), in the order of turning, that lie farthest out in one of many directions."""
    outermost = (at @ _DIRECTIONS).argmax(axis=0)
    return at[outermost[np.flatnonzero(outermost != np.roll(outermost, 1))]] if np.ptp(outermost) else at[outermost[:1]]


def rounded(corners: Array, margin: float) -> QPainterPath:
    """A closed line around a polygon at a distance; a circle around a single place."""
    if len(corners) == 1:
        path = QPainterPath()
        path.addEllipse(QPointF(*corners[0]), margin, margin)
        return path
    inner = QPainterPath()
    inner.addPolygon(QPolygonF([QPointF(x, y) for x, y in corners.tolist()]))
    inner.closeSubpath()
    stroker = QPainterPathStroker()
    stroker.setWidth(2.0 * margin)
    stroker.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    stroker.setCapStyle(Qt.PenCapStyle.RoundCap)
    stroker.setCurveThreshold(0.05)
    return stroker.createStroke(inner).united(inner).simplified()


@renders(Hulls)
class HullsRenderer(Renderer):
    """A quiet area behind the points."""

    depth = 20.0

    def __init__(self, canvas: Any, ordinal: int) -> None:
        super().__init__(canvas, ordinal)
        self._hulls: HullItem = self.add(HullItem())

    def show(self, mark: Hulls) -> None:
        theme = self.theme
        pen, fill = make_pen(theme.faint(theme.line, 0.75), theme.stroke * 0.75), QColor(theme.line)
        fill.setAlphaF(0.07)
        self._hulls.set(tuple(self.scene.at[points] for points in mark.sets), pen, fill, theme.point * 1.1)
        self._hulls.setVisible(True)

    def legend(self, mark: Hulls) -> tuple[Row, ...]:
        fill = QColor(self.theme.line)
        fill.setAlphaF(0.07)
        look = Sprite("o", self.theme.point * 1.5, fill.name(QColor.NameFormat.HexArgb), self.theme.line, 1.0)
        return (Row(mark.name, sprite=look),) if mark.name else ()
