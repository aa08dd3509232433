"""A run flat out: the window takes turns with it, and does a few pieces at a time."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QObject

from mlviz.ui.player import TURN
from mlviz.worker.gui_priority import WINDOW


def test_flat_out_a_tick_does_what_fits_into_it_and_the_last_frame_is_told(make_window, qtbot):
    window = make_window("gaussian_mixture", restarts=20)
    player = window.player
    player.set_speed(float("inf"))
    shown, done, ticks = [], [], []
    real = player._do

    def counted(piece):
        done.append((piece, player._takes.get(piece, TURN)))
        return real(piece)

    player._do = counted
    player.frame_changed.connect(shown.append)

    def note():
        if player.spread_over_ticks:
            ticks.append(done[:])
        done.clear()

    player.ticked.connect(note)
    window.same_seed()
    player.set_playing(True)
    qtbot.waitUntil(lambda: not player.running and not player.playing and not player.spread_over_ticks, timeout=20_000)
    assert len(ticks) > 5
    assert any(len(tick) > 1 for tick in ticks)
    assert all(takes <= TURN for tick in ticks for _, takes in tick[1:])  # what takes long has a turn of its own
    assert {"frame", "curves", "words", "paint canvas_plane"} <= {piece for tick in ticks for piece, _ in tick}
    assert player.shown is shown[-1]
    assert player.position == player.steps - 1
    assert window.presenter.described is player.shown
    assert not list(window.board.draw_second())  # nothing was left out in the end
    assert window.board.plane.viewport().updatesEnabled()


@pytest.mark.parametrize("speed", [100.0, float("inf")])
def test_the_time_line_follows_the_playhead(make_window, qtbot, speed):
    window = make_window("gaussian_mixture", restarts=5)
    player, transport, seen = window.player, window.transport, []
    player.jump("end")
    qtbot.waitUntil(lambda: not player.running and player.position == player.steps - 1 > 10, timeout=20_000)
    player.seek(0)
    player.set_speed(speed)
    player.ticked.connect(lambda: seen.append((player.position, transport.time_bar._step, transport.step_label.text())))
    player.set_playing(True)
    qtbot.waitUntil(lambda: not player.playing and not player.spread_over_ticks, timeout=20_000)
    assert all((step, text) == (at, f"step {at} / {player.steps - 1}") for at, step, text in seen)
    assert len({at for at, *_ in seen}) > (3 if speed == 100.0 else 0)
    assert transport.time_bar._step == player.position == player.steps - 1
    window.same_seed()  # the same run once more, perhaps between two ticks
    player.jump("end")
    qtbot.waitUntil(lambda: not player.running and player.position == player.steps - 1 > 10, timeout=20_000)
    qtbot.waitUntil(lambda: transport.step_label.text() == f"step {player.position} / {player.steps - 1}")


def test_in_a_hurry_several_changes_of_a_view_are_painted_once(make_window, qtbot):
    window = make_window("k_means")
    board = window.board
    qtbot.wait(100)
    window.player._timer.stop()  # it would paint what is held
    painted = _Paints(board.plane.viewport())
    board.repaints.hold(board.plane)
    for points in ([0], [1], [2]):
        board.plane.light_points(np.array(points))
        qtbot.wait(20)
    assert painted.count == 0
    assert list(board.repaints.paint()) == ["paint canvas_plane"]
    assert painted.count == 1
    qtbot.wait(50)
    assert painted.count == 1
    board.plane.viewport().removeEventFilter(painted)


def test_a_view_that_is_held_can_go_with_its_method(make_window, qtbot):
    window = make_window("isomap")
    board = window.board
    window.player._timer.stop()  # it would paint what is held
    board.repaints.hold(board.views["cloud"])
    board.repaints.hold(board.curves.plot)
    window.choose_algorithm("k_means")
    qtbot.waitUntil(lambda: "elbow" in board._panels and window.player.shown is not None)
    assert board.curves.plot.viewport().updatesEnabled()
    assert not list(board.repaints.paint())


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
    assert not drawn
    assert len(list(board.draw_second())) == 1
    assert len(drawn) == 1
    assert not list(board.draw_second())
    assert len(drawn) == 1  # once a frame


def test_in_a_hurry_second_views_that_are_seen_at_once_are_pieces_of_their_own(make_window, qtbot, monkeypatch):
    window = make_window("decision_tree")
    board, player = window.board, window.player
    player.jump("end")
    qtbot.waitUntil(lambda: not player.running and player.position == player.steps - 1, timeout=20_000)
    qtbot.waitUntil(lambda: board.views["sweep"].isVisible() and board.views["tree"].isVisible())
    drawn = []
    for key in ("tree", "sweep"):
        monkeypatch.setattr(board.views[key], "show_marks", lambda marks, key=key: drawn.append(key))
    board.show_frame(player.shown, hurried=True)
    pieces = board.draw_second()
    first = next(pieces)
    assert not drawn  # it is named before it is done
    assert next(pieces) != first
    assert drawn == [first.removeprefix("second ")]
    assert next(pieces, None) is None
    assert sorted(drawn) == ["sweep", "tree"]


def test_in_a_hurry_fields_stay_coarse_and_are_sharp_at_the_end(make_window, qtbot):
    window = make_window("gaussian_mixture")
    board, player = window.board, window.player
    player.jump("end")
    qtbot.waitUntil(lambda: not player.running and player.position == player.steps - 1, timeout=20_000)
    qtbot.waitUntil(lambda: not board._rasteriser.busy)
    list(board.draw_fields())
    largest = max(raster.values.shape[0] for raster in board.plane.rasters.values())
    asked = []
    board._rasteriser.request = lambda slot, request: asked.append(max(rows for _, rows in request.sizes))
    board.show_frame(player.shown, hurried=True)
    assert asked
    assert max(asked) < largest
    asked.clear()
    list(board.draw_fields(hurried=True))
    assert not asked
    list(board.draw_fields())
    assert max(asked) == largest


def test_a_frame_is_painted_once(make_window, qtbot):
    """A range that changes while a plot is painted has it painted again; it is to be known before."""
    window = make_window("gradient_descent", method="Adam")
    player = window.player
    player.jump("end")
    qtbot.waitUntil(lambda: not player.running and player.position == player.steps - 1, timeout=20_000)
    qtbot.waitUntil(lambda: "gap" in window.board.views and window.board.views["gap"].isVisible())
    view, counts = window.board.views["gap"], []
    qtbot.wait(100)
    painted = _Paints(view.viewport())
    for step in range(1, 7):
        painted.count = 0
        view.show_marks(player.timeline.frame(step).snapshot.views["gap"])
        qtbot.wait(50)
        counts.append(painted.count)
    view.viewport().removeEventFilter(painted)
    assert counts[1:] == [1] * 5  # the first is far from the end, so the numbers of the axis need other room


class _Paints(QObject):
    def __init__(self, widget):
        super().__init__()
        self.count = 0
        widget.installEventFilter(self)

    def eventFilter(self, watched, event):
        self.count += event.type() == QEvent.Type.Paint
        return False


def test_in_a_hurry_an_empty_tab_stays_and_a_new_one_has_the_others_painted_one_by_one(make_window, qtbot, monkeypatch):
    window = make_window("gaussian_mixture", restarts=3)
    board, player = window.board, window.player
    player.jump("end")
    qtbot.waitUntil(lambda: not player.running and player.position == player.steps - 1, timeout=20_000)
    qtbot.waitUntil(lambda: "restarts" in board.views and not board.seconds.isHidden())
    player._timer.stop()
    first, last = player.timeline.frame(0), player.shown
    monkeypatch.setattr("mlviz.ui.second_views.GRACE", 0.0)
    board.show_frame(first, hurried=True)
    board.poll()
    assert board.seconds.isTabVisible(board.seconds.indexOf(board.views["restarts"]))
    board._hurried = False
    board.poll()
    assert not board.seconds.isTabVisible(board.seconds.indexOf(board.views["restarts"]))
    board.show_frame(last, hurried=True)
    pieces = list(board.repaints.paint())
    assert {"paint canvas_plane", "paint canvas_restarts", "paint metric_plot"} <= set(pieces)
