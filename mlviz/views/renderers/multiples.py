"""Small planes side by side, one for each member of an ensemble, and one of them large.

A plane is made into a picture when it is first seen and kept as long as the run is the same, so a frame with one member
more makes one small picture and the large one, however many members there are.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QPixmap, QPolygonF
from PySide6.QtWidgets import QGraphicsItem, QGraphicsObject

from algorithms.data import Array
from algorithms.marks import Multiples
from mlviz.session.projection import Projection
from mlviz.views.colours import channels
from mlviz.views.pens import make_pen, set_pen
from mlviz.views.renderers.base import NO_POINTS, Renderer, renders
from mlviz.views.scale import value_colours
from mlviz.views.scene import Scene
from mlviz.views.theme import LIGHT, SPACING, Theme

GAP, MARGIN = 6.0, 6.0
SMALLEST, LARGEST = 40.0, 110.0
"""Sides of a small plane, in pixels."""
ROWS = 3
"""Rows of small planes in view, where there is room for them."""
GRAIN = 2
"""Pixels of the screen along the side of one place that a member is asked about."""
FINEST = 180
"""Most places along a side."""
KEPT = 600
"""Planes that are kept as pictures."""
STRENGTH = 0.38
"""How opaque the regions are."""
DOTS = 2_000
"""Of more points than this, a small plane shows an even part."""
NEAR = 10.0


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the planes stand in an area of so many pixels: the large one first, the small ones beside or below it."""

    large: QRectF
    room: QRectF  # of the small ones
    side: float
    columns: int
    line: float  # height of the numbers below each

    @classmethod
    def of(cls, width: float, height: float, line: float) -> Layout:
        """The layout of an area: the planes are square."""
        width, height = max(width, 40.0), max(height, 40.0)
        beside = width >= 1.15 * height
        most = height - 2 * MARGIN - line if beside else height * 0.55 - line
        side = max(min(most, 0.46 * width if beside else width - 2 * MARGIN), 20.0)
        large = QRectF(MARGIN, MARGIN, side, side)
        corner = (large.right() + 2 * GAP, MARGIN) if beside else (MARGIN, large.bottom() + line + GAP)
        room = QRectF(corner[0], corner[1], width - corner[0] - SPACING - 2, height - corner[1] - 2)
        rows = min(max(int(room.height() // (SMALLEST + line + GAP)), 1), ROWS)
        small = min(room.height() / rows - line - GAP, LARGEST, max(room.width(), 20.0))
        room.setHeight(min(rows * (small + line + GAP), room.height()))  # whole rows only
        columns = max(int((room.width() + GAP) // (small + GAP)), 1)
        return cls(large, room, small, columns, line)

    @property
    def pitch(self) -> float:
        """From one row to the next."""
        return self.side + self.line + GAP

    def rows(self, count: int) -> int:
        """How many rows so many planes take."""
        return -(-count // self.columns)

    def furthest(self, count: int) -> float:
        """How far one can scroll, in pixels."""
        return max(self.rows(count) * self.pitch - self.room.height(), 0.0)

    def place(self, number: int, scrolled: float) -> QRectF:
        """Where a small plane stands."""
        row, column = divmod(number, self.columns)
        x, y = column * (self.side + GAP), row * self.pitch - scrolled
        return QRectF(self.room.left() + x, self.room.top() + y, self.side, self.side)

    def visible(self, count: int, scrolled: float) -> range:
        """The planes of which something can be seen."""
        first = int(scrolled // self.pitch)
        last = int((scrolled + self.room.height()) // self.pitch)
        return range(min(first * self.columns, count), min((last + 1) * self.columns, count))


@dataclass(frozen=True, slots=True, eq=False)
class Planes:
    """What the planes of one run have in common; made by :meth:`of`."""

    scene: Scene
    left: float
    low: float
    wide: float
    high: float
    grids: dict[int, Array] = field(default_factory=dict)
    """By their numbers of places along a side: the same places for every member, which may remember them."""

    @classmethod
    def of(cls, scene: Scene) -> Planes:
        """The part of the plane in which the points lie, with a margin."""
        at = scene.at if len(scene.at) else np.zeros((1, 2))
        low, high = at.min(axis=0), at.max(axis=0)
        span = np.where(high > low, high - low, np.maximum(np.abs(low), 1.0))
        low, span = low - 0.06 * span, 1.12 * span
        return cls(scene, float(low[0]), float(low[1]), float(span[0]), float(span[1]))

    @property
    def projection(self) -> Projection:
        """How rows of the data are seen in a plane."""
        assert self.scene.plane is not None, "small planes show points"
        return self.scene.plane

    @property
    def over_one_feature(self) -> bool:
        """Whether the height is the target, so that the answers are a curve."""
        return self.projection.d == 1 and self.scene.is_valued

    def spots(self, side: float) -> Array:
        """Where the points are in a plane with this side, (n, 2) in pixels from the upper left corner."""
        at = (self.scene.at - (self.left, self.low)) / (self.wide, self.high)
        return np.column_stack([at[:, 0] * side, (1.0 - at[:, 1]) * side])

    def grid(self, places: int) -> Array:
        """Rows of the data all over the plane, (places², d), row by row from the top."""
        if places not in self.grids:
            along = (np.arange(places) + 0.5) / places
            across, up = np.meshgrid(self.left + along * self.wide, self.low + along[::-1] * self.high)
            self.grids[places] = self.projection.lift(np.column_stack([across.ravel(), up.ravel()]))
        return self.grids[places]

    def picture(self, mark: Multiples, number: int, side: float, scale: float, large: bool) -> QPixmap:
        """One plane: the regions, and the points that the member has seen."""
        theme = self.scene.theme
        picture = QPixmap(max(round(side * scale), 1), max(round(side * scale), 1))
        picture.setDevicePixelRatio(picture.width() / max(side, 1.0))
        picture.fill(QColor(theme.plot))
        painter = QPainter(picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.over_one_feature:
            self._paint_curve(painter, mark, number, side)
        else:
            places = int(min(max(side // GRAIN, 8), FINEST))
            image = self._regions(mark, number, places)
            painter.drawImage(QRectF(0.0, 0.0, side, side), image)
        self._paint_points(painter, _weights(mark, number), side, large)
        painter.end()
        return picture

    def _regions(self, mark: Multiples, number: int, places: int) -> QImage:
        theme = self.scene.theme
        answers = mark.members.answers(number, self.grid(places))
        if self.scene.is_valued:
            colours = value_colours(theme, self.scene.value_share(answers)).astype(np.float64)
        else:
            groups = answers.astype(np.intp)
            palette = [channels(theme.colour(group)) for group in range(int(groups.max(initial=0)) + 1)]
            colours = np.array(palette, dtype=np.float64)[groups]
        mixed = np.array(channels(theme.plot)) * (1.0 - STRENGTH) + STRENGTH * colours
        pixels = np.ascontiguousarray(np.rint(mixed).astype(np.ubyte).reshape(places, places, 3))
        return QImage(pixels.data, places, places, 3 * places, QImage.Format.Format_RGB888).copy()

    def _paint_curve(self, painter: QPainter, mark: Multiples, number: int, side: float) -> None:
        """The answers over a single feature."""
        theme = self.scene.theme
        x = self.left + self.wide * np.linspace(0.0, 1.0, max(int(side), 2))
        y = np.clip((mark.members.answers(number, x[:, None]) - self.low) / self.high, -1.0, 2.0)
        line = QPolygonF([QPointF(a, b) for a, b in zip(np.linspace(0.0, side, len(x)).tolist(), (side * (1 - y)))])
        set_pen(painter, make_pen(theme.line, 0.7 * theme.stroke))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPolyline(line)

    def _paint_points(self, painter: QPainter, weights: Array | None, side: float, large: bool) -> None:
        """The points in their colours; in the large plane as large as they weigh, and hollow where they do not."""
        theme, spots = self.scene.theme, self.spots(side)
        groups = self.scene.data.groups
        labels = np.full(len(spots), -1) if groups is None else groups
        chosen = np.arange(len(spots))
        if weights is not None and not large:
            chosen = np.flatnonzero(weights > 0.0)
        if not large:
            chosen = chosen[:: max(len(chosen) // DOTS, 1)]
        unit = min(0.5 * theme.point, side / 45) if large else min(0.24 * theme.point, side / 30)
        sizes = np.full(len(spots), unit)
        if weights is not None and large:
            typical = weights[weights > 0.0].mean() if (weights > 0.0).any() else 1.0
            # few sizes: a pen for each
            sizes = unit * np.round(2.0 * np.sqrt(np.clip(weights / typical, 0.1, 9.0))) / 2.0
        for label in np.unique(labels[chosen]).tolist():
            own = chosen[labels[chosen] == label]
            hollow = own[:0] if weights is None else own[weights[own] <= 0.0]
            set_pen(painter, make_pen(theme.faint(theme.colour(label), 0.55), 0.35 * theme.stroke))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            for spot in spots[hollow].tolist():
                painter.drawEllipse(QPointF(*spot), 0.4 * unit, 0.4 * unit)
            filled = own if weights is None else own[weights[own] > 0.0]
            for size in np.unique(sizes[filled]).tolist():
                pen = make_pen(theme.colour(label), size)
                pen.setCapStyle(Qt.PenCapStyle.RoundCap)
                painter.setPen(pen)
                painter.drawPoints([QPointF(*spot) for spot in spots[filled[sizes[filled] == size]].tolist()])


def _weights(mark: Multiples, number: int) -> Array | None:
    """How much each point counts for a member."""
    for part in mark.weights:
        if number < len(part):
            row: Array = part[number]
            return row
        number -= len(part)
    return None


class PlanesItem(QGraphicsObject):
    """Paints the planes that are in view, in the pixels of the box it belongs to."""

    def __init__(self, box: QGraphicsItem) -> None:
        super().__init__(box)
        self.theme: Theme = LIGHT
        self.mark: Multiples | None = None
        self.planes: Planes | None = None
        self.area = QRectF()
        self.chosen: int | None = None
        """The plane that was clicked; the newest one without it."""
        self.scrolled: float | None = None
        """How far, in pixels; to the newest without it."""
        self.lit: Array = NO_POINTS
        self._pictures: OrderedDict[tuple[int, int, bool], QPixmap] = OrderedDict()
        self.made = 0
        """How many pictures were made so far."""

    def boundingRect(self) -> QRectF:
        """All of the box."""
        return self.area

    def set_area(self, area: QRectF) -> None:
        """The box has this size."""
        if area != self.area:
            self.prepareGeometryChange()
            self.area = area
            self.update()

    def forget(self) -> None:
        """The kept pictures belong to another run, or to another look."""
        self._pictures.clear()

    @property
    def count(self) -> int:
        """How many members there are."""
        return 0 if self.mark is None else len(self.mark.members)

    @property
    def shown(self) -> int:
        """The member that is shown large."""
        return self.count - 1 if self.chosen is None else min(self.chosen, self.count - 1)

    def font(self) -> QFont:
        """The font of the numbers."""
        font = QFont()
        font.setPointSizeF(self.theme.letters(0.8))
        return font

    def layout(self) -> Layout:
        """Where everything stands."""
        return Layout.of(self.area.width(), self.area.height(), QFontMetricsF(self.font()).height())

    def offset(self, layout: Layout) -> float:
        """How far the small planes are scrolled."""
        furthest = layout.furthest(self.count)
        return furthest if self.scrolled is None else min(self.scrolled, furthest)

    def scroll_by(self, pixels: float) -> bool:
        """Scroll by so many pixels; at the end it goes on with the newest."""
        layout = self.layout()
        furthest = layout.furthest(self.count)
        if furthest <= 0.0:
            return False
        wanted = max(self.offset(layout) + pixels, 0.0)
        self.scrolled = None if wanted >= furthest else wanted
        self.update()
        return True

    def plane_at(self, place: QPointF) -> int | None:
        """The small plane at a place of the box."""
        layout = self.layout()
        if not layout.room.contains(place):
            return None
        offset = self.offset(layout)
        for number in layout.visible(self.count, offset):
            if layout.place(number, offset).contains(place):
                return number
        return None

    def choose(self, number: int | None) -> None:
        """Show this one large, or the newest."""
        self.chosen = number
        self.update()

    def paint(self, painter: QPainter, *_: object) -> None:
        """The large plane, then those small ones that are in view."""
        if self.mark is None or self.planes is None or not self.count:
            return
        layout = self.layout()
        offset, scale = (
            self.offset(layout),
            max(abs(painter.worldTransform().m11()), painter.device().devicePixelRatioF()),
        )
        painter.setFont(self.font())
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
        self._paint_plane(painter, self.shown, layout.large, scale, True)
        self._paint_lit(painter, layout.large)
        self._write(
            painter, QRectF(layout.large.left(), layout.large.bottom(), layout.large.width(), layout.line), self.title()
        )
        painter.save()
        painter.setClipRect(layout.room.adjusted(-2, -2, 2, 0))
        for number in layout.visible(self.count, offset):
            at = layout.place(number, offset)
            self._paint_plane(painter, number, at, scale, False)
            self._write(
                painter, QRectF(at.left(), at.bottom(), at.width(), layout.line), self.caption(number, at.width())
            )
        painter.restore()
        self._paint_bar(painter, layout, offset)

    def title(self) -> str:
        """What is written below the large plane."""
        assert self.mark is not None
        number = self.shown
        which, newest = f"{self.mark.name} {number + 1}", ", the newest" if self.chosen is None else ""
        what = "" if self.mark.numbers is None else f": {self.mark.numbers_name} {self.mark.numbers[number]:.3g}"
        noted = f"  ({self.mark.weights_note})" if self.mark.weights_note else ""
        metrics, room = QFontMetricsF(self.font()), self.layout().large.width()
        texts = (which + newest + what + noted, which + newest + what, which + what)
        return next((text for text in texts if metrics.horizontalAdvance(text) <= room), which)

    def caption(self, number: int, width: float) -> str:
        """What is written below a small plane: its number, and the number that it has."""
        assert self.mark is not None
        short = f"{number + 1}"
        if self.mark.numbers is None:
            return short
        text = f"{short}: {self.mark.numbers[number]:.2g}"
        return text if QFontMetricsF(self.font()).horizontalAdvance(text) <= width else short

    def _paint_plane(self, painter: QPainter, number: int, at: QRectF, scale: float, large: bool) -> None:
        painter.drawPixmap(at.topLeft(), self._picture(number, at.width(), scale, large))
        here = number == self.shown
        pen = make_pen(self.theme.accent if here else self.theme.border, self.theme.stroke * (1.0 if here else 0.5))
        set_pen(painter, pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(at)

    def _picture(self, number: int, side: float, scale: float, large: bool) -> QPixmap:
        assert self.mark is not None
        assert self.planes is not None
        key = (number, round(side * scale), large)
        picture = self._pictures.get(key)
        if picture is None:
            self.made += 1
            picture = self._pictures[key] = self.planes.picture(self.mark, number, side, scale, large)
            while len(self._pictures) > KEPT:
                self._pictures.popitem(last=False)
        self._pictures.move_to_end(key)
        return picture

    def _paint_lit(self, painter: QPainter, at: QRectF) -> None:
        assert self.planes is not None
        spots = self.planes.spots(at.width())
        lit = self.lit[self.lit < len(spots)]
        if not len(lit):
            return
        set_pen(painter, make_pen(self.theme.line, 0.7 * self.theme.stroke))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for x, y in spots[lit].tolist():
            painter.drawEllipse(at.topLeft() + QPointF(x, y), 0.6 * self.theme.point, 0.6 * self.theme.point)

    def _write(self, painter: QPainter, at: QRectF, text: str) -> None:
        painter.setPen(QColor(self.theme.muted))
        shown = QFontMetricsF(self.font()).elidedText(text, Qt.TextElideMode.ElideRight, at.width())
        painter.drawText(at, Qt.AlignmentFlag.AlignCenter, shown)

    def _paint_bar(self, painter: QPainter, layout: Layout, offset: float) -> None:
        """How far one has scrolled, at the right edge."""
        furthest = layout.furthest(self.count)
        if furthest <= 0.0:
            return
        whole = layout.room.height()
        length = max(whole * whole / (whole + furthest), 16.0)
        top = layout.room.top() + (whole - length) * offset / furthest
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self.theme.faint(self.theme.muted, 0.5)))
        painter.drawRoundedRect(QRectF(self.area.right() - 7.0, top, 5.0, length), 2.5, 2.5)


@renders(Multiples)
class MultiplesRenderer(Renderer):
    """The planes. The wheel and dragging scroll, a click makes a plane large, and one on the large plane the newest."""

    def __init__(self, canvas: Any, ordinal: int) -> None:
        super().__init__(canvas, ordinal)
        self._item = PlanesItem(canvas.box)
        self.items.append(self._item)
        canvas.box.sigResized.connect(self._resized)
        self._scene: Scene | None = None
        self._held: float | None = None

    @property
    def item(self) -> PlanesItem:
        """What paints the planes."""
        return self._item

    def show(self, mark: Multiples) -> None:
        item = self._item
        if self._scene is not self.scene or item.mark is None or item.mark.run is not mark.run:
            item.forget()
            item.planes, self._scene = Planes.of(self.scene), self.scene
            if item.mark is None or item.mark.run is not mark.run:
                item.chosen = item.scrolled = None
        item.mark, item.theme = mark, self.theme
        self._resized()
        item.setVisible(True)
        item.update()

    def hide(self) -> None:
        super().hide()
        self._item.mark = None

    def restyle(self) -> None:
        self._item.forget()

    def light_points(self, points: Array) -> None:
        self._item.lit = points
        self._item.update()

    def points_at(self, place: QPointF) -> Array:
        """The point of the large plane that is meant."""
        item, at = self._item, self._place(place)
        if item.mark is None or item.planes is None or not item.layout().large.contains(at):
            return NO_POINTS
        large = item.layout().large
        spots = item.planes.spots(large.width()) + (large.left(), large.top())
        away = np.hypot(*(spots - (at.x(), at.y())).T)
        return np.array([int(away.argmin())]) if len(away) and away.min() <= NEAR else NO_POINTS

    def click(self, place: QPointF) -> bool:
        item, at = self._item, self._place(place)
        if item.mark is None:
            return False
        number = item.plane_at(at)
        if number is not None:
            item.choose(number)
            return True
        if item.chosen is not None and item.layout().large.contains(at):
            item.choose(None)
            return True
        return False

    def scroll(self, place: QPointF, steps: float) -> bool:
        if self._item.mark is None:
            return False
        self._item.scroll_by(-steps * self._item.layout().pitch)
        return True  # there is nothing to zoom into

    def grab(self, place: QPointF, reach: tuple[float, float]) -> bool:
        if self._item.mark is None:
            return False
        self._held = self._place(place).y()
        return True

    def drag(self, place: QPointF, finished: bool) -> None:
        if self._held is not None:
            now = self._place(place).y()
            self._item.scroll_by(self._held - now)
            self._held = None if finished else now

    def _place(self, place: QPointF) -> QPointF:
        """A place of the canvas in pixels of its box."""
        return self.canvas.box.mapFromView(place)

    def _resized(self) -> None:
        self._item.set_area(self.canvas.box.boundingRect())
