"""Who does the work: the same results in the same order, whoever it is, and nothing goes on that nobody wants."""

import contextlib
import gc
import threading

import pytest

from algorithms.executor import Inline, WorkersLost, current_executor, use_by_default
from algorithms.interrupt import Interrupted, interruptible
from mlviz.worker.processes import Processes
from tests.worker import work


@pytest.fixture(scope="module")
def processes():
    """Two, for all tests: starting them costs a second."""
    executor = Processes(2)
    yield executor
    executor.close()


@pytest.fixture(params=["inline", "processes"])
def executor(request):
    return Inline() if request.param == "inline" else request.getfixturevalue("processes")


def test_results_come_in_the_order_of_the_items(executor):
    done, submitted = executor.progress
    assert list(executor.map(work.times, range(40), 3)) == [3 * item for item in range(40)]
    assert executor.progress == (done + 40, submitted + 40)
    assert executor.wait_for(executor.submit(work.times, 2, 4)) == 8


def test_what_the_work_raises_is_raised_here(executor):
    with pytest.raises(ValueError, match="no 7"):
        list(executor.map(work.fails, [7]))


def test_work_is_done_elsewhere(processes):
    import os

    pids = set(processes.map(work.process, range(20)))
    assert os.getpid() not in pids
    assert 1 <= len(pids) <= 2


def test_inline_does_nothing_that_nobody_waits_for():
    executor = Inline()
    results = executor.map(work.fails, range(3))
    results.close()
    assert executor.done == 0


def test_what_was_lost_with_a_process_is_done_again(processes, tmp_path):
    assert list(processes.map(work.dies_once, range(8), str(tmp_path))) == list(range(8))
    assert (tmp_path / "died").exists()


def test_work_that_always_kills_its_process_becomes_a_sentence(processes):
    with pytest.raises(WorkersLost, match=r"^A process ended 3 times .+\.$"):
        list(processes.map(work.always_dies, [1]))
    assert list(processes.map(work.times, [2], 2)) == [4]  # and the next one finds new processes


def test_whoever_waits_can_be_called_off_and_the_work_ends(processes, tmp_path):
    called_off = threading.Event()
    waiting = processes.map(work.goes_on, range(6), str(tmp_path))

    def called_off_once_begun():
        if (tmp_path / "began-0").exists():
            called_off.set()
        return called_off.is_set()

    with pytest.raises(Interrupted), interruptible(called_off_once_begun):
        next(waiting)
    assert list(processes.map(work.times, [5], 2)) == [10]  # free again: nothing blocks a process
    while named(tmp_path, "began") != named(tmp_path, "ended"):  # the other one may still be on its way out
        list(processes.map(work.times, [5], 2))
    assert len(named(tmp_path, "began")) < 6


def named(folder, word):
    return {path.name.partition("-")[2] for path in folder.glob(f"{word}-*")}


def test_cancelling_ends_everything(processes, tmp_path):
    future = processes.submit(work.goes_on, str(tmp_path), "alone")
    while not (tmp_path / "began-alone").exists():
        with contextlib.suppress(TimeoutError):
            future.result(0.01)  # raises where it cannot begin, and begins it again where its process has died
    processes.cancel()
    with pytest.raises(Interrupted):
        processes.wait_for(future)
    assert processes.wait_for(processes.submit(work.times, 3, 3)) == 9


def test_closing_leaves_no_process_and_no_file():
    executor = Processes(1)
    assert list(executor.map(work.times, [1], 1)) == [1]
    folder = executor._folder
    executor.close()
    assert not folder.exists()
    gc.collect()


def test_the_executor_is_the_one_that_was_offered():
    mine = Inline()
    assert current_executor() is not mine
    use_by_default(lambda: mine)
    try:
        assert current_executor() is mine
    finally:
        use_by_default(Inline)
