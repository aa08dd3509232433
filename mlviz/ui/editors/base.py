"""What an editor is: the tools for data of one kind, and what the mouse does with them on the canvas of that kind.

The canvas relays the left button to the editor whose tool is in hand. An editor never draws and never computes: it
makes a new value of the data with the pure edits of its kind and hands it to the window, one undo step a stroke.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QInputDialog

from algorithms.data import Array, Data, DataError
from mlviz.session.document import Document
from mlviz.ui.editors.toolbox import HAND, Tool
from mlviz.views.brush import PointerState
from mlviz.views.canvas import Canvas
from mlviz.views.plain_text import plain
from mlviz.views.renderers.base import NO_POINTS

if TYPE_CHECKING:
    from mlviz.ui.window import MainWindow


class Editor(QObject):
    """The tools for one kind of data. A subclass says what a press, a drag and a release of each tool mean."""

    kind: ClassVar[str] = ""
    tools: ClassVar[tuple[Tool, ...]] = (HAND,)
    changed = Signal()
    """The tool, the class, the brush or whether one can draw has changed."""
    selection_changed = Signal(object)

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.tool: Tool = self.tools[0]
        self.group = 0
        self.selection: Array = NO_POINTS
        self._numbers = itertools.count()
        self._merge = ""

    # -- what is in hand -----------------------------------------------------------------------------------------

    @property
    def canvas(self) -> Canvas | None:
        """Where the data are drawn and edited."""
        return self._window.board.data_view

    @property
    def active(self) -> bool:
        """Whether data of this kind are on the desk."""
        return self._window.document.data.kind == self.kind

    @property
    def possible(self) -> bool:
        """Whether the current method shows such data at all."""
        return self.active and self._window.document.method.data_panel is not None

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes one can draw."""
        return self._window.document.data.classes if self.active else ()

    def choose(self, name: str) -> None:
        """Take a tool."""
        self.tool = next(tool for tool in self.tools if tool.name == name)
        self.take_canvas()
        if self.tool.stroke is None:
            self.hover(None)
            self.select(NO_POINTS)
        else:
            self._window.board.show_data_view()
            self._say(self.hint(), 8000)
        self.changed.emit()

    def take_canvas(self) -> None:
        """Have the canvas give the mouse to the tool in hand, or keep it."""
        canvas = self.canvas
        if canvas is None or not self.active:
            return
        drawing = self.tool.stroke is not None
        canvas.mouse.tool = self if drawing else None
        if drawing:
            canvas.viewport().setCursor(Qt.CursorShape.CrossCursor)
        else:
            canvas.viewport().unsetCursor()

    def let_canvas_go(self) -> None:
        """The mouse is the canvas's own again: another board is about to be drawn on."""
        if self.canvas is not None:
            self.hover(None)
            self.canvas.mouse.tool = None
            self.canvas.viewport().unsetCursor()

    def hint(self) -> str:
        """What to do with the tool in hand."""
        return self.tool.hint

    def choose_class(self, group: int) -> None:
        """Draw in this class from now on."""
        if not self.classes:
            self._say("This data set has no classes.")
        elif group >= len(self.classes):
            self._say(f"There are {len(self.classes)} classes.")
        else:
            self.group = group
            self.changed.emit()

    def select(self, items: Array) -> None:
        """Select these items."""
        if not np.array_equal(items, self.selection):
            self.selection = np.asarray(items, dtype=np.intp)
            self.selection_changed.emit(self.selection)

    def select_all(self) -> None:
        """Select every item, and take the tool that moves them."""

    def delete_selection(self) -> None:
        """Take the selected items away."""
        self._say("Nothing is selected.")

    # -- the mouse -----------------------------------------------------------------------------------------------

    def press(self, pointer: PointerState) -> None:
        """Begin a stroke."""
        self._window.history.seal()
        if self.canvas is not None:
            self.canvas.note_stroke(True)
        self._merge = f"stroke {self.kind} {next(self._numbers)}"
        self._attempt(self.begin, pointer)

    def drag(self, pointer: PointerState) -> None:
        """Go on with it."""
        self._attempt(self.go, pointer)

    def release(self, pointer: PointerState) -> None:
        """End it: one undo step."""
        self._attempt(self.end, pointer)
        if self.canvas is not None:
            self.canvas.note_stroke(False)
        self._window.history.seal()

    def hover(self, pointer: PointerState | None) -> None:
        """The mouse is there and no button is down."""

    def begin(self, pointer: PointerState) -> None:
        """What the tool does at the press."""

    def go(self, pointer: PointerState) -> None:
        """What it does at each move."""

    def end(self, pointer: PointerState) -> None:
        """What it does at the release."""

    def abandon(self) -> bool:
        """Undo the stroke that is going on; False when there is none."""
        return False

    def _attempt(self, act: Any, pointer: PointerState) -> None:
        if self.tool.stroke is None or not self.possible:
            return
        try:
            act(pointer)
        except DataError as error:
            self._say(str(error))

    def ask_number(self, title: str, about: str, old: float, low: float, high: float) -> float | None:
        """What the user types in place of a number of the data on the desk, if anything."""
        data = self._window.document.data
        number, agreed = QInputDialog.getDouble(self._window, title, plain(about), old, low, high, 4)
        if agreed and self._window.document.data is not data:
            raise DataError("Other data have come meanwhile; nothing was changed.")
        return number if agreed else None

    # -- the document --------------------------------------------------------------------------------------------

    def commit(self, data: Data, label: str = "", origin: Array | None = None) -> None:
        """The data from now on; changes of one stroke are one undo step. ``origin`` says which item was which."""
        if data is self._window.document.data:
            return
        items = self._window.document.data.n
        if origin is not None and origin.max(initial=-1) >= items:
            origin = None  # the stroke began on data that have gone since
        if origin is None and data.n == items:
            origin = np.arange(data.n)
        document = self._window.document.with_data(data)
        self._window.apply(document, label or self.tool.step, merge=self._merge or None, origin=origin)

    def document_changed(self, before: Document | None) -> None:
        """The window has another document."""
        if not self.active:
            if self.tool.stroke is not None:
                self.tool = self.tools[0]
            if self._window.editor is self:  # it stands in for a kind without an editor, and offers nothing
                self.changed.emit()
            return
        if before is None or before.data.n != self._window.document.data.n:
            self.select(NO_POINTS)
        if not self.possible and self.tool.stroke is not None:
            self.choose(self.tools[0].name)
        self.take_canvas()
        self.changed.emit()

    def close(self) -> None:
        """The window goes."""

    def _say(self, text: str, milliseconds: int = 6000) -> None:
        self._window.statusBar().showMessage(text, milliseconds)
