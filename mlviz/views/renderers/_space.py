"""Looking at points in space: a camera, lists of lines, and the little cross of axes in the corner."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyqtgraph as pg
from pyqtgraph.Qt import internals
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QGraphicsItem, QGraphicsWidget

from algorithms.data import Array
from mlviz.views.pens import set_pen
from mlviz.views.theme import LIGHT, SPACING, Theme

PERSPECTIVE = 0.16
"""How much larger the nearest things are drawn than those in the middle."""


@dataclass(frozen=True, slots=True)
class Camera:
    """Where the cloud is seen from: turned around the upright third axis, then raised; angles in radians."""

    around: float
    raised: float

    @classmethod
    def aside(cls) -> Camera:
        """The usual view: from the front, a little to the side and from above."""
        return cls(math.radians(-68.0), math.radians(22.0))

    @classmethod
    def above(cls) -> Camera:
        """From above, where a flat cloud looks as in the plane."""
        return cls(-math.pi / 2, math.pi / 2)

    def turned(self, around: float, raised: float) -> Camera:
        """The camera after going round and up by these angles; never beyond the pole."""
        limit = math.pi / 2
        return replace(self, around=self.around + around, raised=min(max(self.raised + raised, -limit), limit))

    @property
    def basis(self) -> Array:
        """The directions to the right, up and towards the viewer, as columns (3, 3)."""
        cos_a, sin_a = math.cos(self.around), math.sin(self.around)
        cos_e, sin_e = math.cos(self.raised), math.sin(self.raised)
        right = (-sin_a, cos_a, 0.0)
        up = (-sin_e * cos_a, -sin_e * sin_a, cos_e)
        near = (cos_e * cos_a, cos_e * sin_a, sin_e)
        return np.array([right, up, near]).T

    def project(self, at: Array, like: Array | None = None) -> tuple[Array, Array]:
        """Places (m, 3) as seen, (m, 2), and their depth (m,); in radii of the cloud ``like``, or of themselves."""
        middle, radius = sphere(at if like is None else like)
        turned = (at - middle) @ self.basis / radius
        depth = turned[:, 2]
        return turned[:, :2] / (1.0 - PERSPECTIVE * depth)[:, None], depth


def sphere(at: Array) -> tuple[Array, float]:
    """The middle and the radius of a ball that holds all points."""
    middle = (at.min(axis=0) + at.max(axis=0)) / 2.0
    radius = float(np.sqrt(np.square(at - middle).sum(axis=1).max(initial=0.0)))
    return middle, radius or 1.0


def box_lines(at: Array) -> Array:
    """The ends (24, 3) of the twelve edges of the box around some points."""
    low, high = at.min(axis=0), at.max(axis=0)
    corners = np.array([[(low, high)[i >> j & 1][j] for j in range(3)] for i in range(8)])
    pairs = [(i, i | 1 << j) for i in range(8) for j in range(3) if not i >> j & 1]
    return corners[np.array(pairs)].reshape(-1, 3)


class Wires(pg.GraphicsObject):
    """Straight lines in few styles, each style drawn in one call."""

    def __init__(self) -> None:
        super().__init__()
        self._groups: list[tuple[QPen, Any]] = []

    def set(self, groups: list[tuple[Any, Array]]) -> None:
        """Draw these: a pen and the ends (m, 4) of its lines, bottom first."""
        self._groups = []
        for pen, lines in groups:
            if len(lines):
                kept = internals.PrimitiveArray(QLineF, 4)
                kept.resize(len(lines))
                kept.ndarray()[:] = lines
                self._groups.append((pen, kept))
        self.update()

    def boundingRect(self) -> QRectF:
        """Everything that is ever seen: the ball of radius one, and a little more for the perspective."""
        return QRectF(-1.5, -1.5, 3.0, 3.0)

    def dataBounds(self, ax: int, frac: float = 1.0, orthoRange: object = None) -> None:
        """Nothing: the points say how much of the view is needed."""
        return

    def paint(self, painter: QPainter, *_: object) -> None:
        """Draw the lines."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for pen, lines in self._groups:
            set_pen(painter, pen)
            painter.drawLines(*lines.drawargs())


class Triad(QGraphicsWidget):
    """The directions of the three axes with their names, in the lower left corner of the view."""

    ARM = 3.0
    """Length of an axis, in font sizes."""

    def __init__(self, parent: QGraphicsItem) -> None:
        super().__init__(parent)
        self._basis = np.eye(3)
        self._names: tuple[str, ...] = ()
        self._theme = LIGHT
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)

    def show_axes(self, camera: Camera, names: tuple[str, ...], theme: Theme) -> None:
        """Draw the axes of this camera."""
        self._basis, self._names, self._theme = camera.basis, names, theme
        self.update()

    def boundingRect(self) -> QRectF:
        """The whole view: the names of long axes need room."""
        parent = self.parentItem()
        return QRectF() if parent is None else parent.boundingRect()

    def middle(self) -> Array:
        """Where the axes meet, in pixels of the view."""
        arm = self.ARM * self._theme.font
        return np.array([arm + 4 * SPACING, self.boundingRect().height() - arm - 3 * SPACING])

    def paint(self, painter: QPainter, *_: object) -> None:
        """Draw the arrows, the farthest first; not in a view so small that they would be in the way."""
        if min(self.boundingRect().width(), self.boundingRect().height()) < 8 * self.ARM * self._theme.font:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        font = QFont()
        font.setPointSizeF(self._theme.letters(0.85))
        painter.setFont(font)
        metrics = QFontMetricsF(font)
        middle, arm = QPointF(*self.middle()), self.ARM * self._theme.font
        for axis in np.argsort(self._basis[:, 2])[: len(self._names)].tolist():
            if axis >= len(self._names):
                continue
            across, up, near = self._basis[axis]
            tip = middle + QPointF(across * arm, -up * arm)
            shade = QColor(self._theme.text if near > -0.3 else self._theme.muted)
            painter.setPen(QPen(shade, max(self._theme.stroke * 0.7, 1.0)))
            painter.drawLine(QLineF(middle, tip))
            if math.hypot(across, up) > 0.25:
                name = self._names[axis]
                place = middle + QPointF(across * arm * 1.25, -up * arm * 1.25)
                width = metrics.horizontalAdvance(name)
                left = place.x() if across >= 0 else place.x() - width
                painter.drawText(QPointF(max(left, 2.0), place.y() + metrics.ascent() / 3), name)
