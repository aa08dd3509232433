"""The same way through the window with every method: choose, play, scrub, hover, export, undo. Nothing per method."""

import itertools

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication

from algorithms import all_algorithms, find
from mlviz.data.spec import load_data
from mlviz.export.render import Style
from mlviz.ui.exporting import ExportRequest


def beginning(method):
    """A small document of a kind that the method cannot take, so that its example has to come."""
    if method.takes(load_data("blobs(n=20)")):
        return "shortest_paths", load_data(find("shortest_paths").example)
    return "k_means", load_data("blobs(n=20,seed=1)")


def shows_items(method, frame):
    """Whether the data are to be seen at all: descent on a landscape does not look at them."""
    panel = method.data_panel
    return panel is not None and (panel is method.panels[0] or bool(frame.views.get(panel.key)))


def place_of_an_item(canvas):
    """Somewhere in a canvas where the mouse is over exactly one item; None where there is no such place."""
    size = canvas.viewport().size()
    steps = [np.arange(3, side, 7) for side in (size.width(), size.height())]
    places = np.array(list(itertools.product(*steps)))
    np.random.default_rng(0).shuffle(places)  # row by row, thousands would be tried before the first item
    found = (QPointF(*place) for place in places.tolist())
    return next((at for at in found if len(canvas.points_at(at)) == 1), None)


def hover(window):
    """Put the mouse on an item in the first view that has one; whether it is answered in words."""
    for canvas in window.board.compositor.canvases.values():
        at = place_of_an_item(canvas) if canvas.isVisible() else None
        if at is not None:
            nothing, plain = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier
            event = QMouseEvent(QEvent.Type.MouseMove, at, canvas.mapToGlobal(at), nothing, nothing, plain)
            QApplication.sendEvent(canvas.viewport(), event)
            return window.pointer.index >= 0 and window.hover_label.text() != ""
    return False


@pytest.mark.parametrize("key", [algorithm.key for algorithm in all_algorithms()])
def test_a_journey(make_window, qtbot, tmp_path, key):
    method = find(key)
    window = make_window(*beginning(method))
    before, player = window.document, window.player

    window.choose_algorithm(key)
    example = load_data(method.example) if method.accepts else None
    assert window.document.algorithm == key
    assert example is None or window.document.data.sha256 == example.sha256
    assert method.title in window.statusBar().currentMessage()  # that the data were exchanged
    qtbot.waitUntil(lambda: player.algorithm is method and player.shown is not None)

    player.set_speed(float("inf"))
    player.set_playing(True)
    qtbot.waitUntil(lambda: not player.running and player.position == player.steps - 1)
    assert player.engine.state == "finished", player.engine.reason
    assert window.what_happens.caption.text() != ""

    middle = (player.steps - 1) // 2
    window.transport.scrubbed.emit(middle)
    qtbot.waitUntil(lambda: player.shown.step == middle and player.shown.exact)

    if shows_items(method, player.shown.snapshot):
        window.board.enlarge_key(method.data_panel.key)  # it may be one of the views behind
        qtbot.waitUntil(lambda: hover(window))
        qtbot.waitUntil(lambda: window.what_happens.why.text() != "")

    for kind, suffix in (("picture", ".png"), ("parameters", ".json"), ("script", ".py"), ("data", ".npz")):
        path = tmp_path / f"{kind}{suffix}"
        job = window.exporter.export(ExportRequest(kind, Style(size=(480, 360), zoom=1.0)), path)
        with qtbot.waitSignal(job.ended) as ended:
            job.start()
        assert ended.args == [None]
        assert path.stat().st_size > 0
    compile((tmp_path / "script.py").read_text("utf-8"), "script.py", "exec")

    window.undo()
    assert window.document is before
    qtbot.waitUntil(lambda: player.algorithm is before.method and player.shown is not None)
