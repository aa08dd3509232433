"""Numbers in the form: how a slider's positions stand for values, and a spin box that reads what people type.

A slider has whole positions; :class:`Scale` turns them into round values, by differences or by factors. The spin box
shows ``1e-06`` as such, accepts a decimal comma, and lets anything be typed: what cannot be used is explained beside
it instead of being swallowed key by key.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QFocusEvent, QKeyEvent, QValidator, QWheelEvent
from PySide6.QtWidgets import QDoubleSpinBox, QWidget

from algorithms.params import Field, ParamError
from algorithms.records import dataclass
from mlviz.ui.controls import ENTER, let_go

POSITIONS = 1000
_DECIMALS = 30
"""Enough that the spin box rounds nothing away."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Which value each position of a slider stands for."""

    low: float
    high: float
    whole: bool
    log: bool

    @classmethod
    def of(cls, field: Field, extents: Mapping[str, int] | None = None) -> Scale:
        """The scale of a numeric field, beside data with so many items and features."""
        assert field.low is not None
        assert field.high is not None
        most = (extents or {}).get(field.up_to) or field.high
        high = max(min(field.high, most), field.low)
        return cls(field.low, high, field.kind == "int", field.log and field.low >= 0 and high > 0)

    @property
    def positions(self) -> int:
        """The last position; the first is 0."""
        if self.whole and not self.log and self.high - self.low <= POSITIONS:
            return max(1, int(self.high - self.low))
        return POSITIONS

    @property
    def _floor(self) -> float:
        """Where the factors begin; below it there is only zero."""
        return self.low if self.low > 0 else min(1.0, self.high / 10) if self.whole else self.high * 1e-6

    def value(self, position: int) -> float:
        """The round value at a position; the ends are exact."""
        fraction = position / self.positions
        if position <= 0 or position >= self.positions:
            exact = self.low if position <= 0 else self.high
            return round(exact) if self.whole else exact
        if self.log:
            raw = self._floor * (self.high / self._floor) ** fraction
            rounded = float(f"{raw:.2g}") if not self.whole or raw >= 100 else float(round(raw))
        else:
            raw = self.low + fraction * (self.high - self.low)
            grid = 1.0 if self.positions < POSITIONS else nice((self.high - self.low) / 500)
            rounded = float(f"{round(raw / grid) * grid:.10g}")
        inside = min(max(rounded, self.low), self.high)
        return round(inside) if self.whole else inside

    def position(self, value: float) -> int:
        """The position nearest to a value."""
        if self.high <= self.low:
            return 0
        if not self.log:
            fraction = (value - self.low) / (self.high - self.low)
        elif value <= self._floor:
            fraction = 0.0
        else:
            fraction = math.log(value / self._floor) / math.log(self.high / self._floor)
        return min(max(round(fraction * self.positions), 0), self.positions)

    def stepped(self, value: float, steps: int) -> float:
        """The value some presses of an arrow key away."""
        for _ in range(abs(steps)):
            value = self._up(value) if steps > 0 else self._down(value)
        inside = min(max(value, self.low), self.high)
        return round(inside) if self.whole else float(f"{inside:.10g}")

    def _up(self, value: float) -> float:
        if not self.log:
            return value + self._difference
        if self.whole:
            return value + max(1.0, 10.0 ** (math.floor(math.log10(max(value, 1.0))) - 1))
        if value < self._floor:
            return self._floor
        exponent = math.floor(math.log10(value) + 1e-9)
        return next(m * 10.0**exponent for m in (1, 2, 5, 10, 20) if m * 10.0**exponent > value * (1 + 1e-9))

    def _down(self, value: float) -> float:
        if not self.log:
            return value - self._difference
        if self.whole:
            return value - max(1.0, 10.0 ** (math.ceil(math.log10(max(value, 1.0))) - 2))
        if value <= self._floor:
            return self.low
        exponent = math.floor(math.log10(value) + 1e-9)
        return next(m * 10.0**exponent for m in (5, 2, 1, 0.5) if m * 10.0**exponent < value * (1 - 1e-9))

    @property
    def _difference(self) -> float:
        return max(1.0, nice((self.high - self.low) / 500)) if self.whole else nice((self.high - self.low) / 100)


def nice(width: float) -> float:
    """The largest of 1, 2 and 5 times a power of ten that is not above ``width``."""
    power = 10.0 ** math.floor(math.log10(width)) if width > 0 else 1.0
    return max((m * power for m in (1, 2, 5) if m * power <= width * (1 + 1e-9)), default=power)


def shown(value: float) -> str:
    """A number as the form writes it: no digits that mean nothing, and powers of ten where they are shorter."""
    return str(int(value)) if value == int(value) and abs(value) < 1e7 else f"{value:.10g}"


class NumberBox(QDoubleSpinBox):
    """A spin box for one numeric field; ``refused`` carries a sentence (or nothing) while something is typed."""

    refused = Signal(str)

    def __init__(self, field: Field, parent: QWidget | None = None) -> None:
        self._field = field
        self.scale = Scale.of(field)
        super().__init__(parent=parent)
        self.setDecimals(0 if field.kind == "int" else _DECIMALS)
        self.setRange(self.scale.low, self.scale.high)
        self.setSpecialValueText(field.zero)
        self.setKeyboardTracking(False)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setProperty("role", "plain")
        self.lineEdit().setTextMargins(6, 0, 6, 0)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        if field.unit:
            self.setSuffix(f" {field.unit}")
        self.lineEdit().textEdited.connect(self._examine)

    def textFromValue(self, value: float) -> str:
        """The number without superfluous digits."""
        return shown(value)

    def valueFromText(self, text: str) -> float:
        """The number typed; the last good value when there is none."""
        try:
            return float(self._parsed(text))
        except ParamError:
            return self.value()

    def validate(self, text: str, position: int) -> tuple[QValidator.State, str, int]:
        """Let everything be typed; only what the field accepts may become the value."""
        try:
            self._parsed(text)
        except ParamError:
            return QValidator.State.Intermediate, text, position
        return QValidator.State.Acceptable, text, position

    def fixup(self, text: str) -> str:
        """Fall back on the last good value when something unusable is left behind."""
        return self.textFromValue(self.value()) + self.suffix()

    def stepBy(self, steps: int) -> None:
        """Go to the next round number."""
        self.setValue(self.scale.stepped(self.value(), steps))
        self.selectAll()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Turn only with the keyboard focus; otherwise the panel scrolls."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter commits what was typed, or brings the last good value back, and lets go."""
        super().keyPressEvent(event)
        if event.key() in ENTER:
            self.interpretText()
            let_go(self)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """What is left behind is a value again, so nothing is refused any more."""
        super().focusOutEvent(event)
        self.refused.emit("")

    @Slot(str)
    def _examine(self, text: str) -> None:
        try:
            self._parsed(text)
        except ParamError as error:
            self.refused.emit(str(error))
        else:
            self.refused.emit("")

    def _parsed(self, text: str) -> float:
        """The field's own reading; the unit may be there, typed again, or missing, and 0 may be a word."""
        unit, body = self._field.unit, text.strip()
        if body and body == self._field.zero:
            return 0.0
        while unit and body.endswith(unit):
            body = body.removesuffix(unit).strip()
        return self._field.parse(body.replace(",", ".").replace("−", "-"))
