"""The command palette: how it ranks, and that keys find, run and close."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from mlviz.ui import commands
from mlviz.ui.palette import Command, CommandPalette, match
from mlviz.ui.synonyms import NEEDS, SYNONYMS

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


LOOKED_FOR = {
    "present": "projector, full screen, fullscreen, presentation, beamer, students",
    "theme": "dark, dark mode, night",
    "undo": "undo, take back",
    "export": "film, video, gif, mp4, picture, png, svg, pdf, handout, html, python, screenshot",
    "save": "save",
    "slide_add": "question, notes, new slide",
    "lecturer_notes": "notes, speaker notes, second screen",
    "pen": "pen, annotate, scribble",
    "laser": "laser, pointer",
    "black_out": "black, blank screen, blackout",
    "fit": "zoom, zoom out",
    "reset_params": "reset, defaults",
    "reset": "reset the data, given data",
    "new_seed": "seed, shuffle",
    "compare_same": "compare, side by side, two boards, split",
    "compare_seed": "two seeds, seed",
    "compare_method": "two methods, versus",
    "difference": "differ, difference, disagree, disagreement",
    "alone": "maximise, maximize, enlarge",
    "faster": "speed, faster",
    "start": "rewind, start",
    "end": "end",
    "cancel": "stop, cancel",
    "new": "new, empty, clear",
    "open": "load, import, csv, excel",
    "tool_erase": "rubber, eraser",
    "legends": "legend",
    "lessons": "slide show, lesson",
    "keys": "keys, shortcuts, help",
    "about_method": "help, formula",
    "gallery_page": "gallery, algorithms",
    "settings": "preferences, options",
    "quit": "exit, quit",
}
"""What a lecturer types, by the action that is meant."""


@pytest.fixture
def offered(window):
    popup = CommandPalette()
    popup.set_commands(commands.palette(window))
    yield popup
    popup.deleteLater()


def test_the_words_that_people_type_find_the_action_that_is_meant(window, offered):
    missing = []
    for name, words in LOOKED_FOR.items():
        title = window.actions_table[name].text().rstrip("…")
        for word in words.split(", "):
            offered.line.setText(word)
            if title not in offered.titles()[:5]:
                missing.append((word, title, offered.titles()[:5]))
    assert not missing


def test_every_synonym_is_one_of_an_action_or_view_and_nothing_waits_without_a_name(window):
    names = {spec.name for spec in window.actions_table.specs}
    assert set(SYNONYMS) | set(NEEDS) <= names
    assert all(len({word.lower() for word in words}) == len(words) for words in SYNONYMS.values())


def test_an_action_that_cannot_be_done_yet_is_found_and_says_what_it_waits_for(window, qtbot, offered):
    qtbot.keyClicks(offered.line, "disagree")
    assert offered.titles()[0] == "Where they differ"
    qtbot.keyClick(offered.line, Qt.Key.Key_Return)
    assert window.statusBar().currentMessage() == "Where they differ: needs two boards (Ctrl+B)."
    assert not window.document.comparison.difference


def test_undo_with_nothing_to_undo_does_not_run_what_has_the_same_letters(window, qtbot, offered):
    before = window.document
    qtbot.keyClicks(offered.line, "undo")
    qtbot.keyClick(offered.line, Qt.Key.Key_Return)
    assert window.document is before
    assert "nothing to undo" in window.statusBar().currentMessage()


def test_letters_in_order_count_only_where_no_word_is_meant(offered):
    offered.line.setText("laser")
    assert offered.titles() == ["Laser pointer"]
    offered.line.setText("lpntr")
    assert "Laser pointer" in offered.titles()
    assert match("lasso", "Lasso").rank < match("lasso", "Sparse components", "", ("lasso",)).rank


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("ROC", "Logistic regression"),
        ("classify", "Decision tree"),
        ("unsupervised", "k-means"),
        ("dimensionality reduction", "t-SNE"),
        ("gamma", "Support vector machine"),
    ],
)
def test_methods_are_found_by_what_they_are_for_and_by_parameters(offered, typed, found):
    offered.line.setText(typed)
    assert found in offered.titles()
    assert "Gaussian process" not in offered.titles() or typed == "gamma"


def test_views_and_tabs_are_found_by_what_they_show(window, qtbot, offered):
    offered.line.setText("standardise")
    assert offered.titles() == ["Controls: Data"]
    window.knobs.setCurrentWidget(window.form)
    qtbot.keyClick(offered.line, Qt.Key.Key_Return)
    assert window.knobs.currentWidget() is window.data_panel
    offered.line.setText("loss")
    assert "Look at: Curves" in offered.titles()
