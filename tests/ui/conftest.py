"""A window on a small document, closed again whatever happens; clocks and runs that the test moves by hand."""

import threading
import time
from dataclasses import replace

import pytest
import shiboken6

from mlviz.data.generators import generate
from mlviz.session.document import Document
from mlviz.ui import player, style
from mlviz.ui.window import MainWindow
from mlviz.views.theme import LIGHT


@pytest.fixture
def make_window(qapp, qtbot):
    """``make_window(algorithm, **params)`` gives a shown window with its first frame on the screen."""
    made = []

    def make(algorithm="k_means", data=None, clock=time.perf_counter, **params):
        style.prepare(qapp, LIGHT)  # as the program does before it makes its window
        document = Document(data or generate("blobs", n=60, seed=3), algorithm, params)
        window = MainWindow(document, clock=clock)
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


class Clock:
    """The time in seconds, moved by hand."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


class Gate:
    """Lets a run do so many more steps; the first one is free."""

    def __init__(self):
        self._steps = threading.Semaphore(1)

    def let(self, count):
        """So many more."""
        self._steps.release(count)

    def closed(self, algorithm):
        """The algorithm behind this gate."""

        def run(data, params, rng, start=None):
            frames = algorithm.run(data, params, rng, start)
            while True:
                self._steps.acquire()
                try:
                    yield next(frames)
                except StopIteration as end:
                    return end.value

        return replace(algorithm, run=run)


@pytest.fixture
def gate(make_window, monkeypatch):
    """From now on runs stop before each step until the test lets them go on."""
    gate, find = Gate(), player.find
    monkeypatch.setattr(player, "find", lambda key: gate.closed(find(key)))
    yield gate
    gate.let(1_000_000)  # a thread that waits cannot end
