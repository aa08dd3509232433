"""A run that cannot begin: nothing of the one before is left, and the way to what is missing is one click."""

import numpy as np
import pytest
from PySide6.QtCore import Qt

from algorithms import Points
from mlviz.data.generators import generate
from mlviz.ui.blank import SOURCE


@pytest.fixture
def refused(make_window, qtbot):
    """A support vector machine that has learned, and then got points without classes."""
    window = make_window("kernel_svm", generate("moons", n=40, seed=1))
    qtbot.waitUntil(lambda: window.player.engine.ended)
    window.player.jump("end")
    qtbot.waitUntil(lambda: window.what_happens.caption.text() != "" and window.board.up_to_date)
    window.apply(window.document.with_data(Points(np.random.default_rng(0).normal(size=(20, 2)))), "no classes")
    qtbot.waitUntil(window.board.message.isVisible)
    return window


def test_what_belongs_to_the_run_before_goes(refused):
    board = refused.board
    assert refused.what_happens.caption.text() == ""
    assert all(not view.marks for view in board.views.values())
    assert [row.name for row in board.curves.legend.rows if row.name == "previous run"] == []
    assert all(len(item.getData()[0]) == 0 for item in board.curves._items if item.getData()[0] is not None)
    assert not board.seconds.isTabVisible(board.seconds.indexOf(board.evaluation.view))


def test_the_legend_keeps_the_classes_and_nothing_else(make_window, qtbot):
    window = make_window("kernel_svm", generate("moons", n=40, seed=1))
    qtbot.waitUntil(lambda: window.player.engine.ended and window.board.up_to_date)
    before = [row.name for row in window.board.plane.legend.rows]
    data = window.document.points
    one = Points(data.X, np.zeros(data.n, dtype=int), classes=data.classes)
    window.apply(window.document.with_data(one), "one class", origin=np.arange(data.n))
    qtbot.waitUntil(window.board.message.isVisible)
    rows = [row.name for row in window.board.plane.legend.rows]
    assert set(rows) < set(before)
    assert "support vector" not in " ".join(rows)
    assert rows == [row.name for row in window.board.plane._base_rows]
    assert len({*window.board.plane._fills.tolist()}) == 1  # the colour of the one class, not of what was predicted
    assert rows[: len(data.classes)] == [row for row in before if row in rows][: len(data.classes)]


def test_a_target_is_chosen_where_data_are_chosen(refused, qtbot):
    message = refused.board.message
    assert "needs a class" in message.text()
    refused.docks[1].hide()
    qtbot.mouseClick(message.button, Qt.MouseButton.LeftButton)
    assert refused.docks[1].isVisible()
    assert refused.knobs.currentWidget() is refused.data_panel
    refused.undo()
    qtbot.waitUntil(lambda: not message.isVisible())


def test_the_target_of_a_file_is_chosen_among_its_columns(make_window, qtbot, tmp_path):
    window = make_window("kernel_svm", generate("moons", n=40, seed=1))
    rows = [f"{x},{x * 0.5},{x * 0.25}" for x in np.linspace(0.5, 9.5, 12)]
    (tmp_path / "table.csv").write_text("\n".join(["a,b,c", *rows]), encoding="utf-8")
    window.files.open_path(tmp_path / "table.csv")
    qtbot.waitUntil(lambda: window.data_controller.dialog.open_button.isEnabled())
    window.data_controller.dialog.accept()
    qtbot.waitUntil(window.board.message.isVisible)
    qtbot.mouseClick(window.board.message.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.data_controller.dialog is not None)
    qtbot.waitUntil(lambda: window.data_controller.dialog.open_button.isEnabled())
    window.data_controller.dialog.reject()


def test_other_refusals_lead_to_the_example_of_the_method(make_window, qtbot):
    window = make_window("k_means", generate("blobs", n=30, centres=3, seed=1))
    message = window.board.message
    window.choose_algorithm("hull_margin")
    qtbot.waitUntil(message.isVisible)
    before = window.document.data
    qtbot.mouseClick(message.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not message.isVisible() and window.player.engine.ended)
    assert window.document.source == window.document.method.example
    window.undo()
    assert window.document.data is before


def test_nothing_leads_away_from_what_is_being_drawn(make_window, qtbot):
    window = make_window("k_means", k=3)
    window.apply(window.document.with_data(Points(np.zeros((2, 2)))).with_source(SOURCE), "two points")
    qtbot.waitUntil(window.board.message.isVisible)
    assert not window.board.message.button.isVisible()
