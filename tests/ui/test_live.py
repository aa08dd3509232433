"""Knobs that are turned while a network trains: it goes on from the weights that are on the screen."""

import numpy as np
import pytest

from mlviz.data.generators import generate
from mlviz.data.spec import parse_spec

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
    before, old = player.shown, player.engine
    window.set_param(name, value)
    qtbot.waitUntil(lambda: player.shown is not None and player.engine.params == window_params(window))
    assert player.engine.since >= before.step
    at = player.timeline.frame(player.engine.since).snapshot.model
    assert at is old.timeline.frame(player.engine.since).snapshot.model
    assert player.playing
    qtbot.waitUntil(lambda: player.shown.snapshot.model.state.epoch > at.state.epoch + 2)
    following = player.timeline.frame(player.engine.since + 1).snapshot.model
    assert np.array_equal(following.history[: len(at.history)], at.history)


def test_the_whole_history_can_be_scrubbed_and_steps_agree_with_epochs(make_window, qtbot):
    window = make_window("mlp", RINGS, epochs=40, patience=0)
    player = window.player
    qtbot.waitUntil(lambda: player.engine.ended)
    before = [player.timeline.frame(step).snapshot for step in range(21)]
    for step, value in ((20, 0.1), (30, 0.005)):
        go_to(window, qtbot, step)
        old = player.engine
        window.set_param("learning_rate", value)
        qtbot.waitUntil(lambda old=old: player.engine is not old and player.engine.ended)
    assert [player.timeline.frame(step).snapshot for step in range(21)] == before
    late = before[20].model.state.epoch - 20  # the first mini-batches have frames of their own
    for step in range(20, player.steps - 1):
        assert player.timeline.frame(step).snapshot.model.state.epoch == step + late
    words = [text for _, text in player.timeline.changes]
    assert words == ["learning rate: 0.02 → 0.1.", "learning rate: 0.1 → 0.005."]
    bar, label = window.transport.time_bar, window.transport.step_label
    assert bar.words_at(20) == f"epoch {20 + late} · step 20: {words[0]}"
    go_to(window, qtbot, 35)
    qtbot.waitUntil(lambda: label.text().startswith(bar.words_at(35)))
    assert bar.words_at(35) == f"epoch {35 + late} · step 35"
    go_to(window, qtbot, 3)
    assert window.player.shown.snapshot is before[3]


def test_a_slider_that_is_dragged_leaves_one_change(make_window, qtbot):
    window = make_window("mlp", RINGS, epochs=2000, patience=0)
    player = window.player
    qtbot.waitUntil(lambda: player.steps > 30)
    go_to(window, qtbot, 20)
    for value in (0.03, 0.04, 0.05):
        old = player.engine
        window.set_param("learning_rate", value)
        qtbot.waitUntil(lambda old=old: player.engine is not old and player.shown is not None and player.steps > 25)
        assert player.running
    assert player.timeline.changes == [(20, "learning rate: 0.02 → 0.05.")]


def go_to(window, qtbot, step):
    window.player.seek(step)
    qtbot.waitUntil(lambda: window.player.shown.step == step and window.board.up_to_date)


def test_the_old_curves_go_on_faintly_from_the_step_of_the_change(make_window, qtbot):
    window = make_window("mlp", RINGS, epochs=40, patience=0)
    player, curves = window.player, window.board.curves
    qtbot.waitUntil(lambda: player.engine.ended)
    go_to(window, qtbot, 12)
    old, name = player.engine, curves._visible()[0].name
    window.set_param("learning_rate", 0.1)
    qtbot.waitUntil(lambda: player.engine is not old and player.engine.ended)
    qtbot.waitUntil(lambda: len(curves._ghost_items[0].getData()[0]) > 0 < len(curves._items[0].getData()[0]))
    qtbot.waitUntil(lambda: len(curves._items[0].getData()[0]) > 12)
    steps, values = curves._ghost_items[0].getData()
    assert steps[0] == 0
    assert values.tolist() == old.timeline.metric(name).tolist()
    assert curves._items[0].getData()[1][:13].tolist() == values[:13].tolist()  # both have the same beginning
    assert "without the change" in [row.name for row in curves.legend.rows]
    window.set_param("hidden", (3,))  # this one begins anew, and the whole of the last run is seen beside it
    qtbot.waitUntil(lambda: "previous run" in [row.name for row in curves.legend.rows])


def test_the_previous_run_is_no_measure_for_other_data(make_window, qtbot):
    window = make_window("k_means")
    curves = window.board.curves
    qtbot.waitUntil(lambda: window.player.engine.ended)
    window.set_param("k", 4)
    qtbot.waitUntil(lambda: "previous run" in [row.name for row in curves.legend.rows])
    (sample,) = [row for row in curves.legend.rows if row.name == "previous run"]
    drawn = [item.opts["pen"].color().name() for item in curves._ghost_items if item.isVisible()]
    assert [sample.line, *sample.also] == drawn  # what the legend shows is what is drawn
    window.choose_data(parse_spec("moons(n=40)"))
    qtbot.waitUntil(lambda: window.player.runs(window.document) and window.player.engine.ended)
    assert "previous run" not in [row.name for row in curves.legend.rows]
    assert len(curves._ghosts) == 0


def test_the_shape_of_the_network_begins_anew(training, qtbot):
    window, player = training, training.player
    window.set_param("hidden", (3,))
    qtbot.waitUntil(lambda: player.shown is not None and player.engine.params == window_params(window))
    assert player.timeline.frame(0).snapshot.model.state.epoch == 0


def window_params(window):
    return window.document.method.make_params(window.document.params)


@pytest.mark.parametrize("method", ["k_means", "gaussian_mixture"])
def test_a_dragged_centre_stays_where_it_is_put(make_window, qtbot, method):
    window = make_window(method)
    player = window.player
    qtbot.waitUntil(lambda: player.engine.ended)
    go_to(window, qtbot, player.steps - 1)
    centres = np.array(centres_on(window))
    for fraction in (0.5, 1.0):
        centres[0] = centres_on(window)[0] + fraction * np.array([1.0, 0.5])
        window.board.plane.param_dragged.emit(("centres", tuple(map(tuple, centres)), fraction == 1.0))
        qtbot.waitUntil(lambda: player.runs(window.document) and player.shown is not None and not player._pending)
        qtbot.waitUntil(lambda: np.allclose(centres_on(window), window.document.params["centres"]))
        assert player.position == 0
        assert not player.playing


def test_a_start_that_every_frame_shows_keeps_the_playhead(make_window, qtbot):
    window = make_window("gradient_descent")
    player = window.player
    qtbot.waitUntil(lambda: player.engine.ended)
    go_to(window, qtbot, player.steps - 1)
    window.board.views["plane"].param_dragged.emit(("start", ((1.0, 2.0),), True))
    qtbot.waitUntil(lambda: player.shown is not None and player.engine.ended and not player._pending)
    qtbot.waitUntil(lambda: player.position == player.steps - 1)


def centres_on(window):
    """Where the centres are that can be seen."""
    return next(mark.at for mark in window.board.plane.marks if getattr(mark, "handle", "") == "centres")
