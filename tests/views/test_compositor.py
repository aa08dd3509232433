"""The compositor: canvases for panels, marks with the decision line, requests to the model, and their answers."""

import gc
import weakref
from dataclasses import replace

import numpy as np
import pytest
import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from algorithms import find
from algorithms.contract import Panel
from algorithms.data import Nothing, Points
from algorithms.marks import Assignment, Centres, Curve, HeldOut, Isolines, Regions
from mlviz.session.projection import Projection
from mlviz.session.rasters import Raster, Slot
from mlviz.session.scoring import Threshold
from mlviz.views.compositor import Compositor
from mlviz.views.plane import PlaneView
from mlviz.views.plots import PlotView, SurfaceView
from mlviz.views.theme import DARK
from tests.telling import told

X = np.array([[0.0, 0.0, 5.0], [1.0, 2.0, 7.0], [3.0, 1.0, 6.0]])
DATA = Points(X, np.array([0, 1, 1]))
METHOD = replace(
    find("logistic_regression"),
    panels=(
        Panel("plane", "Data plane", "data"),
        Panel("surface", "Loss", surface=True),
        Panel("curve", "Curve"),
    ),
)
LINE = Curve(np.arange(3.0), np.arange(3.0))
CENTRES = Centres(X[:2])


def snapshot(**views):
    return told(find("k_means").params(), views, {}, "start", "It begins.")


@pytest.fixture
def make(qapp):
    hosts = []

    def compositor(**arguments):
        hosts.append(QWidget())
        made = Compositor(hosts[-1], **arguments)
        made.set_data(DATA, Projection.of(DATA, (2, 0)))
        made.set_method(METHOD)
        return made

    yield compositor
    for host in hosts:
        shiboken6.delete(host)


def test_a_canvas_is_made_when_it_is_first_asked_for_and_its_owner_hears_of_it(make):
    heard = []
    compositor = make(made=heard.append)
    assert compositor.canvases == {}
    plane = compositor.canvas("plane")
    assert compositor.canvas("plane") is plane
    assert [type(compositor.canvas(panel.key)) for panel in METHOD.panels] == [
        PlaneView,
        SurfaceView,
        PlotView,
    ]
    assert heard == list(compositor.canvases.values())
    assert len({canvas.parent() for canvas in heard}) == 1


def test_data_and_theme_reach_canvases_that_are_there_and_those_to_come(make):
    compositor = make()
    plane = compositor.canvas("plane")
    compositor.set_theme(DARK)
    more = Points(np.vstack([X, X]), np.array([0, 1, 1, 0, 1, 1]))
    compositor.set_data(more, Projection.of(more))
    curve = compositor.canvas("curve")
    for canvas in (plane, curve):
        assert canvas.theme is DARK
        assert canvas.scene_info.data is more
        assert canvas.scene_info.theme is DARK


@pytest.mark.parametrize(
    "marks",
    [(), (CENTRES,), (Assignment(np.array([1, 0, 2])),), (HeldOut(np.array([1])),)],
    ids=["no marks", "centres", "assignment", "held out"],
)
def test_points_are_coloured_once_in_another_theme_and_look_as_if_it_had_always_been_that_one(make, marks, monkeypatch):
    changed, always = make(), make()
    always.set_theme(DARK)
    for compositor in (changed, always):
        compositor.canvas("plane").show_marks(marks)
    painted = []
    paint = PlaneView.paint_points
    monkeypatch.setattr(PlaneView, "paint_points", lambda *asked: (painted.append(1), paint(*asked)))
    changed.set_theme(DARK)
    assert len(painted) == 1
    seen, expected = (compositor.canvas("plane").points for compositor in (changed, always))
    assert seen._sprites == expected._sprites
    assert np.array_equal(seen._which, expected._which)


def test_the_canvas_of_another_kind_of_data_is_dressed_when_such_data_come_back(make):
    compositor = make()
    plane = compositor.canvas("plane")
    compositor.set_data(Nothing(), Projection())
    compositor.set_theme(DARK)
    assert plane.theme is not DARK  # nobody sees it
    compositor.set_data(DATA, Projection.of(DATA, (2, 0)))
    assert plane.theme is DARK
    assert plane.scene_info.theme is DARK


def test_requests_name_the_slots_that_the_marks_need_over_what_is_seen_of_each_panel(make):
    compositor = make()
    for key in compositor.panels:
        compositor.canvas(key).resize(400, 200)
    frame = snapshot(plane=(Regions("classes"), Isolines()), surface=(Regions("value"),), curve=(LINE,))
    requests = compositor.requests(frame, compositor.panels, lambda canvas: ((canvas.width(), canvas.height()),), "run")
    assert set(requests) == {Slot("plane", "field"), Slot("plane", "predict"), Slot("surface", "field")}
    for slot, request in requests.items():
        assert (request.what, request.key, request.algorithm) == (slot.what, "run", METHOD)
        assert request.model is frame.model
        assert request.rect == compositor.canvas(slot.panel).view_rect()
        assert request.sizes == ((400, 200),)
    assert requests["plane", "field"].projection == Projection.of(DATA, (2, 0))
    assert requests["surface", "field"].projection == Projection()  # a plane of its own is never projected
    assert not compositor.requests(frame, ["curve"], lambda _: ())


def test_an_answer_goes_to_its_panel_and_one_that_comes_too_late_nowhere(make):
    compositor = make()
    plane = compositor.canvas("plane")
    compositor.deliver(Slot("plane", "field"), Raster(np.ones((2, 3)), (0.0, 1.0, 0.0, 1.0)))
    assert plane.rasters["field"].size == (3, 2)
    compositor.deliver(Slot("gone", "field"), Raster(np.ones((2, 3)), (0.0, 1.0, 0.0, 1.0)))


def test_the_line_of_the_evaluation_is_drawn_among_the_data_where_the_method_has_none(make):
    wanted = [True]
    compositor = make(draws_line=lambda: wanted[0])
    centres, own = Centres(X), Isolines(strong=(2.0,))
    frame = snapshot(plane=(centres,), curve=(LINE,))
    first, line = compositor.marks(frame, "plane")
    assert first is centres
    assert line.strong == (0.0,)
    assert compositor.marks(frame, "curve") == (LINE,)
    assert compositor.marks(snapshot(plane=(own,)), "plane") == (own,)
    wanted[0] = False
    assert compositor.marks(frame, "plane") == (centres,)


def test_the_threshold_is_that_of_the_data_alone_also_of_a_canvas_to_come(make):
    compositor = make()
    curve = compositor.canvas("curve")
    compositor.set_threshold(Threshold(0.7))
    assert compositor.canvas("plane").threshold == Threshold(0.7)
    assert curve.threshold is None
    compositor.set_threshold(None)
    assert compositor.canvas("plane").threshold is None


def test_the_canvases_of_another_method_are_others_but_that_of_the_data_stays(make):
    compositor = make()
    plane, curve = compositor.canvas("plane"), compositor.canvas("curve")
    compositor.set_method(replace(METHOD, panels=(Panel("curve", "Other"), Panel("plane", "Points", "data"))))
    assert compositor.canvases == {}
    assert compositor.out_of_sight() == {plane}
    assert compositor.canvas("plane") is plane
    assert plane.panel.title == "Points"
    assert compositor.canvas("curve") is not curve
    assert compositor.out_of_sight() == set()


def test_a_canvas_that_goes_is_ended_by_qt_and_not_by_the_collector(make):
    """As under a dialog that waits: what is to be deleted later stays for as long as that, and a stack forgets it."""
    compositor, stack = make(), QStackedWidget()
    canvas = compositor.canvas("curve")
    stack.addWidget(canvas)
    stack.removeWidget(canvas)  # from now on it belongs to Python
    known = weakref.ref(canvas)
    del canvas
    compositor.set_method(None)
    gc.collect()
    assert known() is not None
    assert shiboken6.isValid(known())
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    assert not shiboken6.isValid(known())
    compositor.set_method(METHOD)
    gc.collect()
    assert known() is None
