"""The pad: what is drawn is shown to the method and can be added to the data."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from algorithms.marks import Cloud3D, Scatter
from mlviz.data.spec import load_data
from mlviz.session.comparison import Setting
from mlviz.session.picture import Sketch
from mlviz.ui.board import _seen_in
from mlviz.views.renderers.cloud import CloudRenderer


@pytest.fixture
def digits():
    return load_data("digits").rows(np.arange(120))


def open_pad(window):
    window.knobs.setCurrentWidget(window.pad)
    return window.pad


def draw_one(pad):
    """A vertical line in the middle."""
    sheet = pad.sheet
    middle = sheet.area().center().toPoint()
    top, bottom = (QPoint(middle.x(), round(edge)) for edge in (sheet.area().top() + 10, sheet.area().bottom() - 10))
    QTest.mousePress(sheet, Qt.MouseButton.LeftButton, pos=top)
    QTest.mouseMove(sheet, bottom)
    QTest.mouseRelease(sheet, Qt.MouseButton.LeftButton, pos=bottom)


def test_it_is_there_only_for_pictures(make_window, digits):
    window = make_window("k_means")
    assert window.pad is None
    window.apply(window.document.with_data(digits), "digits")
    number = window.knobs.indexOf(window.pad)
    assert window.knobs.isTabVisible(number)
    window.undo()
    assert not window.knobs.isTabVisible(number)


def test_what_is_drawn_is_predicted_at_once_and_again_at_another_step(make_window, digits, qtbot):
    window = make_window("decision_tree", data=digits)
    pad = open_pad(window)
    assert not pad.add_button.isEnabled()
    draw_one(pad)
    qtbot.waitUntil(lambda: pad.answer.text().startswith("predicted"))
    qtbot.waitUntil(lambda: len(pad.scores.rows) == 5)
    shown = pad.scores.rows
    window.player.jump("end")
    qtbot.waitUntil(lambda: pad.scores.rows != shown)
    method = window.document.method
    qtbot.waitUntil(lambda: not window.player.running and window.player.arrived)

    def agrees():
        model = window.player.frame_of(window.document).snapshot.model
        best = digits.classes[int(method.predict(model, pad.row()[None])[0])]
        scores = np.sort(method.field(model, pad.row()[None])[0])[::-1]
        return pad.answer.text() == f"predicted {best}" and pad.scores.rows[0][1] == f"{scores[0]:.1%}"

    qtbot.waitUntil(agrees)
    pad.clear_button.click()
    assert pad.scores.rows == ()


def test_it_is_added_in_the_scale_of_the_data_with_the_chosen_class(make_window, digits):
    window = make_window("k_means", data=digits)
    pad = open_pad(window)
    draw_one(pad)
    pixels = pad.sheet.sketch.pixels(0.0, 16.0)
    assert pixels.max() > 8.0
    window.drawing.choose_class(3)
    assert pad.class_box.currentText() == digits.classes[3]
    pad.add_button.click()
    made = window.document.data
    assert made.n == digits.n + 1
    assert made.X[-1].tolist() == pixels.ravel().tolist()
    assert made.classes[made.y[-1]] == digits.classes[3]
    assert pad.sheet.sketch.is_blank
    window.undo()
    assert window.document.data is digits


def test_a_document_on_another_scale_gets_the_row_on_that_scale(make_window, digits):
    window = make_window("k_means", data=digits)
    window.data_controller.set_scale("0 to 1")
    pad = open_pad(window)
    draw_one(pad)
    given = pad.sheet.sketch.pixels(0.0, 16.0).ravel()
    assert np.allclose(pad.row(), window.document.scaling.applied(given[None])[0])
    pad.add_button.click()
    back = window.document.scaling.undone(window.document.data)
    assert np.allclose(back.X[-1], given)


def test_its_place_in_the_map_is_marked_until_the_sheet_is_cleared(make_window, digits, qtbot):
    window = make_window("pca", data=digits)
    marked = []
    board = window.board
    real, board.show_newcomer = board.show_newcomer, lambda place: (marked.append(place), real(place))
    pad = open_pad(window)
    window.player.jump("end")
    qtbot.waitUntil(lambda: not window.player.running and window.player.arrived)
    draw_one(pad)
    qtbot.waitUntil(lambda: bool(marked) and marked[-1] is not None)
    qtbot.waitUntil(lambda: pad.answer.text().startswith("Its position in the map is marked with a cross"))
    assert window.board.plane._newcomer is not None
    at = window.document.projection.project(pad.row())
    assert np.allclose(window.board.plane._newcomer.at, at[None])
    pad.clear()
    qtbot.waitUntil(lambda: marked[-1] is None)
    assert len(window.board.plane._newcomer.at) == 0


def test_a_method_without_a_map_says_the_numbers_and_of_no_cross(make_window, digits, qtbot):
    window = make_window("svd", data=digits)
    pad = open_pad(window)
    window.player.jump("end")
    qtbot.waitUntil(lambda: not window.player.running and window.player.arrived)
    draw_one(pad)
    title = window.document.method.title
    qtbot.waitUntil(lambda: pad.answer.text().startswith(f"{title} describes it by"))
    place = window.document.method.transform(window.player.shown.snapshot.model, pad.row()[None])[0]
    assert f"{len(place)} numbers: {place[0]:.4g}, {place[1]:.4g}" in pad.answer.text()


def test_the_eraser_and_the_right_button_erase(make_window, digits):
    window = make_window("k_means", data=digits)
    pad = open_pad(window)
    for button, erase in ((Qt.MouseButton.LeftButton, True), (Qt.MouseButton.RightButton, False)):
        pad.sheet.set_sketch(Sketch((8, 8), np.ones((32, 32), dtype=bool)))
        (pad.eraser_button if erase else pad.brush_button).click()
        QTest.mouseClick(pad.sheet, button, pos=pad.sheet.area().center().toPoint())
        assert 0 < pad.sheet.sketch.dots.sum() < 32 * 32


def test_strokes_and_clearing_are_taken_back_one_by_one(make_window, digits):
    window = make_window("k_means", data=digits)
    pad = open_pad(window)
    assert not pad.undo_button.isEnabled()
    draw_one(pad)
    first = pad.sheet.sketch
    QTest.mouseClick(pad.sheet, Qt.MouseButton.LeftButton, pos=pad.sheet.area().topLeft().toPoint() + QPoint(9, 9))
    second = pad.sheet.sketch
    assert second.dots.sum() > first.dots.sum()
    pad.clear_button.click()
    assert pad.sheet.sketch.is_blank
    for before in (second, first):
        pad.undo_button.click()
        assert pad.sheet.sketch is before
    pad.undo_button.click()
    assert pad.sheet.sketch.is_blank
    assert not pad.undo_button.isEnabled()
    assert window.document.data is digits  # the strokes are no edits of the data


def crosses(board):
    """Where the newcomer is marked in the views of a board but its plane, in pixels or in the scale of the view."""
    layers = [view._newcomer for view in board.views.values() if view is not board.plane and view._newcomer is not None]
    return np.concatenate([np.zeros((0, 2)), *(layer.at for layer in layers)])


def test_it_appears_in_the_map_of_every_board(make_window, digits, qtbot):
    window = make_window("pca", data=digits)
    other = Setting("mds")
    window.apply(window.document.beside(other).with_active(0), "beside")
    pad = open_pad(window)
    window.player.jump("end")
    qtbot.waitUntil(lambda: all(not pane.player.running and pane.player.arrived for pane in window.boards.panes))
    draw_one(pad)

    def agree():
        for place, pane in enumerate(window.boards.panes):
            document = window.document.at(place)
            frame = pane.player.frame_of(document)
            if frame is None:
                return False
            found = crosses(pane.board)
            wanted = document.method.transform(frame.snapshot.model, pad.row()[None])[:, :2]
            if len(found) == 0 or not np.allclose(found, wanted):
                return False
        return True

    qtbot.waitUntil(agree)
    pad.clear()
    qtbot.waitUntil(lambda: all(len(crosses(pane.board)) == 0 for pane in window.boards.panes))


def test_in_a_map_of_three_dimensions_it_is_a_cross_that_turns_with_the_cloud(make_window, digits, qtbot):
    window = make_window("mds", data=digits, dimensions=3)
    pad = open_pad(window)
    window.player.jump("end")
    qtbot.waitUntil(lambda: not window.player.running and window.player.arrived)
    draw_one(pad)
    view = window.board.views["embedding"]
    (renderer,) = [one for one in view._renderers.values() if isinstance(one, CloudRenderer)]
    qtbot.waitUntil(lambda: len(renderer._cross.at) == 1)
    before = renderer._cross.at.copy()
    renderer.turn_to((renderer.camera.around + 0.5, renderer.camera.raised))
    assert not np.allclose(renderer._cross.at, before)
    pad.clear()
    qtbot.waitUntil(lambda: len(renderer._cross.at) == 0)


@pytest.mark.parametrize(
    ("mark", "wanted"),
    [
        (Scatter(np.zeros((4, 2))), {1: [1, 0], 2: [1, 2], 3: [1, 2], 10: [1, 2]}),  # the first two of many coordinates
        (Cloud3D(np.zeros((4, 3))), {1: None, 2: None, 3: [1, 2, 3], 10: None}),
        (Scatter(np.zeros((4, 2)), partners=np.zeros(4, dtype=int)), {2: None, 3: None}),  # pairs are no map
    ],
)
def test_where_a_mark_shows_a_newcomer(mark, wanted):
    assert _seen_in(mark, None) is None
    assert _seen_in(mark, np.empty(0)) is None
    for k, place in wanted.items():
        found = _seen_in(mark, np.arange(1.0, k + 1.0))
        assert (found is None) == (place is None)
        assert found is None or found.tolist() == place


def test_in_a_map_without_a_coordinate_yet_nothing_is_marked(make_window, digits, qtbot):
    """Sparse components are found one by one: at the first step there is none."""
    window = make_window("sparse_pca", data=digits)
    pad = open_pad(window)
    window.player.jump("start")
    draw_one(pad)
    window.player.jump("end")
    qtbot.waitUntil(lambda: pad.answer.text().startswith("Its position in the map"))


@pytest.mark.parametrize(("height", "direction", "side"), [(180, "LeftToRight", 120), (700, "TopToBottom", 220)])
def test_all_of_the_sheet_is_in_view_also_where_the_pad_is_low(make_window, digits, height, direction, side):
    """What is said of the picture then stands beside it."""
    pad = open_pad(make_window("decision_tree", data=digits))
    pad.resize(320, height)
    assert pad._middle.direction().name == direction
    assert pad.sheet.minimumHeight() == pad.sheet.maximumHeight() == side
    assert side + pad.clear_button.sizeHint().height() < height


def test_the_first_picture_can_be_drawn_where_all_were_deleted(make_window, digits):
    window = make_window("k_means")
    window.apply(window.document.with_data(digits.rows(np.empty(0, dtype=int))), "delete all")
    pad = open_pad(window)
    draw_one(pad)
    pad.add()
    data = window.document.data
    assert (data.n, data.image_shape, data.X.max() > 0.5) == (1, digits.image_shape, True)
    window.undo()
    assert window.document.data.n == 0
