"""Recent files: a menu of what was opened and saved last."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QMenu, QWidget

from mlviz.ui.file_dialogs import settings
from mlviz.views.plain_text import plain

MOST = 8
_KEY = "recent"


def recent_files() -> list[Path]:
    """The files that still exist, the latest first."""
    value = settings().value(_KEY, [])
    names = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    return [path for path in map(Path, names) if path.is_file()]


def note_recent(path: Path) -> None:
    """Put a file at the top of the list."""
    path = path.absolute()
    others = [known for known in recent_files() if known != path]
    settings().setValue(_KEY, [str(item) for item in [path, *others][:MOST]])


class RecentMenu(QMenu):
    """Filled anew each time it is opened."""

    def __init__(self, open_path: Callable[[Path], None], parent: QWidget) -> None:
        super().__init__("Open recent", parent)
        self.setObjectName("menu_recent")
        self.setToolTipsVisible(True)
        self._open_path = open_path
        self.aboutToShow.connect(self.fill)

    @Slot()
    def fill(self) -> None:
        """List the files by name, with the whole path as a tool tip."""
        self.clear()
        for path in recent_files():
            action = self.addAction(path.name.replace("&", "&&"), partial(self._open_path, path))
            action.setToolTip(plain(str(path)))
        if self.isEmpty():
            self.addAction("Nothing yet").setEnabled(False)
