"""What a window holds does not grow with what was done in it: the same again leaves as many widgets as before."""

import gc

import pytest
import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication

from mlviz.views.canvas import Canvas

METHODS = ("kernel_svm", "decision_tree", "shortest_paths", "pca", "hidden_markov", "k_means")
"""Methods with many panels, and others for data of other kinds."""


def held():
    """All widgets, when those that were to go have gone, and all canvases that Python knows.

    Not by ``gc.get_objects``: it would hold a tuple that another thread is just making, which then cannot go on.
    """
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    gc.collect()
    canvases = sum(isinstance(found, Canvas) for found in shiboken6.getAllValidWrappers())
    return len(QApplication.allWidgets()), canvases


def seen(window, qtbot):
    """Wait until the run is on show in every canvas that it may need."""
    qtbot.waitUntil(lambda: window.player.runs(window.document) and window.board.up_to_date)
    qtbot.waitUntil(lambda: not window.board.missing_canvas(False))


def test_rounds_of_methods_leave_as_many_widgets(window, qtbot):
    counts = []
    for _ in range(3):
        for key in METHODS:
            window.choose_algorithm(key)
            seen(window, qtbot)
        counts.append(held())
    assert counts[1] == counts[2]


def test_boards_that_come_and_go_leave_as_many_widgets(window, qtbot):
    counts = []
    for _ in range(3):
        for _ in range(2):
            window.actions_table["compare_same"].trigger()
        qtbot.waitUntil(lambda: all(pane.board.up_to_date for pane in window.boards.panes))
        for _ in range(2):
            window.actions_table["close_board"].trigger()
        seen(window, qtbot)
        counts.append(held())
    assert counts[1] == counts[2]


@pytest.mark.parametrize("name", ["keys", "about_method", "export", "palette", "gallery_page"])
def test_what_is_opened_again_and_again_leaves_as_many_widgets(window, name):
    counts = []
    for _ in range(3):
        window.actions_table[name].trigger()
        opened = QApplication.activeModalWidget() or QApplication.activePopupWidget()
        if opened is not None:
            opened.close()
        counts.append(held())
    assert counts[1] == counts[2]
