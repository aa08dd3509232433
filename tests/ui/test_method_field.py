"""The editor of a parameter that is another method: its list, its own form, and what it remembers."""

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Annotated

import pytest

from algorithms.params import Between, Doc, MethodOf, schema
from mlviz.data.generators import generate
from mlviz.ui.dragging import drag
from mlviz.ui.form import ParameterForm
from mlviz.views.theme import DARK


@dataclass(frozen=True, slots=True)
class Params:
    method: Annotated[str, MethodOf("classifier"), Doc("What is tried.")] = "kernel_svm"
    folds: Annotated[int, Between(2, 20), Doc("Parts.")] = 5


@pytest.fixture
def form(qtbot):
    form = ParameterForm(scrolls=False)
    qtbot.addWidget(form)
    form.set_algorithm(SimpleNamespace(fields=schema(Params)), {"method": "kernel_svm(C=5.0)"})
    form.show()
    return form


def choose(editor, key):
    editor.combo.setCurrentIndex(editor.combo.findData(key))


def test_the_form_of_the_method_stands_inside(form):
    editor = form.editor("method")
    assert editor.combo.currentData() == "kernel_svm"
    assert editor.form.values()["C"] == 5.0
    assert editor.combo.findData("linear_regression") < 0  # it is for classifiers
    assert not editor.form.findChild(object, "reset_all").isVisible()
    assert editor.form.isVisible()


def test_turning_a_knob_inside_changes_the_value(form, qtbot):
    editor = form.editor("method")
    with qtbot.waitSignal(form.changed) as heard:
        editor.form.editor("C").box.setValue(7.0)
    assert heard.args == ["method", "kernel_svm(C=7.0)"]


def test_another_method_brings_its_own_knobs_and_the_first_one_keeps_its_values(form, qtbot):
    editor = form.editor("method")
    with qtbot.waitSignal(form.changed) as heard:
        choose(editor, "decision_tree")
    assert heard.args == ["method", "decision_tree"]
    assert "depth" in editor.form.values()
    with qtbot.waitSignal(form.changed) as heard:
        choose(editor, "kernel_svm")
    assert heard.args == ["method", "kernel_svm(C=5.0)"]


def test_back_to_the_default(form, qtbot):
    with qtbot.waitSignal(form.changed) as heard:
        form.editor("method").reset.click()
    assert heard.args == ["method", "kernel_svm"]
    assert form.editor("method").form.values()["C"] == 1.0


def test_a_theme_keeps_everything(form):
    form.set_theme(DARK)
    assert form.values()["method"] == "kernel_svm(C=5.0)"


def test_a_handle_sets_a_parameter_of_the_method_inside(make_window, qtbot):
    """The line at the degree in the trade-off of bias and variance: the method in the form follows the mouse."""
    window = make_window("bias_variance", generate("sine", n=20, seed=1), redraws=3)
    qtbot.waitUntil(lambda: window.player.runs(window.document))
    drag(window, "method.degree", 5.2, finished=True)
    assert window.document.params["method"] == "linear_regression(degree=5)"
    qtbot.waitUntil(lambda: window.player.runs(window.document))
    drag(window, "method.no_such", 5.2, finished=True)
    assert window.document.params["method"] == "linear_regression(degree=5)"
