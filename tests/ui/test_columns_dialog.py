"""The column dialog: what it shows of a table, what the user can change, and that nothing happens before Open."""

import threading

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QComboBox

from mlviz.data.files import read_pasted, read_table
from mlviz.data.reading import Cancelled
from mlviz.ui.column_table import BARS, HISTOGRAM, KIND, MISSING, NAME, RANGE, ROLE
from mlviz.ui.columns_dialog import ColumnsDialog

FLOWERS = "length;width;kind;note\n1,5;2;u;first\n2,5;;v;second\n3;4;u;third\n4,25;5;v;fourth\n"


@pytest.fixture
def make_dialog(qtbot):
    """``make_dialog(read)`` gives a shown dialog; ``ready`` waits until its points are prepared."""
    made = []

    def make(read):
        dialog = ColumnsDialog("a table", read)
        made.append(dialog)
        dialog.open()
        return dialog

    yield make
    for dialog in made:
        dialog.reject()


def pasted(text):
    return lambda options, reading: read_pasted(text, options, reading)


def ready(qtbot, dialog):
    qtbot.waitUntil(lambda: dialog._load is None and dialog._prepare is None and not dialog._timer.isActive())
    return dialog


def cell(dialog, row, column, role=Qt.ItemDataRole.DisplayRole):
    return dialog.columns.index(row, column).data(role)


def choose(box, value):
    """What the mouse does: set the item and say so."""
    box.setCurrentIndex(box.findData(value))
    box.activated.emit(box.currentIndex())


def test_every_column_is_described(qtbot, make_dialog, qtmodeltester):
    dialog = ready(qtbot, make_dialog(pasted(FLOWERS)))
    for model in (dialog.columns, dialog.preview):
        qtmodeltester.check(model, force_py=True)
    assert [cell(dialog, row, NAME) for row in range(4)] == ["length", "width", "kind", "note"]
    assert [cell(dialog, row, KIND) for row in range(4)] == ["number", "whole number", "text", "text"]
    assert [cell(dialog, row, MISSING) for row in range(4)] == [None, "1", None, None]
    assert cell(dialog, 0, RANGE) == "1.5 … 4.25"
    assert cell(dialog, 2, RANGE) == "2 different: u, v"
    assert max(cell(dialog, 0, HISTOGRAM, BARS)) == 1.0
    assert [cell(dialog, row, ROLE) for row in range(4)] == ["feature", "feature", "class", "ignore"]
    assert dialog.preview.index(0, 0).data() == "1.5"
    assert dialog.preview.index(1, 1).data() == ""
    assert dialog.separator.currentText() == "semicolon (detected)"
    assert dialog.decimal.currentText() == "comma (detected)"
    assert "4 points, 2 features, 2 classes from 'kind'. Left out is 'note' (free text)." in dialog.status.text()


def test_changes_are_followed_at_once(qtbot, make_dialog):
    dialog = ready(qtbot, make_dialog(pasted(FLOWERS)))
    choose(dialog.missing, "mean")
    ready(qtbot, dialog)
    assert "4 points" in dialog.status.text()
    assert "1 of 4 values of 'width' is missing and filled with the mean (3.667)." in dialog.status.text()
    choose(dialog.decimal, ".")
    ready(qtbot, dialog)
    assert cell(dialog, 0, KIND) == "text"
    assert not dialog.open_button.isEnabled()
    assert dialog.status.text() == (
        "The column 'length' is not numeric (row 1 is '1,5'); "
        "choose it as a category or as the target, or leave it out."
    )
    assert dialog.status.property("role") == "error"
    choose(dialog.decimal, None)
    choose(dialog.header, False)
    ready(qtbot, dialog)
    assert cell(dialog, 0, NAME) == "x1"
    assert dialog.columns.rowCount() == 4


def test_enter_opens_what_is_shown(qtbot, make_dialog):
    dialog = ready(qtbot, make_dialog(pasted(FLOWERS)))
    with qtbot.waitSignal(dialog.accepted):
        qtbot.keyClick(dialog.focusWidget(), Qt.Key.Key_Return)


def test_there_is_one_target_at_most(qtbot, make_dialog):
    dialog = ready(qtbot, make_dialog(pasted(FLOWERS)))
    dialog.view.selectRow(1)
    dialog.findChild(object, "use_as_target").click()
    assert dialog.columns.roles == ["feature", "target", "ignore", "ignore"]
    dialog.view.selectAll()
    dialog.findChild(object, "use_as_ignore").click()
    ready(qtbot, dialog)
    assert dialog.status.text() == "the pasted table has no column left for the features."


def test_the_use_is_chosen_in_the_cell(qtbot, make_dialog):
    dialog = ready(qtbot, make_dialog(pasted(FLOWERS)))
    dialog.view.clicked.emit(dialog.columns.index(0, ROLE))
    editor = dialog.view.findChild(QComboBox, "role_editor")
    assert editor.currentText() == "feature"
    editor.setCurrentText("ignore")
    editor.activated.emit(editor.currentIndex())
    assert dialog.columns.roles[0] == "ignore"


def test_a_table_that_cannot_be_read_says_why_and_can_be_read_otherwise(qtbot, make_dialog, tmp_path):
    path = tmp_path / "odd.csv"
    path.write_bytes("a,b\n1,2\n".encode("utf-16")[2:])
    dialog = make_dialog(lambda options, reading: read_table(path, options, reading))
    with qtbot.waitSignal(dialog.refused) as said:
        ready(qtbot, dialog)
    assert said.args == ["odd.csv is not a text file (it contains zero bytes, the first in line 1)."]
    assert dialog.status.text() == said.args[0]
    assert not dialog.open_button.isEnabled()
    choose(dialog.encoding, "utf-16")
    ready(qtbot, dialog)
    assert dialog.status.text() == "1 point, 2 features."


def test_numbers_whose_squares_overflow_are_refused(qtbot, make_dialog):
    dialog = ready(qtbot, make_dialog(pasted("a,b\n1,2\n3,-1.7e308\n")))
    assert dialog.status.text() == "Point 2 has -1.7e+308 in the column 'b', which is too large to compute with."
    assert not dialog.open_button.isEnabled()


def test_cancel_ends_the_reading(qtbot, make_dialog):
    begun, ended = threading.Event(), threading.Event()

    def read(options, reading):
        try:
            while True:
                begun.set()
                reading.step(0.3, "Reading the rows")
        except Cancelled:
            ended.set()
            raise

    dialog = make_dialog(read)
    assert begun.wait(60)
    qtbot.waitUntil(lambda: dialog.progress.value() == 300)
    assert dialog.status.text() == "Reading the rows …"
    dialog.cancel_button.click()
    assert ended.wait(60)


def test_a_large_table_is_sampled_and_that_is_said(qtbot, make_dialog):
    text = "a,b\n" + "\n".join(f"{i},{i * i}" for i in range(12_000))
    dialog = ready(qtbot, make_dialog(pasted(text)))
    assert "10,000 points, 1 feature, the target is 'b'." in dialog.status.text()
    assert "A random sample of 10,000 of 12,000 rows is used." in dialog.status.text()
    dialog.limit.setValue(500)
    ready(qtbot, dialog)
    with qtbot.waitSignal(dialog.imported) as made:
        dialog.open_button.click()
    assert made.args[0].points.n == 500


# -- in the window ---------------------------------------------------------------------------------------------------


def opened(qtbot, window):
    qtbot.waitUntil(
        lambda: window.data_controller.dialog is not None and window.data_controller.dialog.open_button.isEnabled()
    )
    window.data_controller.dialog.accept()


def test_ctrl_v_pastes_a_table_as_one_undo_step(window, qtbot):
    before = window.document
    QApplication.clipboard().setText("a\tb\n1\t2\n2\t1\n8\t9\n9\t8\n")
    window.actions_table["paste"].trigger()
    assert window.document is before
    opened(qtbot, window)
    assert np.array_equal(window.document.data.X, [[1, 2], [2, 1], [8, 9], [9, 8]])
    assert window.given is window.document.data
    assert "Opened the pasted table: 4 points, 2 features." in window.statusBar().currentMessage()
    window.undo()
    assert window.document == before
    QApplication.clipboard().setText(" ")
    window.actions_table["paste"].trigger()
    assert window.statusBar().currentMessage() == "There is no table on the clipboard."


def file_data(path):
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    return data


def drag(widget, path):
    data, left, none = file_data(path), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(5, 5), Qt.DropAction.CopyAction, data, left, none)
    QApplication.sendEvent(widget, enter)
    return enter


def drop(widget, path):
    assert drag(widget, path).isAccepted()
    data, left, none = file_data(path), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    event = QDropEvent(QPointF(5, 5), Qt.DropAction.CopyAction, data, left, none, QEvent.Type.Drop)
    QApplication.sendEvent(widget, event)


def test_a_sample_is_said_as_long_as_it_is_looked_at(window, qtbot, tmp_path):
    path = tmp_path / "many.csv"
    path.write_text("a,b\n" + "\n".join(f"{i},{i * i % 97}" for i in range(12_000)))
    window.files.open_path(path)
    opened(qtbot, window)
    qtbot.waitUntil(lambda: "10,000 points (sample of 12,000 rows)" in window.facts_label.text())
    window.undo()
    qtbot.waitUntil(lambda: "sample" not in window.facts_label.text())


def test_the_fonts_of_the_presenter_fit_a_projector(window, qtbot, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(FLOWERS)
    window.toggle_presenter()
    window.files.open_path(path)
    dialog = window.data_controller.dialog
    ready(qtbot, dialog)
    assert dialog.minimumSizeHint().width() <= 1024
    assert dialog.minimumSizeHint().height() <= 768
    assert dialog.open_button.geometry().right() < dialog.width()
    window.toggle_presenter()


def test_a_dropped_file_is_opened(window, qtbot, tmp_path):
    path = tmp_path / "dropped.csv"
    path.write_text("a,b,kind\n1,2,u\n3,4,v\n5,7,u\n6,6,v\n")
    over_the_plane = drag(window.board.plane.viewport(), path)
    assert over_the_plane.isAccepted()
    drop(window, path)
    opened(qtbot, window)
    assert (window.document.data.name, window.document.data.classes) == ("dropped", ("u", "v"))


def test_a_folder_or_a_vanished_file_is_said_at_once(window, tmp_path):
    before = window.document
    window.files.open_path(tmp_path)
    assert window.statusBar().currentMessage() == f"{tmp_path.name} is a folder, not a file."
    window.files.open_path(tmp_path / "gone.csv")
    assert window.statusBar().currentMessage() == "gone.csv is not there (any more)."
    assert window.document is before
    assert window.data_controller.dialog is None


def test_closing_the_window_calls_a_load_off(window, qtbot, tmp_path):
    path = tmp_path / "slow.csv"
    path.write_text("a,b\n" + "1,2\n" * 50_000)
    window.files.open_path(path)
    window.close()
    assert window.data_controller.dialog is None


def test_the_columns_of_a_table_are_asked_for_as_long_as_it_is_on_the_desk(window, qtbot):
    for text in ("a\tb\n1\t2\n2\t1\n8\t9\n9\t8\n", "c\td\n1\t2\n2\t1\n8\t9\n"):
        QApplication.clipboard().setText(text)
        window.actions_table["paste"].trigger()
        opened(qtbot, window)
    assert window.data_controller.choose_target is not None
    window.undo()  # to the first table, which has the same name
    assert window.data_controller.choose_target is None
