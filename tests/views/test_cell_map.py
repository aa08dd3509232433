"""The map of cells: names on its axes, a frame around the best, and a cell that is pointed at sets the parameter."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF

from algorithms import find
from algorithms.marks import CellMap
from mlviz.data.generators import generate
from mlviz.session.projection import Projection
from mlviz.views.canvases import make_canvas
from mlviz.views.scene import Scene
from mlviz.views.theme import DARK, LIGHT

VALUES = np.array([[0.4, 0.2, 0.3], [0.1, 0.5, 0.0]])
UNKNOWN = np.array([[False, False, False], [False, False, True]])
MAP = CellMap(VALUES, ("1", "2", "5"), ("a", "b"), "C", "sigma", UNKNOWN, (1, 0), (0, 2), "part wrong", "look")


@pytest.fixture
def view(qtbot):
    data = generate("moons", n=10)
    view = make_canvas(next(panel for panel in find("model_selection").panels if panel.key == "map"))
    qtbot.addWidget(view)
    view.resize(400, 300)
    view.set_theme(LIGHT)
    view.set_scene(Scene.of(data, Projection.of(data), LIGHT))
    view.show_marks((MAP,))
    view.grab()
    return view


def test_axes_have_the_names_and_the_scale_is_that_of_the_known_cells(view):
    assert view.getAxis("bottom").tickStrings([0.0, 2.0], 1.0, 1.0) == ["1", "5"]
    assert view.getAxis("left").tickStrings([1.0], 1.0, 1.0) == ["b"]
    assert "dark 0.1, light 0.5" in view.getAxis("bottom").labelText
    view.show_marks(())
    assert view.getAxis("bottom").tickStrings([2.0], 1.0, 1.0) != ["5"]


def test_on_a_dark_ground_the_small_numbers_are_the_light_ones(view):
    view.set_theme(DARK)
    view.set_scene(Scene.of(generate("moons", n=10), Projection(), DARK))
    view.show_marks((MAP,))
    assert "light 0.1, dark 0.5" in view.getAxis("bottom").labelText


def test_a_cell_that_is_dragged_over_sets_the_parameter_once(view):
    [renderer] = [each for each in view._renderers.values() if each._mark is not None]
    heard = []
    view.param_dragged.connect(heard.append)
    assert renderer.grab(QPointF(2.3, 0.6), (0.1, 0.1))
    renderer.drag(QPointF(2.3, 0.6), False)
    renderer.drag(QPointF(2.1, 0.9), False)
    renderer.drag(QPointF(0.2, 0.2), True)
    assert heard == [("look", (3, 2), False), ("look", (1, 1), True)]
    assert not renderer.grab(QPointF(3.0, 0.0), (0.1, 0.1))
    assert renderer.click(QPointF(1.0, 0.0))
    assert heard[-1] == ("look", (2, 1), True)
    assert not renderer.click(QPointF(9.0, 0.0))


def test_the_cell_under_the_mouse_is_framed_and_stands_for_a_value(view):
    [renderer] = [each for each in view._renderers.values() if each._mark is not None]
    assert renderer.hover(QPointF(2.1, 0.8)) == ("look", (3, 2))
    assert len(renderer._under_mouse.xData) == 5
    assert renderer.hover(QPointF(7.0, 0.8)) is None
    assert len(renderer._under_mouse.xData) == 0
    renderer.hover(QPointF(2.1, 0.8))
    view.show_marks(())
    assert len(renderer._under_mouse.xData) == 0  # not there when another map comes
