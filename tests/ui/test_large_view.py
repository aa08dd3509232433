"""Any view can be the large one: by its tab, the button or the key; remembered per method and in the session."""

import pytest
from PySide6.QtCore import Qt

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
    bar = board.seconds.tabBar()
    middle = bar.tabRect(board.seconds.indexOf(view)).center()
    qtbot.mouseClick(bar, Qt.MouseButton.LeftButton, pos=middle)
    qtbot.mouseDClick(bar, Qt.MouseButton.LeftButton, pos=middle)


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


def test_what_is_no_canvas_stays_where_it_is(network, qtbot):
    board, first = network.board, network.board.large_key
    qtbot.waitUntil(lambda: board.seconds.isTabVisible(board.seconds.indexOf(board.evaluation.view)))
    board.seconds.setCurrentWidget(board.evaluation.view)
    assert not board.seconds.enlarge_button.isEnabled()
    board.seconds.enlarge()
    assert board.large_key == first


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
    assert not any(legend.hidden for legend in legends)
