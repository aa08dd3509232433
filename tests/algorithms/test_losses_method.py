"""Losses: the constants that cost least by hand and by search, bounds of margin losses, and risks that converge."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from algorithms import DataError, Nothing, Points, fit
from algorithms.evaluation.losses import ALGORITHM, explain, solver
from mlviz.data.spec import load_data

SIX = np.array([1.0, 2.0, 2.0, 3.0, 4.0, 9.0])


def frames(data=None, **params):
    return list(ALGORITHM.start(data or Nothing(), ALGORITHM.make_params(params), 0))


def test_constants_of_six_numbers_by_hand():
    constants = fit("losses", Nothing(), tau=0.75, delta=1.0).model.constants
    assert constants["squared"] == pytest.approx(21 / 6)
    assert constants["absolute"] == 2.5  # anything from 2 to 3
    assert constants["zero-one"] == 2.0
    assert constants["pinball"] == 4.0  # three quarters of six are four and a half: the fifth number
    # Huber: 1 and 9 pull by delta, 4 as well where c < 3; c = 2.5: -1 - 0.5 - 0.5 + 0.5 + 1 + 1 = 0.5 is not yet level;
    # at c = 2.5 + 0.5 / 3 the three numbers inside pull less by as much
    assert constants["huber"] == pytest.approx(2.5 + 0.5 / 3.0)


def test_the_expectile_by_hand():
    """0 and 1 with tau = 3/4: 3 (1 - c) = c."""
    assert solver.best_constant("expectile", np.array([0.0, 1.0]), 1.0, 0.75) == pytest.approx(0.75)


@pytest.mark.parametrize("kind", ["squared", "absolute", "huber", "pinball", "expectile"])
@pytest.mark.parametrize("seed", range(3))
def test_no_constant_costs_less(kind, seed):
    numbers = np.random.default_rng(seed).standard_t(2, size=31)
    best = solver.best_constant(kind, numbers, 0.7, 0.3)
    least = float(solver.risk(kind, numbers, np.array([best]), 0.7, 0.3)[0])
    found = minimize_scalar(
        lambda c: float(solver.risk(kind, numbers, np.array([c]), 0.7, 0.3)[0]),
        bounds=(numbers.min(), numbers.max()),
        method="bounded",
        options={"xatol": 1e-10},
    )
    assert least <= found.fun + 1e-9


def test_huber_goes_from_the_median_to_the_mean():
    odd = np.append(SIX, 2.5)
    assert solver.best_constant("huber", odd, 1e-3, 0.5) == pytest.approx(2.5, abs=2e-3)
    assert solver.best_constant("huber", odd, 100.0, 0.5) == pytest.approx(odd.mean())


def test_half_way_prices_are_the_usual_losses():
    for one, other in (("pinball", "absolute"), ("expectile", "squared")):
        assert solver.best_constant(one, SIX, 1.0, 0.5) == pytest.approx(solver.best_constant(other, SIX, 1.0, 0.5))


def test_quantiles_are_those_of_the_fraction():
    numbers = np.random.default_rng(5).normal(size=1001)
    for tau in (0.1, 0.25, 0.9):
        c = solver.best_constant("pinball", numbers, 1.0, tau)
        assert abs((numbers <= c).mean() - tau) <= 1.0 / len(numbers)


@pytest.mark.parametrize("kind", ["squared", "huber", "absolute", "pinball", "expectile"])
def test_slopes_are_differences_of_costs(kind):
    r = np.linspace(-3.03, 3.01, 40)
    step = 1e-6
    numeric = (solver.cost(kind, r + step, 0.8, 0.3) - solver.cost(kind, r - step, 0.8, 0.3)) / (2.0 * step)
    assert solver.slope(kind, r, 0.8, 0.3) == pytest.approx(numeric, abs=1e-4)


def test_margin_losses_lie_above_zero_one_and_fall():
    m = np.linspace(-4.0, 4.0, 401)
    for kind in ("exponential", "hinge", "logistic"):
        values = solver.margin_cost(kind, m)
        assert (values >= solver.margin_cost("zero-one", m)).all()
        assert (np.diff(values) <= 0.0).all()  # the notes print them without the minus sign
        assert (np.diff(values, 2) >= -1e-12).all()  # convex
        assert solver.margin_cost(kind, np.zeros(1))[0] == pytest.approx(1.0)
    assert (np.diff(solver.margin_cost("linear", m)) < 0.0).all()


def test_the_mean_squared_deviation_is_the_variance():
    last = frames(loss="squared")[-1]
    assert last.metrics["risk"] == pytest.approx(SIX.var())
    assert last.model.slope == pytest.approx(0.0, abs=1e-12)


def test_empirical_risk_comes_near_the_risk_with_the_root_of_n():
    last = frames(loss="absolute", draws=4096, paths=60)[-1]
    bundle, curve = last.views["convergence"]
    risk = np.abs(SIX - 2.5).mean()
    assert curve.y == pytest.approx(risk)
    error = np.abs(SIX - 2.5).std() / np.sqrt(4096)
    assert abs(bundle.y[:, -1].mean() - risk) < 4.0 * error / np.sqrt(60)  # unbiased
    assert 0.7 * error < bundle.y[:, -1].std() < 1.4 * error


def test_values_of_points_are_the_numbers():
    data = Points(np.zeros((4, 2)), np.array([1.0, 2.0, 3.0, 10.0]))
    model = fit("losses", data).model
    assert model.constants["squared"] == 4.0
    said = explain(model, data, data.item(3))
    assert said["residual"] == 6.0
    assert said["squared loss"] == 36.0
    assert said["pull on the constant"] == 12.0


def test_points_without_values_leave_the_numbers_of_the_knob():
    assert fit("losses", Points(np.eye(3), ["a", "b", "c"])).model.numbers.tolist() == SIX.tolist()
    with pytest.raises(DataError, match="no numbers"):
        frames(numbers=())


def test_one_number():
    last = frames(numbers=((7.0, 0.0),))[-1]
    assert set(last.model.constants.values()) == {7.0}
    assert last.metrics["risk"] == 0.0


def test_the_caption_of_huber_does_not_place_it_between_mean_and_median():
    """On the example the mean is 0.028, the median -0.033, and the constant 0.037 is beyond both."""
    data = load_data(ALGORITHM.example)
    caption = next(frame.caption for frame in frames(data) if "Huber" in frame.caption)
    assert caption.startswith("The Huber loss is least at 0.03696: delta is 1;")


def test_the_zero_one_loss_is_flat_with_single_dots():
    last = frames(loss="zero-one")[-1]
    line = next(mark for mark in last.views["constants"] if getattr(mark, "name", "") == "zero-one")
    assert set(line.y.tolist()) == {1.0}
    dots = next(mark for mark in last.views["constants"] if getattr(mark, "name", "") == "zero-one at a number")
    assert dots.at[:, 1] == pytest.approx([5 / 6, 4 / 6, 5 / 6, 5 / 6, 5 / 6])  # 1, 2 (twice), 3, 4, 9
    line, dot = (mark for mark in last.views["losses"] if getattr(mark, "name", "").startswith("zero-one"))
    assert set(line.y.tolist()) == {1.0}
    assert dot.at.tolist() == [[0.0, 0.0]]
    step = last.views["margins"][0]
    assert step.x.tolist() == [-3.0, 0.0, 0.0, 3.0]


def test_the_metrics_are_the_least_so_far_and_no_scan():
    for loss in ("squared", "absolute", "huber"):
        played = frames(loss=loss)
        risks, last = [frame.metrics["risk"] for frame in played], played[-1]
        assert (np.diff(risks) <= 1e-12).all()
        assert last.metrics["constant"] == last.model.constants[loss]
        assert risks[-1] == last.model.risk
