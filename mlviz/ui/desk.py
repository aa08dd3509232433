"""Files and memory: open, save, export, and everything that is there again at the next start."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QByteArray, QObject, QSettings
from PySide6.QtWidgets import QFileDialog, QMessageBox

from algorithms import DataError, ParamError
from mlviz import paths
from mlviz.session import files
from mlviz.session.document import Document
from mlviz.ui.autosave import Autosave
from mlviz.ui.data_desk import open_filter
from mlviz.ui.recent import note_recent
from mlviz.views.theme import THEMES

if TYPE_CHECKING:
    from mlviz.ui.window import MainWindow

LAYOUT = 1
"""The version of the window's layout; a state saved by another version is not restored."""
MAX_STEP = 10**9
log = logging.getLogger("mlviz.desk")


def settings() -> QSettings:
    """The settings file."""
    return QSettings(str(paths.config_folder() / "settings.ini"), QSettings.Format.IniFormat)


def last_session() -> Path:
    """Where the document is kept between two starts."""
    return paths.config_folder() / "last.mlviz"


def playhead_of(loaded: files.Loaded) -> int:
    """The step a session was left at; 0 when the file says nothing sensible."""
    step = loaded.extra.get("playhead", 0)
    return step if isinstance(step, int) and 0 <= step < MAX_STEP else 0


def remembered() -> files.Loaded | None:
    """The session of the last time, or None when there is none that can be used."""
    path = last_session()
    if not path.exists():
        return None
    try:
        return files.load(path)
    except (files.SessionError, OSError) as error:
        log.warning("the last session was not restored: %s", error)
        return None


class Desk(QObject):
    """The window's dealings with the disk."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.path: Path | None = None
        """The session file that is being worked on, if there is one."""
        self._saved: Document | None = None
        self.autosave = Autosave(last_session(), lambda: (window.document, window.player.position), self)

    # -- files ---------------------------------------------------------------------------------------------------

    def open(self) -> None:
        """Ask for a session or a table and open it."""
        name, _ = QFileDialog.getOpenFileName(self._window, "Open", self.folder(), open_filter())
        if name:
            self.open_path(Path(name))

    def open_path(self, path: Path) -> None:
        """Open a file; whatever is wrong with it is said in a sentence and changes nothing."""
        self._remember_folder(path)
        window = self._window
        if path.suffix.lower() != ".mlviz":
            window.data_desk.open_table(path)
            return
        try:
            loaded = files.load(path)
            window.open_document(loaded.document, f"open {path.name}", playhead_of(loaded))
            self._adopt(path)
            self._say(" ".join(loaded.notices) or f"Opened {path.name}.")
        except (DataError, ParamError, files.SessionError) as error:
            self._say(str(error), 15000)
        except OSError as error:
            self._say(f"{path.name} cannot be read: {error.strerror or error}.", 15000)

    def save(self) -> None:
        """Save the session to its file; ask where when it has none yet."""
        if self.path is None:
            self.save_as()
        else:
            self.save_path(self.path)

    def save_as(self) -> None:
        """Ask where, and save the session."""
        proposal = str(self.path or Path(self.folder()) / f"{self._window.document.data.name}.mlviz")
        name, _ = QFileDialog.getSaveFileName(self._window, "Save session", proposal, "Sessions (*.mlviz)")
        if name:
            self.save_path(Path(name).with_suffix(".mlviz"))

    def save_path(self, path: Path) -> None:
        """Save the session; a full disk or a missing folder is said in a sentence."""
        self._remember_folder(path)
        try:
            files.save(path, self._window.document, {"playhead": self._window.player.position})
            self._adopt(path)
            self._say(f"Saved {path.name}.")
        except (files.SessionError, OSError) as error:
            self._say(f"{path.name} cannot be saved: {error}", 15000)

    # -- the file being worked on --------------------------------------------------------------------------------

    @property
    def modified(self) -> bool:
        """Whether the session has a file and is no longer what that file holds."""
        return self.path is not None and self._window.document is not self._saved

    def show_modified(self) -> None:
        """Name the file in the title of the window, with a star when it is behind."""
        self._window.setWindowTitle("mlviz" if self.path is None else f"{self.path.name}[*] – mlviz")
        self._window.setWindowModified(self.modified)

    def may_close(self) -> bool:
        """Ask only about a file that is behind: everything else comes back at the next start by itself."""
        if not self.modified:
            return True
        assert self.path is not None
        buttons = QMessageBox.StandardButton
        choice = QMessageBox.question(
            self._window,
            "Unsaved changes",
            f"Save the changes to {self.path.name}?",
            buttons.Save | buttons.Discard | buttons.Cancel,
            buttons.Save,
        )
        if choice == buttons.Save:
            self.save_path(self.path)
            return not self.modified
        return choice == buttons.Discard

    def _adopt(self, path: Path) -> None:
        self.path, self._saved = path, self._window.document
        note_recent(path)
        self.show_modified()

    # -- memory --------------------------------------------------------------------------------------------------

    def remember(self) -> None:
        """Keep the layout, the look and the document for the next start."""
        window, store = self._window, settings()
        self.autosave.stop()
        if window.presenting:
            window.toggle_presenter()
        store.setValue("geometry", window.saveGeometry())
        store.setValue("layout", window.saveState(LAYOUT))
        store.setValue("board", window.board.splitter.saveState())
        store.setValue("below", window.board.below.saveState())
        store.setValue("theme", window.theme.name)
        store.setValue("after_change", window.player.after_change)
        store.sync()
        try:
            files.save(last_session(), window.document, {"playhead": window.player.position})
        except (files.SessionError, OSError) as error:
            log.warning("the session was not kept: %s", error)

    def restore(self) -> None:
        """Bring back the layout and the look of the last time."""
        window, store = self._window, settings()
        theme = store.value("theme", "light")
        window.set_theme(theme if theme in THEMES else "light")
        for key, apply in (
            ("geometry", window.restoreGeometry),
            ("layout", lambda state: window.restoreState(state, LAYOUT)),
            ("board", window.board.splitter.restoreState),
            ("below", window.board.below.restoreState),
        ):
            value: Any = store.value(key)
            if isinstance(value, QByteArray):
                apply(value)
        after = store.value("after_change", "keep")
        window.set_after_change(after if after in ("start", "keep", "end") else "keep")

    def folder(self) -> str:
        """Where files were last opened or saved."""
        return str(settings().value("folder", str(Path.home())))

    def _remember_folder(self, path: Path) -> None:
        settings().setValue("folder", str(path.parent))

    def _say(self, text: str, milliseconds: int = 8000) -> None:
        self._window.statusBar().showMessage(text, milliseconds)
