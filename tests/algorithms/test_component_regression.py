"""Principal component regression (R2.6 d): by hand, as a pipeline of scikit-learn, and its place beside ridge."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.decomposition import PCA
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline

import algorithms
from algorithms import Stop, find
from algorithms.data import Points
from algorithms.evaluation.bias_variance.solver import Basis, estimate, formula_parts, formula_spread
from algorithms.marks import Curve, ReferenceLine
from algorithms.maths.cross_validation import Folds
from algorithms.maths.design import Design
from algorithms.maths.linear_fits import by_directions, solve
from algorithms.maths.losses import Loss
from algorithms.maths.penalties import Penalty
from algorithms.regression.component_regression.solver import held_out_errors
from tests.oracles import fit_and_errors

KEY = "component_regression"


def problem(seed=0, n=40, p=4, alike=0.01):
    """p columns, the last of which is nearly the first."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) @ rng.normal(size=(p, p)) + rng.normal(size=p)
    X[:, -1] = X[:, 0] + alike * rng.normal(size=n)
    return X, X @ rng.normal(size=p) + 0.5 * rng.normal(size=n) + 3.0


def fit(X, y, **params):
    """Over the features themselves, where nothing else is said."""
    return algorithms.fit(KEY, X, y, **{"degree": 1, **params})


def frames_of(X, y, start=None, **params):
    algorithm = find(KEY)
    return list(algorithm.start(Points(X, y), algorithm.make_params({"degree": 1, **params}), 0, start))


def test_by_hand():
    """X = u (2, 1) + w (-1, 2) / 10 with u and w orthogonal: the directions are (2, 1)/√5 and (-1, 2)/√5.

    Along them the points lie at √5 u and √5 w / 10. The slopes of y = 10 + 5u + w there are 5/√5 and 10/√5, so that the
    first gives β = (2, 1) and the second adds (-1, 2) · 10/5 = (-2, 4).
    """
    u, w = np.array([1.0, 1.0, -1.0, -1.0]), np.array([1.0, -1.0, 1.0, -1.0])
    X = np.outer(u, [2.0, 1.0]) + 0.1 * np.outer(w, [-1.0, 2.0]) + [7.0, -7.0]
    y = 10.0 + 5.0 * u + w
    one, both = (fit(X, y, components=m).model for m in (1, 2))
    assert one.coefficients == pytest.approx([2.0, 1.0])
    assert one.intercept == pytest.approx(10.0 - 2.0 * 7.0 + 7.0)
    assert both.coefficients == pytest.approx([2.0 - 2.0, 1.0 + 4.0])
    assert fit(X, y, components=1).metrics["mse"][-1] == pytest.approx(1.0)  # what w says is left


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 6), st.integers(1, 6))
def test_it_is_a_pipeline_of_pca_and_least_squares(seed, p, m):
    X, y = problem(seed, p=p)
    result = fit(X, y, components=m, sweep=False)
    theirs = make_pipeline(PCA(min(m, p)), LinearRegression()).fit(X, y)
    assert result.predict(X) == pytest.approx(theirs.predict(X), rel=1e-9, abs=1e-9 * np.ptp(y))
    assert result.stop is Stop.COMPLETE


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 7))
def test_all_directions_are_least_squares_and_each_lowers_the_sum_of_squares(seed, p):
    X, y = problem(seed, p=p)
    design = Design.of(X, y, centred=True)
    b = [solve(design, Penalty(directions=m)) for m in range(1, p + 1)]
    assert np.diff([design.y @ design.y, *map(design.squares, b)]).max() <= 1e-9
    oracle = LinearRegression().fit(X, y)
    assert fit(X, y, components=p, sweep=False).predict(X) == pytest.approx(oracle.predict(X), rel=1e-9)
    lengths = [np.linalg.norm(design.coefficients(one)[1]) for one in b]
    assert np.diff(lengths).min(initial=0.0) >= -1e-9  # the parts are orthogonal: β only grows


def test_a_direction_is_kept_whole_or_not_at_all_where_ridge_shrinks():
    X, y = problem()
    design = Design.of(X, y, centred=True)
    s, Vt = np.linalg.svd(X - X.mean(axis=0))[1:]
    free = Vt @ design.coefficients(solve(design, Penalty()))[1]
    for m in range(1, 5):
        share = (Vt @ design.coefficients(solve(design, Penalty(directions=m)))[1]) / free
        assert share == pytest.approx((np.arange(4) < m).astype(float), abs=1e-9)
        *_, (_, _, drawn) = by_directions(X - X.mean(axis=0), design.y, 0.0, [m])
        assert drawn == pytest.approx(share, abs=1e-9)
    lam = s[2] ** 2
    shrunk = (Vt @ design.coefficients(solve(design, Penalty(l2=lam)))[1]) / free
    assert shrunk == pytest.approx(s**2 / (s**2 + lam))
    assert shrunk[2] == pytest.approx(0.5)


def test_directions_that_are_rounding_are_never_used():
    X, y = problem(p=3, alike=0.0)
    twice = np.column_stack([X, X[:, 1] - 2.0 * X[:, 0], np.full(40, 5.0)])  # rank 2 of 5, one of them constant
    result = fit(twice, y, components=5)
    oracle = LinearRegression().fit(X, y)
    assert result.predict(twice) == pytest.approx(oracle.predict(X), rel=1e-9)
    assert np.abs(result.model.coefficients).max() < 10.0
    assert result.model.coefficients[-1] == 0.0
    assert result.model.spread.degrees == pytest.approx(40 - 2 - 1)
    assert result.last.views["components"][0].x.tolist() == [1.0, 2.0]
    assert not result.last.warning


def test_left_to_the_data_the_redundant_are_left_out():
    for alike, used in ((1.0, 4), (1e-4, 3)):
        frames = frames_of(*problem(alike=alike))
        (rule,) = (mark for mark in frames[-1].views["components"] if isinstance(mark, ReferenceLine))
        assert rule.at == used
        assert sum(frame.phase == "direction" for frame in frames) == 1 + used  # the mean comes first


@pytest.mark.parametrize("X", [np.ones((6, 1)), np.ones((6, 2))], ids=["one", "two"])
def test_constant_columns_leave_the_mean(X):
    y = np.arange(6.0)
    result = fit(X, y)
    assert result.predict(X) == pytest.approx(np.full(6, 2.5))
    assert "components" not in result.last.views


def test_one_column_is_a_line():
    X, y = problem(p=1)
    assert fit(X, y).model.coefficients == pytest.approx(LinearRegression().fit(X, y).coef_)


def test_without_an_intercept_and_with_a_penalised_one_nothing_is_centred():
    X, y = problem()
    for intercept, columns in (("none", X), ("penalised", np.column_stack([np.ones(40), X]))):
        U, s, Vt = np.linalg.svd(columns, full_matrices=False)
        wanted = columns @ (Vt[:2].T / s[:2] @ U[:, :2].T @ y)
        assert fit(X, y, components=2, intercept=intercept).predict(X) == pytest.approx(wanted)


# --- frames ----------------------------------------------------------------------------------------------------------


def test_one_direction_per_frame_with_its_share_and_its_error():
    X, y = problem()
    frames = frames_of(X, y, components=3)
    steps = [frame for frame in frames if frame.phase == "direction"][1:]
    d = np.linalg.svd(X - X.mean(axis=0), compute_uv=False) ** 2
    for m, frame in enumerate(steps, start=1):
        share = 100.0 * d[:m].sum() / d.sum()
        assert (f" {share:.4g} %" if share < 99.99 else "over 99.99 %") in frame.caption
        assert frame.views["directions"][0].values == pytest.approx((np.arange(4) < m).astype(float))
        given, used = frame.views["eigenvalues"]
        assert given.y == pytest.approx(d)
        assert used.y == pytest.approx(d[:m])
        training, *_, rule = frame.views["components"]
        assert training.x.tolist() == list(range(1, m + 1))
        assert (rule.at, rule.handle) == (3.0, "components")
        assert frame.views["coefficients"][0].values == pytest.approx(frame.model.coefficients)
    assert len(steps) == 3
    beyond = [frame for frame in frames if frame.phase == "components"]
    assert [frame.views["components"][0].x[-1] for frame in beyond] == [4.0, 4.0]
    best = int(np.argmin(frames[-1].views["components"][1].y)) + 1
    assert f"The error on held-out points is least with the first {best} of 4 directions" in beyond[-1].caption
    assert all(frame.model is frames[-1].model for frame in beyond)
    assert "along the directions in use" in frames[-1].caption


def test_a_change_goes_on_from_the_fit_and_has_the_whole_curve():
    X, y = problem()
    second = frames_of(X, y, frames_of(X, y, components=2)[-1].model, components=3)
    assert sum(frame.phase == "direction" for frame in second) == 1
    fresh = frames_of(X, y, components=3)[-1]
    for ours, theirs in zip(second[-1].views["components"][:2], fresh.views["components"][:2], strict=True):
        assert ours.x.tolist() == [1.0, 2.0, 3.0, 4.0]
        assert ours.y == pytest.approx(theirs.y)
    assert second[-1].model.coefficients == pytest.approx(fresh.model.coefficients)


def test_held_out_errors_are_those_of_the_pipeline():
    X, y = problem()
    folds = Folds.of(40, 5, np.random.default_rng(0))
    for m, errors in zip((1, 2, 4), held_out_errors(X, y, True, (1, 2, 4), folds), strict=True):
        training, validation = [], []
        for inside, outside in folds.splits():
            model = make_pipeline(PCA(m), LinearRegression()).fit(X[inside], y[inside])
            training.append(np.mean((model.predict(X[inside]) - y[inside]) ** 2))
            validation.append(np.mean((model.predict(X[outside]) - y[outside]) ** 2))
        assert (errors.training, errors.validation) == pytest.approx((np.mean(training), np.mean(validation)))


def test_held_out_errors_are_those_of_a_fit_along_so_many_directions():
    X, y = problem(p=2, alike=0.5)
    folds = Folds.of(40, 5, np.random.default_rng(0))
    every = list(held_out_errors(X, y, True, (1, 2), folds))
    for m, errors in zip((1, 2), every, strict=True):
        *_, fitted = fit_and_errors(X, y, True, Penalty(directions=m), Loss(), folds)
        assert (fitted.training, fitted.validation) == pytest.approx((errors.training, errors.validation))
    assert every[0].training != pytest.approx(every[1].training)


@pytest.mark.parametrize("intercept", ["free", "none", "penalised"])
@pytest.mark.parametrize("dictionary", ["polynomial", "gaussian bumps", "gaussian kernel"])
def test_every_view_of_every_frame_can_be_drawn(dictionary, intercept):
    """Also with more functions than points, and columns on one scale."""
    X, y = problem(n=12, p=2)
    params = {"dictionary": dictionary, "degree": 4, "intercept": intercept, "columns": "standardised"}
    for components in (0, 1, 50):
        for frame in frames_of(X, y, components=components, **params):
            assert frame.views.keys() >= {"plane", "coefficients"}
            assert all(np.isfinite(value) for value in frame.metrics.values())


def test_the_ellipse_touches_the_line_of_the_directions_in_use():
    X, y = problem(p=2, alike=0.3)
    frame = frames_of(X, y, components=1, sweep=False)[-1]
    curves = {mark.name: mark for mark in frame.views["ball"] if isinstance(mark, Curve)}
    line, ring = curves["along the directions in use"], curves["sum of squares of the fit"]
    along = np.array([np.diff(line.x)[0], np.diff(line.y)[0]]) / np.hypot(np.diff(line.x), np.diff(line.y))
    v = np.linalg.svd(X - X.mean(axis=0))[2][0]
    assert abs(along @ v) == pytest.approx(1.0)
    aside = (np.column_stack([ring.x, ring.y]) - frame.model.coefficients) @ [-along[1], along[0]]
    assert min(abs(aside.min()), abs(aside.max())) == pytest.approx(0.0, abs=1e-3 * np.ptp(aside))
    assert "the ball of its penalty" not in curves
    whole = frames_of(X, y, components=2, sweep=False)[-1]
    assert not any(
        mark.name == "along the directions in use" for mark in whole.views["ball"] if isinstance(mark, Curve)
    )


# --- bias and variance -----------------------------------------------------------------------------------------------


def test_fewer_directions_trade_variance_for_bias_as_the_formula_says():
    X, y = problem(n=25, alike=0.1)
    truth = LinearRegression().fit(X, y).predict(X)
    basis = Basis.of(X, truth)
    targets = truth + 0.5 * np.random.default_rng(1).normal(size=(4000, 25))
    before = (np.inf, 0.0)
    for m in range(1, 5):
        penalty = Penalty(directions=m)
        bias, variance = formula_parts(basis, penalty, 0.5)
        found = estimate(basis, basis.seen(targets), penalty)
        assert found.parts() == pytest.approx((bias, variance), rel=0.1, abs=1e-3)
        assert variance == pytest.approx(0.25 * (m + 1) / 25)
        assert bias <= before[0] + 1e-12
        mean, covariance = formula_spread(basis, penalty, 0.5)
        d, V = np.linalg.eigh((X - X.mean(axis=0)).T @ (X - X.mean(axis=0)))
        V, d = V[:, ::-1][:, :m], d[::-1][:m]
        assert covariance == pytest.approx(0.25 * V / d @ V.T)
        assert mean == pytest.approx(found.coefficients[1].mean(axis=0), abs=0.3)
        before = (bias, variance)
    assert bias == pytest.approx(0.0, abs=1e-12)


def test_the_band_has_the_variance_of_the_directions_in_use():
    X, y = problem()
    spread = fit(X, y, components=2, sweep=False).model.spread
    U, s, Vt = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    rest = y - y.mean() - U[:, :2] @ (U[:, :2].T @ y)
    sigma = np.sqrt(rest @ rest / (40 - 3))
    assert spread.sigma == pytest.approx(sigma)
    assert spread.factor @ spread.factor.T == pytest.approx(sigma**2 * Vt[:2].T / s[:2] ** 2 @ Vt[:2])
