"""One editor for each kind of parameter, all with the same three words: ``value``, ``set_value`` and ``changed``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import Any

from PySide6.QtCore import Slot
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLineEdit, QSizePolicy, QWidget

from algorithms.params import Field, ParamError
from mlviz.ui.controls import CheckBox, ComboBox, PushButton, Slider, ToolButton, WrappedLabel
from mlviz.ui.field_editor import FieldEditor, LabelledRow
from mlviz.ui.numbers import NumberBox, Scale


class NumberEditor(FieldEditor):
    """A slider and a spin box kept in step."""

    def _build(self) -> None:
        self.box = NumberBox(self.field, parent=self)
        self.slider = Slider(parent=self)
        self.slider.setObjectName(f"param_{self.field.name}_slider")
        self.slider.setAccessibleName(self.field.label)
        self.set_extents({})
        head = QHBoxLayout()
        head.setSpacing(4)
        head.addWidget(self.label, 1)
        head.addWidget(self.reset)
        head.addWidget(self.box)
        self._column.addLayout(head)
        self._column.addWidget(self.slider)
        self.box.valueChanged.connect(self._typed)
        self.box.refused.connect(self._say)
        self.slider.valueChanged.connect(self._slid)

    def set_extents(self, extents: Mapping[str, int]) -> None:
        """The slider and the arrows of the box end where the data do; what is typed may be more, and is refused."""
        self.scale = self.box.scale = Scale.of(self.field, extents)
        self.slider.blockSignals(True)
        self.slider.setRange(0, self.scale.positions)
        self.slider.blockSignals(False)
        few = self.scale.positions < 1000
        self.slider.setSingleStep(1 if few else 10)
        self.slider.setPageStep(max(1, self.scale.positions // 10))
        self._follow()

    def control(self) -> QWidget:
        """The spin box."""
        return self.box

    def _show(self) -> None:
        self.box.blockSignals(True)
        self.box.setValue(self._value)
        self.box.blockSignals(False)
        self._follow()
        self._fit()

    def _follow(self) -> None:
        self.slider.blockSignals(True)
        self.slider.setValue(self.scale.position(self._value))
        self.slider.blockSignals(False)

    def _fit(self) -> None:
        """Room for six digits or the current text, whichever is longer, so that nothing is clipped."""
        suffix = self.box.suffix()
        metrics = QFontMetrics(self.box.font())
        widest = max(metrics.horizontalAdvance("0" * 6 + suffix), metrics.horizontalAdvance(self.box.text()))
        self.box.setFixedWidth(widest + 24)

    @Slot(float)
    def _typed(self, value: float) -> None:
        self._commit(round(value) if self.field.kind == "int" else value)
        self._follow()
        self._fit()

    @Slot(int)
    def _slid(self, position: int) -> None:
        value = self.scale.value(position)
        if self.scale.position(self._value) != position:
            self._commit(value)
            self.box.blockSignals(True)
            self.box.setValue(value)
            self.box.blockSignals(False)
            self._fit()


class ChoiceEditor(FieldEditor):
    """A combo box."""

    def _build(self) -> None:
        self.combo = ComboBox(parent=self)
        self.combo.addItems(list(self.field.choices))
        self.combo.setMinimumContentsLength(6)
        self.combo.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToContents)
        self.combo.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.combo.currentTextChanged.connect(self._commit)
        self._column.addWidget(LabelledRow(self.label, self.combo, self.reset, self))

    def control(self) -> QWidget:
        """The combo box."""
        return self.combo

    def _show(self) -> None:
        self.combo.blockSignals(True)
        self.combo.setCurrentText(self._value)
        self.combo.blockSignals(False)

    @Slot(str)
    def _commit(self, value: Any) -> None:
        super()._commit(value)


class BoolEditor(FieldEditor):
    """A check box; its own text is the label."""

    def _build(self) -> None:
        self.label.hide()
        self.check = CheckBox(self.field.label, parent=self)
        row = QHBoxLayout()
        row.setSpacing(4)
        row.addWidget(self.check, 1)
        row.addWidget(self.reset)
        self._column.addLayout(row)
        self.check.toggled.connect(self._commit)

    def control(self) -> QWidget:
        """The check box."""
        return self.check

    def _show(self) -> None:
        self.check.blockSignals(True)
        self.check.setChecked(self._value)
        self.check.blockSignals(False)

    @Slot(bool)
    def _commit(self, value: Any) -> None:
        super()._commit(value)


class LineEditor(FieldEditor):
    """A text or a formula; what cannot be read is explained below it and the last good value stays."""

    def _build(self) -> None:
        self.line = QLineEdit(parent=self)
        self.line.textEdited.connect(self._edited)
        self.line.returnPressed.connect(self._entered)
        wide = self.field.kind == "kernel"  # half a line shows half a kernel
        self._column.addWidget(LabelledRow(self.label, self.line, self.reset, self, wide=wide))

    def control(self) -> QWidget:
        """The line."""
        return self.line

    def _show(self) -> None:
        if self.line.text() != self._written():
            self.line.setText(self._written())
            if not self.line.hasFocus():
                self.line.setCursorPosition(0)  # what is longer than the line is read from its beginning

    def _written(self) -> str:
        return str(self._value)

    @Slot()
    def _entered(self) -> None:
        self._leave(self.line)
        if not self.line.hasFocus():
            self.line.setCursorPosition(0)

    @Slot(str)
    def _edited(self, text: str) -> None:
        self._commit(text.strip())


class NumbersEditor(LineEditor):
    """A line such as ``8, 8``."""

    def _written(self) -> str:
        return ", ".join(f"{number:g}" if isinstance(number, float) else str(number) for number in self._value)

    @Slot(str)
    def _edited(self, text: str) -> None:
        separators = r"[;\s]+|,\s*" if self.field.kind == "ints" else r"[;\s]+|,\s+|,$"
        words = [word for word in re.split(separators, text.strip()) if word]
        try:
            self.field.check(tuple(float(word.replace(",", ".")) for word in words))
        except (ParamError, ValueError):
            self._say(f"{self.field.name} must be {self.field.describe()}; got {text.strip()!r}.")
        else:
            self._commit(tuple(float(word.replace(",", ".")) for word in words))


class MatrixEditor(FieldEditor):
    """A grid of numbers; where the size is free, a row or a column more or less is one button away."""

    def _build(self) -> None:
        self._cells: list[list[QLineEdit]] = []
        head = QHBoxLayout()
        head.setSpacing(4)
        head.addWidget(self.label, 1)
        head.addWidget(self.reset)
        self._column.addLayout(head)
        self._grid = QGridLayout()
        self._grid.setSpacing(2)
        self._column.addLayout(self._grid)
        self._first = QLineEdit(parent=self)
        self._buttons: dict[str, ToolButton] = {}
        for free, name, text in (
            (not self.field.rows, "row", "rows"),
            (not self.field.columns, "column", "columns"),
        ):
            if free:
                for sign, amount in (("+", 1), ("\N{MINUS SIGN}", -1)):
                    button = ToolButton(parent=self)
                    button.setText(f"{sign} {name}")
                    button.setObjectName(f"param_{self.field.name}_{name}_{'more' if amount > 0 else 'less'}")
                    button.setAccessibleName(f"{'More' if amount > 0 else 'Fewer'} {text} of {self.field.label}")
                    button.clicked.connect(partial(self._resize, name, amount))
                    self._buttons[f"{name}{amount}"] = button
        if self._buttons:
            row = QHBoxLayout()
            for button in self._buttons.values():
                row.addWidget(button)
            row.addStretch(1)
            self._column.addLayout(row)

    def control(self) -> QWidget:
        """The first cell."""
        return self._first

    def _show(self) -> None:
        rows, columns = len(self._value), len(self._value[0])
        if (rows, columns) != (len(self._cells), len(self._cells[0]) if self._cells else 0):
            self._lay_out(rows, columns)
        for cells, numbers in zip(self._cells, self._value, strict=True):
            for cell, number in zip(cells, numbers, strict=True):
                if _number(cell.text()) != number:
                    cell.setText(f"{number:g}")

    def _lay_out(self, rows: int, columns: int) -> None:
        for cell in (cell for line in self._cells for cell in line if cell is not self._first):
            self._grid.removeWidget(cell)
            cell.deleteLater()
        self._cells = []
        for i in range(rows):
            line = []
            for j in range(columns):
                cell = self._first if i == j == 0 else QLineEdit(parent=self)
                if cell is not self._first:
                    cell.setObjectName(f"param_{self.field.name}_{i + 1}_{j + 1}")
                cell.setAccessibleName(f"{self.field.label}, row {i + 1}, column {j + 1}")
                cell.setMinimumWidth(1)
                cell.textEdited.connect(self._edited)
                cell.returnPressed.connect(partial(self._leave, cell))
                self._grid.addWidget(cell, i, j)
                line.append(cell)
            self._cells.append(line)

    @Slot()
    def _edited(self) -> None:
        numbers = [[_number(cell.text()) for cell in line] for line in self._cells]
        for line in numbers:
            if None in line:
                self._say(f"{self.field.name} must be {self.field.describe()}.")
                return
        self._commit(tuple(map(tuple, numbers)))

    def _resize(self, name: str, amount: int) -> None:
        rows = [list(line) for line in self._value]
        if name == "row":
            rows = [*rows, [0.0] * len(rows[0])] if amount > 0 else rows[:-1] or rows
        else:
            rows = [[*line, 0.0] if amount > 0 else line[:-1] or line for line in rows]
        self._commit(tuple(map(tuple, rows)))
        self._show()


def _number(text: str) -> float | None:
    """What was typed as a number, with a decimal point or comma; None where it is none."""
    try:
        return float(text.strip().replace(",", "."))
    except ValueError:
        return None


class PointsEditor(FieldEditor):
    """Says how many points there are (they live on the plane) and can remove them."""

    def _build(self) -> None:
        self.count = WrappedLabel(role="muted", parent=self)
        self.count.setObjectName(f"param_{self.field.name}_count")
        self.clear = PushButton("Clear", parent=self)
        self.clear.clicked.connect(self._clear)
        head = QHBoxLayout()
        head.setSpacing(4)
        head.addWidget(self.label, 1)
        head.addWidget(self.reset)
        head.addWidget(self.clear)
        self._column.addLayout(head)
        self._column.addWidget(self.count)

    def control(self) -> QWidget:
        """The button."""
        return self.clear

    def _show(self) -> None:
        number = len(self._value)
        drag = ", drag on the plane" if self.field.handles else ""
        words = "no points yet" if number == 0 else f"{number} point{'s' if number != 1 else ''}{drag}"
        self.count.setText(words)
        self.clear.setEnabled(number > 0)

    def _dress(self) -> None:
        super()._dress()
        self.clear.setAccessibleName(f"Clear {self.field.label}")

    @Slot()
    def _clear(self) -> None:
        self._commit(())
        self._show()


_EDITORS: dict[str, type[FieldEditor]] = {
    "int": NumberEditor,
    "float": NumberEditor,
    "choice": ChoiceEditor,
    "bool": BoolEditor,
    "ints": NumbersEditor,
    "floats": NumbersEditor,
    "matrix": MatrixEditor,
    "text": LineEditor,
    "expression": LineEditor,
    "kernel": LineEditor,
    "points": PointsEditor,
}


def editor_for(field: Field, parent: QWidget | None = None) -> FieldEditor:
    """The editor of a field."""
    if field.kind == "method":
        from mlviz.ui.method_field import MethodEditor  # a form inside a form

        return MethodEditor(field, parent=parent)
    return _EDITORS[field.kind](field, parent=parent)
