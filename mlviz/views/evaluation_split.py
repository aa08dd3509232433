"""How the evaluation divides the points: the part that validation holds out, or the folds of cross-validation."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QSpinBox, QWidget

from mlviz.session.layout import FOLDS, HELD_OUT, EvaluationSettings
from mlviz.session.scoring import Source


class SplitControls(QWidget):
    """Owns the three fields; they stand among the other controls of the evaluation, each beside its source."""

    changed = Signal()
    """The points are divided in another way."""
    fold_chosen = Signal()
    """Another fold is looked at."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.hide()
        usual = EvaluationSettings()
        self.folds = _spin("evaluation_folds", "Folds", *FOLDS, suffix=" folds")
        self.folds.setToolTip("Into how many parts cross-validation divides the points; each is scored by the others.")
        self.fold = _spin("evaluation_fold", "Fold on show", 1, usual.folds, prefix="fold ")
        self.fold.setToolTip(
            "Which part is hollow among the data: it is held out while the other parts are trained on."
        )
        self.held_out = _spin("evaluation_held_out", "Held out", round(100 * HELD_OUT[0]), round(100 * HELD_OUT[1]))
        self.held_out.setSuffix(" % held out")
        self.held_out.setSingleStep(5)
        self.held_out.setToolTip("Which part of the points (of every class) validation keeps away from training.")
        self.take(usual)
        self.folds.valueChanged.connect(self._divide)
        self.held_out.valueChanged.connect(self.changed)
        self.fold.valueChanged.connect(self.fold_chosen)

    @property
    def fraction(self) -> float:
        """Which part of the points validation holds out."""
        return self.held_out.value() / 100.0

    def take(self, settings: EvaluationSettings) -> None:
        """Choose all of this."""
        self.folds.setValue(settings.folds)
        self.fold.setMaximum(settings.folds)
        self.fold.setValue(settings.fold)
        self.held_out.setValue(round(100 * settings.held_out))

    def show_for(self, source: Source) -> None:
        """Show the fields of this source."""
        for spin in (self.folds, self.fold):
            spin.setVisible(source == "cross-validation")
        self.held_out.setVisible(source == "validation")

    @Slot(int)
    def _divide(self, count: int) -> None:
        self.fold.setMaximum(count)
        self.changed.emit()


def _spin(name: str, title: str, least: int, most: int, prefix: str = "", suffix: str = "") -> QSpinBox:
    spin = QSpinBox(objectName=name, minimum=least, maximum=most, prefix=prefix, suffix=suffix)
    spin.setAccessibleName(title)
    spin.setKeyboardTracking(False)
    spin.hide()
    return spin
