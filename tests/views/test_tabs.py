"""Tabs in narrow places."""

import pytest

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
