"""Texts on their canvas: typed, chosen, given another class and taken away, with the mouse and the keyboard."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from algorithms import Strings
from mlviz.data.spec import load_data
from mlviz.views.cells import MARGIN
from tests.events import settle
from tests.ui.list_methods import install

TEXTS = Strings(("spam", "a green egg", "ham", "eggs and spam"), [0, 1, 1, 0], ("bad", "good"))


@pytest.fixture
def window(make_window, monkeypatch):
    install(monkeypatch)
    return make_window("lister", data=TEXTS)


@pytest.fixture
def canvas(window):
    return window.board.data_view


def centre(canvas, row):
    return canvas.cell_on_screen(row).center().toPoint()


def click(canvas, row, keys=Qt.KeyboardModifier.NoModifier):
    QTest.mouseClick(canvas.viewport(), Qt.MouseButton.LeftButton, keys, centre(canvas, row))


def typed(window, text, key=Qt.Key.Key_Return):
    line = window.editor.line
    line.selectAll()
    QTest.keyClicks(line, text)
    QTest.keyClick(line, key)


def test_a_text_is_typed_over_and_one_is_added_each_in_one_step(window, canvas):
    window.editor.choose("type")
    click(canvas, 1)
    typed(window, "a red egg")
    assert window.document.data.texts == ("spam", "a red egg", "ham", "eggs and spam")
    assert window.editor._row == 2  # Enter goes on to the next text
    QTest.keyClick(window.editor.line, Qt.Key.Key_Escape)
    assert window.editor.line is None
    window.editor.choose_class(1)
    click(canvas, 4)  # the row for something new
    typed(window, "toast")
    assert window.document.data.texts[-1] == "toast"
    assert window.document.data.y.tolist() == [0, 1, 1, 0, 1]
    typed(window, "", Qt.Key.Key_Return)  # an empty row adds nothing and ends the typing
    assert window.document.data.n == 5
    assert window.editor.line is None
    window.undo()
    window.undo()
    assert window.document.data is TEXTS


def test_what_is_given_up_or_left_as_it_was_changes_nothing(window, canvas):
    window.editor.choose("type")
    click(canvas, 0)
    QTest.keyClicks(window.editor.line, "other")
    QTest.keyClick(window.editor.line, Qt.Key.Key_Escape)
    click(canvas, 0)
    QTest.keyClick(window.editor.line, Qt.Key.Key_Down)
    assert window.editor._row == 1
    window.editor.choose("hand")
    assert window.document.data is TEXTS
    assert window.editor.line is None


def test_another_tool_keeps_what_was_typed(window, canvas):
    window.editor.choose("type")
    click(canvas, 0)
    QTest.keyClicks(window.editor.line, "x")
    window.editor.choose("select")
    assert window.document.data.texts[0] == "x"


def test_class_keys_relabel_what_is_selected(window, canvas):
    window.editor.choose("select")
    click(canvas, 0)
    click(canvas, 3, Qt.KeyboardModifier.ShiftModifier)
    assert window.editor.selection.tolist() == canvas.selection.tolist() == [0, 3]
    window.actions_table["class_2"].trigger()
    assert window.document.data.y.tolist() == [1, 1, 1, 1]
    assert window.editor.selection.tolist() == [0, 3]
    window.actions_table["class_add"].trigger()
    assert window.document.data.classes == ("bad", "good", "class 3")
    assert window.document.data.y.tolist() == [2, 1, 1, 2]
    window.undo()
    window.undo()
    assert window.document.data is TEXTS


def test_the_relabel_brush_gives_the_chosen_class_in_one_step(window, canvas):
    window.editor.choose("relabel")
    window.actions_table["class_1"].trigger()
    view = canvas.viewport()
    QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=centre(canvas, 1))
    QTest.mouseMove(view, centre(canvas, 2))
    QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=centre(canvas, 2))
    settle()
    assert window.document.data.y.tolist() == [0, 0, 0, 0]
    window.undo()
    assert window.document.data is TEXTS


def test_texts_are_taken_away(window, canvas):
    window.editor.choose("erase")
    click(canvas, 1)
    assert window.document.data.texts == ("spam", "ham", "eggs and spam")
    window.editor.select(np.array([0, 2]))
    window.actions_table["delete"].trigger()
    assert window.document.data.texts == ("ham",)
    window.editor.select_all()
    window.editor.delete_selection()
    assert window.document.data.texts == ()
    window.undo()
    assert window.document.data.texts == ("ham",)


def test_texts_without_classes_can_get_some(make_window, monkeypatch):
    install(monkeypatch)
    window = make_window("lister", data=Strings(("a", "b")))
    window.editor.choose("select")
    window.editor.select(np.array([1]))
    window.actions_table["class_add"].trigger()
    assert window.document.data.y.tolist() == [0, 1]


def test_the_mouse_explains_a_text_and_a_table_row_is_the_same_text(window, canvas, qtbot):
    QTest.mouseMove(canvas.viewport(), centre(canvas, 1) + QPoint(1, 0))
    QTest.mouseMove(canvas.viewport(), centre(canvas, 2))
    qtbot.waitUntil(lambda: "text 3:   ham   class: good" in window.hover_label.text())
    window.editor.choose("select")
    window.docks[3].show()
    click(canvas, 2)
    view = window.data_controller.table.findChildren(type(window.data_controller.table.view))
    assert any(index.row() == 2 for table in view for index in table.selectionModel().selectedRows())


def test_the_wheel_and_the_hand_scroll_a_long_list_and_nothing_else(make_window, monkeypatch):
    install(monkeypatch)
    window = make_window("lister", data=load_data("subjects"))
    canvas = window.board.data_view
    assert canvas._height() > canvas.box.boundingRect().height()
    canvas.scroll_to(1e9)
    left, right, bottom, _ = canvas.view_rect()
    assert (left, right) == pytest.approx((0.0, canvas.box.boundingRect().width()))
    assert bottom == pytest.approx(-canvas._height() - MARGIN)
    canvas.box.translateBy(x=50.0, y=30.0)
    assert canvas.view_rect()[0] == pytest.approx(0.0)
    state = canvas.viewport_state()
    canvas.fit_view()
    assert canvas.view_rect()[3] == MARGIN
    canvas.restore_viewport(state)
    assert canvas.viewport_state() == state
