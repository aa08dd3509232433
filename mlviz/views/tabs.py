"""Tabs in a narrow place: none is wider than the bar, so that the name in front can be read from its beginning."""

from __future__ import annotations

from PySide6 import QtWidgets
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QStyleOptionTab, QTabBar, QToolButton, QWidget

from mlviz.views.theme import SPACING

LEAST = 60
"""The width below which names are of no use, in logical pixels."""
ARROWS = 96
"""More than the arrows of a bar that scrolls need: a name that leaves so much room is never too long."""


class TabBar(QTabBar):
    """Tabs as wide as their names; the bar scrolls, and only a name that is longer than the bar ends in dots.

    It has to be given the whole width of its place: how wide a tab may be depends on the width of the bar.
    """

    def __init__(self, objectName: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent, objectName=objectName, expanding=False, drawBase=False)
        self.setElideMode(Qt.TextElideMode.ElideRight)
        self.setUsesScrollButtons(True)
        self._room: int | None = 0
        self._scrolling = False

    def tabSizeHint(self, index: int) -> QSize:
        """As wide as the name, but not wider than the bar without its arrows."""
        hint = super().tabSizeHint(index)
        return QSize(min(hint.width(), self._room_for(hint.width())), hint.height())

    def minimumTabSizeHint(self, index: int) -> QSize:
        """No name is cut to make room for the others."""
        return self.tabSizeHint(index)

    def initStyleOption(self, option: QStyleOptionTab, index: int) -> None:
        """Cut a long name to what has room in the bold letters of the tab in front: Qt measures the plain ones."""
        super().initStyleOption(option, index)
        width = self.tabRect(index).width()
        if width > 0 and width >= self._room_for(width + 1):
            font = QFont(self.font())
            font.setBold(True)
            text = QtWidgets.QStyle.SubElement.SE_TabBarTabText
            room = self.style().subElementRect(text, option, self).width()
            option.text = QFontMetrics(font).elidedText(self.tabText(index), Qt.TextElideMode.ElideRight, room)
        self._keep_off_arrows(option, index)

    def _keep_off_arrows(self, option: QStyleOptionTab, index: int) -> None:
        """A tab of which only a part is seen has no name: a few letters behind an arrow say nothing."""
        arrows = [button for button in self.findChildren(QToolButton) if button.isVisible()]
        whole, seen = self.tabRect(index), min((button.x() for button in arrows), default=self.width()) - 1
        if not arrows or whole.isEmpty() or (whole.left() >= 0 and whole.right() <= seen):
            return
        room = seen - max(whole.left(), 0) - 2 * SPACING
        current = index == self.currentIndex() and whole.left() >= 0
        option.text = QFontMetrics(self.font()).elidedText(option.text, self.elideMode(), room) if current else ""

    def tabLayoutChange(self) -> None:
        """Scroll to the current tab, wherever the user has scrolled to: Qt does so only as the bar is resized."""
        super().tabLayoutChange()
        if self.isVisible() and not self._scrolling:
            self._scrolling = True
            super().resizeEvent(QResizeEvent(self.size(), self.size()))
            self._scrolling = False

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Measure the tabs anew."""
        self._room = None
        super().resizeEvent(event)

    def _room_for(self, width: int) -> int:
        """The most that a tab of this width may take; asks the style, which is slow at first, only where it matters."""
        if self._room == 0 or width + ARROWS <= self.width():  # there is no room to be had yet, or plenty of it
            return width
        if self._room is None:
            metric = QtWidgets.QStyle.PixelMetric.PM_TabBarScrollButtonWidth
            arrows = 2 * self.style().pixelMetric(metric, None, self)
            self._room = max(self.width() - arrows - 2 * SPACING, LEAST)
        return self._room
