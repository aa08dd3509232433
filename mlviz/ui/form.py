"""The parameter form, built from the declaration of the algorithm's parameters and from nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Protocol

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from algorithms.params import Field
from mlviz.ui import style
from mlviz.ui.controls import PushButton, ToolButton, WrappedLabel
from mlviz.ui.field_editor import FieldEditor
from mlviz.ui.fields import editor_for
from mlviz.ui.icons import icon
from mlviz.views.theme import LIGHT, SPACING, Theme


class Declared(Protocol):
    """Whatever has declared parameters: an algorithm or a data generator."""

    @property
    def fields(self) -> tuple[Field, ...]:
        """The declaration."""


class ParameterForm(QWidget):
    """Every parameter of one algorithm, editable.

    ``changed(name, value)`` is emitted for each change the user makes, also while a slider moves; whoever listens
    decides how often to start again. ``set_values`` and ``set_algorithm`` emit nothing. Without ``scrolls`` it is as
    tall as its rows, for a page that scrolls as a whole. With ``late`` the rows are made with the first theme: a window
    that is put together before it is dressed would otherwise make them twice. A ``nested`` one stands inside another
    form, which has the button for everything.
    """

    changed = Signal(str, object)

    def __init__(
        self,
        *,
        theme: Theme = LIGHT,
        scrolls: bool = True,
        late: bool = False,
        nested: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent=parent)
        self.setObjectName("parameter_form")
        self._theme = theme
        self._algorithm: Declared | None = None
        self._editors: dict[str, FieldEditor] = {}
        self._extents: Mapping[str, int] = {}
        self._unfolded = False
        self._scrolls = scrolls
        self._nested = nested
        self._late: dict[str, Any] | None = {} if late else None
        self._page = QWidget(parent=self)
        self._dressed, self._letters = "", theme.font
        self._area = QScrollArea(parent=self)
        self._area.setObjectName("parameter_scroll")
        self._area.setWidgetResizable(True)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._area if scrolls else self._page)
        self._area.setVisible(scrolls)
        self._rebuild({})

    def set_algorithm(self, algorithm: Declared, values: Mapping[str, Any]) -> None:
        """Show the parameters of another algorithm with these values (defaults for the rest)."""
        self._algorithm = algorithm
        self._rebuild(values)

    def set_extents(self, extents: Mapping[str, int]) -> None:
        """How many items and features there are in the data, where knobs that count them end."""
        if extents != self._extents:
            self._extents = extents
            for editor in self._editors.values():
                editor.set_extents(extents)

    def set_values(self, values: Mapping[str, Any]) -> None:
        """Show these values without emitting anything; names that are not given keep their value."""
        if self._late is not None:
            self._late |= values
            return
        for name, value in values.items():
            if name in self._editors and self._editors[name].value() != value:
                self._editors[name].set_value(value)
        self._refresh()

    def values(self) -> dict[str, Any]:
        """Every value by name, in the order of declaration."""
        if self._late is not None:
            fields = self._algorithm.fields if self._algorithm is not None else ()
            return {field.name: self._late.get(field.name, field.default) for field in fields}
        return {name: editor.value() for name, editor in self._editors.items()}

    def editor(self, name: str) -> FieldEditor:
        """The row of one parameter."""
        self.furnish()
        return self._editors[name]

    def furnish(self) -> None:
        """Make the rows now, where they were to be made later."""
        if self._late is not None:
            values, self._late = self._late, None
            self._rebuild(values)

    def set_theme(self, theme: Theme) -> None:
        """Colour the icons anew; letters of another size need new rows, made when somebody sees them."""
        if theme == self._theme and _sheet() == self._dressed and self._late is None:
            return
        self._theme = theme
        if self._late is not None:
            self.furnish()
            return
        self._dressed = _sheet()
        self._colour_icons()
        if self.isVisible():
            self._measure_again()

    def showEvent(self, event: QShowEvent) -> None:
        """Make the rows anew when their letters were made larger or smaller behind the scenes."""
        self._measure_again()
        super().showEvent(event)

    def _measure_again(self) -> None:
        if self._letters != self._theme.font and self._late is None:  # otherwise what somebody is typing stays
            self._rebuild(self.values())

    def _colour_icons(self) -> None:
        for editor in self._editors.values():
            editor.set_theme(self._theme)
        self._fold(self._unfolded)

    def sizeHint(self) -> QSize:
        """As tall as the rows where the page scrolls, otherwise wide enough for a label, a slider and a number."""
        if not self._scrolls:
            return super().sizeHint()
        return QSize(round(self._theme.font * 28), round(self._theme.font * 40))

    def minimumSizeHint(self) -> QSize:
        """As narrow as the rows can be, so that nothing is clipped and nothing scrolls sideways."""
        if not self._scrolls:
            return super().minimumSizeHint()
        page = self._area.widget()
        rows = page.minimumSizeHint().width() if page is not None else 0
        return QSize(rows + self._area.verticalScrollBar().sizeHint().width(), round(self._theme.font * 10))

    def _rebuild(self, values: Mapping[str, Any]) -> None:
        if self._late is not None:
            self._late = dict(values)
            return
        self._dressed, self._letters = _sheet(), self._theme.font
        page = QWidget()
        page.setObjectName("parameter_page")
        page.setProperty("role", "page")
        column = QVBoxLayout(page)
        column.setContentsMargins(SPACING, SPACING, SPACING + 4, SPACING)
        column.setSpacing(SPACING)
        fields = self._algorithm.fields if self._algorithm is not None else ()
        self._editors = {field.name: editor_for(field) for field in fields}
        style.wear(len(fields))
        for name, editor in self._editors.items():
            editor.set_extents(self._extents)
            if name in values:
                editor.set_value(values[name])
            editor.changed.connect(partial(self._user_changed, name))
        self._add_groups(column, [field for field in fields if not field.advanced])
        if not fields:
            note = WrappedLabel(role="muted")
            note.setText("This method has no parameters." if self._algorithm else "No method is chosen.")
            column.addWidget(note)
        self._add_folded(column)
        self._add_limit(column)
        self._add_foot(column)
        self._colour_icons()
        column.addStretch(1)
        self._show_page(page)
        self._refresh()
        self.updateGeometry()  # behind another tab nobody would ask again how narrow the new rows can be

    def _show_page(self, page: QWidget) -> None:
        if self._scrolls:
            self._area.setWidget(page)
            return
        layout, old = self.layout(), self._page
        assert layout is not None
        layout.replaceWidget(old, page)
        self._page = page
        old.setParent(None)
        old.deleteLater()
        page.show()

    def _add_groups(self, column: QVBoxLayout, fields: list[Field]) -> None:
        """The rows, those of a group together under its name, in the order in which groups are first named."""
        for group in dict.fromkeys(field.group for field in fields):
            if group:
                heading = WrappedLabel(role="heading")
                heading.setObjectName(f"group_{group.replace(' ', '_')}")
                heading.setText(group[:1].upper() + group[1:])
                column.addWidget(heading)
            for field in fields:
                if field.group == group:
                    column.addWidget(self._editors[field.name])

    def _add_folded(self, column: QVBoxLayout) -> None:
        self._more = _fold_button()
        self._folded = QWidget()
        self._folded.setObjectName("parameter_advanced")
        inner = QVBoxLayout(self._folded)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.setSpacing(SPACING)
        advanced = [editor for editor in self._editors.values() if editor.field.advanced]
        for editor in advanced:
            inner.addWidget(editor)
        column.addWidget(self._more, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self._folded)
        self._more.setChecked(self._unfolded)
        self._more.setVisible(bool(advanced))
        self._more.toggled.connect(self._fold)

    def _add_limit(self, column: QVBoxLayout) -> None:
        """How much data the method takes, where that is little."""
        most = getattr(self._algorithm, "most", None)
        if most is not None:
            note = WrappedLabel(role="muted")
            note.setObjectName("form_limit")
            note.setText(f"It keeps a table of all pairs, so it takes at most {most:,} {self._items()}.")
            column.addWidget(note)

    def _items(self) -> str:
        """What the data of the method are made of, in words."""
        return " or ".join(f"{kind.item_name}s" for kind in getattr(self._algorithm, "accepts", ()))

    def _add_foot(self, column: QVBoxLayout) -> None:
        self._reset_all = PushButton("Reset all")
        self._reset_all.setObjectName("reset_all")
        self._reset_all.setProperty("role", "flat")
        self._reset_all.setToolTip("Give every parameter its default value")
        self._reset_all.clicked.connect(self._reset_everything)
        self._reset_all.setVisible(bool(self._editors) and not self._nested)
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(self._reset_all)
        column.addLayout(foot)

    @Slot(bool)
    def _fold(self, unfolded: bool) -> None:
        self._unfolded = unfolded
        self._folded.setVisible(unfolded)
        self._more.setIcon(icon("less" if unfolded else "more", self._theme, self._theme.muted))
        self._more.setText(self._more_words(unfolded))

    def _more_words(self, unfolded: bool) -> str:
        advanced = [editor for editor in self._editors.values() if editor.field.advanced]
        altered = sum(editor.value() != editor.field.default for editor in advanced)
        note = f", {altered} changed" if altered else ""
        return "Fewer" if unfolded else f"More ({len(advanced)}{note})"

    def _user_changed(self, name: str, value: Any) -> None:
        self._refresh()
        self.changed.emit(name, value)

    def _refresh(self) -> None:
        """Grey out what has no effect beside the current values."""
        values = self.values()
        for editor in self._editors.values():
            relevant = editor.field.relevant(values)
            if relevant != editor.relevant:
                editor.set_relevant(relevant)
        self._reset_all.setEnabled(any(editor.value() != editor.field.default for editor in self._editors.values()))
        self._more.setText(self._more_words(self._more.isChecked()))

    @Slot()
    def _reset_everything(self) -> None:
        altered = [editor for editor in self._editors.values() if editor.value() != editor.field.default]
        for editor in altered:
            editor.set_value(editor.field.default)
        self._refresh()
        for editor in altered:
            self.changed.emit(editor.field.name, editor.field.default)


def _fold_button() -> ToolButton:
    button = ToolButton()
    button.setObjectName("more_parameters")
    button.setProperty("role", "fold")
    button.setCheckable(True)
    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    button.setToolTip("Show or hide the parameters that are rarely needed")
    return button


def _sheet() -> str:
    """The style sheet that new widgets are measured with."""
    app = QApplication.instance()
    return app.styleSheet() if isinstance(app, QApplication) else ""
