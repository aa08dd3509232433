"""Nothing is lost: autosave, the mark of a crash, recent files, and the one question on closing."""

import itertools
import os
import subprocess
import sys

import pytest
import shiboken6
from PySide6.QtWidgets import QMessageBox

from mlviz import app
from mlviz.session import files
from mlviz.ui import file_controller
from mlviz.ui.autosave import Autosave, Running, State
from mlviz.ui.recent import MOST, RecentMenu, note_recent, recent_files

COUNT = itertools.count()

SAVE, DISCARD, CANCEL = (getattr(QMessageBox.StandardButton, name) for name in ("Save", "Discard", "Cancel"))


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("MLVIZ_HOME", str(tmp_path / "home"))


@pytest.fixture
def answers(monkeypatch):
    """What the user answers, one after the other; each question is noted."""
    asked, replies = [], []

    def question(*arguments):
        asked.append(arguments[2])
        return replies.pop(0)

    monkeypatch.setattr(QMessageBox, "question", question)
    return asked, replies


# -- autosave ---------------------------------------------------------------------------------------------------------


def test_a_change_is_on_the_disk_within_moments(window, qtbot):
    saver = window.files.autosave
    saver._timer.setInterval(20)
    saver._path = file_controller.last_session()
    saver.start()
    window.set_param("k", 5)
    qtbot.waitUntil(lambda: file_controller.last_session().exists())
    saver.stop()
    kept = files.load(file_controller.last_session())
    assert kept.document.params["k"] == 5
    assert kept.document.data.X.tolist() == window.document.data.X.tolist()


def test_nothing_is_written_while_nothing_changes(window, tmp_path, qtbot):
    path = tmp_path / "a.mlviz"
    saver = Autosave(path, lambda: State(window.document, {"playhead": 3}), window)
    saver.start()
    saver.keep()
    saver.stop()
    assert not path.exists()
    (tmp_path / ".a.mlviz.half.tmp").touch()  # as a program leaves it that is killed while it saves
    saver = Autosave(path, lambda: State(window.document, {"playhead": next(COUNT)}), window)
    saver.start()
    saver.keep()
    saver.stop()
    assert [item.name for item in tmp_path.glob("*a.mlviz*")] == ["a.mlviz"]


def test_a_full_disk_does_not_stop_the_work(window, tmp_path, caplog):
    saver = Autosave(tmp_path / "no" / "a.mlviz", lambda: State(window.document, {"playhead": next(COUNT)}), window)
    told = []
    saver.refused.connect(told.append)
    for _ in range(3):
        saver.keep()
        saver.stop()
    assert len(told) == 1
    assert "a.mlviz: No such file or directory." in told[0]
    assert caplog.text.count("the session was not kept") == 1


def test_the_user_is_told_that_the_session_is_not_kept(window):
    window.files.autosave.refused.emit("The session could not be saved.")
    said = "The session could not be saved. It is not kept for the next start; Ctrl+S saves it elsewhere."
    assert window.statusBar().currentMessage() == said


def test_what_could_not_be_kept_is_tried_again(window, tmp_path):
    """There is room on the disk again, and nothing has changed since."""
    state = State(window.document, {})
    saver = Autosave(tmp_path / "later" / "a.mlviz", lambda: state, window)
    saver.keep()
    saver.stop()
    (tmp_path / "later").mkdir()
    saver.keep()
    saver.stop()
    assert (tmp_path / "later" / "a.mlviz").exists()


# -- a crash ----------------------------------------------------------------------------------------------------------


def test_an_orderly_end_leaves_no_mark(qtbot):
    first = Running()
    assert not first.begin()
    assert not Running().begin()  # a second window beside a running one is no crash
    first.end()
    again = Running()
    assert not again.begin()
    again.end()


def test_a_killed_program_is_noticed(qtbot):
    code = "import os; from mlviz.ui.autosave import Running; r = Running(); r.begin(); os._exit(9)"
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=600).returncode == 9
    after = Running()
    assert after.begin()
    after.end()


@pytest.mark.parametrize("wanted", [True, False])
def test_recovery_is_offered_after_a_crash_only(window, answers, wanted, qtbot):
    asked, replies = answers
    files.save(file_controller.last_session(), window.document.with_params(k=7), {"playhead": 2})
    replies.append(QMessageBox.StandardButton.Yes if wanted else QMessageBox.StandardButton.No)
    recovered = app.make_window(crashed=True)
    assert len(asked) == 1
    assert "did not end properly the last time" in asked[0]
    assert (recovered.document.params["k"] == 7) == wanted
    ordinary = app.make_window()
    assert len(asked) == 1
    for made in (recovered, ordinary):
        made.close()
        shiboken6.delete(made)


# -- files ------------------------------------------------------------------------------------------------------------


def test_recent_files_are_listed_latest_first(window, tmp_path):
    paths = [tmp_path / f"{number}.mlviz" for number in range(MOST + 2)]
    for path in paths:
        path.touch()
        note_recent(path)
    note_recent(paths[5])
    assert recent_files()[:2] == [paths[5], paths[-1]]
    assert len(recent_files()) == MOST
    paths[-1].unlink()
    assert paths[-1] not in recent_files()
    opened = []
    menu = RecentMenu(opened.append, window)
    menu.fill()
    menu.actions()[0].trigger()
    assert opened == [paths[5]]


def test_a_saved_session_has_a_name_and_a_star_when_it_is_behind(window, tmp_path, answers):
    asked, _ = answers
    assert window.windowTitle() == "blobs – mlviz"
    window.set_param("k", 4)
    assert not window.files.modified  # nobody has given it a name: it comes back by itself
    path = tmp_path / "lecture.mlviz"
    window.files.save_path(path)
    assert window.windowTitle() == "blobs – lecture.mlviz[*] – mlviz"
    assert not window.isWindowModified()
    window.set_param("k", 6)
    assert window.isWindowModified()
    window.files.save()  # no dialog: it knows where
    assert files.load(path).document.params["k"] == 6
    assert not window.isWindowModified()
    assert recent_files() == [path]
    assert asked == []


def test_closing_asks_about_a_file_that_is_behind(window, tmp_path, answers):
    asked, replies = answers
    path = tmp_path / "lecture.mlviz"
    window.files.save_path(path)
    window.set_param("k", 6)
    replies.append(CANCEL)
    assert not window.close()
    assert window.isVisible()
    replies.append(SAVE)
    assert window.close()
    assert files.load(path).document.params["k"] == 6
    assert asked == ["Save the changes to lecture.mlviz?"] * 2


def test_a_file_may_be_left_behind(window, tmp_path, answers):
    asked, replies = answers
    path = tmp_path / "lecture.mlviz"
    window.files.save_path(path)
    before = path.read_bytes()
    window.set_param("k", 6)
    replies.append(DISCARD)
    assert window.close()
    assert path.read_bytes() == before
    assert files.load(file_controller.last_session()).document.params["k"] == 6  # and even so nothing is lost
    assert len(asked) == 1


# -- the next start -----------------------------------------------------------------------------------------------


@pytest.fixture
def start(qtbot):
    """``start(crashed)`` begins the program once more; every window is closed again."""
    made = []

    def begin(crashed=False):
        window = app.make_window(crashed)
        made.append(window)
        window.show()
        qtbot.waitUntil(lambda: window.player.shown is not None)
        return window

    yield begin
    for window in made:
        window.files.path = None
        window.close()
        shiboken6.delete(window)


def test_the_next_start_knows_which_file_the_session_belongs_to(window, tmp_path, start):
    path = tmp_path / "lecture.mlviz"
    window.files.save_path(path)
    window.close()
    again = start()
    assert (again.files.path, again.files.modified) == (path, False)
    assert again.windowTitle() == "blobs – lecture.mlviz[*] – mlviz"
    again.set_param("k", 5)
    again.files.save()  # no dialog
    assert files.load(path).document.params["k"] == 5
    assert "file" not in files.load(path).extra  # a file that is sent to somebody does not tell where it was


def test_what_was_not_saved_is_still_not_saved_at_the_next_start(window, tmp_path, start, answers):
    _, replies = answers
    window.files.save_path(tmp_path / "lecture.mlviz")
    window.set_param("k", 6)
    replies.append(DISCARD)
    window.close()
    again = start()
    assert again.document.params["k"] == 6
    assert again.files.modified


def test_after_a_crash_the_file_is_known_too(window, tmp_path, start, answers, qtbot):
    _, replies = answers
    window.files.save_path(tmp_path / "lecture.mlviz")
    window.set_param("k", 6)
    window.files.autosave.keep()
    window.files.autosave.stop()
    replies.append(QMessageBox.StandardButton.Yes)
    again = start(crashed=True)
    assert (again.files.path, again.files.modified) == (tmp_path / "lecture.mlviz", True)


def test_a_file_that_is_gone_is_forgotten_and_one_that_changed_is_said(window, tmp_path, start):
    path = tmp_path / "lecture.mlviz"
    window.files.save_path(path)
    window.files.autosave.keep()
    window.files.autosave.stop()
    os.utime(path, ns=(1, 1))
    changed = start()
    assert changed.files.modified
    assert "changed by another program" in changed.statusBar().currentMessage()
    path.unlink()
    assert start().files.path is None
