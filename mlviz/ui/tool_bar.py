"""The tools as actions and buttons, and the popup with the settings of the brush."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt, Slot
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QSizePolicy, QToolBar, QWidget

from mlviz.ui import icons
from mlviz.ui.actions import ActionSpec
from mlviz.ui.class_bar import KEYS, ClassBar
from mlviz.ui.controls import Slider, ToolButton
from mlviz.ui.editors import TOOLBOX, Editor, Tool
from mlviz.ui.editors.points import LARGEST, SMALLEST, PointsEditor
from mlviz.ui.editors.toolbox import COMMANDS, Command
from mlviz.views.plain_text import PlainLabel, plain
from mlviz.views.theme import SPACING, Theme

if TYPE_CHECKING:
    from mlviz.ui.window import MainWindow

ROOMY = 1180
"""The width of a window, in pixels, from which the tool bar has all its buttons."""


def edit_specs(window: MainWindow) -> tuple[ActionSpec, ...]:
    """What can be done to the selection."""
    return (
        ActionSpec("select_all", "&Edit", "Select all", lambda: window.editor.select_all(), "Ctrl+A", separated=True),
        ActionSpec("delete", "&Edit", "Delete the selection", lambda: window.editor.delete_selection(), "Delete"),
    )


def tools_by_key() -> dict[str, Tool]:
    """For every key the first tool that it takes: the same key takes the like tool of whatever data are on the desk."""
    found: dict[str, Tool] = {}
    for tools in TOOLBOX.values():
        for tool in tools:
            found.setdefault(tool.keys, tool)
    return found


def _commands(window: MainWindow) -> Iterator[ActionSpec]:
    """What can be done besides drawing, for every kind of data."""
    for kind, listed in COMMANDS.items():
        for number, command in enumerate(listed):
            run = partial(_carry_out, window, kind, command)
            yield ActionSpec(
                command.name, "&Draw", command.text, run, checkable=command.checkable, separated=number == 0
            )


def _carry_out(window: MainWindow, kind: str, command: Command) -> None:
    getattr(window.editor_of(kind), command.method)(*command.arguments)


def _choose_class(window: MainWindow, group: int) -> None:
    window.labeller.choose_class(group)


def specs(window: MainWindow) -> tuple[ActionSpec, ...]:
    """The tools, the brush and the classes."""
    drawing = window.drawing
    return (
        *(
            ActionSpec(f"tool_{tool.name}", "&Draw", tool.text, partial(window.take_tool, keys), keys, tool.icon, True)
            for keys, tool in tools_by_key().items()
        ),
        *_commands(window),
        ActionSpec("brush_smaller", "&Draw", "Smaller brush", partial(drawing.grow, 1 / 1.25), "[", separated=True),
        ActionSpec("brush_larger", "&Draw", "Larger brush", partial(drawing.grow, 1.25), "]"),
        *(
            ActionSpec(
                f"class_{number}",
                "&Class",
                f"Draw in class {number}",
                partial(_choose_class, window, number - 1),
                str(number),
            )
            for number in range(1, KEYS + 1)
        ),
        ActionSpec("class_add", "&Class", "Add a class", lambda: window.labeller.add_class(), "+", separated=True),
        ActionSpec("class_edit", "&Class", "Name and colour of the class…", window.edit_class, "F2"),
    )


def main_tool_bar(window: MainWindow) -> QToolBar:
    """Files and undo, the drawing tools, the name of the method, and how it all looks: one row at 1024 pixels."""
    bar = QToolBar("Tools", window, objectName="toolbar", movable=False)
    bar.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
    bar.setIconSize(QSize(20, 20))
    extra = [_button(bar, window.actions_table["lessons"])]
    for name in ("open", "save", "undo", "redo"):
        _button(bar, window.actions_table[name])
    bar.addSeparator()
    bar.addWidget(window.drawing_bar)
    window.installEventFilter(window.drawing_bar)
    title = window.title_label
    title.setObjectName("method_title")
    title.set_alignment(Qt.AlignmentFlag.AlignHCenter)
    title.setMinimumWidth(1)
    title.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
    bar.addWidget(title)
    bar.addWidget(window.compare_button)
    extra.append(_button(bar, window.actions_table["palette"]))
    for name in ("theme", "present", "export"):
        _button(bar, window.actions_table[name])
    window.drawing_bar.extra = tuple(extra)
    return bar


def _button(bar: QToolBar, action: QAction) -> QAction:
    """A button of our own; hidden, its action keeps its key and its place in the menu."""
    button = ToolButton(bar)
    button.setObjectName(action.objectName().replace("action", "bar"))
    button.setDefaultAction(action)
    button.setIconSize(bar.iconSize())
    return bar.addWidget(button)


class DrawingBar(QWidget):
    """The buttons of the tools, the brush and the classes."""

    extra: tuple[QAction, ...] = ()
    """Buttons that a narrow window does without: they have keys and stand in the menus."""

    def __init__(self, window: MainWindow, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.setObjectName("drawing_bar")
        self._window, self._actions = window, window.actions_table
        drawing = window.drawing
        self._drawing = drawing
        self._group = QActionGroup(self)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(1)
        self._names = {keys: f"tool_{tool.name}" for keys, tool in tools_by_key().items()}
        self._buttons = {keys: self._tool_button(name) for keys, name in self._names.items()}
        for button in self._buttons.values():
            row.addWidget(button)
        self.brush_button = ToolButton(self)
        self.brush_button.setObjectName("brush_settings")
        self.brush_button.setProperty("role", "tool")
        self.brush_button.setToolTip("Size of the brush, number of points")
        self.brush_button.setAccessibleName("Settings of the brush")
        self.brush_button.clicked.connect(self.show_settings)
        row.addWidget(self.brush_button)
        row.addSpacing(SPACING)
        self.classes = ClassBar(self)
        row.addWidget(self.classes)
        self.settings = BrushPopup(drawing, self)
        self.classes.chosen.connect(self._choose_class)
        self.classes.added.connect(self._add_class)
        self.classes.renamed.connect(self._rename_class)
        self.classes.recoloured.connect(self._recolour_class)
        window.editor_made.connect(self._listen)
        self._listen(drawing)

    @Slot(object)
    def _listen(self, editor: Editor) -> None:
        editor.changed.connect(self.refresh)

    @Slot(int)
    def _choose_class(self, group: int) -> None:
        self._window.labeller.choose_class(group)

    @Slot()
    def _add_class(self) -> None:
        self._window.labeller.add_class()

    @Slot(int, str)
    def _rename_class(self, group: int, name: str) -> None:
        self._window.labeller.rename_class(group, name)

    @Slot(int, str)
    def _recolour_class(self, group: int, colour: str) -> None:
        self._window.labeller.recolour_class(group, colour)

    def _tool_button(self, name: str) -> ToolButton:
        action = self._actions[name]
        self._group.addAction(action)
        button = ToolButton(self)
        button.setObjectName(name)
        button.setDefaultAction(action)
        button.setProperty("role", "tool")
        button.setIconSize(QSize(20, 20))
        return button

    def set_theme(self, theme: Theme) -> None:
        """Colours and sizes from now on."""
        self.brush_button.setIcon(icons.icon("sliders", theme))
        self.brush_button.setIconSize(QSize(20, 20))
        self.classes.set_theme(theme)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The window has another width."""
        if event.type() == QEvent.Type.Resize and isinstance(watched, QWidget) and watched is self.window():
            self.classes.set_room(watched.width())
            for button in self.extra:
                button.setVisible(watched.width() >= ROOMY)
        return super().eventFilter(watched, event)

    @Slot()
    def refresh(self) -> None:
        """Show what is in hand and what can be taken."""
        drawing, current = self._drawing, self._window.editor
        tools = {tool.keys: tool for tool in current.tools}
        for keys, name in self._names.items():
            action, tool = self._actions[name], tools.get(keys)
            self._buttons[keys].setVisible(tool is not None)
            action.setVisible(tool is not None)
            action.setEnabled(tool is not None and (tool.stroke is None or current.possible))
            if tool is not None:
                action.setText(tool.text)
                action.setToolTip(plain(f"{tool.text} ({keys})"))
                action.setIcon(icons.icon(tool.icon, self._window.theme))
                action.setChecked(tool is current.tool)
        for kind, listed in COMMANDS.items():
            for command in listed:
                self._actions[command.name].setVisible(kind == current.kind)
        self.brush_button.setEnabled(drawing.possible)
        self.brush_button.setVisible(current is drawing)
        labeller = self._window.labeller
        self.classes.setVisible(current is labeller)
        count = len(labeller.classes)
        for number in range(1, KEYS + 1):
            self._actions[f"class_{number}"].setEnabled(number <= count)
        self._actions["class_edit"].setEnabled(bool(count))
        self._actions["class_add"].setEnabled(bool(count) or current is labeller is not drawing)
        self.classes.set_classes(labeller.classes, labeller.group)
        self.settings.refresh()

    @Slot()
    def show_settings(self) -> None:
        """The popup below its button."""
        self.settings.adjustSize()
        self.settings.move(self.brush_button.mapToGlobal(QPoint(0, self.brush_button.height() + 2)))
        self.settings.show()


class BrushPopup(QFrame):
    """Sliders for the settings of the tools; they act at once."""

    ROWS = (
        ("radius", "Radius of the brush", SMALLEST, LARGEST, "{} px"),
        ("flow", "Density of the spray", 1, 30, "{} a dab"),
        ("count", "Points of a line or stamp", 2, 300, "{}"),
    )

    def __init__(self, drawing: PointsEditor, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("brush_popup")
        self.setProperty("role", "popup")
        self._drawing = drawing
        self.sliders: dict[str, Slider] = {}
        self._values: dict[str, PlainLabel] = {}
        grid = QGridLayout(self)
        grid.setContentsMargins(SPACING * 2, SPACING, SPACING * 2, SPACING)
        for row, (name, text, least, most, _) in enumerate(self.ROWS):
            slider = Slider(self)
            slider.setObjectName(f"brush_{name}")
            slider.setAccessibleName(text)
            slider.setRange(least, most)
            slider.setMinimumWidth(140)
            slider.valueChanged.connect(partial(self._moved, name))
            self.sliders[name], self._values[name] = slider, PlainLabel()
            self._values[name].setMinimumWidth(64)
            grid.addWidget(PlainLabel(text), row, 0)
            grid.addWidget(slider, row, 1)
            grid.addWidget(self._values[name], row, 2)
        self.refresh()

    def _moved(self, name: str, value: int) -> None:
        if value != getattr(self._drawing.brush, name):
            self._drawing.set_brush(**{name: value})

    def refresh(self) -> None:
        """Show the settings as they are."""
        for name, _, _, _, form in self.ROWS:
            value = getattr(self._drawing.brush, name)
            self.sliders[name].setValue(value)
            self._values[name].setText(form.format(value))
