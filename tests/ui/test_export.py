"""The export dialog, the clipboard and the printer: what is chosen is written, and nothing freezes or stays behind."""

import csv
import json
import re
import runpy
import threading

import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import QEvent
from PySide6.QtGui import QGuiApplication
from PySide6.QtPrintSupport import QPrintDialog, QPrinter
from PySide6.QtWidgets import QApplication, QFileDialog

from algorithms import fit
from algorithms.interrupt import checkpoint
from mlviz.data.generators import generate
from mlviz.export import films
from mlviz.export.frames import Cancelled
from mlviz.session.layout import Viewport
from mlviz.ui.export_dialog import KINDS, ExportDialog
from mlviz.ui.export_jobs import WriteJob
from mlviz.worker.engine import Engine


@pytest.fixture
def dialog(window, qtbot, monkeypatch, tmp_path):
    """The dialog over a finished run that is looked at in its second step."""
    monkeypatch.setenv("MLVIZ_HOME", str(tmp_path / "home"))
    window.player.jump("end")
    qtbot.waitUntil(lambda: not window.player.running and window.player.position > 1)
    window.player.seek(2)
    qtbot.waitUntil(lambda: window.player.shown.step == 2)
    window.actions_table["export"].trigger()
    dialog = window.findChild(ExportDialog)
    yield dialog
    dialog.reject()


def done(dialog, qtbot):
    qtbot.waitUntil(lambda: dialog.export_button.text() == "Export…")
    return dialog.message.text()


def test_only_what_matters_is_asked(dialog, window):
    kinds = [kind for kind in KINDS if window.exporter.offers(kind.key)]
    assert {kind.key for kind in KINDS} - {kind.key for kind in kinds} == {"lesson"}  # there is none
    for kind in kinds:
        dialog.choose(kind.key, kind.formats[-1][0])
        assert dialog.chosen is kind
        assert [dialog.format.itemData(i) for i in range(dialog.format.count())] == [
            suffix for suffix, _ in kind.formats
        ]
        shown = {name for name, widget in dialog._rows.items() if widget.isVisibleTo(dialog)}
        assert shown == set(kind.rows)


def test_a_preset_brings_its_size(dialog):
    dialog.preset.setCurrentIndex(dialog.preset.findData("column"))
    assert (dialog.wide.value(), dialog.high.value(), dialog.scale.value()) == (321, 260, 6.25)


def test_pictures_are_written(dialog, qtbot, tmp_path):
    for suffix in (".png", ".svg", ".pdf"):
        dialog.choose("picture", suffix)
        dialog.wide.setValue(300)
        dialog.high.setValue(200)
        dialog.export_to(tmp_path / f"a{suffix}")
        assert done(dialog, qtbot) == f"Exported a{suffix}."
        assert (tmp_path / f"a{suffix}").stat().st_size > 1000
    with Image.open(tmp_path / "a.png") as image:
        assert image.size == (300, 200)
    assert "Step 2 · " in (tmp_path / "a.svg").read_text()


def test_a_film_is_drawn_while_the_window_lives(dialog, window, qtbot, tmp_path):
    dialog.choose("film", ".gif")
    dialog.wide.setValue(200)
    dialog.high.setValue(150)
    dialog.last.setValue(4)
    dialog.every.setValue(2)
    with qtbot.waitSignal(window.ticker.ticked):  # the window goes on ticking meanwhile
        dialog.export_to(tmp_path / "a.gif")
        assert dialog.export_button.text() == "Cancel"
    assert done(dialog, qtbot) == "Exported a.gif."
    with Image.open(tmp_path / "a.gif") as film:
        assert film.n_frames == 3
    assert not dialog.progress.isVisible()


def test_a_film_can_be_cancelled(dialog, qtbot, tmp_path):
    dialog.choose("film", ".webp")
    dialog.export_to(tmp_path / "a.webp")
    dialog.reject()  # Escape stops the film, not the dialog
    assert done(dialog, qtbot) == "Cancelled; nothing was written."
    assert dialog.isVisible()
    assert [item.name for item in tmp_path.iterdir() if item.name != "home"] == []


def test_a_handout_is_drawn_while_the_window_lives_and_can_be_cancelled(dialog, window, qtbot, tmp_path):
    dialog.choose("handout", ".svg")
    dialog.steps.setText("0, 2-3")
    with qtbot.waitSignal(window.ticker.ticked):
        dialog.export_to(tmp_path / "a.svg")
        assert dialog.export_button.text() == "Cancel"
    assert done(dialog, qtbot) == "Exported a.svg."
    written = (tmp_path / "a.svg").read_text()
    assert [re.search(rf">Step {step}\b", written) is not None for step in range(5)] == [
        True,
        False,
        True,
        True,
        False,
    ]
    for suffix in (".pdf", ".svg", ".png"):
        dialog.choose("handout", suffix)
        dialog.export_to(tmp_path / f"b{suffix}")
        qtbot.waitUntil(lambda: dialog.progress.value() > 0)
        dialog.ask_and_export()  # the button says Cancel now
        assert done(dialog, qtbot) == "Cancelled; nothing was written."
    assert sorted(item.name for item in tmp_path.iterdir()) == ["a.svg", "home"]


@pytest.mark.parametrize("text", ["x", "3-1", "0,,1", "0-99", "-1", "999999"])
def test_steps_that_make_no_sense_are_refused(dialog, qtbot, tmp_path, text):
    dialog.choose("handout", ".svg")
    dialog.steps.setText(text)
    dialog.export_to(tmp_path / "a.svg")
    message = done(dialog, qtbot)
    assert message.startswith(("Steps are listed like 0, 3, 10-12", "There is no step 999999"))
    assert not (tmp_path / "a.svg").exists()


@pytest.fixture
def slow(make_window, qtbot, monkeypatch, tmp_path):
    """The dialog over a run of 120 steps of which the first few are there: the others come when they are let."""
    monkeypatch.setenv("MLVIZ_HOME", str(tmp_path / "home"))
    window = make_window("gradient_descent")
    gate = threading.Event()
    record = window.player.engine._record

    def waits(self, snapshot):
        if len(self.timeline) > 4:
            gate.wait(60)
        return record.__func__(self, snapshot)

    monkeypatch.setattr(Engine, "_record", waits)
    window.player.run(window.document)
    qtbot.waitUntil(lambda: window.player.steps == 5 and window.player.shown is not None)
    window.actions_table["export"].trigger()
    dialog = window.findChild(ExportDialog)
    yield window, dialog, gate
    gate.set()
    dialog.reject()


@pytest.mark.parametrize(("kind", "suffix"), [("film", ".gif"), ("handout", ".svg"), ("metrics", ".csv")])
def test_a_run_that_still_computes_is_waited_for(slow, qtbot, tmp_path, kind, suffix):
    window, dialog, gate = slow
    assert window.player.running
    dialog.choose(kind, suffix)
    dialog.wide.setValue(200)
    dialog.high.setValue(150)
    dialog.every.setValue(10)
    dialog.export_to(tmp_path / f"a{suffix}")
    qtbot.waitUntil(lambda: dialog.message.text() == "The run is still computing: 5 steps so far.")
    gate.set()
    assert done(dialog, qtbot) == f"Exported a{suffix}."
    steps = window.player.steps
    assert not window.player.running
    assert steps > 20
    if kind == "film":
        with Image.open(tmp_path / "a.gif") as film:
            assert film.n_frames == len({*range(0, steps, 10), steps - 1})
    elif kind == "handout":
        assert f">Step {steps - 1}: " in (tmp_path / "a.svg").read_text()
    else:
        assert len((tmp_path / "a.csv").read_text().splitlines()) == steps + 1


def test_waiting_for_a_run_can_be_cancelled_and_the_known_steps_can_be_taken(slow, qtbot, tmp_path):
    _, dialog, _ = slow
    dialog.choose("film", ".gif")
    dialog.wide.setValue(200)
    dialog.high.setValue(150)
    dialog.export_to(tmp_path / "a.gif")
    qtbot.waitUntil(lambda: "still computing" in dialog.message.text())
    dialog.reject()
    assert done(dialog, qtbot) == "Cancelled; nothing was written."
    dialog.last.setValue(3)
    dialog.export_to(tmp_path / "a.gif")
    assert done(dialog, qtbot) == "Exported a.gif."
    with Image.open(tmp_path / "a.gif") as film:
        assert film.n_frames == 4


def test_the_evaluation_can_be_exported_as_it_is_seen(make_window, qtbot, tmp_path, monkeypatch):
    monkeypatch.setenv("MLVIZ_HOME", str(tmp_path / "home"))
    window = make_window("logistic_regression", generate("moons", n=60, seed=1))
    board, view = window.board, window.board.evaluation.view
    qtbot.waitUntil(lambda: board.seconds.isTabVisible(board.seconds.indexOf(view)))
    board.seconds.setCurrentIndex(board.seconds.indexOf(view))
    qtbot.waitUntil(lambda: view.scores is not None)
    view.source.setCurrentText("validation")
    qtbot.waitUntil(lambda: view.scores.source == "validation")
    view.set_threshold(0.2)
    window.actions_table["export"].trigger()
    dialog = window.findChild(ExportDialog)
    offered = {dialog.view.itemData(number) for number in range(dialog.view.count())}
    assert {"evaluation", "roc", "precision_recall", "histogram", "confusion"} <= offered
    dialog.choose("picture", ".svg")
    dialog.view.setCurrentIndex(dialog.view.findData("confusion"))
    dialog.export_to(tmp_path / "a.svg")
    assert done(dialog, qtbot) == "Exported a.svg."
    text = (tmp_path / "a.svg").read_text()
    for count in view.confusion.matrix.ravel().tolist():
        assert f">{count}<" in text
    assert view.scores.source == "validation"  # the numbers are those of 18 points that were kept away
    assert view.confusion.matrix.sum() == 18
    dialog.reject()


def test_a_picture_shows_the_part_that_is_seen(window, qtbot, tmp_path):
    window.board.plane.restore_viewport(Viewport((100.0, 101.0, 100.0, 101.0)))
    style = window.exporter._seen(window.exporter._as_seen())
    figure = style.figure(window.document, window.player.engine)
    figure.set_frame(window.player.shown)
    left, right, bottom, top = figure._views[0].view_rect()
    figure.dispose()
    assert 95 < left <= 100 < 101 <= right < 105
    assert 95 < bottom <= 100 < 101 <= top < 105


def test_writing_ends_at_a_checkpoint_when_it_is_cancelled(window, qtbot, tmp_path):
    begun, unwound = threading.Event(), threading.Event()

    def work(progress):
        try:
            while True:
                begun.set()
                checkpoint()
        finally:
            unwound.set()

    job = WriteJob(work, tmp_path / "a.py", window)
    with qtbot.waitSignal(job.ended) as ended:
        job.start()
        assert begun.wait(60)
        job.cancel()
    assert isinstance(ended.args[0], Cancelled)
    assert unwound.is_set()


def test_closing_the_window_drops_what_is_being_copied(make_window, qtbot):
    window = make_window()
    window.actions_table["copy_picture"].trigger()
    assert window.exporter._copying is not None
    window.close()
    assert window.exporter._copying is None


def test_numbers_scripts_and_data(dialog, window, qtbot, tmp_path):
    document = window.document
    direct = fit(document.algorithm, document.data, seed=document.seed, **document.params)
    for kind, suffix in (
        ("parameters", ".json"),
        ("predictions", ".csv"),
        ("metrics", ".csv"),
        ("script", ".py"),
        ("data", ".csv"),
    ):
        dialog.choose(kind, suffix)
        dialog.export_to(tmp_path / f"{kind}{suffix}")
        assert done(dialog, qtbot) == f"Exported {kind}{suffix}."
    assert json.loads((tmp_path / "parameters.json").read_text())["step"] == 2
    with (tmp_path / "metrics.csv").open() as file:
        assert [float(row["J"]) for row in csv.DictReader(file)] == direct.metrics["J"].tolist()
    assert runpy.run_path(str(tmp_path / "script.py"))["run"]().model.loss == direct.model.loss
    assert len((tmp_path / "predictions.csv").read_text().splitlines()) == document.data.n + 1


def test_all_steps_are_written_in_the_background(dialog, window, qtbot, tmp_path):
    dialog.choose("parameters", ".npz")
    dialog.all_steps.setChecked(True)
    dialog.export_to(tmp_path / "a.npz")
    assert done(dialog, qtbot) == "Exported a.npz."
    with np.load(tmp_path / "a.npz", allow_pickle=False) as file:
        assert len(file["loss"]) == window.player.steps


def test_a_failure_is_a_sentence(dialog, qtbot, tmp_path):
    for kind, suffix in (("picture", ".png"), ("film", ".gif"), ("metrics", ".csv")):
        dialog.choose(kind, suffix)
        dialog.export_to(tmp_path / "no" / f"a{suffix}")
        assert f"a{suffix} cannot be written: " in done(dialog, qtbot)
    dialog.choose("film", ".gif")
    dialog.first.setValue(5)
    dialog.last.setValue(3)
    dialog.export_to(tmp_path / "a.gif")
    assert "must not lie behind" in dialog.message.text()


def test_folder_and_format_are_remembered(dialog, window, qtbot, tmp_path, monkeypatch):
    dialog.choose("parameters", ".npz")
    dialog.export_to(tmp_path / "a.npz")
    done(dialog, qtbot)
    asked = []
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *arguments: asked.append(arguments) or ("", ""))
    again = ExportDialog(window.exporter, window)
    again.ask_and_export()
    again.reject()
    assert asked[0][2:] == (str(tmp_path / "k_means-parameters.npz"), "NumPy arrays (NPZ) (*.npz)")


def test_one_key_copies_the_picture(window, qtbot):
    window.actions_table["copy_picture"].trigger()
    qtbot.waitUntil(lambda: window.statusBar().currentMessage() == "The picture is on the clipboard.")
    image = QGuiApplication.clipboard().image()
    assert image.width() == 2 * max(window.board.width(), 640)
    QGuiApplication.clipboard().clear()


def test_printing_fills_one_page_while_the_window_lives(window, tmp_path, qtbot):
    printer = QPrinter()
    printer.setOutputFormat(QPrinter.OutputFormat.PdfFormat)
    printer.setOutputFileName(str(tmp_path / "a.pdf"))
    window.exporter.print_on(printer)
    window.exporter.print_on(printer)
    assert window.statusBar().currentMessage() == "The last picture is still being printed."
    qtbot.waitUntil(lambda: window.statusBar().currentMessage() == "The picture was sent to the printer.")
    content = (tmp_path / "a.pdf").read_bytes()
    assert content.startswith(b"%PDF-")
    assert len(content) > 10_000


@pytest.mark.qt_log_ignore("QPainter::begin", extend=True)
def test_a_page_that_cannot_be_printed_is_said(window, tmp_path, qtbot):
    printer = QPrinter()
    printer.setOutputFormat(QPrinter.OutputFormat.PdfFormat)
    printer.setOutputFileName(str(tmp_path / "nowhere" / "a.pdf"))
    window.exporter.print_on(printer)
    qtbot.waitUntil(lambda: window.statusBar().currentMessage().startswith("The picture could not be printed: "))


def test_the_size_of_a_film_is_said_before_it_is_written(dialog, window, monkeypatch):
    dialog.choose("picture", ".svg")
    assert not dialog.estimate.isVisible()
    dialog.choose("film", ".gif")
    assert dialog.estimate.text().startswith(f"{window.player.steps} frames, about")
    dialog.wide.setValue(4000)
    dialog.high.setValue(3000)
    assert dialog.estimate.text().startswith("A frame of 4,000 by 3,000 pixels is too large for a film")
    dialog.high.setValue(2500)
    assert "MP4 is recommended" in dialog.estimate.text()
    dialog.choose("film", ".mp4")
    assert "recommended" not in dialog.estimate.text()
    assert "at most 600 frames of 10 million pixels fit" in dialog.estimate.text()
    monkeypatch.setattr(films, "MOST_FILM_PIXELS", 10**7)
    dialog.wide.setValue(3999)
    assert "million pixels; a film holds at most 10 million" in dialog.estimate.text()
    dialog.first.setValue(3)
    dialog.last.setValue(2)
    assert dialog.estimate.text().startswith("The first step")


def test_the_pixels_of_a_picture_are_said_and_limited(dialog):
    dialog.choose("picture", ".png")
    dialog.wide.setValue(1000)
    dialog.high.setValue(500)
    dialog.scale.setValue(2.0)
    assert dialog.estimate.text() == "2,000 by 1,000 pixels; at most 100 million can be drawn."
    dialog.scale.setValue(10.0)
    dialog.wide.setValue(8192)
    dialog.high.setValue(8192)
    assert dialog.estimate.text().startswith("A picture of 81,920 by 81,920 pixels is too large")


def test_no_dialog_to_print_is_left_behind(window, monkeypatch, qtbot):
    qtbot.waitUntil(lambda: window.player.shown is not None)
    monkeypatch.setattr(QPrintDialog, "exec", lambda dialog: 0)
    window.exporter.print()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    assert window.findChild(QPrintDialog) is None
