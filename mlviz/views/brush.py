"""What a drawing tool sees of the plane, and what it shows there: its cursor, a rubber band, the selection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPainterPath, QPolygonF

from algorithms.data import Array
from algorithms.records import dataclass
from mlviz.views.pens import device_pen, make_pen
from mlviz.views.renderers.base import NO_POINTS
from mlviz.views.sprites import Sprite, SpriteLayer
from mlviz.views.theme import LIGHT, Theme

if TYPE_CHECKING:
    from mlviz.views.canvas import Canvas

LEFT = Qt.MouseButton.LeftButton


@dataclass(frozen=True, slots=True)
class PointerState:
    """The mouse on the plane: where, how large a pixel is there, and the keys held down."""

    x: float
    y: float
    pixel: tuple[float, float] = (1.0, 1.0)
    shift: bool = False
    control: bool = False
    double: bool = False

    @property
    def at(self) -> Array:
        """The place, (2,)."""
        return np.array([self.x, self.y])

    def radii(self, pixels: float) -> tuple[float, float]:
        """A length on the screen in the units of both axes."""
        return pixels * self.pixel[0], pixels * self.pixel[1]


LONGEST_OUTLINE = 100_000.0
"""Pixels along which dashes are still drawn."""


class CanvasTool(Protocol):
    """Whatever takes the left button on a canvas."""

    def press(self, pointer: PointerState) -> None:
        """The button goes down."""

    def drag(self, pointer: PointerState) -> None:
        """The mouse moves with the button down."""

    def release(self, pointer: PointerState) -> None:
        """The button goes up."""

    def hover(self, pointer: PointerState | None) -> None:
        """The mouse moves with no button down; None when it has left the plane."""


@dataclass(frozen=True, slots=True, eq=False)
class Band:
    """A shape that is being drawn: two corners of a rectangle or an ellipse, or the corners of a closed line."""

    kind: Literal["rectangle", "ellipse", "polygon", "line"]
    corners: Array  # (m, 2) in the coordinates of the plane


class MouseRelay:
    """Turns the events of a canvas into states of the pointer for the tool in hand."""

    def __init__(self) -> None:
        self.tool: CanvasTool | None = None
        self._down = False

    @property
    def down(self) -> bool:
        """Whether a tool is drawing: until the button goes up, the view stays where it is."""
        return self._down

    def takes(self, canvas: Canvas, event: QEvent) -> bool:
        """Give the event to the tool; whether it was the tool's alone."""
        if self.tool is None:
            return False
        if event.type() == QEvent.Type.Leave and not self._down:
            self.tool.hover(None)
        return isinstance(event, QMouseEvent) and self._takes_mouse(canvas, self.tool, event)

    def _takes_mouse(self, canvas: Canvas, tool: CanvasTool, event: QMouseEvent) -> bool:
        kind = event.type()
        if kind in (QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonDblClick) and event.button() == LEFT:
            if not _inside(canvas, event.position()):
                return False
            self._down = True
            tool.press(_pointer_state(canvas, event))
            return True
        if kind == QEvent.Type.MouseMove and self._down:
            tool.drag(_pointer_state(canvas, event))
            return True
        if kind == QEvent.Type.MouseMove:
            tool.hover(_pointer_state(canvas, event) if _inside(canvas, event.position()) else None)
        elif kind == QEvent.Type.MouseButtonRelease and self._down and event.button() == LEFT:
            self._down = False
            tool.release(_pointer_state(canvas, event))
            return True
        return False


def _inside(canvas: Canvas, position: QPointF) -> bool:
    return canvas.box.sceneBoundingRect().contains(canvas.mapToScene(position.toPoint()))


def _pointer_state(canvas: Canvas, event: QMouseEvent) -> PointerState:
    place = canvas.place_of(event.position())
    width, height = canvas.box.viewPixelSize()
    keys = event.modifiers()
    return PointerState(
        place.x(),
        place.y(),
        (abs(width), abs(height)),
        shift=bool(keys & Qt.KeyboardModifier.ShiftModifier),
        control=bool(keys & Qt.KeyboardModifier.ControlModifier),
        double=event.type() == QEvent.Type.MouseButtonDblClick,
    )


class BrushLayer:
    """The items of a tool on a canvas, made once."""

    def __init__(self, canvas: Canvas) -> None:
        self._canvas = canvas
        self.cursor = _Outline()
        self.band = _Outline()
        self.rings = SpriteLayer()
        self.selection: Array = NO_POINTS
        for depth, item in ((880, self.rings), (960, self.band), (970, self.cursor)):
            item.setZValue(depth)
            canvas.addItem(item, ignoreBounds=True)

    def set_theme(self, theme: Theme) -> None:
        """Colours and sizes from now on."""
        self.cursor.set_theme(theme)
        self.band.set_theme(theme)
        self.show_selection(self.selection)

    def show_cursor(self, pointer: PointerState | None, radius: float) -> None:
        """A circle of so many pixels around the mouse, or nothing."""
        path = QPainterPath()
        if pointer is not None and radius > 0:
            path.addEllipse(QPointF(pointer.x, pointer.y), *pointer.radii(radius))
        self.cursor.set_path(path)

    def show_band(self, band: Band | None) -> None:
        """What is being drawn or selected, or nothing."""
        self.band.set_path(
            QPainterPath() if band is None else _path(band), open_line=band is None or band.kind == "line"
        )

    def show_selection(self, points: Array, at: Array | None = None) -> None:
        """Ring these points; ``at`` (n, 2) says where all points are while some are being moved."""
        self.selection = points
        theme = self._canvas.theme
        if at is None:
            at = self._canvas.item_places()
        points = points[points < len(at)]
        look = Sprite("o", theme.point * 1.75, None, theme.accent, theme.stroke)
        self.rings.set(at[points], (look,), np.zeros(len(points), dtype=np.intp))


class _Outline(pg.GraphicsObject):
    """A line around something, with a light edge so that it is seen on any ground."""

    def __init__(self) -> None:
        super().__init__()
        self._path = QPainterPath()
        self._bounds = QRectF()
        self._open = False
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)
        self.set_theme(LIGHT)

    def set_theme(self, theme: Theme) -> None:
        self._pens = (make_pen(theme.plot, theme.stroke * 1.6), make_pen(theme.accent, theme.stroke * 0.8))
        self._fill = QColor(theme.accent)
        self._fill.setAlphaF(0.07)
        self.update()

    def set_path(self, path: QPainterPath, open_line: bool = False) -> None:
        if path.isEmpty() and self._path.isEmpty():
            return
        self.prepareGeometryChange()
        self._path, self._open = path, open_line
        self._bounds = path.boundingRect()
        self.update()

    def boundingRect(self) -> QRectF:
        if self._path.isEmpty():
            return QRectF()
        dx, dy = self.pixelVectors()
        pad_x, pad_y = (4 * (abs(v.x()) + abs(v.y())) if v is not None else 0.0 for v in (dx, dy))
        return self._bounds.adjusted(-pad_x, -pad_y, pad_x, pad_y)

    def viewTransformChanged(self) -> None:
        self.prepareGeometryChange()

    def paint(self, painter: QPainter, *_: object) -> None:
        if self._path.isEmpty():
            return
        seen = painter.worldTransform().mapRect(self._bounds)
        if not seen.width() + seen.height() < LONGEST_OUTLINE:  # after zooming in: Qt would make dashes for minutes
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if not self._open:
            painter.fillPath(self._path, self._fill)
        for pen in self._pens:
            painter.strokePath(self._path, device_pen(painter, pen))


def _path(band: Band) -> QPainterPath:
    path = QPainterPath()
    if band.kind in ("polygon", "line"):
        path.addPolygon(QPolygonF([QPointF(x, y) for x, y in band.corners.tolist()]))
        if band.kind == "polygon":
            path.closeSubpath()
        return path
    box = QRectF(QPointF(*band.corners[0]), QPointF(*band.corners[1])).normalized()
    if band.kind == "rectangle":
        path.addRect(box)
    else:
        path.addEllipse(box)
    return path
