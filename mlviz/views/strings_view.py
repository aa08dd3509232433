"""A list of texts: each with the sign of its class, cut where it is too long, with pieces of it lit by an algorithm."""

from __future__ import annotations

import math
import textwrap

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter
from PySide6.QtWidgets import QWidget

from algorithms.contract import Panel
from algorithms.data import Array, Strings
from algorithms.marks import Spans
from mlviz.views.cells import PAD, CellsView, Grid
from mlviz.views.scene import Scene
from mlviz.views.theme import Theme

LONGEST = 48
"""In several columns, texts of more than about so many letters are cut."""
LINE = 1.6
"""The height of a row, in heights of the letters."""
WIDEST = 1.4
"""A column is at most so many times as wide as its longest text."""
MOST_SHOWN = 2_000
"""Letters of a text in its tool tip."""
_INVISIBLE = str.maketrans({"\n": "↵", "\r": "↵", "\t": "→"})
"""One sign for one: the places of letters stay the same."""


class StringsView(CellsView):
    """The canvas of texts. A place of the view is a pixel; its rows are as high as a line of letters."""

    NEW = "+ add a text"

    def __init__(self, panel: Panel, parent: QWidget | None = None) -> None:
        self._spans: dict[int, Spans] = {}
        self._pieces: dict[int, list[tuple[int, int, str]]] = {}
        self._advances: dict[str, float] = {}
        super().__init__(panel, parent)

    @property
    def strings(self) -> Strings:
        """The data on show."""
        assert self.scene_info is not None
        assert isinstance(self.scene_info.data, Strings)
        return self.scene_info.data

    def set_scene(self, scene: Scene, origin: Array | None = None) -> None:
        """Show other texts, or the same edited; pieces of texts are lit until a frame says otherwise."""
        self._spans.clear()
        self._pieces.clear()
        super().set_scene(scene, origin)

    def set_theme(self, theme: Theme) -> None:
        """Colours and sizes from now on."""
        self._advances.clear()
        super().set_theme(theme)
        self._gather()

    # -- the cells -----------------------------------------------------------------------------------------------

    @property
    def _indent(self) -> float:
        """Where a text begins in its cell: behind the sign of its class."""
        return 2 * PAD + self.theme.point * 1.4

    def _advance(self, text: str) -> float:
        if text not in self._advances:
            self._advances[text] = QFontMetricsF(self.font_now).horizontalAdvance(text)
        return self._advances[text]

    def make_grid(self, count: int, width: float, height: float) -> Grid:
        """As many columns as are needed to see all texts, where so many fit side by side."""
        metrics = QFontMetricsF(self.font_now)
        line = math.ceil(LINE * metrics.height())
        longest = max((self._advance(text[: 4 * LONGEST]) for text in self.strings.texts), default=0.0)
        column = self._indent + min(longest, LONGEST * metrics.averageCharWidth()) + 2 * PAD
        needed = math.ceil(count / max(math.floor(height / line), 1))
        columns = max(min(math.floor(width / column), needed), 1)
        return Grid(count, columns, width if columns == 1 else min(width / columns, WIDEST * column), line, True)

    def glyph_places(self) -> Array:
        """Before each text."""
        n, grid = self.strings.n, self.grid
        row, column = np.arange(n) % max(grid.rows, 1), np.arange(n) // max(grid.rows, 1)
        return np.column_stack([column * grid.width + PAD + 0.7 * self.theme.point, -(row + 0.5) * grid.height])

    def _room(self) -> float:
        return self.grid.width - self._indent - PAD

    def shown_text(self, number: int) -> str:
        """A text as it is written in its cell: in one line, cut where there is no room for more."""
        text = self.strings.texts[number][:MOST_SHOWN].translate(_INVISIBLE)
        metrics = QFontMetricsF(self.font_now)
        return metrics.elidedText(text, Qt.TextElideMode.ElideRight, self._room())

    def tip(self, number: int) -> str:
        """The whole text, where a part of it is not seen."""
        text = self.strings.texts[number]
        if self.shown_text(number) == text:
            return ""
        shown = text if len(text) <= MOST_SHOWN else text[:MOST_SHOWN] + " …"
        return "\n".join(line for part in shown.splitlines() or [""] for line in textwrap.wrap(part, 80) or [""])

    def paint_cell(self, painter: QPainter, number: int, box: QRectF) -> None:
        """The lit pieces of a text, and the text."""
        metrics = QFontMetricsF(self.font_now)
        start = QPointF(box.left() + self._indent, box.center().y() + metrics.capHeight() / 2)
        text = self.shown_text(number)
        for rect, colour in self.lit_rects(number, text):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(colour))
            painter.drawRoundedRect(rect.translated(start.x(), box.center().y()), 3, 3)
        painter.setFont(self.font_now)
        painter.setPen(QColor(self.theme.text))
        painter.drawText(start, text)

    def filled_rects(self) -> list[QRectF]:
        """The texts in view, as long as they are."""
        found = []
        for number in self._in_view():
            rect = self.grid.rect(number)
            if number < self.strings.n:
                rect.setWidth(min(self._indent + self._advance(self.strings.texts[number]), self.grid.width))
            found.append(rect)
        return found

    # -- pieces of texts -----------------------------------------------------------------------------------------

    def light_spans(self, ordinal: int, mark: Spans | None) -> None:
        """Light the pieces that a mark names, or none."""
        if mark is None:
            self._spans.pop(ordinal, None)
        else:
            self._spans[ordinal] = mark
        self._gather()

    def _gather(self) -> None:
        """The pieces of each text with their colours; the first mark lies below."""
        self._pieces = {}
        for _, mark in sorted(self._spans.items()):
            groups = np.full(len(mark.texts), -1) if mark.groups is None else mark.groups
            strengths = np.ones(len(mark.texts)) if mark.strengths is None else np.clip(mark.strengths, 0.0, 1.0)
            columns = (mark.texts, mark.start, mark.end, groups, strengths)
            for text, start, end, group, strength in zip(*(column.tolist() for column in columns)):
                self._pieces.setdefault(text, []).append((start, end, span_colour(self.theme, group, strength)))
        if self._ready:
            self.cells.update()

    def lit_rects(self, number: int, text: str) -> list[tuple[QRectF, str]]:
        """The rectangles behind the lit pieces of a text, from its begin and its middle, and their colours.

        A piece in the part that has been cut off lights the dots that stand for it.
        """
        metrics = QFontMetricsF(self.font_now)
        whole = self.strings.texts[number]
        seen = len(whole) if len(text) == len(whole) and not text.endswith("…") else max(len(text) - 1, 0)
        half = 0.42 * self.grid.height
        found = []
        for start, end, colour in self._pieces.get(number, ()):
            first, last = min(start, seen), end if end <= seen else len(text)
            left, right = (metrics.horizontalAdvance(text[:place]) for place in (first, last))
            if right > left:
                found.append((QRectF(left - 1.0, -half, right - left + 2.0, 2 * half), colour))
        return found


def span_colour(theme: Theme, group: int, strength: float = 1.0) -> str:
    """What lies behind a lit piece: so faint that letters can be read on it."""
    colour = theme.accent if group < 0 else theme.colour(group)
    return theme.faint(colour, (0.38 if theme.name == "light" else 0.5) * (0.25 + 0.75 * strength))
