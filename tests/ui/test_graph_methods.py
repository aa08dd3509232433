"""Methods on graphs in the window: flags are dragged, nodes are explained, and an edit keeps what is seen."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF

from mlviz.data.spec import load_data

FLORENCE = load_data("florentine")


@pytest.fixture
def paths(make_window, qtbot):
    window = make_window("shortest_paths", FLORENCE)
    qtbot.waitUntil(lambda: not window.player.running and bool(window.board.views["graph"].marks[0].handles))
    window.player.jump("end")
    return window


def test_dragging_a_flag_sets_the_node_from_which_paths_begin(paths, qtbot):
    view = paths.board.views["graph"]
    renderer = view.renderer_to_drag(QPointF(*FLORENCE.positions[0].tolist()))
    assert renderer is not None
    for node, finished in ((7, False), (14, False), (14, True)):
        renderer.drag(QPointF(*FLORENCE.positions[node].tolist()), finished)
    assert paths.document.params["from"] == 15
    player = paths.player
    qtbot.waitUntil(lambda: player.shown is not None and player.shown.snapshot.model.source == 14)
    paths.undo()
    assert paths.document.params["from"] == 1  # the whole drag is one step back


def test_a_node_is_linked_with_its_bar(paths):
    graph, queue = paths.board.views["graph"], paths.board.view("queue")
    graph.points_hovered.emit(np.array([1]))
    assert queue._lit
    assert paths.document.data.item_text(1) == "node Medici   degree 6"
