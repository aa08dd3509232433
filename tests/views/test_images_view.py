"""Small pictures in a grid: drawn as approved, sharp, linked to the points they show."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF

from algorithms.contract import Panel
from algorithms.embedding.pca import ALGORITHM
from algorithms.marks import Boxes, Curve, Images
from mlviz.data.spec import load_data
from mlviz.session.projection import Projection
from mlviz.views.canvases import make_canvas
from mlviz.views.scene import Scene
from mlviz.views.theme import DARK, LIGHT
from tests.views.conftest import difference, pixels

DIGITS = load_data("digits")
GRID = Images(
    np.concatenate([DIGITS.X[:3], DIGITS.X[:3] - 8.0]).reshape(6, 8, 8),
    np.array([[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]),
    ("nought", "one", "two", "below", "above", ""),
    np.array([False] * 3 + [True] * 3),
    (0.0, 16.0),
    np.array([0, 1, 2, -1, -1, -1]),
)


@pytest.fixture
def shown(qtbot):
    def make(marks, theme=LIGHT, space="own", size=(420, 320)):
        view = make_canvas(Panel("pictures", "Pictures", space))
        qtbot.addWidget(view)
        view.resize(*size)
        view.set_theme(theme)
        view.set_scene(Scene.of(DIGITS, Projection.of(DIGITS), theme))
        view.show_marks(marks)
        view.grab()
        return view

    return make


def renderer(view):
    return next(iter(view._renderers.values()))


def middle_of(view, number):
    left, low = renderer(view)._corners()
    return QPointF(left[number] + 4.0, low[number] + 4.0)


def colours_of(drawn, mark):
    """Red, green and blue of every pixel, (m, height, width, 3)."""
    pictures = np.stack(list(drawn._coloured(mark)))
    return pictures.view(np.ubyte).reshape(*mark.pixels.shape, 4)[..., :3]


@pytest.mark.parametrize(
    ("name", "theme", "size"),
    [("light", LIGHT, (420, 320)), ("dark", DARK, (420, 320)), ("presenting", LIGHT.presenting(), (800, 600))],
)
def test_pictures(shown, approved, name, theme, size):
    view = shown((GRID,), theme, size=size)
    view.light_points(np.array([1]))
    approved(view.grab().toImage(), f"images-{name}")


def test_components_of_the_digits(shown, approved):
    *_, last = ALGORITHM.start(DIGITS, ALGORITHM.params(), 0)
    view = shown(last.views["pictures"], size=(620, 420))
    approved(view.grab().toImage(), "images-digits")


def test_signed_pictures_keep_one_scale_from_frame_to_frame(shown):
    """Half as large a number is half as strong where the fullest one is given, and as strong where it is not."""
    one = np.full((1, 2, 2), 1.0)
    colours = {}
    for level in (None, 1.0):
        for size in (1.0, 0.5):
            mark = Images(size * one, np.zeros((1, 2), int), signed=np.array([True]), signed_level=level)
            colours[level, size] = colours_of(renderer(shown((mark,))), mark)[0, 0, 0].tolist()
    assert colours[None, 1.0] == colours[None, 0.5] == colours[1.0, 1.0] != colours[1.0, 0.5]
    beyond = Images(3.0 * one, np.zeros((1, 2), int), signed=np.array([True]), signed_level=1.0)
    assert colours_of(renderer(shown((beyond,))), beyond)[0, 0, 0].tolist() == colours[1.0, 1.0]


@pytest.mark.parametrize("scale", [1e-99, 1e99])
def test_tiny_and_huge_numbers_have_the_same_colours(shown, scale):
    grey = np.linspace(0.0, 1.0, 4).reshape(1, 2, 2)
    colours = []
    for size in (1.0, scale):
        mark = Images(size * grey, np.zeros((1, 2), int))
        colours.append(colours_of(renderer(shown((mark,))), mark).tolist())
    assert colours[0] == colours[1]


def test_large_pictures_stand_closer_together(shown):
    near, far = (
        renderer(shown((Images(np.zeros((2, 50, 40)), np.array([[0, 0], [0, 1]]), large=large),)))._cell
        for large in (True, False)
    )
    assert (50, 40) < near < far


@pytest.mark.parametrize("space", ["own", "none"])
def test_a_picture_means_its_point(shown, space):
    view = shown((GRID,), space=space)
    assert not view.getAxis("left").isVisible()
    drawn = renderer(view)
    for number in range(6):
        assert drawn.picture_at(middle_of(view, number)) == number
        meant = view.points_at(view.mapFromScene(view.box.mapViewToScene(middle_of(view, number))).toPointF())
        assert meant.tolist() == ([number] if number < 3 else [])
    assert drawn.picture_at(QPointF(-3.0, 2.0)) is None


def test_lighting_a_point_frames_its_picture(shown):
    view = shown((GRID,))
    plain = pixels(view.grab().toImage())
    view.light_points(np.array([2]))
    assert (np.abs(pixels(view.grab().toImage()) - plain) > 60).any()
    view.light_points(np.empty(0, dtype=np.intp))
    assert difference(pixels(view.grab().toImage()), plain) == 0.0


def test_grey_is_paper_and_ink_and_signs_have_colours(shown):
    for theme in (LIGHT, DARK):
        drawn = renderer(shown((GRID,), theme))
        colours = colours_of(drawn, GRID)
        paper, ink = colours[0][GRID.pixels[0] == 0.0], colours[0][GRID.pixels[0] >= 15.0]
        assert (paper == [int(theme.plot[k : k + 2], 16) for k in (1, 3, 5)]).all()
        assert np.abs(ink.astype(float) - paper[0]).min() > 100
        below, above = colours[3][GRID.pixels[3] == -8.0][0], colours[3][GRID.pixels[3] > 6.0][0]
        assert int(below[2]) > int(below[0])  # blue
        assert int(above[0]) > int(above[2])  # orange


def test_another_mark_gets_the_axes_back(shown):
    view = shown((GRID,))
    view.show_marks((Curve(np.arange(3.0), np.arange(3.0)),))
    assert view.getAxis("left").isVisible()
    assert not view.box.state["aspectLocked"]


SHADES = np.linspace(0.0, 1.0, 64).reshape(1, 8, 8)
MARKED = Images(
    np.concatenate([SHADES, SHADES]),
    np.array([[0, 0], [0, 1]]),
    ("looked at", "summed"),
    photographs=True,
    shown=np.stack([np.ones((8, 8)), np.tri(8)]),
    boxes=(
        Boxes(np.array([[0, 1, 1, 2, 3]]), "plus", "added"),
        Boxes(np.array([[0, 3, 1, 2, 3]]), "minus", "subtracted"),
        Boxes(np.array([[0, 1, 5, 3, 3], [0, 2, 4, 3, 3]]), "window", "window"),
        Boxes(np.array([[0, 5, 0, 3, 3]]), "found", "found"),
        Boxes(np.array([[0, 5, 4, 3, 4]]), "truth", "truth"),
        Boxes(np.array([[1, 0, 0, 5, 8]]), "sum", ""),
    ),
)


@pytest.mark.parametrize(("name", "theme"), [("light", LIGHT), ("dark", DARK)])
def test_boxes_on_photographs(shown, approved, name, theme):
    view = shown((MARKED,), theme, space="none")
    approved(view.grab().toImage(), f"images-boxes-{name}")


def test_boxes_lie_on_the_pixels_they_name(shown):
    drawn = renderer(shown((MARKED,)))
    left, low = drawn._corners()
    place = drawn._places_of(MARKED.boxes[0])[0]
    assert (place.x(), place.width()) == (left[0] + 1.0, 3.0)
    assert (place.bottom(), place.height()) == (low[0] + 8.0 - 1.0, 2.0)  # one pixel below the upper edge
    assert [row.name for row in drawn.legend(MARKED)] == ["added", "subtracted", "window", "found", "truth"]


def test_photographs_are_black_and_white_in_every_theme(shown):
    for theme in (LIGHT, DARK):
        colours = colours_of(renderer(shown((MARKED,), theme)), MARKED)[0]
        assert colours[0, 0].tolist() == [0, 0, 0]
        assert colours[-1, -1].tolist() == [255, 255, 255]


def test_a_single_picture_has_a_large_place(shown):
    whole = Images(SHADES, np.zeros((1, 2), dtype=int), ("alone",), photographs=True)
    drawn = renderer(shown((whole,)))
    assert drawn._cell == (9, 8)
    assert renderer(shown((MARKED,)))._cell == (11, 9)
