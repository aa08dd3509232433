"""The table of the points: sorted, linked with the plane, edited; and the data saved and copied."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from algorithms import Points
from mlviz.data.files import read_points
from mlviz.data.understanding import Wishes
from mlviz.ui.file_dialogs import last_folder
from mlviz.ui.point_table import PointModel, changed

DATA = Points([[3.0, 0.5], [1.0, 1 / 3], [2.0, 7.0], [9.0, 9.0]], [0, 1, 0, 1], features=("a", "b"), classes=("u", "v"))


def column(model, number):
    return [model.index(row, number).data() for row in range(model.rowCount())]


@pytest.fixture
def table(make_window):
    window = make_window(data=DATA, k=2)
    window.docks[3].show()
    return window, window.data_controller.table


def test_the_model_is_sound(qtmodeltester):
    model = PointModel()
    model.set_points(DATA)
    qtmodeltester.check(model, force_py=True)


def test_rows_are_sorted_by_any_column_and_back(table):
    _, points = table
    header = points.view.horizontalHeader()
    assert [points.model.headerData(c, Qt.Orientation.Horizontal) for c in range(3)] == ["a", "b", "class"]
    header.setSortIndicator(0, Qt.SortOrder.AscendingOrder)
    assert column(points.model, 0) == ["1", "2", "3", "9"]
    assert column(points.model, 2) == ["v", "u", "u", "v"]
    assert points.model.headerData(0, Qt.Orientation.Vertical) == 2
    header.setSortIndicator(2, Qt.SortOrder.DescendingOrder)
    assert column(points.model, 2) == ["v", "v", "u", "u"]
    header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
    assert column(points.model, 0) == ["3", "1", "2", "9"]


def test_selected_rows_are_meant_in_the_plane_and_the_other_way_round(table):
    window, points = table
    points.view.horizontalHeader().setSortIndicator(0, Qt.SortOrder.AscendingOrder)
    points.view.selectRow(0)
    assert window.pointer.points.tolist() == [1]
    assert "point 2:" in window.hover_label.text()
    window.board.points_clicked.emit(np.array([2, 3]))
    assert [index.row() for index in points.view.selectionModel().selectedRows()] == [1, 3]
    assert window.pointer.points.tolist() == [2, 3]


def selected(points):
    return sorted(int(points.model.order[index.row()]) for index in points.view.selectionModel().selectedRows())


def test_the_selection_of_the_plane_and_the_rows_are_one(table):
    window, points = table
    window.drawing.choose("select")
    window.drawing.select(np.array([1, 3]))
    assert selected(points) == [1, 3]
    window.drawing.select(np.array([], dtype=np.intp))
    assert selected(points) == []
    points.view.selectRow(0)
    assert window.drawing.selection.tolist() == selected(points)
    assert points.model.setData(points.model.index(3, 0), "8")  # an edit keeps the selection
    assert window.drawing.selection.tolist() == selected(points) != []
    chosen = window.drawing.selection[0]
    gone = window.document.data.X[chosen]
    window.actions_table["delete"].trigger()
    assert window.document.data.n == 3
    assert gone.tolist() not in window.document.data.X.tolist()


def test_a_click_with_the_hand_lets_the_rows_go(table):
    window, points = table
    points.view.selectRow(1)
    assert len(window.drawing.selection) == 1
    window.board.points_clicked.emit(np.array([0]))
    assert len(window.drawing.selection) == 0
    assert selected(points) == [0]


def test_a_cell_is_edited_as_one_undo_step(table):
    window, points = table
    model = points.model
    assert model.setData(model.index(1, 1), "2,5")
    assert window.document.data.X.tolist() == [[3, 0.5], [1, 2.5], [2, 7], [9, 9]]
    assert model.setData(model.index(0, 2), "v")
    assert window.document.data.y.tolist() == [1, 1, 0, 1]
    window.undo()
    window.undo()
    assert window.document.data is DATA
    assert column(model, 1)[1] == "0.333333"


@pytest.mark.parametrize(
    ("place", "text", "sentence"),
    [
        ((0, 0), "many", "'many' is not a finite number."),
        ((0, 0), "1e400", "'1e400' is not a finite number."),
        ((0, 0), "-1e200", "'-1e200' is too large."),
        ((0, 2), "w", "There is no class 'w'; there are u, v."),
    ],
)
def test_what_cannot_be_used_is_said_and_changes_nothing(table, place, text, sentence):
    window, points = table
    assert not points.model.setData(points.model.index(*place), text)
    assert window.statusBar().currentMessage() == sentence
    assert window.document.data is DATA


def test_a_value_is_changed_where_there_are_no_classes():
    points = Points([[1.0], [2.0]], [0.5, 1.5])
    assert changed(points, 1, 1, "7").y.tolist() == [0.5, 7]


def test_the_data_is_saved_and_copied(window, qtbot, tmp_path):
    path = tmp_path / "out.csv"
    window.data_controller.save_path(path)
    qtbot.waitUntil(lambda: window.statusBar().currentMessage() == "Saved out.csv.")
    assert np.array_equal(read_points(path, Wishes("class")).points.X, window.document.data.X)
    assert last_folder() == str(tmp_path)  # where the next dialog begins
    window.data_controller.save_path(tmp_path / "nowhere" / "out.csv")
    qtbot.waitUntil(lambda: "cannot be written" in window.statusBar().currentMessage())
    window.actions_table["copy"].trigger()
    assert QApplication.clipboard().text().startswith("x1\tx2\tclass\n")


def test_closing_finishes_what_is_being_written(window, tmp_path):
    window.data_controller.save_path(tmp_path / "late.npz")
    window.close()
    assert read_points(tmp_path / "late.npz").points.n == window.document.data.n


def test_every_heading_can_be_read(table):
    window, points = table
    names = ("a", "the mean of the smoothness", "x" * 80)
    window.apply(window.document.with_data(Points(np.ones((3, 3)), features=names)), "other")
    header = points.view.horizontalHeader()
    assert header.sectionSize(0) == header.defaultSectionSize()
    assert header.sectionSize(1) > header.sectionSize(0)
    assert header.sectionSize(2) < header.sectionSizeHint(2)
    assert header.textElideMode() is Qt.TextElideMode.ElideRight
