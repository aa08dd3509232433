"""The controls above the pictures of the evaluation, each with what it says about itself."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QToolButton, QWidget

from mlviz.session.scoring import SOURCES, Source
from mlviz.views.evaluation_layout import FittingList
from mlviz.views.flow import FlowLayout
from mlviz.views.plain_text import plain
from mlviz.views.theme import SPACING

SOURCE_TIPS: dict[Source, str] = {
    "training": "The points the model was trained on: the picture is too good for a model that overfits.",
    "validation": "A part of the points (of every class), scored by a run on the others, as far as the playhead.",
    "cross-validation": "All points in folds, each scored by a run without it, as far as the playhead.",
}


def source_list() -> FittingList:
    """Which points are scored."""
    source = FittingList(objectName="evaluation_source", toolTip=SOURCE_TIPS["training"])
    source.addItems(SOURCES)
    for number, name in enumerate(SOURCES):
        source.setItemData(number, plain(SOURCE_TIPS[name]), Qt.ItemDataRole.ToolTipRole)
    source.setAccessibleName("Scores on")
    return source


def class_list() -> FittingList:
    """Which class counts as positive."""
    classes = FittingList(objectName="evaluation_class", toolTip="The class that counts as positive.")
    classes.setAccessibleName("Positive class")
    classes.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
    classes.setMaximumWidth(220)
    return classes


def all_classes_button() -> QToolButton:
    """Whether every class counts."""
    button = QToolButton(objectName="evaluation_all", text="all classes", checkable=True)
    button.setToolTip("The matrix of all classes by the classifier's own answers, without a threshold.")
    return button


def threshold_spin() -> QDoubleSpinBox:
    """The threshold as a number."""
    spin = QDoubleSpinBox(objectName="evaluation_threshold", decimals=2, singleStep=0.01)
    spin.setAccessibleName("Threshold")
    spin.setToolTip("A point whose score is above this is called positive.")
    spin.setKeyboardTracking(False)
    return spin


def picture_list(choices: tuple[str, ...]) -> FittingList:
    """Which picture is shown where not all have room."""
    listed = FittingList(objectName="evaluation_curve", toolTip="What there is no room for at once.")
    listed.setAccessibleName("Curve")
    listed.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
    listed.addItems(choices)
    return listed


def header_of(parent: QWidget, controls: Iterable[QWidget]) -> QWidget:
    """The controls, one after the other on as many lines as they need."""
    header = QWidget(parent)
    flow = FlowLayout(header)
    flow.setContentsMargins(SPACING // 2, SPACING // 2, SPACING // 2, 0)
    flow.setSpacing(SPACING // 2)
    for control in controls:
        flow.addWidget(control)
    return header
