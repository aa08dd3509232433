"""Every list box of every form and dialog shows whole rows, the last one included, wherever it opens."""

import pytest
import shiboken6
from PySide6.QtWidgets import QApplication, QComboBox

from algorithms import all_algorithms
from mlviz.data.files import read_pasted
from mlviz.ui import style
from mlviz.ui.columns_dialog import ColumnsDialog
from mlviz.ui.export_dialog import ExportDialog
from mlviz.ui.form import ParameterForm
from mlviz.views.theme import LIGHT

THEMES = pytest.mark.parametrize("theme", [LIGHT, LIGHT.presenting()], ids=["plain", "presenting"])


def check(box):
    """Open the list of a box and look at its first and last row."""
    box.showPopup()
    view, last = box.view(), box.model().index(box.count() - 1, box.modelColumn())
    room = view.viewport().rect()
    try:
        view.scrollToTop()
        QApplication.processEvents()
        rows = [view.visualRect(box.model().index(row, box.modelColumn())) for row in range(box.count())]
        cut = [box.itemText(at) for at, row in enumerate(rows) if row.top() < room.bottom() < row.bottom()]
        assert not cut, box.objectName()
        assert view.sizeHintForColumn(0) <= room.width(), f"{box.objectName()} is too narrow"
        view.scrollToBottom()
        assert room.contains(view.visualRect(last)), f"{box.objectName()} does not scroll to its end"
    finally:
        box.hidePopup()


def check_all(widget):
    boxes = [box for box in widget.findChildren(QComboBox) if box.count()]
    for box in boxes:
        check(box)
    return boxes


@pytest.fixture
def styled(qapp):
    before = qapp.styleSheet()
    yield lambda theme: style.apply(qapp, theme)
    style.apply(qapp, LIGHT)
    qapp.setStyleSheet(before)


@pytest.fixture
def form(qapp):
    form = ParameterForm()
    form.resize(290, 600)
    form.show()
    yield form
    form.close()
    shiboken6.delete(form)


@THEMES
def test_the_lists_of_all_forms(styled, form, theme):
    styled(theme)
    checked = 0
    for algorithm in all_algorithms():
        form.set_algorithm(algorithm, {})
        checked += len(check_all(form))
    assert checked > 20


@THEMES
def test_the_lists_of_the_window_and_the_export(make_window, qtbot, theme):
    window = make_window("logistic_regression")
    qtbot.waitUntil(
        lambda: window.board.evaluation.view in window.board.seconds.findChildren(type(window.board.evaluation.view))
    )
    window.set_theme(theme.name)
    if theme.font > LIGHT.font:
        window.toggle_presenter()
    window.board.seconds.setCurrentWidget(window.board.evaluation.view)
    qtbot.waitUntil(lambda: window.board.evaluation.view.scores is not None)  # the list of curves is theirs
    assert len(check_all(window)) > 8
    dialog = ExportDialog(window.exporter, window)
    dialog.open()
    assert len(check_all(dialog)) >= 4
    dialog.reject()
    window.show_gallery()
    assert check_all(window.gallery_page)
    window.gallery_page.reject()


@THEMES
def test_the_lists_of_a_table(styled, qtbot, theme):
    styled(theme)
    table = "length;width;kind\n1,5;2;u\n2,5;;v\n3;4;u\n"
    dialog = ColumnsDialog("a table", lambda options, reading: read_pasted(table, options, reading))
    dialog.open()
    qtbot.waitUntil(lambda: dialog._load is None and dialog._prepare is None and not dialog._timer.isActive())
    assert len(check_all(dialog)) >= 3
    dialog.reject()
    shiboken6.delete(dialog)
