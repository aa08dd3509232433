"""The editors of lists, matrices, formulae and texts."""

from dataclasses import dataclass
from typing import Annotated

import pytest

from algorithms.params import Between, Doc, Expression, Letters, MatrixOf, PointList, schema
from mlviz.ui.fields import LineEditor, MatrixEditor, NumbersEditor, editor_for


@dataclass(frozen=True, slots=True)
class Params:
    prior: Annotated[tuple[float, ...], Between(0, 1), Doc("Priors.")] = (0.5, 0.5)
    matrix: Annotated[PointList, MatrixOf(2, 2), Between(-9, 9), Doc("A matrix.")] = ((1.0, 0.0), (0.0, 1.0))
    free: Annotated[PointList, MatrixOf(most=3), Between(0, 1), Doc("A free matrix.")] = ((0.5, 0.5),)
    f: Annotated[str, Expression("x"), Doc("A formula.")] = "x^2 - 2"
    words: Annotated[str, Letters(10), Doc("A text.")] = "abc"


FIELDS = {field.name: field for field in schema(Params)}


@pytest.fixture
def edit(qtbot):
    def make(name):
        editor = editor_for(FIELDS[name])
        qtbot.addWidget(editor)
        editor.seen = []
        editor.changed.connect(editor.seen.append)
        return editor

    return make


def test_a_list_of_numbers_takes_points_and_commas(edit):
    editor = edit("prior")
    assert isinstance(editor, NumbersEditor)
    assert editor.line.text() == "0.5, 0.5"
    editor.line.textEdited.emit("0.25 0,75")
    assert editor.seen == [(0.25, 0.75)]
    editor.line.textEdited.emit("2, 3")
    assert editor.seen == [(0.25, 0.75)]
    assert "from 0 to 1" in editor.message.text()


def test_a_matrix_is_a_grid_of_cells(edit):
    editor = edit("matrix")
    assert isinstance(editor, MatrixEditor)
    editor._cells[0][1].setText("2,5")
    editor._cells[0][1].textEdited.emit("2,5")
    assert editor.seen == [((1.0, 2.5), (0.0, 1.0))]
    editor._cells[1][1].setText("x")
    editor._cells[1][1].textEdited.emit("x")
    assert len(editor.seen) == 1
    assert editor.message.text().startswith("matrix must be a matrix with 2 rows of 2 numbers")
    editor.set_value(((3.0, 3.0), (3.0, 3.0)))
    assert editor.message.text() == ""
    assert editor._cells[1][1].text() == "3"


def test_a_free_matrix_grows_and_shrinks_as_far_as_it_may(edit):
    editor = edit("free")
    editor._buttons["row1"].click()
    editor._buttons["column1"].click()
    assert editor.value() == ((0.5, 0.5, 0.0), (0.0, 0.0, 0.0))
    editor._buttons["column1"].click()
    assert editor.value() == ((0.5, 0.5, 0.0), (0.0, 0.0, 0.0))  # at most three columns
    editor._buttons["row-1"].click()
    editor._buttons["row-1"].click()
    assert editor.value() == ((0.5, 0.5, 0.0),)


def test_a_formula_is_checked_while_it_is_typed(edit):
    editor = edit("f")
    assert isinstance(editor, LineEditor)
    editor.line.textEdited.emit("sin(x) +")
    assert editor.seen == []
    assert editor.message.text().startswith("f is no formula: it cannot be read at letter")
    editor.line.textEdited.emit("sin(x)")
    assert editor.seen == ["sin(x)"]
    assert editor.message.text() == ""


def test_a_text_has_a_longest_length(edit):
    editor = edit("words")
    editor.line.textEdited.emit("a" * 11)
    assert "at most 10 letters" in editor.message.text()
    editor.line.textEdited.emit("spam")
    assert editor.seen == ["spam"]
