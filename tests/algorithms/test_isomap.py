"""Isomap and its pieces: known answers, identities, scikit-learn and SciPy as oracles."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import floyd_warshall
from scipy.spatial.distance import cdist, pdist
from scipy.stats import spearmanr
from sklearn.manifold import Isomap

import algorithms
from algorithms import Item, find
from algorithms.contract import Stop
from algorithms.data import DataError, Points
from algorithms.embedding.isomap import ALGORITHM, Params, solver, words
from algorithms.marks import Cloud3D, Scatter
from algorithms.maths import graphs, maps, neighbourhoods
from algorithms.maths.cloud_stage import MOST_EDGES
from algorithms.maths.nearest_points import nearest_others
from tests.algorithms.played import cloud, same_up_to_sign


def rolled(seed, n=1000, height=21.0):
    """The roll of the lecture notes, with the position along it and across it."""
    rng = np.random.default_rng(seed)
    t, h = np.pi * (1.5 + 3.0 * rng.random(n)), height * rng.random(n)
    return np.column_stack([t * np.cos(t), h, t * np.sin(t)]), t, h


def arc_length(t):
    """The length of the spiral r = t from its origin."""
    return 0.5 * (t * np.sqrt(1 + t * t) + np.arcsinh(t))


def run(X, y=None, **params):
    stops = []

    def whole():
        stops.append((yield from ALGORITHM.start(Points(X, y), ALGORITHM.make_params(params), seed=0)))

    frames = list(whole())
    assert stops == [Stop.COMPLETE]
    return frames


def all_distances(graph):
    return graphs.dijkstra_rows(graph.matrix(), np.arange(graph.n))


# --- negative eigenvalues ---------------------------------------------------------------------------------------------


def test_a_cycle_of_points_is_warned_of():
    angle = 2 * np.pi * np.arange(20) / 20
    X = np.column_stack([np.cos(angle), np.sin(angle)]) / (2 * np.sin(np.pi / 20))  # neighbours are 1 apart
    last = run(X, neighbours=2)[-1]
    assert last.model.eigenvalues[0] == pytest.approx(204.317, abs=5e-4)
    assert last.model.eigenvalues[-1] == pytest.approx(-52.3607, abs=5e-5)
    assert last.metrics["negative"] == pytest.approx(52.3607 / 204.317, rel=1e-4)
    assert "The most negative eigenvalue is 26 % of the largest" in last.warning
    (bars,) = last.views["spectrum"]
    assert set(bars.groups[bars.values < -1e-6].tolist()) == {maps.BELOW}
    assert bars.groups[:2].tolist() == [maps.KEPT] * 2


# --- graphs -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("d", [2, 20])  # by a tree, and by a table
def test_neighbours_are_the_nearest(d):
    X = cloud(60, d, seed=3)
    D = cdist(X, X)
    np.fill_diagonal(D, np.inf)
    assert np.array_equal(nearest_others(X, 6).points, np.argsort(D, axis=1)[:, :6])


def test_edges_up_to_a_rank_are_the_graph_of_so_many_neighbours():
    X = cloud(50, 3, seed=4)
    graph, ranks = graphs.neighbour_graph(X, 8)
    assert (np.diff(ranks) >= 0).all()
    for k in (1, 3, 8):
        few, _ = graphs.neighbour_graph(X, k)
        part = graph.first(int(np.searchsorted(ranks, k, side="right")))
        assert set(map(tuple, part.edges.tolist())) == set(map(tuple, few.edges.tolist()))
    assert graph.lengths == pytest.approx(cdist(X, X)[tuple(graph.edges.T)])
    assert (graph.edges[:, 0] < graph.edges[:, 1]).all()


def test_equal_points_are_joined_at_no_distance():
    X = np.array([[0.0, 0.0]] * 4 + [[1.0, 0.0], [2.0, 0.0]])
    graph, _ = graphs.neighbour_graph(X, 3)
    assert all_distances(graph)[0] == pytest.approx([0, 0, 0, 0, 1, 2])


def test_a_ball_graph_joins_what_is_near_enough():
    X = cloud(40, 2, seed=5)
    D = cdist(X, X)
    graph = graphs.ball_graph(X, 0.7)
    assert set(map(tuple, graph.edges.tolist())) == set(zip(*np.nonzero(np.triu(D <= 0.7, 1))))
    assert (np.diff(graph.lengths) >= 0).all()


def test_components_are_numbered_by_size():
    edges = np.array([[0, 1], [2, 3], [3, 4], [2, 4]])
    count, labels = graphs.components(graphs.NeighbourGraph(6, edges, np.ones(4)))
    assert (count, labels.tolist()) == (3, [1, 1, 0, 0, 0, 2])


@pytest.mark.parametrize("k", [1, 2, 6])  # in many pieces, in few, in one
def test_floyd_warshall_and_dijkstra_and_scipy_agree(k):
    graph, _ = graphs.neighbour_graph(cloud(75, 2, seed=6), k)
    *_, (known, relaxed) = graphs.floyd_warshall_blocks(graph)
    assert known == 75
    wanted = floyd_warshall(graph.matrix())
    assert np.isinf(wanted).any() == (k < 6)
    np.testing.assert_allclose(relaxed, wanted, rtol=1e-12)
    np.testing.assert_allclose(all_distances(graph), wanted, rtol=1e-12)


def test_floyd_warshall_allows_one_stop_after_the_other():
    """After a block, the distances are those of paths whose inner points are among the first ones."""
    graph, _ = graphs.neighbour_graph(cloud(70, 2, seed=7), 4)
    plain = np.full((70, 70), np.inf)
    plain[tuple(graph.edges.T)] = plain[tuple(graph.edges[:, ::-1].T)] = graph.lengths
    np.fill_diagonal(plain, 0.0)
    done = 0
    for known, relaxed in graphs.floyd_warshall_blocks(graph):
        for k in range(done, known):
            plain = np.minimum(plain, plain[:, k, None] + plain[k])
        done = known
        np.testing.assert_allclose(relaxed, plain, rtol=1e-12)


@settings(max_examples=25, deadline=None)
@given(st.integers(3, 40), st.integers(1, 4), st.integers(1, 8), st.integers(0, 10**6))
def test_ways_along_the_graph_are_distances_and_no_shorter_than_straight(n, d, k, seed):
    X = cloud(n, d, seed)
    graph, _ = graphs.neighbour_graph(X, min(k, n - 1))
    D = all_distances(graph)
    assert np.array_equal(D, D.T) or np.allclose(D, D.T)
    assert (cdist(X, X) * (1 - 1e-12) <= D).all()
    assert (D[:, None, :] <= (D[:, :, None] + D[None, :, :]) * (1 + 1e-9)).all()
    path = graphs.shortest_path(graph.matrix(), 0, n - 1)
    if len(path):
        assert np.linalg.norm(np.diff(X[path], axis=0), axis=1).sum() == pytest.approx(D[0, -1])
    else:
        assert np.isinf(D[0, -1])


# --- the whole method -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "k", "dimensions"), [(200, 7, 3), (400, 10, 2)])
def test_the_map_is_that_of_scikit_learn(n, k, dimensions):
    X, _, _ = rolled(1, n)
    wanted = Isomap(n_neighbors=k, n_components=dimensions, eigen_solver="dense").fit_transform(X)
    for paths in ("Dijkstra", "Floyd-Warshall"):
        model = algorithms.fit("isomap", X, neighbours=k, dimensions=dimensions, paths=paths).model
        assert len(model.members) == n
        assert same_up_to_sign(model.embedding, wanted, 1e-6)


def test_the_map_by_radius_is_that_of_scikit_learn():
    X, _, _ = rolled(2, 300)
    diagonal = np.linalg.norm(np.ptp(X, axis=0))
    wanted = Isomap(n_neighbors=None, radius=0.14 * diagonal, eigen_solver="dense").fit_transform(X)
    model = algorithms.fit("isomap", X, graph="epsilon ball", epsilon=0.14).model
    assert same_up_to_sign(model.embedding, wanted, 1e-6)


@pytest.mark.parametrize("params", [{"neighbours": 29}, {"graph": "epsilon ball", "epsilon": 1.0}])
def test_a_complete_graph_gives_principal_components(params):
    X = cloud(30, 4, seed=8)
    centred = X - X.mean(axis=0)
    last = run(X, **params)[-1]
    assert last.metrics["edges"] == 30 * 29 / 2
    assert same_up_to_sign(last.model.embedding, centred @ np.linalg.svd(centred)[2][:2].T)
    flat = run(X[:, :2], **params)[-1]
    assert flat.metrics["residual"] == pytest.approx(0.0, abs=1e-12)
    assert pdist(flat.model.embedding) == pytest.approx(pdist(X[:, :2]))


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_roll_of_the_notes_is_unrolled(seed):
    """N = 1000, k = 7: ways along the graph are nearly those along the sheet, straight lines are far from it."""
    X, t, h = rolled(seed)
    graph, _ = graphs.neighbour_graph(X, 7)
    sheet = pdist(np.column_stack([arc_length(t), h]))
    upper = np.triu_indices(len(X), 1)
    assert 0.999 < np.corrcoef(all_distances(graph)[upper], sheet)[0, 1] < 0.9997
    assert np.corrcoef(pdist(X), sheet)[0, 1] == pytest.approx(0.26, abs=0.03)
    last = run(X, t)[-1]
    assert abs(spearmanr(last.model.embedding[:, 0], t).statistic) >= 0.9995
    assert last.metrics["components"] == 1
    assert last.metrics["residual"] < 0.005
    assert "times as far" in next(f for f in run(X[:300], t[:300]) if "All shortest" in f.caption).caption


def test_the_map_is_the_sheet_up_to_a_turn():
    """Procrustes leaves next to nothing over of the flat sheet, and a third of it with principal components."""
    X, t, h = rolled(1)
    told = run(X, t)
    sheet = np.column_stack([arc_length(t), h])
    assert maps.procrustes(sheet, told[-1].model.embedding).residual < 0.005
    assert maps.procrustes(sheet, told[0].model.embedding).residual > 0.3


def test_a_wire_becomes_a_line():
    turn = np.linspace(0, 3, 300)
    X = np.column_stack([np.cos(2 * np.pi * turn), np.sin(2 * np.pi * turn), turn])
    model = run(X, dimensions=1, neighbours=2)[-1].model
    assert model.embedding.shape == (300, 1)
    length = 3 * np.sqrt(4 * np.pi**2 + 1)
    assert np.ptp(model.embedding) == pytest.approx(length, rel=1e-3)
    assert np.corrcoef(model.embedding[:, 0], turn)[0, 1] ** 2 == pytest.approx(1.0, abs=1e-6)


def test_frames_tell_the_story_in_order():
    X, t, _ = rolled(1, 500)
    frames = run(X, t)
    phases = [frame.phase for frame in frames]
    order = ["start", "connect", "geodesics", "centre", "eigen", "unroll", "result"]
    assert list(dict.fromkeys(phases)) == order
    assert phases.count("connect") == 7
    edges = [frame.metrics["edges"] for frame in frames if frame.phase == "connect"]
    assert edges == sorted(edges)
    unrolling = [frame.metrics["residual"] for frame in frames if frame.phase == "unroll"]
    assert unrolling[-1] == frames[-1].metrics["residual"] < 0.1 * unrolling[0]
    first, last = frames[0].views["cloud"][0], frames[-1].views["cloud"][0]
    assert isinstance(first, Cloud3D)
    assert np.array_equal(first.at, X)
    assert np.array_equal(last.at, X)
    laid = [frame for frame in frames if frame.phase == "unroll"][-1].views["cloud"][0]
    assert np.ptp(laid.at[:, 2]) == pytest.approx(0.0, abs=1e-9)  # the sheet lies on the ground
    assert pdist(laid.at) == pytest.approx(pdist(frames[-1].model.embedding))


def test_a_graph_in_pieces_is_said_and_its_largest_piece_mapped():
    small, large = cloud(20, 2, seed=9), cloud(40, 2, seed=10) + 100.0
    X = np.concatenate([small, large])
    frames = run(X, neighbours=5)
    last = frames[-1]
    assert last.metrics["components"] == 2
    assert last.model.members.tolist() == list(range(20, 60))
    assert last.model.embedding.shape == (40, 2)
    assert same_up_to_sign(last.model.embedding, Isomap(n_neighbors=5).fit_transform(large), 1e-6)
    assert "The graph is in 2 pieces with no path between them; only the largest, 40 of 60" in last.warning
    assert "Raise neighbours" in last.warning
    assert not any(frame.warning for frame in frames if frame.phase == "start")
    (shown,) = last.views["cloud"]
    assert shown.left_out.tolist() == list(range(20))
    (shown,) = last.views["embedding"]
    assert isinstance(shown, Scatter)
    assert shown.points.tolist() == list(range(20, 60))
    unrolling = next(frame for frame in frames if frame.phase == "unroll").views["cloud"][0]
    assert unrolling.points.tolist() == list(range(20, 60))
    assert unrolling.edges.max() < 40


def test_there_is_no_path_between_pieces():
    X = np.concatenate([cloud(20, 2), cloud(20, 2, seed=1) + 100.0])
    frames = run(X, neighbours=5, from_point=1, to_point=40)
    known = [frame for frame in frames if frame.phase == "geodesics"][-1]
    assert "there is none from point 1 to point 40" in known.caption
    assert len(known.model.path) == 0
    assert known.views["cloud"][0].chord.tolist() == [0, 39]


def test_the_path_goes_where_it_is_asked_to():
    X, _, _ = rolled(4, 200)
    distances = all_distances(graphs.neighbour_graph(X, 7)[0])
    model = run(X, from_point=3, to_point=150)[-1].model
    assert (model.path[0], model.path[-1]) == (2, 149)
    assert model.reach == pytest.approx(distances[2])
    assert np.linalg.norm(np.diff(X[model.path], axis=0), axis=1).sum() == pytest.approx(distances[2, 149])
    assert run(X, from_point=3)[-1].model.path[-1] == distances[2].argmax()
    assert run(X, to_point=3)[-1].model.path[0] == distances[2].argmax()
    ends = run(X)[-1].model.path[[0, -1]]
    assert distances[ends[0], ends[1]] == distances[ends[0]].max() >= 0.9 * distances.max()


def test_two_places_with_many_points_each_have_no_shortcuts():
    """The nearest neighbours of every point are at no distance, and nothing can be divided by that."""
    found = algorithms.fit("isomap", Points(np.repeat([[0.0, 0.0], [1.0, 1.0]], 15, axis=0)))
    assert np.isfinite(found.model.embedding).all()


def test_shortcuts_are_found_and_said():
    X, t, _ = rolled(3)
    suspects, factor = solver.shortcuts(neighbourhoods.by_neighbours(X, 30))
    assert len(suspects) > 10
    assert factor > solver.DETOUR
    assert (np.abs(t[suspects[:, 0]] - t[suspects[:, 1]]) > np.pi).mean() > 0.9  # they lead to another turn
    assert len(solver.shortcuts(neighbourhoods.by_neighbours(X, 7))[0]) == 0
    warning = words.shortcut_warning("epsilon ball", 3, 12.3)
    assert warning.startswith("3 edges look like shortcuts")
    assert "12 times" in warning
    assert "Lower epsilon" in warning


def test_a_suspicion_is_dropped_when_the_distances_turn_out_to_be_flat():
    """Around a hole in the sheet the way is long, too; but then no eigenvalue is very negative."""
    X, t, _ = rolled(0, 500)
    frames = run(X, t)
    connected = [frame for frame in frames if frame.phase == "connect"][-1]
    assert "look like shortcuts" in connected.warning
    edges = graphs.neighbour_graph(X, 7)[0].edges
    assert np.abs(t[edges[:, 0]] - t[edges[:, 1]]).max() < np.pi  # in truth there is none
    found = next(frame for frame in frames if frame.phase == "eigen")
    assert found.metrics["negative"] < 0.05
    assert "doubtful edges do no harm" in found.caption
    assert frames[-1].warning == ""
    assert frames[-1].views["cloud"][0].suspects is None


def test_shortcuts_reach_the_frames():
    X, t, _ = rolled(3, 400)
    last = run(X, t, neighbours=25)[-1]
    assert "look like shortcuts between sheets" in last.warning
    assert len(last.views["cloud"][0].suspects) > 0
    assert last.metrics["residual"] > 0.1


@pytest.mark.parametrize("d", [1, 2, 3, 6])
def test_any_number_of_features_is_seen_in_space(d):
    X = cloud(30, d, seed=11) * np.arange(d, 0, -1)
    first = run(X, dimensions=3)[0].views["cloud"][0]
    assert first.at.shape == (30, 3)
    if d <= 3:
        assert np.array_equal(first.at[:, :d], X)
        assert not first.at[:, d:].any()
    else:
        centred = X - X.mean(axis=0)
        assert same_up_to_sign(first.at, centred @ np.linalg.svd(centred)[2][:3].T)


def test_more_dimensions_than_there_are_stay_zero():
    X = np.linspace(0, 1, 12)[:, None]
    model = run(X, dimensions=3, neighbours=2)[-1].model
    assert np.ptp(model.embedding[:, 0]) == pytest.approx(1.0)
    assert np.abs(model.embedding[:, 1:]).max() < 1e-6


def test_colours_are_the_target_or_the_way():
    X, t, _ = rolled(5, 120)
    assert run(X, t)[-1].views["cloud"][0].values is None
    last = run(X, t, colour="distance along the graph", from_point=7)[-1]
    assert last.views["cloud"][0].values == pytest.approx(last.model.reach)
    assert last.views["cloud"][0].values_name == "distance from point 7"
    assert run(X)[-1].views["embedding"][0].values is not None


def test_too_many_edges_are_thinned_out_evenly():
    last = run(cloud(160, 2), neighbours=100)[-1]
    assert last.metrics["edges"] > MOST_EDGES
    (shown,) = last.views["cloud"]
    assert len(shown.edges) == MOST_EDGES
    assert "drawn" in shown.edges_name


def test_why_for_a_point():
    X = np.column_stack([np.arange(10.0), np.zeros(10)])
    last = run(X, neighbours=2, from_point=1, to_point=10)[-1]
    answer = ALGORITHM.explain(last.model, Points(X), Item(x=np.array([4.2, 0.1])))
    assert answer["nearest point"] == 5
    assert answer["distance along the graph"] == pytest.approx(4.0)
    assert answer["straight distance to the start of the path"] == pytest.approx(4.0)
    assert abs(answer["coordinate 1"]) == pytest.approx(0.5)


def test_of_two_equal_points_the_one_that_is_asked_for_is_explained():
    """Row 21 equals row 4, but has neighbours of its own: its answer is its own."""
    X = cloud(24, 2, seed=6)
    X[20] = X[3]
    model = run(X, neighbours=1)[-1].model
    fitted = algorithms.fit("isomap", X, neighbours=1)
    assert fitted.explain(20)["point"] == 21
    assert fitted.explain(3)["point"] == 4
    assert fitted.explain(20)["edges"] == model.degrees[20]
    assert fitted.explain(3)["edges"] == model.degrees[3] != model.degrees[20]
    assert fitted.explain(X[20])["nearest point"] == 4  # a place is no item, and the first of two equal rows is nearest


def test_why_where_there_is_no_path():
    X = np.concatenate([cloud(20, 2), cloud(20, 2, seed=1) + 100.0])
    fitted = algorithms.fit("isomap", X, neighbours=5, from_point=40, to_point=1)
    assert fitted.explain(0)["distance along the graph"] == "there is no path"
    assert fitted.explain(0)["straight distance to the start of the path"] == pytest.approx(
        float(np.linalg.norm(X[0] - X[39]))
    )


@pytest.mark.parametrize(
    ("X", "params", "words"),
    [
        (np.zeros((1, 2)), {}, "at least two different points"),
        (np.ones((5, 2)), {}, "at least two different points"),
        (np.arange(10.0)[:, None] ** 2, {"graph": "epsilon ball", "epsilon": 0.01}, "raise epsilon"),
        (cloud(9, 2), {"from_point": 10}, "from_point is 10, but there are only 9 points"),
        (np.arange(5001.0)[:, None], {}, "Use at most 5,000"),
    ],
)
def test_what_cannot_be_done_is_refused_with_a_sentence(X, params, words):
    with pytest.raises(DataError, match=words):
        run(X, **params)


def test_a_map_turned_onto_the_data_is_the_nearest_one():
    X = cloud(20, 3, seed=12)
    turn, _ = np.linalg.qr(cloud(3, 3, seed=13))
    assert maps.laid_flat(X @ turn, X) == pytest.approx(X)
    flat = np.column_stack([X[:, :2], np.zeros(20)])
    mirrored = X[:, :2] * (1.0, -1.0)
    assert maps.laid_flat(mirrored, X) == pytest.approx(flat)


def test_defaults_are_those_of_the_notes():
    assert Params().neighbours == 7
    assert Params().dimensions == 2


# --- new points -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [6, 9])
def test_new_points_are_placed_as_scikit_learn_places_them(k):
    X, _, _ = rolled(2, 400)
    new = X[:40] + 0.2 * cloud(40, 3)
    ours, theirs = algorithms.fit("isomap", X, neighbours=k), Isomap(n_neighbors=k).fit(X)
    signs = np.sign((ours.model.embedding * theirs.embedding_).sum(axis=0))
    wanted = theirs.transform(new) * signs
    assert np.abs(ours.transform(new) - wanted).max() <= 1e-6 * np.ptp(wanted)


@pytest.mark.parametrize("params", [{}, {"graph": "epsilon ball", "epsilon": 0.2}, {"dimensions": 3}])
def test_an_old_point_is_placed_where_it_lies_in_every_map(params):
    X, _, _ = rolled(1, 200)
    for frame in run(X, **params)[:: 1 if params else 4]:
        found = ALGORITHM.transform(frame.model, X)[frame.model.members]
        assert np.allclose(found, frame.model.embedding, atol=1e-6 * np.ptp(frame.model.embedding))


def test_a_new_point_between_two_lies_between_them_and_one_far_away_goes_to_its_nearest():
    wire = np.column_stack([np.arange(20.0), np.zeros(20)])
    found = algorithms.fit("isomap", wire, neighbours=2, dimensions=1)
    here = found.model.embedding[:, 0]
    assert found.transform([[4.5, 0.0]])[0, 0] == pytest.approx((here[4] + here[5]) / 2)
    ball = algorithms.fit("isomap", wire, graph="epsilon ball", epsilon=0.1, dimensions=1)
    assert np.isfinite(ball.transform([[10.0, 50.0]])).all()


def test_new_points_of_a_graph_in_pieces_are_joined_to_the_piece_that_is_mapped():
    X = np.concatenate([cloud(30, 2), cloud(10, 2) + 100.0])
    found = algorithms.fit("isomap", X, neighbours=3)
    assert len(found.model.members) == 30
    assert np.isfinite(found.transform(X)).all()


def test_equal_distances_are_said():
    """The corners of a regular simplex: any turn of the map is as good."""
    algorithm = find("isomap")
    *_, last = algorithm.start(Points(np.eye(6)), algorithm.make_params({}), 0)
    assert "Eigenvalues 2 and 3 are equal" in last.warning
