"""The transport bar: everything about time in one place.

It shows and asks; it keeps no clock. The window owns the keys and moves the playhead, the bar emits what the user
wants. Two rows: the time line, and the controls below it. What does not fit is dropped in a fixed order (captions
first, then the words beside icons; last, the settings move into a row of their own), so that nothing is ever clipped.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSize, Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QSizePolicy, QSpinBox, QWidget

from mlviz.ui.controls import ComboBox, StillLabel, ToolButton
from mlviz.ui.icons import icon
from mlviz.ui.speeds import LEAST_AUTO, SPEEDS, auto_words, speed_words, suited_speed
from mlviz.ui.style import icon_size
from mlviz.ui.time_bar import TimeBar, step_words
from mlviz.views.composition import LOW_SCREEN
from mlviz.views.plain_text import PlainLabel, plain
from mlviz.views.theme import LIGHT, SPACING, Theme

CANCELLED = "cancelled"
"""What the user has done to a run, which is no end of it: said wherever one looks."""
AUTO = 0
"""The entry of the speed box that suits the speed to the length of the run."""
LARGEST_SEED = 2**31 - 1
_GAPS = 5 * SPACING
"""Margins and the gaps between groups, in a row."""
_BUTTONS = (
    ("to_start", "To the first step (Home)"),
    ("phase_back", "Back to the previous phase (Shift+Left)"),
    ("step_back", "One step back (Left)"),
    ("play", "Play or pause (Space)"),
    ("step_forward", "One step forward (Right)"),
    ("phase_forward", "On to the next phase (Shift+Right)"),
    ("to_end", "To the last step (End)"),
)
_JUMPS = ("to_start", "phase_back", "phase_forward", "to_end")


class Transport(QWidget):
    """Play, step, jump, scrub, speed and seed. Steps are counted from 0, the initial state."""

    play_toggled = Signal(bool)
    step_requested = Signal(int)
    phase_requested = Signal(int)
    jump_requested = Signal(str)
    scrubbed = Signal(int)
    speed_changed = Signal(float)
    by_phase_changed = Signal(bool)
    same_seed_requested = Signal()
    new_seed_requested = Signal()
    seed_changed = Signal(int)

    def __init__(self, *, theme: Theme = LIGHT, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.setObjectName("transport")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._theme = theme
        self._count = 0
        self._step = 0
        self._counted = self._longest_count = self._reason = ""
        self._running = False
        self._seed = 0
        self._suited = LEAST_AUTO
        self._low = self._fitting = False
        self.time_bar = TimeBar(theme=theme, parent=self)
        self.time_bar.scrubbed.connect(self._scrub)
        self._widest = "00 / 00+"
        self.step_label = StillLabel(widest=step_words(self._widest), parent=self)
        self.step_label.setObjectName("step_label")
        self.step_label.set_alignment(Qt.AlignmentFlag.AlignRight)
        self.reason_label = StillLabel(parent=self)
        self.reason_label.setObjectName("reason_label")
        self.buttons = {name: self._button(name, tip) for name, tip in _BUTTONS}
        self.play_button = self.buttons["play"]
        self._make_play()
        self._make_speed()
        self._make_seed()
        self._arrange()
        self._connect()
        self.setFocusProxy(self.play_button)
        self.set_theme(theme)
        self._write()

    def set_progress(self, count: int, running: bool, reason: str) -> None:
        """``count`` frames exist (steps 0 to ``count - 1``); ``running`` says more may come; why it ended, in words."""
        self._count, self._running = count, running
        self._reason = "" if running else reason
        self.time_bar.set_range(count - 1, running, self._reason)
        digits = "0" * max(2, len(str(max(count - 1, 0))))
        self._widest = f"{digits} / {digits}+"
        self._suit_speed()
        self.reason_label.set_widest(self._reason)
        self._write()
        self._show_reason()

    def set_position(self, step: int, counted: str = "") -> None:
        """Show the playhead at a step, and what the method has counted up to it where that is something else."""
        self._step, self._counted = step, counted
        if len(counted) > len(self._longest_count) or counted[:3] != self._longest_count[:3]:
            self._longest_count = counted
        self.time_bar.set_step(step)
        self._write()

    def set_playing(self, playing: bool) -> None:
        """Show whether it plays; nothing is emitted."""
        if playing != self.play_button.isChecked():
            self.play_button.blockSignals(True)
            self.play_button.setChecked(playing)
            self.play_button.blockSignals(False)
        self._dress_play()

    def set_events(self, events: list[tuple[int, str]], changes: Sequence[tuple[int, str]] = ()) -> None:
        """Mark what happened at which step, and where the run went on after a change."""
        self.time_bar.set_events(tuple(events), tuple(changes))

    def set_seed(self, seed: int) -> None:
        """Show a seed; nothing is emitted."""
        self._seed = seed
        self.seed_box.blockSignals(True)
        self.seed_box.setValue(seed)
        self.seed_box.blockSignals(False)
        self.seed_box.updateGeometry()
        self._fit()

    def speed(self) -> float:
        """Steps per second; infinite for as fast as it computes."""
        return self._suited if self.chosen_speed() is None else SPEEDS[self.speed_box.currentIndex() - 1]

    def chosen_speed(self) -> float | None:
        """The speed as the user has chosen it; None where it suits the length of the run."""
        chosen = self.speed_box.currentIndex()
        return None if chosen == AUTO else SPEEDS[chosen - 1]

    def set_speed(self, speed: float | None) -> None:
        """Choose the speed nearest to this one, or the one that suits the run; nothing is emitted."""
        if speed is None:
            entry = AUTO
        elif math.isinf(speed):
            entry = len(SPEEDS)
        else:
            entry = 1 + min(range(len(SPEEDS) - 1), key=lambda at: abs(math.log(SPEEDS[at] / max(speed, 1e-3))))
        self.speed_box.blockSignals(True)
        self.speed_box.setCurrentIndex(entry)
        self.speed_box.blockSignals(False)

    def change_speed(self, by: int) -> None:
        """Go to the next faster (+1) or slower (-1) speed."""
        self.speed_box.setCurrentIndex(1 + min(max(SPEEDS.index(self.speed()) + by, 0), len(SPEEDS) - 1))

    def _suit_speed(self) -> None:
        """Suit the speed to the steps known so far, where the user has not chosen another one."""
        suited = LEAST_AUTO if self.by_phase() else suited_speed(self._count)
        if suited != self._suited:
            self._suited = suited
            self.speed_box.setItemText(AUTO, auto_words(suited))
            if self.chosen_speed() is None:
                self.speed_changed.emit(suited)

    def by_phase(self) -> bool:
        """Whether playing goes from phase to phase."""
        return self.by_box.currentIndex() == 1

    def set_by_phase(self, by_phase: bool) -> None:
        """Choose what playing goes by; nothing is emitted."""
        self.by_box.blockSignals(True)
        self.by_box.setCurrentIndex(int(by_phase))
        self.by_box.blockSignals(False)

    def set_theme(self, theme: Theme) -> None:
        """Colour icons and time line anew and see what fits."""
        self._theme = theme
        side = icon_size(theme)
        for name, button in (*self.buttons.items(), ("same_seed", self.same_button), ("new_seed", self.new_button)):
            button.setIconSize(QSize(side, side))
            if name != "play":
                button.setIcon(icon(name, theme))
        self.time_bar.set_theme(theme)
        self.step_label.set_colour(theme.text)
        self.reason_label.set_colour(theme.muted)
        self._dress_play()
        self._fit()

    def minimumSizeHint(self) -> QSize:
        """The width at which everything that can be dropped is dropped and the controls stand in two rows."""
        bare = icon_size(self._theme) + 2 * SPACING
        moves = len(self.buttons) * bare
        boxes = _width([self.speed_box, self.by_box, self.seed_box]) + 2 * bare
        return QSize(max(moves, boxes) + _GAPS, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Drop or show the secondary words; to try them may itself change the size, which is looked at once."""
        super().resizeEvent(event)
        if not self._fitting:
            self._fitting, width = True, self.width()
            self._fit()
            if self.width() != width:
                self._fit()
            self._fitting = False

    def showEvent(self, event: QShowEvent) -> None:
        """Measure again: only now do the parts know their final fonts."""
        super().showEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        """A new font changes what fits; while nothing is painted more changes come, and the theme at the end."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange) and self.updatesEnabled():
            self._fit()

    def _button(self, name: str, tip: str) -> ToolButton:
        button = ToolButton(parent=self)
        button.setObjectName(f"transport_{name}")
        button.setToolTip(plain(tip))
        button.setAccessibleName(tip.partition(" (")[0])
        return button

    def _make_play(self) -> None:
        button = self.play_button
        button.setCheckable(True)
        button.setProperty("role", "primary")
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        button.toggled.connect(self._toggle)

    def _make_speed(self) -> None:
        self.speed_caption = PlainLabel("Speed", parent=self)
        self.speed_box = ComboBox(parent=self)
        self.speed_box.setObjectName("transport_speed")
        self.speed_box.setAccessibleName("Speed")
        self.speed_box.setToolTip("How fast it plays; “auto” suits the length of the run")
        self.speed_box.addItem(auto_words(self._suited))
        for speed in SPEEDS:
            self.speed_box.addItem(speed_words(speed))
        self.speed_box.setItemData(len(SPEEDS), "As fast as it computes", Qt.ItemDataRole.ToolTipRole)
        self.by_caption = PlainLabel("Play by", parent=self)
        self.by_box = ComboBox(parent=self)
        self.by_box.setObjectName("transport_by")
        self.by_box.setAccessibleName("Play by")
        self.by_box.setToolTip("Whether playing shows every step or goes from phase to phase")
        self.by_box.addItems(["steps", "phases"])

    def _make_seed(self) -> None:
        self.seed_caption = PlainLabel("Seed", parent=self)
        self.seed_box = _SeedBox(parent=self)
        self.same_button = self._button("same_seed", "Replay with the same seed: exactly the same run again")
        self.new_button = self._button("new_seed", "Draw a new seed: another run of the same method")
        self.same_button.setText("Same seed")
        self.new_button.setText("New seed")

    def _arrange(self) -> None:
        top = QHBoxLayout()
        top.setSpacing(SPACING)
        top.addWidget(self.time_bar, 1)
        top.addWidget(self.step_label)
        top.addWidget(self.reason_label)
        moves = QHBoxLayout()
        moves.setSpacing(4)
        for button in self.buttons.values():
            moves.addWidget(button)
        moves.addStretch(1)
        settings = QHBoxLayout()
        settings.setSpacing(4)
        for caption, box in ((self.speed_caption, self.speed_box), (self.by_caption, self.by_box)):
            settings.addWidget(caption)
            settings.addWidget(box)
            settings.addSpacing(SPACING)
        for part in (self.seed_caption, self.seed_box, self.same_button, self.new_button):
            settings.addWidget(part)
        self._rows = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._rows.setSpacing(4)
        self._rows.addLayout(moves, 1)
        self._rows.addLayout(settings)
        for caption in (self.speed_caption, self.by_caption, self.seed_caption):
            caption.setProperty("role", "muted")
        self._column = QBoxLayout(QBoxLayout.Direction.TopToBottom, self)
        self._column.setContentsMargins(SPACING, 4, SPACING, SPACING)
        self._column.setSpacing(4)
        self._column.setSizeConstraint(QBoxLayout.SizeConstraint.SetNoConstraint)
        self._column.addLayout(top, 1)
        self._column.addLayout(self._rows)

    def _connect(self) -> None:
        asks = {
            "to_start": lambda: self.jump_requested.emit("start"),
            "phase_back": lambda: self.phase_requested.emit(-1),
            "step_back": lambda: self.step_requested.emit(-1),
            "step_forward": lambda: self.step_requested.emit(1),
            "phase_forward": lambda: self.phase_requested.emit(1),
            "to_end": lambda: self.jump_requested.emit("end"),
        }
        for name, ask in asks.items():
            self.buttons[name].clicked.connect(ask)
        self.speed_box.currentIndexChanged.connect(self._speed_chosen)
        self.by_box.currentIndexChanged.connect(self._by_chosen)
        self.seed_box.editingFinished.connect(self._seed_typed)
        self.same_button.clicked.connect(self.same_seed_requested)
        self.new_button.clicked.connect(self.new_seed_requested)

    def _moves(self) -> list[QWidget]:
        return list(self.buttons.values())

    def _settings(self) -> list[QWidget]:
        """What is never dropped of the settings."""
        return [self.speed_box, self.by_box, self.seed_box, self.same_button, self.new_button]

    def _fit(self) -> None:
        """Show as many secondary words as the width allows, the most useful first; then take another row."""
        beside, alone = Qt.ToolButtonStyle.ToolButtonTextBesideIcon, Qt.ToolButtonStyle.ToolButtonIconOnly
        one, two = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
        captions = (self.speed_caption, self.by_caption, self.seed_caption)
        if self._fit_low(captions):
            return
        stages = ((beside, beside, True), (beside, beside, False), (beside, alone, False), (alone, alone, False))
        for direction in (one, two):
            for words, seeds, shown in stages:
                self.play_button.setToolButtonStyle(words)
                for button in (self.same_button, self.new_button):
                    button.setToolButtonStyle(seeds)
                for caption in captions:
                    caption.setVisible(shown)
                moves = _width(self._moves())
                settings = _width([*self._settings(), *(captions if shown else ())])
                needed = moves + settings if direction == one else max(moves, settings)
                if needed + _GAPS <= self.width():
                    self._stack(direction)
                    return
        self._stack(two)

    def _fit_low(self, captions: tuple[QWidget, ...]) -> bool:
        """In presenter mode on a low screen everything is one row; what is left out has its keys."""
        low = self._theme.least > 0.0 and self.window().height() < LOW_SCREEN * self._theme.font
        if low != self._low:  # only then: every change asks all around for another layout
            self._low = low
            for part in (*self._settings(), *(self.buttons[name] for name in _JUMPS)):
                part.setVisible(not low)
            self._column.setDirection(QBoxLayout.Direction.RightToLeft if low else QBoxLayout.Direction.TopToBottom)
            self.updateGeometry()
        self._show_reason()
        if low:
            self.play_button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
            for caption in captions:
                caption.hide()
            self._stack(QBoxLayout.Direction.LeftToRight)
        return low

    def _show_reason(self) -> None:
        """Keep room for why it ended, unless the time line would be too short beside it: its tool tip says it, too."""
        room = self.width() - _width([*self._moves()[2:5], self.step_label, self.reason_label]) - _GAPS
        self.reason_label.setVisible(bool(self._reason) and (not self._low or room >= 220))

    def _stack(self, direction: QBoxLayout.Direction) -> None:
        """Put the rows so, at once: a layout that is only requested would show the squeezed one for a moment."""
        if self._rows.direction() != direction:
            self._rows.setDirection(direction)
            self.updateGeometry()
        layout = self.layout()
        if layout is not None:
            layout.activate()

    def _dress_play(self) -> None:
        playing = self.play_button.isChecked()
        self.play_button.setIcon(icon("pause" if playing else "play", self._theme, self._theme.on_accent))
        self.play_button.setText("Pause" if playing else "Play")
        self.play_button.setAccessibleName(self.play_button.text())

    def _write(self) -> None:
        """The step in words, and the buttons that can do something."""
        last = max(self._count - 1, 0)
        words = f"{self._step} / {last}{'+' if self._running else ''}"
        self.step_label.set_widest(step_words(self._widest, self._longest_count))
        self.step_label.setText(step_words(words, self._counted))
        self.reason_label.setText(self._reason if self._step == last or self._reason == CANCELLED else "")
        for name in ("to_start", "phase_back", "step_back"):
            self.buttons[name].setEnabled(self._step > 0)
        for name in ("step_forward", "phase_forward", "to_end"):
            self.buttons[name].setEnabled(self._step < last or self._running)

    @Slot(bool)
    def _toggle(self, playing: bool) -> None:
        self._dress_play()
        self.play_toggled.emit(playing)

    @Slot(int)
    def _scrub(self, step: int) -> None:
        self._step = step
        self._write()
        self.scrubbed.emit(step)

    @Slot()
    def _speed_chosen(self) -> None:
        self.speed_changed.emit(self.speed())

    @Slot(int)
    def _by_chosen(self, index: int) -> None:
        self._suit_speed()
        self.by_phase_changed.emit(index == 1)

    @Slot()
    def _seed_typed(self) -> None:
        if self.seed_box.value() != self._seed:
            self._seed = self.seed_box.value()
            self.seed_changed.emit(self._seed)


class _SeedBox(QSpinBox):
    """The seed: a whole number without arrows that leaves the wheel alone."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent=parent)
        self.setObjectName("transport_seed")
        self.setAccessibleName("Seed")
        self.setToolTip("The seed of the random numbers: the same seed gives the same run")
        self.setProperty("role", "plain")
        self.setRange(0, LARGEST_SEED)
        self.setKeyboardTracking(False)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus | Qt.FocusPolicy.TabFocus)
        self.lineEdit().setTextMargins(4, 0, 4, 0)

    def sizeHint(self) -> QSize:
        """Room for six digits; more scroll."""
        digits = max(6, len(str(self.value())))
        return QSize(self.fontMetrics().horizontalAdvance("0" * digits) + 30, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """The same, so that the number is never clipped."""
        return self.sizeHint()


def _width(parts: list[QWidget]) -> int:
    """The width of a row of these."""
    return sum(part.sizeHint().width() + 4 for part in parts)
