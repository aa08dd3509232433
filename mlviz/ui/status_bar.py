"""The line below everything: what the mouse is over, news for a while, and facts at its right end."""

from __future__ import annotations

from PySide6 import QtWidgets
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QStatusBar, QStyleOption, QWidget

from mlviz.views.plain_text import plain
from mlviz.views.theme import SPACING


class StatusBar(QStatusBar):
    """News that are longer than the room beside the facts end in dots, and are whole in the tool tip.

    Qt cuts them in the middle of a letter.
    """

    def __init__(self, hovered: QLabel, *facts: QWidget) -> None:
        super().__init__(objectName="status_bar")
        self._facts = facts
        self.addWidget(hovered, 1)
        for widget in facts:
            self.addPermanentWidget(widget)

    def message_on_show(self) -> str:
        """As much of the message as there is room for."""
        return self.fontMetrics().elidedText(self.currentMessage(), Qt.TextElideMode.ElideRight, self._room().width())

    def _room(self) -> QRect:
        end = min((widget.x() for widget in self._facts if widget.isVisible()), default=self.width())
        return QRect(SPACING, 0, max(end - 2 * SPACING, 0), self.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the message, shortened if need be."""
        message, shown = self.currentMessage(), self.message_on_show()
        if message:
            painter, option = QPainter(self), QStyleOption()
            option.initFrom(self)
            panel = QtWidgets.QStyle.PrimitiveElement.PE_PanelStatusBar
            self.style().drawPrimitive(panel, option, painter, self)
            painter.setPen(self.palette().windowText().color())
            painter.drawText(self._room(), int(Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine), shown)
            painter.end()
        else:
            super().paintEvent(event)
        tip = plain(message) if shown != message else ""
        if tip != self.toolTip():
            self.setToolTip(tip)
