"""Points as sprites: each distinct look is drawn once into an atlas, then stamped for every point in one call.

A pen or brush per point makes 10,000 points cost 45-80 ms; here a frame costs one NumPy look-up and one
``drawPixmapFragments``, whatever the number of colours.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyqtgraph as pg
from pyqtgraph.graphicsItems.ScatterPlotItem import Symbols
from pyqtgraph.Qt import internals
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QImage, QPainter, QPainterPath, QPen, QPixmap

from algorithms.dataset import Array

EMPTY = np.empty((0, 2))
_LIMIT = 2.0**20  # device coordinates beyond this crash the raster engine


@dataclass(frozen=True, slots=True)
class Sprite:
    """One look of a point: a symbol, its size in logical pixels, its fill and its edge (``None``: not drawn)."""

    shape: str
    size: float
    fill: str | None
    edge: str | None = None
    width: float = 1.0
    dashed: bool = False

    def draw(self, painter: QPainter) -> None:
        """Paint the symbol around the origin."""
        pen = QPen(Qt.PenStyle.NoPen)
        if self.edge is not None:
            pen = QPen(QColor(self.edge), self.width)
            pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
            if self.dashed:
                pen.setDashPattern([2.0, 1.6])
        painter.setPen(pen)
        painter.setBrush(QBrush(Qt.BrushStyle.NoBrush) if self.fill is None else QColor(self.fill))
        painter.drawPath(_outline(self.shape, self.size))


def _outline(shape: str, size: float) -> QPainterPath:
    from PySide6.QtGui import QTransform

    return QTransform.fromScale(size, size).map(Symbols[shape])


class SpriteLayer(pg.GraphicsObject):
    """Many points in few looks. ``set(at, looks, which)`` replaces everything; items are never rebuilt."""

    def __init__(self) -> None:
        super().__init__()
        self.setFlag(self.GraphicsItemFlag.ItemUsesExtendedStyleOption)  # paint is told which part is needed
        self._at = EMPTY
        self._which = np.empty(0, dtype=np.intp)
        self._sprites: tuple[Sprite, ...] = ()
        self._cells = _Atlas()
        self._fragments = internals.PrimitiveArray(QPainter.PixmapFragment, 10)
        self._bounds = QRectF()
        self.vector = False
        """Draw paths instead of sprites; set while a vector picture is written."""

    @property
    def at(self) -> Array:
        """The positions now shown, (n, 2)."""
        return self._at

    def set(self, at: Array, sprites: tuple[Sprite, ...], which: Array) -> None:
        """Show point ``i`` at ``at[i]`` with the look ``sprites[which[i]]``.

        Where points were only added, only their place is painted again: a brush keeps up with the mouse however many
        points there are already.
        """
        fresh = self._added(at, sprites, which)
        if at is not self._at:
            self._at = at
            bounds = _bounds(at)
            if bounds != self._bounds or fresh is None:
                self.prepareGeometryChange()
                self._bounds = bounds
                self.informViewBoundsChanged()
        self._sprites, self._which = sprites, which
        if fresh is None:
            self.update()
        elif len(fresh):
            self.update(self._padded(_bounds(fresh)))

    def _added(self, at: Array, sprites: tuple[Sprite, ...], which: Array) -> Array | None:
        """The places of the points that come after those on show; None when it is not as simple as that."""
        count = len(self._at)
        if at is self._at or len(at) < count or not np.array_equal(which[:count], self._which):
            return None
        return at[count:] if sprites == self._sprites and np.array_equal(at[:count], self._at) else None

    def _padded(self, rect: QRectF) -> QRectF:
        """A rectangle in data coordinates, widened by the largest symbol."""
        dx, dy = self.pixelVectors()
        pad_x, pad_y = (abs(v.x()) + abs(v.y()) if v is not None else 0.0 for v in (dx, dy))
        reach = self._reach
        return rect.adjusted(-pad_x * reach, -pad_y * reach, pad_x * reach, pad_y * reach)

    def clear(self) -> None:
        """Show nothing."""
        self.set(EMPTY, (), np.empty(0, dtype=np.intp))

    def boundingRect(self) -> QRectF:
        """The extent in data coordinates, widened by the largest symbol."""
        if not len(self._at):
            return QRectF()
        return self._padded(self._bounds)

    def viewTransformChanged(self) -> None:
        """The symbols keep their size on the screen, so the extent in data coordinates has changed."""
        self.prepareGeometryChange()

    def dataBounds(self, ax: int, frac: float = 1.0, orthoRange: object = None) -> tuple[float, float] | None:
        """The range along one axis, for fitting the view."""
        if not len(self._at):
            return None
        if ax == 0:
            return self._bounds.left(), self._bounds.right()
        return self._bounds.top(), self._bounds.bottom()

    def paint(self, painter: QPainter, option: Any = None, *_: object) -> None:
        """Stamp every point of the part that is needed in one call (or draw paths for a vector picture)."""
        if not len(self._at):
            return
        transform = painter.transform()
        device = pg.functions.transformCoordinates(transform, np.ascontiguousarray(self._at.T))
        device = np.clip(device, -_LIMIT, _LIMIT)
        painter.resetTransform()
        if self.vector:
            self._paint_paths(painter, device)
            return
        ratio = painter.device().devicePixelRatioF()
        which = self._which
        if option is not None:
            shown = self._needed(device, transform.mapRect(option.exposedRect), ratio)
            device, which = device[:, shown], which[shown]
        pixmap, cells = self._cells.prepare(self._sprites, ratio)
        self._fragments.resize(device.shape[1])
        table = self._fragments.ndarray()
        table[:, 0:2] = device.T
        table[:, 2:6] = cells[which]
        table[:, 6:10] = (1.0 / ratio, 1.0 / ratio, 0.0, 1.0)
        painter.drawPixmapFragments(*self._fragments.drawargs(), pixmap)

    def _needed(self, device: Array, part: QRectF, ratio: float) -> Any:
        """Which points can be seen in a part of the device: their numbers, or all of them."""
        reach = ratio * self._reach
        x, y = device
        inside = (x >= part.left() - reach) & (x <= part.right() + reach)
        inside &= (y >= part.top() - reach) & (y <= part.bottom() + reach)
        return slice(None) if inside.all() else np.flatnonzero(inside)

    @property
    def _reach(self) -> float:
        """The size of the largest symbol."""
        return max((sprite.size + sprite.width for sprite in self._sprites), default=0.0)

    def _paint_paths(self, painter: QPainter, device: Array) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for (x, y), which in zip(device.T, self._which):
            painter.resetTransform()
            painter.translate(QPointF(x, y))
            self._sprites[int(which)].draw(painter)
        painter.resetTransform()


class _Atlas:
    """The drawn sprites, side by side in one pixmap; sprites already drawn are kept from frame to frame."""

    COLUMNS = 32

    def __init__(self) -> None:
        self._slots: dict[Sprite, int] = {}
        self._cell = 0
        self._ratio = 0.0
        self._image = QImage()
        self._pixmap = QPixmap()

    def prepare(self, sprites: tuple[Sprite, ...], ratio: float) -> tuple[QPixmap, Array]:
        """The pixmap and, for each sprite, its rectangle (x, y, width, height) in device pixels."""
        cell = math.ceil(max((s.size * 1.1 + s.width for s in sprites), default=1.0) * ratio) + 4
        if cell > self._cell or ratio != self._ratio or len(self._slots) > 4096:
            self._slots.clear()
            self._cell, self._ratio = max(cell, self._cell if ratio == self._ratio else 0), ratio
            self._image = QImage()
        missing = [sprite for sprite in dict.fromkeys(sprites) if sprite not in self._slots]
        if missing:
            self._draw(missing)
        slots = np.array([self._slots[sprite] for sprite in sprites], dtype=np.intp)
        rows, columns = np.divmod(slots, self.COLUMNS)
        size = np.full(len(slots), self._cell)
        return self._pixmap, np.stack([columns * self._cell, rows * self._cell, size, size], axis=1)

    def _draw(self, missing: list[Sprite]) -> None:
        first = len(self._slots)
        rows = -(-(first + len(missing)) // self.COLUMNS)
        if self._image.height() < rows * self._cell:
            image = QImage(self.COLUMNS * self._cell, 2 * rows * self._cell, QImage.Format.Format_ARGB32_Premultiplied)
            image.fill(Qt.GlobalColor.transparent)
            if not self._image.isNull():
                copier = QPainter(image)
                copier.drawImage(0, 0, self._image)
                copier.end()
            self._image = image
        painter = QPainter(self._image)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for slot, sprite in enumerate(missing, start=first):
            self._slots[sprite] = slot
            row, column = divmod(slot, self.COLUMNS)
            painter.resetTransform()
            painter.translate((column + 0.5) * self._cell, (row + 0.5) * self._cell)
            painter.scale(self._ratio, self._ratio)
            sprite.draw(painter)
        painter.end()
        self._pixmap = QPixmap.fromImage(self._image)


def _bounds(at: Array) -> QRectF:
    if not len(at):
        return QRectF()
    low, high = at.min(axis=0), at.max(axis=0)
    return QRectF(QPointF(*low), QPointF(*high))
