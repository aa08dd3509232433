"""What the mouse means: the point that is hovered or clicked, what the model says about it, and the handles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from algorithms.contract import Algorithm
from algorithms.data import Array, Data, Item, Points, counted
from mlviz.views.renderers.base import NO_POINTS
from mlviz.worker.explainer import Answer, Explainer, Question

if TYPE_CHECKING:
    from mlviz.ui.window import MainWindow


class Pointer(QObject):
    """Follows the mouse over all views. A clicked point stays explained until another is clicked."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._explainer = Explainer()
        self._hovered: Array = NO_POINTS
        self._pinned: Array = NO_POINTS
        self._has_newcomer = False
        self._setting = ""

    def close(self) -> None:
        """End the thread."""
        self._explainer.close()

    @property
    def points(self) -> Array:
        """The points that are meant: the hovered ones, else the pinned ones."""
        return self._hovered if len(self._hovered) else self._pinned

    @property
    def pinned(self) -> Array:
        """The points that were clicked."""
        return self._pinned

    @property
    def index(self) -> int:
        """The one point that is meant, or -1 when there are none or several."""
        return int(self.points[0]) if len(self.points) == 1 else -1

    @Slot(object)
    def hover(self, points: Array) -> None:
        """The mouse is over these points."""
        self._hovered = points
        self.refresh()

    @Slot(object)
    def hover_place(self, at: Array | None) -> None:
        """The mouse is at this place of the plane: where would a point be in the map, if it were drawn there?"""
        window = self._window
        document, engine = window.document, window.player.engine
        shown = window.player.frame_of(document)
        able = document.method.transform is not None and isinstance(document.data, Points)
        if not able or at is None or len(self._hovered) or shown is None or engine is None:
            if self._has_newcomer:
                self._has_newcomer = False
                window.board.show_newcomer(None)
            return
        item = Item(x=document.projection.lift(at))
        self._explainer.ask(Question(document.method, shown.snapshot.model, engine.data, item, engine, map_only=True))

    @Slot(str)
    def show_setting(self, sentence: str) -> None:
        """The mouse is over a setting whose model is seen; no sentence when it is not any more."""
        self._setting = sentence
        self.refresh()

    @Slot(object)
    def click(self, points: Array) -> None:
        """Pin these points."""
        self._pinned = points
        self.refresh()

    def forget(self) -> None:
        """The data has changed, so the numbers of points mean other points."""
        self._hovered = self._pinned = NO_POINTS
        self._setting = ""
        self.refresh()

    def refresh(self) -> None:
        """Ask again: the point or the frame has changed."""
        window, index = self._window, self.index
        window.boards.light_points(self.points)
        window.boards.look_at(index)
        if not 0 <= index < window.document.data.n:
            several = counted(len(self.points), window.document.data.item_name) if len(self.points) else ""
            window.hover_label.setText(several or self._setting)
            window.what_happens.show_explanation("", None)
            return
        shown, algorithm = window.player.frame_of(window.document), window.player.algorithm
        window.hover_label.setText(self._place_text(index))
        if shown is not None and algorithm is not None and window.player.engine is not None:
            data = window.player.engine.data
            if index < data.n:
                self._explainer.ask(
                    Question(algorithm, shown.snapshot.model, data, data.item(index), window.player.engine)
                )

    def poll(self) -> None:
        """Show an answer that has come."""
        answer = self._explainer.poll()
        if answer is None or answer.question.key is not self._window.player.engine:
            return
        if answer.question.map_only:
            self._has_newcomer = answer.place is not None
            self._window.board.show_newcomer(answer.place)  # a model that has no map yet has no place for it either
            return
        if answer.error is not None:
            raise answer.error
        if answer.question.item.number == self.index:
            self._show(answer)

    def _show(self, answer: Answer) -> None:
        window, data, index = self._window, answer.question.data, answer.question.item.number
        text = self._place_text(index)
        if answer.prediction is not None:
            text += f"   predicted {prediction_name(answer.question.algorithm, data, answer.prediction)}"
        window.hover_label.setText(text)
        window.what_happens.show_explanation(f"{data.item_name} {index + 1}".capitalize(), answer.reasons or None)

    def _place_text(self, index: int) -> str:
        return self._window.document.data.item_text(index)


def prediction_name(algorithm: Algorithm, data: Data, prediction: int | float) -> str:
    """What a method has predicted, in words: a class, a value or the number of a cluster."""
    named = algorithm.target == "classes" or (algorithm.target == "any" and isinstance(prediction, int))
    if named and isinstance(data, Points) and data.is_labelled:
        return data.classes[int(prediction)]
    return f"{prediction:.4g}" if algorithm.target in ("values", "any") else str(int(prediction) + 1)
