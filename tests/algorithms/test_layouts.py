"""Layouts: the same places every time, nobody on top of anybody, and near in the graph is near in the picture."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import shortest_path

from algorithms.data import Graph
from algorithms.maths import layouts
from algorithms.maths.layouts import circle_layout, placed, spectral_layout, spring_layout


def path_graph(n: int) -> Graph:
    return Graph(n, np.column_stack([np.arange(n - 1), np.arange(1, n)]))


def grid_graph(rows: int, columns: int) -> Graph:
    number = np.arange(rows * columns).reshape(rows, columns)
    pairs = [(number[:, :-1], number[:, 1:]), (number[:-1], number[1:])]
    return Graph(rows * columns, np.concatenate([np.column_stack([a.ravel(), b.ravel()]) for a, b in pairs]))


def smallest_gap(at: np.ndarray) -> float:
    return float((np.linalg.norm(at[:, None] - at[None], axis=2) + 1e9 * np.eye(len(at))).min())


def test_a_circle_begins_at_the_top_and_goes_clockwise() -> None:
    assert circle_layout(4) == pytest.approx(np.array([[0, 1], [1, 0], [0, -1], [-1, 0]]))
    assert circle_layout(0).shape == (0, 2)


@pytest.mark.parametrize("layout", [spring_layout, spectral_layout])
def test_a_path_is_laid_out_along_its_order(layout) -> None:  # type: ignore[no-untyped-def]
    at = layout(path_graph(12))
    along = at[:, 0] if at[0, 0] < at[-1, 0] else -at[:, 0]
    assert (np.diff(along) > 0).all()
    assert np.ptp(at[:, 0]) > np.ptp(at[:, 1])  # it lies


@pytest.mark.parametrize("layout", [spring_layout, spectral_layout])
def test_the_same_places_every_time_and_others_for_another_seed(layout) -> None:  # type: ignore[no-untyped-def]
    graph = grid_graph(4, 6)
    assert np.array_equal(layout(graph, 3), layout(graph, 3))
    assert not np.array_equal(layout(graph, 3), layout(graph, 4))


RING = Graph(12, np.column_stack([np.arange(12), (np.arange(12) + 1) % 12]))
CUBE = Graph(8, [(a, a ^ bit) for a in range(8) for bit in (1, 2, 4) if a < a ^ bit])  # type: ignore[arg-type]


@pytest.mark.parametrize("layout", [spring_layout, spectral_layout])
@pytest.mark.parametrize("graph", [RING, CUBE, path_graph(9), grid_graph(5, 5), grid_graph(3, 7)])
def test_another_processor_gives_the_same_places(monkeypatch: pytest.MonkeyPatch, graph: Graph, layout) -> None:  # type: ignore[no-untyped-def]
    """Signs, vectors that stand for a space of several, and last digits differ from one to the next."""
    wanted, noise, decomposed = layout(graph), np.random.default_rng(1), np.linalg.eigh

    def almost(numbers: np.ndarray) -> np.ndarray:
        return numbers * (1.0 + 2.0**-52 * noise.integers(-2, 3, numbers.shape))

    def of_another_processor(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        values, vectors = decomposed(matrix)
        for value in np.unique(values.round(9)):
            same = np.flatnonzero(np.abs(values - value) < 1e-8)
            vectors[:, same] = vectors[:, same] @ np.linalg.qr(noise.standard_normal((len(same), len(same))))[0]
        return almost(values), almost(vectors)

    push = layouts._push
    monkeypatch.setattr(np.linalg, "eigh", of_another_processor)
    monkeypatch.setattr(layouts, "_push", lambda at: almost(push(at)))
    assert np.array_equal(layout(graph), wanted)


def test_nodes_with_the_same_neighbours_do_not_lie_on_each_other() -> None:
    """Their eigenvectors are equal: two leaves of one node, and four nodes that are joined to the same two."""
    edges = [(0, 1), (1, 2), (2, 3), (3, 4), (3, 5), *((end, k) for end in (0, 6) for k in range(7, 11))]
    at = spectral_layout(Graph(11, edges))  # type: ignore[arg-type]
    lengths = np.linalg.norm(at[[one for one, _ in edges]] - at[[two for _, two in edges]], axis=1)
    assert smallest_gap(at[[4, 5]]) > 0.3 * np.median(lengths)
    assert smallest_gap(at[7:]) > 0.3 * np.median(lengths)


def test_far_in_the_graph_is_far_in_the_picture() -> None:
    graph = grid_graph(6, 9)
    at = spring_layout(graph)
    gaps = np.linalg.norm(at[:, None] - at[None], axis=2)
    steps = shortest_path(graph.adjacency(), unweighted=True)
    assert np.corrcoef(gaps.ravel(), steps.ravel())[0, 1] > 0.95


def test_leaves_of_a_star_stand_around_it() -> None:
    at = spring_layout(Graph(9, [(0, k) for k in range(1, 9)]))  # type: ignore[arg-type]
    arms = at[1:] - at[0]
    assert np.hypot(*arms.T) == pytest.approx(np.full(8, np.hypot(*arms.T).mean()), rel=0.15)
    angles = np.sort(np.arctan2(arms[:, 1], arms[:, 0]))
    assert np.diff(angles) == pytest.approx(np.full(7, np.pi / 4), abs=0.25)


def test_pieces_stand_apart() -> None:
    edges = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (6, 7)]
    at = spring_layout(Graph(9, edges))  # type: ignore[arg-type]
    pieces = [at[:3], at[3:6], at[6:8], at[8:]]
    for number, one in enumerate(pieces):
        for two in pieces[number + 1 :]:
            apart = (one.min(axis=0) > two.max(axis=0)) | (two.min(axis=0) > one.max(axis=0))
            assert apart.any()


@settings(max_examples=25, deadline=None)
@given(n=st.integers(0, 24), data=st.data())
def test_any_graph_has_finite_places_apart(n: int, data: st.DataObject) -> None:
    pairs = st.tuples(st.integers(0, max(n - 1, 0)), st.integers(0, max(n - 1, 0)))
    edges = sorted(data.draw(st.sets(pairs, max_size=60))) if n else []
    graph = Graph(n, np.array(edges).reshape(-1, 2), directed=True)
    for layout in (spring_layout, spectral_layout):
        at = layout(graph)
        assert at.shape == (n, 2)
        assert np.isfinite(at).all()
    assert n < 2 or smallest_gap(spring_layout(graph)) > 0.05


def test_large_graphs_are_laid_out_by_their_neighbours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layouts, "MANY", 50)
    monkeypatch.setattr(layouts, "_DENSE", 50)
    graph = grid_graph(8, 12)
    at = spring_layout(graph)
    gaps = np.linalg.norm(at[:, None] - at[None], axis=2)
    steps = shortest_path(graph.adjacency(), unweighted=True)
    assert np.corrcoef(gaps.ravel(), steps.ravel())[0, 1] > 0.9


def test_places_that_are_there_stay() -> None:
    graph = Graph(2, [(0, 1)], positions=[(5, 5), (6, 6)])  # type: ignore[arg-type]
    assert placed(graph) is graph
    assert placed(Graph(2, [(0, 1)])).positions.shape == (2, 2)  # type: ignore[arg-type, union-attr]
