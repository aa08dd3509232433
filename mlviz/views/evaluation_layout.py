"""How many pictures of the evaluation have room, and where each of them stands."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QComboBox, QGridLayout, QSizePolicy, QWidget

from mlviz.views.plain_text import PlainLabel, plain
from mlviz.views.theme import LIGHT

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


class PictureGrid(QWidget):
    """A widget with a header and four pictures, of which as many are shown as have room."""

    header: QWidget
    message: PlainLabel
    pictures: QGridLayout
    curve_choice: QComboBox

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = LIGHT
        self._picture: str | None = None
        self._turn = 0

    @property
    def _furnished(self) -> bool:
        """Whether all pictures have been made."""
        raise NotImplementedError

    def _pictures(self) -> tuple[QWidget, ...]:
        """The four that belong to what is shown."""
        raise NotImplementedError

    def _strangers(self) -> tuple[QWidget, ...]:
        """Those that belong to something else."""
        raise NotImplementedError

    def _named(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What files call them, and what they are called as they take turns."""
        raise NotImplementedError

    def sizeHint(self) -> QSize:
        """Wide rather than high."""
        return QSize(560, 240)

    def minimumSizeHint(self) -> QSize:
        """Never a reason for the window to grow: what has no room is left out."""
        return QSize(180, 150)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show as many pictures side by side as have room."""
        super().resizeEvent(event)
        self._arrange()

    def show_alone(self, which: str) -> None:
        """No header, and this picture alone; all of them where no one is called like this."""
        self._picture = which
        self.header.hide()
        self._arrange()

    def settle(self) -> None:
        """Give every picture its place now: one that has just been made would wait for Qt's loop."""
        layout = self.layout()
        if layout is not None:
            layout.activate()

    @Slot(int)
    def _turned(self, number: int) -> None:
        self._turn = number
        self._arrange()

    def _arrange(self) -> None:
        """As many pictures as have room, in the grid that suits the place; what is left over takes turns in one cell.

        In a file they stand as they best fit.
        """
        if not self._furnished:
            return
        for picture in self._strangers():
            picture.hide()
        names, choices = self._named()
        if self._picture:
            chosen = [number for number, name in enumerate(names) if self._picture == name] or list(range(len(names)))
            across = len(chosen) if self.width() > 2.2 * self.height() else min(len(chosen), 2)
            arrange(self.pictures, self._pictures(), chosen, across)
            return
        room = 0 if self.header.isHidden() else self.header.heightForWidth(self.width())
        count, across = grid(self.width(), self.height() - room, self._theme.font)
        self._offer(choices[: 5 - count] if count < 4 else ())  # on paper out of sight, with the other controls
        turn = (self.curve_choice.currentIndex() + 1) % 4
        chosen = {4: [0, 1, 2, 3], 3: [0, turn, 3], 2: [0, turn], 1: [turn]}[count]
        arrange(self.pictures, self._pictures(), [] if self.message.text() else chosen, across)

    def _offer(self, names: tuple[str, ...]) -> None:
        """Let these take turns, the last choice of the user first where it is one of them."""
        self.curve_choice.setVisible(bool(names))
        self.curve_choice.blockSignals(True)
        if names and self.curve_choice.count() != len(names):
            self.curve_choice.clear()
            self.curve_choice.addItems(names)
        self.curve_choice.setCurrentIndex(self._turn if self._turn < len(names) else 0)
        self.curve_choice.blockSignals(False)


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
