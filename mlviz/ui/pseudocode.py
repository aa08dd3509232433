"""Pseudo-code with the current line lit and the current numbers in it."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Mapping

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from algorithms.contract import Line
from algorithms.maths import words
from mlviz.ui.prose import TALL, WRAP
from mlviz.views.colours import blend
from mlviz.views.theme import SPACING, Theme

CODE_FONT, CODE_GAP = 0.92, 4
"""The size of its letters, and the room between two lines."""
_PLACE = re.compile(r"\{(\w+)(?::([^{}]*))?\}")


class CodeView(QWidget):
    """Numbered lines of pseudo-code, one of them lit by a bar and bold letters."""

    def __init__(self, *, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.setObjectName("pseudocode")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._theme = theme
        self._lines: tuple[Line, ...] = ()
        self._names: set[str] = set()
        self._texts: list[str] = []
        self._heights: list[int] = []
        self._lit = -1

    def set_lines(self, lines: tuple[Line, ...], names: set[str]) -> None:
        """Show other lines; ``names`` are the numbers that will come."""
        self._lines, self._names, self._lit = lines, names, -1
        self._texts = [filled(line.text, {}, names) for line in lines]
        self._measure()

    def set_frame(self, phase: str, metrics: Mapping[str, float]) -> bool:
        """Light the line of this phase and fill in the numbers; whether another line is lit now."""
        texts = [filled(line.text, metrics, self._names) for line in self._lines]
        lit = next((at for at, line in enumerate(self._lines) if phase in line.phases), -1)
        moved = lit != self._lit
        if moved or texts != self._texts:
            changed = [at for at, text in enumerate(texts) if text != self._texts[at]]
            self._texts, self._lit = texts, lit
            self._grow(changed)
            self.setAccessibleName(f"Line {lit + 1}: {texts[lit]}" if lit >= 0 else "Pseudo-code")
            self.update()
        return moved and lit >= 0

    def lit(self) -> int:
        """The number of the lit line, from 0; -1 for none."""
        return self._lit

    def texts(self) -> tuple[str, ...]:
        """The lines as they are shown."""
        return tuple(self._texts)

    def lit_rect(self) -> QRect:
        """Where the lit line stands."""
        if not 0 <= self._lit < len(self._heights):
            return QRect()
        return QRect(0, sum(self._heights[: self._lit]), self.width(), self._heights[self._lit])

    def height_of(self, lines: int) -> int:
        """How high so many lines are, wherever they are the highest."""
        starts = range(max(len(self._heights) - lines, 0) + 1)
        return max(sum(self._heights[start : start + lines]) for start in starts)

    def whole_from(self, height: int) -> int:
        """Where the first line begins that is not cut at this height."""
        tops = itertools.accumulate(self._heights, initial=0)
        return next((top for top in tops if top >= height), height)

    def set_theme(self, theme: Theme) -> None:
        """Paint in other colours and sizes."""
        self._theme = theme
        self._measure()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Break the lines anew when the width changes."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._measure()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw numbers, texts and the lit line's bar."""
        theme = self._theme
        painter = QPainter(self)
        painter.setFont(self._font(bold=False))
        gutter = self._gutter()
        top = 0
        for at, (text, height) in enumerate(zip(self._texts, self._heights, strict=True)):
            if at == self._lit:
                painter.fillRect(0, top, self.width(), height, QColor(blend(theme.surface, theme.accent, 0.14)))
                painter.fillRect(0, top, 4, height, QColor(theme.accent))
                painter.setFont(self._font(bold=True))
            painter.setPen(QColor(theme.accent if at == self._lit else theme.muted))
            right = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop)
            painter.drawText(QRect(0, top + CODE_GAP // 2, gutter - SPACING, height), right, str(at + 1))
            painter.setPen(QColor(theme.text))
            left = gutter + self._indent(text)
            painter.drawText(QRect(left, top + CODE_GAP // 2, self.width() - left - 4, height), WRAP, text.lstrip())
            if at == self._lit:
                painter.setFont(self._font(bold=False))
            top += height
        painter.end()

    def _font(self, bold: bool) -> QFont:
        font = QFont(self.font())
        font.setPointSizeF(self._theme.font * CODE_FONT)
        font.setBold(bold)
        return font

    def _gutter(self) -> int:
        digits = len(str(max(len(self._lines), 1)))
        return QFontMetrics(self._font(bold=True)).horizontalAdvance("0" * digits) + SPACING * 2

    def _indent(self, text: str) -> int:
        """How far a line stands in; its continuation stands in as far."""
        return round((len(text) - len(text.lstrip())) * self._theme.font * 0.5)

    def _measure(self) -> None:
        """The height of every line from nothing; measured in bold, so that lighting a line moves nothing."""
        self._heights = [0] * len(self._texts)
        self._grow(list(range(len(self._texts))))
        self.setFixedHeight(max(sum(self._heights), 1))
        self.update()

    def _grow(self, which: list[int]) -> None:
        """Give these lines more room where they need it; never less, so that nothing jumps while it plays."""
        if not which:
            return
        metrics = QFontMetrics(self._font(bold=True))
        room = self.width() - self._gutter() - 4
        before = sum(self._heights)
        for at in which:
            width = max(room - self._indent(self._texts[at]), 40)
            bounds = metrics.boundingRect(QRect(0, 0, width, TALL), WRAP, self._texts[at].lstrip())
            needed = bounds.height() + CODE_GAP
            self._heights[at] = max(self._heights[at], needed)
        if sum(self._heights) != before:
            self.setFixedHeight(max(sum(self._heights), 1))


def number(value: float) -> str:
    """A number as captions write it, with the sign of mathematics."""
    text = words.number(value)
    return text.replace("-", "−", 1) if text.startswith("-") else text


def filled(text: str, metrics: Mapping[str, float], names: set[str]) -> str:
    """The line with its numbers: ``{J}`` or ``{J:.2f}``. A number still to come is ``…``, one not known yet
    a dash; other braces stay.
    """

    def number_for(match: re.Match[str]) -> str:
        name, spec = match.group(1), match.group(2)
        if name in metrics:
            value = metrics[name]
            return format(value, spec) if spec and not math.isnan(value) else number(value)
        return "…" if name in names else match.group(0)

    return _PLACE.sub(number_for, text)
