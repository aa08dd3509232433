"""A map of differences, drawn: in the window and in files alike."""

from __future__ import annotations

import numpy as np

from algorithms.data import Distances
from mlviz.views.canvas import Canvas
from mlviz.views.difference import DifferenceView
from mlviz.views.two_maps import map_marks
from mlviz.worker.difference import Difference

MOST_NAMES = 80
"""Names of more items than this would hide the maps."""


def draw_difference(view: Canvas, found: Difference, names: tuple[str, ...]) -> None:
    """Draw a map; of two real answers, who gives the larger one is said by name. Two maps lie over each other."""
    if found.maps is not None:
        data = found.request.data
        labels = data.names if isinstance(data, Distances) and data.n <= MOST_NAMES else ()
        view.show_marks(map_marks(found.maps.rows, found.maps.places, names, labels))
        return
    assert isinstance(view, DifferenceView)
    assert found.cells is not None
    assert found.points is not None
    signed = found.sort == "values" and not found.flat
    rings = np.zeros(len(found.points), dtype=bool) if found.sort == "values" else found.points
    two = (names[0], names[1]) if len(names) == 2 else ("difference", "")
    view.show_difference(found.cells, found.request.rect, rings, found.most if signed else None, two)
