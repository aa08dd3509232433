"""Knobs that are turned while a network trains: it goes on from the weights that are on the screen."""

import numpy as np
import pytest

from mlviz.data.generators import generate

RINGS = generate("circles", n=80, noise=0.1, seed=1)


@pytest.fixture
def training(make_window, qtbot):
    window = make_window("mlp", RINGS, epochs=2000, patience=0)
    window.player.set_speed(60.0)
    window.player.set_playing(True)
    qtbot.waitUntil(lambda: window.player.shown.snapshot.model.state.epoch >= 5)
    return window


@pytest.mark.parametrize(("name", "value"), [("learning_rate", 0.1), ("l2", 0.05)])
def test_a_knob_turned_while_it_trains_keeps_weights_and_epochs_and_goes_on_playing(training, qtbot, name, value):
    window, player = training, training.player
    before = player.shown.snapshot.model
    window.set_param(name, value)
    qtbot.waitUntil(lambda: player.shown is not None and player.engine.params == window_params(window))
    first = player.timeline.frame(0).snapshot.model
    assert first.state.epoch == before.state.epoch
    assert np.array_equal(first.state.theta, before.state.theta)
    assert np.array_equal(first.history, before.history)
    assert player.playing
    qtbot.waitUntil(lambda: player.shown.snapshot.model.state.epoch > first.state.epoch + 2)


def test_the_old_curves_go_on_faintly_from_the_step_of_the_change(make_window, qtbot):
    window = make_window("mlp", RINGS, epochs=40, patience=0)
    player, curves = window.player, window.board.curves
    qtbot.waitUntil(lambda: player.engine.ended)
    player.seek(12)
    qtbot.waitUntil(lambda: player.shown.step == 12 and window.board.up_to_date)
    old, name = player.engine, curves._visible()[0].name
    window.set_param("learning_rate", 0.1)
    qtbot.waitUntil(lambda: player.engine is not old and player.engine.ended)
    qtbot.waitUntil(lambda: len(curves._items[0].getData()[0]) > 2)
    steps, values = curves._ghost_items[0].getData()
    assert steps[0] == 0
    assert values.tolist() == old.timeline.metric(name)[12:].tolist()
    assert curves._items[0].getData()[1][0] == values[0]  # both begin in the same state
    assert "without the change" in [row.name for row in curves._legend.rows]
    window.set_param("hidden", (3,))  # this one begins anew, and the whole of the last run is seen beside it
    qtbot.waitUntil(lambda: "previous run" in [row.name for row in curves._legend.rows])


def test_the_shape_of_the_network_begins_anew(training, qtbot):
    window, player = training, training.player
    window.set_param("hidden", (3,))
    qtbot.waitUntil(lambda: player.shown is not None and player.engine.params == window_params(window))
    assert player.timeline.frame(0).snapshot.model.state.epoch == 0


def window_params(window):
    return window.document.method.make_params(window.document.params)
