"""Ctrl+Q ends the program: with a run, an export and an autosave going on, whatever dialog is open, again and again.

A hundred times in all, each scene ten times over; ``make kills STARTS=1000`` does it a thousand times.
"""

import os
import subprocess
import sys

import pytest
import shiboken6
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QCloseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from mlviz import app, paths
from mlviz.data.spec import load_data
from mlviz.session.document import Document
from mlviz.ui import file_controller
from mlviz.ui.export_dialog import ExportDialog
from tests.conftest import undress

STARTS = int(os.environ.get("MLVIZ_STARTS", "100"))
"""In rounds of every scene, one after the other; a round is a test, so that two cores can share them."""


def nothing(window):
    """Only the window."""


def film(window):
    """An export that is being written, in a dialog that does not close before that is over."""
    window.exporter.show_dialog()
    dialog = window.findChild(ExportDialog)
    dialog.choose("film", ".gif")
    dialog.export_to(paths.config_folder() / "a.gif")
    assert dialog._job is not None


def stray(window):
    """A window of its own that nobody closes."""
    other = QWidget()
    other.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    other.show()
    window.destroyed.connect(other.close)


SCENES = (
    nothing,
    film,
    stray,
    lambda window: window.show_help(),
    lambda window: window.show_palette(),
    lambda window: window.exporter.copy_picture(),
    lambda window: window.data_controller.explore(),
    lambda window: window.actions_table["present"].trigger(),
    lambda window: window.show_keys(),
    lambda window: window.set_param("epochs", 5000),
)


@pytest.fixture
def start(monkeypatch, tmp_path, qapp):
    """``start(scene)`` opens the program, trains a network, opens the scene, presses Ctrl+Q; gives the exit code."""
    monkeypatch.setenv("MLVIZ_HOME", str(tmp_path / "home"))
    data = load_data("circles(n=60,seed=1)")
    monkeypatch.setattr(app, "first_document", lambda: (Document(data, "mlp", {"epochs": 2000, "patience": 0}), None))
    real, made = app.make_window, []

    def make_window(crashed=False):
        assert not crashed, "the last end was not an orderly one"
        made.append(real(crashed))
        return made[-1]

    monkeypatch.setattr(app, "make_window", make_window)

    def run(scene):
        poll = QTimer(interval=2)
        poll.timeout.connect(lambda: begin(poll, scene))
        poll.start()
        try:
            return app.main()
        finally:
            poll.stop()
            made.clear()
            undress()  # the next start is one of a new program

    def begin(poll, scene):
        window = made[-1]
        if window.player.shown is None or not window.isVisible() or window.player.steps < 3:
            return
        poll.stop()
        window.player.set_playing(True)
        window.files.autosave.keep()
        scene(window)
        QTimer.singleShot(0, lambda: press_quit(window))

    return run


def press_quit(window):
    """Press the key where the keyboard is, in a modal dialog or in the window; if that does not help, say 1."""
    top = QApplication.activeModalWidget() or QApplication.activePopupWidget() or window
    QApplication.instance().focusWindowChanged.emit(top.windowHandle())  # the platform without a screen has no focus
    top.activateWindow()
    QApplication.processEvents()
    QTest.keyClick(top, Qt.Key.Key_Q, Qt.KeyboardModifier.ControlModifier)
    if shiboken6.isValid(window) and window.isVisible():
        print("not closed from", top.objectName())
        QApplication.exit(1)


@pytest.mark.parametrize("round_number", range(STARTS // len(SCENES)))
def test_many_starts_and_ends(start, round_number):
    for scene in SCENES:
        assert start(scene) == 0
        assert file_controller.last_session().exists()
        assert not (paths.config_folder() / "running.lock").exists()


@pytest.mark.parametrize(
    "scene",
    ["pass", "w.show_help()", "w.exporter.copy_picture()", "w.data_controller._read('a table', slow_query, print)"],
)
def test_the_process_ends(scene, tmp_path, monkeypatch):
    monkeypatch.setenv("MLVIZ_HOME", str(tmp_path / "home"))
    code = f"""
import sys, threading
import duckdb
from PySide6.QtCore import QTimer
from mlviz import app
def slow_query(reading):
    duckdb.connect().execute("SELECT sum(random()) FROM range(20000000)").fetchall()
class Late:  # goes when Python has ended, and has the threads that are left come back to that
    def __init__(self):
        self.left = threading.enumerate
    def __del__(self):
        for thread in self.left():
            if thread.name == "mlviz-read":
                thread.join()
sys.late = Late()
real, made = app.make_window, []
def make_window(crashed=False):
    made.append(real(crashed))
    poll.start()
    return made[0]
def begin():
    w = made[0]
    if w.player.shown is not None and w.isVisible():
        poll.stop()
        w.player.set_playing(True)
        w.files.autosave.keep()
        {scene}
        QTimer.singleShot(0, w.actions_table["quit"].trigger)
app.application()
poll = QTimer(interval=2)
poll.timeout.connect(begin)
app.make_window = make_window
print("ended", app.main())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("ended 0\n", 0), done.stderr


def test_a_window_that_cannot_be_remembered_ends_all_the_same(window, qtbot, monkeypatch, caplog):
    """It was gone, and the program went on without it, for ever."""

    def remember():
        raise ValueError("not a number")

    monkeypatch.setattr(window.files, "remember", remember)
    with qtbot.waitSignal(window.closed):
        QApplication.postEvent(window, QCloseEvent())
    assert "not a number" in caplog.text
