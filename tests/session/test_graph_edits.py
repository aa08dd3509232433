"""Edits of a graph by hand."""

import numpy as np
import pytest

from algorithms import DataError, Graph
from mlviz.session import graph_edits as edits

PATH = Graph(3, [[0, 1], [1, 2]], [1, 2], names=("a", "b", "c"), positions=[[0, 0], [1, 0], [2, 1]], groups=[0, 0, 1])
ARROWS = Graph(3, [[0, 1], [1, 0], [1, 2]], [1, 2, 4], directed=True)


def test_a_node_is_added_with_a_free_name_and_the_last_group():
    made = edits.add_node(PATH, np.array([5.0, 5.0]))
    assert (made.n, made.names[-1], made.groups.tolist()) == (4, "4", [0, 0, 1, 1])
    assert made.positions[3].tolist() == [5, 5]
    assert edits.add_node(Graph(0, []), np.zeros(2)).n == 1


def test_nodes_are_moved_joined_weighed_and_parted():
    assert edits.move(PATH, np.array([0, 2]), np.array([1.0, 1.0])).positions.tolist() == [[1, 1], [1, 0], [3, 2]]
    joined = edits.connect(PATH, 2, 0, 3.0)
    assert (joined.edges[-1].tolist(), joined.weights.tolist()) == ([2, 0], [1, 2, 3])
    assert edits.weigh(PATH, 1, 9.0).weights.tolist() == [1, 9]
    assert edits.delete_edge(PATH, 0).edges.tolist() == [[1, 2]]
    less, origin = edits.delete_nodes(PATH, np.array([0]))
    assert (less.n, less.edges.tolist(), less.names, origin.tolist()) == (2, [[0, 1]], ("b", "c"), [1, 2])
    assert edits.rename(ARROWS, 1, "middle").names == ("1", "middle", "3")


def test_directions():
    assert edits.reverse(ARROWS, 2).edges.tolist() == [[0, 1], [1, 0], [2, 1]]
    both = edits.with_direction(ARROWS, False)
    assert (both.edges.tolist(), both.weights.tolist(), both.directed) == ([[0, 1], [1, 2]], [3, 4], False)
    assert edits.with_direction(PATH, True).directed
    assert edits.edge_between(ARROWS, 2, 1) is None
    assert edits.edge_between(PATH, 2, 1) == 1


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (lambda: edits.connect(PATH, 0, 0), "to another one"),
        (lambda: edits.connect(PATH, 1, 0), "joined already"),
        (lambda: edits.reverse(PATH, 0), "no direction"),
        (lambda: edits.reverse(ARROWS, 0), "already"),
        (lambda: edits.weigh(PATH, 0, np.inf), "must be a number"),
        (lambda: edits.rename(PATH, 0, " "), "needs a name"),
    ],
)
def test_what_cannot_be_is_said(act, words):
    with pytest.raises(DataError, match=words):
        act()


def test_what_is_under_the_mouse():
    pixel = (0.01, 0.01)
    assert edits.nearest_node(PATH, np.array([1.05, 0.0]), pixel, 10.0) == 1
    assert edits.nearest_node(PATH, np.array([1.5, 0.0]), pixel, 10.0) is None
    assert edits.nearest_edge(PATH, np.array([0.5, 0.05]), pixel, 10.0) == 0
    assert edits.nearest_edge(PATH, np.array([1.5, 0.5]), pixel, 10.0) == 1
    assert edits.nearest_edge(PATH, np.array([0.5, 0.5]), pixel, 10.0) is None
    assert edits.nearest_node(Graph(0, []), np.zeros(2), pixel, 10.0) is None


@pytest.mark.parametrize("layout", ["spring", "spectral", "circle"])
def test_layouts_give_every_node_a_place_of_its_own(layout):
    at = edits.laid_out(PATH, layout).positions
    assert len(np.unique(at.round(6), axis=0)) == 3
    assert np.array_equal(at, edits.laid_out(PATH, layout).positions)
