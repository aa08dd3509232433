"""The evaluation in the window: one threshold moves histogram, curves, matrix and the line in the plane."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtWidgets import QApplication

from algorithms import fit
from algorithms.data import Points
from algorithms.maths.validation import stratified_parts
from mlviz.data.generators import generate
from mlviz.session.scoring import Threshold
from mlviz.worker.evaluation import validation_points
from tests.events import drag

DATA = generate("blobs", n=120, centres=2, noise=4.0, seed=2)


def ended(window):
    engine = window.player.engine
    return engine is not None and engine.ended and window.player.shown is not None


def scored(window, source="training"):
    scores = window.board.evaluation.view.scores
    return scores is not None and scores.source == source


@pytest.fixture
def evaluating(make_window, qtbot):
    """``evaluating(algorithm)`` gives a window at the end of a run with the evaluation in view."""

    def open_tab(algorithm="logistic_regression", data=DATA, **params):
        window = make_window(algorithm, data, **params)
        qtbot.waitUntil(lambda: ended(window))
        window.player.jump("end")
        board = window.board
        qtbot.waitUntil(lambda: board.seconds.isTabVisible(board.seconds.indexOf(board.evaluation.view)))
        board.seconds.setCurrentWidget(board.evaluation.view)
        last = window.player.timeline.frame(window.player.steps - 1).snapshot.model
        qtbot.waitUntil(lambda: scored(window) and window.player.shown.snapshot.model is last)
        field = window.document.method.field
        qtbot.waitUntil(lambda: np.array_equal(board.evaluation.view.scores.values, field(last, data.X)))
        return window

    return open_tab


def line_of(window):
    """Where the decision line in the plane runs, (m, 2)."""
    (renderer,) = [r for r in window.board.plane._renderers.values() if hasattr(r, "_strong")]
    return np.stack(renderer._strong.getData(), axis=1)


def test_dragging_the_threshold_moves_everything_together(evaluating, qtbot):
    window = evaluating()
    view, model = window.board.evaluation.view, window.player.shown.snapshot.model
    field = window.document.method.field
    qtbot.waitUntil(lambda: len(line_of(window)) > 0)
    assert np.allclose(field(model, line_of(window)), 0.5, atol=0.02)
    drag(qtbot, view.histogram, (0.5, 5.0), (0.6, 5.0), (0.85, 5.0))
    threshold = view.threshold
    assert threshold == pytest.approx(0.85, abs=0.02)
    chances, truth = field(model, DATA.X), DATA.y == 1
    called = chances > threshold
    assert view.histogram.line.value() == threshold
    assert view.roc.dot == pytest.approx((called[~truth].mean(), called[truth].mean()))
    assert view.matrix.confusion.matrix.tolist() == [
        [(called & truth).sum(), (called & ~truth).sum()],
        [(~called & truth).sum(), (~called & ~truth).sum()],
    ]
    assert np.allclose(field(model, line_of(window)), threshold, atol=0.02)
    assert "decision line at" in " ".join(row.name for row in window.board.plane.legend.rows)


def test_a_cell_lights_exactly_its_points(evaluating, qtbot):
    window = evaluating()
    board, view = window.board, window.board.evaluation.view
    members = view.confusion.members(0, 1)
    assert 0 < len(members) < 30
    qtbot.mouseClick(view.matrix, Qt.MouseButton.LeftButton, pos=view.matrix.cell_rect(0, 1).center().toPoint())
    assert window.pointer.points.tolist() == members.tolist()
    rings = board.plane._ring
    sizes = set()

    def pulse_is_over():
        sizes.add(len(rings.at))
        return not board.evaluation._beat.isActive()

    qtbot.waitUntil(pulse_is_over)
    assert sizes == {0, len(members)}  # they went on and off
    assert {tuple(place) for place in rings.at} == {tuple(place) for place in DATA.X[members]}
    assert f"{len(members)} points" in window.hover_label.text()


def test_clicking_in_the_plane_takes_the_choice_back(evaluating, qtbot):
    window = evaluating()
    view, plane = window.board.evaluation.view, window.board.plane
    qtbot.mouseClick(view.matrix, Qt.MouseButton.LeftButton, pos=view.matrix.cell_rect(0, 0).center().toPoint())
    assert view.matrix.chosen == (0, 0)
    place = plane.mapFromScene(plane.box.mapViewToScene(QPointF(*DATA.X[7])))
    qtbot.mouseClick(plane.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert view.matrix.chosen is None
    assert len(window.pointer.points) == 1


@pytest.mark.parametrize("source", ["validation", "cross-validation"])
def test_scores_of_points_that_were_not_trained_on_follow_the_playhead(evaluating, qtbot, source):
    window = evaluating()
    view = window.board.evaluation.view
    view.source.setCurrentText(source)
    qtbot.waitUntil(lambda: scored(window, source))
    assert len(view.scores.points) == (DATA.n if source == "cross-validation" else 36)
    assert view.scores.step is None  # the run has ended, and so have those without a fold
    assert view.origin.toolTip().startswith("end of ")
    final = view.scores
    window.player.seek(1)
    qtbot.waitUntil(lambda: view.scores.step == 1)
    assert view.origin.toolTip().startswith("step 1 of ")
    assert not np.allclose(view.scores.values, final.values)
    window.player.seek(0)
    qtbot.waitUntil(lambda: view.scores.step == 0)
    assert (view.scores.values == 0.5).all()  # all coefficients are 0 at the start
    window.player.jump("end")
    qtbot.waitUntil(lambda: view.scores.step is None)
    assert np.array_equal(view.scores.values, final.values)


def test_folds_of_scaled_data_set_their_own_scale(evaluating, qtbot):
    """The features are standardised in the window; a held-out point is not to have a say in the scale."""
    window = evaluating(lam=5.0)
    view = window.board.evaluation.view
    view.source.setCurrentText("validation")
    qtbot.waitUntil(lambda: scored(window, "validation"))
    window.data_controller.set_scale("standardised")
    held_out = view.scores.points
    given = DATA.rows(np.setdiff1d(np.arange(DATA.n), held_out))
    centre, spread = given.X.mean(axis=0), given.X.std(axis=0)
    oracle = fit("logistic_regression", given.with_rows((given.X - centre) / spread, given.y), lam=5.0)
    expected = oracle.field((DATA.X[held_out] - centre) / spread)
    qtbot.waitUntil(lambda: scored(window, "validation") and np.allclose(view.scores.values, expected, atol=1e-9))
    assert window.document.scaling.kind == "standardised"


def test_while_a_run_plays_the_cross_validated_scores_come_along(evaluating, qtbot):
    window = evaluating(solver="gradient descent", learning_rate=0.05, max_steps=400)
    view = window.board.evaluation.view
    view.source.setCurrentText("cross-validation")
    qtbot.waitUntil(lambda: scored(window, "cross-validation"))
    seen = set()
    window.player.set_speed(100.0)
    window.player.set_playing(True)

    def often():
        seen.add(view.scores.step)
        return len(seen - {None}) >= 5

    qtbot.waitUntil(often)
    assert window.player.playing
    window.player.seek(7)  # latest wins: what is under the playhead now
    qtbot.waitUntil(lambda: view.scores.step == 7)


def test_a_run_that_went_on_is_compared_with_the_ends_of_runs_that_begin_anew(evaluating, qtbot):
    """Its steps count from where it went on, so the same number means something else in a run from the beginning."""
    window = evaluating(solver="gradient descent", learning_rate=0.05, max_steps=60)
    view = window.board.evaluation.view
    view.source.setCurrentText("validation")
    qtbot.waitUntil(lambda: scored(window, "validation"))
    window.set_param("learning_rate", 0.1)  # a live parameter: the run goes on with it
    qtbot.waitUntil(lambda: ended(window) and window.player.engine.resumed and window.player.steps > 10)
    window.player.seek(5)
    rest = np.setdiff1d(np.arange(DATA.n), view.scores.points)
    anew = Points(DATA.X[rest], DATA.y[rest], classes=DATA.classes)
    oracle = fit("logistic_regression", anew, solver="gradient descent", learning_rate=0.1, max_steps=60)
    expected = oracle.field(DATA.X[view.scores.points])
    qtbot.waitUntil(lambda: window.player.shown.step == 5 and np.allclose(view.scores.values, expected))
    qtbot.waitUntil(lambda: view.origin.toolTip() == "end of a run without these 36 points")


def test_training_scores_follow_the_playhead(evaluating, qtbot):
    window = evaluating()
    view = window.board.evaluation.view
    window.player.jump("start")
    qtbot.waitUntil(lambda: window.player.position == 0)
    qtbot.waitUntil(lambda: bool((view.scores.values == 0.5).all()))  # all coefficients are 0 at the start
    assert view.matrix.confusion.matrix[0].sum() == 0


def test_the_evaluation_takes_the_room_of_the_curves_while_it_is_looked_at(evaluating, qtbot):
    window = evaluating()
    board = window.board
    assert not board.curves.isVisible()
    wide = board.evaluation.view.width()
    board.seconds.setCurrentIndex(0)
    assert board.curves.isVisible()
    qtbot.waitUntil(lambda: board.seconds.currentWidget().width() < wide)
    assert window.width() == 1024  # it never makes the window grow


@pytest.mark.parametrize("size", [(1366, 768), (1024, 768), (1024, 620)])
def test_opening_it_moves_nothing_that_is_in_view_or_under_the_mouse(evaluating, qtbot, size):
    window = evaluating()
    board = window.board
    window.resize(*size)
    board.seconds.setCurrentIndex(0)
    qtbot.waitUntil(lambda: board.up_to_date and board.curves.isVisible())
    before, seen = board.large.geometry(), board.plane.view_rect()
    bar = board.seconds.tabBar()
    index = board.seconds.indexOf(board.evaluation.view)
    at = bar.mapTo(board, bar.pos())
    board.seconds.setCurrentIndex(index)
    qtbot.waitUntil(lambda: board.evaluation.view.isVisible() and not board.curves.isVisible())
    QApplication.processEvents()
    assert board.large.geometry() == before
    assert board.plane.view_rect() == seen
    assert bar.mapTo(board, bar.pos()) == at


@pytest.mark.parametrize("size", [(1366, 768), (1024, 768)])
def test_where_the_data_are_a_tab_opening_it_leaves_the_large_view_and_all_tabs_where_they_are(evaluating, qtbot, size):
    window = evaluating("mlp", epochs=3)
    board = window.board
    bar = board.seconds.tabBar()
    window.resize(*size)
    board.seconds.setCurrentWidget(board.plane)
    qtbot.waitUntil(lambda: board.up_to_date and board.plane.isVisible())

    def places():
        tabs = [(board.seconds.tabText(k), bar.isTabVisible(k)) for k in range(board.seconds.count())]
        return board.large.currentWidget(), board.large.geometry(), tabs, bar.mapTo(board, bar.pos())

    before = places()
    board.seconds.setCurrentWidget(board.evaluation.view)
    qtbot.waitUntil(lambda: board.evaluation.view.isVisible() and not board.curves.isVisible())
    QApplication.processEvents()
    assert before[0] is board.views["network"]
    assert places() == before
    board.seconds.setCurrentWidget(board.plane)
    assert places() == before


def test_a_method_without_a_line_gets_one_while_it_is_evaluated(evaluating, qtbot):
    window = evaluating("decision_tree", depth=3)
    view, board = window.board.evaluation.view, window.board
    view.set_threshold(0.7)
    qtbot.waitUntil(lambda: "decision line at 0.70" in [row.name for row in board.plane.legend.rows])
    qtbot.waitUntil(lambda: len(line_of(window)) > 0)
    board.seconds.setCurrentIndex(0)
    assert not any("decision line" in row.name for row in board.plane.legend.rows)


def test_several_classes_have_a_threshold_only_after_one_is_chosen(evaluating, qtbot):
    data = generate("blobs", n=90, centres=3, noise=3.0, seed=1)
    window = evaluating(data=data)
    view, plane = window.board.evaluation.view, window.board.plane
    assert plane.threshold is None
    view.classes.setCurrentIndex(2)
    view.set_threshold(0.6)
    assert plane.threshold == Threshold(0.6, 2)
    field, model = window.document.method.field, window.player.shown.snapshot.model
    qtbot.waitUntil(
        lambda: len(line_of(window)) > 0 and np.allclose(field(model, line_of(window))[:, 2], 0.6, atol=0.03)
    )


def test_another_method_begins_with_its_own_threshold_and_keeps_the_tab(evaluating, qtbot):
    window = evaluating()
    view, board = window.board.evaluation.view, window.board
    view.set_threshold(0.9)
    window.choose_algorithm("kernel_svm")
    qtbot.waitUntil(lambda: scored(window) and not view.scores.probability)
    assert view.threshold == 0.0
    assert board.plane.threshold == Threshold(0.0)
    assert board.seconds.currentWidget() is view


def test_methods_that_are_no_classifiers_have_no_evaluation(make_window, qtbot):
    window = make_window("k_means", DATA)
    qtbot.waitUntil(lambda: ended(window))
    window.player.jump("end")
    board = window.board
    qtbot.waitUntil(lambda: board.up_to_date and window.player.shown.step == window.player.steps - 1)
    assert not board.seconds.isTabVisible(board.seconds.indexOf(board.evaluation.view))


def test_a_refusal_is_a_sentence_in_the_tab(evaluating, qtbot):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 2)), np.zeros(30, dtype=int)
    y[0] = 1
    window = evaluating(data=Points(X, y, classes=("many", "one")))
    view = window.board.evaluation.view
    view.source.setCurrentText("cross-validation")
    qtbot.waitUntil(lambda: "at least two classes" in view.message.text())
    assert not view.histogram.isVisible()
    view.source.setCurrentText("training")
    qtbot.waitUntil(lambda: view.histogram.isVisible())


def test_folds_and_the_part_held_out_are_settings(evaluating, qtbot):
    window = evaluating()
    view = window.board.evaluation.view
    assert not view.folds.isVisible()
    assert not view.held_out.isVisible()
    view.source.setCurrentText("validation")
    assert view.held_out.isVisible()
    qtbot.waitUntil(lambda: scored(window, "validation"))
    assert len(view.scores.points) == 36
    view.held_out.setValue(50)
    qtbot.waitUntil(lambda: len(view.scores.points) == 60)
    view.source.setCurrentText("cross-validation")
    assert view.folds.isVisible()
    assert not view.held_out.isVisible()
    qtbot.waitUntil(lambda: scored(window, "cross-validation"))
    five = view.scores.values
    view.folds.setValue(12)
    qtbot.waitUntil(lambda: not np.array_equal(view.scores.values, five))
    assert (view.settings().folds, view.settings().held_out) == (12, 0.5)


def hollow(plane):
    """Which points are drawn as outlines."""
    outlines = [look.fill == plane.theme.plot for look in plane.points._sprites]
    return np.flatnonzero(np.array(outlines)[plane.points._which])


@pytest.mark.parametrize("algorithm", ["logistic_regression", "mlp"])
def test_the_points_that_validation_holds_out_are_hollow_while_it_is_looked_at(evaluating, qtbot, algorithm):
    window = evaluating(algorithm, **({"epochs": 3, "validation": 0.0} if algorithm == "mlp" else {}))
    board, plane = window.board, window.board.plane
    view = board.evaluation.view
    assert not len(hollow(plane))
    view.source.setCurrentText("validation")
    qtbot.waitUntil(lambda: scored(window, "validation"))
    assert hollow(plane).tolist() == view.scores.points.tolist()
    assert "held out" in [row.name for row in plane.legend.rows]
    window.set_theme("dark")
    assert hollow(plane).tolist() == view.scores.points.tolist()
    view.held_out.setValue(50)
    assert len(hollow(plane)) == DATA.n // 2
    view.source.setCurrentText("training")
    assert not len(hollow(plane))
    assert "held out" not in [row.name for row in plane.legend.rows]


def test_the_points_of_the_fold_on_show_are_hollow(evaluating, qtbot):
    window = evaluating("gaussian_classifier")
    plane, view = window.board.plane, window.board.evaluation.view
    view.source.setCurrentText("cross-validation")
    view.folds.setValue(4)
    parts = stratified_parts(DATA.y, 4, np.random.default_rng([window.document.seed, 14]))
    assert hollow(plane).tolist() == parts[0].tolist()
    assert "held out" in [row.name for row in plane.legend.rows]
    view.fold.setValue(3)
    assert hollow(plane).tolist() == parts[2].tolist()
    assert view.settings().fold == 3
    view.folds.setValue(2)  # there is no third one any more
    assert view.fold.value() == 2
    assert len(hollow(plane)) == DATA.n // 2
    view.source.setCurrentText("training")
    assert not view.fold.isVisible()
    assert not len(hollow(plane))


def test_another_seed_holds_out_other_points_and_an_edit_keeps_them_until_the_next_run(evaluating, qtbot):
    window = evaluating()
    board, plane = window.board, window.board.plane
    board.evaluation.view.source.setCurrentText("validation")
    qtbot.waitUntil(lambda: len(hollow(plane)) > 0)
    before, run = hollow(plane), window.player.engine
    fewer = DATA.rows(np.arange(1, DATA.n))
    plane.set_draft(fewer, np.arange(1, DATA.n))
    assert hollow(plane).tolist() == [point - 1 for point in before if point]
    plane.end_draft()
    window.set_seed(7)
    qtbot.waitUntil(lambda: window.player.engine is not run and window.player.shown is not None)
    qtbot.waitUntil(lambda: hollow(plane).tolist() == validation_points(DATA, 7).tolist())
    assert hollow(plane).tolist() != before.tolist()


def test_without_the_evaluation_in_view_no_point_is_hollow(evaluating, qtbot):
    window = evaluating("decision_tree", depth=3)
    board, plane = window.board, window.board.plane
    board.evaluation.view.source.setCurrentText("validation")
    assert len(hollow(plane))
    board.seconds.setCurrentIndex(0)
    qtbot.waitUntil(lambda: not len(hollow(plane)))


def test_a_commit_gives_the_keyboard_back_to_the_board(evaluating, qtbot):
    window = evaluating("gaussian_classifier")
    window.activateWindow()
    view, board = window.board.evaluation.view, window.board

    def on_board():
        widget = QApplication.focusWidget()
        inside = widget is not None and (widget is board or board.isAncestorOf(widget))
        return inside and not view.header.isAncestorOf(widget)

    view.source.setFocus(Qt.FocusReason.TabFocusReason)
    view.source.setCurrentText("cross-validation")
    view.source.activated.emit(view.source.currentIndex())
    assert on_board()
    box = view.fold
    box.setFocus(Qt.FocusReason.MouseFocusReason)
    up = QPoint(box.width() - 6, box.height() // 4)
    qtbot.mouseClick(box, Qt.MouseButton.LeftButton, pos=up)
    assert box.value() == 2
    assert on_board()
    box.setFocus(Qt.FocusReason.MouseFocusReason)
    box.selectAll()
    qtbot.keyClicks(box, "4")
    qtbot.keyClick(box, Qt.Key.Key_Return)
    assert box.value() == 4
    assert on_board()


def test_residuals_of_a_regression_on_training_and_cross_validated_points(make_window, qtbot):
    """The tab is there for values, its sources and folds are those of classes, and held-out points are told apart."""
    window = make_window("linear_regression", generate("sine", n=40, noise=0.2, seed=1), sweep=False)
    qtbot.waitUntil(lambda: ended(window))
    window.player.jump("end")
    board, view = window.board, window.board.evaluation.view
    qtbot.waitUntil(lambda: board.seconds.isTabVisible(board.seconds.indexOf(view)))
    board.seconds.setCurrentWidget(view)
    qtbot.waitUntil(lambda: scored(window) and view.regression.fitted.isVisible())
    on_training = dict(view.scores.rates)["R²"]
    held = []
    board.evaluation.held_out_changed.connect(lambda points: held.append(len(points)))
    view.source.setCurrentText("cross-validation")
    view.folds.setValue(4)
    qtbot.waitUntil(lambda: scored(window, "cross-validation") and bool(held) and held[-1] == 10)
    assert dict(view.scores.rates)["R²"] < on_training
    assert window.arrangement.layout().evaluation.folds == 4
    window.choose_algorithm("k_nearest")
    qtbot.waitUntil(lambda: ended(window) and window.document.algorithm == "k_nearest")
    qtbot.waitUntil(lambda: scored(window) and view.regression.fitted.isVisible())
