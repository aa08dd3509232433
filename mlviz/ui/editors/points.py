"""Drawing points: the tool in hand, the chosen class, the selection, and the stroke that is going on.

The mouse may move faster than an algorithm runs. So a stroke edits a draft that the plane shows at once, and the
document takes over the draft as often as the run of the last version has shown something, and at the release: the
algorithm follows the drawing live, and the drawing never waits for it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QTimer, Slot

from algorithms.data import Array, DataError, Points
from mlviz.session import edits
from mlviz.session.document import Document
from mlviz.session.edits import Draft
from mlviz.session.projection import Axes
from mlviz.ui.editors.labelled import LabelledEditor
from mlviz.ui.editors.point_tools import TOOLS, Brush, Stroke
from mlviz.views.brush import Band, PointerState
from mlviz.views.canvas import Canvas
from mlviz.views.plane import PlaneView
from mlviz.views.renderers.base import NO_POINTS

if TYPE_CHECKING:
    from mlviz.ui.window import MainWindow

_NO_DRAFT = Draft.of(Points(np.zeros((1, 1))))
FOLLOW_MS = 30
"""How often, in milliseconds, a stroke looks whether the algorithm can take its next version."""
SMALLEST, LARGEST = 6, 120


class PointsEditor(LabelledEditor):
    """The easel of the window. It is the plane's tool whenever that is not the hand."""

    kind = "points"
    tools = TOOLS

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self.brush = Brush()
        self.rng = np.random.default_rng()
        self.draft = self._committed = self._start = _NO_DRAFT
        self._stroke: Stroke | None = None
        self._pointer: PointerState | None = None
        self._follow = QTimer(self, objectName="drawing_follow", interval=FOLLOW_MS)
        self._follow.timeout.connect(self._follow_stroke)

    # -- what is in hand -----------------------------------------------------------------------------------------

    @property
    def axes(self) -> Axes:
        """What is looked at."""
        return self._window.document.axes

    @property
    def _plane(self) -> PlaneView:
        return self._window.board.plane

    @property
    def canvas(self) -> Canvas | None:
        """The plane."""
        return self._plane

    def choose(self, name: str) -> None:
        """Take a tool."""
        super().choose(name)
        self._show_cursor()

    def set_brush(self, **settings: int) -> None:
        """Change the settings of the tools."""
        self.brush = replace(self.brush, **settings)
        self._show_cursor()
        self.changed.emit()

    def grow(self, factor: float) -> None:
        """A larger or smaller brush."""
        self.set_brush(radius=int(np.clip(round(self.brush.radius * factor), SMALLEST, LARGEST)))

    # -- the selection -------------------------------------------------------------------------------------------

    def select(self, items: Array) -> None:
        """Select these points."""
        super().select(items)
        self._plane.brush.show_selection(self.selection)

    def select_all(self) -> None:
        """Select every point, and take the tool that moves them."""
        if self.possible:
            self.choose("select")
            self.select(np.arange(self._window.document.data.n))

    def delete_selection(self) -> None:
        """Erase the selected points."""
        if not len(self.selection) or not self.possible:  # a method without data has put the points away
            self._say("Nothing is selected; V selects points.")
            return
        draft = Draft.of(self._window.document.points)
        try:
            erased = edits.erase(draft, self.selection)
        except DataError as error:
            self._say(str(error))
            return
        self.select(NO_POINTS)
        document = self._window.document.with_data(erased.data)
        self._window.apply(document, "delete the selection", origin=erased.origin(draft))

    # -- the mouse -----------------------------------------------------------------------------------------------

    def press(self, pointer: PointerState) -> None:
        """Begin a stroke."""
        if self.tool.stroke is None or not self.possible:
            return
        self.hover(pointer)
        self._window.history.seal()
        self._merge = f"stroke {next(self._numbers)}"
        self.draft = self._committed = self._start = Draft.of(self._window.document.points)
        self._stroke = self.tool.stroke(self)
        self._attempt(self._stroke.press, pointer)

    def drag(self, pointer: PointerState) -> None:
        """Go on with it."""
        self.hover(pointer)
        if self._stroke is not None:
            self._window.ticker.take_turn()
            self._attempt(self._stroke.drag, pointer)

    def release(self, pointer: PointerState) -> None:
        """End it: one undo step."""
        if self._stroke is not None:
            self._attempt(self._stroke.drag, pointer) if self._moved(pointer) else None
            self._stroke.end()
            self._commit()
            self._end()

    def hover(self, pointer: PointerState | None) -> None:
        """Show where the brush is."""
        self._pointer = pointer
        self._show_cursor()

    def abandon(self) -> bool:
        """Undo the stroke that is going on; False when there is none."""
        if self._stroke is None:
            return False
        begun = self._committed is not self._start
        self._end()
        self._plane.end_draft()
        if begun:
            self._window.undo()
        return True

    def _moved(self, pointer: PointerState) -> bool:
        return self._stroke is not None and (pointer.x, pointer.y) != (self._stroke.last.x, self._stroke.last.y)

    def _attempt(self, act: Any, pointer: PointerState) -> None:
        try:
            act(pointer)
        except DataError as error:
            self._say(str(error))

    def _end(self) -> None:
        self._stroke = None
        self._follow.stop()
        self.show_band(None)
        self._window.history.seal()

    # -- what strokes may do -------------------------------------------------------------------------------------

    def change(self, draft: Draft) -> None:
        """Show this version of the data at once."""
        if draft is self.draft:
            return
        kept = self._selected_in(draft)
        self.draft = draft
        self._plane.set_draft(draft.data, draft.origin(self._committed))
        self.select(kept)
        if not self._follow.isActive():
            self._follow.start()

    def show_band(self, band: Band | None) -> None:
        """Show a rubber band, or none."""
        self._plane.brush.show_band(band)

    def _selected_in(self, draft: Draft) -> Array:
        if not len(self.selection) or draft.ids is self.draft.ids:
            return self.selection
        return np.flatnonzero(np.isin(draft.origin(self.draft), self.selection))

    # -- the document --------------------------------------------------------------------------------------------

    @Slot()
    def _follow_stroke(self) -> None:
        """Hand the draft to the algorithm when that has shown what it made of the last one."""
        if self._window.board.up_to_date or self._window.player.ended_without_frames:
            self._commit()

    def _commit(self) -> None:
        draft = self.draft
        if draft is self._committed:
            return
        origin, self._committed = draft.origin(self._committed), draft
        document = self._window.document.with_data(draft.data)
        self._window.apply(document, self.tool.step, merge=self._merge, origin=origin)

    def document_changed(self, before: Document | None) -> None:
        """The window has another document: ours, or one that ends the stroke."""
        document = self._window.document
        if not self.active:
            if self._stroke is not None:
                self._end()
            super().document_changed(before)
            return
        if self._stroke is not None and document.data is not self._committed.data:
            self._end()
        if self._stroke is None and (before is None or before.data.n != document.data.n):
            self.select(NO_POINTS)
        self.select(self.selection)
        self.settle_classes(before)
        if not self.possible and self.tool.stroke is not None:
            self.choose("hand")
        self.changed.emit()

    def close(self) -> None:
        """Stop the clock."""
        self._follow.stop()

    def hint(self) -> str:
        """What to do with the tool, and what becomes of the features one cannot see."""
        data = self._window.document.points
        hint = super().hint()
        if self._window.document.shows_pca:
            hint += " New points lie on the plane of the principal components."
        elif data.d > 2:
            others = "the other feature" if data.d == 3 else f"the other {data.d - 2} features"
            hint += (
                f" New points get the means of {others}." if data.d > 3 else f" New points get the mean of {others}."
            )
        if data.d > 1 and data.is_valued:
            hint += f" They take over {data.target} from the nearest point."
        return hint

    def _show_cursor(self) -> None:
        self._plane.brush.show_cursor(self._pointer, self.brush.radius if self.tool.has_brush else 0)
