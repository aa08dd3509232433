"""Large clouds: points that lie under others are left out, and nobody can tell."""

from __future__ import annotations

import numpy as np
import pytest
import shiboken6
from PySide6.QtCore import QRectF
from PySide6.QtGui import QTransform
from PySide6.QtWidgets import QWidget

from algorithms.contract import Panel
from algorithms.data import Points
from algorithms.marks import Assignment
from mlviz.session.projection import Projection
from mlviz.session.rasters import Raster
from mlviz.views import sprites
from mlviz.views.canvas import FAR
from mlviz.views.occlusion import VEILS, topmost_of_veils, visible_points
from mlviz.views.plane import PlaneView
from mlviz.views.scene import Scene
from mlviz.views.theme import LIGHT

CROSS = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]], dtype=bool)
BAR = np.array([[1, 0, 1, 1, 1, 1, 1]], dtype=bool)


def test_a_point_is_hidden_by_one_at_its_own_place_and_by_several_around_it():
    at = np.array([[5, 5], [5, 5]])
    assert visible_points(at, np.zeros(2, dtype=int), [CROSS], (20, 20)).tolist() == [1]
    arms = np.array([[5, 5], [4, 5], [6, 5], [5, 4], [5, 6]])  # every pixel of the first lies under an arm's centre
    assert visible_points(arms, np.zeros(5, dtype=int), [CROSS], (20, 20)).tolist() == [1, 2, 3, 4]
    assert visible_points(arms[:4], np.zeros(4, dtype=int), [CROSS], (20, 20)).tolist() == [0, 1, 2, 3]


def test_points_outside_the_picture_are_left_out_and_those_at_its_edge_are_not():
    at = np.array([[-3, 5], [-2, 5], [19, 5], [20, 5], [5, -3], [5, 19]])
    # a cross whose corner is in column -2 reaches column 0 with one pixel; in column or row 19 its first is seen
    assert visible_points(at, np.zeros(6, dtype=int), [CROSS], (20, 20)).tolist() == [1, 2, 5]


@pytest.mark.parametrize("seed", range(4))
def test_the_visible_points_are_those_that_painting_one_by_one_leaves(seed):
    rng = np.random.default_rng(seed)
    at, kinds = rng.integers(-8, 44, (600, 2)), rng.integers(0, 3, 600)
    symbols = [CROSS, BAR, np.ones((6, 5), dtype=bool)]
    canvas = np.full((80, 80), -1)
    for number, ((column, row), kind) in enumerate(zip(at + 20, kinds)):
        height, width = symbols[kind].shape
        canvas[row : row + height, column : column + width][symbols[kind]] = number
    left = np.unique(canvas[20:60, 20:60])
    assert visible_points(at, kinds, symbols, (40, 40)).tolist() == left[left >= 0].tolist()


def through(at, sizes, side=60):
    """How much of what is under discs that are 28 % opaque can be seen at each pixel."""
    rows, columns = np.mgrid[:side, :side] + 0.5
    shown = np.ones((side, side))
    for (column, row), size in zip(at, sizes):
        shown[np.hypot(columns - column, rows - row) < size / 2] *= 0.72
    return shown


def test_of_many_veils_only_so_many_are_painted_that_nobody_can_tell():
    rng = np.random.default_rng(0)
    at = np.concatenate([rng.normal(30, 7, (3000, 2)), np.full((40, 2), 52.0), [[4.0, 4.0]]])
    sizes = rng.choice([9.0, 12.0, 15.0], len(at))
    kept = topmost_of_veils(at.T, sizes)
    assert len(kept) < 0.5 * len(at)
    assert kept[-1] == len(at) - 1  # one that stands alone stays
    assert np.sum(kept >= 3000) == VEILS + 1
    assert np.abs(through(at, sizes) - through(at[kept], sizes[kept])).max() < 0.03


def test_a_throng_of_veils_is_thinned_and_others_are_not(qtbot, monkeypatch):
    monkeypatch.setattr(sprites, "CROWD", 100)
    monkeypatch.setattr(sprites, "THRONG", 200)
    placed, atlas = sprites._Placed(), sprites._Atlas()
    at, which = np.zeros((300, 2)), np.zeros(300, dtype=np.intp)
    placed.device(at, QTransform())
    for fill, count in (("#470b63b0", VEILS), ("#200b63b0", 300), ("#0b63b0", 1)):
        looks = (sprites.Sprite("o", 12.0, fill),)
        atlas.prepare(looks, 1.0)
        assert len(at[placed.seen(atlas, looks, which, QRectF(-50, -50, 100, 100))]) == count


def test_places_beyond_all_numbers_are_far_outside(qtbot):
    parent = QWidget()
    data = Points(np.array([[0.0, 0.0], [1e99, -1e99]]))
    view = PlaneView(Panel("plane", "plane", "data"), parent)
    view.set_scene(Scene.of(data, Projection.of(data, (0, 1)), LIGHT))
    view.view_rect = lambda: (0.0, 1e-300, 0.0, 1e-300)
    assert np.abs(view.in_pixels(data.X)[1]).tolist() == [FAR, FAR]
    shiboken6.delete(parent)


def test_a_crowd_looks_the_same_when_only_its_visible_points_are_painted(qtbot, monkeypatch):
    parent = QWidget()
    rng = np.random.default_rng(0)
    n = 4000
    data = Points(rng.normal(size=(n, 2)), rng.integers(0, 3, n), classes=("a", "b", "c"))
    view = PlaneView(Panel("plane", "plane", "data"), parent)
    view.resize(300, 260)
    view.set_scene(Scene.of(data, Projection.of(data, (0, 1)), LIGHT))
    view.fit_view()
    parent.show()
    labels = [rng.integers(0, 4, n) for _ in range(3)]

    def picture(number: int) -> np.ndarray:
        view.show_marks((Assignment(labels[number]),))
        image = view.grab().toImage()
        return np.frombuffer(image.constBits(), dtype=np.uint8).astype(int).copy()

    all_painted = [picture(number) for number in range(3)]
    monkeypatch.setattr(sprites, "CROWD", 1000)
    assert np.array_equal(picture(0), all_painted[0])  # the first time at these places everything is painted
    for number in (1, 2, 0):
        difference = np.abs(picture(number) - all_painted[number])
        assert view.points.painted < 0.4 * n
        assert difference.mean() < 0.3  # of 255
        assert (difference > 80).mean() < 1e-3
    shiboken6.delete(parent)


def test_only_what_is_on_the_page_is_searched_for_what_shows(qtbot, monkeypatch):
    """With other data a view may know another range than what is painted: thirty times the pixels of the screen."""
    parent = QWidget()
    data = Points(np.random.default_rng(0).normal(size=(200, 2)))
    view = PlaneView(Panel("plane", "plane", "data"), parent)
    view.resize(300, 260)
    view.set_scene(Scene.of(data, Projection.of(data, (0, 1)), LIGHT))
    view.fit_view()
    parent.show()
    sizes, search = [], sprites.visible_points
    monkeypatch.setattr(sprites, "CROWD", 100)
    monkeypatch.setattr(sprites, "THRONG", 100)
    monkeypatch.setattr(sprites, "_is_veil", lambda _: False)
    monkeypatch.setattr(sprites, "visible_points", lambda *parts: (sizes.append(parts[-1]), search(*parts))[1])
    view.grab()
    monkeypatch.setattr(view.points, "viewRect", lambda: QRectF(-10.0, -10.0, 20.0, 20.0))
    view.points._placed._key = ()
    view.grab()
    assert len(sizes) == 2
    assert all(0 < wide <= 300 and 0 < high <= 260 for wide, high in sizes)
    shiboken6.delete(parent)


def test_a_field_that_has_not_changed_is_not_drawn_again_and_not_in_a_coarser_way(qtbot):
    parent = QWidget()
    data = Points(np.array([[0.0, 0.0], [1.0, 1.0]]))
    view = PlaneView(Panel("plane", "plane", "data"), parent)
    view.set_scene(Scene.of(data, Projection.of(data, (0, 1)), LIGHT))
    rect = (0.0, 1.0, 0.0, 1.0)
    coarse, fine = np.arange(4.0).reshape(2, 2), np.arange(16.0).reshape(4, 4)
    view.set_raster("field", Raster(coarse, rect))
    view.set_raster("field", Raster(fine, rect))
    view.set_raster("field", Raster(coarse.copy(), rect))  # the next frame asks again, coarse first
    assert view.rasters["field"].values is fine
    view.set_raster("field", Raster(coarse + 1.0, rect))  # another field
    assert view.rasters["field"].values.shape == (2, 2)
    view.set_raster("field", Raster(fine.copy(), rect))  # finer than what is on show, though seen before
    assert view.rasters["field"].values.shape == (4, 4)
    view.set_raster("field", Raster(fine.copy(), (0.0, 2.0, 0.0, 1.0)))  # the same values, another part of the plane
    assert view.rasters["field"].rect[1] == 2.0
    shiboken6.delete(parent)
