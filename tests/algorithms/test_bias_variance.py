"""Bias and variance: their sum exactly, the formulas of the catalogue by Monte Carlo, Gauss-Markov, honest words."""

import numpy as np
import pytest

from algorithms import DataError, Item, find, fit
from algorithms.data import Points
from algorithms.evaluation.bias_variance.solver import (
    Basis,
    estimate,
    estimate_robustly,
    formula_parts,
    formula_spread,
)
from algorithms.evaluation.bias_variance.solver.game import TradeOff
from algorithms.marks import Bundle, Curve, Dots, ReferenceLine
from algorithms.maths.losses import Loss
from algorithms.maths.penalties import Penalty
from algorithms.moved import moved

KEY = "bias_variance"
RNG = np.random.default_rng(5)
X2 = RNG.normal(size=(25, 2)) @ np.array([[1.0, 0.8], [0.0, 0.6]]) + (1.0, -2.0)
BETA, INTERCEPT, SIGMA = np.array([1.5, -2.0]), 0.7, 0.5
TRUTH = INTERCEPT + X2 @ BETA
TARGETS = TRUTH + SIGMA * RNG.normal(size=(20_000, 25))
PENALTIES = [Penalty(), Penalty(l2=4.0), Penalty(l1=6.0), Penalty(1.0, 3.0), Penalty(lq=3.0, q=1.5)]


def basis_of(columns=X2, truth=TRUTH):
    return Basis.of(columns, truth)


def single(X, y, **params):
    """One fit by the method that the game is played with, as it was called before the methods were told apart."""
    return fit("linear_regression", X, y, sweep=False, **params)


def named(params):
    """The parameters with the fit written as one did before any method could be repeated."""
    return moved(KEY, params)[1]


def frames_of(data, **params):
    algorithm, params = find(KEY), named(params)
    return list(algorithm.start(data, algorithm.make_params(params), 0))


def sine(n=40, seed=0):
    rng = np.random.default_rng(seed)
    x = np.sort(rng.uniform(-1.5, 1.5, n))
    return Points(x[:, None], np.sin(2 * x) + 0.2 * rng.normal(size=n))


# --- the fits --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("penalty", PENALTIES, ids=str)
def test_each_estimate_is_the_fit_to_its_targets(penalty):
    basis = basis_of()
    found = estimate(basis, basis.seen(TARGETS[:3]), penalty)
    intercepts, betas = found.coefficients
    kind = {0: "none", 4: "ridge"}.get(penalty.l2 if penalty.closed else -1)
    params = {"penalty": kind, "lam": 4.0} if kind else {"penalty": "lasso", "lam": 6.0}
    if penalty.l1 == 1.0:
        params = {"penalty": "elastic net", "lam": 4.0, "mix": 0.25}
    if penalty.lq:
        params = {"penalty": "power", "lam": 3.0, "q": 1.5}
    for target, a, b in zip(TARGETS, intercepts, betas):
        model = single(X2, target, **params).model
        assert (a, *b) == pytest.approx((model.intercept, *model.coefficients), abs=1e-5)


@pytest.mark.parametrize("penalty", PENALTIES, ids=str)
def test_squared_distance_is_bias_squared_plus_variance(penalty):
    basis = basis_of()
    found = estimate(basis, basis.seen(TARGETS[:40]), penalty)
    bias, variance = found.parts()
    intercepts, betas = found.coefficients
    values = intercepts[:, None] + betas @ X2.T  # the same, with all points in hand
    assert bias == pytest.approx(np.mean((values.mean(axis=0) - TRUTH) ** 2))
    assert variance == pytest.approx(np.mean(values.var(axis=0)))
    assert bias + variance == pytest.approx(np.mean((values - TRUTH) ** 2))


def test_a_truth_outside_the_columns_leaves_its_own_bias():
    bent = TRUTH + X2[:, 0] ** 2
    basis = basis_of(truth=bent)
    found = estimate(basis, basis.seen(bent + 0.1 * RNG.normal(size=(500, 25))), Penalty())
    line = np.column_stack([np.ones(25), X2])
    rest = bent - line @ np.linalg.lstsq(line, bent, rcond=None)[0]
    assert basis.outside == pytest.approx(np.mean(rest**2))
    assert found.parts()[0] == pytest.approx(np.mean(rest**2), rel=0.01)


def test_other_losses_are_refitted_point_by_point():
    basis = basis_of()
    found = estimate_robustly(basis, TARGETS[:3], Penalty(), Loss("huber", 0.3))
    for target, a, b in zip(TARGETS, *found.coefficients):
        model = single(X2, target, loss="huber", delta=0.3).model
        assert (a, *b) == pytest.approx((model.intercept, *model.coefficients), abs=1e-3)


# --- the formulas (R2.5, R2.7, S61) ----------------------------------------------------------------------------------


def test_least_squares_is_unbiased_with_the_covariance_of_the_formula():
    """Mean of β* → β; Cov → σ²(X'X)⁻¹ with the intercept; E σ̂² = σ² with n - p - 1."""
    basis = basis_of()
    intercepts, betas = estimate(basis, basis.seen(TARGETS), Penalty()).coefficients
    every = np.column_stack([intercepts, betas])
    line = np.column_stack([np.ones(25), X2])
    wanted = SIGMA**2 * np.linalg.inv(line.T @ line)
    errors = np.sqrt(np.diag(wanted) / len(every))
    assert np.abs(every.mean(axis=0) - (INTERCEPT, *BETA)).max() < 4 * errors.max()
    assert np.cov(every.T) == pytest.approx(wanted, abs=0.05 * wanted.max())
    residuals = TARGETS - intercepts[:, None] - betas @ X2.T
    assert np.mean((residuals**2).sum(axis=1) / (25 - 3)) == pytest.approx(SIGMA**2, rel=0.01)
    assert basis.best() == (pytest.approx(INTERCEPT), pytest.approx(BETA))


@pytest.mark.parametrize("lam", [0.0, 1.0, 30.0])
def test_ridge_by_its_eigenvalues(lam):
    """Bias -λ/(d + λ) along each eigenvector, variance σ² d/(d + λ)²; E β = (A + λI)⁻¹Aβ*; measured and by formula."""
    basis, Xc = basis_of(), X2 - X2.mean(axis=0)
    d, V = np.linalg.eigh(Xc.T @ Xc)
    mean, covariance = formula_spread(basis, Penalty(l2=lam), SIGMA)
    assert mean - BETA == pytest.approx(V @ (-lam / (d + lam) * (V.T @ BETA)))
    assert covariance == pytest.approx(SIGMA**2 * V @ np.diag(d / (d + lam) ** 2) @ V.T)
    inverse = np.linalg.inv(Xc.T @ Xc + lam * np.eye(2))
    assert mean == pytest.approx(inverse @ Xc.T @ Xc @ BETA)
    _, betas = estimate(basis, basis.seen(TARGETS), Penalty(l2=lam)).coefficients
    assert betas.mean(axis=0) == pytest.approx(mean, abs=4 * SIGMA / np.sqrt(d.min() * len(betas)))
    assert np.cov(betas.T) == pytest.approx(covariance, abs=0.05 * covariance.max())


def test_bias_grows_and_variance_falls_along_lambda():
    basis = basis_of()
    parts = [formula_parts(basis, Penalty(l2=lam), SIGMA) for lam in np.geomspace(1e-3, 1e5, 30)]
    bias, variance = np.array(parts).T
    assert np.diff(bias).min() > 0
    assert np.diff(variance).max() < 0
    assert bias[0] < 1e-6
    assert bias[-1] == pytest.approx(np.var(TRUTH), rel=0.01)  # λ → ∞ leaves the mean only
    assert variance[-1] == pytest.approx(SIGMA**2 / 25, rel=0.01)
    assert variance[0] == pytest.approx(SIGMA**2 * 3 / 25, rel=0.01)  # σ² (p + 1) / n
    assert (bias + variance).argmin() not in (0, 29)  # a little ridge is better than none


def test_measured_parts_are_those_of_the_formula():
    basis = basis_of()
    for penalty in (Penalty(), Penalty(l2=10.0)):
        measured = estimate(basis, basis.seen(TARGETS), penalty).parts()
        assert measured == pytest.approx(formula_parts(basis, penalty, SIGMA), rel=0.03, abs=1e-4)
    assert formula_parts(basis, Penalty(l1=1.0), SIGMA) is None


def test_gauss_markov():
    """Another linear unbiased way, least squares with unequal weights, scatters more in every direction."""
    line = np.column_stack([np.ones(25), X2])
    best = np.linalg.inv(line.T @ line)
    weights = np.linspace(0.2, 3.0, 25)
    other = np.linalg.solve(line.T * weights @ line, line.T * weights)
    assert other @ line == pytest.approx(np.eye(3), abs=1e-9)  # unbiased
    assert np.linalg.eigvalsh(other @ other.T - best).min() > -1e-12
    measured = np.cov((TARGETS @ other.T).T)
    ours = np.column_stack(estimate(basis_of(), basis_of().seen(TARGETS), Penalty()).coefficients)
    assert (np.diag(measured) > np.diag(np.cov(ours.T))).all()


def test_collinear_columns_make_the_estimates_jump():
    """S60: with a condition number of 10⁸ noise of a thousandth moves β by more than 1, f by little."""
    near = np.column_stack([X2[:, 0], X2[:, 0] + 1e-4 * X2[:, 1]])
    basis = Basis.of(near, near @ [1.0, 1.0])
    found = estimate(basis, basis.seen(near @ [1.0, 1.0] + 1e-3 * RNG.normal(size=(200, 25))), Penalty())
    assert found.coefficients[1].std(axis=0).min() > 1.0
    assert found.parts()[1] < 1e-6
    calm = estimate(basis, basis.seen(near @ [1.0, 1.0] + 1e-3 * RNG.normal(size=(200, 25))), Penalty(l2=1e-3))
    assert calm.coefficients[1].std(axis=0).max() < 0.1


# --- the run ---------------------------------------------------------------------------------------------------------


def test_frames_say_what_the_truth_is_and_show_every_redraw():
    frames = frames_of(sine(), degree=3, redraws=30, truth=5)
    drawn = [frame for frame in frames if frame.phase == "redraw"]
    assert all("truth of our choice, the least-squares fit of degree 5" in frame.caption for frame in drawn)
    assert [len(frame.views["cloud"][3].at) for frame in drawn[:9]] == [1, 2, 3, 4, 5, 6, 7, 8, 9]
    assert [len(frame.model.coefficients) for frame in drawn[:9]] == [1, 2, 3, 4, 5, 6, 7, 8, 9]
    assert len(drawn[-1].views["cloud"][3].at) == 30
    assert len(frames[0].views["plane"]) == 1  # the truth alone
    assert frames[-1].model is drawn[-1].model


def test_the_model_has_the_parts_of_the_error():
    data = sine()
    found = fit(KEY, data, **named({"degree": 2, "truth": 5, "redraws": 50, "noise": 0.3}))
    model = found.model
    fits = model.fits(data.X)  # (50, n)
    true = fit("linear_regression", data, degree=5).predict(data.X)
    assert model.truth.values == pytest.approx(true)
    assert model.bias2 == pytest.approx(np.mean((fits.mean(axis=0) - true) ** 2))
    assert model.variance == pytest.approx(np.mean(fits.var(axis=0)))
    assert model.noise == pytest.approx(0.09)
    assert np.mean((fits - true) ** 2) == pytest.approx(model.bias2 + model.variance)
    assert found.predict(data.X) == pytest.approx(fits.mean(axis=0))
    assert [found.metrics[name][-1] for name in ("bias2", "variance", "noise", "error")] == pytest.approx(
        [model.bias2, model.variance, model.noise, model.bias2 + model.variance + model.noise]
    )


def test_the_explanation_of_a_point_is_its_own_bias_and_variance():
    data = sine()
    found = fit(KEY, data, **named({"degree": 2, "truth": 5, "redraws": 40}))
    every = [found.explain(i) for i in range(data.n)]
    assert np.mean([words["bias²"] for words in every]) == pytest.approx(found.model.bias2)
    assert np.mean([words["variance"] for words in every]) == pytest.approx(found.model.variance)
    assert every[3]["bias"] == pytest.approx(every[3]["mean of the fits"] - every[3]["truth"])
    assert every[3]["target in the data"] == data.y[3]
    assert "target in the data" not in found.explain([0.3])


def test_fan_mean_and_truth_over_one_feature():
    data = sine()
    frame = next(f for f in frames_of(data, degree=3, redraws=5) if "Redraw 5:" in f.caption)
    fan = next(mark for mark in frame.views["plane"] if isinstance(mark, Bundle))
    curves = {mark.name: mark for mark in frame.views["plane"] if isinstance(mark, Curve | Dots)}
    assert fan.y.shape == (5, len(fan.x))
    assert curves["mean of the fits"].y == pytest.approx(fan.y.mean(axis=0))
    plain = fit("linear_regression", data, degree=3)  # the truth has degree 3 here, so it is the fit itself
    assert curves["the truth"].y == pytest.approx(plain.predict(fan.x[:, None]))
    assert curves["targets drawn anew"].at[:, 0] == pytest.approx(data.X[:, 0])
    noise = curves["targets drawn anew"].at[:, 1] - plain.predict(data.X)
    assert noise.std() == pytest.approx(plain.model.spread.sigma, rel=0.4)


def test_the_ellipse_of_the_formula_holds_most_of_the_cloud():
    data = Points(X2, TRUTH + SIGMA * RNG.normal(size=25))
    frame = [f for f in frames_of(data, degree=1, redraws=300, truth=1) if f.phase == "redraw"][-1]
    marks = {mark.name: mark for mark in frame.views["cloud"] if isinstance(mark, Curve | Dots)}
    ring, cloud = marks["95 % by the formula"], marks["estimates"].at
    middle = np.array([ring.x[:-1].mean(), ring.y[:-1].mean()])
    assert marks["truth"].at[0] == pytest.approx(middle)
    axes = np.linalg.inv(np.cov(np.array([ring.x[:-1], ring.y[:-1]])) * 2)  # of a curve around an ellipse
    inside = np.einsum("ij,jk,ik->i", cloud - middle, axes, cloud - middle) < 1
    assert inside.mean() == pytest.approx(0.95, abs=0.04)


def test_trade_off_against_degree_and_lambda():
    frames = frames_of(sine(), degree=5, method="ridge", lam=0.3, redraws=40, truth=5)
    bias_degrees, bias_lambdas = frames[-1].views["bias_degrees"], frames[-1].views["bias_lambdas"]
    for marks, handle, at in ((bias_degrees, "degree", 5.0), (bias_lambdas, "lam", 0.3)):
        curves = {mark.name: mark for mark in marks if isinstance(mark, Curve)}
        whole = curves["bias² + variance + σ²"].y
        noise, here = (mark for mark in marks if isinstance(mark, ReferenceLine))
        assert whole == pytest.approx(curves["bias²"].y + curves["variance"].y + noise.at, rel=1e-6)
        assert (here.at, here.handle) == (at, f"method.{handle}")
    curves = {mark.name: mark for mark in bias_lambdas if isinstance(mark, Curve)}
    assert curves["bias²"].y[0] > curves["bias²"].y[-1]  # from the largest λ to the least
    assert curves["variance"].y[0] < curves["variance"].y[-1]


def test_without_a_penalty_the_lambdas_are_those_of_ridge():
    frames = frames_of(sine(), degree=3, redraws=5)
    words = [frame.caption for frame in frames if frame.phase in ("degree", "lambda")]
    assert sum("With a ridge penalty, λ" in text for text in words) == 41
    assert sum(text.startswith("Degree") for text in words) == 11
    assert not any(isinstance(mark, ReferenceLine) and mark.handle for mark in frames[-1].views["bias_lambdas"])


@pytest.mark.parametrize(
    "params",
    [
        {"method": "lasso", "lam": 0.5},
        {"method": "huber", "delta": 0.2},
        {"method": "principal components", "components": 1},
        {"method": "ridge"},
        {"degree": 0},
        {"dictionary": "gaussian bumps", "degree": 4},
        {"dictionary": "gaussian kernel", "degree": 4, "method": "ridge"},
        {"source": "a formula", "formula": "exp(-x) + 0.3"},
    ],
    ids=str,
)
def test_every_variant_can_be_redrawn(params):
    frames = frames_of(sine(16), **{"degree": 2, **params}, redraws=3, truth=2)
    swept = "lambda" if "kernel" in params.get("dictionary", "") else "degree"  # kernels are run anew each time
    assert {"redraw", swept} <= {frame.phase for frame in frames}
    assert all(np.isfinite(mark.y).all() for mark in frames[-1].views["plane"] if isinstance(mark, Curve))


def test_a_chosen_noise_and_a_truth_that_leaves_points_to_spare():
    few = Points(np.arange(4.0)[:, None], np.array([1.0, 3.0, 2.0, 5.0]))
    frame = next(f for f in frames_of(few, degree=1, redraws=2, truth=9, noise=0.25) if f.phase == "redraw")
    assert "σ = 0.25" in frame.caption
    assert "degree 2" in frame.caption


def test_very_many_points_are_redrawn_less_often():
    x = np.linspace(0, 1, 60_000)
    run = find(KEY).start(Points(x[:, None], x), find(KEY).make_params(named({"redraws": 300, "degree": 1})), 0)
    assert "drawn 66 times only" in next(run).warning


def test_the_last_words_name_the_best_degree_and_lambda():
    last = frames_of(sine(), degree=5, method="ridge", lam=0.3, redraws=40, truth=5)[-1]
    best = []
    for key in ("bias_degrees", "bias_lambdas"):
        curve = next(m for m in last.views[key] if isinstance(m, Curve) and m.name == "bias² + variance + σ²")
        best.append(curve.x[curve.y.argmin()])
    assert f"bias² + variance is least at degree {best[0]:.0f} and λ = {best[1]:.4g}." in last.caption


# --- a formula as the truth ------------------------------------------------------------------------------------------


def test_a_formula_is_the_truth_and_the_data_only_say_where():
    data = sine()
    found = fit(
        KEY, data, **named({"source": "a formula", "formula": "sin(2*x)", "degree": 5, "redraws": 60, "noise": 0.2})
    )
    assert found.model.truth.values == pytest.approx(np.sin(2 * data.X[:, 0]))
    assert found.predict(data.X) == pytest.approx(np.sin(2 * data.X[:, 0]), abs=0.12)
    drawn = next(f for f in frames_of(data, source="a formula", formula="sin(2*x)", redraws=2) if f.phase == "redraw")
    assert "the function sin(2*x)" in drawn.caption
    other = Points(data.X, data.y + 5.0)
    again = fit(
        KEY, other, **named({"source": "a formula", "formula": "sin(2*x)", "degree": 5, "redraws": 60, "noise": 0.2})
    )
    assert again.model.bias2 == found.model.bias2


def test_the_noise_around_a_formula_is_the_distance_of_the_data():
    data = Points(np.arange(4.0)[:, None], np.array([1.0, -1.0, 1.0, -1.0]))
    assert fit(
        KEY, data, **named({"source": "a formula", "formula": "0*x", "degree": 1, "redraws": 2})
    ).model.noise == pytest.approx(1.0)


def test_a_formula_of_two_features():
    data = Points(X2, TRUTH)
    found = fit(
        KEY,
        data,
        **named({"source": "a formula", "formula": "0.7 + 1.5*x - 2*z", "degree": 1, "redraws": 200, "noise": 0.5}),
    )
    assert found.model.bias2 < 0.01
    assert found.model.variance == pytest.approx(0.25 * 3 / 25, rel=0.15)  # σ² (p + 1) / n


def test_a_formula_that_is_no_number_somewhere_is_refused():
    with pytest.raises(DataError, match="not a number at every point"):
        fit(KEY, sine(), source="a formula", formula="log(x)")
    half = Points(np.linspace(0.5, 2, 20)[:, None], np.ones(20))
    last = frames_of(half, source="a formula", formula="log(x)", degree=2, redraws=3)[-1]
    assert all(np.isfinite(mark.y).all() for mark in last.views["plane"] if isinstance(mark, Curve))
    assert "truth" not in find(KEY).explain(last.model, half, Item(x=np.array([-1.0])))


def test_a_live_change_goes_on_from_the_fits():
    data, algorithm = sine(), find(KEY)
    before = frames_of(data, degree=3, redraws=10)[-1].model
    warm = list(algorithm.start(data, algorithm.make_params(named({"degree": 4, "redraws": 10})), 0, before))
    assert warm[0].model is before
    assert [frame.phase for frame in warm].count("redraw") == 1
    assert warm[1].model.coefficients.shape == (10, 4)


# --- any method ------------------------------------------------------------------------------------------------------


def test_any_regression_method_is_repeated():
    """bias², variance and their sum are those of the fits, which are runs of the method on the drawn targets."""
    data = sine(20)
    found = fit(KEY, data, method="k_nearest(k=3)", redraws=6, noise=0.3, truth=4, over="k=1..5")
    model = found.model
    assert len(model.fitted) == 6
    fits = model.fits(data.X)
    assert model.bias2 == pytest.approx(np.mean((fits.mean(axis=0) - model.truth.values) ** 2))
    assert model.variance == pytest.approx(np.mean(fits.var(axis=0)))
    assert np.mean((fits - model.truth.values) ** 2) == pytest.approx(model.bias2 + model.variance)
    assert found.predict(data.X) == pytest.approx(fits.mean(axis=0))
    targets = model.truth.values + 0.3 * np.random.default_rng(0).standard_normal((6, 20))
    single = fit("k_nearest", Points(data.X, targets[2]), k=3)
    assert fits[2] == pytest.approx(single.predict(data.X))


def test_the_general_way_agrees_with_all_at_once():
    """Ridge is fitted all at once; with something to vary it is run again and again, and is the same."""
    data, ridge = sine(20), "linear_regression(degree=3,penalty='ridge',lam=0.1)"
    once = fit(KEY, data, method=ridge, redraws=8, noise=0.3)
    again = fit(KEY, data, method=ridge, redraws=8, noise=0.3, over="lam=0.01,0.1")
    assert again.model.truth.values == pytest.approx(once.model.truth.values)
    assert (again.model.bias2, again.model.variance) == pytest.approx((once.model.bias2, once.model.variance), rel=1e-6)


def test_a_number_of_the_method_is_varied():
    frames = frames_of(sine(24), method="k_nearest", redraws=10, noise=0.4, over="k=1,4,12")
    curves = {mark.name: mark for mark in frames[-1].views["bias_degrees"] if isinstance(mark, Curve)}
    assert curves["variance"].x.tolist() == [1, 4, 12]
    assert (np.diff(curves["variance"].y) < 0).all()  # the mean of more neighbours scatters less
    assert curves["bias²"].y[-1] > curves["bias²"].y[0]
    (here,) = (mark for mark in frames[-1].views["bias_degrees"] if isinstance(mark, ReferenceLine) and mark.handle)
    assert here.handle == "method.k"
    assert "least at k = " in frames[-1].caption
    by_factors = frames_of(sine(12), method="kernel_ridge", redraws=2)[-1]
    assert "bias_lambdas" in by_factors.views


def test_what_cannot_be_varied_is_said():
    with pytest.raises(DataError, match="kernel must be a number"):
        fit(KEY, sine(12), method="kernel_ridge", over="kernel=rbf,linear", redraws=2)
    with pytest.raises(DataError, match="has no parameter 'depth'"):
        fit(KEY, sine(12), method="k_nearest", over="depth=1..3", redraws=2)


def test_another_method_goes_on_or_begins_anew():
    data, algorithm = sine(12), find(KEY)
    before = frames_of(data, method="k_nearest", redraws=2)[-1].model
    params = algorithm.make_params({"method": "k_nearest(k=2)", "redraws": 2})
    assert next(algorithm.start(data, params, 0, before)).model is before
    plain = algorithm.make_params({"redraws": 2})
    assert next(algorithm.start(data, plain, 0, before)).phase == "truth"


def test_two_features_and_a_truth_of_a_lower_degree():
    data = Points(RNG.normal(size=(30, 12)), RNG.normal(size=30))
    found = fit(KEY, data, method="k_nearest", redraws=2, truth=20)
    assert found.model.truth.degree < 20
    assert np.isfinite(found.model.bias2)


def test_the_large_panel_has_the_degree_that_the_caption_is_about():
    data = sine()
    frames = frames_of(data, degree=3, redraws=20)
    for degree in (1, 9):
        frame = next(f for f in frames if f.caption.startswith(f"Degree {degree}:"))
        fan = next(mark for mark in frame.views["plane"] if isinstance(mark, Bundle))
        bends = np.abs(np.diff(fan.y[0], 2)).max()
        assert (bends < 1e-9) == (degree == 1)
        assert frame.model.coefficients.shape == (20, degree)
        fits = frame.model.fits(data.X)
        assert f"bias² {np.mean((fits.mean(axis=0) - frame.model.truth.values) ** 2):.4g} +" in frame.caption
    assert len({frame.metrics["error"] for frame in frames if frame.phase in ("degree", "lambda", "done")}) == 1


def test_the_fits_of_another_number_are_on_show_too():
    frames = frames_of(sine(24), method="k_nearest", redraws=10, noise=0.4, over="k=1,24")
    last = [frame for frame in frames if frame.caption.startswith("k = 24")][-1]
    assert np.ptp(last.model.fits(np.array([[-1.0], [0.0], [1.0]])), axis=1) == pytest.approx(0.0)  # the mean of all


def test_a_number_without_effect_is_refused_and_a_flat_curve_has_no_least():
    with pytest.raises(DataError, match="lam has no effect here: it counts only where penalty is ridge"):
        fit(KEY, sine(), method="linear_regression(degree=3)", over="lam=0.01..100:log:5", redraws=3)
    flat = frames_of(sine(12), method="k_nearest(k=3)", over="k=3", redraws=3)[-1]
    assert "least at k = 3" in flat.caption
    trade = TradeOff("k", "bias_degrees", "degree", 3.0, 0.1, 1e-9, pairs=((1.0, (0.25, 0.5)), (2.0, (0.5, 0.25))))
    assert trade.least is None


def test_class_labels_get_no_curve():
    three = Points(np.arange(9.0)[:, None], np.arange(9) % 3)
    with pytest.raises(DataError, match="The 3 classes of these points are no values"):
        frames_of(three, redraws=2)


def test_bias_and_variance_are_not_recorded_before_the_first_fit():
    found = fit(KEY, sine(), redraws=3)
    assert np.isnan([found.metrics[name][0] for name in ("bias2", "variance", "error")]).all()
    assert np.isfinite([found.metrics[name][1:] for name in found.metrics]).all()
