"""A straight line that parts the plane, and can be turned and shifted."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from PySide6.QtCore import QPointF

from algorithms.data import Array
from algorithms.marks import DividingLine
from mlviz.views.legend_rows import Row
from mlviz.views.lines import LineItem
from mlviz.views.pens import make_pen
from mlviz.views.renderers.base import NO_PLACES, Renderer, renders
from mlviz.views.renderers.paths import ArrowItem
from mlviz.views.sprites import Sprite, SpriteLayer

ALONG = 300
"""Places along the line for the legend to keep off."""
ARROW = 0.22
"""The length of the normal, in extents of the data."""


@renders(DividingLine)
class DividingLineRenderer(Renderer):
    """The line strong, its margins dashed, and its normal an arrow that starts beside the middle of the data."""

    depth = 260.0
    stacked = True

    def __init__(self, canvas: Any, ordinal: int) -> None:
        super().__init__(canvas, ordinal)
        self._line = self.add(LineItem(antialias=True))
        self._margins = self.add(LineItem(antialias=True, connect="pairs"))
        self._arrow: ArrowItem = self.add(ArrowItem())
        self._knobs: SpriteLayer = self.add(SpriteLayer())
        self._mark: DividingLine | None = None
        self._foot = self._tip = np.zeros(2)
        self._normal = np.array([1.0, 0.0])
        self._turns = False
        canvas.range_changed.connect(self._draw_lines)

    def show(self, mark: DividingLine) -> None:
        theme = self.theme
        length = float(np.linalg.norm(mark.normal))
        self._mark, self._normal = mark, np.asarray(mark.normal, dtype=float) / length
        extent, middle = self._place()
        if mark.origin is not None:
            middle = mark.origin
        self._foot = middle + (mark.offset / length - float(middle @ self._normal)) * self._normal
        self._tip = self._foot + ARROW * extent * self._normal
        self._draw_lines()
        self._arrow.set(self._foot[None], self._tip[None], (make_pen(theme.line, theme.stroke),), theme.point * 1.1)
        knobs = np.stack([self._foot, self._tip]) if mark.handles else np.empty((0, 2))
        look = Sprite("o", theme.point * 1.3, theme.accent, theme.plot, theme.stroke * 0.6)
        self._knobs.set(knobs, (look,), np.zeros(len(knobs), dtype=np.intp))
        for item in self.items:
            item.setVisible(True)

    def _draw_lines(self) -> None:
        """Draw the lines as far as can be seen: Qt loses its way with ends that are a million pixels away."""
        if self._mark is None:
            return
        theme = self.theme
        left, right, bottom, top = self.canvas.view_rect()
        direction = np.array([-self._normal[1], self._normal[0]])
        centre = np.array([(left + right) / 2, (bottom + top) / 2])
        seen = self._foot + float((centre - self._foot) @ direction) * direction
        reach = float(np.hypot(right - left, top - bottom)) * direction
        ends = np.stack([seen - reach, seen + reach])
        self._line.setData(x=ends[:, 0], y=ends[:, 1], pen=make_pen(theme.line, theme.stroke * 1.25))
        sides = np.concatenate([ends + shift * self._normal for shift in self._mark.margins] or [np.empty((0, 2))])
        dashes = make_pen(theme.line, theme.stroke * 0.75, dashed=True)
        self._margins.setData(x=sides[:, 0], y=sides[:, 1], connect="pairs", pen=dashes)

    def hide(self) -> None:
        super().hide()
        self._mark = None

    def end(self) -> None:
        self.canvas.range_changed.disconnect(self._draw_lines)
        super().end()

    def decision_places(self) -> Array:
        if self._mark is None or self._line.xData is None:
            return NO_PLACES
        x, y = self._line.xData, self._line.yData
        return np.column_stack([np.linspace(x[0], x[-1], ALONG), np.linspace(y[0], y[-1], ALONG)])

    def legend(self, mark: DividingLine) -> tuple[Row, ...]:
        theme = self.theme
        name = f"{mark.name} (drag it, or the arrow's tip)" if mark.handles else mark.name
        dashed = Row("margin", line=theme.line, dashed=True, width=theme.stroke * 0.75)
        return (Row(name, line=theme.line, width=theme.stroke * 1.25), *((dashed,) if mark.margins else ()))

    def grab(self, place: QPointF, reach: tuple[float, float]) -> bool:
        """The tip of the arrow, or anywhere on the line."""
        if self._mark is None or not self._mark.handles:
            return False
        at, size = np.array([place.x(), place.y()]), np.asarray(reach) / 2
        self._turns = bool(np.linalg.norm((at - self._tip) / size) < 1.0)
        pixels = abs(float((at - self._foot) @ self._normal)) / float(np.linalg.norm(size * self._normal))
        return self._turns or pixels < 1.0

    def drag(self, place: QPointF, finished: bool) -> None:
        """Turn the line about the origin, or shift it."""
        assert self._mark is not None
        origin = np.zeros(2) if self._mark.origin is None else self._mark.origin
        towards = np.array([place.x(), place.y()]) - origin
        angle_name, offset_name = self._mark.handles
        if not self._turns:
            self.canvas.param_dragged.emit((offset_name, float(towards @ self._normal), finished))
        elif towards.any():
            if (self._tip - origin) @ self._normal < 0:
                towards = -towards  # the line lies behind the origin, and so does the tip
            self.canvas.param_dragged.emit((angle_name, math.degrees(math.atan2(towards[1], towards[0])), finished))

    def _place(self) -> tuple[float, Array]:
        """How far the data reach, and where their middle is."""
        at = self.scene.at
        if not len(at):
            return 1.0, np.zeros(2)
        extent = float(np.linalg.norm(np.ptp(at, axis=0)))
        return extent or 1.0, np.asarray((at.min(axis=0) + at.max(axis=0)) / 2)
