"""The lines of a node-link picture: straight, bent where one leads there and one back, looped; with arrow heads.

All is worked out in pixels, because arrows end at the rim of a node that keeps its size on the screen. Lines of one
style are drawn in one call.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontMetricsF,
    QPaintEngine,
    QPainter,
    QPainterPath,
    QPen,
    QPixmap,
    QTransform,
)

from algorithms.data import Array
from mlviz.views.lines import Strokes, on_device
from mlviz.views.pens import make_pen, set_pen
from mlviz.views.theme import LIGHT, Theme

BEND = 0.13
"""How far the middle of a bent edge lies aside, in its lengths."""
LOOP = 2.1
"""How far a loop reaches out, in radii of its node and six pixels more."""
WORTH_KEEPING = 400
"""Edges from which a picture of them is kept."""
DENSE = 20_000
"""Edges from which they cover each other, so that smooth borders cost a third of a second and nobody sees them."""
WIDER = 1.01
"""Width of a line without smooth borders: Qt takes three times as long for one pixel."""
EDGE_MARGIN = 60.0
"""Pixels around the nodes that loops, arrows and names may need."""


@dataclass(frozen=True, slots=True, eq=False)
class LinkStyle:
    """Some edges in one look; ``rim`` is the colour of a wider line below them."""

    edges: Array  # (k,) numbers of edges
    colour: str
    width: float
    dashed: bool = False
    rim: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Net:
    """What is drawn: where the nodes are, their radii in pixels, and the edges between them."""

    at: Array  # (n, 2)
    edges: Array  # (m, 2) int
    directed: bool
    radii: Array  # (n,)

    @property
    def bent(self) -> Array:
        """Which edges have another one that leads back, (m,) bool."""
        if not self.directed or not len(self.edges):
            return np.zeros(len(self.edges), dtype=bool)
        n = len(self.at)
        codes, back = self.edges @ (n, 1), self.edges @ (1, n)
        return np.isin(back, codes) & (self.edges[:, 0] != self.edges[:, 1])

    @property
    def loops(self) -> Array:
        """Which edges lead back to their own node, (m,) bool."""
        return np.asarray(self.edges[:, 0] == self.edges[:, 1])


NO_NET = Net(np.empty((0, 2)), np.empty((0, 2), dtype=np.int64), False, np.empty(0))


class PixelItem(pg.GraphicsObject):
    """Something drawn in pixels around places of the view; its extent depends on the zoom."""

    def __init__(self) -> None:
        super().__init__()
        self.net = NO_NET
        self.theme = LIGHT
        self._extent: QRectF | None = None

    def set_net(self, net: Net, theme: Theme) -> None:
        """Draw for these nodes from now on."""
        if net.at is not self.net.at:
            self.prepareGeometryChange()
            self._extent = None
        self.net, self.theme = net, theme
        self.update()

    def boundingRect(self) -> QRectF:
        """The nodes and what may stand around them."""
        if not len(self.net.at):
            return QRectF()
        if self._extent is None:
            low, high = self.net.at.min(axis=0), self.net.at.max(axis=0)
            dx, dy = self.pixelVectors()
            pad_x, pad_y = (EDGE_MARGIN * (abs(v.x()) + abs(v.y())) if v is not None else 0.0 for v in (dx, dy))
            bulge = BEND * float(np.ptp(self.net.at, axis=0).max(initial=0.0))
            box = QRectF(QPointF(*low.tolist()), QPointF(*high.tolist()))
            self._extent = box.adjusted(-pad_x - bulge, -pad_y - bulge, pad_x + bulge, pad_y + bulge)
        return self._extent

    def viewTransformChanged(self) -> None:
        """Pixels are as large as they are on the screen, so the extent in the view has changed."""
        self.prepareGeometryChange()
        self._extent = None

    def dataBounds(self, ax: int, frac: float = 1.0, orthoRange: object = None) -> None:
        """Nothing: the nodes say how much of the view is needed."""
        return


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """The edges of one style in pixels."""

    lines: Array  # (2k, 2) the ends of straight ones, in pairs
    curves: QPainterPath | None
    heads: QPainterPath | None


def shape_of(net: Net, device: Array, style: LinkStyle, bent: Array) -> Shape:
    """Where the edges of a style run, for nodes at these pixels (n, 2)."""
    edges = net.edges[style.edges]
    loop = edges[:, 0] == edges[:, 1]
    bent = bent[style.edges]
    one, two = device[edges[:, 0]], device[edges[:, 1]]
    span = two - one
    length = np.maximum(np.hypot(span[:, 0], span[:, 1]), 1e-9)[:, None]
    control = (one + two) / 2 + np.where(bent[:, None], BEND * span[:, ::-1] * (-1.0, 1.0), 0.0)
    if not net.directed:
        pairs = np.stack([one[~loop], two[~loop]], axis=1).reshape(-1, 2)
        return Shape(pairs, _curves(net, device, edges[loop], None, None), None)
    into = two - control
    into /= np.maximum(np.hypot(into[:, 0], into[:, 1]), 1e-9)[:, None]
    head = head_length(style.width)
    room = np.maximum(length[:, 0] - net.radii[edges].sum(axis=1), 0.0)  # between the two rims
    head_long = np.minimum(head, np.maximum(0.6 * room, 1.0))[:, None]
    tip = two - into * (net.radii[edges[:, 1]][:, None] + 0.5)
    base = tip - 0.8 * head_long * into
    straight = ~(loop | bent)
    pairs = np.stack([one[straight], base[straight]], axis=1).reshape(-1, 2)
    parts = (one[bent & ~loop], control[bent & ~loop], base[bent & ~loop])
    curves = _curves(net, device, edges[loop], parts, head)
    side = into[:, ::-1] * (-1.0, 1.0) * 0.38 * head_long
    back = tip - head_long * into
    corners = np.stack([tip, back + side, back - side], axis=1)[~loop]
    return Shape(pairs, curves, _triangles(np.concatenate([corners, _loop_heads(net, device, edges[loop], head)])))


def head_length(width: float) -> float:
    """The length of an arrow head, in pixels, on a line so wide."""
    return 5.0 + 2.4 * width


def _curves(
    net: Net, device: Array, loops: Array, parts: tuple[Array, Array, Array] | None, head: float | None
) -> QPainterPath | None:
    path = QPainterPath()
    for first, middle, last in zip(*(part.tolist() for part in parts)) if parts is not None else ():
        path.moveTo(*first)
        path.quadTo(*middle, *last)
    for start, one, two, end in _loop_points(net, device, loops).tolist():
        path.moveTo(*start)
        path.cubicTo(*one, *two, *end)
    return None if path.isEmpty() else path


def loop_boxes(net: Net, device: Array) -> Array:
    """The rooms (k, 4) that loops take: left, top, right, bottom."""
    points = _loop_points(net, device, net.edges[net.loops])
    return np.concatenate([points.min(axis=1), points.max(axis=1)], axis=1)


def _loop_points(net: Net, device: Array, loops: Array) -> Array:
    """Start, two controls and end of each loop, (k, 4, 2): it leaves a node where it has the fewest neighbours."""
    found = []
    for node in loops[:, 0].tolist():
        touching = net.edges[(net.edges == node).any(axis=1)]
        others = touching[touching != node]
        away = device[node] - device[others].mean(axis=0) if len(others) else np.array([0.0, -1.0])
        angle = np.arctan2(away[1], away[0]) if np.hypot(*away) > 1e-6 else -np.pi / 2
        radius = float(net.radii[node])
        reach = LOOP * radius + 10.0
        turns = angle + np.array([-0.45, -0.62, 0.62, 0.45])
        far = np.array([radius, radius + reach, radius + reach, radius + 0.5])
        found.append(device[node] + far[:, None] * np.column_stack([np.cos(turns), np.sin(turns)]))
    return np.array(found).reshape(-1, 4, 2)


def _loop_heads(net: Net, device: Array, loops: Array, head: float) -> Array:
    points = _loop_points(net, device, loops)
    tip, before = points[:, 3], points[:, 2]
    into = tip - before
    into /= np.maximum(np.hypot(into[:, 0], into[:, 1]), 1e-9)[:, None]
    side = into[:, ::-1] * (-1.0, 1.0) * 0.38 * head
    back = tip - head * into
    return np.stack([tip, back + side, back - side], axis=1)


def _triangles(corners: Array) -> QPainterPath | None:
    """Triangles (k, 3, 2) as one path."""
    if not len(corners):
        return None
    x, y = corners.reshape(-1, 2).T
    joined = np.tile(np.array([1, 1, 0], dtype=np.int32), len(corners))
    return pg.functions.arrayToQPath(x, y, connect=joined, finiteCheck=False)


class LinkItem(PixelItem):
    """All edges of a picture in few styles, and what is written on them.

    What lies below (``base``) seldom changes while a run goes on; of many edges a picture is kept.
    """

    def __init__(self) -> None:
        super().__init__()
        self.base: tuple[LinkStyle, ...] = ()
        self.styles: tuple[LinkStyle, ...] = ()
        self.texts: tuple[str, ...] = ()
        self._bent: Array = np.empty(0, dtype=bool)
        self._below: tuple[tuple[object, ...], QPixmap] | None = None
        self._strokes = Strokes()

    def set(
        self,
        net: Net,
        theme: Theme,
        base: tuple[LinkStyle, ...],
        styles: tuple[LinkStyle, ...],
        texts: tuple[str, ...] = (),
    ) -> None:
        """Draw these edges, bottom first; ``texts`` (m,) are written on them where there is room."""
        if net.edges is not self.net.edges or net.directed != self.net.directed:
            self._bent = net.bent
        arrows_move = net.directed and not np.array_equal(net.radii, self.net.radii)
        if base is not self.base or net.at is not self.net.at or arrows_move:
            self._below = None
        self.base, self.styles, self.texts = base, styles, texts
        self.set_net(net, theme)

    @property
    def _count(self) -> int:
        """How many edges lie below."""
        return sum(len(style.edges) for style in self.base)

    def paint(self, painter: QPainter, *_: object) -> None:
        """Draw the lines, the arrows, and the weights."""
        if not len(self.net.edges):
            return
        transform = painter.worldTransform()
        device = on_device(transform, np.ascontiguousarray(self.net.at.T))
        painter.save()
        painter.resetTransform()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        raster = painter.paintEngine().type() == QPaintEngine.Type.Raster
        if raster and self._count > WORTH_KEEPING:
            painter.drawPixmap(QPointF(0, 0), self._kept(painter, device, transform))
        else:
            self._draw_styles(painter, device, self.base)
        self._draw_styles(painter, device, self.styles)
        if self.texts:
            self._write(painter, device)
        painter.restore()

    def _kept(self, painter: QPainter, device: Array, transform: QTransform) -> QPixmap:
        """A picture of what lies below, made anew when the view has moved."""
        page, ratio = painter.device(), painter.device().devicePixelRatioF()
        key = (*(getattr(transform, name)() for name in ("m11", "m22", "dx", "dy")), page.width(), page.height(), ratio)
        if self._below is None or self._below[0] != key:
            picture = QPixmap((QSizeF(page.width(), page.height()) * ratio).toSize())
            picture.setDevicePixelRatio(ratio)
            picture.fill(Qt.GlobalColor.transparent)
            own = QPainter(picture)
            own.setRenderHint(QPainter.RenderHint.Antialiasing, self._count <= DENSE)
            self._draw_styles(own, device, self.base)
            own.end()
            self._below = (key, picture)
        return self._below[1]

    def _draw_styles(self, painter: QPainter, device: Array, styles: tuple[LinkStyle, ...]) -> None:
        for style in styles:
            shape = shape_of(self.net, device, style, self._bent)
            if style.rim:
                self._draw(painter, shape, make_pen(style.rim, style.width + 3.0))
            self._draw(painter, shape, make_pen(style.colour, style.width, dashed=style.dashed))
            if shape.heads is not None:
                painter.fillPath(shape.heads, QBrush(QColor(style.colour)))

    def _draw(self, painter: QPainter, shape: Shape, pen: QPen) -> None:
        if len(shape.lines):
            if not painter.testRenderHint(QPainter.RenderHint.Antialiasing):
                pen.setWidthF(max(pen.widthF(), WIDER))
            extent = painter.device().width(), painter.device().height()
            self._strokes.stroke(painter, shape.lines, pen, extent, "pairs")
        if shape.curves is not None:
            set_pen(painter, pen)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawPath(shape.curves)

    def _write(self, painter: QPainter, device: Array) -> None:
        font = QFont()
        font.setPointSizeF(self.theme.letters(0.8))
        painter.setFont(font)
        metrics = QFontMetricsF(font)
        ends = device[self.net.edges]
        span = ends[:, 1] - ends[:, 0]
        middle = ends.mean(axis=1) + np.where(self._bent[:, None], 0.5 * BEND * span[:, ::-1] * (-1.0, 1.0), 0.0)
        room = np.hypot(span[:, 0], span[:, 1]) - self.net.radii[self.net.edges].sum(axis=1)
        painter.setBrush(QColor(self.theme.plot))
        for text, (x, y), free in zip(self.texts, middle.tolist(), room.tolist()):
            width, height = metrics.horizontalAdvance(text) + 4.0, metrics.ascent() + 1.0
            if text and free > width + 4.0:
                box = QRectF(x - width / 2, y - height / 2, width, height)
                painter.setPen(Qt.PenStyle.NoPen)
                painter.drawRoundedRect(box, 3, 3)
                painter.setPen(QColor(self.theme.muted))
                painter.drawText(QPointF(x - width / 2 + 2.0, y + metrics.capHeight() / 2), text)
