"""Asking for files: folder and format of the last time, endings, and no file that is lost unasked."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog, QMessageBox

from mlviz.session import files
from mlviz.ui.file_dialogs import ask_to_open, ask_to_save

TABLES = "CSV (*.csv);;TSV (*.tsv);;Parquet (*.parquet)"
YES, NO = QMessageBox.StandardButton.Yes, QMessageBox.StandardButton.No


@pytest.fixture
def user(monkeypatch, tmp_path):
    """``asked`` is what the dialogs were called with; ``answers`` what the user answers to dialogs and questions."""
    monkeypatch.setenv("MLVIZ_HOME", str(tmp_path / "home"))
    asked, answers = [], []

    def answer(*arguments):
        asked.append(arguments[2:])
        return answers.pop(0)

    for owner, name in (
        (QFileDialog, "getSaveFileName"),
        (QFileDialog, "getOpenFileName"),
        (QMessageBox, "question"),
    ):
        monkeypatch.setattr(owner, name, answer)
    return asked, answers


def test_folder_and_format_are_those_of_the_last_time(window, user, tmp_path):
    asked, answers = user
    answers += [(str(tmp_path / "points"), "TSV (*.tsv)"), ("", ""), ("", "")]
    assert ask_to_save(window, "data", "Save data", "blobs", TABLES) == tmp_path / "points.tsv"
    assert asked[0] == (str(Path.home() / "blobs.csv"), TABLES, "")
    assert ask_to_save(window, "data", "Save data", "moons", TABLES) is None
    assert asked[1] == (str(tmp_path / "moons.tsv"), TABLES, "TSV (*.tsv)")
    assert ask_to_open(window, "open", "Open", TABLES) is None
    assert asked[2] == (str(tmp_path), TABLES, "")  # the folder is common, the format is not


def test_the_window_saves_data_in_the_format_of_the_last_time(window, user, tmp_path, qtbot):
    asked, answers = user
    answers += [(str(tmp_path / "a.npz"), "NumPy archive (*.npz)"), ("", "")]
    window.data_controller.save()
    qtbot.waitUntil(lambda: (tmp_path / "a.npz").exists())
    window.data_controller.save()
    assert asked[1][0] == str(tmp_path / "blobs.npz")
    assert asked[1][2] == "NumPy archive (*.npz)"


def test_a_dot_in_the_name_is_no_ending(window, user, tmp_path):
    _, answers = user
    answers.append((str(tmp_path / "lecture.v2"), "Sessions (*.mlviz)"))
    window.files.save_as()
    assert window.files.path == tmp_path / "lecture.v2.mlviz"
    assert files.load(window.files.path).document.data.n == 60


@pytest.mark.parametrize("wanted", [True, False])
def test_a_file_that_the_dialog_did_not_ask_about_is_asked_about(window, user, tmp_path, wanted):
    asked, answers = user
    (tmp_path / "lecture.mlviz").write_text("old")
    answers += [(str(tmp_path / "lecture"), ""), YES if wanted else NO]
    window.files.save_as()
    assert asked[1][0] == "lecture.mlviz already exists. Replace it?"
    assert ((tmp_path / "lecture.mlviz").read_bytes() != b"old") == wanted


def test_opening_another_session_asks_about_the_one_that_is_behind(window, user, tmp_path):
    asked, answers = user
    window.files.save_path(tmp_path / "other.mlviz")
    window.files.save_path(tmp_path / "lecture.mlviz")
    window.set_param("k", 6)
    answers.append(QMessageBox.StandardButton.Cancel)
    window.files.open_path(tmp_path / "other.mlviz")
    assert window.files.path == tmp_path / "lecture.mlviz"
    assert window.document.params["k"] == 6
    answers.append(QMessageBox.StandardButton.Save)
    window.files.open_path(tmp_path / "other.mlviz")
    assert [question[0] for question in asked] == ["Save the changes to lecture.mlviz?"] * 2
    assert files.load(tmp_path / "lecture.mlviz").document.params["k"] == 6
    assert (window.files.path, window.document.params["k"]) == (tmp_path / "other.mlviz", 3)
