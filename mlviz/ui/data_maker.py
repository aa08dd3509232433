"""Data that take long to make: a thread makes them, and the window takes them when they are there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, QTimer, Slot

from algorithms import DataError, ParamError
from algorithms.data import Data, Points
from algorithms.data.magnitude import refuse_extreme_numbers
from mlviz.data.spec import Recipe
from mlviz.session.projection import Axes, PrincipalPlane, Projection, is_seen_by_pca
from mlviz.ui import problems
from mlviz.worker.latest_only import LatestOnlyWorker

POLL_MS = 20


@dataclass(frozen=True, slots=True, eq=False)
class Made:
    """The data of a recipe, or why there are none."""

    recipe: Recipe
    data: Data | None = None
    error: Exception | None = None
    axes: Axes | None = None
    """How they are to be seen first, where the thread has found that out, too."""

    @property
    def sentence(self) -> str:
        """Why the recipe gives no data; empty when it gives some."""
        return "" if self.error is None else str(self.error)


def make(recipe: Recipe) -> Made:
    """Make the data, in this thread; a recipe that gives none is an answer, anything else a fault."""
    try:
        return Made(recipe, recipe.make())
    except (DataError, ParamError) as error:
        return Made(recipe, error=error)


def _answer(recipe: Recipe, _: Callable[[], bool]) -> Made:
    try:
        made = make(recipe)
        if not is_seen_by_pca(made.data):
            return replace(made, axes=recipe.axes)
        assert isinstance(made.data, Points)
        refuse_extreme_numbers(made.data)
        plane = PrincipalPlane.of(made.data)
        Projection.of(made.data, plane).points(made.data)  # remembered, so that the window need not work it out
        return replace(made, axes=plane)
    except Exception as error:  # a thread must not end with it; the window reports it
        return Made(recipe, error=error)


class DataMaker(QObject):
    """Makes the data of the latest recipe in a thread of its own; whoever asked is told in the window's thread."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._worker: LatestOnlyWorker[Recipe, Made] = LatestOnlyWorker(_answer, "mlviz-data")
        self._take: Callable[[Made], None] | None = None
        self._timer = QTimer(self, objectName="data_maker", interval=POLL_MS)
        self._timer.timeout.connect(self._poll)

    @property
    def recipe(self) -> Recipe | None:
        """What is being made."""
        return self._worker.wanted if self._take is not None else None

    def ask(self, recipe: Recipe, take: Callable[[Made], None]) -> None:
        """Have the data made and hand them to ``take``; what was asked before is forgotten."""
        self._take = take
        self._worker.ask(recipe)
        self._timer.start()

    def drop(self) -> None:
        """Nobody wants them any more."""
        self._take = None
        self._worker.drop()
        self._timer.stop()

    def close(self) -> None:
        """The window goes; a thread in the middle of its work is left behind."""
        self.drop()
        self._worker.close(timeout=0.0)

    @Slot()
    def _poll(self) -> None:
        made, take = self._worker.poll(), self._take
        if made is None or take is None:
            return
        self.drop()
        if made.error is not None and not isinstance(made.error, DataError | ParamError):
            problems.report(made.error)
            return
        take(made)
