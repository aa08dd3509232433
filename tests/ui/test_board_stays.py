"""While a run goes on, nothing on the board moves by itself: a class looks at it."""

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication

from algorithms import find
from mlviz.data.spec import example_of
from tests.events import settle

NO_KEYS = Qt.KeyboardModifier.NoModifier
SHORT = {
    "bootstrap": {"resamples": 20},
    "majority_vote": {"m": 5, "elections": 200},
    "bagging": {"trees": 4},
    "random_forest": {"trees": 4},
    "adaboost": {"rounds": 4},
    "cascade": {"stages": 2},
    "gradient_boosting": {"rounds": 4},
}


def room(board):
    """Where everything stands."""
    return {
        widget.objectName(): (widget.isVisible(), widget.geometry().getRect())
        for widget in (board.large, board.below, board.seconds, board.curves)
    }


@pytest.mark.parametrize("key", SHORT)
def test_views_keep_their_place_from_the_first_frame_to_the_last(make_window, qtbot, key):
    window = make_window(key, example_of(find(key)), **SHORT[key])
    board, player = window.board, window.player
    qtbot.waitUntil(lambda: board.up_to_date)
    settle()
    assert player.shown.step == 0
    before = room(board)
    player.jump("end")
    qtbot.waitUntil(lambda: not player.running and player.position == player.steps - 1)
    qtbot.waitUntil(lambda: board.up_to_date and player.shown.step == player.position)
    settle()
    assert room(board) == before


def test_on_a_low_projector_the_curves_are_a_tab_and_come_back(make_window, qtbot):
    """Two plots above each other would be axes and tabs only, and their legends would name some of the curves."""
    window = make_window("kernel_svm", example_of(find("kernel_svm")))
    board = window.board
    window.resize(1024, 768)
    qtbot.waitUntil(lambda: board.up_to_date and board.seconds.isVisible())
    assert board.below.indexOf(board.curves) >= 0
    front = board.places.front
    window.presenter.toggle_in_window()
    window.resize(1024, 768)
    qtbot.waitUntil(lambda: board.seconds.indexOf(board.curves) >= 0)
    settle()
    assert board.places.front == front
    assert board.seconds.height() > 0.9 * board.height()
    board.places.bring_to_front("curves")
    assert board.seconds.currentWidget() is board.curves
    window.presenter.toggle_in_window()
    qtbot.waitUntil(lambda: board.below.indexOf(board.curves) >= 0)
    settle()
    assert board.seconds.indexOf(board.curves) < 0
    assert board.curves.isVisible()
    assert board.seconds.isVisible()


# -- a view never moves while something is drawn in it -----------------------------------------------------------------


def mouse(canvas, kind, position):
    """What the mouse does on a canvas; every move is seen, as it would be with a hand."""
    button = Qt.MouseButton.LeftButton
    held = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseButtonRelease else button
    sent = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseMove else button
    window = canvas.viewport()
    event = QMouseEvent(kind, position, QPointF(window.mapToGlobal(position)), sent, held, NO_KEYS)
    QApplication.sendEvent(window, event)
    QApplication.processEvents()


def test_a_series_is_drawn_across_a_blank_board(make_window, qtbot):
    window = make_window("hidden_markov", example_of(find("hidden_markov")))
    window.actions_table["new"].trigger()
    window.take_tool("P")
    canvas = window.board.data_view
    box, middle = canvas.box.sceneBoundingRect(), canvas.box.sceneBoundingRect().center().y()
    before = canvas.view_rect()
    wide = round(box.width()) - 20
    mouse(canvas, QEvent.Type.MouseButtonPress, QPointF(box.left() + 10, middle))
    for pixel in range(0, wide, 8):
        mouse(canvas, QEvent.Type.MouseMove, QPointF(box.left() + 10 + pixel, middle - pixel % 40))
        assert canvas.view_rect() == before
    mouse(canvas, QEvent.Type.MouseButtonRelease, QPointF(box.left() + 10 + wide, middle))
    assert 45 <= window.document.data.n <= 51  # a blank board shows fifty moments
    qtbot.waitUntil(lambda: window.player.runs(window.document) and window.board.up_to_date)
    assert canvas.view_rect()[:2] == pytest.approx(before[:2])


def test_the_first_node_of_a_blank_graph_stays_under_the_mouse(make_window, qtbot):
    window = make_window("shortest_paths", example_of(find("shortest_paths")))
    window.actions_table["new"].trigger()
    window.take_tool("P")
    canvas = window.board.data_view
    before = canvas.box.viewPixelSize()
    at = canvas.box.sceneBoundingRect().topLeft() + QPointF(40, 30)
    mouse(canvas, QEvent.Type.MouseButtonPress, at)
    mouse(canvas, QEvent.Type.MouseButtonRelease, at)
    qtbot.waitUntil(lambda: window.player.runs(window.document) and window.board.up_to_date)
    settle()
    node = canvas.in_pixels(window.document.data.positions)[0]
    assert node.tolist() == pytest.approx([40, 30], abs=2.0)
    assert canvas.box.viewPixelSize() == pytest.approx(before, rel=0.05)
