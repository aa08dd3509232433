"""Why a run ended and after how many steps: one answer in the window, the library, a script and on the command line."""

import json
import runpy
from types import SimpleNamespace

import pytest

from algorithms import Ended, Stop, find, fit
from mlviz import cli
from mlviz.data.spec import load_data
from mlviz.export.figure import _caption

PARTED = "blobs(n=60,centres=2,noise=0.3,seed=4)"
"""Two classes far apart: the likelihood has no maximum, and the run ends long before the limit of its steps."""


def test_the_reason_and_the_count_are_the_same_everywhere(make_window, qtbot, capsys, tmp_path):
    data = load_data(PARTED)
    found = fit("logistic_regression", data)
    assert (found.stop, found.reason) == (Stop.LIMIT, "separable: |w| grows for ever")
    assert found.steps == len(found.metrics["J"]) - 1 < 100

    window = make_window("logistic_regression", data)
    window.player.jump("end")
    transport = window.transport
    qtbot.waitUntil(lambda: transport.step_label.text() == f"step {found.steps} / {found.steps}")
    qtbot.waitUntil(lambda: transport.reason_label.text() == found.reason)

    command = ["logistic_regression", "--data", PARTED]
    assert cli.main(["fit", *command]) == 0
    assert f"{found.steps} steps with seed 0; {found.reason}\n" in capsys.readouterr().out
    assert cli.main(["fit", *command, "--out", "-"]) == 0
    written = json.loads(capsys.readouterr().out)
    assert (written["stop"], written["reason"], written["steps"]) == ("limit", found.reason, found.steps)
    assert cli.main(["script", *command, "--out", str(tmp_path / "again.py")]) == 0
    runpy.run_path(str(tmp_path / "again.py"))["main"]()
    assert f": {found.steps} steps; {found.reason}\n" in capsys.readouterr().out


def test_what_a_run_returns_is_a_reason():
    assert Ended.of(Stop.CONVERGED) == Ended(Stop.CONVERGED, "converged")
    assert Ended.of(Ended(Stop.LIMIT, "gave up")) == Ended(Stop.LIMIT, "gave up")
    with pytest.raises(TypeError, match="without saying why"):
        Ended.of(None)


@pytest.mark.parametrize(
    ("key", "data", "params", "reason"),
    [
        ("mlp", "circles(n=60,noise=0.1,seed=1)", {"epochs": 3}, "all 3 epochs done"),
        ("mlp", "moons(n=60,seed=1)", {"patience": 1, "epochs": 500}, "1 epoch without a better validation loss"),
        ("perceptron", "moons(n=60,noise=0.3,seed=1)", {"passes": 4}, "stopped after 4 passes"),
        ("lasso", "polynomial(n=60,seed=1)", {"max_steps": 1, "tol": 1e-12, "sweep": False}, "stopped after 1 sweep"),
        ("k_means", "blobs(n=300,noise=2,seed=6)", {"max_steps": 2}, "stopped at the step limit"),
    ],
)
def test_every_limit_is_called_by_its_name(key, data, params, reason):
    assert fit(key, load_data(data), **params).reason == reason


def test_step_and_epoch_agree_in_window_caption_picture_script_and_on_the_command_line(
    make_window, qtbot, capsys, tmp_path
):
    """The first mini-batches have frames of their own, so a step is not an epoch: where one is said, both are."""
    spec = "circles(n=60,noise=0.1,seed=1)"
    data, params = load_data(spec), {"epochs": 12, "patience": 0, "activation": "elu"}
    window = make_window("mlp", data, **params)
    player, transport = window.player, window.transport
    qtbot.waitUntil(lambda: player.engine.ended)
    last = player.steps - 1
    for step in (0, 4, last - 3, last):
        player.seek(step)
        model = player.timeline.frame(step).snapshot.model
        words = f"epoch {model.state.epoch} · step {step} / {last}"
        qtbot.waitUntil(lambda words=words: transport.step_label.text() == words)
        caption = window.what_happens.caption.text()
        assert not caption.startswith("Epoch") or caption.startswith(f"Epoch {model.state.epoch}:")
    assert model.state.epoch == 12 < last
    figure_words = captions(window.document, player.engine, (2, last - 1))
    assert figure_words[0].startswith("Step 2 (epoch 0): ")
    assert figure_words[1].startswith(f"Step {last - 1} · Epoch ")

    command = ["mlp", "--data", spec, *(f"--param={name}={value}" for name, value in params.items())]
    assert cli.main(["fit", *command]) == 0
    assert f"  at step {last} (epoch 12):\n" in capsys.readouterr().out
    assert cli.main(["fit", *command, "--step", "2"]) == 0
    assert "  at step 2 (epoch 0):\n" in capsys.readouterr().out
    assert cli.main(["script", *command, "--out", str(tmp_path / "again.py")]) == 0
    runpy.run_path(str(tmp_path / "again.py"))["main"]()
    assert f": {last} steps (epoch 12); " in capsys.readouterr().out


def captions(document, engine, steps):
    """What stands below the pictures of these steps."""
    return [_caption(document.method, engine.timeline.frame(step)) for step in steps]


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("After 270 steps the heat has spread.", "Step 541 · After 270 steps the heat has spread."),
        ("Iteration 3: J = 1.5.", "Step 541 · Iteration 3: J = 1.5."),
        ("J = 1.5.", "Step 541: J = 1.5."),
    ],
)
def test_a_caption_with_a_count_of_its_own_stands_apart_from_the_step(said, written):
    method, shown = find("k_means"), SimpleNamespace(caption=said, model=None)
    assert _caption(method, SimpleNamespace(step=541, snapshot=shown)) == written


def test_a_caption_that_names_its_step_is_not_given_it_twice():
    frame = SimpleNamespace(step=2, snapshot=SimpleNamespace(caption="Step 2: J = 1.5.", model=None))
    assert _caption(find("k_means"), frame) == "Step 2: J = 1.5."
