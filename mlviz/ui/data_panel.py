"""Where the data comes from: a generator with its knobs, followed live, a built-in set, or a file."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from mlviz.data.builtin import all_builtin
from mlviz.data.generators import all_generators
from mlviz.data.spec import Recipe, find_source
from mlviz.ui.form import ParameterForm
from mlviz.views.theme import SPACING, Theme


class DataPanel(QWidget):
    """Choose a generator and turn its knobs; every change asks for new data."""

    recipe_changed = Signal(object, str)
    """A :class:`Recipe`, and the name of the knob that was turned (empty for another generator)."""
    open_requested = Signal()
    reset_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("data_panel")
        self.chooser = QComboBox(objectName="generator", accessibleName="Data set")
        for sources in (all_generators(), all_builtin()):
            if self.chooser.count():
                self.chooser.insertSeparator(self.chooser.count())
            for source in sources:
                self.chooser.addItem(source.title, source.name)
                self.chooser.setItemData(self.chooser.count() - 1, source.doc, Qt.ItemDataRole.ToolTipRole)
        self.about = QLabel(objectName="generator_about", wordWrap=True)
        self.form = ParameterForm()
        self.open_button = QPushButton("Open a file…", objectName="open_data")
        self.reset_button = QPushButton("Reset to the given data", objectName="reset_data")
        self.reset_button.setToolTip("Take back every edit of the data since it was generated or loaded")
        buttons = QHBoxLayout()
        buttons.addWidget(self.open_button)
        buttons.addWidget(self.reset_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(SPACING, SPACING, SPACING, SPACING)
        layout.setSpacing(SPACING)
        layout.addWidget(self.chooser)
        layout.addWidget(self.about)
        layout.addWidget(self.form, stretch=1)
        layout.addLayout(buttons)
        self.chooser.activated.connect(self._chosen)
        self.form.changed.connect(self._turned)
        self.open_button.clicked.connect(self.open_requested)
        self.reset_button.clicked.connect(self.reset_requested)
        self.set_recipe(Recipe(all_generators()[0].name, {}))

    def set_theme(self, theme: Theme) -> None:
        """Colours from now on."""
        self.form.set_theme(theme)

    @property
    def recipe(self) -> Recipe:
        """The generator and the values now set."""
        return Recipe(self.chooser.currentData(), self.form.values())

    def set_recipe(self, recipe: Recipe) -> None:
        """Show a recipe without asking for data."""
        generator = find_source(recipe.name)
        self.chooser.setCurrentIndex(self.chooser.findData(generator.name))
        self.about.setText(generator.doc)
        values = {field.name: field.default for field in generator.fields} | dict(recipe.values)
        self.form.set_algorithm(generator, values)

    @Slot(int)
    def _chosen(self, _: int) -> None:
        self.set_recipe(Recipe(self.chooser.currentData(), {}))
        self.recipe_changed.emit(self.recipe, "")

    @Slot(str, object)
    def _turned(self, name: str, _: Any) -> None:
        self.recipe_changed.emit(self.recipe, name)
