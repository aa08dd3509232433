"""Kernel ridge regression (004 §7.1): by hand, its stationarity, ridge in the feature space, scikit-learn."""

import numpy as np
import pytest
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge

from algorithms import fit
from algorithms.contract import Stop
from algorithms.data import Points
from algorithms.maths.dictionaries import KERNELS, MOST_CENTRES, build_dictionary, column_count
from algorithms.maths.feature_space import FeatureSpace
from algorithms.maths.kernels import Gaussian, Laplacian, Polynomial, Product
from algorithms.regression.linear_regression import ALGORITHM

KEY = "linear_regression"
RIDGE = {"penalty": "ridge", "lam": 0.3, "intercept": "none", "sweep": False}


def waves(n=40, d=1, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, size=(n, d))
    return X, np.sin(2 * X[:, 0]) + 0.2 * rng.normal(size=n)


def gram_of(kind, X, degree, width=1.0):
    """The Gram matrix from the formulas as they are written."""
    if kind == "polynomial kernel":
        return (X @ X.T + 1.0) ** degree
    share = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    apart = share[:, None, :] - share[None, :, :]
    if kind == "laplacian kernel":
        return np.exp(-np.abs(apart).sum(axis=2) * degree / width)
    return np.exp(-0.5 * (apart**2).sum(axis=2) * (degree / width) ** 2)


def dual(model):
    """The a in f(x) = Σ a_i k(x_i, x)."""
    return model.dictionary.space.alpha(model.coefficients[None, :])[0]


def test_two_points_by_hand():
    """x = (0, 1), y = (1, 0), exp(-|x - z|), λ = 1: a solves [[2, c], [c, 2]] a = (1, 0) with c = e^-1."""
    params = {"dictionary": "laplacian kernel", "degree": 1, "penalty": "ridge", "lam": 1.0, "intercept": "none"}
    model = fit(KEY, np.array([[0.0], [1.0]]), [1.0, 0.0], **params).model
    c = np.exp(-1.0)
    assert dual(model).tolist() == pytest.approx([2 / (4 - c * c), -c / (4 - c * c)])


@pytest.mark.parametrize("kind", KERNELS)
@pytest.mark.parametrize("d", [1, 3])
def test_the_formula_and_its_stationarity(kind, d):
    """a = (K + nλI)⁻¹ y with the λ of 1/n|y - Ka|² + λ a'Ka; there K(λ' a - (y - Ka)) = 0 and |β|² = a'Ka."""
    X, y = waves(d=d)
    found = fit(KEY, X, y, dictionary=kind, degree=3, **RIDGE)
    gram = gram_of(kind, X, 3)
    textbook = np.linalg.solve(gram + 40 * (0.3 / 40) * np.eye(40), y)
    np.testing.assert_allclose(found.predict(X), gram @ textbook, atol=1e-7)
    a = dual(found.model)
    np.testing.assert_allclose(gram @ (0.3 * a - (y - gram @ a)), 0.0, atol=1e-6 * np.abs(gram).max())
    assert found.metrics["norm"][-1] ** 2 == pytest.approx(a @ gram @ a, rel=1e-6)
    residual = y - gram @ a
    assert found.metrics["objective"][-1] == pytest.approx(residual @ residual + 0.3 * a @ gram @ a, rel=1e-7)


@pytest.mark.parametrize("solver", ["QR", "normal equation", "pseudo-inverse"])
@pytest.mark.parametrize(
    ("kind", "theirs"),
    [
        ("gaussian kernel", {"kernel": "rbf", "gamma": 0.5 * 8.0**2}),
        ("laplacian kernel", {"kernel": "laplacian", "gamma": 8.0}),
        ("polynomial kernel", {"kernel": "poly", "degree": 4, "gamma": 1.0, "coef0": 1.0}),
    ],
)
def test_agrees_with_scikit_learn(kind, theirs, solver):
    X, y = waves()
    X = (X - X.min()) / np.ptp(X)
    ours = fit(KEY, X, y, dictionary=kind, degree=4, width=0.5, solver=solver, **RIDGE)
    expected = KernelRidge(alpha=0.3, **theirs).fit(X, y)
    places = np.linspace(-0.2, 1.2, 60)[:, None]
    np.testing.assert_allclose(ours.predict(places), expected.predict(places), atol=1e-6)


def test_the_polynomial_kernel_is_ridge_over_the_products():
    """φ = [1, √2 x1, √2 x2, x1², x2², √2 x1 x2]; with a free intercept the constant in it has nothing to do."""
    X, y = waves(50, d=2)
    a, b = X.T
    root = np.sqrt(2.0)
    phi = np.column_stack([root * a, root * b, a * a, b * b, root * a * b])
    theirs = Ridge(alpha=0.3).fit(phi, y)
    ours = fit(KEY, X, y, dictionary="polynomial kernel", degree=2, **RIDGE | {"intercept": "free"})
    np.testing.assert_allclose(ours.predict(X), theirs.predict(phi), atol=1e-8)
    assert ours.metrics["norm"][-1] == pytest.approx(np.linalg.norm(theirs.coef_), rel=1e-6)


def test_a_narrow_kernel_without_a_penalty_passes_through_every_point():
    X, y = waves(15)
    found = fit(KEY, X, y, dictionary="laplacian kernel", degree=10, sweep=False)
    np.testing.assert_allclose(found.predict(X), y, atol=1e-9)


def test_held_out_errors_are_those_of_kernel_ridge_on_the_rest():
    """The axes are of all points, but a fold's fit stays in the span of its own: the representer theorem."""
    X, y = waves()
    data = Points.of(X, y, "values")
    params = ALGORITHM.make_params({"dictionary": "gaussian kernel", "degree": 4, **RIDGE, "sweep": True, "folds": 4})
    frames = list(ALGORITHM.start(data, params, 5))
    caption = next(frame.caption for frame in frames if frame.caption.startswith("Degree 4:"))
    parts = np.array_split(np.random.default_rng(5).permutation(40), 4)
    gram = gram_of("gaussian kernel", X, 4)
    errors = []
    for part in parts:
        rest = np.setdiff1d(np.arange(40), part)
        a = np.linalg.solve(gram[np.ix_(rest, rest)] + 0.3 * np.eye(len(rest)), y[rest])
        errors.append(np.mean((y[part] - gram[np.ix_(part, rest)] @ a) ** 2))
    assert f"{np.mean(errors):.3g} held out" in caption


def test_of_many_points_some_are_centres():
    X, y = waves(3 * MOST_CENTRES)
    found = fit(KEY, X, y, dictionary="laplacian kernel", degree=4, **RIDGE)
    space = found.model.dictionary.space
    assert found.stop is Stop.COMPLETE
    assert len(space.members) == MOST_CENTRES
    gram = gram_of("laplacian kernel", X, 4)
    seen, own = gram[:, space.members], gram[np.ix_(space.members, space.members)]
    a = np.linalg.solve(seen.T @ seen + 0.3 * own, seen.T @ y)  # the least |y - K_nc a|² + λ a'K_cc a
    np.testing.assert_allclose(found.predict(X), seen @ a, atol=1e-4)  # axes of a millionth of the longest are dropped
    run = ALGORITHM.start(Points.of(X, y, "values"), ALGORITHM.make_params({"dictionary": "laplacian kernel"}), 0)
    assert f"that {MOST_CENTRES} points span" in next(run).caption


def test_a_kernel_of_degree_0_has_no_functions():
    for kind in KERNELS:
        dictionary = build_dictionary(kind, 0, np.arange(5.0)[:, None], ("x",))[0]
        assert dictionary.columns(np.zeros((3, 1))).shape == (3, 0)
        assert dictionary.names == ()
        assert column_count(kind, 0, 1) == 0


def test_there_are_never_more_functions_than_announced():
    for kind in KERNELS:
        for d, degree in ((1, 3), (2, 2), (3, 5)):
            X = np.random.default_rng(0).normal(size=(200, d))
            assert len(build_dictionary(kind, degree, X, tuple("abc"[:d]))[0].names) <= column_count(kind, degree, d)


@pytest.mark.parametrize("columns", ["as they are", "standardised"])
def test_the_explanation_is_a_sum_over_the_points(columns):
    X, y = waves(30)
    data = Points.of(X, y, "values")
    model = fit(KEY, data, dictionary="laplacian kernel", degree=3, penalty="ridge", columns=columns, sweep=False).model
    words = ALGORITHM.explain(model, data, data.item(4))
    terms = [value for name, value in words.items() if "k of point" in name or "smaller terms" in name]
    assert len(terms) == 9
    assert sum(terms) + words["intercept"] == pytest.approx(ALGORITHM.predict(model, X[4:5])[0])
    assert words["prediction"] == pytest.approx(ALGORITHM.predict(model, X[4:5])[0])


# --- the feature space itself -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kernel", [Polynomial(2), Gaussian(0.7), Laplacian(0.5), Product(Polynomial(1), Gaussian(1.0))], ids=repr
)
def test_the_coordinates_reproduce_the_kernel(kernel):
    X = np.random.default_rng(1).normal(size=(25, 2))
    space = FeatureSpace.of(kernel, X, 100)
    features = space.features(X)
    gram = kernel(X, X)
    np.testing.assert_allclose(features @ features.T, gram, atol=1e-8 * np.abs(gram).max())
    weights = np.random.default_rng(2).normal(size=(3, len(space.eigenvalues)))
    alpha = space.alpha(weights)
    np.testing.assert_allclose(space.weights(alpha), weights, atol=1e-7)
    np.testing.assert_allclose(space.values(X, alpha), features @ weights.T, atol=1e-7)


def test_the_polynomial_of_degree_two_spans_six_dimensions():
    X = np.random.default_rng(1).normal(size=(25, 2))
    space = FeatureSpace.of(Polynomial(2), X, 100)
    assert len(space.eigenvalues) == 6
    wanted = np.random.default_rng(3).normal(size=(1, 25))
    near = space.alpha(np.zeros((1, 6)), wanted)
    assert np.linalg.norm(near) > 1.0
    np.testing.assert_allclose(space.values(X, near), 0.0, atol=1e-8)  # another α, the same f
    assert np.linalg.norm(wanted - near) < np.linalg.norm(wanted)
