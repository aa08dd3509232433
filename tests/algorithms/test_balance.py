"""Rare classes: weights and samples by hand, and what they do to logistic regression."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from algorithms import find, fit
from algorithms.classification.logistic_regression.solver.balance import balance_weights
from algorithms.data import Points

RNG = np.random.default_rng(5)
Y = np.repeat([0, 1], [180, 12])
X = RNG.normal(size=(192, 2)) + np.where(Y == 1, 1.3, 0.0)[:, None]
RARE = Points(X, Y, classes=("common", "rare"))


def weights(y, how, seed=0):
    return balance_weights(np.asarray(y), how, np.random.default_rng(seed))


def test_weights_by_hand():
    y = [0] * 6 + [1] * 2
    assert weights(y, "none").tolist() == [1.0] * 8
    assert np.allclose(weights(y, "re-weight"), [2 / 3] * 6 + [2.0] * 2)
    assert weights(y, "over-sample").tolist() == [1.0] * 6 + [3.0] * 2
    under = weights(y, "under-sample")
    assert sorted(under[:6]) == [0, 0, 0, 0, 1, 1]
    assert under[6:].tolist() == [1, 1]
    mixed = weights(y, "mix")
    assert sorted(mixed[:6]) == [0, 0, 1, 1, 1, 1]
    assert mixed[6:].tolist() == [2, 2]


@given(st.lists(st.integers(1, 30), min_size=2, max_size=4), st.integers(0, 99))
def test_every_class_has_the_same_say(counts, seed):
    y = np.repeat(np.arange(len(counts)), counts)
    for how, size in (("under-sample", min(counts)), ("over-sample", max(counts))):
        say = np.bincount(y, weights(y, how, seed))
        assert say.tolist() == [size] * len(counts)
    say = np.bincount(y, weights(y, "re-weight", seed))
    assert np.allclose(say, len(y) / len(counts))
    assert len(set(np.bincount(y, weights(y, "mix", seed)))) == 1
    over = weights(y, "over-sample", seed)
    assert all(np.ptp(over[y == k]) <= 1 for k in range(len(counts)))  # no point is repeated twice as often as another


def test_reweighting_is_what_scikit_learn_calls_balanced():
    ours = fit("logistic_regression", RARE, balance="re-weight", lam=1.0, tol=1e-10).model
    theirs = LogisticRegression(C=1.0, class_weight="balanced", tol=1e-10, max_iter=5000).fit(X, Y)
    assert np.allclose(ours.weights, theirs.coef_, atol=1e-5)
    assert np.allclose(ours.intercepts, theirs.intercept_, atol=1e-5)


@pytest.mark.parametrize("how", ["under-sample", "over-sample", "mix"])
@pytest.mark.parametrize("lam", [0.0, 0.5])
def test_sampling_is_training_on_the_sample(how, lam):
    """The reference trains plainly on a data set in which points really are missing or repeated."""
    times = weights(Y, how, seed=3).astype(int)
    sample = Points(np.repeat(X, times, axis=0), np.repeat(Y, times), classes=RARE.classes)
    ours = fit("logistic_regression", RARE, seed=3, balance=how, lam=lam, tol=1e-10)
    plain = fit("logistic_regression", sample, lam=lam, tol=1e-10)
    assert np.allclose(ours.model.weights, plain.model.weights, atol=1e-7)
    assert np.allclose(ours.model.intercepts, plain.model.intercepts, atol=1e-7)
    assert ours.metrics["J"][-1] == pytest.approx(plain.metrics["J"][-1])


def test_a_rare_class_hides_in_the_accuracy_until_it_is_given_a_say():
    plain = fit("logistic_regression", RARE)
    fair = fit("logistic_regression", RARE, balance="re-weight")
    rare = Y == 1
    assert plain.metrics["accuracy"][-1] > 0.92
    assert (plain.predict(X)[rare] == 1).mean() < 0.4  # most of the rare ones are missed
    assert (fair.predict(X)[rare] == 1).mean() > 0.7
    assert fair.metrics["balanced"][-1] > plain.metrics["balanced"][-1] + 0.1
    recalls = [(fair.predict(X)[k == Y] == k).mean() for k in (0, 1)]
    assert fair.metrics["balanced"][-1] == pytest.approx(np.mean(recalls))


@pytest.mark.parametrize("how", ["re-weight", "under-sample", "over-sample", "mix"])
def test_at_the_optimum_what_counts_is_expected(how):
    """Σ v h = Σ v y: the weighted form of the optimality condition."""
    run = fit("logistic_regression", RARE, seed=1, balance=how, tol=1e-10)
    v = weights(Y, how, seed=1)
    assert v @ run.field(X) == pytest.approx(v @ Y, rel=1e-6)


def test_descent_goes_to_the_same_place_with_weights():
    newton = fit("logistic_regression", RARE, balance="re-weight", lam=1.0, tol=1e-10).model
    slow = fit(
        "logistic_regression",
        RARE,
        balance="re-weight",
        lam=1.0,
        solver="gradient descent",
        learning_rate=1.0,
        max_steps=20_000,
        tol=1e-9,
    ).model
    assert np.allclose(newton.weights, slow.weights, atol=1e-5)


def test_the_plane_shows_how_often_points_count_and_the_caption_says_it():
    method = find("logistic_regression")
    first = next(method.start(RARE, method.make_params({"balance": "under-sample"}), 0))
    (halo,) = (mark for mark in first.views["plane"] if hasattr(mark, "weights"))
    assert halo.weights.sum() == 24
    assert "brought to 12 points: 168 dropped, 0 repeated" in first.caption
    plain = next(method.start(RARE, method.make_params({}), 0))
    assert not any(hasattr(mark, "weights") for mark in plain.views["plane"])
