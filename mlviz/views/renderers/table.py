"""A table of numbers: cells that are the stronger the larger their number is, with names and cells that light up."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetricsF, QPainter, QPen, QTransform

from algorithms.data import Array
from algorithms.marks import Table
from mlviz.views.colours import blend
from mlviz.views.fitting_text import elided
from mlviz.views.pens import device_pen, make_pen, set_pen
from mlviz.views.renderers.base import NO_POINTS, Renderer, renders
from mlviz.views.theme import LIGHT, Theme

TALL = 0.62
"""The height of a cell, in its widths, so that a number fits into it."""
LETTER, CROWDED = (0.16, 0.24), 12
"""The room that a letter of a row's name takes, in widths of a cell: in a table of one, and of so many columns."""
TITLE = 0.7
"""The height of the line above the names of the columns, in heights of a cell."""
LONGEST = 3.0
"""The most room for the names of the rows, in widths of a cell."""
SMALLEST = 0.55
"""How far numbers may shrink before they are left out, as a fraction of the usual letters."""
DIGITS = (3, 2, 1)
"""How many digits a number may have: the first with which it can be read in its cell."""
STRONGEST = 0.55
"""The fraction of the accent in the strongest cell: numbers are still read on it."""
GAP = 0.04
"""Between two cells, in widths of a cell."""


@functools.lru_cache(maxsize=4096)
def _brush(background: str, colour: str, fraction: float) -> QBrush:
    """What a cell is filled with; hundreds are painted in every frame."""
    return QBrush(QColor(blend(background, colour, STRONGEST * fraction)))


class TableItem(pg.GraphicsObject):
    """The whole table, painted in one pass in pixels, so that letters keep their shape. A cell is one wide."""

    def __init__(self) -> None:
        super().__init__()
        self.mark: Table | None = None
        self.theme = LIGHT
        self.struck: Array = NO_POINTS
        """Rows, and in a square table columns, that are meant by another view."""
        self._texts: dict[int, list[list[str]]] = {}
        self._box = QRectF(0, 0, 1, 1)

    def set(self, mark: Table, theme: Theme) -> None:
        """Show this table."""
        self.mark, self.theme = mark, theme
        self._texts = {}
        box = _extent(mark)
        if box != self._box:
            self._box = box
            self.prepareGeometryChange()
            self.informViewBoundsChanged()
        self.update()

    def boundingRect(self) -> QRectF:
        """The cells with their names."""
        return self._box

    def dataBounds(self, ax: int, frac: float = 1.0, orthoRange: object = None) -> tuple[float, float]:
        """The range along one axis, for fitting the view."""
        box = self._box
        return (box.left(), box.right()) if ax == 0 else (box.top(), box.bottom())

    def paint(self, painter: QPainter, *_: object) -> None:
        """Draw cells, numbers and names."""
        if self.mark is None:
            return
        transform = painter.worldTransform()
        painter.save()
        painter.resetTransform()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_cells(painter, transform)
        self._paint_names(painter, transform)
        painter.restore()

    def _cell(self, transform: QTransform, row: float, column: float) -> QRectF:
        return transform.mapRect(QRectF(column + GAP / 2, -(row + 1) * TALL + GAP / 2, 1 - GAP, TALL - GAP))

    def _paint_cells(self, painter: QPainter, transform: QTransform) -> None:
        mark, theme = self.mark, self.theme
        assert mark is not None
        rows, columns = mark.values.shape
        known = np.ones((rows, columns), dtype=bool) if mark.unknown is None else ~mark.unknown
        top = float(np.abs(mark.values[known]).max(initial=0.0)) or 1.0
        lit = set(map(tuple, mark.lit.tolist())) if mark.lit is not None else set()
        seen = transform.inverted()[0].mapRect(QRectF(painter.viewport()))
        texts, font = self._readable(known, self._cell(transform, 0, 0).width())
        radius = 0.12 * self._cell(transform, 0, 0).height()
        usual = device_pen(painter, make_pen(theme.border, 1.0))
        strong = device_pen(painter, make_pen(theme.accent, 1.5 * theme.stroke))
        ink = QPen(QColor(theme.text))
        shades = (np.abs(mark.values) / top if mark.shaded else np.zeros((rows, columns))).tolist()
        for row in range(max(int(-seen.bottom() / TALL), 0), min(math.ceil(-seen.top() / TALL), rows)):
            for column in range(max(int(seen.left()), 0), min(math.ceil(seen.right()), columns)):
                box = self._cell(transform, row, column)
                now = (row, column) in lit
                base = theme.danger if mark.values[row, column] < 0 else theme.accent
                painter.setPen(strong if now else usual)
                painter.setBrush(_brush(theme.plot, base, round(shades[row][column], 3) if known[row, column] else 0.0))
                painter.drawRoundedRect(box, radius, radius)
                if font is not None and known[row, column]:
                    font.setBold(now)
                    painter.setFont(font)
                    painter.setPen(ink)
                    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, texts[row][column])
        self._strike(painter, transform)

    def _readable(self, known: Array, width: float) -> tuple[list[list[str]], QFont | None]:
        """What is written in the cells, with as many digits as can be read in them, and the letters; None: nothing."""
        texts: list[list[str]] = []
        for digits in DIGITS:
            texts = self._written(digits)
            shown = [text for row, ok in zip(texts, known) for text, seen in zip(row, ok) if seen]
            font = self._fitting(max(shown, key=len, default=""), width)
            if font is not None:
                return texts, font
        return texts, None

    def _written(self, digits: int) -> list[list[str]]:
        """The texts of the mark, or its numbers with so many digits."""
        assert self.mark is not None
        if digits not in self._texts:
            numbers = [] if self.mark.texts else self.mark.values.tolist()
            words = [[cell_text(value, digits) for value in row] for row in numbers]
            self._texts[digits] = words or [list(row) for row in self.mark.texts]
        return self._texts[digits]

    def _strike(self, painter: QPainter, transform: QTransform) -> None:
        """A frame around the rows, and in a square table the columns, that another view means."""
        assert self.mark is not None
        rows, columns = self.mark.values.shape
        painter.setBrush(Qt.BrushStyle.NoBrush)
        set_pen(painter, make_pen(self.theme.line, self.theme.stroke))
        for number in self.struck.tolist():
            painter.drawRect(transform.mapRect(QRectF(0, -(number + 1) * TALL, columns, TALL)))
            if rows == columns:
                painter.drawRect(transform.mapRect(QRectF(number, -rows * TALL, 1, rows * TALL)))

    def _paint_names(self, painter: QPainter, transform: QTransform) -> None:
        mark = self.mark
        assert mark is not None
        rows, columns = mark.values.shape
        unit = self._cell(transform, 0, 0)
        fitting = self._fitting(max(mark.columns, key=len, default=""), unit.width())
        # names that do not fit are cut, in letters of the theme: those of the application may be of any size
        size = 0.9 * self.theme.font if fitting is None else max(fitting.pointSizeF(), SMALLEST * self.theme.font)
        font = fitting or QFont()
        font.setPointSizeF(max(min(size, max(0.5 * unit.height(), 1.0)), self.theme.least))
        painter.setFont(font)
        metrics = QFontMetricsF(font)
        if self.theme.least and metrics.capHeight() > 0.9 * unit.height():
            return  # one below the other they would lie on each other
        right, centre = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, Qt.AlignmentFlag.AlignCenter
        wide = _names_width(mark)
        for number, name in enumerate(mark.rows[:rows]):
            box = transform.mapRect(QRectF(-wide, -(number + 1) * TALL, wide - 0.1, TALL))
            self._write(painter, metrics, box, right, name, mark.row_groups, number)
        for number, name in enumerate(mark.columns[:columns]):
            box = transform.mapRect(QRectF(number, 0.0, 1.0, TALL))
            self._write(painter, metrics, box, centre, name, mark.column_groups, number)
        painter.setPen(QColor(self.theme.muted))
        if mark.columns_name:
            box = transform.mapRect(QRectF(0.0, TALL if mark.columns else 0.0, columns, TITLE * TALL))
            painter.drawText(box, centre, elided(mark.columns_name, metrics, box.width()))
        if mark.rows_name:
            box = transform.mapRect(QRectF(-wide, 0.0, wide - 0.1, TALL))
            painter.drawText(box, right, elided(mark.rows_name, metrics, box.width()))

    def _write(
        self,
        painter: QPainter,
        metrics: QFontMetricsF,
        box: QRectF,
        where: Qt.AlignmentFlag,
        name: str,
        groups: Array | None,
        number: int,
    ) -> None:
        painter.setPen(QColor(self.theme.text if groups is None else self.theme.colour(int(groups[number]))))
        painter.drawText(box, where, elided(name, metrics, box.width()))

    def _fitting(self, longest: str, width: float) -> QFont | None:
        """The letters in which the longest text fits into a cell; None when they would be too small to be read."""
        font = QFont()
        font.setPointSizeF(self.theme.font)
        wanted = QFontMetricsF(font).horizontalAdvance(longest)
        least = max(SMALLEST, self.theme.least / self.theme.font)
        high = TALL * width / QFontMetricsF(font).height()
        scale = min(1.0, 0.84 * width / max(wanted, 1.0), max(0.7 * high, min(0.95 * high, least)))
        if scale < least:
            return None
        font.setPointSizeF(self.theme.font * scale)
        return font


@renders(Table)
class TableRenderer(Renderer):
    """One item; hovering a row, and in a square table a column, means its items of the data."""

    def __init__(self, canvas: Any, ordinal: int) -> None:
        super().__init__(canvas, ordinal)
        self._item: TableItem = self.add(TableItem())

    def show(self, mark: Table) -> None:
        if not self._item.isVisible() or self._item.mark is None:
            self.canvas.box.setAspectLocked(True, ratio=1.0)
        self._item.set(mark, self.theme)
        self._item.setVisible(True)

    def hide(self) -> None:
        if self._item.mark is not None and self._item.isVisible():
            self.canvas.box.setAspectLocked(False)
        super().hide()

    def light_points(self, points: Array) -> None:
        mark = self._item.mark
        if mark is not None and mark.points is not None:
            self._item.struck = np.flatnonzero(np.isin(mark.points, points))[:8]
            self._item.update()

    def points_at(self, place: QPointF) -> Array:
        mark = self._item.mark
        if mark is None or mark.points is None or not self._item.isVisible():
            return NO_POINTS
        rows, columns = mark.values.shape
        row, column = math.floor(-place.y() / TALL), math.floor(place.x())
        inside = 0 <= row < rows and column < columns
        if not inside:
            return NO_POINTS
        return np.unique(mark.points[[row, column]] if rows == columns and column >= 0 else mark.points[[row]])


def cell_text(value: float, digits: int = DIGITS[0]) -> str:
    """A number in at most five letters or so: 0.95, 12.5, 1234, 2.1e6; or in fewer, with fewer digits."""
    size = abs(value)
    if size >= 1e5 or 0.0 < size < 5e-4:
        places = min(digits - 1, 1)
        return f"{value:.{places}e}".replace("e+0", "e").replace("e-0", "e-").replace("e+", "e").replace(".0e", "e")
    return f"{value:.0f}" if size >= 10 ** (digits - 1) else f"{value:.{digits}g}"


def _names_width(mark: Table) -> float:
    """The room for the names of the rows, in widths of a cell."""
    longest = max(map(len, (*mark.rows, mark.rows_name)), default=0)
    letter = float(np.interp(mark.values.shape[1], (1, CROWDED), LETTER))
    return min(letter * longest + 0.2, LONGEST) if longest else 0.0


def _extent(mark: Table) -> QRectF:
    rows, columns = mark.values.shape
    above = TALL * (bool(mark.columns or mark.rows_name) + TITLE * bool(mark.columns_name))
    wide = _names_width(mark)
    return QRectF(-wide, -rows * TALL, columns + wide, rows * TALL + above)
