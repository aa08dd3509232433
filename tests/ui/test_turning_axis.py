"""The axis of principal components follows the mouse from wherever the run is, and goes on from there."""

import pytest

from algorithms.marks import TurningAxis


def axis_on_show(window):
    marks = window.player.shown.snapshot.views["plane"]
    return next((mark for mark in marks if isinstance(mark, TurningAxis)), None)


def test_the_axis_is_taken_at_the_end_of_a_run_and_stands_where_it_was_put(make_window, qtbot):
    window = make_window("pca")
    qtbot.waitUntil(lambda: not window.player.running)
    window.player.seek(window.player.steps - 1)
    qtbot.waitUntil(lambda: window.player.shown.snapshot.phase == "result")
    for angle in (100.0, 40.0):
        window.board.plane.param_dragged.emit(("angle", angle, angle == 40.0))
    assert (window.document.params["axis"], window.document.params["angle"]) == ("by hand", 40.0)
    qtbot.waitUntil(
        lambda: window.player.shown is not None and "By hand at 40°" in window.player.shown.snapshot.caption
    )
    assert window.player.position == 0
    across, up = axis_on_show(window).at[1] - axis_on_show(window).origin
    assert up / across == pytest.approx(0.8391, rel=1e-4)  # the tangent of 40 degrees
    window.undo()
    assert window.document.params.get("axis", "turning") == "turning"


def test_the_rank_is_dragged_in_the_spectrum(make_window, qtbot):
    window = make_window("svd")
    window.board.plane.param_dragged.emit(("rank", 1.4, True))
    assert window.document.params["rank"] == 1
