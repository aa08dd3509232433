"""A load under way: what the reading thread tells, and how another thread calls it off."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Cancelled(Exception):
    """The user has called the load off; nothing is to be said."""


class Reading:
    """One load. The reader calls :meth:`step`, the window reads ``fraction`` and ``stage`` and may cancel."""

    def __init__(self) -> None:
        self.stage = ""
        self._fraction = 0.0
        self._cancelled = threading.Event()
        self._lock = threading.Lock()
        self._interrupt: Callable[[], object] | None = None
        self._ask: Callable[[], float] | None = None

    @property
    def cancelled(self) -> bool:
        """Whether the load has been called off."""
        return self._cancelled.is_set()

    @property
    def fraction(self) -> float:
        """How much is done, between 0 and 1; negative when nobody can say."""
        with self._lock:
            return self._fraction if self._ask is None else self._ask()

    def step(self, fraction: float, stage: str) -> None:
        """Say how far it is. Raises :class:`Cancelled` when nobody waits for the result any more."""
        if self.cancelled:
            raise Cancelled
        self.stage = stage
        self._fraction = fraction

    def cancel(self) -> None:
        """Call the load off; a query that is running is interrupted."""
        self._cancelled.set()
        with self._lock:
            if self._interrupt is not None:
                self._interrupt()

    @contextmanager
    def query(self, interrupt: Callable[[], object], progress: Callable[[], float]) -> Iterator[None]:
        """While this lasts, cancelling calls ``interrupt`` and the fraction is what ``progress`` says."""
        self.step(self._fraction, self.stage)
        with self._lock:
            self._interrupt, self._ask = interrupt, progress
        try:
            yield
        finally:
            with self._lock:
                self._interrupt = self._ask = None
        self.step(self._fraction, self.stage)
