"""The tabs of the second views come with their first marks and go when they have stayed empty."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLabel

from mlviz.data.generators import generate
from mlviz.ui import second_views
from mlviz.ui.second_views import SecondViews
from tests.events import settle

DATA = generate("blobs", n=40, centres=2, noise=3.0, seed=2)


@pytest.fixture
def tabs(qtbot, clock):
    reserve = QLabel("evaluation")
    tabs = SecondViews(reserve, clock=clock)
    qtbot.addWidget(tabs)
    for name in ("bars", "curve"):
        tabs.setTabVisible(tabs.addTab(QLabel(name), name), False)
    tabs.setTabVisible(tabs.addTab(reserve, "Evaluation"), False)
    tabs.hide()
    return tabs


def seen(tabs):
    return [tabs.tabText(k) for k in range(tabs.count()) if tabs.isTabVisible(k)]


def test_a_tab_comes_with_the_first_marks_and_the_first_one_is_chosen(tabs):
    tabs.note(tabs.widget(0), False)
    assert seen(tabs) == []
    assert tabs.isHidden()
    tabs.note(tabs.widget(1), True)
    assert tabs.currentIndex() == 1
    tabs.note(tabs.widget(0), True)
    assert seen(tabs) == ["bars", "curve"]
    assert tabs.currentIndex() == 0  # it stands before the other
    assert not tabs.isHidden()


def test_room_is_kept_before_there_is_anything_to_show_and_neither_the_evaluation_nor_time_take_it(tabs, clock):
    tabs.keep_room_for(tabs.widget(0))
    assert not tabs.isHidden()
    tabs.reveal(tabs.widget(2))
    tabs.note(tabs.widget(0), False)
    clock.now += 60.0
    tabs.remove_empty()
    assert seen(tabs) == ["bars", "Evaluation"]
    assert tabs.currentIndex() == 0
    tabs.note(tabs.widget(1), True)  # something else comes first
    tabs.note(tabs.widget(0), False)
    clock.now += 60.0
    tabs.remove_empty()
    assert seen(tabs) == ["curve", "Evaluation"]
    assert tabs.currentIndex() == 1
    tabs.note(tabs.widget(0), True)
    assert tabs.currentIndex() == 0
    assert not tabs.isHidden()


def test_a_tab_chosen_by_hand_is_left_alone(tabs, clock):
    tabs.note(tabs.widget(1), True)
    tabs.reveal(tabs.widget(2))
    tabs.setCurrentIndex(2)
    tabs.setCurrentIndex(1)
    tabs.note(tabs.widget(0), True)
    assert tabs.currentIndex() == 1


def test_a_tab_goes_only_after_a_while_and_a_short_gap_is_no_flicker(tabs, clock):
    for k in (0, 1):
        tabs.note(tabs.widget(k), True)
    tabs.note(tabs.widget(1), False)
    clock.now += 0.9 * second_views.GRACE
    tabs.remove_empty()
    assert seen(tabs) == ["bars", "curve"]
    tabs.note(tabs.widget(1), True)  # it was empty for a moment only
    tabs.note(tabs.widget(1), False)
    clock.now += 0.9 * second_views.GRACE
    tabs.remove_empty()
    assert seen(tabs) == ["bars", "curve"]
    tabs.note(tabs.widget(1), False)  # another empty frame does not begin the time anew
    clock.now += 0.2 * second_views.GRACE
    tabs.remove_empty()
    assert seen(tabs) == ["bars"]


def test_who_looked_at_a_tab_that_went_is_brought_back_with_it(tabs, clock):
    for k in (0, 1):
        tabs.note(tabs.widget(k), True)
    tabs.setCurrentIndex(1)
    tabs.note(tabs.widget(1), False)
    clock.now += 2 * second_views.GRACE
    tabs.remove_empty()
    assert tabs.currentIndex() == 0
    tabs.note(tabs.widget(1), True)
    assert tabs.currentIndex() == 1


def test_a_choice_made_since_then_stays(tabs, clock):
    other = QLabel("other")
    tabs.addTab(other, "other")
    for k in (0, 1):
        tabs.note(tabs.widget(k), True)
    tabs.setCurrentIndex(1)
    tabs.note(tabs.widget(1), False)
    clock.now += 2 * second_views.GRACE
    tabs.remove_empty()
    tabs.setCurrentWidget(other)
    tabs.note(tabs.widget(1), True)
    assert tabs.currentWidget() is other


def test_an_empty_view_stays_when_only_the_evaluation_could_take_its_place(tabs, clock):
    tabs.note(tabs.widget(0), True)
    tabs.reveal(tabs.widget(2))
    tabs.note(tabs.widget(0), False)
    clock.now += 2 * second_views.GRACE
    tabs.remove_empty()
    assert tabs.currentIndex() == 0
    assert seen(tabs) == ["bars", "Evaluation"]


def test_without_any_view_there_are_no_tabs_at_all(tabs, clock):
    tabs.note(tabs.widget(0), True)
    tabs.note(tabs.widget(0), False)
    clock.now += 2 * second_views.GRACE
    tabs.remove_empty()
    assert seen(tabs) == []
    assert tabs.isHidden()
    tabs.note(tabs.widget(0), True)
    assert seen(tabs) == ["bars"]
    assert not tabs.isHidden()


def test_in_the_window_the_box_of_two_multipliers_goes_at_the_end_and_comes_back(make_window, clock, qtbot):
    """The last frame of SMO chooses no pair of multipliers, so it has no box."""
    window = make_window("kernel_svm", DATA, clock=clock)
    board = window.board
    qtbot.waitUntil(lambda: window.player.engine.ended and window.player.shown is not None)
    window.player.seek(1)
    qtbot.waitUntil(lambda: "box" in board.views)
    box = board.views["box"]
    qtbot.waitUntil(lambda: board.seconds.isTabVisible(board.seconds.indexOf(box)))
    board.seconds.setCurrentWidget(box)
    window.player.jump("end")
    qtbot.waitUntil(lambda: not box.marks)
    assert board.seconds.isTabVisible(board.seconds.indexOf(box))
    clock.now += second_views.GRACE
    qtbot.waitUntil(lambda: not board.seconds.isTabVisible(board.seconds.indexOf(box)))
    assert board.seconds.currentWidget() not in (box, board.evaluation.view)
    window.player.step(-1)
    qtbot.waitUntil(lambda: board.seconds.currentWidget() is box)


def test_large_letters_give_the_views_below_more_height_and_presenting_leaves_the_window_as_it_was(make_window, qtbot):
    window = make_window("agglomerative", DATA)
    splitter = window.board.splitter
    qtbot.waitUntil(lambda: window.player.engine.ended and window.player.shown is not None)
    size, before = window.size(), splitter.sizes()
    window.toggle_presenter()
    qtbot.waitUntil(lambda: splitter.sizes()[1] >= 0.38 * sum(splitter.sizes()))
    window.toggle_presenter()
    qtbot.waitUntil(lambda: abs(splitter.sizes()[1] - before[1]) < 0.05 * sum(before))
    assert window.size() == size


def test_the_sweep_is_seen_together_with_the_tree_and_the_plane_until_a_curve_is_chosen(make_window, qtbot):
    """The curve of the criterion, the cut in the plane and the node in the diagram belong together."""
    window = make_window("decision_tree", DATA)
    board = window.board
    qtbot.waitUntil(lambda: window.player.engine.ended and window.player.shown is not None)
    sweep = board.views["sweep"]
    assert not board.curves.aside_in_front  # nothing has been swept yet
    window.player.seek(2)
    qtbot.waitUntil(lambda: bool(sweep.marks) and sweep.isVisible())
    assert board.views["tree"].isVisible()
    assert board.plane.isVisible()
    assert not board.curves.log_button.isVisible()
    board.curves.tabs.setCurrentIndex(1)
    assert not sweep.isVisible()
    assert board.curves.plot.isVisible()
    assert board.curves.log_button.isVisible()
    for step in (0, 3):
        window.player.seek(step)
        qtbot.waitUntil(lambda step=step: window.player.shown.step == step)
        qtbot.waitUntil(lambda step=step: board.curves.tabs.count() == len(board.curves._groups) + (step > 0))
        assert not board.curves.aside_in_front  # what was chosen by hand stays
    assert board.curves.group == "error"
    window.choose_algorithm("k_means")
    qtbot.waitUntil(lambda: window.player.engine.algorithm.key == "k_means" and board.up_to_date)
    assert board.curves.tabs.count() == len(board.curves._groups)
    assert board.curves.plot.isVisible()


def test_large_letters_put_the_second_views_and_the_evaluation_beside_a_wide_plane(make_window, qtbot):
    window = make_window("logistic_regression", DATA)
    board = window.board
    qtbot.waitUntil(lambda: window.player.engine.ended and window.player.shown is not None)
    window.resize(1400, 1150)
    fraction = board.board_layout.fraction
    window.presenter.toggle_in_window()
    qtbot.waitUntil(lambda: board.board_layout.side_by_side)
    qtbot.waitUntil(lambda: board.below.x() > 0.5 * board.width() and board.curves.y() > 0)
    assert board.plane.height() > 0.7 * board.plane.width()  # no strip
    large = board.large.size()
    board.seconds.setCurrentWidget(board.evaluation.view)
    qtbot.waitUntil(lambda: board.evaluation.view.height() > 0.9 * board.height() - board.seconds.tabBar().height())
    assert board.board_layout.side_by_side
    assert board.large.size() == large  # the plane stays where it was looked at
    board.seconds.setCurrentIndex(0)
    assert board.board_layout.side_by_side
    window.resize(800, 1200)
    qtbot.waitUntil(lambda: not board.board_layout.side_by_side)  # a high board has its room below
    window.resize(1280, 800)
    window.presenter.toggle_in_window()
    qtbot.waitUntil(lambda: not board.board_layout.side_by_side)
    qtbot.waitUntil(lambda: abs(board.board_layout.fraction - fraction) < 0.05)


@pytest.mark.parametrize(("width", "height"), [(1024, 768), (1920, 1080)])
@pytest.mark.parametrize("presenting", [False, True])
def test_the_plane_keeps_its_room_beside_the_evaluation(make_window, qtbot, width, height, presenting):
    window = make_window("logistic_regression", DATA)
    board, view = window.board, window.board.evaluation.view
    window.resize(width, height)
    qtbot.waitUntil(lambda: window.player.engine.ended and board.up_to_date)
    if presenting:
        window.presenter.toggle_in_window()
    settle()
    before = board.large.geometry()
    board.seconds.setCurrentWidget(view)
    qtbot.waitUntil(lambda: view.scores is not None)
    settle()
    assert board.large.width() * board.large.height() >= 0.45 * board.width() * board.height()
    assert board.large.geometry() == before  # whatever its shape: nothing moves as the tab is opened
    pictures = [picture for picture in view._pictures() if picture.isVisible()]
    assert len(pictures) == {(1024, True): 2, (1024, False): 3}.get((width, presenting), 4)
    for picture in pictures:
        assert picture.width() >= 13 * window.theme.font
        assert picture.height() >= 10 * window.theme.font
    assert window.size().toTuple() == (width, height)


def test_the_plane_keeps_its_room_above_the_table_of_points(make_window, qtbot):
    window = make_window("logistic_regression", DATA)
    board, view, table = window.board, window.board.evaluation.view, window.data_controller.table.view
    qtbot.waitUntil(lambda: window.player.engine.ended and board.up_to_date)
    high = board.height()
    window.docks[3].show()
    qtbot.waitUntil(lambda: board.board_layout.side_by_side and board.height() < high)
    assert table.viewport().height() >= 4 * table.rowHeight(0)
    for widget in (board.views["curve"], view):
        board.seconds.setCurrentWidget(widget)
        settle()
        assert board.large.width() * board.large.height() >= 0.45 * board.width() * board.height()
        assert 0.55 < board.plane.width() / board.plane.height() < 1.8
        assert board.large.height() > 0.95 * board.height()
    assert sum(picture.isVisible() for picture in view._pictures()) == 2
    assert window.size().toTuple() == (1024, 768)
    window.docks[3].hide()
    board.seconds.setCurrentIndex(0)
    qtbot.waitUntil(lambda: not board.board_layout.side_by_side)


def test_a_height_that_was_given_by_hand_comes_back_after_presenting(make_window, qtbot):
    window = make_window("agglomerative", DATA)
    board = window.board
    qtbot.waitUntil(lambda: board.up_to_date and board.seconds.isVisible())
    handle = board.splitter.handle(1)
    qtbot.mousePress(handle, Qt.MouseButton.LeftButton)
    qtbot.mouseMove(handle, handle.rect().center() - QPoint(0, 90))
    qtbot.mouseRelease(handle, Qt.MouseButton.LeftButton)
    given = board.splitter.sizes()[0] / sum(board.splitter.sizes())
    assert given < 0.6
    assert board.board_layout.fraction == pytest.approx(given)
    window.toggle_presenter()
    qtbot.waitUntil(lambda: board.board_layout.side_by_side)
    window.toggle_presenter()
    qtbot.waitUntil(lambda: not board.board_layout.side_by_side)
    assert board.board_layout.fraction == pytest.approx(given)
    qtbot.waitUntil(lambda: abs(board.large.height() / board.height() - given) < 0.03)


def test_views_that_come_back_have_half_of_the_room_again(make_window, qtbot):
    window = make_window("k_means", DATA)
    board = window.board
    qtbot.waitUntil(lambda: board.up_to_date and board.seconds.isHidden())
    window.choose_algorithm("agglomerative")
    qtbot.waitUntil(lambda: board.seconds.isVisible())
    qtbot.waitUntil(lambda: abs(board.seconds.width() - board.curves.width()) < 0.05 * board.width())
    board.below.setSizes([600, 100])
    board.below.splitterMoved.emit(300, 1)  # as if by hand
    window.choose_algorithm("k_means")
    qtbot.waitUntil(lambda: board.up_to_date and board.seconds.isHidden())
    window.choose_algorithm("agglomerative")
    qtbot.waitUntil(lambda: board.seconds.isVisible())
    qtbot.waitUntil(lambda: board.seconds.width() > 1.5 * board.curves.width())


@pytest.mark.parametrize(
    ("key", "params"),
    [("k_means", {"restarts": 3}), ("k_means", {"elbow": 4}), ("gaussian_mixture", {"restarts": 2})],
)
def test_nothing_moves_while_a_run_with_a_late_view_plays(make_window, clock, qtbot, key, params):
    window = make_window(key, DATA, clock=clock, **params)
    board, player = window.board, window.player
    qtbot.waitUntil(lambda: player.engine.ended and board.up_to_date)
    places = []
    for step in (0, len(player.timeline) // 2, len(player.timeline) - 1):
        player.seek(step)
        qtbot.waitUntil(lambda step=step: player.shown.step == step and board.up_to_date)
        clock.now += 2 * second_views.GRACE
        settle()
        places.append((board.seconds.geometry(), board.curves.geometry(), board.large.geometry(), seen(board.seconds)))
    assert places[0] == places[1] == places[2]
    assert not board.seconds.isHidden()


def test_presenting_leaves_the_controls_as_narrow_as_they_were(make_window, qtbot):
    window = make_window("k_means", DATA)
    settle()
    narrow, widths = window.knobs.minimumSizeHint().width(), [dock.width() for dock in window.docks]
    for _ in range(2):
        window.toggle_presenter()
        settle()
        window.toggle_presenter()
        settle()
    assert window.knobs.minimumSizeHint().width() == narrow
    assert [dock.width() for dock in window.docks[:3]] == widths[:3]
