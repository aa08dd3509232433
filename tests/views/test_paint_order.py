"""What is on the screen is what a painting of everything would show."""

import numpy as np
import pytest
import shiboken6
from PySide6.QtCore import QRect
from PySide6.QtWidgets import QGraphicsRectItem, QHBoxLayout, QWidget

from mlviz.views.menuless_plot import MenulessPlot
from tests.events import settle
from tests.views.pictures import pixels


@pytest.fixture
def row(qapp):
    """``row(*plots)`` is a window with plots side by side."""
    made = []

    def make(*plots):
        window = QWidget()
        made.append(window)
        layout = QHBoxLayout(window)
        for plot in plots:
            layout.addWidget(plot)
            plot.show()
        window.resize(600, 300)
        window.show()
        settle()
        return window

    yield make
    for window in made:
        shiboken6.delete(window)


def on_screen(window):
    return pixels(window.screen().grabWindow(window.winId()).toImage())


def square(plot):
    item = QGraphicsRectItem(0.0, 0.0, 30.0, 30.0, plot.getPlotItem())
    item.setBrush(plot.palette().highlight())
    item.setPos(100.0, 100.0)
    settle()
    return item


def painted_anew(window):
    for child in window.findChildren(QWidget):
        child.update()
    settle()
    return on_screen(window)


def move_both(window, left, right):
    """The scene on the left has the window painted while that on the right has not looked at its changes yet."""
    first, second = square(left), square(right)
    before = on_screen(window)
    first.moveBy(10.0, 0.0)
    right.viewport().update(QRect(0, 0, 20, 20))
    second.moveBy(60.0, 80.0)
    settle()
    assert (on_screen(window) != before).any()


def test_nothing_is_left_where_something_was_when_a_corner_is_painted_first(row):
    plots = [MenulessPlot(background="w") for _ in range(2)]
    window = row(*plots)
    move_both(window, *plots)
    assert np.array_equal(on_screen(window), painted_anew(window))


def test_a_plot_that_goes_to_another_window_is_painted_in_order_there(row):
    plots = [MenulessPlot(background="w") for _ in range(3)]
    row(*plots[:2])
    window = row(plots[2], plots[1])
    move_both(window, plots[2], plots[1])
    assert np.array_equal(on_screen(window), painted_anew(window))
