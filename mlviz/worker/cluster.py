"""Work on a Dask cluster that somebody has started: ``dask scheduler`` and, on every machine, ``dask worker ADDRESS``.

Dask does again what is lost with a worker. What it cannot do is end work in the middle, so every piece looks at an
event of the cluster now and then; and a scheduler that is gone is a sentence, not an endless wait.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import itertools
import time
import uuid
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

from algorithms.executor import Begin, Executor, Future, WorkersLost
from algorithms.interrupt import interruptible
from algorithms.maths.words import SentenceError

TRIES = 3
REACHED_WITHIN = 5.0
"""Seconds after which a scheduler that does not answer is not there."""
LOOK_EVERY = 0.1
"""Seconds between two looks at the event; each is a message to the scheduler."""


class NoCluster(SentenceError):
    """There is no cluster at the address, or no program to talk to it."""


class Cluster(Executor):
    """An existing Dask cluster."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._client = _connected(address)
        self._names = (f"mlviz-{uuid.uuid4().hex}-{number}" for number in itertools.count())
        self._event = next(self._names)
        self._coming: set[concurrent.futures.Future[Any]] = set()
        super().__init__(workers=max(sum(self._client.nthreads().values()), 1))

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future:
        """Hand the work to the scheduler."""
        return self._begin(self._event, function, arguments)

    def cancel(self) -> None:
        """Everything that was submitted up to now ends within a moment."""
        from distributed import Event

        with contextlib.suppress(OSError, TimeoutError):  # a cluster that is gone does nothing any more
            Event(self._event, client=self._client).set()
        self._event = next(self._names)

    def close(self) -> None:
        """Leave the cluster as it was."""
        self.cancel()
        for coming in tuple(self._coming):
            coming.cancel()
        self._client.close(timeout=2)

    @contextmanager
    def batch(self, shared: Any) -> Generator[Begin]:
        """What is shared is sent to the cluster once, as work of its own: also that is done again where it is lost.

        What is only scattered over the workers is in a worker that has just come, or not, and gone with the last one.
        """
        import dask
        from distributed import Event
        from distributed.protocol import pickle

        name = next(self._names)
        if not self.alive():
            raise self._lost()
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}):
            sent = self._client.submit(pickle.loads, pickle.dumps(shared), pure=False, retries=TRIES)
        try:
            yield lambda function, item: self._begin(name, function, (sent, item))
        finally:
            with contextlib.suppress(OSError, TimeoutError):
                Event(name, client=self._client).set()

    def _begin(self, event: str, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Future:
        if self._client.status != "running":
            raise self._lost()
        self.submitted += 1
        future = self._client.submit(_do, event, function, *arguments, pure=False, retries=TRIES)
        return _Work(self, future)

    def fetch(self, future: Any) -> concurrent.futures.Future[Any]:
        """Have a result brought here once it is there, however long it takes: it can be waited for again and again.

        To ask Dask for a result within a time breaks its transfer off when the time is over, so that a large one would
        never arrive; and one that is broken off before it has begun makes Dask say that the next one was cancelled.
        """
        transfer = self._client.gather(future, asynchronous=True)
        coming = asyncio.run_coroutine_threadsafe(transfer, self._client.loop.asyncio_loop)
        self._coming.add(coming)
        coming.add_done_callback(self._coming.discard)
        return coming

    def alive(self) -> bool:
        """Whether the scheduler still answers."""
        return self._client.status == "running"

    def _lost(self) -> WorkersLost:
        return WorkersLost(f"The cluster at {self.address!r} is gone; what it had finished is kept.")


class _Work:
    """A future of Dask, with the errors of ours."""

    def __init__(self, owner: Cluster, future: Any) -> None:
        self._owner, self._future = owner, future
        self._coming: concurrent.futures.Future[Any] | None = None

    def result(self, timeout: float | None = None) -> Any:
        """The result, when it is there in time."""
        from distributed import KilledWorker

        if self._coming is None:
            self._coming = self._owner.fetch(self._future)
        try:
            found = self._coming.result(timeout)
        except TimeoutError:
            if not self._owner.alive():
                raise self._owner._lost() from None
            raise
        except KilledWorker as error:
            raise WorkersLost("Several workers of the cluster ended while they did the same work.") from error
        except (concurrent.futures.CancelledError, OSError) as error:
            if self._future.status == "error":
                raise  # the work itself has raised it
            raise self._owner._lost() from error
        self._owner.done += 1
        return found

    def cancel(self) -> None:
        """It is not begun, where it has not been."""
        with contextlib.suppress(OSError, TimeoutError):
            self._future.cancel()


def _connected(address: str) -> Any:
    try:
        from distributed import Client
    except ImportError as error:
        raise NoCluster('To work on a cluster, install "mlviz[cluster]", which brings Dask.') from error
    try:
        return Client(address, timeout=REACHED_WITHIN, set_as_default=False)
    except (OSError, TimeoutError, ValueError, ImportError) as error:
        raise NoCluster(
            f"There is no Dask scheduler at {address!r}; an address looks like tcp://10.0.0.5:8786."
        ) from error


# -- on a worker ------------------------------------------------------------------------------------------------------


def _do(event: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """The work, until somebody calls it off."""
    with interruptible(_Looks(event)):
        return function(*arguments)


class _Looks:
    """Asks the scheduler now and then whether the event is set."""

    def __init__(self, name: str) -> None:
        from distributed import Event

        self._event = Event(name)
        self._next = time.monotonic() + LOOK_EVERY
        self._set = False

    def __call__(self) -> bool:
        if not self._set and time.monotonic() >= self._next:
            self._set = self._event.is_set()
            self._next = time.monotonic() + LOOK_EVERY
        return self._set
