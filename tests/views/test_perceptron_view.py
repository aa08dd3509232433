"""What a perceptron looks like besides its line: the neuron, the step, the proof; drawn as approved."""

from __future__ import annotations

import pytest

from algorithms.neural.perceptron import ALGORITHM
from mlviz.data.spec import load_data
from mlviz.session.projection import Projection
from mlviz.views.canvases import make_canvas
from mlviz.views.scene import Scene
from mlviz.views.theme import DARK, LIGHT

AND = load_data("gate(kind=AND)")
BLOBS = load_data("blobs(n=80,centres=2,noise=1,spread=3,seed=6)")
PICTURES = {
    "neuron": ("unit", BLOBS, 5, LIGHT),
    "step": ("sums", BLOBS, 5, LIGHT),
    "proof": ("proof", AND, -1, LIGHT),
    "proof-dark": ("proof", AND, -1, DARK),
    "passes": ("passes", BLOBS, -1, LIGHT.presenting()),
}


@pytest.mark.parametrize("name", PICTURES)
def test_pictures(qtbot, approved, name):
    key, data, number, theme = PICTURES[name]
    frame = list(ALGORITHM.start(data, ALGORITHM.make_params({}), seed=0))[number]
    view = make_canvas(next(panel for panel in ALGORITHM.panels if panel.key == key))
    qtbot.addWidget(view)
    view.resize(460, 340)
    view.set_theme(theme)
    view.set_scene(Scene.of(data, Projection.of(data), theme))
    view.show_marks(frame.views[key])
    approved(view.grab().toImage(), f"perceptron-{name}")
