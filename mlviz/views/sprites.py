"""Points as sprites: each distinct look is drawn once into an atlas, then stamped for every point in one call.

A pen or brush per point makes 10,000 points cost 45-80 ms; here a frame costs one NumPy look-up and one
``drawPixmapFragments``, whatever the number of colours.
"""

from __future__ import annotations

import math
import weakref
from dataclasses import replace
from typing import Any

import numpy as np
import pyqtgraph as pg
from pyqtgraph.graphicsItems.ScatterPlotItem import Symbols
from pyqtgraph.Qt import internals
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QImage, QPainter, QPainterPath, QPen, QPixmap, QTransform

from algorithms.data import Array
from algorithms.records import dataclass
from mlviz.views.occlusion import topmost_of_veils, visible_points

EMPTY = np.empty((0, 2))
_LIMIT = 2.0**20  # device coordinates beyond this crash the raster engine
CROWD = 20_000
"""From this many points on, those that lie under others are not painted."""
THRONG = 50_000
"""From this many points on, to find those out and to paint the others is quicker than to paint all even once."""
FEW_SYMBOLS, MOST_PIXELS = 12, 10_000_000
"""With more symbols, or in larger pictures, it would take longer to find those out than to paint them."""


@dataclass(frozen=True, slots=True)
class Sprite:
    """One look of a point: a symbol, its size in logical pixels, its fill and its edge (``None``: not drawn)."""

    shape: str
    size: float
    fill: str | None
    edge: str | None = None
    width: float = 1.0
    dashed: bool = False

    def draw(self, painter: QPainter) -> None:
        """Paint the symbol around the origin."""
        painter.setPen(self.pen())
        painter.setBrush(self.brush())
        painter.drawPath(_outline(self.shape, self.size))

    def pen(self) -> QPen:
        """What its edge is drawn with."""
        if self.edge is None:
            return QPen(Qt.PenStyle.NoPen)
        pen = QPen(QColor(self.edge), self.width)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        if self.dashed:
            pen.setDashPattern([2.0, 1.6])
        return pen

    def brush(self) -> QBrush:
        """What it is filled with."""
        return QBrush(Qt.BrushStyle.NoBrush) if self.fill is None else QBrush(QColor(self.fill))


def _outline(shape: str, size: float) -> QPainterPath:
    return QTransform.fromScale(size, size).map(Symbols[shape])


class SpriteLayer(pg.GraphicsObject):
    """Many points in few looks. ``set(at, looks, which)`` replaces everything; items are never rebuilt."""

    def __init__(self) -> None:
        super().__init__()
        self.setFlag(self.GraphicsItemFlag.ItemUsesExtendedStyleOption)  # paint is told which part is needed
        self._at = EMPTY
        self._which = np.empty(0, dtype=np.intp)
        self._sprites: tuple[Sprite, ...] = ()
        self._cells = _Atlas()
        self._fragments = internals.PrimitiveArray(QPainter.PixmapFragment, 10)
        self._bounds = QRectF()
        self._extent: QRectF | None = None
        self._placed = _Placed()
        self.painted = 0
        """How many points the last painting really had to stamp."""
        self.vector = False
        """Draw paths instead of sprites; set while a vector picture is written."""
        self.shrinks = False
        """Whether the bounds shrink with the points: maps do, but erasing must not paint all the data."""

    @property
    def at(self) -> Array:
        """The positions now shown, (n, 2)."""
        return self._at

    def set(self, at: Array, sprites: tuple[Sprite, ...], which: Array, same: Array | None = None) -> None:
        """Show point ``i`` at ``at[i]`` with the look ``sprites[which[i]]``.

        Only the surroundings of what differs are painted again: a brush keeps up with the mouse however many points
        there are. ``same`` (n,) ascending says which of the points on show each one was, or -1; without it the points
        are taken to be the same ones in the same order, perhaps with others after them.
        """
        if not (len(at) or len(self._at)):
            return  # an update of nothing would have the middle of the plane painted
        if at is self._at and sprites == self._sprites and np.array_equal(which, self._which):
            return
        touched = self._touched(at, sprites, which, same)
        if at is not self._at:
            self._at = at
            bounds = _bounds(at)
            if touched is None or not self._bounds.contains(bounds) or (self.shrinks and bounds != self._bounds):
                self.prepareGeometryChange()
                self._bounds = bounds
                self.informViewBoundsChanged()
        self._sprites, self._which, self._extent = sprites, which, None
        if not len(at):
            self._cells = _Atlas()
        if touched is None:
            self.update()
        elif len(touched):
            self.update(self._padded(_bounds(touched)))

    def _touched(self, at: Array, sprites: tuple[Sprite, ...], which: Array, same: Array | None) -> Array | None:
        """The places where something changes, (m, 2); None when that is everywhere."""
        if at is self._at or not len(self._at) or self._reach != _reach(sprites):
            return None
        numbers = {look: number for number, look in enumerate(sprites)}
        renumbered = np.array([numbers.get(look, -1) for look in self._sprites])
        if same is None:
            if len(at) < len(self._at):
                return None
            count = len(self._at)
            moved = (self._at[:, 0] != at[:count, 0]) | (self._at[:, 1] != at[:count, 1])
            differs = np.flatnonzero(moved | (renumbered[self._which] != which[:count]))
            return np.concatenate([at[count:], at[differs], self._at[differs]])
        kept = same >= 0
        old, now, looks = (same, at, which) if kept.all() else (same[kept], at[kept], which[kept])
        was = self._at.take(old, axis=0)
        moved = (was[:, 0] != now[:, 0]) | (was[:, 1] != now[:, 1])
        differs = np.flatnonzero(moved | (renumbered[self._which].take(old) != looks))
        gone = np.ones(len(self._at), dtype=bool)
        gone[old] = False
        return np.concatenate([at[~kept], now[differs], was[differs], self._at[gone]])

    def _padded(self, rect: QRectF) -> QRectF:
        """A rectangle in data coordinates, widened by the largest symbol."""
        dx, dy = self.pixelVectors()
        pad_x, pad_y = (abs(v.x()) + abs(v.y()) if v is not None else 0.0 for v in (dx, dy))
        reach = self._reach
        return rect.adjusted(-pad_x * reach, -pad_y * reach, pad_x * reach, pad_y * reach)

    def clear(self) -> None:
        """Show nothing."""
        self.set(EMPTY, (), np.empty(0, dtype=np.intp))

    def boundingRect(self) -> QRectF:
        """The extent in data coordinates, widened by the largest symbol."""
        if not len(self._at):
            return QRectF()
        if self._extent is None:
            self._extent = self._padded(self._bounds)
        return self._extent

    def viewTransformChanged(self) -> None:
        """The symbols keep their size on the screen, so the extent in data coordinates has changed."""
        self.prepareGeometryChange()
        self._extent = None

    def dataBounds(self, ax: int, frac: float = 1.0, orthoRange: object = None) -> tuple[float, float] | None:
        """The range along one axis, for fitting the view."""
        if not len(self._at):
            return None
        if ax == 0:
            return self._bounds.left(), self._bounds.right()
        return self._bounds.top(), self._bounds.bottom()

    def paint(self, painter: QPainter, option: Any = None, *_: object) -> None:
        """Stamp every point of the part that is needed in one call (or draw paths for a vector picture)."""
        if not len(self._at):
            return
        transform = painter.transform()
        device = self._placed.device(self._at, transform)
        painter.resetTransform()
        if self.vector:
            self._paint_paths(painter, device)
            return
        ratio = painter.device().devicePixelRatioF()
        which = self._which
        pixmap, cells = self._cells.prepare(self._sprites, ratio)
        if len(which) > CROWD:
            page = QRectF(0.0, 0.0, painter.device().width(), painter.device().height())
            part = transform.mapRect(self.viewRect()) & page  # after a jump the view may know another scale than this
            shown = self._placed.seen(self._cells, self._sprites, which, part)
            device, which = device[:, shown], which[shown]
        if option is not None:
            shown = self._needed(device, transform.mapRect(option.exposedRect), ratio)
            device, which = device[:, shown], which[shown]
        self.painted = device.shape[1]
        stamp(painter, self._fragments, device, (pixmap, cells[which]), ratio)

    def _needed(self, device: Array, part: QRectF, ratio: float) -> Any:
        """Which points can be seen in a part of the device: their numbers, or all of them."""
        reach = ratio * self._reach
        x, y = device
        inside = (x >= part.left() - reach) & (x <= part.right() + reach)
        inside &= (y >= part.top() - reach) & (y <= part.bottom() + reach)
        return slice(None) if inside.all() else np.flatnonzero(inside)

    @property
    def _reach(self) -> float:
        """The size of the largest symbol."""
        return _reach(self._sprites)

    def _paint_paths(self, painter: QPainter, device: Array) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        looks = [(sprite.pen(), sprite.brush(), _outline(sprite.shape, sprite.size)) for sprite in self._sprites]
        held: QPen | None = None
        for number, ((x, y), which) in enumerate(zip(device.T.tolist(), self._which.tolist())):
            if number == 1 and self._stamped(painter, device.T[1:], looks):  # the first one has told it where it is
                return
            pen, brush, outline = looks[which]
            if held is None or (held is not pen and held != pen):
                painter.setPen(pen)
                held = pen
            painter.setBrush(brush)
            painter.drawPath(outline.translated(x, y))

    def _stamped(self, painter: QPainter, at: Array, looks: list[tuple[QPen, QBrush, QPainterPath]]) -> bool:
        """Whether the page takes the points after the first all at once; a page in a file may know how to."""
        receive = getattr(painter.paintEngine(), "symbols", None)
        return receive is not None and bool(receive(at, looks, self._which[1:]))


class Stamp:
    """Paints points of few looks into a picture, in one call."""

    def __init__(self) -> None:
        self._cells = _Atlas()
        self._fragments = internals.PrimitiveArray(QPainter.PixmapFragment, 10)

    def paint(self, painter: QPainter, at: Array, sprites: tuple[Sprite, ...], which: Array) -> None:
        """Point ``i`` at ``at[i]``, in the logical pixels of the picture, with the look ``sprites[which[i]]``."""
        ratio = painter.device().devicePixelRatioF()
        pixmap, cells = self._cells.prepare(sprites, ratio)
        stamp(painter, self._fragments, at.T, (pixmap, cells[which]), ratio)


def stamp(painter: QPainter, fragments: Any, device: Array, cells: tuple[QPixmap, Array], ratio: float) -> None:
    """Stamp points at places (2, n) of the device, each with its rectangle (n, 4) of a pixmap."""
    fragments.resize(device.shape[1])
    table = fragments.ndarray()
    table[:, 0:2] = device.T
    table[:, 2:6] = cells[1]
    table[:, 6:10] = (1.0 / ratio, 1.0 / ratio, 0.0, 1.0)
    painter.drawPixmapFragments(*fragments.drawargs(), cells[0])


class _Placed:
    """Where the points are on the device and which of them show there: kept while only colours change."""

    def __init__(self) -> None:
        self._at, self._transform, self._device = EMPTY, QTransform(), EMPTY.T
        self._key: tuple[object, ...] = ()
        self._kinds = np.empty(0, dtype=np.uint8)
        self._seen: Array | None = None

    def device(self, at: Array, transform: QTransform) -> Array:
        """The places (2, n) in the logical pixels of the device."""
        if at is not self._at or transform != self._transform:
            device = pg.functions.transformCoordinates(transform, np.ascontiguousarray(at.T))
            self._at, self._transform, self._device = at, transform, np.clip(device, -_LIMIT, _LIMIT)
            self._key = ()
        return self._device

    def seen(self, atlas: _Atlas, sprites: tuple[Sprite, ...], which: Array, part: QRectF) -> Array | slice:
        """The numbers of the points that show in a part of the device, in its logical pixels; or all of them.

        Of some ten thousand points to find out costs about as much as to paint them all, so it is done when they are
        painted at the same places for the second time: not while somebody pans or zooms.
        """
        shapes = [replace(sprite, fill=_solid(sprite.fill), edge=_solid(sprite.edge)) for sprite in sprites]
        distinct = tuple(dict.fromkeys(shapes))
        ratio = atlas.ratio
        if len(which) >= THRONG and all(_is_veil(sprite) for sprite in sprites):
            sizes = tuple(sprite.size for sprite in sprites)
            if self._seen is None or self._key != sizes or not np.array_equal(which, self._kinds):
                self._key, self._kinds = sizes, which
                self._seen = topmost_of_veils(self._device, np.array(sizes)[which])
            return self._seen
        left, top = math.floor(part.left() * ratio), math.floor(part.top() * ratio)
        size = math.ceil(part.right() * ratio) - left, math.ceil(part.bottom() * ratio) - top
        if len(distinct) > FEW_SYMBOLS or size[0] * size[1] > MOST_PIXELS:
            return slice(None)
        kinds = np.array([distinct.index(shape) for shape in shapes], dtype=np.uint8)[which]
        key = (distinct, atlas.cell, ratio, left, top, size)
        if key != self._key or not np.array_equal(kinds, self._kinds):
            self._key, self._kinds, self._seen = key, kinds, None
            if len(which) < THRONG:
                return slice(None)
        if self._seen is None:
            corners = np.rint(self._device.T * ratio - 0.5 * atlas.cell).astype(np.int64) - (left, top)
            symbols = [atlas.alpha(sprites[shapes.index(shape)]) >= 128 for shape in distinct]
            if not all(symbol.any() for symbol in symbols):  # one that hides nothing would seem to be hidden
                return slice(None)
            self._seen = visible_points(corners, kinds, symbols, size)
        return self._seen


def _is_veil(sprite: Sprite) -> bool:
    """Whether what is under it shines through: no edge, and at least a quarter opaque."""
    return sprite.edge is None and sprite.fill is not None and 64 <= QColor(sprite.fill).alpha() < 255


def _solid(colour: str | None) -> str | None:
    """Colours that cover what is under them are alike: with another theme the same points show."""
    return "#000000" if colour is not None and QColor(colour).alpha() == 255 else colour


class _Atlas:
    """The drawn sprites, side by side in one pixmap; sprites already drawn are kept from frame to frame."""

    WIDTH = 512
    """Pixels side by side: a window has a hundred of these, and most hold one or two sprites."""
    MOST = 1_000_000
    """Pixels above which only the sprites of this frame and as many others are kept, until the next rest.

    A thousand points that cool down have a thousand new colours in every frame: with fewer pixels all are drawn anew.
    """

    def __init__(self) -> None:
        self._slots: dict[Sprite, int] = {}
        _atlases.add(self)
        self.cell = 0
        """The side of every sprite's square, in device pixels."""
        self.ratio = 0.0
        self._image = QImage()
        self._pixmap = QPixmap()
        self._last: tuple[tuple[Sprite, ...], float] = ((), 0.0)
        self._places = np.empty((0, 4))

    def forget(self) -> None:
        """Let go of all sprites; those that are painted next are drawn anew."""
        self._slots.clear()
        self.cell, self.ratio = 0, 0.0
        self._image, self._pixmap, self._last = QImage(), QPixmap(), ((), 0.0)

    @property
    def _columns(self) -> int:
        return max(self.WIDTH // self.cell, 1)

    def prepare(self, sprites: tuple[Sprite, ...], ratio: float) -> tuple[QPixmap, Array]:
        """The pixmap and, for each sprite, its rectangle (x, y, width, height) in device pixels."""
        if sprites is not self._last[0] or ratio != self._last[1]:
            self._last = (sprites, ratio)
            self._places = self._found(sprites, ratio)
        return self._pixmap, self._places

    def _found(self, sprites: tuple[Sprite, ...], ratio: float) -> Array:
        sides = [_side(sprite, ratio) for sprite in sprites]
        cell = max(sides, default=_side(Sprite("o", 0.0, None), ratio))
        wanted = dict.fromkeys(sprites)
        missing = [sprite for sprite in wanted if sprite not in self._slots]
        full = (len(self._slots) + len(missing)) * self.cell**2 > max(self.MOST, 2 * len(wanted) * cell**2)
        if cell > self.cell or ratio != self.ratio or full:
            self._slots.clear()
            self.cell, self.ratio = cell, ratio
            self._image = QImage()
            missing = list(wanted)
        if missing:
            self._draw(missing)
        slots = np.array([self._slots[sprite] for sprite in sprites], dtype=np.intp)
        rows, columns = np.divmod(slots, self._columns)
        # of its square a small sprite is stamped without the empty border, which costs as much as what is drawn
        size = np.array([side + (self.cell - side) % 2 for side in sides], dtype=np.intp)
        border = (self.cell - size) // 2
        return np.stack([columns * self.cell + border, rows * self.cell + border, size, size], axis=1)

    def alpha(self, sprite: Sprite) -> Array:
        """How opaque the pixels of a prepared sprite are, (cell, cell) of 0 .. 255."""
        row, column = divmod(self._slots[sprite], self._columns)
        pixels = np.frombuffer(self._image.constBits(), dtype="<u4").reshape(self._image.height(), -1)
        top, left = row * self.cell, column * self.cell
        return np.asarray(pixels[top : top + self.cell, left : left + self.cell] >> 24)

    def _draw(self, missing: list[Sprite]) -> None:
        first = len(self._slots)
        rows = -(-(first + len(missing)) // self._columns)
        if self._image.height() < rows * self.cell:
            height = self.cell * (rows if self._image.isNull() else 2 * rows)
            image = QImage(self._columns * self.cell, height, QImage.Format.Format_ARGB32_Premultiplied)
            image.fill(Qt.GlobalColor.transparent)
            if not self._image.isNull():
                copier = QPainter(image)
                copier.drawImage(0, 0, self._image)
                copier.end()
            self._image = image
        painter = QPainter(self._image)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for slot, sprite in enumerate(missing, start=first):
            self._slots[sprite] = slot
            row, column = divmod(slot, self._columns)
            painter.resetTransform()
            painter.translate((column + 0.5) * self.cell, (row + 0.5) * self.cell)
            painter.scale(self.ratio, self.ratio)
            sprite.draw(painter)
        painter.end()
        self._pixmap = QPixmap.fromImage(self._image)


_atlases: weakref.WeakSet[_Atlas] = weakref.WeakSet()


def forget_looks() -> None:
    """Let go of the looks of all points: a window has a hundred atlases, and each keeps what it has ever shown."""
    for atlas in _atlases:
        atlas.forget()


def _side(sprite: Sprite, ratio: float) -> int:
    """The side of the square that a sprite takes, in device pixels."""
    return math.ceil((sprite.size * 1.1 + sprite.width) * ratio) + 4


def _reach(sprites: tuple[Sprite, ...]) -> float:
    return max((sprite.size + sprite.width for sprite in sprites), default=0.0)


def _bounds(at: Array) -> QRectF:
    if not len(at):
        return QRectF()
    x, y = at[:, 0], at[:, 1]  # one after the other: along the first axis NumPy takes ten times as long
    return QRectF(QPointF(x.min(), y.min()), QPointF(x.max(), y.max()))
