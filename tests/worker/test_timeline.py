"""The time line: nearest frames, budget, phases, metrics and events."""

from __future__ import annotations

import itertools
import threading
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms import find
from algorithms.contract import Metric
from mlviz.data.generators import generate
from mlviz.session.memory import MemoryMeter
from mlviz.worker.timeline import DEFAULT_BUDGET, MAX_EVENTS, MAX_REBUILT, Timeline
from tests.telling import Teller, told


def frame(step, numbers=None, phase="a", value=0.0, warning=""):
    numbers = np.full(100, float(step)) if numbers is None else numbers
    return told((numbers,), {}, {"J": value}, phase, f"Step {step}.", warning)


def filled(count, budget=2**20, **changes):
    timeline = Timeline(budget)
    for step in range(count):
        timeline.append(frame(step, **changes))
    return timeline


def test_all_frames_are_exact_while_the_budget_lasts():
    timeline = filled(50)
    assert len(timeline) == 50
    assert timeline.thinned == 0
    for step in range(50):
        found = timeline.frame(step)
        assert (found.step, found.exact, found.snapshot.model[0][0]) == (step, True, step)


@pytest.mark.parametrize(
    ("key", "values"),
    [
        ("kernel_svm", {"C": 1000.0, "patience": 0}),
        ("logistic_regression", {"solver": "gradient descent", "learning_rate": 1e-3}),
        ("perceptron", {}),
        ("mlp", {}),
        ("gradient_descent", {}),
    ],
)
def test_methods_of_many_steps_keep_ten_thousand_frames_of_two_thousand_points(key, values):
    """So that every step can be scrubbed to at once, none is thinned out."""
    algorithm, timeline = find(key), Timeline()
    data, sizes = generate("moons", n=2000, noise=0.3, seed=1), []
    for snapshot in itertools.islice(algorithm.start(data, algorithm.make_params(values), 0), 150):
        timeline.append(snapshot)
        sizes.append(timeline.nbytes)
    assert len(sizes) > 20
    each = np.diff(sizes[len(sizes) // 2 :]).mean()
    assert each * 10_000 + sizes[0] < DEFAULT_BUDGET


def test_steps_outside_are_clamped_and_an_empty_time_line_says_so():
    timeline = filled(5)
    assert timeline.frame(-3).step == 0
    assert timeline.frame(99).step == 4
    with pytest.raises(IndexError, match="no frames yet"):
        Timeline().frame(0)


def test_the_budget_holds_for_ten_thousand_frames_of_two_thousand_points():
    """Real accounting: labels (n bytes each) are new in every frame, the data of 2,000 points is shared by all."""
    n, budget = 2000, 6 * 2**20
    X = np.zeros((n, 2))
    timeline = Timeline(budget)
    for step in range(10_000):
        timeline.append(told((np.zeros(n, dtype=np.int8), X), {}, {"J": 1.0}, "a", f"Step {step}."))
        if step % 500 == 0:
            assert timeline.nbytes <= budget
    assert timeline.nbytes <= budget
    assert (timeline.kept[0], timeline.kept[-1]) == (0, 9999)
    assert timeline.frame(0).exact
    assert timeline.frame(9999).exact
    # The memory is used, not wasted: a frame costs some 3.2 kB, so more than a thousand of them fit.
    assert len(timeline.kept) > 1000
    assert timeline.thinned == 10_000 - len(timeline.kept)
    gaps = np.diff(timeline.kept)
    assert gaps.max() <= 2 * gaps[:-1].min()
    # What the time line believes is what it holds: an independent sum over the distinct arrays stays below it.
    held = {id(array): array.nbytes for step in timeline.kept for array in timeline.frame(step).snapshot.model}
    assert sum(held.values()) < timeline.nbytes


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 400), st.integers(5_000, 60_000), st.lists(st.integers(0, 399), max_size=6))
def test_the_nearest_kept_frame_is_found(count, budget, put):
    timeline = Timeline(budget)
    for step in range(count):
        timeline.append(frame(step))
    for step in put:
        if step < count:
            timeline.put(step, frame(step))
            assert timeline.frame(step).exact
    kept = timeline.kept
    assert kept[0] == 0
    assert kept[-1] == count - 1
    for step in range(count):
        found = timeline.frame(step)
        assert abs(found.step - step) == min(abs(other - step) for other in kept)
        assert found.exact == (step in kept)
        assert found.snapshot.model[0][0] == found.step


def test_thinning_keeps_every_second_then_every_fourth_frame():
    plenty = filled(1000, budget=2**30)
    each = (plenty.nbytes - 8 * 1024) / 1000
    timeline = filled(1000, budget=int(8 * 1024 + 300 * each))
    steps = np.array(timeline.kept[:-1])
    assert set(np.diff(steps)) <= {2, 4, 8}
    assert 140 <= len(steps) <= 300


def test_one_append_clears_away_only_what_it_needs():
    """Halving a long run at once would hold the lock, and with it the window, for many milliseconds."""
    timeline = Timeline(200_000)
    before = 0
    for step in range(2000):
        timeline.append(frame(step))
        # A few frames make room for the metrics' buffer when that grows; halving would take some 35.
        assert len(timeline.kept) >= before - 8
        before = len(timeline.kept)


def test_the_first_and_last_frame_stay_even_when_they_are_too_large():
    timeline = filled(20, budget=10)
    assert timeline.kept == (0, 19)
    timeline.put(7, frame(7))
    assert timeline.frame(7).exact
    timeline.append(frame(20))
    assert timeline.kept == (0, 7, 20)


def test_rebuilt_frames_are_bounded_and_steps_that_did_not_happen_are_refused():
    timeline = filled(500, budget=50_000)
    missing = [step for step in range(500) if step not in timeline.kept][:100]
    for step in missing:
        timeline.put(step, frame(step))
        assert timeline.frame(step).exact
        assert timeline.nbytes <= 50_000
    assert sum(step in timeline.kept for step in missing) <= MAX_REBUILT
    with pytest.raises(IndexError):
        timeline.put(500, frame(500))


def test_metrics_are_kept_for_every_step_and_cannot_be_written():
    timeline = Timeline(3000)
    early = None
    for step in range(1000):
        timeline.append(frame(step, value=step**2))
        if step == 9:
            early = timeline.metric("J")
    np.testing.assert_array_equal(timeline.metric("J"), np.arange(1000.0) ** 2)
    np.testing.assert_array_equal(early, np.arange(10.0) ** 2)
    assert timeline.metrics == ("J",)
    with pytest.raises(ValueError):
        timeline.metric("J")[0] = 1
    assert len(timeline.metric("unknown")) == 0


def test_a_metric_that_comes_late_or_stays_away_is_nan_there():
    timeline = Timeline()
    for metrics in ({"J": 1.0}, {"J": 2.0, "late": 5.0}, {"late": 6.0}):
        timeline.append(told(metrics=metrics))
    np.testing.assert_array_equal(timeline.metric("late"), [np.nan, 5, 6])
    np.testing.assert_array_equal(timeline.metric("J"), [1, 2, np.nan])


def test_phases_and_jumps_by_phase():
    timeline = Timeline()
    for phase in ("start", "split", "split", "split", "merge", "split", "split"):
        timeline.append(frame(0, phase=phase))
    assert [timeline.phase(step) for step in range(7)] == ["start", *["split"] * 3, "merge", "split", "split"]
    assert [timeline.next_phase(step, +1) for step in range(7)] == [1, 4, 4, 4, 5, 6, 6]
    assert [timeline.next_phase(step, -1) for step in range(7)] == [0, 0, 1, 1, 1, 4, 5]
    assert Timeline().next_phase(0, 1) == 0


def test_phases_survive_thinning():
    timeline = Timeline(4000)
    for step in range(300):
        timeline.append(frame(step, phase="assign" if step % 2 else "update"))
    assert len(timeline.kept) < 20
    assert timeline.phase(151) == "assign"
    assert timeline.next_phase(151, 1) == 152


def test_events_tell_of_metrics_that_got_worse_and_of_warnings():
    metrics = (Metric("J", "Cost"), Metric("L", "Likelihood", better="higher"), Metric("z", "Z", better="neither"))
    timeline = Timeline(metrics=metrics)
    rows = [(5, 1, 0, ""), (4, 2, 9, ""), (4.5, 2, 1, "Doubt."), (4.5 + 1e-12, 1, 5, "Doubt."), (4, 2, 0, "")]
    for cost, likelihood, z, warning in rows:
        timeline.append(told(metrics={"J": cost, "L": likelihood, "z": z}, warning=warning))
    assert timeline.events == [
        (2, "Cost rose from 4 to 4.5."),
        (2, "Doubt."),
        (3, "Likelihood fell from 2 to 1."),
    ]


def test_a_metric_that_is_not_known_is_no_event_and_is_compared_with_the_last_known_value():
    timeline = Timeline(metrics=(Metric("J", "Cost"),))
    for cost in (np.nan, 4, np.nan, 3, np.nan, 5):
        timeline.append(told(metrics={"J": cost}))
    assert timeline.events == [(5, "Cost rose from 3 to 5.")]


def test_an_event_does_not_name_the_same_number_twice():
    timeline = Timeline(metrics=(Metric("J", "Cost"),))
    for cost in (2169.0, 2169.0001):
        timeline.append(told(metrics={"J": cost}))
    assert timeline.events == [(1, "Cost rose by 0.0001.")]


def test_a_noisy_metric_cannot_fill_the_memory_with_events():
    timeline = Timeline(metrics=(Metric("J", "Cost"),))
    for step in range(3 * MAX_EVENTS):
        timeline.append(told(metrics={"J": step % 2}))
    assert len(timeline.events) == MAX_EVENTS


def test_reading_while_another_thread_appends():
    timeline = Timeline(100_000)
    done = threading.Event()
    wrong = []

    def read():
        random = np.random.default_rng(1)
        while not done.is_set() or not len(timeline):
            length = len(timeline)
            if length:
                step = int(random.integers(length))
                found = timeline.frame(step)
                if found.snapshot.model[0][0] != found.step or len(timeline.metric("J")) < length:
                    wrong.append(found.step)

    reader = threading.Thread(target=read)
    reader.start()
    for step in range(3000):
        timeline.append(frame(step))
    done.set()
    reader.join()
    assert wrong == []


def test_the_meter_counts_shared_things_once_and_a_view_with_all_it_keeps_alive():
    meter = MemoryMeter()
    big = np.zeros(100_000)
    first, second = (big, np.zeros(10)), {"view": big[:3]}
    meter.add(first)
    alone = meter.nbytes
    assert 800_000 <= alone < 802_000
    meter.add(second)
    assert meter.nbytes - alone < 2000
    meter.add(first)
    meter.remove(first)
    meter.remove(first)
    assert meter.nbytes >= 800_000
    meter.remove(second)
    assert meter.nbytes == 0


def test_the_meter_is_not_confused_by_a_container_that_changes():
    meter = MemoryMeter()
    growing = [np.zeros(10)]
    meter.add(growing)
    growing.append(np.zeros(10))
    meter.remove(growing)
    assert meter.nbytes == 0


def test_the_meter_counts_what_a_drawing_is_made_from_without_drawing_it():
    def refuse(shot):
        raise AssertionError("nobody has looked")

    meter = MemoryMeter()
    meter.add(replace(told(np.zeros(100_000)), told_by=Teller(refuse)))
    assert 800_000 <= meter.nbytes < 802_000
