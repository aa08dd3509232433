"""Closed outlines through given corners."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen, QPolygonF

from algorithms.data import Array
from algorithms.marks import Polygons
from mlviz.views.legend_rows import Row
from mlviz.views.pens import make_pen, set_pen
from mlviz.views.renderers.base import Renderer, renders

FILLING = 0.10
"""How opaque a filled outline is; the points in it must stay readable."""
_LIMIT = 2.0**20  # device coordinates beyond this crash the raster engine


class PolygonItem(pg.GraphicsObject):
    """Outlines, each with its own pen and filling, painted in the coordinates of the screen."""

    def __init__(self) -> None:
        super().__init__()
        self._outlines: tuple[Array, ...] = ()
        self._looks: tuple[tuple[QPen, QBrush], ...] = ()
        self._bounds = QRectF()
        self._extent: QRectF | None = None  # the bounds with the pens, until the view or the outlines change

    def set(self, outlines: tuple[Array, ...], looks: tuple[tuple[QPen, QBrush], ...]) -> None:
        """Show these, each (p, 2)."""
        self.prepareGeometryChange()
        self._outlines, self._looks, self._extent = outlines, looks, None
        corners = np.concatenate(outlines) if outlines else np.empty((0, 2))
        self._bounds = QRectF()
        if len(corners):
            self._bounds = QRectF(QPointF(*corners.min(axis=0)), QPointF(*corners.max(axis=0)))
        self.informViewBoundsChanged()
        self.update()

    def boundingRect(self) -> QRectF:
        """The extent in the coordinates of the canvas, with half a pen around it."""
        if self._extent is None:  # asked for ten times a frame
            across, up = (abs(v.x()) + abs(v.y()) if v is not None else 0.0 for v in self.pixelVectors())
            more = max((pen.widthF() for pen, _ in self._looks), default=0.0)
            self._extent = self._bounds.adjusted(-more * across, -more * up, more * across, more * up)
        return self._extent

    def dataBounds(self, ax: int, frac: float = 1.0, orthoRange: object = None) -> tuple[float, float] | None:
        """The range along one axis, for fitting the view."""
        if not self._outlines:
            return None
        if ax == 0:
            return self._bounds.left(), self._bounds.right()
        return self._bounds.top(), self._bounds.bottom()

    def viewTransformChanged(self) -> None:
        """The pens keep their width on the screen."""
        self.prepareGeometryChange()
        self._extent = None

    def paint(self, painter: QPainter, *_: object) -> None:
        """Draw the outlines."""
        transform = painter.transform()
        painter.resetTransform()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for outline, (pen, brush) in zip(self._outlines, self._looks):
            at = pg.functions.transformCoordinates(transform, np.ascontiguousarray(outline.T, dtype=float)).T
            set_pen(painter, pen)
            painter.setBrush(brush)
            painter.drawPolygon(QPolygonF([QPointF(x, y) for x, y in np.clip(at, -_LIMIT, _LIMIT).tolist()]))


@renders(Polygons)
class PolygonsRenderer(Renderer):
    """Lines in the colours of the groups, with a quiet filling where that is asked for."""

    depth = 70.0

    def __init__(self, canvas: Any, ordinal: int) -> None:
        super().__init__(canvas, ordinal)
        self._item: PolygonItem = self.add(PolygonItem())

    def show(self, mark: Polygons) -> None:
        groups = np.full(len(mark.corners), -1) if mark.groups is None else mark.groups
        looks = {group: self._look(mark, group) for group in set(groups.tolist())}
        outlines = tuple(self.scene.projection.project(corners) for corners in mark.corners)
        self._item.set(outlines, tuple(looks[group] for group in groups.tolist()))
        self._item.setVisible(True)

    def legend(self, mark: Polygons) -> tuple[Row, ...]:
        if not mark.name or not mark.corners:
            return ()
        alike = mark.groups is not None and len(set(mark.groups.tolist())) == 1
        colour = self._colour(int(mark.groups[0]) if alike and mark.groups is not None else -1)
        return (Row(mark.name, line=colour, dashed=mark.dashed, width=self.theme.stroke * 0.8),)

    def _look(self, mark: Polygons, group: int) -> tuple[QPen, QBrush]:
        colour = self._colour(group)
        filling = QColor(colour)
        filling.setAlphaF(FILLING)
        brush = QBrush(filling) if mark.filled else QBrush(Qt.BrushStyle.NoBrush)
        return make_pen(colour, self.theme.stroke * 0.8, dashed=mark.dashed), brush

    def _colour(self, group: int) -> str:
        return self.theme.muted if group < 0 else self.theme.colour(group)
