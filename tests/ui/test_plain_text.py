"""Names from files are never a page: no widget, picture or page takes markup in a name for anything but letters."""

import ast
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QAbstractListModel
from PySide6.QtGui import QAction, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QGraphicsTextItem,
    QGraphicsView,
    QInputDialog,
    QLabel,
    QMenu,
    QMessageBox,
    QTextEdit,
    QWidget,
)

import mlviz
from algorithms import Distances, Graph, GraphSet, Points, Sequences, Strings, registry
from algorithms.contract import Panel
from mlviz.data.files import read_table
from mlviz.export.render import render_film, render_picture
from mlviz.export.script import script
from mlviz.session.document import Document
from mlviz.ui.columns_dialog import ColumnsDialog
from mlviz.ui.file_dialogs import with_ending
from mlviz.ui.problems import Problem, ProblemDialog
from mlviz.ui.recent import RecentMenu, note_recent
from mlviz.views import canvases
from mlviz.views.axes import RoomyAxis
from mlviz.views.plain_text import PlainLabel, markup, plain

MARK = '<img src="file:///nowhere/{}">'
"""In every name there is."""
TWO = np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 1.0], [5.0, 9.0], [1.0, 7.0], [3.0, 2.0]])


def marked(*words):
    return tuple(MARK.format(word) for word in words)


def points(**other):
    return Points(
        TWO, [0, 1, 0, 1, 0, 1], marked("x", "y"), marked("a", "b"), MARK.format("target"), MARK.format("data"), **other
    )


def graph():
    names, classes = marked(0, 1, 2), marked("g", "h")
    return Graph(3, [[0, 1], [1, 2]], names=names, groups=[0, 1, 0], classes=classes, name=MARK.format("graph"))


def pages_of(widget: QWidget):
    """Every text below a widget that Qt takes for a page."""
    for part in [widget, *widget.findChildren(QWidget)]:
        yield from (text for text in (part.toolTip(), part.whatsThis(), part.statusTip()) if Qt.mightBeRichText(text))
        for action in part.findChildren(QAction):
            yield from (text for text in (action.toolTip(), action.whatsThis()) if Qt.mightBeRichText(text))
        if isinstance(part, QLabel) and part.textFormat() != Qt.TextFormat.PlainText:
            if part.textFormat() == Qt.TextFormat.RichText or Qt.mightBeRichText(part.text()):
                yield part.text()
        elif isinstance(part, QTextEdit):
            yield part.toHtml()
        elif isinstance(part, QGraphicsView) and part.scene() is not None:
            yield from (item.toHtml() for item in part.scene().items() if isinstance(item, QGraphicsTextItem))
        elif isinstance(part, QAbstractItemView) and part.model() is not None:
            yield from tips_of(part.model())


def tips_of(model):
    for row in range(model.rowCount()):
        for column in range(1 if isinstance(model, QAbstractListModel) else model.columnCount()):
            text = model.index(row, column).data(Qt.ItemDataRole.ToolTipRole)
            if text and Qt.mightBeRichText(text):
                yield text


def assert_letters(widget):
    assert [page for page in pages_of(widget) if "<img" in page] == []


def test_a_text_that_could_be_a_page_is_shown_letter_by_letter(qtbot):
    assert plain("a & b") == "a & b"
    assert plain(MARK) == f"<qt>{markup(MARK)}</qt>"
    assert "<img" not in plain(MARK)
    label = PlainLabel(MARK)
    qtbot.addWidget(label)
    assert label.textFormat() == Qt.TextFormat.PlainText
    axis = RoomyAxis("left")
    axis.setLabel(MARK)
    assert axis.label.toPlainText().strip() == axis.labelText == MARK


@pytest.mark.parametrize(
    "key",
    ["k_means", "decision_tree", "perceptron", "mlp", "isomap", "gradient_descent", "lasso", "logistic_regression"],
)
def test_a_window_of_points(make_window, qtbot, key):
    data = points() if key != "lasso" else Points.of(TWO, np.arange(6.0), "values", features=marked("x", "y"))
    window = make_window(key, data=replace(data, name=MARK.format("data")))
    window.player.jump("end")
    qtbot.waitUntil(lambda: not window.player.running and window.player.arrived)
    window.data_controller.explore()
    explorer = window.data_controller.explorer
    qtbot.waitUntil(lambda: explorer.seen is not None)
    assert_letters(explorer)
    explorer.close()
    for menu in window.findChildren(QMenu):
        menu.aboutToShow.emit()
    assert_letters(window)


KINDS = {
    "graph": graph(),
    "sequences": Sequences([[0, 1, 0]], symbols=marked("s", "t"), name=MARK.format("series")),
    "values": Sequences([np.arange(3.0)], features=marked("v"), name=MARK.format("series")),
    "distances": Distances([[0, 2.5], [2.5, 0]], marked("here", "there"), MARK.format("table")),
    "strings": Strings(marked("spam", "ham"), [0, 1], marked("bad", "good"), MARK.format("texts")),
    "graph_set": GraphSet([graph(), graph()], [0, 1], marked("u", "v"), MARK.format("graphs")),
}


@pytest.mark.parametrize("kind", [kind for kind, data in KINDS.items() if data.kind in canvases.DATA])
def test_a_window_of_another_kind(make_window, monkeypatch, kind):
    data, real = KINDS[kind], registry.find
    made = replace(real("k_means"), key="any", panels=(Panel("own", "Data", "data"),), accepts=(type(data),))
    monkeypatch.setattr(registry, "find", lambda key: made if key == "any" else real(key))
    window = make_window()
    window.board.set_document(Document(data, "any"))
    window.board.data_view.grab()
    assert_letters(window)


def test_a_lesson_and_boards_side_by_side(make_window, qtbot):
    window = make_window("k_means", data=points())
    qtbot.waitUntil(lambda: window.player.arrived)
    window.lessons.add()
    slide = replace(window.document.lesson.slides[0], title=MARK, question=MARK, note=MARK)
    window.apply(replace(window.document, lesson=replace(window.document.lesson, slides=(slide,))), "words")
    window.actions_table["compare_same"].trigger()
    qtbot.waitUntil(lambda: len(window.boards.panes) == 2)
    window.actions_table["present_here"].trigger()
    window.lessons.go(0)
    for part in QApplication.topLevelWidgets():
        assert_letters(part)
    window.actions_table["present_here"].trigger()


def test_dialogs_ask_in_letters(make_window, qtbot, monkeypatch, tmp_path):
    asked = []
    monkeypatch.setattr(QMessageBox, "question", lambda *args: asked.append(args[2]) or QMessageBox.StandardButton.No)
    monkeypatch.setattr(QInputDialog, "getDouble", lambda *args: asked.append(args[2]) or (0.0, False))
    window = make_window()
    file = tmp_path / "<img src=a>.png"
    file.touch()
    with_ending(window, file.with_suffix(""), ".png", (".png",))
    window.files.path, window.files._saved = file, None
    window.files.may_close()
    assert len(asked) == 2
    assert not any("<img" in text for text in asked)
    window.hover_label.setText(MARK)
    window.board.show_message(MARK)
    assert_letters(window)


def test_the_dialog_of_columns_the_list_of_files_and_the_problem(qtbot, tmp_path):
    path = tmp_path / "<img src=b>.csv"
    path.write_text("<img src=file:///x>,<b>y</b>\n1,<i>a</i>\n2,<i>c</i>\n")
    dialog = ColumnsDialog(path.name, lambda options, reading: read_table(path, options, reading))
    qtbot.addWidget(dialog)
    qtbot.waitUntil(lambda: dialog.status.text() != "")
    assert_letters(dialog)
    dialog.reject()
    note_recent(path)
    menu = RecentMenu(lambda path: None, dialog)
    menu.fill()
    assert_letters(menu)
    problem = ProblemDialog(tmp_path / "<img src=c>.log")
    qtbot.addWidget(problem)
    problem.add(Problem(MARK, MARK))
    assert_letters(problem)


def test_exports_hold_letters(qapp, tmp_path):
    method, data = registry.find("k_means"), points()
    params = method.make_params({})
    render_picture(method, data, params, 0, tmp_path / "a.svg", step=0)
    render_film(method, data, params, 0, tmp_path / "a.html")
    svg, page = (tmp_path / "a.svg").read_text(), (tmp_path / "a.html").read_text()
    assert "<img" not in svg.replace("<image", "")
    assert "nowhere" in svg  # the names are there
    assert "<img src=" not in page
    hostile = replace(data, name='"""\nraise SystemExit\n"""\\')
    tree = ast.parse(script(method, hostile, params, 0))
    assert not any(isinstance(node, ast.Raise) for node in tree.body)


# -- nobody goes another way ------------------------------------------------------------------------------------------


SOURCES = sorted(Path(mlviz.__file__).parent.rglob("*.py"))


def calls(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield node, node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def is_safe(node):
    """Words of the program itself, or words made plain."""
    if isinstance(node, ast.IfExp):
        return is_safe(node.body) and is_safe(node.orelse)
    if isinstance(node, ast.Name):
        return node.id.isupper() or node.id in ("tip", "question", "title")  # made by plain() just above
    return isinstance(node, ast.Constant) or (isinstance(node, ast.Call) and getattr(node.func, "id", "") == "plain")


def test_labels_tips_and_questions_are_made_in_one_place():
    found = []
    for path in SOURCES:
        for node, name in calls(ast.parse(path.read_text(encoding="utf-8"))):
            tip = name == "setItemData" and "ToolTipRole" in ast.unparse(node)
            place = {"setToolTip": -1, "showText": 1, "question": 2, "getDouble": 2}.get(name, 1 if tip else None)
            if place is not None and len(node.args) > abs(place) - (place < 0) and not is_safe(node.args[place]):
                found.append(f"{path.name}:{node.lineno} {name}")
            if name == "QLabel" and path.name not in ("plain_text.py", "what_happens.py"):
                found.append(f"{path.name}:{node.lineno} QLabel instead of PlainLabel")
            if name == "setTitle" and "view" in ast.unparse(node.func) and not _is_markup(node.args[0]):
                found.append(f"{path.name}:{node.lineno} setTitle")
    assert found == []


def _is_markup(node):
    return isinstance(node, ast.Constant) or (isinstance(node, ast.Call) and getattr(node.func, "id", "") == "markup")
