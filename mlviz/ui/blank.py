"""Blank boards: nothing on them yet, and a method that waits for what is drawn."""

from __future__ import annotations

import dataclasses
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QMenu

from algorithms import DataError, all_algorithms
from algorithms.data import KINDS, Data, Points
from algorithms.data.scaling import AS_GIVEN
from mlviz.session.document import Document
from mlviz.ui.editors import EDITORS

if TYPE_CHECKING:
    from mlviz.ui.window import MainWindow

SOURCE = "a blank board"


def kinds() -> list[type[Data]]:
    """The kinds of data that can be drawn, and for which there is a method."""
    taken = {kind for method in all_algorithms() for kind in method.accepts}
    return [kind for name, kind in KINDS.items() if name in EDITORS and kind in taken]


def title(kind: type[Data]) -> str:
    """What a blank board of this kind is called."""
    return kind.blank().name.capitalize()


def new_board(window: MainWindow, kind: type[Data] | None = None) -> None:
    """A blank board for the method in hand, or of another kind with a method for that; one undo step."""
    document = window.document
    if kind is None:
        kind = type(document.data) if document.data.kind in EDITORS else Points
    wanted = document.method.target if kind in document.method.accepts else "none"
    try:
        document = window.on_desk(kind.blank(wanted), SOURCE)
    except DataError as error:
        window.statusBar().showMessage(str(error), 6000)
        return
    window.open_document(dataclasses.replace(document, axes=(0, 1), scaling=AS_GIVEN), "take a blank board")
    draw(window)


def suited(document: Document) -> Document:
    """The document with the blank points that its method wants, where there are none yet."""
    data = document.data
    if not isinstance(data, Points) or data.n or document.source != SOURCE:
        return document
    return document.with_data(Points.blank(document.method.target)).with_source(SOURCE)


def draw(window: MainWindow) -> None:
    """Take a tool that draws, where none is in hand."""
    editor = window.editor
    if editor.possible and editor.tool.stroke is None:
        editor.choose(next((tool for tool in editor.tools if tool.name == "spray"), editor.tools[1]).name)


class NewMenu(QMenu):
    """A blank board of every kind that can be drawn."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__("New of another kind", window)
        self.setObjectName("menu_new")
        self._window = window
        self.aboutToShow.connect(self.fill)

    @Slot()
    def fill(self) -> None:
        """List the kinds; methods are known by now."""
        self.clear()
        for kind in kinds():
            self.addAction(title(kind), partial(new_board, self._window, kind))
