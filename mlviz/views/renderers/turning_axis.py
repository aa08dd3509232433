"""An axis that turns about a point of the plane, by its ends."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from PySide6.QtCore import QPointF

from algorithms.marks import TurningAxis
from mlviz.session.nearest import nearest
from mlviz.views.legend_rows import Row
from mlviz.views.lines import LineItem
from mlviz.views.pens import make_pen
from mlviz.views.renderers.base import Renderer, renders
from mlviz.views.sprites import EMPTY, Sprite, SpriteLayer


@renders(TurningAxis)
class TurningAxisRenderer(Renderer):
    """A strong line, with a knob at each end that says that it can be taken there."""

    depth = 260.0
    stacked = True

    def __init__(self, canvas: Any, ordinal: int) -> None:
        super().__init__(canvas, ordinal)
        self._line = self.add(LineItem(antialias=True))
        self._knobs: SpriteLayer = self.add(SpriteLayer())
        self._mark: TurningAxis | None = None
        self._ends = EMPTY

    def show(self, mark: TurningAxis) -> None:
        theme = self.theme
        self._mark, self._ends = mark, self.scene.projection.project(mark.at)
        line = self.scene.projection.project(mark.origin + mark.stretch * (mark.at - mark.origin))
        self._line.setData(x=line[:, 0], y=line[:, 1], pen=self._pen())
        knobs = self._ends if mark.handle else EMPTY
        look = Sprite("o", theme.point * 1.3, theme.accent, theme.plot, theme.stroke * 0.6)
        self._knobs.set(knobs, (look,), np.zeros(len(knobs), dtype=np.intp))
        for item in self.items:
            item.setVisible(True)

    def hide(self) -> None:
        super().hide()
        self._mark = None

    def _pen(self) -> Any:
        return make_pen(self.theme.line, self.theme.stroke * 1.25)

    def legend(self, mark: TurningAxis) -> tuple[Row, ...]:
        name = f"{mark.name}: drag an end" if mark.handle else mark.name
        return (Row(name, line=self.theme.line, width=self.theme.stroke * 1.25),)

    def grab(self, place: QPointF, reach: tuple[float, float]) -> bool:
        """One of the ends."""
        if self._mark is None or not self._mark.handle:
            return False
        return nearest(self._ends, place.x(), place.y(), reach, 1.0) is not None

    def drag(self, place: QPointF, finished: bool) -> None:
        """Turn the axis towards the mouse; its two ends mean the same angle."""
        assert self._mark is not None
        origin = self._mark.origin
        there = self.scene.projection.moved(origin, np.array([place.x(), place.y()]))
        across, up = (there - origin) / self._mark.scale
        if across or up:
            degrees = math.degrees(math.atan2(up, across)) % 180.0
            self.canvas.param_dragged.emit((self._mark.handle, degrees, finished))
