"""Editing lists of things in cells: choose them, give them another class, take them away."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import QPointF, QRectF

from algorithms.data import Array, DataError
from mlviz.session import item_edits as edits
from mlviz.session.document import Document
from mlviz.ui.editors.labelled import LabelledEditor
from mlviz.views.brush import Band, BrushLayer, PointerState
from mlviz.views.cells import CellsView
from mlviz.views.renderers.base import NO_POINTS

MOVED = 4.0
"""Pixels from which on a click is a drag."""


class ItemsEditor(LabelledEditor):
    """The tools that texts and small graphs share. ``select``, ``relabel`` and ``erase`` work on whole items."""

    def __init__(self, window: Any) -> None:
        super().__init__(window)
        self._from: Array | None = None
        self._before: Array = NO_POINTS
        self._band: tuple[CellsView, BrushLayer] | None = None

    @property
    def cells(self) -> CellsView:
        """The canvas, which a stroke needs."""
        canvas = self.canvas
        if not isinstance(canvas, CellsView):
            raise DataError("The data are not shown here.")
        return canvas

    @property
    def data(self) -> Any:
        """The data on the desk."""
        return self._window.document.data

    # -- the selection and the classes ---------------------------------------------------------------------------

    def select(self, items: Array) -> None:
        """Select these items."""
        super().select(items)
        if self.active and isinstance(self.canvas, CellsView):
            self.canvas.select(self.selection)

    def select_all(self) -> None:
        """Select every item, and take the tool for it."""
        if self.possible:
            self.choose("select")
            self.select(np.arange(self.data.n))

    def delete_selection(self) -> None:
        """Take the selected items away."""
        if not len(self.selection):
            self._say(f"No {self.data.item_name} is selected; V selects.")
            return
        self._erase(self.selection)

    def choose_class(self, group: int) -> None:
        """Give the selected items this class; without a selection, work in it from now on."""
        super().choose_class(group)
        if len(self.selection) and group == self.group and group < len(self.classes):
            self._relabel(self.selection)

    def add_class(self) -> None:
        """Offer one more class; items that have none yet are then of the first."""
        if self.active and not self.classes:
            self._merge = ""
            self.commit(edits.labelled(self.data), "add classes")
        super().add_class()

    def _relabel(self, items: Array) -> None:
        kept = self.selection
        self._merge = self._merge if self._from is not None else ""
        try:
            self.commit(edits.relabel(self.data, items, self.group), f"relabel {self.data.item_name}s")
        except DataError as error:
            self._say(str(error))
        self.select(kept)

    def _erase(self, items: Array) -> None:
        self._merge = self._merge if self._from is not None else ""
        try:
            made, origin = edits.without(self.data, items)
        except DataError as error:
            self._say(str(error))
            return
        self.select(NO_POINTS)
        self.commit(made, f"delete {self.data.item_name}s", origin)

    def document_changed(self, before: Document | None) -> None:
        """The window has another document."""
        super().document_changed(before)
        if self.active:
            self.settle_classes(before)
            self.select(self.selection)
            self.changed.emit()

    # -- the mouse -----------------------------------------------------------------------------------------------

    def begin(self, pointer: PointerState) -> None:
        """What the tool does at the press."""
        self._from = pointer.at
        getattr(self, f"_begin_{self.tool.stroke}")(pointer)

    def go(self, pointer: PointerState) -> None:
        """What it does at each move."""
        act = getattr(self, f"_go_{self.tool.stroke}", None)
        if act is not None and self._from is not None:
            act(pointer)

    def end(self, pointer: PointerState) -> None:
        """Let go."""
        act = getattr(self, f"_end_{self.tool.stroke}", None)
        try:
            if act is not None and self._from is not None:
                act(pointer)
        finally:
            self._from = None
            self.show_band(None)

    def abandon(self) -> bool:
        """Give up the stroke that is going on; False when there is none."""
        if self._from is None:
            return False
        self._from = None
        self.show_band(None)
        return True

    def _begin_select(self, pointer: PointerState) -> None:
        item = self.cells.item_at(pointer.x, pointer.y)
        self._before = self.selection if pointer.shift else NO_POINTS
        chosen = NO_POINTS if item is None else np.array([item])
        self.select(np.setxor1d(self._before, chosen) if pointer.shift else chosen)

    def _go_select(self, pointer: PointerState) -> None:
        assert self._from is not None
        if np.abs(pointer.at - self._from).max() < MOVED:
            return
        area = QRectF(QPointF(*self._from.tolist()), QPointF(pointer.x, pointer.y)).normalized()
        self.show_band(Band("rectangle", np.array([self._from, pointer.at])))
        self.select(np.union1d(self._before, self.cells.items_in(area)))

    def _begin_relabel(self, pointer: PointerState) -> None:
        if not self.classes:
            raise DataError("There are no classes yet; + adds one.")
        self._go_relabel(pointer)

    def _go_relabel(self, pointer: PointerState) -> None:
        item = self.cells.item_at(pointer.x, pointer.y)
        if item is not None:
            self._relabel(np.array([item]))

    def _begin_erase(self, pointer: PointerState) -> None:
        self._before = NO_POINTS
        self._go_erase(pointer)

    def _go_erase(self, pointer: PointerState) -> None:
        """Gather what is brushed over; it goes at the release, because all that stands behind it then moves."""
        item = self.cells.item_at(pointer.x, pointer.y)
        if item is not None:
            self._before = np.union1d(self._before, [item]).astype(np.intp)
            self.select(self._before)

    def _end_erase(self, pointer: PointerState) -> None:
        if len(self._before):
            self._erase(self._before)

    def show_band(self, band: Band | None) -> None:
        """A rubber band on the canvas, or none."""
        canvas = self.canvas
        if not isinstance(canvas, CellsView):
            return
        if self._band is None or self._band[0] is not canvas:
            self._band = (canvas, BrushLayer(canvas))
        self._band[1].set_theme(canvas.theme)
        self._band[1].show_band(band)
