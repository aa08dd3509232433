"""A canvas of cells in rows and columns, one for each item of the data: texts, small graphs.

Its coordinates are pixels, with the first cell on top; what does not fit into the view is scrolled to. Subclasses say
how large a cell is and what is painted into it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QHelpEvent, QPainter, QPen, QTransform, QWheelEvent
from PySide6.QtWidgets import QToolTip, QWidget

from algorithms.contract import Panel
from algorithms.data import Array
from algorithms.marks import Assignment, Mark, SoftAssignment
from mlviz.session.layout import Viewport
from mlviz.views.canvas import Canvas
from mlviz.views.colours import text_of
from mlviz.views.legend_rows import Row
from mlviz.views.pens import make_pen, set_pen
from mlviz.views.plain_text import plain
from mlviz.views.renderers.base import NO_POINTS
from mlviz.views.scene import Scene
from mlviz.views.sprites import Sprite, SpriteLayer
from mlviz.views.theme import SPACING, Theme

PAD = 6.0
"""Pixels between the edge of a cell and what is in it."""
MARGIN = 5.0
"""Pixels above the first row and below the last."""
BESIDE = 0.35
"""The fraction of the width that may stay free for the legend."""
NOTCH = 120.0
"""What the wheel gives for one notch, and how many pixels that scrolls, at least."""


@dataclass(frozen=True, slots=True)
class Grid:
    """Cells of one size in rows and columns, one below the other first where ``by_column`` is set."""

    n: int
    columns: int = 1
    width: float = 100.0
    height: float = 20.0
    by_column: bool = False

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return math.ceil(self.n / self.columns)

    def corner(self, number: int) -> tuple[float, float]:
        """The left and the upper edge of a cell."""
        row, column = (
            (number % max(self.rows, 1), number // max(self.rows, 1))
            if self.by_column
            else divmod(number, self.columns)
        )
        return column * self.width, -row * self.height

    def rect(self, number: int) -> QRectF:
        """Where a cell is; upwards is positive."""
        left, top = self.corner(number)
        return QRectF(left, top - self.height, self.width, self.height)

    def cell_at(self, x: float, y: float) -> int | None:
        """The cell at a place, or None."""
        row, column = math.floor(-y / self.height), math.floor(x / self.width)
        if not (0 <= row < self.rows and 0 <= column < self.columns):
            return None
        number = column * self.rows + row if self.by_column else row * self.columns + column
        return number if number < self.n else None

    def cells_in(self, area: QRectF) -> Array:
        """The cells that an area touches, in their order."""
        rows = range(max(math.floor(-area.bottom() / self.height), 0), self.rows)
        rows = rows[: max(math.floor(-area.top() / self.height) + 1 - rows.start, 0)]
        columns = range(max(math.floor(area.left() / self.width), 0), self.columns)
        columns = columns[: max(math.floor(area.right() / self.width) + 1 - columns.start, 0)]
        row, column = (side.ravel() for side in np.meshgrid(rows, columns, indexing="ij"))
        number = column * self.rows + row if self.by_column else row * self.columns + column
        return np.sort(number[number < self.n]).astype(np.intp)


class CellsView(Canvas):
    """The canvas of a list of things. The editor may offer one more cell behind the last, for something new."""

    PANS = True
    SEES_ALL = False
    NEW: ClassVar[str] = ""
    """What stands in the cell for something new."""

    def __init__(self, panel: Panel, parent: QWidget | None = None) -> None:
        self._ready = self._setting = False
        self.grid = Grid(0)
        self.selection: Array = NO_POINTS
        self.offers_new = False
        self._lit_items: Array = NO_POINTS
        self._fills: Array = np.empty(0, dtype=np.int64)
        self._recoloured = False
        self._top = self._kept_free = 0.0
        super().__init__(panel, parent)
        self.cells = CellsItem(self)
        self.glyphs = SpriteLayer()
        for depth, item in ((50, self.cells), (100, self.glyphs)):
            item.setZValue(depth)
            self.addItem(item, ignoreBounds=True)
        self.legend.avoid = self._filled_places
        self.legend.crowding = 0.02
        self._ready = True
        self._label_axes()

    # -- what a subclass says ------------------------------------------------------------------------------------

    def make_grid(self, count: int, width: float, height: float) -> Grid:
        """The cells for so many things in a view of this size."""
        raise NotImplementedError

    def glyph_places(self) -> Array:
        """Where the sign of the class of every item is, (n, 2)."""
        raise NotImplementedError

    def paint_cell(self, painter: QPainter, number: int, box: QRectF) -> None:
        """Paint an item into its cell on the device."""
        raise NotImplementedError

    def tip(self, number: int) -> str:
        """What a tool tip says of an item; empty where everything can be seen."""
        return ""

    # -- what is shown -------------------------------------------------------------------------------------------

    @property
    def font_now(self) -> QFont:
        """The letters in the cells."""
        font = QFont()
        font.setPointSizeF(self.theme.font)
        return font

    def set_scene(self, scene: Scene, origin: Array | None = None) -> None:
        """Show other data, or the same edited."""
        if origin is None:
            self._kept_free = 0.0
        kept = self._fills if origin is not None and self._recoloured else None
        super().set_scene(scene, origin)
        self._lit_items = NO_POINTS
        self.selection = self.selection[self.selection < scene.data.n]
        self.arrange()
        assert self.scene_info is not None
        if kept is None or origin is None or not len(kept):
            self._recoloured = False
            self._base_rows = self._scene_rows(scene)
            self.paint_points(self.scene_info.class_fills())
            self.legend.set_rows(self._base_rows, self.theme)
            self._keep_free()
        else:
            grey = self.scene_info.group_colours(np.array([-1]))[0]
            self.paint_points(np.where(origin >= 0, kept[origin], grey))

    def set_theme(self, theme: Theme) -> None:
        """Colours and sizes from now on."""
        if self._ready and self.scene_info is not None:  # before the marks are shown, whose legend begins with these
            self._base_rows = self._scene_rows(replace(self.scene_info, theme=theme))
        super().set_theme(theme)
        if self._ready and self.scene_info is not None:
            self.arrange()
            if not self._recoloured:
                self.paint_points(self.scene_info.class_fills())
            if not self._marks:
                self.legend.set_rows(self._base_rows, theme)

    def show_marks(self, marks: Iterable[Mark]) -> None:
        """Draw one frame; the signs wear the colours of the classes unless a mark says otherwise."""
        assert self.scene_info is not None
        marks = tuple(marks)
        recoloured = any(isinstance(mark, Assignment | SoftAssignment) for mark in marks)
        if recoloured != self._recoloured:
            self._recoloured = recoloured
            self._base_rows = self._scene_rows(self.scene_info)
        if not recoloured:
            self.paint_points(self.scene_info.class_fills())
        super().show_marks(marks)
        self._keep_free()
        self.cells.update()

    def _keep_free(self) -> None:
        """Leave room for the largest legend so far beside the cells, where there is room for it."""
        wanted = self.legend.wanted_size().width()
        if wanted > self._kept_free and wanted <= BESIDE * self.box.boundingRect().width():
            self._kept_free = wanted
            self.arrange()
            self.legend.place(anew=True)

    def paint_points(self, fills: Array, same: Array | None = None) -> None:
        """Colour the items, (n,) 0xRRGGBB."""
        assert self.scene_info is not None
        self._fills = fills
        sprites, which = self.scene_info.looks(fills)
        self.glyphs.set(self.scene_info.at, sprites, which)
        self.cells.update()

    def fill_of(self, number: int) -> QColor:
        """The colour of an item now."""
        return QColor(text_of(int(self._fills[number]))) if number < len(self._fills) else QColor(self.theme.muted)

    def light_points(self, points: Array) -> None:
        """Show which items are meant."""
        super().light_points(points)
        if self._ready and not np.array_equal(points, self._lit_items):
            self._lit_items = points
            self.cells.update()

    def select(self, items: Array) -> None:
        """Frame these items."""
        self.selection = items
        self.cells.update()

    def offer_new(self, offered: bool) -> None:
        """Have a cell for something new behind the last one, or none."""
        if offered != self.offers_new:
            self.offers_new = offered
            self.arrange()

    def is_lit(self, number: int) -> bool:
        """Whether an item is meant by the mouse."""
        return bool((self._lit_items == number).any())

    # -- where it is shown ---------------------------------------------------------------------------------------

    def arrange(self) -> None:
        """Lay out the cells anew: there are others, or the view has another size."""
        area = self.box.boundingRect()
        if not self._ready or self.scene_info is None or min(area.width(), area.height()) < 8:
            return
        count = self.scene_info.data.n + self.offers_new
        free = self._kept_free if self._kept_free <= BESIDE * area.width() else 0.0
        self.grid = self.make_grid(count, area.width() - free, area.height() - 2 * MARGIN)
        before, at = self.scene_info.at, self.glyph_places()
        self.scene_info = replace(self.scene_info, at=at)
        self.cells.set_extent(QRectF(0.0, -self._height(), area.width(), self._height()))
        self.scroll_to(self._top)
        if not np.array_equal(before, at):
            if len(self._fills) == len(at):
                self.paint_points(self._fills)
            if self._marks:
                self.show_marks(self._marks)
        self.cells.update()

    def _height(self) -> float:
        return self.grid.rows * self.grid.height

    def scroll_to(self, top: float) -> None:
        """Begin the view so many pixels below the first cell."""
        area = self.box.boundingRect()
        self._top = min(max(top, 0.0), max(self._height() + 2 * MARGIN - area.height(), 0.0))
        self._setting = True
        self.box.setRange(
            xRange=(0.0, area.width()),
            yRange=(MARGIN - self._top - area.height(), MARGIN - self._top),
            padding=0,
            disableAutoRange=True,
        )
        self._setting = False

    def reveal(self, number: int) -> None:
        """Scroll as little as needed to see a cell."""
        _, top = self.grid.corner(number)
        room = self.box.boundingRect().height()
        self.scroll_to(min(max(self._top, -top + self.grid.height + 2 * MARGIN - room), -top))

    def fit_view(self) -> None:
        """Go to the first cell."""
        self._top = 0.0
        self.arrange()

    def viewport_state(self) -> Viewport:
        """How far it is scrolled, where it is."""
        return super().viewport_state() if self._top else Viewport()

    def restore_viewport(self, viewport: Viewport) -> None:
        """Scroll as far as it was."""
        if viewport.rect is not None:
            self.scroll_to(MARGIN - viewport.rect[3])

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll by a few rows."""
        pixels = event.pixelDelta().y() or event.angleDelta().y() * max(2 * self.grid.height, NOTCH / 2) / NOTCH
        self.scroll_to(self._top - pixels)
        event.accept()

    def _resized(self) -> None:
        self.arrange()
        super()._resized()

    def _ranged(self) -> None:
        super()._ranged()
        if self._ready and not self._setting:
            self.scroll_to(MARGIN - self.view_rect()[3])  # the hand moves the list up and down only

    def _label_axes(self) -> None:
        self.hideAxis("left")
        self.hideAxis("bottom")

    # -- the mouse -----------------------------------------------------------------------------------------------

    def item_at(self, x: float, y: float) -> int | None:
        """The item at a place of the view; the cell for something new is none."""
        number = self.grid.cell_at(x, y)
        return None if number is None or self.scene_info is None or number >= self.scene_info.data.n else number

    def items_in(self, area: QRectF) -> Array:
        """The items whose cells an area of the view touches."""
        cells = self.grid.cells_in(area)
        return cells[cells < self.scene_info.data.n] if self.scene_info is not None else NO_POINTS

    def points_at(self, position: QPointF) -> Array:
        """The item under the mouse."""
        place = self.place_of(position)
        item = self.item_at(place.x(), place.y())
        return NO_POINTS if item is None else np.array([item])

    def cell_of(self, number: int) -> QRectF:
        """Where the cell of an item is in the view."""
        return self.grid.rect(number)

    def cell_on_screen(self, number: int) -> QRectF:
        """Where a cell lies in the widget, for an editor to be put over it."""
        return QRectF(self.mapFromScene(self.box.mapViewToScene(self.cell_of(number))).boundingRect())

    def viewportEvent(self, event: QEvent) -> bool:
        """A tool tip shows what has no room in its cell."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent) and self._ready:
            items = self.points_at(QPointF(event.pos()))
            tip = self.tip(int(items[0])) if len(items) else ""
            QToolTip.showText(event.globalPos(), plain(tip), self)
            return True
        return super().viewportEvent(event)

    # -- words ---------------------------------------------------------------------------------------------------

    def _scene_rows(self, scene: Scene) -> tuple[Row, ...]:
        """The classes; without their colours while the items wear those of the algorithm."""
        theme = scene.theme
        return tuple(
            Row(
                name,
                sprite=Sprite(
                    theme.shape(c), theme.point, theme.muted if self._recoloured else theme.colour(c), theme.plot
                ),
            )
            for c, name in enumerate(scene.data.classes)
        )

    def filled_rects(self) -> list[QRectF]:
        """What is seen of the cells in view, in its coordinates."""
        return [self.grid.rect(number) for number in self._in_view()]

    def _in_view(self) -> list[int]:
        left, right, bottom, top = self.view_rect()
        found: list[int] = self.grid.cells_in(QRectF(left, bottom, right - left, top - bottom)).tolist()
        return found

    def _filled_places(self) -> Array:
        """Where something stands, (m, 2) in the pixels of the box: the legend keeps off it."""
        top = self.view_rect()[3]
        found = []
        for rect in self.filled_rects():
            x, y = np.meshgrid(np.linspace(rect.left(), rect.right(), 12), np.linspace(rect.top(), rect.bottom(), 4))
            found.append(np.column_stack([x.ravel(), top - y.ravel()]))
        return np.concatenate(found) if found else np.empty((0, 2))


class CellsItem(pg.GraphicsObject):
    """Paints the cells that can be seen, in pixels, and how far the list is scrolled."""

    def __init__(self, view: CellsView) -> None:
        super().__init__()
        self._view = view
        self._extent = QRectF()
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)

    def set_extent(self, extent: QRectF) -> None:
        """Take this much of the view."""
        self.prepareGeometryChange()
        self._extent = extent

    def boundingRect(self) -> QRectF:
        """All cells, and the view where it is larger."""
        box = self.getViewBox()
        return self._extent if box is None else self._extent.united(box.viewRect())

    def viewTransformChanged(self) -> None:
        """The bar at the side is elsewhere."""
        self.prepareGeometryChange()

    def paint(self, painter: QPainter, *_: Any) -> None:
        """Paint what is in view."""
        view = self._view
        if view.scene_info is None:
            return
        transform = painter.worldTransform()
        painter.save()
        painter.resetTransform()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for number in view._in_view():
            box = transform.mapRect(view.cell_of(number))
            if number < view.scene_info.data.n:
                self._ground(painter, number, box)
                view.paint_cell(painter, number, box)
            else:
                self._new_cell(painter, box)
        self._bar(painter, transform)
        painter.restore()

    def _ground(self, painter: QPainter, number: int, box: QRectF) -> None:
        view, theme = self._view, self._view.theme
        selected = bool((view.selection == number).any())
        if not selected and not view.is_lit(number):
            return
        set_pen(painter, make_pen(theme.accent, 1.5) if selected else QPen(Qt.PenStyle.NoPen))
        painter.setBrush(QColor(theme.faint(theme.accent, 0.16 if selected else 0.1)))
        painter.drawRoundedRect(box.adjusted(1.5, 1.5, -1.5, -1.5), 4, 4)

    def _new_cell(self, painter: QPainter, box: QRectF) -> None:
        theme = self._view.theme
        set_pen(painter, make_pen(theme.muted, 1.0, dashed=True))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(box.adjusted(2, 2, -2, -2), 4, 4)
        painter.setFont(self._view.font_now)
        painter.setPen(QColor(theme.muted))
        painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), self._view.NEW)

    def _bar(self, painter: QPainter, transform: QTransform) -> None:
        """A thin bar that says which part of the list is in view."""
        box, whole = self._view.box.viewRect(), self._view._height() + 2 * MARGIN
        if whole <= box.height() + 0.5:
            return
        area = transform.mapRect(box)
        start, part = (MARGIN - box.bottom()) / whole, box.height() / whole
        bar = QRectF(area.right() - 5.0, area.top() + start * area.height(), 3.0, max(part * area.height(), SPACING))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._view.theme.border))
        painter.drawRoundedRect(bar, 1.5, 1.5)
