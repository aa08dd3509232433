"""Where many like pieces of work are done: here, one after the other; or elsewhere, several at a time.

A method that fits hundreds of models (a sweep over parameters, folds, redraws) hands them to :func:`current_executor`
and takes the results in the order in which it asked for them, so that its frames do not depend on who has worked.
Without further ado that is :class:`Inline`; a program may offer another one with :func:`use_by_default`: processes of
this machine, or a cluster.
"""

from __future__ import annotations

import abc
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from algorithms.interrupt import checkpoint
from algorithms.maths.words import SentenceError

PATIENCE = 0.02
"""Seconds between two looks at whether the work was called off, while waiting for a result."""
AHEAD = 4
"""Pieces handed over for each worker before a result is waited for: none may be idle while others are long."""


class WorkersLost(SentenceError):
    """Whoever did the work is gone, and has been asked often enough; the message says what to do."""


class Future(Protocol):
    """A result to come; that of ``concurrent.futures`` is one."""

    def result(self, timeout: float | None = None) -> Any:
        """The result, ``TimeoutError`` when it is not there in time, or what the work has raised."""

    def cancel(self) -> Any:
        """Nobody wants it any more."""


Begin = Callable[[Callable[[Any, Any], Any], Any], Future]


class Executor(abc.ABC):
    """Does work. ``done`` of ``submitted`` pieces are finished; ``workers`` are done at a time."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self.submitted = 0
        self.done = 0

    @abc.abstractmethod
    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future:
        """Begin a piece of work: a function of a module, with arguments that can be sent to another process."""

    @abc.abstractmethod
    def cancel(self) -> None:
        """End all work soon, also what is being done; nothing that was submitted before has a result."""

    def close(self) -> None:
        """Give back what was taken."""
        self.cancel()

    @property
    def progress(self) -> tuple[int, int]:
        """How many pieces are done, of how many that were handed over."""
        return self.done, self.submitted

    def map(self, function: Callable[[Any, Any], Any], items: Iterable[Any], shared: Any = None) -> Iterator[Any]:
        """``function(shared, item)`` of every item, in their order; ``shared`` is sent to a worker only once.

        While it waits, checkpoints are looked at. Whoever does not go on to the end calls the rest off.
        """
        with self.batch(shared) as begin:
            waiting: deque[Future] = deque()
            try:
                for item in items:
                    waiting.append(begin(function, item))
                    if len(waiting) > AHEAD * self.workers:
                        yield self.wait_for(waiting.popleft())
                while waiting:
                    yield self.wait_for(waiting.popleft())
            finally:
                for future in waiting:
                    future.cancel()

    @contextmanager
    def batch(self, shared: Any) -> Generator[Begin]:
        """What begins ``function(shared, item)``; at the end, what is still being done is called off."""
        yield lambda function, item: self.submit(function, shared, item)

    def wait_for(self, future: Future) -> Any:
        """The result; raises at a checkpoint when the run was called off meanwhile."""
        while True:
            checkpoint()
            try:
                return future.result(PATIENCE)
            except TimeoutError:
                continue


class _Done:
    """The result of work that is done when somebody waits for it: nothing is done that nobody wants."""

    def __init__(self, executor: Executor, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        self._executor, self._function, self._arguments = executor, function, arguments

    def result(self, timeout: float | None = None) -> Any:
        """Do it now."""
        found = self._function(*self._arguments)
        self._executor.done += 1
        return found

    def cancel(self) -> None:
        """Nothing is being done."""


class Inline(Executor):
    """In this thread, one after the other; a checkpoint inside the work ends it."""

    def __init__(self) -> None:
        super().__init__(workers=1)

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future:
        """The work is done when its result is asked for."""
        self.submitted += 1
        return _Done(self, function, arguments)

    def cancel(self) -> None:
        """Nothing is being done between two results."""


_by_default: Callable[[], Executor] = Inline


def current_executor() -> Executor:
    """Who does the work."""
    return _by_default()


def use_by_default(executor: Callable[[], Executor]) -> None:
    """From now on this gives the executor; called when one is needed."""
    global _by_default
    _by_default = executor
