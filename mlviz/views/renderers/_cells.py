"""Boxes of the feature space cut by a plane that is not along its axes: convex polygons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPolygonF

from algorithms.data import Array
from algorithms.marks import OPEN, Rectangles
from mlviz.session.projection import PrincipalPlane
from mlviz.views.pens import make_pen, set_pen
from mlviz.views.theme import Theme


def half_planes(low: Array, high: Array, plane: PrincipalPlane) -> tuple[Array, Array]:
    """Where the plane is inside a box (d,): normals (q, 2) and bounds (q,) with ``normal @ place >= bound``."""
    mean, slopes = np.array(plane.mean), np.array(plane.directions).T
    below, above = low > -OPEN, high < OPEN
    normals = np.concatenate([slopes[below], -slopes[above]])
    return normals, np.concatenate([(low - mean)[below], (mean - high)[above]])


def cell(normals: Array, bounds: Array, view: QRectF) -> Array:
    """The corners (m, 2) of the part of the view that satisfies every bound; none when there is no such part."""
    corners = np.array(
        [
            (view.left(), view.top()),
            (view.right(), view.top()),
            (view.right(), view.bottom()),
            (view.left(), view.bottom()),
        ]
    )
    for normal, bound in zip(normals, bounds):
        corners = _cut(corners, corners @ normal - bound)
        if not len(corners):
            break
    return corners


def crossing(corners: Array, normal: Array, bound: float) -> Array:
    """The two ends (2, 2) of the line ``normal @ place == bound`` inside a convex polygon; none when it passes by."""
    height = corners @ normal - bound
    ends = []
    for number in range(len(corners)):
        after = (number + 1) % len(corners)
        if (height[number] >= 0) != (height[after] >= 0):
            fraction = height[number] / (height[number] - height[after])
            ends.append(corners[number] + fraction * (corners[after] - corners[number]))
    return np.array(ends).reshape(-1, 2)


@dataclass(frozen=True, slots=True, eq=False)
class AskewCut:
    """A cut across cells: the half-planes of what is cut, and the line ``normal @ place == bound`` that cuts it."""

    sides: tuple[Array, Array]
    normal: Array  # (2,)
    bound: float

    def lines(self, view: QRectF) -> list[QLineF]:
        """What can be seen of it: one line, or none when the plane passes by."""
        ends = crossing(cell(*self.sides, view), self.normal, self.bound)
        return [QLineF(*ends[0], *ends[1])] if len(ends) == 2 else []


def askew_cut(mark: Rectangles, plane: PrincipalPlane) -> AskewCut | None:
    """The cut of this step on a plane of principal components."""
    if mark.cut is None:
        return None
    boxes, (feature, value) = list(mark.active or range(len(mark.low))), mark.cut
    sides = half_planes(mark.low[boxes].min(axis=0), mark.high[boxes].max(axis=0), plane)
    return AskewCut(sides, np.array(plane.directions)[:, feature], value - plane.mean[feature])


def _cut(corners: Array, height: Array) -> Array:
    """The part of a convex polygon where a linear height, given at its corners, is not negative."""
    if (height >= 0).all():
        return corners
    kept = []
    for number in range(len(corners)):
        after = (number + 1) % len(corners)
        if height[number] >= 0:
            kept.append(corners[number])
        if (height[number] >= 0) != (height[after] >= 0):
            fraction = height[number] / (height[number] - height[after])
            kept.append(corners[number] + fraction * (corners[after] - corners[number]))
    return np.array(kept).reshape(-1, 2)


def paint_cells(
    painter: QPainter,
    cells: Sequence[Array],
    fills: Sequence[QColor],
    rings: Sequence[tuple[Sequence[int], str]],
    theme: Theme,
) -> None:
    """The cells with their fills and thin borders, then those that are ringed in a colour."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    shapes = [QPolygonF([QPointF(x, y) for x, y in corners.tolist()]) for corners in cells]
    set_pen(painter, make_pen(theme.muted, theme.stroke * 0.5))
    for shape, fill in zip(shapes, fills):
        painter.setBrush(fill)
        painter.drawPolygon(shape)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for numbers, colour in rings:
        set_pen(painter, make_pen(colour, theme.stroke))
        for number in numbers:
            painter.drawPolygon(shapes[number])
