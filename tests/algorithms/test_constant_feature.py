"""A feature that never changes says nothing, whatever its value: for every method that predicts.

The mean of twenty times 0.1 is not quite 0.1. What is left of such a feature after centring must not be taken for
something to learn from. The mean of twenty times 0.125 is 0.125, so a method that takes it for nothing gives the same
answers with both.
"""

import contextlib

import numpy as np
import pytest

from algorithms import DataError, Points, all_algorithms, find, fit
from algorithms.evaluation.cross_validation.solver import relevance
from algorithms.optimisation.gradient_descent.solver.losses import squared_loss

OF_VALUES = {"perceptron", "gradient_descent"}
"""The one takes features as they are, wrong point by wrong point; the other takes a second feature for a target."""
METHODS = [one.key for one in all_algorithms() if Points in one.accepts and one.target != "none" and one.predict]


def points(algorithm, constant, n=20):
    rng = np.random.default_rng(0)
    x = rng.normal(size=n)
    y = x + 0.5 * rng.normal(size=n)
    X = np.column_stack([x, np.full(n, constant)])
    return Points(X, y) if algorithm.target == "values" else Points(X, (y > 0.0).astype(int), classes=("a", "b"))


def answers(algorithm, constant, params):
    found = fit(algorithm.key, points(algorithm, constant), **params)
    return np.asarray(found.predict(np.column_stack([np.linspace(-1.5, 1.5, 16), np.full(16, constant)])), dtype=float)


def choices(algorithm):
    """As it is, with a penalty, and with every choice, one at a time; errors over many settings are not asked for."""
    names = {field.name for field in algorithm.fields}
    quick = {"sweep": False} if "sweep" in names else {}
    found = [quick] + [quick | {"lam": 1.0}] * ("lam" in names)
    for field in algorithm.fields:
        found += [quick | {field.name: choice} for choice in (field.choices if field.kind == "choice" else ())]
    return found


def test_the_mean_of_equal_numbers_is_not_theirs():
    assert np.full(20, 0.1).mean() != 0.1
    assert np.full(20, 0.125).mean() == 0.125


@pytest.mark.parametrize("key", sorted({*METHODS} - OF_VALUES))
def test_the_value_of_a_constant_feature_does_not_matter(key):
    algorithm, compared = find(key), 0
    for params in choices(algorithm):
        with contextlib.suppress(DataError):  # not every choice suits these points
            ours, theirs = (answers(algorithm, constant, params) for constant in (0.1, 0.125))
            np.testing.assert_allclose(ours, theirs, rtol=0.02, atol=0.02, err_msg=str(params))
            compared += 1
    assert compared


@pytest.mark.parametrize("lam", [1e-6, 1.0])
def test_logistic_regression_gives_it_no_weight(lam):
    data = points(find("logistic_regression"), 0.1)
    weights = fit("logistic_regression", data, lam=lam).model.weights
    alone = fit("logistic_regression", Points(data.X[:, :1], data.y, classes=data.classes), lam=lam).model.weights
    np.testing.assert_allclose(weights, [[alone[0, 0], 0.0]], rtol=1e-6)


def test_it_explains_nothing_of_a_target():
    for key in ("logistic_regression", "linear_regression"):
        first, second = relevance(points(find(key), 0.1))
        assert first > 0.1
        assert second == 0.0


def test_the_best_of_all_lines_above_one_place_is_level():
    y = np.random.default_rng(0).normal(size=20)
    loss = squared_loss(Points(np.full((20, 1), 0.1), y))
    np.testing.assert_allclose(loss.minima, [[y.mean(), 0.0]])
    assert max(map(abs, loss.box)) < 1e3


@pytest.mark.parametrize("scaling", ["as they are", "standardised"])
def test_no_sparse_component_has_it(scaling):
    X = np.column_stack([np.random.default_rng(0).normal(size=(20, 2)), np.full(20, 0.1)])
    model = fit("sparse_pca", X, form="bound", scaling=scaling).model
    assert not model.components[:, 2].any()
