"""The map of differences: the data plane, shaded where the answers of several models are not the same."""

from __future__ import annotations

import numpy as np
from PySide6.QtWidgets import QWidget

from algorithms.contract import Panel
from algorithms.data import Array
from mlviz.session.rasters import Rect
from mlviz.views.colours import channels, text
from mlviz.views.legend_rows import Row
from mlviz.views.plane import PlaneView
from mlviz.views.renderers._image import SmoothImage
from mlviz.views.scale import signed_colours
from mlviz.views.scene import Scene
from mlviz.views.sprites import EMPTY, Sprite, SpriteLayer
from mlviz.views.theme import Theme

SHADE = 0.34
"""How dark it is where answers differ; the points must stay readable on it."""
PANEL = Panel("difference", "Where they differ", space="data")


class DifferenceView(PlaneView):
    """The points in their own colours over a map; those that are answered differently have a ring."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self._map: SmoothImage | None = None
        self._shown: tuple[Array, Rect, Array, float | None, tuple[str, str]] | None = None
        super().__init__(PANEL, parent)
        self._map = SmoothImage()
        self._map.setZValue(-100)
        self.addItem(self._map, ignoreBounds=True)
        self._apart = SpriteLayer()
        self._apart.setZValue(90)
        self.addItem(self._apart, ignoreBounds=True)

    def set_scene(self, scene: Scene, origin: Array | None = None) -> None:
        """Other data: the map of the old ones goes."""
        super().set_scene(scene, origin)
        self.forget()

    def forget(self) -> None:
        """Show no map."""
        if self._map is not None:
            self._shown = None
            self._map.setVisible(False)
            self._apart.set(EMPTY, (), np.empty(0, dtype=np.intp))
            self.legend.set_rows(self._base_rows, self.theme)

    def show_difference(
        self, cells: Array, rect: Rect, points: Array, most: float | None = None, names: tuple[str, str] = ("", "")
    ) -> None:
        """Shade these cells (h, w).

        Parameters
        ----------
        cells : (h, w) array
            1 where answers differ, or by how much they do.
        rect : (float, float, float, float)
            Left, right, bottom and top of the cells.
        points : (n,) array of bool
            The points that get a ring.
        most : float, optional
            The largest difference, where the cells say how much; None where they say whether.
        names : (str, str)
            Who answers more where the difference is positive, and where it is negative.
        """
        self._shown = (cells, rect, points, most, names)
        self._paint()

    def set_theme(self, theme: Theme) -> None:
        """Colours and sizes from now on."""
        super().set_theme(theme)
        if self._map is not None:
            self._paint()

    def _paint(self) -> None:
        if self._shown is None or self._map is None or self.scene_info is None:
            return
        cells, rect, points, most, names = self._shown
        image = np.empty((*cells.shape, 4), dtype=np.ubyte)
        if most is None:
            image[..., :3] = channels(self.theme.line)
            image[..., 3] = np.rint(255 * SHADE * cells)
        else:
            image[..., :3] = signed_colours(self.theme, cells / (most or 1.0))
            image[..., 3] = 190
        self._map.set(image, rect)
        self._map.setVisible(True)
        look = Sprite("o", self.theme.point * 1.7, None, self.theme.line, self.theme.stroke / 2)
        at = self.scene_info.at[np.flatnonzero(points)]
        self._apart.set(at, (look,), np.zeros(len(at), dtype=np.intp))
        self.legend.set_rows((*self._base_rows, *self._rows(most, names)), self.theme)

    def _rows(self, most: float | None, names: tuple[str, str]) -> tuple[Row, ...]:
        size = self.theme.point * 1.3
        if most is None:
            return (Row("answers differ", sprite=Sprite("s", size, self.theme.faint(self.theme.line, SHADE))),)
        ends = ((names[0], 1.0), (names[1], -1.0))
        return tuple(
            Row(f"{name}: up to {most:.3g} more", sprite=Sprite("s", size, _colour(self.theme, end)))
            for name, end in ends
            if name
        )


def _colour(theme: Theme, value: float) -> str:
    return text(*signed_colours(theme, np.array(value)).tolist())
