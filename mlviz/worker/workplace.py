"""Where the window has its many fits done: on a Dask cluster where the settings name one, else on this machine.

A cluster that cannot be reached, or goes away, is a sentence; this machine does the work then, or the rest of it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from algorithms.executor import PATIENCE, Begin, Executor, Future, WorkersLost
from algorithms.interrupt import checkpoint
from algorithms.maths.words import SentenceError
from mlviz.worker.processes import processes_of_this_program

HERE = "This machine does the work."


def _cluster(address: str) -> Executor:
    from mlviz.worker.cluster import Cluster  # which imports Dask

    return Cluster(address)


class Workplace:
    """Gives runs their executor. Asked by threads that compute, and by the window, which never waits for it.

    Parameters
    ----------
    connect : function of an address
        The executor of a cluster; raises a :class:`SentenceError` where there is none.
    here : function
        The executor of this machine.
    """

    def __init__(
        self,
        connect: Callable[[str], Executor] = _cluster,
        here: Callable[[], Executor] = processes_of_this_program,
    ) -> None:
        self._connect, self._here = connect, here
        self._lock = threading.Lock()
        self.address = ""
        self._attempt: _Attempt | None = None
        self._news: list[str] = []

    def use(self, address: str) -> None:
        """Have the work done there from now on; an empty address means this machine. It is looked for when needed."""
        with self._lock:
            self.address = address.strip()
            attempt, self._attempt = self._attempt, None
        if attempt is not None:
            attempt.leave()

    def look_for(self) -> _Attempt | None:
        """Begin to look for the cluster, if one is named; the attempt says what has come of it."""
        with self._lock:
            if self.address and self._attempt is None:
                self._attempt = _Attempt(self.address, self._connect)
            return self._attempt

    def executor(self) -> Executor:
        """Who does the work of the run of this thread; a run that is called off while it waits ends."""
        attempt = self.look_for()
        if attempt is None:
            return self._here()
        while not attempt.over.wait(PATIENCE):
            checkpoint()
        if attempt.executor is None:
            self._say_once(attempt, f"{attempt.refusal} {HERE}")
            return self._here()
        return _OrHere(attempt.executor, self._here, lambda sentence: self._lost(attempt, sentence))

    def _lost(self, attempt: _Attempt, sentence: str) -> None:
        attempt.refusal = sentence
        attempt.leave()
        self._say_once(attempt, f"{sentence} This machine does the rest.")

    def _say_once(self, attempt: _Attempt, sentence: str) -> None:
        if not attempt.said:
            attempt.said = True
            self._news.append(sentence)

    def news(self) -> str:
        """What there is to be said, once."""
        return self._news.pop(0) if self._news else ""

    def close(self) -> None:
        """Leave the cluster as it was."""
        self.use("")


class _Attempt:
    """Looks for a cluster in a thread of its own, because that may take seconds."""

    def __init__(self, address: str, connect: Callable[[str], Executor]) -> None:
        self.executor: Executor | None = None
        self.refusal = ""
        self.said = False
        self.over = threading.Event()
        self._left = False
        self._address, self._connect = address, connect
        threading.Thread(target=self._look, name="mlviz-cluster", daemon=True).start()

    def _look(self) -> None:
        try:
            self.executor = self._connect(self._address)
        except SentenceError as error:
            self.refusal = str(error)
        except Exception as error:  # whatever Dask makes of an odd address
            self.refusal = f"The cluster at {self._address!r} cannot be used: {error or type(error).__name__}."
        self.over.set()
        if self._left:
            self.leave()

    def leave(self) -> None:
        """Nobody wants it any more. Parting may take a moment, so that is done elsewhere."""
        self._left = True
        executor, self.executor = self.executor, None
        if executor is not None:
            threading.Thread(target=executor.close, name="mlviz-cluster", daemon=True).start()


class _OrHere(Executor):
    """A cluster, and this machine for what is left when the cluster is gone."""

    def __init__(self, cluster: Executor, here: Callable[[], Executor], lost: Callable[[str], None]) -> None:
        super().__init__(cluster.workers)
        self._cluster, self._here, self._tell_lost = cluster, here, lost

    def map(self, function: Callable[[Any, Any], Any], items: Iterable[Any], shared: Any = None) -> Iterator[Any]:
        """As on the cluster; what it has not given when it is gone is done here."""
        asked, done = list(items), 0
        try:
            for found in self._cluster.map(function, asked, shared):
                done += 1
                yield found
        except WorkersLost as error:
            self._tell_lost(str(error))
            yield from self._here().map(function, asked[done:], shared)

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future:
        """On the cluster."""
        return self._cluster.submit(function, *arguments)

    @contextmanager
    def batch(self, shared: Any) -> Generator[Begin]:
        """On the cluster."""
        with self._cluster.batch(shared) as begin:
            yield begin

    def cancel(self) -> None:
        """End all work soon."""
        self._cluster.cancel()


WORKPLACE = Workplace()
"""That of the program: executors are a matter of the whole process."""
