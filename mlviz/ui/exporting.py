"""Out of the window: files, the clipboard and the printer get what the run on show has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QRectF
from PySide6.QtGui import QGuiApplication, QPainter
from PySide6.QtPrintSupport import QPrintDialog, QPrinter

from algorithms.contract import DataError
from mlviz.export import tables
from mlviz.export.figure import Figure
from mlviz.export.films import Encoder, Timing, check_length, film_writer
from mlviz.export.flat import DPI
from mlviz.export.frames import Progress, evenly, film_steps, outcome_of
from mlviz.export.handout import Sheet, save_handout
from mlviz.export.parameters import Outcome
from mlviz.export.pictures import fitted_on, painted, picture, save_picture
from mlviz.export.presets import HANDOUT
from mlviz.export.render import STANDARD, USUAL, WHOLE, Span, Style
from mlviz.export.script import script
from mlviz.ui.export_dialog import ExportDialog
from mlviz.ui.export_jobs import FilmJob, Job, WriteJob
from mlviz.worker.engine import Engine
from mlviz.worker.timeline import Frame

if TYPE_CHECKING:
    from mlviz.ui.window import MainWindow

CLIPBOARD_SCALE = 2.0
"""A pasted picture is often enlarged."""


@dataclass(frozen=True, slots=True)
class Order:
    """What the dialog asks for; ``kind`` is one of the keys of :data:`mlviz.ui.export_dialog.KINDS`."""

    kind: str
    style: Style = STANDARD
    span: Span = WHOLE
    timing: Timing = USUAL
    count: int = 6
    all_steps: bool = False


class Exporter(QObject):
    """Writes files of the run on show. Quick ones are written at once; for the others there is a job to wait for."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window

    def show_dialog(self) -> None:
        """Let the user choose what to take along."""
        if self._ready():
            self._window.player.set_playing(False)
            ExportDialog(self, self._window.document.method, self._window.player.steps, self._window).open()

    def proposal(self, kind: str, suffix: str) -> str:
        """A name for the file."""
        document, step = self._window.document, self._window.player.position
        names = {"data": document.data.name, "picture": f"{document.algorithm}-{step}"}
        return f"{names.get(kind, f'{document.algorithm}-{kind}')}{suffix}"

    @property
    def theme(self) -> str:
        """Light or dark, as the window is."""
        return self._window.theme.name

    def export(self, order: Order, path: Path) -> Job | None:
        """Write the file, or give the job that does.

        Raises
        ------
        DataError, OSError
            With the reason, when it cannot be written.
        """
        engine, frame = self._run()
        if order.kind in ("picture", "handout"):
            self._write_picture(order, engine, frame, path)
            return None
        return self._film(order, engine, path) if order.kind == "film" else self._numbers(order, engine, frame, path)

    def copy_picture(self, style: Style | None = None) -> None:
        """Put the frame on show on the clipboard."""
        if not self._ready():
            return
        engine, frame = self._run()
        figure = self._figure(engine, style or self._as_seen())
        try:
            QGuiApplication.clipboard().setImage(picture(figure, frame, CLIPBOARD_SCALE))
        finally:
            figure.dispose()
        self._say("The picture is on the clipboard.")

    def print(self) -> None:
        """Ask for a printer and print the frame on show."""
        if not self._ready():
            return
        printer = QPrinter()
        if QPrintDialog(printer, self._window).exec():
            self.print_on(printer)

    def print_on(self, printer: QPrinter) -> None:
        """Print the frame on show on one page."""
        engine, frame = self._run()
        printer.setResolution(DPI)  # the resolution for which a figure is laid out, so that letters keep their size
        figure = self._figure(engine, self._as_seen("light"))

        def draw(painter: QPainter) -> None:
            page = QRectF(printer.pageRect(QPrinter.Unit.DevicePixel))
            fitted_on(painter, page.translated(-page.topLeft()), (figure.width(), figure.height()))
            figure.paint(frame, painter)

        try:
            painted(printer, draw)
        finally:
            figure.dispose()
        self._say("The picture was sent to the printer.")

    # -- inside --------------------------------------------------------------------------------------------------

    def _ready(self) -> bool:
        there = self._window.player.shown is not None
        if not there:
            self._say("There is nothing to export yet.")
        return there

    def _run(self) -> tuple[Engine, Frame]:
        engine, frame = self._window.player.engine, self._window.player.shown
        if engine is None or frame is None:
            raise DataError("There is nothing to export yet.")
        return engine, frame

    def _as_seen(self, theme: str | None = None) -> Style:
        board = self._window.board
        return Style(theme=theme or self.theme, size=(max(board.width(), 640), max(board.height(), 480)))

    def _figure(self, engine: Engine, style: Style) -> Figure:
        return Figure(self._window.document, engine.timeline, style.look(engine.algorithm))

    def _write_picture(self, order: Order, engine: Engine, frame: Frame, path: Path) -> None:
        steps = evenly(0, len(engine.timeline) - 1, order.count)
        style = order.style
        if order.kind == "handout":
            style = replace(style, preset=HANDOUT, size=Sheet(len(steps)).figure_size())
        figure = self._figure(engine, style)
        try:
            if order.kind == "handout":
                save_handout(figure, engine, steps, path)
            else:
                save_picture(figure, frame, path, style.scale)
        finally:
            figure.dispose()

    def _film(self, order: Order, engine: Engine, path: Path) -> Job:
        steps = film_steps(len(engine.timeline), order.span.first, order.span.last, order.span.every)
        check_length(len(steps), path)
        figure = self._figure(engine, order.style)
        try:
            encoder = Encoder(film_writer(path, order.timing, figure.title.text()))
        except BaseException:
            figure.dispose()
            raise
        return FilmJob(figure, engine, steps, encoder, path, self)

    def _numbers(self, order: Order, engine: Engine, frame: Frame, path: Path) -> Job:
        steps = range(len(engine.timeline)) if order.all_steps else [frame.step]
        run = (engine.algorithm, engine.data, engine.params, engine.seed)

        def outcome(progress: Progress) -> Outcome:
            return outcome_of(engine, steps, progress)

        contents: dict[str, Callable[[Progress], bytes]] = {
            "parameters": lambda progress: tables.outcome_bytes(outcome(progress), path.suffix.lower()),
            "predictions": lambda progress: tables.predictions_csv(outcome(progress)).encode(),
            "metrics": lambda progress: tables.metrics_csv(outcome(progress).metrics).encode(),
            "script": lambda _: script(*run, engine.resumed).encode(),
            "data": lambda _: tables.data_bytes(engine.data, path.suffix.lower()),
        }

        def work(progress: Progress) -> None:
            path.write_bytes(contents[order.kind](progress))

        return WriteJob(work, path, self)

    def _say(self, text: str) -> None:
        self._window.statusBar().showMessage(text, 8000)
