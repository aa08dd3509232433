"""What editors of data with classes have in common: the class that is drawn in, its name and its colour."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from algorithms.data import DataError
from mlviz.session import edits
from mlviz.session.document import Document
from mlviz.ui.editors.base import Editor

if TYPE_CHECKING:
    from mlviz.ui.window import MainWindow


class LabelledEditor(Editor):
    """The tools for data whose items may have classes."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._adds_class = False

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes one can draw: those of the data and, after ``+``, the one that its first item will make."""
        classes = super().classes
        return (*classes, edits.next_class_name(classes)) if self._adds_class else classes

    def choose_class(self, group: int) -> None:
        """Draw in this class from now on."""
        if not self.classes:
            self._say("This data set has no classes.")
        elif group >= len(self.classes):
            self._say(f"There are {len(self.classes)} classes; + adds another one.")
        else:
            self.group = group
            self.changed.emit()

    def add_class(self) -> None:
        """Offer one more class; its first item makes it."""
        data = self._window.document.data
        if not self.classes:
            self._say("This data set has no classes.")
        elif len(data.classes) >= edits.MOST_CLASSES:
            self._say(f"At most {edits.MOST_CLASSES} classes can be drawn.")
        else:
            self._adds_class = True
            self.choose_class(len(data.classes))
            how = f"begins with the first {data.item_name} that you draw or relabel"
            self._say(f"The new class ({self.classes[-1]}) {how}.")

    def rename_class(self, group: int, name: str) -> bool:
        """Give a class another name; False when it is refused."""
        window = self._window
        data: Any = window.document.data
        try:
            if group >= len(data.classes):
                raise DataError(f"The new class gets a name when it has a {data.item_name}.")
            classes = edits.renamed_class(data.classes, group, name)
        except DataError as error:
            self._say(str(error))
            return False
        if classes != data.classes:
            document = window.document.with_data(replace(data, classes=classes))
            window.apply(document, "rename a class", origin=np.arange(data.n))
        return True

    def recolour_class(self, group: int, colour: str) -> None:
        """Give a class another colour; an empty one is the theme's."""
        self._window.apply(self._window.document.with_colour(group, colour), "recolour a class")

    def settle_classes(self, before: Document | None) -> None:
        """The data may have other classes now."""
        if self._adds_class and before is not None and before.data.classes != self._window.document.data.classes:
            self._adds_class = False
        if self.group >= len(self.classes):
            self.group = 0
