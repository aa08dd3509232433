"""A piece of work in a thread: its result, its error, and its end when nobody wants it."""

import threading

from algorithms.interrupt import checkpoint
from mlviz.worker.task import Task


def waited(task):
    assert task._thread.join(5) is None
    return task.poll()


def test_the_result_is_there_when_the_work_is_done():
    assert waited(Task(lambda reading: 6 * 7)).value == 42


def test_an_error_is_reported_not_raised():
    def work(reading):
        raise ValueError("no")

    outcome = waited(Task(work))
    assert outcome.value is None
    assert isinstance(outcome.error, ValueError)


def test_cancelled_work_ends_at_its_next_step_and_says_nothing():
    begun = threading.Event()
    steps = []

    def work(reading):
        while True:
            reading.step(0.5, "half")
            steps.append(1)
            begun.set()

    task = Task(work)
    assert begun.wait(60)
    assert (task.reading.fraction, task.reading.stage) == (0.5, "half")
    assert task.close()
    assert task.poll() is None


def test_cancelled_work_of_a_method_ends_at_its_next_checkpoint():
    begun, unwound = threading.Event(), threading.Event()

    def work(reading):
        try:
            while True:
                begun.set()
                checkpoint()
        finally:
            unwound.set()

    task = Task(work)
    assert begun.wait(60)
    assert task.close()
    assert (task.poll(), unwound.is_set()) == (None, True)


def test_cancelling_interrupts_a_query():
    interrupted = threading.Event()
    inside = threading.Event()

    def work(reading):
        with reading.query(interrupted.set, lambda: 0.25):
            inside.set()
            interrupted.wait(60)
        return "finished"

    task = Task(work)
    assert inside.wait(60)
    assert task.reading.fraction == 0.25
    assert task.close()
    assert interrupted.is_set()
    assert task.poll() is None
