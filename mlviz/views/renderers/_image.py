"""The picture of a field: coloured cells that blend into each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter

from algorithms.data import Array


class SmoothImage(pg.GraphicsObject):
    """Cells over a rectangle of the plane, interpolated so that a coarse field does not look like tiles.

    Qt stretches an upright image with premultiplied colours two to three times faster than any other, so that is what
    is kept; a plot's upward axis would turn it upside down.
    """

    def __init__(self) -> None:
        super().__init__()
        self.image: Array = np.empty((0, 0, 4), dtype=np.ubyte)
        """The colours (h, w, 4) red, green, blue and opacity; row 0 is the lowest."""
        self._upright = QImage()
        self._rect = QRectF()

    def set(self, colours: Array, rect: tuple[float, float, float, float]) -> None:
        """Show these colours over (left, right, bottom, top)."""
        self.image = colours
        rows, columns = colours.shape[:2]
        turned = np.ascontiguousarray(colours[::-1])
        plain = QImage(turned.data, columns, rows, 4 * columns, QImage.Format.Format_RGBA8888)
        self._upright = plain.convertToFormat(QImage.Format.Format_ARGB32_Premultiplied)
        left, right, bottom, top = rect
        area = QRectF(left, bottom, right - left, top - bottom)
        if area != self._rect:
            self.prepareGeometryChange()
            self._rect = area
            self.informViewBoundsChanged()
        self.update()

    def boundingRect(self) -> QRectF:
        """The extent in data coordinates."""
        return self._rect

    def dataBounds(self, ax: int, frac: float = 1.0, orthoRange: object = None) -> tuple[float, float] | None:
        """The range along one axis, for fitting the view."""
        if self._rect.isEmpty():
            return None
        if ax == 0:
            return self._rect.left(), self._rect.right()
        return self._rect.top(), self._rect.bottom()

    def paint(self, painter: QPainter, *_: Any) -> None:
        """Stretch the image over its place on the device."""
        if self._upright.isNull():
            return
        place = painter.transform().mapRect(self._rect)
        painter.resetTransform()
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawImage(place, self._upright)
