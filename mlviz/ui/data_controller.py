"""The window's dealings with data: tables come in and go out, and the points are looked at and edited as a table."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Slot
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QImage
from PySide6.QtWidgets import QApplication

from algorithms import DataError, ParamError, Points, find
from algorithms.data import Array, Data, Nothing
from algorithms.data.points import Scale
from algorithms.maths.words import readable
from mlviz.data.reading import Reading
from mlviz.session.document import Document
from mlviz.ui import problems
from mlviz.ui.actions import ActionSpec
from mlviz.ui.file_dialogs import ask_to_save, remember_folder
from mlviz.ui.point_table import PointTable
from mlviz.views.renderers.base import NO_POINTS
from mlviz.views.theme import Theme
from mlviz.worker.task import Task

if TYPE_CHECKING:  # what is needed for a table only is imported with the first one, or when there is time
    from mlviz.data.picture_files import ReadPicture
    from mlviz.data.roles import Imported
    from mlviz.ui.columns_dialog import ColumnsDialog, Read
    from mlviz.ui.explore import ExploreDialog
    from mlviz.ui.window import MainWindow

LONG, SHORT = 15_000, 8_000
POLL = 40
MAX_COPIED = 2_000_000
"""Cells."""
CLIPBOARD = "the clipboard"


def open_filter() -> str:
    """What the file dialog offers: sessions, every table, each kind of table, and pictures."""
    from mlviz.data.files import KINDS
    from mlviz.data.picture_files import SUFFIXES

    endings = {name: suffixes for name, (_, suffixes) in KINDS.items()} | {"Pictures": SUFFIXES}
    kinds = {name: " ".join(f"*{suffix}" for suffix in suffixes) for name, suffixes in endings.items()}
    everything = " ".join(["*.mlviz", *kinds.values()])
    listed = ";;".join(f"{name} ({patterns})" for name, patterns in kinds.items())
    return f"Sessions, tables and pictures ({everything});;Sessions (*.mlviz);;{listed};;Every file (*)"


def _pasted_picture(image: QImage, reading: Reading) -> ReadPicture:
    """A picture from the clipboard, by way of a file, so that there is one reader for all of them."""
    from mlviz.data.files import open_picture

    with tempfile.TemporaryDirectory(prefix="mlviz-") as folder:
        path = Path(folder) / "clipboard.png"
        if not image.save(str(path)):
            raise DataError("The picture on the clipboard cannot be read.")
        return open_picture(path, reading)


class DataController(QObject):
    """The window's dealings with tables."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.dialog: ColumnsDialog | None = None
        self.explorer: ExploreDialog | None = None
        self.table = PointTable()
        self._sample = ("", 0)
        self._taken: tuple[Data, str, Read] | None = None
        """The last table that was taken: its points as they came, its name and how it is read."""
        self._saving: tuple[Task[None], Path] | None = None
        self._reading: tuple[Task[Any], Callable[[Any], None]] | None = None
        self._timer = QTimer(self, objectName="data_desk_poll", interval=POLL)
        self._timer.timeout.connect(self._poll)
        for model in (self.table.model, self.table.items):
            model.edited.connect(self._edited)
            model.refused.connect(self._refused)
        self.table.points_chosen.connect(window.pointer.click)
        self.table.points_chosen.connect(self._rows_chosen)
        window.boards.points_clicked.connect(self._clicked)
        window.data_panel.axes_chosen.connect(self.set_axes)
        window.data_panel.pca_chosen.connect(self.set_pca)
        window.data_panel.scale_chosen.connect(self.set_scale)
        window.setAcceptDrops(True)
        window.installEventFilter(self)

    def edit_specs(self) -> tuple[ActionSpec, ...]:
        """What the Edit menu offers."""
        return (
            ActionSpec("paste", "&Edit", "Paste a table or a picture", self.paste, "Ctrl+V"),
            ActionSpec("copy", "&Edit", "Copy the data as a table", self.copy, "Ctrl+C"),
        )

    def file_specs(self) -> tuple[ActionSpec, ...]:
        """What the File menu offers."""
        return (ActionSpec("save_data", "&File", "Save data…", self.save, "Ctrl+Shift+S"),)

    def view_specs(self) -> tuple[ActionSpec, ...]:
        """What the View menu offers."""
        return (
            ActionSpec("explore", "&View", "Explore the data…", self.explore, "Ctrl+D"),
            ActionSpec("pca", "&View", "Project on the principal components (PCA)", self.set_pca),
        )

    def explore(self) -> None:
        """Open the first look at the data, or bring it to the front."""
        from mlviz.ui.explore import ExploreDialog

        data = self._window.document.data
        if not isinstance(data, Points) or not data.n:
            self._say(f"Exploring is for points; there is {data.counted()}.", SHORT)
            return
        if self.explorer is None:
            self.explorer = ExploreDialog(self._window.theme, self._window)
            self.explorer.pair_chosen.connect(self.set_axes)
            self.explorer.finished.connect(self._forget_explorer)
        self.explorer.set_selection(self._window.drawing.selection)
        self.explorer.set_points(data)
        self.explorer.show()
        self.explorer.raise_()

    @Slot(object)
    def show_selection(self, rows: Array) -> None:
        """The first look also says what the selected points are like."""
        if self.explorer is not None:
            self.explorer.set_selection(rows)

    @Slot()
    def _forget_explorer(self) -> None:
        self.explorer = None

    def set_theme(self, theme: Theme) -> None:
        """Colours from now on."""
        if self.explorer is not None:
            self.explorer.set_theme(theme)

    def open_table(self, path: Path) -> None:
        """Read a table in the background and ask what its columns are for; a missing file is said at once."""
        if not path.is_file():
            what = "is a folder, not a file" if path.is_dir() else "is not there (any more)"
            self._say(f"{path.name or path} {what}.", LONG)
            return
        from mlviz.data.files import kind_of, open_picture, read_data, read_table
        from mlviz.data.picture_files import is_picture

        kinds = self._kinds()
        if is_picture(path):
            self._read(path.name, partial(open_picture, path), partial(self._take_picture, path.name))
        elif kind_of(path, kinds) == "points":
            self._ask(path.name, partial(read_table, path))
        else:
            self._read(path.name, lambda reading: read_data(path, kinds=kinds), partial(self._take_data, path.name))

    def _read(self, name: str, work: Callable[[Any], Any], take: Callable[[Any], None]) -> None:
        """Do the work in the background and take what it gives; of two at once, the later one counts."""
        if self._reading is not None:
            self._reading[0].cancel()
        self._say(f"Reading {name} …", LONG)
        self._reading = (Task(work, "mlviz-read"), take)
        self._timer.start()

    def paste(self) -> None:
        """Take the table on the clipboard, or the picture; a copied file is opened."""
        from mlviz.data.files import MAX_PASTED, pasted_kind, read_pasted, read_pasted_data

        board = QApplication.clipboard()
        held = board.mimeData()  # None where nobody has copied anything yet
        files = [url.toLocalFile() for url in held.urls() if url.isLocalFile()] if held is not None else []
        if files:
            self._window.files.open_path(Path(files[0]))
        elif not board.text().strip() and held is not None and held.hasImage():  # cells come as text and as a picture
            self._read("the clipboard", partial(_pasted_picture, board.image()), partial(self._take_picture, CLIPBOARD))
        elif not board.text().strip():
            self._say("There is no table on the clipboard.", SHORT)
        elif len(board.text()) > MAX_PASTED:
            self._say("The text on the clipboard is too long; save it as a file and open that.", LONG)
        elif pasted_kind(text := board.text(), kinds := self._kinds()) != "points":
            self._read(CLIPBOARD, lambda reading: read_pasted_data(text, kinds), partial(self._take_data, CLIPBOARD))
        else:
            self._ask("the pasted table", partial(read_pasted, board.text()))

    def _kinds(self) -> list[str]:
        """The kinds of data that the method takes."""
        return [kind.kind for kind in self._window.document.method.data_kinds]

    def copy(self) -> None:
        """Put all of the data on the clipboard, for a spreadsheet or for pasting them here again."""
        from mlviz.data.saving import as_text

        data = self._window.document.data
        if isinstance(data, Nothing):
            self._say("There are no data to copy.", SHORT)
        elif sum(array.size for array in data.arrays().values()) > MAX_COPIED:
            self._say("There is too much data for the clipboard; save it as a file.", LONG)
        else:
            QApplication.clipboard().setText(as_text(data))
            self._say(f"Copied {data.counted()} as a table.", SHORT)

    def save(self) -> None:
        """Ask where, and save the data."""
        from mlviz.data.saving import suffixes

        data = self._window.document.data
        known = suffixes(data.kind)
        if not known:
            self._say("There are no data to save.", SHORT)
            return
        titles = {".csv": "CSV", ".tsv": "TSV", ".npz": "NumPy archive", ".parquet": "Parquet"}
        filters = ";;".join(f"{titles.get(suffix, suffix[1:].upper())} (*{suffix})" for suffix in known)
        path = ask_to_save(self._window, "data", "Save data", data.name, filters, known)
        if path is not None:
            self.save_path(path)

    def save_path(self, path: Path) -> None:
        """Save the data in the background; a failure is one sentence and leaves the old file."""
        from mlviz.data.saving import save_data

        if self._saving is not None:
            self._say("The last file is still being written.", SHORT)
            return
        remember_folder(path)
        data = self._window.document.data
        self._saving = (Task(lambda reading: save_data(path, data), "mlviz-save"), path)
        self._say(f"Saving {path.name} …", LONG)
        self._timer.start()

    @Slot()
    def _poll(self) -> None:
        saved = None if self._saving is None else self._saving[0].poll()
        if self._saving is not None and saved is not None:
            path, self._saving = self._saving[1], None
            if self._went_well(saved.error):
                self._say(f"Saved {path.name}.", SHORT)
        read = None if self._reading is None else self._reading[0].poll()
        if self._reading is not None and read is not None:
            take, self._reading = self._reading[1], None
            if self._went_well(read.error) and read.value is not None:
                take(read.value)
        if self._saving is None and self._reading is None:
            self._timer.stop()

    def _went_well(self, error: BaseException | None) -> bool:
        if isinstance(error, DataError):
            self._say(str(error), LONG)
        elif error is not None:
            problems.report(error)
        return error is None

    def _take_data(self, name: str, data: Data) -> None:
        """Data of any kind from a file, with a method that takes them."""
        try:
            self._window.open_document(self._window.on_desk(data, name), f"open {name}")
        except (DataError, ParamError) as error:
            self._say(str(error), LONG)
            return
        self._say(f"Opened {name}: {data.counted()}.", LONG)

    def _take_picture(self, name: str, made: ReadPicture) -> None:
        """A picture, with the method that takes pictures apart: no other is changed for it in silence."""
        from mlviz.data.picture_files import METHOD

        window, words = self._window, ""
        document = window.document
        if document.algorithm != METHOD:
            words = f" It is opened with {find(METHOD).title}; Undo brings back {document.data.name}."
        document = document.with_data(made.points, METHOD).with_source(name).with_first_axes((0, 1))
        window.open_document(document, f"open {name}")
        self._say(f"Opened {name}: {made.notice}{words}", LONG)

    def counted(self) -> str:
        """How many points there are, and of how many rows they are a sample."""
        data, (name, rows) = self._window.document.data, self._sample
        return data.counted() + (f" (sample of {rows:,} rows)" if rows and data.name == name else "")

    def show_document(self, document: Document) -> None:
        """Keep the table beside the document."""
        self.table.set_data(document.data)
        if (self._window.editor.selection < document.data.n).all():
            self.table.mark(self._window.editor.selection)
        if self.explorer is not None:
            if isinstance(document.data, Points) and document.data.n:
                self.explorer.set_points(document.data)
            else:
                self.explorer.close()

    @Slot(object)
    def _clicked(self, points: Array) -> None:
        """A click with the hand means another point; what was selected in the table is let go."""
        if self._window.editor.tool.stroke is None:
            self._window.editor.select(NO_POINTS)
        self.table.mark(points)

    @Slot(object)
    def _rows_chosen(self, points: Array) -> None:
        """The selected rows are the selection of the plane, to be moved or deleted there."""
        self._window.editor.select(points)

    @Slot(object)
    def _edited(self, data: Data) -> None:
        window = self._window
        origin = np.arange(data.n) if data.n == window.document.data.n else None
        try:
            window.apply(window.document.with_data(data), "edit a value", origin=origin)
        except DataError as error:
            self._say(str(error), LONG)

    @Slot(object)
    def set_axes(self, axes: tuple[int, int]) -> None:
        """Look at two other features."""
        window = self._window
        names = " and ".join(window.document.points.features[axis] for axis in axes)
        window.apply(window.document.with_axes(axes), f"look at {names}")

    @Slot()
    def set_pca(self) -> None:
        """Look at the plane of the first two principal components of the present points."""
        window = self._window
        if not isinstance(window.document.data, Points) or window.document.points.d < 3:
            self._say("A projection needs more than two features; the plane shows all of this data.", SHORT)
            return
        window.apply(window.document.with_pca(), "look at the principal components")

    @Slot(str)
    def set_scale(self, kind: Scale) -> None:
        """Put the features on another scale, or back on their own."""
        window = self._window
        try:
            window.apply(window.document.with_scale(kind), f"scale: {kind}")
        except DataError as error:
            window.data_panel.show_document(window.document, window.given)
            self._say(str(error), LONG)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """A file dropped anywhere on the window is opened."""
        if watched is self._window and isinstance(event, QDropEvent):
            urls = [url for url in event.mimeData().urls() if url.isLocalFile()]
            if urls and event.type() in (QEvent.Type.DragEnter, QEvent.Type.DragMove, QEvent.Type.Drop):
                event.setDropAction(Qt.DropAction.CopyAction)
                event.accept()
                if not isinstance(event, QDragEnterEvent) and event.type() == QEvent.Type.Drop:
                    self._window.files.open_path(Path(urls[0].toLocalFile()))
                return True
        return super().eventFilter(watched, event)

    def close(self) -> None:
        """The window goes: whatever is being read is called off, whatever is being written is finished."""
        if self._saving is not None:
            self._saving[0].finish()
            self._poll()
        if self._reading is not None:
            self._reading[0].cancel()
        self._close_dialog()
        if self.explorer is not None:
            self.explorer.reject()

    def _close_dialog(self) -> None:
        if self.dialog is not None:
            self.dialog.reject()

    @property
    def choose_target(self) -> Callable[[], object] | None:
        """Asks once more what the columns of the table on the desk are for; None when it did not come from one."""
        taken = self._taken
        return None if taken is None or taken[0] is not self._window.given else partial(self._ask, *taken[1:])

    def _ask(self, name: str, read: Read) -> None:
        from mlviz.ui.columns_dialog import ColumnsDialog

        self._close_dialog()
        self.dialog = ColumnsDialog(name, read, self._window.theme, self._window, self._window.document.method.target)
        self.dialog.imported.connect(partial(self._take, name, read))
        self.dialog.refused.connect(self._refused)
        self.dialog.finished.connect(self._forget)
        self.dialog.open()

    def _take(self, name: str, read: Read, made: Imported) -> None:
        from mlviz.ui.columns_dialog import described

        window = self._window
        try:
            document, scaled = window.on_desk(made.points, name).as_suggested()
            window.open_document(document.with_telling_axes(), f"open {name}")
        except (DataError, ParamError) as error:
            self._say(str(error), LONG)
            return
        self._sample = (made.points.name, made.rows)
        self._taken = (window.given, name, read)
        self._say(f"Opened {name}: {described(made.points)} {' '.join((*made.notices, scaled))}".strip(), LONG)

    @Slot(str)
    def _refused(self, sentence: str) -> None:
        self._say(sentence, LONG)

    @Slot()
    def _forget(self) -> None:
        self.dialog = None

    def _say(self, text: str, milliseconds: int) -> None:
        self._window.statusBar().showMessage(readable(text), milliseconds)
