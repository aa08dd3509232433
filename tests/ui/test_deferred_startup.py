"""What waits until the first picture is there: it is done in pieces, and nobody who is quicker has to do without it."""

from __future__ import annotations

import subprocess
import sys

import pytest
import shiboken6
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from algorithms import Points, all_algorithms
from algorithms.registry import families
from mlviz import app
from mlviz.data.spec import Recipe
from mlviz.session.document import Document
from mlviz.ui import deferred_startup, style
from mlviz.ui.deferred_startup import DeferredStartup
from mlviz.ui.form import ParameterForm
from mlviz.views.theme import DARK, LIGHT


@pytest.fixture
def owner(qtbot):
    owner = QObject()
    yield owner
    shiboken6.delete(owner)


@pytest.fixture
def started(qtbot, monkeypatch, tmp_path):
    """``started()`` is the window of a first start, before anything was shown."""
    monkeypatch.setenv("MLVIZ_HOME", str(tmp_path))
    application, windows = QApplication.instance(), []
    sheet, font, palette = application.styleSheet(), application.font(), application.palette()

    def make():
        windows.append(app.make_window())
        return windows[-1]

    yield make
    for window in windows:
        window.close()
        shiboken6.delete(window)
    application.setStyleSheet(sheet)
    application.setFont(font)
    application.setPalette(palette)


def test_nothing_is_done_before_it_is_time_and_then_one_step_in_each_turn(owner, qtbot):
    done, ready, turns = [], [False], []

    later = DeferredStartup((done.append(number) for number in range(3)), lambda: ready[0], owner)
    later._timer.timeout.connect(lambda: turns.append(len(done)))
    qtbot.waitUntil(lambda: later._waited > 10)
    assert (done, later.done) == ([], False)
    ready[0] = True
    qtbot.waitUntil(lambda: later.done)
    assert done == [0, 1, 2]
    assert [turn for turn in turns if turn][:3] == [1, 2, 3]


def test_it_begins_without_a_picture_when_none_comes(owner, qtbot, monkeypatch):
    monkeypatch.setattr(deferred_startup, "PATIENCE", 3)
    done = []
    later = DeferredStartup((done.append(number) for number in range(2)), lambda: False, owner)
    qtbot.waitUntil(lambda: later.done)
    assert done == [0, 1]


def test_a_first_start_lists_all_methods_and_has_everything_in_the_end(started, qtbot):
    window = started()
    window.show()
    assert not window.gallery._items
    qtbot.waitUntil(lambda: window.findChild(DeferredStartup).done)
    assert set(window.gallery._items) == {algorithm.key for algorithm in all_algorithms()}
    assert "exporter" in vars(window)
    assert window.board.evaluation.view._furnished


def test_a_family_is_listed_while_others_are_still_imported(started):
    """An empty list for two seconds is what a lecturer saw who played at once."""
    window = started()
    listed: list[int] = []
    for _ in app.listed(window):
        listed.append(len(window.gallery._items))
    assert len({count for count in listed if count}) >= len(families()) - 1
    assert list(window.gallery._items) == [algorithm.key for algorithm in all_algorithms()]
    assert window.gallery.tree.currentItem().text(0) == window.document.method.title


def test_whoever_is_quick_finds_everything(started, qtbot):
    """Before the event loop has had a turn: another method, the palette, the export dialog and its knobs."""
    window = started()
    window.show()
    assert window.form.values()["k"] == 3
    assert window.form.editor("k").value() == 3
    window.show_palette()
    assert {command.title for command in window.palette_popup._commands} >= {each.title for each in all_algorithms()}
    window.palette_popup.close()
    window.choose_algorithm("logistic_regression")
    qtbot.waitUntil(lambda: window.board.evaluation.view.scores is not None or window.board.up_to_date)
    assert "elbow" not in window.board.views
    window.actions_table["export"].trigger()
    qtbot.waitUntil(lambda: window.player.shown is not None)
    assert window.exporter.method.key == "logistic_regression"


def test_methods_are_listed_although_the_first_one_refuses_its_data(started, qtbot, monkeypatch):
    def refused():
        return Document(Points([[0.0, 0.0], [0.0, 0.0]]), "k_means", {"k": 5}), Recipe("blobs", {})

    monkeypatch.setattr(app, "first_document", refused)
    window = started()
    window.show()
    qtbot.waitUntil(lambda: bool(window.gallery._items))
    assert window.player.shown is None


def test_the_window_is_dressed_once_and_its_knobs_are_made_once(started, monkeypatch):
    made = []
    monkeypatch.setattr(
        ParameterForm,
        "_show_page",
        lambda form, page, show=ParameterForm._show_page: (made.append(form), show(form, page)),
    )
    window = started()
    assert QApplication.instance().styleSheet() == style.stylesheet(LIGHT)
    assert (made.count(window.form), made.count(window.data_panel.form)) == (1, 0)
    window.knobs.setCurrentWidget(window.data_panel)
    window.show()
    assert (made.count(window.form), made.count(window.data_panel.form)) == (1, 1)
    assert window.data_panel.form.editor("n").value() == app.first_document()[1].values.get("n", 300)
    shown, first = window.data_panel.recipe, app.first_document()[1]
    assert (shown.name, dict(shown.values) | dict(first.values)) == (first.name, dict(shown.values))


def test_a_late_form_knows_its_values_before_it_has_rows(qtbot):
    class Declared:
        fields = app.first_document()[0].method.fields

    form = ParameterForm(late=True)
    qtbot.addWidget(form)
    form.set_algorithm(Declared(), {"k": 4})
    form.set_values({"restarts": 2})
    assert (form.values()["k"], form.values()["restarts"], form.values()["elbow"]) == (4, 2, 0)
    form.set_theme(DARK)
    assert (form.editor("k").value(), form.values()["restarts"]) == (4, 2)


def test_the_start_imports_nothing_heavy():
    """Each of these takes longer to import than all modules of the window together."""
    heavy = {"scipy", "PIL", "networkx", "duckdb", "av", "ziamath", "python_calamine", "contourpy"}
    code = "import sys; from mlviz import app; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not heavy & set(done.stdout.split())
    assert "pyqtgraph" in done.stdout


def test_no_piece_of_the_start_imports_many_modules():
    """Each keeps the window waiting for as long as it takes: a dozen modules are 50 ms."""
    code = """
import sys
from mlviz import app

class Gallery:
    def add_algorithms(self, algorithms): pass

class Window:
    gallery = data_panel = Gallery()
    exporter = property(lambda self: sys.exit())

Gallery.furnish = lambda self: None
known = set(sys.modules)
for piece in app.later(Window()):
    ours = [name for name in set(sys.modules) - known if name.split(".")[0] in ("algorithms", "mlviz")]
    known = set(sys.modules)
    print(len(ours), *ours)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    pieces = [line.split() for line in done.stdout.splitlines()]
    assert len(pieces) > 100
    assert max(int(piece[0]) for piece in pieces) <= 8, max(pieces, key=lambda piece: int(piece[0]))


def test_the_start_makes_no_class_that_it_can_do_without():
    """Most dataclasses wait for their first use, and the many enumerations of Qt's styles are not made at all."""
    code = """
import sys, PySide6.QtWidgets
from mlviz import app
from algorithms.records import _Later
classes = {
    thing for name, module in list(sys.modules.items()) if name.split(".")[0] in ("algorithms", "mlviz")
    for thing in vars(module).values() if isinstance(thing, type) and "__dataclass_fields__" in vars(thing)
}
waiting = {each for each in classes if isinstance(vars(each)["__dataclass_fields__"], _Later)}
print(len(waiting), len(classes), "QStyle" in vars(PySide6.QtWidgets))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    waiting, all_of_them, styles = done.stdout.split()
    assert int(waiting) > 0.75 * int(all_of_them) > 75
    assert styles == "False"
