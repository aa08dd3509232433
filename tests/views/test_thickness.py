"""Lines are as thick, in logical pixels, on a screen with two pixels for each of them as on a plain one."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
import shiboken6
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QImage, QRegion
from PySide6.QtWidgets import QWidget

from algorithms import all_algorithms, find
from mlviz.data.spec import example_of
from mlviz.session.document import Document
from mlviz.views.compositor import Compositor
from mlviz.views.theme import LIGHT
from tests.views.pictures import pixels

FRAMES = 12
BOLD = replace(LIGHT, stroke=7.0, point=4.0, font=6.0)
"""Lines are most of what is seen."""
AS_MUCH = 0.08
"""How far the ink of the two may differ: edges are smoothed in steps of a pixel."""


def drawn(widget, ratio):
    """What is seen of a widget on such a screen, (height, width, 3)."""
    image = QImage(widget.size() * ratio, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    image.fill(QColor(LIGHT.plot))
    QWidget.render(widget, image, QPoint(), QRegion(), QWidget.RenderFlag.DrawChildren)
    return pixels(image)


def ink(picture):
    """How much of a picture is not background, from 0 to 1."""
    red, green, blue = np.moveaxis(picture, 2, 0)
    return 1.0 - float(np.minimum(np.minimum(red, green), blue).mean()) / 255.0


@pytest.fixture
def canvases(qapp):
    """``canvases(key)`` gives the canvases of a method on its example, at one of its first frames."""
    board = QWidget()

    def show(key):
        method = find(key)
        document = Document(example_of(method), key)
        compositor = Compositor(board)
        compositor.set_theme(BOLD)
        compositor.set_data(document.data, document.projection)
        compositor.set_method(method)
        frames = method.start(document.data, document.make_params(), 0)
        *_, last = itertools.islice(frames, FRAMES)
        frames.close()
        for panel in method.panels_on(document.data):
            canvas = compositor.canvas(panel.key)
            canvas.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
            canvas.resize(500, 400)
            canvas.show()
            if panel.space == "data":
                canvas.fit_view()
            canvas.show_marks(compositor.marks(last, panel.key))
            yield canvas

    yield show
    shiboken6.delete(board)


@pytest.mark.parametrize("key", [algorithm.key for algorithm in all_algorithms()])
def test_as_much_ink_on_every_screen(canvases, key):
    for canvas in canvases(key):
        drawn(canvas, 1)  # pictures of long lines are kept from the second time on
        plain, fine = ink(drawn(canvas, 1)), ink(drawn(canvas, 2))
        assert fine == pytest.approx(plain, rel=AS_MUCH), canvas.panel.key
