"""What happens: the lit line, its numbers, the caption, the warning and the table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from algorithms import all_algorithms, find
from algorithms.contract import Algorithm, AnySnapshot, Line, Metric, Stop
from mlviz.data.generators import generate
from mlviz.data.spec import example_of
from mlviz.session.document import Document
from mlviz.ui.pseudocode import filled, number
from mlviz.ui.what_happens import WhatHappens, value_words
from mlviz.views.theme import DARK, LIGHT
from tests.events import settle
from tests.telling import AS_SHOWN, told

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
"""What the offscreen platform says about windows it only pretends to have."""


@dataclass(frozen=True, slots=True)
class Params:
    pass


def run(data, params, rng, start=None):
    return Stop.COMPLETE
    yield


CODE = (
    Line("choose k centres", "start"),
    Line("assign each point to its nearest centre; J = {J}", "assign", "reassign"),
    Line("move each centre to the mean of its points", "update"),
)
METHOD = Algorithm("m", "M", "clustering", "A method.", Params, run, (), (Metric("J", "J"),), CODE, "", **AS_SHOWN)


def frame(
    phase: str = "assign", caption: str = "12 points move.", warning: str = "", J: float = 41.7123
) -> AnySnapshot:
    return told(metrics={"J": J}, phase=phase, caption=caption, warning=warning)


@pytest.fixture
def panel(qtbot):
    widget = WhatHappens()
    qtbot.addWidget(widget)
    widget.set_algorithm(METHOD)
    widget.resize(300, 500)
    widget.show()
    return widget


def test_the_line_of_the_phase_is_lit_with_its_numbers(panel):
    assert panel.code.lit() == -1
    assert panel.code.texts()[1] == "assign each point to its nearest centre; J = …"
    panel.show_frame(frame())
    assert panel.code.lit() == 1
    assert panel.code.texts()[1] == "assign each point to its nearest centre; J = 41.71"
    panel.show_frame(frame(phase="update"))
    assert panel.code.lit() == 2
    panel.show_frame(frame(phase="reassign"))
    assert panel.code.lit() == 1
    panel.show_frame(frame(phase="unheard of"))
    assert panel.code.lit() == -1


def test_lighting_is_seen(panel):
    """The bar of the lit line is painted in the accent colour at the left edge, and nowhere else."""
    panel.show_frame(frame(phase="update"))
    picture = panel.code.grab().toImage()
    ratio = picture.devicePixelRatio()
    bar = [picture.pixelColor(round(ratio), y).name() == LIGHT.accent for y in range(picture.height())]
    lit = panel.code.lit_rect()
    assert sum(bar) == pytest.approx(lit.height() * ratio, abs=2)
    assert bar.index(True) == pytest.approx(lit.top() * ratio, abs=2)


def test_caption_and_warning(panel):
    panel.show_frame(frame(warning="Cluster 3 is empty."))
    assert panel.caption.text() == "12 points move."
    assert panel.warning.isVisible()
    assert panel.warning.text() == "Cluster 3 is empty."
    panel.show_frame(frame())
    assert not panel.warning.isVisible()
    panel.show_frame(None)
    assert panel.caption.text() == ""
    assert panel.code.lit() == -1


def test_a_long_caption_keeps_its_room_until_the_next_method(panel):
    panel.show_frame(frame(caption="short"))
    low = panel.caption.height()
    panel.show_frame(frame(caption="a much longer sentence " * 8))
    high = panel.caption.height()
    assert high > 2 * low
    panel.show_frame(frame(caption="short"))
    assert panel.caption.height() == high
    panel.set_algorithm(METHOD)
    assert panel.caption.height() == low


def test_the_same_frame_again_paints_nothing(qtbot, panel):
    panel.show_frame(frame())
    qtbot.waitExposed(panel)
    settle()
    painted: list[object] = []
    for part in (panel.code, panel.caption, panel.warning):
        original = part.update
        part.update = lambda *args, keep=original: (painted.append(keep), keep(*args))
    panel.show_frame(frame())
    assert painted == []
    panel.show_frame(frame(J=3.0))
    assert len(painted) == 1


def test_the_table_says_why_and_escapes(panel):
    panel.show_explanation("Point 37 <x>", {"distance": 1.23456, "votes": np.array([2, 1]), "nearest": "centre <2>"})
    text = panel.why.text()
    assert panel.why.isVisible()
    assert "Point 37 &lt;x&gt;" in text
    assert "1.235" in text
    assert "2, 1" in text
    assert "centre &lt;2&gt;" in text
    panel.set_theme(DARK)
    assert DARK.muted in panel.why.text()
    panel.show_explanation("", None)
    assert not panel.why.isVisible()


@pytest.mark.parametrize(
    ("value", "text"),
    [(12.0, "12"), (41.7123, "41.71"), (-0.5, "−0.5"), (12345.67, "12,346"), (1.5e-7, "1.5e-07"), (0.0, "0")],
)
def test_numbers_for_reading(value, text):
    assert number(value) == text


def test_placeholders():
    assert filled("J = {J:.1f}, n = {n}", {"J": 2.0, "n": 3.0}, set()) == "J = 2.0, n = 3"
    assert filled("for x in {a} }", {}, set()) == "for x in {a} }"
    assert filled("gap {gap}", {}, {"gap"}) == "gap …"
    assert filled("J = {J:.1f}, gap {gap}", {"J": np.nan, "gap": np.nan}, {"J", "gap"}) == "J = –, gap –"


def test_values_in_words():
    assert value_words(True) == "yes"
    assert value_words((1, 2.5)) == "1, 2.5"
    assert value_words(np.float64(0.25)) == "0.25"


def test_the_first_warning_is_as_high_as_its_lines_and_asks_for_no_larger_window(panel, qtbot):
    """A hidden paragraph has no width; measured by it, a sentence became a column that pushed the window apart."""
    sentence = "The steps were too long for the curvature that was met on the way: choose a smaller learning rate."
    before = panel.minimumSizeHint()
    panel.show_frame(frame(warning=sentence))
    settle()
    line = panel.warning.fontMetrics().lineSpacing()
    assert panel.warning.height() <= 4 * line
    assert panel.minimumSizeHint() == before
    assert panel.height() == 500


def test_a_long_warning_never_lies_over_the_code(panel, qtbot):
    panel.resize(290, 230)
    panel.show_frame(frame(warning="The steps were too long for the curvature that was met on the way. " * 12))
    settle()
    words, code = panel._words.geometry(), panel._area.geometry()
    assert words.bottom() <= code.top()
    assert code.height() >= 2 * panel.caption.fontMetrics().lineSpacing()
    assert code.bottom() <= panel.height()
    assert panel._words.verticalScrollBar().maximum() > 0  # and all of it can be read
    panel.show_frame(frame())
    qtbot.waitUntil(lambda: panel._words.verticalScrollBar().maximum() == 0)
    assert panel._words.height() <= panel.caption.height() + 20


def test_the_lit_line_stays_in_view_when_the_sentences_take_height(panel, qtbot):
    panel.resize(290, 170)
    panel.show_frame(frame(phase="update"))
    settle()
    assert panel._area.verticalScrollBar().maximum() == 0  # all of the code is seen
    panel.show_frame(frame(phase="update", warning="The steps were too long for the curvature met on the way. " * 2))
    settle()
    lit = panel.code.lit_rect().translated(0, panel.code.y() - panel._area.verticalScrollBar().value())
    assert panel._area.verticalScrollBar().maximum() > 0
    assert lit.top() >= 0
    assert lit.bottom() <= panel._area.viewport().height()


def test_the_code_begins_with_a_whole_line(qtbot):
    algorithm = find("logistic_regression")
    panel = WhatHappens()
    qtbot.addWidget(panel)
    panel.resize(260, 230)
    panel.set_algorithm(algorithm)
    panel.show()
    run = algorithm.start(generate("moons", n=60, seed=1), algorithm.make_params({}), 0)
    for snapshot in run:
        panel.show_frame(snapshot)
        settle()
        bar = panel._area.verticalScrollBar()
        seen = bar.value() - panel.code.y()
        lit = panel.code.lit_rect()
        assert seen <= 0 or panel.code.whole_from(seen) == seen
        assert seen <= lit.top()
        assert lit.bottom() <= seen + panel._area.viewport().height()


def whole_lines(window):
    """How many lines of the pseudo-code are seen whole."""
    panel = window.what_happens
    top = panel._area.verticalScrollBar().value() - panel.code.y()
    ends = np.cumsum([0, *panel.code._heights])
    room = panel._area.viewport().height()
    return int(((ends[:-1] >= top) & (ends[1:] <= top + room + 2)).sum())


def settled(window, qtbot):
    """The frame under the playhead has been told."""
    qtbot.waitUntil(lambda: window.player.runs(window.document) and window.player.shown is not None)
    qtbot.waitUntil(lambda: window.narrator.described is window.player.shown and window.player.arrived)
    settle()


def test_eight_lines_are_seen_after_every_change_of_the_method(make_window, qtbot):
    """In one window: what a form or a sentence of one method has taken must not be missing under the next."""
    window = make_window("cascade", example_of(find("cascade")))
    window.resize(1280, 820)
    window.side_panels.restore_first()  # as at a first start, which has this size
    settle()
    short = {}
    for method in all_algorithms():
        window.apply(Document(example_of(method), method.key), "another method")
        for step in ("first", "next"):
            settled(window, qtbot)
            seen = whole_lines(window)
            if seen < min(8, len(method.pseudocode)):
                short[method.key, step] = seen
            window.player.step_phase(1)
    assert short == {}
    assert window.width() == 1280
