"""The window as a user meets it: playing, stepping, changing, undoing, closing."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtWidgets import QApplication

from algorithms import Points, find
from mlviz.app import first_document
from mlviz.data.generators import generate
from mlviz.data.spec import Recipe
from mlviz.session.history import History
from mlviz.ui import commands, file_controller, problems
from mlviz.ui.window import MainWindow


def finished(window):
    """The run is over, it is the run of the document, and nothing waits to be run."""
    player = window.player
    return (
        player.engine is not None
        and not player._debounce.isActive()
        and player.engine.state == "finished"
        and player.engine.data is window.document.data
        and player.engine.params == window.document.make_params()
        and player.engine.seed == window.document.seed
    )


def at_end(window):
    return finished(window) and window.player.position == window.player.steps - 1 and window.player.shown is not None


def test_first_start_stands_at_the_first_step_ready_to_play(qtbot):
    document, recipe = first_document()
    window = MainWindow(document, recipe)
    qtbot.addWidget(window)
    window.show()
    qtbot.waitUntil(lambda: window.player.shown is not None)
    assert document.algorithm == "k_means"
    assert document.data.n > 100
    assert window.player.position == 0
    assert not window.player.playing
    assert window.data_panel.recipe.name == recipe.name
    assert window.gallery.isVisible()


def test_play_runs_to_the_end_and_says_why(window, qtbot):
    window.player.set_speed(200.0)
    qtbot.keyClick(window, Qt.Key.Key_Space)
    assert window.player.playing
    qtbot.waitUntil(lambda: not window.player.playing and at_end(window))
    assert window.transport.reason_label.text() == "converged"
    shown = window.player.shown.snapshot
    assert shown.caption in window.what_happens.caption.text()


def test_stepping_forward_and_back_gives_the_same_frames(window, qtbot):
    qtbot.waitUntil(lambda: finished(window))
    seen = []
    for _ in range(4):
        seen.append(window.player.shown.snapshot)
        qtbot.keyClick(window, Qt.Key.Key_Right)
    for snapshot in reversed(seen):
        qtbot.keyClick(window, Qt.Key.Key_Left)
        assert window.player.shown.snapshot is snapshot
    assert window.player.position == 0


def test_phases_home_and_end(window, qtbot):
    qtbot.waitUntil(lambda: finished(window))
    phases = [window.player.timeline.phase(step) for step in range(window.player.steps)]
    qtbot.keyClick(window, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert window.player.position == next(step for step, phase in enumerate(phases) if phase != phases[0])
    qtbot.keyClick(window, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
    assert window.player.position == 0
    qtbot.keyClick(window, Qt.Key.Key_End)
    qtbot.waitUntil(lambda: at_end(window))
    qtbot.keyClick(window, Qt.Key.Key_Home)
    assert window.player.position == 0


def test_scrubbing_the_curve_and_the_time_line(window, qtbot):
    qtbot.waitUntil(lambda: finished(window))
    window.transport.scrubbed.emit(2)
    assert window.player.position == 2
    window.board.curves.scrubbed.emit(1)
    assert window.player.position == 1
    assert window.player.shown.step == 1


def test_a_changed_parameter_runs_again_and_no_old_frame_comes_after(window, qtbot):
    qtbot.waitUntil(lambda: finished(window))
    old = window.player.engine
    frames, show = [], window.board.show_frame
    window.board.show_frame = lambda frame, hurried: (frames.append(frame), show(frame, hurried))
    window.form.changed.emit("k", 5)
    assert old.state in ("finished", "cancelled")
    qtbot.waitUntil(lambda: window.player.engine is not old and finished(window))
    qtbot.waitUntil(lambda: window.player.shown is not None)
    new = {id(window.player.timeline.frame(step).snapshot) for step in range(window.player.steps)}
    assert frames
    assert all(id(frame.snapshot) in new for frame in frames)
    assert window.document.params["k"] == 5


def test_many_changes_in_a_row_are_one_undo_step_and_few_runs(window, qtbot):
    started = []
    window.player.run_started.connect(started.append)
    for k in range(4, 12):
        window.set_param("k", k)
    qtbot.waitUntil(lambda: finished(window))
    assert len(started) == 1
    window.undo()
    assert window.document.params["k"] == 3


def test_undo_and_redo_cover_algorithm_parameters_seed_and_data(window, qtbot):
    first = window.document
    window.choose_algorithm("gaussian_mixture")
    window.set_param("k", 4)
    window.set_seed(7)
    window.choose_data(Recipe("moons", {"n": 50}))
    last = window.document
    for _ in range(4):
        window.actions_table["undo"].trigger()
    assert window.document is first
    assert window.form.values()["k"] == 3
    assert window.transport.seed_box.value() == first.seed
    assert not window.actions_table["undo"].isEnabled()
    for _ in range(4):
        window.actions_table["redo"].trigger()
    assert window.document is last
    qtbot.waitUntil(lambda: finished(window))


def test_the_playhead_stays_where_it_was_or_goes_where_the_user_chose(window, qtbot):
    qtbot.waitUntil(lambda: finished(window))
    window.player.jump("end")
    qtbot.waitUntil(lambda: at_end(window))
    window.set_seed(11)
    qtbot.waitUntil(lambda: at_end(window))
    window.set_after_change("start")
    window.set_seed(12)
    qtbot.waitUntil(lambda: finished(window) and window.player.shown is not None)
    assert window.player.position == 0
    window.set_after_change("end")
    window.set_seed(13)
    qtbot.waitUntil(lambda: at_end(window))


def test_same_seed_gives_the_same_run_and_new_seed_another(make_window, qtbot):
    window = make_window(init="random points")
    qtbot.waitUntil(lambda: finished(window))
    first = window.player.timeline.metric("J").copy()
    engine = window.player.engine
    window.same_seed()
    qtbot.waitUntil(lambda: window.player.engine is not engine and finished(window))
    np.testing.assert_array_equal(window.player.timeline.metric("J"), first)
    assert window.player.position == 0
    seeds = {window.document.seed}
    for _ in range(3):
        window.new_seed()
        seeds.add(window.document.seed)
    assert len(seeds) == 4


def test_data_that_cannot_be_used_is_said_in_the_panel_and_nothing_is_lost(make_window, qtbot):
    data = Points(np.random.default_rng(0).normal(size=(20, 2)))
    window = make_window(data=data)
    window.choose_algorithm("kernel_svm")
    qtbot.waitUntil(lambda: window.board.message.isVisible())
    assert "class" in window.board.message.text()
    assert window.document.data is data
    window.choose_algorithm("k_means")
    qtbot.waitUntil(lambda: finished(window))
    assert not window.board.message.isVisible()


def test_dragging_a_centre_starts_from_there_by_hand(window, qtbot):
    window.player.seek(window.player.steps)
    plane = window.board.plane
    qtbot.waitUntil(lambda: not plane.grab().isNull() and any(hasattr(m, "handle") for m in plane.marks))
    centre = next(m for m in plane.marks if hasattr(m, "handle")).at[0]
    start = plane.mapFromScene(plane.box.mapViewToScene(QPointF(*centre)))
    end = start + QPoint(40, 30)
    target = plane.box.mapSceneToView(plane.mapToScene(end))
    qtbot.mousePress(plane.viewport(), Qt.MouseButton.LeftButton, pos=start)
    for fraction in (0.3, 0.6, 1.0):
        qtbot.mouseMove(plane.viewport(), start + (end - start) * fraction)
        _drag(plane, start + (end - start) * fraction)
    qtbot.mouseRelease(plane.viewport(), Qt.MouseButton.LeftButton, pos=end)
    assert window.document.params["init"] == "by hand"
    moved = window.document.params["centres"][0]
    assert moved == pytest.approx((target.x(), target.y()), abs=1e-6)
    qtbot.waitUntil(lambda: finished(window))
    window.undo()
    assert window.document.params["init"] == "k-means++"


def _drag(plane, place):
    """Offscreen, Qt delivers moves without buttons; send one with the button held."""
    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QMouseEvent

    event = QMouseEvent(
        QEvent.Type.MouseMove,
        QPointF(place),
        QPointF(plane.viewport().mapToGlobal(place)),
        Qt.MouseButton.NoButton,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(plane.viewport(), event)


def test_hovering_a_point_explains_it(window, qtbot):
    window.player.jump("end")
    qtbot.waitUntil(lambda: at_end(window))
    window.board.points_hovered.emit(np.array([4]))
    assert window.hover_label.text().startswith("point 5:")
    qtbot.waitUntil(lambda: "predicted" in window.hover_label.text())
    predicted = find("k_means").predict(window.player.shown.snapshot.model, window.document.data.X[4:5])[0]
    assert window.hover_label.text().endswith(f"predicted {predicted + 1}")
    window.board.points_hovered.emit(np.array([], dtype=int))
    assert window.hover_label.text() == ""


def test_a_bar_lights_its_point_and_the_point_its_bar(make_window, qtbot):
    window = make_window("kernel_svm", data=generate("moons", n=40, seed=1), kernel="linear")
    window.player.jump("end")
    qtbot.waitUntil(lambda: at_end(window))
    qtbot.waitUntil(lambda: "alphas" in window.board.views and bool(window.board.views["alphas"].marks))
    bars = window.board.views["alphas"].marks[0]
    window.board.points_hovered.emit(bars.points[:1])
    renderer = next(iter(window.board.views["alphas"]._renderers.values()))
    assert renderer._bars.lit.tolist() == [0]
    np.testing.assert_array_equal(window.board.plane._ring.at, window.board.plane.scene_info.at[bars.points[:1]])


def test_fields_arrive_for_the_frame_on_show(window, qtbot):
    window.player.jump("end")
    qtbot.waitUntil(lambda: at_end(window))

    def fields_are_of_this_model():
        raster = window.board.plane.rasters.get("predict")
        if raster is None:
            return False
        left, right, bottom, top = raster.rect
        height, width = raster.values.shape
        across, up = np.meshgrid((np.arange(width) + 0.5) / width, (np.arange(height) + 0.5) / height)
        at = np.column_stack([left + across.ravel() * (right - left), bottom + up.ravel() * (top - bottom)])
        model = window.player.shown.snapshot.model
        return bool((find("k_means").predict(model, at) == raster.values.ravel()).all())

    qtbot.waitUntil(fields_are_of_this_model)


def test_presenter_mode_hides_the_chrome_and_comes_back(window, qtbot):
    before = [dock.isVisible() for dock in window.docks]
    assert before[:3] == [True, True, True]
    qtbot.keyClick(window, Qt.Key.Key_F5)
    assert window.theme.font >= 20
    assert not any(dock.isVisible() for dock in window.docks)
    assert not window.menuBar().isVisible()
    assert window.transport.isVisible()
    qtbot.keyClick(window, Qt.Key.Key_F5)
    assert [dock.isVisible() for dock in window.docks] == before
    assert window.theme.font < 20


def test_dark_theme_reaches_every_view(window, qtbot):
    window.toggle_theme()
    qtbot.waitUntil(lambda: finished(window))
    assert window.theme.name == "dark"
    assert window.board.plane.theme is window.theme
    assert window.board.plane.scene_info.theme is window.theme


def test_the_palette_finds_methods_data_and_commands(window):
    found = {command.title: command for command in commands.palette(window)}
    assert {"k-means", "Presenter mode", "Save session"} <= set(found)
    assert any(command.group == "data" for command in found.values())
    found[find("kernel_svm").title].run()
    assert window.document.algorithm == "kernel_svm"
    moons = next(command for command in found.values() if command.group == "data" and "moons" in command.title.lower())
    moons.run()
    assert window.document.data.name == "moons"


def test_every_action_has_a_tool_tip_naming_its_key(window):
    for spec in window.actions_table.specs:
        action = window.actions_table[spec.name]
        assert action.toolTip()
        if spec.keys:
            assert spec.keys in action.toolTip()
    keys = [spec.keys for spec in window.actions_table.specs if spec.keys]
    assert len(keys) == len(set(keys))


def test_nothing_is_wider_than_a_small_projector(window):
    assert window.minimumSizeHint().width() <= 1024
    assert window.minimumSizeHint().height() <= 768
    assert window.width() == 1024


def test_closing_while_running_ends_the_threads(make_window, qtbot):
    window = make_window("kernel_svm", data=generate("spirals", n=600, seed=1), tol=1e-6)
    window.player.jump("end")
    qtbot.waitUntil(lambda: window.player.steps > 3)
    engine = window.player.engine
    window.close()
    assert engine.join(2.0)
    assert engine.state in ("cancelled", "finished")


def test_stop_computing_keeps_what_there_is(make_window, qtbot):
    patient = {"solver": "gradient descent", "learning_rate": 1e-5, "max_steps": 100_000}  # far from any end
    window = make_window("logistic_regression", data=generate("spirals", n=600, seed=1), **patient)
    window.player.jump("end")
    qtbot.waitUntil(lambda: window.player.steps > 3)
    window.actions_table["cancel"].trigger()
    assert not window.player.running
    qtbot.waitUntil(lambda: window.transport.reason_label.text() == "cancelled")


def test_an_unexpected_error_in_an_algorithm_reaches_the_dialog(make_window, qtbot, monkeypatch):
    reported = []
    monkeypatch.setattr(problems, "report", reported.append)  # before the window connects to it
    window = make_window()
    failure = ZeroDivisionError("inside the algorithm")

    def broken(*_):
        raise failure
        yield

    import dataclasses

    broken_method = dataclasses.replace(find("k_means"), run=broken)
    monkeypatch.setattr("mlviz.ui.player.find", lambda key: broken_method)
    window.same_seed()
    qtbot.waitUntil(lambda: reported == [failure])
    assert window.document.data.n == 60


def test_layout_look_and_document_come_back_at_the_next_start(make_window, qtbot, tmp_path, monkeypatch):
    monkeypatch.setenv("MLVIZ_HOME", str(tmp_path))
    window = make_window("gaussian_mixture", k=4)
    window.docks[0].hide()
    window.toggle_theme()
    window.set_after_change("end")
    qtbot.waitUntil(lambda: finished(window))
    window.player.seek(2)
    window.close()
    session = file_controller.remembered()
    assert session is not None
    document = session.document
    assert (document.algorithm, document.params["k"]) == ("gaussian_mixture", 4)
    np.testing.assert_array_equal(document.data.X, window.document.data.X)
    again = MainWindow(document, None, file_controller.playhead_of(session))
    qtbot.addWidget(again)
    again.files.restore()
    again.show()
    qtbot.waitUntil(lambda: finished(again) and again.player.position == 2)
    assert again.theme.name == "dark"
    assert again.docks[0].isHidden()
    assert again.player.after_change == "end"


def test_a_broken_last_session_is_ignored(tmp_path, monkeypatch):
    monkeypatch.setenv("MLVIZ_HOME", str(tmp_path))
    file_controller.last_session().write_bytes(b"PK rubbish")
    assert file_controller.remembered() is None


def test_files_are_opened_saved_and_refused_in_sentences(window, qtbot, tmp_path):
    session = tmp_path / "lesson.mlviz"
    window.files.save_path(session)
    kept = window.document
    window.choose_algorithm("gaussian_mixture")
    window.files.path = None  # nobody is there to answer whether the change is to be saved
    window.files.open_path(session)
    assert window.document.algorithm == kept.algorithm
    table = tmp_path / "table.csv"
    table.write_text("a,b\n1,2\n2,1\n8,9\n9,8\n")
    window.files.open_path(table)
    qtbot.waitUntil(lambda: window.data_controller.dialog.open_button.isEnabled())
    window.data_controller.dialog.accept()
    assert window.document.data.n == 4
    before = window.document
    (tmp_path / "bad.csv").write_bytes(bytes(range(256)) * 4)
    (tmp_path / "bad.mlviz").write_bytes(b"nothing")
    for name in ("bad.csv", "bad.mlviz", "missing.csv"):
        window.statusBar().clearMessage()
        window.files.open_path(tmp_path / name)
        qtbot.waitUntil(lambda: window.statusBar().currentMessage().endswith("."))
        assert window.document is before


# --- data of other kinds ----------------------------------------------------------------------------------------------


def test_texts_are_typed_into_the_table(qtbot):
    from algorithms import Strings
    from mlviz.ui.point_table import PointTable

    table = PointTable()
    qtbot.addWidget(table)
    made = []
    table.items.edited.connect(made.append)
    table.set_data(Strings(["spam", "ham"], ["bad", "good"]))
    assert [table.items.index(row, 0).data() for row in range(3)] == ["spam", "ham", None]
    assert table.items.setData(table.items.index(0, 0), "eggs")
    assert made[-1].texts == ("eggs", "ham")
    assert table.items.setData(table.items.index(2, 0), "bacon")
    assert (made[-1].texts, made[-1].y.tolist()) == (("spam", "ham", "bacon"), [0, 1, 1])
    assert table.items.setData(table.items.index(1, 1), "bad")
    assert made[-1].y.tolist() == [0, 0]
    refused = []
    table.items.refused.connect(refused.append)
    assert not table.items.setData(table.items.index(2, 1), "bad")
    assert refused == ["Type the text first, then its class."]
    table.set_data(generate("blobs", n=5))
    assert table.view.model() is table.model


def test_new_data_are_drawn_from_a_model_that_can_be_sampled(window, qtbot):
    window.choose_algorithm("gaussian_mixture")
    qtbot.waitUntil(lambda: window.player.shown is not None and window.player.engine.algorithm.sample is not None)
    before = window.document.data
    assert window.data_panel.draw_button.isVisibleTo(window.data_panel)
    window.data_panel.draw_button.click()
    after = window.document.data
    assert after is not before
    assert (after.n, after.d) == (before.n, before.d)
    window.undo()
    assert window.document.data is before
    window.choose_algorithm("k_means")
    assert not window.data_panel.draw_button.isVisibleTo(window.data_panel)
    assert not window.actions_table["draw_from_model"].isEnabled()


def test_a_place_of_the_plane_is_shown_in_the_map(window, qtbot):
    window.choose_algorithm("mds")
    qtbot.waitUntil(lambda: window.player.engine.algorithm.key == "mds" and window.player.engine.ended)
    window.player.jump("end")
    qtbot.waitUntil(lambda: window.player.position == window.player.steps - 1 and window.board.up_to_date)
    data, model = window.document.data, window.player.shown.snapshot.model
    place = data.X.mean(axis=0) + 0.3
    wanted = find("mds").transform(model, place[None])[0]
    window.board.place_hovered.emit(place)
    view = window.board.views["map"] if "map" in window.board.views else window.board.views["embedding"]
    qtbot.waitUntil(lambda: view._newcomer is not None and len(view._newcomer.at) == 1)
    np.testing.assert_allclose(view._newcomer.at[0], wanted[:2])
    window.board.place_hovered.emit(None)
    assert len(view._newcomer.at) == 0


def test_data_of_another_kind_come_with_the_method_and_go_with_undo(window, qtbot):
    points = window.document.data
    window.choose_algorithm("mds")
    window.choose_data(Recipe("cities", {}))
    assert window.document.data.kind == "distances"
    qtbot.waitUntil(lambda: window.player.engine.data.kind == "distances" and window.board.up_to_date)
    window.choose_algorithm("k_means")
    assert window.document.data is points
    assert "works on" in window.statusBar().currentMessage()
    assert "Undo brings back cities" in window.statusBar().currentMessage()
    qtbot.waitUntil(lambda: window.player.engine.algorithm.key == "k_means" and window.board.up_to_date)
    window.undo()
    assert (window.document.algorithm, window.document.data.kind) == ("mds", "distances")
    qtbot.waitUntil(lambda: window.player.engine.data.kind == "distances" and window.board.up_to_date)


def test_the_window_says_once_that_the_oldest_steps_are_forgotten(window):
    window.history = History(window.document, budget=0)
    window.apply(window.document.with_data(Points([[0.0, 1.0], [2.0, 3.0]])), "other data")
    assert "cannot be undone any more" in window.statusBar().currentMessage()
    window.statusBar().clearMessage()
    window.apply(window.document.with_data(Points([[0.0, 1.0], [5.0, 3.0]])), "other data")
    assert "cannot be undone" not in window.statusBar().currentMessage()
