"""k-means: hand-worked traces, the identities of the loss, scikit-learn as an oracle, and every variant."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans

from algorithms import DataError, Points, Stop, find, fit
from algorithms._checks import cases
from algorithms.clustering.k_means import TRAIL_LENGTH
from algorithms.marks import Assignment, Bars, Centres, Curve, Highlight, PointSizes, Regions, Trail
from algorithms.maths import seeding

K_MEANS = find("k_means")
FOUR = np.array([[0.0], [1.0], [4.0], [5.0]])
INITS = ["k-means++", "random points", "random partition", "by hand"]


def play(X, seed=0, start=None, **params):
    return cases.play(K_MEANS, Points(X), K_MEANS.make_params(params), start=start, seed=seed)


def mark(frame, kind, panel="plane"):
    found = [item for item in frame.views[panel] if isinstance(item, kind)]
    assert len(found) <= 1
    return found[0] if found else None


def blobs(n=90, k=3, d=2, spread=1.0, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(k, d))[rng.integers(k, size=n)] * 5 + spread * rng.normal(size=(n, d))


# --- by hand -------------------------------------------------------------------------------------------------------


def test_the_trace_of_four_points_on_a_line():
    frames, stop = play(FOUR, k=2, init="by hand", centres=[[0], [1]])
    assert stop is Stop.CONVERGED
    assert [frame.phase for frame in frames] == ["seed", "assign", "update", "assign", "update", "assign"]
    assert [frame.metrics["J"] for frame in frames] == pytest.approx([25, 25, 26 / 3, 38 / 9, 1, 1], rel=1e-14)
    labels = [mark(frame, Assignment).labels.tolist() for frame in frames]
    assert labels == [[-1] * 4, [0, 1, 1, 1], [0, 1, 1, 1], [0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 1, 1]]
    centres = [frame.model.centres.ravel().tolist() for frame in frames]
    assert centres[2] == pytest.approx([0, 10 / 3])
    assert centres[4] == [0.5, 4.5]
    assert [frame.metrics["changed"] for frame in frames] == [0, 4, 0, 1, 0, 0]
    assert frames[2].metrics["shift"] == pytest.approx(7 / 3)
    assert mark(frames[3], Highlight).points.tolist() == [1]
    assert "1 of 4 points changes" in frames[3].caption
    assert "8.667 to 4.222" in frames[3].caption
    assert "converged with J = 1" in frames[-1].caption


def test_k_means_plus_plus_draws_with_the_squared_distances():
    expected = {0: [0, 1 / 42, 16 / 42, 25 / 42], 1: [1 / 26, 0, 9 / 26, 16 / 26]}
    seen = set()
    for seed in range(20):
        first, second, *_ = play(FOUR, seed, k=2)[0]
        chosen = FOUR.ravel().tolist().index(first.model.centres[0, 0])
        if chosen in expected:
            seen.add(chosen)
            assert mark(first, PointSizes).weights == pytest.approx(expected[chosen])
        assert first.metrics["J"] == pytest.approx(((FOUR - first.model.centres[0]) ** 2).sum())
        assert len(second.model.centres) == 2
        assert mark(second, PointSizes) is None
    assert seen == {0, 1}


def test_the_drawing_follows_the_probabilities_and_never_takes_an_impossible_point():
    chances = np.array([0.0, 0.25, 0.75, 0.0])
    rng = np.random.default_rng(0)
    drawn = np.bincount([seeding.draw(chances, rng) for _ in range(4000)], minlength=4)
    assert drawn[0] == drawn[3] == 0
    assert drawn[1] / 4000 == pytest.approx(0.25, abs=0.03)


def test_a_tie_goes_to_the_lowest_number():
    frames, _ = play([[0.0], [1.0], [2.0], [7.0]], k=2, init="by hand", centres=[[2], [0]])
    assert mark(frames[1], Assignment).labels.tolist() == [1, 0, 0, 0]


def test_one_cluster_is_the_mean_and_the_total_scatter_in_one_step():
    X = blobs()
    frames, stop = play(X, k=1)
    assert stop is Stop.CONVERGED
    assert frames[2].phase == "update"
    assert frames[2].model.centres[0] == pytest.approx(X.mean(axis=0))
    assert frames[-1].metrics["J"] == pytest.approx(((X - X.mean(axis=0)) ** 2).sum(), rel=1e-12)


def test_as_many_clusters_as_points_leave_no_loss():
    X = blobs(n=12)
    for init in ("k-means++", "random points"):
        assert fit("k_means", X, k=12, init=init).model.loss == 0.0


def test_the_outlier_drags_the_centre():
    assert fit("k_means", [[0.0], [1.0], [2.0], [97.0]], k=1).model.centres[0, 0] == 25.0


# --- identities ------------------------------------------------------------------------------------------------------


def test_the_expressions_of_the_loss_agree():
    """½ Σ_l 1/|c_l| Σ_ij D_ij = Σ |x - m|² = ½ Tr[(HᵀH)⁻¹ Hᵀ D H], and T = W + B with the right normalisation."""
    X = blobs()
    frames, _ = play(X, k=4)
    labels = mark(frames[-1], Assignment).labels
    J = frames[-1].model.loss
    H = np.eye(4)[labels]
    D = cdist(X, X, "sqeuclidean")
    assert np.array_equal(H.T @ H, np.diag(np.bincount(labels)))
    assert 0.5 * np.trace(np.linalg.inv(H.T @ H) @ H.T @ D @ H) == pytest.approx(J)
    within = 0.5 * sum(D[np.ix_(labels == c, labels == c)].mean() * (labels == c).sum() for c in range(4))
    assert within == pytest.approx(J)
    assert 0.5 * D.sum() == pytest.approx(0.5 * (H.T @ D @ H).sum())
    means = frames[-1].model.centres
    between = (np.bincount(labels) * ((means - X.mean(axis=0)) ** 2).sum(axis=1)).sum()
    assert J + between == pytest.approx(((X - X.mean(axis=0)) ** 2).sum())


@given(
    seed=st.integers(0, 10**6),
    k=st.integers(1, 6),
    d=st.sampled_from([1, 2, 5]),
    init=st.sampled_from(INITS),
    empty=st.sampled_from(["farthest point", "keep centre", "drop"]),
    duplicates=st.booleans(),
)
@settings(max_examples=80, deadline=None)
def test_no_half_step_raises_the_loss_and_the_end_is_a_fixed_point(seed, k, d, init, empty, duplicates):
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, size=(25, d)).astype(float) if duplicates else rng.normal(size=(25, d))
    if len(np.unique(X, axis=0)) < k:
        return
    frames, stop = play(X, seed, k=k, init=init, empty=empty, max_steps=1000)
    assert stop is Stop.CONVERGED
    losses = np.array([frame.metrics["J"] for frame in frames])
    assert (np.diff(losses) <= 1e-12 * losses[0]).all()
    last = frames[-1].model
    labels = mark(frames[-1], Assignment).labels
    assert last.loss == pytest.approx(((X - last.centres[labels]) ** 2).sum(), rel=1e-9, abs=1e-12)
    own = ((X - last.centres[labels]) ** 2).sum(axis=1)
    assert own == pytest.approx(cdist(X, last.centres, "sqeuclidean").min(axis=1), abs=1e-9)
    for number in np.unique(labels):
        assert last.centres[number] == pytest.approx(X[labels == number].mean(axis=0), abs=1e-9)
    if empty == "farthest point":
        assert len(np.unique(labels)) == k


def test_no_clustering_is_better_than_the_best_of_all_of_them():
    X = np.random.default_rng(5).normal(size=(7, 2))
    best = math.inf
    for code in range(3**7):
        labels = np.array([code // 3**i % 3 for i in range(7)])
        best = min(best, sum(((X[labels == c] - X[labels == c].mean(axis=0)) ** 2).sum() for c in set(labels.tolist())))
    for seed in range(5):
        assert fit("k_means", X, k=3, seed=seed).model.loss >= best - 1e-12
    assert fit("k_means", X, k=3, restarts=30).model.loss == pytest.approx(best)


# --- the oracle ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "k", "d"), [(60, 3, 1), (200, 5, 2), (300, 8, 3), (300, 6, 10)])
@pytest.mark.parametrize("seed", [0, 1])
def test_scikit_learn_ends_at_the_same_place(n, k, d, seed):
    X = blobs(n, k, d, spread=2.0, seed=seed)
    centres = X[:k].copy()
    oracle = KMeans(k, init=centres, n_init=1, algorithm="lloyd", tol=0.0, max_iter=1000).fit(X)
    ours = fit("k_means", X, k=k, init="by hand", centres=centres.tolist(), max_steps=1000)
    assert ours.model.loss == pytest.approx(oracle.inertia_, rel=1e-9)
    assert ours.model.centres == pytest.approx(oracle.cluster_centers_, abs=1e-8)
    assert np.array_equal(ours.predict(X), oracle.labels_)
    assert ours.steps + 1 == 2 * oracle.n_iter_  # a seed frame, n pairs of half steps, the last one without an update


def test_data_far_from_the_origin_lose_no_digits():
    X = blobs(seed=3)
    near, far = (fit("k_means", X + shift, k=3, seed=1).model for shift in (0.0, 2.0**26))
    assert far.loss == pytest.approx(near.loss, rel=1e-6)


# --- variants ---------------------------------------------------------------------------------------------------------


def test_random_points_are_distinct_data_points():
    X = np.repeat([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], [50, 1, 1], axis=0)
    for seed in range(5):
        first = play(X, seed, k=3, init="random points")[0][0]
        assert {tuple(centre) for centre in first.model.centres.tolist()} == {(0, 0), (1, 0), (0, 1)}


def test_a_random_partition_shows_its_groups_and_begins_at_their_means():
    X = blobs()
    first, second, *_ = play(X, k=5, init="random partition")[0]
    labels = mark(first, Assignment).labels
    assert set(labels.tolist()) == set(range(5))
    for number in range(5):
        assert first.model.centres[number] == pytest.approx(X[labels == number].mean(axis=0))
    assert second.metrics["changed"] == (labels != mark(second, Assignment).labels).sum() > 0


def test_centres_by_hand_are_completed_by_the_farthest_point_and_the_surplus_is_ignored():
    first = play(FOUR, k=3, init="by hand", centres=[[0]])[0][0]
    assert first.model.centres.ravel().tolist() == [0, 5, 1]  # 5 is farthest from 0; then 1 and 4 tie
    first = play(FOUR, k=1, init="by hand", centres=[[4], [0]])[0][0]
    assert first.model.centres.ravel().tolist() == [4]
    inside = play(blobs(), k=4, init="by hand")[0][0].model.centres
    low, high = blobs().min(axis=0), blobs().max(axis=0)
    assert ((inside > low) & (inside < high)).all()
    assert inside[:, 0] == pytest.approx(low[0] + (high - low)[0] * np.array([1, 3, 5, 7]) / 8)


def test_a_centre_with_the_wrong_number_of_coordinates_is_refused():
    with pytest.raises(DataError, match=r"^Centre 1 of k-means has 3 coordinates; the data have 1 feature\.$"):
        fit("k_means", FOUR, k=1, init="by hand", centres=[[1, 2, 3]])


EMPTY = {"k": 3, "init": "by hand", "centres": [[0.5], [4.5], [100]]}  # nobody is near the third centre


def test_an_empty_cluster_takes_the_farthest_point():
    frames, stop = play([[0.0], [1.0], [4.0], [5.5]], empty="farthest point", **EMPTY)
    assert stop is Stop.CONVERGED
    assert frames[2].metrics["changed"] == 1
    assert mark(frames[2], Assignment).labels.tolist() == [0, 0, 1, 2]
    assert frames[2].model.centres.ravel().tolist() == [0.5, 4.0, 5.5]
    assert "takes the point farthest from its centre (point 4)" in frames[2].caption


def test_an_empty_cluster_does_not_take_the_only_point_of_another_one():
    frames, _ = play([[0.0], [1.0], [2.0], [100.0]], k=3, init="by hand", centres=[[1], [75], [1000]])
    assert mark(frames[2], Assignment).labels.tolist() == [2, 0, 0, 1]


def test_an_empty_cluster_keeps_its_centre():
    frames, stop = play(FOUR, empty="keep centre", **EMPTY)
    assert stop is Stop.CONVERGED
    assert frames[-1].model.centres.ravel().tolist() == [0.5, 4.5, 100]
    assert "keeps its centre" in frames[2].caption


def test_an_empty_cluster_is_dropped():
    centres = [[100], [0.5], [4.5]]
    frames, stop = play(FOUR, k=3, init="by hand", centres=centres, empty="drop")
    assert stop is Stop.CONVERGED
    assert frames[2].model.centres.ravel().tolist() == [0.5, 4.5]
    assert mark(frames[2], Trail).at.shape[1] == 2
    assert mark(frames[2], Assignment).labels.tolist() == [0, 0, 1, 1]
    assert "1 empty cluster is dropped; 2 remain." in frames[2].caption


def test_the_best_restart_is_shown_last_with_the_loss_of_all():
    X = blobs(200, 8, spread=1.0, seed=4)
    frames, _ = play(X, k=8, init="random points", restarts=6)
    best = frames[-1]
    assert best.phase == "best"
    finals = mark(best, Bars, "restarts").values
    assert len(finals) == 6
    assert len(set(finals.round(6))) > 1
    assert best.model.loss == finals.min()
    ends = [before.metrics["J"] for before, after in itertools.pairwise(frames) if after.phase in ("seed", "best")]
    assert ends == finals.tolist()
    assert mark(frames[0], Bars, "restarts").values.tolist() == [frames[0].model.loss]  # the bar of the present run
    assert best.model.loss == pytest.approx(((X - best.model.centres[mark(best, Assignment).labels]) ** 2).sum())


def test_the_elbow_curve_never_rises_and_leaves_the_result_alone():
    X = blobs(120, 4, seed=6)
    plain = fit("k_means", X, k=4, seed=2).model
    frames, stop = play(X, 2, k=4, elbow=9)
    grown = [frame for frame in frames if frame.phase == "elbow"]
    assert stop is Stop.CONVERGED
    assert len(grown) == 9
    assert [len(mark(frame, Curve, "elbow").x) for frame in grown] == list(range(1, 10))
    losses = mark(grown[-1], Curve, "elbow").y
    assert losses[0] == pytest.approx(((X - X.mean(axis=0)) ** 2).sum())
    assert (np.diff(losses) <= 0).all()
    assert losses[3] <= plain.loss * (1 + 1e-12)
    assert np.array_equal(frames[-1].model.centres, plain.centres)
    waiting = [frame.views["elbow"] for frame in frames if frame.phase != "elbow"]
    assert all([line.at for line in lines] == [4.0, 1.0, 9.0] for lines in waiting)  # only where it is going to be


def test_the_elbow_curve_ends_when_every_point_has_its_own_centre():
    frames, _ = play(FOUR, k=2, elbow=9)
    assert mark(frames[-1], Curve, "elbow").y[-1] == 0.0
    assert len(mark(frames[-1], Curve, "elbow").x) == 4


def test_k_means_plus_plus_is_better_than_random_points_on_average():
    X = blobs(150, 10, spread=0.3, seed=8)
    first = {
        init: np.mean([play(X, s, k=10, init=init, max_steps=1)[0][-1].metrics["J"] for s in range(25)])
        for init in ("k-means++", "random points")
    }
    assert first["k-means++"] < first["random points"]


def test_the_step_limit_and_the_tolerance_stop_the_run():
    X = blobs(400, 3, spread=4.0)
    frames, stop = play(X, k=8, max_steps=2)
    assert stop is Stop.LIMIT
    assert [frame.phase for frame in frames[8:]] == ["assign", "update", "assign", "update"]
    patient, eager = (fit("k_means", X, k=8, tol=tol) for tol in (0.0, 0.02))
    assert eager.stop is patient.stop is Stop.CONVERGED
    assert eager.steps < patient.steps


def test_going_on_from_a_model():
    X = blobs(spread=3.0)
    frames, _ = play(X, k=4)
    middle, last = frames[5], frames[-1]
    again, stop = play(X, seed=99, k=4, start=middle.model)
    assert stop is Stop.CONVERGED
    assert np.array_equal(again[0].model.centres, middle.model.centres)
    assert again[-1].model.loss == pytest.approx(last.model.loss, rel=1e-12)
    partition, _ = play(X, k=4, init="random partition", start=middle.model)
    assert partition[-1].model.loss == pytest.approx(last.model.loss, rel=1e-12)
    more, _ = play(X, k=6, start=last.model)
    assert len(more[-1].model.centres) == 6
    with pytest.raises(DataError, match=r"centres with 2 features; the data have 1\.$"):
        play(FOUR, k=2, start=last.model)


# --- frames -----------------------------------------------------------------------------------------------------------


def test_a_long_run_keeps_short_trails_and_shares_its_labels():
    X = np.random.default_rng(0).uniform(size=(2000, 2))
    frames, _ = play(X, k=20, init="random points", max_steps=120)
    assert len(frames) > 100
    assert max(len(mark(frame, Trail).at) for frame in frames[1:]) == TRAIL_LENGTH
    assert mark(frames[-1], Trail).at[-1] == pytest.approx(frames[-1].model.centres)
    assert mark(frames[1], Assignment).labels is mark(frames[2], Assignment).labels
    assert mark(frames[1], Assignment).labels.dtype == np.int32


def test_centres_are_handles_and_the_regions_lie_below():
    for frame in play(blobs(), k=3)[0]:
        kinds = [type(item) for item in frame.views["plane"]]
        assert mark(frame, Centres).handle == "centres"
        assert kinds.index(Regions) < kinds.index(Assignment) < kinds.index(Centres)


def test_predict_field_and_explain_agree():
    X = blobs()
    model = fit("k_means", X, k=3)
    query = np.array([[0.3, -0.2], [8.0, 8.0]])
    distances = cdist(query, model.model.centres)
    assert model.predict(query).tolist() == distances.argmin(axis=1).tolist()
    assert model.field(query) == pytest.approx(-(distances.min(axis=1) ** 2))
    answer = model.explain(query[0])
    assert answer["cluster"] == distances[0].argmin() + 1
    assert [answer[f"distance to centre {i}"] for i in (1, 2, 3)] == pytest.approx(distances[0].tolist())
    nearest, second = np.sort(distances[0])[:2]
    assert answer["lead over the next centre"] == pytest.approx(second - nearest)


# --- odd data ---------------------------------------------------------------------------------------------------------


def test_fewer_distinct_points_than_clusters_are_refused():
    with pytest.raises(DataError, match=r"^3 clusters need at least 3 distinct points; there are 2\.$"):
        fit("k_means", [[0.0, 0.0]] * 9 + [[1.0, 1.0]], k=3)
    with pytest.raises(DataError, match=r"^2 clusters need at least 2 distinct points; there is 1\.$"):
        fit("k_means", [[1.0]] * 4, k=2)


@pytest.mark.parametrize("init", INITS)
def test_odd_data_work(init):
    assert fit("k_means", [[3.0, 4.0]], k=1, init=init).model.loss == 0.0
    constant = np.column_stack([np.arange(10.0), np.full(10, 7.0)])
    assert np.array_equal(fit("k_means", constant, k=3, init=init).model.centres[:, 1], [7, 7, 7])
    huge = fit("k_means", blobs(30) * 1e98, k=3, init=init, seed=2)
    assert huge.model.loss == pytest.approx(
        fit("k_means", blobs(30), k=3, init=init, seed=2).model.loss * 1e196, rel=1e-9
    )
    tiny = fit("k_means", blobs(30) * 1e-98, k=3, init=init)
    assert np.isfinite(tiny.model.centres).all()


def test_too_large_values_are_refused():
    with pytest.raises(DataError, match=r"calculate with numbers up to 1e\+100\. Divide them by a constant\.$"):
        fit("k_means", blobs() * 1e200, k=2)
    with pytest.raises(DataError, match=r"^The given centres reach 1e\+200"):
        fit("k_means", FOUR, k=1, init="by hand", centres=[[1e200]])
