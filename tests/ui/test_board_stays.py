"""While a run goes on, nothing on the board moves by itself: a class looks at it."""

import pytest

from algorithms import find
from mlviz.data.spec import example_of
from tests.events import settle

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
