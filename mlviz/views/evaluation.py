"""The evaluation: histograms, ROC, precision-recall and matrix under one threshold; or the residuals of values.

The widget is given :class:`Scores` or :class:`ValueScores` and holds the choice of the user: which points are scored,
which class counts as positive, and the threshold. It computes only what is cheap; training happens elsewhere.
"""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import TypeVar

import numpy as np
from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from algorithms.data import Array
from mlviz.session.layout import EvaluationSettings
from mlviz.session.scoring import Confusion, Scores, Source, Threshold, confusion_at, confusion_of_all
from mlviz.session.value_scoring import ValueScores
from mlviz.views.confusion import Cell, ConfusionMatrix
from mlviz.views.evaluation_controls import (
    SOURCE_TIPS,
    all_classes_button,
    class_list,
    header_of,
    picture_list,
    source_list,
    threshold_spin,
)
from mlviz.views.evaluation_layout import PictureGrid, Remark
from mlviz.views.evaluation_plots import CurvePlot, HistogramPlot, ScorePlot, show_curves
from mlviz.views.evaluation_split import SplitControls
from mlviz.views.plain_text import PlainLabel, plain
from mlviz.views.renderers.base import NO_POINTS
from mlviz.views.residual_plots import CHOICES as RESIDUAL_CHOICES
from mlviz.views.residual_plots import NAMES as RESIDUAL_NAMES
from mlviz.views.residual_plots import ResidualPictures
from mlviz.views.theme import SPACING, Theme

CHOICES = ("ROC", "PR", "matrix", "scores")
"""The pictures that take turns in one place, in this order, where not all of them have room."""
NAMES = ("histogram", "roc", "precision_recall", "confusion")
"""The pictures, as files call them."""
Plot = TypeVar("Plot", bound=ScorePlot)


class EvaluationView(PictureGrid):
    """All pictures of the evaluation. ``threshold_changed`` carries the level on the field, or None for none."""

    threshold_changed = Signal(object)
    source_changed = Signal(str)
    points_hovered = Signal(object)
    points_clicked = Signal(object)
    fold_chosen = Signal()
    points_followed = Signal(object)
    """The points of the chosen cell have become these, because the threshold or the model has changed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("evaluation")
        self.scores: Scores | ValueScores | None = None
        self.positive = 1
        self.threshold = 0.5
        self._lit: Array = NO_POINTS
        self._expects_values = False
        self._build()
        self._connect()

    def _build(self) -> None:
        self.split = SplitControls(self)
        self.folds, self.fold, self.held_out = self.split.folds, self.split.fold, self.split.held_out
        self.source, self.classes, self.all_classes = source_list(), class_list(), all_classes_button()
        self.spin, self.curve_choice = threshold_spin(), picture_list(CHOICES)
        self.origin = Remark(objectName="evaluation_origin")
        self.origin.setProperty("role", "muted")
        self.matrix = ConfusionMatrix()
        self.message = PlainLabel(objectName="evaluation_message", wordWrap=True)
        self.message.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.message.hide()
        split, of_classes = (self.folds, self.fold, self.held_out), (self.classes, self.all_classes, self.spin)
        self.header = header_of(self, (self.source, *split, *of_classes, self.curve_choice, self.origin))
        self.pictures = QGridLayout()
        self.pictures.setSpacing(SPACING // 2)
        self.pictures.addWidget(self.matrix, 0, 3)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(SPACING // 2)
        layout.addWidget(self.header)
        layout.addLayout(self.pictures, stretch=1)
        layout.addWidget(self.message, stretch=1)

    @functools.cached_property
    def histogram(self) -> HistogramPlot:
        """The scores of each class; made when it is needed, like the curves: most runs are never evaluated."""
        return self._placed(HistogramPlot(), 0)

    @functools.cached_property
    def roc(self) -> CurvePlot:
        """The receiver operating characteristic."""
        plot = self._placed(CurvePlot("roc_curve", "ROC curve", "FPR", "TPR"), 1)
        plot.set_reference((0.0, 1.0), (0.0, 1.0), text_at=(1.0, 0.02))
        return plot

    @functools.cached_property
    def recall(self) -> CurvePlot:
        """Precision over recall."""
        return self._placed(CurvePlot("precision_recall", "Precision and recall", "recall", "precision"), 2)

    def _placed(self, plot: Plot, column: int) -> Plot:
        plot.threshold_picked.connect(self.set_threshold)
        self.pictures.addWidget(plot, 0, column)
        plot.set_theme(self._theme)
        return plot

    @property
    def _furnished(self) -> bool:
        """Whether all plots have been made."""
        return ({"regression"} if self._valued else {"histogram", "roc", "recall"}) <= vars(self).keys()

    def furnish(self) -> None:
        """Make the plots that have not been needed yet."""
        if not self._furnished:
            self._pictures()
            self._arrange()

    def showEvent(self, event: QShowEvent) -> None:
        """Have everything there that is to be seen."""
        self.furnish()
        super().showEvent(event)

    @functools.cached_property
    def regression(self) -> ResidualPictures:
        """The pictures of predicted values."""
        pictures = ResidualPictures(self.pictures)
        for plot in pictures.dotted:
            plot.point_picked.connect(self.points_clicked)
        pictures.set_theme(self._theme)
        return pictures

    @property
    def classified(self) -> Scores | None:
        """The scores of a classifier, where these are some."""
        return self.scores if isinstance(self.scores, Scores) else None

    @property
    def _valued(self) -> bool:
        return self._expects_values if self.scores is None else isinstance(self.scores, ValueScores)

    def expect(self, values: bool) -> None:
        """Until there are scores: whether they will be of values, not of classes."""
        self._expects_values = values
        if self.scores is None:
            self._show_kind()
            if self.isVisible():
                self.furnish()
            self._arrange()

    def _pictures(self) -> tuple[QWidget, ...]:
        return self.regression.all if self._valued else (self.histogram, self.roc, self.recall, self.matrix)

    def _named(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return (RESIDUAL_NAMES, RESIDUAL_CHOICES) if self._valued else (NAMES, CHOICES)

    def _strangers(self) -> tuple[QWidget, ...]:
        if not self._valued:
            return self.regression.all if "regression" in vars(self) else ()
        made = [vars(self)[name] for name in ("histogram", "roc", "recall") if name in vars(self)]
        return (*made, self.matrix)

    def _show_kind(self) -> None:
        """Only the controls that belong to classes, or to values."""
        for control in (self.classes, self.spin):
            control.setVisible(not self._valued)
        self.all_classes.setVisible(not self._valued and self.classes.count() > 2)
        self.curve_choice.blockSignals(True)
        self.curve_choice.clear()  # others take turns
        self.curve_choice.blockSignals(False)

    def become_picture(self, which: str, transparent: bool = False) -> None:
        """For a file: no controls, and one of the pictures; all of them for ``evaluation``, and empty for what fits."""
        self.matrix.transparent = transparent
        self.show_alone(which)

    def _connect(self) -> None:
        self.source.currentTextChanged.connect(self._source_chosen)
        self.split.changed.connect(self._split_chosen)
        self.split.fold_chosen.connect(self.fold_chosen)
        self.classes.currentIndexChanged.connect(self._class_chosen)
        self.all_classes.toggled.connect(self._all_toggled)
        self.spin.valueChanged.connect(self.set_threshold)
        self.curve_choice.currentIndexChanged.connect(self._turned)
        self.matrix.cell_hovered.connect(self._cell_hovered)
        self.matrix.cell_clicked.connect(self._cell_clicked)

    # -- what is shown -------------------------------------------------------------------------------------------

    def set_theme(self, theme: Theme) -> None:
        """Colours and sizes from now on."""
        self._theme = theme
        for name in ("histogram", "roc", "recall", "matrix"):
            if name in vars(self):
                vars(self)[name].set_theme(theme)
        if "regression" in vars(self):
            self.regression.set_theme(theme)
        self._arrange()
        self._show_scores()

    def set_scores(self, scores: Scores | ValueScores) -> None:
        """Show these scores; the choices of the user stay while they make sense."""
        before, self.scores = self.scores, scores
        if type(before) is not type(scores):
            self.furnish()
            self._show_kind()
        known = before if isinstance(before, Scores) else None
        if isinstance(scores, ValueScores):
            if not isinstance(before, ValueScores):
                self._arrange()
                self.threshold_changed.emit(None)
        elif known is None or (known.classes, known.probability) != (scores.classes, scores.probability):
            self._begin_anew(scores)
        self.show_message("")
        self.show_progress("")
        self._show_scores()

    def show_progress(self, words: str) -> None:
        """What is being computed; when nothing is, which models have given the scores on show."""
        if not words and self.scores is not None and not self.message.text():
            words = self.scores.origin
        self.origin.write(words)

    def show_message(self, text: str) -> None:
        """A sentence instead of the pictures, or the pictures again."""
        self.message.setText(text)
        self.message.setVisible(bool(text))
        self._arrange()

    def light_points(self, points: Array) -> None:
        """Show where the points that another view means are: their scores, and the cell of a single one."""
        self._lit = points
        scores = self.scores
        if isinstance(scores, ValueScores):
            self.regression.light(points)
        if not isinstance(scores, Scores):
            return
        shown = np.isin(scores.points, points) if len(points) else np.zeros(len(scores.points), dtype=bool)
        self.histogram.mark_scores(scores.of(self.positive)[shown])
        single = int(points[0]) if len(points) == 1 else -1
        self.matrix.light(self.confusion.cell_of(single) if single >= 0 and self.confusion is not None else None)

    @property
    def confusion(self) -> Confusion | None:
        """The matrix that is on show."""
        if self.classified is None:
            return None
        if self.all_classes.isChecked():
            return confusion_of_all(self.classified)
        return confusion_at(self.classified, self.positive, self.threshold)

    @property
    def contour(self) -> Threshold | None:
        """The threshold as a level of the field; None while the classifier's own answers count."""
        if self.classified is None or self.all_classes.isChecked():
            return None
        return self.classified.on_field(self.positive, self.threshold)

    @Slot(float)
    def set_threshold(self, threshold: float) -> None:
        """Move the one threshold, and everything with it."""
        if self.classified is None:
            return
        low, high = self.classified.span(self.positive)
        self.threshold = min(max(threshold, low), high)
        if self.all_classes.isChecked():
            self._quietly(self.all_classes, False)
        self._show_threshold()
        self.threshold_changed.emit(self.contour)

    @Slot()
    def release(self) -> None:
        """Something else was clicked: no cell is chosen any more."""
        self.matrix.chosen = None
        self.matrix.update()

    def settings(self) -> EvaluationSettings:
        """The choices of the user."""
        source: Source = self.source.currentText()  # type: ignore[assignment]
        split = EvaluationSettings(
            source,
            curve=self._turn,
            folds=self.folds.value(),
            held_out=self.split.fraction,
            fold=self.fold.value(),
        )
        if self.classified is None:
            return split
        return replace(
            split,
            positive=self.positive,
            threshold=self.threshold,
            every_class=self.all_classes.isChecked(),
            cell=self.matrix.chosen,
        )

    def apply(self, settings: EvaluationSettings) -> None:
        """Choose all of this again; what these scores do not have is passed over."""
        self.split.take(settings)
        if self.scores is not None:
            self._turned(settings.curve)
        scores = self.classified
        if scores is None:
            return
        if settings.positive is not None and settings.positive < len(scores.classes):
            self.classes.setCurrentIndex(settings.positive)
        if settings.threshold is not None:
            self.set_threshold(settings.threshold)
        if settings.every_class != self.all_classes.isChecked() and len(scores.classes) > 2:
            self.all_classes.setChecked(settings.every_class)
        size = len(self.confusion.names) if self.confusion is not None else 0
        self.matrix.chosen = settings.cell if settings.cell is not None and max(settings.cell) < size else None
        self.matrix.update()

    def forget(self) -> None:
        """Another algorithm or data set: nothing of the old one remains, and the scores are of training again."""
        self.scores = None
        self.source.blockSignals(True)
        self.source.setCurrentIndex(0)
        self.source.blockSignals(False)
        self._show_split()
        self.matrix.chosen = None

    # -- inside --------------------------------------------------------------------------------------------------

    def _begin_anew(self, scores: Scores) -> None:
        several = len(scores.classes) > 2
        self.positive = len(scores.classes) - 1 if not several else 0
        self.threshold = scores.neutral
        self.classes.blockSignals(True)
        self.classes.clear()
        self.classes.addItems(scores.classes)
        self.classes.setCurrentIndex(self.positive)
        self.classes.blockSignals(False)
        self.all_classes.setVisible(several)
        self._quietly(self.all_classes, several)
        self._arrange()  # other names may leave room for more
        self.threshold_changed.emit(self.contour)

    @staticmethod
    def _quietly(button: QToolButton, checked: bool) -> None:
        button.blockSignals(True)
        button.setChecked(checked)
        button.blockSignals(False)

    def _show_scores(self) -> None:
        """Draw what does not depend on the threshold, then what does."""
        if isinstance(self.scores, ValueScores):
            self.regression.show(self.scores)
            self.light_points(self._lit)
        scores = self.classified
        if scores is None:
            return
        values, mask = scores.of(self.positive), scores.truth == self.positive
        low, high = span = scores.span(self.positive)
        self.threshold = min(max(self.threshold, low), high)
        name = scores.classes[self.positive]
        self.histogram.set_labels(f"P({name})" if scores.probability else f"score of {name}", "")
        self.histogram.show_scores(values, scores.truth, len(scores.classes), span)
        show_curves(self.roc, self.recall, values, mask, span, self._theme.colour(self.positive))
        self.spin.blockSignals(True)
        self.spin.setRange(low, high)
        self.spin.setSingleStep(0.01 if scores.probability else (high - low) / 100.0)
        self.spin.blockSignals(False)
        self._show_threshold()
        self.light_points(self._lit)

    def _show_threshold(self) -> None:
        """Draw what the threshold decides."""
        assert self.classified is not None
        confusion = self.confusion
        assert confusion is not None
        self.histogram.set_threshold(self.threshold)
        cells = confusion_at(self.classified, self.positive, self.threshold).counts
        self.roc.set_point(cells.fpr, cells.tpr)
        self.recall.set_point(cells.tpr, cells.precision)
        self.matrix.show_confusion(confusion)
        self.spin.blockSignals(True)
        self.spin.setValue(self.threshold)
        self.spin.blockSignals(False)
        if self.matrix.chosen is not None:
            self.points_followed.emit(confusion.members(*self.matrix.chosen))

    @Slot(str)
    def _source_chosen(self, name: str) -> None:
        self.source.setToolTip(plain(SOURCE_TIPS[name]))  # type: ignore[index]
        self.source_changed.emit(name)
        self._show_split()

    @Slot()
    def _split_chosen(self) -> None:
        self.source_changed.emit(self.source.currentText())

    def _show_split(self) -> None:
        """How the points are divided, beside the source that divides them."""
        self.split.show_for(self.source.currentText())  # type: ignore[arg-type]

    @Slot(int)
    def _class_chosen(self, number: int) -> None:
        if self.classified is None or number < 0:
            return
        self.positive = number
        self.threshold = self.classified.neutral
        self._quietly(self.all_classes, False)
        self._show_scores()
        self.threshold_changed.emit(self.contour)

    @Slot(bool)
    def _all_toggled(self, _: bool) -> None:
        if self.classified is not None:
            self._show_threshold()
            self.threshold_changed.emit(self.contour)

    @Slot(object)
    def _cell_hovered(self, cell: Cell | None) -> None:
        self.points_hovered.emit(self._members(cell))

    @Slot(object)
    def _cell_clicked(self, cell: Cell | None) -> None:
        self.points_clicked.emit(self._members(cell))

    def _members(self, cell: Cell | None) -> Array:
        confusion = self.confusion
        return NO_POINTS if cell is None or confusion is None else confusion.members(*cell)
