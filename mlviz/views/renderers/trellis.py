"""The trellis of a chain: a node for each state at each moment, filled by its probability, and the steps between."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPolygonF, QTransform

from algorithms.data import Array
from algorithms.marks import Trellis
from mlviz.views.fitting_text import elided
from mlviz.views.legend_rows import Row
from mlviz.views.pens import make_pen, set_pen
from mlviz.views.renderers.base import NO_POINTS, Renderer, renders
from mlviz.views.sprites import Sprite
from mlviz.views.theme import LIGHT, Theme

LEFT, RIGHT, ABOVE, BELOW = 1.9, 0.6, 0.6, 1.5
"""Room around the nodes for names, in columns and in rows; the moments and what is seen there stand below."""
WIDER = 1.8
"""How much more room the names of the states have for a projector."""
SPARE = 4.0
"""Columns to the left of all that, on which names may lie that would be cut, where the view has them."""
SMALLEST = 0.6
"""How far the letters below the columns shrink; what then has no room is left out."""
LEVELS = 6
"""How many widths a line can have: those of one width and colour are drawn in one call."""
FAINTEST = 0.02
"""A smaller fraction is not drawn."""
CROWDING = 0.005
"""The fraction of nodes and words that the legend may lie on; in a small picture there is no room for it."""
HEAD = 2.2
"""The length of the head of an arrow, in line widths."""


class TrellisItem(pg.GraphicsObject):
    """The whole picture, painted in one pass in pixels. Moment ``c`` is at x = c, state ``i`` at y = -i."""

    def __init__(self) -> None:
        super().__init__()
        self.mark: Trellis | None = None
        self.theme = LIGHT
        self.lit: Array = NO_POINTS
        """Columns that are meant by another view."""
        self._shape = (0, 0)

    def set(self, mark: Trellis, theme: Theme) -> None:
        """Show this trellis."""
        before = (self._shape, self.left)
        self.mark, self.theme, self._shape = mark, theme, mark.values.shape
        if (self._shape, self.left) != before:
            self.prepareGeometryChange()
            self.informViewBoundsChanged()
        self.update()

    def boundingRect(self) -> QRectF:
        """All that may be painted."""
        return self._picture().adjusted(-SPARE, 0.0, 0.0, 0.0)

    def _picture(self) -> QRectF:
        """The nodes and the room around them."""
        columns, states = self._shape
        return QRectF(-self.left, -(states - 1) - BELOW, columns - 1 + self.left + RIGHT, states - 1 + ABOVE + BELOW)

    @property
    def left(self) -> float:
        """The room for the names of the states, in columns; for a projector they are written in larger letters."""
        return LEFT * (WIDER if self.theme.least else 1.0)

    def dataBounds(self, ax: int, frac: float = 1.0, orthoRange: object = None) -> tuple[float, float]:
        """The range along one axis, for fitting the view."""
        box = self._picture()
        return (box.left(), box.right()) if ax == 0 else (box.top(), box.bottom())

    def paint(self, painter: QPainter, *_: object) -> None:
        """Draw the column of this step, the lines, the nodes and the words."""
        if self.mark is None or not self.mark.values.size:
            return
        transform = painter.worldTransform()
        painter.save()
        painter.resetTransform()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        at = self._places(transform)
        radius = self.radius(transform)
        self._paint_columns(painter, transform, at, radius)
        self._paint_lines(painter, at, radius)
        self._paint_nodes(painter, at, radius)
        self._paint_words(painter, at, radius)
        painter.restore()

    def radius(self, transform: QTransform) -> float:
        """Of a node, in pixels."""
        return float(min(0.32 * abs(transform.m11()), 0.34 * abs(transform.m22()), 2.4 * self.theme.font))

    def _places(self, transform: QTransform) -> Array:
        """The middle of every node in pixels, (c, k, 2)."""
        columns, states = self._shape
        x = transform.m11() * np.arange(columns) + transform.dx()
        y = -transform.m22() * np.arange(states) + transform.dy()
        return np.stack(np.broadcast_arrays(x[:, None], y[None, :]), axis=2)

    def _paint_columns(self, painter: QPainter, transform: QTransform, at: Array, radius: float) -> None:
        """Bands behind the column of this step, and behind those that another view means; words included."""
        mark, theme = self.mark, self.theme
        assert mark is not None
        under = 2.0 * QFontMetricsF(self._word_font(at)).height()
        painter.setPen(Qt.PenStyle.NoPen)
        columns = [(mark.active, theme.faint(theme.accent, 0.13))] if mark.active >= 0 else []
        columns += [(int(column), theme.grid) for column in self.lit if column != mark.active]
        for column, colour in columns:
            (x, top), (_, last) = at[column, 0], at[column, -1]
            left, width = x - 0.46 * transform.m11(), 0.92 * transform.m11()
            painter.setBrush(QColor(colour))
            painter.drawRoundedRect(QRectF(left, top - 1.4 * radius, width, last - top + 2.8 * radius + under), 6, 6)

    # -- lines ---------------------------------------------------------------------------------------------------

    def _paint_lines(self, painter: QPainter, at: Array, radius: float) -> None:
        """All transitions thinly, then what flows along them, the pointers back and the path."""
        mark, theme = self.mark, self.theme
        assert mark is not None
        columns, states = mark.values.shape
        ends = [(c, i, j) for c in range(columns - 1) for i in range(states) for j in range(states)]
        set_pen(painter, make_pen(theme.grid, 1.0))
        painter.drawLines([self._line(at, c, i, c + 1, j, radius) for c, i, j in ends])
        if mark.flow is not None:
            self._paint_flow(painter, at, radius, mark.flow)
        if mark.back is not None:
            for c, i in np.argwhere(mark.back >= 0).tolist():
                if c > 0:
                    line = self._line(at, c, i, c - 1, int(mark.back[c, i]), radius)
                    _arrow(painter, line, theme.muted, 0.8 * theme.stroke)
        if mark.path is not None:
            known = [c for c in range(1, columns) if mark.path[c] >= 0 and mark.path[c - 1] >= 0]
            lines = [self._line(at, c - 1, int(mark.path[c - 1]), c, int(mark.path[c]), radius) for c in known]
            set_pen(painter, make_pen(theme.line, 2.0 * theme.stroke))
            painter.drawLines(lines)

    def _paint_flow(self, painter: QPainter, at: Array, radius: float, flow: Array) -> None:
        """Lines in the colour of the state they come from, the wider the more goes along them."""
        theme = self.theme
        level = np.ceil(np.clip(flow, 0.0, 1.0) * LEVELS).astype(int)
        level[flow < FAINTEST] = 0
        for i in range(flow.shape[1]):
            for size in range(1, LEVELS + 1):
                found = np.argwhere(level[:, i] == size)
                if len(found):
                    fraction = size / LEVELS
                    colour = theme.faint(theme.colour(i), 0.25 + 0.5 * fraction)
                    set_pen(painter, make_pen(colour, theme.stroke * (0.6 + 2.6 * fraction)))
                    lines = [self._line(at, c, i, c + 1, j, radius) for c, j in found.tolist() if c + 1 < len(at)]
                    painter.drawLines(lines)

    def _line(self, at: Array, c: int, i: int, d: int, j: int, radius: float) -> QLineF:
        """From the edge of one node to the edge of another."""
        start, end = at[c, i], at[d, j]
        along = (end - start) / max(math.hypot(*(end - start)), 1e-9) * radius
        return QLineF(*(start + along), *(end - along))

    # -- nodes and words -----------------------------------------------------------------------------------------

    def _paint_nodes(self, painter: QPainter, at: Array, radius: float) -> None:
        mark, theme = self.mark, self.theme
        assert mark is not None
        font = QFont()
        font.setPointSizeF(max(min(0.85 * theme.font, 0.62 * radius), 1.0, theme.least))
        painter.setFont(font)
        letter = QFontMetricsF(font).horizontalAdvance("0")
        digits = min(int((1.8 * radius - 0.5 * letter) / letter), 2) if radius > 0.9 * theme.font else 0
        for c in range(len(at)):
            for i, (x, y) in enumerate(at[c].tolist()):
                middle, colour = QPointF(x, y), theme.colour(i)
                on_path = mark.path is not None and int(mark.path[c]) == i
                pen = make_pen(theme.line, 2.0 * theme.stroke) if on_path else make_pen(colour, 0.75 * theme.stroke)
                if not mark.known[c]:
                    pen = make_pen(theme.border, 0.75 * theme.stroke)
                set_pen(painter, pen)
                painter.setBrush(QColor(theme.plot))
                painter.drawEllipse(middle, radius, radius)
                if not mark.known[c]:
                    continue
                value = float(mark.values[c, i])
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(QColor(theme.faint(colour, 0.45)))
                painter.drawEllipse(middle, *(2 * [0.92 * radius * math.sqrt(max(value, 0.0))]))
                if digits > 0:
                    painter.setPen(QColor(theme.text))
                    box = QRectF(x - radius, y - radius, 2 * radius, 2 * radius)
                    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, _fraction(value, digits))

    def _paint_words(self, painter: QPainter, at: Array, radius: float) -> None:
        """The states on the left; below each column what is seen there, and when."""
        mark, theme = self.mark, self.theme
        assert mark is not None
        pitch = self._pitch(at)
        font = QFont()
        font.setPointSizeF(theme.font)
        room = self.left * pitch - 1.3 * radius
        widest = max(map(QFontMetricsF(font).horizontalAdvance, mark.names), default=1.0)
        font.setPointSizeF(theme.letters(min(max(0.95 * room / max(widest, 1.0), 0.5), 1.0)))
        painter.setFont(font)
        metrics = QFontMetricsF(font)
        if max(map(metrics.horizontalAdvance, mark.names), default=0.0) > room:
            room = max(room, min(self.left + SPARE, -self.viewRect().left()) * pitch - 1.3 * radius)
        side, centre = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, Qt.AlignmentFlag.AlignCenter
        for i, name in enumerate(mark.names):
            x, y = at[0, i]
            box = QRectF(x - 1.3 * radius - room, y - metrics.height(), room, 2.0 * metrics.height())
            painter.setPen(QColor(theme.colour(i)))
            painter.drawText(box, side, elided(name, metrics, box.width()))
        font = self._word_font(at)
        painter.setFont(font)
        metrics = QFontMetricsF(font)
        for line, (words, colour) in enumerate(((mark.seen, theme.text), (mark.times, theme.muted))):
            below = 1.3 * radius + line * metrics.height()
            if below + metrics.height() > BELOW * self._row_height(at) + 1.0:
                break
            top = float(at[0, -1, 1]) + below
            painter.setPen(QColor(theme.muted))
            start = QRectF(at[0, 0, 0] - 1.3 * radius - room, top, room, metrics.height())
            painter.drawText(start, side, ("seen", "time")[line])
            painter.setPen(QColor(colour))
            step = self._stride(words, metrics, pitch)
            for c, text in list(enumerate(words))[::step]:
                box = QRectF(float(at[c, 0, 0]) - 0.5 * step * pitch, top, step * pitch, metrics.height())
                painter.drawText(box, centre, elided(text, metrics, box.width()))

    @staticmethod
    def _stride(words: tuple[str, ...], metrics: QFontMetricsF, pitch: float) -> int:
        """Below every how manieth column something is written: where columns are narrow it would not be read."""
        widest = max(map(metrics.horizontalAdvance, words), default=0.0)
        return max(1, math.ceil(widest / max(pitch, 1.0)))

    def _pitch(self, at: Array) -> float:
        """The width of a column in pixels."""
        return float(at[1, 0, 0] - at[0, 0, 0]) if len(at) > 1 else 8.0 * self.theme.font

    def _word_font(self, at: Array) -> QFont:
        """The letters in which what is written below a column fits there."""
        assert self.mark is not None
        font = QFont()
        font.setPointSizeF(self.theme.font)
        widest = max(map(QFontMetricsF(font).horizontalAdvance, (*self.mark.times, *self.mark.seen)), default=1.0)
        wide = 0.9 * self._pitch(at) / max(widest, 1.0)
        radius = min(0.32 * self._pitch(at), 0.34 * self._row_height(at), 2.4 * self.theme.font)
        high = (BELOW * self._row_height(at) - 1.3 * radius) / (2.0 * QFontMetricsF(font).height())
        font.setPointSizeF(self.theme.letters(min(max(min(wide, high), SMALLEST), 1.0)))
        return font

    def _row_height(self, at: Array) -> float:
        """Of a state, in pixels."""
        return float(at[0, 1, 1] - at[0, 0, 1]) if at.shape[1] > 1 else math.inf

    def taken(self, area: QRectF, view: QRectF) -> Array:
        """Where nodes and words are, (m, 2) in the pixels of a box that shows this part: the legend keeps off them."""
        columns, states = self._shape
        rows = -np.arange(states, dtype=float)
        heights = np.concatenate([rows + 0.34, rows, rows - 0.34, rows[-1:] - 0.55, rows[-1:] - 0.9])
        x, y = np.meshgrid(np.arange(-1, columns), heights)
        parts = np.column_stack([(x.ravel() - view.left()) / view.width(), (view.bottom() - y.ravel()) / view.height()])
        return parts * (area.width(), area.height())


@renders(Trellis)
class TrellisRenderer(Renderer):
    """One item; a column means its moment."""

    def __init__(self, canvas: Any, ordinal: int) -> None:
        super().__init__(canvas, ordinal)
        self._item: TrellisItem = self.add(TrellisItem())
        canvas.legend.avoid = self._taken
        canvas.legend.crowding, canvas.legend.reach = CROWDING, 0.0

    def _taken(self) -> Array:
        return self._item.taken(self.canvas.box.boundingRect(), self.canvas.box.viewRect())

    def show(self, mark: Trellis) -> None:
        self._item.set(mark, self.theme)
        self._item.setVisible(True)

    def legend(self, mark: Trellis) -> tuple[Row, ...]:
        theme, rows = self.theme, []
        if mark.values_name:
            disc = Sprite("o", theme.point, theme.faint(theme.colour(0), 0.45), theme.colour(0), 1.0)
            rows.append(Row(mark.values_name, sprite=disc))
        if mark.flow_name and mark.flow is not None:
            rows.append(Row(mark.flow_name, line=theme.faint(theme.colour(0), 0.75), width=2.0 * theme.stroke))
        if mark.back_name and mark.back is not None:
            rows.append(Row(mark.back_name, line=theme.muted, width=0.8 * theme.stroke))
        if mark.path_name and mark.path is not None and (mark.path >= 0).any():
            rows.append(Row(mark.path_name, line=theme.line, width=2.0 * theme.stroke))
        return tuple(rows)

    def light_points(self, points: Array) -> None:
        mark = self._item.mark
        if mark is not None and mark.points is not None:
            self._item.lit = np.flatnonzero(np.isin(mark.points, points))
            self._item.update()

    def points_at(self, place: QPointF) -> Array:
        mark, column = self._item.mark, round(place.x())
        if mark is None or mark.points is None or not self._item.isVisible() or not 0 <= column < len(mark.points):
            return NO_POINTS
        return mark.points[column : column + 1] if abs(place.x() - column) <= 0.46 else NO_POINTS


def _fraction(value: float, digits: int = 2) -> str:
    """A probability in one to three letters: .93, .9, 1, 0."""
    text = f"{value:.{digits}f}"
    return text[0] if not float(text) % 1.0 else text[1:]


def _arrow(painter: QPainter, line: QLineF, colour: str, width: float) -> None:
    set_pen(painter, make_pen(colour, width))
    painter.drawLine(line)
    if line.length() < 1.0:
        return
    back, size = line.unitVector(), HEAD * max(width, 1.2)
    along = QPointF(back.dx(), back.dy()) * 2.0 * size
    across = QPointF(-back.dy(), back.dx()) * size
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(colour))
    painter.drawPolygon(QPolygonF([line.p2(), line.p2() - along + across, line.p2() - along - across]))
