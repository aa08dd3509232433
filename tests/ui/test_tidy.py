"""Cycles are collected on the GUI thread, and only there."""

import gc
import threading
import weakref

from mlviz.ui.tidy import Tidy


class Cycle:
    def __init__(self):
        self.me = self


def test_a_worker_that_allocates_collects_nothing(qtbot):
    tidy = Tidy(quiet=lambda: True)
    tidy.start()
    try:
        ghost = weakref.ref(Cycle())
        kept = []
        worker = threading.Thread(target=lambda: kept.extend([[]] for _ in range(50_000)))
        worker.start()
        worker.join()
        assert ghost() is not None
        qtbot.waitUntil(lambda: ghost() is None)
    finally:
        tidy.stop()
    assert gc.isenabled()
    gc.unfreeze()


def test_the_expensive_collection_waits_for_quiet(qtbot, monkeypatch):
    collected = []
    monkeypatch.setattr(gc, "collect", lambda generation=2: collected.append(generation))
    monkeypatch.setattr(gc, "get_count", lambda: (10_000, 100, 100))
    moving = [True]
    tidy = Tidy(quiet=lambda: not moving[0])
    tidy.collect()
    assert collected == [1]
    moving[0] = False
    tidy.collect()
    assert collected == [1, 2]
