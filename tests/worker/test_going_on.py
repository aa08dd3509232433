"""Runs that go on after a change: one time line, every frame of which can be replayed exactly."""

import gc
import weakref

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.contract import Metric
from mlviz.worker.engine import Engine
from mlviz.worker.timeline import Timeline
from tests.worker.conftest import snapshot


def ended(engine):
    engine.hurry()
    engine.begin()
    assert engine.join(60)
    return engine


def gone_on(toys, data, first, at, change, seed, budget=10**8):
    """The run that goes on from step ``at`` of another one."""
    frame = first.timeline.frame(at)
    history = first.history(frame, change)
    return ended(
        Engine(
            toys.walk, data, {"steps": 40}, seed, start=frame.snapshot.model, budget=budget, nap=0.0, history=history
        )
    )


def test_the_steps_before_the_change_stay_and_are_counted_on(toys, data):
    first = ended(Engine(toys.walk, data, {"steps": 30}, seed=1, nap=0.0))
    second = gone_on(toys, data, first, 12, "rate: 1 → 2.", seed=2)
    third = gone_on(toys, data, second, 20, "rate: 2 → 3.", seed=3)
    line = third.timeline
    assert len(line) == 20 + 1 + 40
    assert [line.frame(step).snapshot.model.step for step in range(len(line))] == list(range(len(line)))
    assert line.metric("step").tolist() == list(range(len(line)))
    assert line.changes == [(12, "rate: 1 → 2."), (20, "rate: 2 → 3.")]
    assert line.frame(12).snapshot is first.timeline.frame(12).snapshot
    assert line.frame(15).snapshot is second.timeline.frame(15).snapshot
    assert (third.since, third.resumed) == (20, True)
    assert len(first.timeline) == 31  # the old one is left as it was
    for step in (11, 12, 13, 20, 21):
        assert line.phase(step) == line.frame(step).snapshot.phase


def test_a_run_that_goes_on_does_not_keep_the_frames_that_came_after_in_the_one_before(toys, data):
    first = ended(Engine(toys.walk, data, {"steps": 30}, seed=1, nap=0.0))
    known = weakref.ref(first.timeline)
    second = gone_on(toys, data, first, 12, "change", seed=2)
    del first
    gc.collect()
    assert known() is None
    assert second.timeline.frame(12).exact


def test_going_on_from_before_an_earlier_change_forgets_it(toys, data):
    first = ended(Engine(toys.walk, data, {"steps": 30}, seed=1, nap=0.0))
    second = gone_on(toys, data, first, 12, "one", seed=2)
    third = gone_on(toys, data, second, 5, "two", seed=3)
    assert third.timeline.changes == [(5, "two")]
    assert gone_on(toys, data, third, 5, "three", seed=4).timeline.changes == [(5, "three")]


def test_frames_on_both_sides_of_a_change_are_replayed_exactly(toys, data, until):
    first = ended(Engine(toys.walk, data, {"steps": 600, "size": 50}, seed=5, budget=60_000, nap=0.0))
    at = first.timeline.kept[len(first.timeline.kept) // 2]
    start = first.timeline.frame(at)
    second = Engine(
        toys.walk,
        data,
        {"steps": 600, "size": 50},
        seed=6,
        start=start.snapshot.model,
        nap=0.0,
        history=first.history(start, "change"),
    )
    ended(second)
    params = toys.Params(steps=600, size=50)
    old = [frame.model.numbers for frame in toys.walk.start(data, params, 5)]
    new = [frame.model.numbers for frame in toys.walk.start(data, params, 6, start.snapshot.model)]
    expected = [*old[: at + 1], *new[1:]]
    assert len(second.timeline) == len(expected)
    thinned = [step for step in range(len(expected)) if step not in second.timeline.kept]
    assert min(thinned) < at < max(thinned)
    near = [at - 1, at, at + 1, at + 2]
    for step in (*thinned[:: len(thinned) // 12], *near, thinned[0]):
        second.rebuild(step)
        until(lambda: not second.rebuilding)
        frame = second.timeline.frame(step)
        assert (frame.exact, frame.step) == (True, step)
        np.testing.assert_array_equal(frame.snapshot.model.numbers, expected[step])
    second.cancel()
    assert second.join(10)


@given(st.integers(2, 120), st.data())
def test_a_branch_of_a_thinned_time_line_has_a_frame_near_every_step(length, draw):
    whole = Timeline(budget=12_000, metrics=(Metric("step", "Step"),))
    for step in range(length):
        whole.append(snapshot(step, np.full(100, step)))
    frame = whole.frame(draw.draw(st.integers(0, length - 1)))
    line = whole.branch(frame, "change")
    for step in range(frame.step + 1, frame.step + 40):
        for asked in range(len(line)):
            found = line.frame(asked)
            assert found.snapshot.model.step == found.step
            assert found.exact == (found.step == asked)
        line.append(snapshot(step, np.full(100, step)))
        assert line.frame(step).exact
    assert line.metric("step").tolist() == list(range(len(line)))


def test_a_run_that_cannot_go_on_says_so_and_leaves_the_steps_before(toys, data):
    first = ended(Engine(toys.walk, data, {"steps": 10}, seed=1, nap=0.0))

    def empty(data, params, rng, start=None):
        return
        yield

    frame = first.timeline.frame(4)
    second = ended(Engine(toys.make(empty), data, {}, 0, start=frame.snapshot.model, history=first.history(frame, "")))
    assert second.state == "failed"
    assert len(second.timeline) == 5


@pytest.mark.parametrize("step", [0, 3])
def test_what_a_change_does_to_a_metric_is_no_event(step):
    line = Timeline(metrics=(Metric("loss", "loss"),))
    for number in range(5):
        line.append(snapshot(number, np.zeros(1), metrics={"loss": float(10 - number)}))
    line = line.branch(line.frame(step), "more penalty")
    line.append(snapshot(step + 1, np.zeros(1), metrics={"loss": 100.0}))
    assert line.events == []
    line.append(snapshot(step + 2, np.zeros(1), metrics={"loss": 101.0}))
    assert [at for at, _ in line.events] == [step + 2]
