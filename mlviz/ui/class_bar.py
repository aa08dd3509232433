"""The class chooser: a button for each class that has a key, with its shape and colour, and a list of the others.

A popup names and colours a class.
"""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPoint, QSize, Qt, Signal, Slot
from PySide6.QtGui import QColor, QIcon, QMouseEvent, QPainter, QPixmap
from PySide6.QtWidgets import QColorDialog, QFrame, QHBoxLayout, QLineEdit, QMenu, QVBoxLayout, QWidget

from mlviz.session.edits import MOST_CLASSES
from mlviz.ui.controls import PushButton, ToolButton
from mlviz.views.plain_text import PlainLabel, plain
from mlviz.views.sprites import Sprite
from mlviz.views.theme import LIGHT, SPACING, THEMES, Theme

KEYS = 9
"""Classes with a key and, where the window is wide enough, a button; further ones are in a list behind the last."""
REST, EACH = 800, 36
"""What the rest of the tool bar and each button take of the width of the window, in pixels."""
ROOMY, WIDE, TITLE = 4, 48, 110
"""With more classes than the first number the buttons leave out the digits, and wherever buttons of the second width
(pixels) would not leave the third for the name of the method."""


class ClassBar(QWidget):
    """Chooses the class to draw in; hidden while the data has none."""

    chosen = Signal(int)
    added = Signal()
    renamed = Signal(int, str)
    recoloured = Signal(int, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.setObjectName("class_bar")
        self._theme = LIGHT
        self._state: tuple[object, ...] = ()
        self._names: tuple[str, ...] = ()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(1)
        self.buttons = [self._button(group) for group in range(KEYS)]
        for button in self.buttons:
            row.addWidget(button)
        self.more = self._more_button()
        row.addWidget(self.more)
        self.add_button = ToolButton(self)
        self.add_button.setObjectName("class_add")
        self.add_button.setText("+")
        self.add_button.setToolTip("Add a class (+)")
        self.add_button.setProperty("role", "tool")
        self.add_button.clicked.connect(self.added)
        row.addWidget(self.add_button)
        self.popup = ClassPopup(self)
        self.popup.renamed.connect(self.renamed)
        self.popup.recoloured.connect(self.recoloured)

    def _button(self, group: int) -> _ClassButton:
        button = _ClassButton(self)
        button.setObjectName(f"class_{group + 1}")
        button.clicked.connect(partial(self._clicked, group))
        button.asked.connect(partial(self.edit, group))
        return button

    def _more_button(self) -> _ClassButton:
        """The button that opens the list of classes; it wears the look of the chosen one when that has no button."""
        button = _ClassButton(self)
        button.setObjectName("class_more")
        button.setPopupMode(ToolButton.ToolButtonPopupMode.InstantPopup)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.menu = QMenu(button, objectName="class_menu")
        self.menu.setStyleSheet("QMenu { menu-scrollable: 1; }")
        button.setMenu(self.menu)
        button.asked.connect(self._edit_chosen)
        return button

    @Slot()
    def _edit_chosen(self) -> None:
        self.edit(self._group)

    def _clicked(self, group: int) -> None:
        self.chosen.emit(group)

    def set_theme(self, theme: Theme) -> None:
        """Colours and sizes from now on."""
        self._theme = theme
        self.set_classes(self._names, self._group)

    _group = 0
    _room = KEYS
    _width = 10_000

    def set_classes(self, names: tuple[str, ...], group: int) -> None:
        """Offer these classes, with one of them chosen; does nothing when nothing has changed."""
        digits = len(names) <= ROOMY and self._width - REST >= len(names) * WIDE + TITLE
        state = (names, group, self._theme, self._room, digits)
        if state == self._state:
            return
        self._state, self._names, self._group = state, names, group
        style = Qt.ToolButtonStyle
        own = self._own(len(names))
        for number, button in enumerate(self.buttons):
            button.setVisible(number < own)
            if number < own:
                button.setIcon(class_icon(self._theme, number))
                button.setChecked(number == group)
                button.setText(str(number + 1))
                button.setToolButtonStyle(style.ToolButtonTextBesideIcon if digits else style.ToolButtonIconOnly)
                button.setToolTip(
                    plain(f"Draw in class {names[number]} ({number + 1}); right-click to name and colour it")
                )
                button.setAccessibleName(f"Class {names[number]}")
        self._set_more(names, group, own)
        self.setVisible(bool(names))
        self.add_button.setVisible(len(names) < MOST_CLASSES)

    def set_room(self, width: int) -> None:
        """The window is so wide: as many classes have a button as fit."""
        self._width, self._room = width, max((width - REST) // EACH, 3)
        self.set_classes(self._names, self._group)

    def _own(self, count: int) -> int:
        """How many classes have a button; the list takes the room of three."""
        return count if count <= min(self._room, KEYS) else min(max(self._room - 3, 1), KEYS - 2)

    def _set_more(self, names: tuple[str, ...], group: int, own: int) -> None:
        """The list of the classes after the first ``own``."""
        self.more.setVisible(len(names) > own)
        self.menu.clear()
        for number, name in enumerate(names[own:], start=own):
            action = self.menu.addAction(class_icon(self._theme, number), f"{number + 1}   {name}")
            action.setCheckable(True)
            action.setChecked(number == group)
            action.triggered.connect(partial(self._clicked, number))
        chosen = own <= group < len(names)
        self.more.setIcon(class_icon(self._theme, group) if chosen else QIcon())
        self.more.setText(str(group + 1) if chosen else "…")
        self.more.setChecked(chosen)
        what = f"Draws in class {names[group]}. " if chosen else ""
        choose = f"Choose among the other {len(names) - own} classes; right-click to name and colour"
        self.more.setToolTip(plain(f"{what}{choose}"))
        self.more.setAccessibleName("More classes")

    def edit(self, group: int) -> None:
        """Name and colour a class."""
        if group < len(self._names):
            button = self.buttons[group] if group < KEYS and self.buttons[group].isVisibleTo(self) else self.more
            self.popup.open(group, self._names[group], self._theme, button.mapToGlobal(QPoint(0, button.height() + 2)))


class _ClassButton(ToolButton):
    """A class; the right button or a double click asks for its name and colour."""

    asked = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setCheckable(True)
        self.setProperty("role", "tool")
        self.setIconSize(QSize(16, 16))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """The right button asks."""
        if event.button() == Qt.MouseButton.RightButton:
            self.asked.emit()
        else:
            super().mousePressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """So does a double click."""
        self.asked.emit()

    def nextCheckState(self) -> None:
        """The bar says who is checked; a click on the chosen class does not unchoose it."""


class ClassPopup(QFrame):
    """The name and the colour of one class."""

    renamed = Signal(int, str)
    recoloured = Signal(int, str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("class_popup")
        self.setProperty("role", "popup")
        self._group = 0
        self.name = QLineEdit(objectName="class_name", accessibleName="Name of the class")
        self.name.returnPressed.connect(self._finish)
        self.swatches = [ToolButton(self) for _ in LIGHT.classes]
        colours = QHBoxLayout()
        colours.setSpacing(2)
        for number, swatch in enumerate(self.swatches):
            swatch.setObjectName(f"swatch_{number + 1}")
            swatch.setProperty("role", "tool")
            swatch.clicked.connect(partial(self._take, number))
            colours.addWidget(swatch)
        other, own = PushButton("Other…", self), PushButton("As before", self)
        other.clicked.connect(self._ask)
        own.clicked.connect(partial(self._send, ""))
        own.setToolTip("The colour that the theme gives to this class")
        buttons = QHBoxLayout()
        buttons.addWidget(other)
        buttons.addWidget(own)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACING, SPACING, SPACING, SPACING)
        column.addWidget(PlainLabel("Name"))
        column.addWidget(self.name)
        column.addWidget(PlainLabel("Colour"))
        column.addLayout(colours)
        column.addLayout(buttons)

    def open(self, group: int, name: str, theme: Theme, place: QPoint) -> None:
        """Ask about this class."""
        self._group, self._theme = group, theme
        self.name.setText(name)
        self.name.selectAll()
        for swatch, colour in zip(self.swatches, THEMES[theme.name].classes):
            swatch.setIcon(_swatch(colour))
            swatch.setToolTip(plain(colour))
        self.adjustSize()
        self.move(place)
        self.show()
        self.name.setFocus()

    @Slot()
    def _finish(self) -> None:
        self.renamed.emit(self._group, self.name.text())
        self.hide()

    def _take(self, number: int) -> None:
        self._send(THEMES[self._theme.name].classes[number])

    def _send(self, colour: str) -> None:
        self.recoloured.emit(self._group, colour)

    @Slot()
    def _ask(self) -> None:
        self.hide()
        dialog = QColorDialog(QColor(self._theme.colour(self._group)), self.parentWidget())
        dialog.setWindowTitle("Colour of the class")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.colorSelected.connect(self._picked)
        dialog.open()

    @Slot(QColor)
    def _picked(self, colour: QColor) -> None:
        self._send(colour.name())


def class_icon(theme: Theme, group: int) -> QIcon:
    """The symbol of a class as it looks on the plane."""
    pixmap = QPixmap(32, 32)
    pixmap.setDevicePixelRatio(2.0)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(8, 8)
    Sprite(theme.shape(group), 12.0, theme.colour(group), theme.surface, 0.5).draw(painter)
    painter.end()
    return QIcon(pixmap)


def _swatch(colour: str) -> QIcon:
    pixmap = QPixmap(40, 40)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(QColor(colour))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.drawRoundedRect(2, 2, 36, 36, 8, 8)
    painter.end()
    return QIcon(pixmap)
