"""The squares of residuals: each looks square on the screen, whatever the units of the axes are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter, QPen

from algorithms.data import Array
from algorithms.marks import Squares
from mlviz.views.legend_rows import Row
from mlviz.views.pens import make_pen, set_pen
from mlviz.views.renderers.base import NO_POINTS, Renderer, renders
from mlviz.views.sprites import Sprite

_EMPTY = np.empty(0)


class SquaresItem(pg.GraphicsObject):
    """Squares painted in one pass; those of lit points have a strong edge."""

    def __init__(self) -> None:
        super().__init__()
        self._x: Array = _EMPTY
        self._low: Array = _EMPTY
        self._high: Array = _EMPTY
        self._above: Array = _EMPTY
        self.pen, self.lit_pen, self.fill = QPen(), QPen(), QColor()
        self.lit: Array = NO_POINTS

    def set(self, mark: Squares) -> None:
        """Show these squares: to the right of the points above the curve, to the left of those below."""
        self.prepareGeometryChange()
        self._x, self._above = mark.x, mark.start >= mark.end
        self._low, self._high = np.minimum(mark.start, mark.end), np.maximum(mark.start, mark.end)
        self.update()

    def rectangles(self, ratio: float) -> Array:
        """(m, 4) left, bottom, width, height; ``ratio`` is how wide in x one unit of y looks."""
        side = self._high - self._low
        width = side * ratio
        return np.stack([np.where(self._above, self._x, self._x - width), self._low, width, side], axis=1)

    def ratio(self) -> float:
        """How many units of x look as long as one unit of y."""
        across, up = self.pixelLength(QPointF(1, 0)), self.pixelLength(QPointF(0, 1))
        return float(across / up) if across and up else 1.0

    def boundingRect(self) -> QRectF:
        """The extent in plot coordinates; it depends on the zoom, because squares must look square."""
        if not len(self._x):
            return QRectF()
        boxes = self.rectangles(self.ratio())
        left, bottom = boxes[:, :2].min(axis=0)
        right, top = (boxes[:, :2] + boxes[:, 2:]).max(axis=0)
        return QRectF(left, bottom, right - left, top - bottom)

    def viewTransformChanged(self) -> None:
        """Another zoom, other widths."""
        self.prepareGeometryChange()

    def paint(self, painter: QPainter, *_: object) -> None:
        """Draw all squares, the lit ones last."""
        boxes = [QRectF(*box) for box in self.rectangles(self.ratio()).tolist()]
        set_pen(painter, self.pen)
        painter.setBrush(self.fill)
        painter.drawRects(boxes)
        set_pen(painter, self.lit_pen)
        painter.drawRects([boxes[number] for number in self.lit.tolist() if number < len(boxes)])

    def at(self, place: QPointF) -> Array:
        """The squares (numbers) that hold this place, the smallest first."""
        boxes = self.rectangles(self.ratio())
        away = np.array([place.x(), place.y()]) - boxes[:, :2]
        inside = np.flatnonzero(((away >= 0.0) & (away <= boxes[:, 2:])).all(axis=1))
        return inside[np.argsort(boxes[inside, 3], kind="stable")]


@renders(Squares)
class SquaresRenderer(Renderer):
    """Translucent squares under the points; hovering one means its point."""

    depth = 70.0

    def __init__(self, canvas: Any, ordinal: int) -> None:
        super().__init__(canvas, ordinal)
        self._item: SquaresItem = self.add(SquaresItem())
        self._mark: Squares | None = None

    def show(self, mark: Squares) -> None:
        theme = self.theme
        self._mark = mark
        self._item.fill = QColor(theme.danger)
        self._item.fill.setAlphaF(0.10)
        self._item.pen = make_pen(theme.faint(theme.danger, 0.7), theme.stroke * 0.5)
        self._item.lit_pen = make_pen(theme.line, theme.stroke)
        self._item.set(mark)
        self._item.setVisible(True)

    def legend(self, mark: Squares) -> tuple[Row, ...]:
        shade = self._item.fill.name(QColor.NameFormat.HexArgb)
        look = Sprite("s", self.theme.point * 1.3, shade, self.theme.danger, self.theme.stroke * 0.5)
        return (Row("squared residual", sprite=look),) if len(mark.x) else ()

    def light_points(self, points: Array) -> None:
        if self._mark is not None and self._mark.points is not None:
            self._item.lit = np.flatnonzero(np.isin(self._mark.points, points))
            self._item.update()

    def points_at(self, place: QPointF) -> Array:
        if self._mark is None or self._mark.points is None or not self._item.isVisible():
            return NO_POINTS
        return self._mark.points[self._item.at(place)[:1]]
