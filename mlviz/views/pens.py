"""Pens whose width is in logical pixels: Qt takes the width of a cosmetic pen as pixels of the device.

On a screen with two pixels for each logical one its lines would be half as thick as the symbols and samples beside
them. How many there are is known only to the painter: a widget on such a screen may be painted into a plain picture.
"""

from __future__ import annotations

import functools
import math

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPainter, QPen


def make_pen(colour: str, width: float = 1.0, dashed: bool = False) -> QPen:
    """A cosmetic pen; made once per style, never per point. Painted with by :func:`set_pen`."""
    return QPen(_pen(colour, width, dashed))


@functools.lru_cache(maxsize=256)
def _pen(colour: str, width: float, dashed: bool) -> QPen:
    return pg.mkPen(QColor(colour), width=width, style=Qt.PenStyle.DashLine if dashed else Qt.PenStyle.SolidLine)


def set_pen(painter: QPainter, pen: QPen) -> None:
    """Paint with this pen, as thick as its width in logical pixels says."""
    painter.setPen(device_pen(painter, pen))


def device_pen(painter: QPainter, pen: QPen) -> QPen:
    """The pen with its width in the pixels of what is painted on."""
    if not pen.isCosmetic() or (ratio := pixel_ratio(painter)) == 1.0:
        return pen
    scaled = QPen(pen)
    scaled.setWidthF(max(pen.widthF(), 1.0) * ratio)
    return scaled


def pixel_ratio(painter: QPainter) -> float:
    """How many pixels of the device a logical pixel has along a side."""
    world, device = painter.transform().determinant(), painter.deviceTransform().determinant()
    if device == world or not world:
        return 1.0
    return math.sqrt(abs(device / world))
