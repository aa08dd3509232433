"""Where the data comes from: a generator with its knobs, followed live, a built-in set, or a file."""

from __future__ import annotations

from functools import partial
from itertools import groupby
from typing import Any

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFormLayout,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from algorithms.data import Data, Points
from algorithms.data.scaling import SCALES
from algorithms.maths.words import counted
from mlviz.data.spec import Recipe, all_sources, find_source, recipe_of
from mlviz.session.document import Document
from mlviz.session.projection import PrincipalPlane
from mlviz.ui.controls import ComboBox
from mlviz.ui.data_preview import DataPreview, SourceChooser
from mlviz.ui.form import ParameterForm
from mlviz.views.plain_text import PlainLabel, plain
from mlviz.views.theme import LIGHT, SPACING, Theme


class DataPanel(QWidget):
    """Choose a generator and turn its knobs; every change asks for new data.

    With ``late`` the rows of the knobs are made when somebody looks at them, or when ``furnish`` is called.
    """

    recipe_changed = Signal(object, str)
    """A :class:`Recipe`, and the name of the knob that was turned (empty for another generator)."""
    open_requested = Signal()
    reset_requested = Signal()
    draw_requested = Signal()
    """New data are to be drawn from the model on show."""
    axes_chosen = Signal(object)
    """The numbers of the two features to look at."""
    pca_chosen = Signal()
    scale_chosen = Signal(str)

    def __init__(self, late: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("data_panel")
        self._theme, self._late = LIGHT, late
        self._described = ""  # the source whose words and knobs are on show
        self._axes_shown: tuple[int, int] = (0, 1)
        self.chooser = SourceChooser()
        self.chooser.setObjectName("generator")
        self.chooser.setAccessibleName("Data set")
        for group, sources in groupby(all_sources(), key=lambda source: source.group):
            self.chooser.insertSeparator(self.chooser.count())
            self.chooser.setItemText(self.chooser.count() - 1, group)
            for source in sources:
                self.chooser.addItem(source.title, source.name)
                self.chooser.setItemData(self.chooser.count() - 1, plain(source.doc), Qt.ItemDataRole.ToolTipRole)
        self.about = PlainLabel(objectName="generator_about", wordWrap=True)
        self.facts = PlainLabel(objectName="data_facts", wordWrap=True)
        self.facts.setProperty("role", "muted")
        self.preview = DataPreview()
        self.form = ParameterForm(scrolls=False, late=late)
        self.open_button = QPushButton("Open a file…", objectName="open_data")
        self.reset_button = QPushButton("Discard edits", objectName="reset_data")
        buttons = QHBoxLayout()
        buttons.addWidget(self.open_button)
        buttons.addWidget(self.reset_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(SPACING, SPACING, SPACING, SPACING)
        layout.setSpacing(SPACING)
        layout.addWidget(self.chooser)
        layout.addWidget(self._page(), stretch=1)
        layout.addLayout(buttons)
        self.draw_button = QPushButton("Draw from the model", objectName="draw_from_model", visible=False)
        self.draw_button.setToolTip("Replace the data by as many new ones drawn from the model of this step")
        self.draw_button.clicked.connect(self.draw_requested)
        layout.addWidget(self.draw_button)
        self.chooser.activated.connect(self._chosen)
        self.chooser.looked_at.connect(self._look_at)
        self.form.changed.connect(self._turned)
        self.open_button.clicked.connect(self.open_requested)
        self.reset_button.clicked.connect(self.reset_requested)

    def _page(self) -> QScrollArea:
        """The picture, the knobs and the view: it scrolls, so that the window need not be tall."""
        page = QWidget(objectName="data_page")
        page.setProperty("role", "page")
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, SPACING // 2, 0)
        column.setSpacing(SPACING)
        head = QHBoxLayout()
        head.setSpacing(SPACING)
        head.addWidget(self.preview, alignment=Qt.AlignmentFlag.AlignTop)
        words = QVBoxLayout()
        words.setSpacing(SPACING // 2)
        words.addWidget(self.about)
        words.addWidget(self.facts)
        words.addStretch(1)
        head.addLayout(words, stretch=1)
        column.addLayout(head)
        column.addWidget(self.form)
        self.data_view = self._view_rows()
        column.addWidget(self.data_view)
        column.addStretch(1)
        area = QScrollArea(objectName="data_scroll", widgetResizable=True)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(page)
        self._area = area
        return area

    def minimumSizeHint(self) -> QSize:
        """As narrow as the rows can be, so that nothing is clipped and nothing scrolls sideways.

        Behind another tab it asks for nothing: rows that were made with large letters would not know of smaller ones.
        """
        page, hint = self._area.widget(), super().minimumSizeHint()
        if not self.isVisible():
            return QSize(0, hint.height())
        rows = page.minimumSizeHint().width() if page is not None else 0
        width = rows + self._area.verticalScrollBar().sizeHint().width() + 2 * SPACING
        return QSize(max(width, hint.width()), max(round(self._theme.font * 18), hint.height()))

    def showEvent(self, event: QShowEvent) -> None:
        """Now it needs its rows and its width."""
        self.furnish()
        super().showEvent(event)
        self.data_view.setMinimumSize(0, 0)
        self.updateGeometry()

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
        self.view = _chooser("view", "What the plane shows of more than two features")
        self.view.addItem("two features", False)
        self.view.addItem("principal components", True)
        self.view.setToolTip("Two features and a slice through the means of the others, or a projection (PCA)")
        self.axes = tuple(_chooser(f"axis_{name}", f"The feature along the {name} axis") for name in ("x", "y"))
        form.addRow("Features", self.scale)
        form.addRow("Plane", self.view)
        form.addRow("Horizontal", self.axes[0])
        form.addRow("Vertical", self.axes[1])
        self._view_form = form
        self.scale.activated.connect(self._scale_activated)
        self.view.activated.connect(self._view_activated)
        self.axes[0].activated.connect(partial(self._axis_activated, 0))
        self.axes[1].activated.connect(partial(self._axis_activated, 1))
        return rows

    def show_document(self, document: Document, given: Data) -> None:
        """Show what the data of a document are and where they came from, their scale and axes; ``given``: unedited."""
        data, edited = document.data, document.edited(given)
        recipe = recipe_of(document.source)
        if recipe is None:
            self._show_other_source(document)
        else:
            self.set_recipe(recipe)
        self.facts.setText(described(data) + (" · edited" if edited else ""))
        self.preview.set_data(data, (0, 1) if isinstance(document.axes, PrincipalPlane) else document.axes)
        self.reset_button.setEnabled(edited)
        came = "generated" if recipe is not None else "opened"
        self.reset_button.setToolTip(plain(f"Bring back {given.name} as it was {came}: {given.counted()}"))
        self.draw_button.setVisible(document.method.sample is not None)
        self.data_view.setVisible(isinstance(data, Points))
        if not isinstance(data, Points):
            return
        features = list(data.features)
        if not isinstance(document.axes, PrincipalPlane):
            self._axes_shown = document.axes
        elif max(self._axes_shown) >= len(features):
            self._axes_shown = (0, 1)
        self.scale.setCurrentIndex(self.scale.findData(document.scaling.kind))
        self.view.setCurrentIndex(int(document.shows_pca))
        self._view_form.setRowVisible(self.view, data.d > 2)
        for box, axis in zip(self.axes, self._axes_shown):
            if [box.itemText(row) for row in range(box.count())] != features:
                box.clear()
                box.addItems(features)
            box.setCurrentIndex(axis)
            self._view_form.setRowVisible(box, data.d > 2 and not document.shows_pca)

    @Slot()
    def _scale_activated(self) -> None:
        self.scale_chosen.emit(self.scale.currentData())

    @Slot()
    def _view_activated(self) -> None:
        """Choosing the components again fits them to the points as they are now."""
        if self.view.currentData():
            self.pca_chosen.emit()
        else:
            self.axes_chosen.emit(self._axes_shown)

    def _axis_activated(self, which: int, feature: int) -> None:
        """A feature that is already on the other axis changes places with this one's."""
        axes = list(self._axes_shown)
        if feature == axes[1 - which]:
            axes[1 - which] = axes[which]
        axes[which] = feature
        if tuple(axes) != self._axes_shown:
            self.axes_chosen.emit((axes[0], axes[1]))

    def set_theme(self, theme: Theme) -> None:
        """Colours and sizes from now on."""
        self._theme = theme
        if not self._late:
            self.form.set_theme(theme)
        self.preview.set_theme(theme)
        self.chooser.set_theme(theme)

    def furnish(self) -> None:
        """Make the rows of the knobs now, where they were to be made later."""
        if self._late:
            self._late = False
            self.form.set_theme(self._theme)

    @property
    def recipe(self) -> Recipe | None:
        """The generator and the values now set; None for data that came otherwise."""
        name = self.chooser.currentData()
        return None if name is None else Recipe(name, self.form.values())

    def set_recipe(self, recipe: Recipe) -> None:
        """Show a recipe without asking for data."""
        generator = find_source(recipe.name)
        values = {field.name: field.default for field in generator.fields} | dict(recipe.values)
        if self._described == generator.name:  # the list may be ahead of that: it is where one has been chosen
            self.form.set_values(values)
            return
        self._described = generator.name
        self.chooser.setCurrentIndex(self.chooser.findData(generator.name))
        self.about.setText(generator.doc)
        self.form.setVisible(True)
        self.form.set_algorithm(generator, values)

    def _show_other_source(self, document: Document) -> None:
        """Data from a file, a paste, a model or the pen: there are no knobs to turn."""
        self._described = ""
        self.chooser.setCurrentIndex(-1)
        self.chooser.setPlaceholderText(document.data.name)
        self.about.setText(f"From {document.source}." if document.source else "")
        self.form.setVisible(False)

    @Slot(int)
    def _chosen(self, _: int) -> None:
        self.recipe_changed.emit(Recipe(self.chooser.currentData(), {}), "")

    @Slot(str)
    def _look_at(self, name: str) -> None:
        """Preview the source under the mouse in the open list; the data in hand when the list has closed."""
        known = self.recipe
        self.preview.look_at(Recipe(name, {}) if name and (known is None or name != known.name) else None)

    @Slot(str, object)
    def _turned(self, name: str, _: Any) -> None:
        self.recipe_changed.emit(self.recipe, name)


def described(data: Data) -> str:
    """How much there is, in a few words."""
    text = data.counted()
    if isinstance(data, Points):
        text += f", {counted(data.d, 'feature')}"
        text += f", {counted(len(data.classes), 'class', 'classes')}" if data.is_labelled else ""
    return text


def _chooser(name: str, hint: str) -> ComboBox:
    box = ComboBox()
    box.setObjectName(name)
    box.setAccessibleName(hint)
    box.setToolTip(plain(hint))
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.setMinimumContentsLength(8)
    return box
