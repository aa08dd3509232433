"""What happens: the caption of the frame, a warning, "why this point", the pseudo-code with the current line lit.

Below it are links to methods that are worth seeing on the same data.

The caption and the warning stay in sight whatever the size of the panel; the rest scrolls below them. Only sentences
longer than nearly the whole panel scroll themselves, so that nothing ever lies over anything else.

A frame changes only what it must: texts that stay the same are not painted again, and the room a text has taken is
kept, so playing does not lay the panel out anew sixty times a second.
"""

from __future__ import annotations

import html
from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QScrollArea, QVBoxLayout, QWidget

from algorithms import find
from algorithms.contract import Algorithm, AnySnapshot, Try
from algorithms.records import dataclass
from mlviz.ui.icons import pixmap
from mlviz.ui.prose import Prose
from mlviz.ui.pseudocode import CodeView, number
from mlviz.views.plain_text import plain
from mlviz.views.theme import LIGHT, SPACING, Theme

CODE_LINES = 8
"""So many lines of the pseudo-code stay in view as long as the sentences have a few lines, too."""
FEWER_LINES = 3
"""The same while there is a warning, which must be seen."""
SENTENCE_LINES = 7


@dataclass(frozen=True, slots=True)
class Offer:
    """Something that can be done with the frame on show, as a link: its name, its words, and a hint."""

    name: str
    text: str
    hint: str = ""


class WhatHappens(QWidget):
    """The explaining panel of the window."""

    offer_taken = Signal(str)
    """What this offer says is to be done."""
    related_chosen = Signal(object)
    """The same data are to be seen with another method (:class:`Try`)."""

    def __init__(self, *, theme: Theme = LIGHT, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.setObjectName("what_happens")
        self._theme = theme
        self._explanation: tuple[str, Mapping[str, Any] | None] = ("", None)
        self._related: tuple[Try, ...] = ()
        self._offers: tuple[Offer, ...] = ()
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
        self.offers, self.related = (
            QLabel(parent=page, objectName=name, wordWrap=True) for name in ("offers", "related_methods")
        )
        for links, take in ((self.offers, self.offer_taken), (self.related, self._choose_related)):
            links.setTextInteractionFlags(
                Qt.TextInteractionFlag.LinksAccessibleByMouse | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
            )
            links.linkActivated.connect(take)
        self._column = column = QVBoxLayout(page)
        column.setContentsMargins(SPACING, 0, SPACING, SPACING)
        column.setSpacing(SPACING)
        for part in (self.offers, self.why, self.code, self.related):
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
        self._related, self._offers = algorithm.related, ()
        self._write_links()
        self.show_frame(None)
        self.show_explanation("", None)

    def set_offers(self, offers: tuple[Offer, ...]) -> None:
        """What can be done with the frame on show."""
        if offers != self._offers:
            self._offers = offers
            self._write_links()

    def _write_links(self) -> None:
        """One link for each offer, and for each method that is worth seeing on the same data."""
        style = f'style="color: {self._theme.accent}"'
        offers = [f'<a href="{offer.name}" {style}>{html.escape(offer.text)}</a>' for offer in self._offers]
        titles = [html.escape(find(item.method).title) for item in self._related]
        related = [f'The same data: <a href="{place}" {style}>{title}</a>' for place, title in enumerate(titles)]
        hints = [offer.hint for offer in self._offers], [item.text for item in self._related]
        for label, links, tips in zip((self.offers, self.related), (offers, related), hints):
            label.setText("<br>".join(links))
            label.setToolTip(plain("\n".join(filter(None, tips))))
            label.setVisible(bool(links))

    @Slot(str)
    def _choose_related(self, place: str) -> None:
        self.related_chosen.emit(self._related[int(place)])

    def show_frame(self, snapshot: AnySnapshot | None, further_warning: str = "") -> None:
        """Light the line of this frame's phase, fill in its numbers, and write its caption.

        ``further_warning`` is a sentence that the window adds to the warning of the frame.
        """
        if snapshot is None:
            self.code.set_frame("", {})
            self._write("", "")
            return
        if self.code.set_frame(snapshot.phase, snapshot.metrics):
            self._show_lit()
        self._write(snapshot.caption, " ".join(filter(None, (snapshot.warning, further_warning))))

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
        self._write_links()
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
        """The sentences have the height they need as long as enough of the code is left; then they scroll.

        They always have a few lines, or half of a low panel.
        """
        needed = self._sentences.sizeHint().height()
        code = self.code.height_of(CODE_LINES if self.warning.isHidden() else FEWER_LINES)
        few = min(SENTENCE_LINES * self.caption.fontMetrics().lineSpacing(), self.height() // 2)
        self._area.setMinimumHeight(min(code, self.height() // 3))
        height = min(needed, max(self.height() - code, few) - 2 * SPACING)
        if height != self._words.height():
            self._words.setFixedHeight(height)

    def sizeHint(self) -> QSize:
        """Room for a line of code of about forty letters."""
        return QSize(round(self._theme.font * 28), round(self._theme.font * 28))

    def minimumSizeHint(self) -> QSize:
        """Never a reason for the window to grow: long sentences take the room of the pseudo-code, which scrolls."""
        return QSize(round(self._theme.font * 14), round(self._theme.font * 10))

    @property
    def shows_warning(self) -> bool:
        """Whether a warning can be read here: the panel is in view, and all of the sentence is."""
        if not self.isVisible() or self.visibleRegion().isEmpty():
            return False
        return self.warning.isHidden() or self.warning.geometry().bottom() <= self._words.height()

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
