"""A window on one document: everything that changes it, and takes it back. Nothing here draws."""

from __future__ import annotations

import random
from functools import partial
from typing import Any

import numpy as np
from PySide6.QtCore import Slot
from PySide6.QtWidgets import QMainWindow

from algorithms import DataError, ParamError, all_algorithms, find
from algorithms.contract import Algorithm
from algorithms.data import Array, Data, Nothing
from algorithms.params import Field, following
from mlviz.data.spec import Recipe, example_of, recipe_of
from mlviz.session.document import Document
from mlviz.session.history import DEFAULT_BUDGET, History
from mlviz.ui.actions import Actions
from mlviz.ui.blank import suited
from mlviz.ui.board import Board
from mlviz.ui.boards import Boards
from mlviz.ui.data_maker import DataMaker, Made, make
from mlviz.ui.data_panel import DataPanel
from mlviz.ui.player import Player
from mlviz.ui.seed_words import SAME, Trace, same, trace
from mlviz.worker.timeline import Frame

MAX_SEED = 999_999
FORGOTTEN = f"The oldest steps cannot be undone any more: their data would take over {DEFAULT_BUDGET // 2**20} MB."


class DocumentWindow(QMainWindow):
    """Holds the history of one document; every change goes through :meth:`apply`."""

    actions_table: Actions
    boards: Boards
    data_panel: DataPanel

    def __init__(self, document: Document, recipe: Recipe | None = None) -> None:
        super().__init__()
        if recipe is not None and not document.source:
            document = document.with_source(str(recipe))
        self.history = History(document.as_given())
        self._before_seed: tuple[Document | None, Trace] = None, {}
        """Another seed was wanted for this document, and what the run with the old one has shown."""
        self._made: dict[str, Data] = {document.source: document.data} if recipe is not None else {}
        """Data of generators before any edit, by their source, as long as one can go back to them."""
        self.maker, self._remaker = DataMaker(self), DataMaker(self)
        """Who makes the data that are asked for, and who makes those again that came with a file."""
        self._last_methods: dict[str, str] = {}

    def _show_document(self, before: Document | None, origin: Array | None = None, keep_view: bool = False) -> None:
        """Show the document everywhere, after another one."""
        raise NotImplementedError

    @property
    def board(self) -> Board:
        """The active board."""
        return self.boards.board

    @property
    def player(self) -> Player:
        """The player of the active board."""
        return self.boards.player

    @property
    def given(self) -> Data:
        """The data on the desk as they came, before any edit; as they are, when nobody knows."""
        data, source = self.document.data, self.document.source
        recipe = recipe_of(source)
        if recipe is None:
            return self.document.given.get(data.kind, data)
        if source not in self._made and recipe.takes_long:
            asked = self._remaker.recipe
            if asked is None or str(asked) != source:
                self._remaker.ask(recipe, partial(self._take_given, source))
        elif source not in self._made:
            self._remember(source, make(recipe).data)
        return self._made.get(source, data)

    def _example(self, method: Algorithm) -> Data:
        """The data on which a method shows itself best; they are not made again to see whether they were edited."""
        self._made[method.example] = example_of(method)
        return self._made[method.example]

    def _remember(self, source: str, data: Data | None) -> None:
        """Keep the data of a generator as they came, and those of no source to which one cannot go back any more."""
        known = {source, *(document.source for document in self.history.documents)}
        self._made = {name: kept for name, kept in self._made.items() if name in known}
        if data is not None:
            self._made[source] = data

    def _take_given(self, source: str, made: Made) -> None:
        """Now it can be said whether the data on the desk were edited."""
        self._remember(source, made.data)
        if made.data is not None and self.document.source == source:
            self._show_given()

    def _show_given(self) -> None:
        """Show where the data came from, and whether they were edited since."""
        self.data_panel.show_document(self.document, self.given)
        self.actions_table["reset"].setEnabled(self.data_panel.reset_button.isEnabled())

    @property
    def document(self) -> Document:
        """What is being looked at."""
        return self.history.current

    def apply(
        self,
        document: Document,
        label: str,
        merge: str | None = None,
        start: Frame | None = None,
        origin: Array | None = None,
    ) -> None:
        """Go on to a changed document: one undo step, and a new run as soon as the changes rest.

        ``origin`` (n,) says which point was which before an edit of the data, or -1.
        """
        before, forgotten = self.document, self.history.forgotten
        self.history.push(document, merge=merge, label=label)
        if forgotten == 0 < self.history.forgotten:
            self.statusBar().showMessage(FORGOTTEN, 10_000)
        if self.document.data is not before.data:
            self.maker.drop()
        if self.document is not before:
            self._show_document(before, origin, keep_view=origin is not None)
            self.boards.run_soon(self.document, start)

    def open_document(self, document: Document, label: str, playhead: int = 0, merge: str | None = None) -> None:
        """Another document (a file, a slide) at the step where it was left; can be undone like any change."""
        self.apply(document.as_given(), label, merge=merge)
        self.boards.run(self.document, at=playhead)

    @Slot(str)
    def choose_algorithm(self, key: str) -> None:
        """Another method on the same data, or on data of the kind that it takes."""
        if key != self.document.algorithm:
            self.go_on_with(self.document, key)

    def go_on_with(self, document: Document, key: str) -> None:
        """Another method, with what a document that is like the present one remembers of its parameters."""
        before = self.document.data
        try:
            document = suited(document.with_algorithm(key, self._example))
        except (DataError, ParamError) as error:
            self.statusBar().showMessage(str(error), 6000)
            return
        self.apply(document, f"choose {find(key).title}")
        if document.data is not before and (before.n or document.data.kind != before.kind):
            self._say_exchange(before)
        self.board.setFocus()

    def _say_exchange(self, before: Data) -> None:
        """That the data were changed along with the method, in one line."""
        data, title = self.document.data, self.document.method.title
        now = "needs no data" if isinstance(data, Nothing) else f"works on {data.name} ({data.counted()})"
        back = "" if isinstance(before, Nothing) else f"; Undo brings back {before.name} ({before.counted()})"
        self.statusBar().showMessage(f"{title} {now}{back}.", 10_000)

    def on_desk(self, data: Data, source: str) -> Document:
        """The document with other data; where the method cannot take them, with the last one that could."""
        if self.document.method.takes(data):
            return self.document.with_data(data).without_places().with_source(source)
        known = self._last_methods.get(data.kind)
        key = known or next((method.key for method in all_algorithms() if method.takes(data)), None)
        if key is None:
            raise DataError(f"There is no method for {data.counted()} yet.")
        return self.document.with_data(data, key).without_places().with_source(source)

    @Slot(str, object)
    def set_param(self, name: str, value: Any) -> None:
        """Turn one knob; a live one goes on from the current model."""
        field = next(field for field in self.document.method.fields if field.name == name)
        try:
            changes = following(self.document.method.params, self.document.params, name, value)
            document = self.document.with_params(**changes)
        except ParamError as error:
            self.statusBar().showMessage(str(error), 6000)
            return
        self.apply(document, f"change {field.label}", merge=f"param {name}", start=self.start_for(field))

    def start_for(self, field: Field) -> Frame | None:
        """The frame on show, when a change of this parameter goes on from it."""
        return self.player.frame_of(self.document) if field.live and self.document.method.resumes else None

    @Slot(object, str)
    def set_recipe(self, recipe: Recipe, knob: str) -> None:
        """Generate other data; the window lives on while they are made, where that takes long."""
        self.maker.drop()
        if recipe.takes_long:
            self.statusBar().showMessage(f"Making {recipe} …")
            self.maker.ask(recipe, partial(self._take_made, knob))
        else:
            self._take_made(knob, make(recipe))

    def _take_made(self, knob: str, made: Made) -> None:
        recipe, data = made.recipe, made.data
        if recipe.takes_long:
            self.statusBar().clearMessage()
        try:
            if data is None:
                raise DataError(made.sentence)
            document = self.on_desk(data, str(recipe))
        except (DataError, ParamError) as error:
            self.statusBar().showMessage(str(error), 6000)
            self.data_panel.show_document(self.document, self.given)
            return
        before = self.document
        self._remember(str(recipe), data)
        merge = f"data {recipe.name} {knob}" if knob else None
        if knob:
            document = document.with_scale(before.scaling.kind)
        elif made.axes is not None and document.data is data:
            document = document.with_axes(made.axes)
        else:
            document = document.with_first_axes(recipe.axes)
        self.apply(document, f"generate {recipe.name}", merge=merge)
        if document.algorithm != before.algorithm:
            self._say_exchange(before.data)

    def stop_making(self) -> bool:
        """Do without the data that are being made; whether there were any."""
        recipe = self.maker.recipe
        if recipe is not None:
            self.maker.drop()
            self._show_given()
            self.statusBar().showMessage(f"{recipe} is not made any more.", 6000)
        return recipe is not None

    def choose_data(self, recipe: Recipe) -> None:
        """Data of another generator."""
        self.set_recipe(recipe, "")

    @Slot()
    def reset_data(self) -> None:
        """Take back every edit of the data, and their scale."""
        before, given = self.document.data, self.given
        if before is not given:
            self.apply(self.document.with_data(given), "discard all edits")
            back = f"Undo brings back the {before.counted()}"
            self.statusBar().showMessage(f"{given.name} as it came: {given.counted()}; {back}.", 10_000)

    def reset_params(self) -> None:
        """The default parameters of this method and of all others."""
        self.apply(self.document.with_defaults(), "reset all parameters")

    @Slot()
    def draw_from_model(self) -> None:
        """New data of the same size, drawn from the model of the frame on show; can be undone like any change."""
        method, shown = self.document.method, self.player.frame_of(self.document)
        if method.sample is None or shown is None:
            self.statusBar().showMessage(f"{method.title} has no model from which data could be drawn.", 6000)
            return
        before = self.document.data
        try:
            data = method.drawn(shown.snapshot.model, before, max(before.n, 1), np.random.default_rng())
            source = f"the model of {method.title}"
            document = self.document.with_data(data.renamed(f"draw from {method.title}")).with_source(source)
            self.apply(document.as_given(), "draw from the model")
        except DataError as error:
            self.statusBar().showMessage(str(error), 6000)

    @Slot()
    def same_seed(self) -> None:
        """The same run once more, from its first step."""
        self.player.run(self.document)
        self.player.jump("start")

    @Slot()
    def new_seed(self) -> None:
        """Another random draw."""
        self.set_seed(random.randrange(MAX_SEED))

    @Slot(int)
    def set_seed(self, seed: int) -> None:
        """A chosen random draw."""
        before = trace(self.player) if self.player.runs(self.document) else {}
        self.apply(self.document.with_seed(seed), "change the seed", merge="seed")
        self._before_seed = self.document, before

    def say_seed(self) -> None:
        """A run has ended: where another seed has changed nothing, that is said once."""
        document, before = self._before_seed
        if document is self.document and before and self.player.runs(document):
            found = trace(self.player)
            if found:
                self._before_seed = None, {}
            if same(before, found):
                self.statusBar().showMessage(SAME, 10_000)

    def undo(self) -> None:
        """Take back the last change."""
        if self.history.can_undo:
            self._travel(self.history.undo)

    def redo(self) -> None:
        """Make the last undone change again."""
        if self.history.can_redo:
            self._travel(self.history.redo)

    def _travel(self, move: Any) -> None:
        before = self.document
        move()
        if self.document.data is not before.data:
            self.maker.drop()
        self._show_document(before, keep_view=True)
        self.boards.run_soon(self.document)

    @Slot(int)
    def close_board(self, place: int) -> None:
        """Compare without one of the settings."""
        self.apply(self.document.without(place), "close a board")
