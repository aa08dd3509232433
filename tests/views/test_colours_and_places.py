"""Colours in their three forms, and the nearest of some places."""

import numpy as np
import pytest

from mlviz.session.nearest import nearest
from mlviz.views import scale
from mlviz.views.colours import blend, channels, number, numbers, text
from mlviz.views.theme import LIGHT


def test_a_colour_in_its_three_forms():
    assert channels("#102aff") == (16, 42, 255)
    assert text(16, 42, 255) == "#102aff"
    assert number("#102aff") == 0x102AFF
    table = np.array([[[16, 42, 255], [0, 0, 1]]], dtype=np.ubyte)
    assert numbers(table).tolist() == [[0x102AFF, 1]]
    assert numbers(table.astype(float)).tolist() == [[0x102AFF, 1]]


def test_blending():
    assert blend("#000000", "#ffffff", 0.5) == "#808080"
    assert blend("#102030", "#a0b0c0", 0.0) == "#102030"
    assert blend("#102030", "#a0b0c0", 1.0) == "#a0b0c0"


@pytest.mark.parametrize(("x", "y", "found"), [(0.9, 0.0, 1), (0.4, 0.0, 0), (1.0, 3.0, 1), (1.0, 4.1, None)])
def test_the_nearest_place_is_measured_in_the_units_of_each_direction(x, y, found):
    at = np.array([[0.0, 0.0], [1.0, 0.0]])
    assert nearest(at, x, y, (1.0, 2.0), 2.0) == found


def test_among_no_places_none_is_nearest():
    assert nearest(np.empty((0, 2)), 0.0, 0.0, (1.0, 1.0)) is None
    assert nearest(np.array([[1e9, 1e9]]), 0.0, 0.0, (1.0, 1.0)) == 0


@pytest.mark.parametrize("signed", [False, True])
def test_a_large_table_has_the_colours_of_a_small_one(signed, monkeypatch):
    """They are mixed once for all of its numbers."""
    table = np.random.default_rng(0).normal(size=(30, 40))
    exact = scale.table_pixels(LIGHT, table, signed)
    monkeypatch.setattr(scale, "MANY", 100)
    monkeypatch.setattr(scale, "table_colours", lambda *_: pytest.fail("every number was mixed"))
    assert np.abs(scale.table_pixels(LIGHT, table, signed).astype(int) - exact).max() <= 1
    assert (exact[..., 3] == 255).all()
    assert scale.table_pixels(LIGHT, np.zeros((20, 20)), signed).shape == (20, 20, 4)
