"""The sigmoid with the data points on it: drawn as approved, and linked to the plane."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF

from algorithms.contract import Panel
from algorithms.data import Points
from algorithms.marks import Curve, Isolines, Scatter
from mlviz.session.projection import Projection
from mlviz.views.plane import PlaneView
from mlviz.views.plots import PlotView
from mlviz.views.renderers.scatter import ScatterRenderer
from mlviz.views.scene import Scene
from mlviz.views.theme import DARK, LIGHT
from tests.events import settle

F = np.concatenate([np.linspace(-6, 2, 20), np.linspace(-1, 7, 20)])
Y = np.repeat([0, 1], 20)
DATA = Points(np.column_stack([F, np.sin(F)]), Y, classes=("ham", "spam"))
LINE = np.linspace(-8, 8, 100)
MARKS = (
    Curve(LINE, 1 / (1 + np.exp(-LINE)), "P(spam)"),
    Scatter(np.column_stack([F[5:], Y[5:]]), np.arange(5, 40), Y[5:]),
)


def make(qtbot, kind, theme=LIGHT):
    view = kind(Panel("curve", "Sigmoid", x="log-odds", y="probability"))
    qtbot.addWidget(view)
    view.set_theme(theme)
    view.set_scene(Scene.of(DATA, Projection.of(DATA), theme))
    view.resize(480, 320)
    view.show()
    return view


@pytest.mark.parametrize(("name", "theme"), [("light", LIGHT), ("dark", DARK), ("presenting", LIGHT.presenting())])
def test_sigmoid_is_drawn_as_approved(qtbot, approved, name, theme):
    view = make(qtbot, PlotView, theme)
    view.show_marks(MARKS)
    view.light_points(np.array([7, 30]))
    settle()
    approved(view.grab().toImage(), f"logistic-sigmoid-{name}")


def test_points_are_found_under_the_mouse_and_lit_from_elsewhere(qtbot):
    view = make(qtbot, PlotView)
    view.show_marks(MARKS)
    settle()
    place = view.mapFromScene(view.box.mapViewToScene(QPointF(F[12], 0.0)))
    assert view.points_at(QPointF(place)).tolist() == [12]
    assert not len(view.points_at(QPointF(3.0, 3.0)))
    view.light_points(np.array([2, 12, 39]))  # the first is not in this plot
    (renderer,) = [r for r in view._renderers.values() if isinstance(r, ScatterRenderer)]
    assert np.allclose(renderer._ring.at, [[F[12], 0.0], [F[39], 1.0]])


def test_weak_lines_are_called_what_they_are(qtbot):
    view = make(qtbot, PlaneView)
    view.show_marks((Isolines(strong=(0.5,), weak=(0.1, 0.9), weak_name="P = 0.1 and 0.9"),))
    texts = [row.name for row in view.legend.rows]
    assert "P = 0.1 and 0.9" in texts
    assert "margin" not in texts
