"""Typing texts: a line over the cell of the text, one undo step for each text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import shiboken6
from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QLineEdit

from algorithms.data import DataError, Strings
from mlviz.session import item_edits, strings
from mlviz.session.document import Document
from mlviz.ui.controls import let_go
from mlviz.ui.editors.items import ItemsEditor
from mlviz.ui.editors.toolbox import STRINGS
from mlviz.views.brush import PointerState
from mlviz.views.strings_view import StringsView

if TYPE_CHECKING:
    from mlviz.ui.window import MainWindow

_KEY = Qt.Key


class TextLine(QLineEdit):
    """The line in which a text is typed. Enter and the arrows go on to the next one, Escape leaves it as it was."""

    ended = Signal(int)
    """It is done; the number of rows to go on by, 0 to stay."""
    given_up = Signal()
    OWN = (_KEY.Key_Escape, _KEY.Key_Return, _KEY.Key_Enter, _KEY.Key_Up, _KEY.Key_Down)

    def event(self, event: QEvent) -> bool:
        """Keys that mean something else in the window are ours while somebody types."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and event.key() in self.OWN:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Done, or given up."""
        if event.key() == _KEY.Key_Escape:
            self.given_up.emit()
        elif event.key() in self.OWN:
            self.ended.emit(-1 if event.key() == _KEY.Key_Up else 1)
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Whoever clicks elsewhere is done."""
        super().focusOutEvent(event)
        if event.reason() not in (Qt.FocusReason.PopupFocusReason, Qt.FocusReason.ActiveWindowFocusReason):
            self.ended.emit(0)


class StringsEditor(ItemsEditor):
    """The tools for texts."""

    kind = "strings"
    tools = STRINGS

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self.line: TextLine | None = None
        self._row = 0

    def choose(self, name: str) -> None:
        """Take a tool; with that for typing there is a cell for a new text."""
        self.close_line(keep=True)
        super().choose(name)

    def take_canvas(self) -> None:
        """Have the canvas give the mouse to the tool in hand, or keep it."""
        super().take_canvas()
        canvas = self.canvas
        if self.active and isinstance(canvas, StringsView):
            canvas.offer_new(self.tool.stroke == "type")

    def add_text(self) -> None:
        """Type one more text."""
        if self.possible:
            self.choose("type")
            self.open_line(self.data.n)

    def edit_text(self) -> None:
        """Type over the selected text, or the first one."""
        if self.possible:
            row = int(self.selection[0]) if len(self.selection) else 0
            self.choose("type")
            self.open_line(row)

    def document_changed(self, before: Document | None) -> None:
        """The window has another document; what is being typed belongs to the old one."""
        if self.line is not None and before is not None and before.data is not self.data:
            self.close_line(keep=False)
        super().document_changed(before)

    # -- the mouse -----------------------------------------------------------------------------------------------

    def _begin_type(self, pointer: PointerState) -> None:
        """Nothing yet: the line opens at the release, when the mouse is done with."""

    def _end_type(self, pointer: PointerState) -> None:
        row = self.cells.grid.cell_at(pointer.x, pointer.y)
        self.open_line(self.data.n if row is None else row)

    def _end_select(self, pointer: PointerState) -> None:
        item = self.cells.item_at(pointer.x, pointer.y)
        if pointer.double and item is not None:
            self.open_line(item)

    # -- the line ------------------------------------------------------------------------------------------------

    def open_line(self, row: int) -> None:
        """Type over the text of a row; the one behind the last is new."""
        self.close_line(keep=True)
        canvas, data = self.cells, self.data
        if row >= data.n:
            canvas.offer_new(True)
        canvas.reveal(row)
        self._row = row
        line = TextLine(data.texts[row] if row < data.n else "", canvas.viewport(), objectName="text_line")
        line.setAccessibleName("Text")
        line.setMaxLength(strings.MAX_TEXT)
        line.setFont(canvas.font_now)
        box = canvas.cell_on_screen(row).adjusted(1, 0, -1, 0).toAlignedRect()
        line.setGeometry(box)
        line.setProperty("role", "cell")
        line.ended.connect(self._ended)
        line.given_up.connect(self._given_up)
        line.show()
        line.setFocus(Qt.FocusReason.OtherFocusReason)
        line.selectAll()
        self.line = line

    def close_line(self, keep: bool) -> bool:
        """Take the line away; what was typed is kept or not. Whether that changed the texts."""
        line, self.line = self.line, None
        if line is None or not shiboken6.isValid(line):
            return False
        text, touched = line.text(), line.isModified()
        line.blockSignals(True)
        line.hide()
        line.deleteLater()
        return keep and touched and self._take(text)

    def _take(self, text: str) -> bool:
        data = self.data
        if not isinstance(data, Strings) or (self._row >= data.n and not text):
            return False
        self._merge = ""
        try:
            if self._row < data.n:
                self.commit(strings.with_text(data, self._row, text), "type a text")
            else:
                made = item_edits.with_item(data, text, self.group)
                self.commit(made, "add a text", np.append(np.arange(data.n), -1))
        except DataError as error:
            self._say(str(error))
            return False
        return True

    def _ended(self, rows: int) -> None:
        row, last = self._row, self.data.n
        new = row >= last
        added = self.close_line(keep=True)
        on = row + rows
        if rows and not (new and not added and rows > 0) and 0 <= on <= self.data.n:
            self.open_line(on)
        else:
            let_go(self.cells)

    def _given_up(self) -> None:
        self.close_line(keep=False)
        let_go(self.cells)
