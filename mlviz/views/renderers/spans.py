"""Lit pieces of texts: the canvas of texts paints them, because it knows where the letters are."""

from __future__ import annotations

import numpy as np

from algorithms.marks import Spans
from mlviz.views.legend_rows import Row
from mlviz.views.renderers.base import Renderer, renders
from mlviz.views.sprites import Sprite
from mlviz.views.strings_view import StringsView, span_colour


@renders(Spans)
class SpansRenderer(Renderer):
    """Tells the canvas which pieces to light; other data have none."""

    def show(self, mark: Spans) -> None:
        if isinstance(self.canvas, StringsView):
            self.canvas.light_spans(self.ordinal, mark)

    def hide(self) -> None:
        if isinstance(self.canvas, StringsView):
            self.canvas.light_spans(self.ordinal, None)

    def legend(self, mark: Spans) -> tuple[Row, ...]:
        theme = self.theme
        if mark.groups is None:
            return (Row(mark.name, sprite=Sprite("s", theme.point, span_colour(theme, -1))),) if mark.name else ()
        shown = [group for group in np.unique(mark.groups).tolist() if 0 <= group < len(mark.group_names)]
        return tuple(
            Row(mark.group_names[group], sprite=Sprite("s", theme.point, span_colour(theme, group))) for group in shown
        )
