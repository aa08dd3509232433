"""The export dialog, the clipboard and the printer: what is chosen is written, and nothing freezes or stays behind."""

import csv
import json
import runpy

import numpy as np
import pytest
from PIL import Image
from PySide6.QtGui import QGuiApplication
from PySide6.QtPrintSupport import QPrinter
from PySide6.QtWidgets import QFileDialog

from algorithms import fit
from mlviz.ui.export_dialog import KINDS, ExportDialog


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
    qtbot.waitUntil(lambda: dialog.export_button.text() == "Export…", timeout=20_000)
    return dialog.message.text()


def test_only_what_matters_is_asked(dialog):
    for kind in KINDS:
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


def test_pictures_are_written_at_once(dialog, tmp_path):
    for suffix in (".png", ".svg", ".pdf"):
        dialog.choose("picture", suffix)
        dialog.wide.setValue(300)
        dialog.high.setValue(200)
        dialog.export_to(tmp_path / f"a{suffix}")
        assert dialog.message.text() == f"Exported a{suffix}."
        assert (tmp_path / f"a{suffix}").stat().st_size > 1000
    with Image.open(tmp_path / "a.png") as image:
        assert image.size == (300, 200)
    assert "Step 2: " in (tmp_path / "a.svg").read_text()


def test_a_film_is_drawn_while_the_window_lives(dialog, window, qtbot, tmp_path):
    dialog.choose("film", ".gif")
    dialog.wide.setValue(200)
    dialog.high.setValue(150)
    dialog.last.setValue(4)
    dialog.every.setValue(2)
    with qtbot.waitSignal(window.player.ticked):  # the window goes on ticking meanwhile
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
    again = ExportDialog(window.exporter, window.document.method, window.player.steps, window)
    again.ask_and_export()
    again.reject()
    assert asked[0][2:] == (str(tmp_path / "k_means-parameters.npz"), "NumPy arrays (NPZ) (*.npz)")


def test_one_key_copies_the_picture(window):
    window.actions_table["copy_picture"].trigger()
    image = QGuiApplication.clipboard().image()
    assert image.width() == 2 * max(window.board.width(), 640)
    QGuiApplication.clipboard().clear()


def test_printing_fills_one_page(window, tmp_path):
    printer = QPrinter()
    printer.setOutputFormat(QPrinter.OutputFormat.PdfFormat)
    printer.setOutputFileName(str(tmp_path / "a.pdf"))
    window.exporter.print_on(printer)
    content = (tmp_path / "a.pdf").read_bytes()
    assert content.startswith(b"%PDF-")
    assert len(content) > 10_000
