"""A layered network: edges by sign and size of their weight, a little field in every neuron."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QPen, QTransform

from algorithms.data import Array
from algorithms.marks import NetworkDiagram
from mlviz.views.colours import channels, numbers
from mlviz.views.legend_rows import Row
from mlviz.views.pens import make_pen, set_pen
from mlviz.views.renderers.base import NO_POINTS, Renderer, renders
from mlviz.views.theme import LIGHT, Theme

FLOOR = 0.1
"""The fraction of the height below the units, where the titles of the layers stand."""
BESIDE, LEAST_BESIDE, MOST_BESIDE = 0.8, 0.5, 1.6
"""The room beside the first and the last layer, in columns: before names are measured, and for short and long ones."""
LARGE = 0.45
"""The side of the largest neuron, in columns."""
LEVELS = 6
"""How many widths an edge can have: lines of one width and colour are drawn in one call."""
TYPICAL = 1.5
"""A weight of this size is drawn about three quarters as strong as the strongest possible."""
CROWDING = 0.005
"""The fraction of neurons and titles that the legend may lie on; in a small picture there is no room for it."""
FIRES = 64
"""A unit means the points at which it says at least half of what it can, of 127."""
LARGEST = 256
"""Pixels along the side of a little field; on paper there are more, and it is stretched."""
MOST_DOTS = 60
"""No more lit points than this are marked in the little fields."""


def places(mark: NetworkDiagram) -> Array:
    """The middle of every unit, layer after layer, and the height of its row, (units, 3).

    A layer is one wide, and its units stand between FLOOR and 1. Small layers have larger units, but not much.
    """
    counts = [len(names) for names in mark.names]
    room, most = 1.0 - FLOOR, max(counts)
    found = []
    for layer, count in enumerate(counts):
        pitch = min(room / count, 1.7 * room / most)
        rows = FLOOR + room / 2 + pitch * ((count - 1) / 2 - np.arange(count))
        found.append(np.column_stack([np.full(count, float(layer)), rows, np.full(count, pitch)]))
    return np.concatenate(found)


class NetworkItem(pg.GraphicsObject):
    """The whole diagram, painted in one pass in pixels, so that letters and neurons keep their shape."""

    def __init__(self) -> None:
        super().__init__()
        self.mark: NetworkDiagram | None = None
        self.theme = LIGHT
        self.places = np.empty((0, 3))
        self.dots = np.empty((0, 2))  # lit points in fractions of the little fields
        self.when_moved: Callable[[], None] | None = None
        self._images: list[QImage] = []
        self._sizes = np.empty(0, dtype=int)  # of the images, in pixels of the screen
        self._edges: list[tuple[QPen, Array, Array]] = []
        self.layers = 1
        self._named: object = None  # what the room for names depends on

    def set(self, mark: NetworkDiagram, theme: Theme) -> None:
        """Show this network."""
        named = mark.names[0], mark.names[-1], len(mark.names), theme.letters(0.9)
        self.mark, self.theme = mark, theme
        if named != self._named:
            self._named, self.layers = named, len(mark.names)
            self.prepareGeometryChange()
            self.informViewBoundsChanged()
        self.places = places(mark)
        self._images = _pictures(mark, theme, self._sizes) if len(self._sizes) == len(mark.maps) else []
        self._edges = _edges(mark, theme)
        self.update()

    def boundingRect(self) -> QRectF:
        """What is left beside the first and the last layer is for names, at most so much."""
        return QRectF(-MOST_BESIDE, 0.0, self.layers - 1.0 + 2 * MOST_BESIDE, 1.0)

    def dataBounds(self, ax: int, frac: float = 1.0, orthoRange: object = None) -> tuple[float, float]:
        """The range along one axis, for fitting the view."""
        left, right = self._rooms()
        return (-left, self.layers - 1.0 + right) if ax == 0 else (0.0, 1.0)

    def _rooms(self) -> tuple[float, float]:
        """The room for the names on the left and on the right, in columns, in a view of this width."""
        view = self.getViewBox()
        if self.mark is None or view is None or view.width() < 1.0:
            return BESIDE, BESIDE
        metrics = QFontMetricsF(_font(self.theme))
        sides = (self.mark.names[0], self.mark.names[-1])
        names = [max(map(metrics.horizontalAdvance, side)) + 3 * metrics.averageCharWidth() for side in sides]
        column = max((view.width() - sum(names)) / (self.layers - 1.0 + LARGE), 1.0)
        left, right = (min(max(name / column + LARGE / 2, LEAST_BESIDE), MOST_BESIDE) for name in names)
        padding = view.suggestPadding(0)  # the view adds so much of the range on either side
        added = padding / (1.0 + 2.0 * padding) * (self.layers - 1.0 + left + right)
        return left - added, right - added

    def viewTransformChanged(self) -> None:
        """The neurons are elsewhere on the screen now."""
        if self.when_moved is not None:
            self.when_moved()

    def sides(self, transform: QTransform) -> Array:
        """The side of every neuron in pixels: as large as its row and its column allow, (units,)."""
        rows = 0.82 * abs(transform.m22()) * self.places[:, 2]
        return np.maximum(np.minimum(rows, min(LARGE * abs(transform.m11()), 10.0 * self.theme.font)), 3.0)

    def paint(self, painter: QPainter, *_: object) -> None:
        """Draw edges, neurons and names."""
        if self.mark is None:
            return
        transform = painter.worldTransform()
        sides = self.sides(transform)
        x = transform.m11() * self.places[:, 0] + transform.dx()
        y = transform.m22() * self.places[:, 1] + transform.dy()
        painter.save()
        painter.resetTransform()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        for pen, first, second in self._edges:
            ends = np.column_stack([x[first] + sides[first] / 2, y[first], x[second] - sides[second] / 2, y[second]])
            set_pen(painter, pen)
            painter.drawLines([QLineF(*end) for end in ends.tolist()])
        boxes = self._boxes(np.column_stack([x, y]), sides, painter.device().devicePixelRatio())
        for number, box in enumerate(boxes):
            self._paint_unit(painter, number, box)
        self._paint_words(painter, boxes, transform)
        painter.restore()

    def _boxes(self, middles: Array, sides: Array, ratio: float) -> list[QRectF]:
        """Where the neurons are; they begin and end with a pixel, and so do their pictures, made anew if need be."""
        assert self.mark is not None
        sizes = np.rint(sides * ratio)
        kept = np.minimum(sizes, LARGEST).astype(int)
        if not self._images or not np.array_equal(kept, self._sizes):
            self._sizes, self._images = kept, _pictures(self.mark, self.theme, kept)
        corners = np.rint((middles - sides[:, None] / 2) * ratio) / ratio
        return [QRectF(*box) for box in np.column_stack([corners, sizes / ratio, sizes / ratio]).tolist()]

    def _paint_unit(self, painter: QPainter, number: int, box: QRectF) -> None:
        assert self.mark is not None
        theme = self.theme
        off = self.mark.dropped is not None and bool(self.mark.dropped[number])
        set_pen(painter, make_pen(theme.muted, max(theme.stroke / 2, 1.0)))
        if off:
            painter.setBrush(QColor(theme.grid))
            painter.drawRect(box)
            painter.drawLines([QLineF(box.topLeft(), box.bottomRight()), QLineF(box.topRight(), box.bottomLeft())])
            return
        painter.drawImage(box, self._images[number])
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(box)
        if len(self.dots):
            size = max(box.width() / 14, 1.5)
            set_pen(painter, make_pen(theme.plot, 1.0))
            painter.setBrush(QColor(theme.line))
            for x, y in self.dots.tolist():
                painter.drawEllipse(QPointF(box.left() + x * box.width(), box.bottom() - y * box.height()), size, size)

    def _paint_words(self, painter: QPainter, boxes: list[QRectF], transform: QTransform) -> None:
        """Features on the left, classes or the target on the right, and below each layer what it is."""
        assert self.mark is not None
        painter.setFont(font := _font(self.theme))
        metrics = QFontMetricsF(font)
        column = abs(transform.m11())
        seen = self.getViewBox().viewRect()  # what the item has kept may be of another size of the view
        edges = [transform.map(QPointF(x, 0.0)).x() for x in (seen.left(), seen.right())]
        painter.setPen(QColor(self.theme.text))
        for box, name in zip(boxes, self.mark.names[0]):
            _beside(painter, metrics, name, box, edges[0], left=True)
        for box, name in zip(boxes[-len(self.mark.names[-1]) :], self.mark.names[-1]):
            _beside(painter, metrics, name, box, edges[1], left=False)
        painter.setPen(QColor(self.theme.muted))
        lowest = max(box.bottom() for box in boxes)
        for layer, text in enumerate(_titles(self.mark, metrics, column, edges, transform.dx())):
            foot = transform.map(QPointF(layer, 0.0)) - QPointF(metrics.horizontalAdvance(text) / 2, metrics.descent())
            if foot.y() - metrics.ascent() >= lowest - 1.0:  # in a low picture there is no room below the units
                painter.drawText(foot, text)


def _titles(mark: NetworkDiagram, metrics: QFontMetricsF, column: float, edges: list[float], first: float) -> list[str]:
    """What each layer is, in as much room as its neighbours and the edges of the view leave."""
    whole = [f"{title} (+{omitted})" if omitted else title for title, omitted in zip(mark.titles, mark.omitted)]
    widths = [min(metrics.horizontalAdvance(text) + metrics.averageCharWidth(), column) for text in whole]
    found = []
    for layer, text in enumerate(whole):
        beside = max(widths[max(layer - 1, 0) : layer] + widths[layer + 1 : layer + 2], default=0.0)
        middle = first + layer * column
        room = min(max(column, 2 * column - beside), 2 * (middle - edges[0]), 2 * (edges[1] - middle))
        found.append(metrics.elidedText(text, Qt.TextElideMode.ElideRight, room))
    return found


def _font(theme: Theme) -> QFont:
    """The letters of all names."""
    font = QFont()
    font.setPointSizeF(theme.letters(0.9))
    return font


def _beside(painter: QPainter, metrics: QFontMetricsF, name: str, box: QRectF, edge: float, left: bool) -> None:
    """The name of a unit of the first or the last layer, cut to the room there is up to the edge of the view."""
    gap = metrics.averageCharWidth()
    room = (box.left() - edge if left else edge - box.right()) - 2 * gap
    text = metrics.elidedText(name, Qt.TextElideMode.ElideRight, max(room, 0.0))
    start = box.left() - gap - metrics.horizontalAdvance(text) if left else box.right() + gap
    painter.drawText(QPointF(start, box.center().y() + (metrics.ascent() - metrics.descent()) / 2), text)


@renders(NetworkDiagram)
class NetworkRenderer(Renderer):
    """The diagram; a neuron is linked with the points it fires for, and a point is marked in every neuron."""

    depth = 20.0

    def __init__(self, canvas: Any, ordinal: int) -> None:
        super().__init__(canvas, ordinal)
        self._item: NetworkItem = self.add(NetworkItem())
        self._item.when_moved = canvas.legend.place
        canvas.legend.avoid = self._taken
        canvas.legend.crowding, canvas.legend.reach = CROWDING, 0.0

    def show(self, mark: NetworkDiagram) -> None:
        self._item.set(mark, self.theme)
        self._item.setVisible(True)

    def legend(self, mark: NetworkDiagram) -> tuple[Row, ...]:
        stroke = self.theme.stroke
        return (
            Row(f"positive {mark.edges_name}", line=self.theme.colour(1), width=stroke * 1.5),
            Row(f"negative {mark.edges_name}", line=self.theme.colour(0), width=stroke * 1.5),
        )

    def _taken(self) -> Array:
        """Where neurons and titles are, in pixels of the view, so that the legend keeps off them."""
        left, right, bottom, top = self.canvas.view_rect()
        size = self.canvas.box.boundingRect()
        scale = np.array([size.width() / (right - left), size.height() / (bottom - top)])
        middle = (self._item.places[:, :2] - (left, top)) * scale
        half = self._item.sides(QTransform.fromScale(*scale))[:, None] / 2
        spots = [middle + half * corner for corner in ((0, 0), (-1, -1), (1, -1), (-1, 1), (1, 1), (0, 1), (0, -1))]
        feet = (np.column_stack([np.arange(self._item.layers), np.zeros(self._item.layers)]) - (left, top)) * scale
        spots += self._words(middle, half[:, 0], feet)
        return np.concatenate(spots)

    def _words(self, middle: Array, half: Array, feet: Array) -> list[Array]:
        """Where titles and the names of the first and the last layer are; a word is worth as much as all units."""
        mark = self._item.mark
        if mark is None:
            return []
        font = QFont()
        font.setPointSizeF(self.theme.letters(0.9))
        metrics = QFontMetricsF(font)
        gap, high, many = metrics.averageCharWidth(), metrics.ascent(), max(len(middle), 9)
        words = []
        for title, (x, y) in zip(mark.titles, feet):
            long = metrics.horizontalAdvance(title)
            words.append((x - long / 2, long, y - metrics.descent()))
        for name, (x, y), side in zip(mark.names[0], middle, half):
            long = metrics.horizontalAdvance(name)
            words.append((x - side - gap - long, long, y + high / 2))
        for name, (x, y), side in zip(mark.names[-1][::-1], middle[::-1], half[::-1]):
            words.append((x + side + gap, metrics.horizontalAdvance(name), y + high / 2))
        along = np.linspace(0.0, 1.0, many)
        return [
            np.column_stack([start + along * long, np.full(many, foot - up * high)])
            for start, long, foot in words
            for up in (0.1, 0.8)
        ]

    def light_points(self, points: Array) -> None:
        if self._item.mark is not None:
            self._item.dots = self._shares(points[points < self.scene.data.n][:MOST_DOTS])
            self._item.update()

    def points_at(self, place: QPointF) -> Array:
        """The points at which the unit under the mouse says at least half of what it can."""
        mark = self._item.mark
        unit = self._unit_at(place)
        if mark is None or unit is None:
            return NO_POINTS
        rows, columns = mark.maps.shape[1:]
        fractions = np.clip(self._shares(np.arange(self.scene.data.n)), 0.0, 1.0 - 1e-9)
        said = mark.maps[unit][(fractions[:, 1] * rows).astype(int), (fractions[:, 0] * columns).astype(int)]
        return np.flatnonzero(said >= FIRES)

    def _unit_at(self, place: QPointF) -> int | None:
        if self._item.mark is None or not self._item.isVisible():
            return None
        width, height = self.canvas.box.viewPixelSize()
        sides = self._item.sides(QTransform.fromScale(1 / width, 1 / height))
        away = np.abs(self._item.places[:, :2] - (place.x(), place.y())) / (width, height)
        inside = np.flatnonzero((away <= sides[:, None] / 2).all(axis=1))
        return int(inside[0]) if len(inside) else None

    def _shares(self, points: Array) -> Array:
        """Where data points lie in the little fields, from 0 to 1 in both directions."""
        assert self._item.mark is not None
        left, right, bottom, top = self._item.mark.extent
        X = self.scene.points.query()[points]
        y = (X[:, 1] - bottom) / (top - bottom) if X.shape[1] > 1 else np.full(len(X), 0.5)
        return np.column_stack([(X[:, 0] - left) / (right - left), y])


def _pictures(mark: NetworkDiagram, theme: Theme, sizes: Array) -> list[QImage]:
    """The little fields: below 0 towards the first class colour, above towards the second, or the class's own.

    Between the cells their values are interpolated here, for all neurons of a size at once: a painter that stretches
    each picture by itself hands every one of them to threads of Qt, and waits for them.
    """
    tables = {group: _table(theme, group) for group in np.unique(mark.groups).tolist()}
    images: list[QImage] = [QImage()] * len(sizes)
    for size in np.unique(sizes).tolist():
        alike = np.flatnonzero(sizes == size)
        down, across = (_between(size, count) for count in mark.maps.shape[1:])
        values = down[::-1] @ mark.maps[alike].astype(np.float32) @ across.T
        for number, field in zip(alike.tolist(), np.rint(values + 127.0).astype(np.uint8)):
            colours = tables[int(mark.groups[number])].take(field)
            images[number] = QImage(colours.data, size, size, 4 * size, QImage.Format.Format_RGB32).copy()
    return images


@functools.lru_cache(maxsize=16)
def _between(size: int, cells: int) -> Array:
    """What each of ``size`` pixels has of each cell, (size, cells): linear between the middles of the cells."""
    at = np.clip((np.arange(size) + 0.5) * (cells / size) - 0.5, 0.0, cells - 1.0)
    return np.maximum(1.0 - np.abs(at[:, None] - np.arange(cells)), 0.0).astype(np.float32)


def _table(theme: Theme, group: int) -> Array:
    """The colour of each value from -127 to 127, as 0xffRRGGBB."""
    ground = np.array(channels(theme.plot), dtype=float)
    below = np.array(channels(theme.colour(0)), dtype=float)
    above = np.array(channels(theme.colour(1 if group < 0 else group)), dtype=float)
    fraction = np.linspace(-1.0, 1.0, 255)[:, None]
    mixed = ground + np.maximum(fraction, 0.0) * (above - ground) + np.maximum(-fraction, 0.0) * (below - ground)
    return (0xFF000000 | numbers(np.rint(mixed))).astype(np.uint32)


def _edges(mark: NetworkDiagram, theme: Theme) -> list[tuple[QPen, Array, Array]]:
    """The edges in few looks, weak ones first: a pen, the units they come from and those they go to."""
    starts, ends, weights = [], [], []
    first = 0
    for table in mark.weights:
        before, count = table.shape
        starts.append(np.repeat(first + np.arange(before), count))
        ends.append(np.tile(first + before + np.arange(count), before))
        weights.append(table.ravel())
        first += before
    start, end, weight = np.concatenate(starts), np.concatenate(ends), np.concatenate(weights)
    if mark.dropped is not None:
        on = ~(mark.dropped[start] | mark.dropped[end])
        start, end, weight = start[on], end[on], weight[on]
    strength = np.tanh(np.abs(weight) / TYPICAL)
    level = np.rint(strength * (LEVELS - 1)).astype(int)
    looks = []
    for step in range(LEVELS):
        fraction = step / (LEVELS - 1)
        for positive in (False, True):
            chosen = (level == step) & ((weight > 0.0) == positive)
            if chosen.any():
                colour = theme.faint(theme.colour(int(positive)), 0.15 + 0.75 * fraction)
                pen = make_pen(colour, theme.stroke * (0.25 + 1.75 * fraction))
                looks.append((pen, start[chosen], end[chosen]))
    return looks
