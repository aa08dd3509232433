"""What the mouse means: the point that is hovered or clicked, what the model says about it, and the handles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Slot

from algorithms.dataset import Array
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
    def click(self, points: Array) -> None:
        """Pin these points."""
        self._pinned = points
        self.refresh()

    def forget(self) -> None:
        """The data has changed, so the numbers of points mean other points."""
        self._hovered = self._pinned = NO_POINTS
        self.refresh()

    def refresh(self) -> None:
        """Ask again: the point or the frame has changed."""
        window, index = self._window, self.index
        window.board.light_points(self.points)
        if not 0 <= index < window.document.data.n:
            window.hover_label.setText(f"{len(self.points):,} points" if len(self.points) else "")
            window.what_happens.show_explanation("", None)
            return
        shown, algorithm = window.player.shown, window.player.algorithm
        window.hover_label.setText(self._place_text(index))
        if shown is not None and algorithm is not None and window.player.engine is not None:
            data = window.player.engine.data
            if index < data.n:
                self._explainer.ask(Question(algorithm, shown.snapshot.model, data, index, key=window.player.engine))

    def poll(self) -> None:
        """Show an answer that has come."""
        answer = self._explainer.poll()
        if answer is None or answer.question.key is not self._window.player.engine:
            return
        if answer.error is not None:
            raise answer.error
        if answer.question.index == self.index:
            self._show(answer)

    def _show(self, answer: Answer) -> None:
        window, index = self._window, answer.question.index
        text = self._place_text(index)
        if answer.prediction is not None:
            text += f"   predicted {self._named(answer)}"
        window.hover_label.setText(text)
        window.what_happens.show_explanation(f"Point {index + 1}", answer.reasons or None)

    def _named(self, answer: Answer) -> str:
        data, algorithm = answer.question.data, answer.question.algorithm
        assert answer.prediction is not None
        named = algorithm.target == "classes" or (algorithm.target == "any" and isinstance(answer.prediction, int))
        if named and data.is_labelled:
            return data.classes[int(answer.prediction)]
        if algorithm.target in ("values", "any"):
            return f"{answer.prediction:.4g}"
        return str(int(answer.prediction) + 1)

    def _place_text(self, index: int) -> str:
        data = self._window.document.data
        parts = [f"{name} = {value:.4g}" for name, value in list(zip(data.features, data.X[index]))[:6]]
        if data.y is not None:
            parts.append(_target_text(data, index))
        return f"point {index + 1}:   " + "   ".join(parts)


def _target_text(data: Any, index: int) -> str:
    if data.is_labelled:
        return f"{data.target}: {data.classes[int(data.y[index])]}"
    return f"{data.target} = {data.y[index]:.4g}"
