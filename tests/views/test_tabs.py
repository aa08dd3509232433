"""Tabs in narrow places."""

import pytest
from PySide6.QtWidgets import QStyleOptionTab, QToolButton

from mlviz.views.tabs import TabBar

TITLES = ("Plane", "Multipliers α of the support vectors", "Evaluation")


@pytest.fixture
def bar(qtbot):
    bar = TabBar("tabs")
    qtbot.addWidget(bar)
    for title in TITLES:
        bar.addTab(title)
    bar.resize(900, 30)
    bar.show()
    return bar


def test_names_are_whole_as_long_as_the_bar_is_wide_enough_for_each(bar):
    whole = [bar.tabRect(number).width() for number in range(3)]
    bar.resize(max(whole) + 90, 30)
    assert [bar.tabRect(number).width() for number in range(3)] == whole


@pytest.mark.parametrize("width", [120, 200])
def test_the_tab_in_front_is_seen_from_its_beginning_to_its_end(bar, width):
    bar.resize(width, 30)
    for number in (1, 0, 2, 1):
        bar.setCurrentIndex(number)
        rect = bar.tabRect(number)
        assert rect.left() >= -1
        assert rect.right() < width
    bar.resize(900, 30)
    assert bar.tabRect(1).width() > 200  # and whole again


def test_a_tab_of_which_a_part_is_seen_shows_no_letters_behind_the_arrows(qtbot):
    bar = TabBar("tabs")
    qtbot.addWidget(bar)
    for name in ("loss", "changed", "shift of the centres"):
        bar.addTab(name)
    bar.resize(220, 30)
    bar.show()
    qtbot.waitExposed(bar)
    arrows = [button for button in bar.findChildren(QToolButton) if button.isVisible()]
    assert arrows
    for index, name in enumerate(("loss", "changed", "")):
        option = QStyleOptionTab()
        bar.initStyleOption(option, index)
        assert option.text == name
    bar.blockSignals(True)
    bar.resize(150, 30)
    option = QStyleOptionTab()
    bar.initStyleOption(option, 0)
    assert option.text  # the one in front has a name in any case
