"""Gaussian processes (Rasmussen and Williams, chapters 2 and 5): by hand, the formulas, kernel ridge, scikit-learn."""

import itertools
import warnings

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process import kernels as theirs

from algorithms import Stop, find, fit
from algorithms.data import Points
from algorithms.marks import Bundle, Curve, Highlight, PointSizes, ReferenceLine, Segments
from algorithms.maths.contours import zero_pieces
from algorithms.maths.kernel_spectrum import spectrum_of
from algorithms.regression.gaussian_process.solver import (
    MOST_JOINT,
    SPANS,
    Climb,
    Decomposed,
    Hyper,
    Process,
    Row,
    evidence_of,
    kernel_of,
)

KEY = "gaussian_process"
ALGORITHM = find(KEY)
PLAIN = {"scale": "as they are", "map": False, "learn": False}
KERNELS = {
    "rbf": theirs.RBF(0.6),
    "matern 5/2": theirs.Matern(0.6, nu=2.5),
    "matern 3/2": theirs.Matern(0.6, nu=1.5),
    "matern 1/2": theirs.Matern(0.6, nu=0.5),
    "periodic": theirs.ExpSineSquared(0.6, 1.3),
    "linear": theirs.ConstantKernel(1 / 0.36) * theirs.DotProduct(0.6),
}


def waves(n=20, d=1, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, size=(n, d))
    return X, np.sin(2 * X[:, 0]) + 0.2 * rng.normal(size=n)


def frames_of(X, y, start=None, seed=0, **params):
    return list(ALGORITHM.start(Points(X, y), ALGORITHM.make_params(params), seed, start))


# --- the posterior ---------------------------------------------------------------------------------------------------


def test_one_point_by_hand():
    """At x = 0, y = 2, with a = σ = 1: the mean is k(x) · 2/2, the variance 1 - k(x)²/2, log p(y) = log N(2; 0, 2)."""
    model = fit(KEY, np.array([[0.0]]), [2.0], length=1.0, amplitude=1.0, noise=1.0, **PLAIN).model
    at = np.array([[0.0], [1.0], [50.0]])
    k = np.exp(-0.5 * at[:, 0] ** 2)
    assert model.alpha.tolist() == pytest.approx([1.0])
    assert model.values(at).tolist() == pytest.approx(k.tolist())
    assert np.square(model.deviation(at)).tolist() == pytest.approx((1 - k**2 / 2).tolist())
    assert model.log_marginal == pytest.approx(-0.5 * 4 / 2 - 0.5 * np.log(2.0) - 0.5 * np.log(2 * np.pi))


@pytest.mark.parametrize("name", KERNELS)
def test_agrees_with_scikit_learn(name):
    X, y = waves()
    ours = fit(KEY, X, y, kernel=name, length=0.6, period=1.3, amplitude=1.5, noise=0.2, **PLAIN).model
    reference = GaussianProcessRegressor(2.25 * KERNELS[name], alpha=0.04, optimizer=None).fit(X, y)
    places = np.linspace(-3, 3, 50)[:, None]
    mean, deviation = reference.predict(places, return_std=True)
    np.testing.assert_allclose(ours.alpha, reference.alpha_, atol=1e-7)
    np.testing.assert_allclose(ours.values(places), mean, atol=1e-8)
    np.testing.assert_allclose(ours.deviation(places), deviation, atol=1e-6)
    np.testing.assert_allclose(ours.covariance(places), reference.predict(places, return_cov=True)[1], atol=1e-7)
    assert ours.log_marginal == pytest.approx(reference.log_marginal_likelihood_value_)


def test_the_mean_is_that_of_kernel_ridge_regression():
    """With λ = σ²/a²."""
    X, y = waves(30, d=2)
    ours = fit(KEY, X, y, length=0.6, amplitude=2.0, noise=0.3, **PLAIN)
    ridge = fit("kernel_ridge", X, y, sigma=0.6, lam=0.09 / 4.0, sweep=False)
    np.testing.assert_allclose(ours.predict(X), ridge.predict(X), atol=1e-9)


def test_the_linear_kernel_draws_straight_lines():
    """Bayesian linear regression: w ~ N(0, a² diag(1, 1/length²)), so Cov w = (Φ'Φ/σ² + Λ⁻¹)⁻¹."""
    X, y = waves()
    model = fit(KEY, X, y, kernel="linear", length=0.5, amplitude=1.5, noise=0.2, **PLAIN).model
    phi = np.column_stack([np.ones(20), X])
    covariance = np.linalg.inv(phi.T @ phi / 0.04 + np.diag([1 / 2.25, 0.25 / 2.25]))
    mean = covariance @ phi.T @ y / 0.04
    at = np.column_stack([np.ones(5), np.linspace(-3, 3, 5)])
    np.testing.assert_allclose(model.values(at[:, 1:]), at @ mean, atol=1e-9)
    np.testing.assert_allclose(model.covariance(at[:, 1:]), at @ covariance @ at.T, atol=1e-8)


def test_standardised_is_the_same_after_a_change_of_units():
    X, y = waves()
    one, two = (fit(KEY, s * X + t, s * y + t, map=False, learn=False) for s, t in ((1.0, 0.0), (50.0, 7.0)))
    np.testing.assert_allclose(two.predict(50 * X + 7), 50 * one.predict(X) + 7, atol=1e-8)
    np.testing.assert_allclose(two.model.deviation(50 * X + 7), 50 * one.model.deviation(X), atol=1e-8)
    assert one.model.log_marginal == pytest.approx(two.model.log_marginal)
    scaled = (X - X.mean()) / X.std()
    reference = GaussianProcessRegressor(theirs.RBF(0.3), alpha=0.09, optimizer=None, normalize_y=True).fit(scaled, y)
    mean, deviation = reference.predict(scaled, return_std=True)
    np.testing.assert_allclose(one.predict(X), mean, atol=1e-8)
    np.testing.assert_allclose(one.model.deviation(X), deviation, atol=1e-8)


def test_far_away_nothing_is_known():
    X, y = waves()
    model = fit(KEY, X, y + 10, map=False, learn=False).model
    assert model.values(np.array([[1e3]]))[0] == pytest.approx(model.level)
    assert model.deviation(np.array([[1e3]]))[0] == pytest.approx(model.scale * model.amplitude)


# --- the marginal likelihood -----------------------------------------------------------------------------------------


def test_the_slope_agrees_with_differences():
    X, y = waves()
    process = Process(X, y, "matern 3/2", 1.0, len(X))
    here = Hyper(0.7, 1.4, 0.3)
    expected = []
    for j in range(3):
        step = 1e-5 * np.eye(3)[j]
        up, down = (process.place(Hyper.at(here.logarithms + s * step)).evidence.total for s in (1, -1))
        expected.append((up - down) / 2e-5)
    np.testing.assert_allclose(process.place(here).slope(), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", ["rbf", "matern 1/2"])
def test_the_climb_reaches_the_hill_of_scikit_learn(name):
    X, y = waves(30)
    found = fit(KEY, X, y, kernel=name, length=0.6, scale="as they are", map=False)
    bounds = [(low**2, high**2) for low, high in SPANS]
    shape = theirs.RBF(0.6, SPANS[0]) if name == "rbf" else theirs.Matern(0.6, SPANS[0], nu=0.5)
    kernel = theirs.ConstantKernel(1.0, bounds[1]) * shape + theirs.WhiteKernel(0.09, bounds[2])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        reference = GaussianProcessRegressor(kernel).fit(X, y)
    assert found.stop is Stop.CONVERGED
    assert found.model.log_marginal == pytest.approx(reference.log_marginal_likelihood_value_, abs=1e-3)
    assert (np.diff(list(found.metrics["log_marginal"])[-5:]) >= -1e-9).all()


def test_the_climb_never_goes_down_and_ends_where_it_is_flat():
    X, y = waves()
    process = Process(X, y, "rbf", 1.0, len(X))
    climb = Climb.begin(process, Hyper(3.0, 0.2, 1.0))
    for _ in range(60):
        above = climb.step(process)
        if above is None:
            break
        assert above.evidence.total > climb.evidence.total
        climb = above
    assert np.abs(climb.slope).max() < 1e-2


def test_a_row_of_the_map_is_the_evidence_of_every_noise():
    X, y = waves()
    process = Process(X, y, "rbf", 1.0, len(X))
    noises = np.array([0.05, 0.3, 1.0])
    heights = Row.of(0.8, process.spectrum(0.8)).totals(1.7, noises)
    assert heights.tolist() == pytest.approx(
        [process.place(Hyper(0.8, 1.7, s)).evidence.total for s in noises.tolist()]
    )


def test_landmarks_carry_the_functions_where_the_knob_says_so():
    """The evidence is that of y ~ N(0, a² Φ Φ' + σ²I), with the features of the landmarks."""
    X, y = waves(450)
    process = Process(X, y, "rbf", 1.0, 400)
    spectrum, hyper = process.spectrum(1.5), Hyper(1.5, 1.2, 0.3)
    assert not spectrum.complete
    U = spectrum.rows(slice(None))
    near = 1.44 * (U * spectrum.L) @ U.T + 0.09 * np.eye(450)
    _, log_volume = np.linalg.slogdet(near)
    expected = -0.5 * y @ np.linalg.solve(near, y) - 0.5 * log_volume - 225 * np.log(2 * np.pi)
    assert evidence_of(spectrum, hyper).total == pytest.approx(expected, rel=1e-8)
    reference = GaussianProcessRegressor(1.44 * theirs.RBF(1.5), alpha=0.09, optimizer=None).fit(X, y)
    found = fit(KEY, X, y, length=1.5, amplitude=1.2, noise=0.3, landmarks=400, **PLAIN)
    assert (
        frames_of(X, y, landmarks=400, **PLAIN)[0].warning
        == "The fit is approximate: 400 landmarks carry it, not all 450 points."
    )
    mean, deviation = reference.predict(X[:50], return_std=True)
    np.testing.assert_allclose(found.model.values(X[:50]), mean, atol=1e-3)
    np.testing.assert_allclose(found.model.deviation(X[:50]), deviation, atol=1e-3)


def test_the_process_that_knows_many_points_is_exact():
    """More than 1,000 points: mean, standard deviation, evidence and its slope by a Cholesky factor of all of them."""
    X, y = waves(1100)
    hyper = Hyper(0.3, 1.2, 0.3)
    reference = GaussianProcessRegressor(1.44 * theirs.RBF(0.3), alpha=0.09, optimizer=None).fit(X, y)
    frames = frames_of(X, y, length=0.3, amplitude=1.2, noise=0.3, **PLAIN)
    model = frames[-1].model
    assert frames[-1].warning == ""
    mean, deviation = reference.predict(X[:50] + 0.05, return_std=True)
    np.testing.assert_allclose(model.values(X[:50] + 0.05), mean, atol=1e-8)
    np.testing.assert_allclose(model.deviation(X[:50] + 0.05), deviation, atol=1e-8)
    assert model.log_marginal == pytest.approx(reference.log_marginal_likelihood_value_)
    assert frames[-1].metrics["deviation"] == pytest.approx(model.deviation(X).mean(), rel=1e-6)
    process = Process(X, y, "rbf", 1.0, len(X))
    assert process.factored
    all_vectors = Decomposed(process, hyper, spectrum_of(model.kernel, X, y, False, len(X)))
    np.testing.assert_allclose(process.place(hyper).slope(), all_vectors.slope(), rtol=1e-5)
    assert process.place(hyper).evidence.total == pytest.approx(all_vectors.evidence.total)


# --- the run ---------------------------------------------------------------------------------------------------------


def test_the_phases_of_a_run():
    X, y = waves(6)
    frames = frames_of(X, y)
    phases = [frame.phase for frame in frames]
    assert phases[0] == "prior"
    assert phases.count("observe") == 5  # the sixth point is the posterior
    assert phases[6] == "posterior"
    assert phases[-1] == "done"
    assert "climb" in phases
    assert [frame.model.observed for frame in frames[:7]] == [0, 1, 2, 3, 4, 5, 6]
    assert np.diff([frame.metrics["deviation"] for frame in frames[:7]]).max() < 0.0


def test_the_least_certain_point_is_next():
    X, y = waves(12)
    frames = [frame for frame in frames_of(X, y, map=False, learn=False) if frame.phase == "observe"]
    for before, after in itertools.pairwise(frames):
        new = after.model.members[-1]
        waiting = np.setdiff1d(np.arange(12), before.model.members)
        assert before.model.deviation(X)[new] == pytest.approx(before.model.deviation(X)[waiting].max())
    plain = [frame for frame in frames_of(X, y, order="as in the table") if frame.phase == "observe"]
    assert plain[3].model.members.tolist() == [0, 1, 2, 3]


def test_what_is_seen():
    X, y = waves(8)
    frames = frames_of(X, y, draws=3)
    bundle, curve = frames[0].views["plane"]
    assert isinstance(bundle, Bundle)
    assert bundle.y.shape[0] == 3
    assert np.ptp(curve.high - curve.low) < 1e-9  # nothing is known anywhere
    assert any(isinstance(mark, Highlight) for mark in frames[3].views["plane"])
    last = frames[-1]
    assert {*last.views} == {"plane", "map", "evidence", "prior", "uncertainty", "alpha"}
    handles = {mark.handle for mark in last.views["map"] if isinstance(mark, ReferenceLine)}
    assert handles == {"length", "noise"}
    (climbed,) = (mark for mark in last.views["map"] if isinstance(mark, Curve))
    assert climbed.x[-1] == pytest.approx(last.model.length)
    flat = frames_of(*waves(8, d=2))[-1].views
    assert any(isinstance(mark, PointSizes) for mark in flat["plane"])
    assert any(isinstance(mark, Segments) for mark in flat["uncertainty"])
    assert "prior" not in flat


def test_draws_are_from_the_posterior():
    """Their mean and deviation over many seeds are those of the band."""
    X, y = waves(8)
    frame = frames_of(X, y, map=False, learn=False, draws=20)[-1]
    many = [
        f[-1].views["plane"][0].y
        for f in (frames_of(X, y, map=False, learn=False, draws=20, seed=s) for s in range(15))
    ]
    functions, places = np.concatenate(many), frame.views["plane"][0].x[:, None]
    deviation = frame.model.deviation(places)
    off = (functions.mean(axis=0) - frame.model.values(places)) / deviation
    assert np.abs(off).max() < 5 / np.sqrt(len(functions))
    np.testing.assert_allclose(functions.std(axis=0), deviation, rtol=0.2, atol=1e-6)


def test_a_point_that_moves_takes_the_band_along():
    """Linear in y: the mean moves by its own share of the step, the band keeps its width."""
    X, y = waves(10)
    before = fit(KEY, X, y, **PLAIN).model
    after = fit(KEY, X, y + 2.0 * np.eye(10)[3], **PLAIN).model
    fraction = 1.0 - 0.09 * np.linalg.inv(np.exp(-0.5 * (X - X.T) ** 2 / 0.09) + 0.09 * np.eye(10))[3, 3]
    assert after.values(X[3:4])[0] - before.values(X[3:4])[0] == pytest.approx(2.0 * fraction)
    np.testing.assert_allclose(after.deviation(X), before.deviation(X))


def test_new_data_are_drawn_from_the_process():
    X, y = waves(10)
    model = fit(KEY, X, y, length=0.6, amplitude=1.0, noise=1e-4, **PLAIN).model
    drawn = ALGORITHM.sample(model, MOST_JOINT + 200, np.random.default_rng(0))
    assert drawn.n == MOST_JOINT + 200
    assert drawn.X.min() >= X.min()
    assert drawn.X.max() <= X.max()
    again = fit(KEY, np.vstack([X, drawn.X[:MOST_JOINT:20]]), np.append(y, drawn.y[:MOST_JOINT:20]), **PLAIN).model
    off = again.values(drawn.X) - drawn.y  # one smooth function runs through all of them, also those drawn beside
    assert np.abs(off[MOST_JOINT:]).max() < 0.3
    prior = next(ALGORITHM.start(Points(X, y), ALGORITHM.make_params({"noise": 1e-4}), 0)).model
    values = np.concatenate([ALGORITHM.sample(prior, 50, np.random.default_rng(s)).y for s in range(40)])
    assert np.std(values) == pytest.approx(prior.scale, rel=0.15)


def test_a_live_change_goes_on():
    X, y = waves(10)
    before = frames_of(X, y)[-1].model
    warm = frames_of(X, y, before, length=0.8, map=False, learn=False)
    assert [frame.phase for frame in warm] == ["prior", "posterior", "done"]
    assert warm[0].model.alpha.tolist() == before.alpha.tolist()


def test_the_explanation_is_a_sum_over_the_points():
    X, y = waves(20)
    found = fit(KEY, X, y, map=False)
    words = found.explain(4)
    terms = [value for name, value in words.items() if "k of point" in name or "smaller terms" in name]
    assert len(terms) == 9
    assert sum(terms) + words["level"] == pytest.approx(found.predict(X[4:5])[0])
    assert words["residual"] == pytest.approx(y[4] - words["mean"])
    assert words["standard deviation of the function"] < words["the same before anything was observed"]


def test_equal_points_and_equal_targets():
    for X, y in ((np.zeros((5, 1)), np.arange(5.0)), (np.arange(5.0)[:, None], np.ones(5)), (np.ones((1, 1)), [3.0])):
        for kernel in ("rbf", "matern 1/2", "linear"):
            last = frames_of(X, np.array(y), kernel=kernel)[-1]
            assert np.isfinite(last.model.values(X)).all()
            assert last.model.values(X).mean() == pytest.approx(np.mean(y), abs=0.3)


def test_kernels_are_those_of_the_names():
    assert kernel_of("linear", 2.0, 1.0)(np.array([[3.0]]), np.array([[5.0]]))[0, 0] == 1 + 15 / 4


def test_lines_of_several_levels_are_those_of_each():
    x, y = np.linspace(0, 2, 9), np.linspace(-1, 1, 7)
    heights = np.sin(3 * x) * y[:, None]
    levels = [-0.4, 0.0, 0.3]
    together = zero_pieces(heights, x, y, levels)
    each = np.concatenate([zero_pieces(heights - level, x, y) for level in levels])
    assert sorted(map(str, together.round(9).tolist())) == sorted(map(str, each.round(9).tolist()))
