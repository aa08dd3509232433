"""Marks of a surface that is walked over: paths and arrows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter, QPen, QPolygonF

from algorithms.data import Array
from algorithms.marks import Arrows, Paths
from mlviz.views.legend_rows import Row
from mlviz.views.pens import make_pen, set_pen
from mlviz.views.renderers.base import Renderer, renders
from mlviz.views.sprites import EMPTY, Sprite, SpriteLayer
from mlviz.views.theme import Theme
from mlviz.views.trails import TrailsItem

MOST_DOTS = 400
"""A longer path has no dots but at its last places: they would run into a thick line."""


@renders(Paths)
class PathsRenderer(Renderer):
    """One line for each walker with a dot wherever it has stopped; beyond eight walkers the lines are dashed."""

    depth = 250.0

    def __init__(self, canvas: Any, ordinal: int) -> None:
        super().__init__(canvas, ordinal)
        self._trails: TrailsItem = self.add(TrailsItem())
        self._dots: SpriteLayer = self.add(SpriteLayer())
        self._heads: SpriteLayer = self.add(SpriteLayer())

    def show(self, mark: Paths) -> None:
        steps, count = mark.at.shape[:2]
        theme = self.theme
        pens = [
            make_pen(theme.colour(walker), theme.stroke * 0.8, dashed=walker >= len(theme.classes))
            for walker in range(count)
        ]
        self._trails.set(mark.at, tuple(pens))
        self._trails.setVisible(steps > 1)
        recent = mark.at[-max(MOST_DOTS // max(count, 1), 20) :]
        small = tuple(Sprite("o", theme.point * 0.5, theme.colour(w), theme.plot, 0.6) for w in range(count))
        self._dots.set(recent.reshape(-1, 2), small, np.tile(np.arange(count), len(recent)))
        self._heads.set(mark.at[-1] if steps else EMPTY, tuple(map(self._head, range(count))), np.arange(count))
        self._dots.setVisible(True)
        self._heads.setVisible(True)

    def set_height(self, height: int) -> None:
        self._trails.setZValue(self.depth)
        self._dots.setZValue(self.depth + 1)
        self._heads.setZValue(self.depth + 80)

    def legend(self, mark: Paths) -> tuple[Row, ...]:
        theme = self.theme
        return tuple(
            Row(name, sprite=self._head(w), line=theme.colour(w), dashed=w >= len(theme.classes), width=theme.stroke)
            for w, name in enumerate(mark.names)
        )

    def _head(self, walker: int) -> Sprite:
        theme = self.theme
        return Sprite(theme.shape(walker), theme.point * 1.15, theme.colour(walker), theme.plot, theme.stroke * 0.6)


class ArrowItem(pg.GraphicsObject):
    """Arrows with heads of the same size on the screen, whatever their length."""

    def __init__(self) -> None:
        super().__init__()
        self._start, self._end = EMPTY, EMPTY
        self._pens: tuple[QPen, ...] = ()
        self._head = 8.0

    def set(self, start: Array, end: Array, pens: tuple[QPen, ...], head: float) -> None:
        """Show these."""
        self.prepareGeometryChange()
        self._start, self._end, self._pens, self._head = start, end, pens, head
        self.update()

    def boundingRect(self) -> QRectF:
        """The extent in the coordinates of the canvas, widened by a head."""
        ends = np.concatenate([self._start, self._end])
        if not len(ends):
            return QRectF()
        (left, bottom), (right, top) = ends.min(axis=0), ends.max(axis=0)
        dx, dy = (self._head * size for size in self._pixel())
        return QRectF(left, bottom, right - left, top - bottom).adjusted(-dx, -dy, dx, dy)

    def dataBounds(self, ax: int, frac: float = 1.0, orthoRange: object = None) -> None:
        """Nothing: an arrow speaks of something that is in view, which must not move when it is pointed at."""
        return

    def viewTransformChanged(self) -> None:
        """The heads keep their size on the screen."""
        self.prepareGeometryChange()

    def paint(self, painter: QPainter, *_: object) -> None:
        """Draw the shafts and the heads in screen coordinates."""
        to_screen = painter.transform()
        painter.resetTransform()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for start, end, pen in zip(self._start, self._end, self._pens):
            self._paint_arrow(painter, to_screen.map(QPointF(*start)), to_screen.map(QPointF(*end)), pen)

    def _paint_arrow(self, painter: QPainter, tail: QPointF, tip: QPointF, pen: QPen) -> None:
        arrow = tip - tail
        length = math.hypot(arrow.x(), arrow.y())
        if not 2.0 < length < 1e6:
            return
        head = min(self._head, 0.6 * length)
        unit = arrow / length
        neck, side = tip - unit * head, QPointF(-unit.y(), unit.x()) * head * 0.45
        set_pen(painter, pen)
        painter.drawLine(tail, neck)
        painter.setPen(QPen(pen.color(), 1.0))
        painter.setBrush(pen.color())
        painter.drawPolygon(QPolygonF([tip, neck + side, neck - side]))

    def _pixel(self) -> tuple[float, float]:
        dx, dy = self.pixelVectors()
        return (abs(dx.x()) if dx is not None else 0.0), (abs(dy.y()) if dy is not None else 0.0)


@renders(Arrows)
class ArrowsRenderer(Renderer):
    """The step in the colour of lines, what pulls in red, what is remembered dashed."""

    depth = 290.0

    def __init__(self, canvas: Any, ordinal: int) -> None:
        super().__init__(canvas, ordinal)
        self._item: ArrowItem = self.add(ArrowItem())

    def show(self, mark: Arrows) -> None:
        theme = self.theme
        pens = tuple(make_pen(*_arrow_style(theme, role)) for role in mark.roles)
        self._item.set(mark.start, mark.end, pens, theme.point * 1.1)
        self._item.setVisible(True)

    def legend(self, mark: Arrows) -> tuple[Row, ...]:
        rows = []
        for role, name in zip(mark.roles, mark.names):
            colour, width, dashed = _arrow_style(self.theme, role)
            rows.append(Row(name, line=colour, dashed=dashed, width=width))
        return tuple(rows)


def _arrow_style(theme: Theme, role: str) -> tuple[str, float, bool]:
    return {
        "force": (theme.danger, theme.stroke, False),
        "memory": (theme.muted, theme.stroke, True),
        "step": (theme.line, theme.stroke * 1.1, False),
    }[role]
