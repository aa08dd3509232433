"""The legend: in every place it is as large as it can be without hiding what it explains."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF, Qt

from algorithms.contract import Panel
from algorithms.data import Points
from algorithms.marks import Curve
from mlviz.session.projection import Projection
from mlviz.views.legend import Legend
from mlviz.views.plane import PlaneView
from mlviz.views.plots import PlotView
from mlviz.views.scene import Scene
from mlviz.views.theme import LIGHT
from tests.events import settle

NAMES = ("length of the weights", "at most", "at least", "no more than 1,338")
ALONG = np.linspace(0.0, 1.0, 50)
BENT = ALONG**8


@pytest.fixture
def plot(qtbot):
    view = PlotView(Panel("curve", "A curve", space="own", x="step", y="height"))
    qtbot.addWidget(view)
    view.set_theme(LIGHT)
    view.set_scene(Scene.of(Points(np.eye(2)), Projection(), LIGHT))

    def show(width, height, heights=BENT, names=NAMES):
        view.resize(width, height)
        view.show()
        view.show_marks([Curve(ALONG, heights + 0.001 * number, name=name) for number, name in enumerate(names)])
        settle()
        return view

    return show


def box(legend: Legend) -> QRectF:
    return QRectF(legend.pos(), legend.size())


def covered(legend):
    """The share of the things to avoid that it hides."""
    at, place = legend.avoid(), box(legend)
    inside = (at > (place.left(), place.top())) & (at < (place.right(), place.bottom()))
    return inside.all(axis=1).mean()


@pytest.mark.parametrize(
    ("size", "form"), [((600, 400), "list"), ((260, 170), "small list"), ((330, 100), "lines"), ((150, 110), "folded")]
)
def test_a_smaller_place_has_a_smaller_legend(plot, size, form):
    view = plot(*size)
    legend = view.legend
    assert legend.form == form
    assert legend.isVisible()
    assert view.box.boundingRect().contains(box(legend))
    assert covered(legend) <= (0.1 if form == "folded" else 0.05)


def test_a_folded_legend_says_its_names_under_the_mouse_and_is_left_out_of_files(plot, qtbot):
    view = plot(150, 110)
    legend = view.legend
    folded = legend.size()
    place = view.mapFromScene(view.box.mapToScene(legend.pos() + QPointF(6, 6)))
    qtbot.mouseMove(view.viewport(), place)
    qtbot.waitUntil(lambda: legend.form == "small list")
    assert legend.size().height() > 2 * folded.height()
    qtbot.mouseMove(view.viewport(), view.mapFromScene(view.box.mapToScene(QPointF(2, 60))))
    qtbot.waitUntil(lambda: legend.form == "folded")
    legend.folds = False
    legend.place()
    assert not legend.isVisible()


def test_a_list_that_is_higher_than_the_view_is_not_chosen(plot):
    view = plot(700, 200, names=tuple(f"runner {number}" for number in range(14)))
    assert view.legend.form in ("lines", "folded")
    assert view.box.boundingRect().contains(box(view.legend))


def test_an_unfolded_legend_of_many_rows_stays_inside(plot):
    view = plot(420, 200, names=tuple(f"runner {number}" for number in range(14)))
    view.legend._unfold(True)
    assert view.legend.form == "lines"
    assert view.box.boundingRect().contains(box(view.legend))


def test_names_longer_than_the_view_are_cut_and_do_not_leave_it(plot):
    view = plot(320, 260, names=("a name that is longer than the view is wide, by far and by any measure", "b"))
    assert view.legend.isVisible()
    assert view.box.boundingRect().contains(box(view.legend))
    assert view.legend.size().width() <= view.box.boundingRect().width() - 16


def test_rows_beside_each_other_do_not_overlap(plot):
    plan = plot(330, 100).legend._plan
    lengths = plot(330, 100).legend._measured("lines")
    for (left, line), (after, same), length in zip(plan.cells, plan.cells[1:], lengths):
        assert same == line + 1 or (same == line and left + length < after)


def test_the_mouse_goes_through_the_legend(plot):
    assert plot(600, 400).legend.acceptedMouseButtons() == Qt.MouseButton.NoButton


@pytest.mark.parametrize("free", [(0.5, 0.0), (0.0, 0.5), (0.5, 1.0), (1.0, 0.5)])
def test_with_points_in_all_corners_it_stands_along_the_side_that_is_free(plot, free):
    view = plot(600, 400, names=("a", "b"))
    legend, area = view.legend, view.box.boundingRect()
    x, y = np.meshgrid(np.linspace(0, area.width(), 60), np.linspace(0, area.height(), 40))
    at = np.column_stack([x.ravel(), y.ravel()])
    middle = np.array(free) * (area.width(), area.height())
    legend.avoid, legend.tolerance = lambda: at[(np.abs(at - middle) > (110, 90)).any(axis=1)], 0.0
    legend.along_edges = True
    legend.place()
    assert legend.isVisible()
    assert covered(legend) == 0


def test_in_the_plane_no_point_is_hidden_while_there_is_room_along_an_edge(qtbot):
    """One point of 200 is less than any share of them that could be neglected, but it is a point."""
    view = PlaneView(Panel("plane", "Plane", space="data"))
    qtbot.addWidget(view)
    view.resize(700, 500)
    view.show()
    corners = np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]])
    inside = np.random.default_rng(1).uniform(-0.5, 0.5, (196, 2))
    view.set_scene(Scene.of(Points(np.concatenate([corners, inside]), np.arange(200) % 2), Projection(), LIGHT))
    view.show_marks(())
    view.box.setAspectLocked(False)
    view.box.setRange(xRange=(-1.05, 1.05), yRange=(-1.05, 1.05), padding=0)
    settle()
    assert view.legend.isVisible()
    assert covered(view.legend) == 0


def test_a_folded_legend_along_an_edge_unfolds_inside(plot):
    view = plot(150, 110)
    legend, area = view.legend, view.box.boundingRect()
    legend.along_edges, legend.tolerance = True, 0.0
    legend.avoid = lambda: np.array([[x, y] for x in (5.0, area.width() - 5) for y in (12.0, area.height() - 12)])
    legend.place()
    assert legend.form == "folded"
    legend._unfold(True)
    assert legend.form != "folded"
    assert area.left() <= box(legend).left() < box(legend).right() <= area.right()


def test_smaller_letters_are_better_than_a_hidden_point(plot):
    view = plot(600, 400, names=("a name", "another name"))
    legend = view.legend
    list_size = legend.size()
    area = view.box.boundingRect()
    x, y = np.meshgrid(np.arange(0.0, area.width(), 8.0), np.arange(0.0, area.height(), 8.0))
    at = np.column_stack([x.ravel(), y.ravel()])
    free = (at[:, 0] > area.width() - list_size.width() - 4) & (at[:, 1] < list_size.height() + 4)
    legend.avoid, legend.tolerance = lambda: at[~free], 0.0
    legend.place()
    assert legend.form == "small list"
    assert covered(legend) == 0


def test_no_letters_are_smaller_than_twenty_points_when_presenting(plot):
    view = plot(900, 600)
    view.set_theme(LIGHT.presenting())
    legend = view.legend
    assert min(legend._font(form).pointSizeF() for form in ("list", "small list", "lines", "folded")) >= 20
    assert view.getAxis("left").style["tickFont"].pointSizeF() >= 20
    assert LIGHT.letters(0.75) == 7.5
