"""How long the window takes for another look of a large data set: the other theme, presenter mode and back."""

from __future__ import annotations

import time

from PySide6.QtCore import QEvent

from mlviz.app import application
from mlviz.data.generators import generate
from mlviz.session.document import Document
from mlviz.ui.window import MainWindow
from tests.benchmarks.record import Effort, Row, words
from tests.benchmarks.window import closed, opened

MOST_SECONDS = 0.3
LOOKS = {"theme": "the other theme", "present": "presenter mode on, or off"}


def measure(effort: Effort) -> list[Row]:
    """From the key to the painted window, at 100,000 points and the frame of k-means that takes longest to paint."""
    application()
    window = opened(Document(generate("blobs", n=effort.size(100_000), seed=1), "k_means"))
    _settled(window)
    times = {name: [_switch(window, name) for _ in range(effort.many(8))] for name in LOOKS}
    closed(window)
    return [
        Row(
            "looks",
            f"{LOOKS[name]} at 100,000 points",
            "0.3 s",
            words(min(taken)),
            words(MOST_SECONDS),
            min(taken) / MOST_SECONDS,
            1.0,
            detail={"statistic": "the smallest, in work of the window's thread", "seconds": taken},
        )
        for name, taken in times.items()
    ]


def _switch(window: MainWindow, name: str) -> float:
    begun = time.thread_time()
    window.actions_table[name].trigger()
    application().processEvents()
    taken = time.thread_time() - begun
    _settled(window)
    return taken


def _settled(window: MainWindow) -> None:
    """Until the fields are drawn, too, and what is old has gone."""
    deadline = time.perf_counter() + 10
    while not window.board.up_to_date and time.perf_counter() < deadline:
        application().processEvents()
    for _ in range(5):
        application().sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        application().processEvents()
