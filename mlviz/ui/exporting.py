"""Out of the window: files, the clipboard and the printer get what the run on show has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QRectF, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtPrintSupport import QPrintDialog, QPrinter

from algorithms.contract import Algorithm, DataError
from mlviz.export import tables
from mlviz.export.atomic_file import write
from mlviz.export.films import Encoder, Timing, check_length, film_writer
from mlviz.export.flat import DPI
from mlviz.export.frames import Cancelled, Progress, change_by_step, film_steps, outcome_of, sheet_steps, warnings_at
from mlviz.export.handout import Sheet
from mlviz.export.lesson import lesson_handout, lesson_page
from mlviz.export.model_queries import views_of
from mlviz.export.parameters import Outcome
from mlviz.export.pictures import painting
from mlviz.export.pieces import AnyFigure, AnyRun, Pieces, film_file, handout_file, image_of, page_of, picture_file
from mlviz.export.presets import HANDOUT
from mlviz.export.render import STANDARD, USUAL, WHOLE, Span, Style, check_picture
from mlviz.export.script import script
from mlviz.ui.export_dialog import ExportDialog
from mlviz.ui.export_jobs import DrawingJob, Job, PiecesJob, WriteJob
from mlviz.worker.engine import Engine
from mlviz.worker.shared_run import SharedRun
from mlviz.worker.timeline import Frame

if TYPE_CHECKING:
    from mlviz.ui.window import MainWindow

CLIPBOARD_SCALE = 2.0
"""A pasted picture is often enlarged."""


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """What the dialog asks for; ``kind`` is one of the keys of :data:`mlviz.ui.export_dialog.KINDS`."""

    kind: str
    style: Style = STANDARD
    span: Span = WHOLE
    timing: Timing = USUAL
    count: int = 6
    steps: tuple[int, ...] = ()
    all_steps: bool = False


class Exporter(QObject):
    """Writes files of the run on show. Each is a job to wait for, so that the window lives meanwhile."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._copying: DrawingJob | None = None
        self._printing: DrawingJob | None = None

    def show_dialog(self) -> None:
        """Let the user choose what to take along."""
        if self._ready():
            self._window.player.set_playing(False)
            ExportDialog(self, self._window).open()

    @property
    def views(self) -> dict[str, str]:
        """What can be drawn of the run on show, with titles."""
        engine, _ = self._run()
        return views_of(engine.algorithm, engine.data)

    @property
    def method(self) -> Algorithm:
        """What is run."""
        return self._window.document.method

    def offers(self, kind: str) -> bool:
        """Whether there is such a thing to take along."""
        there = {"predictions": self.method.predict is not None, "lesson": bool(self._window.document.lesson.slides)}
        return there.get(kind, True)

    @property
    def known(self) -> tuple[int, bool]:
        """How many steps there are, and whether more may come."""
        return self._window.player.clock_steps, self._window.player.clock_running

    def proposal(self, kind: str, suffix: str) -> str:
        """A name for the file."""
        document, step = self._window.document, self._window.player.position
        lesson = document.lesson.title.replace("/", "-") or "lesson"
        names = {"data": document.data.name, "lesson": lesson, "picture": f"{document.algorithm}-{step}"}
        return f"{names.get(kind, f'{document.algorithm}-{kind}')}{suffix}"

    @property
    def theme(self) -> str:
        """Light or dark, as the window is."""
        return self._window.theme.name

    def export(self, order: ExportRequest, path: Path) -> Job:
        """The job that writes the file.

        A run that is still computing is computed as far as the file needs it, at full speed.

        Raises
        ------
        DataError, OSError
            With the reason, when it cannot be written.
        """
        if order.kind == "lesson":
            return self._lesson(path)
        engine, frame = self._run()
        order = replace(order, style=self._seen(order.style))
        makers = {"picture": self._picture, "film": self._film, "handout": self._handout}
        if order.kind in makers:
            job = makers[order.kind](order, *self._drawn(order.style), path)
        else:
            job = self._numbers(order, engine, frame, path)
        self._window.player.to_end = True
        job.ended.connect(self._rest)
        return job

    def copy_picture(self, style: Style | None = None) -> None:
        """Put the frame on show on the clipboard."""
        if not self._ready() or self._copying is not None:
            return
        wanted = self._seen(style or self._as_seen())
        engine, frame = self._drawn(wanted)
        try:
            wanted.look(engine.algorithm, engine.data)
        except DataError as error:
            self._say(str(error))
            return
        self._copying = self._drawing(
            wanted, engine, Path(), lambda figure: image_of(figure, frame, CLIPBOARD_SCALE), last=frame.step
        )
        self._copying.ended.connect(self._copied)
        self._copying.start()

    @Slot(object)
    def _copied(self, error: BaseException | None) -> None:
        job, self._copying = self._copying, None
        assert job is not None
        job.deleteLater()
        if error is None:
            QGuiApplication.clipboard().setImage(job.result)
            self._say("The picture is on the clipboard.")
        elif isinstance(error, DataError | OSError):
            self._say(str(error))
        elif not isinstance(error, Cancelled):
            raise error

    def close(self) -> None:
        """Drop what is being drawn."""
        for job in (self._copying, self._printing):
            if job is not None:
                job.close()

    def print(self) -> None:
        """Ask for a printer and print the frame on show."""
        if not self._ready():
            return
        printer = QPrinter()
        dialog = QPrintDialog(printer, self._window)
        chosen = dialog.exec()
        dialog.deleteLater()
        if chosen:
            self.print_on(printer)

    def print_on(self, printer: QPrinter) -> None:
        """Print the frame on show on one page, while the window lives."""
        if self._printing is not None:
            self._say("The last picture is still being printed.")
            return
        if not self._ready():  # while the printer was chosen, data that were being read may have come
            return
        engine, frame = self._drawn(STANDARD)
        printer.setResolution(DPI)  # the resolution for which a figure is laid out, so that letters keep their size
        page = QRectF(printer.pageRect(QPrinter.Unit.DevicePixel))

        def draw(figure: AnyFigure) -> Pieces[None]:
            with painting(printer) as painter:
                yield from page_of(figure, frame, painter, page.translated(-page.topLeft()))

        self._printing = self._drawing(self._seen(self._as_seen("light")), engine, Path(), draw, last=frame.step)
        self._printing.ended.connect(self._printed)
        self._printing.start()

    @Slot(object)
    def _printed(self, error: BaseException | None) -> None:
        job, self._printing = self._printing, None
        assert job is not None
        job.deleteLater()
        if error is None:
            self._say("The picture was sent to the printer.")
        elif isinstance(error, DataError | OSError):
            self._say(f"The picture could not be printed: {error}.")
        elif not isinstance(error, Cancelled):
            raise error

    # -- inside --------------------------------------------------------------------------------------------------

    def _ready(self) -> bool:
        there = self._window.player.frame_of(self._window.document) is not None
        if not there:
            self._say("There is nothing to export yet.")
        return there

    def _run(self) -> tuple[Engine, Frame]:
        player = self._window.player
        engine, frame = player.engine, player.frame_of(self._window.document)
        if engine is None or frame is None:
            raise DataError("There is nothing to export yet.")
        return engine, frame

    def _drawn(self, style: Style) -> tuple[AnyRun, Frame]:
        """What is drawn: the runs of all boards that show something, or one alone of which a single view is wanted."""
        engine, frame = self._run()
        document, panes, player = self._window.document, self._window.boards.panes, self._window.player
        mute = self._mute()
        for place in reversed(mute):
            document = document.without(place)
        engines = [pane.player.engine for place, pane in enumerate(panes) if place not in mute]
        if style.only or len(engines) < 2:
            return engine, frame
        run = SharedRun(document, tuple(found for found in engines if found is not None))
        return run, run.timeline.frame(player.clock_position)

    def _mute(self) -> list[int]:
        """The places of the boards that show nothing of a run."""
        document, panes = self._window.document, self._window.boards.panes
        return [place for place, pane in enumerate(panes) if pane.player.frame_of(document.at(place)) is None]

    def _as_seen(self, theme: str | None = None) -> Style:
        board = self._window.boards
        return Style(theme=theme or self.theme, size=(max(board.width(), 640), max(board.height(), 480)))

    def _seen(self, style: Style) -> Style:
        """The style with what the window looks at, and the scores of a validation that it has already."""
        view = self._window.board.evaluation.view
        scores = view.scores if view.scores is not None and view.scores.source != "training" else None
        layout, mute = self._window.arrangement.layout(), self._mute()
        boards = tuple(look for place, look in enumerate(layout.boards) if place not in mute)
        return replace(style, layout=replace(layout, boards=boards), scores=scores)

    @Slot(object)
    def _rest(self, _: object) -> None:
        self._window.player.to_end = False

    def _drawing(
        self,
        style: Style,
        engine: AnyRun,
        path: Path,
        draw: Callable[[AnyFigure], Pieces[Any]],
        last: int | None = None,
    ) -> DrawingJob:
        document = self._window.document
        return DrawingJob(lambda: style.figure(document, engine), draw, engine, path, self, last=last)

    def _picture(self, order: ExportRequest, engine: AnyRun, frame: Frame, path: Path) -> Job:
        style = order.style
        style.look(engine.algorithm, engine.data)
        check_picture(path, style)
        draw = partial(picture_file, frame=frame, path=path, scale=style.scale)
        return self._drawing(style, engine, path, draw, last=frame.step)

    def _handout(self, order: ExportRequest, engine: AnyRun, _: Frame, path: Path) -> Job:
        places = len(set(order.steps)) or order.count

        def draw(figure: AnyFigure) -> Pieces[None]:
            steps = sheet_steps(len(engine.timeline), order.count, order.steps, change_by_step(engine))
            return handout_file(figure, engine, steps, path)

        def make() -> AnyFigure:
            steps = sheet_steps(len(engine.timeline), order.count, order.steps, change_by_step(engine))
            style = replace(order.style, preset=HANDOUT, size=Sheet(len(steps)).figure_size())
            return style.figure(document, engine)

        document = self._window.document
        sheet_steps(10**9, places, order.steps)  # refuses too many at once
        return DrawingJob(make, draw, engine, path, self, last=max(order.steps, default=None))

    def _film(self, order: ExportRequest, engine: AnyRun, _: Frame, path: Path) -> Job:
        span, style = order.span, order.style
        if engine.ended:
            frames = len(film_steps(len(engine.timeline), span.first, span.last, span.every))
            check_length(frames, path, style.film_pixels)
        film_writer(path, order.timing).abort()  # refuses at once what cannot be written

        def draw(figure: AnyFigure) -> Pieces[None]:
            steps = film_steps(len(engine.timeline), span.first, span.last, span.every)
            check_length(len(steps), path, style.film_pixels)
            encoder = Encoder(film_writer(path, order.timing, figure.title.text()))
            return film_file(figure, engine, steps, encoder, style.film_scale)

        return self._drawing(style, engine, path, draw, last=span.last)

    def _lesson(self, path: Path) -> Job:
        lesson = self._window.document.lesson
        draw = lesson_page if path.suffix.lower() == ".html" else lesson_handout
        return PiecesJob(lambda: draw(lesson, path), path, self)

    def _numbers(self, order: ExportRequest, engine: Engine, frame: Frame, path: Path) -> Job:
        run = (engine.algorithm, engine.data, engine.params, engine.seed)

        def outcome(progress: Progress) -> Outcome:
            every = order.all_steps and order.kind == "parameters"
            return outcome_of(engine, range(len(engine.timeline)) if every else [frame.step], progress)

        contents: dict[str, Callable[[Progress], bytes]] = {
            "parameters": lambda progress: tables.outcome_bytes(outcome(progress), path.suffix.lower()),
            "predictions": lambda progress: tables.predictions_csv(outcome(progress)).encode(),
            "metrics": lambda progress: tables.metrics_csv(outcome(progress).metrics).encode(),
            "script": lambda _: script(*run, engine.resumed, warnings_at(engine, [frame.step])).encode(),
            "data": lambda _: tables.data_bytes(engine.data, path.suffix.lower()),
        }

        def work(progress: Progress) -> None:
            write(path, contents[order.kind](progress))

        whole = order.kind == "metrics" or (order.kind == "parameters" and order.all_steps)
        return WriteJob(work, path, self, engine if whole else None)

    def _say(self, text: str) -> None:
        self._window.statusBar().showMessage(text, 8000)
