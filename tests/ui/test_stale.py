"""Within a moment of a change the run on show is still the old one: nothing of it is mixed with the new document."""

import numpy as np
import pytest
from PySide6.QtPrintSupport import QPrintDialog
from PySide6.QtWidgets import QInputDialog

from algorithms import Distances, find
from algorithms.contract import DataError
from algorithms.marks import Isolines
from mlviz.data.generators import generate
from mlviz.session.comparison import shares_threshold
from mlviz.session.scoring import Threshold


@pytest.fixture
def learned(make_window, qtbot):
    """A window in which nothing new begins by itself: the moment after a change lasts as long as the test."""
    window = make_window("mlp", generate("circles", n=80, seed=1), epochs=5)
    qtbot.waitUntil(lambda: window.player.engine.ended and window.board.up_to_date)
    window.player._debounce.setInterval(10**6)
    yield window
    window.player.close()


def test_a_live_knob_does_not_go_on_from_the_model_of_another_method(learned):
    learned.choose_algorithm("logistic_regression")
    live = next(field for field in learned.document.method.fields if field.live)
    learned.set_param(live.name, live.check(live.low if live.low != live.default else live.high))
    document, start = learned.player._pending
    assert document is learned.document
    assert start is None


def test_a_live_knob_goes_on_from_the_model_on_show_where_it_is_the_same_method(learned):
    shown = learned.player.shown
    learned.set_param("learning_rate", 0.123)
    learned.set_param("learning_rate", 0.321)
    assert learned.player._pending[1] is shown


def test_a_picture_of_the_run_before_is_not_paired_with_fewer_points(learned):
    learned.apply(learned.document.with_data(generate("circles", n=10, seed=1)), "fewer")
    learned.exporter.copy_picture()
    assert learned.exporter._copying is None
    assert learned.statusBar().currentMessage() == "There is nothing to export yet."
    with pytest.raises(DataError, match="nothing to export"):
        learned.exporter._run()


def test_a_handle_of_the_method_before_is_let_go(learned):
    learned.choose_algorithm("k_means")
    before = learned.document
    learned._dragged(("threshold", 1.0, True))
    assert learned.document is before


def test_a_handle_that_is_still_seen_when_the_new_run_has_begun_is_let_go(learned):
    before = learned.document
    assert learned.player.runs(before)
    learned._dragged(("centres", [[0.0, 0.0]], True))  # of a method that has been left: this one has no centres
    assert learned.document is before


def test_points_that_have_gone_are_not_clicked(learned):
    """The scores of the last run, with the numbers of its points, are still on show."""
    table = learned.data_controller.table
    learned.docks[3].show()
    assert table.isVisible()
    learned.apply(learned.document.with_data(generate("circles", n=10, seed=1)), "fewer")
    learned.board.evaluation.points_clicked.emit(np.array([3, 71]))
    assert not len(table._chosen())
    learned.board.evaluation.points_clicked.emit(np.array([3]))
    assert table._chosen().tolist() == [3]


def test_points_of_the_run_before_are_not_explained(learned):
    learned.apply(learned.document.with_data(generate("circles", n=10, seed=1)), "fewer")
    learned.pointer.hover(np.array([3]))
    learned.pointer.hover_place(np.array([0.0, 0.0]))
    assert learned.player.frame_of(learned.document) is None


def test_the_threshold_of_a_method_before_draws_no_line_under_one_without_a_field(make_window, qtbot):
    window = make_window("umap", generate("blobs", n=40, seed=1), epochs=10)
    qtbot.waitUntil(lambda: window.board.up_to_date)
    window.board._given_threshold = Threshold(0.5)  # as in the moment before the boards agree
    frame, compositor = window.player.shown, window.board.compositor
    for key in compositor.panels:
        assert not any(isinstance(mark, Isolines) for mark in compositor.marks(frame.snapshot, key))
    window.board._ask()
    assert not window.board.rasters.asked


def test_methods_that_say_no_scores_share_no_threshold():
    assert not shares_threshold(find("umap"), find("t_sne"))
    assert shares_threshold(find("kernel_svm"), find("hinge_svm"))


def test_data_that_come_while_the_printer_is_chosen_are_not_printed_with_the_old_run(learned, monkeypatch):
    def chosen(_):
        learned.apply(learned.document.with_data(generate("circles", n=10, seed=1)), "fewer")
        return 1

    monkeypatch.setattr(QPrintDialog, "exec", chosen)
    learned.exporter.print()
    assert learned.exporter._printing is None
    assert learned.statusBar().currentMessage() == "There is nothing to export yet."


def test_a_number_that_was_asked_for_is_not_put_into_data_that_came_meanwhile(make_window, monkeypatch):
    window = make_window("mds", Distances([[0.0, 1.0], [1.0, 0.0]], names=("a", "b")))
    editor, others = window.editor, Distances([[0.0, 5.0], [5.0, 0.0]])
    monkeypatch.setattr(QInputDialog, "getDouble", lambda *_: (2.0, True))
    editor._ask(0, 1)
    assert window.document.data.table[0, 1] == 2.0

    def typed(*_):
        window.apply(window.document.with_data(others), "other data")
        return 3.0, True

    monkeypatch.setattr(QInputDialog, "getDouble", typed)
    with pytest.raises(DataError, match="Other data have come meanwhile"):
        editor._ask(0, 1)
    assert window.document.data is others
