"""A sentence over the large view: why a method refuses the data, or what it waits for; perhaps with a way out."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QFrame, QPushButton, QVBoxLayout, QWidget

from mlviz.views.plain_text import PlainLabel
from mlviz.views.theme import LIGHT, SPACING, Theme

WIDEST = 420
AXIS = 32
"""About the height of an axis with its numbers."""


class BoardMessage(QFrame):
    """In the middle of its parent, as long as there is something to say."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, objectName="board_message")
        self._room, self._theme, self._calm, self._below = parent, LIGHT, False, False
        self._act: Callable[[], object] | None = None
        self._label = PlainLabel(objectName="board_message_text", wordWrap=True)
        self._label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.button = QPushButton(objectName="board_message_button")
        self.button.clicked.connect(self._clicked)
        self._column = layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 12, 12, 12)
        layout.setSpacing(SPACING)
        layout.addWidget(self._label)
        layout.addWidget(self.button, 0, Qt.AlignmentFlag.AlignCenter)
        self.hide()

    def set_theme(self, theme: Theme) -> None:
        """Colours and sizes from now on."""
        self._theme = theme
        self._dress()

    def text(self) -> str:
        """What it says."""
        return self._label.text()

    def say(
        self,
        text: str,
        calm: bool = False,
        below: bool = False,
        action: tuple[str, Callable[[], object]] | None = None,
    ) -> None:
        """Say this, or nothing; ``calm`` where nothing is wrong, ``below`` where something is being drawn.

        The action is a button: its words and what it does.
        """
        self._below = below
        self._label.setText(text)
        self.button.setVisible(action is not None)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents, action is None)  # one can draw below it
        words, self._act = ("", None) if action is None else action
        self.button.setText(words)
        if calm != self._calm:
            self._calm = calm
            self._dress()
        self.setVisible(bool(text))
        self.raise_()
        self.place()

    def place(self) -> None:
        """Stand in the upper middle, or at the bottom above the axis."""
        room = self._room
        if self.text():
            width = min(WIDEST, max(room.width() - 40, 120))
            height = self._column.heightForWidth(width)
            free = room.height() - height
            top = max(free - 2 * AXIS, 0) if self._below else free // 3
            self.setGeometry((room.width() - width) // 2, top, width, height)

    def _dress(self) -> None:
        theme = self._theme
        self.setStyleSheet(
            f"#board_message {{ background: {theme.surface}; border: 1px solid {theme.border}; border-radius: 6px; }}"
            f"#board_message_text {{ color: {theme.text if self._calm else theme.danger};"
            f" font-size: {theme.font * 1.1:.0f}pt; }}"
        )

    @Slot()
    def _clicked(self) -> None:
        if self._act is not None:
            self._act()
