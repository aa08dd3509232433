"""Only the latest question counts, and nothing is left behind."""

import threading
import weakref

import pytest

from algorithms.interrupt import checkpoint
from mlviz.worker import latest_only
from mlviz.worker.latest_only import Abandoned, LatestOnlyWorker


@pytest.fixture
def make():
    made = []

    def build(work):
        made.append(LatestOnlyWorker(work, "mlviz-test-latest"))
        return made[-1]

    yield build
    assert all(latest.close(5) for latest in made)


def test_answers_once(make, until):
    latest = make(lambda question, _: question * 2)
    latest.ask(21)
    found = []
    until(lambda: found.append(latest.poll()) or found[-1] is not None)
    assert found[-1] == 42
    assert latest.poll() is None


def test_a_newer_question_makes_the_older_work_outdated(make, until):
    begun, served = threading.Event(), []

    def work(question, outdated):
        begun.set()
        if question == "old":
            until(outdated)
            raise Abandoned
        served.append(question)
        return question

    latest = make(work)
    latest.ask("old")
    assert begun.wait(60)
    latest.ask("new")
    found = []
    until(lambda: found.append(latest.poll()) or found[-1] is not None)
    assert (found[-1], served) == ("new", ["new"])


def test_dropped_and_closed_questions_are_never_answered(make, until):
    gate = threading.Event()
    latest = make(lambda question, _: gate.wait(60) and question)
    latest.ask("unwanted")
    latest.drop()
    gate.set()
    assert latest.close(5)
    assert latest.poll() is None
    latest.ask("too late")
    assert latest.poll() is None


def test_no_thread_without_a_question(make):
    before = threading.active_count()
    make(lambda question, _: question)
    assert threading.active_count() == before


def test_a_thread_at_rest_ends_and_the_next_question_starts_another(make, until, monkeypatch):
    monkeypatch.setattr(latest_only, "REST", 0.01)
    latest = make(lambda question, _: question)
    for question in ("one", "two"):
        latest.ask(question)
        until(lambda: latest.poll() is not None)
        until(lambda: not any(thread.name == "mlviz-test-latest" for thread in threading.enumerate()))


def test_a_newer_question_ends_the_older_work_at_its_next_checkpoint(make, until):
    begun = threading.Event()

    def work(question, _):
        while question == "endless":
            begun.set()
            checkpoint()
        return question

    latest = make(work)
    latest.ask("endless")
    assert begun.wait(60)
    latest.ask("short")
    found = []
    until(lambda: found.append(latest.poll()) or found[-1] is not None)
    assert found[-1] == "short"
    latest.ask("endless")  # and closing ends it, too


class Question:
    """Something that can be watched."""


def test_a_worker_that_waits_holds_nothing(make, until):
    latest, question = make(lambda question, _: "answer"), Question()
    known = weakref.ref(question)
    latest.ask(question)
    del question
    until(lambda: latest.poll() is not None)
    latest.drop()
    until(lambda: known() is None, "the thread lets go of its last question")
