"""Maps of the data and tables of numbers between points, both linked to the points."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor

from algorithms.data import Array
from algorithms.marks import Embedding, Matrix
from mlviz.views.lines import LineItem
from mlviz.views.names import NamesItem
from mlviz.views.renderers._looks import codes_of, sprite_of
from mlviz.views.renderers.base import NO_POINTS, Renderer, make_pen, renders
from mlviz.views.scale import table_colours
from mlviz.views.sprites import EMPTY, Sprite, SpriteLayer

REACH = 10.0
"""How near, in pixels, the mouse must be to a point to mean it."""


@renders(Embedding)
class EmbeddingRenderer(Renderer):
    """The points in the looks they have in the other views, and a path among them."""

    def __init__(self, canvas: Any, ordinal: int) -> None:
        super().__init__(canvas, ordinal)
        self._dots: SpriteLayer = self.add(SpriteLayer())
        self._rim = self.add(LineItem(antialias=True))
        self._path = self.add(LineItem(antialias=True))
        self._ring: SpriteLayer = self.add(SpriteLayer())
        self._names: NamesItem = self.add(NamesItem())
        self._mark: Embedding | None = None
        self._lit: Array = NO_POINTS

    def set_height(self, height: int) -> None:
        for number, item in enumerate(self.items):
            item.setZValue(100.0 + number)

    def show(self, mark: Embedding) -> None:
        codes = codes_of(self.scene, mark.points, mark.values, len(mark.at))
        kinds, which = np.unique(codes, return_inverse=True)
        size = 0.7 if len(mark.at) > 400 else 0.85
        self._dots.set(mark.at, tuple(sprite_of(self.theme, kind, size) for kind in kinds.tolist()), which)
        if self._mark is None or self._mark.equal != mark.equal:
            self.canvas.box.setAspectLocked(mark.equal, ratio=1.0)
        name_axis(self.canvas, "bottom", mark.x or self.canvas.panel.x)
        name_axis(self.canvas, "left", mark.y or self.canvas.panel.y)
        self.canvas.getAxis("left").setStyle(showValues=mark.y != " ")  # a map of one dimension has no heights
        self._mark = mark
        for item in self.items:
            item.setVisible(True)
        self._names.set(mark.at, mark.names, self.theme)
        self._draw_path(mark)
        self._draw_ring()

    def hide(self) -> None:
        if self._mark is not None:
            self.canvas.box.setAspectLocked(False)
        super().hide()
        self._mark = None

    def light_points(self, points: Array) -> None:
        self._lit = points
        if self._mark is not None:
            self._draw_ring()

    def points_at(self, place: QPointF) -> Array:
        if self._mark is None or not len(self._mark.at):
            return NO_POINTS
        gaps = (self._mark.at - (place.x(), place.y())) / self.canvas.box.viewPixelSize()
        distance = np.hypot(*gaps.T)
        nearest = int(distance.argmin())
        if distance[nearest] > REACH:
            return NO_POINTS
        return np.array([nearest if self._mark.points is None else self._mark.points[nearest]])

    def _draw_path(self, mark: Embedding) -> None:
        visible = mark.path is not None and len(mark.path) > 1
        at = mark.at[mark.path] if visible else EMPTY
        for item, pen in (
            (self._rim, make_pen(self.theme.plot, self.theme.stroke * 2.2)),
            (self._path, make_pen(self.theme.line, self.theme.stroke)),
        ):
            item.setData(x=at[:, 0], y=at[:, 1], pen=pen)
            item.setVisible(visible)

    def _draw_ring(self) -> None:
        assert self._mark is not None
        mark = self._mark
        rows = self._lit[self._lit < len(mark.at)]
        if mark.points is not None:
            rows = np.flatnonzero(np.isin(mark.points, self._lit))
        look = Sprite("o", self.theme.point * 2.0, None, self.theme.line, self.theme.stroke)
        self._ring.set(mark.at[rows], (look,), np.zeros(len(rows), dtype=np.intp))


@renders(Matrix)
class MatrixRenderer(Renderer):
    """An image with a cell for each number, strong where it is small; the rows and columns of lit points are struck."""

    def __init__(self, canvas: Any, ordinal: int) -> None:
        super().__init__(canvas, ordinal)
        self._image = self.add(pg.ImageItem(axisOrder="row-major"))
        self._cross = self.add(pg.PlotCurveItem(connect="pairs"))
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
        name_axis(self.canvas, "bottom", self._label(mark))
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
        image = np.empty((*mark.values.shape, 4), dtype=np.ubyte)
        image[..., 3] = 255
        image[..., :3] = table_colours(self.theme, mark.values, mark.signed)
        if mark.unknown is not None:
            image[mark.unknown, :3] = _rgb(self.theme.border)
        return image


def name_axis(canvas: Any, side: str, name: str) -> None:
    """Change the name of an axis during a run; pyqtgraph centres names only when the size changes."""
    axis = canvas.getAxis(side)
    if axis.labelText != name:
        canvas.setLabel(side, name)
        axis.resizeEvent()


def _rgb(colour: str) -> tuple[int, int, int]:
    shade = QColor(colour)
    return shade.red(), shade.green(), shade.blue()
