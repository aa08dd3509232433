"""The canvases of a method, made and drawn without a board."""

import contextlib

import shiboken6
from PySide6.QtWidgets import QWidget

from mlviz.export.model_queries import ModelQueries
from mlviz.session.document import Document
from mlviz.views.compositor import Compositor

SIZE = (320, 240)


@contextlib.contextmanager
def composed(algorithm, data):
    """The canvases of a method over data, which end from the top down; Python's collector would take any order."""
    parent = QWidget()
    compositor = Compositor(parent)
    compositor.curves.setParent(parent)
    compositor.set_data(data, Document(data, algorithm.key).projection)
    compositor.set_method(algorithm)
    for key in compositor.panels:
        compositor.canvas(key).resize(*SIZE)
    try:
        yield compositor
    finally:
        shiboken6.delete(parent)


def draw(compositor, frame):
    """All panels of a frame, fields and all."""
    for key in compositor.panels:
        canvas = compositor.canvas(key)
        canvas.show_marks(compositor.marks(frame, key))
        if canvas.panel.space == "data":
            canvas.fit_view()
    asked = compositor.requests(frame, compositor.panels, lambda canvas: ((24, 18),))
    for slot, raster in ModelQueries(asked, None).answered().rasters.items():
        compositor.deliver(slot, raster)
