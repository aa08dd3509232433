"""The data panel: built-in data, the axes, the projection and the scale, each one undo step; the preview."""

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from mlviz.data.builtin import load_builtin
from mlviz.data.generators import generate
from mlviz.data.generators.pictures import grey_rows
from mlviz.data.spec import Recipe, all_sources, find_source
from mlviz.session.projection import PrincipalPlane
from mlviz.ui import data_preview
from mlviz.ui.data_preview import THUMB, at_most, flat, paint_data, thumbnail
from mlviz.views.brush import PointerState
from mlviz.views.theme import LIGHT


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


def test_the_principal_components_are_a_view_that_can_be_chosen_and_undone(make_window):
    window = make_window(data=load_builtin("iris"))
    panel = window.data_panel
    pick(panel.axes[0], 3)
    pick(panel.view, 1)
    assert window.document.projection.labels == ("PC 1 (92 %)", "PC 2 (5 %)")
    assert window.board.plane.getAxis("bottom").labelText == "PC 1 (92 %)"
    assert "PCA of 4 features" in window.board.plane.note.textItem.toPlainText()
    assert not panel.axes[0].isVisibleTo(panel)
    pick(panel.view, 0)
    assert window.document.axes == (3, 1)
    assert panel.axes[0].isVisibleTo(panel)
    window.undo()
    assert window.document.shows_pca
    assert panel.view.currentData() is True
    window.undo()
    window.actions_table["pca"].trigger()
    assert window.document.shows_pca


def test_two_features_have_no_projection(window):
    before = window.document
    window.actions_table["pca"].trigger()
    assert window.document is before
    assert "more than two features" in window.statusBar().currentMessage()
    assert not window.data_panel.view.isVisibleTo(window.data_panel)


def test_a_point_drawn_on_the_components_is_lifted_into_the_space(make_window):
    window = make_window(data=load_builtin("iris"))
    window.data_controller.set_pca()
    plane = window.document.axes
    window.drawing.choose("point")
    window.drawing.press(PointerState(1.0, 0.5))
    window.drawing.release(PointerState(1.0, 0.5))
    assert window.document.data.n == 151
    np.testing.assert_allclose(
        window.document.data.X[-1], np.array(plane.mean) + np.array([1.0, 0.5]) @ np.array(plane.directions)
    )
    assert window.document.axes == plane


def test_a_knob_fits_the_components_to_the_new_points(window):
    window.choose_data(Recipe("gaussians_5d", {"n": 60}))
    window.data_controller.set_pca()
    window.set_recipe(Recipe("gaussians_5d", {"n": 80}), "n")
    assert window.document.axes == PrincipalPlane.of(window.document.data)


def test_the_preview_follows_the_knobs_and_the_list(window):
    panel = window.data_panel
    window.choose_data(Recipe("moons", {"n": 50}))
    assert panel.preview.data is window.document.data
    panel.form.editor("noise").set_value(0.3)
    panel.form.changed.emit("noise", 0.3)
    assert panel.preview.data is window.document.data
    np.testing.assert_array_equal(panel.preview.data.X, Recipe("moons", {"n": 50, "noise": 0.3}).make().X)
    panel.chooser.highlighted.emit(panel.chooser.findData("circles"))
    assert panel.preview.data.name == "circles"
    assert panel.recipe.name == "moons"
    panel.chooser.hidePopup()
    assert panel.preview.data is window.document.data
    panel.preview.look_at(Recipe("moons", {"n": 50_000}))
    assert panel.preview.data.n == 600
    window.knobs.setCurrentIndex(1)
    assert not panel.preview.grab().toImage().isNull()


def shown(window):
    """What the panel says of the data: the name of the source, the words about it, and how much there is."""
    panel = window.data_panel
    assert panel.preview.data is window.document.data
    return panel.chooser.currentText() or panel.chooser.placeholderText(), panel.about.text(), panel.facts.text()


def test_the_panel_follows_the_data_through_undo_files_and_sessions(window, qtbot, tmp_path):
    panel = window.data_panel
    window.choose_data(Recipe("moons", {"n": 50, "noise": 0.25}))
    moons = shown(window)
    assert moons[::2] == ("Two moons", "50 points, 2 features, 2 classes")
    assert panel.form.values()["noise"] == 0.25
    window.choose_data(Recipe("iris", {}))
    assert shown(window)[::2] == ("Iris", "150 points, 4 features, 3 classes")
    window.undo()
    assert shown(window) == moons
    assert panel.form.values()["noise"] == 0.25
    window.apply(window.document.with_data(window.document.data.rows(np.arange(40))), "erase")
    assert shown(window)[2] == "40 points, 2 features, 2 classes · edited"
    window.files.save_path(tmp_path / "a.mlviz")

    (tmp_path / "flowers.csv").write_text("a,b,kind\n0,0,x\n0,1,x\n9,9,y\n9,8,y\n")
    window.files.open_path(tmp_path / "flowers.csv")
    qtbot.waitUntil(lambda: window.data_controller.dialog.open_button.isEnabled())
    window.data_controller.dialog.accept()
    qtbot.waitUntil(lambda: window.document.data.name == "flowers")
    assert shown(window) == ("flowers", "From flowers.csv.", "4 points, 2 features, 2 classes")
    assert panel.recipe is None
    assert not panel.form.isVisibleTo(panel)

    window.files.path = None  # nobody is there to answer whether it is to be saved
    window.files.open_path(tmp_path / "a.mlviz")
    assert shown(window) == (*moons[:2], "40 points, 2 features, 2 classes · edited")
    assert panel.form.isVisibleTo(panel)
    assert panel.form.values()["noise"] == 0.25


def test_discarding_edits_says_what_it_does_and_brings_back_what_came(window, tmp_path):
    panel = window.data_panel
    window.choose_data(Recipe("moons", {"n": 50}))
    given = window.document.data
    assert not panel.reset_button.isEnabled()
    assert not window.actions_table["reset"].isEnabled()
    window.apply(window.document.with_data(given.rows(np.arange(40))), "erase")
    window.choose_data(Recipe("blobs", {"n": 30}))
    window.undo()
    assert panel.reset_button.isEnabled()
    assert panel.reset_button.toolTip() == "Bring back moons as it was generated: 50 points"
    panel.reset_button.click()
    np.testing.assert_array_equal(window.document.data.X, given.X)  # and not the blobs, which came later
    assert window.statusBar().currentMessage() == "moons as it came: 50 points; Undo brings back the 40 points."
    window.undo()
    assert window.document.data.n == 40


@pytest.mark.parametrize("name", [source.name for source in all_sources() if source.kind == "points"])
def test_all_points_of_a_source_are_in_its_picture(name):
    points = Recipe(name, {}).make()
    at = flat(points, Recipe(name, {}).axes)
    assert at.shape == (points.n, 2)
    assert (np.ptp(at, axis=0) > 0).all()


@pytest.mark.parametrize("source", all_sources(), ids=lambda source: source.name)
def test_every_source_has_a_picture(source, qapp):
    name, points = source.name, Recipe(source.name, {}).make()
    image = thumbnail(name, LIGHT).pixmap(THUMB).toImage()
    ground = image.pixelColor(0, 0)
    marked = sum(image.pixelColor(x, y) != ground for x in range(image.width()) for y in range(image.height()))
    assert marked > min(60, 4 * points.n)  # a logic gate has only four


def test_a_picture_is_its_own_picture(qapp):
    """Upright and not stretched: white on top, black below, in the middle of the thumbnail."""
    image = QImage(60, 40, QImage.Format.Format_RGB32)
    image.fill(QColor("red"))
    painter = QPainter(image)
    paint_data(painter, QRectF(0, 0, 60, 40), grey_rows(np.repeat([[1.0], [0.0]], 2, axis=1)), (0, 1), LIGHT)
    painter.end()
    assert [image.pixelColor(30, y).name() for y in (5, 35)] == ["#ffffff", "#000000"]
    assert [image.pixelColor(x, 20).name() for x in (5, 55)] == ["#ff0000", "#ff0000"]


def test_the_list_gets_its_pictures_when_it_opens_one_in_each_turn(window, qtbot, monkeypatch):
    """All of them at once would be half a second."""
    drawn, draw = [], data_preview.thumbnail
    monkeypatch.setattr(data_preview, "thumbnail", lambda name, theme: (drawn.append(name), draw(name, theme))[1])
    chooser = window.data_panel.chooser
    assert chooser.itemIcon(chooser.findData("moons")).isNull()
    window.knobs.setCurrentIndex(1)
    chooser.showPopup()
    assert not drawn
    assert not chooser.itemIcon(chooser.findData("moons")).isNull()  # there is room for it
    chooser._draw_next()
    assert len(drawn) == 1
    qtbot.waitUntil(lambda: not chooser._timer.isActive())
    assert drawn == [source.name for source in all_sources()]
    chooser.hidePopup()


def test_nobody_waits_for_a_preview(qapp):
    """However many items are asked for, a preview makes few of those that take long."""
    for source in all_sources():
        assert not at_most(Recipe(source.name, {}), 2000, 600).takes_long
    assert at_most(Recipe("masks", {}), 2000, 600) == Recipe("masks", {"n": 600})
    assert at_most(Recipe("moons", {"n": 2000}), 2000, 600) == Recipe("moons", {"n": 2000})
    assert at_most(Recipe("graph_families", {"n": 300}), 2000, 600) == Recipe("graph_families", {"n": 4})


def test_the_components_of_many_points_are_not_found_for_a_preview(qapp, monkeypatch):
    seen = []
    monkeypatch.setattr(data_preview, "flat", lambda points, axes: (seen.append(points.n), flat(points, axes))[1])
    image = QImage(60, 40, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    for n in (2000, 3000):
        paint_data(painter, QRectF(0, 0, 60, 40), Recipe("gaussians_5d", {"n": n}).make(), (0, 1), LIGHT)
    painter.end()
    assert seen == [2000, 600]


def test_words_and_knobs_are_of_the_source_that_was_chosen_in_the_list(window, qtbot):
    panel = window.data_panel
    for name in ("circles", "moons"):
        pick(panel.chooser, panel.chooser.findData(name))
        qtbot.waitUntil(lambda name=name: window.document.data.name == name)
        assert panel.about.text() == find_source(name).doc
        assert list(panel.recipe.values) == [field.name for field in find_source(name).fields]


def test_two_tables_of_the_same_name_are_taken_back_each_to_its_own(window):
    """Two tables were pasted, one after the other."""
    first, second = (generate("blobs", n=n, seed=1).renamed("pasted") for n in (30, 20))
    for data in (first, second):
        window.open_document(window.on_desk(data, "the pasted table"), "open the pasted table")
    window.undo()
    assert window.given is first
    assert not window.actions_table["reset"].isEnabled()
    window.apply(window.document.with_data(first.with_rows(first.X[:9], first.y[:9])), "edit")
    window.reset_data()
    assert window.document.data is first
