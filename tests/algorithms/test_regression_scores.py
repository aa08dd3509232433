"""Scores of predicted values: by hand, scikit-learn and SciPy as oracles."""

import numpy as np
import pytest
from scipy.stats import probplot
from sklearn import metrics

from algorithms.maths.regression_scores import mae, quantile_pairs, r_squared, rmse


def test_by_hand():
    truth, answers = np.array([1.0, 2.0, 3.0, 6.0]), np.array([1.0, 2.0, 5.0, 4.0])
    assert r_squared(truth, answers) == pytest.approx(1 - 8 / 14)
    assert rmse(truth, answers) == pytest.approx(np.sqrt(2))
    assert mae(truth, answers) == 1.0
    assert r_squared(truth, np.full(4, 3.0)) == 0.0
    assert r_squared(truth, truth) == 1.0
    assert rmse(truth, truth) == 0.0


def test_agrees_with_scikit_learn_at_any_size():
    rng = np.random.default_rng(0)
    truth = rng.normal(size=80) * 3 + 1
    answers = truth + rng.normal(size=80)
    for factor in (1.0, 1e-90, 1e90):
        y, f = factor * truth, factor * answers
        assert r_squared(y, f) == pytest.approx(metrics.r2_score(truth, answers))
        assert rmse(y, f) / factor == pytest.approx(metrics.root_mean_squared_error(truth, answers))
        assert mae(y, f) / factor == pytest.approx(metrics.mean_absolute_error(truth, answers))


def test_there_is_no_r_squared_of_equal_targets():
    assert np.isnan(r_squared(np.ones(3), np.array([1.0, 2.0, 3.0])))


def test_quantiles_are_in_order_and_nearly_those_of_scipy():
    residuals = np.random.default_rng(1).normal(size=101)
    at, heights, rows = quantile_pairs(residuals)
    assert heights.tolist() == sorted(residuals.tolist())
    assert residuals[rows].tolist() == heights.tolist()
    assert at[50] == pytest.approx(0.0, abs=1e-12)
    (theirs, _), _ = probplot(residuals)  # Filliben's places, which differ a little at the ends
    np.testing.assert_allclose(at, theirs, atol=0.06)
    many = quantile_pairs(np.arange(10_000.0), most=50)
    assert len(many[0]) == 50
    assert many[1][[0, -1]].tolist() == [0.0, 9999.0]
