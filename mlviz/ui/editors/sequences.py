"""Drawing series: a pen that sets values or symbols and makes a series longer, an eraser, and further series."""

from __future__ import annotations

from typing import TYPE_CHECKING

from algorithms.data import DataError, Sequences
from mlviz.session import sequence_edits as edits
from mlviz.ui.editors.base import Editor
from mlviz.ui.editors.toolbox import SEQUENCES
from mlviz.views.brush import PointerState
from mlviz.views.strip import StripView
from mlviz.views.strip_layout import Place, StripLayout

if TYPE_CHECKING:
    from mlviz.ui.window import MainWindow


class SequencesEditor(Editor):
    """The tools for series."""

    kind = "sequences"
    tools = SEQUENCES

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._layout: StripLayout | None = None  # as it was when the stroke began: scales stay under the pen
        self._last: Place | None = None
        self._start: Sequences | None = None

    @property
    def series(self) -> Sequences:
        """The series on the desk."""
        data = self._window.document.data
        assert isinstance(data, Sequences)
        return data

    def add_series(self) -> None:
        """One more series, to be drawn over."""
        self._alone(lambda: edits.add_series(self.series), "add a series")

    def remove_series(self) -> None:
        """Take the last series away."""
        self._alone(lambda: edits.remove_series(self.series, len(self.series.series) - 1), "remove a series")

    def begin(self, pointer: PointerState) -> None:
        """The pen goes down."""
        canvas = self.canvas
        self._layout = canvas.layout_now if isinstance(canvas, StripView) else None
        self._start, self._last = self.series, None
        self.go(pointer)

    def go(self, pointer: PointerState) -> None:
        """The pen moves, within the series in which it went down."""
        place = None if self._layout is None else self._layout.place_at(pointer.x, pointer.y)
        if place is None or self._start is None:
            return
        last = self._last or place
        if (place.series, place.feature) != (last.series, last.feature):
            return
        self._last = place
        if self.tool.stroke == "draw":
            ends = ((last.time, last.value), (place.time, place.value))
            drawn = edits.draw(self.series, place.series, place.feature, *ends)
            # on a blank board nothing moves under the pen; else there comes room behind the end
            self.commit(drawn, origin=None if self._start.n else edits.origin(drawn, self.series))
        else:
            first = min(last.moment, place.moment)
            self._start = edits.erase(self._start, place.series, first, max(last.moment, place.moment))
            self._last = None
            self.commit(self._start)

    def end(self, pointer: PointerState) -> None:
        """The pen is lifted."""
        self._layout = self._last = self._start = None

    def _alone(self, make: object, label: str) -> None:
        if not self.active:
            return
        self._merge = ""
        try:
            self.commit(make(), label)  # type: ignore[operator]
        except DataError as error:
            self._say(str(error))
