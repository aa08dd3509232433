"""A session comes back exactly as it was left: zoom, tabs, threshold, pinned points, docks and splitters."""

import dataclasses
import math

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from mlviz.data.generators import generate
from mlviz.data.spec import Recipe
from mlviz.session import files
from mlviz.session.layout import Dock, EvaluationSettings, Layout, Viewport
from mlviz.ui.docks import NARROW_WIDTHS, WIDTHS


def run_to(window, qtbot, step):
    window.player.jump("end")
    qtbot.waitUntil(lambda: not window.player.running)
    window.player.seek(step)
    qtbot.waitUntil(lambda: window.player.shown.step == step and window.board.up_to_date)


def reopened(window, path, qtbot):
    """The session opened in the same window after everything was changed, with its layout back in place."""
    window.files.path = None  # nobody is there to answer whether the changes are to be saved
    window.files.open_path(path)
    qtbot.waitUntil(lambda: window.arrangement._waiting is None and not window.arrangement._boards)
    return window.arrangement.layout()


def alike(one, other):
    """The same layout, but for the last bits of the zoom and a pixel of the splitters."""
    assert set(one.viewports) == set(other.viewports)
    for key, viewport in one.viewports.items():
        if viewport.rect is None:
            assert other.viewports[key].rect is None
        else:
            np.testing.assert_allclose(other.viewports[key].rect, viewport.rect, atol=2e-2)
        assert other.viewports[key].angles == viewport.angles
    for name in ("large_height", "beside"):
        assert (getattr(one, name) or 0) == pytest.approx(getattr(other, name) or 0, abs=0.02)
    rest = {"viewports": {}, "large_height": None, "beside": None, "docks": (), "evaluation": None}
    assert dataclasses.replace(one, **rest) == dataclasses.replace(other, **rest)
    for dock, again in zip(one.docks, other.docks, strict=True):
        assert (dock.name, dock.area, dock.place, dock.shown) == (again.name, again.area, again.place, again.shown)
        if dock.shown:
            assert (dock.width, dock.height) == pytest.approx((again.width, again.height), abs=8)
    if one.evaluation is not None:
        assert dataclasses.replace(one.evaluation, large_height=None) == dataclasses.replace(
            other.evaluation, large_height=None
        )


def test_zoom_tabs_speed_docks_and_pinned_points(make_window, qtbot, tmp_path):
    window = make_window("decision_tree", generate("moons", n=60, seed=1))
    run_to(window, qtbot, 4)
    window.board.plane.restore_viewport(Viewport((-0.5, 1.0, 0.0, 0.9)))
    window.board.seconds.setCurrentIndex(window.board.seconds.indexOf(window.board.views["tree"]))
    window.board.views["tree"].box.scaleBy((0.5, 0.5))
    window.knobs.setCurrentIndex(1)
    window.board.curves.choose(window.board.curves._groups[-1], {window.board.curves._groups[-1]: True})
    window.transport.set_speed(math.inf)
    window.transport.set_by_phase(True)
    window.pointer.click(np.array([3, 7]))
    window.docks[0].hide()
    window.docks[3].show()
    window.board.board_layout.share_height(0.6)
    QApplication.processEvents()  # everything is laid out
    left = window.arrangement.layout()
    assert left.viewports["tree"].rect is not None
    assert left.viewports["sweep"].rect is None  # it always shows everything
    window.files.save_path(tmp_path / "a.mlviz")

    window.docks[0].show()
    window.docks[3].hide()
    window.knobs.setCurrentIndex(0)
    window.transport.set_speed(1.0)
    window.transport.set_by_phase(False)
    window.board.board_layout.share_height(0.4)
    window.choose_algorithm("k_means")
    qtbot.waitUntil(lambda: window.player.engine.algorithm.key == "k_means" and window.board.up_to_date)
    window.board.fit_view()

    alike(left, reopened(window, tmp_path / "a.mlviz", qtbot))
    assert window.player.position == 4
    assert math.isinf(window.player._speed)
    assert window.player.by_phase
    assert window.pointer.points.tolist() == [3, 7]


def test_the_evaluation_comes_back_with_its_threshold(make_window, qtbot, tmp_path):
    window = make_window("logistic_regression", generate("moons", n=60, seed=1))
    run_to(window, qtbot, 3)
    board, view = window.board, window.board.evaluation.view
    board.seconds.setCurrentIndex(board.seconds.indexOf(view))
    qtbot.waitUntil(lambda: view.scores is not None)
    view.source.setCurrentText("cross-validation")
    qtbot.waitUntil(lambda: view.scores.source == "cross-validation")
    view.classes.setCurrentIndex(0)
    view.set_threshold(0.31)
    view.matrix.chosen = (0, 1)
    window.files.save_path(tmp_path / "a.mlviz")
    left = window.arrangement.layout()
    assert (left.second, left.evaluation.positive, left.evaluation.cell) == ("evaluation", 0, (0, 1))

    board.seconds.setCurrentIndex(0)
    window.choose_algorithm("k_means")
    qtbot.waitUntil(lambda: window.player.engine.algorithm.key == "k_means" and board.up_to_date)
    alike(left, reopened(window, tmp_path / "a.mlviz", qtbot))
    assert (view.scores.source, view.positive, view.threshold) == ("cross-validation", 0, 0.31)
    assert board.plane.threshold is not None


def test_a_turned_cloud_comes_back(make_window, qtbot, tmp_path):
    window = make_window("isomap", generate("swiss_roll", n=80, seed=1))
    window.player.seek(1)
    qtbot.waitUntil(lambda: window.board.up_to_date)
    window.board.views["cloud"].restore_viewport(Viewport(None, (0.4, 1.1)))
    left = window.arrangement.layout()
    assert left.viewports["cloud"].angles == (0.4, 1.1)
    window.files.save_path(tmp_path / "a.mlviz")
    window.board.views["cloud"].restore_viewport(Viewport(None, (0.0, 0.0)))
    assert reopened(window, tmp_path / "a.mlviz", qtbot).viewports["cloud"].angles == (0.4, 1.1)


def test_moved_and_stacked_docks_come_back(window, qtbot, tmp_path):
    methods, controls, happens, *_ = window.docks
    window.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, methods)
    window.tabifyDockWidget(controls, happens)
    left = window.arrangement.layout()
    assert {dock.name: dock.area for dock in left.docks}["dock_methods"] == "right"
    window.files.save_path(tmp_path / "a.mlviz")
    window.side_panels.restore_first()
    assert window.dockWidgetArea(methods) == Qt.DockWidgetArea.LeftDockWidgetArea
    reopened(window, tmp_path / "a.mlviz", qtbot)
    assert window.dockWidgetArea(methods) == Qt.DockWidgetArea.RightDockWidgetArea
    assert window.tabifiedDockWidgets(controls) == [happens]


def test_the_knobs_of_the_data_come_back(window, qtbot, tmp_path):
    window.choose_data(Recipe("moons", {"noise": 0.25, "seed": 3}))
    left = window.data_panel.recipe
    window.files.save_path(tmp_path / "a.mlviz")
    window.choose_data(Recipe("blobs", {}))
    reopened(window, tmp_path / "a.mlviz", qtbot)
    assert window.data_panel.recipe == left
    assert left.values["noise"] == 0.25


@pytest.mark.parametrize(
    "text", ["nothing(n=3)", "moons(n=-5)", "moons(m=3)", "__import__('os')", "/etc/passwd", "moons(n="]
)
def test_a_recipe_that_makes_no_sense_is_passed_over(window, qtbot, tmp_path, text):
    before = window.data_panel.recipe
    files.save(tmp_path / "a.mlviz", window.document, {}, Layout(recipe=text))
    window.files.open_path(tmp_path / "a.mlviz")
    assert window.data_panel.recipe == before


def test_names_that_do_not_exist_change_nothing(window, qtbot, tmp_path):
    run_to(window, qtbot, 1)
    qtbot.waitUntil(
        lambda: set(window.board.views) == set(window.board.compositor.panels)
    )  # they are made one after the other
    before = window.arrangement.layout()
    strange = Layout(
        viewports={"nowhere": Viewport((0.0, 1.0, 0.0, 1.0))},
        second="nowhere",
        controls="Nothing",
        curve="none",
        logarithmic={"none": True},
        evaluation=EvaluationSettings("training", 200, 1e9, True, 1, (200, 200)),
        docks=(Dock("dock_of_another_program", "left", 0, True, 10, 10),),
        speed=before.speed,
    )
    files.save(tmp_path / "a.mlviz", window.document, {"playhead": 1}, strange)
    window.files.open_path(tmp_path / "a.mlviz")
    qtbot.waitUntil(lambda: window.arrangement._waiting is None)
    qtbot.waitUntil(lambda: set(window.board.views) == set(window.board.compositor.panels))
    alike(before, window.arrangement.layout())


def test_a_change_by_the_user_ends_the_waiting(window, qtbot, tmp_path):
    files.save(tmp_path / "a.mlviz", window.document, {}, Layout(evaluation=EvaluationSettings("validation")))
    window.files.open_path(tmp_path / "a.mlviz")
    window.set_param("k", 5)
    qtbot.waitUntil(lambda: window.arrangement._waiting is None and not window.arrangement._boards)


# -- the panels at the sides ------------------------------------------------------------------------------------------


def test_in_a_small_window_the_board_has_most_of_the_width(make_window, qtbot):
    window = make_window()
    qtbot.waitUntil(lambda: window.boards.width() >= 560)
    assert window.width() == 1024
    window.resize(1366, 768)
    qtbot.waitUntil(lambda: [dock.width() for dock in window.docks[:2]] == [*WIDTHS])
    window.resize(1024, 768)
    qtbot.waitUntil(lambda: [dock.width() for dock in window.docks[:2]] == [*NARROW_WIDTHS])


def test_a_dock_whose_width_was_given_by_hand_keeps_it(make_window, qtbot):
    window = make_window()
    qtbot.waitUntil(lambda: window.docks[0].width() == NARROW_WIDTHS[0])
    window.side_panels.resize([window.docks[0]], [200], Qt.Orientation.Horizontal)
    qtbot.waitUntil(lambda: window.docks[0].width() == 200)
    window.resize(1366, 768)
    qtbot.waitUntil(lambda: window.docks[1].width() == WIDTHS[1])
    assert window.docks[0].width() == 200


def test_one_key_leaves_the_board_alone_and_brings_the_panels_back(make_window, qtbot):
    window = make_window()
    window.docks[2].hide()
    before = [dock.isVisible() for dock in window.docks]
    qtbot.keyClick(window, Qt.Key.Key_F9)
    assert not any(dock.isVisible() for dock in window.docks)
    qtbot.waitUntil(lambda: window.boards.width() > 0.97 * window.width())
    qtbot.keyClick(window, Qt.Key.Key_F9)
    assert [dock.isVisible() for dock in window.docks] == before
