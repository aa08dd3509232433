"""A method with its own form inside the form: the editor of a parameter that is another method."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from algorithms.method_choice import methods_for, parse_method, written_method
from algorithms.params import as_dict
from mlviz.ui.controls import ComboBox
from mlviz.ui.field_editor import FieldEditor
from mlviz.ui.form import ParameterForm
from mlviz.views.theme import Theme


class MethodEditor(FieldEditor):
    """A list of the methods that serve the purpose, and below it the parameters of the chosen one.

    What was set for a method stays while others are looked at.
    """

    def _build(self) -> None:
        self._settings: dict[str, dict[str, Any]] = {}
        self._methods = methods_for(self.field.purpose)
        self._shown = ""
        self.combo = ComboBox(parent=self)
        for method in self._methods:
            self.combo.addItem(method.title, method.key)
        self.combo.setMinimumContentsLength(6)
        self.combo.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.combo.currentIndexChanged.connect(self._chosen)
        self.form = ParameterForm(scrolls=False, nested=True, parent=self)
        self.form.setObjectName(f"param_{self.field.name}_form")
        self.form.changed.connect(self._turned)
        frame = QFrame(parent=self)
        frame.setObjectName(f"param_{self.field.name}_frame")
        frame.setProperty("role", "nested")
        inner = QVBoxLayout(frame)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.addWidget(self.form)
        head = QHBoxLayout()
        head.setSpacing(4)
        head.addWidget(self.label, 1)
        head.addWidget(self.reset)
        self._column.addLayout(head)
        self._column.addWidget(self.combo)  # titles are long: the whole width is theirs
        self._column.addWidget(frame)

    def control(self) -> QWidget:
        """The list of methods."""
        return self.combo

    def set_theme(self, theme: Theme) -> None:
        """The icons of the form inside, too."""
        super().set_theme(theme)
        self.form.set_theme(theme)

    def set_extents(self, extents: Mapping[str, int]) -> None:
        """The knobs of the method count the same data."""
        self.form.set_extents(extents)

    def _show(self) -> None:
        method = parse_method(self._value)
        key, values = method.algorithm.key, as_dict(method.params)
        self._settings[key] = values
        if key != self._shown:
            self._shown = key
            self.combo.blockSignals(True)
            self.combo.setCurrentIndex(self.combo.findData(key))
            self.combo.blockSignals(False)
            self.form.set_algorithm(method.algorithm, values)
        else:
            self.form.set_values(values)

    @Slot(int)
    def _chosen(self, position: int) -> None:
        key = self.combo.itemData(position)
        self._commit(written_method(key, self._settings.get(key, {})))
        self._show()

    @Slot(str, object)
    def _turned(self, name: str, value: Any) -> None:
        settings = self._settings[self._shown]
        settings[name] = value
        self._commit(written_method(self._shown, settings))
