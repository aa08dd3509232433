"""Any view can be the large one: by its tab, the button or the key; remembered per method and in the session."""

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication

from mlviz.data.generators import generate
from mlviz.session.comparison import Setting
from mlviz.session.layout import Viewport

MOONS = generate("moons", n=60, seed=1)


def ready(board, *keys):
    return board.up_to_date and all(key in board.views for key in keys)


@pytest.fixture
def network(make_window, qtbot):
    """A network, whose diagram is the large view at first, at the end of its run."""
    window = make_window("mlp", MOONS, epochs=3)
    qtbot.waitUntil(lambda: window.player.engine.ended and ready(window.board, "plane"))
    assert window.board.large_key != "plane"
    qtbot.waitUntil(lambda: window.board.seconds.isTabVisible(window.board.seconds.indexOf(window.board.plane)))
    return window


def double_click(qtbot, board, view):
    """Click twice at the place of a tab, whatever is there the second time."""
    bar = board.seconds.tabBar()
    middle = bar.tabRect(board.seconds.indexOf(view)).center()
    place = bar.mapToGlobal(middle)
    qtbot.mouseClick(bar, Qt.MouseButton.LeftButton, pos=middle)
    there = QApplication.widgetAt(place) or bar
    left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    at = QPointF(there.mapFromGlobal(place))
    QApplication.sendEvent(there, QMouseEvent(QEvent.Type.MouseButtonDblClick, at, QPointF(place), left, left, none))


def test_a_double_click_on_a_tab_swaps_it_with_the_large_view_and_back(network, qtbot):
    board, first = network.board, network.board.large_key
    double_click(qtbot, board, board.plane)
    assert board.large.currentWidget() is board.plane
    assert board.seconds.indexOf(board.plane) < 0
    assert board.seconds.currentWidget() is board.views[first]
    assert board.views[first].isVisible()
    assert board.views[first].marks
    double_click(qtbot, board, board.views[first])
    assert board.large.currentWidget() is board.views[first]
    assert board.seconds.currentWidget() is board.plane
    assert board.large_choices == {}


def test_the_button_and_the_key_swap_the_view_in_front(network, qtbot):
    board, first = network.board, network.board.large_key
    board.seconds.setCurrentWidget(board.plane)
    board.plane.restore_viewport(Viewport((-0.5, 0.5, -0.5, 0.5)))
    qtbot.mouseClick(board.seconds.enlarge_button, Qt.MouseButton.LeftButton)
    assert board.large.currentWidget() is board.plane
    left, right, *_ = board.plane.view_rect()
    assert right - left < 2.0  # still looked at from near
    qtbot.keyClick(network, Qt.Key.Key_M, Qt.KeyboardModifier.ShiftModifier)
    assert board.large.currentWidget() is board.views[first]


def test_the_evaluation_can_be_large_and_the_line_is_drawn_among_the_data_below(network, qtbot):
    board, first, view = network.board, network.board.large_key, network.board.evaluation.view
    qtbot.waitUntil(lambda: board.seconds.isTabVisible(board.seconds.indexOf(view)))
    double_click(qtbot, board, view)
    assert board.large_key == "evaluation"
    assert board.large.currentWidget() is view
    assert board.seconds.indexOf(view) < 0
    assert board.seconds.currentWidget() is board.plane
    assert board.curves.isVisible()
    qtbot.waitUntil(lambda: view.scores is not None)
    view.set_threshold(0.9)
    assert board.compositor.threshold.level == 0.9
    assert board.draws_line()
    qtbot.keyClick(network, Qt.Key.Key_M)
    qtbot.waitUntil(lambda: view.height() > 0.95 * board.height())
    qtbot.keyClick(network, Qt.Key.Key_M)
    board.enlarge(board.views[first])
    assert board.large.currentWidget() is board.views[first]
    assert board.seconds.currentWidget() is board.plane  # the evaluation would fetch it into the large place
    assert board.large_choices == {}
    board.enlarge(view)
    board.enlarge(board.plane)
    assert board.large.currentWidget() is board.plane
    assert board.seconds.currentWidget() is view  # a swap


def test_the_curves_can_be_large_by_their_button_a_double_click_and_the_key(make_window, qtbot):
    window = make_window("k_means")
    board = window.board
    qtbot.waitUntil(lambda: window.player.engine.ended and board.up_to_date)
    assert board.seconds.isHidden()
    qtbot.mouseClick(board.places.curves_button, Qt.MouseButton.LeftButton)
    assert board.large.currentWidget() is board.curves
    assert board.large_choices == {"k_means": "curves"}
    qtbot.waitUntil(lambda: board.plane.isVisible() and bool(board.plane.marks))
    assert board.seconds.currentWidget() is board.plane
    assert not board.places.curves_button.isVisible()
    window.player.seek(2)
    qtbot.waitUntil(lambda: board.curves._playhead == 2)
    qtbot.keyClick(window, Qt.Key.Key_M)
    qtbot.waitUntil(lambda: board.curves.height() > 0.95 * board.height())
    qtbot.keyClick(window, Qt.Key.Key_M)
    qtbot.keyClick(window, Qt.Key.Key_M, Qt.KeyboardModifier.ShiftModifier)
    assert board.large.currentWidget() is board.plane
    assert board.below.indexOf(board.curves) >= 0
    assert board.curves.isVisible()
    assert board.places.curves_button.isVisible()
    board.curves.tabs.tabBarDoubleClicked.emit(0)
    assert board.large_key == "curves"
    board.curves.tabs.tabBarDoubleClicked.emit(0)
    assert board.large_key == "plane"


def test_an_evaluation_that_is_no_longer_possible_leaves_the_large_place(make_window, qtbot):
    window = make_window("decision_tree", MOONS)
    board = window.board
    qtbot.waitUntil(lambda: window.player.engine.ended and ready(board, "plane"))
    board.enlarge(board.evaluation.view)
    qtbot.waitUntil(lambda: board.evaluation.view.scores is not None)
    one = type(MOONS)(MOONS.X, np.zeros(MOONS.n, dtype=np.int64))  # one class, which every answer hits
    window.apply(window.document.with_data(one), "other data")
    qtbot.waitUntil(lambda: window.player.engine.data is one and board.up_to_date)
    assert board.large_key == window.document.method.panels[0].key
    assert not board.evaluation.view.isVisible()
    window.undo()
    qtbot.waitUntil(lambda: window.player.engine.data is MOONS and board.up_to_date)
    assert board.large.currentWidget() is board.evaluation.view


def test_m_shows_alone_whatever_is_large_and_a_new_size_leaves_it_so(network, qtbot):
    board = network.board
    board.enlarge(board.plane)
    qtbot.keyClick(network, Qt.Key.Key_M)
    qtbot.waitUntil(lambda: board.plane.height() > 0.95 * board.height())
    network.resize(network.width() + 40, network.height() + 40)
    qtbot.waitUntil(lambda: board.plane.height() > 0.95 * board.height())
    assert board.below.isHidden()
    qtbot.keyClick(network, Qt.Key.Key_M)
    assert board.below.isVisible()


def test_the_choice_is_remembered_per_method(network, qtbot):
    board = network.board
    board.enlarge(board.plane)
    network.choose_algorithm("decision_tree")
    qtbot.waitUntil(lambda: network.player.engine.algorithm.key == "decision_tree" and ready(board, "tree", "plane"))
    first = network.document.method.panels[0].key
    assert board.large_key == first
    network.choose_algorithm("mlp")
    qtbot.waitUntil(lambda: network.player.engine.algorithm.key == "mlp" and ready(board, "plane"))
    assert board.large.currentWidget() is board.plane


def test_the_session_brings_it_back(network, make_window, qtbot, tmp_path):
    network.board.enlarge(network.board.plane)
    network.files.save_path(tmp_path / "a.mlviz")
    other = make_window("k_means")
    other.files.open_path(tmp_path / "a.mlviz")
    qtbot.waitUntil(lambda: other.player.engine.algorithm.key == "mlp" and ready(other.board, "plane"))
    assert other.board.large_choices == {"mlp": "plane"}
    assert other.board.large.currentWidget() is other.board.plane


def test_the_view_beside_the_curves_can_be_large(make_window, qtbot):
    window = make_window("decision_tree", MOONS)
    board = window.board
    qtbot.waitUntil(lambda: window.player.engine.ended and ready(board, "sweep"))
    window.player.seek(2)
    qtbot.waitUntil(lambda: board.curves.aside_in_front)
    before = board.large_key
    board.curves.tabs.tabBarDoubleClicked.emit(0)
    assert board.large.currentWidget() is board.views["sweep"]
    assert not board.curves.aside_in_front
    board.enlarge(board.views[before])
    assert board.large.currentWidget() is board.views[before]
    assert board.curves.aside_in_front


def test_boards_beside_each_other_have_their_own_large_view(network, qtbot):
    own = network.document.setting
    network.apply(network.document.beside(Setting("mlp", own.params, own.seed + 1)), "compare")
    boards = [pane.board for pane in network.boards.panes]
    qtbot.waitUntil(lambda: all(ready(board, "plane", "network") for board in boards))
    assert [board.large_key for board in boards] == ["plane", "plane"]
    boards[1].enlarge(boards[1].views["network"])
    assert [board.large_key for board in boards] == ["plane", "network"]
    assert boards[1].large.currentWidget() is boards[1].views["network"]
    assert boards[0].large.currentWidget() is boards[0].plane


def test_two_boards_of_one_method_open_with_their_own_large_views_and_tabs(network, make_window, qtbot, tmp_path):
    own = network.document.setting
    network.resize(1500, 1400)
    network.board.enlarge_key("curves")  # alone
    network.apply(network.document.beside(Setting("mlp", own.params, own.seed + 1)), "compare")
    boards = [pane.board for pane in network.boards.panes]
    qtbot.waitUntil(lambda: all(ready(board, "plane", "network") for board in boards))
    boards[0].enlarge_key("network")
    qtbot.waitUntil(lambda: "evaluation" in boards[1].places.offered())
    boards[1].enlarge_key("evaluation")
    qtbot.waitUntil(lambda: boards[1].evaluation.view.scores is not None)
    boards[1].evaluation.view.set_threshold(0.7)
    boards[0].places.bring_to_front("curves")
    network.files.save_path(tmp_path / "a.mlviz")
    other = make_window("k_means")
    other.resize(1500, 1400)
    other.files.open_path(tmp_path / "a.mlviz")
    qtbot.waitUntil(lambda: len(other.boards.panes) == 2)
    boards = [pane.board for pane in other.boards.panes]
    qtbot.waitUntil(lambda: all(ready(board, "plane", "network") for board in boards))
    assert [board.large_key for board in boards] == ["network", "evaluation"]
    qtbot.waitUntil(lambda: boards[0].places.front == "curves")
    view = boards[1].evaluation.view
    qtbot.waitUntil(lambda: view.scores is not None and view.threshold == 0.7)
    other.comparing.only_active()
    assert other.board.large_key == "curves"  # as it was alone


def test_a_board_that_comes_back_has_its_large_view_and_a_new_one_the_data(network, qtbot):
    for _ in range(2):
        network.comparing.with_seed()
    boards = [pane.board for pane in network.boards.panes]
    qtbot.waitUntil(lambda: all(ready(board, "plane", "network") for board in boards))
    boards[2].enlarge_key("network")
    network.close_board(2)
    network.undo()
    assert [pane.board.large_choices for pane in network.boards.panes] == [{}, {}, {"mlp": "network"}]
    network.close_board(2)
    network.comparing.with_value("hidden", (2,))
    assert [pane.board.large_choices for pane in network.boards.panes] == [{}, {}, {}]


def test_k_hides_the_legends_of_all_boards_and_of_their_curves(network, qtbot):
    own = network.document.setting
    qtbot.keyClick(network, Qt.Key.Key_K)
    assert not network.board.curves.legend.isVisible()
    network.apply(network.document.beside(Setting("mlp", own.params, own.seed + 1)), "compare")
    boards = [pane.board for pane in network.boards.panes]
    qtbot.waitUntil(lambda: all(ready(board, "plane", "network") for board in boards))
    legends = [view.legend for board in boards for view in (*board.views.values(), board.curves)]
    assert not any(legend.isVisible() for legend in legends)
    qtbot.keyClick(network, Qt.Key.Key_K)
    shown = {board: {view.legend.hidden for view in (*board.views.values(), board.curves)} for board in boards}
    assert list(shown.values()) == [{False}, {True}]  # boards of one method have one legend
