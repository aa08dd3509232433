"""Lists of texts and graphs, edited without a window."""

import numpy as np
import pytest

from algorithms import Graph, GraphSet, Strings
from algorithms.data import DataError
from mlviz.session import item_edits as edits

TEXTS = Strings(("a", "b", "c"), [0, 1, 0], ("u", "v"))
GRAPHS = GraphSet((Graph(1, []), Graph(2, [])), [0, 1], ("u", "v"))


def test_items_go_and_say_who_stays():
    made, kept = edits.without(TEXTS, np.array([0, 2]))
    assert (made.texts, made.y.tolist(), made.classes, kept.tolist()) == (("b",), [1], ("u", "v"), [1])
    made, kept = edits.without(GRAPHS, np.array([0]))
    assert ([graph.n for graph in made.graphs], kept.tolist()) == ([2], [1])
    made, kept = edits.without(GRAPHS, np.array([0, 1]))
    assert (made.n, len(kept)) == (0, 0)


def test_items_come_at_the_end_in_the_class_that_is_meant():
    made = edits.with_item(TEXTS, "d", 2)
    assert (made.texts[-1], made.y.tolist(), made.classes) == ("d", [0, 1, 0, 2], ("u", "v", "class 3"))
    assert edits.with_item(Strings(("a",)), "b", 1).y is None
    assert edits.with_item(GRAPHS, Graph(0, []), 1).y.tolist() == [0, 1, 1]
    other = edits.with_graph(GRAPHS, 0, Graph(5, []))
    assert [graph.n for graph in other.graphs] == [5, 2]
    assert other.graphs[1] is GRAPHS.graphs[1]


def test_another_class():
    assert edits.relabel(TEXTS, np.array([0, 2]), 1).y.tolist() == [1, 1, 1]
    assert edits.relabel(TEXTS, np.array([0]), 0) is TEXTS
    assert edits.relabel(TEXTS, np.array([0]), 2).classes == ("u", "v", "class 3")
    with pytest.raises(DataError, match="There is no class 4 yet"):
        edits.relabel(TEXTS, np.array([0]), 3)
    assert edits.labelled(TEXTS) is TEXTS
    assert edits.labelled(Strings(("a", "b"))).y.tolist() == [0, 0]
