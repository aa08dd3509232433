"""Every action of the window, declared once: menus, tool bar, shortcuts, palette and keyboard table read this list."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar, QWidget

from algorithms.records import dataclass
from mlviz.ui.icons import icon
from mlviz.views.plain_text import plain
from mlviz.views.theme import Theme


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """One command: ``name`` is its object name, ``menu`` where it is listed, ``keys`` its shortcut."""

    name: str
    menu: str
    text: str
    run: Callable[[], object]
    keys: str = ""
    icon: str = ""
    checkable: bool = False
    separated: bool = False
    also: str = ""
    """Another key for the same."""
    presenting: bool = False
    """Only in presenter mode, where it has its keys before whatever has them otherwise."""

    def sequences(self, without: frozenset[str] = frozenset()) -> list[QKeySequence]:
        """Its shortcuts, apart from some keys."""
        return [QKeySequence(keys) for keys in (self.keys, self.also) if keys and keys not in without]


class Actions:
    """The made actions by name."""

    def __init__(self, owner: QWidget, specs: tuple[ActionSpec, ...]) -> None:
        self.specs = specs
        self._by_name: dict[str, QAction] = {}
        for spec in specs:
            action = QAction(spec.text, owner, objectName=f"action_{spec.name}", checkable=spec.checkable)
            hint = spec.text.replace("&", "").rstrip("…")
            action.setToolTip(plain(f"{hint} ({spec.keys})" if spec.keys else hint))
            # a lambda would keep the receiver alive and drop the checked state; the slot is the declared function
            action.triggered.connect(_without_checked(spec.run))
            owner.addAction(action)
            self._by_name[spec.name] = action
        self.set_presenting(False)

    def set_presenting(self, on: bool) -> None:
        """Presenter mode has begun, or ended: some keys mean something else there."""
        taken = frozenset(keys for spec in self.specs if spec.presenting and on for keys in (spec.keys, spec.also))
        for spec in self.specs:
            action = self._by_name[spec.name]
            wanted = [] if spec.presenting and not on else spec.sequences(frozenset() if spec.presenting else taken)
            if spec.presenting:
                action.setEnabled(on)
            if action.shortcuts() != wanted:
                action.setShortcuts(wanted)

    def __getitem__(self, name: str) -> QAction:
        return self._by_name[name]

    def fill(self, bar: QMenuBar) -> dict[str, QMenu]:
        """Build the menus in the order of the declarations; they are given back by name."""
        menus: dict[str, QMenu] = {}
        for spec in self.specs:
            if spec.menu not in menus:
                menus[spec.menu] = bar.addMenu(spec.menu)
                menus[spec.menu].setObjectName(f"menu_{spec.menu.replace('&', '').lower()}")
                menus[spec.menu].setToolTipsVisible(True)
            if spec.separated:
                menus[spec.menu].addSeparator()
            menus[spec.menu].addAction(self._by_name[spec.name])
        return menus

    def set_theme(self, theme: Theme) -> None:
        """Draw the icons in the theme's colours."""
        for spec in self.specs:
            if spec.icon:
                self._by_name[spec.name].setIcon(icon(spec.icon, theme))


def _without_checked(run: Callable[[], object]) -> Callable[[bool], None]:
    def triggered(_: bool = False) -> None:
        run()

    return triggered


def keyboard_table(specs: tuple[ActionSpec, ...]) -> list[tuple[str, str]]:
    """(keys, what they do) for the help and the README."""
    return [
        (", ".join(filter(None, (spec.keys, spec.also))), spec.text.replace("&", "").rstrip("…"))
        for spec in specs
        if spec.keys
    ]
