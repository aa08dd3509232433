"""The likelihood of a Gaussian: by hand, against SciPy, and at its maximum."""

import numpy as np
import pytest
from scipy import stats

from algorithms import DataError, Points, fit
from algorithms.evaluation.gaussian_likelihood import ALGORITHM, explain, field, solver
from algorithms.evaluation.gaussian_likelihood.solver import Sample

FOUR = np.array([[0.0], [2.0], [4.0], [6.0]])
CLOUD = np.random.default_rng(3).normal(size=(50, 2)) @ np.array([[2.0, 0.0], [1.5, 0.5]]) + [5.0, -3.0]


def frames(X, **params):
    return list(ALGORITHM.start(Points(X), ALGORITHM.make_params(params), 0))


def test_four_numbers_by_hand():
    """Mean 3, variance (9 + 1 + 1 + 9) / 4 = 5; log L = -2 (log 2 pi + log 5 + 1)."""
    model = fit("gaussian_likelihood", FOUR).model
    assert model.mean == pytest.approx([3.0])
    assert model.covariance == pytest.approx(np.array([[5.0]]))
    assert model.log_likelihood == pytest.approx(-2.0 * (np.log(2.0 * np.pi) + np.log(5.0) + 1.0))


def test_the_variance_with_n_less_one_is_named():
    assert "with 1/(n - 1) it would be 6.667" in frames(FOUR)[-1].caption
    bars = frames(FOUR)[-1].views["variance"][0]
    assert bars.values == pytest.approx([5.0, 5.0, 20.0 / 3.0])


@pytest.mark.parametrize("X", [FOUR, CLOUD], ids=["line", "plane"])
def test_every_frame_has_the_likelihood_of_scipy(X):
    for frame in frames(X, rate=0.5)[::3]:
        model = frame.model
        theirs = stats.multivariate_normal(model.mean, model.covariance)
        assert model.log_likelihood == pytest.approx(theirs.logpdf(X).sum())
        assert field(model, X[:3]) == pytest.approx(theirs.pdf(X[:3]))


def test_the_maximum_is_the_mean_and_the_biased_covariance():
    model = fit("gaussian_likelihood", CLOUD).model
    assert model.mean == pytest.approx(CLOUD.mean(axis=0))
    assert model.covariance == pytest.approx(np.cov(CLOUD.T, bias=True))


@pytest.mark.parametrize("rate", [0.05, 0.3, 1.0])
def test_it_only_climbs_and_arrives(rate):
    climbed = [frame for frame in frames(CLOUD, rate=rate, steps=400, sigma=8.0) if frame.phase == "climb"]
    heights = [frame.model.log_likelihood for frame in climbed]
    assert (np.diff(heights) >= -1e-9).all()
    assert climbed[-1].metrics["gap"] < 1e-5


def test_with_rate_one_the_mean_comes_first():
    first, second = [frame.model for frame in frames(FOUR, rate=1.0) if frame.phase == "climb"][:2]
    assert first.mean == pytest.approx([3.0])
    assert first.covariance[0, 0] == pytest.approx(5.0 + 5.0)  # around where the mean was: one deviation away
    assert second.covariance[0, 0] == pytest.approx(5.0)


def test_no_slope_at_the_maximum():
    sample = Sample.of(CLOUD)
    best = sample.log_likelihood(np.zeros(2), sample.correlations)
    rng = np.random.default_rng(0)
    for _ in range(20):
        nudge = 1e-3 * rng.normal(size=(2, 2))
        mean, covariance = 1e-3 * rng.normal(size=2), sample.correlations + nudge @ nudge.T
        assert sample.log_likelihood(mean, covariance) < best


def test_another_unit_moves_the_maximum_with_it():
    turn = np.array([[2.0, 1.0], [0.0, -3.0]])
    plain, turned = fit("gaussian_likelihood", CLOUD).model, fit("gaussian_likelihood", CLOUD @ turn.T + 7.0).model
    assert turned.mean == pytest.approx(turn @ plain.mean + 7.0)
    assert turned.covariance == pytest.approx(turn @ plain.covariance @ turn.T)
    assert turned.log_likelihood == pytest.approx(plain.log_likelihood - 50 * np.log(6.0))


def test_the_parts_of_the_bell():
    """The slides' example: with mean 2 and deviation 2 the last two curves are -1/2 and exp(-1/2) at x = 4."""
    X = np.array([[0.0], [4.0]])  # mean 2, deviation 2
    build = [frame for frame in frames(X, mean=((2.0,),), sigma=2.0) if frame.phase == "build"]
    assert len(build) == 5
    curves = build[-1].views["bell"]
    at = [float(np.interp(4.0, curve.x, curve.y)) for curve in curves]
    assert at[3] == pytest.approx(-0.5, abs=1e-3)
    assert at[4] == pytest.approx(0.606531, abs=1e-3)


def test_product_and_logarithm_have_the_same_maximum():
    likelihood, logarithm, line = frames(FOUR)[-1].views["argmax"]
    assert likelihood.y.argmax() == logarithm.y.argmax()
    assert likelihood.x[likelihood.y.argmax()] == pytest.approx(line.at, abs=0.05)


def test_the_product_of_many_heights_is_no_number():
    many = np.random.default_rng(1).normal(size=(900, 1)) * 3.0
    played = [frame for frame in frames(many) if frame.phase == "heights"]
    assert "too small" in played[-1].caption
    assert len(played[-1].views["product"][0].x) < 900


def test_the_surface_is_the_likelihood():
    sample = Sample.of(FOUR)
    height = solver.marginal(sample, np.array([0.5]), np.array([1.2]))[0, 0]
    unit = np.sqrt(5.0)
    assert height == pytest.approx(stats.norm(3.0 + 0.5 * unit, 1.2 * unit).logpdf(FOUR[:, 0]).sum())


def test_a_point_is_explained():
    model = fit("gaussian_likelihood", FOUR).model
    said = explain(model, Points(FOUR), Points(FOUR).item(3))
    assert said["standard deviations away"] == pytest.approx(3.0 / np.sqrt(5.0))
    assert said["log of the height"] == pytest.approx(stats.norm(3.0, np.sqrt(5.0)).logpdf(6.0))


def test_points_without_spread_are_refused():
    for X in ([[1.0]], [[1.0], [1.0]], [[0.0, 0.0], [1.0, 2.0], [2.0, 4.0]]):
        with pytest.raises(DataError):
            frames(np.array(X))
    with pytest.raises(DataError, match="has 1 number; these points have 2 features"):
        frames(CLOUD, mean=((1.0,),))


def test_sigma_is_in_the_units_of_the_data():
    first = frames(CLOUD, sigma=2.0)[0].model
    assert first.covariance == pytest.approx(4.0 * np.eye(2))
    assert frames(FOUR)[0].model.covariance[0, 0] == pytest.approx(4.0 * 5.0)  # 0: twice that of the points
    line = next(mark for mark in frames(FOUR, sigma=2.0)[0].views["surface"] if getattr(mark, "handle", ""))
    assert (line.at, line.handle) == (pytest.approx(2.0), "sigma")
    with pytest.raises(DataError, match="far from the spread"):
        frames(1e-9 * FOUR, sigma=1000.0)


def test_the_density_has_one_scale_for_the_whole_run():
    """A wide bell is a low one: the highest density on show is that of the maximum in every frame."""
    played = [frame for frame in frames(FOUR) if frame.phase != "build"]
    tops = {round(max(float(mark.y.max()) for mark in frame.views["bell"][1:]), 12) for frame in played}
    assert tops == {round(max(float(played[-1].views["bell"][2].y.max()), 0.0), 12)}
    spans = {(float(mark.x[0]), float(mark.x[-1])) for frame in played for mark in frame.views["bell"][1:]}
    assert len(spans) == 1


def test_with_two_features_the_words_are_about_both():
    played = frames(CLOUD)
    heights = [frame for frame in played if frame.phase == "heights"]
    theirs = stats.multivariate_normal(heights[-1].model.mean, heights[-1].model.covariance)
    total = theirs.logpdf(CLOUD).sum()
    assert heights[-1].caption.endswith(f"the sum of their logarithms is {total:.4g}.")
    assert heights[0].views["product"][0].y[0] == pytest.approx(theirs.pdf(CLOUD[0]))
    mean, variances = CLOUD.mean(axis=0), CLOUD.var(axis=0)
    assert f"({mean[0]:.4g}, {mean[1]:.4g})" in played[-1].caption
    assert f"({variances[0]:.4g}, {variances[1]:.4g})" in played[-1].caption
    assert len(played[-1].views["variance"][0].values) == 6


def test_a_step_that_changes_nothing_does_not_rise_by_nothing():
    last = [frame.caption for frame in frames(FOUR, rate=1.0) if frame.phase == "climb"][-1]
    assert "stays at" in last
    assert "by 0 " not in last
