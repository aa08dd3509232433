"""A number for every pair of settings, as a map of cells that can be pointed at."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPen

from algorithms.data import Array
from algorithms.marks import CellMap
from algorithms.maths.words import number
from mlviz.views.colours import channels
from mlviz.views.lines import CurveItem
from mlviz.views.pens import make_pen
from mlviz.views.renderers.base import Renderer, renders

FRAME = np.array([[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]) - 0.5


@renders(CellMap)
class CellMapRenderer(Renderer):
    """An image with a cell for each number; a cell that is clicked or dragged over sets the parameter."""

    def __init__(self, canvas: Any, ordinal: int) -> None:
        super().__init__(canvas, ordinal)
        self._image = self.add(pg.ImageItem(axisOrder="row-major"))
        self._seen = self.add(CurveItem())
        self._best = self.add(CurveItem())
        self._under_mouse = self.add(CurveItem())
        self._mark: CellMap | None = None
        self._sent: tuple[int, int] | None = None

    def show(self, mark: CellMap) -> None:
        rows, columns = mark.values.shape
        self._mark = mark
        self._image.setImage(self._colours(mark), levels=None, autoLevels=False)
        self._image.setRect(QRectF(-0.5, -0.5, columns, rows))
        self.canvas.getAxis("bottom").set_names(mark.columns)
        self.canvas.getAxis("left").set_names(mark.rows)
        self.canvas.name_axis("bottom", self._label(mark))
        self.canvas.name_axis("left", mark.y)
        width = 1.5 * self.theme.stroke
        dashed = make_pen(self.theme.text, width, dashed=True)
        self._frame(self._seen, mark.seen, dashed)
        self._frame(self._best, mark.best, make_pen(self.theme.text, width))
        for item in self.items:
            item.setVisible(True)

    def _frame(self, item: CurveItem, cell: tuple[int, int] | None, pen: QPen) -> None:
        at = np.empty((0, 2)) if cell is None else FRAME + np.array(cell[::-1])
        item.setData(x=at[:, 0], y=at[:, 1], pen=pen)

    def hover(self, place: QPointF | None) -> tuple[str, Any] | None:
        """The cell under the mouse, with a frame around it."""
        mark = self._mark
        cell = None if place is None or mark is None or not mark.handle else self._cell(place)
        self._frame(self._under_mouse, cell, make_pen(self.theme.colour(1), 1.5 * self.theme.stroke))
        return None if cell is None or mark is None else (mark.handle, (cell[1] + 1, cell[0] + 1))

    def hide(self) -> None:
        if self._mark is not None:
            for side in ("left", "bottom"):
                self.canvas.getAxis(side).set_names(())
        self.hover(None)
        super().hide()
        self._mark = None

    def grab(self, place: QPointF, reach: tuple[float, float]) -> bool:
        self._sent = None
        return self._mark is not None and bool(self._mark.handle) and self._cell(place) is not None

    def click(self, place: QPointF) -> bool:
        if not self.grab(place, (0.0, 0.0)):
            return False
        self.drag(place, finished=True)
        return True

    def drag(self, place: QPointF, finished: bool) -> None:
        """The cell under the mouse."""
        cell = self._cell(place) or self._sent
        if self._mark is not None and cell is not None and (cell != self._sent or finished):
            self._sent = cell
            self.canvas.param_dragged.emit((self._mark.handle, (cell[1] + 1, cell[0] + 1), finished))

    def _cell(self, place: QPointF) -> tuple[int, int] | None:
        assert self._mark is not None
        rows, columns = self._mark.values.shape
        row, column = round(place.y()), round(place.x())
        return (row, column) if 0 <= row < rows and 0 <= column < columns else None

    def _label(self, mark: CellMap) -> str:
        """The parameter, and what the colours mean: a legend would hide a part of the map."""
        known = mark.values if mark.unknown is None else mark.values[~mark.unknown]
        if not len(known):
            return mark.x
        least, most = ("dark", "light") if self.theme.name == "light" else ("light", "dark")
        return f"{mark.x}      ({mark.name}: {least} {number(known.min())}, {most} {number(known.max())})"

    def _colours(self, mark: CellMap) -> Array:
        """Strong where the number is small; differences count, not sizes, so the range is that of the known cells."""
        unknown = np.zeros(mark.values.shape, dtype=bool) if mark.unknown is None else mark.unknown
        known = mark.values[~unknown]
        low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
        fraction = np.clip((mark.values - low) / (high - low or 1.0), 0.0, 1.0)[..., None]
        near, far = (np.array(channels(colour), dtype=float) for colour in (self.theme.accent, self.theme.plot))
        image = np.full((*mark.values.shape, 4), 255, dtype=np.ubyte)
        image[..., :3] = np.rint(near + (far - near) * np.sqrt(fraction))
        image[unknown, :3] = channels(self.theme.border)
        return image
