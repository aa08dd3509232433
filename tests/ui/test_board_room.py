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
    qtbot.waitUntil(lambda: not player.running and player.position == player.steps - 1, timeout=20_000)
    qtbot.waitUntil(lambda: board.up_to_date and player.shown.step == player.position, timeout=20_000)
    settle()
    assert room(board) == before
