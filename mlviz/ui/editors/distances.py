"""Editing a table of distances: a cell is dragged up or down or typed, rows come and go."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.data import DataError, Distances
from mlviz.session import distance_edits as edits
from mlviz.ui.editors.base import Editor
from mlviz.ui.editors.toolbox import DISTANCES
from mlviz.views.brush import PointerState
from mlviz.views.distances import DistancesView

if TYPE_CHECKING:
    from mlviz.ui.window import MainWindow

STEP = 60.0
"""Pixels of an upward drag that double a distance."""


class DistancesEditor(Editor):
    """The tools for tables of distances."""

    kind = "distances"
    tools = DISTANCES

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._cell: tuple[int, int] | None = None
        self._from = 0.0
        self._start: Distances | None = None

    @property
    def distances(self) -> Distances:
        """The table on the desk."""
        data = self._window.document.data
        assert isinstance(data, Distances)
        return data

    def add_row(self) -> None:
        """One more thing, as far from the others as they are on average."""
        if self.active:
            self._merge = ""
            self.commit(edits.with_row(self.distances), "add a row")

    def begin(self, pointer: PointerState) -> None:
        """Take hold of a cell, or take its row out."""
        canvas = self.canvas
        self._cell = canvas.cell_of(pointer.x, pointer.y) if isinstance(canvas, DistancesView) else None
        self._start, self._from = self.distances, pointer.y
        if self._cell is None:
            raise DataError("There is no cell here.")
        if self.tool.stroke == "erase":
            made, origin = edits.without(self._start, np.array([self._cell[0]]))
            self._cell = None
            self.commit(made, origin=origin)
        elif pointer.double:
            self._ask(*self._cell)

    def go(self, pointer: PointerState) -> None:
        """Double the distance, or halve it, with every so many pixels."""
        if self._cell is None or self._start is None:
            return
        old = float(self._start.table[self._cell]) or 1.0
        upward = (pointer.y - self._from) / pointer.pixel[1]
        distance = float(f"{old * 2.0 ** (upward / STEP):.3g}")
        self.commit(edits.with_distance(self._start, *self._cell, distance))
        one, two = (self._start.row_name(k) for k in self._cell)
        self._say(f"{one} – {two}: {distance:g}")

    def end(self, pointer: PointerState) -> None:
        """Let go."""
        self._cell = self._start = None

    def _ask(self, row: int, column: int) -> None:
        start, self._cell = self.distances, None
        names, old = f"{start.row_name(row)} – {start.row_name(column)}", float(start.table[row, column])
        distance = self.ask_number("Distance", names, old, 0.0, edits.LARGEST)
        if distance is not None:
            self.commit(edits.with_distance(start, row, column, distance))
