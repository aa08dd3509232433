"""Presenter mode: the whole screen, the caption, pointer, pen and black screen, and the way back."""

import pyqtgraph as pg
import pytest
import shiboken6
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QGraphicsView, QWidget

from mlviz.ui.annotations import Annotations
from mlviz.ui.presenter import laser_cursor
from mlviz.ui.settled_repaint import MOST_TURNS, SettledRepaint
from tests.events import Paints, settle

LEFT = Qt.MouseButton.LeftButton
START, END = QPoint(200, 150), QPoint(260, 210)


@pytest.fixture
def presenting(window, qtbot):
    """A window in presenter mode whose run has ended."""
    qtbot.waitUntil(lambda: window.player.shown is not None and not window.player.running)
    window.activateWindow()
    press(qtbot, window, Qt.Key.Key_F5)
    qtbot.waitUntil(lambda: window.geometry() == window.screen().geometry())
    qtbot.waitUntil(lambda: window.board.up_to_date)
    settle()
    yield window
    window.presenter.put_down()


def press(qtbot, window, key, modifiers=Qt.KeyboardModifier.NoModifier):
    """Press a key; the platform without a screen takes the keyboard away whenever a window changes its state."""
    QApplication.processEvents()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    qtbot.keyClick(window, key, modifiers)


def stroke(window, start=START, end=END):
    """Draw a line over the large view; gives its places on the board."""
    paper = window.presenter.annotations
    QTest.mousePress(paper, LEFT, Qt.KeyboardModifier.NoModifier, start)
    QTest.mouseMove(paper, end)
    QTest.mouseRelease(paper, LEFT, Qt.KeyboardModifier.NoModifier, end)
    return paper.strokes[-1]


def on_board(window, drawn):
    """The corners of a stroke on the board."""
    box = window.presenter.annotations._from_view(drawn.view).map(drawn.path).boundingRect()
    return [round(value) for value in (box.left(), box.top(), box.right(), box.bottom())]


def test_f5_is_the_whole_screen_and_brings_the_window_back(window, qtbot):
    before = window.geometry()
    press(qtbot, window, Qt.Key.Key_F5)
    assert window.isFullScreen()
    qtbot.waitUntil(lambda: window.geometry() == window.screen().geometry())
    press(qtbot, window, Qt.Key.Key_F5)
    assert not window.isFullScreen()
    qtbot.waitUntil(lambda: window.geometry() == before)
    press(qtbot, window, Qt.Key.Key_F5)
    press(qtbot, window, Qt.Key.Key_Escape)
    assert not window.isFullScreen()
    assert not window.presenting
    qtbot.waitUntil(lambda: window.geometry() == before)


def test_a_window_that_filled_the_screen_does_so_again(window, qtbot):
    window.showMaximized()
    window.toggle_presenter()
    assert window.isFullScreen()
    window.toggle_presenter()
    assert window.isMaximized()
    window.showNormal()


def test_in_the_window_it_stays_a_window(window, qtbot):
    before = window.geometry()
    press(qtbot, window, Qt.Key.Key_F5, Qt.KeyboardModifier.ShiftModifier)
    assert window.presenting
    assert window.geometry() == before
    press(qtbot, window, Qt.Key.Key_Escape)
    assert not window.presenting


def test_the_caption_stands_large_under_the_picture_and_follows_the_steps(presenting, qtbot):
    caption = presenting.presenter.caption.caption
    for step in (0, 3):
        presenting.player.seek(step)
        qtbot.waitUntil(lambda step=step: presenting.narrator.described.step == step)
        assert caption.text() == presenting.player.shown.snapshot.caption != ""
    assert caption.isVisible()
    assert caption.font().pointSizeF() >= 20
    top = caption.mapTo(presenting, QPoint()).y()
    assert presenting.board.mapTo(presenting, QPoint(0, presenting.board.height())).y() <= top
    assert top + caption.height() <= presenting.transport.mapTo(presenting, QPoint()).y()
    presenting.toggle_presenter()
    assert not caption.isVisible()


@pytest.mark.parametrize("width", [1024, 1366])
def test_no_line_of_a_long_caption_is_cut(make_window, qtbot, width):
    window = make_window("k_means")
    window.resize(width, 768)
    window.presenter.toggle_in_window()
    strip = window.presenter.caption
    for count in (30, 14, 45):
        strip.caption.set_text("twelve words " * count)
        qtbot.waitUntil(lambda: strip.height() >= strip.sizeHint().height())
        bottom = strip.caption.mapTo(strip, strip.caption.rect().bottomLeft()).y()
        assert bottom < strip.height()
        assert strip.mapTo(window, strip.rect().bottomLeft()).y() < window.transport.mapTo(window, QPoint()).y()
    assert window.size().toTuple() == (width, 768)


def test_the_page_keys_of_a_clicker_go_by_phases(presenting, qtbot):
    presenting.player.jump("start")
    press(qtbot, presenting, Qt.Key.Key_PageDown)
    there = presenting.player.position
    assert there > 0
    press(qtbot, presenting, Qt.Key.Key_PageUp)
    assert presenting.player.position < there


def test_strokes_stay_with_what_they_mark_and_go_with_escape(presenting, qtbot):
    data = presenting.document
    press(qtbot, presenting, Qt.Key.Key_F7)
    drawn = stroke(presenting)
    assert drawn.view is presenting.board.plane
    assert on_board(presenting, drawn) == [200, 150, 260, 210]
    presenting.player.step(1)
    press(qtbot, presenting, Qt.Key.Key_F7)  # the pen is put down, the strokes stay
    assert presenting.presenter.annotations.isVisible()
    marked = drawn.path.boundingRect()
    presenting.board.plane.box.translateBy(x=-0.5 * marked.width())
    left = on_board(presenting, drawn)[0]
    assert left == pytest.approx(230, abs=2)
    press(qtbot, presenting, Qt.Key.Key_Escape)
    assert not presenting.presenter.annotations.strokes
    assert presenting.presenting
    assert presenting.document is data  # strokes are no data
    press(qtbot, presenting, Qt.Key.Key_Escape)
    assert not presenting.presenting


def test_strokes_are_painted(presenting, qtbot):
    press(qtbot, presenting, Qt.Key.Key_F7)
    drawn = stroke(presenting)
    after = presenting.centralWidget().grab().toImage()
    left, top, right, bottom = on_board(presenting, drawn)
    middle = after.pixelColor((left + right) // 2, (top + bottom) // 2)
    assert middle.red() > 150 > middle.green()
    beside = after.pixelColor(right + 20, bottom + 20)
    assert not beside.red() > 150 > beside.green()


def test_strokes_of_a_view_that_is_gone_go_with_it(presenting, qtbot):
    presenting.choose_algorithm("decision_tree")
    qtbot.waitUntil(lambda: presenting.board.up_to_date and "tree" in presenting.board.views)
    tree = presenting.board.views["tree"]
    qtbot.waitUntil(tree.isVisible)
    press(qtbot, presenting, Qt.Key.Key_F7)
    place = tree.mapTo(presenting.centralWidget(), tree.rect().center())
    assert stroke(presenting, place, place + QPoint(20, 20)).view is tree
    presenting.choose_algorithm("k_means")
    qtbot.waitUntil(lambda: presenting.board.up_to_date and "tree" not in presenting.board.views)
    presenting.centralWidget().grab()
    assert not presenting.presenter.annotations.strokes


def test_with_the_pen_in_hand_keys_still_drive_time(presenting, qtbot):
    presenting.player.jump("start")
    press(qtbot, presenting, Qt.Key.Key_F7)
    press(qtbot, presenting, Qt.Key.Key_Right)
    assert presenting.player.position == 1


def test_the_laser_is_the_cursor_until_escape(presenting, qtbot):
    press(qtbot, presenting, Qt.Key.Key_F8)
    assert QApplication.overrideCursor() is not None
    assert presenting.actions_table["laser"].isChecked()
    press(qtbot, presenting, Qt.Key.Key_F7)  # one thing in hand at a time
    assert QApplication.overrideCursor() is None
    press(qtbot, presenting, Qt.Key.Key_F8)
    assert not presenting.presenter.annotations.pen_in_hand
    press(qtbot, presenting, Qt.Key.Key_Escape)
    assert QApplication.overrideCursor() is None
    assert presenting.presenting


def test_the_laser_is_red_with_a_glow():
    picture = laser_cursor(2.0).pixmap().toImage()
    middle, edge = picture.pixelColor(44, 30), picture.pixelColor(44, 6)
    assert (middle.red(), middle.green(), middle.alpha()) == (225, 0, 255)
    assert 0 < edge.alpha() < 120


def test_the_screen_goes_black_and_comes_back(presenting, qtbot):
    black, tool = presenting.presenter.blackness, presenting.editor.tool
    for key in (Qt.Key.Key_Period, Qt.Key.Key_B):  # clickers send the one or the other
        press(qtbot, presenting, key)
        assert black.isVisible()
        assert black.geometry() == presenting.rect()
        assert presenting.grab().toImage().pixelColor(300, 300).value() == 0
        press(qtbot, presenting, key)
        assert not black.isVisible()
    press(qtbot, presenting, Qt.Key.Key_Period)
    press(qtbot, presenting, Qt.Key.Key_Escape)
    assert not black.isVisible()
    assert presenting.presenting
    presenting.presenter.black_out()
    qtbot.mouseClick(black, LEFT)
    assert not black.isVisible()
    assert presenting.editor.tool == tool


def test_outside_presenter_mode_b_takes_the_spray(presenting, qtbot):
    presenting.toggle_presenter()
    press(qtbot, presenting, Qt.Key.Key_Period)
    press(qtbot, presenting, Qt.Key.Key_B)
    assert not presenting.presenter.blackness.isVisible()
    assert presenting.actions_table["tool_spray"].isChecked()


def test_closing_takes_the_laser_away(make_window, qtbot):
    window = make_window()
    window.presenter.toggle_laser()
    window.close()
    assert QApplication.overrideCursor() is None


def test_the_legends_go_and_come_with_a_key(window, qtbot):
    legend = window.board.plane.legend
    assert legend.isVisible()
    press(qtbot, window, Qt.Key.Key_K)
    assert not legend.isVisible()
    window.choose_algorithm("decision_tree")
    qtbot.waitUntil(lambda: window.board.up_to_date and "tree" in window.board.views)
    assert not any(view.legend.isVisible() for view in window.board.views.values())
    press(qtbot, window, Qt.Key.Key_K)
    assert legend.isVisible()


def test_the_large_view_stands_alone_with_a_key(window, qtbot):
    high = window.board.large.height()
    press(qtbot, window, Qt.Key.Key_M)
    qtbot.waitUntil(lambda: window.board.large.height() > 0.95 * window.board.height() > high)
    press(qtbot, window, Qt.Key.Key_M)
    qtbot.waitUntil(lambda: window.board.large.height() == high)


def test_presenter_mode_is_painted_when_everything_has_its_place(window, qtbot):
    qtbot.waitUntil(lambda: window.player.shown is not None and not window.player.running)
    qtbot.waitUntil(lambda: window.board.up_to_date)
    settle()
    paints, moment = Paints(window.board.plane.viewport()), window.presenter._repaint
    window.toggle_presenter()
    assert moment.holding
    qtbot.waitUntil(lambda: not moment.holding)
    assert paints.count <= 1  # with the release it is painted, at this turn of the loop or the next
    assert window.centralWidget().updatesEnabled()
    window.toggle_presenter()
    qtbot.waitUntil(lambda: not moment.holding)


def test_what_never_settles_is_painted_all_the_same(qtbot):
    plot = QGraphicsView()
    qtbot.addWidget(plot)
    plot.show()
    moment = SettledRepaint(plot)
    moment.hold(plot)
    for turn in range(MOST_TURNS + 1):
        plot.resize(200 + turn, 100)
        moment._look()
    assert not moment.holding
    assert plot.updatesEnabled()


def test_a_stroke_ends_with_its_view(qtbot):
    """A slide is turned while the pen is down: the plot on which it draws goes."""
    below = QWidget()
    qtbot.addWidget(below)
    plot = pg.PlotWidget(below)
    plot.resize(400, 300)
    below.show()
    paper = Annotations(below)
    paper.take_pen(True)
    qtbot.mousePress(paper, LEFT, pos=START)
    assert [stroke.view for stroke in paper.strokes] == [plot]
    shiboken6.delete(plot)
    with qtbot.captureExceptions() as raised:
        qtbot.mouseMove(paper, END)
        paper.grab()
        qtbot.mouseMove(paper, START)
        qtbot.mouseRelease(paper, LEFT, pos=START)
    assert not raised
    assert not paper.strokes
