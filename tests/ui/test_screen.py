"""The window fits the screen it opens on, with whatever frame the window manager gives it."""

from types import SimpleNamespace

import pytest
from PySide6.QtCore import QPoint, QRect, QSize

from mlviz.ui.screen import FRAME, fit_to_screen

SCREEN, BORDERS = QRect(0, 24, 1024, 744), QSize(8, 32)


class Window:
    """A window of this size and place in a frame of these widths, on a screen with a bar at its top."""

    def __init__(self, inner, frame=BORDERS, maximised=False):
        self.inner, self.frame, self._screen, self._maximised = QRect(inner), frame, SCREEN, maximised

    def isMaximized(self):
        return self._maximised

    def isFullScreen(self):
        return False

    def screen(self):
        return SimpleNamespace(availableGeometry=lambda: self._screen)

    def geometry(self):
        return QRect(self.inner)

    def frameGeometry(self):
        return QRect(self.inner.topLeft(), self.inner.size() + self.frame)

    def resize(self, size):
        self.inner.setSize(size)

    def move(self, left, top):
        self.inner.moveTo(QPoint(left, top))


@pytest.mark.parametrize("place", [QPoint(0, 0), QPoint(-50, 300), QPoint(900, 700)])
@pytest.mark.parametrize("size", [QSize(1280, 820), QSize(600, 400)])
def test_all_of_it_is_on_the_screen_frame_included(place, size):
    window = Window(QRect(place, size))
    fit_to_screen(window)
    assert window.screen().availableGeometry().contains(window.frameGeometry())
    if size.width() == 600:
        assert window.inner.size() == size  # what fits keeps its size


def test_before_there_is_a_frame_room_is_left_for_one():
    window = Window(QRect(0, 0, 1280, 820), frame=QSize(0, 0))
    fit_to_screen(window)
    assert window.inner.size() == QSize(1024, 744) - FRAME


def test_a_window_that_fills_the_screen_is_left_alone():
    window = Window(QRect(0, 0, 1280, 820), maximised=True)
    fit_to_screen(window)
    assert window.inner == QRect(0, 0, 1280, 820)
