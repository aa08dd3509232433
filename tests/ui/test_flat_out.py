"""A run flat out: the window takes turns with it, and does one chore at a time."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject

from mlviz.worker.courtesy import WINDOW


def test_flat_out_each_tick_does_one_chore_and_the_last_frame_is_told(make_window, qtbot):
    window = make_window("gaussian_mixture", restarts=20)
    player = window.player
    player.set_speed(float("inf"))
    shown, done, ticks = [], [], []

    def counted(chore):
        def do():
            found = chore()
            done.append(found)
            return found

        return do

    player.chores = tuple(counted(chore) for chore in player.chores)
    player.frame_changed.connect(shown.append)

    def note():
        ticks.append((player.in_turns, sum(done)))
        done.clear()

    player.ticked.connect(note)
    window.same_seed()
    player.set_playing(True)
    qtbot.waitUntil(lambda: not player.running and not player.playing and not player.in_turns, timeout=20_000)
    hurried = [count for in_turns, count in ticks if in_turns]
    assert len(hurried) > 5
    assert max(hurried) == 1
    assert player.shown is shown[-1]
    assert player.position == player.steps - 1
    assert window.showing.told is player.shown
    assert not window.board.draw_second()  # nothing was left out in the end


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
    assert board.draw_second(in_turns=True)
    assert len(drawn) == 1
    assert not board.draw_second(in_turns=True)
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
        board.draw_second(in_turns=True)
    assert sorted(drawn[:2]) == ["sweep", "tree"]
    assert drawn[2:] == drawn[:2]
    board.draw_second()  # at rest nothing is left out
    assert len(drawn) == 5


def test_in_a_hurry_fields_stay_coarse_and_are_sharp_at_the_end(make_window, qtbot):
    window = make_window("gaussian_mixture")
    board, player = window.board, window.player
    player.jump("end")
    qtbot.waitUntil(lambda: not player.running and player.position == player.steps - 1, timeout=20_000)
    qtbot.waitUntil(lambda: not board._rasteriser.busy)
    board.draw_fields()
    largest = max(raster.values.shape[0] for raster in board.plane.rasters.values())
    asked = []
    board._rasteriser.request = lambda slot, request: asked.append(max(rows for _, rows in request.sizes))
    board.show_frame(player.shown, hurried=True)
    assert asked
    assert max(asked) < largest
    asked.clear()
    board.draw_fields(in_turns=True)
    assert not asked
    board.draw_fields()
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
