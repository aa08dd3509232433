"""A run is called off in the middle of a long step, by whoever drives it and by nobody else."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from algorithms import find
from algorithms.contract import Stop
from algorithms.interrupt import Interrupted, checkpoint, interruptible
from mlviz.data.generators import generate
from mlviz.worker.engine import Engine


def test_without_a_driver_a_checkpoint_does_nothing():
    assert checkpoint() is None  # and does not raise


def test_only_the_thread_that_drives_is_asked():
    seen = []

    def elsewhere():
        checkpoint()
        seen.append("went on")

    with interruptible(lambda: True):
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
        with interruptible(lambda: False):
            checkpoint()
        with pytest.raises(Interrupted):
            checkpoint()
    checkpoint()
    assert seen == ["went on"]


def test_cancelling_ends_a_step_that_would_never_end(toys, data):
    computing, unwound = threading.Event(), []

    def endless(data, params, rng, start=None):
        yield toys.snapshot(0, np.zeros(3))
        try:
            while True:
                checkpoint()
                computing.set()
        finally:
            unwound.append(True)
        return Stop.COMPLETE

    engine = Engine(toys.make(endless), data, {}, seed=0)
    engine.begin()
    assert computing.wait(60)
    engine.cancel()
    assert engine.join(10)
    assert (engine.state, engine.error, engine.stop, unwound) == ("cancelled", None, None, [True])


def test_cancelling_ends_a_step_of_a_rebuild(toys, data):
    replaying, again = threading.Event(), threading.Event()

    def long_the_second_time(data, params, rng, start=None):
        for step in range(2000):
            while again.is_set() and step == 100:
                checkpoint()
                replaying.set()
            yield toys.snapshot(step, np.zeros(50))
        return Stop.COMPLETE

    engine = Engine(toys.make(long_the_second_time), data, {}, seed=1, budget=20_000, nap=0.0)
    engine.hurry()
    engine.begin()
    assert engine.join(20)
    again.set()
    engine.rebuild(max(step for step in range(2000) if step not in engine.timeline.kept))
    assert replaying.wait(60)
    engine.cancel()
    assert engine.join(10)
    assert engine.rebuild_error is None


@pytest.mark.parametrize(
    ("key", "spec", "params"),
    [
        ("isomap", ("swiss_roll", {"n": 400}), {}),
        ("isomap", ("swiss_roll", {"n": 400}), {"paths": "Floyd-Warshall", "graph": "epsilon ball"}),
        ("lle", ("swiss_roll", {"n": 400}), {}),
        ("laplacian_eigenmaps", ("swiss_roll", {"n": 400}), {}),
        ("diffusion_map", ("swiss_roll", {"n": 400}), {"time": 20}),
        ("mlp", ("circles", {"n": 400}), {"epochs": 2}),
        ("t_sne", ("swiss_roll", {"n": 200}), {"iterations": 10}),
        ("umap", ("swiss_roll", {"n": 200}), {"epochs": 5}),
    ],
)
def test_every_long_step_has_checkpoints(key, spec, params):
    """Counted between frames, not timed: the phases that work long all ask on the way, many times."""
    asked, phases = 0, {}

    def count():
        nonlocal asked
        asked += 1
        return False

    algorithm = find(key)
    name, values = spec
    with interruptible(count):
        for snapshot in algorithm.start(generate(name, seed=1, **values), algorithm.make_params(params), 0):
            phases[snapshot.phase] = phases.get(snapshot.phase, 0) + asked
            asked = 0
    long_phases = {
        "isomap": ("start", "geodesics", "centre", "eigen"),
        "lle": ("start", "eigen"),
        "laplacian_eigenmaps": ("start", "eigen"),
        "diffusion_map": ("affinity", "eigen", "spread"),
        "mlp": ("batch", "epoch"),
        "t_sne": ("start", "similar", "exaggerate", "descend"),
        "umap": ("start", "join", "begin", "epoch"),
    }[key]
    if "paths" in params:
        long_phases = ("start", "geodesics", "centre", "eigen")
    assert min(phases[phase] for phase in long_phases) >= 2, phases
