"""How many pictures of the evaluation have room, and where each of them stands."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QComboBox, QGridLayout, QSizePolicy, QWidget

from mlviz.views.plain_text import PlainLabel, plain

LEAST = (14.0, 10.5)
"""The width and height that a picture needs, in font sizes: axes and names take most of a smaller one."""
SHAPE = 1.2
"""How many times as wide as high a picture should be."""
_GRIDS = ((4, 1), (2, 2), (1, 4), (3, 1), (1, 3), (2, 1), (1, 2), (1, 1))
"""Columns and rows."""


class Remark(PlainLabel):
    """Words in whatever room the controls leave: as many as that is enough for; all of them are in the tool tip."""

    def __init__(self, objectName: str) -> None:
        super().__init__(objectName=objectName)
        self._words = ""
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def write(self, words: str) -> None:
        """Say this."""
        if words != self._words:
            self._words = words
            self.setToolTip(plain(words))
            self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """More words, or fewer."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        room = max(self.width(), 0)
        self.setText(self.fontMetrics().elidedText(self._words, Qt.TextElideMode.ElideRight, room))


class FittingList(QComboBox):
    """A list as wide as what it offers, also in other letters: Qt keeps the least width it had in the old ones."""

    def minimumSizeHint(self) -> QSize:
        """As wide as it wants to be."""
        return self.sizeHint()


def grid(width: float, height: float, font: float) -> tuple[int, int]:
    """The number of pictures that have room in a place, at most four, and how many of them stand side by side.

    Pictures that share neither the width nor the height of the place with others have to do with what there is.
    """
    fitting = [
        (columns * rows, -_strain(width / columns, SHAPE * height / rows), columns)
        for columns, rows in _GRIDS
        if (columns == 1 or width >= LEAST[0] * font * columns) and (rows == 1 or height >= LEAST[1] * font * rows)
    ]
    count, _, columns = max(fitting)
    return count, columns


def arrange(layout: QGridLayout, pictures: Sequence[QWidget], chosen: Sequence[int], across: int) -> None:
    """Show the chosen pictures, ``across`` of them on each line, and hide the others."""
    for number, picture in enumerate(pictures):
        layout.removeWidget(picture)
        layout.setColumnStretch(number, int(number < across))
        layout.setRowStretch(number, int(number * across < len(chosen)))
        picture.setVisible(number in chosen)
    for place, number in enumerate(chosen):
        layout.addWidget(pictures[number], *divmod(place, across))


def _strain(one: float, other: float) -> float:
    """How far two lengths are from being equal."""
    return max(one, other) / max(min(one, other), 1.0)
