"""Where the window's fits are done: on the cluster of the settings, and here when there is none or it goes away."""

import threading

import pytest

from algorithms.executor import Inline, WorkersLost
from algorithms.interrupt import Interrupted, interruptible
from algorithms.maths.words import SentenceError
from mlviz.worker.workplace import Workplace
from tests.worker import work


class Distant(Inline):
    """A cluster that gives some results and is gone then."""

    def __init__(self, gives=10**9):
        super().__init__()
        self.workers, self.gives, self.closed = 7, gives, threading.Event()

    def map(self, function, items, shared=None):
        for number, found in enumerate(super().map(function, items, shared)):
            if number >= self.gives:
                raise WorkersLost("The cluster at 'x' is gone; what it had finished is kept.")
            yield found

    def close(self):
        self.closed.set()


def no_cluster(address):
    raise SentenceError(f"There is no Dask scheduler at {address!r}; an address looks like tcp://10.0.0.5:8786.")


def test_without_an_address_this_machine_works():
    here = Inline()
    place = Workplace(no_cluster, lambda: here)
    place.use("  ")
    assert place.executor() is here
    assert place.news() == ""


def test_a_wrong_address_is_one_sentence_and_this_machine_works():
    here = Inline()
    place = Workplace(no_cluster, lambda: here)
    place.use("nowhere")
    assert place.executor() is here
    assert place.executor() is here
    assert place.news().startswith("There is no Dask scheduler at 'nowhere';")
    assert place.news() == ""  # not at every run
    place.use("nowhere")
    place.executor()
    assert place.news() != ""  # but again when it is asked for again


def test_whatever_an_odd_address_raises_is_a_sentence():
    def breaks(address):
        raise RuntimeError("no such protocol")

    place = Workplace(breaks, Inline)
    place.use("ftp://x")
    place.executor()
    assert place.news() == "The cluster at 'ftp://x' cannot be used: no such protocol. This machine does the work."


def test_a_cluster_that_goes_away_leaves_the_rest_to_this_machine():
    cluster = Distant(gives=3)
    place = Workplace(lambda address: cluster, Inline)
    place.use("x")
    executor = place.executor()
    assert executor.workers == 7
    assert list(executor.map(work.times, range(6), 2)) == [0, 2, 4, 6, 8, 10]
    assert place.news() == "The cluster at 'x' is gone; what it had finished is kept. This machine does the rest."
    assert cluster.closed.wait(60)
    assert list(place.executor().map(work.times, range(2), 2)) == [0, 2]
    assert place.news() == ""


def test_whoever_is_called_off_does_not_wait_for_an_answer():
    answered = threading.Event()

    def slow(address):
        answered.wait(60)
        return Distant()

    place = Workplace(slow, Inline)
    place.use("x")
    with pytest.raises(Interrupted), interruptible(lambda: True):
        place.executor()
    attempt = place.look_for()
    answered.set()
    assert attempt.over.wait(60)
    cluster = attempt.executor
    place.close()
    assert cluster.closed.wait(60)


def test_a_cluster_that_answers_too_late_is_left_again():
    answered, cluster = threading.Event(), Distant()

    def slow(address):
        answered.wait(60)
        return cluster

    place = Workplace(slow, Inline)
    place.use("x")
    place.look_for()
    place.use("")
    answered.set()
    assert cluster.closed.wait(60)
