"""Joins the evaluation's view with its worker: asks for scores while the tab is seen, and pulses chosen points."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QAbstractSpinBox, QComboBox, QWidget

from algorithms.data import Array
from mlviz.session.scoring import Source, Threshold
from mlviz.ui.controls import KeyboardReturn
from mlviz.views.evaluation import EvaluationView
from mlviz.views.renderers.base import NO_POINTS
from mlviz.worker.engine import Engine
from mlviz.worker.evaluation import (
    Evaluation,
    EvaluationRequest,
    Evaluator,
    can_evaluate,
    held_out_points,
    predicts_values,
)
from mlviz.worker.timeline import Frame

PACE = 0.1
"""Seconds between two drawings of the scores while a run plays: all pictures of the evaluation take longer than a
frame, and nobody reads ten matrices a second."""
PULSES = 6
"""How often chosen points go on and off before they stay lit."""


class EvaluationController(QObject):
    """Everything about the evaluation that is neither drawing nor computing."""

    threshold_changed = Signal()
    points_hovered = Signal(object)
    points_clicked = Signal(object)
    held_out_changed = Signal(object)
    """The points that validation, or the fold on show, keeps away from training, while it is looked at; else none."""
    pulsed = Signal(object)
    """The points to ring now, while a chosen cell pulses."""

    def __init__(self, parent: QWidget | None = None, clock: Callable[[], float] = time.perf_counter) -> None:
        super().__init__(parent)
        self._clock = clock
        self.view = EvaluationView(parent)
        self.view.hide()  # until it is a tab
        self._evaluator = Evaluator()
        self._engine: Engine | None = None
        self._split: tuple[object, ...] | None = None
        self._frame: Frame | None = None
        self._kind: tuple[object, ...] = ()
        self._asked: tuple[Any, Any, int | None] | None = None
        self._answered = True
        self._answered_at = 0.0
        self._news: Evaluation | None = None
        self._pulse: Array = NO_POINTS
        self._left = 0
        self._beat = QTimer(self, objectName="evaluation_pulse", interval=140)
        self._beat.timeout.connect(self._pulse_on)
        for control in (*self.view.findChildren(QAbstractSpinBox), *self.view.findChildren(QComboBox)):
            KeyboardReturn(control)
        self.view.threshold_changed.connect(self._threshold_moved)
        self.view.source_changed.connect(self._ask)
        self.view.fold_chosen.connect(self._say_split)
        self.view.points_hovered.connect(self.points_hovered)
        self.view.points_clicked.connect(self._clicked)
        self.view.points_followed.connect(self.points_clicked)

    def close(self) -> None:
        """End the thread."""
        self._beat.stop()
        self._evaluator.close()

    def begin_run(self, engine: Engine) -> None:
        """Frames from now on belong to this run; another method or other classes begin with a fresh threshold."""
        kind = (engine.algorithm, engine.data.classes, predicts_values(engine.algorithm, engine.data))
        if kind != self._kind:
            self._kind = kind
            self.view.forget()
            self.view.expect(predicts_values(engine.algorithm, engine.data))
            self.threshold_changed.emit()
        self._engine, self._frame = engine, None
        self._asked, self._answered, self._news = None, True, None
        self._evaluator.drop()

    def rest(self) -> None:
        """Hold nothing of a run any more."""
        self._engine = self._frame = self._asked = self._news = self._split = None
        self._answered = True
        self._evaluator.drop()

    def show_frame(self, frame: Frame) -> bool:
        """Follow the playhead; whether this run can be evaluated at all."""
        if self._engine is None:
            return False
        if not can_evaluate(self._engine.algorithm, self._engine.data):
            self._frame = None
            return False
        self._frame = frame
        self._ask()
        return True

    def poll(self) -> None:
        """Take what the worker has finished, and ask on: meanwhile the playhead may have moved, or the run ended."""
        self.view.show_progress(self._evaluator.progress)
        found = self._evaluator.poll()
        if found is not None and found.request.key is self._engine:
            self._news = found
        self._ask()

    @property
    def has_news(self) -> bool:
        """Whether there are scores that have not been shown yet."""
        return self._news is not None

    def show_scores(self) -> None:
        """Show what the worker has answered."""
        if self._news is None:
            return
        found, self._news = self._news, None
        self._answered, self._answered_at = True, self._clock()
        if found.error is not None:
            raise found.error
        if found.scores is None:
            self.view.show_message(found.refusal)
        else:
            self.view.set_scores(found.scores)
        self._ask()

    @property
    def threshold(self) -> Threshold | None:
        """Where the decision line is to be drawn instead of where the algorithm draws it."""
        return self.view.contour

    def draws_line(self) -> bool:
        """Whether there is a threshold to be seen as a line among the data."""
        return self.view.scores is not None and self.view.contour is not None and self.view.isVisible()

    # -- inside --------------------------------------------------------------------------------------------------

    @Slot()
    def _ask(self) -> None:
        """Ask for the scores of the frame on show, where they are looked at and not known already."""
        self._say_split()
        engine, frame = self._engine, self._frame
        if engine is None or frame is None or not self.view.isVisible():
            return
        source: Source = self.view.source.currentText()  # type: ignore[assignment]
        model, step = frame.snapshot.model, self._step(engine, frame, source)
        settings = (source, self.view.folds.value(), self.view.split.fraction)
        wanted = (settings, model if source == "training" else None, step)
        if not self._is_news(wanted):
            return
        self._asked, self._answered = wanted, False
        run = (engine.algorithm, engine.data, engine.params, engine.seed)
        self._evaluator.ask(EvaluationRequest(*run, model, source, engine, step, *settings[1:]))

    @Slot()
    def _say_split(self) -> None:
        """Say which points are held out as soon as they are others, or are not looked at any more."""
        settings = self.view.settings()
        looked_at = self.view.isVisible() and settings.source != "training"
        engine = self._engine if looked_at else None
        split = None if engine is None else (engine, settings.source, settings.folds, settings.fold, settings.held_out)
        if split == self._split:
            return
        self._split = split
        if engine is not None and can_evaluate(engine.algorithm, engine.data):
            self.held_out_changed.emit(held_out_points(engine.data, engine.seed, settings))
        else:
            self.held_out_changed.emit(NO_POINTS)

    @staticmethod
    def _step(engine: Engine, frame: Frame, source: Source) -> int | None:
        """How far the runs of validation are to go: as far as the playhead, and to their own ends at the end.

        A run that went on from an earlier state counts its steps from there, which the others cannot follow.
        """
        last = engine.stop is not None and frame.step == len(engine.timeline) - 1
        return None if source != "training" and (last or engine.resumed) else frame.step

    def _is_news(self, wanted: tuple[Any, Any, int | None]) -> bool:
        """Whether to ask now. A request on the way to the wanted step is let finish: while a run plays, something is
        to be seen, and no work is lost. Anything else is given up for the new one.
        """
        before = self._asked
        if before is None:
            return True
        if before[0] == wanted[0] and before[1] is wanted[1] and before[2] == wanted[2]:
            return False
        if before[0] != wanted[0]:
            return True
        if self._answered:
            return self._clock() - self._answered_at >= PACE
        on_the_way = before[2] is not None and (wanted[2] is None or before[2] <= wanted[2])
        return not on_the_way

    def refresh(self) -> None:
        """The tab has come into view."""
        self._ask()

    @Slot(object)
    def _threshold_moved(self, _: Threshold | None) -> None:
        self.threshold_changed.emit()

    @Slot(object)
    def _clicked(self, points: Array) -> None:
        self._pulse, self._left = points, PULSES if len(points) else 0
        self.points_clicked.emit(points)
        self._beat.start()

    @Slot()
    def _pulse_on(self) -> None:
        self._left -= 1
        if self._left <= 0:
            self._beat.stop()
            if len(self._pulse):
                self.pulsed.emit(self._pulse)
            return
        self.pulsed.emit(NO_POINTS if self._left % 2 else self._pulse)
