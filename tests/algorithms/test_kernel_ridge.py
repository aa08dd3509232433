"""Kernel ridge regression: by hand, its stationarity, leaving out, ridge, scikit-learn."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge

import algorithms
from algorithms import Stop, find, fit
from algorithms.data import Points
from algorithms.marks import Bars, Bundle, Curve, ReferenceLine, Table
from algorithms.maths.cross_validation import Folds
from algorithms.maths.dictionaries import KERNELS, build_dictionary, column_count
from algorithms.maths.feature_space import FeatureSpace, kernel_times
from algorithms.maths.kernel_spectrum import solution_of, spectrum_of, width_grid
from algorithms.maths.kernels import Gaussian, Laplacian, Polynomial, Product
from algorithms.maths.landmarks import landmark_count
from algorithms.maths.linear_model import Band
from algorithms.maths.losses import Loss
from algorithms.maths.penalties import Penalty
from mlviz.data.builtin import load_builtin
from tests.oracles import fit_and_errors

KEY = "kernel_ridge"
ALGORITHM = find(KEY)
CASES = {
    "rbf": {"kernel": "rbf", "sigma": 0.7},
    "laplacian": {"kernel": "laplacian", "sigma": 0.7},
    "polynomial": {"kernel": "polynomial", "degree": 3},
    "linear": {"kernel": "linear"},
}


def waves(n=40, d=1, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, size=(n, d))
    return X, np.sin(2 * X[:, 0]) + 0.2 * rng.normal(size=n)


def gram_of(name, X, Z=None):
    """The Gram matrix from the formulas as they are written, with the parameters of CASES."""
    Z = X if Z is None else Z
    if name == "linear":
        return X @ Z.T
    if name == "polynomial":
        return (X @ Z.T + 1.0) ** 3
    apart = X[:, None, :] - Z[None, :, :]
    if name == "laplacian":
        return np.exp(-np.abs(apart).sum(axis=2) / 0.7)
    return np.exp(-0.5 * (apart**2).sum(axis=2) / 0.7**2)


def frames_of(X, y, start=None, **params):
    return list(ALGORITHM.start(Points(X, y), ALGORITHM.make_params(params), 0, start))


# --- the solution ----------------------------------------------------------------------------------------------------


def test_two_points_by_hand():
    """x = (0, 1), y = (1, 0), exp(-|x - z|), λ = 1: α solves [[2, c], [c, 2]] α = (1, 0) with c = e^-1.

    Without the first point the other one alone predicts 0 there, and without the second c/2: the errors 1 and -c/2.
    """
    model = fit(KEY, np.array([[0.0], [1.0]]), [1.0, 0.0], kernel="laplacian", sigma=1.0, lam=1.0).model
    c = np.exp(-1.0)
    assert model.alpha.tolist() == pytest.approx([2 / (4 - c * c), -c / (4 - c * c)])
    assert model.left_out.tolist() == pytest.approx([1.0, -c / 2])
    assert model.loo == pytest.approx((1 + c * c / 4) / 2)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("d", [1, 3])
def test_the_formula_and_its_stationarity(name, d):
    """α = (K + nλI)⁻¹ y with the λ of 1/n|y - Kα|² + λ α'Kα; there K(λ' α - (y - Kα)) = 0 and |w|² = α'Kα."""
    X, y = waves(d=d)
    found = fit(KEY, X, y, lam=0.3, sweep=False, **CASES[name])
    gram = gram_of(name, X)
    textbook = np.linalg.solve(gram + 40 * (0.3 / 40) * np.eye(40), y)
    np.testing.assert_allclose(found.model.alpha, textbook, atol=1e-9)
    np.testing.assert_allclose(found.predict(X), gram @ textbook, atol=1e-7)
    a = found.model.alpha
    np.testing.assert_allclose(gram @ (0.3 * a - (y - gram @ a)), 0.0, atol=1e-6 * np.abs(gram).max())
    assert found.metrics["norm"][-1] ** 2 == pytest.approx(a @ gram @ a, rel=1e-6)
    residual = y - gram @ a
    assert found.metrics["objective"][-1] == pytest.approx(residual @ residual + 0.3 * a @ gram @ a, rel=1e-7)
    assert found.stop is Stop.COMPLETE


@pytest.mark.parametrize(
    ("params", "theirs"),
    [
        ({"kernel": "rbf", "sigma": 0.125}, {"kernel": "rbf", "gamma": 0.5 * 8.0**2}),
        ({"kernel": "laplacian", "sigma": 0.125}, {"kernel": "laplacian", "gamma": 8.0}),
        ({"kernel": "polynomial", "degree": 4}, {"kernel": "poly", "degree": 4, "gamma": 1.0, "coef0": 1.0}),
        ({"kernel": "linear"}, {"kernel": "linear"}),
    ],
    ids=str,
)
def test_agrees_with_scikit_learn(params, theirs):
    X, y = waves()
    ours = fit(KEY, X, y, lam=0.3, features="from 0 to 1", **params)
    X = (X - X.min()) / np.ptp(X)
    plain = fit(KEY, X, y, lam=0.3, **params)
    expected = KernelRidge(alpha=0.3, **theirs).fit(X, y)
    places = np.linspace(-0.2, 1.2, 60)[:, None]
    np.testing.assert_allclose(plain.predict(places), expected.predict(places), atol=1e-6)
    np.testing.assert_allclose(ours.model.alpha, expected.dual_coef_, atol=1e-6)


def test_the_polynomial_kernel_is_ridge_over_the_products():
    """φ = [1, √2 x1, √2 x2, x1², x2², √2 x1 x2]; with a free intercept the constant in it has nothing to do."""
    X, y = waves(50, d=2)
    a, b = X.T
    root = np.sqrt(2.0)
    phi = np.column_stack([root * a, root * b, a * a, b * b, root * a * b])
    theirs = Ridge(alpha=0.3).fit(phi, y)
    ours = fit(KEY, X, y, kernel="polynomial", degree=2, lam=0.3, intercept="free")
    np.testing.assert_allclose(ours.predict(X), theirs.predict(phi), atol=1e-8)
    assert ours.metrics["norm"][-1] == pytest.approx(np.linalg.norm(theirs.coef_), rel=1e-6)


@pytest.mark.parametrize("intercept", ["none", "free", "penalised"])
def test_the_linear_kernel_is_ridge_regression(intercept):
    X, y = waves(d=3)
    ours = fit(KEY, X, y + 5.0, kernel="linear", lam=2.0, intercept=intercept)
    primal = fit("linear_regression", X, y + 5.0, penalty="ridge", lam=2.0, intercept=intercept)
    np.testing.assert_allclose(ours.predict(X), primal.predict(X), atol=1e-9)
    assert ours.model.spread.sigma == pytest.approx(primal.model.spread.sigma)
    band = primal.model.spread.half_width(primal.model.dictionary.columns(X))
    np.testing.assert_allclose(ours.model.spread.half_width(ours.model.rows(X)), band, atol=1e-9)


def test_with_next_to_no_penalty_it_passes_through_every_point():
    X, y = waves(15)
    found = fit(KEY, X, y, kernel="laplacian", sigma=0.4, lam=1e-9, sweep=False)
    np.testing.assert_allclose(found.predict(X), y, atol=1e-6)


# --- leaving out -----------------------------------------------------------------------------------------------------


def retrained(gram, y, lam, i, free):
    """The error at point i of the fit to all others, by solving for them."""
    rest = np.delete(np.arange(len(y)), i)
    K, k = gram[np.ix_(rest, rest)], gram[i, rest]
    if not free:
        return y[i] - k @ np.linalg.solve(K + lam * np.eye(len(rest)), y[rest])
    # the stationary point of |y - b - Kα|² + λα'Kα: (K + λI)α + b = y and Σα = 0
    whole = np.block(
        [[K + lam * np.eye(len(rest)), np.ones((len(rest), 1))], [np.ones((1, len(rest))), np.zeros((1, 1))]]
    )
    found = np.linalg.solve(whole, np.append(y[rest], 0.0))
    return y[i] - k @ found[:-1] - found[-1]


@pytest.mark.parametrize("intercept", ["none", "free", "penalised"])
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("lam", [1e-3, 0.3, 50.0])
def test_left_out_errors_are_those_of_retraining(name, intercept, lam):
    X, y = waves(25, d=2)
    model = fit(KEY, X, y + 1.0, lam=lam, intercept=intercept, sweep=False, **CASES[name]).model
    gram = gram_of(name, X) + (1.0 if intercept == "penalised" else 0.0)
    by_hand = [retrained(gram, y + 1.0, lam, i, intercept == "free") for i in range(25)]
    np.testing.assert_allclose(model.left_out, by_hand, rtol=1e-6, atol=1e-8)
    assert model.loo == pytest.approx(np.mean(np.square(by_hand)))


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.floats(1e-6, 1e3), st.booleans())
def test_left_out_errors_of_any_points(seed, lam, free):
    """Also of equal ones, which stay while their twin is left out."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(12, 2))[[0, 0, *range(1, 10)]]
    y = rng.normal(size=11)
    spectrum = spectrum_of(Gaussian(1.0), X, y, free, len(X))
    gram = Gaussian(1.0)(X, X)
    by_hand = [retrained(gram, y, lam, i, free) for i in range(11)]
    np.testing.assert_allclose(spectrum.left_out(np.array([lam]))[:, 0], by_hand, rtol=1e-4, atol=1e-7)


def test_every_error_of_the_curves_and_the_table_is_that_of_a_fit():
    X, y = waves(30)
    last = frames_of(X, y, sigma=0.5, lam=0.2)[-1]
    left_out = last.shown.left_out
    for row, column in ((0, 3), (left_out.current, 20), (len(left_out.sigmas) - 1, 40)):
        params = {"sigma": float(left_out.sigmas[row]), "lam": float(left_out.lambdas[column]), "sweep": False}
        if params["sigma"] >= 1e-3 and params["lam"] >= 1e-9:
            assert left_out.errors[row, column] == pytest.approx(fit(KEY, X, y, **params).model.loo, rel=1e-6)
    sigma, lam, least = left_out.best
    assert least == left_out.errors.min()
    assert f"is least, {least:.3g}, for λ = {lam:.2g} and σ = {sigma:.3g}" in last.caption


def test_a_smaller_lambda_keeps_more_of_every_direction():
    X, y = waves(30)
    spectrum = spectrum_of(Gaussian(0.5), X, y, False, len(X))
    less, more = spectrum.kept(1.0), spectrum.kept(0.1)
    assert (more >= less).all()
    assert less == pytest.approx(spectrum.L / (spectrum.L + 1.0))
    hat = np.column_stack([fit(KEY, X, unit, sigma=0.5, lam=1.0, sweep=False).predict(X) for unit in np.eye(30)])
    assert np.trace(hat) == pytest.approx(less.sum())


def test_the_widths_hold_the_current_one():
    X = np.array([[0.0], [4.0]])
    for current in (0.001, 0.1, 1.0, 7.0):
        grid = width_grid(X, current)
        assert current in grid
        assert (np.diff(grid) > 0).all()
        assert len(grid) in (11, 12)


# --- many points -----------------------------------------------------------------------------------------------------


def test_landmarks_carry_the_fit_where_the_knob_says_so():
    X, y = waves(1200)
    params = {"lam": 0.3, "kernel": "laplacian", "sigma": 0.7, "sweep": False, "landmarks": 300}
    found = fit(KEY, X, y, **params)
    model = found.model
    assert found.stop is Stop.COMPLETE
    assert len(model.members) == len(model.alpha) == 300
    assert (model.centres == X[model.members]).all()
    gram = gram_of("laplacian", X)
    seen, own = gram[:, model.members], gram[np.ix_(model.members, model.members)]
    a = np.linalg.solve(seen.T @ seen + 0.3 * own, seen.T @ y)  # the least |y - K_nc a|² + λ a'K_cc a
    np.testing.assert_allclose(found.predict(X), seen @ a, atol=1e-3)  # axes of a millionth of the longest are dropped
    assert found.metrics["norm"][-1] ** 2 == pytest.approx(a @ own @ a, rel=1e-2)
    frames = frames_of(X, y, **params)
    assert "300 landmarks carry the fit to 1,200 points" in frames[0].caption
    assert {frame.warning for frame in frames} == {
        "The fit is approximate: 300 landmarks carry it, not all 1,200 points."
    }


@pytest.mark.parametrize("intercept", ["none", "free", "penalised"])
def test_the_fit_to_many_points_is_exact(intercept):
    """By a Cholesky factor: the weights, the errors of left-out points, the noise and the band are those of K."""
    X, y = waves(1100, d=2)
    X = np.append(X, X[:3], axis=0)
    y = np.append(y + 1.0, [0.0, 1.0, 2.0])
    frames = frames_of(X, y, sigma=0.7, lam=0.3, intercept=intercept, sweep=False)
    model, free = frames[-1].model, intercept == "free"
    assert frames[-1].warning == ""
    assert "the eigenvectors are of 400 landmarks" in frames[0].caption
    spectrum = spectrum_of(model.kernel, X, y, free, len(X))
    np.testing.assert_allclose(model.alpha, spectrum.alpha(0.3), rtol=1e-6, atol=1e-9)
    assert model.intercept == pytest.approx(spectrum.intercept(spectrum.alpha(0.3)))
    np.testing.assert_allclose(model.left_out, spectrum.left_out(np.array([0.3]))[:, 0], rtol=1e-8)
    assert model.degrees == pytest.approx(spectrum.kept(0.3).sum())
    assert frames[-1].metrics["norm"] ** 2 == pytest.approx(spectrum.square(0.3))
    spread = spectrum.spread(0.3, Band.of("of the fit"))
    rows = model.rows(X[:50] + 0.1)
    assert model.spread.sigma == pytest.approx(spread.sigma)
    np.testing.assert_allclose(model.spread.half_width(rows), spread.half_width(rows), rtol=1e-5)


def test_a_penalty_that_is_lost_in_rounding_is_raised():
    X, y = waves(1010)
    solution = solution_of(Gaussian(5.0), X, y, False, 1e-300, len(X))
    assert np.isfinite(solution.alpha).all()
    assert np.isfinite(solution.left_out).all()


def test_more_points_never_make_the_error_at_new_points_larger():
    """The number of landmarks does not fall with n."""
    X, y = waves(32_000, d=2, seed=3)
    new, truth = X[-2000:], np.sin(2 * X[-2000:, 0])
    errors = []
    for n in (1000, 2500, 10_000, 30_000):
        found = solution_of(Gaussian(0.4), X[:n], y[:n], False, 0.5, landmark_count(n))
        rest = truth - kernel_times(Gaussian(0.4), new, found.centres, found.alpha[:, None])[:, 0]
        errors.append(float(rest @ rest) / float(np.square(truth - truth.mean()).sum()))
    assert np.diff(errors).max() <= 0.01
    assert errors[-1] < errors[0] < 0.01


def test_diabetes_as_exact_as_by_hand():
    """442 points, of which 400 were used silently: the mean squared residual was 2556.0."""
    data = load_builtin("diabetes")
    found = fit(KEY, data, sigma=20.0, lam=1.0, sweep=False)
    gram = np.exp(-0.5 * np.square(data.X[:, None] - data.X[None]).sum(axis=2) / 20.0**2)
    rest = data.y - gram @ np.linalg.solve(gram + np.eye(442), data.y)
    assert found.metrics["mse"][-1] == pytest.approx(rest @ rest / 442)
    assert found.metrics["mse"][-1] == pytest.approx(2446.8, abs=0.05)


@pytest.mark.parametrize("free", [False, True])
def test_left_out_errors_where_landmarks_carry_the_fit(free):
    X, y = waves(450)
    spectrum = spectrum_of(Polynomial(2), X, y, free, 400)
    assert not spectrum.complete
    phi = np.column_stack([np.ones(len(X)), np.sqrt(2.0) * X, X**2])
    for i in (0, 17, len(X) - 1):
        rest = np.delete(np.arange(len(X)), i)
        theirs = Ridge(alpha=0.5, fit_intercept=free).fit(phi[rest], y[rest])
        assert spectrum.left_out(np.array([0.5]))[i, 0] == pytest.approx(
            y[i] - theirs.predict(phi[i : i + 1])[0], rel=1e-5
        )


# --- the run ---------------------------------------------------------------------------------------------------------


def test_directions_add_up_to_the_solution():
    X, y = waves(30)
    frames = frames_of(X, y, sigma=0.5, lam=0.2)
    steps = [frame for frame in frames if frame.phase == "direction"]
    assert np.diff([frame.metrics["mse"] for frame in steps]).max() <= 1e-12
    solved = next(frame for frame in frames if frame.phase == "solve")
    (bars,) = solved.views["directions"]
    assert isinstance(bars, Bars)
    assert steps[0].views["directions"][0].values[1:].tolist() == [0.0] * 29
    assert find(KEY).predict(steps[-1].model, X) == pytest.approx(find(KEY).predict(solved.model, X), abs=0.05)
    assert [frame.phase for frame in frames].count("width") == len(width_grid(X, 0.5)) - 1


def test_bumps_over_one_feature_and_the_bars_of_the_points():
    X, y = waves(12)
    last = frames_of(X, y, sigma=0.5, intercept="none")[-1]
    bumps, curve, *_ = last.views["plane"]
    assert isinstance(bumps, Bundle)
    assert isinstance(curve, Curve)
    assert bumps.y.sum(axis=0) == pytest.approx(curve.y[::2])  # all twelve are drawn
    (bars,) = last.views["alpha"]
    assert bars.values.tolist() == last.model.alpha.tolist()
    assert bars.points.tolist() == list(range(12))


def test_handles_and_the_lit_cell():
    X, y = waves(30)
    last = frames_of(X, y, sigma=0.5, lam=0.2)[-1]
    for key, handle, at in (("loo", "lam", 0.2), ("widths", "sigma", 0.5)):
        (rule,) = (mark for mark in last.views[key] if isinstance(mark, ReferenceLine))
        assert (rule.at, rule.handle) == (at, handle)
    (table,) = last.views["map"]
    assert isinstance(table, Table)
    row, column = table.lit[0]
    assert table.values[row, column] == table.values.max()
    first = next(frame for frame in frames_of(X, y, sigma=0.5, lam=0.2) if frame.phase == "loo").views["map"][0]
    assert first.unknown.all(axis=1).sum() == len(table.rows) - 1


def test_a_kernel_without_a_width_has_one_curve():
    last = frames_of(*waves(20), kernel="polynomial")[-1]
    assert "widths" not in last.views
    assert "map" not in last.views
    assert [type(mark) for mark in last.views["loo"]] == [Curve, Curve, ReferenceLine]


def test_a_live_change_goes_on_from_the_fit():
    X, y = waves(30)
    before = frames_of(X, y, lam=0.1, sigma=0.5)[-1].model
    warm = frames_of(X, y, before, lam=0.5, sigma=0.5, sweep=False)
    assert warm[0].model.alpha.tolist() == before.alpha.tolist()
    assert [frame.phase for frame in warm] == ["kernel", "solve", "done"]
    assert warm[-1].model.alpha == pytest.approx(fit(KEY, X, y, lam=0.5, sigma=0.5).model.alpha)


@pytest.mark.parametrize("intercept", ["none", "free", "penalised"])
def test_the_explanation_is_a_sum_over_the_points(intercept):
    X, y = waves(30)
    found = fit(KEY, X, y, kernel="laplacian", sigma=0.4, intercept=intercept)
    words = found.explain(4)
    terms = [value for name, value in words.items() if "k of point" in name or "smaller terms" in name]
    assert len(terms) == 9
    assert sum(terms) + words["intercept"] == pytest.approx(found.predict(X[4:5])[0])
    assert words["prediction"] == pytest.approx(found.predict(X[4:5])[0])
    assert words["residual"] == pytest.approx(y[4] - words["prediction"])
    rest = np.delete(np.arange(30), 4)
    without = fit(KEY, X[rest], y[rest], kernel="laplacian", sigma=0.4, intercept=intercept)
    assert words["prediction without this point"] == pytest.approx(without.predict(X[4:5])[0])
    assert "target" not in found.explain(X[4])


def test_as_a_classifier_of_two_classes():
    """H15: the sign of the regression; too narrow it learns by heart."""
    X, y = waves(60, d=2)
    labels = (y > 0).astype(int)
    found = algorithms.fit(KEY, Points(X, labels), sigma=0.7)
    assert ((found.predict(X) > 0.5) == (labels == 1)).mean() > 0.9


# --- kernels as dictionaries of other methods ------------------------------------------------------------------------


def test_held_out_errors_are_those_of_kernel_ridge_on_the_rest():
    """The axes are of all points, but a fold's fit stays in the span of its own: the representer theorem."""
    X, y = waves()
    _, columns = build_dictionary("gaussian kernel", 4, X, ("x",))
    folds = Folds.of(40, 4, np.random.default_rng(5))
    *_, found = fit_and_errors(columns, y, False, Penalty(l2=0.3), Loss(), folds)
    places = (X - X.min()) / np.ptp(X)
    gram = Gaussian(0.25)(places, places)
    errors = []
    for part in np.array_split(np.random.default_rng(5).permutation(40), 4):
        rest = np.setdiff1d(np.arange(40), part)
        a = np.linalg.solve(gram[np.ix_(rest, rest)] + 0.3 * np.eye(len(rest)), y[rest])
        errors.append(np.mean((y[part] - gram[np.ix_(part, rest)] @ a) ** 2))
    assert found.validation == pytest.approx(np.mean(errors))


@pytest.mark.parametrize("kind", KERNELS)
def test_ridge_over_the_axes_of_a_kernel_is_kernel_ridge(kind):
    X, y = waves()
    dictionary, columns = build_dictionary(kind, 3, X, ("x",))
    beta = np.linalg.solve(columns.T @ columns + 0.3 * np.eye(columns.shape[1]), columns.T @ y)
    names = {"polynomial kernel": {"kernel": "polynomial", "degree": 3, "features": "as they are"}}
    params = names.get(kind, {"kernel": "rbf" if "gauss" in kind else "laplacian", "sigma": 1 / 3})
    ours = fit(KEY, X, y, lam=0.3, **{"features": "from 0 to 1", **params})
    np.testing.assert_allclose(columns @ beta, ours.predict(X), atol=1e-6)
    assert len(dictionary.space.members) == 40


@pytest.mark.parametrize("columns", ["as they are", "standardised"])
def test_the_explanation_of_a_kernel_dictionary_is_a_sum_over_the_points(columns):
    X, y = waves(30)
    found = fit("lasso", X, y, dictionary="laplacian kernel", degree=3, columns=columns, sweep=False)
    words = found.explain(4)
    terms = [value for name, value in words.items() if "k of point" in name or "smaller terms" in name]
    assert len(terms) == 9
    assert sum(terms) + words["intercept"] == pytest.approx(found.predict(X[4:5])[0])
    assert words["prediction"] == pytest.approx(found.predict(X[4:5])[0])


def test_of_many_points_some_span_the_dictionary():
    X, y = waves(360)
    run = find("lasso").start(Points(X, y), find("lasso").make_params({"dictionary": "laplacian kernel"}), 0)
    assert "that 120 of 360 points span" in next(run).caption


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


# --- the feature space itself ----------------------------------------------------------------------------------------


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


def test_the_dictionary_of_a_kernel_has_no_fewer_landmarks_for_more_points():
    sizes = []
    for n in (500, 5_000, 20_000):
        X, _ = waves(n, d=2)
        dictionary, columns = build_dictionary("laplacian kernel", 3, X, ("x1", "x2"))
        sizes.append((len(dictionary.space.members), columns.shape))
    assert sizes == [(120, (500, 120)), (120, (5_000, 120)), (120, (20_000, 120))]
