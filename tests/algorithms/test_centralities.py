"""Centralities: the worked answers of the course, networkx, and what must be equal where nodes are alike."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from algorithms import fit, show
from algorithms.contract import DataError, Stop
from algorithms.data import Array, Graph
from algorithms.graphs.centralities import ALGORITHM, solver
from algorithms.interrupt import Interrupted, interruptible
from algorithms.maths.adjacency import Adjacency
from mlviz.data.spec import load_data
from mlviz.export.script import script
from tests.algorithms.test_shortest_paths import as_networkx, graphs

STAR = load_data("textbook_graph(which=star)")
TRIANGLES = load_data("textbook_graph(which='two triangles')")
KINDS = ("degree", "closeness", "betweenness", "eigenvector", "Katz", "HITS")


def values(data: Graph, kind: str, **params: object) -> Array:
    return fit("centralities", data, kind=kind, **params).model.values


# -- the answers of the course ----------------------------------------------------------------------------------------


def test_the_star() -> None:
    """Methods for Data Science, figure 12.3: V = 1..4, edges 12, 23, 24."""
    assert values(STAR, "degree") == pytest.approx(np.array([1, 3, 1, 1]) / 6)
    assert values(STAR, "closeness") == pytest.approx([0.8, 4 / 3, 0.8, 0.8])
    assert values(STAR, "betweenness", scaling="none").tolist() == [0, 3, 0, 0]
    assert values(STAR, "betweenness").tolist() == [0, 1, 0, 0]
    found = fit("centralities", STAR, kind="eigenvector")
    assert found.model.values == pytest.approx([0.4082482905, 0.7071067812, 0.4082482905, 0.4082482905], abs=1e-8)
    assert found.model.eigenvalue == pytest.approx(np.sqrt(3), abs=1e-8)
    assert found.stop is Stop.CONVERGED


def test_two_triangles() -> None:
    """Figure 12.11: edges 12, 13, 23, 34, 45, 46, 56."""
    assert values(TRIANGLES, "degree") == pytest.approx(np.array([2, 2, 3, 3, 2, 2]) / 14)
    assert values(TRIANGLES, "betweenness", scaling="none").tolist() == [0, 0, 6, 6, 0, 0]
    assert values(TRIANGLES, "betweenness") == pytest.approx([0, 0, 0.6, 0.6, 0, 0])
    assert values(TRIANGLES, "closeness") == pytest.approx([0.6, 0.6, 6 / 7, 6 / 7, 0.6, 0.6])
    assert values(TRIANGLES, "closeness", scaling="as in networkx") == pytest.approx([0.5, 0.5, 5 / 7, 5 / 7, 0.5, 0.5])
    found = fit("centralities", TRIANGLES, kind="eigenvector").model
    outer = 0.3535533906
    assert found.values == pytest.approx([outer, outer, 0.5, 0.5, outer, outer], abs=1e-8)
    assert found.eigenvalue == pytest.approx(1 + np.sqrt(2), abs=1e-8)


def test_katz_and_hits_by_hand() -> None:
    """1 -> 2 -> {3, 4}: nobody points to 1; with alpha = 1/2, c = 1, 3/2, 7/4, 7/4."""
    directed = load_data("textbook_graph(which='directed star')")
    katz = values(directed, "Katz", attenuation=0.5)
    assert katz / katz[0] == pytest.approx([1, 1.5, 1.75, 1.75])
    # node 2 points to both 3 and 4, which beats node 1, which points to one: the only hub that is left in the end
    assert values(directed, "HITS") == pytest.approx([0, 0, 0.5, 0.5], abs=1e-8)
    assert values(directed, "HITS", side="hubs") == pytest.approx([0, 1, 0, 0], abs=1e-8)


def test_the_medici() -> None:
    found = fit("centralities", load_data("florentine"))
    assert (
        found.last.caption == "Medici (0.522) has the largest betweenness, then Guadagni (0.2546) and Albizzi (0.2125)."
    )


# -- networkx ---------------------------------------------------------------------------------------------------------


def theirs(data: Graph, kind: str, weight: str | None = None) -> Array:
    graph = as_networkx(data)
    found = {
        "degree": lambda: nx.degree_centrality(graph),
        "closeness": lambda: nx.closeness_centrality(graph, distance=weight),
        "betweenness": lambda: nx.betweenness_centrality(graph, weight=weight),
        "eigenvector": lambda: nx.eigenvector_centrality_numpy(graph, weight=weight),
    }[kind]()
    return np.array([found[node] for node in range(data.n)])


@settings(max_examples=60, deadline=None)
@given(data=graphs(), kind=st.sampled_from(["degree", "closeness", "betweenness"]), weighted=st.booleans())
def test_counts_and_paths_are_those_of_networkx(data: Graph, kind: str, weighted: bool) -> None:
    weighted = weighted and kind != "degree"
    if weighted and kind == "betweenness":
        assume(data.m > 0 and data.lengths.min() > 0)
    assume(data.n > 2 or kind != "betweenness")  # networkx leaves the values of two nodes as they are: zero
    assume(data.n > 1 or kind != "degree")  # one node alone has the degree 1 there
    found = values(data, kind, scaling="as in networkx", weights="used" if weighted else "ignored")
    assert found == pytest.approx(theirs(data, kind, "weight" if weighted else None), abs=1e-12)


@pytest.mark.parametrize("spec", ["karate", "florentine", "les_miserables", "block_model", "barbell", "grid"])
def test_eigenvectors_and_the_others_on_known_graphs(spec: str) -> None:
    data = load_data(spec)
    for weighted in ("ignored", "used"):
        weight = "weight" if weighted == "used" else None
        assert values(data, "eigenvector", weights=weighted) == pytest.approx(
            theirs(data, "eigenvector", weight), abs=1e-6
        )
    for kind in ("degree", "closeness", "betweenness"):
        assert values(data, kind, scaling="as in networkx") == pytest.approx(theirs(data, kind), abs=1e-12)


@pytest.mark.parametrize("spec", ["small_web", "karate", "random_graph(n=20,p=0.2,directed=true,seed=3)"])
def test_katz_and_hits_are_those_of_networkx(spec: str) -> None:
    data = load_data(spec)
    graph = as_networkx(data)
    table = nx.to_numpy_array(graph, nodelist=range(data.n), weight=None)
    alpha = 0.85 / np.abs(np.linalg.eigvals(table)).max()
    katz = nx.katz_centrality_numpy(graph, alpha=alpha)
    assert values(data, "Katz") == pytest.approx([katz[node] for node in range(data.n)], abs=1e-7)
    hubs, authorities = nx.hits(graph, tol=1e-12)
    assert values(data, "HITS") == pytest.approx([authorities[node] for node in range(data.n)], abs=1e-6)
    assert values(data, "HITS", side="hubs") == pytest.approx([hubs[node] for node in range(data.n)], abs=1e-6)


# -- identities -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("spec", ["ring(n=9)", "ring(n=8,reach=2)", "random_graph(n=6,p=1.0)"])
def test_nodes_that_are_alike_are_equally_central(spec: str, kind: str) -> None:
    found = fit("centralities", load_data(spec), kind=kind)
    assert np.ptp(found.model.values) <= 1e-9
    assert found.last.caption.startswith(
        ("All nodes have the same", "All nodes have the betweenness 0", "All nodes have the closeness 0")
    )


@settings(max_examples=40, deadline=None)
@given(data=graphs(), kind=st.sampled_from(KINDS), seed=st.integers(0, 99))
def test_renumbered_nodes_take_their_values_with_them(data: Graph, kind: str, seed: int) -> None:
    order = np.random.default_rng(seed).permutation(data.n)
    renumbered = Graph(data.n, order[data.edges].reshape(-1, 2), data.weights, data.directed)
    try:
        found = fit("centralities", data, kind=kind, max_steps=50)
    except DataError:
        return
    again = fit("centralities", renumbered, kind=kind, max_steps=50)
    assert again.model.values[order] == pytest.approx(found.model.values, abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(data=graphs())
def test_degrees_add_up_to_one_and_betweenness_to_the_stops_on_all_paths(data: Graph) -> None:
    if data.m:
        assert values(data, "degree").sum() == pytest.approx(1.0)
    hops = fit(
        "shortest_paths", Graph(data.n, data.edges, None, data.directed), method="Floyd-Warshall"
    ).model.distances
    inner = np.where(np.isfinite(hops) & (hops > 0), hops - 1, 0.0).sum()  # a path of d edges has d - 1 stops
    assert values(data, "betweenness", scaling="none").sum() == pytest.approx(inner * (1 if data.directed else 0.5))


def test_the_star_swings_without_the_shift() -> None:
    """Plain power steps on a bipartite graph never settle, which is why A + I is used."""
    table, _ = solver.influence(STAR, weighted=False)
    plain = np.full(4, 0.5)
    for _ in range(101):
        plain = table @ plain / np.linalg.norm(table @ plain)
    once_more = table @ plain / np.linalg.norm(table @ plain)
    assert np.linalg.norm(plain - once_more) > 0.1


def test_betweenness_grows_source_by_source() -> None:
    run = list(ALGORITHM.start(TRIANGLES, ALGORITHM.make_params({"scaling": "none"}), 0))
    sums = [frame.model.values.sum() for frame in run]
    assert [frame.phase for frame in run] == ["start", *["source"] * 6, "result"]
    assert (np.diff(sums) >= 0).all()
    assert run[1].model.values.tolist() == [0, 0, 1.5, 1, 0, 0]  # halves of the paths from node 1: 3 over 3, 2 over 4


def test_dividing_weights_by_a_number_changes_neither_order_nor_vector() -> None:
    data = load_data("les_miserables")
    tenth = Graph(data.n, data.edges, data.lengths / 10, weighted=True)
    for kind in ("eigenvector", "Katz", "HITS", "degree"):
        assert values(tenth, kind, weights="used") == pytest.approx(values(data, kind, weights="used"), abs=1e-8)
    one, two = (fit("centralities", graph, kind="eigenvector", weights="used") for graph in (data, tenth))
    assert two.model.eigenvalue == pytest.approx(one.model.eigenvalue / 10)


def test_equally_long_paths_share_the_count() -> None:
    """In a square two paths lead to the opposite corner: each corner between gets a half from two pairs."""
    square = Graph(4, [(0, 1), (1, 2), (2, 3), (3, 0)])  # type: ignore[arg-type]
    assert values(square, "betweenness", scaling="none").tolist() == [0.5] * 4
    unequal = Graph(4, square.edges, [0.1, 0.2, 0.1, 0.2], weighted=True)
    assert values(unequal, "betweenness", scaling="none", weights="used").tolist() == [0.5] * 4


def test_a_large_graph_in_few_frames() -> None:
    data = load_data("scale_free(n=700,links=3,seed=1)")
    found = fit("centralities", data, scaling="as in networkx")
    assert found.steps < 160
    assert found.model.values == pytest.approx(theirs(data, "betweenness"), abs=1e-12)


# -- what is refused, and doubted -------------------------------------------------------------------------------------

LINE = Graph(3, [(0, 1), (1, 2)], None, True)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("data", "params", "sentence"),
    [
        (Graph(0, []), {}, "Centralities has nothing to work on yet: there are 0 nodes, 0 edges."),  # type: ignore[arg-type]
        (
            LINE,
            {"kind": "eigenvector"},
            "no path leads back to where it began, so the only eigenvalue is 0. Katz works.",
        ),
        (Graph(3, []), {"kind": "eigenvector"}, "there are no edges, so the only eigenvalue is 0."),  # type: ignore[arg-type]
        (Graph(3, []), {"kind": "HITS"}, "Without edges there are neither hubs nor authorities."),  # type: ignore[arg-type]
        (
            Graph(2, [(0, 1)], [-1.0]),  # type: ignore[arg-type]
            {"weights": "used"},
            "A centrality needs weights that are not negative; the edge between 1 and 2 has -1.",
        ),
        (
            Graph(2, [(0, 1)], [0.0]),  # type: ignore[arg-type]
            {"weights": "used"},
            "The edge between 1 and 2 has the weight 0, so there are endless equally short paths;",
        ),
        (Graph(2, [(0, 1)], [0.0]), {"weights": "used", "kind": "Katz"}, "All weights are 0"),  # type: ignore[arg-type]
        (Graph(2, [(0, 1)], [1.7e308]), {"weights": "used"}, "methods calculate with numbers up to 1e+100."),  # type: ignore[arg-type]
        (Graph(3001, []), {"kind": "Katz"}, "Katz needs a table of all pairs; 3,001 nodes have too many."),  # type: ignore[arg-type]
    ],
)
def test_what_cannot_be_worked_on_is_said_before_the_first_frame(data, params, sentence) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(DataError) as refused:
        next(ALGORITHM.start(data, ALGORITHM.make_params(params), 0))
    assert sentence in str(refused.value)


def test_negative_weights_do_not_matter_where_they_are_ignored() -> None:
    data = Graph(3, [(0, 1), (1, 2)], [-1.0, 2.0])  # type: ignore[arg-type]
    assert values(data, "betweenness").tolist() == [0, 1, 0]


def test_two_pieces_are_doubted() -> None:
    data = load_data("textbook_graph(which='two pieces')")
    far = fit("centralities", data, kind="closeness")
    assert not far.model.values.any()
    assert far.last.warning.startswith("Not all nodes can reach each other")
    near = fit("centralities", data, kind="closeness", scaling="as in networkx")
    assert near.model.values == pytest.approx(theirs(data, "closeness"))
    assert near.last.warning == ""
    vector = fit("centralities", data, kind="eigenvector")
    assert vector.model.values[3:] == pytest.approx(np.zeros(3), abs=1e-6)  # the triangle has the larger eigenvalue
    assert "The graph has 2 parts" in vector.last.warning


def test_rounds_that_run_out_are_said() -> None:
    found = fit("centralities", load_data("karate"), kind="eigenvector", max_steps=3)
    assert found.stop is Stop.LIMIT
    assert found.last.warning == "The rounds ran out before the values stood still: raise max_steps."


def test_an_explanation_of_a_node_and_of_an_edge() -> None:
    found = fit("centralities", STAR, kind="degree", scaling="none")
    assert found.explain(1) == {
        "node": "2",
        "degree": 3.0,
        "rank": "1 of 4",
        "edges": 3,
        "neighbours": "1 (1), 3 (1), 4 (1)",
    }
    assert ALGORITHM.explain is not None
    assert ALGORITHM.explain(found.model, STAR, STAR.item(0, "edge")) == {"edge": "1 – 2", "1": 1.0, "2": 3.0}


def test_steps_walked_backwards() -> None:
    web = load_data("small_web")
    forth = Adjacency.of(web)
    assert np.array_equal(forth.reversed().matrix().toarray(), forth.matrix().toarray().T)
    assert np.array_equal(forth.reversed().reversed().heads, forth.heads)


# -- the script -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "graph",
    [
        load_data("small_web"),
        load_data("textbook_graph(which='two pieces')"),
        Graph(1, []),
        Graph(3, []),
        Graph(2, [[0, 1]]),
    ],
    ids=["web", "two pieces", "a node", "no edges", "an edge"],
)
def test_a_script_asks_networkx_only_for_what_it_can_tell(graph: Graph, kind: str) -> None:
    made: dict = {"__name__": "script"}  # type: ignore[type-arg]
    exec(compile(script(ALGORITHM, graph, ALGORITHM.make_params({"kind": kind}), 0), "script.py", "exec"), made)
    if "networkx" in made:
        assert np.isfinite(made["networkx"]()).all()
        assert graph.n > 2
    else:
        assert graph.n < 3 or graph.m == 0 or kind == "eigenvector"


def test_the_search_for_an_eigenvalue_can_be_called_off_and_ends():
    """That of a path has neighbours at a distance of 1e-6; the search for it took half a minute."""
    path = Graph(1500, np.array([(node, node + 1) for node in range(1499)]))
    table, _ = solver.influence(path, weighted=False)
    with interruptible(lambda: True), pytest.raises(Interrupted):
        solver.largest_eigenvalue(table)
    products = []
    with interruptible(lambda: products.append(1)):
        assert solver.largest_eigenvalue(table) == pytest.approx(2.0)
    assert len(products) < 10_000


def own_power_iteration(data, rounds):
    """Power steps as a student writes them."""
    table = np.zeros((data.n, data.n))
    for one, two in data.edges:
        table[one, two] = table[two, one] = 1.0
    values = np.ones(data.n)
    yield values
    for _ in range(rounds):
        values = table @ values + values
        values = values / np.linalg.norm(values)
        yield values


def test_a_students_own_power_iteration_is_shown_with_our_pictures():
    data = load_data("florentine()")
    ours = fit("centralities", data, kind="eigenvector")
    frames = list(show("centralities", own_power_iteration(data, 400), data, {"kind": "eigenvector"}))
    np.testing.assert_allclose(frames[-1].model.values, ours.model.values, atol=1e-6)
    assert frames[-1].model.eigenvalue == pytest.approx(ours.model.eigenvalue)
    assert frames[1].caption.startswith("Round 1 changes the values by ")
    assert frames[-1].metrics["change"] < 1e-6
    assert frames[-1].views["ranking"]
    with pytest.raises(DataError, match="choose one of eigenvector, Katz or HITS"):
        list(show("centralities", [], data))
