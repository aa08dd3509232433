"""The confusion matrix: answers in rows, truth in columns, the counts in the cells and the scores below."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from mlviz.session.scoring import Confusion
from mlviz.views.fitting_text import elided
from mlviz.views.theme import LIGHT, SPACING, Theme

Cell = tuple[int, int]
_FOUR = (("TP", "FP"), ("FN", "TN"))
GAP = 2.0
BETWEEN = "   "
"""What parts two scores on a line."""
BAR = 2.0
"""The thickness of the bar under a score."""
LOW = 10
"""Below this height, in lines of text, there is no room for every score."""


class ConfusionMatrix(QWidget):
    """Painted as a whole. Hovering or clicking a cell names its points."""

    cell_hovered = Signal(object)
    """The cell (row, column) under the mouse, or None."""
    cell_clicked = Signal(object)
    """The cell that is chosen from now on, or None when the choice was taken back."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("confusion_matrix")
        self.setAccessibleName("Confusion matrix")
        self.setMouseTracking(True)
        self.setMinimumSize(130, 80)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.confusion: Confusion | None = None
        self.chosen: Cell | None = None
        self.lit: Cell | None = None
        self.transparent = False
        self._theme = LIGHT
        self._hovered: Cell | None = None
        self._grid_for: tuple[object, ...] = ()
        self._grid_rect = QRectF()

    def sizeHint(self) -> QSize:
        """Enough for four numbers with their names."""
        return QSize(190, 190)

    def set_theme(self, theme: Theme) -> None:
        """Colours and sizes from now on."""
        self._theme = theme
        self.update()

    def show_confusion(self, confusion: Confusion) -> None:
        """These counts; a chosen cell stays chosen where it still exists."""
        if self.confusion is not None and self.confusion.names != confusion.names:
            self.chosen = None
        self.confusion = confusion
        matrix = confusion.matrix.tolist()
        rows = [
            f"predicted {name}: " + ", ".join(f"{n} truly {t}" for n, t in zip(row, confusion.names))
            for name, row in zip(confusion.names, matrix)
        ]
        self.setAccessibleDescription("; ".join(rows) + "; " + ", ".join(self.rate_texts()))
        self.update()

    def light(self, cell: Cell | None) -> None:
        """Another view means the point in this cell."""
        if cell != self.lit:
            self.lit = cell
            self.update()

    def rate_texts(self) -> tuple[str, ...]:
        """The named scores as they are written: two decimals, a dash where a score does not exist."""
        if self.confusion is None:
            return ()
        return tuple(f"{name} {'–' if math.isnan(value) else f'{value:.2f}'}" for name, value in self.confusion.rates)

    def cell_rect(self, row: int, column: int) -> QRectF:
        """Where a cell is, in the coordinates of the widget."""
        grid = self._grid()
        k = len(self.confusion.names) if self.confusion is not None else 1
        width, height = grid.width() / k, grid.height() / k
        box = QRectF(grid.left() + column * width, grid.top() + row * height, width, height)
        return box.adjusted(GAP / 2, GAP / 2, -GAP / 2, -GAP / 2)

    def cell_at(self, place: QPointF) -> Cell | None:
        """The cell under a place of the widget."""
        grid = self._grid()
        if self.confusion is None or not grid.contains(place):
            return None
        k = len(self.confusion.names)
        row = int((place.y() - grid.top()) / grid.height() * k)
        column = int((place.x() - grid.left()) / grid.width() * k)
        return min(row, k - 1), min(column, k - 1)

    # -- events --------------------------------------------------------------------------------------------------

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Name the cell under the mouse."""
        self._hover(self.cell_at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        """No cell any more."""
        self._hover(None)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose a cell, or take the choice back."""
        cell = self.cell_at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and cell is not None:
            self.chosen = None if cell == self.chosen else cell
            self.update()
            self.cell_clicked.emit(self.chosen)

    def _hover(self, cell: Cell | None) -> None:
        if cell != self._hovered:
            self._hovered = cell
            self.update()
            self.cell_hovered.emit(cell)

    # -- painting ------------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw names, cells and scores."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if not self.transparent:
            painter.fillRect(self.rect(), QColor(self._theme.plot))
        if self.confusion is None:
            return
        self._paint_names(painter)
        matrix = self.confusion.matrix
        totals = np.maximum(matrix.sum(axis=0), 1)
        for row in range(len(matrix)):
            for column in range(len(matrix)):
                self._paint_cell(painter, row, column, int(matrix[row, column]), matrix[row, column] / totals[column])
        self._paint_rates(painter)

    def _font(self, factor: float = 1.0, bold: bool = False) -> QFont:
        font = QFont(self.font())
        font.setPointSizeF(self._theme.letters(factor))
        font.setBold(bold)
        return font

    def _line(self, factor: float = 1.0) -> float:
        return QFontMetricsF(self._font(factor)).height()

    def _grid(self) -> QRectF:
        """The square of the cells: right of the row names, below the column names, above the scores.

        Every cell asks for it, and measuring the texts takes longer than painting them, so it is kept.
        """
        known = (self.size(), self.font(), self._theme, self.confusion)
        if known != self._grid_for:
            self._grid_for, self._grid_rect = known, self._measured_grid()
        return self._grid_rect

    def _measured_grid(self) -> QRectF:
        side = 2 * self._line(0.9)
        top = 2 * self._line(0.9) + 2
        bottom = len(self._rate_lines()) * (self._line() + BAR) + SPACING / 2
        width = max(self.width() - side - SPACING, 20.0)
        height = max(self.height() - top - bottom - SPACING / 2, 20.0)
        return QRectF(side, top, min(width, 2.2 * height), height)

    def _rate_lines(self) -> tuple[tuple[int, ...], ...]:
        """Which scores stand on which line: as few lines as the width allows.

        Where it is low, the last give way, so that the counts in the cells can be read.
        """
        metrics, lines = QFontMetricsF(self._font()), [[0]]
        texts = self.rate_texts()
        room = self.width() - SPACING
        for number in range(1, len(texts) if self.height() > LOW * self._line() else min(len(texts), 4)):
            longer = BETWEEN.join(texts[k] for k in (*lines[-1], number))
            if metrics.horizontalAdvance(longer) > room:
                lines.append([number])
            else:
                lines[-1].append(number)
        cells = 0 if self.confusion is None else len(self.confusion.names) * self._line(1.1)
        most = int((self.height() - 2 * self._line(0.9) - 2 * SPACING - cells) / (self._line() + BAR))
        return tuple(tuple(line) for line in lines[: max(most, 1)]) if texts else ()

    def _paint_names(self, painter: QPainter) -> None:
        assert self.confusion is not None
        grid, line = self._grid(), self._line(0.9)
        painter.setFont(self._font(0.9))
        metrics = QFontMetricsF(painter.font())
        centre = int(Qt.AlignmentFlag.AlignCenter)
        painter.setPen(QColor(self._theme.muted))
        painter.drawText(QRectF(grid.left(), 0, grid.width(), line), centre, "true class")
        painter.save()
        painter.rotate(-90)
        painter.drawText(QRectF(-grid.bottom(), 0, grid.height(), line), centre, "predicted")
        painter.restore()
        painter.setPen(QColor(self._theme.text))
        for k, name in enumerate(self.confusion.names):
            above, left = self.cell_rect(0, k), self.cell_rect(k, 0)
            text = elided(name, metrics, above.width(), Qt.TextElideMode.ElideMiddle)
            painter.drawText(QRectF(above.left(), line, above.width(), line), centre, text)
            painter.save()
            painter.rotate(-90)
            text = elided(name, metrics, left.height(), Qt.TextElideMode.ElideMiddle)
            painter.drawText(QRectF(-left.bottom(), line, left.height(), line), centre, text)
            painter.restore()

    def _paint_cell(self, painter: QPainter, row: int, column: int, count: int, fraction: float) -> None:
        assert self.confusion is not None
        theme, box = self._theme, self.cell_rect(row, column)
        shade = QColor(theme.accent if row == column else theme.danger)
        shade.setAlphaF(0.08 + 0.42 * fraction)
        cell = (row, column)
        strong = cell in (self.chosen, self.lit)
        edge = QPen(QColor(theme.line), theme.stroke * 1.5) if strong else QPen(Qt.PenStyle.NoPen)
        if not strong and cell == self._hovered:
            edge = QPen(QColor(theme.muted), theme.stroke)
        painter.setPen(edge)
        painter.setBrush(shade)
        painter.drawRoundedRect(box, 4, 4)
        painter.setPen(QColor(theme.text))
        centre = int(Qt.AlignmentFlag.AlignCenter)
        painter.setFont(self._font(1.1, bold=True))
        words = f"{_FOUR[row][column]} · {fraction:.0%}" if self.confusion.binary else f"{fraction:.0%}"
        small = QFontMetricsF(self._font(0.8))
        both, line = self._line(1.1) + small.height(), 1.3 * box.height()
        if box.height() < both or box.width() < small.horizontalAdvance(words):
            if QFontMetricsF(painter.font()).horizontalAdvance(f"{count:,}") <= box.width() and self._line(1.1) <= line:
                painter.drawText(box, centre, f"{count:,}")
            return
        top = box.center().y() - both / 2
        painter.drawText(QRectF(box.left(), top, box.width(), self._line(1.1)), centre, f"{count:,}")
        painter.setFont(self._font(0.8))
        painter.drawText(QRectF(box.left(), top + self._line(1.1), box.width(), small.height()), centre, words)

    def _paint_rates(self, painter: QPainter) -> None:
        """The scores as numbers, each over a bar of its length."""
        assert self.confusion is not None
        font = self._font()
        metrics, line = QFontMetricsF(font), self._line()
        gap = metrics.horizontalAdvance(BETWEEN)
        texts, rates = self.rate_texts(), self.confusion.rates
        track, bar = QColor(self._theme.muted), QColor(self._theme.accent)
        track.setAlphaF(0.25)
        painter.setFont(font)
        painter.setPen(QColor(self._theme.text))
        top = self._grid().bottom() + SPACING / 2
        for numbers in self._rate_lines():
            widths = [metrics.horizontalAdvance(texts[k]) for k in numbers]
            left = (self.width() - sum(widths) - gap * (len(widths) - 1)) / 2
            for number, width in zip(numbers, widths):
                painter.drawText(QRectF(left, top, width + 1, line), int(Qt.AlignmentFlag.AlignLeft), texts[number])
                value = rates[number][1]
                painter.fillRect(QRectF(left, top + line - BAR, width, BAR), track)
                if not math.isnan(value):
                    painter.fillRect(QRectF(left, top + line - BAR, width * value, BAR), bar)
                left += width + gap
            top += line + BAR
