"""Things of which there are many, none of them special: curves in a bundle, and dots that are no data points."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtGui import QColor

from algorithms.marks import Bundle, Dots
from mlviz.views.legend_rows import Row
from mlviz.views.lines import CurveItem
from mlviz.views.renderers.base import Renderer, renders
from mlviz.views.sprites import Sprite, SpriteLayer


@renders(Bundle)
class BundleRenderer(Renderer):
    """Thin lines in one item, the fainter the more there are, so that where many run it is dark."""

    depth = 35.0

    def __init__(self, canvas: Any, ordinal: int) -> None:
        super().__init__(canvas, ordinal)
        self._lines = self.add(CurveItem(antialias=True))

    def show(self, mark: Bundle) -> None:
        count, places = mark.y.shape
        connect = np.ones(count * places, dtype=np.int32)
        connect[places - 1 :: max(places, 1)] = 0
        shade = QColor(self.theme.muted)  # translucent: where many of them run it is darker
        shade.setAlphaF(min(1.0, max(0.25, 2.5 / max(count, 1) ** 0.5)))
        self._lines.setData(
            x=np.tile(self.on_axis(mark.x), count),
            y=self.on_axis(mark.y, "y").reshape(-1),
            connect=connect,
            pen=pg.mkPen(shade, width=self.theme.stroke * 0.5),
        )
        self._lines.setVisible(True)

    def legend(self, mark: Bundle) -> tuple[Row, ...]:
        return (Row(mark.name, line=self.theme.muted, width=self.theme.stroke * 0.5),) if len(mark.y) else ()


@renders(Dots)
class DotsRenderer(Renderer):
    """Small discs below the data points; stars above them where the places are known beforehand."""

    def __init__(self, canvas: Any, ordinal: int) -> None:
        super().__init__(canvas, ordinal)
        self._layer: SpriteLayer = self.add(SpriteLayer())

    def show(self, mark: Dots) -> None:
        at = np.stack([self.on_axis(mark.at[:, 0]), self.on_axis(mark.at[:, 1], "y")], axis=1)
        groups = np.full(len(at), mark.group) if mark.groups is None else mark.groups
        kinds, which = np.unique(groups, return_inverse=True)
        self._layer.set(at, tuple(self._look(mark, group) for group in kinds.tolist()), which.reshape(-1))
        self._layer.setZValue(240.0 if mark.known else 90.0)
        self._layer.setVisible(True)

    def set_height(self, height: int) -> None:
        """Whether they lie above or below the points, the mark decides."""

    def legend(self, mark: Dots) -> tuple[Row, ...]:
        look = self._look(mark, mark.group if mark.groups is None else -1)
        return (Row(mark.name, sprite=look),) if len(mark.at) and mark.name else ()

    def _look(self, mark: Dots, group: int) -> Sprite:
        theme = self.theme
        if mark.known:
            fill = theme.line if group < 0 else theme.colour(group)
            return Sprite("star", theme.point * 1.7, fill, theme.plot, theme.stroke * 0.5)
        return Sprite("o", theme.point * 0.6, theme.colour(group), theme.plot, theme.stroke / 3)
