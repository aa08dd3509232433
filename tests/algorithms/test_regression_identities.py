"""Identities of the catalogue around least squares and ridge: projection, likelihood, spectra."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from algorithms import find, fit
from algorithms.data import Points
from algorithms.marks import Cloud3D
from algorithms.maths.design import Design, condition_number
from algorithms.maths.linear_fits import by_directions, solve
from algorithms.maths.penalties import Penalty
from algorithms.maths.regression_marks import eigenvalue_marks
from algorithms.regression.linear_regression.views import projection_places

KEY = "linear_regression"
X4, Y4 = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([1.0, 3.0, 2.0, 5.0])
RNG = np.random.default_rng(2)
X2 = RNG.normal(size=(30, 2))
Y2 = X2 @ [1.0, -2.0] + 0.3 * RNG.normal(size=30)


def frames_of(data, **params):
    algorithm = find(KEY)
    return list(algorithm.start(data, algorithm.make_params(params), 0))


# --- R2.1, H17, S55 --------------------------------------------------------------------------------------------------


def test_moore_penrose():
    """X⁺ column by column, as the pseudo-inverse solver gives it: X X⁺ X = X and X⁺ X X⁺ = X⁺, of rank 2."""
    X = np.column_stack([X2, X2.sum(axis=1)])
    pinv = np.column_stack([list(by_directions(X, unit, 0.0, [3]))[-1][0] for unit in np.eye(30)])
    assert X @ pinv @ X == pytest.approx(X)
    assert pinv @ X @ pinv == pytest.approx(pinv)
    assert pinv == pytest.approx(np.linalg.pinv(X))


def test_fitting_is_a_projection():
    """Fits to the unit vectors are the columns of the hat matrix: symmetric, idempotent, of trace p + 1."""
    hat = np.column_stack([fit(KEY, X2, unit, degree=2, sweep=False).predict(X2) for unit in np.eye(30)])
    assert hat == pytest.approx(hat.T, abs=1e-9)
    assert hat @ hat == pytest.approx(hat, abs=1e-9)
    assert np.trace(hat) == pytest.approx(6)


@pytest.mark.parametrize("lam", [0.0, 3.0])
def test_gradient_by_finite_differences(lam):
    """∇ = -2X'y + 2(X'X + λI)β everywhere, and 0 at the fit; the constant Hessian 2(X'X + λI) is positive definite."""
    X, y = X2 - X2.mean(axis=0), Y2 - Y2.mean()

    def objective(beta):
        return ((y - X @ beta) ** 2).sum() + lam * beta @ beta

    params = {"penalty": "ridge", "lam": lam} if lam else {}
    best = fit(KEY, X2, Y2, **params).model.coefficients
    for beta in (best, np.array([0.3, 2.0])):
        steps = 1e-5 * np.eye(2)
        numeric = np.array([(objective(beta + h) - objective(beta - h)) / 2e-5 for h in steps])
        assert numeric == pytest.approx(-2 * X.T @ y + 2 * (X.T @ X + lam * np.eye(2)) @ beta, abs=1e-5)
    assert -2 * X.T @ y + 2 * (X.T @ X + lam * np.eye(2)) @ best == pytest.approx(np.zeros(2), abs=1e-9)
    assert np.linalg.eigvalsh(X.T @ X + lam * np.eye(2)).min() > 0


def test_collinear_data_are_fitted_exactly():
    result = fit(KEY, X4, 2 + 3 * X4[:, 0])
    assert (result.model.intercept, *result.model.coefficients) == pytest.approx((2, 3))
    assert result.metrics["mse"][-1] == pytest.approx(0, abs=1e-20)


def test_full_column_rank_or_a_warning():
    twice = np.column_stack([X2, X2[:, 0]])
    assert "depend on each other" in fit(KEY, twice, Y2).last.warning
    assert fit(KEY, twice, Y2, penalty="ridge").last.warning == ""  # X'X + λI can be inverted always
    assert fit(KEY, X2, Y2).last.warning == ""


def test_the_residual_stands_on_the_plane_of_the_columns():
    frame = frames_of(Points(X2, Y2), sweep=False)[-1]
    origin, u, v, shadow, target = projection_places(frame.given.problem, (1, 2), frame.model)
    residual = target - shadow
    assert origin.tolist() == [0, 0, 0]
    assert [residual @ u, residual @ v, residual @ shadow] == pytest.approx([0, 0, 0], abs=1e-9)
    assert target @ target == pytest.approx(shadow @ shadow + residual @ residual)  # Pythagoras
    assert residual @ residual == pytest.approx(30 * frame.metrics["mse"])
    assert target @ target == pytest.approx(30 * np.var(Y2))
    angle = np.corrcoef(X2.T)[0, 1]
    assert u @ v / np.linalg.norm(u) / np.linalg.norm(v) == pytest.approx(angle)


def test_a_ridge_fit_is_shorter_than_the_shadow():
    frame = frames_of(Points(X2, Y2), penalty="ridge", lam=30.0, sweep=False)[-1]
    *_, shadow, target = projection_places(frame.given.problem, (1, 2), frame.model)
    assert (target - shadow) @ shadow > 0.1


def test_surface_over_two_features():
    frame = frames_of(Points(X2, Y2), degree=2, sweep=False)[-1]
    (cloud,) = frame.views["space"]
    assert isinstance(cloud, Cloud3D)
    low, high = np.append(X2.min(axis=0), Y2.min()), np.append(X2.max(axis=0), Y2.max())
    back = cloud.corners * (high - low) + (low + high) / 2
    predicted = find(KEY).predict(frame.model, back[:, :2])
    reach = np.ptp(Y2) / 2
    assert back[:, 2] == pytest.approx(np.clip(predicted, Y2.min() - reach, Y2.max() + reach))
    assert cloud.suspects.tolist()[3] == [3, 33]  # from a point to its foot
    assert "space" not in frames_of(Points(X4, Y4), sweep=False)[-1].views


# --- R2.2 ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("noise", [0.0, 0.4])
def test_likelihood_and_squares_are_the_same_question(noise):
    """log-likelihood + n MSE / (2σ²) is the same for every β of the run; the best of both is the same frame."""
    frames = frames_of(Points(X4, Y4), degree=2, noise=noise, sweep=False)
    mse = np.array([frame.metrics["mse"] for frame in frames])
    heights = np.array([frame.metrics["log_likelihood"] for frame in frames])
    pilot = fit(KEY, X4, Y4, degree=2).model.spread.sigma
    sigma = noise or pilot
    assert heights + 4 * mse / (2 * sigma**2) == pytest.approx(np.full(len(mse), -2 * np.log(2 * np.pi * sigma**2)))
    assert heights.argmax() == mse.argmin()


def test_the_band_of_the_noise_is_as_wide_everywhere():
    model = fit(KEY, X4, Y4, band="of the noise", noise=0.5, penalty="ridge").model
    half = model.spread.half_width(model.dictionary.columns(np.array([[-5.0], [0.0], [9.0]])))
    assert half == pytest.approx(np.full(3, 0.5 * 1.959964))
    assert "± of the noise" in find(KEY).explain(model, Points(X4, Y4), Points(X4, Y4).item(0))


# --- H18, S60, S61, R2.7 ---------------------------------------------------------------------------------------------


def test_ridge_lifts_every_eigenvalue_by_lambda():
    frame = frames_of(Points(X2, Y2), penalty="ridge", lam=7.0, sweep=False)[-1]
    given, lifted = frame.views["eigenvalues"]
    centred = X2 - X2.mean(axis=0)
    assert given.y == pytest.approx(np.linalg.eigvalsh(centred.T @ centred)[::-1])
    assert lifted.y == pytest.approx(np.linalg.eigvalsh(centred.T @ centred + 7 * np.eye(2))[::-1])
    assert "condition number of Φ'Φ + λI" in frame.caption
    assert len(eigenvalue_marks(np.array([3.0, 1.0]), 0.0)) == 1


def test_the_condition_improves_with_lambda():
    """Spectral condition |least| / |largest| of the slides rises to 1; ours is its inverse."""
    d = np.array([10.0, 1e-3])
    conditions = [condition_number(d + lam) for lam in (0.0, 0.1, 1.0, 100.0)]
    assert conditions[0] == pytest.approx(1e4)
    assert np.diff(conditions).max() < 0
    assert conditions[-1] == pytest.approx(1.1, abs=0.01)


def test_far_apart_coefficients_with_nearly_the_same_fit():
    """S60: a direction of length 1e-10; β 1000 apart, fits 1e-7 apart."""
    X = np.column_stack([X2[:, 0], 1e-10 * X2[:, 1] / np.abs(X2[:, 1]).max()])
    model = fit(KEY, X, Y2, sweep=False).model
    away = replace(model, coefficients=model.coefficients + (0.0, 1000.0))
    apart = np.abs(find(KEY).predict(away, X) - find(KEY).predict(model, X)).max()
    assert apart == pytest.approx(1e-7, rel=1e-3)


def test_ridge_needs_no_full_rank():
    twice = np.column_stack([X2, X2[:, 0]])
    ours = fit(KEY, twice, Y2, penalty="ridge", lam=2.0)
    assert ours.predict(twice) == pytest.approx(Ridge(alpha=2.0).fit(twice, Y2).predict(twice))
    assert ours.model.coefficients[0] == pytest.approx(ours.model.coefficients[2])  # shared fairly


def test_gradient_descent_on_the_ridge_loss_ends_in_the_closed_form():
    X, y, lam = X2 - X2.mean(axis=0), Y2 - Y2.mean(), 4.0
    H, beta = 2 * (X.T @ X + lam * np.eye(2)), np.zeros(2)
    for _ in range(500):
        beta = beta - (H @ beta - 2 * X.T @ y) / np.linalg.eigvalsh(H)[-1]
    assert fit(KEY, X2, Y2, penalty="ridge", lam=lam).model.coefficients == pytest.approx(beta)


@pytest.mark.parametrize("penalty", [Penalty(l2=1.0), Penalty(l1=1.0), Penalty(lq=1.0, q=1.5)], ids=str)
def test_a_larger_price_is_a_smaller_ball(penalty):
    """The size t of the ball that holds the fit falls while λ grows, from least squares to nothing."""
    design = Design.of(X2, Y2, centred=True)
    sizes = []
    for lam in np.geomspace(1e-4, 1e4, 15).tolist():
        scaled = Penalty(penalty.l1 * lam, penalty.l2 * lam, penalty.lq * lam, penalty.q)
        sizes.append(penalty.of(design.coefficients(solve(design, scaled))[1]))
    assert np.diff(sizes).max() < 1e-9
    assert sizes[-1] < 1e-2 * sizes[0]
