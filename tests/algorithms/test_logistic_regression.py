"""Logistic regression: hand-worked answers, identities of the optimum, finite differences, scikit-learn and SciPy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.datasets import load_iris, make_blobs
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

from algorithms import fit
from algorithms._checks import cases
from algorithms.classification.logistic_regression import ALGORITHM, solver
from algorithms.classification.logistic_regression.solver import Likelihood, probabilities, solve_flat
from algorithms.classification.logistic_regression.solver.curvature import solve_by_products
from algorithms.contract import Ended, Stop
from algorithms.data import DataError, Points
from algorithms.marks import Bars, Isolines, Regions, Scatter

DESCENT = "gradient descent"


def play(X, y, start=None, **params):
    data = Points.of(X, y, "classes")
    return cases.play(ALGORITHM, data, ALGORITHM.make_params(params), start=start)


def overlapping(n=120, classes=2, seed=0, d=2):
    X, y = make_blobs(n, d, centers=classes, cluster_std=3.5, random_state=seed, center_box=(-4, 4))
    return X, y


# --- by hand ----------------------------------------------------------------------------------------------------------


def test_one_newton_step_by_hand():
    """x = (-1, 0, 0, 1), y = (0, 1, 0, 1): at 0 all h = 1/2, W = 1/4; X'WX = diag(1/2, 1), X'(y - h) = (1, 0)."""
    frames, _ = play(np.array([[-1.0], [0.0], [0.0], [1.0]]), [0, 1, 0, 1])
    first = frames[1].model
    assert first.weights[0, 0] == pytest.approx(2.0)
    assert first.intercepts[0] == pytest.approx(0.0, abs=1e-15)


def test_one_step_of_gradient_descent_by_hand():
    """J has the mean loss: grad = 1/n X'(h - y) = (-(2 + 0)/2 / 2, ...): x = (1, 3), y = (0, 1)."""
    frames, _ = play(np.array([[1.0], [3.0]]), [0, 1], solver=DESCENT, learning_rate=0.4, max_steps=1)
    model = frames[1].model
    assert model.weights[0, 0] == pytest.approx(0.4 * (3 * 0.5 - 1 * 0.5) / 2)
    assert model.intercepts[0] == pytest.approx(0.0)
    assert frames[0].metrics["J"] == pytest.approx(np.log(2))


def test_one_binary_feature_has_log_odds_in_closed_form():
    """One 0/1 feature: b is the log-odds where it is 0 (1 to 3), and w the log of the odds ratio (2:2 against 1:3)."""
    x = np.array([0, 0, 0, 0, 1, 1, 1, 1], dtype=float)
    y = [1, 0, 0, 0, 1, 1, 0, 0]
    model = fit("logistic_regression", x[:, None], y, tol=1e-12).model
    assert model.intercepts[0] == pytest.approx(np.log(1 / 3))
    assert model.weights[0, 0] == pytest.approx(np.log(3))


def test_balanced_symmetric_data_has_its_boundary_in_the_middle():
    x = np.array([0.0, 1.0, 3.0, 2.0, 4.0, 5.0])
    result = fit("logistic_regression", x[:, None], [0, 0, 0, 1, 1, 1], tol=1e-10)
    assert -result.model.intercepts[0] / result.model.weights[0, 0] == pytest.approx(2.5)
    assert result.field([[2.5]])[0] == pytest.approx(0.5)


def test_without_an_intercept_the_boundary_passes_the_origin():
    X, y = overlapping()
    model = fit("logistic_regression", X, y, intercept=False).model
    assert model.intercepts.tolist() == [0.0]
    expected = LogisticRegression(C=np.inf, fit_intercept=False, tol=1e-10, max_iter=10_000).fit(X, y)
    assert np.allclose(model.weights, expected.coef_, rtol=1e-4)


# --- identities -------------------------------------------------------------------------------------------------------


@given(st.lists(st.floats(-50, 50), min_size=1, max_size=20))
def test_sigmoid_and_softmax_of_two_agree(values):
    """h(-z) = 1 - h(z) = e^-z h(z) (the notes print e^-z / h), and softmax(f1, f2) = sigmoid(f1 - f2)."""
    z = np.array(values)[:, None]
    h = probabilities(z)
    assert np.allclose(probabilities(-z), 1 - h, atol=1e-15)
    assert np.allclose(np.exp(-z) * h, probabilities(-z), rtol=1e-12)
    pair = np.hstack([z, np.zeros_like(z)])
    assert np.allclose(probabilities(pair)[:, :1], h)
    assert np.allclose(probabilities(pair + 7.0), probabilities(pair))
    assert np.allclose(probabilities(pair).sum(axis=1), 1.0)


@given(st.floats(-30, 30), st.sampled_from([-1.0, 1.0]))
def test_the_loss_is_the_corrected_surrogate_and_bounds_the_errors(f, sign):
    """N10, N11: log(1 + e^-yf) with gradient -y / (1 + e^yf); in bits it is never below the 0-1 loss."""
    like = Likelihood.of(np.array([[1.0], [-1.0]]), np.array([1, 0]), 1, 0.0, False)
    place = like.at(np.array([[f * sign]]))
    assert place.loss == pytest.approx(np.logaddexp(0.0, -f * sign))
    assert place.gradient[0, 0] == pytest.approx(-1.0 / (1.0 + np.exp(f * sign)))
    assert place.loss / np.log(2) >= float(f * sign <= 0) - 1e-12


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("lam", [0.0, 3.0])
def test_gradient_and_hessian_by_finite_differences(classes, lam):
    X, y = overlapping(40, classes)
    like = Likelihood.of(X, y, 1 if classes == 2 else classes, lam, True)
    rng = np.random.default_rng(1)
    theta = rng.normal(size=(3, like.k))
    place, size = like.at(theta), 1e-5
    H = like.hessian(place)
    for j in range(3):
        for k in range(like.k):
            move = np.zeros_like(theta)
            move[j, k] = size
            high, low = like.at(theta + move), like.at(theta - move)
            assert (high.loss - low.loss) / (2 * size) == pytest.approx(place.gradient[j, k], abs=1e-8)
            slope = (high.gradient - low.gradient) / (2 * size)
            assert np.allclose(slope.T.ravel(), H[:, k * 3 + j], atol=1e-7)


@pytest.mark.parametrize("classes", [2, 3])
def test_at_the_optimum_the_probabilities_sum_to_the_counts(classes):
    """L4.1: X'(y - h) = 0, so with an intercept the h of every class sum to its number of points."""
    X, y = overlapping(100, classes, seed=3)
    result = fit("logistic_regression", X, y, tol=1e-10)
    h = result.field(X)
    assert result.stop is Stop.CONVERGED
    if classes == 2:
        assert h.sum() == pytest.approx(y.sum())
        assert np.allclose(X.T @ (y - h), 0.0, atol=1e-7)
    else:
        assert np.allclose(h.sum(axis=0), np.bincount(y))
        assert np.allclose(X.T @ (np.eye(3)[y] - h), 0.0, atol=1e-7)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([2, 3]), st.sampled_from([0.0, 0.1, 10.0]))
def test_newton_never_raises_the_loss(seed, classes, lam):
    rng = np.random.default_rng(seed)
    X, y = rng.standard_cauchy((30, 2)), np.arange(30) % classes
    frames, stop = play(X, y, lam=lam)
    J = np.array([frame.metrics["J"] for frame in frames])
    assert (np.diff(J) <= 1e-10).all()
    assert stop in (Stop.CONVERGED, Stop.LIMIT)


def test_small_rates_never_raise_the_loss_and_large_ones_are_told():
    X, y = overlapping()
    frames, _ = play(X, y, solver=DESCENT, learning_rate=0.01, max_steps=300)
    assert (np.diff([frame.metrics["J"] for frame in frames]) <= 1e-12).all()
    assert not any(frame.warning for frame in frames)
    wild, _ = play(X, y, solver=DESCENT, learning_rate=50.0, max_steps=30)
    assert any(frame.warning.startswith("J rose") for frame in wild)


def test_the_safe_rate_is_safe_on_the_hardest_place():
    """At w = 0 the curvature of the sigmoid is largest: above 2/L the quadratic must rise, below it must fall."""
    X, y = overlapping()
    like = Likelihood.of(X, y, 1, 0.0, True)
    design = np.column_stack([X, np.ones(len(X))])
    curvature = np.linalg.eigvalsh(design.T @ design / (4 * len(X)))[-1]
    assert like.safe_rate() == pytest.approx(2 / curvature)


def test_ridge_beyond_all_bounds_makes_descent_diverge_and_says_so():
    X, y = overlapping()
    frames, stop = play(X, y, solver=DESCENT, lam=1e4, learning_rate=1000.0, max_steps=500)
    assert stop is Stop.DIVERGED
    assert "η" in frames[-1].warning
    assert np.isfinite(frames[-1].model.weights).all()


@pytest.mark.parametrize("classes", [2, 3])
def test_both_solvers_end_at_the_same_place(classes):
    X, y = overlapping(60, classes, seed=5)
    newton = fit("logistic_regression", X, y, lam=1.0, tol=1e-10)
    descent = fit("logistic_regression", X, y, lam=1.0, solver=DESCENT, learning_rate=0.1, tol=1e-7, max_steps=50_000)
    assert newton.stop is descent.stop is Stop.CONVERGED
    assert newton.steps < 15
    assert np.allclose(newton.model.weights, descent.model.weights, atol=1e-4)
    assert np.allclose(newton.model.intercepts, descent.model.intercepts, atol=1e-4)


def test_newton_does_not_care_about_units():
    X, y = overlapping(80)
    base = fit("logistic_regression", X, y, tol=1e-10)
    far = fit("logistic_regression", X * [1e6, 1e-6] + [1e4, 5.0], y, tol=1e-10)
    assert base.steps == far.steps
    assert np.allclose(far.field(X * [1e6, 1e-6] + [1e4, 5.0]), base.field(X), atol=1e-6)


# --- oracles ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lam", [0.0, 0.5, 20.0])
@pytest.mark.parametrize("classes", [2, 3, 5])
def test_scikit_learn_agrees(classes, lam):
    X, y = overlapping(200, classes, seed=classes, d=3)
    ours = fit("logistic_regression", X, y, lam=lam, tol=1e-11)
    theirs = LogisticRegression(C=1 / lam if lam else np.inf, solver="newton-cg", tol=1e-10, max_iter=1000).fit(X, y)
    chances = theirs.predict_proba(X)
    assert np.allclose(ours.field(X), chances[:, 1] if classes == 2 else chances, atol=1e-5)
    assert np.array_equal(ours.predict(X), theirs.predict(X))
    if lam:
        assert np.allclose(ours.model.weights, theirs.coef_, atol=1e-5)


def test_iris_with_ridge_agrees_with_a_general_minimiser():
    X, y = load_iris(return_X_y=True)
    ours = fit("logistic_regression", X, y, lam=1.0, tol=1e-11)

    def objective(flat):
        W, b = flat[:12].reshape(3, 4), flat[12:]
        f = X @ W.T + b
        return np.sum(np.logaddexp.reduce(f, axis=1) - f[np.arange(150), y]) + 0.5 * np.sum(W**2)

    best = minimize(objective, np.zeros(15), method="BFGS", options={"gtol": 1e-6})
    assert ours.metrics["J"][-1] * 150 == pytest.approx(best.fun, abs=1e-6)
    assert np.allclose(ours.model.weights, best.x[:12].reshape(3, 4), atol=1e-3)
    assert np.allclose(ours.model.weights.sum(axis=0), 0.0, atol=1e-9)


def test_flat_directions_get_the_shortest_solution():
    H = np.diag([2.0, 0.0, 1.0])
    assert np.allclose(solve_flat(H, np.array([4.0, 0.0, 3.0]), 1), [2.0, 0.0, 3.0])
    X, y = overlapping(50)
    doubled = fit("logistic_regression", np.column_stack([X[:, :1], X[:, :1]]), y)
    single = fit("logistic_regression", X[:, :1], y)
    assert np.allclose(doubled.model.weights, single.model.weights / 2)


# --- separable data ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("classes", [2, 3])
def test_separable_classes_are_never_called_converged(classes):
    X, y = make_blobs(60, centers=classes, cluster_std=0.3, random_state=4, center_box=(-6, 6))
    frames, stop = play(X, y)
    assert stop == Ended(Stop.LIMIT, "separable: |w| grows for ever")
    norms = np.array([frame.metrics["norm"] for frame in frames])
    assert (np.diff(norms[:-1]) > 0).all()
    assert "classes are separable" in frames[-1].warning
    assert "still growing" in frames[-1].caption
    assert frames[-1].metrics["accuracy"] == 1.0
    tamed, stop = play(X, y, lam=1.0)
    assert stop is Stop.CONVERGED
    assert not tamed[-1].warning


def test_quasi_separated_classes_are_not_called_converged():
    """Points of both classes lie on the boundary itself, so no plane is without error, and still w grows."""
    X = np.array([[0.0], [0.0], [-1.0], [-2.0], [1.0], [2.0]])
    frames, stop = play(X, [0, 1, 0, 0, 1, 1])
    assert stop == Ended(Stop.LIMIT, "partly separable: a part of w grows for ever")
    assert "separable" in frames[-1].warning
    assert frames[-1].metrics["norm"] > 15.0


def test_descent_turns_towards_the_widest_margin():
    """N12: without a bias term the cosine to the hard-margin direction does not fall on a logarithmic grid."""
    sign = np.array([1.0, -1.0] * 10)
    right = np.array([[1.0, 0.1]] * 4 + [[0.2, 3.0]] * 16)  # many points pull away from the widest margin
    X = sign[:, None] * right
    margin = minimize(
        lambda w: 0.5 * w @ w,
        np.array([2.0, 2.0]),
        jac=lambda w: w,
        constraints={"type": "ineq", "fun": lambda w: sign * (X @ w) - 1.0, "jac": lambda w: sign[:, None] * X},
        method="SLSQP",
    ).x
    frames, _ = play(X, (sign > 0).astype(int), solver=DESCENT, learning_rate=0.5, max_steps=2000, intercept=False)
    cosines = []
    for step in (10, 100, 500, 2000):
        w = frames[step].model.weights[0]
        cosines.append(w @ margin / np.linalg.norm(w) / np.linalg.norm(margin))
    assert (np.diff(cosines) > 0).all()
    assert cosines[0] < 0.9 < 0.95 < cosines[-1] < 1.0


# --- classes, frames, going on ----------------------------------------------------------------------------------------


def test_argmax_regions_are_convex():
    """S31: the midpoint of two points of a class belongs to it."""
    X, y = overlapping(90, 4, seed=2)
    result = fit("logistic_regression", X, y)
    rng = np.random.default_rng(0)
    A, B = rng.uniform(-10, 10, (2, 500, 2))
    same = result.predict(A) == result.predict(B)
    assert same.sum() > 50
    assert np.array_equal(result.predict((A + B)[same] / 2), result.predict(A[same]))


def test_a_class_without_points_has_no_chance():
    X, y = overlapping(40)
    data = Points(X, 2 * y, classes=("a", "b", "c"))
    result = fit("logistic_regression", data)
    chances = result.field(X)
    assert chances.shape == (40, 3)
    assert (chances[:, 1] == 0.0).all()
    assert set(result.predict(X)) == {0, 2}
    plain = fit("logistic_regression", X, y)
    assert np.allclose(chances[:, 2], plain.field(X), atol=1e-6)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (Points(np.zeros((3, 2)), [0, 0, 0], classes=("a", "b")), "at least two classes"),
        (Points(np.zeros((3, 2))), "needs a class"),
    ],
)
def test_unusable_data_are_refused_with_a_sentence(data, words):
    with pytest.raises(DataError, match=words):
        fit("logistic_regression", data)


def test_frames_show_probability_sigmoid_and_coefficients():
    X, y = overlapping(50)
    frames, _ = play(X, y)
    views = frames[-1].views
    regions, lines = views["plane"]
    assert isinstance(regions, Regions)
    assert regions.kind == "probability"
    assert isinstance(lines, Isolines)
    assert lines.strong == (0.5,)
    curve, dots = views["curve"]
    assert isinstance(dots, Scatter)
    assert np.allclose(dots.at[:, 0], frames[-1].model.log_odds(X)[:, 0])
    assert np.array_equal(dots.at[:, 1], y)
    assert np.allclose(curve.y, 1 / (1 + np.exp(-curve.x)))
    (bars,) = views["coefficients"]
    assert isinstance(bars, Bars)
    assert bars.names == ("x1", "x2", "bias")
    assert np.allclose(bars.values, [*frames[-1].model.weights[0], frames[-1].model.intercepts[0]])


def test_a_changed_rate_goes_on_from_the_model():
    X, y = overlapping()
    half, _ = play(X, y, solver=DESCENT, max_steps=20)
    rest, _ = play(X, y, start=half[-1].model, solver=DESCENT, max_steps=20)
    whole, _ = play(X, y, solver=DESCENT, max_steps=40)
    assert np.allclose(rest[-1].model.weights, whole[-1].model.weights, rtol=1e-9)


def test_explanation_adds_up():
    X, y = overlapping()
    result = fit("logistic_regression", X, y)
    reasons = result.explain(X[0])
    total = reasons["bias"] + reasons["w · x1"] + reasons["w · x2"]
    assert reasons["f of 1"] == pytest.approx(total)
    assert reasons["P(1)"] == pytest.approx(1 / (1 + np.exp(-total)))
    assert reasons["P(0)"] + reasons["P(1)"] == pytest.approx(1.0)


def test_gradient_descent_turns_towards_the_widest_margin_ever_more_slowly():
    """Implicit bias: the cosine to the hard-margin machine never falls on a logarithmic grid, and is not 1 soon."""
    near, far = [[1.0, 0.0]], [[4.0, 9.0], [5.0, 10.0], [6.0, 8.0], [4.0, 11.0]]
    X = np.array([*near, *far])
    data = Points(np.vstack([X, -X]), [1] * 5 + [0] * 5)
    frames = list(run_of(data, solver="gradient descent", intercept=False, learning_rate=0.05, max_steps=3000))
    path = frames[-1].model.turning
    machine = SVC(kernel="linear", C=1e8).fit(data.X, data.y)  # through the origin, because the data are
    direction = machine.coef_[0] / np.linalg.norm(machine.coef_[0])
    weights = frames[-1].model.weights[0]
    assert path[-1, 2] == pytest.approx(weights @ direction / np.linalg.norm(weights), abs=1e-3)
    late = path[path[:, 0] >= 100]
    assert (np.diff(late[:, 2]) >= -1e-9).all()
    assert path[0, 2] < 0.6
    assert 0.8 < path[-1, 2] < 1.0 - 1e-7
    assert (np.diff(path[:, 0]) > 0).all()
    assert len(path) < 100
    assert path[-1, 1] <= 1.0 + 1e-9


def test_gradient_descent_does_not_stop_early_on_separated_classes():
    data = Points([[-3.0, 0.0], [-2.0, 1.0], [2.0, 0.0], [3.0, 1.0]], [0, 0, 1, 1])
    fitted = fit("logistic_regression", data, solver="gradient descent", learning_rate=100.0, max_steps=500)
    assert fitted.steps == 501  # and the conclusion
    assert "cosine to the direction of the widest margin" in fitted.last.caption


def test_classes_that_overlap_have_no_widest_margin():
    data = Points([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1])
    model = fit("logistic_regression", data, solver="gradient descent", max_steps=50).model
    assert model.turning.shape[1] == 2
    assert (model.turning[:, 1] < 0.0).all()


def run_of(data, **params):
    return ALGORITHM.start(data, ALGORITHM.make_params(params), 0)


def test_a_probability_does_not_depend_on_how_many_are_asked_for():
    X, y = make_blobs(n_samples=1500, centers=2, cluster_std=4.0, random_state=1)
    found = fit("logistic_regression", X, y)
    parts = np.concatenate([found.field(X[:900]), found.field(X[900:])])
    np.testing.assert_allclose(found.field(X), parts, rtol=1e-12)


def test_the_field_of_two_classes_is_the_probability_of_the_run_but_for_the_last_digit():
    X, y = make_blobs(200, centers=2, cluster_std=4.0, random_state=1)
    for params in ({"lam": 1.0}, {"lam": 1.0, "kernel": "Gaussian", "width": 3.0}):
        found = fit("logistic_regression", X, y, **params)
        expected = probabilities(found.model.log_odds(X))[:, 0]
        np.testing.assert_array_max_ulp(found.field(X), expected, maxulp=2)
        assert np.array_equal(found.field(X) > 0.5, found.predict(X) == 1)


def test_conjugate_gradients_find_the_shortest_solution_too():
    roots = np.random.default_rng(0).normal(size=(9, 4))
    H, g = roots @ roots.T, roots @ np.arange(1.0, 5.0)
    np.testing.assert_allclose(solve_by_products(lambda x: H @ x, g), solve_flat(H, g, 1), rtol=1e-8)
    assert not solve_by_products(lambda x: H @ x, np.zeros(9)).any()


@pytest.mark.parametrize("classes", [2, 3])
def test_the_steps_are_the_same_when_the_matrix_is_not_written_down(classes, monkeypatch):
    X, y = overlapping(classes=classes)
    frames = play(X, y, lam=0.5)[0]
    monkeypatch.setattr(solver, "MOST_DIRECT", 0)
    others = play(X, y, lam=0.5)[0]
    assert len(frames) == len(others)
    for one, two in zip(frames, others, strict=True):
        np.testing.assert_allclose(one.model.weights, two.model.weights, rtol=1e-5, atol=1e-7)


def test_a_thousand_features_of_three_classes_have_no_matrix(monkeypatch):
    """Found by a hunt: its eigenvalues took five seconds at every step."""
    monkeypatch.setattr(Likelihood, "hessian", None)
    X = np.random.default_rng(0).normal(size=(6, 400))
    assert play(X, np.arange(6) % 3, max_steps=3)[0][-1].metrics["accuracy"] == 1.0


# --- a run of somebody else -------------------------------------------------------------------------------------------


def own_descent(data, rate=0.05, steps=6):
    """Gradient descent on the mean loss as a student writes it."""
    w, b = np.zeros(data.d), 0.0
    yield w, b
    for _ in range(steps):
        error = expit(data.X @ w + b) - data.y
        w, b = w - rate * data.X.T @ error / data.n, b - rate * error.mean()
        yield w, b


def test_a_foreign_descent_is_shown_as_our_own():
    data = Points.of(*overlapping(60), "classes")
    params = ALGORITHM.make_params({"solver": DESCENT, "learning_rate": 0.05, "max_steps": 6})
    theirs = list(ALGORITHM.shows(own_descent(data), data, params))
    ours = list(ALGORITHM.start(data, params, 0))[:-1]
    assert len(theirs) == len(ours) == 7
    for one, two in zip(theirs, ours, strict=True):
        assert one.caption == two.caption
        assert one.metrics["J"] == pytest.approx(two.metrics["J"], rel=1e-12)
    assert theirs[-1].views["curve"]
    rising = list(ALGORITHM.shows(own_descent(data, rate=500.0), data, params))
    assert any("J rose from" in frame.warning for frame in rising)


def test_a_foreign_run_of_the_wrong_shape_is_a_sentence_with_the_step():
    data = Points.of(*overlapping(60), "classes")
    steps = iter([(np.zeros(2), 0.0), (np.zeros((2, 2)), 0.0)])
    with pytest.raises(DataError, match=r"Step 1 has to give w \(2,\) and b \(\)"):
        list(ALGORITHM.shows(steps, data, ALGORITHM.make_params({})))
