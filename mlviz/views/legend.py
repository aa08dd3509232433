"""The legend of a canvas: a sample and a name for everything that is drawn, painted in one item."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPaintEngine, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QGraphicsItem, QGraphicsSceneHoverEvent, QGraphicsWidget

from algorithms.data import Array
from mlviz.views.sprites import Sprite
from mlviz.views.theme import LIGHT, SPACING, Theme

UNSEEN, FEW = 0.02, 0.05
ROOM = ((0.2, 1.0), (0.35, FEW), (0.5, UNSEEN))
"""How much of its view a legend may take, and on how many of the things to avoid it may then lie. One that takes or
hides more would hide what it explains."""
CORNERS, STEPS = 4, 8
"""A legend looks for a free place in the corners first, and then in so many steps along each side of its view."""
MANY = 5_000
"""Of more things to avoid than this an even part is looked at: a legend is placed while one zooms."""
Form = Literal["list", "small list", "lines", "folded"]
FORMS: tuple[Form, ...] = ("list", "small list", "lines")
"""How the rows may stand, the best form first: one below the other, in smaller letters, or beside each other. Where
none of them fits there are only the samples, and the names when the mouse is over them."""


@dataclass(frozen=True, slots=True)
class Row:
    """One entry: a sprite, or a line in a colour, beside a name."""

    name: str
    sprite: Sprite | None = None
    line: str | None = None
    dashed: bool = False
    width: float = 2.0


@dataclass(frozen=True, slots=True)
class Plan:
    """Where each row stands in the box: its left edge and its number of the line."""

    form: Form
    width: float
    lines: int
    cells: tuple[tuple[float, int], ...]


class Legend(QGraphicsWidget):
    """Rows in a translucent box at the edge of its parent; repainted only when the rows change."""

    def __init__(self, parent: QGraphicsItem) -> None:
        super().__init__(parent)
        self._rows: tuple[Row, ...] = ()
        self._theme = LIGHT
        self._picture = QPixmap()
        self._lengths: dict[float, list[float]] = {}
        self._plan = Plan("list", 0.0, 0, ())
        self._open = False
        self.crowding = 1.0
        """The share of the things to avoid that a legend may hide at most, however small it is."""
        self.tolerance = FEW
        """The share that it may hide before it looks for another form."""
        self.along_edges = False
        """Whether it may leave the corners: where only points are to be avoided, and no lines cross the view."""
        self.reach = 0.0
        """How far the things to avoid reach around their places, in sizes of a point."""
        self.steady = False
        """Whether it stays in its place as long as it hides next to nothing there: for what grows while it is seen."""
        self.folds = True
        """Whether there is somebody with a mouse who can unfold it; in a file a legend without room is left out."""
        self.hidden = False
        """Whether the user wants none."""
        self._place = 0
        self.avoid: Callable[[], Array] | None = None
        """Gives places (m, 2), in the coordinates of the parent, that are better not covered."""
        self.setZValue(1000)
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)
        self.setAcceptHoverEvents(True)

    @property
    def rows(self) -> tuple[Row, ...]:
        """What is listed now."""
        return self._rows

    @property
    def form(self) -> Form:
        """How the rows stand."""
        return self._plan.form

    def hide_for(self, hidden: bool) -> None:
        """Whether the user wants none."""
        self.hidden = hidden
        self.place()

    def set_rows(self, rows: tuple[Row, ...], theme: Theme) -> None:
        """List these; a name that occurs twice is listed once."""
        rows = tuple({row.name: row for row in rows if row.name}.values())
        if rows == self._rows and theme is self._theme:
            return
        self._rows, self._theme = rows, theme
        self._picture = QPixmap()
        self._lengths = {}
        self.place()
        self.update()

    def hoverEnterEvent(self, event: QGraphicsSceneHoverEvent) -> None:
        """Say what the samples of a folded legend mean."""
        self._unfold(self.form == "folded")

    def hoverLeaveEvent(self, event: QGraphicsSceneHoverEvent) -> None:
        """Fold again."""
        self._unfold(False)

    def _unfold(self, on: bool) -> None:
        if on != self._open:
            self._open = on
            self.place()

    def place(self) -> None:
        """Sit where the fewest of the things to avoid lie, in a corner or along an edge; top right when in doubt."""
        parent = self.parentItem()
        if parent is None:
            return
        area = parent.boundingRect()
        at = self.avoid() if self.avoid is not None else None
        plan, place, hides = self._best(area, None if at is None else at[:: len(at) // MANY + 1])
        if self._open:
            opened: tuple[Form, ...] = ("small list", "lines")
            plans = [self._planned(form, area) for form in opened]
            plan = next((one for one in plans if self._extent(one).height() <= area.height()), plans[-1])
            place = self._place
        self._place = place
        self._take(plan, area)
        self.setVisible(bool(self._rows) and not self.hidden and (hides < 1.0 or self.folds))

    def _best(self, area: QRectF, at: Array | None) -> tuple[Plan, int, float]:
        """The first form that hides hardly anything, or else one that fits, or else only the samples."""
        tried = []
        for form in FORMS:
            tried.append(self._judged(form, area, at))
            if tried[-1][2] <= self.tolerance:
                return tried[-1]
        fitting = [one for one in tried if one[2] < 1.0]
        if not fitting:
            return (*self._judged("folded", area, at)[:2], 1.0)
        return min(fitting, key=lambda one: one[2]) if self.along_edges else fitting[0]

    def _judged(self, form: Form, area: QRectF, at: Array | None) -> tuple[Plan, int, float]:
        """The rows in this form, the best place for it, and how much it hides there: 1 where it does not fit."""
        plan = self._planned(form, area)
        size, place = self._extent(plan), self._place
        places = _places(area, size)[: None if self.along_edges else CORNERS]
        reach = self.reach * self._theme.point
        covered = _covered(at, [QRectF(corner, size).adjusted(-reach, -reach, reach, reach) for corner in places])
        if not (self.steady and covered[place] <= UNSEEN):
            place = covered.index(min(covered))
        share = size.width() * size.height() / max(area.width() * area.height(), 1.0)
        hides = covered[place]
        inside = area.contains(QRectF(places[0], size))
        fits = inside and hides <= self.crowding and any(share <= most and hides <= hidden for most, hidden in ROOM)
        return plan, place, min(hides, 0.99) if fits else 1.0

    def _take(self, plan: Plan, area: QRectF) -> None:
        if plan != self._plan:
            self._plan = plan
            self._picture = QPixmap()
            self.update()
        size = self._extent(plan)
        if size != self.size():
            self.resize(size)
        self.setPos(_places(area, size)[self._place])

    def wanted_size(self) -> QSizeF:
        """The room that the rows one below the other would like to have, with the gap to the border."""
        parent = self.parentItem()
        if parent is None or not self._rows:
            return QSizeF(0.0, 0.0)
        return self._extent(self._planned("list", parent.boundingRect())) + QSizeF(2 * SPACING, 2 * SPACING)

    def _extent(self, plan: Plan) -> QSizeF:
        return QSizeF(plan.width, plan.lines * self._pitch(plan.form) + SPACING)

    def _planned(self, form: Form, area: QRectF) -> Plan:
        """Where the rows stand in this form; a name that is longer than the view is cut."""
        sample, gap = self._sample_width(form), float(SPACING)
        if form == "folded":
            pitch = min(sample + gap, (area.width() - 3 * gap) / max(len(self._rows), 1))
            cells = tuple((gap + number * pitch, 0) for number in range(len(self._rows)))
            return Plan(form, gap + len(self._rows) * pitch, 1, cells)
        widths = [sample + gap + length for length in self._measured(form)]
        room = max(area.width() - 4 * gap, sample + 2 * gap)
        if form != "lines":
            width = min(max(widths, default=0.0), room)
            return Plan(form, width + 2 * gap, len(widths), tuple((gap, line) for line in range(len(widths))))
        places: list[tuple[float, int]] = []
        left, line, widest = 0.0, 0, 0.0
        for width in widths:
            if left and left + width > room:
                left, line = 0.0, line + 1
            places.append((gap + left, line))
            left += min(width, room) + gap
            widest = max(widest, left - gap)
        return Plan(form, widest + 2 * gap, line + 1 if widths else 0, tuple(places))

    def _measured(self, form: Form) -> list[float]:
        """The lengths of the names, kept: measuring takes longer than placing."""
        size = self._font(form).pointSizeF()
        if size not in self._lengths:
            metrics = QFontMetricsF(self._font(form))
            self._lengths[size] = [metrics.horizontalAdvance(row.name) for row in self._rows]
        return self._lengths[size]

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
        painter.setFont(self._font(self.form))
        pitch, cells = self._pitch(self.form), self._plan.cells
        for row, (left, line), after in zip(self._rows, cells, (*cells[1:], (0.0, -1))):
            right = after[0] if after[1] == line else self.size().width()
            self._paint_row(painter, row, left, SPACING / 2 + (line + 0.5) * pitch, right)

    def _paint_row(self, painter: QPainter, row: Row, left: float, middle: float, right: float) -> None:
        sample, pitch = self._sample_width(self.form), self._pitch(self.form)
        if row.line is not None:
            pen = QPen(QColor(row.line), row.width)
            pen.setStyle(Qt.PenStyle.DashLine if row.dashed else Qt.PenStyle.SolidLine)
            painter.setPen(pen)
            painter.drawLine(QPointF(left, middle), QPointF(left + sample, middle))
        if row.sprite is not None:
            painter.save()
            painter.translate(left + sample / 2, middle)
            room = min(1.0, 0.82 * pitch / (row.sprite.size + row.sprite.width))
            painter.scale(room, room)
            row.sprite.draw(painter)
            painter.restore()
        if self.form == "folded":
            return
        painter.setPen(QColor(self._theme.text))
        start = left + sample + SPACING
        box = QRectF(start, middle - pitch / 2, self.size().width(), pitch)
        room = right - start - SPACING / 2
        name = QFontMetricsF(painter.font()).elidedText(row.name, Qt.TextElideMode.ElideRight, room)
        painter.drawText(box, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), name)

    def _font(self, form: Form) -> QFont:
        font = QFont()
        font.setPointSizeF(self._theme.letters(0.9 if form == "list" else 0.75))
        return font

    def _pitch(self, form: Form) -> float:
        return QFontMetricsF(self._font(form)).height() + (4.0 if form == "list" else 2.0)

    def _sample_width(self, form: Form) -> float:
        return max(20.0, self._theme.point * 2.0) * (1.0 if form == "list" else 0.75)


def _places(area: QRectF, size: QSizeF) -> list[QPointF]:
    """Where a box may stand at the edges of its view, the best place first: the corners, then along the edges."""
    left, right = area.left() + SPACING, area.right() - size.width() - SPACING
    top, bottom = area.top() + SPACING, area.bottom() - size.height() - SPACING
    found = [QPointF(right, top), QPointF(left, top), QPointF(right, bottom), QPointF(left, bottom)]
    for step in range(1, STEPS):
        across, down = right + (left - right) * step / STEPS, top + (bottom - top) * step / STEPS
        if size.width() > area.width() / 2:  # a wide one half way down would part the picture in two
            down = top if step < STEPS / 2 else bottom
        found += [QPointF(across, top), QPointF(right, down), QPointF(left, down), QPointF(across, bottom)]
    return found


def _covered(at: Array | None, boxes: list[QRectF]) -> list[float]:
    """The share of the places to avoid that lie in each of these boxes."""
    if at is None or not len(at):
        return [0.0] * len(boxes)
    x, y = np.ascontiguousarray(at.T)
    left, right, top, bottom = np.array([(b.left(), b.right(), b.top(), b.bottom()) for b in boxes]).T[:, :, None]
    inside = (x > left) & (x < right) & (y > top) & (y < bottom)
    return [float(count) / len(at) for count in np.count_nonzero(inside, axis=1)]
