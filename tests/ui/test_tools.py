"""The drawing tools, used with the mouse and the keyboard."""

import numpy as np
import pytest
from PySide6.QtCore import SIGNAL, QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication, QToolButton

from algorithms import Points
from mlviz.data.generators import generate
from mlviz.session import edits
from mlviz.ui.editors.point_tools import TOOLS
from mlviz.ui.editors.points import PointsEditor

LEFT, RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton
SHIFT, CONTROL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier


class Mouse:
    """A mouse over the plane of a window; places are given in the coordinates of the data."""

    def __init__(self, window):
        self.plane = window.board.plane

    def pixel(self, x, y):
        return QPointF(self.plane.mapFromScene(self.plane.box.mapViewToScene(QPointF(x, y))))

    def send(self, kind, position, button, buttons, keys):
        viewport = self.plane.viewport()
        place = QPointF(viewport.mapToGlobal(position.toPoint()))
        event = QMouseEvent(kind, position, place, button, buttons, keys)
        QApplication.sendEvent(viewport, event)

    def press(self, at, keys=Qt.KeyboardModifier.NoModifier, button=LEFT):
        self.send(QEvent.Type.MouseButtonPress, self.pixel(*at), button, button, keys)

    def move(self, at, keys=Qt.KeyboardModifier.NoModifier, button=LEFT):
        self.send(QEvent.Type.MouseMove, self.pixel(*at), Qt.MouseButton.NoButton, button, keys)

    def release(self, at, keys=Qt.KeyboardModifier.NoModifier, button=LEFT):
        self.send(QEvent.Type.MouseButtonRelease, self.pixel(*at), button, Qt.MouseButton.NoButton, keys)

    def stroke(self, *places, keys=Qt.KeyboardModifier.NoModifier, button=LEFT):
        self.press(places[0], keys, button)
        for place in places[1:]:
            self.move(place, keys, button)
        self.release(places[-1], keys, button)

    @property
    def unit(self):
        """The size of a pixel in the coordinates of the data."""
        return np.abs(self.plane.box.viewPixelSize())


def corners():
    """Four points of two classes, far apart."""
    return Points([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0], [10.0, 10.0]], [0, 0, 1, 1], classes=("a", "b"), name="four")


@pytest.fixture
def board(make_window):
    """``board(data)`` gives a window on the data and its mouse."""

    def make(data=None, algorithm="k_means", **params):
        window = make_window(algorithm, data or corners(), **(params or ({"k": 2} if algorithm == "k_means" else {})))
        return window, Mouse(window)

    return make


def restored(window, data):
    """Undo takes the stroke back as one step, to the very same data."""
    window.undo()
    return window.document.data is data and not window.history.can_undo


def test_the_hand_pans_and_draws_nothing(board):
    window, mouse = board()
    before = window.board.plane.view_rect()
    mouse.stroke((5.0, 5.0), (6.0, 5.0), (8.0, 5.0))
    assert window.document.data.n == 4
    assert window.drawing.tool.name == "hand"
    assert window.board.plane.view_rect() != before


def test_a_click_places_a_point_of_the_chosen_class_which_can_be_dragged(board, qtbot):
    window, mouse = board()
    before = window.document.data
    qtbot.keyClick(window, Qt.Key.Key_P)
    qtbot.keyClick(window, Qt.Key.Key_2)
    mouse.stroke((3.0, 4.0), (5.0, 5.0), (7.0, 6.0))
    data = window.document.data
    assert data.n == 5
    assert data.X[4] == pytest.approx([7.0, 6.0], abs=mouse.unit.max())
    assert data.y.tolist() == [0, 0, 1, 1, 1]
    assert window.history.undo_text == "draw a point"
    assert restored(window, before)


def test_the_view_stays_while_one_draws_and_undoes_but_fits_other_data(board, qtbot):
    window, mouse = board()
    window.drawing.choose("point")
    window.board.plane.box.setRange(xRange=(2, 4), yRange=(-1, 1), padding=0)  # no point of the data is in it
    mouse.stroke((3.0, 0.5))
    shown = window.board.plane.view_rect()
    assert window.document.data.n == 5
    mouse.stroke((3.2, 0.6))
    window.undo()
    assert window.board.plane.view_rect() == shown
    window.apply(window.document.with_data(generate("moons", n=40)), "other data")
    assert window.board.plane.view_rect() != shown


def test_the_right_button_pans_with_any_tool(board):
    window, mouse = board()
    window.drawing.choose("spray")
    before = window.board.plane.view_rect()
    mouse.stroke((5.0, 5.0), (6.0, 5.0), (8.0, 5.0), button=RIGHT)
    assert window.document.data.n == 4
    assert window.board.plane.view_rect() != before


def test_the_spray_is_as_wide_and_as_dense_as_set(board):
    window, mouse = board()
    before = window.document.data
    window.drawing.choose("spray")
    window.drawing.set_brush(radius=20, flow=5)
    mouse.stroke((2.0, 5.0), (4.0, 5.0), (8.0, 5.0))
    fresh = window.document.data.X[4:]
    half = 0.5 * 20 * mouse.unit[0]
    assert len(fresh) == pytest.approx(5 * (1 + 6.0 / half), abs=5)
    assert np.abs(fresh[:, 1] - 5.0).max() <= 20 * mouse.unit[1] * 1.1
    assert restored(window, before)


def test_the_cursor_shows_the_brush(board):
    window, mouse = board()
    cursor = window.board.plane.brush.cursor
    window.drawing.choose("erase")
    window.drawing.set_brush(radius=30)
    mouse.move((5.0, 5.0), button=Qt.MouseButton.NoButton)
    box = cursor._path.boundingRect()
    assert box.width() == pytest.approx(60 * mouse.unit[0], rel=0.02)
    assert (box.center().x(), box.center().y()) == pytest.approx((5.0, 5.0), abs=mouse.unit.max())
    window.actions_table["brush_larger"].trigger()
    assert cursor._path.boundingRect().width() > box.width()
    window.drawing.choose("point")
    assert cursor._path.isEmpty()


def test_the_eraser_removes_what_it_touches_on_its_way(board):
    window, mouse = board()
    before = window.document.data
    window.drawing.choose("erase")
    mouse.stroke((-0.5, 0.0), (10.5, 0.0))  # one fast move over two points
    assert window.document.data.X.tolist() == [[0.0, 10.0], [10.0, 10.0]]
    assert window.document.data.classes == ("a", "b")
    assert restored(window, before)


def test_a_rectangle_selects_and_delete_removes_the_selection(board, qtbot):
    window, mouse = board()
    before = window.document.data
    qtbot.keyClick(window, Qt.Key.Key_V)
    mouse.stroke((-0.6, -0.6), (5.0, 3.0), (10.6, 4.0))
    assert window.drawing.selection.tolist() == [0, 1]
    assert len(window.board.plane.brush.rings.at) == 2
    mouse.stroke((5.0, 9.0), (10.6, 10.6), keys=SHIFT)
    assert window.drawing.selection.tolist() == [0, 1, 3]
    assert not window.history.can_undo  # looking is no change
    qtbot.keyClick(window, Qt.Key.Key_Delete)
    assert window.document.data.X.tolist() == [[0.0, 10.0]]
    assert len(window.drawing.selection) == 0
    assert restored(window, before)


def test_a_lasso_selects_what_it_encloses(board):
    window, mouse = board()
    window.drawing.choose("lasso")
    mouse.stroke((-0.6, -0.6), (11.0, -0.6), (11.0, 10.6), (9.0, 10.6), (9.0, 1.0), (-0.6, 1.0))
    assert window.drawing.selection.tolist() == [0, 1, 3]


def test_a_point_is_dragged_alone_and_a_selection_together(board):
    window, mouse = board()
    before = window.document.data
    window.drawing.choose("select")
    mouse.stroke((0.0, 0.0), (1.0, 1.0), (2.0, 1.0))
    assert pytest.approx(np.array([[2, 1], [10, 0], [0, 10], [10, 10.0]]), abs=0.15) == window.document.data.X
    assert restored(window, before)
    mouse.stroke((-0.6, 9.0), (11.0, 10.6))
    mouse.stroke((10.0, 10.0), (9.0, 6.0), (9.0, 5.0))
    assert pytest.approx(np.array([[0, 0], [10, 0], [-1, 5], [9, 5.0]]), abs=0.15) == window.document.data.X
    assert window.drawing.selection.tolist() == [2, 3]
    assert window.board.plane.brush.rings.at == pytest.approx(window.document.data.X[2:])
    assert restored(window, before)


@pytest.mark.parametrize(("tool", "keys"), [("select", CONTROL), ("move", Qt.KeyboardModifier.NoModifier)])
def test_a_whole_class_is_moved(board, tool, keys):
    window, mouse = board()
    before = window.document.data
    window.drawing.choose(tool)
    mouse.stroke((10.0, 0.0), (11.0, 1.0), (10.0, 3.0), keys=keys)
    assert pytest.approx(np.array([[0, 3], [10, 3], [0, 10], [10, 10.0]]), abs=0.15) == window.document.data.X
    assert restored(window, before)


@pytest.mark.parametrize("keys", [Qt.KeyboardModifier.NoModifier, CONTROL, Qt.KeyboardModifier.ShiftModifier])
def test_every_tool_works_where_no_point_is_left(board, keys):
    """To move the class of the nearest point looked for a class of none."""
    window, mouse = board()
    window.actions_table["new"].trigger()
    empty = window.document
    for tool in TOOLS:
        window.drawing.choose(tool.name)
        mouse.stroke((0.4, 0.4), (0.6, 0.5), (0.6, 0.6), keys=keys)
        while window.document is not empty:
            window.undo()
    assert empty.data.n == 0
    assert empty.data.is_labelled


def test_the_relabel_brush_gives_the_chosen_class(board):
    window, mouse = board()
    before = window.document.data
    window.drawing.choose("relabel")
    window.drawing.choose_class(1)
    mouse.stroke((0.0, -0.2), (0.0, 5.0))
    assert window.document.data.y.tolist() == [1, 0, 1, 1]
    assert restored(window, before)


def test_the_relabel_brush_says_when_there_are_no_classes(board):
    window, mouse = board(Points([[0.0, 0.0], [1.0, 1.0]]))
    window.drawing.choose("relabel")
    mouse.stroke((0.5, 0.5))
    assert "needs a class" in window.statusBar().currentMessage()


def test_a_line_stands_where_it_was_drawn(board):
    window, mouse = board()
    window.drawing.set_brush(count=5)
    window.drawing.choose("line")
    mouse.stroke((1.0, 2.0), (4.0, 4.0), (9.0, 6.0))
    expected = np.column_stack([np.linspace(1, 9, 5), np.linspace(2, 6, 5)])
    assert window.document.data.X[4:] == pytest.approx(expected, abs=mouse.unit.max())
    assert window.board.plane.brush.band._path.isEmpty()


def test_the_stamp_has_its_mean_at_the_press_and_the_dragged_ellipse(board):
    window, mouse = board()
    before = window.document.data
    window.drawing.set_brush(count=300)
    window.drawing.choose("stamp")
    mouse.stroke((5.0, 5.0), (6.0, 6.0), (9.0, 6.0))
    fresh = window.document.data.X[4:]
    assert len(fresh) == 300
    assert fresh.mean(axis=0) == pytest.approx([5.0, 5.0], abs=0.5)
    assert fresh.std(axis=0) == pytest.approx([2.0, 0.5], rel=0.2)  # the ellipse is two standard deviations
    assert restored(window, before)


def test_jitter_and_attract_move_only_what_they_touch(board):
    window, mouse = board()
    before = window.document.data
    window.drawing.choose("jitter")
    mouse.stroke((0.0, 0.0))
    assert window.document.data.X[1:].tolist() == before.X[1:].tolist()
    assert 0 < np.hypot(*window.document.data.X[0]) < 24 * mouse.unit[0] * 2
    assert restored(window, before)
    window.drawing.choose("attract")
    mouse.stroke((0.3, 0.3))
    assert window.document.data.X[1:].tolist() == before.X[1:].tolist()
    assert 0 < window.document.data.X[0, 0] < 0.3
    assert restored(window, before)


def test_over_one_feature_a_point_is_a_place_and_a_target(board):
    line = Points([[0.0], [1.0], [2.0]], [0.0, 1.0, 4.0])
    window, mouse = board(line, "linear_regression")
    assert window.drawing_bar.classes.isHidden()
    window.drawing.choose("point")
    mouse.stroke((0.5, 3.0))
    data = window.document.data
    assert (data.X[3, 0], data.y[3]) == pytest.approx((0.5, 3.0), abs=mouse.unit.max())


def test_with_more_features_a_sentence_says_what_becomes_of_the_others(board):
    data = Points(np.random.default_rng(0).normal(size=(20, 5)))
    window, mouse = board(data)
    window.drawing.choose("point")
    assert "means of the other 3 features" in window.statusBar().currentMessage()
    mouse.stroke((0.1, 0.2))
    assert window.document.data.X[20, 2:] == pytest.approx(data.X[:, 2:].mean(axis=0))


# -- classes -------------------------------------------------------------------------------------------------------


def test_keys_choose_classes_and_plus_adds_one_with_its_first_point(board, qtbot):
    window, mouse = board()
    bar = window.drawing_bar.classes
    qtbot.keyClick(window, Qt.Key.Key_2)
    assert window.drawing.group == 1
    assert bar.buttons[1].isChecked()
    assert not bar.buttons[2].isVisible()
    qtbot.keyClick(window, Qt.Key.Key_Plus)
    assert window.drawing.group == 2
    assert bar.buttons[2].isVisible()
    assert window.document.data.classes == ("a", "b")  # a class without points is none yet
    window.drawing.choose("point")
    mouse.stroke((5.0, 5.0))
    assert window.document.data.classes == ("a", "b", "class 3")
    assert window.document.data.y[-1] == 2
    window.undo()
    assert window.document.data.classes == ("a", "b")
    assert window.drawing.group == 0
    assert not bar.buttons[2].isVisible()


def test_the_class_chooser_is_hidden_without_classes(board):
    window, _ = board(Points([[0.0, 0.0], [1.0, 1.0]]))
    assert window.drawing_bar.classes.isHidden()
    assert not window.actions_table["class_1"].isEnabled()


def test_a_class_is_renamed_and_recoloured_through_the_popup(board, qtbot):
    window, _ = board()
    bar = window.drawing_bar.classes
    bar.chosen.emit(1)
    window.actions_table["class_edit"].trigger()
    assert bar.popup.isVisible()
    bar.popup.name.setText("leaf")
    qtbot.keyClick(bar.popup.name, Qt.Key.Key_Return)
    assert not bar.popup.isVisible()
    assert window.document.data.classes == ("a", "leaf")
    bar.edit(1)
    bar.popup.swatches[3].click()
    bar.popup.hide()
    assert window.document.colours == ("", "#cc79a7")
    assert window.board.plane.theme.colour(1) == "#cc79a7"
    window.undo()
    assert window.document.colours == ()
    assert window.board.plane.theme.colour(1) == "#d55e00"
    window.undo()
    assert window.document.data.classes == ("a", "b")


def test_a_right_click_on_a_class_asks_for_its_name(board, qtbot):
    window, _ = board()
    qtbot.mouseClick(window.drawing_bar.classes.buttons[0], RIGHT)
    assert window.drawing_bar.classes.popup.isVisible()
    assert window.drawing_bar.classes.popup.name.text() == "a"
    window.drawing_bar.classes.popup.hide()


def many_classes(count=12):
    at = np.random.default_rng(0).uniform(0, 10, (4 * count, 2))
    return Points(at, np.arange(4 * count) % count, classes=tuple(f"kind {k + 1}" for k in range(count)))


def test_digits_give_way_to_the_name_of_the_method(board):
    window, _ = board(many_classes(4))
    bar = window.drawing_bar.classes
    window.resize(1024, 768)
    assert bar.buttons[0].toolButtonStyle() is Qt.ToolButtonStyle.ToolButtonIconOnly
    assert window.title_label.width() >= 90
    window.resize(1280, 820)
    assert bar.buttons[0].toolButtonStyle() is Qt.ToolButtonStyle.ToolButtonTextBesideIcon


def test_classes_without_a_key_are_in_a_list(board):
    window, mouse = board(many_classes())
    bar = window.drawing_bar.classes
    assert [button.isVisibleTo(bar) for button in bar.buttons] == [True] * 3 + [False] * 6
    assert bar.more.isVisibleTo(bar)
    window.resize(1400, 768)
    assert [button.isVisibleTo(bar) for button in bar.buttons] == [True] * 7 + [False] * 2
    listed = [action.text().split("   ")[1] for action in bar.menu.actions()]
    assert listed == ["kind 8", "kind 9", "kind 10", "kind 11", "kind 12"]
    window.actions_table["class_8"].trigger()  # the keys go on to 9
    assert (window.drawing.group, bar.more.text()) == (7, "8")
    bar.menu.actions()[3].trigger()
    assert window.drawing.group == 10
    assert (bar.more.text(), bar.more.isChecked()) == ("11", True)
    assert not any(button.isChecked() for button in bar.buttons)
    window.drawing.choose("point")
    mouse.stroke((5.0, 5.0))
    assert window.document.data.y[-1] == 10
    window.actions_table["class_edit"].trigger()
    assert bar.popup.name.text() == "kind 11"
    bar.popup.hide()
    bar.chosen.emit(2)
    assert (bar.more.text(), bar.more.isChecked()) == ("…", False)


def test_the_tool_bar_fits_a_projector_with_any_number_of_classes(board):
    window, _ = board(many_classes(9))
    for count in (4, 5, 6, 7, 9, 12, 40):
        window.apply(window.document.with_data(many_classes(count)), "other data")
        QApplication.processEvents()
        QApplication.processEvents()
        for name in ("theme", "present", "export"):
            button = window.findChild(QToolButton, f"bar_{name}")
            assert button.isVisible()
            assert button.geometry().right() <= window.toolbar.width() <= 1024


def test_a_tenth_class_can_be_added_and_drawn(board, qtbot):
    window, mouse = board(many_classes(9))
    bar = window.drawing_bar.classes
    window.resize(1400, 768)
    assert not bar.more.isVisibleTo(bar)
    window.actions_table["class_add"].trigger()
    assert window.drawing.group == 9
    window.drawing.choose("point")
    mouse.stroke((5.0, 5.0))
    assert window.document.data.classes[-1] == "class 10"
    assert window.document.data.y[-1] == 9


def test_a_tool_brings_the_plane_to_the_front(make_window, qtbot):
    window = make_window("mlp", generate("moons", n=40))
    seconds, plane = window.board.seconds, window.board.plane
    qtbot.waitUntil(lambda: seconds.isTabVisible(seconds.indexOf(plane)) and seconds.count() > 2)
    other = next(k for k in range(seconds.count()) if seconds.widget(k) is not plane)
    seconds.setTabVisible(other, True)
    seconds.setCurrentIndex(other)
    assert not plane.isVisible()
    qtbot.keyClick(window, Qt.Key.Key_H)
    assert not plane.isVisible()
    qtbot.keyClick(window, Qt.Key.Key_B)
    assert plane.isVisible()


# -- the run, the bar ----------------------------------------------------------------------------------------------


def test_the_algorithm_follows_a_stroke_that_is_still_going_on(board, qtbot):
    window, mouse = board()
    window.drawing.choose("spray")
    mouse.press((2.0, 5.0))
    mouse.move((8.0, 5.0))
    qtbot.waitUntil(lambda: window.player.engine is not None and window.player.engine.data.n > 4)
    known = window.player.engine.data.n
    qtbot.waitUntil(lambda: window.board.up_to_date)
    mouse.move((8.0, 2.0))
    qtbot.waitUntil(lambda: window.player.engine is not None and window.player.engine.data.n > known)
    mouse.release((8.0, 2.0))
    window.undo()
    assert window.document.data.n == 4
    assert not window.history.can_undo


def test_what_is_seen_stays_until_the_algorithm_has_seen_the_edit(board, qtbot):
    window, mouse = board()
    window.player.jump("end")
    qtbot.waitUntil(lambda: not window.player.running and window.board.plane._recoloured and window.board.up_to_date)
    fills = window.board.plane._fills.copy()
    window.drawing.choose("erase")
    mouse.press((0.0, 0.0))
    assert len(window.board.plane.points.at) == 3
    mouse.release((0.0, 0.0))
    assert window.board.plane._fills.tolist() == fills[1:].tolist()
    assert any(renderer.items[0].isVisible() for renderer in window.board.plane._renderers.values() if renderer.items)


def test_escape_abandons_the_stroke(board, qtbot):
    window, mouse = board()
    before = window.document.data
    window.drawing.choose("spray")
    mouse.press((2.0, 5.0))
    mouse.move((8.0, 5.0))
    qtbot.waitUntil(lambda: window.document.data.n > 4)
    window.actions_table["cancel"].trigger()
    mouse.release((8.0, 5.0))
    assert window.document.data is before
    assert len(window.board.plane.points.at) == 4


def test_the_bar_shows_the_tool_and_fits_a_projector(board):
    window, _ = board(generate("blobs", n=60, centres=5))
    window.actions_table["tool_erase"].trigger()
    checked = [tool.name for tool in TOOLS if window.findChild(QToolButton, f"tool_{tool.name}").isChecked()]
    assert checked == ["erase"]
    assert window.width() == 1024
    assert window.toolbar.sizeHint().width() <= 1024
    last = window.findChild(QToolButton, "bar_export")
    assert last.isVisible()
    window.toggle_presenter()
    assert not window.drawing_bar.isVisible()
    window.toggle_presenter()
    assert window.drawing_bar.isVisible()


def test_tools_cannot_be_taken_where_no_plane_is_shown(board, monkeypatch):
    window, _ = board()
    window.drawing.choose("spray")
    with monkeypatch.context() as patch:
        patch.setattr(PointsEditor, "possible", property(lambda drawing: False))
        window.choose_algorithm("gaussian_mixture")
        assert window.drawing.tool.name == "hand"
        assert not window.actions_table["tool_spray"].isEnabled()
    window.undo()
    assert window.actions_table["tool_spray"].isEnabled()


def test_the_settings_of_the_brush_are_in_a_popup(board):
    window, _ = board()
    bar = window.drawing_bar
    bar.brush_button.click()
    assert bar.settings.isVisible()
    bar.settings.sliders["flow"].setValue(12)
    assert window.drawing.brush.flow == 12
    bar.settings.hide()


@pytest.mark.parametrize("algorithm", ["k_means", "gaussian_mixture", "agglomerative", "kernel_svm", "decision_tree"])
def test_every_edit_can_be_made_under_any_method(board, qtbot, algorithm):
    """Old frames speak of points that are gone; nothing may be drawn, lit or explained with their numbers."""
    window, mouse = board(generate("blobs", n=40, centres=2, seed=1), algorithm)
    window.player.jump("end")
    qtbot.waitUntil(lambda: window.board.up_to_date)
    at = edits.positions(window.document.data, (0, 1))
    for tool in TOOLS[1:]:
        window.drawing.choose(tool.name)
        mouse.stroke(tuple(at[0]), tuple(at[5]), tuple(at[9]))
        mouse.move(tuple(at[3]), button=Qt.MouseButton.NoButton)
    window.set_theme("dark")
    qtbot.waitUntil(lambda: window.board.up_to_date)
    while window.history.can_undo:
        window.undo()
    assert window.document.data.n == 40


def test_points_that_a_method_without_data_has_put_away_are_not_deleted(window):
    window.actions_table["select_all"].trigger()
    assert len(window.drawing.selection)
    before = window.document.data
    window.choose_algorithm("majority_vote")
    window.actions_table["delete"].trigger()
    assert window.statusBar().currentMessage().startswith("Nothing is selected")
    window.undo()
    assert window.document.data is before


def test_however_often_an_action_changes_its_button_is_connected_once(board):
    window, _ = board(generate("blobs", n=60))
    for name in ("undo", "export", "tool_erase"):
        action, button = window.actions_table[name], window.findChild(QToolButton, name)
        button = button or window.findChild(QToolButton, f"bar_{name}")
        before = action.receivers(SIGNAL("changed()"))
        for number in range(20):
            action.setEnabled(number % 2 == 0)
            action.setText(f"this && that {number}")
        assert action.receivers(SIGNAL("changed()")) == before
        assert (button.isEnabled(), button.text(), button.toolTip()) == (False, "this && that 19", action.toolTip())
