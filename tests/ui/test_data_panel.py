"""The data panel: built-in data, the axes and the scale, each one undo step."""

import numpy as np

from mlviz.data.builtin import load_builtin
from mlviz.data.spec import Recipe


def pick(box, row):
    box.setCurrentIndex(row)
    box.activated.emit(row)


def test_a_built_in_set_is_chosen_with_its_own_axes(window):
    panel = window.data_panel
    pick(panel.chooser, panel.chooser.findData("iris"))
    assert window.document.data.name == "iris"
    assert window.document.axes == (2, 3)
    assert window.document.projection.labels == ("petal length", "petal width")
    panel.form.changed.emit("target", "none")
    window.choose_data(Recipe("old_faithful", {}))
    assert (window.document.data.n, window.document.axes) == (272, (0, 1))


def test_the_axes_are_chosen_and_change_places(make_window):
    window = make_window(data=load_builtin("iris"))
    horizontal, vertical = window.data_panel.axes
    assert horizontal.isVisibleTo(window.data_panel)
    pick(horizontal, 3)
    assert window.document.axes == (3, 1)
    pick(horizontal, 1)
    assert window.document.axes == (1, 3)
    assert (horizontal.currentText(), vertical.currentText()) == ("sepal width", "petal width")
    window.undo()
    window.undo()
    assert window.document.axes == (0, 1)
    assert horizontal.currentIndex() == 0


def test_two_features_need_no_choice(window):
    assert not window.data_panel.axes[0].isVisibleTo(window.data_panel)
    window.choose_data(Recipe("wine", {}))
    assert window.data_panel.axes[0].isVisibleTo(window.data_panel)


def test_the_scale_is_a_visible_switch(make_window):
    window = make_window(data=load_builtin("wine"))
    given = window.document.data
    panel = window.data_panel
    pick(panel.scale, panel.scale.findData("standardised"))
    assert np.allclose(window.document.data.X.std(axis=0), 1)
    assert window.document.projection.labels[0] == "alcohol (standardised)"
    window.undo()
    assert window.document.data is given
    assert panel.scale.currentData() == "given"
    window.redo()
    window.reset_data()
    assert window.document.data is given
    assert panel.scale.currentData() == "given"


def test_turning_a_knob_keeps_the_scale_and_another_source_does_not(window):
    panel = window.data_panel
    window.choose_data(Recipe("moons", {"n": 40}))
    pick(panel.scale, panel.scale.findData("0 to 1"))
    window.set_recipe(Recipe("moons", {"n": 50}), "n")
    assert window.document.scaling.kind == "0 to 1"
    assert window.document.data.X.min() == 0
    window.choose_data(Recipe("circles", {}))
    assert window.document.scaling.kind == "given"
