"""Painting while one draws: only what is needed, and still the same picture."""

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QStyleOptionGraphicsItem

from algorithms import Points
from algorithms.contract import Panel
from algorithms.marks import Assignment
from mlviz.session.projection import Projection
from mlviz.views.brush import Band
from mlviz.views.plane import PlaneView
from mlviz.views.scene import Scene
from mlviz.views.sprites import Sprite, SpriteLayer
from mlviz.views.theme import DARK, LIGHT

LOOKS = (Sprite("o", 9.0, "#0072b2"), Sprite("s", 12.0, "#d55e00", "#000000", 2.0))


def painted(layer, exposed=None):
    """The layer as pixels, one pixel to one unit; ``exposed`` is the part that is asked for, and clipped to."""
    image = QImage(200, 200, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(QColor("white"))
    option = QStyleOptionGraphicsItem()
    option.exposedRect = exposed or QRectF(0, 0, 200, 200)
    painter = QPainter(image)
    painter.setClipRect(option.exposedRect)
    layer.paint(painter, option)
    painter.end()
    return np.array(image.constBits()).reshape(200, 200, 4)


@pytest.fixture
def layer(qapp):
    rng = np.random.default_rng(3)
    made = SpriteLayer()
    made.set(rng.uniform(0, 200, size=(400, 2)), LOOKS, rng.integers(0, 2, 400))
    return made


@pytest.mark.parametrize("rect", [(20, 30, 50, 40), (0, 0, 10, 200), (150, 150, 50, 50), (90, 90, 1, 1)])
def test_a_part_of_a_layer_is_painted_as_in_the_whole(layer, rect):
    x, y, width, height = rect
    whole, part = painted(layer), painted(layer, QRectF(*rect))
    window = np.s_[y : y + height, x : x + width]
    assert np.array_equal(part[window], whole[window])
    assert (whole != 255).any()


def test_only_added_points_are_painted_again(layer):
    at, which = layer.at, layer._which
    more, longer = np.vstack([at, [[5.0, 6.0]]]), np.append(which, 1)
    assert layer._added(more, LOOKS, longer).tolist() == [[5.0, 6.0]]
    assert len(layer._added(at.copy(), LOOKS, which.copy())) == 0
    moved = at.copy()
    moved[3] += 1
    assert layer._added(moved, LOOKS, which) is None
    assert layer._added(at, LOOKS, 1 - which) is None
    assert layer._added(at, LOOKS[::-1], which) is None
    assert layer._added(at[:-1], LOOKS, which[:-1]) is None


@pytest.fixture
def plane(qtbot):
    view = PlaneView(Panel("plane", "Data plane", kind="plane"))
    qtbot.addWidget(view)
    view.resize(400, 300)
    data = Points([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], [0, 1, 1], classes=("a", "b"))
    view.set_theme(LIGHT)
    view.set_scene(Scene.of(data, Projection.of(data), LIGHT))
    view.fit_view()
    return view


def grown(data):
    return Points([*data.X, [0.5, 0.5]], [*data.y, 0], classes=data.classes)


def fills(plane):
    return [sprite.fill for sprite in np.array(plane.points._sprites, dtype=object)[plane.points._which]]


def test_a_draft_is_shown_at_once_and_leaves_the_scene_alone(plane):
    scene = plane.scene_info
    plane.set_draft(grown(scene.data), np.array([0, 1, 2, -1]))
    assert plane.points.at.tolist()[-1] == [0.5, 0.5]
    assert plane.scene_info is scene
    assert fills(plane)[-1] == LIGHT.colour(0)
    plane.end_draft()
    assert len(plane.points.at) == 3


def test_frames_of_the_old_points_colour_a_draft_and_new_points_wait_in_grey(plane):
    plane.show_marks([Assignment(np.array([1, 0, 0]))])
    plane.set_draft(grown(plane.scene_info.data), np.array([0, 1, 2, -1]))
    assert fills(plane) == [LIGHT.colour(1), LIGHT.colour(0), LIGHT.colour(0), LIGHT.muted]
    plane.show_marks([Assignment(np.array([0, 1, 1]))])  # a frame that still speaks of three points
    assert fills(plane) == [LIGHT.colour(0), LIGHT.colour(1), LIGHT.colour(1), LIGHT.muted]


def test_an_edit_keeps_the_old_picture_but_its_numbers_mean_nothing_any_more(plane):
    plane.show_marks([Assignment(np.array([1, 0, 0]))])
    data = grown(plane.scene_info.data)
    plane.set_scene(Scene.of(data, Projection.of(data), LIGHT), np.array([0, 1, 2, -1]))
    assert fills(plane)[:3] == [LIGHT.colour(1), LIGHT.colour(0), LIGHT.colour(0)]
    assert plane.marks == ()
    plane.light_points(np.array([3]))
    plane.set_theme(DARK)
    plane.drop_stale()
    plane.set_scene(Scene.of(data, Projection.of(data), DARK))
    assert fills(plane)[-1] == DARK.colour(0)


def test_bands_are_drawn_in_the_coordinates_of_the_plane(plane):
    brush = plane.brush
    brush.show_band(Band("rectangle", np.array([[1.0, 1.0], [0.0, 0.5]])))
    assert brush.band._path.boundingRect() == QRectF(0.0, 0.5, 1.0, 0.5)
    brush.show_band(Band("polygon", np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]])))
    assert brush.band._path.boundingRect() == QRectF(0.0, 0.0, 2.0, 2.0)
    brush.show_band(None)
    assert brush.band._path.isEmpty()
