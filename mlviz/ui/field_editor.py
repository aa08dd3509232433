"""A row of the form: what the editors of all kinds of parameters have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QSize, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QVBoxLayout, QWidget

from algorithms.params import Field, ParamError
from mlviz.ui.controls import ToolButton, WrappedLabel, let_go
from mlviz.ui.icons import icon
from mlviz.views.plain_text import PlainLabel, plain
from mlviz.views.theme import Theme


class FieldEditor(QWidget):
    """A row of the form: label, control, an arrow back to the default, and a sentence when a value is refused."""

    changed = Signal(object)

    def __init__(self, field: Field, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.field = field
        self.relevant = True
        self.setObjectName(f"param_{field.name}")
        self._value: Any = field.default
        self.label = PlainLabel(field.label, parent=self)
        self.label.setObjectName(f"param_{field.name}_label")
        self.reset = _reset_button(field, self)
        self.reset.clicked.connect(self._back_to_default)
        self.message = WrappedLabel(role="error", parent=self)
        self.message.setObjectName(f"param_{field.name}_message")
        self.message.hide()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(2)
        self._build()
        self._column.addWidget(self.message)
        self._dress()
        self.set_value(field.default)

    def value(self) -> Any:
        """The current value, of the field's own type."""
        return self._value

    def set_value(self, value: Any) -> None:
        """Show a value without telling anybody."""
        self._value = self.field.check(value)
        self._say("")
        self._show()
        self.reset.setVisible(self._value != self.field.default)

    def set_theme(self, theme: Theme) -> None:
        """The colours of the arrow back."""
        size = round(theme.font * 1.6)
        self.reset.setIcon(icon("reset", theme, theme.accent))
        self.reset.setIconSize(QSize(size, size))

    def set_relevant(self, relevant: bool) -> None:
        """Grey the row out while it has no effect, and say why in the tool tip."""
        self.relevant = relevant
        self.setEnabled(relevant)
        self.setToolTip(plain(_tip(self.field, relevant)))

    def set_extents(self, extents: Mapping[str, int]) -> None:
        """How many items and features the data have; only numbers of them ask."""

    def control(self) -> QWidget:
        """The widget that takes the keyboard."""
        raise NotImplementedError

    def _build(self) -> None:
        raise NotImplementedError

    def _show(self) -> None:
        raise NotImplementedError

    def _dress(self) -> None:
        self.setToolTip(plain(_tip(self.field, True)))
        control = self.control()
        control.setObjectName(f"param_{self.field.name}_value")
        control.setAccessibleName(self.field.label)
        control.setAccessibleDescription(self.field.doc)
        self.label.setBuddy(control)
        self.setFocusProxy(control)

    def _commit(self, value: Any) -> None:
        """Take a value from the user."""
        try:
            checked = self.field.check(value)
        except ParamError as error:
            self._say(str(error))
            return
        self._say("")
        if checked != self._value:
            self._value = checked
            self.reset.setVisible(checked != self.field.default)
            self.changed.emit(checked)

    @Slot(str)
    def _say(self, sentence: str) -> None:
        if sentence == self.message.text():
            return
        self.message.setText(sentence)
        self.message.setVisible(bool(sentence))
        control = self.control()
        control.setProperty("state", "invalid" if sentence else "")
        control.style().polish(control)

    def _leave(self, control: QWidget) -> None:
        """Enter was pressed: let go, unless what stands there was refused and has to be mended."""
        if not self.message.text():
            let_go(control)

    @Slot()
    def _back_to_default(self) -> None:
        value = self.field.default
        if value != self._value:
            self.set_value(value)
            self.changed.emit(value)


class LabelledRow(QWidget):
    """A label beside its control, or above it where there is not enough room or the control is ``wide``."""

    def __init__(
        self, label: QWidget, control: QWidget, reset: QWidget, parent: QWidget, *, wide: bool = False
    ) -> None:
        super().__init__(parent=parent)
        self._wide = wide
        self._label = label
        self._control = control
        self._reset = reset
        self._box = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._box.setSpacing(4)
        line = QHBoxLayout()
        line.setSpacing(4)
        line.addWidget(label, 1)
        line.addWidget(reset)
        self._box.addLayout(line)
        self._box.addWidget(control)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Choose the direction for the new width."""
        super().resizeEvent(event)
        needed = sum(part.sizeHint().width() for part in (self._label, self._reset, self._control)) + 16
        fits = not self._wide and needed <= self.width()
        direction = QBoxLayout.Direction.LeftToRight if fits else QBoxLayout.Direction.TopToBottom
        if direction != self._box.direction():
            self._box.setDirection(direction)


def _reset_button(field: Field, parent: QWidget) -> ToolButton:
    button = ToolButton(parent=parent)
    button.setObjectName(f"param_{field.name}_reset")
    button.setProperty("role", "small")
    button.setAccessibleName(f"Reset {field.label}")
    button.setToolTip(plain(f"Back to {_in_words(field)}"))
    policy = button.sizePolicy()
    policy.setRetainSizeWhenHidden(True)
    button.setSizePolicy(policy)
    button.hide()
    return button


def _in_words(field: Field) -> str:
    value = field.default
    if field.kind in ("ints", "floats", "matrix", "points"):
        return "the default" if value else "none"
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _tip(field: Field, relevant: bool) -> str:
    lines = [field.doc]
    if field.kind not in ("bool", "choice", "points"):
        scale = ", by factors" if field.log else ""
        lines.append(f"{field.describe().capitalize()}{scale}.")
    if not relevant and field.when is not None:
        values = " or ".join(str(value) for value in field.when.values)
        lines.append(f"It has no effect unless {field.when.name.replace('_', ' ')} is {values}.")
    return "\n".join(lines)
