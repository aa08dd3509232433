"""The heat map of a table of distances, and the map that is drawn from it."""

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent

from algorithms.contract import Panel
from algorithms.data import Distances
from algorithms.embedding.mds import ALGORITHM
from algorithms.marks import Assignment, Highlight
from mlviz.data.spec import load_data
from mlviz.session.projection import Projection
from mlviz.views.canvases import make_canvas
from mlviz.views.distances import DistancesView
from mlviz.views.scene import Scene
from mlviz.views.theme import DARK, LIGHT
from tests.views.conftest import difference, pixels

ROADS = load_data("cities_by_road")


@pytest.fixture
def heat_map(qtbot):
    """``heat_map(data)``: the canvas of a table."""

    def make(data=ROADS, theme=LIGHT, size=(560, 600)):
        view = make_canvas(Panel("plane", "Data", "data"), "distances")
        assert isinstance(view, DistancesView)
        qtbot.addWidget(view)
        view.resize(*size)
        view.set_theme(theme)
        view.set_scene(Scene.of(data, Projection(), theme))
        view.show_marks(())
        view.grab()
        return view

    return make


def hover(view, qapp, position):
    none, modifiers = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier
    event = QMouseEvent(QEvent.Type.MouseMove, position, view.mapToGlobal(position), none, none, modifiers)
    qapp.sendEvent(view.viewport(), event)


@pytest.mark.parametrize(
    ("name", "theme", "size"),
    [
        ("light", LIGHT, (560, 600)),
        ("dark", DARK, (560, 600)),
        ("presenting", LIGHT.presenting(), (1000, 900)),
        ("small", LIGHT, (300, 200)),
    ],
)
def test_pictures(heat_map, approved, name, theme, size):
    approved(heat_map(theme=theme, size=size).grab().toImage(), f"distances-{name}")


def test_groups_and_highlights_have_a_place(heat_map, approved):
    view = heat_map()
    view.show_marks((Assignment(np.arange(21) % 3), Highlight(np.array([2, 17]), "chosen", "medoid")))
    approved(view.grab().toImage(), "distances-groups")


def test_the_cell_under_the_mouse_is_named(heat_map, qapp, approved):
    view = heat_map()
    row, column = ROADS.names.index("Cologne"), ROADS.names.index("Geneva")
    hovered = []
    view.points_hovered.connect(hovered.append)
    hover(view, qapp, view.cell_rect(row, column).center())
    assert view.readout.isVisible()
    assert view.readout.toPlainText() == "Cologne – Geneva: 1662"
    assert [points.tolist() for points in hovered] == [[row, column]]
    approved(view.grab().toImage(), "distances-hovered")
    hover(view, qapp, view.cell_rect(3, 3).center())
    assert view.readout.toPlainText() == "Calais"
    hover(view, qapp, QPointF(2.0, 2.0))
    assert not view.readout.isVisible()


def test_cells_and_places_belong_together(heat_map):
    view = heat_map()
    for row, column in ((0, 0), (0, 20), (20, 0), (7, 13)):
        rect = view.cell_rect(row, column)
        assert view.cell_at(rect.center()) == (row, column)
        assert rect.width() == pytest.approx(rect.height(), abs=2.0)
    assert view.cell_rect(0, 0).top() < view.cell_rect(20, 0).top()  # the first row is on top
    assert view.cell_at(QPointF(1.0, 1.0)) is None


def test_the_whole_table_fits_and_fits_again(heat_map):
    view = heat_map()
    for size in ((560, 600), (900, 400), (300, 500)):
        view.resize(*size)
        view.grab()
        inside = view.rect().adjusted(-1, -1, 1, 1)
        assert inside.contains(view.cell_rect(0, 0).toRect())
        assert inside.contains(view.cell_rect(20, 20).toRect())
    view.box.scaleBy((0.5, 0.5))
    view.box.sigRangeChangedManually.emit(view.box.state["mouseEnabled"])
    assert view.viewport_state().rect is not None
    before = view.cell_rect(5, 5).width()
    view.set_scene(Scene.of(ROADS, Projection(), LIGHT), np.arange(21))  # an edit leaves what is looked at
    assert view.cell_rect(5, 5).width() == pytest.approx(before)
    view.set_scene(Scene.of(load_data("cities"), Projection(), LIGHT))
    assert view.viewport_state().rect is None


def test_rows_of_lit_things_are_struck(heat_map):
    view = heat_map()
    plain = pixels(view.grab().toImage())
    view.light_points(np.array([4]))
    lit = pixels(view.grab().toImage())
    assert (np.abs(lit - plain) > 60).any()
    view.light_points(np.empty(0, dtype=np.intp))
    assert difference(pixels(view.grab().toImage()), plain) == 0.0


def test_a_table_of_many_rows_has_no_names(heat_map):
    X = np.random.default_rng(0).normal(size=(200, 2))
    view = heat_map(Distances(np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2))))
    left, below, _ = view.names.margins(560, 600)
    assert (left, below) == (8, 0.0)


def test_a_map_with_names(qtbot, approved):
    data = load_data("cities")
    for name, theme in (("light", LIGHT), ("dark", DARK)):
        view = make_canvas(ALGORITHM.panels[0])
        qtbot.addWidget(view)
        view.resize(560, 420)
        view.set_theme(theme)
        view.set_scene(Scene.of(data, Projection(), theme))
        *_, last = ALGORITHM.start(data, ALGORITHM.params(), 0)
        view.show_marks(last.views["embedding"])
        approved(view.grab().toImage(), f"map-names-{name}")
