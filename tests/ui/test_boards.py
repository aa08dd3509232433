"""Several settings side by side in the window: two clicks, one clock, one set of controls."""

from __future__ import annotations

import gc
import weakref
from types import SimpleNamespace

import numpy as np
import pytest
import shiboken6
from PySide6.QtCore import QEvent, QPointF, QRect, Qt
from PySide6.QtGui import QFontMetrics, QMouseEvent, QTextDocument
from PySide6.QtWidgets import QApplication

from algorithms.maths.words import number
from mlviz.data.generators import generate
from mlviz.session import edits
from mlviz.session.comparison import Setting, columns_for
from mlviz.session.files import load
from mlviz.ui.comparing import MENU, proposed_methods, proposed_values
from mlviz.ui.pane import run_words, time_words
from mlviz.ui.results_table import results
from mlviz.views.theme import DARK, LIGHT
from mlviz.worker.difference import matched
from tests.events import settle

MOONS = generate("moons", n=80, seed=1)


def panes(window):
    return window.boards.panes


def steps(window):
    """The step on show on every board."""
    return [pane.player.shown.step for pane in panes(window)]


def ended(window):
    return all(
        pane.player.engine is not None and pane.player.engine.ended and pane.player.shown is not None
        for pane in panes(window)
    )


def lasts(window):
    return [pane.player.steps - 1 for pane in panes(window)]


@pytest.fixture
def two(make_window, qtbot):
    """``two(algorithm, setting, data)`` gives a window with a second setting, both runs at their ends."""

    def make(algorithm="k_means", setting=None, data=None, **params):
        window = make_window(algorithm, data, **params)
        own = window.document.setting
        setting = setting or Setting(own.algorithm, own.params, own.seed + 1)
        window.apply(window.document.beside(setting), "compare")
        qtbot.waitUntil(lambda: ended(window))
        return window

    return make


def menu_of(window):
    """The menu as it opens, by what its entries say."""
    menu = window.compare_button.menu()
    menu.aboutToShow.emit()
    more = [action for entry in menu.actions() if entry.menu() is not None for action in entry.menu().actions()]
    return {action.text(): action for action in (*menu.actions(), *more)}


def press(canvas, button=Qt.MouseButton.LeftButton, kind=QEvent.Type.MouseButtonPress, at=None):
    port = canvas.viewport()
    place = QPointF(port.rect().center()) if at is None else at
    down = button if kind != QEvent.Type.MouseButtonRelease else Qt.MouseButton.NoButton
    event = QMouseEvent(kind, place, QPointF(port.mapToGlobal(place.toPoint())), button, down, Qt.KeyboardModifier(0))
    QApplication.sendEvent(port, event)


# -- two clicks -------------------------------------------------------------------------------------------------------


def test_another_seed_is_two_clicks(window, qtbot):
    menu_of(window)["The same with another seed"].trigger()
    assert [pane.header.name.text() for pane in panes(window)] == ["seed 0 · k-means", "seed 1 · k-means"]
    qtbot.waitUntil(lambda: ended(window))
    assert [pane.player.engine.seed for pane in panes(window)] == [0, 1]
    assert panes(window)[0].player.engine.data is panes(window)[1].player.engine.data


def test_another_value_is_two_clicks(make_window, qtbot):
    window = make_window("kernel_svm", MOONS, C=1.0)
    menu_of(window)["C = 100 instead of 1"].trigger()
    names = [pane.header.name.text() for pane in panes(window)]
    assert names == ["C = 1 · Support vector machine", "C = 100 · Support vector machine"]
    qtbot.waitUntil(lambda: ended(window))
    assert [pane.player.engine.params.C for pane in panes(window)] == [1.0, 100.0]


def shown_names(window):
    """What can be read above the boards and in the table of results, cut as it is."""
    labels = [pane.header.name for pane in panes(window)]
    metrics = [QFontMetrics(label.font()) for label in labels]
    cut = [m.elidedText(label.text(), Qt.TextElideMode.ElideRight, label.width()) for m, label in zip(metrics, labels)]
    document = QTextDocument()
    document.setHtml(window.boards.difference.table.text())
    cells = [line for line in document.toPlainText().splitlines() if line.strip()]
    return cut, [cell for cell in cells if "k" in cell]


@pytest.mark.parametrize("presenting", [False, True])
def test_at_1024_settings_that_differ_in_the_seed_alone_have_names_that_differ(two, qtbot, presenting):
    window = two(k=3)
    for k, seed in ((5, 0), (5, 1)):
        setting = Setting("k_means", {**window.document.params, "k": k}, seed)
        window.apply(window.document.beside(setting), "compare")
    window.comparing.toggle_difference()
    window.resize(1024, 768)
    if presenting:
        window.presenter.toggle_in_window()
    qtbot.waitUntil(lambda: ended(window) and window.boards.difference.table.rows[-1][1] != "–")
    settle()
    window.boards._show_facts()
    settle()
    headers, rows = shown_names(window)
    assert len(set(headers)) == 4, headers
    assert not any("…" in name for name in headers), headers
    assert len(set(rows)) == 4, rows


def test_the_curves_of_boards_have_one_scale(two, qtbot):
    window = two(k=2)
    setting = Setting("k_means", {**window.document.params, "k": 6}, 0)
    window.resize(1366, 1000)
    window.apply(window.document.beside(setting), "compare")
    curves = [pane.board.curves for pane in panes(window)]
    for one in curves:
        one.choose("J", {})
    qtbot.waitUntil(lambda: ended(window))
    window.player.jump("end")

    def ranges():
        window.ticker.tick()
        return [tuple(one.plot.getPlotItem().vb.viewRange()[1]) for one in curves]

    qtbot.waitUntil(lambda: len({tuple(np.round(found, 6)) for found in ranges()}) == 1)
    low, high = ranges()[0]
    values = np.concatenate([pane.player.engine.timeline.metric("J") for pane in panes(window)])
    assert low <= np.nanmin(values) < np.nanmax(values) <= high
    window.comparing.only_active()
    own = panes(window)[0].player.engine.timeline.metric("J")
    qtbot.waitUntil(lambda: ranges()[-1] is not None and not curves[-1]._beside)
    low, high = ranges()[-1]
    assert high - low == pytest.approx(np.ptp(own[np.isfinite(own)]) * 1.08, rel=0.01)


def test_another_method_is_two_clicks(make_window, qtbot):
    window = make_window("decision_tree", MOONS)
    menu_of(window)["Support vector machine"].trigger()
    assert [pane.header.name.text() for pane in panes(window)] == ["Decision tree", "Support vector machine"]
    assert window.document.algorithm == "kernel_svm"


def test_a_tree_against_a_forest_is_two_clicks(make_window):
    window = make_window("decision_tree", MOONS)
    menu_of(window)["Random forest"].trigger()
    assert [setting.algorithm for setting in window.document.settings] == ["decision_tree", "random_forest"]


def test_the_same_once_more_then_one_knob(window, qtbot):
    window.comparing.with_same()
    window.set_param("k", 5)
    assert [pane.header.name.text() for pane in panes(window)] == ["k = 3 · k-means", "k = 5 · k-means"]
    qtbot.waitUntil(lambda: ended(window))
    assert [len(pane.player.shown.snapshot.model.centres) for pane in panes(window)] == [1, 1]
    window.player.jump("end")
    assert [len(pane.player.shown.snapshot.model.centres) for pane in panes(window)] == [3, 5]


def test_any_method_that_takes_the_data_can_be_found(window):
    window.comparing.choose_method()
    titles = [command.title for command in window.palette_popup._commands]
    assert "Compare with Gaussian mixture (EM)" in titles
    assert not any("Shortest" in title for title in titles)  # it works on graphs
    window.palette_popup.close()


def test_proposals_serve_the_same_purpose(window, make_window):
    assert {method.family for method in proposed_methods(window.document)} == {"clustering"}
    tree = make_window("decision_tree", MOONS).document
    assert {"kernel_svm", "logistic_regression"} <= {method.key for method in proposed_methods(tree)}
    assert not {"k_means", "lasso"} & {method.key for method in proposed_methods(tree)}
    for name, words, value in proposed_values(tree):
        assert tree.with_params(**{name: value}).params[name] == value != tree.params[name]
        assert " instead of " in words


@pytest.mark.parametrize("high", [500, 768, 1080])
def test_the_menu_has_room_on_the_screen_in_one_column(make_window, monkeypatch, high):
    window = make_window("kernel_svm", MOONS)
    monkeypatch.setattr(window, "screen", lambda: SimpleNamespace(availableGeometry=lambda: QRect(0, 0, 1024, high)))
    menu_of(window)
    menu = window.compare_button.menu()
    lines = sum(menu.actionGeometry(action).height() for action in menu.actions())
    others = {method.title for method in proposed_methods(window.document)}
    shown = [action.text() for action in menu.actions() if action.text() in others]
    assert len(shown) >= 4
    assert lines < high or len(shown) == 4
    assert others <= menu_of(window).keys()  # the others are in a menu beside


def test_four_is_the_most(window):
    for _ in range(3):
        window.comparing.with_seed()
    assert [setting.seed for setting in window.document.settings] == [0, 1, 2, 3]
    assert not window.actions_table["compare_seed"].isEnabled()
    window.comparing.with_seed()
    assert len(panes(window)) == 4
    assert "close one" in window.statusBar().currentMessage()
    assert "k = 6 instead of 3" not in menu_of(window)


def test_boards_share_their_data_so_a_method_for_graphs_is_refused(window):
    window.comparing.with_method("shortest_paths")
    assert len(panes(window)) == 1
    assert "share their data" in window.statusBar().currentMessage()


# -- one clock --------------------------------------------------------------------------------------------------------


def test_one_scrub_moves_all_by_step_and_the_longer_run_is_seen_to_its_end(two):
    window = two("gaussian_mixture", k=5)
    short, long = sorted(lasts(window))
    assert short < long
    window.transport.scrubbed.emit(2)
    assert steps(window) == [2, 2]
    window.transport.jump_requested.emit("end")
    assert steps(window) == lasts(window)
    assert window.transport.step_label.text() == f"step {long} / {long}"
    window.player.step(-1)
    assert sorted(steps(window)) == [min(short, long - 1), long - 1]
    window.player.jump("start")
    assert steps(window) == [0, 0]


def test_one_scrub_moves_all_by_fraction(two):
    window = two("gaussian_mixture", k=5)
    window.actions_table["by_fraction"].trigger()
    assert window.document.comparison.clock == "fraction"
    own, other = window.player, panes(window)[0].player
    window.player.seek((own.steps - 1) // 2)
    fraction = own.position / (own.steps - 1)
    assert steps(window)[0] == round(fraction * (other.steps - 1))
    window.player.seek(own.steps - 1)
    assert steps(window) == lasts(window)
    window.undo()
    assert window.document.comparison.clock == "step"


def test_playing_goes_on_until_the_longest_run_has_ended(two, clock, qtbot, make_window):
    window = make_window("gaussian_mixture", clock=clock, k=5)
    window.comparing.with_seed()
    qtbot.waitUntil(lambda: ended(window))
    shortest = panes(window)[int(np.argmin(lasts(window)))]
    window.activate(panes(window).index(shortest))
    window.player.set_speed(4.0)
    window.player.set_playing(True)
    for _ in range(4 * max(lasts(window)) + 4):
        clock.now += 0.125
        window.ticker.tick()
    assert steps(window) == lasts(window)
    assert not window.player.playing
    assert not window.transport.play_button.isChecked()
    window.player.set_playing(True)  # from the end it starts over, on all boards
    window.ticker.tick()
    assert steps(window) == [0, 0]


def test_while_several_boards_play_a_tick_draws_what_fits_into_it(two, monkeypatch):
    window = two("gaussian_mixture", k=5)
    hurries = []
    monkeypatch.setattr(window.ticker.scheduler, "turn", hurries.append)
    window.player.jump("start")
    window.player.set_playing(True)
    window.ticker.tick()
    window.player.set_playing(False)
    window.comparing.only_active()
    window.player.set_playing(True)
    window.ticker.tick()
    window.player.set_playing(False)
    assert hurries[-1] is False
    assert True in hurries
    assert hurries[0] is False  # who scrubs sees all boards at once


def test_another_board_takes_over_the_clock(two):
    window = two("gaussian_mixture", k=5)
    window.player.seek(3)
    window.player.set_playing(True)
    before = window.player
    window.activate(0)
    assert window.player is panes(window)[0].player is not before
    assert (window.player.playing, before.playing) == (True, False)
    assert window.player.position >= 3
    window.player.set_playing(False)
    assert not window.transport.play_button.isChecked()


# -- one set of controls ----------------------------------------------------------------------------------------------


def test_the_controls_are_about_the_active_board(two):
    window = two("decision_tree", Setting("kernel_svm", {"C": 7.0}, 4), MOONS)
    engines = [pane.player.engine for pane in panes(window)]
    assert (window.title_label.text(), window.transport.seed_box.value()) == ("Support vector machine", 4)
    depth = window.history.undo_text
    window.activate(0)
    assert (window.title_label.text(), window.transport.seed_box.value()) == ("Decision tree", 0)
    assert window.document.settings[1].params["C"] == 7.0
    assert [pane.player.engine for pane in panes(window)] == engines  # nothing is computed again
    assert window.history.undo_text == depth  # and nothing is to be undone
    window.ticker.tick()
    assert window.narrator.described is panes(window)[0].player.shown
    assert window.what_happens is not None
    assert window.board is panes(window)[0].board


def test_a_press_on_a_board_makes_it_the_active_one(two):
    window = two()
    assert window.document.comparison.place == 1
    press(panes(window)[0].board.plane)
    assert window.document.comparison.place == 0
    assert panes(window)[0].header._active
    window.actions_table["next_board"].trigger()
    assert window.document.comparison.place == 1


def test_a_tool_draws_on_whichever_board_it_is_used(two, qtbot):
    window = two()
    window.take_tool("P")
    n = window.document.data.n
    plane = panes(window)[0].board.plane
    press(plane)
    press(plane, kind=QEvent.Type.MouseButtonRelease)
    qtbot.waitUntil(lambda: window.document.data.n == n + 1)
    assert window.document.comparison.place == 0
    assert panes(window)[1].board.plane.mouse.tool is None
    qtbot.waitUntil(lambda: ended(window) and all(pane.player.engine.data.n == n + 1 for pane in panes(window)))


def test_an_edit_of_the_data_runs_all_of_them_again(two, qtbot):
    window = two()
    before = [pane.player.engine for pane in panes(window)]
    data = edits.erase(edits.Draft.of(window.document.data), np.arange(5)).data
    window.apply(window.document.with_data(data), "erase")
    qtbot.waitUntil(lambda: ended(window) and all(pane.player.engine.data is data for pane in panes(window)))
    assert not set(before) & {pane.player.engine for pane in panes(window)}
    assert [pane.player.engine.seed for pane in panes(window)] == [0, 1]
    window.undo()
    qtbot.waitUntil(lambda: ended(window) and all(pane.player.engine.data.n == 60 for pane in panes(window)))


def test_a_knob_runs_only_its_own_board(two, qtbot):
    window = two()
    other = panes(window)[0].player.engine
    window.set_param("k", 4)
    qtbot.waitUntil(lambda: window.player.engine.params.k == 4 and ended(window))
    assert panes(window)[0].player.engine is other


def test_the_hovered_point_is_shared(two):
    window = two()
    panes(window)[0].board.points_hovered.emit(np.array([7]))
    assert [len(pane.board.plane._ring.at) for pane in panes(window)] == [1, 1]
    window.pointer.click(np.array([3]))
    window.activate(0)
    assert window.pointer.pinned.tolist() == [3]


def test_the_threshold_is_shared_where_it_means_the_same(two, qtbot):
    data = generate("blobs", n=80, centres=2, noise=4.0, seed=2)
    window = two("logistic_regression", Setting("decision_tree"), data)
    window.comparing.with_method("kernel_svm")
    window.resize(1600, 1400)
    window.activate(0)
    window.player.jump("end")
    view = window.board.evaluation.view
    seconds = window.board.seconds
    qtbot.waitUntil(lambda: seconds.isTabVisible(seconds.indexOf(view)))
    seconds.setCurrentWidget(view)
    qtbot.waitUntil(lambda: view.scores is not None and view.isVisible())
    view.set_threshold(0.8)
    logistic, tree, svm = (pane.board for pane in panes(window))
    assert logistic.compositor.threshold == tree.compositor.threshold is not None
    assert tree.compositor.threshold.level == 0.8
    assert svm.compositor.threshold is None or svm.compositor.threshold.level != 0.8  # no probability
    seconds.setCurrentWidget(logistic.curves)
    assert tree._given_threshold is None


# -- coming and going -------------------------------------------------------------------------------------------------


def test_a_closed_board_comes_back_in_its_place(two, qtbot):
    window = two()
    window.comparing.with_seed()
    assert [setting.seed for setting in window.document.settings] == [0, 1, 2]
    middle = panes(window)[1]
    middle.header.close_button.click()
    assert [setting.seed for setting in window.document.settings] == [0, 2]
    assert middle.isHidden()
    assert middle.player.engine is None
    window.undo()
    assert [setting.seed for setting in window.document.settings] == [0, 1, 2]
    qtbot.waitUntil(lambda: ended(window))
    assert [pane.player.engine.seed for pane in panes(window)] == [0, 1, 2]


def test_a_closed_board_holds_no_frames(two, qtbot):
    window = two()
    qtbot.waitUntil(lambda: ended(window))
    qtbot.waitUntil(lambda: panes(window)[1].board.up_to_date)
    known = weakref.ref(panes(window)[1].player.timeline)
    panes(window)[1].header.close_button.click()

    def forgotten():
        gc.collect()
        return known() is None

    qtbot.waitUntil(forgotten)


def test_the_active_board_can_be_closed_and_the_other_one_goes_on(two, qtbot):
    window = two()
    first = panes(window)[0]
    engine = first.player.engine
    window.player.seek(4)
    window.actions_table["close_board"].trigger()
    assert panes(window) == [first]
    assert window.player.engine is engine
    assert window.player.position == 4
    assert first.header.isHidden()
    assert window.document.seed == 0
    assert window.transport.seed_box.value() == 0
    window.player.step(1)
    assert steps(window) == [5]
    window.actions_table["close_board"].trigger()  # the last one stays
    assert panes(window) == [first]


def test_only_this_board(two):
    window = two()
    window.comparing.with_seed()
    window.activate(1)
    window.actions_table["only_board"].trigger()
    assert (window.document.seed, len(panes(window))) == (1, 1)
    assert window.board.seconds.indexOf(window.board.curves) < 0  # the curves have their own place again
    assert window.board.below.indexOf(window.board.curves) >= 0
    assert window.board.curves.isVisible()


def test_a_method_for_other_data_ends_the_comparison_and_undo_brings_it_back(two):
    window = two()
    window.choose_algorithm("shortest_paths")
    assert len(panes(window)) == 1
    window.undo()
    assert len(panes(window)) == 2
    assert [setting.seed for setting in window.document.settings] == [0, 1]


def test_a_session_opens_on_all_its_boards(two, tmp_path, qtbot):
    window = two("gaussian_mixture", k=5)
    window.activate(0)
    window.player.jump("end")
    window.files.save_path(tmp_path / "two.mlviz")
    assert load(tmp_path / "two.mlviz").document.settings == window.document.settings
    at = steps(window)
    window.comparing.only_active()
    window.files.path = None
    window.files.open_path(tmp_path / "two.mlviz")
    assert window.document.comparison.place == 0
    qtbot.waitUntil(lambda: ended(window) and steps(window) == at)


def test_a_window_begins_with_a_comparison(two, make_window, qtbot):
    from mlviz.ui.window import MainWindow

    document = two().document
    window = MainWindow(document)
    try:
        window.resize(1024, 768)
        window.show()
        qtbot.waitUntil(lambda: ended(window))
        assert [pane.player.engine.seed for pane in panes(window)] == [0, 1]
        assert panes(window)[1].header._active
    finally:
        window.close()
        shiboken6.delete(window)


# -- words and room ---------------------------------------------------------------------------------------------------


def test_every_board_says_how_its_run_stands_and_how_long_it_took(two):
    window = two("gaussian_mixture", k=5)
    window.player.seek(2)
    window.ticker.tick()
    for pane in panes(window):
        seconds = pane.player.engine.seconds
        assert pane.header.facts.text() == f"step 2 of {pane.player.steps - 1} · {time_words(seconds)}"
    window.player.jump("end")
    window.ticker.tick()
    assert window.player.reason == "converged"
    assert panes(window)[window.document.comparison.place].header.facts.text().endswith(" · converged")


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.0004, "0.4 ms"), (0.0234, "23 ms"), (0.9, "900 ms"), (2.34, "2.3 s"), (61.0, "61.0 s")]
)
def test_times_in_words(seconds, words):
    assert time_words(seconds) == words


def test_a_refused_run_says_so_on_its_own_board(two, qtbot):
    window = two("k_means", Setting("kernel_svm"), generate("moons", n=80, seed=1))
    unlabelled = type(MOONS)(MOONS.X)
    window.apply(window.document.with_data(unlabelled), "forget the classes")
    svm, means = panes(window)[1], panes(window)[0]
    qtbot.waitUntil(lambda: svm.board.message.text() != "")
    qtbot.waitUntil(lambda: means.player.engine.ended)
    assert means.board.message.text() == ""
    assert run_words(svm.player) == svm.player.reason != ""


@pytest.mark.parametrize(
    ("count", "size", "columns"),
    [(1, (840, 560), 1), (2, (840, 560), 2), (2, (498, 560), 1), (3, (840, 560), 2), (3, (1920, 500), 3)]
    + [(4, (840, 560), 2), (4, (1900, 300), 4)],
)
def test_boards_stand_where_they_have_the_most_room(count, size, columns):
    assert columns_for(count, *size) == columns


def test_low_boards_show_their_large_view_alone(window):
    window.resize(1024, 768)
    window.comparing.with_seed()
    window.comparing.with_seed()
    window.comparing.with_seed()
    assert not any(pane.board.below.isVisible() for pane in panes(window))
    window.comparing.only_active()
    assert window.board.below.isVisible()


def test_where_nothing_has_room_below_each_board_has_a_list_of_its_views(make_window, qtbot):
    """Four boards on a small screen: the evaluation and the curves are two clicks away, and the threshold is shared."""
    window = make_window("logistic_regression", generate("blobs", n=60, centres=2, noise=4.0, seed=2))
    window.resize(1366, 768)
    for _ in range(3):
        window.comparing.with_seed()
    qtbot.waitUntil(lambda: ended(window))
    first, second, *_ = panes(window)
    assert not any(pane.board.below.isVisible() for pane in panes(window))
    assert all(pane.header.view_button.isVisible() for pane in panes(window))
    qtbot.waitUntil(lambda: "evaluation" in first.board.places.offered())
    first.header._menu.aboutToShow.emit()
    views = {action.text(): action for action in first.header._menu.actions()}
    assert {"Evaluation", "Curves"} < views.keys()
    assert [text for text, action in views.items() if action.isChecked()] == [
        first.board.compositor.panels[first.board.large_key].title
    ]
    views["Evaluation"].trigger()
    assert window.boards.active is first  # a click on a board means it
    view = first.board.evaluation.view
    assert first.board.large.currentWidget() is view
    qtbot.waitUntil(lambda: view.isVisible() and view.scores is not None)
    assert any(picture.isVisible() for picture in view._pictures())
    view.set_threshold(0.8)
    assert second.board.draws_line()
    assert second.board.compositor.threshold.level == 0.8
    first.board.enlarge_key("curves")
    assert first.board.curves.isVisible()
    first.board.enlarge_key("plane")
    assert first.board.plane.isVisible()
    assert window.size().toTuple() == (1366, 768)


def test_the_window_does_not_grow_with_what_is_compared(make_window, qtbot):
    window = make_window("logistic_regression", MOONS)
    for _ in range(3):
        window.comparing.with_seed()
    qtbot.waitUntil(lambda: ended(window))
    panes(window)[0].board.enlarge_key("evaluation")
    window.actions_table["difference"].trigger()
    window.side_panels.toggle()
    settle()
    qtbot.waitUntil(lambda: sharp(window))
    assert window.size().toTuple() == (1024, 768)
    assert window.transport.mapTo(window, window.transport.rect().bottomLeft()).y() < 768


def test_a_new_board_has_the_same_second_view_in_front(two):
    window = two("logistic_regression", data=MOONS)
    window.resize(1600, 1400)
    settle()
    assert [pane.board.places.front for pane in panes(window)] == ["curve", "curve"]


def test_beside_other_boards_nothing_stands_beside_a_large_view(two, qtbot):
    window = two("decision_tree", Setting("logistic_regression"), MOONS)
    window.resize(1800, 700)
    for pane in panes(window):
        assert pane.board.width() > pane.board.height()
        assert not pane.board.board_layout.side_by_side
    window.comparing.only_active()
    qtbot.waitUntil(lambda: window.board.splitter.width() > 900)
    window.resize(1800, 600)
    assert window.board.board_layout.side_by_side


def test_the_menu_and_the_theme_reach_every_board(two):
    window = two()
    assert window.menuBar().findChild(type(window.compare_button.menu()), "menu_compare") is not None
    assert MENU.replace("&", "") == "Compare"
    window.set_theme("dark")
    assert {pane.board.plane.theme.name for pane in panes(window)} == {DARK.name}
    window.set_theme(LIGHT.name)


def test_results_stand_in_a_table_the_own_number_first_the_time_second(two):
    window = two("k_means", k=5)
    window.player.jump("end")
    players = [pane.player for pane in panes(window)]
    players[0].engine._seconds, players[1].engine._seconds = 0.003, 0.0435
    titles, rows = results(players, ["A", "B"])
    assert titles == ("", "J", "computing")
    wanted = [number(player.shown.snapshot.metrics["J"]) for player in players]
    assert rows == (("A", wanted[0], "3.0 ms"), ("B", wanted[1], "44 ms"))


def test_other_methods_say_the_names_of_their_numbers(two):
    window = two("decision_tree", Setting("logistic_regression"), MOONS)
    _, rows = results([pane.player for pane in panes(window)], ["A", "B"])
    labels = [setting.method.metrics[0].label for setting in window.document.settings]
    assert [value.partition(" = ")[0] for _, value, _ in rows] == [label.partition(",")[0] for label in labels]
    assert labels[0] != labels[1]


def test_clusters_are_matched_by_colour_while_one_looks_where_they_differ(make_window, qtbot):
    window = make_window("k_means", k=3, init="random points")
    window.comparing.with_seed()
    qtbot.waitUntil(lambda: ended(window))
    window.player.jump("end")
    window.actions_table["difference"].trigger()
    qtbot.waitUntil(lambda: sharp(window))
    boards = [pane.board for pane in panes(window)]
    models = [pane.player.shown.snapshot.model for pane in panes(window)]
    names = matched(*(window.document.method.predict(model, window.document.data.X) for model in models))
    theme, other = (board.compositor.theme for board in boards)
    assert [other.colour(k) for k in range(3)] == [theme.colour(int(names[k])) for k in range(3)]
    window.actions_table["difference"].trigger()
    assert boards[1].compositor.theme == window.theme


def test_boards_of_one_method_have_one_legend(two):
    window = two("k_means", k=4)
    legends = [pane.board.plane.legend for pane in panes(window)]
    assert [legend.hidden for legend in legends] == [False, True]
    window.comparing.only_active()
    assert not window.board.plane.legend.hidden


def test_no_legend_takes_room_from_a_plane_beside_others(two):
    window = two("k_means", k=4)
    window.resize(900, 700)
    heights = [pane.board.plane.box.boundingRect().height() for pane in panes(window)]
    assert max(heights) - min(heights) <= 1


def test_beside_others_a_board_shows_the_data_they_share(make_window, qtbot):
    window = make_window("mlp", MOONS, hidden=(3,), epochs=5)
    assert window.board.large.currentWidget() is not window.board.plane
    window.comparing.with_seed()
    qtbot.waitUntil(lambda: ended(window))
    for pane in panes(window):
        assert pane.board.large.currentWidget() is pane.board.plane
        qtbot.waitUntil(lambda pane=pane: bool(pane.board.plane.marks))
    window.comparing.only_active()
    assert window.board.large.currentWidget() is not window.board.plane
    assert window.board.large.currentWidget().marks


# -- where they differ ------------------------------------------------------------------------------------------------


def sharp(window):
    """Whether the finest map of the frames on show is drawn."""
    pane = window.boards.difference
    shown = pane.shown
    models = [one.player.shown.snapshot.model for one in panes(window)]
    return (
        shown is not None
        and shown.request.size == pane._sizes()[-1]
        and [model.model for model in shown.request.models] == models
    )


def test_the_map_says_where_two_classifiers_disagree(two, qtbot):
    window = two("decision_tree", Setting("logistic_regression"), MOONS)
    window.player.jump("end")
    window.actions_table["difference"].trigger()
    pane = window.boards.difference
    assert pane.isVisible()
    qtbot.waitUntil(lambda: sharp(window))
    methods = [setting.method for setting in window.document.settings]
    models = [one.player.shown.snapshot.model for one in panes(window)]
    answers = [method.predict(model, MOONS.X) for method, model in zip(methods, models)]
    apart = int((answers[0] != answers[1]).sum())
    assert apart > 0
    assert f"on {apart} of 80 points" in pane.words.text()
    assert len(pane.view._apart.at) == apart
    window.player.seek(1)  # the map follows the playhead
    qtbot.waitUntil(lambda: sharp(window))
    pane.header.close_button.click()
    assert pane.isHidden()
    assert not window.document.comparison.difference
    assert not window.actions_table["difference"].isChecked()


def test_the_map_decides_at_the_shared_threshold(two, qtbot):
    data = generate("blobs", n=80, centres=2, noise=4.0, seed=2)
    window = two("logistic_regression", Setting("decision_tree"), data)
    window.resize(1600, 1400)
    window.activate(0)
    window.actions_table["difference"].trigger()
    board = window.board
    qtbot.waitUntil(lambda: board.seconds.isTabVisible(board.seconds.indexOf(board.evaluation.view)))
    board.seconds.setCurrentWidget(board.evaluation.view)
    qtbot.waitUntil(lambda: board.evaluation.view.scores is not None and board.evaluation.view.isVisible())
    board.evaluation.view.set_threshold(0.9)

    def decided():
        shown = window.boards.difference.shown
        return shown is not None and [m.threshold and m.threshold.level for m in shown.request.models] == [0.9, 0.9]

    qtbot.waitUntil(decided)


def test_what_cannot_be_compared_says_why(two):
    window = two("decision_tree", Setting("k_means"), MOONS)
    window.actions_table["difference"].trigger()
    pane = window.boards.difference
    assert pane.words.text() == "There are classes on one board and clusters on another."
    assert pane.view.isHidden()
    window.comparing.only_active()
    assert pane.isHidden()


def test_who_pans_one_plane_sees_the_same_part_of_all(two):
    window = two("decision_tree", Setting("logistic_regression"), MOONS)
    first, second = (pane.board.plane for pane in panes(window))
    first.box.setRange(xRange=(0.0, 0.5), yRange=(0.0, 0.5), padding=0)
    first.box.sigRangeChangedManually.emit(first.box.state["mouseEnabled"])
    assert second.view_rect() == pytest.approx(first.view_rect(), abs=0.05)
    window.boards.fit_view()
    assert second.view_rect()[1] > 1.0


def test_the_map_wears_the_theme_and_lights_points(two, qtbot):
    window = two("decision_tree", Setting("logistic_regression"), MOONS)
    window.actions_table["difference"].trigger()
    qtbot.waitUntil(lambda: sharp(window))
    window.set_theme("dark")
    assert window.boards.difference.view.theme.name == "dark"
    window.boards.light_points(np.array([4]))
    assert len(window.boards.difference.view._ring.at) == 1
    window.set_theme("light")


def test_nothing_is_asked_about_a_board_that_is_left_alone(two, qtbot):
    window = two("decision_tree", Setting("logistic_regression"), MOONS)
    window.actions_table["difference"].trigger()
    qtbot.waitUntil(lambda: sharp(window))
    window.activate(0)
    pane = window.boards.difference
    pane.view.box.setRange(xRange=(0.0, 0.5), yRange=(0.0, 0.5), padding=0)
    assert pane._settle.isActive()
    asked = pane._asked
    window.comparing.only_active()
    qtbot.waitUntil(lambda: not pane._settle.isActive())
    assert pane._asked is asked


def test_two_maps_of_the_same_data_lie_over_each_other(two, qtbot):
    roll = generate("swiss_roll", n=80, noise=0, seed=1)
    window = two("isomap", Setting("lle"), roll)
    for one in panes(window):  # each shows its own map
        assert one.board.large.currentWidget() is one.board.views["embedding"]
    window.player.jump("end")
    window.actions_table["difference"].trigger()
    pane = window.boards.difference
    qtbot.waitUntil(lambda: sharp(window))
    assert pane.maps.isVisible()
    assert pane.view.isHidden()
    assert pane.header.name.text() == "Same data, two maps"
    left = pane.shown.maps.residuals[0]
    assert f"{left:.2%} of its squared size (Procrustes)" in pane.words.text()
    lines, second, first = pane.maps.marks
    assert lines.start == pytest.approx(first.at)
    assert lines.end == pytest.approx(second.at)
    window.boards.light_points(np.array([4]))
    window.set_theme("dark")
    assert pane.maps.theme.name == "dark"
    window.set_theme("light")
    window.player.seek(0)  # the maps follow the playhead
    qtbot.waitUntil(lambda: sharp(window))
    assert pane.shown.maps.residuals[0] != left


# -- export -----------------------------------------------------------------------------------------------------------


def exported(window, qtbot, path, **order):
    """Write a file as the dialog does, and wait until it is there."""
    from mlviz.ui.exporting import ExportRequest

    errors = []
    job = window.exporter.export(ExportRequest(**order), path)
    job.ended.connect(errors.append)
    job.start()
    qtbot.waitUntil(lambda: bool(errors))
    assert errors == [None]
    return path


def test_a_picture_of_the_window_has_all_boards(two, tmp_path, qtbot):
    window = two("gaussian_mixture", k=5)
    window.player.jump("end")
    first, second = lasts(window)
    text = exported(window, qtbot, tmp_path / "two.svg", kind="picture").read_text("utf-8")
    assert f"Step {first}:" in text
    assert f"Step {second}:" in text
    assert "seed 1" in text


def test_a_board_without_a_run_is_left_out_of_the_picture(two, tmp_path, qtbot):
    window = two("k_means", Setting("kernel_svm"), MOONS)
    window.apply(window.document.with_data(type(MOONS)(MOONS.X)), "forget the classes")
    qtbot.waitUntil(lambda: panes(window)[1].board.message.text() != "")
    window.activate(0)
    qtbot.waitUntil(lambda: window.player.frame_of(window.document) is not None)
    text = exported(window, qtbot, tmp_path / "one.svg", kind="picture").read_text("utf-8")
    assert "k-means" in text
    assert "Support vector" not in text


def test_numbers_are_those_of_the_active_board(two, tmp_path, qtbot):
    window = two("k_means", Setting("gaussian_mixture"))
    text = exported(window, qtbot, tmp_path / "a.py", kind="script").read_text("utf-8")
    assert "GaussianMixture" in text
    window.activate(0)
    assert "KMeans" in exported(window, qtbot, tmp_path / "b.py", kind="script").read_text("utf-8")


def test_a_board_that_rested_comes_back_in_the_theme_of_now(window, qtbot):
    window.actions_table["compare_same"].trigger()
    qtbot.waitUntil(lambda: len(window.boards.panes) == 2)
    window.actions_table["close_board"].trigger()
    qtbot.waitUntil(lambda: len(window.boards.panes) == 1)
    away = next(iter(window.boards._spare))
    before = away.board.compositor.theme
    window.toggle_theme()
    assert away.board.compositor.theme is before  # nobody sees it
    window.actions_table["compare_same"].trigger()
    qtbot.waitUntil(lambda: len(window.boards.panes) == 2)
    assert away in window.boards.panes
    assert all(pane.board.compositor.theme == window.theme for pane in window.boards.panes)


def test_boards_are_painted_when_all_have_their_place(window, qtbot):
    for name in ("compare_same", "only_board"):
        window.actions_table[name].trigger()
        assert not window.boards.updatesEnabled()
        qtbot.waitUntil(window.boards.updatesEnabled)
