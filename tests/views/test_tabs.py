"""Tabs in narrow places."""

import pytest
from PySide6.QtWidgets import QStyleOptionTab, QToolButton

from mlviz.views.tabs import TabBar
from tests.events import settle

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


def refill(bar):
    titles = [bar.tabText(number) for number in range(bar.count())]
    chosen = bar.currentIndex()
    bar.blockSignals(True)
    while bar.count():
        bar.removeTab(0)
    for title in titles:
        bar.addTab(title)
    bar.setCurrentIndex(chosen)
    bar.blockSignals(False)


CHANGES = {
    "another tab goes": lambda bar: bar.setTabVisible(2, False),
    "another tab comes": lambda bar: bar.setTabVisible(3, True),
    "it is filled anew": refill,
    "another tab is chosen": lambda bar: bar.setCurrentIndex(5 - bar.currentIndex()),
    "it has other room": lambda bar: bar.resize(bar.width() + 9, 30),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize(("chosen", "clicks"), [(0, 4), (5, -4), (1, 1), (4, -1)])
def test_a_bar_that_was_scrolled_past_the_tab_in_front_shows_its_name_again(qtbot, change, chosen, clicks):
    bar = TabBar("tabs")
    qtbot.addWidget(bar)
    for name in ("loss", "changed", "shift of the centres", "entropy", "Evaluation", "probability"):
        bar.addTab(name)
    bar.setTabVisible(3, False)
    bar.resize(220, 30)
    bar.show()
    qtbot.waitExposed(bar)
    bar.setCurrentIndex(chosen)
    arrows = sorted((b for b in bar.findChildren(QToolButton) if b.isVisible()), key=lambda button: button.x())
    for _ in range(abs(clicks)):
        arrows[clicks > 0].click()
    CHANGES[change](bar)
    settle()
    place, option = bar.tabRect(bar.currentIndex()), QStyleOptionTab()
    bar.initStyleOption(option, bar.currentIndex())
    assert place.left() >= 0
    assert place.right() < arrows[0].x()
    assert option.text == bar.tabText(bar.currentIndex())
