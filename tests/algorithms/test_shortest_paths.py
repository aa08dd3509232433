"""Shortest paths: by hand, against networkx and SciPy, and the identities that distances must have."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import shortest_path

from algorithms import fit, show
from algorithms.contract import DataError, Stop
from algorithms.data import Array, Graph
from algorithms.graphs.shortest_paths import ALGORITHM, solver
from algorithms.graphs.shortest_paths.views import edges_along
from algorithms.maths.adjacency import Adjacency, longest_distance
from mlviz.data.spec import load_data

METHODS = ("breadth first", "Dijkstra", "Floyd-Warshall")


def graph(edges: list[tuple[int, int]], weights: list[float] | None = None, n: int = 0, **kind: bool) -> Graph:
    return Graph(n or max(max(pair) for pair in edges) + 1, np.array(edges).reshape(-1, 2), weights, **kind)  # type: ignore[arg-type]


def frames(data: Graph, **params: object) -> list:  # type: ignore[type-arg]
    return list(ALGORITHM.start(data, ALGORITHM.make_params(params), 0))


TRIANGLES = load_data("textbook_graph")
# A - B - D is shorter than A - D, and C is reached over B: worked out by hand
DETOUR = graph([(0, 1), (0, 3), (1, 3), (1, 2), (2, 3)], [1.0, 5.0, 2.0, 4.0, 1.0])


# -- known answers ----------------------------------------------------------------------------------------------------


def test_two_triangles_by_hand() -> None:
    """From node 1 over the bridge 3 - 4 to the other triangle: 0, 1, 1, 2, 3, 3."""
    for method in ("breadth first", "Dijkstra"):
        assert fit("shortest_paths", TRIANGLES, method=method).model.distances.tolist() == [0, 1, 1, 2, 3, 3]
    table = fit("shortest_paths", TRIANGLES, method="Floyd-Warshall").model.distances
    assert table[0].tolist() == [0, 1, 1, 2, 3, 3]
    assert table[2].tolist() == [1, 1, 0, 1, 2, 2]
    assert longest_distance(table)[0] == 3


def test_a_detour_is_shorter_than_the_edge() -> None:
    found = fit("shortest_paths", DETOUR, to=4)
    assert found.model.distances.tolist() == [0, 1, 4, 3]
    assert found.model.path.tolist() == [0, 1, 3]
    assert found.model.taken.tolist() == [0, 1, 3, 2]
    assert found.model.before.tolist() == [-1, 0, 3, 1]
    hops = fit("shortest_paths", DETOUR, to=4, method="breadth first")
    assert hops.model.path.tolist() == [0, 3]
    assert "weights of this graph are not looked at" in hops.last.warning


def test_the_directed_star_of_the_course_leads_one_way() -> None:
    star = load_data("textbook_graph(which='directed star')")
    assert fit("shortest_paths", star).model.distances.tolist() == [0, 1, 2, 2]
    back = fit("shortest_paths", star, from_=3)
    assert back.model.distances.tolist() == [np.inf, np.inf, 0, np.inf]
    assert fit("shortest_paths", star, from_=3, to=1).last.caption.startswith("There is no path from 3 to 1.")


def test_every_frame_of_dijkstra_on_the_detour() -> None:
    """By hand: B at 1 and D at 5 wait; B brings D to 3 and C to 5; D brings C to 4."""
    shown = [(frame.phase, frame.model.distances.tolist()) for frame in frames(DETOUR)]
    inf = np.inf
    assert shown == [
        ("start", [0, inf, inf, inf]),
        ("take", [0, inf, inf, inf]),
        ("relax", [0, 1, inf, 5]),
        ("take", [0, 1, inf, 5]),
        ("relax", [0, 1, 5, 3]),
        ("take", [0, 1, 5, 3]),
        ("relax", [0, 1, 4, 3]),
        ("take", [0, 1, 4, 3]),
        ("relax", [0, 1, 4, 3]),
        ("result", [0, 1, 4, 3]),
    ]
    captions = [frame.caption for frame in frames(DETOUR)]
    assert captions[3] == "Take 2, which is 1 away: 4, which waits, is not nearer, so this distance is final."
    assert captions[4] == (
        "From 2, which is 1 away: 3 is now 5 away and 4 is now 3 away instead of 5; "
        "1 neighbour is no nearer through it."
    )
    assert captions[-1] == (
        "The shortest path from 1 to 3 has 3 edges and the length 4: 1 – 2 – 4 – 3. The diameter is 4, between 1 and 3."
    )


def test_the_queue_gives_the_oldest_or_the_nearest() -> None:
    fan = graph([(0, 1), (0, 2), (0, 3)], [3.0, 1.0, 2.0])
    assert fit("shortest_paths", fan).model.taken.tolist() == [0, 2, 3, 1]
    assert fit("shortest_paths", fan, method="breadth first").model.taken.tolist() == [0, 1, 2, 3]


def test_the_medici_are_in_the_middle() -> None:
    florence = load_data("florentine")
    found = fit("shortest_paths", florence, from_=florence.names.index("Medici") + 1)
    assert found.model.distances.max() == 3
    assert "The diameter is 5, between" in found.last.caption


def test_the_search_may_end_at_its_target() -> None:
    ring = load_data("ring(n=30)")
    whole, part = (
        fit("shortest_paths", ring, to=4, until=u) for u in ("everything is reached", "the target is reached")
    )
    assert part.steps < whole.steps / 3
    assert part.model.path.tolist() == whole.model.path.tolist() == [0, 1, 2, 3]
    assert np.isinf(part.model.distances).any()


def test_without_a_target_the_farthest_node_is_meant() -> None:
    path = load_data("textbook_graph(which=path)")
    for method in METHODS:
        assert fit("shortest_paths", path, method=method, from_=2).model.path.tolist() == [1, 2, 3, 4, 5]


def test_stops_are_allowed_one_after_the_other() -> None:
    """On the path 1 - 2 - 3 only the stop 2 brings anything: it joins 1 and 3, in both directions."""
    tables = list(solver.floyd_warshall(Adjacency.of(graph([(0, 1), (1, 2)]))))
    assert [table.lowered for table in tables] == [0, 0, 2, 0]
    assert tables[-1].distances.tolist() == [[0, 1, 2], [1, 0, 1], [2, 1, 0]]
    assert tables[-1].path(0, 2).tolist() == [0, 1, 2]


# -- oracles ----------------------------------------------------------------------------------------------------------


@st.composite
def graphs(draw: st.DrawFn, negative: bool = False) -> Graph:
    n = draw(st.integers(1, 9))
    directed = draw(st.booleans())
    pairs = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda pair: directed or pair[0] <= pair[1])
    edges = draw(st.lists(pairs, max_size=20, unique=True))
    least = -2 if negative else 0
    weights = draw(st.lists(st.integers(least, 9), min_size=len(edges), max_size=len(edges)))
    return Graph(n, np.array(edges).reshape(-1, 2), np.array(weights, dtype=float), directed, weighted=True)


def as_networkx(data: Graph) -> nx.Graph:
    made = nx.DiGraph() if data.directed else nx.Graph()
    made.add_nodes_from(range(data.n))
    made.add_weighted_edges_from(zip(*data.edges.T.tolist(), data.lengths.tolist()))
    return made


def their_table(data: Graph, weight: str | None = "weight") -> Array:
    table = np.full((data.n, data.n), np.inf)
    theirs = as_networkx(data)
    all_pairs = nx.all_pairs_bellman_ford_path_length(theirs) if weight else nx.all_pairs_shortest_path_length(theirs)
    for one, lengths in all_pairs:
        for two, length in lengths.items():
            table[one, two] = length
    return table


@settings(max_examples=60, deadline=None)
@given(data=graphs(), source=st.integers(0, 8))
def test_distances_are_those_of_networkx(data: Graph, source: int) -> None:
    source %= data.n
    weighted, hops = their_table(data), their_table(data, None)
    assert np.array_equal(fit("shortest_paths", data, from_=source + 1).model.distances, weighted[source])
    breadth = fit("shortest_paths", data, from_=source + 1, method="breadth first")
    assert np.array_equal(breadth.model.distances, hops[source])
    all_pairs = fit("shortest_paths", data, from_=source + 1, method="Floyd-Warshall")
    assert np.array_equal(all_pairs.model.distances, weighted)


@settings(max_examples=60, deadline=None)
@given(data=graphs(negative=True))
def test_negative_weights_give_the_right_answer_or_a_sentence(data: Graph) -> None:
    theirs = as_networkx(data)
    cycle = nx.negative_edge_cycle(theirs) if data.directed else bool((data.lengths < 0).any())
    # a loop of negative weight is a cycle, too
    if cycle:
        with pytest.raises(DataError, match=r"there is no shortest one\.$"):
            fit("shortest_paths", data, method="Floyd-Warshall")
    else:
        found = fit("shortest_paths", data, method="Floyd-Warshall").model.distances
        assert np.array_equal(found, their_table(data))
    if (data.lengths < 0).any():
        with pytest.raises(DataError, match="Dijkstra's algorithm needs weights that are not negative"):
            fit("shortest_paths", data)


@settings(max_examples=60, deadline=None)
@given(data=graphs(), ends=st.tuples(st.integers(0, 8), st.integers(0, 8)), method=st.sampled_from(METHODS))
def test_a_path_is_made_of_edges_and_as_long_as_the_distance(data: Graph, ends: tuple[int, int], method: str) -> None:
    source, target = (node % data.n for node in ends)
    found = fit("shortest_paths", data, from_=source + 1, to=target + 1, method=method)
    distances = found.model.distances if method != "Floyd-Warshall" else found.model.distances[source]
    path = found.model.path
    if not np.isfinite(distances[target]):
        assert len(path) == 0
        return
    assert (path[0], path[-1]) == (source, target)
    lengths = np.ones(data.m) if method == "breadth first" else data.lengths
    assert lengths[edges_along(data, path)].sum() == distances[target]


@settings(max_examples=40, deadline=None)
@given(data=graphs())
def test_distances_obey_the_triangle(data: Graph) -> None:
    table = fit("shortest_paths", data, method="Floyd-Warshall").model.distances
    assert (table <= (table[:, :, None] + table[None]).min(axis=1)).all()
    assert not table.diagonal().any()
    if not data.directed:
        assert np.array_equal(table, table.T)


@settings(max_examples=30, deadline=None)
@given(data=graphs(), source=st.integers(0, 8))
def test_nodes_are_taken_in_the_order_of_their_distances(data: Graph, source: int) -> None:
    for method in ("breadth first", "Dijkstra"):
        model = fit("shortest_paths", data, from_=source % data.n + 1, method=method).model
        assert (np.diff(model.distances[model.taken]) >= 0).all()
        assert set(model.taken.tolist()) == set(np.flatnonzero(np.isfinite(model.distances)).tolist())


def plain_search(data: Graph, source: int, oldest_first: bool) -> list[tuple[object, ...]]:
    """As in a textbook, one array for everything and all edges looked through: what every wave holds."""
    distances, before, via = np.full(data.n, np.inf), np.full(data.n, -1), np.full(data.n, -1)
    distances[source] = 0.0
    waiting, taken, total = [source], [], 0
    steps = sorted(zip(*(part.tolist() for part in data.arcs())))  # by tail, then by head
    found: list[tuple[object, ...]] = []
    while waiting:
        node = waiting[0] if oldest_first else min(waiting, key=lambda at: (distances[at], at))
        waiting.remove(node)
        taken.append(node)
        looked_at, lowered, old = [], [], []
        for tail, head, weight, edge in steps:
            if tail != node or head == node:
                continue
            looked_at.append(edge)
            reached = distances[node] + (1.0 if oldest_first else weight)
            if reached < distances[head]:
                lowered.append(head)
                old.append(distances[head])
                if np.isinf(distances[head]):
                    waiting.append(head)
                distances[head], before[head], via[head] = reached, node, edge
        total += len(lowered)
        arrays = distances.tolist(), before.tolist(), via.tolist()
        found.append((*arrays, list(taken), len(waiting), total, looked_at, lowered, old))
    return found


@settings(max_examples=60, deadline=None)
@given(data=graphs(), source=st.integers(0, 8), oldest_first=st.booleans(), every=st.integers(1, 4))
@example(load_data("scale_free(n=120,links=3,weights=random,seed=2)"), 5, False, 7)
@example(load_data("scale_free(n=120,links=3,weights=random,seed=2)"), 5, True, 7)
def test_every_wave_is_that_of_a_plain_search(data: Graph, source: int, oldest_first: bool, every: int) -> None:
    """The fast search tells numpy only what has changed: nothing may be missed, whatever is in one wave."""
    source %= data.n
    expected = plain_search(data, source, oldest_first)
    _, *waves = solver.waves(Adjacency.of(data, not oldest_first), source, oldest_first, every, both=False)
    assert len(waves) == -(-len(expected) // every)
    for number, wave in enumerate(waves, start=1):
        arrays = [part.tolist() for part in (wave.distances, wave.before, wave.via, wave.taken)]
        latest = [part.tolist() for part in (wave.looked_at, wave.lowered, wave.old)]
        assert (*arrays, wave.waits, wave.total, *latest) == expected[min(number * every, len(expected)) - 1]


def test_a_large_graph_against_scipy() -> None:
    data = load_data("scale_free(n=900,links=3,weights=random,seed=2)")
    found = fit("shortest_paths", data, from_=7)
    assert np.array_equal(found.model.distances, shortest_path(data.adjacency(), directed=False, indices=6))
    assert found.steps < 200
    assert np.array_equal(Adjacency.of(data).distances()[6], found.model.distances)


# -- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "params", "sentence"),
    [
        (Graph(0, []), {}, "Shortest paths has nothing to work on yet: there are 0 nodes, 0 edges."),  # type: ignore[arg-type]
        (TRIANGLES, {"from": 7}, "from is 7, but the graph has only 6 nodes."),
        (TRIANGLES, {"to": 99}, "to is 99, but the graph has only 6 nodes."),
        (
            graph([(0, 1)], [1.7e308]),
            {},
            "The numbers of the weights reach 1.7e+308; methods calculate with numbers up to 1e+100.",
        ),
        (
            graph([(0, 1), (1, 2)], [1.0, -2.0]),
            {"method": "Floyd-Warshall"},
            "The edge between 2 and 3 has the weight -2 and can be walked to and fro: every path gets shorter for ever,"
            " so there is no shortest one.",
        ),
        (
            graph([(0, 1), (1, 2), (2, 0)], [1.0, -4.0, 2.0], directed=True),
            {"method": "Floyd-Warshall"},
            "has negative total weight: every round makes a path shorter, so that none is the shortest.",
        ),
        (load_data("ring(n=501)"), {"method": "Floyd-Warshall"}, "501 nodes have too many. Use at most 500."),
    ],
)
def test_what_cannot_be_worked_on_is_said_before_the_first_frame(data, params, sentence) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(DataError) as refused:
        next(ALGORITHM.start(data, ALGORITHM.make_params(params), 0))
    assert sentence in str(refused.value)


def test_a_negative_cycle_is_named() -> None:
    data = graph([(0, 1), (1, 2), (2, 3), (3, 1)], [1.0, 1.0, 1.0, -3.0], directed=True)
    cycle = solver.negative_cycle(data).tolist()
    assert cycle[0] == cycle[-1]
    assert set(cycle) == {1, 2, 3}
    assert len(solver.negative_cycle(graph([(0, 1), (1, 2), (2, 0)], [1.0, 1.0, -2.0], directed=True))) == 0


def test_negative_weights_without_a_cycle() -> None:
    data = graph([(0, 1), (0, 2), (2, 1)], [1.0, 3.0, -4.0], directed=True)
    found = fit("shortest_paths", data, method="Floyd-Warshall", to=2)
    assert found.model.distances[0].tolist() == [0, -1, 3]
    assert found.model.path.tolist() == [0, 2, 1]


def test_weights_that_cancel_out_are_no_negative_cycle() -> None:
    data = graph([(0, 1), (1, 2), (2, 0)], [0.1, 0.2, -0.3], directed=True)
    found = fit("shortest_paths", data, method="Floyd-Warshall")
    assert not found.model.distances.diagonal().any()


# -- words, marks, other -----------------------------------------------------------------------------------------------


def test_an_explanation_of_a_node_and_of_an_edge() -> None:
    found = fit("shortest_paths", DETOUR, to=4)
    assert found.explain(2) == {
        "node": "3", "from": "1", "distance": 4.0, "edges on the path": 3, "final": "yes, taken as number 4",
        "path": "1 – 2 – 4 – 3",
    }  # fmt: skip
    assert ALGORITHM.explain is not None
    edge = ALGORITHM.explain(found.model, DETOUR, DETOUR.item(0, "edge"))
    assert edge == {
        "edge": "1 – 2",
        "weight": 1.0,
        "on the path": "yes",
        "leads to": "2, by the best path from 1 so far",
    }
    assert ALGORITHM.explain(found.model, DETOUR, DETOUR.item(1, "edge"))["on the path"] == "no"
    table = fit("shortest_paths", DETOUR, method="Floyd-Warshall", to=4)
    assert table.explain(2)["farthest"] == "1, 4 away"


def test_the_flags_and_the_lit_edges_of_the_last_frame() -> None:
    last = frames(DETOUR, to=4)[-1]
    (mark,) = last.views["graph"]
    assert mark.ends.tolist() == [0, 3]
    assert mark.handles == ("from", "to")
    lit = {links.role: links.edges.tolist() for links in mark.links}
    assert lit["path"] == [0, 2]
    assert sorted(lit["tree"]) == [0, 2, 4]
    assert lit["frontier"] == lit["considered"] == []
    (bars,) = last.views["queue"]
    assert bars.values.tolist() == [0, 1, 3, 4]
    assert bars.points.tolist() == [0, 1, 3, 2]


def test_runs_end_complete() -> None:
    for method in METHODS:
        assert fit("shortest_paths", TRIANGLES, method=method).stop is Stop.COMPLETE


def own_dijkstra(data, source):
    """Dijkstra's algorithm as a student writes it, with a search for the nearest in place of a heap."""
    distances = np.where(np.arange(data.n) == source, 0.0, np.inf)
    yield distances
    taken: list[int] = []
    while True:
        waiting = [node for node in range(data.n) if np.isfinite(distances[node]) and node not in taken]
        if not waiting:
            return
        node = min(waiting, key=lambda at: distances[at])
        taken.append(node)
        for (one, two), length in zip(data.edges.tolist(), data.lengths.tolist()):
            for here, there in ((one, two), (two, one)):
                if here == node:
                    distances[there] = min(distances[there], distances[node] + length)
        yield distances.copy(), node


def test_a_students_own_search_is_shown_with_our_pictures():
    data = load_data("florentine()")
    ours = fit("shortest_paths", data, from_=3)
    frames = list(show("shortest_paths", own_dijkstra(data, 2), data, {"from_": 3}))
    assert [frame.phase for frame in frames] == ["start", *["relax"] * (len(frames) - 1)]
    assert frames[-1].model.distances.tolist() == ours.model.distances.tolist()
    assert frames[-1].model.path.tolist() == ours.model.path.tolist()
    assert frames[-1].metrics["reached"] == ours.metrics["reached"][-1]
    assert frames[1].caption.startswith("From ")
    assert frames[1].views["queue"]


def test_a_node_of_ones_own_that_does_not_exist_is_a_sentence_with_the_step():
    data = load_data("florentine()")
    steps = [np.zeros(data.n), (np.zeros(data.n), 99)]
    with pytest.raises(DataError, match="Step 1 takes the node 99; the nodes are 0 to 14"):
        list(show("shortest_paths", steps, data))
