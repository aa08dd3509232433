"""Tables come in: from a file, dropped on the window, or pasted. The column dialog stands before the document."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, Slot
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication

from algorithms import DataError, ParamError
from mlviz.data.files import KINDS, MAX_PASTED, read_pasted, read_table
from mlviz.data.roles import Imported
from mlviz.session.scaling import Scale
from mlviz.ui.actions import ActionSpec
from mlviz.ui.columns_dialog import ColumnsDialog, Read, described

if TYPE_CHECKING:
    from mlviz.ui.window import MainWindow

LONG, SHORT = 15_000, 8_000


def open_filter() -> str:
    """What the file dialog offers: sessions, every table, and each kind of table."""
    kinds = {name: " ".join(f"*{suffix}" for suffix in suffixes) for name, (_, suffixes) in KINDS.items()}
    everything = " ".join(["*.mlviz", *kinds.values()])
    listed = ";;".join(f"{name} ({patterns})" for name, patterns in kinds.items())
    return f"Sessions and tables ({everything});;Sessions (*.mlviz);;{listed};;Every file (*)"


class DataDesk(QObject):
    """The window's dealings with tables."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.dialog: ColumnsDialog | None = None
        window.data_panel.axes_chosen.connect(self.set_axes)
        window.data_panel.scale_chosen.connect(self.set_scale)
        window.setAcceptDrops(True)
        window.installEventFilter(self)

    def edit_specs(self) -> tuple[ActionSpec, ...]:
        """What the Edit menu offers."""
        return (ActionSpec("paste", "&Edit", "Paste a table", self.paste, "Ctrl+V"),)

    def open_table(self, path: Path) -> None:
        """Read a table in the background and ask what its columns are for; a missing file is said at once."""
        if not path.is_file():
            what = "is a folder, not a file" if path.is_dir() else "is not there (any more)"
            self._say(f"{path.name or path} {what}.", LONG)
            return
        self._ask(path.name, partial(read_table, path))

    def paste(self) -> None:
        """Take the table on the clipboard; a copied file is opened."""
        board = QApplication.clipboard()
        files = [url.toLocalFile() for url in board.mimeData().urls() if url.isLocalFile()]
        if files:
            self._window.desk.open_path(Path(files[0]))
        elif not board.text().strip():
            self._say("There is no table on the clipboard.", SHORT)
        elif len(board.text()) > MAX_PASTED:
            self._say("The text on the clipboard is too long; save it as a file and open that.", LONG)
        else:
            self._ask("the pasted table", partial(read_pasted, board.text()))

    @Slot(object)
    def set_axes(self, axes: tuple[int, int]) -> None:
        """Look at two other features."""
        window = self._window
        names = " and ".join(window.document.data.features[axis] for axis in axes)
        window.apply(window.document.with_axes(axes), f"look at {names}")

    @Slot(str)
    def set_scale(self, kind: Scale) -> None:
        """Put the features on another scale, or back on their own."""
        window = self._window
        try:
            window.apply(window.document.with_scale(kind), f"scale: {kind}")
        except DataError as error:
            window.data_panel.show_document(window.document)
            self._say(str(error), LONG)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """A file dropped anywhere on the window is opened."""
        if watched is self._window and isinstance(event, QDropEvent):
            urls = [url for url in event.mimeData().urls() if url.isLocalFile()]
            if urls and event.type() in (QEvent.Type.DragEnter, QEvent.Type.DragMove, QEvent.Type.Drop):
                event.setDropAction(Qt.DropAction.CopyAction)
                event.accept()
                if not isinstance(event, QDragEnterEvent) and event.type() == QEvent.Type.Drop:
                    self._window.desk.open_path(Path(urls[0].toLocalFile()))
                return True
        return super().eventFilter(watched, event)

    def close(self) -> None:
        """The window goes: whatever is being read is called off."""
        if self.dialog is not None:
            self.dialog.reject()

    def _ask(self, name: str, read: Read) -> None:
        self.close()
        self.dialog = ColumnsDialog(name, read, self._window.theme, self._window)
        self.dialog.imported.connect(partial(self._take, name))
        self.dialog.refused.connect(self._refused)
        self.dialog.finished.connect(self._forget)
        self.dialog.open()

    def _take(self, name: str, made: Imported) -> None:
        window = self._window
        try:
            document = window.document.with_data(made.points).with_axes((0, 1))
            window.open_document(document, f"open {name}")
        except (DataError, ParamError) as error:
            self._say(str(error), LONG)
            return
        self._say(f"Opened {name}: {described(made.points)} {' '.join(made.notices)}".strip(), LONG)

    @Slot(str)
    def _refused(self, sentence: str) -> None:
        self._say(sentence, LONG)

    @Slot()
    def _forget(self) -> None:
        self.dialog = None

    def _say(self, text: str, milliseconds: int) -> None:
        self._window.statusBar().showMessage(text, milliseconds)
