"""A paragraph that keeps the room its longest text has taken, so that playing lays nothing out anew."""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QPixmap, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from mlviz.views.theme import SPACING

WRAP = int(Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
TALL = 100_000


class Prose(QWidget):
    """A paragraph, optionally with a picture before it, that keeps the room its longest text has taken."""

    def __init__(self, *, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.setObjectName(name)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._text = ""
        self._colour = "#000000"
        self._picture: QPixmap | None = None
        self._room = 0

    def text(self) -> str:
        """The paragraph."""
        return self._text

    def set_text(self, text: str) -> None:
        """Write another paragraph."""
        if text != self._text:
            self._text = text
            self.setAccessibleName(text)
            self._grow()
            self.update()

    def set_look(self, colour: str, picture: QPixmap | None = None) -> None:
        """The colour of the letters and the picture before them."""
        self._colour, self._picture = colour, picture
        self.forget()

    def forget(self) -> None:
        """Give the room back."""
        self._room = 0
        self._grow()
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Break the lines anew when the width changes."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.forget()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw picture and text."""
        painter = QPainter(self)
        if self._picture is not None:
            painter.drawPixmap(0, 0, self._picture)
        painter.setPen(QColor(self._colour))
        painter.drawText(self.rect().adjusted(self._indent(), 0, 0, 0), WRAP, self._text)
        painter.end()

    def _indent(self) -> int:
        return 0 if self._picture is None else round(self._picture.deviceIndependentSize().width()) + SPACING

    def _grow(self) -> None:
        width = max(self.width() - self._indent(), 40)
        bounds = QFontMetrics(self.font()).boundingRect(QRect(0, 0, width, TALL), WRAP, self._text or " ")
        picture = 0 if self._picture is None else round(self._picture.deviceIndependentSize().height())
        needed = max(bounds.height() + 2, picture)
        if needed > self._room:
            self._room = needed
            self.setFixedHeight(needed)
