"""Painting while one draws: only what is needed, and still the same picture."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QStyleOptionGraphicsItem

from algorithms import Points
from algorithms.contract import Panel
from algorithms.marks import Assignment, Centres
from mlviz.session.projection import PrincipalPlane, Projection
from mlviz.views.brush import Band
from mlviz.views.plane import PlaneView, _survivors
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


def test_only_what_differs_is_painted_again(layer):
    at, which = layer.at, layer._which
    more, longer = np.vstack([at, [[5.0, 6.0]]]), np.append(which, 1)
    assert layer._touched(more, LOOKS, longer, None).tolist() == [[5.0, 6.0]]
    assert len(layer._touched(at.copy(), LOOKS, which.copy(), None)) == 0
    moved = at.copy()
    moved[3] += 1
    assert layer._touched(moved, LOOKS, which, None).tolist() == [moved[3].tolist(), at[3].tolist()]
    relabelled = which.copy()
    relabelled[4] = 1 - which[4]
    assert layer._touched(at.copy(), LOOKS, relabelled, None).tolist() == [at[4].tolist()] * 2
    assert len(layer._touched(at.copy(), LOOKS[::-1], 1 - which, None)) == 0  # the same looks, counted otherwise
    rest = np.delete(np.arange(len(at)), [2, 7])
    assert layer._touched(at[rest], LOOKS, which[rest], rest).tolist() == at[[2, 7]].tolist()
    assert layer._touched(at[:-1], LOOKS, which[:-1], None) is None  # nobody says which points have gone
    assert layer._touched(at, LOOKS, which, None) is None  # the same places: the colours of all may differ


@pytest.mark.parametrize("seed", range(8))
def test_painting_what_differs_gives_the_whole_new_picture(layer, seed):
    rng = np.random.default_rng(seed)
    before = painted(layer)
    at, which = layer.at.copy(), layer._which.copy()
    near = np.flatnonzero(np.abs(at - rng.uniform(30, 170, 2)).max(axis=1) < 40)
    at[near[::2]] += rng.normal(size=(len(near[::2]), 2)) * 6
    which[near[1::2]] = 1 - which[near[1::2]]
    same = np.delete(np.arange(len(at)), near[:2])
    touched = layer._touched(at[same], LOOKS, which[same], same)
    layer.set(at[same], LOOKS, which[same], same)
    whole = painted(layer)
    changed = np.argwhere((before != whole).any(axis=-1))[:, ::-1]
    reach = layer._reach
    low, high = touched.min(axis=0) - reach, touched.max(axis=0) + reach
    assert len(near) > 2
    assert ((changed >= low - 1) & (changed <= high + 1)).all()


@pytest.fixture
def plane(qtbot):
    view = PlaneView(Panel("plane", "Data plane", space="data"))
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
    plane.forget_frame()
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


def test_a_draft_without_some_points_says_which_have_gone(plane):
    data = plane.scene_info.data
    plane.set_draft(Points(data.X[[0, 2]], data.y[[0, 2]], classes=data.classes), np.array([0, 2]))
    assert plane.points.at.tolist() == data.X[[0, 2]].tolist()
    assert _survivors(np.array([0, 2, 5, 9]), np.array([2, 9]), 4).tolist() == [1, 3]
    assert _survivors(np.array([0, 1]), np.array([0, 1, -1]), 2) is None
    assert _survivors(np.array([0, 1, -1]), np.array([0, 1]), 3) is None
    assert _survivors(np.array([0, 1, 2]), np.array([0, 1]), 2) is None


def test_the_legend_keeps_off_the_note(plane):
    """Many points in every corner but the lower right, where the note runs, and the upper left, where there are few."""
    rng = np.random.default_rng(0)
    corners = np.array([[1.0, 1.0], [0.0, 0.0], [0.0, 1.0]])[np.repeat([0, 1, 2], [27, 27, 6])]
    X = np.column_stack([corners + rng.uniform(-0.1, 0.1, (60, 2)), rng.normal(size=60)])
    data = Points(X, np.arange(60) % 3, classes=("a name that is long", "another long name", "one more long name"))
    plane.set_scene(Scene.of(data, Projection.of(data), LIGHT))
    plane.grab()  # lays it out
    plane.fit_view()
    plane.show_marks(())
    plane.legend.place()
    words = plane.note.textItem.document().idealWidth()
    box = plane.legend.geometry()
    assert box.left() < words  # it could not stand beside it
    assert box.bottom() < plane.box.boundingRect().bottom() - 20


def test_a_centre_dragged_on_the_components_keeps_what_they_do_not_show(plane):
    rng = np.random.default_rng(5)
    data = Points(rng.normal(size=(30, 4)) @ rng.normal(size=(4, 4)))
    projection = Projection.of(data, PrincipalPlane.of(data))
    plane.set_scene(Scene.of(data, projection, LIGHT))
    plane.fit_view()
    centres = rng.normal(size=(2, 4))
    plane.show_marks((Centres(centres, handle="centres"),))
    moves = []
    plane.param_dragged.connect(moves.append)
    first = projection.project(centres)[0]
    renderer = plane.renderer_to_drag(QPointF(*first))
    renderer.drag(QPointF(0.25, -0.5), True)
    ((name, value, finished),) = moves
    moved = np.array(value)
    assert (name, finished) == ("centres", True)
    np.testing.assert_allclose(projection.project(moved[0]), [0.25, -0.5])
    np.testing.assert_array_equal(moved[1], centres[1])
    directions = np.array(projection.plane.directions)
    across = np.eye(4) - directions.T @ directions
    np.testing.assert_allclose(moved[0] @ across, centres[0] @ across)
