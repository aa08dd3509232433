"""The window and the screen that it opens on."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget

FRAME = QSize(8, 40)
"""What a window manager adds, as long as it has not said."""


def fit_to_screen(window: QWidget) -> None:
    """Make a window no larger than its screen, frame included, and have all of it there, unless it fills the screen."""
    if window.isMaximized() or window.isFullScreen():
        return
    screen, outer, inner = window.screen().availableGeometry(), window.frameGeometry(), window.geometry()
    frame = outer.size() - inner.size()
    if frame.height() == 0:
        frame = FRAME
    if (size := inner.size().boundedTo(screen.size() - frame)) != inner.size():
        window.resize(size)
    left = min(max(outer.left(), screen.left()), screen.right() + 1 - size.width() - frame.width())
    top = min(max(outer.top(), screen.top()), screen.bottom() + 1 - size.height() - frame.height())
    if (left, top) != (outer.left(), outer.top()):
        window.move(left, top)
