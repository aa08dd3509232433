"""The command palette: how it ranks, and that keys find, run and close."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from mlviz.ui.palette import Command, CommandPalette, match

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
"""What the offscreen platform says about windows it only pretends to have."""


@pytest.fixture
def ran() -> list[str]:
    return []


@pytest.fixture
def palette(qtbot, ran):
    widget = CommandPalette()
    qtbot.addWidget(widget)
    entries = (("Gaussian mixture", "method"), ("k-means", "method"), ("kernel SVM", "method"), ("moons", "data"))
    widget.set_commands([Command(title, group, "", lambda name=title: ran.append(name)) for title, group in entries])
    widget.open()
    return widget


def test_prefix_beats_word_start_beats_inside_beats_letters():
    ranks = [match("mea", title).rank for title in ("mean shift", "k-means", "commeans", "mixed example")]
    assert ranks == sorted(ranks)
    assert len(set(ranks)) == 4
    assert match("mea", "moons") is None


def test_the_matching_letters_are_known():
    assert match("km", "k-means").places == (0, 2)
    assert match("mea", "k-means").places == (2, 3, 4)
    assert match("", "anything").places == ()


def test_a_group_helps_to_find():
    assert match("data moons", "moons", "data") is not None
    assert match("data moons", "moons", "method") is None


def test_everything_in_its_order_while_nothing_is_typed(palette):
    assert palette.titles() == ["Gaussian mixture", "k-means", "kernel SVM", "moons"]


def test_typing_and_enter_runs_the_best_and_closes(qtbot, palette, ran):
    qtbot.keyClicks(palette.line, "km")
    assert palette.titles()[0] == "k-means"
    qtbot.keyClick(palette.line, Qt.Key.Key_Return)
    assert ran == ["k-means"]
    assert not palette.isVisible()


def test_arrow_keys_move_and_go_round(qtbot, palette, ran):
    qtbot.keyClick(palette.line, Qt.Key.Key_Down)
    qtbot.keyClick(palette.line, Qt.Key.Key_Up)
    qtbot.keyClick(palette.line, Qt.Key.Key_Up)
    qtbot.keyClick(palette.line, Qt.Key.Key_Return)
    assert ran == ["moons"]


def test_escape_closes_and_runs_nothing(qtbot, palette, ran):
    qtbot.keyClick(palette.line, Qt.Key.Key_Escape)
    assert not palette.isVisible()
    assert ran == []


def test_no_match_is_said(qtbot, palette, ran):
    qtbot.keyClicks(palette.line, "zzz")
    assert palette.nothing.isVisible()
    qtbot.keyClick(palette.line, Qt.Key.Key_Return)
    assert ran == []
    assert palette.isVisible()


def test_a_click_runs(qtbot, palette, ran):
    place = palette.list.visualRect(palette.list.model().index(2, 0)).center()
    qtbot.mouseClick(palette.list.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert ran == ["kernel SVM"]


def test_opening_again_starts_afresh(qtbot, palette):
    qtbot.keyClicks(palette.line, "km")
    palette.close()
    palette.open()
    assert palette.line.text() == ""
    assert len(palette.titles()) == 4


def test_words_may_stand_in_any_order_and_a_method_is_found_by_its_other_names():
    assert match("hull margin", "Margin between hulls", "classification") is not None
    assert match("hull sausage", "Margin between hulls", "classification") is None
    ranks = [
        match("em", title, "", names).rank for title, names in (("Gaussian mixture", ("EM",)), ("Show the menu", ()))
    ]
    assert ranks == sorted(ranks)
    assert match("pca", "Principal components", "", ("pca",)).rank < match("pca", "PCA of the plane").rank
