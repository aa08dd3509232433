"""Where the data comes from: a generator with its knobs, followed live, a built-in set, or a file."""

from __future__ import annotations

from functools import partial
from typing import Any

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QComboBox, QFormLayout, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from mlviz.data.builtin import all_builtin
from mlviz.data.generators import all_generators
from mlviz.data.spec import Recipe, find_source
from mlviz.session.document import Document
from mlviz.session.scaling import SCALES
from mlviz.ui.controls import ComboBox
from mlviz.ui.form import ParameterForm
from mlviz.views.theme import SPACING, Theme


class DataPanel(QWidget):
    """Choose a generator and turn its knobs; every change asks for new data."""

    recipe_changed = Signal(object, str)
    """A :class:`Recipe`, and the name of the knob that was turned (empty for another generator)."""
    open_requested = Signal()
    reset_requested = Signal()
    axes_chosen = Signal(object)
    """The numbers of the two features to look at."""
    scale_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("data_panel")
        self._axes_shown = (0, 1)
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
        layout.addWidget(self._view_rows())
        layout.addLayout(buttons)
        self.chooser.activated.connect(self._chosen)
        self.form.changed.connect(self._turned)
        self.open_button.clicked.connect(self.open_requested)
        self.reset_button.clicked.connect(self.reset_requested)
        self.set_recipe(Recipe(all_generators()[0].name, {}))

    def _view_rows(self) -> QWidget:
        """The scale of the features, and the two that are looked at when there are more."""
        rows = QWidget(objectName="data_view")
        form = QFormLayout(rows)
        form.setContentsMargins(0, 0, 0, SPACING // 2)
        form.setVerticalSpacing(SPACING // 2)
        form.setSizeConstraint(QFormLayout.SizeConstraint.SetMinimumSize)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self.scale = _chooser("scale", "Standardised: mean 0 and standard deviation 1. 0 to 1: from least to greatest.")
        for kind in SCALES:
            self.scale.addItem({"given": "as given"}.get(kind, kind), kind)
        self.axes = tuple(_chooser(f"axis_{name}", f"The feature along the {name} axis") for name in ("x", "y"))
        form.addRow("Features", self.scale)
        form.addRow("Horizontal", self.axes[0])
        form.addRow("Vertical", self.axes[1])
        self._view_form = form
        self.scale.activated.connect(self._scale_activated)
        self.axes[0].activated.connect(partial(self._axis_activated, 0))
        self.axes[1].activated.connect(partial(self._axis_activated, 1))
        return rows

    def show_document(self, document: Document) -> None:
        """Show the scale and the axes of a document; two features need no choice."""
        features = list(document.data.features)
        self._axes_shown = document.axes
        self.scale.setCurrentIndex(self.scale.findData(document.scaling.kind))
        for box, axis in zip(self.axes, document.axes):
            if [box.itemText(row) for row in range(box.count())] != features:
                box.clear()
                box.addItems(features)
            box.setCurrentIndex(axis)
            self._view_form.setRowVisible(box, document.data.d > 2)

    @Slot()
    def _scale_activated(self) -> None:
        self.scale_chosen.emit(self.scale.currentData())

    def _axis_activated(self, which: int, feature: int) -> None:
        """A feature that is already on the other axis changes places with this one's."""
        axes = list(self._axes_shown)
        if feature == axes[1 - which]:
            axes[1 - which] = axes[which]
        axes[which] = feature
        if tuple(axes) != self._axes_shown:
            self.axes_chosen.emit(tuple(axes))

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


def _chooser(name: str, hint: str) -> ComboBox:
    box = ComboBox()
    box.setObjectName(name)
    box.setAccessibleName(hint)
    box.setToolTip(hint)
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.setMinimumContentsLength(8)
    return box
