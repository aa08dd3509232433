"""The metric curves: complete when a run has come to rest, and never slower for being long."""

import numpy as np
import pytest

from algorithms.contract import Metric
from mlviz.views.curves import BUCKETS, MetricCurves, outline

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
    steps, values = outline(np.arange(5.0))
    assert steps.tolist() == [0, 1, 2, 3, 4]
    assert values.tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("count", [4 * BUCKETS + 1, 10_007, 123_456])
def test_long_curves_keep_their_ends_and_every_spike(count):
    values = np.sin(np.arange(count) / 50)
    values[count // 3], values[count // 2] = 9.0, -9.0
    steps, heights = outline(values)
    assert len(steps) <= 3 * BUCKETS + count // BUCKETS + 2
    assert (steps[0], steps[-1]) == (0, count - 1)
    assert (np.diff(steps) > 0).all()
    np.testing.assert_array_equal(heights, values[steps])
    assert (heights.max(), heights.min()) == (9.0, -9.0)


def test_gaps_of_a_logarithmic_curve_do_not_hide_the_rest():
    values = np.arange(5000.0)
    values[::7] = np.nan
    _, heights = outline(values)
    assert np.nanmax(heights) == 4999.0
    assert np.isfinite(heights).mean() > 0.9


def test_a_run_without_a_step_yet_is_an_empty_plot(curves):
    curves.set_run(METRICS, lambda name: np.empty(0))
    curves.refresh(0, 0)
    assert len(curves._dots.at) == 0


def test_all_steps_are_there_once_they_stop_coming(curves):
    values = np.linspace(1.0, 0.0, 500)
    steps = 1
    curves.set_run(METRICS, lambda name: values[:steps])
    for steps in range(1, 500, 7):  # faster than the curves are redrawn
        curves.refresh(steps, steps - 1)
    for _ in range(2):
        curves.refresh(steps, steps - 1)
    x, y = drawn(curves)
    np.testing.assert_array_equal(y, values[:steps])
    assert x[-1] == steps - 1
    assert curves._line.value() == steps - 1


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
