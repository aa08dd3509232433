"""After any change of the method, what a plot has on the screen is what it would show if all of it were painted."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint

from algorithms import find
from mlviz.data.spec import example_of
from mlviz.session.document import Document
from mlviz.views.menuless_plot import MenulessPlot
from tests.events import settle
from tests.views.pictures import pixels

ROUNDED = 8.0
"""Of 255: by so much a pixel at the edge of something may differ that was painted in two parts."""


def last_frame(window, qtbot):
    """The last frame is on the screen with its finest fields, and nothing is left to be done."""
    board, player = window.board, window.player
    qtbot.waitUntil(lambda: player.runs(window.document) and not player.running and board.up_to_date)
    player.jump("end")
    stages, rasters = (*board.stages, board.missing_canvas), board.rasters
    qtbot.waitUntil(lambda: player.arrived and not any(stage(False) for stage in stages))
    qtbot.waitUntil(lambda: not board._settle.isActive() and rasters._answered.keys() == rasters._latest.keys())
    settle()


def on_screen(window):
    """What each plot has on the screen."""
    image = window.screen().grabWindow(window.winId()).toImage()
    plots = [plot for plot in window.findChildren(MenulessPlot) if plot.isVisible()]
    corners = {plot: plot.mapTo(window, QPoint(0, 0)) for plot in plots}
    return {plot: pixels(image.copy(plot.rect().translated(corner))) for plot, corner in corners.items()}


def stale(window):
    """The plots that look otherwise when all of them is painted."""
    before = on_screen(window)
    for plot in before:
        plot.viewport().update()
    settle()
    after = on_screen(window)
    return [plot.objectName() for plot in before if (np.abs(before[plot] - after[plot]) > ROUNDED).any()]


WAYS = (("cross_validation", "bootstrap"), ("k_means", "decision_tree", "mlp"), ("pca", "perceptron", "lasso"))


@pytest.mark.parametrize("way", WAYS, ids=" ".join)
def test_nothing_is_left_of_the_method_before(make_window, qtbot, way):
    window = make_window()
    window.resize(1024, 740)
    window.set_theme("dark")
    for key in way:
        window.apply(Document(example_of(find(key)), key), "another method")
        last_frame(window, qtbot)
        assert stale(window) == [], key
