"""The metric curves: complete when a run has come to rest, and never slower for being long."""

import numpy as np
import pytest
import shiboken6
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtWidgets import QWidget

from algorithms import Points
from algorithms.contract import Metric, Panel
from algorithms.marks import Curve
from mlviz.session.projection import Projection
from mlviz.views.curves import MetricCurves
from mlviz.views.decimate import BUCKETS, minmax_decimate
from mlviz.views.plots import PlotView
from mlviz.views.scene import Scene
from mlviz.views.theme import LIGHT

METRICS = (Metric("a", "first", group="both"), Metric("b", "second", group="both"), Metric("c", "third", log=True))


@pytest.fixture
def curves(qtbot):
    widget = MetricCurves()
    qtbot.addWidget(widget)
    widget.resize(400, 240)
    return widget


def drawn(curves, number=0):
    return curves._items[number].getData()


def test_short_curves_are_drawn_as_they_are():
    steps, values = minmax_decimate(np.arange(5.0))
    assert steps.tolist() == [0, 1, 2, 3, 4]
    assert values.tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("count", [4 * BUCKETS + 1, 10_007, 123_456])
def test_long_curves_keep_their_ends_and_every_spike(count):
    values = np.sin(np.arange(count) / 50)
    values[count // 3], values[count // 2] = 9.0, -9.0
    steps, heights = minmax_decimate(values)
    assert len(steps) <= 3 * BUCKETS + count // BUCKETS + 2
    assert (steps[0], steps[-1]) == (0, count - 1)
    assert (np.diff(steps) > 0).all()
    np.testing.assert_array_equal(heights, values[steps])
    assert (heights.max(), heights.min()) == (9.0, -9.0)


def test_gaps_of_a_logarithmic_curve_do_not_hide_the_rest():
    values = np.arange(5000.0)
    values[::7] = np.nan
    _, heights = minmax_decimate(values)
    assert np.nanmax(heights) == 4999.0
    assert np.isfinite(heights).mean() > 0.9


def test_a_curve_begins_where_its_metric_is_known(curves):
    values = {"a": np.array([np.nan, np.nan, 7.0, 6.0]), "b": np.array([5.0, 5.0, 5.0, 5.0]), "c": np.full(4, np.nan)}
    curves.set_run(METRICS, values.__getitem__)
    curves.due(4, 0)
    curves.due(4, 0)
    curves.refresh(4, 0)
    low, high = curves._box.viewRange()[1]
    assert 4.5 < low < 5.0
    assert 7.0 < high < 7.5
    assert curves._dots.at.tolist() == [[0.0, 5.0]]  # the playhead stands on the curve that is known there
    assert drawn(curves)[1].tolist()[2:] == [7.0, 6.0]
    assert np.isnan(drawn(curves)[1][:2]).all()
    assert curves._items[0].getPath().boundingRect().left() == 2.0


def test_a_run_without_a_step_yet_is_an_empty_plot(curves):
    curves.set_run(METRICS, lambda name: np.empty(0))
    curves.refresh(0, 0)
    assert len(curves._dots.at) == 0


def test_all_steps_are_there_once_they_stop_coming(curves):
    values = np.linspace(1.0, 0.0, 500)
    steps = 1
    curves.set_run(METRICS, lambda name: values[:steps])
    drawings = 0
    for steps in [*range(1, 500, 7), 498, 498]:  # faster than the curves are redrawn
        if curves.due(steps, steps - 1):
            curves.refresh(steps, steps - 1)
            drawings += 1
    assert drawings < 40
    x, y = drawn(curves)
    np.testing.assert_array_equal(y, values[:steps])
    assert x[-1] == steps - 1
    assert curves._line.value() == steps - 1


def test_while_steps_pour_in_the_scale_has_room_and_stays(curves, monkeypatch):
    values, clock = np.linspace(10.0, 0.0, 400), [0.0]
    monkeypatch.setattr(curves, "_clock", lambda: clock[0])
    steps, scales = 1, []
    curves.set_run(METRICS, lambda name: values[:steps])
    for steps in range(100, 400):
        clock[0] += 1.0
        assert curves.due(steps, steps - 1)
        curves.refresh(steps, steps - 1)
        across, up = curves.plot.getViewBox().viewRange()
        assert across[0] <= 0.0
        assert across[1] >= steps - 1  # what is newest is always seen
        assert up[0] <= values[:steps].min()
        assert up[1] >= 10.0
        scales.append((*across, *up))
    assert len(set(scales)) < 30
    assert curves.due(steps, steps - 1)  # now they have come to an end
    curves.refresh(steps, steps - 1)
    across, _ = curves.plot.getViewBox().viewRange()
    np.testing.assert_allclose(across, (-0.04 * 398, 1.04 * 398))
    assert not curves.due(steps, steps - 1)


def test_the_previous_run_stays_as_a_ghost_of_the_same_metrics_only(curves):
    curves.set_run(METRICS, lambda name: np.array([3.0, 2.0, 1.0]))
    curves.refresh(3, 0)
    curves.set_run(METRICS, lambda name: np.array([5.0, 4.0]))
    curves.refresh(2, 0)
    assert curves._ghost_items[0].getData()[1].tolist() == [3.0, 2.0, 1.0]
    curves.set_run(METRICS[:1], lambda name: np.array([1.0, 1.0]))
    curves.refresh(2, 0)
    assert curves._ghost_items[0].getData()[1] is None or len(curves._ghost_items[0].getData()[1]) == 0


def test_a_logarithmic_group_shows_decades_and_can_be_switched(curves):
    curves.set_run(METRICS, lambda name: np.array([100.0, 10.0, 0.0]))
    curves.refresh(3, 0)
    curves.tabs.setCurrentIndex(1)
    np.testing.assert_array_equal(drawn(curves)[1], [2.0, 1.0, np.nan])
    curves.log_button.setChecked(False)
    assert drawn(curves)[1].tolist() == [100.0, 10.0, 0.0]


def test_a_flat_curve_has_short_numbers(curves):
    curves.set_run(METRICS, lambda _: np.full(20, 1.0))
    curves.refresh(20, 3)
    curves.refresh(20, 3)
    low, high = curves._box.viewRange()[1]
    assert 0.5 < low < 0.95
    assert 1.05 < high < 1.5


def test_the_legend_keeps_off_the_curves_and_stays_inside_a_narrow_plot(curves, qtbot):
    rising = np.concatenate([[0.0, 1.1], np.full(48, 1.0)])  # along the upper edge
    curves.show()
    qtbot.waitExposed(curves)
    for label in ("short", "a name of the metric that is much longer than the plot is wide " * 2):
        curves.set_run((Metric("a", label, group="a"),), lambda _: rising)
        curves.refresh(50, 3)
        curves.refresh(50, 3)
        legend, area = curves.legend, curves.plot.getPlotItem().boundingRect()
        assert legend.isVisible()
        place = legend.mapRectToItem(curves.plot.getPlotItem(), QRectF(QPointF(0, 0), legend.size()))
        assert place.top() > area.height() / 2
        assert area.contains(place)


def test_a_view_that_is_no_longer_beside_is_not_left_to_the_garbage_collector(curves):
    """Python deletes a canvas in the wrong order; Qt must own it until the board deletes it."""
    curves.set_run(METRICS, lambda _: np.arange(5.0))
    view = QWidget()
    curves.set_aside(view, "Beside")
    curves.note_aside(True)
    assert curves.aside_in_front
    assert curves.group == "Beside"
    curves.set_aside(None)
    assert not shiboken6.ownedByPython(view)
    assert view.parent() is not None
    assert curves.group == "both"
    assert [curves.tabs.tabText(k) for k in range(curves.tabs.count())] == ["both", "third"]


def test_a_long_curve_in_a_plot_keeps_its_peaks_and_its_ends_and_a_loop_all_of_it(qtbot):
    view = PlotView(Panel("plot", "Plot"))
    qtbot.addWidget(view)
    view.set_scene(Scene.of(Points([[0.0, 0.0], [1.0, 1.0]]), Projection(), LIGHT))
    along = np.linspace(-1.0, 1.0, 5001)
    peaks = np.sin(3.0 * along)
    peaks[1234], peaks[4321] = 9.0, -9.0
    view.show_marks((Curve(along, peaks, "long"),))
    (renderer,) = view._renderers.values()
    x, y = renderer._line.getData()
    assert len(x) < 700
    assert {(along[1234], 9.0), (along[4321], -9.0)} <= set(zip(x.tolist(), y.tolist()))
    assert (x[0], x[-1]) == (-1.0, 1.0)
    angle = np.pi * along
    view.show_marks((Curve(np.cos(angle), np.sin(angle), "loop"),))
    assert len(renderer._line.getData()[0]) == 5001


def test_a_logarithmic_scale_without_values_does_not_keep_the_range_of_other_curves(curves):
    curves.set_run((Metric("a", "first"),), lambda name: np.array([1e9, 5e8, 0.0]))
    curves.refresh(3, 2)
    curves.refresh(3, 2)
    curves.set_run((Metric("c", "third", log=True),), lambda name: np.empty(0))
    low, high = curves._box.viewRange()[1]
    assert -1.0 < low < high < 2.0
    curves.grab()


def test_a_logarithmic_scale_ends_where_numbers_end(curves):
    curves.set_run((Metric("c", "third", log=True),), lambda name: np.array([1e-300, 1.7e308]))
    curves.refresh(2, 1)
    curves.refresh(2, 1)
    curves.grab()
    curves.plot.getAxis("left").logTickValues(-1e9, 1e9, 100.0, [])
