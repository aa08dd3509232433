"""Marks that speak about the data points themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtGui import QColor

from algorithms.marks import Assignment, HeldOut, Highlight, PointSizes, SoftAssignment
from mlviz.views.legend_rows import Row
from mlviz.views.renderers.base import Renderer, renders
from mlviz.views.scene import hollow_look
from mlviz.views.sprites import Sprite, SpriteLayer

COVERED = 0.9
"""A halo smaller than this, in sizes of a point, lies behind its point."""


@renders(Assignment)
class AssignmentRenderer(Renderer):
    """Fills every point with the colour of its group."""

    def show(self, mark: Assignment) -> None:
        self._plane.paint_points(self.scene.group_colours(mark.labels))

    @property
    def _plane(self) -> Any:
        return self.canvas


@renders(SoftAssignment)
class SoftAssignmentRenderer(AssignmentRenderer):
    """Fills every point with a mix of the groups' colours."""

    def show(self, mark: SoftAssignment) -> None:  # type: ignore[override]
        self._plane.paint_points(self.scene.mixed_colours(mark.weights))


@renders(PointSizes)
class PointSizesRenderer(Renderer):
    """A halo around each point whose area is proportional to its weight."""

    depth = 95.0
    LEVELS = 24
    LARGEST = 4.0

    def __init__(self, canvas: Any, ordinal: int) -> None:
        super().__init__(canvas, ordinal)
        self._layer: SpriteLayer = self.add(SpriteLayer())

    def show(self, mark: PointSizes) -> None:
        top = max(float(mark.weights.max(initial=0.0)), mark.largest)
        fraction = np.sqrt(mark.weights / top) if top > 0 else np.zeros(len(mark.weights))
        level = np.rint(fraction * self.LEVELS).astype(np.intp)
        shade = QColor(self.theme.accent)
        shade.setAlphaF(0.28)
        name = shade.name(QColor.NameFormat.HexArgb)
        sizes = [self.LARGEST * k / self.LEVELS for k in range(self.LEVELS + 1)]
        looks = tuple(Sprite("o", self.theme.point * size, name) for size in sizes)
        seen = level >= self.LEVELS * COVERED / self.LARGEST
        self._layer.set(self.scene.at[seen], looks, level[seen])
        self._layer.setVisible(True)

    def legend(self, mark: PointSizes) -> tuple[Row, ...]:
        shade = QColor(self.theme.accent)
        shade.setAlphaF(0.28)
        halo = Sprite("o", self.theme.point * 1.6, shade.name(QColor.NameFormat.HexArgb))
        return (Row(mark.name, sprite=halo),)


@renders(Highlight)
class HighlightRenderer(Renderer):
    """A ring whose style says why the point matters."""

    depth = 120.0

    def __init__(self, canvas: Any, ordinal: int) -> None:
        super().__init__(canvas, ordinal)
        self._layer: SpriteLayer = self.add(SpriteLayer())

    def show(self, mark: Highlight) -> None:
        self._layer.set(self.scene.at[mark.points], (self._look(mark.role),), np.zeros(len(mark.points), dtype=np.intp))
        self._layer.setVisible(True)

    def legend(self, mark: Highlight) -> tuple[Row, ...]:
        return (Row(mark.name, sprite=self._look(mark.role)),) if mark.name else ()

    def _look(self, role: str) -> Sprite:
        theme = self.theme
        size, width = theme.point, theme.stroke
        return {
            "changed": Sprite("o", size * 1.9, None, theme.line, width * 0.9, dashed=True),
            "chosen": Sprite("o", size * 2.4, None, theme.accent, width * 1.5),
            "free": Sprite("o", size * 1.7, None, theme.line, width * 0.9),
            "bound": Sprite("s", size * 1.9, None, theme.line, width * 0.9),
        }[role]


@renders(HeldOut)
class HeldOutRenderer(Renderer):
    """Says what hollow points are; the plane itself draws them, with all other points."""

    def show(self, mark: HeldOut) -> None:
        """Nothing of its own."""

    def legend(self, mark: HeldOut) -> tuple[Row, ...]:
        return (Row(mark.name, sprite=hollow_look(self.theme, 0, self.theme.muted)),) if len(mark.points) else ()
