"""A method that learns nothing is asked at once: its answer follows a dragged query, and its field is drawn once."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF

from algorithms.marks import Centres
from algorithms.maths.nearest_points import Search
from mlviz.data.generators import generate
from mlviz.views.renderers.base import renderer_for


@pytest.fixture
def window(make_window, qtbot):
    made = make_window("k_nearest", generate("moons", n=80, noise=0.2, seed=1))
    qtbot.waitUntil(lambda: not made.player.running and made.board.up_to_date)
    return made


def query_on_show(window):
    marks = window.player.shown.snapshot.views["plane"]
    return next(mark.at[0].tolist() for mark in marks if isinstance(mark, Centres))


def drag(window, place, finished=False):
    window.board.plane.param_dragged.emit(("query", (place,), finished))


def test_each_answer_is_seen_before_the_next_place_is_asked_about(window, qtbot):
    engines = []
    window.player.run_started.connect(engines.append)
    places = [(0.01 * step, 0.3) for step in range(30)]
    drag(window, places[0])
    assert len(engines) == 1  # at once, without waiting for the mouse to rest
    for place in places[1:]:
        drag(window, place)
    assert len(engines) == 1  # which has not been seen yet, and only the latest place counts
    assert window.document.params["query"] == (places[0],)
    qtbot.waitUntil(lambda: window.document.params["query"] == (places[-1],))
    qtbot.waitUntil(lambda: window.player.shown is not None and query_on_show(window) == list(places[-1]))
    assert len(engines) == 2


def test_where_the_mouse_is_let_go_counts_at_any_rate(window, qtbot):
    drag(window, (0.0, 0.1))
    drag(window, (0.5, 0.5), finished=True)
    assert window.document.params["query"] == ((0.5, 0.5),)
    qtbot.waitUntil(lambda: window.player.shown is not None and query_on_show(window) == [0.5, 0.5])
    window.undo()
    assert "query" not in window.document.params or window.document.params["query"] == ()


def test_the_field_is_not_asked_for_again_while_only_the_query_moves(window, qtbot):
    board = window.board
    qtbot.waitUntil(lambda: "field" in board.plane.rasters and bool(board.rasters._answered))
    asked = []
    request = board.rasters._rasteriser.request
    board.rasters._rasteriser.request = lambda slot, what: asked.append(what) or request(slot, what)
    before = board.plane.rasters["field"]
    drag(window, (0.2, 0.2), finished=True)
    qtbot.waitUntil(lambda: window.player.shown is not None and query_on_show(window) == [0.2, 0.2])
    assert asked == []
    assert board.plane.rasters["field"] is before
    window.set_param("k", 9)
    qtbot.waitUntil(lambda: len(asked) > 0)
    qtbot.waitUntil(lambda: not np.array_equal(board.plane.rasters["field"].values, before.values))


def test_a_query_that_moves_builds_no_tree_and_paints_no_point_again(window, qtbot, monkeypatch):
    drag(window, (0.0, 0.1), finished=True)
    qtbot.waitUntil(lambda: window.player.shown is not None and query_on_show(window) == [0.0, 0.1])
    trees, painted = [], []
    make, layer = Search.__init__, window.board.plane.points
    monkeypatch.setattr(Search, "__init__", lambda *values: trees.append(values) or make(*values))
    update = layer.update
    layer.update = lambda *part: painted.append(part) or update(*part)
    engines = []
    window.player.run_started.connect(engines.append)
    for step in range(1, 9):
        place = (0.05 * step, 0.1)
        drag(window, place)
        assert window.player.answers_soon  # the ticker looks every few milliseconds until there is an answer
        qtbot.waitUntil(lambda place=place: window.player.shown is not None and query_on_show(window) == list(place))
        assert not window.player.answers_soon
    assert len(engines) == 8
    assert (trees, painted) == ([], [])
    window.set_param("metric", "manhattan")
    qtbot.waitUntil(lambda: len(trees) == 1)


def test_the_curves_of_runs_that_follow_each_other_are_drawn_now_and_then(make_window, qtbot, clock):
    window = make_window("k_nearest", generate("moons", n=80, noise=0.2, seed=1), clock=clock)
    curves, drawn = window.board.curves, []
    qtbot.waitUntil(lambda: not window.player.running and window.board.up_to_date)
    clock.now += 1.0
    qtbot.waitUntil(lambda: not curves.due(window.player.steps, window.player.position))
    draw = curves._draw
    curves._draw = lambda: drawn.append(clock.now) or draw()
    for step in range(5):
        drag(window, (0.05 * step, 0.1))
        qtbot.waitUntil(lambda step=step: window.player.shown and query_on_show(window) == [0.05 * step, 0.1])
    many = len(drawn)
    assert many < 5
    clock.now += 1.0
    qtbot.waitUntil(lambda: len(drawn) > many)


def test_the_handle_over_one_feature_keeps_its_height_to_itself(make_window, qtbot):
    window = make_window("k_nearest", generate("sine", n=30, noise=0.2, seed=1))
    plane = window.board.plane
    qtbot.waitUntil(lambda: any(isinstance(mark, Centres) for mark in plane.marks))
    renderer = next(r for r in plane._renderers.values() if isinstance(r, renderer_for(Centres)))
    at = next(mark.at[0] for mark in plane.marks if isinstance(mark, Centres))
    assert renderer.grab(QPointF(*at), (0.1, 0.1))
    renderer.drag(QPointF(0.25, 3.0), finished=True)
    assert window.document.params["query"] == ((0.25,),)
