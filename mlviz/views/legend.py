"""The legend of a canvas: a sample and a name for everything that is drawn, painted in one item."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPaintEngine, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QGraphicsSceneHoverEvent, QGraphicsWidget

from algorithms.data import Array
from mlviz.views.legend_places import Spot, best_spot, free_room, hidden_by
from mlviz.views.sprites import Sprite
from mlviz.views.theme import LIGHT, SPACING, Theme

FEW = 0.05
ROOM = ((0.2, 1.0), (0.35, FEW), (0.5, 0.0))
"""How much of its view a legend may take, and what fraction of the things to avoid it may then lie on.
One that takes or hides more would hide what it explains."""
OUTSIDE, LEAST = 0.35, 4.0
"""How much of its plot a legend may take beside or below the view, and how many sizes of a letter are left to it."""
PRESENTED, HIGH = 0.22, 16.0
"""How much of the height it may take below the view on a projector, where letters are large, in a plot of more than so
many of their sizes; what does not fit is left out, because the picture is what people came for."""
MANY = 50_000
"""Of more things to avoid than this an even part is looked at: a legend is placed while one zooms."""
Form = Literal["list", "small list", "lines", "folded"]
FORMS: tuple[Form, ...] = ("list", "small list", "lines")
"""How the rows may stand, the best form first: one below the other, in smaller letters, or beside each other. Where
none of them fits there are only the samples, and the names when the mouse is over them."""
Side = Literal["below", "beside"]
SIDES: tuple[Side, ...] = ("below", "beside")
MARGIN = 1.0
"""Pixels around a plot without a legend."""


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
    """Rows in a translucent box at an edge of a view, or below or beside it; repainted only when the rows change."""

    def __init__(self, box: QGraphicsWidget) -> None:
        super().__init__(box)
        self._rows: tuple[Row, ...] = ()
        self._theme = LIGHT
        self._picture = QPixmap()
        self._lengths: dict[float, list[float]] = {}
        self._plan = Plan("list", 0.0, 0, ())
        self._open = False
        self.crowding = 1.0
        """The fraction of the things to avoid that a legend may hide at most, where it finds no room anywhere."""
        self.reach = 0.5
        """How far the things to avoid reach around their places, in sizes of a point."""
        self.forms = FORMS
        """How the rows may stand inside the view, the best form first."""
        self.folds = True
        """Whether there is somebody with a mouse who can unfold it; in a file a legend without room is left out."""
        self.hidden = False
        """Whether the user wants none."""
        self._spot = Spot()
        self._placing = self._waiting = False
        self._settling = False
        self._side: Side | None = None
        self._room = 0.0
        self._outer: object = None
        self._shown_in: object = None
        self.avoid: Callable[[], Array] | None = None
        """Gives places (m, 2), in the coordinates of the view, that must not be covered while there is room."""
        self.shun: Callable[[], Array] | None = None
        """Gives places that it does not cover where it can do so and still hide nothing that it is to avoid."""
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

    @property
    def _box(self) -> QGraphicsWidget:
        """The view: the parent, or that of the plot outside of it.

        It is not kept, because Python's collector ends a cycle of graphics items in any order, and crashes.
        """
        parent: Any = self.parentItem()
        return cast("QGraphicsWidget", parent.getViewBox() if self._side is not None else parent)

    @property
    def side(self) -> Side | None:
        """Where it stands outside the view; None inside."""
        return self._side

    def forget_place(self) -> None:
        """What is shown from now on is something else: look for a place as if it were the first time."""
        self._spot = Spot()
        self.reconsider()

    def reconsider(self) -> None:
        """Something else is in view: there may be room for it inside again."""
        if not self._placing:  # room that was made for it has only changed the part in view
            self._outer = None

    def place(self, anew: bool = False) -> None:
        """Sit where nothing to avoid is covered: along an edge of the view, or else below or beside it.

        As long as it hides nothing it stays where it is, and once it is outside it does not come back before the plot
        has another size, or ``anew`` is asked for: what is looked at must not jump while a run is played.
        """
        if self._placing or self.parentItem() is None:  # room made for it resizes the view, which asks for this again
            return
        if self._settling:
            self._waiting = True
            return
        self._placing = True
        try:
            self._find_place(anew)
        finally:
            self._placing = False

    def settle(self, done: bool) -> None:
        """Look for no place, until everything around has found its own: with many points each look takes a while."""
        self._settling = not done
        if done and self._waiting:
            self._waiting = False
            self.place()

    def _find_place(self, anew: bool) -> None:
        plot = self._box.parentItem()
        outer = (None if plot is None else plot.boundingRect().size(), self._theme)
        known, self._outer = outer == self._outer and not anew, outer
        if self.hidden or not self._rows:
            self._leave_room(None)
            self.setVisible(False)
            return
        if known and self._side is not None and self._stand_outside(self._side):
            return
        self._leave_room(None)
        area, at = self._box.boundingRect(), self._to_avoid()
        known, self._shown_in = known and self._shown_in == (self._rows, area), (self._rows, area)
        if known and not self._open and self._stays(at):
            return
        if self._open:
            opened: tuple[Form, ...] = ("small list", "lines")
            plans = [self._planned(form, area) for form in opened]
            plan = next((one for one in plans if self._extent(one).height() <= area.height()), plans[-1])
            self._take(plan, area, self._spot)
            return
        if anew:
            self._spot = Spot()
        plan, spot, hides = self._best(area, at)
        side = None if hides == 0.0 else self._side_with_room(area)
        if side is not None and self._stand_outside(side):
            return
        self._take(plan, area, spot)
        silent = plan.form == "folded" and self._theme.least > 0.0 and not self._stays_clear(at)
        self.setVisible(hides < 1.0 or (self.folds and not silent))  # those in the last row have no mouse to unfold it

    def _stays(self, at: Array) -> bool:
        """Whether it can stay as it is, because it hides nothing there, or nothing that it could leave free."""
        if self.form == "folded" or not self.isVisible() or not self._stays_clear(at):
            return False
        return self._off_lines(self._box.boundingRect(), self.size(), self.pos(), at) is None

    def _off_lines(self, area: QRectF, size: QSizeF, corner: QPointF, at: Array) -> Spot | None:
        """A place where it hides neither what it is to avoid nor a line, if it hides a line at this corner."""
        lines = np.empty((0, 2)) if self.shun is None else self.shun()
        if not len(lines) or not hidden_by(lines, self._reaching(QRectF(corner, size))):
            return None
        spot = best_spot(area, size, np.concatenate([at, lines]), self.reach * self._theme.point)
        return None if spot.hides else spot

    def _stays_clear(self, at: Array) -> bool:
        return not hidden_by(at, self._reaching(QRectF(self.pos(), self.size())))

    def _reaching(self, box: QRectF) -> QRectF:
        """The box in which places must not be: those around it reach into it."""
        reach = self.reach * self._theme.point
        return box.adjusted(-reach, -reach, reach, reach)

    def _to_avoid(self) -> Array:
        at = np.empty((0, 2)) if self.avoid is None else self.avoid()
        return at[:: len(at) // MANY + 1]

    # -- inside the view -----------------------------------------------------------------------------------------

    def _best(self, area: QRectF, at: Array) -> tuple[Plan, Spot, float]:
        """The first form that hides nothing, or else the one that hides least, or else only the samples."""
        tried = []
        for form in self.forms:
            tried.append(self._judged(form, area, at))
            if tried[-1][2] == 0.0:
                return tried[-1]
        fitting = [one for one in tried if one[2] < 1.0]
        if not fitting:
            return (*self._judged("folded", area, at)[:2], 1.0)
        return min(fitting, key=lambda one: one[2])

    def _judged(self, form: Form, area: QRectF, at: Array) -> tuple[Plan, Spot, float]:
        """The rows in this form, the best place for it, and what fraction it hides there: 1 where it does not fit."""
        plan = self._planned(form, area)
        size, spot = self._extent(plan), self._spot
        hidden = hidden_by(at, self._reaching(QRectF(spot.corner(area, size), size)))
        if hidden or not spot.in_corner:
            spot = best_spot(area, size, at, self.reach * self._theme.point)
            hidden = spot.hides
        if not hidden:
            spot = self._off_lines(area, size, spot.corner(area, size), at) or spot
        hides = hidden / max(len(at), 1)
        share = size.width() * size.height() / max(area.width() * area.height(), 1.0)
        free = free_room(area, size)
        inside = free.width() >= 0.0 and free.height() >= 0.0
        fits = inside and hides <= self.crowding and any(share <= most and hides <= few for most, few in ROOM)
        return plan, spot, min(hides, 0.99) if fits else 1.0

    def _take(self, plan: Plan, area: QRectF, spot: Spot) -> None:
        self._spot = spot
        self._lay_out(plan)
        self.setPos(spot.corner(area, self._extent(plan)))

    def _lay_out(self, plan: Plan) -> None:
        if plan != self._plan:
            self._plan = plan
            self._picture = QPixmap()
            self.update()
        size = self._extent(plan)
        if size != self.size():
            self.resize(size)

    # -- outside of it -------------------------------------------------------------------------------------------

    def _side_with_room(self, view: QRectF) -> Side | None:
        """Where outside the view it takes the smaller part of the plot; None where that is too much of it."""
        plot = self._box.parentItem()
        if plot is None:
            return None
        whole = plot.boundingRect()
        parts: dict[Side, float] = {}
        for side in SIDES:
            plan = self._outside_plan(side, whole, view)
            if plan is not None:
                size = self._extent(plan)
                parts[side] = size.width() / whole.width() if side == "beside" else size.height() / whole.height()
        return min(parts.items(), key=lambda part: part[1])[0] if parts else None

    def _outside_plan(self, side: Side, whole: QRectF, view: QRectF) -> Plan | None:
        """The best form that takes not too much of the plot there; None where there is no room for any."""
        forms: tuple[Form, ...] = ("list",) if side == "beside" else ("lines", *(("folded",) if self.folds else ()))
        for form in forms:
            plan = self._planned(form, whole)
            if side == "below" and form == "lines" and self._theme.least and whole.height() > HIGH * self._theme.font:
                plan = self._cut(plan, PRESENTED * whole.height() - SPACING)
            size = self._extent(plan)
            needed, all_of, left = (
                (size.width(), whole.width(), view.width())
                if side == "beside"
                else (size.height(), whole.height(), view.height())
            )
            fits = size.height() + 2 * SPACING <= whole.height() and size.width() + 2 * SPACING <= whole.width()
            if fits and left - needed - SPACING >= LEAST * self._theme.font and needed + SPACING <= OUTSIDE * all_of:
                return plan
        return None

    def _cut(self, plan: Plan, height: float) -> Plan:
        """The plan with as many of its lines as are no higher than this, but one at least."""
        lines = plan.lines
        while lines > 1 and self._extent(replace(plan, lines=lines)).height() > height:
            lines -= 1
        return replace(plan, lines=lines, cells=tuple(cell for cell in plan.cells if cell[1] < lines))

    def _stand_outside(self, side: Side) -> bool:
        """Stand there; whether there is room for the rows of now."""
        plot = self._box.parentItem()
        assert isinstance(plot, QGraphicsWidget)
        whole, view = plot.boundingRect(), self._box.boundingRect()
        taken = QRectF(0.0, 0.0, *(length + self._room for length in (view.width(), view.height())))
        plan = self._outside_plan(side, whole, taken)
        if plan is None:
            return False
        size = self._extent(plan)
        self._leave_room(side, max((size.width() if side == "beside" else size.height()) + SPACING, self._room))
        if self._open and plan.form == "folded":
            plan = self._planned("small list", whole)
            size = self._extent(plan)
        self._lay_out(plan)
        view = self._box.geometry()
        middle = min(max(view.center().x() - size.width() / 2, SPACING), whole.width() - size.width() - SPACING)
        top = max(min(whole.height() - self._room, whole.height() - size.height() - MARGIN), 0.0)
        self.setPos(QPointF(middle, top) if side == "below" else QPointF(whole.width() - self._room, view.top()))
        self.setVisible(True)
        return True

    def _leave_room(self, side: Side | None, room: float = 0.0) -> None:
        """Let the view leave so much room on one side of the plot."""
        if (side, room) == (self._side, self._room):
            return
        box = self._box
        plot: Any = box.parentItem()
        self.setParentItem(box if side is None else plot)  # a view cuts off what stands outside of it
        self._side, self._room = side, room
        right, bottom = (room if side == here else 0.0 for here in ("beside", "below"))
        plot.layout.setContentsMargins(MARGIN, MARGIN, MARGIN + right, MARGIN + bottom)
        plot.layout.activate()

    # -- how large it is -----------------------------------------------------------------------------------------

    def wanted_size(self) -> QSizeF:
        """The room that the rows one below the other would like to have, with the gap to the border."""
        if not self._rows:
            return QSizeF(0.0, 0.0)
        return self._extent(self._planned("list", self._box.boundingRect())) + QSizeF(2 * SPACING, 2 * SPACING)

    def line_height(self) -> float:
        """The room that a single line of rows takes, with the gap to the border."""
        return self._pitch("lines") + 3 * SPACING

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
