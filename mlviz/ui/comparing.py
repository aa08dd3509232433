"""Two settings side by side in two clicks: what the menu *Compare* offers, and what it does."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import shiboken6
from PySide6.QtCore import QObject, QSize, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QToolButton

from algorithms import all_algorithms, find
from algorithms.contract import Algorithm
from algorithms.params import ParamError
from mlviz.session.comparison import MOST_BOARDS, Setting, other_value, value_words
from mlviz.session.document import Document
from mlviz.ui.actions import ActionSpec
from mlviz.ui.controls import ToolButton
from mlviz.ui.palette import Command
from mlviz.ui.seed_words import SAME_HERE, same, trace
from mlviz.views.plain_text import plain

if TYPE_CHECKING:
    from mlviz.ui.window import MainWindow

MENU = "&Compare"
MOST_KNOBS, FEWEST_METHODS = 5, 4
"""How many the menu proposes; further methods as far as the screen has room for them, the others in a menu beside."""


def proposed_values(document: Document) -> list[tuple[str, str, Any]]:
    """Name, words and another value of the knobs that matter most: those that come first in the form."""
    found = []
    for field in document.method.fields:
        value = document.params[field.name]
        other = None if field.advanced or not field.relevant(document.params) else other_value(field, value)
        if other is not None:
            words = f"{field.label} = {value_words(other)} instead of {value_words(value)}"
            found.append((field.name, words, other))
    return found[:MOST_KNOBS]


def proposed_methods(document: Document) -> list[Algorithm]:
    """Methods for the same purpose on the same data: of the same family, or predictors of the same target.

    Those that a method itself names as related come first.
    """
    own, data = document.method, document.data
    named = [item.method for item in own.related]
    targets = ("any", "classes" if data.classes else "values")
    predicts = own.target in targets and own.scores
    alike = [
        method
        for method in all_algorithms()
        if method is not own
        and method.takes(data)
        and (method.family == own.family or (predicts and method.target in targets and method.scores))
    ]
    alike.sort(key=lambda m: (m.key not in named, m.family != own.family, m.scores != own.scores))
    return alike


class Comparing(QObject):
    """Everything about several boards that the user asks for."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._proposals: list[QAction] = []

    def specs(self) -> tuple[ActionSpec, ...]:
        """What can be done; the menu adds proposals in front of it whenever it opens."""
        return (
            ActionSpec("compare_same", MENU, "The same once more, to turn a knob", self.with_same, "Ctrl+B"),
            ActionSpec("compare_seed", MENU, "The same with another seed", self.with_seed, "Ctrl+Shift+B"),
            ActionSpec("compare_method", MENU, "Any other method…", self.choose_method, "Ctrl+Alt+B"),
            ActionSpec("next_board", MENU, "Next board", self.next_board, "F6", separated=True),
            ActionSpec("by_fraction", MENU, "Same fraction of each run", self.toggle_clock, checkable=True),
            ActionSpec("difference", MENU, "Where they differ", self.toggle_difference, "Ctrl+Shift+D", checkable=True),
            ActionSpec("close_board", MENU, "Close this board", self.close_active, "Ctrl+W", separated=True),
            ActionSpec("only_board", MENU, "Only this board", self.only_active),
        )

    def button(self, menu: QMenu) -> QToolButton:
        """The button of the tool bar; the menu opens at once."""
        menu.aboutToShow.connect(partial(self._propose, menu))
        button = ToolButton()
        button.setObjectName("compare_button")
        button.setMenu(menu)
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        button.setIconSize(QSize(20, 20))
        button.setToolTip(plain("Compare with another setting beside this one (Ctrl+B)"))
        button.setAccessibleName("Compare")
        return button

    # -- what is beside ------------------------------------------------------------------------------------------

    @property
    def _document(self) -> Document:
        return self._window.document

    def _beside(self, setting: Setting, label: str) -> None:
        if len(self._document.settings) >= MOST_BOARDS:
            self._say(f"There is room for {MOST_BOARDS} boards; close one of them first.")
            return
        self._window.apply(self._document.beside(setting), label)
        self._window.board.setFocus()

    def with_same(self) -> None:
        """The same setting once more; it is the active one, so that the next knob turned is its own."""
        self._beside(self._document.setting, "compare")
        self._say("Turn a knob: the new board follows, the other one stays.")

    def with_seed(self) -> None:
        """The same with other random numbers."""
        own, taken = self._document.setting, {setting.seed for setting in self._document.settings}
        seed = next(seed for seed in range(own.seed + 1, own.seed + MOST_BOARDS + 1) if seed not in taken)
        self._beside(Setting(own.algorithm, own.params, seed), "compare with another seed")

    def note_seeds(self) -> None:
        """Boards that differ in their seeds alone, and whose runs are the same, say so."""
        panes, settings = self._window.boards.panes, self._document.settings
        for pane, setting in zip(panes, settings):
            alike = [
                other
                for other, its in zip(panes, settings)
                if its.seed != setting.seed and (its.algorithm, its.params) == (setting.algorithm, setting.params)
            ]
            own = trace(pane.player) if alike else {}
            pane.note = SAME_HERE if any(same(own, trace(other.player)) for other in alike) else ""

    def with_value(self, name: str, value: Any) -> None:
        """The same with one knob turned."""
        own = self._document.setting
        try:
            setting = Setting(own.algorithm, {**own.params, name: value}, own.seed)
        except ParamError as error:
            self._say(str(error))
            return
        self._beside(setting, f"compare {name.replace('_', ' ')}")

    def with_method(self, key: str) -> None:
        """Another method on the same data, with the parameters that it was left with."""
        method = find(key)
        if not method.takes(self._document.data):
            self._say(f"{method.title} does not work on {self._document.data.counted()}; boards share their data.")
            return
        params = self._document.memory.get(key, {})
        self._beside(Setting(key, params, self._document.seed), f"compare with {method.title}")

    def choose_method(self) -> None:
        """Find any method that takes the data."""
        data, popup = self._document.data, self._window.palette_popup
        popup.set_commands(
            [
                Command(
                    title=f"Compare with {method.title}",
                    group=method.family,
                    shortcut="",
                    run=partial(self.with_method, method.key),
                )
                for method in all_algorithms()
                if method.takes(data)
            ]
        )
        popup.open()

    # -- what there is -------------------------------------------------------------------------------------------

    def next_board(self) -> None:
        """Have the controls be about the next board."""
        count = len(self._document.settings)
        if count > 1:
            self._window.activate((self._document.comparison.place + 1) % count)

    def close_active(self) -> None:
        """Take the active board away."""
        if len(self._document.settings) > 1:
            self._window.close_board(self._document.comparison.place)

    def only_active(self) -> None:
        """Take all other boards away."""
        self._window.apply(self._document.alone(), "end the comparison")

    def toggle_clock(self) -> None:
        """One scrub moves all by step, or by the fraction of each run."""
        clock = "step" if self._document.comparison.clock == "fraction" else "fraction"
        self._window.apply(self._document.compared(clock=clock), f"compare by {clock}")

    @Slot()
    def toggle_difference(self) -> None:
        """Show or hide the map of where the answers differ."""
        wanted = not self._document.comparison.difference
        self._window.apply(self._document.compared(difference=wanted), "show where they differ")

    def show_document(self, document: Document) -> None:
        """Say what can be done now."""
        actions, several = self._window.actions_table, len(document.settings) > 1
        for name in ("next_board", "by_fraction", "difference", "close_board", "only_board"):
            actions[name].setEnabled(several)
        for name in ("compare_same", "compare_seed", "compare_method"):
            actions[name].setEnabled(len(document.settings) < MOST_BOARDS)
        actions["by_fraction"].setChecked(document.comparison.clock == "fraction")
        actions["difference"].setChecked(document.comparison.difference)

    @Slot()
    def _propose(self, menu: QMenu) -> None:
        """Put what suggests itself for this document in front of the menu."""
        for action in self._proposals:
            if shiboken6.isValid(action):  # those of a menu that went have gone with it
                menu.removeAction(action)
                submenu = action.menu()
                (action if submenu is None else submenu).deleteLater()
        self._proposals = []
        first, document = menu.actions()[0], self._document
        if first.isEnabled():
            own = document.method.title
            self._add(menu, first, f"{own} once more", None)
            for name, words, value in proposed_values(document):
                self._add(menu, first, words, partial(self.with_value, name, value))
            second = self._window.actions_table["compare_method"]
            self._add(menu, second, "Another method", None)
            alike, room = proposed_methods(document), self._room(menu)
            for method in alike[:room]:
                self._add(menu, second, method.title, partial(self.with_method, method.key))
            if len(alike) > room:
                more = QMenu("More methods", menu, objectName="menu_compare_more")
                self._proposals.append(menu.insertMenu(second, more))
                for method in alike[room:]:
                    self._add(more, None, method.title, partial(self.with_method, method.key))

    def _room(self, menu: QMenu) -> int:
        """How many more lines have room on the screen, in one column; a few stand there in any case."""
        line = menu.actionGeometry(menu.actions()[1]).height()
        high = self._window.screen().availableGeometry().height() - 2 * line
        return max(high // max(line, 1) - len(menu.actions()), FEWEST_METHODS)

    def _add(self, menu: QMenu, before: QAction | None, text: str, run: Any) -> None:
        action = QAction(text.replace("&", "&&"), menu)
        action.setSeparator(run is None)
        if run is not None:
            action.triggered.connect(lambda _checked=False: run())
        if before is None:
            menu.addAction(action)
        else:
            menu.insertAction(before, action)
            self._proposals.append(action)

    def _say(self, text: str) -> None:
        self._window.statusBar().showMessage(text, 8000)
