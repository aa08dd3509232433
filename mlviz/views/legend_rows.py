"""The rows of a legend: how large they are, how they can stand, and how they are painted."""

from __future__ import annotations

from dataclasses import field, replace
from typing import Literal

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from algorithms.records import dataclass
from mlviz.views.sprites import Sprite
from mlviz.views.theme import LIGHT, SPACING, Theme

Form = Literal["list", "small list", "lines", "folded"]
FORMS: tuple[Form, ...] = ("list", "small list", "lines")
"""How the rows may stand, the best form first: one below the other, in smaller letters, or beside each other. Where
none of them fits it is folded: the names that fit in a line, and how many more there are when the mouse is over it."""
TELLING = 18
"""A name that has to be cut because it is longer than its plot still shows so many letters, or is not shown at all."""

MOST_LINES = 3
"""More than so many lines for one name are no legend."""
WRAP = int(Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft)


@dataclass(frozen=True, slots=True)
class Row:
    """One entry: a sprite, or a line in a colour, beside a name."""

    name: str
    sprite: Sprite | None = None
    line: str | None = None
    dashed: bool = False
    width: float = 2.0
    also: tuple[str, ...] = ()
    """Further colours of the same sample, where one name is that of several lines."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Where each row stands in the box: its left edge and its number of the line.

    There may be fewer places than rows; ``rest`` then says so at the end of the last line, where the legend is folded.
    """

    form: Form
    width: float
    lines: int
    cells: tuple[tuple[float, int], ...]
    whole: bool = True
    """Whether every name that is shown is shown to its end."""
    rest: str = ""
    heights: tuple[int, ...] = ()
    """How many lines each row takes, where one has more than one: a name longer than its plot goes on below."""


@dataclass(frozen=True, slots=True)
class Rows:
    """What is listed, and in which letters."""

    listed: tuple[Row, ...] = ()
    theme: Theme = LIGHT
    _lengths: dict[float, list[float]] = field(default_factory=dict, compare=False)

    def extent(self, plan: Plan) -> QSizeF:
        """The size of the box."""
        return QSizeF(plan.width, plan.lines * self.pitch(plan.form) + SPACING)

    def planned(self, form: Form, width: float) -> Plan:
        """Where the rows stand in this form in a plot of this width; a name that is longer than the plot is cut."""
        if form == "folded":
            return self.folded(width)
        sample, gap = self.sample_width(form), float(SPACING)
        widths = [sample + gap + length for length in self.measured(form)]
        room = max(width - 4 * gap, sample + 2 * gap)
        if form != "lines":
            wide = min(max(widths, default=0.0), room)
            cells = tuple((gap, line) for line in range(len(widths)))
            return Plan(form, wide + 2 * gap, len(widths), cells, max(widths, default=0.0) <= room)
        longest = room + gap / 2  # a box reaches that far, see below
        heights = [
            1 if wide <= longest else self._lines(row.name, form, longest - sample - gap)
            for wide, row in zip(widths, self.listed)
        ]
        places: list[tuple[float, int]] = []
        left, line, widest = 0.0, 0, 0.0
        for wide, height in zip(widths, heights):
            if left and left + wide > room:
                left, line = 0.0, line + 1
            places.append((gap + left, line))
            left += min(wide, room) + gap
            widest = max(widest, left - gap)
            line += height - 1
        whole = all(wide <= longest or height > 1 for wide, height in zip(widths, heights))
        lines, taller = line + 1 if widths else 0, tuple(heights) if max(heights, default=1) > 1 else ()
        return Plan(form, widest + 2 * gap, lines, tuple(places), whole, heights=taller)

    def _lines(self, name: str, form: Form, room: float) -> int:
        """How many lines a name takes that is longer than the room for it; 1 where it has to be cut all the same."""
        wrapped = QFontMetricsF(self.font(form)).boundingRect(QRectF(0.0, 0.0, room, 1e4), WRAP, name)
        lines = round(wrapped.height() / QFontMetricsF(self.font(form)).height())
        return lines if wrapped.width() <= room and lines <= MOST_LINES else 1

    def folded(self, width: float, most: int | None = None) -> Plan:
        """One line with as many names as there is room for, or ``most``, and how many more there are."""
        gap, sample = float(SPACING), self.sample_width("folded")
        widths = [sample + gap + length + gap for length in self.measured("folded")]
        for count in range(len(widths) if most is None else min(most, len(widths)), 0, -1):
            rest = "" if count == len(widths) else f"+{len(widths) - count}"
            wide = gap + sum(widths[:count]) + (self._length(rest) + gap if rest else 0.0)
            if wide + 2 * gap <= width:
                cells = tuple((gap + sum(widths[:at]), 0) for at in range(count))
                return Plan("folded", wide, 1, cells, rest=rest)
        rest = f"legend: {len(widths)}"
        if self._length(rest) + 4 * gap > width:
            rest = f"+{len(widths)}"
        return Plan("folded", self._length(rest) + 2 * gap, 1, (), rest=rest)

    def cut(self, plan: Plan, height: float) -> Plan:
        """The plan with as many of its lines as are no higher than this, but one at least."""
        lines = plan.lines
        while lines > 1 and self.extent(replace(plan, lines=lines)).height() > height:
            lines -= 1
        heights = plan.heights or (1,) * len(plan.cells)
        cells = tuple(cell for cell, height in zip(plan.cells, heights) if cell[1] + height <= lines)
        return replace(plan, lines=lines, cells=cells, heights=plan.heights[: len(cells)])

    def tells_enough(self, plan: Plan) -> bool:
        """Whether its names are whole, or so long that what is left of them says enough."""
        return plan.whole or plan.width >= QFontMetricsF(self.font(plan.form)).averageCharWidth() * TELLING

    def measured(self, form: Form) -> list[float]:
        """The lengths of the names, kept: measuring takes longer than placing."""
        size = self.font(form).pointSizeF()
        if size not in self._lengths:
            metrics = QFontMetricsF(self.font(form))
            self._lengths[size] = [metrics.horizontalAdvance(row.name) for row in self.listed]
        return self._lengths[size]

    def font(self, form: Form) -> QFont:
        """The letters of a form."""
        font = QFont()
        font.setPointSizeF(self.theme.letters(0.9 if form == "list" else 0.75))
        return font

    def pitch(self, form: Form) -> float:
        """The height of a line."""
        return QFontMetricsF(self.font(form)).height() + (4.0 if form == "list" else 2.0)

    def sample_width(self, form: Form) -> float:
        """The room for a line or a point beside its name."""
        return max(20.0, self.theme.point * 2.0) * (1.0 if form == "list" else 0.75)

    def _length(self, text: str) -> float:
        return QFontMetricsF(self.font("folded")).horizontalAdvance(text)

    # -- painting ------------------------------------------------------------------------------------------------

    def draw(self, painter: QPainter, plan: Plan, size: QSizeF) -> None:
        """The box, the samples and the names."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        back = QColor(self.theme.surface)
        back.setAlphaF(0.86)
        painter.setPen(QPen(QColor(self.theme.border), 1))
        painter.setBrush(back)
        painter.drawRoundedRect(QRectF(QPointF(0, 0), size).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5)
        painter.setFont(self.font(plan.form))
        pitch = self.pitch(plan.form)
        for row, box in zip(self.listed, self._boxes(plan, size)):
            self._draw_sample(painter, row, plan.form, QRectF(box.topLeft(), QSizeF(box.width(), pitch)))
            self._write(painter, row.name, box.adjusted(self.sample_width(plan.form) + SPACING, 0, 0, 0), pitch)
        if plan.rest:
            middle = SPACING / 2 + (plan.lines - 0.5) * pitch
            right = size.width() - SPACING
            self._write(
                painter,
                plan.rest,
                QRectF(right - self._length(plan.rest), middle - pitch / 2, size.width(), pitch),
                pitch,
            )

    def shown(self, plan: Plan, size: QSizeF) -> list[str]:
        """The names as they are painted: whole, or cut with an ellipsis."""
        metrics = QFontMetricsF(self.font(plan.form))
        start = self.sample_width(plan.form) + SPACING
        return [
            row.name
            if box.height() > 1.5 * self.pitch(plan.form)
            else metrics.elidedText(row.name, Qt.TextElideMode.ElideRight, box.width() - start)
            for row, box in zip(self.listed, self._boxes(plan, size))
        ]

    def _boxes(self, plan: Plan, size: QSizeF) -> list[QRectF]:
        """The room of each row that has a place."""
        pitch, cells = self.pitch(plan.form), plan.cells
        boxes = []
        heights = plan.heights or (1,) * len(cells)
        for (left, line), after, height in zip(cells, (*cells[1:], (0.0, -1)), heights):
            end = size.width() - (self._length(plan.rest) + SPACING if plan.rest else 0.0)
            right = after[0] if after[1] == line else end
            boxes.append(QRectF(left, SPACING / 2 + line * pitch, right - left - SPACING / 2, height * pitch))
        return boxes

    def _draw_sample(self, painter: QPainter, row: Row, form: Form, box: QRectF) -> None:
        sample, middle = self.sample_width(form), box.center().y()
        if row.line is not None:
            colours = (row.line, *row.also)
            part = sample / len(colours)
            for number, colour in enumerate(colours):
                pen = QPen(QColor(colour), row.width)
                pen.setStyle(Qt.PenStyle.DashLine if row.dashed else Qt.PenStyle.SolidLine)
                painter.setPen(pen)
                left = box.left() + number * part
                painter.drawLine(QPointF(left, middle), QPointF(left + part, middle))
        if row.sprite is not None:
            painter.save()
            painter.translate(box.left() + sample / 2, middle)
            room = min(1.0, 0.82 * box.height() / (row.sprite.size + row.sprite.width))
            painter.scale(room, room)
            row.sprite.draw(painter)
            painter.restore()

    def _write(self, painter: QPainter, text: str, box: QRectF, pitch: float) -> None:
        """A name in its box, on several lines where the box has them, and cut where it is longer."""
        painter.setPen(QColor(self.theme.text))
        if box.height() > 1.5 * pitch:
            painter.drawText(box, WRAP, text)
            return
        name = QFontMetricsF(painter.font()).elidedText(text, Qt.TextElideMode.ElideRight, box.width())
        wide = box.adjusted(0, 0, SPACING, 0)
        painter.drawText(wide, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), name)
