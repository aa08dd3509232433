"""Logistic regression with a kernel: explicit features, the optimum's identities, SciPy and scikit-learn, by hand."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.datasets import load_iris, make_blobs, make_circles, make_moons
from sklearn.linear_model import LogisticRegression

from algorithms import fit
from algorithms._checks import cases
from algorithms.classification.logistic_regression import ALGORITHM
from algorithms.contract import Ended, Stop
from algorithms.data import DataError, Item, Points
from algorithms.interrupt import Interrupted, interruptible
from algorithms.marks import Bars, Highlight
from algorithms.maths.feature_space import FeatureSpace, PivotedSpace, Span, spanned
from algorithms.maths.kernels import Gaussian, Laplacian, Polynomial

KERNELS = {"polynomial": Polynomial(2), "Gaussian": Gaussian(0.6), "Laplacian": Laplacian(0.6)}


def play(X, y, start=None, **params):
    data = Points.of(X, y, "classes")
    return cases.play(ALGORITHM, data, ALGORITHM.make_params(params), start=start)


def moons(n=60, seed=0):
    return make_moons(n, noise=0.3, random_state=seed)


def squares(X):
    """The feature map whose scalar product is (1 + x·z)² (Introduction to Machine Learning §7)."""
    a, b = X.T
    root = np.sqrt(2.0)
    return np.column_stack([np.ones_like(a), root * a, root * b, a * a, b * b, root * a * b])


# --- by hand ----------------------------------------------------------------------------------------------------------


def test_one_step_of_gradient_descent_by_hand():
    """x = (0, 1), y = (0, 1), h = 1/2: grad_w = -φ(1)/4 + φ(0)/4, so α = η/4 (-1, 1); b stays 0 by symmetry."""
    frames, _ = play(
        np.array([[0.0], [1.0]]),
        [0, 1],
        kernel="Gaussian",
        width=1.0,
        solver="gradient descent",
        learning_rate=0.8,
        max_steps=1,
    )
    model = frames[1].model
    assert model.weights[0].tolist() == pytest.approx([-0.2, 0.2])
    assert model.intercepts[0] == pytest.approx(0.0, abs=1e-15)
    bell = np.exp(-0.5)
    assert model.log_odds(np.array([[1.0]]))[0, 0] == pytest.approx(0.2 * (1 - bell))
    assert frames[1].metrics["norm"] == pytest.approx(np.sqrt(2 * 0.04 * (1 - bell)))


def test_exclusive_or_needs_the_kernel():
    X, y = np.array([[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]]), [1, 1, 0, 0]
    assert np.mean(fit("logistic_regression", X, y, lam=0.1).predict(X) == y) < 1.0
    bent = fit("logistic_regression", X, y, lam=0.1, kernel="polynomial")
    assert bent.predict(X).tolist() == y
    # by symmetry f = c x1 x2 with α = ±a, and a = (1 - h) / λ with c = 8 a
    a = abs(bent.model.weights[0])
    assert a == pytest.approx(np.full(4, a[0]))
    assert a[0] == pytest.approx(10.0 / (1.0 + np.exp(8.0 * a[0])), rel=1e-6)


# --- identities -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", KERNELS)
def test_every_pull_is_the_error_of_the_point(name):
    """Where the gradient of J vanishes, λ α_i = v_i (y_i - h_i)."""
    X, y = moons()
    y = np.where(np.arange(60) % 3 == 0, 0, y)  # classes of different sizes, so that the weights matter
    found = fit("logistic_regression", X, y, kernel=name, width=0.6, lam=0.3, tol=1e-10, balance="re-weight")
    assert found.stop is Stop.CONVERGED
    counts = np.bincount(y)
    v = 30.0 / counts[y]
    np.testing.assert_allclose(0.3 * found.model.weights[0], v * (y - found.field(X)), atol=1e-7)


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("solver", ["newton", "gradient descent"])
def test_loss_and_norm_are_those_of_alpha(name, solver):
    X, y = moons()
    gram = KERNELS[name](X, X)
    frames, _ = play(X, y, kernel=name, width=0.6, lam=0.5, solver=solver, max_steps=5)
    for frame in frames:
        alpha, bias = frame.model.weights[0], frame.model.intercepts[0]
        f = gram @ alpha + bias
        np.testing.assert_allclose(frame.model.log_odds(X)[:, 0], f, atol=1e-9)
        square = alpha @ gram @ alpha
        assert frame.metrics["norm"] ** 2 == pytest.approx(square, abs=1e-7)
        assert frame.metrics["J"] == pytest.approx((np.logaddexp(0, f) - y * f).mean() + 0.25 / 60 * square)


def test_both_solvers_find_the_same_probabilities():
    X, y = moons(30)
    newton = fit("logistic_regression", X, y, kernel="Laplacian", lam=1.0, tol=1e-9)
    slow = fit(
        "logistic_regression",
        X,
        y,
        kernel="Laplacian",
        lam=1.0,
        solver="gradient descent",
        learning_rate=5.0,
        max_steps=20_000,
        tol=1e-7,
    )
    assert slow.stop is Stop.CONVERGED
    np.testing.assert_allclose(slow.field(X), newton.field(X), atol=1e-5)


# --- oracles ----------------------------------------------------------------------------------------------------------


def test_the_polynomial_kernel_is_logistic_regression_on_the_products():
    X, y = moons(120)
    ours = fit("logistic_regression", X, y, kernel="polynomial", degree=2, lam=0.5, tol=1e-10)
    theirs = LogisticRegression(C=2.0, tol=1e-10, max_iter=100_000).fit(squares(X), y)
    places = np.random.default_rng(0).uniform(-2, 2, size=(50, 2))
    np.testing.assert_allclose(ours.field(places), theirs.predict_proba(squares(places))[:, 1], atol=1e-5)
    assert ours.metrics["norm"][-1] == pytest.approx(np.linalg.norm(theirs.coef_), rel=1e-4)


def test_several_classes_on_the_products():
    X, y = load_iris(return_X_y=True)
    X = (X[:, :2] - X[:, :2].mean(axis=0)) / X[:, :2].std(axis=0)
    ours = fit("logistic_regression", X, y, kernel="polynomial", degree=2, lam=0.5, tol=1e-10)
    theirs = LogisticRegression(C=2.0, tol=1e-10, max_iter=100_000).fit(squares(X), y)
    np.testing.assert_allclose(ours.field(X), theirs.predict_proba(squares(X)), atol=1e-5)


@pytest.mark.parametrize("name", ["Gaussian", "Laplacian"])
def test_no_other_alpha_is_cheaper(name):
    X, y = moons(25)
    gram = KERNELS[name](X, X)

    def price(theta):
        f = gram @ theta[:-1] + theta[-1]
        slope = 1 / (1 + np.exp(-f)) - y
        loss = (np.logaddexp(0, f) - y * f).sum() + 0.2 * theta[:-1] @ gram @ theta[:-1]
        return loss / 25, np.append(gram @ (slope + 0.4 * theta[:-1]), slope.sum()) / 25

    best = minimize(price, np.zeros(26), jac=True, method="BFGS", options={"gtol": 1e-9, "maxiter": 5000})
    ours = fit("logistic_regression", X, y, kernel=name, width=0.6, lam=0.4, tol=1e-10)
    assert ours.metrics["J"][-1] == pytest.approx(best.fun, rel=1e-8)
    np.testing.assert_allclose(ours.model.log_odds(X)[:, 0], gram @ best.x[:-1] + best.x[-1], atol=1e-4)


# --- many points, going on, refusals ----------------------------------------------------------------------------------


def test_of_more_than_4000_points_landmarks_carry_the_sum_and_it_is_said():
    n = 4100
    X, y = make_circles(n, noise=0.1, factor=0.5, random_state=0)
    frames, stop = play(X, y, kernel="Gaussian", width=0.5, lam=0.1, landmarks=400)
    space = spanned(Gaussian(0.5), X, 400)
    assert frames[-1].model.space.members.tolist() == space.members.tolist()
    assert len(space.members) == 400
    assert (space.members[0], space.members[-1]) == (0, n - 1)
    assert set(np.diff(space.members)) <= {10, 11}
    assert "400 of the 4,100 points" in frames[0].caption
    assert all("400 landmarks carry it, not all 4,100 points" in frame.warning for frame in frames)
    assert stop is Stop.CONVERGED
    # the optimum among the w that the centres span: Φᵀ(h - y) + λ w = 0 there
    h = ALGORITHM.field(frames[-1].model, X)
    gradient = space.features(X).T @ (h - y) + 0.1 * space.weights(frames[-1].model.weights)[0]
    np.testing.assert_allclose(gradient, 0.0, atol=1e-2)
    assert frames[-1].metrics["accuracy"] > 0.98


@pytest.mark.parametrize(("n", "width", "classes"), [(1300, 0.02, 2), (1300, 1.0, 2), (1100, 1.0, 3)])
def test_every_pull_is_the_error_of_the_point_among_a_thousand_and_more(n, width, classes):
    """All points carry the sum: λ α_i = y_i - h_i, which no subset and no part of the axes fulfils."""
    X, y = make_blobs(n, centers=classes, cluster_std=2.0, random_state=0)
    found = fit("logistic_regression", X, y, kernel="Gaussian", width=width, lam=0.5, tol=1e-8)
    assert found.stop is Stop.CONVERGED
    assert not found.last.warning
    space, alpha = found.model.space, found.model.weights
    assert len(space.members) == n
    probabilities = found.field(X)
    errors = (y - probabilities)[:, None] if classes == 2 else np.eye(3)[y] - probabilities
    np.testing.assert_allclose(0.5 * alpha, errors.T, atol=1e-5)
    f = space.kernel(X[:50], X) @ alpha.T + found.model.intercepts
    np.testing.assert_allclose(found.model.log_odds(X[:50]), f, atol=1e-7)


@pytest.mark.parametrize("width", [0.05, 0.7])
def test_the_two_spaces_of_a_kernel_are_one(width):
    """Scalar products of features are the kernel, and weights are coefficients, with either set of axes."""
    rng = np.random.default_rng(0)
    X, new = rng.normal(size=(60, 2)), rng.normal(size=(9, 2))
    kernel = Gaussian(width)
    for space in (FeatureSpace.of(kernel, X, 100), PivotedSpace.of(kernel, X, 100)):
        np.testing.assert_allclose(space.features(X) @ space.features(X).T, kernel(X, X), atol=1e-8)
        np.testing.assert_allclose(space.features(new) @ space.features(X).T, kernel(new, X), atol=1e-4)
        weights = rng.normal(size=(2, space.rank)) @ np.diag(np.linspace(1, 0.1, space.rank))
        wanted = 1e-3 * rng.normal(size=(2, 60))
        for alpha in (space.alpha(weights), space.alpha(weights, wanted)):
            np.testing.assert_allclose(space.weights(alpha), weights, atol=1e-6)
            np.testing.assert_allclose(space.values(X, alpha), space.features(X) @ weights.T, atol=1e-5)


def test_several_classes_use_all_axes():
    """All points are centres, and λ α is the error of the points."""
    X, y = make_blobs(300, centers=3, cluster_std=2.0, random_state=0)
    found = fit("logistic_regression", X, y, kernel="Laplacian", lam=0.1, tol=1e-9)
    assert found.stop is Stop.CONVERGED
    assert (found.last.given.centres, found.last.given.dimensions) == (300, 300)
    errors = np.eye(3)[y] - found.field(X)
    np.testing.assert_allclose(0.1 * found.model.weights, errors.T, atol=1e-6)


def test_all_frames_share_one_space():
    frames, _ = play(*moons(), kernel="Gaussian", lam=0.1)
    assert all(frame.model.space is frames[0].model.space for frame in frames)
    assert type(frames[0].model.space) is Span  # no axes: models cross processes


def test_it_goes_on_in_the_same_space_only():
    X, y = moons()
    end = play(X, y, kernel="Gaussian", width=0.6, lam=0.1)[0][-1]
    same, _ = play(X, y, start=end.model, kernel="Gaussian", width=0.6, lam=0.1)
    assert same[0].metrics["J"] == pytest.approx(end.metrics["J"], rel=1e-9)
    assert "goes on" in same[0].caption
    for other in ({"kernel": "Gaussian", "width": 0.7}, {"kernel": "Laplacian", "width": 0.6}, {}):
        frames, _ = play(X, y, start=end.model, lam=0.1, **other)
        assert frames[0].metrics["J"] == pytest.approx(np.log(2))
    straight = play(X, y, lam=0.1)[0][-1].model
    frames, _ = play(X, y, start=straight, kernel="Gaussian", lam=0.1)
    assert frames[0].metrics["J"] == pytest.approx(np.log(2))


def test_without_a_penalty_a_bent_line_parts_everything():
    X, y = moons(40)
    frames, stop = play(X, y, kernel="Gaussian", width=0.2)
    assert Ended.of(stop).stop is Stop.LIMIT
    assert "classes are separable" in frames[-1].warning
    assert frames[-1].metrics["accuracy"] == 1.0


def test_a_long_preparation_can_be_called_off():
    X, y = moons()
    data = Points.of(X, y, "classes")
    run = ALGORITHM.start(data, ALGORITHM.make_params({"kernel": "Gaussian"}), 0)
    with interruptible(lambda: True), pytest.raises(Interrupted):
        next(run)


def test_too_large_features_are_refused():
    with pytest.raises(DataError, match="too large"):
        fit("logistic_regression", np.array([[1e30], [2e30]]), [0, 1], kernel="polynomial", degree=10)


# --- pictures and words -----------------------------------------------------------------------------------------------


def test_the_largest_alpha_are_shown_by_point():
    X, y = moons(100)
    frames, _ = play(X, y, kernel="Gaussian", width=0.5, lam=0.1)
    alpha = np.abs(frames[-1].model.weights[0])
    (bars,) = frames[-1].views["alphas"]
    assert isinstance(bars, Bars)
    assert len(bars.values) == 40
    assert set(bars.points.tolist()) == set(np.argsort(-alpha)[:40].tolist())
    assert bars.groups.tolist() == y[bars.points].tolist()
    assert (np.sign(bars.values) == np.where(bars.groups == 1, 1, -1)).all()
    ring = frames[-1].views["plane"][-1]
    assert isinstance(ring, Highlight)
    assert set(ring.points.tolist()) == set(np.argsort(-alpha)[:10].tolist())
    assert not any(isinstance(mark, Highlight) for mark in frames[0].views["plane"])


@pytest.mark.parametrize("classes", [2, 3])
def test_the_explanation_adds_up(classes):
    X, y = load_iris(return_X_y=True)
    X, y = X[y < classes], y[y < classes]
    data = Points.of(X, y, "classes")
    model = fit("logistic_regression", data, kernel="Gaussian", lam=0.5).model
    words = ALGORITHM.explain(model, data, data.item(7))
    terms = [value for name, value in words.items() if name.startswith(("α k of", "sum of"))]
    total = next(value for name, value in words.items() if name.startswith("f of"))
    assert sum(terms) + words["bias"] == pytest.approx(total)
    assert words["α of this point"] == pytest.approx(model.weights[0, 7])


def test_two_equal_rows_are_two_points_with_their_own_multipliers():
    """Rows 0 and 1 are equal but of different classes, so they pull in opposite directions."""
    data = Points(np.array([[0.0], [0.0], [1.0], [2.0]]), np.array([0, 1, 1, 0]))
    model = fit("logistic_regression", data, kernel="Gaussian", lam=0.5).model
    first, second = (ALGORITHM.explain(model, data, data.item(i))["α of this point"] for i in (0, 1))
    assert (first, second) == (model.weights[0, 0], model.weights[0, 1])
    assert first < 0 < second
    assert "α of this point" not in ALGORITHM.explain(model, data, Item(x=np.array([0.0])))
