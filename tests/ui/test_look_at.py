"""What a frame says of one item follows the mouse: the bump of a kernel, the log-odds and the votes of a point."""

import numpy as np
import pytest

from algorithms.marks import Bars, Centres
from mlviz.data.generators import generate

NOBODY = np.empty(0, dtype=np.intp)
DATA = generate("blobs", n=40, centres=3, noise=1, seed=1)


def shown(window, panel, mark):
    return next(found for found in window.board._marks(window.board._frame, panel) if isinstance(found, mark))


def at_the_end(make_window, qtbot, method, **params):
    window = make_window(method, DATA, **params)
    window.player.jump("end")
    qtbot.waitUntil(lambda: not window.player.running and window.board.up_to_date)
    qtbot.waitUntil(lambda: window.player.position == window.player.steps - 1 and window.player._anchor is None)
    qtbot.waitUntil(lambda: window.player.shown.step == window.player.position)
    return window


def test_the_bump_of_a_kernel_stands_at_the_point_under_the_mouse(make_window, qtbot):
    window = at_the_end(make_window, qtbot, "kernel_lab", kernel="rbf")
    board, asked = window.board, []
    before = shown(window, "plane", Centres).at
    window.pointer.hover(np.array([7]))
    assert shown(window, "plane", Centres).at.tolist() == [DATA.X[7].tolist()]
    assert next(mark for mark in board.plane.marks if isinstance(mark, Centres)).at.tolist() == [DATA.X[7].tolist()]
    here = board._seen(board._frame).model
    assert find_field(window, here) == pytest.approx(1.0)  # the kernel of the point with itself
    request = board.rasters._rasteriser.request
    board.rasters._rasteriser.request = lambda slot, what: asked.append(what) or request(slot, what)
    window.pointer.click(np.array([9]))  # still over the other point
    window.pointer.hover(NOBODY)
    assert shown(window, "plane", Centres).at.tolist() == [DATA.X[9].tolist()]
    assert [np.array_equal(one.model.places, DATA.X[9:10]) for one in asked] == [True]
    window.pointer.click(NOBODY)
    assert np.array_equal(shown(window, "plane", Centres).at, before)


def find_field(window, model):
    return float(window.document.method.field(model, DATA.X[7:8])[0])


def test_the_chosen_place_counts_again_when_it_is_dragged(make_window, qtbot):
    window = at_the_end(make_window, qtbot, "kernel_lab", kernel="rbf")
    window.pointer.hover(np.array([7]))
    window.board.plane.param_dragged.emit(("at", ((0.5, 0.25),), True))
    qtbot.waitUntil(lambda: [0.5, 0.25] in [m.at[0].tolist() for m in window.board.plane.marks if type(m) is Centres])


@pytest.mark.parametrize(("method", "panel"), [("naive_bayes", "odds"), ("multi_class", "votes")])
def test_the_bars_are_those_of_the_point_under_the_mouse(make_window, qtbot, method, panel):
    window = at_the_end(make_window, qtbot, method)
    before = shown(window, panel, Bars).values.copy()
    far = int(DATA.X[:, 0].argmax())
    window.pointer.hover(np.array([far]))
    assert not np.array_equal(shown(window, panel, Bars).values, before)
    window.player.step(-1)  # another frame speaks of the same point
    qtbot.waitUntil(lambda: window.player.shown.step == window.player.position)
    step_before = shown(window, panel, Bars).values.copy()
    window.pointer.hover(np.array([int(DATA.X[:, 0].argmin())]))
    assert not np.array_equal(shown(window, panel, Bars).values, step_before)
    window.player.step(1)
    window.pointer.hover(NOBODY)
    assert np.array_equal(shown(window, panel, Bars).values, before)
    window.pointer.hover(np.array([1, 2]))  # of several nothing is said
    assert np.array_equal(shown(window, panel, Bars).values, before)
