"""The legend: in every place it is as large as it can be without hiding what it explains."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt

from algorithms.contract import Panel
from algorithms.data import Points
from algorithms.marks import Bars, Curve, DividingLine, HeldOut, Isolines
from algorithms.registry import all_algorithms
from mlviz.session.projection import Projection
from mlviz.session.rasters import Raster
from mlviz.views.curves import MetricCurves
from mlviz.views.legend_places import best_spot, hidden_by
from mlviz.views.occupied import occupied
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


def box(view) -> QRectF:
    """Where the legend stands, in the pixels of the view."""
    legend = view.legend
    return legend.mapRectToItem(view.box, QRectF(QPointF(0, 0), legend.size()))


def covered(view):
    """How many of the things to avoid it hides."""
    at, place = view.legend.avoid(), box(view)
    inside = (at > (place.left(), place.top())) & (at < (place.right(), place.bottom()))
    return inside.all(axis=1).sum()


def whole(view):
    """The plot with its axes, in the pixels of the view."""
    return view.getPlotItem().mapRectToItem(view.box, view.getPlotItem().boundingRect())


@pytest.mark.parametrize(
    ("size", "form"), [((600, 400), "list"), ((260, 170), "small list"), ((420, 120), "lines"), ((150, 110), "folded")]
)
def test_a_smaller_place_has_a_smaller_legend(plot, size, form):
    view = plot(*size)
    legend = view.legend
    assert legend.form == form
    assert legend.isVisible()
    assert whole(view).contains(box(view))
    assert form == "folded" or not covered(view)


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
    assert (view.legend.form, view.legend.side) == ("lines", "below")
    assert whole(view).contains(box(view))
    assert not view.box.boundingRect().intersects(box(view))


def test_an_unfolded_legend_of_many_rows_stays_inside(plot):
    view = plot(260, 130, names=tuple(f"runner {number}" for number in range(8)))
    assert view.legend.form == "folded"
    assert not covered(view)
    view.legend._unfold(True)
    assert view.legend.form != "folded"
    assert whole(view).contains(box(view))


def test_names_longer_than_the_view_are_cut_and_do_not_leave_it(plot):
    view = plot(320, 260, names=("a name that is longer than the view is wide, by far and by any measure", "b"))
    assert view.legend.isVisible()
    assert whole(view).contains(box(view))
    assert view.legend.size().width() <= whole(view).width() - 16


def test_rows_beside_each_other_do_not_overlap(plot):
    legend = plot(420, 120).legend
    plan, lengths = legend._plan, legend._rows.measured("lines")
    assert plan.form == "lines"
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
    legend.avoid = lambda: at[(np.abs(at - middle) > (110, 90)).any(axis=1)]
    legend.place()
    assert legend.isVisible()
    assert legend.side is None
    assert not covered(view)


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
    assert not covered(view)


def test_a_folded_legend_along_an_edge_unfolds_inside(plot):
    view = plot(150, 110)
    legend, area = view.legend, view.box.boundingRect()
    legend.avoid = lambda: np.array([[x, y] for x in (5.0, area.width() - 5) for y in (12.0, area.height() - 12)])
    legend.place()
    assert legend.form == "folded"
    legend._unfold(True)
    assert legend.form != "folded"
    assert area.left() <= box(view).left() < box(view).right() <= area.right()


def test_smaller_letters_are_better_than_a_hidden_point(plot):
    view = plot(600, 400, names=("a name", "another name"))
    legend = view.legend
    list_size = legend.size()
    area = view.box.boundingRect()
    x, y = np.meshgrid(np.arange(0.0, area.width(), 8.0), np.arange(0.0, area.height(), 8.0))
    at = np.column_stack([x.ravel(), y.ravel()])
    free = (at[:, 0] > area.width() - list_size.width() - 4) & (at[:, 1] < list_size.height() + 4)
    legend.avoid, legend.reach = lambda: at[~free], 0.0
    legend.place(anew=True)
    assert legend.form == "small list"
    assert not covered(view)


def test_no_letters_are_smaller_than_twenty_points_when_presenting(plot):
    view = plot(900, 600)
    view.set_theme(LIGHT.presenting())
    legend = view.legend
    assert min(legend._rows.font(form).pointSizeF() for form in ("list", "small list", "lines", "folded")) >= 20
    assert view.getAxis("left").style["tickFont"].pointSizeF() >= 20
    assert LIGHT.letters(0.75) == 7.5


def test_where_bars_fill_the_plot_the_legend_stands_outside_and_stays_there(plot):
    """The multipliers of a support vector machine: every bar reaches its limit, and no place inside is free."""
    view = plot(500, 320)
    groups = np.arange(40) % 2
    full = Bars(np.ones(40), groups=groups, group_names=("first", "second"))
    view.show_marks((Bars(0.4 * np.ones(40), groups=groups, group_names=("first", "second"), limit=1.0),))
    settle()
    assert view.legend.side is None
    view.show_marks((full,))
    settle()
    assert view.legend.side == "below"
    assert not covered(view)
    assert whole(view).contains(box(view))
    assert not view.box.boundingRect().intersects(box(view))
    view.show_marks((Bars(np.r_[np.ones(20), np.zeros(20)], groups=groups, group_names=("first", "second")),))
    assert view.legend.side == "below"  # nothing jumps while a run is played
    view.legend.hide_for(True)
    settle()
    assert view.legend.side is None
    assert view.box.boundingRect().bottom() > 0.8 * whole(view).height()


def test_a_curve_that_grows_into_the_legend_moves_it(plot):
    view = plot(600, 400, heights=0.0 * ALONG, names=("a", "b"))
    assert box(view).center().y() < 100
    view.box.disableAutoRange()
    view.box.setRange(yRange=(0.0, 1.0))
    before = view.legend.pos()
    view.show_marks([Curve(ALONG, 0.2 * ALONG, name="a"), Curve(ALONG, 0.1 * ALONG, name="b")])
    assert view.legend.pos() == before
    view.show_marks([Curve(ALONG, 0.95 + 0.01 * ALONG, name="a"), Curve(ALONG, 0.1 * ALONG, name="b")])
    assert view.legend.pos() != before
    assert not covered(view)


def test_a_spike_between_even_samples_is_kept_off(plot):
    spiky = np.where(np.arange(2000) == 1777, 1.0, 0.0)
    at = occupied(Curve(np.arange(2000.0), spiky))
    assert at[:, 1].max() > 0.95


def test_places_that_are_endlessly_far_count_for_nothing():
    area, size = QRectF(0, 0, 400, 300), QSizeF(100, 60)
    near = np.array([[380.0, 20.0]])
    far = np.array([[np.nan, 20.0], [np.inf, 20.0], [-np.inf, np.nan], [1e300, -1e300]])
    assert best_spot(area, size, np.concatenate([near, far])) == best_spot(area, size, near)


@pytest.mark.parametrize("size", [(300.0, 200.0), (620.0, 90.0)])
def test_the_best_spot_is_one_of_those_that_hide_least(size):
    """Against trying every place at the edges, one by one."""
    area, box_size = QRectF(0.0, 0.0, *size), QSizeF(80.0, 30.0)
    at = np.random.default_rng(3).uniform((0, 0), size, (60, 2))
    spot = best_spot(area, box_size, at)
    corner = spot.corner(area, box_size)
    assert area.contains(QRectF(corner, box_size))
    assert hidden_by(at, QRectF(corner, box_size)) <= spot.hides
    x, y = np.linspace(8, size[0] - 88, 60), np.linspace(8, size[1] - 38, 60)
    edges = [(a, b) for a in x for b in (y[0], y[-1])] + [(a, b) for a in (x[0], x[-1]) for b in y]
    least = min(hidden_by(at, QRectF(QPointF(a, b), box_size).adjusted(-6, -6, 6, 6)) for a, b in edges)
    assert spot.hides <= least


@pytest.fixture
def plane(qtbot):
    """Points in the middle, so that every corner is free."""
    view = PlaneView(Panel("plane", "Data", space="data"))
    qtbot.addWidget(view)
    view.resize(500, 400)
    view.set_theme(LIGHT)
    at = np.array([[0.0, 0.0], [0.2, 0.1], [-0.2, 0.1], [0.1, -0.2]])
    view.set_scene(Scene.of(Points(at, np.array([0, 1, 0, 1])), Projection(), LIGHT))
    view.box.setRange(xRange=(-1, 1), yRange=(-1, 1), padding=0)
    view.show()
    settle()
    return view


def on_lines(view):
    return hidden_by(view._decision_places(), box(view))


def test_the_legend_keeps_off_a_decision_line_where_there_is_room_elsewhere(plane):
    plane.show_marks([DividingLine(np.array([1.0, 0.0]), 0.0)])
    settle()
    assert box(plane).center().x() > plane.box.width() / 2  # at the right, where nothing is
    plane.show_marks([DividingLine(np.array([1.0, 0.0]), 0.8)])  # which is where the line goes
    settle()
    assert on_lines(plane) == covered(plane) == 0
    before = box(plane)
    plane.show_marks([DividingLine(np.array([1.0, 0.0]), 0.0)])
    settle()
    assert box(plane) == before  # it does not jump back for no reason


def test_the_contour_of_a_field_is_a_decision_line(plane):
    plane.show_marks([Isolines(strong=(0.0,))])
    x, y = np.meshgrid(np.linspace(-1, 1, 60), np.linspace(-1, 1, 60))
    plane.set_raster("field", Raster(x + y - 1.4, (-1.0, 1.0, -1.0, 1.0)))  # cuts off the upper right corner
    settle()
    assert len(plane._decision_places())
    assert on_lines(plane) == covered(plane) == 0


def test_points_that_a_method_does_not_learn_from_are_hollow_and_named(plane):
    def hollow():
        outlines = [look.fill == LIGHT.plot for look in plane.points._sprites]
        return np.flatnonzero(np.array(outlines)[plane.points._which]).tolist()

    plane.show_marks([HeldOut(np.array([1, 3]), "validation")])
    assert hollow() == [1, 3]
    assert "validation" in [row.name for row in plane.legend.rows]
    plane.hold_out(np.array([0]))  # what the evaluation holds out goes before
    assert hollow() == [0]
    plane.hold_out(np.empty(0, dtype=np.intp))
    assert hollow() == [1, 3]
    plane.show_marks([])
    assert hollow() == []


def test_on_a_projector_the_legend_leaves_most_of_the_height_to_the_picture(qtbot):
    names = tuple(f"class number {number}" for number in range(8))
    at = np.random.default_rng(1).uniform(size=(400, 2))
    view = PlaneView(Panel("plane", "Data", space="data"))
    qtbot.addWidget(view)
    view.resize(480, 440)
    view.set_theme(LIGHT.presenting())
    data = Points(at, np.arange(400) % 8, classes=names)
    view.set_scene(Scene.of(data, Projection(), LIGHT.presenting()))
    view.show()
    view.show_marks([])
    settle()
    assert view.legend.side == "below"
    assert view.legend.size().height() <= 0.22 * view.height()
    assert 0 < len(view.legend._plan.cells) < len(view.legend.rows)


@pytest.fixture
def curves(qtbot):
    view = MetricCurves()
    qtbot.addWidget(view)
    view.set_theme(LIGHT)
    view.show()
    return view


def crossing(number):
    """Values that fill the plot from corner to corner, so that no place inside is free."""
    return np.sin(np.arange(60.0) * (0.7 + 0.3 * number))


@pytest.mark.parametrize("size", [(390, 185), (240, 140)])
def test_no_curve_of_any_method_has_a_sample_without_its_whole_name(curves, size):
    """The low plot of a laptop's window names every curve; a smaller one names some and counts the others."""
    curves.resize(*size)
    nameless = {}
    for method in all_algorithms():
        number = {metric.name: at for at, metric in enumerate(method.metrics)}
        curves.set_run(method.metrics, lambda name, number=number: crossing(number[name]))
        for group in dict.fromkeys(metric.group or metric.label for metric in method.metrics):
            curves.choose(group, {group: False})
            curves.refresh(60, 59)
            settle()
            legend, names = curves.legend, [row.name for row in curves.legend.rows]
            shown = legend.shown_names
            all_named = shown == names if size[0] >= 390 else shown == names[: len(shown)]
            said = bool(shown) or (legend.isVisible() and bool(legend._plan.rest)) or len(names) == 1
            if not all_named or not said:
                nameless[method.key, group] = shown
    assert nameless == {}


def test_a_folded_legend_names_what_fits_and_counts_the_rest(plot):
    view = plot(230, 110, names=("first", "second", "third", "a fourth one with a longer name"))
    legend = view.legend
    assert legend.form == "folded"
    shown = legend.shown_names
    assert 0 < len(shown) < 4
    assert shown == [row.name for row in legend.rows][: len(shown)]
    assert legend._plan.rest == f"+{4 - len(shown)}"
    legend._unfold(True)
    assert len(legend.shown_names) == 4


def test_in_a_low_wide_plot_all_names_stand_beside_it(plot):
    view = plot(420, 100, heights=np.sin(40 * ALONG), names=("training", "validation", "best so far"))
    assert view.legend.shown_names == ["training", "validation", "best so far"]
    assert not covered(view)


def test_on_a_projector_nothing_is_shown_that_has_to_be_unfolded(plot):
    """A box that says only how many names there are helps nobody who has no mouse."""
    view = plot(150, 110)
    assert view.legend.isVisible()
    view.set_theme(LIGHT.presenting())
    settle()
    assert not view.legend.isVisible() or view.legend.shown_names


def test_a_single_name_without_room_is_left_to_the_title(plot):
    view = plot(150, 110, heights=np.sin(40 * ALONG), names=("the sum of all the squared distances",))
    assert not view.legend.isVisible() or view.legend.shown_names


@pytest.mark.parametrize("width", [260, 300, 360])
def test_a_long_title_and_a_legend_beside_it_do_not_push_the_plot_over_its_edge(plot, width):
    view = plot(width, 130, np.sin(40 * ALONG), ("squared", "absolute", "huber", "pinball"))
    view.setTitle("From empirical risk to risk")
    view.resize(width + 1, 130)
    settle()
    view.legend.place(anew=True)
    settle()
    plain = view.getPlotItem().mapRectToScene(view.getPlotItem().boundingRect())
    assert plain.right() <= view.width() + 1


def test_a_name_longer_than_its_plot_goes_on_in_the_next_line(plot):
    name = "the sum of all the squared distances"
    view = plot(330, 420, heights=np.sin(40 * ALONG), names=(name, "short"))
    view.set_theme(LIGHT.presenting())
    settle()
    assert view.legend.shown_names == [name, "short"]
    assert whole(view).contains(box(view))
    assert not covered(view)


def test_beside_a_plot_that_is_not_low_the_legend_does_not_take_half_of_it(plot):
    view = plot(420, 380, heights=np.sin(40 * ALONG), names=("fit, 95 % band", "residual", "the rest"))
    view.set_theme(LIGHT.presenting())
    settle()
    assert view.box.width() > 0.6 * view.width()
    assert len(view.legend.shown_names) == 3
