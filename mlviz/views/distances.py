"""The heat map of a table of distances: a cell for every pair, strong where they are near, with names on both sides."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QLinearGradient, QPainter
from PySide6.QtWidgets import QGraphicsItem, QGraphicsWidget, QWidget

from algorithms.contract import Panel
from algorithms.data import Array, Distances
from algorithms.marks import Assignment, Mark, SoftAssignment
from mlviz.session.layout import Viewport
from mlviz.views.canvas import Canvas
from mlviz.views.fitting_text import elided
from mlviz.views.lines import CurveItem
from mlviz.views.pens import make_pen
from mlviz.views.renderers.base import NO_POINTS
from mlviz.views.scale import table_colours, table_pixels
from mlviz.views.scene import BESIDE, Scene
from mlviz.views.theme import LIGHT, SPACING, Theme

LONGEST = 0.25
"""Names longer than this fraction of the view are cut; those of the cell under the mouse are not."""
STRIP = 0.6
"""The width of the strip of colours beside the rows, in cells."""
MOST_LIT = 8
"""Rows that are struck at once."""


class CellNames(QGraphicsWidget):
    """The names of rows and columns beside the table, where each of them has room, and the scale of the colours."""

    def __init__(self, parent: QGraphicsItem) -> None:
        super().__init__(parent)
        self.names: tuple[str, ...] = ()
        self.top = 0.0
        self.theme = LIGHT
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)
        self.setZValue(900)

    def boundingRect(self) -> QRectF:
        """The whole view."""
        parent = self.parentItem()
        return QRectF() if parent is None else parent.boundingRect()

    def set(self, names: tuple[str, ...], top: float, theme: Theme) -> None:
        """Write these names, and ``top`` as the largest distance."""
        self.names, self.top, self.theme = names, top, theme
        self.update()

    @property
    def _letters(self) -> QFont:
        """The letters of the names."""
        font = QFont()
        font.setPointSizeF(self.theme.letters(0.85))
        return font

    def margins(self, width: float, height: float) -> tuple[float, float, float]:
        """The room in pixels left of and below the table for its names, and below those for the scale."""
        metrics = QFontMetricsF(self._letters)
        scale = 1.6 * metrics.height()
        widest = max((metrics.horizontalAdvance(name) for name in self.names), default=0.0)
        room = min(widest, LONGEST * min(width, height)) + SPACING
        fits = min(width - room, height - room - scale) / max(len(self.names), 1) >= 0.82 * metrics.height()
        return (room, room, scale) if fits else (SPACING, 0.0, scale)

    def paint(self, painter: QPainter, *_: object) -> None:
        """Write the names along the edges of the table, or of the view where the table goes on beyond it."""
        view = self.parentItem()
        assert isinstance(view, pg.ViewBox)
        area, n = self.boundingRect(), len(self.names)
        left, below, scale = self.margins(area.width(), area.height())
        corner = view.mapFromView(QPointF(0.0, 0.0))
        opposite = view.mapFromView(QPointF(n, n))
        edge = max(corner.x(), area.left() + left)
        floor = min(corner.y(), area.bottom() - below - scale)
        painter.setFont(self._letters)
        cell = (opposite.x() - corner.x()) / max(n, 1)
        if below:
            self._cover(painter, area, corner, QPointF(edge, floor))
            painter.setPen(QColor(self.theme.muted))
            for number, name in enumerate(self.names):
                self._write_row(painter, name, edge, opposite.y() + (number + 0.5) * cell, floor, left)
                self._write_column(
                    painter, name, corner.x() + (number + 0.5) * cell, floor, (edge, area.right()), below
                )
        self._paint_scale(painter, (corner.x() + opposite.x()) / 2, floor + below + 0.5 * scale)

    def _cover(self, painter: QPainter, area: QRectF, corner: QPointF, shown: QPointF) -> None:
        """Where the table goes on beyond the view, its names lie over it."""
        plot = QColor(self.theme.plot)
        if shown.x() > corner.x() + 0.5:
            painter.fillRect(QRectF(area.left(), area.top(), shown.x() - area.left(), area.height()), plot)
        if shown.y() < corner.y() - 0.5:
            painter.fillRect(QRectF(area.left(), shown.y(), area.width(), area.bottom() - shown.y()), plot)

    def _write_row(self, painter: QPainter, name: str, edge: float, middle: float, floor: float, room: float) -> None:
        metrics = QFontMetricsF(self._letters)
        if self.boundingRect().top() <= middle <= floor:
            name = elided(name, metrics, room - 4.0)
            place = QPointF(edge - 4.0 - metrics.horizontalAdvance(name), middle + metrics.capHeight() / 2)
            painter.drawText(place, name)

    def _write_column(
        self, painter: QPainter, name: str, middle: float, floor: float, ends: tuple[float, float], room: float
    ) -> None:
        metrics = QFontMetricsF(self._letters)
        if ends[0] <= middle <= ends[1]:
            name = elided(name, metrics, room - 4.0)
            painter.save()
            painter.translate(middle + metrics.capHeight() / 2, floor + 4.0 + metrics.horizontalAdvance(name))
            painter.rotate(-90.0)
            painter.drawText(QPointF(0.0, 0.0), name)
            painter.restore()

    def _paint_scale(self, painter: QPainter, middle: float, height: float) -> None:
        """A bar from the colour of 0 to that of the largest distance."""
        metrics = QFontMetricsF(self._letters)
        wide, high = 11.0 * self.theme.font, 0.7 * self.theme.font
        bar = QRectF(middle - wide / 2, height - high / 2, wide, high)
        gradient = QLinearGradient(bar.topLeft(), bar.topRight())
        shades = table_colours(self.theme, np.linspace(0.0, 1.0, 9))
        for step, shade in enumerate(shades.tolist()):
            gradient.setColorAt(step / 8, QColor(*shade))
        painter.fillRect(bar, gradient)
        painter.setPen(QColor(self.theme.border))
        painter.drawRect(bar)
        painter.setPen(QColor(self.theme.muted))
        drop = metrics.capHeight() / 2
        painter.drawText(QPointF(bar.left() - 6.0 - metrics.horizontalAdvance("0"), height + drop), "0")
        painter.drawText(QPointF(bar.right() + 6.0, height + drop), f"{self.top:.4g}")


class DistancesView(Canvas):
    """The table of the data. Row i lies between the heights n - i - 1 and n - i, column j between j and j + 1."""

    PANS = True
    SEES_ALL = False

    def __init__(self, panel: Panel, parent: QWidget | None = None) -> None:
        self._ready = self._moved = False
        super().__init__(panel, parent)
        self._image = pg.ImageItem(axisOrder="row-major")
        self._strip = pg.ImageItem(axisOrder="row-major")
        self._cross = CurveItem(connect="pairs")
        self._frame = CurveItem()
        for height, item in enumerate((self._image, self._strip, self._cross, self._frame)):
            item.setZValue(height)
            self.addItem(item)
        self.names = CellNames(self.box)
        self.readout = pg.TextItem()
        self.readout.setZValue(950)
        self.addItem(self.readout, ignoreBounds=True)
        self.readout.hide()
        self.box.setAspectLocked(True, ratio=1.0)
        self.box.sigRangeChangedManually.connect(self._remember_moved)
        self._ready = True
        self._label_axes()

    @property
    def table(self) -> Distances:
        """The data on show."""
        assert self.scene_info is not None
        assert isinstance(self.scene_info.data, Distances)
        return self.scene_info.data

    def set_scene(self, scene: Scene, origin: Array | None = None) -> None:
        """Show another table, or the same one edited."""
        before = 0 if self.scene_info is None else self.scene_info.data.n
        super().set_scene(scene, origin)
        self._point_out(None)
        self._strip.setVisible(False)
        self._draw()
        if before != self.table.n:
            self.fit_view()

    def set_theme(self, theme: Theme) -> None:
        """Colours and sizes from now on."""
        super().set_theme(theme)
        if self._ready and self.scene_info is not None:
            self._draw()
            if not self._moved:
                self.fit_view()

    def show_marks(self, marks: Iterable[Mark]) -> None:
        """Draw one frame; the strip of colours is there while a mark gives the rows groups."""
        marks = tuple(marks)
        self._strip.setVisible(any(isinstance(mark, Assignment | SoftAssignment) for mark in marks))
        super().show_marks(marks)

    def paint_points(self, fills: Array, same: Array | None = None) -> None:
        """A strip of colours beside the rows, (n,) 0xRRGGBB: the groups that an algorithm has put them into."""
        channels = np.stack([fills >> shift & 255 for shift in (16, 8, 0)], axis=1).astype(np.ubyte)
        self._strip.setImage(channels[::-1, None], levels=None, autoLevels=False)
        self._strip.setRect(QRectF(self.table.n + BESIDE - STRIP / 2, 0.0, STRIP, self.table.n))
        self._strip.setVisible(True)

    def light_points(self, points: Array) -> None:
        """Strike the rows and columns of these."""
        super().light_points(points)
        if not self._ready or self.scene_info is None:
            return
        n = self.table.n
        lines = []
        for number in points[points < n][:MOST_LIT].tolist():
            height, across = n - number - 0.5, number + 0.5
            lines += [(0.0, height), (float(n), height), (across, 0.0), (across, float(n))]
        at = np.array(lines, dtype=float).reshape(-1, 2)
        pen = make_pen(self.theme.danger, self.theme.stroke / 2)
        self._cross.setData(x=at[:, 0], y=at[:, 1], connect="pairs", pen=pen)

    # --- what is in view ----------------------------------------------------------------------------------------------

    def fit_view(self) -> None:
        """Show the whole table with its names."""
        area, n = self.box.boundingRect(), self.table.n
        left, below, scale = self.names.margins(area.width(), area.height())
        wide = n + 2.0 * BESIDE
        cell = max(min((area.width() - left) / wide, (area.height() - below - scale - SPACING) / n), 1e-6)
        across, up = area.width() / cell, area.height() / cell
        start = -(left / cell + max(across - left / cell - wide, 0.0) / 2)
        foot = -((below + scale) / cell + max(up - (below + scale) / cell - n, 0.0) / 2)
        self.box.setRange(xRange=(start, start + across), yRange=(foot, foot + up), padding=0)
        self._moved = False

    def viewport_state(self) -> Viewport:
        """Where the table is looked at from, where that has been chosen."""
        return super().viewport_state() if self._moved else Viewport()

    def restore_viewport(self, viewport: Viewport) -> None:
        """Look from there."""
        super().restore_viewport(viewport)
        self._moved = self._moved or viewport.rect is not None

    def _remember_moved(self) -> None:
        self._moved = True

    def _resized(self) -> None:
        if self._ready and self.scene_info is not None and not self._moved:
            self.fit_view()
        super()._resized()

    def _ranged(self) -> None:
        super()._ranged()
        if self._ready:
            self.names.update()

    def _label_axes(self) -> None:
        self.hideAxis("left")
        self.hideAxis("bottom")

    # --- cells --------------------------------------------------------------------------------------------------------

    def cell_at(self, position: QPointF) -> tuple[int, int] | None:
        """The row and column under a position of the widget, or None outside the table."""
        place = self.place_of(position)
        return self.cell_of(place.x(), place.y())

    def cell_of(self, x: float, y: float) -> tuple[int, int] | None:
        """The row and column at a place of the view, or None outside the table."""
        if self.scene_info is None:
            return None
        row, column = self.table.n - 1 - math.floor(y), math.floor(x)
        inside = 0 <= row < self.table.n and 0 <= column < self.table.n
        return (row, column) if inside else None

    def cell_rect(self, row: int, column: int) -> QRectF:
        """Where a cell lies in the widget, for an editor to be put over it."""
        cell = QRectF(column, self.table.n - row - 1.0, 1.0, 1.0)
        return QRectF(self.mapFromScene(self.box.mapViewToScene(cell).boundingRect()).boundingRect())

    def points_at(self, position: QPointF) -> Array:
        """The two things whose distance is under the mouse."""
        cell = self.cell_at(position)
        return NO_POINTS if cell is None else np.unique(cell)

    def viewportEvent(self, event: QEvent) -> bool:
        """Say which distance the mouse is over."""
        if event.type() == QEvent.Type.MouseMove and self._ready:
            self._point_out(self.cell_at(event.position()))  # type: ignore[attr-defined]
        elif event.type() == QEvent.Type.Leave and self._ready:
            self._point_out(None)
        return super().viewportEvent(event)

    def _point_out(self, cell: tuple[int, int] | None) -> None:
        """Frame a cell and write its two names and its distance beside it."""
        self.readout.setVisible(cell is not None)
        self._frame.setVisible(cell is not None)
        if cell is None:
            return
        row, column = cell
        data, theme = self.table, self.theme
        left, low = float(column), data.n - row - 1.0
        x, y = np.array([0.0, 1.0, 1.0, 0.0, 0.0]) + left, np.array([0.0, 0.0, 1.0, 1.0, 0.0]) + low
        self._frame.setData(x=x, y=y, pen=make_pen(theme.line, theme.stroke))
        words = data.row_name(row)
        if row != column:
            words = f"{words} – {data.row_name(column)}: {data.table[row, column]:.6g}"
        self.readout.setText(words, color=theme.text)
        self.readout.fill = pg.mkBrush(QColor(theme.surface))
        self.readout.border = pg.mkPen(theme.border)
        right, upper = column > data.n / 2, row < data.n / 2
        self.readout.setAnchor((1 if right else 0, 0 if upper else 1))
        self.readout.setPos(left + (0.0 if right else 1.0), low + (0.0 if upper else 1.0))

    def _draw(self) -> None:
        data = self.table
        self._image.setImage(table_pixels(self.theme, data.table)[::-1], levels=None, autoLevels=False)
        self._image.setRect(QRectF(0.0, 0.0, data.n, data.n))
        self.names.set(tuple(data.row_name(row) for row in range(data.n)), float(data.table.max()), self.theme)
        font = QFont()
        font.setPointSizeF(self.theme.font)
        self.readout.setFont(font)
