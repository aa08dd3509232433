"""The kinds of data: checked at the door, locked, and the same again after a file or a pickle."""

import json
import pickle

import numpy as np
import pytest

from algorithms import DataError, Distances, Graph, GraphSet, Nothing, Points, Sequences, Strings, fit
from algorithms._checks.values import same
from algorithms.contract import arrays_in
from algorithms.data import KINDS, graph_of
from algorithms.data.kind import whole_numbers

TRIANGLE = Graph(3, [[0, 1], [1, 2], [2, 0]], [1, 2, 3], names=("a", "b", "c"), groups=["x", "y", "x"])
EXAMPLES = [
    Points([[0.0, 1.0], [2.0, 3.0]], ["u", "v"]),
    Points([[0.0, 1, 2, 3]], image_shape=(2, 2)),
    Points([[0.0, 1.0], [5.0, 0.0]], categories={1: ("no", "yes")}),
    TRIANGLE,
    Graph(4, [], directed=True, positions=np.zeros((4, 2))),
    Sequences([[0, 1, 2], [1, 1]], states=[[0, 0, 1], [1, 0]]),
    Sequences([[0.5, 1.5], [2.5]]),
    Sequences([["rain", "sun"]]),
    Distances([[0, 2], [2, 0]], ("here", "there")),
    Strings(["spam", "ham"], ["bad", "good"]),
    GraphSet([TRIANGLE, Graph(1, [])], [0, 1]),
    Nothing(),
]


@pytest.mark.parametrize("data", EXAMPLES, ids=lambda data: data.kind)
def test_a_kind_is_the_same_after_a_file_and_a_pickle(data):
    again = KINDS[data.kind].from_arrays(data.arrays(), data.facts())
    assert same(again, data)
    assert again.sha256 == data.sha256
    assert same(pickle.loads(pickle.dumps(data)), data)
    assert all(array.dtype.kind in "fiu" and array.ndim in (1, 2) for array in data.arrays().values())


@pytest.mark.parametrize("data", EXAMPLES, ids=lambda data: data.kind)
def test_a_kind_is_locked_and_its_items_have_words(data):
    assert not any(array.flags.writeable for array in arrays_in(data))
    assert not any(array.flags.writeable for array in arrays_in(pickle.loads(pickle.dumps(data))))
    assert [data.item(k).number for k in range(data.n)] == list(range(data.n))
    assert all(data.item_text(k).strip() for k in range(data.n))
    assert data.counted()
    assert data.renamed("other").name == "other"
    assert data.renamed("other").sha256 == data.sha256


def test_all_examples_differ():
    assert len({data.sha256 for data in EXAMPLES}) == len(EXAMPLES)


def test_what_a_graph_says():
    assert (TRIANGLE.n, TRIANGLE.m, TRIANGLE.counted()) == (3, 3, "3 nodes, 3 edges")
    assert TRIANGLE.adjacency().tolist() == [[0, 1, 3], [1, 0, 2], [3, 2, 0]]
    assert TRIANGLE.degrees().tolist() == [2, 2, 2]
    assert TRIANGLE.classes == ("x", "y")
    assert TRIANGLE.item_text(1) == "node b   group: y   degree 2"
    assert TRIANGLE.edge_text(2) == "edge c – a, weight 3"
    tails, heads, weights, edges = TRIANGLE.arcs()
    assert tails.tolist() == [0, 1, 2, 1, 2, 0]
    assert heads.tolist() == [1, 2, 0, 0, 1, 2]
    assert weights.tolist() == [1, 2, 3, 1, 2, 3]
    assert edges.tolist() == [0, 1, 2, 0, 1, 2]
    again = graph_of(TRIANGLE.adjacency())
    assert np.array_equal(again.adjacency(), TRIANGLE.adjacency())
    assert not again.directed
    assert graph_of([[0, 1], [0, 0]]).directed


def test_a_loop_is_one_step_and_counts_twice():
    graph = Graph(2, [[0, 0], [0, 1]])
    assert graph.degrees().tolist() == [3, 1]
    assert graph.arcs()[0].tolist() == [0, 0, 1]


def test_what_series_say():
    series = Sequences([["sun", "rain", "sun"], ["rain"]], states=[[0, 1, 0], [1]])
    assert series.symbols == ("rain", "sun")
    assert [one.tolist() for one in series.series] == [[1, 0, 1], [0]]
    assert (series.n, series.starts.tolist(), series.place_of(3)) == (4, [0, 3], (1, 0))
    assert series.item_text(3) == "t = 1 of series 2:   rain   true state 2"
    values = Sequences([np.arange(6.0).reshape(3, 2)])
    assert (values.d, values.features, values.is_discrete) == (2, ("x1", "x2"), False)
    assert Sequences(np.array([0.5, 1.0])).series[0].tolist() == [[0.5], [1.0]]
    assert Sequences([0, 1, 1]).series[0].tolist() == [0, 1, 1]
    assert Sequences([np.array(["b", "a"], dtype=object)]).symbols == ("a", "b")  # as a column of pandas has its texts


def test_what_a_table_of_distances_says():
    table = Distances([[0, 2, 5], [2, 0, 4], [5, 4, 0]], ("A", "B", "C"))
    assert table.item_text(2) == "C:   nearest B (4)"


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Graph(2, [[0, 2]]), "must lie between 0 and 1"),
        (lambda: Graph(2, [[0, 1], [1, 0]]), "more than once"),
        (lambda: Graph(2, [[0, 1]], [1, 2]), "1 edge but 2 weights"),
        (lambda: Graph(2, [[0, 1]], [np.nan]), "finite"),
        (lambda: Graph(-1, []), "not negative"),
        (lambda: Graph(10**6, []), "at most 20,000"),
        (lambda: Graph(2, [[0.5, 1]]), "whole numbers"),
        (lambda: Graph(2, [], names=("a",)), "2 nodes but 1 names"),
        (lambda: Graph(2, [], positions=[[0, 0]]), "positions have the shape"),
        (lambda: Sequences([]), "no series"),
        (lambda: Sequences([[], [1.0]]), "at least one"),
        (lambda: Sequences([[-1, 0]]), "numbered from 0"),
        (lambda: Sequences([[0, 99]]), "more than 64 symbols"),
        (lambda: Sequences([[0.0, np.inf]]), "finite"),
        (lambda: Sequences([[0.0], [[1.0, 2.0]]]), "same number of columns"),
        (lambda: Sequences([[0, 1]], states=[[0]]), "states"),
        (lambda: Distances([[0, 1], [2, 0]]), "not symmetric"),
        (lambda: Distances([[0, -1], [-1, 0]]), "negative"),
        (lambda: Distances([[1, 1], [1, 0]]), "to itself must be 0"),
        (lambda: Distances([[0, 1, 2]]), "square"),
        (lambda: Strings("spam"), "list of texts"),
        (lambda: GraphSet([1]), "nothing else"),
        (lambda: Points([[0.0, 1.0]], image_shape=(2, 2)), "need 4 features"),
        (lambda: Points([[0.5, 1.0]], categories={0: ("a", "b")}), "must hold the codes"),
        (lambda: Points([[0.0, 1.0]], image_shape=2), "height and width"),
        (lambda: Graph(2, [[0, 1], [1]]), "rows of equal length"),
        (lambda: Graph(2, [], names=5), "names must be a list"),
        (lambda: Graph(2, [], groups=[[1], [1, 2]]), "rows of equal length"),
        (lambda: Sequences([[1, [2, 3]]]), "rows of equal length"),
        (lambda: Distances([[0, 1], [1, 0]], None), "names must be a list"),
        (lambda: Points([[0, 1]], features=5), "names must be a list"),
        (lambda: Strings(["spam"], [0], classes=5), "names must be a list"),
        (lambda: Strings(None), "texts must be a list"),
        (lambda: GraphSet(TRIANGLE), "graphs must be a list"),
        (lambda: Points([[0.0], [1.0]], [[1], [1, 2]]), "rows of equal length"),
        (lambda: Points.of([[0.0], [1.0]], 5, "classes"), "shape"),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(make, words):
    with pytest.raises(DataError, match=words) as refused:
        make()
    assert str(refused.value).endswith(".")


def test_a_method_says_which_kinds_it_takes():
    with pytest.raises(DataError, match=r"k-means works on Points\(X, y\); these are Graph\."):
        fit("k_means", TRIANGLE)
    with pytest.raises(DataError, match=r"k-means works on Points\(X, y\); nothing was given\."):
        fit("k_means")


ODD = "a\n\x1b\x00\x9b\ud800" + "b" * 300


@pytest.mark.parametrize(
    "data",
    [
        Points([[1.0], [2.0]], [0, 1], (ODD,), (ODD, "c"), ODD, ODD),
        Points([[0.0], [1.0]], categories={0: (ODD, "c")}),
        Graph(2, [(0, 1)], names=(ODD, "c"), groups=[0, 1], classes=(ODD, "c"), name=ODD),
        Graph(2, [(0, 1)], groups=[ODD, "c"]),
        Sequences([[0, 1]], symbols=(ODD, "c"), name=ODD),
        Sequences([[0.5, 1.5]], features=(ODD,), name=ODD),
        Distances([[0, 1], [1, 0]], (ODD, "c"), ODD),
        Strings(("x", "y"), [0, 1], (ODD, "c"), ODD),
        GraphSet((Graph(1, []),), [0], (ODD, "c"), ODD),
    ],
    ids=lambda data: data.kind,
)
def test_names_are_one_short_line_that_a_file_can_hold(data):
    said = json.dumps({**data.facts(), "name": data.name}, ensure_ascii=False).encode().decode()
    assert "a     bbb" in said
    assert "b" * 200 not in said
    assert said.isprintable()


def test_letters_that_are_joined_or_kept_apart_stay_in_a_name():
    joined = "می\u200cخواهم 👩\u200d🔬 12\u00a0%"
    assert Points([[1.0]], features=(joined,), name=joined).features == (joined,)


def test_a_number_beyond_all_whole_numbers_is_a_sentence() -> None:
    with pytest.raises(DataError, match="must lie between 0 and 4"), np.errstate(all="raise"):
        whole_numbers([1e300], "numbers", (-1,), 0, 5)
