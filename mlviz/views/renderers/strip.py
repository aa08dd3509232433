"""Bands along a line of items: below the series on a strip, or on axes of their own."""

from __future__ import annotations

from typing import Any

import numpy as np

from algorithms.marks import Strip
from mlviz.views.bands import Band, BandItem, group_colours
from mlviz.views.legend_rows import Row
from mlviz.views.renderers.base import Renderer, renders
from mlviz.views.sprites import Sprite
from mlviz.views.strip import StripView

GAP = 0.12
"""Between two rows, as a fraction of their height."""


@renders(Strip)
class StripRenderer(Renderer):
    """On a strip of series the canvas itself draws the bands, because it knows where the series are."""

    depth = 35.0

    def __init__(self, canvas: Any, ordinal: int) -> None:
        super().__init__(canvas, ordinal)
        self._item: BandItem = self.add(BandItem())

    def show(self, mark: Strip) -> None:
        own = not isinstance(self.canvas, StripView)
        self._item.setVisible(own)
        if not own:
            return
        edges = np.linspace(mark.high, mark.low, len(mark.labels) + 1)
        gap = GAP * (edges[0] - edges[1])
        bands = []
        for row, labels in enumerate(mark.labels):
            sure = None if mark.strengths is None else mark.strengths[row]
            bands.append(
                Band(
                    mark.first, edges[row + 1] + gap / 2, edges[row] - gap / 2, *group_colours(self.theme, labels, sure)
                )
            )
        self._item.set(tuple(bands))

    def legend(self, mark: Strip) -> tuple[Row, ...]:
        theme = self.theme
        shown = np.unique(mark.labels[mark.labels >= 0]).tolist()
        names = [(group, mark.group_names[group]) for group in shown if group < len(mark.group_names)]
        return tuple(Row(name, sprite=Sprite("s", theme.point, theme.colour(group))) for group, name in names)
