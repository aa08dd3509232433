"""What happens: the caption of the frame, a warning, "why this point", the pseudo-code with the current line lit.

Below it are links to methods that are worth seeing on the same data.

The caption and the warning stay in sight whatever the size of the panel; the rest scrolls below them. Only sentences
longer than nearly the whole panel scroll themselves, so that nothing ever lies over anything else.

A frame changes only what it must: texts that stay the same are not painted again, and the room a text has taken is
kept, so playing does not lay the panel out anew sixty times a second.
"""

from __future__ import annotations

import html
import itertools
import re
from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QEvent, QObject, QRect, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QPixmap, QResizeEvent
from PySide6.QtWidgets import QLabel, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from algorithms import find
from algorithms.contract import Algorithm, Line, Snapshot, Try
from mlviz.ui.icons import pixmap
from mlviz.views.colours import blend
from mlviz.views.plain_text import plain
from mlviz.views.theme import LIGHT, SPACING, Theme

_WRAP = int(Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
_TALL = 100_000
CODE_LINES = 8
"""So many lines of the pseudo-code stay in view as long as the sentences have half of the panel."""
CODE_FONT, CODE_GAP = 0.92, 4
"""The size of its letters, and the room between two lines."""
_PLACE = re.compile(r"\{(\w+)(?::([^{}]*))?\}")


class WhatHappens(QWidget):
    """The explaining panel of the window."""

    related_chosen = Signal(object)
    """The same data are to be seen with another method (:class:`Try`)."""

    def __init__(self, *, theme: Theme = LIGHT, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.setObjectName("what_happens")
        self._theme = theme
        self._explanation: tuple[str, Mapping[str, Any] | None] = ("", None)
        self._related: tuple[Try, ...] = ()
        page = QWidget()
        page.setObjectName("what_happens_page")
        page.setProperty("role", "page")
        self.code = CodeView(theme=theme, parent=page)
        self._sentences = QWidget()
        self._sentences.setProperty("role", "page")
        self.caption = Prose(name="caption", parent=self._sentences)
        self.warning = Prose(name="warning", parent=self._sentences)
        self.why = QLabel(parent=page)
        self.why.setObjectName("explanation")
        self.why.setTextFormat(Qt.TextFormat.RichText)
        self.why.setWordWrap(True)
        self.why.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.related = QLabel(parent=page, objectName="related_methods", wordWrap=True)
        self.related.setTextInteractionFlags(
            Qt.TextInteractionFlag.LinksAccessibleByMouse | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
        )
        self.related.linkActivated.connect(self._choose_related)
        self._column = column = QVBoxLayout(page)
        column.setContentsMargins(SPACING, 0, SPACING, SPACING)
        column.setSpacing(SPACING)
        for part in (self.why, self.code, self.related):
            column.addWidget(part)
        column.addStretch(1)
        self._area = _scrolled(page, "what_happens_scroll", self)
        self._words = _scrolled(self._sentences, "what_happens_words", self)
        self._words.setFrameShape(QScrollArea.Shape.NoFrame)
        self._later = QTimer(self, objectName="what_happens_lit", interval=0, singleShot=True)
        self._later.timeout.connect(self._show_lit)
        for watched in (self._sentences, page, self._area.viewport()):
            watched.installEventFilter(self)
        outer = QVBoxLayout(self)
        outer.setSizeConstraint(QVBoxLayout.SizeConstraint.SetNoConstraint)
        outer.setContentsMargins(0, SPACING, 0, 0)
        outer.setSpacing(SPACING)
        words = QVBoxLayout(self._sentences)
        words.setContentsMargins(SPACING, 0, SPACING, 0)
        words.setSpacing(SPACING)
        for sentence in (self.caption, self.warning):
            words.addWidget(sentence)
        words.addStretch(1)
        outer.addWidget(self._words)
        outer.addWidget(self._area, stretch=1)
        self.warning.hide()
        self.why.hide()
        self.set_theme(theme)

    def set_algorithm(self, algorithm: Algorithm) -> None:
        """Show the pseudo-code of another method; the frame is forgotten."""
        self.code.set_lines(algorithm.pseudocode, {metric.name for metric in algorithm.metrics})
        self.caption.forget()
        self.warning.forget()
        self._related = algorithm.related
        self._write_related()
        self.show_frame(None)
        self.show_explanation("", None)

    def _write_related(self) -> None:
        """One link for each method that is worth seeing on the same data."""
        titles = [html.escape(find(item.method).title) for item in self._related]
        self.related.setText(
            "<br>".join(
                f'The same data: <a href="{number}" style="color: {self._theme.accent}">{title}</a>'
                for number, title in enumerate(titles)
            )
        )
        self.related.setToolTip(plain("\n".join(item.text for item in self._related)))
        self.related.setVisible(bool(titles))

    @Slot(str)
    def _choose_related(self, number: str) -> None:
        self.related_chosen.emit(self._related[int(number)])

    def show_frame(self, snapshot: Snapshot | None) -> None:
        """Light the line of this frame's phase, fill in its numbers, and write its caption."""
        if snapshot is None:
            self.code.set_frame("", {})
            self._write("", "")
            return
        if self.code.set_frame(snapshot.phase, snapshot.metrics):
            self._show_lit()
        self._write(snapshot.caption, snapshot.warning)

    def show_explanation(self, title: str, mapping: Mapping[str, Any] | None) -> None:
        """Say why, for one point, as a table of names and values; None takes it away."""
        self._explanation = (title, mapping)
        text = "" if mapping is None else explanation_html(title, mapping, self._theme)
        if text != self.why.text():
            self.why.setText(text)
            self.why.setVisible(bool(text))
            if text:
                self._area.verticalScrollBar().setValue(0)

    def set_theme(self, theme: Theme) -> None:
        """Paint in other colours."""
        self._theme = theme
        self.code.set_theme(theme)
        self.caption.set_look(theme.text)
        side = round(theme.font * 1.8)
        self.warning.set_look(theme.warning, pixmap("warning", theme.warning, side, self.devicePixelRatioF()))
        self.show_explanation(*self._explanation)
        self._write_related()
        self._share_height()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """A sentence has grown: share the height anew; or the code has another height: keep its lit line in it."""
        if watched is self._sentences and event.type() == QEvent.Type.LayoutRequest:
            self._share_height()
        elif watched is not self._sentences and event.type() == QEvent.Type.Resize:
            self._later.start()  # when the scroll bar knows the new heights
        return super().eventFilter(watched, event)

    @Slot()
    def _show_lit(self) -> None:
        """Scroll to the lit line, and to where a whole line is the first: code that scrolls has room below for that."""
        lit, column = self.code.lit_rect(), self._column
        needed = column.sizeHint().height() - column.contentsMargins().bottom()
        scrolls = needed + SPACING > self._area.viewport().height()
        column.setContentsMargins(SPACING, 0, SPACING, 6 * SPACING if scrolls else SPACING)
        column.activate()
        if self.why.isHidden() and not lit.isEmpty():
            bar, above, room = self._area.verticalScrollBar(), self.code.y(), self._area.viewport().height()
            top = bar.value() - above
            if not (self.code.whole_from(top) == top <= lit.top() and lit.bottom() < top + room):
                bar.setValue(above + self.code.whole_from(min(max(lit.bottom() + 2 - room, 0), lit.top())))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share the height anew."""
        super().resizeEvent(event)
        self._share_height()

    def _share_height(self) -> None:
        """The sentences have the height they need as long as a little of the code is left; then they scroll."""
        needed = self._sentences.sizeHint().height()
        code = self.code.height_of(CODE_LINES)
        self._area.setMinimumHeight(min(code, self.height() // 3))
        height = min(needed, max(self.height() - code, self.height() // 2) - 2 * SPACING)
        if height != self._words.height():
            self._words.setFixedHeight(height)

    def sizeHint(self) -> QSize:
        """Room for a line of code of about forty letters."""
        return QSize(round(self._theme.font * 28), round(self._theme.font * 28))

    def minimumSizeHint(self) -> QSize:
        """Never a reason for the window to grow: long sentences take the room of the pseudo-code, which scrolls."""
        return QSize(round(self._theme.font * 14), round(self._theme.font * 10))

    def _write(self, caption: str, warning: str) -> None:
        self.caption.set_text(caption)
        if self.warning.isHidden():  # it has no width of its own yet, and would be measured as a tall column
            self.warning.resize(self.caption.width(), self.warning.height())
        self.warning.set_text(warning)
        if self.warning.isHidden() == bool(warning):
            self.warning.setVisible(bool(warning))
        self._share_height()


def _scrolled(page: QWidget, name: str, parent: QWidget) -> QScrollArea:
    """A part of the panel that scrolls up and down where it has too little height."""
    area = QScrollArea(parent=parent)
    area.setObjectName(name)
    area.setWidgetResizable(True)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setWidget(page)
    return area


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
        """How high the first lines are."""
        return sum(self._heights[:lines])

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
            painter.drawText(QRect(left, top + CODE_GAP // 2, self.width() - left - 4, height), _WRAP, text.lstrip())
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
            bounds = metrics.boundingRect(QRect(0, 0, width, _TALL), _WRAP, self._texts[at].lstrip())
            needed = bounds.height() + CODE_GAP
            self._heights[at] = max(self._heights[at], needed)
        if sum(self._heights) != before:
            self.setFixedHeight(max(sum(self._heights), 1))


class Prose(QWidget):
    """A paragraph, optionally with a picture before it, that keeps the room its longest text has taken."""

    def __init__(self, *, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.setObjectName(name)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._text = ""
        self._colour = "#000000"
        self._picture: QPixmap | None = None
        self._room = 0

    def text(self) -> str:
        """The paragraph."""
        return self._text

    def set_text(self, text: str) -> None:
        """Write another paragraph."""
        if text != self._text:
            self._text = text
            self.setAccessibleName(text)
            self._grow()
            self.update()

    def set_look(self, colour: str, picture: QPixmap | None = None) -> None:
        """The colour of the letters and the picture before them."""
        self._colour, self._picture = colour, picture
        self.forget()

    def forget(self) -> None:
        """Give the room back."""
        self._room = 0
        self._grow()
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Break the lines anew when the width changes."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.forget()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw picture and text."""
        painter = QPainter(self)
        if self._picture is not None:
            painter.drawPixmap(0, 0, self._picture)
        painter.setPen(QColor(self._colour))
        painter.drawText(self.rect().adjusted(self._indent(), 0, 0, 0), _WRAP, self._text)
        painter.end()

    def _indent(self) -> int:
        return 0 if self._picture is None else round(self._picture.deviceIndependentSize().width()) + SPACING

    def _grow(self) -> None:
        width = max(self.width() - self._indent(), 40)
        bounds = QFontMetrics(self.font()).boundingRect(QRect(0, 0, width, _TALL), _WRAP, self._text or " ")
        picture = 0 if self._picture is None else round(self._picture.deviceIndependentSize().height())
        needed = max(bounds.height() + 2, picture)
        if needed > self._room:
            self._room = needed
            self.setFixedHeight(needed)


def number(value: float) -> str:
    """A number for reading: four significant digits, whole numbers as such, powers of ten only when far from one."""
    if value == int(value) and abs(value) < 1e7:
        text = str(int(value))
    elif 1e-3 <= abs(value) < 1e6:
        digits = f"{value:.4g}"
        text = f"{value:.0f}" if "e" in digits else digits
    else:
        text = f"{value:.3g}"
    return text.replace("-", "−", 1) if text.startswith("-") else text


def filled(text: str, metrics: Mapping[str, float], names: set[str]) -> str:
    """The line with its numbers: ``{J}`` or ``{J:.2f}``. A number still to come is ``…``; other braces stay."""

    def number_for(match: re.Match[str]) -> str:
        name, spec = match.group(1), match.group(2)
        if name in metrics:
            return format(metrics[name], spec) if spec else number(metrics[name])
        return "…" if name in names else match.group(0)

    return _PLACE.sub(number_for, text)


def explanation_html(title: str, mapping: Mapping[str, Any], theme: Theme) -> str:
    """The table of names and values."""
    rows = "".join(
        f'<tr><td style="color:{theme.muted}; padding-right:{SPACING * 2}px">{html.escape(str(name))}</td>'
        f'<td align="right">{html.escape(value_words(value))}</td></tr>'
        for name, value in mapping.items()
    )
    return f"<b>{html.escape(title)}</b><table cellspacing='0' cellpadding='2'>{rows}</table>"


def value_words(value: Any) -> str:
    """A value of an explanation in words: numbers shortened, sequences listed."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return ", ".join(value_words(item) for item in value)
    return number(value) if isinstance(value, int | float) else str(value)
