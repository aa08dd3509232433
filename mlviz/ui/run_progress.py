"""How far a run is that fits many models, how long it will still take, and a button that stops it."""

from __future__ import annotations

import math
from collections import deque

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QWidget

from mlviz.ui.controls import ToolButton
from mlviz.views.plain_text import PlainLabel, plain
from mlviz.views.theme import SPACING

SHORT = 0.5
"""Seconds after which it is worth saying anything."""
SEVERAL, SOME_TIME = 5, 1.0
"""How many fits, and seconds, there must be before anything is said about how long the others will take."""
RECENT = 40
"""So many of the latest looks tell the pace: later fits may be slower than the first ones."""


class TimeLeft:
    """Guesses how long the rest will take, by the pace of late; says nothing before it has seen several."""

    def __init__(self) -> None:
        self._seen: deque[tuple[float, int]] = deque(maxlen=RECENT)

    def note(self, now: float, done: int) -> None:
        """So many are done at this time, in seconds."""
        if not self._seen or done != self._seen[-1][1]:
            self._seen.append((now, done))

    def seconds(self, now: float, total: int) -> float | None:
        """How long the others will take; None as long as nobody can know."""
        if len(self._seen) < 2:
            return None
        (began, before), (_, done) = self._seen[0], self._seen[-1]
        count, took = done - before, now - began  # also the time since the latest one, or a long one would be "soon"
        if count < SEVERAL or took < SOME_TIME:
            return None
        return took / count * (total - done)


def left_words(seconds: float | None) -> str:
    """A time to come, no more exact than it is known: ``about 20 s left``."""
    if seconds is None:
        return ""
    if seconds < 10.0:
        return "a few seconds left"
    if seconds < 55.0:
        return f"about {5 * round(seconds / 5)} s left"
    if seconds < 3600.0:
        return f"about {max(round(seconds / 60), 1)} min left"
    return f"about {math.ceil(seconds / 1800) / 2:g} h left"


class RunProgress(QWidget):
    """A bar, a sentence and a button, in the row at the bottom of the window; there only while it is needed."""

    cancelled = Signal()

    def __init__(self) -> None:
        super().__init__(objectName="run_progress")
        self.bar = QProgressBar(objectName="run_progress_bar", textVisible=False)
        self.bar.setFixedWidth(120)
        self.words = PlainLabel(objectName="run_progress_words")
        self.button = ToolButton(self)
        self.button.setObjectName("run_progress_cancel")
        self.button.setText("Cancel")
        self.button.setAutoRaise(False)
        self.button.setToolTip(plain("Stop computing (Esc); what is done stays"))
        self.button.setAccessibleName("Cancel the computing")
        self.button.clicked.connect(self.cancelled)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACING)
        for part in (self.words, self.bar, self.button):
            row.addWidget(part)
        self._run: object = None
        self._began, self._time_left = 0.0, TimeLeft()
        self.hide()

    def show_run(self, run: object, done: int, total: int, now: float) -> None:
        """Say that this run has done so much of all, at this time in seconds."""
        if run is not self._run:
            self._run, self._began, self._time_left = run, now, TimeLeft()
        self._time_left.note(now, done)
        if now - self._began < SHORT:
            return
        left = left_words(self._time_left.seconds(now, total))
        text = f"{done:,} of {total:,}" + (f", {left}" if left else "")
        if text != self.words.text():
            self.words.setText(text)
        if (self.bar.maximum(), self.bar.value()) != (total, done):
            self.bar.setRange(0, total)
            self.bar.setValue(done)
        self.setVisible(True)

    def forget(self) -> None:
        """Nothing of the kind is being computed."""
        self._run = None
        self.hide()
