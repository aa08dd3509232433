"""A window on a small document, closed again whatever happens."""

import pytest
import shiboken6

from mlviz.data.generators import generate
from mlviz.session.document import Document
from mlviz.ui.window import MainWindow


@pytest.fixture
def make_window(qtbot):
    """``make_window(algorithm, **params)`` gives a shown window with its first frame on the screen."""
    made = []

    def make(algorithm="k_means", data=None, **params):
        document = Document(data or generate("blobs", n=60, seed=3), algorithm, params)
        window = MainWindow(document)
        made.append(window)
        window.resize(1024, 768)
        window.set_theme("light")
        window.show()
        qtbot.waitUntil(lambda: window.player.shown is not None)
        return window

    yield make
    for window in made:
        window.files.path = None  # nobody is there to answer whether a changed file is to be saved
        window.close()
        shiboken6.delete(window)


@pytest.fixture
def window(make_window):
    return make_window()
