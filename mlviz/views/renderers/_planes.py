"""The small planes of an ensemble's members: where they stand, and each as a picture."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPixmap, QPolygonF

from algorithms.data import Array
from algorithms.marks import Multiples
from mlviz.session.projection import Projection
from mlviz.views.colours import channels
from mlviz.views.pens import make_pen, set_pen
from mlviz.views.scale import value_colours
from mlviz.views.scene import Scene
from mlviz.views.sprites import Sprite, Stamp
from mlviz.views.theme import SPACING

GAP, MARGIN = 6.0, 6.0
SMALLEST, LARGEST = 40.0, 110.0
"""Sides of a small plane, in pixels."""
ROWS = 3
"""Rows of small planes in view, where there is room for them."""
GRAIN = 2
"""Pixels of the screen along the side of one place that a member is asked about."""
FINEST, COARSE = 180, 90
"""Most places along a side, and in a hurry."""
STRENGTH = 0.38
"""How opaque the regions are."""
LEVELS = 8
"""More than there are sizes of points."""
DOTS = 2_000
"""Of more points than this, a small plane shows an even part."""


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
    stamp: Stamp = field(default_factory=Stamp)

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

    def places(self, side: float, hurried: bool = False) -> int:
        """How many places along a side a member is asked about; none where its answers are a curve."""
        return 0 if self.over_one_feature else int(min(max(side // GRAIN, 8), COARSE if hurried else FINEST))

    def picture(self, mark: Multiples, number: int, side: float, scale: float, large: bool, places: int) -> QPixmap:
        """One plane: the regions, asked at so many places along a side, and the points that the member has seen."""
        theme = self.scene.theme
        picture = QPixmap(max(round(side * scale), 1), max(round(side * scale), 1))
        picture.setDevicePixelRatio(picture.width() / max(side, 1.0))
        picture.fill(QColor(theme.plot))
        painter = QPainter(picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.over_one_feature:
            self._paint_curve(painter, mark, number, side)
        else:
            image = self._regions(mark, number, places)
            painter.drawImage(QRectF(0.0, 0.0, side, side), image)
        self._paint_points(painter, _weights(mark, number), side, large)
        painter.end()
        return picture

    def _regions(self, mark: Multiples, number: int, places: int) -> QImage:
        theme = self.scene.theme
        answers = mark.members.answers(number, self.grid(places))
        background = np.array(channels(theme.plot)) * (1.0 - STRENGTH)
        if self.scene.is_valued:
            colours = value_colours(theme, self.scene.value_fraction(answers)).astype(np.float64)
            mixed = np.rint(background + STRENGTH * colours).astype(np.ubyte)
        else:
            groups = answers.astype(np.intp)
            palette = [channels(theme.colour(group)) for group in range(int(groups.max(initial=0)) + 1)]
            mixed = np.rint(background + STRENGTH * np.array(palette, dtype=np.float64)).astype(np.ubyte)[groups]
        pixels = np.ascontiguousarray(mixed.reshape(places, places, 3))
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
        levels = np.full(len(spots), 2)  # twice the size, in few steps: a sprite for each
        if weights is not None and large:
            typical = weights[weights > 0.0].mean() if (weights > 0.0).any() else 1.0
            levels = np.rint(2.0 * np.sqrt(np.clip(weights / typical, 0.1, 9.0))).astype(np.intp)
            levels[weights <= 0.0] = 0
        looks, which = np.unique(labels[chosen] * LEVELS + levels[chosen], return_inverse=True)
        sprites = tuple(self._sprite(*divmod(look, LEVELS), unit) for look in looks.tolist())
        self.stamp.paint(painter, spots[chosen], sprites, which)

    def _sprite(self, label: int, level: int, unit: float) -> Sprite:
        """A point of this class, as large as it weighs; hollow where it does not."""
        colour, theme = self.scene.theme.colour(label), self.scene.theme
        if level:
            return Sprite("o", 0.5 * level * unit, colour)
        return Sprite("o", 0.8 * unit, None, theme.faint(colour, 0.55), 0.35 * theme.stroke)


def _weights(mark: Multiples, number: int) -> Array | None:
    """How much each point counts for a member."""
    for part in mark.weights:
        if number < len(part):
            row: Array = part[number]
            return row
        number -= len(part)
    return None
