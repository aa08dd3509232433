"""Why, for one point: asked by hovering, answered by a thread, so that the window never computes."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Any

from algorithms.contract import Algorithm, Explanation
from algorithms.dataset import Array, Points
from mlviz.worker.blas import limit_blas_threads


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """What does this model say about this point of the data? ``key`` is handed back with the answer."""

    algorithm: Algorithm
    model: Any
    data: Points
    index: int
    key: object = None

    @property
    def x(self) -> Array:
        """The point itself."""
        return self.data.X[self.index]


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """The prediction (``None`` where the algorithm does not predict; a class is an int) and the named reasons."""

    question: Question
    prediction: int | float | None = None
    reasons: Explanation = field(default_factory=dict)
    error: BaseException | None = None


def answer(question: Question) -> Answer:
    """Work the answer out, in this thread."""
    algorithm = question.algorithm
    try:
        prediction = None
        if algorithm.predict is not None:
            prediction = algorithm.predict(question.model, question.x[None])[0].item()
        reasons = algorithm.explain(question.model, question.data, question.x) if algorithm.explain is not None else {}
    except Exception as error:  # whatever the algorithm raises; the window says it
        return Answer(question, error=error)
    return Answer(question, prediction, reasons)


class Explainer:
    """One thread; the latest question counts."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._question: Question | None = None
        self._answer: Answer | None = None
        self._closed = False
        self._thread: threading.Thread | None = None

    def ask(self, question: Question) -> None:
        """Ask; an older question that is still waiting, and an answer nobody has taken, are forgotten."""
        with self._changed:
            if self._closed:
                return
            self._question, self._answer = question, None
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="mlviz-explainer", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def poll(self) -> Answer | None:
        """The answer to the latest question, once, when it is there."""
        with self._changed:
            found, self._answer = self._answer, None
            return found

    def close(self, timeout: float | None = None) -> bool:
        """End the thread; whether it has ended."""
        with self._changed:
            self._closed = True
            self._question = None
            self._changed.notify_all()
        if self._thread is None:
            return True
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _work(self) -> None:
        limit_blas_threads()
        while True:
            with self._changed:
                while self._question is None and not self._closed:
                    self._changed.wait()
                if self._closed or self._question is None:
                    return
                question, self._question = self._question, None
            found = answer(question)
            with self._changed:
                if self._question is None and not self._closed:
                    self._answer = found
