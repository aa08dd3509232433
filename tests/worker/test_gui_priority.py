"""The window goes first, and nobody starves."""

from __future__ import annotations

import os
import threading

from mlviz.worker import gui_priority
from mlviz.worker.gui_priority import BREATH, LONGEST, NICENESS, Breather, GuiPriority, lower_priority


def test_nobody_waits_for_a_window_that_does_nothing():
    priority = GuiPriority()
    priority.claim()
    priority.release()
    thread = threading.Thread(target=priority.yield_to_gui)
    thread.start()
    thread.join(5.0)
    assert not thread.is_alive()
    assert priority.burst >= 0.0


def test_a_thread_waits_until_the_window_has_finished():
    priority = GuiPriority()
    order = []
    priority.claim()

    def compute() -> None:
        priority.yield_to_gui()
        order.append("computed")

    thread = threading.Thread(target=compute)
    thread.start()
    order.append("drawn")
    priority.release()
    thread.join(5.0)
    assert order == ["drawn", "computed"]


def test_a_window_that_never_rests_is_waited_for_once_and_then_the_thread_has_its_turn():
    now, waits = [0.0], []
    priority = GuiPriority(clock=lambda: now[0])
    priority._idle.wait = lambda seconds: waits.append(seconds)  # in vain
    priority.claim()
    priority.yield_to_gui()
    assert waits == [LONGEST]
    now[0] += 0.9 * LONGEST
    priority.yield_to_gui()
    assert waits == [LONGEST]  # it may work as long as it has waited
    now[0] += 0.2 * LONGEST
    priority.yield_to_gui()
    assert waits == [LONGEST, LONGEST]


def test_how_long_the_window_has_worked_is_known():
    now = [3.0]
    priority = GuiPriority(clock=lambda: now[0])
    priority.claim()
    now[0] += 0.25
    priority.release()
    assert priority.burst == 0.25


def test_a_thread_naps_when_it_has_worked_for_a_while_or_at_once_where_nobody_waits_for_it(monkeypatch):
    now, naps = [0.0], []
    monkeypatch.setattr(gui_priority.time, "sleep", naps.append)
    breather, restless = (Breather(nap, clock=lambda: now[0]) for nap in (0.001, 0.0))
    for _ in range(4):
        now[0] += 0.6 * BREATH
        breather.breathe()
        restless.breathe()
    assert naps == [0.001, 0.001]
    breather.breathe(now=True)
    restless.breathe(now=True)
    assert len(naps) == 3


def test_a_second_claim_does_not_begin_the_time_anew():
    priority = GuiPriority()
    priority.claim()
    first = priority._claimed
    priority.claim()
    assert priority._claimed == first


def test_a_thread_that_computes_is_less_important_than_the_window():
    before, found = os.getpriority(os.PRIO_PROCESS, 0), []

    def compute():
        lower_priority()
        found.append(os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))

    thread = threading.Thread(target=compute)
    thread.start()
    thread.join()
    lower_priority()  # not the main thread, whoever asks
    assert found == [max(before, NICENESS)]
    assert os.getpriority(os.PRIO_PROCESS, 0) == before
