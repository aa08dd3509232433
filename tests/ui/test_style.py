"""The look: icons in the theme's colours, a style sheet Qt understands, and keys that reach the focused control."""

from __future__ import annotations

import gc
from collections import Counter

import pytest
from PySide6.QtCore import QCoreApplication, QSize, Qt
from PySide6.QtGui import QIcon, QKeySequence, QPalette, QShortcut
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from mlviz.app import garbage_collector_of
from mlviz.ui import icons, style
from mlviz.ui.controls import CheckBox, ComboBox, Slider, ToolButton
from mlviz.ui.garbage_collector import REST
from mlviz.views.colours import blend
from mlviz.views.theme import DARK, LIGHT

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
NAMES = (
    *("play", "pause", "step_forward", "step_back", "phase_forward", "phase_back", "to_start", "to_end"),
    *("same_seed", "new_seed", "undo", "redo", "present", "theme", "export", "search", "open", "save"),
    *("point", "spray", "line", "stamp", "select", "move", "relabel", "erase", "warning", "reset", "more", "less"),
)


@pytest.mark.parametrize("name", NAMES)
def test_every_icon_is_drawn_in_the_colour_of_the_theme(qapp, name):
    for theme in (LIGHT, DARK):
        image = icons.icon(name, theme).pixmap(QSize(24, 24), 2.0).toImage()
        assert image.width() == 48
        solid = [
            image.pixelColor(x, y).name() for x in range(48) for y in range(48) if image.pixelColor(x, y).alpha() == 255
        ]
        assert len(solid) > 40
        assert Counter(solid).most_common(1)[0][0] == theme.text


def test_disabled_is_dimmed_and_checked_is_accented(qapp):
    icon = icons.icon("play", LIGHT)
    middle = {
        mode: icon.pixmap(QSize(24, 24), 1.0, *mode).toImage().pixelColor(11, 12).name()
        for mode in ((QIcon.Mode.Normal, QIcon.State.On), (QIcon.Mode.Disabled, QIcon.State.Off))
    }
    assert middle[QIcon.Mode.Normal, QIcon.State.On] == LIGHT.accent
    assert middle[QIcon.Mode.Disabled, QIcon.State.Off] == blend(LIGHT.text, LIGHT.window, 0.65)


@pytest.mark.parametrize("theme", [LIGHT, DARK, DARK.presenting()], ids=["light", "dark", "presenting"])
def test_qt_understands_the_style_sheet_and_finds_its_pictures(qtbot, theme):
    """Qt warns about a sheet it cannot parse, and a warning fails the test."""
    widget = QWidget()
    qtbot.addWidget(widget)
    sheet = style.stylesheet(theme)
    assert sheet.count("{") == sheet.count("}")
    widget.setStyleSheet(sheet)
    widget.show()
    pictures = [part.partition('")')[0] for part in sheet.split('url("')[1:]]
    assert pictures
    assert all((icons.folder() / picture.rpartition("/")[2]).is_file() for picture in pictures)


@pytest.mark.qt_log_level_fail("CRITICAL")
def test_qt_does_warn_of_a_broken_style_sheet(qtbot, qtlog):
    widget = QWidget()
    qtbot.addWidget(widget)
    widget.setStyleSheet("QWidget {{{")
    widget.show()
    assert any("Could not parse" in record.message for record in qtlog.records)


def test_the_palette_follows_the_theme(qapp):
    colours = style.palette(DARK)
    assert colours.color(QPalette.ColorRole.Window).name() == DARK.window
    assert colours.color(QPalette.ColorRole.Text).name() == DARK.text


@pytest.fixture
def busy_window(qtbot):
    """A window that wants Space and Left for itself, with one control of each sort."""
    window = QWidget()
    qtbot.addWidget(window)
    column = QVBoxLayout(window)
    window.controls = {"slider": Slider(), "combo": ComboBox(), "check": CheckBox("on"), "button": ToolButton()}
    for control in window.controls.values():
        column.addWidget(control)
    window.plain = QWidget()
    window.plain.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    column.addWidget(window.plain)
    window.stolen = []
    for key in ("Space", "Left"):
        QShortcut(QKeySequence(key), window).activated.connect(lambda key=key: window.stolen.append(key))
    window.controls["slider"].setValue(50)
    window.show()
    window.activateWindow()
    qtbot.waitExposed(window)
    return window


def test_the_window_gets_its_keys_elsewhere(qtbot, busy_window):
    busy_window.plain.setFocus()
    qtbot.keyClick(busy_window.plain, Qt.Key.Key_Space)
    qtbot.keyClick(busy_window.plain, Qt.Key.Key_Left)
    assert busy_window.stolen == ["Space", "Left"]


def test_no_control_takes_a_key_that_drives_time(qtbot, busy_window):
    controls = busy_window.controls
    controls["combo"].addItems(["one", "two"])
    pressed: list[bool] = []
    controls["button"].clicked.connect(lambda: pressed.append(True))
    for name in ("combo", "check", "button"):
        controls[name].setFocus(Qt.FocusReason.TabFocusReason)
        qtbot.keyClick(controls[name], Qt.Key.Key_Space)
        qtbot.keyClick(controls[name], Qt.Key.Key_Left)
        for key in (Qt.Key.Key_Down, Qt.Key.Key_End, Qt.Key.Key_PageDown):
            qtbot.keyClick(controls[name], key)
    assert busy_window.stolen == ["Space", "Left"] * 3
    assert controls["combo"].currentText() == "one"
    assert not controls["check"].isChecked()
    assert not pressed
    for name in ("check", "button"):
        qtbot.keyClick(controls[name], Qt.Key.Key_Return)
    assert controls["check"].isChecked()
    assert len(pressed) == 1


def test_a_slider_is_for_the_mouse(qtbot, busy_window):
    slider = busy_window.controls["slider"]
    qtbot.keyClick(slider, Qt.Key.Key_End)
    assert slider.value() == 50
    assert slider.focusPolicy() == Qt.FocusPolicy.NoFocus


def test_at_rest_the_sheet_is_put_on_anew_once_many_rows_have_come_and_gone(window, monkeypatch):
    app, dressed = QApplication.instance(), []
    window.set_theme("dark")
    window.set_theme("light")
    sheet = app.styleSheet()
    assert not style.freshen()
    monkeypatch.setattr(style, "MOST_WORN", 3)
    window.choose_algorithm("kernel_svm")
    monkeypatch.setattr(QApplication, "setStyleSheet", lambda _, text: dressed.append(text))
    collector = garbage_collector_of(window)
    monkeypatch.setattr(gc, "get_count", lambda: (0, 0, 0))  # nothing is made
    try:
        for _ in range(2 * REST):
            collector.collect()
    finally:
        collector.stop()
        gc.unfreeze()
    assert dressed == ["", sheet]


def test_a_board_that_was_left_out_looks_like_one_that_was_not(window, qtbot):
    def looks():
        qtbot.waitUntil(lambda: pane.board.up_to_date and pane.player.engine.ended)
        pane.show_facts()
        parts = (pane.header, pane.board.seconds.tabBar(), pane.board.curves.tabs)
        QCoreApplication.processEvents()
        return [(part.sizeHint(), part.grab().toImage()) for part in parts]

    window.actions_table["compare_same"].trigger()
    pane = window.boards.panes[1]
    window.actions_table["only_board"].trigger()
    window.set_theme("dark")
    assert not pane.header.close_button.testAttribute(Qt.WidgetAttribute.WA_WState_Polished)  # nobody sees it
    window.actions_table["compare_same"].trigger()
    assert pane in window.boards.panes
    came_back = looks()
    assert pane.header.close_button.testAttribute(Qt.WidgetAttribute.WA_WState_Polished)
    window.set_theme("light")
    window.set_theme("dark")
    assert looks() == came_back
