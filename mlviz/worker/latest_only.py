"""One thread that answers questions, of which only the latest counts: what explaining and evaluating have in common."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from algorithms.interrupt import Interrupted, interruptible
from mlviz.worker.blas import limit_blas_threads
from mlviz.worker.gui_priority import WINDOW, lower_priority

Question = TypeVar("Question")
Answer = TypeVar("Answer")


REST = 2.0
"""Seconds without a question after which the thread ends; the next question starts another one."""


class Abandoned(Exception):
    """Nobody wants the answer any more; raised by the work when ``outdated()`` has become true."""


class LatestOnlyWorker(Generic[Question, Answer]):
    """Calls ``work(question, outdated)`` in a thread of its own, which lasts for as long as there are questions.

    A newer question makes the older one outdated: long work asks ``outdated()`` now and then and raises
    :class:`Abandoned`, and what it calls ends at the next checkpoint. Errors are the work's own business: it is to
    return them as answers.
    """

    def __init__(self, work: Callable[[Question, Callable[[], bool]], Answer], name: str) -> None:
        self._answer_to = work
        self._name = name
        self._changed = threading.Condition()
        self._wanted: Question | None = None
        self._taken_up = True
        self._answer: Answer | None = None
        self._closed = False
        self._thread: threading.Thread | None = None

    def ask(self, question: Question) -> None:
        """Ask; an answer that nobody has taken and any older work are forgotten."""
        with self._changed:
            if self._closed:
                return
            self._wanted, self._taken_up, self._answer = question, False, None
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name=self._name, daemon=True)
                self._thread.start()
            self._changed.notify_all()

    @property
    def wanted(self) -> Question | None:
        """What was asked last; None when nothing is wanted any more."""
        return self._wanted

    def poll(self) -> Answer | None:
        """The answer to the latest question, once, when it is there."""
        with self._changed:
            found, self._answer = self._answer, None
            return found

    def drop(self) -> None:
        """Forget everything that was asked."""
        with self._changed:
            self._wanted, self._taken_up, self._answer = None, True, None

    def close(self, timeout: float | None = None) -> bool:
        """End the thread; whether it has ended."""
        self.drop()
        with self._changed:
            self._closed = True
            self._changed.notify_all()
            thread = self._thread
        return has_ended(thread, timeout)

    def _work(self) -> None:
        limit_blas_threads()
        lower_priority()
        while self._serve_next():
            pass

    def _serve_next(self) -> bool:
        """Answer the next question; False when closed or long at rest. Whoever waits must not hold the last one."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._closed or not self._taken_up, REST):
                self._thread = None
                return False
            if self._closed or self._wanted is None:
                return False
            question, self._taken_up = self._wanted, True
        self._serve(question)
        return True

    def _outdated(self, question: Question) -> bool:
        """Asked in the middle of long work, which lets the window draw on the way."""
        WINDOW.yield_to_gui()
        return self._wanted is not question

    def _serve(self, question: Question) -> None:
        def outdated() -> bool:
            return self._outdated(question)

        try:
            with interruptible(outdated):
                found = self._answer_to(question, outdated)
        except (Abandoned, Interrupted):
            return
        with self._changed:
            if self._wanted is question:
                self._answer = found


def has_ended(thread: threading.Thread | None, timeout: float | None) -> bool:
    """Wait for a thread that may never have begun; whether it has ended."""
    if thread is None:
        return True
    thread.join(timeout)
    return not thread.is_alive()
