"""Data points at other places than in the plane, linked to it."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import QPointF

from algorithms.data import Array
from algorithms.marks import Scatter
from mlviz.views.renderers.base import NO_POINTS, Renderer, renders
from mlviz.views.sprites import EMPTY, Sprite, SpriteLayer

REACH = 10.0
"""How near, in pixels, the mouse must be to a point to mean it."""


@renders(Scatter)
class ScatterRenderer(Renderer):
    """Points in the shapes and colours that they have in the plane; the lit ones wear a ring."""

    depth = 100.0

    def __init__(self, canvas: Any, ordinal: int) -> None:
        super().__init__(canvas, ordinal)
        self._dots: SpriteLayer = self.add(SpriteLayer())
        self._ring: SpriteLayer = self.add(SpriteLayer())
        self._mark: Scatter | None = None
        self._at = EMPTY

    def show(self, mark: Scatter) -> None:
        self._mark = mark
        self._at = np.stack([self.on_axis(mark.x), self.on_axis(mark.y, "y")], axis=1)
        single = mark.partners is None
        shapes = self.scene.shapes[mark.points] if single else np.full(len(mark.points), -1)
        groups = mark.groups if mark.groups is not None else shapes
        codes, which = np.unique(np.stack([shapes, groups], axis=1), axis=0, return_inverse=True)
        theme = self.theme
        looks = tuple(
            Sprite(
                theme.shape(shape),
                theme.point * (0.8 if single else 0.5),
                theme.colour(group),
                theme.plot,
                theme.stroke / 2,
            )
            for shape, group in codes.tolist()
        )
        self._dots.set(self._at, looks, which.reshape(-1))
        self._dots.setVisible(True)
        self._ring.clear()

    def light_points(self, points: Array) -> None:
        if self._mark is None:
            return
        single = self._mark.partners is None
        chosen = np.isin(self._mark.points, points)
        if self._mark.partners is not None:
            chosen |= np.isin(self._mark.partners, points)
        lit = np.flatnonzero(chosen)
        look = Sprite("o", self.theme.point * (2.0 if single else 1.2), None, self.theme.line, self.theme.stroke)
        self._ring.set(self._at[lit], (look,), np.zeros(len(lit), dtype=np.intp))
        self._ring.setVisible(True)

    def points_at(self, place: QPointF) -> Array:
        if self._mark is None or not len(self._at) or not self._dots.isVisible():
            return NO_POINTS
        gaps = (self._at - (place.x(), place.y())) / self.canvas.box.viewPixelSize()
        distance = np.einsum("ij,ij->i", gaps, gaps)
        nearest = int(distance.argmin())
        if distance[nearest] > REACH**2:
            return NO_POINTS
        if self._mark.partners is None:
            return self._mark.points[nearest : nearest + 1]
        return np.array([self._mark.points[nearest], self._mark.partners[nearest]])
