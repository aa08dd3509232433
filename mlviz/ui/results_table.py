"""What the runs beside each other have come to: the number that each method is about, and how long it took."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from algorithms.maths.words import number
from mlviz.session.comparison import Setting, names_of
from mlviz.ui.pane import time_words
from mlviz.ui.player import Player
from mlviz.views.theme import LIGHT, SPACING, Theme

Row = tuple[str, str, str]
"""A setting, its number and its time."""


def results(players: Sequence[Player], names: Sequence[str]) -> tuple[Row, tuple[Row, ...]]:
    """The titles of the columns, and a row for every run at the step on show; the number is the method's own."""
    rows, labels = [], []
    for player, name in zip(players, names):
        method, shown, engine = player.algorithm, player.shown, player.engine
        metric = None if method is None else next(iter(method.metrics), None)
        value = math.nan if metric is None or shown is None else shown.snapshot.metrics.get(metric.name, math.nan)
        labels.append("" if metric is None else _short(metric.label))
        more = "+" if player.running else ""
        spent = "" if engine is None else time_words(engine.seconds) + more
        rows.append((name, "–" if math.isnan(value) else number(value), spent))
    if len(set(labels)) > 1:  # each number with its own name
        rows = [(name, f"{label} = {value}", spent) for label, (name, value, spent) in zip(labels, rows)]
    return ("", labels[0] if len(set(labels)) == 1 else "", "computing"), tuple(rows)


class ResultsTable(QLabel):
    """The rows below each other."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, objectName="results_table", margin=SPACING)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.rows: tuple[Row, ...] = ()
        self._titles: Row = ("", "", "")
        self._settings: tuple[Setting, ...] = ()
        self._theme = LIGHT

    def show_results(self, players: Sequence[Player], settings: tuple[Setting, ...]) -> None:
        """Show how far the runs of these settings are."""
        titles, rows = results(players, names_of(settings))
        if (titles, rows) != (self._titles, self.rows):
            self._titles, self.rows, self._settings = titles, rows, settings
            self._write()

    def set_theme(self, theme: Theme) -> None:
        """Colours from now on."""
        self._theme = theme
        self._write()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The names have the room that the numbers leave."""
        super().resizeEvent(event)
        self._write()

    def _write(self) -> None:
        metrics = self.fontMetrics()
        numbers = max((metrics.horizontalAdvance("".join(row[1:])) for row in self.rows), default=0)
        brief = (metrics.horizontalAdvance(name) for name in names_of(self._settings, lambda _: False))
        least, given = max(brief, default=0), self.width() - 6 * SPACING
        rows, columns = (self._titles, *self.rows), 3
        if numbers + least > given:  # the time is what can be missed
            columns = 2
            numbers = max((metrics.horizontalAdvance(row[1]) for row in self.rows), default=0)
        room = max(given - numbers, least)
        own = names_of(self._settings, lambda names: all(metrics.horizontalAdvance(name) <= room for name in names))
        mode = Qt.TextElideMode.ElideRight
        named = [(metrics.elidedText(name, mode, room), *rest)[:columns] for name, (_, *rest) in zip(("", *own), rows)]
        muted = f"color:{self._theme.muted}"
        cells = [(f'<td style="{muted}">', named[0]), *(("<td>", row) for row in named[1:])]
        size = f"font-size:{self._theme.letters(0.9):g}pt"
        lines = (
            "<tr>" + "".join(_cell(start, text, k) for k, text in enumerate(row)) + "</tr>" for start, row in cells
        )
        self.setText(
            f"<table cellspacing='0' cellpadding='1' style='{size}; white-space:nowrap'>{''.join(lines)}</table>"
        )


def _short(label: str) -> str:
    """The name of a number without what explains it."""
    return label.partition(",")[0].partition(" (")[0]


def _cell(start: str, text: str, column: int) -> str:
    side = ' align="right"' if column else ""
    return f"{start[:-1]}{side}>{html.escape(text)}{'&nbsp;&nbsp;' if column < 2 else ''}</td>"
