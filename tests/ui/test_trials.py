"""A method that fits many others: hovering, clicking and opening its cells, how far it is, and the test points."""

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent

from algorithms.marks import Isolines
from mlviz.data.generators import generate
from mlviz.session.files import load
from mlviz.ui.run_progress import TimeLeft, left_words
from mlviz.ui.trials_controller import OPEN_LOCK, OPEN_METHOD
from mlviz.worker.workplace import WORKPLACE

MOONS = generate("moons", n=40, noise=0.3, seed=3)
MAP = {"first": "C=0.1,10", "second": "sigma=0.3,3", "folds": 2}


def at_the_end(make_window, qtbot, **params):
    window = make_window("model_selection", MOONS, **{**MAP, **params})
    return to_the_end(window, qtbot)


def to_the_end(window, qtbot):
    window.player.jump("end")
    qtbot.waitUntil(lambda: not window.player.running and window.board.up_to_date)
    qtbot.waitUntil(lambda: window.player._anchor is None and window.narrator.described is window.player.shown)
    qtbot.waitUntil(lambda: window.player.shown.step == window.player.steps - 1)
    return window


def move_to(view, x, y):
    """The mouse over a place of the view, without a button."""
    at = view.mapFromScene(view.box.mapViewToScene(QPointF(x, y))).toPointF()
    none = Qt.MouseButton.NoButton
    view.viewportEvent(QMouseEvent(QEvent.Type.MouseMove, at, at, none, none, Qt.KeyboardModifier.NoModifier))


def click(window, column, row):
    [renderer] = [each for each in window.board.views["map"]._renderers.values() if hasattr(each, "_cell")]
    assert renderer.click(QPointF(column - 1, row - 1))


def shown_method(window):
    return window.board.peek.snapshot and window.board.peek.snapshot.model.method


def test_hovering_a_cell_shows_its_model_among_the_data(make_window, qtbot):
    window = at_the_end(make_window, qtbot)
    view, best = window.board.views["map"], window.player.shown.snapshot.model.method
    asked, request = [], window.board.rasters._rasteriser.request
    window.board.rasters._rasteriser.request = lambda slot, what: asked.append(what) or request(slot, what)
    for column, row, method in ((1, 1, "C=0.1,sigma=0.3"), (2, 2, "C=10.0,sigma=3.0"), (1, 1, "C=0.1,sigma=0.3")):
        move_to(view, column - 1, row - 1)
        qtbot.waitUntil(lambda method=method: shown_method(window) == f"kernel_svm({method})")
        assert asked[-1].model.method == f"kernel_svm({method})"
        assert any(isinstance(mark, Isolines) for mark in window.board.plane.marks)
        assert window.hover_label.text().startswith(f"C = {float(method[2:].split(',')[0]):g}, sigma = ")
    assert len(window.board.peek._known) == 2  # the third time it was known
    view.viewportEvent(QEvent(QEvent.Type.Leave))
    assert window.board.peek.snapshot is None
    assert asked[-1].model.method == best
    assert window.hover_label.text() == ""
    assert window.document.params["look"] == ()  # nothing was chosen


def test_clicking_a_cell_sets_the_parameters_of_its_method(make_window, qtbot):
    window = at_the_end(make_window, qtbot)
    click(window, 2, 1)
    assert window.document.params["look"] == (2, 1)
    assert window.document.memory["kernel_svm"] == {"C": 10.0, "sigma": 0.3}
    message = window.statusBar().currentMessage()
    assert message.startswith("Support vector machine")
    assert "C = 10.0, sigma = 0.3" in message
    window.choose_algorithm("kernel_svm")
    assert (window.document.params["C"], window.document.params["sigma"]) == (10.0, 0.3)
    window.undo()
    window.undo()
    assert window.document.params["look"] == ()
    assert "kernel_svm" not in window.document.memory


def test_a_double_click_opens_the_method_with_these_parameters(make_window, qtbot):
    window = at_the_end(make_window, qtbot)
    click(window, 1, 2)
    window.board.views["map"].value_opened.emit()
    assert window.document.algorithm == "kernel_svm"
    assert (window.document.params["C"], window.document.params["sigma"]) == (0.1, 3.0)
    window.undo()
    assert window.document.algorithm == "model_selection"


def test_the_best_setting_is_offered_as_a_link(make_window, qtbot):
    window = at_the_end(make_window, qtbot)
    offers = {offer.name: offer.text for offer in window.what_happens._offers}
    assert offers.keys() == {OPEN_METHOD}
    best = window.player.shown.snapshot.model
    assert f"C = {best.grid[0][1][best.best[0]]}" in offers[OPEN_METHOD] or "C" not in best.method
    window.what_happens.offers.linkActivated.emit(OPEN_METHOD)
    assert window.document.algorithm == "kernel_svm"
    assert window.document.params["sigma"] == best.grid[1][1][best.best[1]]
    qtbot.waitUntil(lambda: window.player.algorithm.key == "kernel_svm" and window.player.shown is not None)
    qtbot.waitUntil(lambda: window.narrator.described is window.player.shown)
    assert window.what_happens._offers == ()


def test_a_curve_is_clicked_in_the_same_way(make_window, qtbot):
    window = at_the_end(make_window, qtbot, method="k_nearest", grid="one parameter", first="k=1,3,9")
    view = window.board.views["curve"]
    move_to(view, np.log10(2.9), 0.1)
    qtbot.waitUntil(lambda: shown_method(window) == "k_nearest(k=3)")
    [renderer] = [each for each in view._renderers.values() if hasattr(each, "_dots")]
    assert renderer.click(QPointF(np.log10(8.0), 0.2))
    assert window.document.params["look"] == (3,)
    assert window.document.memory["k_nearest"] == {"k": 9}


# -- how far it is ----------------------------------------------------------------------------------------------------


def test_the_row_below_says_how_far_it_is_and_stops_it(make_window, gate, clock, qtbot):
    window = make_window("model_selection", MOONS, clock=clock, first="C=0.1,1,10", second="sigma=0.3,1,3", folds=2)
    progress, player = window.trials.progress, window.player
    assert not progress.isVisible()
    for step in range(1, 8):
        clock.now += 2.0
        gate.let(1)
        qtbot.waitUntil(lambda step=step: player.steps == step + 1)
        window.ticker.tick()
    assert progress.isVisible()
    assert progress.words.text() == "7 of 9, a few seconds left"
    assert (progress.bar.value(), progress.bar.maximum()) == (7, 9)
    progress.button.click()
    assert player.engine.state == "cancelled"
    window.ticker.tick()
    assert not progress.isVisible()
    assert player.steps == 8  # what is done stays


def test_time_left_is_said_only_when_it_can_be_known():
    left = TimeLeft()
    assert left.seconds(0.0, 100) is None
    for number in range(5):
        left.note(2.0 * number, number)
    assert left.seconds(8.0, 100) is None  # four are too few
    left.note(10.0, 5)
    assert left.seconds(10.0, 100) == pytest.approx(190.0)
    assert left.seconds(20.0, 100) == pytest.approx(380.0)  # the next one takes long
    for number in range(6, 60):
        left.note(10.0 + 0.5 * (number - 5), number)
    assert left.seconds(37.0, 100) == pytest.approx(20.5, rel=0.01)  # the pace of late counts


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (None, ""),
        (4.0, "a few seconds left"),
        (22.0, "about 20 s left"),
        (70.0, "about 1 min left"),
        (600.0, "about 10 min left"),
        (4000.0, "about 1.5 h left"),
    ],
)
def test_a_time_to_come_is_no_more_exact_than_it_is_known(seconds, words):
    assert left_words(seconds) == words


def test_a_cluster_that_is_not_there_is_said_with_the_frames(make_window, gate, qtbot):
    window = make_window("model_selection", MOONS, **MAP)
    WORKPLACE._news.append("There is no Dask scheduler at 'x'. This machine does the work.")
    window.trials.poll()
    assert window.statusBar().currentMessage().startswith("There is no Dask scheduler")
    gate.let(1)
    window.player.jump("end")
    qtbot.waitUntil(lambda: window.player.shown.step == 1 and window.narrator.described is window.player.shown)
    assert window.what_happens.warning.text().startswith("There is no Dask scheduler")


# -- the points that are kept aside -----------------------------------------------------------------------------------


def test_test_points_are_opened_once_and_the_window_remembers(make_window, qtbot, tmp_path):
    window = at_the_end(make_window, qtbot, test="locked")
    [_, lock] = window.what_happens._offers
    assert lock.text == "Open the test points: only this once"
    window.trials.take(OPEN_LOCK)
    qtbot.waitUntil(lambda: window.player.arrived and window.player.runs(window.document))
    to_the_end(window, qtbot)
    assert window.player.shown.snapshot.phase == "open"
    assert window.what_happens.warning.text() == ""  # the first time
    window.player.step(-1)
    to_the_end(window, qtbot)
    assert window.what_happens.warning.text() == ""  # the same run, looked at again
    window.undo()
    assert window.trials.opened  # looking cannot be undone
    window.redo()
    qtbot.waitUntil(lambda: not window.player._pending)
    to_the_end(window, qtbot)
    assert "were opened before" in window.what_happens.warning.text()
    path = tmp_path / "lock.mlviz"
    window.files.save_path(path)
    kept = load(path)
    other = make_window()
    assert not other.trials.opened
    other.files.open_path(path)
    to_the_end(other, qtbot)
    assert other.trials.opened == kept.extra["opened"]
    assert "were opened before" in other.what_happens.warning.text()


def test_other_data_have_test_points_of_their_own(make_window, qtbot):
    window = at_the_end(make_window, qtbot, test="open")
    assert window.what_happens.warning.text() == ""
    window.apply(window.document.with_data(generate("moons", n=41, noise=0.3, seed=8)).with_source("another"), "other")
    qtbot.waitUntil(lambda: not window.player._pending)
    to_the_end(window, qtbot)
    assert window.player.shown.snapshot.phase == "open"
    assert window.what_happens.warning.text() == ""


def test_what_a_session_says_about_them_is_checked(window):
    window.trials.recall("nonsense")
    window.trials.recall({"short": "x", "0123456789abcdef": 3, 5: "x", "f" * 16: "y" * 100})
    assert window.trials.opened == {}
    window.trials.recall({"f" * 16: "1 May"})
    assert window.trials.opened == {"f" * 16: "1 May"}
