"""What lies in the lanes of a strip: thin lines, names and the cells of symbols."""

from __future__ import annotations

import math

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter

from algorithms.data import Array
from mlviz.views.pens import make_pen, set_pen
from mlviz.views.strip_layout import StripLayout
from mlviz.views.theme import LIGHT, Theme

CELL = 0.86
"""The width of a symbol's cell, in moments."""


class _StripItem(pg.GraphicsObject):
    """Something that is as large as the strip."""

    def __init__(self) -> None:
        super().__init__()
        self._layout: StripLayout | None = None
        self._theme = LIGHT

    def boundingRect(self) -> QRectF:
        """Everything."""
        if self._layout is None:
            return QRectF()
        left, right, bottom, top = self._layout.extent
        return QRectF(left, bottom, right - left, top - bottom)


class LaneItem(_StripItem):
    """Thin lines between the rows of symbols and around the lanes, and the number of each of several series."""

    def set(self, layout: StripLayout, theme: Theme) -> None:
        """Show the lanes of this layout."""
        self.prepareGeometryChange()
        self._layout, self._theme = layout, theme
        self.update()

    def paint(self, painter: QPainter, *_: object) -> None:
        """Draw the lines and the words."""
        layout, theme = self._layout, self._theme
        if layout is None:
            return
        seen = self.viewRect()
        set_pen(painter, make_pen(theme.grid, 1.0))
        for lane in layout.lanes:
            length = len(layout.data.series[lane.series])
            edges = [lane.bottom, lane.top]
            if lane.feature < 0:
                edges = [lane.bottom + k / len(layout.data.symbols) for k in range(len(layout.data.symbols) + 1)]
            for edge in edges:
                painter.drawLine(QPointF(max(0.5, seen.left()), edge), QPointF(min(length + 0.5, seen.right()), edge))
        if len(layout.lanes) > 1:
            self._name_lanes(painter, layout)

    def _name_lanes(self, painter: QPainter, layout: StripLayout) -> None:
        theme, transform = self._theme, painter.worldTransform()
        font = QFont()
        font.setPointSizeF(theme.letters(0.85))
        metrics = QFontMetricsF(font)
        painter.save()
        painter.resetTransform()
        painter.setFont(font)
        left = transform.map(QPointF(max(self.viewRect().left(), 0.5), 0.0)).x() + 4
        back = QColor(theme.plot)
        back.setAlphaF(0.7)
        for lane in layout.lanes:
            words = [f"series {lane.series + 1}"] if len(layout.data.series) > 1 else []
            words += [layout.data.features[lane.feature]] if layout.data.d > 1 else []
            top = transform.map(QPointF(0.0, lane.top)).y()
            if transform.map(QPointF(0.0, lane.bottom)).y() - top < 1.6 * metrics.height():
                continue
            text = ", ".join(words)
            box = QRectF(left, top + 2, metrics.horizontalAdvance(text) + 6, metrics.height())
            painter.fillRect(box, back)
            painter.setPen(QColor(theme.muted))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
        painter.restore()


class CellItem(_StripItem):
    """The symbols: a cell for each moment in the row of its symbol, in the colour of its state."""

    def __init__(self) -> None:
        super().__init__()
        self._groups: Array = np.empty(0, dtype=int)

    def set(self, layout: StripLayout, groups: Array, theme: Theme, shown: bool) -> None:
        """Show the symbols of this layout, or nothing."""
        self.prepareGeometryChange()
        self._layout, self._groups, self._theme = layout if shown else None, groups, theme
        self.update()

    def paint(self, painter: QPainter, *_: object) -> None:
        """Fill the cells that can be seen; where many share a pixel, one for each symbol that occurs there."""
        layout = self._layout
        if layout is None:
            return
        theme, seen = self._theme, self.viewRect()
        colours = [QColor(theme.muted)] + [
            QColor(theme.colour(k)) for k in range(int(self._groups.max(initial=-1)) + 1)
        ]
        step = max(seen.width() / max(painter.device().width(), 1), 1e-12)
        tall = 1.0 / len(layout.data.symbols)
        for lane in layout.lanes:
            symbols = layout.data.series[lane.series]
            start = int(layout.data.starts[lane.series])
            first, last = max(math.floor(seen.left() - 1), 0), min(math.ceil(seen.right()), len(symbols))
            if last <= first:
                continue
            rows, groups = symbols[first:last], self._groups[start + first : start + last]
            x, width = np.arange(first + 1.0, last + 1.0), CELL
            if step > 0.5:
                width = max(step, 1.0)
                codes = (np.floor(x / width).astype(np.int64) * len(layout.data.symbols) + rows) * 100 + groups + 1
                kept = np.unique(codes, return_index=True)[1]
                x, rows, groups = np.floor(x[kept] / width) * width + width / 2, rows[kept], groups[kept]
            bottoms = lane.bottom + (rows + 0.12) * tall
            for left, bottom, group in zip((x - width / 2).tolist(), bottoms.tolist(), groups.tolist()):
                painter.fillRect(QRectF(left, bottom, width, 0.76 * tall), colours[group + 1])
