"""Transport keys drive time, whatever was touched last; a commit gives the keyboard back to the board."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from mlviz.data.spec import load_data

KEYS = (Qt.Key.Key_Space, Qt.Key.Key_Right, Qt.Key.Key_Left, Qt.Key.Key_End, Qt.Key.Key_Home)
KEYS += (Qt.Key.Key_PageDown, Qt.Key.Key_PageUp, Qt.Key.Key_Up, Qt.Key.Key_Down)


@pytest.fixture
def ready(window, qtbot):
    window.show()
    window.activateWindow()
    qtbot.waitExposed(window)
    qtbot.waitUntil(lambda: window.player.shown is not None and not window.player.running)
    return window


def press_all(window):
    """Every transport key, sent to whatever has the keyboard."""
    for key in KEYS:
        QTest.keyClick(QApplication.focusWidget() or window, key)
    window.player.set_playing(False)


def in_board(window):
    widget = QApplication.focusWidget()
    return widget is not None and (widget is window.board or window.board.isAncestorOf(widget))


def test_after_choosing_data_the_keys_change_nothing(ready):
    chooser = ready.data_panel.chooser
    ready.knobs.setCurrentWidget(ready.data_panel)
    chooser.setFocus(Qt.FocusReason.TabFocusReason)
    chooser.setCurrentIndex(chooser.findData("circles"))
    chooser.activated.emit(chooser.currentIndex())
    assert in_board(ready)
    before = ready.document
    chooser.setFocus(Qt.FocusReason.TabFocusReason)
    press_all(ready)
    assert ready.document is before


def test_after_dragging_a_slider_the_keys_step(ready, qtbot):
    slider = ready.form.editor("k").slider
    qtbot.mouseClick(slider, Qt.MouseButton.LeftButton, pos=QPoint(slider.width() // 2, slider.height() // 2))
    assert in_board(ready)
    before = ready.document.params
    press_all(ready)
    assert ready.document.params == before


def test_after_picking_a_choice_space_plays(ready):
    combo = ready.form.editor("init").combo
    combo.setFocus(Qt.FocusReason.TabFocusReason)
    combo.setCurrentText("farthest")
    combo.activated.emit(combo.currentIndex())
    assert in_board(ready)
    before = ready.document.params
    combo.setFocus(Qt.FocusReason.TabFocusReason)
    press_all(ready)
    assert ready.document.params == before
    assert not combo.view().isVisible()


def test_enter_in_a_number_commits_and_lets_go(ready, qtbot):
    box = ready.form.editor("k").box
    box.setFocus()
    box.selectAll()
    QTest.keyClicks(box, "4")
    QTest.keyClick(box, Qt.Key.Key_Return)
    assert ready.document.params["k"] == 4
    assert in_board(ready)
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Space)
    assert box.text() == "4"
    assert ready.player.playing


def test_nothing_stays_red_once_the_value_is_valid_again(ready):
    editor = ready.form.editor("k")
    editor.box.setFocus()
    editor.box.selectAll()
    QTest.keyClicks(editor.box, "x")
    assert editor.message.text()
    QTest.keyClick(editor.box, Qt.Key.Key_Return)
    assert editor.box.text() == "3"
    assert editor.message.text() == ""
    assert not editor.box.property("state")


def test_page_keys_go_by_phase(ready, qtbot):
    ready.player.jump("start")
    first = ready.player.shown.snapshot.phase
    QTest.keyClick(ready.board, Qt.Key.Key_PageDown)
    qtbot.waitUntil(lambda: ready.player.shown.snapshot.phase != first)
    QTest.keyClick(ready.board, Qt.Key.Key_PageUp)
    qtbot.waitUntil(lambda: ready.player.shown.snapshot.phase == first)


def test_enter_stays_in_a_formula_that_was_refused_and_leaves_a_right_one(make_window, qtbot):
    window = make_window("kernel_lab", load_data("circles(n=20,seed=1)"))
    window.activateWindow()
    qtbot.waitUntil(lambda: window.player.shown is not None)
    editor = window.form.editor("expression")
    editor.line.setFocus()
    editor.line.selectAll()
    QTest.keyClicks(editor.line, "rbf(")
    QTest.keyClick(editor.line, Qt.Key.Key_Return)
    assert QApplication.focusWidget() is editor.line
    assert editor.line.cursorPosition() == len("rbf(")
    assert editor.message.text()
    assert window.document.params["expression"] == "rbf"  # the last that could be read
    editor.line.selectAll()
    QTest.keyClicks(editor.line, "rbf(2)")
    QTest.keyClick(editor.line, Qt.Key.Key_Return)
    assert in_board(window)
    assert not editor.message.text()
    assert window.document.params["expression"] == "rbf(2)"
