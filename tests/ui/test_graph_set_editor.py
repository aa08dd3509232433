"""Small graphs on their canvas: drawn in their cells, opened, chosen, given another class and taken away."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest

from algorithms import Graph, GraphSet
from mlviz.data.spec import load_data
from tests.events import settle
from tests.ui.list_methods import install

LINE = Graph(2, [[0, 1]], positions=[[0.0, 0.0], [1.0, 0.0]])
RING = Graph(3, [[0, 1], [1, 2], [2, 0]], positions=[[0.0, 0.0], [1.0, 0.0], [0.5, 1.0]])
SET = GraphSet((LINE, RING, Graph(0, [])), [0, 1, 0], ("line", "ring"))


@pytest.fixture
def window(make_window, monkeypatch):
    install(monkeypatch)
    return make_window("lister", data=SET)


@pytest.fixture
def canvas(window):
    return window.board.data_view


def on_screen(canvas, item, x, y):
    """The pixel at a place of the plane of a graph."""
    place = canvas.frame(item).to_view(np.array([x, y]))
    return canvas.mapFromScene(canvas.box.mapViewToScene(QPointF(*place.tolist())))


def stroke(canvas, *places, keys=Qt.KeyboardModifier.NoModifier):
    view = canvas.viewport()
    QTest.mousePress(view, Qt.MouseButton.LeftButton, keys, places[0])
    for place in places[1:]:
        QTest.mouseMove(view, place)
    QTest.mouseRelease(view, Qt.MouseButton.LeftButton, keys, places[-1])
    settle()


def test_nodes_and_edges_are_drawn_in_the_cell_of_a_graph(window, canvas):
    window.editor.choose("node")
    stroke(canvas, on_screen(canvas, 0, 0.5, 0.8))
    graph = window.document.data.graphs[0]
    assert graph.n == 3
    assert graph.positions[2].tolist() == pytest.approx([0.5, 0.8], abs=0.03)
    assert window.document.data.graphs[1] is RING
    window.editor.choose("connect")
    stroke(
        canvas, on_screen(canvas, 0, *graph.positions[2]), on_screen(canvas, 0, 0.2, 0.4), on_screen(canvas, 0, 0, 0)
    )
    assert window.document.data.graphs[0].edges.tolist() == [[0, 1], [2, 0]]
    window.undo()
    window.undo()
    assert window.document.data is SET  # a stroke is one step


def test_a_node_is_moved_and_the_picture_stays_under_the_mouse(window, canvas):
    window.editor.choose("select")
    before = canvas.frame(1)
    place = on_screen(canvas, 1, 0.5, 1.0)
    view = canvas.viewport()
    QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=place)
    QTest.mouseMove(view, place + QPoint(0, -10))
    assert canvas.frame(1) == before
    QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=place + QPoint(0, -10))
    assert window.document.data.graphs[1].positions[2].tolist() == pytest.approx(
        [0.5, 1.0 + 10 / before.scale], abs=0.05
    )
    assert canvas.held is None
    assert window.editor.selection.tolist() == [1]
    window.undo()
    assert window.document.data is SET


def test_an_edge_does_not_lead_to_another_graph(window, canvas):
    window.editor.choose("connect")
    stroke(canvas, on_screen(canvas, 0, 0, 0), on_screen(canvas, 1, 0, 0))
    assert window.document.data is SET
    assert window.statusBar().currentMessage() == "Both ends of an edge belong to one graph."


def test_nodes_and_edges_are_erased(window, canvas):
    window.editor.choose("erase")
    stroke(canvas, on_screen(canvas, 1, 0.5, 0.0))
    assert window.document.data.graphs[1].edges.tolist() == [[1, 2], [2, 0]]
    stroke(canvas, on_screen(canvas, 1, 0.0, 0.0))
    assert window.document.data.graphs[1].n == 2


def test_graphs_are_chosen_labelled_deleted_and_added(window, canvas):
    window.editor.choose("select")
    corner = canvas.cell_on_screen(2).center().toPoint()
    stroke(canvas, corner)
    assert window.editor.selection.tolist() == [2]
    window.actions_table["class_2"].trigger()
    assert window.document.data.y.tolist() == [0, 1, 1]
    window.actions_table["delete"].trigger()
    assert window.document.data.n == 2
    window.actions_table["graph_add"].trigger()
    assert [graph.n for graph in window.document.data.graphs] == [2, 3, 0]
    assert window.document.data.y.tolist() == [0, 1, 1]
    window.editor.choose("node")
    stroke(canvas, canvas.cell_on_screen(3).center().toPoint())  # the cell for something new
    assert [graph.n for graph in window.document.data.graphs] == [2, 3, 0, 1]
    window.undo()
    assert window.document.data.n == 3  # the new graph and its first node are one step


def test_a_double_click_opens_a_graph_and_shows_all_again(window, canvas):
    place = canvas.cell_on_screen(1).center().toPoint()
    QTest.mouseDClick(canvas.viewport(), Qt.MouseButton.LeftButton, pos=place)
    settle()
    assert canvas.opened == 1
    window.editor.choose("node")
    stroke(canvas, on_screen(canvas, 1, 1.6, 0.5))
    assert window.document.data.graphs[1].n == 4
    assert canvas.opened == 1  # an edit does not close it
    assert canvas.points_at(QPointF(5, 60)).tolist() == [1]
    window.editor.choose("select")
    QTest.mouseDClick(canvas.viewport(), Qt.MouseButton.LeftButton, pos=place)
    settle()
    assert canvas.opened is None
    window.editor.select(np.array([0]))
    window.actions_table["graph_open"].trigger()
    assert canvas.opened == 0
    window.apply(window.document.with_data(load_data("graph_families")), "other data")
    assert canvas.opened is None


def test_esc_ends_a_stroke_and_takes_it_back(window, canvas):
    window.editor.choose("select")
    place = on_screen(canvas, 1, 0.5, 1.0)
    QTest.mousePress(canvas.viewport(), Qt.MouseButton.LeftButton, pos=place)
    QTest.mouseMove(canvas.viewport(), place + QPoint(0, -10))
    assert window.document.data is not SET
    window.stop_computing()
    assert window.document.data is SET
    QTest.mouseRelease(canvas.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert window.document.data is SET
