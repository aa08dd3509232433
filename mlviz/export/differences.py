"""A map of differences, drawn: in the window and in files alike."""

from __future__ import annotations

import numpy as np

from mlviz.views.difference import DifferenceView
from mlviz.worker.difference import Difference


def draw_difference(view: DifferenceView, found: Difference, names: tuple[str, ...]) -> None:
    """Draw a map; of two real answers, who gives the larger one is said by name."""
    assert found.cells is not None
    assert found.points is not None
    signed = found.sort == "values" and not found.flat
    rings = np.zeros(len(found.points), dtype=bool) if found.sort == "values" else found.points
    two = (names[0], names[1]) if len(names) == 2 else ("difference", "")
    view.show_difference(found.cells, found.request.rect, rings, found.most if signed else None, two)
