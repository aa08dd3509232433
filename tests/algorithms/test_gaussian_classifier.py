"""The Gaussian classifier: answers by hand, what the assumptions make of the boundary, Fisher's direction, oracles."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import NearestCentroid

from algorithms import DataError, Points, find, fit
from algorithms.classification.gaussian_classifier import log_joint
from algorithms.classification.gaussian_classifier.words import boundary
from algorithms.marks import Ellipses, Polygons, ReferenceLine
from algorithms.maths.counting import Queue
from mlviz.data.spec import load_data
from tests.algorithms.played import mark

GAUSSIANS = find("gaussian_classifier")
ASSUMPTIONS = ("own", "shared", "diagonal", "spherical", "nearest mean")


def play(data, **params):
    return list(GAUSSIANS.start(data, GAUSSIANS.make_params(params), 0))


def groups(classes=2, d=2, n=90, seed=0):
    """Classes of unequal size, shape and place that overlap."""
    rng = np.random.default_rng(seed)
    y = rng.choice(classes, size=n, p=np.arange(1, classes + 1) / (classes * (classes + 1) / 2))
    y[:classes] = np.arange(classes)
    shapes = rng.normal(size=(classes, d, d)) + np.eye(d)
    return Points(2 * rng.normal(size=(classes, d))[y] + np.einsum("nij,nj->ni", shapes[y], rng.normal(size=(n, d))), y)


# --- by hand ----------------------------------------------------------------------------------------------------------


def test_two_classes_on_a_line_by_hand():
    """0 and 2 have the mean 1 and the variance 1, 4 and 8 the mean 6 and the variance 4 (divided by n).

    Equal where (x - 1)² = (x - 6)²/4 + log 4, that is 3x² + 4x - 32 - 4 log 4 = 0: x = 2.93326 or -4.26660.
    """
    model = fit("gaussian_classifier", Points([[0.0], [2.0], [4.0], [8.0]], ["a", "a", "b", "b"])).model
    assert model.priors.tolist() == [0.5, 0.5]
    assert model.means[:, 0].tolist() == [1.0, 6.0]
    assert model.covariances[:, 0, 0] == pytest.approx([1.0, 4.0])
    roots = np.roots([3.0, 4.0, -32.0 - 4.0 * np.log(4.0)])
    assert sorted(roots) == pytest.approx([-4.26660, 2.93326], abs=1e-5)
    assert GAUSSIANS.field(model, roots[:, None]) == pytest.approx([0.5, 0.5])
    assert GAUSSIANS.predict(model, np.array([[-4.27], [-4.26], [2.93], [2.94]])).tolist() == [1, 0, 0, 1]


def test_divided_by_n_minus_1_the_variance_is_right_on_average():
    model = fit(
        "gaussian_classifier", Points([[1.0], [2.0], [3.0], [7.0], [9.0], [11.0]], [0, 0, 0, 1, 1, 1]), divisor="n - 1"
    ).model
    assert model.covariances[:, 0, 0] == pytest.approx([1.0, 4.0])
    shared = fit(
        "gaussian_classifier",
        Points([[1.0], [2.0], [3.0], [7.0], [9.0], [11.0]], [0, 0, 0, 1, 1, 1]),
        covariance="shared",
        divisor="n - 1",
    ).model
    assert shared.covariances[:, 0, 0] == pytest.approx([2.5, 2.5])  # (2 + 8) / (6 - 2)


def test_round_classes_of_one_size_are_parted_by_the_perpendicular_bisector_of_the_means():
    data = groups(seed=3)
    model = fit("gaussian_classifier", data, covariance="nearest mean").model
    one, two = model.means
    along = np.array([one[1] - two[1], two[0] - one[0]])
    at = (one + two) / 2 + np.linspace(-5, 5, 11)[:, None] * along
    assert GAUSSIANS.field(model, at) == pytest.approx(np.full(11, 0.5))


def test_the_priors_move_the_boundary_towards_the_rarer_class():
    data = Points([[-2.0], [-1.0], [0.0], [1.0]] * 3 + [[3.0], [5.0]], [0] * 12 + [1] * 2)
    frequent, equal = (
        fit("gaussian_classifier", data, covariance="shared", priors=rule) for rule in ("class frequencies", "equal")
    )
    by_hand = fit("gaussian_classifier", data, covariance="shared", priors="by hand", weights=(3.0, 1.0))
    assert frequent.model.priors == pytest.approx([12 / 14, 2 / 14])
    assert by_hand.model.priors == pytest.approx([0.75, 0.25])
    fractions = [float(f.field([[2.0]])[0]) for f in (frequent, by_hand, equal)]
    assert fractions == sorted(fractions)
    assert fractions[0] < fractions[2]


# --- what an assumption makes of the boundary -------------------------------------------------------------------------


def differences(model, order):
    """Differences of this order of the log-odds along a line."""
    at = np.array([0.3, -1.0]) + np.linspace(-3, 3, 9)[:, None] * np.array([1.0, 0.7])
    joint = log_joint(model, at)
    return np.diff(joint[1] - joint[0], order)


@pytest.mark.parametrize("assumption", ASSUMPTIONS)
def test_log_odds_are_quadratic_and_linear_where_the_covariance_is_common(assumption):
    """Any common covariance gives a hyperplane, not only multiples of the identity as the slides say."""
    model = fit("gaussian_classifier", groups(), covariance=assumption).model
    assert differences(model, 3) == pytest.approx(0.0, abs=1e-9)
    linear = np.allclose(differences(model, 2), 0.0, atol=1e-9)
    assert linear == (assumption in ("shared", "nearest mean"))
    assert (boundary(model) == "a line") == linear


def test_the_conics_are_named():
    def named(one, two):
        shapes = np.array([one, two], dtype=float)
        X = np.concatenate(
            [np.linalg.cholesky(s) @ np.array([[1, -1, 0, 0], [0, 0, 1, -1]]) * np.sqrt(2) for s in shapes], axis=1
        ).T
        return boundary(
            fit("gaussian_classifier", Points(X + np.repeat([[0], [9]], 4, axis=0), [0] * 4 + [1] * 4)).model
        )

    assert named(np.eye(2), np.eye(2)) == "a line"
    assert named([[2, 1], [1, 2]], [[2, 1], [1, 2]]) == "a line"
    assert named(np.eye(2), 4 * np.eye(2)) == "a circle"
    assert named(np.eye(2), np.diag([4, 9])) == "an ellipse"
    assert named(np.diag([1, 4]), np.diag([4, 1])) == "a hyperbola"
    assert named(np.diag([1, 4]), np.diag([9, 4])) == "a parabola or two lines"


def test_the_conic_turns_into_a_line_step_by_step():
    frames = [frame for frame in play(groups(), covariance="shared") if frame.phase == "assume"]
    bends = [np.abs(differences(frame.model, 2)).max() for frame in frames]
    assert len(bends) > 3
    assert bends == sorted(bends, reverse=True)
    assert bends[-1] < 1e-9 < bends[-2]


def test_drawn_all_the_way_to_a_circle_an_own_ellipse_is_spherical():
    data = groups()
    own, round_ = (
        fit("gaussian_classifier", data, **params).model for params in ({"shrinkage": 1.0}, {"covariance": "spherical"})
    )
    assert own.covariances == pytest.approx(round_.covariances)
    assert own.covariances[0] == pytest.approx(np.eye(2) * own.covariances[0, 0, 0])


def test_only_the_diagonal_is_left_when_features_are_independent():
    own, naive = (fit("gaussian_classifier", groups(), covariance=c).model for c in ("own", "diagonal"))
    assert naive.covariances == pytest.approx(own.covariances * np.eye(2))


# --- oracles ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("d", [1, 2, 5])
def test_the_joint_density_is_that_of_scipy(d):
    """With (2π)^d before the determinant; one slide prints 2π, which is right for d = 1 only."""
    data = groups(3, d)
    model = fit("gaussian_classifier", data).model
    for k in range(3):
        rows = data.X[data.y == k]
        density = multivariate_normal(rows.mean(axis=0), np.cov(rows.T, bias=True)).logpdf(data.X)
        assert log_joint(model, data.X)[k] == pytest.approx(np.log(len(rows) / data.n) + density)


ORACLES = {
    "own": ({}, QuadraticDiscriminantAnalysis()),
    "shared": ({}, LinearDiscriminantAnalysis(solver="lsqr")),
    "shared, shrunk": (
        {"covariance": "shared", "shrinkage": 0.3},
        LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.3),
    ),
    "diagonal": ({}, GaussianNB(var_smoothing=0.0)),
    "nearest mean": ({}, NearestCentroid()),
}


@pytest.mark.parametrize("name", ORACLES)
@pytest.mark.parametrize("classes", [2, 4])
def test_scikit_learn_says_the_same(name, classes):
    params, oracle = ORACLES[name]
    data = groups(classes, 3, n=200, seed=5)
    ours, theirs = fit("gaussian_classifier", data, **{"covariance": name, **params}), oracle.fit(data.X, data.y)
    queries = np.random.default_rng(1).normal(size=(300, 3)) * 3
    assert (ours.predict(queries) == theirs.predict(queries)).all()
    if name != "nearest mean":
        probability = theirs.predict_proba(queries)
        assert ours.field(queries) == pytest.approx(probability[:, 1] if classes == 2 else probability)


@given(seed=st.integers(0, 10_000), assumption=st.sampled_from(["own", "shared"]))
@settings(max_examples=20, deadline=None)
def test_other_units_of_the_features_change_nothing(seed, assumption):
    data = groups(3, 2, seed=seed)
    turn = np.random.default_rng(seed).normal(size=(2, 2)) + 2 * np.eye(2)
    moved = Points(data.X @ turn.T + 7.0, data.y)
    one, two = (fit("gaussian_classifier", points, covariance=assumption) for points in (data, moved))
    assert one.field(data.X) == pytest.approx(two.field(moved.X), abs=1e-6)


# --- counting in ------------------------------------------------------------------------------------------------------


def test_every_frame_has_the_moments_of_the_points_so_far():
    data = groups(2, 2, n=60)
    counted = []
    for frame in play(data):
        if frame.phase != "count":
            continue
        counted.append(frame.metrics["counted"])
        model = frame.model
        if (model.counts > 2).all():
            weights = mark(frame, Ellipses).weights
            assert weights == pytest.approx(model.counts / model.counts.sum())
    assert counted[:3] == [1, 2, 3]
    assert counted[-1] == 60
    assert model.means[1] == pytest.approx(data.X[data.y == 1].mean(axis=0))
    assert model.covariances[1] == pytest.approx(np.cov(data.X[data.y == 1].T, bias=True))


def test_halfway_the_covariance_is_that_of_the_points_counted_in():
    data = groups(3, 2, n=100)
    mean = data.X.mean(axis=0)
    queue = Queue.of(data.X.T, data.y, 3, mean)
    for moments, new in queue.counted_in(mean):
        points = queue.order[: new.stop]
        for k in np.flatnonzero(moments.counts):
            rows = data.X[points][data.y[points] == k]
            assert moments.counts[k] == len(rows)
            assert moments.means[k] == pytest.approx(rows.mean(axis=0))
            offset = rows - rows.mean(axis=0)
            assert moments.scatters[k] == pytest.approx(offset.T @ offset, abs=1e-9)


# --- Fisher's direction -----------------------------------------------------------------------------------------------


def test_between_two_classes_fishers_direction_is_the_normal_of_the_line():
    data = groups()
    model = fit("gaussian_classifier", data, covariance="shared").model
    normal = np.linalg.solve(model.covariances[0], model.means[1] - model.means[0])
    assert model.direction @ normal / np.linalg.norm(model.direction) / np.linalg.norm(normal) == pytest.approx(1.0)
    along = (data.X - model.means[data.y]) @ model.direction
    assert np.square(along).mean() == pytest.approx(1.0)


def test_no_other_direction_parts_the_classes_better():
    data = groups(4, 3, n=200)
    model = fit("gaussian_classifier", data).model
    means, overall = model.means, data.X.mean(axis=0)
    within = sum(np.cov(data.X[data.y == k].T, bias=True) * (data.y == k).sum() for k in range(4))
    between = (means - overall).T * np.bincount(data.y) @ (means - overall)

    def ratio(w):
        return (w @ between @ w) / (w @ within @ w)

    assert ratio(model.direction) == pytest.approx(model.ratio)
    assert max(ratio(w) for w in np.random.default_rng(0).normal(size=(500, 3))) <= model.ratio
    theirs = LinearDiscriminantAnalysis(solver="eigen").fit(data.X, data.y).scalings_[:, 0]
    assert abs(theirs @ model.direction) == pytest.approx(np.linalg.norm(theirs) * np.linalg.norm(model.direction))


def test_the_histograms_have_the_priors_as_areas_and_the_line_is_marked_on_them():
    data = groups(n=200)
    last = play(data, covariance="shared")[-1]
    for corners, prior in zip(mark(last, Polygons, "fisher").corners, last.model.priors):
        x, height = corners.T
        assert np.trapezoid(height, x) == pytest.approx(prior)
    at = mark(last, ReferenceLine, "fisher").at
    place = last.model.centre + at * last.model.direction / np.square(last.model.direction).sum()
    assert GAUSSIANS.field(last.model, place[None]) == pytest.approx([0.5])
    assert not [item for item in play(data)[-1].views["fisher"] if isinstance(item, ReferenceLine)]


# --- what can go wrong ------------------------------------------------------------------------------------------------


def test_one_class_leaves_nothing_to_decide():
    last = play(Points(np.arange(12.0).reshape(6, 2) ** 2, ["a"] * 6))[-1]
    assert "nothing to decide" in last.caption
    assert GAUSSIANS.predict(last.model, np.ones((3, 2))).tolist() == [0, 0, 0]


def test_a_class_of_one_point_borrows_the_ellipse_of_all():
    data = Points(np.concatenate([groups().X, [[9.0, 9.0]]]), [0] * 90 + [1])
    last = play(data)[-1]
    assert "(1)" in last.warning
    assert last.model.covariances[1] == pytest.approx(np.cov(data.X.T, bias=True))
    assert GAUSSIANS.predict(last.model, np.array([[9.0, 9.0]])).tolist() == [1]


def test_flat_classes_are_said_to_be_flat_and_shrinkage_helps():
    line = np.linspace(-1, 1, 12)
    data = Points(np.column_stack([line, 2 * line]), np.arange(12) % 2)
    assert "line" in play(data)[-1].warning
    assert play(data, shrinkage=0.1)[-1].warning == ""


@pytest.mark.parametrize("assumption", ASSUMPTIONS)
def test_64_classes_and_50_features(assumption):
    rng = np.random.default_rng(0)
    y = np.arange(256) % 64
    data = Points(20 * rng.normal(size=(64, 50))[y] + rng.normal(size=(256, 50)), y)
    assert (fit("gaussian_classifier", data, covariance=assumption).predict(data.X) == y).all()


def test_digits_have_constant_pixels_and_are_read_all_the_same():
    data = load_data("digits")
    ours = fit("gaussian_classifier", data, covariance="shared", shrinkage=0.1)
    assert (ours.predict(data.X) == data.y).mean() > 0.95


def test_points_without_classes_are_refused():
    with pytest.raises(DataError, match="needs a class for every point"):
        fit("gaussian_classifier", np.ones((4, 2)))


# --- answers ----------------------------------------------------------------------------------------------------------


def test_the_log_odds_of_a_point_are_the_sum_of_their_parts():
    data = groups()
    model = fit("gaussian_classifier", data).model
    found = GAUSSIANS.explain(model, data, data.item(5))
    odds = next(float(value) for name, value in found.items() if name.startswith("log-odds"))
    parts = [float(value) for name, value in found.items() if name.startswith("of it")]
    assert len(parts) == 3
    assert sum(parts) == pytest.approx(odds, abs=5e-3 * max(abs(odds), *map(abs, parts)))
    assert found["probability of 0"] + found["probability of 1"] == pytest.approx(1.0)


def test_new_points_have_the_moments_of_the_model():
    model = fit("gaussian_classifier", groups()).model
    drawn = GAUSSIANS.sample(model, 40_000, np.random.default_rng(0))
    for k in range(2):
        rows = drawn.X[drawn.y == k]
        assert len(rows) / drawn.n == pytest.approx(model.priors[k], abs=0.01)
        assert rows.mean(axis=0) == pytest.approx(model.means[k], abs=0.1)
        assert np.cov(rows.T) == pytest.approx(model.covariances[k], abs=0.25)
