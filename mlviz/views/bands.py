"""Bands along a line of items, painted run by run: neighbours in one colour are one rectangle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter

from algorithms.data import Array
from mlviz.views.theme import Theme

LEVELS = 5
"""In how many strengths a group is drawn."""


@dataclass(frozen=True, slots=True, eq=False)
class Band:
    """Item ``i`` fills the width 1 around ``first + i``, between two heights, in the colour ``colours[codes[i]]``."""

    first: float
    bottom: float
    top: float
    codes: Array  # (n,) int, -1: nothing
    colours: tuple[str, ...]

    def runs(self, left: float, right: float, most: int) -> list[tuple[float, float, int]]:
        """What lies between two places: begin, end and code of every run; only so many items are looked at."""
        begin = max(int(np.floor(left - self.first + 0.5)), 0)
        end = min(int(np.ceil(right - self.first + 0.5)), len(self.codes))
        if end <= begin:
            return []
        step = max(-(-(end - begin) // max(most, 1)), 1)
        codes = self.codes[begin:end:step]
        cuts = np.concatenate([[0], np.flatnonzero(codes[1:] != codes[:-1]) + 1, [len(codes)]])
        edges = np.minimum(begin + cuts * step, end) + self.first - 0.5
        which = codes[cuts[:-1]]
        return [run for run in zip(edges[:-1].tolist(), edges[1:].tolist(), which.tolist()) if run[2] >= 0]


def group_colours(
    theme: Theme, labels: Array, strengths: Array | None = None, strongest: float = 1.0
) -> tuple[Array, tuple[str, ...]]:
    """Codes (n,) and their colours for group numbers (n,), -1 for none; a group that is less sure is fainter."""
    count = int(labels.max(initial=-1)) + 1
    level = (
        np.full(len(labels), LEVELS) if strengths is None else np.rint(np.clip(strengths, 0, 1) * LEVELS).astype(int)
    )
    codes = np.where(labels >= 0, labels * (LEVELS + 1) + level, -1)
    colours = [
        theme.faint(theme.colour(group), strongest * step / LEVELS)
        for group in range(count)
        for step in range(LEVELS + 1)
    ]
    return codes, tuple(colours)


class BandItem(pg.GraphicsObject):
    """Some bands, the first at the bottom."""

    def __init__(self) -> None:
        super().__init__()
        self._bands: tuple[Band, ...] = ()
        self._box = QRectF()

    def set(self, bands: tuple[Band, ...]) -> None:
        """Show these."""
        self._bands = bands
        left = min((band.first - 0.5 for band in bands), default=0.0)
        right = max((band.first - 0.5 + len(band.codes) for band in bands), default=0.0)
        bottom, top = min((b.bottom for b in bands), default=0.0), max((b.top for b in bands), default=0.0)
        box = QRectF(left, bottom, right - left, top - bottom)
        if box != self._box:
            self._box = box
            self.prepareGeometryChange()
            self.informViewBoundsChanged()
        self.update()

    def boundingRect(self) -> QRectF:
        """The extent of all bands."""
        return self._box

    def dataBounds(self, ax: int, frac: float = 1.0, orthoRange: object = None) -> tuple[float, float] | None:
        """The range along one axis, for fitting the view."""
        if self._box.isEmpty():
            return None
        return (self._box.left(), self._box.right()) if ax == 0 else (self._box.top(), self._box.bottom())

    def paint(self, painter: QPainter, *_: Any) -> None:
        """Fill the runs that can be seen."""
        seen = self.viewRect()
        most = 2 * painter.device().width()
        for band in self._bands:
            colours = [QColor(colour) for colour in band.colours]
            for begin, end, code in band.runs(seen.left(), seen.right(), most):
                painter.fillRect(QRectF(begin, band.bottom, end - begin, band.top - band.bottom), colours[code])
