"""The rules of :mod:`algorithms.maths.optimisers`: steps worked by hand, identities, and the paper's formula."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.maths.optimisers import OPTIMISERS, SGD, Adagrad, Adam, Momentum, Nesterov, RMSprop


def steps(rule, gradients, rate=0.1):
    """The steps that these gradients lead to."""
    state, found = rule.init(np.shape(gradients[0])), []
    for gradient in gradients:
        state, step = rule.update(state, np.asarray(gradient, dtype=float), rate)
        found.append(step)
    return np.array(found)


def descend(rule, gradient_at, theta, rate, count):
    """Every position of a descent."""
    theta = np.asarray(theta, dtype=float)
    state, path = rule.init(theta.shape), [theta]
    for _ in range(count):
        state, step = rule.update(state, gradient_at(rule.look_ahead(state, theta)), rate)
        theta = theta - step
        path.append(theta)
    return np.array(path)


def test_sgd_is_rate_times_gradient():
    assert steps(SGD(), [[2.0, -4.0], [1.0, 0.0]]).tolist() == [[0.2, -0.4], [0.1, 0.0]]


def test_momentum_by_hand():
    # v1 = 0.1; v2 = 0.9 * 0.1 + 0.1 = 0.19; v3 = 0.9 * 0.19 - 0.1 = 0.071
    assert steps(Momentum(0.9), [[1.0], [1.0], [-1.0]])[:, 0] == pytest.approx([0.1, 0.19, 0.071], rel=1e-12)


def test_momentum_under_a_constant_gradient_speeds_up_tenfold():
    assert steps(Momentum(0.9), [[1.0]] * 400)[-1, 0] == pytest.approx(0.1 / (1 - 0.9), rel=1e-12)


def test_nesterov_by_hand():
    # f = θ²/2, η = 0.1, β = 0.5. From 1: v1 = 0.1, θ = 0.9; g at 0.9 - 0.05 = 0.85, v2 = 0.05 + 0.085 = 0.135
    path = descend(Nesterov(0.5), lambda theta: theta, [1.0], 0.1, 2)
    assert path[:, 0] == pytest.approx([1.0, 0.9, 0.765], rel=1e-12)


def test_adagrad_by_hand():
    # G = 9, 25, 25: steps η 3/3, η 4/5, 0
    assert steps(Adagrad(), [[3.0], [4.0], [0.0]])[:, 0] == pytest.approx([0.1, 0.08, 0.0], abs=1e-9)


def test_rmsprop_by_hand():
    # ρ = 0.5: E = 2, then 0.5 * 2 + 0.5 * 16 = 9
    assert steps(RMSprop(0.5), [[2.0], [4.0]])[:, 0] == pytest.approx([0.2 / math.sqrt(2), 0.4 / 3], rel=1e-8)


def test_rmsprop_with_rho_one_keeps_its_squares():
    rule = RMSprop(rho=1.0, epsilon=1.0)
    state, step = rule.update(rule.init(1), np.array([7.0]), 0.5)
    assert state.squares.tolist() == [0.0]
    assert step.tolist() == [3.5]


def test_adam_steps_by_the_rate_under_a_constant_gradient():
    # Without the power t of the printed rule these would be η (1, 1.3438, 1.5654, 1.7208, 1.8332).
    assert steps(Adam(), [[1.0]] * 5)[:, 0] == pytest.approx([0.1] * 5, rel=1e-7)


def test_adam_by_hand():
    # g = 1, 3 gives m2 = 0.39, m̂2 = 0.39/0.19; s2 = 0.001 (0.999 + 9), ŝ2 = s2 / (1 - 0.999²)
    expected = 0.1 * (0.39 / 0.19) / math.sqrt(0.001 * (0.999 + 9.0) / (1 - 0.999**2))
    assert steps(Adam(), [[1.0], [3.0]])[1, 0] == pytest.approx(expected, rel=1e-7)


@given(st.lists(st.floats(-1e3, 1e3).filter(lambda g: abs(g) > 1e-3), min_size=1, max_size=5))
def test_adams_first_step_is_the_sign_of_the_gradient(gradient):
    assert steps(Adam(), [gradient])[0] == pytest.approx(0.1 * np.sign(gradient), rel=1e-4)


@given(st.lists(st.floats(-10, 10), min_size=2, max_size=8))
def test_without_memory_momentum_is_sgd(gradients):
    column = [[g] for g in gradients]
    assert np.array_equal(steps(Momentum(0.0), column), steps(SGD(), column))
    bowl = descend(SGD(), lambda theta: 3 * theta, gradients, 0.1, 5)
    assert np.array_equal(descend(Nesterov(0.0), lambda theta: 3 * theta, gradients, 0.1, 5), bowl)


@given(st.lists(st.floats(-10, 10), min_size=2, max_size=12))
def test_adagrads_rates_never_rise(gradients):
    rule = Adagrad()
    state, before = rule.init(1), np.zeros(1)
    for gradient in gradients:
        state, _ = rule.update(state, np.array([gradient]), 0.1)
        assert (state.squares >= before).all()
        before = state.squares


@pytest.mark.parametrize(
    ("rule", "rate"),
    [
        (SGD(), 0.15),
        (Momentum(), 0.02),
        (Nesterov(), 0.02),
        (Adagrad(), 1.0),
        (RMSprop(), 0.003),
        (Adam(), 0.05),
    ],
    ids=list(OPTIMISERS),
)
def test_all_reach_the_bottom_of_an_ill_conditioned_bowl(rule, rate):
    curvature = np.array([1.0, 10.0])
    path = descend(rule, lambda theta: curvature * theta, [2.0, 1.0], rate, 2000)
    assert np.abs(path[-1]).max() < 0.01
    assert np.isfinite(path).all()


@pytest.mark.parametrize("name", OPTIMISERS)
def test_a_run_can_be_cut_anywhere_and_the_state_is_never_written(name):
    rule = OPTIMISERS[name]()
    gradients = np.random.default_rng(0).normal(size=(6, 2, 3))
    whole = steps(rule, gradients)
    state = rule.init((2, 3))
    for gradient, expected in zip(gradients, whole, strict=True):
        for array in (state.mean, state.squares, gradient):
            array.setflags(write=False)
        again, _ = rule.update(state, gradient, 99.0)
        state, step = rule.update(state, gradient, 0.1)
        assert np.array_equal(step, expected)
        assert again.steps == state.steps


@pytest.mark.parametrize("name", OPTIMISERS)
def test_overflow_gives_infinity_and_no_warning(name):
    rule = OPTIMISERS[name]()
    state, step = rule.update(rule.init(1), np.array([1e300]), 1e10)
    adaptive = name in ("adagrad", "rmsprop", "adam")
    assert math.isinf(state.squares[0] if adaptive else step[0])


def test_rules_are_values():
    assert Adam() == Adam(beta1=0.9)
    with pytest.raises(dataclasses.FrozenInstanceError):
        Momentum().beta = 1.0
