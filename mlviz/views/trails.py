"""The paths of several walkers, in one picture: what they have walked since it was painted is stroked into it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QPaintEngine, QPainter, QPen, QPixmap, QTransform

from algorithms.data import Array
from mlviz.views.lines import Strokes, on_device, parts
from mlviz.views.pens import set_pen

NOBODY = np.empty((0, 0, 2))


class TrailsItem(pg.GraphicsObject):
    """One line for each walker. Twelve of them, walking on, are painted as quickly as one."""

    def __init__(self) -> None:
        super().__init__()
        self._at = NOBODY
        self._pens: tuple[QPen, ...] = ()
        self._bounds = QRectF()
        self._strokes = Strokes()
        self._picture: QPixmap | None = None
        self._key: tuple[Any, ...] = ()
        self._drawn = NOBODY
        self._travelled = np.empty(0)
        self._room = QRectF()

    @property
    def at(self) -> Array:
        """Where everybody has been, (steps, walkers, 2)."""
        return self._at

    def set(self, at: Array, pens: tuple[QPen, ...]) -> None:
        """Show these paths, (steps, walkers, 2), each with its pen."""
        self._at, self._pens = at, pens
        bounds = _bounds(at)
        if bounds != self._bounds:
            self.prepareGeometryChange()
            self._bounds = bounds
        self.update()

    def boundingRect(self) -> QRectF:
        """The extent in the coordinates of the canvas, widened by the thickest pen."""
        reach = max((pen.widthF() for pen in self._pens), default=0.0) + 1.0
        dx, dy = self.pixelVectors()
        wide, high = (reach * (abs(way.x()) + abs(way.y())) if way is not None else 0.0 for way in (dx, dy))
        return self._bounds.adjusted(-wide, -high, wide, high)

    def viewTransformChanged(self) -> None:
        """The pens keep their width on the screen."""
        self.prepareGeometryChange()

    def paint(self, painter: QPainter, *_: object) -> None:
        """Draw in device coordinates: what is new into the picture, and the picture; in a vector picture everything."""
        if len(self._at) < 2:
            return
        transform, device = painter.transform(), painter.device()
        painter.resetTransform()
        if painter.paintEngine().type() != QPaintEngine.Type.Raster:
            self._draw_lines(painter, on_places(transform, self._at))
            return
        key = (transform, self._pens, device.width(), device.height(), device.devicePixelRatioF())
        if self._picture is None or key != self._key or not _goes_on(self._drawn, self._at):
            self._begin(key)
        assert self._picture is not None
        new = on_places(transform, self._at[max(len(self._drawn) - 1, 0) :])
        if len(new) > 1:
            inside = QPainter(self._picture)
            self._stroke(inside, new, (device.width(), device.height()))
            inside.end()
        self._drawn = self._at
        ratio = self._picture.devicePixelRatio()
        part = QRectF(self._room.topLeft() * ratio, self._room.size() * ratio)
        painter.drawPixmap(self._room, self._picture, part)

    def _begin(self, key: tuple[Any, ...]) -> None:
        """With an empty picture."""
        *_, width, height, ratio = self._key = key
        self._picture = QPixmap((QSizeF(width, height) * ratio).toSize())
        self._picture.setDevicePixelRatio(ratio)
        self._picture.fill(Qt.GlobalColor.transparent)
        self._drawn, self._room = NOBODY, QRectF()
        self._travelled = np.zeros(len(self._pens))

    def _draw_lines(self, painter: QPainter, device: Array) -> None:
        for walker, pen in enumerate(self._pens):
            set_pen(painter, pen)
            for line in parts(device[:, walker], "finite"):
                painter.drawPolyline(pg.functions.arrayToQPolygonF(*line.T))

    def _stroke(self, painter: QPainter, device: Array, extent: tuple[float, float]) -> None:
        """Draw the paths (steps, walkers, 2), which go on from what has been travelled so far."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for walker, pen in enumerate(self._pens):
            self._strokes.stroke(painter, device[:, walker], pen, extent, travelled=float(self._travelled[walker]))
        steps = np.diff(device, axis=0)
        self._travelled = self._travelled + np.nansum(np.hypot(steps[..., 0], steps[..., 1]), axis=0)
        reach = max(pen.widthF() for pen in self._pens) + 2.0
        touched = _bounds(device).adjusted(-reach, -reach, reach, reach) & QRectF(0.0, 0.0, *extent)
        self._room = QRectF((self._room | touched).toAlignedRect())


def on_places(transform: QTransform, at: Array) -> Array:
    """The paths on the device, (steps, walkers, 2)."""
    return on_device(transform, at.reshape(-1, 2).T).reshape(at.shape)


def _bounds(at: Array) -> QRectF:
    """What all places span; those who are lost do not count."""
    if not at.size:
        return QRectF()
    rows = at.reshape(len(at), -1)  # all walkers at once: a short last axis would take ten times as long
    ends = np.stack([rows.min(axis=0), rows.max(axis=0)])
    if not np.isfinite(ends).all():
        rows = np.where(np.isfinite(rows), rows, np.nan)
        ends = np.stack([np.fmin.reduce(rows), np.fmax.reduce(rows)])
        ends = ends[:, np.isfinite(ends).all(axis=0).reshape(-1, 2).all(axis=1).repeat(2)]
        if not ends.size:
            return QRectF()
    low, high = ends[0].reshape(-1, 2).min(axis=0), ends[1].reshape(-1, 2).max(axis=0)
    return QRectF(QPointF(*low.tolist()), QPointF(*high.tolist()))


def _goes_on(before: Array, now: Array) -> bool:
    """Whether these paths begin with those; somebody who is lost has no place, and that is the same no place."""
    if before.shape[1:] != now.shape[1:] or len(before) > len(now):
        return len(before) == 0
    return before is now or np.array_equal(before.view(np.int64), now[: len(before)].view(np.int64))
