"""Agglomerative clustering: heights by hand, identities, and SciPy as the oracle."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import pdist, squareform

from algorithms import Item, fit
from algorithms.clustering.agglomerative import ALGORITHM, Params, solver
from algorithms.clustering.agglomerative.solver import merges_of_points, step_wise_optimal
from algorithms.contract import DataError, Stop
from algorithms.data import Points
from algorithms.marks import Assignment, Dendrogram, Hulls, Segments

LINE = np.array([[0.0], [1.0], [3.0], [7.0], [12.0]])
BY_HAND = {
    "single": [1, 2, 4, 5],
    "complete": [1, 3, 5, 12],
    "average": [1, 2.5, 5, 49 / 6],
    "ward": [1, np.sqrt(25 / 3), 5, np.sqrt(2 * 6 / 5 * (4 / 3 - 19 / 2) ** 2)],
}
METRICS = {"euclidean": "euclidean", "manhattan": "cityblock", "cosine": "cosine"}
PAIRS = [(way, metric) for way in BY_HAND for metric in METRICS if way != "ward" or metric == "euclidean"]
CLOUD = np.random.default_rng(3).normal(size=(60, 3)) + np.repeat(np.eye(3) * 4, 20, axis=0)


def frames_of(X, seed=0, **params):
    return list(ALGORITHM.start(Points(X), ALGORITHM.make_params(params), seed))


def dendrogram(frame):
    (mark,) = frame.views["dendrogram"]
    assert isinstance(mark, Dendrogram)
    return mark


def mark_of(frame, kind):
    return next(mark for mark in frame.views["plane"] if isinstance(mark, kind))


def partition(labels):
    """Labels as a set of sets of points, whatever the clusters are called."""
    return {frozenset(np.flatnonzero(labels == label).tolist()) for label in np.unique(labels)}


@pytest.mark.parametrize("way", BY_HAND)
def test_heights_of_five_points_on_a_line(way):
    """Fixture C9.5: 0, 1, 3, 7, 12. The tree is ((0 1) 3) and, for single, 7 and 12 one by one; else (7 12)."""
    frames = frames_of(LINE, linkage=way, k=1)
    assert dendrogram(frames[-1]).heights == pytest.approx(BY_HAND[way], abs=1e-12)
    assert [frame.phase for frame in frames] == ["start", "merge", "merge", "merge", "merge", "cut"]
    assert [frame.metrics["height"] for frame in frames[1:5]] == pytest.approx(BY_HAND[way])
    assert [frame.metrics["clusters"] for frame in frames] == [5, 4, 3, 2, 1, 1]


@pytest.mark.parametrize(("way", "metric"), PAIRS)
def test_merges_are_those_of_scipy(way, metric):
    Z = linkage(CLOUD, way, METRICS[metric])
    merges = merges_of_points(CLOUD, way, metric)
    assert merges.heights == pytest.approx(Z[:, 2], abs=1e-12)
    assert np.array_equal(merges.children, Z[:, :2])


@settings(max_examples=40, deadline=None)
@given(arrays(np.float64, st.tuples(st.integers(2, 14), st.just(2)), elements=st.integers(1, 4)))
def test_ties_are_broken_as_in_scipy(X):
    """Points on a grid have many equal distances; the heights of some linkages then depend on the order of merging."""
    for way, metric in PAIRS:
        Z = linkage(X, way, METRICS[metric])
        assert merges_of_points(X, way, metric).heights == pytest.approx(np.maximum(Z[:, 2], 0.0), abs=1e-9)


@settings(max_examples=15, deadline=None)
@given(arrays(np.float64, st.tuples(st.integers(1, 12), st.integers(1, 3)), elements=st.floats(-9, 9, width=32)))
def test_heights_never_fall_and_partitions_are_nested(X):
    for way in BY_HAND:
        cuts = [ALGORITHM.make_params({"linkage": way, "k": k}) for k in range(1, len(X) + 1)]
        labels = [_last(X, params).model.labels for params in cuts]
        heights = dendrogram(_last(X, cuts[0])).heights
        assert len(heights) == len(X) - 1
        assert (np.diff(heights) >= 0).all()
        for k, (coarse, fine) in enumerate(itertools.pairwise(labels), start=1):
            assert sorted(np.unique(fine).tolist()) == list(range(k + 1))
            # Nested, and numbered so that only one cluster changes: the smaller part of what was split.
            moved = coarse != fine
            assert (fine[moved] == k).all()
            assert len(np.unique(coarse[moved])) == 1
            assert moved.sum() <= (fine == coarse[moved][0]).sum()


def _last(X, params):
    return list(ALGORITHM.start(Points(X), params, 0))[-1]


def test_single_linkage_is_the_minimum_spanning_tree():
    distances = squareform(pdist(CLOUD))
    edges = minimum_spanning_tree(distances).tocoo()
    frames = frames_of(CLOUD, linkage="single", k=1)
    assert dendrogram(frames[-1]).heights == pytest.approx(np.sort(edges.data), abs=1e-12)
    lines = mark_of(frames[-2], Segments)
    drawn = {frozenset(_indices(pair)) for pair in zip(lines.start, lines.end)}
    assert drawn == {frozenset(pair) for pair in zip(edges.row.tolist(), edges.col.tolist())}


def _indices(places):
    return [int(np.flatnonzero((place == CLOUD).all(axis=1))[0]) for place in places]


@pytest.mark.parametrize("way", BY_HAND)
@pytest.mark.parametrize("k", [1, 2, 3, 7, 60])
def test_cut_is_that_of_scipy(way, k):
    labels = _last(CLOUD, Params(linkage=way, k=k)).model.labels
    assert len(np.unique(labels)) == k
    assert partition(labels) == partition(fcluster(linkage(CLOUD, way), k, "maxclust"))


def test_the_line_that_is_measured_is_as_long_as_the_merge_is_high():
    for way in ("single", "complete"):
        for frame in frames_of(CLOUD, linkage=way, metric="manhattan")[1:-1]:
            line = frame.views["plane"][-1]
            assert np.abs(line.end - line.start).sum() == pytest.approx(frame.metrics["height"])


@pytest.mark.parametrize("way", [*BY_HAND, "step-wise optimal"])
def test_W_is_the_loss_of_the_partition_and_ends_at_the_total_scatter(way):
    frames = frames_of(CLOUD, linkage=way, k=1, start_clusters=9)
    for frame in frames[:: len(frames) // 6]:
        labels = clusters_after(dendrogram(frame))
        loss = sum(np.square(CLOUD[labels == c] - CLOUD[labels == c].mean(axis=0)).sum() for c in np.unique(labels))
        assert frame.metrics["W"] == pytest.approx(loss, abs=1e-9)
        assert frame.metrics["clusters"] == len(np.unique(labels))
    assert frames[-1].metrics["W"] == pytest.approx(np.square(CLOUD - CLOUD.mean(axis=0)).sum())
    assert (np.diff([frame.metrics["W"] for frame in frames]) >= 0).all()


def clusters_after(mark):
    """The cluster of every point after the merges so far, followed upwards one by one."""
    above = np.arange(2 * len(mark.order) - 1)
    for merge, pair in enumerate(mark.children[: mark.count]):
        above[np.isin(above, pair)] = len(mark.order) + merge
    return above[mark.leaf_of]


def test_ward_height_is_the_root_of_twice_the_rise_of_the_loss():
    frames = frames_of(CLOUD, linkage="ward")
    rises = np.diff([frame.metrics["W"] for frame in frames[:-1]])
    assert dendrogram(frames[-1]).heights == pytest.approx(np.sqrt(2 * rises), rel=1e-9)


def test_step_wise_optimal_by_hand():
    """Means 0, 2, 7 with 1, 3, 2 points: Δ(0, 2) = 3/4·4 = 3, Δ(2, 7) = 6/5·25; then 4·2/6·(5.5)² with the mean 1.5."""
    merges = step_wise_optimal(np.array([[0.0], [2.0], [7.0]]), np.array([1, 3, 2]))
    assert merges.children.tolist() == [[0, 1], [2, 3]]
    assert merges.heights == pytest.approx([3.0, 8 / 6 * 5.5**2])


def test_step_wise_optimal_takes_the_cheapest_of_all_pairs_each_time():
    """Algorithm 7 word for word: the loss of every merged assignment is computed from the points."""
    frames = frames_of(CLOUD, linkage="step-wise optimal", start_clusters=7, k=2)
    mark = dendrogram(frames[-1])
    labels = np.array(mark.leaf_of)
    before = loss_of(labels)
    assert frames[0].metrics["W"] == pytest.approx(before)
    for merge, height in enumerate(mark.heights):
        names = np.unique(labels)
        trials = {(a, b): loss_of(np.where(labels == a, b, labels)) for a in names for b in names if a < b}
        cheapest = min(trials, key=trials.get)
        assert sorted(mark.children[merge]) == list(cheapest)
        assert height == pytest.approx(trials[cheapest] - before, rel=1e-9)
        before = trials[cheapest]
        labels[np.isin(labels, cheapest)] = 7 + merge
    assert len(frames) == 1 + 6 + 1


def loss_of(labels):
    return sum(np.square(CLOUD[labels == c] - CLOUD[labels == c].mean(axis=0)).sum() for c in np.unique(labels))


def test_step_wise_optimal_from_single_points_is_ward():
    merges = step_wise_optimal(CLOUD, np.ones(len(CLOUD)))
    assert np.sqrt(2 * merges.heights) == pytest.approx(linkage(CLOUD, "ward")[:, 2], abs=1e-9)


def test_step_wise_optimal_begins_with_a_k_means_result():
    """Every point is nearest to the mean of its own start cluster."""
    mark = dendrogram(frames_of(CLOUD, linkage="step-wise optimal", start_clusters=5)[0])
    means = np.array([CLOUD[mark.leaf_of == leaf].mean(axis=0) for leaf in range(5)])
    nearest = np.square(CLOUD[:, None] - means).sum(axis=2).argmin(axis=1)
    assert np.array_equal(nearest, mark.leaf_of)


def test_branches_do_not_cross_and_stand_as_in_the_plane():
    """Below every node the leaves are neighbours; what is on the left in the plane is on the left in the tree."""
    mark = dendrogram(frames_of(CLOUD, linkage="ward")[-1])
    place = np.argsort(mark.order)
    members = {leaf: [leaf] for leaf in range(len(CLOUD))}
    for merge, (a, b) in enumerate(mark.children.tolist()):
        left, right = sorted((a, b), key=lambda node: CLOUD[members[node], 0].mean())
        assert max(place[members[left]]) + 1 == min(place[members[right]])
        members[len(CLOUD) + merge] = members[a] + members[b]


def test_cut_lies_between_the_merges_it_separates():
    for k in (1, 2, 5, 60):
        mark = dendrogram(_last(CLOUD, Params(k=k)))
        assert (mark.heights < mark.cut).sum() == 60 - k


def test_largest_jump_is_named():
    """Heights 1, 3, 5, 12: the largest jump leads from 2 clusters to 1."""
    assert "from 5 to 12, suggests 2 clusters" in frames_of(LINE, linkage="complete", k=2)[-1].caption


def test_points_are_grey_until_they_join_and_the_rest_when_the_cut_is_reached():
    frames = frames_of(LINE, linkage="single", k=2)
    shown = [mark_of(frame, Assignment).labels.tolist() for frame in frames]
    assert shown[0] == [-1] * 5
    assert [label == -1 for label in shown[1]] == [False, False, True, True, True]
    assert [label == -1 for label in shown[2]] == [False, False, False, True, True]
    assert shown[3] == shown[5] == [0, 0, 0, 0, 1]


def test_the_merged_clusters_are_outlined():
    third = frames_of(LINE, linkage="complete", k=1)[2]
    assert {tuple(sorted(points.tolist())) for points in mark_of(third, Hulls).sets} == {(0, 1), (2,)}
    assert third.caption.startswith("Point 3 and a cluster of 2 points join: their farthest points are 3 apart")


def test_predict_gives_data_their_own_cluster_in_every_metric():
    for metric in METRICS:
        model = _last(CLOUD, Params(metric=metric, k=4)).model
        assert np.array_equal(ALGORITHM.predict(model, CLOUD), model.labels)


def test_predict_goes_by_the_metric():
    """From (4, 4.4) the first point is 5.4 away by Manhattan and 4.51 by Euclid, the second one 5.6 and 3.96."""
    X = np.array([[5.0, 0.0], [1.2, 1.6]])
    query = np.array([[4.0, 4.4]])
    found = {metric: _last(X, Params(metric=metric, k=2)).model for metric in METRICS}
    own = {metric: ALGORITHM.predict(model, X).tolist() for metric, model in found.items()}
    answer = {metric: own[metric].index(ALGORITHM.predict(model, query)[0]) for metric, model in found.items()}
    assert answer == {"euclidean": 1, "manhattan": 0, "cosine": 1}


def test_explanation_of_a_point():
    frames = frames_of(LINE, linkage="complete", k=2)
    halfway = ALGORITHM.explain(frames[2].model, Points(LINE), Points(LINE).item(1))
    assert halfway["points in this cluster"] == 3
    assert halfway["merges so far"] == 2
    assert halfway["points merged with so far"] == 2
    assert halfway["first merge at height"] == 1
    assert halfway["its cluster joins the next at height"] == 12
    beside = ALGORITHM.explain(frames[-1].model, Points(LINE), Item(x=np.array([8.5])))
    assert beside["distance to the nearest point"] == 1.5
    assert beside["points in this cluster"] == 2


def test_ward_says_that_it_does_not_use_another_metric():
    plain, other = (_last(CLOUD, Params(linkage="ward", metric=metric)) for metric in ("euclidean", "cosine"))
    assert plain.warning == ""
    assert other.warning == "Ward's criterion is defined by Euclidean distances; the cosine metric is not used."
    assert np.array_equal(dendrogram(plain).heights, dendrogram(other).heights)


@pytest.mark.parametrize(
    ("X", "params", "sentence"),
    [
        (LINE, {"k": 6}, "A cut into 6 clusters needs at least 6 points; there are 5 points."),
        (LINE, {"metric": "cosine"}, "Point 1 lies in the origin and has no direction; cosine distances need one."),
        (
            CLOUD,
            {"linkage": "step-wise optimal", "start_clusters": 4, "k": 5},
            "A cut into 5 clusters needs at least 5 start clusters; there are 4 start clusters.",
        ),
        (
            LINE,
            {"linkage": "step-wise optimal", "start_clusters": 6},
            "6 start clusters need at least 6 distinct points; there are 5.",
        ),
        (
            np.zeros((5001, 1)),
            {},
            "Hierarchical clustering compares all pairs: at most 5,000 points; got 5,001.",
        ),
    ],
)
def test_what_cannot_be_done_is_said(X, params, sentence):
    with pytest.raises(DataError) as refusal:
        frames_of(X, **params)
    assert str(refusal.value) == sentence


def test_fit_runs_to_the_end():
    done = fit("agglomerative", CLOUD, linkage="ward", k=3)
    assert done.stop is Stop.COMPLETE
    assert done.steps == 60
    assert partition(done.predict(CLOUD)) == partition(fcluster(linkage(CLOUD, "ward"), 3, "maxclust"))


def test_frames_share_the_tree():
    """A frame must not hold the tree or the data a second time."""
    first, *_, last = frames_of(CLOUD)
    for name in ("children", "heights", "order", "groups", "leaf_of"):
        assert getattr(dendrogram(first), name) is getattr(dendrogram(last), name)
    assert first.model.tree is last.model.tree
    assert first.model.X is last.model.X


def test_the_table_is_copied_in_pieces_that_can_be_called_off(monkeypatch):
    asked = []
    monkeypatch.setattr(solver, "checkpoint", lambda: asked.append(1))
    table = np.random.default_rng(0).random((1000, 1000))
    left = np.arange(0, 1000, 2)
    np.testing.assert_array_equal(solver._among(table, left), table[np.ix_(left, left)])
    assert len(asked) == -(-len(left) // solver.BLOCK)


def test_two_equal_rows_are_two_points_of_the_tree():
    """Two of three equal points join first; the third is still alone then, though its place is the same."""
    data = Points(np.array([[0.0], [5.0], [0.0], [0.0]]))
    run = ALGORITHM.start(data, Params(linkage="single", k=2), seed=0)
    next(run)
    model = next(run).model
    joined = [ALGORITHM.explain(model, data, data.item(i))["merges so far"] for i in (0, 2, 3)]
    assert sorted(joined) == [0, 1, 1]


@pytest.mark.parametrize("linkage", ["single", "average", "complete"])
@pytest.mark.parametrize("factor", [2.0**-600, 2.0**500, 5e-324])
def test_cosine_distances_do_not_depend_on_the_unit(linkage, factor):
    X = np.random.default_rng(0).integers(1, 9, size=(12, 2)).astype(float)
    found, again = (merges_of_points(table, linkage, "cosine") for table in (X, X * factor))
    np.testing.assert_array_equal(again.children, found.children)
    np.testing.assert_array_equal(again.heights, found.heights)


@pytest.mark.parametrize("linkage", ["single", "average", "complete"])
def test_a_whole_run_on_tiny_directions_ends(linkage):
    data = Points(np.random.default_rng(0).normal(size=(30, 2)) * 1e-98)
    found = fit("agglomerative", data, linkage=linkage, metric="cosine")
    assert found.stop is Stop.COMPLETE
    assert ALGORITHM.predict(found.model, data.X).tolist() == found.model.labels.tolist()
