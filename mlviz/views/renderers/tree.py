"""Trees: the diagram of their nodes, and their leaves as rectangles in the plane. Each lights the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter

from algorithms.data import Array
from algorithms.marks import Rectangles, TreeDiagram
from mlviz.views.pens import make_pen, set_pen
from mlviz.views.renderers._cells import AskewCut, askew_cut, cell, half_planes, paint_cells
from mlviz.views.renderers.base import NO_POINTS, Renderer, renders
from mlviz.views.renderers.fields import STRENGTH
from mlviz.views.scale import value_colours
from mlviz.views.theme import LIGHT, Theme

_CENTRED = int(Qt.AlignmentFlag.AlignCenter)
PAD = 5.0
"""Pixels between a text and the edge of its box."""


# --- rectangles -----------------------------------------------------------------------------------------------------


class RectangleItem(pg.GraphicsObject):
    """Boxes of the plane, cut off at what can be seen, painted in one pass."""

    def __init__(self) -> None:
        super().__init__()
        self.theme: Theme = LIGHT
        self.boxes = np.empty((0, 4))  # left, right, bottom, top
        self.cells: list[tuple[Array, Array]] | None = None
        """Instead of the boxes: half-planes whose intersections are shown, where the plane lies askew in space."""
        self.fills: list[QColor] = []
        self.active: list[int] = []
        self.lit: list[int] = []
        self.cut: QLineF | None = None
        self.askew: AskewCut | None = None
        self.cut_made = False

    def boundingRect(self) -> QRectF:
        """All that can be seen: boxes may be endless."""
        return self.viewRect() or QRectF()

    def viewTransformChanged(self) -> None:
        """What can be seen has changed."""
        super().viewTransformChanged()  # it keeps what can be seen until it is told
        self.prepareGeometryChange()

    def dataBounds(self, ax: int, frac: float = 1.0, orthoRange: object = None) -> None:
        """Boxes never decide what is seen."""

    def paint(self, painter: QPainter, *_: object) -> None:
        """Fills, borders, then the boxes that matter now and the cut."""
        view = self.viewRect()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        wide = QRectF(view).adjusted(-view.width(), -view.height(), view.width(), view.height())
        if self.cells is not None:
            rings = ((self.active, self.theme.accent), (self.lit, self.theme.line))
            paint_cells(painter, [cell(*sides, wide) for sides in self.cells], self.fills, rings, self.theme)
            if self.askew is not None:
                set_pen(painter, make_pen(self.theme.accent, self.theme.stroke * 1.5, dashed=not self.cut_made))
                painter.drawLines(self.askew.lines(wide))
            return
        rects = [_clipped(box, wide) for box in self.boxes.tolist()]
        for rect, fill in zip(rects, self.fills):
            painter.fillRect(rect, fill)
        theme = self.theme
        set_pen(painter, make_pen(theme.muted, theme.stroke * 0.5))
        painter.drawRects(rects)
        dx, dy = (abs(step) * (theme.stroke / 2 + 1) for step in self._pixel())
        inner = view.adjusted(dx, dy, -dx, -dy)
        for numbers, colour in ((self.active, theme.accent), (self.lit, theme.line)):
            set_pen(painter, make_pen(colour, theme.stroke))
            painter.drawRects([_clipped(self.boxes[number].tolist(), inner) for number in numbers])
        if self.cut is not None:
            set_pen(painter, make_pen(theme.accent, theme.stroke * 1.5, dashed=not self.cut_made))
            painter.drawLine(_clipped_line(self.cut, wide))

    def _pixel(self) -> tuple[float, float]:
        box = self.getViewBox()
        width, height = box.viewPixelSize()
        return float(width), float(height)


def _clipped(box: list[float], view: QRectF) -> QRectF:
    left, right, bottom, top = box
    left, right = (min(max(x, view.left()), view.right()) for x in (left, right))
    bottom, top = (min(max(y, view.top()), view.bottom()) for y in (bottom, top))
    return QRectF(left, bottom, right - left, top - bottom)


def _clipped_line(line: QLineF, view: QRectF) -> QLineF:
    ends = (_clipped([p.x(), p.x(), p.y(), p.y()], view) for p in (line.p1(), line.p2()))
    start, end = (QPointF(rect.x(), rect.y()) for rect in ends)
    return QLineF(start, end)


@renders(Rectangles)
class RectanglesRenderer(Renderer):
    """Boxes filled with the colour of their group, stronger the surer they are."""

    depth = -50.0

    def __init__(self, canvas: Any, ordinal: int) -> None:
        super().__init__(canvas, ordinal)
        self._item: RectangleItem = self.add(RectangleItem())
        self._mark: Rectangles | None = None
        self._lit: Array = NO_POINTS

    def show(self, mark: Rectangles) -> None:
        self._mark = mark
        item, theme = self._item, self.theme
        item.theme = theme
        plane = self.scene.projection.plane
        seen = np.arange(len(mark.low)) if plane is not None else np.flatnonzero(self._on_the_slice(mark))
        self._number = {int(box): place for place, box in enumerate(seen)}
        item.cells = None if plane is None else [half_planes(*box, plane) for box in zip(mark.low, mark.high)]
        item.boxes = np.column_stack([self._sides(mark, seen, 0), self._sides(mark, seen, 1)])
        item.fills = [self._fill(mark, int(box)) for box in seen]
        item.active = [self._number[box] for box in mark.active if box in self._number]
        item.cut, item.cut_made = self._cut(mark), len(mark.active) > 1
        item.askew = None if plane is None else askew_cut(mark, plane)
        item.setVisible(True)
        item.update()
        self.light_points(self._lit)

    def hide(self) -> None:
        super().hide()
        self._mark = None

    def light_points(self, points: Array) -> None:
        self._lit = points
        mark = self._mark
        if mark is None:
            return
        owners = NO_POINTS if mark.owner is None else np.unique(mark.owner[points[points < len(mark.owner)]])
        self._item.lit = [self._number[int(box)] for box in owners if int(box) in self._number]
        self._item.update()

    def points_at(self, place: QPointF) -> Array:
        mark = self._mark
        if mark is None or mark.owner is None:
            return NO_POINTS
        at = self.scene.projection.lift(np.array([place.x(), place.y()]))
        inside = np.flatnonzero(((mark.low <= at) & (at < mark.high)).all(axis=1))
        return np.flatnonzero(mark.owner == inside[0]) if len(inside) else NO_POINTS

    def _on_the_slice(self, mark: Rectangles) -> Array:
        """Which boxes the plane passes through: those that hold the means of the features it does not show."""
        projection = self.scene.projection
        hidden = [j for j in range(projection.d) if j not in projection.axes]
        at = np.array(projection.means)[hidden]
        return np.asarray(((mark.low[:, hidden] <= at) & (at < mark.high[:, hidden])).all(axis=1))

    def _sides(self, mark: Rectangles, boxes: Array, axis: int) -> Array:
        """The bounds (m, 2) along one axis of the screen; over a single feature the boxes are strips."""
        projection = self.scene.projection
        if projection.d == 1 and axis == 1:
            return np.tile([-np.inf, np.inf], (len(boxes), 1))
        feature = projection.axes[axis]
        return np.column_stack([mark.low[boxes, feature], mark.high[boxes, feature]])

    def _fill(self, mark: Rectangles, box: int) -> QColor:
        if mark.groups is None:
            return QColor(0, 0, 0, 0)
        shade = QColor(self.theme.colour(int(mark.groups[box])))
        sure = 1.0 if mark.strengths is None else float(mark.strengths[box])
        shade.setAlphaF(STRENGTH * max(2.0 * sure - 1.0, 0.2))
        return shade

    def _cut(self, mark: Rectangles) -> QLineF | None:
        projection = self.scene.projection
        boxes = [box for box in mark.active or range(len(mark.low)) if box in self._number]
        if mark.cut is None or not boxes or mark.cut[0] not in projection.axes[: projection.d]:
            return None
        at, upright = mark.cut[1], mark.cut[0] == projection.axes[0]
        sides = self._sides(mark, np.array(boxes), 1 if upright else 0)
        low, high = float(sides[:, 0].min()), float(sides[:, 1].max())
        return QLineF(at, low, at, high) if upright else QLineF(low, at, high, at)


# --- diagram --------------------------------------------------------------------------------------------------------


def places(parent: Array) -> Array:
    """Where the nodes stand (m, 2): leaves side by side, a parent above the middle of its children, -depth high."""
    children: list[list[int]] = [[] for _ in parent]
    for node, above in enumerate(parent.tolist()):
        if above >= 0:
            children[above].append(node)
    at = np.zeros((len(parent), 2))
    leaves = 0
    stack = [(0, False)]
    while stack:
        node, done = stack.pop()
        if not children[node]:
            at[node, 0], leaves = leaves, leaves + 1
        elif done:
            at[node, 0] = (at[children[node][0], 0] + at[children[node][-1], 0]) / 2
        else:
            for child in children[node]:
                at[child, 1] = at[node, 1] - 1
            stack.append((node, True))
            stack.extend((child, False) for child in reversed(children[node]))
    return at


class TreeItem(pg.GraphicsObject):
    """The nodes as boxes whose size is in pixels; texts where there is room for them, more of them when zoomed in."""

    def __init__(self) -> None:
        super().__init__()
        self.theme: Theme = LIGHT
        self.mark: TreeDiagram | None = None
        self.at = np.zeros((1, 2))
        self.room = np.ones(1)  # (m,) free width around a node, in leaves
        self.widths = np.zeros(1)  # (m,) of the texts, in pixels
        self.tints: Array | None = None  # (m, 3) colours of the nodes by value
        self.path: dict[int, str] = {}
        self.lit: frozenset[int] = frozenset()

    def set(self, mark: TreeDiagram, theme: Theme) -> None:
        """Show this tree."""
        if self.mark is None or mark.parent is not self.mark.parent:
            self.prepareGeometryChange()
            self.at = places(mark.parent)
            self.room = _room(self.at)
            self.informViewBoundsChanged()
        self.mark, self.theme = mark, theme
        metrics = QFontMetricsF(self.font())
        self.widths = np.array([metrics.horizontalAdvance(text) for text in mark.texts]) + 2 * PAD
        self.update()

    def font(self) -> QFont:
        """The font of the nodes."""
        font = QFont()
        font.setPointSizeF(self.theme.letters(0.9))
        return font

    def boundingRect(self) -> QRectF:
        """The nodes with a margin; boxes have a size in pixels, so everything in view may be painted."""
        (left, low), (right, high) = self.at.min(axis=0), self.at.max(axis=0)
        own = QRectF(left - 1, low - 1, right - left + 2, high - low + 2)
        view = self.viewRect()
        return own if view is None else own.united(view)

    def viewTransformChanged(self) -> None:
        """Boxes keep their size on the screen."""
        super().viewTransformChanged()
        self.prepareGeometryChange()

    def dataBounds(self, ax: int, frac: float = 1.0, orthoRange: object = None) -> tuple[float, float]:
        """The range along one axis, for fitting the view."""
        low, high = float(self.at[:, ax].min()), float(self.at[:, ax].max())
        margin = 0.5 if ax == 0 else 0.42
        return low - margin, high + margin

    def boxes(self, pixel: tuple[float, float]) -> tuple[Array, Array]:
        """Width and height (m, 2) of the boxes in pixels, and whether a text fits (m,), for this size of a pixel."""
        line = QFontMetricsF(self.font()).height()
        room = self.room / max(pixel[0], 1e-12) - 4.0
        pitch = 1.0 / max(pixel[1], 1e-12)
        tall = line + 2 + self._bar()
        fits = (self.widths <= room) & (tall <= 0.94 * pitch)
        small = float(np.clip(0.5 * pitch, 3.0, tall))
        width = np.where(fits, self.widths, np.clip(room, 3.0, 1.5 * line))
        return np.column_stack([width, np.where(fits, tall, small)]), fits

    def paint(self, painter: QPainter, *_: object) -> None:
        """Edges first, then the boxes, then the lit path over everything."""
        if self.mark is None:
            return
        transform = painter.transform()
        at = [transform.map(QPointF(x, y)) for x, y in self.at.tolist()]
        pixel = (1.0 / max(abs(transform.m11()), 1e-12), 1.0 / max(abs(transform.m22()), 1e-12))
        sizes, fits = self.boxes(pixel)
        painter.save()
        painter.resetTransform()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self.font())
        self._paint_edges(painter, at)
        for node in range(len(at)):
            if node not in self.path:
                box = _box(at[node], *sizes[node].tolist())
                self._paint_node(painter, node, box, self.mark.texts[node] if fits[node] else "")
        view = transform.mapRect(self.viewRect())
        metrics = QFontMetricsF(self.font())
        tall = metrics.height() + 2 + self._bar()
        tall = min(tall, max(1.0 / pixel[1], metrics.height()))  # on a low canvas the boxes of a path just touch
        for node, text in self.path.items():
            box = _box(at[node], metrics.horizontalAdvance(text) + 2 * PAD, tall)
            self._paint_node(painter, node, _kept_inside(box, view), text)
        painter.restore()

    def _paint_edges(self, painter: QPainter, at: list[QPointF]) -> None:
        assert self.mark is not None
        plain: list[QLineF] = []
        strong: list[QLineF] = []
        for node, above in enumerate(self.mark.parent.tolist()):
            if above >= 0:
                (strong if node in self.path else plain).append(QLineF(at[above], at[node]))
        set_pen(painter, make_pen(self.theme.muted, self.theme.stroke * 0.5))
        painter.drawLines(plain)
        set_pen(painter, make_pen(self.theme.accent, self.theme.stroke * 1.5))
        painter.drawLines(strong)

    def _paint_node(self, painter: QPainter, node: int, rect: QRectF, text: str) -> None:
        assert self.mark is not None
        theme, mark = self.theme, self.mark
        leaf = mark.features is None or mark.features[node] < 0
        colour, weight = theme.border if not leaf else theme.muted, 0.5
        if node in self.path or node in mark.active:
            colour, weight = theme.accent, 1.0
        if node in self.lit:
            colour, weight = theme.line, 1.0
        set_pen(painter, make_pen(colour, theme.stroke * weight))
        painter.setBrush(QColor(theme.surface))
        painter.drawRoundedRect(rect, 3, 3)
        if leaf or mark.values is not None:
            painter.setBrush(self._shade(node, bool(text)))
            painter.drawRoundedRect(rect, 3, 3)
        if text:
            bar = self._paint_mix(painter, node, rect, min(self._bar(), rect.height() - painter.fontMetrics().height()))
            painter.setPen(QColor(theme.text))
            painter.drawText(rect.adjusted(0, 0, 0, -bar), _CENTRED, text)
        elif not leaf:
            self._paint_mix(painter, node, rect, rect.height() - 4)

    def _shade(self, node: int, written: bool) -> QColor:
        """The colour of a node: its group, or the one of its value; paler under a text."""
        assert self.mark is not None
        groups = self.mark.groups
        if self.tints is not None:
            shade = QColor(*self.tints[node].tolist())
        else:
            shade = QColor(self.theme.accent if groups is None else self.theme.colour(int(groups[node])))
        shade.setAlphaF(0.35 if written else 0.9)
        return shade

    def _paint_mix(self, painter: QPainter, node: int, rect: QRectF, height: float) -> float:
        """The mix of the classes along the lower edge; how high it is."""
        assert self.mark is not None
        if self.mark.fractions is None or height <= 0:
            return 0.0
        x, width = rect.left() + 2, rect.width() - 4
        for group, fraction in enumerate(self.mark.fractions[node].tolist()):
            piece = QRectF(x, rect.bottom() - height - 2, width * fraction, height)
            painter.fillRect(piece, QColor(self.theme.colour(group)))
            x += width * fraction
        return height

    def _bar(self) -> float:
        return 0.0 if self.mark is None or self.mark.fractions is None else max(3.0, self.theme.font * 0.35)


def _box(centre: QPointF, width: float, height: float) -> QRectF:
    return QRectF(centre.x() - width / 2, centre.y() - height / 2, width, height)


def _kept_inside(box: QRectF, view: QRectF) -> QRectF:
    """A wide box at the rim moves in."""
    right = max(view.right() - box.width() - 2, view.left() + 2)
    return QRectF(min(max(box.left(), view.left() + 2), right), box.top(), box.width(), box.height())


def _room(at: Array) -> Array:
    """The distance (m,) to the nearest neighbour on the same level; alone there, the whole width."""
    room = np.full(len(at), np.ptp(at[:, 0]) + 1.0)
    order = np.lexsort((at[:, 0], at[:, 1]))
    gap = np.diff(at[order, 0])
    near = np.diff(at[order, 1]) == 0
    for nodes in (order[:-1][near], order[1:][near]):
        room[nodes] = np.minimum(room[nodes], gap[near])
    return room


@renders(TreeDiagram)
class TreeDiagramRenderer(Renderer):
    """The diagram, linked to the points: a node means the points below it, a point its path."""

    def __init__(self, canvas: Any, ordinal: int) -> None:
        super().__init__(canvas, ordinal)
        self._item: TreeItem = self.add(TreeItem())
        self._mark: TreeDiagram | None = None
        self._lit: Array = NO_POINTS

    def show(self, mark: TreeDiagram) -> None:
        self._mark = mark
        valued = mark.values is not None and self.scene.is_valued
        self._item.tints = value_colours(self.theme, self.scene.value_fraction(mark.values)) if valued else None
        self._item.set(mark, self.theme)
        self._item.setVisible(True)
        self.light_points(self._lit)

    def hide(self) -> None:
        super().hide()
        self._mark = None

    def light_points(self, points: Array) -> None:
        self._lit = points
        mark, item = self._mark, self._item
        if mark is None or mark.owner is None:
            return
        points = points[points < len(mark.owner)]
        leaves = np.unique(mark.owner[points]).tolist()
        item.path = self._path(mark, int(points[0])) if len(points) == 1 else {}
        item.lit = frozenset(leaves)
        item.update()

    def points_at(self, place: QPointF) -> Array:
        mark, item = self._mark, self._item
        if mark is None or mark.owner is None:
            return NO_POINTS
        pixel = tuple(float(side) for side in self.canvas.box.viewPixelSize())
        sizes, _ = item.boxes((pixel[0], pixel[1]))
        gaps = np.abs(item.at - (place.x(), place.y())) / pixel
        hits = np.flatnonzero((gaps <= sizes / 2 + 2).all(axis=1))
        if not len(hits):
            return NO_POINTS
        below = np.zeros(len(mark.parent), dtype=bool)
        below[hits[gaps[hits].sum(axis=1).argmin()]] = True
        for node, above in enumerate(mark.parent.tolist()):  # a parent comes before its children
            below[node] |= above >= 0 and below[above]
        return np.flatnonzero(below[mark.owner])

    def _path(self, mark: TreeDiagram, point: int) -> dict[int, str]:
        """The nodes from the root to the leaf of a point, each with the point's own number."""
        assert mark.owner is not None
        nodes = [int(mark.owner[point])]
        while mark.parent[nodes[-1]] >= 0:
            nodes.append(int(mark.parent[nodes[-1]]))
        return {node: self._number(mark, node, point) for node in reversed(nodes)}

    def _number(self, mark: TreeDiagram, node: int, point: int) -> str:
        data = self.scene.points
        if mark.features is None or mark.features[node] < 0:
            return f"{mark.texts[node]} ({mark.counts[node]})"
        feature = int(mark.features[node])
        name, value = data.features[feature], float(data.item(point).x[feature])
        if mark.thresholds is None:
            return f"{name} = {value:.3g}"
        threshold = float(mark.thresholds[node])
        return f"{name} = {value:.3g} {'<' if value < threshold else '≥'} {threshold:.3g}"
