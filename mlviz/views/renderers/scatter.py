"""Data points at other places than in the plane, linked to it: in plots of their own, and in maps."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import QPointF

from algorithms.data import Array
from algorithms.marks import Scatter
from mlviz.session.nearest import nearest
from mlviz.views.lines import LineItem
from mlviz.views.names import NamesItem
from mlviz.views.pens import make_pen
from mlviz.views.renderers._looks import codes_of, sprite_of
from mlviz.views.renderers.base import NO_POINTS, Renderer, renders
from mlviz.views.sprites import EMPTY, Sprite, SpriteLayer

REACH = 10.0
"""How near, in pixels, the mouse must be to a point to mean it."""
MANY = 400
"""More points than this are drawn smaller."""


@renders(Scatter)
class ScatterRenderer(Renderer):
    """The points in the looks they have in the other views, a path among them, and names; the lit ones wear a ring."""

    depth = 100.0
    stacked = True

    def __init__(self, canvas: Any, ordinal: int) -> None:
        super().__init__(canvas, ordinal)
        self._dots: SpriteLayer = self.add(SpriteLayer())
        self._dots.shrinks = True
        self._rim = self.add(LineItem(antialias=True))
        self._path = self.add(LineItem(antialias=True))
        self._ring: SpriteLayer = self.add(SpriteLayer())
        self._names: NamesItem = self.add(NamesItem())
        self._mark: Scatter | None = None
        self._at = EMPTY
        self._lit: Array = NO_POINTS

    def show(self, mark: Scatter) -> None:
        self._at = np.stack([self.on_axis(mark.at[:, 0]), self.on_axis(mark.at[:, 1], "y")], axis=1)
        kinds, which = np.unique(self._codes(mark), return_inverse=True)
        size = 0.5 if mark.partners is not None else 0.7 if len(mark.at) > MANY else 0.85
        looks = tuple(sprite_of(self.theme, kind, size) for kind in kinds.tolist())
        self._dots.set(self._at, looks, which.reshape(-1))
        if self._mark is None or self._mark.equal != mark.equal:
            self.canvas.box.setAspectLocked(mark.equal, ratio=1.0)
        self.canvas.name_axis("bottom", mark.x or self.canvas.panel.x)
        self.canvas.name_axis("left", mark.y or self.canvas.panel.y)
        self.canvas.getAxis("left").setStyle(showValues=mark.y != " ")  # a map of one dimension has no heights
        self._mark = mark
        for item in self.items:
            item.setVisible(True)
        self._names.set(self._at, mark.names, self.theme)
        self._draw_path(mark)
        self._draw_ring()

    def _codes(self, mark: Scatter) -> Array:
        """The look of each dot as a number: its shape and 0xRRGGBB."""
        if mark.groups is None:
            return codes_of(self.scene, mark.points, mark.values, len(mark.at))
        rows = np.arange(len(mark.at)) if mark.points is None else mark.points
        shapes = self.scene.shapes[rows] if mark.partners is None else np.zeros(len(mark.at), dtype=np.int64)
        return (shapes.astype(np.int64) << 24) | self.scene.group_colours(mark.groups).astype(np.int64)

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
        row = nearest(self._at, place.x(), place.y(), self.canvas.box.viewPixelSize(), REACH)
        if self._mark is None or row is None:
            return NO_POINTS
        first = row if self._mark.points is None else int(self._mark.points[row])
        return np.array([first] if self._mark.partners is None else [first, int(self._mark.partners[row])])

    def _draw_path(self, mark: Scatter) -> None:
        visible = mark.path is not None and len(mark.path) > 1
        at = self._at[mark.path] if visible else EMPTY
        for item, pen in (
            (self._rim, make_pen(self.theme.plot, self.theme.stroke * 2.2)),
            (self._path, make_pen(self.theme.line, self.theme.stroke)),
        ):
            item.setData(x=at[:, 0], y=at[:, 1], pen=pen)
            item.setVisible(visible)

    def _draw_ring(self) -> None:
        assert self._mark is not None
        mark = self._mark
        chosen = np.isin(np.arange(len(self._at)) if mark.points is None else mark.points, self._lit)
        if mark.partners is not None:
            chosen |= np.isin(mark.partners, self._lit)
        lit = np.flatnonzero(chosen)
        size = self.theme.point * (2.0 if mark.partners is None else 1.2)
        look = Sprite("o", size, None, self.theme.line, self.theme.stroke)
        self._ring.set(self._at[lit], (look,), np.zeros(len(lit), dtype=np.intp))
