"""The window goes first, and nobody starves."""

from __future__ import annotations

import os
import threading
import time

from mlviz.worker.gui_priority import LONGEST, NICENESS, GuiPriority, lower_priority


def waited(courtesy: GuiPriority) -> float:
    began = time.perf_counter()
    courtesy.yield_to_gui()
    return time.perf_counter() - began


def test_nobody_waits_for_a_window_that_does_nothing():
    courtesy = GuiPriority()
    courtesy.claim()
    courtesy.release()
    thread = threading.Thread(target=courtesy.yield_to_gui)
    thread.start()
    thread.join(5.0)
    assert not thread.is_alive()
    assert courtesy.burst >= 0.0


def test_a_thread_waits_until_the_window_has_finished():
    courtesy = GuiPriority()
    order = []
    courtesy.claim()

    def compute() -> None:
        courtesy.yield_to_gui()
        order.append("computed")

    thread = threading.Thread(target=compute)
    thread.start()
    order.append("drawn")
    courtesy.release()
    thread.join(5.0)
    assert order == ["drawn", "computed"]


def test_a_window_that_never_rests_is_waited_for_once_and_then_the_thread_has_its_turn():
    courtesy = GuiPriority()
    courtesy.claim()
    assert waited(courtesy) >= 0.9 * LONGEST
    courtesy._turn.until = time.perf_counter() + 60.0  # as right after a wait in vain, however slow the machine is
    assert waited(courtesy) < LONGEST


def test_a_second_claim_does_not_begin_the_time_anew():
    courtesy = GuiPriority()
    courtesy.claim()
    first = courtesy._claimed
    courtesy.claim()
    assert courtesy._claimed == first


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
