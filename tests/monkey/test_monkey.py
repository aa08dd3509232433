"""A short monkey with a fixed seed, and that a monkey notices what goes wrong and finds the actions that do it."""

import json
import sys
import threading
import warnings

import pytest

from mlviz.ui import problems
from tests.monkey import play, shrink, watch
from tests.monkey.answers import files_in
from tests.monkey.hands import Hands
from tests.monkey.monkey import Monkey

ACTIONS = 120


@pytest.fixture
def hands(qapp, tmp_path, monkeypatch):
    monkeypatch.setenv("MLVIZ_HOME", str(tmp_path / "home"))
    folder = tmp_path / "files"
    folder.mkdir()
    made = Hands(folder)
    with files_in(folder, lambda: made.janitor.rng):
        yield made
        made.close()


def test_a_short_monkey_finds_nothing(hands):
    monkey = Monkey(17, hands)
    history = []
    for _ in range(ACTIONS):
        history.append(monkey.choose())
        hands.do(history[-1])
        assert not hands.problems, f"{hands.problems[0]}\n{json.dumps(history)}"


def test_what_blocks_is_answered(hands):
    for name in ("print", "open", "save_as", "export"):
        hands.do(["trigger", name])
    assert not hands.problems


def test_a_fault_of_the_window_is_a_problem(hands, monkeypatch):
    monkeypatch.setattr(hands.window.player, "seek", lambda step: 1 / 0)
    hands.do(["seek", 0.5])
    assert "ZeroDivisionError" in hands.problems.pop()


def test_exceptions_in_slots_and_threads_reports_and_warnings_are_problems():
    found = []
    with watch.collected(found):
        sys.excepthook(ValueError, ValueError("slot"), None)
        thread = threading.Thread(target=lambda: 1 / 0)
        thread.start()
        thread.join()
        problems.report(LookupError("caught"))
        warnings.warn("odd", RuntimeWarning, stacklevel=1)
    assert [text.strip().splitlines()[-1].partition(" (")[0] for text in found] == [
        "ValueError: slot",
        "ZeroDivisionError: division by zero",
        "LookupError: caught",
        "warning: RuntimeWarning: odd",
    ]


def pulse_of(worked, passed, delayed):
    """A pulse whose clocks show these times, one after the other, and beats as often."""
    pulse = watch.Pulse(*(iter([0.0, *times]).__next__ for times in (worked, passed, delayed)))
    pulse.begin()
    for _ in worked[1:]:
        pulse.beat()
    return pulse


def test_a_stall_is_the_longest_work_between_two_turns_of_the_loop():
    pulse = pulse_of(worked=[0.1, 0.2, 1.0, 1.1, 1.3], passed=[0.1, 0.2, 1.0, 1.1, 1.3], delayed=[0.0] * 5)
    assert (round(pulse.longest, 3), round(pulse.waited, 3)) == (0.8, 0.0)


def test_who_waits_stalls_unless_the_machine_is_busy():
    pulse = pulse_of(worked=[0.0, 0.1, 0.2], passed=[0.0, 2.0, 3.0], delayed=[0.0, 1.5, 2.3])
    assert (round(pulse.longest, 3), round(pulse.waited, 3)) == (0.5, 0.4)


def test_a_window_that_works_stalls():
    pulse = watch.Pulse()
    sum(range(10**6))
    pulse.beat()
    assert pulse.longest > 0.0


def test_a_window_that_waits_for_a_thread_stalls():
    pulse, go = watch.Pulse(delayed=lambda: 0.0), threading.Event()
    thread = threading.Thread(target=go.wait, args=(0.05,))
    thread.start()
    thread.join()
    pulse.beat()
    assert pulse.waited > 0.02


def test_the_time_that_threads_wait_for_a_processor_never_falls(tmp_path):
    for name, text in (("1", "5 2000000000 7"), ("2", "5 500000000 7")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "schedstat").write_text(text)
    delays = watch.Delays(tmp_path)
    assert delays.seconds() == 2.5
    (tmp_path / "2" / "schedstat").unlink()  # that thread has ended
    (tmp_path / "1" / "schedstat").write_text("5 3000000000 9")
    assert delays.seconds() == 3.5
    assert watch.Delays(tmp_path / "elsewhere").seconds() == 0.0


def test_what_is_not_given_back_is_a_leak():
    first = {"threads": 4, "files": 20, "widgets": 500, "memory": 300}
    assert watch.leaks(first, first) == []
    assert watch.leaks(first, first | {"threads": 7}) == ["leak: 4 threads have become 7"]


@pytest.mark.parametrize("needed", [{29}, {25, 29}, {3, 17, 29}])
def test_only_the_actions_that_are_needed_are_left(needed):
    assert shrink.shortest(list(range(30)), needed.issubset) == sorted(needed)


def test_what_does_not_happen_again_keeps_all_actions():
    assert shrink.shortest(list(range(5)), lambda some: False) == list(range(5))


def test_a_problem_is_known_again_in_another_process():
    assert play.last_words("Traceback\nValueError: x") == "ValueError: x"
    assert play.last_words("Qt: called for QWidgetWindow(0x5579c3cff850) here") == "Qt: called for QWidgetWindow("


def test_the_journal_says_what_went_wrong(tmp_path, capsys, monkeypatch):
    whole, cut = tmp_path / "whole.jsonl", tmp_path / "cut.jsonl"
    lines = [{"action": ["rest", 0]}, {"action": ["seek", 0.5]}, {"problem": "Traceback\nValueError: x"}, {"end": {}}]
    whole.write_text("\n".join(map(json.dumps, lines)))
    cut.write_text(json.dumps({"action": ["rest", 20]}))
    journals = [play.Journal.read(whole, 1), play.Journal.read(cut, -11)]
    tried = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(play, "shrunk", lambda actions, problem, folder: tried.append(actions) or actions[-1:])
    assert play.report(3, journals, tmp_path) == 2  # there is no end in the second one
    assert tried == [[["rest", 0], ["seek", 0.5]], [["rest", 20]]]
    said = capsys.readouterr().out
    assert "3 actions, 2 problems" in said
    assert "crash: the process ended with -11" in said
    assert json.loads((tmp_path / "out/monkey-3-0.json").read_text())["wanted"] == "ValueError: x"
