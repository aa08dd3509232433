"""Qt's controls with the manners a panel needs.

Space, arrows, Home, End and the page keys drive time, whatever was touched last: no control takes them, Enter presses,
opens or commits what Tab has reached, and every commit gives the keyboard back to the board. Only a line in which
somebody types keeps what it needs for that. The wheel scrolls the panel unless the control below it has the keyboard.
"""

from __future__ import annotations

import itertools

from PySide6 import QtWidgets
from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt, Slot
from PySide6.QtGui import (
    QActionEvent,
    QColor,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QCheckBox,
    QComboBox,
    QMainWindow,
    QPushButton,
    QSizePolicy,
    QSlider,
    QToolButton,
    QWidget,
)

from mlviz.views.plain_text import PlainLabel, plain
from mlviz.views.theme import SPACING

_KEY = Qt.Key
ARROWS = frozenset(
    (_KEY.Key_Left, _KEY.Key_Right, _KEY.Key_Up, _KEY.Key_Down)
    + (_KEY.Key_Home, _KEY.Key_End, _KEY.Key_PageUp, _KEY.Key_PageDown)
)
PRESS = frozenset((_KEY.Key_Space,))
TRANSPORT = ARROWS | PRESS
"""The keys that drive time."""
MOST_ENTRIES = 14
"""A list with more of them scrolls."""
ENTER = frozenset((_KEY.Key_Return, _KEY.Key_Enter))


def let_go(widget: QWidget) -> None:
    """Give the keyboard back to the board, when the control stands in the main window."""
    window = widget.window()
    board = window.centralWidget() if isinstance(window, QMainWindow) else None
    if board is not None:
        widget.clearFocus()
        board.setFocus()


class KeyboardReturn(QObject):
    """Gives the keyboard back to the board after each commit in a control of another layer, which does not know it."""

    def __init__(self, control: QWidget) -> None:
        super().__init__(control)
        self._control = control
        if isinstance(control, QComboBox):
            control.activated.connect(self._let_go)
        else:
            control.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Enter in a number commits it; a click that does not reach the line is one on an arrow."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and event.key() in ENTER:
            watched.interpretText()  # type: ignore[attr-defined]
            self._let_go()
            return True
        if event.type() == QEvent.Type.MouseButtonRelease:
            self._let_go()
        return super().eventFilter(watched, event)

    @Slot()
    def _let_go(self) -> None:
        let_go(self._control)


def leaves(event: QKeyEvent) -> bool:
    """Whether a key is one that drives time; a control ignores it then."""
    return event.key() in TRANSPORT and not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier


def claims(event: QEvent, keys: frozenset[Qt.Key]) -> bool:
    """Whether this event asks if the control wants one of these keys, unmodified; it is then accepted."""
    if event.type() != QEvent.Type.ShortcutOverride or not isinstance(event, QKeyEvent):
        return False
    if event.key() not in keys or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
        return False
    event.accept()
    return True


class Slider(QSlider):
    """A horizontal slider that goes to where it is clicked and leaves the wheel to the panel."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent=parent)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the number beside it is what the keyboard reaches

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """A slider is for the mouse."""
        event.ignore()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Turn only with the keyboard focus; otherwise the panel scrolls."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """The value is set; whatever has the keyboard is done with."""
        super().mouseReleaseEvent(event)
        let_go(self)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go to the place clicked, then let Qt drag from there."""
        if event.button() == Qt.MouseButton.LeftButton:
            handle = self.style().pixelMetric(QtWidgets.QStyle.PixelMetric.PM_SliderLength, None, self)
            span = max(1, self.width() - handle)
            at = min(max(round(event.position().x() - handle / 2), 0), span)
            self.setValue(QtWidgets.QStyle.sliderValueFromPosition(self.minimum(), self.maximum(), at, span))
        super().mousePressEvent(event)


class ListBox(QComboBox):
    """A combo box whose list shows its entries whole."""

    def __init__(self, parent: QWidget | None = None, objectName: str = "") -> None:
        super().__init__(parent, objectName=objectName, maxVisibleItems=MOST_ENTRIES)

    def showPopup(self) -> None:
        """The list, as wide as its longest entry."""
        view, holder = self.view(), self.view().parentWidget()
        scrolls = self.count() > self.maxVisibleItems()
        bar = self.style().pixelMetric(QtWidgets.QStyle.PixelMetric.PM_ScrollBarExtent, None, view) if scrolls else 0
        if holder is not None:
            holder.setMinimumWidth(view.sizeHintForColumn(0) + 2 * SPACING + bar)
        super().showPopup()
        if holder is not None:
            self._end_with_a_whole_row(holder)

    def _end_with_a_whole_row(self, holder: QWidget) -> None:
        """Where the screen has no room for the whole list, the last row in sight is not cut."""
        room = self.view().viewport().height()
        rows = itertools.accumulate(self.view().sizeHintForRow(row) for row in range(self.count()))
        whole = max((below for below in rows if below <= room), default=room)
        place = holder.geometry()
        if place.top() < self.mapToGlobal(QPoint()).y():  # it stands on the box
            place.setTop(place.top() + room - whole)
        else:
            place.setHeight(place.height() - room + whole)
        holder.setGeometry(place)


class ComboBox(ListBox):
    """A combo box that leaves the wheel to the panel and may be narrower than its longest entry."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.activated.connect(self._let_go)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter opens the list; keys that drive time are not for it."""
        if event.key() in ENTER:
            self.showPopup()
        elif leaves(event):
            event.ignore()
        else:
            super().keyPressEvent(event)

    def hidePopup(self) -> None:
        """The list is closed, with a choice or without."""
        super().hidePopup()
        self._let_go()

    @Slot()
    def _let_go(self) -> None:
        let_go(self)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Turn only with the keyboard focus; otherwise the panel scrolls."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class CheckBox(QCheckBox):
    """A check box that Enter toggles, because Space plays."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent=parent)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter toggles."""
        if not _pressed_by_enter(self, event):
            super().keyPressEvent(event)


class ToolButton(QToolButton):
    """A tool button that is reached by Tab and pressed by Enter, and does not take the focus when clicked."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAutoRaise(True)

    def actionEvent(self, event: QActionEvent) -> None:
        """Look like the action when it has changed.

        Qt would make it the action of the button once more, which connects the two once more: 144 bytes for each change
        that stay as long as the window (Qt 6.11), several megabytes in an hour of undo.
        """
        action = event.action()
        if event.type() != QEvent.Type.ActionChanged or action != self.defaultAction():
            super().actionEvent(event)
            return
        tip = action.toolTip()
        tip = tip if tip.startswith("<qt>") else plain(tip)  # most are plain already
        self.setText(action.iconText().replace("&", "&&"))
        self.setIcon(action.icon())
        self.setToolTip(tip)
        self.setStatusTip(action.statusTip())
        self.setCheckable(action.isCheckable())
        self.setChecked(action.isChecked())
        self.setEnabled(action.isEnabled())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter presses."""
        if not _pressed_by_enter(self, event):
            super().keyPressEvent(event)


class PushButton(QPushButton):
    """A push button that Enter presses, because Space plays; it does not take the focus when clicked."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent=parent)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter presses."""
        if not _pressed_by_enter(self, event):
            super().keyPressEvent(event)


def _pressed_by_enter(button: QAbstractButton, event: QKeyEvent) -> bool:
    """Whether the key was Enter, which presses the button, or one that drives time and is left alone."""
    if event.key() in ENTER:
        button.click()
    elif leaves(event):
        event.ignore()
    else:
        return False
    return True


class StillLabel(QWidget):
    """One line of text whose size never follows its text, so that a new text costs a repaint and no new layout.

    The text is shortened with an ellipsis where it does not fit; the whole of it is then the tool tip.
    """

    def __init__(self, widest: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self._text = ""
        self._widest = widest
        self._colour = ""
        self._align = Qt.AlignmentFlag.AlignLeft
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def text(self) -> str:
        """The whole text."""
        return self._text

    def setText(self, text: str) -> None:
        """Show another text."""
        if text != self._text:
            self._text = text
            self.setAccessibleName(text)
            self.update()

    def set_widest(self, text: str) -> None:
        """Reserve the room this text needs."""
        if text != self._widest:
            self._widest = text
            self.updateGeometry()

    def set_alignment(self, alignment: Qt.AlignmentFlag) -> None:
        """Where the text stands in its room."""
        self._align = alignment
        self.update()

    def set_colour(self, colour: str) -> None:
        """The colour of the text."""
        self._colour = colour
        self.update()

    def sizeHint(self) -> QSize:
        """The room of the widest text."""
        metrics = QFontMetrics(self.font())
        return QSize(metrics.horizontalAdvance(self._widest) + 4, metrics.height() + 4)

    def minimumSizeHint(self) -> QSize:
        """The same: the layout decides by showing or hiding, not by squeezing."""
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the text, shortened if need be."""
        painter = QPainter(self)
        shown = painter.fontMetrics().elidedText(self._text, Qt.TextElideMode.ElideRight, self.width())
        painter.setPen(QColor(self._colour) if self._colour else self.palette().windowText().color())
        painter.drawText(self.rect(), int(Qt.AlignmentFlag.AlignVCenter | self._align), shown)
        painter.end()
        tip = plain(self._text if shown != self._text else "")
        if tip != self.toolTip():
            self.setToolTip(tip)


class WrappedLabel(PlainLabel):
    """A label that breaks its lines and is as tall as they need."""

    def __init__(self, role: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.setWordWrap(True)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        if role:
            self.setProperty("role", role)
