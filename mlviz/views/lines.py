"""Lines that are painted quickly.

Qt strokes a thick smooth path as one shape. That takes the longer the more often the shape crosses itself: a metric
that jumps up and down 300 times takes 33 ms, and as 300 strokes with square ends, which look the same, 1 ms (with round
ends Qt fills a shape for each: a stroke across the screen takes 2 ms instead of 0.03). A line that runs smoothly still
takes a third of the time as strokes, without the points that make no difference on the screen: many short strokes
over each other would have hard edges. Thin and translucent lines are one ``drawPolyline`` each.
"""

from __future__ import annotations

import math
from dataclasses import field, replace
from typing import Any

import numpy as np
import pyqtgraph as pg
from pyqtgraph.Qt import internals
from PySide6.QtCore import QLineF, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QPaintEngine, QPainter, QPen, QPixmap, QTransform

from algorithms.data import Array
from algorithms.records import dataclass
from mlviz.views.pens import device_pen, set_pen

_LIMIT = 2.0**20  # device coordinates beyond this crash the raster engine
STRAIGHT = 0.15
"""A point is left out that lies within this fraction of a pixel of the line between its neighbours."""
ROUNDS = 5
TO_AND_FRO = 4.0
"""A line that travels more than so many times its own extent is jagged."""
EDGE = 16.0
"""How far outside a picture strokes still count, in pixels."""
LONG = 200
"""Shorter lines are stroked sooner than thinned."""
APART = 3.0
"""Strokes of a smooth line that are shorter than so many widths of the pen have hard edges, each lies over the next."""
THIN = 1.0
"""A pen that is no wider draws a smooth line as quickly as its strokes."""
WORTH = 40
"""Points from which a picture of a line is kept."""
FAR = 2.0
"""How many pictures away a line may go before it is cut."""
MANY, SHORT = 8, 40
"""Of a line in more parts than this, those with fewer points are drawn as they are: finding out more takes longer."""
MOST_DASHES = 20_000
"""A line that is longer than so many dashes is drawn without gaps."""
GROWTH = 48.0
"""Pixels around the picture of a line into which it may grow."""


class CurveItem(pg.PlotCurveItem):
    """pyqtgraph's curve, as thick on every screen."""

    def paint(self, painter: QPainter, option: Any, widget: Any) -> None:
        """Paint with the pen of this screen."""
        pen = self.opts["pen"]
        self.opts["pen"] = device_pen(painter, pen)
        try:
            super().paint(painter, option, widget)
        finally:
            self.opts["pen"] = pen


class StraightLine(pg.InfiniteLine):
    """pyqtgraph's line from edge to edge, as thick on every screen."""

    def paint(self, painter: QPainter, *_: object) -> None:
        """Paint with the pen of this screen."""
        set_pen(painter, self.currentPen)
        painter.drawLine(QPointF(self._endPoints[0], 0.0), QPointF(self._endPoints[1], 0.0))


class LineItem(CurveItem):
    """A curve without a filling, painted line by line on the screen; vector pictures get the whole path.

    A long line that is painted again where it was, with or without new points at its end, is not stroked again: a
    picture of it is kept, and what is new is stroked into that.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._brush = Strokes()
        self._kept: _Kept | None = None

    def dataBounds(self, ax: int, frac: float = 1.0, orthoRange: Any = None) -> Any:
        """The range along one axis; at once where every value counts and is finite."""
        values = (self.xData, self.yData)[ax]
        if frac == 1.0 and orthoRange is None and values is not None and len(values) and self.opts["fillLevel"] is None:
            low, high = float(values.min()), float(values.max())
            if math.isfinite(low) and math.isfinite(high):
                return low, high
        return super().dataBounds(ax, frac, orthoRange)

    def paint(self, painter: QPainter, option: Any, widget: Any) -> None:
        """Draw in device coordinates."""
        raster = painter.paintEngine().type() == QPaintEngine.Type.Raster
        if not raster or self.opts["fillLevel"] is not None:
            super().paint(painter, option, widget)
            return
        if self.xData is None or len(self.xData) < 2:
            return
        transform = painter.transform()
        device = on_device(transform, np.array([self.xData, self.yData], dtype=float))
        painter.resetTransform()
        if len(device) < WORTH or not np.isfinite(device).all():
            self._kept = None
            self._stroke(painter, device, self.opts["connect"])
            return
        ratio = painter.device().devicePixelRatioF()
        size = QSizeF(painter.device().width(), painter.device().height())
        before = self._kept
        self._kept = _Kept.after(before, device, self.opts["connect"], self.opts["pen"], size, ratio)
        if self._kept.picture is None:
            self._stroke(painter, device, self.opts["connect"])
            return
        new = self._kept.new_points()
        if len(new) > 1:
            inside = QPainter(self._kept.picture)
            inside.translate(-self._kept.room.topLeft())
            self._stroke(inside, new, self.opts["connect"] if self._kept.whole else "all", self._kept.travelled())
            inside.end()
        painter.drawPixmap(self._kept.room.topLeft(), self._kept.picture)

    def _stroke(self, painter: QPainter, device: Array, connect: Any, travelled: float = 0.0) -> None:
        """Draw points that are given in device coordinates; a line goes on that has come so far already."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, self.opts["antialias"])
        self._brush.stroke(painter, device, self.opts["pen"], self._extent(painter), connect, travelled)

    def _extent(self, painter: QPainter) -> tuple[float, float]:
        """The lower right corner of what is painted on, in device coordinates."""
        if self._kept is not None and painter.device() is self._kept.picture:
            return self._kept.room.right(), self._kept.room.bottom()
        return painter.device().width(), painter.device().height()


class Strokes:
    """Strokes lines on the screen, each in the way that takes the least time."""

    def __init__(self) -> None:
        self._packed = internals.PrimitiveArray(QLineF, 4)

    def stroke(
        self,
        painter: QPainter,
        device: Array,
        pen: QPen,
        extent: tuple[float, float],
        connect: Any = "all",
        travelled: float = 0.0,
    ) -> None:
        """Draw points (m, 2) in device coordinates up to ``extent``; the line has come as far as ``travelled``."""
        simple, dashed = _is_opaque(pen), pen.style() != Qt.PenStyle.SolidLine
        thick = device_pen(painter, pen).widthF() > THIN
        if isinstance(connect, str) and connect == "pairs":
            set_pen(painter, pen)
            pairs = device[: len(device) // 2 * 2].reshape(-1, 4)
            self._draw(painter, _cut(pairs[np.isfinite(pairs).all(axis=1)], *extent))
            return
        lines = parts(device, connect)
        if len(lines) > MANY and not dashed:
            set_pen(painter, pen)
            short = [line for line in lines if len(line) < SHORT and not _leaves(line, *extent)]
            for line in short:
                painter.drawPolyline(pg.functions.arrayToQPolygonF(*line.T))
            lines = [line for line in lines if len(line) >= SHORT or _leaves(line, *extent)]
        for line in lines:
            jagged = dashed or is_jagged(line)
            if not (jagged or (simple and thick) or _leaves(line, *extent)):
                set_pen(painter, pen)
                x, y = thinned(line).T
                painter.drawPolyline(pg.functions.arrayToQPolygonF(x, y))
                continue
            strokes = QPen(pen)
            strokes.setStyle(Qt.PenStyle.SolidLine)
            strokes.setCapStyle(Qt.PenCapStyle.SquareCap if simple else Qt.PenCapStyle.FlatCap)
            set_pen(painter, strokes)
            if simple:
                found = distinct_strokes(line if jagged else _spaced(line, pen.widthF()), *extent)
            else:
                found = _cut(dashes(line, *_on_and_off(pen), travelled), *extent)
            self._draw(painter, found)

    def _draw(self, painter: QPainter, strokes: Array) -> None:
        """Draw strokes (m, 4)."""
        self._packed.resize(len(strokes))
        self._packed.ndarray()[:] = strokes
        painter.drawLines(*self._packed.drawargs())


@dataclass(frozen=True, slots=True, eq=False)
class _Kept:
    """The line as it was painted last, and from the second time on a picture of it."""

    device: Array
    connect: Any
    pen: QPen
    size: QSizeF
    ratio: float
    drawn: int = 0  # points that are in the picture
    picture: QPixmap | None = None
    room: QRectF = field(default_factory=QRectF)  # where the picture lies

    @classmethod
    def after(cls, before: _Kept | None, device: Array, connect: Any, pen: QPen, size: QSizeF, ratio: float) -> _Kept:
        """What is kept now, when this was kept before: a picture only of what has been painted there already."""
        fresh = cls(device, connect, QPen(pen), size, ratio)
        if before is None or (before.pen, before.size, before.ratio) != (pen, size, ratio):
            return fresh
        count = len(before.device)
        if count > len(device) or not np.array_equal(before.device, device[:count]):
            return fresh
        if not _only_grew(before.connect, connect, count == len(device)):
            return fresh
        if count < len(device) and pen.color().alpha() < 255:  # where two strokes meet they would show twice
            return fresh
        room = _room_of(device, pen, size)
        if before.picture is not None and before.room.contains(room):
            return replace(fresh, drawn=count, picture=before.picture, room=before.room)
        room = room.adjusted(-GROWTH, -GROWTH, GROWTH, GROWTH) & QRectF(QPointF(), size)
        if room.isEmpty():
            return fresh
        picture = QPixmap((room.size() * ratio).toSize())
        picture.setDevicePixelRatio(ratio)
        picture.fill(Qt.GlobalColor.transparent)
        return replace(fresh, picture=picture, room=room)

    @property
    def whole(self) -> bool:
        """Whether nothing is in the picture yet."""
        return self.drawn == 0

    def new_points(self) -> Array:
        """What is to be stroked into the picture, beginning where it ends."""
        return self.device[max(self.drawn - 1, 0) :]

    def travelled(self) -> float:
        """The length of what is in the picture, in pixels: dashes go on from there."""
        return float(np.hypot(*np.diff(self.device[: self.drawn], axis=0).T).sum())


def _only_grew(before: Any, now: Any, same_length: bool) -> bool:
    """Whether points that were connected so before are connected so now."""
    if isinstance(before, str) or isinstance(now, str):
        return isinstance(before, str) and isinstance(now, str) and before == now and (same_length or now == "all")
    return same_length and np.array_equal(before, now)


def _room_of(device: Array, pen: QPen, size: QSizeF) -> QRectF:
    """The whole pixels that a line needs of the picture."""
    reach = pen.widthF() + 2.0
    (left, top), (right, bottom) = device.min(axis=0) - reach, device.max(axis=0) + reach
    room = QRectF(QPointF(float(left), float(top)), QPointF(float(right), float(bottom))) & QRectF(QPointF(), size)
    return QRectF(room.toAlignedRect())


def on_device(transform: QTransform, at: Array) -> Array:
    """Where places (2, m) are on the device, (m, 2), as far away as it can bear."""
    if not transform.isRotating():
        device = np.empty((at.shape[1], 2))
        with np.errstate(invalid="ignore", over="ignore"):  # a view may be so narrow that its scale is infinite
            np.multiply(at[0], transform.m11(), out=device[:, 0])
            np.multiply(at[1], transform.m22(), out=device[:, 1])
            device += (transform.dx(), transform.dy())
    else:
        device = pg.functions.transformCoordinates(transform, at).T
    return np.asarray(device.clip(-_LIMIT, _LIMIT))


def _is_opaque(pen: QPen) -> bool:
    return pen.style() == Qt.PenStyle.SolidLine and pen.color().alpha() == 255


def parts(at: Array, connect: Any) -> list[Array]:
    """The connected parts, each of two points or more."""
    if isinstance(connect, str):
        finite = np.isfinite(at).all(axis=1)
        if finite.all():
            return [at] if len(at) > 1 else []
        ends = np.flatnonzero(~finite)
        found = [part[np.isfinite(part).all(axis=1)] for part in np.split(at, ends)]
    else:
        found = np.split(at, np.flatnonzero(np.asarray(connect) == 0) + 1)
    return [part for part in found if len(part) > 1]


def is_jagged(line: Array) -> bool:
    """Whether a line (m, 2) runs to and fro, so that stroking it as one shape would take long."""
    travelled = np.abs(line[1:] - line[:-1]).sum(axis=0)
    return bool((travelled > TO_AND_FRO * (line.max(axis=0) - line.min(axis=0))).any())


def _on_and_off(pen: QPen) -> tuple[float, float]:
    """The lengths of a dash and of a gap, in pixels; a solid line has no gaps."""
    pattern = pen.dashPattern()
    if pen.style() == Qt.PenStyle.SolidLine or len(pattern) < 2:
        return 1.0, 0.0
    width = max(pen.widthF(), 1.0)
    return pattern[0] * width, pattern[1] * width


def dashes(line: Array, on: float, off: float, travelled: float = 0.0) -> Array:
    """The strokes (m, 4) of a dashed line (k, 2): Qt takes a tenth of a second to find them along a scribble.

    ``travelled`` is how long the line was before the first of these points.
    """
    lengths = np.hypot(*np.diff(line, axis=0).T)
    along = travelled % (on + off) + np.concatenate([[0.0], np.cumsum(lengths)])
    count = along[-1] / (on + off)
    if off == 0.0 or not count < MOST_DASHES:
        return np.concatenate([line[:-1], line[1:]], axis=1)
    first = np.arange(int(count) + 1) * (on + off)
    cuts = np.union1d(along, np.concatenate([first, first + on]))
    cuts = cuts[(cuts >= along[0]) & (cuts <= along[-1])]
    inside = (cuts[1:] + cuts[:-1]) / 2 % (on + off) < on
    places = np.column_stack([np.interp(cuts, along, line[:, 0]), np.interp(cuts, along, line[:, 1])])
    return np.concatenate([places[:-1][inside], places[1:][inside]], axis=1)


def _leaves(line: Array, width: float, height: float) -> bool:
    """Whether a line (m, 2) goes far beyond a picture of this size, so that it is to be cut before it is drawn."""
    far = FAR * max(width, height)
    return bool(np.abs(line).max() > far)


def distinct_strokes(line: Array, width: float, height: float) -> Array:
    """The strokes (m, 4) of a line that can be seen in a picture of this size, without those that repeat others."""
    strokes = np.concatenate([line[:-1], line[1:]], axis=1)
    if line.min() < 0.0 or line[:, 0].max() > width or line[:, 1].max() > height:
        strokes = _cut(strokes, width, height)
    if len(strokes) < LONG:
        return strokes
    code = np.rint(2.0 * np.clip(strokes, -8192.0, 8191.0)).astype(np.int64) + 16384  # to half a pixel
    packed = ((code[:, 0] << 45) | (code[:, 1] << 30)) + ((code[:, 2] << 15) | code[:, 3])
    return strokes[np.sort(np.unique(packed, return_index=True)[1])]


def _cut(strokes: Array, width: float, height: float) -> Array:
    """The parts (m, 4) of strokes that lie in a picture: Qt takes long over one that ends a million pixels away.

    After Liang and Barsky: of each stroke the part between the last edge it comes in by and the first it goes out by.
    """
    start, span = strokes[:, :2], strokes[:, 2:] - strokes[:, :2]
    still = span == 0.0
    pace = np.where(still, 1.0, span)
    low, high = (-EDGE - start) / pace, (np.array([width, height]) + EDGE - start) / pace
    outside = (still & ((start < -EDGE) | (start > np.array([width, height]) + EDGE))).any(axis=1)
    comes = np.where(still, 0.0, np.minimum(low, high)).max(axis=1).clip(min=0.0)
    goes = np.where(still, 1.0, np.maximum(low, high)).min(axis=1).clip(max=1.0)
    seen = (comes <= goes) & ~outside
    start, span, comes, goes = start[seen], span[seen], comes[seen, None], goes[seen, None]
    return np.concatenate([start + comes * span, start + goes * span], axis=1)


def _spaced(line: Array, width: float) -> Array:
    """A smooth line with its points so far apart that strokes between them look like one, as far as its bends allow."""
    pace = float(np.abs(line[1:] - line[:-1]).sum()) / len(line)
    rounds = math.ceil(math.log2(APART * width / max(pace, 1e-3)))
    return thinned(line, 3, min(rounds, 2 * ROUNDS))


def thinned(at: Array, least: int = LONG, rounds: int = ROUNDS) -> Array:
    """The points (m, 2) without those that make no difference to the line, in pixels; few are left as they are."""
    for _ in range(rounds):
        if len(at) < least:
            break
        before, here, after = at[:-2:2], at[1:-1:2], at[2::2]
        count = len(after)
        before, here = before[:count], here[:count]
        span, step = after - before, here - before
        along, off = np.einsum("ij,ij->i", span, step), np.einsum("ij,ij->i", step, step)
        length = np.einsum("ij,ij->i", span, span)
        aside = np.abs(span[:, 0] * step[:, 1] - span[:, 1] * step[:, 0])
        # between its neighbours, not a turn back beyond one of them
        dull = (aside <= STRAIGHT * np.sqrt(length)) & (along >= 0) & (off <= length + STRAIGHT**2)
        keep = np.ones(len(at), dtype=bool)
        keep[1:-1:2][:count] = ~dull
        if dull.sum() < 0.1 * len(at):
            return at[keep]
        at = at[keep]
    return at
