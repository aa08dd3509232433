"""Every kind of data has its canvas and, where it can be drawn, its editor; both are found by name."""

import numpy as np
import pytest
from PySide6.QtCore import Qt

from algorithms import Distances, Graph, Sequences
from algorithms.data import KINDS
from mlviz.ui.editors import EDITORS, TOOLBOX, make_editor
from mlviz.ui.editors.toolbox import COMMANDS
from mlviz.views.brush import PointerState
from mlviz.views.canvas import Canvas
from mlviz.views.canvases import DATA, data_canvas


def test_every_declared_canvas_and_editor_is_there(window):
    assert set(DATA) <= set(KINDS)
    assert all(issubclass(data_canvas(kind), Canvas) for kind in DATA)
    assert set(TOOLBOX) == set(EDITORS) <= set(DATA)
    for kind in EDITORS:
        editor = make_editor(kind, window)
        assert (editor.kind, editor.tools) == (kind, TOOLBOX[kind])
        assert len({tool.keys for tool in editor.tools}) == len(editor.tools)
        assert all(hasattr(editor, command.method) for command in COMMANDS.get(kind, ()))


@pytest.fixture
def drawn(window, qtbot):
    """Puts data on the desk and gives their editor."""

    def make(data, method):
        window.apply(window.document.with_data(data, method), "data")
        qtbot.waitUntil(lambda: window.player.engine.data is data and window.board.data_view is not None)
        return window.editor

    return make


def stroke(editor, tool, *places, pixel=(0.01, 0.01), **keys):
    editor.choose(tool)
    states = [PointerState(float(x), float(y), pixel, **keys) for x, y in places]
    editor.press(states[0])
    for state in states[1:]:
        editor.drag(state)
    editor.release(states[-1])


def test_a_graph_is_drawn_node_by_node_and_edge_by_edge(drawn, window):
    start = Graph(2, [[0, 1]], positions=[[0.0, 0.0], [1.0, 0.0]])
    editor = drawn(start, "shortest_paths")
    stroke(editor, "node", (0.5, 1.0))
    assert window.document.data.positions.tolist() == [[0, 0], [1, 0], [0.5, 1]]
    stroke(editor, "connect", (0.5, 1.0), (0.2, 0.5), (0.0, 0.0))
    assert window.document.data.edges.tolist() == [[0, 1], [2, 0]]
    stroke(editor, "connect", (1.0, 0.0), (2.0, 0.0))
    assert (window.document.data.n, window.document.data.edges[-1].tolist()) == (4, [1, 3])
    stroke(editor, "select", (0.5, 1.0), (0.7, 1.5), (0.8, 2.0))
    assert window.document.data.positions[2].tolist() == pytest.approx([0.8, 2.0])
    window.undo()
    assert window.document.data.positions[2].tolist() == [0.5, 1.0]  # a stroke is one step
    stroke(editor, "weigh", (0.5, 0.0), (0.5, 0.4))
    assert window.document.data.weights[0] == pytest.approx(2.0)
    stroke(editor, "reverse", (0.5, 0.0))
    assert "no direction" in window.statusBar().currentMessage()
    window.actions_table["directed"].trigger()
    stroke(editor, "reverse", (0.5, 0.0))
    assert window.document.data.edges[0].tolist() == [1, 0]
    stroke(editor, "erase", (0.0, 0.0))
    assert window.document.data.n == 3
    editor.select_all()
    assert len(editor.selection) == 3
    editor.delete_selection()
    assert window.document.data.n == 0


def test_a_stroke_goes_on_when_the_graph_has_become_smaller_meanwhile(drawn, window):
    editor = drawn(
        Graph(4, [[0, 1], [2, 3]], positions=[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), "centralities"
    )
    editor.choose("node")
    editor.press(PointerState(0.5, 0.5, (0.01, 0.01)))
    window.apply(window.document.with_data(Graph(1, np.empty((0, 2)), positions=[[0.0, 0.0]])), "another")
    editor.drag(PointerState(0.6, 0.5, (0.01, 0.01)))
    editor.release(PointerState(0.6, 0.5, (0.01, 0.01)))
    assert window.document.data.n == 5


def test_layouts_are_one_step_each(drawn, window):
    start = Graph(4, [[0, 1], [1, 2], [2, 3]], positions=np.zeros((4, 2)))
    drawn(start, "shortest_paths")
    for name in ("layout_spring", "layout_spectral", "layout_circle"):
        window.actions_table[name].trigger()
        assert np.ptp(window.document.data.positions, axis=0).max() > 0
        window.undo()
        assert window.document.data is start


def test_a_series_is_drawn_with_the_pen(drawn, window):
    editor = drawn(Sequences([[0.0, 1.0, 2.0, 3.0]]), "hidden_markov")
    layout = window.board.data_view.layout_now
    lane = layout.lanes_of(0)[0]
    heights = layout.y(lane, np.array([2.0, 2.0]))
    stroke(editor, "pen", (1.0, heights[0]), (4.0, heights[1]))
    assert window.document.data.series[0][:, 0].tolist() == pytest.approx([2.0] * 4)
    stroke(editor, "erase", (1.0, heights[0]))
    assert len(window.document.data.series[0]) == 3
    window.actions_table["series_add"].trigger()
    assert len(window.document.data.series) == 2
    window.actions_table["series_remove"].trigger()
    assert len(window.document.data.series) == 1


def test_a_distance_is_dragged(drawn, window):
    editor = drawn(Distances([[0, 1, 2], [1, 0, 3], [2, 3, 0]], ("a", "b", "c")), "mds")
    stroke(editor, "cell", (1.5, 2.5), (1.5, 3.1))
    assert window.document.data.table[0, 1] == window.document.data.table[1, 0] == pytest.approx(2.0)
    stroke(editor, "cell", (1.5, 1.5), (1.5, 2.5))
    assert "always 0" in window.statusBar().currentMessage()
    stroke(editor, "erase", (0.5, 0.5))
    assert window.document.data.names == ("a", "b")
    window.actions_table["row_add"].trigger()
    assert window.document.data.n == 3


def test_the_bar_shows_the_tools_of_the_data_on_the_desk(drawn, window):
    assert window.drawing_bar._buttons["B"].isVisibleTo(window.drawing_bar)
    drawn(Distances([[0, 1], [1, 0]]), "mds")
    shown = [keys for keys, button in window.drawing_bar._buttons.items() if button.isVisibleTo(window.drawing_bar)]
    assert shown == ["H", "P", "E"]
    assert window.actions_table["tool_point"].text() == "Change distances"
    window.actions_table["tool_point"].trigger()
    assert window.editor.tool.name == "cell"
    assert window.board.data_view.viewport().cursor().shape() == Qt.CursorShape.CrossCursor
    window.undo()
    assert window.drawing_bar._buttons["B"].isVisibleTo(window.drawing_bar)
    assert window.actions_table["tool_point"].text() == "Draw single points"


def test_a_copied_graph_can_be_pasted_again(drawn, window, qtbot):
    graph = Graph(3, [[0, 1], [1, 2]], [2, 3], names=("a", "b", "c"), positions=np.eye(3)[:, :2])
    drawn(graph, "shortest_paths")
    window.data_controller.copy()
    assert "3 nodes, 2 edges" in window.statusBar().currentMessage()
    window.data_controller.paste()
    qtbot.waitUntil(lambda: window.document.data is not graph)
    pasted = window.document.data
    assert (pasted.kind, pasted.names) == ("graph", ("a", "b", "c"))
    assert pasted.weights.tolist() == [2, 3]


def test_a_method_without_data_offers_no_tool(window):
    window.choose_algorithm("majority_vote")
    tools = [spec.name for spec in window.actions_table.specs if spec.name.startswith("tool_")]
    able = [name for name in tools if window.actions_table[name].isVisible() and window.actions_table[name].isEnabled()]
    assert len(tools) > len(able)
    for name in able:
        window.actions_table[name].trigger()
        assert window.editor.tool.stroke is None
