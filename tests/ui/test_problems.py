"""Problems: from anywhere to one dialog and the log file."""

from __future__ import annotations

import sys
import threading

import pytest
from PySide6.QtCore import qWarning
from PySide6.QtGui import QGuiApplication

from mlviz.ui import problems

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
"""What the offscreen platform says about windows it only pretends to have."""


@pytest.fixture
def installed(qtbot, tmp_path, capsys):
    hooks = (sys.excepthook, threading.excepthook, sys.unraisablehook)
    handler = problems.install(tmp_path / "log" / "mlviz.log")
    yield handler
    problems.uninstall()
    assert (sys.excepthook, threading.excepthook, sys.unraisablehook) == hooks


def raised(error: Exception) -> Exception:
    try:
        raise error
    except type(error) as caught:
        return caught


def logged(handler) -> str:
    return handler.log_file.read_text("utf-8")


def test_an_exception_of_the_main_thread_reaches_dialog_and_log(qtbot, installed):
    error = raised(ValueError("the matrix is singular"))
    sys.excepthook(type(error), error, error.__traceback__)
    qtbot.waitUntil(lambda: installed.dialog is not None)
    dialog = installed.dialog
    assert dialog.isVisible()
    assert dialog.sentence.text() == "Something unexpected happened: ValueError: the matrix is singular."
    assert str(installed.log_file) in dialog.where.text()
    assert "Traceback" in logged(installed)
    assert "the matrix is singular" in logged(installed)


def test_an_exception_of_another_thread_is_shown_in_this_one(qtbot, installed):
    def work():
        raise RuntimeError("worker failed")

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert installed.dialog is None
    qtbot.waitUntil(lambda: installed.dialog is not None)
    assert "worker failed" in installed.dialog.sentence.text()
    assert installed.dialog.thread() is QGuiApplication.instance().thread()
    assert "in work" in installed.dialog.text()


def test_an_exception_in_a_destructor_is_reported(qtbot, installed):
    class Careless:
        def __del__(self):
            raise OSError("already closed")

    thing = Careless()
    del thing
    qtbot.waitUntil(lambda: installed.dialog is not None)
    assert "already closed" in logged(installed)


def test_further_problems_join_the_open_dialog_and_repeats_only_count(qtbot, installed):
    first = raised(ValueError("first"))
    for error in (first, first, first, raised(KeyError("second"))):
        problems.report(error)
    qtbot.waitUntil(lambda: installed.dialog is not None and sum(installed.dialog.problems.values()) == 4)
    dialog = installed.dialog
    assert len(dialog.problems) == 2
    assert dialog.sentence.text().endswith("3 more problems since then.")
    assert "(happened 3 times)" in dialog.text()
    dialog.close()
    problems.report(raised(ValueError("third")))
    qtbot.waitUntil(lambda: installed.dialog is not dialog)
    assert "third" in installed.dialog.sentence.text()


def test_details_unfold_and_are_copied(qtbot, installed):
    problems.report(raised(ValueError("copy me")))
    qtbot.waitUntil(lambda: installed.dialog is not None)
    dialog = installed.dialog
    assert not dialog.details.isVisible()
    dialog.more_button.click()
    assert dialog.details.isVisible()
    dialog.copy_button.click()
    copied = QGuiApplication.clipboard().text()
    assert "ValueError: copy me" in copied
    assert str(installed.log_file) in copied


def test_messages_of_qt_go_to_the_log(installed):
    qWarning("a pixmap is null")
    assert "WARNING mlviz.qt: a pixmap is null" in logged(installed)
    assert installed.dialog is None


def test_a_log_that_cannot_be_written_does_not_stop_the_program(qtbot, tmp_path, capsys):
    in_the_way = tmp_path / "file"
    in_the_way.write_text("not a folder")
    handler = problems.install(in_the_way / "mlviz.log")
    problems.report(raised(ValueError("still shown")))
    qtbot.waitUntil(lambda: handler.dialog is not None)
    problems.uninstall()
    assert "still shown" in capsys.readouterr().err


def test_ctrl_c_is_not_a_problem(qtbot, installed, monkeypatch):
    heard: list[type] = []
    monkeypatch.setattr(installed, "_hooks", (lambda kind, *rest: heard.append(kind), *installed._hooks[1:]))
    sys.excepthook(KeyboardInterrupt, KeyboardInterrupt(), None)
    monkeypatch.undo()
    assert heard == [KeyboardInterrupt]
    assert not logged(installed)
