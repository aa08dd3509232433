"""The rule that nothing may be left behind is itself able to fail."""

import threading

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from tests.conftest import _lingering_threads, leftovers, let_go_of_the_keys


def test_an_active_timer_is_noticed(qtbot):
    timer = QTimer(objectName="forgotten", interval=1000)
    timer.start()
    assert leftovers() == ["timer forgotten"]
    timer.stop()
    assert leftovers() == []


def test_a_visible_widget_is_noticed(qtbot):
    widget = QWidget(objectName="stray")
    widget.show()
    assert leftovers() == ["widget stray"]
    widget.close()
    assert leftovers() == []


def test_a_thread_is_noticed():
    before = set(threading.enumerate())
    gate = threading.Event()
    thread = threading.Thread(target=gate.wait, name="mlviz-forgotten", daemon=True)
    thread.start()
    assert _lingering_threads(before, patience=0.05) == [thread]
    gate.set()
    thread.join()
    assert _lingering_threads(before) == []


def test_a_key_that_was_held_at_the_last_click_is_let_go(qtbot):
    widget = QWidget()
    qtbot.addWidget(widget)
    widget.show()
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ShiftModifier)
    assert QGuiApplication.keyboardModifiers() == Qt.KeyboardModifier.ShiftModifier
    let_go_of_the_keys()
    assert QGuiApplication.keyboardModifiers() == Qt.KeyboardModifier.NoModifier
