"""The form: built from a declaration, kept in step, never lying about its value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QLabel, QToolButton, QWidget

from algorithms import find
from algorithms.ensembles.bootstrap.solver import columns_of
from algorithms.params import (
    Advanced,
    Between,
    Doc,
    Field,
    Group,
    Handles,
    Log,
    PointList,
    Unit,
    When,
    schema,
)
from mlviz.data.spec import load_data, parse_spec
from mlviz.ui.fields import BoolEditor, ChoiceEditor, NumberEditor, NumbersEditor, PointsEditor
from mlviz.ui.form import ParameterForm
from mlviz.ui.numbers import Scale, nice, shown
from mlviz.views.theme import DARK

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
"""What the offscreen platform says about windows it only pretends to have."""


@dataclass(frozen=True, slots=True)
class Params:
    k: Annotated[int, Between(1, 20), Doc("Number of clusters.")] = 3
    init: Annotated[Literal["k-means++", "by hand"], Doc("How the centres begin.")] = "k-means++"
    centres: Annotated[PointList, Handles, When("init", "by hand"), Doc("Centres placed by hand.")] = ()
    rate: Annotated[float, Between(1e-6, 1), Log, Unit("1/s"), Doc("Learning rate.")] = 0.01
    hidden: Annotated[tuple[int, ...], Between(1, 64), Doc("Neurons in each layer.")] = (8, 8)
    scale: Annotated[bool, Doc("Scale the features first.")] = False
    tol: Annotated[float, Between(1e-12, 1e-1), Log, Advanced, Doc("When to stop.")] = 1e-6


@dataclass(frozen=True, slots=True)
class Method:
    """Stands for an algorithm: the form asks for its fields and nothing else."""

    fields: tuple[Field, ...]


@pytest.fixture
def form(qtbot):
    widget = ParameterForm()
    qtbot.addWidget(widget)
    widget.set_algorithm(Method(schema(Params)), {"k": 5})
    widget.resize(320, 600)
    widget.show()
    heard: list[tuple[str, object]] = []
    widget.changed.connect(lambda name, value: heard.append((name, value)))
    widget.heard = heard
    return widget


def editor(form, name, kind):
    found = form.editor(name)
    assert isinstance(found, kind)
    return found


def type_into(qtbot, box: QWidget, text: str) -> None:
    box.setFocus()
    box.selectAll()
    qtbot.keyClicks(box, text)


def test_given_values_and_defaults_are_shown_silently(form):
    assert form.values() == {
        "k": 5,
        "init": "k-means++",
        "centres": (),
        "rate": 0.01,
        "hidden": (8, 8),
        "scale": False,
        "tol": 1e-6,
    }
    form.set_values({"k": 7, "init": "by hand", "rate": 0.5, "hidden": (4,), "scale": True, "centres": ((0.0, 1.0),)})
    assert form.values()["k"] == 7
    assert editor(form, "k", NumberEditor).box.value() == 7
    assert editor(form, "rate", NumberEditor).slider.value() == Scale.of(schema(Params)[3]).position(0.5)
    assert editor(form, "hidden", NumbersEditor).line.text() == "4"
    assert editor(form, "scale", BoolEditor).check.isChecked()
    assert form.heard == []


def test_a_moving_slider_speaks_at_once_and_the_box_follows(form):
    k = editor(form, "k", NumberEditor)
    k.slider.setValue(8)
    k.slider.setValue(11)
    assert form.heard == [("k", 9), ("k", 12)]
    assert isinstance(form.heard[0][1], int)
    assert k.box.text() == "12"


def test_typing_takes_a_decimal_comma_and_powers_of_ten(qtbot, form):
    rate = editor(form, "rate", NumberEditor)
    type_into(qtbot, rate.box, "0,25")
    qtbot.keyClick(rate.box, Qt.Key.Key_Return)
    type_into(qtbot, rate.box, "3e-6 1/s")
    qtbot.keyClick(rate.box, Qt.Key.Key_Return)
    assert form.heard == [("rate", 0.25), ("rate", 3e-6)]
    assert rate.box.text() == "3e-06 1/s"
    assert rate.slider.value() == Scale.of(rate.field).position(3e-6)


def test_a_refused_number_is_explained_and_the_last_good_one_stays(qtbot, form):
    k = editor(form, "k", NumberEditor)
    type_into(qtbot, k.box, "50")
    assert k.message.isVisible()
    assert k.message.text() == "k must be a whole number from 1 to 20; got 50."
    qtbot.keyClick(k.box, Qt.Key.Key_Return)
    assert form.values()["k"] == 5
    assert k.box.text() == "5"
    assert form.heard == []
    type_into(qtbot, k.box, "6")
    assert not k.message.isVisible()
    qtbot.keyClick(k.box, Qt.Key.Key_Return)
    assert form.heard == [("k", 6)]


def test_a_list_of_numbers_is_read_and_explained(qtbot, form):
    hidden = editor(form, "hidden", NumbersEditor)
    type_into(qtbot, hidden.line, "16, 4")
    assert form.values()["hidden"] == (16, 4)
    type_into(qtbot, hidden.line, "16, 99")
    assert hidden.message.text() == "hidden must be a list of at most 64 whole numbers from 1 to 64; got '16, 99'."
    assert form.values()["hidden"] == (16, 9)
    assert all(isinstance(value, tuple) for _, value in form.heard)


def test_choice_bool_and_points(qtbot, form):
    editor(form, "init", ChoiceEditor).combo.setCurrentText("by hand")
    editor(form, "scale", BoolEditor).check.click()
    form.set_values({"centres": ((0.0, 1.0), (2.0, 3.0), (4.0, 5.0))})
    points = editor(form, "centres", PointsEditor)
    assert points.count.text() == "3 points, drag on the plane"
    points.clear.click()
    assert points.count.text() == "no points yet"
    assert form.heard == [("init", "by hand"), ("scale", True), ("centres", ())]


def test_what_has_no_effect_is_greyed_out_live(form):
    points = form.editor("centres")
    assert not points.isEnabled()
    assert "no effect unless init is by hand" in points.toolTip()
    editor(form, "init", ChoiceEditor).combo.setCurrentText("by hand")
    assert points.isEnabled()
    assert "no effect" not in points.toolTip()
    form.set_values({"init": "k-means++"})
    assert not points.isEnabled()


def test_rare_parameters_are_folded_away_and_keep_their_state(qtbot, form):
    more = form.findChild(QToolButton, "more_parameters")
    assert more.text() == "More (1)"
    assert not form.editor("tol").isVisible()
    more.click()
    assert form.editor("tol").isVisible()
    form.set_theme(DARK)
    assert form.editor("tol").isVisible()
    assert form.values()["k"] == 5


def test_reset_arrow_and_reset_all(form):
    k = form.editor("k")
    assert k.reset.isVisible()
    k.reset.click()
    assert form.heard == [("k", 3)]
    assert not k.reset.isVisible()
    form.set_values({"k": 9, "tol": 1e-3})
    button = form.findChild(QWidget, "reset_all")
    button.click()
    assert form.heard[1:] == [("k", 3), ("tol", 1e-6)]
    assert not button.isEnabled()
    assert form.values() == {field.name: field.default for field in schema(Params)}


def wheel(widget: QWidget) -> QWheelEvent:
    middle = QPointF(widget.rect().center())
    glob = QPointF(widget.mapToGlobal(widget.rect().center()))
    none, flat = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier
    return QWheelEvent(middle, glob, QPoint(), QPoint(0, 120), none, flat, Qt.ScrollPhase.NoScrollPhase, False)


def test_the_wheel_turns_a_control_only_when_it_has_the_keyboard(qtbot, form):
    k = editor(form, "k", NumberEditor)
    qtbot.waitExposed(form)
    form.activateWindow()
    form.setFocus()
    for control in (k.slider, k.box, editor(form, "init", ChoiceEditor).combo):
        QApplication.sendEvent(control, wheel(control))
    assert form.heard == []
    k.slider.setFocus()
    qtbot.waitUntil(k.slider.hasFocus)
    QApplication.sendEvent(k.slider, wheel(k.slider))
    assert form.heard
    assert form.heard[0][1] > 5


def test_a_click_on_the_slider_goes_there(qtbot, form):
    slider = editor(form, "k", NumberEditor).slider
    qtbot.mouseClick(slider, Qt.MouseButton.LeftButton, pos=QPoint(slider.width() - 2, slider.height() // 2))
    assert form.values()["k"] == 20


def test_everything_has_names_and_a_tool_tip_with_the_range(form):
    for field in schema(Params):
        row = form.editor(field.name)
        assert row.objectName() == f"param_{field.name}"
        assert field.doc in row.toolTip()
        assert row.control().accessibleName()
    assert "A whole number from 1 to 20." in form.editor("k").toolTip()


def test_another_method_leaves_nothing_of_the_old_one(form):
    form.set_algorithm(Method(()), {})
    assert form.values() == {}
    form.set_values({"k": 4})
    assert form.values() == {}


def test_known_positions_and_values():
    log = Scale(1e-6, 1.0, whole=False, log=True)
    assert log.value(0) == 1e-6
    assert log.value(500) == 0.001
    assert log.value(1000) == 1.0
    assert log.position(0.01) == 667
    assert Scale(1, 20, whole=True, log=False).value(4) == 5
    assert Scale(0.0, 1.0, whole=False, log=False).value(333) == 0.332
    assert Scale(0.0, 10.0, whole=False, log=True).value(0) == 0.0
    assert [nice(width) for width in (0.03, 7.0, 1.0)] == [0.02, 5.0, 1.0]
    assert [shown(value) for value in (1e-6, 3.0, 0.1 + 0.2, 1e6)] == ["1e-06", "3", "0.3", "1000000"]


def test_arrow_keys_visit_round_numbers():
    log = Scale(1e-6, 1.0, whole=False, log=True)
    assert [log.stepped(0.01, steps) for steps in (1, 2, 3, -1)] == [0.02, 0.05, 0.1, 0.005]
    assert log.stepped(1.0, 1) == 1.0
    assert log.stepped(1e-6, -1) == 1e-6
    assert Scale(0.0, 1.0, whole=False, log=False).stepped(0.5, 3) == 0.53
    whole = Scale(1, 1000, whole=True, log=True)
    assert [whole.stepped(value, 1) for value in (1, 9, 20, 300)] == [2, 10, 21, 310]


SCALES = st.builds(
    lambda low, width, whole, log: Scale(
        float(round(low)) if whole else low, float(round(low) + round(width) + 1) if whole else low + width, whole, log
    ),
    st.floats(1e-9, 50),
    st.floats(1e-3, 1e5),
    st.booleans(),
    st.booleans(),
)


@given(SCALES, st.integers(0, 1000), st.integers(0, 1000))
def test_a_scale_is_monotone_and_stays_inside(scale, one, other):
    first, second = sorted((min(one, scale.positions), min(other, scale.positions)))
    low, high = scale.value(first), scale.value(second)
    assert scale.low <= low <= high <= scale.high
    assert scale.value(scale.positions) == scale.high
    assert scale.position(scale.low) == 0
    assert scale.position(scale.high) == scale.positions


@dataclass(frozen=True, slots=True)
class GroupedParams:
    k: Annotated[int, Between(1, 20), Doc("Number of clusters.")] = 3
    rate: Annotated[float, Between(0, 1), Group("training"), Doc("Learning rate.")] = 0.5
    lam: Annotated[float, Between(0, 1), Group("how much it costs"), Doc("Price of weights.")] = 0.5
    epochs: Annotated[int, Between(1, 20), Group("training"), Doc("Passes over the data.")] = 3
    tol: Annotated[float, Between(0, 1), Group("training"), Advanced, Doc("When to stop.")] = 0.1


def test_groups_stand_together_under_their_names(form):
    form.set_algorithm(Method(schema(GroupedParams)), {})
    column = form.findChild(QWidget, "parameter_page").layout()
    widgets = [column.itemAt(row).widget() for row in range(column.count())]
    names = [widget.text() if isinstance(widget, QLabel) else widget.field.name for widget in widgets[:6]]
    assert names == ["k", "Training", "rate", "epochs", "How much it costs", "lam"]
    assert not form.editor("tol").isVisible()  # folded away like any other
    assert list(form.values()) == ["k", "rate", "lam", "epochs", "tol"]


def test_another_theme_keeps_what_is_being_typed(form):
    editor = form.editor("k")
    editor.box.lineEdit().setText("1")
    form.set_theme(DARK)
    assert form.editor("k") is editor
    assert editor.box.lineEdit().text() == "1"


def test_larger_letters_make_new_rows_once_they_are_seen(form):
    editor = form.editor("k")
    form.hide()
    form.set_theme(DARK.presenting())
    form.set_theme(DARK)
    form.show()
    assert form.editor("k") is editor  # nobody saw the large ones
    form.hide()
    form.set_theme(DARK.presenting())
    form.show()
    assert form.editor("k") is not editor
    assert form.values()["k"] == 5


@pytest.mark.parametrize(("key", "most"), [("agglomerative", "5,000 points"), ("mds", "4,000 "), ("k_means", "")])
def test_the_form_says_how_much_data_a_method_takes(qtbot, key, most):
    widget = ParameterForm()
    qtbot.addWidget(widget)
    widget.set_algorithm(find(key), {})
    note = widget.findChild(QLabel, "form_limit")
    assert (most in note.text()) if most else (note is None)


def test_a_step_that_suits_its_surface_follows_it_in_one_undo_step(make_window):
    window = make_window("gradient_descent")
    window.set_param("surface", "Himmelblau")
    assert window.document.params["learning_rate"] == 0.01
    window.undo()
    assert (window.document.params["surface"], window.document.params["learning_rate"]) == ("quadratic", 0.13)
    window.set_param("learning_rate", 0.05)
    window.set_param("surface", "Rosenbrock")
    assert window.document.params["learning_rate"] == 0.05  # set by hand


@pytest.fixture
def paths_form(qtbot):
    widget = ParameterForm()
    qtbot.addWidget(widget)
    widget.set_extents({"items": 15})
    widget.set_algorithm(find("shortest_paths"), {})
    widget.show()
    return widget


def test_a_number_of_an_item_ends_where_the_data_do(qtbot, paths_form):
    source = editor(paths_form, "from", NumberEditor)
    assert source.slider.maximum() == 14
    with qtbot.waitSignal(paths_form.changed) as said:
        source.slider.setValue(14)
    assert said.args == ["from", 15]
    source.box.stepBy(1)
    assert source.value() == 15
    paths_form.set_extents({"items": 3})
    assert source.slider.maximum() == 2
    assert (source.value(), source.box.text()) == (15, "15")  # what is said stays said: the method explains it
    type_into(qtbot, source.box, "400")
    qtbot.keyClick(source.box, Qt.Key.Key_Return)
    assert source.value() == 400


def test_data_without_items_leave_the_declared_range(paths_form):
    paths_form.set_extents({})
    assert editor(paths_form, "from", NumberEditor).scale.high == 20_000


def test_what_nought_stands_for_is_said_in_words(qtbot, paths_form):
    target = editor(paths_form, "to", NumberEditor)
    assert target.box.text() == "farthest"
    assert target.box.width() > target.box.fontMetrics().horizontalAdvance("farthest")
    for typed, value, text in (("4", 4, "4"), ("0", 0, "farthest"), ("2", 2, "2"), ("farthest", 0, "farthest")):
        type_into(qtbot, target.box, typed)
        qtbot.keyClick(target.box, Qt.Key.Key_Return)
        assert (target.value(), target.box.text()) == (value, text)


def test_a_method_inside_a_method_counts_the_same_data(qtbot):
    widget = ParameterForm()
    qtbot.addWidget(widget)
    widget.set_extents({"items": 30, "features": 2})
    widget.set_algorithm(find("cross_validation"), {"method": "random_forest()"})
    inner = widget.editor("method").form.editor("features")
    assert inner.slider.maximum() == 2
    widget.set_extents({"items": 30, "features": 5})
    assert inner.slider.maximum() == 5


def test_other_data_move_the_end_of_the_slider(make_window):
    window = make_window("shortest_paths", load_data("florentine"))
    slider = window.form.editor("to").slider
    assert slider.maximum() == 15
    window.choose_data(parse_spec("karate"))
    assert slider.maximum() == 34


@pytest.mark.parametrize(("spec", "columns"), [("sine(n=20)", 2), ("moons(n=20)", 2), ("iris", 4)])
def test_a_target_that_is_a_value_is_a_column(make_window, spec, columns):
    window = make_window("bootstrap", load_data(spec))
    assert window.form.editor("column").slider.maximum() == columns - 1
    assert len(columns_of(window.document.data)[0]) == columns
