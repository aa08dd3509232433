"""Panels for pictures are there when the points are pictures, and the large view is the first that suits the data."""

import numpy as np

from algorithms import Points, find

CASCADE = find("cascade")
rng = np.random.default_rng(0)
PICTURES = Points(rng.uniform(size=(40, 16)), np.arange(40) % 2, image_shape=(4, 4))
PLAIN = Points(rng.uniform(size=(40, 2)), np.arange(40) % 2)


def test_panels_suit_the_data():
    assert CASCADE.panels_on(PICTURES) == CASCADE.panels
    assert CASCADE.panels_on(PLAIN) == tuple(panel for panel in CASCADE.panels if not panel.pictures)
    assert find("k_means").panels_on(PLAIN) == find("k_means").panels


def test_the_board_has_other_panels_with_other_data(make_window, qtbot):
    window = make_window("cascade", PICTURES)
    board = window.board
    qtbot.waitUntil(lambda: board.up_to_date)
    assert board.large_key == "scene"
    assert "features" in board.compositor.panels
    window.apply(window.document.with_data(PLAIN), "other data")
    qtbot.waitUntil(lambda: board.up_to_date)
    assert board.large_key == "plane"
    assert not {"scene", "features"} & {*board.compositor.panels, *board.views}
    window.undo()
    qtbot.waitUntil(lambda: board.up_to_date)
    assert board.large_key == "scene"
