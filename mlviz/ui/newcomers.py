"""What is drawn on the pad, on every board: each method is asked about it, and a cross marks its place in the map."""

from __future__ import annotations

from collections.abc import Callable

from algorithms.data import Array
from mlviz.session.document import Document
from mlviz.ui.pane import Pane
from mlviz.worker.newcomer import Newcomer, NewcomerWorker, Reply


class PaneNewcomer:
    """What the method of one pane says of something that is not among its data."""

    def __init__(self, pane: Pane) -> None:
        self._pane = pane
        self._worker = NewcomerWorker()
        self._asked: tuple[object, object] = (None, None)
        self._marked = False
        self.in_map = False
        """Whether a map of the method shows the place of the latest reply."""

    def close(self) -> None:
        """End the thread."""
        self._worker.close()

    def forget(self) -> None:
        """Ask again, even about the same picture."""
        self._asked = (None, None)

    def poll(self, document: Document, drawn: object, row: Callable[[], Array]) -> Reply | None:
        """A reply that has come and been marked; asks when the picture ``drawn`` or the model is another one."""
        reply, player = self._worker.poll(), self._pane.player
        if reply is not None and reply.newcomer.key is player.engine:
            self._mark(reply.place, document.projection.project(reply.newcomer.x))
        else:
            reply = None
        shown = player.frame_of(document)
        if shown is not None and player.engine is not None:
            asked = (shown.snapshot.model, drawn)
            if asked[0] is not self._asked[0] or asked[1] is not self._asked[1]:
                self._asked = asked
                self._worker.ask(Newcomer(document.method, shown.snapshot.model, row(), player.engine))
        return reply

    def _mark(self, place: Array | None, at: Array) -> None:
        self._marked = True
        self.in_map = self._pane.board.show_newcomer(place)
        self._pane.board.plane.show_newcomer(at)

    def unmark(self) -> None:
        """No cross any more."""
        if self._marked:
            self._marked = False
            self._pane.board.show_newcomer(None)
            self._pane.board.plane.show_newcomer(None)
