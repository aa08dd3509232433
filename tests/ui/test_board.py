"""Boards: several in one window on one clock, and data of any kind."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import shiboken6
from PySide6.QtWidgets import QHBoxLayout, QWidget

from algorithms import find, registry
from algorithms.contract import Metric, Panel, Stop
from algorithms.data import Graph, Nothing
from algorithms.marks import Bars, Curve
from mlviz.data.generators import generate
from mlviz.session.document import Document
from mlviz.session.scoring import Threshold
from mlviz.ui import player as player_module
from mlviz.ui.board import Board
from mlviz.ui.player import Player
from mlviz.ui.ticker import Ticker
from mlviz.views import canvases
from mlviz.views.plane import PlaneView
from mlviz.views.plots import DiagramView
from mlviz.views.theme import DARK, LIGHT
from tests.telling import AS_SHOWN, told


class Pair:
    """Two boards side by side, each with its own document and run, on one ticker."""

    def __init__(self, clock, *documents):
        self.host = QWidget()
        row = QHBoxLayout(self.host)
        self.ticker = Ticker(self.host, clock)
        self.players = [Player(self.ticker, self.host) for _ in documents]
        self.boards = [Board(player, self.host, f"board {number}") for number, player in enumerate(self.players)]
        self.ticker.polls = tuple(board.poll for board in self.boards)
        self.ticker.scheduler.stages = tuple(stage for board in self.boards for stage in board.stages)
        for board, player, document in zip(self.boards, self.players, documents):
            row.addWidget(board)
            board.set_theme(LIGHT)
            board.set_document(document)
            player.run(document)
        self.host.resize(1200, 600)
        self.host.show()

    def shown(self):
        """The step that each board has drawn."""
        assert all(board.up_to_date for board in self.boards)
        return tuple(board._frame.step for board in self.boards)

    def close(self):
        for player in self.players:
            player.close()
        for board in self.boards:
            board.close_threads()
        self.host.close()
        shiboken6.delete(self.host)


@pytest.fixture
def pair(qtbot, clock):
    blobs = Document(generate("blobs", n=60, seed=3), "gaussian_mixture")
    moons = Document(generate("moons", n=60, seed=1), "logistic_regression")
    pair = Pair(clock, blobs, moons)
    qtbot.waitUntil(lambda: all(player.engine.ended for player in pair.players))
    qtbot.waitUntil(lambda: all(board.up_to_date for board in pair.boards))
    yield pair
    pair.close()


def test_two_boards_play_on_one_clock_each_at_its_own_speed(pair, clock):
    one, two = pair.players
    for player, speed in ((one, 8.0), (two, 16.0)):
        player.set_speed(speed)
        player.set_playing(True)
    for tick in range(1, 4):
        clock.now += 0.125
        pair.ticker.tick()
        assert (one.position, two.position) == (tick, 2 * tick)
        assert pair.shown() == (tick, 2 * tick)


def test_a_step_on_one_board_leaves_the_other_alone(pair):
    one, two = pair.players
    two.seek(4)
    one.step(2)
    assert pair.shown() == (2, 4)
    two.step(-1)
    assert pair.shown() == (2, 3)


def test_theme_threshold_and_lit_points_are_a_boards_own(pair):
    one, two = pair.boards
    two.set_theme(DARK)
    two.compositor.set_threshold(Threshold(0.7))
    two.light_points(np.array([3]))
    assert (one.plane.theme, two.plane.theme) == (LIGHT, DARK)
    assert (one.plane.threshold, two.plane.threshold) == (None, Threshold(0.7))
    assert len(one.plane._ring.at) == 0
    assert len(two.plane._ring.at) == 1


def test_one_of_two_can_go_and_the_other_goes_on(pair, clock):
    one, two = pair.players
    two.close()
    assert pair.ticker.players == [one]
    one.set_speed(8.0)
    one.set_playing(True)
    clock.now += 0.125
    pair.ticker.tick()
    assert one.position == 1
    assert pair.ticker._timer.isActive()


# -- data of any kind -------------------------------------------------------------------------------------------------


class NodeView(DiagramView):
    """Stands for the canvas of some kind of data."""


TRIANGLE = Graph(3, np.array([[0, 1], [1, 2], [2, 0]]))
SQUARE = Graph(4, np.array([[0, 1], [1, 2], [2, 3], [3, 0]]))


@pytest.fixture
def graph_methods(monkeypatch):
    """Three methods that stand for methods on graphs: with the graph in front, with it behind, and without it."""
    k_means, real = find("k_means"), registry.find
    rest = k_means.panels[1:]
    made = {
        "front": (Panel("graph", "Graph", "data"), *rest),
        "behind": (*rest[:1], Panel("network", "Network", "data")),
        "without": rest[:1],
    }
    methods = {key: replace(k_means, key=key, panels=panels, accepts=(Graph,)) for key, panels in made.items()}
    monkeypatch.setattr(registry, "find", lambda key: methods.get(key) or real(key))
    monkeypatch.setattr(canvases, "data_canvas", lambda kind: NodeView)
    return methods


@pytest.fixture
def board(qtbot, clock):
    host = QWidget()
    player = Player(Ticker(host, clock), host)
    board = Board(player, host)
    yield board
    player.close()
    board.close_threads()
    shiboken6.delete(host)


def test_another_kind_of_data_has_another_canvas_and_the_plane_comes_back(board, graph_methods):
    points = Document(generate("blobs", n=60, seed=3), "k_means")
    changes = []
    board.data_view_changed.connect(lambda: changes.append(board.data_view))
    board.set_document(points)
    assert board.data_view is board.plane
    assert board.large.currentWidget() is board.plane
    board.set_document(Document(TRIANGLE, "front"))
    canvas = board.data_view
    assert type(canvas) is NodeView
    assert canvas.scene_info.data is TRIANGLE
    assert board.large.currentWidget() is canvas
    assert board.plane.isHidden()
    board.set_document(Document(SQUARE, "front"))
    assert board.data_view is canvas
    assert canvas.scene_info.data is SQUARE
    board.set_document(points)
    assert board.data_view is board.plane
    assert board.plane.scene_info.data is points.data
    assert canvas.isHidden()
    board.set_document(Document(TRIANGLE, "front"))
    assert board.data_view is canvas  # with the tool that was in hand
    assert [type(view) for view in changes] == [PlaneView, NodeView, PlaneView, NodeView]


def test_the_canvas_of_the_data_stays_under_another_method(board, graph_methods):
    board.set_document(Document(TRIANGLE, "front"))
    canvas = board.data_view
    board._make_views(graph_methods["behind"])
    assert board.data_view is canvas
    assert canvas.panel.key == "network"
    assert board.seconds.indexOf(canvas) >= 0
    assert board.large.currentWidget() is board.views[graph_methods["behind"].panels[0].key]
    board._make_views(graph_methods["without"])
    assert board.data_view is None
    assert canvas.isHidden()
    board.show_data_view()  # there is nothing to show
    board.fit_view()
    assert board.large.currentWidget() is board.views[graph_methods["without"].panels[0].key]


def test_a_dark_theme_reaches_canvases_that_are_out_of_sight(board, graph_methods):
    board.set_document(Document(TRIANGLE, "front"))
    canvas = board.data_view
    board.set_document(Document(generate("blobs", n=60, seed=3), "k_means"))
    board.set_theme(DARK)
    board.set_document(Document(TRIANGLE, "front"))
    assert board.data_view is canvas
    assert canvas.theme is DARK


def count_down(data, params, rng, start=None):
    """A method that needs no data: a curve that grows, and a tree without axes."""
    for step in range(4):
        curve = Curve(np.arange(step + 1.0), np.arange(step + 1.0) ** 2)
        yield told(params, {"curve": (curve,), "bars": (Bars(np.arange(step + 1.0)),)}, {"step": step}, "go", "On.")
    return Stop.COMPLETE


def test_a_method_without_data_has_its_first_panel_in_the_large_view(board, qtbot, monkeypatch):
    method = replace(
        find("k_means"),
        key="count_down",
        run=count_down,
        **AS_SHOWN,
        panels=(Panel("curve", "Curve"), Panel("bars", "Bars"), Panel("never", "Never")),
        metrics=(Metric("step", "step"),),
        accepts=(),
        predict=None,
        field=None,
        scores="",
    )
    real = registry.find
    monkeypatch.setattr(registry, "find", lambda key: method if key == "count_down" else real(key))
    monkeypatch.setattr(player_module, "find", lambda key: method)
    ticker, player = board._player.ticker, board._player
    ticker.polls, ticker.scheduler.stages = (board.poll,), (*board.stages, board.missing_canvas)
    document = Document(Nothing(), "count_down")
    board.set_theme(LIGHT)
    board.set_document(document)
    player.run(document)
    board.window().show()
    player.jump("end")
    qtbot.waitUntil(lambda: board.up_to_date and player.shown.step == 3)
    assert board.data_view is None
    assert board.large.currentWidget() is board.views["curve"]
    assert board.views["curve"].isVisible()
    assert len(board.views["curve"].marks[0].x) == 4
    assert [board.seconds.tabText(k) for k in range(board.seconds.count()) if board.seconds.isTabVisible(k)] == ["Bars"]
    assert board.plane.isHidden()
    board.fit_view()
    board.light_points(np.empty(0, dtype=np.intp))
