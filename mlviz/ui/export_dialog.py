"""The export dialog: what to take out of the window, in which format, and how far the writing is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Slot
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QSizePolicy,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from algorithms.contract import DataError
from mlviz.export.films import Timing, check_length, size_words
from mlviz.export.frames import MOST_ON_A_SHEET, Cancelled, film_steps, listed_steps
from mlviz.export.pictures import MOST_PIXELS, check_pixels
from mlviz.export.presets import PRESETS, SCREEN
from mlviz.export.render import Span, Style
from mlviz.ui.controls import ListBox
from mlviz.ui.export_jobs import Job
from mlviz.ui.file_dialogs import last_folder, settings, with_ending
from mlviz.views.plain_text import PlainLabel

if TYPE_CHECKING:
    from mlviz.ui.exporting import Exporter

MOST_STEPS = 999_999
"""How far a range may reach in a run whose end is not known yet."""


@dataclass(frozen=True, slots=True)
class Kind:
    """Something that can be taken along: its formats (ending and name), and the rows of the form that matter."""

    key: str
    title: str
    formats: tuple[tuple[str, str], ...]
    rows: tuple[str, ...] = ()


_CSV, _JSON, _NPZ = (".csv", "CSV table"), (".json", "JSON"), (".npz", "NumPy arrays (NPZ)")
_PICTURES = ((".png", "PNG"), (".svg", "SVG"), (".pdf", "PDF"))
_FILMS = (
    (".gif", "GIF"),
    (".webp", "Animated WebP"),
    (".mp4", "MP4"),
    (".html", "Page that replays the run (HTML)"),
    ("", "Numbered PNG in a folder"),
)
KINDS = (
    Kind("picture", "Picture of this step", _PICTURES, ("view", "preset", "size", "scale", "transparent")),
    Kind("film", "Film of the run", _FILMS, ("view", "preset", "size", "range", "every", "fps", "hold")),
    Kind("handout", "Handout: steps on one sheet", _PICTURES[::-1], ("view", "count", "steps")),
    Kind("parameters", "Fitted parameters", (_JSON, _CSV, _NPZ), ("all_steps",)),
    Kind("predictions", "Points with predictions", (_CSV,)),
    Kind("metrics", "Metric curves", (_CSV,)),
    Kind("script", "Python script of this run", ((".py", "Python"),)),
    Kind("data", "Data points", (_CSV, _NPZ)),
    Kind("lesson", "The whole lesson", ((".pdf", "Handout, a page for each slide (PDF)"), (".html", "Replay (HTML)"))),
)


class ExportDialog(QDialog):
    """Stays open while something is written, shows how far it is, and can stop it."""

    def __init__(self, exporter: Exporter, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("export_dialog")
        self.setWindowTitle("Export")
        self._exporter = exporter
        self._job: Job | None = None
        self._store = settings()
        self._build()
        self._recall()

    def _build(self) -> None:
        self.kind = ListBox(objectName="export_kind")
        for kind in KINDS:
            if self._exporter.offers(kind.key):
                self.kind.addItem(kind.title, kind.key)
        self.format = ListBox(objectName="export_format")
        self.form = QFormLayout()
        self.form.addRow("What", self.kind)
        self.form.addRow("Format", self.format)
        self._rows: dict[str, QWidget] = {}
        self._add_look()
        self._add_steps(*self._exporter.known)
        self.estimate = PlainLabel(objectName="export_estimate", wordWrap=True)
        self.estimate.setProperty("role", "muted")
        self.message = PlainLabel(objectName="export_message", wordWrap=True)
        self.progress = QProgressBar(objectName="export_progress")
        self.progress.hide()
        self.export_button = QPushButton("Export…", objectName="export_start", default=True)
        self.copy_button = QPushButton("Copy", objectName="export_copy", toolTip="Copy the picture to the clipboard")
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        self.buttons.addButton(self.export_button, QDialogButtonBox.ButtonRole.ActionRole)
        self.buttons.addButton(self.copy_button, QDialogButtonBox.ButtonRole.ActionRole)
        layout = QVBoxLayout(self)
        layout.addLayout(self.form)
        for widget in (self.estimate, self.message, self.progress, self.buttons):
            layout.addWidget(widget)
        self.kind.currentIndexChanged.connect(self._kind_chosen)
        self.preset.currentIndexChanged.connect(self._preset_chosen)
        self.format.currentIndexChanged.connect(self._say_size)
        for box in (self.wide, self.high, self.scale, self.first, self.last, self.every):
            box.valueChanged.connect(self._say_size)
        self.export_button.clicked.connect(self.ask_and_export)
        self.copy_button.clicked.connect(self._copy)
        self.buttons.rejected.connect(self.reject)

    def _add_look(self) -> None:
        self.view = ListBox(objectName="export_view")
        for key, title in self._exporter.views.items():
            self.view.addItem(title, key)
        self.preset = ListBox(objectName="export_preset")
        for preset in PRESETS.values():
            self.preset.addItem(preset.title, preset.key)
        self.wide, self.high = (_whole(64, 8192, value, name) for value, name in zip(SCREEN.size, ("wide", "high")))
        self.scale = _real(0.25, 10, SCREEN.scale, "scale")
        self.transparent = QCheckBox("Transparent background", objectName="export_transparent")
        self._row("view", "View", self.view)
        self._row("preset", "Made for", self.preset)
        self._row("size", "Width and height", _pair(self.wide, self.high))
        self._row("scale", "Scale (PNG)", self.scale)
        self._row("transparent", "", self.transparent)

    def _add_steps(self, steps: int, more: bool) -> None:
        """Which steps; those of a run that is still computing may be chosen before they are there."""
        highest = MOST_STEPS if more else max(steps - 1, 0)
        self.first, self.last = _whole(0, highest, 0, "first"), _whole(-1, highest, -1, "last", "the end of the run")
        self.every = _whole(0, max(highest, 1), 0, "every", "as many as fit")
        self.fps = _real(0.1, 60, Timing().fps, "fps")
        self.hold = _real(0, 60, Timing().hold, "hold")
        self.count = _whole(1, MOST_ON_A_SHEET, 6, "count")
        self.steps = QLineEdit(objectName="export_steps", placeholderText="where most changes, or 0, 3, 10-12")
        self.all_steps = QCheckBox("Of all steps, not only this one", objectName="export_all_steps")
        self._row("range", "Steps from and to", _pair(self.first, self.last))
        self._row("every", "Every so many steps", self.every)
        self._row("fps", "Frames a second", self.fps)
        self._row("hold", "Seconds on the last", self.hold)
        self._row("count", "Steps on the sheet", self.count)
        self._row("steps", "Which steps", self.steps)
        self._row("all_steps", "", self.all_steps)

    def _row(self, name: str, label: str, widget: QWidget) -> None:
        self.form.addRow(label, widget)
        self._rows[name] = widget

    # -- choices -------------------------------------------------------------------------------------------------

    @property
    def chosen(self) -> Kind:
        """What is to be exported."""
        return next(kind for kind in KINDS if kind.key == self.kind.currentData())

    def choose(self, kind: str, suffix: str) -> None:
        """Set both lists."""
        self.kind.setCurrentIndex(max(self.kind.findData(kind), 0))
        self.format.setCurrentIndex(max(self.format.findData(suffix), 0))

    def style_chosen(self) -> Style:
        """How pictures and films are to look."""
        preset = PRESETS[self.preset.currentData()]
        transparent = self.transparent.isChecked() and self.chosen.key == "picture"
        size = (self.wide.value(), self.high.value())
        scale = self.scale.value() if self.chosen.key == "picture" else None
        return Style(preset, self._exporter.theme, size, scale, self.view.currentData(), transparent)

    def _span(self) -> Span:
        last = self.last.value()
        return Span(self.first.value(), None if last < 0 else last, self.every.value() or None)

    def _order(self) -> Any:
        from mlviz.ui.exporting import ExportRequest

        return ExportRequest(
            self.chosen.key,
            self.style_chosen(),
            self._span(),
            Timing(self.fps.value(), self.hold.value()),
            self.count.value(),
            tuple(listed_steps(self.steps.text())) if self.steps.text().strip() else (),
            self.all_steps.isChecked(),
        )

    @Slot()
    def _kind_chosen(self) -> None:
        kind = self.chosen
        self.format.clear()
        for suffix, title in kind.formats:
            self.format.addItem(title, suffix)
        remembered = self.format.findData(self._store.value(f"export/{kind.key}", kind.formats[0][0]))
        self.format.setCurrentIndex(max(remembered, 0))
        for name, widget in self._rows.items():
            self.form.setRowVisible(widget, name in kind.rows)
        self.copy_button.setVisible(kind.key == "picture")
        self.message.clear()
        self._say_size()
        self.adjustSize()

    @Slot()
    def _say_size(self) -> None:
        """Say how large a picture in pixels or a film will be, or that it is too large, before it is written."""
        steps, more = self._exporter.known
        words = ""
        if self.chosen.key == "picture" and self.format.currentData() == ".png":
            words = self._picture_words()
        if self.chosen.key == "film" and self.format.currentData() is not None and steps:
            span = self._span()
            try:
                frames = len(film_steps(steps, span.first, span.last, span.every))
                check_length(frames, Path(f"film{self.format.currentData()}"), self.style_chosen().film_pixels)
            except DataError as error:
                words = str(error)
            else:
                size = (self.wide.value(), self.high.value())
                words = ("So far: " if more else "") + size_words(self.format.currentData(), frames, size)
        self.estimate.setText(words)
        self.estimate.setVisible(bool(words))

    def _picture_words(self) -> str:
        wide, high = (round(box.value() * self.scale.value()) for box in (self.wide, self.high))
        try:
            check_pixels(wide, high)
        except DataError as error:
            return str(error)
        return f"{wide:,} by {high:,} pixels; at most {MOST_PIXELS // 10**6} million can be drawn."

    @Slot()
    def _preset_chosen(self) -> None:
        preset = PRESETS[self.preset.currentData()]
        self.wide.setValue(preset.size[0])
        self.high.setValue(preset.size[1])
        self.scale.setValue(preset.scale)

    def _recall(self) -> None:
        self.kind.setCurrentIndex(max(self.kind.findData(self._store.value("export/kind", "picture")), 0))
        self._kind_chosen()

    # -- writing -------------------------------------------------------------------------------------------------

    @Slot()
    def ask_and_export(self) -> None:
        """Ask where to, and write."""
        if self._job is not None:
            self._job.cancel()
            return
        kind, suffix = self.chosen, self.format.currentData()
        proposal = str(Path(last_folder()) / self._exporter.proposal(kind.key, suffix))
        filters = f"{self.format.currentText()} (*{suffix})" if suffix else ""
        name, _ = QFileDialog.getSaveFileName(self, "Export", proposal, filters)
        path = with_ending(self, Path(name), suffix, (suffix,)) if name else None
        if path is not None:
            self.export_to(path)

    def export_to(self, path: Path) -> None:
        """Write this file; what goes wrong is said in a sentence, and the dialog stays."""
        self._store.setValue("folder", str(path.parent))
        self._store.setValue("export/kind", self.chosen.key)
        self._store.setValue(f"export/{self.chosen.key}", self.format.currentData())
        try:
            job = self._exporter.export(self._order(), path)
        except (DataError, OSError) as error:
            self._say_failed(path, error)
            return
        self._job = job
        job.progressed.connect(self._progressed)
        job.ended.connect(self._ended)
        self._set_busy(True)
        job.start()

    @Slot()
    def _copy(self) -> None:
        self._exporter.copy_picture(self.style_chosen())

    @Slot(int, int)
    def _progressed(self, done: int, whole: int) -> None:
        self.progress.setMaximum(whole)
        self.progress.setValue(done)
        computing = whole == 0 and done > 0
        self.message.setText(f"The run is still computing: {done:,} steps so far." if computing else "")

    @Slot(object)
    def _ended(self, error: BaseException | None) -> None:
        job, self._job = self._job, None
        assert job is not None
        self._set_busy(False)
        if error is None:
            self.message.setText(f"Exported {job.path.name}.")
        elif isinstance(error, Cancelled):
            self.message.setText("Cancelled; nothing was written.")
        elif isinstance(error, DataError | OSError):
            self._say_failed(job.path, error)
        else:
            raise error
        job.deleteLater()

    def _say_failed(self, path: Path, error: Exception) -> None:
        if isinstance(error, OSError):
            self.message.setText(f"{path.name} cannot be written: {error.strerror or error}.")
        else:
            self.message.setText(str(error))

    def _set_busy(self, busy: bool) -> None:
        self.export_button.setText("Cancel" if busy else "Export…")
        self.progress.setVisible(busy)
        for widget in (self.kind, self.format, self.copy_button, *self._rows.values()):
            widget.setEnabled(not busy)
        self.message.clear()

    def reject(self) -> None:
        """Escape stops what is being written first."""
        if self._job is not None:
            self._job.cancel()
            return
        super().reject()
        self.deleteLater()

    def stop(self) -> None:
        """Stop what is being written now: the window is about to go."""
        if self._job is not None:
            self._job.close()

    def closeEvent(self, event: QCloseEvent) -> None:
        """The same for the window's own button."""
        if self._job is not None:
            self._job.cancel()
            event.ignore()
        else:
            super().closeEvent(event)


def _whole(low: int, high: int, value: int, name: str, nothing: str = "") -> QSpinBox:
    box = QSpinBox(objectName=f"export_{name}", minimum=low, maximum=high, value=value)
    box.setSpecialValueText(nothing)
    return box


def _real(low: float, high: float, value: float, name: str) -> QDoubleSpinBox:
    return QDoubleSpinBox(objectName=f"export_{name}", minimum=low, maximum=high, value=value, decimals=2)


def _pair(one: QWidget, other: QWidget) -> QWidget:
    both = QWidget()
    layout = QHBoxLayout(both)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.addWidget(one)
    layout.addWidget(other)
    both.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)  # never lower than the two are
    return both
