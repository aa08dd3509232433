"""Linear regression: hand-worked answers of the catalogue, identities, scikit-learn and SciPy as oracles."""

from dataclasses import replace
from math import comb, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t as student
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.preprocessing import StandardScaler

from algorithms import DataError, Stop, find, fit, show
from algorithms._checks import cases
from algorithms.data import Points
from algorithms.data.scaling import scaled
from algorithms.marks import Bars, Curve, Isolines, ReferenceLine, Regions, Segments, Squares
from algorithms.maths.cross_validation import Folds
from algorithms.maths.design import Design
from algorithms.maths.dictionaries import build_dictionary, monomials
from algorithms.maths.linear_fits import by_directions, fitted, solve
from algorithms.maths.linear_problem import linear_problem
from algorithms.maths.losses import Loss
from algorithms.maths.penalties import Penalty
from algorithms.maths.regression_frames import made_folds, own_folds
from tests.algorithms.regression_cases import wavy
from tests.oracles import fit_and_errors

KEY = "linear_regression"
X4, Y4 = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([1.0, 3.0, 2.0, 5.0])
X3, Y3 = np.array([[0.0], [1.0], [2.0]]), np.array([1.0, 3.0, 4.0])
SOLVERS = ("QR", "normal equation", "pseudo-inverse")


def frames_of(data, **params):
    algorithm = find(KEY)
    return cases.play(algorithm, data, algorithm.make_params(params))


# --- by hand ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", SOLVERS)
def test_four_points(solver):
    result = fit(KEY, X4, Y4, solver=solver)
    assert (result.model.intercept, *result.model.coefficients) == pytest.approx((1.1, 1.1))
    assert result.metrics["mse"][-1] == pytest.approx(0.675)
    assert result.model.spread.sigma**2 == pytest.approx(1.35)  # RSS / (n - 2)
    assert result.stop is Stop.COMPLETE


@pytest.mark.parametrize("solver", SOLVERS)
def test_three_points(solver):
    model = fit(KEY, X3, Y3, solver=solver).model
    assert (model.intercept, *model.coefficients) == pytest.approx((7 / 6, 3 / 2))


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(("lam", "answer"), [(1.0, (1.375, 11 / 12)), (10.0, (2.2, 11 / 30)), (1e-6, (1.1, 1.1))])
def test_ridge_leaves_the_intercept_alone(solver, lam, answer):
    model = fit(KEY, X4, Y4, penalty="ridge", lam=lam, solver=solver).model
    assert (model.intercept, *model.coefficients) == pytest.approx(answer, rel=1e-6)


@pytest.mark.parametrize("solver", SOLVERS)
def test_ridge_with_a_penalised_intercept(solver):
    model = fit(KEY, X3, Y3, penalty="ridge", lam=1.0, intercept="penalised", solver=solver).model
    assert (model.intercept, *model.coefficients) == pytest.approx((1.0, 4 / 3))


@pytest.mark.parametrize(("penalty", "answer"), [("ridge", (0.75, -0.1, 0.3)), ("none", (1.5, -0.2, 0.6))])
def test_orthonormal_columns(penalty, answer):
    """z = (1.5, -0.2, 0.6), λ = 1: division by 1 + λ."""
    result = fit(KEY, np.eye(3), np.array([1.5, -0.2, 0.6]), penalty=penalty, lam=1.0, intercept="none")
    assert result.model.coefficients == pytest.approx(answer, abs=1e-9)
    assert result.model.intercept == 0.0


def test_band_of_four_points():
    """At the mean of x the standard error is σ/√n; at x = 0 it is σ √(1/4 + 1.5²/5)."""
    quantile = student.ppf(0.975, 2)
    model = fit(KEY, X4, Y4).model
    half = model.spread.half_width(model.dictionary.columns(np.array([[1.5], [0.0]])))
    assert half == pytest.approx(quantile * sqrt(1.35) * np.sqrt([1 / 4, 1 / 4 + 1.5**2 / 5]))
    wide = fit(KEY, X4, Y4, band="for new points").model
    half = wide.spread.half_width(wide.dictionary.columns(np.array([[1.5]])))
    assert half == pytest.approx(quantile * sqrt(1.35 * 1.25))


def test_no_band_without_spare_points_or_formula():
    assert fit(KEY, X4, Y4, degree=3).model.spread is None
    assert fit(KEY, X4, Y4, band="none").model.spread is None


# --- identities ------------------------------------------------------------------------------------------------------


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 4), st.integers(1, 2), st.sampled_from(SOLVERS))
def test_residuals_are_orthogonal_to_every_column(seed, degree, d, solver):
    X, y = wavy(30, seed, d)
    result = fit(KEY, X, y, degree=degree, solver=solver, sweep=False)
    residuals = y - result.predict(X)
    columns = result.model.dictionary.columns(X)
    assert np.abs(columns.T @ residuals).max() < 1e-6
    assert abs(residuals.mean()) < 1e-8


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.floats(1e-3, 1e3))
def test_gradient_of_ridge_is_zero_and_length_falls_with_lambda(seed, lam):
    X, y = wavy(25, seed, 2)
    design = Design.of(X, y, centred=True)
    intercept, beta = design.coefficients(solve(design, Penalty(0.0, lam)))
    residuals = y - intercept - X @ beta
    assert -2 * X.T @ residuals + 2 * lam * beta == pytest.approx(np.zeros(2), abs=1e-8 * (1 + lam))
    _, more = design.coefficients(solve(design, Penalty(0.0, 2 * lam)))
    assert np.linalg.norm(more) < np.linalg.norm(beta)


def test_three_ways_to_an_intercept_agree_without_a_penalty():
    X, y = wavy(d=2)
    centred = fit(KEY, X, y, intercept="free").model
    with_ones = fit(KEY, X, y, intercept="penalised").model
    by_hand = np.linalg.lstsq(np.column_stack([np.ones(len(X)), X]), y, rcond=None)[0]
    assert (centred.intercept, *centred.coefficients) == pytest.approx(by_hand)
    assert (with_ones.intercept, *with_ones.coefficients) == pytest.approx(by_hand)


def test_columns_join_without_ever_raising_the_objective():
    X, y = wavy()
    for solver in SOLVERS:
        frames, _ = frames_of(Points(X, y), degree=7, solver=solver, sweep=False)
        assert np.diff([frame.metrics["objective"] for frame in frames]).max() <= 1e-9
        assert len(frames) == 1 + 1 + 7 + 1  # nothing, the mean, the columns or directions, done


def test_qr_frames_are_the_fits_of_lower_degree():
    X, y = wavy()
    frames, _ = frames_of(Points(X, y), degree=4, sweep=False)
    for degree, frame in enumerate(frames[1:-1]):
        lower = fit(KEY, X, y, degree=degree, sweep=False)
        assert frame.metrics["mse"] == pytest.approx(lower.metrics["mse"][-1])


def test_directions_keep_the_fraction_d_over_d_plus_lambda():
    X, y = wavy(d=2)
    raw = X - X.mean(axis=0)
    *_, (beta, eigenvalues, share) = by_directions(raw, y - y.mean(), 3.0, [1, 2])
    assert eigenvalues == pytest.approx(np.linalg.eigvalsh(raw.T @ raw)[::-1])
    assert share == pytest.approx(eigenvalues / (eigenvalues + 3.0))
    assert beta == pytest.approx(np.linalg.solve(raw.T @ raw + 3.0 * np.eye(2), raw.T @ (y - y.mean())))


def test_pseudo_inverse_is_the_shortest_of_many_solutions():
    X = np.array([[1.0, 1.0], [2.0, 2.0], [4.0, 4.0]])
    result = fit(KEY, X, np.array([1.0, 2.0, 4.0]), solver="pseudo-inverse")
    assert result.model.coefficients == pytest.approx([0.5, 0.5])
    assert "depend on each other" in result.last.warning
    other = fit(KEY, X, np.array([1.0, 2.0, 4.0]), solver="QR")
    assert other.model.coefficients == pytest.approx([1.0, 0.0])
    assert any(
        "is a combination of the columns before it" in f.caption
        for f in frames_of(Points(X, np.array([1.0, 2.0, 4.0])))[0]
    )


def test_the_normal_equation_warns_where_it_loses_digits():
    x = np.linspace(0, 10, 40)[:, None]
    result = fit(KEY, x, np.sin(x[:, 0]), degree=10, solver="normal equation", sweep=False)
    assert "loses about 16 of 16 digits" in result.last.warning
    assert fit(KEY, x, np.sin(x[:, 0]), degree=10, solver="QR", sweep=False).last.warning == ""


def test_ridge_variance_is_the_formula():
    """Cov = σ²(A + λI)⁻¹A(A + λI)⁻¹ with A = Φ'Φ, and n - trace(hat) degrees of freedom."""
    X, y = wavy(d=2)
    lam, raw = 5.0, X - X.mean(axis=0)
    model = fit(KEY, X, y, penalty="ridge", lam=lam).model
    A = raw.T @ raw
    inverse = np.linalg.inv(A + lam * np.eye(2))
    degrees = len(X) - np.trace(inverse @ A) - 1
    assert model.spread.degrees == pytest.approx(degrees)
    sigma2 = np.sum((y - model.intercept - X @ model.coefficients) ** 2) / degrees
    assert model.spread.factor @ model.spread.factor.T == pytest.approx(sigma2 * inverse @ A @ inverse)


# --- scikit-learn ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dictionary", ["polynomial", "sine and cosine", "gaussian bumps", "log", "wavelets"])
@pytest.mark.parametrize("d", [1, 2])
def test_against_scikit_learn(dictionary, d):
    X, y = wavy(60, d=d)
    columns = build_dictionary(dictionary, 3, X, tuple("ab"[:d]))[0].columns(X)
    for penalty, oracle in (("none", LinearRegression()), ("ridge", Ridge(alpha=0.8, tol=1e-12))):
        ours = fit(KEY, X, y, dictionary=dictionary, degree=3, penalty=penalty, lam=0.8, sweep=False)
        wanted = oracle.fit(columns, y).predict(columns)
        assert ours.predict(X) == pytest.approx(wanted, abs=2e-5), penalty


# --- dictionaries ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("d", "degree"), [(1, 5), (2, 3), (3, 4), (2, 0)])
def test_number_of_monomials(d, degree):
    assert len(monomials(d, degree)) == comb(d + degree, degree) - 1
    X = np.random.default_rng(0).normal(size=(5, d))
    dictionary = build_dictionary("polynomial", degree, X, tuple("abc"[:d]))[0]
    assert dictionary.columns(X).shape == (5, len(dictionary.names))


def test_names_and_columns_of_two_features():
    dictionary = build_dictionary("polynomial", 2, np.array([[2.0, 3.0], [1.0, 1.0]]), ("u", "v"))[0]
    assert dictionary.names == ("u", "v", "u²", "u v", "v²")
    assert dictionary.columns(np.array([[2.0, 3.0]])).tolist() == [[2.0, 3.0, 4.0, 6.0, 9.0]]


def test_a_polynomial_is_found_again():
    x = np.linspace(-1, 2, 15)
    model = fit(KEY, x[:, None], 2 - x + 3 * x**3, degree=3).model
    assert (model.intercept, *model.coefficients) == pytest.approx((2, -1, 0, 3), abs=1e-9)


def test_waves_bumps_logarithms_and_steps_are_found_again():
    x = np.linspace(0.1, 1.1, 40)[:, None]
    waves = fit(KEY, x, 1 + 2 * np.sin(2 * np.pi * x[:, 0]), dictionary="sine and cosine", degree=2, width=1.0).model
    assert (waves.intercept, *waves.coefficients) == pytest.approx((1, 2, 0, 0, 0), abs=1e-9)
    logs = fit(KEY, x, 3 * np.log(x[:, 0]), dictionary="log", degree=1).model
    assert (logs.intercept, *logs.coefficients) == pytest.approx((0, 3), abs=1e-9)
    steps = fit(KEY, x, np.where(x[:, 0] < 0.6, 1.0, -1.0), dictionary="wavelets", degree=1).model
    assert (steps.intercept, *steps.coefficients) == pytest.approx((0, 1), abs=1e-9)
    bump = np.exp(-0.5 * ((x[:, 0] - 0.6) / 0.5) ** 2)
    bumps = fit(KEY, x, 4 * bump, dictionary="gaussian bumps", degree=3).model
    assert bumps.coefficients == pytest.approx((0, 4, 0), abs=1e-7)


def test_haar_wavelets_are_orthogonal():
    X = (np.arange(16.0)[:, None] + 0.5) / 16
    ends = np.vstack([[[0.0]], X, [[1.0]]])
    columns = build_dictionary("wavelets", 4, ends, ("x",))[0].columns(X)
    assert columns.shape == (16, 15)
    assert columns.sum(axis=0).tolist() == [0.0] * 15
    assert np.array_equal(columns.T @ columns, np.diag(np.diag(columns.T @ columns)))


def test_standardised_columns_are_penalised_alike():
    X, y = wavy(d=2)
    wide = X * (1.0, 1000.0)
    one = fit(KEY, X, y, penalty="ridge", lam=5.0, columns="standardised")
    two = fit(KEY, wide, y, penalty="ridge", lam=5.0, columns="standardised")
    assert one.predict(X) == pytest.approx(two.predict(wide))
    assert one.model.coefficients == pytest.approx(two.model.coefficients)


def test_too_many_functions_are_refused():
    with pytest.raises(DataError, match="1770 functions; at most 400"):
        fit(KEY, np.random.default_rng(0).normal(size=(9, 3)), np.arange(9.0), degree=20)


# --- validation ------------------------------------------------------------------------------------------------------


@given(st.integers(4, 60), st.integers(2, 20), st.integers(0, 99))
def test_each_point_is_held_out_once(n, k, seed):
    folds = Folds.of(n, k, np.random.default_rng(seed))
    held = np.concatenate([outside for _, outside in folds.splits()])
    assert sorted(held.tolist()) == list(range(n))
    sizes = [len(part) for part in folds.parts]
    assert max(sizes) - min(sizes) <= 1
    assert all(len(inside) + len(outside) == n for inside, outside in folds.splits())


def test_errors_of_the_folds_by_retraining():
    X, y = wavy(20, d=2)
    folds = Folds.of(20, 4, np.random.default_rng(1))
    *_, errors = fit_and_errors(X, y, True, Penalty(), Loss(), folds)
    training, validation = [], []
    for inside, outside in folds.splits():
        oracle = LinearRegression().fit(X[inside], y[inside])
        training.append(np.mean((y[inside] - oracle.predict(X[inside])) ** 2))
        validation.append(np.mean((y[outside] - oracle.predict(X[outside])) ** 2))
    assert errors.training == pytest.approx(np.mean(training))
    assert errors.validation == pytest.approx(np.mean(validation))
    assert errors.standard_error == pytest.approx(np.std(validation, ddof=1) / 2)


@pytest.mark.parametrize("intercept", ["free", "none", "penalised"])
@pytest.mark.parametrize(
    ("penalty", "loss"),
    [
        (Penalty(l2=5.0), Loss()),
        (Penalty(l1=8.0), Loss()),
        (Penalty(directions=2), Loss()),
        (Penalty(l2=5.0), Loss("huber")),
    ],
    ids=str,
)
def test_standardised_columns_of_a_fold_do_not_see_what_is_held_out(intercept, penalty, loss):
    """One point is far out: with its part held out, the columns have another scale."""
    X, y = wavy(40, d=3)
    X[7] *= 30.0
    columns = StandardScaler().fit_transform(X)
    folds = Folds.of(40, 5, np.random.default_rng(1), standardised=True)
    ones = [np.ones(40)] if intercept == "penalised" else []
    training, validation = [], []
    for inside, outside in folds.splits():
        own = np.column_stack([*ones, StandardScaler().fit(X[inside]).transform(X)])
        level, beta = fitted(own[inside], y[inside], intercept == "free", penalty, loss)
        each = loss.each(y - level - own @ beta)
        training.append(each[inside].mean())
        validation.append(each[outside].mean())
    table = np.column_stack([*ones, columns])
    *_, errors = fit_and_errors(table, y, intercept == "free", penalty, loss, folds)
    assert errors.training == pytest.approx(np.mean(training), rel=1e-6)
    assert errors.validation == pytest.approx(np.mean(validation), rel=1e-6)
    *_, seen = fit_and_errors(table, y, intercept == "free", penalty, loss, replace(folds, standardised=False))
    assert seen.validation != pytest.approx(errors.validation, rel=1e-3)


@pytest.mark.parametrize("columns", ["as they are", "standardised"])
@pytest.mark.parametrize("kind", ["given", "standardised", "0 to 1"])
def test_the_folds_of_a_problem_know_who_sets_the_scale_of_its_columns(columns, kind):
    """Those of features that the document has scaled are made anew, and standardised with that."""
    data, _ = scaled(Points(*wavy(20)), kind)
    problem = linear_problem(data, find(KEY).make_params({"columns": columns, "degree": 3}), KEY)
    folds = made_folds(problem, np.random.default_rng(0), wanted=True)
    own = own_folds(problem, folds, 3)
    assert own.standardised == (columns == "standardised" and kind == "given")
    assert len(own.own) == (0 if kind == "given" else 5)
    for made, (inside, _) in zip(own.own, own.splits()):
        mean, deviation = made.at(inside).mean(axis=0), made.at(inside).std(axis=0)
        assert (columns == "standardised") == (np.allclose(mean, 0.0) and np.allclose(deviation, 1.0))


def test_training_error_falls_with_the_degree_and_the_marker_stands_at_the_current_one():
    X, y = wavy()
    frames, _ = frames_of(Points(X, y), degree=2)
    training, validation, _, rule = frames[-1].views["degrees"]
    assert isinstance(training, Curve)
    assert np.diff(training.y).max() <= 1e-9
    assert validation.y[-1] > training.y[-1]
    assert (rule.at, rule.handle) == (2.0, "degree")
    assert training.x.tolist() == list(range(11))


def test_sweeps_leave_the_fit_alone():
    X, y = wavy()
    with_sweeps, without = fit(KEY, X, y, degree=3), fit(KEY, X, y, degree=3, sweep=False)
    assert with_sweeps.predict(X) == pytest.approx(without.predict(X))
    assert without.steps < with_sweeps.steps
    assert "degrees" not in without.last.views


# --- pictures, answers, going on -------------------------------------------------------------------------------------


def test_marks_of_one_feature():
    X, y = wavy(12)
    frames, _ = frames_of(Points(X, y))
    curve, residuals = frames[-1].views["plane"]
    assert isinstance(curve, Curve)
    assert isinstance(residuals, Segments)
    assert residuals.start == pytest.approx(np.column_stack([X[:, 0], y]))
    predicted = find(KEY).predict(frames[-1].model, X)
    assert residuals.end == pytest.approx(np.column_stack([X[:, 0], predicted]))
    assert ((curve.low < curve.y) & (curve.y < curve.high)).all()
    squares = frames_of(Points(X, y), residuals="squares", sweep=False)[0][-1].views["plane"][1]
    assert isinstance(squares, Squares)
    assert ((squares.start - squares.end) ** 2).mean() == pytest.approx(frames[-1].metrics["mse"])
    assert len(frames_of(Points(X, y), residuals="none", sweep=False)[0][-1].views["plane"]) == 1


def test_marks_of_two_features_and_of_classes():
    X, y = wavy(12, d=2)
    regions, lines = frames_of(Points(X, y))[0][-1].views["plane"]
    assert isinstance(regions, Regions)
    assert isinstance(lines, Isolines)
    assert y.min() < lines.fine[0] < lines.fine[-1] < y.max()
    labels = (X[:, 0] > 0).astype(int)
    frames, _ = frames_of(Points(X, labels))
    assert frames[-1].views["plane"][1].strong == (0.5,)
    guess = find(KEY).predict(frames[-1].model, X) > 0.5
    assert (guess == (labels == 1)).mean() > 0.8
    assert isinstance(frames[-1].views["coefficients"][0], Bars)


def test_explanation_adds_up():
    X, y = wavy(30, d=2)
    result = fit(KEY, X, y, degree=4)
    answer = result.explain(3)
    assert answer["prediction"] == pytest.approx(float(result.predict(X[3:4])[0]))
    assert answer["target"] == pytest.approx(float(y[3]))
    assert answer["residual"] == pytest.approx(float(y[3]) - answer["prediction"])
    known = ("prediction", "± of the fit", "target", "residual")
    assert sum(value for name, value in answer.items() if name not in known) == pytest.approx(answer["prediction"])


def test_a_live_change_goes_on_from_the_fit():
    X, y = wavy()
    data, algorithm = Points(X, y), find(KEY)
    before = frames_of(data, penalty="ridge", lam=1.0, degree=4)[0][-1].model
    params = algorithm.make_params({"penalty": "ridge", "lam": 1.1, "degree": 4, "sweep": False})
    warm = list(algorithm.start(data, params, 0, before))
    cold = list(algorithm.start(data, params, 0))
    assert warm[0].model.coefficients.tolist() == before.coefficients.tolist()
    assert warm[-1].model.coefficients == pytest.approx(cold[-1].model.coefficients, abs=1e-6)
    assert len(warm) < len(cold)
    richer = algorithm.make_params({"degree": 6, "sweep": False})
    assert len(list(algorithm.start(data, richer, 0, before))) == 3  # the old fit, the new one, done


def test_the_error_over_lambda_and_its_handle():
    X, y = wavy(d=2)
    frames, _ = frames_of(Points(X, y), penalty="ridge", lam=0.5)
    training, validation, least, rule = frames[-1].views["lambdas"]
    assert isinstance(rule, ReferenceLine)
    assert (rule.at, rule.handle) == (0.5, "lam")
    assert training.x[0] > 0.5 > training.x[-1]
    assert least.y[0] == validation.y.min()
    assert [frame.phase for frame in frames].count("lambda") == len(training.x)
    assert f"The error on held-out points is least for λ = {least.x[0]:.3g}" in frames[-1].caption
    assert "lambdas" not in frames_of(Points(X, y))[0][-1].views


def test_columns_too_small_to_have_a_deviation_are_left_as_they_are():
    """The cubes of such features differ, but the squares of what they differ by are nought."""
    X = 1e-99 * np.arange(1.0, 13.0)[:, None]
    with np.errstate(all="raise", under="ignore"):
        for key in ("linear_regression", "robust_regression"):
            assert np.isfinite(fit(key, X, X[:, 0] * 1e99, degree=3, columns="standardised").predict(X)).all()


@pytest.mark.parametrize("dictionary", ["polynomial", "sine and cosine", "gaussian bumps", "log", "wavelets"])
def test_no_points_have_no_predictions(dictionary):
    X = np.array([[1.0, 2.0, 3.0], [2.0, 1.0, 2.0], [4.0, 2.0, 1.0]])
    model = fit(KEY, X, np.array([1.0, 2.0, 3.0]), dictionary=dictionary, degree=2)
    assert model.predict(X[:0]).shape == (0,)


def test_a_students_own_fit_is_shown():
    """Gradient descent on the coefficients: our numbers, band and captions; a wrong shape names the step."""
    X, y = np.array([[0.0], [1.0], [2.0]]), np.array([1.0, 3.0, 5.0])

    def mine():
        yield 0.0, [0.0]
        yield 1.0, [2.0]

    shots = list(show(KEY, mine(), Points(X, y), {"degree": 1}))
    assert [shot.metrics["mse"] for shot in shots] == pytest.approx([35 / 3, 0.0], abs=1e-20)
    assert shots[-1].model.coefficients.tolist() == [2.0]
    assert shots[-1].caption.startswith("f = 1 + 2 x1;")
    assert {"plane", "coefficients", "projection"} >= set(shots[0].views)
    with pytest.raises(DataError, match="Step 0"):
        list(show(KEY, iter([(0.0, [1.0, 2.0])]), Points(X, y), {"degree": 1}))
