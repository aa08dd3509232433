"""The legend: in every place it is as large as it can be without hiding what it explains."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF, Qt

from algorithms.contract import Panel
from algorithms.data import Points
from algorithms.marks import Curve
from mlviz.session.projection import Projection
from mlviz.views.canvas import PlotView
from mlviz.views.legend import Legend, _covered
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


@pytest.mark.parametrize(
    ("size", "form"), [((600, 400), "list"), ((260, 170), "small list"), ((330, 100), "lines"), ((150, 110), "folded")]
)
def test_a_smaller_place_has_a_smaller_legend(plot, size, form):
    view = plot(*size)
    legend = view.legend
    assert legend.form == form
    assert legend.isVisible()
    assert view.box.boundingRect().contains(box(legend))
    assert _covered(legend.avoid(), box(legend)) <= (0.1 if form == "folded" else 0.05)


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
