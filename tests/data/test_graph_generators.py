"""The graphs that generators make: their sizes by hand, their statistics, and their places."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.data import Graph
from mlviz.data.generators import all_generators, generate

NAMES = [generator.name for generator in all_generators() if generator.kind == "graph"]


def as_networkx(graph: Graph) -> nx.Graph:
    made = nx.DiGraph() if graph.directed else nx.Graph()
    made.add_nodes_from(range(graph.n))
    made.add_weighted_edges_from(zip(*graph.edges.T.tolist(), graph.lengths.tolist()))
    return made


def test_the_names_are_those_of_the_command_line() -> None:
    assert NAMES == ["random_graph", "small_world", "scale_free", "block_model", "grid", "ring", "barbell"]


@pytest.mark.parametrize("name", NAMES)
def test_nodes_have_places_apart(name: str) -> None:
    at = generate(name).positions
    gaps = np.linalg.norm(at[:, None] - at[None], axis=2) + 10 * np.eye(len(at))
    assert gaps.min() > 0.02 * np.ptp(at, axis=0).max()


@pytest.mark.parametrize("name", NAMES)
def test_weights(name: str) -> None:
    plain, random, lengths = (generate(name, weights=kind, seed=3) for kind in ("all 1", "random", "lengths"))
    assert not plain.weighted
    assert random.weighted
    assert set(random.lengths.tolist()) <= set(range(1, 10))
    ends = lengths.positions[lengths.edges]
    assert lengths.lengths == pytest.approx(np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1), abs=0.0051)


def test_a_random_graph_has_the_expected_number_of_edges() -> None:
    graph = generate("random_graph", n=400, p=0.05)
    assert graph.m == pytest.approx(0.05 * 400 * 399 / 2, rel=0.06)
    assert generate("random_graph", n=7, p=1.0).m == 21
    assert generate("random_graph", n=7, p=1.0, directed=True).m == 42
    assert generate("random_graph", n=7, p=0.0).m == 0


def test_a_small_world_without_rewiring_is_the_ring() -> None:
    still, ring = generate("small_world", n=12, reach=2, rewiring=0), generate("ring", n=12, reach=2)
    assert np.array_equal(still.edges, ring.edges)
    assert ring.degrees().tolist() == [4] * 12


@settings(max_examples=20, deadline=None)
@given(n=st.integers(1, 40), reach=st.integers(1, 20), rewiring=st.floats(0, 1), seed=st.integers(0, 99))
def test_rewiring_keeps_the_number_of_edges(n: int, reach: int, rewiring: float, seed: int) -> None:
    graph = generate("small_world", n=n, reach=reach, rewiring=rewiring, seed=seed)
    assert graph.m == generate("ring", n=n, reach=reach).m


def test_a_small_world_is_small() -> None:
    long, short = (generate("small_world", n=200, reach=3, rewiring=p) for p in (0.0, 0.1))
    assert nx.average_shortest_path_length(as_networkx(short)) < 0.4 * nx.average_shortest_path_length(
        as_networkx(long)
    )


def test_a_scale_free_graph_has_hubs_and_the_right_number_of_edges() -> None:
    graph = generate("scale_free", n=500, links=3)
    assert graph.m == 3 + 3 * (500 - 4)
    assert graph.degrees().max() > 8 * np.median(graph.degrees())
    assert nx.is_connected(as_networkx(graph))
    assert generate("scale_free", n=1).m == 0
    assert generate("scale_free", n=3, links=20).m == 2


def test_blocks_are_joined_within() -> None:
    graph = generate("block_model", n=300, blocks=3, inside=0.3, between=0.03)
    same = graph.groups[graph.edges[:, 0]] == graph.groups[graph.edges[:, 1]]
    assert same.sum() == pytest.approx(0.3 * 3 * 100 * 99 / 2, rel=0.06)
    assert (~same).sum() == pytest.approx(0.03 * 3 * 100 * 100, rel=0.12)
    assert graph.classes == ("group 1", "group 2", "group 3")


def test_a_grid_by_hand() -> None:
    graph = generate("grid", rows=3, columns=4)
    assert (graph.n, graph.m) == (12, 3 * 3 + 2 * 4)
    assert generate("grid", rows=3, columns=4, diagonals=True).m == 17 + 2 * 2 * 3
    assert graph.positions[0].tolist() == [-1.5, 1.0]
    assert generate("grid", rows=20, columns=20, walls=0.5).m == pytest.approx(380, rel=0.15)


def test_a_barbell_by_hand() -> None:
    graph, theirs = generate("barbell", size=5, bridge=3), nx.barbell_graph(5, 3)
    assert nx.is_isomorphic(as_networkx(graph), theirs)
    assert generate("barbell", size=4, bridge=0).m == 13
    at = graph.positions
    assert np.abs(np.diff(at[4:9, 0])).max() == pytest.approx(1.0)  # the bridge is a straight row of equal steps
    assert np.abs(at[4:9, 1]).max() == pytest.approx(0.0, abs=1e-12)
