"""The multilayer perceptron: gradients by finite differences, identities, known answers, and what the knobs do."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, softmax
from sklearn.linear_model import LinearRegression, LogisticRegression

from algorithms import Item
from algorithms.contract import DataError, Stop
from algorithms.data import Points
from algorithms.fitting import fit
from algorithms.maths.neuron_maps import MOST_UNITS, SIDE, lines_inside
from algorithms.maths.optimisers import SGD
from algorithms.maths.scales import mean_and_spread
from algorithms.neural.mlp import ALGORITHM, Params, begin, field, predict
from algorithms.neural.mlp.solver import networks as layers
from algorithms.neural.mlp.solver import patience_after, step
from algorithms.neural.mlp.solver.networks import ACTIVATIONS, Architecture
from algorithms.neural.mlp.words import explain

OUTPUTS = ("softmax", "sigmoid", "identity")


def rings(n=300, noise=0.1, seed=0):
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % 2
    angle = rng.uniform(0, 2 * np.pi, n)
    X = np.column_stack([np.cos(angle), np.sin(angle)]) * np.where(labels == 1, 0.5, 1.0)[:, None]
    return Points(X + noise * rng.normal(size=(n, 2)), labels)


def problem(output, count=3, n=7, seed=0):
    """Points and targets in the code of the output."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    if output == "identity":
        return X, rng.normal(size=(n, count))
    return X, np.eye(count)[rng.integers(count, size=n)]


def frames_of(data, params, seed=0, start=None, limit=None):
    run = ALGORITHM.start(data, params, seed, start)
    return list(run if limit is None else itertools.islice(run, limit))


# -- activations and outputs -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_the_derivative_is_the_slope(name):
    a = np.array([-30.0, -3.0, -0.7, -1e-3, 1e-3, 0.4, 2.0, 30.0])
    sigma, h = ACTIVATIONS[name], 1e-6
    numeric = (sigma.value(a + h) - sigma.value(a - h)) / (2 * h)
    assert sigma.slope(a, sigma.value(a)) == pytest.approx(numeric, abs=1e-6)


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activations_are_stable_far_out(name):
    a = np.array([-1000.0, -50.0, 50.0, 1000.0])
    h = ACTIVATIONS[name].value(a)
    assert np.isfinite(h).all()
    assert np.isfinite(ACTIVATIONS[name].slope(a, h)).all()


def test_activations_by_hand():
    a = np.array([-2.0, 0.0, 3.0])
    says = {name: activation.value(a) for name, activation in ACTIVATIONS.items()}
    assert says["identity"].tolist() == [-2, 0, 3]
    assert says["relu"].tolist() == [0, 0, 3]
    assert says["elu"] == pytest.approx([np.exp(-2) - 1, 0, 3])
    assert says["selu"] == pytest.approx([1.7580993408473766 * (np.exp(-2) - 1), 0, 3 * 1.0507009873554805])
    assert says["softplus"] == pytest.approx([0.126928, 0.693147, 3.048587], abs=1e-6)
    assert says["swish"] == pytest.approx([-2 / (1 + np.exp(2)), 0, 3 / (1 + np.exp(-3))])
    assert says["tanh"] == pytest.approx(2 * expit(2 * a) - 1)


@given(st.lists(st.floats(-500, 500), min_size=2, max_size=5), st.floats(-200, 200))
def test_softmax_sums_to_one_and_does_not_see_a_shift(logits, shift):
    net = Architecture((2, len(logits)), output="softmax")
    row = np.array([logits])
    said = layers.outputs(net, row)
    assert said.sum() == pytest.approx(1.0)
    assert layers.outputs(net, row + shift) == pytest.approx(said, abs=1e-9)
    assert said == pytest.approx(softmax(row, axis=1), abs=1e-12)


def test_losses_by_hand():
    half = np.array([[0.0]])
    assert layers.losses(Architecture((1, 1), output="sigmoid"), half, np.array([[1.0]])) == pytest.approx(np.log(2))
    three = Architecture((1, 3), output="softmax")
    assert layers.losses(three, np.zeros((1, 3)), np.array([[0.0, 1.0, 0.0]])) == pytest.approx(np.log(3))
    assert layers.losses(three, np.array([[0.0, 2000.0, 0.0]]), np.array([[1.0, 0.0, 0.0]])) == pytest.approx(2000.0)
    real = Architecture((1, 2), output="identity")
    assert layers.losses(real, np.array([[1.0, 5.0]]), np.array([[3.0, 2.0]])) == pytest.approx((4 + 9) / 2)


# -- backpropagation -------------------------------------------------------------------------------------------------


def numeric_gradient(net, theta, X, targets, factors=None, h=1e-6):
    def loss(place):
        return layers.losses(net, layers.forward(net, place, X, factors=factors).logits, targets).mean()

    return np.array([(loss(theta + h * e) - loss(theta - h * e)) / (2 * h) for e in np.eye(len(theta))])


def random_theta(net, seed=1):
    rng = np.random.default_rng(seed)
    return layers.initial(net, "xavier", rng) + 0.3 * rng.normal(size=net.parameters)


@pytest.mark.parametrize("batch_norm", [False, True], ids=["plain", "batch-norm"])
@pytest.mark.parametrize("output", [*OUTPUTS, "tanh", "softplus", "exponential"])
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_gradient_by_finite_differences(activation, output, batch_norm):
    net = Architecture((2, 4, 3, 3), activation, output, batch_norm)
    X, targets = problem(output)
    theta = random_theta(net)
    factors = layers.dropout_factors(net.hidden, 0.4, np.random.default_rng(3))
    for mask in (None, factors):
        gradient, _ = layers.loss_gradient(net, theta, X, targets, mask)
        assert gradient == pytest.approx(numeric_gradient(net, theta, X, targets, mask), abs=2e-7, rel=1e-5)


@pytest.mark.parametrize("output", OUTPUTS)
def test_delta_of_the_output_is_the_error(output):
    net = Architecture((2, 3), output=output)
    X, targets = problem(output)
    logits = layers.forward(net, random_theta(net), X).logits
    said = layers.outputs(net, logits)
    assert layers.output_delta(net, logits, targets) == pytest.approx((said - targets) / len(X))


def test_gradient_of_the_penalties_spares_biases_and_scales():
    net = Architecture((2, 3, 1), batch_norm=True)
    theta = random_theta(net)
    gradient = layers.penalty_gradient(net, theta, 0.5, 0.25)
    for slot in net.slots:
        w = theta[slot.weights]
        assert gradient[slot.weights] == pytest.approx(0.5 * np.sign(w) + 0.5 * w)
        assert not gradient[slot.biases].any()
    assert not gradient[net.slots[0].scales].any()


def test_mini_batches_of_equal_size_average_to_the_whole_gradient():
    net = Architecture((2, 4, 1), output="sigmoid")
    X, targets = problem("sigmoid", count=1, n=12)
    theta = random_theta(net)
    whole, _ = layers.loss_gradient(net, theta, X, targets)
    parts = [layers.loss_gradient(net, theta, X[i : i + 4], targets[i : i + 4])[0] for i in (0, 4, 8)]
    assert np.mean(parts, axis=0) == pytest.approx(whole)


@given(st.lists(st.integers(1, 6), max_size=4), st.integers(1, 5), st.integers(1, 4))
def test_count_of_parameters(hidden, d, outputs):
    sizes = (d, *hidden, outputs)
    assert Architecture(sizes).parameters == sum(b * (a + 1) for a, b in itertools.pairwise(sizes))


@pytest.mark.parametrize("batch_norm", [False, True])
def test_slopes_in_the_input_by_finite_differences(batch_norm):
    net = Architecture((2, 5, 2), "tanh", "identity", batch_norm)
    theta, running = random_theta(net), np.array([[0.3] * 5, [2.0] * 5])
    x, h = np.array([[0.4, -0.7]]), 1e-6
    trace = layers.forward(net, theta, x, running)
    found = layers.input_slopes(net, theta, trace, np.array([[0.0, 1.0]]))[0]
    for j, shift in enumerate(np.eye(2) * h):
        up, down = (layers.forward(net, theta, x + s, running).logits[0, 1] for s in (shift, -shift))
        assert found[j] == pytest.approx((up - down) / (2 * h), abs=1e-6)


# -- initial weights, batch normalisation, dropout -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scheme", "variance"),
    [("xavier", 2 / 300), ("he", 2 / 100), ("lecun", 1 / 100), ("small random", 1e-4), ("zeros", 0.0)],
)
def test_variance_of_the_first_weights(scheme, variance):
    net = Architecture((100, 200, 1))
    theta = layers.initial(net, scheme, np.random.default_rng(0))
    assert net.weights(theta, 0).var() == pytest.approx(variance, rel=0.03)
    assert not theta[net.slots[0].biases].any()


def test_equal_weights_stay_equal():
    """Nothing tells units apart that begin alike: with zeros all hidden units learn the same."""
    model = fit("mlp", rings(60), init="zeros", hidden=(4,), epochs=20).model
    weights = model.architecture.weights(model.state.theta, 0)
    assert np.ptp(weights, axis=1) == pytest.approx(0.0, abs=1e-12)


def test_batch_normalisation_gives_mean_0_and_variance_1_in_training():
    net = Architecture((3, 6, 1), "identity", "identity", True)
    X = np.random.default_rng(0).normal(3.0, 5.0, size=(50, 3))
    theta = layers.initial(net, "he", np.random.default_rng(1))
    trace = layers.forward(net, theta, X)
    assert trace.sums[0].mean(axis=0) == pytest.approx(0.0, abs=1e-9)
    assert trace.sums[0].var(axis=0) == pytest.approx(1.0, abs=1e-5)
    again = layers.forward(net, theta, X, running=trace.statistics)
    assert again.logits == pytest.approx(trace.logits)


def test_running_statistics_come_to_those_of_the_data():
    data = rings(200)
    model = fit("mlp", data, batch_norm=True, hidden=(3,), learning_rate=1e-5, batch=1000, validation=0.0).model
    X = model.scaling.inputs(data.X)
    z = X @ model.architecture.weights(model.state.theta, 0)
    assert model.state.running == pytest.approx(np.stack([z.mean(axis=0), z.var(axis=0)]), abs=0.01)


def test_dropout_keeps_the_mean_and_scales_only_what_it_drops():
    rng = np.random.default_rng(0)
    factors = np.array([layers.dropout_factors(4, 0.3, rng) for _ in range(20_000)])
    assert set(np.unique(factors).tolist()) == {0.0, 1 / 0.7}
    assert factors.mean(axis=0) == pytest.approx(1.0, abs=0.02)
    assert layers.dropout_factors(4, 0.0, rng) is None


def test_dropout_of_a_linear_network_averages_to_the_test_network():
    net = Architecture((2, 3, 1), "identity", "identity")
    X, theta = np.array([[0.5, -1.0]]), random_theta(Architecture((2, 3, 1), "identity", "identity"))
    masks = [np.array(mask) / 0.5 for mask in itertools.product((0.0, 1.0), repeat=3)]  # all equally likely at p = 0.5
    mean = np.mean([layers.forward(net, theta, X, factors=mask).logits for mask in masks])
    assert mean == pytest.approx(layers.forward(net, theta, X).logits[0, 0])


# -- training --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_defaults_learn_two_noisy_rings(seed):
    data = rings(seed=seed)
    found = fit("mlp", data, seed=seed)
    assert (found.predict(data.X) == data.y).mean() >= 0.97
    assert found.metrics["accuracy"][-1] >= 0.97


@pytest.mark.parametrize("optimiser", ["sgd", "momentum", "nesterov", "adagrad", "rmsprop", "adam"])
def test_every_optimiser_learns_exclusive_or(optimiser):
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5, dtype=float)
    rate = {"sgd": 0.5, "momentum": 0.1, "nesterov": 0.1, "adagrad": 0.3}.get(optimiser, 0.03)
    data = Points(X, np.array([0, 1, 1, 0] * 5))
    found = fit("mlp", data, seed=2, optimiser=optimiser, learning_rate=rate, validation=0.0, batch=4, epochs=200)
    assert found.metrics["accuracy"][-1] == 1.0


def test_a_linear_network_cannot_learn_exclusive_or():
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5, dtype=float)
    data = Points(X, np.array([0, 1, 1, 0] * 5))
    found = fit("mlp", data, activation="identity", validation=0.0, patience=0)
    assert found.metrics["accuracy"].max() <= 0.75


def test_without_hidden_layers_it_is_logistic_regression():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    y = (X @ (1.0, -2.0) + 0.5 + rng.logistic(size=120) > 0).astype(int)
    found = fit("mlp", X, y, hidden=(), validation=0.0, batch=1000, learning_rate=0.1, epochs=1500)
    oracle = LogisticRegression(C=np.inf, tol=1e-10).fit(X, y)
    assert found.field(X) == pytest.approx(oracle.predict_proba(X)[:, 1], abs=1e-4)


def test_without_hidden_layers_it_is_linear_regression():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3)) * (1.0, 10.0, 0.1) + (5.0, 0.0, -3.0)
    y = X @ (1.0, 0.2, 5.0) + 7.0 + 0.1 * rng.normal(size=80)
    found = fit("mlp", X, y, hidden=(), validation=0.0, batch=1000, learning_rate=0.1, epochs=1500)
    oracle = LinearRegression().fit(X, y)
    assert found.predict(X) == pytest.approx(oracle.predict(X), abs=1e-3)
    assert found.metrics["accuracy"][-1] == pytest.approx(oracle.score(X, y), abs=1e-5)


def test_a_wave_is_fitted_and_drawn_as_a_curve():
    x = np.linspace(0, 1, 120)
    data = Points(x[:, None], np.sin(2 * np.pi * x))
    found = fit("mlp", data, hidden=(16,), patience=0)
    assert found.metrics["accuracy"][-1] > 0.99
    curve = found.last.views["plane"][0]
    assert curve.y == pytest.approx(found.predict(curve.x[:, None]))
    uncertain = fit("mlp", data, dropout=0.2, epochs=5).last.views["plane"][0]
    assert (uncertain.high >= uncertain.low).all()
    assert (uncertain.high > uncertain.low).any()


def one_step(**knobs):
    """θ before and after one step of full-batch training, with the training."""
    training, model = begin(rings(40), Params(batch=1000, validation=0.0, **knobs), np.random.default_rng(0))
    return training, model.state.theta, step(training, model.state, training.taught).state.theta


def test_one_step_of_sgd_is_the_gradient():
    training, before, after = one_step(optimiser="sgd", learning_rate=0.3)
    gradient, _ = layers.loss_gradient(training.architecture, before, training.inputs, training.targets)
    _, step = SGD().update(SGD().init(before.shape), gradient, 0.3)
    assert after == pytest.approx(before - step)


def test_the_first_step_of_adam_has_the_length_of_the_rate():
    _, before, after = one_step(optimiser="adam", learning_rate=0.01)
    assert np.abs(after - before) == pytest.approx(0.01, rel=1e-3)


def test_weight_decay_is_l2_for_sgd_and_not_for_adam():
    knobs = {"batch": 16, "epochs": 8, "patience": 0, "validation": 0.0, "learning_rate": 0.1}

    def theta(optimiser, **penalty):
        return fit("mlp", rings(60), optimiser=optimiser, **knobs, **penalty).model.state.theta

    # λ = 2 η α
    assert theta("sgd", weight_decay=0.002) == pytest.approx(theta("sgd", l2=0.01), abs=1e-12)
    assert np.abs(theta("adam", weight_decay=0.002) - theta("adam", l2=0.01)).max() > 1e-3


def test_penalties_shrink_and_l1_empties():
    plain, small, sparse = (
        fit("mlp", rings(120), patience=0, epochs=150, hidden=(12,), **penalty).model
        for penalty in ({}, {"l2": 0.01}, {"l1": 0.01})
    )

    def weights(model):
        return np.abs(model.state.theta[layers.weight_mask(model.architecture) > 0])

    assert weights(small).max() < weights(plain).max()
    assert (weights(sparse) < 0.02).mean() > 2 * (weights(small) < 0.02).mean()
    assert (weights(sparse) < 0.02).mean() > 0.5


# -- early stopping --------------------------------------------------------------------------------------------------


def test_patience_by_hand():
    best, waited, stopped = np.inf, 0, None
    for index, loss in enumerate([5, 4, 3, 3.5, 3.2, 3.1, 2.0]):
        best, waited = patience_after(best, waited, loss)
        if waited >= 3:
            stopped = index
            break
    assert (stopped, best) == (5, 3)


@given(st.lists(st.floats(0, 10), min_size=1, max_size=30, unique=True))
def test_falling_losses_never_wait(losses):
    best, waited = np.inf, 0
    for loss in sorted(losses, reverse=True):
        best, waited = patience_after(best, waited, loss)
        assert waited == 0
    assert best == min(losses)


def noisy(n=60):
    rng = np.random.default_rng(5)
    return Points(rng.normal(size=(n, 2)), rng.integers(2, size=n))


def test_early_stopping_returns_to_the_best_epoch():
    found = fit("mlp", noisy(), patience=5, learning_rate=0.05)
    validation = found.metrics["validation_loss"]
    assert found.stop is Stop.COMPLETE
    assert found.last.phase == "restore"
    history = found.model.history[:, 1]
    assert len(history) == found.model.best.epoch + 5
    assert int(history.argmin()) + 1 == found.model.state.epoch
    assert validation[-1] == pytest.approx(history.min(), rel=1e-6)
    assert fit("mlp", noisy(), patience=0, epochs=40).last.phase == "epoch"


def test_the_validation_points_teach_nothing():
    data = rings(60)
    model = fit("mlp", data, epochs=5, patience=0).model
    X = np.array(data.X)
    y = np.array(data.y)
    y[model.held_out] = 1 - y[model.held_out]
    again = fit("mlp", Points(X, y, classes=data.classes), epochs=5, patience=0).model
    assert len(model.held_out) == 12
    assert np.array_equal(again.state.theta, model.state.theta)


@pytest.mark.parametrize("valued", [False, True])
def test_the_validation_points_do_not_set_the_scales(valued):
    """Wherever the watched points lie and whatever their targets are, the network that is trained is the same."""
    data = rings(60)
    y = data.X[:, 0] * data.X[:, 1] if valued else data.y
    model = fit("mlp", Points(data.X, y), epochs=5, patience=0).model
    X, other = np.array(data.X), np.array(y)
    X[model.held_out] = 7.0 + 30.0 * X[model.held_out]
    other[model.held_out] = -5.0 * other[model.held_out] if valued else other[model.held_out]
    again = fit("mlp", Points(X, other), epochs=5, patience=0).model
    taught = np.delete(np.arange(60), model.held_out)
    assert model.scaling.centre == pytest.approx(data.X[taught].mean(axis=0))
    assert model.scaling.scale == pytest.approx(data.X[taught].std(axis=0))
    assert model.scaling.target_centre == pytest.approx(y[taught].mean() if valued else 0.0)
    assert np.array_equal(again.state.theta, model.state.theta)


# -- turning knobs while it trains -----------------------------------------------------------------------------------


@pytest.mark.parametrize("optimiser", ["momentum", "nesterov", "adagrad", "rmsprop", "adam"])
@pytest.mark.parametrize("position", [3, 10, 14])
def test_going_on_is_as_if_never_stopped(optimiser, position):
    data, params = rings(80), Params(epochs=12, patience=0, dropout=0.2, batch_norm=True, batch=8, optimiser=optimiser)
    whole = frames_of(data, params)
    rest = frames_of(data, params, seed=99, start=whole[position].model)
    assert len(rest) == len(whole) - position
    for one, two in zip(rest, whole[position:], strict=True):
        assert np.array_equal(one.model.state.theta, two.model.state.theta)
    assert {**rest[-1].metrics} == {**whole[-1].metrics}


@pytest.mark.parametrize(
    "knobs", [{"learning_rate": 0.3}, {"l2": 0.05}, {"weight_decay": 0.01}, {"dropout": 0.5}, {"optimiser": "sgd"}]
)
def test_a_live_knob_keeps_the_state(knobs):
    data = rings(80)
    frames = frames_of(data, Params(epochs=30), limit=20)
    live = {item.name for item in ALGORITHM.fields if item.live}
    assert set(knobs) <= live
    first, second = frames_of(data, Params(epochs=30, **knobs), start=frames[-1].model, limit=2)
    assert np.array_equal(first.model.state.theta, frames[-1].model.state.theta)
    assert second.model.state.epoch == frames[-1].model.state.epoch + 1
    assert not np.array_equal(second.model.state.theta, first.model.state.theta)
    assert len(second.model.history) == second.model.state.epoch


def test_a_finished_run_can_go_on():
    data = rings(60)
    done = fit("mlp", data, epochs=5, patience=0).model
    more = frames_of(data, Params(epochs=5, patience=0), start=done)
    assert more[-1].model.state.epoch == 10


def test_a_model_of_another_network_is_not_taken_over():
    model = fit("mlp", rings(60), epochs=3).model
    first = frames_of(rings(60), Params(hidden=(3,)), start=model, limit=1)[0]
    assert first.model.architecture.sizes == (2, 3, 1)
    assert first.model.state.epoch == 0


# -- what is refused, what diverges, what is drawn -------------------------------------------------------------------


def test_what_is_refused():
    X = np.arange(8.0).reshape(4, 2)
    with pytest.raises(DataError, match="none"):
        fit("mlp", X)
    with pytest.raises(DataError, match="two classes"):
        fit("mlp", X, [1, 1, 1, 1])
    with pytest.raises(DataError, match="real value"):
        fit("mlp", X, [0.1, 0.2, 0.3, 0.5], output="softmax")


def test_divergence_is_said():
    x = np.linspace(0, 1, 40)
    found = fit("mlp", x[:, None], np.sin(6 * x), activation="identity", optimiser="sgd", learning_rate=10.0)
    assert found.stop is Stop.DIVERGED
    assert "smaller learning rate" in found.last.warning
    assert found.last.caption.startswith(f"In epoch {len(found.model.history) + 1} ")
    assert np.isfinite(found.last.metrics["loss"])


@pytest.mark.parametrize("output", ["sigmoid", "softmax", "identity"])
def test_three_classes_with_every_output(output):
    rng = np.random.default_rng(0)
    y = np.arange(90) % 3
    X = rng.normal(size=(90, 2)) + 4.0 * np.array([[0, 0], [1, 0], [0, 1]])[y]
    found = fit("mlp", X, y, output=output)
    assert (found.predict(X) == y).mean() > 0.9
    assert found.field(X).shape == (90, 3)


def test_the_diagram_shows_what_the_units_say():
    data = rings(80)
    found = fit("mlp", data, hidden=(20, 3), epochs=10)
    mark = found.last.views["network"][0]
    units = 2 + MOST_UNITS + 3 + 1
    assert mark.maps.shape == (units, SIDE, SIDE)
    assert [table.shape for table in mark.weights] == [(2, 16), (16, 3), (3, 1)]
    assert mark.omitted == (0, 4, 0, 0)
    left, right, bottom, top = mark.extent
    x = left + 3.5 * (right - left) / SIDE
    y = bottom + 12.5 * (top - bottom) / SIDE
    said = 2 * found.field([[x, y]])[0] - 1
    grid = mark.maps[-1].astype(float)
    assert np.abs(grid).max() == 127
    side = np.linspace(0, 1, SIDE, endpoint=False) + 0.5 / SIDE
    places = np.stack(np.meshgrid(left + side * (right - left), bottom + side * (top - bottom)), axis=-1).reshape(-1, 2)
    largest = np.abs(2 * found.field(places) - 1).max()
    assert grid[12, 3] / 127 == pytest.approx(said / largest, abs=0.005)


def test_dropped_units_are_shown_in_mini_batches():
    frames = frames_of(rings(80), Params(dropout=0.5, batch=8), limit=8)
    assert [frame.phase for frame in frames] == ["start", "forward", "backward"] + ["batch"] * 5
    marks = [frame.views["network"][0] for frame in frames]
    assert marks[0].dropped is None
    assert all(mark.dropped[:2].tolist() == [False, False] and not mark.dropped[-1] for mark in marks[1:])
    assert any(mark.dropped.any() for mark in marks[1:])


def test_hinges_lie_where_the_first_units_change_sign():
    data = rings(60)
    found = fit("mlp", data, hidden=(5,), epochs=5, batch_norm=True)
    hinges = found.last.views["plane"][2]
    model = found.model
    ends = np.concatenate([hinges.start, hinges.end])
    sums = layers.forward(model.architecture, model.state.theta, model.scaling.inputs(ends), model.running()).sums[0]
    assert np.abs(sums).min(axis=1) == pytest.approx(0.0, abs=1e-9)


@settings(max_examples=60)
@given(st.floats(-1, 1), st.floats(-1, 1), st.floats(-2, 2))
def test_cut_lines_end_on_the_border(a, b, offset):
    low, high = np.array([-1.0, -1.0]), np.array([1.0, 1.0])
    for ends in lines_inside(np.array([[a, b]]), np.array([offset]), low, high):
        assert np.abs(ends @ (a, b) + offset) == pytest.approx(0.0, abs=1e-6)
        assert np.abs(ends).max(axis=1) == pytest.approx(1.0, abs=1e-6)


def test_explanation_of_a_point():
    data = rings(80)
    model = fit("mlp", data, epochs=20).model
    x = data.X[3]
    found = explain(model, data, Item(x=x))
    assert found["predicted class"] == data.classes[int(predict(model, x[None, :])[0])]
    assert found["output for 1"] == pytest.approx(float(field(model, x[None, :])[0]))
    step = np.array([1e-6, 0.0])
    up, down = model.logits((x + step)[None, :])[0, 0], model.logits((x - step)[None, :])[0, 0]
    assert found["change of the output's sum per x1"] == pytest.approx((up - down) / 2e-6, rel=1e-4)


def test_two_equal_rows_are_two_points():
    """The same place with two classes, one learnt from and one watched: loss -log p and -log(1 - p)."""
    data = rings(40)
    twins = Points(np.concatenate([data.X, data.X[:1]]), [*data.y, 1 - data.y[0]], classes=data.classes)
    model = fit("mlp", data, epochs=20, validation=0.0).model
    one, other = (explain(model, twins, twins.item(number)) for number in (0, 40))
    p = float(field(model, data.X[:1])[0])
    assert (one["true class"], other["true class"]) == ("0", "1")
    assert (one["loss"], other["loss"]) == (pytest.approx(-np.log(1 - p)), pytest.approx(-np.log(p)))
    assert "loss" not in explain(model, twins, Item(x=data.X[0]))
    watched = fit("mlp", data, epochs=2).model
    for number in (int(watched.held_out[0]), int(np.setdiff1d(np.arange(40), watched.held_out)[0])):
        used = explain(watched, data, data.item(number))["used for"]
        assert used.startswith("validation") == (number in watched.held_out)


def test_the_loss_of_a_value_is_half_the_squared_error_in_its_own_unit():
    x = np.linspace(0, 1, 30)
    data = Points(x[:, None], 3.0 * x)
    model = fit("mlp", data, epochs=5).model
    found = explain(model, data, data.item(7))
    error = (found["predicted value"] - found["true value"]) / model.scaling.target_scale
    assert found["loss"] == pytest.approx(error**2 / 2)


@pytest.mark.parametrize("factor", [1e150, 1e-150, 1.0])
def test_scaling_survives_huge_and_tiny_numbers(factor):
    X = np.random.default_rng(0).normal(size=(30, 2)) * factor
    centre, scale = mean_and_spread(X)
    z = (X - centre) / scale
    assert z.mean(axis=0) == pytest.approx(0.0, abs=1e-12)
    assert z.std(axis=0) == pytest.approx(1.0)
    assert mean_and_spread(np.full((4, 1), 7.3))[1].tolist() == [1.0]


def test_gradients_vanish_in_a_deep_network_of_sigmoids():
    def ratio(activation):
        first = frames_of(rings(80), Params(hidden=(8,) * 6, activation=activation, output="sigmoid"), limit=1)[0]
        norms = first.views["gradients"][0].values
        assert len(norms) == 7
        assert norms[0] == first.metrics["gradient_first"]
        return norms[0] / norms[-1]

    assert ratio("sigmoid") < 0.01 < 0.1 < ratio("tanh")


@pytest.mark.parametrize(
    ("n", "hidden", "sentence"),
    [
        (10, (256,) * 40, "This network has 2,566,913 weights; at most 2,000,000 can be trained. Use fewer units."),
        (200_000, (256,), "200,000 points have 51,800,000 values in the 259 units of this network"),
    ],
)
def test_a_network_that_would_not_fit_into_memory_is_refused_before_any_is_taken(monkeypatch, n, hidden, sentence):
    monkeypatch.setattr("algorithms.neural.mlp._random", None)  # nothing may be made
    data = Points(np.zeros((n, 2)), np.arange(n) % 2)
    with pytest.raises(DataError) as caught:
        begin(data, Params(hidden=hidden), np.random.default_rng(0))
    assert str(caught.value).startswith(sentence)
