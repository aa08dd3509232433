"""The handout: chosen steps of a run side by side on one sheet of paper, as PDF, SVG or PNG."""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPainterPath

from algorithms.params import as_dict
from mlviz.views.theme import LIGHT
from mlviz.worker.engine import Engine
from mlviz.worker.shared_run import SharedRun

A4 = (1123.0, 794.0)
"""Landscape, in logical pixels of 1/96 inch."""
MARGIN, GAP, HEADER = 38.0, 16.0, 46.0
MOST_STEPS = 24
PNG_SCALE = 2.0
WHITE = QColor(LIGHT.surface)


@dataclass(frozen=True, slots=True)
class Sheet:
    """A page with so many places for figures."""

    count: int

    @property
    def columns(self) -> int:
        """As many as make the places about as wide as they are high, twice as wide as high at most."""
        width, height = A4[0] - 2 * MARGIN, A4[1] - 2 * MARGIN - HEADER
        return max(
            range(1, self.count + 1),
            key=lambda columns: min(width / columns / 1.35, height / math.ceil(self.count / columns)),
        )

    def place(self, number: int) -> QRectF:
        """Where a figure goes."""
        rows = math.ceil(self.count / self.columns)
        width = (A4[0] - 2 * MARGIN - (self.columns - 1) * GAP) / self.columns
        height = (A4[1] - 2 * MARGIN - HEADER - (rows - 1) * GAP) / rows
        row, column = divmod(number, self.columns)
        return QRectF(MARGIN + column * (width + GAP), MARGIN + HEADER + row * (height + GAP), width, height)

    def figure_size(self, zoom: float = 1.6) -> tuple[int, int]:
        """The size at which a figure is laid out, so that it has room before it is made smaller."""
        place = self.place(0)
        return round(place.width() * zoom), round(place.height() * zoom)


def head(painter: QPainter, title: str, engine: Engine | SharedRun) -> None:
    """An empty sheet with what was run above all figures."""
    white_sheet(painter)
    _header(painter, title, facts(engine))


def white_sheet(painter: QPainter) -> None:
    """An empty sheet."""
    sheet = QPainterPath()
    sheet.addRect(QRectF(0, 0, *A4))
    painter.fillPath(sheet, WHITE)


def frame_of(place: QRectF, painter: QPainter) -> None:
    """A thin line around a figure."""
    painter.setPen(QColor(LIGHT.border))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(place)


def _header(painter: QPainter, title: str, facts: str) -> None:
    width = A4[0] - 2 * MARGIN
    for text, size, weight, top in (
        (title, 15.0, QFont.Weight.DemiBold, 0.0),
        (facts, 8.0, QFont.Weight.Normal, 24.0),
    ):
        font = QFont()
        font.setPointSizeF(size)
        font.setWeight(weight)
        painter.setFont(font)
        painter.setPen(QColor(LIGHT.text))
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(width))
        painter.drawText(QRectF(MARGIN, MARGIN + top, width, 24.0), int(Qt.AlignmentFlag.AlignVCenter), shown)


def facts(engine: Engine | SharedRun) -> str:
    """What was run, in one line; where several were, each has its own title."""
    if isinstance(engine, SharedRun):
        return engine.data.counted()
    values = as_dict(engine.params)
    changed = [
        f"{field.name} = {values[field.name]}"
        for field in engine.algorithm.fields
        if values[field.name] != field.default and not isinstance(field.default, tuple)
    ]
    return " · ".join([engine.data.counted(), *changed, f"seed {engine.seed}"])
