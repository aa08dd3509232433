"""A sentence over the large view, such as why a method refuses the data."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from mlviz.views.plain_text import PlainLabel
from mlviz.views.theme import Theme

WIDEST = 420


class BoardMessage(PlainLabel):
    """In the upper middle of its parent, as long as there is something to say."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, objectName="board_message", wordWrap=True)
        self._room = parent
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.hide()

    def set_theme(self, theme: Theme) -> None:
        """Colours and sizes from now on."""
        self.setStyleSheet(
            f"QLabel {{ background: {theme.surface}; color: {theme.danger}; border: 1px solid {theme.border};"
            f" border-radius: 6px; padding: 12px; font-size: {theme.font * 1.1:.0f}pt; }}"
        )

    def say(self, text: str) -> None:
        """Say this, or nothing."""
        self.setText(text)
        self.setVisible(bool(text))
        self.raise_()
        self.place()

    def place(self) -> None:
        """Stand in the upper middle."""
        room = self._room
        if self.text():
            width = min(WIDEST, max(room.width() - 40, 120))
            height = self.heightForWidth(width)
            self.setGeometry((room.width() - width) // 2, (room.height() - height) // 3, width, height)
