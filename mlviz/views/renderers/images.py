"""Small pictures in a grid: one image item with sharp pixels, captions below, linked to the data points they show."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetricsF, QPainter, QPen

from algorithms.data import Array
from algorithms.marks import Boxes, Images
from mlviz.views.colours import channels
from mlviz.views.legend_rows import Row
from mlviz.views.lines import CurveItem
from mlviz.views.pens import make_pen, set_pen
from mlviz.views.renderers.base import NO_PLACES, NO_POINTS, Renderer, renders
from mlviz.views.scale import signed_colours
from mlviz.views.sprites import Sprite
from mlviz.views.theme import LIGHT, Theme

GAP = 0.16
"""Room between two pictures, in widths of one."""
CAPTION, ALONE = 0.34, 0.06
"""Room below a picture, in heights of one; less below one that stands alone, because that is large."""
LARGE = 0.5
"""How much of that is left between and below large pictures."""
BLOCK = 0.8
"""How opaque the blocks of a feature are: the picture behind them is to be guessed."""
MOST_AVOIDED, ACROSS = 12, 9
"""The legend keeps off so many pictures, at so many places across each."""
WRITTEN = 0.5
"""The part of the room below a picture in which its caption stands."""
FITS = 0.96
"""Letters of another size are not exactly as wide as their size says."""
LEVELS = 257
"""Colours of a picture, as many as a scale has."""
SMALLEST = 6.0
"""Letters smaller than this are not written."""


class CaptionsItem(pg.GraphicsObject):
    """Captions centred below rectangles of the canvas, in letters as large as they fit, up to the usual size."""

    def __init__(self) -> None:
        super().__init__()
        self._places: list[QRectF] = []
        self._texts: tuple[str, ...] = ()
        self._theme = LIGHT
        self._bounds = QRectF()

    def set(self, places: list[QRectF], texts: tuple[str, ...], theme: Theme, bounds: QRectF) -> None:
        """Write these into the places."""
        self.prepareGeometryChange()
        self._places, self._texts, self._theme, self._bounds = places, texts, theme, bounds
        self.update()

    def boundingRect(self) -> QRectF:
        """The whole grid."""
        return self._bounds

    def paint(self, painter: QPainter, *_: object) -> None:
        """Write them all in letters of one size: that in which the longest fits."""
        to_screen = painter.transform()
        places = [to_screen.mapRect(place) for place in self._places]
        written = [(place, text) for place, text in zip(places, self._texts) if text]
        if not written:
            return
        painter.resetTransform()
        font = QFont()
        font.setPointSizeF(self._theme.letters(0.9))
        metrics = QFontMetricsF(font)
        room = FITS * min(place.width() / max(metrics.horizontalAdvance(text), 1.0) for place, text in written)
        size = min(font.pointSizeF() * min(room, 1.0), font.pointSizeF() * written[0][0].height() / metrics.height())
        if size < max(SMALLEST, self._theme.least):
            return
        font.setPointSizeF(size)
        painter.setFont(font)
        painter.setPen(QColor(self._theme.muted))
        for place, text in written:
            painter.drawText(place, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop, text)


class BoxesItem(pg.GraphicsObject):
    """Rectangles of the canvas in layers, each with a pen and a filling, as thick on every screen."""

    def __init__(self) -> None:
        super().__init__()
        self._layers: tuple[tuple[list[QRectF], QPen, QBrush], ...] = ()
        self._bounds = QRectF()

    def set(self, layers: tuple[tuple[list[QRectF], QPen, QBrush], ...], bounds: QRectF) -> None:
        """Show these, the first layer below."""
        self.prepareGeometryChange()
        self._layers, self._bounds = layers, bounds
        self.update()

    def boundingRect(self) -> QRectF:
        """The whole grid, with room for the pens."""
        return self._bounds.adjusted(-1.0, -1.0, 1.0, 1.0)

    def dataBounds(self, ax: int, frac: float = 1.0, orthoRange: object = None) -> None:
        """The grid says what is to be seen, not what lies on it."""

    def paint(self, painter: QPainter, *_: object) -> None:
        """Draw them layer by layer."""
        to_screen = painter.transform()
        painter.resetTransform()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for places, pen, brush in self._layers:
            set_pen(painter, pen)
            painter.setBrush(brush)
            painter.drawRects([to_screen.mapRect(place) for place in places])


@renders(Images)
class ImagesRenderer(Renderer):
    """The grid. A cell is as wide and high as its picture, in pixels of the picture, and the room around it."""

    def __init__(self, canvas: Any, ordinal: int) -> None:
        super().__init__(canvas, ordinal)
        self._image = self.add(pg.ImageItem(axisOrder="row-major"))
        self._frames = self.add(CurveItem(connect="pairs"))
        self._boxes: BoxesItem = self.add(BoxesItem())
        self._lit_frames = self.add(CurveItem(connect="pairs"))
        self._captions: CaptionsItem = self.add(CaptionsItem())
        self._mark: Images | None = None
        self._lit: Array = NO_POINTS

    def show(self, mark: Images) -> None:
        if self._mark is None:
            self.canvas.box.setAspectLocked(True, ratio=1.0)
            for side in ("left", "bottom"):
                self.canvas.hideAxis(side)
        self._mark = mark
        rows, columns = (mark.at.max(axis=0, initial=0) + 1).tolist()
        high, wide = self._cell
        bounds = QRectF(0.0, 0.0, columns * wide, rows * high)
        self._image.setImage(self._composed(mark, rows, columns)[::-1], levels=None, autoLevels=False)
        self._image.setRect(bounds)
        self._frames.setData(*self._outlines(np.arange(len(mark.at))), pen=make_pen(self.theme.border, 1.0))
        self._captions.set(self._caption_places(), mark.captions, self.theme, bounds)
        self._boxes.set(tuple((self._places_of(boxes), *self._look(boxes.role)) for boxes in mark.boxes), bounds)
        for item in self.items:
            item.setVisible(True)
        self._draw_lit()

    def hide(self) -> None:
        if self._mark is not None:
            self.canvas.box.setAspectLocked(False)
            if self.canvas.panel.space != "none":
                for side in ("left", "bottom"):
                    self.canvas.showAxis(side)
        super().hide()
        self._mark = None

    def legend(self, mark: Images) -> tuple[Row, ...]:
        return tuple(self._row(boxes) for boxes in mark.boxes if boxes.name and len(boxes.at))

    def decision_places(self) -> Array:
        """The legend keeps off the pictures and their captions where it can: what it explains is in them."""
        if self._mark is None:
            return NO_PLACES
        height, width = self._mark.pixels.shape[1:]
        left, low = (edge[:MOST_AVOIDED] for edge in self._corners())
        caption = WRITTEN * (self._cell[0] - height)
        x, y = np.meshgrid(np.linspace(0.0, width, ACROSS), np.linspace(-caption, height, ACROSS))
        return np.column_stack([np.add.outer(left, x.ravel()).ravel(), np.add.outer(low, y.ravel()).ravel()])

    def light_points(self, points: Array) -> None:
        self._lit = points
        if self._mark is not None:
            self._draw_lit()

    def points_at(self, place: QPointF) -> Array:
        """The point that a picture shows."""
        number = self.picture_at(place)
        if self._mark is None or self._mark.points is None or number is None or self._mark.points[number] < 0:
            return NO_POINTS
        return self._mark.points[number : number + 1]

    def picture_at(self, place: QPointF) -> int | None:
        """The number of the picture at a place of the canvas."""
        if self._mark is None:
            return None
        left, low = self._corners()
        height, width = self._mark.pixels.shape[1:]
        inside = (left <= place.x()) & (place.x() <= left + width) & (low <= place.y()) & (place.y() <= low + height)
        found = np.flatnonzero(inside)
        return int(found[0]) if len(found) else None

    @property
    def _cell(self) -> tuple[int, int]:
        """The height and the width of a cell."""
        assert self._mark is not None
        count, height, width = self._mark.pixels.shape
        if count == 1:
            return height + max(round(ALONE * max(height, width)), 1), width
        side = max(height, width) * (LARGE if self._mark.large else 1.0)
        return height + max(round(CAPTION * side), 1), width + max(round(GAP * side), 1)

    def _corners(self) -> tuple[Array, Array]:
        """The left edges and the lower edges of the pictures on the canvas."""
        assert self._mark is not None
        rows = int(self._mark.at[:, 0].max(initial=0)) + 1
        high, wide = self._cell
        height = self._mark.pixels.shape[1]
        return self._mark.at[:, 1] * wide * 1.0, (rows - self._mark.at[:, 0]) * high - height * 1.0

    def _composed(self, mark: Images, rows: int, columns: int) -> Array:
        """All pictures in one, row 0 on top, with nothing between them."""
        high, wide = self._cell
        height, width = mark.pixels.shape[1:]
        whole = np.zeros((rows * high, columns * wide), dtype="<u4")  # four bytes are a colour
        for picture, (row, column) in zip(self._coloured(mark), mark.at.tolist()):
            whole[row * high : row * high + height, column * wide : column * wide + width] = picture
        return whole.view(np.ubyte).reshape(*whole.shape, 4)

    def _coloured(self, mark: Images) -> Iterator[Array]:
        """The pictures one by one, (height, width) colours."""
        signed = np.zeros(len(mark.pixels), dtype=bool) if mark.signed is None else mark.signed
        spans = self._spans(mark, signed)
        for number, sign in enumerate(signed.tolist()):
            colours = self._paint_box(sign, mark.photographs)[_levels(mark.pixels[number], *spans[sign])]
            if mark.shown is not None:  # the last byte says how much of the pixel is seen
                colours = colours & 0xFFFFFF | np.rint(255.0 * mark.shown[number]).astype(np.uint32) << 24
            yield colours

    def _spans(self, mark: Images, signed: Array) -> dict[bool, tuple[float, float]]:
        """From which number to which the colours go, of grey pictures and of those that have signs."""
        grey, both = mark.pixels[~signed], mark.pixels[signed]
        fullest = mark.signed_level or float(np.abs(both).max(initial=0.0)) or 1.0
        least_and_most = mark.levels or (float(grey.min(initial=0.0)), float(grey.max(initial=0.0)))
        return {False: least_and_most, True: (-fullest, fullest)}

    def _paint_box(self, signed: bool, photographs: bool) -> Array:
        """The colours of all levels, each as one number."""
        fraction = np.linspace(0.0, 1.0, LEVELS)
        box = np.full((LEVELS, 4), 255, dtype=np.ubyte)
        if signed:
            box[:, :3] = signed_colours(self.theme, 2.0 * fraction - 1.0)
        else:
            ends = ("#000000", "#ffffff") if photographs else (self.theme.plot, self.theme.line)
            paper, ink = (np.array(channels(colour)) for colour in ends)
            box[:, :3] = np.rint(paper + (ink - paper) * fraction[:, None])
        return box.view("<u4")[:, 0]

    def _places_of(self, boxes: Boxes) -> list[QRectF]:
        """Where rectangles of the pictures are on the canvas, whose y goes up."""
        assert self._mark is not None
        left, low = self._corners()
        number, top, across, height, width = boxes.at.T
        x, y = left[number] + across, low[number] + self._mark.pixels.shape[1] - top - height
        return [QRectF(*place) for place in np.column_stack([x, y, width, height]).astype(float).tolist()]

    def _look(self, role: str) -> tuple[QPen, QBrush]:
        """Blocks that are added are white and those that are subtracted black, as in every book."""
        theme, empty = self.theme, QBrush(Qt.BrushStyle.NoBrush)
        if role in ("plus", "minus"):
            filling = QColor("#ffffff" if role == "plus" else "#000000")
            filling.setAlphaF(BLOCK)
            return make_pen(theme.colour(1), 1.0), QBrush(filling)
        return {
            "window": (make_pen(theme.colour(1), theme.stroke * 0.4), empty),
            "found": (make_pen(theme.colour(1), theme.stroke * 1.6), empty),
            "truth": (make_pen(theme.colour(5), theme.stroke, dashed=True), empty),
            "sum": (make_pen(theme.colour(2), theme.stroke), empty),
        }[role]

    def _row(self, boxes: Boxes) -> Row:
        if boxes.role in ("plus", "minus"):
            filling = "#ffffff" if boxes.role == "plus" else "#000000"
            return Row(boxes.name, sprite=Sprite("s", self.theme.point, filling, self.theme.colour(1), 1.0))
        pen = self._look(boxes.role)[0]
        dashed = pen.style() != Qt.PenStyle.SolidLine
        return Row(boxes.name, line=pen.color().name(), width=pen.widthF(), dashed=dashed)

    def _outlines(self, which: Array) -> tuple[Array, Array]:
        """The ends of the four edges of some pictures, x and y."""
        assert self._mark is not None
        height, width = self._mark.pixels.shape[1:]
        left, low = (edge[which, None] for edge in self._corners())
        x = left + np.array([0.0, width, width, width, width, 0.0, 0.0, 0.0])
        y = low + np.array([0.0, 0.0, 0.0, height, height, height, height, 0.0])
        return x.ravel(), y.ravel()

    def _caption_places(self) -> list[QRectF]:
        assert self._mark is not None
        high, wide = self._cell
        height, width = self._mark.pixels.shape[1:]
        room = high - height
        return [
            QRectF(x - (wide - width) / 2, y - room, wide, 0.9 * room)
            for x, y in zip(*map(np.ndarray.tolist, self._corners()))
        ]

    def _draw_lit(self) -> None:
        assert self._mark is not None
        points = self._mark.points
        lit = NO_POINTS if points is None else np.flatnonzero(np.isin(points, self._lit) & (points >= 0))
        self._lit_frames.setData(*self._outlines(lit), pen=make_pen(self.theme.accent, self.theme.stroke))


def _levels(values: Array, low: float, high: float) -> Array:
    """Which of the colours each number has."""
    scaled = ((values - low) / ((high - low) or 1.0)).astype(np.float32)  # only now: tiny numbers would be none
    scaled *= LEVELS - 1
    np.clip(scaled, 0.0, LEVELS - 1, out=scaled)
    return np.rint(scaled, out=scaled).astype(np.intp)
