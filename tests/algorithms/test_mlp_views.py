"""What a network shows beside its diagram: there and back, the hidden space, the activation, the sizes of weights."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms import DataError, fit
from algorithms.data import Points
from algorithms.marks import Curve, Highlight, Scatter
from algorithms.neural.mlp import ALGORITHM
from algorithms.neural.mlp.solver import networks as layers
from mlviz.data.generators import generate
from tests.algorithms.played import marks

RINGS = generate("circles", n=80, noise=0.1, seed=1)


def frames(data=RINGS, limit=6, **params):
    run = ALGORITHM.start(data, ALGORITHM.make_params(params), 0)
    return [next(run) for _ in range(limit)]


@pytest.mark.parametrize("batch", [1, 16])
@pytest.mark.parametrize("dropout", [0.0, 0.5])
def test_the_first_mini_batch_goes_there_and_back_before_it_teaches(batch, dropout):
    start, there, back, step = frames(limit=4, batch=batch, dropout=dropout, hidden=(5, 4), optimiser="sgd")
    assert [frame.phase for frame in (start, there, back, step)] == ["start", "forward", "backward", "batch"]
    for frame in (there, back):
        assert np.array_equal(frame.model.state.theta, start.model.state.theta)
        assert len(marks(frame, "plane", Highlight)[0].points) == batch
    # the edges show where the weights go: the same way as the step that follows, for plain gradient descent
    change = step.model.state.theta - start.model.state.theta
    pulls = [table.ravel() for table in back.views["network"][0].weights]
    architecture = start.model.architecture
    moved = [architecture.weights(change, k).ravel() for k in range(3)]
    pull, way = np.concatenate(pulls), np.concatenate(moved)
    assert pull @ way == pytest.approx(np.linalg.norm(pull) * np.linalg.norm(way))
    assert "pull" in back.views["network"][0].edges_name
    assert there.views["network"][0].edges_name == "weight"


def test_the_loss_said_forward_is_that_of_the_mini_batch():
    start, there = frames(limit=2, batch=8, validation=0.0)
    points = marks(there, "plane", Highlight)[0].points
    model = start.model
    targets = RINGS.y[points][:, None].astype(float)
    loss = layers.losses(model.architecture, model.logits(RINGS.X[points]), targets).mean()
    assert f"the mean loss is {loss:.3g}." in there.caption


def test_the_hidden_space_is_what_the_last_hidden_layer_says():
    found = fit("mlp", RINGS, hidden=(6, 2), epochs=60, patience=0)
    (space,) = marks(found.last, "hidden", Scatter)
    model = found.model
    trace = layers.forward(model.architecture, model.state.theta, model.scaling.inputs(RINGS.X), model.running())
    np.testing.assert_allclose(space.at, trace.values[1])
    # the border of the plane is a straight line here, and each point is on the side of its predicted class
    (border,) = marks(found.last, "hidden", Curve)
    (x0, x1), (y0, y1) = border.x, border.y
    side = (x1 - x0) * (space.at[:, 1] - y0) - (y1 - y0) * (space.at[:, 0] - x0)
    predicted = found.predict(RINGS.X)
    assert len(set(zip(np.sign(side), predicted, strict=True))) == 2


def test_a_hidden_layer_of_one_unit_is_shown_over_the_target_and_none_shows_nothing():
    (space,) = marks(frames(limit=1, hidden=(1,))[0], "hidden", Scatter)
    np.testing.assert_array_equal(space.at[:, 1], RINGS.y)
    assert frames(limit=1, hidden=())[0].views["hidden"] == ()


def test_the_units_that_weigh_most_are_shown():
    found = fit("mlp", RINGS, hidden=(6,), epochs=20)
    out = np.abs(found.model.architecture.weights(found.model.state.theta, 1)[:, 0])
    first, second = sorted(np.argsort(-out)[:2])
    (space,) = marks(found.last, "hidden", Scatter)
    assert (space.x, space.y) == (f"hidden unit {first + 1}", f"hidden unit {second + 1}")


@pytest.mark.parametrize("activation", list(layers.ACTIVATIONS))
def test_points_lie_on_the_activation_and_the_slope_is_its_slope(activation):
    last = frames(limit=4, activation=activation)[-1]
    value, slope = marks(last, "activation", Curve)
    (dots,) = marks(last, "activation", Scatter)
    np.testing.assert_allclose(np.interp(dots.at[:, 0], value.x, value.y), dots.at[:, 1], atol=2e-3 * np.ptp(value.y))
    smooth = np.abs(value.x) > 0.1  # the kinks are at 0
    np.testing.assert_allclose(np.gradient(value.y, value.x)[smooth][1:-1], slope.y[smooth][1:-1], atol=0.02)


def test_a_single_neuron_shows_its_output():
    value = marks(frames(limit=1, hidden=())[0], "activation", Curve)[0]
    assert value.name.startswith("sigmoid")
    assert np.interp(0.0, value.x, value.y) == pytest.approx(0.5)
    line = generate("line", n=20, seed=1)
    assert marks(frames(line, limit=1, hidden=())[0], "activation", Curve)[0].name.startswith("identity")


@pytest.mark.parametrize("classes", [2, 3, 4])
def test_the_softmax_of_several_classes_is_drawn_as_the_softmax(classes):
    """With the other sums at their means m it is e^a / (e^a + Σ e^m); the points stand at their own probabilities."""
    data = generate("blobs", n=60, centres=classes, noise=1.5, seed=1)
    found = fit("mlp", data, hidden=(), output="softmax", epochs=30)
    value, slope = marks(found.last, "activation", Curve)
    (dots,) = marks(found.last, "activation", Scatter)
    sums = found.model.logits(data.X)
    np.testing.assert_allclose(dots.at[:, 0], sums[:, 0])
    np.testing.assert_allclose(dots.at[:, 1], found.field(data.X)[:, 0])
    rest = np.exp(sums[:, 1:].mean(axis=0)).sum()
    np.testing.assert_allclose(value.y, np.exp(value.x) / (np.exp(value.x) + rest))
    np.testing.assert_allclose(np.gradient(value.y, value.x)[1:-1], slope.y[1:-1], atol=0.01)
    assert value.name.startswith("softmax for ")


def test_every_weight_is_in_one_bar_and_l1_piles_them_up_in_the_middle():
    plain, sparse = (fit("mlp", RINGS, epochs=60, patience=0, l1=l1).last for l1 in (0.0, 0.02))
    counts = [frame.views["sizes"][0].values for frame in (plain, sparse)]
    assert [count.sum() for count in counts] == [2 * 8 + 8 * 8 + 8] * 2
    middle = len(counts[0]) // 2
    assert counts[1][middle] > counts[0][middle]


@pytest.mark.parametrize("output", ["tanh", "softplus", "exponential"])
def test_an_output_keeps_a_value_within_its_bounds(output):
    """tanh stays between the smallest and the largest target, the other two above 0, however far away one asks."""
    x = np.linspace(-1, 1, 60)
    y = 2.0 + 1.5 * np.tanh(6 * x) if output == "tanh" else np.exp(2 * x)
    found = fit("mlp", Points(x[:, None], y), output=output, validation=0.0, epochs=200)
    assert found.metrics["accuracy"][-1] > 0.95
    far = found.predict(np.linspace(-9, 9, 50)[:, None])
    low, high = (y.min(), y.max()) if output == "tanh" else (0.0, np.inf)
    assert far.min() >= low * (1 - 1e-9)
    assert far.max() <= high * (1 + 1e-9)
    curve = found.last.views["plane"][0]
    assert curve.y == pytest.approx(found.predict(curve.x[:, None]))


def test_outputs_and_targets_that_do_not_match_are_refused():
    x = np.linspace(-1, 1, 20)[:, None]
    for output in ("softplus", "exponential"):
        with pytest.raises(DataError, match="never negative"):
            fit("mlp", Points(x, x[:, 0]), output=output)
    for output in ("tanh", "softplus", "exponential"):
        with pytest.raises(DataError, match="classes need"):
            fit("mlp", RINGS, output=output)
