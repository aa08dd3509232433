"""Presenter mode: the picture and its caption alone, in projector sizes, with what a lecturer needs at the board.

The laser pointer is the cursor of the mouse, so that everything can still be clicked; the pen draws over the board
(see ``annotations.py``); the black screen covers the window until the key comes again, Esc, or a click. Esc takes back
one thing after the other: the black screen, strokes and pointers, then presenter mode itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import shiboken6
from PySide6.QtCore import QByteArray, QEvent, QObject, QPointF, QRect, Qt, QTimer, Slot
from PySide6.QtGui import QColor, QCursor, QMouseEvent, QPainter, QPaintEvent, QPixmap, QRadialGradient
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from algorithms.contract import AnySnapshot
from mlviz.ui.actions import ActionSpec
from mlviz.ui.annotations import Annotations
from mlviz.ui.prose import Prose
from mlviz.ui.settled_repaint import SettledRepaint
from mlviz.views.theme import SPACING, Theme

if TYPE_CHECKING:
    from mlviz.ui.window import MainWindow

LASER, GLOW = 9.0, 22.0
"""The radii of the pointer and of its glow, in logical pixels."""


class CaptionStrip(QWidget):
    """What happens, in one or two sentences under the picture."""

    def __init__(self) -> None:
        super().__init__(objectName="caption_strip")
        self.caption, self.warning = Prose(name="large_caption"), Prose(name="large_warning")
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACING, SPACING, SPACING, 0)
        column.setSpacing(SPACING // 2)
        for sentence in (self.caption, self.warning):
            column.addWidget(sentence)
        self._later = QTimer(self, objectName="caption_room", interval=0, singleShot=True)
        self._later.timeout.connect(self._take_room)
        self.hide()

    def event(self, event: QEvent) -> bool:
        """A sentence may need another room than it was given."""
        if event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Resize, QEvent.Type.Show):
            self._later.start()
        return super().event(event)

    @Slot()
    def _take_room(self) -> None:
        """A sentence that grows while the bar is laid out is forgotten by it, and its last line would be cut."""
        page = self.parentWidget()
        layout = None if page is None else page.layout()
        if layout is not None and self.isVisible() and self.height() < self.minimumSizeHint().height():
            layout.invalidate()
            layout.activate()

    def show_frame(self, snapshot: AnySnapshot, further_warning: str = "") -> None:
        """Say what this frame shows."""
        self.caption.set_text(snapshot.caption)
        warning = " ".join(filter(None, (snapshot.warning, further_warning)))
        self.warning.set_text(warning)
        self.warning.setVisible(bool(warning))

    def forget(self) -> None:
        """Give back the room that long sentences have taken."""
        self.caption.forget()
        self.warning.forget()

    def set_theme(self, theme: Theme) -> None:
        """Colours and sizes from now on."""
        for sentence, colour in ((self.caption, theme.text), (self.warning, theme.warning)):
            font = sentence.font()
            font.setPointSizeF(theme.font * 1.1)
            sentence.setFont(font)
            sentence.set_look(colour)


class Blackness(QWidget):
    """Covers its parent until it is clicked."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, objectName="blackness")
        self._covered = parent
        self.setCursor(Qt.CursorShape.BlankCursor)
        self.hide()

    def toggle(self) -> None:
        """Black, or not."""
        self.setGeometry(self._covered.rect())
        self.raise_()
        self.setVisible(self.isHidden())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Enough."""
        self.hide()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Nothing is to be seen."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor("#000000"))
        painter.end()


class Presenter(QObject):
    """Owns presenter mode of a window, and the laser pointer, pen and black screen."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.on = False
        self.caption = CaptionStrip()
        self.blackness = Blackness(window)
        self._annotations: Annotations | None = None
        self._pointing = False
        self._kept = (QByteArray(), QRect(), Qt.WindowState.WindowNoState)
        self._place: QRect | None = None
        self._repaint = SettledRepaint(self)
        self._restoring = QTimer(self, objectName="presenter_restoring", interval=0, singleShot=True)
        self._restoring.timeout.connect(self._restore_place)

    def specs(self) -> tuple[ActionSpec, ...]:
        """The actions of a lecturer."""
        return (
            ActionSpec("present", "&View", "Presenter mode", self.toggle, "F5", "present", True, separated=True),
            ActionSpec("present_here", "&View", "Presenter mode in the window", self.toggle_in_window, "Shift+F5"),
            ActionSpec("laser", "&View", "Laser pointer", self.toggle_laser, "F8", checkable=True, also="Ctrl+L"),
            ActionSpec("pen", "&View", "Pen to annotate", self.toggle_pen, "F7", checkable=True),
            ActionSpec(
                "black_out", "&View", "Black screen, presenting", self.black_out, ".", also="B", presenting=True
            ),
        )

    def show_frame(self, snapshot: AnySnapshot, further_warning: str = "") -> None:
        """Say what happens in this frame."""
        self.caption.show_frame(snapshot, further_warning)

    def set_theme(self, theme: Theme) -> None:
        """Colours and sizes from now on."""
        self.caption.set_theme(theme)
        if self.annotations is not None:
            self.annotations.set_theme(theme)

    # -- presenter mode ------------------------------------------------------------------------------------------

    def toggle(self) -> None:
        """Hide everything but picture, caption and transport, on the whole screen; or bring it back."""
        self._switch(full_screen=True)

    def toggle_in_window(self) -> None:
        """The same within the window, as for a call in which a window is shared."""
        self._switch(full_screen=False)

    def _switch(self, full_screen: bool) -> None:
        window = self._window
        boards = window.centralWidget()
        assert boards is not None
        self._repaint.hold(boards)
        self.on = not self.on
        window.actions_table.set_presenting(self.on)
        if self.on:
            self._kept = (window.saveState(), window.geometry(), window.windowState())
        else:  # docks that come back with large letters would make the window larger than the screen, for good
            self.put_down()
            self.blackness.hide()
            window.set_theme(window.theme.name)
        for widget in (window.toolbar, window.statusBar(), window.menuBar()):
            widget.setVisible(not self.on)
        if self.on:  # those that were there come back with the state
            for dock in window.docks:
                dock.hide()
        self.caption.setVisible(self.on)
        if self.on:
            window.set_theme(window.theme.name)
            if full_screen:
                window.setWindowState(window.windowState() | Qt.WindowState.WindowFullScreen)
        else:
            state, place, look = self._kept
            window.restoreState(state)
            if window.isFullScreen():
                window.setWindowState(look)
                self._place = None if look & Qt.WindowState.WindowMaximized else place
                self._restore_place()
                self._restoring.start()
        self._repaint.lay_out()
        window.actions_table["present"].setChecked(self.on)

    @Slot()
    def _restore_place(self) -> None:
        """Back to where the window was; once more when everything in it has its old size, too."""
        if self._place is not None and not self.on:
            self._window.setGeometry(self._place)

    def escape(self) -> bool:
        """Take back the latest thing; whether there was any."""
        if self.blackness.isVisible():
            self.blackness.hide()
        elif self._pointing or (self.annotations is not None and self.annotations.isVisible()):
            self.put_down()
        elif self.on:
            self.toggle()
        else:
            return False
        return True

    # -- pointing ------------------------------------------------------------------------------------------------

    @property
    def annotations(self) -> Annotations | None:
        """What is drawn with the pen over the present board, if there was anything yet."""
        found = self._annotations
        return found if found is not None and shiboken6.isValid(found) else None

    def toggle_laser(self) -> None:
        """Let the mouse be a red light, or a mouse again."""
        if self.annotations is not None:
            self.annotations.take_pen(False)
        self._set_pointing(not self._pointing)

    def toggle_pen(self) -> None:
        """Take the pen in hand, or put it down; strokes stay until Esc."""
        self._set_pointing(False)
        paper, boards = self.annotations, self._window.centralWidget()
        if paper is None:
            assert boards is not None
            paper = self._annotations = Annotations(boards)
            paper.set_theme(self._window.theme)
        paper.take_pen(not paper.pen_in_hand)
        self._show_tools()

    def put_down(self) -> None:
        """No strokes, no pen, no pointer."""
        self._set_pointing(False)
        if self.annotations is not None:
            self.annotations.take_pen(False)
            self.annotations.clear()
        self._show_tools()

    def black_out(self) -> None:
        """A black screen, or the picture again."""
        self.blackness.toggle()

    def _set_pointing(self, on: bool) -> None:
        if on != self._pointing:
            self._pointing = on
            if on:
                QApplication.setOverrideCursor(laser_cursor(self._window.devicePixelRatioF()))
            else:
                QApplication.restoreOverrideCursor()
        self._show_tools()

    def _show_tools(self) -> None:
        table = self._window.actions_table
        table["laser"].setChecked(self._pointing)
        table["pen"].setChecked(self.annotations is not None and self.annotations.pen_in_hand)


def laser_cursor(ratio: float) -> QCursor:
    """A red light with a glow around it."""
    picture = QPixmap(round(2 * GLOW * ratio), round(2 * GLOW * ratio))
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    middle = QPointF(GLOW, GLOW)
    glow = QRadialGradient(middle, GLOW)
    glow.setColorAt(0.0, QColor(255, 40, 40, 170))
    glow.setColorAt(1.0, QColor(255, 40, 40, 0))
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    for brush, radius in ((glow, GLOW), (QColor(225, 0, 0), LASER), (QColor(255, 150, 150), LASER / 3)):
        painter.setBrush(brush)
        painter.drawEllipse(middle, radius, radius)
    painter.end()
    return QCursor(picture, round(GLOW), round(GLOW))
