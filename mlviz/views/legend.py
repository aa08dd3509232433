"""The legend of a canvas: a sample and a name for everything that is drawn, painted in one item."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPaintEngine, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QGraphicsItem, QGraphicsWidget

from algorithms.dataset import Array
from mlviz.views.sprites import Sprite
from mlviz.views.theme import LIGHT, SPACING, Theme

UNSEEN = 0.02
ROOM = ((0.2, 1.0), (0.5, UNSEEN))
"""How much of its view a legend may take, and on how many of the things to avoid it may then lie. One that takes or
hides more is left out: it would hide what it explains."""


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
        self._picture = QPixmap()
        self._whole = 0.0
        self.crowding = 1.0
        """The share of the things to avoid that a legend may hide at most, however small it is."""
        self.steady = False
        """Whether it stays in its corner as long as it hides next to nothing there: for what grows while it is seen."""
        self._corner = 0
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
        self._picture = QPixmap()
        metrics = QFontMetricsF(self._font())
        width = max((metrics.horizontalAdvance(row.name) for row in rows), default=0.0)
        self._whole = width + self._sample_width() + 3 * SPACING
        self.place()
        self.update()

    def place(self) -> None:
        """Sit in the corner of the parent in which the fewest of the things to avoid lie; top right when in doubt."""
        parent = self.parentItem()
        if parent is None:
            return
        area = parent.boundingRect()
        width = max(min(self._whole, area.width() - 2 * SPACING), self._sample_width() + 4 * SPACING)
        height = len(self._rows) * self._pitch() + SPACING
        if QSizeF(width, height) != self.size():
            self.resize(width, height)
            self._picture = QPixmap()
        left, right = area.left() + SPACING, area.right() - width - SPACING
        top, bottom = area.top() + SPACING, area.bottom() - height - SPACING
        corners = [QPointF(right, top), QPointF(left, top), QPointF(right, bottom), QPointF(left, bottom)]
        at = self.avoid() if self.avoid is not None else None
        covered = [_covered(at, QRectF(corner, self.size())) for corner in corners]
        if not (self.steady and covered[self._corner] <= UNSEEN):
            self._corner = covered.index(min(covered))
        self.setPos(corners[self._corner])
        share = width * height / max(area.width() * area.height(), 1.0)
        hides = covered[self._corner]
        fits = any(share <= most and hides <= hidden for most, hidden in ROOM)
        self.setVisible(bool(self._rows) and fits and hides <= self.crowding)

    def paint(self, painter: QPainter, *_: object) -> None:
        """Draw the box, the samples and the names; on a screen once, and as a picture from then on."""
        if not self._rows:
            return
        if painter.paintEngine().type() != QPaintEngine.Type.Raster:
            self._draw(painter)
            return
        ratio = painter.device().devicePixelRatioF()
        if self._picture.isNull() or self._picture.devicePixelRatioF() != ratio:
            self._picture = QPixmap((self.size() * ratio).toSize() + QSize(1, 1))
            self._picture.setDevicePixelRatio(ratio)
            self._picture.fill(Qt.GlobalColor.transparent)
            own = QPainter(self._picture)
            self._draw(own)
            own.end()
        painter.drawPixmap(QPointF(0, 0), self._picture)

    def _draw(self, painter: QPainter) -> None:
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
        start = left + sample + SPACING
        box = QRectF(start, middle - self._pitch() / 2, self.size().width(), self._pitch())
        room = self.size().width() - start - SPACING / 2
        name = QFontMetricsF(painter.font()).elidedText(row.name, Qt.TextElideMode.ElideRight, room)
        painter.drawText(box, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), name)

    def _font(self) -> QFont:
        font = QFont()
        font.setPointSizeF(self._theme.font * 0.9)
        return font

    def _pitch(self) -> float:
        return QFontMetricsF(self._font()).height() + 4.0

    def _sample_width(self) -> float:
        return max(20.0, self._theme.point * 2.0)


def _covered(at: Array | None, box: QRectF) -> float:
    """The share of the places to avoid that lie in this box."""
    if at is None or not len(at):
        return 0.0
    inside = (at[:, 0] > box.left()) & (at[:, 0] < box.right()) & (at[:, 1] > box.top()) & (at[:, 1] < box.bottom())
    return float(inside.mean())
