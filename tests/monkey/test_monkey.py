"""The monkey notices what goes wrong and finds the actions that bring it about."""

import sys
import threading
import warnings

import pytest

from tests.monkey import monkey


def test_exceptions_in_slots_and_threads_and_warnings_are_problems():
    found = []
    with monkey.collected(found):
        sys.excepthook(ValueError, ValueError("slot"), None)
        thread = threading.Thread(target=lambda: 1 / 0)
        thread.start()
        thread.join()
        warnings.warn("odd", RuntimeWarning, stacklevel=1)
    assert [text.strip().splitlines()[-1].partition(" (")[0] for text in found] == [
        "ValueError: slot",
        "ZeroDivisionError: division by zero",
        "warning: RuntimeWarning: odd",
    ]


@pytest.mark.parametrize(("needed", "length"), [(1, 1), (3, 4), (7, 8)])
def test_the_tail_is_as_short_as_a_power_of_two(monkeypatch, needed, length):
    actions = [["rest", number] for number in range(30)]
    monkeypatch.setattr(monkey, "played", lambda tail: ["ValueError: x"] if len(tail) >= needed else [])
    assert monkey.shortest_tail(actions, "Traceback\nValueError: x\n") == actions[-length:]


def test_a_tail_that_raises_something_else_is_not_it(monkeypatch):
    actions = [["rest", number] for number in range(5)]
    monkeypatch.setattr(monkey, "played", lambda tail: ["KeyError: y"])
    assert monkey.shortest_tail(actions, "ValueError: x") == actions
