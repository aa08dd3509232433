"""Gaussian densities against SciPy, and the weighted fit of the M step by hand; what the mixture answers."""

import math

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from algorithms import Item, Points
from algorithms.clustering import gaussian_mixture
from algorithms.clustering.gaussian_mixture import Model
from algorithms.clustering.gaussian_mixture.solver import Mixture, maximisation
from algorithms.interrupt import interruptible
from algorithms.maths import gaussians


def line(weights, means, variances):
    """A mixture on the line."""
    variances = np.array(variances, dtype=float).reshape(-1, 1, 1)
    return Model(np.array(weights, dtype=float), np.array(means, dtype=float).reshape(-1, 1), variances, 0.0)


@pytest.mark.parametrize("d", [1, 2, 5])
def test_log_densities_are_those_of_scipy(d):
    rng = np.random.default_rng(d)
    X, means = rng.normal(size=(20, d)), rng.normal(size=(3, d))
    factors = rng.normal(size=(3, d, d))
    covariances = factors @ factors.transpose(0, 2, 1) + 0.1 * np.eye(d)
    ours = gaussians.log_densities(np.ascontiguousarray(X.T), means, covariances)
    for row, mean, covariance in zip(ours, means, covariances):
        assert row == pytest.approx(multivariate_normal.logpdf(X, mean, covariance), rel=1e-10)


def test_the_normaliser_has_the_dimension_in_it():
    """(2π)^(-d/2), not (2π)^(-k/2) as the notes print."""
    model = Model(np.array([0.5, 0.5]), np.zeros((2, 3)), np.stack([np.eye(3)] * 2), 0.0)
    assert gaussian_mixture.field(model, np.zeros((1, 3)))[0] == pytest.approx((2 * math.pi) ** -1.5)


def test_log_sum_exp_does_not_overflow():
    values = np.array([[-1e5, 800.0, 0.0], [-1e5, 800.0, -math.log(3)]])
    assert gaussians.log_sum_exp(values) == pytest.approx([-1e5 + math.log(2), 800 + math.log(2), math.log(4 / 3)])
    responsibilities, _ = gaussians.softmax(values)
    assert responsibilities[0] == pytest.approx([0.5, 0.5, 0.75])


def test_the_floor_clips_variances_in_every_direction():
    covariance = np.array([[[2.0, 2.0], [2.0, 2.0]]])
    assert gaussians.floored(covariance, 0.5)[0] == pytest.approx(np.array([[2.25, 1.75], [1.75, 2.25]]))
    wide = covariance + np.eye(2)
    assert gaussians.floored(wide, 0.5) is wide


def test_known_labels_give_the_complete_data_estimate():
    X = np.array([[0.0, 0.0], [2.0, 0.0], [5.0, 5.0], [5.0, 7.0], [8.0, 6.0]])
    responsibilities = np.array([[1, 1, 0, 0, 0], [0, 0, 1, 1, 1]], dtype=float)
    full = maximisation(X.T, responsibilities, "full")
    assert full.weights == pytest.approx([0.4, 0.6])
    assert full.means == pytest.approx(np.array([[1, 0], [6, 6]]))
    assert full.covariances == pytest.approx(np.array([[[1, 0], [0, 0]], [[2, 0], [0, 2 / 3]]]))
    assert maximisation(X.T, responsibilities, "diagonal").covariances == pytest.approx(full.covariances)
    spherical = maximisation(X.T, responsibilities, "spherical").covariances
    assert spherical == pytest.approx(np.array([0.5 * np.eye(2), 4 / 3 * np.eye(2)]))
    tied = maximisation(X.T, responsibilities, "tied").covariances
    assert tied == pytest.approx(np.array([[[1.6, 0], [0, 0.4]]] * 2))


def test_a_component_without_points_stays_where_it_was():
    before = Mixture(np.array([0.5, 0.5]), np.array([[0.0], [9.0]]), np.array([[[1.0]], [[2.0]]]))
    after = maximisation(np.array([[1.0, 3.0]]), np.array([[1.0, 1.0], [0.0, 0.0]]), "full", before)
    assert after.means.ravel().tolist() == [2, 9]
    assert after.covariances.ravel().tolist() == [1, 2]
    assert np.isfinite(np.log(after.weights)).all()


def test_responsibilities_by_hand():
    model = line([0.5, 0.5], [-1, 1], [1, 1])
    responsibilities = gaussian_mixture.responsibilities(model, np.array([[1.0], [0.0]]))
    assert responsibilities[0, 1] == pytest.approx(1 / (1 + math.exp(-2))) == pytest.approx(0.880797, abs=1e-6)
    assert responsibilities[1].tolist() == [0.5, 0.5]
    assert gaussian_mixture.predict(model, np.array([[1.0], [0.0], [-2.0]])).tolist() == [1, 0, 0]


def test_explain_by_hand():
    model = line([0.25, 0.75], [0, 4], [1, 4])
    answer = gaussian_mixture.explain(model, Points([[0.0]]), Item(x=np.array([2.0])))
    first, second = math.exp(-2) / math.sqrt(2 * math.pi), math.exp(-0.5) / math.sqrt(8 * math.pi)
    assert answer["density of component 1"] == pytest.approx(first)
    assert answer["density of component 2"] == pytest.approx(second)
    assert answer["density p(x)"] == pytest.approx(0.25 * first + 0.75 * second)
    assert answer["responsibility of component 1"] == pytest.approx(0.25 * first / (0.25 * first + 0.75 * second))
    assert answer["Mahalanobis distance to component 1"] == pytest.approx(2.0)
    assert answer["Mahalanobis distance to component 2"] == pytest.approx(1.0)
    assert answer["component"] == 2


@pytest.mark.parametrize("rows", [1, 2, 5, 40])
def test_the_largest_row_is_the_first_of_equal_ones(rows):
    values = np.random.default_rng(rows).integers(-2, 3, size=(rows, 200)).astype(float)
    values[:, :9] = -np.inf
    assert (gaussians.largest_rows(values) == values.argmax(axis=0)).all()


def test_large_covariances_are_taken_apart_one_by_one(monkeypatch):
    """Found by a hunt: raising the eigenvalues of three tables of a thousand features stood still for seconds."""
    roots = np.random.default_rng(0).normal(size=(3, 6, 4))
    covariances = roots @ roots.transpose(0, 2, 1)

    def found():
        raised = gaussians.floored(covariances, 0.1)
        return [raised, gaussians.smallest_eigenvalues(raised), *gaussians.whitening(raised)]

    asked = []
    with interruptible(lambda: bool(asked.append(1))):
        together, before = found(), len(asked)
        monkeypatch.setattr(gaussians, "_CUBE", 1)
        for whole, parts in zip(together, found(), strict=True):
            np.testing.assert_array_equal(whole, parts)
    assert len(asked) - before >= 12
    np.testing.assert_array_equal(together[0], together[0].transpose(0, 2, 1))
    np.testing.assert_allclose(together[1], 0.1)
