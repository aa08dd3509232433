"""Cycles are collected on the GUI thread, and only there."""

import gc
import os
import subprocess
import sys
import threading
import weakref

import pytest

from algorithms import find
from algorithms.params import schema
from mlviz.app import garbage_collector_of
from mlviz.ui import garbage_collector
from mlviz.ui.garbage_collector import CALM, FEW, PATIENCE, REST, GuiGarbageCollector
from mlviz.views.renderers._looks import sprite_of
from mlviz.views.theme import LIGHT


class Cycle:
    def __init__(self):
        self.me = self


def test_a_worker_that_allocates_collects_nothing(qtbot):
    collector = GuiGarbageCollector(quiet=lambda: True)
    collector.start()
    try:
        ghost = weakref.ref(Cycle())
        kept = []
        worker = threading.Thread(target=lambda: kept.extend([[]] for _ in range(50_000)))
        worker.start()
        worker.join()
        assert ghost() is not None
        qtbot.waitUntil(lambda: ghost() is None)
    finally:
        collector.stop()
    assert gc.isenabled()
    gc.unfreeze()


def test_the_expensive_collection_waits_for_quiet(qtbot, monkeypatch):
    collected = []
    monkeypatch.setattr(gc, "collect", lambda generation=2: collected.append(generation))
    monkeypatch.setattr(gc, "get_count", lambda: (10_000, 100, 100))
    moving = [True]
    collector = GuiGarbageCollector(quiet=lambda: not moving[0])
    collector.collect()
    assert collected == [1]
    for moving[0], rounds in ((False, CALM - 1), (True, 1), (False, CALM - 1)):  # a pause between two turns of a knob
        for _ in range(rounds):
            collector.collect()
    assert set(collected) == {1}
    collector.collect()
    assert collected[-1] == 2


def test_without_quiet_what_is_there_is_set_aside_and_looked_at_later(qtbot, monkeypatch):
    done = []
    monkeypatch.setattr(gc, "collect", lambda generation=2: done.append(generation))
    monkeypatch.setattr(gc, "freeze", lambda: done.append("aside"))
    monkeypatch.setattr(gc, "unfreeze", lambda: done.append("back"))
    monkeypatch.setattr(gc, "get_count", lambda: (10_000, 100, 100))
    quiet = [False]
    collector = GuiGarbageCollector(quiet=lambda: quiet[0])
    for _ in range(PATIENCE + 1):
        collector.collect()
    assert done == [1] * PATIENCE + ["aside"]
    quiet[0] = True
    for _ in range(CALM):
        collector.collect()
    assert done[-3:] == ["back", 2, "aside"]
    collector.collect()
    assert done[-1] == 2  # nothing was set aside since


def test_what_was_in_use_when_it_was_set_aside_goes_in_a_later_rest(qapp, monkeypatch):
    collector = GuiGarbageCollector(quiet=lambda: True)
    gc.collect()
    gc.disable()
    try:
        in_use = [Cycle()]
        ghost = weakref.ref(in_use[0])
        collector._set_aside = collector._ever_set_aside = True  # after a minute without quiet
        collector._collect_all()
        in_use.clear()
        collector._collect_all()  # the short one does not look there
        assert ghost() is not None
        monkeypatch.setattr(gc, "get_count", lambda: (0, 0, 0))
        for _ in range(REST + 1):
            collector.collect()
        assert ghost() is None
    finally:
        gc.enable()
        gc.unfreeze()


def test_a_long_recording_that_rests_is_not_searched(make_window, qtbot, monkeypatch):
    window = make_window()
    collector = garbage_collector_of(window)
    try:
        monkeypatch.setattr(gc, "get_count", lambda: (10_000, 100, 100))
        done = []
        monkeypatch.setattr(gc, "collect", lambda generation=2: done.append(generation))
        qtbot.waitUntil(lambda: 2 in done)
        done.clear()
        monkeypatch.setattr(type(window.player), "steps", property(lambda _: FEW))
        qtbot.waitUntil(lambda: len(done) > 3)
        assert 2 not in done
    finally:
        collector.stop()
        gc.unfreeze()


def test_memory_is_given_back_with_every_full_collection(qapp, monkeypatch):
    asked = []
    monkeypatch.setattr(garbage_collector, "give_back_memory", lambda: asked.append(1))
    garbage_collector.GuiGarbageCollector(lambda: True)._collect_all()
    assert asked == [1]


def test_the_allocator_is_asked_where_it_can_be():
    assert garbage_collector.give_back_memory() == (sys.platform == "linux")
    assert garbage_collector.keep_memory_together() == (sys.platform == "linux")


def test_memory_is_given_back_once_in_a_rest_with_what_has_grown_old(qapp, monkeypatch):
    given, counts = [], [(0, 0, 0)]
    monkeypatch.setattr(gc, "collect", lambda generation=2: given.append(generation))
    monkeypatch.setattr(garbage_collector, "give_back_memory", lambda: given.append("memory"))
    monkeypatch.setattr(garbage_collector.gc, "get_count", lambda: counts[0])
    collector = garbage_collector.GuiGarbageCollector(lambda: True)
    for _ in range(3 * garbage_collector.REST):
        collector.collect()
    assert given == [2, "memory"]
    counts[0] = (10**6, 0, 0)
    collector.collect()
    assert given.pop() == 0
    counts[0] = (0, 0, 0)
    for _ in range(garbage_collector.REST):
        collector.collect()
    assert set(given[2:]) == {0}
    del given[2:]
    for _ in range(3):
        collector.collect()
    assert given == [2, "memory"] * 2


def test_what_is_dropped_in_a_rest_is_collected_in_it(qapp, monkeypatch):
    """What had been set aside before was kept until the next rest: canvases of 25 MB."""
    dropped = [Cycle()]
    ghost = weakref.ref(dropped[0])
    collector = GuiGarbageCollector(lambda: True, drop_unused=dropped.clear)
    gc.disable()
    try:
        collector._set_aside = collector._ever_set_aside = True
        collector._collect_all()
        monkeypatch.setattr(gc, "get_count", lambda: (0, 0, 0))
        for _ in range(REST + 2):
            assert ghost() is not None or not dropped
            collector.collect()
        assert ghost() is None
    finally:
        gc.enable()
        gc.unfreeze()


@pytest.mark.parametrize("quiet", [True, False])
def test_a_rest_begins_when_work_ends_whatever_is_still_to_be_collected(qapp, monkeypatch, quiet):
    """It used to wait for the next full collection, for up to four seconds, and a soak measured before it."""
    monkeypatch.setattr(garbage_collector.gc, "get_count", lambda: (young, 0, 0))
    monkeypatch.setattr(garbage_collector.gc, "collect", lambda generation=2: 0)
    dropped = []
    collector = GuiGarbageCollector(lambda: quiet, drop_unused=lambda: dropped.append(1))
    young = 10**6
    for _ in range(3):
        collector.collect()
    young = 0
    for _ in range(REST):
        assert not dropped
        collector.collect()
    assert dropped == [1] * quiet


def test_bounded_caches_are_forgotten_and_what_never_changes_is_not(qapp):
    sprite_of(LIGHT, 0, 1.0)
    params = schema(find("k_means").params)
    assert sprite_of.cache_info().currsize
    garbage_collector.forget_remembered()
    assert sprite_of.cache_info().currsize == 0
    assert schema(find("k_means").params) is params


def test_a_rest_of_the_window_forgets_them(make_window, monkeypatch):
    collector = garbage_collector_of(make_window())
    collector.stop()
    sprite_of(LIGHT, 0, 1.0)
    collector._drop_unused()
    assert sprite_of.cache_info().currsize == 0
    gc.unfreeze()


START = """
import ctypes
from PySide6.QtCore import QCoreApplication
from mlviz import app

application = app.application()
window = app.make_window()
collector = app.garbage_collector_of(window)
window.show()
while not window.player.steps:
    QCoreApplication.processEvents()
ctypes.CDLL(None).malloc_stats()
"""


def test_all_threads_of_the_program_have_one_pool(tmp_path):
    environment = {**os.environ, "MLVIZ_HOME": str(tmp_path), "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run([sys.executable, "-c", START], env=environment, capture_output=True, text=True, check=False)
    assert done.stderr.count("Arena ") == (sys.platform == "linux")
