"""The built-in graphs against independent copies, and the small ones by hand."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from algorithms.data import DataError, Graph
from mlviz.data.builtin import load_builtin
from mlviz.data.spec import load_data

COPIES = {
    "karate": nx.karate_club_graph,
    "florentine": nx.florentine_families_graph,
    "les_miserables": nx.les_miserables_graph,
}


def named_edges(graph: Graph) -> dict[frozenset[str], float]:
    names = [graph.node_name(node).replace(" ", "") for node in range(graph.n)]
    return {frozenset((names[a], names[b])): w for (a, b), w in zip(graph.edges.tolist(), graph.lengths.tolist())}


@pytest.mark.parametrize("name", COPIES)
def test_nodes_and_edges_are_those_of_an_independent_copy(name: str) -> None:
    graph, copy = load_data(name), COPIES[name]()
    label = {node: str(node + 1) if isinstance(node, int) else node for node in copy}
    weight = (lambda facts: facts["weight"]) if name == "les_miserables" else (lambda facts: 1.0)
    assert named_edges(graph) == {
        frozenset((label[one], label[two])): weight(facts) for one, two, facts in copy.edges(data=True)
    }
    assert graph.n == len(copy)
    assert graph.weighted == (name == "les_miserables")
    assert not graph.directed


def test_the_factions_of_the_karate_club() -> None:
    graph, copy = load_data("karate"), nx.karate_club_graph()
    assert (graph.n, graph.m, graph.classes) == (34, 78, ("Mr Hi", "Officer"))
    assert graph.groups.tolist() == [int(copy.nodes[node]["club"] == "Officer") for node in copy]


def test_the_small_web_has_two_dead_ends_and_a_trap() -> None:
    graph = load_data("small_web")
    table = graph.adjacency()
    dead = [graph.node_name(node) for node in np.flatnonzero(table.sum(axis=1) == 0)]
    assert graph.directed
    assert sorted(dead) == ["login", "pdf"]
    trap = [graph.names.index(name) for name in ("calendar", "next month", "archive")]
    outside = np.setdiff1d(np.arange(graph.n), trap)
    assert not table[np.ix_(trap, outside)].any()
    assert table[np.ix_(outside, trap)].any()


def test_the_star_of_the_course() -> None:
    star = load_data("textbook_graph(which=star)")
    assert star.adjacency().tolist() == [[0, 1, 0, 0], [1, 0, 1, 1], [0, 1, 0, 0], [0, 1, 0, 0]]
    assert star.degrees().tolist() == [1, 3, 1, 1]
    directed = load_data("textbook_graph(which='directed star')")
    into, out = directed.adjacency().sum(axis=0), directed.adjacency().sum(axis=1)
    assert (into.tolist(), out.tolist()) == ([0, 1, 1, 1], [1, 2, 0, 0])
    assert load_data("textbook_graph(which='weighted star')").weighted


def test_two_triangles_joined_by_an_edge() -> None:
    graph = load_data("textbook_graph")
    assert graph.degrees().tolist() == [2, 2, 3, 3, 2, 2]
    laplacian = np.diag(graph.degrees()) - graph.adjacency()
    least = (5 - np.sqrt(17)) / 2
    assert np.linalg.eigvalsh(laplacian) == pytest.approx([0, least, 3, 3, 3, 5 - least], abs=1e-12)


def test_two_hubs_that_share_a_neighbour() -> None:
    """Figure 12.9: of the walkers at l a fifth goes on to k, of those at j a quarter."""
    graph = load_data("textbook_graph(which='two hubs')")
    steps = graph.adjacency() / graph.degrees()[:, None]
    k, l, j = (graph.names.index(name) for name in "klj")  # noqa: E741  the letters of the figure
    assert (steps[l, k], steps[j, k]) == (1 / 5, 1 / 4)
    assert np.flatnonzero(steps[:, k]).tolist() == sorted([l, j])


def test_a_graph_has_no_target_column() -> None:
    with pytest.raises(DataError, match="karate is no table of points; it has no target column to choose"):
        load_builtin("karate", "club")
