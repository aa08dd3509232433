"""Robust regression: constants by hand, SciPy and scikit-learn as oracles, corners, prices and pictures."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import least_squares
from sklearn.linear_model import QuantileRegressor

import algorithms
from algorithms import Points, Stop, find
from algorithms.marks import Curve, Highlight
from algorithms.maths.linear_fits import fitted
from algorithms.maths.losses import Loss
from algorithms.maths.penalties import Penalty
from algorithms.regression.robust_regression.views import loss_marks
from tests.algorithms.regression_cases import wavy

KEY = "robust_regression"
X4 = np.array([[0.0], [1.0], [2.0], [3.0]])


def fit(X, y, **params):
    return algorithms.fit(KEY, X, y, **params)


def squares(X, y, **params):
    return algorithms.fit("linear_regression", X, y, **params)


def frames_of(data, **params):
    algorithm = find(KEY)
    return list(algorithm.start(data, algorithm.make_params(params), 0))


# --- losses by hand --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("loss", "costs", "slopes"),
    [
        (Loss("absolute"), [2.0, 0.5, 3.0], [-1.0, 1.0, 1.0]),
        (Loss("pinball", tau=0.8), [0.8, 0.8, 4.8], [-0.4, 1.6, 1.6]),
        (Loss("expectile", tau=0.8), [1.6, 0.4, 14.4], [-1.6, 1.6, 9.6]),
        (Loss("huber", delta=1.0), [3.0, 0.25, 5.0], [-2.0, 1.0, 2.0]),
    ],
    ids=lambda value: value.kind if isinstance(value, Loss) else "",
)
def test_costs_and_slopes(loss, costs, slopes):
    """Of r = -2, 1/2 and 3; the weighted squares have the same slopes."""
    residuals = np.array([-2.0, 0.5, 3.0])
    assert loss.each(residuals) == pytest.approx(costs)
    assert loss.slope(residuals) == pytest.approx(slopes)
    assert 2 * loss.weights(residuals) * residuals == pytest.approx(slopes)


@pytest.mark.parametrize(
    ("params", "constant"),
    [
        ({"loss": "absolute"}, 3.0),
        ({"loss": "pinball", "tau": 0.9}, 100.0),
        ({"loss": "pinball", "tau": 0.3}, 2.0),
        ({"loss": "expectile", "tau": 0.5}, 22.0),
        ({"loss": "huber", "delta": 1.0}, 3.0),  # -1, -1, 0, 1 and the outlier's 1 are in balance
    ],
    ids=str,
)
def test_the_constant_that_costs_least(params, constant):
    """Of 1, 2, 3, 4, 100: the median, a quantile, the mean, and a place between."""
    y = np.array([1.0, 2.0, 3.0, 4.0, 100.0])
    assert fit(np.arange(5.0)[:, None], y, degree=0, **params).model.intercept == pytest.approx(constant, abs=1e-6)


def test_huber_loss_and_its_slope_meet_at_delta():
    loss, step = Loss("huber", delta=0.7), 1e-7
    inside, outside = loss.each(np.array([0.7 - step, 0.7 + step]))
    assert inside == pytest.approx(0.49, abs=1e-6)
    assert (outside - inside) / (2 * step) == pytest.approx(1.4, abs=1e-5)
    assert loss.each(np.array([0.3, -2.0])) == pytest.approx([0.09, 2 * 0.7 * (2.0 - 0.35)])


def test_huber_against_scipy():
    X, y = wavy()
    y = y.copy()
    y[:4] += 8.0
    result = fit(X, y, degree=3, loss="huber", delta=0.3)
    columns = np.column_stack([np.ones(len(X)), X, X**2, X**3])
    oracle = least_squares(
        lambda beta: columns @ beta - y, np.zeros(4), loss="huber", f_scale=0.3, xtol=1e-15, ftol=1e-15, gtol=1e-15
    )
    assert (result.model.intercept, *result.model.coefficients) == pytest.approx(oracle.x, abs=1e-5)
    assert result.metrics["objective"][-1] == pytest.approx(2 * oracle.cost)
    assert np.diff(result.metrics["objective"][1:]).max() <= 1e-9
    assert result.stop is Stop.CONVERGED


def test_huber_with_a_large_delta_is_least_squares():
    X, y = wavy()
    robust, plain = fit(X, y, delta=1e3).model, squares(X, y).model
    assert robust.coefficients == pytest.approx(plain.coefficients)
    assert robust.spread.sigma == pytest.approx(plain.spread.sigma)


def test_huber_forgives_an_outlier():
    x = np.arange(12.0)
    y = 2.0 * x + 1.0
    y[11] = 100.0
    assert fit(x[:, None], y, loss="huber", delta=0.1).model.coefficients[0] == pytest.approx(2.0, abs=0.05)
    assert squares(x[:, None], y).model.coefficients[0] > 3.5


def test_asymmetric_loss_balances_its_two_prices():
    X, y = wavy()
    for tau in (0.5, 0.9):
        result = fit(X, y, degree=0, loss="expectile", tau=tau)
        residuals = y - result.model.intercept
        above, below = residuals[residuals > 0].sum(), -residuals[residuals < 0].sum()
        assert tau * above == pytest.approx((1 - tau) * below)


@pytest.mark.parametrize("penalty", ["ridge", "lasso"])
def test_robust_and_penalised_together(penalty):
    """No small move of any coefficient lowers the objective."""
    X, y = wavy(d=2)
    result = fit(X, y, penalty=penalty, lam=2.0, loss="huber", delta=0.3, sweep=False)
    price, loss = Penalty(*{"ridge": (0, 2), "lasso": (2, 0)}[penalty]), Loss("huber", 0.3)

    def objective(intercept, beta):
        return loss.each(y - intercept - X @ beta).sum() + price.of(beta)

    best = objective(result.model.intercept, result.model.coefficients)
    assert result.metrics["objective"][-1] == pytest.approx(best)
    for move in (-1e-4, 1e-4):
        assert objective(result.model.intercept + move, result.model.coefficients) > best
        for j in range(2):
            assert objective(result.model.intercept, result.model.coefficients + move * np.eye(2)[j]) > best


# --- corners ---------------------------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(6, 50), st.integers(1, 3), st.sampled_from([0.1, 0.25, 0.5, 0.9]))
def test_medians_and_quantiles_cost_no_more_than_the_linear_program_s(seed, n, d, tau):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = X @ rng.normal(size=d) + rng.standard_t(1.5, size=n)
    loss = Loss("absolute") if tau == 0.5 else Loss("pinball", tau=tau)
    ours = fit(X, y, loss=loss.kind, tau=tau, sweep=False)
    theirs = QuantileRegressor(quantile=tau, alpha=0.0).fit(X, y)
    least = loss.each(y - theirs.predict(X)).sum()
    assert ours.metrics["objective"][-1] == pytest.approx(least, rel=1e-7)
    intercept, beta = fitted(X, y, True, Penalty(), loss)
    assert loss.each(y - intercept - X @ beta).sum() == pytest.approx(least, rel=1e-5)


def test_a_median_with_the_lasso_penalty_is_the_linear_program_s():
    X, y = wavy(d=2)
    loss, lam = Loss("absolute"), 3.0
    ours = fit(X, y, loss="absolute", penalty="lasso", lam=lam, sweep=False)
    theirs = QuantileRegressor(quantile=0.5, alpha=lam / (2 * len(X))).fit(X, y)
    least = loss.each(y - theirs.predict(X)).sum() + lam * np.abs(theirs.coef_).sum()
    assert ours.metrics["objective"][-1] == pytest.approx(least, rel=1e-5)


def test_the_best_curve_passes_through_as_many_points_as_it_has_coefficients():
    X, y = wavy()
    frames = frames_of(Points(X, y), loss="absolute", degree=2, sweep=False)
    last = frames[-1]
    (rings,) = (mark for mark in last.views["plane"] if isinstance(mark, Highlight))
    assert len(rings.points) == 3
    assert find(KEY).predict(last.model, X[rings.points]) == pytest.approx(y[rings.points], abs=1e-12)
    corner = next(frame for frame in frames if frame.phase == "corner")
    assert "passes through 3 points; of the others" in corner.caption


def test_a_quantile_has_its_share_of_points_below():
    rng = np.random.default_rng(1)
    X = rng.uniform(0, 10, size=(400, 1))
    y = X[:, 0] + (0.5 + 0.3 * X[:, 0]) * rng.normal(size=400)
    for tau in (0.1, 0.9):
        below = (y < fit(X, y, loss="pinball", tau=tau, sweep=False).predict(X)).mean()
        assert below == pytest.approx(tau, abs=0.01)


def test_an_outlier_counts_by_its_side_only():
    x = np.arange(9.0)
    y = np.where(x == 6, 50.0, 3.0 * x)
    for far in (50.0, 5000.0):
        y[6] = far
        assert fit(x[:, None], y, loss="absolute").model.coefficients[0] == pytest.approx(3.0)


@pytest.mark.parametrize("loss", ["absolute", "pinball"])
def test_a_target_of_zeros_is_no_trouble(loss):
    """A corner was rounded by less than the least number, and one over that is infinite."""
    found = algorithms.fit("robust_regression", Points(np.linspace(0.0, 1.0, 8)[:, None], np.zeros(8)), loss=loss)
    assert found.model.coefficients == pytest.approx(0.0)


def test_equal_points_and_points_on_a_line_are_no_trouble():
    flat = fit(np.zeros((5, 1)), np.array([1.0, 2.0, 3.0, 4.0, 9.0]), loss="absolute")
    assert flat.model.intercept + flat.model.coefficients[0] * 0.0 == pytest.approx(3.0)
    line = fit(X4, 2 + 3 * X4[:, 0], loss="absolute")
    assert (line.model.intercept, *line.model.coefficients) == pytest.approx((2, 3))


# --- pictures --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "loss", [Loss("huber", delta=0.5), Loss("expectile", tau=0.8), Loss("absolute"), Loss("pinball", tau=0.3)], ids=str
)
def test_loss_and_slope_curves(loss):
    square, cost, slope, dots = loss_marks(loss, np.array([-1.0, 0.2, 2.0]))
    assert square.y == pytest.approx(square.x**2)
    middle = (cost.x[:-1] + cost.x[1:]) / 2
    assert np.diff(cost.y) / np.diff(cost.x) == pytest.approx(loss.slope(middle), abs=0.05)
    assert slope.y == pytest.approx(loss.slope(slope.x))
    assert dots.at[:, 1] == pytest.approx(loss.each(np.array([-1.0, 0.2, 2.0])))


def test_other_losses_are_shown_beside_least_squares():
    y = np.array([1.0, 3.0, 2.0, 50.0])
    frame = frames_of(Points(X4, y), loss="huber", delta=0.1, sweep=False)[-1]
    beside = next(mark for mark in frame.views["plane"] if isinstance(mark, Curve) and mark.name == "least squares")
    assert beside.y == pytest.approx(squares(X4, y).predict(beside.x[:, None]))
    assert "losses" in frame.views


def test_the_noise_is_another_number_than_the_scale_of_the_coefficients_error():
    """The noise does not depend on delta; the line is the less certain the nearer the loss is to the absolute one."""
    rng = np.random.default_rng(0)
    x = rng.uniform(-3, 3, 5000)
    X, y = x[:, None], 1.0 + 0.5 * x + rng.normal(0.0, 0.5, 5000)
    sigmas, errors = [], []
    for delta in (0.05, 0.3, 1.0):
        spread = fit(X, y, delta=delta, sweep=False).model.spread
        sigmas.append(spread.sigma)
        errors.append(spread.base**0.5)
    assert sigmas == pytest.approx([0.5, 0.5, 0.5], rel=0.03)
    assert errors[0] * 5000**0.5 == pytest.approx(0.5 * (np.pi / 2) ** 0.5, rel=0.08)  # that of a median
    assert errors[2] * 5000**0.5 == pytest.approx(0.5, rel=0.03)


def test_counted_words():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 5))
    first = frames_of(Points(X, X[:, 0] + rng.normal(size=40)), loss="huber", delta=50.0, sweep=False)
    assert first[0].caption.startswith("5 functions of the 5 features;")
    assert "no point is further than δ = 50 away" in first[-2].caption
    captions = [frame.caption for frame in frames_of(Points(X[:, :2], X[:, 0]), penalty="lasso", lam=0.1)]
    assert any("all coefficients are 0" in caption for caption in captions)
    assert any("1 of 2 coefficients is not 0" in caption for caption in captions)
