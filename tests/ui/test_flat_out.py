"""A run flat out: the window takes turns with it, and does a few pieces at a time."""

from __future__ import annotations

import numpy as np
import pytest

from mlviz.ui.scheduler import TURN
from mlviz.worker.gui_priority import WINDOW
from tests.events import Paints, settle


def at_the_end(window, qtbot):
    """Wait until the run is over, its last frame is on show and nothing is left to be drawn."""
    player, board = window.player, window.board
    player.jump("end")
    qtbot.waitUntil(lambda: not player.running and player.position == player.steps - 1)
    qtbot.waitUntil(lambda: board.up_to_date and player.shown.step == player.position)


def done(pieces):
    """Do all these pieces; what they are called without the board's name."""
    pieces = list(pieces)
    for piece in pieces:
        piece.run()
    return [piece.name.removeprefix("board: ") for piece in pieces]


class Turns:
    """What a window does in each turn, on a clock on which every piece takes 2 ms."""

    def __init__(self, window, clock):
        self._scheduler, self._clock = window.ticker.scheduler, clock
        self.ticks, self._pieces = [], []
        self._real, self._scheduler._do = self._scheduler._do, self._do
        window.ticker.ticked.connect(self._ticked)

    def _do(self, piece):
        expected, run = self._scheduler.cost(piece), piece.run

        def timed():
            run()
            self._clock.now += 0.002

        self._pieces.append((piece.name.removeprefix("board: "), expected))
        return self._real(type(piece)(piece.name, timed, piece.cost))

    def _ticked(self):
        self.ticks.append(self._pieces[:])
        self._pieces.clear()


def test_flat_out_a_tick_does_what_fits_into_it_and_the_last_frame_is_told(make_window, gate, clock, qtbot):
    window = make_window("gaussian_mixture", clock=clock, restarts=20)
    player, board = window.player, window.board
    player.set_speed(float("inf"))
    player.set_playing(True)
    turns = Turns(window, clock)
    for _ in range(4):
        before, count = len(turns.ticks), player.steps
        gate.let(5)
        clock.now += 1.0
        qtbot.waitUntil(lambda before=before: len(turns.ticks) >= before + 10)
        qtbot.waitUntil(lambda count=count: player.steps == count + 5)
    assert player.hurrying
    assert window.ticker.scheduler.spreading
    gate.let(1_000_000)
    qtbot.waitUntil(lambda: not player.running and not player.playing)
    qtbot.waitUntil(lambda: not window.ticker.scheduler.spreading)
    ticks = turns.ticks
    assert max(map(len, ticks)) == 3  # of 2 ms each
    assert all(takes <= TURN for tick in ticks for _, takes in tick[1:])  # what takes long has a turn of its own
    assert {"frame", "curves", "words", "paint canvas_plane"} <= {piece for tick in ticks for piece, _ in tick}
    assert player.position == player.steps - 1 == player.shown.step
    assert window.narrator.described is player.shown
    assert not board.view_pieces(False)  # nothing was left out in the end
    assert board.plane.viewport().updatesEnabled()


@pytest.mark.parametrize("speed", [100.0, float("inf")])
def test_the_time_line_follows_the_playhead(make_window, clock, qtbot, speed):
    window = make_window("gaussian_mixture", clock=clock, restarts=5)
    player, transport, seen = window.player, window.transport, []
    at_the_end(window, qtbot)
    player.seek(0)
    player.set_speed(speed)
    player.set_playing(True)
    while player.playing or window.ticker.scheduler.spreading:
        clock.now += 0.016
        window.ticker.tick()
        seen.append(player.position)
        assert transport.time_bar._step == player.position
        assert transport.step_label.text() == f"step {player.position} / {player.steps - 1}"
    last = player.steps - 1
    moved = [min(int(1.6 * tick + 1e-9), last) for tick in range(1, len(seen) + 1)]
    assert seen == (moved if speed == 100.0 else [last] * len(seen))  # at once, and painted in pieces
    assert seen[-1] == last > 10
    window.same_seed()  # the same run once more, perhaps between two ticks
    at_the_end(window, qtbot)
    qtbot.waitUntil(lambda: transport.step_label.text() == f"step {player.position} / {player.steps - 1}")


def test_in_a_hurry_several_changes_of_a_view_are_painted_once(make_window, qtbot):
    window = make_window("k_means")
    board = window.board
    at_the_end(window, qtbot)
    window.ticker._timer.stop()  # it would paint what is held
    settle()
    painted = Paints(board.plane.viewport())
    board.repaints.hold(board.plane)
    for points in ([0], [1], [2]):
        board.plane.light_points(np.array(points))
        settle()
    assert painted.count == 0
    assert done(board.paint_pieces(True)) == ["paint canvas_plane"]
    assert painted.count == 1
    settle()
    assert painted.count == 1


def test_a_view_that_is_held_can_go_with_its_method(make_window, qtbot):
    window = make_window("isomap")
    board = window.board
    window.ticker._timer.stop()  # it would paint what is held
    board.repaints.hold(board.views["cloud"])
    board.repaints.hold(board.curves.plot)
    window.choose_algorithm("k_means")
    qtbot.waitUntil(lambda: "elbow" in board.compositor.panels and window.player.shown is not None)
    qtbot.waitUntil(lambda: not board.paint_pieces(True))
    assert board.curves.plot.viewport().updatesEnabled()


def test_what_lies_behind_a_tab_is_drawn_when_the_tab_is_chosen(make_window, qtbot, monkeypatch):
    window = make_window("isomap")
    board, player = window.board, window.player
    at_the_end(window, qtbot)
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
    window.ticker.take_turn()
    assert not WINDOW._idle.is_set()
    qtbot.waitUntil(WINDOW._idle.is_set)


def test_in_a_hurry_each_view_is_drawn_at_its_own_turn(make_window, qtbot, monkeypatch):
    window = make_window("isomap")
    board, player = window.board, window.player
    at_the_end(window, qtbot)
    drawn = []
    for view in (board.large.currentWidget(), board.seconds.currentWidget()):
        monkeypatch.setattr(view, "show_marks", lambda marks: drawn.append(marks))
    board.show_frame(player.shown, hurried=True)
    assert not drawn
    assert len(done(board.view_pieces(True))) == 2
    assert len(drawn) == 2
    assert not board.view_pieces(True)  # once a frame


def test_in_a_hurry_views_that_are_seen_at_once_are_pieces_of_their_own(make_window, qtbot, monkeypatch):
    window = make_window("decision_tree")
    board, player = window.board, window.player
    at_the_end(window, qtbot)
    qtbot.waitUntil(lambda: board.views["sweep"].isVisible() and board.views["tree"].isVisible())
    drawn = []
    for key in ("plane", "tree", "sweep"):
        monkeypatch.setattr(board.views[key], "show_marks", lambda marks, key=key: drawn.append(key))
    board.show_frame(player.shown, hurried=True)
    pieces = board.view_pieces(True)
    assert not drawn
    assert sorted(done(pieces)) == ["view plane", "view sweep", "view tree"]
    assert sorted(drawn) == ["plane", "sweep", "tree"]


def finest_size(board):
    return max(board._cells(board.plane), key=max)


def test_in_a_hurry_fields_stay_coarse_and_are_sharp_at_the_end(make_window, qtbot):
    window = make_window("gaussian_mixture")
    board, player = window.board, window.player
    at_the_end(window, qtbot)
    # the plane may still get its last size
    qtbot.waitUntil(lambda: any(raster.size == finest_size(board) for raster in board.plane.rasters.values()))
    finest, asked = max(finest_size(board)), []
    board.rasters._rasteriser.request = lambda slot, request: asked.append(max(map(max, request.sizes)))
    board.show_frame(player.shown, hurried=True)
    assert asked
    assert max(asked) < finest
    asked.clear()
    board.field_pieces(True)
    assert not asked
    board.field_pieces(False)
    assert max(asked) == finest


def test_a_frame_is_painted_once(make_window, qtbot):
    """A range that changes while a plot is painted has it painted again; it is to be known before."""
    window = make_window("gradient_descent", method="Adam")
    player = window.player
    at_the_end(window, qtbot)
    qtbot.waitUntil(lambda: "gap" in window.board.views and window.board.views["gap"].isVisible())
    window.ticker._timer.stop()
    view, counts = window.board.views["gap"], []
    settle()
    painted = Paints(view.viewport())
    for step in range(1, 7):
        painted.count = 0
        view.show_marks(player.timeline.frame(step).snapshot.views["gap"])
        qtbot.waitUntil(lambda: painted.count > 0)
        settle()
        counts.append(painted.count)
    assert counts[1:] == [1] * 5  # the first is far from the end, so the numbers of the axis need other room


def test_in_a_hurry_an_empty_tab_stays_and_a_new_one_has_the_others_painted_one_by_one(make_window, clock, qtbot):
    window = make_window("multi_class", clock=clock)
    board, player = window.board, window.player
    at_the_end(window, qtbot)
    qtbot.waitUntil(lambda: "machines" in board.views and not board.seconds.isHidden())
    window.ticker._timer.stop()
    first, last = player.timeline.frame(0), player.shown

    def has_tab():
        return board.seconds.isTabVisible(board.seconds.indexOf(board.views["machines"]))

    board.show_frame(first, hurried=True)
    clock.now += 60.0
    board.poll()
    assert has_tab()
    board.show_frame(first)
    board.poll()
    assert not has_tab()
    board.show_frame(last, hurried=True)
    assert {"paint canvas_plane", "paint canvas_machines", "paint metric_plot"} <= set(done(board.paint_pieces(True)))


def test_the_first_frame_of_a_run_waits_for_its_fields_but_not_for_long(make_window, clock, qtbot):
    window = make_window("gaussian_mixture", clock=clock)
    board, player = window.board, window.player
    at_the_end(window, qtbot)
    window.ticker._timer.stop()
    board.rasters._rasteriser.request = lambda slot, request: None  # nothing will ever come
    board._begin_run(player.engine)
    board.show_frame(player.timeline.frame(0))
    assert not board.up_to_date
    clock.now += 0.1
    assert not board.field_pieces(False)
    assert not board.up_to_date
    clock.now += 0.1
    assert done(board.field_pieces(False)) == ["first frame"]
    assert board.up_to_date
