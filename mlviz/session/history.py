"""Undo and redo: a stack of old documents. Nothing is ever inverted, so nothing can be inverted wrongly."""

from __future__ import annotations

from algorithms.records import dataclass
from mlviz.session.document import Document
from mlviz.session.memory import MemoryMeter

DEFAULT_BUDGET = 128 * 2**20


@dataclass(frozen=True, slots=True)
class _Step:
    """A document one can go back (or forward) to, and the name of the change between it and its neighbour."""

    document: Document
    label: str


class History:
    """The current document, those before it and those that were undone.

    Parameters
    ----------
    document : Document
        Where the history begins.
    budget : int
        Bytes for all documents together, arrays shared between them counted once. When it is spent the oldest steps
        are forgotten; the current document always stays.
    """

    def __init__(self, document: Document, budget: int = DEFAULT_BUDGET) -> None:
        self._current = document
        self._budget = budget
        self._past: list[_Step] = []
        self._future: list[_Step] = []
        self._merge: str | None = None
        self.forgotten = 0
        """How many of the oldest steps had to go."""
        self._meter = MemoryMeter()
        self._meter.add(document)

    @property
    def current(self) -> Document:
        """The document as it is now."""
        return self._current

    @property
    def documents(self) -> list[Document]:
        """The document as it is now, and all to which one can go back or forward."""
        return [self._current, *(step.document for step in (*self._past, *self._future))]

    @property
    def can_undo(self) -> bool:
        """Whether there is a step to take back."""
        return bool(self._past)

    @property
    def can_redo(self) -> bool:
        """Whether there is an undone step to take again."""
        return bool(self._future)

    @property
    def undo_text(self) -> str:
        """What :meth:`undo` would take back, as it was labelled; empty when there is nothing."""
        return self._past[-1].label if self._past else ""

    @property
    def redo_text(self) -> str:
        """What :meth:`redo` would do again; empty when there is nothing."""
        return self._future[-1].label if self._future else ""

    @property
    def nbytes(self) -> int:
        """The memory of all documents, shared arrays counted once."""
        return self._meter.nbytes

    def push(self, document: Document, merge: str | None = None, label: str = "") -> None:
        """Go on to a new document.

        Consecutive pushes with the same ``merge`` key become one step (a drag, a brush stroke, a slider that moves)
        until :meth:`seal`, another push or an undo ends it. A document without any change is not a step.
        """
        if not document.changes(self._current) and document.memory == self._current.memory:
            return
        if merge is not None and merge == self._merge and self._past:
            self._meter.add(document)
            self._meter.remove(self._current)
        else:
            self._past.append(_Step(self._current, label))
            self._meter.add(document)
        self._current = document
        self._merge = merge
        self._forget_future()
        self._fit_budget()

    def amend(self, document: Document) -> None:
        """Put another document in the place of the current one, without a step: what changed is not worth undoing."""
        self._meter.add(document)
        self._meter.remove(self._current)
        self._current = document
        self.seal()

    def seal(self) -> None:
        """End the merging: the next push is a step of its own."""
        self._merge = None

    def undo(self) -> Document:
        """One step back; the document that is current afterwards."""
        return self._move(self._past, self._future)

    def redo(self) -> Document:
        """One step forward again; the document that is current afterwards."""
        return self._move(self._future, self._past)

    def _move(self, source: list[_Step], destination: list[_Step]) -> Document:
        self.seal()
        if source:
            step = source.pop()
            destination.append(_Step(self._current, step.label))
            self._current = step.document
        return self._current

    def _forget_future(self) -> None:
        for step in self._future:
            self._meter.remove(step.document)
        self._future.clear()

    def _fit_budget(self) -> None:
        forgotten = 0
        while self._meter.nbytes > self._budget and forgotten < len(self._past):
            self._meter.remove(self._past[forgotten].document)
            forgotten += 1
        del self._past[:forgotten]
        self.forgotten += forgotten
