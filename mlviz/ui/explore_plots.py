"""The pictures of the first look: the correlation heat map, the scatter matrix and the balance of the classes."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QHelpEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from algorithms.data import Array
from mlviz.data.exploring import Exploration
from mlviz.views.colours import blend
from mlviz.views.plain_text import plain
from mlviz.views.theme import LIGHT, SPACING, Theme

MAX_HEAT = 40
MAX_SCATTER = 8
MAX_DOTS = 800


class Picture(QWidget):
    """A painted square of cells, one per pair of features; a click means the pair."""

    pair_chosen = Signal(object)
    """The numbers of two different features, horizontal one first."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.theme: Theme = LIGHT
        self.seen: Exploration | None = None
        self.numbers: tuple[int, ...] = ()
        """The features on show, in order."""

    def set_exploration(self, seen: Exploration | None, theme: Theme) -> None:
        """Show another data set, of it the same features where it has them."""
        before = () if self.seen is None else self.seen.points.features
        after = () if seen is None else seen.points.features
        self.seen, self.theme = seen, theme
        if before != after:
            self.numbers = tuple(range(min(len(after), self.limit)))
        self.update()

    def choose(self, numbers: tuple[int, ...]) -> None:
        """Show these features, as many as can be shown."""
        self.numbers = numbers[: self.limit]
        self.update()

    def sizeHint(self) -> QSize:
        """Room for a readable matrix."""
        return QSize(560, 380)

    @property
    def shown(self) -> int:
        """How many features are on show."""
        return len(self.numbers)

    limit = MAX_HEAT

    @property
    def names(self) -> list[str]:
        """The names of the features on show."""
        return [] if self.seen is None else [self.seen.points.features[number] for number in self.numbers]

    def grid(self) -> QRectF:
        """Where the cells are."""
        names = self.names
        metrics = self.fontMetrics()
        left = min(max((metrics.horizontalAdvance(name) for name in names), default=0), self.width() // 4) + SPACING
        top = metrics.height() + SPACING
        return QRectF(left, top, max(self.width() - left - SPACING, 1), max(self.height() - top - SPACING, 1))

    def cell(self, row: int, column: int) -> QRectF:
        """The place of one pair."""
        area = self.grid()
        wide, high = area.width() / self.shown, area.height() / self.shown
        return QRectF(area.left() + column * wide, area.top() + row * high, wide, high)

    def pair_at(self, place: QPointF) -> tuple[int, int] | None:
        """(row, column) below a place, or None."""
        area = self.grid()
        if not self.shown or not area.contains(place):
            return None
        row = int((place.y() - area.top()) / area.height() * self.shown)
        column = int((place.x() - area.left()) / area.width() * self.shown)
        return min(row, self.shown - 1), min(column, self.shown - 1)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the pair as the two axes of the plane."""
        pair = self.pair_at(event.position())
        if pair is not None and pair[0] != pair[1]:
            self.pair_chosen.emit((self.numbers[pair[1]], self.numbers[pair[0]]))

    def event(self, event: QEvent) -> bool:
        """Name the pair below the mouse."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip and self.seen is not None:
            pair = self.pair_at(QPointF(event.pos()))
            QToolTip.showText(event.globalPos(), "" if pair is None else plain(self.describe(*pair)), self)
            return True
        return super().event(event)

    def describe(self, row: int, column: int) -> str:
        """The pair in words."""
        assert self.seen is not None
        names = self.names
        if row == column:
            return names[row]
        r = self.seen.correlation[self.numbers[row], self.numbers[column]]
        return f"{names[row]} and {names[column]}: r = {r:.3f} (click: look at them)"

    def paintEvent(self, event: QPaintEvent) -> None:
        """Names along the sides, then the cells."""
        if not self.shown or self.seen is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QColor(self.theme.text))
        metrics = self.fontMetrics()
        for number, name in enumerate(self.names):
            place = self.cell(number, number)
            if place.height() >= metrics.height() * 0.75:
                room = self.grid().left() - SPACING / 2
                text = metrics.elidedText(name, Qt.TextElideMode.ElideRight, int(room))
                painter.drawText(QRectF(0, place.top(), room, place.height()), _RIGHT, text)
            if place.width() >= 28:
                text = metrics.elidedText(name, Qt.TextElideMode.ElideRight, int(place.width()) - 4)
                painter.drawText(QRectF(place.left(), 0, place.width(), self.grid().top() - 2), _BOTTOM, text)
        self.paint_cells(painter)
        painter.end()

    def paint_cells(self, painter: QPainter) -> None:
        """What is in the cells."""


_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_BOTTOM = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom


class HeatMap(Picture):
    """Correlations as colours: blue together, orange against each other, the number where it fits."""

    def paint_cells(self, painter: QPainter) -> None:
        """One rectangle per pair."""
        assert self.seen is not None
        small = QFont(self.font())
        small.setPointSizeF(self.theme.letters(0.85))
        painter.setFont(small)
        numbers = self.cell(0, 0).width() >= 40 and self.cell(0, 0).height() >= 16
        for row in range(self.shown):
            for column in range(self.shown):
                value = float(self.seen.correlation[self.numbers[row], self.numbers[column]])
                place = self.cell(row, column).adjusted(0.5, 0.5, -0.5, -0.5)
                strong = self.theme.classes[0] if value >= 0 else self.theme.classes[1]
                painter.fillRect(place, QColor(blend(self.theme.surface, strong, abs(value))))
                if numbers:
                    painter.setPen(QColor(self.theme.text if abs(value) < 0.7 else self.theme.surface))
                    painter.drawText(place, Qt.AlignmentFlag.AlignCenter, f"{value:.2f}")


class ScatterMatrix(Picture):
    """Every pair of the chosen features as a small cloud, and each feature alone on the diagonal."""

    limit = MAX_SCATTER

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self._rows: Array = np.zeros(0, dtype=np.intp)
        self._unit: Array = np.zeros((0, 0))
        self._colours: list[QColor] = []

    def set_exploration(self, seen: Exploration | None, theme: Theme) -> None:
        """Take a sample, because a small cell cannot show more."""
        super().set_exploration(seen, theme)
        if seen is None:
            return
        rows = np.arange(seen.points.n)
        if len(rows) > MAX_DOTS:
            rows = np.sort(np.random.default_rng(0).choice(len(rows), MAX_DOTS, replace=False))
        self._rows = rows
        self._measure()
        groups = seen.points.y[rows] if seen.points.is_labelled and seen.points.y is not None else np.zeros(len(rows))
        palette = [QColor(theme.colour(k)) for k in range(max(len(seen.points.classes), 1))]
        self._colours = [palette[int(group)] for group in groups]

    def choose(self, numbers: tuple[int, ...]) -> None:
        """Show these features."""
        super().choose(numbers)
        self._measure()

    def _measure(self) -> None:
        """Where the sampled points are between the least and the greatest value of each feature on show."""
        if self.seen is not None:
            X = (
                self.seen.points.X[np.ix_(self._rows, np.array(self.numbers, dtype=np.intp))] / 2
            )  # halves: the widest range is no number
            low, span = X.min(axis=0), np.ptp(X, axis=0)
            self._unit = (X - low) / np.where(span > 0, span, 1.0)

    def paint_cells(self, painter: QPainter) -> None:
        """Dots, or bars on the diagonal."""
        for row in range(self.shown):
            for column in range(self.shown):
                place = self.cell(row, column).adjusted(2, 2, -2, -2)
                painter.setPen(QColor(self.theme.border))
                painter.setBrush(QColor(self.theme.plot))
                painter.drawRect(place)
                painter.setPen(Qt.PenStyle.NoPen)
                if row == column:
                    self._bars(painter, place, row)
                else:
                    self._dots(painter, place.adjusted(4, 4, -4, -4), row, column)

    def _dots(self, painter: QPainter, place: QRectF, row: int, column: int) -> None:
        across = place.left() + self._unit[:, column] * place.width()
        up = place.bottom() - self._unit[:, row] * place.height()
        for x, y, colour in zip(across.tolist(), up.tolist(), self._colours):
            painter.fillRect(QRectF(x - 1, y - 1, 2.5, 2.5), colour)

    def _bars(self, painter: QPainter, place: QRectF, feature: int) -> None:
        assert self.seen is not None
        stacked_bars(painter, place.adjusted(3, 3, -3, 0), self.seen.features[self.numbers[feature]].counts, self.theme)


def stacked_bars(painter: QPainter, place: QRectF, counts: Array, theme: Theme) -> None:
    """A histogram whose bars are divided by class."""
    top = max(int(counts.sum(axis=0).max(initial=0)), 1)
    wide = place.width() / max(counts.shape[1], 8)
    painter.setPen(Qt.PenStyle.NoPen)
    for number in range(counts.shape[1]):
        bottom = place.bottom()
        for group in range(counts.shape[0]):
            tall = float(counts[group, number]) / top * place.height()
            if tall:
                colour = QColor(theme.colour(group) if counts.shape[0] > 1 else theme.accent)
                painter.fillRect(QRectF(place.left() + number * wide, bottom - tall, max(wide - 1, 1), tall), colour)
                bottom -= tall


class BalanceBars(QWidget):
    """How many points each class has."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("balance")
        self.theme: Theme = LIGHT
        self.seen: Exploration | None = None

    def set_exploration(self, seen: Exploration | None, theme: Theme) -> None:
        """Show another data set."""
        self.seen, self.theme = seen, theme
        rows = 0 if seen is None else len(seen.balance)
        self.setMinimumHeight(round(rows * theme.font * 2.6) + SPACING)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """A bar per class with its name and its fraction."""
        if self.seen is None or not self.seen.balance:
            return
        painter = QPainter(self)
        metrics, line = self.fontMetrics(), self.theme.font * 2.6
        names = max(metrics.horizontalAdvance(name) for name, _ in self.seen.balance)
        left = min(names, self.width() // 3) + 2 * SPACING
        room = self.width() - left - metrics.horizontalAdvance("000,000 (100 %)") - 2 * SPACING
        most = max(count for _, count in self.seen.balance) or 1
        for number, (name, count) in enumerate(self.seen.balance):
            top = SPACING / 2 + number * line
            painter.setPen(QColor(self.theme.text))
            text = metrics.elidedText(name, Qt.TextElideMode.ElideRight, left - 2 * SPACING)
            painter.drawText(QRectF(0, top, left - SPACING, line), _RIGHT, text)
            bar = QRectF(left, top + line * 0.15, max(room * count / most, 1.0), line * 0.7)
            painter.fillRect(bar, QColor(self.theme.colour(number)))
            fraction = f"{count:,} ({100 * count / self.seen.points.n:.0f} %)"
            painter.drawText(
                QRectF(bar.right() + SPACING, top, self.width(), line), Qt.AlignmentFlag.AlignVCenter, fraction
            )
        painter.end()
