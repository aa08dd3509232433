"""A run flat out: the window takes turns with it, and draws a third of what there is at a time."""

from __future__ import annotations

import itertools

from mlviz.worker.courtesy import WINDOW


def test_flat_out_every_third_tick_shows_a_frame_and_the_last_one_is_told(make_window, qtbot):
    window = make_window("gaussian_mixture", restarts=3)
    player = window.player
    player.set_speed(float("inf"))
    shown, ticks = [], []
    player.frame_changed.connect(shown.append)
    player.ticked.connect(lambda: ticks.append(player.showed and player.hurrying))
    window.same_seed()
    player.set_playing(True)
    qtbot.waitUntil(lambda: not player.running and not player.playing, timeout=20_000)
    assert any(ticks)
    assert not any(now and after for now, after in itertools.pairwise(ticks))
    assert not any(now and after for now, after in zip(ticks, ticks[2:]))
    assert player.shown is shown[-1]
    assert player.position == player.steps - 1
    qtbot.waitUntil(lambda: window._told is player.shown)


def test_what_lies_behind_a_tab_is_drawn_when_the_tab_is_chosen(make_window, qtbot, monkeypatch):
    window = make_window("isomap")
    board, player = window.board, window.player
    player.jump("end")
    qtbot.waitUntil(lambda: not player.running and player.position == player.steps - 1, timeout=20_000)
    seconds = board.seconds
    behind = [view for view in board.views.values() if seconds.indexOf(view) >= 0 and view.marks]
    behind.remove(seconds.currentWidget())
    hidden = behind[0]
    drawn = []
    monkeypatch.setattr(hidden, "show_marks", lambda marks: drawn.append(marks))
    board.show_frame(player.shown, hurried=True)
    assert not drawn
    seconds.setCurrentWidget(hidden)
    assert len(drawn) == 1
    board.show_frame(player.shown)
    assert len(drawn) == 2


def test_the_turn_of_the_window_ends_when_it_has_drawn(make_window, qtbot):
    window = make_window()
    window.player.take_turn()
    assert not WINDOW._idle.is_set()
    qtbot.waitUntil(WINDOW._idle.is_set)


def test_in_a_hurry_the_second_view_is_drawn_at_its_own_turn(make_window, qtbot, monkeypatch):
    window = make_window("isomap")
    board, player = window.board, window.player
    player.jump("end")
    qtbot.waitUntil(lambda: not player.running and player.position == player.steps - 1, timeout=20_000)
    second, drawn = board.seconds.currentWidget(), []
    monkeypatch.setattr(second, "show_marks", lambda marks: drawn.append(marks))
    board.show_frame(player.shown, hurried=True)
    assert not board.draw_in_turn(0)
    assert not drawn
    assert not board.draw_in_turn(1)
    assert len(drawn) == 1
    assert board.draw_in_turn(2)
    assert len(drawn) == 1  # once a frame


def test_in_a_hurry_two_second_views_that_are_seen_at_once_take_turns(make_window, qtbot, monkeypatch):
    window = make_window("decision_tree")
    board, player = window.board, window.player
    player.jump("end")
    qtbot.waitUntil(lambda: not player.running and player.position == player.steps - 1, timeout=20_000)
    qtbot.waitUntil(lambda: board.views["sweep"].isVisible() and board.views["tree"].isVisible())
    drawn = []
    for key in ("tree", "sweep"):
        monkeypatch.setattr(board.views[key], "show_marks", lambda marks, key=key: drawn.append(key))
    for _ in range(4):
        board.show_frame(player.shown, hurried=True)
        for turn in range(3):
            board.draw_in_turn(turn, hurrying=True)
    assert sorted(drawn[:2]) == ["sweep", "tree"]
    assert drawn[2:] == drawn[:2]
    board.draw_in_turn(2)  # at rest nothing is left out
    assert len(drawn) == 5
