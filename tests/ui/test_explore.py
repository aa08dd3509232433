"""The first look in its window: what it shows, that it follows the data, and that a click chooses the axes."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt

from algorithms import Points
from mlviz.data.builtin import load_builtin
from mlviz.data.spec import Recipe


@pytest.fixture
def explored(make_window, qtbot):
    window = make_window(data=load_builtin("iris"))
    window.actions_table["explore"].trigger()
    dialog = window.data_controller.explorer
    qtbot.waitUntil(lambda: dialog.seen is not None)
    return window, dialog


def test_every_column_is_summarised(explored, qtmodeltester):
    _, dialog = explored
    model = dialog.model
    qtmodeltester.check(model, force_py=True)
    assert [model.index(row, 0).data() for row in range(4)] == list(load_builtin("iris").features)
    assert model.index(0, 2).data() == "5.843"  # the mean sepal length
    assert [model.index(2, column).data() for column in (5, 7, 9)] == ["1", "4.35", "6.9"]
    assert "1 of 150 rows repeat an earlier one." in dialog.hints.text()
    assert dialog.seen.balance == (("setosa", 50), ("versicolor", 50), ("virginica", 50))


def test_every_heading_can_be_read(explored):
    _, dialog = explored
    header = dialog.view.horizontalHeader()
    assert all(header.sectionSize(column) >= header.sectionSizeHint(column) for column in range(header.count()))


@pytest.mark.parametrize(("tab", "name"), [(1, "heat_map"), (2, "scatter_matrix")])
def test_a_click_on_a_pair_looks_at_it(explored, qtbot, tab, name):
    window, dialog = explored
    dialog.tabs.setCurrentIndex(tab)
    picture = dialog.findChild(object, name)
    place = picture.cell(3, 1).center()
    assert picture.pair_at(place) == (3, 1)
    assert "petal width and sepal width: r = -0.366" in picture.describe(3, 1)
    qtbot.mouseClick(picture, Qt.MouseButton.LeftButton, pos=QPoint(round(place.x()), round(place.y())))
    assert window.document.axes == (1, 3)
    here = picture.cell(2, 2).center()
    qtbot.mouseClick(picture, Qt.MouseButton.LeftButton, pos=QPoint(round(here.x()), round(here.y())))
    assert window.document.axes == (1, 3)
    assert picture.pair_at(here * 100) is None
    assert "Click a pair" in dialog.note.text()


def test_it_follows_the_data_and_says_what_it_leaves_out(explored, qtbot):
    window, dialog = explored
    window.choose_data(Recipe("digits", {}))
    qtbot.waitUntil(lambda: dialog.seen.points is window.document.data)
    dialog.tabs.setCurrentIndex(2)
    assert dialog.note.text().startswith("8 of 64 features are shown; at most 8 fit.")
    assert "The same value in every row: pixel 0 0" in dialog.hints.text()
    window.choose_data(Recipe("old_faithful", {}))
    qtbot.waitUntil(lambda: dialog.seen.points is window.document.data)
    assert not dialog.tabs.isTabVisible(3)


def test_both_themes_paint_every_tab_of_any_data(explored, qtbot):
    window, dialog = explored
    for data in (Points([[1.0]]), Points([[-1e99, 1.0], [1e99, 1.0]]), Points(np.zeros((3, 50)))):
        window.apply(window.document.with_data(data), "other data")
        qtbot.waitUntil(lambda data=data: dialog.seen.points is data)
        for theme in ("dark", "light"):
            window.set_theme(theme)
            for tab in range(4):
                dialog.tabs.setCurrentIndex(tab)
                assert not dialog.grab().isNull()


def test_closing_forgets_it(explored):
    window, dialog = explored
    dialog.reject()
    assert window.data_controller.explorer is None
    window.choose_data(Recipe("wine", {}))


def test_the_features_of_the_scatter_matrix_are_chosen_in_a_list(explored, qtbot):
    window, dialog = explored
    page = dialog.pages[1]
    assert not page.features.isVisibleTo(page)  # four of four are on show
    window.choose_data(Recipe("digits", {}))
    qtbot.waitUntil(lambda: dialog.seen.points is window.document.data)
    dialog.tabs.setCurrentIndex(2)
    assert page.features.isVisibleTo(page)
    assert page.picture.numbers == tuple(range(8))
    for row in range(6):
        page.features.item(row).setCheckState(Qt.CheckState.Unchecked)
    page.features.item(42).setCheckState(Qt.CheckState.Checked)
    assert page.picture.numbers == (6, 7, 42)
    assert dialog.note.text().startswith("3 of 64 features are shown. Tick others")
    page.features.item(6).setCheckState(Qt.CheckState.Unchecked)
    page.features.item(7).setCheckState(Qt.CheckState.Unchecked)  # a pair needs two
    assert page.picture.numbers == (7, 42)
    assert page.features.item(7).checkState() == Qt.CheckState.Checked
    place = page.picture.cell(1, 0).center()
    assert page.picture.describe(1, 0).startswith("pixel 5 2 and pixel 0 7: r = ")
    qtbot.mouseClick(page.picture, Qt.MouseButton.LeftButton, pos=QPoint(round(place.x()), round(place.y())))
    assert window.document.axes == (7, 42)
    assert dialog.pages[1].picture.numbers == (7, 42)
    expected = window.document.data.X[:, 42]
    unit = (expected - expected.min()) / np.ptp(expected)
    assert np.isin(np.round(page.picture._unit[:, 1], 9), np.round(unit, 9)).all()


def test_one_feature_too_many_takes_the_place_of_the_last(explored, qtbot):
    window, dialog = explored
    window.choose_data(Recipe("digits", {}))
    qtbot.waitUntil(lambda: dialog.seen.points is window.document.data)
    page = dialog.pages[1]
    page.features.item(50).setCheckState(Qt.CheckState.Checked)
    assert page.picture.numbers == (0, 1, 2, 3, 4, 5, 6, 50)
    assert page.features.item(7).checkState() == Qt.CheckState.Unchecked


def test_there_is_nothing_to_explore_on_a_blank_board(window):
    blank = window.document.with_data(Points(np.zeros((0, 2))))
    window.data_controller.explore()
    assert window.data_controller.explorer is not None
    window.apply(blank, "blank board")
    assert window.data_controller.explorer is None
    window.data_controller.explore()
    assert window.data_controller.explorer is None


def test_selected_points_are_summarised_beside_all(explored, qtmodeltester):
    window, dialog = explored
    chosen = np.arange(100, 150)
    window.drawing.select(chosen)
    model = dialog.model
    qtmodeltester.check(model, force_py=True)
    assert model.rowCount() == 8
    assert model.index(1, 0).data().strip() == "50 selected points"
    data = window.document.data
    assert [model.index(row, 2).data() for row in (0, 1)] == [
        f"{data.X[:, 0].mean():.4g}",
        f"{data.X[100:, 0].mean():.4g}",
    ]
    window.drawing.select(np.empty(0, dtype=np.intp))
    assert model.rowCount() == 4
    assert model.index(0, 12).data() == f"{dialog.seen.features[0].outcome:.2f}"
