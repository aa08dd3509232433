"""Graph kernels: triples and walks by hand, every triple and every product written down as an oracle, the machine."""

import itertools
import math

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.svm import SVC

from algorithms import DataError, Graph, GraphSet, find, fit
from algorithms.classification.graph_kernel import Params, solver
from algorithms.classification.graph_kernel.solver import triple_counts
from algorithms.contract import Case
from algorithms.interrupt import Interrupted, interruptible
from algorithms.marks import Bars, Highlight, Matrix, NodeLink
from mlviz.data.spec import load_data

METHOD = find("graph_kernel")
TRIPLES, WALKS = "subgraph size 3", "random walk"


def play(data, **params):
    return list(METHOD.start(data, METHOD.make_params(params), 0))


def complete(n):
    return Graph(n, list(itertools.combinations(range(n), 2)))


def path(n):
    return Graph(n, [(k, k + 1) for k in range(n - 1)])


def cycle(n):
    return Graph(n, [(k, (k + 1) % n) for k in range(n)])


def star(leaves):
    return Graph(leaves + 1, [(0, k) for k in range(1, leaves + 1)])


def table(graph):
    """Who is joined to whom, written by hand: the oracle of everything."""
    joined = np.zeros((graph.n, graph.n))
    for one, two in graph.edges.tolist():
        if one != two:
            joined[one, two] = joined[two, one] = 1.0
    return joined


def counted_one_by_one(graph):
    joined = table(graph)
    counts = [0, 0, 0, 0]
    for i, j, k in itertools.combinations(range(graph.n), 3):
        counts[int(joined[i, j] + joined[i, k] + joined[j, k])] += 1
    return counts


@st.composite
def graphs(draw, most=8):
    n = draw(st.integers(0, most))
    pairs = list(itertools.product(range(n), repeat=2))
    directed = draw(st.booleans())
    edges = draw(st.lists(st.sampled_from(pairs), unique_by=None if directed else frozenset) if pairs else st.just([]))
    return Graph(n, list(dict.fromkeys(edges)), directed=directed)


# --- triples by hand --------------------------------------------------------------------------------------------------

BY_HAND = {
    "triangle": (complete(3), [0, 0, 0, 1]),
    "P3": (path(3), [0, 0, 1, 0]),
    "P4": (path(4), [0, 2, 2, 0]),
    "K1,3": (star(3), [1, 0, 3, 0]),
    "C4": (cycle(4), [0, 0, 4, 0]),
    "C5": (cycle(5), [0, 5, 5, 0]),
    "K4": (complete(4), [0, 0, 0, 4]),
    "three nodes": (Graph(3, []), [1, 0, 0, 0]),
    "one edge of four nodes": (Graph(4, [(0, 1)]), [2, 2, 0, 0]),
    "two nodes": (path(2), [0, 0, 0, 0]),
    "nothing": (Graph(0, []), [0, 0, 0, 0]),
}


@pytest.mark.parametrize("name", BY_HAND)
def test_the_triples_of_small_graphs(name):
    graph, wanted = BY_HAND[name]
    assert triple_counts([graph]).tolist() == [wanted]


def test_the_kernel_of_a_path_and_a_star():
    """P4 is (0, 1/2, 1/2, 0) and K1,3 is (1/4, 0, 3/4, 0), so k = 3/8; K4 is (0, 0, 0, 1), alike to neither."""
    model = fit("graph_kernel", GraphSet([path(4), star(3), complete(4)])).model
    assert model.features.tolist() == [[0, 0.5, 0.5, 0], [0.25, 0, 0.75, 0], [0, 0, 0, 1]]
    assert model.gram.tolist() == [[0.5, 0.375, 0], [0.375, 0.625, 0], [0, 0, 1]]
    cosines = fit("graph_kernel", GraphSet([path(4), star(3), complete(4)]), normalise=True).model.gram
    assert cosines[0, 1] == pytest.approx(0.375 / math.sqrt(0.5 * 0.625))
    assert np.diagonal(cosines) == pytest.approx([1, 1, 1])


# --- the oracle and identities ----------------------------------------------------------------------------------------


@given(st.lists(graphs(), min_size=1, max_size=4))
@settings(max_examples=40, deadline=None)
def test_counts_are_those_of_all_triples_looked_at(found):
    counts = triple_counts(found)
    assert counts.tolist() == [counted_one_by_one(graph) for graph in found]
    for graph, row in zip(found, counts):
        n, joined = graph.n, table(graph)
        edges, degrees = joined.sum() / 2, joined.sum(axis=1)
        assert row.sum() == math.comb(n, 3)
        assert row @ [0, 1, 2, 3] == edges * max(n - 2, 0)  # every edge is in a triple with every other node
        assert row[2] + 3 * row[3] == (degrees * (degrees - 1) / 2).sum()  # two edges meet in a path once, thrice in Δ
        triples, of_edges = solver.triples_of(graph)
        assert np.bincount(of_edges, minlength=4).tolist() == row.tolist()
        assert [tuple(triple) for triple in triples] == list(itertools.combinations(range(n), 3))


def test_triangles_of_larger_graphs_are_those_of_networkx(monkeypatch):
    data = [load_data(spec) for spec in ("karate", "les_miserables", "random_graph(n=200,p=0.2,seed=1)")]
    triangles = [sum(nx.triangles(nx.from_numpy_array(table(graph))).values()) // 3 for graph in data]
    assert triple_counts(data)[:, 3].tolist() == triangles
    monkeypatch.setattr(solver, "_WORK", 50)  # in many parts
    assert triple_counts(data)[:, 3].tolist() == triangles


def test_a_hub_of_twenty_thousand_nodes_needs_no_table_of_pairs():
    n = 20_000
    counts = triple_counts([star(n - 1)])[0]
    assert counts.tolist() == [math.comb(n - 1, 3), 0, math.comb(n - 1, 2), 0]


@given(st.lists(graphs(6), min_size=1, max_size=3), st.sampled_from([0.1, 0.5, 0.9]))
@settings(max_examples=25, deadline=None)
def test_walks_are_those_of_the_direct_product(found, decay):
    """Against the inverse, and against walks counted one length after the other in the product itself."""
    model = fit("graph_kernel", GraphSet(found), kind=WALKS, decay=decay).model
    top = max(float(np.linalg.eigvalsh(table(graph)).max(initial=0.0)) for graph in found)
    attenuation = decay / top**2 if top > 0 else decay
    assert model.attenuation == pytest.approx(attenuation)
    for (a, one), (b, two) in itertools.product(enumerate(found), repeat=2):
        product = np.kron(table(one), table(two))
        ones = np.ones(len(product))
        exact = np.linalg.solve(np.eye(len(product)) - attenuation * product, ones).sum()
        assert model.gram[a, b] == pytest.approx(exact, rel=1e-10)
        walks, series = ones, 0.0
        for length in range(model.features.shape[1]):
            series += walks.sum()
            if length < 6:
                assert model.features[a, length] * model.features[b, length] == pytest.approx(walks.sum(), rel=1e-9)
            walks = attenuation * (product @ walks)
        assert model.gram[a, b] == pytest.approx(series, rel=1e-10)


def test_walks_by_hand():
    """A single edge has two walks of every length: k = Σ λ^l 4 = 4 / (1 - λ), and λ is below 1 / (1 · 1)."""
    model = fit("graph_kernel", GraphSet([path(2)]), kind=WALKS, decay=0.5).model
    assert model.attenuation == pytest.approx(0.5)
    assert model.gram[0, 0] == pytest.approx(8.0)
    ring = fit("graph_kernel", GraphSet([cycle(5)]), kind=WALKS, decay=0.5).model  # 5 · 2^l walks, λ = 1/2 / 4
    assert ring.gram[0, 0] == pytest.approx(25 / (1 - 0.5))


def test_the_largest_eigenvalue_of_a_product_is_the_product_of_the_largest():
    one, two = star(4), complete(4)
    tops = solver.largest_eigenvalues([one, two, cycle(400), Graph(400, [])])
    assert tops == pytest.approx([2.0, 3.0, 2.0, 0.0])
    assert np.linalg.eigvalsh(np.kron(table(one), table(two)))[-1] == pytest.approx(6.0)


@pytest.mark.parametrize("kind", [TRIPLES, WALKS])
@pytest.mark.parametrize("normalise", [False, True])
def test_the_gram_matrix_is_positive_semidefinite(kind, normalise):
    model = fit("graph_kernel", load_data("graph_families(n=20,families=4)"), kind=kind, normalise=normalise).model
    assert np.linalg.eigvalsh(model.gram)[0] > -1e-9 * model.gram.max()
    assert not normalise or np.diagonal(model.gram) == pytest.approx(np.ones(20))


@pytest.mark.parametrize("kind", [TRIPLES, WALKS])
def test_numbers_of_nodes_directions_weights_and_loops_do_not_count(kind):
    plain = Graph(5, [(0, 1), (1, 2), (2, 0), (3, 4)])
    other = Graph(5, [(4, 3), (3, 4), (3, 2), (2, 4), (1, 0), (1, 1)], [1, 2, -3, 0, 5, 6], directed=True)
    frame = play(GraphSet([plain, other]), kind=kind)[-1]
    assert frame.model.gram == pytest.approx(np.full((2, 2), frame.model.gram[0, 0]))
    assert frame.warning == "Only which nodes are joined counts: directions, weights and loops of edges are ignored."


# --- the machine ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [TRIPLES, WALKS])
def test_the_machine_is_that_of_libsvm_on_the_same_matrix(kind):
    data = load_data("friend_graphs(n=40,seed=1)")
    ours = fit("graph_kernel", data, kind=kind, tol=1e-6)
    theirs = SVC(kernel="precomputed", C=100.0, tol=1e-6).fit(ours.model.gram, data.y)
    decisions = ours.model.machines.decisions(ours.model.gram)[:, 0]
    assert decisions == pytest.approx(theirs.decision_function(ours.model.gram), abs=2e-3)
    assert np.array_equal(ours.predict(data), theirs.predict(ours.model.gram))


@pytest.mark.parametrize("params", [{}, {"normalise": True}, {"kind": WALKS, "decay": 0.3}])
def test_new_graphs_are_compared_with_those_of_the_model(params):
    data = load_data("graph_families(n=18,families=3)")
    ours = fit("graph_kernel", data, **params)
    new = GraphSet([star(5), cycle(7), path(2), Graph(0, [])])
    both = fit("graph_kernel", GraphSet([*data.graphs, *new.graphs]), **params).model.gram
    assert ours.model.values(new) == pytest.approx(both[18:, :18], rel=1e-9)
    assert [ours.predict(GraphSet([graph]))[0] for graph in new.graphs] == ours.predict(new).tolist()


def test_more_walks_than_the_model_has_lengths_for_are_counted_to_the_end():
    """λ = 0.3 / 4 for rings; with a new graph of ρ = 6 the terms fall by 0.9 only."""
    model = fit("graph_kernel", GraphSet([cycle(5), cycle(6)], [0, 1]), kind=WALKS, decay=0.3).model
    product = np.kron(table(complete(7)), table(cycle(5)))
    exact = np.linalg.solve(np.eye(35) - 0.075 * product, np.ones(35)).sum()
    assert model.values(GraphSet([complete(7)]))[0, 0] == pytest.approx(exact, rel=1e-9)


def test_a_new_graph_with_too_many_walks_is_refused_with_a_sentence():
    ours = fit("graph_kernel", GraphSet([cycle(5), path(5)], [0, 1]), kind=WALKS)
    with pytest.raises(DataError, match=r"limit only where λ = 0.125 is below 1 .* which is 9 · 2 for a new"):
        ours.predict(GraphSet([complete(10)]))


def test_friends_and_strangers_differ_in_their_triangles():
    """As many edges in both classes: a machine on the number of edges learns nothing, one on triples everything."""
    data = load_data(METHOD.example)
    assert {round(1.5 * graph.n) for graph in data.graphs} == {graph.m for graph in data.graphs}
    frame = play(data)[-1]
    assert frame.metrics["error"] == 0.0
    assert (
        "of 20 graphs are support vectors, and 0 are misclassified. The largest weights: triangle (-" in frame.caption
    )
    assert data.classes == ("friends", "strangers")
    apart = frame.model.features[data.y == 0].mean(axis=0) - frame.model.features[data.y == 1].mean(axis=0)
    assert apart[3] > 0.05 > -0.05 > apart[2]


@pytest.mark.parametrize("normalise", [False, True])
def test_the_kinds_of_triples_add_up_to_the_decision(normalise):
    data = load_data(METHOD.example)
    model = play(data, normalise=normalise)[-1].model
    scale = np.sqrt(model.norms) if normalise else np.ones(data.n)
    decisions = (model.features / scale[:, None]) @ model.weights.T + model.machines.bias
    assert decisions == pytest.approx(model.machines.decisions(model.gram))


def test_several_classes_have_a_machine_each_against_the_rest():
    data = load_data("graph_families(n=24,families=4)")
    frame = play(data, C=1000.0)[-1]
    assert frame.model.machines.alpha.shape == (4, 24)
    assert frame.metrics["error"] < 0.1


# --- what is seen -----------------------------------------------------------------------------------------------------


def mark_of(frame, panel, kind):
    return next((mark for mark in frame.views[panel] if isinstance(mark, kind)), None)


def test_triples_are_lit_one_by_one_while_the_histogram_grows():
    frames = [frame for frame in play(GraphSet([path(4), star(3)])) if frame.phase == "count"]
    assert len(frames) == 4
    assert [mark_of(frame, "counted", NodeLink).rings[0].nodes.tolist() for frame in frames] == [
        [0, 1, 2],
        [0, 1, 3],
        [0, 2, 3],
        [1, 2, 3],
    ]
    lit = [mark_of(frame, "counted", NodeLink).links[0].edges.tolist() for frame in frames]
    assert lit == [[0, 1], [0], [2], [1, 2]]
    heights = [mark_of(frame, "histogram", Bars).values.tolist() for frame in frames]
    assert heights == [[0, 0, 0.25, 0], [0, 0.25, 0.25, 0], [0, 0.5, 0.25, 0], [0, 0.5, 0.5, 0]]
    assert frames[1].caption == (
        "Triple 2 of 4: the nodes 1, 2 and 4 have one edge. "
        "So far 0 without an edge, 1 with one, 1 path and 0 triangles."
    )
    assert [frame.metrics["counted"] for frame in frames] == [1, 2, 3, 4]


def test_many_triples_are_counted_some_at_a_time_and_very_many_at_once():
    frames = [frame for frame in play(GraphSet([cycle(20)])) if frame.phase == "count"]
    assert len(frames) == 82
    assert frames[0].caption.startswith("14 of 1,140 triples, last: the nodes 1, 2 and 16 have one edge.")
    assert frames[-1].metrics["counted"] == 1140
    large = play(GraphSet([cycle(61)]))
    assert not [frame for frame in large if frame.phase == "count"]
    assert large[0].caption.endswith("They are counted at once, from degrees and triangles.")


def test_walks_are_added_length_by_length():
    frames = play(GraphSet([path(2), path(2), star(3)]), kind=WALKS, decay=0.5)
    walking = [frame for frame in frames if frame.phase == "walk"]
    sums = [frame.metrics["counted"] for frame in walking]
    terms = mark_of(walking[-1], "histogram", Bars).values
    assert sums == pytest.approx(np.cumsum(terms))
    assert mark_of(frames[0], "graphs", Highlight).points.tolist() == [0, 1]
    assert walking[1].caption.startswith("Length 1: 2 × 2 = 4 walks; times λ^1 they add 0.6667.")
    assert "λ = 0.1667 is below 1 / 1 = 1: the sum over all lengths has a limit." in frames[0].caption
    picture = mark_of(walking[2], "counted", NodeLink)
    assert picture.values.tolist() == [0.5] * 4
    assert picture.links[0].edges.tolist() == [0, 1]
    assert picture.points.tolist() == [0, 0, 1, 1]
    asked = play(GraphSet([path(2), path(2), star(3)]), kind=WALKS, first=2, second=3)
    assert mark_of(asked[0], "graphs", Highlight).points.tolist() == [1, 2]


def test_a_walk_goes_from_neighbour_to_neighbour_and_ends_follow_the_walks():
    graph = load_data("graph_families").graphs[0]
    joined = table(graph)
    walk = solver.one_walk(graph, 12, np.random.default_rng(1))
    assert len(walk) == 13
    assert all(joined[one, two] for one, two in itertools.pairwise(walk.tolist()))
    ends = np.linalg.matrix_power(joined, 4).sum(axis=1)
    assert solver.walk_ends(graph, 4) == pytest.approx(ends / ends.sum())


def test_the_matrix_fills_row_by_row_in_the_order_of_the_classes():
    data = GraphSet([path(3), cycle(4), path(4), cycle(5)], ["x", "y", "x", "y"])
    frames = [frame for frame in play(data) if frame.phase == "gram"]
    assert [int(frame.metrics["rows"]) for frame in frames] == [1, 2, 3, 4]
    matrix = mark_of(frames[1], "gram", Matrix)
    assert matrix.points.tolist() == [0, 2, 1, 3]
    assert (~matrix.unknown).sum() == 4
    assert mark_of(frames[-1], "gram", Matrix).unknown is None
    assert frames[0].caption == "1 of 4 rows: graph 1 is most similar to graph 2 (k = 1, a cosine of 1)."


def test_a_graph_that_is_pointed_at_is_shown_as_soon_as_it_is_counted():
    data = GraphSet([path(4), star(3), complete(4)], [0, 1, 1])
    frames = play(data)
    first = METHOD.focused(frames[1], data.item(2))
    assert mark_of(first, "histogram", Bars).points.tolist() == [0] * 4
    last = METHOD.focused(frames[-1], data.item(2))
    assert mark_of(last, "histogram", Bars).values.tolist() == [0, 0, 0, 1]
    assert mark_of(last, "counted", NodeLink).points.tolist() == [2] * 4
    walks = METHOD.focused(play(data, kind=WALKS)[-1], data.item(2))
    assert set(mark_of(walks, "counted", NodeLink).points.tolist()) == {0, 2}


# --- sentences --------------------------------------------------------------------------------------------------------


def test_graphs_without_classes_have_a_matrix_and_no_machine():
    frames = play(GraphSet([path(3), cycle(4)]))
    assert frames[-1].caption == "The graphs have no classes, so only the table of all pairs is computed."
    with pytest.raises(DataError, match="no classes"):
        METHOD.predict(frames[-1].model, GraphSet([path(3)]))


def test_one_class_and_one_graph_are_named():
    assert "nothing to decide" in play(GraphSet([path(3), cycle(4)], ["x", "x"]))[-1].caption
    frames = play(GraphSet([path(3)]))
    assert next(frame for frame in frames if frame.phase == "gram").caption.endswith("nothing to compare it with.")
    assert "itself" in play(GraphSet([path(3)]), kind=WALKS)[0].caption


def test_graphs_with_fewer_than_three_nodes_are_named():
    frames = play(GraphSet([path(2), cycle(4), cycle(5)], [0, 1, 1]))
    assert frames[0].caption == "Graph 1 has 2 nodes, 1 edge: three nodes cannot be taken from it."
    assert frames[-1].warning == "1 graph has fewer than 3 nodes: without a triple k with every graph is 0."
    assert next(f for f in frames if f.phase == "features").caption.endswith("fewer than three, so φ = 0.")
    every = play(GraphSet([Graph(0, []), Graph(0, [])], [0, 1]), kind=WALKS)
    assert every[-1].warning == "All graphs have no node: without a walk k with every graph is 0."
    assert np.isfinite(every[-1].model.gram).all()


def test_graphs_without_edges_have_walks_of_no_length():
    frames = play(GraphSet([Graph(3, []), Graph(4, [])], [0, 1]), kind=WALKS)
    assert frames[0].caption.endswith("No step can be taken in it, so only its nodes count.")
    assert frames[-1].model.gram.tolist() == [[9, 12], [12, 16]]
    assert "There is no walk of length 1 in both graphs: k stays 12." in {frame.caption for frame in frames}


def test_equal_graphs_of_two_classes_are_not_told_apart():
    frame = play(GraphSet([cycle(5)] * 4, [0, 1, 0, 1]))[-1]
    assert frame.metrics["error"] == 0.5
    assert np.ptp(frame.model.gram) == 0.0


def test_too_many_edges_are_refused_and_counting_can_be_called_off(monkeypatch):
    monkeypatch.setattr(solver, "MOST_EDGES", 10)
    with pytest.raises(DataError, match="12 edges together; counting is possible in 10"):
        play(GraphSet([cycle(6), cycle(6)]))
    with interruptible(lambda: True), pytest.raises(Interrupted):
        triple_counts([cycle(6)])
    with interruptible(lambda: True), pytest.raises(Interrupted):
        solver.walk_features([cycle(6)], 0.1, 5)


def test_explain_says_what_was_counted_and_which_kind_of_triple_says_so():
    data = load_data(METHOD.example)
    fitted = fit("graph_kernel", data)
    answer = fitted.explain(0)
    assert answer["φ of triangle"] == counted_one_by_one(data.graphs[0])[3] / 56
    assert answer["most similar"] == "graph 13"
    assert answer["predicted"] == "friends"
    parts = [float(part.split()[0]) for part in answer["f is the sum of"].split(", ")]
    assert sum(parts) == pytest.approx(float(answer["f (positive: strangers)"]), abs=1e-3)
    assert METHOD.explain(play(data)[0].model, data, data.item(0)) == {
        "kernel": "not known before all graphs are counted"
    }


def test_there_is_a_counterpart_only_where_all_products_can_be_written_down():
    assert METHOD.counterpart(Params(), None) is not None
    assert "np.kron" in METHOD.counterpart(Params(kind=WALKS), None).imports
    ring, long = GraphSet([cycle(5), path(5)], [0, 1]), GraphSet([cycle(61), path(5)], [0, 1])
    cases = [Case(data, 0, lambda: None) for data in (ring, long, GraphSet([cycle(5)]))]
    assert [METHOD.counterpart(Params(kind=WALKS), case) is None for case in cases] == [False, True, True]
    assert [METHOD.counterpart(Params(), case) is None for case in cases] == [False, False, True]


def test_a_kind_is_named_for_a_class_only_where_its_weight_points_to_it():
    """Without edges all triples are of one kind: its weight is positive, and none points to the first class."""
    data = GraphSet([Graph(2, []), Graph(4, [])], ["a", "b"])
    last = play(data)[-1]
    assert last.model.weights[0].tolist() == pytest.approx([2.0, 0.0, 0.0, 0.0])
    assert last.caption.endswith("0 are misclassified. The largest weights: no edge (+2) towards class 'b'.")


def test_what_is_not_known_yet_is_no_number():
    for frame in play(load_data("friend_graphs()")):
        trained = frame.phase in ("machine", "done")
        assert [math.isnan(frame.metrics[name]) for name in ("dual", "gap", "error")] == [not trained] * 3
        assert math.isnan(frame.metrics["counted"]) == (frame.phase == "start")
