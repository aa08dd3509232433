"""Small planes side by side, one for each member of an ensemble, and one of them large.

A plane is made into a picture when it is first seen and kept as long as the run is the same, so a frame with one member
more makes one small picture and the large one, however many members there are.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt, QTimer
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPixmap
from PySide6.QtWidgets import QGraphicsItem, QGraphicsObject, QWidget

from algorithms.data import Array
from algorithms.marks import Multiples
from mlviz.session.nearest import nearest
from mlviz.views.deferred_repaint import HURRIED
from mlviz.views.pens import make_pen, set_pen
from mlviz.views.renderers._planes import Layout, Planes
from mlviz.views.renderers.base import NO_POINTS, Renderer, renders
from mlviz.views.scene import Scene
from mlviz.views.theme import LIGHT, Theme

AT_ONCE = 4
"""Small planes of which a picture is made in one go while steps pour in; the others follow one after the other."""
KEPT = 600
"""Planes that are kept as pictures."""
SHARP_MS = 150
"""Milliseconds after the last hurried painting until the large plane is made in all sharpness."""
NEAR = 10.0
"""How near, in pixels, the mouse must be to a point of the large plane to mean it."""


class PlanesItem(QGraphicsObject):
    """Paints the planes that are in view, in the pixels of the box it belongs to."""

    def __init__(self, box: QGraphicsItem) -> None:
        super().__init__(box)
        self.theme: Theme = LIGHT
        self.mark: Multiples | None = None
        self.planes: Planes | None = None
        self.area = QRectF()
        self.chosen: int | None = None
        """The plane that was clicked; the newest one without it."""
        self.scrolled: float | None = None
        """How far, in pixels; to the newest without it."""
        self.lit: Array = NO_POINTS
        self._pictures: OrderedDict[tuple[int, int, bool, int], QPixmap] = OrderedDict()
        self.made = 0
        """How many pictures were made so far."""
        self._allowed = 0
        self._late = self._hurried = False
        self._rest = QTimer(self, singleShot=True, interval=0)
        self._rest.timeout.connect(self.update)
        self._sharpen = QTimer(self, singleShot=True, interval=SHARP_MS)
        self._sharpen.timeout.connect(self.update)

    def boundingRect(self) -> QRectF:
        """All of the box."""
        return self.area

    def set_area(self, area: QRectF) -> None:
        """The box has this size."""
        if area != self.area:
            self.prepareGeometryChange()
            self.area = area
            self.update()

    def forget(self) -> None:
        """The kept pictures belong to another run, or to another look."""
        self._pictures.clear()

    @property
    def count(self) -> int:
        """How many members there are."""
        return 0 if self.mark is None else len(self.mark.members)

    @property
    def shown(self) -> int:
        """The member that is shown large."""
        return self.count - 1 if self.chosen is None else min(self.chosen, self.count - 1)

    def font(self) -> QFont:
        """The font of the numbers."""
        font = QFont()
        font.setPointSizeF(self.theme.letters(0.8))
        return font

    def layout(self) -> Layout:
        """Where everything stands."""
        return Layout.of(self.area.width(), self.area.height(), QFontMetricsF(self.font()).height())

    def offset(self, layout: Layout) -> float:
        """How far the small planes are scrolled."""
        furthest = layout.furthest(self.count)
        return furthest if self.scrolled is None else min(self.scrolled, furthest)

    def scroll_by(self, pixels: float) -> bool:
        """Scroll by so many pixels; at the end it goes on with the newest."""
        layout = self.layout()
        furthest = layout.furthest(self.count)
        if furthest <= 0.0:
            return False
        wanted = max(self.offset(layout) + pixels, 0.0)
        self.scrolled = None if wanted >= furthest else wanted
        self.update()
        return True

    def plane_at(self, place: QPointF) -> int | None:
        """The small plane at a place of the box."""
        layout = self.layout()
        if not layout.room.contains(place):
            return None
        offset = self.offset(layout)
        for number in layout.visible(self.count, offset):
            if layout.place(number, offset).contains(place):
                return number
        return None

    def choose(self, number: int | None) -> None:
        """Show this one large, or the newest."""
        self.chosen = number
        self.update()

    def paint(self, painter: QPainter, *_: object) -> None:
        """The large plane, then those small ones that are in view."""
        if self.mark is None or self.planes is None or not self.count:
            return
        layout, device = self.layout(), painter.device()
        offset, scale = self.offset(layout), max(abs(painter.worldTransform().m11()), device.devicePixelRatioF())
        hurried = self._late or (isinstance(device, QWidget) and bool(device.property(HURRIED)))
        self._allowed, self._late, self._hurried = AT_ONCE if hurried else self.count, False, hurried
        painter.setFont(self.font())
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
        self._paint_plane(painter, self.shown, layout.large, scale, True)
        self._paint_lit(painter, layout.large)
        self._write(
            painter, QRectF(layout.large.left(), layout.large.bottom(), layout.large.width(), layout.line), self.title()
        )
        painter.save()
        painter.setClipRect(layout.room.adjusted(-2, -2, 2, 0), Qt.ClipOperation.IntersectClip)
        for number in layout.visible(self.count, offset):
            at = layout.place(number, offset)
            self._paint_plane(painter, number, at, scale, False)
            self._write(
                painter, QRectF(at.left(), at.bottom(), at.width(), layout.line), self.caption(number, at.width())
            )
        painter.restore()
        self._paint_bar(painter, layout, offset)

    def title(self) -> str:
        """What is written below the large plane."""
        assert self.mark is not None
        number = self.shown
        which, newest = f"{self.mark.name} {number + 1}", ", the newest" if self.chosen is None else ""
        what = "" if self.mark.numbers is None else f": {self.mark.numbers_name} {self.mark.numbers[number]:.3g}"
        noted = f"  ({self.mark.weights_note})" if self.mark.weights_note else ""
        metrics, room = QFontMetricsF(self.font()), self.layout().large.width()
        texts = (which + newest + what + noted, which + newest + what, which + what)
        return next((text for text in texts if metrics.horizontalAdvance(text) <= room), which)

    def caption(self, number: int, width: float) -> str:
        """What is written below a small plane: its number, and the number that it has."""
        assert self.mark is not None
        short = f"{number + 1}"
        if self.mark.numbers is None:
            return short
        text = f"{short}: {self.mark.numbers[number]:.2g}"
        return text if QFontMetricsF(self.font()).horizontalAdvance(text) <= width else short

    def _paint_plane(self, painter: QPainter, number: int, at: QRectF, scale: float, large: bool) -> None:
        picture = self._picture(number, at.width(), scale, large)
        if picture is not None:
            painter.drawPixmap(at.topLeft(), picture)
        here = number == self.shown
        pen = make_pen(self.theme.accent if here else self.theme.border, self.theme.stroke * (1.0 if here else 0.5))
        set_pen(painter, pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(at)

    def _picture(self, number: int, side: float, scale: float, large: bool) -> QPixmap | None:
        """The picture of a plane; None when enough have been made for this time."""
        assert self.mark is not None
        assert self.planes is not None
        key, coarse = (
            (number, round(side * scale), large, self.planes.places(side, hurried)) for hurried in (False, True)
        )
        if large and self._hurried and key not in self._pictures:
            key = coarse
            self._sharpen.start()
        picture = self._pictures.get(key)
        if picture is None:
            if not large and not self._allowed:
                self._late = True
                self._rest.start()
                return None
            self._allowed -= not large
            self.made += 1
            picture = self._pictures[key] = self.planes.picture(self.mark, number, side, scale, large, key[-1])
            while len(self._pictures) > KEPT:
                self._pictures.popitem(last=False)
        self._pictures.move_to_end(key)
        return picture

    def _paint_lit(self, painter: QPainter, at: QRectF) -> None:
        assert self.planes is not None
        spots = self.planes.spots(at.width())
        lit = self.lit[self.lit < len(spots)]
        if not len(lit):
            return
        set_pen(painter, make_pen(self.theme.line, 0.7 * self.theme.stroke))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for x, y in spots[lit].tolist():
            painter.drawEllipse(at.topLeft() + QPointF(x, y), 0.6 * self.theme.point, 0.6 * self.theme.point)

    def _write(self, painter: QPainter, at: QRectF, text: str) -> None:
        painter.setPen(QColor(self.theme.muted))
        shown = QFontMetricsF(self.font()).elidedText(text, Qt.TextElideMode.ElideRight, at.width())
        painter.drawText(at, Qt.AlignmentFlag.AlignCenter, shown)

    def _paint_bar(self, painter: QPainter, layout: Layout, offset: float) -> None:
        """How far one has scrolled, at the right edge."""
        furthest = layout.furthest(self.count)
        if furthest <= 0.0:
            return
        whole = layout.room.height()
        length = max(whole * whole / (whole + furthest), 16.0)
        top = layout.room.top() + (whole - length) * offset / furthest
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self.theme.faint(self.theme.muted, 0.5)))
        painter.drawRoundedRect(QRectF(self.area.right() - 7.0, top, 5.0, length), 2.5, 2.5)


@renders(Multiples)
class MultiplesRenderer(Renderer):
    """The planes. The wheel and dragging scroll, a click makes a plane large, and one on the large plane the newest."""

    def __init__(self, canvas: Any, ordinal: int) -> None:
        super().__init__(canvas, ordinal)
        self._item = PlanesItem(canvas.box)
        self.items.append(self._item)
        canvas.box.sigResized.connect(self._resized)
        self._scene: Scene | None = None
        self._held: float | None = None

    @property
    def item(self) -> PlanesItem:
        """What paints the planes."""
        return self._item

    def show(self, mark: Multiples) -> None:
        item = self._item
        if self._scene is not self.scene or item.mark is None or item.mark.run is not mark.run:
            item.forget()
            item.planes, self._scene = Planes.of(self.scene), self.scene
            if item.mark is None or item.mark.run is not mark.run:
                item.chosen = item.scrolled = None
        item.mark, item.theme = mark, self.theme
        self._resized()
        item.setVisible(True)
        item.update()

    def hide(self) -> None:
        super().hide()
        self._item.mark = None

    def end(self) -> None:
        self.canvas.box.sigResized.disconnect(self._resized)
        super().end()

    def restyle(self) -> None:
        self._item.forget()

    def light_points(self, points: Array) -> None:
        self._item.lit = points
        self._item.update()

    def points_at(self, place: QPointF) -> Array:
        """The point of the large plane that is meant."""
        item, at = self._item, self._place(place)
        if item.mark is None or item.planes is None or not item.layout().large.contains(at):
            return NO_POINTS
        large = item.layout().large
        spots = item.planes.spots(large.width()) + (large.left(), large.top())
        found = nearest(spots, at.x(), at.y(), (1.0, 1.0), NEAR)
        return NO_POINTS if found is None else np.array([found])

    def click(self, place: QPointF) -> bool:
        item, at = self._item, self._place(place)
        if item.mark is None:
            return False
        number = item.plane_at(at)
        if number is not None:
            item.choose(number)
            return True
        if item.chosen is not None and item.layout().large.contains(at):
            item.choose(None)
            return True
        return False

    def scroll(self, place: QPointF, steps: float) -> bool:
        if self._item.mark is None:
            return False
        self._item.scroll_by(-steps * self._item.layout().pitch)
        return True  # there is nothing to zoom into

    def grab(self, place: QPointF, reach: tuple[float, float]) -> bool:
        if self._item.mark is None:
            return False
        self._held = self._place(place).y()
        return True

    def drag(self, place: QPointF, finished: bool) -> None:
        if self._held is not None:
            now = self._place(place).y()
            self._item.scroll_by(self._held - now)
            self._held = None if finished else now

    def _place(self, place: QPointF) -> QPointF:
        """A place of the canvas in pixels of its box."""
        return self.canvas.box.mapFromView(place)

    def _resized(self) -> None:
        self._item.set_area(self.canvas.box.boundingRect())
