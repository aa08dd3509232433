"""The map of differences, drawn."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms import Points
from mlviz.session.projection import Projection
from mlviz.views.colours import channels
from mlviz.views.difference import DifferenceView
from mlviz.views.scene import Scene
from mlviz.views.theme import DARK, LIGHT

DATA = Points([[0.0, 0.0], [1.0, 1.0], [2.0, 0.5]], [0, 1, 1], classes=("a", "b"))
RECT = (0.0, 2.0, 0.0, 1.0)


@pytest.fixture
def view(qtbot):
    view = DifferenceView()
    qtbot.addWidget(view)
    view.set_theme(LIGHT)
    view.set_scene(Scene.of(DATA, Projection.of(DATA), LIGHT))
    view.fit_view()
    return view


def names(view):
    return [row.name for row in view.legend.rows]


def test_cells_where_answers_differ_are_shaded_and_points_ringed(view):
    view.show_difference(np.array([[0.0, 1.0]]), RECT, np.array([True, False, True]))
    assert view._map.image[0, :, 3].tolist() == [0, 87]
    assert tuple(view._map.image[0, 1, :3]) == channels(LIGHT.line)
    assert view._apart.at.tolist() == [[0.0, 0.0], [2.0, 0.5]]
    assert names(view) == ["a", "b", "answers differ"]


def test_real_differences_have_a_colour_for_each_sign(view):
    rings = np.zeros(3, dtype=bool)
    view.show_difference(np.array([[-2.0, 0.0, 2.0]]), RECT, rings, 2.0, ("tree", "line"))
    low, none, high = (tuple(colour) for colour in view._map.image[0, :, :3].tolist())
    assert low == channels(LIGHT.colour(0))
    assert high == channels(LIGHT.colour(1))
    assert none == pytest.approx(channels(LIGHT.plot), abs=1)
    assert names(view)[-2:] == ["tree: up to 2 more", "line: up to 2 more"]


def test_no_difference_at_all_is_drawn_too(view):
    view.show_difference(np.zeros((2, 2)), RECT, np.zeros(3, dtype=bool), 0.0, ("tree", "line"))
    assert view._map.isVisible()


def test_other_data_and_another_theme(view):
    view.show_difference(np.array([[0.0, 1.0]]), RECT, np.array([True, False, True]))
    view.set_theme(DARK)
    assert tuple(view._map.image[0, 1, :3]) == channels(DARK.line)
    view.set_scene(Scene.of(DATA, Projection.of(DATA), DARK))
    assert not view._map.isVisible()
    assert len(view._apart.at) == 0
    assert names(view) == ["a", "b"]
