"""The legend of a canvas: a sample and a name for everything that is drawn, painted in one item."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QGraphicsItem, QGraphicsWidget

from algorithms.dataset import Array
from mlviz.views.sprites import Sprite
from mlviz.views.theme import LIGHT, SPACING, Theme

MOST_HIDDEN, SMALL, FEW = 0.5, 0.2, 0.02
"""A legend that takes more than the first share of its view is left out: it would hide what it explains. One that takes
more than the second must not lie on more than the third share of the things to avoid."""


@dataclass(frozen=True, slots=True)
class Row:
    """One entry: a sprite, or a line in a colour, beside a name."""

    name: str
    sprite: Sprite | None = None
    line: str | None = None
    dashed: bool = False
    width: float = 2.0


class Legend(QGraphicsWidget):
    """Rows in a translucent box in a corner of its parent; repainted only when the rows change."""

    def __init__(self, parent: QGraphicsItem) -> None:
        super().__init__(parent)
        self._rows: tuple[Row, ...] = ()
        self._theme = LIGHT
        self.avoid: Callable[[], Array] | None = None
        """Gives places (m, 2), in the coordinates of the parent, that are better not covered."""
        self.setZValue(1000)
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)

    @property
    def rows(self) -> tuple[Row, ...]:
        """What is listed now."""
        return self._rows

    def set_rows(self, rows: tuple[Row, ...], theme: Theme) -> None:
        """List these; a name that occurs twice is listed once."""
        rows = tuple({row.name: row for row in rows if row.name}.values())
        if rows == self._rows and theme is self._theme:
            return
        self._rows, self._theme = rows, theme
        metrics = QFontMetricsF(self._font())
        width = max((metrics.horizontalAdvance(row.name) for row in rows), default=0.0)
        self.resize(width + self._sample_width() + 3 * SPACING, len(rows) * self._pitch() + SPACING)
        self.place()
        self.update()

    def place(self) -> None:
        """Sit in the corner of the parent in which the fewest of the things to avoid lie; top right when in doubt."""
        parent = self.parentItem()
        if parent is None:
            return
        area = parent.boundingRect()
        width, height = self.size().width(), self.size().height()
        left, right = area.left() + SPACING, area.right() - width - SPACING
        top, bottom = area.top() + SPACING, area.bottom() - height - SPACING
        corners = [QPointF(right, top), QPointF(left, top), QPointF(right, bottom), QPointF(left, bottom)]
        covered = [self._covered(QRectF(corner, self.size())) for corner in corners]
        self.setPos(corners[covered.index(min(covered))])
        share = width * height / max(area.width() * area.height(), 1.0)
        self.setVisible(bool(self._rows) and (share <= SMALL or (share <= MOST_HIDDEN and min(covered) <= FEW)))

    def _covered(self, box: QRectF) -> float:
        """The share of the things to avoid that lie in this box."""
        at = self.avoid() if self.avoid is not None else None
        if at is None or not len(at):
            return 0.0
        inside = (at[:, 0] > box.left()) & (at[:, 0] < box.right()) & (at[:, 1] > box.top()) & (at[:, 1] < box.bottom())
        return float(inside.mean())

    def paint(self, painter: QPainter, *_: object) -> None:
        """Draw the box, the samples and the names."""
        if not self._rows:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        back = QColor(self._theme.surface)
        back.setAlphaF(0.86)
        painter.setPen(QPen(QColor(self._theme.border), 1))
        painter.setBrush(back)
        painter.drawRoundedRect(QRectF(QPointF(0, 0), self.size()).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5)
        painter.setFont(self._font())
        for number, row in enumerate(self._rows):
            middle = SPACING / 2 + (number + 0.5) * self._pitch()
            self._paint_row(painter, row, middle)

    def _paint_row(self, painter: QPainter, row: Row, middle: float) -> None:
        left, sample = float(SPACING), self._sample_width()
        if row.line is not None:
            pen = QPen(QColor(row.line), row.width)
            pen.setStyle(Qt.PenStyle.DashLine if row.dashed else Qt.PenStyle.SolidLine)
            painter.setPen(pen)
            painter.drawLine(QPointF(left, middle), QPointF(left + sample, middle))
        if row.sprite is not None:
            painter.save()
            painter.translate(left + sample / 2, middle)
            room = min(1.0, 0.82 * self._pitch() / (row.sprite.size + row.sprite.width))
            painter.scale(room, room)
            row.sprite.draw(painter)
            painter.restore()
        painter.setPen(QColor(self._theme.text))
        box = QRectF(left + sample + SPACING, middle - self._pitch() / 2, self.size().width(), self._pitch())
        painter.drawText(box, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), row.name)

    def _font(self) -> QFont:
        font = QFont()
        font.setPointSizeF(self._theme.font * 0.9)
        return font

    def _pitch(self) -> float:
        return QFontMetricsF(self._font()).height() + 4.0

    def _sample_width(self) -> float:
        return max(20.0, self._theme.point * 2.0)
