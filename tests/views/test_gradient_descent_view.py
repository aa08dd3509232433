"""The parameter plane: drawn as approved, never projected, and its start dragged with the mouse."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QImage

from algorithms.contract import Panel
from algorithms.data import Points
from algorithms.marks import Arrows, Centres, Curve, Dots, Extent, Isolines, Paths, Regions
from algorithms.optimisation.gradient_descent import ALGORITHM
from mlviz.data.spec import load_data
from mlviz.export.render import Style, render_picture
from mlviz.session.projection import Projection
from mlviz.session.rasters import Raster
from mlviz.views.plots import SurfaceView
from mlviz.views.scene import Scene
from mlviz.views.theme import DARK, LIGHT
from tests.views.conftest import pixels

FIVE = Points(np.random.default_rng(1).normal(size=(20, 5)))
TURN = np.linspace(0, 4, 12)
SPIRAL = np.stack([np.column_stack([(4 - TURN) * np.cos(TURN + k), (4 - TURN) * np.sin(TURN + k)]) for k in (0, 2)], 1)
ARROWS = Arrows(
    np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 0.0]]),
    np.array([[1.0, 1.0], [2.5, 0.5], [2.5, 0.5]]),
    ("memory", "force", "step"),
    ("kept", "pull", "next step"),
)
START = Centres(np.array([[-3.0, 2.0]]), handle="start", name="start")
MARKS = (
    Extent(-5, 5, -4, 4, equal=True, names=("w0", "w1")),
    Regions("value", log=True),
    Isolines(strong=(), fine=(0.5, 2.0, 8.0, 20.0)),
    Dots(np.array([[0.0, 0.0]]), "minimum", known=True),
    Paths(SPIRAL, ("one", "two")),
    Curve(np.array([-4.0, 4.0]), np.array([-3.0, -3.5]), "model", quiet=True),
    ARROWS,
    START,
)


@pytest.fixture
def surface(qtbot):
    view = SurfaceView(Panel("surface", "Parameter plane", "own", x="across", y="up", surface=True))
    qtbot.addWidget(view)
    view.resize(480, 360)
    view.set_scene(Scene.of(FIVE, Projection.of(FIVE), LIGHT))
    return view


def show(view, theme=LIGHT, marks=MARKS):
    view.set_theme(theme)
    view.show_marks(marks)
    view.grab()  # the room of axes and legend is known only then
    left, right, bottom, top = view.view_rect()
    x, y = np.meshgrid(np.linspace(left, right, 80), np.linspace(bottom, top, 60))
    view.set_raster("field", Raster(x**2 / 2 + y**2 * 2, (left, right, bottom, top)))
    return view.grab().toImage()


@pytest.mark.parametrize(
    ("name", "theme"), [("light", LIGHT), ("dark", DARK), ("presenting", LIGHT.presenting())], ids=lambda v: str(v)[:10]
)
def test_a_surface_with_paths_and_arrows(surface, approved, name, theme):
    approved(show(surface, theme), f"surface-{name}")


def test_positions_of_a_surface_are_not_projected_whatever_the_data_look_like(surface):
    show(surface)
    assert surface.scene_info.projection == Projection()
    assert surface.scene_info.data is FIVE


def test_the_names_of_the_axes_survive_a_change_of_theme(surface):
    show(surface)
    assert surface.getAxis("bottom").labelText == "w0"
    show(surface, DARK)
    assert [surface.getAxis(side).labelText for side in ("bottom", "left")] == ["w0", "w1"]


def test_numbers_below_one_are_written_as_they_are_after_a_change_of_theme(surface):
    small = (Extent(-0.8, 0.8, -0.6, 0.6, names=("w0", "w1")),)
    for theme in (LIGHT, LIGHT.presenting(), DARK):
        show(surface, theme, small)
        axis = surface.getAxis("left")
        assert axis.tickStrings([0.5], axis.autoSIPrefixScale * axis.scale, 0.5) == ["0.5"]


def test_one_scale_on_both_axes_where_it_is_asked_for(surface):
    show(surface)
    wide, high = surface.box.viewPixelSize()
    assert wide == pytest.approx(high)
    left, right, bottom, top = surface.view_rect()
    assert left <= -5
    assert right >= 5
    assert bottom <= -4
    assert top >= 4


def test_the_legend_names_everything(surface):
    show(surface)
    names = [row.name for row in surface.legend.rows]
    assert names == [
        "equal height",
        "minimum",
        "one",
        "two",
        "model",
        "kept",
        "pull",
        "next step",
        "start (drag to move)",
    ]


def test_the_legend_keeps_off_the_start(surface):
    corners = {}
    for x, y in ((4.5, 3.5), (-4.5, 3.5)):
        show(surface, marks=(MARKS[0], Dots(np.array([[x, y]]), f"minimum of {x}", known=True)))
        corners[x] = surface.legend.pos().x()
    assert corners[4.5] < corners[-4.5]


def test_regions_list_their_names(surface):
    show(surface, marks=(MARKS[0], Regions("classes", names=("bent upwards", "bent both ways"))))
    assert [row.name for row in surface.legend.rows] == ["bent upwards", "bent both ways"]


def test_the_start_is_dragged(surface):
    show(surface)
    moves = []
    surface.param_dragged.connect(moves.append)
    assert surface.renderer_to_drag(QPointF(-1.0, 2.0)) is None
    held = surface.renderer_to_drag(QPointF(-3.05, 2.03))
    held.drag(QPointF(0.5, -1.0), False)
    held.drag(QPointF(1.0, -2.0), True)
    assert moves == [("start", ((0.5, -1.0),), False), ("start", ((1.0, -2.0),), True)]


def test_a_long_path_and_a_far_arrow_are_drawn(surface):
    long = np.cumsum(np.random.default_rng(0).normal(size=(3000, 2, 2)), axis=0) * 0.05
    far = Arrows(np.zeros((2, 2)), np.array([[400.0, 0.0], [1e-9, 0.0]]), ("step", "force"), ("far", "none"))
    picture = pixels(show(surface, marks=(MARKS[0], Paths(long, ("a", "b")), far)))
    assert picture.std() > 5


def test_fewer_paths_than_before_leave_no_lines_behind(surface):
    show(surface)
    show(surface, marks=(MARKS[0], Paths(SPIRAL[:, :1], ("one",))))
    once = pixels(surface.grab().toImage())
    surface.show_marks((MARKS[0], Paths(SPIRAL[:, :1], ("one",))))
    assert surface.legend.rows[0].name == "one"
    assert next(iter(_paths(surface)))._trails.at.shape == (len(SPIRAL), 1, 2)
    np.testing.assert_array_equal(pixels(surface.grab().toImage()), once)


def _paths(view):
    return [renderer for key, renderer in view._renderers.items() if key[0] is Paths]


PICTURES = {
    "race": ("line(n=60,noise=0.3,seed=1)", {"surface": "Himmelblau", "method": "race", "learning_rate": 0.01}, None),
    "squared": (
        "line(n=60,noise=0.3,seed=1)",
        {"surface": "squared loss of the data", "method": "momentum", "learning_rate": 0.005},
        6,
    ),
    "logistic": (
        "blobs(n=120,centres=2,noise=3.5,seed=1)",
        {"surface": "logistic loss of the data", "method": "SGD", "learning_rate": 0.3},
        12,
    ),
    "newton": ("line(n=60,noise=0.3,seed=1)", {"surface": "Rosenbrock", "method": "damped Newton"}, 3),
    "diverged": ("line(n=60,noise=0.3,seed=1)", {"method": "fixed step", "learning_rate": 0.21}, None),
    "basins": (
        "line(n=60,noise=0.3,seed=1)",
        {"surface": "Himmelblau", "method": "Newton", "shade": "basins", "start": [[0.5, 2.5]]},
        4,
    ),
}


@pytest.mark.parametrize("name", PICTURES)
def test_the_whole_figure(qapp, approved, tmp_path, name):
    spec, params, step = PICTURES[name]
    path = tmp_path / "a.png"
    theme = "dark" if name == "newton" else "light"
    style = Style(size=(800, 600), theme=theme)
    render_picture(ALGORITHM, load_data(spec), ALGORITHM.make_params(params), 0, path, step=step, style=style)
    approved(QImage(str(path)), f"gradient_descent-{name}")
