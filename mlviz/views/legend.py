"""The legend of a canvas: a sample and a name for everything that is drawn, painted in one item."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal, NamedTuple, cast

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QPaintEngine, QPainter, QPixmap
from PySide6.QtWidgets import QGraphicsSceneHoverEvent, QGraphicsWidget

from algorithms.data import Array
from mlviz.views.legend_places import Spot, best_spot, free_room, hidden_by
from mlviz.views.legend_rows import FORMS, Form, Plan, Row, Rows
from mlviz.views.theme import SPACING, Theme

FEW = 0.05
ROOM = ((0.2, 1.0), (0.35, FEW), (0.5, 0.0))
"""How much of its view a legend may take, and what fraction of the things to avoid it may then lie on.
One that takes or hides more would hide what it explains."""
OUTSIDE, LEAST = 0.35, 4.0
"""How much of its plot a legend may take beside or below the view, and how many sizes of a letter are left to it."""
LOW = 0.5
"""How much of the width it may take beside a low plot, where the names would else not be seen."""
PRESENTED, HIGH = 0.22, 16.0
"""How much of the height it may take below the view on a projector, where letters are large, in a plot that is not low:
higher than so many of their sizes; what does not fit is left out, because the picture is what people came for."""
MANY = 50_000
"""Of more things to avoid than this an even part is looked at: a legend is placed while one zooms."""
Side = Literal["below", "beside"]
SIDES: tuple[Side, ...] = ("below", "beside")
MARGIN = 1.0
"""Pixels around a plot without a legend."""


class Inside(NamedTuple):
    """The rows in one form at the best place for it, and the fraction that it hides there: 1 where it does not fit."""

    plan: Plan
    spot: Spot
    hides: float


class Legend(QGraphicsWidget):
    """Rows in a translucent box at an edge of a view, or below or beside it; repainted only when the rows change."""

    def __init__(self, box: QGraphicsWidget, presented: float = PRESENTED) -> None:
        super().__init__(box)
        self._rows = Rows()
        self._picture = QPixmap()
        self._plan = Plan("list", 0.0, 0, ())
        self._open = False
        self.crowding = 1.0
        """The fraction of the things to avoid that a legend may hide at most, where it finds no room anywhere."""
        self.reach = 0.5
        """How far the things to avoid reach around their places, in sizes of a point."""
        self.forms = FORMS
        """How the rows may stand inside the view, the best form first."""
        self.presented = presented
        """How much of the height it may take below the view on a projector."""
        self.folds = True
        """Whether there is somebody with a mouse who can unfold it; in a file a legend without room is left out."""
        self.hidden = self.stays_inside = False
        """Whether the user wants none; and whether it takes no room of the plot, which is compared with others."""
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
        return self._rows.listed

    @property
    def shown_names(self) -> list[str]:
        """The names that can be read, as they are painted; a folded legend names only some of its rows."""
        return self._rows.shown(self._plan, self.size()) if self.isVisible() else []

    @property
    def _theme(self) -> Theme:
        return self._rows.theme

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
        if rows == self._rows.listed and theme is self._theme:
            return
        self._rows = Rows(rows, theme)
        self._picture = QPixmap()
        self.place()
        self.update()

    def hoverEnterEvent(self, event: QGraphicsSceneHoverEvent) -> None:
        """Say all names of a folded legend."""
        self._unfold(self.form == "folded" and bool(self._plan.rest))

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
        if self.hidden or not self.rows:
            self._leave_room(None)
            self.setVisible(False)
            return
        if known and self._side is not None and self._stand_outside(self._side):
            return
        self._leave_room(None)
        area, at = self._box.boundingRect(), self._to_avoid()
        known, self._shown_in = known and self._shown_in == (self.rows, area), (self.rows, area)
        if known and not self._open and self._stays(at):
            return
        if self._open:
            opened: tuple[Form, ...] = ("small list", "lines")
            plans = [self._rows.planned(form, area.width()) for form in opened]
            plan = next((one for one in plans if self._rows.extent(one).height() <= area.height()), plans[-1])
            self._take(plan, area, self._spot)
            return
        if anew:
            self._spot = Spot()
        self._choose(area, at)

    def _choose(self, area: QRectF, at: Array) -> None:
        """The first that can be had: all names and nothing hidden, some names, little hidden, something hidden."""
        inside = list(self._tried(area, at))
        found = _least(inside, 0.0, whole=True)
        if found is None and (self._goes_outside(area, all_names=True) or self._goes_outside(area, all_names=False)):
            return
        found = found or _least(inside, FEW, whole=True) or _least(inside, FEW, whole=False)
        found = found or _least(inside, 0.99, whole=False) or self._folded_inside(area, at)
        self._take(found.plan, area, found.spot)
        self.setVisible(found.hides < 1.0 or (self.folds and self._is_worth_unfolding(found.plan, at)))

    def _is_worth_unfolding(self, plan: Plan, at: Array) -> bool:
        """Whether a folded legend is shown: a single name is said by the plot; the last row has no mouse to unfold."""
        if self._theme.least > 0.0:
            return bool(plan.cells) and self._stays_clear(at)
        return len(self.rows) > 1 or bool(plan.cells)

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

    def _tried(self, area: QRectF, at: Array) -> Iterator[Inside]:
        """All names in every form, at the best place for it; one that hides nothing is good enough."""
        for form in self.forms:
            found = self._judged(self._rows.planned(form, area.width()), area, at)
            yield found
            if found.hides == 0.0 and found.plan.whole:
                return

    def _folded_inside(self, area: QRectF, at: Array) -> Inside:
        """As many names in a line as hide nothing; at last only how many there are."""
        most = len(self._rows.folded(area.width()).cells)
        for count in (*range(min(most, 4), 0, -1), 0):
            found = self._judged(self._rows.folded(area.width(), count), area, at)
            if found.hides == 0.0:
                break
        return found._replace(hides=1.0)

    def _judged(self, plan: Plan, area: QRectF, at: Array) -> Inside:
        size, spot = self._rows.extent(plan), self._spot
        hidden = hidden_by(at, self._reaching(QRectF(spot.corner(area, size), size)))
        if hidden or not spot.in_corner:
            spot = best_spot(area, size, at, self.reach * self._theme.point)
            hidden = spot.hides
        if not hidden:
            spot = self._off_lines(area, size, spot.corner(area, size), at) or spot
        hides = hidden / max(len(at), 1)
        share = size.width() * size.height() / max(area.width() * area.height(), 1.0)
        free = free_room(area, size)
        inside = free.width() >= 0.0 and free.height() >= 0.0 and self._rows.tells_enough(plan)
        fits = inside and hides <= self.crowding and any(share <= most and hides <= few for most, few in ROOM)
        return Inside(plan, spot, min(hides, 0.99) if fits else 1.0)

    def _take(self, plan: Plan, area: QRectF, spot: Spot) -> None:
        self._spot = spot
        self._lay_out(plan)
        self.setPos(spot.corner(area, self._rows.extent(plan)))

    def _lay_out(self, plan: Plan) -> None:
        if plan != self._plan:
            self._plan = plan
            self._picture = QPixmap()
            self.update()
        size = self._rows.extent(plan)
        if size != self.size():
            self.resize(size)

    # -- outside of it -------------------------------------------------------------------------------------------

    def _goes_outside(self, view: QRectF, all_names: bool) -> bool:
        """Stand where outside the view it takes the smaller part of the plot; False where that is too much of it."""
        plot = self._box.parentItem()
        if plot is None:
            return False
        whole = plot.boundingRect()
        parts: dict[Side, float] = {}
        for side in SIDES:
            plan = self._outside_plan(side, whole, view)
            named = 0 if plan is None else len(plan.cells)
            if plan is not None and (plan.whole and named == len(self.rows) if all_names else named):
                size = self._rows.extent(plan)
                parts[side] = size.width() / whole.width() if side == "beside" else size.height() / whole.height()
        return bool(parts) and self._stand_outside(min(parts.items(), key=lambda part: part[1])[0])

    def _outside_plan(self, side: Side, whole: QRectF, view: QRectF) -> Plan | None:
        """The best form that takes not too much of the plot there; None where there is no room for any."""
        if self.stays_inside:
            return None
        plans = [plan for plan in self._outside_plans(side, whole) if self._has_room(plan, side, whole, view)]
        return min(plans, key=lambda plan: (plan.form == "folded", not plan.whole), default=None)

    def _outside_plans(self, side: Side, whole: QRectF) -> Iterator[Plan]:
        """How the rows could stand there, the best form first."""
        if side == "beside":
            yield self._rows.planned("list", whole.width())
            yield self._rows.planned("small list", whole.width())
            return
        plan = self._rows.planned("lines", whole.width())
        presented = self._theme.least and not self._is_low(whole)
        yield self._rows.cut(plan, self.presented * whole.height() - SPACING) if presented else plan
        if self.folds:
            yield self._rows.folded(whole.width() - 2 * SPACING)

    def _has_room(self, plan: Plan, side: Side, whole: QRectF, view: QRectF) -> bool:
        """Whether the plan takes not too much of the plot."""
        size, beside = self._rows.extent(plan), side == "beside"
        needed, all_of, left = (
            (size.width(), whole.width(), view.width()) if beside else (size.height(), whole.height(), view.height())
        )
        fits = size.height() + 2 * SPACING <= whole.height() and size.width() + 2 * SPACING <= whole.width()
        if beside and needed + SPACING > all_of - self._least_width():
            return False
        most = LOW if plan.form == "small list" and self._is_low(whole) else OUTSIDE
        roomy = left - needed - SPACING >= LEAST * self._theme.font and needed + SPACING <= most * all_of
        return fits and roomy and self._rows.tells_enough(plan)

    def _is_low(self, whole: QRectF) -> bool:
        return whole.height() <= HIGH * self._theme.font

    def _least_width(self) -> float:
        """What the plot needs without a legend: a title is not squeezed, it would push the plot over its edge."""
        layout: Any = self._box.parentItem()
        layout = layout.layout
        return float(layout.minimumWidth() - layout.getContentsMargins()[2])

    def _stand_outside(self, side: Side) -> bool:
        """Stand there; whether there is room for the rows of now."""
        plot = self._box.parentItem()
        assert isinstance(plot, QGraphicsWidget)
        whole, view = plot.boundingRect(), self._box.boundingRect()
        taken = QRectF(0.0, 0.0, *(length + self._room for length in (view.width(), view.height())))
        plan = self._outside_plan(side, whole, taken)
        if plan is None:
            return False
        size = self._rows.extent(plan)
        self._leave_room(side, max((size.width() if side == "beside" else size.height()) + SPACING, self._room))
        if self._open and plan.form == "folded":
            plan = self._rows.planned("small list", whole.width())
            size = self._rows.extent(plan)
        self._lay_out(plan)
        view = self._box.geometry()
        middle = min(max(view.center().x() - size.width() / 2, SPACING), whole.width() - size.width() - SPACING)
        top = max(min(whole.height() - self._room, whole.height() - size.height() - MARGIN), 0.0)
        high = max(min(view.top(), whole.height() - size.height() - SPACING), 0.0)  # a title above must not push it out
        self.setPos(QPointF(middle, top) if side == "below" else QPointF(whole.width() - self._room, high))
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
        if not self.rows:
            return QSizeF(0.0, 0.0)
        plan = self._rows.planned("list", self._box.boundingRect().width())
        return self._rows.extent(plan) + QSizeF(2 * SPACING, 2 * SPACING)

    def line_height(self) -> float:
        """The room that a single line of rows takes, with the gap to the border."""
        return self._rows.pitch("lines") + 3 * SPACING

    def paint(self, painter: QPainter, *_: object) -> None:
        """Draw the box, the samples and the names; on a screen once, and as a picture from then on."""
        if not self.rows:
            return
        if painter.paintEngine().type() != QPaintEngine.Type.Raster:
            self._rows.draw(painter, self._plan, self.size())
            return
        ratio = painter.device().devicePixelRatioF()
        if self._picture.isNull() or self._picture.devicePixelRatioF() != ratio:
            self._picture = QPixmap((self.size() * ratio).toSize() + QSize(1, 1))
            self._picture.setDevicePixelRatio(ratio)
            self._picture.fill(Qt.GlobalColor.transparent)
            own = QPainter(self._picture)
            self._rows.draw(own, self._plan, self.size())
            own.end()
        painter.drawPixmap(QPointF(0, 0), self._picture)


def _least(tried: list[Inside], most: float, whole: bool) -> Inside | None:
    """The one that hides least, if that is no more than this much; with whole names only, or also with cut ones."""
    fitting = [one for one in tried if one.hides <= most and (one.plan.whole or not whole)]
    return min(fitting, key=lambda one: one.hides, default=None)
