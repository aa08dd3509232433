"""Files and memory: open, save, export, and everything that is there again at the next start."""

from __future__ import annotations

import dataclasses
import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QByteArray, QObject, Slot
from PySide6.QtWidgets import QMessageBox

from algorithms import DataError, ParamError
from algorithms.maths.words import readable
from mlviz import paths
from mlviz.session import files
from mlviz.session.document import Document
from mlviz.ui.autosave import Autosave, State
from mlviz.ui.data_controller import open_filter
from mlviz.ui.file_dialogs import ask_to_open, ask_to_save, remember_folder, settings
from mlviz.ui.recent import note_recent
from mlviz.views.plain_text import plain
from mlviz.views.theme import THEMES

if TYPE_CHECKING:
    from mlviz.ui.window import MainWindow

LAYOUT = 1
"""The version of the window's layout; a state saved by another version is not restored."""
MAX_STEP = 10**9
CLUSTER = "cluster"
log = logging.getLogger("mlviz.desk")


def last_session() -> Path:
    """Where the document is kept between two starts."""
    return paths.config_folder() / "last.mlviz"


def playhead_of(loaded: files.Loaded) -> int:
    """The step a session was left at; 0 when the file says nothing sensible."""
    step = loaded.extra.get("playhead", 0)
    return step if isinstance(step, int) and 0 <= step < MAX_STEP else 0


def remembered_theme() -> str:
    """The name of the theme of the last time."""
    theme = settings().value("theme", "light")
    return theme if theme in THEMES else "light"


def remembered_cluster() -> str:
    """The address of the cluster that fits many models; empty for this machine."""
    value = settings().value(CLUSTER, "")
    return value if isinstance(value, str) else ""


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


class FileController(QObject):
    """The window's dealings with the disk."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.path: Path | None = None
        """The session file that is being worked on, if there is one."""
        self._saved: Document | None = None
        self.autosave = Autosave(last_session(), self.state, self)
        self.autosave.refused.connect(self._not_kept)

    def state(self, named: bool = True) -> State:
        """Everything that is kept; ``named``: with the file that it belongs to, which need not know its own name."""
        window = self._window
        extra: dict[str, Any] = {"playhead": window.player.clock_position, "opened": window.trials.opened}
        if named and self.path is not None:
            extra |= {"file": str(self.path.absolute()), "behind": self.modified, "stamp": _stamp(self.path)}
        return State(window.document, extra, window.arrangement.layout())

    @Slot(object)
    def _not_kept(self, why: str) -> None:
        self._say(f"{why} It is not kept for the next start; Ctrl+S saves it elsewhere.", 15000)

    # -- files ---------------------------------------------------------------------------------------------------

    def open(self) -> None:
        """Ask for a session or a table and open it."""
        path = ask_to_open(self._window, "open", "Open", open_filter())
        if path is not None:
            self.open_path(path)

    def open_path(self, path: Path) -> None:
        """Open a file; whatever is wrong with it is said in a sentence and changes nothing."""
        remember_folder(path)
        window = self._window
        if path.suffix.lower() != ".mlviz":
            window.data_controller.open_table(path)
            return
        try:
            loaded = files.load(path)
            if not self.may_close():
                return
            self._show(loaded, f"open {path.name}")
            self._adopt(path)
            self._say(" ".join(loaded.notices) or f"Opened {path.name}.")
        except (DataError, ParamError, files.SessionError) as error:
            self._say(str(error), 15000)
        except OSError as error:
            self._say(f"{path.name} cannot be read: {error.strerror or error}.", 15000)

    @Slot(object)
    def open_copy(self, path: Path) -> None:
        """Open a session that belongs to the program: saving it asks where, and leaving it asks nothing."""
        try:
            loaded = files.load(path)
        except files.SessionError as error:
            self._say(str(error), 15000)
            return
        if self.may_close():
            lesson = dataclasses.replace(loaded.document.lesson, template=True)
            self._show(dataclasses.replace(loaded, document=loaded.document.with_lesson(lesson)), f"open {path.name}")
            self.path = self._saved = None
            self.show_modified()
            self._say(f"{loaded.document.lesson.title}: F5 presents it, Page Down turns the slides.", 12000)

    def _show(self, loaded: files.Loaded, label: str) -> None:
        self._window.trials.recall(loaded.extra.get("opened"))
        self._window.open_document(loaded.document, label, playhead_of(loaded))
        self._window.arrangement.put_back(loaded.layout)

    def save(self) -> None:
        """Save the session to its file; ask where when it has none yet."""
        if self.path is None:
            self.save_as()
        else:
            self.save_path(self.path)

    def save_as(self) -> None:
        """Ask where, and save the session."""
        document = self._window.document
        proposal = self.path or document.lesson.title.replace("/", "-") or document.data.name
        path = ask_to_save(self._window, "session", "Save session", proposal, "Sessions (*.mlviz)")
        if path is not None:
            self.save_path(path)

    def save_path(self, path: Path) -> None:
        """Save the session; a full disk or a missing folder is said in a sentence."""
        remember_folder(path)
        try:
            self.state(named=False).save(path)
            self._adopt(path)
            self._say(f"Saved {path.name}.")
        except (files.SessionError, OSError) as error:
            self._say(f"{path.name} cannot be saved: {error}", 15000)

    # -- the file being worked on --------------------------------------------------------------------------------

    @property
    def modified(self) -> bool:
        """Whether the session has a file that holds something else; to go through its lesson changes nothing."""
        document, saved = self._window.document, self._saved
        if self.path is None or document is saved:
            return False
        lesson = document.lesson
        same = saved is not None and saved.lesson.same(lesson)
        return not (same and document.shows(lesson.slide))

    def show_modified(self) -> None:
        """Name the data and the file in the title of the window, with a star when the file is behind."""
        document = self._window.document
        whole = document.lesson.title if self.path is None else f"{self.path.name}[*]"
        self._window.setWindowTitle(" – ".join(filter(None, (document.data.name, whole, "mlviz"))))
        if self._window.isWindowModified() != self.modified:
            self._window.setWindowModified(self.modified)

    def may_close(self) -> bool:
        """Before leaving or another file: ask only about a file that is behind, everything else is kept by itself."""
        if not self.modified:
            return True
        assert self.path is not None
        buttons = QMessageBox.StandardButton
        choice = QMessageBox.question(
            self._window,
            "Unsaved changes",
            plain(f"Save the changes to {self.path.name}?"),
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
            self.state().save(last_session())
        except (files.SessionError, OSError) as error:
            log.warning("the session was not kept: %s", error)

    def recall(self, session: files.Loaded, crashed: bool) -> None:
        """Go on with a kept session: in the file it belongs to, with the same tabs and parts in view.

        The docks stand where an orderly end has left them; after a crash, where they stood when it was kept.
        """
        self._window.trials.recall(session.extra.get("opened"))
        self._window.arrangement.put_back(session.layout, docks=crashed)
        name, stamp = session.extra.get("file"), session.extra.get("stamp")
        if not isinstance(name, str) or not name.endswith(".mlviz") or not Path(name).is_file():
            return
        self.path = Path(name)
        changed = stamp != _stamp(self.path)
        self._saved = None if session.extra.get("behind") is not False or changed else self._window.document
        self.show_modified()
        if changed:
            self._say(f"{self.path.name} was changed by another program; saving replaces it.", 15000)

    def restore(self) -> None:
        """Bring back the layout and the look of the last time."""
        window, store = self._window, settings()
        window.set_theme(remembered_theme())
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

    def _say(self, text: str, milliseconds: int = 8000) -> None:
        self._window.statusBar().showMessage(readable(text), milliseconds)


def _stamp(path: Path) -> int:
    """When the file was last written, in nanoseconds; 0 when it is gone."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
