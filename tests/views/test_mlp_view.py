"""The network diagram: approved pictures, and neurons linked with points."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest
from PySide6.QtCore import QPointF

from algorithms.contract import Panel
from algorithms.data import Points
from algorithms.marks import NetworkDiagram
from algorithms.neural.mlp import ALGORITHM, Params
from mlviz.session.projection import Projection
from mlviz.views.plots import DiagramView
from mlviz.views.renderers.network import FLOOR, NetworkRenderer, places
from mlviz.views.scene import Scene
from mlviz.views.theme import DARK, LIGHT
from tests.views.conftest import difference, pixels

RNG = np.random.default_rng(3)
ANGLE = RNG.uniform(0, 2 * np.pi, 80)
LABELS = np.arange(80) % 2
X = np.column_stack([np.cos(ANGLE), np.sin(ANGLE)]) * np.where(LABELS == 1, 0.5, 1.0)[:, None]
DATA = Points(X, LABELS, classes=("outer", "inner"))
SIDE = np.linspace(-1, 1, 16)
ACROSS = np.broadcast_to(np.rint(127 * SIDE), (16, 16)).astype(np.int8)
UP = np.ascontiguousarray(ACROSS.T)


def network(dropped=None, groups=(-1, -1, -1, -1, -1, 0, 1, 2)):
    """Two inputs, three hidden units of which more exist, three classes."""
    ring = np.rint(127 - 220 * np.clip(np.hypot(SIDE[None, :], SIDE[:, None]), 0, 1)).astype(np.int8)
    maps = np.stack([ACROSS, UP, ring, -ACROSS, np.zeros_like(ring), np.abs(ACROSS), np.abs(ring), np.abs(UP)])
    return NetworkDiagram(
        weights=(np.array([[2.0, -1.0, 0.0], [0.3, -3.0, 0.7]]), np.array([[1.0, -1, 2], [-2, 0.1, 0], [0.5, 1, -1]])),
        maps=maps,
        extent=(-1.2, 1.2, -1.2, 1.2),
        names=(("x1", "x2"), ("", "", ""), ("outer", "inner", "a class with a long name")),
        titles=("input", "1: tanh", "softmax"),
        groups=np.array(groups),
        omitted=(0, 9, 0),
        dropped=dropped,
    )


@pytest.fixture
def canvas(qtbot):
    view = DiagramView(Panel("network", "Network", "none"))
    qtbot.addWidget(view)
    view.resize(460, 300)
    return view


def show(canvas, mark, theme=LIGHT, data=DATA):
    canvas.set_theme(theme)
    canvas.set_scene(Scene.of(data, Projection.of(data), theme))
    canvas.show_marks((mark,))
    return canvas.grab().toImage()


def pixel_of(canvas, x, y):
    """The place in the widget of a place in the diagram."""
    return canvas.mapFromScene(canvas.box.mapViewToScene(QPointF(x, y))).toPointF()


@pytest.mark.parametrize(
    ("name", "theme"), [("light", LIGHT), ("dark", DARK), ("presenting", LIGHT.presenting())], ids=lambda v: str(v)[:10]
)
def test_diagram(canvas, approved, name, theme):
    canvas.resize(*((760, 480) if name == "presenting" else (460, 300)))
    approved(show(canvas, network(), theme), f"network-{name}")


def test_dropped_units_are_crossed_out_and_lose_their_edges(canvas, approved):
    off = np.zeros(8, dtype=bool)
    off[[2, 4]] = True
    approved(show(canvas, network(off)), "network-dropped")


@pytest.mark.parametrize(("height", "written"), [(400, True), (90, False)])
def test_titles_are_left_out_where_they_would_lie_on_the_units(canvas, height, written):
    canvas.resize(460, height)
    theme = LIGHT.presenting()
    titled = show(canvas, network(), theme)
    bare = show(canvas, dataclasses.replace(network(), titles=("", "", "")), theme)
    assert (difference(pixels(titled), pixels(bare)) > 0.0) == written


def test_a_trained_network(canvas, approved):
    run = ALGORITHM.start(DATA, Params(epochs=40), 0)
    last = list(itertools.islice(run, 42))[-1]
    approved(show(canvas, last.views["network"][0]), "network-trained")


def test_units_stand_in_their_layers_above_the_titles():
    at = places(network())
    assert at[:, 0].tolist() == [0, 0, 1, 1, 1, 2, 2, 2]
    assert (at[:, 1] - at[:, 2] / 2 >= FLOOR - 1e-9).all()
    assert (at[:, 1] + at[:, 2] / 2 <= 1.0 + 1e-9).all()
    assert (np.diff(at[2:5, 1]) < 0).all()


def test_hovering_a_neuron_means_the_points_it_fires_for(canvas):
    mark = network()
    show(canvas, mark)
    for unit, wanted in ((0, X[:, 0] > 0.6), (1, X[:, 1] > 0.6)):
        found = canvas.points_at(pixel_of(canvas, *places(mark)[unit, :2]))
        assert set(found.tolist()) <= set(np.flatnonzero(X[:, (0, 1)[unit]] > 0.5).tolist())
        assert set(found.tolist()) >= set(np.flatnonzero(wanted & (X[:, (0, 1)[unit]] > 0.75)).tolist())
    silent = canvas.points_at(pixel_of(canvas, *places(mark)[4, :2]))
    assert len(silent) == 0
    assert len(canvas.points_at(pixel_of(canvas, 0.5, 0.02))) == 0


def test_a_point_meant_elsewhere_is_marked_in_every_neuron(canvas):
    mark = network()
    before = pixels(show(canvas, mark))
    canvas.light_points(np.array([7]))
    lit = pixels(canvas.grab().toImage())
    assert difference(before, lit) > 0.0
    renderer = next(iter(canvas._renderers.values()))
    assert isinstance(renderer, NetworkRenderer)
    assert renderer._item.dots[0] == pytest.approx((X[7] + 1.2) / 2.4)
    canvas.light_points(np.empty(0, dtype=np.intp))
    assert difference(pixels(canvas.grab().toImage()), before) == 0.0


def test_one_feature_has_fields_one_cell_high(canvas):
    data = Points(X[:, :1], X[:, 1])
    first = next(ALGORITHM.start(data, Params(hidden=(4,)), 0))
    mark = first.views["network"][0]
    assert mark.maps.shape == (6, 1, 16)
    show(canvas, mark, data=data)
    found = canvas.points_at(pixel_of(canvas, 0.0, float(places(mark)[0, 1])))
    assert (X[found, 0] > 0.3).all()
    assert len(found) > 0


def test_the_legend_says_what_the_colours_mean(canvas):
    show(canvas, network())
    assert [row.name for row in canvas.legend.rows] == ["positive weight", "negative weight"]
    assert [row.line for row in canvas.legend.rows] == [LIGHT.colour(1), LIGHT.colour(0)]
