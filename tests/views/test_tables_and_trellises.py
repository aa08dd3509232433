"""Tables and trellises: drawn as approved, and linked to the data."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF

from algorithms.contract import Panel
from algorithms.data import Nothing
from algorithms.marks import Strip, Table, Trellis
from mlviz.session.projection import Projection
from mlviz.views.canvases import make_canvas
from mlviz.views.fitting_text import elided
from mlviz.views.renderers import trellis
from mlviz.views.renderers.table import cell_text
from mlviz.views.scene import Scene
from mlviz.views.theme import DARK, LIGHT
from tests.views.conftest import difference, pixels

RNG = np.random.default_rng(0)
CHAIN = Table(
    np.array([[0.5, 0.5], [0.95, 0.05], [0.1, 0.9]]),
    ("start", "state 1", "state 2"),
    ("state 1", "state 2"),
    lit=np.array([[1, 1]]),
    row_groups=np.array([-1, 0, 1]),
    column_groups=np.array([0, 1]),
    rows_name="from",
    columns_name="to",
)
DISTANCES = Table(
    np.round(RNG.random((8, 8)) * 30 - 5, 1),
    tuple(f"node {i + 1}" for i in range(8)),
    tuple("abcdefgh"),
    lit=np.array([[3, 4]]),
    unknown=RNG.random((8, 8)) < 0.2,
    points=np.arange(8) + 10,
)
TIMES = tuple(str(t) for t in range(4, 13))
FORWARD = Trellis(
    RNG.dirichlet([1, 1], 9),
    np.arange(9) < 6,
    TIMES,
    tuple("163245662"),
    ("state 1", "state 2"),
    flow=np.where(np.arange(9)[:, None, None] < 5, RNG.random((9, 2, 2)), 0.0),
    active=5,
    points=np.arange(3, 12),
    values_name="P(state | so far)",
    flow_name="what comes from where",
)
BEST = Trellis(
    RNG.dirichlet([1, 1, 1], 9),
    np.ones(9, dtype=bool),
    TIMES,
    tuple(f"{value:.2f}" for value in RNG.normal(size=9)),
    ("state 1", "state 2", "state 3"),
    back=RNG.integers(0, 3, (9, 3)),
    path=np.array([-1, -1, 1, 1, 0, 1, 0, 2, 2]),
    active=2,
    values_name="best path to here",
    back_name="comes from",
    path_name="best path",
)
CASES = {
    "mark-table-chain": CHAIN,
    "mark-table-numbers": DISTANCES,
    "mark-trellis-forward": FORWARD,
    "mark-trellis-best": BEST,
}


@pytest.fixture
def diagram(qtbot):
    def make(mark, theme=LIGHT, size=(480, 280), space="none"):
        view = make_canvas(Panel("diagram", "Diagram", space), "none")
        qtbot.addWidget(view)
        view.resize(*size)
        view.set_theme(theme)
        view.set_scene(Scene.of(Nothing(), Projection(), theme))
        view.show_marks((mark,))
        view.grab()
        return view

    return make


@pytest.mark.parametrize("name", CASES)
def test_pictures(diagram, approved, name):
    approved(diagram(CASES[name]).grab().toImage(), name)


@pytest.mark.parametrize("name", ["mark-table-chain", "mark-trellis-best"])
def test_pictures_in_the_dark(diagram, approved, name):
    approved(diagram(CASES[name], DARK).grab().toImage(), f"{name}-dark")


def test_a_strip_on_axes_of_its_own(diagram, approved):
    labels = np.where(RNG.random((6, 30)) < 0.2, -1, RNG.integers(0, 2, (6, 30)))
    strip = Strip(labels, group_names=("right", "wrong"), low=0.0, high=6.0)
    approved(diagram(strip, space="own").grab().toImage(), "mark-strip-own")


def test_a_cell_means_its_row_and_column(diagram):
    view = diagram(DISTANCES)
    renderer = next(iter(view._renderers.values()))
    assert renderer.points_at(QPointF(4.5, -0.3)).tolist() == [10, 14]
    assert renderer.points_at(QPointF(-0.5, -0.3)).tolist() == [10]
    assert renderer.points_at(QPointF(4.5, 0.3)).tolist() == []
    view.light_points(np.array([12]))
    assert renderer._item.struck.tolist() == [2]


def test_a_column_of_a_trellis_means_its_moment(diagram):
    view = diagram(FORWARD)
    renderer = next(iter(view._renderers.values()))
    assert renderer.points_at(QPointF(2.1, -0.4)).tolist() == [5]
    assert renderer.points_at(QPointF(2.5, -0.4)).tolist() == []
    assert renderer.points_at(QPointF(20.0, -0.4)).tolist() == []
    view.light_points(np.array([7]))
    assert renderer._item.lit.tolist() == [4]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.95, "0.95"),
        (0.0, "0"),
        (1 / 3, "0.333"),
        (12.345, "12.3"),
        (1234.5, "1234"),
        (2.1e6, "2.1e6"),
        (-3e-7, "-3e-7"),
    ],
)
def test_numbers_in_cells_are_short(value, text):
    assert cell_text(value) == text


def test_a_table_does_not_depend_on_the_letters_of_the_application(diagram, qapp):
    long = Table(np.eye(3), ("a row with a long name", "b", "c"), ("a column with a name that does not fit", "b", "c"))
    before, pictures = qapp.font(), []
    try:
        for size in (9.0, 14.0):
            font = qapp.font()
            font.setPointSizeF(size)
            qapp.setFont(font)
            pictures.append(pixels(diagram(long).grab().toImage()))
    finally:
        qapp.setFont(before)
    assert difference(*pictures) == 0.0


def test_names_of_states_in_a_low_trellis_are_whole_where_there_is_room_beside_it(diagram, monkeypatch):
    """Cut names of states are all the same: state 1 and state 2 were both "stat..."."""
    written = []
    monkeypatch.setattr(trellis, "elided", lambda *given: written.append(elided(*given)) or written[-1])
    diagram(BEST, size=(320, 100)).grab()
    assert set(BEST.names) <= set(written)


@pytest.mark.parametrize("height", range(90, 160, 10))
def test_no_word_below_a_trellis_is_cut(diagram, height):
    view = diagram(FORWARD, size=(320, height))
    edge = view.box.mapRectToScene(view.box.boundingRect()).toRect()
    image = view.grab().toImage()
    last = {image.pixelColor(x, edge.bottom() - 1).name() for x in range(edge.left() + 2, edge.right() - 2)}
    assert last == {view.theme.plot}
