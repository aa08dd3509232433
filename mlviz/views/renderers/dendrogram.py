"""The dendrogram: every cluster is a line that grows upwards until it meets another one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QPen

from algorithms.data import Array
from algorithms.marks import Dendrogram
from mlviz.views.lines import StraightLine
from mlviz.views.pens import make_pen, set_pen
from mlviz.views.renderers.base import NO_POINTS, Renderer, renders
from mlviz.views.sprites import EMPTY, Sprite, SpriteLayer

HOVER = 10.0
"""How near, in pixels, the mouse must be to a branch to mean it."""
HEADROOM = 1.1
"""The picture reaches this much above the highest merge, so that a cut into one cluster has its place."""
FOOTROOM = 0.04
"""And this much below the leaves, so that a dot on a leaf is whole."""
NAME_WIDTH = 2.6
"""Room for the number of a leaf, in font sizes."""


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """Where the branches of a tree are: found once and used by all frames of a run.

    A node has a stem at ``x`` from ``bottom`` up to ``top`` (where its parent is), and a merge has a bar from
    ``left`` to ``right`` over its two children. The leaves below a node stand at the places ``first`` to ``last``.
    """

    x: Array  # (2m + 1,)
    bottom: Array  # (2m + 1,)
    top: Array  # (2m + 1,)
    first: Array  # (2m + 1,) int
    last: Array  # (2m + 1,) int
    parent: Array  # (2m + 1,) int, the merge that ends the stem; the last one for the root
    left: Array  # (m,)
    right: Array  # (m,)
    place_of: Array  # (n,) where the leaf of each data point stands

    @classmethod
    def of(cls, mark: Dendrogram) -> Shape:
        """The shape of the whole tree."""
        leaves = len(mark.order)
        place = np.empty(leaves, dtype=np.intp)
        place[mark.order] = np.arange(leaves)
        x, first, last = place.astype(float).tolist(), place.tolist(), place.tolist()
        for a, b in mark.children.tolist():
            x.append((x[a] + x[b]) / 2)
            first.append(min(first[a], first[b]))
            last.append(max(last[a], last[b]))
        at = np.array(x)
        bottom = np.concatenate([np.zeros(leaves), mark.heights])
        parent = np.full(len(at), leaves - 2)
        parent[mark.children] = np.arange(leaves - 1)[:, None]
        top = mark.heights[parent] if leaves > 1 else bottom
        left, right = np.sort(at[mark.children], axis=1).T
        return cls(at, bottom, top, np.array(first), np.array(last), parent, left, right, place[mark.leaf_of])

    @property
    def extent(self) -> QRectF:
        """The room that the whole tree needs."""
        high = float(self.bottom[-1])
        high = high if high > 0.0 else 1.0
        leaves = (len(self.x) + 1) / 2
        return QRectF(-0.02 * leaves - 0.5, -FOOTROOM * high, 1.04 * leaves, (HEADROOM + FOOTROOM) * high)

    def lines(self, nodes: Array, level: float) -> QPainterPath:
        """The stems of these nodes as far as ``level``, and the bars of those that are merges."""
        leaves = (len(self.x) + 1) // 2
        merges = nodes[nodes >= leaves] - leaves
        stem_x, bar_y = self.x[nodes], self.bottom[merges + leaves]
        x = np.concatenate([np.repeat(stem_x, 2), np.stack([self.left[merges], self.right[merges]], axis=1).ravel()])
        stems = np.stack([self.bottom[nodes], np.clip(self.top[nodes], self.bottom[nodes], level)], axis=1)
        y = np.concatenate([stems.ravel(), np.repeat(bar_y, 2)])
        return pg.functions.arrayToQPath(x, y, connect="pairs", finiteCheck=False)

    def node_at(self, place: QPointF, pixel: tuple[float, float], grown: int, level: float) -> int:
        """The one of the first ``grown`` nodes whose stem or bar is nearest and within reach, or -1."""
        leaves, (across, up) = (len(self.x) + 1) // 2, pixel
        merges = slice(0, grown - leaves)
        stem = np.hypot(
            (self.x[:grown] - place.x()) / across,
            _outside(place.y(), self.bottom[:grown], np.minimum(self.top[:grown], level)) / up,
        )
        bar = np.hypot(
            _outside(place.x(), self.left[merges], self.right[merges]) / across,
            (self.bottom[leaves:grown] - place.y()) / up,
        )
        gaps = np.concatenate([stem, bar])
        nearest = int(gaps.argmin())
        if gaps[nearest] > HOVER:
            return -1
        return nearest if nearest < grown else nearest - grown + leaves


def _outside(value: float, low: Array, high: Array) -> Array:
    """How far a value is outside each range; 0 inside."""
    gap: Array = np.maximum(np.maximum(low - value, value - high), 0.0)
    return gap


class TreeItem(pg.GraphicsObject):
    """Lines in a few pens; the extent is that of the whole tree, so that the picture holds still while it grows."""

    def __init__(self) -> None:
        super().__init__()
        self._strokes: tuple[tuple[QPen, QPainterPath], ...] = ()
        self._extent = QRectF(0, 0, 1, 1)

    def set(self, strokes: tuple[tuple[QPen, QPainterPath], ...], extent: QRectF) -> bool:
        """Show these lines; True when they need another extent than those before."""
        self._strokes = strokes
        moved = extent != self._extent
        if moved:
            self.prepareGeometryChange()
            self._extent = extent
        self.update()
        return moved

    def boundingRect(self) -> QRectF:
        """The extent in plot coordinates."""
        return self._extent

    def paint(self, painter: QPainter, *_: object) -> None:
        """Draw the lines; all are upright or level, so they are sharpest without smoothing."""
        for pen, path in self._strokes:
            set_pen(painter, pen)
            painter.drawPath(path)


@renders(Dendrogram)
class DendrogramRenderer(Renderer):
    """Branches in the colours of the clusters at the cut, the cut itself, and what the mouse means."""

    depth = 30.0
    stacked = True

    def __init__(self, canvas: Any, ordinal: int) -> None:
        super().__init__(canvas, ordinal)
        self._tree: TreeItem = self.add(TreeItem())
        self._lit: TreeItem = self.add(TreeItem())
        self._dots: SpriteLayer = self.add(SpriteLayer())
        self._cut_name: pg.TextItem = self.add(pg.TextItem())
        self._cut: StraightLine = self.add(StraightLine(angle=0, movable=False))
        self._mark: Dendrogram | None = None
        self._shape: Shape | None = None
        self._lit_points: Array = NO_POINTS
        self._held_at: float | None = None
        self._sent = 0
        self._named: tuple[int, int] = (-1, -1)

    def show(self, mark: Dendrogram) -> None:
        if self._mark is None or self._shape is None or mark.children is not self._mark.children:
            self._shape = Shape.of(mark)
        self._mark = mark
        if self._tree.set(self._strokes(mark, self._shape), self._shape.extent):
            self.canvas.box.setRange(self._shape.extent, padding=0.0)
        for item in self.items:
            item.setVisible(True)
        self._show_lit()
        self._show_cut(mark, mark.k)
        self._name_leaves(mark)

    def hide(self) -> None:
        super().hide()
        self.restyle()

    def restyle(self) -> None:
        self._named = (-1, -1)  # the canvas has set up its axes anew

    # -- the mouse -----------------------------------------------------------------------------------------------

    def points_at(self, place: QPointF) -> Array:
        """All points below the branch."""
        mark, shape = self._mark, self._shape
        if mark is None or shape is None or not self._tree.isVisible():
            return NO_POINTS
        grown = len(mark.order) + mark.count
        node = shape.node_at(place, self.canvas.box.viewPixelSize(), grown, self._level(mark))
        if node < 0:
            return NO_POINTS
        return np.flatnonzero((shape.first[node] <= shape.place_of) & (shape.place_of <= shape.last[node]))

    def light_points(self, points: Array) -> None:
        self._lit_points = points
        if self._mark is not None and self._tree.isVisible():
            self._show_lit()

    def grab(self, place: QPointF, reach: tuple[float, float]) -> bool:
        mark = self._mark
        if mark is None or not mark.handle or not self._tree.isVisible():
            return False
        self._sent = mark.k
        return abs(place.y() - mark.cut) <= reach[1]

    def drag(self, place: QPointF, finished: bool) -> None:
        """The line follows the mouse, the parameter the number of clusters at its height."""
        mark = self._mark
        assert mark is not None
        k = clusters_at(mark, place.y())
        self._held_at = None if finished else place.y()
        self._show_cut(mark, k)
        if k != self._sent or finished:
            self._sent = k
            self.canvas.param_dragged.emit((mark.handle, k, finished))

    # -- drawing -------------------------------------------------------------------------------------------------

    def _strokes(self, mark: Dendrogram, shape: Shape) -> tuple[tuple[QPen, QPainterPath], ...]:
        """One path for each colour: those of the clusters below the cut, a quiet one above, a strong one for now."""
        theme, leaves, level = self.theme, len(mark.order), self._level(mark)
        nodes = np.arange(leaves + mark.count)
        colours = mark.groups[mark.order[shape.first[nodes]]] % len(theme.classes)
        alone = (nodes < leaves) & (shape.parent[nodes] >= mark.count) & (mark.count < leaves - mark.k)
        colours = np.where(alone | (nodes >= 2 * leaves - mark.k), -1, colours)  # grey as the points in the plane are
        width = float(np.clip(0.4 * self._spacing(mark), 1.0, theme.stroke))  # neighbours must not run together
        strokes = [
            (make_pen(theme.colour(int(colour)), width), shape.lines(nodes[colours == colour], level))
            for colour in np.unique(colours)
        ]
        if mark.merging and mark.count:
            strokes.append((make_pen(theme.line, 1.5 * theme.stroke), self._newest(mark, shape)))
        return tuple(strokes)

    @staticmethod
    def _newest(mark: Dendrogram, shape: Shape) -> QPainterPath:
        """The bar of the last merge and the stems of the two clusters that met."""
        merge = mark.count - 1
        a, b = mark.children[merge]
        height = mark.heights[merge]
        path = QPainterPath(QPointF(shape.x[a], shape.bottom[a]))
        path.lineTo(QPointF(shape.x[a], height))
        path.lineTo(QPointF(shape.x[b], height))
        path.lineTo(QPointF(shape.x[b], shape.bottom[b]))
        return path

    def _spacing(self, mark: Dendrogram) -> float:
        """How far apart the leaves are, in pixels."""
        return float(self.canvas.width() / len(mark.order))

    @staticmethod
    def _level(mark: Dendrogram) -> float:
        """How high the lines have grown."""
        return float(mark.heights[mark.count - 1]) if mark.count else 0.0

    def _show_lit(self) -> None:
        """Strong lines for every branch that holds only lit points, and a dot at each of their leaves."""
        mark, shape, theme = self._mark, self._shape, self.theme
        assert mark is not None
        assert shape is not None
        points = self._lit_points[self._lit_points < len(shape.place_of)]
        lit = np.zeros(len(mark.order) + 1, dtype=np.intp)
        lit[shape.place_of[points] + 1] = 1
        places = np.flatnonzero(lit) - 1
        before = np.cumsum(lit)
        grown = np.arange(len(mark.order) + mark.count)
        whole = before[shape.last[grown] + 1] - before[shape.first[grown]] == shape.last[grown] - shape.first[grown] + 1
        path = shape.lines(grown[whole], self._level(mark)) if len(places) else QPainterPath()
        width = float(np.clip(0.8 * self._spacing(mark), 2.0, 1.5 * theme.stroke))
        self._lit.set(((make_pen(theme.line, width), path),), shape.extent)
        at = np.column_stack([places, np.zeros(len(places))]) if len(places) else EMPTY
        size = theme.point if len(places) == 1 else float(np.clip(self._spacing(mark), 3.0, theme.point))
        look = Sprite("o", size, theme.line, theme.plot, min(theme.stroke, size / 4) / 2)
        self._dots.set(at, (look,), np.zeros(len(places), dtype=np.intp))

    def _show_cut(self, mark: Dendrogram, k: int) -> None:
        """The line where it is held, or where the tree is cut, with the number of clusters beside it."""
        theme, height = self.theme, mark.cut if self._held_at is None else self._held_at
        self._cut.setPen(make_pen(theme.danger, theme.stroke, dashed=True))
        self._cut.setValue(height)
        font, back = QFont(), QColor(theme.plot)
        font.setPointSizeF(theme.font)
        back.setAlphaF(0.5)
        name = self._cut_name
        name.setFont(font)
        name.setText(f"k = {k} ↕" if mark.handle else f"k = {k}", color=theme.danger)
        name.fill = pg.mkBrush(back)
        (left, _), (bottom, top) = self.canvas.box.viewRange()
        name.setAnchor((0.0, 1.0 if height < bottom + 0.6 * (top - bottom) else 0.0))  # where there is more room
        name.setPos(left, height)

    def _name_leaves(self, mark: Dendrogram) -> None:
        """The number of every leaf, when there is room for all of them."""
        leaves = len(mark.order)
        room = int(self.canvas.width() / (NAME_WIDTH * self.theme.font))
        key = (id(mark.order), room)
        if key == self._named:
            return
        self._named = key
        ticks = [(place, str(leaf + 1)) for place, leaf in enumerate(mark.order.tolist())] if leaves <= room else []
        axis = self.canvas.getAxis("bottom")
        axis.setTicks([ticks])
        font = QFont()
        font.setPointSizeF(self.theme.letters(0.9))
        axis.setHeight(QFontMetricsF(font).height() + 10 if ticks else 8)  # a low picture needs every pixel


def clusters_at(mark: Dendrogram, height: float) -> int:
    """How many clusters a cut at this height leaves."""
    below = int(np.searchsorted(mark.heights, height, side="right"))
    return min(max(len(mark.order) - below, 1), mark.most)
