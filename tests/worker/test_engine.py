"""The engine: running, waiting, cancelling, failing, rebuilding; always without leaving a thread behind."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from algorithms.contract import Stop
from algorithms.registry import find
from mlviz.worker.engine import Engine, run_to_end


def finished(engine):
    engine.begin()
    assert engine.join(20)
    return engine


def numbers(timeline, step):
    return timeline.frame(step).snapshot.model.numbers


def test_a_run_is_recorded_from_the_first_state_to_the_reason(toys, data):
    engine = Engine(toys.walk, data, {"steps": 5}, seed=3)
    assert (engine.state, engine.reason, engine.ended) == ("ready", "not started", False)
    finished(engine)
    assert (engine.state, engine.stop, engine.reason, engine.ended) == ("finished", Stop.COMPLETE, "complete", True)
    assert len(engine.timeline) == 6
    # The oracle is the generator itself, driven by hand.
    by_hand = list(toys.walk.start(data, toys.Params(steps=5), 3))
    for step, expected in enumerate(by_hand):
        np.testing.assert_array_equal(numbers(engine.timeline, step), expected.model.numbers)
    assert engine.seconds > 0


def test_the_thread_has_a_name_and_is_a_daemon(toys, data):
    engine = Engine(toys.walk, data, toys.Params(steps=10**6), seed=0)
    engine.begin()
    (thread,) = [thread for thread in threading.enumerate() if thread.name == "mlviz-engine"]
    assert thread.daemon
    engine.cancel()
    assert engine.join(10)
    with pytest.raises(RuntimeError, match="already started"):
        engine.begin()


def test_it_waits_when_far_ahead_of_the_playhead(toys, data, until):
    engine = Engine(toys.walk, data, {"steps": 100_000}, seed=0, lead=20, nap=0.0)
    engine.begin()
    until(lambda: engine.state == "waiting")
    assert len(engine.timeline) == 22
    engine.watch(100)
    until(lambda: engine.state == "waiting" and len(engine.timeline) == 122)
    assert engine.reason == "waiting for the playhead"
    engine.cancel()
    assert engine.join(10)
    assert (engine.state, len(engine.timeline)) == ("cancelled", 122)


def test_waiting_is_no_computing(toys, data, until):
    now = [0.0]

    def takes_a_second(data, params, rng, start=None):
        for step in range(100):
            now[0] += 1.0
            yield toys.snapshot(step, np.zeros(3))
        return Stop.COMPLETE

    engine = Engine(toys.make(takes_a_second), data, {}, seed=0, lead=5, nap=0.0, clock=lambda: now[0])
    engine.begin()
    until(lambda: engine.state == "waiting")
    assert engine.seconds == len(engine.timeline) == 7
    now[0] += 1000.0
    engine.watch(10)
    until(lambda: engine.state == "waiting" and len(engine.timeline) == 17)
    assert engine.seconds == 17
    engine.cancel()
    assert engine.join(10)


def test_hurry_runs_to_the_end_without_waiting(toys, data, until):
    engine = Engine(toys.walk, data, {"steps": 3000}, seed=0, lead=10)
    engine.begin()
    until(lambda: engine.state == "waiting")
    engine.hurry()
    assert engine.join(20)
    assert (engine.state, len(engine.timeline)) == ("finished", 3001)


def test_cancel_ends_the_thread_at_the_next_yield_and_closes_the_generator(toys, data, until):
    closed = []

    def ticking(data, params, rng, start=None):
        try:
            step = 0
            while True:
                yield toys.snapshot(step, np.zeros(3))
                step += 1
        finally:
            closed.append(step)

    engine = Engine(toys.make(ticking), data, {}, seed=0)
    engine.begin()
    until(lambda: len(engine.timeline) > 3)
    engine.cancel()
    recorded = len(engine.timeline)
    assert engine.join(5)
    assert (engine.state, engine.stop, engine.reason, engine.error) == ("cancelled", None, "cancelled", None)
    # It was closed once, while it stood at the frame after the last recorded one: not a step further.
    assert closed in ([recorded - 1], [recorded])
    assert len(engine.timeline) == recorded


def test_cancel_returns_at_once_and_nothing_is_recorded_after_it(toys, data, until):
    """The step in progress is long: cancelling must not wait for it, and its frame must not appear."""
    go_on = threading.Event()
    computing = threading.Event()

    def slow(data, params, rng, start=None):
        yield toys.snapshot(0, np.zeros(3))
        computing.set()
        go_on.wait(60)
        yield toys.snapshot(1, np.zeros(3))
        return Stop.COMPLETE

    engine = Engine(toys.make(slow), data, {}, seed=0)
    engine.begin()
    assert computing.wait(60)
    engine.cancel()
    assert engine.state == "cancelled"
    assert not engine.join(0.01)
    go_on.set()
    assert engine.join(10)
    assert (len(engine.timeline), engine.state, engine.stop) == (1, "cancelled", None)


def test_the_end_of_a_cancelled_run_is_no_finish(toys, data):
    go_on, computing = threading.Event(), threading.Event()

    def ending(data, params, rng, start=None):
        yield toys.snapshot(0, np.zeros(3))
        computing.set()
        go_on.wait(60)
        return Stop.CONVERGED

    engine = Engine(toys.make(ending), data, {}, seed=0)
    engine.begin()
    assert computing.wait(60)
    engine.cancel()
    go_on.set()
    assert engine.join(10)
    assert (engine.state, engine.stop) == ("cancelled", None)


def test_cancelled_before_the_beginning(toys, data):
    engine = Engine(toys.walk, data, {}, seed=0)
    engine.cancel()
    engine.begin()
    assert engine.join(1)
    assert (engine.state, len(engine.timeline)) == ("cancelled", 0)


def test_cancelling_after_the_end_changes_nothing(toys, data):
    engine = finished(Engine(toys.walk, data, {}, seed=0))
    engine.cancel()
    assert (engine.state, engine.reason) == ("finished", "complete")


def test_no_frame_of_an_old_engine_reaches_a_new_time_line(toys, data):
    engines = []
    for seed in range(20):
        if engines:
            engines[-1].cancel()
        engines.append(Engine(toys.walk, data, {"steps": 10**6, "size": 2}, seed, nap=0.0))
        engines[-1].begin()
    lengths = [len(engine.timeline) for engine in engines[:-1]]
    engines[-1].cancel()
    assert all(engine.join(10) for engine in engines)
    assert [len(engine.timeline) for engine in engines[:-1]] == lengths
    for seed, engine in enumerate(engines):
        for step, expected in zip(range(min(len(engine.timeline), 3)), toys.walk.start(data, engine.params, seed)):
            np.testing.assert_array_equal(numbers(engine.timeline, step), expected.model.numbers)


def test_a_data_error_is_a_sentence_and_any_other_error_says_what_it_was(toys, data, capfd):
    def refusing(data, params, rng, start=None):
        raise toys.DataError("3 clusters need at least 3 distinct points; there are 2.")
        yield

    def breaking(data, params, rng, start=None):
        yield toys.snapshot(0, np.zeros(3))
        raise ZeroDivisionError("by zero")

    engine = finished(Engine(toys.make(refusing), data, {}, seed=0))
    assert (engine.state, engine.reason) == ("failed", "3 clusters need at least 3 distinct points; there are 2.")
    assert isinstance(engine.error, toys.DataError)
    engine = finished(Engine(toys.make(breaking), data, {}, seed=0))
    assert (engine.state, len(engine.timeline)) == ("failed", 1)
    assert engine.reason == "Breaking failed: ZeroDivisionError: by zero"
    assert engine.error.__traceback__ is not None
    assert capfd.readouterr() == ("", "")


def test_a_run_that_breaks_the_contract_fails(toys, data, capfd):
    def silent(data, params, rng, start=None):
        yield toys.snapshot(0, np.zeros(3))

    def empty(data, params, rng, start=None):
        return Stop.COMPLETE
        yield

    def stubborn(data, params, rng, start=None):
        while True:
            try:
                yield toys.snapshot(0, np.zeros(3))
            except GeneratorExit:
                yield toys.snapshot(1, np.zeros(3))

    assert "without saying why" in finished(Engine(toys.make(silent), data, {}, seed=0)).reason
    assert "without a single frame" in finished(Engine(toys.make(empty), data, {}, seed=0)).reason
    engine = Engine(toys.make(stubborn), data, {}, seed=0)
    engine.begin()
    engine.cancel()
    assert engine.join(10)
    assert engine.state == "cancelled"
    assert capfd.readouterr() == ("", "")


def test_going_on_from_a_model(toys, data):
    start = toys.Model(7, np.zeros(4), None)
    engine = finished(Engine(toys.walk, data, {"steps": 2}, seed=0, start=start))
    assert [engine.timeline.frame(i).snapshot.model.step for i in range(3)] == [7, 8, 9]


def test_a_thinned_frame_is_near_at_once_and_exact_after_a_rebuild(toys, data, until):
    params = toys.Params(steps=600, size=50)
    expected = [frame.model.numbers for frame in toys.walk.start(data, params, 5)]
    engine = Engine(toys.walk, data, params, seed=5, budget=60_000, nap=0.0)
    engine.hurry()
    finished(engine)
    step = next(step for step in range(300, 600) if step not in engine.timeline.kept)
    near = engine.timeline.frame(step)
    assert not near.exact
    np.testing.assert_array_equal(near.snapshot.model.numbers, expected[near.step])
    engine.rebuild(step)
    until(lambda: not engine.rebuilding)
    exact = engine.timeline.frame(step)
    assert (exact.exact, exact.step) == (True, step)
    np.testing.assert_array_equal(exact.snapshot.model.numbers, expected[step])
    for other in (step + 1, step - 3, step - 40, step + 2):
        engine.rebuild(other)
        until(lambda: not engine.rebuilding)
        assert engine.timeline.frame(other).exact
        np.testing.assert_array_equal(numbers(engine.timeline, other), expected[other])
    assert engine.timeline.nbytes <= 60_000
    engine.cancel()
    assert engine.join(10)


def test_stepping_on_after_a_rebuild_does_not_replay_everything(toys, data, until):
    starts = []

    def counted(data, params, rng, start=None):
        starts.append(1)
        yield from ()
        return (yield from toys.walk.run(data, params, rng, start))

    engine = Engine(toys.make(counted), data, {"steps": 500}, seed=0, budget=20_000, nap=0.0)
    engine.hurry()
    finished(engine)
    for step in (401, 402, 403, 405, 407, 411):
        engine.rebuild(step)
        until(lambda: not engine.rebuilding)
        assert engine.timeline.frame(step).exact
    assert len(starts) == 2
    engine.cancel()
    assert engine.join(10)


def test_the_latest_rebuild_counts_and_an_exact_one_costs_nothing(toys, data, until):
    engine = Engine(toys.walk, data, {"steps": 2000, "size": 50}, seed=1, budget=40_000, nap=0.0)
    engine.hurry()
    finished(engine)
    missing = [step for step in range(2000) if step not in engine.timeline.kept]
    for step in missing[::-97]:
        engine.rebuild(step)
    last = missing[::-97][-1]
    until(lambda: not engine.rebuilding)
    assert engine.timeline.frame(last).exact
    engine.rebuild(0)
    engine.rebuild(5000)
    assert not engine.rebuilding
    engine.cancel()
    assert engine.join(10)


def test_cancelling_ends_a_rebuild(toys, data, until):
    repeated, go_on = threading.Event(), threading.Event()

    def slow(data, params, rng, start=None):
        for step in range(2000):
            if repeated.is_set():
                go_on.wait(60)
            yield toys.snapshot(step, np.zeros(50))
        return Stop.COMPLETE

    engine = Engine(toys.make(slow), data, {}, seed=1, budget=20_000, nap=0.0)
    engine.hurry()
    finished(engine)
    repeated.set()
    step = max(step for step in range(2000) if step not in engine.timeline.kept)
    engine.rebuild(step)
    assert engine.rebuilding
    engine.cancel()
    assert not engine.rebuilding
    go_on.set()
    assert engine.join(20)
    assert not engine.timeline.frame(step).exact
    engine.rebuild(step)
    assert not engine.rebuilding


def test_a_run_that_is_not_repeatable_says_so_instead_of_trying_for_ever(toys, data, until):
    lengths = iter([400, 100])

    def fickle(data, params, rng, start=None):
        for step in range(next(lengths)):
            yield toys.snapshot(step, np.zeros(50))
        return Stop.COMPLETE

    engine = Engine(toys.make(fickle), data, {}, seed=1, budget=20_000, nap=0.0)
    engine.hurry()
    finished(engine)
    engine.rebuild(381)
    until(lambda: not engine.rebuilding)
    assert "shorter the second time" in str(engine.rebuild_error)
    assert not engine.timeline.frame(381).exact
    engine.rebuild(381)
    assert not engine.rebuilding
    engine.cancel()
    assert engine.join(10)


def test_run_to_end_gives_the_same_in_this_thread(toys, data):
    heard = []
    engine = run_to_end(toys.walk, data, {"steps": 4}, 9, progress=heard.append)
    threaded = finished(Engine(toys.walk, data, {"steps": 4}, 9))
    assert heard == [1, 2, 3, 4, 5]
    assert (engine.state, engine.reason) == (threaded.state, threaded.reason) == ("finished", "complete")
    np.testing.assert_array_equal(numbers(engine.timeline, 4), numbers(threaded.timeline, 4))


def test_run_to_end_keeps_failures_and_raises_interruptions(toys, data):
    def interrupted(data, params, rng, start=None):
        raise KeyboardInterrupt
        yield

    def broken(data, params, rng, start=None):
        raise toys.DataError("No.")
        yield

    assert run_to_end(toys.make(broken), data, {}, 0).reason == "No."
    with pytest.raises(KeyboardInterrupt):
        run_to_end(toys.make(interrupted), data, {}, 0)


def test_wrong_parameters_are_refused_before_anything_runs(toys, data):
    with pytest.raises(ValueError, match="steps must be a whole number"):
        Engine(toys.walk, data, {"steps": -1}, 0)


def test_k_means_runs_and_no_event_names_its_cost_because_that_never_rises(data):
    engine = run_to_end(find("k_means"), data, {"k": 3}, 0)
    assert (engine.state, engine.stop) == ("finished", Stop.CONVERGED)
    assert (np.diff(engine.timeline.metric("J")) <= 0).all()
    assert not [text for _, text in engine.timeline.events if text.startswith("J")]
