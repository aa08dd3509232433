"""The transport bar: what it asks for, what it writes, and that everything fits."""

from __future__ import annotations

import math

import pytest
from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from mlviz.ui import style
from mlviz.ui.speeds import SPEEDS, speed_words
from mlviz.ui.transport import AUTO, Transport
from mlviz.views.theme import DARK, LIGHT

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
"""What the offscreen platform says about windows it only pretends to have."""


@pytest.fixture
def transport(qtbot):
    widget = Transport()
    qtbot.addWidget(widget)
    widget.set_progress(53, False, "converged")
    widget.set_position(14)
    widget.resize(1024, 90)
    widget.show()
    return widget


@pytest.fixture
def dressed(qapp):
    """The application in a theme, and undressed again for the other tests."""
    font, colours, style_name = qapp.font(), qapp.palette(), qapp.style().name()

    def dress(theme):
        style.apply(qapp, theme)

    yield dress
    qapp.setStyleSheet("")
    qapp.setStyle(style_name)
    qapp.setPalette(colours)
    qapp.setFont(font)


def heard(signal) -> list:
    result: list = []
    signal.connect(lambda *values: result.append(values[0] if values else None))
    return result


def test_the_step_and_the_reason_are_written(transport):
    assert transport.step_label.text() == "step 14 / 52"
    transport.set_progress(20, True, "")
    assert transport.step_label.text() == "step 14 / 19+"
    assert transport.reason_label.text() == ""
    assert transport.reason_label.isHidden()


def test_the_reason_of_the_end_stands_at_the_end_alone(transport):
    transport.set_position(52)
    assert transport.reason_label.text() == "converged"
    room = transport.reason_label.width()
    transport.set_position(0)
    assert transport.reason_label.text() == ""
    assert transport.reason_label.isVisibleTo(transport)  # the time line keeps its length
    assert transport.reason_label.width() == room
    assert transport.time_bar.words_at(52) == "step 52 · converged"
    assert transport.time_bar.words_at(0) == "step 0"


def test_every_button_asks_for_its_thing(qtbot, transport):
    steps, phases = heard(transport.step_requested), heard(transport.phase_requested)
    jumps, plays = heard(transport.jump_requested), heard(transport.play_toggled)
    same, new = heard(transport.same_seed_requested), heard(transport.new_seed_requested)
    names = ("step_back", "step_forward", "phase_back", "phase_forward", "to_start", "to_end", "play", "play")
    for name in names:
        qtbot.mouseClick(transport.buttons[name], Qt.MouseButton.LeftButton)
    qtbot.mouseClick(transport.same_button, Qt.MouseButton.LeftButton)
    qtbot.mouseClick(transport.new_button, Qt.MouseButton.LeftButton)
    assert steps == [-1, 1]
    assert phases == [-1, 1]
    assert jumps == ["start", "end"]
    assert plays == [True, False]
    assert (len(same), len(new)) == (1, 1)


def test_buttons_that_lead_nowhere_are_off(transport):
    transport.set_position(0)
    assert not transport.buttons["step_back"].isEnabled()
    transport.set_position(52)
    assert not transport.buttons["step_forward"].isEnabled()
    transport.set_progress(53, True, "")
    assert transport.buttons["step_forward"].isEnabled()


def test_setters_are_silent(transport):
    signals = (transport.play_toggled, transport.scrubbed, transport.seed_changed, transport.speed_changed)
    ears = [heard(signal) for signal in (*signals, transport.by_phase_changed)]
    transport.set_playing(True)
    transport.set_position(3)
    transport.set_seed(99)
    transport.set_speed(30)
    transport.set_by_phase(True)
    assert ears == [[], [], [], [], []]
    assert transport.play_button.text() == "Pause"
    assert transport.seed_box.value() == 99
    assert transport.speed() == 30
    assert transport.by_phase()


def test_click_jumps_and_drag_scrubs(qtbot, transport):
    bar = transport.time_bar
    steps = heard(transport.scrubbed)
    left = Qt.MouseButton.LeftButton
    middle = bar.height() // 2
    qtbot.mousePress(bar, left, pos=QPoint(round(bar.x_of(26)), middle))
    qtbot.mouseMove(bar, QPoint(round(bar.x_of(40)), middle))
    qtbot.mouseRelease(bar, left, pos=QPoint(round(bar.x_of(40)), middle))
    assert steps[0] == 26
    qtbot.mouseClick(bar, left, pos=QPoint(bar.width(), middle))
    assert steps[-1] == 52
    assert transport.step_label.text() == "step 52 / 52"


def test_places_along_the_bar_are_steps_and_back(transport):
    bar = transport.time_bar
    for running in (False, True):
        bar.set_range(52, running)
        assert [bar.step_at(bar.x_of(step)) for step in range(53)] == list(range(53))
    assert bar.step_at(-50) == 0
    assert bar.step_at(5000) == 52


def test_an_empty_bar_does_not_divide_by_zero(qtbot, transport):
    transport.set_progress(0, True, "")
    transport.set_position(0)
    assert transport.step_label.text() == "step 0 / 0+"
    assert transport.time_bar.step_at(300) == 0
    assert not transport.grab().isNull()


def test_ticks_say_what_happened(transport):
    transport.set_events([(9, "the loss rose"), (52, "converged")])
    assert transport.time_bar.words_at(9) == "step 9: the loss rose"
    assert transport.time_bar.words_at(30) == "step 30"


def test_keys_move_the_focused_time_line(qtbot, transport):
    steps = heard(transport.scrubbed)
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Left, Qt.Key.Key_End, Qt.Key.Key_Home, Qt.Key.Key_PageUp):
        qtbot.keyClick(transport.time_bar, key)
    assert steps == [15, 14, 52, 0, 5]


@pytest.mark.parametrize(
    ("frames", "speed"), [(2, 4), (120, 4), (121, 8), (450, 15), (2501, 120), (7200, 240), (7201, math.inf)]
)
def test_a_run_plays_within_half_a_minute_by_itself(transport, frames, speed):
    speeds = heard(transport.speed_changed)
    transport.set_progress(frames, running=False, reason="converged")
    assert transport.speed() == speed
    assert transport.chosen_speed() is None
    assert transport.speed_box.currentText() == ("auto: max" if math.isinf(speed) else f"auto: {speed}/s")
    assert speeds == ([] if speed == 4 else [speed])


def test_a_chosen_speed_stays_whatever_the_length(transport):
    transport.change_speed(1)
    speeds = heard(transport.speed_changed)
    transport.set_progress(100_000, running=False, reason="converged")
    assert (transport.speed(), transport.chosen_speed(), speeds) == (8, 8, [])
    transport.speed_box.setCurrentIndex(AUTO)
    assert speeds == [math.inf]
    transport.by_box.setCurrentIndex(1)  # there are far fewer phases
    assert speeds == [math.inf, 4]


def test_speed_goes_from_half_a_step_to_all_it_can(transport):
    speeds = heard(transport.speed_changed)
    assert speed_words(4) == "4 steps/s"
    assert speed_words(1) == "1 step/s"
    assert speed_words(math.inf) == "max speed"
    transport.set_speed(0.5)
    transport.change_speed(-1)
    assert speeds == []
    for _ in SPEEDS:
        transport.change_speed(1)
    assert speeds == [1, 2, 4, 8, 15, 30, 60, 120, 240, math.inf]
    transport.by_box.setCurrentIndex(1)
    assert transport.by_phase()


def test_a_typed_seed_counts_once_it_is_entered(qtbot, transport):
    seeds = heard(transport.seed_changed)
    transport.set_seed(7)
    transport.seed_box.setFocus()
    transport.seed_box.selectAll()
    qtbot.keyClicks(transport.seed_box, "123")
    assert seeds == []
    qtbot.keyClick(transport.seed_box, Qt.Key.Key_Return)
    qtbot.keyClick(transport.seed_box, Qt.Key.Key_Return)
    assert seeds == [123]


def shown_parts(transport: Transport) -> list[QWidget]:
    return [part for part in transport.findChildren(QWidget) if part.isVisible() and part.parent() is transport]


def in_a_window(qtbot, theme, width, height):
    """A window of this size with the bar at its top, shown, and the bar."""
    window = QWidget()
    qtbot.addWidget(window)
    transport = Transport(theme=theme)
    column = QVBoxLayout(window)
    column.setContentsMargins(0, 0, 0, 0)
    column.addWidget(transport)
    column.addStretch(1)
    window.resize(width, height)
    window.show()
    QApplication.processEvents()
    return window, transport


@pytest.mark.parametrize(
    ("theme", "width"),
    [(LIGHT, 1024), (DARK, 1024), (DARK.presenting(), 1024), (LIGHT, 540), (LIGHT.presenting(), 640)],
    ids=["light", "dark", "presenting", "narrow", "narrow presenting"],
)
def test_nothing_is_clipped(qtbot, dressed, theme, width):
    dressed(theme)
    _window, transport = in_a_window(qtbot, theme, width, 1000)
    transport.set_progress(53, False, "converged")
    QApplication.processEvents()
    assert transport.minimumSizeHint().width() <= width == transport.width()
    assert len(shown_parts(transport)) > 10
    for part in shown_parts(transport):
        assert transport.rect().contains(part.geometry()), part.objectName()
        assert part.width() >= part.minimumSizeHint().width(), part.objectName()
        assert part.height() >= part.minimumSizeHint().height(), part.objectName()


def test_tool_tips_name_the_keys(transport):
    tips = " ".join(button.toolTip() for button in transport.buttons.values())
    for key in ("Space", "(Left)", "(Right)", "Shift+Left", "Shift+Right", "Home", "End"):
        assert key in tips


def test_on_a_low_projector_everything_is_one_row_and_the_picture_has_the_height(qtbot, dressed):
    heights = {}
    for height in (768, 1080):
        dressed(DARK.presenting())
        _window, transport = in_a_window(qtbot, DARK.presenting(), 1024, height)
        transport.set_progress(321, False, "stopped after 20 passes")
        QApplication.processEvents()
        heights[height] = transport.height()
        middle = {part.geometry().center().y() // 10 for part in (transport.play_button, transport.time_bar)}
        assert (len(middle) == 1) == (height == 768)
        assert transport.seed_box.isVisible() == (height == 1080)
        assert transport.time_bar.width() >= 200
    assert heights[768] < 0.7 * heights[1080]
    transport.set_theme(DARK)
    assert transport.seed_box.isVisible()


def test_in_one_row_a_long_reason_makes_way_for_the_time_line(qtbot, dressed):
    theme = LIGHT.presenting()
    dressed(theme)
    window = QWidget()
    qtbot.addWidget(window)
    transport = Transport(theme=theme)
    column = QVBoxLayout(window)
    column.addWidget(transport)
    column.addStretch(1)
    window.resize(1024, 768)
    window.show()
    transport.set_progress(168, False, "60 epochs without a better one")
    transport.set_position(167, "epoch 97")
    QApplication.processEvents()
    label = transport.step_label
    assert label.text() == "epoch 97 · step 167 / 167"
    assert label.width() >= label.sizeHint().width()
    assert transport.time_bar.width() >= 200
    assert not transport.reason_label.isVisible()
    transport.set_progress(168, False, "converged")
    assert transport.reason_label.isVisible()


def test_a_bar_that_changes_its_size_while_it_fits_does_not_fit_for_ever(qtbot, monkeypatch):
    bar, fitted = Transport(), []
    qtbot.addWidget(bar)

    def fit():
        fitted.append(bar.width())
        bar.resize(bar.width() + 10, bar.height())
        bar.resizeEvent(QResizeEvent(bar.size(), QSize(1, 1)))

    monkeypatch.setattr(bar, "_fit", fit)
    bar.resizeEvent(QResizeEvent(bar.size(), QSize(1, 1)))
    assert len(fitted) == 2
