"""The line below everything."""

import pytest
from PySide6.QtGui import QFontMetrics

from tests.events import settle

LONG = "The features of the digits are seen along the two principal components in which there is most to see, 214 of "
LONG += "the 10,000 points have a gap and are left out, and the target is the column that stands last in the table."


@pytest.mark.parametrize("width", [1024, 1366])
def test_news_that_have_no_room_beside_the_facts_end_in_dots_and_are_whole_in_the_tool_tip(window, width):
    window.resize(width, 768)
    window.facts_label.setText("10,000 points · 12.3 s, 4.1 ms for each of its steps")
    bar = window.statusBar()
    bar.showMessage(LONG)
    settle()
    bar.grab()
    shown = bar.message_on_show()
    assert shown.endswith("…")
    assert LONG.startswith(shown[:-1])
    room = window.facts_label.x() - QFontMetrics(bar.font()).horizontalAdvance(shown)
    assert 0 < room < 60
    assert "214 of the 10,000 points have a gap" in bar.toolTip()
    assert bar.currentMessage() == LONG
    bar.showMessage("Saved.")
    bar.grab()
    assert (bar.message_on_show(), bar.toolTip()) == ("Saved.", "")
    bar.clearMessage()
    bar.grab()
    assert window.hover_label.isVisible()


def test_the_message_that_is_painted_is_the_shortened_one(window):
    bar = window.statusBar()
    bar.showMessage(LONG)
    settle()
    long = bar.grab().toImage()
    bar.showMessage(bar.message_on_show())
    settle()
    assert bar.grab().toImage() == long
