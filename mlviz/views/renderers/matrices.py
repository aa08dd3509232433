"""Tables of numbers between points, linked to the points."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF

from algorithms.data import Array
from algorithms.marks import Matrix
from mlviz.views.colours import channels
from mlviz.views.lines import CurveItem
from mlviz.views.pens import make_pen
from mlviz.views.renderers.base import NO_POINTS, Renderer, renders
from mlviz.views.scale import table_pixels


@renders(Matrix)
class MatrixRenderer(Renderer):
    """An image with a cell for each number, strong where it is small; the rows and columns of lit points are struck."""

    def __init__(self, canvas: Any, ordinal: int) -> None:
        super().__init__(canvas, ordinal)
        self._image = self.add(pg.ImageItem(axisOrder="row-major"))
        self._cross = self.add(CurveItem(connect="pairs"))
        self._mark: Matrix | None = None
        self._lit: Array = NO_POINTS

    def show(self, mark: Matrix) -> None:
        rows, columns = mark.values.shape
        if self._mark is None:
            self.canvas.box.setAspectLocked(True, ratio=1.0)
            for side in ("left", "bottom"):
                self.canvas.getAxis(side).setStyle(showValues=False)
        self._mark = mark
        self._image.setImage(self._colours(mark)[::-1], levels=None, autoLevels=False)
        self._image.setRect(QRectF(0.0, 0.0, columns, rows))
        self.canvas.name_axis("bottom", self._label(mark))
        for item in self.items:
            item.setVisible(True)
        self._draw_cross()

    def hide(self) -> None:
        if self._mark is not None:
            self.canvas.box.setAspectLocked(False)
            for side in ("left", "bottom"):
                self.canvas.getAxis(side).setStyle(showValues=True)
        super().hide()
        self._mark = None

    def _label(self, mark: Matrix) -> str:
        """What the colours mean, below the image: a legend would hide a part of it."""
        known = mark.values if mark.unknown is None else mark.values[~mark.unknown]
        top = float(np.abs(known).max(initial=0.0))
        words = f"{mark.name} up to {top:.4g}"
        if mark.signed:
            words = f"{mark.name} up to ±{top:.4g}"
        return words if mark.unknown is None else f"{words}, grey: unknown"

    def light_points(self, points: Array) -> None:
        self._lit = points
        if self._mark is not None:
            self._draw_cross()

    def points_at(self, place: QPointF) -> Array:
        """The points of the row and of the column of a cell."""
        if self._mark is None or self._mark.points is None:
            return NO_POINTS
        rows, columns = self._mark.values.shape
        row, column = rows - 1 - int(np.floor(place.y())), int(np.floor(place.x()))
        if not (0 <= row < rows and 0 <= column < columns):
            return NO_POINTS
        return np.unique(self._mark.points[[row, column]])

    def _draw_cross(self) -> None:
        """A line along the row and the column of every lit point."""
        assert self._mark is not None
        rows, columns = self._mark.values.shape
        lit = NO_POINTS if self._mark.points is None else np.flatnonzero(np.isin(self._mark.points, self._lit))[:8]
        lines = [end for i in lit.tolist() for end in ((0, rows - i - 0.5), (columns, rows - i - 0.5))]
        lines += [end for i in lit.tolist() for end in ((i + 0.5, 0), (i + 0.5, rows))]
        at = np.array(lines, dtype=float).reshape(-1, 2)
        self._cross.setData(x=at[:, 0], y=at[:, 1], connect="pairs", pen=make_pen(self.theme.danger, 1.0))

    def _colours(self, mark: Matrix) -> Array:
        image = table_pixels(self.theme, mark.values, mark.signed)
        if mark.unknown is not None:
            grey = np.array([*channels(self.theme.border), 255], dtype=np.ubyte).view(np.uint32)
            np.copyto(image.view(np.uint32)[..., 0], grey, where=mark.unknown)
        return image
