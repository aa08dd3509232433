"""A real Dask cluster of two processes: the same results, one of them killed in the middle, all of them gone."""

import logging
import threading

import pytest

from algorithms.executor import Inline, WorkersLost
from algorithms.interrupt import Interrupted, interruptible
from mlviz.worker.cluster import Cluster, NoCluster
from mlviz.worker.workplace import Workplace
from tests.worker import work

pytestmark = pytest.mark.filterwarnings("ignore::Warning")  # Dask's own


@pytest.fixture(scope="module")
def dask():
    """Two processes for all tests, the second one to be killed and the whole to be closed."""
    from distributed import LocalCluster

    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    yield cluster
    cluster.close(timeout=10)


@pytest.fixture
def executor(dask):
    executor = Cluster(dask.scheduler_address)
    yield executor
    executor.close()


def test_results_come_in_order_and_errors_are_raised_here(executor):
    assert executor.workers == 2
    assert list(executor.map(work.times, range(20), 3)) == [3 * item for item in range(20)]
    assert executor.progress == (20, 20)
    with pytest.raises(ValueError, match="no 7"):
        list(executor.map(work.fails, [7]))


def test_a_result_that_is_longer_on_its_way_than_between_two_looks_arrives(executor, monkeypatch):
    monkeypatch.setattr("algorithms.executor.PATIENCE", 1e-6)
    assert list(executor.map(work.times, range(3), b"x" * 1_000_000)) == [b"x" * 1_000_000 * item for item in range(3)]


def test_what_was_lost_with_a_worker_is_done_again(executor, tmp_path):
    assert list(executor.map(work.dies_once, range(8), str(tmp_path))) == list(range(8))
    assert (tmp_path / "died").exists()


def test_what_they_share_is_not_lost_with_the_last_worker_that_had_it(executor, tmp_path):
    assert list(executor.map(work.both_die, range(8), str(tmp_path))) == list(range(8))
    assert (tmp_path / "second").exists()


def test_work_can_be_called_off(executor, tmp_path):
    called_off = threading.Event()

    def called_off_once_begun():
        if any(tmp_path.glob("began-*")):  # with whichever the workers begin
            called_off.set()
        return called_off.is_set()

    with pytest.raises(Interrupted), interruptible(called_off_once_begun):
        next(executor.map(work.goes_on, range(4), str(tmp_path)))
    assert list(executor.map(work.times, [5], 2)) == [10]  # free again


def test_the_window_works_where_its_settings_say(dask, until):
    until(lambda: len(dask.scheduler.workers) == 2, "a worker that was killed is replaced")  # now, not a while ago
    place = Workplace(here=Inline)
    place.use(f" {dask.scheduler_address} ")
    executor = place.executor()
    assert executor.workers == 2
    assert list(executor.map(work.times, range(6), 7)) == [7 * item for item in range(6)]
    assert place.news() == ""
    place.close()


def test_no_cluster_is_a_sentence(monkeypatch):
    monkeypatch.setattr("mlviz.worker.cluster.REACHED_WITHIN", 0.2)
    with pytest.raises(NoCluster, match=r"^There is no Dask scheduler at 'tcp://127.0.0.1:9'; .+\.$"):
        Cluster("tcp://127.0.0.1:9")


def test_a_cluster_that_goes_away_is_a_sentence_and_what_is_done_stays():
    from distributed import LocalCluster

    with LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None) as cluster:
        executor = Cluster(cluster.scheduler_address)
        results = executor.map(work.times, range(1000), 1)
        assert next(results) == 0
    with pytest.raises(WorkersLost, match=r"^The cluster at .+ is gone; what it had finished is kept\.$"):
        list(results)
    executor.close()
