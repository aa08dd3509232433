"""Blank boards: every method says what it waits for, and begins with the first stroke that suffices."""

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication, QMenu

from algorithms import Nothing, all_algorithms, find
from algorithms.data import KINDS
from mlviz.data.spec import load_data
from mlviz.session.document import Document
from mlviz.session.files import load, save
from mlviz.ui import blank, commands

METHODS = [method for method in all_algorithms() if method.accepts]


def test_every_method_waits_for_data_and_begins_when_there_are_some(make_window, qtbot):
    window = make_window()
    for method in METHODS:
        window.choose_algorithm(method.key)
        window.actions_table["new"].trigger()
        assert window.document.algorithm == method.key
        data = window.document.data
        if data.n:  # a blank table of distances has rows
            assert method.wants(data) == ""
        else:
            qtbot.waitUntil(lambda method=method, data=data: said(window) == method.wants(data) != "")
            assert window.board.message.isVisible()
            assert window.player.ended_without_frames
            assert window.what_happens.caption.text() == ""
        window.grab()
        window.apply(window.document.with_data(load_data(method.example)), "draw")
        qtbot.waitUntil(lambda: window.player.runs(window.document) and window.player.shown is not None)
        assert not window.board.message.isVisible()


def said(window):
    return window.board.message.text()


def test_the_hint_names_what_the_method_needs():
    wanted = {key: find(key).wants(find(key).accepts[0].blank(find(key).target)) for key in WANTED}
    assert wanted == WANTED


WANTED = {
    "k_means": "Draw points.",
    "kernel_svm": "Draw points of two classes.",
    "linear_regression": "Draw points: their height is the target.",
    "shortest_paths": "Draw nodes and join them.",
    "hidden_markov": "Draw a series.",
}


def test_two_strokes_of_two_classes_teach_a_support_vector_machine(make_window, qtbot):
    window = make_window("kernel_svm")
    qtbot.keyClick(window, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
    assert (window.document.data.n, window.document.data.classes) == (0, ("1", "2"))
    qtbot.waitUntil(lambda: window.board.message.text() == "Draw points of two classes.")
    plane = window.board.plane
    middle = plane.viewport().rect().center()
    assert not window.statusBar().currentMessage().startswith("Support")
    window.toggle_theme()
    assert plane.legend.rows == plane._base_rows
    assert plane.legend.rows[0].sprite.fill == window.theme.colour(0)
    window.grab()
    before = plane.view_rect()
    stroke(plane, middle + QPoint(-120, 0))  # below the words, and through them
    qtbot.waitUntil(lambda: "at least two classes" in window.board.message.text())
    assert window.board.message.y() > window.board.large.height() // 2
    assert window.document.data.n > 3
    window.drawing.choose_class(1)
    stroke(plane, middle + QPoint(120, 0))
    qtbot.waitUntil(lambda: window.player.shown is not None and not window.board.message.isVisible())
    assert plane.view_rect() == before
    assert set(window.document.points.y.tolist()) == {0, 1}
    window.undo()
    window.undo()
    assert window.document.data.n == 0
    window.undo()
    assert window.document.data.n == 60


def stroke(plane, at):
    drag(plane.viewport(), at, at + QPoint(20, 20))


def drag(widget, start, end):
    """Offscreen, Qt delivers moves without buttons; these have one held."""
    left, none = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton
    kinds = ((QEvent.Type.MouseButtonPress, left, left), (QEvent.Type.MouseMove, none, left))
    for kind, button, held, place in (
        (*kinds[0], start),
        (*kinds[1], (start + end) / 2),
        (*kinds[1], end),
        (QEvent.Type.MouseButtonRelease, left, none, end),
    ):
        there = QPointF(widget.mapToGlobal(place))
        event = QMouseEvent(kind, QPointF(place), there, button, held, Qt.KeyboardModifier.NoModifier)
        QApplication.sendEvent(widget, event)


def test_everything_can_be_erased_and_drawn_again(window, qtbot):
    plane = window.board.plane
    before = plane.view_rect()
    window.drawing.select_all()
    window.drawing.delete_selection()
    assert window.document.data.n == 0
    qtbot.waitUntil(lambda: window.board.message.text() == "Draw points.")
    assert plane.view_rect() == before
    window.drawing.choose("spray")
    stroke(plane, plane.viewport().rect().center())
    qtbot.waitUntil(lambda: window.document.data.n >= 3 and window.player.shown is not None)
    assert not window.board.message.isVisible()


def test_a_blank_board_suits_the_method_that_is_chosen_for_it(window, qtbot):
    blank.new_board(window)
    window.choose_algorithm("linear_regression")
    assert (window.document.points.d, window.document.points.is_valued) == (1, True)
    stroke(window.board.plane, window.board.plane.viewport().rect().center())
    qtbot.waitUntil(lambda: window.document.data.n > 2 and window.player.shown is not None)
    window.choose_algorithm("kernel_svm")
    assert window.document.points.is_valued  # what has been drawn stays


def test_other_kinds_are_in_the_menu_and_in_the_palette(window, qtbot):
    menu = window.findChild(QMenu, "menu_new")
    menu.fill()
    entries = {action.text(): action for action in menu.actions()}
    assert {"Blank board", "Blank graph", "Blank series"} <= set(entries)
    entries["Blank graph"].trigger()
    assert (window.document.data.kind, window.document.data.n) == ("graph", 0)
    qtbot.waitUntil(lambda: window.board.message.text() == "Draw nodes and join them.")
    assert {command.title for command in commands.palette(window) if "lank" in command.title} >= set(entries)
    canvas = window.board.data_view
    middle = canvas.viewport().rect().center()
    window.editor.choose("connect")
    drag(canvas.viewport(), middle, middle + QPoint(80, 40))
    qtbot.waitUntil(lambda: window.document.data.n == 2 and window.player.shown is not None)


def test_a_series_is_drawn_on_nothing(make_window, qtbot):
    window = make_window("hidden_markov", load_data("casino(n=30)"))
    blank.new_board(window)
    qtbot.waitUntil(lambda: window.board.message.text() == "Draw a series.")
    canvas = window.board.data_view
    window.grab()
    middle = canvas.viewport().rect().center()
    window.editor.choose("pen")
    drag(canvas.viewport(), middle - QPoint(100, 20), middle + QPoint(150, 20))
    qtbot.waitUntil(lambda: window.document.data.n > 3)


@pytest.mark.parametrize("kind", blank.kinds(), ids=lambda kind: kind.kind)
@pytest.mark.parametrize("target", ["none", "values"])
def test_a_blank_board_is_saved_and_opened(kind, target, tmp_path):
    data = kind.blank(target)
    key = next(method.key for method in all_algorithms() if method.takes(data))
    save(tmp_path / "a.mlviz", Document(data, key).with_source(blank.SOURCE))
    loaded = load(tmp_path / "a.mlviz").document
    assert type(loaded.data) is kind
    assert (loaded.data.sha256, loaded.source) == (data.sha256, blank.SOURCE)


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.kind)
def test_a_blank_is_data_like_any_other(kind):
    if kind is Nothing:
        return
    data = kind.blank()
    again = kind.from_arrays(data.arrays(), data.facts())
    assert (again.sha256, again.n, again.classes) == (data.sha256, data.n, data.classes)
    assert isinstance(data.counted(), str)
    assert isinstance(data.columns(), dict)


def test_what_needs_points_says_so(window, qtbot):
    blank.new_board(window)
    qtbot.waitUntil(window.board.message.isVisible)
    for name in (
        "copy",
        "copy_picture",
        "explore",
        "fit",
        "pca",
        "theme",
        "present",
        "present",
        "new_seed",
        "same_seed",
    ):
        window.actions_table[name].trigger()
    window.data_controller.set_scale("standardised")
    assert "without any there is no scale" in window.statusBar().currentMessage()
    assert np.isfinite(window.board.plane.view_rect()).all()
    window.set_param("k", 4)
    window.choose_algorithm("pca")
    if window.data_controller.explorer is not None:
        window.data_controller.explorer.close()
    qtbot.waitUntil(window.board.message.isVisible)


def test_what_one_draws_on_is_the_large_view_of_a_blank_board(make_window, qtbot):
    """The large view of a network is its diagram: nobody can draw points of two classes on that."""
    window = make_window("mlp", epochs=20)
    board = window.board
    assert board.large_key == "network"
    qtbot.keyClick(window, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: board.message.text() == "Draw points of two classes.")
    assert board.large_key == "plane"
    plane = board.data_view
    middle = plane.viewport().rect().center()
    stroke(plane, middle + QPoint(-120, 0))
    qtbot.waitUntil(lambda: "at least two classes" in board.message.text())
    window.drawing.choose_class(1)
    stroke(board.data_view, middle + QPoint(120, 0))
    qtbot.waitUntil(lambda: window.player.shown is not None and not board.message.isVisible())
    assert board.large_key == "plane"
    assert board.data_view is plane  # nothing moves under the pen
    for _ in range(3):
        window.undo()
    qtbot.waitUntil(lambda: board.large_key == "network")


def test_a_blank_graph_keeps_no_names_of_the_last_one(make_window, qtbot):
    window = make_window("shortest_paths", data=load_data("florentine"))
    window.player.jump("end")
    axis = window.board.views["queue"].getAxis("bottom")
    qtbot.waitUntil(lambda: "Acciaiuoli" in axis._names)
    window.actions_table["new"].trigger()
    qtbot.waitUntil(lambda: axis._names == ())
